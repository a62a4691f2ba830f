// The kernel library: tile programs of share/kernels, embedded at build time, by name.
#include <cucore/library.h>

#include "base/array.h"
#include "base/error.h"
#include "base/options.h"
#include "library_kernels.h"

#include <stdio.h>
#include <string.h>

static const struct family {
    const char *name, *file, *source;
} families[] = {
#define ROW(name) { #name, #name ".tile", name },
    EMBEDDED(ROW)
#undef ROW
};

static const struct family *family_of(const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(families); i++)
        if (strcmp(families[i].name, name) == 0)
            return &families[i];
    return NULL;
}

static cuc_status find(const struct family **out, const char *name, const char *function)
{
    char names[512] = "";
    size_t used = 0;

    if (!name)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "name is NULL");
    if ((*out = family_of(name)))
        return CUC_OK;
    for (size_t i = 0; i < CUC_LENGTH(families) && used < sizeof(names); i++)
        used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
                                 families[i].name);
    return cuc__fail(CUC_ERROR_NOT_FOUND, function,
                     "the kernel library has no \"%.64s\": expected one of %s", name, names);
}

size_t cuc_library_count(void)
{
    return CUC_LENGTH(families);
}

const char *cuc_library_name(size_t index)
{
    return index < CUC_LENGTH(families) ? families[index].name : "";
}

cuc_status cuc_library_get_source(const char **source, const char *name)
{
    const struct family *family;
    cuc_status st;

    if (!source)
        return CUC_FAIL_NULL("source");
    if ((st = find(&family, name, __func__)) < 0)
        return st;
    *source = family->source;
    return CUC_OK;
}

cuc_status cuc_program_from_library(cuc_program **out, const char *name,
                                    const cuc_program_options *options)
{
    const struct family *family;
    cuc_program_options o;
    cuc_status st;

    if (!out)
        return CUC_FAIL_NULL("out");
    if ((st = find(&family, name, __func__)) < 0 ||
        (st = CUC_READ_OPTIONS(&o, options, cuc_program_options)) < 0)
        return st;
    if (!o.name)
        o.name = family->file;
    return CUC_PASS(cuc_program_create(out, CUC_SOURCE_TILE, family->source, 0, &o));
}
