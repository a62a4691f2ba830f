// Compares a driver's answers to raw calls with those of an H200 (driver 580, CUDA 13.0): without a
// current context, in captures of each mode, after faults, after a fork. CUCORE_DRIVER is the path
// of the simulated driver, which must answer like the H200; if it is not set, the tests use the
// system's libcuda.so.1 and therefore a GPU. Each test runs in its own process.
#include "base/array.h"
#include "driver_symbols.h"
#include "tests.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char ptx[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".global .align 4 .b32 var;\n"
    ".visible .entry good(.param .u64 p, .param .u32 n)\n"
    "{ .reg .b64 %d; ld.param.u64 %d, [p]; st.global.u32 [%d], 7; ret; }\n"
    ".visible .entry address(.param .u64 p, .param .u32 n)\n"
    "{ .reg .b64 %d; mov.u64 %d, 64; st.global.u32 [%d], 7; ret; }\n"
    ".visible .entry traps(.param .u64 p, .param .u32 n) { trap; ret; }\n"
    ".visible .entry aligned(.param .u64 p, .param .u32 n)\n"
    "{ .reg .b64 %d; ld.param.u64 %d, [p]; st.global.u32 [%d+1], 7; ret; }\n"
    ".visible .entry beyond(.param .u64 p, .param .u32 n)\n"
    "{ .reg .b32 %r; .shared .align 4 .b8 s[16]; mov.u32 %r, 0x100000; st.shared.u32 [%r], 7; ret; "
    "}\n"
    ".visible .entry shares(.param .u64 p)\n"
    "{ .shared .align 4 .b8 s[30000]; st.shared.u32 [s], 7; ret; }\n";

static CUdevice device;
static CUlibrary code_library, other_library;
static CUkernel good, shares;
static CUstream stream, other;
static CUevent event, marker, captured;
static CUmemoryPool pool, made_pool;
static CUdeviceptr plain, pooled, fresh;

