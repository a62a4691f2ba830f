// Defers the reduction of loop-carried sums: in the loop, each lane adds up its own elements of a
// row without waiting for other lanes. The lanes' partial sums are combined after the loop.
//
//     den = den fade + sum(p, 1)
//
// This is possible because the assignment is linear in `den`, and all lanes that share a row have
// the same `fade`.
#include "fused.h"

#include "tile/ir/words.h"
#include "tile/ir/scalar.h"

// Returns the reduction that `add` adds to x or to a multiple of x, or NULL if `add` does something
// else.
static struct tile_op *added_to(const struct tile_value *x, const struct tile_op *add)
{
    if (!add || add->kind != TILE_ADD || tile_is_rounded(add))
        return NULL;
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_value *multiple = add->operand[i];
        const struct tile_op *product = multiple->op;
        struct tile_op *sum = add->operand[1 - i]->op;
        if (multiple != x &&
            (!product || product->kind != TILE_MUL || tile_is_rounded(product) ||
             multiple->uses != 1 || (product->operand[0] != x && product->operand[1] != x)))
            continue;
        if (sum && sum->kind == TILE_REDUCE && sum->parent == add->parent &&
            sum->result[0]->uses == 1)
            return sum;
    }
    return NULL;
}

static bool is_of_lines(const struct tile_op *sum)
{
    const struct tile_type *type = &sum->operand[0]->type;

    return tile_int(sum, TILE_ATTR_WITH, TILE_WITH_FN) == TILE_WITH_SUM && !tile_is_rounded(sum) &&
           type->dtype == CUC_F32 && type->rank == 2 && tile_int(sum, TILE_ATTR_AXIS, 0) == 1;
}

static bool combine_after_loop(struct tile_kernel *kernel, struct tile_op *loop, uint32_t index)
{
    static const struct tile_attribute attributes[] = {
        { .key = TILE_ATTR_AXIS, .i = 1 },
        { .key = TILE_ATTR_WITH, .i = TILE_WITH_SUM },
        { .key = TILE_ATTR_PARTIAL, .i = TILE_PARTIAL_JOINED },
    };
    struct tile_value *kept = loop->result[index];
    struct tile_value *sum =
        tile_make_before(kernel, loop->next, TILE_REDUCE, &kept->type, 1, &kept);

    if (!sum)
        return false;
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        tile_set(kernel, sum->op, attributes[i]);
    sum->op->where = loop->where;
    tile_replace(kept, sum, sum->op);
    return true;
}

void tile_defer_reductions(struct tile_kernel *kernel, const struct tile_fused *p)
{
    struct tile_op *loop = (struct tile_op *)(uintptr_t)p->base.loop;
    const struct tile_op *end = loop->block[0]->last;

    for (uint32_t i = 0; i < end->operand_count && loop->next; i++) {
        const struct tile_value *next = end->operand[i], *x = loop->block[0]->argument[1 + i];
        struct tile_op *sum = added_to(x, next->op);
        if (!sum || !is_of_lines(sum) || next->op->parent != loop->block[0] ||
            !tile_is_zero(loop->operand[3 + i]) || next->uses != 1 || x->uses != 1)
            continue;
        if (!combine_after_loop(kernel, loop, i))
            return;
        tile_set(kernel, sum,
                 (struct tile_attribute){ .key = TILE_ATTR_PARTIAL, .i = TILE_PARTIAL_KEPT });
    }
}

// ---- After layouts are assigned

struct parts {
    bool *kept; // by value id: each lane holds only a partial sum
    bool changed, moved;
};

static void follow(struct tile_op *op, void *data)
{
    struct parts *p = data;
    const struct tile_op *around = op->parent->parent;
    int64_t parts = op->kind == TILE_REDUCE ? tile_int(op, TILE_ATTR_PARTIAL, 0) : 0;

    for (uint32_t i = 0; i < op->operand_count; i++) {
        struct tile_value *to = NULL;
        if (parts == TILE_PARTIAL_JOINED || !p->kept[op->operand[i]->id])
            continue;
        if (op->kind == TILE_YIELD || op->kind == TILE_CONTINUE)
            to = around->result[i];
        else if (op->result_count == 1)
            to = op->result[0];
        if (op->kind == TILE_CONTINUE && !p->kept[around->block[0]->argument[1 + i]->id])
            p->changed = p->kept[around->block[0]->argument[1 + i]->id] = true;
        if (to && !p->kept[to->id])
            p->changed = p->kept[to->id] = true;
        p->moved |= op->kind == TILE_CONVERT;
    }
    if (parts == TILE_PARTIAL_KEPT && !p->kept[op->result[0]->id])
        p->changed = p->kept[op->result[0]->id] = true;
}

// Checks that no value with partial sums is converted to another layout. Before the partial sums
// are joined, lanes with equal coordinates hold different values.
const char *tile_settle_deferred_reductions(struct tile_kernel *kernel)
{
    struct parts p = { tile_take(kernel->module, (kernel->value_count + 1) * sizeof(bool)), true,
                       false };

    while (p.kept && p.changed) {
        p.changed = false;
        tile_walk(&kernel->body, follow, &p);
    }
    return !p.kept ? "" : p.moved ? "partial sums of lanes would change their layout" : NULL;
}
