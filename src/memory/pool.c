#include "pool.h"

#include "base/options.h"
#include "driver/relaxed.h"

#include <inttypes.h>

// Queries on pools use relaxed mode (relaxed.h): otherwise they would invalidate an active capture,
// although they are not part of it. Allocating and freeing are stream-ordered and can be captured.

void cuc_memory_pool_options_init(cuc_memory_pool_options *options, size_t size)
{
    cuc__init_options(options, size);
}

// Makes the context current for a default stream, whose handle means a stream of the current
// context. For any other stream, the driver finds the context itself.
static inline cuc_status enter(const cuc_stream *stream, bool *pushed, const char *function)
{
    *pushed = false;
    return stream->is_default ? cuc__memory_enter(stream->context, pushed, function) : CUC_OK;
}

static inline cuc_status leave(const cuc_stream *stream, bool pushed, cuc_status status,
                               const char *function)
{
    return pushed ? cuc__memory_leave(stream->context, pushed, status, function) : status;
}

static cuc_status pool_allocate(cuc_memory_resource *resource, CUdeviceptr *out, size_t bytes,
                                cuc_stream *stream, const char *function)
{
    cuc_context *context = stream->context;
    CUdeviceptr ptr = 0;
    bool pushed;

    cuc_status st = enter(stream, &pushed, function);
    if (st < 0)
        return st;
    int code = cuc__cu.cuMemAllocFromPoolAsync(&ptr, bytes, resource->pool, stream->handle);
    if (code)
        st = cuc__fail_driver(context, code, function, "cuMemAllocFromPoolAsync",
                              "allocating %zu bytes of %s memory from a pool of device %d", bytes,
                              cuc_memory_kind_name(resource->kind), resource->device->ordinal);
    st = leave(stream, pushed, st, function);
    if (st < 0) {
        if (ptr)
            CUC_CLEANUP(context, cuMemFreeAsync, (void *)(uintptr_t)ptr, ptr, stream->handle);
        return st;
    }
    *out = ptr;
    return CUC_OK;
}

static int free_async(const cuc_memory_resource *resource, CUdeviceptr ptr, cuc_stream *stream)
{
    return resource->imported ? cuc__ipc_free(ptr, stream)
                              : cuc__cu.cuMemFreeAsync(ptr, stream->handle);
}

