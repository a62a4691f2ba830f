#include "copy.h"

#include "resource.h"
#include "base/options.h"

#include <inttypes.h>

void cuc_copy_batch_params_init(cuc_copy_batch_params *params, size_t size)
{
    cuc__init_options(params, size);
}

static cuc_status check_batch(const cuc_copy_batch_params *p, const char *function)
{
    if (!p->dst || !p->src || !p->bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "params->%s is NULL, expected %zu entries",
                         !p->dst   ? "dst"
                         : !p->src ? "src"
                                   : "bytes",
                         p->count);
    for (size_t i = 0; i < p->count; i++) {
        cuc_status st = p->bytes[i]
                            ? cuc__copy_check_ranges(p->dst[i], p->src[i], p->bytes[i], function)
                            : CUC_OK;
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

// The driver takes one set of attributes for each run of consecutive entries with equal attributes,
// and accepts no empty copy. Each call passes as many entries as RUNS runs cover. The runs of any
// batch therefore fit in a fixed array.
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
                             "copy %zu requires its source to be read during the call, which needs "
                             "a driver of CUDA 13.0 (this is %d.%d), and a stream that is neither "
                             "the legacy default one nor being captured",
                             i, cuc__driver_version() / 1000, cuc__driver_version() % 1000 / 10);
    for (size_t i = 0; i < p->count; i++) {
        int code = p->bytes[i]
                       ? cuc__cu.cuMemcpyAsync(p->dst[i], p->src[i], p->bytes[i], stream->handle)
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
        // The driver's prototype lacks const, although the driver only reads the arrays.
        int code = cuc__cu.cuMemcpyBatchAsync(
            (CUdeviceptr *)(uintptr_t)(p->dst + i), (CUdeviceptr *)(uintptr_t)(p->src + i),
            (size_t *)(uintptr_t)(p->bytes + i), piece.count, piece.attributes, piece.starts,
            piece.runs, stream->handle);
        if (code == CUC__CU_MISSING)
            return copy_one_by_one(stream, p, function);
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
