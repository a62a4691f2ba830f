#include "cache.h"

#include "base/byte_size.h"
#include "base/options.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_BYTES (UINT64_C(1) << 30)

// ---- The environment

// Writes the size limit of the default cache. Returns false if the variable is invalid.
static bool usual_bytes(uint64_t *bytes)
{
    const char *text = secure_getenv("CUCORE_CACHE_MAX_BYTES");

    *bytes = DEFAULT_BYTES;
    return !text || !*text || cuc__read_byte_size(bytes, text);
}

// Makes a path absolute. Returns NULL if out of memory or if the current folder is unknown.
static char *absolute(const char *path)
{
    char here[PATH_MAX], *text = NULL;

    if (*path == '/')
        return strdup(path);
    return getcwd(here, sizeof(here)) && asprintf(&text, "%s/%s", here, path) >= 0 ? text : NULL;
}

// Returns the folder of the default cache, or NULL if there is none.
static char *usual_folder(void)
{
    const char *own = secure_getenv("CUCORE_CACHE_DIR"), *xdg = secure_getenv("XDG_CACHE_HOME");
    const char *home = secure_getenv("HOME");
    char *dir = NULL;

    if (own && *own)
        return absolute(own);
    if (xdg && *xdg == '/') // the XDG standard ignores relative paths
        return asprintf(&dir, "%s/cucore", xdg) < 0 ? NULL : dir;
    if (home && *home == '/')
        return asprintf(&dir, "%s/.cache/cucore", home) < 0 ? NULL : dir;
    return NULL;
}

// ---- The two static caches

static cuc_cache default_cache, no_cache;

static void make_static(void)
{
    const char *variable = secure_getenv("CUCORE_CACHE");

    cuc__handle_init(&default_cache, CUC__HANDLE_CACHE);
    cuc__handle_init(&no_cache, CUC__HANDLE_CACHE);
    default_cache.is_static = no_cache.is_static = true;
    snprintf(no_cache.off, sizeof(no_cache.off), "it was chosen so");
    default_cache.store.wait_ms = CUC__STORE_WAIT_MS;
    if (variable && strcmp(variable, "0") == 0)
        snprintf(default_cache.off, sizeof(default_cache.off), "CUCORE_CACHE is 0");
    else if (!usual_bytes(&default_cache.store.max_bytes))
        snprintf(default_cache.off, sizeof(default_cache.off),
                 "CUCORE_CACHE_MAX_BYTES is \"%.40s\", expected a number of bytes such as 500M",
                 secure_getenv("CUCORE_CACHE_MAX_BYTES"));
    else if (!(default_cache.dir = usual_folder()))
        snprintf(default_cache.off, sizeof(default_cache.off),
                 "there is no folder: HOME, XDG_CACHE_HOME and CUCORE_CACHE_DIR are not set");
    default_cache.store.dir = default_cache.dir;
}

static cuc_cache *get_static(cuc_cache *cache)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_static);
    return cache;
}

cuc_cache *cuc_cache_default(void)
{
    return get_static(&default_cache);
}

cuc_cache *cuc_cache_none(void)
{
    return get_static(&no_cache);
}

// ---- Caches that the user opens

void cuc_cache_options_init(cuc_cache_options *options, size_t size)
{
    cuc__init_options(options, size);
}

const char *cuc__cache_why(int error)
{
    return error == EPERM ? "it belongs to another user, or others can write to it"
                          : strerror(error);
}

