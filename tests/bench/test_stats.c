// Tests statistics and verdicts with known distributions.
#include "base/array.h"
#include "stats.h"

#include "bench_testing.h"

CASE("all", .timeout = 60);

TEST(quartiles_lie_between_neighbors)
{
    static const double values[] = { 9, 1, 5, NAN, 3, 7 }; // 1 3 5 7 9
    cuc_bench_summary s = CUC_BENCH_SUMMARY_INIT;

    ck_ok(cuc_bench_summarise(&s, values, 6));
    ck_assert_uint_eq(s.count, 5);
    ck_assert_double_eq(s.median, 5);
    ck_assert_double_eq(s.q1, 3);
    ck_assert_double_eq(s.q3, 7);
    ck_assert_double_eq(s.min, 1);
    ck_assert_double_eq(s.max, 9);
    ck_assert_double_eq(s.mean, 5);
    ck_assert_double_eq(s.noise, 0.8);
    ck_assert_double_eq(s.ci_low, 1); // five are too few for a 95 % interval
    ck_assert_double_eq(s.ci_high, 9);
    ck_ok(cuc_bench_summarise(&s, (const double[]){ 4, 1, 3, 2 }, 4));
    ck_assert_double_eq(s.median, 2.5);
    ck_assert_double_eq(s.q1, 1.75);
    ck_assert_double_eq(s.q3, 3.25);
}

// From printed tables of the sign test: the number of samples, and the rank of the interval's lower
// end.
static const size_t ranks[][2] = {
    { 1, 0 },   { 5, 0 },   { 6, 1 },   { 8, 1 },   { 9, 2 },    { 10, 2 },  { 12, 3 },
    { 15, 4 },  { 17, 5 },  { 20, 6 },  { 25, 8 },  { 30, 10 },  { 40, 14 }, { 50, 18 },
    { 60, 22 }, { 70, 27 }, { 80, 31 }, { 90, 36 }, { 100, 40 },
};

TEST_ROWS(the_medians_interval_has_the_ranks_of_the_sign_test, ranks)
{
    ck_assert_uint_eq(cuc__bench_median_rank(ranks[_i][0]), ranks[_i][1]);
}

TEST(for_many_samples_the_rank_is_near_the_normal_approximation)
{
    for (size_t n = 1000; n <= 1000000; n *= 10) {
        double expected = ((double)n - 1.959964 * sqrt((double)n)) / 2;
        ck_assert_double_le(fabs((double)cuc__bench_median_rank(n) - expected), 1.5);
    }
}

static const struct distribution {
    const char *name;
    double (*draw)(uint64_t *state);
    double median;
    int count;
} distributions[] = {
    { "normal", test_normal, 0, 21 },
    { "normal", test_normal, 0, 100 },
    { "exponential", test_exponential, 0.6931471805599453, 20 },
    { "exponential", test_exponential, 0.6931471805599453, 301 },
    { "uniform", test_uniform, 0.5, 50 },
};

// 95 % of 4000 intervals contain the median, or slightly more because ranks are integers. Three
// standard deviations of this fraction are 1 %.
TEST_ROWS(the_medians_interval_contains_it_with_its_confidence, distributions)
{
    const struct distribution *d = &distributions[_i];
    enum { TRIALS = 4000 };
    uint64_t state = 12345 + (uint64_t)_i;
    int held = 0;
    double values[512];

    for (int t = 0; t < TRIALS; t++) {
        cuc_bench_summary s = CUC_BENCH_SUMMARY_INIT;
        for (int i = 0; i < d->count; i++)
            values[i] = d->draw(&state);
        ck_ok(cuc_bench_summarise(&s, values, (size_t)d->count));
        held += s.ci_low <= d->median && d->median <= s.ci_high;
    }
    ck_assert_msg(held >= 0.94 * TRIALS && held <= 0.985 * TRIALS, "%s, %d samples: %d of %d",
                  d->name, d->count, held, TRIALS);
}

