// Loops that only accumulate: an associative operation combines each carried value with values that
// depend on no carried value. The iterations of such a loop may run in any order and in several
// blocks.
#ifndef CUCORE_TILE_PASS_ACCUMULATION_H
#define CUCORE_TILE_PASS_ACCUMULATION_H

#include "tile/ir/ir.h"

// One carried value.
//
//   x = x OP f                                  a sum, product, extremum or logical operation
//   x = x exp(m - M) + sum(exp(y - M) w)        a sum scaled by a running maximum, M = max(m, ..)
struct tile_accumulator {
    enum tile_op_kind op;        // ADD, MUL, MINIMUM, MAXIMUM, AND, OR or XOR
    bool nan;                    // for MINIMUM and MAXIMUM: a NaN wins
    bool exact;                  // the result does not depend on the order of operations
    bool scaled;                 // scaled by the running maximum `maximum`
    uint32_t maximum;            // index of the carried maximum
    enum tile_op_kind power;     // EXP or EXP2
    struct tile_value *exponent; // factor of the exponents: a loop-invariant scalar; NULL for 1
};

// Describes the carried values of a `for`. Returns NULL with a reason in *why if a carried value
// has neither of the forms above, if an iteration has an effect, or if the loop may end early.
struct tile_accumulator *tile_accumulators_of(const struct tile_kernel *kernel,
                                              const struct tile_op *loop, const char **why);
// True if a kernel multiplies matrices. Its loops have separate pipelines (pipeline.h).
bool tile_has_products(const struct tile_kernel *kernel);
// True for a loop that multiplies matrices, or is part of one that does.
bool tile_is_beside_product(const struct tile_op *loop);
// True if iterations end in only one place, so that each carried value has one next value.
bool tile_ends_once(const struct tile_op *loop);
// True if a loop, or an op nested in it, loads tiles or elements.
bool tile_loads(const struct tile_op *loop);

#endif