static cuc_status open_cache(cuc_cache *cache, const cuc_cache_options *o, const char *function)
{
    const cuc_cache *usual = cuc_cache_default();
    int error;

    if (o->dir && !*o->dir)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "dir is empty");
    if (o->dir && strlen(o->dir) >= PATH_MAX / 2)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "dir has %zu bytes, expected fewer than %d", strlen(o->dir), PATH_MAX / 2);
    if (!o->dir && !usual->dir)
        return cuc__fail(CUC_ERROR_NOT_FOUND, function,
                         "dir is NULL, and there is no default cache: %s", usual->off);
    cache->dir = absolute(o->dir ? o->dir : usual->dir);
    if (!cache->dir)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a cache");
    cache->store = (cuc__store){
        .dir = cache->dir,
        .max_bytes = o->max_bytes             ? o->max_bytes
                     : usual->store.max_bytes ? usual->store.max_bytes
                                              : DEFAULT_BYTES,
        .wait_ms = CUC__STORE_WAIT_MS,
    };
    int fd = cuc__store_open(&cache->store, true, &error);
    if (fd < 0)
        return cuc__fail(CUC_ERROR_IO, function, "%s cannot be a cache: %s", cache->dir,
                         cuc__cache_why(error));
    close(fd);
    return CUC_OK;
}

cuc_status cuc_cache_open(cuc_cache **out, const cuc_cache_options *options)
{
    cuc_cache_options o;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_cache_options)) < 0)
        return st;
    cuc_cache *cache = calloc(1, sizeof(*cache));
    if (!cache)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a cache");
    cuc__handle_init(cache, CUC__HANDLE_CACHE);
    if ((st = open_cache(cache, &o, __func__)) < 0) {
        cuc_cache_release(cache);
        return st;
    }
    *out = cache;
    return CUC_OK;
}

cuc_cache *cuc_cache_retain(cuc_cache *cache)
{
    return cache && cache->is_static ? cache : cuc__handle_retain(cache);
}

void cuc_cache_release(cuc_cache *cache)
{
    if ((cache && cache->is_static) || !cuc__handle_drop(cache, CUC__HANDLE_CACHE))
        return;
    free(cache->dir);
    cuc__handle_free(cache);
}

// ---- Use

static cuc_cache *chosen(cuc_cache *cache)
{
    return cache ? cache : cuc_cache_default();
}

bool cuc__cache_works(cuc_cache *cache)
{
    return chosen(cache)->store.dir != NULL;
}

bool cuc__cache_get(cuc__entry *entry, int *lock, cuc_cache *cache, const cuc__key *key)
{
    cuc_cache *c = chosen(cache);
    bool hit = cuc__store_get_or_lock(entry, lock, &c->store, key);

    atomic_fetch_add_explicit(hit ? &c->hits : &c->misses, 1, memory_order_relaxed);
    return hit;
}

const cuc__store *cuc__cache_store(cuc_cache *cache)
{
    return &chosen(cache)->store;
}

void cuc__cache_put(cuc_cache *cache, const cuc__key *key, const char *label, const void *data,
                    size_t bytes)
{
    cuc_cache *c = chosen(cache);

    if (cuc__store_put(&c->store, key, label, data, bytes) == 0)
        atomic_fetch_add_explicit(&c->stored, 1, memory_order_relaxed);
}

// ---- Walks

// Arguments of a walk over the entries, for the functions below.
struct walk {
    cuc_cache_visit visit;
    void *user;
    uint64_t bytes, entries, damaged;
    bool failed; // an entry could not be removed
};

// Walks the entries of a cache. The folder need not exist yet.
static cuc_status walk(cuc_cache *cache, cuc__store_visit visit, struct walk *w,
                       const char *function)
{
    int error, folder = cuc__store_open(&cache->store, false, &error);

    if (folder < 0)
        return error == ENOENT ? CUC_OK
                               : cuc__fail(CUC_ERROR_IO, function, "%s cannot be a cache: %s",
                                           cache->dir, cuc__cache_why(error));
    bool all = cuc__store_walk(folder, visit, w);
    close(folder);
    if (w->failed)
        return cuc__fail(CUC_ERROR_IO, function, "an entry of %s could not be removed", cache->dir);
    return all ? CUC_OK
               : cuc__fail(CUC_ERROR_IO, function, "a folder of %s could not be read", cache->dir);
}

static bool count(void *user, int folder, const char *name, const cuc__key *key,
                  const struct stat *about)
{
    struct walk *w = user;

    (void)folder, (void)name, (void)key;
    w->bytes += (uint64_t)about->st_size;
    w->entries++;
    return true;
}

