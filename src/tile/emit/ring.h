// Entries with roles: the emitter's state for the ring of stages (pass/pipeline.h).
#ifndef CUCORE_TILE_EMIT_RING_H
#define CUCORE_TILE_EMIT_RING_H

#include "tile/pass/pipeline.h"
#include "emit.h"

// Barriers at the start of shared memory, 8 bytes each. The barrier at 8 s signals that stage s is
// full; the one TILE_FREE_AT bytes later, that stage s is free again. From TILE_HANDOVER_AT on,
// each of two teams has a word with the stage and phase at which it takes over the ring, if the
// other team announces them.
enum { TILE_FREE_AT = 256, TILE_HANDOVER_AT = 512 };

// Named barriers. Barrier 0 is for all threads of the block.
enum { TILE_BARRIER_OF_GROUPS = 1, TILE_BARRIER_OF_GROUP = 2, TILE_BARRIER_OF_TEAM = 4 };

// A warpgroup's slabs, 64 rows of 128 bytes each, through which a tile is stored.
struct tile_staging {
    bool open;
    tile_register at; // in shared memory
    // The addresses that the thread writes: one per group of 16 columns, or of 8 columns if
    // elements have 32 bits.
    tile_register lane[8];
    tile_register barrier; // the warpgroup's own
    bool wide, narrow;     // elements of 32 or of 8 bits, not 16
    uint32_t eights;       // groups of 8 columns in a slab
    uint32_t slabs;        // per block of 64 rows
    uint32_t column_bits;  // bits of the tile's column
};

struct accumulators; // pipeline.c
// The position of an access: coordinates of its first element, last axis first, 32 bits, negative
// or past the end if they are outside.
struct tile_place {
    tile_register at[TILE_MAP_RANK];
    uint32_t rank;
    uint32_t other; // the tensor's axis, counted from the last, along which the operand's axis that
                    // is not summed runs
};

struct tile_realign;  // realign.c
struct tile_gathered; // gathered.c

struct tile_ring {
    const struct tile_pipeline *plan;
    bool copies;        // the role: the copying thread, or the warpgroups that multiply
    tile_register base; // address of shared memory
    tile_register map[TILE_MAX_MAPS];
    tile_register grid[3], tiles; // 32 bits
    tile_register inverse[3];     // reciprocals of the tiles of a grid layer, of grid[1], and of
                                  // the last raster
    tile_register width;          // grid[0], padded to whole clusters
    tile_register column;         // the tile's index along the grid's columns
    tile_register rank;           // rank of the block in its cluster
    tile_register group;          // the thread's warpgroup
    tile_register stage, phase;   // the role's position in the ring, kept across tiles
    uint32_t next_tile;           // label
    // The tile's number and the step to the next tile; the tile's position in the grid; the
    // position of the next tile, in a role that computes it ahead of time.
    tile_register tile, step, place[3], next[3];
    bool early;
    bool *loaded_early;    // by value id: loads after the loop that were emitted before its end
    tile_register elected; // in the copying warp: the lane that copies
    struct tile_realign *realign;   // if the copying threads realign
    struct tile_gathered *gathered; // if they gather
    // For warpgroups
    tile_register not_first;     // true in all threads of a warpgroup but the first
    tile_register not_storing;   // the same for the unit that stores together: a warpgroup or a
                                 // warp
    bool warps_apart;            // warps do not wait for one another after a store
    tile_register descriptor[2]; // descriptors of a's and b's first bytes in stage 0
    // For teams: the number of stages and of phase flips (0 or 1) of the other team's tile.
    // `second` is nonzero until the second team has skipped the other team's first tile.
    tile_register others_stages, others_phase, second;
    // While a region is emitted, and its accumulators, if this role has any.
    bool in_region;
    const struct accumulators *accumulators;
    bool sliced;             // while warpgroups take a loop's iterations in turn
    tile_register outside;   // true if copies take zeros instead, likewise
    bool waited_for_team;    // wait already emitted on the current path
    uint32_t staging;        // offset in shared memory of the slabs to store
    struct tile_staging out; // kept if a side tile is loaded into them
    // For a side tile: the number of its parts that have arrived, and the thread's addresses in the
    // last of them.
    uint32_t side_parts;
    tile_register side_lane[4];
};

// pipeline.c: emits an entry with roles. `entry` receives the data that launches need.
bool tile_emit_pipeline(struct tile_module *module, const struct tile_kernel *kernel,
                        const struct tile_pipeline *plan, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry);
// tiles.c: runs `body`, a role's work for one tile, over all tiles. The next functions emit loads
// while the last products of a tile are in flight; compute the next tile's position among the
// products; and return true for an op after the loop that has been emitted early.
bool tile_for_each_tile(struct tile_emitter *e, bool (*body)(struct tile_emitter *e));
void tile_load_early(struct tile_emitter *e);
void tile_find_next(struct tile_emitter *e);
bool tile_is_loaded_early(const struct tile_emitter *e, const struct tile_op *op);
// Emits the product's loop in the current role.
bool tile_emit_ring_loop(struct tile_emitter *e, const struct tile_op *op);
// The same for a region, and for one of its products. Inside the region, true for an op that the
// role does not run, and for a value that it passes to another iteration or to the end of a branch.
bool tile_emit_region(struct tile_emitter *e);
bool tile_emit_region_product(struct tile_emitter *e, const struct tile_op *mma);
bool tile_region_skips(const struct tile_emitter *e, const struct tile_op *op);
bool tile_region_carries(const struct tile_emitter *e, const struct tile_value *value);
// fused.c: an entry for a loop with several products; true for an op whose results no warpgroup
// needs. fused_loop.c: that loop, in the current role.
struct tile_fused;
bool tile_emit_fused(struct tile_module *module, const struct tile_kernel *kernel,
                     struct tile_fused *plan, const struct tile_target *target,
                     struct tile_text *out, struct tile_entry *entry);
