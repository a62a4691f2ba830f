// Copies and fills. Every form is converted to rows of bytes, checked, and performed on host
// memory.
#include "shell.h"

#include "sim/machine/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Computes the distance from the first byte to the end of the last row. False if it exceeds the
// address range.
static bool reach_of(size_t depth, size_t slice, size_t height, size_t pitch, size_t width,
                     size_t *bytes)
{
    size_t slices, rows;

    return !__builtin_mul_overflow(depth - 1, slice, &slices) &&
           !__builtin_mul_overflow(height - 1, pitch, &rows) &&
           !__builtin_add_overflow(slices, rows, &rows) &&
           !__builtin_add_overflow(rows, width, bytes);
}

// Reports an invalid source or destination.
static CUresult record_end(const char *what, const void *at, size_t bytes, CUresult code)
{
    char where[256] = "which no memory of this process is";
    CUdeviceptr ptr = (CUdeviceptr)(uintptr_t)at;
    const struct allocation *a = sim_find(ptr);

    if (a && a->freeing)
        snprintf(where, sizeof(where), "in %zu byte%s at 0x%llx that were freed by cuMemFreeAsync",
                 a->bytes, SIM_S(a->bytes), (unsigned long long)a->base);
    else if (a || sim_in_arena(ptr))
        sim_memory_words(ptr, bytes, where, sizeof(where));
    sim_warn("%s of %zu byte%s at 0x%llx, %s", what, bytes, SIM_S(bytes), (unsigned long long)ptr,
             where);
    return code;
}

static CUresult check_copy(const struct copy *c, bool in_turn)
{
    size_t to, from;

    if (!reach_of(c->depth, c->dst_slice, c->height, c->dst_pitch, c->width, &to) ||
        !reach_of(c->depth, c->src_slice, c->height, c->src_pitch, c->width, &from))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_check_range((CUdeviceptr)(uintptr_t)c->dst, to, in_turn);
    if (code)
        return record_end("a copy: write", c->dst, to, code);
    code = sim_check_range((CUdeviceptr)(uintptr_t)c->src, from, in_turn);
    return code ? record_end("a copy: read", c->src, from, code) : CUDA_SUCCESS;
}

static CUresult check_fill(const struct fill *f, bool in_turn)
{
    size_t width, bytes;

    if (__builtin_mul_overflow(f->width, f->element, &width) ||
        !reach_of(1, 0, f->height, f->pitch, width, &bytes))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = sim_check_range((CUdeviceptr)(uintptr_t)f->dst, bytes, in_turn);
    return code ? record_end("a fill: write", f->dst, bytes, code) : CUDA_SUCCESS;
}

CUresult sim_run_copy(const struct copy *c, bool unlocked)
{
    CUresult code = check_copy(c, true);

    if (unlocked)
        sim_unlock();
    for (size_t z = 0; z < c->depth && !code; z++)
        for (size_t y = 0; y < c->height; y++) {
            unsigned char *to = c->dst + z * c->dst_slice + y * c->dst_pitch;
            const unsigned char *from = c->src + z * c->src_slice + y * c->src_pitch;
            memmove(to, from, c->width);
            sim_note_written((CUdeviceptr)(uintptr_t)to, (CUdeviceptr)(uintptr_t)from, c->width);
        }
    if (unlocked)
        sim_lock();
    return code;
}

CUresult sim_run_fill(const struct fill *f, bool unlocked)
{
    CUresult code = check_fill(f, true);

    if (unlocked)
        sim_unlock();
    for (size_t y = 0; y < f->height && !code; y++) {
        unsigned char *row = f->dst + y * f->pitch;
        if (f->element == 1)
            memset(row, (int)f->value, f->width);
        else
            for (size_t x = 0; x < f->width; x++)
                memcpy(row + x * f->element, &f->value, f->element); // little-endian: copies the
                                                                     // low bytes
        sim_note_written((CUdeviceptr)(uintptr_t)row, 0, f->width * f->element);
    }
    if (unlocked)
        sim_lock();
    return code;
}

// Submits a copy or fill. An access that is out of bounds destroys the context, like a fault on a
// GPU, and is reported at once. A graph node is not checked yet, since it has not accessed
// anything.
static CUresult submit(struct stream *s, const struct work *work, CUresult bad)
{
    if (s->capture)
        return sim_submit(s, work);
    if (bad && bad != CUDA_ERROR_INVALID_VALUE) // an invalid argument is not an access
        sim_lose(s->head.context, bad);
    return bad ? bad : sim_submit(s, work);
}

// Copies pageable memory that a copy will read, as the driver does, so that the caller may change
// the memory once the call returns.
static void stage(struct copy *c)
{
    CUdeviceptr src = (CUdeviceptr)(uintptr_t)c->src;

    if (sim_find(src) || sim_in_arena(src))
        return;
    unsigned char *to = malloc(c->width * c->height * c->depth);
    if (!to)
        return; // the copy reads the memory when it runs
    c->staged = to;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++, to += c->width)
            memcpy(to, c->src + z * c->src_slice + y * c->src_pitch, c->width);
    c->src = c->staged;
    c->src_pitch = c->width;
    c->src_slice = c->width * c->height;
}

