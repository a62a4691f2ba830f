// Tests the fake driver itself, because other tests rely on it. Calls it as the library does,
// through the table of driver functions.
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "driver/driver.h"
#include "fake.h"
#include "tests.h"

static const char ptx[] =
    ".version 8.0\n"
    ".target sm_90\n"
    ".address_size 64\n"
    ".visible .global .align 4 .b8 table[12] = {1, 0, 0, 0, 2};\n"
    ".const .align 8 .f32 scale = 0f40000000;\n"
    ".visible .const .align 8 .f32 factor = 0f3F800000;\n"
    ".extern .shared .align 16 .b8 dynamic[];\n"
    "/* a comment with { in it */\n"
    ".visible .entry saxpy(\n"
    "    .param .f32 saxpy_param_0, // alpha\n"
    "    .param .u64 .ptr .global .align 16 saxpy_param_1,\n"
    "    .param .u64 saxpy_param_2,\n"
    "    .param .u32 saxpy_param_3\n"
    ")\n"
    ".maxntid 256, 1, 1\n"
    "{\n"
    "    .reg .pred %p<2>;\n"
    "    .reg .b32 %r<2>;\n"
    "    .reg .b64 %rd<2>;\n"
    "    .reg .f32 %f<3>;\n"
    "    .shared .align 4 .b8 tile[1024];\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    @%p1 bra $L__BB0_2;\n"
    "    st.global.v2.f32 [%rd1], {%f1, %f2};\n"
    "$L__BB0_2:\n"
    "    ret;\n"
    "}\n"
    ".entry structs(.param .u8 a, .param .align 16 .b8 b[40], .param .u16 c)\n"
    "{\n"
    "    ret;\n"
    "}\n"
    ".entry nothing()\n"
    "{ ret; }\n";

static CUcontext context;

static void setup(void)
{
    fake_reset();
    ck_assert_int_eq(cuc__cu.cuInit(0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
}

static void setup_async(void)
{
    setup();
    fake_set_async(1);
}

static void teardown(void)
{
    fake_reset();
    ck_assert_int_eq(fake_live_total(), 0);
}

static CUlibrary load(const char *text)
{
    CUlibrary library = NULL;

    ck_assert_int_eq(cuc__cu.cuLibraryLoadData(&library, text, NULL, NULL, 0, NULL, NULL, 0),
                     CUDA_SUCCESS);
    return library;
}

static CUkernel kernel_named(CUlibrary library, const char *name)
{
    CUkernel kernel = NULL;

    ck_assert_int_eq(cuc__cu.cuLibraryGetKernel(&kernel, library, name), CUDA_SUCCESS);
    return kernel;
}

static CUstream new_stream(void)
{
    CUstream stream = NULL;

    ck_assert_int_eq(cuc__cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    return stream;
}

static CUevent new_event(unsigned flags)
{
    CUevent event = NULL;

    ck_assert_int_eq(cuc__cu.cuEventCreate(&event, flags), CUDA_SUCCESS);
    return event;
}

static CUdeviceptr new_memory(size_t bytes)
{
    CUdeviceptr ptr = 0;

    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, bytes), CUDA_SUCCESS);
    return ptr;
}

// Finding functions

static const struct {
    const char *name;
    int version;
} functions[] = {
#define CU(name, version, params, args) { #name, version },
#include "driver/cu.def"
#undef CU
};

CASE("before a context");

TEST(every_function_of_the_table_is_found)
{
    for (size_t i = 0; i < CUC_LENGTH(functions); i++) {
        void (*fn)(void) = NULL;
        ck_assert_msg(cuc__driver_resolve(functions[i].name, functions[i].version, &fn) == 0 && fn,
                      "%s is not found", functions[i].name);
    }
    ck_assert(cuc__driver_simulated());
}

TEST(hidden_and_newer_functions_are_not_found)
{
    void (*fn)(void);

    fake_hide("cuKernelGetName");
    ck_assert_int_eq(cuc__driver_resolve("cuKernelGetName", 12030, &fn), CUC__CU_MISSING);
    ck_assert_int_eq(cuc__driver_resolve("cuFuncGetName", 12030, &fn), 0);
    fake_show_all();
    ck_assert_int_eq(cuc__driver_resolve("cuKernelGetName", 12030, &fn), 0);
    ck_assert_int_eq(cuc__driver_resolve("cuKernelGetName", 12020, &fn), CUC__CU_MISSING);
    fake_set_version(12000);
    ck_assert_int_eq(cuc__driver_resolve("cuKernelGetName", 12030, &fn), CUC__CU_MISSING);
    ck_assert_int_eq(cuc__driver_resolve("cuNoSuchThing", 12000, &fn), CUC__CU_MISSING);
}

TEST(version_and_devices_come_from_the_environment)
{
    CUresult (*version)(int *);
    int n = 0;

    setenv("FAKE_VERSION", "12040", 1);
    setenv("FAKE_DEVICES", "5", 1);
    fake_reset(); // reads the settings again
    void (*fn)(void);
    ck_assert_int_eq(cuc__driver_resolve("cuDriverGetVersion", 2020, &fn), 0);
    memcpy(&version, &fn, sizeof(version));
    ck_assert_int_eq(version(&n), CUDA_SUCCESS);
    ck_assert_int_eq(n, 12040);
    ck_assert_int_eq(cuc__cu.cuInit(0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuDeviceGetCount(&n), CUDA_SUCCESS);
    ck_assert_int_eq(n, 5);
    unsetenv("FAKE_VERSION");
    unsetenv("FAKE_DEVICES");
}

TEST(nothing_works_before_init)
{
    int n;

    fake_reset();
    ck_assert_int_eq(cuc__cu.cuDeviceGetCount(&n), CUDA_ERROR_NOT_INITIALIZED);
    fake_set_device_count(0);
    ck_assert_int_eq(cuc__cu.cuInit(0), CUDA_ERROR_NO_DEVICE);
}

// Faults and counts

CASE("driver, always asynchronous", .setup = setup_async, .teardown = teardown);
CASE("driver", .setup = setup, .teardown = teardown);

// Runs a test in both modes of the fake driver: in the calls themselves if possible, and always on
// the streams' threads.
#define TEST_BOTH(name)                            \
    TEST_ADDED(name, tcase_add_test(tcase, ttest); \
               tcase_add_test(tests_find("driver, always asynchronous"), ttest))

TEST(the_nth_call_fails_once)
{
    CUdeviceptr ptr = 7;

    fake_calls_reset();
    fake_fail("cuMemAlloc", 2, CUDA_ERROR_ECC_UNCORRECTABLE);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, 16), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemFree(ptr), CUDA_SUCCESS);
    ptr = 7;
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, 16), CUDA_ERROR_ECC_UNCORRECTABLE);
    ck_assert_uint_eq(ptr, 7);
    ck_assert_int_eq(fake_fails_armed(), 0);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, 16), CUDA_SUCCESS);
    ck_assert_int_eq(fake_calls("cuMemAlloc"), 3);
    ck_assert_int_eq(fake_calls_total(), 4);
    ck_assert_int_eq(fake_live("allocation"), 1);
}