bool tile_emit_fused_loop(struct tile_emitter *e, const struct tile_op *op);
bool tile_fused_skips(struct tile_emitter *e, const struct tile_op *op);
// pipeline.c: gives up the team's turn to multiply, if its tile ends before the loop.
void tile_skip_products(struct tile_emitter *e);
// ring.c: advances the role to the next stage.
void tile_ring_step(struct tile_emitter *e);
// Skips the stages of the other team's tile.
void tile_skip_other_team(struct tile_emitter *e);
// Returns the barrier for a full stage. The barrier for a stage that has been read is TILE_FREE_AT
// bytes later.
tile_register tile_stage_barrier(struct tile_emitter *e);
// Waits until the barrier's phase with this parity has completed. `at` is added to the barrier's
// address.
void tile_emit_wait(struct tile_emitter *e, tile_register barrier, uint32_t at,
                    tile_register parity);

// split.c: computes this block's range of a loop by steps of `by`; sums the parts, either by warps
// or in the first block of the cluster; the other blocks jump to their end.
void tile_split_range(struct tile_emitter *e, const char *type, const struct tile_value *by,
                      tile_register *first, tile_register *last);
void tile_join_parts(struct tile_emitter *e, const tile_register *sum, uint32_t count);
void tile_cluster_barrier(struct tile_emitter *e, bool waits); // arrives, and waits if `waits`

// tma.c: the position of an access, in 32 bits.
struct tile_place tile_place_of(struct tile_emitter *e, const struct tile_op *op);
// A warp's rows of slabs that lie side by side in a tensor without a map.
struct tile_slab_rows {
    const struct tile_op *access;
    bool loads;
    uint32_t span;              // bytes of a slab's line
    struct tile_place place;    // of the warp's first row
    tile_register shared;       // address of that row in shared memory
    uint32_t slabs, slab_bytes; // in shared memory they follow one another
};
// slab_rows.c: threads move these rows. Rows and columns outside of the tensor are loaded as zeros.
void tile_move_slab_rows(struct tile_emitter *e, const struct tile_slab_rows *how);
// tma.c: tells a barrier how many bytes to expect; copies a tile of a stream to an address and
// signals the barrier; waits for a free stage and copies its tiles, but none that threads gather.
void tile_expect(struct tile_emitter *e, tile_register full, uint32_t bytes);
void tile_emit_copy(struct tile_emitter *e, const struct tile_stream *s, tile_register to,
                    tile_register full);
void tile_emit_copies(struct tile_emitter *e, const struct tile_stream *stream);
bool tile_emit_store_tma(struct tile_emitter *e, const struct tile_op *op);
// Returns the slabs for a value, set up once per tile.
const struct tile_staging *tile_staging_of(struct tile_emitter *e, const struct tile_value *value);
// Copies one slab of a warpgroup's part of a load to an address, and signals a barrier.
void tile_copy_slab(struct tile_emitter *e, const struct tile_op *load, uint32_t map,
                    uint32_t group, uint32_t slab, tile_register to, tile_register full);

// ring.c: the pieces of 16 bytes that a thread of the copying warpgroup copies, one of each of its
// lines (struct tile_rounds).
struct tile_piece {
    tile_register warp, line; // the thread's line among those of its warp
    tile_register row;        // of the tile, in the first round
    tile_register piece;      // of its line
    tile_register place;      // address in stage 0
};
struct tile_piece tile_piece_of(struct tile_emitter *e, const struct tile_stream *s);

// gathered.c: threads gather the rows of a pipeline's operands, and one of them has TMA copy the
// other operand. The copying role calls this before its tiles.
bool tile_open_gathered(struct tile_emitter *e);
// Computes, before an op, the rows' addresses and the values that they need there.
void tile_find_rows(struct tile_emitter *e, const struct tile_op *before);
// Starts the copies of a stage, which signal its barrier when they have arrived.
void tile_emit_gathered(struct tile_emitter *e, const struct tile_stream *stream);
// True for an op that only the rows' addresses need: warpgroups skip it.
bool tile_gathered_skips(const struct tile_emitter *e, const struct tile_op *op);

// realign.c: threads copy a pipeline's operands, from any address, instead of TMA. The copying role
// calls the first before its tiles; the second for a stage, which is requested while the stage
// before is completed; the last after its tiles, to complete the last stage.
bool tile_open_realign(struct tile_emitter *e);
void tile_emit_realigned(struct tile_emitter *e);
void tile_close_realign(struct tile_emitter *e);

// side.c: for a plan's side load, the work of the copying thread and of the warpgroups in each
// tile.
void tile_copy_side(struct tile_emitter *e);
bool tile_begin_side(struct tile_emitter *e);
void tile_end_side(struct tile_emitter *e); // after the store

// wgmma.c: returns a descriptor without the address; the byte distance between blocks of 64 rows of
// a left operand; the byte offset of a step along the depth axis.
uint64_t tile_descriptor_of(const struct tile_stream *s);
uint32_t tile_block_step(const struct tile_stream *a);
uint32_t tile_step_of(const struct tile_stream *s, uint32_t step);
// Returns the descriptor for an address that is `bytes` further on.
tile_register tile_descriptor_at(struct tile_emitter *e, tile_register descriptor, uint32_t bytes);
// Sets up warpgroups before their first tile. The next function emits the products of a stage,
// which are added to `count` accumulators, or overwrite them if the predicate is false. The
// products are still running on return, unless parts of the sums are promoted.
void tile_open_products(struct tile_emitter *e);
void tile_emit_products(struct tile_emitter *e, const tile_register *sum, uint32_t count,
                        tile_register accumulates);

#endif
