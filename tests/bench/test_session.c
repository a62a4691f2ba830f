// Tests sessions without a device: host and foreign subjects are checked, sampled in turns, and
// reported.
#include "base/array.h"
#include "session.h"

#include "bench_testing.h"

#include <jansson.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static cuc_bench *bench;

static void open_bench(cuc_bench_options o)
{
    o.struct_size = sizeof(o);
    if (!o.device)
        o.flags |= CUC_BENCH_NO_DEVICE;
    ck_ok(cuc_bench_create(&bench, &o));
}

static void teardown(void)
{
    cuc_bench_release(bench);
    bench = NULL;
}

static void run_case(cuc_bench_setup setup, void *data)
{
    ck_ok(
        cuc_bench_add_case(bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .setup = setup,
                                                 .data = data, .flags = CUC_BENCH_CASE_NO_DEVICE)));
    ck_ok(cuc_bench_run(bench, NULL));
}

static cuc_bench_result result(size_t index)
{
    cuc_bench_result r = CUC_BENCH_RESULT_INIT;

    ck_ok(cuc_bench_get_result(&r, bench, index));
    return r;
}

// A foreign subject that reports `seconds` for each sample, times noise around 1.
struct made_up {
    const char *name;
    double seconds, noise;
    uint64_t state;
    int samples, checks;
    int check_gives;
    cuc_status sample_gives;
    uint64_t last_set;
};

static char order[1 << 16];

static cuc_status take_sample(void *data, uint64_t set, double *seconds)
{
    struct made_up *m = data;

    m->samples++;
    m->last_set = set;
    size_t used = strlen(order);
    if (used + 1 < sizeof(order))
        order[used] = m->name[0];
    *seconds = m->seconds * exp(m->noise * test_normal(&m->state));
    if (m->sample_gives < 0)
        return cuc_error_set(m->sample_gives, "take_sample", "the child is gone");
    return CUC_OK;
}

static cuc_status check_made_up(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    struct made_up *m = data;

    ck_assert_ptr_null(stream);
    m->checks++;
    if (m->check_gives > 0)
        snprintf(why, why_size, "element 7 is 3, expected 4");
    if (m->check_gives < 0)
        cuc_error_set(m->check_gives, "check_made_up", "there is no reference");
    return m->check_gives;
}

static cuc_status add_made_up(cuc_bench_state *state, struct made_up *m, uint32_t flags)
{
    m->state = 1000 + (uint64_t)m->name[0];
    return cuc_bench_state_add_subject(
        state,
        CUC_BENCH_SUBJECT(.name = m->name, .data = m, .sample = take_sample, .check = check_made_up,
                          .kind = CUC_BENCH_KIND_FOREIGN, .flags = flags));
}

static cuc_status two_made_up(cuc_bench_state *state, void *data)
{
    struct made_up *two = data;
    cuc_status st = add_made_up(state, &two[0], CUC_BENCH_PEER);

    return st < 0 ? st : add_made_up(state, &two[1], 0);
}

static const struct {
    double slower, noise;
    int32_t verdict;
} ratios[] = {
    { 1, 0.002, CUC_BENCH_SAME },
    { 1.03, 0.002, CUC_BENCH_SLOWER },
    { 0.97, 0.002, CUC_BENCH_FASTER },
    { 1.03, 0.25, CUC_BENCH_UNSURE },
};

CASE("all", .teardown = teardown, .timeout = 60);

TEST_ROWS(a_subject_is_judged_against_its_peer, ratios)
{
    struct made_up two[] = {
        { .name = "base", .seconds = 1e-5, .noise = ratios[_i].noise },
        { .name = "mine", .seconds = 1e-5 * ratios[_i].slower, .noise = ratios[_i].noise }
    };

    open_bench((cuc_bench_options){ .max_samples = 40 });
    run_case(two_made_up, two);
    ck_assert_uint_eq(cuc_bench_result_count(bench), 2);
    cuc_bench_result base = result(0), mine = result(1);
    ck_assert_str_eq(base.subject, "base");
    ck_assert_ptr_null(base.peer);
    ck_assert(isnan(base.ratio));
    ck_assert_int_eq(base.verdict, CUC_BENCH_NO_VERDICT);
    ck_assert_str_eq(mine.peer, "base");
    ck_assert_str_eq(mine.checked, "passed");
    ck_assert_str_eq(mine.axes, "");
    ck_assert_msg(mine.verdict == ratios[_i].verdict, "%s: %g (%g to %g)",
                  cuc_bench_verdict_name(mine.verdict), mine.ratio, mine.ratio_low,
                  mine.ratio_high);
    ck_assert_uint_ge(mine.samples, 20);
    ck_assert_uint_eq(mine.batch, 1);
    ck_assert_uint_eq(mine.mode, CUC_BENCH_COLD);
    ck_assert(isnan(mine.sm_mhz) && isnan(mine.bytes) && isnan(mine.share) && isnan(mine.limit));
}

