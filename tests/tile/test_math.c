// Compares the tile compiler's elementwise functions with libm's long double, on the simulated
// driver or a GPU: each on edge values and on random arguments of every exponent. Where a
// function's result is not a number, the value that C defines is expected.
//
// Errors are in steps, the number of values of the dtype between a result and the correctly rounded
// one. A function with an approximate instruction runs two more times, with the instruction's
// result moved up and then down by the error that the PTX ISA allows; the bounds must hold in these
// runs too.
//
//     test_tile_math                     the tests
//     test_tile_math --measure [NAME]    the largest errors, as in docs/tile-math.md
//     test_tile_math --all [NAME]        f32 functions of one operand, all 2^32 arguments
#include "base/array.h"
#include "base/arena.h"
#include "tile/emit/emit.h"
#include "tests.h"

#include <cucore/cucore.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long double rsqrtl(long double x)
{
    return 1.0L / sqrtl(x);
}

static double rsqrt(double x)
{
    return 1.0 / sqrt(x);
}

// powl(-INFINITY, -0x1p63) is not zero in glibc 2.36.
static long double powerl(long double x, long double y)
{
    return isinf(x) ? (long double)pow((double)x, (double)y) : powl(x, y);
}

static long double sigmoidl(long double x)
{
    return x < 0 ? expl(x) / (1.0L + expl(x)) : 1.0L / (1.0L + expl(-x));
}

static double sigmoid(double x)
{
    return x < 0 ? exp(x) / (1.0 + exp(x)) : 1.0 / (1.0 + exp(-x));
}

// Bounds in steps for f32 and f64, and the range of the arguments that matter most.
struct function {
    const char *name;
    enum tile_op_kind kind;
    long double (*one)(long double);
    double (*quick)(double);
    long double (*two)(long double, long double);
    int bound[2];
    double low, high;
};
#define ONE(name, kind, f32, f64, low, high)                             \
    {                                                                    \
#name, TILE_##kind, name##l, name, NULL, { f32, f64 }, low, high \
    }
static const struct function functions[] = {
    ONE(exp, EXP, 3, 1, -104, 89),
    ONE(exp2, EXP2, 2, 1, -150, 128),
    ONE(expm1, EXPM1, 2, 2, -18, 89),
    ONE(log, LOG, 1, 1, 0, 4),
    ONE(log2, LOG2, 2, 1, 0, 4),
    ONE(log1p, LOG1P, 2, 2, -1, 4),
    ONE(rsqrt, RSQRT, 2, 1, 0, 4),
    ONE(sin, SIN, 2, 2, -20, 20),
    ONE(cos, COS, 2, 2, -20, 20),
    ONE(tan, TAN, 4, 3, -20, 20),
    ONE(sinh, SINH, 2, 2, -90, 90),
    ONE(cosh, COSH, 2, 2, -90, 90),
    ONE(tanh, TANH, 2, 3, -10, 10),
    ONE(erf, ERF, 2, 2, -6, 6),
    ONE(sigmoid, SIGMOID, 8, 2, -104, 20),
    { "pow", TILE_POW, NULL, NULL, powerl, { 2, 2 }, 0, 4 },
    { "atan2", TILE_ATAN2, NULL, NULL, atan2l, { 2, 2 }, -4, 4 },
    { "copysign", TILE_COPYSIGN, NULL, NULL, copysignl, { 0, 0 }, -4, 4 },
};

// Evaluates its condition even if no test runs.
#define MUST(condition, ...)              \
    do {                                  \
        if (!(condition)) {               \
            fprintf(stderr, __VA_ARGS__); \
            exit(EXIT_FAILURE);           \
        }                                 \
    } while (0)
