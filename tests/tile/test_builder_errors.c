// Tests the errors of the C builder: errors that source text can have too, reported at the caller's
// line, and misuse of the calls, which is reported in the same way.
#include "base/array.h"
#include "builder_testing.h"
#include "tests.h"

static void add(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    result[0] = cuc_tile_add(K, x[0], y[0]);
}

// ---- Errors that source text can have too

struct head {
    cuc_tile a, b, i, u, e, s;
};

static const char head_text[] =
    "kernel k(a: f32[N], b: f16[M, K], i: i32[N], u: u32[N], e: e4m3[N], s: i32) {";

static struct head begin(cuc_tile_program *p)
{
    struct head h;

    cuc_tile_kernel_begin(K, "k");
    h.a = cuc_tile_tensor(K, "a", CUC_F32, "N");
    h.b = cuc_tile_tensor(K, "b", CUC_F16, "M, K");
    h.i = cuc_tile_tensor(K, "i", CUC_I32, "N");
    h.u = cuc_tile_tensor(K, "u", CUC_U32, "N");
    h.e = cuc_tile_tensor(K, "e", CUC_E4M3, "N");
    h.s = cuc_tile_scalar(K, "s", CUC_I32);
    return h;
}

#define W p, "w.c", 77u
#define ZEROS(dtype, ...) cuc_tile_zeros(K, CUC_##dtype, CUC_SHAPE(__VA_ARGS__))
#define LOAD(t) cuc_tile_load(K, h->t, CUC_TILES(I(0)), CUC_SHAPE(8), NULL)
#define ERROR(name) static void name(cuc_tile_program *p, const struct head *h)

