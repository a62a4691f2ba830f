// Lays out loops that one warp can run for its block (emit/single_warp.c): each warp gets a full
// copy of every value in the loop.
#include "assign.h"

// Returns true for ops that exchange nothing between warps if each warp holds all of their values.
static bool needs_no_other(const struct tile_op *op)
{
    uint32_t traits = tile_op_infos[op->kind].traits;

    if (op->kind == TILE_REDUCE)
        return !op->block_count;
    if (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE)
        return tile_elements(&op->operand[0]->type) == 1;
    return traits & TILE_ONE_WARP;
}

struct small_loop {
    bool fits, reads;
};

static void check_small(struct tile_op *op, void *data)
{
    enum { MOST_ELEMENTS = 128 };
    struct small_loop *s = data;

    s->fits &= needs_no_other(op);
    s->reads |= op->kind == TILE_GATHER || op->kind == TILE_ATOMIC;
    for (uint32_t i = 0; i < op->operand_count; i++)
        s->fits &= op->operand[i]->type.tensor ||
                   tile_elements(&op->operand[i]->type) <= MOST_ELEMENTS;
    for (uint32_t i = 0; i < op->result_count; i++)
        s->fits &= op->result[i]->type.tensor ||
                   tile_elements(&op->result[i]->type) <= MOST_ELEMENTS;
}

bool tile_loop_fits_warp(const struct tile_op *loop)
{
    struct small_loop s = { .fits = loop->kind == TILE_LOOP };

    if (s.fits)
        tile_walk((struct tile_block *)(uintptr_t)loop->block[0], check_small, &s);
    return s.fits && s.reads;
}

// Gives every warp the whole value, and each lane every 32nd element.
static void set_replicated(struct tile_assignment *a, struct tile_value *value)
{
    uint8_t order[TILE_MAX_RANK];

    if (!tile_needs_layout(value) || !value->type.rank)
        return;
    for (uint32_t i = 0; i < value->type.rank; i++)
        order[i] = (uint8_t)(value->type.rank - 1 - i);
    struct tile_layout layout = tile_blocked(&value->type, 0, 0, order);
    layout.warp_bits = (uint8_t)a->warp_bits; // the basis vectors of warp bits are zero
    tile_set_layout(a, value, layout);
}

static void set_replicated_op(struct tile_op *op, void *data)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        set_replicated(data, op->result[i]);
}

static void small_loop_op(struct tile_op *op, void *data)
{
    if (!tile_loop_fits_warp(op))
        return;
    for (uint32_t i = 0; i < op->result_count; i++) {
        set_replicated(data, op->result[i]);
        set_replicated(data, op->block[0]->argument[i]);
    }
    tile_walk(op->block[0], set_replicated_op, data);
}

void tile_lay_out_single_warp_loops(struct tile_assignment *a)
{
    tile_walk(&a->kernel->body, small_loop_op, a);
}
