// Tests memory and events shared with another process: a child forked before either process loads a
// driver.
#include <cucore/cucore.h>

#include "memory/pool.h"
#include "testing.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 5000 };

static int to_parent, to_child; // the two ends of a socket pair

static void say(int at, const void *data, size_t bytes)
{
    ck_assert_int_eq(write(at, data, bytes), (ssize_t)bytes);
}

static void hear(int at, void *data, size_t bytes)
{
    size_t got = 0;

    while (got < bytes) {
        ssize_t n = read(at, (char *)data + got, bytes - got);
        ck_assert_int_gt(n, 0);
        got += (size_t)n;
    }
}

static void say_fd(int at, int fd)
{
    char byte = 'f', space[CMSG_SPACE(sizeof(int))] = { 0 };
    struct iovec data = { &byte, 1 };
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)
    };
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &fd, sizeof(fd));
    ck_assert_int_eq(sendmsg(at, &m, 0), 1);
}

static int hear_fd(int at)
{
    char byte, space[CMSG_SPACE(sizeof(int))];
    struct iovec data = { &byte, 1 };
    struct msghdr m = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)
    };
    int fd = -1;

    ck_assert_int_eq(recvmsg(at, &m, 0), 1);
    memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
    return fd;
}

// State of each of the two processes.
static cuc_device *device;
static cuc_stream *stream;

static void open_driver(void)
{
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

static void check_all(cuc_buffer *buffer, uint32_t expected)
{
    static uint32_t host[N];

    ck_ok(cuc_buffer_read_async(stream, host, buffer, 0, sizeof(host)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < N; i++)
        ck_assert_uint_eq(host[i], expected);
}

// All imports of one piece of memory share one address, which stays valid as long as one of the
// buffers does.
static void import_again(cuc_buffer *buffer, cuc_memory_resource *pool,
                         const cuc_ipc_handle *handle)
{
    cuc_buffer *again = NULL, *third = NULL;
    cuc_stream *side;

    ck_ok(cuc_stream_create(&side, device, NULL));
    ck_ok(cuc_buffer_from_ipc_handle(&again, side, pool, handle, 4 * N));
    ck_ok(cuc_buffer_from_ipc_handle(&third, side, pool, handle, 4 * N));
    ck_assert_uint_eq(cuc_buffer_ptr(again), cuc_buffer_ptr(buffer));
    ck_assert_uint_eq(cuc_buffer_ptr(third), cuc_buffer_ptr(buffer));
    cuc_buffer_release(again);
    check_all(buffer, 7);
    cuc_buffer_release(third);
    cuc_stream_release(side);
}

static void other_process(void)
{
    static struct testing_failures failures;
    cuc_memory_resource *pool = NULL, *again = NULL;
    cuc_buffer *buffer = NULL, *more = NULL;
    cuc_event *event = NULL;
    cuc_ipc_handle handle, piece;
    char byte = 0;

    open_driver();
    cuc_set_failure_handler(testing_failed, &failures);
    int fd = hear_fd(to_parent);
    ck_ok(cuc_memory_pool_from_fd(&pool, device, fd));
    ck_ok(cuc_memory_pool_from_fd(&again, device, fd)); // the driver may use one pool for both
    close(fd);
    ck_assert_int_lt(cuc_buffer_create(&buffer, stream, pool, 16), 0);
    hear(to_parent, &handle, sizeof(handle));
    for (size_t over = 1; over; over <<= 20)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_buffer_from_ipc_handle(&buffer, stream, pool, &handle, 4 * N + over),
                 "bytes is", "the buffer that the handle names has");
    ck_assert_ptr_null(buffer);
    ck_ok(cuc_buffer_from_ipc_handle(&buffer, stream, pool, &handle, 4 * N));
    piece = handle;
    cuc_memory_resource_release(again);
    cuc__pools_destroy_released();
    import_again(buffer, pool, &handle);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_buffer_from_ipc_handle(&more, stream, pool, &handle, 4 * N + 4), "bytes is");
    check_all(buffer, 7); // the refused import left the buffer in place
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 9, 4, 4 * N));
    ck_ok(cuc_stream_synchronize(stream));
    say(to_parent, &byte, 1);

    hear(to_parent, &handle, sizeof(handle));
    ck_ok(cuc_event_from_ipc_handle(&event, device, &handle));
    ck_assert_uint_eq(cuc_event_flags(event), CUC_EVENT_IPC);
    ck_ok(cuc_event_query(event));
    say(to_parent, &byte, 1);
    hear(to_parent, &byte, 1); // the event is recorded and pending
    ck_assert_int_eq(cuc_event_query(event), CUC_NOT_READY);
    ck_ok(cuc_stream_wait_event(stream, event));
    ck_assert_int_eq(cuc_stream_query(stream), CUC_NOT_READY);
    say(to_parent, &byte, 1);
    check_all(buffer, 11); // the stream has waited for the other process's work
    ck_ok(cuc_event_synchronize(event));
    ck_ok(cuc_event_query(event));
    cuc_event_release(event);
    cuc_buffer_release(buffer);
    ck_ok(cuc_buffer_from_ipc_handle(&buffer, stream, pool, &piece, 4 * N)); // imports again
    check_all(buffer, 11);
    cuc_buffer_release(buffer);
    cuc_memory_resource_release(pool);
    ck_ok(cuc_stream_synchronize(stream));
    cuc__pools_destroy_released();
    cuc_stream_release(stream);
    ck_assert_msg(failures.count == 0, "%s", failures.last);
    say(to_parent, &byte, 1);
}

