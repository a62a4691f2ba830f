// Resources of virtual memory. A region is reserved addresses with pieces of memory behind the
// first of them; buffers that were grown share regions, and regions share pieces. Nothing of it is
// of a context, so none is entered.
#include <cucore/virtual.h>

#include "buffer.h"
#include "memory_resource.h"
#include "options.h"
#include "relaxed.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct piece {
    CUmemGenericAllocationHandle handle;
    size_t bytes;
    int refs; // regions that it is mapped in
};

struct region {
    struct region *next;
    CUdeviceptr base;
    size_t reserved, mapped;
    size_t users; // buffers, or addresses that were given out
    struct piece **pieces;
    size_t count;
};

struct cuc__virtual {
    pthread_mutex_t lock; // guards the regions, and what they have
    struct region *regions;
    size_t grain;
    uint64_t reserve, align;
    CUmemAllocationProp prop;
    size_t access_count;
    CUmemAccessDesc access[];
};

void cuc_memory_virtual_options_init(cuc_memory_virtual_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

// A failure in words, or with no `function` to the process-wide handler.
static cuc_status failed(int code, const char *call, CUdeviceptr ptr, size_t bytes,
                         const char *function)
{
    if (function)
        return cuc__fail_driver(NULL, code, function, call, "%zu bytes of virtual memory at 0x%llx",
                                bytes, (unsigned long long)ptr);
    cuc__driver_cleanup_failed(NULL, code, call, (void *)(uintptr_t)ptr);
    return CUC_ERROR_DRIVER;
}

static size_t round_up(uint64_t bytes, size_t to)
{
    return (size_t)((bytes + to - 1) / to * to);
}

// Pieces and regions; with the lock.

static void drop_piece(struct piece *p)
{
    if (--p->refs)
        return;
    int code = cuc__cu.cuMemRelease(p->handle);
    if (code)
        (void)failed(code, "cuMemRelease", 0, p->bytes, NULL);
    free(p);
}

// Put a piece behind the next addresses of a region. On failure nothing has changed.
static cuc_status map(const struct cuc__virtual *v, struct region *r, struct piece *p,
                      const char *function)
{
    const CUdeviceptr at = r->base + r->mapped;

    struct piece **grown = realloc(r->pieces, (r->count + 1) * sizeof(struct piece *));
    if (!grown)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a piece of virtual memory");
    r->pieces = grown;
    int code = cuc__cu.cuMemMap(at, p->bytes, 0, p->handle, 0);
    if (code)
        return failed(code, "cuMemMap", at, p->bytes, function);
    code = cuc__cu.cuMemSetAccess(at, p->bytes, v->access, v->access_count);
    if (code) {
        cuc_status st = failed(code, "cuMemSetAccess", at, p->bytes, function);
        code = cuc__cu.cuMemUnmap(at, p->bytes);
        if (code)
            (void)failed(code, "cuMemUnmap", at, p->bytes, NULL);
        return st;
    }
    r->pieces[r->count++] = p;
    r->mapped += p->bytes;
    p->refs++;
    return CUC_OK;
}

// Map memory that nothing else has a hold of; it goes with its last mapping, or now.
static cuc_status take(const struct cuc__virtual *v, struct region *r, struct piece *p,
                       const char *function)
{
    p->refs = 1;
    cuc_status st = map(v, r, p, function);
    drop_piece(p);
    return st;
}

// Memory that is nowhere yet, and map it.
static cuc_status add(const struct cuc__virtual *v, struct region *r, size_t bytes,
                      const char *function)
{
    struct piece *p = calloc(1, sizeof(*p));

    if (!p)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a piece of virtual memory");
    int code = cuc__cu.cuMemCreate(&p->handle, bytes, &v->prop, 0);
    if (code) {
        free(p);
        return failed(code, "cuMemCreate", r->base + r->mapped, bytes, function);
    }
    p->bytes = bytes;
    return take(v, r, p, function);
}

// Another process's memory, and map it.
static cuc_status add_imported(const struct cuc__virtual *v, struct region *r,
                               const cuc_memory_piece *given, const char *function)
{
    struct piece *p = calloc(1, sizeof(*p));

    if (!p)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a piece of virtual memory");
    int code = cuc__cu.cuMemImportFromShareableHandle(&p->handle, (void *)(intptr_t)given->fd,
                                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (code) {
        free(p);
        return cuc__fail_driver(NULL, code, function, "cuMemImportFromShareableHandle",
                                "having %llu bytes of another process by file descriptor %d",
                                (unsigned long long)given->bytes, given->fd);
    }
    p->bytes = (size_t)given->bytes;
    return take(v, r, p, function);
}

// Take a region apart. With no `function` failures go to the handler, and what is left is leaked.
static cuc_status end(struct region *r, const char *function)
{
    cuc_status st = CUC_OK;
    int code = 0;

    while (r->count && !code) {
        struct piece *last = r->pieces[r->count - 1];
        const CUdeviceptr at = r->base + r->mapped - last->bytes;
        code = cuc__cu.cuMemUnmap(at, last->bytes);
        if (code) {
            st = failed(code, "cuMemUnmap", at, last->bytes, function);
            break;
        }
        r->mapped -= last->bytes;
        r->count--;
        drop_piece(last);
    }
    if (!code && (code = cuc__cu.cuMemAddressFree(r->base, r->reserved)))
        st = failed(code, "cuMemAddressFree", r->base, r->reserved, function);
    free(r->pieces);
    free(r);
    return st;
}

static cuc_status begin(struct region **out, const struct cuc__virtual *v, size_t bytes,
                        const char *function)
{
    size_t reserve = round_up(v->reserve > bytes ? v->reserve : bytes, v->grain);
    struct region *r = calloc(1, sizeof(*r));

    if (!r)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a region of virtual memory");
    int code = cuc__cu.cuMemAddressReserve(&r->base, reserve, v->align, 0, 0);
    if (code) {
        free(r);
        return failed(code, "cuMemAddressReserve", 0, reserve, function);
    }
    r->reserved = reserve;
    *out = r;
    return CUC_OK;
}

static struct region **find(struct cuc__virtual *v, CUdeviceptr ptr)
{
    struct region **at = &v->regions;

    while (*at && (*at)->base != ptr)
        at = &(*at)->next;
    return at;
}

static void enter(struct cuc__virtual *v, struct region *r)
{
    r->users = 1;
    r->next = v->regions;
    v->regions = r;
}

static cuc_status check_size(const struct cuc__virtual *v, size_t bytes, const char *function)
{
    if (bytes > SIZE_MAX - v->grain || v->reserve > SIZE_MAX - v->grain)
        return cuc__fail(CUC_ERROR_OUT_OF_DEVICE_MEMORY, function,
                         "%zu bytes of virtual memory pass the end of the address space", bytes);
    return CUC_OK;
}

// The resource.

static cuc_status virtual_allocate(cuc_memory_resource *resource, CUdeviceptr *out, size_t bytes,
                                   cuc_stream *stream, const char *function)
{
    struct cuc__virtual *v = resource->virtual_memory;
    struct region *r = NULL;

    (void)stream; // the memory is there for every stream at once
    cuc_status st = check_size(v, bytes, function);
    if (st < 0)
        return st;
    if (cuc__driver_forked())
        return cuc__fail_driver(NULL, CUC__CU_FORKED, function, "cuMemAddressReserve", "-");
    CUstreamCaptureMode mode = cuc__relax();
    pthread_mutex_lock(&v->lock);
    st = begin(&r, v, bytes, function);
    if (st >= 0 && (st = add(v, r, round_up(bytes, v->grain), function)) < 0)
        (void)end(r, NULL);
    if (st >= 0) {
        enter(v, r);
        *out = r->base;
    }
    pthread_mutex_unlock(&v->lock);
    cuc__unrelax(mode);
    return st;
}

static cuc_status virtual_deallocate(cuc_memory_resource *resource, CUdeviceptr ptr, size_t bytes,
                                     cuc_stream *stream, const char *function)
{
    struct cuc__virtual *v = resource->virtual_memory;
    struct region *gone = NULL;
    cuc_status st = CUC_OK;

    if (cuc__driver_forked()) // the lock may be held for good by a thread of the parent
        return function ? cuc__fail_driver(NULL, CUC__CU_FORKED, function, "cuMemUnmap", "-")
                        : CUC_ERROR_FORKED;
    CUstreamCaptureMode mode = cuc__relax();
    if (stream) // unmapping waits for nobody
        st = cuc__memory_wait(stream, ptr, function);
    if (st >= 0) {
        pthread_mutex_lock(&v->lock);
        struct region **at = find(v, ptr);
        if (!*at) {
            st = CUC_ERROR_INVALID_ARGUMENT;
            if (function)
                (void)cuc__fail(st, function,
                                "0x%llx (%zu bytes) is no memory that this resource has allocated",
                                (unsigned long long)ptr, bytes);
        } else if (--(*at)->users == 0) {
            gone = *at;
            *at = gone->next;
        }
        if (gone)
            st = end(gone, function);
        pthread_mutex_unlock(&v->lock);
    }
    cuc__unrelax(mode);
    return st;
}

static void virtual_destroy(cuc_memory_resource *resource)
{
    struct cuc__virtual *v = resource->virtual_memory;

    CUstreamCaptureMode mode = cuc__relax();
    while (v->regions) { // addresses that nobody has freed
        struct region *r = v->regions;
        v->regions = r->next;
        (void)end(r, NULL);
    }
    cuc__unrelax(mode);
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

    if (!cuc__handle_good(peer, CUC__HANDLE_DEVICE))
        return cuc__fail_handle(peer, CUC__HANDLE_DEVICE, function, "options->peers");
    if (peer == device)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options->peers[%zu] is device %d, whose memory it is", index,
                         peer->ordinal);
    int code = cuc__cu.cuDeviceCanAccessPeer(&can, peer->handle, device->handle);
    if (code)
        return cuc__fail_driver(NULL, code, function, "cuDeviceCanAccessPeer",
                                "asking whether device %d reaches device %d", peer->ordinal,
                                device->ordinal);
    return can ? CUC_OK
               : cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                           "options->peers[%zu], device %d, does not reach device %d", index,
                           peer->ordinal, device->ordinal);
}

