// Entries with roles: what the emitter keeps of the ring of stages (pass/pipeline.h).
#ifndef CUCORE_TILE_RING_H
#define CUCORE_TILE_RING_H

#include "../pass/pipeline.h"
#include "emit.h"

// Barriers at the start of shared memory, 8 bytes each: of stage s that it is full, at 8 s, and
// that it is free again, TILE_FREE_AT behind it.
enum { TILE_FREE_AT = 64 };

// Named barriers: 0 is for all threads of the block.
enum { TILE_BARRIER_OF_GROUPS = 1, TILE_BARRIER_OF_GROUP = 2 };

struct tile_ring {
    const struct tile_pipeline *plan;
    bool copies;        // the role: the thread that copies, or the warpgroups that multiply
    tile_register base; // of shared memory
    tile_register map[TILE_MAX_MAPS];
    tile_register grid[3], tiles; // 32 bits
    tile_register width;          // grid[0], filled up to whole clusters
    tile_register column;         // the tile's index along it
    tile_register rank;           // of the block in its cluster
    tile_register group;          // the thread's warpgroup
    tile_register stage, phase;   // where the role is in the ring; kept from tile to tile
    uint32_t next_tile;           // label
    // Of warpgroups
    tile_register not_first;     // true but in the first thread of a warpgroup
    tile_register descriptor[2]; // of a's and b's first bytes in stage 0
    uint32_t staging;            // where in shared memory the slabs to store are
};

// pipeline.c: an entry with roles. `entry` gets what a launch needs.
bool tile_emit_pipeline(struct tile_module *module, const struct tile_kernel *kernel,
                        const struct tile_pipeline *plan, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry);
// The loop over the product, in the role that is emitted.
bool tile_emit_ring_loop(struct tile_emitter *e, const struct tile_op *op);
// Wait until a barrier's phase of that parity is over; `at` is added to its address.
void tile_emit_wait(struct tile_emitter *e, tile_register barrier, uint32_t at,
                    tile_register parity);

// tma.c
void tile_emit_copies(struct tile_emitter *e);
bool tile_emit_store_tma(struct tile_emitter *e, const struct tile_op *op);

// wgmma.c: what warpgroups need before their first tile; the products of a stage, which are added
// to `count` sums, or put into them where the predicate is false. They are still being computed
// when it returns, but where parts are promoted.
void tile_open_products(struct tile_emitter *e);
void tile_emit_products(struct tile_emitter *e, const tile_register *sum, uint32_t count,
                        tile_register accumulates);

#endif
