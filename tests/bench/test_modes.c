// Tests device subjects in every mode, on the simulated driver or a real one.
#include "base/array.h"
#include "session.h"

#include "bench_testing.h"

#include <cucore/cucore.h>
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static const char source[] =
    "extern \"C\" __global__ void scale(float *to, const float *from, unsigned n, unsigned turns)\n"
    "{\n"
    "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    float x = i < n ? from[i] : 0;\n"
    "    for (unsigned t = 0; t < turns; t++)\n"
    "        x = 0.75f - x;\n"
    "    if (i < n)\n"
    "        to[i] = x;\n"
    "}\n"
    "extern \"C\" __global__ void fault(unsigned *to)\n"
    "{\n"
    "    *to = 1;\n"
    "}\n";

enum { N = 2048, BATCH = 16 };

static cuc_bench *bench;
static cuc_object *object;

// A subject, counts of its calls, and its deliberate misbehavior.
struct scaling {
    cuc_kernel *kernel;
    cuc_bench_input *from, *to;
    uint32_t turns;
    bool waits, wrong, fails;
    int runs, prepared;
    uint64_t sets; // a bit for each set used
};

static void open_bench(cuc_bench_options o)
{
    cuc_program *program;

    o.struct_size = sizeof(o);
    if (!o.max_samples)
        o.max_samples = 20;
    ck_ok(cuc_bench_create(&bench, &o));
    ck_assert_msg(cuc_bench_device(bench) != NULL, "%s", cuc_bench_device_reason(bench));
    ck_ok(
        cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0,
                           CUC_PROGRAM_OPTIONS(.arch = cuc_device_arch(cuc_bench_device(bench)))));
    ck_ok(cuc_program_compile(&object, program, CUC_CODE_CUBIN));
    cuc_program_release(program);
}

static void teardown(void)
{
    cuc_object_release(object);
    cuc_bench_release(bench);
}

static cuc_bench_result result(size_t index)
{
    cuc_bench_result r = CUC_BENCH_RESULT_INIT;

    ck_ok(cuc_bench_get_result(&r, bench, index));
    return r;
}

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    struct scaling *s = data;

    s->runs++;
    s->sets |= UINT64_C(1) << (set < 63 ? set : 63);
    if (s->fails && s->runs > 6)
        return cuc_error_set(CUC_ERROR_NOT_FOUND, "run", "the seventh is missing");
    cuc_status st = CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { N / 256 }, .block = { 256 }),
                               s->kernel, cuc_bench_input_ptr(s->to, set),
                               cuc_bench_input_ptr(s->from, set), N, s->turns);
    return st >= 0 && s->waits ? cuc_stream_synchronize(stream) : st;
}

static cuc_status prepare(void *data, cuc_stream *stream, uint64_t set)
{
    struct scaling *s = data;

    (void)set;
    s->prepared++;
    return cuc_fill(stream, cuc_bench_input_ptr(s->to, 0), 0, 4, N);
}

static cuc_status check_scaling(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    static float from[N], to[N];
    struct scaling *s = data;

    ck_assert_ptr_nonnull(stream);
    ck_ok(cuc_bench_input_read(from, s->from, 0));
    ck_ok(cuc_bench_input_read(to, s->to, 0));
    for (int i = 0; i < N; i++) {
        float x = from[i];
        for (uint32_t t = 0; t < s->turns; t++)
            x = 0.75f - x;
        if (s->wrong || to[i] != x) // one rounded operation has the same result on every device
            return snprintf(why, why_size, "element %d is %g", i, (double)to[i]) > 0;
    }
    return CUC_OK;
}

static void release_kernel(void *kernel)
{
    cuc_kernel_release(kernel);
}

static cuc_status make(struct scaling *s, cuc_bench_state *state)
{
    cuc_status st = cuc_object_get_kernel(&s->kernel, object, "scale");

    if (st < 0)
        return st;
    ck_ok(cuc_bench_state_defer(state, release_kernel, s->kernel));
    st = cuc_bench_state_add_input(&s->from, state, CUC_BENCH_INPUT(.count = N, .dtype = CUC_F32));
    if (st < 0)
        return st;
    return cuc_bench_state_add_input(
        &s->to, state, CUC_BENCH_INPUT(.count = N, .dtype = CUC_F32, .fill = CUC_BENCH_ZEROS));
}

