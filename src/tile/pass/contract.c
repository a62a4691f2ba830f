// a * b + c as one fma, rounded once, where the product goes nowhere else: what a target may
// `contract`. Beside products on tensor cores the work is what takes the time.
#include "fused.h"

#include "../scalar.h"

struct contraction {
    struct tile_kernel *kernel;
    bool changed;
};

static struct tile_value *negated(struct tile_kernel *kernel, struct tile_op *place,
                                  struct tile_value *x)
{
    struct tile_op *wide = x->op && x->op->kind == TILE_BROADCAST ? x->op : NULL, *op;
    struct tile_value *from = wide ? wide->operand[0] : x, *result;

    if (!(op = tile_op_create(kernel, TILE_NEG, 1, 1, 0)) ||
        !(result = tile_result_create(kernel, op, 0, &from->type)))
        return NULL;
    op->where = place->where;
    op->operand[0] = from;
    tile_insert_before(place, op);
    if (!wide)
        return result;
    from = result;
    if (!(op = tile_op_create(kernel, TILE_BROADCAST, 1, 1, 0)) ||
        !(result = tile_result_create(kernel, op, 0, &x->type)))
        return NULL;
    op->where = place->where;
    op->operand[0] = from;
    tile_insert_before(place, op);
    return result;
}

static void contract(struct tile_op *op, void *data)
{
    struct contraction *c = data;

    if ((op->kind != TILE_ADD && op->kind != TILE_SUB) || op->result[0]->type.dtype != CUC_F32 ||
        !op->result[0]->type.rank || tile_is_rounded(op))
        return;
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_value *product = op->operand[i];
        if (!product->op || product->op->kind != TILE_MUL || tile_is_rounded(product->op) ||
            tile_uses(c->kernel, product) != 1)
            continue;
        struct tile_value *x = product->op->operand[0], *y = product->op->operand[1];
        struct tile_value *z = op->operand[1 - i];
        if (op->kind == TILE_SUB)
            *(i ? &y : &z) = negated(c->kernel, op, i ? y : z);
        struct tile_op *fma = x && y && z ? tile_op_create(c->kernel, TILE_FMA, 3, 1, 0) : NULL;
        struct tile_value *result =
            fma ? tile_result_create(c->kernel, fma, 0, &op->result[0]->type) : NULL;
        if (!result)
            return;
        result->name = op->result[0]->name;
        fma->where = op->where;
        fma->operand[0] = x;
        fma->operand[1] = y;
        fma->operand[2] = z;
        tile_insert_before(op, fma);
        op->result[0]->forward = result;
        tile_remove(op);
        c->changed = true;
        return;
    }
}

void tile_contract(struct tile_kernel *kernel)
{
    struct contraction c = { .kernel = kernel };

    tile_walk(&kernel->body, contract, &c);
    if (!c.changed)
        return;
    tile_settle(kernel);
    tile_simplify(kernel);
}