ERROR(e_exp)
{
    cuc_tile_exp(W, h->s);
}
ERROR(e_bitand)
{
    cuc_tile_bitand(W, LOAD(a), LOAD(a));
}
ERROR(e_bools)
{
    cuc_tile_add(W, cuc_tile_lt(K, h->s, I(1)), cuc_tile_gt(K, h->s, I(2)));
}
ERROR(e_restricted)
{
    cuc_tile_mul(W, LOAD(e), LOAD(e));
}
ERROR(e_signs)
{
    cuc_tile x = LOAD(i);
    cuc_tile_add(W, x, LOAD(u));
}
ERROR(e_range)
{
    cuc_tile_add(W, cuc_tile_cast(K, h->s, CUC_I8, 0), I(300));
}
ERROR(e_iota)
{
    (void)h;
    cuc_tile_iota(W, CUC_I8, 200);
}
ERROR(e_bitcast)
{
    cuc_tile_bitcast(W, h->s, CUC_F16);
}
ERROR(e_round)
{
    cuc_tile_cast(W, h->s, CUC_I64, CUC_TILE_RZ);
}
ERROR(e_condition)
{
    cuc_tile_if(W, h->s);
    cuc_tile_end(K);
}
ERROR(e_where)
{
    cuc_tile_where(W, h->s, I(1), I(2));
}
ERROR(e_index)
{
    cuc_tile_load(W, h->a, CUC_TILES(F(0.5)), CUC_SHAPE(8), NULL);
}
ERROR(e_store)
{
    cuc_tile_store(W, h->b, CUC_TILES(I(0), I(0)), LOAD(a), NULL);
}
ERROR(e_mma)
{
    (void)h;
    cuc_tile x = ZEROS(I16, 4, 4);
    cuc_tile_mma(W, x, ZEROS(I16, 4, 4), ZEROS(I32, 4, 4), 0, 0);
}
ERROR(e_atomic)
{
    cuc_tile_store_max(W, h->b, CUC_TILES(I(0), I(0)), ZEROS(F16, 4), NULL);
}
ERROR(e_broadcast)
{
    (void)h;
    cuc_tile x = ZEROS(F32, 4);
    cuc_tile_add(W, x, ZEROS(F32, 3));
}
ERROR(e_reshape)
{
    (void)h;
    cuc_tile_reshape(W, ZEROS(F32, 4, 4), CUC_SHAPE(3, -1));
}
ERROR(e_axis)
{
    (void)h;
    cuc_tile_sum(W, ZEROS(F32, 4), CUC_SHAPE(1));
}
ERROR(e_twice)
{
    (void)h;
    cuc_tile_sum(W, ZEROS(F32, 4, 2), CUC_SHAPE(0, 0));
}
ERROR(e_grid_axis)
{
    (void)h;
    cuc_tile_block(W, 3);
}
ERROR(e_trans)
{
    (void)h;
    cuc_tile_trans(W, ZEROS(F32, 4));
}
ERROR(e_squeeze)
{
    (void)h;
    cuc_tile_squeeze(W, ZEROS(F32, 4, 1), 0);
}
ERROR(e_permute)
{
    (void)h;
    cuc_tile_permute(W, ZEROS(F32, 4, 2), CUC_SHAPE(0, 0));
}
ERROR(e_extent)
{
    (void)h;
    cuc_tile_zeros(W, CUC_F32, CUC_SHAPE(4, 0));
}
ERROR(e_load_extent)
{
    cuc_tile_load(W, h->a, CUC_TILES(I(0)), CUC_SHAPE(0), NULL);
}
ERROR(e_elements)
{
    (void)h;
    cuc_tile_zeros(W, CUC_F32, CUC_SHAPE(4096, 8192));
}
ERROR(e_ranks)
{
    (void)h;
    cuc_tile_zeros(W, CUC_F32, CUC_SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1));
}
ERROR(e_extract)
{
    (void)h;
    cuc_tile_extract(W, ZEROS(F32, 8), CUC_TILES(I(4)), CUC_SHAPE(2));
}
ERROR(e_indices)
{
    cuc_tile_load(W, h->b, CUC_TILES(I(0)), CUC_SHAPE(8, 8), NULL);
}
ERROR(e_tensor)
{
    cuc_tile_add(W, h->a, I(1));
}
ERROR(e_tile)
{
    (void)h;
    cuc_tile_load(W, ZEROS(F32, 8), CUC_TILES(I(0)), CUC_SHAPE(8), NULL);
}
ERROR(e_order)
{
    cuc_tile_load(W, h->a, CUC_TILES(I(0)), CUC_SHAPE(8),
                  CUC_TILE_ACCESS_OPTIONS(.order = CUC_TILE_RELEASE));
}
ERROR(e_scope)
{
    cuc_tile_load(W, h->a, CUC_TILES(I(0)), CUC_SHAPE(8),
                  CUC_TILE_ACCESS_OPTIONS(.scope = CUC_TILE_SCOPE_BLOCK));
}
ERROR(e_latency)
{
    cuc_tile_load(W, h->a, CUC_TILES(I(0)), CUC_SHAPE(8), CUC_TILE_ACCESS_OPTIONS(.latency = 11));
}
ERROR(e_carried)
{
    cuc_tile_variable x = cuc_tile_declare(K, "x", ZEROS(F32, 4));
    cuc_tile_for(K, I(0), h->s, 1);
    cuc_tile_set(K, x, cuc_tile_zeros(W, CUC_F32, CUC_SHAPE(8)));
    cuc_tile_end(K);
}
ERROR(e_break)
{
    (void)h;
    cuc_tile_break(W);
}
ERROR(e_step)
{
    (void)h;
    cuc_tile_for(W, I(0), I(4), 0);
    cuc_tile_end(K);
}
ERROR(e_float_loop)
{
    (void)h;
    cuc_tile_for(W, I(0), F(1.5), 1);
    cuc_tile_end(K);
}
ERROR(e_assert)
{
    (void)h;
    cuc_tile_assert(W, cuc_tile_bool(K, 0), "never");
}
ERROR(e_zero)
{
    (void)h;
    cuc_tile_floordiv(W, I(1), I(0));
}
ERROR(e_print)
{
    cuc_tile_print(W, "{} {}", CUC_TILES(h->s));
}
ERROR(e_identity)
{
    cuc_tile r, x = LOAD(a), one = cuc_tile_cast(K, h->s, CUC_F32, 0);
    cuc_tile_reduce(&r, W, add, NULL, 1, &x, 0, &one);
}

static void loads(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                  const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    cuc_tile_if(K, cuc_tile_gt(K, x[0], y[0]));
    cuc_tile_end(K);
    result[0] = x[0];
}

ERROR(e_impure)
{
    cuc_tile r, x = LOAD(a), zero = F(0.0);
    cuc_tile_reduce(&r, W, loads, NULL, 1, &x, 0, &zero);
}
ERROR(e_grid)
{
    (void)h;
    cuc_tile_grid(W, "N / 2");
}
ERROR(e_fact)
{
    (void)h;
    cuc_tile_fact(W, "N > 0, align(a, 12)");
}
ERROR(e_fact_syntax)
{
    (void)h;
    cuc_tile_fact(W, "N >");
}
ERROR(e_unbound)
{
    (void)h;
    cuc_tile_grid(W, "Q");
}
ERROR(e_four)
{
    (void)h;
    cuc_tile_grid(W, "N, N, N, N");
}

