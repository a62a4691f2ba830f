// Tests descriptors that become readable when an event completes or can never complete.
#include "base/array.h"
#include "device/event.h"
#include "device/stream.h"
#include "testing.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

static cuc_device *device;
static cuc_context *primary;
static cuc_stream *stream;
static cuc_event *event;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get_context(&primary, device));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_event_create(&event, device, NULL));
}

static void teardown(void)
{
    cuc_event_release(event);
    cuc_stream_release(stream);
    ck_assert_ptr_null(testing_current());
    if (fake_available()) // only the waiting streams are left, which the context keeps
        ck_assert_int_eq(fake_live_total(), fake_calls("cuStreamCreate"));
}

static int readable(int fd, int ms)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    return poll(&p, 1, ms) == 1 && p.revents & POLLIN;
}

static void wait_for_go(void *user)
{
    while (!*(_Atomic int *)user)
        testing_sleep_ms(1);
}

// Returns the number of the process's open descriptors.
static int open_descriptors(void)
{
    int n = 0;

    for (int fd = 0; fd < 256; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

CASE("event_fd", .setup = setup, .teardown = teardown);

TEST_RANGE(a_complete_event_is_readable_at_once, 0, 2)
{
    int32_t fd = -1;

    if (_i) {
        ck_ok(cuc_event_record(stream, event));
        ck_ok(cuc_event_synchronize(event));
    } // otherwise the event was never recorded
    ck_ok(cuc_event_get_fd(&fd, event));
    ck_assert(readable(fd, 0));
    ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    ck_assert_int_ne(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    if (fake_available())
        ck_assert_int_eq(fake_calls("cuStreamCreate"), 0);
    close(fd);
}

TEST(a_descriptor_becomes_readable_when_the_event_completes)
{
    _Atomic int go = 0;
    int32_t fd = -1;
    uint64_t count = 0;

    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_get_fd(&fd, event));
    ck_assert(!readable(fd, 20));
    go = 1;
    ck_assert(readable(fd, 10000));
    ck_assert_int_eq(read(fd, &count, sizeof(count)), sizeof(count));
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(cuc_event_query(event), CUC_OK);
    close(fd);
}

// The second record waits for a word in memory instead of a host function: a driver that runs all
// host functions on one thread would then not run the descriptor's callback either.
TEST(a_descriptor_refers_to_the_record_at_its_creation)
{
    _Atomic int go = 0;
    int32_t fd = -1;
    cuc_stream *other;
    cuc_memory_resource *plain; // a stream cannot wait for memory of a pool
    cuc_buffer *word;

    ck_ok(cuc_memory_synchronous_create(&plain, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_create(&word, NULL, plain, 4));
    cuc_memory_resource_release(plain);
    ck_ok(cuc_buffer_fill(stream, word, 0, 0, 4, 4));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_stream_create(&other, device, NULL));

    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_get_fd(&fd, event));
    ck_ok(cuc_stream_wait_value(stream, cuc_buffer_ptr(word), 1, 4, CUC_WAIT_EQ));
    ck_ok(cuc_event_record(stream, event)); // the second record
    go = 1;
    ck_assert(readable(fd, 10000));
    ck_assert_int_eq(cuc_event_query(event), CUC_NOT_READY);
    ck_ok(cuc_stream_write_value(other, cuc_buffer_ptr(word), 1, 4, 0));
    ck_ok(cuc_stream_synchronize(stream));
    cuc_buffer_release(word);
    cuc_stream_release(other);
    close(fd);
}

TEST(waiting_streams_are_reused)
{
    int before = open_descriptors();

    for (int round = 0; round < 5; round++) {
        _Atomic int go = 0;
        int32_t fd[3];

        ck_ok(cuc_launch_host(stream, wait_for_go, &go));
        ck_ok(cuc_event_record(stream, event));
        for (int i = 0; i < 3; i++)
            ck_ok(cuc_event_get_fd(&fd[i], event));
        go = 1;
        for (int i = 0; i < 3; i++) {
            ck_assert(readable(fd[i], 10000));
            close(fd[i]);
        }
        ck_ok(cuc_stream_synchronize(stream));
    }
    if (fake_available())
        ck_assert_int_eq(fake_calls("cuStreamCreate"), 3);
    ck_soon(open_descriptors() == before); // the callbacks' duplicate descriptors are closed
}

TEST(a_descriptor_may_be_closed_at_any_time)
{
    _Atomic int go = 0;
    int32_t fd = -1, again = -1;
    int pipes[2];
    int before = open_descriptors();

    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_get_fd(&fd, event));
    close(fd);
    ck_assert_int_eq(pipe2(pipes, O_NONBLOCK), 0); // may reuse the closed number
    go = 1;
    ck_ok(cuc_stream_synchronize(stream));
    ck_soon(open_descriptors() == before + 2);
    ck_assert(!readable(pipes[0], 0)); // nobody wrote to a foreign descriptor
    close(pipes[0]);
    close(pipes[1]);
    go = 0;
    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_get_fd(&again, event)); // the waiting stream still works
    go = 1;
    ck_assert(readable(again, 10000));
    close(again);
}

