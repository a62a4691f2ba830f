#include "buffer.h"
#include "memory_resource.h"
#include "options.h"

#include <cucore/copy.h>

#include <inttypes.h>

#define INIT(name)                                                                                 \
    void cuc_##name##_init(cuc_##name *params, size_t size)                                        \
    {                                                                                              \
        cuc__init_options(params, size);                                                           \
    }
INIT(copy_2d_params)
INIT(copy_3d_params)
INIT(copy_batch_params)
INIT(fill_2d_params)
#undef INIT

cuc_device_ptr cuc_host_address(const void *host)
{
    return (cuc_device_ptr)(uintptr_t)host;
}

static cuc_status check_ranges(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                               const char *function)
{
    // One test for what is right almost always. Overlap in either order wraps to a small number.
    if (dst && src && !cuc__range_wraps(dst, bytes) && !cuc__range_wraps(src, bytes) &&
        dst - src >= bytes && src - dst >= bytes)
        return CUC_OK;
    cuc_status st = cuc__memory_check_range(dst, bytes, "dst", function);
    if (st < 0 || (st = cuc__memory_check_range(src, bytes, "src", function)) < 0)
        return st;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "dst 0x%" PRIx64 " and src 0x%" PRIx64 " overlap for %zu bytes: copy by way "
                     "of other memory",
                     dst, src, bytes);
}

