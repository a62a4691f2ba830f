// The ring of a context's recent launches: candidates for the cause of an asynchronous failure. It
// is written without a lock; if launches race, a torn record makes the list inaccurate, which does
// no other harm. intern.h explains how its names stay valid.
#ifndef CUCORE_DEVICE_LAUNCH_RING_H
#define CUCORE_DEVICE_LAUNCH_RING_H

#include "driver/driver.h"

#include <stdatomic.h>
#include <stdbool.h>

struct cuc__launch_record {
    _Atomic(const char *) what; // interned: a kernel's name, or a graph's; NULL: an empty record
    _Atomic uint32_t grid_x, block_x;   // a grid_x of 0 means a graph, which has no shape
    _Atomic uint64_t grid_yz, block_yz; // y in the lower half
    _Atomic(CUstream) stream;
    uint64_t to_a_cache_line[3]; // pads the record so that indexing is a shift
};

enum {
    CUC__LAUNCH_RECORDS = 16, // a power of two
};
#define CUC__RECORD_OF(number) ((number) & (CUC__LAUNCH_RECORDS - 1))

struct cuc__launch_ring {
    _Atomic uint32_t count; // number of launches; its low bits are the index of the next record
    struct cuc__launch_record records[CUC__LAUNCH_RECORDS];
    struct cuc__launch_ring *next; // list of all rings, owned by intern.c
};

static inline void cuc__ring_add(struct cuc__launch_ring *ring, const char *what, CUstream stream,
                                 uint32_t grid_x, uint64_t grid_yz, uint32_t block_x,
                                 uint64_t block_yz)
{
    uint32_t at = atomic_fetch_add_explicit(&ring->count, 1, memory_order_relaxed);
    struct cuc__launch_record *r = &ring->records[CUC__RECORD_OF(at)];

    atomic_store_explicit(&r->what, what, memory_order_relaxed);
    atomic_store_explicit(&r->stream, stream, memory_order_relaxed);
    atomic_store_explicit(&r->grid_x, grid_x, memory_order_relaxed);
    atomic_store_explicit(&r->block_x, block_x, memory_order_relaxed);
    atomic_store_explicit(&r->grid_yz, grid_yz, memory_order_relaxed);
    atomic_store_explicit(&r->block_yz, block_yz, memory_order_relaxed);
}

// Removes the latest record of a launch that the driver refused.
void cuc__ring_undo(struct cuc__launch_ring *ring, const char *what, CUstream stream)
    __attribute__((cold));

// Returns the number of launches so far. Read it before a wait, and pass it on when the wait has
// succeeded.
static inline uint32_t cuc__ring_mark(const struct cuc__launch_ring *ring)
{
    return atomic_load_explicit(&ring->count, memory_order_relaxed);
}

// Removes the records of a stream's launches before the mark, which are complete.
void cuc__ring_mark_complete(struct cuc__launch_ring *ring, CUstream stream, uint32_t mark);

// Calls cuc__ring_mark_complete() for every stream.
void cuc__ring_mark_all_complete(struct cuc__launch_ring *ring, uint32_t mark);

// True if a record points to this copy of a name.
bool cuc__ring_holds(const struct cuc__launch_ring *ring, const char *what);

// Writes the launches that may be incomplete as text, latest first.
void cuc__ring_list(char *text, size_t size, const struct cuc__launch_ring *ring);

#endif
