// What is known of integers when the program is compiled: between which bounds they lie and what
// divides them. Of a tile it holds for every element.
//
// From constants, the grid, `where` clauses, `assume`, static extents, and what ops make of them;
// arithmetic that may wrap keeps what holds all the same. Nothing is changed: a table by value id.
#ifndef CUCORE_TILE_PASS_FACTS_H
#define CUCORE_TILE_PASS_FACTS_H

#include "known.h"

struct tile_facts {
    const struct tile_kernel *kernel;
    struct tile_known *value; // by value id
    struct tile_known *dimension;
    uint32_t count;
    uint32_t depth; // of the loop that is looked at
};

// `filled`: the parameters, a bit each, that are tensors with no extent 0. NULL without memory, of
// which everything is asked as if nothing were known.
struct tile_facts *tile_find_facts(const struct tile_kernel *kernel, uint64_t filled);
struct tile_known tile_known_of(const struct tile_facts *facts, const struct tile_value *value);
// Of an extent of a tensor or slice, of the kernel that the facts are of.
struct tile_known tile_known_extent(const struct tile_facts *facts, const struct tile_value *tensor,
                                    uint32_t axis);
// The index is that of a block whose tile of `extent` elements, at index * scale, lies inside of
// the tensor along an axis since the grid has no more blocks: block(0) of `grid M` in [M], of `grid
// N // 64` in tiles of 64 of [N], of `grid cdiv(N, 64)` where 64 divides N.
bool tile_grid_keeps_inside(const struct tile_facts *facts, const struct tile_value *index,
                            int64_t scale, int64_t extent, const struct tile_value *tensor,
                            uint32_t axis);

#endif
