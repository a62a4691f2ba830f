// Tests streams: creation, wrapping, order between them, callbacks, and waits for words in memory.
#include "base/array.h"
#include "device/stream.h"
#include "testing.h"

#include <pthread.h>

static cuc_device *device, *other;
static cuc_context *primary;
static cuc_stream *a, *b;
static struct testing_failures failures;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    memset(&failures, 0, sizeof(failures));
    cuc_set_failure_handler(testing_failed, &failures);
    testing_devices(&device, &primary, &other);
    ck_ok(cuc_stream_create(&a, device, NULL));
    ck_ok(cuc_stream_create(&b, device, NULL));
}

static void teardown(void)
{
    cuc_stream_release(a);
    cuc_stream_release(b);
    ck_assert_ptr_null(testing_current());
    ck_assert_int_eq(failures.count, 0);
    cuc_set_failure_handler(NULL, NULL);
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

// Host functions record the order in which they run.
static _Atomic int order_at, order_of[8];

static void note(void *user)
{
    order_of[order_at] = (int)(intptr_t)user; // only one stream at a time gets here
    order_at++;
}

static void queue_note(cuc_stream *stream, int number)
{
    ck_ok(cuc_launch_host(stream, note, (void *)(intptr_t)number));
}

static void wait_for_go(void *user)
{
    while (!*(_Atomic int *)user)
        testing_sleep_ms(1);
}

CASE("stream", .setup = setup, .teardown = teardown);

TEST(a_stream_is_made_as_its_options_say)
{
    cuc_stream *s = NULL;
    int32_t priority = 42, least, greatest;
    uint32_t flags = 42;

    ck_assert_ptr_eq(cuc_stream_device(a), device);
    ck_assert_ptr_eq(cuc_stream_context(a), primary);
    ck_assert_ptr_nonnull(cuc_stream_handle(a));
    ck_ok(cuc_stream_get_priority(&priority, a));
    ck_assert_int_eq(priority, 0);
    ck_ok(cuc_stream_get_flags(&flags, a));
    ck_assert_uint_eq(flags, 0);

    ck_ok(cuc_context_get_priority_range(&least, &greatest, primary));
    ck_ok(cuc_stream_create(
        &s, device, CUC_STREAM_OPTIONS(.priority = greatest, .flags = CUC_STREAM_SYNC_LEGACY)));
    ck_ok(cuc_stream_get_priority(&priority, s));
    ck_assert_int_eq(priority, greatest);
    ck_ok(cuc_stream_get_flags(&flags, s));
    ck_assert_uint_eq(flags, CUC_STREAM_SYNC_LEGACY);
    cuc_stream_release(s);
    ck_ok(cuc_stream_create(&s, device, CUC_STREAM_OPTIONS(.priority = -1000)));
    ck_ok(cuc_stream_get_priority(&priority, s));
    ck_assert_int_eq(priority, greatest); // clamped
    cuc_stream_release(s);
}

TEST(options_that_are_not_known_are_refused)
{
    cuc_stream_options o = CUC_STREAM_OPTIONS_INIT;
    cuc_stream *s = NULL;

    o.flags = 6;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_create(&s, device, &o), "flags is 0x6",
             "CUC_STREAM_SYNC_LEGACY (0x1)");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_stream_create(&s, primary, &o),
             "flags is 0x6");
    o.struct_size = 1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_create(&s, device, &o), "struct_size is 1",
             "sizeof(cuc_stream_options)");
    ck_assert_ptr_null(s);
}

TEST(every_stream_has_a_number_of_its_own)
{
    uint64_t first = 0, second = 0;

    ck_ok(cuc_stream_get_id(&first, a));
    ck_ok(cuc_stream_get_id(&second, b));
    ck_assert_uint_ne(first, second);
}