static const struct wrong {
    const char *body; // a text with the same error: a body, or clauses before `{`
    void (*build)(cuc_tile_program *p, const struct head *h);
    const char *says; // the message, if it differs from the text's
} wrongs[] = {
    { "x = exp(s)", e_exp, NULL },
    { "x = load(a, [0], [8]) & load(a, [0], [8])", e_bitand, NULL },
    { "x = (s < 1) + (s > 2)", e_bools, NULL },
    { "x = load(e, [0], [8]) * load(e, [0], [8])", e_restricted, NULL },
    { "x = load(i, [0], [8]) + load(u, [0], [8])", e_signs, NULL },
    { "x = cast(s, i8) + 300", e_range, NULL },
    { "x = iota(i8, 200)", e_iota, NULL },
    { "x = bitcast(s, f16)", e_bitcast, NULL },
    { "x = cast(s, i64, round=rz)", e_round, NULL },
    { "if s { }", e_condition, NULL },
    { "x = where(s, 1, 2)", e_where, NULL },
    { "x = load(a, [0.5], [8])", e_index, NULL },
    { "store(b, [0, 0], load(a, [0], [8]))", e_store, NULL },
    { "x = mma(zeros(i16, [4, 4]), zeros(i16, [4, 4]), zeros(i32, [4, 4]))", e_mma, NULL },
    { "store_max(b, [0, 0], zeros(f16, [4]))", e_atomic, NULL },
    { "x = zeros(f32, [4]) + zeros(f32, [3])", e_broadcast, NULL },
    { "x = reshape(zeros(f32, [4, 4]), [3, -1])", e_reshape, NULL },
    { "x = sum(zeros(f32, [4]), 1)", e_axis, NULL },
    { "x = sum(zeros(f32, [4, 2]), 0, 0)", e_twice, NULL },
    { "x = block(3)", e_grid_axis, NULL },
    { "x = trans(zeros(f32, [4]))", e_trans, NULL },
    { "x = squeeze(zeros(f32, [4, 1]), 0)", e_squeeze, NULL },
    { "x = permute(zeros(f32, [4, 2]), [0, 0])", e_permute, NULL },
    { "x = zeros(f32, [4, 0])", e_extent, NULL },
    { "x = load(a, [0], [0])", e_load_extent, NULL },
    { "x = zeros(f32, [4096, 8192])", e_elements, NULL },
    { "x = zeros(f32, [1, 1, 1, 1, 1, 1, 1, 1, 1])", e_ranks, NULL },
    { "x = extract(zeros(f32, [8]), [4], [2])", e_extract, NULL },
    { "x = load(b, [0], [8, 8])", e_indices, NULL },
    { "x = a + 1", e_tensor, NULL },
    { "x = load(zeros(f32, [8]), [0], [8])", e_tile, NULL },
    { "x = load(a, [0], [8], order=release)", e_order, NULL },
    { "x = load(a, [0], [8], scope=block)", e_scope, NULL },
    { "x = load(a, [0], [8], latency=11)", e_latency, NULL },
    { "x = zeros(f32, [4])\nfor j in 0 .. s { x = zeros(f32, [8]) }", e_carried, NULL },
    { "break", e_break, NULL },
    { "for j in 0 .. 4 step 0 { }", e_step, NULL },
    { "for j in 0 .. 1.5 { }", e_float_loop, NULL },
    { "assert(false, \"never\")", e_assert, NULL },
    { "x = 1 // 0", e_zero, NULL },
    { "print(\"{} {}\", s)", e_print, NULL },
    { "x = reduce(add, [load(a, [0], [8])], 0, [cast(s, f32)])", e_identity, NULL },
    { "x = reduce(branch, [load(a, [0], [8])], 0, [0.0])", e_impure, NULL },
    { "\ngrid N / 2 {", e_grid, NULL },
    { "\nwhere N > 0, align(a, 12) {", e_fact, NULL },
    { "\nwhere N > {", e_fact_syntax, "T004: syntax: expected an expression, got the end" },
    { "\ngrid Q {", e_unbound, NULL },
    { "\ngrid N, N, N, N {", e_four, NULL },
};

// Copies the text from "T123:" to the end of the line.
static void first_message(const char *text, char *to, size_t room)
{
    const char *at = strstr(text, "error T");

    ck_assert_msg(at != NULL, "no error in: %s", text);
    at += strlen("error ");
    snprintf(to, room, "%.*s", (int)strcspn(at, "\n"), at);
}

CASE("builder errors", .timeout = 60);

TEST_ROWS(calls_have_the_errors_of_the_text_at_the_callers_line, wrongs)
{
    const struct wrong *w = &wrongs[_i];
    char text[2048], expected[512], got[512];
    bool clauses = w->body[0] == '\n';
    cuc_tile_program *p = program();

    snprintf(text, sizeof(text),
             "fn add(x, y) { return x + y }\n"
             "fn branch(x, y) { if x > y { }; return x }\n%.*s%s }",
             (int)sizeof(head_text) - (clauses ? 2 : 1), head_text, w->body);
    struct tile_module *module = tile_parse("t.tile", text, strlen(text), NULL, 0);
    first_message(tile_diagnostics_text(module, false), expected, sizeof(expected));
    tile_module_free(module);

    struct head h = begin(p);
    w->build(p, &h);
    cuc_tile_kernel_end(K);
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    const char *log = cuc_tile_program_log(p);
    first_message(log, got, sizeof(got));
    ck_assert_msg(strncmp(log, "w.c:77: error T", 15) == 0, "%s:\n%s", w->body, log);
    if (w->says)
        ck_assert_msg(strstr(got, w->says), "expected %s\ngot %s", w->says, got);
    else
        ck_assert_msg(strcmp(got, expected) == 0, "%s: expected %s\ngot %s", w->body, expected,
                      got);
    ck_assert_msg(!strstr(strstr(log, "error T") + 1, "error T"), "more than one error:\n%s", log);
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_COMPILE);
    ck_assert_str_eq(cuc_error_function(), "cuc_tile_program_finish");
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), got));
    ck_assert_str_eq(cuc_error_log(), log);
    cuc_tile_program_release(p);
}

