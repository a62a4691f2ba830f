// Elementwise ops, register by register.
//
// f16 and bf16 are computed in f32 and rounded once, which is exact for + - * / and the square
// root; 8 and 16 bit integers in 32 bits, and cut to their width afterwards.
#include "access.h"
#include "ring.h"

#include <string.h>

tile_register tile_widen(struct tile_emitter *e, cuc_dtype dtype, tile_register x)
{
    if (dtype == CUC_F16)
        return tile_make(e, TILE_R32, "cvt.f32.f16 %R, %R", x);
    if (dtype == CUC_BF16) { // the upper half of an f32
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

// A small integer after arithmetic in 32 bits.
static tile_register cut(struct tile_emitter *e, cuc_dtype dtype, tile_register x)
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

// The type that integers of a dtype are computed in.
static const char *integer_type(cuc_dtype dtype)
{
    bool wide = tile_class_of(dtype) == TILE_R64;

    return tile_is_signed(dtype) ? wide ? "s64" : "s32" : wide ? "u64" : "u32";
}

static const char *bits_type(cuc_dtype dtype)
{
    return dtype == CUC_BOOL ? "pred" : tile_class_of(dtype) == TILE_R64 ? "b64" : "b32";
}

// What is left of a floor division when the one toward zero is q: r != 0 and the signs differ.
static tile_register divide(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                            tile_register x, tile_register y)
{
    const char *type = integer_type(dtype), *bits = bits_type(dtype);
    enum tile_register_class c = tile_class_of(dtype);

    if (!tile_is_signed(dtype)) {
        tile_register q = tile_new(e, c);
        if (kind == TILE_MOD) {
            tile_ins(e, "rem.%s %R, %R, %R", type, q, x, y);
            return q;
        }
        tile_ins(e, "div.%s %R, %R, %R", type, q, x, y);
        if (kind == TILE_FLOORDIV)
            return q;
        tile_register back = tile_new(e, c), p = tile_new(e, TILE_PRED), up = tile_new(e, c);
        tile_ins(e, "mul.lo.%s %R, %R, %R", type, back, q, y);
        tile_ins(e, "setp.ne.%s %R, %R, %R", type, p, back, x);
        tile_ins(e, "selp.%s %R, 1, 0, %R", bits, up, p);
        tile_register out = tile_new(e, c);
        tile_ins(e, "add.%s %R, %R, %R", type, out, q, up);
        return out;
    }
    tile_register q = tile_new(e, c), back = tile_new(e, c), rest = tile_new(e, c);
    tile_register mixed = tile_new(e, c), p = tile_new(e, TILE_PRED),
                  apart = tile_new(e, TILE_PRED);
    tile_register out = tile_new(e, c), by = tile_new(e, c);
    tile_ins(e, "div.%s %R, %R, %R", type, q, x, y);
    tile_ins(e, "mul.lo.%s %R, %R, %R", type, back, q, y);
    tile_ins(e, "sub.%s %R, %R, %R", type, rest, x, back);
    tile_ins(e, "xor.%s %R, %R, %R", bits, mixed, x, y);
    tile_ins(e, "setp.ne.%s %R, %R, 0", type, p, rest);
    tile_ins(e, "setp.%s.and.%s %R, %R, 0, %R", kind == TILE_CDIV ? "ge" : "lt", type, apart, mixed,
             p);
    if (kind == TILE_MOD) {
        tile_ins(e, "selp.%s %R, %R, 0, %R", bits, by, y, apart);
        tile_ins(e, "add.%s %R, %R, %R", type, out, rest, by);
    } else {
        tile_ins(e, "selp.%s %R, %d, 0, %R", bits, by, kind == TILE_CDIV ? 1 : -1, apart);
        tile_ins(e, "add.%s %R, %R, %R", type, out, q, by);
    }
    return out;
}

static const char *comparison(enum tile_op_kind kind)
{
    switch (kind) {
    case TILE_EQ:
        return "eq";
    case TILE_NE:
        return "ne";
    case TILE_LT:
        return "lt";
    case TILE_LE:
        return "le";
    case TILE_GT:
        return "gt";
    case TILE_GE:
        return "ge";
    default:
        return NULL;
    }
}

static tile_register of_bools(struct tile_emitter *e, enum tile_op_kind kind, tile_register x,
                              tile_register y)
{
    switch (kind) {
    case TILE_AND:
        return tile_make(e, TILE_PRED, "and.pred %R, %R, %R", x, y);
    case TILE_OR:
        return tile_make(e, TILE_PRED, "or.pred %R, %R, %R", x, y);
    case TILE_EQ: {
        tile_register differs = tile_make(e, TILE_PRED, "xor.pred %R, %R, %R", x, y);
        return tile_make(e, TILE_PRED, "not.pred %R, %R", differs);
    }
    default: // ne and xor
        return tile_make(e, TILE_PRED, "xor.pred %R, %R, %R", x, y);
    }
}

static tile_register of_integers(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                                 tile_register x, tile_register y)
{
    static const struct {
        enum tile_op_kind kind;
        const char *ins;
        bool bits, cuts;
    } rows[] = {
        { TILE_ADD, "add", false, true },      { TILE_SUB, "sub", false, true },
        { TILE_MUL, "mul.lo", false, true },   { TILE_MINIMUM, "min", false, false },
        { TILE_MAXIMUM, "max", false, false }, { TILE_AND, "and", true, false },
        { TILE_OR, "or", true, false },        { TILE_XOR, "xor", true, false },
        { TILE_SHL, "shl", true, true },       { TILE_SHR, "shr", false, false },
    };
    enum tile_register_class c = tile_class_of(dtype);

    if (kind == TILE_FLOORDIV || kind == TILE_CDIV || kind == TILE_MOD)
        return cut(e, dtype, divide(e, kind, dtype, x, y));
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].kind != kind)
            continue;
        tile_register out = tile_new(e, c);
        if ((kind == TILE_SHL || kind == TILE_SHR) && c == TILE_R64)
            y = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", y); // the amount has 32 bits
        tile_ins(e, "%s.%s %R, %R, %R", rows[i].ins,
                 rows[i].bits ? bits_type(dtype) : integer_type(dtype), out, x, y);
        return rows[i].cuts ? cut(e, dtype, out) : out;
    }
    return TILE_NO_REGISTER;
}

