// Tests many threads: each with its own objects, and all with one object where that is allowed.
// Also meant for the thread sanitizer.
#include "launch_ptx.h"
#include "testing.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

enum { THREADS = 8, ROUNDS = 25 };

static cuc_device *device;
static cuc_context *primary;
static cuc_object *object;
static cuc_kernel *kernel;
static cuc_stream *shared;
static cuc_buffer *buffer;
static struct testing_failures failures;

#define SHAPE CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 32 })

static void setup(void)
{
    if (fake_available())
        fake_reset();
    cuc_set_failure_handler(testing_failed, &failures);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get_context(&primary, device));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&kernel, object, "three"));
    ck_ok(cuc_stream_create(&shared, device, NULL));
    ck_ok(cuc_buffer_create(&buffer, shared, NULL, 4096));
    ck_ok(cuc_stream_synchronize(shared));
}

static void teardown(void)
{
    cuc_buffer_release(buffer);
    cuc_stream_release(shared);
    cuc_kernel_release(kernel);
    cuc_object_release(object);
    ck_assert_int_eq(failures.count, 0);
    cuc_set_failure_handler(NULL, NULL);
}

// A thread's work; returns NULL, or the error.
typedef const char *(*work_fn)(int number);

struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    work_fn fn;
    int number;
    const char *wrong;
    char error[512];
};

static void *work(void *data)
{
    struct worker *w = data;

    pthread_barrier_wait(w->start);
    w->wrong = w->fn(w->number);
    if (w->wrong)
        snprintf(w->error, sizeof(w->error), "%s", cuc_error_message());
    return NULL;
}

static void together(work_fn fn)
{
    static struct worker workers[THREADS];
    pthread_barrier_t start;

    ck_assert_int_eq(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .start = &start, .fn = fn, .number = i };
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_join(workers[i].thread, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        ck_assert_msg(!workers[i].wrong, "thread %d: %s: %s", i, workers[i].wrong,
                      workers[i].error);
    pthread_barrier_destroy(&start);
}

#define TRY(call)             \
    do {                      \
        if ((call) != CUC_OK) \
            return #call;     \
    } while (0)

#define EXPECT(condition)      \
    do {                       \
        if (!(condition))      \
            return #condition; \
    } while (0)

static const char *own_objects(int number)
{
    char data[64], back[64];

    memset(data, number, sizeof(data));
    for (int i = 0; i < ROUNDS; i++) {
        cuc_stream *stream = NULL, *second = NULL;
        cuc_event *event = NULL;
        cuc_buffer *own = NULL;
        cuc_object *code = NULL;
        cuc_kernel *k = NULL;

        TRY(cuc_stream_create(&stream, device, NULL));
        TRY(cuc_stream_create(&second, device, NULL));
        TRY(cuc_event_create(&event, device, NULL));
        TRY(cuc_buffer_create(&own, stream, NULL, sizeof(data)));
        TRY(cuc_object_create(&code, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
        TRY(cuc_object_get_kernel(&k, code, "one"));
        TRY(cuc_buffer_write_async(stream, own, 0, data, sizeof(data)));
        TRY(CUC_LAUNCH(stream, SHAPE, k, own));
        TRY(cuc_event_record(stream, event));
        TRY(cuc_stream_wait_event(second, event));
        TRY(cuc_stream_wait_stream(second, stream));
        TRY(cuc_buffer_read_async(second, back, own, 0, sizeof(back)));
        TRY(cuc_stream_synchronize(second));
        EXPECT(memcmp(data, back, sizeof(data)) == 0);
        cuc_object_release(code);
        cuc_stream_release(stream);
        cuc_buffer_release(own);
        cuc_event_release(event);
        cuc_kernel_release(k);
        cuc_stream_release(second);
    }
    EXPECT(testing_current() == NULL);
    return NULL;
}

CASE("threads", .setup = setup, .teardown = teardown, .timeout = 60);

TEST(threads_work_on_objects_of_their_own)
{
    together(own_objects);
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 3); // the fixture's objects
}

static const char *one_kernel(int number)
{
    cuc_stream *stream = NULL;

    TRY(cuc_stream_create(&stream, device, NULL));
    for (int i = 0; i < ROUNDS; i++) { // the first launch reads the kernel's limits
        TRY(CUC_LAUNCH(stream, SHAPE, kernel, 1.0f, buffer, number));
        TRY(CUC_LAUNCH(stream,
                       CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 100000),
                       kernel, 1.0f, buffer, number));
    }
    TRY(cuc_stream_synchronize(stream));
    cuc_stream_release(stream);
    return NULL;
}

TEST(threads_launch_one_kernel_on_streams_of_their_own)
{
    together(one_kernel);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), THREADS * ROUNDS * 2);
}

