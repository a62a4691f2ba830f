// Delays the widening of f16 and bf16 to f32, so that ops that do not round run before it. These
// are minimum and maximum reductions, which the hardware performs on two elements at a time, and
// the reshapes and magnitudes that lead to them.
#include "pass.h"
#include "tile/ir/words.h"

struct widening {
    struct tile_kernel *kernel;
    bool changed;
};

bool tile_is_widening(const struct tile_op *op)
{
    if (op->kind != TILE_CAST)
        return false;
    cuc_dtype from = op->operand[0]->type.dtype, to = op->result[0]->type.dtype;
    return (from == CUC_F16 || from == CUC_BF16) && (to == CUC_F32 || to == CUC_F64);
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

static bool is_extremum(const struct tile_op *op)
{
    int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);

    return op->kind == TILE_REDUCE && (with == TILE_WITH_MIN || with == TILE_WITH_MAX);
}

// True for magnitudes that are only reduced to a minimum or maximum, which clears signs by words
// (emit/reduce.c).
static bool is_reduced(const struct tile_op *op)
{
    const struct tile_value *x = op->kind == TILE_ABS ? op->result[0] : NULL;

    while (x && x->uses == 1 && x->use->user->kind == TILE_RESHAPE)
        x = x->use->user->result[0];
    return x && x->uses == 1 && is_extremum(x->use->user);
}

static bool may_go_first(const struct tile_op *op)
{
    return is_extremum(op) || is_reduced(op) ||
           (op->kind == TILE_RESHAPE && op->operand[0]->uses == 1);
}

static void visit(struct tile_op *op, void *data)
{
    struct widening *w = data;
    const struct tile_op *cast = op->operand_count == 1 ? op->operand[0]->op : NULL;

    if (!cast || !tile_is_widening(cast) || !may_go_first(op))
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
