// Tests reference counts, and the table of live handles that CUCORE_CHECK_HANDLES=1 keeps.
#include "base/array.h"
#include "base/handle.h"
#include "launch_ptx.h"
#include "testing.h"

struct thing {
    cuc__handle head;
    int value;
};

static struct testing_failures failures;

static void check_handles(void)
{
    setenv("CUCORE_CHECK_HANDLES", "1", 1); // read when the process makes its first handle
    cuc_set_failure_handler(testing_failed, &failures);
}

static struct thing *make(uint32_t kind)
{
    struct thing *t = calloc(1, sizeof(*t));

    cuc__handle_init(t, kind);
    return t;
}

static cuc_status use(struct thing *thing)
{
    CUC_CHECK(thing, STREAM);
    return CUC_OK;
}

TEST(only_the_last_drop_returns_true)
{
    struct thing *t = make(CUC__HANDLE_STREAM);

    ck_assert_ptr_eq(cuc__handle_retain(t), t);
    ck_assert_ptr_null(cuc__handle_retain(NULL));
    ck_assert(!cuc__handle_drop(NULL, CUC__HANDLE_STREAM));
    ck_assert(!cuc__handle_drop(t, CUC__HANDLE_STREAM));
    ck_assert(cuc__handle_drop(t, CUC__HANDLE_STREAM));
    cuc__handle_free(t);
}

TEST(a_shared_drop_never_takes_the_last_reference)
{
    struct thing *t = make(CUC__HANDLE_STREAM);

    cuc__handle_retain(t);
    cuc__handle_drop_shared(t);
    ck_assert_uint_eq(atomic_load(&t->head.refs), 1);
    cuc__handle_drop_shared(t);
    ck_assert_uint_eq(atomic_load(&t->head.refs), 1);
    ck_assert(cuc__handle_drop(t, CUC__HANDLE_STREAM));
    cuc__handle_free(t);
}

TEST(without_checks_only_null_is_refused)
{
    struct thing *t = make(CUC__HANDLE_EVENT), *null = NULL;

    ck_assert_int_eq(use(t), CUC_OK);
    ck_assert_int_eq(use(null), CUC_ERROR_INVALID_ARGUMENT);
    ck_assert_str_eq(cuc_error_message(), "use: thing is NULL, expected a cuc_stream");
    ck_assert(cuc__handle_drop(t, CUC__HANDLE_EVENT));
    cuc__handle_free(t);
}

TEST(with_checks_each_kind_of_misuse_is_distinguished)
{
    struct thing *stream, *event, *null = NULL;
    int other;

    check_handles();
    stream = make(CUC__HANDLE_STREAM);
    event = make(CUC__HANDLE_EVENT);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_STREAM), 1);
    ck_assert_int_eq(use(stream), CUC_OK);
    ck_assert_int_eq(use(null), CUC_ERROR_INVALID_ARGUMENT);

    ck_assert_int_eq(use(event), CUC_ERROR_INVALID_HANDLE);
    ck_assert_ptr_nonnull(
        strstr(cuc_error_message(), "is not a live cuc_stream: it is a cuc_event"));
    ck_assert_int_eq(use((struct thing *)(void *)&other), CUC_ERROR_INVALID_HANDLE);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "never made by cucore"));

    ck_assert(cuc__handle_drop(stream, CUC__HANDLE_STREAM));
    cuc__handle_free(stream); // its memory is kept, so that the address is not reused
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_STREAM), 0);
    ck_assert_int_eq(use(stream), CUC_ERROR_INVALID_HANDLE);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "released already"));

    ck_assert_int_eq(failures.count, 0);
    ck_assert(!cuc__handle_drop(stream, CUC__HANDLE_STREAM));
    ck_assert_int_eq(failures.count, 1);
    ck_assert_ptr_nonnull(strstr(failures.last, "cuc_stream_release"));
    ck_assert_ptr_nonnull(strstr(failures.last, "released twice"));
    ck_assert(!cuc__handle_drop(event, CUC__HANDLE_STREAM)); // a handle of another kind is not
                                                             // dropped
    ck_assert_int_eq(failures.count, 2);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_EVENT), 1);
    ck_assert(cuc__handle_drop(event, CUC__HANDLE_EVENT));
    free(stream);
    free(event);
}

TEST(the_table_of_handles_grows)
{
    enum { MANY = 5000 };
    static struct thing *things[MANY];

    check_handles();
    for (int i = 0; i < MANY; i++)
        things[i] = make(i % 2 ? CUC__HANDLE_STREAM : CUC__HANDLE_EVENT);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_STREAM), MANY / 2);
    for (int i = 0; i < MANY; i++)
        ck_assert_int_eq(use(things[i]), i % 2 ? CUC_OK : CUC_ERROR_INVALID_HANDLE);
    for (int i = 1; i < MANY; i += 2)
        ck_assert(cuc__handle_drop(things[i], CUC__HANDLE_STREAM));
    for (int i = 1; i < MANY; i += 2)
        ck_assert_int_eq(use(things[i]), CUC_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_EVENT), MANY / 2);
    for (int i = 0; i < MANY; i++)
        free(things[i]);
}

TEST_RANGE(an_empty_or_zero_variable_switches_no_checks_on, 0, 2)
{
    setenv("CUCORE_CHECK_HANDLES", _i ? "0" : "", 1);
    struct thing *t = make(CUC__HANDLE_STREAM);
    ck_assert(!cuc__handle_checks());
    ck_assert(cuc__handle_drop(t, CUC__HANDLE_STREAM));
    cuc__handle_free(t);
}

