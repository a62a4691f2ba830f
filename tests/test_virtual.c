// Tests virtual memory: growing a buffer keeps its contents, and the memory is freed with the last
// buffer.
#include <cucore/virtual.h>

#include "base/array.h"
#include "driver/cuda_abi.h"
#include "testing.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

static cuc_device *device;
static cuc_stream *stream;
static cuc_memory_resource *resource;
static struct testing_failures unraisable;
static size_t grain;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    memset(&unraisable, 0, sizeof(unraisable));
    cuc_set_failure_handler(testing_failed, &unraisable);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_memory_virtual_create(&resource, device, NULL));
    ck_ok(cuc_memory_get_granularity(&grain, resource));
    ck_assert_uint_ge(grain, 4096);
}

static void teardown(void)
{
    cuc_memory_resource_release(resource);
    cuc_stream_release(stream);
    resource = NULL;
    stream = NULL;
    ck_assert_msg(unraisable.count == 0, "%s", unraisable.last);
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
    cuc_set_failure_handler(NULL, NULL);
}

static cuc_buffer *new_of(cuc_memory_resource *from, size_t bytes)
{
    cuc_buffer *b = NULL;

    ck_ok(cuc_buffer_create(&b, stream, from, bytes));
    ck_assert_uint_eq(cuc_buffer_bytes(b), bytes);
    return b;
}

static cuc_buffer *grown(cuc_buffer *buffer, size_t bytes)
{
    cuc_buffer *b = NULL;

    ck_ok(cuc_buffer_grow(&b, buffer, bytes));
    ck_assert_uint_eq(cuc_buffer_bytes(b), bytes);
    return b;
}

static void write_byte(cuc_buffer *b, size_t at, uint8_t value)
{
    ck_ok(cuc_buffer_fill(stream, b, at, value, 1, 1));
}

static uint8_t read_byte(cuc_buffer *b, size_t at)
{
    uint8_t value = 0;

    ck_ok(cuc_buffer_read_async(stream, &value, b, at, 1));
    ck_ok(cuc_stream_synchronize(stream));
    return value;
}

static cuc_memory_resource *with_room(uint64_t bytes)
{
    cuc_memory_resource *r = NULL;

    ck_ok(
        cuc_memory_virtual_create(&r, device, CUC_MEMORY_VIRTUAL_OPTIONS(.reserve_bytes = bytes)));
    return r;
}

CASE("virtual", .setup = setup, .teardown = teardown);

TEST(a_buffer_grows_at_its_address_if_there_is_room)
{
    cuc_memory_resource *room = with_room(8 * grain);
    cuc_buffer *first = new_of(room, 1000);
    write_byte(first, 999, 7);
    cuc_buffer *second = grown(first, 3 * grain), *third = grown(second, 5 * grain + 1);

    ck_assert_uint_eq(cuc_buffer_ptr(third), cuc_buffer_ptr(first));
    ck_assert_uint_eq(read_byte(third, 999), 7);
    write_byte(third, 5 * grain, 9);
    cuc_buffer_release(first); // the address and the memory stay
    ck_assert_uint_eq(read_byte(third, 5 * grain), 9);
    ck_assert_uint_eq(read_byte(second, 999), 7);
    cuc_buffer_release(second);
    // One copy crosses the ends of pieces.
    ck_ok(cuc_buffer_fill(stream, third, 0, 5, 1, 5 * grain));
    ck_assert_uint_eq(read_byte(third, grain), 5);
    ck_assert_uint_eq(read_byte(third, 5 * grain - 1), 5);
    cuc_buffer_release(third);
    cuc_memory_resource_release(room);
}

TEST(without_room_the_memory_moves_to_another_address)
{
    cuc_buffer *first = new_of(resource, grain);
    write_byte(first, 0, 1);
    cuc_buffer *second = grown(first, 2 * grain), *third = grown(second, 4 * grain);

    ck_assert_uint_ne(cuc_buffer_ptr(second), cuc_buffer_ptr(first));
    ck_assert_uint_eq(read_byte(third, 0), 1);
    write_byte(third, 0, 2);
    ck_assert_uint_eq(read_byte(first, 0), 2); // both map the same memory
    write_byte(third, 2 * grain - 1, 3);
    cuc_buffer_release(first);
    cuc_buffer_release(third);
    ck_assert_uint_eq(read_byte(second, 2 * grain - 1), 3);
    cuc_buffer_release(second);
}

