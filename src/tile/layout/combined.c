// Keeps elements that ops combine within a warp. In a blocked layout, warps take the coordinate
// bits that follow the lanes' bits: in a tile of eight rows, for example, each warp would hold a
// part of every row, and the sum of a row would need exchanges through shared memory. If threads
// have registers along other axes, warps take these bits instead: each warp then holds whole rows.
// Its accesses stay as wide, and touch the same cache lines.
#include "combined.h"

struct search {
    const struct tile_type *shape;
    uint32_t axes;
};

// A reduction over several axes is a chain of ops, whose operands lose one extent after another.
static bool is_of_shape(const struct tile_value *x, const struct tile_type *shape)
{
    while (!tile_shape_same(&x->type, shape) && x->op && x->op->kind == TILE_REDUCE)
        x = x->op->operand[0];
    return tile_shape_same(&x->type, shape);
}

static void find_axis(struct tile_op *op, void *data)
{
    struct search *s = data;

    switch (op->kind) {
    case TILE_REDUCE:
    case TILE_ARGMIN:
    case TILE_ARGMAX:
    case TILE_SCAN:
    case TILE_SORT:
    case TILE_TOPK:
        if (is_of_shape(op->operand[0], s->shape))
            s->axes |= UINT32_C(1) << tile_int(op, TILE_ATTR_AXIS, 0);
        break;
    default:
        break;
    }
}

uint32_t tile_combined_axes(const struct tile_kernel *kernel, const struct tile_type *shape)
{
    struct search s = { .shape = shape };

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, find_axis, &s);
    return s.axes;
}

static uint32_t coordinates_along(const struct tile_layout *layout, uint32_t axes)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < layout->rank; i++)
        if (axes >> i & 1)
            bits |= ((UINT32_C(1) << layout->axis_bits[i]) - 1) << tile_axis_shift(layout, i);
    return bits;
}

void tile_keep_in_warps(struct tile_layout *layout, uint32_t axes)
{
    uint32_t along = coordinates_along(layout, axes);
    uint32_t *warp = layout->basis + layout->register_bits + TILE_LANE_BITS;

    for (uint32_t w = layout->warp_bits; w-- > 0;)
        for (uint32_t r = 0; warp[w] & along && r < layout->register_bits; r++) {
            uint32_t other = layout->basis[r];
            if (other > warp[w] && !(other & along)) { // lower bits are those of a vector
                layout->basis[r] = warp[w];
                warp[w] = other;
            }
        }
}
