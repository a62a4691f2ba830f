// Tests contexts: each has one object, no call changes a thread's current context, and lost
// contexts are handled.
#include "base/array.h"
#include "device/context.h"
#include "device/stream.h"
#include "testing.h"

#include <pthread.h>

static cuc_device *device, *other;
static cuc_context *primary;
static struct testing_failures failures;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    memset(&failures, 0, sizeof(failures));
    cuc_set_failure_handler(testing_failed, &failures);
    testing_devices(&device, &primary, &other);
}

static void teardown(void)
{
    ck_assert_ptr_null(testing_current());
    cuc_set_failure_handler(NULL, NULL);
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

// Makes a context with the driver; it is not current.
static CUcontext make_context(void)
{
    CUcontext made = NULL, popped;
    CUctxCreateParams params = { 0 };

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&made, &params, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    return made;
}

static void destroy_context(CUcontext context)
{
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(context), 0);
}

CASE("context", .setup = setup, .teardown = teardown);

// The driver may reuse the address of a destroyed context, with a new id. The fake driver never
// reuses addresses, so the test gives the object the address of the earlier context.
TEST(a_later_context_at_the_address_of_a_destroyed_one_is_another_object)
{
    cuc_context *first = NULL, *second = NULL, *third = NULL;
    CUcontext foreign = make_context();

    ck_ok(cuc_context_from_handle(&first, foreign));
    first->id += 1000;
    ck_ok(cuc_context_from_handle(&second, foreign));
    ck_assert_ptr_ne(first, second);
    ck_ok(cuc_context_from_handle(&third, foreign));
    ck_assert_ptr_eq(second, third);
    cuc_context_release(first);
    cuc_context_release(second);
    cuc_context_release(third);
    destroy_context(foreign);
}

TEST(a_primary_context_is_one_object)
{
    cuc_context *again = NULL;

    ck_ok(cuc_device_get_context(&again, device));
    ck_assert_ptr_eq(again, primary);
    ck_assert_int_eq(cuc_context_is_primary(primary), 1);
    ck_assert_ptr_eq(cuc_context_device(primary), device);
    again = NULL;
    ck_ok(cuc_context_from_handle(&again, cuc_context_handle(primary)));
    ck_assert_ptr_eq(again, primary);
    cuc_context_release(again);
    ck_ok(cuc_context_synchronize(primary)); // the process still holds the primary context
}

TEST(a_foreign_context_is_one_object_and_never_destroyed)
{
    CUcontext foreign = make_context();
    cuc_context *first = NULL, *second = NULL;
    cuc_stream *stream = NULL;

    ck_ok(cuc_context_from_handle(&first, foreign));
    ck_ok(cuc_context_from_handle(&second, foreign));
    ck_assert_ptr_eq(first, second);
    ck_assert_ptr_ne(first, primary);
    ck_assert_ptr_eq(cuc_context_handle(first), foreign);
    ck_assert_ptr_eq(cuc_context_device(first), device);
    ck_assert_int_eq(cuc_context_is_primary(first), 0);
    ck_ok(cuc_context_stream_create(&stream, first, NULL));
    ck_assert_ptr_eq(cuc_stream_context(stream), first);
    cuc_context_release(first);
    cuc_context_release(second);
    ck_ok(cuc_stream_synchronize(stream)); // the stream holds its context
    cuc_stream_release(stream);
    if (fake_available())
        ck_assert_int_eq(fake_live("context"), 1);
    ck_ok(cuc_context_from_handle(&first, foreign)); // makes a new object
    ck_ok(cuc_context_synchronize(first));
    cuc_context_release(first);
    destroy_context(foreign);
}

TEST(a_handle_that_is_not_a_context_is_refused)
{
    cuc_context *none = NULL;

    NEED_FAKE(); // a real driver may take such a handle for an address
    CUcontext gone = make_context();
    destroy_context(gone);
    ck_fails(CUC_ERROR_DRIVER, cuc_context_from_handle(&none, gone), "is not a live CUcontext",
             "CUDA_ERROR_CONTEXT_IS_DESTROYED");
    ck_assert_ptr_null(none);
}

