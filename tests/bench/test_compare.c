// Tests the verdicts about two runs, and how their results are matched.
#include "base/array.h"
#include "results_compare.h"

#include "documents.h"

#include <math.h>

// ---- Comparison of two results

// Describes a result in a file by the values that decide the verdict.
typedef struct side {
    double median;
    double ci;     // half the interval, as a fraction of the median; 0: not in the file
    double spread; // half the interquartile range, as a fraction of the median
    bool disturbed;
} side;

static const struct {
    const char *name;
    side before;
    side after;
    double threshold;
    compare_verdict verdict;
    const char *why; // appears in the reason
} verdicts[] = {
    { "equal times are the same",
      { 1, 0.002, 0.01, 0 },
      { 1, 0.002, 0.01, 0 },
      0.01,
      COMPARE_SAME,
      "" },
    { "a change below the threshold is the same",
      { 1, 0.001, 0.001, 0 },
      { 1.006, 0.001, 0.001, 0 },
      0.01,
      COMPARE_SAME,
      "" },
    { "three percent more is slower",
      { 1, 0.002, 0.01, 0 },
      { 1.03, 0.002, 0.01, 0 },
      0.01,
      COMPARE_SLOWER,
      "" },
    { "three percent less is faster",
      { 1, 0.002, 0.01, 0 },
      { 0.97, 0.002, 0.01, 0 },
      0.01,
      COMPARE_FASTER,
      "" },
    { "three percent are nothing to a threshold of five",
      { 1, 0.002, 0.01, 0 },
      { 1.03, 0.002, 0.01, 0 },
      0.05,
      COMPARE_SAME,
      "" },
    { "a wide interval with 1 in it is unsure",
      { 1, 0.03, 0.01, 0 },
      { 1.02, 0.03, 0.01, 0 },
      0.01,
      COMPARE_UNSURE,
      "has 1 in it" },
    { "one wide side is enough",
      { 1, 0.001, 0.01, 0 },
      { 1.02, 0.05, 0.01, 0 },
      0.01,
      COMPARE_UNSURE,
      "has 1 in it" },
    { "a change that is sure, but on the threshold",
      { 1, 0.001, 0.001, 0 },
      { 1.0095, 0.001, 0.001, 0 },
      0.01,
      COMPARE_UNSURE,
      "threshold" },
    { "a win within the spread of samples is noise",
      { 1, 0.001, 0.08, 0 },
      { 0.95, 0.001, 0.02, 0 },
      0.01,
      COMPARE_UNSURE,
      "+-8.00 %" },
    { "a loss within the spread of samples is noise",
      { 1, 0.001, 0.02, 0 },
      { 1.05, 0.001, 0.08, 0 },
      0.01,
      COMPARE_UNSURE,
      "+-8.00 %" },
    { "a win beyond it is one",
      { 1, 0.001, 0.08, 0 },
      { 0.8, 0.001, 0.08, 0 },
      0.01,
      COMPARE_FASTER,
      "" },
    { "a disturbed run before decides nothing",
      { 1, 0.002, 0.01, 1 },
      { 2, 0.002, 0.01, 0 },
      0.01,
      COMPARE_UNSURE,
      "OLD was disturbed" },
    { "a disturbed run after decides nothing",
      { 1, 0.002, 0.01, 0 },
      { 1, 0.002, 0.01, 1 },
      0.01,
      COMPARE_UNSURE,
      "NEW was disturbed" },
    { "without an interval nothing is sure",
      { 1, 0, 0.01, 0 },
      { 2, 0.002, 0.01, 0 },
      0.01,
      COMPARE_UNSURE,
      "OLD has no confidence interval" },
};

