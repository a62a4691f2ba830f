// Which value gets which layout.
//
// Tiles of the shape that most is moved in get the blocked layout that makes the widest accesses;
// from there layouts spread: through elementwise ops both ways, from a broadcast's result to its
// operand, from a reduction's operand to its result, and through loops and ifs. What is left over
// gets the blocked layout of its own shape, the largest first, and spreads again. Where an op's
// operand then has another layout than the op needs, a convert is put in, or, for what costs
// nothing, the op that makes it is made again in the other layout.
#include "layout.h"

#include "../compile.h"
#include <string.h>

struct assignment {
    struct tile_kernel *kernel;
    uint32_t warp_bits;
    bool changed, failed;
    bool memory; // tiles that are moved are still without a layout
    // The shape that is to be given blocked layouts, and the least bytes that its elements have in
    // memory.
    const struct tile_type *largest;
    int64_t largest_elements;
    uint32_t vector_bits;
    uint32_t other_axis; // it is also moved with this one as its fastest
};

static const struct tile_layout *keep(struct assignment *a, struct tile_layout layout)
{
    struct tile_layout *kept = tile_take(a->kernel->module, sizeof(*kept));

    if (!kept) {
        a->failed = true;
        return NULL;
    }
    *kept = layout;
    return kept;
}

static bool wants_layout(const struct tile_value *value)
{
    return value && !value->type.tensor && !value->layout;
}

static void give(struct assignment *a, struct tile_value *value, struct tile_layout layout)
{
    if (!wants_layout(value))
        return;
    value->layout = keep(a, layout);
    a->changed = true;
}

// Values that must be in one layout: the first that has one gives it to the others.
static void unite(struct assignment *a, struct tile_value *x, struct tile_value *y)
{
    if (x->type.tensor || y->type.tensor)
        return;
    if (x->layout && !y->layout)
        give(a, y, *x->layout);
    else if (y->layout && !x->layout)
        give(a, x, *y->layout);
}

// Each element by itself: operands and results are in one layout.
static bool acts_by_element(const struct tile_op *op)
{
    return tile_op_infos[op->kind].traits & TILE_ELEMENTWISE || op->kind == TILE_GATHER ||
           op->kind == TILE_ATOMIC || op->kind == TILE_ASM;
}

static bool is_function(const struct tile_op *op)
{
    return op->kind == TILE_REDUCE || op->kind == TILE_SCAN;
}

// The layout that an operand must have, its op's result given; false: any will do.
static bool needed(const struct tile_op *op, uint32_t operand, const struct tile_layout **same,
                   struct tile_layout *other)
{
    const struct tile_value *x = op->operand[operand];
    const struct tile_value *result = op->result_count ? op->result[0] : NULL;

    *same = NULL;
    if (x->type.tensor || !x->type.rank)
        return false;
    if (acts_by_element(op)) {
        *same = result->layout;
        return *same != NULL;
    }
    switch (op->kind) {
    case TILE_SCATTER: // all as the value that is stored
        *same = op->operand[op->operand[0]->type.rank + 1u]->layout;
        return *same != NULL;
    case TILE_LOAD:
    case TILE_LOAD_AT: // a pad with a shape
        *same = result->layout;
        return *same != NULL;
    case TILE_BROADCAST: {
        if (!result->layout)
            return false;
        struct tile_layout slice = tile_layout_slice(result->layout, &x->type, &result->type);
        *other = slice;
        return true;
    }
    case TILE_REDUCE: // all tiles of a function as the first
        *same = op->operand[0]->layout;
        return operand && *same != NULL;
    case TILE_SCAN:
        *same = result->layout;
        return *same != NULL;
    case TILE_LOAD_ROWS:
    case TILE_STORE_ROWS: {
        const struct tile_value *tile = result ? result : op->operand[op->operand_count - 1];
        if (!tile->layout)
            return false;
        if (operand != 1) // a pad with a shape
            *same = result ? result->layout : NULL;
        else
            *other = tile_layout_rows(tile->layout, 0);
        return operand == 1 || *same;
    }
    case TILE_TAKE:
        if (operand != 1 || !result->layout)
            return false;
        if (x->type.rank == result->type.rank) {
            *same = result->layout;
            return true;
        }
        *other = tile_layout_rows(result->layout, (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));
        return true;
    default:
        return false;
    }
}

// The same registers twice in a slice say nothing new: one of each is enough.
static struct tile_layout compact(struct tile_layout layout)
{
    uint32_t kept = 0, bits = layout.register_bits;

