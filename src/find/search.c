#include "find.h"

#include "base/array.h"
#include "base/loader.h"
#include "own_folder.h"

#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

// A search in progress.
struct search {
    cuc_found *found;
    const cuc__library_row *row;
    void **handle; // NULL means to search without loading
};

// The trail

static void tried(cuc_found *found, const char *method, const char *fmt, ...) CUC__PRINTF(3, 4);

static void tried(cuc_found *found, const char *method, const char *fmt, ...)
{
    char *what = NULL;
    char *line = NULL;
    va_list args;

    va_start(args, fmt);
    int n = vasprintf(&what, fmt, args);
    va_end(args);
    if (n < 0 || asprintf(&line, "%s: %s", method, what) < 0) {
        found->no_memory = true;
        free(n < 0 ? NULL : what);
        return;
    }
    free(what);
    if (!CUC_RESERVE(found->tried, found->tried_capacity, found->tried_count + 1)) {
        found->no_memory = true;
        free(line);
        return;
    }
    found->tried[found->tried_count++] = line;
}

static bool is_here(cuc_found *found, const char *method, const char *path)
{
    found->path = strdup(path);
    found->method = method;
    found->no_memory |= !found->path;
    return true;
}

cuc_found *cuc__found_create(void)
{
    cuc_found *found = calloc(1, sizeof(*found));

    if (found) {
        cuc__handle_init(found, CUC__HANDLE_FOUND);
        found->method = "";
    }
    return found;
}

// Files

static const char *join(char *out, const char *dir, const char *file)
{
    return snprintf(out, PATH_BYTES, "%s/%s", dir, file) < PATH_BYTES ? out : "";
}

static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool is_folder(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

// Copies the path under which the loader opened a loaded library; "" for the program. Copies byte
// by byte, because ThreadSanitizer does not know the lock under which the loader wrote the name.
__attribute__((no_sanitize("thread"))) static void loaded_path(char *out, void *handle)
{
    struct link_map *map;
    size_t at = 0;

    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0)
        while (map->l_name[at] && at < PATH_BYTES - 1) {
            out[at] = map->l_name[at];
            at++;
        }
    out[at] = '\0';
}

// Keeps or closes a handle that the search has opened. Always returns true.
static bool take(struct search *s, const char *method, const char *path, void *handle)
{
    if (s->handle)
        *s->handle = handle;
    else
        dlclose(handle);
    return is_here(s->found, method, path);
}

// The steps of a search. Each returns true to end the search.

// Looks for a symbol that the program exports, or for a soname that is already loaded.
static bool try_loaded(struct search *s)
{
    const char *sonames = s->row->sonames;
    char soname[64];
    char path[PATH_BYTES];

    void *symbol = s->row->symbol ? dlsym(RTLD_DEFAULT, s->row->symbol) : NULL;
    Dl_info info;
    if (symbol && dladdr(symbol, &info) && info.dli_fname) {
        void *program = cuc__open_shared(NULL, RTLD_LAZY, NULL);
        if (program)
            return take(s, "loaded", info.dli_fname, program);
    }
    while (cuc__next_word(&sonames, soname, sizeof(soname))) {
        void *handle = cuc__open_shared(soname, RTLD_LAZY | RTLD_NOLOAD, NULL);
        if (handle) {
            loaded_path(path, handle);
            return take(s, "loaded", path, handle);
        }
    }
    tried(s->found, "loaded", "%s: not in this process",
          cuc__alternatives(path, sizeof(path), s->row->sonames));
    return false;
}

// Tries a file. It must load if the search loads libraries; otherwise it need only exist.
static bool try_file(struct search *s, const char *method, const char *path)
{
    if (!s->handle)
        return is_here(s->found, method, path);
    const char *why;
    void *handle = cuc__open_shared(path, RTLD_NOW | RTLD_LOCAL, &why);
    if (handle)
        return take(s, method, path, handle);
    tried(s->found, method, "%s: cannot be loaded: %s", path, why);
    return false;
}