TEST(subjects_take_turns_in_random_order)
{
    struct made_up two[] = { { .name = "base", .seconds = 1e-5, .noise = 0.1 },
                             { .name = "mine", .seconds = 1e-5, .noise = 0.1 } };
    int base_first = 0, rounds = 0;
    char first[64];

    for (int again = 0; again < 2; again++) {
        memset(order, 0, sizeof(order));
        open_bench((cuc_bench_options){ .min_samples = 100, .max_samples = 100, .seed = 3 });
        run_case(two_made_up, two);
        if (again)
            ck_assert_int_eq(memcmp(first, order, sizeof(first)), 0); // equal seeds, equal orders
        memcpy(first, order, sizeof(first));
        teardown();
    }
    for (const char *at = order + 6; *at; at += 2, rounds++) { // skip 3 warm-up runs of each
        ck_assert_int_ne(at[0], at[1]);
        base_first += at[0] == 'b';
    }
    ck_assert_int_eq(rounds, 100);
    ck_assert_int_ge(base_first, 30);
    ck_assert_int_le(base_first, 70);
    ck_assert_uint_eq(two[0].last_set, 99); // each round uses another set
}

TEST(subjects_that_fail_their_check_are_not_timed)
{
    struct made_up two[] = { { .name = "base", .seconds = 1e-5 },
                             { .name = "mine", .seconds = 1e-5, .check_gives = 1 } };

    open_bench((cuc_bench_options){ 0 });
    run_case(two_made_up, two);
    cuc_bench_result mine = result(0), base = result(1);
    ck_assert_int_eq(two[1].samples, 0);
    ck_assert_str_eq(mine.subject, "mine");
    ck_assert_int_eq(mine.outcome, CUC_BENCH_FAILED);
    ck_assert_str_eq(mine.reason, "the check failed: element 7 is 3, expected 4");
    ck_assert_ptr_null(mine.checked);
    ck_assert(isnan(mine.median_s));
    ck_assert_int_eq(base.outcome, CUC_BENCH_MEASURED);
    ck_assert_int_gt(two[0].samples, 20);
}

TEST(a_check_that_cannot_be_made_fails_the_subject)
{
    struct made_up two[] = {
        { .name = "base", .seconds = 1e-5, .check_gives = CUC_ERROR_NOT_FOUND },
        { .name = "mine", .seconds = 1e-5 }
    };

    open_bench((cuc_bench_options){ 0 });
    run_case(two_made_up, two);
    ck_assert_str_eq(result(0).reason, "check_made_up: there is no reference");
    ck_assert_int_eq(two[0].samples, 0);
    ck_assert_ptr_null(result(1).peer); // there is no peer to compare with
    ck_assert_int_eq(result(1).outcome, CUC_BENCH_MEASURED);
}

TEST(a_failing_subject_does_not_affect_the_others)
{
    struct made_up two[] = { { .name = "base", .seconds = 1e-5 },
                             { .name = "mine", .seconds = 1e-5, .sample_gives = CUC_ERROR_IO } };

    open_bench((cuc_bench_options){ 0 });
    run_case(two_made_up, two);
    ck_assert_int_eq(result(0).outcome, CUC_BENCH_MEASURED);
    ck_assert_int_eq(result(1).outcome, CUC_BENCH_FAILED);
    ck_assert_str_eq(result(1).reason, "take_sample: the child is gone");
    ck_assert_uint_eq(result(1).mode, CUC_BENCH_COLD);
    two[1].sample_gives = 0;
    two[1].seconds = NAN;
    ck_ok(cuc_bench_run(bench, NULL));
    ck_assert_ptr_nonnull(strstr(result(3).reason, "mine: sample() gave nan seconds"));
    two[1].seconds = 0;
    ck_ok(cuc_bench_run(bench, NULL));
    ck_assert_ptr_nonnull(strstr(result(5).reason, "less time than the timer resolves"));
    two[1].seconds = INFINITY;
    ck_ok(cuc_bench_run(bench, NULL));
    ck_assert_ptr_nonnull(strstr(result(7).reason, "mine: sample() gave inf seconds"));
}

static cuc_status fail_at_once(void *data, cuc_stream *stream, uint64_t set)
{
    (void)stream, (void)set;
    return data ? cuc_error_set(CUC_ERROR_IO, "fail_at_once", "the disk is full") : CUC_ERROR_IO;
}

static cuc_status fail_later(void *data, cuc_stream *stream, uint64_t set)
{
    int *runs = data;

    (void)stream, (void)set;
    return (*runs)++ < 30 ? CUC_OK : CUC_ERROR_IO;
}

// Succeeds, but leaves a message in the thread's last error, as after a failure that was handled.
static cuc_status get_over(void *data, cuc_stream *stream, uint64_t set)
{
    (void)data, (void)stream, (void)set;
    (void)cuc_error_set(CUC_ERROR_IO, "get_over", "the disk was slow");
    return CUC_OK;
}

static cuc_status check_nothing(void *data, cuc_stream *stream, char *why, size_t room)
{
    (void)data, (void)stream, (void)why, (void)room;
    return CUC_OK;
}

static cuc_status some_that_fail(cuc_bench_state *state, void *data)
{
    static char words[] = "";
    const cuc_bench_subject subjects[] = {
        { .name = "words", .run = fail_at_once, .data = words },
        { .name = "begin", .run = fail_at_once },
        { .name = "later", .run = fail_later, .data = data },
        { .name = "over", .run = get_over, .check = check_nothing },
        { .name = "check", .run = fail_at_once, .check = check_nothing },
    };

    for (int i = 0; i < CUC_LENGTH(subjects); i++) {
        cuc_bench_subject s = subjects[i];
        s.struct_size = sizeof(s);
        s.kind = CUC_BENCH_KIND_CPU;
        s.unchecked = s.check ? NULL : "it does nothing";
        s.batch = 1;
        ck_ok(cuc_bench_state_add_subject(state, &s));
    }
    return CUC_OK;
}