static results one_result(const side *s)
{
    char text[512], ci[128] = "";

    if (s->ci > 0)
        snprintf(ci, sizeof(ci), "'ci_low_s': %.9g, 'ci_high_s': %.9g, ", s->median * (1 - s->ci),
                 s->median * (1 + s->ci));
    snprintf(text, sizeof(text),
             "{'suite': 's', 'case': 'c', 'axes': {}, 'subject': 'x', 'mode': 'cold', %s"
             "'median_s': %.9g, 'q1_s': %.9g, 'q3_s': %.9g, 'disturbed': %s}",
             ci, s->median, s->median * (1 - s->spread), s->median * (1 + s->spread),
             s->disturbed ? "true" : "false");
    return results_of(text);
}

TEST_ROWS(each_row_has_its_verdict, verdicts)
{
    results before = one_result(&verdicts[_i].before);
    results after = one_result(&verdicts[_i].after);
    comparisons found;
    cli_why why;

    ck_assert_msg(compare_results(&found, &before, &after, verdicts[_i].threshold, &why), "%s",
                  why.text);
    ck_assert_uint_eq(found.count, 1);
    const comparison *c = &found.list[0];
    ck_assert_msg(c->verdict == verdicts[_i].verdict, "%s: %s, %s", verdicts[_i].name,
                  compare_verdict_names[c->verdict], c->why);
    ck_assert_msg(strstr(c->why, verdicts[_i].why) && !*verdicts[_i].why == !*c->why, "%s: %s",
                  verdicts[_i].name, c->why);
    ck_assert_double_eq_tol(c->ratio, verdicts[_i].after.median / verdicts[_i].before.median, 1e-6);
    ck_assert_uint_eq(found.counts[c->verdict], 1);
    comparisons_release(&found);
    results_release(&before);
    results_release(&after);
}

TEST(fewer_than_six_samples_have_no_interval)
{
    for (int samples = 5; samples <= 6; samples++) {
        char text[256];
        comparisons found;
        cli_why why;
        results r[2];
        for (int i = 0; i < 2; i++) {
            snprintf(text, sizeof(text),
                     "{'suite': 's', 'case': 'c', 'axes': {}, 'median_s': %d, 'ci_low_s': %d, "
                     "'ci_high_s': %d, 'samples': %d}",
                     i + 1, i + 1, i + 1, samples);
            r[i] = results_of(text);
        }
        ck_assert_msg(compare_results(&found, &r[0], &r[1], 0.01, &why), "%s", why.text);
        ck_assert_int_eq(found.list[0].verdict, samples < 6 ? COMPARE_UNSURE : COMPARE_SLOWER);
        comparisons_release(&found);
        results_release(&r[0]);
        results_release(&r[1]);
    }
}

// Exchanging the two runs inverts the verdict.
TEST_ROWS(exchanging_the_files_inverts_the_verdict, verdicts)
{
    static const compare_verdict turned[COMPARE_VERDICT_COUNT] = {
        [COMPARE_SAME] = COMPARE_SAME,
        [COMPARE_FASTER] = COMPARE_SLOWER,
        [COMPARE_SLOWER] = COMPARE_FASTER,
        [COMPARE_UNSURE] = COMPARE_UNSURE,
    };
    results before = one_result(&verdicts[_i].before);
    results after = one_result(&verdicts[_i].after);
    comparisons found;
    cli_why why;

    ck_assert(compare_results(&found, &after, &before, verdicts[_i].threshold, &why));
    ck_assert_msg(found.list[0].verdict == turned[verdicts[_i].verdict], "%s", verdicts[_i].name);
    comparisons_release(&found);
    results_release(&before);
    results_release(&after);
}

