// Tests a kernel that waits for the host: calls that proceed in the meantime, and calls that wait
// for the kernel, as on an H200. Each test runs in its own process.
#include "base/array.h"
#include "driver_symbols.h"
#include "tests.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    // Spins until the word is nonzero.
    ".visible .entry spin(.param .u64 word, .param .u64 n)\n"
    "{ .reg .pred %p; .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [word];\n"
    "again: ld.volatile.global.u32 %r, [%d]; setp.eq.u32 %p, %r, 0; @%p bra again; ret; }\n"
    // The same with pauses of a millisecond, and for at most n cycles.
    ".visible .entry latch(.param .u64 word, .param .u64 n)\n"
    "{ .reg .pred %p; .reg .b32 %r; .reg .b64 %d<5>; ld.param.u64 %d1, [word];\n"
    "  ld.param.u64 %d2, [n]; mov.u64 %d3, %clock64;\n"
    "again: ld.volatile.global.u32 %r, [%d1]; setp.ne.u32 %p, %r, 0; @%p bra done;\n"
    "  mov.u64 %d4, %clock64; sub.u64 %d4, %d4, %d3; setp.ge.u64 %p, %d4, %d2; @%p bra done;\n"
    "  nanosleep.u32 1000000; bra again;\n"
    "done: ret; }\n"
    // Warps that meet at a barrier n times.
    ".visible .entry meet(.param .u64 word, .param .u64 n)\n"
    "{ .reg .pred %p; .reg .b64 %d<3>; ld.param.u64 %d1, [n]; mov.u64 %d2, 0;\n"
    "again: bar.sync 0; add.u64 %d2, %d2, 1; setp.lt.u64 %p, %d2, %d1; @%p bra again; ret; }\n"
    ".visible .entry add(.param .u64 word, .param .u64 n)\n"
    "{ .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [word]; red.global.add.u32 [%d], 1; ret; }\n";

static CUmodule module, other_module;
static CUlibrary other_library;
static CUstream held, free_stream; // both are non-blocking
static CUevent before, behind;     // recorded on `held` before and after the kernel
static CUdeviceptr memory;
static unsigned char *other_host, pages[2][4096] __attribute__((aligned(4096)));
static _Atomic unsigned *word;
static void *word_host;

static void launch_threads(const char *name, CUstream stream, unsigned blocks, unsigned threads,
                           void *at, uint64_t n)
{
    CUfunction f;
    void *params[] = { &at, &n };

    ck_cu(cuModuleGetFunction(&f, module, name));
    CUlaunchConfig config = { .gridDimX = blocks,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = threads,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = stream };
    ck_cu(cuLaunchKernelEx(&config, f, params, NULL));
}

