// Tests the messages of the simulated driver's refusals and reports: effective limits, launches,
// freed memory, copies, memory of other devices, settings. CUCORE_DRIVER is the driver's path. Each
// test runs in its own process, and opens the driver after setting the environment.
#include "base/array.h"
#include "driver_symbols.h"
#include "tests.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".extern .func free(.param .b64 p);\n"
    ".visible .global .align 4 .u32 word = 7;\n"
    // Sums 1 to n with n nested calls, each of which uses 32 bytes of its own.
    ".func (.param .b32 r) sum(.param .b32 a)\n"
    "{ .reg .pred %p; .reg .b32 %r<5>; .local .align 4 .b32 keep[8];\n"
    "  ld.param.b32 %r1, [a]; st.local.u32 [keep], %r1; setp.ne.u32 %p, %r1, 0; @%p bra more;\n"
    "  st.param.b32 [r], 0; ret;\n"
    "more: add.u32 %r2, %r1, -1;\n"
    "  { .param .b32 i; .param .b32 o; st.param.b32 [i], %r2;\n"
    "    call.uni (o), sum, (i); ld.param.b32 %r3, [o]; }\n"
    "  ld.local.u32 %r4, [keep]; add.u32 %r3, %r3, %r4; st.param.b32 [r], %r3; ret; }\n"
    ".visible .entry recurse(.param .u64 out, .param .u64 n)\n"
    "{ .reg .b32 %r<3>; .reg .b64 %d; ld.param.u64 %d, [out]; ld.param.u32 %r1, [n];\n"
    "  { .param .b32 i; .param .b32 o; st.param.b32 [i], %r1;\n"
    "    call.uni (o), sum, (i); ld.param.b32 %r2, [o]; }\n"
    "  st.global.u32 [%d], %r2; ret; }\n"
    // Allocates n bytes on the heap, and writes the address.
    ".visible .entry take(.param .u64 out, .param .u64 n)\n"
    "{ .reg .b64 %d<4>; ld.param.u64 %d1, [out]; ld.param.u64 %d2, [n];\n"
    "  { .param .b64 i; .param .b64 o; st.param.b64 [i], %d2;\n"
    "    call.uni (o), malloc, (i); ld.param.b64 %d3, [o]; }\n"
    "  st.global.u64 [%d1], %d3; ret; }\n"
    // Allocates n pieces on the heap, and frees them in the same order.
    ".visible .entry churn(.param .u64 list, .param .u64 n)\n"
    "{ .reg .pred %p; .reg .b64 %d<4>; .reg .b64 %e<4>; ld.param.u64 %d1, [list];\n"
    "  ld.param.u64 %d2, [n]; mov.u64 %d3, %d1; mad.lo.u64 %e1, %d2, 8, %d1;\n"
    "get: { .param .b64 i; .param .b64 o; st.param.b64 [i], 16;\n"
    "    call.uni (o), malloc, (i); ld.param.b64 %e2, [o]; }\n"
    "  st.global.u64 [%d3], %e2; add.u64 %d3, %d3, 8; setp.lt.u64 %p, %d3, %e1; @%p bra get;\n"
    "  mov.u64 %d3, %d1;\n"
    "put: ld.global.u64 %e2, [%d3];\n"
    "  { .param .b64 i; st.param.b64 [i], %e2; call.uni free, (i); }\n"
    "  add.u64 %d3, %d3, 8; setp.lt.u64 %p, %d3, %e1; @%p bra put;\n"
    "  ret; }\n"
    // Frees p, then reads n bytes past it.
    ".visible .entry drop(.param .u64 p, .param .u64 n)\n"
    "{ .reg .b32 %r; .reg .b64 %d<3>; ld.param.u64 %d1, [p]; ld.param.u64 %d2, [n];\n"
    "  { .param .b64 i; st.param.b64 [i], %d1; call.uni free, (i); }\n"
    "  add.u64 %d1, %d1, %d2; ld.global.u32 %r, [%d1]; ret; }\n"
    ".visible .entry read(.param .u64 p, .param .u64 n)\n"
    "{ .reg .b32 %r; .reg .b64 %d<3>; ld.param.u64 %d1, [p]; ld.param.u64 %d2, [n];\n"
    "  add.u64 %d1, %d1, %d2; ld.global.u32 %r, [%d1]; ret; }\n"
    ".visible .entry exact(.param .u64 p, .param .u64 n)\n.reqntid 32, 2, 1\n{ ret; }\n"
    ".visible .entry most(.param .u64 p, .param .u64 n)\n.maxntid 64, 1, 1\n{ ret; }\n"
    ".visible .entry add(.param .u64 p, .param .u64 n)\n"
    "{ .reg .b32 %r; .reg .b64 %d; ld.param.u64 %d, [p]; red.global.add.u32 [%d], 1; ret; }\n";

