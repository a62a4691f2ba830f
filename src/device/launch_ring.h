// A context's ring of recent launches, the candidates for the cause of an asynchronous failure.
// Launches write it without a lock. When two launches race, a torn record makes the list inaccurate
// but does no other harm. intern.h explains how the names stay valid.
#ifndef CUCORE_DEVICE_LAUNCH_RING_H
#define CUCORE_DEVICE_LAUNCH_RING_H

#include "driver/driver.h"

#include <stdatomic.h>
#include <stdbool.h>

struct cuc__launch_record {
    _Atomic(const char *) what; // interned name of a kernel or graph; NULL marks an empty record
    _Atomic uint32_t grid_x, block_x;   // a grid_x of 0 marks a graph, which has no grid
    _Atomic uint64_t grid_yz, block_yz; // y in the lower half
    _Atomic(CUstream) stream;
    uint64_t to_a_cache_line[3]; // pads the record to a power of two, so that indexing is a shift
};

enum {
    CUC__LAUNCH_RECORDS = 16, // a power of two
};
#define CUC__RECORD_OF(number) ((number) & (CUC__LAUNCH_RECORDS - 1))

struct cuc__launch_ring {
    _Atomic uint32_t count; // number of launches; the low bits are the next record's index
    struct cuc__launch_record records[CUC__LAUNCH_RECORDS];
    struct cuc__launch_ring *next; // the list of all rings, which intern.c owns
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

// Removes the latest record after the driver has refused its launch.
void cuc__ring_undo(struct cuc__launch_ring *ring, const char *what, CUstream stream)
    __attribute__((cold));

// Returns the number of launches so far. Read it before a wait, and pass it to
// cuc__ring_mark_complete() when the wait has succeeded.
static inline uint32_t cuc__ring_mark(const struct cuc__launch_ring *ring)
{
    return atomic_load_explicit(&ring->count, memory_order_relaxed);
}

// Removes the records of a stream's launches before `mark`, because these launches are complete.
void cuc__ring_mark_complete(struct cuc__launch_ring *ring, CUstream stream, uint32_t mark);

// Does the same as cuc__ring_mark_complete(), for all streams.
void cuc__ring_mark_all_complete(struct cuc__launch_ring *ring, uint32_t mark);

// Returns true if a record points to this copy of a name.
bool cuc__ring_holds(const struct cuc__launch_ring *ring, const char *what);

// Writes a text that lists the launches that may be incomplete, latest first.
void cuc__ring_list(char *text, size_t size, const struct cuc__launch_ring *ring);

#endif
