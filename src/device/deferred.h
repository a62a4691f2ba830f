// Deferred releases.
//
// When a graph and its launches no longer use an object, the driver reports this on one of its own
// threads, where driver calls are not allowed. The library therefore queues the release, and the
// next call that creates an object runs it.
#ifndef CUCORE_DEVICE_DEFERRED_H
#define CUCORE_DEVICE_DEFERRED_H

#include "base/handle.h"

// A deferred release, embedded in a larger struct that run() frees.
struct cuc__deferred {
    struct cuc__deferred *next;
    void (*run)(struct cuc__deferred *release);
};

// Adds a release to the list. Any thread may call this, including the driver's.
void cuc__defer(struct cuc__deferred *release);

// Adds drop(object) to the list. Returns false if out of memory.
bool cuc__defer_drop(void *object, void (*drop)(void *object));

// Runs the deferred releases, unless a capture is active: the capture would record the freeing of a
// buffer.
void cuc__deferred_run(void);

// Returns true on a thread that is running deferred releases. If a release fails because another
// thread has begun a capture, this thread defers it again.
bool cuc__deferred_is_running(void);

extern _Atomic(struct cuc__deferred *) cuc__deferred_releases;

static inline void cuc__deferred_poll(void)
{
    if (__builtin_expect(
            atomic_load_explicit(&cuc__deferred_releases, memory_order_relaxed) != NULL, 0))
        cuc__deferred_run();
}

#endif
