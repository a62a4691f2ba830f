// Runs the driver without cucore: many threads create and release pools, virtual memory and host
// functions at once, as test_orders does with cucore. If test_orders fails on a GPU, this program
// shows whether the driver itself supports such use, and under which conditions.
//
//     driver_orders SWITCHES [THREADS [ROUNDS]]
//
// Work:
//     p  pools that are exported to other processes
//     d  pools for this process alone
//     v  virtual memory
//     h  host functions in progress on the stream
// Waits:
//     x  threads share their streams: a thread may wait for a stream on which another one frees
//     y  wait for the stream
//     e  wait for an event of the stream
//     c  wait for the context
// When to destroy a pool; at once without these:
//     w  after a wait for the stream of the free
//     z  once the pool reserves no memory, which needs a wait by some thread
//     Z  once the pool has reserved no memory for 2 ms
//     n  with z or Z: first allocates and frees in the pool on another stream, which makes the
//        driver notice earlier frees
//     r  never: the pool is reused
//
// Exits with 1 if a call failed. A driver that does not support such use kills the process or
// hangs.
#include "driver/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { REGIONS = 3, MOST_THREADS = 64, MOST_GRAVES = 4096 };

static const char all[] = "pdvhxyecwzZnr";
static const char *switches;
static long rounds = 200;
static CUcontext context;
static CUstream streams[MOST_THREADS]; // with switch x
static long thread_count;
static atomic_int failures;

// A pool to destroy or reuse.
struct grave {
    CUmemoryPool pool;
    int fd;
    struct timespec empty; // when the pool became empty; 0: not empty
};

static struct {
    pthread_mutex_t lock;
    CUstream stream;
    int count;
    struct grave graves[MOST_GRAVES];
} yard = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool on(char c)
{
    return strchr(switches, c) != NULL;
}

static void check(int code, const char *call)
{
    if (!code)
        return;
    fprintf(stderr, "%s gave %d\n", call, code);
    atomic_fetch_add(&failures, 1);
}

#define CHECK(name, ...) check(cuc__cu.name(__VA_ARGS__), #name)

static void take_a_while(void *unused)
{
    (void)unused;
    usleep(200);
}

struct region {
    CUdeviceptr base;
    size_t bytes;
    CUmemGenericAllocationHandle handle;
};