TEST(a_failure_without_a_message_does_not_get_an_earlier_one)
{
    int runs = 0;

    open_bench((cuc_bench_options){ .min_samples = 100, .max_samples = 100 });
    run_case(some_that_fail, &runs);
    ck_assert_uint_eq(cuc_bench_result_count(bench), 5);
    for (size_t i = 0; i < cuc_bench_result_count(bench); i++) {
        cuc_bench_result r = result(i);
        const char *expected = strcmp(r.subject, "words") == 0  ? "fail_at_once: the disk is full"
                               : strcmp(r.subject, "over") == 0 ? NULL
                                                                : "no reason given";
        ck_assert_pstr_eq(r.reason, expected);
    }
    ck_assert_int_gt(runs, 30);
}

// Simulated clock readings: `low` of each hundred are low.
struct made_up_clock {
    int reading, low;
};

static cuc_status read_clock(void *data, cuc_device_sensors *out)
{
    struct made_up_clock *c = data;

    out->sm_mhz = c->reading++ % 100 < c->low ? 900 : 1980;
    out->memory_mhz = 2619;
    return CUC_OK;
}

static const struct {
    int low;
    bool some, disturbed;
} low_clocks[] = { { 0, false, false }, { 10, true, false }, { 45, true, true } };

TEST_ROWS(a_run_with_many_low_clocks_is_called_disturbed, low_clocks)
{
    struct made_up two[] = { { .name = "base", .seconds = 1e-5 },
                             { .name = "mine", .seconds = 1e-5 } };
    struct made_up_clock clock = { 0, low_clocks[_i].low };

    open_bench((cuc_bench_options){ .min_samples = 100, .max_samples = 100 });
    bench->clocks.read = read_clock;
    bench->clocks.data = &clock;
    bench->clocks.interval_s = 0;
    run_case(two_made_up, two);
    cuc_bench_result r = result(1);
    ck_assert_uint_eq(r.samples + r.discarded, 100);
    ck_assert_int_eq(r.discarded > 0, low_clocks[_i].some);
    ck_assert_int_eq(r.disturbed, low_clocks[_i].disturbed);
    ck_assert_int_eq(r.verdict, low_clocks[_i].disturbed ? CUC_BENCH_UNSURE : CUC_BENCH_SAME);
    ck_assert_double_eq(r.ratio, 1);
    ck_assert_double_eq(r.sm_mhz, 1980);
    uint64_t gone = 0;
    for (int i = 0; i < 100; i++)
        gone += isnan(r.samples_s[i]) ? 1 : 0;
    ck_assert_uint_eq(gone, r.discarded);
}