static cuc_bench_subject subject_of(struct scaling *s, const char *name)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;

    subject.name = name;
    subject.data = s;
    subject.run = run;
    subject.check = check_scaling;
    return subject;
}

static cuc_status all_modes(cuc_bench_state *state, void *data)
{
    cuc_bench_subject s = subject_of(data, "scale");

    if (make(data, state) < 0)
        return CUC_ERROR_INTERNAL;
    s.prepare = prepare;
    s.batch = BATCH;
    ck_ok(cuc_bench_state_set_work(state, CUC_BENCH_WORK(.bytes = 8 * N)));
    return cuc_bench_state_add_subject(state, &s);
}

static void run_case(cuc_bench_setup setup, void *data, uint32_t modes)
{
    ck_ok(cuc_bench_add_case(bench, CUC_BENCH_CASE(.suite = "s", .name = "c", .setup = setup,
                                                   .data = data, .modes = modes)));
    ck_ok(cuc_bench_run(bench, NULL));
}

CASE("all", .teardown = teardown, .timeout = 60);

TEST(a_subject_is_timed_in_every_mode)
{
    static const uint32_t modes[] = { CUC_BENCH_COLD, CUC_BENCH_HOT, CUC_BENCH_GRAPH,
                                      CUC_BENCH_CPU };
    struct scaling s = { .turns = 100 };
    cuc_bench_peak peak = CUC_BENCH_PEAK_INIT;

    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK });
    run_case(all_modes, &s, CUC_BENCH_COLD | CUC_BENCH_HOT | CUC_BENCH_GRAPH | CUC_BENCH_CPU);
    ck_assert_uint_eq(cuc_bench_result_count(bench), 4);
    for (size_t i = 0; i < 4; i++) {
        cuc_bench_result r = result(i);
        ck_assert_msg(r.outcome == CUC_BENCH_MEASURED, "%s", r.reason);
        ck_assert_uint_eq(r.mode, modes[i]);
        ck_assert_str_eq(r.checked, "passed");
        ck_assert_uint_ge(r.samples, 10);
        ck_assert_uint_eq(r.batch, modes[i] == CUC_BENCH_COLD ? 1 : BATCH);
        ck_assert_double_gt(r.median_s, 0);
        ck_assert_int_eq(isnan(r.cpu_median_s) != 0, modes[i] == CUC_BENCH_CPU);
        ck_assert_double_eq(r.bytes_per_s, 8 * N / r.median_s);
        ck_assert_int_eq(r.disturbed, 0);
        if (cuc_driver_is_simulated())
            ck_assert(isnan(r.share) && !r.peak_name);
    }
    for (size_t i = 1; i < 3; i++) // the time of one run, not of a batch
        ck_assert_double_lt(result(i).min_s, BATCH / 3.0 * result(0).median_s);
    ck_assert_uint_eq(s.sets & 7, 7); // cold mode rotates through the sets
    ck_assert_int_ge(s.prepared, 40);
    if (cuc_driver_is_simulated())
        ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_bench_get_peak(&peak, bench, "copy"),
                 "the device is simulated");
}

static const struct {
    const char *name, *source;
    double value; // 0: measured
    int32_t per;
} peaks[] = {
    { "copy", "measured: copies of 8 MiB", 0, CUC_BENCH_PER_BYTES },
    { "memory", "datasheet: NVIDIA H200", 4.8e12, CUC_BENCH_PER_BYTES },
    { "bf16", "datasheet: NVIDIA H200", 989.5e12, CUC_BENCH_PER_FLOP },
    { "e5m2", "datasheet: NVIDIA H200", 1979e12, CUC_BENCH_PER_FLOP },
};

// The number of distinct bytes in the first large copy of the library, which calls the cuc_copy()
// below; -1: no copy yet.
static int distinct_bytes = -1;