// Does the same through public functions. Released objects stay allocated, which is no leak here.
TEST(public_calls_refuse_released_and_mistaken_handles)
{
    cuc_device *device;
    cuc_stream *stream, *kept;
    cuc_event *event;
    cuc_context *context;
    uint64_t id = 77;

    NEED_FAKE();
    check_handles();
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_event_create(&event, device, NULL));
    ck_ok(cuc_stream_get_default(&kept, device, CUC_STREAM_LEGACY));
    ck_ok(cuc_event_record(stream, event));

    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_stream_query((cuc_stream *)(void *)event),
             "is not a live cuc_stream: it is a cuc_event");
    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_event_record(stream, (cuc_event *)(void *)stream),
             "event (", "is not a live cuc_event: it is a cuc_stream");
    ck_fails(CUC_ERROR_INVALID_HANDLE,
             cuc_stream_create(&stream, (cuc_device *)(void *)stream, NULL), "cuc_device");

    cuc_stream_release(kept); // a default stream is never destroyed
    cuc_stream_release(kept);
    ck_assert_int_eq(failures.count, 0);
    ck_ok(cuc_stream_query(kept));

    cuc_stream_release(stream);
    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_stream_query(stream), "stream (", "released already");
    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_stream_get_id(&id, stream), "released already");
    ck_assert_uint_eq(id, 77);
    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_event_record(stream, event), "stream (");
    cuc_stream_release(stream);
    ck_assert_int_eq(failures.count, 1);
    ck_assert_ptr_nonnull(strstr(failures.last, "cuc_stream_release"));
    cuc_event_release(event);
    cuc_event_release(event);
    ck_assert_int_eq(failures.count, 2);
    ck_assert_ptr_nonnull(strstr(failures.last, "cuc_event_release"));
    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_event_query(event), "released already");

    CUcontext foreign;
    ck_assert_int_eq(cuc__cu.cuCtxCreate(&foreign, NULL, 0, 0), 0);
    ck_ok(cuc_context_from_handle(&context, foreign));
    cuc_context_release(context);
    cuc_context_release(context);
    ck_assert_int_eq(failures.count, 3);
    ck_assert_ptr_nonnull(strstr(failures.last, "cuc_context_release"));
    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_context_synchronize(context), "released already");
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(foreign), 0);
    ck_assert_int_eq(fake_live_total(), 0);
}

// Runs with CUCORE_CHECK_HANDLES=1, without it, and with it on a device that can access all host
// memory.
TEST_RANGE(a_pointer_that_is_not_a_device_address_is_refused_by_its_number, 0, 3)
{
    cuc_device *device;
    cuc_stream *stream;
    cuc_object *object;
    cuc_kernel *three;
    cuc_buffer *buffer;
    static float global[4];
    float stack[4] = { 0 }, *heap = calloc(4, sizeof(*heap));
    const cuc_launch_config *shape = CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 });
    void *wrong[] = { stack, heap, global, (void *)(uintptr_t)0x1234 };
    int *typed = (void *)stack;
    const struct thing *opaque = (void *)heap;

    NEED_FAKE();
    const bool checks = _i != 1, reaches = _i == 2, refused = checks && !reaches;
    if (checks)
        check_handles();
    fake_set_attribute(0, CUC_DEVICE_PAGEABLE_MEMORY_ACCESS, reaches);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&three, object, "three"));
    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 256));
    for (size_t i = 0; i < CUC_LENGTH(wrong); i++) {
        if (!refused)
            ck_ok(CUC_LAUNCH(stream, shape, three, 1.0F, wrong[i], 4));
        else
            ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                     CUC_LAUNCH(stream, shape, three, 1.0F, wrong[i], 4), "three: argument 1: 0x",
                     "is not a device address", "Pass a cuc_buffer");
    }
    // A pointer of any type is checked like a void pointer.
    const cuc_arg told[] = { CUC_ARG(typed), CUC_ARG(opaque), CUC_ARG(&global[1]), CUC_ARG(heap) };
    for (size_t i = 0; i < CUC_LENGTH(told); i++) {
        if (!refused)
            ck_ok(CUC_LAUNCH(stream, shape, three, 1.0F, told[i], 4));
        else
            ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, shape, three, 1.0F, told[i], 4),
                     "three: argument 1: 0x", "is not a device address");
    }
    int launched = fake_launch_count();
    void *first = (void *)(uintptr_t)cuc_buffer_ptr(buffer), *end = (char *)first + 256;
    void *nothing = NULL;
    ck_ok(CUC_LAUNCH(stream, shape, three, 1.0F, first, 4));
    ck_ok(CUC_LAUNCH(stream, shape, three, 1.0F, end, 4)); // end of the array: valid
    ck_ok(CUC_LAUNCH(stream, shape, three, 1.0F, nothing, 4));
    ck_ok(CUC_LAUNCH(stream, shape, three, 1.0F, buffer, 4));
    ck_ok(CUC_LAUNCH(stream, shape, three, 1.0F, (uint64_t)(uintptr_t)stack, 4)); // not checked
    ck_assert_int_eq(fake_launch_count(), launched + 5);
    ck_assert_int_eq(launched, refused ? 0 : 8);
    cuc_buffer_release(buffer);
    cuc_kernel_release(three);
    cuc_object_release(object);
    cuc_stream_release(stream);
    free(heap);
}

int main(void)
{
    return run_tests("handle");
}
