#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

size_t cuc__bench_sort(double *values, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[n++] = values[i];
    if (n)
        qsort(values, n, sizeof(*values), by_value);
    return n;
}

double cuc__bench_quantile(const double *sorted, size_t count, double q)
{
    double at = q * (double)(count - 1);
    size_t low = (size_t)at;

    if (low + 1 >= count)
        return sorted[count - 1];
    return sorted[low] + (at - (double)low) * (sorted[low + 1] - sorted[low]);
}

// For any distribution, the number of values below the median is binomial with p = 1/2. The rank is
// the largest one whose tail is at most 2.5 %. Terms beyond eight standard deviations are
// negligible.
size_t cuc__bench_median_rank(size_t count)
{
    double n = (double)count, tail = 0;
    double first = floor(n / 2 - 4 * sqrt(n));
    size_t i = first > 0 ? (size_t)first : 0;
    int sign;

    for (; i < count; i++) {
        double k = (double)i;
        tail += exp(lgamma_r(n + 1, &sign) - lgamma_r(k + 1, &sign) - lgamma_r(n - k + 1, &sign) -
                    n * log(2));
        if (tail > 0.025)
            break;
    }
    return i;
}

void cuc__bench_summarise_sorted(cuc_bench_summary *out, const double *sorted, size_t count)
{
    size_t rank = cuc__bench_median_rank(count);
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    out->count = count;
    out->median = cuc__bench_quantile(sorted, count, 0.5);
    out->q1 = cuc__bench_quantile(sorted, count, 0.25);
    out->q3 = cuc__bench_quantile(sorted, count, 0.75);
    out->min = sorted[0];
    out->max = sorted[count - 1];
    out->mean = sum / (double)count;
    out->ci_low = sorted[rank ? rank - 1 : 0];
    out->ci_high = sorted[rank ? count - rank : count - 1];
    out->noise = out->median > 0 ? (out->q3 - out->q1) / out->median : 0;
}

cuc_status cuc_bench_summarise(cuc_bench_summary *out, const double *values, size_t count)
{
    cuc_bench_summary s = { .struct_size = sizeof(s) };

    BENCH_CHECK_NOT_NULL(out);
    BENCH_CHECK_NOT_NULL(values);
    double *sorted = malloc((count ? count : 1) * sizeof(*sorted));
    if (!sorted)
        return BENCH_NO_MEMORY("the samples in order");
    if (count)
        memcpy(sorted, values, count * sizeof(*sorted));
    size_t n = cuc__bench_sort(sorted, count);
    if (n)
        cuc__bench_summarise_sorted(&s, sorted, n);
    free(sorted);
    if (!n)
        return BENCH_FAIL(CUC_ERROR_INVALID_ARGUMENT, "none of %zu values is a number", count);
    return BENCH_WRITE(out, &s, cuc_bench_summary);
}