cuc_status cuc_copy(cuc_stream *stream, cuc_device_ptr dst, cuc_device_ptr src, size_t bytes)
{
    static cuc_status (*copy)(cuc_stream *, cuc_device_ptr, cuc_device_ptr, size_t);
    unsigned char some[4096];
    bool seen[256] = { false };
    void *symbol = dlsym(RTLD_NEXT, "cuc_copy");

    memcpy(&copy, &symbol, sizeof(copy));
    if (distinct_bytes < 0 && bytes >= sizeof(some)) {
        ck_ok(cuc_copy_to_host(stream, some, src + bytes - sizeof(some), sizeof(some)));
        ck_ok(cuc_stream_synchronize(stream));
        distinct_bytes = 0;
        for (size_t i = 0; i < sizeof(some); i++) {
            distinct_bytes += !seen[some[i]];
            seen[some[i]] = true;
        }
    }
    return copy(stream, dst, src, bytes);
}

// Pretends that the simulated device is real, to get output that a simulated one does not have.
TEST(a_peak_is_measured_or_read_from_the_data_sheet)
{
    struct scaling s = { .turns = 1 };
    cuc_bench_peak peak = CUC_BENCH_PEAK_INIT, own = CUC_BENCH_PEAK_INIT;

    setenv("CUCORE_SIM_MEMORY", "64M", 1);
    setenv("CUCORE_SIM_ARCH", "sm_90", 1);
    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK, .flush_bytes = 4096 });
    if (!cuc_driver_is_simulated())
        return;
    bench->gpu.simulated = false;
    for (int i = 0; i < CUC_LENGTH(peaks); i++) {
        ck_ok(cuc_bench_get_peak(&peak, bench, peaks[i].name));
        ck_assert_str_eq(peak.name, peaks[i].name);
        ck_assert_int_eq(peak.per, peaks[i].per);
        ck_assert_ptr_eq(strstr(peak.source, peaks[i].source), peak.source);
        ck_assert_double_gt(peak.value, 1e6);
        if (peaks[i].value > 0)
            ck_assert_double_eq(peak.value, peaks[i].value);
    }
    ck_assert_int_gt(distinct_bytes, 250); // the copied data was not all zeros
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_bench_get_peak(&peak, bench, "speed"),
             "no peak \"speed\" is known of NVIDIA H200");
    own.name = "memory"; // overrides the data sheet's
    own.source = "a test";
    own.value = 1e9;
    ck_ok(cuc_bench_set_peak(bench, &own));
    ck_ok(cuc_bench_get_peak(&peak, bench, "memory"));
    ck_assert_double_eq(peak.value, 1e9);
    run_case(all_modes, &s, CUC_BENCH_COLD | CUC_BENCH_CPU);
    ck_assert_msg(result(0).outcome == CUC_BENCH_MEASURED, "%s", result(0).reason);
    ck_assert_str_eq(result(0).peak_name, "copy");
    ck_assert_double_eq(result(0).share, result(0).bytes_per_s / result(0).peak);
    ck_assert(isnan(result(1).share)); // a call's time says nothing about the device
}

TEST(modes_can_be_restricted)
{
    struct scaling s = { .turns = 1 };

    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK, .modes = CUC_BENCH_HOT });
    run_case(all_modes, &s, CUC_BENCH_COLD | CUC_BENCH_HOT);
    ck_assert_uint_eq(cuc_bench_result_count(bench), 1);
    ck_assert_uint_eq(result(0).mode, CUC_BENCH_HOT);
}

static cuc_status waiting_and_not(cuc_bench_state *state, void *data)
{
    struct scaling *two = data;
    cuc_bench_subject waits = subject_of(&two[0], "waits"), other = subject_of(&two[1], "other");

    if (make(&two[0], state) < 0 || make(&two[1], state) < 0)
        return CUC_ERROR_INTERNAL;
    ck_ok(cuc_bench_state_add_subject(state, &waits));
    return cuc_bench_state_add_subject(state, &other);
}

TEST(a_subject_that_waits_while_the_stream_is_held_is_reported_and_does_not_hang)
{
    struct scaling two[] = { { .turns = 1, .waits = true }, { .turns = 1 } };

    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK, .block_timeout_s = 0.2 });
    run_case(waiting_and_not, two, CUC_BENCH_COLD);
    ck_assert_int_eq(result(0).outcome, CUC_BENCH_FAILED);
    ck_assert_ptr_nonnull(strstr(result(0).reason, "waits: run() waited for its stream, or took "
                                                   "more than 0.2 s"));
    ck_assert_str_eq(result(0).checked, "passed");
    ck_assert_int_eq(result(1).outcome, CUC_BENCH_MEASURED);
}

