// Reuses released pools, to avoid a driver bug. The driver (13.0) uses freed memory, and crashes or
// hangs, in this case: a stream frees memory of a pool, another thread waits for that stream or for
// one of its events, and the pool is destroyed during the wait. tests/driver_orders.c shows it
// (switches dxyh). The crash can occur even after the stream has reached the free and the pool
// reports no memory in use, because the waiting thread may still be in the driver.
//
// A pool that has held memory is therefore kept. The next pool of its kind reuses it. A pool that
// cannot be reused is destroyed after it has been empty for a while.
#include "base/array.h"
#include "pool.h"

#include "driver/relaxed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_KEPT = 32 }; // for reuse

static const int64_t grace_ns = 1000000000; // an upper bound on how long a woken thread stays in
                                            // the driver

struct released_pool {
    struct released_pool *next;
    CUmemoryPool pool;
    CUmemPoolProps props; // the key for reuse, if `reusable` is set
    bool reusable;
    bool imported;       // the driver does not report its contents
    int64_t empty_since; // 0: not seen empty
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards the list below
static struct released_pool *oldest, **end = &oldest;
static size_t kept;

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct released_pool *take(struct released_pool **at)
{
    struct released_pool *p = *at;

    *at = p->next;
    if (end == &p->next)
        end = at;
    kept -= p->reusable;
    return p;
}

static bool holds_nothing(CUmemoryPool pool)
{
    uint64_t reserved = 1;

    return !cuc__cu.cuMemPoolTrimTo(pool, 0) &&
           !cuc__cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved) &&
           !reserved;
}

// Returns true if a pool has been empty for `grace` nanoseconds.
static bool empty_long_enough(struct released_pool *p, int64_t grace)
{
    if (!p->imported && !holds_nothing(p->pool))
        p->empty_since = 0;
    else if (!p->empty_since)
        p->empty_since = now();
    return p->empty_since && now() - p->empty_since >= grace;
}

static void add(struct released_pool *p)
{
    p->next = NULL;
    *end = p;
    end = &p->next;
    kept += p->reusable;
}

// Removes the pools that have been empty long enough and that either cannot be reused or are too
// many. The caller holds the lock and is in relaxed mode.
static struct released_pool *take_expired(size_t most, int64_t grace)
{
    struct released_pool *gone = NULL;

    for (struct released_pool **at = &oldest, *p; (p = *at);) {
        if ((p->reusable && kept <= most) || !empty_long_enough(p, grace)) {
            at = &p->next;
            continue;
        }
        take(at);
        p->next = gone;
        gone = p;
    }
    return gone;
}

// Destroys pools. The caller must not hold the lock, because failures go to the user's handler. The
// importers of a pool share it, so an imported pool stays while any of them has memory from it.
static void destroy(struct released_pool *gone)
{
    for (struct released_pool *p; (p = gone);) {
        gone = p->next;
        CUresult r = cuc__cu.cuMemPoolDestroy(p->pool);
        if (r == CUDA_ERROR_INVALID_VALUE && p->imported) {
            p->empty_since = now();
            pthread_mutex_lock(&lock);
            add(p);
            pthread_mutex_unlock(&lock);
            continue;
        }
        if (r)
            cuc__driver_cleanup_failed(NULL, r, "cuMemPoolDestroy", (void *)p->pool);
        free(p);
    }
}

// Gives a pool the state of a new one. The threshold is already set.
static bool renew(CUmemoryPool pool)
{
    static const CUmemPool_attribute switches[] = {
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    };
    uint64_t zero = 0;
    int on = 1;

    for (size_t i = 0; i < CUC_LENGTH(switches); i++)
        if (cuc__cu.cuMemPoolSetAttribute(pool, switches[i], &on))
            return false;
    return !cuc__cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero) &&
           !cuc__cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero);
}

// Returns the oldest pool with these properties. The pool must be empty, unless there are too many
// kept pools.
static CUmemoryPool find(const CUmemPoolProps *props)
{
    const bool may_hold = kept > MOST_KEPT && !props->maxSize; // memory in the pool would count
                                                               // toward a size limit
    CUmemoryPool pool = NULL;

    for (struct released_pool **at = &oldest, *p; !pool && (p = *at);) {
        if (!p->reusable || memcmp(&p->props, props, sizeof(*props)) != 0 ||
            !(may_hold || holds_nothing(p->pool))) {
            at = &p->next;
            continue;
        }
        take(at);
        if (renew(p->pool)) // fails if the pool was lost with all of the device's state
            pool = p->pool;
        free(p);
    }
    return pool;
}

CUmemoryPool cuc__pool_reuse(const CUmemPoolProps *props)
{
    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return NULL;
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();
    pthread_mutex_lock(&lock);
    CUmemoryPool pool = find(props);
    struct released_pool *gone = take_expired(MOST_KEPT, grace_ns);
    pthread_mutex_unlock(&lock);
    destroy(gone);
    cuc__leave_relaxed_mode(mode);
    return pool;
}

void cuc__pool_recycle(CUmemoryPool pool, const CUmemPoolProps *props, bool imported)
{
    uint64_t none = 0;

    if (cuc__driver_forked())
        return;
    struct released_pool *p = calloc(1, sizeof(*p));
    int code = imported
                   ? 0
                   : cuc__cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &none);
    if (!p || code) {
        CUC_CLEANUP(NULL, cuMemPoolDestroy, (void *)pool, pool);
        free(p);
    } else {
        p->pool = pool;
        p->imported = imported;
        p->reusable = props;
        if (props)
            p->props = *props;
        (void)holds_nothing(pool); // starts the waiting time of an empty pool
        pthread_mutex_lock(&lock);
        add(p);
        struct released_pool *gone = take_expired(MOST_KEPT, grace_ns);
        pthread_mutex_unlock(&lock);
        destroy(gone);
    }
}

void cuc__pools_destroy_released(void)
{
    CUstreamCaptureMode mode = cuc__enter_relaxed_mode();

    pthread_mutex_lock(&lock);
    struct released_pool *gone = take_expired(0, 0);
    pthread_mutex_unlock(&lock);
    destroy(gone);
    cuc__leave_relaxed_mode(mode);
}
