// Oracles for floating point. f32 and f64 use this machine's own arithmetic under fesetround(),
// smaller formats use integers (soft.h), and approximate functions use libm in long double.
//
// Any NaN is accepted as a NaN result, unless the ISA says "canonical".
#include "oracles.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

static uint64_t one_in(struct soft_format f)
{
    return (uint64_t)((1 << (f.exponent - 1)) - 1) << f.mantissa;
}

static float as_f32(uint64_t bits)
{
    const uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof(x));
    return x;
}

static double as_f64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof(x));
    return x;
}

static uint64_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT };
static enum operation operation_of(const struct instance *x)
{
    static const char *const names[] = { "add", "sub", "mul", "fma", "div", "rcp", "sqrt" };
    for (int i = 0; i <= SQRT; i++)
        if (strcmp(x->name, names[i]) == 0)
            return (enum operation)i;
    return FMA; // mad
}

// volatile keeps each operation where its rounding mode is set.
#define MACHINE(name, type, fused, root)                                                 \
    static type name(enum operation operation, type given_a, type given_b, type given_c) \
    {                                                                                    \
        volatile type a = given_a, b = given_b, c = given_c, d = 0;                      \
        switch (operation) {                                                             \
        case ADD:                                                                        \
            d = a + b;                                                                   \
            break;                                                                       \
        case SUB:                                                                        \
            d = a - b;                                                                   \
            break;                                                                       \
        case MUL:                                                                        \
            d = a * b;                                                                   \
            break;                                                                       \
        case FMA:                                                                        \
            d = fused(a, b, c);                                                          \
            break;                                                                       \
        case DIV:                                                                        \
            d = a / b;                                                                   \
            break;                                                                       \
        case RCP:                                                                        \
            d = 1 / a;                                                                   \
            break;                                                                       \
        case SQRT:                                                                       \
            d = root(a);                                                                 \
            break;                                                                       \
        }                                                                                \
        return d;                                                                        \
    }
MACHINE(machine32, float, fmaf, sqrtf)
MACHINE(machine64, double, fma, sqrt)

static uint64_t in_soft(enum operation operation, const uint64_t *in, struct soft_format f,
                        enum soft_mode mode)
{
    struct soft a = soft_decode(in[0], f), b = soft_decode(in[1], f), c = soft_decode(in[2], f);

    b.negative = b.negative != (operation == SUB);
    return soft_encode(operation == ADD || operation == SUB ? soft_add(a, b, mode)
                       : operation == MUL                   ? soft_multiply(a, b)
                                          : soft_add(soft_multiply(a, b), c, mode),
                       f, mode);
}

static uint64_t calculated(enum operation operation, const uint64_t *in, struct soft_format f,
                           enum soft_mode mode)
{
    static const int modes[] = { [SOFT_RN] = FE_TONEAREST,
                                 [SOFT_RZ] = FE_TOWARDZERO,
                                 [SOFT_RM] = FE_DOWNWARD,
                                 [SOFT_RP] = FE_UPWARD };
    uint64_t d;

    if (f.mantissa < 23)
        return in_soft(operation, in, f, mode);
    fesetround(modes[mode]);
    d = f.mantissa == 23
            ? bits_of_f32(machine32(operation, as_f32(in[0]), as_f32(in[1]), as_f32(in[2])))
            : bits_of_f64(machine64(operation, as_f64(in[0]), as_f64(in[1]), as_f64(in[2])));
    fesetround(FE_TONEAREST);
    return d;
}

// Returns whether a result, rounded with an unbounded exponent range, is below the smallest normal
// number. .ftz flushes it even if rounding in the subnormal range would give that number.
static bool is_tiny(enum operation operation, const uint64_t *in, struct soft_format f,
                    enum soft_mode mode)
{
    const struct soft a = soft_decode(in[0], f), b = soft_decode(in[1], f);
    const struct soft one = { .kind = SOFT_FINITE, .m = 1 };
    struct soft x = { .kind = SOFT_ZERO };

