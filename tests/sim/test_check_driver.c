// Tests the simulated driver's checks as a program sees them: selected by the environment, reported
// on stderr, and applied to memory that the driver allocates, fills and copies. CUCORE_DRIVER is
// the driver's path. Each test runs in its own process, and opens the driver after setting the
// environment.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "driver/cuda_abi.h"
#include "tests.h"

// The address sanitizer needs more address space than one test allows.
#if defined(__SANITIZE_ADDRESS__)
static const bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif
#else
static const bool sanitized = false;
#endif

#define ck_cu(call) ck_assert_int_eq(call, CUDA_SUCCESS)

static CUresult (*cuInit)(unsigned flags);
static CUresult (*cuCtxCreate)(CUcontext *context, unsigned flags, CUdevice device);
static CUresult (*cuCtxSynchronize)(void);
static CUresult (*cuModuleLoadData)(CUmodule *module, const void *image);
static CUresult (*cuModuleGetFunction)(CUfunction *f, CUmodule module, const char *name);
static CUresult (*cuMemAlloc)(CUdeviceptr *ptr, size_t bytes);
static CUresult (*cuMemAllocAsync)(CUdeviceptr *ptr, size_t bytes, CUstream stream);
static CUresult (*cuMemAllocManaged)(CUdeviceptr *ptr, size_t bytes, unsigned flags);
static CUresult (*cuMemAllocHost)(void **host, size_t bytes);
static CUresult (*cuMemFree)(CUdeviceptr ptr);
static CUresult (*cuMemsetD32Async)(CUdeviceptr ptr, unsigned value, size_t count, CUstream stream);
static CUresult (*cuMemsetD2D8)(CUdeviceptr ptr, size_t pitch, unsigned char value, size_t width,
                                size_t height);
static CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr to, const void *from, size_t bytes, CUstream s);
static CUresult (*cuMemcpyDtoDAsync)(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream s);
static CUresult (*cuStreamWriteValue32)(CUstream stream, CUdeviceptr at, uint32_t value,
                                        unsigned flags);
static CUresult (*cuLaunchKernel)(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                  unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                  void **params, void **extra);