// A host subject that waits for a given time.
struct work {
    double seconds;
    int runs, prepared;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static cuc_status spin(void *data, cuc_stream *stream, uint64_t set)
{
    struct work *w = data;
    double end = now() + w->seconds;

    (void)stream;
    (void)set;
    w->runs++;
    while (now() < end)
        ;
    return CUC_OK;
}

static cuc_status prepare_work(void *data, cuc_stream *stream, uint64_t set)
{
    (void)stream;
    (void)set;
    ((struct work *)data)->prepared++;
    return CUC_OK;
}

static cuc_status two_spins(cuc_bench_state *state, void *data)
{
    struct work *w = data;

    ck_ok(cuc_bench_state_set_work(
        state, CUC_BENCH_WORK(.bytes = 4096, .items = 10, .item = "turns", .flop = 200)));
    ck_ok(cuc_bench_state_add_subject(
        state, CUC_BENCH_SUBJECT(.name = "once", .kind = CUC_BENCH_KIND_CPU, .run = spin, .data = w,
                                 .unchecked = "it only waits", .flags = CUC_BENCH_PEER)));
    return cuc_bench_state_add_subject(
        state, CUC_BENCH_SUBJECT(.name = "twice", .kind = CUC_BENCH_KIND_CPU, .run = spin,
                                 .prepare = prepare_work, .data = w + 1, .batch = 3, .limit = 1.5,
                                 .unchecked = "it only waits"));
}

// Adds a subject with figures, and overwrites the figures after the call, since the library has
// copied them.
static cuc_status spin_with_figures(cuc_bench_state *state, void *data)
{
    char name[] = "turns_a_run";
    cuc_bench_figure figures[] = { { name, 10 }, { "room_bytes", 4096 } };

    ck_ok(cuc_bench_state_add_subject(
        state, CUC_BENCH_SUBJECT(.name = "spin", .kind = CUC_BENCH_KIND_CPU, .run = spin,
                                 .data = data, .unchecked = "it only waits", .figures = figures,
                                 .figure_count = CUC_LENGTH(figures))));
    memset(name, 'x', sizeof(name) - 1);
    memset(figures, 0xFF, sizeof(figures));
    return CUC_OK;
}

TEST(the_figures_of_a_subject_come_with_its_result)
{
    struct work w = { .seconds = 4e-6 };
    const char *text;

    open_bench((cuc_bench_options){ .max_samples = 20 });
    run_case(spin_with_figures, &w);
    cuc_bench_result r = result(0);
    ck_assert_uint_eq(r.figure_count, 2);
    ck_assert_str_eq(r.figures[0].name, "turns_a_run");
    ck_assert_double_eq(r.figures[0].value, 10);
    ck_assert_str_eq(r.figures[1].name, "room_bytes");
    ck_assert_double_eq(r.figures[1].value, 4096);
    ck_ok(cuc_bench_get_json(&text, NULL, bench));
    ck_assert_ptr_nonnull(strstr(text, "\"turns_a_run\":10"));
}

// Sets up points 1 to 12: the peer takes 1 ms, and "mine" takes n ms at point n. Point 3 fails, and
// point 4 has no peer.
static cuc_status set_up_drawn(cuc_bench_state *state, void *data)
{
    static struct made_up peer = { .name = "peer", .seconds = 1e-3 }, mine = { .name = "mine" };
    int64_t n = cuc_bench_state_int(state, "n");

    (void)data;
    mine.seconds = 1e-3 * (double)n;
    mine.check_gives = n == 3;
    cuc_status st = add_made_up(state, &mine, 0);
    if (st >= 0)
        st = n == 4 ? cuc_bench_state_skip_subject(state, "peer", "it is not here")
                    : add_made_up(state, &peer, CUC_BENCH_PEER);
    return st;
}

static double number_of(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

TEST(points_of_a_distribution_are_summarized)
{
    const cuc_bench_axis axis = { .name = "n", .values = "1:12" };
    double sum = 0, squares = 0;
    const char *text;

    open_bench((cuc_bench_options){ .min_samples = 6, .max_samples = 6 });
    ck_ok(cuc_bench_add_case(
        bench, CUC_BENCH_CASE(.suite = "s", .name = "plain", .setup = set_up_drawn, .axes = &axis,
                              .axis_count = 1, .flags = CUC_BENCH_CASE_NO_DEVICE)));
    ck_ok(cuc_bench_add_case(
        bench, CUC_BENCH_CASE(.suite = "s", .name = "drawn", .setup = set_up_drawn, .axes = &axis,
                              .axis_count = 1,
                              .flags = CUC_BENCH_CASE_NO_DEVICE | CUC_BENCH_CASE_DISTRIBUTION)));
    ck_ok(cuc_bench_run(bench, NULL));
    ck_ok(cuc_bench_get_json(&text, NULL, bench));
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *summaries = json_object_get(root, "summaries");
    ck_assert_msg(json_array_size(summaries) == 1, "%s", text);
    const json_t *s = json_array_get(summaries, 0);
    ck_assert_str_eq(json_string_value(json_object_get(s, "case")), "drawn");
    ck_assert_str_eq(json_string_value(json_object_get(s, "subject")), "mine");
    ck_assert_str_eq(json_string_value(json_object_get(s, "peer")), "peer");
    ck_assert_int_eq((int)number_of(s, "points"), 10);
    ck_assert_int_eq((int)number_of(s, "measured"), 11);
    ck_assert_int_eq((int)number_of(s, "failed"), 1);
    ck_assert_int_eq((int)number_of(s, "skipped"), 0);
    // Speedups are 1 / n for n = 1, 2, 5 to 12.
    for (int n = 1; n <= 12; n++)
        sum += n == 3 || n == 4 ? 0 : log(1.0 / n);
    for (int n = 1; n <= 12; n++)
        squares += n == 3 || n == 4 ? 0 : pow(log(1.0 / n) - sum / 10, 2);
    ck_assert_double_eq_tol(number_of(s, "geomean"), exp(sum / 10), 1e-6);
    ck_assert_double_eq_tol(number_of(s, "log_sd"), sqrt(squares / 9), 1e-6);
    ck_assert_double_eq_tol(number_of(s, "p5"), 1.0 / 12 + 0.45 * (1.0 / 11 - 1.0 / 12), 1e-6);
    ck_assert_double_eq_tol(number_of(s, "median"), (1.0 / 8 + 1.0 / 7) / 2, 1e-6);
    ck_assert_double_eq_tol(number_of(s, "worst"), 1.0 / 12, 1e-6);
    const json_t *lowest = json_object_get(s, "lowest");
    ck_assert_uint_eq(json_array_size(lowest), 10);
    const json_t *first = json_array_get(lowest, 0);
    ck_assert_int_eq((int)number_of(json_object_get(first, "axes"), "n"), 12);
    ck_assert_double_eq_tol(number_of(first, "median_s"), 12e-3, 1e-6);
    ck_assert_double_eq_tol(number_of(first, "peer_s"), 1e-3, 1e-6);
    json_decref(root);
}

TEST(host_work_is_timed_by_the_wall_clock)
{
    struct work w[] = { { .seconds = 4e-6 }, { .seconds = 8e-6 } };

    open_bench((cuc_bench_options){ .max_samples = 50 });
    run_case(two_spins, w);
    cuc_bench_result once = result(0), twice = result(1);
    ck_assert_uint_eq(once.mode, CUC_BENCH_CPU);
    ck_assert_int_eq(once.kind, CUC_BENCH_KIND_CPU);
    ck_assert_double_ge(once.median_s, 4e-6);
    ck_assert_double_le(once.min_s, 10e-6);
    ck_assert_uint_ge(once.batch, 2); // a sample takes at least 20 us
    ck_assert_uint_le(once.batch, 6);
    ck_assert_uint_eq(twice.batch, 3);
    ck_assert_double_ge(twice.ratio, 1.5);
    ck_assert_double_le(twice.ratio, 2.5);
    ck_assert_int_eq(twice.verdict, CUC_BENCH_SLOWER);
    ck_assert_double_eq(twice.limit, 1.5);
    ck_assert_str_eq(twice.checked, "nothing to check: it only waits");
    ck_assert_double_eq(twice.bytes_per_s, 4096 / twice.median_s);
    ck_assert_double_eq(twice.flop_per_s, 200 / twice.median_s);
    ck_assert_double_eq(twice.items_per_s, 10 / twice.median_s);
    ck_assert_str_eq(twice.item, "turns");
    ck_assert(isnan(twice.cpu_median_s)); // median_s is that time already
    ck_assert_uint_eq((uint64_t)w[1].runs, 3 + 3 * (twice.samples + twice.discarded));
    ck_assert_uint_eq((uint64_t)w[1].prepared, 3 + twice.samples + twice.discarded);
}

TEST(the_devices_clock_does_not_affect_host_work)
{
    struct work w[] = { { .seconds = 4e-6 }, { .seconds = 4e-6 } };
    struct made_up_clock clock = { 0, 45 };

    open_bench((cuc_bench_options){ .min_samples = 50, .max_samples = 50 });
    bench->clocks.read = read_clock;
    bench->clocks.data = &clock;
    bench->clocks.interval_s = 0;
    run_case(two_spins, w);
    ck_assert_uint_eq(result(1).samples, 50);
    ck_assert_int_eq(result(1).disturbed, 0);
    ck_assert(isnan(result(1).sm_mhz));
}

TEST(limits_of_time_and_samples_are_respected)
{
    struct made_up two[] = { { .name = "base", .seconds = 1, .noise = 0.5 },
                             { .name = "mine", .seconds = 1, .noise = 0.5 } };
    struct work w[] = { { .seconds = 5e-3 }, { .seconds = 5e-3 } };

    open_bench((cuc_bench_options){ .max_samples = 30, .flags = CUC_BENCH_NO_ENTROPY });
    run_case(two_made_up, two);
    ck_assert_int_eq(result(0).stopped, CUC_BENCH_STOP_MAX_SAMPLES);
    ck_assert_uint_eq(result(0).samples, 30);
    teardown();
    two[0].noise = two[1].noise = 0; // known at once, but min_seconds applies
    open_bench((cuc_bench_options){ .min_seconds = 0.02, .max_samples = 10000000 });
    double begun = now();
    run_case(two_made_up, two);
    ck_assert_double_ge(now() - begun, 0.02);
    ck_assert_int_eq(result(0).stopped, CUC_BENCH_STOP_CONFIDENCE);
    teardown();
    open_bench((cuc_bench_options){ .max_seconds = 0.01 });
    begun = now();
    run_case(two_spins, w);
    ck_assert_double_le(now() - begun, 5);
    ck_assert_int_eq(result(0).stopped, CUC_BENCH_STOP_MAX_SECONDS);
    ck_assert_uint_lt(result(0).samples, 20); // more would take ten times as long
}

static char dropped[16];

static void drop(void *object)
{
    strcat(dropped, object);
}

static cuc_status setup_of_many_ends(cuc_bench_state *state, void *data)
{
    const char *how = data;
    cuc_bench_input *input;

    ck_ok(cuc_bench_state_add_input(
        &input, state,
        CUC_BENCH_INPUT(.count = 1000, .dtype = CUC_F32, .flags = CUC_BENCH_INPUT_HOST)));
    ck_ok(cuc_bench_state_defer(state, drop, "a"));
    ck_ok(cuc_bench_state_defer(state, NULL, "x"));
    ck_ok(cuc_bench_state_defer(state, drop, "b"));
    ck_ok(cuc_bench_state_defer(state, drop, "c"));
    if (strcmp(how, "skip") == 0)
        return cuc_bench_state_skip(state, "not on a Sunday");
    if (strcmp(how, "fail") == 0)
        return cuc_error_set(CUC_ERROR_NOT_FOUND, "setup", "no such thing");
    if (strcmp(how, "axis") == 0)
        ck_assert_int_eq(cuc_bench_state_int(state, "size"), 0);
    if (strcmp(how, "type") == 0)
        ck_assert_int_eq(cuc_bench_state_dtype(state, "n"), CUC_DTYPE_UNKNOWN);
    if (strcmp(how, "device") == 0)
        return cuc_bench_state_add_input(&input, state,
                                         CUC_BENCH_INPUT(.count = 1, .dtype = CUC_F32));
    return CUC_OK;
}

static const struct {
    const char *how;
    int32_t outcome;
    const char *reason;
} ends[] = {
    { "skip", CUC_BENCH_SKIPPED, "not on a Sunday" },
    { "fail", CUC_BENCH_FAILED, "setup: no such thing" },
    { "axis", CUC_BENCH_FAILED, "s/c has no axis \"size\"" },
    { "type", CUC_BENCH_FAILED, "s/c has no element types on axis \"n\"" },
    { "device", CUC_BENCH_FAILED,
      "cuc_bench_state_add_input: there is no device to make the input on" },
    { "empty", CUC_BENCH_FAILED, "setup added no subject" },
};

TEST_ROWS(wherever_setup_ends_everything_is_freed_in_reverse, ends)
{
    const cuc_bench_axis axis = { .name = "n", .values = "5" };
    char how[16];

    strcpy(how, ends[_i].how);
    open_bench((cuc_bench_options){ 0 });
    ck_ok(cuc_bench_add_case(
        bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .data = how, .setup = setup_of_many_ends,
                              .axes = &axis, .axis_count = 1, .flags = CUC_BENCH_CASE_NO_DEVICE)));
    dropped[0] = '\0';
    ck_ok(cuc_bench_run(bench, NULL));
    ck_assert_str_eq(dropped, "cba");
    ck_assert_uint_eq(cuc_bench_result_count(bench), 1);
    ck_assert_int_eq(result(0).outcome, ends[_i].outcome);
    ck_assert_ptr_eq(strstr(result(0).reason, ends[_i].reason), result(0).reason);
    ck_assert_str_eq(result(0).axes, "n=5");
    ck_assert_ptr_null(result(0).subject);
    ck_assert_uint_eq(result(0).mode, 0);
}

static cuc_status read_axes(cuc_bench_state *state, void *data)
{
    (void)data;
    ck_assert_int_eq(cuc_bench_state_int(state, "n"), 1024);
    ck_assert_str_eq(cuc_bench_state_text(state, "n"), "1024");
    ck_assert_int_eq(cuc_bench_state_int(state, "m"), -7);
    ck_assert_int_eq(cuc_bench_state_dtype(state, "t"), CUC_BF16);
    ck_assert_str_eq(cuc_bench_state_text(state, "t"), "bf16");
    ck_assert_str_eq(cuc_bench_state_text(state, "w"), "nt");
    ck_assert_ptr_null(cuc_bench_state_device(state));
    ck_assert_ptr_null(cuc_bench_state_stream(state));
    ck_assert_ptr_eq(cuc_bench_state_bench(state), bench);
    ck_assert_uint_eq(cuc_bench_state_seed(state), 42);
    ck_assert_int_eq(cuc_bench_state_is_quick(state), 1);
    ck_ok(cuc_bench_state_skip_subject(state, "cublaslt", "it is not there"));
    return CUC_OK;
}

TEST(setup_sees_the_values_of_its_point)
{
    const cuc_bench_axis axes[] = {
        { .name = "n", .values = "10", .kind = CUC_BENCH_AXIS_POW2 },
        { .name = "m", .values = "-7" },
        { .name = "t", .values = "bf16", .kind = CUC_BENCH_AXIS_DTYPE },
        { .name = "w", .values = "nt", .kind = CUC_BENCH_AXIS_STRING }
    };

    open_bench((cuc_bench_options){ .seed = 42, .flags = CUC_BENCH_QUICK });
    ck_ok(cuc_bench_add_case(bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .setup = read_axes,
                                                   .axes = axes, .axis_count = 4,
                                                   .flags = CUC_BENCH_CASE_NO_DEVICE)));
    ck_ok(cuc_bench_run(bench, NULL));
    ck_assert_int_eq(result(0).outcome, CUC_BENCH_SKIPPED);
    ck_assert_str_eq(result(0).subject, "cublaslt");
    ck_assert_str_eq(result(0).reason, "it is not there");
    ck_assert_str_eq(result(0).axes, "n=1024 m=-7 t=bf16 w=nt");
}