TEST(all_errors_are_reported_except_those_caused_by_earlier_ones)
{
    cuc_tile_program *p = program();
    struct head h = begin(p);

    cuc_tile x = cuc_tile_exp(p, "one.c", 1, h.s);
    ck_assert_uint_eq(x, 0);
    cuc_tile y = cuc_tile_add(K, x, I(1)); // caused by the first error
    cuc_tile_store(K, h.a, CUC_TILES(I(0)), y, NULL);
    cuc_tile_if(K, y);
    cuc_tile_sum(p, "two.c", 2, ZEROS(F32, 4), CUC_SHAPE(7));
    cuc_tile_else(K);
    cuc_tile_sqrt(p, "three.c", 3, h.s);
    cuc_tile_end(K);
    cuc_tile_for(K, I(0), y, 1);
    cuc_tile_sin(p, "four.c", 4, h.s);
    cuc_tile_end(K);
    cuc_tile_kernel_end(K);
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    const char *log = cuc_tile_program_log(p), *at = log;
    static const char *const places[] = { "one.c:1: error T101: exp", "two.c:2: error T204: sum",
                                          "three.c:3: error T101: sqrt",
                                          "four.c:4: error T101: sin" };
    for (size_t i = 0; i < 4; i++) {
        at = strstr(at, places[i]);
        ck_assert_msg(at != NULL, "%s is missing:\n%s", places[i], log);
        at += strlen(places[i]);
    }
    ck_assert_msg(!strstr(at, "error T"), "%s", log);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "(4 errors)"));
    cuc_tile_program_release(p);
}

static cuc_tile wrong_inside(cuc_tile_program *p, const char *file, uint32_t line, cuc_tile x)
{
    cuc_tile_enter(p, file, line);
    cuc_tile y = cuc_tile_exp(p, "inner.c", 5, x);
    cuc_tile_leave(p);
    return y;
}

static cuc_tile wrong_further_inside(cuc_tile_program *p, const char *file, uint32_t line,
                                     cuc_tile x)
{
    cuc_tile_enter(p, file, line);
    cuc_tile y = wrong_inside(p, "middle.c", 6, x);
    cuc_tile_leave(p);
    return y;
}

static void wrong_combination(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                              const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    (void)y;
    result[0] = wrong_inside(p, "combine.c", 7, x[0]);
}

TEST(an_error_names_the_functions_that_built_the_code)
{
    cuc_tile_program *p = program();
    struct head h = begin(p);
    cuc_tile r, x = cuc_tile_load(K, h.i, CUC_TILES(I(0)), CUC_SHAPE(8), NULL), zero = I(0);

    wrong_further_inside(p, "outer.c", 8, h.s);
    cuc_tile_reduce(&r, p, "reduce.c", 9, wrong_combination, NULL, 1, &x, 0, &zero);
    cuc_tile_cos(p, "after.c", 10, h.s);
    ck_assert_uint_eq(r, 0);
    cuc_tile_kernel_end(K);
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    const char *log = cuc_tile_program_log(p);
    ck_assert_msg(strstr(log, "inner.c:5: error T101: exp: operand x: expected f16, bf16, f32 or "
                              "f64, got i32\n"
                              "middle.c:6: note: called from here\n"
                              "outer.c:8: note: called from here\n"
                              "after.c:10: error T101"),
                  "%s", log);
    cuc_tile_program_release(p);
    p = program();
    h = begin(p);
    x = cuc_tile_load(K, h.i, CUC_TILES(I(0)), CUC_SHAPE(8), NULL);
    zero = I(0);
    cuc_tile_reduce(&r, p, "reduce.c", 9, wrong_combination, NULL, 1, &x, 0, &zero);
    log = cuc_tile_program_log(p);
    ck_assert_msg(strstr(log, "inner.c:5: error T101: exp: operand x: expected f16, bf16, f32 or "
                              "f64, got i32\n"
                              "combine.c:7: note: called from here\n"
                              "reduce.c:9: note: called from here\n"),
                  "%s", log);
    cuc_tile_program_release(p);
}

// ---- Misuse of the calls

