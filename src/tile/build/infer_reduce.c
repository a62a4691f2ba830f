// Rules of ops along an axis.
#include "infer.h"
#include "tile/ir/scalar.h"

static bool need_numbers(struct tile_builder *b, const struct tile_op *op, uint32_t operand)
{
    cuc_dtype dtype = op->operand[operand]->type.dtype;

    return tile_need_tile(b, op, operand) &&
           (tile_is_integer(dtype) || tile_is_float(dtype) ||
            tile_no_number(b, op, operand, "an integer, f16, bf16, f32 or f64"));
}

// True if a reduction's function consists of pure ops on scalars.
static bool is_scalar_code(const struct tile_block *block)
{
    for (const struct tile_op *op = block->first; op; op = op->next) {
        if (op->kind == TILE_YIELD)
            return !op->next;
        if (!(tile_op_infos[op->kind].traits & TILE_PURE) || op->block_count)
            return false;
        for (uint32_t i = 0; i < op->result_count; i++)
            if (op->result[i]->type.rank || op->result[i]->type.tensor)
                return false;
    }
    return false;
}

// Checks the operands: all x, then one identity per x. The function takes two values per x and
// returns one.
static bool need_function(struct tile_builder *b, const struct tile_op *op)
{
    uint32_t n = op->operand_count / 2;
    const struct tile_block *fn = op->block[0];

    for (uint32_t i = 0; i < n; i++) {
        const struct tile_type *x = &op->operand[i]->type, *identity = &op->operand[n + i]->type;
        if (!tile_need_tile(b, op, i) || !tile_need_same_shape(b, op, i, &op->operand[0]->type))
            return false;
        if (identity->tensor || identity->rank || identity->dtype != x->dtype)
            return tile_wrong(b, op, TILE_T404, "identity %u: expected a scalar of %s, got %s", i,
                              cuc_dtype_name(x->dtype), tile_type_text(b->module->arena, identity));
        if (!op->operand[n + i]->op || op->operand[n + i]->op->kind != TILE_CONSTANT)
            return tile_wrong(b, op, TILE_T505, "identity %u is not a constant", i);
    }
    if (!is_scalar_code(fn))
        return tile_wrong(b, op, TILE_T404,
                          "the function may only compute with scalars: no memory, no control flow, "
                          "no other reduction");
    if (fn->last->operand_count != n)
        return tile_wrong(b, op, TILE_T404, "the function gives %u values, expected %u",
                          fn->last->operand_count, n);
    for (uint32_t i = 0; i < n; i++)
        if (fn->last->operand[i]->type.dtype != op->operand[i]->type.dtype)
            return tile_wrong(b, op, TILE_T404, "value %u of the function: expected %s, got %s", i,
                              cuc_dtype_name(op->operand[i]->type.dtype),
                              cuc_dtype_name(fn->last->operand[i]->type.dtype));
    return true;
}

static bool need_along(struct tile_builder *b, const struct tile_op *op, uint32_t *axis)
{
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);

    if (!tile_need_tile(b, op, 0) || !tile_need_axis(b, op, &op->operand[0]->type, axis))
        return false;
    if (with == TILE_WITH_FN)
        return need_function(b, op);
    if (with == TILE_WITH_ANY || with == TILE_WITH_ALL)
        return op->operand[0]->type.dtype == CUC_BOOL ||
               tile_wrong_operand(b, op, 0, TILE_T106, "a bool");
    if (tile_is_rounded(op) && with != TILE_WITH_SUM && with != TILE_WITH_PROD)
        return tile_wrong(b, op, TILE_T105, "it has no rounding to choose");
    return need_numbers(b, op, 0) && tile_need_sum_rounding(b, op);
}

bool tile_infer_reduce(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    uint32_t axis;

    (void)wanted;
    if (!need_along(b, op, &axis))
        return false;
    for (uint32_t i = 0; i < op->result_count; i++) {
        struct tile_type type = op->operand[i]->type;
        type.extent[axis] = 1;
        if (!tile_set_result(b, op, i, &type))
            return false;
    }
    return true;
}

bool tile_infer_scan(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    uint32_t axis;

    (void)wanted;
    if (!need_along(b, op, &axis))
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!tile_set_result(b, op, i, &op->operand[i]->type))
            return false;
    return true;
}