// In f32 or f64.
static tile_register of_floats(struct tile_emitter *e, enum tile_op_kind kind, const char *type,
                               bool nan, tile_register x, tile_register y)
{
    enum tile_register_class c = type[1] == '6' ? TILE_R64 : TILE_R32;
    tile_register out = tile_new(e, c);

    switch (kind) {
    case TILE_ADD:
        tile_ins(e, "add.rn.%s %R, %R, %R", type, out, x, y);
        return out;
    case TILE_SUB:
        tile_ins(e, "sub.rn.%s %R, %R, %R", type, out, x, y);
        return out;
    case TILE_MUL:
        tile_ins(e, "mul.rn.%s %R, %R, %R", type, out, x, y);
        return out;
    case TILE_DIV:
        tile_ins(e, "div.rn.%s %R, %R, %R", type, out, x, y);
        return out;
    case TILE_FLOORDIV:
    case TILE_MOD: {
        tile_register q = tile_new(e, c), whole = tile_new(e, c), minus = tile_new(e, c);
        tile_ins(e, "div.rn.%s %R, %R, %R", type, q, x, y);
        tile_ins(e, "cvt.rmi.%s.%s %R, %R", type, type, whole, q);
        if (kind == TILE_FLOORDIV)
            return whole;
        tile_ins(e, "neg.%s %R, %R", type, minus, whole);
        tile_ins(e, "fma.rn.%s %R, %R, %R, %R", type, out, minus, y, x);
        return out;
    }
    case TILE_MINIMUM:
    case TILE_MAXIMUM: {
        const char *name = kind == TILE_MINIMUM ? "min" : "max";
        if (nan && c == TILE_R32) {
            tile_ins(e, "%s.NaN.%s %R, %R, %R", name, type, out, x, y);
            return out;
        }
        tile_ins(e, "%s.%s %R, %R, %R", name, type, out, x, y);
        if (!nan)
            return out;
        tile_register p = tile_new(e, TILE_PRED), sum = tile_new(e, c), kept = tile_new(e, c);
        tile_ins(e, "setp.nan.%s %R, %R, %R", type, p, x, y);
        tile_ins(e, "add.rn.%s %R, %R, %R", type, sum, x, y); // NaN when one is
        tile_ins(e, "selp.b64 %R, %R, %R, %R", kept, sum, out, p);
        return kept;
    }
    default:
        return TILE_NO_REGISTER;
    }
}