ERROR(m_nothing)
{
    cuc_tile_add(W, 0, h->s);
}
ERROR(m_never)
{
    cuc_tile_add(W, h->s, (h->s & 0xff000000) | 12345);
}
ERROR(m_program)
{
    cuc_tile_program *q = program();
    cuc_tile one = cuc_tile_int(CUC_HERE(q), 1);
    cuc_tile_program_release(q);
    cuc_tile_add(W, h->s, one);
}
ERROR(m_kernel)
{
    cuc_tile_kernel_end(K);
    cuc_tile_kernel_begin(K, "other");
    cuc_tile_exp(W, h->a);
}
ERROR(m_loop)
{
    cuc_tile i = cuc_tile_for(K, I(0), h->s, 1);
    cuc_tile_end(K);
    cuc_tile_add(W, i, I(1));
}
ERROR(m_arm)
{
    cuc_tile_if(K, cuc_tile_gt(K, h->s, I(0)));
    cuc_tile x = cuc_tile_add(K, h->s, I(1));
    cuc_tile_else(K);
    cuc_tile_add(W, x, I(1));
    cuc_tile_end(K);
}
ERROR(m_variable)
{
    cuc_tile_variable x = cuc_tile_declare(K, NULL, h->s);
    cuc_tile_add(W, x, I(1));
}
ERROR(m_value)
{
    cuc_tile_get(W, h->s);
}
ERROR(m_old_variable)
{
    cuc_tile_loop(K);
    cuc_tile_variable x = cuc_tile_declare(K, NULL, h->s);
    cuc_tile_break(K);
    cuc_tile_end(K);
    cuc_tile_declare(K, NULL, h->s);
    cuc_tile_set(W, x, h->s);
}
ERROR(m_held_tensor)
{
    cuc_tile_declare(W, NULL, h->a);
}

static void takes_outside(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                          const cuc_tile *y, cuc_tile *result)
{
    (void)count;
    (void)y;
    result[0] = cuc_tile_add(W, x[0], *(const cuc_tile *)user);
}

ERROR(m_outside)
{
    cuc_tile r, x = LOAD(i), s = h->s, zero = I(0);
    cuc_tile_reduce(&r, K, takes_outside, &s, 1, &x, 0, &zero);
}

static void forgets(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                    const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)p;
    (void)count;
    (void)x;
    (void)y;
    (void)result;
}

ERROR(m_forgets)
{
    cuc_tile r, x = LOAD(i), zero = I(0);
    cuc_tile_reduce(&r, W, forgets, NULL, 1, &x, 0, &zero);
}

static void ends_too_much(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                          const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    result[0] = cuc_tile_add(K, x[0], y[0]);
    cuc_tile_end(W);
}

static void leaves_open(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                        const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    result[0] = cuc_tile_add(K, x[0], y[0]);
    cuc_tile_loop(W);
}

static void ends_the_kernel(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                            const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    result[0] = cuc_tile_add(K, x[0], y[0]);
    cuc_tile_kernel_end(W);
}

static void finishes(void *user, cuc_tile_program *p, uint32_t count, const cuc_tile *x,
                     const cuc_tile *y, cuc_tile *result)
{
    (void)user;
    (void)count;
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    result[0] = cuc_tile_add(W, x[0], y[0]);
}