TEST(a_smaller_buffer_keeps_the_address)
{
    cuc_buffer *first = new_of(resource, 2 * grain), *second = grown(first, 10);

    ck_assert_uint_eq(cuc_buffer_ptr(second), cuc_buffer_ptr(first));
    cuc_buffer_release(first);
    write_byte(second, 9, 4);
    ck_assert_uint_eq(read_byte(second, 9), 4);
    cuc_buffer_release(second);
}

TEST(memory_can_be_allocated_without_a_buffer)
{
    cuc_device_ptr ptr = 0;

    ck_ok(cuc_memory_allocate(&ptr, NULL, resource, 100));
    ck_assert_uint_ne(ptr, 0);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_free(NULL, resource, ptr + 8, 100),
             "is not memory of this resource");
    ck_ok(cuc_memory_free(NULL, resource, ptr, 100));
    ck_ok(cuc_memory_allocate(&ptr, stream, resource, 100));
    ck_ok(cuc_memory_free(stream, resource, ptr, 100));
}

TEST(host_memory_is_accessible_to_host_and_device)
{
    cuc_memory_resource *host = NULL;

    ck_ok(cuc_memory_virtual_create(
        &host, device, CUC_MEMORY_VIRTUAL_OPTIONS(.location = { CUC_LOCATION_HOST_NUMA, 0 })));
    ck_assert_int_eq(cuc_memory_resource_kind(host), CUC_MEMORY_PINNED);
    cuc_buffer *b = new_of(host, 100);
    uint8_t *at = (uint8_t *)(uintptr_t)cuc_buffer_ptr(b);
    at[5] = 6;
    ck_assert_uint_eq(read_byte(b, 5), 6);
    write_byte(b, 6, 8);
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_uint_eq(at[6], 8);
    cuc_buffer_release(b);
    cuc_memory_resource_release(host);
}

TEST(an_address_has_the_alignment)
{
    cuc_memory_resource *aligned = NULL;
    const uint64_t align = (uint64_t)1 << 28;

    ck_ok(cuc_memory_virtual_create(
        &aligned, device,
        CUC_MEMORY_VIRTUAL_OPTIONS(.align = align, .flags = CUC_MEMORY_VIRTUAL_FINE)));
    cuc_buffer *b = new_of(aligned, 100);
    ck_assert_uint_eq(cuc_buffer_ptr(b) % align, 0);
    cuc_buffer_release(b);
    cuc_memory_resource_release(aligned);
}

// Makes a resource whose memory this process and others can import.
static cuc_memory_resource *with_ipc(void)
{
    cuc_memory_resource *r = NULL;

    ck_ok(cuc_memory_virtual_create(&r, device,
                                    CUC_MEMORY_VIRTUAL_OPTIONS(.flags = CUC_MEMORY_VIRTUAL_IPC)));
    return r;
}

static int open_files(void)
{
    DIR *all = opendir("/proc/self/fd");
    int n = 0;

    ck_assert_ptr_nonnull(all);
    while (readdir(all))
        n++;
    closedir(all);
    return n;
}

static void close_all(const cuc_memory_piece *pieces, size_t count)
{
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(close(pieces[i].fd), 0);
}