TEST(samples_that_cannot_be_summarized_are_reported)
{
    cuc_bench_summary s = CUC_BENCH_SUMMARY_INIT, sizeless = { 0 };
    const double none[] = { NAN, NAN };

    s.median = 42;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_summarise(&s, none, 2), "none of 2 values");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_summarise(&s, none, 0), "none of 0 values");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_summarise(&s, NULL, 2), "values is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_summarise(NULL, none, 2), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_summarise(&sizeless, (const double[]){ 1 }, 1),
             "struct_size is 0");
    ck_assert_double_eq(s.median, 42);
}

// Pairs of samples: the subject takes `slower` times as long, each side has its own noise, and both
// share a clock that drifts by 20 %.
static const struct pairs {
    const char *name;
    double slower, noise;
    int count;
    int32_t expected;
} pairs[] = {
    { "equal", 1, 0.002, 50, CUC_BENCH_SAME },
    { "3 % slower", 1.03, 0.002, 50, CUC_BENCH_SLOWER },
    { "3 % slower with a noise of 1 %", 1.03, 0.01, 100, CUC_BENCH_SLOWER },
    { "3 % faster", 0.97, 0.002, 50, CUC_BENCH_FASTER },
    { "half a per cent slower", 1.005, 0.001, 100, CUC_BENCH_SAME },
    { "equal and far too noisy", 1, 0.3, 20, CUC_BENCH_UNSURE },
    { "3 % slower and far too noisy", 1.03, 0.3, 20, CUC_BENCH_UNSURE },
    { "twice as fast with a noise of 20 %", 0.5, 0.2, 30, CUC_BENCH_FASTER },
};

static void make_pairs(double *subject, double *peer, const struct pairs *p, uint64_t *state)
{
    for (int i = 0; i < p->count; i++) {
        double clock = 1 + 0.2 * i / p->count;
        subject[i] = 1e-5 * clock * p->slower * exp(p->noise * test_normal(state));
        peer[i] = 1e-5 * clock * exp(p->noise * test_normal(state));
    }
}

TEST_ROWS(pairs_get_the_verdict_for_their_true_ratio, pairs)
{
    const struct pairs *p = &pairs[_i];
    cuc_bench_comparison c = CUC_BENCH_COMPARISON_INIT;
    uint64_t state = 77;
    double subject[128], peer[128];

    make_pairs(subject, peer, p, &state);
    ck_ok(cuc_bench_compare_pairs(&c, subject, peer, (size_t)p->count, NULL));
    ck_assert_msg(c.verdict == p->expected, "%s: %s, %g (%g to %g)", p->name,
                  cuc_bench_verdict_name(c.verdict), c.ratio, c.low, c.high);
    ck_assert_double_le(c.low, c.ratio);
    ck_assert_double_ge(c.high, c.ratio);
}

TEST(equal_subjects_are_rarely_called_different)
{
    static const struct pairs equal = { "equal", 1, 0.05, 40, 0 };
    uint64_t state = 99;
    double subject[128], peer[128];
    int wrong = 0;

    for (int i = 0; i < 2000; i++) {
        cuc_bench_comparison c = CUC_BENCH_COMPARISON_INIT;
        make_pairs(subject, peer, &equal, &state);
        ck_ok(cuc_bench_compare_pairs(&c, subject, peer, (size_t)equal.count, NULL));
        wrong += c.verdict == CUC_BENCH_FASTER || c.verdict == CUC_BENCH_SLOWER;
    }
    ck_assert_int_le(wrong, 120); // 5 %, with a margin for chance
}

TEST(a_pair_with_a_discarded_sample_is_omitted)
{
    const double subject[] = { 2, NAN, 2, 100, 2, 7, 0, 2, 2, 2 },
                 peer[] = { 1, 1, 1, NAN, 1, 0, 1, 1, 1, 1 };
    cuc_bench_comparison c = CUC_BENCH_COMPARISON_INIT;

    ck_ok(cuc_bench_compare_pairs(&c, subject, peer, CUC_LENGTH(subject), NULL));
    ck_assert_double_eq(c.ratio, 2);
    ck_assert_double_eq(c.low, 2);
    ck_assert_double_eq(c.high, 2);
    ck_assert_int_eq(c.verdict, CUC_BENCH_SLOWER);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_bench_compare_pairs(&c, subject + 1, peer + 1, 1, NULL), "none of 1 pairs");
}