TEST(a_stream_is_not_ready_until_its_work_is_done)
{
    _Atomic int go = 0;

    ck_assert_int_eq(cuc_stream_query(a), CUC_OK);
    ck_ok(cuc_launch_host(a, wait_for_go, &go));
    ck_assert_int_eq(cuc_stream_query(a), CUC_NOT_READY);
    ck_assert_int_eq(cuc_stream_query(b), CUC_OK);
    go = 1;
    ck_ok(cuc_stream_synchronize(a));
    ck_assert_int_eq(cuc_stream_query(a), CUC_OK);
}

TEST(work_after_a_wait_for_an_event_comes_after_the_event)
{
    cuc_event *event;
    _Atomic int go = 0;

    order_at = 0;
    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_stream_wait_event(b, event)); // the event was never recorded, so there is no wait
    ck_ok(cuc_launch_host(a, wait_for_go, &go));
    queue_note(a, 1);
    ck_ok(cuc_event_record(a, event));
    ck_ok(cuc_stream_wait_event(b, event));
    queue_note(b, 2);
    testing_sleep_ms(20);
    ck_assert_int_eq(order_at, 0);
    ck_assert_int_eq(cuc_stream_query(b), CUC_NOT_READY);
    go = 1;
    ck_ok(cuc_stream_synchronize(b));
    ck_assert_int_eq(order_at, 2);
    ck_assert_int_eq(order_of[0], 1);
    ck_assert_int_eq(order_of[1], 2);
    cuc_event_release(event);
}

TEST(work_after_a_wait_for_a_stream_comes_after_its_work)
{
    for (int round = 0; round < 3; round++) {
        _Atomic int go = 0;

        order_at = 0;
        ck_ok(cuc_launch_host(a, wait_for_go, &go));
        queue_note(a, 1);
        ck_ok(cuc_stream_wait_stream(b, a));
        queue_note(b, 2);
        testing_sleep_ms(5);
        ck_assert_int_eq(order_at, 0);
        go = 1;
        ck_ok(cuc_stream_synchronize(b));
        ck_assert_int_eq(order_of[0], 1);
        ck_assert_int_eq(order_of[1], 2);
    }
    if (fake_available())
        ck_assert_int_eq(fake_calls("cuEventCreate"), 1); // all rounds share one marker event
}

TEST(a_stream_that_waits_for_itself_does_nothing)
{
    if (fake_available())
        fake_calls_reset();
    ck_ok(cuc_stream_wait_stream(a, a));
    if (fake_available())
        ck_assert_int_eq(fake_calls_total(), 0);
}

TEST(streams_of_two_devices_wait_for_each_other)
{
    cuc_stream *far;
    _Atomic int go = 0;

    if (!other)
        SKIP("it needs two devices");
    ck_ok(cuc_stream_create(&far, other, NULL));
    order_at = 0;
    ck_ok(cuc_launch_host(far, wait_for_go, &go));
    queue_note(far, 1);
    ck_ok(cuc_stream_wait_stream(a, far));
    queue_note(a, 2);
    testing_sleep_ms(5);
    ck_assert_int_eq(order_at, 0);
    go = 1;
    ck_ok(cuc_stream_synchronize(a));
    ck_assert_int_eq(order_of[0], 1);
    ck_assert_int_eq(order_of[1], 2);
    cuc_stream_release(far);
}

TEST(a_wait_that_fails_says_which_part_failed)
{
    static const char *const calls[] = { "cuEventCreate", "cuEventRecord", "cuStreamWaitEvent" };

    NEED_FAKE();
    for (int i = 0; i < CUC_LENGTH(calls); i++) {
        fake_fail(calls[i], 1, CUDA_ERROR_OUT_OF_MEMORY);
        ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_stream_wait_stream(b, a), calls[i]);
    }
    ck_ok(cuc_stream_wait_stream(b, a));
    ck_assert_int_eq(fake_live("event"), 1);
}

static int dropped;

static void drop(void *owner)
{
    ck_assert_ptr_eq(owner, &dropped);
    dropped++;
}

