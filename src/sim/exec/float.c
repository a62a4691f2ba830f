// f32 and f64 arithmetic, and approximate functions, for which the ISA specifies error bounds.
//
// add, sub, mul, fma, div, rcp and sqrt are correctly rounded in every direction. f32 to nearest
// uses the host's arithmetic. In other directions, f32 computes the result as an exact sum of two
// doubles and rounds it once. f64 in other directions uses the host's arithmetic under
// fesetround(). The approximate functions call libm, which is more accurate than the ISA requires.
//
// A NaN result of f32 is 0x7fffffff. A NaN result of f64 is one of the NaN operands, made quiet, or
// 0xfff8000000000000 if there is none. If several operands are NaN, an H200 prefers b to a in sums
// and products, b to c to a in fma, and a to b in quotients.
#include "base/array.h"
#include "base/cpu.h"
#include "alu.h"
#include "formats.h"

#include <fenv.h>

// Uses the processor's fused multiply-add, if it has one, since the library function is slow.
#if defined(__x86_64__)
#define FUSED __attribute__((target("avx2,fma")))
static bool has_fused(void)
{
    const unsigned needed = CUC__CPU_AVX2 | CUC__CPU_FMA;

    return (cuc__cpu_features() & needed) == needed;
}
#else
#define FUSED
static bool has_fused(void)
{
    return true;
}
#endif

#define INLINE static inline __attribute__((always_inline))

enum { FTZ = 1, SAT = 2, NANS = 4, XORSIGN = 8, ABS = 16 };

static uint32_t flags_of(const struct sim_words *words)
{
    return (sim_has(words, "ftz") ? FTZ : 0) | (sim_has(words, "sat") ? SAT : 0) |
           (sim_has(words, "NaN") ? NANS : 0) | (sim_has(words, "xorsign") ? XORSIGN : 0) |
           (sim_has(words, "abs") ? ABS : 0);
}

static enum sim_rounding rounding_of(const struct sim_words *words)
{
    return sim_has(words, "rz")   ? SIM_RZ
           : sim_has(words, "rm") ? SIM_RM
           : sim_has(words, "rp") ? SIM_RP
                                  : SIM_RN;
}

static uint32_t roundings_in(const struct sim_words *words)
{
    return (uint32_t)sim_has(words, "rn") + sim_has(words, "rz") + sim_has(words, "rm") +
           sim_has(words, "rp") + sim_has(words, "approx") + sim_has(words, "full");
}

// A sum of two doubles, represented exactly by two parts if it is finite.
struct exact {
    double value, rest;
};
INLINE struct exact two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct exact){ sum, (a - (sum - part)) + (b - part) };
}

// Rounds value + rest to f32, in any direction except to nearest.
INLINE float round_exact(struct exact x, enum sim_rounding mode)
{
    float c = (float)x.value;
    double back = (double)c;
    if (c != c)
        return c;
    bool more = x.value > back || (x.value == back && x.rest > 0);
    bool less = x.value < back || (x.value == back && x.rest < 0);
    if (!more && !less)
        return c;
    uint32_t bits = sim_bits32(c), negative = bits >> 31;
    bits -= negative ? more : less; // neighbor toward zero
    bits += mode == SIM_RM ? negative : mode == SIM_RP ? !negative : 0;
    return sim_float32(bits);
}

enum f32_operation {
    F32_ADD,
    F32_SUB,
    F32_MUL,
    F32_FMA,
    F32_DIV,
    F32_RCP,
    F32_SQRT,
    F32_OPERATIONS
};

INLINE float f32_directed(enum f32_operation operation, float a, float b, float c,
                          enum sim_rounding mode)
{
    struct exact x = { 0, 0 };
    double product, rest;
    switch (operation) {
    case F32_SUB:
        b = -b;
        // fall through
    case F32_ADD:
        x = two_sum((double)a, (double)b);
        if (mode == SIM_RM && x.value == 0 && (signbit(a) || signbit(b)))
            return -0.0f;
        break;
    case F32_MUL:
        x.value = (double)a * (double)b; // exact, since it has at most 48 bits
        break;
    case F32_FMA:
        product = (double)a * (double)b;
        x = two_sum(product, (double)c);
        if (mode == SIM_RM && x.value == 0 && (signbit(product) || signbit(c)))
            return -0.0f;
        break;
    case F32_RCP:
        b = a;
        a = 1.0f;
        // fall through
    case F32_DIV:
        x.value = (double)a / (double)b;
        rest = fma(-x.value, (double)b, (double)a); // its sign is exact
        x.rest = b < 0 ? -rest : rest;
        break;
    case F32_SQRT:
        x.value = sqrt((double)a);
        x.rest = fma(-x.value, x.value, (double)a);
        break;
    case F32_OPERATIONS:
        break;
    }
    return round_exact(x, mode);
}

