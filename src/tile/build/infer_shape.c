// Rules of ops that move elements without changing them.
#include "infer.h"

#include <string.h>

bool tile_infer_broadcast(struct tile_builder *b, struct tile_op *op,
                          const struct tile_type *wanted)
{
    const struct tile_type *from = &op->operand[0]->type;
    struct tile_type type = *wanted;

    if (!tile_need_tile(b, op, 0))
        return false;
    type.dtype = from->dtype;
    bool fits = from->rank <= type.rank;
    for (uint32_t i = 0; fits && i < from->rank; i++) {
        int32_t to = type.extent[type.rank - from->rank + i];
        fits = from->extent[i] == 1 || from->extent[i] == to;
    }
    if (!fits) {
        const char *x = tile_type_text(b->module->arena, from);
        const char *y = tile_type_text(b->module->arena, &type);
        return tile_wrong(b, op, TILE_T201, "%s does not broadcast to %s", x ? x : "?",
                          y ? y : "?");
    }
    return tile_set_result(b, op, 0, &type);
}

bool tile_infer_reshape(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = *wanted;

    if (!tile_need_tile(b, op, 0))
        return false;
    type.dtype = op->operand[0]->type.dtype;
    int64_t have = tile_elements(&op->operand[0]->type), want = tile_elements(&type);
    if (have != want) {
        const char *text = tile_type_text(b->module->arena, &type);
        return tile_wrong(b, op, TILE_T203, "%s has %lld elements, the operand %lld",
                          text ? text : "?", (long long)want, (long long)have);
    }
    return tile_set_result(b, op, 0, &type);
}

bool tile_infer_permute(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    const struct tile_type *from = &op->operand[0]->type;
    struct tile_type type = *from;
    uint32_t seen = 0;

    (void)wanted;
    if (!tile_need_tile(b, op, 0))
        return false;
    if (!axes || axes->count != from->rank)
        return tile_wrong(b, op, TILE_T205, "expected %d %s, got %u", from->rank,
                          from->rank == 1 ? "axis" : "axes", axes ? axes->count : 0);
    for (uint32_t i = 0; i < axes->count; i++) {
        int64_t axis = axes->ints[i];
        if (axis < 0 || axis >= from->rank || seen >> axis & 1)
            return tile_wrong(b, op, TILE_T205, "axis %lld is %s", (long long)axis,
                              axis < 0 || axis >= from->rank ? "not one of the tile's"
                                                             : "there twice");
        seen |= UINT32_C(1) << axis;
        type.extent[i] = from->extent[axis];
    }
    return tile_set_result(b, op, 0, &type);
}

bool tile_infer_cat(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type, other = op->operand[1]->type;
    uint32_t axis;

    (void)wanted;
    if (!tile_need_tile(b, op, 0) || !tile_need_tile(b, op, 1) ||
        !tile_need_axis(b, op, &type, &axis))
        return false;
    if (type.dtype != other.dtype)
        return tile_wrong(b, op, TILE_T102, "operands of %s and %s have no common dtype: cast one",
                          cuc_dtype_name(type.dtype), cuc_dtype_name(other.dtype));
    struct tile_type expected = type;
    expected.extent[axis] = other.rank > axis ? other.extent[axis] : 1;
    if (!tile_need_same_shape(b, op, 1, &expected))
        return false;
    int64_t extent[TILE_MAX_RANK];
    for (uint32_t i = 0; i < type.rank; i++)
        extent[i] = type.extent[i];
    extent[axis] += other.extent[axis];
    return tile_need_shape(b, op, type.rank, extent, &type) && tile_set_result(b, op, 0, &type);
}