static void hold(void *user)
{
    char byte;

    hear(*(int *)user, &byte, 1);
}

// Starts the other process before this one has loaded the driver.
static pid_t start(void (*other)(void))
{
    int sockets[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    to_parent = sockets[1];
    to_child = sockets[0];
    pid_t child = fork();
    close(sockets[child == 0 ? 0 : 1]); // so that a process notices when its partner ends
    if (!child) {
        other();
        _exit(0);
    }
    return child;
}

CASE("ipc", .timeout = 60);

TEST(two_processes_share_memory_and_order)
{
    cuc_memory_resource *pool = NULL;
    cuc_buffer *buffer = NULL, *other = NULL; // from the same pool; must be unaffected
    cuc_event *event = NULL;
    cuc_ipc_handle handle;
    int gate[2], fd = -1, status;
    char byte = 0;

    ck_assert_int_eq(pipe(gate), 0);
    pid_t child = start(other_process);
    open_driver();
    ck_ok(cuc_memory_pool_create(&pool, device,
                                 CUC_MEMORY_POOL_OPTIONS(.flags = CUC_MEMORY_POOL_IPC)));
    ck_ok(cuc_memory_pool_export(&fd, pool));
    ck_ok(cuc_buffer_create(&other, stream, pool, 4 * N));
    ck_ok(cuc_buffer_fill(stream, other, 0, 5, 4, 4 * N));
    ck_ok(cuc_buffer_create(&buffer, stream, pool, 4 * N));
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 7, 4, 4 * N));
    ck_ok(cuc_stream_synchronize(stream));
    say_fd(to_child, fd);
    close(fd);
    ck_ok(cuc_buffer_export(&handle, buffer));
    say(to_child, &handle, sizeof(handle));
    hear(to_child, &byte, 1);
    check_all(buffer, 9);
    check_all(other, 5);

    ck_ok(cuc_event_create(&event, device, CUC_EVENT_OPTIONS(.flags = CUC_EVENT_IPC)));
    ck_ok(cuc_event_export(&handle, event));
    say(to_child, &handle, sizeof(handle));
    hear(to_child, &byte, 1);
    ck_ok(cuc_launch_host(stream, hold, &gate[0]));
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 11, 4, 4 * N));
    ck_ok(cuc_event_record(stream, event));
    ck_assert_int_eq(cuc_event_query(event), CUC_NOT_READY);
    say(to_child, &byte, 1);
    hear(to_child, &byte, 1);
    say(gate[1], &byte, 1);
    ck_ok(cuc_event_synchronize(event));
    hear(to_child, &byte, 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    cuc_event_release(event);
    cuc_buffer_release(buffer);
    cuc_buffer_release(other);
    cuc_memory_resource_release(pool);
    ck_ok(cuc_stream_synchronize(stream));
    cuc_stream_release(stream);
}

enum { POOLS = 3, BUFFERS = 2 };

static uint32_t mark_of(int pool, int buffer)
{
    return 100 * ((uint32_t)pool + 1) + (uint32_t)buffer;
}

