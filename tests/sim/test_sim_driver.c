// Tests the simulated driver as a program without cucore sees it, through the names that
// libcuda.so.1 exports. CUCORE_DRIVER is the driver's path. Each test runs in its own process, and
// opens the driver after setting the environment.
#include "base/array.h"
#include "driver_symbols.h"
#include "tests.h"

#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define HEAD ".version 8.0\n.target sm_80\n.address_size 64\n"

// Each thread adds its number in the grid and the module's `offset` to an element.
static const char add_ptx[] = HEAD
    ".visible .global .align 4 .u32 offset = 7;\n"
    ".visible .const .align 4 .u32 scale = 3;\n"
    ".global .align 4 .u32 plain;\n"
    ".visible .global .attribute(.managed) .align 8 .u64 shown = 5;\n"
    ".visible .entry add(.param .u64 p, .param .u32 n)\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    "    .reg .pred %p;\n"
    "    .reg .b32 %r<9>;\n"
    "    .reg .b64 %d<4>;\n"
    "    ld.param.u64 %d1, [p];\n"
    "    ld.param.u32 %r1, [n];\n"
    "    mov.u32 %r2, %ctaid.x;\n"
    "    mov.u32 %r3, %ntid.x;\n"
    "    mov.u32 %r4, %tid.x;\n"
    "    mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "    setp.ge.u32 %p, %r5, %r1;\n"
    "    @%p bra done;\n"
    "    mul.wide.u32 %d2, %r5, 4;\n"
    "    add.s64 %d3, %d1, %d2;\n"
    "    ld.global.u32 %r6, [offset];\n"
    "    ld.global.u32 %r7, [%d3];\n"
    "    add.u32 %r8, %r7, %r5;\n"
    "    add.u32 %r8, %r8, %r6;\n"
    "    st.global.u32 [%d3], %r8;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

// Waits until the word at p is nonzero, then writes 1 to q.
static const char wait_ptx[] = HEAD ".visible .entry wait(.param .u64 p, .param .u64 q)\n"
                                    "{\n"
                                    "    .reg .pred %p;\n"
                                    "    .reg .b32 %r<3>;\n"
                                    "    .reg .b64 %d<3>;\n"
                                    "    ld.param.u64 %d1, [p];\n"
                                    "    ld.param.u64 %d2, [q];\n"
                                    "again:\n"
                                    "    ld.volatile.global.u32 %r1, [%d1];\n"
                                    "    setp.eq.u32 %p, %r1, 0;\n"
                                    "    @%p bra again;\n"
                                    "    mov.u32 %r2, 1;\n"
                                    "    st.volatile.global.u32 [%d2], %r2;\n"
                                    "    ret;\n"
                                    "}\n";

static CUfunction function_of(const char *ptx, const char *name, CUmodule *out)
{
    CUmodule module;
    CUfunction f;

    ck_cu(cuModuleLoadData(&module, ptx));
    ck_cu(cuModuleGetFunction(&f, module, name));
    if (out)
        *out = module;
    return f;
}

static CUresult launch_add(CUfunction f, CUdeviceptr p, unsigned n, CUstream stream)
{
    void *params[] = { &p, &n };

    return cuLaunchKernel(f, (n + 255) / 256, 1, 1, 256, 1, 1, 0, stream, params, NULL);
}

static void launch_wait(CUfunction f, CUdeviceptr p, CUdeviceptr q, CUstream stream)
{
    void *params[] = { &p, &q };

    ck_cu(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, stream, params, NULL));
}

// Names

CASE("driver", .timeout = 60);