TEST(a_foreign_stream_is_borrowed_and_its_owner_dropped_once)
{
    cuc_stream *wrapped = NULL;
    CUstream foreign;
    CUcontext popped;

    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(primary)), 0);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    dropped = 0;
    ck_ok(cuc_stream_from_handle(&wrapped, foreign, &dropped, drop));
    ck_assert_ptr_eq(cuc_stream_handle(wrapped), foreign);
    ck_assert_ptr_eq(cuc_stream_context(wrapped), primary);
    ck_ok(cuc_stream_wait_stream(a, wrapped));
    ck_ok(cuc_stream_synchronize(wrapped));
    ck_assert_ptr_eq(cuc_stream_retain(wrapped), wrapped);
    cuc_stream_release(wrapped);
    ck_assert_int_eq(dropped, 0);
    cuc_stream_release(wrapped);
    ck_assert_int_eq(dropped, 1);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(foreign), 0); // the wrapper did not destroy it
}

TEST(a_foreign_stream_knows_its_foreign_context)
{
    CUcontext context, popped;
    CUstream foreign;
    cuc_stream *wrapped = NULL;
    CUctxCreateParams params = { 0 };

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&context, &params, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_ok(cuc_stream_from_handle(&wrapped, foreign, NULL, NULL));
    ck_assert_ptr_eq(cuc_context_handle(cuc_stream_context(wrapped)), context);
    ck_assert_int_eq(cuc_context_is_primary(cuc_stream_context(wrapped)), 0);
    cuc_stream_release(wrapped);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(foreign), 0);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(context), 0);
}

TEST(a_handle_that_is_not_a_stream_is_refused_and_its_owner_kept)
{
    cuc_stream *none = NULL;
    CUstream gone;
    CUcontext popped;

    NEED_FAKE();
    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(primary)), 0);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&gone, 0), 0);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(gone), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    dropped = 0;
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_from_handle(&none, gone, &dropped, drop),
             "is not a live CUstream", "CUDA_ERROR_INVALID_HANDLE");
    ck_assert_ptr_null(none);
    ck_assert_int_eq(dropped, 0);
}

TEST_RANGE(default_streams_are_kept_by_their_context, 0, 2)
{
    cuc_stream *stream = NULL, *again = NULL;
    int32_t which = _i;
    uint64_t id = 0;
    uint32_t flags = 42;

    ck_ok(cuc_stream_get_default(&stream, device, which));
    ck_ok(cuc_stream_get_default(&again, device, which));
    ck_assert_ptr_eq(stream, again);
    ck_assert_ptr_eq(cuc_stream_handle(stream),
                     which == CUC_STREAM_LEGACY ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD);
    ck_assert_ptr_eq(cuc_stream_device(stream), device);
    for (int i = 0; i < 3; i++)
        cuc_stream_release(stream); // does nothing
    ck_ok(cuc_stream_get_id(&id, stream));
    ck_ok(cuc_stream_get_flags(&flags, stream));
    ck_ok(cuc_stream_query(stream));
    order_at = 0;
    queue_note(stream, 7);
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(order_of[0], 7);
    ck_ok(cuc_stream_wait_stream(a, stream));
    ck_ok(cuc_stream_wait_stream(stream, a));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_stream_get_default(&again, device, !which));
    ck_assert_ptr_ne(stream, again);
    cuc_stream_release(a);
    cuc_stream_release(b);
    a = b = NULL;
    if (fake_available())
        fake_reset(); // a default stream keeps its marker event
}

TEST(a_default_stream_that_does_not_exist_is_refused)
{
    cuc_stream *none = NULL;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_get_default(&none, device, 2), "which is 2",
             "CUC_STREAM_PER_THREAD (1)");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_get_default(NULL, device, 0), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_get_default(&none, NULL, 0), "device is NULL");
    ck_assert_ptr_null(none);
}

static void *const default_handles[] = { NULL, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD };

TEST_ROWS(a_default_handle_means_the_current_contexts_stream, default_handles)
{
    cuc_stream *wrapped = NULL;
    uint64_t id;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_stream_from_handle(&wrapped, default_handles[_i], NULL, NULL),
             "is a default stream", "no context is current", "cuc_device_set_current()");
    ck_assert_ptr_null(wrapped);
    ck_ok(cuc_device_set_current(device, NULL));
    ck_ok(cuc_stream_from_handle(&wrapped, default_handles[_i], NULL, NULL));
    ck_ok(cuc_context_set_current(NULL, NULL));
    ck_assert_ptr_eq(cuc_stream_context(wrapped), primary);
    ck_assert_ptr_eq(cuc_stream_handle(wrapped), _i ? default_handles[_i] : CU_STREAM_LEGACY);
    ck_ok(cuc_stream_synchronize(wrapped)); // the wrapper still means that context's stream
    ck_ok(cuc_stream_get_id(&id, wrapped));
    cuc_stream_release(wrapped);
}

static struct {
    _Atomic int count;
    cuc_status status;
    int32_t code;
} told;

static void tell(cuc_status status, int32_t code, void *user)
{
    ck_assert_ptr_eq(user, &told);
    told.status = status;
    told.code = code;
    told.count++;
}

TEST(a_callback_is_called_in_stream_order)
{
    _Atomic int go = 0;

    told.count = 0;
    ck_ok(cuc_launch_host(a, wait_for_go, &go));
    ck_ok(cuc_stream_add_callback(a, tell, &told));
    ck_assert_int_eq(told.count, 0);
    go = 1;
    ck_ok(cuc_stream_synchronize(a));
    ck_assert_int_eq(told.count, 1);
    ck_assert_int_eq(told.status, CUC_OK);
    ck_assert_int_eq(told.code, 0);
}

