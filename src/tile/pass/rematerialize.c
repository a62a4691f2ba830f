// Rematerialization for long rows of f16 and bf16. Such a row waits in registers, two elements to a
// word, until its reductions finish. Values that take only a few instructions per element are not
// kept in f32 in the meantime. Instead, each part of the kernel recomputes them from the packed
// word. This halves the number of registers and leaves room for another block, which can load while
// this one computes.
//
// Reductions over a whole row split the kernel into parts. If one part computes a value and a later
// part uses it, the later part recomputes it, starting with the widening cast. A mark on the cast
// makes each part emit different instructions for it; otherwise ptxas would merge the copies again.
#include "pass.h"

enum { MOST_PARTS = 3, MOST_COST = 4 };

struct rematerialization {
    struct tile_kernel *kernel;
    int64_t elements; // least length of a row
    uint32_t part, originals;
    uint8_t *made;                        // by value id: the part that computes it
    struct tile_value **copy[MOST_PARTS]; // by value id
    struct tile_value **first;            // original value, by a copy's id minus `originals`
    bool changed, failed;
};

static bool is_scalar(const struct tile_value *value)
{
    while (value->op && (value->op->kind == TILE_BROADCAST || value->op->kind == TILE_RESHAPE))
        value = value->op->operand[0];
    return !value->type.tensor && tile_elements(&value->type) == 1;
}

static bool is_half(const struct tile_value *value)
{
    return value->type.dtype == CUC_F16 || value->type.dtype == CUC_BF16;
}

// Returns the instructions per element, counted from the packed word. A value that costs more than
// MOST_COST is kept in f32.
static uint32_t cost_of(const struct rematerialization *a, const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (!op || value->type.dtype != CUC_F32 || tile_elements(&value->type) < a->elements)
        return MOST_COST + 1;
    switch (op->kind) {
    case TILE_CAST:
        return is_half(op->operand[0]) ? 1 : MOST_COST + 1;
    case TILE_ADD:
    case TILE_SUB:
    case TILE_MUL:
        for (uint32_t i = 0; i < 2; i++)
            if (is_scalar(op->operand[1 - i]) && !is_scalar(op->operand[i]))
                return 1 + cost_of(a, op->operand[i]);
        return MOST_COST + 1;
    case TILE_EXP:
    case TILE_EXP2:
        return tile_int(op, TILE_ATTR_APPROXIMATE, 0)
                   ? (op->kind == TILE_EXP ? 2 : 1) + cost_of(a, op->operand[0])
                   : MOST_COST + 1;
    default:
        return MOST_COST + 1;
    }
}

static struct tile_value *rematerialized(struct rematerialization *a, struct tile_op *place,
                                         struct tile_value *value)
{
    if (value->id >= a->originals) // this is a copy made in an earlier part
        value = a->first[value->id - a->originals];
    struct tile_value **kept = &a->copy[a->part][value->id];
    const struct tile_op *op = value->op;

    if (cost_of(a, value) > MOST_COST)
        return value;
    if (*kept)
        return *kept;
    struct tile_op *copy = tile_op_create(a->kernel, op->kind, op->operand_count, 1, 0);
    struct tile_value *result = copy ? tile_result_create(a->kernel, copy, 0, &value->type) : NULL;
    if (!result) {
        a->failed = true;
        return value;
    }
    for (uint32_t i = 0; i < op->attribute_count; i++)
        tile_set(a->kernel, copy, op->attribute[i]);
    copy->where = op->where;
    result->name = value->name;
    for (uint32_t i = 0; i < op->operand_count; i++)
        tile_set_operand(copy, i,
                         op->kind == TILE_CAST ? op->operand[i]
                                               : rematerialized(a, place, op->operand[i]));
    if (op->kind == TILE_CAST)
        tile_set(a->kernel, copy,
                 (struct tile_attribute){ .key = TILE_ATTR_REMATERIALIZED, .i = (int64_t)a->part });
    tile_insert_before(place, copy);
    a->first[result->id - a->originals] = value;
    a->changed = true;
    return *kept = result;
}

static bool ends_part(const struct rematerialization *a, const struct tile_op *op)
{
    const struct tile_type *type = op->kind == TILE_REDUCE ? &op->operand[0]->type : NULL;

    return type && type->extent[tile_int(op, TILE_ATTR_AXIS, 0)] >= a->elements;
}

bool tile_rematerialize(struct tile_kernel *kernel, int64_t elements)
{
    struct rematerialization a = { .kernel = kernel,
                                   .elements = elements,
                                   .originals = kernel->value_count };
    size_t values = kernel->value_count + 1;

    a.made = tile_take(kernel->module, values);
    for (uint32_t i = 0; i < MOST_PARTS; i++)
        a.copy[i] = tile_take(kernel->module, values * sizeof(struct tile_value *));
    a.first = tile_take(kernel->module, MOST_PARTS * values * sizeof(struct tile_value *));
    if (!a.made || !a.first || !a.copy[0] || !a.copy[1] || !a.copy[2])
        return false;
    for (struct tile_op *op = kernel->body.first; op && !a.failed; op = op->next) {
        for (uint32_t i = 0; i < op->operand_count; i++) {
            struct tile_value *x = op->operand[i];
            if (x->id < a.originals && a.made[x->id] < a.part)
                tile_set_operand(op, i, rematerialized(&a, op, x));
        }
        for (uint32_t i = 0; i < op->result_count; i++)
            if (op->result[i]->id < a.originals)
                a.made[op->result[i]->id] = (uint8_t)a.part;
        if (ends_part(&a, op) && a.part + 1 < MOST_PARTS)
            a.part++;
    }
    if (a.changed)
        tile_renumber(kernel);
    return a.changed && !a.failed;
}
