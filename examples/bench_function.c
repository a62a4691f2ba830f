// Times two C functions against each other without a GPU: a sum in one chain of additions, and in
// eight.
#include "example.h"

#include <cucore/bench.h>
#include <math.h>

enum { N = 1 << 16 };

static cuc_bench_input *x; // random numbers
static float result;

static float chains(const float *a, int count)
{
    float sums[8] = { 0 };

    for (int i = 0; i < N; i += count)
        for (int k = 0; k < count; k++)
            sums[k] += a[i + k];
    return sums[0] + sums[1] + sums[2] + sums[3] + sums[4] + sums[5] + sums[6] + sums[7];
}

static cuc_status run_one(void *data, cuc_stream *stream, uint64_t set)
{
    (void)data, (void)stream; // there is no stream
    result = chains(cuc_bench_input_host(x, set), 1);
    return CUC_OK;
}

static cuc_status run_eight(void *data, cuc_stream *stream, uint64_t set)
{
    (void)data, (void)stream;
    result = chains(cuc_bench_input_host(x, set), 8);
    return CUC_OK;
}

static cuc_status check_sum(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    const float *a = cuc_bench_input_host(x, 0);
    double sum = 0;

    (void)data, (void)stream;
    for (int i = 0; i < N; i++)
        sum += (double)a[i];
    if (fabs((double)result - sum) > 0.05)
        return snprintf(why, why_size, "%g instead of %g", (double)result, sum) > 0;
    return CUC_OK;
}

static cuc_status setup(cuc_bench_state *state, void *data)
{
    (void)data;
    CUC_MUST(cuc_bench_state_set_work(state, CUC_BENCH_WORK(.items = N, .item = "additions")));
    CUC_MUST(cuc_bench_state_add_input(
        &x, state, CUC_BENCH_INPUT(.count = N, .dtype = CUC_F32, .flags = CUC_BENCH_INPUT_HOST)));
    CUC_MUST(cuc_bench_state_add_subject(
        state, CUC_BENCH_SUBJECT(.name = "one", .run = run_one, .check = check_sum,
                                 .kind = CUC_BENCH_KIND_CPU, .flags = CUC_BENCH_PEER)));
    return cuc_bench_state_add_subject(state, CUC_BENCH_SUBJECT(.name = "eight", .run = run_eight,
                                                                .check = check_sum,
                                                                .kind = CUC_BENCH_KIND_CPU));
}

int main(void)
{
    cuc_bench_result r = CUC_BENCH_RESULT_INIT;
    cuc_bench *bench;

    CUC_MUST(cuc_bench_create(&bench, CUC_BENCH_OPTIONS(.flags = CUC_BENCH_NO_DEVICE)));
    CUC_MUST(
        cuc_bench_add_case(bench, CUC_BENCH_CASE(.suite = "example", .name = "sum", .setup = setup,
                                                 .flags = CUC_BENCH_CASE_NO_DEVICE)));
    CUC_MUST(cuc_bench_run(bench, NULL));
    for (size_t i = 0; i < cuc_bench_result_count(bench); i++) {
        CUC_MUST(cuc_bench_get_result(&r, bench, i));
        printf("%-5s %8.2f us %6.2f G additions/s %s\n", r.subject, r.median_s * 1e6,
               r.items_per_s / 1e9, r.reason ? r.reason : cuc_bench_verdict_name(r.verdict));
    }
    cuc_bench_release(bench);
    return r.outcome == CUC_BENCH_MEASURED ? 0 : 1;
}
