// Walks over the IR: queries about values and ops, and replacement of values. See ir.h.
#include "ir.h"

#include "budget.h"
#include "words.h"

void tile_walk(struct tile_block *block, void (*visit)(struct tile_op *op, void *data), void *data)
{
    for (struct tile_op *op = block->first, *next; op; op = next) {
        next = op->next;
        visit(op, data);
        if (op->parent == block) // visit() did not remove it
            for (uint32_t i = 0; i < op->block_count; i++)
                tile_walk(op->block[i], visit, data);
    }
}

enum { VALUES_A_STEP = 8 }; // of a walk that only compares

struct uses {
    const struct tile_value *value;
    const struct tile_block *block;
    uint32_t count, outside; // of the block
};

static void count_uses(struct tile_op *op, void *data)
{
    struct uses *u = data;

    for (uint32_t i = 0; i < op->operand_count; i++)
        if (op->operand[i] == u->value) {
            u->count++;
            u->outside += op->parent != u->block;
        }
}

static struct uses uses_of(const struct tile_kernel *kernel, const struct tile_value *value,
                           const struct tile_block *block)
{
    struct uses u = { value, block, 0, 0 };

    tile_spend(kernel->module, 1 + kernel->value_count / VALUES_A_STEP);
    tile_walk((struct tile_block *)(uintptr_t)&kernel->body, count_uses, &u);
    return u;
}

static void count_each(struct tile_op *op, void *data)
{
    struct tile_use_count *count = data;

    for (uint32_t i = 0; i < op->operand_count; i++) {
        const struct tile_value *value = op->operand[i];
        count[value->id].all++;
        count[value->id].outside += !value->op || op->parent != value->op->parent;
    }
}

struct tile_use_count *tile_count_uses(const struct tile_kernel *kernel)
{
    struct tile_use_count *count =
        tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*count));

    if (count)
        tile_walk((struct tile_block *)(uintptr_t)&kernel->body, count_each, count);
    return count;
}

uint32_t tile_uses(const struct tile_kernel *kernel, const struct tile_value *value)
{
    return uses_of(kernel, value, NULL).count;
}

bool tile_is_used_outside(const struct tile_kernel *kernel, const struct tile_value *value,
                          const struct tile_block *block)
{
    return uses_of(kernel, value, block).outside != 0;
}

bool tile_is_zero(const struct tile_value *value)
{
    const struct tile_op *op = value->op;

    while (op &&
           (op->kind == TILE_BROADCAST || op->kind == TILE_RESHAPE || op->kind == TILE_PERMUTE))
        op = op->operand[0]->op;
    if (!op || op->kind != TILE_CONSTANT)
        return false;
    const struct tile_attribute *real = tile_attribute(op, TILE_ATTR_REAL);
    return real ? real->f == 0 : tile_int(op, TILE_ATTR_VALUE, 1) == 0;
}

const struct tile_op *tile_loop_around(const struct tile_op *op)
{
    const struct tile_op *around = op->parent->parent;

    while (around && around->kind != TILE_FOR && around->kind != TILE_LOOP)
        around = around->parent ? around->parent->parent : NULL;
    return around;
}

const struct tile_op *tile_ended_by(const struct tile_op *terminator)
{
    return terminator->kind == TILE_YIELD ? terminator->parent->parent
                                          : tile_loop_around(terminator);
}

bool tile_is_within(const struct tile_op *op, const struct tile_block *block)
{
    for (const struct tile_block *b = op->parent; b; b = b->parent ? b->parent->parent : NULL)
        if (b == block)
            return true;
    return false;
}

const struct tile_value *tile_strip_transposes(const struct tile_kernel *kernel,
                                               const struct tile_value *value, bool *transposed)
{
    while (value->op && value->op->kind == TILE_PERMUTE && tile_uses(kernel, value) == 1) {
        *transposed ^= tile_attribute(value->op, TILE_ATTR_AXES)->ints[0] == 1;
        value = value->op->operand[0];
    }
    return value;
}

bool tile_is_plain_load(const struct tile_op *op)
{
    return op->kind == TILE_LOAD && tile_int(op, TILE_ATTR_ORDER, TILE_WEAK) == TILE_WEAK &&
           (!tile_int(op, TILE_ATTR_PADDED, 0) || tile_is_zero(op->operand[op->operand_count - 1]));
}

uint32_t tile_other_axis(const struct tile_op *access)
{
    int64_t dropped = tile_int(access, TILE_ATTR_DROPPED, 0);
    uint32_t other = tile_attribute(access, TILE_ATTR_SHAPE)->count - 1u;

    while (other-- > 0 && dropped >> other & 1)
        ;
    return other;
}

struct replacing {
    const struct tile_value *from;
    struct tile_value *to;
    const struct tile_op *except;
};

static void replace_in(struct tile_op *op, void *data)
{
    const struct replacing *r = data;

    for (uint32_t i = 0; i < op->operand_count && op != r->except; i++)
        if (op->operand[i] == r->from)
            op->operand[i] = r->to;
}

void tile_replace_uses(struct tile_kernel *kernel, const struct tile_value *from,
                       struct tile_value *to, const struct tile_op *except)
{
    struct replacing r = { from, to, except };

    tile_spend(kernel->module, 1 + kernel->value_count / VALUES_A_STEP);
    tile_walk(&kernel->body, replace_in, &r);
}

static struct tile_value *replacement(struct tile_value *value)
{
    struct tile_value *end = value;

    while (end->forward)
        end = end->forward;
    while (value->forward) { // shorten the chain, so that it is walked only once
        struct tile_value *next = value->forward;
        value->forward = end;
        value = next;
    }
    return end;
}

static void settle_op(struct tile_op *op, void *data)
{
    uint32_t *next = data;

    for (uint32_t i = 0; i < op->operand_count; i++)
        op->operand[i] = replacement(op->operand[i]);
    for (uint32_t i = 0; i < op->result_count; i++)
        op->result[i]->id = (*next)++;
    for (uint32_t i = 0; i < op->block_count; i++)
        for (uint32_t n = 0; n < op->block[i]->argument_count; n++)
            op->block[i]->argument[n]->id = (*next)++;
}

void tile_settle(struct tile_kernel *kernel)
{
    uint32_t next = 0;

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        kernel->parameter[i].value->id = next++;
    tile_walk(&kernel->body, settle_op, &next);
    kernel->value_count = next;
}
