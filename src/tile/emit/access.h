// Accesses of tiles to memory: what access.c finds out and access_move.c moves by.
#ifndef CUCORE_TILE_EMIT_ACCESS_H
#define CUCORE_TILE_EMIT_ACCESS_H

#include "emit.h"

struct tile_access {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_emit_view *view;
    const struct tile_value *tile; // what is loaded or stored
    const tile_register *reg;
    tile_register *word; // of 16-bit floats that are loaded in vectors: two elements each; NULL
    bool stores, rows;
    uint32_t axes;                        // of the tensor
    int tile_axis[TILE_MAX_RANK];         // of each; -1: dropped
    int64_t extent[TILE_MAX_RANK];        // that is moved
    struct tile_size from[TILE_MAX_RANK]; // the tile's first element along it
    tile_register left[TILE_MAX_RANK];    // the tensor's elements from there on, 64 bits
    bool forward[TILE_MAX_RANK];          // it is known not to begin before the tensor
    bool always[TILE_MAX_RANK];           // is known to be inside
    tile_register dropped_inside;         // of all axes that the tile does not have
    tile_register whole;  // the tile lies inside as a whole; TILE_NO_REGISTER: always
    tile_register origin; // address of the tile's first element, 64 bits
    tile_register thread; // that of the thread's own first element
    uint32_t vector;      // elements
    const struct tile_value *ids;
    tile_register pad;         // the same for all
    const tile_register *pads; // each its own
    // What is stored is waiting: it is made a vector at a time, on each way for itself, and this is
    // what there was before. NULL: it is there.
    const struct tile_waiting *waiting;
};

// access_move.c: all registers, or those from `first` to `end` - 1. In tiles that lie inside as a
// whole, and in those that may not; `whole`: where they do, TILE_NO_REGISTER: this one does not.
void tile_move_whole(struct tile_access *a);
void tile_move_part(struct tile_access *a, uint32_t first, uint32_t end);
void tile_move_edge(struct tile_access *a, tile_register whole);
// A 64-bit value within two bounds.
tile_register tile_clamp64(struct tile_emitter *e, tile_register x, int64_t low, int64_t high);

static inline uint32_t tile_access_bytes(const struct tile_access *a)
{
    return tile_bytes_of(a->view->dtype);
}

#endif
