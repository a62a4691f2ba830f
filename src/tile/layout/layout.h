// Layouts: which thread holds which element in which register, as linear maps over GF(2).
//
// A hardware index is register | lane << r | warp << (r + 5), r the layout's register bits. The map
// gives for each of its bits the coordinate bits that it flips; an index's coordinate is the XOR of
// the bases of the bits that are set. Coordinates are those of the physical tile, whose extents are
// rounded up to powers of two, flattened with the last axis in the lowest bits.
#ifndef CUCORE_TILE_LAYOUT_H
#define CUCORE_TILE_LAYOUT_H

#include "../ir/ir.h"

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

// Bits of an extent's physical size: 0 for 1, 3 for 5 to 8.
uint32_t tile_bits_of(int32_t extent);
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

// The layout of a result, its operand's given, and of an operand, its result's given.
struct tile_layout tile_layout_broadcast(const struct tile_layout *from,
                                         const struct tile_type *operand,
                                         const struct tile_type *result);
struct tile_layout tile_layout_permute(const struct tile_layout *from, const int64_t *axes);
struct tile_layout tile_layout_reduce(const struct tile_layout *from,
                                      uint32_t axis); // extent 1 is kept
bool tile_layout_reshape(struct tile_layout *out, const struct tile_layout *from,
                         const struct tile_type *operand, const struct tile_type *result);

// How elements get from one layout to another.
enum tile_move {
    TILE_MOVE_NONE,      // registers are the same
    TILE_MOVE_REGISTERS, // within threads
    TILE_MOVE_SHUFFLE,   // within warps: rounds of shfl
    TILE_MOVE_SHARED,    // through shared memory
};
struct tile_conversion {
    enum tile_move move;
    // REGISTERS: result register i is source register from[i]. SHUFFLE: the rounds of convert.c.
    uint32_t *from;
    // SHARED: the swizzle that keeps banks apart: stored at element (coordinate ^
    // swizzle(coordinate)).
    uint32_t write_vector_bits, read_vector_bits, bytes;
    uint32_t
        swizzle[TILE_MAX_COORDINATE_BITS]; // for each coordinate bit, the offset bits it flips too
};
bool tile_convert_plan(struct tile_module *module, struct tile_conversion *out,
                       const struct tile_layout *from, const struct tile_layout *to,
                       uint32_t element_bytes);

// pass: give every tile value a layout and put `convert` ops where two meet.
struct tile_target;
bool tile_assign_layouts(struct tile_kernel *kernel, const struct tile_target *target);

#endif