bool tile_infer_arg(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;
    uint32_t axis;

    (void)wanted;
    if (!need_numbers(b, op, 0) || !tile_need_axis(b, op, &type, &axis))
        return false;
    type.dtype = CUC_I32;
    type.extent[axis] = 1;
    return tile_set_result(b, op, 0, &type);
}

bool tile_infer_sort(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    uint32_t axis;

    (void)wanted;
    return need_numbers(b, op, 0) && tile_need_axis(b, op, &op->operand[0]->type, &axis) &&
           tile_set_result(b, op, 0, &op->operand[0]->type);
}

bool tile_infer_topk(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    struct tile_type type = op->operand[0]->type;
    int64_t count = tile_int(op, TILE_ATTR_COUNT, 0);
    uint32_t axis;

    (void)wanted;
    if (!need_numbers(b, op, 0) || !tile_need_axis(b, op, &type, &axis))
        return false;
    if (count < 1 || count > type.extent[axis])
        return tile_wrong(b, op, TILE_T206, "k: expected 1 to %d elements, got %lld",
                          type.extent[axis], (long long)count);
    type.extent[axis] = (int32_t)count;
    if (!tile_set_result(b, op, 0, &type))
        return false;
    type.dtype = CUC_I32;
    return tile_set_result(b, op, 1, &type);
}

bool tile_infer_rank(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    enum { MOST_DIGITS = 2048 };
    int64_t count = tile_int(op, TILE_ATTR_COUNT, 0);
    struct tile_type position = op->operand[0]->type, counts = tile_scalar(CUC_I32);

    (void)wanted;
    if (!tile_need_tile(b, op, 0))
        return false;
    if (!tile_is_integer(position.dtype))
        return tile_wrong_operand(b, op, 0, TILE_T107, "integers");
    if (position.rank != 1)
        return tile_wrong_operand(b, op, 0, TILE_T202, "a tile of rank 1");
    if (count < 1 || count > MOST_DIGITS || (count & (count - 1)))
        return tile_wrong(b, op, TILE_T206, "digits: expected a power of two up to %d, got %lld",
                          MOST_DIGITS, (long long)count);
    position.dtype = CUC_I32;
    return tile_set_result(b, op, 0, &position) && tile_need_shape(b, op, 1, &count, &counts) &&
           tile_set_result(b, op, 1, &counts);
}

bool tile_infer_place(struct tile_builder *b, struct tile_op *op, const struct tile_type *wanted)
{
    const struct tile_type *x = &op->operand[0]->type, *position = &op->operand[1]->type;
    const struct tile_type *pad = &op->operand[2]->type;
    int64_t count = tile_int(op, TILE_ATTR_COUNT, 0);
    struct tile_type type = tile_scalar(x->dtype);

    (void)wanted;
    if (!tile_need_tile(b, op, 0) || !tile_need_tile(b, op, 1))
        return false;
    if (x->rank != 1)
        return tile_wrong_operand(b, op, 0, TILE_T202, "a tile of rank 1");
    if (!tile_is_integer(position->dtype))
        return tile_wrong_operand(b, op, 1, TILE_T107, "integers");
    if (!tile_need_same_shape(b, op, 1, x))
        return false;
    if (pad->tensor || pad->rank || pad->dtype != x->dtype)
        return tile_wrong_operand(b, op, 2, pad->rank ? TILE_T209 : TILE_T102,
                                  cuc_dtype_name(x->dtype));
    return tile_need_shape(b, op, 1, &count, &type) && tile_set_result(b, op, 0, &type);
}

bool tile_infer_histogram(struct tile_builder *b, struct tile_op *op,
                          const struct tile_type *wanted)
{
    int64_t count = tile_int(op, TILE_ATTR_COUNT, 0);
    struct tile_type type = tile_scalar(CUC_I32);

    (void)wanted;
    if (!tile_need_tile(b, op, 0))
        return false;
    if (!tile_is_integer(op->operand[0]->type.dtype))
        return tile_wrong_operand(b, op, 0, TILE_T107, "integers");
    return tile_need_shape(b, op, 1, &count, &type) && tile_set_result(b, op, 0, &type);
}
