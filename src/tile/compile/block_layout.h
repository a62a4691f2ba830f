// Internal interface of block_layout.c.
#ifndef CUCORE_TILE_COMPILE_BLOCK_LAYOUT_H
#define CUCORE_TILE_COMPILE_BLOCK_LAYOUT_H

#include "tile/ir/layout.h"
#include "tile/layout/combined.h"

// A shape of tiles: the axes along which ops combine them, and the log2 of the neighbors along the
// last axis that a thread holds.
struct tile_block_shape {
    const struct tile_type *type;
    struct tile_combined combined;
    uint32_t vector_bits;
};

enum { TILE_BLOCK_SHAPES = 16 };

// The layouts of a block with some number of warps. Starts with the kernel and zeros.
struct tile_block_layouts {
    const struct tile_kernel *kernel;
    uint32_t warps;
    struct tile_block_shape shape[TILE_BLOCK_SHAPES]; // those looked up so far
    uint32_t shape_count;
};

// The bits of an axis.
struct tile_axis_parts {
    // Neighbors are the register bits below the bits of lanes and warps.
    uint32_t neighbors, registers, lanes, warps;
};

// Returns the type of the tile that a memory op moves.
const struct tile_type *tile_moved_type(const struct tile_op *op);
// Return the layout of a tile that has axes, the number of elements that a thread holds (1 of a
// scalar), and the log2 of the neighbors that it holds.
struct tile_layout tile_layout_in_block(struct tile_block_layouts *l, const struct tile_type *type);
uint32_t tile_held_in_block(struct tile_block_layouts *l, const struct tile_type *type);
uint32_t tile_vector_in_block(struct tile_block_layouts *l, const struct tile_type *type);
// Returns where the elements lie along the axis of a reduction or scan.
struct tile_axis_parts tile_axis_in_block(struct tile_block_layouts *l, const struct tile_op *op);

#endif