#define MUST_BE_OK(call) \
    MUST((call) == CUC_OK, "%s: %s\n%s\n", #call, cuc_error_message(), cuc_error_log())

// The kernel

// Approximate instructions, and how far their results may be from the rounded ones (PTX ISA,
// section of each instruction). The unit is the last place of an f32, or of an f64's upper word.
static const struct {
    const char *name;
    int steps;
} approximate[] = {
    { "ex2.approx.ftz.f32", 2 }, // 2 ulp
    { "rcp.approx.ftz.f32", 1 }, // 1 ulp
    { "rsqrt.approx.f32", 2 },   // 2^-22.9
    { "rcp.approx.ftz.f64", 2 }, // 20 bits: only the upper word
};

// Adds `nudge` times those errors to each approximate result in the body that is a number.
static char *nudged(const char *body, bool *any)
{
    size_t room = strlen(body) * 12 + 1, at = 0;
    char *out = malloc(room);

    MUST(out, "no memory\n");
    for (const char *line = body; *line;) {
        const char *end = strchr(line, '\n') + 1;
        memcpy(out + at, line, (size_t)(end - line));
        at += (size_t)(end - line);
        for (int i = 0; i < CUC_LENGTH(approximate); i++) {
            char target[16];
            const char *found = strstr(line, approximate[i].name);
            if (!found || found > end)
                continue;
            *any = true;
            sscanf(found + strlen(approximate[i].name), " %15[%a-z0-9]", target);
            bool wide = target[1] == 'd';
            at += (size_t)sprintf(
                out + at,
                "\ttestp.normal.%s %%number, %s;\n\tsetp.neu.and.%s %%number, %s, %s, %%number;\n"
                "\tmul.lo.s32 %%step, %%nudge, %d;\n%s%s%s%s%s%s",
                wide ? "f64" : "f32", target, wide ? "f64" : "f32", target,
                wide ? "0d0000000000000000" : "0f00000000", approximate[i].steps,
                wide ? "\tcvt.s64.s32 %wide, %step;\n\tshl.b64 %wide, %wide, 32;\n" : "",
                wide ? "\t@%number add.s64 " : "\t@%number add.s32 ", target, ", ", target,
                wide ? ", %wide;\n" : ", %step;\n");
        }
        line = end;
    }
    out[at] = '\0';
    return out;
}

static const char *const versions[][2] = { { "sm_80", "7.0" },
                                           { "sm_90a", "8.0" },
                                           { "sm_100a", "8.6" } };

// Appends to a text an entry (x, y, out, n, nudge) for a function.
static void put_entry(struct tile_text *text, struct tile_module *module, const struct function *f,
                      cuc_dtype dtype, bool *any)
{
    struct tile_kernel *kernel = tile_kernel_create(module, f->name);
    struct tile_emitter e = { .module = module, .kernel = kernel, .variant = dtype == CUC_F64 };
    const char *type = dtype == CUC_F64 ? "f64" : "f32";
    int bytes = dtype == CUC_F64 ? 8 : 4;

    e.prologue.module = e.body.module = e.globals.module = module;
    e.text = &e.body;
    tile_register x = tile_new(&e, tile_class_of(dtype)), y = tile_new(&e, tile_class_of(dtype));
    tile_register out = tile_emit_math(&e, f->kind, dtype, x, f->two ? y : TILE_NO_REGISTER);
    MUST(out && !e.failed, "%s has no PTX\n", f->name);
    char *body = nudged(e.body.at, any);

    if (e.globals.length)
        tile_put_string(text, e.globals.at);
    tile_put(text,
             ".visible .entry %s_%s(.param .u64 px, .param .u64 py, .param .u64 po, .param .u32 n,"
             " .param .s32 k)\n{\n",
             f->name, type);
    static const char *const registers[] = { ".pred %p", ".b16 %h", ".b32 %r", ".b64 %d" };
    for (int i = 0; i < TILE_REGISTER_CLASSES; i++)
        tile_put(text, "\t.reg %s<%u>;\n", registers[i], e.next[i] + 1);
    tile_put_string(text, "\t.reg .b32 %i, %b, %t, %limit, %nudge, %step;\n"
                          "\t.reg .b64 %at, %wide;\n\t.reg .pred %past, %number;\n"
                          "\tmov.u32 %i, %tid.x;\n\tmov.u32 %b, %ctaid.x;\n\tmov.u32 %t, %ntid.x;\n"
                          "\tmad.lo.u32 %i, %b, %t, %i;\n\tld.param.u32 %limit, [n];\n"
                          "\tld.param.s32 %nudge, [k];\n\tsetp.ge.u32 %past, %i, %limit;\n"
                          "\t@%past bra DONE;\n");
    const char *from[] = { "px", "py" };
    tile_register to[] = { x, y };
    for (int i = 0; i < 2; i++)
        tile_put(text,
                 "\tld.param.u64 %%at, [%s];\n\tmad.wide.u32 %%at, %%i, %d, %%at;\n"
                 "\tld.global.b%d %s, [%%at];\n",
                 from[i], bytes, 8 * bytes, tile_name(to[i]));
    tile_put_string(text, body);
    tile_put(text,
             "\tld.param.u64 %%at, [po];\n\tmad.wide.u32 %%at, %%i, %d, %%at;\n"
             "\tst.global.b%d [%%at], %s;\nDONE:\n\tret;\n}\n",
             bytes, 8 * bytes, tile_name(out));
    free(body);
}

static struct tile_module *module_of(struct tile_text *text, const char *const *target)
{
    struct tile_module *module = tile_module_create("math", NULL, 0);

    MUST(module, "no memory\n");
    *text = (struct tile_text){ .module = module };
    tile_put(text, ".version %s\n.target %s\n.address_size 64\n", target[1], target[0]);
    return module;
}

// Runs

enum { BATCH = 1 << 17, WIDE_BATCH = 1 << 22 };

struct run {
    cuc_device *device;
    cuc_stream *stream;
    cuc_memory_resource *managed;
    cuc_buffer *buffer[3];
    union numbers {
        float *f32;
        double *f64;
        uint32_t *u32;
        uint64_t *u64;
    } x, y, out;
    cuc_object *object;
    cuc_kernel *kernel;
    bool any; // whether one of its instructions is approximate
};

static void begin(struct run *r, const struct function *f, bool wide, int room)
{
    union numbers *numbers[] = { &r->x, &r->y, &r->out };
    struct tile_text text;
    struct tile_module *module = module_of(&text, versions[0]);
    char name[32];

    memset(r, 0, sizeof(*r));
    put_entry(&text, module, f, wide ? CUC_F64 : CUC_F32, &r->any);
    MUST_BE_OK(cuc_device_get(&r->device, 0));
    MUST_BE_OK(cuc_stream_create(&r->stream, r->device, NULL));
    MUST_BE_OK(cuc_memory_synchronous_create(&r->managed, r->device, CUC_MEMORY_MANAGED));
    for (int i = 0; i < 3; i++) {
        void *host;
        MUST_BE_OK(cuc_buffer_create(&r->buffer[i], r->stream, r->managed, (size_t)room * 8));
        MUST_BE_OK(cuc_stream_synchronize(r->stream));
        MUST_BE_OK(cuc_buffer_get_host_pointer(&host, r->buffer[i]));
        memset(host, 0, (size_t)room * 8);
        numbers[i]->u64 = host;
    }
    MUST_BE_OK(cuc_object_create(&r->object, CUC_CODE_PTX, text.at, text.length + 1, NULL));
    snprintf(name, sizeof(name), "%s_%s", f->name, wide ? "f64" : "f32");
    MUST_BE_OK(cuc_object_get_kernel(&r->kernel, r->object, name));
    tile_module_free(module);
}

static void compute(struct run *r, int count, int nudge)
{
    MUST_BE_OK(CUC_LAUNCH(
        r->stream, CUC_LAUNCH_CONFIG(.grid = { (uint32_t)(count + 255) / 256 }, .block = { 256 }),
        r->kernel, r->x.u64, r->y.u64, r->out.u64, (uint32_t)count, nudge));
    MUST_BE_OK(cuc_stream_synchronize(r->stream));
}

static void end(struct run *r)
{
    cuc_kernel_release(r->kernel);
    cuc_object_release(r->object);
    for (int i = 0; i < 3; i++)
        cuc_buffer_release(r->buffer[i]);
    cuc_memory_resource_release(r->managed);
    cuc_stream_release(r->stream);
}

// Errors

static int64_t order(bool wide, double x)
{
    if (wide) {
        int64_t bits;
        memcpy(&bits, &x, sizeof(bits));
        return bits < 0 ? INT64_MIN - bits : bits;
    }
    float narrow = (float)x;
    int32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    return bits < 0 ? (int64_t)INT32_MIN - bits : bits;
}

struct error {
    int64_t steps;
    double ulps;
};

// A NaN instead of a number, a number instead of a NaN, or a zero with the wrong sign counts as the
// largest error.
static struct error error_of(bool wide, double got, long double want)
{
    double rounded = wide ? (double)want : (double)(float)want;
    struct error e = { 0, 0 };
    int exponent;

    if (isnan(got) && isnan(rounded))
        return e;
    if (isnan(got) || isnan(rounded) || !signbit(got) != !signbit(rounded))
        return (struct error){ INT64_MAX, INFINITY };
    e.steps = llabs(order(wide, got) - order(wide, rounded));
    if (isinf(got) || isinf(rounded)) {
        e.ulps = (double)e.steps;
        return e;
    }
    frexpl(want, &exponent);
    int least = wide ? -1074 : -149, unit = exponent - (wide ? 53 : 24);
    e.ulps = (double)fabsl(ldexpl((long double)got - want, unit < least ? -least : -unit));
    // Near the midpoint of two numbers, accept either as the rounded one: the simulator's
    // approximations, to which the nudge is added, do not always round to nearest.
    if (e.steps && e.ulps <= (double)e.steps - 0.49)
        e.steps--;
    return e;
}

struct worst {
    struct error error;
    double ulps, x, y, got;
    long double want;
};

static double element(const union numbers *n, bool wide, int i)
{
    return wide ? n->f64[i] : (double)n->f32[i];
}

static void compare(struct worst *w, const struct run *r, const struct function *f, bool wide,
                    int count)
{
    for (int i = 0; i < count; i++) {
        double x = element(&r->x, wide, i), y = element(&r->y, wide, i);
        double got = element(&r->out, wide, i);
        long double want = f->two ? f->two((long double)x, (long double)y) : f->one((long double)x);
        struct error e = error_of(wide, got, want);
        if (e.ulps > w->ulps)
            w->ulps = e.ulps;
        if (e.steps > w->error.steps || (e.steps == w->error.steps && e.ulps > w->error.ulps))
            *w = (struct worst){ e, w->ulps, x, y, got, want };
    }
}

// Arguments

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static double between(double low, double high)
{
    return low + (high - low) * (double)(random64() >> 11) * 0x1p-53;
}

static void put(union numbers *n, bool wide, int i, double x)
{
    if (wide)
        n->f64[i] = x;
    else
        n->f32[i] = (float)x;
}

static void put_bits(union numbers *n, bool wide, int i)
{
    if (wide)
        n->u64[i] = random64();
    else
        n->u32[i] = (uint32_t)(random64() >> 32);
}

// Returns numbers at which a function may change, with their neighbors and with both signs.
static int edges(double *to, bool wide)
{
    static const double values[] = {
        0,
        0x1p-149,
        0x1.8p-149,
        0x1p-127,
        0x1.fffffep-127,
        0x1p-126,
        0x1p-125,
        0x1p-1074,
        0x1p-1060,
        0x1.fffffffffffffp-1023,
        0x1p-1022,
        0x1p-1021,
        0x1p-60,
        0x1p-54,
        0x1p-53,
        0x1p-30,
        0x1p-25,
        0x1p-24,
        0x1p-13,
        1e-5,
        0.1,
        0.25,
        0.2876820724517809,
        0.34657359,
        0.5,
        2.0 / 3,
        M_SQRT1_2,
        M_LN2,
        0.75,
        M_PI_4,
        0.8,
        1,
        1.25,
        4.0 / 3,
        M_SQRT2,
        1.5,
        M_PI_2,
        2,
        M_E,
        3,
        M_PI,
        3.83,
        4,
        4.5,
        5,
        5.86,
        6,
        6.28,
        7.25,
        8.66,
        9.01,
        10,
        12,
        16.6,
        17.3,
        18.7,
        22,
        25,
        30,
        36.04,
        41,
        50.27,
        60,
        64,
        87.33654,
        88,
        88.37626,
        88.72283,
        88.72284,
        89.41598,
        90,
        103.27892,
        103.97208,
        104,
        104.5,
        125,
        126,
        126.5,
        127,
        128,
        148.9,
        149,
        149.5,
        150,
        151,
        160,
        200,
        708.3964,
        709.78,
        709.7827,
        710.4758600739439,
        720,
        745.1332191019411,
        746,
        1000,
        1022,
        1024,
        1073.5,
        1074,
        1075,
        1100,
        1e4,
        83443.0 * M_PI_2,
        105615,
        131071.99,
        131072,
        1e6,
        0x1p23,
        0x1p24,
        0x1p24 + 2,
        0x1p30,
        0x1p31,
        0x1p52,
        0x1p53,
        0x1p53 + 2,
        1e22,
        0x1p62,
        0x1p63,
        0x1p64,
        1e30,
        0x1p126,
        0x1p127,
        0x1.fffffep127,
        0x1p600,
        0x1p1022,
        0x1p1023,
        0x1.fffffffffffffp1023,
        INFINITY,
        NAN,
        6381956970095103.0 * 0x1p797, // as close to a multiple of pi/2 as any f64
    };
    int count = 0;

    for (int i = 0; i < CUC_LENGTH(values); i++)
        for (int step = -1; step <= 1; step++)
            for (int sign = 0; sign < 2; sign++) {
                double x = values[i];
                double to_side = step < 0 ? -INFINITY : INFINITY;
                if (step)
                    x = wide ? nextafter(x, to_side) : (double)nextafterf((float)x, (float)to_side);
                to[count++] = sign ? -x : x;
            }
    return count;
}

enum { EDGES = 1000 };

// Fills arguments: a third has arbitrary bits, and a third is from the range that matters most. For
// functions of two operands, a third has results that are numbers.
static void fill(struct run *r, const struct function *f, bool wide, int count)
{
    for (int i = 0; i < count; i++) {
        put_bits(&r->x, wide, i);
        put_bits(&r->y, wide, i);
        if (i % 3 == 1) {
            double scale = wide && f->high > 60 ? 8 : 1; // arguments near overflow
            put(&r->x, wide, i, between(f->low * scale, f->high * scale));
            put(&r->y, wide, i, between(-4, 4));
        } else if (i % 3 == 2 && f->kind == TILE_POW) {
            double l, x = i % 2 ? between(0.5, 2) : fabs(element(&r->x, wide, i));
            put(&r->x, wide, i, x);
            l = log2(element(&r->x, wide, i));
            put(&r->y, wide, i, (wide ? between(-1075, 1025) : between(-150, 129)) / l);
        } else if (i % 3 == 2 && f->kind == TILE_ATAN2) {
            double x = element(&r->x, wide, i);
            put(&r->y, wide, i, x * between(-3, 3));
        } else if (i % 3 == 2) { // near zero and near 1
            double away = ldexp(between(-1, 1), -(int)(random64() % (wide ? 54 : 25)));
            put(&r->x, wide, i, i % 2 ? away : 1 + away);
        }
    }
}

static void measure(struct worst *w, struct run *r, const struct function *f, bool wide, int nudge,
                    int batches)
{
    static double edge[EDGES];
    int count = edges(edge, wide), n = 0;

    MUST(count <= EDGES, "too many edges\n");
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < (f->two ? count : 1); j++) {
            put(&r->x, wide, n, edge[i]);
            put(&r->y, wide, n, edge[j]);
            if (++n == BATCH || (i + 1 == count && (!f->two || j + 1 == count))) {
                compute(r, n, nudge);
                compare(w, r, f, wide, n);
                n = 0;
            }
        }
    }
    for (int batch = 0; batch < batches; batch++) {
        fill(r, f, wide, BATCH);
        compute(r, BATCH, nudge);
        compare(w, r, f, wide, BATCH);
    }
}

