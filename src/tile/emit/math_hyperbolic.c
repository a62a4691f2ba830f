// sinh, cosh, tanh.
#include "math.h"

static struct tile_num reciprocal(struct tile_math *m, struct tile_num x)
{
    return tile_num_op(m, m->wide ? "rcp.rn" : "rcp.approx.ftz", 1, &x);
}

// Returns h + 1 / (4 h), where h = exp(|x|) / 2 overflows exactly where cosh does.
struct tile_num tile_emit_cosh(struct tile_math *m, struct tile_num x)
{
    struct tile_num h = tile_num_half_exp(m, tile_abs(m, x));

    return tile_fma(m, reciprocal(m, h), tile_k(0.25), h);
}

struct tile_num tile_emit_sinh(struct tile_math *m, struct tile_num x)
{
    struct tile_num a = tile_abs(m, x), h = tile_num_half_exp(m, a);
    struct tile_num large = tile_fma(m, reciprocal(m, h), tile_k(-0.25), h);
    struct tile_num small = tile_num_odd(m, &m->t->sinh, x, tile_mul(m, x, x));

    large = tile_copysign(m, large, x);
    return tile_num_select(m, tile_num_compare(m, "lt", a, tile_k(1)), small, large);
}

// tanh(a) = 1 - 2/(e^2a + 1). Below 0.8, f32 uses a polynomial, because the error of ex2 is too
// large there. Below 1/2, f64 uses t / (t + 2) with t = e^2a - 1.
struct tile_num tile_emit_tanh(struct tile_math *m, struct tile_num x)
{
    struct tile_num a = tile_abs(m, x), one = tile_k(1);

    if (!m->wide) {
        struct tile_num y = tile_mul(m, a, tile_k(2 * m->t->log2e[0]));
        struct tile_num e = tile_num_op(m, "ex2.approx.ftz", 1, &y);
        struct tile_num large = tile_fma(m, reciprocal(m, tile_add(m, e, one)), tile_k(-2), one);
        struct tile_num small = tile_num_odd(m, &m->t->tanh, x, tile_mul(m, x, x));
        large = tile_copysign(m, large, x);
        return tile_num_select(m, tile_num_compare(m, "lt", a, tile_k(0.8)), small, large);
    }
    struct tile_num t = tile_emit_expm1(m, tile_add(m, a, a));
    tile_register small = tile_num_compare(m, "lt", a, tile_k(0.5));
    struct tile_num n = tile_num_select(m, small, t, tile_k(-2));
    struct tile_num q =
        tile_num_op(m, "div.rn", 2, (const struct tile_num[]){ n, tile_add(m, t, tile_k(2)) });
    return tile_copysign(m, tile_num_select(m, small, q, tile_add(m, q, one)), x);
}
