// 95 % confidence intervals for medians, and for the ratio of two medians.
#ifndef CUCORE_TOOLS_INTERVAL_H
#define CUCORE_TOOLS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct interval {
    double median;
    double low;
    double high;
} interval;

enum { INTERVAL_LEAST_SAMPLES = 6 }; // with fewer, even the extremes do not reach 95 %

// Compute the interval of samples, given in measuring order. They may be dependent: a drifting
// clock makes neighbors similar and widens the interval. Returns false if there are too few
// samples.
bool interval_of_samples(interval *out, const double *samples, size_t count);

// Compute the interval of b / a for separate measurements.
interval interval_of_ratio(const interval *a, const interval *b);

#endif