TEST(the_nth_call_of_any_kind_fails)
{
    int n;

    fake_fail_any(3, CUDA_ERROR_UNKNOWN);
    ck_assert_int_eq(cuc__cu.cuDeviceGetCount(&n), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuCtxSynchronize(), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuDeviceGetCount(&n), CUDA_ERROR_UNKNOWN);
    fake_fail_any(1, CUDA_ERROR_UNKNOWN);
    fake_fail_reset();
    ck_assert_int_eq(cuc__cu.cuDeviceGetCount(&n), CUDA_SUCCESS);
}

// Reset and fork

TEST(a_reset_keeps_primary_contexts_and_empties_them)
{
    CUstream stream = new_stream();
    CUdeviceptr ptr = new_memory(64);
    size_t stack;

    ck_assert_int_eq(cuc__cu.cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096), CUDA_SUCCESS);
    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 64, stream), CUDA_SUCCESS);
    fake_poison(context, CUDA_ERROR_LAUNCH_FAILED);
    fake_reset();
    ck_assert_int_eq(fake_live("primary"), 1);
    ck_assert_int_eq(fake_live_total(), 0);
    ck_assert_int_eq(cuc__cu.cuCtxSynchronize(), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuc__cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuCtxSynchronize(), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuCtxGetLimit(&stack, CU_LIMIT_STACK_SIZE), CUDA_SUCCESS);
    ck_assert_uint_eq(stack, 1024);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(fake_allocated(ptr), 0);
}

TEST(a_child_cannot_use_what_its_parent_initialized)
{
    CUstream stream = new_stream();
    int status;

    fake_set_async(1); // creates a thread that the child lacks
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(new_memory(4), 1, 4, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    pid_t child = fork();
    if (child == 0) {
        int n, bad = cuc__cu.cuDeviceGetCount(&n) != CUDA_ERROR_NOT_INITIALIZED;
        fake_reset();
        bad |= cuc__cu.cuDeviceGetCount(&n) != CUDA_SUCCESS;
        _exit(bad);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_SUCCESS);
}

// Contexts

TEST(calls_need_a_current_context)
{
    CUdeviceptr ptr;
    CUevent event;
    CUstream stream;
    CUcontext popped;

    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), CUDA_SUCCESS);
    ck_assert_ptr_eq(popped, context);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, 4), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuc__cu.cuEventCreate(&event, 0), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&stream, 0), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(CU_STREAM_LEGACY), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), CUDA_ERROR_INVALID_CONTEXT);
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent((CUcontext)(uintptr_t)0x1238),
                     CUDA_ERROR_INVALID_CONTEXT);
}

TEST(a_destroyed_context_takes_its_objects_with_it)
{
    CUcontext own, current;
    CUstream stream;

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&own, NULL, 0, 1), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&stream, 0), CUDA_SUCCESS);
    (void)new_memory(64);
    (void)new_event(0);
    ck_assert_int_eq(fake_live("context"), 1);
    ck_assert_int_eq(fake_live_total(), 4);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(own), CUDA_SUCCESS);
    ck_assert_int_eq(fake_live_total(), 0);
    ck_assert_int_eq(cuc__cu.cuCtxGetCurrent(&current), CUDA_SUCCESS);
    ck_assert_ptr_eq(current, context);
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(own), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST(a_stale_handle_is_refused)
{
    CUstream stream = new_stream();
    CUevent event = new_event(0);

    ck_assert_int_eq(cuc__cu.cuStreamDestroy(stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(stream), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_ptr_ne(new_stream(), stream);
    ck_assert_int_eq(cuc__cu.cuEventRecord(event, stream), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(cuc__cu.cuEventQuery((CUevent)stream), CUDA_ERROR_INVALID_HANDLE);
}

TEST(an_event_of_another_context_cannot_be_recorded)
{
    CUstream stream = new_stream();
    CUcontext own;

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&own, NULL, 0, 1), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventRecord(new_event(0), stream), CUDA_ERROR_INVALID_HANDLE);
}

// Streams and events

TEST_BOTH(a_held_stream_waits_until_it_is_resumed)
{
    CUstream stream = new_stream();
    CUdeviceptr ptr = new_memory(4);
    CUevent event = new_event(0);
    unsigned char *bytes = (unsigned char *)(uintptr_t)ptr;

    ck_assert_uint_eq(bytes[3], 0xcd);
    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 4, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventRecord(event, stream), CUDA_SUCCESS);
    ck_assert_int_eq(fake_pending(stream), 2);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    ck_assert_int_eq(cuc__cu.cuEventQuery(event), CUDA_ERROR_NOT_READY);
    fake_resume(stream);
    ck_assert_int_eq(cuc__cu.cuEventSynchronize(event), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_SUCCESS);
    ck_assert_uint_eq(bytes[3], 1);
}

