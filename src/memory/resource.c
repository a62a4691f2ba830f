#include "resource.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>

static const char *const kinds[] = {
#define ROW(constant, value, name) [value] = name,
    CUC_MEMORY_KIND_LIST(ROW)
#undef ROW
};

static const uint32_t access_of_kind[] = {
    [CUC_MEMORY_DEVICE] = CUC_MEMORY_ACCESS_DEVICE,
    [CUC_MEMORY_PINNED] = CUC_MEMORY_ACCESS_DEVICE | CUC_MEMORY_ACCESS_HOST,
    [CUC_MEMORY_MANAGED] = CUC_MEMORY_ACCESS_DEVICE | CUC_MEMORY_ACCESS_HOST |
                           CUC_MEMORY_ACCESS_MANAGED,
    [CUC_MEMORY_CUSTOM] = 0,
};

const char *cuc_memory_kind_name(int32_t kind)
{
    return kind >= 0 && (size_t)kind < CUC_LENGTH(kinds) ? kinds[kind] : "unknown";
}

cuc_memory_resource *cuc__memory_resource_new(const struct cuc__memory_ops *ops, cuc_device *device,
                                              int32_t kind, const char *function)
{
    cuc_memory_resource *r = calloc(1, sizeof(*r));

    if (!r) {
        (void)cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a memory resource");
        return NULL;
    }
    cuc__handle_init(r, CUC__HANDLE_MEMORY_RESOURCE);
    r->ops = ops;
    r->device = device;
    r->kind = kind;
    r->access = access_of_kind[kind];
    r->of_device = device && (kind == CUC_MEMORY_DEVICE || kind == CUC_MEMORY_CUSTOM);
    return r;
}

cuc_status cuc__memory_check_kind(int32_t kind, const char *function)
{
    if (kind >= CUC_MEMORY_DEVICE && kind <= CUC_MEMORY_MANAGED)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "kind is %d (%s), expected CUC_MEMORY_DEVICE (0), CUC_MEMORY_PINNED (1) or "
                     "CUC_MEMORY_MANAGED (2)",
                     kind, cuc_memory_kind_name(kind));
}

cuc_status cuc__memory_check_stream(const cuc_memory_resource *resource, const cuc_stream *stream,
                                    const char *function)
{
    if (!stream && resource->ops->needs_stream)
        return cuc__fail(
            CUC_ERROR_INVALID_ARGUMENT, function,
            "stream is NULL, but a memory pool works in stream order: pass a stream of device %d",
            resource->device->ordinal);
    if (stream && resource->of_device && stream->device != resource->device)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the memory resource is of device %d, the stream of device %d: use a "
                         "stream and a resource of one device",
                         resource->device->ordinal, stream->device->ordinal);
    return CUC_OK;
}

cuc_status cuc__memory_check_range(CUdeviceptr ptr, size_t bytes, const char *what,
                                   const char *function)
{
    if (!ptr)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is 0, expected an address",
                         what);
    if (cuc__range_wraps(ptr, bytes))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is 0x%" PRIx64 ", and %zu bytes from there pass the end of the "
                         "address space",
                         what, ptr, bytes);
    return CUC_OK;
}

cuc_status cuc__memory_enter(cuc_context *context, bool *pushed, const char *function)
{
    CUcontext current = NULL;

    if (function)
        return cuc__context_enter(context, pushed, function);
    *pushed = false;
    if (!cuc__cu.cuCtxGetCurrent(&current) && current == context->handle)
        return CUC_OK;
    int code = cuc__cu.cuCtxPushCurrent(context->handle);
    if (code) {
        cuc__driver_cleanup_failed(context, code, "cuCtxPushCurrent", (void *)context->handle);
        return CUC_ERROR_DRIVER;
    }
    *pushed = true;
    return CUC_OK;
}

cuc_status cuc__memory_leave(cuc_context *context, bool pushed, cuc_status status,
                             const char *function)
{
    CUcontext popped;

    if (function)
        return cuc__context_leave(context, pushed, status, function);
    if (pushed)
        CUC_CLEANUP(context, cuCtxPopCurrent, (void *)context->handle, &popped);
    return status;
}

cuc_status cuc__memory_free_failed(cuc_context *context, int code, const char *call,
                                   CUdeviceptr ptr, size_t bytes, const char *function)
{
    if (function)
        return cuc__fail_driver(context, code, function, call, "freeing %zu bytes at 0x%" PRIx64,
                                bytes, ptr);
    cuc__driver_cleanup_failed(context, code, call, (void *)(uintptr_t)ptr);
    return CUC_ERROR_DRIVER;
}

cuc_memory_resource *cuc_memory_resource_retain(cuc_memory_resource *resource)
{
    return cuc__handle_retain(resource);
}

void cuc_memory_resource_release(cuc_memory_resource *resource)
{
    if (!cuc__handle_drop(resource, CUC__HANDLE_MEMORY_RESOURCE))
        return;
    if (resource->ops->destroy)
        resource->ops->destroy(resource);
    cuc__handle_free(resource);
}

cuc_device *cuc_memory_resource_device(const cuc_memory_resource *resource)
{
    return resource && resource->kind != CUC_MEMORY_PINNED ? resource->device : NULL;
}

uint32_t cuc_memory_resource_access(const cuc_memory_resource *resource)
{
    return resource ? resource->access : 0;
}

int32_t cuc_memory_resource_kind(const cuc_memory_resource *resource)
{
    return resource ? resource->kind : -1;
}

int32_t cuc_memory_resource_is_pool(const cuc_memory_resource *resource)
{
    return resource && resource->pool;
}

cuc_status cuc_memory_allocate(cuc_device_ptr *out, cuc_stream *stream,
                               cuc_memory_resource *resource, size_t bytes)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(resource, MEMORY_RESOURCE);
    if (stream)
        CUC_CHECK(stream, STREAM);
    cuc_status st = cuc__memory_check_stream(resource, stream, __func__);
    if (st < 0)
        return st;
    if (!bytes) {
        *out = 0;
        return CUC_OK;
    }
    return resource->ops->allocate(resource, out, bytes, stream, __func__);
}

cuc_status cuc_memory_free(cuc_stream *stream, cuc_memory_resource *resource, cuc_device_ptr ptr,
                           size_t bytes)
{
    CUC_CHECK(resource, MEMORY_RESOURCE);
    if (stream)
        CUC_CHECK(stream, STREAM);
    cuc_status st = cuc__memory_check_stream(resource, stream, __func__);
    if (st < 0 || !ptr)
        return st;
    return resource->ops->deallocate(resource, ptr, bytes, stream, __func__);
}
