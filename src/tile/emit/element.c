// Elementwise ops on one element.
//
// f16 and bf16 ops compute in f32 and round once, which yields the correctly rounded result for + -
// * / and the square root. 8- and 16-bit integer ops compute in 32 bits and truncate the result.
#include "element.h"

const char *tile_integer_type(cuc_dtype dtype)
{
    bool wide = tile_class_of(dtype) == TILE_R64;

    return tile_is_signed(dtype) ? wide ? "s64" : "s32" : wide ? "u64" : "u32";
}

const char *tile_bits_type(cuc_dtype dtype)
{
    return dtype == CUC_BOOL ? "pred" : tile_class_of(dtype) == TILE_R64 ? "b64" : "b32";
}

static tile_register of_bools(struct tile_emitter *e, enum tile_op_kind kind, tile_register x,
                              tile_register y)
{
    if (kind == TILE_AND)
        return tile_make(e, TILE_PRED, "and.pred %R, %R, %R", x, y);
    if (kind == TILE_OR)
        return tile_make(e, TILE_PRED, "or.pred %R, %R, %R", x, y);
    // For predicates both `ne` and `xor` are XOR.
    tile_register differs = tile_make(e, TILE_PRED, "xor.pred %R, %R, %R", x, y);
    return kind == TILE_EQ ? tile_make(e, TILE_PRED, "not.pred %R, %R", differs) : differs;
}

// PTX instructions for integer ops: the `integer` column of ops.def.
struct integer_ins {
    const char *name;
    bool bits, cuts;
};
// clang-format off
#define NO              { NULL, false, false }
#define TYPED(name)     { name, false, false }
#define TYPED_CUT(name) { name, false, true }
#define BITS(name)      { name, true, false }
#define BITS_CUT(name)  { name, true, true }
static const struct integer_ins integer_instructions[TILE_OP_COUNT] = {
#define TILE_ELEMENT(id, name, operands, sign, infer, print, range, fold, int_value, real, element, \
                     integer, ...)                                                                  \
    [TILE_##id] = integer,
#include "tile/ir/ops.def"
};
// clang-format on

static tile_register of_integers(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                                 tile_register x, tile_register y)
{
    const struct integer_ins *how = &integer_instructions[kind];
    enum tile_register_class c = tile_class_of(dtype);

    if (tile_is_floored_division(kind))
        return tile_cut(e, dtype, tile_divide_integers(e, kind, dtype, x, y));
    if (!how->name)
        return TILE_NO_REGISTER;
    tile_register out = tile_new(e, c);
    if ((kind == TILE_SHL || kind == TILE_SHR) && c == TILE_R64)
        y = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", y); // the shift amount has 32 bits
    tile_ins(e, "%s.%s %R, %R, %R", how->name,
             how->bits ? tile_bits_type(dtype) : tile_integer_type(dtype), out, x, y);
    return how->cuts ? tile_cut(e, dtype, out) : out;
}

// Computes the remainder of a floored quotient, in f32 or f64. Adds the divisor once if the
// quotient was rounded up, so that the result has the divisor's sign. A quotient of 0 leaves x
// unchanged, even if y is infinite.
static tile_register float_remainder(struct tile_emitter *e, const char *type, tile_register whole,
                                     tile_register x, tile_register y)
{
    enum tile_register_class c = type[1] == '6' ? TILE_R64 : TILE_R32;
    const char *bits = type + 1;
    tile_register minus = tile_new(e, c), rest = tile_new(e, c), kept = tile_new(e, c);
    tile_register signs = tile_new(e, c), more = tile_new(e, c), mended = tile_new(e, c);
    tile_register none = tile_new(e, TILE_PRED), differ = tile_new(e, TILE_PRED);
    tile_register wrong = tile_new(e, TILE_PRED), out = tile_new(e, c);
    const char *zero = c == TILE_R64 ? "0d0000000000000000" : "0f00000000";

    tile_ins(e, "neg.%s %R, %R", type, minus, whole);
    tile_ins(e, "fma.rn.%s %R, %R, %R, %R", type, rest, minus, y, x);
    tile_ins(e, "setp.eq.%s %R, %R, %s", type, none, whole, zero);
    tile_ins(e, "selp.b%s %R, %R, %R, %R", bits, kept, x, rest, none);
    tile_ins(e, "xor.b%s %R, %R, %R", bits, signs, kept, y);
    tile_ins(e, "setp.lt.s%s %R, %R, 0", bits, differ, signs);
    tile_ins(e, "setp.ne.and.%s %R, %R, %s, %R", type, wrong, kept, zero, differ);
    tile_ins(e, "add.rn.%s %R, %R, %R", type, more, kept, y);
    tile_ins(e, "selp.b%s %R, %R, %R, %R", bits, mended, more, kept, wrong);
    tile_ins(e, "copysign.%s %R, %R, %R", type, out, y, mended);
    return out;
}