    for (uint32_t i = 0; i < bits; i++)
        if (layout.basis[i])
            layout.basis[kept++] = layout.basis[i];
    memmove(layout.basis + kept, layout.basis + bits,
            (TILE_LANE_BITS + layout.warp_bits) * sizeof(*layout.basis));
    layout.register_bits = (uint8_t)kept;
    return layout;
}

static void spread_reduction(struct assignment *a, struct tile_op *op)
{
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);

    if (op->operand[0]->layout)
        for (uint32_t i = 0; i < op->result_count; i++)
            give(a, op->result[i], tile_layout_reduce(op->operand[0]->layout, axis));
}

static void spread_reshape(struct assignment *a, struct tile_op *op)
{
    struct tile_value *x = op->operand[0], *y = op->result[0];
    struct tile_layout layout;

    if (x->layout && !y->layout && tile_layout_reshape(&layout, x->layout, &x->type, &y->type))
        give(a, y, layout);
    else if (y->layout && !x->layout && tile_layout_reshape(&layout, y->layout, &y->type, &x->type))
        give(a, x, layout);
    // Axes of extent 1 come and go without a power of two: what has one element a place is a slice.
    else if (x->layout && !y->layout && tile_layout_squeeze(&layout, x->layout, &x->type, &y->type))
        give(a, y, layout);
    else if (y->layout && !x->layout && tile_layout_squeeze(&layout, y->layout, &y->type, &x->type))
        give(a, x, layout);
}

bool tile_is_fixed_part(const struct tile_op *op)
{
    for (uint32_t i = 1; i < op->operand_count; i++)
        if (!op->operand[i]->op || op->operand[i]->op->kind != TILE_CONSTANT)
            return false;
    return true;
}

// A tile and an aligned part of it, which threads find among their registers.
static void spread_part(struct assignment *a, struct tile_value *whole, struct tile_value *part)
{
    struct tile_layout layout;

    if (whole->layout && !part->layout &&
        tile_layout_part(&layout, whole->layout, &whole->type, &part->type, NULL))
        give(a, part, layout);
    else if (part->layout && !whole->layout &&
             tile_layout_whole(&layout, part->layout, &whole->type, &part->type))
        give(a, whole, layout);
}

static void spread_permute(struct assignment *a, struct tile_op *op)
{
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    struct tile_value *x = op->operand[0], *y = op->result[0];
    int64_t back[TILE_MAX_RANK];

    // Of a tile that is loaded and stored with another axis fastest, both sides go along theirs.
    if (a->memory && axes->ints[axes->count - 1] != axes->count - 1)
        return;
    for (uint32_t i = 0; i < axes->count; i++)
        back[axes->ints[i]] = i;
    if (x->layout)
        give(a, y, tile_layout_permute(x->layout, axes->ints));
    else if (y->layout)
        give(a, x, tile_layout_permute(y->layout, back));
}

static void spread_op(struct tile_op *op, void *data)
{
    struct assignment *a = data;

    if (op->kind == TILE_YIELD || op->kind == TILE_CONTINUE || op->kind == TILE_BREAK) {
        const struct tile_op *target = tile_ended_by(op);
        for (uint32_t i = 0; i < op->operand_count && !is_function(target); i++)
            unite(a, op->operand[i], target->result[i]);
        return;
    }
    if (op->kind == TILE_FOR || op->kind == TILE_LOOP) {
        uint32_t lead = op->kind == TILE_FOR;
        for (uint32_t i = 0; i < op->result_count; i++) {
            unite(a, op->result[i], op->block[0]->argument[i + lead]);
            unite(a, op->operand[i + (lead ? 3 : 0)], op->result[i]);
        }
        return;
    }
    switch (op->kind) {
    case TILE_REDUCE:
    case TILE_ARGMIN:
    case TILE_ARGMAX:
        spread_reduction(a, op);
        break;
    case TILE_RESHAPE:
        spread_reshape(a, op);
        break;
    case TILE_PERMUTE:
        spread_permute(a, op);
        break;
    case TILE_SCAN:
    case TILE_SORT:
    case TILE_SHIFT:
    case TILE_ROLL:
    case TILE_INSERT:
        for (uint32_t i = 0; i < op->result_count; i++)
            unite(a, op->operand[0], op->result[i]);
        break;
    case TILE_MMA:
        unite(a, op->operand[2], op->result[0]);
        break;
    case TILE_CAT:
        for (uint32_t i = 0; i < 2 && tile_shape_same(&op->operand[0]->type, &op->operand[1]->type);
             i++)
            spread_part(a, op->result[0], op->operand[i]);
        break;
    case TILE_EXTRACT:
        if (tile_is_fixed_part(op))
            spread_part(a, op->operand[0], op->result[0]);
        break;
    case TILE_SCATTER: {
        struct tile_value *x = op->operand[op->operand[0]->type.rank + 1u];
        for (uint32_t i = 1; i < op->operand_count; i++)
            unite(a, x, op->operand[i]);
        break;
    }
    default:
        break;
    }
    if (acts_by_element(op))
        for (uint32_t i = 0; i < op->result_count; i++)
            for (uint32_t n = 0; n < op->operand_count; n++)
                if (!op->operand[n]->type.tensor &&
                    op->operand[n]->type.rank == op->result[i]->type.rank)
                    unite(a, op->operand[n], op->result[i]);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct tile_layout *same;
        struct tile_layout other;
        if (wants_layout(op->operand[i]) && needed(op, i, &same, &other))
            give(a, op->operand[i], compact(same ? *same : other));
    }
}