static CUmodule module;
static FILE *heard;

static void listen(void)
{
    heard = tmpfile();
    fflush(stderr);
    dup2(fileno(heard), 2);
}

// Returns the text written since the last call.
static const char *said(void)
{
    static char text[8192];

    fflush(stderr);
    rewind(heard);
    text[fread(text, 1, sizeof(text) - 1, heard)] = '\0';
    return text;
}

static void load(void)
{
    start();
    ck_cu(cuModuleLoadData(&module, ptx));
    listen();
}

static CUfunction kernel(const char *name)
{
    CUfunction f;

    ck_cu(cuModuleGetFunction(&f, module, name));
    return f;
}

static CUresult launch(const char *name, unsigned x, unsigned y, CUdeviceptr p, uint64_t n)
{
    void *params[] = { &p, &n };

    return cuLaunchKernel(kernel(name), 1, 1, 1, x, y, 1, 0, NULL, params, NULL);
}

static CUresult run(const char *name, CUdeviceptr p, uint64_t n)
{
    CUresult code = launch(name, 1, 1, p, n);

    return code ? code : cuCtxSynchronize();
}

static CUdeviceptr memory(size_t bytes)
{
    CUdeviceptr p;

    ck_cu(cuMemAlloc(&p, bytes));
    return p;
}

// ---- Limits of a context

// A call takes 48 bytes: 32 of its own and 16 of overhead.
static const struct {
    size_t limit; // 0: unchanged
    uint64_t depth;
    bool fits;
} stacks[] = {
    { 0, 20, true },    { 0, 21, false }, { 4096, 84, true },     { 4096, 85, false },
    { 512, 10, false }, { 512, 9, true }, { 300000, 5000, true }, { 0, 100000, false },
};

CASE("words", .timeout = 30);

TEST_ROWS(the_stack_is_as_large_as_the_limit_says, stacks)
{
    uint32_t sum = 0;

    load();
    CUdeviceptr p = memory(4);
    if (stacks[_i].limit)
        ck_cu(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, stacks[_i].limit));
    CUresult code = run("recurse", p, stacks[_i].depth);
    if (!stacks[_i].fits) {
        ck_assert_int_eq(code, CUDA_ERROR_LAUNCH_FAILED);
        ck_assert_msg(strstr(said(), "stack overflow: a call of sum, ") &&
                          strstr(said(), "a larger CU_LIMIT_STACK_SIZE gives more"),
                      "%s", said());
        return;
    }
    ck_cu(code);
    ck_cu(cuMemcpyDtoH_v2(&sum, p, 4));
    ck_assert_uint_eq(sum, stacks[_i].depth * (stacks[_i].depth + 1) / 2);
}

TEST(a_stack_of_more_than_a_thread_can_have_is_refused)
{
    size_t value;

    load();
    ck_assert_int_eq(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, (512 << 10) + 1), CUDA_ERROR_INVALID_VALUE);
    ck_assert_msg(strstr(said(), "CU_LIMIT_STACK_SIZE of 524289 bytes"), "%s", said());
    ck_cu(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
    ck_assert_uint_eq(value, 1024);
}