TEST(the_current_context_is_returned_as_its_object)
{
    CUcontext foreign = make_context(), popped;
    cuc_context *current = (cuc_context *)(void *)&current, *known;

    ck_ok(cuc_context_get_current(&current));
    ck_assert_ptr_null(current);
    ck_ok(cuc_context_from_handle(&known, foreign));
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(foreign), 0);
    ck_ok(cuc_context_get_current(&current));
    ck_assert_ptr_eq(current, known);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    cuc_context_release(current);
    cuc_context_release(known);
    destroy_context(foreign);
}

CASE("bare");

// Imitates a program in which the runtime created the context first. Needs a process that has not
// yet requested the context.
TEST(a_primary_context_made_by_other_code_is_recognized)
{
    CUcontext made, popped;
    cuc_context *current = NULL, *asked = NULL;

    NEED_FAKE();
    ck_ok(cuc_device_get(&other, 1));
    ck_assert_int_eq(cuc__cu.cuDevicePrimaryCtxRetain(&made, 1), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(made), 0);
    ck_ok(cuc_context_get_current(&current));
    ck_assert_int_eq(cuc_context_is_primary(current), 1);
    ck_assert_ptr_eq(cuc_context_device(current), other);
    ck_ok(cuc_device_get_context(&asked, other));
    ck_assert_ptr_eq(current, asked);
    cuc_context_release(current);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_assert_int_eq(cuc__cu.cuDevicePrimaryCtxRelease(1), 0);
    ck_ok(cuc_context_synchronize(asked));
}

CASE("context");

TEST(set_current_returns_the_previous_context)
{
    CUcontext foreign = make_context();
    cuc_context *wrapped, *previous = (cuc_context *)(void *)&previous;

    ck_ok(cuc_context_from_handle(&wrapped, foreign));
    ck_ok(cuc_context_set_current(wrapped, &previous));
    ck_assert_ptr_null(previous);
    ck_assert_ptr_eq(testing_current(), foreign);
    ck_ok(cuc_device_set_current(device, &previous));
    ck_assert_ptr_eq(previous, wrapped);
    ck_assert_ptr_eq(testing_current(), cuc_context_handle(primary));
    ck_ok(cuc_context_set_current(NULL, NULL));
    ck_assert_ptr_null(testing_current());
    cuc_context_release(previous);
    cuc_context_release(wrapped);
    destroy_context(foreign);
}

TEST(a_set_current_that_fails_changes_nothing)
{
    cuc_context *previous = (cuc_context *)(void *)&previous;

    NEED_FAKE();
    fake_fail("cuCtxSetCurrent", 1, CUDA_ERROR_INVALID_CONTEXT);
    ck_fails(CUC_ERROR_DRIVER, cuc_context_set_current(primary, &previous),
             "cuCtxSetCurrent returned 201");
    ck_assert_ptr_eq(previous, &previous);
    ck_assert_ptr_null(testing_current());
    fake_fail("cuCtxGetCurrent", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_device_set_current(device, &previous), "cuCtxGetCurrent");
    ck_assert_ptr_eq(previous, &previous);
    ck_assert_ptr_null(testing_current());
}

