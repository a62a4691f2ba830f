// Entries with roles: what the emitter keeps of the ring of stages (pass/pipeline.h).
#ifndef CUCORE_TILE_EMIT_RING_H
#define CUCORE_TILE_EMIT_RING_H

#include "tile/pass/pipeline.h"
#include "emit.h"

// Barriers at the start of shared memory, 8 bytes each: of stage s that it is full, at 8 s, and
// that it is free again, TILE_FREE_AT behind it. Behind them, for each of two teams, the stage and
// the phase from which on the ring is its own, where the other tells it.
enum { TILE_FREE_AT = 256, TILE_TURN_AT = 512 };

// Named barriers: 0 is for all threads of the block.
enum { TILE_BARRIER_OF_GROUPS = 1, TILE_BARRIER_OF_GROUP = 2, TILE_BARRIER_OF_TURN = 4 };

// The slabs of a warpgroup, 64 rows of 128 bytes, that a tile leaves by.
struct tile_staging {
    bool open;
    tile_register at; // in shared memory
    // Where the thread writes: of each group of 16 columns, or of 8 of 32 bits.
    tile_register lane[8];
    tile_register barrier; // the warpgroup's own
    bool wide, narrow;     // elements of 32 or of 8 bits, not 16
    uint32_t eights;       // groups of 8 columns in a slab
    uint32_t slabs;        // of a block of 64 rows
    uint32_t column_bits;  // of the tile
};

struct tile_ring {
    const struct tile_pipeline *plan;
    bool copies;        // the role: the thread that copies, or the warpgroups that multiply
    tile_register base; // of shared memory
    tile_register map[TILE_MAX_MAPS];
    tile_register grid[3], tiles; // 32 bits
    tile_register inverse[3];     // of a layer of the grid, of grid[1], and of the last raster
    tile_register width;          // grid[0], filled up to whole clusters
    tile_register column;         // the tile's index along it
    tile_register rank;           // of the block in its cluster
    tile_register group;          // the thread's warpgroup
    tile_register stage, phase;   // where the role is in the ring; kept from tile to tile
    uint32_t next_tile;           // label
    // The tile's number and the way to the next one; where in the grid it is, and, in a role that
    // finds that out ahead of time, the next one.
    tile_register tile, step, place[3], next[3];
    bool early;
    bool *came; // by value id: of loads behind the loop, that they were emitted before its end
    tile_register elected; // of the warp that copies: the lane that does
    // Of warpgroups
    tile_register not_first;     // true but in the first thread of a warpgroup
    tile_register not_storing;   // and of what stores together: a warpgroup, or a warp
    bool warps_apart;            // the warps that go on do not wait for one another
    tile_register descriptor[2]; // of a's and b's first bytes in stage 0
    // Of teams: what a tile of the other one adds to the stage, and 1 where to the phase; other
    // than 0: it has not been left out yet that the first tile is the other's.
    tile_register others_stages, others_phase, second;
    bool took_turn;          // in the text that is emitted
    uint32_t staging;        // where in shared memory the slabs to store are
    struct tile_staging out; // kept where something is loaded into them
    // Of what is loaded to be like it: parts that have come in this tile, and where the thread
    // finds the last one.
    uint32_t side_parts;
    tile_register side_lane[4];
};

// pipeline.c: an entry with roles. `entry` gets what a launch needs.
bool tile_emit_pipeline(struct tile_module *module, const struct tile_kernel *kernel,
                        const struct tile_pipeline *plan, const struct tile_target *target,
                        struct tile_text *out, struct tile_entry *entry);
