// Compiles a C++ template by name, and looks the kernel up by the same name.
#include "example.h"

enum { N = 1000 };

static const char source[] = "template <typename T, int factor>\n"
                             "__global__ void scale(T *data, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        data[i] *= factor;\n"
                             "}\n";

static const char *const instances[] = { "scale<float, 3>", "scale<double, 5>" };

int main(void)
{
    cuc_device *device = example_device();
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_program, program);
    CUC_SCOPED(cuc_object, object);
    CUC_SCOPED(cuc_memory_resource, pinned);
    int wrong = 0;

    CUC_MUST(cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0,
                                CUC_PROGRAM_OPTIONS(.arch = cuc_device_arch(device),
                                                    .name_expressions = instances,
                                                    .name_expression_count = 2)));
    CUC_MUST(cuc_program_compile(&object, program, CUC_CODE_CUBIN));
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_memory_synchronous_create(&pinned, device, CUC_MEMORY_PINNED));

    for (int i = 0; i < 2; i++) {
        CUC_SCOPED(cuc_kernel, kernel);
        CUC_SCOPED(cuc_buffer, buffer);
        void *host; // pinned memory, which the host and the kernel share

        CUC_MUST(cuc_object_get_kernel(&kernel, object, instances[i]));
        CUC_MUST(cuc_buffer_create(&buffer, stream, pinned, N * sizeof(double)));
        CUC_MUST(cuc_buffer_get_host_pointer(&host, buffer));
        float *f = host;
        double *d = host;
        for (int k = 0; k < N; k++)
            i == 0 ? (f[k] = (float)k) : (d[k] = k);
        CUC_MUST(CUC_LAUNCH(stream,
                            CUC_LAUNCH_CONFIG(.grid = { (N + 255) / 256 }, .block = { 256 }),
                            kernel, buffer, N));
        CUC_MUST(cuc_stream_synchronize(stream));
        for (int k = 0; k < N; k++)
            wrong += i == 0 ? f[k] != 3.0f * (float)k : d[k] != 5.0 * k;
        printf("%s is %s: %d wrong so far\n", instances[i], cuc_kernel_symbol(kernel), wrong);
    }

    return wrong != 0;
}