TEST(the_heap_of_kernels_is_as_large_as_the_limit_says_in_each_context)
{
    uint64_t address[3];
    CUcontext second;

    load();
    CUmodule first = module;
    CUdeviceptr p = memory(8);
    ck_cu(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 1 << 20));
    static const uint64_t bytes[] = { 600000, 600000, 400000 };
    for (int i = 0; i < 3; i++) {
        ck_cu(run("take", p, bytes[i]));
        ck_cu(cuMemcpyDtoH_v2(&address[i], p, 8));
    }
    ck_assert(address[0] && !address[1] && address[2]);
    // The heap's limit cannot change after the first kernel that uses the heap.
    ck_assert_int_eq(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 2 << 20), CUDA_ERROR_INVALID_VALUE);
    ck_assert_msg(strstr(said(), "before the context's first kernel"), "%s", said());

    ck_cu(cuCtxCreate_v2(&second, 0, 0));
    ck_cu(cuModuleLoadData(&module, ptx));
    CUdeviceptr q = memory(8);
    ck_cu(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 100));
    ck_cu(run("take", q, 101));
    ck_cu(cuMemcpyDtoH_v2(&address[1], q, 8));
    ck_assert_uint_eq(address[1], 0);
    ck_cu(run("take", q, 100));
    ck_cu(cuMemcpyDtoH_v2(&address[1], q, 8));
    ck_assert_uint_ne(address[1], 0);
    ck_cu(cuCtxDestroy(second));
    module = first;
    // The first launch's allocation still exists, but the second's has been freed.
    ck_cu(run("read", address[2], 0));
    ck_assert_int_eq(run("read", address[1], 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_msg(strstr(said(), "freed by the end of their context"), "%s", said());
}

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double churn(CUdeviceptr list, uint64_t n)
{
    double before = seconds();

    ck_cu(run("churn", list, n));
    return seconds() - before;
}

TEST(freeing_heap_memory_takes_as_long_among_many_pieces)
{
    enum { FEW = 2000, MANY = 40000 };

    load();
    CUdeviceptr list = memory(8 * MANY);
    double few = 1e9;
    churn(list, FEW);
    for (int i = 0; i < 5; i++) {
        double once = churn(list, FEW);
        few = once < few ? once : few;
    }
    double many = 1e9;
    for (int i = 0; i < 3; i++) {
        double once = churn(list, MANY);
        many = once < many ? once : many;
    }
    // With a linear search for each piece, this would take twenty times as long.
    ck_assert_msg(many < 12 * few * MANY / FEW, "%d in %g s, %d in %g s", FEW, few, MANY, many);
}

// Launches

static const struct {
    const char *kernel;
    unsigned x, y;
    CUresult code;
    const char *said;
} launches[] = {
    { "exact", 32, 2, CUDA_SUCCESS, NULL },
    { "exact", 64, 1, CUDA_ERROR_INVALID_VALUE,
      "launch of exact refused: a block of 64 x 1 x 1 threads, .reqntid says 32 x 2 x 1\n" },
    { "most", 64, 1, CUDA_SUCCESS, NULL },
    { "most", 65, 1, CUDA_ERROR_INVALID_VALUE,
      "launch of most refused: a block of 65 threads, .maxntid allows 64\n" },
    { "read", 1025, 1, CUDA_ERROR_INVALID_VALUE,
      "launch of read refused: block.x is 1025, 1 to 1024 may be\n" },
    { "read", 1, 0, CUDA_ERROR_INVALID_VALUE,
      "launch of read refused: block.y is 0, 1 to 1024 may be\n" },
    { "read", 1024, 2, CUDA_ERROR_INVALID_VALUE,
      "launch of read refused: a block of 2048 threads, the device allows 1024\n" },
};

TEST_ROWS(a_refused_launch_gives_the_reason, launches)
{
    load();
    ck_assert_int_eq(launch(launches[_i].kernel, launches[_i].x, launches[_i].y, 0, 0),
                     launches[_i].code);
    if (launches[_i].said)
        ck_assert_msg(strstr(said(), launches[_i].said), "%s", said());
    else
        ck_assert_str_eq(said(), "");
}

TEST(other_refused_launches_give_a_reason_too)
{
    CUdeviceptr p = 0;
    uint64_t n = 0;
    void *params[] = { &p, NULL }, *good[] = { &p, &n };
    size_t eight = 8;
    void *packed[] = { CU_LAUNCH_PARAM_BUFFER_POINTER, &p, CU_LAUNCH_PARAM_BUFFER_SIZE, &eight,
                       CU_LAUNCH_PARAM_END };

    load();
    CUfunction f = kernel("read");
    CUlaunchAttribute cluster = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
    cluster.value.clusterDim.x = 2;
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
    CUlaunchConfig config = { 3, 1, 1, 32, 1, 1, 0, NULL, &cluster, 1 };
    ck_assert_int_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, packed),
                     CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 49153, NULL, good, NULL),
                     CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuLaunchKernelEx(&config, f, good, NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuLaunchKernel((CUfunction)params, 1, 1, 1, 1, 1, 1, 0, NULL, good, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, (CUstream)params, good, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
    static const char *const words[] = { "kernelParams has NULL, the kernel has 2 parameters",
                                         "extra has 8 bytes of parameters, the kernel has 16",
                                         "49153 bytes of dynamic shared memory, 49152 are allowed",
                                         "cluster.x is 2, which does not divide the grid's 3",
                                         "is not a function",
                                         "is not a stream" };
    for (size_t i = 0; i < CUC_LENGTH(words); i++)
        ck_assert_msg(strstr(said(), words[i]), "%s\nlacks %s", said(), words[i]);
    ck_cu(cuCtxSynchronize());
}

// ---- Freed memory, and memory that was never allocated

static CUdeviceptr free_sync(void)
{
    CUdeviceptr p = memory(400);

    ck_cu(cuMemFree(p));
    return p;
}

static CUdeviceptr free_async(void)
{
    CUdeviceptr p;

    ck_cu(cuMemAllocAsync(&p, 400, NULL));
    ck_cu(cuMemFreeAsync(p, NULL));
    ck_cu(cuCtxSynchronize());
    return p;
}

static CUdeviceptr free_host(void)
{
    void *p;

    ck_cu(cuMemHostAlloc(&p, 400, 0));
    ck_cu(cuMemFreeHost(p));
    return (CUdeviceptr)(uintptr_t)p;
}

static CUdeviceptr unload(void)
{
    CUmodule other;
    CUdeviceptr p;

    ck_cu(cuModuleLoadData(&other, ptx));
    ck_cu(cuModuleGetGlobal_v2(&p, NULL, other, "word"));
    ck_cu(run("read", p, 0));
    ck_cu(cuModuleUnload(other));
    return p;
}

static const struct {
    CUdeviceptr (*make)(void);
    const char *said;
} gone[] = {
    { free_sync,
      "read of 4 bytes at 0x%llx, in 400 bytes at 0x%llx that were freed by cuMemFree\n" },
    { free_async,
      "read of 4 bytes at 0x%llx, in 400 bytes at 0x%llx that were freed by cuMemFreeAsync\n" },
    { free_host,
      "read of 4 bytes at 0x%llx, in 400 bytes at 0x%llx that were freed by cuMemFreeHost\n" },
    { unload, "read of 4 bytes at 0x%llx, in 4 bytes at 0x%llx that were freed by the unloading of "
              "their module\n" },
};

TEST_ROWS(reads_of_freed_memory_name_the_call_that_freed_it, gone)
{
    char wanted[256];

    load();
    CUdeviceptr p = gone[_i].make();
    ck_assert_int_eq(run("read", p, 0), CUDA_ERROR_ILLEGAL_ADDRESS);
    snprintf(wanted, sizeof(wanted), gone[_i].said, (unsigned long long)p, (unsigned long long)p);
    ck_assert_msg(strstr(said(), wanted), "%s\nlacks %s", said(), wanted);
}

TEST(memory_freed_by_a_kernel_is_named_too)
{
    uint64_t address;

    load();
    CUdeviceptr p = memory(8);
    ck_cu(run("take", p, 4096));
    ck_cu(cuMemcpyDtoH_v2(&address, p, 8));
    ck_assert_int_eq(run("drop", address, 40), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_msg(strstr(said(), "in 4096 bytes at 0x") &&
                      strstr(said(), "that were freed by free() of a kernel\n"),
                  "%s", said());
}

static const struct {
    size_t bytes, at;
    const char *said;
} misses[] = {
    { 6, 4, ", the last 2 bytes of it past the end of an allocation of 6 bytes\n" },
    { 7, 4, ", the last 1 byte of it past the end of an allocation of 7 bytes\n" },
    { 1, 0, ", the last 3 bytes of it past the end of an allocation of 1 byte\n" },
    { 400, 400, ", right past the end of an allocation of 400 bytes\n" },
    { 400, 412, ", 12 bytes past the end of an allocation of 400 bytes\n" },
    { 6, 8, ", 2 bytes past the end of an allocation of 6 bytes\n" },
    { 400, (size_t)64 << 20, ", which is in no allocation\n" },
};

TEST_ROWS(an_access_out_of_bounds_reports_its_distance, misses)
{
    load();
    CUdeviceptr p = memory(misses[_i].bytes);
    ck_assert_int_eq(run("read", p, misses[_i].at), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_msg(strstr(said(), misses[_i].said), "%s\nlacks %s", said(), misses[_i].said);
}

// Copies of `bytes` bytes from or to offset `at` in 100 bytes of device memory.
static const struct {
    enum { FROM, TO, FILL } what;
    size_t at, bytes;
    bool freed;
    const char *said;
} copies[] = {
    { TO, 0, 101, false,
      "a copy: write of 101 bytes at 0x%llx, the last 1 byte of it past the end of an allocation "
      "of "
      "100 bytes\n" },
    { FROM, 90, 20, false,
      "a copy: read of 20 bytes at 0x%llx, the last 10 bytes of it past the end of an allocation "
      "of "
      "100 bytes\n" },
    { FROM, 100, 1, false,
      "a copy: read of 1 byte at 0x%llx, right past the end of an allocation of 100 bytes\n" },
    { FILL, 50, 51, false,
      "a fill: write of 51 bytes at 0x%llx, the last 1 byte of it past the end of an allocation of "
      "100 bytes\n" },
    { TO, 0, 4, true,
      "a copy: write of 4 bytes at 0x%llx, in 100 bytes at 0x%llx that were freed by cuMemFree\n" },
};

TEST_ROWS(a_copy_out_of_bounds_ends_the_context_and_says_so, copies)
{
    unsigned char host[256] = { 0 };
    char wanted[256];
    CUresult code;

    load();
    CUdeviceptr p = memory(100), at = p + copies[_i].at;
    if (copies[_i].freed)
        ck_cu(cuMemFree(p));
    size_t bytes = copies[_i].bytes;
    code = copies[_i].what == FROM ? cuMemcpyDtoH_v2(host, at, bytes)
           : copies[_i].what == TO ? cuMemcpyHtoD_v2(at, host, bytes)
                                   : cuMemsetD8_v2(at, 0, bytes);
    ck_assert(code == CUDA_ERROR_ILLEGAL_ADDRESS || code == CUDA_ERROR_INVALID_VALUE);
    snprintf(wanted, sizeof(wanted), copies[_i].said, (unsigned long long)at,
             (unsigned long long)p);
    if (code == CUDA_ERROR_ILLEGAL_ADDRESS)
        ck_assert_msg(strstr(said(), wanted), "%s\nlacks %s", said(), wanted);
    else
        ck_assert(copies[_i].freed);
}

// Streams, contexts, threads

static double many_streams(int streams, int each)
{
    CUstream *s = calloc((size_t)streams, sizeof(*s));
    CUdeviceptr p = memory(4);
    CUfunction f = kernel("add");
    uint64_t unused = 0;
    uint32_t sum;
    void *params[] = { &p, &unused };
    double before = seconds();

    ck_cu(cuMemsetD32_v2(p, 0, 1));
    for (int i = 0; i < streams; i++)
        ck_cu(cuStreamCreate(&s[i], CU_STREAM_NON_BLOCKING));
    for (int n = 0; n < each; n++)
        for (int i = 0; i < streams; i++)
            ck_cu(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s[i], params, NULL));
    ck_cu(cuCtxSynchronize());
    for (int i = 0; i < streams; i++)
        ck_cu(cuStreamDestroy(s[i]));
    double took = seconds() - before;
    ck_cu(cuMemcpyDtoH_v2(&sum, p, 4));
    ck_assert_uint_eq(sum, (unsigned)(streams * each));
    ck_cu(cuMemFree(p));
    free(s);
    return took;
}

TEST(a_launch_costs_as_much_among_a_thousand_streams_as_among_a_hundred)
{
    load();
    double few = 1e9, many = 1e9;
    for (int i = 0; i < 3; i++) {
        double a = many_streams(100, 100), b = many_streams(1000, 10);
        few = a < few ? a : few;
        many = b < many ? b : many;
    }
    // The time includes making a thousand threads. If one wake-up woke all threads, it would take a
    // hundred times as long.
    ck_assert_msg(many < 10 * few, "100 streams take %g s, 1000 take %g s", few, many);
}

TEST(streams_that_wait_for_one_another_in_a_long_chain_all_run)
{
    enum { STREAMS = 300 };
    static CUstream s[STREAMS];
    static CUevent e[STREAMS];
    uint32_t sum;

    load();
    CUdeviceptr p = memory(4);
    uint64_t unused = 0;
    void *params[] = { &p, &unused };
    CUfunction f = kernel("add");
    ck_cu(cuMemsetD32_v2(p, 0, 1));
    for (int i = 0; i < STREAMS; i++) {
        ck_cu(cuStreamCreate(&s[i], i % 2 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING));
        ck_cu(cuEventCreate(&e[i], CU_EVENT_DEFAULT));
    }
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < STREAMS; i++) {
            if (i)
                ck_cu(cuStreamWaitEvent(s[i], e[i - 1], 0));
            ck_cu(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, s[i], params, NULL));
            ck_cu(cuEventRecord(e[i], s[i]));
        }
        // The default stream waits for the half of the streams that are blocking.
        ck_cu(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    }
    ck_cu(cuEventSynchronize(e[STREAMS - 1]));
    ck_cu(cuStreamSynchronize(NULL));
    ck_cu(cuMemcpyDtoH_v2(&sum, p, 4));
    ck_assert_uint_eq(sum, 5 * (STREAMS + 1));
    for (int i = 0; i < STREAMS; i++)
        ck_cu(cuStreamDestroy(s[i]));
}

