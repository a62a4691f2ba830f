/**
 * @file
 * Compiled code on disk, so that the next process need not compile it again.
 *
 * A cache is a folder of entries. The key of an entry is a hash of everything that can change the
 * result. All programs of a user may share a cache. A write stores an entry completely or not at
 * all, and every read checks it. A full cache removes its least recently used entries. A cache
 * never makes another call fail: if its folder cannot be used, every program is compiled.
 */
#ifndef CUCORE_CACHE_H
#define CUCORE_CACHE_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * A folder of compiled code.
 *
 * Threads: any thread, concurrently; processes may share the folder too.
 */
typedef struct cuc_cache cuc_cache;

/** Options of cuc_cache_open(). Zero selects the default of every field. */
typedef struct cuc_cache_options {
    size_t struct_size; /**< sizeof(cuc_cache_options); the initializers set it */
    /** The folder, created if necessary; copied. NULL: the default cache's folder. */
    const char *dir;
    /** Maximum size of the cache's files in bytes; 0: the default cache's limit, which is
     * CUCORE_CACHE_MAX_BYTES or 1 GiB. */
    uint64_t max_bytes;
} cuc_cache_options;

/** Default options: cuc_cache_options o = CUC_CACHE_OPTIONS_INIT; */
#ifdef __cplusplus
static inline cuc_cache_options cuc__cache_options_default(void)
{
    cuc_cache_options options = cuc_cache_options();
    options.struct_size = sizeof(options);
    return options;
}
#define CUC_CACHE_OPTIONS_INIT (cuc__cache_options_default())
#else
#define CUC_CACHE_OPTIONS_INIT                   \
    {                                            \
        .struct_size = sizeof(cuc_cache_options) \
    }

/** Options written at the call site: CUC_CACHE_OPTIONS(.dir = "/scratch/me/kernels"). */
#define CUC_CACHE_OPTIONS(...) \
    (&(cuc_cache_options){ .struct_size = sizeof(cuc_cache_options), __VA_ARGS__ })
#endif

/**
 * Set every option to its default.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] options zeroed, its struct_size set
 * @param      caller_size    sizeof(cuc_cache_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_cache_options_init(cuc_cache_options *options, size_t caller_size);

/** The state of a cache. */
typedef struct cuc_cache_info {
    size_t struct_size; /**< sizeof(cuc_cache_info), set by the caller */
    const char *dir;    /**< the folder, or "" if there is none; valid as long as the cache */
    const char *off;    /**< why nothing is stored, such as "CUCORE_CACHE is 0"; "" if the cache
                             works */
    uint64_t max_bytes; /**< maximum size of the files in bytes */
    uint64_t bytes;     /**< current size of the files in bytes */
    uint64_t entries;   /**< number of entries */
    uint64_t hits;      /**< entries that this process found through this handle */
    uint64_t misses;    /**< entries that this process looked for but did not find, or found
                             damaged */
    uint64_t stored;    /**< entries that this process added */
} cuc_cache_info;

