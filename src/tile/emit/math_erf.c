// erf: a polynomial for |x| below 1, and 1 - 2^-p above, where p = -log2(erfc).
#include "math.h"

struct tile_num tile_emit_erf(struct tile_math *m, struct tile_num x)
{
    struct tile_num a = tile_abs(m, x), z = tile_mul(m, x, x);
    struct tile_num small = tile_fma(m, x, tile_num_horner(m, &m->t->erf, z), x);
    // For a NaN, the comparison with 1 below is false and selects `small`.
    struct tile_num end =
        tile_num_op(m, "min", 2, (const struct tile_num[]){ a, tile_k(m->wide ? 6 : 4) });
    struct tile_num t = tile_sub(m, end, tile_k(1));
    struct tile_num p = tile_neg(m, tile_num_horner(m, &m->t->erf_tail, t)), rest;

    rest = m->wide ? tile_num_exp2(m, p, tile_k(0)) : tile_num_op(m, "ex2.approx.ftz", 1, &p);
    struct tile_num large = tile_copysign(m, tile_sub(m, tile_k(1), rest), x);
    return tile_num_select(m, tile_num_compare(m, "ge", a, tile_k(1)), large, small);
}