    if (operation == MUL || operation == FMA)
        x = soft_multiply(a, b);
    if (operation == FMA)
        x = soft_add(x, soft_decode(in[2], f), mode);
    if (operation == DIV || operation == RCP)
        x = operation == DIV ? soft_divide(a, b) : soft_divide(one, a);
    const struct soft_format wide = { f.exponent + 3, f.mantissa };
    const uint64_t code = soft_encode(x, wide, mode) & (format_sign(wide) - 1);
    const int field = (int)(code >> f.mantissa), bias = (1 << (wide.exponent - 1)) - 1;
    return x.kind == SOFT_FINITE && field - bias < 2 - (1 << (f.exponent - 1));
}

// Applies the modifiers that take effect after rounding.
static struct answer finished(uint64_t d, struct soft_format f, uint32_t words)
{
    const bool nan = format_is_nan(d, f);

    if (words & WORD_FTZ)
        d = format_flush(d, f);
    if (words & WORD_SAT)
        return exactly(nan || d & format_sign(f) ? 0 : d < one_in(f) ? d : one_in(f));
    if (words & WORD_RELU)
        return exactly(nan ? format_nan(f) : d & format_sign(f) ? 0 : d);
    return nan ? any_nan() : exactly(d);
}

void float_arithmetic(const struct call *c, struct answer *out)
{
    const struct soft_format f = c->x->type[0]->format;
    const enum operation operation = operation_of(c->x);
    uint64_t in[3] = { c->in[0], c->in[1], c->in[2] }, d;

    for (int k = 0; k < 3 && c->x->words & WORD_FTZ; k++)
        in[k] = format_flush(in[k], f);
    d = calculated(operation, in, f, c->x->mode);
    if (c->x->words & WORD_FTZ && is_tiny(operation, in, f, c->x->mode))
        d &= format_sign(f);
    *out = finished(d, f, c->x->words);
}

// The first operands have half precision, which f32 represents exactly.
void float_mixed(const struct call *c, struct answer *out)
{
    const struct soft_format f = c->x->type[0]->format, half = c->x->type[1]->format;
    const enum operation operation = operation_of(c->x);
    uint64_t in[3] = { c->in[0], c->in[1], c->in[2] };

    for (int k = 0; k < (operation == FMA ? 2 : 1); k++)
        in[k] = soft_encode(soft_decode(in[k], half), f, SOFT_RN);
    *out = finished(calculated(operation, in, f, c->x->mode), f, c->x->words);
}

void float_fma_oob(const struct call *c, struct answer *out)
{
    const struct soft_format f = c->x->type[0]->format;
    const bool alone = c->x->ins == 1; // the other operands are 1
    const uint64_t in[3] = { c->in[0], alone ? one_in(f) : c->in[1], alone ? one_in(f) : c->in[2] };
    // The NaN that marks an element out of bounds, with either sign, as on an H200.
    const uint64_t outside = 0x7ff7, value = format_sign(f) - 1;

    // The ISA does not say whether c matters.
    if ((in[0] & value) == outside || (in[1] & value) == outside)
        *out = open_to(0);
    else if ((in[2] & value) == outside)
        *out = (struct answer){ .is = ANSWER_ANY };
    else
        *out = finished(calculated(FMA, in, f, SOFT_RN), f, c->x->words);
}

// Orders the codes of two numbers by value; neither is NaN.
static int64_t order(uint64_t x, struct soft_format f)
{
    int64_t magnitude = (int64_t)(x & (format_sign(f) - 1));
    return x & format_sign(f) ? -1 - magnitude : magnitude;
}

void float_min_max(const struct call *c, struct answer *out)
{
    const struct soft_format f = c->x->type[0]->format;
    const uint32_t words = c->x->words;
    const bool least = strcmp(c->x->name, "min") == 0;
    uint64_t sign = 0, d = 0;
    bool any = false, all = true;

    for (uint32_t k = 0; k < c->x->ins; k++) {
        uint64_t x = words & WORD_FTZ ? format_flush(c->in[k], f) : c->in[k];
        sign ^= x & format_sign(f);
        if (words & WORD_ABS)
            x &= format_sign(f) - 1;
        if (format_is_nan(x, f)) {
            any = true;
            continue;
        }
        if (all || (order(x, f) < order(d, f)) == least)
            d = x;
        all = false;
    }
    if (any && words & WORD_NAN)
        *out = exactly(format_nan(f));
    else if (all)
        *out = any_nan();
    else
        *out = exactly(words & WORD_XORSIGN ? d | sign : d);
}