tile_register tile_emit_binary(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                               bool nan, tile_register x, tile_register y)
{
    const char *compare = comparison(kind);
    const char *type = dtype == CUC_F64 ? "f64" : "f32";

    if (dtype == CUC_BOOL)
        return of_bools(e, kind, x, y);
    if (tile_is_integer(dtype)) {
        if (!compare)
            return of_integers(e, kind, dtype, x, y);
        tile_register p = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.%s.%s %R, %R, %R", compare, integer_type(dtype), p, x, y);
        return p;
    }
    x = tile_widen(e, dtype, x);
    y = tile_widen(e, dtype, y);
    if (compare) {
        tile_register p = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.%s.%s %R, %R, %R", kind == TILE_NE ? "neu" : compare, type, p, x, y);
        return p;
    }
    tile_register out = of_floats(e, kind, type, nan, x, y);
    if (!out)
        out = tile_emit_math(e, kind, dtype == CUC_F64 ? CUC_F64 : CUC_F32, x, y);
    return out ? tile_narrow(e, dtype, out) : out;
}

tile_register tile_emit_combine(struct tile_emitter *e, enum tile_combine with, cuc_dtype dtype,
                                bool nan, tile_register x, tile_register y)
{
    static const enum tile_op_kind ops[] = {
        [TILE_WITH_SUM] = TILE_ADD,     [TILE_WITH_PROD] = TILE_MUL, [TILE_WITH_MIN] = TILE_MINIMUM,
        [TILE_WITH_MAX] = TILE_MAXIMUM, [TILE_WITH_ANY] = TILE_OR,   [TILE_WITH_ALL] = TILE_AND,
    };

    return tile_emit_binary(e, ops[with], dtype, nan, x, y);
}

// 0 - x as ~x + 1: of max(max(a, -b), c) and min likewise, ptxas of CUDA 12.8 to 13.3 for sm_90 and
// sm_100 makes one VIMNMX3 and loses the sign of b.
static void negate(struct tile_emitter *e, tile_register out, tile_register x)
{
    tile_ins(e, "add.s32 %R, %R, 1", out, tile_make(e, TILE_R32, "not.b32 %R, %R", x));
}

