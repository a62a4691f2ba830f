// Loads that run ahead of a loop's products while they are emitted: see async.c.
#ifndef CUCORE_TILE_ASYNC_H
#define CUCORE_TILE_ASYNC_H

#include "../pass/ahead.h"
#include "emit.h"

// What a thread copies of a stream.
struct tile_copier {
    const struct tile_ahead_stream *stream;
    const struct tile_emit_view *view;
    uint32_t pieces, lines; // of a line; that all threads copy at a time
    uint32_t turns;
    tile_register piece, line; // the thread's first
    tile_register from;        // its distance from the tile's first byte, 64 bits
    tile_register step;        // from turn to turn, 64 bits
    tile_register to;          // its place in stage 0
};

struct tile_ring_ahead {
    const struct tile_ahead *plan;
    tile_register base;         // of the stages in shared memory
    tile_register stage, ahead; // bytes from there to what is multiplied, and what is copied
    struct tile_copier copier[TILE_MOST_AHEAD];
    const char *type; // of the loop's variable
    tile_register variable, last, step;
    tile_register loads; // there is something left to be copied
};

// Around a loop: before its first turn, with its variable set; at the start and end of each turn;
// behind it.
bool tile_begin_ahead(struct tile_emitter *e, const struct tile_op *loop);
void tile_turn_ahead(struct tile_emitter *e);
void tile_end_turn_ahead(struct tile_emitter *e);
void tile_end_ahead(struct tile_emitter *e);
// An op of which nothing is left to do in the loop.
bool tile_is_ahead(const struct tile_emitter *e, const struct tile_op *op);

#endif
