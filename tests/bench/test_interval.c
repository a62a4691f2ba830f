// Tests confidence intervals with distributions whose median is known.
#include "base/array.h"
#include "interval.h"
#include "tests.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { TRIALS = 1000 };

// xorshift64*: the same numbers on every machine.
static uint64_t state;

static double uniform(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return ((double)(state * UINT64_C(2685821657736338717) >> 11) + 0.5) * 0x1p-53;
}

// Returns a normal number; mean and median are 0.
static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

// ---- Sources of samples, each with a median of 1

typedef void source(double *out, size_t count);

static void uniform_source(double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = 0.5 + uniform();
}

// A long right tail, as measured times have.
static void lognormal_source(double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = exp(0.3 * normal());
}

// A coarse timer: many samples are equal.
static void ticks_source(double *out, size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = 1 + 0.1 * floor(3 * uniform() - 1);
}

// Correlated neighbors, as with a drifting clock: an autoregressive process of order 1.
static void wandering_source(double *out, size_t count)
{
    double x = normal() / sqrt(1 - 0.8 * 0.8);

    for (size_t i = 0; i < count; i++) {
        out[i] = exp(0.01 * x);
        x = 0.8 * x + normal();
    }
}

static const struct {
    source *source;
    size_t count;
    double least; // smallest and largest allowed fraction of intervals that contain the median
    double most;
} coverages[] = {
    { uniform_source, 20, 0.94, 0.99 },
    { uniform_source, 101, 0.94, 0.98 },
    { lognormal_source, 50, 0.94, 0.985 },
    { lognormal_source, 1000, 0.935, 0.98 },
    { ticks_source, 100, 0.94, 1 },
    // Intervals computed for independent samples would contain the median only half of the time.
    { wandering_source, 900, 0.85, 0.97 },
};

CASE("interval", .timeout = 60);

TEST_ROWS(the_interval_contains_the_median_with_its_confidence, coverages)
{
    double samples[1000];
    int held = 0;

    state = UINT64_C(88172645463325252);
    for (int i = 0; i < TRIALS; i++) {
        interval found;
        coverages[_i].source(samples, coverages[_i].count);
        ck_assert(interval_of_samples(&found, samples, coverages[_i].count));
        ck_assert(found.low <= found.median && found.median <= found.high);
        held += found.low <= 1 && 1 <= found.high;
    }
    double share = (double)held / TRIALS;
    ck_assert_msg(share >= coverages[_i].least && share <= coverages[_i].most,
                  "source %d: %.3f of the intervals hold the median", _i, share);
}

TEST(six_samples_are_the_minimum)
{
    static const double samples[] = { 4, 1, 3, 6, 2, 5 };
    interval found;

    ck_assert(!interval_of_samples(&found, samples, 5));
    ck_assert(interval_of_samples(&found, samples, 6));
    ck_assert_double_eq(found.median, 3.5);
    ck_assert_double_eq(found.low, 1); // with 6 samples, the interval spans all of them
    ck_assert_double_eq(found.high, 6);
}

// Two runs of 30 samples each, with medians 1 and 1.1.
TEST(the_interval_of_a_ratio_contains_it_with_its_confidence)
{
    double a[30], b[30];
    interval first, second;
    int held = 0;

    state = UINT64_C(88172645463325252);
    for (int i = 0; i < TRIALS; i++) {
        lognormal_source(a, 30);
        lognormal_source(b, 30);
        for (int k = 0; k < 30; k++)
            b[k] *= 1.1;
        ck_assert(interval_of_samples(&first, a, 30) && interval_of_samples(&second, b, 30));
        interval ratio = interval_of_ratio(&first, &second);
        ck_assert_double_eq_tol(ratio.median, second.median / first.median, 1e-12);
        held += ratio.low <= 1.1 && 1.1 <= ratio.high;
    }
    double share = (double)held / TRIALS;
    ck_assert_msg(share >= 0.94 && share <= 0.99, "%.3f of the intervals hold the ratio", share);
}

TEST(exchanging_the_runs_inverts_the_ratio)
{
    interval a = { 1, 0.99, 1.05 };
    interval b = { 2, 1.9, 2.02 };
    interval up = interval_of_ratio(&a, &b);
    interval down = interval_of_ratio(&b, &a);

    ck_assert_double_eq_tol(up.median * down.median, 1, 1e-12);
    ck_assert_double_eq_tol(up.low * down.high, 1, 1e-12);
    ck_assert_double_eq_tol(up.high * down.low, 1, 1e-12);
    ck_assert_double_lt(up.low, 1.9 / 1.0);
    // The interval is narrower than the quotient of both intervals.
    ck_assert_double_gt(up.low, 1.9 / 1.05);
}

int main(void)
{
    return run_tests("interval");
}
