// Gives the products of a loop loads of their own where the loop also uses the loaded tile for
// other work, such as a norm or a column sum. A pipeline can then stream the operand; it holds a
// tile that the loop loads twice only once (fused_share.c).
#include "pass.h"

struct separation {
    struct tile_kernel *kernel;
    bool only_transposed; // only left operands whose depth axis is not last in memory
    bool changed, failed;
};

static uint32_t products_of(const struct tile_value *operand, const struct tile_op *mma,
                            uint32_t which)
{
    uint32_t count = 0;

    for (const struct tile_op *op = mma->parent->first; op; op = op->next)
        count += op->kind == TILE_MMA && op->operand[which] == operand;
    return count;
}

// Returns the load of an operand, which may lie behind transposes and a reshape, if it is in the
// product's block, has no order, and something else than products uses its tile. Otherwise NULL.
static struct tile_op *shared_load(const struct tile_op *mma, uint32_t which)
{
    const struct tile_value *value = mma->operand[which];
    bool shared = products_of(value, mma, which) < value->uses;
    struct tile_op *op = value->op;

    while (op && op->parent == mma->parent &&
           (op->kind == TILE_PERMUTE || op->kind == TILE_RESHAPE)) {
        op = op->operand[0]->op;
        shared |= op && op->result[0]->uses > 1;
    }
    bool is_load = op && op->parent == mma->parent && tile_is_tile_load(op);
    return is_load && shared && tile_pads_zeros(op) ? op : NULL;
}

static bool is_transposed(const struct tile_value *operand)
{
    const struct tile_op *op = operand->op;

    while (op && op->kind == TILE_RESHAPE)
        op = op->operand[0]->op;
    return op && op->kind == TILE_PERMUTE;
}

// Copies the ops from a load to an operand. Each copy precedes its original.
static struct tile_value *copy_operand(struct tile_kernel *kernel, struct tile_op *load,
                                       const struct tile_value *operand)
{
    struct tile_value **map = tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*map));
    struct tile_op *last = operand->op, *next = NULL, *copy = NULL;

    for (struct tile_op *op = load; map; op = next) {
        if (!(copy = tile_clone(kernel, op, map)))
            return NULL;
        tile_insert_before(op, copy);
        if (op == last)
            return copy->result[0];
        for (next = last; next->operand[0] != op->result[0];)
            next = next->operand[0]->op;
    }
    return NULL;
}

static void separate(struct tile_op *mma, void *data)
{
    struct separation *s = data;

    if (mma->kind != TILE_MMA || mma->parent == &s->kernel->body)
        return;
    for (uint32_t which = 0; which < 2 && !s->failed; which++) {
        struct tile_value *old = mma->operand[which];
        struct tile_op *load = shared_load(mma, which);
        if (s->only_transposed && (which || !is_transposed(old)))
            continue;
        struct tile_value *own = load ? copy_operand(s->kernel, load, old) : NULL;
        for (struct tile_op *op = mma->parent->first; own && op; op = op->next)
            if (op->kind == TILE_MMA && op->operand[which] == old)
                tile_set_operand(op, which, own);
        s->failed |= load && !own;
        s->changed |= own != NULL;
    }
}

bool tile_separate_operands(struct tile_kernel *kernel, bool only_transposed)
{
    struct separation s = { .kernel = kernel, .only_transposed = only_transposed };

    tile_walk(&kernel->body, separate, &s);
    if (!s.changed || s.failed)
        return false;
    tile_drop_dead(kernel);
    tile_renumber(kernel);
    return true;
}
