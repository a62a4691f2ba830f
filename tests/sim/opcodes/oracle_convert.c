// Converts by rounding once from an exact value to any format (soft.h).
#include "oracles.h"

#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 s128;

// Decodes the exact value of any kind; for integers, ignores the bits above their width.
static struct soft decoded(uint64_t bits, const struct kind *kind, bool ftz)
{
    const struct soft_format f = kind->format;
    const uint64_t mask = kind->bits == 64 ? UINT64_MAX : (UINT64_C(1) << kind->bits) - 1;
    uint64_t magnitude = bits & (format_sign(f) - 1);
    struct soft x = { .kind = SOFT_FINITE };

    bits &= mask;
    if (!f.exponent) {
        const bool negative = kind->is_signed && bits >> (kind->bits - 1);
        return soft_integer(negative, negative ? 0 - (bits | ~mask) : bits);
    }
    if (f.exponent >= 5 && f.mantissa)
        return soft_decode(ftz && kind->bits == 32 ? format_flush(bits, f) : bits, f);
    // Formats without infinities.
    if (!f.mantissa) {
        x.m = 1;
        x.e = (int)bits - 127;
        if (bits == 0xff)
            x.kind = SOFT_NAN;
        return x;
    }
    x.negative = bits & format_sign(f);
    if (f.exponent == 4 && magnitude == 0x7f)
        x.kind = SOFT_NAN;
    else if (!magnitude)
        x.kind = SOFT_ZERO;
    else {
        const int field = (int)(magnitude >> f.mantissa);
        x.m = (magnitude & ((UINT64_C(1) << f.mantissa) - 1)) |
              (field ? UINT64_C(1) << f.mantissa : 0);
        x.e = (field ? field : 1) - ((1 << (f.exponent - 1)) - 1) - f.mantissa;
    }
    return x;
}

// Returns the first code past the largest finite number.
static uint64_t limit_of(struct soft_format f)
{
    if (f.exponent == 4 && f.mantissa == 3)
        return 0x7f;
    return f.exponent < 5 ? format_sign(f) : format_infinity(f);
}

// Returns a format's NaN, all ones; or, if the format has no NaN, its largest number.
static uint64_t nan_of(struct soft_format f)
{
    return f.mantissa ? format_nan(f) : 0xff;
}

// Rounds x to a format as the modifiers say; with `plain`, any NaN is accepted.
static struct answer rounded(struct soft x, struct soft_format f, uint32_t words,
                             enum soft_mode mode)
{
    const uint64_t one = (uint64_t)((1 << (f.exponent - 1)) - 1) << f.mantissa;
    uint64_t d;

    if (x.kind == SOFT_NAN) {
        if (words & WORD_SAT)
            return exactly(0);
        if (words & (WORD_RELU | WORD_SATFINITE) || format_bits(f) <= 8)
            return exactly(nan_of(f));
        return any_nan();
    }
    if (words & WORD_RELU && x.negative)
        x = (struct soft){ .kind = SOFT_ZERO };
    d = soft_round(x, f, mode, limit_of(f), words & WORD_SATFINITE);
    if (words & WORD_FTZ && format_bits(f) == 32)
        d = format_flush(d, f);
    if (words & WORD_SAT)
        d = d & format_sign(f) ? 0 : d < one ? d : one;
    return exactly(d);
}

// Rounds to a power of two, up or toward zero; the format has no sign, zero or infinity.
static struct answer rounded_to_power(struct soft x, uint32_t words, enum soft_mode mode)
{
    if (x.kind == SOFT_NAN)
        return exactly(0xff);
    if (x.kind == SOFT_INFINITE)
        return exactly(words & WORD_SATFINITE ? 0xfe : 0xff);
    if (x.kind == SOFT_ZERO)
        return exactly(0);
    const int top = soft_top(x.m), exponent = x.e + top;
    const bool exact = x.m == (soft_big)1 << top;
    int code = exponent + 127 + (mode == SOFT_RP && !exact);
    if (code < 0)
        code = 0;
    if (code > 0xfe)
        return exactly(words & WORD_SATFINITE ? 0xfe : 0xff);
    return exactly((uint64_t)code);
}