TEST(ids_limits_and_priorities_are_read_and_set)
{
    CUcontext foreign = make_context();
    cuc_context *wrapped;
    uint64_t id = 0, id2 = 0, before = 0, value = 0;
    int32_t least = 42, greatest = 42;

    ck_ok(cuc_context_from_handle(&wrapped, foreign));
    ck_ok(cuc_context_get_id(&id, primary));
    ck_ok(cuc_context_get_id(&id2, wrapped));
    ck_assert_uint_ne(id, id2);
    ck_ok(cuc_context_get_limit(&before, wrapped, CU_LIMIT_STACK_SIZE));
    ck_ok(cuc_context_set_limit(wrapped, CU_LIMIT_STACK_SIZE, 4096));
    ck_ok(cuc_context_get_limit(&value, wrapped, CU_LIMIT_STACK_SIZE));
    ck_assert_uint_eq(value, 4096);
    ck_ok(cuc_context_get_limit(&value, primary, CU_LIMIT_STACK_SIZE));
    ck_assert_uint_eq(value, before); // the value in the other context
    ck_ok(cuc_context_get_priority_range(&least, &greatest, primary));
    ck_assert_int_eq(least, 0);
    ck_assert_int_lt(greatest, least);
    value = 42;
    ck_assert_int_lt(cuc_context_get_limit(&value, primary, 99), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "limit 99"));
    ck_assert_int_lt(cuc_context_set_limit(primary, 99, 7), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "limit 99"));
    ck_assert_uint_eq(value, 42);
    cuc_context_release(wrapped);
    destroy_context(foreign);
}

TEST(a_limit_that_the_device_lacks_is_not_supported)
{
    uint64_t value = 42;

    NEED_FAKE();
    fake_fail("cuCtxGetLimit", 1, CUDA_ERROR_UNSUPPORTED_LIMIT);
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_context_get_limit(&value, primary, 5), "device 0",
             "has no limit 5");
    fake_fail("cuCtxSetLimit", 1, CUDA_ERROR_UNSUPPORTED_LIMIT);
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_context_set_limit(primary, 5, 9), "has no limit 5");
    ck_assert_uint_eq(value, 42);
}

TEST(peer_access_is_between_two_devices_and_enabling_it_twice_is_no_error)
{
    cuc_context *peer;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_enable_peer_access(primary, primary),
             "both of device 0", "expected two devices");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_disable_peer_access(primary, primary),
             "both of device 0");
    if (!other)
        SKIP("the rest needs two devices");
    ck_ok(cuc_device_get_context(&peer, other));
    ck_ok(cuc_context_enable_peer_access(primary, peer));
    ck_ok(cuc_context_enable_peer_access(primary, peer));
    ck_ok(cuc_context_disable_peer_access(primary, peer));
    ck_ok(cuc_context_disable_peer_access(primary, peer));
    if (!fake_available())
        return;
    fake_fail("cuCtxEnablePeerAccess", 1, CUDA_ERROR_TOO_MANY_PEERS);
    ck_fails(CUC_ERROR_DRIVER, cuc_context_enable_peer_access(primary, peer),
             "from device 0 to device 1", "CUDA_ERROR_TOO_MANY_PEERS");
    fake_fail("cuDeviceCanAccessPeer", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_context_enable_peer_access(primary, peer),
             "cuDeviceCanAccessPeer");
}

TEST(null_arguments_are_named)
{
    uint64_t value;
    int32_t number;
    cuc_context *none = NULL;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_get_current(NULL), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_from_handle(NULL, primary), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_from_handle(&none, NULL), "handle is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_get_id(NULL, primary), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_get_id(&value, NULL), "context is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_synchronize(NULL), "context is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_get_limit(NULL, primary, 0), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_set_limit(NULL, 0, 0), "context is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_get_priority_range(NULL, &number, primary),
             "least is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_get_priority_range(&number, NULL, primary),
             "greatest is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_enable_peer_access(primary, NULL),
             "peer is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_disable_peer_access(NULL, primary),
             "context is NULL");
    ck_assert_ptr_null(cuc_context_handle(NULL));
    ck_assert_ptr_null(cuc_context_device(NULL));
    ck_assert_int_eq(cuc_context_is_primary(NULL), 0);
    ck_assert_int_eq(cuc_context_is_lost(NULL), 0);
    ck_assert_ptr_null(cuc_context_retain(NULL));
    cuc_context_release(NULL);
}

// Only set_current changes the current context. Each row runs once without a current context, and
// once while a context is current that the call does not use.
static cuc_stream *stream;
static cuc_event *event;

