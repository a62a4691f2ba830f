// Entries with roles for loops with several products (pass/fused.h): what their files share.
#ifndef CUCORE_TILE_EMIT_FUSED_RING_H
#define CUCORE_TILE_EMIT_FUSED_RING_H

#include "tile/pass/fused.h"
#include "ring.h"

// Barriers at the start of shared memory: of each feed room for that many stages; of a stage that
// it is full, and behind it that it is free again.
enum { TILE_FEED_STAGES = 8, TILE_FEED_BARRIER_BYTES = 16, TILE_FEED_FREE_AT = 8 };

// Where a role is in its rings; all rings go together.
struct tile_turn {
    tile_register stage, phase;
};

struct tile_fused_ring {
    struct tile_ring ring;
    struct tile_fused *plan;
    struct tile_turn turn, late; // of products that start early, and of the last
    tile_register held_phase;    // of what is loaded once a tile
    tile_register section;       // tiles along the other axes of the grid that go together
    tile_register others;        // how many there are
    tile_register along;         // tiles, or pairs of tiles, along the first axis
    tile_register all;           // of tiles or pairs
    tile_register pairs;         // true: a block takes them by pairs
    tile_register second;        // 1: it is at the second of a pair
    tile_register descriptor[TILE_MOST_FEEDS];
    tile_register *words[TILE_MOST_PRODUCTS]; // left operands in registers
};

static inline struct tile_fused_ring *tile_fused_ring_of(struct tile_emitter *e)
{
    return (struct tile_fused_ring *)e->ring; // its first member
}

// fused_ring.c: where a feed's stage is. `turn` is not looked at where the feed is held.
void tile_next_stage(struct tile_emitter *e, const struct tile_turn *turn);
void tile_wait_for_feed(struct tile_emitter *e, const struct tile_feed *feed,
                        const struct tile_turn *turn);
void tile_release_feed(struct tile_emitter *e, const struct tile_feed *feed,
                       const struct tile_turn *turn);
// The feed that a load is done for; NULL: none.
const struct tile_feed *tile_feed_of(const struct tile_fused *p, const struct tile_op *load);
// Of the thread that copies: a stage of a feed; what places are made of, up to the loop.
void tile_copy_feed(struct tile_emitter *e, const struct tile_feed *feed);
bool tile_emit_wanted(struct tile_emitter *e, const struct tile_block *block);
// Of warpgroups: a tile that is computed with, into registers.
bool tile_read_feed(struct tile_emitter *e, const struct tile_feed *feed);

// fused_product.c: what warpgroups need before their first tile; the left operand's registers as
// instructions take them; a product whose operands are there, as a group of its own, added to `sum`
// where it `keeps` that; until no more than so many groups are running.
void tile_open_fused_products(struct tile_emitter *e);
bool tile_pack_left(struct tile_emitter *e, const struct tile_fused_product *product);
void tile_start_product(struct tile_emitter *e, const struct tile_fused_product *product,
                        const tile_register *sum, const struct tile_turn *turn, bool keeps);
void tile_wait_products(struct tile_emitter *e, uint32_t running);

// fused_loop.c: it is the next warpgroup's turn to start its products, where they take turns.
void tile_hand_products_over(struct tile_emitter *e);

#endif
