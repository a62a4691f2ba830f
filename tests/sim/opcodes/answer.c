// Compares the oracles' answers with results.
#include "opcodes.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

uint32_t format_bits(struct soft_format f)
{
    return (uint32_t)(1 + f.exponent + f.mantissa);
}

uint64_t format_sign(struct soft_format f)
{
    return UINT64_C(1) << (f.exponent + f.mantissa);
}

uint64_t format_infinity(struct soft_format f)
{
    return (uint64_t)((1 << f.exponent) - 1) << f.mantissa;
}

uint64_t format_nan(struct soft_format f)
{
    return format_sign(f) - 1;
}

bool format_is_nan(uint64_t bits, struct soft_format f)
{
    return (bits & (format_sign(f) - 1)) > format_infinity(f);
}

uint64_t format_flush(uint64_t bits, struct soft_format f)
{
    return bits & format_infinity(f) ? bits : bits & format_sign(f);
}

int64_t sign_extended(uint64_t bits, uint32_t width)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

// Returns a float's value. e4m3 uses the codes of infinities for numbers and has one NaN; the 6-bit
// and 4-bit formats have neither infinities nor NaNs; ue8m0 is a power of two or NaN.
long double float_value(uint64_t bits, struct soft_format f)
{
    const uint64_t magnitude = bits & (format_sign(f) - 1);
    const int field = (int)(magnitude >> f.mantissa);
    const uint64_t fraction = magnitude & ((UINT64_C(1) << f.mantissa) - 1);
    const int bias = (1 << (f.exponent - 1)) - 1;
    const bool negative = bits & format_sign(f);
    long double value;

    if (!f.mantissa)
        return bits == 0xff ? NAN : ldexpl(1, (int)(bits & 0xff) - 127);
    if (f.exponent == 4 && f.mantissa == 3) {
        if (magnitude == 0x7f)
            return NAN;
    } else if (f.exponent >= 5 && field == (1 << f.exponent) - 1) {
        return fraction ? NAN : negative ? -HUGE_VALL : HUGE_VALL;
    }
    value = field ? ldexpl((long double)(fraction | UINT64_C(1) << f.mantissa),
                           field - bias - f.mantissa)
                  : ldexpl((long double)fraction, 1 - bias - f.mantissa);
    return negative ? -value : value;
}

struct answer exactly(uint64_t bits)
{
    return (struct answer){ .is = ANSWER_BITS, .bits = bits };
}

struct answer any_nan(void)
{
    return (struct answer){ .is = ANSWER_NAN };
}

struct answer open_to(uint64_t bits)
{
    return (struct answer){ .is = ANSWER_OPEN, .bits = bits };
}

// Returns the distance to the format's next number.
static long double unit_at(long double value, struct soft_format f)
{
    const int least = 2 - (1 << (f.exponent - 1)) - f.mantissa;
    int exponent;

    frexpl(value, &exponent);
    exponent -= f.mantissa + 1;
    return ldexpl(1, exponent < least ? least : exponent);
}

struct answer near_to(const struct call *c, long double value)
{
    const struct soft_format f = c->x->out[0]->format;
    const struct row *row = c->x->row;
    struct answer a = { .is = ANSWER_NEAR, .value = value };

    if (isnan(value))
        return any_nan();
    if (fabsl(value) >= ldexpl(1, 1 << (f.exponent - 1)))
        return exactly(format_infinity(f) | (value < 0 ? format_sign(f) : 0));
    if (value == 0)
        return exactly(signbit(value) ? format_sign(f) : 0);
    switch (row->how) {
    case COMPARE_ULP:
        a.slack = (long double)row->bound * unit_at(value, f);
        break;
    case COMPARE_RELATIVE:
        a.slack = fabsl(value) * exp2l((long double)row->bound);
        // The steps between subnormal numbers may be larger than the row's relative bound.
        if (a.slack < unit_at(0, f))
            a.slack = unit_at(0, f);
        break;
    case COMPARE_ABSOLUTE:
        a.slack = exp2l((long double)row->bound);
        break;
    default:
        break;
    }
    // Also accept zero for a result that may be flushed.
    if (c->x->words & WORD_FTZ && fabsl(value) - a.slack < ldexpl(1, 2 - (1 << (f.exponent - 1)))) {
        a.or_bits = true;
        a.bits = value < 0 ? format_sign(f) : 0;
    }
    return a;
}

bool agrees(const struct answer *a, const struct kind *out, uint64_t got)
{
    const struct soft_format f = out->format;
    long double value;

    switch (a->is) {
    case ANSWER_BITS:
    case ANSWER_OPEN:
        return got == a->bits;
    case ANSWER_NAN:
        return format_is_nan(got, f);
    case ANSWER_ANY:
        return true;
    default:
        if (a->or_bits && got == a->bits)
            return true;
        if (!f.exponent) // an integer
            return fabsl((long double)sign_extended(got, out->bits) - a->value) <= a->slack;
        value = float_value(got, f);
        if (isinf(value)) // past the largest finite number: as far as rounding can go
            value = copysignl(ldexpl(1, 1 << (f.exponent - 1)), value);
        return fabsl(value - a->value) <= a->slack;
    }
}

void answer_text(char *text, size_t room, const struct answer *a, const struct kind *out)
{
    switch (a->is) {
    case ANSWER_BITS:
        snprintf(text, room, "%" PRIx64, a->bits);
        break;
    case ANSWER_OPEN:
        snprintf(text, room, "%" PRIx64 " (the ISA leaves it open)", a->bits);
        break;
    case ANSWER_NAN:
        snprintf(text, room, "a NaN");
        break;
    case ANSWER_ANY:
        snprintf(text, room, "anything");
        break;
    default:
        snprintf(text, room, "%La (%.9Lg) to within %.3Lg%s%s", a->value, a->value, a->slack,
                 a->or_bits ? ", or a special case" : "",
                 out->format.exponent ? "" : " as an integer");
    }
}