static void do_stream(void)
{
    cuc_stream *s = NULL;
    int32_t number;
    uint32_t flags;
    uint64_t id;

    ck_ok(cuc_stream_create(&s, device, NULL));
    ck_ok(cuc_stream_get_priority(&number, s));
    ck_ok(cuc_stream_get_flags(&flags, s));
    ck_ok(cuc_stream_get_id(&id, s));
    ck_ok(cuc_stream_is_capturing(&number, s));
    ck_ok(cuc_stream_wait_stream(s, stream));
    ck_ok(cuc_stream_synchronize(s));
    ck_ok(cuc_stream_query(s));
    cuc_stream_release(s);
}

static void do_default_streams(void)
{
    cuc_stream *s = NULL;
    uint64_t id;

    for (int32_t which = 0; which < 2; which++) {
        ck_ok(cuc_stream_get_default(&s, device, which));
        ck_ok(cuc_stream_query(s));
        ck_ok(cuc_stream_get_id(&id, s));
        ck_ok(cuc_stream_wait_event(s, event));
        ck_ok(cuc_stream_synchronize(s));
    }
}

static void do_event(void)
{
    cuc_event *e = NULL;
    int32_t fd;

    ck_ok(cuc_event_create(&e, device, NULL));
    ck_ok(cuc_event_record(stream, e));
    ck_ok(cuc_event_synchronize(e));
    ck_ok(cuc_event_query(e));
    ck_ok(cuc_event_get_fd(&fd, e));
    cuc_event_release(e);
}

static void do_device(void)
{
    cuc_device *d;
    uint64_t bytes;
    int32_t value;

    ck_ok(cuc_device_get_current(&d));
    ck_ok(cuc_device_get_memory_info(&bytes, NULL, device));
    ck_ok(cuc_device_get_attribute(&value, device, 1));
    ck_ok(cuc_device_synchronize(device));
}

static void do_context(void)
{
    cuc_context *c = NULL;
    uint64_t value;
    int32_t a, b;

    ck_ok(cuc_context_get_current(&c));
    cuc_context_release(c);
    ck_ok(cuc_context_synchronize(primary));
    ck_ok(cuc_context_get_limit(&value, primary, 0));
    ck_ok(cuc_context_set_limit(primary, 0, value));
    ck_ok(cuc_context_get_priority_range(&a, &b, primary));
    ck_ok(cuc_context_get_id(&value, primary));
}

static void done(void *user)
{
    *(_Atomic int *)user = 1;
}

static void called(cuc_status status, int32_t code, void *user)
{
    (void)status;
    (void)code;
    *(_Atomic int *)user = 1;
}

static void do_callbacks(void)
{
    static _Atomic int once, twice;

    once = twice = 0;
    ck_ok(cuc_stream_add_callback(stream, called, &once));
    ck_ok(cuc_launch_host(stream, done, &twice));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(once + twice, 2);
}

static void do_failures(void)
{
    cuc_stream *s = NULL;
    uint64_t value;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_stream_create(&s, device, CUC_STREAM_OPTIONS(.flags = 16)), "flags");
    ck_assert_int_lt(cuc_context_get_limit(&value, primary, 99), 0);
    if (!fake_available())
        return;
    fake_fail("cuStreamCreateWithPriority", 1, CUDA_ERROR_OUT_OF_MEMORY);
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_stream_create(&s, device, NULL),
             "cuStreamCreateWithPriority returned 2");
    fake_fail("cuStreamSynchronize", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_synchronize(stream), "cuStreamSynchronize");
    fake_fail("cuEventRecord", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_event_record(stream, event), "cuEventRecord");
    ck_assert_ptr_null(s);
}

static void (*const rows[])(void) = { do_stream,  do_default_streams, do_event,   do_device,
                                      do_context, do_callbacks,       do_failures };

