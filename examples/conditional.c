// Runs a graph with a loop on the device: heat diffuses in a rod until it is nearly steady.
#include "example.h"

#include <math.h>
#include <string.h>

enum { N = 256 };

// The ends stay at 0. The kernel sets `more` if any element changed by more than the limit.
static const char source[] =
    "extern \"C\" __device__ __cudart_builtin__ void\n"
    "cudaGraphSetConditional(unsigned long long handle, unsigned value);\n"
    "extern \"C\" __global__ void step(float *x, int *steps, float limit, unsigned long long "
    "more)\n"
    "{\n"
    "    int i = threadIdx.x;\n"
    "    float to = i && i < blockDim.x - 1 ? x[i] + 0.4f * (x[i - 1] - 2 * x[i] + x[i + 1]) : 0;\n"
    "    int moved = __syncthreads_or(fabsf(to - x[i]) > limit);\n"
    "    x[i] = to;\n"
    "    if (i == 0) {\n"
    "        ++*steps;\n"
    "        cudaGraphSetConditional(more, moved);\n"
    "    }\n"
    "}\n";

static int on_host(float *x, float limit)
{
    static float to[N];
    int moved = 1, steps = 0;

    for (; moved; steps++) {
        moved = 0;
        for (int i = 1; i < N - 1; i++) {
            to[i] = x[i] + 0.4F * (x[i - 1] - 2 * x[i] + x[i + 1]);
            moved |= fabsf(to[i] - x[i]) > limit;
        }
        memcpy(x, to, sizeof(to));
    }
    return steps;
}

int main(void)
{
    static float x0[N];
    cuc_device *device = example_device();
    CUC_SCOPED(cuc_kernel, kernel);
    const float limit = 1e-3F;
    CUC_SCOPED(cuc_stream, stream);
    CUC_SCOPED(cuc_stream, other);
    cuc_graph *graph, *body, *same;
    CUC_SCOPED(cuc_graph_exec, exec);
    cuc_condition more;
    CUC_SCOPED(cuc_buffer, x);
    CUC_SCOPED(cuc_buffer, count);
    int steps = 0;

    CUC_MUST(cuc_kernel_from_source(&kernel, CUC_SOURCE_CUDA, source, 0, "step", NULL));
    for (int i = 1; i < N / 2; i++)
        x0[i] = 1;
    CUC_MUST(cuc_stream_create(&stream, device, NULL));
    CUC_MUST(cuc_stream_create(&other, device, NULL));
    CUC_MUST(cuc_buffer_create(&x, stream, NULL, sizeof(x0)));
    CUC_MUST(cuc_buffer_create(&count, stream, NULL, sizeof(steps)));
    CUC_MUST(cuc_buffer_write_async(stream, x, 0, x0, sizeof(x0)));
    CUC_MUST(cuc_buffer_fill(stream, count, 0, 0, 4, 4));

    CUC_MUST(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    CUC_MUST(cuc_stream_condition_create(&more, stream, 1, CUC_CONDITION_ASSIGN_DEFAULT));
    CUC_MUST(cuc_stream_add_conditional(&body, 1, stream, more, CUC_CONDITIONAL_WHILE));
    CUC_MUST(cuc_stream_begin_capture_to(other, body, NULL, 0, CUC_CAPTURE_THREAD_LOCAL));
    CUC_MUST(CUC_LAUNCH(other, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { N }), kernel, x, count,
                        limit, more));
    CUC_MUST(cuc_stream_end_capture(&same, other));
    CUC_MUST(cuc_stream_end_capture(&graph, stream));
    CUC_MUST(cuc_graph_instantiate(&exec, graph, NULL));
    CUC_MUST(cuc_graph_exec_launch(stream, exec)); // runs as many steps as needed
    CUC_MUST(cuc_buffer_read_async(stream, &steps, count, 0, sizeof(steps)));
    CUC_MUST(cuc_stream_synchronize(stream));

    int wanted = on_host(x0, limit);
    printf("%d steps in one launch, %d on the host\n", steps, wanted);
    cuc_graph *graphs[] = { same, body, graph };
    for (int i = 0; i < 3; i++)
        cuc_graph_release(graphs[i]);
    // Fused multiply-add rounds differently, so the count may differ by a step or two.
    return abs(steps - wanted) > 2;
}
