// Emits a loop with a single matrix product whose operands are both prefetched. While the current
// step is multiplied, the code reads the fragments of the next step. At the end of an iteration,
// after the barrier, it reads the fragments of the next iteration's first step while the last
// products run. Copies of the next stage are spread among the products, so nothing waits at the
// start of an iteration. With two stages, the stage just multiplied is refilled right after the
// barrier, and awaited one iteration later.
#include "mma_sync.h"

#include <string.h>

static void keep_words(struct tile_mma_operand *o)
{
    for (uint32_t i = 0; i < o->count; i++)
        memcpy(o->fragment[i].carried, o->fragment[i].word[0], sizeof(o->fragment[i].carried));
}

static void carry_words(struct tile_mma_operand *o, uint32_t set)
{
    for (uint32_t i = 0; i < o->count; i++)
        memcpy(o->fragment[i].word[set], o->fragment[i].carried, sizeof(o->fragment[i].carried));
}

static bool copies_at_once(const struct tile_emitter *e)
{
    return e->prefetch_ring->plan->stages == 2;
}

static void copy_at_once(struct tile_emitter *e)
{
    tile_open_copies(e);
    tile_copy_part(e, 0, 1);
    tile_close_copies(e);
}

void tile_carry_product(struct tile_emitter *e)
{
    const struct tile_op *op = e->prefetch->only;
    struct tile_product *p = op ? tile_take(e->module, sizeof(*p)) : NULL;

    if (!p || e->target->brief || !tile_shape_product(p, e, op) ||
        !tile_set_mma_operand(p, &p->a, 0) || !tile_set_mma_operand(p, &p->b, 1) ||
        p->depth / p->how->depth < 2 ||
        p->depth / p->how->depth * p->count / 4 > TILE_MOST_PRODUCTS || !tile_find_fragments(p))
        return;
    e->prefetch_ring->carried = p;
    tile_open_fragments(p, TILE_NO_REGISTER);
    tile_await_stage(e);
    tile_read_step(p, 0, 0, false);
    keep_words(&p->a);
    keep_words(&p->b);
    if (copies_at_once(e))
        copy_at_once(e);
}

bool tile_multiply_carried(struct tile_product *p)
{
    struct tile_emitter *e = p->e;
    uint32_t steps = p->depth / p->how->depth;
    bool at_once = copies_at_once(e);

    if (!tile_open_parts(p))
        return false;
    for (uint32_t step = 0; step < steps; step++) {
        p->now = step & 1;
        if (step + 1 < steps) {
            tile_read_step(p, step + 1, !p->now, false);
            if (!step && !at_once)
                tile_open_copies(e);
            if (!at_once)
                tile_copy_part(e, step, steps - 1);
            tile_multiply_step(p);
            continue;
        }
        if (!at_once)
            tile_close_copies(e);
        tile_await_stage(e);
        tile_advance_stage(e);
        for (uint32_t i = 0; i < p->places; i++)
            tile_ins(e, "add.u32 %R, %R, %R", p->there[i], p->place[i], e->prefetch_ring->stage);
        carry_words(&p->a, !p->now);
        carry_words(&p->b, !p->now);
        tile_read_step(p, 0, !p->now, true);
        if (at_once) { // the branch for edge copies comes after the products
            tile_open_copies(e);
            tile_copy_part(e, 0, 1);
        }
        tile_multiply_step(p);
        if (at_once)
            tile_close_copies(e);
    }
    tile_close_parts(p);
    return !e->failed;
}