static void other_imports_several_pools(void)
{
    cuc_memory_resource *pools[POOLS] = { NULL };
    cuc_buffer *buffers[POOLS][BUFFERS] = { { NULL } }, *again = NULL;
    cuc_ipc_handle handles[POOLS][BUFFERS];
    char byte = 0;

    open_driver();
    for (int p = 0; p < POOLS; p++) {
        int fd = hear_fd(to_parent);
        ck_ok(cuc_memory_pool_from_fd(&pools[p], device, fd));
        close(fd);
    }
    hear(to_parent, handles, sizeof(handles));
    for (int b = 0; b < BUFFERS; b++)
        for (int p = POOLS; p-- > 0;)
            ck_ok(cuc_buffer_from_ipc_handle(&buffers[p][b], stream, pools[p], &handles[p][b],
                                             4 * N));
    for (int p = 0; p < POOLS; p++)
        for (int b = 0; b < BUFFERS; b++)
            check_all(buffers[p][b], mark_of(p, b));

    ck_assert_int_lt(cuc_buffer_from_ipc_handle(&again, stream, pools[0], &handles[2][0], 4 * N),
                     0);
    // The handle belongs to a buffer of a different pool.
    ck_assert_int_eq(cuc_error_library_code(), CUDA_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(again);

    // Releasing one buffer leaves the other buffers in place, and a second import of its memory.
    ck_ok(cuc_buffer_from_ipc_handle(&again, stream, pools[1], &handles[1][0], 4 * N));
    ck_assert_uint_eq(cuc_buffer_ptr(again), cuc_buffer_ptr(buffers[1][0]));
    cuc_buffer_release(buffers[1][0]);
    cuc_buffer_release(buffers[0][0]);
    check_all(again, mark_of(1, 0));
    check_all(buffers[2][0], mark_of(2, 0));
    cuc_buffer_release(again);
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_buffer_from_ipc_handle(&again, stream, pools[0], &handles[0][0], 4 * N));
    check_all(again, mark_of(0, 0));
    buffers[0][0] = again;
    buffers[1][0] = NULL;
    for (int p = 0; p < POOLS; p++) {
        for (int b = 0; b < BUFFERS; b++)
            cuc_buffer_release(buffers[p][b]);
        cuc_memory_resource_release(pools[p]);
    }
    ck_ok(cuc_stream_synchronize(stream));
    cuc_stream_release(stream);
    say(to_parent, &byte, 1);
}

// Buffers of equal size at equal offsets in their pools may have equal exported bytes.
TEST(each_buffer_is_imported_from_its_own_pool)
{
    cuc_memory_resource *pools[POOLS] = { NULL };
    cuc_buffer *buffers[POOLS][BUFFERS] = { { NULL } };
    cuc_ipc_handle handles[POOLS][BUFFERS];
    char byte = 0;
    int status;

    pid_t child = start(other_imports_several_pools);
    open_driver();
    for (int p = 0; p < POOLS; p++) {
        int fd = -1;
        ck_ok(cuc_memory_pool_create(&pools[p], device,
                                     CUC_MEMORY_POOL_OPTIONS(.flags = CUC_MEMORY_POOL_IPC)));
        ck_ok(cuc_memory_pool_export(&fd, pools[p]));
        say_fd(to_child, fd);
        close(fd);
        for (int b = 0; b < BUFFERS; b++) {
            ck_ok(cuc_buffer_create(&buffers[p][b], stream, pools[p], 4 * N));
            ck_ok(cuc_buffer_fill(stream, buffers[p][b], 0, mark_of(p, b), 4, 4 * N));
            ck_ok(cuc_buffer_export(&handles[p][b], buffers[p][b]));
        }
    }
    ck_ok(cuc_stream_synchronize(stream));
    say(to_child, handles, sizeof(handles));
    hear(to_child, &byte, 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    for (int p = 0; p < POOLS; p++) {
        for (int b = 0; b < BUFFERS; b++)
            cuc_buffer_release(buffers[p][b]);
        cuc_memory_resource_release(pools[p]);
    }
    ck_ok(cuc_stream_synchronize(stream));
    cuc_stream_release(stream);
}

TEST(a_buffer_can_be_exported_before_its_pool)
{
    cuc_memory_resource *pool = NULL;
    cuc_buffer *buffer = NULL;
    cuc_ipc_handle handle = { { 0 } }, none = { { 0 } };
    int fd = -1;

    open_driver();
    ck_ok(cuc_memory_pool_create(&pool, device,
                                 CUC_MEMORY_POOL_OPTIONS(.flags = CUC_MEMORY_POOL_IPC)));
    ck_ok(cuc_buffer_create(&buffer, stream, pool, 4 * N));
    ck_ok(cuc_buffer_export(&handle, buffer));
    ck_assert_int_ne(memcmp(&handle, &none, sizeof(none)), 0);
    ck_ok(cuc_memory_pool_export(&fd, pool));
    close(fd);
    cuc_buffer_release(buffer);
    cuc_memory_resource_release(pool);
    cuc_stream_release(stream);
}

static void other_grows(void)
{
    cuc_memory_resource *resource = NULL;
    cuc_buffer *buffer = NULL, *more = NULL;
    cuc_memory_piece pieces[2];
    size_t bytes;
    char byte = 0;

    open_driver();
    ck_ok(cuc_memory_virtual_create(&resource, device,
                                    CUC_MEMORY_VIRTUAL_OPTIONS(.flags = CUC_MEMORY_VIRTUAL_IPC)));
    hear(to_parent, pieces, sizeof(pieces));
    hear(to_parent, &bytes, sizeof(bytes));
    for (int i = 0; i < 2; i++)
        pieces[i].fd = hear_fd(to_parent);
    ck_ok(cuc_buffer_from_pieces(&buffer, stream, resource, pieces, 2, bytes));
    close(pieces[0].fd);
    close(pieces[1].fd);
    say(to_parent, &byte, 1);
    hear(to_parent, &byte, 1); // the other process has released its buffer
    check_all(buffer, 7);
    ck_ok(cuc_buffer_grow(&more, buffer, 2 * bytes));
    cuc_buffer_release(buffer);
    check_all(more, 7);
    cuc_buffer_release(more);
    cuc_memory_resource_release(resource);
    cuc_stream_release(stream);
}

TEST(growing_memory_can_be_shared_with_another_process)
{
    cuc_memory_resource *resource = NULL;
    cuc_buffer *first = NULL, *buffer = NULL;
    cuc_memory_piece pieces[2];
    size_t count = 0, grain, bytes;
    int status;
    char byte = 0;

    pid_t child = start(other_grows);
    open_driver();
    ck_ok(cuc_memory_virtual_create(&resource, device,
                                    CUC_MEMORY_VIRTUAL_OPTIONS(.flags = CUC_MEMORY_VIRTUAL_IPC)));
    ck_ok(cuc_memory_get_granularity(&grain, resource));
    bytes = 2 * grain;
    ck_ok(cuc_buffer_create(&first, stream, resource, 4 * N));
    ck_ok(cuc_buffer_grow(&buffer, first, bytes));
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 7, 4, bytes));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_buffer_export_pieces(pieces, 2, &count, buffer));
    ck_assert_uint_eq(count, 2);
    say(to_child, pieces, sizeof(pieces));
    say(to_child, &bytes, sizeof(bytes));
    for (int i = 0; i < 2; i++) {
        say_fd(to_child, pieces[i].fd);
        close(pieces[i].fd);
    }
    hear(to_child, &byte, 1);
    cuc_buffer_release(first);
    cuc_buffer_release(buffer);
    cuc_memory_resource_release(resource);
    say(to_child, &byte, 1);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
    cuc_stream_release(stream);
}