// tiles.c: `body` emits what a role does for one tile, for each of them; what is done while the
// last products of a tile are on their way, and behind them; whether an op behind the loop has been
// emitted then.
bool tile_through_tiles(struct tile_emitter *e, bool (*body)(struct tile_emitter *e));
void tile_meanwhile(struct tile_emitter *e);
void tile_find_next(struct tile_emitter *e);
bool tile_came_early(const struct tile_emitter *e, const struct tile_op *op);
// The loop over the product, in the role that is emitted.
bool tile_emit_ring_loop(struct tile_emitter *e, const struct tile_op *op);
// fused.c: the same of a loop with several products; what warpgroups have no use for.
struct tile_fused;
bool tile_emit_fused(struct tile_module *module, const struct tile_kernel *kernel,
                     struct tile_fused *plan, const struct tile_target *target,
                     struct tile_text *out, struct tile_entry *entry);
bool tile_emit_fused_loop(struct tile_emitter *e, const struct tile_op *op);
// A scalar that is below 2^31 and not negative: blocks, and extents of what has maps (select.c).
bool tile_fits_word(const struct tile_emitter *e, const struct tile_value *value);
bool tile_fused_skips(struct tile_emitter *e, const struct tile_op *op);
// The role goes on to the next stage.
void tile_ring_step(struct tile_emitter *e);
// It leaves a tile of the other team out.
void tile_pass_over(struct tile_emitter *e);
// In front of the loop, where a tile ends: the team's turn is the other's.
void tile_leave_turn_out(struct tile_emitter *e);
// The barrier of the ring's stage: it is full; TILE_FREE_AT behind it: it has been read.
tile_register tile_stage_barrier(struct tile_emitter *e);
// Wait until a barrier's phase of that parity is over; `at` is added to its address.
void tile_emit_wait(struct tile_emitter *e, tile_register barrier, uint32_t at,
                    tile_register parity);

// split.c: the loop's part that is this block's (`known`: the step, when it is a constant); and all
// parts of the sums together, by warps or in the first block of the cluster, the others going to
// their end.
void tile_split_range(struct tile_emitter *e, const char *type, int64_t known, tile_register step,
                      tile_register *first, tile_register *last);
void tile_join_parts(struct tile_emitter *e, const tile_register *sum, uint32_t count);
void tile_cluster_barrier(struct tile_emitter *e, bool waits); // arrive at it, and wait

// tma.c: what barrier is to wait for; a tile of a stream to an address, signalled to it; those of a
// stage.
void tile_expect(struct tile_emitter *e, tile_register full, uint32_t bytes);
void tile_emit_copy(struct tile_emitter *e, const struct tile_stream *s, tile_register to,
                    tile_register full);
void tile_emit_copies(struct tile_emitter *e);
bool tile_emit_store_tma(struct tile_emitter *e, const struct tile_op *op);
// Made once a tile.
const struct tile_staging *tile_staging_of(struct tile_emitter *e, const struct tile_value *value);
// Copy one of a warpgroup's slabs of what a load takes to an address, signalled to a barrier.
void tile_copy_slab(struct tile_emitter *e, const struct tile_op *load, uint32_t map,
                    uint32_t group, uint32_t slab, tile_register to, tile_register full);

// side.c: what the thread that copies, and warpgroups, do in each tile for a plan's side.
void tile_copy_side(struct tile_emitter *e);
bool tile_begin_side(struct tile_emitter *e);
void tile_end_side(struct tile_emitter *e); // behind the store

// wgmma.c: all of a descriptor but the address; bytes from one block of 64 rows of a left operand
// to the next, and to a step along the summed axis.
uint64_t tile_descriptor_of(const struct tile_stream *s);
uint32_t tile_block_step(const struct tile_stream *a);
uint32_t tile_step_of(const struct tile_stream *s, uint32_t step);
// The descriptor of what lies so many bytes behind.
tile_register tile_descriptor_at(struct tile_emitter *e, tile_register descriptor, uint32_t bytes);
// What warpgroups need before their first tile; the products of a stage, which are added
// to `count` sums, or put into them where the predicate is false. They are still being computed
// when it returns, but where parts are promoted.
void tile_open_products(struct tile_emitter *e);
void tile_emit_products(struct tile_emitter *e, const tile_register *sum, uint32_t count,
                        tile_register accumulates);

#endif
