#include "deferred.h"

#include <stdlib.h>

_Atomic(struct cuc__deferred *) cuc__deferred_releases;

void cuc__defer(struct cuc__deferred *release)
{
    release->next = atomic_load_explicit(&cuc__deferred_releases, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&cuc__deferred_releases, &release->next, release,
                                                  memory_order_release, memory_order_relaxed))
        ;
}

struct deferred_drop {
    struct cuc__deferred head;
    void *object;
    void (*drop)(void *object);
};

static void run_drop(struct cuc__deferred *release)
{
    struct deferred_drop *d = (struct deferred_drop *)release;

    d->drop(d->object);
    free(d);
}

bool cuc__defer_drop(void *object, void (*drop)(void *object))
{
    struct deferred_drop *d = malloc(sizeof(*d));

    if (!d)
        return false;
    *d = (struct deferred_drop){ .head.run = run_drop, .object = object, .drop = drop };
    cuc__defer(&d->head);
    return true;
}

static _Thread_local bool running;

bool cuc__deferred_is_running(void)
{
    return running;
}

void cuc__deferred_run(void)
{
    const bool within = running; // true if one of the releases below called this function
    struct cuc__deferred *next;

    if (cuc__capturing())
        return;
    running = true;
    struct cuc__deferred *release =
        atomic_exchange_explicit(&cuc__deferred_releases, NULL, memory_order_acquire);
    for (; release; release = next) {
        next = release->next;
        release->run(release);
    }
    running = within;
}
