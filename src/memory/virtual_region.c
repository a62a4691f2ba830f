// Virtual-memory regions and their mapped pieces.
#include "virtual.h"

#include "base/array.h"

#include <stdlib.h>

// Records a failure. If `function` is NULL, passes it to the process-wide handler instead.
static cuc_status failed(int code, const char *call, CUdeviceptr ptr, size_t bytes,
                         const char *function)
{
    if (function)
        return cuc__fail_driver(NULL, code, function, call, "%zu bytes of virtual memory at 0x%llx",
                                bytes, (unsigned long long)ptr);
    cuc__driver_cleanup_failed(NULL, code, call, (void *)(uintptr_t)ptr);
    return CUC_ERROR_DRIVER;
}

static void drop_piece(struct cuc__piece *p)
{
    if (--p->refs)
        return;
    int code = cuc__cu.cuMemRelease(p->handle);
    if (code)
        (void)failed(code, "cuMemRelease", 0, p->bytes, NULL);
    free(p);
}

cuc_status cuc__region_map(const struct cuc__virtual *v, struct cuc__region *r,
                           struct cuc__piece *p, const char *function)
{
    const CUdeviceptr at = r->base + r->mapped;

    if (!CUC_RESERVE(r->pieces, r->capacity, r->count + 1))
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a piece of virtual memory");
    int code = cuc__cu.cuMemMap(at, p->bytes, 0, p->handle, 0);
    if (code)
        return failed(code, "cuMemMap", at, p->bytes, function);
    code = cuc__cu.cuMemSetAccess(at, p->bytes, v->access, v->access_count);
    if (code) {
        cuc_status st = failed(code, "cuMemSetAccess", at, p->bytes, function);
        code = cuc__cu.cuMemUnmap(at, p->bytes);
        if (code)
            (void)failed(code, "cuMemUnmap", at, p->bytes, NULL);
        return st;
    }
    r->pieces[r->count++] = p;
    r->mapped += p->bytes;
    p->refs++;
    return CUC_OK;
}

// Maps memory that has no other reference. The memory is freed with its last mapping, or at once if
// this fails.
static cuc_status take(const struct cuc__virtual *v, struct cuc__region *r, struct cuc__piece *p,
                       const char *function)
{
    p->refs = 1;
    cuc_status st = cuc__region_map(v, r, p, function);
    drop_piece(p);
    return st;
}

cuc_status cuc__region_add(const struct cuc__virtual *v, struct cuc__region *r, size_t bytes,
                           const char *function)
{
    struct cuc__piece *p = calloc(1, sizeof(*p));

    if (!p)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a piece of virtual memory");
    int code = cuc__cu.cuMemCreate(&p->handle, bytes, &v->prop, 0);
    if (code) {
        free(p);
        return failed(code, "cuMemCreate", r->base + r->mapped, bytes, function);
    }
    p->bytes = bytes;
    return take(v, r, p, function);
}

cuc_status cuc__region_add_imported(const struct cuc__virtual *v, struct cuc__region *r,
                                    const cuc_memory_piece *given, const char *function)
{
    struct cuc__piece *p = calloc(1, sizeof(*p));

    if (!p)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a piece of virtual memory");
    int code = cuc__cu.cuMemImportFromShareableHandle(&p->handle, (void *)(intptr_t)given->fd,
                                                      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    if (code) {
        free(p);
        return cuc__fail_driver(NULL, code, function, "cuMemImportFromShareableHandle",
                                "importing %llu bytes of another process from file descriptor %d",
                                (unsigned long long)given->bytes, given->fd);
    }
    p->bytes = (size_t)given->bytes;
    return take(v, r, p, function);
}

cuc_status cuc__region_end(struct cuc__region *r, const char *function)
{
    cuc_status st = CUC_OK;
    int code = 0;

    while (r->count && !code) {
        struct cuc__piece *last = r->pieces[r->count - 1];
        const CUdeviceptr at = r->base + r->mapped - last->bytes;
        code = cuc__cu.cuMemUnmap(at, last->bytes);
        if (code) {
            st = failed(code, "cuMemUnmap", at, last->bytes, function);
            break;
        }
        r->mapped -= last->bytes;
        r->count--;
        drop_piece(last);
    }
    if (!code && (code = cuc__cu.cuMemAddressFree(r->base, r->reserved)))
        st = failed(code, "cuMemAddressFree", r->base, r->reserved, function);
    free(r->pieces);
    free(r);
    return st;
}

cuc_status cuc__region_begin(struct cuc__region **out, const struct cuc__virtual *v, size_t bytes,
                             const char *function)
{
    size_t reserve = cuc__virtual_round(v->reserve > bytes ? v->reserve : bytes, v->grain);
    struct cuc__region *r = calloc(1, sizeof(*r));

    if (!r)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                         "no host memory for a region of virtual memory");
    int code = cuc__cu.cuMemAddressReserve(&r->base, reserve, v->align, 0, 0);
    if (code) {
        free(r);
        return failed(code, "cuMemAddressReserve", 0, reserve, function);
    }
    r->reserved = reserve;
    *out = r;
    return CUC_OK;
}

struct cuc__region **cuc__region_find(struct cuc__virtual *v, CUdeviceptr ptr)
{
    struct cuc__region **at = &v->regions;

    while (*at && (*at)->base != ptr)
        at = &(*at)->next;
    return at;
}

void cuc__region_enter(struct cuc__virtual *v, struct cuc__region *r)
{
    r->users = 1;
    r->next = v->regions;
    v->regions = r;
}

cuc_status cuc__virtual_check_size(const struct cuc__virtual *v, size_t bytes, const char *function)
{
    if (bytes > SIZE_MAX - v->grain || v->reserve > SIZE_MAX - v->grain)
        return cuc__fail(CUC_ERROR_OUT_OF_DEVICE_MEMORY, function,
                         "%zu bytes of virtual memory pass the end of the address space", bytes);
    return CUC_OK;
}