TEST_BOTH(a_stream_waits_for_the_record_of_another)
{
    CUstream first = new_stream(), second = new_stream();
    CUevent event = new_event(CU_EVENT_DISABLE_TIMING);

    ck_assert_int_eq(cuc__cu.cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS); // never recorded
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(second), CUDA_SUCCESS);
    fake_hold(first);
    ck_assert_int_eq(cuc__cu.cuEventRecord(event, first), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamWaitEvent(second, event, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventDestroy(event), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(second), CUDA_ERROR_NOT_READY);
    fake_resume(first);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(second), CUDA_SUCCESS);
}

TEST_BOTH(the_legacy_stream_orders_blocking_streams)
{
    CUstream blocking, other = new_stream();
    CUdeviceptr ptr = new_memory(4);

    ck_assert_int_eq(cuc__cu.cuStreamCreate(&blocking, CU_STREAM_DEFAULT), CUDA_SUCCESS);
    fake_hold(blocking);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 4, blocking), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 2, 4, NULL), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(NULL), CUDA_ERROR_NOT_READY);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(other), CUDA_SUCCESS);
    fake_resume(blocking);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(NULL), CUDA_SUCCESS);
    ck_assert_uint_eq(*(unsigned char *)(uintptr_t)ptr, 2);
}

TEST_BOTH(elapsed_time_needs_two_finished_records)
{
    CUstream stream = new_stream();
    CUevent start = new_event(0), end = new_event(0);
    float ms = -1;

    ck_assert_int_eq(cuc__cu.cuEventElapsedTime(&ms, start, end), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(cuc__cu.cuEventRecord(start, stream), CUDA_SUCCESS);
    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuEventRecord(end, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventElapsedTime(&ms, start, end), CUDA_ERROR_NOT_READY);
    fake_resume(stream);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventElapsedTime(&ms, start, end), CUDA_SUCCESS);
    ck_assert(ms >= 0);
    CUevent plain = new_event(CU_EVENT_DISABLE_TIMING);
    ck_assert_int_eq(cuc__cu.cuEventRecord(plain, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventElapsedTime(&ms, start, plain), CUDA_ERROR_INVALID_HANDLE);
}

static void call_driver(void *user)
{
    int n;

    *(CUresult *)user = cuc__cu.cuDeviceGetCount(&n);
}

TEST_BOTH(a_host_function_must_not_call_the_driver)
{
    CUstream stream = new_stream();
    CUresult seen = -1;

    ck_assert_int_eq(cuc__cu.cuLaunchHostFunc(stream, call_driver, &seen), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    ck_assert_int_eq(seen, CUDA_ERROR_NOT_PERMITTED);
}

TEST_BOTH(a_wait_on_a_word_ends_when_the_word_is_written)
{
    CUstream stream = new_stream(), writer = new_stream();
    CUdeviceptr ptr = new_memory(8);

    ck_assert_int_eq(cuc__cu.cuStreamWriteValue64(stream, ptr, 0, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamWaitValue32(stream, ptr, 5, CU_STREAM_WAIT_VALUE_GEQ),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
    ck_assert_int_eq(cuc__cu.cuStreamWriteValue32(writer, ptr, 6, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamWaitValue32(stream, ptr + 1, 5, 0), CUDA_ERROR_INVALID_VALUE);
}

static void add_words(void *user)
{
    uint32_t *words = user;

    for (uint32_t i = 0; i < 1000; i++)
        words[1000] += words[i];
}

// Each thread has its own stream; writes by host functions are visible after the event.
static void *use_a_stream(void *data)
{
    uint32_t *words = data;
    CUstream stream;
    CUevent event;

    ck_assert_int_eq(cuc__cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventCreate(&event, 0), CUDA_SUCCESS);
    for (uint32_t i = 0; i < 1000; i++)
        words[i] = i;
    words[1000] = 0;
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(cuc__cu.cuLaunchHostFunc(stream, add_words, words), CUDA_SUCCESS);
        ck_assert_int_eq(cuc__cu.cuEventRecord(event, stream), CUDA_SUCCESS);
    }
    ck_assert_int_eq(cuc__cu.cuEventSynchronize(event), CUDA_SUCCESS);
    ck_assert_uint_eq(words[1000], 20 * 499500);
    ck_assert_int_eq(cuc__cu.cuEventDestroy(event), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(stream), CUDA_SUCCESS);
    return NULL;
}

TEST_BOTH(threads_use_their_streams_at_the_same_time)
{
    enum { THREADS = 4 };
    static uint32_t words[THREADS][1001];
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use_a_stream, words[i]), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(fake_live_total(), 0);
}

TEST_BOTH(a_destroyed_stream_finishes_its_work)
{
    CUstream stream = new_stream();
    CUdeviceptr ptr = new_memory(4);

    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 9, 4, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(stream), CUDA_SUCCESS);
    ck_assert_int_eq(fake_live("stream"), 0);
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_ERROR_INVALID_HANDLE);
    fake_resume(stream);
    ck_assert_int_eq(cuc__cu.cuCtxSynchronize(), CUDA_SUCCESS);
    ck_assert_uint_eq(*(unsigned char *)(uintptr_t)ptr, 9);
}

// Capture

TEST(a_capture_takes_work_and_refuses_waits)
{
    CUstream stream = new_stream();
    CUdeviceptr ptr = new_memory(4), more;
    CUevent event = new_event(CU_EVENT_DISABLE_TIMING);
    CUstreamCaptureStatus status;
    CUgraph graph = NULL;
    size_t nodes = 0;

    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 4, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventRecord(event, stream), CUDA_SUCCESS);
    ck_assert_int_eq(fake_captured(stream), 2);
    ck_assert_uint_eq(*(unsigned char *)(uintptr_t)ptr, 0xcd);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuGraphGetNodes(graph, NULL, &nodes), CUDA_SUCCESS);
    ck_assert_uint_eq(nodes, 1);
    ck_assert_int_eq(fake_live("graph"), 1);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);

    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&more, 4), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    ck_assert_int_eq(cuc__cu.cuStreamIsCapturing(stream, &status), CUDA_SUCCESS);
    ck_assert_uint_eq(status, CU_STREAM_CAPTURE_STATUS_INVALIDATED);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream, &graph),
                     CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    ck_assert_ptr_null(graph);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST(a_fork_of_a_capture_must_be_joined)
{
    CUstream origin = new_stream(), side = new_stream();
    CUevent fork = new_event(CU_EVENT_DISABLE_TIMING), back = new_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph;

    // In the third round the joined stream ends the capture, which invalidates the capture.
    for (int joined = 0; joined < 3; joined++) {
        const CUresult ends[] = { CUDA_ERROR_STREAM_CAPTURE_UNJOINED, CUDA_SUCCESS,
                                  CUDA_ERROR_STREAM_CAPTURE_INVALIDATED };
        ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(origin, CU_STREAM_CAPTURE_MODE_RELAXED),
                         CUDA_SUCCESS);
        ck_assert_int_eq(cuc__cu.cuEventRecord(fork, origin), CUDA_SUCCESS);
        ck_assert_int_eq(cuc__cu.cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
        ck_assert_int_eq(cuc__cu.cuLaunchHostFunc(side, call_driver, NULL), CUDA_SUCCESS);
        if (joined) {
            ck_assert_int_eq(cuc__cu.cuEventRecord(back, side), CUDA_SUCCESS);
            ck_assert_int_eq(cuc__cu.cuStreamWaitEvent(origin, back, 0), CUDA_SUCCESS);
        }
        if (joined == 2)
            ck_assert_int_eq(cuc__cu.cuStreamEndCapture(side, &graph),
                             CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
        ck_assert_int_eq(cuc__cu.cuStreamEndCapture(origin, &graph), ends[joined]);
    }
}

// ---- A capture that ends badly frees these objects, as on an H200.

static void begin_to(CUstream stream, CUgraph graph)
{
    ck_assert_int_eq(cuc__cu.cuStreamBeginCaptureToGraph(stream, graph, NULL, NULL, 0,
                                                         CU_STREAM_CAPTURE_MODE_RELAXED),
                     CUDA_SUCCESS);
}

static void spoil(CUstream stream)
{
    ck_assert_int_eq(cuc__cu.cuStreamQuery(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

// Adds a node with one body and no dependencies.
static CUgraph add_if(CUgraph graph)
{
    CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
    CUgraphNode node;

    params.conditional.type = CU_GRAPH_COND_TYPE_IF;
    params.conditional.size = 1;
    params.conditional.ctx = context;
    ck_assert_int_eq(cuc__cu.cuGraphConditionalHandleCreate(&params.conditional.handle, graph,
                                                            context, 1,
                                                            CU_GRAPH_COND_ASSIGN_DEFAULT),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuGraphAddNode(&node, graph, NULL, NULL, 0, &params), CUDA_SUCCESS);
    return params.conditional.phGraph_out[0];
}

static CUgraph new_graph(void)
{
    CUgraph graph = NULL;

    ck_assert_int_eq(cuc__cu.cuGraphCreate(&graph, 0), CUDA_SUCCESS);
    return graph;
}

static const struct {
    bool spoilt, unjoined, destroyed;
    CUresult end;
    bool stays;
} ends_to_graph[] = {
    { false, false, false, CUDA_SUCCESS, true },
    { true, false, false, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, false },
    { false, true, false, CUDA_ERROR_STREAM_CAPTURE_UNJOINED, false },
    { false, false, true, CUDA_SUCCESS, false },
    { true, false, true, CUDA_SUCCESS, false },
};

TEST_ROWS(a_capture_that_ends_badly_frees_the_graph_that_it_adds_to, ends_to_graph)
{
    CUstream stream = new_stream(), side = new_stream();
    CUevent fork = new_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph = new_graph(), same = (CUgraph)1;
    CUdeviceptr ptr = new_memory(4);
    size_t nodes = 77;

    begin_to(stream, graph);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 4, stream), CUDA_SUCCESS);
    if (ends_to_graph[_i].unjoined) {
        ck_assert_int_eq(cuc__cu.cuEventRecord(fork, stream), CUDA_SUCCESS);
        ck_assert_int_eq(cuc__cu.cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
        ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 2, 4, side), CUDA_SUCCESS);
    }
    if (ends_to_graph[_i].spoilt)
        spoil(stream);
    if (ends_to_graph[_i].destroyed) {
        ck_assert_int_eq(cuc__cu.cuStreamDestroy(stream), CUDA_SUCCESS);
    } else {
        ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream, &same), ends_to_graph[_i].end);
        ck_assert_ptr_eq(same, ends_to_graph[_i].stays ? graph : NULL);
    }
    const CUresult there = ends_to_graph[_i].stays ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    ck_assert_int_eq(cuc__cu.cuGraphGetNodes(graph, NULL, &nodes), there);
    ck_assert_uint_eq(nodes, ends_to_graph[_i].stays ? 1 : 77);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), there);
    ck_assert_int_eq(fake_live("graph"), 0);
}