TEST(pieces_make_a_buffer_of_another_resource)
{
    cuc_memory_resource *from = with_ipc(), *to = with_ipc();
    cuc_buffer *first = new_of(from, grain), *all = grown(first, 3 * grain), *there = NULL;
    cuc_memory_piece pieces[3];
    size_t count = 0;

    write_byte(all, 0, 1);
    write_byte(all, 3 * grain - 1, 2);
    ck_ok(cuc_buffer_export_pieces(NULL, 0, &count, all));
    ck_assert_uint_eq(count, 2);
    ck_ok(cuc_buffer_export_pieces(pieces, 3, &count, all));
    ck_assert_uint_eq(count, 2);
    ck_assert_uint_eq(pieces[0].bytes, grain);
    ck_assert_uint_eq(pieces[1].bytes, 2 * grain);
    // A smaller buffer is usable up to its end.
    cuc_buffer *less = grown(all, 1);
    size_t one = 0;
    ck_ok(cuc_buffer_export_pieces(&pieces[2], 1, &one, less));
    ck_assert_uint_eq(one, 1);
    close_all(&pieces[2], one);
    cuc_buffer_release(less);
    ck_ok(cuc_buffer_from_pieces(&there, stream, to, pieces, count, 3 * grain - 5));
    close_all(pieces, count);
    ck_assert_uint_eq(cuc_buffer_bytes(there), 3 * grain - 5);
    ck_assert_uint_ne(cuc_buffer_ptr(there), cuc_buffer_ptr(all));
    write_byte(there, grain, 3);
    ck_assert_uint_eq(read_byte(all, grain), 3); // both map the same memory
    cuc_buffer_release(first);
    cuc_buffer_release(all);
    cuc_memory_resource_release(from);
    cuc_buffer *more = grown(there, 4 * grain);
    cuc_buffer_release(there);
    ck_assert_uint_eq(read_byte(more, 0), 1);
    ck_assert_uint_eq(read_byte(more, 3 * grain - 1), 2);
    // Imported memory cannot be exported again.
    ck_fails(CUC_ERROR_DRIVER, cuc_buffer_export_pieces(pieces, 3, &count, more),
             "cannot be exported again");
    cuc_buffer_release(more);
    cuc_memory_resource_release(to);
}

TEST(invalid_pieces_are_refused)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_memory_resource *r = with_ipc(), *plain = NULL;
    cuc_buffer *b = new_of(r, 100), *large = grown(b, 2 * grain), *slice = NULL, *out = NULL;
    cuc_buffer *alone = new_of(resource, 100);
    cuc_memory_piece pieces[2] = { { 0 } };
    size_t count = 7;

    ck_ok(cuc_memory_synchronous_create(&plain, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_buffer_slice(&slice, b, 0, 10));
    ck_fails(bad, cuc_buffer_export_pieces(pieces, 2, NULL, b), "count is NULL");
    ck_fails(bad, cuc_buffer_export_pieces(pieces, 2, &count, NULL), "buffer is NULL");
    ck_fails(bad, cuc_buffer_export_pieces(NULL, 2, &count, b), "pieces is NULL and capacity is 2");
    ck_fails(bad, cuc_buffer_export_pieces(pieces, 1, &count, large), "capacity is 1", "2 pieces");
    ck_fails(bad, cuc_buffer_export_pieces(pieces, 2, &count, slice), "a slice");
    ck_fails(CUC_ERROR_DRIVER, cuc_buffer_export_pieces(pieces, 2, &count, alone),
             "CUC_MEMORY_VIRTUAL_IPC");
    ck_assert_uint_eq(count, 7);
    ck_assert_uint_eq(pieces[0].bytes, 0);
    ck_ok(cuc_buffer_export_pieces(pieces, 1, &count, b));
    ck_fails(bad, cuc_buffer_from_pieces(NULL, stream, r, pieces, 1, 1), "out is NULL");
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, NULL, pieces, 1, 1), "resource is NULL");
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, r, NULL, 1, 1), "pieces is NULL");
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, plain, pieces, 1, 1),
             "not from cuc_memory_virtual_create()");
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, r, pieces, 0, 1), "bytes is 1");
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, r, pieces, 1, 0), "bytes is 0");
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, r, pieces, 1, (size_t)pieces[0].bytes + 1),
             "pieces have");
    const int fd = pieces[0].fd;
    pieces[0].fd = -1;
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, r, pieces, 1, 1), "file descriptor -1");
    pieces[0].fd = fd;
    pieces[0].bytes = 100;
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, r, pieces, 1, 1), "pieces[0] has 100 bytes");
    pieces[0].bytes = grain;
    pieces[1] = (cuc_memory_piece){ .bytes = SIZE_MAX / grain * grain, .fd = fd };
    ck_fails(bad, cuc_buffer_from_pieces(&out, stream, r, pieces, 2, 1), "pieces[1] has");
    ck_assert_int_eq(close(fd), 0);
    pieces[0].fd = 0; // a descriptor of something else
    ck_assert_int_lt(cuc_buffer_from_pieces(&out, stream, r, pieces, 1, 1), 0);
    ck_assert_ptr_nonnull(strstr(cuc_error_message(), "file descriptor 0"));
    ck_assert_ptr_null(out);
    cuc_buffer_release(slice);
    cuc_buffer_release(b);
    cuc_buffer_release(large);
    cuc_buffer_release(alone);
    cuc_memory_resource_release(plain);
    cuc_memory_resource_release(r);
}