// Computes floordiv or mod, in f32 or f64.
static tile_register divide_floored(struct tile_emitter *e, enum tile_op_kind kind,
                                    const char *type, tile_register x, tile_register y)
{
    enum tile_register_class c = type[1] == '6' ? TILE_R64 : TILE_R32;
    tile_register q = tile_new(e, c), whole = tile_new(e, c);

    tile_ins(e, "div.rn.%s %R, %R, %R", type, q, x, y);
    tile_ins(e, "cvt.rmi.%s.%s %R, %R", type, type, whole, q);
    return kind == TILE_FLOORDIV ? whole : float_remainder(e, type, whole, x, y);
}

// Computes minimum or maximum in f32 or f64.
static tile_register extremum(struct tile_emitter *e, const char *name, const char *type, bool nan,
                              tile_register x, tile_register y)
{
    enum tile_register_class c = type[1] == '6' ? TILE_R64 : TILE_R32;
    tile_register out = tile_new(e, c);

    if (nan && c == TILE_R32) {
        tile_ins(e, "%s.NaN.%s %R, %R, %R", name, type, out, x, y);
        return out;
    }
    tile_ins(e, "%s.%s %R, %R, %R", name, type, out, x, y);
    if (!nan)
        return out;
    tile_register p = tile_new(e, TILE_PRED), sum = tile_new(e, c), kept = tile_new(e, c);
    tile_ins(e, "setp.nan.%s %R, %R, %R", type, p, x, y);
    tile_ins(e, "add.rn.%s %R, %R, %R", type, sum, x, y); // the sum is NaN if an operand is
    tile_ins(e, "selp.b64 %R, %R, %R, %R", kept, sum, out, p);
    return kept;
}

// Emits an op in f32 or f64.
static tile_register of_floats(struct tile_emitter *e, enum tile_op_kind kind, const char *type,
                               bool nan, tile_register x, tile_register y)
{
    if (kind == TILE_FLOORDIV || kind == TILE_MOD)
        return divide_floored(e, kind, type, x, y);
    if (kind == TILE_MINIMUM || kind == TILE_MAXIMUM)
        return extremum(e, kind == TILE_MINIMUM ? "min" : "max", type, nan, x, y);
    return tile_emit_math(e, kind, type[1] == '6' ? CUC_F64 : CUC_F32, x, y);
}

