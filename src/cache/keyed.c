// Cache entries under keys that the caller chooses.
#include "cache.h"

#include "base/error.h"
#include "key.h"

#include <errno.h>
#include <stdlib.h>

static cuc__key own_key(const void *key, size_t bytes)
{
    cuc__key_maker maker;
    cuc__key made;

    cuc__key_begin(&maker, "key of the caller 1");
    cuc__key_add(&maker, key, bytes);
    (void)cuc__key_finish(&made, &maker);
    return made;
}

cuc_status cuc_cache_read(cuc_cache *cache, const void *key, size_t key_bytes,
                          cuc_cache_receive receive, void *user)
{
    cuc__entry entry;

    CUC_CHECK(cache, CACHE);
    CUC_CHECK_NOT_NULL(key);
    CUC_CHECK_NOT_NULL(receive);
    const cuc__key own = own_key(key, key_bytes);
    bool hit = cuc__store_get(&entry, &cache->store, &own);
    atomic_fetch_add_explicit(hit ? &cache->hits : &cache->misses, 1, memory_order_relaxed);
    if (hit) {
        receive(user, entry.data, entry.bytes);
        free(entry.file);
    }
    return CUC_OK;
}

cuc_status cuc_cache_write(cuc_cache *cache, const void *key, size_t key_bytes, const char *label,
                           const void *data, size_t bytes)
{
    CUC_CHECK(cache, CACHE);
    CUC_CHECK_NOT_NULL(key);
    if (!data && bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "data is NULL, but bytes is %zu", bytes);
    if (!cache->store.dir)
        return CUC_OK;
    const cuc__key own = own_key(key, key_bytes);
    int error = cuc__store_put(&cache->store, &own, label ? label : "", data, bytes);
    if (!error) {
        atomic_fetch_add_explicit(&cache->stored, 1, memory_order_relaxed);
    } else if (error == EFBIG) { // the old entry is out of date: remove it
        error = cuc__store_remove(&cache->store, &own);
        error = error == ENOENT ? 0 : error;
    }
    return error ? CUC_FAIL(CUC_ERROR_IO, "an entry of %zu bytes could not be written to %s: %s",
                            bytes, cache->dir, cuc__cache_why(error))
                 : CUC_OK;
}

cuc_status cuc_cache_remove(cuc_cache *cache, const void *key, size_t key_bytes)
{
    CUC_CHECK(cache, CACHE);
    CUC_CHECK_NOT_NULL(key);
    const cuc__key own = own_key(key, key_bytes);
    int error = cuc__store_remove(&cache->store, &own);
    if (error == ENOENT)
        return CUC_FAIL(CUC_ERROR_NOT_FOUND, "the cache has no entry of this key");
    return error ? CUC_FAIL(CUC_ERROR_IO, "an entry could not be removed from %s: %s", cache->dir,
                            cuc__cache_why(error))
                 : CUC_OK;
}
