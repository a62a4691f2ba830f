// The position of a tile's elements in shared memory between two layouts.
//
// An element's position, in elements, is a linear map of its coordinate, like a layout itself. With
// this map, writes from one layout and reads into the other use the widest vectors that both allow,
// and no two lanes that are served at once use the same bank.
#ifndef CUCORE_TILE_LAYOUT_SWIZZLE_H
#define CUCORE_TILE_LAYOUT_SWIZZLE_H

#include "tile/ir/layout.h"

struct tile_swizzle {
    uint32_t bits; // number of bits of coordinates and of positions
    // The coordinate bits that each position bit flips, and its inverse: the position bits that
    // each coordinate bit flips.
    uint32_t coordinate[TILE_MAX_COORDINATE_BITS], place[TILE_MAX_COORDINATE_BITS];
    // Vector sizes as numbers of bits: this many of the lowest position bits are register bits of
    // the layout.
    uint32_t write_bits, read_bits;
};

// `from` must cover all coordinates; both layouts must have the same physical shape.
void tile_swizzle_choose(struct tile_swizzle *swizzle, const struct tile_layout *from,
                         const struct tile_layout *to, uint32_t element_bytes);
// Returns the position of a coordinate.
uint32_t tile_swizzle_place(const struct tile_swizzle *swizzle, uint32_t coordinate);
// Finds the registers of the vector whose lowest register in `layout` is register 0: the k-th
// element is in register first ^ index[k], for any `first` without these bits. Returns the union of
// these bits.
uint32_t tile_swizzle_vector(const struct tile_swizzle *swizzle, const struct tile_layout *layout,
                             uint32_t vector_bits, uint32_t *index);

#endif
