// Finds the layout that an op needs its operand to have.
#include "assign.h"

bool tile_acts_by_element(const struct tile_op *op)
{
    return tile_op_infos[op->kind].layout == TILE_LAYOUT_ELEMENT;
}

bool tile_has_function(const struct tile_op *op)
{
    return op->kind == TILE_REDUCE || op->kind == TILE_SCAN;
}

// Finds the layout of a tile operand for one kind of op, as tile_needed_layout() does.
typedef bool need_layout(const struct tile_op *op, uint32_t operand,
                         const struct tile_layout **same, struct tile_layout *other);

static bool need_result(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                        struct tile_layout *other)
{
    (void)operand;
    (void)other;
    *same = op->result[0]->layout;
    return *same != NULL;
}

static bool need_stored(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                        struct tile_layout *other)
{
    (void)operand;
    (void)other;
    *same = op->operand[op->operand[0]->type.rank + 1u]->layout;
    return *same != NULL;
}

// Gives placed elements the layout of their positions.
static bool need_position(const struct tile_op *op, uint32_t operand,
                          const struct tile_layout **same, struct tile_layout *other)
{
    (void)other;
    *same = op->operand[1]->layout;
    return !operand && *same != NULL;
}

static bool need_slice(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                       struct tile_layout *other)
{
    const struct tile_value *result = op->result[0];

    (void)same;
    if (result->layout)
        *other = tile_layout_slice(result->layout, &op->operand[operand]->type, &result->type);
    return result->layout != NULL;
}

// Gives all tiles of a combining function the first tile's layout.
static bool need_first(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                       struct tile_layout *other)
{
    (void)other;
    *same = op->operand[0]->layout;
    return operand && *same != NULL;
}

static bool need_rows(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                      struct tile_layout *other)
{
    const struct tile_value *result = op->result_count ? op->result[0] : NULL;
    const struct tile_value *tile = result ? result : op->operand[op->operand_count - 1];

    if (!tile->layout)
        return false;
    if (operand != 1) // a tile of padding values
        *same = result ? result->layout : NULL;
    else
        *other = tile_layout_rows(tile->layout, 0);
    return operand == 1 || *same;
}

static bool need_taken(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                       struct tile_layout *other)
{
    const struct tile_value *result = op->result[0];

    if (operand != 1 || !result->layout)
        return false;
    if (op->operand[1]->type.rank == result->type.rank)
        *same = result->layout;
    else
        *other = tile_layout_rows(result->layout, (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));
    return true;
}

static need_layout *const needs[] = {
    [TILE_LAYOUT_ELEMENT] = need_result,
    [TILE_LAYOUT_SCAN] = need_result,
    [TILE_LAYOUT_RANK] = need_result,
    [TILE_LAYOUT_PLACE] = need_position,
    [TILE_LAYOUT_PAD] = need_result,
    [TILE_LAYOUT_SCATTER] = need_stored,
    [TILE_LAYOUT_BROADCAST] = need_slice,
    [TILE_LAYOUT_REDUCE] = need_first,
    [TILE_LAYOUT_ROWS] = need_rows,
    [TILE_LAYOUT_TAKE] = need_taken,
    [TILE_LAYOUT_END] = NULL,
};

bool tile_needed_layout(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                        struct tile_layout *other)
{
    const struct tile_type *type = &op->operand[operand]->type;
    need_layout *need = needs[tile_op_infos[op->kind].layout];

    *same = NULL;
    return need && !type->tensor && type->rank && need(op, operand, same, other);
}