cuc_status cuc_cache_get_info(cuc_cache_info *out, cuc_cache *cache)
{
    struct walk w = { .user = NULL };
    const char *off = "";
    int error, folder;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(cache, CACHE);
    if (*cache->off) {
        off = cache->off;
    } else if ((folder = cuc__store_open(&cache->store, false, &error)) >= 0) {
        (void)cuc__store_walk(folder, count, &w);
        close(folder);
    } else if (error != ENOENT) {
        off = cuc__cache_why(error);
    }
    const cuc_cache_info info = {
        .struct_size = sizeof(info),
        .dir = cache->dir ? cache->dir : "",
        .off = off,
        .max_bytes = cache->store.max_bytes,
        .bytes = w.bytes,
        .entries = w.entries,
        .hits = cache->hits,
        .misses = cache->misses,
        .stored = cache->stored,
    };
    return CUC_WRITE_STRUCT(out, &info, cuc_cache_info);
}

static bool show(void *user, int folder, const char *name, const cuc__key *key,
                 const struct stat *about)
{
    static const int64_t second = 1000000000; // in ns
    char text[2 * CUC__SHA256_BYTES + 1], label[CUC__ENTRY_LABEL + 1] = "";
    struct walk *w = user;
    cuc__entry entry;
    int error;
    bool right = cuc__store_read(&entry, &error, folder, name, key, false);

    if (!right && error == ENOENT) // removed since the walk found it
        return true;
    if (right) {
        memcpy(label, entry.label, entry.label_bytes);
        free(entry.file);
    }
    cuc__sha256_text(text, key->bytes);
    const cuc_cache_entry shown = {
        .struct_size = sizeof(shown),
        .key = text,
        .label = label,
        .bytes = (uint64_t)about->st_size,
        .used_ns = about->st_mtim.tv_sec < INT64_MAX / second
                       ? (int64_t)about->st_mtim.tv_sec * second + about->st_mtim.tv_nsec
                       : INT64_MAX,
        .damaged = !right,
    };
    return w->visit(w->user, &shown) == 0;
}

cuc_status cuc_cache_list(cuc_cache *cache, cuc_cache_visit visit, void *user)
{
    struct walk w = { .visit = visit, .user = user };

    CUC_CHECK(cache, CACHE);
    CUC_CHECK_NOT_NULL(visit);
    return walk(cache, show, &w, __func__);
}

static void remove_entry(struct walk *w, int folder, const char *name)
{
    w->failed |= unlinkat(folder, name, 0) != 0 && errno != ENOENT;
}

static bool clear(void *user, int folder, const char *name, const cuc__key *key,
                  const struct stat *about)
{
    (void)key, (void)about;
    remove_entry(user, folder, name);
    return true;
}

cuc_status cuc_cache_clear(cuc_cache *cache)
{
    struct walk w = { .user = NULL };
    int error, folder;

    CUC_CHECK(cache, CACHE);
    cuc_status st = walk(cache, clear, &w, __func__);
    if (st >= 0 && (folder = cuc__store_open(&cache->store, false, &error)) >= 0) {
        cuc__store_set(folder, 0);
        close(folder);
    }
    return st;
}

static bool verify(void *user, int folder, const char *name, const cuc__key *key,
                   const struct stat *about)
{
    struct walk *w = user;
    cuc__entry entry;
    int error;

    (void)about;
    if (cuc__store_read(&entry, &error, folder, name, key, false)) {
        free(entry.file);
    } else if (error != ENOENT) {
        w->damaged++;
        remove_entry(w, folder, name);
    }
    return true;
}

cuc_status cuc_cache_verify(uint64_t *damaged, cuc_cache *cache)
{
    struct walk w = { .user = NULL };

    CUC_CHECK(cache, CACHE);
    cuc_status st = walk(cache, verify, &w, __func__);
    if (st >= 0 && damaged)
        *damaged = w.damaged;
    return st;
}