static const struct {
    void *slot;
    const char *symbol;
} symbols[] = {
    { &cuInit, "cuInit" },
    { &cuCtxCreate, "cuCtxCreate_v2" },
    { &cuCtxSynchronize, "cuCtxSynchronize" },
    { &cuModuleLoadData, "cuModuleLoadData" },
    { &cuModuleGetFunction, "cuModuleGetFunction" },
    { &cuMemAlloc, "cuMemAlloc_v2" },
    { &cuMemAllocAsync, "cuMemAllocAsync" },
    { &cuMemAllocManaged, "cuMemAllocManaged" },
    { &cuMemAllocHost, "cuMemAllocHost_v2" },
    { &cuMemFree, "cuMemFree_v2" },
    { &cuMemsetD32Async, "cuMemsetD32Async" },
    { &cuMemsetD2D8, "cuMemsetD2D8_v2" },
    { &cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2" },
    { &cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2" },
    { &cuStreamWriteValue32, "cuStreamWriteValue32_v2" },
    { &cuLaunchKernel, "cuLaunchKernel" },
};

// `sum` adds n words from p on and writes the sum after them; `spin` never ends.
static const char ptx[] = ".version 8.0\n.target sm_80\n.address_size 64\n"
                          ".visible .entry sum(.param .u64 p, .param .u32 n)\n"
                          "{\n"
                          ".reg .pred %q; .reg .b32 %r<6>; .reg .b64 %d<3>;\n"
                          "ld.param.u64 %d1, [p]; ld.param.u32 %r1, [n]; mov.u32 %r2, 0;\n"
                          "next: ld.global.u32 %r3, [%d1];\n"
                          "add.u32 %r2, %r2, %r3; add.u64 %d1, %d1, 4; sub.u32 %r1, %r1, 1;\n"
                          "setp.ne.u32 %q, %r1, 0; @%q bra next;\n"
                          "st.global.u32 [%d1], %r2;\n"
                          "ret;\n"
                          "}\n"
                          ".visible .entry spin()\n"
                          "{\n"
                          "again: bra again;\n"
                          "}\n";

static CUfunction sum, spin;

static void start(void)
{
    CUcontext context;
    CUmodule module;
    void *library = dlopen(getenv("CUCORE_DRIVER"), RTLD_NOW | RTLD_LOCAL);

    ck_assert_msg(library != NULL, "%s", dlerror());
    for (size_t i = 0; i < CUC_LENGTH(symbols); i++) {
        void *p = dlsym(library, symbols[i].symbol);
        ck_assert_msg(p != NULL, "%s is not exported", symbols[i].symbol);
        memcpy(symbols[i].slot, &p, sizeof(p));
    }
    ck_cu(cuInit(0));
    ck_cu(cuCtxCreate(&context, 0, 0));
    ck_cu(cuModuleLoadData(&module, ptx));
    ck_cu(cuModuleGetFunction(&sum, module, "sum"));
    ck_cu(cuModuleGetFunction(&spin, module, "spin"));
}

static CUresult run_sum(CUdeviceptr p, uint32_t n)
{
    void *params[] = { &p, &n };
    CUresult code = cuLaunchKernel(sum, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL);

    return code ? code : cuCtxSynchronize();
}

// Captures stderr from here on; ours() restores it and returns the text.
static int kept;
static FILE *said;

static void listen_to_stderr(void)
{
    fflush(stderr);
    kept = dup(2);
    said = tmpfile();
    ck_assert(said && dup2(fileno(said), 2) == 2);
}

static const char *ours(void)
{
    static char text[8192];

    fflush(stderr);
    dup2(kept, 2);
    rewind(said);
    text[fread(text, 1, sizeof(text) - 1, said)] = '\0';
    return text;
}

// Ways to fill memory. Each writes all WORDS words, or all but the last.
enum { WORDS = 1 << 15 }; // larger than copies that complete within the call

static CUdeviceptr fill_words(CUdeviceptr p, size_t words)
{
    ck_cu(cuMemsetD32Async(p, 7, words, NULL));
    return p;
}

static CUdeviceptr device(size_t bytes)
{
    CUdeviceptr p;

    ck_cu(cuMemAlloc(&p, bytes));
    return p;
}

static CUdeviceptr by_fill(size_t words)
{
    return fill_words(device(4 * WORDS + 4), words);
}

static CUdeviceptr by_fill_of_a_pool(size_t words)
{
    CUdeviceptr p;

    ck_cu(cuMemAllocAsync(&p, 4 * WORDS + 4, NULL));
    return fill_words(p, words);
}

static CUdeviceptr by_plane(size_t words)
{
    CUdeviceptr p = device(4 * WORDS + 4);

    ck_cu(cuMemsetD2D8(p, 8, 1, 4, WORDS / 2));
    ck_cu(cuMemsetD2D8(p + 4, 8, 1, 4, words / 2));
    return p;
}

static CUdeviceptr by_copy_from_the_host(size_t words)
{
    CUdeviceptr p = device(4 * WORDS + 4);
    void *host = calloc(words, 4);

    ck_cu(cuMemcpyHtoDAsync(p, host, 4 * words, NULL));
    ck_cu(cuCtxSynchronize());
    free(host);
    return p;
}

// Copies all words of a source of which only `words` are initialized: a copy of uninitialized bytes
// leaves them uninitialized.
static CUdeviceptr by_copy_of_all(size_t words)
{
    CUdeviceptr from = fill_words(device(4 * WORDS), words), p = device(4 * WORDS + 4);

    ck_cu(cuMemcpyDtoDAsync(p, from, 4 * WORDS, NULL));
    return p;
}

static CUdeviceptr by_small_copies(size_t words)
{
    CUdeviceptr from = fill_words(device(4 * WORDS), words), p = device(4 * WORDS + 4);

    for (size_t at = 0; at < WORDS; at += 1024)
        ck_cu(cuMemcpyDtoDAsync(p + 4 * at, from + 4 * at, 4096, NULL));
    return p;
}

static CUdeviceptr by_writes(size_t words)
{
    CUdeviceptr p = by_fill(words - 1);

    ck_cu(cuStreamWriteValue32(NULL, p + 4 * (words - 1), 1, 0));
    return p;
}

static CUdeviceptr by_a_kernel(size_t words)
{
    CUdeviceptr p = by_fill(words - 1);

    ck_cu(run_sum(p, (uint32_t)words - 1));
    return p;
}

static const struct {
    const char *name;
    CUdeviceptr (*make)(size_t words);
} makers[] = {
    { "filled", by_fill },
    { "of a pool", by_fill_of_a_pool },
    { "filled as a plane", by_plane },
    { "copied from the host", by_copy_from_the_host },
    { "copied from the device", by_copy_of_all },
    { "copied piece by piece", by_small_copies },
    { "written by the stream", by_writes },
    { "written by a kernel", by_a_kernel },
};

CASE("init", .timeout = 60);

TEST_ROWS(memory_that_a_call_fills_is_initialized, makers)
{
    setenv("CUCORE_SIM_CHECK", "init", 1);
    start();
    listen_to_stderr();
    ck_cu(run_sum(makers[_i].make(WORDS), WORDS));
    ck_assert_msg(!*ours(), "%s", makers[_i].name);
}

TEST_ROWS(memory_that_a_call_does_not_fill_is_uninitialized, makers)
{
    setenv("CUCORE_SIM_CHECK", "init", 1);
    start();
    listen_to_stderr();
    CUdeviceptr p = makers[_i].make(WORDS - 2);
    ck_cu(run_sum(p, WORDS));
    char wanted[128];
    snprintf(wanted, sizeof(wanted), "read of 4 bytes at 0x%llx, which nobody has written",
             (unsigned long long)p + 4u * (WORDS - (makers[_i].make == by_plane ? 1u : 2u)));
    const char *text = ours();
    ck_assert_msg(strstr(text, wanted) != NULL, "%s:\n%s", makers[_i].name, text);
}

TEST(memory_that_the_host_writes_counts_as_written)
{
    CUdeviceptr p;
    void *host;
    static uint32_t own[1024];
    CUresult (*cuMemHostRegister)(void *, size_t, unsigned);

    setenv("CUCORE_SIM_CHECK", "all,error", 1);
    start();
    ck_cu(cuMemAllocManaged(&p, 4096, 1));
    ck_cu(run_sum(p, 64));
    ck_cu(cuMemAllocHost(&host, 4096));
    ck_cu(run_sum((CUdeviceptr)(uintptr_t)host, 64));
    void *f = dlsym(dlopen(getenv("CUCORE_DRIVER"), RTLD_NOW), "cuMemHostRegister_v2");
    memcpy(&cuMemHostRegister, &f, sizeof(f));
    ck_cu(cuMemHostRegister(own, sizeof(own), 0));
    ck_cu(run_sum((CUdeviceptr)(uintptr_t)own, 64));
}

// With a small address range, addresses repeat soon.
TEST_RANGE(reallocated_memory_is_uninitialized, 0, !sanitized)
{
    const struct rlimit few = { (rlim_t)6 << 30, (rlim_t)6 << 30 };
    const size_t bytes = (size_t)1200 << 20;
    CUdeviceptr p, first;

    setenv("CUCORE_SIM_CHECK", "init", 1);
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &few), 0);
    start();
    first = p = device(bytes);
    fill_words(p + (bytes >> 1), 2 * WORDS);
    do {
        fill_words(p, 2);
        ck_cu(run_sum(p, 1));
        ck_cu(cuMemFree(p));
        p = device(bytes);
    } while (p != first);
    listen_to_stderr();
    ck_cu(run_sum(p + (bytes >> 1) + 4 * WORDS, 1));
    ck_assert(strstr(ours(), "which nobody has written") != NULL);
    listen_to_stderr();
    fill_words(p, 1);
    ck_cu(run_sum(p, 1));
    ck_assert_str_eq(ours(), "");
}

