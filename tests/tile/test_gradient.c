// Compares the gradients of functions with central differences in f64 on the interpreter.
#include "base/array.h"
#include "testing.h"
#include "tile/front/elaborate.h"

#include <math.h>

enum { COUNT = 64, RESULTS = 4 };

// A function of x and y, and the ranges from which they are drawn. Kinks and jumps are so rare that
// no random point is near one.
static const struct {
    const char *function;
    double x[2], y[2];
} rows[] = {
    { "-x + y", { -2, 2 }, { -2, 2 } },
    { "abs(x) * y", { -2, 2 }, { -2, 2 } },
    { "exp(x) + exp(-y)", { -2, 2 }, { -2, 2 } },
    { "exp2(x * y)", { -2, 2 }, { -2, 2 } },
    { "expm1(x) - expm1(y)", { -2, 2 }, { -2, 2 } },
    { "log(x) * log2(y)", { 0.3, 3 }, { 0.3, 3 } },
    { "log1p(x / y)", { 0.1, 2 }, { 0.5, 2 } },
    { "sqrt(x) * rsqrt(y)", { 0.3, 3 }, { 0.3, 3 } },
    { "sin(x) * cos(y)", { -3, 3 }, { -3, 3 } },
    { "tan(x) + tan(y)", { -1, 1 }, { -1, 1 } },
    { "sinh(x) * cosh(y)", { -2, 2 }, { -2, 2 } },
    { "y * tanh(x / y)", { -3, 3 }, { 0.5, 2 } },
    { "erf(x) * sigmoid(y)", { -2, 2 }, { -3, 3 } },
    { "x * floor(y) + ceil(x) * round(y) - trunc(x) * y", { -3, 3 }, { -3, 3 } },
    { "x - y", { -2, 2 }, { -2, 2 } },
    { "x / y", { -2, 2 }, { 0.5, 2 } },
    { "x % y + x // y", { -3, 3 }, { 0.5, 2 } },
    { "x ** y + pow(y, 3.0)", { 0.3, 3 }, { -2, 2 } },
    { "x ** 2.0 + 2.0 ** y + x ** 0.0", { -2, 2 }, { -2, 2 } },
    { "atan2(x, y)", { 0.1, 2 }, { -2, 2 } },
    { "copysign(x, y)", { -2, 2 }, { -2, 2 } },
    { "minimum(x, y) + 3.0 * maximum(x, y * y)", { -2, 2 }, { -2, 2 } },
    { "minimum(maximum(x * y, -1.0), 1.0)", { -2, 2 }, { -2, 2 } },
    { "fma(x, y, x * x)", { -2, 2 }, { -2, 2 } },
    { "where(x > y, x * y, x - y * y)", { -2, 2 }, { -2, 2 } },
    { "where(x > 0.0, 1.0, cast(cast(y, i32), f64))", { -2, 2 }, { -2, 2 } },
    { "0.5 * x * (1.0 + tanh(0.7978845608 * (x + 0.044715 * x ** 3.0))) + y * sigmoid(1.702 * y)",
      { -2, 2 },
      { -2, 2 } },
    { "log(exp(x) + exp(y))", { -2, 2 }, { -2, 2 } },
};

static uint64_t seed = 1;

static double between(const double range[2])
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return range[0] + (range[1] - range[0]) * (double)(seed >> 11) / 0x1p53;
}

CASE("gradient");

TEST_ROWS(gradients_are_central_differences, rows)
{
    static const double one[] = { -1, 1 };
    const int64_t shape[] = { COUNT }, results[] = { RESULTS, COUNT };
    double x[COUNT], y[COUNT], d[COUNT], o[RESULTS][COUNT];
    double *const all[] = { x, y, d, o[0] };
    char source[2048];
    cuc_program *p = NULL;
    cuc_tensor t[4];
    cuc_arg args[4];

    seed = (uint64_t)_i + 1;
    for (int i = 0; i < COUNT; i++) {
        x[i] = between(rows[_i].x);
        y[i] = between(rows[_i].y);
        d[i] = between(one);
    }
    snprintf(source, sizeof(source),
             "fn f(x, y) { return %s }\n"
             "kernel k(x: f64[N], y: f64[N], d: f64[N], o: f64[R, N]) const H = 1e-5 {\n"
             "    a, b, c = load(x, [0], [%d]), load(y, [0], [%d]), load(d, [0], [%d])\n"
             "    r = f(a, b)\n"
             "    store(o, [0, 0], gradient(r, a, c))\n"
             "    store(o, [1, 0], gradient(r, b, d=c))\n"
             "    store(o, [2, 0], c * (f(a + H, b) - f(a - H, b)) / (2 * H))\n"
             "    store(o, [3, 0], c * (f(a, b + H) - f(a, b - H)) / (2 * H))\n"
             "}\n",
             rows[_i].function, COUNT, COUNT, COUNT);
    ck_assert_msg(cuc_program_create(&p, CUC_SOURCE_TILE, source, 0, NULL) == CUC_OK, "%s: %s",
                  rows[_i].function, cuc_error_log());
    for (int i = 0; i < 4; i++) {
        ck_ok(cuc_tensor_from_pointer(&t[i], (cuc_device_ptr)(uintptr_t)all[i], CUC_F64,
                                      i < 3 ? 1 : 2, i < 3 ? shape : results, -1));
        args[i] = CUC_ARG(&t[i]);
    }
    ck_ok(cuc_tile_interpret(p, NULL, args, 4, CUC_TILE_INTERPRET_OPTIONS(.grid = { 1, 1, 1 })));
    // Differences have an error of H^2 times the third derivative, and of 2^-52 / H.
    for (int i = 0; i < 2 * COUNT; i++) {
        double got = o[i / COUNT][i % COUNT], want = o[2 + i / COUNT][i % COUNT];
        ck_assert_msg(fabs(got - want) <= 1e-7 * (1 + fabs(want)),
                      "%s, x = %g, y = %g: d%s is %.12g, expected %.12g", rows[_i].function,
                      x[i % COUNT], y[i % COUNT], i < COUNT ? "x" : "y", got, want);
    }
    cuc_program_release(p);
}

TEST(every_function_of_floats_has_a_derivative)
{
    int count = 0;

    for (int kind = 0; kind < TILE_OP_COUNT; kind++) {
        const struct tile_op_info *op = &tile_op_infos[kind];
        char source[512];
        if (!(op->traits & TILE_FLOAT_ONLY) || !tile_is_builtin(op->name) || kind == TILE_ISNAN ||
            kind == TILE_ISINF)
            continue;
        snprintf(source, sizeof(source),
                 "kernel k(a: f32[N]) grid 1 {\n    x = load(a, [0], [64])\n"
                 "    store(a, [0], gradient(%s(%s), x))\n}\n",
                 op->name,
                 strcmp(op->operands, "x") == 0     ? "x"
                 : strcmp(op->operands, "x y") == 0 ? "x, x"
                                                    : "x, x, x");
        struct tile_module *module = tile_parse("k.tile", source, strlen(source), NULL, 0);
        ck_assert_msg(module && !module->diagnostics->errors, "%s: %s", op->name,
                      module ? tile_diagnostics_text(module, false) : "no memory");
        tile_module_free(module);
        count++;
    }
    ck_assert_int_gt(count, 20);
}

int main(void)
{
    return run_tests("tile gradient");
}