CASE("functions", .timeout = 120);

TEST_RANGE(results_are_within_their_bound, 0, 2 * CUC_LENGTH(functions))
{
    const struct function *f = &functions[_i / 2];
    bool wide = _i % 2;
    struct run r;

    begin(&r, f, wide, BATCH);
    for (int nudge = -1; nudge <= 1; nudge++) {
        struct worst w = { .x = NAN };
        // The simulator's approximations are as exact as possible, so the test nudges them; a GPU
        // has its own errors.
        if (nudge && (!r.any || !cuc_driver_is_simulated()))
            continue;
        measure(&w, &r, f, wide, nudge, 1);
        ck_assert_msg(w.error.steps <= f->bound[wide],
                      "%s of %s, nudged by %d: at %a, %a it is %a, not %La: %" PRId64
                      " steps, the bound is %d",
                      f->name, wide ? "f64" : "f32", nudge, w.x, w.y, w.got, w.want, w.error.steps,
                      f->bound[wide]);
    }
    end(&r);
}

// Values that the C standard defines, for both dtypes.
static const struct {
    const char *name;
    double x, y, want;
} limits[] = {
    { "exp", 0, 0, 1 },
    { "exp", -0.0, 0, 1 },
    { "exp", -INFINITY, 0, 0 },
    { "exp", INFINITY, 0, INFINITY },
    { "exp2", 0, 0, 1 },
    { "exp2", 10, 0, 1024 },
    { "exp2", -INFINITY, 0, 0 },
    { "exp2", INFINITY, 0, INFINITY },
    { "expm1", -0.0, 0, -0.0 },
    { "expm1", -INFINITY, 0, -1 },
    { "expm1", INFINITY, 0, INFINITY },
    { "log", 1, 0, 0 },
    { "log", 0, 0, -INFINITY },
    { "log", -0.0, 0, -INFINITY },
    { "log", -1, 0, NAN },
    { "log", -INFINITY, 0, NAN },
    { "log", INFINITY, 0, INFINITY },
    { "log2", 8, 0, 3 },
    { "log2", 0.125, 0, -3 },
    { "log2", -0.0, 0, -INFINITY },
    { "log1p", -0.0, 0, -0.0 },
    { "log1p", -1, 0, -INFINITY },
    { "log1p", -2, 0, NAN },
    { "log1p", INFINITY, 0, INFINITY },
    { "rsqrt", 0, 0, INFINITY },
    { "rsqrt", -0.0, 0, -INFINITY },
    { "rsqrt", INFINITY, 0, 0 },
    { "rsqrt", -1, 0, NAN },
    { "sin", -0.0, 0, -0.0 },
    { "sin", INFINITY, 0, NAN },
    { "cos", -INFINITY, 0, NAN },
    { "cos", 0, 0, 1 },
    { "tan", -0.0, 0, -0.0 },
    { "tan", INFINITY, 0, NAN },
    { "sinh", -0.0, 0, -0.0 },
    { "sinh", -INFINITY, 0, -INFINITY },
    { "cosh", 0, 0, 1 },
    { "cosh", -INFINITY, 0, INFINITY },
    { "tanh", -0.0, 0, -0.0 },
    { "tanh", -INFINITY, 0, -1 },
    { "erf", -0.0, 0, -0.0 },
    { "erf", INFINITY, 0, 1 },
    { "sigmoid", 0, 0, 0.5 },
    { "sigmoid", -INFINITY, 0, 0 },
    { "sigmoid", INFINITY, 0, 1 },
    { "pow", NAN, 0, 1 },
    { "pow", 1, NAN, 1 },
    { "pow", 0, 0, 1 },
    { "pow", -1, INFINITY, 1 },
    { "pow", -1, -INFINITY, 1 },
    { "pow", 0.5, -INFINITY, INFINITY },
    { "pow", 0.5, INFINITY, 0 },
    { "pow", -2, INFINITY, INFINITY },
    { "pow", -0.0, -3, -INFINITY },
    { "pow", -0.0, -2, INFINITY },
    { "pow", -0.0, 3, -0.0 },
    { "pow", -0.0, 0.5, 0 },
    { "pow", -0.0, -INFINITY, INFINITY },
    { "pow", -INFINITY, 3, -INFINITY },
    { "pow", -INFINITY, -3, -0.0 },
    { "pow", -INFINITY, 0.5, INFINITY },
    { "pow", INFINITY, -1, 0 },
    { "pow", -8, 3, -512 },
    { "pow", -8, 1.0 / 3, NAN },
    { "pow", 2, NAN, NAN },
    { "pow", 3, 4, 81 },
    { "atan2", 0, 1, 0 },
    { "atan2", -0.0, 1, -0.0 },
    { "atan2", 0, 0, 0 },
    { "atan2", -0.0, 0, -0.0 },
    { "atan2", 1, -INFINITY, M_PI },
    { "atan2", 0, -0.0, M_PI },
    { "atan2", -0.0, -0.0, -M_PI },
    { "atan2", 1, 0, M_PI_2 },
    { "atan2", INFINITY, INFINITY, M_PI_4 },
    { "atan2", -INFINITY, -INFINITY, -3 * M_PI_4 },
    { "atan2", NAN, 1, NAN },
    { "atan2", 1, NAN, NAN },
    { "copysign", 2, -0.0, -2 },
    { "copysign", -0.0, 1, 0 },
    { "copysign", -INFINITY, 1, INFINITY },
    { "copysign", 2, -NAN, -2 },
    { "copysign", NAN, 1, NAN },
};

