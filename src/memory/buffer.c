#include "buffer.h"

#include "device/deferred.h"
#include "resource.h"
#include "base/options.h"

#include <inttypes.h>
#include <stdlib.h>

void cuc_buffer_options_init(cuc_buffer_options *options, size_t size)
{
    cuc__init_options(options, size);
}

static cuc_buffer *make(const char *function)
{
    // Do not use calloc(): before glibc 2.41 it bypasses the thread's cache of free blocks. gcc
    // would turn malloc() and memset() into calloc(), but it leaves this assignment alone.
    cuc_buffer *b = malloc(sizeof(*b));

    if (!b) {
        (void)cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a buffer");
        return NULL;
    }
    *b = (cuc_buffer){ 0 };
    cuc__handle_init(b, CUC__HANDLE_BUFFER);
    return b;
}

// Drops the references that a buffer holds, but does not free its memory.
static void drop(cuc_buffer *b)
{
    cuc_stream_release(b->stream);
    cuc_memory_resource_release(b->resource);
    cuc_buffer_release(b->parent);
    if (b->drop_owner)
        b->drop_owner(b->owner);
    cuc__handle_free(b);
}

// Queries the driver for the properties that the caller did not give.
static cuc_status ask(cuc_device **device, uint32_t *access, CUdeviceptr ptr, const char *function)
{
    cuc_pointer_info info = CUC_POINTER_INFO_INIT;

    cuc_status st = cuc__memory_pointer_kind(&info, ptr, function);
    if (st < 0)
        return st;
    if (!*access)
        *access = info.access;
    if (*device || info.device < 0 || info.kind == CUC_MEMORY_PINNED)
        return CUC_OK;
    return cuc__pass(cuc_device_get(device, info.device), function);
}

// Returns true if only the driver can tell which device the memory belongs to. This is the case if
// a device can access the memory, and either there is no resource or its user-defined callbacks did
// not name the device.
static bool is_of_unknown_device(const cuc_memory_resource *resource, uint32_t access)
{
    return access & CUC_MEMORY_ACCESS_DEVICE &&
           (!resource || (resource->kind == CUC_MEMORY_CUSTOM && !resource->device));
}

// Returns true if only the driver can tell whether memory that both host and device can access is
// pinned or managed, because user-defined callbacks need not say so.
static bool may_be_managed(const cuc_memory_resource *resource)
{
    return resource->kind == CUC_MEMORY_CUSTOM &&
           resource->access == (CUC_MEMORY_ACCESS_DEVICE | CUC_MEMORY_ACCESS_HOST);
}

cuc_status cuc_buffer_create(cuc_buffer **out, cuc_stream *stream, cuc_memory_resource *resource,
                             size_t bytes)
{
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    if (resource)
        CUC_CHECK(resource, MEMORY_RESOURCE);
    else if (!stream)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "resource and stream are both NULL: without a resource, a stream is needed "
                        "to find its device's default one");
    if (stream)
        CUC_CHECK(stream, STREAM);
    if (resource)
        cuc_memory_resource_retain(resource);
    else if ((st = cuc__memory_default(&resource, stream->device, __func__)) < 0)
        return st;
    cuc__deferred_poll(); // a deferred release may free the memory needed here

    cuc_buffer *b = NULL;
    st = cuc__memory_check_stream(resource, stream, __func__);
    if (st >= 0 && !(b = make(__func__)))
        st = CUC_ERROR_OUT_OF_MEMORY;
    if (st >= 0 && bytes)
        st = resource->ops->allocate(resource, &b->ptr, bytes, stream, __func__);
    cuc_device *device = cuc_memory_resource_device(resource);
    uint32_t access = resource->access;
    if (st >= 0 && b->ptr && (is_of_unknown_device(resource, access) || may_be_managed(resource))) {
        uint32_t asked = may_be_managed(resource) ? 0 : access;
        st = ask(&device, &asked, b->ptr, __func__);
        access |= asked;
        if (st < 0)
            (void)resource->ops->deallocate(resource, b->ptr, bytes, stream, NULL);
    }
    if (st < 0) {
        if (b && cuc__handle_drop(b, CUC__HANDLE_BUFFER))
            cuc__handle_free(b);
        cuc_memory_resource_release(resource);
        return st;
    }
    b->bytes = bytes;
    b->resource = resource;
    b->stream = cuc_stream_retain(stream);
    atomic_init(&b->device, device);
    atomic_init(&b->access, access);
    *out = b;
    return CUC_OK;
}

