// Internal interface of the files that assign layouts: assign.c, needed.c, spread.c, convert.c,
// single_warp.c.
#ifndef CUCORE_TILE_LAYOUT_ASSIGN_H
#define CUCORE_TILE_LAYOUT_ASSIGN_H

#include "combined.h"
#include "tile/ir/layout.h"

// Tells how wide accesses can be. The answer depends on facts that passes find, so the caller
// supplies it. bits() returns log2 of the number of neighbors along the tensor's last axis that an
// access can move at once.
struct tile_widths {
    uint32_t (*bits)(const struct tile_op *op, const void *data);
    const void *data;
};

// The largest number of digits whose ranks are found by votes. Every thread has their counts.
enum { TILE_VOTED_DIGITS = 4 };

struct tile_assignment {
    struct tile_kernel *kernel;
    uint32_t warp_bits;
    bool changed, failed;
    bool memory; // a tile that a memory op moves still lacks a layout
    bool places; // the kernel has a place op
    // The shape that gets blocked layouts next, and its element count.
    const struct tile_type *largest;
    int64_t largest_elements;
    uint32_t vector_bits; // log2 of the number of elements in the widest access
    uint32_t square_bits; // log2 of the number of elements in 16 bytes
    uint32_t other_axis;  // the axis that a permutation makes contiguous, or along which tiles
                          // are shifted
    struct tile_combined combined; // the axes along which tiles of the shape are combined
    const struct tile_widths *widths;
};

// assign.c. tile_keep_layout() copies a layout to the arena. tile_needs_layout() returns true if a
// value still lacks a layout. tile_set_layout() gives a value a layout unless it has one.
const struct tile_layout *tile_keep_layout(struct tile_assignment *a, struct tile_layout layout);
bool tile_needs_layout(const struct tile_value *value);
void tile_set_layout(struct tile_assignment *a, struct tile_value *value,
                     struct tile_layout layout);

// needed.c: finds the layout that an operand must have, given the layout of its op's result. Points
// *same to an existing layout or writes a new one to *other. Returns false if any layout will do.
bool tile_needed_layout(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                        struct tile_layout *other);
// Returns true if an op acts on each element separately, so that operands and results share a
// layout.
bool tile_acts_by_element(const struct tile_op *op);
// Returns true if an op may have a block that combines two elements: a reduction or a scan.
bool tile_has_function(const struct tile_op *op);

// spread.c: spreads each known layout to the values whose layout it determines.
void tile_spread_layouts(struct tile_assignment *a);
// single_warp.c: gives layouts to the values of loops that one warp can run.
void tile_lay_out_single_warp_loops(struct tile_assignment *a);
// convert.c: inserts converts. All values must have layouts.
void tile_convert_layouts(struct tile_assignment *a);

// Returns true for an `extract` with constant indices.
bool tile_is_fixed_part(const struct tile_op *op);

// Pass: gives each tile value of a kernel a layout for `warps` warps, and inserts `convert` ops
// between different layouts. If `widths` is NULL, every access may move 16 bytes at once. Returns
// false if out of memory.
bool tile_assign_layouts(struct tile_kernel *kernel, uint32_t warps,
                         const struct tile_widths *widths);
// Returns true for a `while` that reads memory and computes only with values that fit in the lanes
// of one warp. Each warp then gets a full copy of these values, so that one warp can run the loop
// for the block (emit/single_warp.c).
bool tile_loop_fits_warp(const struct tile_op *loop);

#endif
