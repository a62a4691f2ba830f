// Tests the budgets of compilation: refusals with their codes and texts, an exact count of
// operations, and memory within its limit. Also tests that each part that a source can repeat takes
// time linear in the number of repetitions.
#include "base/array.h"
#include "testing.h"
#include "tile/ir/budget.h"
#include "tile/ir/target.h"
#include "tile/compile/compile.h"
#include "tile/front/elaborate.h"

#include <cucore/tile.h>
#include <cucore/tile_builder.h>
#include <malloc.h>
#include <time.h>

static const char small[] =
    "kernel k(a: f32[N]) grid 1 { store(a, [0], exp(load(a, [0], [256]))) }";
static const char wide[] = "kernel k(a: f64[N], b: f64[N]) grid 1 {\n"
                           "    x = load(a, [0], [4194304])\n"
                           "    static for i in 0 .. 100 { x = sin(x) }\n"
                           "    store(b, [0], x)\n"
                           "}\n";
static const char unrolled[] = "kernel k(a: f32[N]) grid 1 {\n"
                               "    x = load(a, [0], [256])\n"
                               "    static for i in 0 .. 4096 {\n"
                               "        static for j in 0 .. 40 { x = x * x + 0.5 }\n"
                               "    }\n"
                               "    store(a, [0], x)\n"
                               "}\n";
static const char candidates[] =
    "kernel k(a: f32[N]) const A = auto(1, 2), B = auto(1, 2), C = auto(1, 2), D = auto(1, 2),\n"
    "    E = auto(1, 2), F = auto(1, 2), G = auto(1, 2), H = auto(1, 2), I = auto(1, 2) grid 1 {\n"
    "    x = load(a, [0], [256])\n"
    "    static for i in 0 .. 4096 { static for j in 0 .. 2 {\n"
    "        x = x * cast(A + B + C + D + E + F + G + H + I, f32) + x } }\n"
    "    store(a, [0], x)\n"
    "}\n";
static const char sorted[] = "kernel k(a: f32[N]) grid 1 {\n"
                             "    static for i in 0 .. 16 {\n"
                             "        store(a, [i], sort(load(a, [i], [4194304]), 0)) }\n"
                             "}\n";

static uint32_t asked;

static int32_t cancel(void *user)
{
    ck_assert_ptr_eq(user, &asked);
    return ++asked > 1;
}

static int32_t go_on(void *user)
{
    ++*(uint32_t *)user;
    return 0;
}

static void visit(void *user, const char *choice, double seconds)
{
    (void)user;
    ck_assert_ptr_nonnull(choice);
    ck_assert_double_gt(seconds, 0);
}

static const char *const dimension[] = { "N=4096" };

// clang-format off
static const struct {
    const char *source;
    cuc_program_options options; // struct_size is set below
    const char *code, *says[3];
} refused[] = {
    { wide,     { 0 }, "T802", { "sin of f64[4194304]", "33554432 bytes", "3:36" } },
    { unrolled, { 0 }, "T80",  { "budget: ", "and ", "operations" } },
    { sorted,   { 0 }, "T802", { "sort of f32[4194304]", "33554432 bytes", "3:23" } },
    { small, { .budget_operations = 100 }, "T801",    { " operations so far", "its budget is 100" } },
    { small, { .warps = 1, .budget_ptx_bytes = 3000 }, "T802", { " of f32[256]", "3000 bytes" } },
    { small, { .budget_memory_bytes = 50000 }, "T803", { "bytes of memory", "50000" } },
    { small, { .budget_seconds = 1e-9 }, "T804",      { "1e-09 seconds" } },
    { wide,  { .budget_ptx_bytes = UINT64_MAX, .cancel = cancel, .cancel_user = &asked }, "T805",
      { "cancelled by the caller" } },
};
// clang-format on

static cuc_program *program_of(const char *source, const cuc_program_options *with)
{
    cuc_program_options options = *with;
    cuc_program *program;

    options.struct_size = sizeof(options);
    options.arch = "sm_90";
    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, source, 0, &options));
    return program;
}

static void assert_refused(cuc_status st, const char *code, const char *const *says, size_t count)
{
    ck_assert_int_eq(st, CUC_ERROR_COMPILE);
    ck_assert_msg(strncmp(cuc_error_library_symbol(), code, strlen(code)) == 0, "%s, not %s: %s",
                  cuc_error_library_symbol(), code, cuc_error_message());
    for (size_t i = 0; i < count && says[i]; i++)
        ck_assert_msg(strstr(cuc_error_message(), says[i]), "no \"%s\" in: %s", says[i],
                      cuc_error_message());
}

CASE("refused", .timeout = 60);

