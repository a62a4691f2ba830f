#include "copy.h"

#include "resource.h"
#include "base/options.h"

#include <inttypes.h>

void cuc_copy_2d_params_init(cuc_copy_2d_params *params, size_t size)
{
    cuc__init_options(params, size);
}

void cuc_copy_3d_params_init(cuc_copy_3d_params *params, size_t size)
{
    cuc__init_options(params, size);
}

cuc_device_ptr cuc_host_address(const void *host)
{
    return (cuc_device_ptr)(uintptr_t)host;
}

cuc_status cuc__copy_check_ranges(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                                  const char *function)
{
    // One test covers the common case: if the ranges overlap, in either order, one of the unsigned
    // differences is below `bytes`.
    if (dst && src && !cuc__range_wraps(dst, bytes) && !cuc__range_wraps(src, bytes) &&
        dst - src >= bytes && src - dst >= bytes)
        return CUC_OK;
    cuc_status st = cuc__memory_check_range(dst, bytes, "dst", function);
    if (st < 0 || (st = cuc__memory_check_range(src, bytes, "src", function)) < 0)
        return st;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "dst 0x%" PRIx64 " and src 0x%" PRIx64
                     " overlap for %zu bytes: copy through a third buffer",
                     dst, src, bytes);
}

// Copies `bytes` bytes, which must not be 0.
static cuc_status copy(cuc_stream *stream, CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                       const char *function)
{
    bool pushed;

    cuc_status st = cuc__copy_check_ranges(dst, src, bytes, function);
    if (st < 0 || (st = cuc__context_enter(stream->context, &pushed, function)) < 0)
        return st;
    int code = cuc__cu.cuMemcpyAsync(dst, src, bytes, stream->handle);
    if (code)
        st = cuc__fail_driver(stream->context, code, function, "cuMemcpyAsync",
                              "copying %zu bytes from 0x%" PRIx64 " to 0x%" PRIx64
                              " on a stream of "
                              "device %d",
                              bytes, src, dst, stream->device->ordinal);
    return cuc__context_leave(stream->context, pushed, st, function);
}

cuc_status cuc_copy(cuc_stream *stream, cuc_device_ptr dst, cuc_device_ptr src, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    return bytes ? copy(stream, dst, src, bytes, __func__) : CUC_OK;
}

cuc_status cuc_copy_to_device(cuc_stream *stream, cuc_device_ptr dst, const void *src, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    return bytes ? copy(stream, dst, cuc_host_address(src), bytes, __func__) : CUC_OK;
}

cuc_status cuc_copy_to_host(cuc_stream *stream, void *dst, cuc_device_ptr src, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    return bytes ? copy(stream, cuc_host_address(dst), src, bytes, __func__) : CUC_OK;
}

// Copies between memory of two known devices.
static cuc_status copy_peer(cuc_stream *stream, CUdeviceptr dst, cuc_device *dst_device,
                            CUdeviceptr src, cuc_device *src_device, size_t bytes,
                            const char *function)
{
    cuc_context *to, *from;
    bool pushed;

    cuc_status st = cuc__copy_check_ranges(dst, src, bytes, function);
    if (st < 0 || (st = cuc__device_primary(&to, dst_device, function)) < 0 ||
        (st = cuc__device_primary(&from, src_device, function)) < 0 ||
        (st = cuc__context_enter(stream->context, &pushed, function)) < 0)
        return st;
    int code = cuc__cu.cuMemcpyPeerAsync(dst, to->handle, src, from->handle, bytes, stream->handle);
    if (code)
        st = cuc__fail_driver(stream->context, code, function, "cuMemcpyPeerAsync",
                              "copying %zu bytes from 0x%" PRIx64 " of device %d to 0x%" PRIx64
                              " of device %d",
                              bytes, src, src_device->ordinal, dst, dst_device->ordinal);
    return cuc__context_leave(stream->context, pushed, st, function);
}

cuc_status cuc_copy_peer(cuc_stream *stream, cuc_device_ptr dst, cuc_device *dst_device,
                         cuc_device_ptr src, cuc_device *src_device, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(dst_device, DEVICE);
    CUC_CHECK(src_device, DEVICE);
    return bytes ? copy_peer(stream, dst, dst_device, src, src_device, bytes, __func__) : CUC_OK;
}

