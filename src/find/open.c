#include "find.h"

#include "base/loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The libraries that the process has opened, by row. The lock guards only the pointers. No thread
// holds it while it searches or loads, because a library's constructors may run arbitrary code. If
// two threads open the same library at the same time, the second one uses the first one's result.
static struct {
    pthread_mutex_t lock;
    struct {
        char *path;       // from cuc_set_library_path()
        cuc_found *found; // the result of the search, even of a failed one
        void *handle;     // NULL while `found` is set means that the search failed
        unsigned changes; // number of changes of `path`; a search that began before the last change
                          // does not count
    } library[CUC__LIBRARY_MAX];
} state = { .lock = PTHREAD_MUTEX_INITIALIZER };

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void lock_state(void)
{
    pthread_mutex_lock(&state.lock);
}

static void unlock_state(void)
{
    pthread_mutex_unlock(&state.lock);
}

// Keeps a forked child from inheriting a lock whose holder exists only in the parent.
static void watch_forks(void)
{
    (void)pthread_atfork(lock_state, unlock_state, unlock_state);
}

static void enter(void)
{
    pthread_once(&once, watch_forks);
    lock_state();
}

bool cuc__library_choice(const cuc__library_row *row, char **out)
{
    size_t at = cuc__library_index(row);
    const char *choice;

    enter();
    choice = state.library[at].path;
    if (!choice)
        choice = cuc__find_environment(row->name, "");
    *out = choice ? strdup(choice) : NULL;
    unlock_state();
    return !choice || *out;
}

cuc_found *cuc__library_opened(const cuc__library_row *row)
{
    size_t at = cuc__library_index(row);

    enter();
    cuc_found *found = state.library[at].handle ? cuc_found_retain(state.library[at].found) : NULL;
    unlock_state();
    return found;
}

// Loads the files that a library will open by bare soname, so that the loader already knows them.
// No other way works if the loader does not search the library's folder, as in a wheel. Loads only
// files of the library's own major version. Ignores failures, because the library itself then fails
// and reports them.
static void open_beside(const cuc__library_row *row, const char *path)
{
    char start[128];
    char file[4096];
    const char *slash = strrchr(path, '/');
    const char *major = strstr(slash ? slash : path, ".so.");

    if (!row->beside || !slash)
        return;
    snprintf(start, sizeof(start), "%s%.*s", row->beside, major ? (int)strcspn(major + 4, ".") : 0,
             major ? major + 4 : "");
    snprintf(file, sizeof(file), "%.*s", (int)(slash - path), path);
    DIR *dir = opendir(file);
    if (!dir)
        return;
    for (struct dirent *e; (e = readdir(dir));) {
        if (strncmp(e->d_name, start, strlen(start)) != 0)
            continue;
        snprintf(file, sizeof(file), "%.*s/%s", (int)(slash - path), path, e->d_name);
        (void)cuc__open_shared(file, RTLD_LAZY | RTLD_LOCAL, NULL); // never unloaded
    }
    closedir(dir);
}

static cuc_found *open_row(const cuc__library_row *row, void **handle)
{
    const char *depends = row->depends;
    char word[64];
    char *choice;

    // A missing dependency is not an error yet: the library's own run path may find it.
    while (cuc__next_word(&depends, word, sizeof(word)))
        (void)cuc__library_open(word, NULL);
    if (!cuc__library_choice(row, &choice))
        return NULL;
    cuc_found *found = cuc__search_library(row, choice, handle);
    free(choice);
    if (found && found->path)
        open_beside(row, found->path);
    return found;
}

void *cuc__library_open(const char *name, cuc_found **found)
{
    const cuc__library_row *row = cuc__library_row_named(name);

    if (found)
        *found = NULL;
    if (!row)
        return NULL;
    size_t at = cuc__library_index(row);

    enter();
    bool known = state.library[at].found;
    unsigned changes = state.library[at].changes;
    unlock_state();

    void *handle = NULL;
    cuc_found *opened = known ? NULL : open_row(row, &handle);

    enter();
    bool stale = changes != state.library[at].changes;
    if (!state.library[at].found && !stale) {
        state.library[at].found = opened;
        state.library[at].handle = handle;
        opened = NULL;
        handle = NULL;
    }
    void *result = state.library[at].handle;
    if (found && !stale)
        *found = cuc_found_retain(state.library[at].found);
    unlock_state();

    // Another thread was faster, or another path has been set.
    if (handle)
        dlclose(handle);
    cuc_found_release(opened);
    return stale ? cuc__library_open(name, found) : result;
}

cuc_status cuc_set_library_path(const char *name, const char *path)
{
    CUC_CHECK_NOT_NULL(name);
    const cuc__library_row *row = cuc__library_row_named(name);
    if (!row)
        return cuc__fail_library_not_found(name, NULL, __func__, "");
    if (strcmp(row->name, "cuda") == 0)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED,
                        "the path of the driver comes only from the environment: set CUCORE_DRIVER "
                        "before the first call");
    if (path && !*path)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "path is empty: name a file, or pass NULL to remove an earlier path");
    char *copy = path ? strdup(path) : NULL;
    if (path && !copy)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a path");

    size_t at = cuc__library_index(row);
    enter();
    cuc_found *failed = NULL;
    cuc_found *opened = state.library[at].handle ? cuc_found_retain(state.library[at].found) : NULL;
    if (!opened) {
        char *old = state.library[at].path;
        state.library[at].path = copy;
        state.library[at].changes++;
        copy = old;
        failed = state.library[at].found; // makes the next call search again
        state.library[at].found = NULL;
    }
    unlock_state();

    free(copy);
    cuc_found_release(failed);
    if (!opened)
        return CUC_OK;
    cuc_status status = CUC_OK;
    if (!path || strcmp(path, opened->path) != 0)
        status = CUC_FAIL(CUC_ERROR_BUSY,
                          "%s is already loaded from %s: set its path before anything uses it",
                          row->name, opened->path);
    cuc_found_release(opened);
    return status;
}
