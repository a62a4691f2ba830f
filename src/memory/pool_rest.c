// Pools that were released. The driver (13.0) frees what it still uses, and crashes or hangs, where
// a pool is destroyed whose memory was freed on a stream that another thread waits for, or for an
// event of it: tests/driver_orders.c shows it (switches dxyh). Neither that the stream has come to
// the free nor that the pool says it holds nothing is enough, as that thread may be at it. So a
// pool that has held memory rests: the next one of its kind takes it over, and what cannot be used
// again is destroyed when it has held nothing for a while.
#include "pool.h"

#include "driver/relaxed.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_KEPT = 32 }; // for others to take over

static const int64_t rest_ns = 1000000000; // what a thread that has been woken may take

struct resting {
    struct resting *next;
    CUmemoryPool pool;
    CUmemPoolProps props; // by which it can be used again, where `reusable`
    bool reusable;
    bool imported;       // the driver says nothing about what it holds
    int64_t empty_since; // 0: it was not seen empty
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static struct resting *oldest, **end = &oldest;
static size_t kept;

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct resting *take(struct resting **at)
{
    struct resting *p = *at;

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

// Whether a pool has held nothing for `rest`.
static bool has_rested(struct resting *p, int64_t rest)
{
    if (!p->imported && !holds_nothing(p->pool))
        p->empty_since = 0;
    else if (!p->empty_since)
        p->empty_since = now();
    return p->empty_since && now() - p->empty_since >= rest;
}

static void add(struct resting *p)
{
    p->next = NULL;
    *end = p;
    end = &p->next;
    kept += p->reusable;
}

// Take out what is not for others, or too many, and has rested. With the lock, in relaxed mode.
static struct resting *take_rested(size_t most, int64_t rest)
{
    struct resting *gone = NULL;

    for (struct resting **at = &oldest, *p; (p = *at);) {
        if ((p->reusable && kept <= most) || !has_rested(p, rest)) {
            at = &p->next;
            continue;
        }
        take(at);
        p->next = gone;
        gone = p;
    }
    return gone;
}

// Without the lock, as failures are told to the user's handler. An imported pool is the same for
// each who imports it, and not destroyed while one has memory of it.
static void destroy(struct resting *gone)
{
    for (struct resting *p; (p = gone);) {
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

// Make a pool as a new one is, but for its threshold, which is set so already.
static bool renew(CUmemoryPool pool)
{
    static const CUmemPool_attribute switches[] = {
        CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
        CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    };
    uint64_t zero = 0;
    int on = 1;

    for (size_t i = 0; i < sizeof(switches) / sizeof(*switches); i++)
        if (cuc__cu.cuMemPoolSetAttribute(pool, switches[i], &on))
            return false;
    return !cuc__cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH, &zero) &&
           !cuc__cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &zero);
}

// The oldest pool that is as asked for, and holds nothing unless there are too many.
static CUmemoryPool find(const CUmemPoolProps *props)
{
    const bool may_hold = kept > MOST_KEPT && !props->maxSize; // which that would count towards
    CUmemoryPool pool = NULL;

    for (struct resting **at = &oldest, *p; !pool && (p = *at);) {
        if (!p->reusable || memcmp(&p->props, props, sizeof(*props)) != 0 ||
            !(may_hold || holds_nothing(p->pool))) {
            at = &p->next;
            continue;
        }
        take(at);
        if (renew(p->pool)) // else it went with all that the device had
            pool = p->pool;
        free(p);
    }
    return pool;
}

CUmemoryPool cuc__pool_wake(const CUmemPoolProps *props)
{
    if (cuc__driver_forked()) // the lock may be held for good by a thread of the parent
        return NULL;
    CUstreamCaptureMode mode = cuc__relax();
    pthread_mutex_lock(&lock);
    CUmemoryPool pool = find(props);
    struct resting *gone = take_rested(MOST_KEPT, rest_ns);
    pthread_mutex_unlock(&lock);
    destroy(gone);
    cuc__unrelax(mode);
    return pool;
}

void cuc__pool_rest(CUmemoryPool pool, const CUmemPoolProps *props, bool imported)
{
    uint64_t none = 0;

    if (cuc__driver_forked())
        return;
    struct resting *p = calloc(1, sizeof(*p));
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
        (void)holds_nothing(pool); // it need not wait for the next wait
        pthread_mutex_lock(&lock);
        add(p);
        struct resting *gone = take_rested(MOST_KEPT, rest_ns);
        pthread_mutex_unlock(&lock);
        destroy(gone);
    }
}

void cuc__pools_settle(void)
{
    CUstreamCaptureMode mode = cuc__relax();

    pthread_mutex_lock(&lock);
    struct resting *gone = take_rested(0, 0);
    pthread_mutex_unlock(&lock);
    destroy(gone);
    cuc__unrelax(mode);
}