static bool is_capturing(const cuc_stream *stream)
{
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;

    return !cuc__cu.cuStreamIsCapturing(stream->handle, &capture) &&
           capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

// Explains a failed free. A captured stream may free only its graph's memory; for other memory the
// driver reports only an invalid value.
static cuc_status free_failed(const cuc_stream *stream, int code, bool captured, CUdeviceptr ptr,
                              size_t bytes, const char *function)
{
    if (!captured)
        return cuc__memory_free_failed(stream->context, code, "cuMemFreeAsync", ptr, bytes,
                                       function);
    if (function)
        return cuc__fail(CUC_ERROR_BUSY, function,
                         "stream %p is being captured, and 0x%" PRIx64 " is not memory of its "
                         "graph: free it after the capture, or on another stream",
                         (void *)stream->handle, ptr);
    return CUC_ERROR_BUSY;
}

// Handles a failed free. The driver also refuses a free on a captured stream. Before cucore can ask
// about the capture, another thread may have ended it, so try again.
static cuc_status __attribute__((cold, noinline))
free_again(const cuc_memory_resource *resource, int code, CUdeviceptr ptr, size_t bytes,
           cuc_stream *stream, const char *function)
{
    enum { MOST_ATTEMPTS = 4 };
    bool captured = false;

    for (int left = MOST_ATTEMPTS; code == CUDA_ERROR_INVALID_VALUE;
         code = free_async(resource, ptr, stream)) {
        captured = is_capturing(stream);
        if (captured || !--left)
            break;
    }
    return code ? free_failed(stream, code, captured, ptr, bytes, function) : CUC_OK;
}

static cuc_status pool_deallocate(cuc_memory_resource *resource, CUdeviceptr ptr, size_t bytes,
                                  cuc_stream *stream, const char *function)
{
    bool pushed;

    cuc_status st = enter(stream, &pushed, function);
    if (st < 0)
        return st;
    int code = free_async(resource, ptr, stream);
    if (code)
        st = free_again(resource, code, ptr, bytes, stream, function);
    return leave(stream, pushed, st, function);
}

static CUmemAllocationType type_of(int32_t kind)
{
    return kind == CUC_MEMORY_MANAGED ? CU_MEM_ALLOCATION_TYPE_MANAGED
                                      : CU_MEM_ALLOCATION_TYPE_PINNED;
}

// Returns true for a pool that has never held memory. A high-water mark of 0 shows this; cucore
// sets `used` when it resets the mark.
static bool is_unused(const cuc_memory_resource *resource)
{
    uint64_t most = 1;

    return !resource->used && !resource->imported &&
           !cuc__cu.cuMemPoolGetAttribute(resource->pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
                                          &most) &&
           !most;
}

// If this pool is the device's current one, resets the current pool, as the driver does when it
// destroys a pool.
static void make_no_longer_current(const cuc_memory_resource *resource)
{
    CUmemLocation location = resource->location;
    CUmemAllocationType type = type_of(resource->kind);
    CUmemoryPool pool = NULL;

    if (resource->kind == CUC_MEMORY_DEVICE) {
        const CUdevice device = resource->device->handle;
        if (!cuc__cu.cuDeviceGetMemPool(&pool, device) && pool == resource->pool &&
            !cuc__cu.cuDeviceGetDefaultMemPool(&pool, device))
            (void)cuc__cu.cuDeviceSetMemPool(device, pool);
    } else if (cuc__driver_version() >= 13000 && !cuc__cu.cuMemGetMemPool(&pool, &location, type) &&
               pool == resource->pool && !cuc__cu.cuMemGetDefaultMemPool(&pool, &location, type)) {
        (void)cuc__cu.cuMemSetMemPool(&location, type, pool);
    }
}

static void pool_destroy(cuc_memory_resource *resource)
{
    if (resource->owned) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        if (is_unused(resource)) {
            CUC_CLEANUP(NULL, cuMemPoolDestroy, (void *)resource->pool, resource->pool);
        } else {
            if (!resource->imported)
                make_no_longer_current(resource);
            cuc__pool_recycle(resource->pool,
                              resource->changed || resource->imported ? NULL : &resource->props,
                              resource->imported);
        }
        cuc__leave_relaxed_mode(mode);
    }
    if (resource->drop_owner)
        resource->drop_owner(resource->owner);
}

static const struct cuc__memory_ops pool_ops = {
    .allocate = pool_allocate,
    .deallocate = pool_deallocate,
    .destroy = pool_destroy,
    .needs_stream = true,
};

static cuc_status check_pools(const cuc_device *device, const char *function)
{
    if (device->limits.memory_pools)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                     "device %d (%s) has no memory pools: use cuc_memory_synchronous_create()",
                     device->ordinal, device->name);
}

// Withdraws the peers' access to a new pool. The driver may reuse the handle of a destroyed pool
// together with the access that its peers had.
static cuc_status close_to_peers(CUmemoryPool pool, int32_t kind, const cuc_device *device,
                                 const char *function)
{
    cuc_status st = CUC_OK;

    for (int i = 0; st >= 0 && kind == CUC_MEMORY_DEVICE && i < cuc__device_count(); i++) {
        CUmemLocation location = { CU_MEM_LOCATION_TYPE_DEVICE, i };
        CUmemAccess_flags flags = 0;
        cuc_device *peer;
        int code = 0;
        if (i != device->ordinal)
            CUC_RELAXED(code, cuc__cu.cuMemPoolGetAccess(&flags, pool, &location));
        if (code)
            return cuc__fail_driver(NULL, code, function, "cuMemPoolGetAccess",
                                    "asking for the access of device %d to a new pool", i);
        if (flags && (st = cuc_device_get(&peer, i)) >= 0)
            st = cuc__memory_pool_set_access(pool, peer, CUC_ACCESS_NONE, function);
    }
    return st;
}