TEST(unjoined_work_is_joined_by_changing_dependencies)
{
    CUstream stream = new_stream(), side = new_stream();
    CUevent fork = new_event(CU_EVENT_DISABLE_TIMING);
    CUgraph graph = new_graph(), same = NULL;
    CUgraphNode nodes[3], last[3];
    CUdeviceptr ptr = new_memory(4);
    size_t count = 3, ends = 0;

    begin_to(stream, graph);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 4, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuEventRecord(fork, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 2, 4, side), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 3, 4, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuGraphGetNodes(graph, nodes, &count), CUDA_SUCCESS);
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < count; i++) {
        size_t dependents = 0;
        ck_assert_int_eq(cuc__cu.cuGraphNodeGetDependentNodes(nodes[i], NULL, NULL, &dependents),
                         CUDA_SUCCESS);
        if (!dependents)
            last[ends++] = nodes[i];
    }
    ck_assert_uint_eq(ends, 2);
    ck_assert_int_eq(cuc__cu.cuStreamUpdateCaptureDependencies(stream, last, NULL, ends,
                                                               CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream, &same), CUDA_SUCCESS);
    ck_assert_ptr_eq(same, graph);
}

// ---- A real driver crashes here, and so does the fake driver.

// Destroys objects that contain a body which a capture has freed.
static void destroy_graph(CUgraph graph, CUstream stream)
{
    (void)stream;
    (void)cuc__cu.cuGraphDestroy(graph);
}

