// Spreads known layouts to connected values (assign.c).
#include "assign.h"

// Makes two values share a layout: if only one of them has a layout, passes it to the other.
static void unite(struct tile_assignment *a, struct tile_value *x, struct tile_value *y)
{
    if (x->type.tensor || y->type.tensor)
        return;
    if (x->layout && !y->layout)
        tile_set_layout(a, y, *x->layout);
    else if (y->layout && !x->layout)
        tile_set_layout(a, x, *y->layout);
}

static void spread_reduction(struct tile_assignment *a, struct tile_op *op)
{
    uint32_t axis = (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0);

    if (op->operand[0]->layout)
        for (uint32_t i = 0; i < op->result_count; i++)
            tile_set_layout(a, op->result[i], tile_layout_reduce(op->operand[0]->layout, axis));
}

static void spread_reshape(struct tile_assignment *a, struct tile_op *op)
{
    struct tile_value *x = op->operand[0], *y = op->result[0];
    struct tile_layout layout;

    if (x->layout && !y->layout && tile_layout_reshape(&layout, x->layout, &x->type, &y->type))
        tile_set_layout(a, y, layout);
    else if (y->layout && !x->layout && tile_layout_reshape(&layout, y->layout, &y->type, &x->type))
        tile_set_layout(a, x, layout);
}

bool tile_is_fixed_part(const struct tile_op *op)
{
    for (uint32_t i = 1; i < op->operand_count; i++)
        if (!op->operand[i]->op || op->operand[i]->op->kind != TILE_CONSTANT)
            return false;
    return true;
}

// Spreads layouts between a tile and an aligned part of it. Each thread finds its elements of the
// part among its own registers.
static void spread_part(struct tile_assignment *a, struct tile_value *whole,
                        struct tile_value *part)
{
    struct tile_layout layout;

    if (whole->layout && !part->layout &&
        tile_layout_part(&layout, whole->layout, &whole->type, &part->type, NULL))
        tile_set_layout(a, part, layout);
    else if (part->layout && !whole->layout &&
             tile_layout_of_whole(&layout, part->layout, &whole->type, &part->type))
        tile_set_layout(a, whole, layout);
}

static void spread_permute(struct tile_assignment *a, struct tile_op *op)
{
    const struct tile_attribute *axes = tile_attribute(op, TILE_ATTR_AXES);
    struct tile_value *x = op->operand[0], *y = op->result[0];
    int64_t back[TILE_MAX_RANK];

    // Do not spread if a tile is loaded and stored with different contiguous axes: each side keeps
    // the layout for its own axis.
    if (a->memory && axes->ints[axes->count - 1] != axes->count - 1)
        return;
    for (uint32_t i = 0; i < axes->count; i++)
        back[axes->ints[i]] = i;
    if (x->layout)
        tile_set_layout(a, y, tile_layout_permute(x->layout, axes->ints));
    else if (y->layout)
        tile_set_layout(a, x, tile_layout_permute(y->layout, back));
}

static void spread_element(struct tile_assignment *a, struct tile_op *op)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        for (uint32_t n = 0; n < op->operand_count; n++)
            if (!op->operand[n]->type.tensor &&
                op->operand[n]->type.rank == op->result[i]->type.rank)
                unite(a, op->operand[n], op->result[i]);
}

static void spread_first(struct tile_assignment *a, struct tile_op *op)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        unite(a, op->operand[0], op->result[i]);
}

static void spread_rank(struct tile_assignment *a, struct tile_op *op)
{
    unite(a, op->operand[0], op->result[0]);
}

static void spread_place(struct tile_assignment *a, struct tile_op *op)
{
    unite(a, op->operand[0], op->operand[1]);
}

static void spread_accumulator(struct tile_assignment *a, struct tile_op *op)
{
    unite(a, op->operand[2], op->result[0]);
}

static void spread_cat(struct tile_assignment *a, struct tile_op *op)
{
    for (uint32_t i = 0; i < 2 && tile_shape_same(&op->operand[0]->type, &op->operand[1]->type);
         i++)
        spread_part(a, op->result[0], op->operand[i]);
}

// A part of one element, which every thread holds, does not tell how threads share the whole.
static void spread_extract(struct tile_assignment *a, struct tile_op *op)
{
    if (tile_is_fixed_part(op) &&
        (op->operand[0]->layout || tile_elements(&op->result[0]->type) > 1))
        spread_part(a, op->operand[0], op->result[0]);
}

static void spread_scatter(struct tile_assignment *a, struct tile_op *op)
{
    struct tile_value *x = op->operand[op->operand[0]->type.rank + 1u];

    for (uint32_t i = 1; i < op->operand_count; i++)
        unite(a, x, op->operand[i]);
}

static void spread_loop(struct tile_assignment *a, struct tile_op *op)
{
    uint32_t lead = op->kind == TILE_FOR;

    for (uint32_t i = 0; i < op->result_count; i++) {
        unite(a, op->result[i], op->block[0]->argument[i + lead]);
        unite(a, op->operand[i + (lead ? 3 : 0)], op->result[i]);
    }
}

static void spread_end(struct tile_assignment *a, struct tile_op *op)
{
    const struct tile_op *target = tile_ended_by(op);

    for (uint32_t i = 0; i < op->operand_count && !tile_has_function(target); i++)
        unite(a, op->operand[i], target->result[i]);
}

static void (*const spreads[])(struct tile_assignment *a, struct tile_op *op) = {
    [TILE_LAYOUT_ELEMENT] = spread_element,
    [TILE_LAYOUT_FIRST] = spread_first,
    [TILE_LAYOUT_SCAN] = spread_first,
    [TILE_LAYOUT_RANK] = spread_rank,
    [TILE_LAYOUT_PLACE] = spread_place,
    [TILE_LAYOUT_REDUCE] = spread_reduction,
    [TILE_LAYOUT_ACCUMULATOR] = spread_accumulator,
    [TILE_LAYOUT_RESHAPE] = spread_reshape,
    [TILE_LAYOUT_PERMUTE] = spread_permute,
    [TILE_LAYOUT_CAT] = spread_cat,
    [TILE_LAYOUT_EXTRACT] = spread_extract,
    [TILE_LAYOUT_SCATTER] = spread_scatter,
    [TILE_LAYOUT_LOOP] = spread_loop,
    [TILE_LAYOUT_END] = spread_end,
};

static void spread_op(struct tile_op *op, void *data)
{
    enum tile_layout_class class = tile_op_infos[op->kind].layout;
    struct tile_assignment *a = data;

    if (spreads[class])
        spreads[class](a, op);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct tile_layout *same;
        struct tile_layout other;
        if (tile_needs_layout(op->operand[i]) && tile_needed_layout(op, i, &same, &other))
            tile_set_layout(a, op->operand[i], tile_layout_compact(same ? *same : other));
    }
}

void tile_spread_layouts(struct tile_assignment *a)
{
    do {
        a->changed = false;
        tile_walk(&a->kernel->body, spread_op, a);
    } while (a->changed && !a->failed);
}