static void with(cuc_tile_program *p, const struct head *h, cuc_tile_combine combine)
{
    cuc_tile r, x = LOAD(i), zero = I(0);
    cuc_tile_reduce(&r, K, combine, NULL, 1, &x, 0, &zero);
}
ERROR(m_ends_too_much)
{
    with(p, h, ends_too_much);
}
ERROR(m_leaves_open)
{
    with(p, h, leaves_open);
}
ERROR(m_ends_the_kernel)
{
    with(p, h, ends_the_kernel);
}
ERROR(m_finishes)
{
    with(p, h, finishes);
}
ERROR(m_end)
{
    (void)h;
    cuc_tile_end(W);
}
ERROR(m_else)
{
    (void)h;
    cuc_tile_else(W);
}
ERROR(m_two_elses)
{
    cuc_tile_if(K, cuc_tile_gt(K, h->s, I(0)));
    cuc_tile_else(K);
    cuc_tile_else(W);
    cuc_tile_end(K);
}
ERROR(m_open)
{
    cuc_tile_if(W, cuc_tile_gt(K, h->s, I(0)));
}
ERROR(m_while)
{
    cuc_tile_while(W, cuc_tile_gt(K, h->s, I(0)));
}
ERROR(m_while_in_if)
{
    cuc_tile_loop(K);
    cuc_tile_if(K, cuc_tile_gt(K, h->s, I(0)));
    cuc_tile_while(W, cuc_tile_gt(K, h->s, I(0)));
    cuc_tile_end(K);
    cuc_tile_end(K);
}
ERROR(m_nesting)
{
    (void)h;
    for (int i = 0; i < 99; i++)
        cuc_tile_loop(K);
    cuc_tile_loop(W);
    for (int i = 0; i < 100; i++)
        cuc_tile_end(K);
}
ERROR(m_variables)
{
    for (int i = 0; i < 64; i++)
        cuc_tile_declare(K, NULL, h->s);
    cuc_tile_declare(W, NULL, h->s);
}
ERROR(m_kernel_in_kernel)
{
    (void)h;
    cuc_tile_kernel_begin(W, "inner");
}
ERROR(m_no_kernel)
{
    (void)h;
    cuc_tile_kernel_end(K);
    cuc_tile_block(W, 0);
}
ERROR(m_same_kernel)
{
    (void)h;
    cuc_tile_kernel_end(K);
    cuc_tile_kernel_begin(W, "k");
}
ERROR(m_leave)
{
    (void)h;
    cuc_tile_sum(W, ZEROS(F32, 4), 0, NULL);
    cuc_tile_leave(p);
}
ERROR(m_name)
{
    cuc_tile_name(W, h->s, "for");
}
ERROR(m_name_dtype)
{
    cuc_tile_declare(W, "f32", h->s);
}
ERROR(m_name_call)
{
    cuc_tile_name(W, cuc_tile_add(K, h->s, I(1)), "sum");
}
ERROR(m_name_sign)
{
    (void)h;
    cuc_tile_scalar(W, "a-b", CUC_I32);
}
ERROR(m_no_name)
{
    (void)h;
    cuc_tile_tensor(W, NULL, CUC_I32, "N");
}
ERROR(m_parameter_twice)
{
    (void)h;
    cuc_tile_scalar(W, "a", CUC_I32);
}
ERROR(m_dimension_parameter)
{
    (void)h;
    cuc_tile_scalar(W, "N", CUC_I32);
}
ERROR(m_parameter_late)
{
    cuc_tile_if(K, cuc_tile_gt(K, h->s, I(0)));
    cuc_tile_tensor(W, "q", CUC_I32, "N");
    cuc_tile_end(K);
}
ERROR(m_extents)
{
    (void)h;
    cuc_tile_tensor(W, "q", CUC_I32, "N M");
}
ERROR(m_dimension)
{
    (void)h;
    cuc_tile_dimension(W, "Q");
}
ERROR(m_dtype)
{
    (void)h;
    cuc_tile_zeros(W, CUC_C64, CUC_SHAPE(4));
}
ERROR(m_parameter_dtype)
{
    (void)h;
    cuc_tile_scalar(W, "q", CUC_DTYPE_UNKNOWN);
}
ERROR(m_word)
{
    cuc_tile_cast(W, h->s, CUC_F32, 7);
}
ERROR(m_shape)
{
    cuc_tile_load(W, h->a, CUC_TILES(I(0)), 1, NULL, NULL);
}
ERROR(m_no_index)
{
    cuc_tile_load(W, h->a, 1, NULL, CUC_SHAPE(1), NULL);
}
ERROR(m_nine)
{
    const cuc_tile z = I(0);
    cuc_tile_element(W, h->a, CUC_TILES(z, z, z, z, z, z, z, z, z));
}
ERROR(m_text)
{
    cuc_tile_print(W, NULL, CUC_TILES(h->s));
}
ERROR(m_option)
{
    cuc_tile_store(W, h->a, CUC_TILES(I(0)), I(1), CUC_TILE_ACCESS_OPTIONS(.mask = h->s));
}
ERROR(m_size)
{
    cuc_tile_store(W, h->a, CUC_TILES(I(0)), I(1), &(cuc_tile_access_options){ .order = 1 });
}
ERROR(m_list_length)
{
    (void)h;
    cuc_tile_full_list(W, CUC_F32, CUC_SHAPE(2, 2), CUC_TILES(I(1), I(2), I(3)));
}
ERROR(m_list_long)
{
    cuc_tile many[257];

    (void)h;
    for (int i = 0; i < 257; i++)
        many[i] = I(i);
    cuc_tile_full_list(W, CUC_F32, CUC_SHAPE(257), 257, many);
}
ERROR(m_list_of_tiles)
{
    cuc_tile_full_list(W, CUC_F32, CUC_SHAPE(2), CUC_TILES(I(1), LOAD(a)));
}
ERROR(m_list_range)
{
    (void)h;
    cuc_tile_full_list(W, CUC_U8, CUC_SHAPE(2), CUC_TILES(I(1), I(256)));
}
ERROR(m_nan_of_sum)
{
    cuc_tile_sum_round(W, LOAD(a), 0, NULL, CUC_TILE_NAN);
}
ERROR(m_no_combine)
{
    cuc_tile r, x = LOAD(i), zero = I(0);
    cuc_tile_reduce(&r, W, NULL, NULL, 1, &x, 0, &zero);
}
ERROR(m_no_tiles)
{
    (void)h;
    cuc_tile_scan(NULL, W, forgets, NULL, 9, NULL, 0, NULL, 0);
}
ERROR(m_no_result)
{
    cuc_tile_philox(NULL, W, h->s, h->s);
}
ERROR(m_expand)
{
    cuc_tile_expand(W, h->s, 1);
}
ERROR(m_fact_text)
{
    (void)h;
    cuc_tile_fact(W, NULL);
}
ERROR(m_two_grids)
{
    (void)h;
    cuc_tile_grid(K, "N");
    cuc_tile_grid(W, "N");
}
ERROR(m_finished)
{
    (void)h;
    cuc_tile_kernel_end(K);
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_OK);
    cuc_tile_block(W, 0);
}