TEST(a_function_is_exported_under_each_of_its_names_and_found_by_version)
{
    static const struct {
        const char *name;
        int version;
        uint64_t flags;
        const char *symbol; // NULL: must not be found
        CUdriverProcAddressQueryResult found;
    } rows[] = {
        { "cuMemAlloc", 3020, 0, "cuMemAlloc_v2", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuMemAlloc", 13000, 0, "cuMemAlloc_v2", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuMemAlloc", 2000, 0, NULL, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT },
        { "cuCtxCreate", 3020, 0, "cuCtxCreate_v2", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuCtxCreate", 11040, 0, "cuCtxCreate_v3", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuCtxCreate", 12040, 0, "cuCtxCreate_v3", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuCtxCreate", 13000, 0, "cuCtxCreate_v4", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuCtxSynchronize", 12090, 0, "cuCtxSynchronize", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuCtxSynchronize", 13000, 0, "cuCtxSynchronize_v2", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuMemAdvise", 12000, 0, "cuMemAdvise", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuMemAdvise", 12020, 0, "cuMemAdvise_v2", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuCtxDestroy", 2000, 0, "cuCtxDestroy", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuLaunchKernel", 4000, 0, "cuLaunchKernel", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuLaunchKernel", 7000, 2, "cuLaunchKernel_ptsz", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuMemcpyHtoD", 7000, 2, "cuMemcpyHtoD_v2_ptds", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuStreamWaitValue32", 8000, 2, "cuStreamWaitValue32_ptsz", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuStreamWaitValue64", 9000, 2, "cuStreamWaitValue64_ptsz", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuStreamWriteValue32", 8000, 2, "cuStreamWriteValue32_ptsz",
          CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuStreamWriteValue64", 9000, 2, "cuStreamWriteValue64_ptsz",
          CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuStreamBatchMemOp", 8000, 2, "cuStreamBatchMemOp_ptsz", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuStreamBatchMemOp", 11070, 2, "cuStreamBatchMemOp_v2_ptsz",
          CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuInit", 2000, 2, "cuInit", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuGetProcAddress", 12000, 0, "cuGetProcAddress_v2", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuGetProcAddress", 11030, 0, "cuGetProcAddress", CU_GET_PROC_ADDRESS_SUCCESS },
        { "cuMemAlloc_v2", 13000, 0, NULL, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND },
        { "cuNoSuchThing", 13000, 0, NULL, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND },
    };
    CUresult (*get)(const char *, void **, int, uint64_t, CUdriverProcAddressQueryResult *);

    open_driver();
    void *p = symbol("cuGetProcAddress_v2");
    memcpy(&get, &p, sizeof(p));
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        CUdriverProcAddressQueryResult found;
        CUresult code = get(rows[i].name, &p, rows[i].version, rows[i].flags, &found);
        ck_assert_msg(code == CUDA_SUCCESS && !p == !rows[i].symbol, "%s at %d", rows[i].name,
                      rows[i].version);
        ck_assert_msg(found == rows[i].found, "%s at %d: %u", rows[i].name, rows[i].version, found);
        if (!p)
            continue;
        // Two names of one function may have the same address.
        Dl_info info;
        ck_assert(dladdr(p, &info) != 0);
        ck_assert_msg(p == symbol(rows[i].symbol), "%s at %d is %s", rows[i].name, rows[i].version,
                      info.dli_sname);
    }
    // As documented, a malformed query is an error; a missing function is an error only in the
    // first form.
    CUresult (*first)(const char *, void **, int, uint64_t);
    void *first_address = symbol("cuGetProcAddress"), *got = (void *)1;
    memcpy(&first, &first_address, sizeof(first));
    ck_assert_int_eq(get("cuMemAlloc", &got, 13010, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(get("cuMemAlloc", &got, 13000, 3, NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(get(NULL, &got, 13000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(get("cuMemAlloc", NULL, 13000, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(first("cuNoSuchThing", &got, 13000, 0), CUDA_ERROR_NOT_FOUND);
    ck_assert_ptr_null(got);
    ck_cu(first("cuMemAlloc", &got, 13000, 0));
    ck_assert_ptr_nonnull(symbol("cucoreSimulatedDriver"));
    ck_assert_ptr_null(dlsym(library, "sim_cuInit"));
    ck_assert_ptr_null(dlsym(library, "sim_grid_run"));
}

// Running

TEST(a_module_runs_and_its_variables_are_read_and_written)
{
    enum { N = 1000 };
    CUmodule module;
    uint32_t data[N], value = 100;
    CUdeviceptr p, offset;
    size_t bytes;

    start();
    CUfunction f = function_of(add_ptx, "add", &module);
    for (uint32_t i = 0; i < N; i++)
        data[i] = 10 * i;
    ck_cu(cuMemAlloc(&p, sizeof(data)));
    ck_cu(cuMemcpyHtoD_v2(p, data, sizeof(data)));
    ck_cu(launch_add(f, p, N, NULL));
    ck_cu(cuModuleGetGlobal_v2(&offset, &bytes, module, "offset"));
    ck_assert_uint_eq(bytes, 4);
    ck_cu(cuMemcpyHtoD_v2(offset, &value, 4)); // after the first launch, before the second
    ck_cu(launch_add(f, p, N, NULL));
    ck_cu(cuMemcpyDtoH_v2(data, p, sizeof(data)));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(data[i], 12 * i + 107);
    ck_cu(cuMemsetD32_v2(offset, 1, 1));
    ck_cu(cuMemcpyDtoH_v2(&value, offset, 4));
    ck_assert_uint_eq(value, 1);
    CUdeviceptr other;
    // A variable without .visible, in NVRTC's form.
    ck_cu(cuModuleGetGlobal_v2(&other, &bytes, module, "plain"));
    ck_assert_int_eq(cuModuleGetGlobal_v2(&other, &bytes, module, "nothing"), CUDA_ERROR_NOT_FOUND);
    ck_cu(cuModuleUnload(module));
    ck_assert_int_eq(launch_add(f, p, N, NULL), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(cuMemcpyHtoD_v2(offset, &value, 4), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuMemFree(p));
}

TEST(each_context_has_variables_of_its_own)
{
    CUcontext second;
    CUlibrary lib;
    CUdeviceptr a, b;
    uint32_t value = 1;

    start();
    ck_cu(cuLibraryLoadData(&lib, add_ptx, NULL, NULL, 0, NULL, NULL, 0));
    ck_cu(cuLibraryGetGlobal(&a, NULL, lib, "offset"));
    ck_cu(cuMemcpyHtoD_v2(a, &value, 4));
    ck_cu(cuCtxCreate_v2(&second, 0, 0));
    ck_cu(cuLibraryGetGlobal(&b, NULL, lib, "offset"));
    ck_assert_uint_ne(a, b);
    ck_cu(cuMemcpyDtoH_v2(&value, b, 4));
    ck_assert_uint_eq(value, 7);
    ck_cu(cuCtxDestroy(second));
    ck_cu(cuMemcpyDtoH_v2(&value, a, 4));
    ck_assert_uint_eq(value, 1);
    ck_assert_int_eq(cuMemcpyDtoH_v2(&value, b, 4), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuLibraryUnload(lib));
}

TEST(a_fill_of_more_bytes_than_there_are_addresses_is_refused)
{
    CUdeviceptr p;

    start();
    ck_cu(cuMemAllocAsync(&p, 64, NULL));
    ck_assert_int_eq(cuMemsetD32_v2(p, 0, (SIZE_MAX >> 2) + 2), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuMemsetD32_v2(p, 0, 16)); // without losing the context
    ck_cu(cuMemFreeAsync(p, NULL));
}

TEST(a_managed_variable_is_reached_from_the_host)
{
    CUlibrary lib;
    CUdeviceptr p;
    size_t bytes;
    int managed = 0;

    start();
    ck_cu(cuLibraryLoadData(&lib, add_ptx, NULL, NULL, 0, NULL, NULL, 0));
    ck_assert_int_eq(cuLibraryGetManaged(&p, &bytes, lib, "offset"), CUDA_ERROR_NOT_FOUND);
    ck_cu(cuLibraryGetManaged(&p, &bytes, lib, "shown"));
    ck_assert_uint_eq(bytes, 8);
    ck_assert_uint_eq(*(uint64_t *)(uintptr_t)p, 5);
    ck_cu(cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    ck_assert_int_eq(managed, 1);
}

TEST(a_kernel_reports_its_resources)
{
    static const struct {
        CUfunction_attribute attribute;
        int value;
    } rows[] = {
        { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 256 },
        { CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0 },
        { CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 4 },
        { CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0 },
        { CU_FUNC_ATTRIBUTE_PTX_VERSION, 80 },
        { CU_FUNC_ATTRIBUTE_BINARY_VERSION, 90 },
    };
    size_t offset, size;
    int value, blocks;

    start();
    CUfunction f = function_of(add_ptx, "add", NULL);
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        ck_cu(cuFuncGetAttribute(&value, rows[i].attribute, f));
        ck_assert_msg(value == rows[i].value, "attribute %u is %d", rows[i].attribute, value);
    }
    ck_cu(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, f));
    ck_assert(value >= 16 && value <= 40);
    ck_cu(cuFuncGetParamInfo(f, 1, &offset, &size));
    ck_assert_uint_eq(offset, 8);
    ck_assert_uint_eq(size, 4);
    ck_assert_int_eq(cuFuncGetParamInfo(f, 2, &offset, &size), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
    ck_assert_int_eq(blocks, 8);
    CUdeviceptr p = 0;
    unsigned n = 0;
    void *params[] = { &p, &n };
    ck_assert_int_eq(cuLaunchKernel(f, 1, 1, 1, 512, 1, 1, 0, NULL, params, NULL),
                     CUDA_ERROR_INVALID_VALUE);
}

// Order

TEST(a_launch_does_not_wait_for_its_kernel)
{
    uint32_t *flags;
    CUstream stream;
    CUevent before, after;
    float ms;

    start();
    CUfunction f = function_of(wait_ptx, "wait", NULL);
    ck_cu(cuMemHostAlloc((void **)&flags, 8, 0));
    flags[0] = flags[1] = 0;
    ck_cu(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ck_cu(cuEventCreate(&before, CU_EVENT_DEFAULT));
    ck_cu(cuEventCreate(&after, CU_EVENT_DEFAULT));
    ck_cu(cuEventRecord(before, stream));
    launch_wait(f, (uintptr_t)&flags[0], (uintptr_t)&flags[1], stream);
    ck_cu(cuEventRecord(after, stream));
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    ck_assert_int_eq(cuEventQuery(after), CUDA_ERROR_NOT_READY);
    usleep(20000);
    ck_assert_int_eq(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    __atomic_store_n(&flags[0], 1, __ATOMIC_SEQ_CST);
    ck_cu(cuStreamSynchronize(stream));
    ck_assert_uint_eq(flags[1], 1);
    ck_cu(cuEventElapsedTime(&ms, before, after));
    ck_assert(ms >= 19 && ms < 10000);
    ck_cu(cuStreamDestroy(stream));
    ck_cu(cuMemFreeHost(flags));
}

TEST(kernels_of_two_streams_run_side_by_side)
{
    CUstream a, b;
    // Stream a waits for a word that b sets. The word that b waits for is set from the start.
    CUdeviceptr words;

    start();
    CUfunction f = function_of(wait_ptx, "wait", NULL);
    ck_cu(cuMemAlloc(&words, 12));
    ck_cu(cuMemsetD32_v2(words, 0, 3));
    ck_cu(cuMemsetD32_v2(words + 8, 1, 1));
    ck_cu(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
    ck_cu(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
    launch_wait(f, words, words + 4, a);
    usleep(5000);
    launch_wait(f, words + 8, words, b);
    ck_cu(cuStreamSynchronize(a));
    ck_cu(cuStreamSynchronize(b));
    ck_cu(cuMemFree(words));
}

TEST(the_default_stream_is_legacy_or_the_threads_own_as_the_name_says)
{
    uint32_t *flags;
    CUstream stream;
    CUresult (*own_query)(CUstream);

    start();
    void *p = symbol("cuStreamQuery_ptsz");
    memcpy(&own_query, &p, sizeof(p));
    CUfunction f = function_of(wait_ptx, "wait", NULL);
    ck_cu(cuMemHostAlloc((void **)&flags, 8, 0));
    flags[0] = flags[1] = 0;
    ck_cu(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    launch_wait(f, (uintptr_t)&flags[0], (uintptr_t)&flags[1], stream);
    ck_assert_int_eq(cuStreamQuery(NULL), CUDA_ERROR_NOT_READY); // waits for blocking streams
    ck_cu(own_query(NULL));
    __atomic_store_n(&flags[0], 1, __ATOMIC_SEQ_CST);
    ck_cu(cuStreamSynchronize(NULL));
    ck_assert_uint_eq(flags[1], 1);
}

TEST(a_stream_names_its_context_and_its_green_context)
{
    const CUgreenCtx junk = (CUgreenCtx)&context;
    CUdevResource all, group;
    CUdevResourceDesc desc;
    CUgreenCtx green, got;
    CUcontext primary, ctx;
    CUstream plain, part;
    unsigned count = 1;

    start();
    ck_cu(cuDeviceGetDevResource(0, &all, CU_DEV_RESOURCE_TYPE_SM));
    ck_cu(cuDevSmResourceSplitByCount(&group, &count, &all, NULL, 0, 8));
    ck_cu(cuDevResourceGenerateDesc(&desc, &group, 1));
    ck_cu(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM));
    ck_cu(cuCtxFromGreenCtx(&primary, green));
    ck_cu(cuGreenCtxStreamCreate(&part, green, CU_STREAM_NON_BLOCKING, 0));
    ck_cu(cuStreamCreate(&plain, CU_STREAM_NON_BLOCKING));
    const struct {
        CUstream stream;
        CUcontext context;
        CUgreenCtx green;
    } rows[] = {
        { part, primary, green },
        { plain, context, NULL },
        { NULL, context, NULL },
    };
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        ctx = NULL;
        got = junk;
        ck_cu(cuStreamGetCtx_v2(rows[i].stream, &ctx, &got));
        ck_assert_ptr_eq(ctx, rows[i].context);
        ck_assert_ptr_eq(got, rows[i].green);
        got = junk;
        ck_cu(cuStreamGetGreenCtx(rows[i].stream, &got));
        ck_assert_ptr_eq(got, rows[i].green);
        ctx = NULL;
        ck_cu(cuStreamGetCtx(rows[i].stream, &ctx));
        ck_assert_ptr_eq(ctx, rows[i].context);
    }
    ck_assert_int_eq(cuStreamGetCtx_v2(part, &ctx, NULL), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuStreamGetCtx_v2(part, NULL, &got), CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuStreamDestroy(part));
    ck_cu(cuStreamDestroy(plain));
    ck_cu(cuGreenCtxDestroy(green));
}

TEST(an_unloaded_module_lives_until_its_kernels_have_run)
{
    uint32_t *flags;
    CUlibrary lib;
    CUkernel kernel;
    CUstream stream;

    start();
    ck_cu(cuLibraryLoadData(&lib, wait_ptx, NULL, NULL, 0, NULL, NULL, 0));
    ck_cu(cuLibraryGetKernel(&kernel, lib, "wait"));
    ck_cu(cuMemHostAlloc((void **)&flags, 8, 0));
    flags[0] = flags[1] = 0;
    ck_cu(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    launch_wait((CUfunction)kernel, (uintptr_t)&flags[0], (uintptr_t)&flags[1], stream);
    ck_cu(cuLibraryUnload(lib));
    __atomic_store_n(&flags[0], 1, __ATOMIC_SEQ_CST);
    ck_cu(cuStreamSynchronize(stream));
    ck_assert_uint_eq(flags[1], 1);
}

// Failures

// A kernel's error is sticky, and is reported on stderr with its location.
TEST_RANGE(an_access_out_of_bounds_loses_the_context, 0, 2)
{
    char said[4096] = "";
    CUdeviceptr p, freed;
    FILE *file = tmpfile();
    int saved = dup(2);

    start();
    CUfunction f = function_of(add_ptx, "add", NULL);
    ck_cu(cuMemAlloc(&p, 400));
    ck_cu(cuMemAlloc(&freed, 400));
    ck_cu(cuMemFree(freed));
    dup2(fileno(file), 2);
    ck_cu(launch_add(f, _i ? freed : p, 101, NULL));
    CUresult code = cuCtxSynchronize();
    dup2(saved, 2);
    rewind(file);
    ck_assert(fread(said, 1, sizeof(said) - 1, file) > 0);
    ck_assert_int_eq(code, CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuMemFree(p), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_msg(strstr(said, "kernel add") && strstr(said, "PTX line 2") &&
                      strstr(said, "block (0,0,0)"),
                  "%s", said);
    ck_assert_msg(_i || strstr(said, "thread (100,0,0)"), "%s", said);
    ck_cu(cuCtxDestroy(context));
    ck_cu(cuCtxCreate_v2(&context, 0, 0)); // another context still works
    ck_cu(cuMemAlloc(&p, 400));
}

static const struct {
    const char *image;
    CUresult code;
    const char *log;
} refused[] = {
    { HEAD ".visible .entry k()\n{\n    frobnicate.b32 %r1;\n}\n", CUDA_ERROR_INVALID_PTX,
      "line 6" },
    { "junk", CUDA_ERROR_INVALID_PTX, "line 1" },
    { ".version 12.0\n.target sm_90\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "PTX 12.0" },
    { ".version 8.6\n.target sm_100\n.address_size 64\n", CUDA_ERROR_NO_BINARY_FOR_GPU, "sm_100" },
    { "// .target sm_100\n.version 8.0\n.target sm_80a\n", CUDA_ERROR_NO_BINARY_FOR_GPU, "sm_80a" },
    { "\177ELF\2\1\1", CUDA_ERROR_NO_BINARY_FOR_GPU, "machine code" },
};

TEST_ROWS(an_image_that_cannot_run_is_refused_and_the_log_says_why, refused)
{
    CUmodule module = NULL;
    char log[512] = "";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)sizeof(log) };

    start();
    ck_assert_int_eq(cuModuleLoadDataEx(&module, refused[_i].image, 2, options, values),
                     refused[_i].code);
    ck_assert_msg(strstr(log, refused[_i].log) != NULL, "%s", log);
    ck_assert_ptr_null(module);
}

// Makes a fat binary with one entry. `packed` is LZ4 that unpacks to `bytes` bytes, or plain text.
static unsigned char *fatbin_of(const void *packed, size_t packed_bytes, size_t bytes, bool lz4)
{
    struct {
        uint32_t magic;
        uint16_t version, header;
        uint64_t size;
        uint16_t kind, unknown;
        uint32_t entry_header;
        uint64_t padded;
        uint32_t compressed, options;
        uint16_t minor, major;
        uint32_t arch, name, name_bytes;
        uint64_t flags, zero, full;
    } h = { .magic = 0xba55ed50,
            .version = 1,
            .header = 16,
            .kind = 1,
            .entry_header = 64,
            .padded = (packed_bytes + 7) / 8 * 8,
            .arch = 80,
            .major = 8 };

    h.size = h.entry_header + h.padded;
    h.compressed = lz4 ? (uint32_t)packed_bytes : 0;
    h.flags = lz4 ? 0x2011 : 0x11;
    h.full = lz4 ? bytes : 0;
    unsigned char *out = calloc(1, sizeof(h) + h.padded);
    memcpy(out, &h, sizeof(h));
    memcpy(out + sizeof(h), packed, packed_bytes);
    return out;
}

// Packs a text as LZ4 with one copy in it: the text, then a copy of its last 100 bytes. The last
// five of these are literals, as the format requires.
static size_t lz4_of(const char *text, unsigned char *out)
{
    size_t n = strlen(text), o = 0, more = n - 15;

    out[o++] = 0xff; // literals and a copy, both longer than 15
    for (; more >= 255; more -= 255)
        out[o++] = 255;
    out[o++] = (unsigned char)more;
    memcpy(out + o, text, n);
    o += n;
    out[o++] = 100;
    out[o++] = 0;
    out[o++] = 100 - 4 - 15;
    out[o++] = 0x50;
    memcpy(out + o, "\n\n\n\n\n", 5);
    return o + 5;
}

TEST_RANGE(ptx_is_taken_out_of_a_fat_binary, 0, 2)
{
    // The copied text is in a comment, so that the whole is valid PTX.
    char text[4096];
    unsigned char packed[8192];
    CUmodule module;
    CUfunction f;

    start();
    snprintf(text, sizeof(text), "%s\n//%0110d\n//%0110d", add_ptx, 0, 1);
    size_t bytes = strlen(text);
    bool lz4 = _i == 1;
    size_t n = lz4 ? lz4_of(text, packed) : bytes;
    unsigned char *fat = fatbin_of(lz4 ? (void *)packed : text, n, bytes + 105, lz4);
    struct {
        uint32_t magic, version;
        const void *data;
        void *unused;
    } wrapper = { 0x466243b1, 1, fat, NULL };
    ck_cu(cuModuleLoadFatBinary(&module, &wrapper));
    ck_cu(cuModuleGetFunction(&f, module, "add"));
    ck_cu(cuModuleUnload(module));
    ck_cu(cuModuleLoadData(&module, fat));
    fat[16 + 28 + 4] = 0; // with the architecture below, no PTX is left for this device
    uint32_t arch = 100;
    memcpy(fat + 16 + 28, &arch, 4);
    ck_assert_int_eq(cuModuleLoadData(&module, fat), CUDA_ERROR_NO_BINARY_FOR_GPU);
    free(fat);
}

TEST(texts_are_linked)
{
    static char caller[] = HEAD ".extern .func (.param .b32 r) twice(.param .b32 a);\n"
                                ".visible .entry k(.param .u64 p)\n"
                                "{\n"
                                "    .reg .b32 %r<3>;\n"
                                "    .reg .b64 %d;\n"
                                "    ld.param.u64 %d, [p];\n"
                                "    mov.u32 %r1, 21;\n"
                                "    {\n"
                                "        .param .b32 in;\n"
                                "        .param .b32 out;\n"
                                "        st.param.b32 [in], %r1;\n"
                                "        call.uni (out), twice, (in);\n"
                                "        ld.param.b32 %r2, [out];\n"
                                "    }\n"
                                "    st.global.u32 [%d], %r2;\n"
                                "    ret;\n"
                                "}\n",
                callee[] = HEAD ".visible .func (.param .b32 r) twice(.param .b32 a)\n"
                                "{\n"
                                "    .reg .b32 %r<3>;\n"
                                "    ld.param.b32 %r1, [a];\n"
                                "    add.s32 %r2, %r1, %r1;\n"
                                "    st.param.b32 [r], %r2;\n"
                                "    ret;\n"
                                "}\n";
    CUlinkState state;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    void *image;
    size_t bytes;
    uint32_t value = 0;

    start();
    ck_cu(cuLinkCreate(0, NULL, NULL, &state));
    ck_cu(cuLinkAddData(state, CU_JIT_INPUT_PTX, caller, sizeof(caller), "caller", 0, NULL, NULL));
    ck_cu(cuLinkAddData(state, CU_JIT_INPUT_PTX, callee, sizeof(callee), "callee", 0, NULL, NULL));
    ck_cu(cuLinkComplete(state, &image, &bytes));
    ck_cu(cuModuleLoadData(&module, image));
    ck_cu(cuLinkDestroy(state));
    ck_cu(cuModuleGetFunction(&f, module, "k"));
    ck_cu(cuMemAlloc(&p, 4));
    void *params[] = { &p };
    ck_cu(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, params, NULL));
    ck_cu(cuMemcpyDtoH_v2(&value, p, 4));
    ck_assert_uint_eq(value, 42);
}

// Memory

TEST(memory_has_the_set_size_and_only_touched_pages_count)
{
    size_t free_bytes, total, gib = (size_t)1 << 30;
    CUdeviceptr p;

    start();
    ck_cu(cuMemAlloc(&p, 12 * gib));
    ck_cu(cuMemsetD8_v2(p + 12 * gib - 1, 1, 1));
    ck_cu(cuMemGetInfo(&free_bytes, &total));
    ck_assert_uint_eq(total, 16 * gib);
    ck_assert_uint_eq(free_bytes, 4 * gib);
    CUdeviceptr q;
    ck_assert_int_eq(cuMemAlloc(&q, 5 * gib), CUDA_ERROR_OUT_OF_MEMORY);
    ck_cu(cuMemFree(p));
    // Addresses are reused after all of them have been used once.
    for (int i = 0; i < 1500; i++) {
        ck_cu(cuMemAlloc(&p, 12 * gib));
        ck_cu(cuMemFree(p));
    }
}

static long resident_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long all, resident;

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &all, &resident), 2);
    fclose(file);
    return resident;
}

TEST(a_large_variable_is_zero_and_only_touched_pages_take_memory)
{
    static const char text[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
                               ".visible .global .align 4 .u8 large[1073741825];\n"
                               ".visible .entry k() { ret; }\n";
    long before = resident_pages();
    CUmodule module;
    CUdeviceptr p;
    size_t bytes;
    unsigned char value;

    start();
    for (int i = 0; i < 2; i++) { // the second one may overwrite the first one's memory
        ck_cu(cuModuleLoadData(&module, text));
        ck_cu(cuModuleGetGlobal_v2(&p, &bytes, module, "large"));
        ck_assert_uint_eq(bytes, ((size_t)1 << 30) + 1);
        for (size_t at = 0; at < bytes; at += bytes / 8) {
            value = 1;
            ck_cu(cuMemcpyDtoH_v2(&value, p + at, 1));
            ck_assert_uint_eq(value, 0);
            ck_cu(cuMemsetD8_v2(p + at, 7, 1));
        }
        ck_assert_int_lt(resident_pages() - before, 50000);
        ck_cu(cuModuleUnload(module));
    }
}

TEST(many_small_allocations_fit)
{
    enum { N = 100000 };
    static CUdeviceptr p[N];

    start();
    for (int i = 0; i < N; i++)
        ck_cu(cuMemAlloc(&p[i], 8));
    for (int i = N; i-- > 0;)
        ck_cu(cuMemFree(p[i]));
}

// Settings

static const struct {
    const char *name, *value;
    const char *device; // beginning of the text; NULL: cuInit() fails
    int major, multiprocessors;
} settings[] = {
    { "CUCORE_SIM_ARCH", "", "NVIDIA H200", 9, 132 },
    { "CUCORE_SIM_ARCH", "sm_80", "NVIDIA A100", 8, 108 },
    { "CUCORE_SIM_ARCH", "sm_90", "NVIDIA H200", 9, 132 },
    { "CUCORE_SIM_ARCH", "sm_100", "NVIDIA B200", 10, 148 },
    { "CUCORE_SIM_ARCH", "sm_70", NULL, 0, 0 },
    { "CUCORE_SIM_ARCH", "90", NULL, 0, 0 },
    { "CUCORE_SIM_DEVICES", "9", NULL, 0, 0 },
    { "CUCORE_SIM_DEVICES", "two", NULL, 0, 0 },
    { "CUCORE_SIM_THREADS", "0", NULL, 0, 0 },
    { "CUCORE_SIM_THREADS", "many", NULL, 0, 0 },
    { "CUCORE_SIM_MEMORY", "16X", NULL, 0, 0 },
    { "CUCORE_SIM_MEMORY", "-1", NULL, 0, 0 },
    { "CUCORE_SIM_MEMORY", "0", NULL, 0, 0 },
    { "CUCORE_SIM_MEMORY", "4T", "NVIDIA H200", 9, 132 },
    { "CUCORE_SIM_MEMORY", "4097G", NULL, 0, 0 },
    { "CUCORE_SIM_FAIL", "cuMemAlloc", NULL, 0, 0 },
    { "CUCORE_SIM_FAIL", "cuMemAlloc:0=2", NULL, 0, 0 },
    { "CUCORE_SIM_FAIL", "cuNothing:1=2", NULL, 0, 0 },
    { "CUCORE_SIM_FAIL", "cuInit:1=CUDA_ERROR_SUCH", NULL, 0, 0 },
    { "CUCORE_SIM_CHECK", "all,error", "NVIDIA H200", 9, 132 },
    { "CUCORE_SIM_CHECK", "init,racy", NULL, 0, 0 },
    { "CUCORE_SIM_CHECK", "error", NULL, 0, 0 },
    { "CUCORE_SIM_TIMEOUT", "2.5", "NVIDIA H200", 9, 132 },
    { "CUCORE_SIM_TIMEOUT", "0", NULL, 0, 0 },
    { "CUCORE_SIM_TIMEOUT", "1m", NULL, 0, 0 },
};

TEST_ROWS(a_setting_is_taken_or_cuInit_says_which_is_wrong, settings)
{
    char name[64];
    const char *text;
    int value;

    setenv("CUCORE_SIM_REPORT", "0", 1);
    setenv(settings[_i].name, settings[_i].value, 1);
    open_driver();
    if (!settings[_i].device) {
        ck_assert_int_eq(cuInit(0), CUDA_ERROR_INVALID_VALUE);
        ck_cu(cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text));
        ck_assert_msg(strstr(text, settings[_i].name) != NULL, "%s", text);
        return;
    }
    ck_cu(cuInit(0));
    ck_cu(cuDeviceGetName(name, sizeof(name), 0));
    ck_assert_msg(strncmp(name, settings[_i].device, strlen(settings[_i].device)) == 0 &&
                      strstr(name, "(simulated)"),
                  "%s", name);
    ck_cu(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    ck_assert_int_eq(value, settings[_i].major);
    ck_cu(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0));
    ck_assert_int_eq(value, settings[_i].multiprocessors);
}

TEST(devices_and_memory_are_as_set)
{
    size_t bytes;
    int count;

    setenv("CUCORE_SIM_DEVICES", "3", 1);
    setenv("CUCORE_SIM_MEMORY", "256M", 1);
    start();
    ck_cu(cuDeviceGetCount(&count));
    ck_assert_int_eq(count, 3);
    ck_cu(cuDeviceTotalMem(&bytes, 2));
    ck_assert_uint_eq(bytes, (size_t)256 << 20);
}

TEST(the_nth_call_fails_by_every_name)
{
    CUdeviceptr p;
    unsigned char byte = 0;

    setenv("CUCORE_SIM_FAIL",
           "cuMemAlloc:2=CUDA_ERROR_OUT_OF_MEMORY, cuMemcpyHtoD:1=700,cuMemAllocAsync:1=2", 1);
    start();
    ck_cu(cuMemAlloc(&p, 8));
    ck_assert_int_eq(cuMemAlloc(&p, 8), CUDA_ERROR_OUT_OF_MEMORY);
    ck_cu(cuMemAlloc(&p, 8));
    ck_assert_int_eq(cuMemcpyHtoD_v2(p, &byte, 1), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_cu(cuMemcpyHtoD_v2(p, &byte, 1)); // an injected fault does not lose the context
    ck_assert_int_eq(cuMemAllocAsync(&p, 8, NULL), CUDA_ERROR_OUT_OF_MEMORY);
    ck_cu(cuMemAllocAsync(&p, 8, NULL));
}

int main(void)
{
    return run_tests("sim_driver");
}
