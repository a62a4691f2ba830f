// Virtual-memory resources and their growing buffers.
#include "virtual.h"

#include "base/options.h"
#include "driver/relaxed.h"

#include <inttypes.h>
#include <stdlib.h>

void cuc_memory_virtual_options_init(cuc_memory_virtual_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

static cuc_status virtual_allocate(cuc_memory_resource *resource, CUdeviceptr *out, size_t bytes,
                                   cuc_stream *stream, const char *function)
{
    struct cuc__virtual *v = resource->virtual_memory;
    struct cuc__region *r = NULL;

    (void)stream; // every stream can use the memory at once
    cuc_status st = cuc__virtual_check_size(v, bytes, function);
    if (st < 0)
        return st;
    if (cuc__driver_forked())
        return cuc__fail_driver(NULL, CUC__CU_FORKED, function, "cuMemAddressReserve", "-");
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    pthread_mutex_lock(&v->lock);
    st = cuc__region_begin(&r, v, bytes, function);
    if (st >= 0 && (st = cuc__region_add(v, r, cuc__virtual_round(bytes, v->grain), function)) < 0)
        (void)cuc__region_end(r, NULL);
    if (st >= 0) {
        cuc__region_enter(v, r);
        *out = r->base;
    }
    pthread_mutex_unlock(&v->lock);
    cuc__leave_relaxed_mode(mode);
    return st;
}

static cuc_status virtual_deallocate(cuc_memory_resource *resource, CUdeviceptr ptr, size_t bytes,
                                     cuc_stream *stream, const char *function)
{
    struct cuc__virtual *v = resource->virtual_memory;
    struct cuc__region *gone = NULL;
    cuc_status st = CUC_OK;

    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return function ? cuc__fail_driver(NULL, CUC__CU_FORKED, function, "cuMemUnmap", "-")
                        : CUC_ERROR_FORKED;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    if (stream) // unmapping does not wait for the stream's work
        st = cuc__memory_wait(stream, ptr, function);
    if (st >= 0) {
        pthread_mutex_lock(&v->lock);
        struct cuc__region **at = cuc__region_find(v, ptr);
        if (!*at) {
            st = CUC_ERROR_INVALID_ARGUMENT;
            if (function)
                (void)cuc__fail(st, function, "0x%llx (%zu bytes) is not memory of this resource",
                                (unsigned long long)ptr, bytes);
        } else if (--(*at)->users == 0) {
            gone = *at;
            *at = gone->next;
        }
        if (gone)
            st = cuc__region_end(gone, function);
        pthread_mutex_unlock(&v->lock);
    }
    cuc__leave_relaxed_mode(mode);
    return st;
}

static void virtual_destroy(cuc_memory_resource *resource)
{
    struct cuc__virtual *v = resource->virtual_memory;

    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    while (v->regions) { // regions that their users never freed
        struct cuc__region *r = v->regions;
        v->regions = r->next;
        (void)cuc__region_end(r, NULL);
    }
    cuc__leave_relaxed_mode(mode);
    pthread_mutex_destroy(&v->lock);
    free(v);
}

static const struct cuc__memory_ops virtual_ops = {
    .allocate = virtual_allocate,
    .deallocate = virtual_deallocate,
    .destroy = virtual_destroy,
};

static cuc_status need(cuc_device *device, int attribute, const char *what, const char *function)
{
    int can = 0;
    int code = cuc__cu.cuDeviceGetAttribute(&can, (CUdevice_attribute)attribute, device->handle);

    if (code)
        return cuc__fail_driver(NULL, code, function, "cuDeviceGetAttribute",
                                "asking whether device %d has %s", device->ordinal, what);
    return can ? CUC_OK
               : cuc__fail(CUC_ERROR_NOT_SUPPORTED, function, "device %d (%s) has no %s",
                           device->ordinal, device->name, what);
}

static cuc_status check_peer(const cuc_device *device, cuc_device *peer, size_t index,
                             const char *function)
{
    int can = 0;

    if (!cuc__handle_is_valid(peer, CUC__HANDLE_DEVICE))
        return cuc__fail_handle(peer, CUC__HANDLE_DEVICE, function, "options->peers");
    if (peer == device)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "options->peers[%zu] is device %d, which owns the memory: list only other devices",
            index, peer->ordinal);
    int code = cuc__cu.cuDeviceCanAccessPeer(&can, peer->handle, device->handle);
    if (code)
        return cuc__fail_driver(NULL, code, function, "cuDeviceCanAccessPeer",
                                "asking whether device %d reaches device %d", peer->ordinal,
                                device->ordinal);
    return can ? CUC_OK
               : cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                           "options->peers[%zu], device %d, cannot access the memory of device %d",
                           index, peer->ordinal, device->ordinal);
}

