// Captures steps of heat diffusion in a rod, launches them as one graph, and updates the graph.
#include "example.h"

#include <math.h>

enum { N = 4096, STEPS = 16, LAUNCHES = 20 };

static const char source[] =
    "extern \"C\" __global__ void step(float *to, const float *from, float k, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i > 0 && i < n - 1)\n"
    "        to[i] = from[i] + k * (from[i - 1] - 2 * from[i] + from[i + 1]);\n"
    "}\n";

// Captures the work without running it.
static cuc_graph *capture(cuc_stream *stream, cuc_kernel *kernel, cuc_buffer *rod[2], float k)
{
    cuc_graph *graph;

    CUC_MUST(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    for (int s = 0; s < STEPS; s++)
        CUC_MUST(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { N / 256 }, .block = { 256 }),
                            kernel, rod[(s + 1) % 2], rod[s % 2], k, N));
    CUC_MUST(cuc_stream_end_capture(&graph, stream));
    return graph;
}

static void on_host(float (*rod)[N], float k)
{
    for (int s = 0; s < STEPS; s++)
        for (int i = 1; i < N - 1; i++) {
            const float *from = rod[s % 2];
            rod[(s + 1) % 2][i] = from[i] + k * (from[i - 1] - 2 * from[i] + from[i + 1]);
        }
}

int main(void)
{
    static float expected[2][N], result[N];
    cuc_device *device = example_device();
    CUC_SCOPED(cuc_kernel, kernel);
    CUC_SCOPED(cuc_graph_exec, exec);
    cuc_buffer *rod[2];
    CUC_SCOPED(cuc_stream, stream);
    double error = 0;

    CUC_MUST(cuc_kernel_from_source(&kernel, CUC_SOURCE_CUDA, source, 0, "step", NULL));
    for (int i = 0; i < N; i++)
        expected[0][i] = expected[1][i] = (float)(i % 97);
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    for (int b = 0; b < 2; b++) {
        CUC_MUST(cuc_buffer_create(&rod[b], stream, NULL, sizeof(result)));
        CUC_MUST(cuc_buffer_write_async(stream, rod[b], 0, expected[b], sizeof(result)));
    }

    cuc_graph *slow = capture(stream, kernel, rod, 0.1F),
              *fast = capture(stream, kernel, rod, 0.4F);
    CUC_MUST(cuc_graph_instantiate(&exec, slow, CUC_GRAPH_EXEC_OPTIONS(.upload = stream)));
    for (int l = 0; l < LAUNCHES; l++) {
        if (l == LAUNCHES / 2) // only an argument changed, so the instance can be updated
            CUC_MUST(cuc_graph_exec_update(exec, fast));
        CUC_MUST(cuc_graph_exec_launch(stream, exec));
        on_host(expected, l < LAUNCHES / 2 ? 0.1F : 0.4F);
    }
    CUC_MUST(cuc_buffer_read_async(stream, result, rod[0], 0, sizeof(result)));
    CUC_MUST(cuc_stream_synchronize(stream));
    for (int i = 0; i < N; i++)
        error = fmax(error, fabs((double)result[i] - (double)expected[0][i]));
    printf("%d launches of %d kernels each, largest error %g\n", LAUNCHES, STEPS, error);

    cuc_graph_release(slow);
    cuc_graph_release(fast);
    for (int b = 0; b < 2; b++)
        cuc_buffer_release(rod[b]);
    // Each side rounds four times per step, by at most 2^-15; each step averages earlier errors.
    return error > 2 * 4 * STEPS * LAUNCHES * ldexp(1, -15);
}
