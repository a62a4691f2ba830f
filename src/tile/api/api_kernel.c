// Kernels of the C builder: parameters, dimensions, facts and the grid.
#include "api.h"

#include "tile/ir/array.h"
#include "tile/pass/pass.h"
#include "tile/front/snippet.h"

#include <string.h>

void cuc_tile_kernel_begin(cuc_tile_program *program, const char *file, uint32_t line,
                           const char *name)
{
    cuc_tile_program *p = program;

    if (!tile_begin_call(p, "kernel", file, line, true))
        return;
    if (p->frame) {
        tile_error(p->module, TILE_T408, p->e.b.where,
                   "kernel: the one before is not ended: end it with cuc_tile_kernel_end()");
        return;
    }
    struct tile_location where = p->e.b.where;
    p->header = (struct tile_kernel_ast){ .name = tile_use_name(p, name), .where = where };
    p->parameter_capacity = p->fact_capacity = 0;
    p->variables = 0;
    // Check everything else even if the name is wrong.
    if (tile_elaborate_kernel(&p->e, &p->header) && tile_open_frame(p, TILE_IN_KERNEL, NULL))
        p->kernel_scope = p->frame->scope;
}

void cuc_tile_kernel_end(cuc_tile_program *program, const char *file, uint32_t line)
{
    cuc_tile_program *p = program;
    const struct tile_frame *kernel;

    if (!TILE_BEGIN("kernel"))
        return;
    for (kernel = p->frame; kernel->outer; kernel = kernel->outer)
        if (kernel->kind == TILE_IN_FUNCTION) {
            tile_error(p->module, TILE_T408, p->e.b.where,
                       "kernel: it cannot end in the function of a reduction");
            return;
        }
    tile_close_to(p, kernel);
    if (!p->frame->dead)
        tile_build_return(&p->e.b);
    struct tile_location where = p->e.b.where;
    tile_drop_frame(p);
    p->e.b.block = &p->e.b.kernel->body;
    tile_elaborate_launch(&p->e);
    p->e.b.where = where;
    for (const struct tile_unset *unset = p->unset; unset; unset = unset->next)
        tile_replace(unset->argument, unset->before, NULL);
    p->unset = p->last_unset = NULL;
    if (!p->module->diagnostics->out_of_memory) {
        tile_list_uses(p->e.b.kernel);
        tile_renumber(p->e.b.kernel);
    }
    if (!p->module->diagnostics->out_of_memory && !p->module->diagnostics->errors)
        tile_drop_yields(p->e.b.kernel);
}

static cuc_tile add_parameter(cuc_tile_program *p, const char *name, cuc_dtype dtype, bool tensor,
                              const char *extents)
{
    struct tile_kernel *kernel = p->e.b.kernel;
    struct tile_ast *type = tile_take(p->module, sizeof(*type));
    struct tile_parameter_ast one = { .where = p->e.b.where, .dtype = type, .tensor = tensor };
    uint32_t count = p->header.parameters, capacity = p->parameter_capacity;
    uint32_t dimension_capacity = TILE_MAX_RANK * capacity;

    // The dimensions of parameters are ops of the kernel's own block, so no inner block may be
    // open.
    if (p->frame->kind != TILE_IN_KERNEL || p->frame->dead) {
        tile_error(p->module, TILE_T408, one.where,
                   "%s: parameters are added outside of loops, ifs and functions", p->op);
        return 0;
    }
    one.name = tile_use_name(p, name);
    if (!type || !one.name || !tile_use_dtype(p, dtype))
        return 0;
    *type = (struct tile_ast){ .kind = TILE_AST_NAME, .where = one.where };
    type->text = cuc_dtype_name(dtype);
    if (extents && extents[strspn(extents, " ")] &&
        !tile_parse_snippet(p->module, extents, one.where, &one.extent, &one.extents))
        return 0;
    // The last reservation sets the capacity of all three arrays.
    if (!TILE_RESERVE(p->module, kernel->parameter, capacity, count + 1, 8) ||
        !TILE_RESERVE(p->module, kernel->dimension, dimension_capacity, TILE_MAX_RANK * (count + 1),
                      8 * TILE_MAX_RANK) ||
        !TILE_RESERVE(p->module, p->header.parameter, p->parameter_capacity, count + 1, 8))
        return 0;
    p->header.parameter[p->header.parameters++] = one;
    return tile_handle_of(p, tile_elaborate_parameter(&p->e, count));
}

cuc_tile cuc_tile_tensor(cuc_tile_program *program, const char *file, uint32_t line,
                         const char *name, cuc_dtype dtype, const char *extents)
{
    return TILE_BEGIN("tensor") ? add_parameter(program, name, dtype, true, extents) : 0;
}

cuc_tile cuc_tile_scalar(cuc_tile_program *program, const char *file, uint32_t line,
                         const char *name, cuc_dtype dtype)
{
    return TILE_BEGIN("scalar") ? add_parameter(program, name, dtype, false, NULL) : 0;
}

cuc_tile cuc_tile_dimension(cuc_tile_program *program, const char *file, uint32_t line,
                            const char *name)
{
    const struct tile_binding *binding;

    if (!TILE_BEGIN("dimension"))
        return 0;
    if (!name) {
        tile_use_text(program, "name", name);
        return 0;
    }
    binding = tile_lookup(&program->e, name);
    struct tile_value *value = binding ? binding->what.operand.value : NULL;
    if (!value || !value->op || value->op->kind != TILE_DIMENSION) {
        if (!program->module->diagnostics->errors)
            tile_error(program->module, TILE_T501, program->e.b.where,
                       "dimension: no tensor before has a dimension %s", name);
        return 0;
    }
    return tile_handle_of(program, value);
}

void cuc_tile_fact(cuc_tile_program *program, const char *file, uint32_t line, const char *facts)
{
    cuc_tile_program *p = program;
    struct tile_ast **fact;
    uint32_t count;

    if (!TILE_BEGIN("fact"))
        return;
    const char *text = tile_use_text(p, "text", facts);
    if (!text || !tile_parse_snippet(p->module, text, p->e.b.where, &fact, &count))
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!TILE_RESERVE(p->module, p->header.fact, p->fact_capacity, p->header.facts + 1, 8))
            return;
        p->header.fact[p->header.facts++] = fact[i];
    }
}

void cuc_tile_grid(cuc_tile_program *program, const char *file, uint32_t line, const char *grid)
{
    cuc_tile_program *p = program;

    if (!TILE_BEGIN("grid"))
        return;
    if (p->header.grids) {
        tile_error(p->module, TILE_T502, p->e.b.where, "grid: a second grid of the kernel");
        return;
    }
    const char *text = tile_use_text(p, "text", grid);
    if (text &&
        !tile_parse_snippet(p->module, text, p->e.b.where, &p->header.grid, &p->header.grids))
        p->header.grids = 0;
}
