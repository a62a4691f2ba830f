// Divides two f32, rounding to nearest, without a call. div.rn calls a function for quotients
// outside the normal range, and in linked code a call costs registers everywhere around it. The
// branch used here pays off for a scalar: a thread computes the quotient once, usually while a
// tile's elements occupy the thread's registers.
#include "emit.h"

// True if |x| is at least 2^from and below 2^to.
static tile_register is_plain(struct tile_emitter *e, tile_register x, int from, int to)
{
    tile_register magnitude = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x7fffffff", x);
    tile_register above =
        tile_make(e, TILE_R32, "sub.u32 %R, %R, %u", magnitude, (unsigned)(127 + from) << 23);

    return tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", above, (unsigned)(to - from) << 23);
}

// Emits the instruction sequence of div.rn for a quotient that neither overflows nor leaves a
// subnormal residual.
static void plain_quotient(struct tile_emitter *e, tile_register out, tile_register n,
                           tile_register d)
{
    tile_register minus = tile_make(e, TILE_R32, "neg.f32 %R, %R", d);
    tile_register r = tile_make(e, TILE_R32, "rcp.approx.ftz.f32 %R, %R", d);
    tile_register error = tile_make(e, TILE_R32, "fma.rn.f32 %R, %R, %R, 0f3F800000", minus, r);
    tile_register better = tile_make(e, TILE_R32, "fma.rn.f32 %R, %R, %R, %R", r, error, r);
    tile_register q = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, %R", n, better);
    tile_register rest = tile_make(e, TILE_R32, "fma.rn.f32 %R, %R, %R, %R", minus, q, n);

    tile_ins(e, "fma.rn.f32 %R, %R, %R, %R", out, better, rest, q);
}

// Divides in f64, where every f32 quotient is in range. Quotients with 0, infinity and NaN are
// exceptions: for them the product with the reciprocal is right. Exact quotients stay exact. The
// error of any other quotient is smaller than its distance from a midpoint between two f32.
static void any_quotient(struct tile_emitter *e, tile_register out, tile_register n,
                         tile_register d)
{
    tile_register a = tile_make(e, TILE_R64, "cvt.f64.f32 %R, %R", n);
    tile_register b = tile_make(e, TILE_R64, "cvt.f64.f32 %R, %R", d);
    tile_register minus = tile_make(e, TILE_R64, "neg.f64 %R, %R", b);
    tile_register r = tile_make(e, TILE_R64, "rcp.approx.ftz.f64 %R, %R", b);
    tile_register special = tile_make(e, TILE_R64, "mul.rn.f64 %R, %R, %R", a, r);
    tile_register error =
        tile_make(e, TILE_R64, "fma.rn.f64 %R, %R, %R, 0d3FF0000000000000", minus, r);
    error = tile_make(e, TILE_R64, "fma.rn.f64 %R, %R, %R, %R", error, error, error);
    r = tile_make(e, TILE_R64, "fma.rn.f64 %R, %R, %R, %R", r, error, r);
    tile_register q = tile_make(e, TILE_R64, "mul.rn.f64 %R, %R, %R", a, r);
    tile_register rest = tile_make(e, TILE_R64, "fma.rn.f64 %R, %R, %R, %R", minus, q, a);
    q = tile_make(e, TILE_R64, "fma.rn.f64 %R, %R, %R, %R", rest, r, q);
    tile_register number = tile_make(e, TILE_PRED, "setp.num.f64 %R, %R, %R", q, q);
    tile_register plain = tile_new(e, TILE_PRED);

    tile_ins(e, "setp.neu.and.f64 %R, %R, 0d0000000000000000, %R", plain, a, number);
    tile_ins(e, "cvt.rn.f32.f64 %R, %R", out, tile_select(e, plain, q, special));
}

tile_register tile_divide(struct tile_emitter *e, tile_register n, tile_register d)
{
    tile_register out = tile_new(e, TILE_R32);
    uint32_t any = tile_label(e), done = tile_label(e);
    tile_register p = is_plain(e, n, -40, 60);

    p = tile_both(e, p, is_plain(e, d, -60, 60));
    tile_branch(e, p, true, any);
    plain_quotient(e, out, n, d);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, any);
    any_quotient(e, out, n, d);
    tile_put_label(e, done);
    return out;
}
