// Internal interface of the files that emit the loops of fused pipelines for warpgroups.
#ifndef CUCORE_TILE_EMIT_FUSED_LOOP_H
#define CUCORE_TILE_EMIT_FUSED_LOOP_H

#include "fused_ring.h"

struct tile_loop {
    const struct tile_op *op;
    const char *type;
    bool wide;
    tile_register variable, last, step;
    tile_register
        left; // iterations left, 32 bits; TILE_NO_REGISTER if count_iterations() cannot count them
};

// fused_loop.c
// Emits an op of an iteration, unless another role computes it or it is loaded ahead.
bool tile_loop_emit_op(struct tile_emitter *e, const struct tile_op *op);
// Loads ahead (fused_ahead.c): tile_loop_copies() returns the number of copies of an iteration's
// code in a loop, one per set of registers.
bool tile_loop_open_ahead(struct tile_emitter *e, const struct tile_loop *l,
                          struct tile_ahead *ahead);
bool tile_loop_load_next(struct tile_emitter *e, const struct tile_loop *l,
                         struct tile_ahead *ahead);
uint32_t tile_loop_copies(const struct tile_ahead *ahead);
// Writes an op's result to the ring from which products take it, if there is one.
bool tile_loop_write_feeds(struct tile_emitter *e, const struct tile_op *op,
                           const struct tile_ring_position *position);
// Passes carried values to the next iteration, except `acc`, which is already in place. NULL:
// passes all.
void tile_loop_carry(struct tile_emitter *e, const struct tile_loop *l,
                     const struct tile_value *acc);
// Releases the stages of which products from `first` up to `end` are the last users.
void tile_loop_release(struct tile_emitter *e, uint32_t first, uint32_t end,
                       const struct tile_ring_position *position);
// Begins code that is reached from several places, which differ in the part of the scratch that
// threads may still be reading.
void tile_loop_put_label(struct tile_emitter *e, uint32_t label);
// Advances the loop variable, or branches to `end` after the last iteration.
void tile_loop_advance(struct tile_emitter *e, const struct tile_loop *l, uint32_t end);
// Gives each accumulator to which a product only adds the registers of the loop's result.
bool tile_loop_open_sums(struct tile_emitter *e, const struct tile_loop *l);

// fused_in_turn.c
bool tile_emit_loop_in_turn(struct tile_emitter *e, const struct tile_loop *l);

#endif
