// Verifies the IR's rules between passes: ir.h's rules for blocks and terminators, definitions
// before uses, matching types and layouts, and use lists.
//
// build.c checks if an op is legal when it is created; the verifier finds rules that a pass has
// broken.
#include "diagnostic.h"
#include "layout.h"
#include "ir.h"
#include "words.h"

struct checker {
    struct tile_check check;
    bool *made;         // by value id: defined before, in this block or an enclosing one
    uint32_t *operands; // by value id: number of operands in the kernel that refer to it
};

static void make(struct checker *c, const struct tile_op *op, const struct tile_value *value)
{
    if (!value) {
        tile_broken(&c->check, op, "a value is missing");
    } else if (value->id >= c->check.kernel->value_count) {
        tile_broken(&c->check, op, "value %u has an id past the last", value->id);
    } else if (c->made[value->id]) {
        tile_broken(&c->check, op, "value %u is made twice", value->id);
    } else {
        c->made[value->id] = true;
    }
}

static bool is_listed(const struct tile_op *op, uint32_t operand)
{
    const struct tile_use *use = &op->use[operand];

    return use->user == op &&
           (use->previous ? use->previous->next : op->operand[operand]->use) == use &&
           (!use->next || use->next->previous == use);
}

static void check_operands(struct checker *c, const struct tile_op *op)
{
    for (uint32_t i = 0; i < op->operand_count && c->check.ok; i++) {
        const struct tile_value *value = op->operand[i];
        if (!value)
            tile_broken(&c->check, op, "operand %u is missing", i);
        else if (value->id >= c->check.kernel->value_count || !c->made[value->id])
            tile_broken(&c->check, op, "operand %u is not made before it is used", i);
        else if (!is_listed(op, i))
            tile_broken(&c->check, op, "operand %u is not among the uses of its value", i);
        else
            c->operands[value->id]++;
    }
}

static bool same_layout(const struct tile_value *x, const struct tile_value *y)
{
    return !x->layout || !y->layout || tile_layout_same(x->layout, y->layout);
}

static void check_elementwise(struct checker *c, const struct tile_op *op)
{
    const struct tile_value *result = op->result[0];
    uint32_t first = op->kind == TILE_WHERE;

    for (uint32_t i = 0; i < op->operand_count && c->check.ok; i++) {
        const struct tile_value *x = op->operand[i];
        if (!tile_shape_same(&x->type, &result->type))
            tile_broken(&c->check, op, "operand %u has another shape than the result", i);
        else if (!same_layout(x, result))
            tile_broken(&c->check, op, "operand %u has another layout than the result", i);
        // All operands share a dtype, except the condition of a `where`.
        else if (i > first && op->kind != TILE_ASM &&
                 x->type.dtype != op->operand[first]->type.dtype)
            tile_broken(&c->check, op, "operand %u has another dtype than operand %u", i, first);
    }
}

// Checks a terminator's values against the results that they become.
static void check_fed(struct checker *c, const struct tile_op *op, const struct tile_op *target)
{
    if (!target) {
        tile_broken(&c->check, op, "it stands in no loop");
        return;
    }
    bool function = target->kind == TILE_REDUCE || target->kind == TILE_SCAN;
    if (op->operand_count != target->result_count) {
        tile_broken(&c->check, op, "%u values for %u results", op->operand_count,
                    target->result_count);
        return;
    }
    for (uint32_t i = 0; i < op->operand_count && c->check.ok; i++) {
        const struct tile_value *x = op->operand[i], *y = target->result[i];
        if (function ? x->type.dtype != y->type.dtype || x->type.rank
                     : !tile_type_same(&x->type, &y->type))
            tile_broken(&c->check, op, "value %u has another type than the result it feeds", i);
        else if (!function && !same_layout(x, y))
            tile_broken(&c->check, op, "value %u has another layout than the result it feeds", i);
    }
}

static void check_loop(struct checker *c, const struct tile_op *op)
{
    uint32_t lead = op->kind == TILE_FOR ? 3 : 0, first = op->kind == TILE_FOR ? 1 : 0;
    const struct tile_block *body = op->block[0];

    if (op->operand_count != lead + op->result_count ||
        body->argument_count != first + op->result_count) {
        tile_broken(&c->check, op, "%u operands and %u arguments for %u results", op->operand_count,
                    body->argument_count, op->result_count);
        return;
    }
    for (uint32_t i = 0; i < op->result_count && c->check.ok; i++) {
        const struct tile_value *x = op->operand[lead + i], *y = op->result[i];
        const struct tile_value *z = body->argument[first + i];
        if (!tile_type_same(&x->type, &y->type) || !tile_type_same(&z->type, &y->type))
            tile_broken(&c->check, op, "carried value %u has more than one type", i);
        else if (!same_layout(x, y) || !same_layout(z, y))
            tile_broken(&c->check, op, "carried value %u has more than one layout", i);
    }
}

