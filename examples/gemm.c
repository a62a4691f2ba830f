// Computes d = gelu(a b + bias) with a ready-made plan: no kernel to write, nothing to compile at
// the call.
#include "example.h"

#include <math.h>

enum { M = 96, N = 80, K = 128 };

static float a[M * K], b[K * N], bias[N], d[M * N];

// Create a device tensor with the given elements.
static cuc_tensor tensor_of(cuc_buffer **buffer, cuc_stream *stream, const float *data,
                            int32_t rank, int64_t rows, int64_t columns)
{
    const int64_t shape[] = { rows, columns };
    size_t bytes = (size_t)(rows * (rank == 2 ? columns : 1)) * sizeof(float);
    cuc_tensor tensor;

    CUC_MUST(cuc_buffer_create(buffer, stream, NULL, bytes));
    CUC_MUST(cuc_buffer_write_async(stream, *buffer, 0, data, bytes));
    CUC_MUST(cuc_tensor_from_buffer(&tensor, *buffer, CUC_F32, rank, shape));
    return tensor;
}

static double expected(int i, int j)
{
    double x = bias[j];

    for (int k = 0; k < K; k++)
        x += (double)a[i * K + k] * b[k * N + j];
    return x * (1 + erf(x / sqrt(2))) / 2;
}

int main(void)
{
    cuc_device *device = example_device();
    cuc_gemm_choice choice = CUC_GEMM_CHOICE_INIT;
    CUC_SCOPED(cuc_gemm_plan, plan);
    CUC_SCOPED(cuc_stream, stream);
    cuc_buffer *buffers[4];
    double worst = 0;

    for (int i = 0; i < M * K; i++)
        a[i] = (float)(i * 7 % 11 - 5) / 8;
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i * 5 % 13 - 6) / 8;
    for (int i = 0; i < N; i++)
        bias[i] = (float)i / N;
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    cuc_tensor ta = tensor_of(&buffers[0], stream, a, 2, M, K);
    cuc_tensor tb = tensor_of(&buffers[1], stream, b, 2, K, N);
    cuc_tensor tbias = tensor_of(&buffers[2], stream, bias, 1, N, 0);
    cuc_tensor td = tensor_of(&buffers[3], stream, d, 2, M, N);

    // The plan chooses tiles for this shape, but also accepts others.
    CUC_MUST(cuc_gemm_plan_create(&plan, device,
                                  CUC_GEMM_OPTIONS(.dtype = CUC_F32, .activation = CUC_GEMM_GELU,
                                                   .bias = CUC_GEMM_BIAS_COLUMNS, .m = M, .n = N,
                                                   .k = K)));
    CUC_MUST(cuc_gemm_plan_get_choice(&choice, plan));
    CUC_MUST(
        cuc_gemm(stream, plan, 1, 0, CUC_GEMM_ARGS(.a = &ta, .b = &tb, .d = &td, .bias = &tbias)));
    CUC_MUST(cuc_buffer_read_async(stream, d, buffers[3], 0, sizeof(d)));
    CUC_MUST(cuc_stream_synchronize(stream));

    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++)
            worst = fmax(worst, fabs(d[i * N + j] - expected(i, j)));
    printf("gelu(a b + bias) on %s in tiles of %d x %d, at most %.1g off\n",
           cuc_device_name(device), choice.tile_m, choice.tile_n, worst);

    // A mismatch is reported by argument name, before anything runs.
    tb.shape[0] = K / 2;
    if (cuc_gemm(stream, plan, 1, 0, CUC_GEMM_ARGS(.a = &ta, .b = &tb, .d = &td, .bias = &tbias)) <
        0)
        printf("%s\n", cuc_error_message());

    for (int i = 0; i < 4; i++)
        cuc_buffer_release(buffers[i]);
    return worst < 1e-5 ? 0 : 1;
}
