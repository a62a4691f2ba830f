#include "options.h"

#include "base/array.h"
#include "cache/cache.h"
#include "device/device.h"
#include "driver/nvrtc.h"
#include "base/options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// clang-format off
#define SWITCH(field, on, off)       CUC__SWITCH(cuc_program_options, field, on, off, 0, -1)
#define BOOLEAN(field, flag)         SWITCH(field, flag "=true", flag "=false")
#define NUMBER(field, flag, max)     CUC__NUMBER(cuc_program_options, field, flag "=", max, -1)
#define TEXT(field, flag)            CUC__TEXT(cuc_program_options, field, flag "=")
#define TEXTS(field, count, flag)    CUC__TEXTS(cuc_program_options, field, count, flag)
#define NUMBERS(field, count, flag)  CUC__NUMBERS(cuc_program_options, field, count, flag "=")

// All documented options of NVRTC 13.0 except --optix-ir, whose output cucore cannot use. program.c
// adds -arch, --dlink-time-opt and the folders of the CUDA headers, because each depends on more
// than one field.
static const cuc__option rows[] = {
    BOOLEAN(relocatable_device_code,     "--relocatable-device-code"),
    SWITCH(extensible_whole_program,     "--extensible-whole-program", NULL),
    SWITCH(debug,                        "--device-debug", NULL),
    SWITCH(lineinfo,                     "--generate-line-info", NULL),
    SWITCH(device_code_optimize,         "--dopt=on", NULL),
    TEXT(ofast_compile,                  "--Ofast-compile"),
    TEXTS(ptxas_options, ptxas_option_count, "--ptxas-options="),
    NUMBER(max_register_count,           "--maxrregcount", 0),
    BOOLEAN(ftz,                         "--ftz"),
    BOOLEAN(prec_sqrt,                   "--prec-sqrt"),
    BOOLEAN(prec_div,                    "--prec-div"),
    BOOLEAN(fma,                         "--fmad"),
    SWITCH(use_fast_math,                "--use_fast_math", NULL),
    SWITCH(extra_device_vectorization,   "--extra-device-vectorization", NULL),
    BOOLEAN(modify_stack_limit,          "--modify-stack-limit"),
    SWITCH(gen_opt_lto,                  "--gen-opt-lto", NULL),
    BOOLEAN(device_stack_protector,      "--device-stack-protector"),
    NUMBER(jump_table_density,           "--jump-table-density", 101),
    NUMBER(split_compile,                "--split-compile", 0),
    TEXTS(define_macros, define_macro_count,     "--define-macro="),
    TEXTS(undefine_macros, undefine_macro_count, "--undefine-macro="),
    TEXTS(include_paths, include_path_count,     "--include-path="),
    TEXTS(pre_includes, pre_include_count,       "--pre-include="),
    SWITCH(no_source_include,            "--no-source-include", NULL),
    { "use_bundled_headers", "--use-bundled-headers=", NULL, 13030, -1, CUC__OPTION_HEADERS,
      offsetof(cuc_program_options, use_bundled_headers), 0, 0 },
    TEXT(std,                            "--std"),
    BOOLEAN(builtin_move_forward,        "--builtin-move-forward"),
    BOOLEAN(builtin_initializer_list,    "--builtin-initializer-list"),
    SWITCH(disable_warnings,             "--disable-warnings", NULL),
    SWITCH(restrict_pointers,            "--restrict", NULL),
    SWITCH(device_as_default_execution_space, "--device-as-default-execution-space", NULL),
    SWITCH(device_int128,                "--device-int128", NULL),
    SWITCH(device_float128,              "--device-float128", NULL),
    TEXT(optimization_info,              "--optimization-info"),
    SWITCH(display_error_number,         "--display-error-number", "--no-display-error-number"),
    NUMBERS(diag_error, diag_error_count,       "--diag-error"),
    NUMBERS(diag_suppress, diag_suppress_count, "--diag-suppress"),
    NUMBERS(diag_warn, diag_warn_count,         "--diag-warn"),
    BOOLEAN(brief_diagnostics,           "--brief-diagnostics"),
    TEXT(time,                           "--time"),
    TEXT(fdevice_time_trace,             "--fdevice-time-trace"),
    TEXT(frandom_seed,                   "--frandom-seed"),
    BOOLEAN(version_ident,               "--version-ident"),
    SWITCH(fdevice_syntax_only,          "--fdevice-syntax-only", NULL),
    SWITCH(minimal,                      "--minimal", NULL),
    SWITCH(no_cache,                     "--no-cache", NULL),
    SWITCH(numba_debug,                  "--numba-debug", NULL),
    SWITCH(pch,                          "--pch", NULL),
    TEXT(create_pch,                     "--create-pch"),
    TEXT(use_pch,                        "--use-pch"),
    TEXT(pch_dir,                        "--pch-dir"),
    BOOLEAN(pch_verbose,                 "--pch-verbose"),
    BOOLEAN(pch_messages,                "--pch-messages"),
    BOOLEAN(instantiate_templates_in_pch, "--instantiate-templates-in-pch"),
    TEXTS(extra_options, extra_option_count, ""),
};
// clang-format on

