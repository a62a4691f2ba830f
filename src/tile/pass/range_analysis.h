// Range and divisibility analysis: bounds and divisors of integers, known at compile time. For a
// tile they hold for every element.
//
// The facts come from constants, the grid, `where` clauses, `assume` and static extents, and
// propagate through ops. Arithmetic that may wrap keeps only the facts that survive wrapping. The
// analysis changes nothing; its result is a table by value id.
#ifndef CUCORE_TILE_PASS_RANGE_ANALYSIS_H
#define CUCORE_TILE_PASS_RANGE_ANALYSIS_H

#include "range.h"

struct tile_ranges {
    const struct tile_kernel *kernel;
    struct tile_range *value; // by value id
    struct tile_range *dimension;
    uint32_t count;
    uint32_t depth; // nesting depth of the loop being visited
};

// `mapped` has a bit for each tensor parameter with a map, whose extents are 1 to 2^30. If
// `narrow`, all extents are below 2^31. Returns NULL if out of memory; queries with NULL know
// nothing.
struct tile_ranges *tile_analyze_ranges(const struct tile_kernel *kernel, uint64_t mapped,
                                        bool narrow);
struct tile_range tile_range_of(const struct tile_ranges *ranges, const struct tile_value *value);
// Returns the extent of a tensor or slice, which must belong to the analyzed kernel.
struct tile_range tile_range_of_extent(const struct tile_ranges *ranges,
                                       const struct tile_value *tensor, uint32_t axis);
// True if the grid's size keeps a block's tile inside the tensor along an axis. The tile has
// `extent` elements and starts at index * scale. Examples: block(0) of `grid M` in [M]; `grid N //
// 64` with tiles of 64 in [N]; `grid cdiv(N, 64)` if 64 divides N.
bool tile_grid_keeps_inside(const struct tile_ranges *ranges, const struct tile_value *index,
                            int64_t scale, int64_t extent, const struct tile_value *tensor,
                            uint32_t axis);

#endif
