// Tests with made-up samples when sampling stops, and which samples a low clock spoils.
#include "base/array.h"
#include "clocks.h"
#include "stats.h"
#include "stop.h"

#include "bench_testing.h"

static const struct cuc__bench_rule rule = {
    .min_samples = 20, .max_samples = 5000, .max_seconds = 100, .target = 0.005, .entropy = true
};

// Sources of samples: each returns sample number i.
static double constant(int i, uint64_t *state)
{
    (void)i;
    (void)state;
    return 1e-5;
}

static double quiet(int i, uint64_t *state)
{
    (void)i;
    return 1e-5 * (1 + 0.002 * test_normal(state));
}

static double noisy(int i, uint64_t *state)
{
    (void)i;
    return 1e-5 * (1 + 0.1 * test_uniform(state));
}

static double two_levels(int i, uint64_t *state)
{
    (void)i;
    return test_random(state) & 1 ? 1e-5 : 1.2e-5;
}

static double drifting(int i, uint64_t *state)
{
    (void)state;
    return 1e-5 * pow(1.005, i);
}

static double warming(int i, uint64_t *state)
{
    return i < 300 ? 1e-5 * (1 + (300 - i) * 0.01) : quiet(i, state);
}

static const struct stream {
    const char *name;
    double (*at)(int i, uint64_t *state);
    bool entropy;
    int32_t expected;
    int least, most; // limits of the number of samples
} streams[] = {
    { "constant", constant, true, CUC_BENCH_STOP_CONFIDENCE, 20, 20 },
    { "quiet", quiet, true, CUC_BENCH_STOP_CONFIDENCE, 20, 25 },
    { "noisy", noisy, true, CUC_BENCH_STOP_ENTROPY, 50, 1000 },
    { "noisy, by confidence alone", noisy, false, CUC_BENCH_STOP_CONFIDENCE, 100, 1500 },
    { "two levels", two_levels, true, CUC_BENCH_STOP_ENTROPY, 20, 100 },
    { "two levels, by confidence alone", two_levels, false, CUC_BENCH_STOP_MAX_SAMPLES, 5000,
      5000 },
    { "drifting", drifting, true, CUC_BENCH_STOP_MAX_SAMPLES, 5000, 5000 },
    { "warming up for 300 samples", warming, true, CUC_BENCH_STOP_CONFIDENCE, 300, 5000 },
};

CASE("all", .timeout = 60);

TEST_ROWS(sampling_stops_at_the_right_time_for_the_right_reason, streams)
{
    const struct stream *s = &streams[_i];
    struct cuc__bench_rule r = rule;
    struct cuc__bench_entropy e = { 0 };
    uint64_t state = 4242;
    double *values = malloc(5000 * sizeof(*values)), *sorted = malloc(5000 * sizeof(*sorted));
    int32_t why = CUC_BENCH_STOP_NONE;
    int n = 0;

    ck_assert(values && sorted);
    r.entropy = s->entropy;
    while (why == CUC_BENCH_STOP_NONE) {
        values[n] = s->at(n, &state);
        ck_ok(cuc__bench_entropy_add(&e, values[n++]));
        if (n < 200 || n % 10 == 0) {
            memcpy(sorted, values, (size_t)n * sizeof(*sorted));
            why = cuc__bench_stop(&r, &e, sorted, cuc__bench_sort(sorted, (size_t)n));
        }
        if (why == CUC_BENCH_STOP_NONE)
            why = cuc__bench_limit(&r, (uint64_t)n, 0);
    }
    ck_assert_msg(why == s->expected && n >= s->least && n <= s->most, "%s: %s after %d", s->name,
                  cuc_bench_stop_name(why), n);
    cuc__bench_entropy_release(&e);
    free(values);
    free(sorted);
}

TEST(entropy_is_that_of_the_histogram)
{
    struct cuc__bench_entropy e = { 0 };

    for (int i = 0; i < 64; i++)
        ck_ok(cuc__bench_entropy_add(&e, 1e-5 * (1 + i % 8)));
    ck_assert_double_eq_tol(e.course[0], 0, 1e-12);
    ck_assert_double_eq_tol(e.course[1], 1, 1e-12);
    ck_assert_double_eq_tol(e.course[63], 3, 1e-12); // eight bins with eight samples each
    ck_assert_uint_eq(e.bin_count, 8);
    cuc__bench_entropy_release(&e);
}

static const struct {
    uint64_t rounds;
    double seconds;
    int32_t expected;
} limits[] = {
    { 19, 99, CUC_BENCH_STOP_NONE },          { 20, 99, CUC_BENCH_STOP_NONE },
    { 20, 100, CUC_BENCH_STOP_MAX_SECONDS },  { 19, 101, CUC_BENCH_STOP_NONE },
    { 19, 1000, CUC_BENCH_STOP_MAX_SECONDS }, { 4999, 1, CUC_BENCH_STOP_NONE },
    { 5000, 1, CUC_BENCH_STOP_MAX_SAMPLES },
};

