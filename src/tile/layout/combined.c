// Keeps elements that ops combine within a warp. In a blocked layout, warps take the coordinate
// bits that follow the lanes' bits: in a tile of eight rows, for example, each warp would hold a
// part of every row, and the sum of a row would need exchanges through shared memory. If threads
// have registers along other axes, warps take these bits instead: each warp then holds whole rows.
// Its accesses stay as wide, and touch the same cache lines.
//
// A scan or sort along another axis than the last costs less if a thread holds neighbors. In a tile
// of [128, 64] each of 8 warps would hold every fourth row of its 16 rows in a thread, and a scan
// would join 4 times as many runs over lanes and warps as with 4 neighboring rows in each thread.
//
// If a tile is loaded in order to use its rows one after another, as in a recurrence, each thread
// holds all rows of its columns, so that a row's use exchanges nothing.
#include "combined.h"

struct search {
    const struct tile_type *shape;
    struct tile_combined found;
};

// A reduction over several axes is a chain of ops, whose operands lose one extent after another.
static bool is_of_shape(const struct tile_value *x, const struct tile_type *shape)
{
    while (!tile_shape_same(&x->type, shape) && x->op && x->op->kind == TILE_REDUCE)
        x = x->op->operand[0];
    return tile_shape_same(&x->type, shape);
}

// True for an op that takes one row of a tile, along `axis`, and whole rows along the others.
static bool extracts_row(const struct tile_op *op, uint32_t *axis)
{
    const struct tile_type *from = &op->operand[0]->type, *to = &op->result[0]->type;
    uint32_t axes = 0;

    for (uint32_t i = 0; i < from->rank; i++)
        if (to->extent[i] != from->extent[i]) {
            const struct tile_op *index = op->operand[1 + i]->op;
            if (to->extent[i] != 1 || !index || index->kind != TILE_CONSTANT)
                return false;
            *axis = i;
            axes++;
        }
    return axes == 1;
}

static void find_axis(struct tile_op *op, void *data)
{
    struct search *s = data;
    uint32_t row;

    if (op->kind == TILE_EXTRACT && is_of_shape(op->operand[0], s->shape) && extracts_row(op, &row))
        s->found.extracted |= UINT32_C(1) << row;
    bool reduces = op->kind == TILE_REDUCE || op->kind == TILE_ARGMIN || op->kind == TILE_ARGMAX;
    bool orders = op->kind == TILE_SCAN || op->kind == TILE_SORT || op->kind == TILE_TOPK;

    if ((!reduces && !orders) || !is_of_shape(op->operand[0], s->shape))
        return;
    uint32_t axis = UINT32_C(1) << tile_int(op, TILE_ATTR_AXIS, 0);
    s->found.axes |= axis;
    s->found.ordered |= orders ? axis : 0;
}

struct tile_combined tile_combined_axes(const struct tile_kernel *kernel,
                                        const struct tile_type *shape)
{
    struct search s = { .shape = shape };

    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, find_axis, &s);
    return s.found;
}

static uint32_t coordinates_along(const struct tile_layout *layout, uint32_t axes)
{
    uint32_t bits = 0;

    for (uint32_t i = 0; i < layout->rank; i++)
        if (axes >> i & 1)
            bits |= ((UINT32_C(1) << layout->axis_bits[i]) - 1) << tile_axis_shift(layout, i);
    return bits;
}

static void keep_in_warps(struct tile_layout *layout, uint32_t axes)
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

// Gives the bits of an axis, in ascending order, to the registers, lanes and warps that have them.
static void hold_neighbors(struct tile_layout *layout, uint32_t axis)
{
    uint32_t along = coordinates_along(layout, UINT32_C(1) << axis), all = 0;

    for (uint32_t i = 0; i < tile_hardware_bits(layout); i++)
        all |= layout->basis[i] & along;
    for (uint32_t i = 0; i < tile_hardware_bits(layout); i++)
        if (layout->basis[i] & along) {
            layout->basis[i] = all & -all;
            all &= all - 1;
        }
}

// Gives all bits of an axis to registers, which keep as many of the last axis' lowest bits as they
// have room for. The other coordinates follow in ascending order.
static void hold_axis(struct tile_layout *layout, uint32_t axis)
{
    uint32_t along = coordinates_along(layout, UINT32_C(1) << axis), held = layout->axis_bits[axis];
    uint32_t all = (UINT32_C(1) << layout->coordinate_bits) - 1, others = all & ~along;
    uint32_t bits = tile_hardware_bits(layout);

    if (held > layout->register_bits || layout->coordinate_bits > bits)
        return;
    for (uint32_t i = 0; i < bits; i++) {
        uint32_t *from = i + held >= layout->register_bits && along ? &along : &others;
        layout->basis[i] = *from & -*from;
        *from &= *from - 1;
    }
}

void tile_combine_in_warps(struct tile_layout *layout, struct tile_combined combined)
{
    keep_in_warps(layout, combined.axes);
    for (uint32_t i = 0; i + 1 < layout->rank; i++)
        if (combined.ordered >> i & 1)
            hold_neighbors(layout, i);
    for (uint32_t i = 0; i + 1 < layout->rank; i++)
        if (combined.extracted == UINT32_C(1) << i && !combined.axes)
            hold_axis(layout, i);
}
