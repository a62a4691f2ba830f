// Tests the simulated driver when the host runs out of memory: its n-th allocation fails, alone or
// with all later ones. No call may crash or abort. Each call either succeeds or returns
// CUDA_ERROR_OUT_OF_MEMORY, and afterwards the driver works. CUCORE_DRIVER is its path.
#include "driver_symbols.h"
#include "tests.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

// The allocator that the driver uses: these functions take precedence over libc's.
static const char *driver_begin, *driver_end; // range of the driver's code
static long calls, fail_from, fail_to;

void *__libc_calloc(size_t n, size_t bytes);
void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *p, size_t bytes);

static bool fails(const void *caller)
{
    if (!driver_begin || (const char *)caller < driver_begin || (const char *)caller >= driver_end)
        return false;
    long n = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    if (n < fail_from || n >= fail_to)
        return false;
    errno = ENOMEM;
    return true;
}

void *calloc(size_t n, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, bytes);
}

void *malloc(size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *realloc(void *p, size_t bytes)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, bytes);
}

static void find_driver(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");

    while (maps && fgets(line, sizeof(line), maps)) {
        unsigned long begin, end;
        char access[5];
        if (strstr(line, "libcucore-sim") &&
            sscanf(line, "%lx-%lx %4s", &begin, &end, access) == 3 && access[2] == 'x') {
            driver_begin = (const char *)begin;
            driver_end = (const char *)end;
        }
    }
    ck_assert_ptr_nonnull(driver_begin);
    fclose(maps);
}

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 g;\n"
    ".visible .entry add(.param .u64 p)\n"
    "{ .reg .b64 %d; ld.param.u64 %d, [p]; red.global.add.u32 [%d], 1; ret; }\n";

static CUresult first; // the first result other than success

static bool good(CUresult code)
{
    if (code && !first)
        first = code;
    return !code;
}

// Runs a typical program. It releases everything that it has created, even after a failed call.
static void way(void)
{
    CUcontext c = NULL;
    CUmodule m = NULL;
    CUstream s = NULL;
    CUevent e = NULL;
    CUdeviceptr p = 0, q = 0;
    CUgraph g = NULL;
    CUgraphExec x = NULL;
    CUfunction f;
    void *params[] = { &p };
    unsigned sum = 0;

    if (good(cuInit(0)) && good(cuDevicePrimaryCtxRetain(&c, 0)) && good(cuCtxSetCurrent(c)) &&
        good(cuModuleLoadData(&m, ptx)) && good(cuModuleGetFunction(&f, m, "add")) &&
        good(cuStreamCreate(&s, 0)) && good(cuEventCreate(&e, 0)) && good(cuMemAlloc(&p, 64)) &&
        good(cuMemAllocAsync(&q, 64, s)) && good(cuMemsetD32Async(p, 0, 1, s)) &&
        good(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED))) {
        CUlaunchConfig config = { 1, 1, 1, 32, 1, 1, 0, s, NULL, 0 };
        bool launched = good(cuLaunchKernelEx(&config, f, params, NULL));
        if (good(cuStreamEndCapture(s, &g)) && launched &&
            good(cuGraphInstantiateWithFlags(&x, g, 0)) && good(cuGraphLaunch(x, s)) &&
            good(cuLaunchKernelEx(&config, f, params, NULL)) && good(cuEventRecord(e, s)) &&
            good(cuStreamSynchronize(s)) && good(cuMemcpyDtoH_v2(&sum, p, sizeof(sum))))
            ck_assert_uint_eq(sum, 64);
    }
    if (x)
        ck_cu(cuGraphExecDestroy(x));
    if (g)
        ck_cu(cuGraphDestroy(g));
    if (q)
        (void)cuMemFreeAsync(q, s);
    if (p)
        (void)cuMemFree(p);
    if (e)
        (void)cuEventDestroy(e);
    if (s)
        (void)cuStreamDestroy(s);
    if (m)
        (void)cuModuleUnload(m);
    if (c)
        (void)cuDevicePrimaryCtxRelease(0);
}

static int child_fails(long n, bool and_all_after, const char *what)
{
    pid_t child = fork();
    int status = -1;

    if (!child) {
        alarm(20);
        open_driver();
        find_driver();
        fail_from = n;
        fail_to = and_all_after ? n + 1000000 : n + 1;
        way();
        fail_to = 0;
        bool hit = calls >= n;
        if (first && first != CUDA_ERROR_OUT_OF_MEMORY)
            _exit(100);
        first = CUDA_SUCCESS;
        way(); // everything works again afterwards
        _exit(first ? 101 : hit ? 0 : 1);
    }
    waitpid(child, &status, 0);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) <= 1, "allocation %ld %s: status 0x%x",
                  n, what, (unsigned)status);
    return WEXITSTATUS(status);
}

CASE("memory", .timeout = 100);

TEST_RANGE(no_failing_allocation_ends_the_process, 0, 2)
{
    long n = 1;

    while (!child_fails(n, _i, _i ? "and all after it" : "alone"))
        n++;
    ck_assert_int_gt(n, 50);
}

int main(void)
{
    return run_tests("memory");
}