TEST(a_thread_pushes_more_contexts_than_it_has_room_for_at_first)
{
    CUcontext popped, other;

    load();
    ck_cu(cuCtxCreate_v2(&other, 0, 0));
    for (int i = 0; i < 500; i++)
        ck_cu(cuCtxPushCurrent(i % 2 ? other : context));
    for (int i = 500; i-- > 0;) {
        ck_cu(cuCtxPopCurrent(&popped));
        ck_assert_ptr_eq(popped, i % 2 ? other : context);
    }
    ck_cu(cuCtxGetCurrent(&popped));
    ck_assert_ptr_eq(popped, other);
}

static bool no_threads;

// Replaces libc's function, for the driver too.
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *data)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

    if (no_threads)
        return 11; // EAGAIN
    if (!real) {
        void *p = dlsym(RTLD_NEXT, "pthread_create");
        memcpy(&real, &p, sizeof(real));
    }
    return real(thread, attr, fn, data);
}

TEST(without_a_thread_for_a_stream_a_launch_fails_and_the_next_may_succeed)
{
    uint32_t sum;

    load();
    CUdeviceptr p = memory(4);
    ck_cu(cuMemsetD32_v2(p, 0, 1));
    no_threads = true;
    ck_assert_int_eq(run("add", p, 0), CUDA_ERROR_OPERATING_SYSTEM);
    ck_assert_msg(strstr(said(), "no thread is to be had"), "%s", said());
    no_threads = false;
    ck_cu(run("add", p, 0));
    ck_cu(cuMemcpyDtoH_v2(&sum, p, 4));
    ck_assert_uint_eq(sum, 1);
}

