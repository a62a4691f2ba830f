// The calling thread: its coordinates in a layout (thread.c).
#ifndef CUCORE_TILE_EMIT_THREAD_H
#define CUCORE_TILE_EMIT_THREAD_H

#include "tile/ir/layout.h"
#include "ptx.h"

// A coordinate of the calling thread along an axis of a layout, computed once.
struct tile_coordinate_entry {
    const struct tile_layout *layout;
    uint32_t axis;
    tile_register reg;
};

// Returns the coordinate of the calling thread along an axis, without the contribution of the
// register index.
tile_register tile_thread_coordinate(struct tile_emitter *e, const struct tile_layout *layout,
                                     uint32_t axis);
// Returns the largest value of that coordinate in any thread.
uint32_t tile_thread_mask(const struct tile_layout *layout, uint32_t axis);
// Returns the contribution of a register index to the coordinate.
uint32_t tile_register_coordinate(const struct tile_layout *layout, uint32_t index, uint32_t axis);
// Returns a predicate: register `index` holds an element of the logical tile. Returns
// TILE_NO_REGISTER if it does so in every thread. Sets *none if it does so in no thread.
tile_register tile_inside_tile(struct tile_emitter *e, const struct tile_value *value,
                               uint32_t index, bool *none);

#endif
