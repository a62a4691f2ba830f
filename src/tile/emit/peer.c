// Tiles shared between the blocks of a cluster. Each block writes its tile to its own shared
// memory, all blocks wait, and each reads the others' tiles from there. All blocks hold a tile in
// the same layout, so each thread reads the registers of the thread with the same number. In an
// entry with roles, tiles from before the loop have memory of their own, and those from after it
// take the place of the rings, which are empty then.
#include "ring.h"

// Returns the number of elements in a vector. Sets *pitch to the bytes between a thread's
// consecutive vectors.
static uint32_t vector_of(const struct tile_emitter *e, const struct tile_value *x, uint32_t *pitch)
{
    uint32_t bytes = tile_bytes_of(x->type.dtype), count = tile_register_count(x);
    uint32_t vector = TILE_VECTOR_BYTES / bytes < count ? TILE_VECTOR_BYTES / bytes : count;

    *pitch = 32 * e->warps * vector * bytes;
    return vector;
}

static tile_register own_address(struct tile_emitter *e, uint32_t vector_bytes)
{
    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->tid, vector_bytes,
                     e->ring ? e->ring->base : e->shared);
}

// Prepares the memory of the first tile that is shared, or of the first one after a loop with
// roles.
static void begin_sharing(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_op *first = e->ring ? e->ring->plan->loop->next : NULL;

    while (first && first->kind != TILE_SHARE)
        first = first->next;
    if (e->ring && first == op) {
        // All warpgroups have read the last stage.
        tile_ins(e, "bar.sync %u, %u", (unsigned)TILE_BARRIER_OF_GROUPS,
                 e->ring->plan->groups * TILE_GROUP_THREADS);
        e->share_bytes = TILE_RING_AT;
    } else if (e->ring && !e->share_bytes) {
        e->share_bytes = e->ring->shares_at;
    } else if (!e->share_bytes) {
        (void)tile_scratch(e, 0);
    }
}

bool tile_emit_share(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0];
    const tile_register *reg = tile_registers(e, x);
    uint32_t count = tile_register_count(x), pitch, vector = vector_of(e, x, &pitch), at;

    if (!e->share_at)
        e->share_at = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*e->share_at));
    if (!e->share_at || !reg)
        return false;
    begin_sharing(e, op);
    at = e->share_at[op->result[0]->id] = e->share_bytes;
    e->share_bytes += (count / vector * pitch + TILE_VECTOR_BYTES - 1) &
                      ~(uint32_t)(TILE_VECTOR_BYTES - 1);
    if (!e->ring && e->share_bytes > e->shared_bytes)
        e->shared_bytes = e->share_bytes;
    tile_register own = own_address(e, vector * tile_bytes_of(x->type.dtype));
    for (uint32_t i = 0; i < count; i += vector)
        tile_emit_store(e, "", "shared", x->type.dtype, reg + i, vector, own,
                        at + i / vector * pitch, TILE_NO_REGISTER);
    e->value[op->result[0]->id] = (tile_register *)(uintptr_t)reg;
    return true;
}

bool tile_emit_peer(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *x = op->operand[0];
    tile_register *out = tile_registers(e, op->result[0]);
    uint32_t count = tile_register_count(x), pitch, vector = vector_of(e, x, &pitch);

    if (!out || !e->share_at)
        return false;
    tile_register part =
        tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", tile_registers(e, op->operand[1])[0]);
    tile_register own = own_address(e, vector * tile_bytes_of(x->type.dtype));
    tile_register there = tile_make(e, TILE_R32, "mapa.shared::cluster.u32 %R, %R, %R", own, part);
    for (uint32_t i = 0; i < count; i += vector)
        tile_emit_load(e, "", "shared::cluster", x->type.dtype, out + i, vector, there,
                       e->share_at[x->id] + i / vector * pitch, TILE_NO_REGISTER);
    return true;
}

bool tile_emit_meet(struct tile_emitter *e, const struct tile_op *op)
{
    if (op->kind == TILE_LEAVE) { // other blocks may still read this block's shared memory
        uint32_t stays = tile_label(e);
        tile_register part = tile_make(e, TILE_R32, "mov.u32 %R, %%cluster_ctarank");
        tile_register first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", part);
        tile_branch(e, first, false, stays);
        tile_cluster_barrier(e, !e->ring);
        if (e->ring)
            tile_branch(e, TILE_NO_REGISTER, false, e->ring->next_tile);
        else
            tile_ins(e, "ret");
        tile_put_label(e, stays);
        return true;
    }
    // Warps with roles wait for the other blocks at the end of the entry.
    tile_cluster_barrier(e, !e->ring || op->kind != TILE_PEERS_READ);
    if (op->kind == TILE_PEERS_READ) {
        e->share_bytes = 0;
        e->shared_busy = TILE_SHARED_FREE;
    }
    return true;
}