TEST(a_callback_is_called_on_errors_too)
{
    NEED_FAKE();
    told.count = 0;
    fake_hold(cuc_stream_handle(a));
    ck_ok(cuc_stream_add_callback(a, tell, &told));
    fake_poison(cuc_stream_handle(a), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_soon(told.count == 1);
    ck_assert_int_eq(told.status, CUC_ERROR_CONTEXT_LOST);
    ck_assert_int_eq(told.code, CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert_int_lt(cuc_stream_query(a), 0);
    cuc_stream_release(a);
    cuc_stream_release(b);
    a = b = NULL;
    fake_reset();
}

TEST(a_callback_that_cannot_be_queued_is_never_called)
{
    NEED_FAKE();
    told.count = 0;
    fake_fail("cuStreamAddCallback", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_add_callback(a, tell, &told), "cuStreamAddCallback");
    ck_ok(cuc_stream_synchronize(a));
    ck_assert_int_eq(told.count, 0);
    fake_fail("cuLaunchHostFunc", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_launch_host(a, note, NULL), "cuLaunchHostFunc");
}

TEST(calls_that_a_capture_forbids_return_busy)
{
    CUgraph graph = NULL;
    int32_t capturing = 42;

    ck_ok(cuc_stream_is_capturing(&capturing, a));
    ck_assert_int_eq(capturing, 0);
    ck_assert_int_eq(
        cuc__cu.cuStreamBeginCapture(cuc_stream_handle(a), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), 0);
    ck_ok(cuc_stream_is_capturing(&capturing, a));
    ck_assert_int_eq(capturing, 1);
    queue_note(a, 1); // host functions can be captured
    ck_fails(CUC_ERROR_BUSY, cuc_stream_add_callback(a, tell, &told), "is being captured");
    ck_fails(CUC_ERROR_BUSY, cuc_stream_query(a), "is being captured");
    ck_fails(CUC_ERROR_BUSY, cuc_stream_synchronize(a), "is being captured");
    // The capture is unaffected.
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(cuc_stream_handle(a), &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    ck_ok(cuc_stream_synchronize(a));
}

// Words in pinned memory: the host's pointer and the device address.
static volatile uint64_t *words;
static cuc_device_ptr words_at;

static void make_words(void)
{
    void *host = NULL;
    CUcontext popped;

    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(primary)), 0);
    ck_assert_int_eq(cuc__cu.cuMemHostAlloc(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP), 0);
    ck_assert_int_eq(cuc__cu.cuMemHostGetDevicePointer(&words_at, host, 0), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    words = host;
    memset(host, 0, 64);
}

static void free_words(void)
{
    CUcontext popped;

    ck_assert_int_eq(cuc__cu.cuCtxPushCurrent(cuc_context_handle(primary)), 0);
    ck_assert_int_eq(cuc__cu.cuMemFreeHost((void *)(uintptr_t)words), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
}

static const struct {
    uint32_t bytes, compare;
    uint64_t value, not_yet, then;
} waits[] = {
    { 4, CUC_WAIT_EQ, 5, 4, 5 },  { 8, CUC_WAIT_EQ, 1ull << 40, 1, 1ull << 40 },
    { 4, CUC_WAIT_GEQ, 5, 4, 9 }, { 8, CUC_WAIT_GEQ, 5, 4, 1ull << 40 },
    { 4, CUC_WAIT_AND, 6, 9, 2 }, { 4, CUC_WAIT_NOR, 0xFFFFFFF0u, 15, 7 },
};

TEST_ROWS(a_stream_waits_for_a_word_that_another_one_writes, waits)
{
    make_words();
    words[0] = waits[_i].not_yet;
    ck_ok(cuc_stream_wait_value(a, words_at, waits[_i].value, waits[_i].bytes, waits[_i].compare));
    order_at = 0;
    queue_note(a, 1);
    testing_sleep_ms(10);
    ck_assert_int_eq(order_at, 0);
    ck_ok(cuc_stream_write_value(b, words_at, waits[_i].then, waits[_i].bytes,
                                 _i % 2 ? CUC_WRITE_NO_MEMORY_BARRIER : 0));
    ck_ok(cuc_stream_synchronize(a));
    ck_assert_int_eq(order_at, 1);
    ck_assert_uint_eq(words[0], waits[_i].then);
    ck_assert_uint_eq(words[1], 0);
    ck_ok(cuc_stream_synchronize(b));
    free_words();
}

TEST(a_word_that_cannot_be_waited_for_is_refused)
{
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_value(a, 64, 1, 2, 0), "bytes is 2",
             "expected 4 or 8");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_value(a, 66, 1, 4, 0), "address is 0x42",
             "a multiple of 4");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_value(a, 68, 1, 8, 0), "multiple of 8");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_value(a, 0, 1, 8, 0), "address is 0x0");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_value(a, 64, 1, 4, 4), "compare is 0x4");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_write_value(a, 64, 1, 16, 0), "bytes is 16");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_write_value(a, 65, 1, 4, 0), "address is 0x41");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_write_value(a, 64, 1, 4, 2), "flags is 0x2",
             "CUC_WRITE_NO_MEMORY_BARRIER (0x1)");
    if (!fake_available())
        return;
    fake_fail("cuStreamWaitValue64", 1, CUDA_ERROR_NOT_SUPPORTED);
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_stream_wait_value(a, 64, 1, 8, 0), "cuStreamWaitValue64",
             "the 8 bytes at 0x40");
    fake_fail("cuStreamWriteValue32", 1, CUDA_ERROR_NOT_SUPPORTED);
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_stream_write_value(a, 64, 1, 4, 0),
             "cuStreamWriteValue32", "the 4 bytes at 0x40");
}

TEST(a_release_does_not_wait_for_the_work)
{
    _Atomic int go = 0;

    order_at = 0;
    ck_ok(cuc_launch_host(a, wait_for_go, &go));
    queue_note(a, 3);
    cuc_stream_release(a);
    a = NULL;
    ck_assert_int_eq(order_at, 0);
    go = 1;
    ck_soon(order_at == 1); // the work still finishes
    ck_assert_int_eq(order_of[0], 3);
}

