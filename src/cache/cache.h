// The cache interface for compilers.
#ifndef CUCORE_CACHE_CACHE_H
#define CUCORE_CACHE_CACHE_H

#include <cucore/cache.h>

#include "base/handle.h"
#include "store.h"

struct cuc_cache {
    cuc__handle head;
    bool is_static; // the default cache, or the one that stores nothing
    char *dir;
    char off[160]; // the reason why it stores nothing; "": it has a folder
    cuc__store store;
    _Atomic uint64_t hits, misses, stored;
};

// Returns the reason why a folder cannot be used, for an errno of the store.
const char *cuc__cache_why(int error);

// True if a cache can find or store entries. NULL is the default cache.
bool cuc__cache_works(cuc_cache *cache);

// Finds an entry, and counts the hit or the miss. The caller frees entry->file. After a miss,
// `*lock` is the lock of the key, or -1 if there is none; the caller compiles and passes it to
// cuc__store_unlock().
bool cuc__cache_get(cuc__entry *entry, int *lock, cuc_cache *cache, const cuc__key *key);

// Returns the folder of a cache, for accesses that do not count as hits or misses.
const cuc__store *cuc__cache_store(cuc_cache *cache);

// Stores an entry. Failures are ignored.
void cuc__cache_put(cuc_cache *cache, const cuc__key *key, const char *label, const void *data,
                    size_t bytes);

#endif