static cuc_status read_options(cuc_memory_virtual_options *o,
                               const cuc_memory_virtual_options *given, cuc_device *device,
                               const char *function)
{
    const uint32_t known = CUC_MEMORY_VIRTUAL_READ_ONLY | CUC_MEMORY_VIRTUAL_PEERS_READ_ONLY |
                           CUC_MEMORY_VIRTUAL_RDMA | CUC_MEMORY_VIRTUAL_FINE |
                           CUC_MEMORY_VIRTUAL_IPC;
    cuc_status st = cuc__read_options(o, sizeof(*o), given, "cuc_memory_virtual_options", function);

    if (st < 0)
        return st;
    if (o->flags & ~known || o->reserved)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "options->flags is 0x%x and reserved %u, expected CUC_MEMORY_VIRTUAL_ bits "
            "(0x1f) and 0",
            o->flags, o->reserved);
    if (o->align & (o->align - 1))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options->align is %" PRIu64 ", expected a power of two, or 0", o->align);
    if (o->location.type < CUC_LOCATION_NONE || o->location.type > CUC_LOCATION_HOST_NUMA_CURRENT ||
        (o->location.type == CUC_LOCATION_DEVICE && o->location.id != device->ordinal))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "options->location is of type %d with id %d, expected CUC_LOCATION_NONE "
                         "(0) for device %d, or a place of the host",
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