cuc_status cuc__copy_check_part(const cuc_buffer *buffer, const char *name, size_t offset,
                                size_t bytes, const char *function)
{
    if (__builtin_expect(offset <= buffer->bytes && bytes <= buffer->bytes - offset, 1))
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "%zu bytes at offset %zu pass the end of %s, which has %zu bytes", bytes,
                     offset, name, buffer->bytes);
}

cuc_status cuc_buffer_write_async(cuc_stream *stream, cuc_buffer *buffer, size_t offset,
                                  const void *src, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(buffer, BUFFER);
    cuc_status st = cuc__copy_check_part(buffer, "buffer", offset, bytes, __func__);
    if (st < 0 || !bytes)
        return st;
    CUC_CHECK_NOT_NULL(src);
    return copy(stream, buffer->ptr + offset, cuc_host_address(src), bytes, __func__);
}

cuc_status cuc_buffer_read_async(cuc_stream *stream, void *dst, const cuc_buffer *buffer,
                                 size_t offset, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(buffer, BUFFER);
    cuc_status st = cuc__copy_check_part(buffer, "buffer", offset, bytes, __func__);
    if (st < 0 || !bytes)
        return st;
    CUC_CHECK_NOT_NULL(dst);
    return copy(stream, cuc_host_address(dst), buffer->ptr + offset, bytes, __func__);
}

// Returns the device of memory that no other device can access, or NULL for other memory.
static cuc_device *only_device(const cuc_buffer *buffer)
{
    return cuc__buffer_access(buffer) == CUC_MEMORY_ACCESS_DEVICE ? cuc__buffer_device(buffer)
                                                                  : NULL;
}

// Copies between any two buffers, even if one of them is not described yet or belongs to another
// device than the stream.
static cuc_status __attribute__((noinline))
copy_any(cuc_stream *stream, const cuc_buffer *dst, CUdeviceptr to, const cuc_buffer *src,
         CUdeviceptr from, size_t bytes, const char *function)
{
    cuc_status st = cuc__buffer_describe(dst, function);

    if (st < 0 || (st = cuc__buffer_describe(src, function)) < 0)
        return st;
    cuc_device *of_dst = only_device(dst), *of_src = only_device(src);
    // The driver refuses cuMemcpyAsync() if the stream's device has no access to a pool's memory.
    if (of_dst && of_src && (of_dst != stream->device || of_src != stream->device))
        return copy_peer(stream, to, of_dst, from, of_src, bytes, function);
    return copy(stream, to, from, bytes, function);
}

cuc_status cuc_buffer_copy(cuc_stream *stream, cuc_buffer *dst, size_t dst_offset,
                           const cuc_buffer *src, size_t src_offset, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(dst, BUFFER);
    CUC_CHECK(src, BUFFER);
    cuc_status st = cuc__copy_check_part(dst, "dst", dst_offset, bytes, __func__);
    if (st >= 0)
        st = cuc__copy_check_part(src, "src", src_offset, bytes, __func__);
    if (st < 0 || !bytes)
        return st;
    const CUdeviceptr to = dst->ptr + dst_offset, from = src->ptr + src_offset;
    if (only_device(dst) != stream->device || only_device(src) != stream->device)
        return copy_any(stream, dst, to, src, from, bytes, __func__);
    return copy(stream, to, from, bytes, __func__);
}

cuc_status cuc__copy_check_side(struct cuc__copy_side *s, size_t row_bytes, size_t rows,
                                size_t slices, const char *function)
{
    size_t row_end, slice_end, last_slice, last_row, end;

    if (__builtin_add_overflow(s->x, row_bytes, &row_end) ||
        __builtin_add_overflow(s->y, rows, &slice_end))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s starts at byte %zu of row %zu, and %zu bytes of %zu rows from there "
                         "pass the end of the address space",
                         s->name, s->x, s->y, row_bytes, rows);
    if (!s->pitch)
        s->pitch = row_end;
    if (!s->slice_rows)
        s->slice_rows = slice_end;
    if (s->pitch < row_end)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s_pitch is %zu, below %s_x_bytes + row_bytes, which is %zu + %zu",
                         s->name, s->pitch, s->name, s->x, row_bytes);
    if (s->slice_rows < slice_end)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s_slice_rows is %zu, below %s_y + rows, which is %zu + %zu", s->name,
                         s->slice_rows, s->name, s->y, rows);
    if (!s->at)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "%s is 0, expected an address",
                         s->name);
    if (__builtin_add_overflow(s->z, slices - 1, &last_slice) ||
        __builtin_mul_overflow(last_slice, s->slice_rows, &last_row) ||
        __builtin_add_overflow(last_row, slice_end - 1, &last_row) ||
        __builtin_mul_overflow(last_row, s->pitch, &end) ||
        __builtin_add_overflow(end, row_end, &end) || cuc__range_wraps(s->at, end))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "%s is 0x%" PRIx64 ", and %zu slices of %zu rows of %zu bytes, %zu rows "
                         "and %zu bytes apart, pass the end of the address space",
                         s->name, s->at, slices, rows, row_bytes, s->slice_rows, s->pitch);
    return CUC_OK;
}

