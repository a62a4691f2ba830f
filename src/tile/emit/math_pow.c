// pow(x, y) = 2^(y log2|x|). The logarithm is a pair of numbers, because y log2|x| can be as large
// as the largest exponent and still needs as many fraction bits as the result has.
#include "math.h"

// Returns log2(a) for a > 0. With a = 2^e b, b from sqrt 1/2 to sqrt 2, s = (b - 1)/(b + 1) and z =
// s^2, log2(a) = e + 2/ln 2 (s + s z (1/3 + z p(z))). Everything but z p(z) is a pair.
static struct tile_pair log2_pair(struct tile_math *m, struct tile_num a)
{
    const struct tile_math_table *t = m->t;
    uint32_t shift = tile_exponent_shift(m);
    struct tile_num least = tile_k(m->wide ? 0x1p-1022 : 0x1p-126);
    struct tile_num power = tile_k(m->wide ? 0x1p54 : 0x1p24);
    tile_register small = tile_num_compare(m, "lt", a, least), low;
    a = tile_num_select(m, small, tile_mul(m, a, power), a);
    tile_register upper = tile_upper_word(m, a, &low);
    tile_register from =
        tile_make(m->e, TILE_R32, "sub.s32 %R, %R, %u", upper, m->wide ? 0x3fe6a09eu : 0x3f3504f3u);
    tile_register n = tile_make(m->e, TILE_R32, "shr.s32 %R, %R, %u", from, shift);
    tile_register back = tile_make(m->e, TILE_R32, "shl.b32 %R, %R, %u", n, shift);
    tile_register rest = tile_make(m->e, TILE_R32, "sub.s32 %R, %R, %R", upper, back);
    struct tile_num b = tile_of_words(m, rest, low);
    struct tile_num e = { tile_new(m->e, m->wide ? TILE_R64 : TILE_R32), 0 };
    tile_ins(m->e, "cvt.rn.%s.s32 %R, %R", m->wide ? "f64" : "f32", e.reg, n);
    e = tile_add(m, e, tile_num_select(m, small, tile_k(m->wide ? -54 : -24), tile_k(0)));

    struct tile_num top = tile_sub(m, b, tile_k(1));
    struct tile_num bottom = tile_add(m, b, tile_k(1));
    struct tile_num lost = tile_sub(m, b, tile_sub(m, bottom, tile_k(1)));
    struct tile_pair s = { .high = tile_num_quotient(m, top, bottom) };
    struct tile_num minus = tile_neg(m, s.high);
    struct tile_num left = tile_fma(m, minus, lost, tile_fma(m, minus, bottom, top));
    s.low = tile_num_quotient(m, left, bottom);

    struct tile_pair z = tile_pair_mul(m, s, s);
    struct tile_num tail = tile_mul(m, z.high, tile_num_horner(m, &t->atanh_tail, z.high));
    struct tile_pair q = tile_pair_of_sum(m, tile_k(t->third[0]), tail);
    q.low = tile_add(m, q.low, tile_k(t->third[1]));
    q = tile_pair_mul(m, s, tile_pair_mul(m, z, q));
    struct tile_pair l = tile_pair_of_sum(m, s.high, q.high);
    l.low = tile_add(m, l.low, tile_add(m, q.low, s.low));
    l = tile_pair_mul(m, l,
                      (struct tile_pair){ tile_k(t->two_over_ln2[0]), tile_k(t->two_over_ln2[1]) });
    struct tile_pair sum = tile_pair_of_sum(m, e, l.high);
    sum.low = tile_add(m, sum.low, l.low);
    return sum;
}

static tile_register both(struct tile_math *m, tile_register a, tile_register b)
{
    return tile_make(m->e, TILE_PRED, "and.pred %R, %R, %R", a, b);
}

static tile_register negation(struct tile_math *m, tile_register a)
{
    return tile_make(m->e, TILE_PRED, "not.pred %R, %R", a);
}

struct tile_num tile_emit_pow(struct tile_math *m, struct tile_num x, struct tile_num y)
{
    double infinity = __builtin_inf(), most = m->wide ? 1100 : 160;
    struct tile_num a = tile_abs(m, x), one = tile_k(1), zero = tile_k(0);
    struct tile_pair l = log2_pair(m, a);

    // Set the logarithms of 0 and inf.
    l.high = tile_num_select(m, tile_num_compare(m, "eq", a, zero), tile_k(-infinity), l.high);
    l.high = tile_num_select(m, tile_num_compare(m, "eq", a, tile_k(infinity)), tile_k(infinity),
                             l.high);
    struct tile_num high = tile_mul(m, y, l.high);
    struct tile_num low = tile_fma(m, y, l.low, tile_fma(m, y, l.high, tile_neg(m, high)));
    // Far out of range, only the sign of the exponent matters: clamp it and drop the lower part.
    tile_register far = tile_num_compare(m, "gt", tile_abs(m, high), tile_k(most));
    low = tile_num_select(m, far, zero, low);
    struct tile_num r =
        tile_num_exp2(m, tile_num_select(m, far, tile_copysign(m, tile_k(most), high), high), low);

    // For a negative base, the result is negative if y is odd, and NaN if y is not an integer.
    struct tile_num half = tile_mul(m, y, tile_k(0.5)), whole, whole_half;
    const char *trunc = m->wide ? "cvt.rzi.f64" : "cvt.rzi.f32";
    whole = tile_num_op(m, trunc, 1, &y);
    whole_half = tile_num_op(m, trunc, 1, &half);
    tile_register is_whole = tile_num_compare(m, "eq", whole, y);
    tile_register odd = both(m, is_whole, tile_num_compare(m, "ne", whole_half, half));
    tile_register below = tile_num_compare(m, "lt", x, zero);
    below = both(m, below, tile_num_compare(m, "gt", x, tile_k(-infinity)));
    // If |x| = 1, the result is 1 even for y = inf.
    r = tile_num_select(m, tile_num_compare(m, "eq", a, one), one, r);
    r = tile_num_select(m, odd, tile_copysign(m, r, x), r);
    r = tile_num_select(m, both(m, below, negation(m, is_whole)), tile_k(__builtin_nan("")), r);
    r = tile_num_select(m, tile_num_compare(m, "nan", x, y), tile_k(__builtin_nan("")), r);
    // pow(1, y) is 1 even if y is NaN; pow(x, 0) is 1 even if x is NaN.
    r = tile_num_select(m, tile_num_compare(m, "eq", x, one), one, r);
    return tile_num_select(m, tile_num_compare(m, "eq", y, zero), one, r);
}