TEST_ROWS(no_call_changes_the_current_context, rows)
{
    CUcontext foreign = make_context(), popped;

    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_event_create(&event, device, NULL));
    rows[_i]();
    ck_assert_ptr_null(testing_current());
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(foreign), 0);
    rows[_i]();
    ck_assert_ptr_eq(testing_current(), foreign);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_assert_ptr_eq(popped, foreign);
    ck_ok(cuc_device_set_current(device, NULL)); // once more, with the call's own context current
    rows[_i]();
    ck_assert_ptr_eq(testing_current(), cuc_context_handle(primary));
    ck_ok(cuc_context_set_current(NULL, NULL));
    cuc_event_release(event);
    cuc_stream_release(stream);
    destroy_context(foreign);
}

TEST(a_context_that_cannot_be_entered_fails_the_call)
{
    cuc_stream *s = NULL;

    NEED_FAKE();
    fake_fail("cuCtxPushCurrent", 1, CUDA_ERROR_INVALID_CONTEXT);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_create(&s, device, NULL), "cuCtxPushCurrent returned 201",
             "making the context of device 0 current");
    ck_assert_ptr_null(s);
    ck_assert_int_eq(fake_calls("cuStreamCreateWithPriority"), 0);
    fake_fail("cuCtxGetCurrent", 1, CUDA_ERROR_UNKNOWN); // the context is pushed anyway
    ck_ok(cuc_stream_create(&s, device, NULL));
    cuc_stream_release(s);
}

TEST(a_context_that_cannot_be_left_fails_the_call_and_undoes_it)
{
    cuc_stream *s = NULL;
    CUcontext popped;

    NEED_FAKE();
    fake_fail("cuCtxPopCurrent", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_create(&s, device, NULL), "cuCtxPopCurrent returned 999",
             "restoring the caller's context; device 0 is current now");
    ck_assert_ptr_null(s);
    ck_assert_int_eq(fake_live("stream"), 0);
    ck_assert_uint_eq(cuc_error_note_count(), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
}

TEST(a_second_failure_is_a_note_on_the_first)
{
    cuc_stream *s = NULL;
    CUcontext popped;

    NEED_FAKE();
    fake_fail("cuStreamCreateWithPriority", 1, CUDA_ERROR_OUT_OF_MEMORY);
    fake_fail("cuCtxPopCurrent", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_stream_create(&s, device, NULL),
             "cuStreamCreateWithPriority returned 2", "Note: ", "cuCtxPopCurrent returned 999");
    ck_assert_uint_eq(cuc_error_note_count(), 1);
    ck_assert_ptr_nonnull(strstr(cuc_error_note(0), "device 0 is current now"));
    ck_assert_int_eq(cuc_error_library_code(), CUDA_ERROR_OUT_OF_MEMORY);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
}

TEST(failures_of_a_release_go_to_the_failure_handler)
{
    cuc_stream *s = NULL;
    cuc_event *e = NULL;

    NEED_FAKE();
    ck_ok(cuc_stream_create(&s, device, NULL));
    ck_ok(cuc_event_create(&e, device, NULL));
    CUstream leaked = cuc_stream_handle(s);
    CUevent leaked_event = cuc_event_handle(e);
    fake_fail("cuStreamDestroy", 1, CUDA_ERROR_UNKNOWN);
    cuc_stream_release(s);
    ck_assert_int_eq(failures.count, 1);
    ck_assert_ptr_nonnull(strstr(failures.last, "cuStreamDestroy("));
    ck_assert_ptr_nonnull(strstr(failures.last, "returned 999, CUDA_ERROR_UNKNOWN"));
    fake_fail("cuEventDestroy", 1, CUDA_ERROR_INVALID_HANDLE);
    cuc_event_release(e);
    ck_assert_int_eq(failures.count, 2);
    ck_assert_ptr_nonnull(strstr(failures.last, "cuEventDestroy("));
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
    // When the process ends, the driver may already be gone, which is not a failure.
    ck_ok(cuc_stream_create(&s, device, NULL));
    CUstream last = cuc_stream_handle(s);
    fake_fail("cuStreamDestroy", 1, CUDA_ERROR_DEINITIALIZED);
    cuc_stream_release(s);
    ck_assert_int_eq(failures.count, 2);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(leaked), 0);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(last), 0);
    ck_assert_int_eq(cuc__cu.cuEventDestroy(leaked_event), 0);
}