static void spread(struct assignment *a)
{
    do {
        a->changed = false;
        tile_walk(&a->kernel->body, spread_op, a);
    } while (a->changed && !a->failed);
}

// Scalars are the same everywhere.
static void scalar_op(struct tile_op *op, void *data)
{
    struct assignment *a = data;
    struct tile_layout scalar = { .warp_bits = (uint8_t)a->warp_bits };

    for (uint32_t i = 0; i < op->result_count; i++)
        if (!op->result[i]->type.rank)
            give(a, op->result[i], scalar);
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++)
            if (!op->block[n]->argument[i]->type.rank)
                give(a, op->block[n]->argument[i], scalar);
}

static bool moves_memory(const struct tile_op *op)
{
    switch (op->kind) {
    case TILE_LOAD:
    case TILE_LOAD_AT:
    case TILE_LOAD_ROWS:
    case TILE_STORE:
    case TILE_STORE_AT:
    case TILE_STORE_ROWS:
        return true;
    default:
        return false;
    }
}

static const struct tile_value *moved(const struct tile_op *op)
{
    return op->result_count ? op->result[0] : op->operand[op->operand_count - 1];
}

static void find_largest(struct assignment *a, const struct tile_value *value)
{
    int64_t elements = tile_elements(&value->type);

    if (wants_layout(value) && elements > a->largest_elements) {
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

// The narrowest elements of the shape in memory say how many make a vector of 16 bytes.
static void widest_vector(struct tile_op *op, void *data)
{
    struct assignment *a = data;

    if (!moves_memory(op) || !tile_shape_same(&moved(op)->type, a->largest))
        return;
    uint32_t bits = 7; // 128
    for (uint32_t width = cuc_dtype_bits(moved(op)->type.dtype); width > 1; width /= 2)
        bits--;
    if (bits > a->vector_bits)
        a->vector_bits = bits;
}

// The axis that a permutation makes, or made, the last of this shape.
static void other_axis(struct tile_op *op, void *data)
{
    struct assignment *a = data;
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);

    if (op->kind != TILE_PERMUTE || axes->ints[axes->count - 1] == axes->count - 1)
        return;
    if (tile_shape_same(&op->operand[0]->type, a->largest))
        a->other_axis = (uint32_t)axes->ints[axes->count - 1];
    else if (tile_shape_same(&op->result[0]->type, a->largest))
        for (uint32_t i = 0; i < axes->count; i++)
            if (axes->ints[i] == axes->count - 1)
                a->other_axis = i;
}

static struct tile_layout blocked(const struct assignment *a, const struct tile_type *type)
{
    uint8_t order[TILE_MAX_RANK];

    for (uint32_t i = 0; i < type->rank; i++)
        order[i] = (uint8_t)(type->rank - 1 - i);
    return tile_squares(type, a->warp_bits, a->vector_bits, order, a->other_axis, a->vector_bits);
}

static void give_blocked(struct tile_op *op, void *data)
{
    struct assignment *a = data;
    struct tile_value *value = moves_memory(op) ? (struct tile_value *)(uintptr_t)moved(op) : NULL;

    for (uint32_t n = 0; n <= op->result_count; n++) {
        struct tile_value *one = n < op->result_count ? op->result[n] : value;
        if (!wants_layout(one) || !tile_shape_same(&one->type, a->largest))
            continue;
        give(a, one, blocked(a, &one->type));
        return; // the others follow by spreading, or by a later turn
    }
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++) {
            struct tile_value *one = op->block[n]->argument[i];
            if (!wants_layout(one) || !tile_shape_same(&one->type, a->largest))
                continue;
            give(a, one, blocked(a, &one->type));
        }
}

