#include "interval.h"

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double z95 = 1.959963984540054; // 97.5 % quantile of the normal distribution

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of_sorted(const double *v, size_t n)
{
    return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

// Return the ratio of the median's variance to its variance for independent samples; at least 1.
// The estimate counts the samples below the median in batches of neighboring samples, and divides
// the variance of the counts by the binomial variance.
static double inflation(const double *samples, size_t count, double median)
{
    size_t size = (size_t)sqrt((double)count); // batch size, and also the number of batches
    size_t batches = count / size;
    double sum = 0;

    if (batches < 5)
        return 1;
    for (size_t b = 0; b < batches; b++) {
        double below = 0;
        for (size_t i = b * size; i < (b + 1) * size; i++)
            below += samples[i] < median ? 1 : samples[i] > median ? 0 : 0.5;
        double off = below - 0.5 * (double)size;
        sum += off * off;
    }
    double variance = sum / (double)(batches - 1);
    return fmax(1, variance / (0.25 * (double)size));
}

bool interval_of_samples(interval *out, const double *samples, size_t count)
{
    if (count < INTERVAL_LEAST_SAMPLES)
        return false;
    double *sorted = cli_allocate(count * sizeof(*sorted));
    memcpy(sorted, samples, count * sizeof(*sorted));
    qsort(sorted, count, sizeof(*sorted), by_value);
    double median = median_of_sorted(sorted, count);

    // Ranks that bracket the median: the number of samples below it is binomial, here approximated
    // by a normal distribution.
    double n = (double)count;
    double half = z95 * 0.5 * sqrt(n * inflation(samples, count, median));
    double low = floor((n - 1) / 2 - half);
    double high = ceil((n - 1) / 2 + half);
    *out = (interval){ .median = median,
                       .low = sorted[(size_t)fmax(0, low)],
                       .high = sorted[(size_t)fmin(n - 1, high)] };
    free(sorted);
    return true;
}

// Derive limits for the difference of two logarithms from the limits of each. The distances to the
// limits add in quadrature like independent errors, separately on each side, so asymmetric
// intervals stay asymmetric (method of variance estimates recovery, G. Zou and A. Donner, 2008).
interval interval_of_ratio(const interval *a, const interval *b)
{
    double ratio = log(b->median / a->median);
    double down = hypot(log(b->median / b->low), log(a->high / a->median));
    double up = hypot(log(b->high / b->median), log(a->median / a->low));

    return (interval){ .median = exp(ratio), .low = exp(ratio - down), .high = exp(ratio + up) };
}
