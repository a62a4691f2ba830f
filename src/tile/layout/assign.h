// What the files share that give values their layouts: assign.c, needed.c, spread.c, convert.c,
// alone.c.
#ifndef CUCORE_TILE_LAYOUT_ASSIGN_H
#define CUCORE_TILE_LAYOUT_ASSIGN_H

#include "layout.h"

struct tile_assignment {
    struct tile_kernel *kernel;
    uint32_t warp_bits;
    bool changed, failed;
    bool memory; // tiles that are moved are still without a layout
    // The shape that is to be given blocked layouts, and the least bytes that its elements have in
    // memory.
    const struct tile_type *largest;
    int64_t largest_elements;
    uint32_t vector_bits;
    uint32_t other_axis; // it is also moved with this one as its fastest
};

// assign.c: the layout in the arena; a value's, where it has none yet.
const struct tile_layout *tile_keep_layout(struct tile_assignment *a, struct tile_layout layout);
bool tile_wants_layout(const struct tile_value *value);
void tile_give_layout(struct tile_assignment *a, struct tile_value *value,
                      struct tile_layout layout);

// needed.c: the layout that an operand must have, its op's result given: *same, or else *other;
// false: any will do.
bool tile_needed_layout(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                        struct tile_layout *other);
// Each element by itself: operands and results are in one layout.
bool tile_acts_by_element(const struct tile_op *op);
// It may have a block that combines two elements: a reduction or scan.
bool tile_has_function(const struct tile_op *op);

// spread.c: from all values that have layouts, until no other gets one.
void tile_spread_layouts(struct tile_assignment *a);
// alone.c: values of loops that one warp can go through.
void tile_give_small_loops(struct tile_assignment *a);
// convert.c: when all values have layouts.
void tile_convert_layouts(struct tile_assignment *a);

#endif
