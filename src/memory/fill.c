#include "copy.h"

#include "resource.h"
#include "base/options.h"

#include <inttypes.h>

void cuc_fill_2d_params_init(cuc_fill_2d_params *params, size_t size)
{
    cuc__init_options(params, size);
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
    cuc_status st = cuc__copy_check_part(buffer, "buffer", offset, bytes, __func__);
    if (st < 0)
        return st;
    // An empty buffer has no address, so the alignment does not matter.
    CUdeviceptr ptr = buffer->ptr ? buffer->ptr + offset : 0;
    if ((st = check_pattern(pattern, pattern_bytes, ptr, __func__)) < 0)
        return st;
    if (bytes % pattern_bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "bytes is %zu, expected a multiple of the pattern's %u bytes", bytes,
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
                        "row_count is %zu, but that many patterns of %u bytes pass the end of the "
                        "address space",
                        p.row_count, p.pattern_bytes);
    if (p.pitch % p.pattern_bytes)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "pitch is %zu, expected a multiple of the pattern's %u bytes", p.pitch,
                        p.pattern_bytes);
    struct cuc__copy_side dst = { "dst", p.dst, p.pitch, 0, 0, 0, 0 };
    if ((st = cuc__copy_check_side(&dst, row_bytes, p.rows, 1, __func__)) < 0 ||
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