// Conversions

// An op that is made again rather than converted, and all that it is made of.
static bool is_free(const struct tile_value *value, uint32_t depth)
{
    const struct tile_op *op = value->op;

    if (!op || depth > 3)
        return false;
    if (!value->type.rank || op->kind == TILE_IOTA)
        return true;
    return (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE) &&
           is_free(op->operand[0], depth + 1) &&
           (!op->operand[0]->type.rank || op->kind == TILE_BROADCAST);
}

static struct tile_value *made_again(struct assignment *a, struct tile_op *place,
                                     struct tile_value *value, const struct tile_layout *layout)
{
    struct tile_value **map =
        tile_take(a->kernel->module, (a->kernel->value_count + 1) * sizeof(*map));
    struct tile_op *copy = map ? tile_clone(a->kernel, value->op, map) : NULL;

    if (!copy) {
        a->failed = true;
        return value;
    }
    copy->result[0]->layout = layout;
    tile_insert_before(place, copy);
    return copy->result[0];
}

static struct tile_value *converted(struct assignment *a, struct tile_op *place,
                                    struct tile_value *value, const struct tile_layout *layout)
{
    if (is_free(value, 0))
        return made_again(a, place, value, layout);
    struct tile_value *result =
        tile_make_before(a->kernel, place, TILE_CONVERT, &value->type, 1, &value);
    if (!result) {
        a->failed = true;
        return value;
    }
    result->layout = layout;
    result->name = value->name;
    return result;
}

static void need(struct assignment *a, struct tile_op *op, uint32_t operand,
                 const struct tile_layout *layout)
{
    struct tile_value *value = op->operand[operand];

    if (value->type.tensor || !value->type.rank || !layout || !value->layout ||
        tile_layout_same(value->layout, layout))
        return;
    op->operand[operand] = converted(a, op, value, layout);
    a->changed = true;
}

// An op's result comes in a layout, and is converted to the one that it was given.
static void give_in(struct assignment *a, struct tile_op *op, uint32_t result,
                    const struct tile_layout *own)
{
    struct tile_value *old = op->result[result];

    if (tile_layout_same(old->layout, own))
        return;
    struct tile_value *made = tile_result_create(a->kernel, op, result, &old->type);
    struct tile_op *change = tile_op_create(a->kernel, TILE_CONVERT, 1, 1, 0);
    if (!made || !change) {
        a->failed = true;
        return;
    }
    made->layout = keep(a, *own);
    change->where = op->where;
    change->operand[0] = made;
    change->result[0] = old;
    old->op = change;
    old->index = 0;
    if (op->next)
        tile_insert_before(op->next, change);
    else
        tile_append(op->parent, change);
}

static void convert_op(struct tile_op *op, void *data)
{
    struct assignment *a = data;

    if (op->kind == TILE_CONVERT || a->failed)
        return;
    if (op->kind == TILE_YIELD || op->kind == TILE_CONTINUE || op->kind == TILE_BREAK) {
        const struct tile_op *target = tile_ended_by(op);
        for (uint32_t i = 0; i < op->operand_count && !is_function(target); i++)
            need(a, op, i, target->result[i]->layout);
        return;
    }
    if (op->kind == TILE_FOR || op->kind == TILE_LOOP) {
        uint32_t lead = op->kind == TILE_FOR;
        for (uint32_t i = 0; i < op->result_count; i++) {
            need(a, op, i + (lead ? 3 : 0), op->result[i]->layout);
            // What is carried has one layout all the way round; the body converts it where it must.
            op->block[0]->argument[i + lead]->layout = op->result[i]->layout;
        }
        return;
    }
    if (op->kind == TILE_MMA)
        need(a, op, 2, op->result[0]->layout);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct tile_layout *same;
        struct tile_layout other;
        // The emitter finds its way through a broadcast, or goes through shared memory, by itself.
        if (op->kind == TILE_BROADCAST || !needed(op, i, &same, &other))
            continue;
        need(a, op, i, same ? same : keep(a, compact(other)));
    }
    // A reduction's results have the layout that its operand says, and those of an op with several
    // that of the first; they are converted afterwards.
    if (op->kind == TILE_REDUCE || op->kind == TILE_ARGMIN || op->kind == TILE_ARGMAX) {
        struct tile_layout own =
            tile_layout_reduce(op->operand[0]->layout, (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));
        for (uint32_t i = 0; i < op->result_count; i++)
            give_in(a, op, i, &own);
    }
    if (op->kind == TILE_SCAN || acts_by_element(op))
        for (uint32_t i = 1; i < op->result_count; i++)
            give_in(a, op, i, op->result[0]->layout);
}