INLINE float f32_nearest(enum f32_operation operation, float a, float b, float c)
{
    switch (operation) {
    case F32_ADD:
        return a + b;
    case F32_SUB:
        return a - b;
    case F32_MUL:
        return a * b;
    case F32_FMA:
        return fmaf(a, b, c);
    case F32_DIV:
        return a / b;
    case F32_RCP:
        return 1.0f / a;
    case F32_SQRT:
        return sqrtf(a);
    case F32_OPERATIONS:
        break;
    }
    return 0;
}

// True if the exact result, rounded to 24 bits with an unbounded exponent, is below the smallest
// normal number. .ftz flushes exactly these results, even if rounding as a subnormal has raised
// them to the smallest normal number. F32_ADD needs no test, since such a small sum is exact.
INLINE bool f32_tiny(enum f32_operation operation, enum sim_rounding mode, float a, float b,
                     float c)
{
    struct exact x = { 1, 0 };
    if (operation == F32_MUL)
        x.value = (double)a * (double)b;
    else if (operation == F32_FMA)
        x = two_sum((double)a * (double)b, (double)c);
    else if (operation == F32_DIV)
        x.value = (double)a / (double)b;
    else if (operation == F32_RCP)
        x.value = 1.0 / (double)a;
    const double size = fabs(x.value), rest = signbit(x.value) ? -x.rest : x.rest;
    // The smallest value that still rounds up to the smallest normal number: half a step below that
    // number or, for directed rounding, anything above its predecessor.
    const bool up = mode == SIM_RP ? !signbit(x.value) : mode == SIM_RM && signbit(x.value);
    const double limit = mode == SIM_RN ? 0x1p-126 - 0x1p-151 : 0x1p-126 - (up ? 0x1p-150 : 0);
    return size < limit || (size == limit && (up ? rest <= 0 : rest < 0));
}

INLINE uint32_t f32_apply(enum f32_operation operation, enum sim_rounding mode, uint32_t flags,
                          float a, float b, float c)
{
    if (flags & FTZ) {
        a = sim_flush32(a);
        b = sim_flush32(b);
        c = sim_flush32(c);
    }
    float d = mode == SIM_RN ? f32_nearest(operation, a, b, c)
                             : f32_directed(operation, a, b, c, mode);
    if (flags & FTZ)
        d = f32_tiny(operation, mode, a, b, c) ? copysignf(0.0f, d) : sim_flush32(d);
    if (flags & SAT)
        d = sim_saturate32(d);
    return sim_canonical32(d);
}

INLINE uint32_t f32_sources(enum f32_operation operation)
{
    return operation == F32_FMA ? 3 : operation == F32_RCP || operation == F32_SQRT ? 1 : 2;
}

INLINE enum sim_next f32_lanes(struct sim_warp *w, const struct sim_op *op, uint32_t mask,
                               enum f32_operation operation, enum sim_rounding mode, uint32_t flags)
{
    const uint32_t sources = f32_sources(operation);
    uint32_t *d = SIM_R32(w, op->o[0]);
    const float *a = SIM_RF32(w, op->o[1]);
    const float *b = sources > 1 ? SIM_RF32(w, op->o[2]) : a;
    const float *c = sources > 2 ? SIM_RF32(w, op->o[3]) : a;
    SIM_ALU_LANES(mask, d[i] = f32_apply(operation, mode, flags, a[i], b[i], c[i]));
    return SIM_NEXT;
}

// Define the handlers of an operation: for rounding to nearest, one per set of flags; for each
// other direction, one that takes the flags from `extra`.
#define F32_HANDLER(name, operation, mode, flags)              \
    SIM_HANDLER(name)                                          \
    {                                                          \
        return f32_lanes(w, op, mask, operation, mode, flags); \
    }