static const char *same_names(int number)
{
    static const char *const names[] = { "none", "one", "three", "many" };

    for (int i = 0; i < ROUNDS; i++) {
        cuc_kernel *k = NULL;
        TRY(cuc_object_get_kernel(&k, object, names[(i + number) % 4]));
        EXPECT(strcmp(cuc_kernel_name(k), names[(i + number) % 4]) == 0);
        cuc_kernel_release(k);
    }
    return NULL;
}

TEST(threads_take_kernels_from_one_object)
{
    together(same_names);
}

static const char *read_all(int number)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    int32_t value;
    uint64_t id;

    (void)number;
    for (int i = 0; i < ROUNDS; i++) {
        cuc_stream *legacy = NULL, *again = NULL;
        cuc_device *current = NULL;
        cuc_context *context = NULL;
        TRY(cuc_device_get_properties(&p, device));
        TRY(cuc_device_get_attribute(&value, device, 1));
        TRY(cuc_stream_get_id(&id, shared));
        TRY(cuc_stream_get_priority(&value, shared));
        TRY(cuc_stream_get_default(&legacy, device, i % 2)); // the first call makes it
        TRY(cuc_stream_get_default(&again, device, i % 2));
        EXPECT(legacy == again);
        cuc_stream_release(legacy);
        TRY(cuc_device_get_current(&current));
        TRY(cuc_device_get_context(&context, device));
        EXPECT(context == primary);
        EXPECT(cuc_context_is_primary(context));
        EXPECT(cuc_buffer_bytes(buffer) == 4096);
        EXPECT(cuc_stream_query(shared) >= 0);
    }
    return NULL;
}

TEST(threads_read_one_object)
{
    together(read_all);
}

static const char *hold_and_let_go(int number)
{
    (void)number;
    for (int i = 0; i < ROUNDS * 40; i++) {
        cuc_stream_retain(shared);
        cuc_kernel_retain(kernel);
        cuc_buffer_retain(buffer);
        cuc_context_retain(primary);
        cuc_context_release(primary);
        cuc_buffer_release(buffer);
        cuc_kernel_release(kernel);
        cuc_stream_release(shared);
    }
    return NULL;
}

TEST(threads_hold_and_release_one_object)
{
    together(hold_and_let_go);
    ck_ok(cuc_stream_synchronize(shared));
}

static const char *errors(int number)
{
    cuc_device *none = NULL;
    char text[64];

    snprintf(text, sizeof(text), "ordinal is %d,", 1000 + number);
    for (int i = 0; i < ROUNDS * 10; i++) {
        EXPECT(cuc_device_get(&none, 1000 + number) == CUC_ERROR_INVALID_ARGUMENT);
        EXPECT(strstr(cuc_error_message(), text) != NULL);
    }
    return NULL;
}

TEST(each_thread_has_its_own_failures)
{
    together(errors);
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
}

static void *foreign_handle;

