/**
 * @file
 * Memory resources: the sources of buffers, and the driver's controls over memory.
 *
 * A resource allocates and frees memory. There are three sorts. A pool of the driver allocates and
 * frees in stream order without blocking. A synchronous resource may wait for the device. A
 * user-defined resource calls functions of the user. Buffers (buffer.h) retain their resource, so
 * it may be released before them.
 */
#ifndef CUCORE_MEMORY_H
#define CUCORE_MEMORY_H

#include <cucore/base.h>
#include <cucore/device.h>

CUC_BEGIN_DECLS

/**
 * A source of memory, which it allocates and frees.
 *
 * Threads: any thread, concurrently; a user-defined one is as thread-safe as its callbacks.
 */
typedef struct cuc_memory_resource cuc_memory_resource;

/** Kinds of memory: X(constant, value, name). */
// clang-format off
#define CUC_MEMORY_KIND_LIST(X) \
    X(CUC_MEMORY_DEVICE,       0, "device")  /* on a device; the host cannot reach it */ \
    X(CUC_MEMORY_PINNED,       1, "pinned")  /* page-locked on the host; devices reach it */ \
    X(CUC_MEMORY_MANAGED,      2, "managed") /* migrates between host and devices on use */ \
    X(CUC_MEMORY_CUSTOM,       3, "custom")  /* from a user-defined resource */ \
    X(CUC_MEMORY_UNREGISTERED, 4, "unregistered") /* host memory that the driver does not know */
// clang-format on

enum {
#define CUC__MEMORY_KIND_ENUM(name, value, text) name = value,
    CUC_MEMORY_KIND_LIST(CUC__MEMORY_KIND_ENUM)
#undef CUC__MEMORY_KIND_ENUM
};

/** Parties that can access memory. */
enum {
    CUC_MEMORY_ACCESS_DEVICE = 0x1,  /**< kernels and device copies */
    CUC_MEMORY_ACCESS_HOST = 0x2,    /**< the CPU, through the same address */
    CUC_MEMORY_ACCESS_MANAGED = 0x4, /**< managed memory: can be prefetched, advised and
                                          discarded */
};

/** Kinds of location, with the driver's values. */
enum {
    CUC_LOCATION_NONE = 0,              /**< no place, or no preference */
    CUC_LOCATION_DEVICE = 1,            /**< id is a device's ordinal */
    CUC_LOCATION_HOST = 2,              /**< id is 0 */
    CUC_LOCATION_HOST_NUMA = 3,         /**< id is a NUMA node of the host */
    CUC_LOCATION_HOST_NUMA_CURRENT = 4, /**< the calling thread's NUMA node; id is 0 */
};

