// What is said of a row of samples.
#ifndef CUCORE_BENCH_LIB_STATS_H
#define CUCORE_BENCH_LIB_STATS_H

#include "fail.h"

// Sort in place, those that are not a number left out; how many are left.
size_t cuc__bench_sort(double *values, size_t count);

// Of sorted values: linear between neighbours. count is 1 or more.
double cuc__bench_quantile(const double *sorted, size_t count, double q);

// The rank k, from 1, for which the values of rank k and count + 1 - k hold the median of what was
// sampled with a probability of 95 % at least; 0 when there are too few values for any.
size_t cuc__bench_median_rank(size_t count);

// All of a summary, of sorted values.
void cuc__bench_summarise_sorted(cuc_bench_summary *out, const double *sorted, size_t count);

#endif