// Makes a run that drifts up and down by 4 %. The file's interval assumes independent samples.
static results drifting(double factor, bool raw)
{
    char *text = NULL;
    size_t bytes;
    FILE *f = open_memstream(&text, &bytes);

    fprintf(f,
            "{'suite': 's', 'case': 'c', 'axes': {}, 'subject': 'x', 'mode': 'cold', "
            "'median_s': %.9g, 'ci_low_s': %.9g, 'ci_high_s': %.9g",
            factor, factor * 0.999, factor * 1.001);
    for (int i = 0; raw && i < 400; i++)
        fprintf(f, "%s%.9g", i ? ", " : ", 'raw_s': [",
                factor * (1 + 0.04 * sin(6.283185307 * i / 400)));
    fprintf(f, "%s}", raw ? "]" : "");
    fclose(f);
    results r = results_of(text);
    free(text);
    return r;
}

TEST(drifting_samples_do_not_count_as_independent)
{
    static const struct {
        bool raw;
        compare_verdict verdict;
    } expected[] = { { false, COMPARE_SLOWER }, { true, COMPARE_UNSURE } };

    for (int i = 0; i < CUC_LENGTH(expected); i++) {
        results before = drifting(1, expected[i].raw);
        results after = drifting(1.03, expected[i].raw);
        comparisons found;
        cli_why why;
        ck_assert(compare_results(&found, &before, &after, 0.01, &why));
        ck_assert_msg(found.list[0].verdict == expected[i].verdict, "%d: %s", i,
                      compare_verdict_names[found.list[0].verdict]);
        comparisons_release(&found);
        results_release(&before);
        results_release(&after);
    }
}

// ---- Matching of results

#define NAMED(suite, name, axes, subject, mode, rest)                                     \
    "{'suite': '" suite "', 'case': '" name "', 'axes': {" axes "}, 'subject': '" subject \
    "', 'mode': '" mode "', " rest "}"
#define TIMED "'median_s': 1, 'ci_low_s': 0.999, 'ci_high_s': 1.001"

static const struct {
    const char *name;
    const char *before;
    const char *after;
    compare_verdict verdict; // the verdict of the only comparison
    const char *why;
} matches[] = {
    { "the order of axes is nothing", NAMED("s", "c", "'n': 1, 'm': 2", "x", "hot", TIMED),
      NAMED("s", "c", "'m': 2, 'n': 1", "x", "hot", TIMED), COMPARE_SAME, "" },
    { "another suite is another result", NAMED("s", "c", "", "x", "hot", TIMED),
      NAMED("t", "c", "", "x", "hot", TIMED), COMPARE_ONLY_OLD, "" },
    { "another case is another result", NAMED("s", "c", "", "x", "hot", TIMED),
      NAMED("s", "d", "", "x", "hot", TIMED), COMPARE_ONLY_OLD, "" },
    { "another value of an axis is another result", NAMED("s", "c", "'n': 1", "x", "hot", TIMED),
      NAMED("s", "c", "'n': 2", "x", "hot", TIMED), COMPARE_ONLY_OLD, "" },
    { "another subject is another result", NAMED("s", "c", "", "x", "hot", TIMED),
      NAMED("s", "c", "", "y", "hot", TIMED), COMPARE_ONLY_NEW, "" },
    { "another mode is another result", NAMED("s", "c", "", "x", "hot", TIMED),
      NAMED("s", "c", "", "x", "cold", TIMED), COMPARE_ONLY_NEW, "" },
    { "what is skipped in one is only in the other", NAMED("s", "c", "", "x", "hot", TIMED),
      NAMED("s", "c", "", "x", "hot", "'skipped': 'no NVRTC'"), COMPARE_ONLY_OLD,
      "skipped in NEW: no NVRTC" },
    { "what failed before it was timed has no mode", NAMED("s", "c", "'n': 1", "x", "hot", TIMED),
      "{'suite': 's', 'case': 'c', 'axes': {'n': 1}, 'subject': 'x', 'failed': 'word 7'}",
      COMPARE_ONLY_OLD, "failed in NEW: word 7" },
    { "a point that failed as a whole has no subject", NAMED("s", "c", "'n': 1", "x", "hot", TIMED),
      "{'suite': 's', 'case': 'c', 'axes': {'n': 1}, 'failed': 'setup'}", COMPARE_ONLY_OLD,
      "failed in NEW: setup" },
    { "the point beside it says nothing", NAMED("s", "c", "'n': 12", "x", "hot", TIMED),
      "{'suite': 's', 'case': 'c', 'axes': {'n': 1}, 'failed': 'setup'}", COMPARE_ONLY_OLD, "" },
    { "what failed in one is only in the other",
      NAMED("s", "c", "", "x", "hot", "'failed': 'word 7'"), NAMED("s", "c", "", "x", "hot", TIMED),
      COMPARE_ONLY_NEW, "failed in OLD: word 7" },
};