TEST(without_a_driver_points_that_need_a_device_are_skipped)
{
    struct made_up two[] = { { .name = "base" }, { .name = "mine" } };

    ck_assert_int_eq(setenv("CUCORE_DRIVER", "/nonexistent/libcuda.so", 1), 0);
    ck_ok(cuc_bench_create(&bench, NULL));
    ck_assert_ptr_null(cuc_bench_device(bench));
    ck_assert_ptr_nonnull(strstr(cuc_bench_device_reason(bench), "/nonexistent/libcuda.so"));
    ck_ok(cuc_bench_add_case(
        bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .setup = two_made_up, .data = two)));
    ck_ok(cuc_bench_run(bench, NULL));
    ck_assert_int_eq(result(0).outcome, CUC_BENCH_SKIPPED);
    ck_assert_ptr_nonnull(strstr(result(0).reason, "no device: "));
    ck_assert_int_eq(two[0].checks, 0);
}

// The progress reports received, and when to stop.
struct heard {
    int points, samples, results, stop_at_samples;
    cuc_status inner;
};

static int32_t hear(void *data, const cuc_bench_progress *p)
{
    struct heard *h = data;

    ck_assert_uint_eq(p->struct_size, sizeof(*p));
    ck_assert_str_eq(p->suite, "s");
    ck_assert_uint_lt(p->point, p->point_count);
    h->points += p->event == CUC_BENCH_PROGRESS_POINT;
    h->results += p->event == CUC_BENCH_PROGRESS_RESULT;
    ck_assert_int_eq(p->result != NULL, p->event == CUC_BENCH_PROGRESS_RESULT);
    if (p->event == CUC_BENCH_PROGRESS_SAMPLES) {
        h->samples++;
        ck_assert_str_eq(p->subject, "once");
        ck_assert_uint_eq(p->mode, CUC_BENCH_CPU);
        ck_assert_double_gt(p->median_s, 0);
    }
    if (!h->inner)
        h->inner = cuc_bench_run(bench, NULL);
    return h->stop_at_samples && h->samples >= h->stop_at_samples;
}