#define CUC_CACHE_INFO_INIT                            \
    {                                                  \
        sizeof(cuc_cache_info), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/** An entry of a cache. The strings are valid only during the callback. */
typedef struct cuc_cache_entry {
    size_t struct_size; /**< sizeof(cuc_cache_entry) in the library */
    const char *key;    /**< 64 hexadecimal digits */
    const char *label;  /**< what was compiled, for human readers; "" if the entry is damaged */
    uint64_t bytes;     /**< size of its file */
    int64_t used_ns;    /**< time of the last use, in nanoseconds since 1970 */
    int32_t damaged;    /**< 1: the entry is damaged and will be compiled again */
    int32_t reserved;   /**< 0 */
} cuc_cache_entry;

/** Receives an entry. A nonzero result ends the walk. */
typedef int32_t (*cuc_cache_visit)(void *user, const cuc_cache_entry *entry);

/**
 * Open a cache of your own.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out     the cache; release it with cuc_cache_release()
 * @param      options the folder and its limit; copied; NULL selects all defaults
 * @retval CUC_OK                     opened
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, dir is empty or too long, or an option is unknown
 * @retval CUC_ERROR_NOT_FOUND        dir is NULL, and there is no default folder: the message says
 *                                    why
 * @retval CUC_ERROR_IO               the folder could not be created or opened, another user owns
 *                                    it, or others can write to it
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_open(cuc_cache **out, const cuc_cache_options *options);

/**
 * The default cache, which programs use unless they name another one.
 *
 * Its folder is CUCORE_CACHE_DIR, or else cucore in XDG_CACHE_HOME, or else ~/.cache/cucore. Its
 * limit is CUCORE_CACHE_MAX_BYTES, or else 1 GiB. CUCORE_CACHE=0 turns storing off. The first call
 * reads these variables; a program with raised privileges (setuid) ignores them and stores nothing.
 * Storing the first entry creates the folder.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return static storage: retaining and releasing it does nothing; never NULL
 * @since 0.1
 */
CUC_API cuc_cache *cuc_cache_default(void);

/**
 * A cache that stores nothing. Pass it as an option to turn caching off.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return static storage: retaining and releasing it does nothing; never NULL
 * @since 0.1
 */
CUC_API cuc_cache *cuc_cache_none(void);

/**
 * Read the state of a cache. Counting its files takes a millisecond for a few hundred entries.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[in,out] out   its struct_size is set by the caller
 * @param         cache the cache
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   cache is not alive, when handles are checked
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_get_info(cuc_cache_info *out, cuc_cache *cache);

/**
 * Visit every entry. This reads and checks each entry, which does not count as a use.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param cache the cache
 * @param visit called for each entry, in no order
 * @param user  passed to visit
 * @retval CUC_OK                     all were visited, or visit ended the walk
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   cache is not alive, when handles are checked
 * @retval CUC_ERROR_IO               a folder could not be read
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_list(cuc_cache *cache, cuc_cache_visit visit, void *user);

/**
 * Remove every entry. Programs that are using the cache compile again.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param cache the cache
 * @retval CUC_OK                     the cache is empty
 * @retval CUC_ERROR_INVALID_ARGUMENT cache is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   cache is not alive, when handles are checked
 * @retval CUC_ERROR_IO               an entry could not be removed, or a folder could not be read
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_clear(cuc_cache *cache);

/**
 * Check every entry and remove the damaged ones. Damaged entries do no harm, because each use
 * checks its entry.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] damaged number of damaged entries; may be NULL
 * @param      cache   the cache
 * @retval CUC_OK                     all were checked, and the damaged ones are gone
 * @retval CUC_ERROR_INVALID_ARGUMENT cache is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   cache is not alive, when handles are checked
 * @retval CUC_ERROR_IO               an entry could not be removed, or a folder could not be read
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_verify(uint64_t *damaged, cuc_cache *cache);

/** Receives the bytes of an entry, which are valid during the call. */
typedef void (*cuc_cache_receive)(void *user, const void *data, size_t bytes);

/**
 * Read an entry of your own, which cuc_cache_write() has stored under the same key.
 *
 * The entry is checked before receive() sees it; a damaged or unreadable entry counts as absent.
 * Reading makes the entry the most recently used one.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param cache     the cache
 * @param key       any bytes; it never matches the key of a program or a plan
 * @param key_bytes its length; 0 is valid
 * @param receive   called once with the entry's data, on this thread; not called without an entry
 * @param user      passed to receive
 * @retval CUC_OK                     looked up
 * @retval CUC_ERROR_INVALID_ARGUMENT cache, key or receive is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   cache is not alive, when handles are checked
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_read(cuc_cache *cache, const void *key, size_t key_bytes,
                                  cuc_cache_receive receive, void *user);

/**
 * Store an entry of your own. It replaces an entry with the same key.
 *
 * Readers in any process find either the old entry or the new one, never part of one. The cache
 * from cuc_cache_none() stores nothing. If the entry is larger than the cache, it is not stored,
 * and the old one is removed. The least recently used entries are removed to make room.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param cache     the cache
 * @param key       any bytes; copied
 * @param key_bytes its length; 0 is valid
 * @param label     describes the entry in cuc_cache_list(); at most 200 bytes; copied; NULL: ""
 * @param data      copied; NULL if bytes is 0
 * @param bytes     its size
 * @retval CUC_OK                     stored, or not kept for one of the reasons above
 * @retval CUC_ERROR_INVALID_ARGUMENT cache or key is NULL, or data is NULL and bytes is not 0
 * @retval CUC_ERROR_INVALID_HANDLE   cache is not alive, when handles are checked
 * @retval CUC_ERROR_IO               the folder could not be written or is not safe, or the disk is
 *                                    full; the old entry stays
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_write(cuc_cache *cache, const void *key, size_t key_bytes,
                                   const char *label, const void *data, size_t bytes);

/**
 * Remove an entry of your own, even if it is damaged.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param cache     the cache
 * @param key       as for cuc_cache_write()
 * @param key_bytes its length
 * @retval CUC_OK                     removed
 * @retval CUC_ERROR_NOT_FOUND        there is no such entry
 * @retval CUC_ERROR_INVALID_ARGUMENT cache or key is NULL
 * @retval CUC_ERROR_INVALID_HANDLE   cache is not alive, when handles are checked
 * @retval CUC_ERROR_IO               it could not be removed, or the folder is not safe
 * @since 0.1
 */
CUC_API cuc_status cuc_cache_remove(cuc_cache *cache, const void *key, size_t key_bytes);

/**
 * Add a reference to a cache.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param cache may be NULL
 * @return cache
 * @since 0.1
 */
CUC_API cuc_cache *cuc_cache_retain(cuc_cache *cache);

/**
 * Drop a reference to a cache; its files stay.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param cache may be NULL
 * @since 0.1
 */
CUC_API void cuc_cache_release(cuc_cache *cache);

CUC_END_DECLS

#endif
