// Decides whether each warp can choose its own loop version (loop_versioning.c). This requires that
// the rows of the matrix products are distributed over warps as by wgmma, and that no warp waits
// for another inside a version.
#include "fused.h"

#include "tile/ir/words.h"
#include "tile/layout/wgmma.h"

static bool is_of_warp(const struct tile_value *scalar)
{
    const struct tile_op *op = scalar->op;

    if (!op || scalar->type.rank)
        return false;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (is_of_warp(op->operand[i]))
            return true;
    return op->kind == TILE_WARP;
}

struct meeting {
    const struct tile_fused *p;
    bool meets; // warps synchronize
};

static void visit_exchange(struct tile_op *op, void *data)
{
    struct meeting *m = data;
    const struct tile_type *all = &m->p->product[0].mma->result[0]->type;

    m->meets |= op->kind == TILE_CONVERT || op->block_count ||
                (op->kind == TILE_REDUCE && tile_int(op, TILE_ATTR_AXIS, 0) == 0);
    for (uint32_t i = 0; i < op->result_count && !m->meets; i++) {
        const struct tile_value *value = op->result[i];
        struct tile_layout layout;
        m->meets |= value->type.rank == 2 && value->layout && tile_shape_same(&value->type, all) &&
                    !(tile_layout_wgmma(&layout, &value->type, value->layout->warp_bits) &&
                      tile_layout_same(&layout, value->layout));
    }
}

bool tile_warps_are_independent(const struct tile_fused *p)
{
    struct meeting m = { p, false };

    for (const struct tile_op *op = p->base.loop->block[0]->first; op; op = op->next)
        for (uint32_t i = 0; op->kind == TILE_IF && is_of_warp(op->operand[0]) && i < 2; i++)
            tile_walk(op->block[i], visit_exchange, &m);
    return !m.meets;
}