TEST_RANGE(special_values_are_those_of_c, 0, 2 * CUC_LENGTH(functions))
{
    const struct function *f = &functions[_i / 2];
    bool wide = _i % 2;
    struct run r;
    int rows[CUC_LENGTH(limits)], count = 0;

    begin(&r, f, wide, BATCH);
    for (int i = 0; i < CUC_LENGTH(limits); i++) {
        if (strcmp(limits[i].name, f->name) != 0)
            continue;
        put(&r.x, wide, count, limits[i].x);
        put(&r.y, wide, count, limits[i].y);
        rows[count++] = i;
    }
    put(&r.x, wide, count, NAN); // NaN gives NaN unless a row says otherwise
    put(&r.y, wide, count, NAN);
    compute(&r, count + 1, 0);
    for (int i = 0; i < count; i++) {
        double want = limits[rows[i]].want, got = element(&r.out, wide, i);
        ck_assert_msg(error_of(wide, got, (long double)want).steps <= f->bound[wide],
                      "%s of %s at %g, %g: %g, not %g", f->name, wide ? "f64" : "f32",
                      limits[rows[i]].x, limits[rows[i]].y, got, want);
    }
    ck_assert_msg(isnan(element(&r.out, wide, count)), "%s of NaN is a number", f->name);
    end(&r);
}