static int nvrtc_version(void)
{
    return cuc__nvrtc_toolkit.version();
}

const cuc__option_table cuc__program_options_table = {
    .at = rows,
    .count = CUC_LENGTH(rows),
    .backend = "NVRTC",
    .version = nvrtc_version,
};

void cuc__flags_add(cuc__flags *flags, const char *start, const char *value)
{
    if (!CUC_RESERVE(flags->at, flags->capacity, flags->count + 1)) {
        flags->no_memory = true;
        return;
    }
    size_t head = strlen(start), tail = strlen(value);
    char *flag = malloc(head + tail + 1);
    if (!flag) {
        flags->no_memory = true;
        return;
    }
    memcpy(flag, start, head);
    memcpy(flag + head, value, tail + 1);
    flags->at[flags->count++] = flag;
}

void cuc__flags_free(cuc__flags *flags)
{
    for (size_t i = 0; i < flags->count; i++)
        free(flags->at[i]);
    free(flags->at);
    *flags = (cuc__flags){ 0 };
}

// Reads a field of an options struct by offset.

static int32_t number_at(const void *options, size_t offset)
{
    int32_t value;

    memcpy(&value, (const char *)options + offset, sizeof(value));
    return value;
}

static uint64_t amount_at(const void *options, size_t offset)
{
    uint64_t value;

    memcpy(&value, (const char *)options + offset, sizeof(value));
    return value;
}

static const void *pointer_at(const void *options, size_t offset)
{
    const void *value;

    memcpy(&value, (const char *)options + offset, sizeof(value));
    return value;
}

static size_t count_at(const void *options, size_t offset)
{
    size_t value;

    memcpy(&value, (const char *)options + offset, sizeof(value));
    return value;
}

bool cuc__option_is_set(const cuc__option *option, const void *options)
{
    switch (option->kind) {
    case CUC__OPTION_SWITCH:
    case CUC__OPTION_HEADERS:
    case CUC__OPTION_NUMBER:
        return number_at(options, option->offset) != 0;
    case CUC__OPTION_TEXT:
    case CUC__OPTION_CALL:
        return pointer_at(options, option->offset) != NULL;
    case CUC__OPTION_AMOUNT:
        return amount_at(options, option->offset) != 0;
    default:
        return count_at(options, option->count_offset) != 0;
    }
}

static cuc_status add_switch(cuc__flags *flags, const cuc__option *o, const void *options,
                             const char *function)
{
    int32_t value = number_at(options, o->offset);
    const char *flag = value == CUC_ON ? o->on : o->off;
    cuc_status st = cuc__check_switch(o->field, value, function);

    if (st >= 0 && flag)
        cuc__flags_add(flags, flag, "");
    return st;
}

static cuc_status add_number(cuc__flags *flags, const cuc__option *o, int32_t value,
                             const char *function)
{
    char digits[16];

    if (value == CUC_ZERO)
        value = 0;
    if (value < 0 || (o->max && value > o->max))
        return o->max ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                  "%s is %d, expected at most %d, or CUC_ZERO (-1) for 0", o->field,
                                  value, o->max)
                      : cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                                  "%s is %d, expected a positive number, or CUC_ZERO (-1) for 0",
                                  o->field, value);
    snprintf(digits, sizeof(digits), "%d", value);
    cuc__flags_add(flags, o->on, digits);
    return CUC_OK;
}

static cuc_status add_text(cuc__flags *flags, const cuc__option *o, const char *text,
                           const char *index, const char *function)
{
    if (!text || !*text)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s%s is %s", o->field, index,
                         text ? "empty" : "NULL");
    cuc__flags_add(flags, o->on, text);
    return CUC_OK;
}

static cuc_status add_array(cuc__flags *flags, const cuc__option *o, const void *options,
                            const char *function)
{
    const void *array = pointer_at(options, o->offset);
    size_t count = count_at(options, o->count_offset);
    cuc_status st = CUC_OK;

    if (!array)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is NULL, with a count of %zu",
                         o->field, count);
    for (size_t i = 0; i < count && st == CUC_OK; i++) {
        char index[32];
        snprintf(index, sizeof(index), "[%zu]", i);
        st = o->kind == CUC__OPTION_TEXTS
                 ? add_text(flags, o, ((const char *const *)array)[i], index, function)
                 : add_number(flags, o, ((const int32_t *)array)[i], function);
    }
    return st;
}