static const struct misuse {
    const char *name;
    void (*build)(cuc_tile_program *p, const struct head *h);
    const char *says;
} misuses[] = {
    { "0 as a value", m_nothing, "T510: add: operand x: expected a value, got 0" },
    { "a number that is not a handle", m_never, "T510: add: operand y: expected a value, got 0x" },
    { "a value of another program", m_program,
      "T510: add: operand y: expected a value, got one of" },
    { "a value of another kernel", m_kernel,
      "T510: exp: operand x: the value is of another kernel" },
    { "a loop's variable behind the loop", m_loop,
      "T510: add: operand x: the value is of a block" },
    { "a value of the other arm", m_arm, "T510: add: operand x: the value is of a block that has" },
    { "a variable as a value", m_variable,
      "T510: add: operand x: expected a value, got a variable" },
    { "a value as a variable", m_value, "T510: variable: operand variable: expected a variable" },
    { "a variable of a loop that has ended", m_old_variable,
      "T510: variable: operand variable: the" },
    { "a tensor in a variable", m_held_tensor, "T302: variable: operand value: expected a tile" },
    { "a value from outside of a function", m_outside,
      "T510: add: operand y: the value is from out" },
    { "a function that gives nothing", m_forgets, "T510: reduce: operand result of the function" },
    { "a function that ends too much", m_ends_too_much,
      "T408: end: no loop and no if is open here" },
    { "a function that leaves a loop open", m_leaves_open, "T408: loop: it is not ended" },
    { "a function that ends the kernel", m_ends_the_kernel, "T408: kernel: it cannot end in the" },
    { "a function that finishes the program", m_finishes, "T408: add: the program is finished" },
    { "an end of nothing", m_end,
      "T408: end: no loop and no if is open here: a kernel is ended by" },
    { "an else of nothing", m_else, "T408: else: expected an if" },
    { "two elses", m_two_elses, "T408: else: expected an if that is open, and has no else yet" },
    { "an if that is not ended", m_open, "T408: if: it is not ended: a cuc_tile_end() is missing" },
    { "a while outside of a loop", m_while, "T402: while: it stands in no loop" },
    { "a while in an if", m_while_in_if, "T402: while: it stands in an if" },
    { "loops in loops without end", m_nesting, "T006: loop: nested deeper than 100" },
    { "too many variables", m_variables, "T511: variable: at most 64" },
    { "a kernel in a kernel", m_kernel_in_kernel, "T408: kernel: the one before is not ended" },
    { "an operation without a kernel", m_no_kernel, "T408: block: expected a kernel" },
    { "two kernels of a name", m_same_kernel, "T502: kernel: there are two of the name k" },
    { "leaving what was not entered", m_leave, "T408: leave: expected a cuc_tile_enter()" },
    { "a keyword as a name", m_name, "T511: name: name: expected letters, digits and _" },
    { "a dtype as a name", m_name_dtype, "T511: variable: name: expected letters" },
    { "a call of the language as a name", m_name_call, "T511: name: name: expected letters" },
    { "a sign in a name", m_name_sign,
      "T511: scalar: name: expected letters, digits and _, and no" },
    { "no name", m_no_name, "T511: tensor: name is NULL" },
    { "a parameter twice", m_parameter_twice, "T502: parameter: a is bound already" },
    { "a parameter named like a dimension", m_dimension_parameter, "T502: parameter: N is bound" },
    { "a parameter in an if", m_parameter_late, "T408: tensor: parameters are added outside of" },
    { "extents without a comma", m_extents, "T004: syntax: expected , or the end, got M" },
    { "a dimension that nothing binds", m_dimension, "T501: dimension: no tensor before has a" },
    { "a dtype that tiles do not have", m_dtype, "T511: zeros: expected a dtype of the language" },
    { "no dtype", m_parameter_dtype, "T511: scalar: expected a dtype of the language, got 0" },
    { "a rounding that there is not", m_word, "T511: cast: round: expected 0 to 5, got 7" },
    { "NaN of what has no word for it", m_nan_of_sum,
      "T511: sum_round: round: expected 0 to 5, got 32" },
    { "a list shorter than its shape", m_list_length,
      "T203: full: the shape has 4 elements, the list 3" },
    { "a list that is too long", m_list_long, "T504: full: at most 256 in a list, got 257" },
    { "a list of tiles", m_list_of_tiles, "T209: full: element 1: expected a scalar, got f32" },
    { "an element that the dtype does not have", m_list_range,
      "T103: constant: 256 is out of the range of u8" },
    { "a shape that is NULL", m_shape, "T511: load: shape is NULL, with 1 axes" },
    { "an index that is NULL", m_no_index, "T511: load: index is NULL, with a count of 1" },
    { "nine indices", m_nine, "T504: load_at: at most 8 in a list, got 9" },
    { "a text that is NULL", m_text, "T511: print: text is NULL" },
    { "an option that a store does not have", m_option, "T504: store: there is no argument mask" },
    { "options without their size", m_size,
      "T511: store: cuc_tile_access_options.struct_size is 0" },
    { "no function", m_no_combine, "T511: reduce: combine is NULL" },
    { "nine tiles", m_no_tiles, "T504: scan: expected 1 to 8 tiles, got 9" },
    { "no place for the result", m_no_result, "T511: philox: result is NULL" },
    { "an axis beyond the next", m_expand, "T204: expand: expected a tile of at most 7 axes" },
    { "facts that are NULL", m_fact_text, "T511: fact: text is NULL" },
    { "two grids", m_two_grids, "T502: grid: a second grid of the kernel" },
    { "a call behind the end", m_finished, "T408: block: the program is finished" },
};

