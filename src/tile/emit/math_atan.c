// atan2: the arctangent of a quotient from 0 to 1, then a correction for its octant.
#include "math.h"

// Returns high - (r - low), where `high` and `low` are the parts of the constant.
static struct tile_num from(struct tile_math *m, const double *constant, struct tile_num r)
{
    return tile_sub(m, tile_k(constant[0]), tile_sub(m, r, tile_k(constant[1])));
}

struct tile_num tile_emit_atan2(struct tile_math *m, struct tile_num y, struct tile_num x)
{
    struct tile_num ax = tile_abs(m, x), ay = tile_abs(m, y);
    tile_register steep = tile_num_compare(m, "gt", ay, ax);
    struct tile_num n = tile_num_select(m, steep, ax, ay), d = tile_num_select(m, steep, ay, ax);
    struct tile_num q = tile_num_op(m, "div.rn", 2, (const struct tile_num[]){ n, d });

    // inf / inf becomes 1, and 0 / 0 becomes 0.
    q = tile_num_select(m, tile_num_compare(m, "eq", n, d), tile_k(1), q);
    q = tile_num_select(m, tile_num_compare(m, "eq", d, tile_k(0)), tile_k(0), q);
    struct tile_num r = tile_num_odd(m, &m->t->atan, q, tile_mul(m, q, q));
    r = tile_num_select(m, steep, from(m, m->t->half_pi, r), r);
    // The sign bit of x selects the left or right half-plane. A comparison would miss the sign of a
    // zero.
    tile_register left = tile_new(m->e, TILE_PRED);
    tile_ins(m->e, m->wide ? "setp.lt.s64 %R, %R, 0" : "setp.lt.s32 %R, %R, 0", left, x.reg);
    r = tile_copysign(m, tile_num_select(m, left, from(m, m->t->pi, r), r), y);
    return tile_num_select(m, tile_num_compare(m, "nan", x, y), tile_k(__builtin_nan("")), r);
}
