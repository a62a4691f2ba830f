// Sorts: sort.c checks options and runs plans, sort_source.c writes their programs.
#ifndef CUCORE_ALGORITHM_SORT_H
#define CUCORE_ALGORITHM_SORT_H

#include "algorithm.h"

// Kernels, by index in the family.
enum { CUC__SORT_COUNT, CUC__SORT_FIRST, CUC__SORT_NEXT, CUC__SORT_SMALL };

enum {
    CUC__SORT_DIGIT_BITS = 8,
    CUC__SORT_RADIX = 1 << CUC__SORT_DIGIT_BITS,
    CUC__SORT_MOST_DIGITS = CUC__ALGORITHM_MAX * 64 / CUC__SORT_DIGIT_BITS,
};

struct cuc__sort_digit {
    uint32_t key, low, bits; // bits `low` to `low` + `bits` - 1 of a key
};

// Finds the digits, from the lowest on. Returns their number.
uint32_t cuc__sort_find_digits(struct cuc__sort_digit out[CUC__SORT_MOST_DIGITS],
                               const struct cuc__algorithm_kind *kind);
uint32_t cuc__sort_digit_count(const struct cuc__algorithm_kind *kind);

// Return the type of an array's bits; of an output's as the last pass writes it; and of the array
// between passes.
cuc_dtype cuc__sort_bits_of(cuc_dtype dtype);
cuc_dtype cuc__sort_type_last(const struct cuc__algorithm_kind *kind, uint32_t value);
cuc_dtype cuc__sort_type_between(const struct cuc__algorithm_kind *kind, uint32_t value);
// Returns true if these two differ: the value is an index in 32 bits.
bool cuc__sort_is_index(const struct cuc__algorithm_kind *kind, uint32_t value);

// Returns true if all values are elements of arrays, of the types of their outputs. The first pass
// then takes the bits of the inputs, and is not a kernel of its own.
bool cuc__sort_is_plain(const struct cuc__algorithm_kind *kind);
// Returns true if the program has no such kernel.
bool cuc__sort_lacks(const struct cuc__algorithm_kind *kind, int kernel);
// Returns true if some arrays are read by element.
bool cuc__sort_has_arrays(const struct cuc__algorithm_kind *kind);

// Returns the number of elements that a block counts in a step: fewer than a pass takes, since each
// waits in a register for every digit.
static inline int32_t cuc__sort_counted(const struct cuc__algorithm_tile *tile)
{
    return tile->elements > 1 ? tile->elements / 2 : 1;
}

// Writes the functions and kernels.
void cuc__sort_put(struct cuc__text *text, const struct cuc__algorithm_problem *problem);

#endif
