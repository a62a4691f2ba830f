// Warp-specialized entries: the emitter's state for the ring of stages (pass/pipeline.h).
#ifndef CUCORE_TILE_EMIT_RING_H
#define CUCORE_TILE_EMIT_RING_H

#include "tile/pass/pipeline.h"
#include "emit.h"

// Barriers at the start of shared memory, 8 bytes each. The barrier at 8 s signals that stage s is
// full. The barrier TILE_FREE_AT bytes later signals that stage s is free. From TILE_HANDOVER_AT
// on, each of two teams (warpgroups that alternate between tiles) has a slot for the stage and
// phase at which it takes over the ring, if the other team passes them on.
enum { TILE_FREE_AT = 256, TILE_HANDOVER_AT = 512 };

// Named barriers. Barrier 0 serves all threads of the block.
enum { TILE_BARRIER_OF_GROUPS = 1, TILE_BARRIER_OF_GROUP = 2, TILE_BARRIER_OF_TEAM = 4 };

// A warpgroup's slabs of 64 rows, through which it stores a tile.
struct tile_staging {
    bool open;
    tile_register at; // address in shared memory
    // Addresses that the thread writes: one per 16 columns, or per 8 columns if elements have 32
    // bits.
    tile_register lane[8];
    tile_register barrier; // the warpgroup's own
    bool wide, narrow;     // elements have 32 bits (`wide`) or 8 bits (`narrow`), otherwise 16
    uint32_t eights;       // groups of 8 columns in a slab
    uint32_t slabs;        // slabs per block of 64 rows
    uint32_t column_bits;  // log2 of the tile's columns
};

struct accumulators; // pipeline.c
// The position of an access: the 32-bit coordinates of its first element, last axis first. A
// coordinate outside the tensor is negative or past the end.
struct tile_place {
    tile_register at[TILE_MAP_RANK];
    uint32_t rank;
    uint32_t other; // tensor axis along which the operand's non-summed axis runs, counted from the
                    // last
};

struct tile_realign;  // realign.c
struct tile_gathered; // gathered.c

struct tile_ring {
    const struct tile_pipeline *plan;
    bool copies;        // role: true for the copying thread, false for the multiplying warpgroups
    tile_register base; // address of shared memory
    tile_register map[TILE_MAX_MAPS];
    tile_register grid[3], tiles; // 32 bits
    tile_register inverse[3];     // reciprocals of a grid layer's tile count, of grid[1], and of
                                  // the last raster's width
    // The grid's first two extents, padded to whole clusters; counted in clusters if these extend
    // along both axes.
    tile_register width, height;
    tile_register column;        // the tile's index along the grid's first axis
    tile_register rank;          // rank of the block in its cluster
    tile_register rank_along[2]; // its place along both axes, if the cluster extends along both
    tile_register mask[2];       // blocks that share the operand that neighbors along an axis share
    tile_register peer;          // distance from own shared memory to that of the block to which
                                 // this thread reports free stages
    tile_register not_reporting; // predicate: false only in threads that report free stages
    tile_register group;         // the thread's warpgroup
    tile_register stage, phase;  // the role's position in the ring, which persists across tiles
    uint32_t next_tile;          // label
    // The tile's number, the step to the next tile, the tile's position in the grid, and, in a role
    // that computes it ahead, the next tile's position.
    tile_register tile, step, place[3], next[3];
    bool early;
    bool *loaded_early;    // by value id: this load after the loop was emitted before the loop's
                           // end
    tile_register elected; // predicate: this lane of the copying warp copies
    struct tile_realign *realign;   // NULL unless the copying threads realign
    struct tile_gathered *gathered; // NULL unless the copying threads gather
    // For warpgroups
    tile_register not_first;     // predicate: false only in the first thread of a warpgroup
    tile_register not_storing;   // predicate: false only in the first thread of the unit that
                                 // stores together, a warpgroup or a warp
    bool warps_apart;            // warps do not wait for each other after a store
    tile_register descriptor[2]; // descriptors of the first bytes of a and b in stage 0
    // For teams: the stages and phase flips (0 or 1) that the other team's tile takes. `second` is
    // nonzero until the second team has skipped the other team's first tile.
    tile_register others_stages, others_phase, second;
    // Set while a region is emitted. `accumulators` is NULL if this role has none.
    bool in_region;
    const struct accumulators *accumulators;
    bool sliced;             // set while warpgroups take a loop's iterations in turn, and before
    tile_register outside;   // predicate, set only while `sliced`: the iteration is past the loop's
                             // end, so copies write zeros
    bool waited_for_team;    // the current path has already emitted the wait
    uint32_t shares_at;      // offset of the tiles that blocks of a cluster share before the loop
    uint32_t meets;          // how often these blocks meet before the loop
    uint32_t staging;        // offset in shared memory of the slabs for stores
    struct tile_staging out; // kept across the tile if a side tile is loaded into the slabs
    // For a side tile: the number of parts that have arrived, and the thread's addresses in the
    // latest part.
    uint32_t side_parts;
    tile_register side_lane[4];
};

