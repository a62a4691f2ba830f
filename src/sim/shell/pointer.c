// Pointer attributes, and the location of managed memory.
#include "shell.h"

#include <stdlib.h>
#include <string.h>

// The value of an attribute, and its size. For an unknown pointer, each value is zero.
struct answer {
    size_t bytes;
    union {
        void *pointer;
        CUdeviceptr address;
        uint64_t u64;
        size_t size;
        unsigned u32;
        int i32;
        unsigned char byte;
        CUDA_POINTER_ATTRIBUTE_P2P_TOKENS tokens;
    };
};

// Returns how a device can access memory: the device of the current context or, without one, that
// of the allocation. Like an H200's driver, checks only virtual memory, and reports full access to
// all other memory.
static unsigned access_of_current(const struct allocation *a, CUdeviceptr ptr)
{
    if (!a->virtual)
        return CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const struct context *c = sim_current();
    const int device = c ? c->device : a->device;

    return sim_valid_device(device) ? sim_access(c, device, a, ptr)
                                    : CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
}

// Answers queries of attributes that are fields of the allocation. `a` is NULL if the pointer is
// unknown.
static CUresult answer_allocation(struct answer *out, CUpointer_attribute attribute,
                                  CUdeviceptr ptr, const struct allocation *a)
{
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
        out->bytes = sizeof(uint64_t);
        out->u64 = a ? a->id : 0;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        out->bytes = sizeof(int);
        out->i32 = a ? a->device : CU_DEVICE_INVALID;
        break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        out->bytes = 1;
        out->byte = a && a->memory == MEMORY_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        out->bytes = sizeof(CUdeviceptr);
        out->address = a ? a->base : 0;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
        out->bytes = sizeof(size_t);
        out->size = a ? a->bytes : 0;
        break;
    case CU_POINTER_ATTRIBUTE_MAPPED:
        out->bytes = 1;
        out->byte = a != NULL;
        break;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
        out->bytes = sizeof(uint64_t);
        out->u64 = a && a->pool ? a->pool->props.handleTypes : 0;
        break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
        out->bytes = sizeof(unsigned);
        out->u32 = a ? access_of_current(a, ptr) : 0;
        break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
        out->bytes = sizeof(void *);
        out->pointer = a && a->pool ? SIM_HANDLE(void *, a->pool) : NULL;
        break;
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
        out->bytes = 1;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static CUresult answer(struct answer *out, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    const struct allocation *a = sim_find(ptr);
    bool host = a && (a->memory == MEMORY_HOST || a->memory == MEMORY_REGISTERED);
    bool pool_on_host = a && a->pool &&
                        a->pool->props.location.type != CU_MEM_LOCATION_TYPE_DEVICE &&
                        a->pool->props.allocType == CU_MEM_ALLOCATION_TYPE_PINNED;
    bool managed = a && (a->memory == MEMORY_MANAGED || a->managed ||
                         (a->pool && a->pool->props.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED));

    if (a && a->freeing)
        a = NULL;
    *out = (struct answer){ 0 };
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        out->bytes = sizeof(void *); // memory in a pool belongs to no context
        out->pointer = a && a->context ? SIM_HANDLE(void *, a->context) : NULL;
        break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        out->bytes = sizeof(unsigned);
        out->u32 = !a ? 0 : host || pool_on_host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        out->bytes = sizeof(CUdeviceptr); // a pointer that is valid in the current context
        out->address = a && sim_current() && !pool_on_host ? ptr : 0;
        if (a && !sim_current())
            return CUDA_ERROR_INVALID_CONTEXT;
        break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        out->bytes = sizeof(void *);
        out->pointer = host || managed || pool_on_host ? (void *)(uintptr_t)ptr : NULL;
        if (a && !out->pointer)
            return CUDA_ERROR_INVALID_VALUE; // device memory has no host pointer
        break;
    case CU_POINTER_ATTRIBUTE_P2P_TOKENS:
        return CUDA_ERROR_NOT_SUPPORTED;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        out->bytes = 1;
        out->byte = a && a->sync_memops;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        out->bytes = sizeof(int);
        out->i32 = a && managed;
        break;
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        out->bytes = 1;
        out->byte = a && !host;
        break;
    default:
        return answer_allocation(out, attribute, ptr, a);
    }
    return CUDA_SUCCESS;
}

