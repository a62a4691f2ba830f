// Statistics of a set of samples.
#ifndef CUCORE_BENCH_LIB_STATS_H
#define CUCORE_BENCH_LIB_STATS_H

#include "fail.h"

// Sort in place and drop NaN; return the remaining count.
size_t cuc__bench_sort(double *values, size_t count);

// Return a quantile of sorted values by linear interpolation. count is at least 1.
double cuc__bench_quantile(const double *sorted, size_t count, double q);

// Return the rank k, counted from 1, such that the values at ranks k and count + 1 - k enclose the
// median of the distribution with a probability of at least 95 %; 0 if there are too few values.
size_t cuc__bench_median_rank(size_t count);

// Compute a summary of sorted values.
void cuc__bench_summarise_sorted(cuc_bench_summary *out, const double *sorted, size_t count);

#endif
