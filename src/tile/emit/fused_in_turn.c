// Emits a fused loop that does not overlap.
//
// Each product starts at its place in the program, and an op that needs its result waits for it.
// Operands a are computed while no product runs: ptxas serializes products that run while registers
// of a later one are written (C7513).

//
// Delayed products of an iteration start at the beginning of the next one. Work on their results
// comes after the start of that iteration's first product.

#include "fused_loop.h"

struct running {
    uint32_t first, end; // products that have started and may still run
    uint32_t needed;     // products before this one must be finished
    bool loads;          // the loads ahead are still to be emitted, before the first wait
};

static bool start_product(struct tile_emitter *e, const struct tile_fused_product *product)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_value *result = product->mma->result[0];
    const tile_register *sum = tile_registers(e, result), *in;
    uint32_t count = tile_register_count(result);

    if (!sum || (!product->feed[0] && !tile_pack_left(e, product)))
        return false;
    if (!product->from_zero && !tile_only_adds(r->plan, (uint32_t)(product - r->plan->product))) {
        in = tile_registers(e, product->mma->operand[2]);
        for (uint32_t i = 0; in && i < count; i++)
            tile_move(e, sum[i], in[i]);
    }
    for (uint32_t n = 0; n < 2; n++)
        if (product->feed[n] && !product->feed[n]->held)
            tile_wait_for_feed(e, product->feed[n], &r->position);
    tile_start_product(e, product, sum, &r->position, !product->from_zero);
    return !e->failed;
}

// Waits until all products with numbers below `end` are finished.
static bool finish_products(struct tile_emitter *e, const struct tile_loop *l,
                            struct running *running, uint32_t end, struct tile_ahead *ahead)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);

    if (end <= running->first)
        return true;
    // Emit the loads ahead before any use of a tile loaded earlier, because ptxas may wait for the
    // newest load at such a use.
    if (running->loads && !tile_loop_load_next(e, l, ahead))
        return false;
    running->loads = false;
    tile_wait_products(e, running->end - end);
    tile_loop_release(e, running->first, end, &r->position);
    running->first = end;
    return true;
}

struct users {
    const struct tile_fused *p;
    struct running *running;
};

static void find_needed(struct tile_op *op, void *data)
{
    struct users *u = data;

    for (uint32_t i = 0; i < op->operand_count; i++)
        for (uint32_t n = u->running->first; n < u->running->end; n++)
            if (op->operand[i] == u->p->product[n].mma->result[0] && n >= u->running->needed)
                u->running->needed = n + 1;
}

// Waits for the products whose results an op uses.
static bool finish_needed(struct tile_emitter *e, const struct tile_loop *l,
                          struct running *running, const struct tile_op *op,
                          struct tile_ahead *ahead)
{
    struct users users = { tile_fused_ring_of(e)->plan, running };

    running->needed = running->first;
    find_needed((struct tile_op *)(uintptr_t)op, &users);
    for (uint32_t n = 0; n < op->block_count; n++)
        tile_walk(op->block[n], find_needed, &users);
    return finish_products(e, l, running, running->needed, ahead);
}

static bool plain_iteration(struct tile_emitter *e, const struct tile_loop *l,
                            struct tile_ahead *ahead)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_block *body = l->op->block[0];
    struct running running = { .loads = true };

    for (const struct tile_op *op = body->first; op != body->last; op = op->next) {
        if (!finish_needed(e, l, &running, op, ahead))
            return false;
        if (op->kind != TILE_MMA) {
            bool is_late = op->result_count && r->plan->late[op->result[0]->id];
            if ((is_late && !finish_products(e, l, &running, running.end, ahead)) ||
                !tile_loop_emit_op(e, op) || !tile_loop_write_feeds(e, op, &r->position))
                return false;
            continue;
        }
        if (!start_product(e, &r->plan->product[running.end++]))
            return false;
    }
    if (!finish_products(e, l, &running, running.end, ahead))
        return false;
    tile_next_stage(e, &r->position);
    tile_loop_carry(e, l, NULL);
    tile_swap_ahead(e, ahead);
    return true;
}