// With `bytes` more than 0.
static cuc_status copy(cuc_stream *stream, CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                       const char *function)
{
    bool pushed;

    cuc_status st = check_ranges(dst, src, bytes, function);
    if (st < 0 || (st = cuc__context_enter(stream->context, &pushed, function)) < 0)
        return st;
    int code = cuc__cu.cuMemcpyAsync(dst, src, bytes, stream->handle);
    if (code)
        st = cuc__fail_driver(stream->context, code, function, "cuMemcpyAsync",
                              "copying %zu bytes from 0x%" PRIx64 " to 0x%" PRIx64 " on a stream of "
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

cuc_status cuc_copy_peer(cuc_stream *stream, cuc_device_ptr dst, cuc_device *dst_device,
                         cuc_device_ptr src, cuc_device *src_device, size_t bytes)
{
    cuc_context *to, *from;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK(dst_device, DEVICE);
    CUC_CHECK(src_device, DEVICE);
    if (!bytes)
        return CUC_OK;
    cuc_status st = check_ranges(dst, src, bytes, __func__);
    if (st < 0 || (st = cuc__device_primary(&to, dst_device, __func__)) < 0 ||
        (st = cuc__device_primary(&from, src_device, __func__)) < 0 ||
        (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    int code = cuc__cu.cuMemcpyPeerAsync(dst, to->handle, src, from->handle, bytes, stream->handle);
    if (code)
        st = CUC_FAIL_CU(stream->context, code, "cuMemcpyPeerAsync",
                         "copying %zu bytes from 0x%" PRIx64 " of device %d to 0x%" PRIx64
                         " of device %d",
                         bytes, src, src_device->ordinal, dst, dst_device->ordinal);
    return CUC_LEAVE(stream->context, pushed, st);
}

static cuc_status check_part(const cuc_buffer *buffer, const char *name, size_t offset,
                             size_t bytes, const char *function)
{
    if (__builtin_expect(offset <= buffer->bytes && bytes <= buffer->bytes - offset, 1))
        return CUC_OK;
    return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                     "%zu bytes at offset %zu pass the end of %s, which has %zu bytes", bytes,
                     offset, name, buffer->bytes);
}

cuc_status cuc_buffer_write(cuc_stream *stream, cuc_buffer *buffer, size_t offset, const void *src,
                            size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(buffer, BUFFER);
    cuc_status st = check_part(buffer, "buffer", offset, bytes, __func__);
    if (st < 0 || !bytes)
        return st;
    CUC_CHECK_NOT_NULL(src);
    return copy(stream, buffer->ptr + offset, cuc_host_address(src), bytes, __func__);
}

cuc_status cuc_buffer_read(cuc_stream *stream, void *dst, const cuc_buffer *buffer, size_t offset,
                           size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(buffer, BUFFER);
    cuc_status st = check_part(buffer, "buffer", offset, bytes, __func__);
    if (st < 0 || !bytes)
        return st;
    CUC_CHECK_NOT_NULL(dst);
    return copy(stream, cuc_host_address(dst), buffer->ptr + offset, bytes, __func__);
}

cuc_status cuc_buffer_copy(cuc_stream *stream, cuc_buffer *dst, size_t dst_offset,
                           const cuc_buffer *src, size_t src_offset, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(dst, BUFFER);
    CUC_CHECK(src, BUFFER);
    cuc_status st = check_part(dst, "dst", dst_offset, bytes, __func__);
    if (st >= 0)
        st = check_part(src, "src", src_offset, bytes, __func__);
    if (st < 0 || !bytes)
        return st;
    return copy(stream, dst->ptr + dst_offset, src->ptr + src_offset, bytes, __func__);
}

// One side of a copy of rows: where it starts, and that all of it is in the address space. A pitch
// or a slice of 0 becomes the smallest one. Every sum and product is checked.
struct side {
    const char *name;
    CUdeviceptr at;
    size_t pitch, slice_rows;
    size_t x, y, z;
};

static cuc_status check_side(struct side *s, size_t row_bytes, size_t rows, size_t slices,
                             const char *function)
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
    bool pushed;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(params);
    cuc_status st = CUC_READ_OPTIONS(&p, params, cuc_copy_2d_params);
    if (st < 0 || !p.row_bytes || !p.rows)
        return st;
    struct side dst = { "dst", p.dst, p.dst_pitch, 0, p.dst_x_bytes, p.dst_y, 0 };
    struct side src = { "src", p.src, p.src_pitch, 0, p.src_x_bytes, p.src_y, 0 };
    if ((st = check_side(&dst, p.row_bytes, p.rows, 1, __func__)) < 0 ||
        (st = check_side(&src, p.row_bytes, p.rows, 1, __func__)) < 0)
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
    if ((st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    int code = cuc__cu.cuMemcpy2DAsync(&copy, stream->handle);
    if (code)
        st = CUC_FAIL_CU(stream->context, code, "cuMemcpy2DAsync",
                         "copying %zu rows of %zu bytes from 0x%" PRIx64 " (pitch %zu) to 0x%" PRIx64
                         " (pitch %zu)",
                         p.rows, p.row_bytes, src.at, src.pitch, dst.at, dst.pitch);
    return CUC_LEAVE(stream->context, pushed, st);
}

cuc_status cuc_copy_3d(cuc_stream *stream, const cuc_copy_3d_params *params)
{
    cuc_copy_3d_params p;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(params);
    cuc_status st = CUC_READ_OPTIONS(&p, params, cuc_copy_3d_params);
    if (st < 0 || !p.row_bytes || !p.rows || !p.slices)
        return st;
    struct side dst = { "dst",         p.dst,   p.dst_pitch, p.dst_slice_rows,
                        p.dst_x_bytes, p.dst_y, p.dst_z };
    struct side src = { "src",         p.src,   p.src_pitch, p.src_slice_rows,
                        p.src_x_bytes, p.src_y, p.src_z };
    if ((st = check_side(&dst, p.row_bytes, p.rows, p.slices, __func__)) < 0 ||
        (st = check_side(&src, p.row_bytes, p.rows, p.slices, __func__)) < 0)
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
    if ((st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    int code = cuc__cu.cuMemcpy3DAsync(&copy, stream->handle);
    if (code)
        st = CUC_FAIL_CU(stream->context, code, "cuMemcpy3DAsync",
                         "copying %zu slices of %zu rows of %zu bytes from 0x%" PRIx64
                         " (pitch %zu, %zu rows a slice) to 0x%" PRIx64
                         " (pitch %zu, %zu rows a slice)",
                         p.slices, p.rows, p.row_bytes, src.at, src.pitch, src.slice_rows, dst.at,
                         dst.pitch, dst.slice_rows);
    return CUC_LEAVE(stream->context, pushed, st);
}

static cuc_status check_batch(const cuc_copy_batch_params *p, const char *function)
{
    if (!p->dst || !p->src || !p->bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "params->%s is NULL, expected %zu entries",
                         !p->dst ? "dst" : !p->src ? "src" : "bytes", p->count);
    for (size_t i = 0; i < p->count; i++) {
        cuc_status st =
            p->bytes[i] ? check_ranges(p->dst[i], p->src[i], p->bytes[i], function) : CUC_OK;
        if (st < 0) {
            cuc__error_note("it is copy %zu of %zu", i, p->count);
            return st;
        }
    }
    size_t given = p->attributes ? p->attribute_count : 0;
    if (given > 1 && given != p->count)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "attribute_count is %zu for %zu copies, expected 0, 1 or as many", given,
                         p->count);
    for (size_t i = 0; i < given; i++) {
        const cuc_copy_attributes *a = &p->attributes[i];
        if (a->source_order < 0 || a->source_order > CUC_COPY_SOURCE_ANY ||
            a->flags & ~(uint32_t)CUC_COPY_OVERLAP_COMPUTE || a->src_hint.type < 0 ||
            a->src_hint.type > CUC_LOCATION_HOST_NUMA_CURRENT || a->dst_hint.type < 0 ||
            a->dst_hint.type > CUC_LOCATION_HOST_NUMA_CURRENT)
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "attribute %zu has source_order %d, flags 0x%x, hints of types %d and "
                             "%d, expected at most 2, 0x1, 4 and 4",
                             i, a->source_order, a->flags, a->src_hint.type, a->dst_hint.type);
    }
    return CUC_OK;
}

static const cuc_copy_attributes *attributes_of(const cuc_copy_batch_params *p, size_t i)
{
    static const cuc_copy_attributes defaults;

    if (!p->attributes || !p->attribute_count)
        return &defaults;
    return &p->attributes[p->attribute_count == 1 ? 0 : i];
}

static bool same_attributes(const cuc_copy_attributes *a, const cuc_copy_attributes *b)
{
    return a == b || (a->source_order == b->source_order && a->flags == b->flags &&
                      a->src_hint.type == b->src_hint.type && a->src_hint.id == b->src_hint.id &&
                      a->dst_hint.type == b->dst_hint.type && a->dst_hint.id == b->dst_hint.id);
}

// The driver takes attributes as runs of equal ones, and no empty copy. A piece of a batch that
// has no more runs than fit goes into one call, so that no batch needs host memory.
enum { RUNS = 32 };

struct piece {
    CUmemcpyAttributes attributes[RUNS];
    size_t starts[RUNS];
    size_t runs, count;
};

static void cut_piece(struct piece *piece, const cuc_copy_batch_params *p, size_t from)
{
    static const CUmemcpySrcAccessOrder orders[] = {
        [CUC_COPY_SOURCE_STREAM] = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
        [CUC_COPY_SOURCE_DURING_CALL] = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
        [CUC_COPY_SOURCE_ANY] = CU_MEMCPY_SRC_ACCESS_ORDER_ANY,
    };
    const cuc_copy_attributes *last = NULL;

    piece->runs = 0;
    for (piece->count = 0; from + piece->count < p->count && p->bytes[from + piece->count];
         piece->count++) {
        const cuc_copy_attributes *a = attributes_of(p, from + piece->count);
        if (last && same_attributes(a, last))
            continue;
        if (piece->runs == RUNS)
            return;
        piece->attributes[piece->runs] = (CUmemcpyAttributes){
            .srcAccessOrder = orders[a->source_order],
            .srcLocHint = { (CUmemLocationType)a->src_hint.type, a->src_hint.id },
            .dstLocHint = { (CUmemLocationType)a->dst_hint.type, a->dst_hint.id },
            .flags = a->flags,
        };
        piece->starts[piece->runs++] = piece->count;
        last = a;
    }
}

static cuc_status copy_one_by_one(cuc_stream *stream, const cuc_copy_batch_params *p,
                                  const char *function)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->bytes[i] && attributes_of(p, i)->source_order == CUC_COPY_SOURCE_DURING_CALL)
            return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                             "copy %zu asks for its source to be read during the call, which needs "
                             "a driver of CUDA 13.0 (this is %d.%d), and a stream that is neither "
                             "the legacy default one nor being captured",
                             i, cuc__driver_version() / 1000, cuc__driver_version() % 1000 / 10);
    for (size_t i = 0; i < p->count; i++) {
        int code = p->bytes[i] ? cuc__cu.cuMemcpyAsync(p->dst[i], p->src[i], p->bytes[i],
                                                       stream->handle)
                               : 0;
        if (code)
            return cuc__fail_driver(stream->context, code, function, "cuMemcpyAsync",
                                    "copy %zu of %zu: %zu bytes from 0x%" PRIx64 " to 0x%" PRIx64,
                                    i, p->count, p->bytes[i], p->src[i], p->dst[i]);
    }
    return CUC_OK;
}

static bool takes_batches(const cuc_stream *stream)
{
    CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;

    return cuc__driver_version() >= 13000 && stream->handle != CU_STREAM_LEGACY &&
           !cuc__cu.cuStreamIsCapturing(stream->handle, &capture) &&
           capture == CU_STREAM_CAPTURE_STATUS_NONE;
}

static cuc_status copy_in_pieces(cuc_stream *stream, const cuc_copy_batch_params *p,
                                 const char *function)
{
    struct piece piece;

    for (size_t i = 0; i < p->count; i += piece.count ? piece.count : 1) {
        cut_piece(&piece, p, i);
        if (!piece.count)
            continue; // an empty copy
        // The driver's parameters are not const, though it only reads them.
        int code = cuc__cu.cuMemcpyBatchAsync(
            (CUdeviceptr *)(uintptr_t)(p->dst + i), (CUdeviceptr *)(uintptr_t)(p->src + i),
            (size_t *)(uintptr_t)(p->bytes + i), piece.count, piece.attributes, piece.starts,
            piece.runs, stream->handle);
        if (code)
            return cuc__fail_driver(stream->context, code, function, "cuMemcpyBatchAsync",
                                    "copies %zu to %zu of %zu", i, i + piece.count - 1, p->count);
    }
    return CUC_OK;
}

cuc_status cuc_copy_batch(cuc_stream *stream, const cuc_copy_batch_params *params)
{
    cuc_copy_batch_params p;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(params);
    cuc_status st = CUC_READ_OPTIONS(&p, params, cuc_copy_batch_params);
    if (st < 0 || !p.count || (st = check_batch(&p, __func__)) < 0 ||
        (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    st = takes_batches(stream) ? copy_in_pieces(stream, &p, __func__)
                               : copy_one_by_one(stream, &p, __func__);
    return CUC_LEAVE(stream->context, pushed, st);
}

static cuc_status check_pattern(uint32_t pattern, uint32_t pattern_bytes, CUdeviceptr ptr,
                                const char *function)
{
    if (pattern_bytes != 1 && pattern_bytes != 2 && pattern_bytes != 4)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "pattern_bytes is %u, expected 1, 2 or 4", pattern_bytes);
    if (pattern_bytes < 4 && pattern >> 8 * pattern_bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "pattern is 0x%x, which does not fit in %u bytes", pattern, pattern_bytes);
    if (ptr % pattern_bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the fill starts at 0x%" PRIx64 ", which is not aligned to the pattern's "
                         "%u bytes",
                         ptr, pattern_bytes);
    return CUC_OK;
}

static cuc_status fill(cuc_stream *stream, CUdeviceptr ptr, uint32_t pattern,
                       uint32_t pattern_bytes, size_t count, const char *function)
{
    const char *call;
    bool pushed;
    int code;

    cuc_status st = cuc__context_enter(stream->context, &pushed, function);
    if (st < 0)
        return st;
    switch (pattern_bytes) {
    case 1:
        call = "cuMemsetD8Async";
        code = cuc__cu.cuMemsetD8Async(ptr, (uint8_t)pattern, count, stream->handle);
        break;
    case 2:
        call = "cuMemsetD16Async";
        code = cuc__cu.cuMemsetD16Async(ptr, (uint16_t)pattern, count, stream->handle);
        break;
    default:
        call = "cuMemsetD32Async";
        code = cuc__cu.cuMemsetD32Async(ptr, pattern, count, stream->handle);
    }
    if (code)
        st = cuc__fail_driver(stream->context, code, function, call,
                              "filling 0x%" PRIx64 " with %zu times 0x%x of %u bytes", ptr, count,
                              pattern, pattern_bytes);
    return cuc__context_leave(stream->context, pushed, st, function);
}

cuc_status cuc_fill(cuc_stream *stream, cuc_device_ptr ptr, uint32_t pattern,
                    uint32_t pattern_bytes, size_t count)
{
    size_t bytes;

    CUC_CHECK(stream, STREAM);
    cuc_status st = check_pattern(pattern, pattern_bytes, ptr, __func__);
    if (st < 0 || !count)
        return st;
    if (__builtin_mul_overflow(count, (size_t)pattern_bytes, &bytes))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "count is %zu, and as many patterns of %u bytes pass the end of the "
                        "address space",
                        count, pattern_bytes);
    if ((st = cuc__memory_check_range(ptr, bytes, "ptr", __func__)) < 0)
        return st;
    return fill(stream, ptr, pattern, pattern_bytes, count, __func__);
}

cuc_status cuc_buffer_fill(cuc_stream *stream, cuc_buffer *buffer, size_t offset, uint32_t pattern,
                           uint32_t pattern_bytes, size_t bytes)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK(buffer, BUFFER);
    cuc_status st = check_part(buffer, "buffer", offset, bytes, __func__);
    if (st < 0)
        return st;
    // An empty buffer has no address to be aligned.
    CUdeviceptr ptr = buffer->ptr ? buffer->ptr + offset : 0;
    if ((st = check_pattern(pattern, pattern_bytes, ptr, __func__)) < 0)
        return st;
    if (bytes % pattern_bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "bytes is %zu, which is no multiple of the pattern's %u bytes", bytes,
                        pattern_bytes);
    return bytes ? fill(stream, ptr, pattern, pattern_bytes, bytes / pattern_bytes, __func__)
                 : CUC_OK;
}