tile_register tile_emit_binary(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                               bool nan, tile_register x, tile_register y)
{
    const struct tile_op_info *info = &tile_op_infos[kind];
    const char *compare = info->traits & TILE_COMPARES ? info->name : NULL;
    const char *type = dtype == CUC_F64 ? "f64" : "f32";

    if (dtype == CUC_BOOL)
        return of_bools(e, kind, x, y);
    if (tile_is_integer(dtype)) {
        if (!compare)
            return of_integers(e, kind, dtype, x, y);
        tile_register p = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.%s.%s %R, %R, %R", compare, tile_integer_type(dtype), p, x, y);
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
    return out ? tile_narrow(e, dtype, out) : out;
}

tile_register tile_emit_combine(struct tile_emitter *e, enum tile_combine with, cuc_dtype dtype,
                                bool nan, tile_register x, tile_register y)
{
    return tile_emit_binary(e, tile_combine_op(with), dtype, nan, x, y);
}

// Computes 0 - x as ~x + 1 to avoid a ptxas bug: for max(max(a, -b), c) and min(min(a, -b), c),
// ptxas of CUDA 12.8 to 13.3 emits a single VIMNMX3 on sm_90 and sm_100 that loses the sign of b.
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
            tile_ins(e, "not.%s %R, %R", tile_bits_type(dtype), out, x);
        else if (kind == TILE_NEG && c == TILE_R32)
            negate(e, out, x);
        else
            tile_ins(e, "%s.s%s %R, %R", kind == TILE_NEG ? "neg" : "abs",
                     c == TILE_R64 ? "64" : "32", out, x);
        return tile_cut(e, dtype, out);
    }
    x = tile_widen(e, dtype, x);
    if (kind == TILE_ISNAN || kind == TILE_ISINF) {
        tile_register p = tile_new(e, TILE_PRED);
        tile_ins(e, "testp.%s.%s %R, %R", kind == TILE_ISNAN ? "notanumber" : "infinite", type, p,
                 x);
        return p;
    }
    tile_register out =
        tile_emit_math(e, kind, dtype == CUC_F64 ? CUC_F64 : CUC_F32, x, TILE_NO_REGISTER);
    return out ? tile_narrow(e, dtype, out) : out;
}

// True if the op may use approximate math (pass/approximate.c). Exponentials then use the
// hardware's ex2 directly, on a rounded product: the relative error is at most 2^-18, and subnormal
// results become 0.
static bool is_approximate(const struct tile_op *op)
{
    return tile_int(op, TILE_ATTR_APPROXIMATE, 0);
}

// Functions of the `element` column of ops.def: ops without explicit rounding, on one element of
// `dtype`.

static bool is_nan(const struct tile_op *op)
{
    return tile_int(op, TILE_ATTR_NAN, 0);
}

static tile_register element_unary(struct tile_emitter *e, const struct tile_op *op,
                                   cuc_dtype dtype, const tile_register *x)
{
    return unary(e, op->kind, dtype, x[0]);
}

static tile_register element_binary(struct tile_emitter *e, const struct tile_op *op,
                                    cuc_dtype dtype, const tile_register *x)
{
    return tile_emit_binary(e, op->kind, dtype, is_nan(op), x[0], x[1]);
}

static tile_register element_cast(struct tile_emitter *e, const struct tile_op *op, cuc_dtype dtype,
                                  const tile_register *x)
{
    cuc_dtype to = op->result[0]->type.dtype;
    struct tile_rounding how = tile_rounding_of(op);
    int64_t part = tile_int(op, TILE_ATTR_REMATERIALIZED, 0);

    if (how.ftz) {
        tile_register in = dtype == CUC_F32 ? tile_emit_flush(e, x[0]) : x[0];
        tile_register out = tile_emit_cast(e, to, dtype, how.round, in);
        return to == CUC_F32 ? tile_emit_flush(e, out) : out;
    }
    if (part)
        return tile_widen_rematerialized(e, dtype, x[0], (uint32_t)part);
    return tile_emit_cast(e, to, dtype, how.round, x[0]);
}

static tile_register element_bitcast(struct tile_emitter *e, const struct tile_op *op,
                                     cuc_dtype dtype, const tile_register *x)
{
    return tile_emit_bitcast(e, op->result[0]->type.dtype, dtype, x[0]);
}

