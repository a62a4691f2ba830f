// Link-time optimization: inlines a user's separately compiled function into an existing kernel.
#include "example.h"

enum { N = 1024 };

static const char kernel_source[] = "extern __device__ float op(float a, float b);\n"
                                    "extern \"C\" __global__ void apply(float *data, float with)\n"
                                    "{\n"
                                    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                                    "    data[i] = op(data[i], with);\n"
                                    "}\n";

static const char op_source[] = "__device__ float op(float a, float b) { return a * a + b; }\n";

static cuc_object *compile(const char *name, const char *source, const char *arch)
{
    CUC_SCOPED(cuc_program, program);
    cuc_object *object;

    CUC_MUST(cuc_program_create(
        &program, CUC_SOURCE_CUDA, source, 0,
        CUC_PROGRAM_OPTIONS(.name = name, .arch = arch, .relocatable_device_code = CUC_ON)));
    CUC_MUST(cuc_program_compile(&object, program, CUC_CODE_LTOIR));
    return object;
}

int main(void)
{
    cuc_device *device = NULL;
    cuc_status found = cuc_device_get(&device, 0);
    const char *arch = found == CUC_OK ? cuc_device_arch(device) : "sm_90";
    cuc_object *parts[] = { compile("kernel.cu", kernel_source, arch),
                            compile("op.cu", op_source, arch) };
    CUC_SCOPED(cuc_linker, linker);
    CUC_SCOPED(cuc_object, linked);
    const void *code;
    size_t bytes;

    // Compiling and linking need no device or driver.
    CUC_MUST(cuc_linker_create(&linker, CUC_LINKER_OPTIONS(.arch = arch)));
    CUC_MUST(cuc_linker_add(linker, parts[0]));
    CUC_MUST(cuc_linker_add(linker, parts[1]));
    CUC_MUST(cuc_linker_link(&linked, linker, CUC_CODE_CUBIN));
    CUC_MUST(cuc_object_get_code(&code, &bytes, linked));
    printf("linked by %s for %s: %zu bytes\n", cuc_linker_backend(linker), arch, bytes);
    cuc_object_release(parts[0]);
    cuc_object_release(parts[1]);
    device = example_device(); // exits here without a device

    float data[N];
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_kernel, kernel);
    CUC_SCOPED(cuc_buffer, buffer);
    int wrong = 0;

    for (int i = 0; i < N; i++)
        data[i] = (float)i;
    CUC_MUST(cuc_object_get_kernel(&kernel, linked, "apply"));
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_buffer_create(&buffer, stream, NULL, sizeof(data)));
    CUC_MUST(cuc_buffer_write_async(stream, buffer, 0, data, sizeof(data)));
    CUC_MUST(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { N / 256 }, .block = { 256 }), kernel,
                        buffer, 0.5f));
    CUC_MUST(cuc_buffer_read_async(stream, data, buffer, 0, sizeof(data)));
    CUC_MUST(cuc_stream_synchronize(stream));
    for (int i = 0; i < N; i++)
        wrong += data[i] != (float)i * (float)i + 0.5f; // below 2^23: exact
    printf("%d elements, %d wrong\n", N, wrong);
    return wrong != 0;
}