TEST_ROWS(misuse_is_an_error_at_the_callers_line, misuses)
{
    const struct misuse *m = &misuses[_i];
    cuc_tile_program *p = program();
    struct head h = begin(p);

    m->build(p, &h);
    cuc_tile_kernel_end(K);
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    const char *log = cuc_tile_program_log(p);
    char place[256];
    snprintf(place, sizeof(place), "w.c:77: error %s", m->says);
    ck_assert_msg(strstr(log, place), "%s: expected %s, got\n%s", m->name, place, log);
    cuc_tile_program_release(p);
}

TEST(open_constructs_are_reported_at_the_end)
{
    cuc_tile_program *p = program();

    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    ck_assert_ptr_nonnull(
        strstr(cuc_error_message(), "error T008: program: expected a kernel, got none"));
    cuc_tile_program_release(p);
    p = program();
    cuc_tile_kernel_begin(p, "a.c", 3, "k");
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    ck_assert_str_eq(cuc_tile_program_log(p), "a.c:3: error T408: kernel: k is not ended\n");
    cuc_tile_program_release(p);
    p = program();
    cuc_tile_enter(p, "a.c", 4);
    cuc_tile_kernel_begin(p, "a.c", 5, "k");
    cuc_tile_kernel_end(p, "a.c", 6);
    ck_assert_int_eq(cuc_tile_program_finish(NULL, p), CUC_ERROR_COMPILE);
    ck_assert_ptr_nonnull(strstr(cuc_tile_program_log(p), "a.c:4: error T408: enter: a cuc_tile_"));
    cuc_tile_program_release(p);
}

TEST(a_null_program_is_refused)
{
    cuc_tile_program *none = NULL;

    ck_assert_uint_eq(cuc_tile_int(CUC_HERE(none), 1), 0);
    ck_assert_int_eq(cuc_error_status(), CUC_ERROR_INVALID_ARGUMENT);
    cuc_tile_end(CUC_HERE(none));
    cuc_tile_leave(none);
    ck_assert_str_eq(cuc_tile_program_log(none), "");
    ck_assert_int_eq(cuc_tile_program_finish(NULL, none), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_int_eq(cuc_tile_program_create(NULL), CUC_ERROR_INVALID_ARGUMENT);
    cuc_tile_program_release(none);
    ck_assert_ptr_null(cuc_tile_program_retain(none));
}

TEST(locations_may_be_unknown_and_file_names_may_change)
{
    cuc_tile_program *p = program();
    char file[8] = "a.c";

    cuc_tile_kernel_begin(p, NULL, 0, "k");
    cuc_tile_block(p, file, 1, 7);
    strcpy(file, "b.c");
    cuc_tile_block(p, file, 1, 7);
    cuc_tile_block(p, NULL, 0, 7);
    strcpy(file, "?");
    const char *log = cuc_tile_program_log(p);
    ck_assert_ptr_nonnull(strstr(log, "a.c:1: error T204"));
    ck_assert_ptr_nonnull(strstr(log, "b.c:1: error T204"));
    ck_assert_ptr_nonnull(strstr(log, "program.tile: error T204"));
    cuc_tile_program_release(p);
}

int main(void)
{
    return run_tests("tile builder errors");
}
