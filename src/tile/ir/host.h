// Evaluates what a launch needs from its arguments: dimensions, facts and the grid. The interpreter
// uses it too.
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

// Checked arguments, and the dimensions that they determine.
struct tile_binding_set {
    const struct tile_kernel *kernel; // only the header is used, not the body
    const struct tile_argument *argument;
    int64_t *dimension;
};

// Checks the arguments against the kernel's header, and computes its dimensions, for which `set`
// must have space. On failure, the text says which argument is wrong, what was expected and what
// was passed.
bool tile_bind_arguments(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes);
// Does the first half of tile_bind_arguments(): checks dtypes, ranks and named extents, but not
// facts and computed extents.
bool tile_bind_dimensions(struct tile_binding_set *set, uint32_t count, char *text, size_t bytes);
// True if the byte ranges of two tensors are disjoint.
bool tile_tensors_disjoint(const cuc_tensor *a, const cuc_tensor *b);
// True if two elements of a tensor share a byte, and perhaps also if its axes are interleaved.
bool tile_tensor_has_overlap(const cuc_tensor *t);
// Evaluates an expression in exact 64-bit integers. Returns false with a text on overflow or
// division by zero.
bool tile_host_evaluate(const struct tile_binding_set *set, const struct tile_host_expression *x,
                        int64_t *out, char *text, size_t bytes);
// Evaluates one op of a host expression, given the values of its operands.
bool tile_host_compute(enum tile_op_kind op, const int64_t *x, int64_t *out, char *text,
                       size_t bytes);
// Returns the device's limit on an axis of the grid.
int64_t tile_grid_limit(uint32_t axis);
// Computes the grid, with 1 for missing axes. A grid with a zero extent launches nothing.
bool tile_host_grid(const struct tile_binding_set *set, int64_t grid[3], char *text, size_t bytes);

// True if a fact of the kernel states that two parameters do not overlap.
bool tile_parameters_apart(const struct tile_kernel *k, uint32_t a, uint32_t b);

#endif
