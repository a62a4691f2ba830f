/**
 * @file
 * Memory resources: where buffers come from, and what the driver can be told about memory.
 *
 * A resource allocates and frees. There are three sorts: a pool of the driver, which does both
 * in stream order without stopping anything; a synchronous one, which may wait for the device;
 * and one that the user writes. Buffers (buffer.h) hold their resource, so it may be released
 * before them.
 */
#ifndef CUCORE_MEMORY_H
#define CUCORE_MEMORY_H

#include <cucore/base.h>
#include <cucore/device.h>

CUC_BEGIN_DECLS

/**
 * Something that allocates and frees memory.
 *
 * Threads: any thread, also at the same time; a user-defined one is as safe as its callbacks.
 */
typedef struct cuc_memory_resource cuc_memory_resource;

/** What memory is: X(constant, value, name). */
// clang-format off
#define CUC_MEMORY_KIND_LIST(X) \
    X(CUC_MEMORY_DEVICE,       0, "device")  /* on a device; the host cannot reach it */ \
    X(CUC_MEMORY_PINNED,       1, "pinned")  /* page-locked on the host; devices reach it */ \
    X(CUC_MEMORY_MANAGED,      2, "managed") /* moves between host and devices as it is used */ \
    X(CUC_MEMORY_CUSTOM,       3, "custom")  /* what a user-defined resource gives */ \
    X(CUC_MEMORY_UNREGISTERED, 4, "unregistered") /* host memory that the driver does not know */
// clang-format on

enum {
#define CUC__MEMORY_KIND_ENUM(name, value, text) name = value,
    CUC_MEMORY_KIND_LIST(CUC__MEMORY_KIND_ENUM)
#undef CUC__MEMORY_KIND_ENUM
};

/** Who can reach memory. */
enum {
    CUC_MEMORY_ACCESS_DEVICE = 0x1,  /**< kernels and device copies */
    CUC_MEMORY_ACCESS_HOST = 0x2,    /**< the CPU, through the same address */
    CUC_MEMORY_ACCESS_MANAGED = 0x4, /**< managed: it may be prefetched, advised, discarded */
};

/** Kinds of place, with the driver's values. */
enum {
    CUC_LOCATION_NONE = 0,              /**< no place, or no preference */
    CUC_LOCATION_DEVICE = 1,            /**< id is a device's ordinal */
    CUC_LOCATION_HOST = 2,              /**< id is 0 */
    CUC_LOCATION_HOST_NUMA = 3,         /**< id is a NUMA node of the host */
    CUC_LOCATION_HOST_NUMA_CURRENT = 4, /**< the calling thread's NUMA node; id is 0 */
};

/** A place that memory can be in. */
typedef struct cuc_memory_location {
    int32_t type; /**< a CUC_LOCATION_ constant */
    int32_t id;   /**< a device's ordinal or a NUMA node, by type; else 0 */
} cuc_memory_location;

#ifndef __cplusplus
/** A location written at the call site, in C: CUC_MEMORY_LOCATION(CUC_LOCATION_DEVICE, 0). */
#define CUC_MEMORY_LOCATION(type, id) (&(const cuc_memory_location){ (type), (id) })
#endif

/**
 * The name of a kind of memory, such as "pinned".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param kind any value
 * @return static storage; "unknown" for a value of no kind; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_memory_kind_name(int32_t kind);

/* ---- Resources -------------------------------------------------------------------------- */

/**
 * Hold a resource once more.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param resource NULL gives NULL
 * @return resource
 * @since 0.1
 */
CUC_API cuc_memory_resource *cuc_memory_resource_retain(cuc_memory_resource *resource);

/**
 * Let go of a resource; the last reference destroys it, and a pool that it made with it.
 *
 * Buffers hold their resource. Addresses from cuc_memory_allocate() do not: free them first.
 * A pool that has held memory gives that back at the next wait for where it was freed, and rests:
 * the next one that is made with the same options takes it over. One whose handle other processes
 * or devices have, and what is beyond 32, is destroyed, at least a second later, when a pool is
 * made or released. (Up to CUDA 13.0 at least the driver destroys none safely while a thread
 * waits for a stream.)
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param resource NULL does nothing
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolDestroy
 * @since 0.1
 */
CUC_API void cuc_memory_resource_release(cuc_memory_resource *resource);

