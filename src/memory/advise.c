#include "resource.h"
#include "base/options.h"
#include "driver/relaxed.h"

#include <inttypes.h>

void cuc_memory_batch_init(cuc_memory_batch *batch, size_t size)
{
    cuc__init_options(batch, size);
}

static cuc_status check_location(const cuc_memory_location *location, const char *function)
{
    if (!location)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "location is NULL");
    if (location->type < CUC_LOCATION_DEVICE || location->type > CUC_LOCATION_HOST_NUMA_CURRENT)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "location is of type %d, expected CUC_LOCATION_DEVICE (1), _HOST (2), "
                         "_HOST_NUMA (3) or _HOST_NUMA_CURRENT (4)",
                         location->type);
    if (location->id < 0)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "location has id %d, expected the ordinal of a device or a NUMA node",
                         location->id);
    return CUC_OK;
}

static CUmemLocation driver_location(const cuc_memory_location *location)
{
    return (CUmemLocation){ (CUmemLocationType)location->type, location->id };
}

cuc_status cuc_memory_prefetch(cuc_stream *stream, cuc_device_ptr ptr, size_t bytes,
                               const cuc_memory_location *location)
{
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = check_location(location, __func__);
    if (st < 0 || !bytes || (st = cuc__memory_check_range(ptr, bytes, "ptr", __func__)) < 0 ||
        (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    int code = cuc__cu.cuMemPrefetchAsync(ptr, bytes, driver_location(location), 0, stream->handle);
    if (code)
        st = CUC_FAIL_CU(stream->context, code, "cuMemPrefetchAsync",
                         "prefetching %zu bytes at 0x%" PRIx64 " to location %d of type %d", bytes,
                         ptr, location->id, location->type);
    return CUC_LEAVE(stream->context, pushed, st);
}

cuc_status cuc_memory_discard(cuc_stream *stream, cuc_device_ptr ptr, size_t bytes)
{
    CUdeviceptr at = ptr;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    if (!bytes)
        return CUC_OK;
    cuc_status st = cuc__memory_check_range(ptr, bytes, "ptr", __func__);
    if (st < 0 || (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    int code = cuc__cu.cuMemDiscardBatchAsync(&at, &bytes, 1, 0, stream->handle);
    if (code)
        st = CUC_FAIL_CU(stream->context, code, "cuMemDiscardBatchAsync",
                         "discarding %zu bytes at 0x%" PRIx64, bytes, ptr);
    return CUC_LEAVE(stream->context, pushed, st);
}

// Reads a batch. Refuses the whole batch, before anything is enqueued, if any entry is wrong.
static cuc_status read_batch(cuc_memory_batch *b, const cuc_memory_batch *given, bool located,
                             const char *function)
{
    cuc_status st;

    if (!given)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "batch is NULL");
    if ((st = cuc__read_options(b, sizeof(*b), given, "cuc_memory_batch", function)) < 0 ||
        !b->count)
        return st;
    if (!b->ptrs || !b->bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "batch->%s is NULL, expected %zu entries", b->ptrs ? "bytes" : "ptrs",
                         b->count);
    for (size_t i = 0; i < b->count; i++)
        if (!b->ptrs[i] || !b->bytes[i] || cuc__range_wraps(b->ptrs[i], b->bytes[i]))
            return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                             "range %zu of %zu is %zu bytes at 0x%" PRIx64
                             ", expected bytes at an address, within the address space",
                             i, b->count, b->bytes[i], b->ptrs[i]);
    if (!located)
        return CUC_OK;
    if (!b->locations || (b->location_count != 1 && b->location_count != b->count))
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "batch has %zu locations for %zu ranges, expected 1 or as many",
                         b->locations ? b->location_count : 0, b->count);
    for (size_t i = 0; i < b->location_count; i++)
        if ((st = check_location(&b->locations[i], function)) < 0) {
            cuc__error_note("it is location %zu of %zu", i, b->location_count);
            return st;
        }
    return CUC_OK;
}

// Casts const away, because the driver's prototypes lack it although the driver only reads the
// arrays.
static CUdeviceptr *loose_ptrs(const cuc_device_ptr *p)
{
    return (CUdeviceptr *)(uintptr_t)p;
}

static size_t *loose_sizes(const size_t *p)
{
    return (size_t *)(uintptr_t)p;
}

cuc_status cuc_memory_discard_batch(cuc_stream *stream, const cuc_memory_batch *batch)
{
    cuc_memory_batch b;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = read_batch(&b, batch, false, __func__);
    if (st < 0 || !b.count || (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    int code = cuc__cu.cuMemDiscardBatchAsync(loose_ptrs(b.ptrs), loose_sizes(b.bytes), b.count, 0,
                                              stream->handle);
    if (code)
        st = CUC_FAIL_CU(stream->context, code, "cuMemDiscardBatchAsync",
                         "discarding %zu ranges of memory", b.count);
    return CUC_LEAVE(stream->context, pushed, st);
}

// The driver takes one location for each run of consecutive entries with equal locations. Each call
// passes as many entries as RUNS runs cover. The runs of any batch therefore fit in a fixed array.
enum { RUNS = 64 };

struct piece {
    CUmemLocation locations[RUNS];
    size_t starts[RUNS];
    size_t runs, count;
};

static void cut_piece(struct piece *p, const cuc_memory_batch *b, size_t from)
{
    p->runs = 0;
    for (p->count = 0; from + p->count < b->count; p->count++) {
        const cuc_memory_location *l = &b->locations[b->location_count == 1 ? 0 : from + p->count];
        if (p->runs && p->locations[p->runs - 1].type == (CUmemLocationType)l->type &&
            p->locations[p->runs - 1].id == l->id)
            continue;
        if (p->runs == RUNS)
            return;
        p->locations[p->runs] = driver_location(l);
        p->starts[p->runs++] = p->count;
    }
}

typedef CUresult (*batch_fn)(CUdeviceptr *ptrs, size_t *sizes, size_t count,
                             CUmemLocation *locations, size_t *starts, size_t runs,
                             unsigned long long flags, CUstream stream);

static cuc_status enqueue_batch(cuc_stream *stream, const cuc_memory_batch *b, batch_fn fn,
                                const char *call, const char *verb, const char *function)
{
    struct piece p;
    int code = 0;

    for (size_t i = 0; i < b->count; i += p.count) {
        cut_piece(&p, b, i);
        code = fn(loose_ptrs(b->ptrs + i), loose_sizes(b->bytes + i), p.count, p.locations,
                  p.starts, p.runs, 0, stream->handle);
        if (code)
            return cuc__fail_driver(stream->context, code, function, call,
                                    "%s ranges %zu to %zu of %zu", verb, i, i + p.count - 1,
                                    b->count);
    }
    return CUC_OK;
}

cuc_status cuc_memory_prefetch_batch(cuc_stream *stream, const cuc_memory_batch *batch)
{
    cuc_memory_batch b;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = read_batch(&b, batch, true, __func__);
    if (st < 0 || !b.count)
        return st;
    if (stream->handle == CU_STREAM_LEGACY || cuc__driver_version() < 13000) {
        for (size_t i = 0; i < b.count && st >= 0; i++)
            st = cuc_memory_prefetch(stream, b.ptrs[i], b.bytes[i],
                                     &b.locations[b.location_count == 1 ? 0 : i]);
        return CUC_PASS(st);
    }
    if ((st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    st = enqueue_batch(stream, &b, cuc__cu.cuMemPrefetchBatchAsync, "cuMemPrefetchBatchAsync",
                       "prefetching", __func__);
    return CUC_LEAVE(stream->context, pushed, st);
}

cuc_status cuc_memory_discard_and_prefetch_batch(cuc_stream *stream, const cuc_memory_batch *batch)
{
    cuc_memory_batch b;
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = read_batch(&b, batch, true, __func__);
    if (st < 0 || !b.count || (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    st = enqueue_batch(stream, &b, cuc__cu.cuMemDiscardAndPrefetchBatchAsync,
                       "cuMemDiscardAndPrefetchBatchAsync", "discarding and placing", __func__);
    return CUC_LEAVE(stream->context, pushed, st);
}

// Enters a context: the caller's or, if there is none, the primary context of the memory's device
// or of the first device. Advice and its queries name no stream and no device, but the driver
// requires a context.
static cuc_status enter_any(cuc_context **context, bool *pushed, CUdeviceptr ptr,
                            const char *function)
{
    CUcontext current = NULL;
    cuc_device *device;
    int ordinal = 0;

    *context = NULL;
    *pushed = false;
    cuc_status st = cuc__driver_init(function);
    if (st < 0)
        return st;
    if (!cuc__cu.cuCtxGetCurrent(&current) && current)
        return CUC_OK;
    if (cuc__cu.cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, ptr) ||
        ordinal < 0)
        ordinal = 0;
    if ((st = cuc_device_get(&device, ordinal)) < 0)
        return cuc__pass(st, function);
    if ((st = cuc__device_primary(context, device, function)) < 0)
        return st;
    return cuc__context_enter(*context, pushed, function);
}

cuc_status cuc_memory_advise(cuc_device_ptr ptr, size_t bytes, int32_t advice,
                             const cuc_memory_location *location)
{
    // The driver also checks a location that the advice ignores, so pass the host, which is always
    // valid.
    CUmemLocation at = { CU_MEM_LOCATION_TYPE_HOST, 0 };
    cuc_context *context;
    cuc_status st;
    bool pushed;

    if (advice < CUC_ADVISE_SET_READ_MOSTLY || advice > CUC_ADVISE_UNSET_ACCESSED_BY)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                        "advice is %d, expected a CUC_ADVISE_ constant, 1 to 6", advice);
    if (advice == CUC_ADVISE_SET_PREFERRED_LOCATION || advice == CUC_ADVISE_SET_ACCESSED_BY ||
        advice == CUC_ADVISE_UNSET_ACCESSED_BY) {
        if ((st = check_location(location, __func__)) < 0)
            return st;
        if (advice != CUC_ADVISE_SET_PREFERRED_LOCATION && location->type > CUC_LOCATION_HOST)
            return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT,
                            "location is of type %d, expected CUC_LOCATION_DEVICE (1) or _HOST "
                            "(2): memory cannot be kept mapped for a NUMA node",
                            location->type);
        at = driver_location(location);
    }
    if (!bytes)
        return CUC_OK;
    if ((st = cuc__memory_check_range(ptr, bytes, "ptr", __func__)) < 0 ||
        (st = enter_any(&context, &pushed, ptr, __func__)) < 0)
        return st;
    int code;
    CUC_RELAXED(code, cuc__cu.cuMemAdvise(ptr, bytes, (CUmem_advise)advice, at));
    if (code)
        st = CUC_FAIL_CU(context, code, "cuMemAdvise",
                         "giving advice %d on %zu bytes at 0x%" PRIx64 ", location %d of type %u",
                         advice, bytes, ptr, at.id, at.type);
    return CUC_LEAVE(context, pushed, st);
}

// Reads one or two attributes of a range.
static cuc_status query(void *first, CUmem_range_attribute first_attribute, void *second,
                        CUmem_range_attribute second_attribute, size_t size, CUdeviceptr ptr,
                        size_t bytes, const char *function)
{
    cuc_context *context;
    bool pushed;

    cuc_status st = cuc__memory_check_range(ptr, bytes, "ptr", function);
    if (st < 0)
        return st;
    if (!bytes)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, "bytes is 0, expected a range");
    if ((st = enter_any(&context, &pushed, ptr, function)) < 0)
        return st;
    CUmem_range_attribute attribute = first_attribute;
    int code;
    CUC_RELAXED(code, cuc__cu.cuMemRangeGetAttribute(first, size, attribute, ptr, bytes));
    if (!code && second) {
        attribute = second_attribute;
        CUC_RELAXED(code, cuc__cu.cuMemRangeGetAttribute(second, size, attribute, ptr, bytes));
    }
    if (code)
        st = cuc__fail_driver(context, code, function, "cuMemRangeGetAttribute",
                              "asking for attribute %u of %zu bytes at 0x%" PRIx64
                              ", which must be managed memory",
                              attribute, bytes, ptr);
    return cuc__context_leave(context, pushed, st, function);
}

cuc_status cuc_memory_get_read_mostly(int32_t *out, cuc_device_ptr ptr, size_t bytes)
{
    int value = 0;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = query(&value, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, NULL, 0, sizeof(value), ptr,
                          bytes, __func__);
    if (st >= 0)
        *out = value != 0;
    return st;
}

// Reads a location in either of the driver's forms: type and ID or, before CUDA 12.2, a device's
// ordinal.
static cuc_status query_location(cuc_memory_location *out, CUmem_range_attribute device_attribute,
                                 CUmem_range_attribute type_attribute,
                                 CUmem_range_attribute id_attribute, CUdeviceptr ptr, size_t bytes,
                                 const char *function)
{
    int type = CUC_LOCATION_NONE;
    int id = 0;
    cuc_status st;

    if (cuc__driver_version() >= 12020) {
        st = query(&type, type_attribute, &id, id_attribute, sizeof(int), ptr, bytes, function);
    } else {
        st = query(&id, device_attribute, NULL, 0, sizeof(int), ptr, bytes, function);
        type = id >= 0               ? CUC_LOCATION_DEVICE
               : id == CU_DEVICE_CPU ? CUC_LOCATION_HOST
                                     : CUC_LOCATION_NONE;
    }
    if (st < 0)
        return st;
    bool numbered = type == CUC_LOCATION_DEVICE || type == CUC_LOCATION_HOST_NUMA;
    *out = (cuc_memory_location){ type, numbered ? id : 0 };
    return CUC_OK;
}

cuc_status cuc_memory_get_preferred_location(cuc_memory_location *out, cuc_device_ptr ptr,
                                             size_t bytes)
{
    CUC_CHECK_NOT_NULL(out);
    return query_location(out, CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION,
                          CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE,
                          CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID, ptr, bytes, __func__);
}

cuc_status cuc_memory_get_last_prefetch(cuc_memory_location *out, cuc_device_ptr ptr, size_t bytes)
{
    CUC_CHECK_NOT_NULL(out);
    return query_location(out, CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
                          CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE,
                          CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID, ptr, bytes, __func__);
}

cuc_status cuc_memory_get_accessed_by(size_t *count, int32_t *devices, size_t capacity,
                                      cuc_device_ptr ptr, size_t bytes)
{
    enum { MOST = 128 }; // more devices than any machine has
    int found[MOST];
    size_t n = 0;

    CUC_CHECK_NOT_NULL(count);
    if (capacity)
        CUC_CHECK_NOT_NULL(devices);
    cuc_status st = query(found, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, NULL, 0, sizeof(found), ptr,
                          bytes, __func__);
    if (st < 0)
        return st;
    for (size_t i = 0; i < MOST && found[i] != CU_DEVICE_INVALID; i++, n++)
        if (n < capacity)
            devices[n] = found[i];
    *count = n;
    return CUC_OK;
}
