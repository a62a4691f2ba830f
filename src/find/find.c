#include "find.h"

#include "base/loader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Failures

static const char driver_remedy[] =
    "Install the NVIDIA driver, or give the container access to it,";
static const char toolkit_remedy[] = "Install the CUDA toolkit,";

// Joins the trail into one text for the log of a failure.
static char *trail_of(const cuc_found *found)
{
    size_t size = 1;

    for (size_t i = 0; i < found->tried_count; i++)
        size += strlen(found->tried[i]) + 1;
    char *text = malloc(size);
    char *at = text;
    for (size_t i = 0; text && i < found->tried_count; i++)
        at += sprintf(at, "%s%s", i ? "\n" : "", found->tried[i]);
    if (text)
        *at = '\0';
    return text;
}

// Writes the remedy for a missing file. Rows without a package use `fallback`.
static void set_remedy(const cuc_found *found, const char *name, const char *suffix,
                       const char *pip, const char *package, const char *fallback)
{
    char text[1024];
    char variable[64];
    char install[256];

    cuc__find_variable(variable, sizeof(variable), name, suffix);
    if (pip && package)
        snprintf(install, sizeof(install),
                 "Install it with `pip install %s`, or as the package %s of NVIDIA's repository,",
                 pip, package);
    else if (pip)
        snprintf(install, sizeof(install), "Install it with `pip install %s`,", pip);
    else
        snprintf(install, sizeof(install), "%s", fallback);
    if (!*suffix && cuc__program_is_static())
        snprintf(text, sizeof(text), "%s", cuc__static_remedy);
    else if (found->chosen)
        snprintf(
            text, sizeof(text),
            "The program or %s named this place, so no other was tried: correct it or remove it.",
            variable);
    else
        snprintf(text, sizeof(text),
                 "%s or set %s to its path. The error's log lists the places searched.", install,
                 variable);
    cuc__error_set_explanation(text);
}

static cuc_status fail_unknown(const char *kind, const char *name, const char *function,
                               const char *(*at)(size_t))
{
    char names[1024] = "";
    size_t length = 0;

    for (size_t i = 0; at(i) && length < sizeof(names); i++)
        length +=
            (size_t)snprintf(names + length, sizeof(names) - length, "%s%s", i ? ", " : "", at(i));
    return cuc__fail(CUC_ERROR_NOT_FOUND, function, "unknown %s \"%.64s\", expected one of %s",
                     kind, name, names);
}

static cuc_status fail_nowhere(const cuc_found *found, const char *function, const char *what,
                               const char *kind, const char *name, const char *files)
{
    char list[256];
    cuc_status status = cuc__fail(CUC_ERROR_NOT_FOUND, function,
                                  "%s%sthe %s %s (%s) %s not found%s%s", what, *what ? ": " : "",
                                  name, kind, cuc__alternatives(list, sizeof(list), files),
                                  strcmp(kind, "library") == 0 ? "was" : "were",
                                  found->chosen ? ": " : "", found->chosen ? found->tried[0] : "");
    char *trail = trail_of(found);

    cuc__error_set_log(trail);
    free(trail);
    return status;
}

cuc_status cuc__fail_library_not_found(const char *name, const cuc_found *found,
                                       const char *function, const char *what)
{
    const cuc__library_row *row = cuc__library_row_named(name);

    if (!row)
        return fail_unknown("libraries", name, function, cuc_find_library_name);
    if (!found)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory to search for the library %s", row->name);
    cuc_status status = fail_nowhere(found, function, what, "library", row->name, row->sonames);
    set_remedy(found, row->name, "", row->pip, row->package,
               row->wheels ? toolkit_remedy : driver_remedy);
    return status;
}

// Public functions

cuc_status cuc_find_library(cuc_found **out, const char *name)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(name);
    const cuc__library_row *row = cuc__library_row_named(name);
    if (!row)
        return fail_unknown("libraries", name, __func__, cuc_find_library_name);

    cuc_found *found = cuc__library_opened(row);
    if (!found) {
        char *choice;
        if (cuc__library_choice(row, &choice))
            found = cuc__search_library(row, choice, NULL);
        free(choice);
    }
    if (!found || !found->path) {
        cuc_status status = cuc__fail_library_not_found(name, found, __func__, "");
        cuc_found_release(found);
        return status;
    }
    *out = found;
    return CUC_OK;
}

cuc_status cuc_find_header_dir(cuc_found **out, const char *name)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(name);
    const cuc__header_row *row = cuc__header_row_named(name);
    if (!row)
        return fail_unknown("headers", name, __func__, cuc_find_header_name);

    cuc_found *found = cuc__found_create();
    if (found)
        cuc__search_headers(found, row);
    if (!found || found->no_memory) {
        cuc_found_release(found);
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory to search for the headers %s",
                        row->name);
    }
    if (!found->path) {
        cuc_status status = fail_nowhere(found, __func__, "", "headers", row->name, row->probe);
        set_remedy(found, row->name, "_INCLUDE", row->pip, row->package, toolkit_remedy);
        cuc_found_release(found);
        return status;
    }
    *out = found;
    return CUC_OK;
}

const char *cuc_found_path(const cuc_found *found)
{
    return found && found->path ? found->path : "";
}

const char *cuc_found_method(const cuc_found *found)
{
    return found ? found->method : "";
}

size_t cuc_found_tried_count(const cuc_found *found)
{
    return found ? found->tried_count : 0;
}

const char *cuc_found_tried_at(const cuc_found *found, size_t index)
{
    return found && index < found->tried_count ? found->tried[index] : "";
}

cuc_found *cuc_found_retain(cuc_found *found)
{
    return cuc__handle_retain(found);
}

void cuc_found_release(cuc_found *found)
{
    if (!cuc__handle_drop(found, CUC__HANDLE_FOUND))
        return;
    for (size_t i = 0; i < found->tried_count; i++)
        free(found->tried[i]);
    free(found->tried);
    free(found->path);
    cuc__handle_free(found);
}