// Creates all objects, but no current context.
static void make(void)
{
    open_driver();
    ck_cu(cuInit(0));
    ck_cu(cuDeviceGet(&device, 0));
    ck_cu(cuDevicePrimaryCtxRetain(&context, device));
    ck_cu(cuLibraryLoadData(&code_library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    ck_cu(cuLibraryGetKernel(&good, code_library, "good"));
    ck_cu(cuLibraryGetKernel(&shares, code_library, "shares"));
    ck_cu(cuCtxPushCurrent(context));
    ck_cu(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    ck_cu(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    ck_cu(cuMemAlloc(&plain, 1 << 20));
    ck_cu(cuMemAlloc(&fresh, 64));
    ck_cu(cuDeviceGetDefaultMemPool(&pool, device));
    ck_cu(cuMemAllocAsync(&pooled, 4096, stream));
    ck_cu(cuStreamSynchronize(stream));
    ck_cu(cuEventCreate(&event, 0));
    ck_cu(cuEventCreate(&marker, 0));
    ck_cu(cuEventCreate(&captured, 0));
    ck_cu(cuEventRecord(event, other));
    ck_cu(cuStreamSynchronize(other));
    ck_cu(cuCtxPopCurrent(&context));
}

static CUresult launch(CUkernel kernel, CUstream on)
{
    unsigned n = 3;
    void *args[] = { &plain, &n };
    const CUlaunchConfig config = { .gridDimX = 1,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = 1,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .hStream = on };

    return cuLaunchKernelEx(&config, (CUfunction)kernel, args, NULL);
}

static int host_functions, callbacks;
static CUresult callback_code;

static void host_function(void *data)
{
    (void)data;
    __atomic_add_fetch(&host_functions, 1, __ATOMIC_SEQ_CST);
}

static void callback(CUstream of, CUresult code, void *data)
{
    (void)of;
    (void)data;
    callback_code = code;
    __atomic_add_fetch(&callbacks, 1, __ATOMIC_SEQ_CST);
}

// For results that nobody reads.
static unsigned number;
static int integer;
static size_t size[2];
static float milliseconds;
static char bytes[64];
static CUcontext some_context;
static CUdeviceptr some_pointer;
static CUmodule some_module;
static CUfunction function;
static CUgraph graph;
static CUstream made_stream;
static CUevent made_event;
static void *host;
static unsigned long long id;
static CUlibrary some_library;
static const char *name;
static CUkernel kernels[6];
static CUdevice some_device;
static const CUmemPoolProps device_pool = {
    .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
    .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE },
};
#define ATTRIBUTE(name) CU_POINTER_ATTRIBUTE_##name
#define DYNAMIC CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
#define REGISTERS CU_FUNC_ATTRIBUTE_NUM_REGS

// Calls during a capture of `stream`, after `captured` was recorded on it. UNSAFE calls fail and
// invalidate the capture in the strict modes, NEVER calls do so even in the relaxed mode, and EVENT
// calls do so because of the event's state.
enum { ANY, UNSAFE, NEVER, EVENT, EVENT_TOLD };
#define IN_CAPTURES(X)                                                                     \
    X(EVENT, cuEventQuery(captured))                                                       \
    X(EVENT, cuEventSynchronize(captured))                                                 \
    X(EVENT_TOLD, cuEventElapsedTime(&milliseconds, captured, captured))                   \
    X(UNSAFE, cuEventQuery(event))                                                         \
    X(UNSAFE, cuEventSynchronize(event))                                                   \
    X(ANY, cuEventElapsedTime(&milliseconds, event, event))                                \
    X(NEVER, cuStreamQuery(stream))                                                        \
    X(NEVER, cuStreamSynchronize(stream))                                                  \
    X(UNSAFE, cuStreamQuery(other))                                                        \
    X(UNSAFE, cuStreamSynchronize(other))                                                  \
    X(NEVER, cuCtxSynchronize())                                                           \
    X(UNSAFE, cuMemAlloc(&some_pointer, 256))                                              \
    X(UNSAFE, cuMemFree(fresh))                                                            \
    X(UNSAFE, cuMemHostAlloc(&host, 64, 0))                                                \
    X(ANY, cuMemGetInfo(&size[0], &size[1]))                                               \
    X(ANY, cuPointerGetAttribute(&number, ATTRIBUTE(MEMORY_TYPE), plain))                  \
    X(ANY, cuMemcpyDtoH_v2(bytes, plain, 16))                                              \
    X(ANY, cuMemcpyHtoDAsync_v2(plain, bytes, 16, other))                                  \
    X(ANY, cuMemcpyDtoHAsync_v2(bytes, plain, 16, other))                                  \
    X(ANY, cuKernelGetParamInfo(good, 0, &size[0], &size[1]))                              \
    X(ANY, cuKernelGetFunction(&function, good))                                           \
    X(ANY, cuLibraryGetModule(&some_module, code_library))                                 \
    X(ANY, cuLibraryGetGlobal(&some_pointer, size, code_library, "var"))                   \
    X(ANY, cuLibraryLoadData(&other_library, ptx, NULL, NULL, 0, NULL, NULL, 0))           \
    X(UNSAFE, cuLibraryUnload(other_library))                                              \
    X(ANY, cuKernelGetAttribute(&integer, REGISTERS, good, device))                        \
    X(ANY, cuKernelSetAttribute(DYNAMIC, 512, good, device))                               \
    X(ANY, cuOccupancyMaxActiveBlocksPerMultiprocessor(&integer, (CUfunction)good, 64, 0)) \
    X(ANY, cuStreamCreate(&made_stream, CU_STREAM_NON_BLOCKING))                           \
    X(ANY, cuStreamDestroy(made_stream))                                                   \
    X(ANY, cuEventCreate(&made_event, 0))                                                  \
    X(ANY, cuEventDestroy(made_event))                                                     \
    X(ANY, cuEventRecord(marker, other))                                                   \
    X(UNSAFE, cuMemPoolCreate(&made_pool, &device_pool))                                   \
    X(UNSAFE, cuMemPoolTrimTo(pool, 0))                                                    \
    X(UNSAFE, cuMemAllocAsync(&some_pointer, 64, other))                                   \
    X(UNSAFE, cuMemFreeAsync(pooled, other))                                               \
    X(ANY, cuStreamWaitEvent(other, captured, 0))                                          \
    X(ANY, cuDevicePrimaryCtxRetain(&some_context, device))                                \
    X(ANY, cuMemcpy(plain, plain + 64, 16))                                                \
    X(ANY, launch(good, NULL))                                                             \
    X(ANY, cuEventRecord(marker, NULL))                                                    \
    X(ANY, cuCtxGetStreamPriorityRange(&integer, &integer))                                \
    X(NEVER, cuStreamAttachMemAsync(stream, plain, 0, CU_MEM_ATTACH_GLOBAL))

static CUresult encode(void)
{
    static CUtensorMap map;
    const uint64_t dims[] = { 64, 64 }, strides[] = { 256 };
    const uint32_t box[] = { 32, 8 }, steps[] = { 1, 1 };

    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, (void *)(uintptr_t)plain,
                                  dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

// Results of calls without a current context.
#define WITHOUT_CONTEXT(X)                                                                     \
    X(201, cuKernelGetParamInfo(good, 0, &size[0], &size[1]))                                  \
    X(0, cuKernelGetAttribute(&integer, REGISTERS, good, device))                              \
    X(0, cuKernelSetAttribute(DYNAMIC, 1024, good, device))                                    \
    X(0, cuKernelSetCacheConfig(good, CU_FUNC_CACHE_PREFER_L1, device))                        \
    X(0, cuKernelGetName(&name, good))                                                         \
    X(0, cuKernelGetLibrary(&some_library, good))                                              \
    X(0, cuLibraryGetKernelCount(&number, code_library))                                       \
    X(0, cuLibraryEnumerateKernels(kernels, 6, code_library))                                  \
    X(201, cuLibraryGetGlobal(&some_pointer, size, code_library, "var"))                       \
    X(201, cuLibraryGetModule(&some_module, code_library))                                     \
    X(201, cuKernelGetFunction(&function, good))                                               \
    X(1, cuLibraryGetUnifiedFunction(&host, code_library, "x"))                                \
    X(201, encode())                                                                           \
    X(0, launch(good, stream))                                                                 \
    X(0, cuMemAllocFromPoolAsync(&some_pointer, 256, pool, stream))                            \
    X(0, cuMemFreeAsync(some_pointer, stream))                                                 \
    X(0, cuMemAllocAsync(&some_pointer, 256, stream))                                          \
    X(0, cuEventRecord(event, stream))                                                         \
    X(0, cuEventRecordWithFlags(event, stream, 0))                                             \
    X(0, cuStreamWaitEvent(other, event, 0))                                                   \
    X(0, cuMemcpyHtoDAsync_v2(plain, bytes, 64, stream))                                       \
    X(0, cuMemcpyDtoHAsync_v2(bytes, plain, 64, stream))                                       \
    X(0, cuMemcpyAsync(plain, plain + 64, 64, stream))                                         \
    X(0, cuStreamSynchronize(stream))                                                          \
    X(0, cuStreamQuery(stream))                                                                \
    X(0, cuEventSynchronize(event))                                                            \
    X(0, cuEventQuery(event))                                                                  \
    X(0, cuEventRecord(marker, stream))                                                        \
    X(0, cuEventSynchronize(marker))                                                           \
    X(0, cuEventElapsedTime(&milliseconds, event, marker))                                     \
    X(0, cuStreamGetCtx(stream, &some_context))                                                \
    X(0, cuStreamGetId(stream, &id))                                                           \
    X(0, cuStreamGetFlags(stream, &number))                                                    \
    X(0, cuStreamGetPriority(stream, &integer))                                                \
    X(0, cuStreamGetDevice(stream, &some_device))                                              \
    X(0, cuLaunchHostFunc(stream, host_function, NULL))                                        \
    X(0, cuStreamAddCallback(stream, callback, NULL, 0))                                       \
    X(0, cuStreamSynchronize(stream))                                                          \
    X(0, cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED))                         \
    X(0, launch(good, stream))                                                                 \
    X(0, cuStreamEndCapture(stream, &graph))                                                   \
    X(201, cuGraphInstantiateWithFlags(&(CUgraphExec){ NULL }, graph, 0))                      \
    X(1, cuGraphLaunch(NULL, stream))                                                          \
    X(0, cuGraphDestroy(graph))                                                                \
    X(0, cuStreamWriteValue32(stream, plain, 1, 0))                                            \
    X(0, cuStreamWaitValue32(stream, plain, 1, 0))                                             \
    X(1, cuStreamWriteValue32(stream, pooled, 1, 0))                                           \
    X(1, cuStreamWaitValue32(stream, pooled, 1, 0))                                            \
    X(1, cuStreamWaitValue64(stream, pooled, 1, 0))                                            \
    X(201, cuPointerGetAttribute(&some_pointer, ATTRIBUTE(DEVICE_POINTER), plain))             \
    X(201, cuPointerGetAttribute(&some_pointer, ATTRIBUTE(DEVICE_POINTER), pooled))            \
    X(0, cuPointerGetAttribute(&some_pointer, ATTRIBUTE(RANGE_START_ADDR), pooled + 8))        \
    X(0, cuPointerGetAttribute(&id, ATTRIBUTE(BUFFER_ID), pooled))                             \
    X(201, cuOccupancyMaxActiveBlocksPerMultiprocessor(&integer, (CUfunction)good, 128, 0))    \
    X(201, cuOccupancyAvailableDynamicSMemPerBlock(size, (CUfunction)good, 4, 128))            \
    X(201, cuOccupancyMaxPotentialBlockSize(&integer, &integer, (CUfunction)good, NULL, 0, 0)) \
    X(400, cuFuncGetAttribute(&integer, REGISTERS, (CUfunction)good))

// Calls after a fault: 1 marks calls that still succeed.
#define AFTER_FAULT(X)                                                   \
    X(0, cuStreamSynchronize(other))                                     \
    X(0, cuStreamQuery(other))                                           \
    X(0, cuEventQuery(event))                                            \
    X(0, cuEventSynchronize(event))                                      \
    X(0, cuEventElapsedTime(&milliseconds, event, event))                \
    X(0, cuCtxSynchronize())                                             \
    X(0, launch(good, other))                                            \
    X(0, cuStreamAddCallback(other, callback, NULL, 0))                  \
    X(0, cuLaunchHostFunc(other, host_function, NULL))                   \
    X(0, cuMemAlloc(&some_pointer, 64))                                  \
    X(0, cuMemAllocAsync(&some_pointer, 64, stream))                     \
    X(0, cuStreamCreate(&made_stream, CU_STREAM_NON_BLOCKING))           \
    X(0, cuEventCreate(&made_event, 0))                                  \
    X(0, cuEventRecord(event, stream))                                   \
    X(0, cuMemFree(plain))                                               \
    X(0, cuMemFreeAsync(pooled, stream))                                 \
    X(0, cuEventDestroy(event))                                          \
    X(0, cuStreamDestroy(stream))                                        \
    X(1, cuLibraryUnload(code_library))                                  \
    X(1, cuCtxGetCurrent(&some_context))                                 \
    X(1, cuCtxPopCurrent(&some_context))                                 \
    X(1, cuCtxPushCurrent(context))                                      \
    X(1, cuDevicePrimaryCtxRetain(&some_context, device))                \
    X(0, cuMemGetInfo(&size[0], &size[1]))                               \
    X(1, cuDevicePrimaryCtxGetState(device, &number, &integer))          \
    X(1, cuPointerGetAttribute(&number, ATTRIBUTE(MEMORY_TYPE), pooled)) \
    X(1, cuDevicePrimaryCtxReset_v2(device))

static CUstreamCaptureMode mode;

// Begins a separate capture for one call.
static void begin(void)
{
    ck_cu(cuStreamBeginCapture(stream, mode));
    ck_cu(cuEventRecord(captured, stream));
}

static void end(const char *call, CUresult got, int rule)
{
    const bool refused = rule == NEVER ||
                         (rule == UNSAFE && mode != CU_STREAM_CAPTURE_MODE_RELAXED);
    const CUresult wanted = rule == EVENT || rule == EVENT_TOLD ? CUDA_ERROR_CAPTURED_EVENT
                            : refused ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                                      : CUDA_SUCCESS;
    const bool spoilt = refused || rule == EVENT;
    CUstreamCaptureStatus status;

    ck_assert_msg(got == wanted, "mode %d: %s gave %d, not %d", mode, call, got, wanted);
    ck_cu(cuStreamIsCapturing(stream, &status));
    ck_assert_msg(
        status == (spoilt ? CU_STREAM_CAPTURE_STATUS_INVALIDATED : CU_STREAM_CAPTURE_STATUS_ACTIVE),
        "mode %d: %s left the capture as %d", mode, call, status);
    graph = NULL;
    ck_assert_int_eq(cuStreamEndCapture(stream, &graph),
                     spoilt ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS);
    ck_assert_int_eq(graph != NULL, !spoilt);
    if (graph)
        ck_cu(cuGraphDestroy(graph));
    // After the capture, the event can be recorded on a stream again.
    ck_cu(cuEventRecord(captured, stream));
    ck_cu(cuStreamSynchronize(stream));
    ck_cu(cuStreamSynchronize(other));
}

CASE("hardware", .timeout = 60);

TEST_RANGE(calls_during_a_capture_behave_as_on_the_gpu, 0, 3)
{
    mode = (CUstreamCaptureMode)_i;
    make();
    ck_cu(cuCtxPushCurrent(context));
    ck_cu(cuLibraryLoadData(&other_library, ptx, NULL, NULL, 0, NULL, NULL, 0));
#define X(rule, call) \
    begin();          \
    end(#call, call, rule);
    IN_CAPTURES(X)
#undef X
}

// The state of a capture into a graph of three nodes when it ends, and how many nodes remain.
enum { SPOILT = 1, UNJOINED = 2, EMPTY_BRANCH = 4, JOINED_AT_LAST = 8, STREAM_GOES = 16 };

static const struct {
    unsigned like;
    CUresult end;
    size_t nodes; // 0: the graph has been destroyed
} into_graphs[] = {
    { SPOILT, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 0 },
    { UNJOINED, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 0 },
    { UNJOINED | JOINED_AT_LAST, CUDA_SUCCESS, 3 },
    { EMPTY_BRANCH, CUDA_SUCCESS, 2 },
    { SPOILT | STREAM_GOES, CUDA_SUCCESS, 0 },
};

static void into_graph(CUgraph into, unsigned like)
{
    CUgraphNode nodes[4], last[4];
    size_t count = CUC_LENGTH(nodes), ends = 0;

    ck_cu(cuStreamBeginCaptureToGraph(stream, into, NULL, NULL, 0, mode));
    ck_cu(cuMemsetD32Async(plain, 1, 4, stream));
    if (like & (UNJOINED | EMPTY_BRANCH)) {
        ck_cu(cuEventRecord(captured, stream));
        ck_cu(cuStreamWaitEvent(other, captured, 0));
        ck_cu(cuMemsetD32Async(plain, 2, 4, stream));
    }
    if (like & UNJOINED)
        ck_cu(cuMemsetD32Async(plain, 3, 4, other));
    if (like & SPOILT)
        ck_assert_int_eq(cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    if (!(like & JOINED_AT_LAST))
        return;
    ck_cu(cuGraphGetNodes(into, nodes, &count));
    for (size_t i = 0; i < count; i++) {
        size_t dependents = 0;
        ck_cu(cuGraphNodeGetDependentNodes(nodes[i], NULL, NULL, &dependents));
        if (!dependents)
            last[ends++] = nodes[i];
    }
    ck_assert_uint_eq(ends, 2);
    ck_cu(cuStreamUpdateCaptureDependencies(stream, last, NULL, ends,
                                            CU_STREAM_SET_CAPTURE_DEPENDENCIES));
}

TEST_ROWS(a_capture_that_ends_badly_frees_the_graph_that_it_adds_to, into_graphs)
{
    make();
    ck_cu(cuCtxPushCurrent(context));
    for (int m = 0; m < 3; m++) {
        const bool goes = into_graphs[_i].like & STREAM_GOES;
        const CUresult there = into_graphs[_i].nodes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
        CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
        CUgraph into, same = (CUgraph)1;
        size_t nodes = 77;

        mode = (CUstreamCaptureMode)m;
        ck_cu(cuGraphCreate(&into, 0));
        into_graph(into, into_graphs[_i].like);
        if (goes) {
            ck_cu(cuStreamDestroy(stream));
            ck_cu(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
        } else {
            ck_assert_int_eq(cuStreamEndCapture(stream, &same), into_graphs[_i].end);
            ck_assert_ptr_eq(same, into_graphs[_i].nodes ? into : NULL);
            ck_cu(cuStreamIsCapturing(stream, &status));
            ck_assert_int_eq((int)status, CU_STREAM_CAPTURE_STATUS_NONE);
        }
        ck_assert_int_eq(cuGraphGetNodes(into, NULL, &nodes), there);
        ck_assert_uint_eq(nodes, into_graphs[_i].nodes ? into_graphs[_i].nodes : 77);
        ck_assert_int_eq(cuGraphDestroy(into), there);
        ck_cu(cuCtxSynchronize());
    }
}

// The conditional node remains. Its graph must not be destroyed, because the driver would crash.
TEST(a_capture_that_ends_badly_frees_the_body_that_it_fills)
{
    make();
    ck_cu(cuCtxPushCurrent(context));
    for (int m = 0; m < 3; m++) {
        CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
        CUgraphNode node;
        CUgraph into, same;
        size_t nodes = 77;

        mode = (CUstreamCaptureMode)m;
        ck_cu(cuGraphCreate(&into, 0));
        params.conditional.type = CU_GRAPH_COND_TYPE_IF;
        params.conditional.size = 1;
        params.conditional.ctx = context;
        ck_cu(cuGraphConditionalHandleCreate(&params.conditional.handle, into, context, 1,
                                             CU_GRAPH_COND_ASSIGN_DEFAULT));
        ck_cu(cuGraphAddNode(&node, into, NULL, NULL, 0, &params));
        CUgraph body = params.conditional.phGraph_out[0];
        into_graph(body, SPOILT);
        ck_assert_int_eq(cuStreamEndCapture(stream, &same), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
        ck_cu(cuGraphGetNodes(into, NULL, &nodes));
        ck_assert_uint_eq(nodes, 1);
        ck_assert_int_eq(cuGraphGetNodes(body, NULL, &nodes), CUDA_ERROR_INVALID_VALUE);
        ck_cu(cuCtxSynchronize());
    }
}

TEST(calls_without_a_current_context_return_what_they_returned_on_the_gpu)
{
    CUpointer_attribute asked[] = { ATTRIBUTE(CONTEXT), ATTRIBUTE(DEVICE_POINTER) };
    void *data[] = { &some_context, &some_pointer };

    make();
    ck_cu(cuCtxGetCurrent(&some_context));
    ck_assert_ptr_null(some_context);
#define X(code, call)                                                                   \
    do {                                                                                \
        const CUresult got = call;                                                      \
        ck_assert_msg(got == (CUresult)(code), "%s gave %d, not %d", #call, got, code); \
    } while (0);
    WITHOUT_CONTEXT(X)
#undef X
    ck_assert_int_eq(host_functions, 1);
    ck_assert_int_eq(callbacks, 1);

    // A query for several attributes returns 0 for an address outside all current contexts. Memory
    // of a pool has no context.
    for (int of_pool = 0; of_pool < 2; of_pool++) {
        for (int current = 0; current < 2; current++) {
            const CUdeviceptr ptr = of_pool ? pooled : plain;
            if (current)
                ck_cu(cuCtxPushCurrent(context));
            ck_cu(cuPointerGetAttributes(2, asked, data, ptr + 1000));
            ck_assert_uint_eq(some_pointer, current ? ptr + 1000 : 0);
            ck_assert_ptr_eq(some_context, of_pool ? NULL : context);
            if (current)
                ck_cu(cuCtxPopCurrent(&context));
        }
    }
}

TEST(occupancy_is_what_it_was_on_the_gpu)
{
    make();
    ck_cu(cuCtxPushCurrent(context));
    ck_cu(cuDeviceGetAttribute(&integer, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    if (integer != 9)
        return;
    ck_cu(cuKernelSetAttribute(DYNAMIC, 1024, good, device));
    ck_cu(cuKernelGetFunction(&function, good));
    // A kernel that prefers cache gets little shared memory, and each block reserves 1 KiB of it.
    ck_cu(cuOccupancyMaxActiveBlocksPerMultiprocessor(&integer, function, 128, 0));
    ck_assert_int_eq(integer, 16);
    ck_cu(cuKernelSetCacheConfig(good, CU_FUNC_CACHE_PREFER_L1, device));
    ck_cu(cuOccupancyMaxActiveBlocksPerMultiprocessor(&integer, (CUfunction)good, 128, 0));
    ck_assert_int_eq(integer, 8);
    ck_cu(cuOccupancyAvailableDynamicSMemPerBlock(size, function, 1, 128));
    ck_assert_uint_eq(size[0], 1024);
    ck_cu(cuOccupancyAvailableDynamicSMemPerBlock(size, (CUfunction)shares, 1, 128));
    ck_assert_uint_eq(size[0], 19152);
    ck_cu(cuOccupancyMaxActiveBlocksPerMultiprocessor(&integer, (CUfunction)shares, 128, 0));
    ck_assert_int_eq(integer, 7);
    ck_assert_int_eq(cuKernelSetAttribute(DYNAMIC, 232448, shares, device),
                     CUDA_ERROR_INVALID_VALUE);
    ck_cu(cuKernelSetAttribute(DYNAMIC, 232448 - 30000, shares, device));
    ck_assert_int_eq(cuKernelGetParamInfo(good, 2, &size[0], &size[1]), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuFuncGetAttribute(&integer, REGISTERS, (CUfunction)good),
                     CUDA_ERROR_INVALID_HANDLE);
    ck_cu(cuFuncGetAttribute(&integer, REGISTERS, function));
}

static const struct {
    const char *kernel;
    CUresult code;
} faults[] = {
    { "address", CUDA_ERROR_ILLEGAL_ADDRESS },
    { "traps", CUDA_ERROR_LAUNCH_FAILED },
    { "aligned", CUDA_ERROR_MISALIGNED_ADDRESS },
    { "beyond", CUDA_ERROR_ILLEGAL_ADDRESS },
};

TEST_ROWS(after_a_fault_the_same_calls_answer_as_on_the_gpu, faults)
{
    const CUresult lost = faults[_i].code;
    CUkernel kernel;

    make();
    ck_cu(cuCtxPushCurrent(context));
    ck_cu(cuLibraryGetKernel(&kernel, code_library, faults[_i].kernel));
    ck_cu(launch(kernel, stream));
    // These calls are refused once the fault is known.
    (void)cuLaunchHostFunc(stream, host_function, NULL);
    const CUresult queued = cuStreamAddCallback(stream, callback, NULL, 0);
    ck_assert_int_eq(cuStreamSynchronize(stream), lost);
#define X(answers, call)                                                        \
    do {                                                                        \
        const CUresult got = call, wanted = (answers) ? CUDA_SUCCESS : lost;    \
        ck_assert_msg(got == wanted, "%s gave %d, not %d", #call, got, wanted); \
    } while (0);
    AFTER_FAULT(X)
#undef X
    // Callbacks learn of the fault, but late; host functions are not called.
    ck_assert_int_eq(host_functions, 0);
    ck_assert_int_eq(callbacks, queued ? 0 : 1);
    ck_assert_int_eq(callback_code, queued ? CUDA_SUCCESS : lost);
}

TEST(a_forked_child_has_no_driver)
{
    make();
    const pid_t child = fork();
    if (!child) {
        const bool same = cuDeviceGetCount(&integer) == CUDA_ERROR_NOT_INITIALIZED &&
                          cuInit(0) == CUDA_ERROR_NOT_INITIALIZED &&
                          cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &name) == CUDA_SUCCESS;
        _exit(same ? 0 : 1);
    }
    int status = 1;
    waitpid(child, &status, 0);
    ck_assert_int_eq(status, 0);
}

int main(void)
{
    return run_tests("hardware");
}
