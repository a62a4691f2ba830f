// Floating point with integers, bit by bit and slow: the reference for exact results. It shares no
// code and no method with src/sim.
#ifndef CUCORE_TEST_SIM_SOFT_H
#define CUCORE_TEST_SIM_SOFT_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 soft_big;

enum soft_mode { SOFT_RN, SOFT_RZ, SOFT_RM, SOFT_RP, SOFT_RNA };
enum soft_kind { SOFT_ZERO, SOFT_FINITE, SOFT_INFINITE, SOFT_NAN };

// m * 2^e, plus a nonzero remainder below the last bit of m if `more` is set.
struct soft {
    enum soft_kind kind;
    bool negative, more;
    soft_big m;
    int e;
};

struct soft_format {
    int exponent, mantissa;
};
#define SOFT_F16 ((struct soft_format){ 5, 10 })
#define SOFT_BF16 ((struct soft_format){ 8, 7 })
#define SOFT_TF32 ((struct soft_format){ 8, 10 })
#define SOFT_F32 ((struct soft_format){ 8, 23 })
#define SOFT_F64 ((struct soft_format){ 11, 52 })

static inline struct soft soft_decode(uint64_t bits, struct soft_format f)
{
    uint64_t fraction = bits & ((UINT64_C(1) << f.mantissa) - 1);
    int field = (int)(bits >> f.mantissa & ((1u << f.exponent) - 1));
    struct soft x = { .negative = bits >> (f.exponent + f.mantissa) & 1, .kind = SOFT_FINITE };

    if (field == (1 << f.exponent) - 1) {
        x.kind = fraction ? SOFT_NAN : SOFT_INFINITE;
    } else if (!field && !fraction) {
        x.kind = SOFT_ZERO;
    } else {
        x.m = field ? fraction | UINT64_C(1) << f.mantissa : fraction;
        x.e = (field ? field : 1) - ((1 << (f.exponent - 1)) - 1) - f.mantissa;
    }
    return x;
}

static inline int soft_top(soft_big m)
{
    int top = -1;
    for (; m; m >>= 1)
        top++;
    return top;
}

// Returns the code with its sign; NaN gives all ones below the sign. `limit` is the code of
// infinity, or one past the largest finite value. With `clamp`, results saturate at the largest
// finite value.
static inline uint64_t soft_round(struct soft x, struct soft_format f, enum soft_mode mode,
                                  uint64_t limit, bool clamp)
{
    const uint64_t sign = (uint64_t)x.negative << (f.exponent + f.mantissa);
    const int lowest = 2 - (1 << (f.exponent - 1)) - f.mantissa;
    int top, lsb;

    if (x.kind == SOFT_NAN)
        return (UINT64_C(1) << (f.exponent + f.mantissa)) - 1;
    if (x.kind == SOFT_ZERO)
        return sign;
    if (x.kind == SOFT_INFINITE)
        return sign | (clamp ? limit - 1 : limit);
    top = soft_top(x.m);
    lsb = x.e + top - f.mantissa;
    if (lsb < lowest)
        lsb = lowest;
    soft_big kept = x.m;
    int against = x.more ? 1 : 0; // the lost part: 0 none, 1 below half a step, 2 half, 3 above
    for (int at = x.e; at < lsb; at++) {
        bool bit = kept & 1, rest = against != 0;
        against = bit ? (rest ? 3 : 2) : (rest ? 1 : 0);
        kept >>= 1;
    }
    for (int at = x.e; at > lsb; at--)
        kept <<= 1;
    bool up = (mode == SOFT_RN && (against == 3 || (against == 2 && (kept & 1)))) ||
              (mode == SOFT_RNA && against >= 2) || (mode == SOFT_RM && x.negative && against) ||
              (mode == SOFT_RP && !x.negative && against);
    uint64_t code = (uint64_t)kept + up;
    if (lsb > lowest)
        code += (uint64_t)(lsb - lowest) << f.mantissa;
    if (code >= limit) {
        bool inward = mode == SOFT_RZ || (mode == SOFT_RM && !x.negative) ||
                      (mode == SOFT_RP && x.negative);
        code = clamp || inward ? limit - 1 : limit;
    }
    return sign | code;
}

static inline uint64_t soft_encode(struct soft x, struct soft_format f, enum soft_mode mode)
{
    return soft_round(x, f, mode, (uint64_t)((1 << f.exponent) - 1) << f.mantissa, false);
}

