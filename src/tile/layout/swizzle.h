// Where a tile's elements lie in shared memory on their way from one layout to another.
//
// The place of an element, in elements, is a linear map of its coordinate, like a layout itself. It
// is made so that writing from the one layout and reading into the other take the widest vectors
// that both allow, and no two lanes that are served at once meet in a bank.
#ifndef CUCORE_TILE_LAYOUT_SWIZZLE_H
#define CUCORE_TILE_LAYOUT_SWIZZLE_H

#include "layout.h"

struct tile_swizzle {
    uint32_t bits; // of coordinates, and of places
    // The coordinate bits that each place bit flips, and the place bits that each coordinate bit
    // flips: inverse maps.
    uint32_t coordinate[TILE_MAX_COORDINATE_BITS], place[TILE_MAX_COORDINATE_BITS];
    // So many of the lowest place bits are registers of the layout: a vector.
    uint32_t write_bits, read_bits;
};

// `from` covers all coordinates; both are of one physical shape.
void tile_swizzle_choose(struct tile_swizzle *swizzle, const struct tile_layout *from,
                         const struct tile_layout *to, uint32_t element_bytes);
// The place of a coordinate.
uint32_t tile_swizzle_place(const struct tile_swizzle *swizzle, uint32_t coordinate);
// The registers of one vector whose lowest is register 0 in `layout`: the k-th element is in
// first ^ index[k], for any first without these bits. Their bits together are given back.
uint32_t tile_swizzle_vector(const struct tile_swizzle *swizzle, const struct tile_layout *layout,
                             uint32_t vector_bits, uint32_t *index);

#endif