TEST(an_event_may_be_released_while_a_descriptor_waits)
{
    _Atomic int go = 0;
    int32_t fd = -1;

    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_get_fd(&fd, event));
    cuc_event_release(event);
    event = NULL;
    ck_assert(!readable(fd, 5));
    go = 1;
    ck_assert(readable(fd, 10000));
    close(fd);
}

TEST(a_foreign_context_may_be_released_while_a_descriptor_waits)
{
    CUcontext foreign, popped;
    cuc_context *context;
    cuc_stream *s;
    cuc_event *e;
    _Atomic int go = 0;
    int32_t fd = -1;
    CUctxCreateParams params = { 0 };

    NEED_FAKE(); // leaks are counted below
    ck_assert_int_eq(cuc__cu.cuCtxCreate(&foreign, &params, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_ok(cuc_context_from_handle(&context, foreign));
    for (int round = 0; round < 2; round++) {
        go = 0;
        ck_ok(cuc_context_stream_create(&s, context, NULL));
        ck_ok(cuc_context_event_create(&e, context, NULL));
        ck_ok(cuc_launch_host(s, wait_for_go, &go));
        ck_ok(cuc_event_record(s, e));
        ck_ok(cuc_event_get_fd(&fd, e));
        cuc_event_release(e);
        if (round == 0) { // the work ends before the release, so nothing leaks
            go = 1;
            ck_assert(readable(fd, 10000));
            ck_ok(cuc_stream_synchronize(s));
        }
        cuc_stream_release(s);
        if (round == 1) { // the work ends after the release; the callback still has its data
            cuc_context_release(context);
            go = 1;
            ck_assert(readable(fd, 10000));
        }
        close(fd);
    }
    ck_assert_int_eq(fake_calls("cuStreamCreate"), 1);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(foreign), 0); // destroys the waiting stream too
    fake_calls_reset();
}

TEST(a_descriptor_becomes_readable_when_the_context_fails)
{
    int32_t fd = -1;

    NEED_FAKE();
    fake_hold(cuc_stream_handle(stream));
    ck_ok(cuc_launch_host(stream, wait_for_go, NULL));
    ck_ok(cuc_event_record(stream, event));
    ck_ok(cuc_event_get_fd(&fd, event));
    ck_assert(!readable(fd, 5));
    fake_poison(cuc_stream_handle(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
    ck_assert(readable(fd, 10000));
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_event_query(event), "CUDA_ERROR_ILLEGAL_ADDRESS");
    close(fd);
    fd = 42;
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_event_get_fd(&fd, event), "CUDA_ERROR_ILLEGAL_ADDRESS");
    ck_assert_int_eq(fd, 42);
    cuc_event_release(event);
    cuc_stream_release(stream);
    event = NULL;
    stream = NULL;
    fake_reset();
}

TEST(an_event_of_a_capture_has_no_descriptor)
{
    CUgraph graph = NULL;
    int32_t fd = 42;
    int before = open_descriptors();

    ck_assert_int_eq(
        cuc__cu.cuStreamBeginCapture(cuc_stream_handle(stream), CU_STREAM_CAPTURE_MODE_GLOBAL), 0);
    ck_ok(cuc_event_record(stream, event));
    ck_fails(CUC_ERROR_BUSY, cuc_event_get_fd(&fd, event), "CUDA_ERROR_CAPTURED_EVENT");
    ck_assert_int_eq(fd, 42);
    ck_assert_int_eq(open_descriptors(), before);
    (void)cuc__cu.cuStreamEndCapture(cuc_stream_handle(stream), &graph);
    if (graph)
        ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
}

TEST(a_descriptor_is_made_beside_a_capture_without_spoiling_it)
{
    CUgraph graph = NULL;
    cuc_stream *captured;
    _Atomic int go = 0;
    int32_t fd = -1;

    ck_ok(cuc_stream_create(&captured, device, NULL));
    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_assert_int_eq(
        cuc__cu.cuStreamBeginCapture(cuc_stream_handle(captured), CU_STREAM_CAPTURE_MODE_GLOBAL),
        0);
    ck_ok(cuc_event_get_fd(&fd, event));
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(cuc_stream_handle(captured), &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    go = 1;
    ck_assert(readable(fd, 10000));
    close(fd);
    cuc_stream_release(captured);
}

TEST(a_failure_on_the_way_leaves_no_descriptor)
{
    static const char *const calls[] = { "cuEventQuery", "cuStreamCreate", "cuStreamWaitEvent",
                                         "cuStreamAddCallback" };
    _Atomic int go = 0;
    int32_t fd = 42;
    int before = open_descriptors();

    NEED_FAKE();
    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    for (int i = 0; i < CUC_LENGTH(calls); i++) {
        fake_fail(calls[i], 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, cuc_event_get_fd(&fd, event), calls[i]);
        ck_assert_int_eq(fake_fails_armed(), 0);
        ck_assert_int_eq(fd, 42);
        ck_assert_int_eq(open_descriptors(), before);
    }
    ck_assert_int_eq(fake_live("stream"), 1); // a stream that already waits is not kept
    CUcontext popped;
    fake_fail("cuCtxPopCurrent", 1, CUDA_ERROR_UNKNOWN);
    ck_fails(CUC_ERROR_DRIVER, cuc_event_get_fd(&fd, event), "cuCtxPopCurrent");
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_assert_int_eq(fd, 42);
    ck_ok(cuc_event_get_fd(&fd, event));
    go = 1;
    ck_assert(readable(fd, 10000));
    close(fd);
    ck_soon(open_descriptors() == before);
    cuc_event_release(event);
    cuc_stream_release(stream);
    event = NULL;
    stream = NULL;
    fake_reset();
}

TEST(running_out_of_descriptors_is_reported)
{
    struct rlimit limit, none;
    _Atomic int go = 0;
    int32_t fd = 42;

    NEED_FAKE(); // a real driver may need a descriptor of its own
    ck_ok(cuc_launch_host(stream, wait_for_go, &go));
    ck_ok(cuc_event_record(stream, event));
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    // In the first round, no descriptor is available for the eventfd; in the second there is one,
    // but none for its duplicate.
    for (int left = 0; left < 2; left++) {
        int free_fd = dup(0);
        close(free_fd);
        none = limit;
        none.rlim_cur = (rlim_t)(free_fd + left);
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
        cuc_status st = cuc_event_get_fd(&fd, event);
        ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
        ck_assert_int_eq(st, CUC_ERROR_IO);
        ck_assert_str_eq(cuc_error_function(), "cuc_event_get_fd");
        ck_assert_ptr_nonnull(strstr(cuc_error_message(), "Too many open files"));
        ck_assert_int_eq(fd, 42);
    }
    go = 1;
    ck_ok(cuc_stream_synchronize(stream));
}

int main(void)
{
    return run_device_tests("event_fd");
}