// Queries an attribute. Fails for an unknown pointer, while a query of several attributes returns
// zeros.
CUresult sim_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    const struct allocation *a = sim_find(ptr);
    struct answer value;

    if (!data || !a || a->freeing)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult code = answer(&value, attribute, ptr);
    if (!code)
        memcpy(data, &value.pointer, value.bytes);
    return code;
}

CUresult sim_cuPointerGetAttributes(unsigned attribute_count, CUpointer_attribute *attributes,
                                    void **data, CUdeviceptr ptr)
{
    struct answer value;

    if (!attribute_count || !attributes || !data)
        return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < attribute_count; i++) {
        CUresult code = answer(&value, attributes[i], ptr);
        if (code && attributes[i] != CU_POINTER_ATTRIBUTE_HOST_POINTER &&
            attributes[i] != CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
            return code;
        memcpy(data[i], &value.pointer, value.bytes);
    }
    return CUDA_SUCCESS;
}

CUresult sim_cuPointerSetAttribute(const void *value, CUpointer_attribute attribute,
                                   CUdeviceptr ptr)
{
    struct allocation *a = sim_find(ptr);
    unsigned on;

    if (!value || !a || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&on, value, sizeof(on));
    a->sync_memops = on != 0;
    return CUDA_SUCCESS;
}

// Managed memory

static bool is_valid_location(CUmemLocation location)
{
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return sim_valid_device(location.id);
    return location.type >= CU_MEM_LOCATION_TYPE_HOST &&
           location.type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT;
}

// Returns the managed allocation that contains a range.
static struct allocation *managed(CUdeviceptr ptr, size_t count)
{
    struct allocation *a = sim_find(ptr);

    if (!a || a->freeing || !count || count > a->base + a->bytes - ptr)
        return NULL;
    return a->memory == MEMORY_MANAGED || a->managed ||
                   (a->pool && a->pool->props.allocType == CU_MEM_ALLOCATION_TYPE_MANAGED)
               ? a
               : NULL;
}

CUresult sim_cuMemPrefetchAsync(CUdeviceptr ptr, size_t count, CUmemLocation location,
                                unsigned flags, CUstream stream)
{
    struct allocation *a = managed(ptr, count);
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (code)
        return code;
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE && !sim_valid_device(location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    if (!a || flags || !is_valid_location(location))
        return CUDA_ERROR_INVALID_VALUE;
    if (s->capture)
        return sim_capture_spoil(s);
    a->prefetched = location;
    return sim_submit(s, &(struct work){ .op = OP_NOTHING });
}

CUresult sim_cuMemPrefetchBatchAsync(CUdeviceptr *ptrs, size_t *sizes, size_t count,
                                     CUmemLocation *locations, size_t *location_starts,
                                     size_t location_count, unsigned long long flags,
                                     CUstream stream)
{
    CUresult code = CUDA_SUCCESS;

    if (!ptrs || !sizes || !count || !locations || !location_starts || !location_count ||
        location_count > count || location_starts[0] || flags)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0, at = 0; i < count && !code; i++) {
        while (at + 1 < location_count && location_starts[at + 1] <= i)
            at++;
        code = sim_cuMemPrefetchAsync(ptrs[i], sizes[i], locations[at], 0, stream);
    }
    return code;
}

CUresult sim_cuMemDiscardBatchAsync(CUdeviceptr *ptrs, size_t *sizes, size_t count,
                                    unsigned long long flags, CUstream stream)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (!code && (!ptrs || !sizes || !count || flags))
        code = CUDA_ERROR_INVALID_VALUE;
    if (!code && s->capture)
        code = sim_capture_spoil(s);
    for (size_t i = 0; i < count && !code; i++)
        if (!managed(ptrs[i], sizes[i]))
            code = CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count && !code; i++) // overwrite discarded contents, which are undefined
        code = sim_submit(s, &(struct work){ .op = OP_FILL,
                                             .fill = { .dst = (unsigned char *)(uintptr_t)ptrs[i],
                                                       .width = sizes[i],
                                                       .height = 1,
                                                       .value = 0xdd,
                                                       .element = 1 } });
    return code;
}

