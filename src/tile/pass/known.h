// Arithmetic on what is known of an integer: bounds and a divisor.
#ifndef CUCORE_TILE_PASS_KNOWN_H
#define CUCORE_TILE_PASS_KNOWN_H

#include "tile/ir/ir.h"

struct tile_known {
    int64_t low, high; // of u64: INT64_MIN to INT64_MAX is nothing known
    uint64_t divisor;  // of every element; 0: all are 0
};

// n divides the value.
static inline bool tile_is_multiple(struct tile_known known, uint64_t n)
{
    return known.divisor % n == 0;
}
// There is no value yet: { 1, 0, 0 }.
bool tile_known_is_none(struct tile_known x);
bool tile_known_same(struct tile_known x, struct tile_known y);
// Nothing is known of a u64 that may not fit an i64.
bool tile_known_is_open(cuc_dtype dtype, struct tile_known x);

// All that a dtype can hold.
struct tile_known tile_known_any(cuc_dtype dtype);
struct tile_known tile_known_exactly(int64_t i);
struct tile_known tile_known_between(int64_t low, int64_t high, uint64_t divisor);
// One of the two.
struct tile_known tile_known_join(struct tile_known x, struct tile_known y);
// An exact result as the dtype holds it: what leaves its range wraps, which powers of two survive.
struct tile_known tile_known_held(cuc_dtype dtype, bool overflows, struct tile_known x);
struct tile_known tile_known_product(cuc_dtype dtype, struct tile_known x, struct tile_known y);
// Of an elementwise op with two operands.
struct tile_known tile_known_binary(enum tile_op_kind kind, cuc_dtype dtype, struct tile_known x,
                                    struct tile_known y);
// The greatest.
uint64_t tile_common_divisor(uint64_t x, uint64_t y);

#endif
