// Computes x = (a + b) * 2 with kernels that were compiled when the program was built; no compiler
// runs here. The Makefile makes the header and a C array of the code from kernels.tile.
#include "kernels.h"

#include <cucore/check.h>

enum { N = 100000, BYTES = N * (int)sizeof(float) };

static float a[N], b[N], x[N];

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
    cuc_buffer *buffers[3];
    cuc_device *device;
    int wrong = 0;
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_object, object);
    CUC_SCOPED(cuc_kernel, vadd);
    CUC_SCOPED(cuc_kernel, scale);

    for (int i = 0; i < N; i++) {
        a[i] = (float)i;
        b[i] = 1;
    }
    CUC_MUST(cuc_device_get(&device, 0));
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(kernels_load(&object));
    CUC_MUST(kernels_get_vadd(&vadd, object));
    CUC_MUST(kernels_get_scale(&scale, object));

    cuc_tensor ta = tensor_of(&buffers[0], stream, a), tb = tensor_of(&buffers[1], stream, b);
    cuc_tensor tx = tensor_of(&buffers[2], stream, x);
    CUC_MUST(kernels_launch_vadd(stream, vadd, &ta, &tb, &tx));
    CUC_MUST(kernels_launch_scale(stream, scale, &tx, 2));
    CUC_MUST(cuc_buffer_read_async(stream, x, buffers[2], 0, BYTES));
    CUC_MUST(cuc_stream_synchronize(stream));

    for (int i = 0; i < N; i++)
        wrong += x[i] != (a[i] + b[i]) * 2;
    printf("%d elements on %s, %d of them wrong\n", N, cuc_device_name(device), wrong);

    // A launch checks arguments as it does for a kernel that was just compiled.
    tb.shape[0] = N / 2;
    if (kernels_launch_vadd(stream, vadd, &ta, &tb, &tx) < 0)
        printf("%s\n", cuc_error_message());

    for (int i = 0; i < 3; i++)
        cuc_buffer_release(buffers[i]);
    return wrong ? 1 : 0;
}