TEST(progress_is_reported_and_can_end_the_run)
{
    struct work w[] = { { .seconds = 1e-3 }, { .seconds = 1e-3 } };
    struct heard h = { .stop_at_samples = 2 };
    const cuc_bench_axis axis = { .name = "n", .values = "1:5" };

    open_bench((cuc_bench_options){ .max_seconds = 100,
                                    .target = 1e-12,
                                    .flags = CUC_BENCH_NO_ENTROPY,
                                    .progress = hear,
                                    .progress_data = &h });
    ck_ok(cuc_bench_add_case(bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .setup = two_spins,
                                                   .data = w, .axes = &axis, .axis_count = 1,
                                                   .flags = CUC_BENCH_CASE_NO_DEVICE)));
    ck_ok(cuc_bench_run(bench, NULL));
    ck_assert_int_eq(h.points, 1);
    ck_assert_int_eq(h.results, 2);
    ck_assert_int_eq(h.samples, 2);
    ck_assert_int_eq(h.inner, CUC_ERROR_BUSY);
    ck_assert_int_eq(result(0).stopped, CUC_BENCH_STOP_CANCELLED);
}

static const cuc_bench_figure bad_figures[] = { { "turns", 1 }, { "share", NAN } };

static const struct {
    cuc_bench_subject s;
    const char *fragment;
} bad_subjects[] = {
    { { .run = spin, .unchecked = "x" }, "has no name" },
    { { .name = "a", .unchecked = "x" }, "expected run()" },
    { { .name = "a", .run = spin }, "nothing is timed unchecked" },
    { { .name = "a", .run = spin, .unchecked = "x", .check = check_made_up },
      "nothing is timed unchecked" },
    { { .name = "a", .run = spin, .sample = take_sample, .unchecked = "x" }, "expected run()" },
    { { .name = "a", .run = spin, .unchecked = "x", .kind = CUC_BENCH_KIND_FOREIGN },
      "has sample() and no run()" },
    { { .name = "a", .run = spin, .unchecked = "x", .kind = 7 }, "kind is not" },
    { { .name = "a", .run = spin, .unchecked = "x", .flags = 64 }, "is not known" },
    { { .name = "a", .run = spin, .unchecked = "x", .modes = 64 }, "is not known" },
    { { .name = "a", .run = spin, .unchecked = "x", .limit = -1 }, "limit is below 0" },
    { { .name = "a", .run = spin, .unchecked = "x", .figure_count = 1 }, "a figure has no name" },
    { { .name = "a", .run = spin, .unchecked = "x", .figures = bad_figures, .figure_count = 2 },
      "a value that is not finite" },
    { { .name = "a", .run = spin, .unchecked = "x" }, "there is no device for a GPU subject" },
    { { .name = "base", .run = spin, .unchecked = "x", .kind = CUC_BENCH_KIND_CPU },
      "there is a subject of that name" },
    { { .name = "a",
        .run = spin,
        .unchecked = "x",
        .kind = CUC_BENCH_KIND_CPU,
        .flags = CUC_BENCH_PEER },
      "there is a peer already" },
};