static void end_spoilt(CUgraph graph, CUstream stream)
{
    (void)graph;
    spoil(stream);
    (void)cuc__cu.cuStreamEndCapture(stream, &graph);
}

static void destroy_stream(CUgraph graph, CUstream stream)
{
    (void)graph;
    (void)cuc__cu.cuStreamDestroy(stream);
}

static void instantiate(CUgraph graph, CUstream stream)
{
    CUgraphExec exec;

    (void)stream;
    (void)cuc__cu.cuGraphInstantiateWithFlags(&exec, graph, 0);
}

static void (*const crashes[])(CUgraph graph, CUstream stream) = { destroy_graph, end_spoilt,
                                                                   destroy_stream, instantiate };

TEST_SIGNAL(using_a_node_whose_body_was_freed_ends_the_process, SIGABRT, 0, CUC_LENGTH(crashes))
{
    CUstream stream = new_stream(), inner = new_stream();
    CUgraph graph = new_graph(), same;
    size_t nodes = 0;

    CUgraph body = add_if(graph);
    if (crashes[_i] == end_spoilt || crashes[_i] == destroy_stream)
        begin_to(stream, graph);
    begin_to(inner, body);
    spoil(inner);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(inner, &same),
                     CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    ck_assert_int_eq(cuc__cu.cuGraphGetNodes(graph, NULL, &nodes), CUDA_SUCCESS);
    ck_assert_uint_eq(nodes, 1);
    ck_assert_int_eq(cuc__cu.cuGraphGetNodes(body, NULL, &nodes), CUDA_ERROR_INVALID_VALUE);
    crashes[_i](graph, stream);
}

TEST_SIGNAL(using_a_capture_whose_graph_was_freed_ends_the_process, SIGABRT, 0, 2)
{
    CUstream stream = new_stream(), inner = new_stream();
    CUgraph graph = new_graph(), same;

    CUgraph body = add_if(graph);
    begin_to(stream, graph);
    begin_to(inner, body);
    spoil(stream);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream, &same),
                     CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    if (_i)
        (void)cuc__cu.cuStreamDestroy(inner);
    else
        (void)cuc__cu.cuStreamEndCapture(inner, &same);
}

// Sticky errors

struct seen {
    _Atomic int host, callback;
    _Atomic int status;
};

static void note_host(void *user)
{
    ((struct seen *)user)->host++;
}

static void note_callback(CUstream stream, CUresult status, void *user)
{
    struct seen *seen = user;

    (void)stream;
    seen->status = status;
    seen->callback++;
}

TEST(a_lost_context_stays_lost_and_runs_callbacks)
{
    CUstream stream = new_stream();
    CUdeviceptr ptr = new_memory(4), more = 7;
    CUevent event = new_event(0);
    CUdevice device;
    struct seen seen = { 0 };

    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuEventRecord(event, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuLaunchHostFunc(stream, note_host, &seen), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamAddCallback(stream, note_callback, &seen, 0), CUDA_SUCCESS);
    fake_poison(stream, CUDA_ERROR_ILLEGAL_ADDRESS);
    while (!seen.callback)
        ;
    ck_assert_int_eq(seen.status, CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(seen.host, 0);
    ck_assert_int_eq(cuc__cu.cuEventQuery(event), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&more, 4), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuc__cu.cuMemFree(ptr), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuc__cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuc__cu.cuCtxGetDevice(&device), CUDA_SUCCESS);
    ck_assert_int_eq(fake_live_total(), 3);
    // Another context works.
    CUcontext own;
    ck_assert_int_eq(cuc__cu.cuCtxCreate(&own, NULL, 0, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&more, 4), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemFree(more), CUDA_SUCCESS);
}

// Memory

TEST(memory_is_counted_and_limited)
{
    size_t free_bytes, total;
    CUdeviceptr ptr;

    fake_set_total_memory(1 << 20);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, 1000000), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemGetInfo(&free_bytes, &total), CUDA_SUCCESS);
    ck_assert_uint_eq(total, 1 << 20);
    ck_assert_uint_eq(free_bytes, (1 << 20) - 1000000);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, 100000), CUDA_ERROR_OUT_OF_MEMORY);
    ck_assert_int_eq(cuc__cu.cuMemFree(ptr + 8), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuc__cu.cuMemFree(ptr), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemFree(ptr), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuc__cu.cuMemAlloc(&ptr, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_BOTH(copies_and_fills_are_done)
{
    CUdeviceptr a = new_memory(64), b = new_memory(64);
    uint32_t words[16], back[16];
    CUstream stream = new_stream();

    for (uint32_t i = 0; i < 16; i++)
        words[i] = i;
    ck_assert_int_eq(cuc__cu.cuMemcpyAsync(a, (CUdeviceptr)(uintptr_t)words, 64, stream), 0);
    ck_assert_int_eq(cuc__cu.cuMemcpyAsync(b, a, 64, stream), 0);
    ck_assert_int_eq(cuc__cu.cuMemsetD32Async(b + 4, 77, 1, stream), 0);
    ck_assert_int_eq(cuc__cu.cuMemsetD16Async(b + 10, 0x1234, 1, stream), 0);
    // Copies the second row, four words, to the last column of b.
    CUDA_MEMCPY2D rows = { .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = a,
                           .srcY = 1,
                           .srcPitch = 4,
                           .dstMemoryType = CU_MEMORYTYPE_UNIFIED,
                           .dstDevice = b,
                           .dstXInBytes = 12,
                           .dstPitch = 16,
                           .WidthInBytes = 4,
                           .Height = 4 };
    ck_assert_int_eq(cuc__cu.cuMemcpy2DAsync(&rows, stream), 0);
    ck_assert_int_eq(cuc__cu.cuMemcpyAsync((CUdeviceptr)(uintptr_t)back, b, 64, stream), 0);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), 0);
    words[1] = 77;
    words[2] = 0x12340002;
    for (uint32_t i = 0; i < 4; i++)
        words[4 * i + 3] = i + 1;
    ck_assert_mem_eq(back, words, sizeof(words));
    ck_assert_int_eq(cuc__cu.cuMemsetD32Async(b + 2, 0, 1, stream), CUDA_ERROR_INVALID_VALUE);
}

