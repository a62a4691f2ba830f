#include "source.h"
#include "base/array.h"
#include "values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const source_language languages[] = {
    { "cu", CUC_SOURCE_CUDA, 0 },   { "ptx", CUC_SOURCE_PTX, CUC_CODE_PTX },
    { "cubin", 0, CUC_CODE_CUBIN }, { "fatbin", 0, CUC_CODE_FATBIN },
    { "tile", CUC_SOURCE_TILE, 0 },
};

static const source_language *language_named(const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(languages); i++)
        if (strcmp(languages[i].name, name) == 0)
            return &languages[i];
    return NULL;
}

void source_options_begin(source_options *o, int argc)
{
    size_t capacity = (size_t)argc + 1; // plus one for the file's folder or the kernel's name

    *o = (source_options){ .capacity = capacity };
    o->includes = cli_allocate(capacity * sizeof(*o->includes));
    o->defines = cli_allocate(capacity * sizeof(*o->defines));
    o->extra = cli_allocate(capacity * sizeof(*o->extra));
    o->expressions = cli_allocate(capacity * sizeof(*o->expressions));
    o->constants = cli_allocate(capacity * sizeof(*o->constants));
    o->dimensions = cli_allocate(capacity * sizeof(*o->dimensions));
    o->include_count = 1; // reserves the first entry for the file's folder
}

void source_options_end(source_options *o)
{
    free(o->includes);
    free(o->defines);
    free(o->extra);
    free(o->expressions);
    free(o->constants);
    free(o->dimensions);
    for (size_t i = 0; i < o->known_count; i++)
        free(o->known[i]);
    free(o->known);
    *o = (source_options){ 0 };
}

bool source_options_given(const source_options *o)
{
    return o->arch || o->standard || o->include_count > 1 || o->define_count || o->extra_count ||
           o->constant_count || o->dimension_count || o->warps || o->stages || o->cluster ||
           o->split || o->raster || o->operations || o->ptx_bytes || o->memory_bytes ||
           o->seconds > 0 || o->require_tma || o->require_tensor_core || o->no_fma;
}

// Return whether text is an architecture: sm_90, sm_90a, compute_100f.
static bool is_arch(const char *text)
{
    size_t n = strncmp(text, "sm_", 3) == 0 ? 3 : strncmp(text, "compute_", 8) == 0 ? 8 : 0;
    size_t digits = strspn(text + n, "0123456789");
    const char *rest = text + n + digits;

    return n && text[n] != '0' && digits >= 2 && digits <= 3 &&
           (!*rest || (strchr("af", *rest) && !rest[1]));
}

// Parse NAME=N with N above 0: bytes and operations are integers.
static int take_budget(source_options *o, const char *text)
{
    const struct {
        const char *name;
        uint64_t *amount;
    } budgets[] = { { "operations=", &o->operations },
                    { "ptx=", &o->ptx_bytes },
                    { "memory=", &o->memory_bytes },
                    { "seconds=", NULL } };

    for (size_t i = 0; i < CUC_LENGTH(budgets); i++) {
        size_t length = strlen(budgets[i].name);
        const char *value = text + length;
        char *end;
        if (strncmp(text, budgets[i].name, length) != 0)
            continue;
        errno = 0;
        double seconds = strtod(value, &end);
        bool good = *value && !*end && seconds > 0;
        if (budgets[i].amount) {
            *budgets[i].amount = strtoull(value, &end, 10);
            good &= !*end && !errno && *budgets[i].amount;
        } else {
            o->seconds = seconds;
        }
        return good ? 0
                    : cli_usage_error("'--budget %s': expected %s above 0", text,
                                      budgets[i].amount ? "an integer" : "a number");
    }
    return cli_usage_error("'--budget %s': expected operations=N, ptx=BYTES, memory=BYTES or "
                           "seconds=S",
                           text);
}

int source_options_take(source_options *o, int id, const char *value)
{
    switch (id) {
    case SOURCE_ARCH:
        if (!is_arch(value))
            return cli_usage_error(
                "'%s' is not an architecture such as sm_90, sm_90a or compute_90", value);
        o->arch = value;
        return 0;
    case 'I':
        o->includes[o->include_count++] = value;
        return 0;
    case 'D':
        if (!*value || *value == '=')
            return cli_usage_error("'-D %s' names no macro: -D NAME or -D NAME=VALUE", value);
        o->defines[o->define_count++] = value;
        return 0;
    case SOURCE_STD:
        o->standard = value;
        return 0;
    case SOURCE_OPTION:
        o->extra[o->extra_count++] = value;
        return 0;
    case SOURCE_EXPRESSION:
        o->expressions[o->expression_count++] = value;
        return 0;
    case SOURCE_SET:
        if (!strchr(value, '=') || *value == '=')
            return cli_usage_error("'--set %s' sets nothing: --set NAME=VALUE", value);
        o->constants[o->constant_count++] = value;
        return 0;
    case SOURCE_DIMENSION:
        if (!strchr(value, '=') || *value == '=')
            return cli_usage_error("'--dim %s' is not an extent: --dim NAME=EXTENT", value);
        o->dimensions[o->dimension_count++] = value;
        return 0;
    case SOURCE_WARPS:
        return value_number(&o->warps, "warps", value, 1, 32);
    case SOURCE_STAGES:
        return value_number(&o->stages, "stages", value, 2, 24);
    case SOURCE_CLUSTER:
        return value_number(&o->cluster, "tile-cluster", value, 1, 8);
    case SOURCE_SPLIT:
        return value_number(&o->split, "tile-split", value, 1, 16);
    case SOURCE_RASTER:
        return value_number(&o->raster, "tile-raster", value, 1, 64);
    case SOURCE_BUDGET:
        return take_budget(o, value);
    case SOURCE_REQUIRE_TMA:
        o->require_tma = true;
        return 0;
    case SOURCE_REQUIRE_TENSOR_CORE:
        o->require_tensor_core = true;
        return 0;
    case SOURCE_NO_FMA:
        o->no_fma = true;
        return 0;
    case SOURCE_LANG:
        o->language = value;
        return 0;
    default:
        return -1;
    }
}

