// Rules of elementwise ops, and of ops without operands.
#include "infer.h"
#include "tile/ir/scalar.h"

#include <string.h>

enum { BOOLS = 1, INTEGERS = 2, FLOATS = 4, RESTRICTED = 8 };

static const char *class_text(uint32_t classes)
{
    switch (classes) {
    case INTEGERS:
        return "an integer";
    case FLOATS:
        return "f16, bf16, f32 or f64";
    case BOOLS | INTEGERS:
        return "a bool or an integer";
    case INTEGERS | FLOATS:
        return "an integer, f16, bf16, f32 or f64";
    default:
        return "a bool, an integer, f16, bf16, f32 or f64";
    }
}

static uint32_t class_of(cuc_dtype dtype)
{
    return dtype == CUC_BOOL        ? BOOLS
           : tile_is_integer(dtype) ? INTEGERS
           : tile_is_float(dtype)   ? FLOATS
                                    : RESTRICTED;
}

bool tile_no_number(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                    const char *expected)
{
    cuc_dtype dtype = op->operand[operand]->type.dtype;

    return tile_wrong_operand_but(b, op, operand, TILE_T101, expected,
                                  class_of(dtype) != RESTRICTED ? NULL
                                  : dtype == CUC_TF32           ? "cast it to f32 first"
                                                                : "cast it to f16 or f32 first");
}

static uint32_t classes_of(enum tile_op_kind kind)
{
    uint32_t traits = tile_op_infos[kind].traits;

    if (kind == TILE_AND || kind == TILE_OR || kind == TILE_XOR || kind == TILE_NOT)
        return BOOLS | INTEGERS;
    if (kind == TILE_EQ || kind == TILE_NE)
        return BOOLS | INTEGERS | FLOATS;
    return traits & TILE_INT_ONLY     ? INTEGERS
           : traits & TILE_FLOAT_ONLY ? FLOATS
                                      : INTEGERS | FLOATS;
}

static bool need_class(struct tile_builder *b, const struct tile_op *op, uint32_t operand,
                       uint32_t classes)
{
    return tile_need_tile(b, op, operand) &&
           (class_of(op->operand[operand]->type.dtype) & classes ||
            tile_no_number(b, op, operand, class_text(classes)));
}

// Requires that all operands from `first` on have the same type.
static bool need_same(struct tile_builder *b, const struct tile_op *op, uint32_t first)
{
    const struct tile_type *type = &op->operand[first]->type;

    for (uint32_t i = first + 1; i < op->operand_count; i++) {
        if (!tile_need_tile(b, op, i))
            return false;
        if (op->operand[i]->type.dtype != type->dtype)
            return tile_wrong(
                b, op, TILE_T102, "operands of %s and %s have no common dtype: cast one",
                cuc_dtype_name(type->dtype), cuc_dtype_name(op->operand[i]->type.dtype));
        if (!tile_need_same_shape(b, op, i, type))
            return false;
    }
    return true;
}

// Rounding modes that an op supports besides round-to-nearest, as bits of enum tile_round.
enum {
    DIRECTED = 1 << TILE_RZ | 1 << TILE_RM | 1 << TILE_RP,
    APPROX = 1 << TILE_APPROX,
    FULL = 1 << TILE_FULL,
};
static const struct {
    enum tile_op_kind kind;
    uint32_t floats, f32; // modes for any float dtype; additional modes for f32
} roundings[] = {
    { TILE_ADD, DIRECTED, 0 },       { TILE_SUB, DIRECTED, 0 },
    { TILE_MUL, DIRECTED, 0 },       { TILE_DIV, DIRECTED, APPROX | FULL },
    { TILE_FMA, DIRECTED, 0 },       { TILE_SQRT, DIRECTED, APPROX },
    { TILE_RSQRT, 0, APPROX },       { TILE_EXP, 0, APPROX | FULL },
    { TILE_EXP2, 0, APPROX | FULL }, { TILE_TANH, 0, APPROX | FULL },
    { TILE_MINIMUM, 0, 0 },          { TILE_MAXIMUM, 0, 0 },
};