// Devices

// The devices, out of four, that CUDA_VISIBLE_DEVICES selects, in order.
static const struct {
    const char *value;
    const char *devices; // as on an H200; "!" means an error, which differs from no device
} visible[] = {
    { "0,1,2,3", "0123" }, { "2,0", "20" },      { "3", "3" },
    { "1,7,2", "1" },      { "0,2,-1,1", "02" }, { "", "" },
    { "-1", "" },          { "none", "" },       { "1,1", "!" },
    { "0x,0", "!" },       { "GPU-", "" },       { " 2, 1", "21" },
    { "2x,1", "21" },      { "GPU-#2", "2" },    { "GPU-#3,GPU-#1", "31" },
    { "GPU-f", "" },       { "MIG-#1", "" },     { "GPU-#1,2", "12" },
};

TEST_ROWS(cuda_visible_devices_selects_the_devices, visible)
{
    char value[256] = "";
    CUuuid all[4], uuid;
    int to[2], count, ready = 0;

    setenv("CUCORE_SIM_DEVICES", "4", 1);
    // A child process prints the UUIDs of all devices.
    ck_assert_int_eq(pipe(to), 0);
    if (fork() == 0) {
        open_driver();
        if (!cuInit(0))
            for (int i = 0; i < 4; i++)
                ready += !cuDeviceGetUuid(&all[i], i);
        _exit(ready != 4 || write(to[1], all, sizeof(all)) != sizeof(all));
    }
    close(to[1]);
    ck_assert_int_eq(read(to[0], all, sizeof(all)), sizeof(all));
    size_t n = 0;
    for (const char *c = visible[_i].value; *c; c++) {
        if (*c != '#') {
            value[n++] = *c;
            continue;
        }
        c++; // the first half of a UUID suffices
        for (int i = 0; i < 8; i++)
            n += (size_t)sprintf(value + n, "%s%02x", i == 4 || i == 6 ? "-" : "",
                                 (unsigned char)all[*c - '0'].bytes[i]);
    }
    setenv("CUDA_VISIBLE_DEVICES", value, 1);
    open_driver();
    if (!*visible[_i].devices) {
        ck_assert_int_eq(cuInit(0), CUDA_ERROR_NO_DEVICE);
        return;
    }
    if (*visible[_i].devices == '!') {
        ck_assert_int_eq(cuInit(0), CUDA_ERROR_INVALID_DEVICE);
        return;
    }
    ck_cu(cuInit(0));
    ck_cu(cuDeviceGetCount(&count));
    ck_assert_int_eq(count, (int)strlen(visible[_i].devices));
    for (int i = 0; i < count; i++) {
        int bus;
        ck_cu(cuDeviceGetUuid(&uuid, i));
        ck_assert_mem_eq(&uuid, &all[visible[_i].devices[i] - '0'], sizeof(uuid));
        ck_cu(cuDeviceGetAttribute(&bus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, i));
        ck_assert_int_eq(bus, 0x1b + 16 * (visible[_i].devices[i] - '0'));
    }
}