static struct tile_module *all_of(struct tile_text *text, const char *const *target)
{
    struct tile_module *module = module_of(text, target);
    bool any;

    for (int f = 0; f < CUC_LENGTH(functions); f++)
        for (int wide = 0; wide < 2; wide++)
            put_entry(text, module, &functions[f], wide ? CUC_F64 : CUC_F32, &any);
    return module;
}

TEST_ROWS(their_ptx_is_assembled, versions)
{
    const char *const *target = versions[_i];
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    struct tile_text text;
    struct tile_module *module = all_of(&text, target);

    o.arch = target[0];
    cuc_status st = cuc_program_create(&program, CUC_SOURCE_PTX, text.at, text.length, &o);
    if (st >= 0)
        st = cuc_program_compile(&object, program, CUC_CODE_CUBIN);
    if (st == CUC_ERROR_NOT_FOUND)
        printf("skipped: %s: there is no nvJitLink\n", __func__);
    else
        ck_assert_msg(st == CUC_OK, "%s: %s\n%s", target[0], cuc_error_message(), cuc_error_log());
    cuc_object_release(object);
    cuc_program_release(program);
    tile_module_free(module);
}

// Tables

// Runs f32 functions of one operand on every `step`-th of the 2^32 arguments.
static void measure_all(struct worst *w, struct run *r, const struct function *f, int nudge,
                        uint64_t step)
{
    for (uint64_t at = 0; at < UINT64_C(1) << 32;) {
        int count = 0;
        for (; count < WIDE_BATCH && at < UINT64_C(1) << 32; at += step)
            r->x.u32[count++] = (uint32_t)at;
        compute(r, count, nudge);
        for (int i = 0; i < count; i++) {
            double x = (double)r->x.f32[i], got = (double)r->out.f32[i];
            struct error e = error_of(false, got, (long double)f->quick(x));
            if (e.ulps > w->ulps)
                w->ulps = e.ulps, w->x = x;
            if (e.steps > w->error.steps)
                w->error = e;
        }
    }
}

