#include "base/array.h"
#include "find.h"

#include <glob.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The folder names that NVIDIA and conda use for this machine, and its multiarch name.
#if defined(__x86_64__)
#define TARGETS "x86_64-linux"
#define TRIPLET "x86_64-linux-gnu"
#elif defined(__aarch64__)
#define TARGETS "sbsa-linux aarch64-linux"
#define TRIPLET "aarch64-linux-gnu"
#else
#define TARGETS ""
#define TRIPLET "lib"
#endif

const char *cuc__find_root = "";

// Adds a folder. A relative folder is never searched, because that would load code from whatever
// folder the program is started in.
static void add(cuc__places *places, const char *method, char *dir, const char *note)
{
    if (dir && *dir != '/') {
        free(dir);
        dir = NULL;
        note = "a relative path is not searched, expected one that begins with /";
    }
    for (size_t i = 0; note && i < places->count; i++)
        if (places->at[i].note && strcmp(places->at[i].method, method) == 0 &&
            strcmp(places->at[i].note, note) == 0)
            return;
    for (size_t i = 0; dir && i < places->count; i++) {
        if (places->at[i].dir && strcmp(places->at[i].dir, dir) == 0) {
            free(dir);
            return;
        }
    }
    if (!CUC_RESERVE(places->at, places->capacity, places->count + 1)) {
        places->no_memory = true;
        free(dir);
        return;
    }
    places->at[places->count++] = (cuc__place){ method, dir, note };
}

static void add_note(cuc__places *places, const char *method, const char *note)
{
    add(places, method, NULL, note);
}

static void add_dir(cuc__places *places, const char *method, const char *fmt, ...)
    CUC__PRINTF(3, 4);

static void add_dir(cuc__places *places, const char *method, const char *fmt, ...)
{
    char *dir;
    va_list args;

    va_start(args, fmt);
    int n = vasprintf(&dir, fmt, args);
    va_end(args);
    if (n < 0)
        places->no_memory = true;
    else
        add(places, method, dir, NULL);
}

static int newest_first(const void *a, const void *b)
{
    return strverscmp(*(char *const *)b, *(char *const *)a);
}

typedef void (*visit_fn)(cuc__places *places, const char *path, const void *user);

// Calls `visit` for each folder that matches a pattern, in descending version order: 3.13 before
// 3.9.
static void each_match(cuc__places *places, visit_fn visit, const void *user, const char *fmt, ...)
    CUC__PRINTF(4, 5);

static void each_match(cuc__places *places, visit_fn visit, const void *user, const char *fmt, ...)
{
    glob_t found;
    char *pattern;
    va_list args;

    va_start(args, fmt);
    int n = vasprintf(&pattern, fmt, args);
    va_end(args);
    if (n < 0) {
        places->no_memory = true;
        return;
    }
    switch (glob(pattern, GLOB_ONLYDIR | GLOB_NOSORT, NULL, &found)) {
    case 0:
        qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), newest_first);
        for (size_t i = 0; i < found.gl_pathc; i++)
            visit(places, found.gl_pathv[i], user);
        break;
    case GLOB_NOSPACE:
        places->no_memory = true;
        break;
    default: // no match, or an unreadable folder
        break;
    }
    globfree(&found);
    free(pattern);
}

// Python's packages

static void add_site(cuc__places *places, const char *site, const void *folders)
{
    const char *list = folders;
    char folder[128];

    while (cuc__next_word(&list, folder, sizeof(folder)))
        add_dir(places, "wheel", "%s/%s", site, folder);
}

// Copies the next entry of a colon-separated list such as PATH. Skips empty entries, which mean the
// current folder.
static bool next_entry(const char **list, char *out, size_t size)
{
    while (*list && **list) {
        size_t length = strcspn(*list, ":");
        const char *entry = *list;
        *list += length + (entry[length] == ':');
        if (length && (size_t)snprintf(out, size, "%.*s", (int)length, entry) < size)
            return true;
    }
    return false;
}

// Adds the packages of the python3 that a shell would start. In a virtual environment, python3 is a
// link, so this adds both the packages beside the link and those beside its target.
static void add_python_on_path(cuc__places *places, const char *folders)
{
    const char *list = secure_getenv("PATH");
    char entry[1024];
    char python[1040];

    while (next_entry(&list, entry, sizeof(entry))) {
        snprintf(python, sizeof(python), "%s/python3", entry);
        if (*entry != '/' || access(python, X_OK) != 0)
            continue;
        char *real = realpath(python, NULL);
        const char *const files[] = { python, real };
        for (size_t i = 0; i < 2 && files[i]; i++) {
            // "<prefix>/bin/python3"
            size_t length = strlen(files[i]);
            for (int up = 0; up < 2; up++)
                while (length && files[i][--length] != '/')
                    ;
            if (length)
                each_match(places, add_site, folders, "%.*s/lib/python3*/site-packages",
                           (int)length, files[i]);
        }
        free(real);
        break;
    }
}