static tile_register unary(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                           tile_register x)
{
    enum tile_register_class c = tile_class_of(dtype);
    const char *type = dtype == CUC_F64 ? "f64" : "f32";

    if (dtype == CUC_BOOL)
        return tile_make(e, TILE_PRED, "not.pred %R, %R", x);
    if (tile_is_integer(dtype)) {
        tile_register out = tile_new(e, c);
        if (kind == TILE_ASSUME || (kind == TILE_ABS && !tile_is_signed(dtype)))
            return x;
        if (kind == TILE_NOT)
            tile_ins(e, "not.%s %R, %R", bits_type(dtype), out, x);
        else if (kind == TILE_NEG && c == TILE_R32)
            negate(e, out, x);
        else
            tile_ins(e, "%s.s%s %R, %R", kind == TILE_NEG ? "neg" : "abs",
                     c == TILE_R64 ? "64" : "32", out, x);
        return cut(e, dtype, out);
    }
    // The sign alone: exact in any width, and a NaN stays the one it is.
    if (kind == TILE_NEG || kind == TILE_ABS) {
        tile_register wide = tile_widen(e, dtype, x),
                      out = tile_new(e, tile_class_of(dtype == CUC_F64 ? CUC_F64 : CUC_F32));
        tile_ins(e, "%s.%s %R, %R", kind == TILE_NEG ? "neg" : "abs", type, out, wide);
        return tile_narrow(e, dtype, out);
    }
    x = tile_widen(e, dtype, x);
    if (kind == TILE_ISNAN || kind == TILE_ISINF) {
        tile_register p = tile_new(e, TILE_PRED);
        tile_ins(e, "testp.%s.%s %R, %R", kind == TILE_ISNAN ? "notanumber" : "infinite", type, p,
                 x);
        return p;
    }
    static const struct {
        enum tile_op_kind kind;
        const char *round;
    } rounds[] = {
        { TILE_FLOOR, "rmi" }, { TILE_CEIL, "rpi" }, { TILE_ROUND, "rni" }, { TILE_TRUNC, "rzi" }
    };
    enum tile_register_class wide = dtype == CUC_F64 ? TILE_R64 : TILE_R32;
    for (size_t i = 0; i < 4; i++)
        if (rounds[i].kind == kind) {
            tile_register out = tile_new(e, wide);
            tile_ins(e, "cvt.%s.%s.%s %R, %R", rounds[i].round, type, type, out, x);
            return tile_narrow(e, dtype, out);
        }
    if (kind == TILE_SQRT) {
        tile_register out = tile_new(e, wide);
        tile_ins(e, "sqrt.rn.%s %R, %R", type, out, x);
        return tile_narrow(e, dtype, out);
    }
    tile_register out =
        tile_emit_math(e, kind, dtype == CUC_F64 ? CUC_F64 : CUC_F32, x, TILE_NO_REGISTER);
    return out ? tile_narrow(e, dtype, out) : out;
}

// Casts

static const char *float_name(cuc_dtype dtype)
{
    return dtype == CUC_F64 ? "f64" : dtype == CUC_F16 ? "f16" : dtype == CUC_BF16 ? "bf16" : "f32";
}

static const char *round_name(enum tile_round round)
{
    static const char *const names[] = { "rn", "rz", "rm", "rp" };

    return names[round];
}

// 1 and 0 of a bool.
static tile_register number_of_bool(struct tile_emitter *e, cuc_dtype to, tile_register x)
{
    tile_register one =
        tile_constant_register(e, to, tile_is_integer(to) ? 1 : tile_element_of_real(to, 1.0));
    tile_register zero = tile_constant_register(e, to, 0), out = tile_new(e, tile_class_of(to));
    static const char *const types[] = { "pred", "b16", "b32", "b64" };

    tile_ins(e, "selp.%s %R, %R, %R, %R", types[tile_class_of(to)], out, one, zero, x);
    return out;
}

// cvt to bf16 has rn and rz only: toward zero, and away from it by one when something was lost on
// the side that is asked for.
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
        return wide_to ? x : cut(e, to, x);
    if (wide_to)
        return tile_is_signed(from) ? tile_make(e, TILE_R64, "cvt.s64.s32 %R, %R", x)
                                    : tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", x);
    return cut(e, to, tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x));
}

