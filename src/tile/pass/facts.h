// What is known of integers when the program is compiled: between which bounds they lie and what
// divides them. Of a tile it holds for every element.
//
// From constants, the grid, `where` clauses, `assume`, static extents, and what ops make of them;
// arithmetic that may wrap keeps what holds all the same. Nothing is changed: a table by value id.
#ifndef CUCORE_TILE_FACTS_H
#define CUCORE_TILE_FACTS_H

#include "../ir/ir.h"

struct tile_known {
    int64_t low, high; // of u64: INT64_MIN to INT64_MAX is nothing known
    uint64_t divisor;  // of every element; 0: all are 0
};

struct tile_facts {
    const struct tile_kernel *kernel;
    struct tile_known *value; // by value id
    struct tile_known *dimension;
    uint32_t count;
    uint32_t depth; // of the loop that is looked at
};

// NULL without memory, of which everything is asked as if nothing were known.
struct tile_facts *tile_find_facts(const struct tile_kernel *kernel);
struct tile_known tile_known_of(const struct tile_facts *facts, const struct tile_value *value);
// Of an extent of a tensor or slice, of the kernel that the facts are of.
struct tile_known tile_known_extent(const struct tile_facts *facts, const struct tile_value *tensor,
                                    uint32_t axis);
// n divides the value.
static inline bool tile_is_multiple(struct tile_known known, uint64_t n)
{
    return known.divisor % n == 0;
}

#endif
