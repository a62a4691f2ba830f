// Verifies the properties of a kernel's IR that the passes of compile.c need and leave. The rules
// of the IR itself are verified by ir/verify.c.
#include "compile_steps.h"

#include "tile/ir/diagnostic.h"
#include "tile/ir/layout.h"
#include "tile/layout/fragment.h"

#include <stdio.h>

struct checker {
    struct tile_kernel *kernel;
    const struct tile_target *target;
    uint32_t properties; // enum tile_property
    const char *after;
    bool ok;
};

__attribute__((format(printf, 3, 4))) static void lacks(struct checker *c, const struct tile_op *op,
                                                        const char *format, ...)
{
    char what[200];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    if (c->ok) // one error is enough
        tile_error(c->kernel->module, TILE_T901, op ? op->where : c->kernel->where,
                   "compiler: after %s: %s: %s: this is an error of cucore's", c->after,
                   op ? tile_op_infos[op->kind].name : "kernel", what);
    c->ok = false;
}

static void check_value(struct checker *c, const struct tile_op *op, const struct tile_value *value)
{
    if (c->properties & TILE_IR_SOURCE && value->layout)
        lacks(c, op, "value %u of the source form has a layout", value->id);
    if (c->properties & TILE_IR_LAYOUTS && !value->layout && !value->type.tensor)
        lacks(c, op, "value %u has no layout", value->id);
    if (c->properties & TILE_IR_SIZED && tile_is_huge(value))
        lacks(c, op, "value %u has too many elements", value->id);
}

// True if an op has no effect and nobody uses its results. Loops and ifs count as used.
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
        lacks(c, op, "it is dead");
    if (c->properties & TILE_IR_FRAGMENTS && op->kind == TILE_MMA && !op->result[0]->layout &&
        tile_fragment_of(op, c->target))
        lacks(c, op, "its accumulators have no layout");
}

bool tile_verify_properties(struct tile_kernel *kernel, const struct tile_target *target,
                            uint32_t properties, const char *after)
{
    struct checker c = { kernel, target, properties, after, true };

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        check_value(&c, NULL, kernel->parameter[i].value);
    tile_walk(&kernel->body, check_op, &c);
    return c.ok;
}

bool tile_keeps_properties(struct tile_kernel *kernel, const struct tile_target *target,
                           uint32_t properties, const char *after)
{
    const struct tile_diagnostics *d = kernel->module->diagnostics;

    return !TILE_VERIFIES || d->errors || d->out_of_memory ||
           tile_verify_properties(kernel, target, properties, after);
}
