// Loops that only accumulate: each carried value is combined, by an associative operation, with
// values that depend on no carried value. The iterations of such a loop may run in any order and in
// several blocks.
#ifndef CUCORE_TILE_PASS_ACCUMULATION_H
#define CUCORE_TILE_PASS_ACCUMULATION_H

#include "tile/ir/ir.h"

// One carried value.
//
//   x = x OP f                                  a sum, product, extremum or logical operation
//   x = x exp(m - M) + sum(exp(y - M) w)        a sum scaled by a running maximum, M = max(m, ..)
struct tile_accumulator {
    enum tile_op_kind op;        // ADD, MUL, MINIMUM, MAXIMUM, AND, OR or XOR
    bool nan;                    // of MINIMUM and MAXIMUM: a NaN wins
    bool exact;                  // the order of the operations never changes a bit
    bool scaled;                 // by the running maximum `maximum`
    uint32_t maximum;            // index of that carried value
    enum tile_op_kind power;     // EXP or EXP2
    struct tile_value *exponent; // factor of the exponents, a scalar that the loop does not change;
                                 // NULL: 1
};

// Describes the carried values of a `for`; NULL if one of them is something else, if an iteration
// has an effect, or if the loop may end early. `*why` then names the reason.
struct tile_accumulator *tile_accumulators_of(const struct tile_kernel *kernel,
                                              const struct tile_op *loop, const char **why);
// True if a kernel multiplies matrices: its loops have pipelines of their own (pipeline.h).
bool tile_has_products(const struct tile_kernel *kernel);
// True if iterations end in one place, and so give one value for each that is carried.
bool tile_ends_once(const struct tile_op *loop);
// True if a loop, or an op nested in it, loads tiles or elements.
bool tile_loads(const struct tile_op *loop);

#endif
