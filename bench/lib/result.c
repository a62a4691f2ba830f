// Stores the results of a session.
#include "base/array.h"
#include "session.h"

#include <math.h>
#include <stdlib.h>

cuc_bench_result cuc__bench_no_result(const cuc_bench *b)
{
    cuc_bench_result r = { .struct_size = sizeof(r) };
    // All numbers except counts start as unknown.
    double *const numbers[] = {
        &r.median_s,    &r.q1_s,       &r.q3_s,         &r.min_s,  &r.mean_s, &r.ci_low_s,
        &r.ci_high_s,   &r.noise,      &r.cpu_median_s, &r.bytes,  &r.flop,   &r.items,
        &r.bytes_per_s, &r.flop_per_s, &r.items_per_s,  &r.peak,   &r.share,  &r.ratio,
        &r.ratio_low,   &r.ratio_high, &r.limit,        &r.sm_mhz,
    };

    for (size_t i = 0; i < CUC_LENGTH(numbers); i++)
        *numbers[i] = NAN;
    r.suite = b->point->bench_case->suite;
    r.name = b->point->bench_case->name;
    r.axes = b->point->axes;
    return r;
}

cuc_status cuc__bench_add_result(cuc_bench *b, const cuc_bench_result *result, double *samples,
                                 size_t sample_count)
{
    void *array = b->records;
    struct cuc__bench_record *to =
        cuc__bench_grow(&array, &b->record_capacity, b->record_count, sizeof(*to));

    b->records = array;
    if (!to) {
        free(samples);
        return BENCH_NO_MEMORY("a result");
    }
    *to = (struct cuc__bench_record){
        .result = *result, .point = b->point, .samples = samples, .sample_count = sample_count
    };
    to->result.samples_s = samples;
    b->record_count++;
    cuc__bench_tell_result(b, &to->result);
    return CUC_OK;
}

void cuc__bench_results_release(cuc_bench *b)
{
    for (size_t i = 0; i < b->record_count; i++)
        free(b->records[i].samples);
    free(b->records);
}

size_t cuc_bench_result_count(const cuc_bench *bench)
{
    return bench ? bench->record_count : 0;
}

cuc_status cuc_bench_get_result(cuc_bench_result *out, const cuc_bench *bench, size_t index)
{
    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(bench);
    if (index >= bench->record_count)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "index is %zu, there are %zu results", index,
                          bench->record_count);
    return BENCH_WRITE(out, &bench->records[index].result, cuc_bench_result);
}