/**
 * The device whose memory a resource gives.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for pinned memory, which is of no device, for
 *         a user-defined resource of no device, and for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_memory_resource_device(const cuc_memory_resource *resource);

/**
 * Who can reach what a resource allocates.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_MEMORY_ACCESS_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_memory_resource_access(const cuc_memory_resource *resource);

/**
 * What a resource allocates.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return a CUC_MEMORY_ kind; CUC_MEMORY_CUSTOM for a user-defined resource; -1 for NULL
 * @since 0.1
 */
CUC_API int32_t cuc_memory_resource_kind(const cuc_memory_resource *resource);

/**
 * Whether a resource is a pool of the driver, so that cuc_memory_pool_ functions work on it.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or 0
 * @since 0.1
 */
CUC_API int32_t cuc_memory_resource_is_pool(const cuc_memory_resource *resource);

/**
 * The default resource of a device: what a buffer comes from when none is named.
 *
 * The device's current memory pool, or where the device has no pools the synchronous resource;
 * made at the first need and kept until cuc_device_set_memory_resource() puts another in place.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    retained, to be released
 * @param      device the device
 * @retval CUC_OK                     found or made
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuDeviceGetMemPool
 * @since 0.1
 */
CUC_API cuc_status cuc_device_get_memory_resource(cuc_memory_resource **out, cuc_device *device);

/**
 * Set the default resource of a device, for the whole process.
 *
 * @thread any thread; buffers made before keep the resource they have
 * @capture safe: asks the driver in relaxed mode
 * @param device   the device
 * @param resource retained; NULL goes back to the one that cucore chooses
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT device is NULL, or the resource is of another device
 * @since 0.1
 */
CUC_API cuc_status cuc_device_set_memory_resource(cuc_device *device,
                                                  cuc_memory_resource *resource);

/**
 * A resource that asks the driver for each allocation, without a pool.
 *
 * Allocating and freeing may wait for the device. Freeing waits for the given stream first.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    retained, to be released
 * @param      device whose primary context allocates
 * @param      kind   CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED (portable: every device reaches it) or
 *                    CUC_MEMORY_MANAGED
 * @retval CUC_OK                     made
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or kind is none of the three
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no managed memory
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source CUDA Driver API, "Memory Management": cuMemAlloc, cuMemFree, cuMemHostAlloc,
 *         cuMemFreeHost, cuMemAllocManaged
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_synchronous(cuc_memory_resource **out, cuc_device *device,
                                          int32_t kind);

/**
 * What a user-defined resource is made of.
 *
 * No lock of cucore's is held while a callback runs. A callback that fails should return the
 * status of the cucore call that failed, or CUC_ERROR_OUT_OF_MEMORY and the like.
 */
typedef struct cuc_memory_callbacks {
    size_t struct_size; /**< sizeof(cuc_memory_callbacks); the initialisers set it */
    void *user;         /**< handed to every callback */
    /** Write the address of `bytes` bytes (never 0) to *out. `stream` is NULL when there is none.
     */
    cuc_status (*allocate)(void *user, cuc_device_ptr *out, size_t bytes, cuc_stream *stream);
    /** Free what allocate gave, in the order of `stream`; NULL: at once. May run on any thread. */
    cuc_status (*deallocate)(void *user, cuc_device_ptr ptr, size_t bytes, cuc_stream *stream);
    /** Called once, after the last buffer and reference are gone; may be NULL. */
    void (*destroy)(void *user);
    /** Whose memory it is, for its streams alone; NULL: usable with every stream, and the driver
     * tells the device of each allocation. */
    cuc_device *device;
    uint32_t access;   /**< CUC_MEMORY_ACCESS_ bits, at least one */
    uint32_t reserved; /**< 0 */
} cuc_memory_callbacks;

