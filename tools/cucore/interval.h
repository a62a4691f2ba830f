// 95 % confidence intervals of medians, and of the ratio of two medians.
#ifndef CUCORE_TOOLS_INTERVAL_H
#define CUCORE_TOOLS_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct interval {
    double median;
    double low;
    double high;
} interval;

enum { INTERVAL_LEAST_SAMPLES = 6 }; // with fewer, the extremes miss 95 %

// Samples are in measuring order and may be dependent: a drifting clock makes neighbours similar
// and widens the interval. Returns false with too few samples.
bool interval_of_samples(interval *out, const double *samples, size_t count);

// Interval of b / a for separate measurements.
interval interval_of_ratio(const interval *a, const interval *b);

#endif
