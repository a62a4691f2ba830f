// Tests tuning on the simulated driver: the winner is kept, wrong results never win, and arrays
// that kernels write are restored.
#include "tune.h"

#include "bench_testing.h"

#include <cucore/cucore.h>

#include <stdio.h>
#include <unistd.h>

static cuc_device *device;
static cuc_stream *stream;
static char path[] = "/tmp/cucore-tune-XXXXXX";

static void setup(void)
{
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    unlink(path);
}

static void teardown(void)
{
    cuc_stream_release(stream);
    unlink(path);
}

struct told {
    int count, wrong;
    uint32_t compiled, checked, sampled; // candidates; calls
    char first[64], reason[512];
};

static void tell(void *user, const cuc_tune_candidate *c)
{
    struct told *t = user;

    if (!t->count++)
        snprintf(t->first, sizeof(t->first), "%s", c->choice);
    if (!c->reason) {
        ck_assert(c->seconds > 0 && c->ci_low <= c->seconds && c->seconds <= c->ci_high);
        return;
    }
    t->wrong++;
    ck_assert(isnan(c->seconds));
    snprintf(t->reason, sizeof(t->reason), "%s", c->reason);
}

static void progress(void *user, const cuc_tune_progress *p)
{
    struct told *t = user;
    uint32_t *const seen[] = { [CUC_TUNE_COMPILING] = &t->compiled,
                               [CUC_TUNE_CHECKING] = &t->checked,
                               [CUC_TUNE_SAMPLING] = &t->sampled };

    ck_assert_uint_eq(p->struct_size, sizeof(*p));
    ck_assert_int_eq(t->count, 0); // candidates are only reported at the end
    ++*seen[p->step];
    if (p->step == CUC_TUNE_SAMPLING) {
        ck_assert(!p->choice && !p->number);
        return;
    }
    ck_assert_uint_eq(p->number, *seen[p->step]); // candidates are numbered in order
    ck_assert_uint_le(p->number, p->count);
    ck_assert_ptr_nonnull(p->choice);
}

CASE("tune", .setup = setup, .teardown = teardown, .timeout = 60);

TEST_RANGE(the_fastest_tile_of_a_plan_is_kept, 0, 3)
{
    cuc_gemm_options o = CUC_GEMM_OPTIONS_INIT;
    cuc_gemm_choice made = CUC_GEMM_CHOICE_INIT;
    struct told told = { 0 };
    cuc_tune_options tune = { .struct_size = sizeof(tune),
                              .most = 3,
                              .max_seconds = 0.2,
                              .path = path,
                              .tell = tell,
                              .progress = progress,
                              .user = &told };
    char choice[512], text[512];
    cuc_gemm_plan *plan;

    o.dtype = CUC_F16;
    o.m = 70;
    o.n = 128;
    o.k = 96;
    o.activation = CUC_GEMM_RELU; // should make no difference
    if (_i == 1)
        o.form = CUC_GEMM_BATCHED, o.batch = 2;
    if (_i == 2)
        o.activation = CUC_GEMM_SILU; // plans with an activation have separate records
    ck_ok(cuc_gemm_tune(choice, sizeof(choice), device, &o, &tune));
    ck_assert_int_eq(told.count, 3);
    ck_assert_uint_eq(told.compiled, 3);
    ck_assert_uint_eq(told.checked, 3);
    ck_assert_int_eq(told.wrong, 0);
    ck_assert_str_eq(told.first, choice);
    o.tuned = path;
    ck_ok(cuc_gemm_plan_create(&plan, device, &o));
    ck_ok(cuc_gemm_plan_get_choice(&made, plan));
    ck_assert_str_eq(made.by, "tuned");
    snprintf(text, sizeof(text), "BM=%d BN=%d BK=%d", made.tile_m, made.tile_n, made.tile_k);
    ck_assert_msg(strncmp(choice, text, strlen(text)) == 0, "%s, %s", choice, text);
    cuc_gemm_plan_release(plan);
}

// Adds x to y. WRONG changes the result, so a candidate with it must not win.
static const char program[] = "kernel add(x: f32[N], y: f32[N])\n"
                              "    const BN = auto(64, 32), WRONG = auto(0.0, 1.0)\n"
                              "    grid cdiv(N, BN)\n"
                              "{\n"
                              "    i = block(0)\n"
                              "    store(y, [i], load(y, [i], [BN]) + load(x, [i], [BN]) + WRONG)\n"
                              "}\n"
                              "kernel other(x: f32[N]) { store(x, [0], full(f32, [4], 1.0)) }\n";