// Rounded to odd: toward zero, and the last bit set when something was lost, so that a second
// rounding to fewer bits is the only one that counts.
static tile_register odd_f64(struct tile_emitter *e, cuc_dtype from, tile_register x)
{
    const char *type = integer_type(from);
    tile_register toward = tile_new(e, TILE_R64);

    tile_ins(e, "cvt.rz.f64.%s %R, %R", type, toward, x);
    if (cuc_dtype_bits(from) < 64) // exact
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
            tile_ins(e, "setp.ne.%s %R, %R, 0", integer_type(from), p, x);
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
        if (to == CUC_TF32 || to == CUC_E4M3 || to == CUC_E5M2 || to == CUC_BF16)
            return tile_emit_cast(e, to, CUC_F64, round, odd_f64(e, from, x));
        tile_register out = tile_new(e, tile_class_of(to));
        tile_ins(e, "cvt.%s.%s.%s %R, %R", round_name(round), float_name(to), integer_type(from),
                 out, x);
        return out;
    }
    if (from == CUC_E4M3 || from == CUC_E5M2)
        return tile_emit_cast(e, to, CUC_F32, round, tile_of_fp8(e, from, x));
    if (from == CUC_TF32)
        from = CUC_F32; // its bits are those of an f32
    if (to == from)
        return x;
    if (tile_is_integer(to)) {
        static const char *const whole[] = { "rzi", "rzi", "rmi", "rpi" };
        tile_register wide = tile_widen(e, from, x), out = tile_new(e, tile_class_of(to));
        // Small integers saturate at their own width.
        const char *type = to == CUC_I8    ? "s8"
                           : to == CUC_U8  ? "u8"
                           : to == CUC_I16 ? "s16"
                           : to == CUC_U16 ? "u16"
                                           : integer_type(to);
        tile_ins(e, "cvt.%s.%s.%s %R, %R", whole[round], type, from == CUC_F64 ? "f64" : "f32", out,
                 wide);
        return cut(e, to, out);
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
    if (cuc_dtype_bits(from) == 16) // f16 and bf16
        x = tile_widen(e, from, x), from = CUC_F32;
    if (to == CUC_BF16 && round > TILE_RZ)
        return directed_bf16(e, round, x);
    tile_ins(e, "cvt.%s.%s.%s %R, %R", round_name(round), float_name(to), float_name(from), out, x);
    return out;
}

static tile_register bitcast(struct tile_emitter *e, cuc_dtype to, cuc_dtype from, tile_register x)
{
    enum tile_register_class a = tile_class_of(from), b = tile_class_of(to);

    if (a == b)
        return cut(e, to, x);
    if (b == TILE_R16)
        return tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", x);
    return cut(e, to, tile_make(e, TILE_R32, "cvt.u32.u16 %R, %R", x));
}

// The number above 0 that a divisor is known to be; 0: none.
static uint64_t known_divisor(const struct tile_value *divisor)
{
    const struct tile_op *op = divisor->op;

    while (op && (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE))
        op = op->operand[0]->op;
    int64_t value = op && op->kind == TILE_CONSTANT ? tile_int(op, TILE_ATTR_VALUE, 0) : 0;
    return value > 0 ? (uint64_t)value : 0;
}

static tile_register divide_by_power(struct tile_emitter *e, enum tile_op_kind kind,
                                     cuc_dtype dtype, tile_register x, uint64_t power)
{
    const char *bits = bits_type(dtype);
    enum tile_register_class c = tile_class_of(dtype);
    tile_register q = tile_new(e, c), rest = tile_new(e, c), up = tile_new(e, c);
    tile_register p = tile_new(e, TILE_PRED);

    if (kind != TILE_FLOORDIV)
        tile_ins(e, "and.%s %R, %R, 0x%x", bits, rest, x, power - 1);
    if (kind == TILE_MOD)
        return rest;
    tile_ins(e, "shr.%s %R, %R, %u", integer_type(dtype), q, x, (unsigned)__builtin_ctzll(power));
    if (kind == TILE_FLOORDIV)
        return q;
    tile_ins(e, "setp.ne.%s %R, %R, 0", bits, p, rest);
    tile_ins(e, "selp.%s %R, 1, 0, %R", bits, up, p);
    return tile_make(e, c, c == TILE_R64 ? "add.s64 %R, %R, %R" : "add.s32 %R, %R, %R", q, up);
}

// By the machine's power of two as it is, and a product that is rounded: 2^-18 of the value at
// most, and 0 in place of what is subnormal.
static bool is_rough(const struct tile_op *op)
{
    return tile_int(op, TILE_ATTR_ROUGH, 0);
}

// Numbers of 64 bits that are below 2^31 and not negative.
static tile_register divide_words(struct tile_emitter *e, enum tile_op_kind kind, tile_register x,
                                  tile_register y)
{
    tile_register a = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
    tile_register b = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", y);

    if (kind == TILE_CDIV) { // the last of the dividend's multiples may be past 2^31, not past 2^32
        tile_register more = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", b);
        a = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", a, more);
    }
    tile_register q = tile_make(
        e, TILE_R32, kind == TILE_MOD ? "rem.u32 %R, %R, %R" : "div.u32 %R, %R, %R", a, b);
    return tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", q);
}