TEST_ROWS(a_program_beyond_its_budget_is_refused_by_name, refused)
{
    cuc_program *program = program_of(refused[_i].source, &refused[_i].options);
    cuc_object *object = NULL;

    asked = 0;
    for (int again = 0; again < 2; again++) {
        assert_refused(cuc_program_compile(&object, program, CUC_CODE_PTX), refused[_i].code,
                       refused[_i].says, 3);
        ck_assert_ptr_null(object);
    }
    cuc_program_release(program);
}

TEST(dumps_and_candidates_have_budgets_too)
{
    const cuc_program_options few = { .budget_operations = 100 };
    const cuc_program_options some = { .budget_operations = 3000,
                                       .dimensions = dimension,
                                       .dimension_count = 1 };
    const char *says[] = { "operations so far", NULL }, *text = NULL;
    cuc_program *program = program_of(small, &few);
    cuc_tuned_record record = { .struct_size = sizeof(record) };

    assert_refused(cuc_tile_get_ir(&text, NULL, program), "T801", says, 2);
    assert_refused(cuc_tile_get_machine(&text, NULL, program), "T801", says, 2);
    assert_refused(cuc_tile_get_record(&record, program, NULL), "T801", says, 2);
    assert_refused(cuc_tile_interpret(program, NULL, NULL, 0, NULL), "T801", says, 2);
    cuc_program_release(program);
    program = program_of(candidates, &some);
    assert_refused(cuc_tile_visit_candidates(program, NULL, visit, NULL), "T801", says, 1);
    cuc_program_release(program);
}

// The search for the best candidate takes half of the budget, and compilation the other half.
TEST(candidates_take_half_of_a_budget)
{
    const cuc_program_options options = { .dimensions = dimension, .dimension_count = 1 };
    cuc_program *program = program_of(candidates, &options);
    cuc_object *object;

    ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
    cuc_object_release(object);
    cuc_program_release(program);
}

TEST(a_callback_that_does_not_cancel_changes_nothing)
{
    uint32_t calls = 0;
    const cuc_program_options options = { .cancel = go_on, .cancel_user = &calls };
    cuc_program *program = program_of(small, &options);
    cuc_object *object;

    ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
    ck_assert_uint_gt(calls, 0);
    cuc_object_release(object);
    cuc_program_release(program);
}

TEST(invalid_budget_options_are_refused)
{
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program = NULL;

    options.budget_seconds = -1;
    ck_assert_int_eq(cuc_program_create(&program, CUC_SOURCE_TILE, small, 0, &options),
                     CUC_ERROR_INVALID_ARGUMENT);
    options.budget_seconds = 0;
    options.budget_operations = 7;
    ck_assert_int_eq(cuc_program_create(&program, CUC_SOURCE_PTX, ".version 9.0", 0, &options),
                     CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "budget_operations"));
}

// Compiles within a budget, which then holds the resources used.
static bool compiles(struct tile_budget *budget, const char *source)
{
    struct tile_target target;
    struct tile_compiled out;
    char why[128];
    struct tile_module *m =
        tile_parse_kernel(budget, "p.tile", source, strlen(source), NULL, 0, NULL);

    ck_assert_ptr_nonnull(m);
    ck_assert(tile_target_of(&target, 90, false, why, sizeof(why)));
    bool ok = !m->diagnostics->errors && !m->diagnostics->out_of_memory &&
              tile_compile(m, &target, &out);
    ck_assert(ok == !tile_budget_ended(budget));
    tile_module_free(m);
    ck_assert_uint_eq(budget->memory.held, 0);
    return ok;
}

TEST(operations_are_counted_reproducibly)
{
    struct tile_budget budget;

    tile_budget_open(&budget, NULL);
    ck_assert(compiles(&budget, small));
    struct tile_limits limits = { .operations = budget.operations };
    tile_budget_open(&budget, &limits);
    ck_assert(compiles(&budget, small));
    ck_assert_uint_eq(budget.operations, limits.operations);
    limits.operations--;
    tile_budget_open(&budget, &limits);
    ck_assert(!compiles(&budget, small));
    ck_assert_int_eq(budget.ended, TILE_T801);
}

TEST(memory_stays_within_its_limit)
{
    struct tile_budget budget;

    for (size_t limit = 16 * 1024; limit < 1024 * 1024; limit += 37 * 1024) {
        struct tile_limits limits = { .memory_bytes = limit };
        tile_budget_open(&budget, &limits);
        if (!compiles(&budget, small))
            ck_assert(budget.memory.refused);
        ck_assert_uint_le(budget.memory.peak, limit);
    }
}

TEST(built_programs_have_a_budget)
{
    enum { MOST = 20 * 1000 * 1000 };
    cuc_tile_program *p;
    uint32_t calls = 0;

    ck_ok(cuc_tile_program_create(&p));
    cuc_tile_kernel_begin(p, "made.c", 1, "k");
    cuc_tile a = cuc_tile_tensor(p, "made.c", 2, "a", CUC_F32, "N"), x = a;
    for (; x && calls < MOST; calls++)
        x = cuc_tile_block(p, "made.c", 3, 0);
    ck_assert_uint_lt(calls, MOST);
    const char *says[] = { "made.c:3", "budget: ", NULL };
    assert_refused(cuc_tile_program_finish(NULL, p), "T80", says, 3);
    cuc_tile_program_release(p);
}

