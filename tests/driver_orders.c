// The driver by itself: pools, virtual memory and functions on the host, made and let go on many
// threads at a time, as test_orders has cucore do it. Where that fails on a GPU, this tells whether
// the driver can do it at all, and what it needs:
//
//     driver_orders SWITCHES [THREADS [ROUNDS]]
//
//     p  pools for other processes, exported      d  pools for this process alone
//     v  virtual memory                           h  functions under way on the stream
//     l  one thread at a time makes, exports and destroys pools
//     L  the same, and virtual memory, too
//     w  a pool is destroyed when its stream has come to the free
//     s  a stream is destroyed when it has nothing to do
//
// The exit status is 1 where a call failed; a driver that cannot do it ends the process, or hangs.
#include "driver/driver.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REGIONS = 3, MOST_THREADS = 64 };

static const char *switches;
static long rounds = 200;
static CUcontext context;
static atomic_int failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

static void enter(bool one_at_a_time)
{
    if (one_at_a_time)
        pthread_mutex_lock(&lock);
}

static void leave(bool one_at_a_time)
{
    if (one_at_a_time)
        pthread_mutex_unlock(&lock);
}

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

    enter(on('L'));
    CHECK(cuMemGetAllocationGranularity, &grain, &prop, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED);
    r->bytes = (bytes + grain - 1) / grain * grain;
    CHECK(cuMemAddressReserve, &r->base, r->bytes, 0, 0, 0);
    CHECK(cuMemCreate, &r->handle, r->bytes, &prop, 0);
    CHECK(cuMemMap, r->base, r->bytes, 0, r->handle, 0);
    CHECK(cuMemSetAccess, r->base, r->bytes, &access, 1);
    leave(on('L'));
}

static void end_region(const struct region *r)
{
    enter(on('L'));
    CHECK(cuMemUnmap, r->base, r->bytes);
    CHECK(cuMemRelease, r->handle);
    CHECK(cuMemAddressFree, r->base, r->bytes);
    leave(on('L'));
}

struct pooled {
    CUmemoryPool pool;
    CUdeviceptr ptr;
    int fd; // -1: not exported
};

static void make_pool(struct pooled *p, CUstream stream)
{
    CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                             .location = { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };

    *p = (struct pooled){ .fd = -1 };
    props.handleTypes = on('p') ? CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR : 0;
    enter(on('l') || on('L'));
    CHECK(cuMemPoolCreate, &p->pool, &props);
    if (on('p'))
        CHECK(cuMemPoolExportToShareableHandle, &p->fd, p->pool,
              CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0);
    leave(on('l') || on('L'));
    CHECK(cuMemAllocFromPoolAsync, &p->ptr, 5000, p->pool, stream);
}

static void end_pool(const struct pooled *p, CUstream stream)
{
    CHECK(cuMemFreeAsync, p->ptr, stream);
    if (on('w'))
        CHECK(cuStreamSynchronize, stream);
    enter(on('l') || on('L'));
    CHECK(cuMemPoolDestroy, p->pool);
    leave(on('l') || on('L'));
    if (p->fd >= 0)
        close(p->fd);
}

static void go_once(unsigned *seed)
{
    const bool with_pool = on('p') || on('d'), pool_first = rand_r(seed) & 1;
    struct region regions[REGIONS];
    struct pooled pooled;
    CUstream stream = NULL;

    CHECK(cuStreamCreateWithPriority, &stream, CU_STREAM_NON_BLOCKING, 0);
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
    if (on('v')) {
        CHECK(cuStreamSynchronize, stream); // unmapping waits for nobody
        for (int i = 0; i < REGIONS; i++)
            end_region(&regions[i]);
    }
    if (with_pool && !pool_first)
        end_pool(&pooled, stream);
    if (on('s'))
        CHECK(cuStreamSynchronize, stream);
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
    if (!*switches || switches[strspn(switches, "pdvhlLws")] || count < 1 || count > MOST_THREADS ||
        rounds < 1) {
        fprintf(stderr, "usage: driver_orders SWITCHES [THREADS [ROUNDS]], SWITCHES of pdvhlLws\n");
        return 2;
    }
    if (cuc__cu.cuInit(0)) {
        printf("skipped: there is no driver\n");
        return 77;
    }
    CHECK(cuDevicePrimaryCtxRetain, &context, 0);
    for (long i = 0; i < count; i++) {
        seeds[i] = (unsigned)i + 1;
        if (pthread_create(&threads[i], NULL, work, &seeds[i]))
            return 1;
    }
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    CHECK(cuDevicePrimaryCtxRelease, 0);
    printf("%s: %ld threads, %ld rounds, %d calls failed\n", switches, count, rounds,
           atomic_load(&failures));
    return atomic_load(&failures) != 0;
}
