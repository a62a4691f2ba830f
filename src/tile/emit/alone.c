// Loops that one warp goes through for its block. Where all that a `while` computes with fits the
// lanes of a warp, what it waits for or looks up is asked for by one warp, without a barrier in the
// loop, and the others wait behind it for what it found.
#include "emit.h"

enum { MOST_REGISTERS = 4 }; // of a value in the loop

// Every warp has all of it.
static bool is_in_each_warp(const struct tile_value *value)
{
    const struct tile_layout *layout = value->layout;

    if (value->type.tensor || !layout)
        return true;
    for (uint32_t i = 0; i < layout->warp_bits; i++)
        if (layout->basis[layout->register_bits + TILE_LANE_BITS + i])
            return false;
    return tile_register_count(value) <= MOST_REGISTERS;
}

// Ops that need no other warp when their values are in each.
static bool needs_no_other(const struct tile_op *op)
{
    switch (op->kind) {
    case TILE_CONSTANT:
    case TILE_IOTA:
    case TILE_BLOCK:
    case TILE_NUM_BLOCKS:
    case TILE_DIM:
    case TILE_GATHER:
    case TILE_ATOMIC:
    case TILE_IF:
    case TILE_YIELD:
    case TILE_CONTINUE:
    case TILE_BREAK:
        return true;
    case TILE_REDUCE:
        return !op->block_count;
    case TILE_BROADCAST:
    case TILE_RESHAPE:
        return tile_elements(&op->operand[0]->type) == 1;
    default:
        return tile_op_infos[op->kind].traits & TILE_ELEMENTWISE;
    }
}

struct search {
    bool fits, waits;
};

static void look_at(struct tile_op *op, void *data)
{
    struct search *s = data;

    s->fits &= needs_no_other(op);
    s->waits |= op->kind == TILE_GATHER || op->kind == TILE_ATOMIC;
    for (uint32_t i = 0; i < op->operand_count && s->fits; i++)
        s->fits = is_in_each_warp(op->operand[i]);
    for (uint32_t i = 0; i < op->result_count && s->fits; i++)
        s->fits = is_in_each_warp(op->result[i]);
}

bool tile_is_for_one_warp(const struct tile_emitter *e, const struct tile_op *loop)
{
    struct search s = { .fits = true };

    if (loop->kind != TILE_LOOP || e->warps == 1 || e->ring || e->alone)
        return false;
    for (uint32_t i = 0; i < loop->result_count && s.fits; i++)
        s.fits = is_in_each_warp(loop->result[i]) && is_in_each_warp(loop->operand[i]);
    if (s.fits)
        tile_walk((struct tile_block *)(uintptr_t)loop->block[0], look_at, &s);
    return s.fits && s.waits;
}

// What the whole block must have done before one warp goes on, and made: what waits to be made is
// not made by one warp alone.
static void before_op(struct tile_op *op, void *data)
{
    struct tile_emitter *e = data;

    if (op->kind == TILE_GATHER || op->kind == TILE_ATOMIC)
        tile_order_access(e, op);
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!op->operand[i]->type.tensor && e->value[op->operand[i]->id])
            (void)tile_registers(e, op->operand[i]);
}

void tile_go_alone(struct tile_emitter *e, const struct tile_op *loop, uint32_t together)
{
    tile_walk((struct tile_block *)(uintptr_t)loop->block[0], before_op, e);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", e->warp), false, together);
    e->alone = true;
}

void tile_come_together(struct tile_emitter *e, const struct tile_op *loop, uint32_t together)
{
    bool met = false;

    e->alone = false;
    tile_put_label(e, together);
    for (uint32_t i = 0; i < loop->result_count; i++)
        if (tile_is_used(e, loop->result[i])) {
            tile_spread_copies(e, loop->result[i], tile_registers(e, loop->result[i]));
            met = true;
        }
    if (!met) {
        tile_barrier(e);
        e->shared_busy = false;
    }
    e->read = e->written = 0;
}