// Adds blocks until the program refuses one or there are enough.
static uint32_t make_blocks(cuc_tile_program *p, uint32_t most)
{
    uint32_t calls = 0;

    cuc_tile_kernel_begin(p, "made.c", 1, "k");
    cuc_tile x = cuc_tile_tensor(p, "made.c", 2, "a", CUC_F32, "N");
    for (; x && calls < most; calls++)
        x = cuc_tile_block(p, "made.c", 3, 0);
    cuc_tile_kernel_end(p, "made.c", 4);
    return x ? calls : 0;
}

static const struct {
    cuc_tile_budget budget; // struct_size is set below
    const char *code, *says[3];
} made[] = {
    { { .budget_operations = 1000 }, "T801", { "made.c:3", "its budget is 1000" } },
    { { .budget_ptx_bytes = 5000 }, "T802", { "more than the 5000 bytes of text" } },
    { { .budget_memory_bytes = 100000 }, "T803", { "made.c:3", "budget of 100000" } },
    { { .budget_seconds = 1e-9 }, "T804", { "1e-09 seconds" } },
    { { .cancel = cancel, .cancel_user = &asked },
      "T805",
      { "made.c:3", "cancelled by the caller" } },
    { { .budget_seconds = 100, .cancel = go_on, .cancel_user = &asked }, NULL, { NULL } },
    { { .budget_operations = UINT64_MAX }, NULL, { NULL } },
};

TEST_ROWS(built_programs_have_the_given_budget, made)
{
    // MOST calls take longer than the interval between two calls of cancel().
    enum { CALLS = 50 * 1000, MOST = 200 * CALLS };
    cuc_tile_budget budget = made[_i].budget;
    cuc_tile_program *p;

    budget.struct_size = sizeof(budget);
    for (int given = 0; given < 2; given++) { // set before or after the calls
        asked = 0;
        ck_ok(cuc_tile_program_create(&p));
        if (!given)
            ck_ok(cuc_tile_program_set_budget(p, &budget));
        const uint32_t calls = make_blocks(p, budget.cancel == cancel && !given ? MOST : CALLS);
        if (given)
            ck_ok(cuc_tile_program_set_budget(p, &budget));
        if (given && made[_i].budget.cancel)
            testing_sleep_ms(20); // between two calls of cancel()
        cuc_status st = cuc_tile_program_finish(NULL, p);
        if (!made[_i].code)
            ck_ok(st);
        else if (!given)
            assert_refused(st, made[_i].code, made[_i].says, 3);
        if (made[_i].code && !strstr("T802T804", made[_i].code))
            ck_assert_uint_eq(calls, given ? CALLS : 0);
        if (budget.cancel)
            ck_assert_uint_gt(asked, 0);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_program_set_budget(p, NULL), "is finished");
        cuc_tile_program_release(p);
    }
}

TEST(a_larger_budget_lets_a_program_be_made)
{
    const char *says[] = { "its budget is", NULL };
    cuc_tile_program *p;

    for (int larger = 0; larger < 2; larger++) {
        ck_ok(cuc_tile_program_create(&p));
        ck_ok(cuc_tile_program_set_budget(p, CUC_TILE_BUDGET(.budget_operations = 1000)));
        if (larger)
            ck_ok(cuc_tile_program_set_budget(p, NULL)); // all defaults
        (void)make_blocks(p, 10000);
        if (larger)
            ck_ok(cuc_tile_program_finish(NULL, p));
        else
            assert_refused(cuc_tile_program_finish(NULL, p), "T801", says, 1);
        cuc_tile_program_release(p);
    }
}

TEST(invalid_budgets_of_built_programs_are_refused)
{
    cuc_tile_budget budget;
    cuc_tile_program *p;

    cuc_tile_budget_init(&budget, sizeof(budget));
    ck_assert_uint_eq(budget.struct_size, sizeof(budget));
    ck_ok(cuc_tile_program_create(&p));
    ck_ok(cuc_tile_program_set_budget(p, &budget));
    budget.budget_seconds = -1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_program_set_budget(p, &budget),
             "budget_seconds is -1");
    budget.budget_seconds = 0.0 / 0.0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_program_set_budget(p, &budget),
             "budget_seconds is ");
    budget = (cuc_tile_budget){ .struct_size = 1 };
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_program_set_budget(p, &budget), "struct_size");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_program_set_budget(NULL, NULL),
             "program is NULL");
    cuc_tile_program_release(p);
}