enum { N = 100 };

static cuc_tensor array(cuc_buffer **buffer, float first)
{
    const int64_t shape[] = { N };
    float numbers[N];
    cuc_tensor t;

    for (int i = 0; i < N; i++)
        numbers[i] = first + (float)i;
    ck_ok(cuc_buffer_create(buffer, stream, NULL, sizeof(numbers)));
    ck_ok(cuc_buffer_write_async(stream, *buffer, 0, numbers, sizeof(numbers)));
    ck_ok(cuc_tensor_from_buffer(&t, *buffer, CUC_F32, 1, shape));
    ck_ok(cuc_stream_synchronize(stream));
    return t;
}

TEST(wrong_candidates_do_not_win_and_arrays_are_restored)
{
    const char *const dimensions[] = { "N=100" };
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    struct told told = { 0 };
    cuc_tune_options tune = { .struct_size = sizeof(tune),
                              .max_seconds = 0.2,
                              .path = path,
                              .tell = tell,
                              .user = &told,
                              .progress = progress };
    cuc_buffer *buffer[2];
    cuc_tensor x = array(&buffer[0], 0.5f), y = array(&buffer[1], -3);
    cuc_arg args[] = { CUC_ARG(&x), CUC_ARG(&y) };
    float after[N];
    char choice[64];
    cuc_program *p;

    o.dimensions = dimensions;
    o.dimension_count = 1;
    ck_ok(cuc_tile_tune(choice, sizeof(choice), device, program, 0, &o, "add", args, 2, &tune));
    ck_assert_int_eq(told.count, 4 + 2 * 3); // two candidates are also tried with other numbers of
                                             // warps
    ck_assert_uint_eq(told.compiled, 10);
    ck_assert_uint_eq(told.checked, 10);
    ck_assert_int_ge(told.wrong, 2);
    ck_assert_ptr_nonnull(strstr(choice, "WRONG=0"));
    ck_assert_msg(strstr(told.reason, "by the first candidate") != NULL, "%s", told.reason);
    ck_ok(cuc_buffer_read_async(stream, after, buffer[1], 0, sizeof(after)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < N; i++)
        ck_assert(after[i] == (float)i - 3);
    // Now the stored record is used.
    o.tuned = path;
    o.remarks = CUC_ON;
    ck_ok(cuc_program_create(&p, CUC_SOURCE_TILE, program, 0, &o));
    cuc_object *object;
    ck_ok(cuc_program_compile(&object, p, CUC_CODE_PTX));
    ck_assert_msg(strstr(cuc_program_log(p), "as was measured") != NULL, "%s", cuc_program_log(p));
    cuc_object_release(object);
    cuc_program_release(p);
    cuc_buffer_release(buffer[0]);
    cuc_buffer_release(buffer[1]);
}

TEST(programs_that_cannot_be_tuned_are_refused)
{
    const char *const dimensions[] = { "N=100" };
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_gemm_options plan = CUC_GEMM_OPTIONS_INIT;
    cuc_tune_options tune = CUC_TUNE_OPTIONS_INIT;
    cuc_buffer *buffer;
    cuc_tensor x = array(&buffer, 0);
    cuc_arg args[] = { CUC_ARG(&x), CUC_ARG(&x) };
    char choice[4];

    o.dimensions = dimensions;
    o.dimension_count = 1;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    tune.max_seconds = 0.1;
    ck_fails(bad, cuc_tile_tune(NULL, 0, NULL, program, 0, &o, "add", args, 2, &tune), "device");
    ck_fails(bad, cuc_tile_tune(NULL, 0, device, program, 0, &o, "add", NULL, 2, &tune), "args");
    struct told told = { 0 };
    tune.tell = tell;
    tune.user = &told;
    ck_fails(bad, cuc_tile_tune(choice, 4, device, program, 0, &o, "add", args, 2, &tune),
             "capacity is 4");
    ck_fails(bad, cuc_tile_tune(choice, 0, device, program, 0, &o, "add", args, 2, &tune),
             "capacity is 0");
    ck_assert_int_eq(told.count, 0); // nothing has been measured yet
    ck_fails(CUC_ERROR_NOT_FOUND,
             cuc_tile_tune(NULL, 0, device, program, 0, &o, "other", args, 1, &tune),
             "there is no candidate"); // the program declares no grid
    plan.dtype = CUC_F16;
    ck_fails(bad, cuc_gemm_tune(NULL, 0, device, &plan, &tune), "m, n and k");
    tune.most = 65;
    ck_fails(bad, cuc_gemm_tune(NULL, 0, device, &plan, &tune), "most is 65");
    cuc_buffer_release(buffer);
}

// The failure is reported before anything is measured.
TEST_RANGE(an_unwritable_file_is_reported_at_once, 0, 4)
{
    static const struct {
        const char *path;
        cuc_status status;
        const char *words;
    } cases[] = {
        { "/nowhere/tuned.tsv", CUC_ERROR_IO, "/nowhere/tuned.tsv cannot be written: No such" },
        { "/", CUC_ERROR_IO, "/ could not be read: Is a directory" },
        { "", CUC_ERROR_INVALID_ARGUMENT, "path is empty" },
        { "/dev/null", CUC_ERROR_INVALID_ARGUMENT, "/dev/null is not a file of records" },
    };
    const char *const dimensions[] = { "N=100" };
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_gemm_options plan = CUC_GEMM_OPTIONS_INIT;
    cuc_tune_options tune = CUC_TUNE_OPTIONS_INIT;
    struct told told = { 0 };
    cuc_buffer *buffer;
    cuc_tensor x = array(&buffer, 0);
    cuc_arg args[] = { CUC_ARG(&x), CUC_ARG(&x) };
    const char *words = cases[_i].words;

    o.dimensions = dimensions;
    o.dimension_count = 1;
    plan.dtype = CUC_F16;
    plan.m = plan.n = plan.k = 64;
    tune.max_seconds = 0.1;
    tune.path = cases[_i].path;
    tune.tell = tell;
    tune.user = &told;
    ck_fails(cases[_i].status, cuc_gemm_tune(NULL, 0, device, &plan, &tune), words);
    ck_fails(cases[_i].status,
             cuc_tile_tune(NULL, 0, device, program, 0, &o, "add", args, 2, &tune), words);
    ck_assert_int_eq(told.count, 0);
    cuc_buffer_release(buffer);
}

TEST(arrays_are_compared_up_to_a_few_roundings)
{
    static const float x[] = { 1, -2, 1000, 0 }, near[] = { 1.0000001f, -2, 1000.0001f, 0.001f };
    static const float far[] = { 1, -2, 1000, 40 };
    static const uint16_t half[] = { 0x3c00, 0xc000, 0x7c00 },
                          half_far[] = { 0x3c00, 0xc000, 0x7bff };
    static const int32_t whole[] = { 1, -5 }, whole_far[] = { 1, -4 };
    char why[128];

    ck_assert(cuc__tune_same(CUC_F32, x, near, 4, 1, 1e-3, why, sizeof(why)));
    ck_assert(!cuc__tune_same(CUC_F32, x, far, 4, 1, 1e-3, why, sizeof(why)));
    ck_assert_str_eq(why, "element 3 is 40, and 0 by the first candidate");
    ck_assert(
        cuc__tune_same(CUC_F32, x, far, 2, 2, 1e-3, why, sizeof(why))); // every second element
    ck_assert(cuc__tune_same(CUC_F16, half, half, 3, 1, 1e-3, why, sizeof(why)));
    ck_assert(!cuc__tune_same(CUC_F16, half, half_far, 3, 1, 1e-3, why, sizeof(why)));
    ck_assert(cuc__tune_same(CUC_I32, whole, whole, 2, 1, 1e-3, why, sizeof(why)));
    ck_assert(!cuc__tune_same(CUC_I32, whole, whole_far, 2, 1, 1e-3, why, sizeof(why)));
    ck_assert(!cuc__tune_same(CUC_C64, x, x, 1, 1, 1e-3, why, sizeof(why)));
}

int main(void)
{
    cuc_found *found = NULL;

    if (cuc_find_library(&found, "nvrtc") < 0) {
        printf("skipped: %s\n", cuc_error_message());
        return 77;
    }
    cuc_found_release(found);
    return run_tests("tune");
}