// Copies that would fault on a GPU: past the end, from freed memory, from an unknown address.
TEST_RANGE(a_copy_out_of_bounds_ends_the_context, 0, 4)
{
    CUdeviceptr ptr = new_memory(64), freed = new_memory(64);
    const CUdeviceptr sources[] = { ptr + 32, ptr + 64, freed, 0x1000 };
    unsigned char host[64];

    ck_assert_int_eq(cuc__cu.cuMemFree(freed), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemcpyAsync((CUdeviceptr)(uintptr_t)host, sources[_i], 64, NULL),
                     CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuc__cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
    fake_reset();
    ck_assert_int_eq(cuc__cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuCtxSynchronize(), CUDA_SUCCESS);
}

// Memory is freed on one stream and used on another, without a dependency between them.
TEST_BOTH(work_on_freed_memory_ends_the_context)
{
    CUstream late = new_stream(), other = new_stream();
    CUdeviceptr ptr;

    ck_assert_int_eq(cuc__cu.cuMemAllocAsync(&ptr, 64, late), CUDA_SUCCESS);
    fake_hold(late);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 64, late), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemFreeAsync(ptr, other), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(other), CUDA_SUCCESS);
    fake_resume(late);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(late), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_BOTH(memory_is_freed_after_earlier_work)
{
    CUstream stream = new_stream();
    CUdeviceptr ptr;

    ck_assert_int_eq(cuc__cu.cuMemAllocAsync(&ptr, 64, stream), CUDA_SUCCESS);
    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuMemsetD8Async(ptr, 1, 64, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemFreeAsync(ptr, stream), CUDA_SUCCESS);
    fake_resume(stream);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    ck_assert_int_eq(fake_live("allocation"), 0);
}

TEST_BOTH(a_pool_counts_what_it_holds)
{
    CUmemPoolProps props = { .allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                             .location = { .type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0 } };
    CUstream stream = new_stream();
    CUmemoryPool pool;
    CUdeviceptr ptr;
    uint64_t used, reserved, high, keep = UINT64_MAX;

    ck_assert_int_eq(cuc__cu.cuMemPoolCreate(&pool, &props), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemAllocFromPoolAsync(&ptr, 1000, pool, stream), CUDA_SUCCESS);
    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuMemFreeAsync(ptr, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemFreeAsync(ptr, stream), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuc__cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
                     CUDA_SUCCESS);
    ck_assert_uint_eq(used, 1024);
    fake_resume(stream);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used),
                     CUDA_SUCCESS);
    ck_assert_int_eq(
        cuc__cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved),
        CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &high),
                     CUDA_SUCCESS);
    ck_assert_uint_eq(used, 0);
    ck_assert_uint_eq(high, 1024);
    ck_assert_uint_eq(reserved, 32 << 20);
    ck_assert_int_eq(cuc__cu.cuMemPoolTrimTo(pool, 0), CUDA_SUCCESS);
    ck_assert_int_eq(
        cuc__cu.cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT, &reserved),
        CUDA_SUCCESS);
    ck_assert_uint_eq(reserved, 0);
    ck_assert_int_eq(cuc__cu.cuMemPoolDestroy(pool), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemPoolDestroy(pool), CUDA_ERROR_INVALID_VALUE);
}

TEST(pointer_attributes_describe_the_memory)
{
    static char registered[256];
    CUdeviceptr device = new_memory(64), managed;
    void *host;
    unsigned type;
    int ordinal;

    ck_assert_int_eq(cuc__cu.cuMemAllocHost(&host, 64), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemHostRegister(registered, 256, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemHostRegister(registered + 16, 16, 0),
                     CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    const struct {
        CUdeviceptr ptr;
        unsigned type;
    } rows[] = {
        { device + 63, CU_MEMORYTYPE_DEVICE },
        { (CUdeviceptr)(uintptr_t)host, CU_MEMORYTYPE_HOST },
        { managed, CU_MEMORYTYPE_DEVICE },
        { (CUdeviceptr)(uintptr_t)registered + 5, CU_MEMORYTYPE_HOST },
    };
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        ck_assert_int_eq(
            cuc__cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, rows[i].ptr),
            CUDA_SUCCESS);
        ck_assert_uint_eq(type, rows[i].type);
    }
    ck_assert_int_eq(
        cuc__cu.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device + 64),
        CUDA_ERROR_INVALID_VALUE);
    CUpointer_attribute attributes[] = { CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                         CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL };
    void *values[] = { &type, &ordinal };
    ck_assert_int_eq(cuc__cu.cuPointerGetAttributes(2, attributes, values, device + 64),
                     CUDA_SUCCESS);
    ck_assert_uint_eq(type, 0);
    ck_assert_int_eq(ordinal, CU_DEVICE_INVALID);
    ck_assert_int_eq(fake_live("registration"), 1);
    ck_assert_int_eq(fake_live("allocation"), 3);
    ck_assert_int_eq(cuc__cu.cuMemHostUnregister(registered), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemFreeHost(host), CUDA_SUCCESS);
}

// Code