// Ops that need no other warp when their values are in each.
static bool needs_no_other(const struct tile_op *op)
{
    switch (op->kind) {
    case TILE_CONSTANT:
    case TILE_IOTA:
    case TILE_BLOCK:
    case TILE_NUM_BLOCKS:
    case TILE_DIM:
    case TILE_GATHER:
    case TILE_ATOMIC:
    case TILE_IF:
    case TILE_YIELD:
    case TILE_CONTINUE:
    case TILE_BREAK:
        return true;
    case TILE_REDUCE:
        return !op->block_count;
    case TILE_BROADCAST:
    case TILE_RESHAPE:
        return tile_elements(&op->operand[0]->type) == 1;
    default:
        return tile_op_infos[op->kind].traits & TILE_ELEMENTWISE;
    }
}

struct small_loop {
    bool fits, reads;
};

static void look_at_small(struct tile_op *op, void *data)
{
    enum { MOST_ELEMENTS = 128 };
    struct small_loop *s = data;

    s->fits &= needs_no_other(op);
    s->reads |= op->kind == TILE_GATHER || op->kind == TILE_ATOMIC;
    for (uint32_t i = 0; i < op->operand_count; i++)
        s->fits &= op->operand[i]->type.tensor ||
                   tile_elements(&op->operand[i]->type) <= MOST_ELEMENTS;
    for (uint32_t i = 0; i < op->result_count; i++)
        s->fits &= op->result[i]->type.tensor ||
                   tile_elements(&op->result[i]->type) <= MOST_ELEMENTS;
}

bool tile_loop_fits_warp(const struct tile_op *loop)
{
    struct small_loop s = { .fits = loop->kind == TILE_LOOP };

    if (s.fits)
        tile_walk((struct tile_block *)(uintptr_t)loop->block[0], look_at_small, &s);
    return s.fits && s.reads;
}

// All warps hold all of it, each lane every 32nd element.
static void give_whole(struct assignment *a, struct tile_value *value)
{
    uint8_t order[TILE_MAX_RANK];

    if (!wants_layout(value) || !value->type.rank)
        return;
    for (uint32_t i = 0; i < value->type.rank; i++)
        order[i] = (uint8_t)(value->type.rank - 1 - i);
    struct tile_layout layout = tile_blocked(&value->type, 0, 0, order);
    layout.warp_bits = (uint8_t)a->warp_bits; // their bases are zero
    give(a, value, layout);
}

static void give_whole_op(struct tile_op *op, void *data)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        give_whole(data, op->result[i]);
}

static void small_loop_op(struct tile_op *op, void *data)
{
    if (!tile_loop_fits_warp(op))
        return;
    for (uint32_t i = 0; i < op->result_count; i++) {
        give_whole(data, op->result[i]);
        give_whole(data, op->block[0]->argument[i]);
    }
    tile_walk(op->block[0], give_whole_op, data);
}

bool tile_assign_layouts(struct tile_kernel *kernel, uint32_t warps)
{
    struct assignment a = { .kernel = kernel, .warp_bits = tile_bits_of(warps) };

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        struct tile_layout scalar = { .warp_bits = (uint8_t)a.warp_bits };
        give(&a, kernel->parameter[i].value, scalar);
    }
    tile_walk(&kernel->body, scalar_op, &a);
    if (a.warp_bits)
        tile_walk(&kernel->body, small_loop_op, &a);
    for (a.memory = true;;) {
        spread(&a);
        a.largest = NULL;
        a.largest_elements = 0;
        a.vector_bits = 0;
        tile_walk(&kernel->body, a.memory ? largest_moved : largest_value, &a);
        if (!a.largest && a.memory) {
            a.memory = false;
            continue;
        }
        if (!a.largest || a.failed)
            break;
        tile_walk(&kernel->body, widest_vector, &a);
        a.other_axis = a.largest->rank ? a.largest->rank - 1u : 0;
        if (a.memory)
            tile_walk(&kernel->body, other_axis, &a);
        // Values of one shape are given theirs one by one, so that those that hang together are.
        a.changed = false;
        tile_walk(&kernel->body, give_blocked, &a);
        if (!a.changed)
            break;
    }
    tile_walk(&kernel->body, convert_op, &a);
    tile_settle(kernel);
    return !a.failed;
}