TEST(invalid_arguments_are_refused)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    cuc_memory_resource *none = NULL, *plain = NULL;
    cuc_buffer *b = new_of(resource, 100), *slice = NULL, *other = NULL, *more = NULL;
    size_t bytes;

    ck_fails(bad, cuc_memory_virtual_create(NULL, device, NULL), "out is NULL");
    ck_fails(bad, cuc_memory_virtual_create(&none, NULL, NULL), "device is NULL");
    ck_fails(bad, cuc_memory_virtual_create(&none, device, CUC_MEMORY_VIRTUAL_OPTIONS(.flags = 32)),
             "flags is 0x20");
    ck_fails(bad, cuc_memory_virtual_create(&none, device, CUC_MEMORY_VIRTUAL_OPTIONS(.align = 3)),
             "align is 3, expected a power of two");
    ck_fails(
        bad,
        cuc_memory_virtual_create(&none, device, CUC_MEMORY_VIRTUAL_OPTIONS(.location = { 9, 0 })),
        "location is of type 9");
    ck_fails(bad,
             cuc_memory_virtual_create(&none, device, CUC_MEMORY_VIRTUAL_OPTIONS(.peer_count = 1)),
             "peers is NULL");
    ck_fails(
        bad,
        cuc_memory_virtual_create(
            &none, device,
            CUC_MEMORY_VIRTUAL_OPTIONS(.peers = (cuc_device *const[]){ device }, .peer_count = 1)),
        "peers[0] is device 0, which owns the memory");
    ck_ok(cuc_memory_synchronous_create(&plain, device, CUC_MEMORY_DEVICE));
    ck_fails(bad, cuc_memory_get_granularity(&bytes, plain),
             "not from cuc_memory_virtual_create()");
    other = new_of(plain, 100);
    ck_ok(cuc_buffer_slice(&slice, b, 0, 10));
    ck_fails(bad, cuc_buffer_grow(&more, other, 200), "of another resource");
    ck_fails(bad, cuc_buffer_grow(&more, slice, 200), "a slice");
    ck_fails(bad, cuc_buffer_grow(&more, b, 0), "bytes is 0");
    ck_fails(bad, cuc_buffer_grow(NULL, b, 200), "out is NULL");
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_buffer_grow(&more, b, SIZE_MAX - 5),
             "end of the address space");
    cuc_buffer_release(slice);
    cuc_buffer_release(b);
    cuc_buffer_release(other);
    cuc_memory_resource_release(plain);
}

// Calls of an allocation and of a growth that moves; each fails in turn.
static const struct {
    const char *call;
    int nth; // counts the calls of both the allocation and the growth
} calls[] = {
    { "cuMemAddressReserve", 1 },
    { "cuMemCreate", 1 },
    { "cuMemMap", 1 },
    { "cuMemSetAccess", 1 },
    { "cuMemAddressReserve", 2 },
    { "cuMemMap", 2 },
    { "cuMemCreate", 2 },
    { "cuMemMap", 3 },
    { "cuMemSetAccess", 2 },
    { "cuMemSetAccess", 3 },
};

TEST_ROWS(a_driver_failure_leaves_nothing_behind, calls)
{
    cuc_buffer *b = NULL, *more = NULL;

    NEED_FAKE();
    fake_fail(calls[_i].call, calls[_i].nth, CUDA_ERROR_OUT_OF_MEMORY);
    cuc_status st = cuc_buffer_create(&b, stream, resource, grain);
    if (st >= 0) {
        write_byte(b, 3, 5);
        ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_buffer_grow(&more, b, 2 * grain),
                 calls[_i].call);
        ck_assert_ptr_null(more);
        ck_assert_uint_eq(read_byte(b, 3), 5);
        more = grown(b, 2 * grain); // succeeds this time
        ck_assert_uint_eq(read_byte(more, 3), 5);
        cuc_buffer_release(more);
        cuc_buffer_release(b);
    } else {
        ck_assert_int_eq(st, CUC_ERROR_OUT_OF_DEVICE_MEMORY);
        ck_assert_ptr_null(b);
    }
}

