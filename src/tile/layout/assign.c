// Assigns a layout to each value.
//
// The tiles that memory ops move, largest first, get the blocked layout with the widest accesses.
// Layouts spread from there: through elementwise ops in both directions, from a broadcast's result
// to its operand, from a reduction's operand to its result, and through loops and ifs. Then the
// remaining values, largest first, get the blocked layout of their own shape, and those layouts
// spread too. Finally the pass inserts a `convert` for each operand whose layout differs from the
// one its op needs. It rematerializes values that cost nothing to compute instead of converting
// them.
#include "assign.h"

const struct tile_layout *tile_keep_layout(struct tile_assignment *a, struct tile_layout layout)
{
    struct tile_layout *kept = tile_take(a->kernel->module, sizeof(*kept));

    if (!kept) {
        a->failed = true;
        return NULL;
    }
    *kept = layout;
    return kept;
}

bool tile_needs_layout(const struct tile_value *value)
{
    return value && !value->type.tensor && !value->layout;
}

void tile_set_layout(struct tile_assignment *a, struct tile_value *value, struct tile_layout layout)
{
    if (!tile_needs_layout(value))
        return;
    value->layout = tile_keep_layout(a, layout);
    a->changed = true;
}

// Sets the layouts of a rank: its places are in element order, which spreads to the accesses that
// the digits come from.
static void fixed_rank(struct tile_assignment *a, const struct tile_op *op)
{
    const struct tile_type *counts = &op->result[1]->type;

    tile_set_layout(a, op->result[0],
                    tile_layout_for_rank(&op->result[0]->type,
                                         (uint32_t)tile_int(op, TILE_ATTR_COUNT, 0), a->warp_bits));
    if (counts->extent[0] <= TILE_VOTED_DIGITS)
        tile_set_layout(
            a, op->result[1],
            tile_blocked(counts, a->warp_bits, tile_bits_of(TILE_VOTED_DIGITS), (uint8_t[]){ 0 }));
}

// Gives scalars a layout in which every thread holds the value, and ranks theirs.
static void fixed_op(struct tile_op *op, void *data)
{
    struct tile_assignment *a = data;
    struct tile_layout scalar = { .warp_bits = (uint8_t)a->warp_bits };

    if (op->kind == TILE_RANK)
        fixed_rank(a, op);
    a->places |= op->kind == TILE_PLACE;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!op->result[i]->type.rank)
            tile_set_layout(a, op->result[i], scalar);
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++)
            if (!op->block[n]->argument[i]->type.rank)
                tile_set_layout(a, op->block[n]->argument[i], scalar);
}

// Gives placed elements the layout in element order, unless an access in vectors has determined
// another.
static void place_op(struct tile_op *op, void *data)
{
    struct tile_assignment *a = data;

    if (op->kind == TILE_PLACE)
        tile_set_layout(a, op->result[0], tile_layout_in_order(&op->result[0]->type, a->warp_bits));
}

static bool moves_memory(const struct tile_op *op)
{
    return tile_op_infos[op->kind].traits & TILE_MOVES;
}

static const struct tile_value *moved(const struct tile_op *op)
{
    return op->result_count ? op->result[0] : op->operand[op->operand_count - 1];
}

static void find_largest(struct tile_assignment *a, const struct tile_value *value)
{
    int64_t elements = tile_elements(&value->type);

    if (tile_needs_layout(value) && elements > a->largest_elements) {
        a->largest = &value->type;
        a->largest_elements = elements;
    }
}

static void largest_moved(struct tile_op *op, void *data)
{
    if (moves_memory(op))
        find_largest(data, moved(op));
}

static void largest_value(struct tile_op *op, void *data)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        find_largest(data, op->result[i]);
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++)
            find_largest(data, op->block[n]->argument[i]);
}

// Finds the sizes of a thread's square and vector (tile_squares()) for this shape. The square's
// side is 16 bytes of the narrowest elements that memory ops move. The vector is as wide as the
// widest access: if a thread held more neighbors, it would need several instructions, each of which
// touches all cache lines.
static void widest_vector(struct tile_op *op, void *data)
{
    struct tile_assignment *a = data;

    if (!moves_memory(op) || !tile_shape_same(&moved(op)->type, a->largest) ||
        (a->places && !tile_needs_layout(moved(op)))) // the ranks have determined its layout
        return;
    uint32_t bits = 7; // log2 of 128 bits
    for (uint32_t width = cuc_dtype_bits(moved(op)->type.dtype); width > 1; width /= 2)
        bits--;
    if (bits > a->square_bits)
        a->square_bits = bits;
    if (a->widths)
        bits = a->widths->bits(op, a->widths->data);
    if (bits > a->vector_bits)
        a->vector_bits = bits;
}