TEST(parameters_are_laid_out_as_the_ptx_says)
{
    static const struct {
        const char *kernel;
        size_t offset, bytes;
        size_t index;
    } rows[] = {
        { "saxpy", 0, 4, 0 },    { "saxpy", 8, 8, 1 },   { "saxpy", 16, 8, 2 },
        { "saxpy", 24, 4, 3 },   { "structs", 0, 1, 0 }, { "structs", 16, 40, 1 },
        { "structs", 56, 2, 2 },
    };
    CUlibrary library = load(ptx);
    unsigned count = 0;
    size_t offset, bytes;
    int value;

    ck_assert_int_eq(cuc__cu.cuLibraryGetKernelCount(&count, library), CUDA_SUCCESS);
    ck_assert_uint_eq(count, 3);
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        CUkernel kernel = kernel_named(library, rows[i].kernel);
        ck_assert_int_eq(cuc__cu.cuKernelGetParamInfo(kernel, rows[i].index, &offset, &bytes),
                         CUDA_SUCCESS);
        ck_assert_uint_eq(offset, rows[i].offset);
        ck_assert_uint_eq(bytes, rows[i].bytes);
    }
    CUkernel saxpy = kernel_named(library, "saxpy");
    ck_assert_int_eq(cuc__cu.cuKernelGetParamInfo(saxpy, 4, &offset, &bytes),
                     CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(
        cuc__cu.cuKernelGetParamInfo(kernel_named(library, "nothing"), 0, &offset, &bytes),
        CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(
        cuc__cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, saxpy, 0),
        CUDA_SUCCESS);
    ck_assert_int_eq(value, 256);
    ck_assert_int_eq(
        cuc__cu.cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, saxpy, 1),
        CUDA_SUCCESS);
    ck_assert_int_eq(value, 1024);
}

TEST(variables_have_their_first_values)
{
    CUlibrary library = load(ptx);
    CUdeviceptr ptr;
    size_t bytes;

    ck_assert_int_eq(cuc__cu.cuLibraryGetGlobal(&ptr, &bytes, library, "table"), CUDA_SUCCESS);
    ck_assert_uint_eq(bytes, 12);
    ck_assert_mem_eq((void *)(uintptr_t)ptr, "\1\0\0\0\2\0\0\0\0\0\0\0", 12);
    ck_assert_int_eq(cuc__cu.cuLibraryGetGlobal(&ptr, &bytes, library, "factor"), CUDA_SUCCESS);
    ck_assert(*(float *)(uintptr_t)ptr == 1.0F);
    ck_assert_int_eq(cuc__cu.cuLibraryGetGlobal(&ptr, &bytes, library, "scale"),
                     CUDA_ERROR_NOT_FOUND);
    ck_assert_int_eq(fake_live("allocation"), 0);
    ck_assert_int_eq(cuc__cu.cuLibraryUnload(library), CUDA_SUCCESS);
    ck_assert_int_eq(fake_allocated(ptr), 0);
}

static const struct {
    const char *text;
    CUresult code;
    const char *log;
} bad_images[] = {
    { "", CUDA_ERROR_INVALID_PTX, "expected .version" },
    { "junk", CUDA_ERROR_INVALID_PTX, "junk" },
    { "\x7f"
      "ELF\2\1\1",
      CUDA_ERROR_NO_BINARY_FOR_GPU, "no machine code" },
    { ".version 9.9\n.target sm_90\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "9.9" },
    { ".version 8.0\n.target sm_100a\n", CUDA_ERROR_NO_BINARY_FOR_GPU, "sm_100a" },
    { ".version 8.0\n.target sm_90\n.entry f()\n{\n  bogus.u32 %tid;\n}\n", CUDA_ERROR_INVALID_PTX,
      "line 5: unknown instruction bogus" },
    { ".version 8.0\n.target sm_90\n.entry f()\n{ ret;\n", CUDA_ERROR_INVALID_PTX,
      "expected the } of a function" },
    { ".version 8.0\n.target sm_90\n.entry f(.param .what x)\n{ ret; }\n", CUDA_ERROR_INVALID_PTX,
      "line 3" },
};

TEST_ROWS(a_bad_image_is_refused_with_a_log, bad_images)
{
    char log[256] = "";
    CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[] = { log, (void *)(uintptr_t)sizeof(log) };
    CUlibrary library = NULL;

    ck_assert_int_eq(
        cuc__cu.cuLibraryLoadData(&library, bad_images[_i].text, options, values, 2, NULL, NULL, 0),
        bad_images[_i].code);
    ck_assert_ptr_null(library);
    ck_assert_msg(strstr(log, bad_images[_i].log) != NULL, "the log is: %s", log);
    ck_assert_uint_eq((uintptr_t)values[1], strlen(log) + 1);
    ck_assert_int_eq(fake_live_total(), 0);
}

// Launches

static void saxpy(void **params, const CUlaunchConfig *config)
{
    float alpha = *(float *)params[0];
    const float *x = *(float **)params[1];
    float *y = *(float **)params[2];
    uint32_t n = *(uint32_t *)params[3];

    ck_assert_uint_eq(config->blockDimX, 128);
    for (uint32_t i = 0; i < n; i++)
        y[i] += alpha * x[i];
}

TEST_BOTH(a_defined_kernel_runs_in_the_order_of_its_stream)
{
    CUkernel kernel = kernel_named(load(ptx), "saxpy");
    CUstream stream = new_stream();
    CUdeviceptr x = new_memory(256), y = new_memory(256);
    float alpha = 3, one = 1, back[64];
    uint32_t n = 64, bits;
    void *params[] = { &alpha, &x, &y, &n };
    CUlaunchConfig config = { .gridDimX = 1,
                              .gridDimY = 1,
                              .gridDimZ = 1,
                              .blockDimX = 128,
                              .blockDimY = 1,
                              .blockDimZ = 1,
                              .hStream = stream };
    static struct fake_launch last;

    fake_define_kernel("saxpy", saxpy);
    memcpy(&bits, &one, sizeof(bits));
    fake_hold(stream);
    ck_assert_int_eq(cuc__cu.cuMemsetD32Async(x, bits, 64, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuMemsetD32Async(y, bits, 64, stream), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuLaunchKernelEx(&config, (CUfunction)kernel, params, NULL), 0);
    alpha = 100; // the launch already has its own copy
    ck_assert_int_eq(cuc__cu.cuMemcpyAsync((CUdeviceptr)(uintptr_t)back, y, 256, stream), 0);
    fake_resume(stream);
    ck_assert_int_eq(cuc__cu.cuStreamSynchronize(stream), CUDA_SUCCESS);
    for (int i = 0; i < 64; i++)
        ck_assert(back[i] == 4.0F);
    ck_assert_int_eq(fake_launch_count(), 1);
    ck_assert_int_eq(fake_last_launch(&last), 1);
    ck_assert_str_eq(last.kernel, "saxpy");
    ck_assert_uint_eq(last.param_count, 4);
    ck_assert_uint_eq(*(uint32_t *)last.params[3], 64);
    ck_assert_ptr_eq(last.config.hStream, stream);
}

TEST(a_launch_is_checked)
{
    CUlibrary library = load(ptx);
    CUkernel kernel = kernel_named(library, "nothing");
    CUstream stream = new_stream();
    CUlaunchAttribute attribute = { .id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                    .value.clusterDim = { 16, 1, 1 } };
    const CUlaunchConfig good = { .gridDimX = 16,
                                  .gridDimY = 1,
                                  .gridDimZ = 1,
                                  .blockDimX = 1024,
                                  .blockDimY = 1,
                                  .blockDimZ = 1,
                                  .hStream = stream };
    CUlaunchConfig c = good;
    CUfunction function;

#define LAUNCH(function) cuc__cu.cuLaunchKernelEx(&c, (CUfunction)(function), NULL, NULL)
    ck_assert_int_eq(LAUNCH(kernel), CUDA_SUCCESS);
    ck_assert_int_eq(LAUNCH(library), CUDA_ERROR_INVALID_HANDLE);
    c.gridDimY = 0;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_ERROR_INVALID_VALUE);
    c = good;
    c.blockDimY = 2;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_ERROR_INVALID_VALUE);
    c = good;
    c.gridDimZ = 65536;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_ERROR_INVALID_VALUE);
    c = good;
    ck_assert_int_eq(LAUNCH(kernel_named(library, "saxpy")), CUDA_ERROR_INVALID_VALUE);
    c.sharedMemBytes = 49153;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_ERROR_INVALID_VALUE);
    ck_assert_int_eq(cuc__cu.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  49153, kernel, 0),
                     CUDA_SUCCESS);
    ck_assert_int_eq(LAUNCH(kernel), CUDA_SUCCESS);
    c = good;
    c.attrs = &attribute;
    c.numAttrs = 1;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_ERROR_INVALID_CLUSTER_SIZE);
    attribute.value.clusterDim.x = 3;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_ERROR_INVALID_VALUE);
    attribute.value.clusterDim.x = 8;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_SUCCESS);
    attribute.id = CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    ck_assert_int_eq(LAUNCH(kernel), CUDA_ERROR_INVALID_VALUE);
    c = good;
    // Launches a function of one context on a stream of another.
    CUcontext own;
    ck_assert_int_eq(cuc__cu.cuCtxCreate(&own, NULL, 0, 0), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuKernelGetFunction(&function, kernel), CUDA_SUCCESS);
    ck_assert_int_eq(LAUNCH(function), CUDA_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(fake_launch_count(), 3);
#undef LAUNCH
}