static cuc_status add_bad_subject(cuc_bench_state *state, void *data)
{
    int i = *(int *)data;
    static struct made_up base = { .name = "base" };
    cuc_bench_subject s = bad_subjects[i].s;

    s.struct_size = sizeof(s);
    ck_ok(add_made_up(state, &base, CUC_BENCH_PEER));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_state_add_subject(state, &s),
             bad_subjects[i].fragment);
    return cuc_bench_state_skip(state, "done");
}

TEST_ROWS(an_invalid_subject_is_reported, bad_subjects)
{
    int i = _i;

    open_bench((cuc_bench_options){ 0 });
    run_case(add_bad_subject, &i);
    ck_assert_str_eq(result(0).reason, "done");
}

static const struct {
    cuc_bench_options o;
    const char *fragment;
} bad_options[] = {
    { { .max_seconds = -1 }, "max_seconds is -1" },
    { { .target = 2 }, "target is 2, expected 0 to 1" },
    { { .throttle_below = NAN }, "throttle_below is nan" },
    { { .flags = 1 << 20 }, "flags is 0x100000" },
    { { .modes = 16 }, "modes 0x10" },
    { { .max_samples = 5 }, "max_samples is 5, less than min_samples, 20" },
};

TEST_ROWS(an_invalid_option_is_reported, bad_options)
{
    cuc_bench_options o = bad_options[_i].o;
    cuc_bench *none = NULL;

    o.struct_size = sizeof(o);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_create(&none, &o), bad_options[_i].fragment);
    ck_assert_ptr_null(none);
}