cuc_status cuc__buffer_from_pointer(cuc_buffer **out, cuc_device_ptr ptr, size_t bytes,
                                    const cuc_buffer_options *options)
{
    const uint32_t known = CUC_MEMORY_ACCESS_DEVICE | CUC_MEMORY_ACCESS_HOST |
                           CUC_MEMORY_ACCESS_MANAGED;
    cuc_buffer_options o;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    if ((st = CUC_READ_OPTIONS(&o, options, cuc_buffer_options)) < 0)
        return st;
    if (o.resource)
        CUC_CHECK(o.resource, MEMORY_RESOURCE);
    if (o.stream)
        CUC_CHECK(o.stream, STREAM);
    if (o.device)
        CUC_CHECK(o.device, DEVICE);
    if (bytes && (st = cuc__memory_check_range(ptr, bytes, "ptr", __func__)) < 0)
        return st;
    if (o.resource && (o.owner || o.drop_owner))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "options->resource and options->owner are both set, but only one can free "
                        "the memory: set one of them");
    if (o.stream && !o.resource)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "options->stream is set without options->resource: the stream orders a "
                        "free, but nothing frees this memory");
    if ((st = cuc__check_bits("options->access", o.access, known, o.reserved,
                              "CUC_MEMORY_ACCESS_ bits (0x7)", __func__)) < 0)
        return st;
    if (o.resource) {
        cuc_device *of_resource = cuc_memory_resource_device(o.resource);
        if ((st = cuc__memory_check_stream(o.resource, o.stream, __func__)) < 0)
            return st;
        if (o.device && of_resource && o.device != of_resource)
            return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                            "options->device is device %d, options->resource is of device %d",
                            o.device->ordinal, of_resource->ordinal);
        if (!o.device)
            o.device = of_resource;
        if (!o.access && !(ptr && may_be_managed(o.resource)))
            o.access = o.resource->access;
    }
    if (ptr && o.access && !o.device && is_of_unknown_device(o.resource, o.access) &&
        (st = ask(&o.device, &o.access, ptr, __func__)) < 0)
        return st;

    cuc_buffer *b = make(__func__);
    if (!b)
        return CUC_ERROR_OUT_OF_MEMORY;
    b->ptr = ptr;
    b->bytes = bytes;
    b->resource = cuc_memory_resource_retain(o.resource);
    b->stream = cuc_stream_retain(o.stream);
    b->owner = o.owner;
    b->drop_owner = o.drop_owner;
    atomic_init(&b->device, o.device);
    atomic_init(&b->access, o.access);
    *out = b;
    return CUC_OK;
}

cuc_status cuc_buffer_from_pointer(cuc_buffer **out, cuc_device_ptr ptr, size_t bytes,
                                   const cuc_buffer_options *options)
{
    cuc_buffer *made;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc__buffer_from_pointer(&made, ptr, bytes, options);
    if (st < 0)
        return CUC_PASS(st);
    if ((st = cuc__buffer_describe(made, __func__)) < 0) {
        made->drop_owner = NULL; // a call that fails takes no ownership
        if (cuc__handle_drop(made, CUC__HANDLE_BUFFER))
            drop(made);
        return st;
    }
    *out = made;
    return CUC_OK;
}

// Two threads may run the query at the same time; both get the same answer.
cuc_status cuc__buffer_query(const cuc_buffer *buffer, const char *function)
{
    cuc_buffer *b = (cuc_buffer *)(uintptr_t)buffer;
    cuc_device *device = cuc__buffer_device(b);
    uint32_t access = 0;

    cuc_status st = ask(&device, &access, b->ptr, function);
    if (st < 0)
        return st;
    if (b->resource) // the memory may also be managed
        access |= b->resource->access;
    atomic_store_explicit(&b->device, device, memory_order_relaxed);
    atomic_store_explicit(&b->access, access, memory_order_release);
    return CUC_OK;
}

