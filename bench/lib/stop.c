#include "stop.h"

#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Return a sample's bin; a bin is a quarter of a percent wide.
static int32_t bin_of(double sample)
{
    return sample > 0 ? (int32_t)lround(log(sample) / log(1.0025)) : INT32_MIN;
}

static double weight(uint32_t count)
{
    return (double)count * log2((double)count);
}

// Return the histogram bin for `at`, creating it if needed.
static struct cuc__bench_bin *bin_for(struct cuc__bench_entropy *e, int32_t at)
{
    size_t low = 0, high = e->bin_count;

    while (low < high) {
        size_t mid = (low + high) / 2;
        if (e->bins[mid].at < at)
            low = mid + 1;
        else
            high = mid;
    }
    if (low < e->bin_count && e->bins[low].at == at)
        return &e->bins[low];
    void *array = e->bins;
    if (!cuc__bench_grow(&array, &e->bin_capacity, e->bin_count, sizeof(*e->bins)))
        return NULL;
    e->bins = array;
    memmove(&e->bins[low + 1], &e->bins[low], (e->bin_count++ - low) * sizeof(*e->bins));
    e->bins[low] = (struct cuc__bench_bin){ at, 0 };
    return &e->bins[low];
}

cuc_status cuc__bench_entropy_add(struct cuc__bench_entropy *e, double sample)
{
    void *course = e->course;

    if (!cuc__bench_grow(&course, &e->capacity, e->samples, sizeof(*e->course)))
        return BENCH_NO_MEMORY("the course of the entropy");
    e->course = course;
    struct cuc__bench_bin *bin = bin_for(e, bin_of(sample));
    if (!bin)
        return BENCH_NO_MEMORY("the histogram");
    e->weighted += weight(bin->count + 1) - (bin->count ? weight(bin->count) : 0);
    bin->count++;
    double n = (double)(e->samples + 1);
    e->course[e->samples++] = log2(n) - e->weighted / n;
    return CUC_OK;
}

void cuc__bench_entropy_release(struct cuc__bench_entropy *e)
{
    free(e->bins);
    free(e->course);
    *e = (struct cuc__bench_entropy){ 0 };
}

bool cuc__bench_entropy_settled(const struct cuc__bench_entropy *e)
{
    size_t count = e->samples / 2;
    const double *later = e->course + (e->samples - count);
    double least = INFINITY, most = -INFINITY;

    if (count < 5)
        return false;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, later[i]);
        most = fmax(most, later[i]);
    }
    return most - least < 0.15;
}

int32_t cuc__bench_stop(const struct cuc__bench_rule *rule, const struct cuc__bench_entropy *e,
                        const double *sorted, size_t count)
{
    size_t rank = cuc__bench_median_rank(count);

    if (count < rule->min_samples || !rank)
        return CUC_BENCH_STOP_NONE;
    double width = sorted[count - rank] - sorted[rank - 1];
    if (width / 2 <= rule->target * cuc__bench_quantile(sorted, count, 0.5))
        return CUC_BENCH_STOP_CONFIDENCE;
    if (rule->entropy && cuc__bench_entropy_settled(e))
        return CUC_BENCH_STOP_ENTROPY;
    return CUC_BENCH_STOP_NONE;
}

int32_t cuc__bench_limit(const struct cuc__bench_rule *rule, uint64_t rounds, double seconds)
{
    if (rounds >= rule->max_samples)
        return CUC_BENCH_STOP_MAX_SAMPLES;
    if (seconds >= rule->max_seconds &&
        (rounds >= rule->min_samples || seconds >= 10 * rule->max_seconds))
        return CUC_BENCH_STOP_MAX_SECONDS;
    return CUC_BENCH_STOP_NONE;
}