// `step` of 0 measures as the tests do, with more arguments.
static void tell(const struct function *f, bool wide, uint64_t step)
{
    static const int nudges[] = { 0, 1, -1 };
    struct worst w[3] = { 0 };
    struct run r;

    begin(&r, f, wide, step ? WIDE_BATCH : BATCH);
    for (int i = 0; i < (r.any ? 3 : 1); i++) {
        if (step)
            measure_all(&w[i], &r, f, nudges[i], step);
        else
            measure(&w[i], &r, f, wide, nudges[i], 16);
    }
    printf("%-8s %s %2d %2" PRId64 " %5.2f at %a, %a", f->name, wide ? "f64" : "f32",
           f->bound[wide], w[0].error.steps, w[0].ulps, w[0].x, w[0].y);
    for (int i = 1; i < 3 && r.any; i++)
        printf("  %2" PRId64 " %5.2f", w[i].error.steps, w[i].ulps);
    printf("\n");
    fflush(stdout);
    end(&r);
}

static int tell_all(uint64_t step, const char *name)
{
    printf("function dtype bound; as it is: steps, ulp, where; nudged up and down: steps, ulp\n");
    for (int i = 0; i < 2 * CUC_LENGTH(functions); i++) {
        const struct function *f = &functions[i / 2];
        if ((!name || strcmp(name, f->name) == 0) && (!step || (i % 2 == 0 && !f->two)))
            tell(f, i % 2, step);
    }
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    cuc_device *device;

    for (int i = 0; argc > 2 && strcmp(argv[1], "--ptx") == 0 && i < CUC_LENGTH(versions); i++) {
        struct tile_text text;
        if (strcmp(argv[2], versions[i][0]) != 0)
            continue;
        struct tile_module *module = all_of(&text, versions[i]);
        fputs(text.at, stdout);
        tile_module_free(module);
        return EXIT_SUCCESS;
    }
    if (cuc_device_get(&device, 0) != CUC_OK) {
        printf("skipped: %s\n", cuc_error_message());
        return 77;
    }
    if (argc > 1 && strcmp(argv[1], "--measure") == 0)
        return tell_all(0, argc > 2 ? argv[2] : NULL);
    if (argc > 2 && strcmp(argv[1], "--every") == 0 && atoll(argv[2]) > 0)
        return tell_all((uint64_t)atoll(argv[2]), argc > 3 ? argv[3] : NULL);
    return run_tests_as("tile math", CK_NOFORK, CK_ENV);
}
