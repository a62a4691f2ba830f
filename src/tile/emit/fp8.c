// 8-bit floats, each a byte in a .b32. Targets before sm_89 have no conversion instructions, so
// integer ops and one f32 rounding replace them.
#include "emit.h"

struct format {
    uint32_t fraction;      // number of fraction bits
    uint32_t bias, largest; // as f32
    uint32_t least, magic;  // `least` is the smallest normal number, as f32; adding the constant
                            // `magic` rounds smaller numbers
    const char *name;
};

static const struct format *format_of(cuc_dtype dtype)
{
    static const struct format e4m3 = { 3, 7, 0x43e00000, 0x3c800000, 0x46800000, "e4m3x2" },
                               e5m2 = { 2, 15, 0x47600000, 0x38800000, 0x43000000, "e5m2x2" };

    return dtype == CUC_E4M3 ? &e4m3 : &e5m2;
}

// Rounds to nearest, ties to even. Clamps values out of range to the largest number and turns NaN
// into 0x7f.
static tile_register round_to(struct tile_emitter *e, const struct format *f, tile_register x)
{
    uint32_t cut = 23 - f->fraction;
    tile_register size = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x7fffffff", x);
    tile_register nan = tile_make(e, TILE_PRED, "setp.gt.u32 %R, %R, 0x7f800000", size);

    size = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", size, f->largest);
    // Normal numbers: add half a unit of the last bit kept, or just less than half if that bit is
    // even.
    tile_register odd = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", size, cut);
    tile_register up =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", size, (UINT32_C(1) << (cut - 1)) - 1);
    up = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", up, odd);
    tile_register normal = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", up, cut);
    normal = tile_make(e, TILE_R32, "sub.u32 %R, %R, %u", normal, (127 - f->bias) << f->fraction);
    // Subnormal numbers: adding `magic` keeps exactly the bits that the format has.
    tile_register magic = tile_make(e, TILE_R32, "mov.b32 %R, %u", f->magic);
    tile_register small = tile_make(e, TILE_R32, "add.rn.f32 %R, %R, %R", size, magic);
    small = tile_make(e, TILE_R32, "sub.u32 %R, %R, %u", small, f->magic);
    tile_register is_small = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", size, f->least);
    tile_register bits = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", small, normal, is_small);
    tile_register sign = tile_make(e, TILE_R32, "shr.u32 %R, %R, 24", x);
    sign = tile_make(e, TILE_R32, "and.b32 %R, %R, 128", sign);
    bits = tile_make(e, TILE_R32, "or.b32 %R, %R, %R", bits, sign);
    return tile_make(e, TILE_R32, "selp.b32 %R, 127, %R, %R", bits, nan);
}

tile_register tile_pair_to_fp8(struct tile_emitter *e, cuc_dtype to, const tile_register *x)
{
    tile_register out = tile_new(e, TILE_R16);

    tile_ins(e, "cvt.rn.satfinite.%s.f32 %R, %R, %R", format_of(to)->name, out, x[1], x[0]);
    return out;
}

tile_register tile_pair_of_fp8(struct tile_emitter *e, cuc_dtype from, tile_register low,
                               tile_register high)
{
    tile_register out = tile_new(e, TILE_R32), pair = tile_join_pair(e, low, high);

    tile_ins(e, "cvt.rn.f16x2.%s %R, %R", format_of(from)->name, out, pair);
    return out;
}

tile_register tile_to_fp8(struct tile_emitter *e, cuc_dtype to, tile_register x)
{
    const struct format *f = format_of(to);

    if (!tile_has(e->target, TILE_HAS_CVT_FP8))
        return round_to(e, f, x);
    tile_register pair = tile_new(e, TILE_R16), zero = tile_constant_register(e, CUC_F32, 0);
    tile_ins(e, "cvt.rn.satfinite.%s.f32 %R, %R, %R", f->name, pair, zero, x);
    tile_register both = tile_make(e, TILE_R32, "cvt.u32.u16 %R, %R", pair);
    return tile_make(e, TILE_R32, "and.b32 %R, %R, 255", both);
}

// e5m2 is the upper half of an f16. e4m3, except for its NaN, has the bits of an f16 that is 256
// times smaller.
static tile_register widen(struct tile_emitter *e, cuc_dtype from, tile_register x)
{
    if (from == CUC_E5M2) {
        tile_register half = tile_make(e, TILE_R32, "shl.b32 %R, %R, 8", x);
        half = tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", half);
        return tile_make(e, TILE_R32, "cvt.f32.f16 %R, %R", half);
    }
    tile_register size = tile_make(e, TILE_R32, "and.b32 %R, %R, 127", x);
    tile_register nan = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 127", size);
    tile_register half = tile_make(e, TILE_R32, "shl.b32 %R, %R, 7", size);
    half = tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", half);
    tile_register value = tile_make(e, TILE_R32, "cvt.f32.f16 %R, %R", half);
    value = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, 0f43800000", value);
    tile_register sign = tile_make(e, TILE_R32, "shl.b32 %R, %R, 24", x);
    sign = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x80000000", sign);
    value = tile_make(e, TILE_R32, "or.b32 %R, %R, %R", value, sign);
    return tile_make(e, TILE_R32, "selp.b32 %R, 0x7fffffff, %R, %R", value, nan);
}

tile_register tile_of_fp8(struct tile_emitter *e, cuc_dtype from, tile_register x)
{
    if (!tile_has(e->target, TILE_HAS_CVT_FP8))
        return widen(e, from, x);
    tile_register pair = tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", x);
    tile_register halves = tile_new(e, TILE_R32), low = tile_new(e, TILE_R16),
                  high = tile_new(e, TILE_R16);
    tile_ins(e, "cvt.rn.f16x2.%s %R, %R", format_of(from)->name, halves, pair);
    tile_ins(e, "mov.b32 {%R, %R}, %R", low, high, halves);
    return tile_make(e, TILE_R32, "cvt.f32.f16 %R, %R", low);
}
