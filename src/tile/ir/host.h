// What a launch computes of its arguments: dimensions, facts, the grid. The interpreter does the
// same.
#ifndef CUCORE_TILE_IR_HOST_H
#define CUCORE_TILE_IR_HOST_H

#include "ir.h"

#include <cucore/tensor.h>

// An argument: a tensor, or a scalar's element as scalar.h has it.
struct tile_argument {
    const cuc_tensor *tensor;
    cuc_dtype dtype; // of a scalar
    uint64_t scalar;
};

// Arguments that were looked at, with the dimensions that they bind.
struct tile_binding_set {
    const struct tile_kernel *kernel; // its header is enough: no body is looked at
    const struct tile_argument *argument;
    int64_t *dimension;
};

// Check the arguments against the header, and bind its dimensions; `set` has room for them. False,
// and the text says which argument, what was expected and what was passed.
bool tile_bind_arguments(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes);
// The first half of that: dtypes, ranks and named extents, without facts and computed extents.
bool tile_bind_dimensions(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes);
// Two tensors share no byte, told by the ranges that their bytes lie in.
bool tile_tensors_apart(const cuc_tensor *a, const cuc_tensor *b);
// In exact 64-bit integers; false and a text for an overflow or a division by zero.
bool tile_host_evaluate(const struct tile_binding_set *set, const struct tile_host_expression *x,
                        int64_t *out, char *text, size_t bytes);
// One op of such an expression, on the values of its operands.
bool tile_host_compute(enum tile_op_kind op, const int64_t *x, int64_t *out, char *text,
                       size_t bytes);
// What a device takes along an axis of the grid.
int64_t tile_grid_limit(uint32_t axis);
// The grid, 1 for axes that it does not have. A zero among them launches nothing.
bool tile_host_grid(const struct tile_binding_set *set, int64_t grid[3], char *text, size_t bytes);

#endif
