// Compiles a source text and returns a kernel in a single call.
#include <cucore/program.h>
#include <cucore/system.h>

#include "base/error.h"
#include "base/handle.h"
#include "base/options.h"

#include <stdlib.h>
#include <string.h>

static bool has_assembler_options(const cuc_program_options *o)
{
    return o->debug || o->lineinfo || o->max_register_count || o->split_compile || o->time ||
           o->ptxas_option_count || o->extra_option_count;
}

// Chooses PTX or a cubin. A simulated device runs PTX directly and needs no assembler. For a tile
// program the driver assembles the PTX, because, unlike nvJitLink, it moves registers between the
// warp roles of a pipeline.
static int32_t target_of(int32_t source_kind, const cuc_program_options *o)
{
    bool virtual_arch = o->arch && strncmp(o->arch, "compute_", strlen("compute_")) == 0;
    bool is_ptx = source_kind != CUC_SOURCE_CUDA && cuc_driver_is_simulated();
    bool is_tile = source_kind == CUC_SOURCE_TILE && !has_assembler_options(o);

    return virtual_arch || is_ptx || is_tile ? CUC_CODE_PTX : CUC_CODE_CUBIN;
}

// Returns true if a name needs a name expression. A mangled name does not: it is a symbol, and
// NVRTC would reject it as an expression.
static bool is_expression(int32_t source_kind, const char *name, const cuc_program_options *options)
{
    if (source_kind != CUC_SOURCE_CUDA || strncmp(name, "_Z", 2) == 0)
        return false;
    for (size_t i = 0; options->name_expressions && i < options->name_expression_count; i++)
        if (options->name_expressions[i] && strcmp(options->name_expressions[i], name) == 0)
            return false;
    return true;
}

// Copies the options' name expressions and appends one. The caller frees the array.
static const char **add_expression(cuc_program_options *options, const char *name)
{
    size_t count = options->name_expressions ? options->name_expression_count : 0;
    const char **all = calloc(count + 1, sizeof(*all));

    if (!all)
        return NULL;
    for (size_t i = 0; i < count; i++)
        all[i] = options->name_expressions[i];
    all[count] = name;
    options->name_expressions = all;
    options->name_expression_count = count + 1;
    return all;
}

cuc_status cuc_kernel_from_source(cuc_kernel **out, int32_t source_kind, const char *text,
                                  size_t bytes, const char *name,
                                  const cuc_program_options *options)
{
    const char **expressions = NULL;
    cuc_program *program = NULL;
    cuc_object *object = NULL;
    cuc_program_options o;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(text);
    CUC_CHECK_NOT_NULL(name);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_program_options)) < 0)
        return st;
    if (is_expression(source_kind, name, &o) && !(expressions = add_expression(&o, name)))
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for the name of a kernel");

    st = cuc_program_create(&program, source_kind, text, bytes, &o);
    if (st >= 0)
        st = cuc_program_compile(&object, program, target_of(source_kind, &o));
    if (st >= 0)
        st = cuc_object_get_kernel(out, object, name);
    cuc_object_release(object);
    cuc_program_release(program);
    free(expressions);
    return CUC_PASS(st);
}