// pipeline.c: emits a warp-specialized entry. `entry` receives the data that launches need.
bool tile_emit_pipeline(struct tile_module *module, const struct tile_kernel *kernel,
                        const struct tile_pipeline *plan, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry);
// tiles.c. tile_for_each_tile() runs `body`, a role's work for one tile, for all tiles.
// tile_load_early() emits loads while the last products of a tile are in flight. tile_find_next()
// computes the next tile's position during the products. tile_is_loaded_early() is true for an op
// after the loop that has already been emitted.
bool tile_for_each_tile(struct tile_emitter *e, bool (*body)(struct tile_emitter *e));
void tile_load_early(struct tile_emitter *e);
void tile_find_next(struct tile_emitter *e);
bool tile_is_loaded_early(const struct tile_emitter *e, const struct tile_op *op);
// Emits the product's loop in the current role.
bool tile_emit_ring_loop(struct tile_emitter *e, const struct tile_op *op);
// Emit a region, or one of its products, in the current role. In a region, tile_region_skips() is
// true for an op that the role does not run. tile_region_carries() is true for a value that the
// role passes to another iteration or to the end of a branch.
bool tile_emit_region(struct tile_emitter *e);
bool tile_emit_region_product(struct tile_emitter *e, const struct tile_op *mma);
bool tile_region_skips(const struct tile_emitter *e, const struct tile_op *op);
bool tile_region_carries(const struct tile_emitter *e, const struct tile_value *value);
// fused.c. tile_emit_fused() emits an entry for a loop with several products. tile_fused_skips() is
// true for an op whose results no warpgroup needs. fused_loop.c: tile_emit_fused_loop() emits that
// loop in the current role.
struct tile_fused;
bool tile_emit_fused(struct tile_module *module, const struct tile_kernel *kernel,
                     struct tile_fused *plan, const struct tile_target *target,
                     struct tile_text *out, struct tile_entry *entry);
bool tile_emit_fused_loop(struct tile_emitter *e, const struct tile_op *op);
bool tile_fused_skips(struct tile_emitter *e, const struct tile_op *op);
// pipeline.c: gives up the team's turn to multiply if its tile ends before the loop.
void tile_skip_products(struct tile_emitter *e);
// ring.c: advances the role to the next stage.
void tile_ring_step(struct tile_emitter *e);
// Skips the stages of the other team's tile.
void tile_skip_other_team(struct tile_emitter *e);
// Returns the barrier that signals that the current stage is full. The barrier that signals that it
// is free lies TILE_FREE_AT bytes later.
tile_register tile_stage_barrier(struct tile_emitter *e);
// Waits until the barrier's phase with this parity has completed. `at` is an offset from the
// barrier's address.
void tile_emit_wait(struct tile_emitter *e, tile_register barrier, uint32_t at,
                    tile_register parity);

// split.c. tile_split_range() computes this block's range of a loop with step `by`.
// tile_join_parts() adds up the blocks' partial sums: either each block finishes the rows of some
// warps, or the first block of the cluster finishes all rows. Warps that finish nothing jump to the
// end of the tile.
void tile_split_range(struct tile_emitter *e, const char *type, const struct tile_value *by,
                      tile_register *first, tile_register *last);
void tile_join_parts(struct tile_emitter *e, const tile_register *sum, uint32_t count);
// Arrives at the cluster barrier. Also waits if `waits`.
void tile_cluster_barrier(struct tile_emitter *e, bool waits);

// tma.c: returns the position of an access.
struct tile_place tile_place_of(struct tile_emitter *e, const struct tile_op *op);
// A warp's rows of adjacent slabs, to be moved from or to a tensor without a map.
struct tile_slab_rows {
    const struct tile_op *access;
    bool loads;
    struct tile_place place; // position of the warp's first row
    tile_register shared;    // address of that row in shared memory
    uint32_t slabs;          // contiguous in shared memory
    uint32_t line;           // bytes of a row
    uint32_t columns;        // elements of a row
    tile_register end;       // row at which the tile ends; TILE_NO_REGISTER: it has all rows
};
// slab_rows.c: moves these rows with ordinary loads and stores. Loads fill rows and columns outside
// the tensor with zeros.
void tile_move_slab_rows(struct tile_emitter *e, const struct tile_slab_rows *how);
// tma.c. tile_expect() tells a barrier how many bytes to expect. tile_emit_copy() copies a stream's
// tile to an address and signals the barrier. tile_emit_copies() waits for a free stage and copies
// its tiles, except tiles that threads gather.
void tile_expect(struct tile_emitter *e, tile_register full, uint32_t bytes);
void tile_emit_copy(struct tile_emitter *e, const struct tile_stream *s, tile_register to,
                    tile_register full);