static const char *wrap_and_let_go(int number)
{
    (void)number;
    for (int i = 0; i < ROUNDS * 4; i++) {
        cuc_context *context = NULL, *again = NULL;
        TRY(cuc_context_from_handle(&context, foreign_handle));
        TRY(cuc_context_from_handle(&again, foreign_handle));
        EXPECT(context == again);
        EXPECT(cuc_context_handle(context) == foreign_handle);
        cuc_context_release(context);
        cuc_context_release(again);
    }
    return NULL;
}

TEST(threads_wrap_one_foreign_context)
{
    CUcontext made, popped;
    CUctxCreateParams params = { 0 };

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&made, &params, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    foreign_handle = made;
    together(wrap_and_let_go);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(made), 0);
}

static const char *wait_by_descriptor(int number)
{
    cuc_stream *stream = NULL;
    cuc_event *event = NULL;

    TRY(cuc_stream_create(&stream, device, NULL));
    TRY(cuc_event_create(&event, device, NULL));
    for (int i = 0; i < ROUNDS; i++) {
        int32_t fd;
        TRY(CUC_LAUNCH(stream, SHAPE, kernel, 1.0f, buffer, number));
        TRY(cuc_event_record(stream, event));
        TRY(cuc_event_get_fd(&fd, event));
        struct pollfd p = { .fd = fd, .events = POLLIN };
        EXPECT(poll(&p, 1, 10000) == 1);
        close(fd);
        EXPECT(cuc_event_query(event) == CUC_OK);
    }
    cuc_event_release(event);
    cuc_stream_release(stream);
    return NULL;
}

TEST(threads_wait_by_descriptors)
{
    if (fake_available())
        fake_set_async(1);
    together(wait_by_descriptor);
    if (fake_available()) {
        int made = fake_calls("cuStreamCreate");
        ck_assert_int_le(made, THREADS);
        fake_set_async(0);
    }
}

static const char *swap_handlers(int number)
{
    static struct testing_failures nobodys[THREADS];

    for (int i = 0; i < ROUNDS * 4; i++)
        cuc_set_failure_handler(testing_failed, number ? &failures : &nobodys[0]);
    return NULL;
}

TEST(threads_set_the_failure_handler)
{
    together(swap_handlers);
    cuc_set_failure_handler(testing_failed, &failures);
}

// One thread's launch finds the context lost while other threads continue: all report the same
// failure.
static _Atomic int poisoned;

static const char *until_lost(int number)
{
    cuc_stream *stream = NULL;
    cuc_status st = CUC_OK;

    if (cuc_stream_create(&stream, device, NULL) < 0)
        return cuc_error_status() == CUC_ERROR_CONTEXT_LOST ? NULL : "cuc_stream_create";
    for (int i = 0; st == CUC_OK && !(poisoned && i > 1000000); i++) {
        st = CUC_LAUNCH(stream, SHAPE, kernel, 1.0f, buffer, number);
        if (number == 0 && i == 50) {
            fake_poison(cuc_context_handle(primary), CUDA_ERROR_ILLEGAL_ADDRESS);
            poisoned = 1;
        }
    }
    EXPECT(st == CUC_ERROR_CONTEXT_LOST);
    EXPECT(cuc_error_library_code() == CUDA_ERROR_ILLEGAL_ADDRESS);
    EXPECT(strstr(cuc_error_log(), "three grid 2,1,1 block 32,1,1") != NULL);
    EXPECT(cuc_context_is_lost(primary) == CUDA_ERROR_ILLEGAL_ADDRESS);
    cuc_stream_release(stream);
    return NULL;
}

TEST(threads_learn_of_a_lost_context)
{
    NEED_FAKE();
    together(until_lost);
    cuc_buffer_release(buffer);
    cuc_stream_release(shared);
    cuc_kernel_release(kernel);
    cuc_object_release(object);
    ck_assert_int_eq(failures.count, 0);
    buffer = NULL;
    shared = NULL;
    kernel = NULL;
    object = NULL;
    fake_reset();
}

int main(void)
{
    return run_device_tests("threads");
}
