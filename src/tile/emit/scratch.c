// The block's barriers, and the shared scratch memory that they protect.
#include "ring.h"

void tile_barrier(struct tile_emitter *e)
{
    bool team = e->ring && e->ring->plan->teams > 1;

    // Fail if some warps do not reach this point, or if layouts count warps that do not exist.
    if (e->ring &&
        (e->ring->warps_apart || e->ring->copies || e->ring->plan->groups == 3 || e->ring->sliced))
        e->failed = true;
    if (team) // the tile belongs to one warpgroup
        tile_ins(e, "bar.sync %R, %u",
                 tile_make(e, TILE_R32, "add.u32 %R, %R, %u", e->ring->group,
                           (unsigned)TILE_BARRIER_OF_GROUP),
                 (unsigned)TILE_GROUP_THREADS);
    else if (e->ring)
        tile_ins(e, "bar.sync %u, %u", (unsigned)TILE_BARRIER_OF_GROUPS, 32 * e->warps);
    else if (e->warps > 1 && !e->single_warp)
        tile_ins(e, "bar.sync 0");
    else
        tile_ins(e, "bar.warp.sync 0xffffffff");
}

void tile_forget_copies(struct tile_emitter *e)
{
    e->shared_copy = NULL;
    e->kept_count = 0;
}

tile_register tile_scratch(struct tile_emitter *e, uint32_t bytes)
{
    e->failed |= e->ring && e->ring->sliced; // slices would use the scratch at the same time
    if (bytes > e->shared_bytes)
        e->shared_bytes = bytes;
    if (e->shared_busy)
        tile_barrier(e);
    tile_forget_copies(e);
    e->shared_busy = TILE_SHARED_BUSY;
    return e->shared;
}

static bool has_copy(const struct tile_emitter *e, const struct tile_value *tile)
{
    for (uint32_t i = 0; i < e->kept_count; i++)
        if (e->kept[i].tile == tile)
            return true;
    return false;
}

// Returns true if an op from `op` on, or one in its blocks, takes elements of a tile that the
// scratch has a copy of.
static bool needs_copies(const struct tile_emitter *e, const struct tile_op *op)
{
    for (; op; op = op->next) {
        if (op->kind == TILE_TAKE && has_copy(e, op->operand[0]))
            return true;
        for (uint32_t i = 0; i < op->block_count; i++)
            if (needs_copies(e, op->block[i]->first))
                return true;
    }
    return false;
}

bool tile_keeps_copies(const struct tile_emitter *e, const struct tile_block *block)
{
    for (const struct tile_op *op = block->first; op; op = op->next) {
        uint32_t traits = tile_op_infos[op->kind].traits;
        bool scalar = op->operand_count && !op->operand[0]->type.rank;
        if (!(traits & (TILE_ELEMENTWISE | TILE_LEAF | TILE_TERMINATES)) &&
            !(op->kind == TILE_BROADCAST && scalar) &&
            !(op->kind == TILE_TAKE && has_copy(e, op->operand[0])))
            return false;
    }
    return true;
}

// Copies lie side by side. Where there were none, tile_scratch() has ended all earlier reads.
tile_register tile_scratch_for(struct tile_emitter *e, const struct tile_op *op, uint32_t bytes,
                               uint32_t *at, bool *there)
{
    const struct tile_value *tile = op->operand[0];
    uint32_t end = e->kept_end;

    for (uint32_t i = 0; i < e->kept_count; i++)
        if (e->kept[i].tile == tile) {
            *at = e->kept[i].at;
            *there = true;
            e->shared_busy = TILE_SHARED_BUSY; // other barriers may have ended the earlier reads
            return e->shared;
        }
    if (!e->kept_count || e->kept_count == TILE_MOST_KEPT ||
        end + bytes > e->target->shared_limit || !needs_copies(e, op->next)) {
        tile_scratch(e, bytes);
        end = 0;
    }
    *at = end;
    *there = false;
    e->kept[e->kept_count].tile = tile;
    e->kept[e->kept_count++].at = end;
    e->kept_end = (end + bytes + 15) & ~UINT32_C(15);
    if (e->kept_end > e->shared_bytes)
        e->shared_bytes = e->kept_end;
    e->shared_busy = TILE_SHARED_BUSY;
    return e->shared;
}

// Tracks only the latest part as busy. The barrier after the writes of a new part also ends the
// reads of the previous part.
tile_register tile_scratch_beside(struct tile_emitter *e, uint32_t bytes, uint32_t most,
                                  uint32_t *at)
{
    e->failed |= e->ring && e->ring->sliced;
    bytes = (bytes + 15) & ~UINT32_C(15);
    *at = 0;
    if (e->shared_busy == TILE_SHARED_PART && e->busy_from >= bytes)
        *at = 0;
    else if (e->shared_busy == TILE_SHARED_PART && e->busy_to + bytes <= most)
        *at = e->busy_to;
    else if (e->shared_busy)
        tile_barrier(e);
    tile_forget_copies(e);
    e->shared_busy = TILE_SHARED_PART;
    e->busy_from = *at;
    e->busy_to = *at + bytes;
    if (e->busy_to > e->shared_bytes)
        e->shared_bytes = e->busy_to;
    return e->shared;
}

void tile_scratch_written(struct tile_emitter *e)
{
    tile_barrier(e);
}
