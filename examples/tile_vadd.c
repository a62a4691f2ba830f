// c = a + b as a tile program: the kernel mentions no threads and is launched with tensors.
#include "example.h"

enum { N = 1000000, BYTES = N * (int)sizeof(float) };

static const char source[] = "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) grid cdiv(N, 1024) {\n"
                             "    i = block(0)\n"
                             "    store(c, [i], load(a, [i], [1024]) + load(b, [i], [1024]))\n"
                             "}\n";

static float a[N], b[N], c[N];

// Create a device tensor: its elements and its layout.
static cuc_tensor tensor_of(cuc_buffer **buffer, cuc_stream *stream, const float *data)
{
    cuc_tensor tensor;

    CUC_MUST(cuc_buffer_create(buffer, stream, NULL, BYTES));
    CUC_MUST(cuc_buffer_write_async(stream, *buffer, 0, data, BYTES));
    CUC_MUST(cuc_tensor_from_buffer(&tensor, *buffer, CUC_F32, CUC_SHAPE(N)));
    return tensor;
}

int main(void)
{
    cuc_device *device = example_device();
    cuc_buffer *buffers[3];
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_kernel, kernel);
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 1 / (float)(i + 1);
    }
    CUC_MUST(cuc_kernel_from_source(&kernel, CUC_SOURCE_TILE, source, 0, "vadd", NULL));

    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    cuc_tensor ta = tensor_of(&buffers[0], stream, a), tb = tensor_of(&buffers[1], stream, b);
    cuc_tensor tc = tensor_of(&buffers[2], stream, c);
    CUC_MUST(
        CUC_LAUNCH(stream, NULL, kernel, &ta, &tb, &tc)); // N and the grid come from the tensors
    CUC_MUST(cuc_buffer_read_async(stream, c, buffers[2], 0, BYTES));
    CUC_MUST(cuc_stream_synchronize(stream));

    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    printf("%d elements on %s, %d of them wrong\n", N, cuc_device_name(device), wrong);

    // A mismatch is reported by argument name, before anything runs.
    tb.shape[0] = N / 2;
    if (CUC_LAUNCH(stream, NULL, kernel, &ta, &tb, &tc) < 0)
        printf("%s\n", cuc_error_message());

    for (int i = 0; i < 3; i++)
        cuc_buffer_release(buffers[i]);
    return wrong ? 1 : 0;
}
