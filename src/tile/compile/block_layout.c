// Predicts the layouts of tiles for the model of a block, before there are any: the blocked layouts
// that layout/assign.c gives to the tiles that memory ops move.
#include "block_layout.h"

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// The widest access to a shape determines how many neighbors a thread holds of all its tiles.
struct widest {
    const struct tile_type *shape;
    uint32_t bytes; // of an element of the narrowest tile that a memory op moves
};

const struct tile_type *tile_moved_type(const struct tile_op *op)
{
    if (op->kind == TILE_SCATTER)
        return &op->operand[op->operand[0]->type.rank + 1u]->type;
    return &(op->result_count ? op->result[0] : op->operand[op->operand_count - 1])->type;
}

static void find_narrowest(struct tile_op *op, void *data)
{
    struct widest *w = data;
    uint32_t bytes =
        tile_op_infos[op->kind].traits & TILE_MOVES ? tile_bytes_of(tile_moved_type(op)->dtype) : 0;

    if (bytes && tile_shape_same(tile_moved_type(op), w->shape) && (!w->bytes || bytes < w->bytes))
        w->bytes = bytes;
}

// Returns what the kernel does with tiles of a shape. Few shapes are looked up often.
static const struct tile_block_shape *shape_of(struct tile_block_layouts *l,
                                               const struct tile_type *type)
{
    enum { VECTOR_BYTES = 16 };
    struct widest w = { .shape = type };
    uint32_t i = 0;

    while (i < l->shape_count && !tile_shape_same(l->shape[i].type, type))
        i++;
    if (i < l->shape_count)
        return &l->shape[i];
    if (l->shape_count < TILE_BLOCK_SHAPES)
        l->shape_count++;
    else
        i = TILE_BLOCK_SHAPES - 1;
    tile_walk((struct tile_block *)(uintptr_t)&l->kernel->body, find_narrowest, &w);
    struct tile_block_shape *s = &l->shape[i];
    *s = (struct tile_block_shape){ .type = type };
    s->combined = tile_combined_axes(l->kernel, type);
    w.bytes = w.bytes ? w.bytes : tile_bytes_of(type->dtype) ? tile_bytes_of(type->dtype) : 1;
    while (w.bytes << (s->vector_bits + 1) <= VECTOR_BYTES &&
           type->extent[type->rank - 1] % (2 << s->vector_bits) == 0)
        s->vector_bits++;
    return s;
}

struct tile_layout tile_layout_in_block(struct tile_block_layouts *l, const struct tile_type *type)
{
    const struct tile_block_shape *s = shape_of(l, type);
    uint8_t order[TILE_MAX_RANK];

    for (uint32_t i = 0; i < type->rank; i++)
        order[i] = (uint8_t)(type->rank - 1 - i);
    struct tile_layout layout = tile_blocked(type, tile_bits_of(l->warps), s->vector_bits, order);
    tile_combine_in_warps(&layout, s->combined);
    return layout;
}

uint32_t tile_held_in_block(struct tile_block_layouts *l, const struct tile_type *type)
{
    uint32_t bits = 0, threads = TILE_LANE_BITS + tile_bits_of(l->warps), vector;

    if (!type->rank || type->tensor)
        return 1;
    for (uint32_t i = 0; i < type->rank; i++)
        bits += tile_bits_of(type->extent[i]);
    vector = shape_of(l, type)->vector_bits;
    return UINT32_C(1) << (bits > threads + vector ? bits - threads : least(vector, bits));
}

uint32_t tile_vector_in_block(struct tile_block_layouts *l, const struct tile_type *type)
{
    return type->rank ? shape_of(l, type)->vector_bits : 0;
}

struct tile_axis_parts tile_axis_in_block(struct tile_block_layouts *l, const struct tile_op *op)
{
    const struct tile_type *type = &op->operand[0]->type;
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);
    struct tile_layout layout = tile_layout_in_block(l, type);
    uint32_t first = tile_axis_shift(&layout, axis);
    uint32_t lanes = layout.register_bits, warps = lanes + TILE_LANE_BITS;
    struct tile_axis_parts a = { 0 };

    for (uint32_t i = 0; i < layout.axis_bits[axis]; i++) {
        uint32_t bit = tile_hardware_bit(&layout, first + i);
        if (bit >= warps)
            a.warps++;
        else if (bit >= lanes)
            a.lanes++;
        else if (!a.lanes && !a.warps)
            a.neighbors++;
        else
            a.registers++;
    }
    return a;
}