tile_register tile_emit_scalar_op(struct tile_emitter *e, const struct tile_op *op, cuc_dtype dtype,
                                  const tile_register *x)
{
    cuc_dtype to = op->result[0]->type.dtype;
    bool nan = tile_int(op, TILE_ATTR_NAN, 0);
    struct tile_rounding how = tile_rounding_of(op);
    static const char *const types[] = { "pred", "b16", "b32", "b64" };

    if (tile_is_rounded(op) && op->kind != TILE_CAST)
        return tile_emit_rounded(e, op->kind, dtype, how, nan, x);
    switch (op->kind) {
    case TILE_CAST:
        if (how.ftz) {
            tile_register in = dtype == CUC_F32 ? tile_emit_flush(e, x[0]) : x[0];
            tile_register out = tile_emit_cast(e, to, dtype, how.round, in);
            return to == CUC_F32 ? tile_emit_flush(e, out) : out;
        }
        if (tile_int(op, TILE_ATTR_AGAIN, 0))
            return tile_widen_again(e, dtype, x[0], (uint32_t)tile_int(op, TILE_ATTR_AGAIN, 0));
        return tile_emit_cast(e, to, dtype, how.round, x[0]);
    case TILE_BITCAST:
        return bitcast(e, to, dtype, x[0]);
    case TILE_WHERE: {
        tile_register out = tile_new(e, tile_class_of(to));
        if (to == CUC_BOOL) { // c & x | ~c & y
            tile_register a = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", x[0], x[1]);
            tile_register n = tile_make(e, TILE_PRED, "not.pred %R, %R", x[0]);
            tile_register b = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", n, x[2]);
            return tile_make(e, TILE_PRED, "or.pred %R, %R, %R", a, b);
        }
        tile_ins(e, "selp.%s %R, %R, %R, %R", types[tile_class_of(to)], out, x[1], x[2], x[0]);
        return out;
    }
    case TILE_FLOORDIV:
    case TILE_CDIV:
    case TILE_MOD: {
        uint64_t divisor = tile_is_integer(dtype) ? known_divisor(op->operand[1]) : 0;
        if (divisor && !(divisor & (divisor - 1)))
            return divide_by_power(e, op->kind, dtype, x[0], divisor);
        if (dtype == CUC_I64 && tile_fits_word(e, op->operand[0]) &&
            tile_fits_word(e, op->operand[1]))
            return divide_words(e, op->kind, x[0], x[1]);
        if (dtype == CUC_I64 && divisor)
            return tile_divide_by_constant(e, op->kind, x[0], divisor);
        return tile_emit_binary(e, op->kind, dtype, nan, x[0], x[1]);
    }
    case TILE_FMA: {
        const char *type = dtype == CUC_F64    ? "f64"
                           : dtype == CUC_F16  ? "f16"
                           : dtype == CUC_BF16 ? "bf16"
                                               : "f32";
        tile_register out = tile_new(e, tile_class_of(dtype));
        tile_ins(e, "fma.rn.%s %R, %R, %R, %R", type, out, x[0], x[1], x[2]);
        return out;
    }
    case TILE_DIV: // within 2 ulp, and without the call that a division rounded to nearest may make
        if (dtype == CUC_F32 && is_rough(op))
            return tile_make(e, TILE_R32, "div.full.f32 %R, %R, %R", x[0], x[1]);
        if (dtype == CUC_F32 && !op->result[0]->type.rank)
            return tile_divide(e, x[0], x[1]);
        return tile_emit_binary(e, op->kind, dtype, nan, x[0], x[1]);
    case TILE_EXP:
    case TILE_EXP2:
        if (dtype == CUC_F32 && is_rough(op)) {
            tile_register power =
                op->kind == TILE_EXP // of 2
                    ? tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, 0f3FB8AA3B", x[0])
                    : x[0];
            return tile_make(e, TILE_R32, "ex2.approx.ftz.f32 %R, %R", power);
        }
        return unary(e, op->kind, dtype, x[0]);
    case TILE_SIGMOID: // 1 / (1 + 2^(-x log2(e)))
        if (dtype == CUC_F32 && is_rough(op)) {
            tile_register out = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, 0fBFB8AA3B", x[0]);
            out = tile_make(e, TILE_R32, "ex2.approx.ftz.f32 %R, %R", out);
            out = tile_make(e, TILE_R32, "add.rn.f32 %R, %R, 0f3F800000", out);
            return tile_make(e, TILE_R32, "rcp.approx.ftz.f32 %R, %R", out);
        }
        return unary(e, op->kind, dtype, x[0]);
    default:
        return op->operand_count == 1 ? unary(e, op->kind, dtype, x[0])
                                      : tile_emit_binary(e, op->kind, dtype, nan, x[0], x[1]);
    }
}

