// Tile accesses to memory: access.c computes the state below, access_move.c moves the elements.
#ifndef CUCORE_TILE_EMIT_ACCESS_H
#define CUCORE_TILE_EMIT_ACCESS_H

#include "emit.h"

struct tile_access_state {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_emit_view *view;
    const struct tile_value *tile; // the tile that is loaded or stored
    const tile_register *reg;
    tile_register *word; // words of 16-bit floats loaded in vectors, two floats each; NULL for
                         // other loads
    bool stores, rows;
    uint32_t axes;                        // number of tensor axes
    int tile_axis[TILE_MAX_RANK];         // the tile's axis for each tensor axis; -1 if dropped
    int64_t extent[TILE_MAX_RANK];        // extents of the moved tile
    struct tile_size from[TILE_MAX_RANK]; // index of the tile's first element along the axis
    tile_register left[TILE_MAX_RANK];    // tensor elements between `from` and the end of the axis,
                                          // 64 bits
    bool forward[TILE_MAX_RANK];          // the tile is known not to start before the tensor's
                                          // first element
    bool always[TILE_MAX_RANK];           // the tile is known to lie inside along the axis
    tile_register dropped_inside;         // predicate: the indices along all axes that the tile
                                          // drops are in range
    tile_register whole;                  // predicate: the whole tile lies inside; TILE_NO_REGISTER
                                          // if it always does
    tile_register origin;                 // address of the tile's first element, 64 bits
    tile_register thread;                 // address of the thread's first element
    uint32_t vector;                      // elements per access
    // Predicate: the tensor is aligned, as `vector` requires; elements of an unaligned tensor move
    // one at a time. TILE_NO_REGISTER if `vector` needs no check.
    tile_register aligned;
    const char *why; // reason for a small `vector`, if a change of the source helps
    const struct tile_value *ids;
    tile_register pad;         // padding value for all elements
    const tile_register *pads; // padding value for each register
    // The saved state from which each path of a store computes a deferred value, a vector at a
    // time. NULL if the value is already computed.
    const struct tile_deferred *deferred;
    struct tile_emit_view unit; // the view of an aligned tensor whose last stride is 1
};

// access_move.c. tile_move_whole() moves all registers of a tile that lies inside. tile_move_part()
// moves registers `first` to `end` - 1 of such a tile. tile_move_edge() moves a tile at an edge; if
// the predicate `whole` is given, it also moves tiles that lie inside.
void tile_move_whole(struct tile_access_state *a);
void tile_move_part(struct tile_access_state *a, uint32_t first, uint32_t end);
void tile_move_edge(struct tile_access_state *a, tile_register whole);
// Clamps a 64-bit value to [low, high].
tile_register tile_clamp64(struct tile_emitter *e, tile_register x, int64_t low, int64_t high);

static inline uint32_t tile_access_bytes(const struct tile_access_state *a)
{
    return tile_bytes_of(a->view->dtype);
}

#endif