CASE("settings", .timeout = 60);

TEST(a_finding_that_is_an_error_loses_the_context)
{
    setenv("CUCORE_SIM_CHECK", "init,error", 1);
    start();
    CUdeviceptr p = device(64);
    listen_to_stderr();
    ck_assert_int_eq(run_sum(p, 1), CUDA_ERROR_LAUNCH_FAILED);
    ck_assert_int_eq(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
    ck_assert_int_eq(cuMemAlloc(&p, 64), CUDA_ERROR_LAUNCH_FAILED);
    const char *text = ours();
    const char *once = strstr(text, "simulated driver: kernel sum, PTX line 8");
    ck_assert_msg(once && !strstr(once + 1, "simulated driver"), "%s", text);
}

TEST(reports_can_be_turned_off)
{
    setenv("CUCORE_SIM_CHECK", "all", 1);
    setenv("CUCORE_SIM_REPORT", "0", 1);
    start();
    listen_to_stderr();
    ck_cu(run_sum(device(64), 1));
    ck_assert_str_eq(ours(), "");
}

TEST(without_the_setting_nothing_is_checked)
{
    unsetenv("CUCORE_SIM_CHECK");
    start();
    listen_to_stderr();
    ck_cu(run_sum(device(64), 1));
    ck_assert_str_eq(ours(), "");
}

TEST(findings_are_counted_at_the_end_of_the_process)
{
    setenv("CUCORE_SIM_CHECK", "init", 1);
    listen_to_stderr();
    pid_t child = fork();
    if (child == 0) {
        start();
        CUdeviceptr p = device(4096);
        run_sum(p, 10);
        run_sum(p, 5);
        exit(0);
    }
    int status = -1;
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    const char *text = ours();
    ck_assert_msg(status == 0 &&
                      strstr(text, "simulated driver: check init: 15 findings in 1 place"),
                  "%d %s", status, text);
}

TEST(a_kernel_that_does_not_end_is_a_timeout)
{
    setenv("CUCORE_SIM_TIMEOUT", "0.2", 1);
    start();
    listen_to_stderr();
    ck_cu(cuLaunchKernel(spin, 4, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
    ck_assert_int_eq(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    ck_assert_int_eq(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
    const char *text = ours();
    ck_assert_msg(strstr(text, "kernel spin, PTX line 16") &&
                      strstr(text, "timeout: it has run for more than 0.2 s: 64 threads from"),
                  "%s", text);
}

int main(void)
{
    return run_tests("check_driver");
}
