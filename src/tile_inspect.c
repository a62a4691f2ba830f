// What can be asked about tile programs and kernels.
#include <cucore/tile.h>

#include "cubin.h"
#include "kernel_tile.h"
#include "object.h"
#include "options.h"
#include "program.h"
#include "tile/diagnostic.h"

#include <stdlib.h>
#include <string.h>

cuc_status cuc_tile_get_ir(const char **text, size_t *bytes, cuc_program *program)
{
    struct tile_module *module = NULL;
    cuc_status st;

    CUC_CHECK_NOT_NULL(text);
    CUC_CHECK(program, PROGRAM);
    if ((st = cuc__program_open_tile(&module, program, __func__)) < 0)
        return st;
    for (struct tile_kernel *k = module->first; k; k = k->next)
        tile_simplify(k);
    const char *printed = tile_print(module);
    char *ir = printed && !module->diagnostics->out_of_memory ? strdup(printed) : NULL;
    tile_module_free(module);
    if (!ir)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for the text of %s",
                        program->name);
    free(program->tile.ir);
    *text = program->tile.ir = ir;
    if (bytes)
        *bytes = strlen(ir);
    return CUC_OK;
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
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "%s is of no tile program", kernel->name);

    const struct tile_signature *s = kernel->tile->signature;
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