// Who reaches the memory, and how.
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

cuc_status cuc_memory_virtual(cuc_memory_resource **out, cuc_device *device,
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
                         "asking in what pieces device %d allocates virtual memory",
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
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "the resource is none of cuc_memory_virtual()");
    *out = resource->virtual_memory->grain;
    return CUC_OK;
}

// Another user of a region, with so many bytes; one that had to be made anew is *moved.
static cuc_status resize(CUdeviceptr *out, struct cuc__virtual *v, CUdeviceptr ptr, size_t bytes,
                         const char *function)
{
    struct region *r = *find(v, ptr), *moved = NULL;
    cuc_status st = CUC_OK;

    if (!r)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the buffer's address 0x%llx is none that its resource has allocated",
                         (unsigned long long)ptr);
    const size_t wanted = round_up(bytes, v->grain);
    if (wanted > r->reserved) {
        if ((st = begin(&moved, v, wanted, function)) < 0)
            return st;
        for (size_t i = 0; i < r->count && st >= 0; i++)
            st = map(v, moved, r->pieces[i], function);
        if (st >= 0)
            st = add(v, moved, wanted - moved->mapped, function);
        if (st < 0) {
            (void)end(moved, NULL);
            return st;
        }
        enter(v, moved);
        *out = moved->base;
        return CUC_OK;
    }
    if (wanted > r->mapped && (st = add(v, r, wanted - r->mapped, function)) < 0)
        return st;
    r->users++;
    *out = r->base;
    return CUC_OK;
}

