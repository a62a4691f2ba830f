// Reductions: what is reduced together, and how its parts come together.
#ifndef CUCORE_TILE_EMIT_REDUCE_H
#define CUCORE_TILE_EMIT_REDUCE_H

#include "emit.h"

enum { TILE_MOST_REDUCED = TILE_MAX_RANK };

// One value, a value and its index, or the tiles of a function.
struct tile_reduction {
    struct tile_emitter *e;
    const struct tile_op *op;
    uint32_t n;
    cuc_dtype dtype[TILE_MOST_REDUCED]; // computed in
    tile_register identity[TILE_MOST_REDUCED];
    void (*combine)(struct tile_reduction *r, const tile_register *x, const tile_register *y,
                    tile_register *out);
    uint32_t axis;
    bool plain;  // one value by an op of the machine: x and y may change places
    bool halves; // that of 16-bit floats, two at a time as long as it can be
    const struct tile_value *factor[2]; // of a sum of products that nobody else needs; NULL
    enum tile_combine with;             // of a plain one
    bool nan;                           // which a NaN wins
};

// reduce_threads.c: what threads have in `count` partial results to all that they are reduced with,
// by the bits of their numbers.
void tile_reduce_threads(struct tile_reduction *r, tile_register (*partial)[TILE_MOST_REDUCED],
                         uint32_t count, uint32_t lanes, uint32_t warps);

#endif
