// Divides 64-bit integers by a constant, without a call. Calls cost registers, and in linked code
// they keep the kernel's wgmma instructions from overlapping.
#include "emit.h"

// Multiplier for a division: for 0 <= x < 2^63, x / divisor is the upper half of x * factor,
// shifted right by `shift`. `factor` is the smallest sufficient power of two, divided by the
// divisor and rounded up.
struct inverse {
    uint64_t factor;
    uint32_t shift;
};

static struct inverse inverse_of(uint64_t divisor)
{
    static const uint64_t half = UINT64_C(1) << 63;
    uint64_t last = half - 1 - half % divisor, delta;
    uint64_t q1 = half / last, r1 = half % last, q2 = half / divisor, r2 = half % divisor;
    uint32_t power = 63;

    do {
        power++;
        q1 = 2 * q1 + (2 * r1 >= last);
        r1 = 2 * r1 >= last ? 2 * r1 - last : 2 * r1;
        q2 = 2 * q2 + (2 * r2 >= divisor);
        r2 = 2 * r2 >= divisor ? 2 * r2 - divisor : 2 * r2;
        delta = divisor - r2;
    } while (q1 < delta || (q1 == delta && !r1));
    return (struct inverse){ q2 + 1, power - 64 };
}

// Computes floor(x / divisor) as an unsigned quotient if x is not negative, and as ~(~x / divisor)
// otherwise.
tile_register tile_divide_by_constant(struct tile_emitter *e, enum tile_op_kind kind,
                                      tile_register x, uint64_t divisor)
{
    struct inverse by = inverse_of(divisor);
    tile_register sign = tile_make(e, TILE_R64, "shr.s64 %R, %R, 63", x);
    tile_register y = tile_make(e, TILE_R64, "xor.b64 %R, %R, %R", x, sign);
    tile_register q = tile_make(e, TILE_R64, "mul.hi.u64 %R, %R, 0x%x", y, by.factor);

    if (by.shift)
        q = tile_make(e, TILE_R64, "shr.u64 %R, %R, %u", q, by.shift);
    q = tile_make(e, TILE_R64, "xor.b64 %R, %R, %R", q, sign);
    if (kind == TILE_FLOORDIV)
        return q;
    tile_register back = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, 0x%x", q, divisor);
    if (kind == TILE_MOD)
        return tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", x, back);
    tile_register differs = tile_make(e, TILE_PRED, "setp.ne.s64 %R, %R, %R", back, x);
    tile_register up = tile_make(e, TILE_R64, "selp.b64 %R, 1, 0, %R", differs);
    return tile_make(e, TILE_R64, "add.s64 %R, %R, %R", q, up);
}
