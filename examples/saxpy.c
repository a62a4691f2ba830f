// SAXPY, y = a * x + y: from CUDA C++ source to a checked result.
#include <math.h>

#include "example.h"

enum { N = 1 << 20, BYTES = N * (int)sizeof(float) };

static const char source[] = "extern \"C\" __global__\n"
                             "void saxpy(float a, const float *x, float *y, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        y[i] = a * x[i] + y[i];\n"
                             "}\n";

static float x[N], y[N], result[N];

static double max_error(void)
{
    double worst = 0;

    for (int i = 0; i < N; i++)
        worst = fmax(worst, fabs(result[i] - (2.0 * x[i] + y[i])));
    return worst;
}

int main(void)
{
    cuc_device *device = NULL;
    CUC_SCOPED(cuc_stream, stream); // released at the end of main, in any order
    CUC_SCOPED(cuc_program, program);
    CUC_SCOPED(cuc_object, object);
    CUC_SCOPED(cuc_kernel, kernel);
    CUC_SCOPED(cuc_buffer, dx);
    CUC_SCOPED(cuc_buffer, dy);
    size_t ptx_bytes, cubin_bytes;
    const char *ptx;
    const void *cubin;

    cuc_status found = cuc_device_get(&device, 0);
    const char *arch = found == CUC_OK ? cuc_device_arch(device) : "sm_90";

    // Compiling and linking need no device or driver.
    CUC_MUST(cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0,
                                CUC_PROGRAM_OPTIONS(.name = "saxpy.cu", .arch = arch)));
    CUC_MUST(cuc_program_compile(&object, program, CUC_CODE_CUBIN));
    CUC_MUST(cuc_object_get_ptx(&ptx, &ptx_bytes, object));
    CUC_MUST(cuc_object_get_code(&cubin, &cubin_bytes, object));
    printf("saxpy for %s: %zu bytes of PTX, %zu bytes of cubin\n", arch, ptx_bytes, cubin_bytes);
    device = example_device(); // exits here without a device

    for (int i = 0; i < N; i++) {
        x[i] = (float)i / N;
        y[i] = 1 - (float)i / N;
    }
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_buffer_create(&dx, stream, NULL, BYTES));
    CUC_MUST(cuc_buffer_create(&dy, stream, NULL, BYTES));
    CUC_MUST(cuc_buffer_write_async(stream, dx, 0, x, BYTES));
    CUC_MUST(cuc_buffer_write_async(stream, dy, 0, y, BYTES));
    CUC_MUST(cuc_object_get_kernel(&kernel, object, "saxpy"));
    CUC_MUST(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { N / 256 }, .block = { 256 }), kernel,
                        2.0f, dx, dy, N));
    CUC_MUST(cuc_buffer_read_async(stream, result, dy, 0, BYTES));
    CUC_MUST(cuc_stream_synchronize(stream));
    printf("%d elements on %s, max error %g\n", N, cuc_device_name(device), max_error());

    return max_error() <= 0x1p-24 ? 0
                                  : 1; // 2 * x is exact; the sum, between 1 and 2, is rounded once
}