cuc_status cuc_buffer_slice(cuc_buffer **out, cuc_buffer *parent, size_t offset, size_t bytes)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(parent, BUFFER);
    if (offset > parent->bytes || bytes > parent->bytes - offset)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "%zu bytes at offset %zu pass the end of the buffer, which has %zu bytes",
                        bytes, offset, parent->bytes);
    cuc_buffer *b = make(__func__);
    if (!b)
        return CUC_ERROR_OUT_OF_MEMORY;
    b->ptr = bytes ? parent->ptr + offset : 0;
    b->bytes = bytes;
    atomic_init(&b->access, cuc__buffer_access(parent));
    atomic_init(&b->device, cuc__buffer_device(parent));
    b->parent = cuc_buffer_retain(parent);
    *out = b;
    return CUC_OK;
}

cuc_buffer *cuc_buffer_retain(cuc_buffer *buffer)
{
    return cuc__handle_retain(buffer);
}

// Frees a buffer whose last reference is gone. A graph can drop that reference at any time, even
// while another thread captures the buffer's stream; the free is then deferred.
static void release_parts(void *object)
{
    cuc_buffer *buffer = object;

    if (buffer->resource && buffer->ptr &&
        buffer->resource->ops->deallocate(buffer->resource, buffer->ptr, buffer->bytes,
                                          buffer->stream, NULL) == CUC_ERROR_BUSY) {
        if (cuc__deferred_is_running() && cuc__defer_drop(buffer, release_parts))
            return;
        cuc__unraisable("a buffer was released while its stream %p is being captured: 0x%" PRIx64
                        " is not memory of that graph, and is leaked",
                        cuc_stream_handle(buffer->stream), buffer->ptr);
    }
    drop(buffer);
}

void cuc_buffer_release(cuc_buffer *buffer)
{
    if (cuc__handle_drop(buffer, CUC__HANDLE_BUFFER))
        release_parts(buffer);
}

cuc_status cuc_buffer_set_stream(cuc_buffer *buffer, cuc_stream *stream)
{
    CUC_CHECK(buffer, BUFFER);
    if (stream)
        CUC_CHECK(stream, STREAM);
    if (!buffer->resource)
        return CUC_FAIL(
            CUC_ERROR_INVALID_ARGUMENT, "the buffer %s: it has no free for a stream to order",
            buffer->parent ? "is a slice, which its parent frees" : "does not free its memory");
    cuc_status st = cuc__memory_check_stream(buffer->resource, stream, __func__);
    if (st < 0)
        return st;
    cuc_stream *old = buffer->stream;
    buffer->stream = cuc_stream_retain(stream);
    cuc_stream_release(old);
    return CUC_OK;
}

cuc_device_ptr cuc_buffer_ptr(const cuc_buffer *buffer)
{
    return buffer ? buffer->ptr : 0;
}

size_t cuc_buffer_bytes(const cuc_buffer *buffer)
{
    return buffer ? buffer->bytes : 0;
}

cuc_device *cuc_buffer_device(const cuc_buffer *buffer)
{
    return buffer && cuc__buffer_describe(buffer, __func__) >= 0 ? cuc__buffer_device(buffer)
                                                                 : NULL;
}

cuc_memory_resource *cuc_buffer_memory_resource(const cuc_buffer *buffer)
{
    return buffer ? buffer->resource : NULL;
}

cuc_stream *cuc_buffer_stream(const cuc_buffer *buffer)
{
    return buffer ? buffer->stream : NULL;
}

uint32_t cuc_buffer_access(const cuc_buffer *buffer)
{
    return buffer && cuc__buffer_describe(buffer, __func__) >= 0 ? cuc__buffer_access(buffer) : 0;
}

void *cuc_buffer_owner(const cuc_buffer *buffer)
{
    return buffer ? buffer->owner : NULL;
}

cuc_buffer *cuc_buffer_parent(const cuc_buffer *buffer)
{
    return buffer ? buffer->parent : NULL;
}

cuc_status cuc_buffer_get_host_pointer(void **out, cuc_buffer *buffer)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(buffer, BUFFER);
    cuc_status st = cuc__buffer_describe(buffer, __func__);
    if (st < 0)
        return st;
    const cuc_device *device = cuc__buffer_device(buffer);
    if (!(cuc__buffer_access(buffer) & CUC_MEMORY_ACCESS_HOST))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "the buffer is memory of device %d, which the host cannot reach: copy it "
                        "with cuc_buffer_read_async(), or allocate pinned or managed memory",
                        device ? device->ordinal : -1);
    *out = (void *)(uintptr_t)buffer->ptr;
    return CUC_OK;
}
