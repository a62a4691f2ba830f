#include <cucore/ipc.h>

#include "buffer.h"
#include "device/device.h"
#include "device/event.h"
#include "resource.h"
#include "driver/relaxed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(cuc_ipc_handle) == sizeof(CUmemPoolPtrExportData) &&
                   sizeof(cuc_ipc_handle) == sizeof(CUipcEventHandle),
               "the driver's handles go as they are");

static cuc_status check_pool(const cuc_memory_resource *pool, const char *function)
{
    if (pool->pool)
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "the resource is not a pool: expected one of cuc_memory_pool_create() with "
                     "CUC_MEMORY_POOL_IPC, or of cuc_memory_pool_from_fd()");
}

cuc_status cuc_memory_pool_export(int32_t *out, cuc_memory_resource *pool)
{
    int fd = -1, code;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(pool, MEMORY_RESOURCE);
    cuc_status st = check_pool(pool, __func__);
    if (st < 0)
        return st;
    CUC_RELAXED(code, cuc__cu.cuMemPoolExportToShareableHandle(
                          &fd, pool->pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    if (code)
        return CUC_FAIL_CU(NULL, code, "cuMemPoolExportToShareableHandle",
                           "making a file descriptor for a pool of device %d (it must be created "
                           "with CUC_MEMORY_POOL_IPC)",
                           pool->device->ordinal);
    pool->changed = true;
    *out = fd;
    return CUC_OK;
}

cuc_status cuc_memory_pool_from_fd(cuc_memory_resource **out, cuc_device *device, int32_t fd)
{
    CUmemoryPool pool = NULL;
    cuc_context *context;
    int code;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    if (fd < 0)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "fd is %d, expected a file descriptor", fd);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    if (st < 0)
        return st;
    CUC_RELAXED(code,
                cuc__cu.cuMemPoolImportFromShareableHandle(
                    &pool, (void *)(intptr_t)fd, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    if (code)
        return CUC_FAIL_CU(context, code, "cuMemPoolImportFromShareableHandle",
                           "importing a pool by file descriptor %d", fd);
    CUmemLocation location = { CU_MEM_LOCATION_TYPE_DEVICE, device->ordinal };
    cuc_memory_resource *r =
        cuc__memory_pool_wrap(pool, device, CUC_MEMORY_DEVICE, location, __func__);
    if (!r) {
        CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
        CUC_CLEANUP(context, cuMemPoolDestroy, (void *)pool, pool);
        cuc__leave_relaxed_mode(mode);
        return CUC_ERROR_OUT_OF_MEMORY;
    }
    r->owned = r->imported = true;
    *out = r;
    return CUC_OK;
}

// This process's import of another process's buffer. The driver gives every import of a buffer the
// same address, and the first free unmaps it for all of them. So the process imports each buffer
// once, and the last user frees it. The pool and the export data together identify a buffer: not
// every driver names the pool in the data, and no driver accepts data from another pool.
struct import {
    struct import *next;
    CUmemPoolPtrExportData data;
    cuc_memory_resource *pool; // the pool of the first import, retained
    CUdeviceptr ptr;
    size_t users;      // 0 if the driver refused to free the buffer
    struct mark *last; // events that follow the work of former users' streams
};

struct mark {
    struct mark *next;
    CUevent event;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards the list, imports and frees
static struct import *imports;

static struct import *find_named(const cuc_memory_resource *pool,
                                 const CUmemPoolPtrExportData *data)
{
    for (struct import *i = imports; i; i = i->next)
        if (i->pool->pool == pool->pool && memcmp(&i->data, data, sizeof(*data)) == 0)
            return i;
    return NULL;
}

static struct import *find_at(CUdeviceptr ptr)
{
    for (struct import *i = imports; i; i = i->next)
        if (i->ptr == ptr)
            return i;
    return NULL;
}

// Imports a buffer, or adds a user to an existing import.
static cuc_status import(CUdeviceptr *out, cuc_memory_resource *pool, CUmemPoolPtrExportData *data,
                         size_t bytes, const char *function)
{
    struct import *made = calloc(1, sizeof(*made));
    CUresult r = 0;

    if (!made)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for an import");
    pthread_mutex_lock(&lock);
    // Buffers share an import only if cucore imported their pool. For a pool wrapped from a handle,
    // each call makes its own import.
    struct import *i = pool->imported ? find_named(pool, data) : NULL;
    if (i)
        made->ptr = i->ptr;
    else
        r = cuc__cu.cuMemPoolImportPointer(&made->ptr, pool->pool, data);
    if (!r) {
        *out = made->ptr;
        // The buffer may already be imported through another handle of the same pool, at the same
        // address.
        if (!i && pool->imported && !(i = find_at(made->ptr))) {
            i = made;
            made = NULL;
            i->data = *data;
            i->pool = cuc_memory_resource_retain(pool);
            i->next = imports;
            imports = i;
        }
        if (i)
            i->users++;
    }
    pthread_mutex_unlock(&lock);
    free(made);
    return !r ? CUC_OK
              : cuc__fail_driver(NULL, r, function, "cuMemPoolImportPointer",
                                 "importing a buffer of %zu bytes of another process", bytes);
}

// Refuses a size larger than the import, if the driver reports the import's size.
static cuc_status check_size(CUdeviceptr ptr, size_t bytes, const cuc_stream *stream,
                             const char *function)
{
    CUdeviceptr base = 0;
    size_t size = 0;
    bool pushed;

    cuc_status st = cuc__memory_enter(stream->context, &pushed, function);
    if (st < 0)
        return st;
    bool is_known = !cuc__cu.cuMemGetAddressRange(&base, &size, ptr);
    if (is_known && ptr >= base && ptr - base < size && bytes > size - (ptr - base))
        st = cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                       "bytes is %zu, the buffer that the handle names has %zu", bytes,
                       (size_t)(size - (ptr - base)));
    return cuc__memory_leave(stream->context, pushed, st, function);
}

// Returns false if the stream is captured: captured work does not run, so nobody can wait for it.
static bool runs(const cuc_stream *stream)
{
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;

    return !cuc__cu.cuStreamIsCapturing(stream->handle, &capture) &&
           capture == CU_STREAM_CAPTURE_STATUS_NONE;
}

// Records an event after a stream's work; the last user's free will wait for it. If there is no
// event, waits for the stream instead.
static void leave_mark(struct import *i, const cuc_stream *stream)
{
    struct mark *m = calloc(1, sizeof(*m));
    bool pushed;

    if (cuc__memory_enter(stream->context, &pushed, NULL) < 0) {
        free(m);
        return;
    }
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    if (runs(stream)) {
        bool made = m && !cuc__cu.cuEventCreate(&m->event, CU_EVENT_DISABLE_TIMING);
        if (made && !cuc__cu.cuEventRecord(m->event, stream->handle)) {
            m->next = i->last;
            i->last = m;
            m = NULL;
        } else {
            if (made)
                CUC_CLEANUP(stream->context, cuEventDestroy, (void *)m->event, m->event);
            CUC_CLEANUP(stream->context, cuStreamSynchronize, (void *)stream->handle,
                        stream->handle);
        }
    }
    cuc__leave_relaxed_mode(mode);
    free(m);
    (void)cuc__memory_leave(stream->context, pushed, CUC_OK, NULL);
}

int cuc__ipc_free(CUdeviceptr ptr, const cuc_stream *stream)
{
    cuc_memory_resource *pool = NULL;
    CUresult r = 0;

    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return CUC__CU_FORKED;
    pthread_mutex_lock(&lock);
    struct import **at = &imports, *i;
    while (*at && (*at)->ptr != ptr)
        at = &(*at)->next;
    i = *at;
    if (i && i->users && --i->users) {
        leave_mark(i, stream);
    } else {
        for (struct mark *m; i && i->last && runs(stream); free(m)) {
            m = i->last;
            i->last = m->next;
            CUC_CLEANUP(stream->context, cuStreamWaitEvent, (void *)stream->handle, stream->handle,
                        m->event, CU_EVENT_WAIT_DEFAULT);
            CUC_CLEANUP(stream->context, cuEventDestroy, (void *)m->event, m->event);
        }
        r = cuc__cu.cuMemFreeAsync(ptr, stream->handle);
        if (i && !r) {
            *at = i->next;
            pool = i->pool;
            free(i);
        }
    }
    pthread_mutex_unlock(&lock);
    cuc_memory_resource_release(pool);
    return r;
}

static bool export_once(cuc_memory_resource *pool)
{
    int fd = -1, code = CUDA_ERROR_INVALID_VALUE;

    if (pool && pool->pool && !pool->imported)
        CUC_RELAXED(code, cuc__cu.cuMemPoolExportToShareableHandle(
                              &fd, pool->pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    if (code)
        return false;
    pool->changed = true;
    close(fd);
    return true;
}

cuc_status cuc_buffer_export(cuc_ipc_handle *out, const cuc_buffer *buffer)
{
    CUmemPoolPtrExportData data;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(buffer, BUFFER);
    if (buffer->parent)
        return CUC_FAIL(
            CUC_ERROR_INVALID_ARGUMENT,
            "buffer is a slice: export the whole buffer, and slice it in the other process");
    CUresult r = cuc__cu.cuMemPoolExportPointer(&data, buffer->ptr);
    // The driver exports a pool's memory only after the pool itself has been exported.
    if (r == CUDA_ERROR_INVALID_VALUE && export_once(buffer->resource))
        r = cuc__cu.cuMemPoolExportPointer(&data, buffer->ptr);
    if (r)
        return CUC_FAIL_CU(NULL, r, "cuMemPoolExportPointer",
                           "exporting a buffer of %zu bytes to another process (its pool must be "
                           "created with CUC_MEMORY_POOL_IPC)",
                           buffer->bytes);
    memcpy(out->bytes, &data, sizeof(out->bytes));
    return CUC_OK;
}

cuc_status cuc_buffer_from_ipc_handle(cuc_buffer **out, cuc_stream *stream,
                                      cuc_memory_resource *pool, const cuc_ipc_handle *handle,
                                      size_t bytes)
{
    CUmemPoolPtrExportData data;
    CUdeviceptr ptr = 0;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(pool, MEMORY_RESOURCE);
    CUC_CHECK_NOT_NULL(handle);
    CUC_CHECK(stream, STREAM);
    cuc_status st = check_pool(pool, __func__);
    if (st < 0)
        return st;
    memcpy(&data, handle->bytes, sizeof(data));
    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return CUC_FAIL_CU(NULL, CUC__CU_FORKED, "cuMemPoolImportPointer", "-");
    st = import(&ptr, pool, &data, bytes, __func__);
    if (st < 0)
        return st;
    cuc_buffer_options o = { .struct_size = sizeof(o), .resource = pool, .stream = stream };
    if ((st = check_size(ptr, bytes, stream, __func__)) < 0 ||
        (st = cuc_buffer_from_pointer(out, ptr, bytes, &o)) < 0)
        (void)pool->ops->deallocate(pool, ptr, bytes, stream, NULL);
    return CUC_PASS(st);
}

cuc_status cuc_event_export(cuc_ipc_handle *out, cuc_event *event)
{
    CUipcEventHandle handle;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(event, EVENT);
    if (event->owned && !(event->flags & CUC_EVENT_IPC))
        return CUC_FAIL(
            CUC_ERROR_INVALID_ARGUMENT,
            "the event cannot be shared with other processes: create it with CUC_EVENT_IPC");
    CUC_CALL_IN(st, event->context, cuIpcGetEventHandle, (&handle, event->handle),
                "exporting event %p to another process", (void *)event->handle);
    if (st >= 0)
        memcpy(out->bytes, &handle, sizeof(out->bytes));
    return st;
}

cuc_status cuc_event_from_ipc_handle(cuc_event **out, cuc_device *device,
                                     const cuc_ipc_handle *handle)
{
    CUipcEventHandle given;
    cuc_context *context;
    CUevent event = NULL;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(device, DEVICE);
    CUC_CHECK_NOT_NULL(handle);
    cuc_status st = cuc__device_primary(&context, device, __func__);
    if (st < 0)
        return st;
    memcpy(&given, handle->bytes, sizeof(given));
    CUC_CALL_IN(st, context, cuIpcOpenEventHandle, (&event, given),
                "importing an event of another process on device %d (expected a handle from "
                "cuc_event_export(), of an event that still exists)",
                device->ordinal);
    if (st < 0)
        return st;
    cuc_event *e = cuc__event_wrap(event, context, CUC_EVENT_IPC, true);
    if (!e) {
        CUC_CLEANUP(context, cuEventDestroy, (void *)event, event);
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for an event");
    }
    *out = e;
    return CUC_OK;
}
