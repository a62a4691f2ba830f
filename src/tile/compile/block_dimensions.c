// Estimates dimensions for the model of a block: those of the launch that the host expects, or else
// usual ones.
#include "block_model.h"

#include "tile/ir/host.h"

#include <math.h>

enum { USUAL_EXTENT = 16384, USUAL_ITERATIONS = 16 };

static int64_t dimension_of(const struct tile_kernel *kernel, uint32_t dimension)
{
    int64_t given = kernel->dimension[dimension].given;

    return given ? given : USUAL_EXTENT;
}

static int64_t extent_of(const struct tile_kernel *kernel, uint32_t parameter, uint32_t axis)
{
    const struct tile_extent *x = &kernel->parameter[parameter].extent[axis];

    return x->kind == TILE_EXTENT_STATIC  ? x->value
           : x->kind == TILE_EXTENT_NAMED ? dimension_of(kernel, x->dimension)
                                          : USUAL_EXTENT;
}

static bool compute(enum tile_op_kind kind, const int64_t *x, int64_t *out)
{
    char why[128];

    return tile_op_infos[kind].traits & TILE_ON_HOST &&
           tile_host_compute(kind, x, out, why, sizeof(why));
}

// Estimates a scalar that a few ops compute from constants, dimensions and, if the launch is known,
// the numbers of a block in the middle of the grid. Returns false for others.
static bool estimate(const struct tile_kernel *kernel, const struct tile_value *value,
                     uint32_t depth, int64_t *out)
{
    enum { MOST_DEPTH = 8, MOST_OPERANDS = 3 };
    const struct tile_op *op = value->op;
    int64_t x[MOST_OPERANDS];

    if (!op || depth > MOST_DEPTH || op->operand_count > MOST_OPERANDS)
        return false;
    uint32_t index = (uint32_t)tile_int(op, TILE_ATTR_INDEX, 0);
    switch (op->kind) {
    case TILE_CONSTANT:
        *out = tile_int(op, TILE_ATTR_VALUE, 0);
        return true;
    case TILE_DIM:
        *out = op->operand[0]->op ? USUAL_EXTENT
                                  : extent_of(kernel, op->operand[0]->index,
                                              (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));
        return true;
    case TILE_DIMENSION:
        *out = dimension_of(kernel, index);
        return true;
    case TILE_BLOCK:
    case TILE_NUM_BLOCKS:
        *out = kernel->given_grid[index] / (op->kind == TILE_BLOCK ? 2 : 1);
        return kernel->given_grid[index] > 0;
    case TILE_CAST:
        return estimate(kernel, op->operand[0], depth + 1, out);
    default:
        break;
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!estimate(kernel, op->operand[i], depth + 1, &x[i]))
            return false;
    return op->operand_count && compute(op->kind, x, out);
}

static bool estimate_host(const struct tile_kernel *kernel, const struct tile_host_expression *x,
                          int64_t *out)
{
    int64_t operand[3] = { 0 };

    *out = x->kind == TILE_HOST_CONSTANT    ? x->value
           : x->kind == TILE_HOST_EXTENT    ? extent_of(kernel, x->index, x->axis)
           : x->kind == TILE_HOST_DIMENSION ? dimension_of(kernel, x->index)
                                            : USUAL_EXTENT;
    if (x->kind != TILE_HOST_OP)
        return true;
    for (uint32_t i = 0; i < 3 && x->operand[i]; i++)
        if (!estimate_host(kernel, x->operand[i], &operand[i]))
            return false;
    return compute(x->op, operand, out);
}

double tile_usual_blocks(const struct tile_kernel *kernel)
{
    const double multiprocessors = 132, fewest = 2;
    double blocks = kernel->grid_rank ? 1 : USUAL_EXTENT;
    int64_t one;

    if (kernel->blocks)
        return fmax(1, (double)kernel->blocks / multiprocessors);
    for (uint32_t i = 0; i < kernel->grid_rank; i++)
        if (estimate_host(kernel, kernel->grid[i], &one) && one > 0)
            blocks *= (double)one;
    return fmax(fewest, blocks / multiprocessors);
}

double tile_usual_iterations(const struct tile_kernel *kernel, const struct tile_op *loop)
{
    int64_t bound[3];

    if (loop->kind != TILE_FOR)
        return USUAL_ITERATIONS;
    for (uint32_t i = 0; i < 3; i++)
        if (!estimate(kernel, loop->operand[i], 0, &bound[i]))
            return USUAL_ITERATIONS;
    double length = (double)bound[1] - (double)bound[0];

    return length > 0 && bound[2] > 0 ? ceil(length / (double)bound[2]) : 1;
}