// Checks the indices of a subtile: integers, and in range if constant.
static bool need_subtile(struct tile_builder *b, struct tile_op *op, uint32_t first,
                         const struct tile_type *tile, const struct tile_type *part)
{
    if (part->rank != tile->rank)
        return tile_wrong(b, op, TILE_T208,
                          "a subtile has as many axes as the tile: expected %d, "
                          "got %d",
                          tile->rank, part->rank);
    if (op->operand_count - first != tile->rank)
        return tile_wrong(b, op, TILE_T301, "expected %d indices, got %u", tile->rank,
                          op->operand_count - first);
    for (uint32_t i = 0; i < tile->rank; i++) {
        const struct tile_op *index = op->operand[first + i]->op;
        if (!tile_need_integer_scalar(b, op, first + i))
            return false;
        if (tile->extent[i] % part->extent[i])
            return tile_wrong(b, op, TILE_T208, "axis %u: %d does not divide %d", i,
                              part->extent[i], tile->extent[i]);
        if (!index || index->kind != TILE_CONSTANT)
            continue;
        int64_t at = tile_int(index, TILE_ATTR_VALUE, 0), end = tile->extent[i] / part->extent[i];
        if (at < 0 || at >= end)
            return tile_wrong(b, op, TILE_T208,
                              "axis %u: expected a subtile from 0 to %lld, got "
                              "%lld",
                              i, (long long)end - 1, (long long)at);
    }
    return true;
}

bool tile_infer_extract(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);

    (void)wanted;
    return tile_need_tile(b, op, 0) && tile_need_shape(b, op, shape->count, shape->ints, &type) &&
           need_subtile(b, op, 1, &op->operand[0]->type, &type) && tile_set_result(b, op, 0, &type);
}

bool tile_infer_insert(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    const struct tile_type *x = &op->operand[0]->type, *y = &op->operand[1]->type;

    (void)wanted;
    if (!tile_need_tile(b, op, 0) || !tile_need_tile(b, op, 1))
        return false;
    if (x->dtype != y->dtype)
        return tile_wrong_operand(b, op, 1, TILE_T102, cuc_dtype_name(x->dtype));
    return need_subtile(b, op, 2, x, y) && tile_set_result(b, op, 0, x);
}

// An index of rank 1 selects whole slices along the axis. An index of the tile's rank selects
// single elements.
bool tile_infer_take(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;
    const struct tile_type *index = &op->operand[1]->type;
    uint32_t axis;

    (void)wanted;
    if (!tile_need_tile(b, op, 0) || !tile_need_tile(b, op, 1) ||
        !tile_need_axis(b, op, &type, &axis))
        return false;
    if (index->dtype < CUC_I8 || index->dtype > CUC_U64)
        return tile_wrong_operand(b, op, 1, TILE_T107, "integers");
    if (index->rank == 1 && type.rank > 1) {
        int64_t extent[TILE_MAX_RANK];
        for (uint32_t i = 0; i < type.rank; i++)
            extent[i] = i == axis ? index->extent[0] : type.extent[i];
        return tile_need_shape(b, op, type.rank, extent, &type) && tile_set_result(b, op, 0, &type);
    }
    struct tile_type expected = type;
    if (index->rank == type.rank)
        expected.extent[axis] = index->extent[axis];
    if (!tile_need_same_shape(b, op, 1, &expected))
        return false;
    return tile_set_result(b, op, 0, &expected);
}

bool tile_infer_shift(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    const struct tile_type *x = &op->operand[0]->type, *pad = &op->operand[2]->type;
    uint32_t axis;

    (void)wanted;
    if (!tile_need_tile(b, op, 0) || !tile_need_integer_scalar(b, op, 1) ||
        !tile_need_axis(b, op, x, &axis))
        return false;
    if (pad->tensor || pad->rank || pad->dtype != x->dtype)
        return tile_wrong_operand(b, op, 2, pad->rank ? TILE_T209 : TILE_T102,
                                  cuc_dtype_name(x->dtype));
    return tile_set_result(b, op, 0, x);
}

bool tile_infer_roll(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    uint32_t axis;

    (void)wanted;
    return tile_need_tile(b, op, 0) && tile_need_integer_scalar(b, op, 1) &&
           tile_need_axis(b, op, &op->operand[0]->type, &axis) &&
           tile_set_result(b, op, 0, &op->operand[0]->type);
}

bool tile_infer_convert(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    (void)wanted;
    return tile_set_result(b, op, 0, &op->operand[0]->type);
}