TEST(the_document_has_what_was_measured_and_nothing_else)
{
    struct made_up two[] = { { .name = "base", .seconds = 1e-5, .noise = 0.01 },
                             { .name = "mine", .seconds = 1e-5, .noise = 0.01 } };
    const char *text;
    size_t bytes;
    char path[] = "/tmp/cucore-bench-XXXXXX", beside[64];

    open_bench((cuc_bench_options){
        .seed = UINT64_MAX, .command = "a \"command\"", .flags = CUC_BENCH_KEEP_SAMPLES });
    run_case(two_made_up, two);
    ck_ok(cuc_bench_get_json(&text, &bytes, bench));
    ck_assert_uint_eq(bytes, strlen(text));
    const char *rows = strstr(text, "\n\"results\":[\n"); // one line for each result
    ck_assert_msg(rows && strncmp(rows + 13, "{\"suite\":", 9) == 0, "%s", text);
    rows = strchr(rows + 13, '\n');
    ck_assert_msg(rows && strncmp(rows - 1, ",\n{\"suite\":", 11) == 0, "%s", text);
    rows = strchr(rows + 1, '\n');
    ck_assert_msg(rows && strcmp(rows, "\n]\n}") == 0, "%s", text);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(root);
    ck_assert_str_eq(json_string_value(json_object_get(root, "schema")), "cucore-bench/1");
    ck_assert_str_eq(json_string_value(json_object_get(root, "command")), "a \"command\"");
    ck_assert_ptr_null(json_object_get(root, "commit"));
    ck_assert_str_eq(json_string_value(json_object_get(json_object_get(root, "settings"), "seed")),
                     "18446744073709551615");
    const json_t *mine = json_array_get(json_object_get(root, "results"), 1);
    cuc_bench_result r = result(1);
    ck_assert_double_eq_tol(json_number_value(json_object_get(mine, "median_s")), r.median_s,
                            1e-8 * r.median_s);
    ck_assert_uint_eq(json_array_size(json_object_get(mine, "raw_s")), r.samples);
    ck_assert_ptr_null(json_object_get(mine, "bytes"));
    ck_assert_ptr_null(json_object_get(mine, "share"));
    ck_assert_ptr_null(json_object_get(mine, "skipped"));
    ck_assert_ptr_null(
        json_object_get(json_array_get(json_object_get(root, "results"), 0), "peer"));
    json_decref(root);

    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_ok(cuc_bench_write_json(bench, path));
    root = json_load_file(path, 0, NULL);
    ck_assert_ptr_nonnull(root);
    json_decref(root);
    snprintf(beside, sizeof(beside), "%s/x.json", path); // a path below a file
    ck_fails(CUC_ERROR_IO, cuc_bench_write_json(bench, beside), "cannot be written");
    unlink(path);
}

// Root could replace /dev/null with a file, and must not.
TEST(a_pipe_is_written_in_place_and_a_link_stays_a_link)
{
    char folder[] = "/tmp/cucore-bench-XXXXXX", path[3][64], text[16] = "";
    struct made_up two[] = { { .name = "base", .seconds = 1e-5 },
                             { .name = "mine", .seconds = 1e-5 } };
    struct stat there;

    open_bench((cuc_bench_options){ .max_samples = 20 });
    run_case(two_made_up, two);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof(path[i]), "%s/%c", folder, 'a' + i);
    ck_assert_int_eq(mkfifo(path[0], 0600), 0);
    int fd = open(path[0], O_RDWR | O_NONBLOCK);
    ck_ok(cuc_bench_write_json(bench, path[0]));
    ck_assert_int_eq(read(fd, text, sizeof(text) - 1), sizeof(text) - 1);
    ck_assert_msg(strncmp(text, "{\n\"schema\"", 10) == 0, "%s", text);
    ck_assert(lstat(path[0], &there) == 0 && S_ISFIFO(there.st_mode));
    close(fd);
    ck_ok(cuc_bench_write_json(bench, path[1]));
    ck_assert_int_eq(truncate(path[1], 0), 0);
    ck_assert_int_eq(symlink(path[1], path[2]), 0);
    ck_ok(cuc_bench_write_json(bench, path[2]));
    ck_assert(lstat(path[2], &there) == 0 && S_ISLNK(there.st_mode));
    ck_assert(stat(path[1], &there) == 0 && there.st_size > 0);
    for (int i = 0; i < 3; i++)
        unlink(path[i]);
    ck_assert_int_eq(rmdir(folder), 0);
}

TEST(a_peak_can_be_set_and_without_a_device_there_is_no_default)
{
    cuc_bench_peak p = CUC_BENCH_PEAK_INIT;

    open_bench((cuc_bench_options){ 0 });
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_bench_get_peak(&p, bench, "copy"), "there is no device");
    p.name = "cublas";
    p.source = "measured: cuBLASLt";
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_bench_set_peak(bench, &p), "is 0, of kind 0");
    p.value = 7e14;
    p.per = CUC_BENCH_PER_FLOP;
    ck_ok(cuc_bench_set_peak(bench, &p));
    p.value = 8e14;
    ck_ok(cuc_bench_set_peak(bench, &p));
    ck_assert_uint_eq(bench->peak_count, 1);
}

static const struct {
    const char *device, *peak;
    double value; // 0: unknown
} sheets[] = {
    { "NVIDIA H200", "memory", 4.8e12 },
    { "NVIDIA H200 (simulated)", "memory", 4.8e12 },
    { "NVIDIA H200 NVL", "bf16", 835.5e12 },
    { "NVIDIA H100 80GB HBM3", "memory", 3.35e12 },
    { "NVIDIA H100 PCIe", "memory", 2e12 },
    { "NVIDIA A100-SXM4-80GB", "memory", 2.039e12 },
    { "NVIDIA A100-SXM4-40GB", "memory", 1.555e12 },
    { "NVIDIA B200", "f16", 2250e12 },
    { "NVIDIA GB200", "f16", 2500e12 },
    { "NVIDIA GH200 480GB", "memory", 4e12 },
    { "NVIDIA L4", "memory", 0.3e12 },
    { "NVIDIA L40", "memory", 0.864e12 },
    { "NVIDIA H20", "memory", 0 },
    { "NVIDIA H200 MIG 1g.18gb", "memory", 0 },
    { "NVIDIA H200", "speed", 0 },
    { "NVIDIA L4", "f64", 0 },
};

TEST_ROWS(a_data_sheet_must_match_the_devices_whole_name, sheets)
{
    int32_t per = -1;

    ck_assert_double_eq_tol(cuc__bench_datasheet(sheets[_i].device, sheets[_i].peak, &per),
                            sheets[_i].value, 1e3);
}

int main(void)
{
    return run_tests("bench_session");
}
