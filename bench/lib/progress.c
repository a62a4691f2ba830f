// Calls the progress callback of a run.
#include "sample.h"
#include "session.h"

static void tell(cuc_bench *b, cuc_bench_progress *p)
{
    p->struct_size = sizeof(*p);
    p->point = b->point_index;
    p->point_count = b->point_count;
    p->suite = b->point->bench_case->suite;
    p->name = b->point->bench_case->name;
    p->axes = b->point->axes;
    if (b->options.progress && b->options.progress(b->options.progress_data, p))
        b->cancelled = true;
}

void cuc__bench_tell_point(cuc_bench *b)
{
    tell(b, &(cuc_bench_progress){ .event = CUC_BENCH_PROGRESS_POINT });
}

void cuc__bench_tell_result(cuc_bench *b, const cuc_bench_result *result)
{
    tell(b, &(cuc_bench_progress){ .event = CUC_BENCH_PROGRESS_RESULT, .result = result });
}

bool cuc__bench_tells_samples(cuc_bench *b)
{
    double now = cuc__bench_now();

    if (!b->options.progress || now - b->told < 0.1)
        return false;
    b->told = now;
    return true;
}

void cuc__bench_tell_samples(cuc_bench *b, const char *subject, uint32_t mode, uint64_t samples,
                             double median_s)
{
    tell(b, &(cuc_bench_progress){ .event = CUC_BENCH_PROGRESS_SAMPLES,
                                   .subject = subject,
                                   .mode = mode,
                                   .samples = samples,
                                   .median_s = median_s });
}