// A kernel on device 0 uses memory of device 1.
static const struct {
    enum { PLAIN, VARIABLE, POOL, MANAGED, HOST } memory;
    bool allowed;
    bool reached;
} peers[] = {
    { PLAIN, false, false },  { PLAIN, true, true },  { VARIABLE, false, false },
    { VARIABLE, true, true }, { POOL, false, false }, { POOL, true, true },
    { MANAGED, false, true }, { HOST, false, true },
};

TEST_ROWS(memory_of_another_device_is_accessible_if_enabled, peers)
{
    CUcontext second;
    CUdeviceptr p = 0;
    CUmodule other;
    CUmemoryPool pool;
    void *host;

    setenv("CUCORE_SIM_DEVICES", "2", 1);
    load();
    ck_cu(cuCtxCreate_v2(&second, 0, 1));
    switch (peers[_i].memory) {
    case PLAIN:
        p = memory(400);
        break;
    case VARIABLE:
        ck_cu(cuModuleLoadData(&other, ptx));
        ck_cu(cuModuleGetGlobal_v2(&p, NULL, other, "word"));
        break;
    case POOL: {
        CUmemAccessDesc access = { .location = { CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 },
                                   .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
        ck_cu(cuDeviceGetDefaultMemPool(&pool, 1));
        ck_cu(cuMemAllocFromPoolAsync(&p, 400, pool, NULL));
        if (peers[_i].allowed)
            ck_cu(cuMemPoolSetAccess(pool, &access, 1));
        break;
    }
    case MANAGED:
        ck_cu(cuMemAllocManaged(&p, 400, CU_MEM_ATTACH_GLOBAL));
        break;
    case HOST:
        ck_cu(cuMemHostAlloc(&host, 400, 0));
        p = (CUdeviceptr)(uintptr_t)host;
        break;
    }
    ck_cu(cuCtxSetCurrent(context));
    if (peers[_i].allowed && peers[_i].memory != POOL)
        ck_cu(cuCtxEnablePeerAccess(second, 0));
    CUresult code = run("read", p, 0);
    if (peers[_i].reached) {
        ck_cu(code);
        ck_assert_str_eq(said(), "");
        return;
    }
    ck_assert_int_eq(code, CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_msg(strstr(said(), ", memory of device 1: ") &&
                      strstr(said(), peers[_i].memory == POOL ? "cuMemPoolSetAccess"
                                                              : "cuCtxEnablePeerAccess"),
                  "%s", said());
}

TEST(a_copy_between_devices_needs_no_peer_access)
{
    CUcontext second;
    uint32_t value = 17;

    setenv("CUCORE_SIM_DEVICES", "2", 1);
    load();
    CUdeviceptr p = memory(4);
    ck_cu(cuCtxCreate_v2(&second, 0, 1));
    CUdeviceptr q = memory(4);
    ck_cu(cuMemcpyHtoD_v2(q, &value, 4));
    ck_cu(cuCtxSetCurrent(context));
    ck_cu(cuMemcpyPeer(p, context, q, second, 4));
    value = 0;
    ck_cu(cuMemcpyDtoH_v2(&value, p, 4));
    ck_assert_uint_eq(value, 17);
}

// Settings

static const struct {
    const char *name, *value;
    const char *said; // what cuInit() or cuMemAlloc() reports, also at exit; NULL: nothing
} settings[] = {
    { "CUCORE_SIM_FAIL", "cuMemAlloc_v2:1=2", NULL },
    { "CUCORE_SIM_FAIL", "cuMemAlloc:1=2", NULL },
    { "CUCORE_SIM_FAIL", "cuMemcpyHtoD_v2:2=2",
      "CUCORE_SIM_FAIL: cuMemcpyHtoD_v2:2 did not happen, "
      "there were 0 calls\n" },
    { "CUCORE_SIM_FAIL", "cuMemcpyHtoD_v2_ptds:2=2", "did not happen" },
    { "CUCORE_SIM_FAIL", "cuMemAlloc:3=2",
      "CUCORE_SIM_FAIL: cuMemAlloc:3 did not happen, there was 1 call\n" },
    { "CUCORE_SIM_FIAL", "cuMemAlloc:1=2", "CUCORE_SIM_FIAL is not read: CUCORE_SIM_ARCH, " },
    { "CUCORE_SIM_CHECK", "race", NULL },
    { "CUCORE_SIM_CHECK", "racecheck",
      "CUCORE_SIM_CHECK=racecheck: racecheck is not a check: the words are init, race, async, "
      "barrier, "
      "all, error\n" },
};

TEST_ROWS(an_ineffective_setting_is_reported_once, settings)
{
    listen();
    setenv(settings[_i].name, settings[_i].value, 1);
    pid_t child = fork();
    if (child == 0) {
        CUdeviceptr p;
        CUcontext c;
        open_driver();
        if (!cuInit(0) && !cuCtxCreate_v2(&c, 0, 0))
            (void)cuMemAlloc(&p, 8);
        exit(0);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    if (!settings[_i].said) {
        ck_assert_str_eq(said(), "");
        return;
    }
    const char *first = strstr(said(), settings[_i].said);
    ck_assert_msg(first && !strstr(first + 1, settings[_i].said), "%s", said());
}

TEST(forty_injected_failures_occur)
{
    char list[4096] = "";
    CUdeviceptr p;

    for (int i = 1; i <= 40; i++)
        sprintf(list + strlen(list), "%scuMemAlloc:%d=%d", i > 1 ? "," : "", 2 * i, 100 + i);
    setenv("CUCORE_SIM_FAIL", list, 1);
    start();
    for (int i = 1; i <= 81; i++)
        ck_assert_int_eq(cuMemAlloc(&p, 8), i % 2 ? 0 : 100 + i / 2);
}

TEST(errors_have_their_names_in_a_forked_child)
{
    int status = -1;

    load();
    pid_t child = fork();
    if (child == 0) {
        const char *text = "";
        int version = 0;
        CUdeviceptr p;
        _exit(cuMemAlloc(&p, 8) == CUDA_ERROR_NOT_INITIALIZED &&
                      !cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &text) &&
                      strcmp(text, "CUDA_ERROR_NOT_INITIALIZED") == 0 &&
                      !cuGetErrorString(CUDA_ERROR_NOT_INITIALIZED, &text) && *text &&
                      !cuDriverGetVersion(&version) && version == 13000
                  ? 0
                  : 1);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

static const char *const odd_heads[] = {
    ".version 2147483647.9\n.target sm_90\n",
    ".version 99999999999999999999.0\n.target sm_90\n",
    ".version 8.0\n.target sm_99999999999\n",
};

TEST_ROWS(impossible_numbers_in_a_head_are_refused, odd_heads)
{
    CUmodule m;

    start();
    ck_assert_int_ne(cuModuleLoadData(&m, odd_heads[_i]), CUDA_SUCCESS);
}

// A text of many similar pieces: a head, pieces that contain their own number and the next piece's,
// and an end.
static const struct {
    const char *what, *head, *piece, *end;
} long_texts[] = {
    { "globals", "", ".global .u32 g%u;\n", ".visible .entry k() { ret; }\n" },
    { "addresses of globals", ".global .u64 g0;\n", ".global .u64 g%2$u = g%1$u;\n",
      ".visible .entry k() { ret; }\n" },
    { "branches", ".visible .entry k() {\n", "L%u: bra L%u;\n", "L100000: ret; }\n" },
    { "loops", ".visible .entry k() { .reg .pred %p;\n", "L%1$u: @%%p bra L%1$u;\n", "ret; }\n" },
    { "constants", ".visible .entry k() { .reg .u32 %r;\n", "mov.u32 %%r, %u;\n", "ret; }\n" },
    { "local variables", ".visible .entry k() { .reg .u64 %r;\n",
      ".local .b8 l%1$u; mov.u64 %%r, l%1$u;\n", "ret; }\n" },
    { "functions that call the one before", ".func f0() { ret; }\n",
      ".func f%2$u() { call.uni f%1$u; ret; }\n",
      ".visible .entry k() { call.uni f100000; ret; }\n" },
    { "entries", "", ".visible .entry k%u() { ret; }\n", "" },
};

TEST_ROWS(a_long_text_loads_in_time_that_grows_with_its_length, long_texts)
{
    enum { PIECES = 100000, PIECE_BYTES = 64 };
    char *text = malloc(PIECES * PIECE_BYTES + 1024), *at = text;
    CUmodule m;

    start();
    at += sprintf(at, ".version 8.0\n.target sm_80\n.address_size 64\n%s", long_texts[_i].head);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    for (unsigned i = 0; i < PIECES; i++)
        at += sprintf(at, long_texts[_i].piece, i, i + 1);
#pragma GCC diagnostic pop
    strcpy(at, long_texts[_i].end);
    clock_t begin = clock();
    ck_cu(cuModuleLoadData(&m, text));
    double took = (double)(clock() - begin) / CLOCKS_PER_SEC;
    ck_assert_msg(took < 5, "100000 %s took %g s", long_texts[_i].what, took);
    ck_cu(cuModuleUnload(m));
    free(text);
}

int main(void)
{
    return run_tests("words");
}