#define COMMON NAMED("z", "common", "", "x", "hot", TIMED)

TEST_ROWS(results_are_matched_by_their_names, matches)
{
    char text[1024];
    comparisons found;
    cli_why why;
    bool seen = false;

    snprintf(text, sizeof(text), "%s, %s", matches[_i].before, COMMON);
    results before = results_of(text);
    snprintf(text, sizeof(text), "%s, %s", COMMON, matches[_i].after);
    results after = results_of(text);
    ck_assert_msg(compare_results(&found, &before, &after, 0.01, &why), "%s", why.text);
    for (size_t i = 0; i < found.count; i++)
        seen |= found.list[i].verdict == matches[_i].verdict &&
                strcmp(found.list[i].why, matches[_i].why) == 0;
    ck_assert_msg(seen, "%s", matches[_i].name);
    ck_assert_uint_eq(found.counts[COMPARE_SAME], matches[_i].verdict == COMPARE_SAME ? 2 : 1);
    ck_assert_uint_eq(found.failed, strstr(matches[_i].why, "failed in NEW") != NULL);
    comparisons_release(&found);
    results_release(&before);
    results_release(&after);
}

TEST(results_without_a_time_in_both_are_counted_but_not_listed)
{
    results before = results_of(COMMON ", " NAMED("s", "c", "", "x", "hot", "'skipped': 'a'"));
    results after = results_of(COMMON ", " NAMED("s", "c", "", "x", "hot", "'failed': 'b'"));
    comparisons found;
    cli_why why;

    ck_assert(compare_results(&found, &before, &after, 0.01, &why));
    ck_assert_uint_eq(found.count, 1);
    ck_assert_uint_eq(found.absent, 1);
    comparisons_release(&found);
    results_release(&before);
    results_release(&after);
}

static const struct {
    const char *name;
    const char *before;
    const char *after;
    bool simulated; // whether the second run is simulated
    const char *why;
} refusals[] = {
    { "a result twice", COMMON ", " COMMON, COMMON, false, "'z / common / x / hot' twice" },
    { "a result twice in the other", COMMON, COMMON ", " COMMON, false, "twice" },
    { "nothing in common", NAMED("s", "c", "", "x", "hot", TIMED), COMMON, false,
      "no result in common" },
    { "one is simulated", COMMON, COMMON, true, "is simulated" },
};

TEST_ROWS(incomparable_files_are_refused, refusals)
{
    results before = results_of(refusals[_i].before);
    results after = results_of(refusals[_i].after);
    comparisons found;
    cli_why why;

    after.simulated = refusals[_i].simulated;
    ck_assert_msg(!compare_results(&found, &before, &after, 0.01, &why), "%s", refusals[_i].name);
    ck_assert_msg(strstr(why.text, refusals[_i].why) != NULL, "%s", why.text);
    results_release(&before);
    results_release(&after);
}

// ---- Drawn cases