// Adds the folder of NVRTC's own headers. NVRTC searches this folder, and unpacks its headers into
// it if they are not there yet. The folder is beside the entries of the default cache, where nobody
// else can write.
static cuc_status add_headers(cuc__flags *flags, const cuc__option *o, int32_t value,
                              const char *function)
{
    const cuc_cache *cache = cuc_cache_default();
    int error, version = cuc__nvrtc_toolkit.version();
    char folder[PATH_MAX];
    cuc_status st = cuc__check_switch(o->field, value, function);

    if (st < 0 || value != CUC_ON)
        return st;
    if (!cache->dir)
        return cuc__fail(CUC_ERROR_NOT_FOUND, function,
                         "%s needs a folder, and there is no default cache: %s. Give the cache a "
                         "folder with CUCORE_CACHE_DIR",
                         o->field, cache->off);
    int fd = cuc__store_open(&cache->store, true, &error);
    if (fd < 0)
        return cuc__fail(CUC_ERROR_IO, function, "%s needs the folder %s, which cannot be used: %s",
                         o->field, cache->dir, cuc__cache_why(error));
    close(fd);
    if (snprintf(folder, sizeof(folder), "%s/headers-%d.%d", cache->dir, version / 1000,
                 version % 1000 / 10) >= (int)sizeof(folder))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "the cache's path is too long: %s",
                         cache->dir);
    cuc__flags_add(flags, o->on, folder);
    return CUC_OK;
}

static cuc_status add_option(cuc__flags *flags, const cuc__option *o, const void *options,
                             const char *function)
{
    switch (o->kind) {
    case CUC__OPTION_SWITCH:
        return add_switch(flags, o, options, function);
    case CUC__OPTION_HEADERS:
        return add_headers(flags, o, number_at(options, o->offset), function);
    case CUC__OPTION_NUMBER:
        return add_number(flags, o, number_at(options, o->offset), function);
    case CUC__OPTION_TEXT:
        return add_text(flags, o, pointer_at(options, o->offset), "", function);
    default:
        return add_array(flags, o, options, function);
    }
}

cuc_status cuc__options_to_flags(cuc__flags *flags, const cuc__option_table *table,
                                 const void *options, const char *function)
{
    for (size_t i = 0; i < table->count; i++) {
        const cuc__option *o = &table->at[i];
        if (!cuc__option_is_set(o, options))
            continue;
        int have = o->since ? table->version() : 0;
        if (have && have < o->since)
            return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                             "%s needs %s %d.%d, and %s is %d.%d here: leave it unset, or update",
                             o->field, table->backend, o->since / 1000, o->since % 1000 / 10,
                             table->backend, have / 1000, have % 1000 / 10);
        cuc_status st = add_option(flags, o, options, function);
        if (st < 0)
            return st;
    }
    if (flags->no_memory)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for the flags");
    return CUC_OK;
}

cuc_status cuc__arch_read(cuc__arch *arch, const char *text, const char *function)
{
    cuc__arch a = { .real = true };
    const char *p;

    if (!text) {
        cuc_device *device;
        cuc_status st = cuc_device_get_current(&device);
        if (st < 0) {
            cuc__pass_failure(st, function);
            cuc__error_note("arch is not set, which means the current device's: set it, for "
                            "example to \"sm_90\", to compile without a device");
            return st;
        }
        text = cuc_device_arch(device);
    }
    a.real = strncmp(text, "sm_", 3) == 0;
    p = a.real ? text + 3 : strncmp(text, "compute_", 8) == 0 ? text + 8 : "";
    for (int digits = 0; *p >= (digits ? '0' : '1') && *p <= '9' && digits < 4; p++, digits++)
        a.number = a.number * 10 + (*p - '0');
    if (a.number && (*p == 'a' || *p == 'f'))
        a.suffix = *p++;
    if (!a.number || *p)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "arch is \"%.64s\", expected such as \"sm_90\", \"sm_90a\" or "
                         "\"compute_90\"",
                         text);
    snprintf(a.text, sizeof(a.text), "%s", text);
    *arch = a;
    return CUC_OK;
}

cuc_status cuc__name_check(const char *name, const char *function)
{
    if (!*name || strlen(name) > 255)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "name has %zu bytes, expected 1 to 255", strlen(name));
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < ' ')
            return cuc__fail(
                CUC_ERROR_INVALID_ARGUMENT, function,
                "name \"%.128s\" has a control character: expected the name to show in messages",
                name);
    return CUC_OK;
}

void cuc_program_options_init(cuc_program_options *options, size_t size)
{
    cuc__init_options(options, size);
}