cuc_status cuc_fill_2d(cuc_stream *stream, const cuc_fill_2d_params *params)
{
    cuc_fill_2d_params p;
    size_t row_bytes;
    const char *call;
    bool pushed;
    int code;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK_NOT_NULL(params);
    cuc_status st = CUC_READ_OPTIONS(&p, params, cuc_fill_2d_params);
    if (st < 0 || (st = check_pattern(p.pattern, p.pattern_bytes, p.dst, __func__)) < 0 ||
        !p.row_count || !p.rows)
        return st;
    if (__builtin_mul_overflow(p.row_count, (size_t)p.pattern_bytes, &row_bytes))
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "row_count is %zu, and as many patterns of %u bytes pass the end of the "
                        "address space",
                        p.row_count, p.pattern_bytes);
    if (p.pitch % p.pattern_bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "pitch is %zu, which is no multiple of the pattern's %u bytes", p.pitch,
                        p.pattern_bytes);
    struct side dst = { "dst", p.dst, p.pitch, 0, 0, 0, 0 };
    if ((st = check_side(&dst, row_bytes, p.rows, 1, __func__)) < 0 ||
        (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    switch (p.pattern_bytes) {
    case 1:
        call = "cuMemsetD2D8Async";
        code = cuc__cu.cuMemsetD2D8Async(p.dst, dst.pitch, (uint8_t)p.pattern, p.row_count, p.rows,
                                         stream->handle);
        break;
    case 2:
        call = "cuMemsetD2D16Async";
        code = cuc__cu.cuMemsetD2D16Async(p.dst, dst.pitch, (uint16_t)p.pattern, p.row_count,
                                          p.rows, stream->handle);
        break;
    default:
        call = "cuMemsetD2D32Async";
        code = cuc__cu.cuMemsetD2D32Async(p.dst, dst.pitch, p.pattern, p.row_count, p.rows,
                                          stream->handle);
    }
    if (code)
        st = CUC_FAIL_CU(stream->context, code, call,
                         "filling %zu rows of %zu times 0x%x of %u bytes at 0x%" PRIx64
                         " (pitch %zu)",
                         p.rows, p.row_count, p.pattern, p.pattern_bytes, p.dst, dst.pitch);
    return CUC_LEAVE(stream->context, pushed, st);
}
