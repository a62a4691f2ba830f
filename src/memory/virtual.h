// Virtual memory. A region is a range of reserved addresses; its first part is mapped to pieces of
// memory. Grown buffers share regions, and regions share pieces. Virtual memory belongs to no
// context, so these functions need none.
#ifndef CUCORE_MEMORY_VIRTUAL_H
#define CUCORE_MEMORY_VIRTUAL_H

#include <cucore/virtual.h>

#include "buffer.h"
#include "resource.h"

#include <pthread.h>

struct cuc__piece {
    CUmemGenericAllocationHandle handle;
    size_t bytes;
    int refs; // number of regions that map the piece
};

struct cuc__region {
    struct cuc__region *next;
    CUdeviceptr base;
    size_t reserved, mapped;
    size_t users; // number of buffers, including those about to be created
    struct cuc__piece **pieces;
    size_t count, capacity;
};

// The state of a virtual-memory resource.
struct cuc__virtual {
    pthread_mutex_t lock; // guards the regions and their contents
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

// Defined in virtual_region.c. For all functions but the first, the caller holds the lock.

// Refuses a size for which no addresses can be reserved.
cuc_status cuc__virtual_check_size(const struct cuc__virtual *v, size_t bytes,
                                   const char *function);
// Reserves addresses for at least `bytes`. The region has no memory yet and is on no list.
cuc_status cuc__region_begin(struct cuc__region **out, const struct cuc__virtual *v, size_t bytes,
                             const char *function);
// Maps a piece at a region's next addresses. On failure, nothing has changed.
cuc_status cuc__region_map(const struct cuc__virtual *v, struct cuc__region *r,
                           struct cuc__piece *p, const char *function);
// Allocates new memory and maps it.
cuc_status cuc__region_add(const struct cuc__virtual *v, struct cuc__region *r, size_t bytes,
                           const char *function);
// Imports another process's memory and maps it.
cuc_status cuc__region_add_imported(const struct cuc__virtual *v, struct cuc__region *r,
                                    const cuc_memory_piece *given, const char *function);
// Destroys a region. If `function` is NULL, failures go to the handler, and the remaining memory
// leaks.
cuc_status cuc__region_end(struct cuc__region *r, const char *function);
// Adds a region, with one user, to the resource's list.
void cuc__region_enter(struct cuc__virtual *v, struct cuc__region *r);
// Returns the list link to the region that starts at an address, or the link at the end of the
// list.
struct cuc__region **cuc__region_find(struct cuc__virtual *v, CUdeviceptr ptr);

// virtual.c

// Refuses a buffer that is a slice, is empty, or is not virtual memory.
cuc_status cuc__virtual_check_whole(const cuc_buffer *buffer, const char *function);
// Creates a buffer for addresses. Their region already counts the buffer as a user.
cuc_status cuc__virtual_wrap(cuc_buffer **out, cuc_memory_resource *resource, CUdeviceptr ptr,
                             size_t bytes, cuc_stream *stream, const char *function);

#endif
