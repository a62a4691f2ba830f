// Converts single elements: casts, widening to the type of a computation, and narrowing back.
#include "element.h"

tile_register tile_widen(struct tile_emitter *e, cuc_dtype dtype, tile_register x)
{
    if (dtype == CUC_F16)
        return tile_make(e, TILE_R32, "cvt.f32.f16 %R, %R", x);
    if (dtype == CUC_BF16) { // bf16 is the upper half of an f32
        bool upper;
        tile_register word = tile_word_of(e, x, &upper);
        if (word)
            return tile_make(e, TILE_R32,
                             upper ? "and.b32 %R, %R, 0xffff0000" : "shl.b32 %R, %R, 16", word);
        tile_register low = tile_make(e, TILE_R32, "cvt.u32.u16 %R, %R", x);
        return tile_make(e, TILE_R32, "shl.b32 %R, %R, 16", low);
    }
    return x;
}

tile_register tile_narrow(struct tile_emitter *e, cuc_dtype dtype, tile_register x)
{
    if (dtype == CUC_F16)
        return tile_make(e, TILE_R16, "cvt.rn.f16.f32 %R, %R", x);
    if (dtype == CUC_BF16)
        return tile_make(e, TILE_R16, "cvt.rn.bf16.f32 %R, %R", x);
    return x;
}

tile_register tile_cut(struct tile_emitter *e, cuc_dtype dtype, tile_register x)
{
    switch (dtype) {
    case CUC_I8:
        return tile_make(e, TILE_R32, "cvt.s32.s8 %R, %R", x);
    case CUC_U8:
        return tile_make(e, TILE_R32, "and.b32 %R, %R, 255", x);
    case CUC_I16:
        return tile_make(e, TILE_R32, "bfe.s32 %R, %R, 0, 16", x);
    case CUC_U16:
        return tile_make(e, TILE_R32, "and.b32 %R, %R, 65535", x);
    default:
        return x;
    }
}

static const char *float_name(cuc_dtype dtype)
{
    return dtype == CUC_F64 ? "f64" : dtype == CUC_F16 ? "f16" : dtype == CUC_BF16 ? "bf16" : "f32";
}

static const char *round_name(enum tile_round round)
{
    static const char *const names[] = { "rn", "rz", "rm", "rp" };

    return names[round];
}

// Converts a bool to 1 or 0.
static tile_register number_of_bool(struct tile_emitter *e, cuc_dtype to, tile_register x)
{
    tile_register one =
        tile_constant_register(e, to, tile_is_integer(to) ? 1 : tile_element_of_real(to, 1.0));
    tile_register zero = tile_constant_register(e, to, 0), out = tile_new(e, tile_class_of(to));
    static const char *const types[] = { "pred", "b16", "b32", "b64" };

    tile_ins(e, "selp.%s %R, %R, %R, %R", types[tile_class_of(to)], out, one, zero, x);
    return out;
}

// Emulates directed rounding to bf16, because cvt to bf16 supports only rn and rz. Rounds toward
// zero. If this discards bits and the requested direction is away from zero, then adds one unit in
// the last place.
static tile_register directed_bf16(struct tile_emitter *e, enum tile_round round, tile_register x)
{
    tile_register high = tile_make(e, TILE_R32, "and.b32 %R, %R, 0xffff0000", x);
    tile_register lost = tile_new(e, TILE_PRED), moves = tile_new(e, TILE_PRED);
    tile_register number = tile_new(e, TILE_PRED), away = tile_new(e, TILE_R32);
    tile_register out = tile_new(e, TILE_R32), low = tile_new(e, TILE_R16),
                  half = tile_new(e, TILE_R16);

    tile_ins(e, "setp.ne.b32 %R, %R, %R", lost, high, x);
    tile_ins(e, "setp.%s.and.s32 %R, %R, 0, %R", round == TILE_RP ? "ge" : "lt", moves, x, lost);
    tile_ins(e, "testp.finite.f32 %R, %R", number, x);
    tile_ins(e, "and.pred %R, %R, %R", moves, moves, number);
    tile_ins(e, "add.u32 %R, %R, 0x10000", away, high);
    tile_ins(e, "selp.b32 %R, %R, %R, %R", out, away, high, moves);
    tile_ins(e, "mov.b32 {%R, %R}, %R", low, half, out);
    tile_register nan = tile_new(e, TILE_PRED),
                  canonical = tile_make(e, TILE_R16, "mov.b16 %R, 0x7fff");
    tile_ins(e, "testp.notanumber.f32 %R, %R", nan, x);
    tile_register kept = tile_new(e, TILE_R16);
    tile_ins(e, "selp.b16 %R, %R, %R, %R", kept, canonical, half, nan);
    return kept;
}