TEST(every_call_in_a_lost_context_reports_the_cause)
{
    cuc_stream *s = NULL, *fine = NULL;
    cuc_event *e = NULL;
    cuc_context *c = NULL;
    CUcontext foreign;
    uint64_t value = 42;
    int32_t fd = 42;

    NEED_FAKE();
    foreign = make_context();
    ck_ok(cuc_context_from_handle(&c, foreign));
    ck_ok(cuc_context_stream_create(&s, c, NULL));
    ck_ok(cuc_stream_wait_stream(s, s));
    ck_ok(cuc_context_event_create(&e, c, NULL));
    ck_ok(cuc_event_record(s, e));
    ck_assert_int_eq(cuc_context_is_lost(c), 0);
    fake_poison(foreign, CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_eq(cuc_context_is_lost(c), 0); // nobody has asked the driver yet

    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(s), "CUDA_ERROR_ILLEGAL_ADDRESS",
             "first seen by cuc_stream_synchronize", "returned 700, CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_int_eq(cuc_error_library_code(), 700);
    ck_assert_int_eq(cuc_context_is_lost(c), 700);
    // The first failure is reported, whatever the driver returns later.
    fake_fail("cuEventQuery", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_event_query(e), "CUDA_ERROR_ILLEGAL_ADDRESS",
             "first seen by cuc_stream_synchronize", "asking whether an event is complete");
    ck_assert_int_eq(cuc_error_library_code(), 700);
    ck_assert_str_eq(cuc_error_library_call(), "cuStreamIsCapturing");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_event_record(s, e), "first seen by cuc_stream_synch");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_event_synchronize(e), "first seen by cuc_stream_synch");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_event_get_fd(&fd, e), "first seen by cuc_stream_synch");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_wait_event(s, e), "first seen by cuc_stream_synch");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_context_synchronize(c), "first seen by cuc_stream_synch");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_context_get_limit(&value, c, 0),
             "first seen by cuc_stream_synch");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_context_stream_create(&fine, c, NULL),
             "first seen by cuc_stream_synch");
    ck_assert_ptr_null(fine);
    ck_assert_int_eq(fd, 42);
    ck_assert_uint_eq(value, 42);

    ck_ok(cuc_stream_create(&fine, device, NULL)); // the device has a context of its own
    ck_ok(cuc_stream_synchronize(fine));
    ck_assert_int_eq(cuc_context_is_lost(primary), 0);
    cuc_stream_release(fine);
    cuc_event_release(e);
    cuc_stream_release(s);
    ck_assert_int_eq(failures.count, 0); // everything was already reported
    cuc_context_release(c);
    ck_assert_ptr_null(testing_current());
    destroy_context(foreign);
}

TEST(a_release_that_finds_the_context_lost_calls_the_failure_handler_once)
{
    cuc_stream *s = NULL, *t = NULL;

    NEED_FAKE();
    ck_ok(cuc_stream_create(&s, device, NULL));
    ck_ok(cuc_stream_create(&t, device, NULL));
    fake_poison(cuc_context_handle(primary), CUDA_ERROR_ILLEGAL_ADDRESS);
    cuc_stream_release(s);
    ck_assert_int_eq(failures.count, 1);
    ck_assert_ptr_nonnull(strstr(failures.last, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    ck_assert_int_eq(cuc_context_is_lost(primary), 700);
    cuc_stream_release(t);
    ck_assert_int_eq(failures.count, 1);
    fake_reset(); // the streams were destroyed with their context
}

int main(void)
{
    return run_device_tests("context");
}