void float_abs(const struct call *c, struct answer *out)
{
    const struct soft_format f = c->x->type[0]->format;
    const uint64_t x = c->x->words & WORD_FTZ ? format_flush(c->in[0], f) : c->in[0];
    *out = format_is_nan(x, f) ? any_nan() : exactly(x & (format_sign(f) - 1));
}

void float_neg(const struct call *c, struct answer *out)
{
    const struct soft_format f = c->x->type[0]->format;
    const uint64_t x = c->x->words & WORD_FTZ ? format_flush(c->in[0], f) : c->in[0];
    *out = format_is_nan(x, f) ? any_nan() : exactly(x ^ format_sign(f));
}

void float_copysign(const struct call *c, struct answer *out)
{
    const uint64_t sign = format_sign(c->x->type[0]->format);
    *out = exactly((c->in[0] & sign) | (c->in[1] & (sign - 1)));
}

void float_testp(const struct call *c, struct answer *out)
{
    const struct soft_format f = c->x->type[0]->format;
    const uint64_t magnitude = c->in[0] & (format_sign(f) - 1);
    const bool nan = format_is_nan(c->in[0], f), infinite = magnitude == format_infinity(f);
    const bool subnormal = magnitude && !(magnitude & format_infinity(f));
    const struct instance *x = c->x;

    *out = exactly(has(x, "finite")       ? !nan && !infinite
                   : has(x, "infinite")   ? infinite
                   : has(x, "number")     ? !nan
                   : has(x, "notanumber") ? nan
                   : has(x, "normal")     ? !nan && !infinite && !subnormal // zero counts as normal
                                          : subnormal);
}

// ---- Approximate functions
//
// With .ftz, a subnormal input counts as zero. Without .ftz, the ISA is ambiguous, so the results
// of the input itself and of zero are both accepted.

struct sources {
    long double a, b;
    bool flushed; // whether an input was flushed
};

static struct sources sources_of(const struct call *c, bool flush)
{
    const struct soft_format f = c->x->type[0]->format;
    struct sources s = { 0 };

    for (int k = 0; k < 2; k++) {
        uint64_t bits = c->in[k];
        if (flush && k < (int)c->x->ins) {
            bits = format_flush(bits, f);
            s.flushed = s.flushed || bits != c->in[k];
        }
        *(k ? &s.b : &s.a) = float_value(bits, f);
    }
    return s;
}

// Returns the answer of a function: with inputs unchanged or flushed, and with .ftz always flushed.
static struct answer approximated(const struct call *c,
                                  long double (*function)(long double, long double))
{
    const struct sources flushed = sources_of(c, true), plain = sources_of(c, false);
    struct answer a = near_to(c, function(flushed.a, flushed.b));

    if (c->x->words & WORD_FTZ || !flushed.flushed)
        return a;
    struct answer b = near_to(c, function(plain.a, plain.b));
    if (a.is == ANSWER_NAN || b.is == ANSWER_NAN)
        return a.is == b.is ? a : (struct answer){ .is = ANSWER_ANY };
    if (b.is == ANSWER_BITS)
        return b.bits == a.bits ? b : a;
    b.or_bits = true;
    b.bits = a.is == ANSWER_BITS ? a.bits : bits_of_f32((float)a.value);
    return b;
}

static long double quotient(long double a, long double b)
{
    return a / b;
}
static long double inverse(long double a, long double b)
{
    (void)b;
    return 1 / a;
}
static long double root(long double a, long double b)
{
    (void)b;
    return sqrtl(a);
}
static long double inverse_root(long double a, long double b)
{
    (void)b;
    return a == 0 ? 1 / a : 1 / sqrtl(a);
}
static long double sine(long double a, long double b)
{
    (void)b;
    return sinl(a);
}
static long double cosine(long double a, long double b)
{
    (void)b;
    return cosl(a);
}
static long double logarithm(long double a, long double b)
{
    (void)b;
    return a == 0 ? -HUGE_VALL : log2l(a);
}
static long double power(long double a, long double b)
{
    (void)b;
    return exp2l(a);
}
static long double hyperbolic(long double a, long double b)
{
    (void)b;
    return tanhl(a);
}