// `waits`: the caller waits for the copy, so pageable memory need not be staged.
static CUresult copy(struct stream *s, const struct copy *c, bool waits)
{
    struct work work = { .op = OP_COPY, .copy = *c };

    if (!c->width || !c->height || !c->depth)
        return CUDA_SUCCESS;
    if (!c->dst || !c->src)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult bad = s->capture ? CUDA_SUCCESS : check_copy(c, false);
    if (!s->capture && !bad && !waits)
        stage(&work.copy);
    return submit(s, &work, bad);
}

static CUresult copy_bytes(struct stream *s, CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                           bool waits)
{
    struct copy c = { .dst = (unsigned char *)(uintptr_t)dst,
                      .src = (const unsigned char *)(uintptr_t)src,
                      .width = bytes,
                      .height = 1,
                      .depth = 1 };

    return copy(s, &c, waits);
}

CUresult sim_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
    struct stream *s;
    CUresult code = sim_stream_of(NULL, &s);

    if (!code)
        code = sim_capture_implicit(s);
    if (!code)
        code = copy_bytes(s, dst, src, bytes, true);
    return code ? code : sim_cuStreamSynchronize(NULL);
}

// Returns true if the memory is in a pool, and the stream's device cannot access this pool.
// cuMemcpyPeerAsync() can access the memory anyway.
static bool is_closed_to(const struct stream *s, CUdeviceptr ptr)
{
    const struct allocation *a = sim_find(ptr);
    const struct pool *p = a ? a->pool : NULL;
    const int device = s->head.context->device;

    return p && p->props.location.type == CU_MEM_LOCATION_TYPE_DEVICE && p->device != device &&
           !p->access[device];
}

CUresult sim_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code && (is_closed_to(s, dst) || is_closed_to(s, src)))
        code = CUDA_ERROR_INVALID_VALUE;
    return code ? code : copy_bytes(s, dst, src, bytes, false);
}

static CUresult check_context(CUcontext handle)
{
    if (sim_object(handle, KIND_CONTEXT))
        return CUDA_SUCCESS;
    return sim_was_handle(handle) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult sim_cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dst_ctx, CUdeviceptr src,
                               CUcontext src_ctx, size_t bytes, CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code)
        code = check_context(dst_ctx);
    if (!code)
        code = check_context(src_ctx);
    return code ? code : copy_bytes(s, dst, src, bytes, false);
}

// One side of a 2-D or 3-D copy.
struct end {
    CUmemorytype type;
    const void *host;
    CUdeviceptr device;
    size_t x, y, z, pitch, height;
};

static CUresult resolve(const struct end *e, const CUDA_MEMCPY3D *c, CUdeviceptr *base,
                        size_t *pitch, size_t *slice)
{
    *pitch = e->pitch ? e->pitch : e->x + c->WidthInBytes;
    size_t rows = e->height ? e->height : e->y + c->Height;

    switch (e->type) {
    case CU_MEMORYTYPE_HOST:
        *base = (CUdeviceptr)(uintptr_t)e->host;
        break;
    case CU_MEMORYTYPE_DEVICE:
        *base = e->device;
        if (!sim_in_arena(*base) && !sim_find(*base))
            return CUDA_ERROR_INVALID_VALUE; // a host pointer passed as a device pointer
        break;
    case CU_MEMORYTYPE_UNIFIED:
        *base = e->device;
        break;
    case CU_MEMORYTYPE_ARRAY:
        return CUDA_ERROR_NOT_SUPPORTED;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!*base || e->x + c->WidthInBytes > *pitch || (c->Depth > 1 && e->y + c->Height > rows))
        return CUDA_ERROR_INVALID_VALUE;
    *slice = *pitch * rows;
    *base += e->z * *slice + e->y * *pitch + e->x;
    return CUDA_SUCCESS;
}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream stream)
{
    const struct end from = { c->srcMemoryType, c->srcHost, c->srcDevice, c->srcXInBytes,
                              c->srcY,          c->srcZ,    c->srcPitch,  c->srcHeight };
    const struct end to = { c->dstMemoryType, c->dstHost, c->dstDevice, c->dstXInBytes,
                            c->dstY,          c->dstZ,    c->dstPitch,  c->dstHeight };
    struct copy rows = { .width = c->WidthInBytes, .height = c->Height, .depth = c->Depth };
    CUdeviceptr src, dst;
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (code || !c->WidthInBytes || !c->Height || !c->Depth)
        return code;
    if (c->srcLOD || c->dstLOD)
        return CUDA_ERROR_INVALID_VALUE;
    code = resolve(&from, c, &src, &rows.src_pitch, &rows.src_slice);
    if (!code)
        code = resolve(&to, c, &dst, &rows.dst_pitch, &rows.dst_slice);
    if (code)
        return code;
    rows.src = (const unsigned char *)(uintptr_t)src;
    rows.dst = (unsigned char *)(uintptr_t)dst;
    return copy(s, &rows, false);
}