// The range from the smallest to the largest of five ratios contains the median less often than an
// interval should.
TEST(fewer_than_six_pairs_have_no_verdict)
{
    const double subject[] = { 2, 2, 2, 2, 2, 2 }, peer[] = { 1, 1, 1, 1, 1, 1 };
    cuc_bench_comparison c = CUC_BENCH_COMPARISON_INIT;

    for (size_t count = 1; count <= 6; count++) {
        ck_ok(cuc_bench_compare_pairs(&c, subject, peer, count, NULL));
        ck_assert_int_eq(c.verdict, count < 6 ? CUC_BENCH_UNSURE : CUC_BENCH_SLOWER);
        ck_assert_double_eq(c.ratio, 2);
    }
}

TEST(the_caller_sets_the_thresholds)
{
    const double subject[] = { 1.04, 1.04, 1.04, 1.04, 1.04, 1.04 }, peer[] = { 1, 1, 1, 1, 1, 1 };
    cuc_bench_comparison c = CUC_BENCH_COMPARISON_INIT;

    ck_ok(cuc_bench_compare_pairs(&c, subject, peer, 6, NULL));
    ck_assert_int_eq(c.verdict, CUC_BENCH_SLOWER);
    ck_ok(cuc_bench_compare_pairs(&c, subject, peer, 6, CUC_BENCH_THRESHOLDS(.same_within = 0.05)));
    ck_assert_int_eq(c.verdict, CUC_BENCH_SAME);
    ck_ok(cuc_bench_compare_pairs(&c, subject, peer, 6, CUC_BENCH_THRESHOLDS(.noise_floor = 0.05)));
    ck_assert_int_eq(c.verdict, CUC_BENCH_UNSURE);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_bench_compare_pairs(&c, subject, peer, 6, CUC_BENCH_THRESHOLDS(.noise_floor = -1)),
             "expected 0 or more");
}

TEST(two_runs_are_compared_by_medians_and_intervals)
{
    cuc_bench_summary a = CUC_BENCH_SUMMARY_INIT, b = CUC_BENCH_SUMMARY_INIT;
    cuc_bench_comparison c = CUC_BENCH_COMPARISON_INIT;

    a.median = 103, a.ci_low = 103 * exp(-0.0003), a.ci_high = 103 * exp(0.0003);
    b.median = 100, b.ci_low = 100 * exp(-0.0004), b.ci_high = 100 * exp(0.0004);
    ck_ok(cuc_bench_compare_summaries(&c, &a, &b, NULL));
    ck_assert_double_eq_tol(c.ratio, 1.03, 1e-12);
    ck_assert_double_eq_tol(c.low, 1.03 * exp(-0.0005), 1e-9); // from the ratios 3, 4 and 5
    ck_assert_double_eq_tol(c.high, 1.03 * exp(0.0005), 1e-9);
    ck_assert_int_eq(c.verdict, CUC_BENCH_SLOWER);
    ck_ok(cuc_bench_compare_summaries(&c, &b, &a, NULL));
    ck_assert_int_eq(c.verdict, CUC_BENCH_FASTER);
    ck_ok(cuc_bench_compare_summaries(&c, &b, &b, NULL));
    ck_assert_int_eq(c.verdict, CUC_BENCH_SAME);
    a.count = 6;
    b.count = 5; // the interval then spans all samples
    ck_ok(cuc_bench_compare_summaries(&c, &a, &b, NULL));
    ck_assert_int_eq(c.verdict, CUC_BENCH_UNSURE);
    b.count = 6;
    ck_ok(cuc_bench_compare_summaries(&c, &a, &b, NULL));
    ck_assert_int_eq(c.verdict, CUC_BENCH_SLOWER);
    b.ci_low = 0, b.ci_high = 1000;
    ck_ok(cuc_bench_compare_summaries(&c, &a, &b, NULL));
    ck_assert_int_eq(c.verdict, CUC_BENCH_UNSURE);
    ck_assert_double_ge(c.low, 0);
    b.median = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_compare_summaries(&c, &a, &b, NULL),
             "the medians are 103 and 0");
}

int main(void)
{
    return run_tests("bench_stats");
}