static struct answer converted(const struct call *c, uint64_t bits, const struct kind *to,
                               const struct kind *from)
{
    // On an H200, .ftz has no effect on a conversion to f16.
    const bool ftz = c->x->words & WORD_FTZ && to->format.exponent != 5;
    struct soft x = decoded(bits, from, ftz);

    if (!to->format.mantissa)
        return rounded_to_power(x, c->x->words, c->x->mode);
    return rounded(x, to->format, c->x->words, c->x->mode);
}

// Rounds to an integer in the given direction.
static struct soft integral(struct soft x, enum soft_mode mode)
{
    bool half = false, less = false; // the highest discarded bit; whether a lower one is set

    if (x.kind != SOFT_FINITE)
        return x;
    for (; x.e < 0; x.e++) {
        less = less || half;
        half = x.m & 1;
        x.m >>= 1;
    }
    if (mode == SOFT_RN ? half && (less || (x.m & 1))
                        : (half || less) && mode == (x.negative ? SOFT_RM : SOFT_RP))
        x.m++;
    if (!x.m)
        x.kind = SOFT_ZERO;
    return x;
}

static struct answer to_integer(const struct call *c, struct soft x, const struct kind *to,
                                const struct kind *from)
{
    const bool from_float = from->format.exponent;
    const s128 high = ((s128)1 << (to->bits - to->is_signed)) - 1,
               lowest = to->is_signed ? -high - 1 : 0;
    s128 value = 0;

    if (from_float)
        x = integral(x, c->x->mode);
    if (x.kind == SOFT_NAN) // NaN gives zero, except in 64 bits
        value = from->bits == 64 || to->bits == 64 ? (s128)1 << (to->bits - 1) : 0;
    else if (x.kind == SOFT_INFINITE || (x.kind == SOFT_FINITE && soft_top(x.m) + x.e > 100))
        value = (s128)1 << 100;
    else if (x.kind == SOFT_FINITE)
        value = (s128)(x.m << x.e);
    if (x.negative && x.kind != SOFT_NAN)
        value = -value;
    if (x.kind != SOFT_NAN && (from_float || c->x->words & WORD_SAT))
        value = value < lowest ? lowest : value > high ? high : value;
    // A wider register holds the result, extended as its type requires.
    uint64_t d = (uint64_t)value;
    if (to->bits < 64)
        d &= (UINT64_C(1) << to->bits) - 1;
    if (to->is_signed && to->bits == 8)
        d = (uint64_t)sign_extended(d, 8) & kind_mask(c->x->out[0]);
    return exactly(d);
}

void convert_number(const struct call *c, struct answer *out)
{
    const struct kind *to = c->x->type[0], *from = c->x->type[1];

    *out = to->format.exponent
               ? converted(c, c->in[0], to, from)
               : to_integer(c, decoded(c->in[0], from, c->x->words & WORD_FTZ), to, from);
}

void convert_integral(const struct call *c, struct answer *out)
{
    const struct kind *kind = c->x->type[0];
    *out = rounded(integral(decoded(c->in[0], kind, c->x->words & WORD_FTZ), c->x->mode),
                   kind->format, c->x->words, SOFT_RN);
}

void convert_pair(const struct call *c, struct answer *out)
{
    out[0] = converted(c, c->in[1], c->x->type[0], c->x->type[1]);
    out[1] = converted(c, c->in[0], c->x->type[0], c->x->type[1]);
}

// Converts an element of a packed source.
void convert_packed(const struct call *c, struct answer *out)
{
    *out = converted(c, c->in[0], c->x->type[0], c->x->type[1]);
}

