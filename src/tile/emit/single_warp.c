// Loops that one warp runs for its block. If all values of a `while` fit in one warp's lanes, one
// warp runs the loop alone, for example to poll a flag, without a barrier in the loop. The other
// warps wait for its results after the loop.
#include "emit.h"
#include "tile/layout/assign.h"

// True if every warp holds the whole value.
static bool is_in_each_warp(const struct tile_value *value)
{
    const struct tile_layout *layout = value->layout;

    if (value->type.tensor || !layout)
        return true;
    for (uint32_t i = 0; i < layout->warp_bits; i++)
        if (layout->basis[layout->register_bits + TILE_LANE_BITS + i])
            return false;
    return true;
}

static void check_op(struct tile_op *op, void *data)
{
    bool *fits = data;

    *fits &= op->kind != TILE_CONVERT;
    for (uint32_t i = 0; i < op->operand_count && *fits; i++)
        *fits = is_in_each_warp(op->operand[i]);
    for (uint32_t i = 0; i < op->result_count && *fits; i++)
        *fits = is_in_each_warp(op->result[i]);
}

bool tile_is_single_warp_loop(const struct tile_emitter *e, const struct tile_op *loop)
{
    bool fits = true;

    if (!tile_loop_fits_warp(loop) || e->warps == 1 || e->ring || e->single_warp)
        return false;
    for (uint32_t i = 0; i < loop->result_count && fits; i++)
        fits = is_in_each_warp(loop->result[i]) && is_in_each_warp(loop->operand[i]);
    if (fits)
        tile_walk((struct tile_block *)(uintptr_t)loop->block[0], check_op, &fits);
    return fits;
}

// Orders the accesses and computes the deferred values of an op before one warp continues alone,
// because one warp cannot do this for the block.
static void before_op(struct tile_op *op, void *data)
{
    struct tile_emitter *e = data;

    if (op->kind == TILE_GATHER || op->kind == TILE_ATOMIC)
        tile_order_access(e, op);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!op->operand[i]->type.tensor && e->value[op->operand[i]->id])
            (void)tile_registers(e, op->operand[i]);
}

void tile_begin_single_warp(struct tile_emitter *e, const struct tile_op *loop, uint32_t together)
{
    tile_walk((struct tile_block *)(uintptr_t)loop->block[0], before_op, e);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", e->warp), false, together);
    e->single_warp = true;
}

void tile_end_single_warp(struct tile_emitter *e, const struct tile_op *loop, uint32_t together)
{
    bool met = false;

    e->single_warp = false;
    tile_put_label(e, together);
    for (uint32_t i = 0; i < loop->result_count; i++)
        if (loop->result[i]->uses) {
            tile_spread_copies(e, loop->result[i], tile_registers(e, loop->result[i]));
            met = true;
        }
    if (!met) {
        tile_barrier(e);
        e->shared_busy = false;
    }
    e->read = e->written = 0;
}
