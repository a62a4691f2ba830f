#include "toolkit.h"

#include "explain/explain.h"
#include "find/find.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int cuc__toolkit_resolve(const cuc__toolkit *kit, const char *name, void (**out)(void))
{
    cuc_found *found = NULL;
    void *handle = cuc__library_open(kit->name, &found);
    bool searched = found != NULL;

    cuc_found_release(found);
    if (!handle)
        return searched ? CUC__TOOLKIT_NO_LIBRARY : CUC__TOOLKIT_NO_MEMORY;
    void *p = kit->symbol ? kit->symbol(handle, name) : dlsym(handle, name);
    if (!p)
        return CUC__TOOLKIT_MISSING;
    memcpy(out, &p, sizeof(p)); // POSIX allows this conversion, but ISO C has no cast for it
    return 0;
}

bool cuc__toolkit_has(const cuc__toolkit *kit, const char *name)
{
    void (*fn)(void);

    return cuc__toolkit_resolve(kit, name, &fn) == 0;
}

static int version_of(const cuc__toolkit *kit, const char *name)
{
    for (size_t i = 0; i < kit->function_count; i++)
        if (strcmp(kit->functions[i].name, name) == 0)
            return kit->functions[i].version;
    return 0;
}

static cuc_status status_of(const cuc__toolkit *kit, int code)
{
    for (size_t i = 0; i < kit->status_count; i++)
        if (kit->statuses[i].code == code)
            return kit->statuses[i].status;
    return CUC_ERROR_TOOLKIT;
}

static cuc_status fail_missing(const cuc__toolkit *kit, const char *function, const char *call)
{
    cuc_found *found = NULL;
    char have[32] = "of an unknown version";
    int version = kit->version ? kit->version() : 0;
    int need = version_of(kit, call);

    (void)cuc__library_open(kit->name, &found);
    if (version > 0)
        snprintf(have, sizeof(have), "%d.%d", version / 1000, version % 1000 / 10);
    cuc_status status = cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                                  "%s %s, %s, has no %s, which came with CUDA %d.%d: update it",
                                  kit->title, have, cuc_found_path(found), call, need / 1000,
                                  need % 1000 / 10);
    cuc_found_release(found);
    return status;
}

cuc_status cuc__fail_toolkit(const cuc__toolkit *kit, int code, const char *function,
                             const char *call, const char *log, const char *fmt, ...)
{
    char what[1024];
    char explanation[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);

    if (code == CUC__TOOLKIT_NO_MEMORY)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory to load %s: %s",
                         kit->title, what);
    if (code == CUC__TOOLKIT_NO_LIBRARY) {
        cuc_found *found = NULL;
        (void)cuc__library_open(kit->name, &found);
        cuc_status status = cuc__fail_library_not_found(kit->name, found, function, what);
        cuc_found_release(found);
        return status;
    }
    if (code == CUC__TOOLKIT_MISSING)
        return fail_missing(kit, function, call);

    const cuc__explanation *e = cuc__explain(kit->library, code);
    snprintf(explanation, sizeof(explanation), "%s %s", e->meaning, e->remedy);
    return cuc__fail_library(status_of(kit, code), kit->library, code, e->symbol, function, call,
                             explanation, log, "%s", what);
}
