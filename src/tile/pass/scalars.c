// Finds the work besides loads that the copying thread can do: scalar ops and control flow, such as
// the search for a block's slice of a tensor. Also finds the loads that may read rows past the end
// of a slice.
#include "pipeline.h"

#include "tile/ir/words.h"

bool tile_is_of_scalars(const struct tile_op *op)
{
    uint32_t traits = tile_op_infos[op->kind].traits;

    if (!(traits & (TILE_PURE | TILE_READS | TILE_TERMINATES | TILE_FLOWS)))
        return false;
    if (traits & TILE_WRITES || tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) != TILE_WEAK)
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (op->result[i]->type.tensor || op->result[i]->type.rank)
            return false;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct tile_value *x = op->operand[i];
        if (x->type.tensor ? x->op != NULL : x->type.rank > 0)
            return false;
    }
    for (uint32_t n = 0; n < op->block_count; n++)
        for (const struct tile_op *one = op->block[n]->first; one; one = one->next)
            if (!tile_is_of_scalars(one))
                return false;
    return true;
}

static bool mark_known(bool *known, const struct tile_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operand[i]->op && !known[op->operand[i]->id])
            return false;
    for (uint32_t n = 0; n < op->block_count; n++)
        for (const struct tile_op *one = op->block[n]->first; one; one = one->next)
            if (!mark_known(known, one))
                return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        known[op->result[i]->id] = true;
    return true;
}

bool tile_can_know(const struct tile_pipeline *p, const struct tile_op *op)
{
    return tile_is_of_scalars(op) && mark_known(p->known, op);
}

// True if two scalars are the same value, or reads of the same element. Nothing is written before
// the loop, so both reads give the same value.
static bool same_scalar(const struct tile_value *x, const struct tile_value *y)
{
    const struct tile_op *p = x->op, *q = y->op;

    if (x == y)
        return true;
    if (!p || !q || p->kind != TILE_LOAD_AT || q->kind != TILE_LOAD_AT || x->type.rank ||
        y->type.rank || p->operand_count != q->operand_count)
        return false;
    for (uint32_t i = 0; i < p->operand_count; i++)
        if (p->operand[i] != q->operand[i])
            return false;
    return tile_is_of_scalars(p) && tile_is_of_scalars(q);
}

// True if a load and a store use the same slice of rows.
static bool same_part(const struct tile_op *load, const struct tile_op *store, uint32_t axis)
{
    const struct tile_op *x = load->operand[0]->op, *y = store->operand[0]->op;
    const struct tile_attribute *shape = tile_attribute(store, TILE_ATTR_SHAPE);
    int64_t own = tile_int(load->operand[0]->op, TILE_ATTR_AXIS, 0);

    return y && y->kind == TILE_SLICE && !tile_int(y, TILE_ATTR_AXIS, 0) &&
           same_scalar(x->operand[1], y->operand[1]) && same_scalar(x->operand[2], y->operand[2]) &&
           store->operand[1] == load->operand[1 + own] &&
           shape->ints[0] == tile_attribute(load, TILE_ATTR_SHAPE)->ints[axis];
}

// True if the code after the loop handles each row of the accumulator separately and does not store
// the loaded tile's rows past the end of its slice. The contents of these rows then do not matter.
bool tile_rows_unseen(const struct tile_pipeline *p, const struct tile_op *load, uint32_t axis)
{
    for (const struct tile_op *op = p->loop->next; op; op = op->next) {
        uint32_t traits = tile_op_infos[op->kind].traits;
        if (op->kind == TILE_STORE) {
            if (!same_part(load, op, axis))
                return false;
            continue;
        }
        bool transposes = p->swapped && op->kind == TILE_PERMUTE;
        if (!(traits & (TILE_ELEMENTWISE | TILE_LEAF | TILE_TERMINATES)) && !transposes &&
            op->kind != TILE_BROADCAST && op->kind != TILE_RESHAPE && op->kind != TILE_LOAD &&
            op->kind != TILE_SLICE && !tile_is_of_scalars(op))
            return false;
    }
    return true;
}