#define F32_HANDLERS(prefix, target, operation)                                            \
    target F32_HANDLER(prefix##_rn, operation, SIM_RN, 0) target F32_HANDLER(              \
        prefix##_rn_ftz, operation, SIM_RN, FTZ)                                           \
    target F32_HANDLER(prefix##_rn_sat, operation, SIM_RN, SAT)                            \
    target F32_HANDLER(prefix##_rn_both, operation, SIM_RN, FTZ | SAT) target F32_HANDLER( \
        prefix##_rz, operation, SIM_RZ, op->extra) target                                  \
    F32_HANDLER(prefix##_rm, operation, SIM_RM, op->extra) target                          \
    F32_HANDLER(prefix##_rp, operation, SIM_RP, op->extra)
#define F32_ROW(prefix)                                                                   \
    {                                                                                     \
        { prefix##_rn, prefix##_rn_ftz, prefix##_rn_sat, prefix##_rn_both }, prefix##_rz, \
            prefix##_rm, prefix##_rp                                                      \
    }
F32_HANDLERS(f32_add, , F32_ADD)
F32_HANDLERS(f32_sub, , F32_SUB)
F32_HANDLERS(f32_mul, , F32_MUL)
F32_HANDLERS(f32_fma, , F32_FMA)
F32_HANDLERS(f32_fused, FUSED, F32_FMA)
F32_HANDLERS(f32_div, , F32_DIV)
F32_HANDLERS(f32_rcp, , F32_RCP)
F32_HANDLERS(f32_sqrt, , F32_SQRT)

static const struct {
    sim_handler *rn[4], *rz, *rm, *rp;
} f32_handlers[F32_OPERATIONS + 1] = {
    [F32_ADD] = F32_ROW(f32_add),   [F32_SUB] = F32_ROW(f32_sub),
    [F32_MUL] = F32_ROW(f32_mul),   [F32_FMA] = F32_ROW(f32_fma),
    [F32_DIV] = F32_ROW(f32_div),   [F32_RCP] = F32_ROW(f32_rcp),
    [F32_SQRT] = F32_ROW(f32_sqrt), [F32_OPERATIONS] = F32_ROW(f32_fused),
};

// Two f32 in a 64-bit register, and f32 with f16 or bf16 operands. `extra` has the operation, the
// rounding, the flags, and the narrow type.
enum { EXTRA_MODE = 4, EXTRA_FLAGS = 8, EXTRA_BF16 = 16 };
SIM_HANDLER(run_f32x2)
{
    const enum f32_operation operation = op->extra & 15;
    const enum sim_rounding mode = op->extra >> EXTRA_MODE & 15;
    const uint32_t flags = op->extra >> EXTRA_FLAGS & 0xff;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const float *a = SIM_RF32(w, op->o[1]), *b = SIM_RF32(w, op->o[2]);
    const float *c = operation == F32_FMA ? SIM_RF32(w, op->o[3]) : a;
    SIM_LANES(mask, lane,
              for (uint32_t k = 2 * lane; k < 2 * lane + 2; k++)
                  d[k] = f32_apply(operation, mode, flags, a[k], b[k], c[k]));
    return SIM_NEXT;
}
SIM_HANDLER(run_f32_mixed)
{
    const enum f32_operation operation = op->extra & 15;
    const enum sim_rounding mode = op->extra >> EXTRA_MODE & 15;
    const uint32_t flags = op->extra >> EXTRA_FLAGS & 0xff;
    const bool bf16 = op->extra >> EXTRA_BF16 & 1, three = operation == F32_FMA;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[2]);
    const uint32_t *at3 = SIM_R32(w, op->o[three ? 3 : 2]);
    SIM_LANES(mask, i, uint32_t x = at1[i] & 0xffff, y = at2[i] & 0xffff;
              float a = bf16 ? sim_bf16_to_f32(x) : sim_f16_to_f32(x), c = sim_float32(at3[i]);
              float b = !three ? c
                        : bf16 ? sim_bf16_to_f32(y)
                               : sim_f16_to_f32(y);
              d[i] = f32_apply(operation, mode, flags, a, b, c));
    return SIM_NEXT;
}

// f64
INLINE uint64_t nan64(double result, double first, double second, double last)
{
    if (result == result)
        return sim_bits64(result);
    double from = first != first ? first : second != second ? second : last;
    return from != from ? sim_bits64(from) | SIM_F64_QUIET : SIM_F64_NAN;
}
static const int directions[] = {
    [SIM_RN] = FE_TONEAREST, [SIM_RZ] = FE_TOWARDZERO, [SIM_RM] = FE_DOWNWARD, [SIM_RP] = FE_UPWARD
};

// If the rounding mode is not the default, operands and result are volatile, so that the compiler
// does not move the calculation across fesetround().
#define F64_OPERANDS(sources)                                        \
    uint64_t *d = SIM_R64(w, op->o[0]);                              \
    const double *at1 = SIM_RF64(w, op->o[1]);                       \
    const double *at2 = (sources) > 1 ? SIM_RF64(w, op->o[2]) : at1; \
    const double *at3 = (sources) > 2 ? SIM_RF64(w, op->o[3]) : at1
#define F64_HANDLERS(name, target, sources, first, second, last, expression)                       \
    target SIM_HANDLER(name)                                                                       \
    {                                                                                              \
        F64_OPERANDS(sources);                                                                     \
        SIM_ALU_LANES(mask, double a = at1[i], b = at2[i], c = at3[i];                             \
                      d[i] = nan64(expression, first, second, last));                              \
        return SIM_NEXT;                                                                           \
    }                                                                                              \
    target SIM_HANDLER(name##_directed)                                                            \
    {                                                                                              \
        const int before = fegetround();                                                           \
        F64_OPERANDS(sources);                                                                     \
        fesetround(directions[op->extra]);                                                         \
        SIM_LANES(mask, i, volatile double a = at1[i], b = at2[i], c = at3[i]; (void)b; (void)c;   \
                  volatile double result = expression; d[i] = nan64(result, first, second, last)); \
        fesetround(before);                                                                        \
        return SIM_NEXT;                                                                           \
    }
F64_HANDLERS(f64_add, , 2, b, a, c, a + b)
F64_HANDLERS(f64_sub, , 2, b, a, c, a - b)
F64_HANDLERS(f64_mul, , 2, b, a, c, a *b)
F64_HANDLERS(f64_fma, , 3, b, c, a, fma(a, b, c))
F64_HANDLERS(f64_fused, FUSED, 3, b, c, a, fma(a, b, c))
F64_HANDLERS(f64_div, , 2, a, b, c, a / b)
F64_HANDLERS(f64_rcp, , 1, a, b, c, 1.0 / a)
F64_HANDLERS(f64_sqrt, , 1, a, b, c, sqrt(a))

static sim_handler *const f64_handlers[F32_OPERATIONS + 1][2] = {
    [F32_ADD] = { f64_add, f64_add_directed },
    [F32_SUB] = { f64_sub, f64_sub_directed },
    [F32_MUL] = { f64_mul, f64_mul_directed },
    [F32_FMA] = { f64_fma, f64_fma_directed },
    [F32_DIV] = { f64_div, f64_div_directed },
    [F32_RCP] = { f64_rcp, f64_rcp_directed },
    [F32_SQRT] = { f64_sqrt, f64_sqrt_directed },
    [F32_OPERATIONS] = { f64_fused, f64_fused_directed },
};

// Picks a rounded form of f32 or f64. The caller must have checked the words.
static sim_handler *pick_rounded(const struct sim_words *words, struct sim_op *op,
                                 enum f32_operation operation)
{
    const enum sim_rounding mode = rounding_of(words);
    const uint32_t flags = flags_of(words);
    const uint32_t row = operation == F32_FMA && has_fused() ? F32_OPERATIONS : operation;

    if (words->type[0] == SIM_F64) {
        op->extra = mode; // rcp accepts .ftz, which has no effect
        return flags & ~(operation == F32_RCP ? FTZ : 0u) ? NULL
                                                          : f64_handlers[row][mode != SIM_RN];
    }
    op->extra = flags;
    return mode == SIM_RZ   ? f32_handlers[row].rz
           : mode == SIM_RM ? f32_handlers[row].rm
           : mode == SIM_RP ? f32_handlers[row].rp
                            : f32_handlers[row].rn[flags];
}

// Picks add, sub, mul, fma and mad.
static sim_handler *pick_arithmetic(const struct sim_words *words, struct sim_op *op)
{
    static const char *const names[] = { "add", "sub", "mul", "fma", "mad" };
    const uint32_t flags = flags_of(words), roundings = roundings_in(words);
    const enum sim_type type = words->type[0];
    uint32_t k = 0;

    while (strcmp(words->statement->word[0], names[k]) != 0)
        k++;
    enum f32_operation operation = k == 4 ? F32_FMA : (enum f32_operation)k;
    if (roundings > 1 || (roundings == 0 && operation == F32_FMA))
        return NULL; // fma requires a rounding
    op->extra = (uint32_t)operation | (uint32_t)rounding_of(words) << EXTRA_MODE |
                flags << EXTRA_FLAGS;
    if (words->types == 1 && (type == SIM_F32 || type == SIM_F64))
        return pick_rounded(words, op, operation);
    if (words->types == 1 && type == SIM_F32X2 && !(flags & SAT) && k != 4)
        return run_f32x2;
    return NULL;
}

// Picks f32 operations with f16 or bf16 operands.
static sim_handler *pick_mixed(const struct sim_words *words, struct sim_op *op)
{
    const char *name = words->statement->word[0];
    const bool bf16 = words->type[1] == SIM_BF16;

    if (words->types != 2 || words->type[0] != SIM_F32 || (!bf16 && words->type[1] != SIM_F16) ||
        roundings_in(words) > 1 || (name[0] == 'f' && roundings_in(words) == 0))
        return NULL;
    op->extra = (uint32_t)(name[0] == 'a'   ? F32_ADD
                           : name[0] == 's' ? F32_SUB
                                            : F32_FMA) |
                (uint32_t)rounding_of(words) << EXTRA_MODE | flags_of(words) << EXTRA_FLAGS |
                (uint32_t)bf16 << EXTRA_BF16;
    return run_f32_mixed;
}

// Defines an approximate function of one f32.
#define APPROXIMATE(name, expression)                                                          \
    SIM_HANDLER(name)                                                                          \
    {                                                                                          \
        const bool ftz = op->extra & FTZ;                                                      \
        uint32_t *d = SIM_R32(w, op->o[0]);                                                    \
        const float *at1 = SIM_RF32(w, op->o[1]);                                              \
        SIM_LANES(mask, i, float a = ftz ? sim_flush32(at1[i]) : at1[i]; float x = expression; \
                  d[i] = sim_canonical32(ftz ? sim_flush32(x) : x));                           \
        return SIM_NEXT;                                                                       \
    }
APPROXIMATE(run_ex2, exp2f(a))
APPROXIMATE(run_lg2, log2f(a))
APPROXIMATE(run_sin, sinf(a))
APPROXIMATE(run_cos, cosf(a))
APPROXIMATE(run_tanh, tanhf(a))
APPROXIMATE(run_rsqrt, (float)(1.0 / sqrt((double)a)))
APPROXIMATE(run_rcp, 1.0f / a)
APPROXIMATE(run_sqrt, sqrtf(a))

// Multiplies a by the reciprocal of b. The reciprocal is 0 if b is above 2^126, so the result is
// then 0, or NaN if a is infinite.
SIM_HANDLER(run_div_approx)
{
    const bool ftz = op->extra & FTZ;
    uint32_t *d = SIM_R32(w, op->o[0]);
    const float *at1 = SIM_RF32(w, op->o[1]), *at2 = SIM_RF32(w, op->o[2]);
    SIM_LANES(mask, i, float a = ftz ? sim_flush32(at1[i]) : at1[i];
              float b = ftz ? sim_flush32(at2[i]) : at2[i];
              float x = fabsf(b) > 0x1p126f && fabsf(b) < INFINITY ? a * copysignf(0.0f, b) : a / b;
              d[i] = sim_canonical32(ftz ? sim_flush32(x) : x));
    return SIM_NEXT;
}

// Approximations in f64 use only the upper word of their operand, with 20 bits of fraction. They
// treat subnormals as zeros, and have their own NaN.
#define UPPER_NAN UINT64_C(0x7fffffff00000000)
INLINE double upper(double x)
{
    uint64_t bits = sim_bits64(x) & 0xffffffff00000000;
    return sim_float64((bits & 0x7ff0000000000000) ? bits : bits & 0x8000000000000000);
}
#define APPROXIMATE64(name, in, out, nan, expression)                         \
    SIM_HANDLER(name)                                                         \
    {                                                                         \
        uint64_t *d = SIM_R64(w, op->o[0]);                                   \
        const double *at1 = SIM_RF64(w, op->o[1]);                            \
        SIM_LANES(mask, i, double a = in(at1[i]); double x = out(expression); \
                  d[i] = x != x ? nan : sim_bits64(x));                       \
        return SIM_NEXT;                                                      \
    }
APPROXIMATE64(run_rcp64, upper, upper, UPPER_NAN, 1.0 / a)
APPROXIMATE64(run_rsqrt64_ftz, upper, upper, UPPER_NAN, 1.0 / sqrt(a))
APPROXIMATE64(run_rsqrt64, , , SIM_F64_NAN, 1.0 / sqrt(a))

// Picks ex2, lg2, sin, cos, tanh and rsqrt, which exist only with .approx.
static sim_handler *pick_approximate(const struct sim_words *words, struct sim_op *op)
{
    static const struct {
        const char *name;
        sim_handler *run;
    } functions[] = { { "ex2", run_ex2 }, { "lg2", run_lg2 },   { "sin", run_sin },
                      { "cos", run_cos }, { "tanh", run_tanh }, { "rsqrt", run_rsqrt } };
    const uint32_t flags = flags_of(words);
    const char *name = words->statement->word[0];

    if (words->types != 1 || !sim_has(words, "approx"))
        return NULL;
    if (words->type[0] == SIM_F64 && strcmp(name, "rsqrt") == 0)
        return flags & FTZ ? run_rsqrt64_ftz : run_rsqrt64;
    if (words->type[0] != SIM_F32)
        return NULL;
    op->extra = flags;
    for (uint32_t k = 0; k < CUC_LENGTH(functions); k++)
        if (strcmp(name, functions[k].name) == 0)
            return functions[k].run;
    return NULL;
}

// Picks div, rcp and sqrt, rounded or approximate.
static sim_handler *pick_quotient(const struct sim_words *words, struct sim_op *op)
{
    const char *name = words->statement->word[0];
    const enum f32_operation operation = name[0] == 'd'   ? F32_DIV
                                         : name[0] == 'r' ? F32_RCP
                                                          : F32_SQRT;
    const enum sim_type type = words->type[0];

    if (words->types != 1 || (type != SIM_F32 && type != SIM_F64) || roundings_in(words) != 1)
        return NULL;
    if (type == SIM_F64 && operation == F32_RCP && sim_has(words, "approx"))
        return flags_of(words) == FTZ ? run_rcp64 : NULL;
    if (!sim_has(words, "approx") && !sim_has(words, "full"))
        return pick_rounded(words, op, operation);
    if (type == SIM_F64)
        return NULL;
    op->extra = flags_of(words);
    return operation == F32_RCP       ? run_rcp
           : operation == F32_SQRT    ? run_sqrt
           : sim_has(words, "approx") ? run_div_approx
           : op->extra & FTZ          ? f32_div_rn_ftz
                                      : f32_div_rn;
}

// Computes min or max. Without .NaN, a number is preferred to a NaN. -0 is less than +0.
INLINE uint32_t f32_select(bool max, uint32_t flags, float a, float b)
{
    if (flags & FTZ) {
        a = sim_flush32(a);
        b = sim_flush32(b);
    }
    uint32_t x = sim_bits32(a), y = sim_bits32(b), sign = 0;
    if (flags & XORSIGN)
        sign = (x ^ y) & 0x80000000;
    if (flags & ABS) {
        x &= 0x7fffffff;
        y &= 0x7fffffff;
        a = sim_float32(x);
        b = sim_float32(y);
    }
    uint32_t equal = max ? x & y : x | y; // matters for zeros; other equal values have equal bits
    uint32_t chosen = (max ? a > b : a < b) ? x : y;
    uint32_t d = a == b ? equal : chosen;
    d = b != b ? x : d;
    d = a != a ? y : d;
    bool nan = flags & NANS ? a != a || b != b : a != a && b != b;
    return nan ? SIM_F32_NAN : d | sign;
}
#define SELECT_HANDLER(name, max, flags)                                    \
    SIM_HANDLER(name)                                                       \
    {                                                                       \
        uint32_t *d = SIM_R32(w, op->o[0]);                                 \
        const float *a = SIM_RF32(w, op->o[1]), *b = SIM_RF32(w, op->o[2]); \
        SIM_ALU_LANES(mask, d[i] = f32_select(max, flags, a[i], b[i]));     \
        return SIM_NEXT;                                                    \
    }
#define SELECT3_HANDLER(name, max)                                                         \
    SIM_HANDLER(name)                                                                      \
    {                                                                                      \
        uint32_t *d = SIM_R32(w, op->o[0]);                                                \
        const float *a = SIM_RF32(w, op->o[1]), *b = SIM_RF32(w, op->o[2]);                \
        const float *c = SIM_RF32(w, op->o[3]);                                            \
        SIM_ALU_LANES(mask, float x = sim_float32(f32_select(max, op->extra, a[i], b[i])); \
                      d[i] = f32_select(max, op->extra, x, c[i]));                         \
        return SIM_NEXT;                                                                   \
    }
#define SELECT64_HANDLER(name, compare, combine)                                 \
    SIM_HANDLER(name)                                                            \
    {                                                                            \
        uint64_t *d = SIM_R64(w, op->o[0]);                                      \
        const double *at1 = SIM_RF64(w, op->o[1]), *at2 = SIM_RF64(w, op->o[2]); \
        SIM_ALU_LANES(mask, double a = at1[i], b = at2[i];                       \
                      uint64_t x = sim_bits64(a), y = sim_bits64(b);             \
                      uint64_t r = a == b        ? x combine y                   \
                                   : a compare b ? x                             \
                                                 : y;                            \
                      r = b != b ? x : r; r = a != a ? y : r;                    \
                      d[i] = a != a && b != b ? y | SIM_F64_QUIET : r);          \
        return SIM_NEXT;                                                         \
    }
SELECT_HANDLER(f32_min, false, 0)
SELECT_HANDLER(f32_max, true, 0)
SELECT_HANDLER(f32_min_ftz, false, FTZ)
SELECT_HANDLER(f32_max_ftz, true, FTZ)
SELECT_HANDLER(f32_min_nan, false, NANS)
SELECT_HANDLER(f32_max_nan, true, NANS)
SELECT_HANDLER(f32_min_any, false, op->extra)
SELECT_HANDLER(f32_max_any, true, op->extra)
SELECT3_HANDLER(f32_min3, false)
SELECT3_HANDLER(f32_max3, true)
SELECT64_HANDLER(f64_min, <, |)
SELECT64_HANDLER(f64_max, >, &)

static sim_handler *pick_select(const struct sim_words *words, struct sim_op *op)
{
    const bool max = strcmp(words->statement->word[0], "max") == 0;
    const bool three = words->statement->operands == 4;
    const uint32_t flags = flags_of(words);

    if (words->types != 1)
        return NULL;
    if (words->type[0] == SIM_F64)
        return flags || three ? NULL : max ? f64_max : f64_min;
    if (words->type[0] != SIM_F32)
        return NULL;
    op->extra = flags;
    if (three)
        return flags & XORSIGN ? NULL : max ? f32_max3 : f32_min3;
    if (!(flags & XORSIGN) != !(flags & ABS))
        return NULL;
    switch (flags) {
    case 0:
        return max ? f32_max : f32_min;
    case FTZ:
        return max ? f32_max_ftz : f32_min_ftz;
    case NANS:
        return max ? f32_max_nan : f32_min_nan;
    default:
        return max ? f32_max_any : f32_min_any;
    }
}

// abs, neg and copysign change only the sign. If abs or neg returns a NaN, it is canonical in f32
// and only made quiet in f64, as on an H200.
#define NAN32(a, d) (((a)&0x7fffffff) > 0x7f800000 ? SIM_F32_NAN : (d))
#define NAN64(a, d) (((a)&0x7fffffffffffffff) > 0x7ff0000000000000 ? (a) | SIM_F64_QUIET : (d))
#define SIGN_HANDLERS(name, sources, expression32, expression64)                               \
    SIM_HANDLER(f32_##name)                                                                    \
    {                                                                                          \
        uint32_t *d = SIM_R32(w, op->o[0]);                                                    \
        const uint32_t *at1 = SIM_R32(w, op->o[1]), *at2 = SIM_R32(w, op->o[sources]);         \
        const bool ftz = op->extra & FTZ;                                                      \
        SIM_ALU_LANES(mask, uint32_t a = at1[i], b = at2[i]; (void)b;                          \
                      a = ftz && !(a & 0x7f800000) ? a & 0x80000000 : a; d[i] = expression32); \
        return SIM_NEXT;                                                                       \
    }                                                                                          \
    SIM_HANDLER(f64_##name)                                                                    \
    {                                                                                          \
        uint64_t *d = SIM_R64(w, op->o[0]);                                                    \
        const uint64_t *at1 = SIM_R64(w, op->o[1]), *at2 = SIM_R64(w, op->o[sources]);         \
        SIM_ALU_LANES(mask, uint64_t a = at1[i], b = at2[i]; (void)b; d[i] = expression64);    \
        return SIM_NEXT;                                                                       \
    }
SIGN_HANDLERS(abs, 1, NAN32(a, a & 0x7fffffff), NAN64(a, a & 0x7fffffffffffffff))
SIGN_HANDLERS(neg, 1, NAN32(a, a ^ 0x80000000), NAN64(a, a ^ 0x8000000000000000))
SIGN_HANDLERS(copysign, 2, (a & 0x80000000) | (b & 0x7fffffff),
              (a & 0x8000000000000000) | (b & 0x7fffffffffffffff))

static sim_handler *pick_sign(const struct sim_words *words, struct sim_op *op)
{
    const char *name = words->statement->word[0];
    const bool f64 = words->type[0] == SIM_F64;

    op->extra = flags_of(words) & FTZ;
    if (words->types != 1 || (!f64 && words->type[0] != SIM_F32) || (f64 && op->extra))
        return NULL;
    return name[0] == 'a'   ? (f64 ? f64_abs : f32_abs)
           : name[0] == 'n' ? (f64 ? f64_neg : f32_neg)
                            : (f64 ? f64_copysign : f32_copysign);
}

const struct sim_instruction sim_float_instructions[] = {
    // clang-format off
    { "add", "rn rz rm rp ftz sat", "daa", pick_arithmetic },
    { "add", "rn rz rm rp sat", "da1a", pick_mixed },
    { "sub", "rn rz rm rp ftz sat", "daa", pick_arithmetic },
    { "sub", "rn rz rm rp sat", "da1a", pick_mixed },
    { "mul", "rn rz rm rp ftz sat", "daa", pick_arithmetic },
    { "fma", "rn rz rm rp ftz sat", "daaa", pick_arithmetic },
    { "fma", "rn rz rm rp sat", "da1a1a", pick_mixed },
    { "mad", "rn rz rm rp ftz sat", "daaa", pick_arithmetic },
    { "div", "rn rz rm rp approx full ftz", "daa", pick_quotient },
    { "rcp", "rn rz rm rp approx ftz", "da", pick_quotient },
    { "sqrt", "rn rz rm rp approx ftz", "da", pick_quotient },
    { "rsqrt", "approx ftz", "da", pick_approximate },
    { "ex2", "approx ftz", "da", pick_approximate },
    { "lg2", "approx ftz", "da", pick_approximate },
    { "sin", "approx ftz", "da", pick_approximate },
    { "cos", "approx ftz", "da", pick_approximate },
    { "tanh", "approx", "da", pick_approximate },
    { "min", "ftz NaN xorsign abs", "daaa?", pick_select },
    { "max", "ftz NaN xorsign abs", "daaa?", pick_select },
    { "abs", "ftz", "da", pick_sign },
    { "neg", "ftz", "da", pick_sign },
    { "copysign", "", "daa", pick_sign },
    { NULL, NULL, NULL, NULL },
    // clang-format on
};
