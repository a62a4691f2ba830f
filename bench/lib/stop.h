// Decides when there are enough samples.
#ifndef CUCORE_BENCH_LIB_STOP_H
#define CUCORE_BENCH_LIB_STOP_H

#include "fail.h"

struct cuc__bench_rule {
    uint64_t min_samples, max_samples;
    double min_seconds; // unless a limit is reached first
    double max_seconds; // min_samples are taken even so, unless they take ten times as long
    double target;      // relative half-width of the median's confidence interval
    bool entropy;
};

// The entropy of the samples' histogram, updated incrementally.
struct cuc__bench_entropy {
    struct cuc__bench_bin {
        int32_t at;
        uint32_t count;
    } * bins; // sorted by `at`
    size_t bin_count, bin_capacity;
    double weighted; // sum of count * log2(count)
    double *course;  // the entropy after each sample, in bits
    size_t samples, capacity;
};

cuc_status cuc__bench_entropy_add(struct cuc__bench_entropy *e, double sample);
void cuc__bench_entropy_release(struct cuc__bench_entropy *e);

// Return whether more samples would add no information: the entropy stayed within 0.15 bit over the
// later half of the samples. A drifting value keeps opening new bins, so its entropy grows by one
// bit whenever the number of samples doubles.
bool cuc__bench_entropy_settled(const struct cuc__bench_entropy *e);

// Return why sampling of one subject can stop, as a CUC_BENCH_STOP_ constant; CUC_BENCH_STOP_NONE
// if it needs more samples. `samples` are the kept samples, sorted.
int32_t cuc__bench_stop(const struct cuc__bench_rule *rule, const struct cuc__bench_entropy *e,
                        const double *sorted, size_t count);

// Return the limit that a point has reached, or CUC_BENCH_STOP_NONE.
int32_t cuc__bench_limit(const struct cuc__bench_rule *rule, uint64_t rounds, double seconds);

#endif
