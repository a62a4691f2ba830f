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

// Exchanges the operands of a product. `index` is the accumulator's index among the values that the
// loop carries, `b` the transposed left operand.
static bool exchange(struct tile_kernel *kernel, struct tile_op *loop, struct tile_op *mma,
                     uint32_t index, struct tile_value *b)
{
    struct tile_value *carried[] = { loop->result[index], loop->block[0]->argument[1 + index],
                                     mma->result[0] };

    tile_set_operand(mma, 0, transposed(kernel, mma, mma->operand[1]));
    tile_set_operand(mma, 1, b);
    tile_set_operand(loop, 3 + index, transposed(kernel, loop, loop->operand[3 + index]));
    for (uint32_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++)
        carried[i]->type = loop->operand[3 + index]->type;
    struct tile_value *back = transposed(kernel, loop->next, loop->result[index]);
    if (back == loop->result[index]) // out of memory
        return false;
    tile_replace(loop->result[index], back, back->op);
    return true;
}

bool tile_swap_product(struct tile_kernel *kernel, const struct tile_pipeline *p)
{
    struct tile_op *loop = (struct tile_op *)(uintptr_t)p->loop,
                   *mma = (struct tile_op *)(uintptr_t)p->mma;

    if (!loop->next || // the result has no use
        !exchange(kernel, loop, mma, 0, transposed(kernel, mma, mma->operand[0])))
        return false;
    tile_renumber(kernel);
    tile_simplify(kernel);
    return true;
}

struct products {
    struct tile_op *mma[TILE_MOST_PRODUCTS];
    uint32_t count;
};

static void find_products(struct tile_op *op, void *data)
{
    struct products *found = data;

    if (op->kind != TILE_MMA)
        return;
    if (found->count < TILE_MOST_PRODUCTS)
        found->mma[found->count] = op;
    found->count++;
}

// True if a product has a computed b, an a that is loaded for products alone, and an accumulator
// that the loop carries for it alone.
static bool can_exchange(const struct tile_op *loop, const struct tile_op *mma)
{
    const struct tile_value *a = mma->operand[0], *in = tile_fused_carried_in(loop, mma);
    bool transposes = false;

    return mma->parent == loop->block[0] && mma->result[0]->type.rank == 2 &&
           !tile_streamed_box(mma->operand[1], mma->operand[1]->uses, &transposes) &&
           tile_streamed_box(a, a->uses, &transposes) && tile_only_products_use(loop, a, 0) && in &&
           in == mma->operand[2] && in->uses == 1;
}

bool tile_swap_computed(struct tile_kernel *kernel)
{
    struct products found = { .count = 0 };
    struct tile_value *left[TILE_MOST_PRODUCTS], *right[TILE_MOST_PRODUCTS];

    tile_walk(&kernel->body, find_products, &found);
    struct tile_op *loop = found.count ? found.mma[0]->parent->parent : NULL;
    if (!loop || loop->kind != TILE_FOR || !loop->next || found.count > TILE_MOST_PRODUCTS)
        return false;
    for (uint32_t i = 0; i < found.count; i++)
        if (!can_exchange(loop, found.mma[i]))
            return false;
    for (uint32_t i = 0; i < found.count; i++) {
        struct tile_op *mma = found.mma[i];
        uint32_t same = 0;
        left[i] = mma->operand[0];
        while (left[same] != left[i])
            same++;
        right[i] = same < i ? right[same] : transposed(kernel, mma, left[i]);
        if (!exchange(kernel, loop, mma, tile_fused_carried_in(loop, mma)->index - 1, right[i]))
            return false;
    }
    tile_renumber(kernel);
    tile_simplify(kernel);
    return true;
}
