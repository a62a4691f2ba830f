// Memory pools and stream-ordered allocation.
#include "shell.h"

#include "sim/machine/machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The peer access of the pool that was destroyed last. Like some drivers, this driver grants the
// same access to the pool that is created next, if it is on the same device.
static struct {
    int device;
    CUmemAccess_flags access[SIM_DEVICES];
} recycled = { .device = -1 };

static struct pool *builtin_pool(struct pool **slot, CUmemAllocationType type,
                                 CUmemLocation location)
{
    if (!*slot) {
        *slot = sim_pool_new(&(CUmemPoolProps){ .allocType = type, .location = location });
        (*slot)->head.builtin = true;
    }
    return *slot;
}

static struct pool *default_pool(int device, CUmemAllocationType type)
{
    return builtin_pool(&sim.devices[device].default_pool[type == CU_MEM_ALLOCATION_TYPE_MANAGED],
                        type, (CUmemLocation){ .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device });
}

static struct pool *current_pool(int device)
{
    struct device *d = &sim.devices[device];

    return d->pool ? d->pool : default_pool(device, CU_MEM_ALLOCATION_TYPE_PINNED);
}

static CUresult pools_of_device(CUdevice dev)
{
    if (!sim_valid_device(dev))
        return CUDA_ERROR_INVALID_DEVICE;
    return sim_attribute(dev, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED)
               ? CUDA_SUCCESS
               : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult sim_cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CUresult code = pool ? pools_of_device(dev) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *pool = SIM_HANDLE(CUmemoryPool, default_pool(dev, CU_MEM_ALLOCATION_TYPE_PINNED));
    return code;
}

CUresult sim_cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    CUresult code = pool ? pools_of_device(dev) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        *pool = SIM_HANDLE(CUmemoryPool, current_pool(dev));
    return code;
}

CUresult sim_cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    struct pool *p = sim_object(pool, KIND_POOL);
    CUresult code = pools_of_device(dev);

    if (code)
        return code;
    if (!p || p->props.location.type != CU_MEM_LOCATION_TYPE_DEVICE || p->device != dev)
        return CUDA_ERROR_INVALID_VALUE;
    sim.devices[dev].pool = p;
    return CUDA_SUCCESS;
}

// Returns the pool of a location, which is a device or the host.
static CUresult pool_of(CUmemoryPool *pool, const CUmemLocation *location, CUmemAllocationType type,
                        bool current)
{
    struct pool *p;

    if (!pool || !location)
        return CUDA_ERROR_INVALID_VALUE;
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE) {
        CUresult code = pools_of_device(location->id);
        if (code)
            return code;
        if (type != CU_MEM_ALLOCATION_TYPE_PINNED && type != CU_MEM_ALLOCATION_TYPE_MANAGED)
            return CUDA_ERROR_INVALID_VALUE;
        p = current && type == CU_MEM_ALLOCATION_TYPE_PINNED ? current_pool(location->id)
                                                             : default_pool(location->id, type);
    } else if (location->type == CU_MEM_LOCATION_TYPE_HOST &&
               type == CU_MEM_ALLOCATION_TYPE_PINNED) {
        p = builtin_pool(&sim.host_pool, type, *location);
    } else if (location->type == CU_MEM_LOCATION_TYPE_NONE &&
               type == CU_MEM_ALLOCATION_TYPE_MANAGED) {
        p = default_pool(0, type); // managed memory may have no preferred location
    } else {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *pool = SIM_HANDLE(CUmemoryPool, p);
    return CUDA_SUCCESS;
}

CUresult sim_cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location,
                                    CUmemAllocationType type)
{
    return pool_of(pool, location, type, false);
}

CUresult sim_cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type)
{
    return pool_of(pool, location, type, true);
}