static const char *rounding_text(uint32_t rounds)
{
    return rounds == 0                     ? "no rounding to choose"
           : rounds == DIRECTED            ? "rn, rz, rm or rp"
           : rounds == APPROX              ? "rn or approx"
           : rounds == (APPROX | FULL)     ? "rn, full or approx"
           : rounds == (DIRECTED | APPROX) ? "rn, rz, rm, rp or approx"
                                           : "rn, rz, rm, rp, full or approx";
}

static bool has_rounding(struct tile_builder *b, const struct tile_op *op, uint32_t floats,
                         uint32_t f32)
{
    struct tile_rounding how = tile_rounding_of(op);
    cuc_dtype dtype = op->operand[0]->type.dtype;
    uint32_t has = !tile_is_float(dtype) ? 0 : floats | (dtype == CUC_F32 ? f32 : 0);

    if (how.round != TILE_RN && !(has >> how.round & 1))
        return tile_wrong(b, op, TILE_T105, "round: of %s expected %s, got %s",
                          cuc_dtype_name(dtype), rounding_text(has),
                          tile_word_text(TILE_ATTR_ROUND, how.round));
    return !how.ftz || dtype == CUC_F32 ||
           tile_wrong(b, op, TILE_T105, "ftz: expected f32, got %s", cuc_dtype_name(dtype));
}

bool tile_need_sum_rounding(struct tile_builder *b, const struct tile_op *op)
{
    return !tile_is_rounded(op) || has_rounding(b, op, DIRECTED, 0);
}

static bool need_rounding(struct tile_builder *b, const struct tile_op *op)
{
    if (!tile_is_rounded(op))
        return true;
    for (size_t i = 0; i < sizeof(roundings) / sizeof(roundings[0]); i++)
        if (roundings[i].kind == op->kind)
            return has_rounding(b, op, roundings[i].floats, roundings[i].f32);
    return tile_wrong(b, op, TILE_T105, "it has no rounding to choose");
}

bool tile_infer_leaf(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    return tile_set_result(b, op, 0, wanted);
}

bool tile_infer_block_index(struct tile_builder *b, struct tile_op *op,
                            const struct tile_type *wanted)
{
    struct tile_type type = tile_scalar(CUC_I64);
    int64_t index = tile_int(op, TILE_ATTR_INDEX, 0);

    (void)wanted;
    if (op->kind != TILE_DIMENSION && (index < 0 || index > 2))
        return tile_wrong(b, op, TILE_T204, "axis: expected 0, 1 or 2, got %lld", (long long)index);
    return tile_set_result(b, op, 0, &type);
}

bool tile_infer_dim(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = tile_scalar(CUC_I64);
    uint32_t axis;

    (void)wanted;
    return tile_need_tensor(b, op, 0) && tile_need_axis(b, op, &op->operand[0]->type, &axis) &&
           tile_set_result(b, op, 0, &type);
}

bool tile_infer_unary(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)wanted;
    if (!need_class(b, op, 0, classes_of(op->kind)))
        return false;
    if (op->kind == TILE_ASSUME && tile_int(op, TILE_ATTR_DIVISOR, 0) < 1)
        return tile_wrong(b, op, TILE_T304, "divisor: expected 1 or more, got %lld",
                          (long long)tile_int(op, TILE_ATTR_DIVISOR, 0));
    return need_rounding(b, op) && tile_set_result(b, op, 0, &op->operand[0]->type);
}

bool tile_infer_test(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;

    (void)wanted;
    type.dtype = CUC_BOOL;
    return need_class(b, op, 0, FLOATS) && tile_set_result(b, op, 0, &type);
}