static cuc_status waiting_openly(cuc_bench_state *state, void *data)
{
    cuc_bench_subject s = subject_of(data, "waits");

    if (make(data, state) < 0)
        return CUC_ERROR_INTERNAL;
    s.flags = CUC_BENCH_SYNCHRONISES;
    return cuc_bench_state_add_subject(state, &s);
}

TEST(a_subject_that_declares_its_wait_is_timed_without_holding_the_stream)
{
    struct scaling s = { .turns = 1, .waits = true };

    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK, .block_timeout_s = 0.2 });
    run_case(waiting_openly, &s, CUC_BENCH_COLD | CUC_BENCH_HOT | CUC_BENCH_GRAPH);
    ck_assert_uint_eq(cuc_bench_result_count(bench), 2); // graph mode gives no result
    ck_assert_msg(result(0).outcome == CUC_BENCH_MEASURED, "%s", result(0).reason);
    ck_assert_int_eq(result(1).outcome, CUC_BENCH_MEASURED);
}

static const struct {
    bool wrong, fails;
    const char *reason;
} failures[] = {
    { true, false, "the check failed: element 0 is" },
    { false, true, "run: the seventh is missing" },
};
static const uint32_t failing_modes[] = { CUC_BENCH_COLD, CUC_BENCH_HOT, CUC_BENCH_GRAPH,
                                          CUC_BENCH_CPU };

TEST_RANGE(after_a_failure_the_other_subjects_can_use_the_stream, 0, 2 * CUC_LENGTH(failing_modes))
{
    int f = _i % 2;
    struct scaling two[] = { { .turns = 1, .wrong = failures[f].wrong, .fails = failures[f].fails },
                             { .turns = 1 } };

    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK });
    run_case(waiting_and_not, two, failing_modes[_i / 2]);
    ck_assert_int_eq(result(0).outcome, CUC_BENCH_FAILED);
    ck_assert_ptr_nonnull(strstr(result(0).reason, failures[f].reason));
    ck_assert_msg(result(1).outcome == CUC_BENCH_MEASURED, "%s", result(1).reason);
    if (failures[f].wrong)
        ck_assert_int_eq(two[0].runs, 1); // it ran only for the check
}

// Two subjects write to one array; the second one does nothing.
static cuc_status run_nothing(void *data, cuc_stream *stream, uint64_t set)
{
    (void)data;
    (void)stream;
    (void)set;
    return CUC_OK;
}

static cuc_status one_idle(cuc_bench_state *state, void *data)
{
    struct scaling *s = data;
    cuc_bench_subject works = subject_of(s, "works"), idles = subject_of(s, "idles");

    if (make(s, state) < 0)
        return CUC_ERROR_INTERNAL;
    ck_ok(cuc_bench_state_add_input(
        &s->to, state,
        CUC_BENCH_INPUT(.count = N, .dtype = CUC_F32, .flags = CUC_BENCH_INPUT_RESULT)));
    idles.run = run_nothing;
    ck_ok(cuc_bench_state_add_subject(state, &works));
    return cuc_bench_state_add_subject(state, &idles);
}

TEST(one_subjects_output_is_not_accepted_for_another)
{
    struct scaling s = { .turns = 1 };

    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK });
    run_case(one_idle, &s, CUC_BENCH_COLD);
    // A failed check is reported before any subject is timed.
    ck_assert_str_eq(result(0).subject, "idles");
    ck_assert_int_eq(result(0).outcome, CUC_BENCH_FAILED);
    ck_assert_ptr_nonnull(strstr(result(0).reason, "element 0 is -nan"));
    ck_assert_int_eq(result(1).outcome, CUC_BENCH_MEASURED);
}