// Tests every call that queries the driver once: it reports the failure and writes nothing.
TEST(a_call_that_the_driver_refuses_writes_nothing)
{
    static const char *const calls[] = { "cuStreamGetPriority", "cuStreamGetFlags", "cuStreamGetId",
                                         "cuStreamIsCapturing" };
    int32_t number = 42;
    uint32_t flags = 42;
    uint64_t id = 42;

    NEED_FAKE();
    for (int i = 0; i < CUC_LENGTH(calls); i++)
        fake_fail(calls[i], 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_get_priority(&number, a), calls[0]);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_get_flags(&flags, a), calls[1]);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_get_id(&id, a), calls[2]);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_is_capturing(&number, a), calls[3]);
    ck_assert_int_eq(number, 42);
    ck_assert_uint_eq(flags, 42);
    ck_assert_uint_eq(id, 42);
    fake_fail("cuStreamQuery", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_query(a), "cuStreamQuery");
    fake_fail("cuStreamSynchronize", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_stream_synchronize(a), "cuStreamSynchronize");
}

TEST(attributes_are_copied_from_another_stream)
{
    const CUstreamAttrID policy = CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY;
    CUstreamAttrValue given = { .syncPolicy = 3 }, got = { .syncPolicy = 0 };
    cuc_stream *far = NULL;

    ck_assert_int_eq(cuc__cu.cuStreamSetAttribute(cuc_stream_handle(a), policy, &given), 0);
    ck_ok(cuc_stream_copy_attributes(b, a));
    ck_assert_int_eq(cuc__cu.cuStreamGetAttribute(cuc_stream_handle(b), policy, &got), 0);
    ck_assert_int_eq((int)got.syncPolicy, (int)given.syncPolicy);
    ck_ok(cuc_stream_copy_attributes(a, a));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_copy_attributes(NULL, a), "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_copy_attributes(a, NULL), "from is NULL");
    if (other) {
        ck_ok(cuc_stream_create(&far, other, NULL));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_copy_attributes(a, far),
                 "the stream is of device 0", "the other one of device 1");
        cuc_stream_release(far);
    }
    if (fake_available()) {
        fake_fail("cuStreamCopyAttributes", 1, CUDA_ERROR_INVALID_VALUE);
        ck_fails(CUC_ERROR_DRIVER, cuc_stream_copy_attributes(b, a),
                 "copying a stream's attributes");
    }
}

TEST(null_arguments_are_named)
{
    cuc_stream *none = NULL;
    int32_t number = 42;
    uint64_t id = 42;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_create(NULL, device, NULL), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_create(&none, NULL, NULL),
             "device is NULL, expected a cuc_device");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_stream_create(NULL, primary, NULL),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_context_stream_create(&none, NULL, NULL),
             "context is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_from_handle(NULL, NULL, NULL, NULL),
             "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_query(NULL),
             "stream is NULL, expected a cuc_stream");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_synchronize(NULL), "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_get_id(NULL, a), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_get_id(&id, NULL), "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_get_priority(NULL, a), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_get_flags(NULL, a), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_is_capturing(NULL, a), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_event(a, NULL),
             "event is NULL, expected a cuc_event");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_stream(a, NULL), "other is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_stream(NULL, a), "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_add_callback(a, NULL, NULL),
             "callback is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_wait_value(NULL, 64, 1, 4, 0),
             "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_stream_write_value(NULL, 64, 1, 4, 0),
             "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_host(NULL, note, NULL), "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch_host(a, NULL, NULL), "fn is NULL");
    ck_assert_ptr_null(none);
    ck_assert_int_eq(number, 42);
    ck_assert_uint_eq(id, 42);
    ck_assert_ptr_null(cuc_stream_handle(NULL));
    ck_assert_ptr_null(cuc_stream_device(NULL));
    ck_assert_ptr_null(cuc_stream_context(NULL));
    ck_assert_ptr_null(cuc_stream_retain(NULL));
    cuc_stream_release(NULL);
}

int main(void)
{
    return run_device_tests("stream");
}