// Gives the device access to a new pool of host memory, which no device can access at first.
static cuc_status open_to_device(CUmemoryPool pool, int32_t kind, const cuc_device *device,
                                 const char *function)
{
    CUmemLocation location = { CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal };
    CUmemAccess_flags flags = 0;
    int code;

    if (kind != CUC_MEMORY_PINNED)
        return CUC_OK;
    CUC_RELAXED(code, cuc__cu.cuMemPoolGetAccess(&flags, pool, &location));
    if (!code && flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
        return CUC_OK;
    return cuc__memory_pool_set_access(pool, device, CUC_ACCESS_READ_WRITE, function);
}

static cuc_status set_threshold(CUmemoryPool pool, uint64_t value, const char *function)
{
    int code;

    CUC_RELAXED(code,
                cuc__cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &value));
    return !code ? CUC_OK
                 : cuc__fail_driver(NULL, code, function, "cuMemPoolSetAttribute",
                                    "setting the release threshold of a memory pool to %" PRIu64
                                    " bytes",
                                    value);
}

cuc_memory_resource *cuc__memory_pool_wrap(CUmemoryPool pool, cuc_device *device, int32_t kind,
                                           CUmemLocation location, const char *function)
{
    cuc_memory_resource *r = cuc__memory_resource_new(&pool_ops, device, kind, function);

    if (r) {
        r->pool = pool;
        r->location = location;
    }
    return r;
}

// Determines the location of a new pool's memory from the options. Refuses inconsistent options.
static cuc_status place(CUmemLocation *out, const cuc_memory_pool_options *o,
                        const cuc_device *device, const char *function)
{
    static const uint32_t allowed[] = {
        [CUC_MEMORY_DEVICE] = 1u << CUC_LOCATION_NONE,
        [CUC_MEMORY_PINNED] = 1u << CUC_LOCATION_NONE | 1u << CUC_LOCATION_HOST |
                              1u << CUC_LOCATION_HOST_NUMA,
        [CUC_MEMORY_MANAGED] = 1u << CUC_LOCATION_NONE | 1u << CUC_LOCATION_DEVICE |
                               1u << CUC_LOCATION_HOST | 1u << CUC_LOCATION_HOST_NUMA,
    };
    int32_t type = o->location.type;

    if (type < 0 || type > CUC_LOCATION_HOST_NUMA || !(allowed[o->kind] >> type & 1))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "location.type is %d, invalid for a pool of %s memory: %s", type,
                         cuc_memory_kind_name(o->kind),
                         o->kind == CUC_MEMORY_DEVICE
                             ? "leave it CUC_LOCATION_NONE, for the given device"
                         : o->kind == CUC_MEMORY_PINNED
                             ? "expected CUC_LOCATION_NONE, _HOST or _HOST_NUMA"
                             : "expected CUC_LOCATION_NONE, _DEVICE, _HOST or _HOST_NUMA");
    *out = (CUmemLocation){ (CUmemLocationType)type, o->location.id };
    if (o->kind == CUC_MEMORY_DEVICE)
        *out = (CUmemLocation){ CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal };
    else if (o->kind == CUC_MEMORY_PINNED && type == CUC_LOCATION_NONE)
        *out = (CUmemLocation){ CU_MEM_LOCATION_TYPE_HOST, 0 };
    return CUC_OK;
}

