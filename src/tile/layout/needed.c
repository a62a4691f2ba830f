// The layout that an op needs its operand to have.
#include "assign.h"

bool tile_acts_by_element(const struct tile_op *op)
{
    return tile_op_infos[op->kind].traits & TILE_ELEMENTWISE || op->kind == TILE_GATHER ||
           op->kind == TILE_ATOMIC || op->kind == TILE_ASM;
}

bool tile_has_function(const struct tile_op *op)
{
    return op->kind == TILE_REDUCE || op->kind == TILE_SCAN;
}

bool tile_needed_layout(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                        struct tile_layout *other)
{
    const struct tile_value *x = op->operand[operand];
    const struct tile_value *result = op->result_count ? op->result[0] : NULL;

    *same = NULL;
    if (x->type.tensor || !x->type.rank)
        return false;
    if (tile_acts_by_element(op)) {
        *same = result->layout;
        return *same != NULL;
    }
    switch (op->kind) {
    case TILE_SCATTER: // all operands match the stored value
        *same = op->operand[op->operand[0]->type.rank + 1u]->layout;
        return *same != NULL;
    case TILE_LOAD:
    case TILE_LOAD_AT: // a pad with a shape
        *same = result->layout;
        return *same != NULL;
    case TILE_BROADCAST: {
        if (!result->layout)
            return false;
        struct tile_layout slice = tile_layout_slice(result->layout, &x->type, &result->type);
        *other = slice;
        return true;
    }
    case TILE_REDUCE: // all tiles of a function match the first
        *same = op->operand[0]->layout;
        return operand && *same != NULL;
    case TILE_SCAN:
        *same = result->layout;
        return *same != NULL;
    case TILE_LOAD_ROWS:
    case TILE_STORE_ROWS: {
        const struct tile_value *tile = result ? result : op->operand[op->operand_count - 1];
        if (!tile->layout)
            return false;
        if (operand != 1) // a pad with a shape
            *same = result ? result->layout : NULL;
        else
            *other = tile_layout_rows(tile->layout, 0);
        return operand == 1 || *same;
    }
    case TILE_TAKE:
        if (operand != 1 || !result->layout)
            return false;
        if (x->type.rank == result->type.rank) {
            *same = result->layout;
            return true;
        }
        *other = tile_layout_rows(result->layout, (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));
        return true;
    default:
        return false;
    }
}