static tile_register integer_to_integer(struct tile_emitter *e, cuc_dtype to, cuc_dtype from,
                                        tile_register x)
{
    bool wide_to = tile_class_of(to) == TILE_R64, wide_from = tile_class_of(from) == TILE_R64;

    if (wide_to == wide_from)
        return wide_to ? x : tile_cut(e, to, x);
    if (wide_to)
        return tile_is_signed(from) ? tile_make(e, TILE_R64, "cvt.s64.s32 %R, %R", x)
                                    : tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", x);
    return tile_cut(e, to, tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x));
}

// Rounds to odd: toward zero, with the last bit set if any bits were lost. Rounding this result to
// fewer bits equals a single rounding.
static tile_register odd_f64(struct tile_emitter *e, cuc_dtype from, tile_register x)
{
    const char *type = tile_integer_type(from);
    tile_register toward = tile_new(e, TILE_R64);

    tile_ins(e, "cvt.rz.f64.%s %R, %R", type, toward, x);
    if (cuc_dtype_bits(from) < 64) // the conversion is exact
        return toward;
    tile_register back = tile_new(e, TILE_R64), lost = tile_new(e, TILE_PRED);
    tile_ins(e, "cvt.rzi.%s.f64 %R, %R", type, back, toward);
    tile_ins(e, "setp.ne.%s %R, %R, %R", type, lost, back, x);
    tile_register odd = tile_make(e, TILE_R64, "or.b64 %R, %R, 1", toward);
    return tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", odd, toward, lost);
}

static tile_register odd_f32(struct tile_emitter *e, tile_register x)
{
    tile_register toward = tile_make(e, TILE_R32, "cvt.rz.f32.f64 %R, %R", x);
    tile_register back = tile_make(e, TILE_R64, "cvt.f64.f32 %R, %R", toward);
    tile_register lost = tile_new(e, TILE_PRED);

    tile_ins(e, "setp.ne.f64 %R, %R, %R", lost, back, x);
    tile_register odd = tile_make(e, TILE_R32, "or.b32 %R, %R, 1", toward);
    return tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", odd, toward, lost);
}

