#include "linker_options.h"

#include "base/array.h"
#include "driver/driver.h"
#include "driver/nvjitlink.h"
#include "base/options.h"

#include <string.h>

enum { NO = -1 }; // the driver's linker lacks the option

// clang-format off
#define SWITCH(field, on, off, driver)   CUC__SWITCH(cuc_linker_options, field, on, off, 0, driver)
#define BOOLEAN(field, flag, driver)     SWITCH(field, flag "=1", flag "=0", driver)
#define NUMBER(field, flag, max, driver) CUC__NUMBER(cuc_linker_options, field, flag, max, driver)
#define TEXTS(field, count, flag)        CUC__TEXTS(cuc_linker_options, field, count, flag)

// All options of nvJitLink 13.0. linker.c adds -arch, -ptx and -lto, because they depend on the
// link.
static const cuc__option rows[] = {
    NUMBER(max_register_count,      "-maxrregcount=", 0,  CU_JIT_MAX_REGISTERS),
    SWITCH(time,                    "-time", NULL,        NO),
    SWITCH(verbose,                 "-verbose", NULL,     CU_JIT_LOG_VERBOSE),
    SWITCH(link_time_optimization,  "-lto", NULL,         NO),
    NUMBER(optimization_level,      "-O", 3,              CU_JIT_OPTIMIZATION_LEVEL),
    SWITCH(debug,                   "-g", NULL,           CU_JIT_GENERATE_DEBUG_INFO),
    SWITCH(lineinfo,                "-lineinfo", NULL,    CU_JIT_GENERATE_LINE_INFO),
    BOOLEAN(ftz,                    "-ftz",               NO),
    BOOLEAN(prec_div,               "-prec-div",          NO),
    BOOLEAN(prec_sqrt,              "-prec-sqrt",         NO),
    BOOLEAN(fma,                    "-fma",               NO),
    TEXTS(kernels_used, kernels_used_count,     "-kernels-used="),
    TEXTS(variables_used, variables_used_count, "-variables-used="),
    SWITCH(optimize_unused_variables, "-optimize-unused-variables", NULL, NO),
    TEXTS(ptxas_options, ptxas_option_count,    "-Xptxas="),
    NUMBER(split_compile,           "-split-compile=", 0,          NO),
    NUMBER(split_compile_extended,  "-split-compile-extended=", 0, NO),
    SWITCH(no_cache,                "-no-cache", NULL,    CU_JIT_CACHE_MODE),
    SWITCH(numba_debug,             "-numba-debug", NULL, NO),
    TEXTS(extra_options, extra_option_count,    ""),
};
// clang-format on

static int nvjitlink_version(void)
{
    return cuc__nvjitlink_toolkit.version();
}

const cuc__option_table cuc__linker_options_table = {
    .at = rows,
    .count = CUC_LENGTH(rows),
    .backend = "nvJitLink",
    .version = nvjitlink_version,
};

cuc_status cuc__linker_options_check_driver(const cuc_linker_options *options, const char *function)
{
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        const cuc__option *o = &rows[i];
        int32_t value = CUC_ON;

        if (o->driver != NO || !cuc__option_is_set(o, options))
            continue;
        // Turning off a switch that is off by default has no effect.
        if (o->kind == CUC__OPTION_SWITCH)
            memcpy(&value, (const char *)options + o->offset, sizeof(value));
        if (value == CUC_OFF && !o->off)
            continue;
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "%s is not an option of the driver's linker: leave it, or install "
                         "nvJitLink",
                         o->field);
    }
    return CUC_OK;
}

void cuc__jit_add(cuc__jit_options *jit, unsigned option, size_t value)
{
    jit->option[jit->count] = option;
    jit->value[jit->count++] = (void *)(uintptr_t)value;
}

void cuc__linker_options_to_jit(cuc__jit_options *jit, const cuc_linker_options *options)
{
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        const cuc__option *o = &rows[i];
        int32_t value;

        if (o->driver == NO || !cuc__option_is_set(o, options))
            continue;
        memcpy(&value, (const char *)options + o->offset, sizeof(value));
        if (o->kind == CUC__OPTION_NUMBER)
            cuc__jit_add(jit, (unsigned)o->driver, value == CUC_ZERO ? 0 : (size_t)value);
        else if (value == CUC_ON)
            cuc__jit_add(jit, (unsigned)o->driver,
                         o->driver == CU_JIT_CACHE_MODE ? CU_JIT_CACHE_OPTION_NONE : 1);
    }
}

void cuc_linker_options_init(cuc_linker_options *options, size_t size)
{
    cuc__init_options(options, size);
}