// Tries the file that the system's loader chooses for a name. Opens it if the search loads
// libraries, or if the choice cannot be predicted.
static bool try_system(struct search *s, const char *method, const char *name)
{
    char path[PATH_BYTES];

    if (!s->handle && cuc__system_library(name, path, sizeof(path)))
        return is_here(s->found, method, path);
    const char *why;
    void *handle = cuc__open_shared(name, (s->handle ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL, &why);

    if (!handle) {
        tried(s->found, method, "%s", why);
        return false;
    }
    loaded_path(path, handle);
    return take(s, method, path[0] ? path : name, handle);
}

// Searches for the simulated driver of CUCORE_DRIVER=sim: beside the library that contains this
// code, then on the loader's search path.
static bool try_simulated(struct search *s)
{
    static const char file[] = "libcucore-sim.so";
    char dir[PATH_BYTES];
    char path[PATH_BYTES];

    if (cuc__own_folder(dir, sizeof(dir))) {
        if (is_file(join(path, dir, file)))
            return try_file(s, "explicit", path);
        tried(s->found, "explicit", "%s: no such file", path);
    }
    return try_system(s, "explicit", file);
}

static bool try_choice(struct search *s, const char *choice)
{
    if (strcmp(s->row->name, "cuda") == 0 && strcmp(choice, "sim") == 0)
        return try_simulated(s);
    if (!strchr(choice, '/'))
        return try_system(s, "explicit", choice);
    if (is_file(choice))
        return try_file(s, "explicit", choice);
    tried(s->found, "explicit", "%s: %s", choice,
          is_folder(choice) ? "is a folder" : "no such file");
    return false;
}

static bool try_folder(struct search *s, const cuc__place *place)
{
    const char *sonames = s->row->sonames;
    char soname[64];
    char path[PATH_BYTES];
    bool any = false;

    if (!is_folder(place->dir)) {
        tried(s->found, place->method, "%s: no such folder", place->dir);
        return false;
    }
    while (cuc__next_word(&sonames, soname, sizeof(soname))) {
        if (!is_file(join(path, place->dir, soname)))
            continue;
        any = true;
        if (try_file(s, place->method, path))
            return true;
    }
    if (!any)
        tried(s->found, place->method, "%s: has no %s", place->dir,
              cuc__alternatives(path, sizeof(path), s->row->sonames));
    return false;
}

static bool try_place(struct search *s, const cuc__place *place)
{
    const char *sonames = s->row->sonames;
    char soname[64];

    if (place->dir)
        return try_folder(s, place);
    if (place->note) {
        tried(s->found, place->method, "%s", place->note);
        return false;
    }
    while (cuc__next_word(&sonames, soname, sizeof(soname)))
        if (try_system(s, place->method, soname))
            return true;
    return false;
}

cuc_found *cuc__search_library(const cuc__library_row *row, const char *choice, void **handle)
{
    struct search s = { cuc__found_create(), row, handle };
    cuc__places places;

    if (!s.found)
        return NULL;
    if (choice) {
        s.found->chosen = true;
        (void)try_choice(&s, choice);
    } else if (!try_loaded(&s)) {
        cuc__places_of_library(&places, row);
        s.found->no_memory |= places.no_memory;
        for (size_t i = 0; i < places.count; i++)
            if (try_place(&s, &places.at[i]))
                break;
        cuc__places_free(&places);
    }
    if (s.found->no_memory) {
        if (handle && *handle) {
            dlclose(*handle);
            *handle = NULL;
        }
        cuc_found_release(s.found);
        return NULL;
    }
    return s.found;
}

// Headers

static bool try_header_folder(cuc_found *found, const cuc__place *place, const cuc__header_row *row)
{
    const char *within = row->within;
    char folder[64];
    char dir[PATH_BYTES];
    char path[PATH_BYTES];

    while (cuc__next_word(&within, folder, sizeof(folder)))
        if (is_file(join(path, join(dir, place->dir, folder), row->probe)))
            return is_here(found, place->method, dir);
    if (is_file(join(path, place->dir, row->probe)))
        return is_here(found, place->method, place->dir);
    if (is_folder(place->dir))
        tried(found, place->method, "%s: has no %s", place->dir, row->probe);
    else
        tried(found, place->method, "%s: no such folder", place->dir);
    return false;
}

void cuc__search_headers(cuc_found *found, const cuc__header_row *row)
{
    const char *choice = cuc__find_environment(row->name, "_INCLUDE");
    cuc__places places;

    if (choice) {
        found->chosen = true;
        char *dir = strdup(choice);
        const cuc__place place = { "explicit", dir, NULL };
        if (dir)
            (void)try_header_folder(found, &place, row);
        found->no_memory |= !dir;
        free(dir);
        return;
    }
    cuc__places_of_header(&places, row);
    found->no_memory |= places.no_memory;
    for (size_t i = 0; i < places.count; i++) {
        if (!places.at[i].dir)
            tried(found, places.at[i].method, "%s", places.at[i].note);
        else if (try_header_folder(found, &places.at[i], row))
            break;
    }
    cuc__places_free(&places);
}
