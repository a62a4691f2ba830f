// What may as well be done before f16 and bf16 are widened is: a reshape, a minimum or maximum.
// Elements that are moved, or of which one is taken, are the same ones in either dtype.
#include "../compile.h"

#include "../ir/words.h"

struct narrowing {
    struct tile_kernel *kernel;
    bool changed;
};

// The cast that makes a value of one of 16 bits; NULL: it is no such one.
static struct tile_op *widening(const struct tile_value *value)
{
    struct tile_op *op = value->op;
    cuc_dtype from, to = value->type.dtype;

    if (!op || op->kind != TILE_CAST)
        return NULL;
    from = op->operand[0]->type.dtype;
    return (from == CUC_F16 || from == CUC_BF16) && (to == CUC_F32 || to == CUC_F64) ? op : NULL;
}

// The same op of another operand, with a result of another type.
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
    copy->operand[0] = operand;
    tile_insert_before(place, copy);
    return copy;
}

static bool may_go_first(const struct narrowing *n, const struct tile_op *op)
{
    if (op->kind == TILE_REDUCE) {
        int64_t with = tile_int(op, TILE_ATTR_WITH, TILE_WITH_SUM);
        return with == TILE_WITH_MIN || with == TILE_WITH_MAX;
    }
    return op->kind == TILE_RESHAPE && tile_uses(n->kernel, op->operand[0]) == 1;
}

static void visit(struct tile_op *op, void *data)
{
    struct narrowing *n = data;
    struct tile_op *cast = op->operand_count == 1 ? widening(op->operand[0]) : NULL;

    if (!cast || !may_go_first(n, op))
        return;
    struct tile_value *old = op->result[0];
    struct tile_type type = old->type;
    type.dtype = cast->operand[0]->type.dtype;
    struct tile_op *first = like(n->kernel, op, op, cast->operand[0], &type);
    struct tile_op *last =
        first ? like(n->kernel, cast, op, first->result[0], &old->type) : NULL;
    if (!last)
        return;
    last->result[0]->name = old->name;
    old->forward = last->result[0];
    tile_remove(op);
    n->changed = true;
}

bool tile_narrow_ops(struct tile_kernel *kernel)
{
    struct narrowing n = { .kernel = kernel };

    tile_walk(&kernel->body, visit, &n);
    if (n.changed)
        tile_settle(kernel);
    return n.changed;
}
