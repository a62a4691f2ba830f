// A folder of cache entries. Each entry is a file, named by its key, in one of 256 subfolders.
//
// Any number of threads and processes may use a folder at once. A write stores an entry completely
// or not at all, and every read checks it. When the files exceed a size limit, the store removes
// the least recently used entries. No function here records an error: without a working store,
// callers compile everything.
//
//   store.c    reads and writes entries
//   folder.c   opens the folder, if it is safe
//   lock.c     locks keys, and keeps the byte count
//   trim.c     walks all entries, and removes the least recently used ones
#ifndef CUCORE_CACHE_STORE_H
#define CUCORE_CACHE_STORE_H

#include "entry.h"

#include <sys/stat.h>

// Constant after initialization. A zero-initialized store is empty and accepts nothing.
typedef struct cuc__store {
    const char *dir; // absolute; NULL: none
    uint64_t max_bytes;
    uint32_t wait_ms; // how long cuc__store_lock() waits for another writer of the key
} cuc__store;

enum { CUC__STORE_WAIT_MS = 20000 };

// Reads the entry of a key. Returns false if it is missing or damaged. The caller frees
// entry->file.
bool cuc__store_get(cuc__entry *entry, const cuc__store *store, const cuc__key *key);

// Does the same, but locks the key if there is no entry. Sets *lock to what cuc__store_lock()
// returns, or to -1 if there is an entry.
bool cuc__store_get_or_lock(cuc__entry *entry, int *lock, const cuc__store *store,
                            const cuc__key *key);

// Writes the entry of a key. Returns 0 or an errno; EFBIG if it exceeds the store's limit.
int cuc__store_put(const cuc__store *store, const cuc__key *key, const char *label,
                   const void *data, size_t bytes);

// Removes the entry of a key. Returns 0 or an errno; ENOENT if there is none.
int cuc__store_remove(const cuc__store *store, const cuc__key *key);

// folder.c

// Opens the store's folder, and creates it if `make` is set. Returns the descriptor, or -1 with an
// errno in *error. The errno is EPERM if another user owns the folder or others can write to it.
int cuc__store_open(const cuc__store *store, bool make, int *error);

// Opens a file or folder in an open folder, but refuses links. Returns the descriptor, or -1 with
// errno set.
int cuc__store_open_at(int folder, const char *name, int flags);

// An entry's folder in the store, and its file name there.
struct cuc__entry_path {
    char folder[3], name[2 * CUC__SHA256_BYTES - 1];
};
void cuc__entry_path(struct cuc__entry_path *path, const cuc__key *key);

// Removes a key's entry from the store whose folder is open as `dir`. Returns 0 or an errno.
int cuc__entry_remove(int dir, const cuc__key *key);

// Removes the entry if its last use was at `used`. Returns EBUSY if it has been used or replaced
// since.
int cuc__entry_remove_unused(int dir, const cuc__key *key, const struct timespec *used);

// Reads the key from an entry's path. Returns false if the names do not form an entry's path.
bool cuc__entry_key(cuc__key *key, const char *folder, const char *name);

// lock.c

// Locks a key, so that only one thread of all processes compiles its entry. Returns a descriptor
// for cuc__store_unlock(). Returns -1 if the key cannot be locked, as on a file system without
// locks, or if another holder kept the lock for too long. The caller compiles in either case.
int cuc__store_lock(const cuc__store *store, const cuc__key *key);
// Does the same in the store's folder, already open as `dir`.
int cuc__store_lock_in(int dir, const cuc__store *store, const cuc__key *key);
void cuc__store_unlock(int fd);

// Locks the folder for trimming. Returns a descriptor, or -1 if another holder is trimming.
int cuc__store_lock_trim(int folder);

// Adds to the folder's byte count and returns the sum, or UINT64_MAX if the count is unknown. A
// process that dies at the wrong moment leaves a wrong count, so trim.c corrects it now and then.
uint64_t cuc__store_add(int folder, uint64_t bytes);
// Sets the count to `bytes` plus the growth of the count since it was `before`. Returns the sum.
uint64_t cuc__store_correct(int folder, uint64_t before, uint64_t bytes);
void cuc__store_set(int folder, uint64_t bytes);

// trim.c

// Calls `visit` for each entry, damaged or not. Passes the entry's open folder, its name there and
// its file status. The walk ends when `visit` returns false. It may miss entries that are added or
// removed during the walk. It also removes old temporary files. Returns false if a folder could not
// be read.
typedef bool (*cuc__store_visit)(void *user, int folder, const char *name, const cuc__key *key,
                                 const struct stat *about);
bool cuc__store_walk(int folder, cuc__store_visit visit, void *user);

// Reads the entry `name` in an open folder. With `touch`, records the use.
bool cuc__store_read(cuc__entry *entry, int *error, int folder, const char *name,
                     const cuc__key *key, bool touch);

// If the entries take more than `max_bytes`, removes the least recently used ones until the rest
// takes at most 7/8 of that. Never removes the entry `keep`, which the caller has just written,
// even if other entries have the same last-use time.
void cuc__store_trim(int folder, uint64_t max_bytes, const cuc__key *keep);

#endif