// Also accepts zero for a subnormal result, if the ISA allows that for the function or with .ftz.
static struct answer or_flushed(struct answer a, const struct call *c)
{
    const struct soft_format f = c->x->out[0]->format;

    if (a.is == ANSWER_NEAR && !a.or_bits &&
        fabsl(a.value) - a.slack < ldexpl(1, 2 - (1 << (f.exponent - 1)))) {
        a.or_bits = true;
        a.bits = a.value < 0 ? format_sign(f) : 0;
    }
    return a;
}

void float_div_approx(const struct call *c, struct answer *out)
{
    const struct sources s = sources_of(c, false);

    if (c->x->words & WORD_APPROX && fabsl(s.b) > 0x1p126L && !isinf(s.b)) {
        // The reciprocal is subnormal, so it is flushed.
        if (isnan(s.a) || isinf(s.a))
            *out = any_nan();
        else
            *out = exactly(!signbit(s.a) == !signbit(s.b) ? 0 : format_sign(c->x->out[0]->format));
        return;
    }
    *out = or_flushed(approximated(c, quotient), c);
}

void float_rcp_approx(const struct call *c, struct answer *out)
{
    *out = or_flushed(approximated(c, inverse), c);
}

void float_sqrt_approx(const struct call *c, struct answer *out)
{
    *out = approximated(c, root);
}

void float_rsqrt_approx(const struct call *c, struct answer *out)
{
    *out = approximated(c, inverse_root);
}

// Beyond 2 pi the bound is wider; beyond 100 pi there is none.
static void trigonometric(const struct call *c, struct answer *out,
                          long double (*function)(long double, long double))
{
    const long double a = fabsl(float_value(c->in[0], c->x->type[0]->format));
    const long double pi = 3.14159265358979323846264L;

    *out = approximated(c, function);
    if (out->is == ANSWER_NEAR && a > 2 * pi)
        out->slack = exp2l(-14.7L);
    if (out->is == ANSWER_NEAR && a > 100 * pi)
        out->is = ANSWER_ANY;
}

void float_sin(const struct call *c, struct answer *out)
{
    trigonometric(c, out, sine);
}

void float_cos(const struct call *c, struct answer *out)
{
    trigonometric(c, out, cosine);
}

void float_lg2(const struct call *c, struct answer *out)
{
    const long double a = float_value(c->in[0], c->x->type[0]->format);

    *out = approximated(c, logarithm);
    if (a > 0.5L && a < 2)
        *out = (struct answer){ .is = ANSWER_NEAR,
                                .value = logarithm(a, 0),
                                .slack = exp2l((long double)c->x->row->bound) };
}

void float_ex2(const struct call *c, struct answer *out)
{
    *out = approximated(c, power);
}

void float_tanh(const struct call *c, struct answer *out)
{
    *out = approximated(c, hyperbolic);
}

// Uses only the high word of the input; a NaN gives the NaN 0x7fffffff00000000.
static void gross(const struct call *c, struct answer *out,
                  long double (*function)(long double, long double))
{
    struct call high = *c;

    high.in[0] &= UINT64_C(0xffffffff00000000);
    // A NaN whose payload is in the low word looks like an infinity in the high word. The
    // instruction may recognize the NaN first, so any result is accepted.
    if (format_is_nan(c->in[0], SOFT_F64) != format_is_nan(high.in[0], SOFT_F64))
        *out = (struct answer){ .is = ANSWER_ANY };
    else if (format_is_nan(c->in[0], SOFT_F64))
        *out = exactly(UINT64_C(0x7fffffff00000000));
    else
        *out = or_flushed(approximated(&high, function), &high);
}

void float_rcp_gross(const struct call *c, struct answer *out)
{
    gross(c, out, inverse);
}

void float_rsqrt_gross(const struct call *c, struct answer *out)
{
    gross(c, out, inverse_root);
}
