// A folder of entries, each a file named by its key in one of 256 folders.
//
// Any number of threads and processes may use a folder at once. An entry is written completely or
// not at all, and is checked whenever it is read. When the files exceed a number of bytes, the
// least recently used entries are removed. No function here records an error: if the store is
// missing or broken, everything is simply compiled.
//
//   store.c    reads and writes entries
//   folder.c   opens the folder, if it is safe
//   lock.c     locks of keys, and the count of bytes
//   trim.c     walks all entries, and removes those least recently used
#ifndef CUCORE_CACHE_STORE_H
#define CUCORE_CACHE_STORE_H

#include "entry.h"

#include <sys/stat.h>

// Constant after initialization. A zero-initialized store is empty and accepts nothing.
typedef struct cuc__store {
    const char *dir; // absolute; NULL: none
    uint64_t max_bytes;
    uint32_t wait_ms; // time that cuc__store_lock() waits for another writer of the key
} cuc__store;

enum { CUC__STORE_WAIT_MS = 20000 };

// Reads the entry of a key; false if it is missing or damaged. The caller frees entry->file.
bool cuc__store_get(cuc__entry *entry, const cuc__store *store, const cuc__key *key);

// Writes the entry of a key. Returns 0 or an errno; EFBIG if it exceeds the store's limit.
int cuc__store_put(const cuc__store *store, const cuc__key *key, const char *label,
                   const void *data, size_t bytes);

// Removes the entry of a key. Returns 0 or an errno; ENOENT if there is none.
int cuc__store_remove(const cuc__store *store, const cuc__key *key);

// folder.c

// Opens the store's folder, and creates it if `make` is set. Returns the descriptor, or -1 with an
// errno in *error: EPERM if the folder belongs to another user or if others may write to it.
int cuc__store_open(const cuc__store *store, bool make, int *error);

// Opens a file or folder in an open folder; links are refused. Returns the descriptor, or -1 with
// errno.
int cuc__store_open_at(int folder, const char *name, int flags);

// An entry's folder in the store, and its file name there.
struct cuc__entry_path {
    char folder[3], name[2 * CUC__SHA256_BYTES - 1];
};
void cuc__entry_path(struct cuc__entry_path *path, const cuc__key *key);

// Removes the entry of a key from the store that is open as `dir`. Returns 0 or an errno.
int cuc__entry_remove(int dir, const cuc__key *key);

// The same for an entry that was last used at a time; EBUSY if it was used or replaced since.
int cuc__entry_remove_unused(int dir, const cuc__key *key, const struct timespec *used);

// Reads the key of an entry's path; false if the names are not those of an entry.
bool cuc__entry_key(cuc__key *key, const char *folder, const char *name);

// lock.c

// Locks a key, so that only one thread of all processes compiles it. Returns a descriptor for
// cuc__store_unlock(). Returns -1 if the file system has no locks, or if another holder kept this
// one for too long. The caller compiles in either case.
int cuc__store_lock(const cuc__store *store, const cuc__key *key);
void cuc__store_unlock(int fd);

// Locks the folder for trimming. Returns a descriptor; -1 if another process is trimming.
int cuc__store_lock_trim(int folder);

// Adds to the count of bytes in the folder and returns it; UINT64_MAX if it is unknown. The count
// becomes wrong if a process dies at the wrong moment, so trim.c corrects it now and then.
uint64_t cuc__store_add(int folder, uint64_t bytes);
// Sets the count to `bytes` plus the amount added since the count was `before`; returns the sum.
uint64_t cuc__store_correct(int folder, uint64_t before, uint64_t bytes);
void cuc__store_set(int folder, uint64_t bytes);

// trim.c

// Calls `visit` for each entry, damaged or not, with its open folder, its name there, and its
// status. If `visit` returns false, the walk ends. Entries that are added or removed in the
// meantime may or may not be visited. Returns false if a folder could not be read.
typedef bool (*cuc__store_visit)(void *user, int folder, const char *name, const cuc__key *key,
                                 const struct stat *about);
bool cuc__store_walk(int folder, cuc__store_visit visit, void *user);

// Reads the entry `name` of an open folder.
bool cuc__store_read(cuc__entry *entry, int *error, int folder, const char *name,
                     const cuc__key *key, bool touch);

// Removes the least recently used entries until the remaining ones take at most 7/8 of `max_bytes`.
// The entry `keep`, which was just written, stays, even if other entries have the same last-use
// time.
void cuc__store_trim(int folder, uint64_t max_bytes, const cuc__key *keep);

#endif
