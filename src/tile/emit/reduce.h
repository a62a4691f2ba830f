// Reductions: the state of one reduction, and the combination of partial results.
#ifndef CUCORE_TILE_EMIT_REDUCE_H
#define CUCORE_TILE_EMIT_REDUCE_H

#include "emit.h"

enum { TILE_MOST_REDUCED = TILE_MAX_RANK };

// The values that are reduced together: one value, a value and its index, or the tiles of a
// combining function.
struct tile_reduction {
    struct tile_emitter *e;
    const struct tile_op *op;
    uint32_t n;
    cuc_dtype dtype[TILE_MOST_REDUCED]; // type of the computation
    tile_register identity[TILE_MOST_REDUCED];
    void (*combine)(struct tile_reduction *r, const tile_register *x, const tile_register *y,
                    tile_register *out);
    uint32_t axis;
    bool plain;  // one value, reduced by a hardware op: x and y may be swapped
    bool halves; // 16-bit floats, reduced two at a time as far as possible
    const struct tile_value *signless;  // the operand, or the tile whose magnitudes it holds
    const struct tile_value *factor[2]; // factors of a product that only this sum uses, or NULL
    enum tile_combine with;             // the reduction's operation if `plain`
    bool nan;                           // a NaN wins
};

// reduce_threads.c: combines each thread's `count` partial results with the results of the threads
// that hold the other parts. `lanes` and `warps` are bits of thread numbers. All these threads get
// the result.
void tile_reduce_threads(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                         uint32_t count, uint32_t lanes, uint32_t warps);
// The same over lanes alone, with shuffles.
void tile_reduce_lanes(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                       uint32_t count, uint32_t lanes);
// reduce_warps.c: the same over lanes and warps, where `warps` is not 0.
void tile_reduce_warps(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                       uint32_t count, uint32_t lanes, uint32_t warps);

#endif
