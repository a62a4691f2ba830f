// Inserts a convert for each operand whose layout differs from the one its op needs (assign.c).
// Rematerializes values that cost nothing to compute instead.
#include "assign.h"

// Returns true if a value and everything it depends on is rematerialized instead of converted.
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

static struct tile_value *rematerialized(struct tile_assignment *a, struct tile_op *place,
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

static struct tile_value *converted(struct tile_assignment *a, struct tile_op *place,
                                    struct tile_value *value, const struct tile_layout *layout)
{
    if (is_free(value, 0))
        return rematerialized(a, place, value, layout);
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

static void need(struct tile_assignment *a, struct tile_op *op, uint32_t operand,
                 const struct tile_layout *layout)
{
    struct tile_value *value = op->operand[operand];

    if (value->type.tensor || !value->type.rank || !layout || !value->layout ||
        tile_layout_same(value->layout, layout))
        return;
    tile_set_operand(op, operand, converted(a, op, value, layout));
    a->changed = true;
}

// Gives an op's result the layout `own`, then converts the result to its assigned layout.
static void convert_from(struct tile_assignment *a, struct tile_op *op, uint32_t result,
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
    made->layout = tile_keep_layout(a, *own);
    change->where = op->where;
    tile_set_operand(change, 0, made);
    change->result[0] = old;
    old->op = change;
    old->index = 0;
    if (op->next)
        tile_insert_before(op->next, change);
    else
        tile_append(op->parent, change);
}

static void convert_end(struct tile_assignment *a, struct tile_op *op)
{
    const struct tile_op *target = tile_ended_by(op);

    for (uint32_t i = 0; i < op->operand_count && !tile_has_function(target); i++)
        need(a, op, i, target->result[i]->layout);
}

static void convert_loop(struct tile_assignment *a, struct tile_op *op)
{
    uint32_t lead = op->kind == TILE_FOR;

    for (uint32_t i = 0; i < op->result_count; i++) {
        need(a, op, i + (lead ? 3 : 0), op->result[i]->layout);
        // A carried value has one layout for the whole loop; the body converts it if necessary.
        op->block[0]->argument[i + lead]->layout = op->result[i]->layout;
    }
}

static void convert_accumulator(struct tile_assignment *a, struct tile_op *op)
{
    need(a, op, 2, op->result[0]->layout);
}

static void convert_operands(struct tile_assignment *a, struct tile_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct tile_layout *same;
        struct tile_layout other;
        if (tile_needed_layout(op, i, &same, &other))
            need(a, op, i, same ? same : tile_keep_layout(a, tile_layout_compact(other)));
    }
}

// Computes the results' layout from the first operand's, then converts each result whose assigned
// layout differs.
static void convert_reduction(struct tile_assignment *a, struct tile_op *op)
{
    convert_operands(a, op);
    struct tile_layout own =
        tile_layout_reduce(op->operand[0]->layout, (uint32_t)tile_int(op, TILE_ATTR_AXIS, 0));
    for (uint32_t i = 0; i < op->result_count; i++)
        convert_from(a, op, i, &own);
}

static void convert_shared(struct tile_assignment *a, struct tile_op *op)
{
    convert_operands(a, op);
    for (uint32_t i = 1; i < op->result_count; i++)
        convert_from(a, op, i, op->result[0]->layout);
}

// By layout class: the function that inserts an op's converts. The table omits broadcasts, which
// the emitter handles itself, and ops that move their operands through shared memory.
static void (*const converts[])(struct tile_assignment *a, struct tile_op *op) = {
    [TILE_LAYOUT_ELEMENT] = convert_shared,   [TILE_LAYOUT_SCAN] = convert_shared,
    [TILE_LAYOUT_REDUCE] = convert_reduction, [TILE_LAYOUT_ACCUMULATOR] = convert_accumulator,
    [TILE_LAYOUT_RANK] = convert_operands,    [TILE_LAYOUT_PLACE] = convert_operands,
    [TILE_LAYOUT_TAKE] = convert_operands,    [TILE_LAYOUT_PAD] = convert_operands,
    [TILE_LAYOUT_ROWS] = convert_operands,    [TILE_LAYOUT_SCATTER] = convert_operands,
    [TILE_LAYOUT_LOOP] = convert_loop,        [TILE_LAYOUT_END] = convert_end,
};

static void convert_op(struct tile_op *op, void *data)
{
    enum tile_layout_class class = tile_op_infos[op->kind].layout;
    struct tile_assignment *a = data;

    if (converts[class] && !a->failed)
        converts[class](a, op);
}

void tile_convert_layouts(struct tile_assignment *a)
{
    tile_walk(&a->kernel->body, convert_op, a);
}