bool tile_infer_cast(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;
    int64_t round = tile_int(op, TILE_ATTR_ROUND, TILE_RN);

    if (!tile_need_tile(b, op, 0))
        return false;
    type.dtype = wanted->dtype;
    bool from_float = class_of(op->operand[0]->type.dtype) & (FLOATS | RESTRICTED);
    bool to_float = class_of(type.dtype) & (FLOATS | RESTRICTED);
    // fp8 and tf32 support only one rounding mode. A cast of a float to an integer rounds toward
    // zero by default.
    if (round != TILE_RN && ((!from_float && !to_float) || class_of(type.dtype) == RESTRICTED ||
                             type.dtype == CUC_BOOL))
        return tile_wrong(b, op, TILE_T105, "a cast of %s to %s has no rounding to choose",
                          cuc_dtype_name(op->operand[0]->type.dtype), cuc_dtype_name(type.dtype));
    if (round > TILE_RP)
        return tile_wrong(b, op, TILE_T105, "round: expected rn, rz, rm or rp, got %s",
                          tile_word_text(TILE_ATTR_ROUND, round));
    cuc_dtype from = op->operand[0]->type.dtype;
    if (tile_rounding_of(op).ftz &&
        (!from_float || !to_float || (from != CUC_F32 && type.dtype != CUC_F32)))
        return tile_wrong(b, op, TILE_T105, "ftz: expected floats, one of them f32, got %s to %s",
                          cuc_dtype_name(from), cuc_dtype_name(type.dtype));
    return tile_set_result(b, op, 0, &type);
}

bool tile_infer_bitcast(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;
    cuc_dtype from = type.dtype, to = wanted->dtype;

    if (!tile_need_tile(b, op, 0))
        return false;
    if (from == CUC_BOOL || to == CUC_BOOL || cuc_dtype_bits(from) != cuc_dtype_bits(to))
        return tile_wrong(b, op, TILE_T104, "%s and %s have different widths", cuc_dtype_name(from),
                          cuc_dtype_name(to));
    type.dtype = to;
    return tile_set_result(b, op, 0, &type);
}

bool tile_infer_binary(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)wanted;
    return need_class(b, op, 0, classes_of(op->kind)) &&
           need_class(b, op, 1, classes_of(op->kind)) && need_same(b, op, 0) &&
           need_rounding(b, op) && tile_set_result(b, op, 0, &op->operand[0]->type);
}

bool tile_infer_compare(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;

    (void)wanted;
    type.dtype = CUC_BOOL;
    return need_class(b, op, 0, classes_of(op->kind)) &&
           need_class(b, op, 1, classes_of(op->kind)) && need_same(b, op, 0) &&
           tile_set_result(b, op, 0, &type);
}

bool tile_infer_fma(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)wanted;
    return need_class(b, op, 0, FLOATS) && need_same(b, op, 0) && need_rounding(b, op) &&
           tile_set_result(b, op, 0, &op->operand[0]->type);
}

bool tile_infer_where(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)wanted;
    if (!tile_need_tile(b, op, 0) || !tile_need_tile(b, op, 1))
        return false;
    if (op->operand[0]->type.dtype != CUC_BOOL)
        return tile_wrong_operand(b, op, 0, TILE_T106, "a bool");
    return need_same(b, op, 1) && tile_need_same_shape(b, op, 0, &op->operand[1]->type) &&
           tile_set_result(b, op, 0, &op->operand[1]->type);
}

bool tile_infer_philox(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[1]->type;

    (void)wanted;
    for (uint32_t i = 0; i < 2; i++) {
        if (!tile_need_tile(b, op, i))
            return false;
        if (op->operand[i]->type.dtype != CUC_U64)
            return tile_wrong_operand(b, op, i, TILE_T101, "u64");
    }
    if (!tile_need_same_shape(b, op, 0, &type))
        return false;
    type.dtype = CUC_U32;
    for (uint32_t i = 0; i < 4; i++)
        if (!tile_set_result(b, op, i, &type))
            return false;
    return true;
}
