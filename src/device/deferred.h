// Releases that must wait.
//
// The driver reports on a thread of its own that a graph and its launches no longer use something,
// and no driver call is allowed there. Such releases wait in a list, and the next call that makes
// something runs them.
#ifndef CUCORE_DEVICE_DEFERRED_H
#define CUCORE_DEVICE_DEFERRED_H

#include "base/handle.h"

// A release that waits; part of a larger struct, which run() frees.
struct cuc__deferred {
    struct cuc__deferred *next;
    void (*run)(struct cuc__deferred *release);
};

// Adds a release to the list; callable on any thread, also on the driver's.
void cuc__defer(struct cuc__deferred *release);

// Adds drop(thing) to the list. False without memory.
bool cuc__defer_drop(void *thing, void (*drop)(void *thing));

// Runs the releases that wait, unless a capture is under way: it would capture a buffer's free.
void cuc__deferred_run(void);

// True on a thread that is running deferred releases. A release that is impossible, since another
// thread has begun a capture meanwhile, is deferred again.
bool cuc__deferred_is_running(void);

extern _Atomic(struct cuc__deferred *) cuc__deferred_releases;

static inline void cuc__deferred_poll(void)
{
    if (__builtin_expect(
            atomic_load_explicit(&cuc__deferred_releases, memory_order_relaxed) != NULL, 0))
        cuc__deferred_run();
}

#endif
