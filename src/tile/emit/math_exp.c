// exp, exp2, expm1, sigmoid.
#include "math.h"

// f32, with the hardware's ex2

// ex2.approx.ftz.f32 is accurate to 2 ulp and flushes subnormals. Therefore an x below -125 becomes
// x + 24, which is exact unless the result is zero, and a multiplication scales the result back:
// four instructions in all. With a bound of -126, an error of ex2 could make a result subnormal.
static struct tile_num exp2_f32(struct tile_math *m, struct tile_num x)
{
    tile_register small = tile_num_compare(m, "lt", x, tile_k(-125));
    tile_register t = tile_new(m->e, TILE_R32), out = tile_new(m->e, TILE_R32);

    tile_move(m->e, t, x.reg);
    tile_ins(m->e, "@%R add.rn.f32 %R, %R, 0f41C00000", small, t, t); // 24
    tile_ins(m->e, "ex2.approx.ftz.f32 %R, %R", out, t);
    tile_ins(m->e, "@%R mul.rn.f32 %R, %R, 0f33800000", small, out, out); // 2^-24
    return (struct tile_num){ out, 0 };
}

// e^x = 2^n 2^f, where n is x log2(e) rounded to nearest and clamped to -126 to 127, so that 2^n is
// normal. Beyond that range f continues to grow, and the product overflows or becomes subnormal as
// it should. A saturating instruction clamps: s rises from 0 to 1 as n rises from -126 to 127. This
// takes eight instructions. Without the clamp and the second part of log2(e), six would do, but the
// result would be off by up to 20 ulp, and entirely wrong for large and infinite x.
static struct tile_num exp_f32(struct tile_math *m, struct tile_num x)
{
    const double bias = 0x1.8p23 + 1; // in 253 s + bias, the last 8 bits are the exponent of 2^n
    struct tile_num s = tile_num_op(
        m, "fma.rn.sat", 3,
        (const struct tile_num[]){ x, tile_k(0x1.71547652b82fep0 / 253), tile_k(126.0 / 253) });
    struct tile_num u = tile_fma(m, s, tile_k(253), tile_k(bias));
    struct tile_num minus_n = tile_sub(m, tile_k(bias + 126), u);
    struct tile_num f = tile_fma(m, x, tile_k(m->t->log2e[0]), minus_n);

    f = tile_fma(m, x, tile_k(m->t->log2e[1]), f);
    tile_register power = tile_make(m->e, TILE_R32, "shl.b32 %R, %R, 23", u.reg);
    return tile_mul(m, tile_num_op(m, "ex2.approx.ftz", 1, &f), (struct tile_num){ power, 0 });
}

// By polynomials

static struct tile_num exp2_of_fraction(struct tile_math *m, struct tile_num f)
{
    return tile_fma(m, tile_num_horner(m, &m->t->exp2, f), f, tile_k(1));
}

// Splits x log2(e) into n + f and sets u = n + magic.
static struct tile_num reduce(struct tile_math *m, struct tile_num x, struct tile_num *u)
{
    struct tile_num high = tile_k(m->t->log2e[0]), low = tile_k(m->t->log2e[1]);

    *u = tile_fma(m, x, high, tile_k(m->t->magic));
    struct tile_num minus_n = tile_sub(m, tile_k(m->t->magic), *u);
    return tile_fma(m, x, low, tile_fma(m, x, high, minus_n));
}

// e^x 2^shift
static struct tile_num exp_of(struct tile_math *m, struct tile_num x, int shift)
{
    double most = m->wide ? 750 : 110;
    struct tile_num u, f = reduce(m, tile_num_clamp(m, x, -most, most), &u);
    struct tile_num p = exp2_of_fraction(m, f);
    tile_register n = tile_num_whole(m, u);

    if (shift)
        n = tile_make(m->e, TILE_R32, "add.s32 %R, %R, %d", n, shift);
    return tile_num_scale(m, p, n);
}

struct tile_num tile_num_half_exp(struct tile_math *m, struct tile_num x)
{
    return exp_of(m, x, -1);
}

struct tile_num tile_num_exp2(struct tile_math *m, struct tile_num high, struct tile_num low)
{
    struct tile_num u = tile_add(m, high, tile_k(m->t->magic));
    struct tile_num f = tile_sub(m, high, tile_sub(m, u, tile_k(m->t->magic)));

    if (low.reg)
        f = tile_add(m, f, low);
    struct tile_num p = exp2_of_fraction(m, f);
    return tile_num_scale(m, p, tile_num_whole(m, u));
}

// Functions

struct tile_num tile_emit_exp(struct tile_math *m, struct tile_num x)
{
    return m->wide ? exp_of(m, x, 0) : exp_f32(m, x);
}

struct tile_num tile_emit_exp2(struct tile_math *m, struct tile_num x)
{
    return m->wide ? tile_num_exp2(m, tile_num_clamp(m, x, -1100, 1100), tile_k(0))
                   : exp2_f32(m, x);
}

// e^x - 1 = 2^n (e^f - 1) + (2^n - 1). All terms are halved, so that 2^n is finite for the largest
// result. If n is 0, the polynomial is the result, down to the smallest subnormal.
struct tile_num tile_emit_expm1(struct tile_math *m, struct tile_num x)
{
    const struct tile_math_table *t = m->t;
    struct tile_num c = tile_num_clamp(m, x, m->wide ? -60 : -30, m->wide ? 710 : 89);
    struct tile_num u = tile_fma(m, c, tile_k(t->log2e[0]), tile_k(t->magic));
    struct tile_num n = tile_sub(m, u, tile_k(t->magic));
    struct tile_num f = tile_fma(m, n, tile_k(-t->ln2[0]), c);

    f = tile_fma(m, n, tile_k(-t->ln2[1]), f);
    struct tile_num p = tile_mul(m, tile_num_horner(m, &t->expm1, f), f);
    p = tile_fma(m, p, f, f);
    tile_register less = tile_make(m->e, TILE_R32, "sub.s32 %R, %R, 1", tile_num_whole(m, u));
    struct tile_num half_power = tile_num_power(m, less);
    struct tile_num half = tile_fma(m, p, half_power, tile_add(m, half_power, tile_k(-0.5)));
    struct tile_num whole = tile_add(m, half, half);
    whole = tile_num_select(m, tile_num_compare(m, "eq", n, tile_k(0)), p, whole);
    return tile_copysign(m, whole, x); // sets a zero's sign; all other results have it already
}

// Returns e / (1 + e) or 1 / (1 + e), where e = exp(-|x|) cannot overflow. For f32, the hardware
// approximates the reciprocal of a number from 1 to 2. A quotient accurate to 2 ulp would take
// three times the instructions, and kernels that gate by a 16-bit sigmoid would no longer be
// memory-bound.
struct tile_num tile_emit_sigmoid(struct tile_math *m, struct tile_num x)
{
    struct tile_num minus = tile_neg(m, tile_abs(m, x));
    struct tile_num e = m->wide ? exp_of(m, minus, 0) : exp_f32(m, minus);
    struct tile_num n = tile_num_select(m, tile_num_compare(m, "lt", x, tile_k(0)), e, tile_k(1));
    struct tile_num d = tile_add(m, e, tile_k(1));

    if (m->wide)
        return tile_num_quotient(m, n, d);
    return tile_mul(m, n, tile_num_op(m, "rcp.approx.ftz", 1, &d));
}
