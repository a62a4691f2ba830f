// Loads that run ahead of a loop's products while they are emitted: see async.c and
// async_copy.c.
#ifndef CUCORE_TILE_EMIT_ASYNC_H
#define CUCORE_TILE_EMIT_ASYNC_H

#include "tile/pass/ahead.h"
#include "emit.h"

// What a thread copies of a stream.
struct tile_copier {
    const struct tile_ahead_stream *stream;
    const struct tile_emit_view *view;
    uint32_t pieces, lines; // of a line; that all threads copy at a time
    uint32_t turns;
    tile_register piece, line; // the thread's first
    // Address of the thread's first piece without what changes from turn to turn, 64 bits; whether
    // the tile lies inside along axes where nothing does. TILE_NO_REGISTER: yes.
    tile_register origin, inside;
    // Where all that changes is the loop's variable itself, as an index: the origin has it in it,
    // and goes so far in a turn; so many turns lie inside, 64 bits. TILE_NO_REGISTER: it is
    // otherwise.
    tile_register advance, until;
    tile_register step; // from piece to piece, 64 bits
    tile_register to;   // its place in stage 0
    // Of the stage that is copied: the first piece's address and that of the last one copied, its
    // place, and whether there is a tile, and all of it inside.
    tile_register from, next, place, whole;
};

struct tile_ring_ahead {
    const struct tile_ahead *plan;
    tile_register base;         // of the stages in shared memory
    tile_register stage, ahead; // bytes from there to what is multiplied, and what is copied
    struct tile_copier copier[TILE_MOST_AHEAD];
    const char *type; // of the loop's variable
    tile_register variable, last, step;
    tile_register loads; // there is something left to be copied
    struct tile_product
        *carried; // the product that reads its first step a turn before (mma_ahead.c)
};

// async_copy.c: a thread's part of a stream, of which the stages begin at `shared`; of the stage
// that is next; those from its piece number `first` to `end` - 1, where the tile lies inside; and
// all of them where it does not.
void tile_open_copier(struct tile_emitter *e, struct tile_copier *c,
                      const struct tile_ahead_stream *s, tile_register shared);
void tile_open_copier_stage(struct tile_emitter *e, struct tile_copier *c);
void tile_copy_pieces(struct tile_emitter *e, struct tile_copier *c, uint32_t first, uint32_t end);
void tile_copy_edges(struct tile_emitter *e, struct tile_copier *c);

// async.c, around a loop: before it, with its variable set; before its first turn, when there is
// one; at the start and end of each turn; behind it.
bool tile_begin_ahead(struct tile_emitter *e, const struct tile_op *loop);
void tile_enter_ahead(struct tile_emitter *e);
void tile_turn_ahead(struct tile_emitter *e);
void tile_end_turn_ahead(struct tile_emitter *e);
void tile_end_ahead(struct tile_emitter *e);
// In parts, among the products of a turn: what the stage that is next to be copied holds, when
// there is one more.
void tile_open_copies(struct tile_emitter *e);
void tile_copy_part(struct tile_emitter *e, uint32_t part, uint32_t parts);
void tile_close_copies(struct tile_emitter *e);
// The stage after the one that was multiplied is there, and that one read by all.
void tile_await_stage(struct tile_emitter *e);
void tile_turn_stage(struct tile_emitter *e);
// mma_ahead.c: where the loop is for one product alone, of operands that are both copied ahead,
// that reads the first step's fragments at the end of the turn before, here for the first turn.
void tile_carry_product(struct tile_emitter *e);
// An op of which nothing is left to do in the loop.
bool tile_is_ahead(const struct tile_emitter *e, const struct tile_op *op);

#endif
