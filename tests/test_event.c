// Tests events: recording, waiting, and measuring time between them.
#include "device/event.h"
#include "device/stream.h"
#include "testing.h"

#include <pthread.h>

static cuc_device *device, *other;
static cuc_context *primary;
static cuc_stream *stream;
static cuc_event *event;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    testing_devices(&device, &primary, &other);
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_event_create(&event, device, NULL));
}

static void teardown(void)
{
    cuc_event_release(event);
    cuc_stream_release(stream);
    ck_assert_ptr_null(testing_current());
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

static void wait_for_go(void *user)
{
    while (!*(_Atomic int *)user)
        testing_sleep_ms(1);
}

static cuc_event *timed(cuc_device *of)
{
    cuc_event *e;

    ck_ok(cuc_event_create(&e, of, CUC_EVENT_OPTIONS(.flags = CUC_EVENT_TIMING)));
    return e;
}

CASE("event", .setup = setup, .teardown = teardown);

TEST_RANGE(an_event_is_made_as_its_options_say, 0, 4)
{
    const uint32_t flags[] = { 0, CUC_EVENT_TIMING, CUC_EVENT_BLOCKING_SYNC,
                               CUC_EVENT_TIMING | CUC_EVENT_BLOCKING_SYNC };
    cuc_event *e = NULL;

    ck_ok(cuc_event_create(&e, device, CUC_EVENT_OPTIONS(.flags = flags[_i])));
    ck_assert_uint_eq(cuc_event_flags(e), flags[_i]);
    ck_assert_ptr_eq(cuc_event_device(e), device);
    ck_assert_ptr_eq(cuc_event_context(e), primary);
    ck_assert_ptr_nonnull(cuc_event_handle(e));
    ck_ok(cuc_event_record(stream, e));
    ck_ok(cuc_event_synchronize(e));
    cuc_event_release(e);
}

TEST(options_that_are_not_known_are_refused)
{
    cuc_event_options o = CUC_EVENT_OPTIONS_INIT;
    cuc_event *e = NULL;

    o.flags = 8;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_create(&e, device, &o), "flags is 0x8",
             "CUC_EVENT_TIMING (0x1)", "CUC_EVENT_BLOCKING_SYNC (0x2)");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_event_create(&e, primary, &o), "flags is 0x8");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_from_handle(&e, &o, primary, 8), "flags is 0x8");
    o.flags = CUC_EVENT_TIMING | CUC_EVENT_IPC;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_create(&e, device, &o), "no timing");
    o.struct_size = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_create(&e, device, &o), "struct_size is 0",
             "sizeof(cuc_event_options)");
    ck_assert_ptr_null(e);
}

TEST(an_event_that_was_never_recorded_is_complete)
{
    ck_assert_int_eq(cuc_event_query(event), CUC_OK);
    ck_ok(cuc_event_synchronize(event));
}

static void *synchronize(void *data)
{
    return cuc_event_synchronize(data) == CUC_OK ? data : NULL;
}

TEST(an_event_completes_when_the_work_before_it_is_done)
{
    _Atomic int go = 0;
    pthread_t thread;
    void *result;

    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_assert_int_eq(cuc_event_query(event), CUC_NOT_READY);
    ck_assert_int_eq(pthread_create(&thread, NULL, synchronize, event), 0);
    testing_sleep_ms(5);
    ck_assert_int_eq(cuc_event_query(event), CUC_NOT_READY);
    go = 1;
    ck_assert_int_eq(pthread_join(thread, &result), 0);
    ck_assert_ptr_eq(result, event);
    ck_assert_int_eq(cuc_event_query(event), CUC_OK);
}

TEST(time_passes_between_two_events)
{
    cuc_event *start = timed(device), *end = timed(device);
    _Atomic int go = 0;
    float ms = -1;

    ck_ok(cuc_event_record(stream, start));
    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, end));
    ck_assert_int_eq(cuc_event_get_elapsed(&ms, start, end), CUC_NOT_READY);
    ck_assert(ms == -1);
    testing_sleep_ms(20);
    go = 1;
    ck_ok(cuc_event_synchronize(end));
    ck_ok(cuc_event_get_elapsed(&ms, start, end));
    ck_assert_msg(ms >= 15 && ms < 5000, "%g ms", (double)ms);
    cuc_event_release(start);
    cuc_event_release(end);
}