// ---- Time

// A source with n parts; `part` is the format of a part and gets its number twice. n is so small
// that the data of 4 n parts fits in caches, because misses would make the time more than linear.
static const struct {
    const char *what, *head, *part, *then, *also, *tail;
    unsigned n;
} many[] = {
    { "names", "kernel k(a: f32[N]) grid 1 {\n", "x%u = %u.0\n", "", NULL, "}\n", 6000 },
    { "names that nothing binds", "kernel k(a: f32[N]) grid 1 {\n", "y%u = zz%u\n", "", NULL, "}\n",
      4000 },
    { "parameters", "kernel k(a: f32[N]", ", p%u: f32[D%u]", ") grid 1 { }\n", NULL, "", 4000 },
    { "functions", "", "fn f_%u(x%u) { return 1 }\n", "kernel k(a: f32[N]) grid 1 {\n",
      "y = f_%u(%u.0)\n", "}\n", 4000 },
    { "kernels", "", "kernel k%u(a: f32[D%u]) grid 1 { }\n", "", NULL, "", 400 },
    { "constants", "kernel k(a: f32[N]) const A = 1", ", C%u = A + %u", " grid 1 { }\n", NULL, "",
      6000 },
    { "equal and different values", "kernel k(a: f32[N]) grid 1 {\nx = load(a, [0], [64])\ny = x\n",
      "x%u = x * %u.5\n", "", "y = y + x%u * %u.5\n", "store(a, [0], y)\n}\n", 700 },
    { "loads", "kernel k(a: f32[N]) grid 1 {\nx = 0.0\n", "x = x + load(a, [%u], [64]) * %u.0\n",
      "", NULL, "store(a, [0], x)\n}\n", 400 },
    { "stores", "kernel k(a: f32[N]) grid 1 {\n", "store(a, [%u], full(f32, [32], %u.0))\n", "",
      NULL, "}\n", 500 },
    { "counts of rows", "kernel k(a: i32[N]) grid 1 {\nr = iota(i32, 32)\n",
      "store(a, [%u], r + %u)\n", "", NULL, "}\n", 500 },
};

static char *source_of(size_t row, unsigned n)
{
    size_t room = 4096 + (size_t)n * 160, at = 0;
    char *text = malloc(room);

    ck_assert_ptr_nonnull(text);
    at += (size_t)snprintf(text + at, room - at, "%s", many[row].head);
    for (int also = 0; also < 2; also++) {
        const char *part = also ? many[row].also : many[row].part;
        for (unsigned i = 0; part && i < n; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            at += (size_t)snprintf(text + at, room - at, part, i, i);
#pragma GCC diagnostic pop
        }
        at += (size_t)snprintf(text + at, room - at, "%s", also ? many[row].tail : many[row].then);
    }
    ck_assert_uint_lt(at, room);
    return text;
}

// Returns CPU seconds, the minimum of several runs.
static double time_of(const char *source)
{
    static const struct tile_limits none = { UINT64_MAX, UINT64_MAX, UINT64_MAX, 0, NULL, NULL };
    double best = 1e9;

    for (int run = 0; run < 3; run++) {
        struct tile_budget budget;
        struct tile_target target;
        struct tile_compiled out;
        struct timespec from, to;
        char why[128];

        ck_assert(tile_target_of(&target, 90, false, why, sizeof(why)));
        tile_budget_open(&budget, &none);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
        struct tile_module *m =
            tile_parse_kernel(&budget, "p.tile", source, strlen(source), NULL, 0, NULL);
        ck_assert_ptr_nonnull(m);
        if (!m->diagnostics->errors)
            (void)tile_compile(m, &target, &out);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
        tile_module_free(m);
        double seconds = (double)(to.tv_sec - from.tv_sec) +
                         1e-9 * (double)(to.tv_nsec - from.tv_nsec);
        best = seconds < best ? seconds : best;
    }
    return best;
}

CASE("linear", .timeout = 60);

TEST_ROWS(time_is_linear, many)
{
    enum { TIMES = 4, LINEAR = 10 }; // for 4 times as many parts; quadratic time would give 16
    char *one = source_of((size_t)_i, many[_i].n),
         *more = source_of((size_t)_i, TIMES * many[_i].n);
    double first = time_of(one), second = time_of(more);

    ck_assert_msg(second < LINEAR * first, "%s: %u take %.1f ms, %u take %.1f ms", many[_i].what,
                  many[_i].n, 1e3 * first, TIMES * many[_i].n, 1e3 * second);
    free(one);
    free(more);
}

int main(void)
{
    // Keep freed memory, so that repeated runs do not measure page faults.
    (void)mallopt(M_MMAP_THRESHOLD, 32 << 20);
    (void)mallopt(M_TRIM_THRESHOLD, 1 << 30);
    return run_device_tests("budget");
}