TEST(an_unrecorded_launch_is_not_checked)
{
    CUlaunchConfig nonsense = { 0 };

    fake_record_launches(0);
    ck_assert_int_eq(cuc__cu.cuLaunchKernelEx(&nonsense, NULL, NULL, NULL), CUDA_SUCCESS);
    fake_fail("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_FAILED);
    ck_assert_int_eq(cuc__cu.cuLaunchKernelEx(&nonsense, NULL, NULL, NULL),
                     CUDA_ERROR_LAUNCH_FAILED);
    fake_do_nothing("cuEventRecord", 1);
    ck_assert_int_eq(cuc__cu.cuEventRecord(NULL, NULL), CUDA_SUCCESS);
    fake_record_launches(1);
    ck_assert_int_eq(cuc__cu.cuLaunchKernelEx(&nonsense, NULL, NULL, NULL),
                     CUDA_ERROR_INVALID_HANDLE);
}

TEST(linked_ptx_loads)
{
    static const char other[] = ".version 8.0\n.target sm_90\n.entry other() { ret; }\n";
    CUlinkState link;
    CUlibrary library;
    void *image;
    size_t bytes;

    ck_assert_int_eq(cuc__cu.cuLinkCreate(0, NULL, NULL, &link), CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx,
                                           sizeof(ptx), "a", 0, NULL, NULL),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)other,
                                           sizeof(other), "b", 0, NULL, NULL),
                     CUDA_SUCCESS);
    ck_assert_int_eq(cuc__cu.cuLinkComplete(link, &image, &bytes), CUDA_SUCCESS);
    library = load(image);
    (void)kernel_named(library, "other");
    (void)kernel_named(library, "saxpy");
    ck_assert_int_eq(cuc__cu.cuLinkDestroy(link), CUDA_SUCCESS);
    ck_assert_int_eq(fake_live("link"), 0);
}

TEST(occupancy_follows_the_attributes)
{
    CUkernel kernel = kernel_named(load(ptx), "nothing");
    int blocks, grid, block;
    size_t bytes;

    ck_assert_int_eq(
        cuc__cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (CUfunction)kernel, 256, 0),
        CUDA_SUCCESS);
    ck_assert_int_eq(blocks, 8);
    ck_assert_int_eq(cuc__cu.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                         &blocks, (CUfunction)kernel, 256, 100000),
                     CUDA_SUCCESS);
    ck_assert_int_eq(blocks, 2);
    ck_assert_int_eq(
        cuc__cu.cuOccupancyMaxPotentialBlockSize(&grid, &block, (CUfunction)kernel, NULL, 0, 0),
        CUDA_SUCCESS);
    ck_assert_int_eq(block, 1024);
    ck_assert_int_eq(grid, 2 * 132);
    ck_assert_int_eq(
        cuc__cu.cuOccupancyAvailableDynamicSMemPerBlock(&bytes, (CUfunction)kernel, 1, 256),
        CUDA_SUCCESS);
    ck_assert_uint_eq(bytes, 49152); // the largest size for this kernel
}

int main(void)
{
    if (!fake_available())
        return 77;
    return run_tests("fake");
}
