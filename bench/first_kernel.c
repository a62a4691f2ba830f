// A process that first_kernel.py times: compiles SAXPY, which should be in the cache, runs it, and
// prints a line as soon as the result has arrived and is right.
#include <cucore/check.h>
#include <cucore/cucore.h>

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { COUNT = 1024, BLOCK = 256 };

static const char source[] = "extern \"C\" __global__ void saxpy(float a, float *y, int n)\n"
                             "{\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n)\n"
                             "        y[i] = a * i + 1;\n"
                             "}\n";

// Returns whether NVRTC or nvJitLink is mapped into the process.
static bool has_compiler(void)
{
    char line[4200];
    bool found = false;
    FILE *f = fopen("/proc/self/maps", "r");

    while (f && fgets(line, sizeof(line), f))
        found |= strstr(line, "libnvrtc.so") || strstr(line, "libnvJitLink");
    if (f)
        fclose(f);
    return found;
}

int main(void)
{
    static float y[COUNT];
    cuc_device *device;
    cuc_stream *stream;
    cuc_program *program;
    cuc_object *object;
    cuc_kernel *kernel;
    cuc_buffer *buffer;

    CUC_MUST(cuc_device_get(&device, 0));
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0, NULL));
    // The simulated driver accepts only PTX.
    CUC_MUST(cuc_program_compile(&object, program,
                                 cuc_driver_is_simulated() ? CUC_CODE_PTX : CUC_CODE_CUBIN));
    CUC_MUST(cuc_object_get_kernel(&kernel, object, "saxpy"));
    CUC_MUST(cuc_buffer_create(&buffer, stream, NULL, sizeof(y)));
    CUC_MUST(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { COUNT / BLOCK }, .block = { BLOCK }),
                        kernel, 2.0f, buffer, (int32_t)COUNT));
    CUC_MUST(cuc_buffer_read_async(stream, y, buffer, 0, sizeof(y)));
    CUC_MUST(cuc_stream_synchronize(stream));
    bool right = true;
    for (int i = 0; i < COUNT; i++)
        right &= y[i] == 2 * (float)i + 1;
    puts(right ? "right" : "wrong");
    fflush(stdout);
    puts(has_compiler() ? "compiler" : "no compiler");
    cuc_buffer_release(buffer);
    cuc_kernel_release(kernel);
    cuc_object_release(object);
    cuc_program_release(program);
    cuc_stream_release(stream);
    return !right;
}
