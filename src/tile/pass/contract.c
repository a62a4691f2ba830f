// Contracts a * b + c to one fma, which rounds once, if the product has no other use. Only targets
// with `contract` allow this. Beside tensor-core products, such arithmetic takes most of the time.
#include "pass.h"
#include "fused.h"

#include "tile/ir/scalar.h"

struct contraction {
    struct tile_kernel *kernel;
    bool changed;
};

// Negates a value. If it is a broadcast, negates the operand of the broadcast.
static struct tile_value *negated(struct tile_kernel *kernel, struct tile_op *place,
                                  struct tile_value *x)
{
    bool wide = x->op && x->op->kind == TILE_BROADCAST;
    struct tile_value *from = wide ? x->op->operand[0] : x;
    struct tile_value *result = tile_make_before(kernel, place, TILE_NEG, &from->type, 1, &from);

    return wide ? tile_make_before(kernel, place, TILE_BROADCAST, &x->type, 1, &result) : result;
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
            product->uses != 1)
            continue;
        struct tile_value *x = product->op->operand[0], *y = product->op->operand[1];
        struct tile_value *z = op->operand[1 - i];
        if (op->kind == TILE_SUB)
            *(i ? &y : &z) = negated(c->kernel, op, i ? y : z);
        struct tile_value *fma = tile_make_before(c->kernel, op, TILE_FMA, &op->result[0]->type, 3,
                                                  (struct tile_value *[]){ x, y, z });
        if (!fma)
            return;
        fma->name = op->result[0]->name;
        tile_replace(op->result[0], fma, NULL);
        tile_delete(op);
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
    tile_renumber(kernel);
    tile_simplify(kernel);
}
