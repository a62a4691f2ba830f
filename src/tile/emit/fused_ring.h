// Internal interface of the files that emit warp-specialized entries for loops with several matrix
// products (pass/fused.h). A feed is an operand or a tile that arrives in shared memory, mostly
// through a ring of its own.
#ifndef CUCORE_TILE_EMIT_FUSED_RING_H
#define CUCORE_TILE_EMIT_FUSED_RING_H

#include "tile/pass/fused.h"
#include "ring.h"

// Barriers at the start of shared memory: as many pairs per feed as the rings have stages. The
// first barrier of a pair signals that the stage is full, the second that it is free.
enum { TILE_FEED_BARRIER_BYTES = 16, TILE_FEED_FREE_AT = 8 };
_Static_assert((int)TILE_MOST_FEED_STAGES *(int)TILE_FEED_BARRIER_BYTES <= (int)TILE_RING_AT,
               "the barriers do not fit before the stages");

// A role's position in its rings; all rings advance together.
struct tile_ring_position {
    tile_register stage, phase;
};

struct tile_fused_ring {
    struct tile_ring ring;
    struct tile_fused *plan;
    struct tile_ring_position position,
        late;                 // ring positions of the early products and of the last product
    uint32_t slices_at;       // offset, in shared memory, of the accumulators that slices exchange
    tile_register held_phase; // phase of the operands that are loaded once per tile
    tile_register section;    // number of tiles in a section along the grid's other axes
    tile_register others;     // number of tiles along the grid's other axes
    tile_register along;      // number of tiles, or pairs of tiles, along the first axis
    tile_register all;        // number of all tiles or pairs
    tile_register pairs;      // predicate: a block takes tiles in pairs
    tile_register second;     // 1 for the second tile of a pair
    // A zero that ptxas believes to differ between lanes. Otherwise ptxas would move a loaded
    // scalar to a uniform register at once, and wait for it.
    tile_register lane_zero;
    tile_register not_first_lane;                    // true except in the first thread of a warp
    tile_register descriptor[TILE_MOST_PRODUCTS][2]; // of operands in shared memory
    tile_register *words[TILE_MOST_PRODUCTS];        // operands a in registers
    tile_register *other_words; // the set that words[0] alternates with, if the plan has two
    tile_register *part;        // the last product's partial sums, if it promotes them
};

static inline struct tile_fused_ring *tile_fused_ring_of(struct tile_emitter *e)
{
    return (struct tile_fused_ring *)e->ring; // `ring` is the first member
}

// fused_ring.c. tile_next_stage() advances to the next stage. tile_wait_for_feed() waits for a
// feed's stage. tile_release_feed() releases it. `position` is ignored for a held feed, which is
// loaded once per tile.
void tile_next_stage(struct tile_emitter *e, const struct tile_ring_position *position);
void tile_wait_for_feed(struct tile_emitter *e, const struct tile_feed *feed,
                        const struct tile_ring_position *position);
void tile_release_feed(struct tile_emitter *e, const struct tile_feed *feed,
                       const struct tile_ring_position *position);
// For the copying thread: tile_copy_feed() copies a stage of a feed. tile_emit_wanted() emits the
// ops before the loop on which the loads' indices depend.
void tile_copy_feed(struct tile_emitter *e, const struct tile_feed *feed, uint32_t slice);
bool tile_emit_wanted(struct tile_emitter *e, const struct tile_block *block);
// For warpgroups: reads a tile into registers, for use in computations.
bool tile_read_feed(struct tile_emitter *e, const struct tile_feed *feed);
// For warpgroups: writes a computed tile to its stage.
bool tile_write_feed(struct tile_emitter *e, const struct tile_feed *feed,
                     const struct tile_ring_position *position);
// Returns the barrier of a feed's stage.
tile_register tile_feed_barrier(struct tile_emitter *e, const struct tile_feed *feed,
                                const struct tile_ring_position *position);
// Returns how many consecutive registers hold neighboring elements, up to 16 bytes of them.
uint32_t tile_feed_run(const struct tile_stream *s);

// fused_small.c: the lanes of the copying warp copy a stage of a small feed; warpgroups read it.
void tile_copy_small(struct tile_emitter *e, const struct tile_feed *feed, uint32_t slice);
bool tile_read_small(struct tile_emitter *e, const struct tile_feed *feed);

// fused_ahead.c: loads that an iteration issues for the iteration after next. tile_open_ahead()
// computes their addresses. tile_load_ahead() issues the loads for a later iteration, whose
// variable is `at`. tile_swap_ahead() makes the next iteration's tiles current for the code that
// follows.
enum { TILE_AHEAD = 2 };
struct tile_ahead {
    struct tile_ahead_load *load;
    uint32_t count;
};
// Returns the index of a loaded tile's first element along an axis of the tensor.
tile_register tile_first_element(struct tile_emitter *e, const struct tile_op *op, uint32_t axis);
// Converts a distance of `at` elements along an axis of a load's tensor to bytes.
tile_register tile_axis_distance(struct tile_emitter *e, const struct tile_op *op, uint32_t axis,
                                 tile_register at);
// Returns a predicate: `at` is an index within the tensor's extent along an axis.
tile_register tile_is_on_axis(struct tile_emitter *e, const struct tile_op *op, uint32_t axis,
                              tile_register at);
// Returns the tile's axis for an axis of the tensor.
uint32_t tile_axis_of(const struct tile_op *op, uint32_t axis);
// True if a load computes its addresses from the variable.
bool tile_needs_variable(const struct tile_ahead *ahead);
bool tile_open_ahead(struct tile_emitter *e, const struct tile_op *loop, tile_register step,
                     struct tile_ahead *ahead);
bool tile_load_ahead(struct tile_emitter *e, const struct tile_op *loop, tile_register at,
                     uint32_t iterations, struct tile_ahead *ahead);
void tile_swap_ahead(struct tile_emitter *e, struct tile_ahead *ahead);

// fused_product.c. tile_open_fused_products() sets up warpgroups before their first tile.
// tile_pack_left() packs the registers of a for wgmma. tile_start_product() starts a product whose
// operands are ready, as a separate wgmma group, and adds it to `sum` if `keeps` is true;
// tile_start_blocks() does so for a part of the warpgroup's blocks of 64 rows.
// tile_wait_products() waits until at most `running` groups are in flight. tile_read_kept() reads
// the operands a that the loop keeps in registers.
bool tile_read_kept(struct tile_emitter *e);
void tile_open_fused_products(struct tile_emitter *e);
bool tile_pack_left(struct tile_emitter *e, const struct tile_fused_product *product);
void tile_start_product(struct tile_emitter *e, const struct tile_fused_product *product,
                        const tile_register *sum, const struct tile_ring_position *position,
                        bool keeps);
void tile_start_blocks(struct tile_emitter *e, const struct tile_fused_product *product,
                       const tile_register *sum, const struct tile_ring_position *position,
                       bool keeps, uint32_t first, uint32_t end);
void tile_wait_products(struct tile_emitter *e, uint32_t running);

// fused_loop.c: lets the next warpgroup start its products, if warpgroups alternate.
void tile_signal_next_group(struct tile_emitter *e);

#endif