TEST(objects_of_one_process_alone_cannot_be_exported)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_memory_resource *pool = NULL, *none = NULL;
    cuc_buffer *buffer = NULL, *slice = NULL;
    cuc_event *event = NULL;
    cuc_ipc_handle handle = { { 0 } };
    int32_t fd = -7;

    open_driver();
    ck_ok(cuc_memory_pool_create(&pool, device, NULL));
    ck_ok(cuc_memory_synchronous_create(&none, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_create(&buffer, stream, pool, 256));
    ck_ok(cuc_buffer_slice(&slice, buffer, 0, 128));
    ck_ok(cuc_event_create(&event, device, NULL));
    ck_assert_int_lt(cuc_memory_pool_export(&fd, pool), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "CUC_MEMORY_POOL_IPC"));
    ck_fails(bad, cuc_memory_pool_export(&fd, none), "is not a pool");
    ck_fails(bad, cuc_memory_pool_export(NULL, pool), "out is NULL");
    ck_assert_int_eq(fd, -7);
    ck_fails(bad, cuc_memory_pool_from_fd(&pool, device, -1), "fd is -1");
    ck_assert_int_lt(cuc_memory_pool_from_fd(&pool, device, 0), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "descriptor 0"));
    ck_assert_int_lt(cuc_buffer_export(&handle, buffer), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "CUC_MEMORY_POOL_IPC"));
    ck_fails(bad, cuc_buffer_export(&handle, slice), "is a slice");
    ck_fails(bad, cuc_buffer_from_ipc_handle(&buffer, stream, none, &handle, 256), "is not a pool");
    ck_assert_int_lt(cuc_buffer_from_ipc_handle(&buffer, stream, pool, &handle, 256), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "cuMemPoolImportPointer"));
    ck_fails(bad, cuc_event_export(&handle, event), "CUC_EVENT_IPC");
    ck_assert_int_lt(cuc_event_from_ipc_handle(&event, device, &handle), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "a handle from cuc_event_export()"));
    cuc_buffer_release(slice);
    cuc_buffer_release(buffer);
    cuc_event_release(event);
    cuc_memory_resource_release(pool);
    cuc_memory_resource_release(none);
    cuc_stream_release(stream);
}

int main(void)
{
    // Each test uses processes and a driver of its own, so this process must not have loaded a
    // driver.
    int32_t devices = 0;
    int status = 0;
    pid_t child = fork();
    if (!child)
        _exit(cuc_device_get_count(&devices) < 0 || devices == 0);
    if (waitpid(child, &status, 0) != child || status) {
        printf("skipped: no device\n");
        return 77;
    }
    return run_tests("ipc");
}
