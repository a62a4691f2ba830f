// Arithmetic on ranges of integers: bounds and a divisor.
#ifndef CUCORE_TILE_PASS_RANGE_H
#define CUCORE_TILE_PASS_RANGE_H

#include "tile/ir/ir.h"

struct tile_range {
    int64_t low, high; // for u64, INT64_MIN to INT64_MAX means unknown
    uint64_t divisor;  // divides every element; 0: all elements are 0
};

// True if n is known to divide the value.
static inline bool tile_is_multiple(struct tile_range range, uint64_t n)
{
    return range.divisor % n == 0;
}
// True for the range { 1, 0, 0 }: no value has been seen yet.
bool tile_range_is_none(struct tile_range x);
bool tile_range_same(struct tile_range x, struct tile_range y);
// True for a u64 that may exceed the range of i64. Its bounds are unknown.
bool tile_range_is_open(cuc_dtype dtype, struct tile_range x);

// Returns the full range of a dtype.
struct tile_range tile_range_any(cuc_dtype dtype);
struct tile_range tile_range_exactly(int64_t i);
struct tile_range tile_range_between(int64_t low, int64_t high, uint64_t divisor);
// Returns the union of two ranges.
struct tile_range tile_range_join(struct tile_range x, struct tile_range y);
// Converts the range of an exact result to a range of the dtype. An out-of-range result wraps and
// keeps only power-of-two divisors.
struct tile_range tile_range_convert(cuc_dtype dtype, bool overflows, struct tile_range x);
struct tile_range tile_range_product(cuc_dtype dtype, struct tile_range x, struct tile_range y);
// Computes the range of an elementwise op on two operands of an integer dtype. `kind` distinguishes
// ops that share a function.
typedef struct tile_range tile_range_of_two(enum tile_op_kind kind, cuc_dtype dtype,
                                            struct tile_range x, struct tile_range y);
tile_range_of_two tile_range_sum, tile_range_difference, tile_range_multiple, tile_range_extremum,
    tile_range_quotient, tile_range_masked, tile_range_shifted;
// Returns the greatest common divisor.
uint64_t tile_common_divisor(uint64_t x, uint64_t y);

#endif
