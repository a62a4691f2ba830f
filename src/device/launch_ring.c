#include "launch_ring.h"

#include "intern.h"

#include <stdio.h>

void cuc__ring_undo(struct cuc__launch_ring *ring, const char *what, CUstream stream)
{
    const uint32_t count = cuc__ring_mark(ring);

    for (uint32_t i = 1; i <= CUC__LAUNCH_RECORDS; i++) {
        struct cuc__launch_record *r = &ring->records[CUC__RECORD_OF(count - i)];
        if (atomic_load_explicit(&r->what, memory_order_relaxed) == what &&
            atomic_load_explicit(&r->stream, memory_order_relaxed) == stream) {
            atomic_store_explicit(&r->what, NULL, memory_order_relaxed);
            return;
        }
    }
}

static void settle(struct cuc__launch_ring *ring, bool all, CUstream stream, uint32_t mark)
{
    const uint32_t later = cuc__ring_mark(ring) - mark; // number of launches after the mark

    for (uint32_t i = later + 1; i <= CUC__LAUNCH_RECORDS; i++) {
        struct cuc__launch_record *r = &ring->records[CUC__RECORD_OF(mark + later - i)];
        if (all || atomic_load_explicit(&r->stream, memory_order_relaxed) == stream)
            atomic_store_explicit(&r->what, NULL, memory_order_relaxed);
    }
}

void cuc__ring_mark_complete(struct cuc__launch_ring *ring, CUstream stream, uint32_t mark)
{
    // Each thread has its own stream with this handle, and the caller has waited for only one of
    // them.
    if (stream != CU_STREAM_PER_THREAD)
        settle(ring, false, stream, mark);
}

void cuc__ring_mark_all_complete(struct cuc__launch_ring *ring, uint32_t mark)
{
    settle(ring, true, NULL, mark);
}

bool cuc__ring_holds(const struct cuc__launch_ring *ring, const char *what)
{
    for (uint32_t i = 0; i < CUC__LAUNCH_RECORDS; i++)
        if (atomic_load_explicit(&ring->records[i].what, memory_order_relaxed) == what)
            return true;
    return false;
}

static int write_one(char *to, size_t size, const struct cuc__launch_record *r, const char *what)
{
    const void *stream = (void *)atomic_load_explicit(&r->stream, memory_order_relaxed);
    const uint32_t grid_x = atomic_load_explicit(&r->grid_x, memory_order_relaxed);
    const uint64_t grid_yz = atomic_load_explicit(&r->grid_yz, memory_order_relaxed);
    const uint64_t block_yz = atomic_load_explicit(&r->block_yz, memory_order_relaxed);

    if (!grid_x)
        return snprintf(to, size, "%s on stream %p", what, stream);
    return snprintf(to, size, "%s grid %u,%u,%u block %u,%u,%u on stream %p", what, grid_x,
                    (unsigned)grid_yz, (unsigned)(grid_yz >> 32),
                    atomic_load_explicit(&r->block_x, memory_order_relaxed), (unsigned)block_yz,
                    (unsigned)(block_yz >> 32), stream);
}

void cuc__ring_list(char *text, size_t size, const struct cuc__launch_ring *ring)
{
    const uint32_t count = cuc__ring_mark(ring);
    size_t at = 0;

    text[0] = '\0';
    cuc__intern_lock();
    for (uint32_t i = 1; i <= CUC__LAUNCH_RECORDS && at + 2 < size; i++) {
        const struct cuc__launch_record *r = &ring->records[CUC__RECORD_OF(count - i)];
        const char *what = atomic_load_explicit(&r->what, memory_order_relaxed);
        if (!what)
            continue;
        if (at)
            at += (size_t)snprintf(text + at, size - at, "; ");
        int n = write_one(text + at, size - at, r, what);
        at = n < 0 ? size : at + (size_t)n;
    }
    cuc__intern_unlock();
}