/** The starting value of a cuc_memory_callbacks variable. */
#define CUC_MEMORY_CALLBACKS_INIT                         \
    {                                                     \
        sizeof(cuc_memory_callbacks), 0, 0, 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Callbacks written at the call site, in C: CUC_MEMORY_CALLBACKS(.allocate = f, ...). */
#define CUC_MEMORY_CALLBACKS(...) \
    (&(cuc_memory_callbacks){ .struct_size = sizeof(cuc_memory_callbacks), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_memory_callbacks and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param callbacks NULL does nothing
 * @param caller_size      sizeof(cuc_memory_callbacks), as the caller's header has it
 * @since 0.1
 */
CUC_API void cuc_memory_callbacks_init(cuc_memory_callbacks *callbacks, size_t caller_size);

/**
 * Make a resource of the user's own functions.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out       retained, to be released
 * @param      callbacks copied; allocate, deallocate and access are required
 * @retval CUC_OK                     made
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument or a required callback is NULL, or access is 0 or
 *                                    has a bit that is not known; destroy has not been called
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory; destroy has not been called
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_resource_create(cuc_memory_resource **out,
                                              const cuc_memory_callbacks *callbacks);

/**
 * Allocate from a resource, with no object around the address.
 *
 * @order  the memory may be used by work enqueued on the stream after this call, and by other
 *         streams that wait for it; memory of a synchronous resource at once. On a stream that is
 *         being captured a pool's memory is a node of the graph: it exists while the graph runs,
 *         and is to be freed in the same capture
 * @thread any thread
 * @capture a pool's memory becomes a node of the graph; a synchronous resource is safe: asks the
 *          driver in relaxed mode; a user-defined one is as its callbacks are
 * @param[out] out      the address, aligned to 256 bytes at least (a user's resource: as it is
 *                      written); 0 for 0 bytes, with nothing to free
 * @param      resource must outlive the allocation
 * @param      bytes    how many
 * @param      stream   orders the allocation; NULL only for a synchronous or user-defined resource
 * @retval CUC_OK                         allocated
 * @retval CUC_ERROR_INVALID_ARGUMENT     out or resource is NULL, stream is NULL for a pool, or the
 *                                        stream is of another device than a resource of device
 *                                        memory
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the memory is used up
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemAllocFromPoolAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_allocate(cuc_device_ptr *out, cuc_memory_resource *resource,
                                       size_t bytes, cuc_stream *stream);

/**
 * Free what cuc_memory_allocate() gave.
 *
 * @order  the stream frees it when it gets there; no work may use it after that. A synchronous
 *         resource waits for the stream and frees before it returns
 * @thread any thread
 * @capture the free of a pool's memory becomes a node of the graph; a synchronous resource is
 *          refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on, else safe:
 *          asks the driver in relaxed mode; a user-defined one is as its callbacks are
 * @param resource the one that it came from
 * @param ptr      0 does nothing
 * @param bytes    as allocated
 * @param stream   any stream of the device, after all uses; NULL as for cuc_memory_allocate()
 * @retval CUC_OK                     freed, or will be
 * @retval CUC_ERROR_INVALID_ARGUMENT resource is NULL, stream is NULL for a pool, or the stream is
 *                                    of another device than the resource
 * @retval CUC_ERROR_BUSY             a synchronous resource would have to wait for a stream that is
 *                                    being captured; nothing was freed
 * @retval CUC_ERROR_DRIVER           the driver refused, such as an address that it does not know;
 *                                    also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemFreeAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_free(cuc_memory_resource *resource, cuc_device_ptr ptr, size_t bytes,
                                   cuc_stream *stream);

/* ---- Pools ------------------------------------------------------------------------------ */

/** A release threshold that keeps all memory in the pool until it is trimmed. */
#define CUC_MEMORY_POOL_KEEP_ALL UINT64_MAX

/** Properties of a pool that can be chosen when it is made. */
enum {
    CUC_MEMORY_POOL_HW_DECOMPRESS = 0x1, /**< fit for the device's decompression engine */
    CUC_MEMORY_POOL_IPC = 0x2,           /**< other processes can have its memory */
};

/** How cuc_memory_pool_create() makes a pool; zero is the default of every field. */
typedef struct cuc_memory_pool_options {
    size_t struct_size;           /**< sizeof(cuc_memory_pool_options); the initialisers set it */
    uint64_t max_bytes;           /**< the most it may ever hold; 0: what the system allows */
    uint64_t release_threshold;   /**< bytes it keeps when a stream is waited for, instead of giving
                                       them back to the system; 0: none;
                                       CUC_MEMORY_POOL_KEEP_ALL: all of them */
    int32_t kind;                 /**< CUC_MEMORY_DEVICE (0), _PINNED or _MANAGED */
    uint32_t flags;               /**< CUC_MEMORY_POOL_ bits */
    cuc_memory_location location; /**< CUC_MEMORY_PINNED: where on the host; NONE is anywhere.
                                       CUC_MEMORY_MANAGED: the place preferred; NONE is none.
                                       CUC_MEMORY_DEVICE: NONE, it is the device given */
} cuc_memory_pool_options;

/** The starting value of a cuc_memory_pool_options variable. */
#define CUC_MEMORY_POOL_OPTIONS_INIT                 \
    {                                                \
        sizeof(cuc_memory_pool_options), 0, 0, 0, 0, \
        {                                            \
            0, 0                                     \
        }                                            \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_MEMORY_POOL_OPTIONS(.kind = CUC_MEMORY_PINNED). */
#define CUC_MEMORY_POOL_OPTIONS(...) \
    (&(cuc_memory_pool_options){ .struct_size = sizeof(cuc_memory_pool_options), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_memory_pool_options and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options NULL does nothing
 * @param caller_size    sizeof(cuc_memory_pool_options), as the caller's header has it
 * @since 0.1
 */
CUC_API void cuc_memory_pool_options_init(cuc_memory_pool_options *options, size_t caller_size);

/**
 * Make a memory pool.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out     retained, to be released; the pool goes with the last reference
 * @param      device  the device that the memory is of (CUC_MEMORY_DEVICE), or whose streams
 *                     allocate from it; a pinned or managed pool is made reachable from it
 * @param      options NULL is every default: device memory, no limit
 * @retval CUC_OK                     made
 * @retval CUC_ERROR_INVALID_ARGUMENT out or device is NULL, or an option is none of those listed
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no memory pools, or the driver no pools of this
 *                                    kind (managed ones came with CUDA 13.0)
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolCreate,
 *         cuMemPoolSetAttribute, cuMemPoolSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_create(cuc_memory_resource **out, cuc_device *device,
                                          const cuc_memory_pool_options *options);

/**
 * The device's current pool for a kind of memory; shared with cudaMallocAsync() and every other
 * user of it in the process.
 *
 * That is its default pool unless cuc_memory_pool_make_current() set another. Its release
 * threshold is raised to CUC_MEMORY_POOL_KEEP_ALL when it is 0, so that memory freed is kept for
 * the next allocation; a threshold that somebody set is left alone.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    retained, to be released; the pool stays with the driver
 * @param      device the device
 * @param      kind   CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED or CUC_MEMORY_MANAGED
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or kind is none of the three
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no memory pools, or the driver is of before
 *                                    CUDA 13.0 and kind is not CUC_MEMORY_DEVICE
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuDeviceGetMemPool, cuMemGetMemPool
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_current(cuc_memory_resource **out, cuc_device *device,
                                               int32_t kind);

/**
 * The pool that the driver made for a kind of memory, whichever is current now.
 *
 * Its release threshold is treated as by cuc_memory_pool_get_current().
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    retained, to be released; the pool stays with the driver
 * @param      device the device
 * @param      kind   CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED or CUC_MEMORY_MANAGED
 * @retval CUC_OK found; else as cuc_memory_pool_get_current()
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuDeviceGetDefaultMemPool,
 *         cuMemGetDefaultMemPool
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_default(cuc_memory_resource **out, cuc_device *device,
                                               int32_t kind);

/**
 * Wrap a pool that was made with the driver or the runtime.
 *
 * It is borrowed: cucore never destroys it. Its attributes are left as they are.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out        retained, to be released
 * @param      device     the device of the pool, or whose streams allocate from it
 * @param      kind       CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED or CUC_MEMORY_MANAGED: what it gives
 * @param      pool       a CUmemoryPool or cudaMemPool_t, to live until `out` is gone
 * @param      owner      handed to drop_owner when `out` is gone
 * @param      drop_owner may be NULL; may run on any thread
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out, device or pool is NULL, or kind is none of the three
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_from_handle(cuc_memory_resource **out, cuc_device *device,
                                               int32_t kind, void *pool, void *owner,
                                               void (*drop_owner)(void *owner));

/**
 * The driver's own handle of a pool.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUmemoryPool, borrowed; NULL for a resource that is no pool, and for NULL
 * @since 0.1
 */
CUC_API void *cuc_memory_pool_handle(const cuc_memory_resource *pool);

/**
 * Make a pool the current one of its kind: what cuMemAllocAsync() and cudaMallocAsync() take
 * from, and what cuc_memory_pool_get_current() gives.
 *
 * @thread any thread; concerns the whole process
 * @capture safe: asks the driver in relaxed mode
 * @param pool it must stay alive while it is current. A pinned or managed one that was wrapped is
 *             taken to be the host's, or of no preferred place
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or no pool
 * @retval CUC_ERROR_NOT_SUPPORTED    not a device's pool, and the driver is of before CUDA 13.0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuDeviceSetMemPool, cuMemSetMemPool
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_make_current(cuc_memory_resource *pool);

/** Attributes of a pool, with the driver's values: X(constant, value, name). */
// clang-format off
#define CUC_MEMORY_POOL_ATTRIBUTE_LIST(X) \
    /* 1: reuse memory freed on another stream when an event orders the two */ \
    X(CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,   1, "reuse_follow_event_dependencies") \
    /* 1: reuse it when the free happens to be done already */ \
    X(CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC,         2, "reuse_allow_opportunistic") \
    /* 1: let the driver insert a wait to be able to reuse it */ \
    X(CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 3, "reuse_allow_internal_dependencies") \
    X(CUC_MEMORY_POOL_RELEASE_THRESHOLD,                 4, "release_threshold") /* bytes */ \
    X(CUC_MEMORY_POOL_RESERVED_CURRENT,                  5, "reserved_mem_current") /* read only */ \
    X(CUC_MEMORY_POOL_RESERVED_HIGH,                     6, "reserved_mem_high") /* 0 resets it */ \
    X(CUC_MEMORY_POOL_USED_CURRENT,                      7, "used_mem_current") /* read only */ \
    X(CUC_MEMORY_POOL_USED_HIGH,                         8, "used_mem_high") /* 0 resets it */
// clang-format on

enum {
#define CUC__MEMORY_POOL_ATTRIBUTE_ENUM(name, value, text) name = value,
    CUC_MEMORY_POOL_ATTRIBUTE_LIST(CUC__MEMORY_POOL_ATTRIBUTE_ENUM)
#undef CUC__MEMORY_POOL_ATTRIBUTE_ENUM
};

/**
 * Read an attribute of a pool.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out       bytes, or 0 or 1 for the REUSE attributes
 * @param      pool      the pool
 * @param      attribute a constant of CUC_MEMORY_POOL_ATTRIBUTE_LIST
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, pool is no pool, or there is no such
 *                                    attribute
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_attribute(uint64_t *out, cuc_memory_resource *pool,
                                                 int32_t attribute);

/**
 * Set an attribute of a pool.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param pool      the pool
 * @param attribute a constant of CUC_MEMORY_POOL_ATTRIBUTE_LIST; the CURRENT ones cannot be set
 * @param value     bytes; 0 or 1 for the REUSE attributes; only 0 for the HIGH ones
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or no pool, there is no such attribute, it cannot
 *                                    be set, or not to this value
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolSetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_set_attribute(cuc_memory_resource *pool, int32_t attribute,
                                                 uint64_t value);

/** How much a pool holds; the high marks count since the pool was made or they were reset. */
typedef struct cuc_memory_pool_statistics {
    size_t struct_size;      /**< sizeof(cuc_memory_pool_statistics), set by the caller */
    uint64_t reserved_bytes; /**< taken from the system */
    uint64_t reserved_high;  /**< the most of it at any time */
    uint64_t used_bytes;     /**< in allocations */
    uint64_t used_high;      /**< the most of it at any time */
} cuc_memory_pool_statistics;

/** The starting value of a cuc_memory_pool_statistics variable. */
#define CUC_MEMORY_POOL_STATISTICS_INIT                \
    {                                                  \
        sizeof(cuc_memory_pool_statistics), 0, 0, 0, 0 \
    }

/**
 * Read how much a pool holds. The four numbers are read one after the other.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out  filled up to its struct_size; a field that this library does not know is 0
 * @param      pool the pool
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, pool is no pool, or out's struct_size is
 *                                    not known
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_statistics(cuc_memory_pool_statistics *out,
                                                  cuc_memory_resource *pool);

/**
 * Start both high marks of a pool anew, from what it holds now.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param pool the pool
 * @retval CUC_OK                     reset
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or no pool
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolSetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_reset_high_marks(cuc_memory_resource *pool);

/**
 * Give memory that a pool does not use back to the system.
 *
 * @order  memory whose free has not happened yet on its stream counts as used
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param pool       the pool
 * @param keep_bytes how much it may keep; 0: as little as it can
 * @retval CUC_OK                     trimmed
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or no pool
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolTrimTo
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_trim(cuc_memory_resource *pool, uint64_t keep_bytes);

/** What a device may do with the memory of a pool, with the driver's values. */
enum {
    CUC_ACCESS_NONE = 0,
    CUC_ACCESS_READ = 1, /**< only told, never set: the driver has no pools to read only */
    CUC_ACCESS_READ_WRITE = 3,
};

/**
 * Let a device reach the memory of a pool, or stop it.
 *
 * It concerns all memory of the pool, allocations made before included.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param pool   the pool
 * @param peer   the device that is to reach it
 * @param access CUC_ACCESS_READ_WRITE or CUC_ACCESS_NONE; a device's own pool is always reachable
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, pool is no pool, access is neither, or
 *                                    would close a pool to its own device
 * @retval CUC_ERROR_NOT_SUPPORTED    the devices cannot reach each other
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_set_access(cuc_memory_resource *pool, cuc_device *peer,
                                              int32_t access);

/**
 * What a device may do with the memory of a pool.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out  a CUC_ACCESS_ constant
 * @param      pool the pool
 * @param      peer the device
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or pool is no pool
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolGetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_access(int32_t *out, cuc_memory_resource *pool,
                                              cuc_device *peer);

/* ---- Managed memory --------------------------------------------------------------------- */

/**
 * Move managed memory to a place, in stream order.
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: no graph has such a node, and the capture is spoilt
 * @param stream   the queue
 * @param ptr      in managed memory, or in host memory where the device can page it
 * @param bytes    0 does nothing
 * @param location where to; CUC_LOCATION_NONE is no place
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or location is NULL, ptr is 0, the range passes the end
 *                                    of the address space, or location is none of those listed
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is of before CUDA 12.2
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemPrefetchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_prefetch(cuc_stream *stream, cuc_device_ptr ptr, size_t bytes,
                                       const cuc_memory_location *location);

/**
 * Tell the driver that the contents of managed memory are not needed any more, in stream order.
 *
 * Reading it before it is written again gives bytes that nobody chose.
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: no graph has such a node, and the capture is spoilt
 * @param stream the queue; not the legacy default stream
 * @param ptr    in managed memory
 * @param bytes  0 does nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL, ptr is 0, or the range passes the end of the
 *                                    address space
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is of before CUDA 13.0
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemDiscardBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_discard(cuc_stream *stream, cuc_device_ptr ptr, size_t bytes);

/** Ranges of managed memory for the batch calls. */
typedef struct cuc_memory_batch {
    size_t struct_size;                   /**< sizeof(cuc_memory_batch); the initialisers set it */
    const cuc_device_ptr *ptrs;           /**< [count] where each range starts */
    const size_t *bytes;                  /**< [count] how long each is; none may be 0 */
    size_t count;                         /**< 0 does nothing */
    const cuc_memory_location *locations; /**< [location_count] where to; not read by discard */
    size_t location_count;                /**< 1: one place for all; else equal to count */
} cuc_memory_batch;

/** The starting value of a cuc_memory_batch variable. */
#define CUC_MEMORY_BATCH_INIT                   \
    {                                           \
        sizeof(cuc_memory_batch), 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** A batch written at the call site, in C. */
#define CUC_MEMORY_BATCH(...) \
    (&(cuc_memory_batch){ .struct_size = sizeof(cuc_memory_batch), __VA_ARGS__ })
#endif

/**
 * Zero a cuc_memory_batch and write its size.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param batch NULL does nothing
 * @param caller_size  sizeof(cuc_memory_batch), as the caller's header has it
 * @since 0.1
 */
CUC_API void cuc_memory_batch_init(cuc_memory_batch *batch, size_t caller_size);

/**
 * Move several ranges of managed memory, each to its place, in stream order.
 *
 * Drivers of before CUDA 13.0, and the legacy default stream, get one prefetch a range.
 *
 * @order  enqueues and returns; the ranges may move in any order
 * @thread any thread
 * @capture not on a captured stream: no graph has such a node, and the capture is spoilt
 * @param stream the queue
 * @param batch  read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a range is empty or passes the end of the
 *                                    address space, or a location is none of those listed; the
 *                                    message has its index, and nothing was enqueued
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed; ranges
 *                                    before it may have been enqueued
 * @source CUDA Driver API, "Unified Addressing": cuMemPrefetchBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_prefetch_batch(cuc_stream *stream, const cuc_memory_batch *batch);

/**
 * Discard several ranges of managed memory, as cuc_memory_discard() does one.
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: no graph has such a node, and the capture is spoilt
 * @param stream the queue; not the legacy default stream
 * @param batch  read before the call returns; its locations are not read
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_prefetch_batch(); nothing was enqueued
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is of before CUDA 13.0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Unified Addressing": cuMemDiscardBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_discard_batch(cuc_stream *stream, const cuc_memory_batch *batch);

/**
 * Discard several ranges of managed memory and give each its place, without moving the contents.
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: no graph has such a node, and the capture is spoilt
 * @param stream the queue; not the legacy default stream
 * @param batch  read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_prefetch_batch(); nothing was enqueued
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is of before CUDA 13.0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Unified Addressing": cuMemDiscardAndPrefetchBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_discard_and_prefetch_batch(cuc_stream *stream,
                                                         const cuc_memory_batch *batch);

/** What to tell the driver about managed memory, with the driver's values. */
enum {
    CUC_ADVISE_SET_READ_MOSTLY = 1,          /**< each reader gets a copy; location is not read */
    CUC_ADVISE_UNSET_READ_MOSTLY = 2,        /**< location is not read */
    CUC_ADVISE_SET_PREFERRED_LOCATION = 3,   /**< stay there, when possible */
    CUC_ADVISE_UNSET_PREFERRED_LOCATION = 4, /**< location is not read */
    CUC_ADVISE_SET_ACCESSED_BY = 5,          /**< keep it mapped there, wherever it is */
    CUC_ADVISE_UNSET_ACCESSED_BY = 6,        /**< take that back for this location */
};

/**
 * Tell the driver how a range of managed memory will be used. It takes effect at once.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param ptr      in managed memory, or in host memory where the device can page it
 * @param bytes    0 does nothing
 * @param advice   a CUC_ADVISE_ constant
 * @param location a device, the host or a NUMA node; may be NULL where the advice does not read it
 * @retval CUC_OK                     taken
 * @retval CUC_ERROR_INVALID_ARGUMENT ptr is 0, the range passes the end of the address space, or
 *                                    advice or location is none of those listed
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is of before CUDA 12.2, or the memory is of a pool
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemAdvise
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_advise(cuc_device_ptr ptr, size_t bytes, int32_t advice,
                                     const cuc_memory_location *location);

/**
 * Whether all of a range of managed memory is advised as read-mostly.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   1 or 0
 * @param      ptr   in managed memory
 * @param      bytes more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, ptr or bytes is 0, or the range passes the end of
 *                                    the address space
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_read_mostly(int32_t *out, cuc_device_ptr ptr, size_t bytes);

/**
 * The place that all of a range of managed memory prefers.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   CUC_LOCATION_NONE when there is none, or not the same one throughout
 * @param      ptr   in managed memory
 * @param      bytes more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_get_read_mostly()
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_preferred_location(cuc_memory_location *out, cuc_device_ptr ptr,
                                                     size_t bytes);

/**
 * The place that all of a range of managed memory was last prefetched to; it may have moved since.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   CUC_LOCATION_NONE when there is none, or not the same one throughout
 * @param      ptr   in managed memory
 * @param      bytes more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_get_read_mostly()
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_last_prefetch(cuc_memory_location *out, cuc_device_ptr ptr,
                                                size_t bytes);

/**
 * The devices that a range of managed memory is kept mapped for.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] count    how many there are; when it is above capacity, ask again with more room
 * @param[out] devices  [capacity] ordinals, -1 for the host; may be NULL when capacity is 0
 * @param      capacity room in devices
 * @param      ptr      in managed memory
 * @param      bytes    more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT count is NULL, or devices is NULL with a capacity; else as for
 *                                    cuc_memory_get_read_mostly()
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_accessed_by(size_t *count, int32_t *devices, size_t capacity,
                                              cuc_device_ptr ptr, size_t bytes);

/* ---- Pointers and host memory ----------------------------------------------------------- */

/** What the driver knows of an address. */
typedef struct cuc_pointer_info {
    size_t struct_size;            /**< sizeof(cuc_pointer_info), set by the caller */
    cuc_device_ptr base;           /**< where the allocation starts; 0 when not known */
    uint64_t bytes;                /**< how long the allocation is; 0 when not known */
    cuc_device_ptr device_pointer; /**< the address for kernels; 0 when they cannot reach it */
    void *host_pointer;            /**< the address for the CPU; NULL when it cannot reach it */
    void *pool;                    /**< the CUmemoryPool it is of, NULL for none */
    uint64_t buffer_id;            /**< of no other allocation of the process; 0 when not known */
    int32_t kind;    /**< a CUC_MEMORY_ kind; CUC_MEMORY_UNREGISTERED: not the driver's */
    int32_t device;  /**< ordinal of the device that it was allocated on; -1: none */
    uint32_t access; /**< CUC_MEMORY_ACCESS_ bits */
    int32_t mapped;  /**< 1: backed by memory; 0: a reserved range only, or not the driver's */
} cuc_pointer_info;

/** The starting value of a cuc_pointer_info variable. */
#define CUC_POINTER_INFO_INIT                                  \
    {                                                          \
        sizeof(cuc_pointer_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * What the driver knows of an address: of any allocator's memory, the CUDA Runtime's included.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out filled up to its struct_size; a field that this library does not know is 0
 * @param      ptr any address of the host or of a device, not only the start of an allocation
 * @retval CUC_OK                     read; an address that is not the driver's is no failure
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL or its struct_size is not known, or ptr is 0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Unified Addressing": cuPointerGetAttributes
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_pointer_info(cuc_pointer_info *out, cuc_device_ptr ptr);

/** How cuc_host_register() locks host memory, with the driver's values. */
enum {
    CUC_HOST_PORTABLE = 0x1,  /**< for every device's contexts; with unified addressing always */
    CUC_HOST_MAPPED = 0x2,    /**< give kernels an address; with unified addressing always */
    CUC_HOST_IO_MEMORY = 0x4, /**< it is another device's memory, such as a PCI BAR */
    CUC_HOST_READ_ONLY = 0x8, /**< kernels only read it; for memory mapped without write access */
};

/**
 * Page-lock host memory that exists already, so that copies of it run at full speed and in
 * stream order, and kernels may reach it.
 *
 * @thread any thread; it may take milliseconds
 * @capture safe: asks the driver in relaxed mode
 * @param device whose primary context registers it
 * @param host   start of the memory; it must stay allocated until cuc_host_unregister()
 * @param bytes  more than 0
 * @param flags  CUC_HOST_ bits
 * @retval CUC_OK                     registered
 * @retval CUC_ERROR_INVALID_ARGUMENT device or host is NULL, bytes is 0, or flags has a bit that is
 *                                    not listed
 * @retval CUC_ERROR_NOT_SUPPORTED    the device cannot register host memory, or not read-only
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory registered already
 * @source CUDA Driver API, "Memory Management": cuMemHostRegister
 * @since 0.1
 */
CUC_API cuc_status cuc_host_register(cuc_device *device, void *host, size_t bytes, uint32_t flags);

/**
 * Take cuc_host_register() back.
 *
 * @order  no work that uses the memory may be under way
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param device as it was registered with
 * @param host   as it was registered
 * @retval CUC_OK                     unregistered
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not registered
 * @source CUDA Driver API, "Memory Management": cuMemHostUnregister
 * @since 0.1
 */
CUC_API cuc_status cuc_host_unregister(cuc_device *device, void *host);

/**
 * The address by which kernels reach page-locked host memory.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    with unified addressing mostly the same value
 * @param      device the device whose kernels are meant
 * @param      host   in memory of a pinned resource, or registered
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as memory that is not page-locked
 * @source CUDA Driver API, "Memory Management": cuMemHostGetDevicePointer
 * @since 0.1
 */
CUC_API cuc_status cuc_host_get_device_pointer(cuc_device_ptr *out, cuc_device *device, void *host);

CUC_END_DECLS

#endif
