// log, log2, log1p.
//
// x = 2^e (1 + f). For f32, 1 + f is from 2/3 to 4/3, and the polynomial is in f. For f64, 1 + f is
// from sqrt 1/2 to sqrt 2, and the polynomial is in s = f / (2 + f), because ln(1 + f) = 2
// atanh(s).
#include "math.h"

// The parts of an argument. u is the argument itself, scaled by a power of two if it is subnormal.
struct parts {
    struct tile_num e, f, u;
};

// Returns e in the position of the exponent field. Subtracts the upper word of the lowest 1 + f and
// rounds down to whole exponents, so that 1 + f is in the range above.
static tile_register exponent_of(struct tile_math *m, tile_register upper)
{
    tile_register from =
        tile_make(m->e, TILE_R32, "sub.s32 %R, %R, %u", upper, m->wide ? 0x3fe6a09eu : 0x3f2aaaabu);

    return tile_make(m->e, TILE_R32, "and.b32 %R, %R, %u", from,
                     m->wide ? 0xfff00000u : 0xff800000u);
}

// Converts e + more to a floating-point number.
static struct tile_num number_of_exponent(struct tile_math *m, tile_register e,
                                          struct tile_num more)
{
    struct tile_num n = { tile_new(m->e, m->wide ? TILE_R64 : TILE_R32), 0 };

    tile_ins(m->e, "cvt.rn.%s.s32 %R, %R", m->wide ? "f64" : "f32", n.reg, e);
    return tile_fma(m, n, tile_k(m->wide ? 0x1p-20 : 0x1p-23), more);
}

// Splits x > 0, which may be subnormal.
static struct parts take_apart(struct tile_math *m, struct tile_num x)
{
    struct tile_num least = tile_k(m->wide ? 0x1p-1022 : 0x1p-126);
    struct tile_num power = tile_k(m->wide ? 0x1p54 : 0x1p24);
    tile_register small = tile_num_compare(m, "lt", x, least), low;
    struct tile_num u = tile_num_select(m, small, tile_mul(m, x, power), x);
    struct tile_num more = tile_num_select(m, small, tile_k(m->wide ? -54 : -24), tile_k(0));
    tile_register upper = tile_upper_word(m, u, &low);
    tile_register e = exponent_of(m, upper);
    tile_register rest = tile_make(m->e, TILE_R32, "sub.s32 %R, %R, %R", upper, e);

    struct tile_num f = tile_sub(m, tile_of_words(m, rest, low), tile_k(1));

    return (struct parts){ number_of_exponent(m, e, more), f, u };
}

// Splits 1 + x = 2^e (1 + f), where f keeps all bits of x: f = x/2^e + (1/2^e - 1). For every e,
// 1/2^e is four times a normal number.
static struct parts take_apart_after_one(struct tile_math *m, struct tile_num x)
{
    tile_register zero = m->wide ? tile_number32(m->e, 0) : TILE_NO_REGISTER;
    struct tile_num u = tile_add(m, x, tile_k(1));
    tile_register e = exponent_of(m, tile_upper_word(m, u, NULL));
    tile_register upper =
        tile_make(m->e, TILE_R32, "sub.s32 %R, %u, %R", m->wide ? 0x40100000u : 0x40800000u, e);
    struct tile_num four = tile_of_words(m, upper, zero);
    struct tile_num less = tile_fma(m, four, tile_k(0.25), tile_k(-1));

    struct tile_num f = tile_fma(m, tile_mul(m, x, tile_k(0.25)), four, less);

    return (struct parts){ number_of_exponent(m, e, tile_k(0)), f, u };
}