// The upper 19 bits are the number. The ISA leaves the lower bits open; an H200 gives zeros. The
// ISA describes .rna as two steps, without an exception for NaNs: add half of the last place; with
// .satfinite, reduce a result with the exponent of infinity by one place.
void convert_tf32(const struct call *c, struct answer *out)
{
    const struct soft_format tf32 = { 8, 10 };

    if (c->x->mode == SOFT_RNA) {
        const uint64_t sign = c->in[0] & 0x80000000, magnitude = c->in[0] & 0x7fffffff;
        uint64_t d = magnitude >= 0x7fffe000 ? 0x7fffe000 : (magnitude + 0x1000) & 0x7fffe000;
        if (c->x->words & WORD_SATFINITE && d >= 0x7f800000)
            d -= 0x2000;
        *out = exactly(sign | d);
        return;
    }
    struct answer a =
        rounded(decoded(c->in[0], c->x->type[1], false), tf32, c->x->words, c->x->mode);

    *out = a.is == ANSWER_NAN ? a : exactly(a.bits << 13);
}

// Adds random bits to the magnitude below the last kept bit, and truncates.
static struct answer stochastic(struct soft x, struct soft_format f, uint32_t words, uint64_t bits,
                                int width)
{
    if (x.kind == SOFT_FINITE) {
        const int least = 2 - (1 << (f.exponent - 1)) - f.mantissa;
        int last = x.e + soft_top(x.m) - f.mantissa; // the position of the last kept bit
        if (last < least)
            last = least;
        if (last > x.e) {
            const int down = x.e - (last - width); // number of random bits still needed
            if (down > 0) {
                x.m <<= down;
                x.e -= down;
            }
            if (down > -100)
                x.m += (soft_big)bits << (down < 0 ? -down : 0);
            for (; x.e < last; x.e++) // a much smaller number vanishes
                x.m >>= 1;
            if (!x.m)
                x.kind = SOFT_ZERO;
        }
    }
    return rounded(x, f, words, SOFT_RN);
}

// Distributes the random bits: two sources take one half each (13 of 16 bits for f16), four sources
// take a byte each. The ISA's text about four 8-bit results could also mean 16 bits shared by each
// two.
void convert_stochastic(const struct call *c, struct answer *out)
{
    const struct kind *to = c->x->type[0];
    const uint32_t count = to->elements;
    const uint64_t random = c->in[count];

    for (uint32_t e = 0; e < count; e++) { // from the lowest element, which is the last source
        const struct soft x = decoded(c->in[count - 1 - e], c->x->type[1], false);
        const int width = count == 4 ? 8 : to->format.mantissa == 10 ? 13 : 16;
        const uint32_t at = count == 2      ? 16 * e
                            : to->bits == 4 ? 8 * (e / 2) + 16 * (e % 2)
                                            : 8 * e;
        out[e] = stochastic(x, to->format, c->x->words, random >> at & ((UINT64_C(1) << width) - 1),
                            width);
        if (to->bits == 8) {
            const struct answer other =
                stochastic(x, to->format, c->x->words, random >> (e / 2 * 16) & 0xffff, 16);
            if (other.bits != out[e].bits)
                out[e].is = ANSWER_OPEN;
        }
    }
}

// The first source is in the highest bits, then the second, then the lower bits of the third.
void convert_pack(const struct call *c, struct answer *out)
{
    const char *word = c->x->text + strlen("cvt.pack.sat.");
    const bool is_signed = word[0] == 's';
    const uint32_t bits = (uint32_t)strtoul(word + 1, NULL, 10);
    const int64_t high = (INT64_C(1) << (bits - is_signed)) - 1, lowest = is_signed ? -high - 1 : 0;
    uint64_t d = bits == 16 ? 0 : c->in[2] << (2 * bits);

    for (uint32_t k = 0; k < 2; k++) {
        int64_t x = sign_extended(c->in[k], 32);
        x = x < lowest ? lowest : x > high ? high : x;
        d |= ((uint64_t)x & ((UINT64_C(1) << bits) - 1)) << (k ? 0 : bits);
    }
    *out = exactly(d & 0xffffffff);
}
