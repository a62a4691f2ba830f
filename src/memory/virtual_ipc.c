// Exports and imports virtual memory, piece by piece.
#include "virtual.h"

#include "driver/relaxed.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Exports the pieces that contain the buffer. The caller holds the lock.
static cuc_status export_all(cuc_memory_piece *out, size_t capacity, size_t *count,
                             struct cuc__region *r, size_t bytes, const char *function)
{
    size_t n = 0, made = 0, at = 0;
    cuc_status st = CUC_OK;

    for (; n < r->count && at < bytes; n++)
        at += r->pieces[n]->bytes;
    if (out && capacity < n)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "capacity is %zu, and the buffer has %zu pieces", capacity, n);
    for (; out && made < n && st >= 0; made++) {
        int fd = -1;
        int code = cuc__cu.cuMemExportToShareableHandle(
            &fd, r->pieces[made]->handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
        if (code)
            st = cuc__fail_driver(NULL, code, function, "cuMemExportToShareableHandle",
                                  "making a file descriptor for piece %zu of %zu, of %zu bytes "
                                  "(the resource must be created with CUC_MEMORY_VIRTUAL_IPC, and "
                                  "imported memory cannot be exported again)",
                                  made, n, r->pieces[made]->bytes);
        else
            out[made] = (cuc_memory_piece){ .bytes = r->pieces[made]->bytes, .fd = fd };
    }
    if (st < 0) {
        for (size_t i = 0; i + 1 < made; i++) // the last one was not exported
            close(out[i].fd);
        return st;
    }
    *count = n;
    return CUC_OK;
}

cuc_status cuc_buffer_export_pieces(cuc_memory_piece *pieces, size_t capacity, size_t *count,
                                    cuc_buffer *buffer)
{
    cuc_memory_piece *made = NULL;
    size_t n = 0;

    CUC_CHECK_NOT_NULL(count);
    CUC_CHECK(buffer, BUFFER);
    if (!pieces && capacity)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "pieces is NULL and capacity is %zu", capacity);
    cuc_status st = cuc__virtual_check_whole(buffer, __func__);
    if (st < 0)
        return st;
    if (cuc__driver_forked())
        return CUC_FAIL_CU(NULL, CUC__CU_FORKED, "cuMemExportToShareableHandle", "-");
    // Write the caller's array only after all descriptors exist.
    if (pieces && !(made = calloc(capacity ? capacity : 1, sizeof(*made))))
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for %zu pieces", capacity);
    struct cuc__virtual *v = buffer->resource->virtual_memory;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    pthread_mutex_lock(&v->lock);
    struct cuc__region *r = *cuc__region_find(v, buffer->ptr);
    st = r ? export_all(made, capacity, &n, r, buffer->bytes, __func__)
           : CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                      "the buffer's address 0x%llx is not one that its resource has allocated",
                      (unsigned long long)buffer->ptr);
    pthread_mutex_unlock(&v->lock);
    cuc__leave_relaxed_mode(mode);
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

cuc_status cuc_buffer_from_pieces(cuc_buffer **out, cuc_stream *stream,
                                  cuc_memory_resource *resource, const cuc_memory_piece *pieces,
                                  size_t count, size_t bytes)
{
    struct cuc__region *r = NULL;
    uint64_t sum;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(resource, MEMORY_RESOURCE);
    CUC_CHECK_NOT_NULL(pieces);
    if (stream)
        CUC_CHECK(stream, STREAM);
    struct cuc__virtual *v = resource->virtual_memory;
    if (!v)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "the resource is not from cuc_memory_virtual_create()");
    cuc_status st = check_pieces(&sum, v, pieces, count, __func__);
    if (st < 0 || (st = cuc__memory_check_stream(resource, stream, __func__)) < 0)
        return st;
    if (!bytes || bytes > sum)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "bytes is %zu, expected 1 to the %llu that %zu pieces have", bytes,
                        (unsigned long long)sum, count);
    if (cuc__driver_forked())
        return CUC_FAIL_CU(NULL, CUC__CU_FORKED, "cuMemImportFromShareableHandle", "-");
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    pthread_mutex_lock(&v->lock);
    if ((st = cuc__virtual_check_size(v, (size_t)sum, __func__)) >= 0 &&
        (st = cuc__region_begin(&r, v, (size_t)sum, __func__)) >= 0) {
        for (size_t i = 0; i < count && st >= 0; i++)
            st = cuc__region_add_imported(v, r, &pieces[i], __func__);
        if (st < 0)
            (void)cuc__region_end(r, NULL);
        else
            cuc__region_enter(v, r);
    }
    const CUdeviceptr ptr = st < 0 ? 0 : r->base;
    pthread_mutex_unlock(&v->lock);
    cuc__leave_relaxed_mode(mode);
    return st < 0 ? st : cuc__virtual_wrap(out, resource, ptr, bytes, stream, __func__);
}