static cuc_status check_whole(const cuc_buffer *buffer, const char *function)
{
    return buffer->parent || !buffer->ptr || !buffer->resource || !buffer->resource->virtual_memory
               ? cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                           "the buffer is %s, expected a whole one of cuc_memory_virtual()",
                           buffer->parent ? "a slice"
                           : !buffer->ptr ? "empty"
                                          : "of another resource")
               : CUC_OK;
}

// A buffer for addresses that have a user more for it.
static cuc_status wrap(cuc_buffer **out, cuc_memory_resource *resource, CUdeviceptr ptr,
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
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "bytes is 0, expected what the buffer is to have");
    cuc_status st = check_whole(buffer, __func__);
    if (st < 0)
        return st;
    struct cuc__virtual *v = buffer->resource->virtual_memory;
    if ((st = check_size(v, bytes, __func__)) < 0)
        return st;
    if (cuc__driver_forked())
        return CUC_FAIL_CU(NULL, CUC__CU_FORKED, "cuMemCreate", "-");
    CUstreamCaptureMode mode = cuc__relax();
    pthread_mutex_lock(&v->lock);
    st = resize(&ptr, v, buffer->ptr, bytes, __func__);
    pthread_mutex_unlock(&v->lock);
    cuc__unrelax(mode);
    if (st < 0)
        return st;
    return wrap(out, buffer->resource, ptr, bytes, buffer->stream, __func__);
}

// Other processes.

// With the lock: as many pieces as the buffer lies in.
static cuc_status export_all(cuc_memory_piece *out, size_t room, size_t *count, struct region *r,
                             size_t bytes, const char *function)
{
    size_t n = 0, made = 0, at = 0;
    cuc_status st = CUC_OK;

    for (; n < r->count && at < bytes; n++)
        at += r->pieces[n]->bytes;
    if (out && room < n)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "room is %zu, and the buffer has %zu pieces", room, n);
    for (; out && made < n && st >= 0; made++) {
        int fd = -1;
        int code = cuc__cu.cuMemExportToShareableHandle(
            &fd, r->pieces[made]->handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
        if (code)
            st =
                cuc__fail_driver(NULL, code, function, "cuMemExportToShareableHandle",
                                 "making a file descriptor for piece %zu of %zu, of %zu bytes (the "
                                 "resource has to be made with CUC_MEMORY_VIRTUAL_IPC, and memory "
                                 "that was imported is not exported again)",
                                 made, n, r->pieces[made]->bytes);
        else
            out[made] = (cuc_memory_piece){ .bytes = r->pieces[made]->bytes, .fd = fd };
    }
    if (st < 0) {
        for (size_t i = 0; i + 1 < made; i++) // the last one is what failed
            close(out[i].fd);
        return st;
    }
    *count = n;
    return CUC_OK;
}