// Two f32 to 16 bits at once, side by side in a word as stores want them.
static bool casts_pairs(const struct tile_op *op, uint32_t count)
{
    cuc_dtype to = op->result[0]->type.dtype;

    return op->kind == TILE_CAST && count % 2 == 0 && (to == CUC_F16 || to == CUC_BF16) &&
           op->operand[0]->type.dtype == CUC_F32 && !tile_is_rounded(op);
}

static void cast_pair(struct tile_emitter *e, cuc_dtype to, tile_register *out,
                      const tile_register *x)
{
    tile_register word = tile_make(
        e, TILE_R32, to == CUC_F16 ? "cvt.rn.f16x2.f32 %R, %R, %R" : "cvt.rn.bf16x2.f32 %R, %R, %R",
        x[1], x[0]);

    for (uint32_t i = 0; i < 2; i++)
        out[i] = tile_new(e, TILE_R16);
    tile_split(e, word, out[0], out[1]);
}

// The result's registers from `first` on to `end`.
static bool emit_elements(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                          uint32_t first, uint32_t end)
{
    const tile_register *in[3];
    cuc_dtype dtype = op->operand[op->kind == TILE_WHERE]->type.dtype;

    if (tile_int(op, TILE_ATTR_NEAR, 0) && tile_emit_near(e, op, out, first, end))
        return true;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (!tile_hurry(e, op->operand[i], first, end))
            return false;
        in[i] = e->value[op->operand[i]->id];
    }
    bool pairs = casts_pairs(op, tile_register_count(op->result[0]));
    for (uint32_t r = first; r < end && pairs; r += 2)
        if (!out[r])
            cast_pair(e, op->result[0]->type.dtype, out + r, in[0] + r);
    for (uint32_t r = first; r < end && !pairs; r++) {
        tile_register x[3];
        if (out[r])
            continue;
        for (uint32_t i = 0; i < op->operand_count; i++)
            x[i] = in[i][r];
        out[r] = tile_emit_scalar_op(e, op, dtype, x);
        if (!out[r])
            return tile_cannot(e, op, "there is no PTX for it yet");
    }
    return true;
}

bool tile_hurry(struct tile_emitter *e, const struct tile_value *value, uint32_t first,
                uint32_t end)
{
    const struct tile_op *op = e->waiting ? e->waiting[value->id] : NULL;

    if (op && op->kind == TILE_LOAD && op != e->ring->plan->side) {
        tile_move_part(e->coming, first, end);
        return !e->failed;
    }
    if (op)
        return op->kind == TILE_LOAD ? tile_emit_side(e, op, first, end)
                                     : emit_elements(e, op, e->value[value->id], first, end);
    return tile_registers(e, value) != NULL;
}

// The tile that all of it is made of; false when there are several.
static bool made_of(const struct tile_emitter *e, const struct tile_value *value,
                    const struct tile_value **source)
{
    const struct tile_op *op = e->waiting[value->id];

    if (!op) {
        while (value->op && value->op->kind == TILE_BROADCAST)
            value = value->op->operand[0];
        if (tile_elements(&value->type) == 1)
            return true;
        bool other = *source && *source != value;
        *source = value;
        return !other;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!made_of(e, op->operand[i], source))
            return false;
    return true;
}

bool tile_waits(const struct tile_emitter *e, const struct tile_value *value)
{
    const struct tile_value *source = NULL;

    return e->waiting && e->waiting[value->id] && made_of(e, value, &source);
}

