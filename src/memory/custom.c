#include "resource.h"
#include "base/options.h"

void cuc_memory_callbacks_init(cuc_memory_callbacks *callbacks, size_t size)
{
    cuc__init_options(callbacks, size);
}

// Records that a callback failed. If a cucore call failed within the callback, keeps that call's
// message, which says more than the callback's status.
static cuc_status failed(cuc_status st, const char *callback, size_t bytes, const char *function)
{
    if (st == cuc_error_status())
        return cuc__fail(st, function,
                         "the resource's %s returned %s for %zu bytes; last failure: %s", callback,
                         cuc_status_name(st), bytes, cuc_error_message());
    return cuc__fail(st, function, "the resource's %s returned %s for %zu bytes", callback,
                     cuc_status_name(st), bytes);
}

static cuc_status custom_allocate(cuc_memory_resource *resource, CUdeviceptr *out, size_t bytes,
                                  cuc_stream *stream, const char *function)
{
    cuc_device_ptr ptr = 0;

    cuc_status st = resource->callbacks.allocate(resource->callbacks.user, &ptr, stream, bytes);
    if (st < 0)
        return failed(st, "allocate", bytes, function);
    if (!ptr)
        return cuc__fail(CUC_ERROR_OUT_OF_DEVICE_MEMORY, function,
                         "the resource's allocate succeeded for %zu bytes but wrote no address",
                         bytes);
    *out = ptr;
    return CUC_OK;
}

static cuc_status custom_deallocate(cuc_memory_resource *resource, CUdeviceptr ptr, size_t bytes,
                                    cuc_stream *stream, const char *function)
{
    cuc_status st = resource->callbacks.deallocate(resource->callbacks.user, stream, ptr, bytes);

    if (st >= 0)
        return CUC_OK;
    if (function)
        return failed(st, "deallocate", bytes, function);
    cuc__unraisable("a resource's deallocate returned %s for %zu bytes at 0x%llx in a release",
                    cuc_status_name(st), bytes, (unsigned long long)ptr);
    return st;
}

static void custom_destroy(cuc_memory_resource *resource)
{
    if (resource->callbacks.destroy)
        resource->callbacks.destroy(resource->callbacks.user);
}

static const struct cuc__memory_ops custom_ops = {
    .allocate = custom_allocate,
    .deallocate = custom_deallocate,
    .destroy = custom_destroy,
};

cuc_status cuc_memory_resource_create(cuc_memory_resource **out,
                                      const cuc_memory_callbacks *callbacks)
{
    const uint32_t known = CUC_MEMORY_ACCESS_DEVICE | CUC_MEMORY_ACCESS_HOST |
                           CUC_MEMORY_ACCESS_MANAGED;
    cuc_memory_callbacks c;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(callbacks);
    cuc_status st = CUC_READ_OPTIONS(&c, callbacks, cuc_memory_callbacks);
    if (st < 0)
        return st;
    if (!c.allocate || !c.deallocate)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "callbacks->%s is NULL, expected a function",
                        c.allocate ? "deallocate" : "allocate");
    if (!c.access || c.access & ~known)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "callbacks->access is 0x%x, expected CUC_MEMORY_ACCESS_DEVICE (1), _HOST "
                        "(2), _MANAGED (4), at least one",
                        c.access);
    if ((st = cuc__check_reserved("callbacks->reserved", c.reserved, __func__)) < 0)
        return st;
    if (c.device)
        CUC_CHECK(c.device, DEVICE);
    cuc_memory_resource *r =
        cuc__memory_resource_new(&custom_ops, c.device, CUC_MEMORY_CUSTOM, __func__);
    if (!r)
        return CUC_ERROR_OUT_OF_MEMORY;
    r->callbacks = c;
    r->access = c.access;
    *out = r;
    return CUC_OK;
}
