#include "resource.h"

#include "driver/relaxed.h"

// The operations for each kind of memory. They work in the current context.
static int allocate_device(CUdeviceptr *out, size_t bytes)
{
    return cuc__cu.cuMemAlloc(out, bytes);
}

static int allocate_pinned(CUdeviceptr *out, size_t bytes)
{
    void *host = NULL;
    int code = cuc__cu.cuMemHostAlloc(&host, bytes, CU_MEMHOSTALLOC_PORTABLE);

    // Every 64-bit driver has unified addressing, so host and device share one address.
    *out = (CUdeviceptr)(uintptr_t)host;
    return code;
}

static int allocate_managed(CUdeviceptr *out, size_t bytes)
{
    return cuc__cu.cuMemAllocManaged(out, bytes, CU_MEM_ATTACH_GLOBAL);
}

static int free_device(CUdeviceptr ptr)
{
    return cuc__cu.cuMemFree(ptr);
}

static int free_pinned(CUdeviceptr ptr)
{
    return cuc__cu.cuMemFreeHost((void *)(uintptr_t)ptr);
}

static const struct sort {
    int (*allocate)(CUdeviceptr *out, size_t bytes);
    int (*deallocate)(CUdeviceptr ptr);
    const char *allocate_call, *free_call;
} sorts[] = {
    [CUC_MEMORY_DEVICE] = { allocate_device, free_device, "cuMemAlloc", "cuMemFree" },
    [CUC_MEMORY_PINNED] = { allocate_pinned, free_pinned, "cuMemHostAlloc", "cuMemFreeHost" },
    [CUC_MEMORY_MANAGED] = { allocate_managed, free_device, "cuMemAllocManaged", "cuMemFree" },
};

static cuc_status sync_allocate(cuc_memory_resource *resource, CUdeviceptr *out, size_t bytes,
                                cuc_stream *stream, const char *function)
{
    const struct sort *sort = &sorts[resource->kind];
    cuc_context *context;
    CUdeviceptr ptr = 0;
    bool pushed;

    (void)stream; // every stream can use the memory at once
    cuc_status st = cuc__device_primary(&context, resource->device, function);
    if (st < 0 || (st = cuc__context_enter(context, &pushed, function)) < 0)
        return st;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    int code = sort->allocate(&ptr, bytes);
    cuc__leave_relaxed_mode(mode);
    if (code)
        st = cuc__fail_driver(context, code, function, sort->allocate_call,
                              "allocating %zu bytes of %s memory on device %d", bytes,
                              cuc_memory_kind_name(resource->kind), resource->device->ordinal);
    st = cuc__context_leave(context, pushed, st, function);
    if (st < 0) {
        if (ptr && (code = sort->deallocate(ptr)))
            cuc__driver_cleanup_failed(context, code, sort->free_call, (void *)(uintptr_t)ptr);
        return st;
    }
    *out = ptr;
    return CUC_OK;
}

static cuc_status wait_failed(const cuc_stream *stream, int code, const char *call, CUdeviceptr ptr,
                              const char *function)
{
    if (function)
        return cuc__fail_driver(stream->context, code, function, call,
                                "waiting for stream %p before its memory is freed",
                                (void *)stream->handle);
    cuc__driver_cleanup_failed(stream->context, code, call, (void *)(uintptr_t)ptr);
    return CUC_ERROR_DRIVER;
}

// Waits until a stream has finished with memory that the caller is about to free. Refuses a
// capturing stream, which has not run its work yet and cannot be waited for.
cuc_status cuc__memory_wait(const cuc_stream *stream, CUdeviceptr ptr, const char *function)
{
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
    bool pushed;

    cuc_status st = cuc__memory_enter(stream->context, &pushed, function);
    if (st < 0)
        return st;
    int code = cuc__cu.cuStreamIsCapturing(stream->handle, &capture);
    if (code) {
        st = wait_failed(stream, code, "cuStreamIsCapturing", ptr, function);
    } else if (capture != CU_STREAM_CAPTURE_STATUS_NONE) {
        st = CUC_ERROR_BUSY;
        if (function)
            (void)cuc__fail(st, function,
                            "stream %p is being captured and cannot be waited for: free the "
                            "memory after the capture, or on another stream",
                            (void *)stream->handle);
    } else {
        const uint32_t mark = cuc__ring_mark(&stream->context->recent);
        code = cuc__cu.cuStreamSynchronize(stream->handle);
        if (!code)
            cuc__ring_mark_complete(&stream->context->recent, stream->handle, mark);
        else
            st = wait_failed(stream, code, "cuStreamSynchronize", ptr, function);
    }
    return cuc__memory_leave(stream->context, pushed, st, function);
}

static cuc_status sync_deallocate(cuc_memory_resource *resource, CUdeviceptr ptr, size_t bytes,
                                  cuc_stream *stream, const char *function)
{
    const struct sort *sort = &sorts[resource->kind];
    // The context exists if the resource has allocated memory in it.
    cuc_context *context = atomic_load_explicit(&resource->device->primary, memory_order_acquire);
    bool pushed;
    cuc_status st = CUC_OK;

    if (!context && (st = cuc__device_primary(&context, resource->device,
                                              function ? function : "a release")) < 0)
        return st;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    if (stream)
        st = cuc__memory_wait(stream, ptr, function);
    if (st >= 0)
        st = cuc__memory_enter(context, &pushed, function);
    if (st >= 0) {
        int code = sort->deallocate(ptr);
        if (code)
            st = cuc__memory_free_failed(context, code, sort->free_call, ptr, bytes, function);
        st = cuc__memory_leave(context, pushed, st, function);
    }
    cuc__leave_relaxed_mode(mode);
    return st;
}

static const struct cuc__memory_ops sync_ops = {
    .allocate = sync_allocate,
    .deallocate = sync_deallocate,
};

cuc_status cuc__memory_synchronous_create(cuc_memory_resource **out, cuc_device *device,
                                          int32_t kind, const char *function)
{
    cuc_memory_resource *r = cuc__memory_resource_new(&sync_ops, device, kind, function);

    if (!r)
        return CUC_ERROR_OUT_OF_MEMORY;
    *out = r;
    return CUC_OK;
}

cuc_status cuc_memory_synchronous_create(cuc_memory_resource **out, cuc_device *device,
                                         int32_t kind)
{
    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    cuc_status st = cuc__memory_check_kind(kind, __func__);
    if (st < 0)
        return st;
    if (kind == CUC_MEMORY_MANAGED) {
        int can = 0;
        int code =
            cuc__cu.cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, device->handle);
        if (code)
            return CUC_FAIL_CU(NULL, code, "cuDeviceGetAttribute",
                               "asking whether device %d has managed memory", device->ordinal);
        if (!can)
            return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED, "device %d (%s) has no managed memory",
                            device->ordinal, device->name);
    }
    return cuc__memory_synchronous_create(out, device, kind, __func__);
}