TEST(reasons_for_no_elapsed_time_are_distinguished)
{
    cuc_event *start = timed(device), *end = timed(device), *e;
    float ms = 42;

    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_record(stream, start));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, event, end),
             "start has no timing: create it with CUC_EVENT_TIMING");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, start, event),
             "end has no timing");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, start, end),
             "end was never recorded: call cuc_event_record() first");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, end, start),
             "start was never recorded");
    if (other) {
        cuc_stream *far;
        e = timed(other);
        ck_ok(cuc_stream_create(&far, other, NULL));
        ck_ok(cuc_event_record(far, e));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, start, e),
                 "start is of device 0, end of device 1");
        cuc_stream_release(far);
        cuc_event_release(e);
    }
    if (fake_available()) {
        ck_ok(cuc_event_record(stream, end));
        fake_fail("cuEventElapsedTime", 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, cuc_event_get_elapsed(&ms, start, end), "cuEventElapsedTime");
    }
    ck_assert(ms == 42);
    cuc_event_release(start);
    cuc_event_release(end);
}

TEST(an_event_is_recorded_in_its_own_context_only)
{
    CUcontext foreign, popped;
    cuc_context *context;
    cuc_stream *far;
    CUctxCreateParams params = { 0 };

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&foreign, &params, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_ok(cuc_context_from_handle(&context, foreign));
    ck_ok(cuc_context_stream_create(&far, context, NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_record(far, event), "the event is of context",
             "the stream of context");
    cuc_stream_release(far);
    cuc_context_release(context);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(foreign), 0);
    if (!other)
        SKIP("the rest needs two devices");
    ck_ok(cuc_stream_create(&far, other, NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_record(far, event),
             "the stream is of device 1 (", "the event of device 0 (");
    ck_ok(cuc_stream_wait_event(far, event)); // a stream may wait for another device's event
    cuc_stream_release(far);
}

TEST(a_foreign_event_is_borrowed)
{
    CUevent foreign;
    CUcontext popped;
    cuc_event *wrapped = NULL;
    float ms = -1;

    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(primary)), 0);
    ck_assert_int_eq(cuc__cu.cuEventCreate(&foreign, 0), 0);
    ck_ok(cuc_event_from_handle(&wrapped, foreign, NULL, CUC_EVENT_TIMING)); // current context
    ck_assert_ptr_eq(cuc_event_context(wrapped), primary);
    ck_assert_ptr_eq(cuc_event_handle(wrapped), foreign);
    cuc_event_release(wrapped);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);

    wrapped = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_from_handle(&wrapped, foreign, NULL, 0),
             "context is NULL", "no context is current");
    ck_assert_ptr_null(wrapped);
    ck_ok(cuc_event_from_handle(&wrapped, foreign, primary, CUC_EVENT_TIMING));
    ck_ok(cuc_event_record(stream, wrapped));
    ck_ok(cuc_stream_wait_event(stream, wrapped));
    ck_ok(cuc_event_synchronize(wrapped));
    ck_ok(cuc_event_get_elapsed(&ms, wrapped, wrapped));
    ck_assert(ms >= 0);
    ck_assert_ptr_eq(cuc_event_retain(wrapped), wrapped);
    cuc_event_release(wrapped);
    cuc_event_release(wrapped);
    ck_assert_int_eq(cuc__cu.cuEventDestroy(foreign), 0); // the wrapper did not destroy it
}

TEST(an_event_of_a_capture_cannot_be_queried)
{
    for (int wait = 0; wait < 2; wait++) { // a query spoils the capture, so each case has its own
        CUgraph graph = NULL;
        ck_assert_int_eq(
            cuc__cu.cuStreamBeginCapture(cuc_stream_handle(stream), CU_STREAM_CAPTURE_MODE_RELAXED),
            0);
        ck_ok(cuc_event_record(stream, event));
        if (wait)
            ck_fails(CUC_ERROR_BUSY, cuc_event_synchronize(event), "CUDA_ERROR_CAPTURED_EVENT");
        else
            ck_fails(CUC_ERROR_BUSY, cuc_event_query(event), "CUDA_ERROR_CAPTURED_EVENT");
        (void)cuc__cu.cuStreamEndCapture(cuc_stream_handle(stream), &graph);
        if (graph)
            ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    }
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_synchronize(event));
}

