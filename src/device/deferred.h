// Deferred releases.
//
// When a graph and its launches no longer use an object, the driver reports this on a thread of its
// own, where driver calls are not allowed. Such releases wait in a list, and the next call that
// creates an object runs them.
#ifndef CUCORE_DEVICE_DEFERRED_H
#define CUCORE_DEVICE_DEFERRED_H

#include "base/handle.h"

// A deferred release. It is part of a larger struct, which run() frees.
struct cuc__deferred {
    struct cuc__deferred *next;
    void (*run)(struct cuc__deferred *release);
};

// Adds a release to the list. May be called on any thread, including the driver's.
void cuc__defer(struct cuc__deferred *release);

// Adds drop(thing) to the list. False if out of memory.
bool cuc__defer_drop(void *object, void (*drop)(void *object));

// Runs the deferred releases, unless a capture is active, because freeing a buffer would be
// captured.
void cuc__deferred_run(void);

// True on a thread that is running deferred releases. A release that has become impossible, because
// another thread has begun a capture, is deferred again.
bool cuc__deferred_is_running(void);

extern _Atomic(struct cuc__deferred *) cuc__deferred_releases;

static inline void cuc__deferred_poll(void)
{
    if (__builtin_expect(
            atomic_load_explicit(&cuc__deferred_releases, memory_order_relaxed) != NULL, 0))
        cuc__deferred_run();
}

#endif