cuc_status cuc_copy_2d(cuc_stream *stream, const cuc_copy_2d_params *params)
{
    cuc_copy_2d_params p;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(params);
    cuc_status st = CUC_READ_OPTIONS(&p, params, cuc_copy_2d_params);
    if (st < 0 || !p.row_bytes || !p.rows)
        return st;
    struct cuc__copy_side dst = { "dst", p.dst, p.dst_pitch, 0, p.dst_x_bytes, p.dst_y, 0 };
    struct cuc__copy_side src = { "src", p.src, p.src_pitch, 0, p.src_x_bytes, p.src_y, 0 };
    if ((st = cuc__copy_check_side(&dst, p.row_bytes, p.rows, 1, __func__)) < 0 ||
        (st = cuc__copy_check_side(&src, p.row_bytes, p.rows, 1, __func__)) < 0)
        return st;
    CUDA_MEMCPY2D copy = {
        .srcXInBytes = src.x,
        .srcY = src.y,
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = src.at,
        .srcPitch = src.pitch,
        .dstXInBytes = dst.x,
        .dstY = dst.y,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = dst.at,
        .dstPitch = dst.pitch,
        .WidthInBytes = p.row_bytes,
        .Height = p.rows,
    };
    CUC_CALL_IN(st, stream->context, cuMemcpy2DAsync, (&copy, stream->handle),
                "copying %zu rows of %zu bytes from 0x%" PRIx64 " (pitch %zu) to 0x%" PRIx64
                " (pitch %zu)",
                p.rows, p.row_bytes, src.at, src.pitch, dst.at, dst.pitch);
    return st;
}

cuc_status cuc_copy_3d(cuc_stream *stream, const cuc_copy_3d_params *params)
{
    cuc_copy_3d_params p;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(params);
    cuc_status st = CUC_READ_OPTIONS(&p, params, cuc_copy_3d_params);
    if (st < 0 || !p.row_bytes || !p.rows || !p.slices)
        return st;
    struct cuc__copy_side dst = { "dst",         p.dst,   p.dst_pitch, p.dst_slice_rows,
                                  p.dst_x_bytes, p.dst_y, p.dst_z };
    struct cuc__copy_side src = { "src",         p.src,   p.src_pitch, p.src_slice_rows,
                                  p.src_x_bytes, p.src_y, p.src_z };
    if ((st = cuc__copy_check_side(&dst, p.row_bytes, p.rows, p.slices, __func__)) < 0 ||
        (st = cuc__copy_check_side(&src, p.row_bytes, p.rows, p.slices, __func__)) < 0)
        return st;
    CUDA_MEMCPY3D copy = {
        .srcXInBytes = src.x,
        .srcY = src.y,
        .srcZ = src.z,
        .srcMemoryType = CU_MEMORYTYPE_UNIFIED,
        .srcDevice = src.at,
        .srcPitch = src.pitch,
        .srcHeight = src.slice_rows,
        .dstXInBytes = dst.x,
        .dstY = dst.y,
        .dstZ = dst.z,
        .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
        .dstDevice = dst.at,
        .dstPitch = dst.pitch,
        .dstHeight = dst.slice_rows,
        .WidthInBytes = p.row_bytes,
        .Height = p.rows,
        .Depth = p.slices,
    };
    CUC_CALL_IN(st, stream->context, cuMemcpy3DAsync, (&copy, stream->handle),
                "copying %zu slices of %zu rows of %zu bytes from 0x%" PRIx64
                " (pitch %zu, %zu rows a slice) to 0x%" PRIx64 " (pitch %zu, %zu rows a slice)",
                p.slices, p.rows, p.row_bytes, src.at, src.pitch, src.slice_rows, dst.at, dst.pitch,
                dst.slice_rows);
    return st;
}