cuc_status cuc_buffer_export_pieces(cuc_memory_piece *pieces, size_t room, size_t *count,
                                    cuc_buffer *buffer)
{
    cuc_memory_piece *made = NULL;
    size_t n = 0;

    CUC_CHECK_NOT_NULL(count);
    CUC_CHECK(buffer, BUFFER);
    if (!pieces && room)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "pieces is NULL and room is %zu", room);
    cuc_status st = check_whole(buffer, __func__);
    if (st < 0)
        return st;
    if (cuc__driver_forked())
        return CUC_FAIL_CU(NULL, CUC__CU_FORKED, "cuMemExportToShareableHandle", "-");
    // What the caller has is written when all of it is made.
    if (pieces && !(made = calloc(room ? room : 1, sizeof(*made))))
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for %zu pieces", room);
    struct cuc__virtual *v = buffer->resource->virtual_memory;
    CUstreamCaptureMode mode = cuc__relax();
    pthread_mutex_lock(&v->lock);
    struct region *r = *find(v, buffer->ptr);
    st = r ? export_all(made, room, &n, r, buffer->bytes, __func__)
           : CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                      "the buffer's address 0x%llx is none that its resource has allocated",
                      (unsigned long long)buffer->ptr);
    pthread_mutex_unlock(&v->lock);
    cuc__unrelax(mode);
    if (st >= 0) {
        if (pieces)
            memcpy(pieces, made, n * sizeof(*made));
        *count = n;
    }
    free(made);
    return st;
}

static cuc_status check_pieces(uint64_t *sum, const struct cuc__virtual *v,
                               const cuc_memory_piece *pieces, size_t count, const char *function)
{
    *sum = 0;
    for (size_t i = 0; i < count; i++)
        if (pieces[i].fd < 0 || !pieces[i].bytes || pieces[i].bytes % v->grain ||
            pieces[i].bytes > SIZE_MAX - v->grain - *sum)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "pieces[%zu] has %llu bytes and file descriptor %d, expected a "
                             "multiple of %zu bytes",
                             i, (unsigned long long)pieces[i].bytes, pieces[i].fd, v->grain);
        else
            *sum += pieces[i].bytes;
    return CUC_OK;
}

cuc_status cuc_buffer_import_pieces(cuc_buffer **out, cuc_memory_resource *resource,
                                    const cuc_memory_piece *pieces, size_t count, size_t bytes,
                                    cuc_stream *stream)
{
    struct region *r = NULL;
    uint64_t sum;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(resource, MEMORY_RESOURCE);
    CUC_CHECK_NOT_NULL(pieces);
    if (stream)
        CUC_CHECK(stream, STREAM);
    struct cuc__virtual *v = resource->virtual_memory;
    if (!v)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "the resource is none of cuc_memory_virtual()");
    cuc_status st = check_pieces(&sum, v, pieces, count, __func__);
    if (st < 0 || (st = cuc__memory_check_stream(resource, stream, __func__)) < 0)
        return st;
    if (!bytes || bytes > sum)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "bytes is %zu, expected 1 to the %llu that %zu pieces have", bytes,
                        (unsigned long long)sum, count);
    if (cuc__driver_forked())
        return CUC_FAIL_CU(NULL, CUC__CU_FORKED, "cuMemImportFromShareableHandle", "-");
    CUstreamCaptureMode mode = cuc__relax();
    pthread_mutex_lock(&v->lock);
    if ((st = check_size(v, (size_t)sum, __func__)) >= 0 &&
        (st = begin(&r, v, (size_t)sum, __func__)) >= 0) {
        for (size_t i = 0; i < count && st >= 0; i++)
            st = add_imported(v, r, &pieces[i], __func__);
        if (st < 0)
            (void)end(r, NULL);
        else
            enter(v, r);
    }
    const CUdeviceptr ptr = st < 0 ? 0 : r->base;
    pthread_mutex_unlock(&v->lock);
    cuc__unrelax(mode);
    return st < 0 ? st : wrap(out, resource, ptr, bytes, stream, __func__);
}