static cuc_status fast_and_slow(cuc_bench_state *state, void *data)
{
    struct scaling *two = data;
    cuc_bench_subject slow = subject_of(&two[0], "slow"), fast = subject_of(&two[1], "fast");

    if (make(&two[0], state) < 0 || make(&two[1], state) < 0)
        return CUC_ERROR_INTERNAL;
    slow.flags = CUC_BENCH_PEER;
    ck_ok(cuc_bench_state_add_subject(state, &slow));
    return cuc_bench_state_add_subject(state, &fast);
}

TEST(less_work_is_faster)
{
    uint32_t scale = cuc_driver_is_simulated() ? 1 : 100; // on a GPU, the launch would dominate
    struct scaling two[] = { { .turns = 400 * scale }, { .turns = 20 * scale } };

    open_bench((cuc_bench_options){ 0 });
    run_case(fast_and_slow, two, CUC_BENCH_COLD);
    ck_assert_msg(result(1).verdict == CUC_BENCH_FASTER, "%s: %g",
                  cuc_bench_verdict_name(result(1).verdict), result(1).ratio);
    ck_assert_double_lt(result(1).ratio, 0.6);
}

static cuc_status slowed(cuc_bench_state *state, void *data)
{
    struct scaling *two = data;
    cuc_bench_subject plain = subject_of(&two[0], "plain"), slow = subject_of(&two[1], "slowed");

    if (make(&two[0], state) < 0 || make(&two[1], state) < 0)
        return CUC_ERROR_INTERNAL;
    plain.flags = CUC_BENCH_PEER;
    ck_ok(cuc_bench_state_add_subject(state, &plain));
    return cuc_bench_state_add_subject(state, &slow);
}

TEST(three_percent_more_work_is_slower)
{
    // About 200 us on a GPU, of which the launch and the timer's resolution are 1 %.
    struct scaling two[] = { { .turns = 100000 }, { .turns = 103000 } };

    if (cuc_driver_is_simulated()) {
        printf("skipped: time on the simulated driver is that of a busy machine\n");
        return;
    }
    open_bench((cuc_bench_options){ .max_samples = 200 });
    run_case(slowed, two, CUC_BENCH_COLD);
    ck_assert_msg(result(1).verdict == CUC_BENCH_SLOWER, "%s: %g",
                  cuc_bench_verdict_name(result(1).verdict), result(1).ratio);
    ck_assert_double_eq_tol(result(1).ratio, 1.03, 0.01);
    // Far from 1, and from the ratio that twice the additional work would give.
    ck_assert_double_gt(result(1).ratio_low, 1.015);
    ck_assert_double_lt(result(1).ratio_high, 1.045);
}

static cuc_status run_fault(void *data, cuc_stream *stream, uint64_t set)
{
    (void)set;
    return CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }), (cuc_kernel *)data,
                      (cuc_device_ptr)16);
}

static cuc_status faulting(cuc_bench_state *state, void *data)
{
    cuc_kernel *kernel;

    (void)data;
    ck_ok(cuc_object_get_kernel(&kernel, object, "fault"));
    ck_ok(cuc_bench_state_defer(state, release_kernel, kernel));
    return cuc_bench_state_add_subject(
        state, CUC_BENCH_SUBJECT(.name = "fault", .data = kernel, .run = run_fault,
                                 .unchecked = "it does not come that far"));
}

TEST(a_faulting_kernel_fails_its_point_and_all_later_ones)
{
    struct scaling s = { .turns = 1 };

    setenv("CUCORE_SIM_REPORT", "0", 1);
    open_bench((cuc_bench_options){ .flags = CUC_BENCH_QUICK });
    ck_ok(cuc_bench_add_case(bench,
                             CUC_BENCH_CASE(.suite = "s", .name = "fault", .setup = faulting)));
    run_case(all_modes, &s, CUC_BENCH_COLD);
    ck_assert_int_eq(result(0).outcome, CUC_BENCH_FAILED);
    ck_assert_int_eq(result(1).outcome, CUC_BENCH_FAILED);
    // The message lists the launches: a cold run comes after a flush and the blocking kernel.
    const char *fault = strstr(result(0).reason, "fault grid");
    const char *block = fault ? strstr(fault, "cucore_bench_block") : NULL;
    ck_assert_msg(block && strstr(block, "cucore_bench_flush"), "%s", result(0).reason);
}

int main(void)
{
    return run_tests("bench_modes");
}
