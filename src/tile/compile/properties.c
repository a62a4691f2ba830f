// Verifies properties of a kernel's IR that the passes of compile.c require and establish.
// ir/verify.c verifies the rules of the IR itself.
#include "compile_steps.h"

#include "tile/ir/diagnostic.h"
#include "tile/ir/layout.h"
#include "tile/layout/fragment.h"

struct checker {
    struct tile_check check;
    const struct tile_target *target;
    uint32_t properties; // enum tile_property
};

static void check_value(struct checker *c, const struct tile_op *op, const struct tile_value *value)
{
    if (c->properties & TILE_IR_SOURCE && value->layout)
        tile_broken(&c->check, op, "value %u of the source form has a layout", value->id);
    if (c->properties & TILE_IR_LAYOUTS && !value->layout && !value->type.tensor)
        tile_broken(&c->check, op, "value %u has no layout", value->id);
    if (c->properties & TILE_IR_SIZED && tile_is_huge(value))
        tile_broken(&c->check, op, "value %u has too many elements", value->id);
}

// True if an op has no effect and its results are unused. Loops and ifs count as used.
static bool is_dead(const struct tile_op *op)
{
    uint32_t traits = tile_op_infos[op->kind].traits, uses = 0;

    for (uint32_t i = 0; i < op->result_count; i++)
        uses += op->result[i]->uses;
    return op->result_count && !uses && !op->block_count &&
           !(traits & (TILE_READS | TILE_WRITES | TILE_TERMINATES));
}

static void check_op(struct tile_op *op, void *data)
{
    struct checker *c = data;

    for (uint32_t i = 0; i < op->result_count; i++)
        check_value(c, op, op->result[i]);
    for (uint32_t n = 0; n < op->block_count; n++)
        for (uint32_t i = 0; i < op->block[n]->argument_count; i++)
            check_value(c, op, op->block[n]->argument[i]);
    if (c->properties & TILE_IR_SIMPLE && is_dead(op))
        tile_broken(&c->check, op, "it is dead");
    if (c->properties & TILE_IR_FRAGMENTS && op->kind == TILE_MMA && !op->result[0]->layout &&
        tile_fragment_of(op, c->target))
        tile_broken(&c->check, op, "its accumulators have no layout");
}

bool tile_verify_properties(struct tile_kernel *kernel, const struct tile_target *target,
                            uint32_t properties, const char *after)
{
    struct checker c = { { kernel, after, true }, target, properties };

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        check_value(&c, NULL, kernel->parameter[i].value);
    tile_walk(&kernel->body, check_op, &c);
    return c.check.ok;
}

bool tile_keeps_properties(struct tile_kernel *kernel, const struct tile_target *target,
                           uint32_t properties, const char *after)
{
    const struct tile_diagnostics *d = kernel->module->diagnostics;

    return !TILE_VERIFIES || d->errors || d->out_of_memory ||
           tile_verify_properties(kernel, target, properties, after);
}
