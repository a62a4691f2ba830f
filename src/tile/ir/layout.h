// Layouts: linear maps over GF(2) that determine which thread holds which element in which
// register.
//
// A hardware index is register | lane << r | warp << (r + 5), where r is the number of register
// bits. The map gives each bit of this index a basis vector, which is the set of coordinate bits
// that it flips. The coordinate of an index is the XOR of the basis vectors of its set bits.
// Coordinates refer to the physical tile, whose extents are rounded up to powers of two. They are
// flattened with the last axis in the lowest bits.
#ifndef CUCORE_TILE_IR_LAYOUT_H
#define CUCORE_TILE_IR_LAYOUT_H

#include "ir.h"

enum {
    TILE_LANE_BITS = 5,
    TILE_MAX_WARP_BITS = 5,
    TILE_MAX_COORDINATE_BITS = 24,
    TILE_MAX_HARDWARE_BITS = TILE_MAX_COORDINATE_BITS + TILE_LANE_BITS + TILE_MAX_WARP_BITS,
};

struct tile_layout {
    uint8_t register_bits, warp_bits; // lanes have 5 bits
    uint8_t coordinate_bits;
    uint8_t rank;
    uint8_t axis_bits[TILE_MAX_RANK]; // number of bits of each axis of the physical tile
    uint32_t basis[TILE_MAX_HARDWARE_BITS];
};

// Returns the number of bits that can number `count` items. For an extent, this gives the physical
// size: 0 bits for 1, 3 bits for 5 to 8.
uint32_t tile_bits_of(int64_t count);
// Returns the index of the lowest coordinate bit of an axis.
uint32_t tile_axis_shift(const struct tile_layout *layout, uint32_t axis);
uint32_t tile_hardware_bits(const struct tile_layout *layout);
// Returns the hardware bit that flips exactly this coordinate bit, or TILE_MAX_HARDWARE_BITS.
uint32_t tile_hardware_bit(const struct tile_layout *layout, uint32_t coordinate);

// Return the coordinate of a hardware index, and its part along one axis.
uint32_t tile_coordinate(const struct tile_layout *layout, uint32_t hardware);
uint32_t tile_axis_coordinate(const struct tile_layout *layout, uint32_t hardware, uint32_t axis);
// True if every coordinate is held by some thread.
bool tile_layout_covers(const struct tile_layout *layout);
// True if a reshape between the two layouts moves no element.
bool tile_layout_matches(const struct tile_layout *a, const struct tile_layout *b);
bool tile_layout_same(const struct tile_layout *a, const struct tile_layout *b);
// Formats a layout in the arena, such as "r:1,2 l:4,8,16,32,64 w:128,256 of [512]".
const char *tile_layout_text(struct cuc__arena *arena, const struct tile_layout *layout);

// Returns the blocked layout of a shape for 2^warp_bits warps. `order` lists the axes, fastest
// first. A thread's registers hold 2^vector_bits consecutive elements along the fastest axis. Lanes
// and warps take the next coordinate bits, and registers the remaining ones.
struct tile_layout tile_blocked(const struct tile_type *type, uint32_t warp_bits,
                                uint32_t vector_bits, const uint8_t *order);

// Returns the blocked layout of a tile that is also accessed with `other` as its fastest axis. Up
// to `square_bits` of the remaining register bits lie along `other`, so that each thread holds
// small squares.
struct tile_layout tile_squares(const struct tile_type *type, uint32_t warp_bits,
                                uint32_t vector_bits, const uint8_t *order, uint32_t other,
                                uint32_t square_bits);

// Returns the layout of a rank-1 tile whose elements are in the order (warp, register, lane): each
// warp holds consecutive elements, and its lanes hold neighbors.
struct tile_layout tile_layout_in_order(const struct tile_type *type, uint32_t warp_bits);
// Returns the layout in which `rank` needs a tile with this number of different digits: as
// tile_layout_in_order(), or with halves of warps in place of warps.
struct tile_layout tile_layout_for_rank(const struct tile_type *type, uint32_t digits,
                                        uint32_t warp_bits);
bool tile_ranks_in_halves(uint32_t digits, uint32_t warp_bits);

// Derive the layout of the result from that of the operand, or the reverse.
struct tile_layout tile_layout_broadcast(const struct tile_layout *from,
                                         const struct tile_type *operand,
                                         const struct tile_type *result);
// Returns the layout of a broadcast's operand in which each register holds the element that the
// same register of the result needs.
struct tile_layout tile_layout_slice(const struct tile_layout *result,
                                     const struct tile_type *operand,
                                     const struct tile_type *result_type);
struct tile_layout tile_layout_permute(const struct tile_layout *from, const int64_t *axes);
// Drops registers that duplicate others, as in a slice.
struct tile_layout tile_layout_compact(struct tile_layout layout);
struct tile_layout tile_layout_reduce(const struct tile_layout *from,
                                      uint32_t axis); // keeps the axis, with extent 1
// Computes the layout of a reshaped tile whose elements stay where they are. False unless the
// extents from the first to the last that differ are powers of two, apart from that first one.
bool tile_layout_reshape(struct tile_layout *out, const struct tile_layout *from,
                         const struct tile_type *operand, const struct tile_type *result);

// Returns the layout of a rank-1 tile that indexes an axis of `tile`. Registers keep their numbers.
struct tile_layout tile_layout_rows(const struct tile_layout *tile, uint32_t axis);

// Computes the layout of an aligned part of a tile. Extents that differ from the tile's must be
// powers of two. Drops the coordinate bits that select the part; returns false unless they are
// register bits of the tile. If `selects` is not NULL, it receives for each register bit of the
// tile the selecting bit that this bit flips, or 0 if the bit is kept.
bool tile_layout_part(struct tile_layout *out, const struct tile_layout *whole,
                      const struct tile_type *whole_type, const struct tile_type *part_type,
                      uint32_t *selects);
// Computes the layout of a tile from that of its part.
bool tile_layout_of_whole(struct tile_layout *out, const struct tile_layout *part,
                          const struct tile_type *whole_type, const struct tile_type *part_type);

#endif
