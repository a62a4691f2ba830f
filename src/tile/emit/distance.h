// Distances in memory: 64-bit products of indices, strides and sizes of elements (distance.c).
#ifndef CUCORE_TILE_EMIT_DISTANCE_H
#define CUCORE_TILE_EMIT_DISTANCE_H

#include "values.h"

// Return x * y or x * by, which wrap. A product with a constant 0 or 1 takes no instruction, and
// one of two constants is a constant (tile_number64()).
tile_register tile_multiply(struct tile_emitter *e, tile_register x, tile_register y);
tile_register tile_scale(struct tile_emitter *e, tile_register x, int64_t by);
// Returns the bytes of `elements` steps along an axis with this stride.
tile_register tile_distance(struct tile_emitter *e, tile_register elements,
                            const struct tile_size *stride, uint32_t bytes);
// Returns an address moved by such a distance.
tile_register tile_move_along(struct tile_emitter *e, tile_register address, tile_register elements,
                              const struct tile_size *stride, uint32_t bytes);

#endif