static void check_block(struct checker *c, const struct tile_block *block,
                        const struct tile_op *parent);

static void check_op(struct checker *c, const struct tile_op *op, const struct tile_block *block)
{
    uint32_t traits = tile_op_infos[op->kind].traits;

    if (op->parent != block)
        tile_broken(&c->check, op, "it says that it stands in another block");
    if ((op->next && op->next->previous != op) || (!op->next && block->last != op))
        tile_broken(&c->check, op, "the list of ops is torn");
    check_operands(c, op);
    if (!c->check.ok)
        return;
    if (op->kind == TILE_FOR || op->kind == TILE_LOOP)
        check_loop(c, op);
    for (uint32_t i = 0; i < op->block_count && c->check.ok; i++)
        check_block(c, op->block[i], op);
    for (uint32_t i = 0; i < op->result_count && c->check.ok; i++) {
        make(c, op, op->result[i]);
        if (c->check.ok && (op->result[i]->op != op || op->result[i]->index != i))
            tile_broken(&c->check, op, "result %u says that it is another op's", i);
    }
    if (!c->check.ok)
        return;
    if (traits & TILE_ELEMENTWISE)
        check_elementwise(c, op);
    if (op->kind == TILE_YIELD)
        check_fed(c, op, block->parent);
    if (op->kind == TILE_CONTINUE || op->kind == TILE_BREAK)
        check_fed(c, op, tile_loop_around(op));
}

static void check_block(struct checker *c, const struct tile_block *block,
                        const struct tile_op *parent)
{
    if (block->parent != parent)
        tile_broken(&c->check, parent, "a block says that it is another op's");
    if (!block->last || !(tile_op_infos[block->last->kind].traits & TILE_TERMINATES))
        tile_broken(&c->check, parent, "a block has no end");
    for (uint32_t i = 0; i < block->argument_count && c->check.ok; i++)
        make(c, parent, block->argument[i]);
    for (const struct tile_op *op = block->first; op && c->check.ok; op = op->next) {
        check_op(c, op, block);
        if (c->check.ok && op->next && tile_op_infos[op->kind].traits & TILE_TERMINATES)
            tile_broken(&c->check, op, "ops follow it");
    }
    // Hide the values defined in this block from code after it.
    for (const struct tile_op *op = block->first; op && c->check.ok && parent; op = op->next)
        for (uint32_t i = 0; i < op->result_count; i++)
            c->made[op->result[i]->id] = false;
    for (uint32_t i = 0; i < block->argument_count && c->check.ok; i++)
        c->made[block->argument[i]->id] = false;
}

// ---- Uses

static void check_uses(struct checker *c, const struct tile_op *op, const struct tile_value *value)
{
    if (value->uses != c->operands[value->id])
        tile_broken(&c->check, op, "value %u counts %u uses and is %u operands", value->id,
                    value->uses, c->operands[value->id]);
}

static void check_uses_of_op(struct tile_op *op, void *data)
{
    struct checker *c = data;

    for (uint32_t i = 0; i < op->result_count; i++)
        check_uses(c, op, op->result[i]);
    for (uint32_t i = 0; i < op->block_count; i++)
        for (uint32_t n = 0; n < op->block[i]->argument_count; n++)
            check_uses(c, op, op->block[i]->argument[n]);
}

bool tile_verify_kernel(struct tile_kernel *kernel, const char *after)
{
    struct checker c = {
        { kernel, after, true },
        tile_take(kernel->module, kernel->value_count + 1),
        tile_take(kernel->module, (kernel->value_count + 1) * sizeof(*c.operands)),
    };

    if (!c.made || !c.operands)
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        make(&c, NULL, kernel->parameter[i].value);
    check_block(&c, &kernel->body, NULL);
    if (!c.check.ok) // the walk stopped before it counted all operands
        return false;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        check_uses(&c, NULL, kernel->parameter[i].value);
    tile_walk(&kernel->body, check_uses_of_op, &c);
    return c.check.ok;
}

bool tile_verify(struct tile_module *module, const char *after)
{
    for (struct tile_kernel *kernel = module->first; kernel; kernel = kernel->next)
        if (!tile_verify_kernel(kernel, after))
            return false;
    return true;
}