CUresult sim_cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *ptrs, size_t *sizes, size_t count,
                                               CUmemLocation *locations, size_t *location_starts,
                                               size_t location_count, unsigned long long flags,
                                               CUstream stream)
{
    CUresult code = sim_cuMemDiscardBatchAsync(ptrs, sizes, count, flags, stream);

    return code ? code
                : sim_cuMemPrefetchBatchAsync(ptrs, sizes, count, locations, location_starts,
                                              location_count, flags, stream);
}

CUresult sim_cuMemAdvise(CUdeviceptr ptr, size_t count, CUmem_advise advice, CUmemLocation location)
{
    struct allocation *a = managed(ptr, count);

    if (!a || advice < CU_MEM_ADVISE_SET_READ_MOSTLY || advice > CU_MEM_ADVISE_UNSET_ACCESSED_BY)
        return CUDA_ERROR_INVALID_VALUE;
    if (a->pool)
        return CUDA_ERROR_NOT_SUPPORTED; // as an H200's driver does for memory of a managed pool
    bool placed = advice == CU_MEM_ADVISE_SET_PREFERRED_LOCATION ||
                  advice == CU_MEM_ADVISE_SET_ACCESSED_BY ||
                  advice == CU_MEM_ADVISE_UNSET_ACCESSED_BY;
    if (placed && location.type == CU_MEM_LOCATION_TYPE_DEVICE && !sim_valid_device(location.id))
        return CUDA_ERROR_INVALID_DEVICE;
    if (placed && !is_valid_location(location))
        return CUDA_ERROR_INVALID_VALUE;
    // Bit 31 stands for the host, and the other bits for devices.
    uint32_t who = location.type == CU_MEM_LOCATION_TYPE_DEVICE ? UINT32_C(1) << location.id
                                                                : UINT32_C(1) << 31;
    switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
        a->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
        break;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
        a->preferred = location;
        break;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
        a->preferred = (CUmemLocation){ 0 };
        break;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
        a->accessed_by |= who;
        break;
    default:
        a->accessed_by &= ~who;
    }
    return CUDA_SUCCESS;
}

// Converts a location to the form of the older attributes: a device number, -1 for the host, -2 for
// none.
static int as_device(CUmemLocation location)
{
    return location.type == CU_MEM_LOCATION_TYPE_DEVICE ? location.id
           : location.type == CU_MEM_LOCATION_TYPE_HOST ? CU_DEVICE_CPU
                                                        : CU_DEVICE_INVALID;
}

CUresult sim_cuMemRangeGetAttribute(void *data, size_t bytes, CUmem_range_attribute attribute,
                                    CUdeviceptr ptr, size_t count)
{
    const struct allocation *a = managed(ptr, count);
    int value;

    if (!data || !a)
        return CUDA_ERROR_INVALID_VALUE;
    switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
        value = a->read_mostly;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
        value = as_device(a->preferred);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
        value = as_device(a->prefetched);
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
        value = (int)a->preferred.type;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
        value = a->preferred.id;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
        value = (int)a->prefetched.type;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
        value = a->prefetched.id;
        break;
    case CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY: {
        int *list = data;
        size_t capacity = bytes / sizeof(int), n = 0;
        if (!capacity || bytes % sizeof(int))
            return CUDA_ERROR_INVALID_VALUE;
        for (int i = 0; i < 31 && n < capacity; i++)
            if (a->accessed_by & UINT32_C(1) << i)
                list[n++] = i;
        if (a->accessed_by & UINT32_C(1) << 31 && n < capacity)
            list[n++] = CU_DEVICE_CPU;
        while (n < capacity)
            list[n++] = CU_DEVICE_INVALID;
        return CUDA_SUCCESS;
    }
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (bytes != sizeof(int))
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
}

CUresult sim_cuMemRangeGetAttributes(void **data, size_t *sizes, CUmem_range_attribute *attributes,
                                     size_t attribute_count, CUdeviceptr ptr, size_t count)
{
    CUresult code = data && sizes && attributes && attribute_count ? CUDA_SUCCESS
                                                                   : CUDA_ERROR_INVALID_VALUE;

    for (size_t i = 0; i < attribute_count && !code; i++)
        code = sim_cuMemRangeGetAttribute(data[i], sizes[i], attributes[i], ptr, count);
    return code;
}
