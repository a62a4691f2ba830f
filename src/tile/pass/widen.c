// Delays the widening of f16 and bf16 to f32, so that ops that do not round run before it. These
// are minimum and maximum reductions, which the hardware performs on two elements at a time, and
// the reshapes that lead to them.
#include "pass.h"
#include "tile/ir/words.h"

struct widening {
    struct tile_kernel *kernel;
    bool changed;
};

// Returns the cast that widens a value exactly, or NULL.
static const struct tile_op *widener_of(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    if (!op || op->kind != TILE_CAST)
        return NULL;
    cuc_dtype from = op->operand[0]->type.dtype, to = value->type.dtype;
    return (from == CUC_F16 || from == CUC_BF16) && (to == CUC_F32 || to == CUC_F64) ? op : NULL;
}

static struct tile_op *like(struct tile_kernel *kernel, const struct tile_op *op,
                            struct tile_op *place, struct tile_value *operand,
                            const struct tile_type *type)
{
    struct tile_op *copy = tile_op_create(kernel, op->kind, 1, 1, 0);

    if (!copy || !tile_result_create(kernel, copy, 0, type))
        return NULL;
    for (uint32_t i = 0; i < op->attribute_count; i++)
        tile_set(kernel, copy, op->attribute[i]);
    copy->where = op->where;
    tile_set_operand(copy, 0, operand);
    tile_insert_before(place, copy);
    return copy;
}

static bool may_go_first(const struct tile_op *op)
{
    if (op->kind == TILE_REDUCE) {
        int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
        return with == TILE_WITH_MIN || with == TILE_WITH_MAX;
    }
    return op->kind == TILE_RESHAPE && op->operand[0]->uses == 1;
}

static void visit(struct tile_op *op, void *data)
{
    struct widening *w = data;
    const struct tile_op *cast = op->operand_count == 1 ? widener_of(op->operand[0]) : NULL;

    if (!cast || !may_go_first(op))
        return;
    struct tile_value *old = op->result[0];
    struct tile_type type = old->type;
    type.dtype = cast->operand[0]->type.dtype;
    struct tile_op *first = like(w->kernel, op, op, cast->operand[0], &type);
    struct tile_op *last = first ? like(w->kernel, cast, op, first->result[0], &old->type) : NULL;
    if (!last)
        return;
    last->result[0]->name = old->name;
    tile_replace(old, last->result[0], NULL);
    tile_delete(op);
    w->changed = true;
}

bool tile_widen_late(struct tile_kernel *kernel)
{
    struct widening w = { .kernel = kernel };

    tile_walk(&kernel->body, visit, &w);
    if (w.changed)
        tile_renumber(kernel);
    return w.changed;
}