// Makes a run whose i-th point has the speedup `speedups[i]`; 0 ends the list. Points get
// consecutive names, starting at `name`.
static results drawn_results(const double *speedups, char name)
{
    double sum = 0, squares = 0;
    json_t *root = document_of(COMMON), *list = json_object_get(root, "results");
    results r;
    cli_why why;
    int n = 0;

    for (; speedups[n] > 0; n++) {
        sum += log(speedups[n]);
        json_array_append_new(
            list, json_pack("{s:s, s:s, s:{s:s#}, s:s, s:s, s:f, s:f}", "suite", "s", "case",
                            "drawn", "axes", "point", &(char){ (char)(name + n) }, 1, "subject",
                            "x", "mode", "graph", "median_s", 1.0, "ratio", 1 / speedups[n]));
    }
    for (int i = 0; i < n; i++)
        squares += pow(log(speedups[i]) - sum / n, 2);
    json_object_set_new(root, "summaries",
                        json_pack("[{s:s, s:s, s:s, s:s, s:i, s:f, s:f}]", "suite", "s", "case",
                                  "drawn", "subject", "x", "peer", "y", "points", n, "geomean",
                                  exp(sum / n), "log_sd", sqrt(squares / (n - 1))));
    ck_assert_msg(results_take(&r, root, "x.json", &why), "%s", why.text);
    return r;
}

static const struct {
    const char *name;
    double before[9], after[9];
    char first; // name of the later run's first point; the earlier run's first point is named a
    compare_verdict verdict;
    bool paired;
    const char *why;
} drawn[] = {
    { "the same points of the same speed",
      { 0.5, 1, 2, 0.7, 0.9, 1.1 },
      { 0.5, 1, 2, 0.7, 0.9, 1.1 },
      'a',
      COMPARE_SAME,
      true,
      "" },
    { "points that differ from each other, all of them 5 % faster",
      { 0.5, 1, 2, 0.7, 0.9, 1.1 },
      { 0.525, 1.05, 2.1, 0.735, 0.945, 1.155 },
      'a',
      COMPARE_FASTER,
      true,
      "" },
    { "and slower",
      { 0.525, 1.05, 2.1, 0.735, 0.945, 1.155 },
      { 0.5, 1, 2, 0.7, 0.9, 1.1 },
      'a',
      COMPARE_SLOWER,
      true,
      "" },
    { "other points that differ from each other",
      { 0.5, 1, 2, 0.7, 0.9, 1.1 },
      { 0.525, 1.05, 2.1, 0.735, 0.945, 1.155 },
      'k',
      COMPARE_UNSURE,
      false,
      "the same --seed" },
    { "other points that do not",
      { 1, 1.01, 0.99, 1, 1.01, 0.99 },
      { 1.2, 1.21, 1.19, 1.2, 1.21, 1.19 },
      'k',
      COMPARE_FASTER,
      false,
      "" },
    { "one more point is another set of points",
      { 1, 1.01, 0.99, 1, 1.01, 0.99 },
      { 1, 1.01, 0.99, 1, 1.01, 0.99, 1 },
      'a',
      COMPARE_SAME,
      false,
      "" },
    { "few points",
      { 1, 1, 1, 1, 1 },
      { 2, 2, 2, 2, 2 },
      'a',
      COMPARE_UNSURE,
      true,
      "fewer than 6" },
};

TEST_ROWS(random_cases_are_compared_by_their_summaries, drawn)
{
    results before = drawn_results(drawn[_i].before, 'a');
    results after = drawn_results(drawn[_i].after, drawn[_i].first);
    comparisons found;
    cli_why why;

    ck_assert_msg(compare_results(&found, &before, &after, 0.02, &why), "%s", why.text);
    ck_assert_uint_eq(found.count, 1); // only COMMON, because drawn points are not listed
    ck_assert_uint_eq(found.summary_count, 1);
    const summary_comparison *c = &found.summaries[0];
    ck_assert_msg(c->verdict == drawn[_i].verdict && c->paired == drawn[_i].paired &&
                      strstr(c->why, drawn[_i].why),
                  "%s: %s, %s, %g from %g to %g", drawn[_i].name, compare_verdict_names[c->verdict],
                  c->why, c->ratio, c->low, c->high);
    ck_assert_uint_eq(found.counts[c->verdict], 1 + (c->verdict == COMPARE_SAME));
    comparisons_release(&found);
    results_release(&before);
    results_release(&after);
}