static void add_wheels(cuc__places *places, const char *folders)
{
    // Below the root, in Python's own order: first the packages that the user installed, then the
    // system's.
    static const char *const system_sites[] = {
        "usr/local/lib/python3*/site-packages",
        "usr/local/lib/python3*/dist-packages",
        "usr/lib/python3/dist-packages",
        "usr/lib/python3*/site-packages",
    };
    const char *venv = secure_getenv("VIRTUAL_ENV");
    const char *home = secure_getenv("HOME");
    const char *list = secure_getenv("PYTHONPATH");
    size_t before = places->count;
    char entry[1024];

    while (next_entry(&list, entry, sizeof(entry)))
        add_site(places, entry, folders);
    if (venv && *venv)
        each_match(places, add_site, folders, "%s/lib/python3*/site-packages", venv);
    add_python_on_path(places, folders);
    if (home && *home)
        each_match(places, add_site, folders, "%s/.local/lib/python3*/site-packages", home);
    for (size_t i = 0; i < CUC_LENGTH(system_sites); i++)
        each_match(places, add_site, folders, "%s/%s", cuc__find_root, system_sites[i]);
    if (places->count == before)
        add_note(places, "wheel", "no site-packages of a Python 3 found");
}

// Toolkits

// The search for libraries and the search for headers differ in these folders below a root.
struct layout {
    const char *first;  // folders that only this row has
    const char *common; // folders that every row has
    const char *target; // the folder within targets/<machine>
    bool links;         // conda collects links to all files in one folder
};

static void add_toolkit(cuc__places *places, const char *method, const char *root,
                        const struct layout *layout)
{
    const char *lists[] = { layout->first, layout->common };
    const char *targets = TARGETS;
    char word[64];

    for (size_t i = 0; i < 2; i++)
        while (cuc__next_word(&lists[i], word, sizeof(word)))
            add_dir(places, method, "%s/%s", root, word);
    while (cuc__next_word(&targets, word, sizeof(word)))
        add_dir(places, method, "%s/targets/%s/%s", root, word, layout->target);
}

static void add_standard_toolkit(cuc__places *places, const char *root, const void *layout)
{
    add_toolkit(places, "standard", root, layout);
}

static void add_conda(cuc__places *places, const struct layout *layout)
{
    const char *prefix = secure_getenv("CONDA_PREFIX");
    const char *targets = TARGETS;
    char word[64];

    if (!prefix || !*prefix) {
        add_note(places, "conda", "CONDA_PREFIX is not set");
        return;
    }
    // All libraries are in the prefix's own folder, some as links into targets. A header may be in
    // either folder.
    if (layout->links)
        add_dir(places, "conda", "%s/%s", prefix, layout->target);
    while (cuc__next_word(&targets, word, sizeof(word)))
        add_dir(places, "conda", "%s/targets/%s/%s", prefix, word, layout->target);
    if (!layout->links)
        add_dir(places, "conda", "%s/%s", prefix, layout->target);
    const char *first = layout->first;
    while (cuc__next_word(&first, word, sizeof(word)))
        add_dir(places, "conda", "%s/%s", prefix, word);
}

static bool same_folder(const char *a, const char *b)
{
    char *real_a = realpath(a, NULL);
    char *real_b = realpath(b, NULL);
    bool same = strcmp(real_a ? real_a : a, real_b ? real_b : b) == 0;

    free(real_a);
    free(real_b);
    return same;
}

static void add_variables(cuc__places *places, const struct layout *layout)
{
    const char *path = secure_getenv("CUDA_PATH");
    const char *home = secure_getenv("CUDA_HOME");

    if (path && *path)
        add_toolkit(places, "CUDA_PATH", path, layout);
    else
        add_note(places, "CUDA_PATH", "not set");
    if (!home || !*home) {
        add_note(places, "CUDA_HOME", "not set");
        return;
    }
    if (path && *path && !same_folder(path, home))
        add_note(places, "CUDA_HOME", "is another folder than CUDA_PATH, which comes first");
    add_toolkit(places, "CUDA_HOME", home, layout);
}

static void add_standard(cuc__places *places, const struct layout *layout)
{
    static const char *const roots[] = { "usr/local/cuda", "usr/local/cuda-*", "opt/cuda" };
    size_t before = places->count;

    for (size_t i = 0; i < CUC_LENGTH(roots); i++)
        each_match(places, add_standard_toolkit, layout, "%s/%s", cuc__find_root, roots[i]);
    if (places->count == before)
        add_note(places, "standard", "no /usr/local/cuda, /usr/local/cuda-* or /opt/cuda");
}

void cuc__places_of_library(cuc__places *places, const cuc__library_row *row)
{
    const struct layout layout = { row->toolkit, "lib64 lib", "lib", true };

    *places = (cuc__places){ 0 };
    if (!row->wheels) { // a library of the driver: a toolkit has only a stub of it for linking
        add_note(places, "system", NULL);
        return;
    }
    add_wheels(places, row->wheels);
    add_conda(places, &layout);
    add_note(places, "system", NULL);
    add_variables(places, &layout);
    add_standard(places, &layout);
    add_dir(places, "standard", "%s/usr/lib/" TRIPLET, cuc__find_root);
    add_dir(places, "standard", "%s/usr/lib64", cuc__find_root);
    add_dir(places, "standard", "%s/usr/lib", cuc__find_root);
}

void cuc__places_of_header(cuc__places *places, const cuc__header_row *row)
{
    const struct layout layout = { row->toolkit, "include", "include", false };

    *places = (cuc__places){ 0 };
    add_wheels(places, row->wheels);
    add_conda(places, &layout);
    add_variables(places, &layout);
    add_standard(places, &layout);
    add_dir(places, "standard", "%s/usr/local/include", cuc__find_root);
    add_dir(places, "standard", "%s/usr/include", cuc__find_root);
}

void cuc__places_free(cuc__places *places)
{
    for (size_t i = 0; i < places->count; i++)
        free(places->at[i].dir);
    free(places->at);
    *places = (cuc__places){ 0 };
}