cuc_status cuc_memory_pool_create(cuc_memory_resource **out, cuc_device *device,
                                  const cuc_memory_pool_options *options)
{
    cuc_memory_pool_options o;
    CUmemPoolProps props = { 0 };
    CUmemoryPool pool = NULL;
    cuc_context *context;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_memory_pool_options)) < 0 ||
        (st = cuc__memory_check_kind(o.kind, __func__)) < 0 ||
        (st = cuc__check_bits(
             "flags", o.flags, CUC_MEMORY_POOL_HW_DECOMPRESS | CUC_MEMORY_POOL_IPC, 0,
             "CUC_MEMORY_POOL_HW_DECOMPRESS (0x1) and CUC_MEMORY_POOL_IPC (0x2)", __func__)) < 0 ||
        (st = place(&props.location, &o, device, __func__)) < 0 ||
        (st = check_pools(device, __func__)) < 0)
        return st;
    if (o.kind == CUC_MEMORY_MANAGED && cuc__driver_version() < 13000)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED,
                        "this driver (CUDA %d.%d) has no pools of managed memory, which need CUDA "
                        "13.0: use cuc_memory_synchronous_create()",
                        cuc__driver_version() / 1000, cuc__driver_version() % 1000 / 10);
    if ((st = cuc__device_primary(&context, device, __func__)) < 0)
        return st;
    props.allocType = type_of(o.kind);
    props.maxSize = o.max_bytes;
    props.usage = o.flags & CUC_MEMORY_POOL_HW_DECOMPRESS ? CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS
                                                          : 0;
    if (o.flags & CUC_MEMORY_POOL_IPC)
        props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    int code = 0;
    pool = cuc__pool_reuse(&props);
    const bool woken = pool;
    if (!woken)
        CUC_RELAXED(code, cuc__cu.cuMemPoolCreate(&pool, &props));
    if (code)
        return CUC_FAIL_CU(context, code, "cuMemPoolCreate",
                           "creating a pool of %s memory for device %d, at most %" PRIu64
                           " bytes (0: no limit), location %d of type %d",
                           cuc_memory_kind_name(o.kind), device->ordinal, o.max_bytes,
                           o.location.id, o.location.type);
    if (o.release_threshold)
        st = set_threshold(pool, o.release_threshold, __func__);
    if (st >= 0)
        st = close_to_peers(pool, o.kind, device, __func__);
    if (st >= 0)
        st = open_to_device(pool, o.kind, device, __func__);
    cuc_memory_resource *r =
        st >= 0 ? cuc__memory_pool_wrap(pool, device, o.kind, props.location, __func__) : NULL;
    if (!r) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        if (woken)
            cuc__pool_recycle(pool, &props, false);
        else
            CUC_CLEANUP(context, cuMemPoolDestroy, (void *)pool, pool);
        cuc__leave_relaxed_mode(mode);
        return st < 0 ? st : CUC_ERROR_OUT_OF_MEMORY;
    }
    r->owned = true;
    r->used = woken;
    r->props = props;
    *out = r;
    return CUC_OK;
}

// Returns the location by which the driver identifies its own pool of a kind.
static CUmemLocation place_of_driver(int32_t kind, const cuc_device *device)
{
    switch (kind) {
    case CUC_MEMORY_DEVICE:
        return (CUmemLocation){ CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal };
    case CUC_MEMORY_PINNED:
        return (CUmemLocation){ CU_MEM_LOCATION_TYPE_HOST, 0 };
    default:
        return (CUmemLocation){ CU_MEM_LOCATION_TYPE_NONE, 0 };
    }
}

// Queries the driver for one of its own pools. `call` receives the query's name for messages.
static int query_pool(CUmemoryPool *pool, const char **call, int32_t kind, bool current,
                      const cuc_device *device)
{
    CUmemLocation place = place_of_driver(kind, device);
    int code;

    if (kind == CUC_MEMORY_DEVICE && current) {
        *call = "cuDeviceGetMemPool";
        CUC_RELAXED(code, cuc__cu.cuDeviceGetMemPool(pool, device->handle));
    } else if (kind == CUC_MEMORY_DEVICE) {
        *call = "cuDeviceGetDefaultMemPool";
        CUC_RELAXED(code, cuc__cu.cuDeviceGetDefaultMemPool(pool, device->handle));
    } else if (current) {
        *call = "cuMemGetMemPool";
        CUC_RELAXED(code, cuc__cu.cuMemGetMemPool(pool, &place, type_of(kind)));
    } else {
        *call = "cuMemGetDefaultMemPool";
        CUC_RELAXED(code, cuc__cu.cuMemGetDefaultMemPool(pool, &place, type_of(kind)));
    }
    return code;
}