// ---- The machines

static const struct {
    const char *before; // more fields of the document
    const char *after;
    const char *what; // NULL: nothing differs
    const char *values[2];
} machines[] = {
    { "'commit': 'a'", "'commit': 'a'", NULL, { NULL, NULL } },
    { "'commit': 'a'", "'commit': 'b'", "commit", { "a", "b" } },
    { "'date': '1'", "'date': '2'", NULL, { NULL, NULL } },
    { "'machine': {'driver': '1'}", "'machine': {'driver': '2'}", "driver", { "1", "2" } },
    { "'machine': {'driver': 13000}", "'machine': {}", "driver", { "13000", "unknown" } },
    { "'machine': {'clocks': {'sm_mhz': {'median': 1500}}}",
      "'machine': {'clocks': {'sm_mhz': {'median': 1505}}}",
      NULL,
      { NULL, NULL } },
    { "'machine': {'clocks': {'sm_mhz': {'median': 1500}}}",
      "'machine': {'clocks': {'sm_mhz': {'median': 1980}}}",
      "SM clock",
      { "1500", "1980" } },
    { "'machine': {'throttle': []}",
      "'machine': {'throttle': ['power', 'heat']}",
      "throttling",
      { "none", "power, heat" } },
};

TEST_ROWS(differences_of_the_machine_are_reported, machines)
{
    results before = results_of(COMMON), after = results_of(COMMON);
    difference found[COMPARE_MAX_DIFFERENCES];
    char text[256];

    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof(text), "{%s}", i ? machines[_i].after : machines[_i].before);
        json_t *more = json_of(text);
        json_object_update((i ? after : before).root, more);
        json_decref(more);
    }
    size_t n = compare_machines(found, &before, &after);
    ck_assert_uint_eq(n, machines[_i].what ? 1 : 0);
    if (n) {
        ck_assert_str_eq(found[0].what, machines[_i].what);
        ck_assert_str_eq(found[0].before, machines[_i].values[0]);
        ck_assert_str_eq(found[0].after, machines[_i].values[1]);
    }
    results_release(&before);
    results_release(&after);
}

static const struct {
    const char *before, *after; // the machines' descriptions
    const char *why;            // NULL: the runs can be compared
} gpus[] = {
    { "{'gpu': 'A', 'arch': 'sm_90', 'sms': 132}", "{'gpu': 'A', 'arch': 'sm_90', 'sms': 132}",
      NULL },
    { "{'gpu': 'A'}", "{'gpu': 'B'}", "gpu is A and B" },
    { "{'gpu': 'A', 'sms': 132}", "{'gpu': 'A', 'sms': 60}", "sms is 132 and 60" },
    { "{'gpu': 'A', 'arch': 'sm_90'}", "{'gpu': 'A', 'arch': 'sm_80'}", "arch is sm_90 and sm_80" },
    { "{'gpu': 'A'}", "{}", NULL }, // host work on a machine that has a GPU
    { "{'gpu': 'A', 'driver': '1'}", "{'gpu': 'A', 'driver': '2'}", NULL },
};

TEST_ROWS(different_gpus_do_not_compare, gpus)
{
    results before = results_of(COMMON), after = results_of(COMMON);
    cli_why why;

    json_object_set_new(before.root, "machine", json_of(gpus[_i].before));
    json_object_set_new(after.root, "machine", json_of(gpus[_i].after));
    ck_assert_int_eq(compare_same_gpu(&before, &after, &why), gpus[_i].why == NULL);
    if (gpus[_i].why)
        ck_assert_msg(strstr(why.text, gpus[_i].why) != NULL, "%s", why.text);
    results_release(&before);
    results_release(&after);
}

int main(void)
{
    return run_tests("compare");
}