static cuc_status read_options(cuc_memory_virtual_options *o,
                               const cuc_memory_virtual_options *given, cuc_device *device,
                               const char *function)
{
    const uint32_t known = CUC_MEMORY_VIRTUAL_READ_ONLY | CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY |
                           CUC_MEMORY_VIRTUAL_RDMA | CUC_MEMORY_VIRTUAL_FINE |
                           CUC_MEMORY_VIRTUAL_IPC;
    cuc_status st = cuc__read_options(o, sizeof(*o), given, "cuc_memory_virtual_options", function);

    if (st < 0 || (st = cuc__check_bits("options->flags", o->flags, known, o->reserved,
                                        "CUC_MEMORY_VIRTUAL_ bits (0x1f)", function)) < 0)
        return st;
    if (o->align & (o->align - 1))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options->align is %" PRIu64 ", expected a power of two, or 0", o->align);
    if (o->location.type < CUC_LOCATION_NONE || o->location.type > CUC_LOCATION_HOST_NUMA_CURRENT ||
        (o->location.type == CUC_LOCATION_DEVICE && o->location.id != device->ordinal))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options->location is of type %d with id %d, expected CUC_LOCATION_NONE "
                         "(0) for device %d, or a location of the host",
                         o->location.type, o->location.id, device->ordinal);
    if (o->peer_count && !o->peers)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options->peers is NULL and peer_count %zu", o->peer_count);
    for (size_t i = 0; i < o->peer_count && st >= 0; i++)
        st = check_peer(device, o->peers[i], i, function);
    if (st >= 0)
        st = need(device, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
                  "virtual memory management", function);
    if (st >= 0 && o->flags & CUC_MEMORY_VIRTUAL_RDMA)
        st = need(device, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                  "RDMA with virtual memory", function);
    return st;
}

