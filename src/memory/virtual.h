// Virtual memory. A region is reserved addresses with pieces of memory behind the first of them;
// buffers that were grown share regions, and regions share pieces. Nothing of it is of a context,
// so none is entered.
#ifndef CUCORE_MEMORY_VIRTUAL_H
#define CUCORE_MEMORY_VIRTUAL_H

#include <cucore/virtual.h>

#include "buffer.h"
#include "resource.h"

#include <pthread.h>

struct cuc__piece {
    CUmemGenericAllocationHandle handle;
    size_t bytes;
    int refs; // regions that it is mapped in
};

struct cuc__region {
    struct cuc__region *next;
    CUdeviceptr base;
    size_t reserved, mapped;
    size_t users; // buffers, or addresses that were given out
    struct cuc__piece **pieces;
    size_t count;
};

// What a resource has for it.
struct cuc__virtual {
    pthread_mutex_t lock; // guards the regions, and what they have
    struct cuc__region *regions;
    size_t grain;
    uint64_t reserve, align;
    CUmemAllocationProp prop;
    size_t access_count;
    CUmemAccessDesc access[];
};

static inline size_t cuc__virtual_round(uint64_t bytes, size_t to)
{
    return (size_t)((bytes + to - 1) / to * to);
}

// memory_virtual_region.c; all but the first with the lock.

// Refuse more bytes than addresses can be reserved for.
cuc_status cuc__virtual_check_size(const struct cuc__virtual *v, size_t bytes,
                                   const char *function);
// Reserve addresses for so many bytes or more, with nothing behind them and on no list yet.
cuc_status cuc__region_begin(struct cuc__region **out, const struct cuc__virtual *v, size_t bytes,
                             const char *function);
// Put a piece behind the next addresses of a region. On failure nothing has changed.
cuc_status cuc__region_map(const struct cuc__virtual *v, struct cuc__region *r,
                           struct cuc__piece *p, const char *function);
// Memory that is nowhere yet, and map it.
cuc_status cuc__region_add(const struct cuc__virtual *v, struct cuc__region *r, size_t bytes,
                           const char *function);
// Another process's memory, and map it.
cuc_status cuc__region_add_imported(const struct cuc__virtual *v, struct cuc__region *r,
                                    const cuc_memory_piece *given, const char *function);
// Take a region apart. With no `function` failures go to the handler, and what is left is leaked.
cuc_status cuc__region_end(struct cuc__region *r, const char *function);
// Put a region on the resource's list, with one user.
void cuc__region_enter(struct cuc__virtual *v, struct cuc__region *r);
// Where the region that starts at an address is on the list; at its end where there is none.
struct cuc__region **cuc__region_find(struct cuc__virtual *v, CUdeviceptr ptr);

// memory_virtual.c.

// Refuse buffers that are not whole ones of virtual memory.
cuc_status cuc__virtual_check_whole(const cuc_buffer *buffer, const char *function);
// A buffer for addresses that have a user more for it.
cuc_status cuc__virtual_wrap(cuc_buffer **out, cuc_memory_resource *resource, CUdeviceptr ptr,
                             size_t bytes, cuc_stream *stream, const char *function);

#endif