// Gives all blocks of 64 rows of the lone product's result the registers of one block.
static bool share_registers(struct tile_emitter *e, const struct tile_fused *p)
{
    const struct tile_value *result = p->product[0].mma->result[0];
    uint32_t count = tile_register_count(result), each = count / p->base.blocks;
    tile_register *sum = tile_take(e->module, count * sizeof(*sum));

    for (uint32_t i = 0; sum && i < count; i++)
        sum[i] = i < each ? tile_new(e, TILE_R32) : sum[i - each];
    e->value[result->id] = sum;
    return sum;
}

// Defers the work on the product's result, and emits all other work.
static bool emit_other_work(struct tile_emitter *e, const struct tile_block *body)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;

    for (const struct tile_op *op = body->first; op != body->last; op = op->next) {
        const struct tile_value *result = op->result_count ? op->result[0] : NULL;
        if (op->kind == TILE_MMA)
            continue;
        if (!result || !p->behind[result->id]) {
            if (!tile_loop_emit_op(e, op))
                return false;
            continue;
        }
        e->value[result->id] =
            tile_take(e->module, tile_register_count(result) * sizeof(tile_register));
        e->deferred[result->id] = op;
        if (!e->value[result->id])
            return false;
    }
    return true;
}

// Starts the product of one block of 64 rows after another, and computes what an iteration passes
// on from its result before the next one.
static bool iteration_by_blocks(struct tile_emitter *e, const struct tile_loop *l,
                                struct tile_ahead *ahead)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused_product *product = &r->plan->product[0];
    const struct tile_op *end = l->op->block[0]->last;
    const tile_register *sum = tile_registers(e, product->mma->result[0]);
    uint32_t blocks = r->plan->base.blocks;
    uint32_t each = tile_register_count(product->mma->result[0]) / blocks;

    for (uint32_t n = 0; n < 2; n++)
        if (!product->feed[n]->held)
            tile_wait_for_feed(e, product->feed[n], &r->position);
    for (uint32_t block = 0; block < blocks; block++) {
        tile_start_blocks(e, product, sum, &r->position, false, block, block + 1);
        if (!block && (!tile_loop_load_next(e, l, ahead) || !emit_other_work(e, l->op->block[0])))
            return false;
        tile_wait_products(e, 0);
        if (block + 1 == blocks)
            tile_loop_release(e, 0, 1, &r->position);
        for (uint32_t i = 0; i < end->operand_count; i++)
            if (r->plan->behind[end->operand[i]->id] &&
                !tile_compute_registers(e, end->operand[i], block * each, (block + 1) * each))
                return false;
    }
    for (const struct tile_op *op = l->op->block[0]->first; op != end; op = op->next)
        if (op->result_count && r->plan->behind[op->result[0]->id])
            e->deferred[op->result[0]->id] = NULL;
    tile_next_stage(e, &r->position);
    tile_loop_carry(e, l, NULL);
    tile_swap_ahead(e, ahead);
    return !e->failed;
}

bool tile_emit_loop_in_turn(struct tile_emitter *e, const struct tile_loop *l)
{
    uint32_t top = tile_label(e), end = tile_label(e);
    struct tile_ahead ahead;

    const struct tile_fused *p = tile_fused_ring_of(e)->plan;
    if ((p->by_blocks && !share_registers(e, p)) || !tile_loop_open_sums(e, l) ||
        !tile_loop_open_ahead(e, l, &ahead))
        return false;
    tile_loop_put_label(e, top);
    for (uint32_t copy = 0; copy < tile_loop_copies(&ahead); copy++) {
        if (!(p->by_blocks ? iteration_by_blocks : plain_iteration)(e, l, &ahead))
            return false;
        tile_loop_advance(e, l, end);
    }
    tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, end);
    return true;
}