static tile_register element_where(struct tile_emitter *e, const struct tile_op *op,
                                   cuc_dtype dtype, const tile_register *x)
{
    static const char *const types[] = { "pred", "b16", "b32", "b64" };
    cuc_dtype to = op->result[0]->type.dtype;
    tile_register out = tile_new(e, tile_class_of(to));

    (void)dtype;
    if (to == CUC_BOOL) { // c & x | ~c & y
        tile_register a = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", x[0], x[1]);
        tile_register n = tile_make(e, TILE_PRED, "not.pred %R, %R", x[0]);
        tile_register b = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", n, x[2]);
        return tile_make(e, TILE_PRED, "or.pred %R, %R, %R", a, b);
    }
    tile_ins(e, "selp.%s %R, %R, %R, %R", types[tile_class_of(to)], out, x[1], x[2], x[0]);
    return out;
}

static tile_register element_floored(struct tile_emitter *e, const struct tile_op *op,
                                     cuc_dtype dtype, const tile_register *x)
{
    tile_register out = tile_divide_as_known(e, op, dtype, x[0], x[1]);

    return out ? out : element_binary(e, op, dtype, x);
}

static tile_register element_fma(struct tile_emitter *e, const struct tile_op *op, cuc_dtype dtype,
                                 const tile_register *x)
{
    const char *type = dtype == CUC_F64    ? "f64"
                       : dtype == CUC_F16  ? "f16"
                       : dtype == CUC_BF16 ? "bf16"
                                           : "f32";
    tile_register out = tile_new(e, tile_class_of(dtype));

    (void)op;
    tile_ins(e, "fma.rn.%s %R, %R, %R, %R", type, out, x[0], x[1], x[2]);
    return out;
}

// Divides within 2 ulp if the op is approximate, without the call that a correctly rounded division
// may need.
static tile_register element_divided(struct tile_emitter *e, const struct tile_op *op,
                                     cuc_dtype dtype, const tile_register *x)
{
    if (dtype == CUC_F32 && is_approximate(op))
        return tile_make(e, TILE_R32, "div.full.f32 %R, %R, %R", x[0], x[1]);
    if (dtype == CUC_F32 && !op->result[0]->type.rank)
        return tile_divide(e, x[0], x[1]);
    return element_binary(e, op, dtype, x);
}

// exp and exp2.
static tile_register element_power(struct tile_emitter *e, const struct tile_op *op,
                                   cuc_dtype dtype, const tile_register *x)
{
    if (dtype != CUC_F32 || !is_approximate(op))
        return element_unary(e, op, dtype, x);
    tile_register power = op->kind == TILE_EXP // exponent of a power of 2
                              ? tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, 0f3FB8AA3B", x[0])
                              : x[0];
    return tile_make(e, TILE_R32, "ex2.approx.ftz.f32 %R, %R", power);
}

static tile_register element_sigmoid(struct tile_emitter *e, const struct tile_op *op,
                                     cuc_dtype dtype, const tile_register *x)
{
    if (dtype != CUC_F32 || !is_approximate(op))
        return element_unary(e, op, dtype, x);
    // 1 / (1 + 2^(-x log2(e)))
    tile_register out = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, 0fBFB8AA3B", x[0]);
    out = tile_make(e, TILE_R32, "ex2.approx.ftz.f32 %R, %R", out);
    out = tile_make(e, TILE_R32, "add.rn.f32 %R, %R, 0f3F800000", out);
    return tile_make(e, TILE_R32, "rcp.approx.ftz.f32 %R, %R", out);
}

tile_register tile_emit_scalar_op(struct tile_emitter *e, const struct tile_op *op, cuc_dtype dtype,
                                  const tile_register *x)
{
    static tile_register (*const elements[TILE_OP_COUNT])(
        struct tile_emitter *, const struct tile_op *, cuc_dtype, const tile_register *) = {
#define TILE_ELEMENT(id, name, operands, sign, infer, print, range, fold, int_value, real, \
                     element, ...)                                                         \
    [TILE_##id] = element_##element,
#include "tile/ir/ops.def"
    };

    if (tile_is_rounded(op) && op->kind != TILE_CAST)
        return tile_emit_rounded(e, op->kind, dtype, tile_rounding_of(op), is_nan(op), x);
    return elements[op->kind](e, op, dtype, x);
}