/** A location that memory can reside in. */
typedef struct cuc_memory_location {
    int32_t type; /**< a CUC_LOCATION_ constant */
    int32_t id;   /**< the device's ordinal or the NUMA node; otherwise 0 */
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
 * @return static storage; "unknown" for an unknown kind; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_memory_kind_name(int32_t kind);

/* ---- Resources -------------------------------------------------------------------------- */

/**
 * Add a reference to a resource.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param resource NULL gives NULL
 * @return resource
 * @since 0.1
 */
CUC_API cuc_memory_resource *cuc_memory_resource_retain(cuc_memory_resource *resource);

/**
 * Release a resource; the last release destroys it.
 *
 * Buffers retain their resource. Addresses from cuc_memory_allocate() do not, so free them first. A
 * pool that the resource created is destroyed with it, unless the pool has held memory. In that
 * case the memory returns to the system at the next wait for the work that freed it, and cucore
 * keeps the empty pool for the next resource with the same options. A pool that is shared with
 * other processes or devices cannot be reused. Such a pool, and any pool beyond 32 kept ones, is
 * destroyed at least a second later, when another pool is created or released. (In CUDA 13.0 and
 * earlier, the driver cannot safely destroy a pool while a thread waits for a stream.)
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param resource NULL does nothing
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolDestroy
 * @since 0.1
 */
CUC_API void cuc_memory_resource_release(cuc_memory_resource *resource);

/**
 * The device that owns the memory of a resource.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed for the life of the process; NULL for pinned memory (which belongs to no
 *         device), for a user-defined resource without a device, and for NULL
 * @since 0.1
 */
CUC_API cuc_device *cuc_memory_resource_device(const cuc_memory_resource *resource);

/**
 * The parties that can access a resource's memory.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return CUC_MEMORY_ACCESS_ bits; 0 for NULL
 * @since 0.1
 */
CUC_API uint32_t cuc_memory_resource_access(const cuc_memory_resource *resource);

/**
 * The kind of memory that a resource allocates.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return a CUC_MEMORY_ kind; CUC_MEMORY_CUSTOM for a user-defined resource; -1 for NULL
 * @since 0.1
 */
CUC_API int32_t cuc_memory_resource_kind(const cuc_memory_resource *resource);

/**
 * Check whether a resource is a driver pool, which the cuc_memory_pool_ functions accept.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 1 or 0
 * @since 0.1
 */
CUC_API int32_t cuc_memory_resource_is_pool(const cuc_memory_resource *resource);

/**
 * The default resource of a device, for buffers created without one.
 *
 * It is the device's current memory pool, or the synchronous resource on a device without pools.
 * The first use creates it; it stays until cuc_device_set_memory_resource() replaces it.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    a new reference; release it
 * @param      device the device
 * @retval CUC_OK                     found or created
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
 * @thread any thread; existing buffers keep their resource
 * @capture safe: asks the driver in relaxed mode
 * @param device   the device
 * @param resource retained; NULL restores the one that cucore chooses
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT device is NULL, or the resource belongs to another device
 * @since 0.1
 */
CUC_API cuc_status cuc_device_set_memory_resource(cuc_device *device,
                                                  cuc_memory_resource *resource);

/**
 * Create a resource that allocates directly from the driver, without a pool.
 *
 * Allocating and freeing may wait for the device. Freeing first waits for the stream it is given.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    a new reference; release it
 * @param      device its primary context allocates
 * @param      kind   CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED (portable: every device can access it) or
 *                    CUC_MEMORY_MANAGED
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or kind is not one of the three
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no managed memory
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @source CUDA Driver API, "Memory Management": cuMemAlloc, cuMemFree, cuMemHostAlloc,
 *         cuMemFreeHost, cuMemAllocManaged
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_synchronous_create(cuc_memory_resource **out, cuc_device *device,
                                                 int32_t kind);

/**
 * Callbacks of a user-defined resource.
 *
 * cucore holds no lock while a callback runs. A callback that fails should return the status of the
 * cucore call that failed, or a status such as CUC_ERROR_OUT_OF_MEMORY.
 */
typedef struct cuc_memory_callbacks {
    size_t struct_size; /**< sizeof(cuc_memory_callbacks); the initializers set it */
    void *user;         /**< passed to every callback */
    /** Write the address of `bytes` bytes to *out. `bytes` is never 0. `stream` may be NULL. */
    cuc_status (*allocate)(void *user, cuc_device_ptr *out, cuc_stream *stream, size_t bytes);
    /** Free an allocation in stream order, or at once if `stream` is NULL. May run on any
     * thread. */
    cuc_status (*deallocate)(void *user, cuc_stream *stream, cuc_device_ptr ptr, size_t bytes);
    /** Called once, after the last buffer and reference are gone; may be NULL. */
    void (*destroy)(void *user);
    /** The device that owns the memory; only its streams can use the resource. NULL: every stream
     * can use it, and the driver reports each allocation's device. */
    cuc_device *device;
    uint32_t access;   /**< CUC_MEMORY_ACCESS_ bits, at least one; if DEVICE and HOST are both set,
                            the driver reports whether an allocation is MANAGED */
    uint32_t reserved; /**< 0 */
} cuc_memory_callbacks;

/** Initial value of a cuc_memory_callbacks variable. */
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
 * @param caller_size      sizeof(cuc_memory_callbacks) in the calling code
 * @since 0.1
 */
CUC_API void cuc_memory_callbacks_init(cuc_memory_callbacks *callbacks, size_t caller_size);

/**
 * Create a resource from user-defined callbacks.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out       a new reference; release it
 * @param      callbacks copied; allocate, deallocate and access are required
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument or a required callback is NULL, or access is 0 or
 *                                    has an unknown bit; destroy has not been called
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory; destroy has not been called
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_resource_create(cuc_memory_resource **out,
                                              const cuc_memory_callbacks *callbacks);

/**
 * Allocate a bare address from a resource.
 *
 * @order  work enqueued on the stream after this call may use the memory, and so may work on
 *         streams that wait for it; memory of a synchronous resource is usable at once. On a
 *         captured stream, a pool allocation is a node of the graph: the memory exists while the
 *         graph runs, and must be freed in the same capture
 * @thread any thread
 * @capture an allocation from a pool becomes a node of the graph; from a synchronous resource, it
 *          is safe: asks the driver in relaxed mode; from a user-defined one, it depends on the
 *          callbacks
 * @param[out] out      the address, aligned to at least 256 bytes (in a user-defined resource, as
 *                      the callback aligns it); 0 for 0 bytes, which need not be freed
 * @param      stream   orders the allocation; NULL only for a synchronous or user-defined resource
 * @param      resource must outlive the allocation
 * @param      bytes    size of the allocation
 * @retval CUC_OK                         allocated
 * @retval CUC_ERROR_INVALID_ARGUMENT     out or resource is NULL, stream is NULL for a pool, or the
 *                                        resource is one of device memory and the stream belongs to
 *                                        a different device
 * @retval CUC_ERROR_OUT_OF_DEVICE_MEMORY the memory is exhausted
 * @retval CUC_ERROR_DRIVER               the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemAllocFromPoolAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_allocate(cuc_device_ptr *out, cuc_stream *stream,
                                       cuc_memory_resource *resource, size_t bytes);

/**
 * Free memory from cuc_memory_allocate().
 *
 * @order  the memory is freed when the stream reaches this point; no later work may use it. A
 *         synchronous resource waits for the stream and frees before the call returns
 * @thread any thread
 * @capture freeing a pool's memory becomes a node of the graph. For a synchronous resource, it is
 *          refused with CUC_ERROR_BUSY on a captured stream, whose capture goes on; on other
 *          streams it is safe: asks the driver in relaxed mode. For a user-defined resource, it
 *          depends on the callbacks
 * @param stream   a stream of the device; all uses of the memory must be ordered before the call;
 *                 NULL as for cuc_memory_allocate()
 * @param resource the resource that allocated it
 * @param ptr      0 does nothing
 * @param bytes    as allocated
 * @retval CUC_OK                     freed, or the free is enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT resource is NULL, stream is NULL for a pool, or the stream and
 *                                    the resource belong to different devices
 * @retval CUC_ERROR_BUSY             a synchronous resource would have to wait for a stream that is
 *                                    being captured; nothing was freed
 * @retval CUC_ERROR_DRIVER           the driver refused, such as an unknown address; also
 *                                    CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemFreeAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_free(cuc_stream *stream, cuc_memory_resource *resource,
                                   cuc_device_ptr ptr, size_t bytes);

/* ---- Pools ------------------------------------------------------------------------------ */

/** Release threshold that keeps all memory in the pool until it is trimmed. */
#define CUC_MEMORY_POOL_KEEP_ALL UINT64_MAX

/** Properties of a pool that are fixed when it is created. */
enum {
    CUC_MEMORY_POOL_HW_DECOMPRESS = 0x1, /**< usable by the device's decompression engine */
    CUC_MEMORY_POOL_IPC = 0x2,           /**< other processes can import its memory */
};

/** Options of cuc_memory_pool_create(). Zero selects the default of every field. */
typedef struct cuc_memory_pool_options {
    size_t struct_size;           /**< sizeof(cuc_memory_pool_options); the initializers set it */
    uint64_t max_bytes;           /**< upper limit of its size; 0: the system's limit */
    uint64_t release_threshold;   /**< bytes to keep when a stream is synchronized, instead of
                                       returning them to the system; 0: none;
                                       CUC_MEMORY_POOL_KEEP_ALL: all of them */
    int32_t kind;                 /**< CUC_MEMORY_DEVICE (0), _PINNED or _MANAGED */
    uint32_t flags;               /**< CUC_MEMORY_POOL_ bits */
    cuc_memory_location location; /**< CUC_MEMORY_PINNED: location on the host; NONE: anywhere.
                                       CUC_MEMORY_MANAGED: the preferred location; NONE: no
                                       preference. CUC_MEMORY_DEVICE: must be NONE, because the
                                       device is an argument */
} cuc_memory_pool_options;

/** Initial value of a cuc_memory_pool_options variable. */
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
 * @param caller_size    sizeof(cuc_memory_pool_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_memory_pool_options_init(cuc_memory_pool_options *options, size_t caller_size);

/**
 * Create a memory pool.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out     a new reference; release it; the last release destroys or keeps the pool
 * @param      device  for CUC_MEMORY_DEVICE, the device that owns the memory; otherwise the device
 *                     whose streams allocate from the pool; it gets access to the memory
 * @param      options NULL selects all defaults: device memory, no limit
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or device is NULL, or an option has an unlisted value
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no memory pools, or the driver has no pools of
 *                                    this kind (managed ones need CUDA 13.0)
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused; also CUC_ERROR_CONTEXT_LOST
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolCreate,
 *         cuMemPoolSetAttribute, cuMemPoolSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_create(cuc_memory_resource **out, cuc_device *device,
                                          const cuc_memory_pool_options *options);

/**
 * The device's current pool for a kind of memory, which cudaMallocAsync() and all other code in the
 * process share.
 *
 * It is the default pool unless cuc_memory_pool_make_current() set another. A release threshold of
 * 0 is raised to CUC_MEMORY_POOL_KEEP_ALL, so that the pool keeps freed memory for later
 * allocations; a threshold set elsewhere is left alone.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    a new reference; release it; the driver keeps the pool itself
 * @param      device the device
 * @param      kind   CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED or CUC_MEMORY_MANAGED
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or kind is not one of the three
 * @retval CUC_ERROR_NOT_SUPPORTED    the device has no memory pools, or the driver is older than
 *                                    CUDA 13.0 and kind is not CUC_MEMORY_DEVICE
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuDeviceGetMemPool, cuMemGetMemPool
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_current(cuc_memory_resource **out, cuc_device *device,
                                               int32_t kind);

/**
 * The driver's default pool for a kind of memory, even when another pool is current.
 *
 * The call raises a release threshold of 0, like cuc_memory_pool_get_current().
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out    a new reference; release it; the driver keeps the pool itself
 * @param      device the device
 * @param      kind   CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED or CUC_MEMORY_MANAGED
 * @retval CUC_OK found; otherwise as for cuc_memory_pool_get_current()
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuDeviceGetDefaultMemPool,
 *         cuMemGetDefaultMemPool
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_default(cuc_memory_resource **out, cuc_device *device,
                                               int32_t kind);

/**
 * Wrap a pool that was created with the driver or the runtime.
 *
 * The pool is borrowed: cucore never destroys it and does not change its attributes.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param[out] out        a new reference; release it
 * @param      device     the device that owns the pool's memory, or whose streams allocate from it
 * @param      kind       the pool's kind: CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED or
 *                        CUC_MEMORY_MANAGED
 * @param      pool       a CUmemoryPool or cudaMemPool_t; it must live until `out` is released
 * @param      owner      passed to drop_owner when `out` is released
 * @param      drop_owner may be NULL; may run on any thread
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out, device or pool is NULL, or kind is not one of the three
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_from_handle(cuc_memory_resource **out, cuc_device *device,
                                               int32_t kind, void *pool, void *owner,
                                               void (*drop_owner)(void *owner));

/**
 * The driver's handle of a pool.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return the CUmemoryPool, borrowed; NULL for a resource that is not a pool, and for NULL
 * @since 0.1
 */
CUC_API void *cuc_memory_pool_handle(const cuc_memory_resource *pool);

/**
 * Make a pool the current one of its kind. cuMemAllocAsync() and cudaMallocAsync() allocate from
 * the current pool, and cuc_memory_pool_get_current() returns it.
 *
 * @thread any thread; affects the whole process
 * @capture safe: asks the driver in relaxed mode
 * @param pool must stay alive while it is current. A wrapped pinned pool counts as a host pool; a
 *             wrapped managed pool counts as one without a preferred location
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or not a pool
 * @retval CUC_ERROR_NOT_SUPPORTED    the pool is not of device memory, and the driver is older than
 *                                    CUDA 13.0
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
    /* 1: reuse freed memory if the free is already complete */ \
    X(CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC,         2, "reuse_allow_opportunistic") \
    /* 1: let the driver insert a wait so that it can reuse freed memory */ \
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
 * @param[out] out       bytes; 0 or 1 for the REUSE attributes
 * @param      pool      the pool
 * @param      attribute a constant of CUC_MEMORY_POOL_ATTRIBUTE_LIST
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, pool is not a pool, or there is no such
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
 * @param attribute a constant of CUC_MEMORY_POOL_ATTRIBUTE_LIST; those named CURRENT are read-only
 * @param value     bytes; 0 or 1 for the REUSE attributes; only 0 for the HIGH ones
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or not a pool, there is no such attribute, it is
 *                                    read-only, or it does not take this value
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolSetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_set_attribute(cuc_memory_resource *pool, int32_t attribute,
                                                 uint64_t value);

/**
 * Memory held by a pool. High-water marks count from the pool's creation or from their last reset.
 */
typedef struct cuc_memory_pool_statistics {
    size_t struct_size;      /**< sizeof(cuc_memory_pool_statistics), set by the caller */
    uint64_t reserved_bytes; /**< obtained from the system */
    uint64_t reserved_high;  /**< maximum of reserved_bytes */
    uint64_t used_bytes;     /**< in allocations */
    uint64_t used_high;      /**< maximum of used_bytes */
} cuc_memory_pool_statistics;

/** Initial value of a cuc_memory_pool_statistics variable. */
#define CUC_MEMORY_POOL_STATISTICS_INIT                \
    {                                                  \
        sizeof(cuc_memory_pool_statistics), 0, 0, 0, 0 \
    }

/**
 * Read the size of a pool. The four numbers are read one after the other, not as one snapshot.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out  filled up to its struct_size; fields unknown to this library are 0
 * @param      pool the pool
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, pool is not a pool, or out's struct_size
 *                                    is unknown
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_statistics(cuc_memory_pool_statistics *out,
                                                  cuc_memory_resource *pool);

/**
 * Reset both high-water marks of a pool to its current size.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param pool the pool
 * @retval CUC_OK                     reset
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or not a pool
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolSetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_reset_high_watermarks(cuc_memory_resource *pool);

/**
 * Return a pool's unused memory to the system.
 *
 * @order  memory whose free is still pending on its stream counts as used
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param pool       the pool
 * @param keep_bytes bytes the pool may keep; 0: as few as possible
 * @retval CUC_OK                     trimmed
 * @retval CUC_ERROR_INVALID_ARGUMENT pool is NULL or not a pool
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolTrimTo
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_trim(cuc_memory_resource *pool, uint64_t keep_bytes);

/** Access of a device to the memory of a pool, with the driver's values. */
enum {
    CUC_ACCESS_NONE = 0,
    CUC_ACCESS_READ = 1, /**< only reported, never set, because the driver has no read-only access
                              to pools */
    CUC_ACCESS_READ_WRITE = 3,
};

/**
 * Grant or revoke a device's access to the memory of a pool.
 *
 * The change affects all memory of the pool, including existing allocations.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param pool   the pool
 * @param peer   the device that gains or loses access
 * @param access CUC_ACCESS_READ_WRITE or CUC_ACCESS_NONE; a device always has access to its own
 *               pool
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, pool is not a pool, access is neither
 *                                    value, or it would deny a device its own pool
 * @retval CUC_ERROR_NOT_SUPPORTED    the peer cannot access the pool's memory
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolSetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_set_access(cuc_memory_resource *pool, cuc_device *peer,
                                              int32_t access);

/**
 * Read a device's access to the memory of a pool.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out  a CUC_ACCESS_ constant
 * @param      pool the pool
 * @param      peer the device
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or pool is not a pool
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Stream Ordered Memory Allocator": cuMemPoolGetAccess
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_pool_get_access(int32_t *out, cuc_memory_resource *pool,
                                              cuc_device *peer);

/* ---- Managed memory --------------------------------------------------------------------- */

/**
 * Migrate managed memory to a location, in stream order.
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: a graph cannot have such a node, and the capture is spoilt
 * @param stream   the queue
 * @param ptr      in managed memory, or in host memory that the device can page
 * @param bytes    0 does nothing
 * @param location the destination; CUC_LOCATION_NONE is not allowed
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream or location is NULL, ptr is 0, the range extends past
 *                                    the end of the address space, or location is not a listed one
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.2
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemPrefetchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_prefetch(cuc_stream *stream, cuc_device_ptr ptr, size_t bytes,
                                       const cuc_memory_location *location);

/**
 * Tell the driver that the contents of managed memory are no longer needed, in stream order.
 *
 * Reads before the next write return undefined bytes.
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: a graph cannot have such a node, and the capture is spoilt
 * @param stream the queue; not the legacy default stream
 * @param ptr    in managed memory
 * @param bytes  0 does nothing
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT stream is NULL, ptr is 0, or the range extends past the end of
 *                                    the address space
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 13.0
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemDiscardBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_discard(cuc_stream *stream, cuc_device_ptr ptr, size_t bytes);

/** Ranges of managed memory for the batch calls. */
typedef struct cuc_memory_batch {
    size_t struct_size;                   /**< sizeof(cuc_memory_batch); the initializers set it */
    const cuc_device_ptr *ptrs;           /**< [count] start of each range */
    const size_t *bytes;                  /**< [count] length of each range; none may be 0 */
    size_t count;                         /**< 0 does nothing */
    const cuc_memory_location *locations; /**< [location_count] destinations; discard ignores
                                               them */
    size_t location_count;                /**< 1: one location for all ranges; else equal to
                                               count */
} cuc_memory_batch;

/** Initial value of a cuc_memory_batch variable. */
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
 * @param caller_size  sizeof(cuc_memory_batch) in the calling code
 * @since 0.1
 */
CUC_API void cuc_memory_batch_init(cuc_memory_batch *batch, size_t caller_size);

/**
 * Migrate several ranges of managed memory, each to its location, in stream order.
 *
 * If the driver is older than CUDA 13.0, or on the legacy default stream, each range is prefetched
 * separately.
 *
 * @order  enqueues and returns; the ranges may migrate in any order
 * @thread any thread
 * @capture not on a captured stream: a graph cannot have such a node, and the capture is spoilt
 * @param stream the queue
 * @param batch  read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, a range is empty or extends past the end
 *                                    of the address space, or a location is not a listed one; the
 *                                    message has its index, and nothing was enqueued
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed;
 *                                    earlier ranges may have been enqueued
 * @source CUDA Driver API, "Unified Addressing": cuMemPrefetchBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_prefetch_batch(cuc_stream *stream, const cuc_memory_batch *batch);

/**
 * Discard several ranges of managed memory, each like cuc_memory_discard().
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: a graph cannot have such a node, and the capture is spoilt
 * @param stream the queue; not the legacy default stream
 * @param batch  read before the call returns; its locations are ignored
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_prefetch_batch(); nothing was enqueued
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 13.0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Unified Addressing": cuMemDiscardBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_discard_batch(cuc_stream *stream, const cuc_memory_batch *batch);

/**
 * Discard several ranges of managed memory and prefetch each to its location, without moving their
 * contents.
 *
 * @order  enqueues and returns
 * @thread any thread
 * @capture not on a captured stream: a graph cannot have such a node, and the capture is spoilt
 * @param stream the queue; not the legacy default stream
 * @param batch  read before the call returns
 * @retval CUC_OK                     enqueued
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_prefetch_batch(); nothing was enqueued
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 13.0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Unified Addressing": cuMemDiscardAndPrefetchBatchAsync
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_discard_and_prefetch_batch(cuc_stream *stream,
                                                         const cuc_memory_batch *batch);

/** Advice about managed memory, with the driver's values. */
enum {
    CUC_ADVISE_SET_READ_MOSTLY = 1,          /**< each reader gets its own copy; location is
                                                  ignored */
    CUC_ADVISE_UNSET_READ_MOSTLY = 2,        /**< location is ignored */
    CUC_ADVISE_SET_PREFERRED_LOCATION = 3,   /**< stay at the location when possible */
    CUC_ADVISE_UNSET_PREFERRED_LOCATION = 4, /**< location is ignored */
    CUC_ADVISE_SET_ACCESSED_BY = 5,          /**< stay mapped for this location, wherever the memory
                                                  resides */
    CUC_ADVISE_UNSET_ACCESSED_BY = 6,        /**< undo CUC_ADVISE_SET_ACCESSED_BY for this
                                                  location */
};

/**
 * Advise the driver how a range of managed memory will be used. The advice takes effect at once.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param ptr      in managed memory, or in host memory that the device can page
 * @param bytes    0 does nothing
 * @param advice   a CUC_ADVISE_ constant
 * @param location a device, the host or a NUMA node; may be NULL where the advice ignores it
 * @retval CUC_OK                     accepted
 * @retval CUC_ERROR_INVALID_ARGUMENT ptr is 0, the range extends past the end of the address space,
 *                                    or advice or location is not a listed one
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.2, or the memory belongs to a
 *                                    pool
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemAdvise
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_advise(cuc_device_ptr ptr, size_t bytes, int32_t advice,
                                     const cuc_memory_location *location);

/**
 * Check whether all of a range of managed memory is advised as read-mostly.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   1 or 0
 * @param      ptr   in managed memory
 * @param      bytes more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, ptr or bytes is 0, or the range extends past the
 *                                    end of the address space
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_read_mostly(int32_t *out, cuc_device_ptr ptr, size_t bytes);

/**
 * The preferred location of a range of managed memory.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   CUC_LOCATION_NONE when there is none, or it differs within the range
 * @param      ptr   in managed memory
 * @param      bytes more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_get_read_mostly()
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_preferred_location(cuc_memory_location *out, cuc_device_ptr ptr,
                                                     size_t bytes);

/**
 * The location to which a range of managed memory was last prefetched. The memory may have moved
 * since.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] out   CUC_LOCATION_NONE when there is none, or it differs within the range
 * @param      ptr   in managed memory
 * @param      bytes more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT as for cuc_memory_get_read_mostly()
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_last_prefetch(cuc_memory_location *out, cuc_device_ptr ptr,
                                                size_t bytes);

/**
 * The devices for which a range of managed memory stays mapped.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param[out] count    the number of devices; if it exceeds capacity, call again with more room
 * @param[out] devices  [capacity] ordinals, -1 for the host; may be NULL when capacity is 0
 * @param      capacity length of devices
 * @param      ptr      in managed memory
 * @param      bytes    more than 0
 * @retval CUC_OK                     read
 * @retval CUC_ERROR_INVALID_ARGUMENT count is NULL, or devices is NULL while capacity is not 0;
 *                                    otherwise as for cuc_memory_get_read_mostly()
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not managed
 * @source CUDA Driver API, "Unified Addressing": cuMemRangeGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_accessed_by(size_t *count, int32_t *devices, size_t capacity,
                                              cuc_device_ptr ptr, size_t bytes);

/* ---- Pointers and host memory ----------------------------------------------------------- */

/** Information that the driver has about an address. */
typedef struct cuc_pointer_info {
    size_t struct_size;            /**< sizeof(cuc_pointer_info), set by the caller */
    cuc_device_ptr base;           /**< start of the allocation; 0 when unknown */
    uint64_t bytes;                /**< size of the allocation; 0 when unknown */
    cuc_device_ptr device_pointer; /**< the address for kernels; 0 when they cannot access it */
    void *host_pointer;            /**< the address for the CPU; NULL when it cannot access it */
    void *pool;                    /**< the CUmemoryPool of the allocation; NULL: none */
    uint64_t buffer_id;            /**< unique within the process; 0 when unknown */
    int32_t kind;    /**< a CUC_MEMORY_ kind; CUC_MEMORY_UNREGISTERED: unknown to the driver */
    int32_t device;  /**< ordinal of the device on which it was allocated; -1: none */
    uint32_t access; /**< CUC_MEMORY_ACCESS_ bits */
    int32_t mapped;  /**< 1: backed by memory; 0: only reserved, or unknown to the driver */
} cuc_pointer_info;

/** Initial value of a cuc_pointer_info variable. */
#define CUC_POINTER_INFO_INIT                                  \
    {                                                          \
        sizeof(cuc_pointer_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/**
 * Query the driver about an address of any allocator, including the CUDA runtime's.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out filled up to its struct_size; fields unknown to this library are 0
 * @param      ptr any host or device address, including one inside an allocation
 * @retval CUC_OK                     read; an address unknown to the driver is not a failure
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL or its struct_size is unknown, or ptr is 0
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Unified Addressing": cuPointerGetAttributes
 * @since 0.1
 */
CUC_API cuc_status cuc_memory_get_pointer_info(cuc_pointer_info *out, cuc_device_ptr ptr);

/** Modes of cuc_host_register(), with the driver's values. */
enum {
    CUC_HOST_PORTABLE = 0x1,  /**< for the contexts of every device; always on with unified
                                   addressing */
    CUC_HOST_MAPPED = 0x2,    /**< give kernels an address; always on with unified addressing */
    CUC_HOST_IO_MEMORY = 0x4, /**< the memory belongs to another device, such as a PCI BAR */
    CUC_HOST_READ_ONLY = 0x8, /**< kernels only read the memory; for memory mapped without write
                                   access */
};

/**
 * Page-lock existing host memory, so that copies run at full speed and in stream order and kernels
 * can access it.
 *
 * @thread any thread; the call may take milliseconds
 * @capture safe: asks the driver in relaxed mode
 * @param device its primary context registers the memory
 * @param host   start of the memory; it must stay allocated until cuc_host_unregister()
 * @param bytes  more than 0
 * @param flags  CUC_HOST_ bits
 * @retval CUC_OK                     registered
 * @retval CUC_ERROR_INVALID_ARGUMENT device or host is NULL, bytes is 0, or flags has an unlisted
 *                                    bit
 * @retval CUC_ERROR_NOT_SUPPORTED    the device cannot register host memory, or cannot register it
 *                                    as read-only
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory already registered
 * @source CUDA Driver API, "Memory Management": cuMemHostRegister
 * @since 0.1
 */
CUC_API cuc_status cuc_host_register(cuc_device *device, void *host, size_t bytes, uint32_t flags);

/**
 * Undo cuc_host_register().
 *
 * @order  no work that uses the memory may be in progress
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param device the device it was registered with
 * @param host   the start of the registered memory
 * @retval CUC_OK                     unregistered
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not registered
 * @source CUDA Driver API, "Memory Management": cuMemHostUnregister
 * @since 0.1
 */
CUC_API cuc_status cuc_host_unregister(cuc_device *device, void *host);

/**
 * The address that kernels use for page-locked host memory.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @param[out] out    the address; with unified addressing, usually the value of `host`
 * @param      device the device whose kernels use the address
 * @param      host   in memory of a pinned resource, or registered
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for memory that is not page-locked
 * @source CUDA Driver API, "Memory Management": cuMemHostGetDevicePointer
 * @since 0.1
 */
CUC_API cuc_status cuc_host_get_device_pointer(cuc_device_ptr *out, cuc_device *device, void *host);

CUC_END_DECLS

#endif