// Lists which devices may access the memory, whether the host may, and how.
static void grant(struct cuc__virtual *v, const cuc_memory_virtual_options *o,
                  const cuc_device *device)
{
    const CUmemAccess_flags read = CU_MEM_ACCESS_FLAGS_PROT_READ,
                            all = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    CUmemAccessDesc *a = v->access;

    *a++ = (CUmemAccessDesc){ { CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal },
                              o->flags & CUC_MEMORY_VIRTUAL_READ_ONLY ? read : all };
    for (size_t i = 0; i < o->peer_count; i++)
        *a++ = (CUmemAccessDesc){ { CU_MEM_LOCATION_TYPE_DEVICE, o->peers[i]->ordinal },
                                  o->flags & CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY ? read : all };
    if (v->prop.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
        *a++ = (CUmemAccessDesc){ v->prop.location, all };
    v->access_count = (size_t)(a - v->access);
}

cuc_status cuc_memory_virtual_create(cuc_memory_resource **out, cuc_device *device,
                                     const cuc_memory_virtual_options *options)
{
    cuc_memory_virtual_options o;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = read_options(&o, options, device, __func__);
    if (st < 0)
        return st;
    const bool on_device = o.location.type <= CUC_LOCATION_DEVICE;
    struct cuc__virtual *v = calloc(1, sizeof(*v) + (o.peer_count + 2) * sizeof(v->access[0]));
    if (!v)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a resource of virtual memory");
    cuc_memory_resource *r = cuc__memory_resource_new(
        &virtual_ops, device, on_device ? CUC_MEMORY_DEVICE : CUC_MEMORY_PINNED, __func__);
    if (!r) {
        free(v);
        return CUC_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_init(&v->lock, NULL);
    v->reserve = o.reserve_bytes;
    v->align = o.align;
    v->prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    v->prop.location.type = on_device ? CU_MEM_LOCATION_TYPE_DEVICE
                                      : (CUmemLocationType)o.location.type;
    v->prop.location.id = on_device ? device->ordinal : o.location.id;
    v->prop.requestedHandleTypes =
        o.flags & CUC_MEMORY_VIRTUAL_IPC ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0;
    v->prop.allocFlags.gpuDirectRDMACapable = (o.flags & CUC_MEMORY_VIRTUAL_RDMA) != 0;
    grant(v, &o, device);
    r->virtual_memory = v;
    int code = cuc__cu.cuMemGetAllocationGranularity(&v->grain, &v->prop,
                                                     o.flags & CUC_MEMORY_VIRTUAL_FINE
                                                         ? CU_MEM_ALLOC_GRANULARITY_MINIMUM
                                                         : CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    if (code) {
        st = CUC_FAIL_CU(NULL, code, "cuMemGetAllocationGranularity",
                         "asking for the granularity of virtual memory on device %d",
                         device->ordinal);
        cuc_memory_resource_release(r);
        return st;
    }
    *out = r;
    return CUC_OK;
}

cuc_status cuc_memory_get_granularity(size_t *out, cuc_memory_resource *resource)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(resource, MEMORY_RESOURCE);
    if (!resource->virtual_memory)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "the resource is not from cuc_memory_virtual_create()");
    *out = resource->virtual_memory->grain;
    return CUC_OK;
}

// Adds a user to a region and extends the region to `bytes`. If the reserved addresses do not
// suffice, a new region shares the pieces of the old one. Writes the region's base address to *out.
static cuc_status resize(CUdeviceptr *out, struct cuc__virtual *v, CUdeviceptr ptr, size_t bytes,
                         const char *function)
{
    struct cuc__region *r = *cuc__region_find(v, ptr), *moved = NULL;
    cuc_status st = CUC_OK;

    if (!r)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the buffer's address 0x%llx is not one that its resource has allocated",
                         (unsigned long long)ptr);
    const size_t wanted = cuc__virtual_round(bytes, v->grain);
    if (wanted > r->reserved) {
        if ((st = cuc__region_begin(&moved, v, wanted, function)) < 0)
            return st;
        for (size_t i = 0; i < r->count && st >= 0; i++)
            st = cuc__region_map(v, moved, r->pieces[i], function);
        if (st >= 0)
            st = cuc__region_add(v, moved, wanted - moved->mapped, function);
        if (st < 0) {
            (void)cuc__region_end(moved, NULL);
            return st;
        }
        cuc__region_enter(v, moved);
        *out = moved->base;
        return CUC_OK;
    }
    if (wanted > r->mapped && (st = cuc__region_add(v, r, wanted - r->mapped, function)) < 0)
        return st;
    r->users++;
    *out = r->base;
    return CUC_OK;
}

cuc_status cuc__virtual_check_whole(const cuc_buffer *buffer, const char *function)
{
    return buffer->parent || !buffer->ptr || !buffer->resource || !buffer->resource->virtual_memory
               ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                           "the buffer is %s, expected a whole one of cuc_memory_virtual_create()",
                           buffer->parent ? "a slice"
                           : !buffer->ptr ? "empty"
                                          : "of another resource")
               : CUC_OK;
}

cuc_status cuc__virtual_wrap(cuc_buffer **out, cuc_memory_resource *resource, CUdeviceptr ptr,
                             size_t bytes, cuc_stream *stream, const char *function)
{
    cuc_buffer_options options = CUC_BUFFER_OPTIONS_INIT;

    options.resource = resource;
    options.stream = stream;
    cuc_status st = cuc_buffer_from_pointer(out, ptr, bytes, &options);
    if (st < 0)
        (void)virtual_deallocate(resource, ptr, bytes, NULL, NULL);
    return cuc__pass(st, function);
}

cuc_status cuc_buffer_grow(cuc_buffer **out, cuc_buffer *buffer, size_t bytes)
{
    CUdeviceptr ptr = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(buffer, BUFFER);
    if (!bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "bytes is 0, expected the buffer's new size");
    cuc_status st = cuc__virtual_check_whole(buffer, __func__);
    if (st < 0)
        return st;
    struct cuc__virtual *v = buffer->resource->virtual_memory;
    if ((st = cuc__virtual_check_size(v, bytes, __func__)) < 0)
        return st;
    if (cuc__driver_forked())
        return CUC_FAIL_CU(NULL, CUC__CU_FORKED, "cuMemCreate", "-");
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    pthread_mutex_lock(&v->lock);
    st = resize(&ptr, v, buffer->ptr, bytes, __func__);
    pthread_mutex_unlock(&v->lock);
    cuc__leave_relaxed_mode(mode);
    if (st < 0)
        return st;
    return cuc__virtual_wrap(out, buffer->resource, ptr, bytes, buffer->stream, __func__);
}
