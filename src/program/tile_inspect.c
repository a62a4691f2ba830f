// Queries on tile programs and kernels.
#include <cucore/tile.h>

#include "code/cubin.h"
#include "code/kernel_tile.h"
#include "code/object.h"
#include "base/options.h"
#include "program.h"
#include "tile/pass/pass.h"
#include "tile/ir/diagnostic.h"
#include "tile/ir/host.h"
#include "tile/ir/scalar.h"
#include "tile/signature/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Copies a module's printed text into the program and frees the module.
static cuc_status keep_text(char **kept, const char **text, size_t *bytes, const char *printed,
                            struct tile_module *module, cuc_program *program, const char *function)
{
    char *copy = printed && !module->diagnostics->out_of_memory ? strdup(printed) : NULL;
    cuc_status st = CUC_OK;

    if (!copy) {
        module->diagnostics->out_of_memory = true;
        st = cuc__program_fail_tile(program, module, function);
    }
    tile_module_free(module);
    if (st < 0)
        return st;
    free(*kept);
    *text = *kept = copy;
    if (bytes)
        *bytes = strlen(copy);
    return CUC_OK;
}

cuc_status cuc_tile_get_ir(const char **text, size_t *bytes, cuc_program *program)
{
    struct tile_module *module = NULL;
    struct tile_budget budget;
    cuc_status st;

    CUC_CHECK_NOT_NULL(text);
    CUC_CHECK(program, PROGRAM);
    tile_budget_open(&budget, &program->tile.limits);
    if ((st = cuc__program_open_tile(&module, program, &budget, __func__)) < 0)
        return st;
    for (struct tile_kernel *k = module->first; k; k = k->next)
        tile_simplify(k);
    return keep_text(&program->tile.ir, text, bytes, tile_print(module), module, program, __func__);
}

cuc_status cuc_tile_get_machine(const char **text, size_t *bytes, cuc_program *program)
{
    struct tile_module *module = NULL;
    struct tile_budget budget;
    cuc_status st;

    CUC_CHECK_NOT_NULL(text);
    CUC_CHECK(program, PROGRAM);
    tile_budget_open(&budget, &program->tile.limits);
    if ((st = cuc__program_lay_out_tile(&module, program, &budget, __func__)) < 0)
        return st;
    return keep_text(&program->tile.machine, text, bytes, tile_print_machine(module), module,
                     program, __func__);
}

cuc_status cuc_tile_get_entry(cuc_tile_entry *out, cuc_object *object, const char *kernel,
                              size_t index)
{
    struct tile_signature *s = NULL;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(object, OBJECT);
    CUC_CHECK_NOT_NULL(kernel);
    st = cuc__tile_signature_of(&s, object, kernel, __func__);
    if (st == CUC_ERROR_NOT_FOUND)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "no tile kernel \"%.256s\" in the object", kernel);
    if (st < 0)
        return st;
    if (index >= s->entries) {
        st = CUC_FAIL(CUC_ERROR_NOT_FOUND, "index is %zu, %s has %u entries", index, kernel,
                      s->entries);
    } else {
        const struct tile_entry *e = &s->entry[index];
        cuc_tile_entry full = {
            .variant = tile_variant_name(e->variant),
            .threads = 32 * e->warps,
            .static_shared_bytes = e->static_shared,
            .dynamic_shared_bytes = e->dynamic_shared,
        };
        if (object->kind == CUC_CODE_CUBIN)
            cuc__cubin_resources(&full.registers, &full.stack_bytes, object->code, object->bytes,
                                 e->name);
        st = CUC_WRITE_STRUCT(out, &full, cuc_tile_entry);
    }
    tile_signature_free(s);
    return st;
}

cuc_status cuc_tile_get_parameter(cuc_tile_parameter *out, const cuc_kernel *kernel, size_t index)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(kernel, KERNEL);
    if (!kernel->tile)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "%s is not a kernel of a tile program", kernel->name);

    const struct tile_signature *s = kernel->tile->code->signature;
    if (index >= s->kernel->parameter_count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "index is %zu, %s has %u parameters", index,
                        kernel->name, s->kernel->parameter_count);
    const struct tile_parameter *p = &s->kernel->parameter[index];
    cuc_tile_parameter full = {
        .name = p->name,
        .dtype = p->value->type.dtype,
        .rank = p->value->type.tensor ? p->value->type.rank : -1,
        .written = s->written >> index & 1,
    };
    return CUC_WRITE_STRUCT(out, &full, cuc_tile_parameter);
}

// Visits "N=100" for each dimension, then "n=3" for each integer argument.
static void visit_bound(const struct tile_binding_set *set, cuc_tile_dimension_fn visit, void *user)
{
    const struct tile_kernel *k = set->kernel;
    char text[128];

    for (uint32_t i = 0; i < k->dimension_count; i++) {
        snprintf(text, sizeof(text), "%.96s=%" PRId64, k->dimension[i].name, set->dimension[i]);
        visit(user, text);
    }
    for (uint32_t i = 0; i < k->parameter_count; i++) {
        const struct tile_parameter *p = &k->parameter[i];
        if (p->value->type.tensor || !tile_is_integer(p->value->type.dtype))
            continue;
        snprintf(text, sizeof(text), "%.96s=%" PRId64, p->name, (int64_t)set->argument[i].scalar);
        visit(user, text);
    }
}

cuc_status cuc_tile_visit_dimensions(cuc_program *program, const char *kernel, const cuc_arg *args,
                                     size_t count, cuc_tile_dimension_fn visit, void *user)
{
    struct tile_argument argument[TILE_MAX_PARAMETERS];
    int64_t dimension[TILE_MAX_DIMENSIONS];
    const struct tile_kernel *k = NULL;
    struct tile_module *module = NULL;
    char text[512];
    struct tile_budget budget;
    cuc_status st;

    CUC_CHECK(program, PROGRAM);
    CUC_CHECK_NOT_NULL(visit);
    tile_budget_open(&budget, &program->tile.limits);
    if ((st = cuc__program_open_tile(&module, program, &budget, __func__)) < 0)
        return st;
    st = cuc__tile_kernel_named(&k, module, kernel, __func__);
    if (st == CUC_OK) {
        struct tile_binding_set set = { k, argument, dimension };
        if (cuc__tile_read_arguments(argument, k, args, count, text, sizeof(text)) &&
            tile_bind_dimensions(&set, (uint32_t)count, text, sizeof(text)))
            visit_bound(&set, visit, user);
        else
            st = CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "%s: %s", k->name, text);
    }
    tile_module_free(module);
    return st;
}