void tile_emit_copies(struct tile_emitter *e, const struct tile_stream *stream);
bool tile_emit_store_tma(struct tile_emitter *e, const struct tile_op *op);
// Returns the slabs for a value, which are set up once per tile.
const struct tile_staging *tile_staging_of(struct tile_emitter *e, const struct tile_value *value);
// tma.c: stores 16 rows of one or two groups of 8 columns of 16-bit accumulators by stmatrix, to
// the address of the lane's slab row; `trans` is "" or ".trans".
void tile_store_matrices(struct tile_emitter *e, const tile_register *reg, uint32_t eights,
                         const char *trans, tile_register at, uint32_t offset);
// turned.c, for transposed slabs. tile_turned_line() returns the bytes of a slab row.
// tile_turned_lane() returns the address that a lane writes, given the address `slab` of the
// warpgroup's slab, or of the warp's part of it if the warps store apart. tile_fill_turned_slab()
// fills a slab with a block of 64 rows and 64 columns of accumulators.
uint32_t tile_turned_line(const struct tile_ring *r);
tile_register tile_turned_lane(struct tile_emitter *e, tile_register slab);
void tile_fill_turned_slab(struct tile_emitter *e, const struct tile_staging *s,
                           const struct tile_value *x, uint32_t block, uint32_t slab, uint32_t at);
// Copies one slab of a warpgroup's part of a load to an address and signals a barrier.
void tile_copy_slab(struct tile_emitter *e, const struct tile_op *load, uint32_t map,
                    uint32_t group, uint32_t slab, tile_register to, tile_register full);

// ring.c: describes the 16-byte pieces that a thread of the copying warpgroup copies, one in each
// of its rows (struct tile_rounds).
struct tile_piece {
    tile_register warp, line; // the thread's warp, and its row among the warp's rows
    tile_register row;        // row of the tile in the first round
    tile_register piece;      // the thread's piece of its row
    tile_register place;      // address in stage 0
};
struct tile_piece tile_piece_of(struct tile_emitter *e, const struct tile_stream *s);

// gathered.c: threads gather the rows of a pipeline's operands, and one of them makes TMA copy the
// other operands. The copying role calls this before its tiles.
bool tile_open_gathered(struct tile_emitter *e);
// Emits, before an op, the row addresses and the kept values that the plan places there.
void tile_find_rows(struct tile_emitter *e, const struct tile_op *before);
// Starts the copies of a stream's rows to a stage of `bytes`, at an offset of `more` bytes.
// TILE_NO_REGISTER: the only stage.
void tile_gather_rows(struct tile_emitter *e, const struct tile_stream *s, tile_register stage,
                      uint32_t bytes, uint32_t more);
// Starts the copies of a stage, which signal its barrier on arrival. If the operands are rounded to
// tf32, completes the previous stage instead. tile_close_gathered(), after the tiles, completes the
// last stage.
void tile_emit_gathered(struct tile_emitter *e, const struct tile_stream *stream);
void tile_close_gathered(struct tile_emitter *e);
// Computes the index of a gathered load's first element along an axis of its tensor, in 64 bits.
tile_register tile_gathered_start(struct tile_emitter *e, const struct tile_stream *s,
                                  uint32_t axis);
// True for an op that only the row addresses or the ring's stages need. Warpgroups skip it.
bool tile_gathered_skips(const struct tile_emitter *e, const struct tile_op *op);

// realign.c: threads, not TMA, copy a pipeline's operands, which may be at any address. The copying
// role calls tile_open_realign() before its tiles. tile_emit_realigned() requests a stage and
// completes the previous one. tile_close_realign(), after the tiles, completes the last stage.
bool tile_open_realign(struct tile_emitter *e);
void tile_emit_realigned(struct tile_emitter *e);
void tile_close_realign(struct tile_emitter *e);

// side.c: the work for a plan's side load in each tile, in the copying thread and in the
// warpgroups.
void tile_copy_side(struct tile_emitter *e);
bool tile_begin_side(struct tile_emitter *e);
void tile_end_side(struct tile_emitter *e); // called after the store

// wgmma.c. tile_descriptor_of() returns a descriptor without the address. tile_block_step() returns
// the distance in bytes between blocks of 64 rows of a. tile_step_of() returns the byte offset of a
// step along the depth axis.
uint64_t tile_descriptor_of(const struct tile_stream *s);
uint32_t tile_block_step(const struct tile_stream *a);
uint32_t tile_step_of(const struct tile_stream *s, uint32_t step);
// Returns a descriptor whose address is higher by `bytes`.
tile_register tile_descriptor_at(struct tile_emitter *e, tile_register descriptor, uint32_t bytes);
// tile_open_products() sets up warpgroups before their first tile. tile_emit_products() emits the
// products of a stage, which add to `count` accumulators, or overwrite them if the predicate is
// false. The products still run on return, unless the plan promotes partial sums.
void tile_open_products(struct tile_emitter *e);
void tile_emit_products(struct tile_emitter *e, const tile_register *sum, uint32_t count,
                        tile_register accumulates);

#endif