bool tile_keep_waiting(struct tile_emitter *e, struct tile_waiting *kept)
{
    size_t values = e->kernel->value_count + 1;

    *kept = (struct tile_waiting){
        .op = tile_take(e->module, values * sizeof(*kept->op)),
        .reg = tile_take(e->module, values * sizeof(*kept->reg)),
    };
    memcpy(kept->zero, e->zero, sizeof(kept->zero));
    if (!kept->op || !kept->reg)
        return false;
    memcpy(kept->op, e->waiting, values * sizeof(*kept->op));
    for (size_t id = 0; id < values; id++) {
        if (!e->waiting[id])
            continue;
        size_t bytes = tile_register_count(e->waiting[id]->result[0]) * sizeof(tile_register);
        if (!(kept->reg[id] = tile_take(e->module, bytes)))
            return false;
        memcpy(kept->reg[id], e->value[id], bytes);
    }
    return true;
}

void tile_wait_again(struct tile_emitter *e, const struct tile_waiting *kept)
{
    memcpy(e->zero, kept->zero, sizeof(kept->zero));
    for (size_t id = 0; id <= e->kernel->value_count; id++)
        if ((e->waiting[id] = kept->op[id]))
            memcpy(e->value[id], kept->reg[id],
                   tile_register_count(kept->op[id]->result[0]) * sizeof(tile_register));
}

// An entry with roles has many accumulators and not many registers beside them: what is made of
// them waits until a part of it is asked for. Whoever asks stands in the same block, so that what
// is made then is there for all who ask later.
static bool may_wait(const struct tile_emitter *e, const struct tile_op *op)
{
    enum { MANY = 32 };
    const struct tile_block *body = &e->kernel->body;

    return e->waiting && tile_register_count(op->result[0]) >= MANY && op->result_count == 1 &&
           op->parent == body && !tile_is_used_outside(e->kernel, op->result[0], body);
}

// Whether an operand comes from memory as it is asked for.
static bool asks_for_load(const struct tile_emitter *e, const struct tile_op *op)
{
    bool asks = false;

    for (uint32_t i = 0; i < op->operand_count && e->waiting; i++)
        asks |= e->coming && e->waiting[op->operand[i]->id] == e->coming->op;
    return asks;
}

bool tile_emit_elementwise(struct tile_emitter *e, const struct tile_op *op)
{
    enum { LOADED_PART = 32 };
    const struct tile_value *result = op->result[0];
    uint32_t count = tile_register_count(result);
    tile_register *out = tile_take(e->module, count * sizeof(*out));

    if (!out)
        return false;
    if (may_wait(e, op)) {
        e->waiting[result->id] = op;
        e->value[result->id] = out;
        return true;
    }
    uint32_t part = asks_for_load(e, op) ? LOADED_PART : count;
    for (uint32_t first = 0; first < count; first += part)
        if (!emit_elements(e, op, out, first, first + part < count ? first + part : count))
            return false;
    e->value[result->id] = out;
    return true;
}

// Values out of nothing.
bool tile_emit_leaf(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *value = op->result[0];
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    uint32_t count = tile_register_count(value);
    cuc_dtype dtype = value->type.dtype;
    tile_register *out = tile_take(e->module, count * sizeof(*out));

    if (!out)
        return false;
    e->value[value->id] = out;
    if (op->kind == TILE_CONSTANT) {
        uint64_t element = real ? tile_element_of_real(dtype, real->f)
                                : tile_element_of_int(dtype, tile_int(op, TILE_ATTR_VALUE, 0));
        out[0] = tile_constant_register(e, dtype, element);
        return true;
    }
    tile_register thread = tile_thread_coordinate(e, value->layout, 0);
    for (uint32_t r = 0; r < count; r++) {
        uint32_t own = tile_register_coordinate(value->layout, r, 0);
        tile_register at = own ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", thread, own) : thread;
        out[r] = tile_class_of(dtype) == TILE_R64 ? tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", at)
                                                  : at;
    }
    return true;
}