static void launch(const char *name, CUstream stream, unsigned blocks, void *at, uint64_t n)
{
    launch_threads(name, stream, blocks, 32, at, n);
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

// Starts more spinning blocks than there are host threads, in a primary context.
static void hold(void)
{
    open_driver();
    ck_cu(cuInit(0));
    ck_cu(cuDevicePrimaryCtxRetain(&context, 0));
    ck_cu(cuCtxSetCurrent(context));
    ck_cu(cuModuleLoadData(&module, ptx));
    ck_cu(cuModuleLoadData(&other_module, ptx));
    ck_cu(cuLibraryLoadData(&other_library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    ck_cu(cuStreamCreate(&held, CU_STREAM_NON_BLOCKING));
    ck_cu(cuStreamCreate(&free_stream, CU_STREAM_NON_BLOCKING));
    ck_cu(cuEventCreate(&before, 0));
    ck_cu(cuEventCreate(&behind, 0));
    ck_cu(cuMemAlloc(&memory, 1 << 20));
    ck_cu(cuMemHostAlloc(&word_host, 64, 0));
    word = word_host;
    ck_cu(cuMemHostAlloc((void **)&other_host, 1 << 20, 0));
    ck_cu(cuMemHostRegister(pages[0], sizeof(pages[0]), 0));
    atomic_store(word, 0);
    memset(other_host, 0, 64);
    ck_cu(cuEventRecord(before, held));
    launch("spin", held, 16, word_host, 0);
    ck_cu(cuEventRecord(behind, held));
    pause_ms(20);
    ck_assert_int_eq(cuStreamQuery(held), CUDA_ERROR_NOT_READY);
}

static CUresult launch_on(CUstream stream)
{
    launch("add", stream, 64, other_host, 0);
    CUresult code = cuStreamSynchronize(stream);
    ck_assert_uint_eq(*(unsigned *)(void *)other_host, 64 * 32);
    return code;
}

static CUresult launch_beside(void)
{
    return launch_on(free_stream);
}

static CUresult launch_on_the_default_stream(void)
{
    return launch_on(NULL);
}

static CUresult query(void)
{
    return cuEventQuery(behind) == CUDA_ERROR_NOT_READY ? cuEventQuery(before) : CUDA_ERROR_UNKNOWN;
}

static CUresult wait_for_an_event_before(void)
{
    return cuEventSynchronize(before);
}

static CUresult copy(void)
{
    return cuMemcpyHtoD_v2(memory, other_host, 1 << 20);
}

static CUresult copy_beside(void)
{
    ck_cu(cuMemcpyHtoDAsync_v2(memory, other_host, 1 << 20, free_stream));
    return cuStreamSynchronize(free_stream);
}

static CUresult fill(void)
{
    return cuMemsetD8_v2(memory, 1, 1 << 20);
}

static CUresult allocate(void)
{
    CUdeviceptr p;
    void *h;

    ck_cu(cuMemAlloc(&p, 64));
    ck_cu(cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_GLOBAL));
    ck_cu(cuMemHostRegister(pages[1], sizeof(pages[1]), 0));
    return cuMemHostAlloc(&h, 64, 0);
}

static CUresult allocate_and_free_in_order(void)
{
    CUdeviceptr p;

    ck_cu(cuMemAllocAsync(&p, 64, free_stream));
    ck_cu(cuMemFreeAsync(p, free_stream));
    return cuStreamSynchronize(free_stream);
}

static CUresult another_context(void)
{
    CUcontext another;

    ck_cu(cuCtxCreate_v2(&another, 0, 0));
    ck_cu(cuCtxSynchronize());
    return cuCtxDestroy(another);
}

static CUresult destroy_its_stream_and_event(void)
{
    ck_cu(cuEventDestroy(behind));
    return cuStreamDestroy(held);
}

static CUresult load_and_unload_a_library(void)
{
    CUlibrary l;

    ck_cu(cuLibraryLoadData(&l, ptx, NULL, NULL, 0, NULL, NULL, 0));
    return cuLibraryUnload(other_library);
}

// Tells LeakSanitizer that a forked child lacks the threads that hold the objects of the parent's
// kernel.
static int is_child;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_child;
}

static CUresult fork_and_exit(void)
{
    pid_t child = fork();
    int status = -1;

    if (!child) {
        is_child = 1;
        exit(0);
    }
    waitpid(child, &status, 0);
    return status ? CUDA_ERROR_UNKNOWN : CUDA_SUCCESS;
}

static CUresult synchronize_its_stream(void)
{
    return cuStreamSynchronize(held);
}

static CUresult wait_for_the_event_behind(void)
{
    return cuEventSynchronize(behind);
}

static CUresult free_memory(void)
{
    return cuMemFree(memory);
}

static CUresult free_host_memory(void)
{
    return cuMemFreeHost(other_host);
}

static CUresult unload(void)
{
    return cuModuleUnload(other_module);
}

static CUresult reset(void)
{
    return cuDevicePrimaryCtxReset_v2(0);
}

static CUresult release(void)
{
    return cuDevicePrimaryCtxRelease(0);
}

static const struct {
    const char *what;
    CUresult (*call)(void);
    bool waits;
} calls[] = {
    { "a kernel on another stream", launch_beside, false },
    { "a kernel on the legacy default stream", launch_on_the_default_stream, false },
    { "queries of events", query, false },
    { "waiting for an event before the kernel", wait_for_an_event_before, false },
    { "a synchronous copy", copy, false },
    { "a copy on another stream", copy_beside, false },
    { "a synchronous fill", fill, false },
    { "allocating memory of every kind", allocate, false },
    { "allocating and freeing in the order of a stream", allocate_and_free_in_order, false },
    { "another context, synchronized and destroyed", another_context, false },
    { "destroying the kernel's stream and event", destroy_its_stream_and_event, false },
    { "loading and unloading libraries", load_and_unload_a_library, false },
    { "a forked child that exits", fork_and_exit, false },
    { "synchronizing the kernel's stream", synchronize_its_stream, true },
    { "waiting for the event behind the kernel", wait_for_the_event_behind, true },
    { "cuCtxSynchronize", NULL, true },
    { "cuMemFree", free_memory, true },
    { "cuMemFreeHost", free_host_memory, true },
    { "cuModuleUnload", unload, true },
    { "resetting the primary context", reset, true },
    { "releasing the primary context", release, true },
};

static _Atomic bool returned;

static void *call_it(void *data)
{
    int row = *(int *)data;

    ck_cu(cuCtxSetCurrent(context));
    CUresult (*call)(void) = calls[row].call;
    CUresult code = call ? call() : cuCtxSynchronize();
    ck_assert_msg(code == CUDA_SUCCESS, "%s: %d", calls[row].what, code);
    atomic_store(&returned, true);
    return NULL;
}

CASE("latch", .timeout = 30);

TEST_ROWS(a_kernel_that_waits_for_the_host_blocks_only_the_calls_that_a_gpu_blocks, calls)
{
    pthread_t thread;
    int row = _i;

    hold();
    ck_assert_int_eq(pthread_create(&thread, NULL, call_it, &row), 0);
    for (int ms = 0; !atomic_load(&returned) && ms < (calls[_i].waits ? 60 : 10000); ms++)
        pause_ms(1);
    ck_assert_msg(atomic_load(&returned) != calls[_i].waits, "%s %s", calls[_i].what,
                  calls[_i].waits ? "returned" : "hangs");
    atomic_store(word, 1);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
}

TEST(a_process_ends_while_a_kernel_waits)
{
    pid_t child = fork();
    int status = -1;

    if (!child) {
        hold();
        exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static double seconds(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

TEST(a_kernel_that_sleeps_leaves_the_processor_to_others)
{
    hold();
    atomic_store(word, 1);
    ck_cu(cuStreamSynchronize(held));
    atomic_store(word, 0);
    launch("latch", held, 4, word_host, UINT64_MAX);
    double before_it = seconds(CLOCK_PROCESS_CPUTIME_ID);
    pause_ms(300);
    double used = seconds(CLOCK_PROCESS_CPUTIME_ID) - before_it;
    atomic_store(word, 1);
    ck_cu(cuStreamSynchronize(held));
    ck_assert_msg(used < 0.1, "%g s of the processor in 0.3 s", used);
}

// The copy waits for the kernel, but pageable memory is read during the call.
TEST(a_pageable_source_may_change_after_the_call)
{
    unsigned char source[64], result[64];

    hold();
    memset(source, 7, sizeof(source));
    ck_cu(cuMemcpyHtoDAsync_v2(memory, source, sizeof(source), held));
    memset(source, 0, sizeof(source));
    atomic_store(word, 1);
    ck_cu(cuStreamSynchronize(held));
    ck_cu(cuMemcpyDtoH_v2(result, memory, sizeof(result)));
    for (size_t i = 0; i < sizeof(result); i++)
        ck_assert_uint_eq(result[i], 7);
}

TEST(a_time_in_cycles_lasts_as_long_as_the_clock_rate_says)
{
    int khz;

    hold();
    atomic_store(word, 1);
    ck_cu(cuStreamSynchronize(held));
    atomic_store(word, 0);
    ck_cu(cuDeviceGetAttribute(&khz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 0));
    double begin = seconds(CLOCK_MONOTONIC);
    launch("latch", held, 1, word_host, (uint64_t)khz * 400); // 0.4 s
    ck_cu(cuStreamSynchronize(held));
    double took = seconds(CLOCK_MONOTONIC) - begin;
    ck_assert_msg(took > 0.39 && took < 0.7, "%g s instead of 0.4", took);
}

// At any time, all warps of a block but one wait. Waiting must not be sleeping: a pause of a
// millisecond at each barrier would add up to ten seconds.
TEST(warps_that_meet_at_barriers_do_not_sleep)
{
    hold();
    atomic_store(word, 1);
    ck_cu(cuStreamSynchronize(held));
    double begin = seconds(CLOCK_MONOTONIC);
    launch_threads("meet", held, 1, 64, word_host, 10000);
    ck_cu(cuStreamSynchronize(held));
    double took = seconds(CLOCK_MONOTONIC) - begin;
    ck_assert_msg(took < 4, "10000 barriers take %g s", took);
}

int main(void)
{
    return run_tests("latch");
}