tile_register tile_emit_cast(struct tile_emitter *e, cuc_dtype to, cuc_dtype from,
                             enum tile_round round, tile_register x)
{
    if (to == from)
        return x;
    if (from == CUC_BOOL)
        return to == CUC_E4M3 || to == CUC_E5M2 ? tile_to_fp8(e, to, number_of_bool(e, CUC_F32, x))
                                                : number_of_bool(e, to, x);
    if (to == CUC_BOOL) {
        if (from == CUC_E4M3 || from == CUC_E5M2)
            x = tile_of_fp8(e, from, x), from = CUC_F32;
        tile_register p = tile_new(e, TILE_PRED);
        if (tile_is_integer(from)) {
            tile_ins(e, "setp.ne.%s %R, %R, 0", tile_integer_type(from), p, x);
        } else {
            tile_register zero = tile_constant_register(e, from == CUC_F64 ? CUC_F64 : CUC_F32, 0);
            tile_ins(e, "setp.neu.%s %R, %R, %R", from == CUC_F64 ? "f64" : "f32", p,
                     tile_widen(e, from, x), zero);
        }
        return p;
    }
    if (tile_is_integer(from) && tile_is_integer(to))
        return integer_to_integer(e, to, from, x);
    if (tile_is_integer(from)) {
        bool exact = cuc_dtype_bits(from) <= 16; // exact in f32, so only the next step rounds
        if (exact && to != CUC_F64 && to != CUC_F32)
            return tile_emit_cast(e, to, CUC_F32, round,
                                  tile_emit_cast(e, CUC_F32, from, TILE_RN, x));
        if (to == CUC_TF32 || to == CUC_E4M3 || to == CUC_E5M2 || to == CUC_BF16)
            return tile_emit_cast(e, to, CUC_F64, round, odd_f64(e, from, x));
        tile_register out = tile_new(e, tile_class_of(to));
        tile_ins(e, "cvt.%s.%s.%s %R, %R", round_name(round), float_name(to),
                 tile_integer_type(from), out, x);
        return out;
    }
    if (from == CUC_E4M3 || from == CUC_E5M2)
        return tile_emit_cast(e, to, CUC_F32, round, tile_of_fp8(e, from, x));
    if (from == CUC_TF32)
        from = CUC_F32; // tf32 has the bits of an f32
    if (to == from)
        return x;
    if (tile_is_integer(to)) {
        static const char *const whole[] = { "rzi", "rzi", "rmi", "rpi" };
        tile_register wide = tile_widen(e, from, x), out = tile_new(e, tile_class_of(to));
        // Small integers saturate at the limits of their dtype.
        const char *type = to == CUC_I8    ? "s8"
                           : to == CUC_U8  ? "u8"
                           : to == CUC_I16 ? "s16"
                           : to == CUC_U16 ? "u16"
                                           : tile_integer_type(to);
        tile_ins(e, "cvt.%s.%s.%s %R, %R", whole[round], type, from == CUC_F64 ? "f64" : "f32", out,
                 wide);
        return tile_cut(e, to, out);
    }
    if (to == CUC_TF32) {
        tile_register f = from == CUC_F64 ? tile_make(e, TILE_R32, "cvt.rn.f32.f64 %R, %R", x)
                                          : tile_widen(e, from, x);
        return tile_make(e, TILE_R32, "cvt.rna.tf32.f32 %R, %R", f);
    }
    if (to == CUC_E4M3 || to == CUC_E5M2)
        return tile_to_fp8(e, to, from == CUC_F64 ? odd_f32(e, x) : tile_widen(e, from, x));
    if (from == CUC_F64 && to == CUC_BF16)
        return tile_emit_cast(e, to, CUC_F32, round, odd_f32(e, x));
    tile_register out = tile_new(e, tile_class_of(to));
    if (cuc_dtype_bits(to) > cuc_dtype_bits(from)) {
        tile_register wide = tile_widen(e, from, x);
        if (to == CUC_F32)
            return wide;
        tile_ins(e, "cvt.f64.f32 %R, %R", out, wide);
        return out;
    }
    if (cuc_dtype_bits(from) == 16) // f16 or bf16
        x = tile_widen(e, from, x), from = CUC_F32;
    if (to == CUC_BF16 && round > TILE_RZ)
        return directed_bf16(e, round, x);
    tile_ins(e, "cvt.%s.%s.%s %R, %R", round_name(round), float_name(to), float_name(from), out, x);
    return out;
}

tile_register tile_emit_bitcast(struct tile_emitter *e, cuc_dtype to, cuc_dtype from,
                                tile_register x)
{
    enum tile_register_class a = tile_class_of(from), b = tile_class_of(to);

    if (a == b)
        return tile_cut(e, to, x);
    if (b == TILE_R16)
        return tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", x);
    return tile_cut(e, to, tile_make(e, TILE_R32, "cvt.u32.u16 %R, %R", x));
}