static void make_region(struct region *r, size_t bytes)
{
    const CUmemLocation here = { CU_MEM_LOCATION_TYPE_DEVICE, 0 };
    const CUmemAllocationProp prop = { .type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = here };
    const CUmemAccessDesc access = { here, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    size_t grain = 1;

    CHECK(cuMemGetAllocationGranularity, &grain, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    r->bytes = (bytes + grain - 1) / grain * grain;
    CHECK(cuMemAddressReserve, &r->base, r->bytes, 0, 0, 0);
    CHECK(cuMemCreate, &r->handle, r->bytes, &prop, 0);
    CHECK(cuMemMap, r->base, r->bytes, 0, r->handle, 0);
    CHECK(cuMemSetAccess, r->base, r->bytes, &access, 1);
}

static void end_region(const struct region *r)
{
    CHECK(cuMemUnmap, r->base, r->bytes);
    CHECK(cuMemRelease, r->handle);
    CHECK(cuMemAddressFree, r->base, r->bytes);
}

struct pooled {
    CUmemoryPool pool;
    CUdeviceptr ptr;
    int fd; // -1: the pool is not exported
};

static bool take_from_yard(struct pooled *p)
{
    bool taken = false;

    pthread_mutex_lock(&yard.lock);
    if (on('r') && yard.count > 8) {
        struct grave g = yard.graves[--yard.count];
        p->pool = g.pool;
        p->fd = g.fd;
        taken = true;
    }
    pthread_mutex_unlock(&yard.lock);
    return taken;
}

static void make_pool(struct pooled *p, CUstream stream)
{
    CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                             .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };

    *p = (struct pooled){ .fd = -1 };
    props.handleTypes = on('p') ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0;
    if (!take_from_yard(p)) {
        CHECK(cuMemPoolCreate, &p->pool, &props);
        if (on('p'))
            CHECK(cuMemPoolExportToShareableHandle, &p->fd, p->pool,
                  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    }
    CHECK(cuMemAllocFromPoolAsync, &p->ptr, 5000, p->pool, stream);
}

static void nudge(CUmemoryPool pool)
{
    CUdeviceptr ptr = 0;
    int no = 0;

    CHECK(cuMemPoolSetAttribute, pool, CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES, &no);
    CHECK(cuMemAllocFromPoolAsync, &ptr, 1, pool, yard.stream);
    CHECK(cuMemFreeAsync, ptr, yard.stream);
    CHECK(cuStreamSynchronize, yard.stream);
}

static bool is_empty(struct grave *g)
{
    uint64_t reserved = 1;
    struct timespec now;

    if (on('n'))
        nudge(g->pool);
    CHECK(cuMemPoolTrimTo, g->pool, 0);
    CHECK(cuMemPoolGetAttribute, g->pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved);
    if (reserved || !on('Z'))
        return !reserved;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!g->empty.tv_sec)
        g->empty = now;
    return (now.tv_sec - g->empty.tv_sec) * 1000000000 + now.tv_nsec - g->empty.tv_nsec > 2000000;
}

// Destroys the pools that have become empty.
static void tend(void)
{
    if (pthread_mutex_trylock(&yard.lock))
        return;
    for (int i = 0; !on('r') && i < yard.count; i++)
        if (is_empty(&yard.graves[i])) {
            CHECK(cuMemPoolDestroy, yard.graves[i].pool);
            if (yard.graves[i].fd >= 0)
                close(yard.graves[i].fd);
            yard.graves[i--] = yard.graves[--yard.count];
        }
    pthread_mutex_unlock(&yard.lock);
}

static void end_pool(const struct pooled *p, CUstream stream)
{
    CHECK(cuMemFreeAsync, p->ptr, stream);
    if (on('w'))
        CHECK(cuStreamSynchronize, stream);
    if (on('z') || on('Z') || on('r')) {
        pthread_mutex_lock(&yard.lock);
        if (yard.count < MOST_GRAVES)
            yard.graves[yard.count++] = (struct grave){ p->pool, p->fd, { 0, 0 } };
        pthread_mutex_unlock(&yard.lock);
        tend();
        return;
    }
    CHECK(cuMemPoolDestroy, p->pool);
    if (p->fd >= 0)
        close(p->fd);
}

static void await(CUstream stream)
{
    if (on('v') || on('y')) // unmapping does not wait for the stream
        CHECK(cuStreamSynchronize, stream);
    if (on('c'))
        check(cuc__cu.cuCtxSynchronize(), "cuCtxSynchronize");
    if (on('e')) {
        CUevent event = NULL;
        CHECK(cuEventCreate, &event, CU_EVENT_DISABLE_TIMING);
        CHECK(cuEventRecord, event, stream);
        CHECK(cuEventSynchronize, event);
        CHECK(cuEventDestroy, event);
    }
}

static void go_once(unsigned *seed)
{
    const bool with_pool = on('p') || on('d'), pool_first = rand_r(seed) & 1;
    struct region regions[REGIONS];
    struct pooled pooled;
    CUstream stream = streams[rand_r(seed) % (int)thread_count];
    CUstream waited = streams[rand_r(seed) % (int)thread_count];

    if (!on('x')) {
        CHECK(cuStreamCreateWithPriority, &stream, CU_STREAM_NON_BLOCKING, 0);
        waited = stream;
    }
    for (int i = 0; on('h') && i < 3; i++)
        CHECK(cuLaunchHostFunc, stream, take_a_while, NULL);
    if (with_pool)
        make_pool(&pooled, stream);
    for (int i = 0; on('v') && i < REGIONS; i++)
        make_region(&regions[i], i ? (size_t)3 << 20 : 100);
    if (on('h') && rand_r(seed) & 1)
        CHECK(cuLaunchHostFunc, stream, take_a_while, NULL);
    if (with_pool && pool_first)
        end_pool(&pooled, stream);
    await(waited);
    for (int i = 0; on('v') && i < REGIONS; i++)
        end_region(&regions[i]);
    if (with_pool && !pool_first)
        end_pool(&pooled, stream);
    if (!on('x'))
        CHECK(cuStreamDestroy, stream);
}

static void *work(void *seed)
{
    CHECK(cuCtxSetCurrent, context);
    for (long i = 0; i < rounds; i++)
        go_once(seed);
    return NULL;
}

int main(int argc, char **argv)
{
    long count = argc > 2 ? strtol(argv[2], NULL, 10) : 6;
    pthread_t threads[MOST_THREADS];
    unsigned seeds[MOST_THREADS];

    switches = argc > 1 ? argv[1] : "";
    if (argc > 3)
        rounds = strtol(argv[3], NULL, 10);
    if (!*switches || switches[strspn(switches, all)] || count < 1 || count > MOST_THREADS ||
        rounds < 1) {
        fprintf(stderr, "usage: driver_orders SWITCHES [THREADS [ROUNDS]], SWITCHES of %s\n", all);
        return 2;
    }
    if (cuc__cu.cuInit(0)) {
        printf("skipped: there is no driver\n");
        return 77;
    }
    CHECK(cuDevicePrimaryCtxRetain, &context, 0);
    CHECK(cuCtxSetCurrent, context);
    CHECK(cuStreamCreateWithPriority, &yard.stream, CU_STREAM_NON_BLOCKING, 0);
    thread_count = count;
    for (long i = 0; i < count; i++)
        CHECK(cuStreamCreateWithPriority, &streams[i], CU_STREAM_NON_BLOCKING, 0);
    for (long i = 0; i < count; i++) {
        seeds[i] = (unsigned)i + 1;
        if (pthread_create(&threads[i], NULL, work, &seeds[i]))
            return 1;
    }
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    const int left = yard.count;
    for (long i = 0; i < count; i++) {
        CHECK(cuStreamSynchronize, streams[i]);
        CHECK(cuStreamDestroy, streams[i]);
    }
    for (int i = 0; i < 100 && yard.count; i++, usleep(1000))
        tend();
    CHECK(cuStreamDestroy, yard.stream);
    CHECK(cuDevicePrimaryCtxRelease, 0);
    printf("%s: %ld threads, %ld rounds, %d calls failed, %d pools left, then %d\n", switches,
           count, rounds, atomic_load(&failures), left, yard.count);
    return atomic_load(&failures) != 0;
}