// Check's macros take a lock that a child would inherit, so this thread does not use them.
static void *allocate_and_free(void *stop)
{
    cuc_device_ptr ptr = 0;

    while (!atomic_load((atomic_int *)stop))
        if (cuc_memory_allocate(&ptr, NULL, resource, 1) < 0 ||
            cuc_memory_free(NULL, resource, ptr, 1) < 0)
            return "memory was refused";
    return NULL;
}

// Runs in a child, which lacks the thread that may hold the resource's lock.
static int let_go_after_fork(cuc_buffer *b)
{
    cuc_device_ptr ptr = 0;
    cuc_buffer *more = NULL;

    alarm(10);
    int refused = (cuc_memory_allocate(&ptr, NULL, resource, 1) == CUC_ERROR_FORKED) +
                  (cuc_buffer_grow(&more, b, 2 * grain) == CUC_ERROR_FORKED) +
                  (cuc_memory_free(NULL, resource, cuc_buffer_ptr(b), 1) == CUC_ERROR_FORKED);
    cuc_buffer_release(b);
    cuc_memory_resource_release(resource);
    return refused == 3 ? unraisable.count : 99;
}

TEST(a_forked_child_releases_without_waiting)
{
    atomic_int stop = 0;
    cuc_buffer *b = NULL;
    pthread_t thread;
    void *refused = NULL;

    if (!cuc__driver_simulated())
        SKIP("this process goes on with the driver that it has");
    ck_ok(cuc_buffer_create(&b, NULL, resource, 1));
    ck_assert_int_eq(pthread_create(&thread, NULL, allocate_and_free, &stop), 0);
    for (int i = 0; i < 50; i++) {
        int status = 0;
        pid_t child = fork();
        if (child == 0)
            _exit(let_go_after_fork(b));
        ck_assert_int_ge(child, 0);
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "a child's status is 0x%x",
                      (unsigned)status);
    }
    atomic_store(&stop, 1);
    ck_assert_int_eq(pthread_join(thread, &refused), 0);
    ck_assert_msg(!refused, "%s", (const char *)refused);
    cuc_buffer_release(b);
}

static const struct {
    const char *call;
    int nth; // counts the calls of exporting and importing two pieces
} shared_calls[] = {
    { "cuMemExportToShareableHandle", 1 },
    { "cuMemExportToShareableHandle", 2 },
    { "cuMemAddressReserve", 1 },
    { "cuMemImportFromShareableHandle", 1 },
    { "cuMemImportFromShareableHandle", 2 },
    { "cuMemMap", 1 },
    { "cuMemMap", 2 },
    { "cuMemSetAccess", 2 },
};

TEST_ROWS(a_failure_leaves_no_file_and_no_memory, shared_calls)
{
    cuc_memory_resource *r;
    cuc_memory_piece pieces[2];
    cuc_buffer *b, *all, *there = NULL;
    size_t count = 0;

    NEED_FAKE();
    r = with_ipc();
    b = new_of(r, grain);
    all = grown(b, 2 * grain);
    const int files = open_files(), things = fake_live_total();
    fake_fail(shared_calls[_i].call, shared_calls[_i].nth, CUDA_ERROR_OUT_OF_MEMORY);
    cuc_status st = cuc_buffer_export_pieces(pieces, 2, &count, all);
    if (st >= 0) {
        ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY,
                 cuc_buffer_from_pieces(&there, stream, r, pieces, count, 2 * grain),
                 shared_calls[_i].call);
        ck_assert_ptr_null(there);
        close_all(pieces, count);
    }
    ck_assert_int_eq(fake_fails_armed(), 0);
    ck_assert_int_eq(open_files(), files);
    ck_assert_int_eq(fake_live_total(), things);
    cuc_buffer_release(b);
    cuc_buffer_release(all);
    cuc_memory_resource_release(r);
}

TEST(a_device_without_virtual_memory_is_reported)
{
    cuc_memory_resource *none = NULL;

    NEED_FAKE();
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0);
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_memory_virtual_create(&none, device, NULL),
             "no virtual memory management");
}

int main(void)
{
    return run_device_tests("virtual");
}
