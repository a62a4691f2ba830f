// Layouts: which thread holds which element in which register, as linear maps over GF(2).
//
// A hardware index is register | lane << r | warp << (r + 5), r the layout's register bits. The map
// gives for each of its bits the coordinate bits that it flips; an index's coordinate is the XOR of
// the bases of the bits that are set. Coordinates are those of the physical tile, whose extents are
// rounded up to powers of two, flattened with the last axis in the lowest bits.
#ifndef CUCORE_TILE_LAYOUT_LAYOUT_H
#define CUCORE_TILE_LAYOUT_LAYOUT_H

#include "tile/ir/ir.h"

enum {
    TILE_LANE_BITS = 5,
    TILE_MAX_WARP_BITS = 5,
    TILE_MAX_COORDINATE_BITS = 24,
    TILE_MAX_HARDWARE_BITS = TILE_MAX_COORDINATE_BITS + TILE_LANE_BITS + TILE_MAX_WARP_BITS,
};

struct tile_layout {
    uint8_t register_bits, warp_bits; // lanes have 5
    uint8_t coordinate_bits;
    uint8_t rank;
    uint8_t axis_bits[TILE_MAX_RANK]; // of each axis of the physical tile
    uint32_t basis[TILE_MAX_HARDWARE_BITS];
};

// Bits that number so many, such as an extent's, whose physical size they give: 0 for 1, 3 for 5
// to 8.
uint32_t tile_bits_of(int64_t count);
// The number of the lowest coordinate bit of an axis.
uint32_t tile_axis_shift(const struct tile_layout *layout, uint32_t axis);
uint32_t tile_hardware_bits(const struct tile_layout *layout);

// The coordinate of a hardware index, and that of each axis.
uint32_t tile_coordinate(const struct tile_layout *layout, uint32_t hardware);
uint32_t tile_axis_coordinate(const struct tile_layout *layout, uint32_t hardware, uint32_t axis);
// Every coordinate is held by somebody.
bool tile_layout_covers(const struct tile_layout *layout);
bool tile_layout_same(const struct tile_layout *a, const struct tile_layout *b);
// "r:1,2 l:4,8,16,32,64 w:128,256 of [512]" and back; in the arena.
const char *tile_layout_text(struct cuc__arena *arena, const struct tile_layout *layout);

// The blocked layout of a shape for 2^warp_bits warps: `order` lists axes, fastest first; the first
// 2^vector_bits elements along the fastest lie in one thread's registers; then lanes, warps, and
// what is left in registers.
struct tile_layout tile_blocked(const struct tile_type *type, uint32_t warp_bits,
                                uint32_t vector_bits, const uint8_t *order);

// The same where the tile is also moved with `other` as its fastest axis: of what is left in
// registers, up to 2^square_bits elements lie along that one, so that threads hold small squares.
struct tile_layout tile_squares(const struct tile_type *type, uint32_t warp_bits,
                                uint32_t vector_bits, const uint8_t *order, uint32_t other,
                                uint32_t square_bits);

// The layout of a result, its operand's given, and of an operand, its result's given.
struct tile_layout tile_layout_broadcast(const struct tile_layout *from,
                                         const struct tile_type *operand,
                                         const struct tile_type *result);
// Which of the operand's elements each place of a broadcast's result needs; registers keep their
// numbers.
struct tile_layout tile_layout_slice(const struct tile_layout *result,
                                     const struct tile_type *operand,
                                     const struct tile_type *result_type);
struct tile_layout tile_layout_permute(const struct tile_layout *from, const int64_t *axes);
// Registers that hold what others hold say nothing new, as in a slice: one of each is kept.
struct tile_layout tile_layout_compact(struct tile_layout layout);
struct tile_layout tile_layout_reduce(const struct tile_layout *from,
                                      uint32_t axis); // extent 1 is kept
bool tile_layout_reshape(struct tile_layout *out, const struct tile_layout *from,
                         const struct tile_type *operand, const struct tile_type *result);

// Of a tile whose axis is picked by a tile of rank 1: that tile's layout. Registers keep their
// numbers.
struct tile_layout tile_layout_rows(const struct tile_layout *tile, uint32_t axis);
// The layout of the same tile with axes of extent 1 put in or taken out; false when more than those
// differ.
bool tile_layout_squeeze(struct tile_layout *out, const struct tile_layout *from,
                         const struct tile_type *operand, const struct tile_type *result);

// Of an aligned part of a tile, of extents that are powers of two where they are not the tile's
// own: the coordinate bits that select the part are registers' in the tile, and are left out. False
// when they are not. `selects`: of each register bit of the tile the coordinate bit that it flips
// there, 0 where it is kept; may be NULL.
bool tile_layout_part(struct tile_layout *out, const struct tile_layout *whole,
                      const struct tile_type *whole_type, const struct tile_type *part_type,
                      uint32_t *selects);
// And of the tile, its part's given.
bool tile_layout_whole(struct tile_layout *out, const struct tile_layout *part,
                       const struct tile_type *whole_type, const struct tile_type *part_type);

// An `extract` whose indices are constants.
bool tile_is_fixed_part(const struct tile_op *op);

// pass: give every tile value of a kernel a layout for that many warps, and put `convert` ops where
// two meet. False without memory.
bool tile_assign_layouts(struct tile_kernel *kernel, uint32_t warps);
// A `while` that reads memory and computes with no more than a warp holds in its lanes: each warp
// is given all of it, so that one can go through it for the block (emit/alone.c).
bool tile_loop_fits_warp(const struct tile_op *loop);

#endif
