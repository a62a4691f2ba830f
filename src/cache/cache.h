// The cache interface that compilers use.
#ifndef CUCORE_CACHE_CACHE_H
#define CUCORE_CACHE_CACHE_H

#include <cucore/cache.h>

#include "base/handle.h"
#include "store.h"

struct cuc_cache {
    cuc__handle head;
    bool is_static; // the default cache, or the cache that stores nothing
    char *dir;
    char off[160]; // why the cache stores nothing; "" if it has a folder
    cuc__store store;
    _Atomic uint64_t hits, misses, stored;
};

// Explains, for an errno of the store, why a folder cannot be used.
const char *cuc__cache_why(int error);

// Returns true if a cache can find or store entries. NULL means the default cache.
bool cuc__cache_works(cuc_cache *cache);

// Finds an entry and counts the hit or miss. The caller frees entry->file. After a miss, `*lock` is
// the key's lock, or -1 if there is none; the caller compiles and then passes it to
// cuc__store_unlock().
bool cuc__cache_get(cuc__entry *entry, int *lock, cuc_cache *cache, const cuc__key *key);

// Returns a cache's store, for accesses that do not count as hits or misses.
const cuc__store *cuc__cache_store(cuc_cache *cache);

// Stores an entry. Failures are ignored.
void cuc__cache_put(cuc_cache *cache, const cuc__key *key, const char *label, const void *data,
                    size_t bytes);

#endif
