// Times two user kernels against each other: SAXPY with one and with four floats per thread.
#include "example.h"

#include <cucore/bench.h>

enum { N = 1 << 20 };

static const char source[] =
    "extern \"C\" __global__ void one(const float *x, const float *y, float *z) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    z[i] = 2 * x[i] + y[i];\n"
    "}\n"
    "extern \"C\" __global__ void four(const float4 *x, const float4 *y, float4 *z) {\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float4 u = x[i], v = y[i];\n"
    "    z[i] = make_float4(2 * u.x + v.x, 2 * u.y + v.y, 2 * u.z + v.z, 2 * u.w + v.w);\n"
    "}\n";

static cuc_bench_input *in[3]; // x, y and z, in several sets that runs use in rotation

static cuc_status run(void *kernel, cuc_stream *stream, uint64_t set)
{
    uint32_t floats = strcmp(cuc_kernel_name(kernel), "four") == 0 ? 4 : 1;

    return CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { N / 256 / floats }, .block = { 256 }),
                      kernel, cuc_bench_input_ptr(in[0], set), cuc_bench_input_ptr(in[1], set),
                      cuc_bench_input_ptr(in[2], set));
}

static cuc_status check_run(void *kernel, cuc_stream *stream, char *why, size_t why_size)
{
    static float a[3][N];

    (void)kernel, (void)stream;
    for (int i = 0; i < 3; i++)
        CUC_MUST(cuc_bench_input_read(a[i], in[i], 0));
    for (int i = 0; i < N; i++)
        if (a[2][i] != 2 * a[0][i] + a[1][i]) // 2 * x is exact, so both sides round once
            return snprintf(why, why_size, "z[%d] is %g", i, (double)a[2][i]) > 0;
    return CUC_OK;
}

static cuc_status setup(cuc_bench_state *state, void *kernels)
{
    for (int i = 0; i < 3; i++) // the library overwrites z before each check
        CUC_MUST(cuc_bench_state_add_input(
            &in[i], state,
            CUC_BENCH_INPUT(.count = N, .dtype = CUC_F32,
                            .flags = i == 2 ? CUC_BENCH_INPUT_RESULT : 0)));
    CUC_MUST(cuc_bench_state_set_work(state, CUC_BENCH_WORK(.bytes = 12.0 * N)));
    for (uint32_t i = 0; i < 2; i++)
        CUC_MUST(cuc_bench_state_add_subject(
            state,
            CUC_BENCH_SUBJECT(.name = i ? "four" : "one", .data = ((cuc_kernel **)kernels)[i],
                              .run = run, .check = check_run, .flags = i ? 0 : CUC_BENCH_PEER)));
    return CUC_OK;
}

int main(void)
{
    cuc_kernel *kernels[2];
    cuc_bench_result r = CUC_BENCH_RESULT_INIT;
    cuc_bench *bench;

    (void)example_device();
    CUC_MUST(cuc_kernel_from_source(&kernels[0], CUC_SOURCE_CUDA, source, 0, "one", NULL));
    CUC_MUST(cuc_kernel_from_source(&kernels[1], CUC_SOURCE_CUDA, source, 0, "four", NULL));
    CUC_MUST(cuc_bench_create(&bench, CUC_BENCH_OPTIONS(.flags = CUC_BENCH_QUICK)));
    CUC_MUST(cuc_bench_add_case(bench, CUC_BENCH_CASE(.suite = "example", .name = "saxpy",
                                                      .setup = setup, .data = kernels)));
    CUC_MUST(cuc_bench_run(bench, NULL));
    for (size_t i = 0; i < cuc_bench_result_count(bench); i++) {
        CUC_MUST(cuc_bench_get_result(&r, bench, i));
        printf("%-4s %9.2f us %8.1f GB/s %s\n", r.subject, r.median_s * 1e6, r.bytes_per_s / 1e9,
               r.reason ? r.reason : cuc_bench_verdict_name(r.verdict));
    }
    cuc_kernel_release(kernels[0]);
    cuc_kernel_release(kernels[1]);
    cuc_bench_release(bench);
    return r.outcome == CUC_BENCH_MEASURED ? 0 : 1;
}