cuc_status cuc__memory_pool_of_driver(cuc_memory_resource **out, cuc_device *device, int32_t kind,
                                      bool current, const char *function)
{
    const char *call;
    CUmemoryPool pool = NULL;
    uint64_t threshold = 0;
    int code;

    cuc_status st = check_pools(device, function);
    if (st < 0)
        return st;
    code = query_pool(&pool, &call, kind, current, device);
    if (code)
        return cuc__fail_driver(NULL, code, function, call,
                                "asking for the driver's pool of %s memory for device %d",
                                cuc_memory_kind_name(kind), device->ordinal);
    CUC_RELAXED(code,
                cuc__cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
    if (code)
        return cuc__fail_driver(NULL, code, function, "cuMemPoolGetAttribute",
                                "asking for the release threshold of the driver's pool");
    if (!threshold)
        st = set_threshold(pool, CUC_MEMORY_POOL_KEEP_ALL, function);
    if (st >= 0)
        st = open_to_device(pool, kind, device, function);
    if (st < 0)
        return st;
    cuc_memory_resource *r =
        cuc__memory_pool_wrap(pool, device, kind, place_of_driver(kind, device), function);
    if (!r)
        return CUC_ERROR_OUT_OF_MEMORY;
    *out = r;
    return CUC_OK;
}

cuc_status cuc_memory_pool_get_current(cuc_memory_resource **out, cuc_device *device, int32_t kind)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__memory_check_kind(kind, __func__);
    return st < 0 ? st : cuc__memory_pool_of_driver(out, device, kind, true, __func__);
}

cuc_status cuc_memory_pool_get_default(cuc_memory_resource **out, cuc_device *device, int32_t kind)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__memory_check_kind(kind, __func__);
    return st < 0 ? st : cuc__memory_pool_of_driver(out, device, kind, false, __func__);
}

cuc_status cuc_memory_pool_from_handle(cuc_memory_resource **out, cuc_device *device, int32_t kind,
                                       void *pool, void *owner, void (*drop_owner)(void *owner))
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__memory_check_kind(kind, __func__);
    if (st < 0)
        return st;
    CUC_CHECK_NOT_NULL(pool);
    cuc_memory_resource *r =
        cuc__memory_pool_wrap(pool, device, kind, place_of_driver(kind, device), __func__);
    if (!r)
        return CUC_ERROR_OUT_OF_MEMORY;
    r->owner = owner;
    r->drop_owner = drop_owner;
    *out = r;
    return CUC_OK;
}

void *cuc_memory_pool_handle(const cuc_memory_resource *pool)
{
    return pool ? (void *)pool->pool : NULL;
}

cuc_status cuc__memory_pool_check(const cuc_memory_resource *pool, const char *function)
{
    if (!cuc__handle_is_valid(pool, CUC__HANDLE_MEMORY_RESOURCE))
        return cuc__fail_handle(pool, CUC__HANDLE_MEMORY_RESOURCE, function, "pool");
    if (!pool->pool)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the memory resource is %s, expected a pool: see "
                         "cuc_memory_resource_is_pool()",
                         pool->kind == CUC_MEMORY_CUSTOM ? "user-defined" : "synchronous");
    return CUC_OK;
}

cuc_status cuc_memory_pool_make_current(cuc_memory_resource *pool)
{
    cuc_status st = cuc__memory_pool_check(pool, __func__);
    if (st < 0)
        return st;
    bool of_device = pool->kind == CUC_MEMORY_DEVICE;
    CUmemLocation location = pool->location;
    int code;
    CUC_RELAXED(code, of_device
                          ? cuc__cu.cuDeviceSetMemPool(pool->device->handle, pool->pool)
                          : cuc__cu.cuMemSetMemPool(&location, type_of(pool->kind), pool->pool));
    return !code ? CUC_OK
                 : CUC_FAIL_CU(NULL, code, of_device ? "cuDeviceSetMemPool" : "cuMemSetMemPool",
                               "making a pool of %s memory the current one of device %d",
                               cuc_memory_kind_name(pool->kind), pool->device->ordinal);
}
