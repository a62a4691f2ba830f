// Exchanges the operands: c' = b' a' instead of c = a b. wgmma computes 64 rows at a time but
// columns in multiples of 8, so a result with few rows is cheaper to compute as one with few
// columns. Code after the loop reads the result transposed back.
#include "fused.h"
#include "pass.h"

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

// `index` is the accumulator's index among the values that the loop carries.
static bool swap(struct tile_kernel *kernel, struct tile_op *loop, struct tile_op *mma,
                 uint32_t index)
{
    struct tile_value *carried[] = { loop->result[index], loop->block[0]->argument[1 + index],
                                     mma->result[0] };
    struct tile_value *a = mma->operand[0];

    if (!loop->next) // the result has no use
        return false;
    tile_set_operand(mma, 0, transposed(kernel, mma, mma->operand[1]));
    tile_set_operand(mma, 1, transposed(kernel, mma, a));
    tile_set_operand(loop, 3 + index, transposed(kernel, loop, loop->operand[3 + index]));
    for (uint32_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++)
        carried[i]->type = loop->operand[3 + index]->type;
    struct tile_value *back = transposed(kernel, loop->next, loop->result[index]);
    if (back == loop->result[index]) // out of memory
        return false;
    tile_replace(loop->result[index], back, back->op);
    tile_renumber(kernel);
    tile_simplify(kernel);
    return true;
}

bool tile_swap_product(struct tile_kernel *kernel, const struct tile_pipeline *p)
{
    return swap(kernel, (struct tile_op *)(uintptr_t)p->loop, (struct tile_op *)(uintptr_t)p->mma,
                0);
}

struct lone_product {
    struct tile_op *mma;
    uint32_t count;
};

static void find_product(struct tile_op *op, void *data)
{
    struct lone_product *found = data;

    if (op->kind == TILE_MMA)
        found->mma = op;
    found->count += op->kind == TILE_MMA;
}

bool tile_swap_computed(struct tile_kernel *kernel)
{
    struct lone_product found = { NULL, 0 };
    bool transposes = false;

    tile_walk(&kernel->body, find_product, &found);
    struct tile_op *mma = found.mma, *loop = mma ? mma->parent->parent : NULL;
    if (found.count != 1 || !loop || loop->kind != TILE_FOR || mma->result[0]->type.rank != 2 ||
        tile_loaded_box(mma->operand[1], &transposes) ||
        !tile_loaded_box(mma->operand[0], &transposes))
        return false;
    const struct tile_value *in = tile_fused_carried_in(loop, mma);
    return in && in == mma->operand[2] && in->uses == 1 && swap(kernel, loop, mma, in->index - 1);
}