TEST(elapsed_time_can_be_measured_during_a_capture)
{
    cuc_event *e = timed(device);
    cuc_stream *captured;
    float ms = -1;

    ck_ok(cuc_stream_create(&captured, device, NULL));
    ck_ok(cuc_event_record(stream, e));
    ck_ok(cuc_event_synchronize(e));
    for (int mode = CU_STREAM_CAPTURE_MODE_GLOBAL; mode <= CU_STREAM_CAPTURE_MODE_RELAXED; mode++) {
        CUgraph graph = NULL;
        ck_assert_int_eq(
            cuc__cu.cuStreamBeginCapture(cuc_stream_handle(captured), (CUstreamCaptureMode)mode),
            0);
        if (fake_available())
            fake_calls_reset();
        ck_ok(cuc_event_get_elapsed(&ms, e, e));
        if (fake_available())
            ck_assert_int_eq(fake_calls_total(), 1);
        ck_assert(ms >= 0);
        ck_assert_int_eq(cuc__cu.cuStreamEndCapture(cuc_stream_handle(captured), &graph), 0);
        ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    }
    cuc_stream_release(captured);
    cuc_event_release(e);
}

TEST(a_record_that_fails_leaves_the_event_unrecorded)
{
    float ms = 42;

    NEED_FAKE();
    cuc_event *e = timed(device);
    fake_fail("cuEventRecord", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_event_record(stream, e), "cuEventRecord returned 999");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, e, e), "was never recorded");
    fake_fail("cuEventQuery", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_event_query(e), "cuEventQuery");
    fake_fail("cuEventSynchronize", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_event_synchronize(e), "cuEventSynchronize");
    cuc_event_release(e);
    e = NULL;
    fake_fail("cuEventCreate", 1, CUDA_ERROR_OUT_OF_MEMORY);
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_event_create(&e, device, NULL), "cuEventCreate",
             "device 0");
    ck_assert_ptr_null(e);
}

TEST(a_released_event_is_still_waited_for)
{
    _Atomic int go = 0;
    cuc_stream *second;

    ck_ok(cuc_stream_create(&second, device, NULL));
    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_stream_wait_event(second, event));
    cuc_event_release(event);
    event = NULL;
    ck_assert_int_eq(cuc_stream_query(second), CUC_NOT_READY);
    go = 1;
    ck_ok(cuc_stream_synchronize(second));
    cuc_stream_release(second);
}

TEST(null_arguments_are_named)
{
    cuc_event *none = NULL;
    float ms = 42;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_create(NULL, device, NULL), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_create(&none, NULL, NULL), "device is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_event_create(NULL, primary, NULL),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_event_create(&none, NULL, NULL),
             "context is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_from_handle(NULL, &none, primary, 0),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_from_handle(&none, NULL, primary, 0),
             "handle is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_record(stream, NULL),
             "event is NULL, expected a cuc_event");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_record(NULL, event), "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_query(NULL), "event is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_synchronize(NULL), "event is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(NULL, event, event),
             "milliseconds is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, NULL, event), "start is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_elapsed(&ms, event, NULL), "end is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_event_get_fd(NULL, event), "out is NULL");
    ck_assert_ptr_null(none);
    ck_assert(ms == 42);
    ck_assert_ptr_null(cuc_event_handle(NULL));
    ck_assert_ptr_null(cuc_event_device(NULL));
    ck_assert_ptr_null(cuc_event_context(NULL));
    ck_assert_uint_eq(cuc_event_flags(NULL), 0);
    ck_assert_ptr_null(cuc_event_retain(NULL));
    cuc_event_release(NULL);
}

int main(void)
{
    return run_device_tests("event");
}