CUresult sim_cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool)
{
    if (!location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        type != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    return sim_cuDeviceSetMemPool(location->id, pool);
}

CUresult sim_cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *props)
{
    if (!pool || !props)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < sizeof(props->reserved); i++)
        if (props->reserved[i])
            return CUDA_ERROR_INVALID_VALUE;
    if (props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED &&
        props->allocType != CU_MEM_ALLOCATION_TYPE_MANAGED)
        return CUDA_ERROR_INVALID_VALUE;
    switch (props->location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE: {
        CUresult code = pools_of_device(props->location.id);
        if (code)
            return code == CUDA_ERROR_INVALID_DEVICE ? CUDA_ERROR_INVALID_VALUE : code;
        unsigned handles = (unsigned)sim_attribute(
            props->location.id, CU_DEVICE_ATTRIBUTE_MEMPOOL_SUPPORTED_HANDLE_TYPES);
        if (props->handleTypes & ~handles)
            return CUDA_ERROR_NOT_SUPPORTED;
        if (props->maxSize > sim.devices[props->location.id].total)
            return CUDA_ERROR_OUT_OF_MEMORY;
        break;
    }
    case CU_MEM_LOCATION_TYPE_HOST:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
    case CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT:
        break;
    case CU_MEM_LOCATION_TYPE_NONE: // managed memory may have no preferred location
        if (props->allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
            break;
        return CUDA_ERROR_INVALID_VALUE;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct pool *p = sim_pool_new(props);
    if (props->handleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR && !sim_pool_share(p)) {
        sim_pool_end(p);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
    if (props->location.type == CU_MEM_LOCATION_TYPE_DEVICE && p->device == recycled.device)
        memcpy(p->access, recycled.access, sizeof(p->access));
    // Initially, no device can access pinned memory in a host pool.
    if (props->location.type != CU_MEM_LOCATION_TYPE_DEVICE &&
        props->allocType == CU_MEM_ALLOCATION_TYPE_PINNED)
        memset(p->access, 0, sizeof(p->access));
    recycled.device = -1;
    *pool = SIM_HANDLE(CUmemoryPool, p);
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolDestroy(CUmemoryPool pool)
{
    struct pool *p = sim_object(pool, KIND_POOL);

    if (!p || p->head.builtin || (p->imported && p->allocations))
        return CUDA_ERROR_INVALID_VALUE;
    if (p->imported && --p->imports)
        return CUDA_SUCCESS;
    recycled.device = p->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE ? p->device : -1;
    memcpy(recycled.access, p->access, sizeof(recycled.access));
    sim_pool_end(p);
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolTrimTo(CUmemoryPool pool, size_t keep_bytes)
{
    struct pool *p = sim_object(pool, KIND_POOL);

    if (!p || p->imported)
        return CUDA_ERROR_INVALID_VALUE;
    sim_pool_trim(p, keep_bytes);
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    struct pool *p = sim_object(pool, KIND_POOL);

    if (!p || !value || p->imported)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        memcpy(&p->reuse[attribute - 1], value, sizeof(int));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        memcpy(&p->threshold, value, sizeof(uint64_t));
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH: {
        uint64_t zero;
        memcpy(&zero, value, sizeof(zero));
        if (zero)
            return CUDA_ERROR_INVALID_VALUE; // it can only be reset to zero
        if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
            p->used_high = p->used;
        else
            p->reserved_high = p->reserved;
        return CUDA_SUCCESS;
    }
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult sim_cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void *value)
{
    const struct pool *p = sim_object(pool, KIND_POOL);

    if (!p || !value || p->imported || attribute < 1 || attribute > CU_MEMPOOL_ATTR_USED_MEM_HIGH)
        return CUDA_ERROR_INVALID_VALUE;
    const uint64_t *const wide[] = {
        [CU_MEMPOOL_ATTR_RELEASE_THRESHOLD] = &p->threshold,
        [CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT] = &p->reserved,
        [CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH] = &p->reserved_high,
        [CU_MEMPOOL_ATTR_USED_MEM_CURRENT] = &p->used,
        [CU_MEMPOOL_ATTR_USED_MEM_HIGH] = &p->used_high,
    };
    if (wide[attribute])
        memcpy(value, wide[attribute], sizeof(uint64_t));
    else
        memcpy(value, &p->reuse[attribute - 1], sizeof(int));
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *access, size_t count)
{
    struct pool *p = sim_object(pool, KIND_POOL);

    if (!p || (count && !access))
        return CUDA_ERROR_INVALID_VALUE;
    for (int pass = 0; pass < 2; pass++) { // validate all entries before any takes effect
        for (size_t i = 0; i < count; i++) {
            const CUmemAccessDesc *d = &access[i];
            if (d->location.type != CU_MEM_LOCATION_TYPE_DEVICE ||
                (d->flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
                 d->flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE))
                return CUDA_ERROR_INVALID_VALUE;
            if (!sim_valid_device(d->location.id))
                return CUDA_ERROR_INVALID_DEVICE;
            if (d->location.id == p->device && !d->flags &&
                p->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE)
                return CUDA_ERROR_INVALID_VALUE; // a device cannot lose access to its own memory
            if (pass)
                p->access[d->location.id] = d->flags;
        }
    }
    return CUDA_SUCCESS;
}

CUresult sim_cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool pool,
                                CUmemLocation *location)
{
    const struct pool *p = sim_object(pool, KIND_POOL);

    if (!p || !flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE ||
        !sim_valid_device(location->id))
        return CUDA_ERROR_INVALID_VALUE;
    *flags = p->access[location->id];
    return CUDA_SUCCESS;
}

// Stream-ordered memory

static CUresult allocate_from(CUdeviceptr *out, size_t bytes, struct pool *pool,
                              struct stream *stream)
{
    struct device *d = &sim.devices[pool->device];
    uint64_t used = pool->used + sim_round_up(bytes, 512);
    uint64_t reserved = sim_round_up(used, SIM_POOL_CHUNK);

    if (!out || !bytes || pool->imported)
        return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture)
        return sim_graph_allocate(stream, bytes, out);
    if (sim_capture_forbids()) // the capture of another stream forbids the call
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (pool->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE) {
        if (bytes > d->total)
            return CUDA_ERROR_OUT_OF_MEMORY;
        // Make the last chunk smaller if it does not fit.
        uint64_t most = d->total - (d->used - pool->reserved);
        if (reserved > most)
            reserved = most;
        if (used > most)
            return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (pool->props.maxSize && used > pool->props.maxSize)
        return CUDA_ERROR_OUT_OF_MEMORY;
    struct allocation *a = sim_allocate(bytes, MEMORY_POOL, pool->device);
    if (!a)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (pool->file >= 0 && !sim_pool_back(pool, a)) {
        sim_free(a, "a mapping that failed");
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    a->pool = pool;
    // Track only pinned memory of devices. All devices and the host can access other memory, which
    // the host may write unnoticed.
    if (a->shared) // another process may write to it
        (void)0;
    else if (pool->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE &&
             pool->props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED)
        sim_note_allocated(a->base, bytes);
    else
        sim_memory_own(a->base, SIM_ANY_DEVICE);
    pool->allocations++;
    pool->used = used;
    if (used > pool->used_high)
        pool->used_high = used;
    if (reserved > pool->reserved)
        sim_pool_reserve(pool, reserved);
    *out = a->base;
    return CUDA_SUCCESS;
}

CUresult sim_cuMemAllocAsync(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code)
        code = pools_of_device(s->head.context->device);
    return code ? code : allocate_from(ptr, bytes, current_pool(s->head.context->device), s);
}

CUresult sim_cuMemAllocFromPoolAsync(CUdeviceptr *ptr, size_t bytes, CUmemoryPool pool,
                                     CUstream stream)
{
    struct pool *p = sim_object(pool, KIND_POOL);
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code && (!p || !p->access[s->head.context->device]))
        code = CUDA_ERROR_INVALID_VALUE;
    return code ? code : allocate_from(ptr, bytes, p, s);
}

CUresult sim_cuMemFreeAsync(CUdeviceptr ptr, CUstream stream)
{
    struct allocation *a = sim_find(ptr);
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code && !s->capture && sim_capture_forbids()) // the capture of another stream forbids the
                                                       // call
        code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (code || !ptr)
        return code;
    if (!a || a->base != ptr || a->freeing || a->memory != MEMORY_POOL)
        return CUDA_ERROR_INVALID_VALUE;
    if (a->graph)
        return sim_graph_free(s, a);
    if (s->capture)
        return CUDA_ERROR_INVALID_VALUE; // a graph can free only graph memory
    a->freeing = true;
    return sim_submit(s, &(struct work){ .op = OP_FREE, .allocation = a });
}
