// Assembles PTX to a cubin, with nvJitLink or the driver.
#include "base/array.h"
#include "program.h"

#include "driver/toolkit.h"
#include "linker.h"
#include "code/object.h"

#include <stdlib.h>
#include <string.h>

// Options that also apply when PTX is assembled, with their fields in both structs.
static const struct {
    size_t from, to;
} same[] = {
#define SAME(field)                                                               \
    {                                                                             \
        offsetof(cuc_program_options, field), offsetof(cuc_linker_options, field) \
    }
    SAME(debug), SAME(lineinfo), SAME(max_register_count), SAME(split_compile), SAME(no_cache),
#undef SAME
};

// Options that are translated individually. The last one applies only to tile programs.
static const size_t others[] = {
    offsetof(cuc_program_options, time),
    offsetof(cuc_program_options, ptxas_options),
    offsetof(cuc_program_options, extra_options),
    offsetof(cuc_program_options, fma),
};

cuc_status cuc__program_translate(cuc_linker_options *to, const cuc_program_options *o,
                                  int32_t source_kind, const char *function)
{
    bool tile = source_kind == CUC_SOURCE_TILE;
    const char *language = tile ? "tile programs" : "PTX";
    size_t other_count = CUC_LENGTH(others) - !tile;

    if (o->header_count || o->name_expression_count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s are options of CUDA C++, not of %s: leave them unset",
                         o->header_count ? "headers" : "name_expressions", language);
    for (size_t i = 0; i < cuc__program_options_table.count; i++) {
        const cuc__option *row = &cuc__program_options_table.at[i];
        size_t k = 0, n = 0;

        if (!cuc__option_is_set(row, o))
            continue;
        while (k < CUC_LENGTH(same) && same[k].from != row->offset)
            k++;
        while (n < other_count && others[n] != row->offset)
            n++;
        if (k < CUC_LENGTH(same))
            memcpy((char *)to + same[k].to, (const char *)o + same[k].from, sizeof(int32_t));
        else if (n == other_count)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "%s is an option of CUDA C++, not of %s: leave it unset", row->field,
                             language);
    }
    to->time = o->time ? CUC_ON : CUC_DEFAULT;
    to->ptxas_options = o->ptxas_options;
    to->ptxas_option_count = o->ptxas_option_count;
    to->extra_options = o->extra_options;
    to->extra_option_count = o->extra_option_count;
    to->name = o->name;
    to->arch = o->arch;
    to->cache = o->cache;
    return CUC_OK;
}

cuc_status cuc__program_init_ptx(cuc_program *p, const cuc_program_options *o, const char *function)
{
    cuc_linker_options to = CUC_LINKER_OPTIONS_INIT;
    cuc_status st;

    if ((st = cuc__program_refuse_tile_options(o, "PTX", function)) < 0 ||
        (st = cuc__program_translate(&to, o, p->source_kind, function)) < 0)
        return st;
    to.name = p->name;
    if ((st = cuc_linker_create(&p->linker, &to)) < 0)
        return cuc__pass_failure(st, function);
    p->linker->for_program = true;
    st = cuc_linker_add_data(p->linker, CUC_CODE_PTX, p->text, p->bytes, p->name);
    return cuc__pass(st, function);
}

cuc_status cuc__program_assemble(cuc_object **out, cuc_program *p, const char *function)
{
    cuc_object *made = NULL;
    cuc_status st = cuc__linker_link(&made, p->linker, CUC_CODE_CUBIN, function);

    cuc__program_add_log(p, cuc_linker_error_log(p->linker));
    cuc__program_add_log(p, cuc_linker_info_log(p->linker));
    if (st < 0)
        return st;
    if (cuc_object_kind(made) != CUC_CODE_CUBIN) { // a simulated driver's linker returns PTX
        cuc_object_release(made);
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "target is CUC_CODE_CUBIN, but nothing here can assemble %s: the driver "
                         "is simulated, and nvJitLink is not used or not installed; install "
                         "nvJitLink (pip install nvidia-nvjitlink), or compile to CUC_CODE_PTX",
                         p->name);
    }
    *out = made;
    return CUC_OK;
}

// Compiles a PTX program. If the target is PTX, returns the text unchanged.
cuc_status cuc__program_run_ptx(cuc_object **out, cuc_program *p, int32_t target,
                                const char *function)
{
    if (target == CUC_CODE_LTOIR)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "target is CUC_CODE_LTOIR, but %s is PTX, which compiles to "
                         "CUC_CODE_CUBIN: LTO-IR comes from CUDA C++ only",
                         p->name);
    return target == CUC_CODE_PTX ? cuc__object_create(out, CUC_CODE_PTX, p->text, p->bytes, NULL,
                                                       0, p->name, NULL, 0, NULL, function)
                                  : cuc__program_assemble(out, p, function);
}