void source_options_know(source_options *o, const char *dimension)
{
    char **more = cli_allocate((o->known_count + 1) * sizeof(*more));

    if (o->known_count)
        memcpy(more, o->known, o->known_count * sizeof(*more));
    free(o->known);
    o->known = more;
    o->known[o->known_count++] = cli_copy_text(dimension, strlen(dimension));
}

int source_identify(source *out, const char *path, const source_options *o)
{
    bool standard_input = strcmp(path, "-") == 0;
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const source_language *language = dot ? language_named(dot + 1) : NULL;
    char name[32];

    *out = (source){ 0 };
    if (!*base)
        return cli_usage_error("'%s' names no file", path);
    if (o->language) {
        language = language_named(o->language);
        if (!language || !language->source)
            return cli_usage_error("--lang is '%s': cu, ptx and tile are known", o->language);
    } else if (standard_input) {
        return cli_usage_error("with '-' for FILE, --lang must give the language: cu, ptx or tile");
    }
    if (!language)
        return cli_usage_error("'%s' does not end in .cu, .ptx or .tile: give its language by "
                               "--lang",
                               path);
    out->language = language;
    snprintf(name, sizeof(name), "stdin.%s", language->name);
    const char *called = standard_input ? name : base;
    out->name = cli_copy_text(called, strlen(called));
    out->directory = slash == path ? cli_copy_text("/", 1)
                     : slash       ? cli_copy_text(path, (size_t)(slash - path))
                                   : cli_copy_text(".", 1);
    return CLI_DONE;
}

bool source_read(source *s, const char *path, cli_why *why)
{
    if (!cli_read_file(&s->text, &s->bytes, path, why))
        return false;
    return s->bytes ? true : cli_because(why, "%s is empty", s->name);
}

void source_release(source *s)
{
    free(s->name);
    free(s->directory);
    free(s->text);
    *s = (source){ 0 };
}

const char *source_device_arch(source *s, const cuc_device *device)
{
    const char *arch = cuc_device_arch(device);

    if (s->language->source != CUC_SOURCE_TILE || atoi(arch + strcspn(arch, "0123456789")) < 90)
        return arch;
    snprintf(s->arch, sizeof(s->arch), "%sa", arch);
    return s->arch;
}

void source_tile_options(cuc_program_options *to, const source_options *o)
{
    to->constants = o->constants;
    to->constant_count = o->constant_count;
    to->dimensions = o->dimension_count ? o->dimensions : (const char *const *)o->known;
    to->dimension_count = o->dimension_count ? o->dimension_count : o->known_count;
    to->warps = (int32_t)o->warps;
    to->stages = (int32_t)o->stages;
    to->cluster = (int32_t)o->cluster;
    to->split = (int32_t)o->split;
    to->raster = (int32_t)o->raster;
    to->budget_operations = o->operations;
    to->budget_ptx_bytes = o->ptx_bytes;
    to->budget_memory_bytes = o->memory_bytes;
    to->budget_seconds = o->seconds;
    to->require_tma = o->require_tma ? CUC_ON : CUC_DEFAULT;
    to->require_tensor_core = o->require_tensor_core ? CUC_ON : CUC_DEFAULT;
    to->fma = o->no_fma ? CUC_OFF : CUC_DEFAULT;
}

cuc_status source_program(cuc_program **out, const source *s, const source_options *o,
                          const char *arch)
{
    cuc_program_options options = CUC_PROGRAM_OPTIONS_INIT;

    options.name = s->name;
    options.arch = arch;
    options.extra_options = o->extra;
    options.extra_option_count = o->extra_count;
    options.std = o->standard;
    options.define_macros = o->defines;
    options.define_macro_count = o->define_count;
    source_tile_options(&options, o);
    options.remarks = o->remarks ? CUC_ON : CUC_DEFAULT;
    options.name_expressions = o->expressions;
    options.name_expression_count = o->expression_count;
    if (s->language->source == CUC_SOURCE_CUDA) {
        // As in C++, quoted includes are relative to the file, not to the current folder.
        o->includes[0] = s->directory;
        options.no_source_include = CUC_ON;
        options.include_paths = o->includes;
        options.include_path_count = o->include_count;
    } else {
        options.include_paths = o->includes + 1;
        options.include_path_count = o->include_count - 1;
    }
    return cuc_program_create(out, s->language->source, s->text, s->bytes, &options);
}
