// Evaluates a launch's arguments: dimensions, facts, the grid. The interpreter uses it too.
#ifndef CUCORE_TILE_IR_HOST_H
#define CUCORE_TILE_IR_HOST_H

#include "ir.h"

#include <cucore/tensor.h>

// An argument: a tensor, or a scalar in the 64-bit form of scalar.h.
struct tile_argument {
    const cuc_tensor *tensor;
    cuc_dtype dtype; // type of a scalar
    uint64_t scalar;
};

// Arguments that have been checked, with the dimensions that they bind.
struct tile_binding_set {
    const struct tile_kernel *kernel; // its header is enough; the body is not used
    const struct tile_argument *argument;
    int64_t *dimension;
};

// Checks the arguments against the header and binds its dimensions, for which `set` has space. On
// failure the text says which argument is wrong, what was expected and what was passed.
bool tile_bind_arguments(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes);
// Does the first half of tile_bind_arguments(): checks dtypes, ranks and named extents, but no
// facts and computed extents.
bool tile_bind_dimensions(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes);
// True if two tensors share no byte, as judged by their byte ranges.
bool tile_tensors_disjoint(const cuc_tensor *a, const cuc_tensor *b);
// Evaluates an expression in exact 64-bit integers. Returns false with a text after an overflow or
// a division by zero.
bool tile_host_evaluate(const struct tile_binding_set *set, const struct tile_host_expression *x,
                        int64_t *out, char *text, size_t bytes);
// Evaluates one op of a host expression, given the values of its operands.
bool tile_host_compute(enum tile_op_kind op, const int64_t *x, int64_t *out, char *text,
                       size_t bytes);
// Returns a device's limit for an axis of the grid.
int64_t tile_grid_limit(uint32_t axis);
// Computes the grid, with 1 for missing axes. A zero extent launches nothing.
bool tile_host_grid(const struct tile_binding_set *set, int64_t grid[3], char *text, size_t bytes);

#endif
