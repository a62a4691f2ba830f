// Decides whether the blocks of a cluster share a loop with products: each block runs a part of the
// iterations, and the first block combines the values that the loop carries (split_loops.c).
#include "fused.h"
#include "accumulation.h"
#include "pass.h"

#include "tile/ir/layout.h"

const char tile_split_too_large[] = "the values that the loop carries do not fit in the ring";

static void find_return(struct tile_op *op, void *data)
{
    *(bool *)data |= op->kind == TILE_RETURN;
}

// True if a block may end before the loop. It would not meet the other blocks of its cluster.
static bool may_return_before(struct tile_kernel *kernel, const struct tile_op *loop)
{
    bool found = false;

    for (const struct tile_op *op = kernel->body.first; op != loop; op = op->next)
        for (uint32_t i = 0; i < op->block_count; i++)
            tile_walk(op->block[i], find_return, &found);
    return found;
}

const char *tile_split_fused(struct tile_kernel *kernel, const struct tile_fused *p,
                             const struct tile_target *target)
{
    struct tile_op *loop = (struct tile_op *)(uintptr_t)p->base.loop;
    const char *why;

    if (loop->result_count == 0)
        return "its loop carries no values";
    if (may_return_before(kernel, loop))
        return "a block may return before it";
    const struct tile_accumulator *of = tile_accumulators_of(kernel, loop, &why);
    if (!of)
        return why;
    if (tile_product_split(target) <= 1)
        return "";
    return tile_join_loop(kernel, loop, of, tile_fused_warps(p), target->split)
               ? NULL
               : "it carries more than 16 values";
}

uint32_t tile_shared_bytes_of(const struct tile_fused *p, const struct tile_op *op)
{
    enum { VECTOR = 16 };

    if (op->kind != TILE_SHARE)
        return 0;
    uint32_t bytes = tile_bytes_of(op->result[0]->type.dtype) * 32 * tile_fused_warps(p);
    return ((bytes << op->result[0]->layout->register_bits) + VECTOR - 1) & ~(VECTOR - 1u);
}

const char *tile_settle_fused_split(const struct tile_fused *p)
{
    uint64_t bytes = 0;

    if (p->base.split <= 1)
        return NULL;
    for (const struct tile_op *op = p->base.loop->next; op; op = op->next)
        bytes += tile_shared_bytes_of(p, op);
    return bytes <= (uint64_t)p->base.stages * p->base.stage_bytes ? NULL : tile_split_too_large;
}
