// A C++ template: named when the program is compiled, found by the same name afterwards.
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
    cuc_stream *stream;
    cuc_program *program;
    cuc_object *object;
    cuc_memory_resource *pinned;
    int wrong = 0;

    check(cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0,
                             CUC_PROGRAM_OPTIONS(.arch = cuc_device_arch(device),
                                                 .name_expressions = instances,
                                                 .name_expression_count = 2)));
    check(cuc_program_compile(&object, program, CUC_CODE_CUBIN));
    check(cuc_stream_create(&stream, device, NULL));
    check(cuc_memory_synchronous(&pinned, device, CUC_MEMORY_PINNED));

    for (int i = 0; i < 2; i++) {
        cuc_kernel *kernel;
        cuc_buffer *buffer;
        void *host; // pinned memory: the host and the kernel see the same bytes

        check(cuc_object_get_kernel(&kernel, object, instances[i]));
        check(cuc_buffer_create(&buffer, pinned, N * sizeof(double), stream));
        check(cuc_buffer_get_host_pointer(&host, buffer));
        float *f = host;
        double *d = host;
        for (int k = 0; k < N; k++)
            i == 0 ? (f[k] = (float)k) : (d[k] = k);
        check(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { (N + 255) / 256 }, .block = { 256 }),
                         kernel, buffer, N));
        check(cuc_stream_synchronize(stream));
        for (int k = 0; k < N; k++)
            wrong += i == 0 ? f[k] != 3.0f * (float)k : d[k] != 5.0 * k;
        printf("%s is %s: %d wrong so far\n", instances[i], cuc_kernel_symbol(kernel), wrong);
        cuc_buffer_release(buffer);
        cuc_kernel_release(kernel);
    }

    cuc_memory_resource_release(pinned);
    cuc_stream_release(stream);
    cuc_object_release(object);
    cuc_program_release(program);
    return wrong != 0;
}
