// Exchanges the operands: c' = b' a' instead of c = a b. wgmma computes 64 rows at a time but
// columns in steps of 8, so it computes a result with few rows faster as one with few columns.
// After the loop the result is transposed back.
#include "pass.h"
#include "pipeline.h"

static struct tile_value *transposed(struct tile_kernel *kernel, struct tile_op *place,
                                     struct tile_value *x)
{
    static const int64_t exchanged[] = { 1, 0 };
    const int32_t *extent = x->type.extent;
    struct tile_type type = tile_shaped(x->type.dtype, 2, (int32_t[]){ extent[1], extent[0] });
    struct tile_value *result = tile_make_before(kernel, place, TILE_PERMUTE, &type, 1, &x);

    if (!result)
        return x;
    tile_set(kernel, result->op,
             (struct tile_attribute){ .key = TILE_ATTR_AXES, .count = 2, .ints = exchanged });
    return result;
}

bool tile_swap_product(struct tile_kernel *kernel, const struct tile_pipeline *p)
{
    struct tile_op *loop = (struct tile_op *)(uintptr_t)p->loop;
    struct tile_op *mma = (struct tile_op *)(uintptr_t)p->mma;
    struct tile_value *carried[] = { loop->result[0], loop->block[0]->argument[1], mma->result[0] };
    struct tile_value *a = mma->operand[0];

    if (!loop->next) // the result has no use
        return false;
    tile_set_operand(mma, 0, transposed(kernel, mma, mma->operand[1]));
    tile_set_operand(mma, 1, transposed(kernel, mma, a));
    tile_set_operand(loop, 3, transposed(kernel, loop, loop->operand[3]));
    for (uint32_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++)
        carried[i]->type = loop->operand[3]->type;
    struct tile_value *back = transposed(kernel, loop->next, loop->result[0]);
    if (back == loop->result[0]) // out of memory
        return false;
    tile_replace(loop->result[0], back, back->op);
    tile_renumber(kernel);
    tile_simplify(kernel);
    return true;
}