// Returns ln(1 + f) for f64, as f - (f^2/2 - s (f^2/2 + r)) with r = z p(z).
static struct tile_pair log_of_one_and(struct tile_math *m, struct tile_num f)
{
    struct tile_num s = tile_num_quotient(m, f, tile_add(m, f, tile_k(2))), z = tile_mul(m, s, s);
    struct tile_num r = tile_mul(m, z, tile_num_horner(m, &m->t->atanh, z));
    struct tile_num minus = tile_mul(m, f, tile_k(-0.5));
    struct tile_num high = tile_fma(m, minus, f, f);
    struct tile_num lost = tile_fma(m, minus, f, tile_sub(m, f, high));
    struct tile_num square = tile_mul(m, tile_neg(m, minus), f);

    return (struct tile_pair){ high, tile_fma(m, s, tile_add(m, square, r), lost) };
}

static struct tile_num natural(struct tile_math *m, struct parts x)
{
    if (!m->wide) {
        struct tile_num z = tile_mul(m, x.f, x.f);
        struct tile_num l = tile_fma(m, tile_num_horner(m, &m->t->log, x.f), z, x.f);
        return tile_fma(m, x.e, tile_k(m->t->ln2[0]), l);
    }
    struct tile_pair l = log_of_one_and(m, x.f);
    struct tile_num low = tile_fma(m, x.e, tile_k(m->t->ln2[1]), l.low);
    struct tile_pair high = tile_pair_of_product(m, x.e, tile_k(m->t->ln2[0]));
    struct tile_pair sum = tile_pair_of_sum(m, high.high, l.high);
    return tile_add(m, sum.high, tile_add(m, sum.low, tile_add(m, high.low, low)));
}

// Returns `log` if u is positive and finite. Otherwise returns -inf for 0, NaN for a negative u,
// and u itself for inf and NaN. lg2 yields these results directly.
static struct tile_num with_limits(struct tile_math *m, struct tile_num log, struct tile_num u)
{
    struct tile_num infinity = tile_k(__builtin_inf()), zero = tile_k(0), limit;
    tile_register above = tile_num_compare(m, "gt", u, zero);
    tile_register below = tile_num_compare(m, "lt", u, infinity);
    tile_register inside = tile_make(m->e, TILE_PRED, "and.pred %R, %R, %R", above, below);

    if (m->wide) { // u inf + inf is NaN for negative u as well
        limit = tile_fma(m, u, infinity, infinity);
        limit = tile_num_select(m, tile_num_compare(m, "eq", u, zero), tile_k(-infinity.constant),
                                limit);
    } else {
        limit = tile_num_op(m, "lg2.approx.ftz", 1, &u);
    }
    return tile_num_select(m, inside, log, limit);
}

struct tile_num tile_emit_log(struct tile_math *m, struct tile_num x)
{
    struct parts of = take_apart(m, x);

    return with_limits(m, natural(m, of), of.u);
}

struct tile_num tile_emit_log2(struct tile_math *m, struct tile_num x)
{
    const struct tile_math_table *t = m->t;
    struct parts of = take_apart(m, x);

    if (!m->wide) {
        struct tile_num rest = tile_mul(m, of.f, tile_num_horner(m, &t->log2, of.f));
        struct tile_num l = tile_fma(m, of.f, tile_k(t->log2e[0]), rest);
        return with_limits(m, tile_add(m, of.e, l), of.u);
    }
    struct tile_pair l = log_of_one_and(m, of.f);
    l = tile_pair_mul(m, l, (struct tile_pair){ tile_k(t->log2e[0]), tile_k(t->log2e[1]) });
    struct tile_pair sum = tile_pair_of_sum(m, of.e, l.high);
    return with_limits(m, tile_add(m, sum.high, tile_add(m, sum.low, l.low)), of.u);
}

// Returns x itself for the smallest numbers, which also keeps a zero's sign.
struct tile_num tile_emit_log1p(struct tile_math *m, struct tile_num x)
{
    struct parts of = take_apart_after_one(m, x);
    struct tile_num log = with_limits(m, natural(m, of), of.u);
    tile_register tiny =
        tile_num_compare(m, "lt", tile_abs(m, x), tile_k(m->wide ? 0x1p-54 : 0x1p-25));

    return tile_num_select(m, tiny, x, log);
}