// Normalizes x: moves the highest bit to bit 120.
static inline struct soft soft_raise(struct soft x)
{
    int by = 120 - soft_top(x.m);
    x.m <<= by;
    x.e -= by;
    return x;
}

static inline struct soft soft_add(struct soft a, struct soft b, enum soft_mode mode)
{
    struct soft nan = { .kind = SOFT_NAN };

    if (a.kind == SOFT_NAN || b.kind == SOFT_NAN ||
        (a.kind == SOFT_INFINITE && b.kind == SOFT_INFINITE && a.negative != b.negative))
        return nan;
    if (a.kind == SOFT_INFINITE || b.kind == SOFT_INFINITE)
        return a.kind == SOFT_INFINITE ? a : b;
    if (a.kind == SOFT_ZERO && b.kind == SOFT_ZERO) {
        a.negative = a.negative == b.negative ? a.negative : mode == SOFT_RM;
        return a;
    }
    if (a.kind == SOFT_ZERO || b.kind == SOFT_ZERO)
        return a.kind == SOFT_ZERO ? b : a;
    a = soft_raise(a);
    b = soft_raise(b);
    if (a.e < b.e || (a.e == b.e && a.m < b.m)) {
        struct soft swap = a;
        a = b;
        b = swap;
    }
    // Bits that are shifted out of the smaller operand become a sticky last bit, far below the
    // rounding position.
    bool lost = false;
    for (; b.e < a.e && b.m; b.e++) {
        lost = lost || (b.m & 1);
        b.m >>= 1;
    }
    b.m |= lost;
    if (a.negative == b.negative)
        a.m += b.m;
    else
        a.m -= b.m;
    if (!a.m)
        return (struct soft){ .kind = SOFT_ZERO, .negative = mode == SOFT_RM };
    return a;
}

static inline struct soft soft_multiply(struct soft a, struct soft b)
{
    struct soft x = { .kind = SOFT_FINITE, .negative = a.negative != b.negative };
    bool zero = a.kind == SOFT_ZERO || b.kind == SOFT_ZERO;
    bool infinite = a.kind == SOFT_INFINITE || b.kind == SOFT_INFINITE;

    if (a.kind == SOFT_NAN || b.kind == SOFT_NAN || (zero && infinite))
        return (struct soft){ .kind = SOFT_NAN };
    if (zero || infinite) {
        x.kind = zero ? SOFT_ZERO : SOFT_INFINITE;
        return x;
    }
    x.m = a.m * b.m;
    x.e = a.e + b.e;
    return x;
}

static inline struct soft soft_divide(struct soft a, struct soft b)
{
    struct soft x = { .kind = SOFT_FINITE, .negative = a.negative != b.negative };

    if (a.kind == SOFT_NAN || b.kind == SOFT_NAN || (a.kind == b.kind && a.kind != SOFT_FINITE))
        return (struct soft){ .kind = SOFT_NAN };
    if (a.kind != SOFT_FINITE || b.kind != SOFT_FINITE) {
        x.kind = a.kind == SOFT_ZERO || b.kind == SOFT_INFINITE ? SOFT_ZERO : SOFT_INFINITE;
        return x;
    }
    a = soft_raise(a);
    x.m = a.m / b.m;
    x.e = a.e - b.e;
    x.more = a.m % b.m != 0;
    return x;
}

static inline struct soft soft_root(struct soft a)
{
    if (a.kind == SOFT_NAN || a.kind == SOFT_ZERO)
        return a;
    if (a.negative)
        return (struct soft){ .kind = SOFT_NAN };
    if (a.kind == SOFT_INFINITE)
        return a;
    a = soft_raise(a);
    if (a.e & 1) {
        a.m <<= 1;
        a.e--;
    }
    soft_big root = 0;
    for (int bit = 62; bit >= 0; bit--) {
        soft_big next = root | (soft_big)1 << bit;
        if (next * next <= a.m)
            root = next;
    }
    return (
        struct soft){ .kind = SOFT_FINITE, .m = root, .e = a.e / 2, .more = root * root != a.m };
}

static inline struct soft soft_integer(bool negative, uint64_t magnitude)
{
    return (struct soft){ .kind = magnitude ? SOFT_FINITE : SOFT_ZERO,
                          .negative = negative && magnitude,
                          .m = magnitude };
}

#endif
