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

tile_register tile_scratch(struct tile_emitter *e, uint32_t bytes)
{
    e->failed |= e->ring && e->ring->sliced; // slices would use the scratch at the same time
    if (bytes > e->shared_bytes)
        e->shared_bytes = bytes;
    if (e->shared_busy)
        tile_barrier(e);
    e->shared_copy = NULL;
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
    e->shared_copy = NULL;
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
