// Judges a subject against its peer.
#include "stats.h"

#include <math.h>
#include <stdlib.h>

static cuc_status read_thresholds(cuc_bench_thresholds *to, const cuc_bench_thresholds *from,
                                  const char *function)
{
    cuc_status st = cuc__bench_read(to, sizeof(*to), from, "cuc_bench_thresholds", function);

    if (st < 0)
        return st;
    if (!(to->same_within >= 0) || !(to->noise_floor >= 0))
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "same_within is %g and noise_floor %g, expected 0 or more",
                               to->same_within, to->noise_floor);
    if (to->same_within == 0)
        to->same_within = 0.01;
    if (to->noise_floor == 0)
        to->noise_floor = 0.005;
    return CUC_OK;
}

// Test SAME first: an interval entirely close to 1 counts as equal even if it does not contain 1.
static int32_t judge(const cuc_bench_comparison *c, const cuc_bench_thresholds *t)
{
    if (c->low >= 1 - t->same_within && c->high <= 1 + t->same_within)
        return CUC_BENCH_SAME;
    if (c->high < 1 && c->ratio < 1 - t->noise_floor)
        return CUC_BENCH_FASTER;
    if (c->low > 1 && c->ratio > 1 + t->noise_floor)
        return CUC_BENCH_SLOWER;
    return CUC_BENCH_UNSURE;
}

cuc_status cuc_bench_compare_pairs(cuc_bench_comparison *out, const double *subject,
                                   const double *peer, size_t count,
                                   const cuc_bench_thresholds *thresholds)
{
    cuc_bench_comparison c = { .struct_size = sizeof(c) };
    cuc_bench_summary s;
    cuc_bench_thresholds t;
    size_t n = 0;

    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(subject);
    BENCH_CHECK_NOT_NULL(peer);
    cuc_status st = read_thresholds(&t, thresholds, __func__);
    if (st < 0)
        return st;
    double *ratio = malloc((count ? count : 1) * sizeof(*ratio));
    if (!ratio)
        return BENCH_NO_MEMORY("the ratios");
    for (size_t i = 0; i < count; i++)
        if (subject[i] > 0 && peer[i] > 0)
            ratio[n++] = subject[i] / peer[i];
    n = cuc__bench_sort(ratio, n);
    if (n)
        cuc__bench_summarise_sorted(&s, ratio, n);
    free(ratio);
    if (!n)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                          "none of %zu pairs has two times above 0: nothing can be compared",
                          count);
    c.ratio = s.median;
    c.low = s.ci_low;
    c.high = s.ci_high;
    // If there are too few pairs for a 95 % interval, the fields hold the extreme ratios.
    c.verdict = cuc__bench_median_rank(n) ? judge(&c, &t) : CUC_BENCH_UNSURE;
    return BENCH_WRITE(out, &c, cuc_bench_comparison);
}

cuc_status cuc_bench_compare_summaries(cuc_bench_comparison *out, const cuc_bench_summary *subject,
                                       const cuc_bench_summary *peer,
                                       const cuc_bench_thresholds *thresholds)
{
    cuc_bench_comparison c = { .struct_size = sizeof(c) };
    cuc_bench_summary a, b;
    cuc_bench_thresholds t;
    cuc_status st;

    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(subject);
    BENCH_CHECK_NOT_NULL(peer);
    if ((st = BENCH_READ(&a, subject, cuc_bench_summary)) < 0 ||
        (st = BENCH_READ(&b, peer, cuc_bench_summary)) < 0 ||
        (st = read_thresholds(&t, thresholds, __func__)) < 0)
        return st;
    if (!(a.median > 0) || !(b.median > 0))
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                          "the medians are %g and %g, expected two times above 0", a.median,
                          b.median);
    // Combine the distances to the median in quadrature, on logarithms and separately for each
    // direction, so that exchanging peer and subject gives the inverse result. The ratio is high if
    // the subject is slow and the peer is fast.
    double up = hypot(log(a.ci_high / a.median), log(b.median / fmax(b.ci_low, 0)));
    double down = hypot(log(a.median / fmax(a.ci_low, 0)), log(b.ci_high / b.median));
    bool few = (a.count && !cuc__bench_median_rank(a.count)) ||
               (b.count && !cuc__bench_median_rank(b.count));
    c.ratio = a.median / b.median;
    c.low = c.ratio * exp(-down);
    c.high = c.ratio * exp(up);
    c.verdict = few ? CUC_BENCH_UNSURE : judge(&c, &t);
    return BENCH_WRITE(out, &c, cuc_bench_comparison);
}