TEST_ROWS(limits_end_sampling_that_does_not_converge, limits)
{
    ck_assert_int_eq(cuc__bench_limit(&rule, limits[_i].rounds, limits[_i].seconds),
                     limits[_i].expected);
}

// Clock readings: `usual` MHz, except for samples `from` up to `to`, which have `low` and
// `throttle`.
static const struct clocks {
    const char *name;
    uint32_t usual, low;
    uint64_t throttle;
    int from, to, discarded;
} clock_streams[] = {
    { "steady", 1980, 1980, 0, 0, 0, 0 },
    { "a little lower", 1980, 1600, 0, 10, 20, 0 },
    { "far lower for a while", 1980, 1200, 0, 10, 20, 10 },
    { "far lower at the end", 1980, 345, 0, 90, 100, 10 },
    { "at the power limit", 1980, 1500, CUC_THROTTLE_POWER_CAP, 10, 20, 0 },
    { "always at the power limit", 1400, 1400, CUC_THROTTLE_POWER_CAP, 0, 100, 0 },
    { "idle between", 1980, 1980, CUC_THROTTLE_IDLE, 0, 100, 0 },
    { "too warm", 1980, 1900, CUC_THROTTLE_THERMAL, 50, 60, 10 },
    { "slowed by the hardware", 1980, 1900, CUC_THROTTLE_HARDWARE | CUC_THROTTLE_HOT, 0, 40, 40 },
    { "braked", 1980, 1980, CUC_THROTTLE_POWER_BRAKE, 99, 100, 1 },
    { "not known", 0, 0, 0, 0, 0, 0 },
};

TEST_ROWS(samples_with_a_low_clock_are_discarded, clock_streams)
{
    const struct clocks *c = &clock_streams[_i];
    struct cuc__bench_clock clocks[100] = { 0 };
    bool discard[100];
    double median;

    for (int i = 0; i < 100; i++) {
        bool odd = i >= c->from && i < c->to;
        clocks[i].sm_mhz = odd ? c->low : c->usual;
        clocks[i].throttle = odd ? c->throttle : 0;
    }
    size_t n = cuc__bench_clocks_judge(discard, &median, clocks, 100, 0.75);
    ck_assert_msg((int)n == c->discarded, "%s: %zu thrown away", c->name, n);
    ck_assert_double_eq(median, c->to == 100 && c->from == 0 ? c->low : c->usual);
    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(discard[i], c->discarded && i >= c->from && i < c->to);
}

static cuc_status made_up(void *data, cuc_device_sensors *out)
{
    int *reading = data;

    if (*reading == 10)
        return CUC_ERROR_NOT_SUPPORTED;
    out->sm_mhz = (uint32_t)(1000 + 100 * *reading);
    out->memory_mhz = 2619;
    out->throttle = UINT64_C(1) << *reading;
    ++*reading;
    return CUC_OK;
}

TEST(readings_are_counted_until_there_are_none)
{
    static struct cuc__bench_clocks c;
    struct cuc__bench_clock clock, between;
    int reading = 0;
    uint32_t min, median, max;

    ck_assert(!cuc__bench_clocks_range(&c, &min, &median, &max));
    c.read = made_up;
    c.data = &reading;
    struct cuc__bench_clock before = cuc__bench_clocks_read(&c);
    clock = cuc__bench_clocks_read(&c);
    between = cuc__bench_clocks_between(before, clock);
    ck_assert_uint_eq(between.sm_mhz, 1000); // the lower of the two
    ck_assert_uint_eq(between.throttle, 3);  // the reasons of both
    c.interval_s = 1000;                     // the last reading is recent enough
    clock = cuc__bench_clocks_read(&c);
    ck_assert_uint_eq(clock.sm_mhz, 1100);
    ck_assert_int_eq(reading, 2);
    c.interval_s = 0;
    for (int i = 0; i < 20; i++)
        clock = cuc__bench_clocks_read(&c);
    ck_assert_uint_eq(clock.sm_mhz, 0);
    ck_assert_ptr_null((void *)(uintptr_t)(c.read != NULL));
    ck_assert(cuc__bench_clocks_range(&c, &min, &median, &max));
    ck_assert_uint_eq(min, 1000);
    ck_assert_uint_eq(median, 1400);
    ck_assert_uint_eq(max, 1900);
    ck_assert_uint_eq(c.throttle, 0x3FF);
    ck_assert_uint_eq(c.memory_mhz, 2619);
}

int main(void)
{
    return run_tests("bench_stop");
}