// Finds the axis along which tiles of this shape are shifted. Neighbors in a thread's registers
// need no exchange, so the thread holds a vector along the last axis even if no access can use it,
// and a square if another axis is shifted.
static void shifted_axis(struct tile_op *op, void *data)
{
    struct tile_assignment *a = data;
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);

    if ((op->kind != TILE_SHIFT && op->kind != TILE_ROLL) ||
        !tile_shape_same(&op->result[0]->type, a->largest) || !op->operand[1]->op ||
        op->operand[1]->op->kind != TILE_CONSTANT)
        return;
    if (axis + 1u < a->largest->rank)
        a->other_axis = axis;
    else if (a->vector_bits < a->square_bits)
        a->vector_bits = a->square_bits;
}

// True for a transposed operand that an entry with roles, which has no `widths`, streams to shared
// memory: no thread holds it.
static bool is_streamed(const struct tile_assignment *a, const struct tile_op *op)
{
    const struct tile_value *operand = op->result[0];
    bool transposed = false;

    return !a->widths && operand->uses == 1 && operand->use->user->kind == TILE_MMA &&
           tile_streamed_box(operand, 1, &transposed);
}

// Finds the axis that a permutation moves to or from the last position of this shape.
static void other_axis(struct tile_op *op, void *data)
{
    struct tile_assignment *a = data;
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);

    if (op->kind != TILE_PERMUTE || axes->ints[axes->count - 1] == axes->count - 1 ||
        is_streamed(a, op))
        return;
    if (tile_shape_same(&op->operand[0]->type, a->largest))
        a->other_axis = (uint32_t)axes->ints[axes->count - 1];
    else if (tile_shape_same(&op->result[0]->type, a->largest))
        for (uint32_t i = 0; i < axes->count; i++)
            if (axes->ints[i] == axes->count - 1)
                a->other_axis = i;
}

static struct tile_layout blocked(const struct tile_assignment *a, const struct tile_type *type)
{
    uint8_t order[TILE_MAX_RANK];

    for (uint32_t i = 0; i < type->rank; i++)
        order[i] = (uint8_t)(type->rank - 1 - i);
    struct tile_layout layout =
        tile_squares(type, a->warp_bits, a->vector_bits, order, a->other_axis, a->square_bits);
    if (a->other_axis + 1u >= type->rank)
        tile_combine_in_warps(&layout, a->combined);
    return layout;
}

static void assign_blocked(struct tile_op *op, void *data)
{
    struct tile_assignment *a = data;
    struct tile_value *value = moves_memory(op) ? (struct tile_value *)(uintptr_t)moved(op) : NULL;

    for (uint32_t n = 0; n <= op->result_count; n++) {
        struct tile_value *one = n < op->result_count ? op->result[n] : value;
        if (!tile_needs_layout(one) || !tile_shape_same(&one->type, a->largest))
            continue;
        tile_set_layout(a, one, blocked(a, &one->type));
        return; // other values get layouts by spreading or in a later round
    }
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++) {
            struct tile_value *one = op->block[n]->argument[i];
            if (!tile_needs_layout(one) || !tile_shape_same(&one->type, a->largest))
                continue;
            tile_set_layout(a, one, blocked(a, &one->type));
        }
}

bool tile_assign_layouts(struct tile_kernel *kernel, uint32_t warps,
                         const struct tile_widths *widths)
{
    struct tile_assignment a = { .kernel = kernel,
                                 .warp_bits = tile_bits_of(warps),
                                 .widths = widths };

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        struct tile_layout scalar = { .warp_bits = (uint8_t)a.warp_bits };
        tile_set_layout(&a, kernel->parameter[i].value, scalar);
    }
    tile_walk(&kernel->body, fixed_op, &a);
    if (a.warp_bits)
        tile_lay_out_single_warp_loops(&a);
    for (a.memory = true;;) {
        tile_spread_layouts(&a);
        a.largest = NULL;
        a.largest_elements = 0;
        a.vector_bits = a.square_bits = 0;
        tile_walk(&kernel->body, a.memory ? largest_moved : largest_value, &a);
        if (!a.largest && a.memory) {
            a.memory = false;
            if (a.places)
                tile_walk(&kernel->body, place_op, &a);
            continue;
        }
        if (!a.largest || a.failed)
            break;
        tile_walk(&kernel->body, widest_vector, &a);
        a.other_axis = a.largest->rank ? a.largest->rank - 1u : 0;
        tile_walk(&kernel->body, shifted_axis, &a);
        if (a.memory)
            tile_walk(&kernel->body, other_axis, &a);
        a.combined = tile_combined_axes(kernel, a.largest);
        // Assign at most one value per op, so that spreading makes connected values of the shape
        // share a layout.
        a.changed = false;
        tile_walk(&kernel->body, assign_blocked, &a);
        if (!a.changed)
            break;
    }
    tile_convert_layouts(&a);
    tile_renumber(kernel);
    return !a.failed;
}