CUresult sim_cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream stream)
{
    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    size_t most = 2147483647;
    if (c->srcPitch > most || c->dstPitch > most)
        return CUDA_ERROR_INVALID_VALUE;
    const CUDA_MEMCPY3D wide = {
        .srcXInBytes = c->srcXInBytes,
        .srcY = c->srcY,
        .srcMemoryType = c->srcMemoryType,
        .srcHost = c->srcHost,
        .srcDevice = c->srcDevice,
        .srcPitch = c->srcPitch,
        .dstXInBytes = c->dstXInBytes,
        .dstY = c->dstY,
        .dstMemoryType = c->dstMemoryType,
        .dstHost = c->dstHost,
        .dstDevice = c->dstDevice,
        .dstPitch = c->dstPitch,
        .WidthInBytes = c->WidthInBytes,
        .Height = c->Height,
        .Depth = 1,
    };
    return copy_3d(&wide, stream);
}

CUresult sim_cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream stream)
{
    if (!c || c->reserved0 || c->reserved1)
        return CUDA_ERROR_INVALID_VALUE;
    return copy_3d(c, stream);
}

CUresult sim_cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *c, CUstream stream)
{
    CUDA_MEMCPY3D same;

    if (!c)
        return CUDA_ERROR_INVALID_VALUE;
    // The contexts matter only for addresses of type DEVICE.
    CUresult code = c->srcMemoryType == CU_MEMORYTYPE_DEVICE ? check_context(c->srcContext) : 0;
    if (!code && c->dstMemoryType == CU_MEMORYTYPE_DEVICE)
        code = check_context(c->dstContext);
    if (code)
        return code;
    _Static_assert(sizeof(same) == sizeof(*c), "the two differ in the names of two words");
    memcpy(&same, c, sizeof(same));
    return copy_3d(&same, stream);
}

CUresult sim_cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes, size_t count,
                                CUmemcpyAttributes *attrs, size_t *attr_starts, size_t attr_count,
                                CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (code)
        return code;
    if (!dsts || !srcs || !sizes || !count || !attrs || !attr_starts || !attr_count ||
        attr_count > count || attr_starts[0] || s == s->head.context->legacy)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < attr_count; i++) {
        if (attrs[i].srcAccessOrder < CU_MEMCPY_SRC_ACCESS_ORDER_STREAM ||
            attrs[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_ANY ||
            attrs[i].flags > CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE ||
            (i && (attr_starts[i] <= attr_starts[i - 1] || attr_starts[i] >= count)))
            return CUDA_ERROR_INVALID_VALUE;
    }
    for (size_t i = 0; i < count; i++)
        if (!sizes[i])
            return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !code; i++)
        code = copy_bytes(s, dsts[i], srcs[i], sizes[i], false);
    return code;
}

// Fills, whose memory must be known to the driver

static CUresult fill(CUdeviceptr dst, size_t pitch, uint32_t value, unsigned element, size_t width,
                     size_t height, CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (code || !width || !height)
        return code;
    if (dst % element || pitch % element || (height > 1 && pitch < width * element) ||
        (!sim_in_arena(dst) && !sim_find(dst)))
        return CUDA_ERROR_INVALID_VALUE;
    struct fill f = { .dst = (unsigned char *)(uintptr_t)dst,
                      .pitch = pitch,
                      .width = width,
                      .height = height,
                      .value = value,
                      .element = element };
    return submit(s, &(struct work){ .op = OP_FILL, .fill = f },
                  s->capture ? CUDA_SUCCESS : check_fill(&f, false));
}

CUresult sim_cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream)
{
    return fill(dst, 0, value, 1, count, 1, stream);
}

CUresult sim_cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count, CUstream stream)
{
    return fill(dst, 0, value, 2, count, 1, stream);
}

CUresult sim_cuMemsetD32Async(CUdeviceptr dst, unsigned value, size_t count, CUstream stream)
{
    return fill(dst, 0, value, 4, count, 1, stream);
}

CUresult sim_cuMemsetD2D8Async(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                               size_t height, CUstream stream)
{
    return fill(dst, pitch, value, 1, width, height, stream);
}

CUresult sim_cuMemsetD2D16Async(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                                size_t height, CUstream stream)
{
    return fill(dst, pitch, value, 2, width, height, stream);
}

CUresult sim_cuMemsetD2D32Async(CUdeviceptr dst, size_t pitch, unsigned value, size_t width,
                                size_t height, CUstream stream)
{
    return fill(dst, pitch, value, 4, width, height, stream);
}
