// Positions of a tile's elements in shared memory during a change of layout.
//
// An element's position, in elements, is a linear map of its coordinate, like a layout itself. With
// this map, writes from one layout and reads into the other use the widest vectors that both allow,
// and the lanes of one memory pass use different banks.
#ifndef CUCORE_TILE_LAYOUT_SWIZZLE_H
#define CUCORE_TILE_LAYOUT_SWIZZLE_H

#include "tile/ir/layout.h"

struct tile_swizzle {
    uint32_t bits; // bits of a coordinate, and of a position
    // `coordinate` holds the coordinate bits that each position bit flips. `place` is its inverse:
    // the position bits that each coordinate bit flips.
    uint32_t coordinate[TILE_MAX_COORDINATE_BITS], place[TILE_MAX_COORDINATE_BITS];
    // Base-2 logarithms of the vector sizes: this many low position bits are register bits of the
    // layout.
    uint32_t write_bits, read_bits;
};

// Chooses a swizzle. `from` must cover all coordinates, and both layouts must have the same
// physical shape.
void tile_swizzle_choose(struct tile_swizzle *swizzle, const struct tile_layout *from,
                         const struct tile_layout *to, uint32_t element_bytes);
// Returns the position of a coordinate.
uint32_t tile_swizzle_place(const struct tile_swizzle *swizzle, uint32_t coordinate);
// Finds the registers of a vector in `layout`. For a vector that starts at register `first`,
// element k is in register first ^ index[k]. Returns the union of these index bits; `first` must
// have none of them set.
uint32_t tile_swizzle_vector(const struct tile_swizzle *swizzle, const struct tile_layout *layout,
                             uint32_t vector_bits, uint32_t *index);

#endif
