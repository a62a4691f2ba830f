// When enough samples were taken.
#ifndef CUCORE_BENCH_LIB_STOP_H
#define CUCORE_BENCH_LIB_STOP_H

#include "fail.h"

struct cuc__bench_rule {
    uint64_t min_samples, max_samples;
    double min_seconds; // unless a limit is met before
    double max_seconds; // min_samples are taken all the same, unless they take ten times as long
    double target;      // relative half width of the median's interval
    bool entropy;
};

// The entropy of the samples' histogram, followed as they come.
struct cuc__bench_entropy {
    struct cuc__bench_bin {
        int32_t at;
        uint32_t count;
    } * bins; // in order of `at`
    size_t bin_count, bin_capacity;
    double weighted; // the sum of count * log2(count)
    double *course;  // the entropy after each sample, in bits
    size_t samples, capacity;
};

cuc_status cuc__bench_entropy_add(struct cuc__bench_entropy *e, double sample);
void cuc__bench_entropy_release(struct cuc__bench_entropy *e);

// Whether more samples tell nothing new: over the later half of them the entropy stayed within 0.15
// of a bit. A value that drifts goes on falling into bins of its own: there it grows by a bit with
// each doubling.
bool cuc__bench_entropy_settled(const struct cuc__bench_entropy *e);

// The CUC_BENCH_STOP_ reason of one subject: CUC_BENCH_STOP_NONE when it needs more samples.
// `samples` are those that were kept, sorted.
int32_t cuc__bench_stop(const struct cuc__bench_rule *rule, const struct cuc__bench_entropy *e,
                        const double *sorted, size_t count);

// The limit that a point has reached, or CUC_BENCH_STOP_NONE.
int32_t cuc__bench_limit(const struct cuc__bench_rule *rule, uint64_t rounds, double seconds);

#endif
