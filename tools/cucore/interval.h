// 95 % confidence intervals of medians, and of the ratio of two.
#ifndef CUCORE_TOOLS_INTERVAL_H
#define CUCORE_TOOLS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct interval {
    double median;
    double low;
    double high;
} interval;

enum { INTERVAL_LEAST_SAMPLES = 6 }; // with fewer, not even the extremes hold a median so surely

// Of samples in the order of measuring, which need not be independent: a clock that drifts makes
// neighbours alike, and the interval as much wider. False with too few samples.
bool interval_of_samples(interval *out, const double *samples, size_t count);

// Of b / a, which were measured apart.
interval interval_of_ratio(const interval *a, const interval *b);

#endif
