#include "base/array.h"
#include "memory/buffer.h"

#include "device_test.h"

#include <pthread.h>

static cuc_buffer *const untouched = (cuc_buffer *)&unraisable;

static const int32_t kinds[] = { CUC_MEMORY_DEVICE, CUC_MEMORY_PINNED, CUC_MEMORY_MANAGED };

// Makes one of six resources: a pool and a synchronous resource of each kind.
static cuc_memory_resource *resource_of(int i)
{
    cuc_memory_resource *mr = NULL;

    if (i < 3)
        ck_ok(cuc_memory_pool_create(&mr, device, CUC_MEMORY_POOL_OPTIONS(.kind = kinds[i])));
    else
        ck_ok(cuc_memory_synchronous_create(&mr, device, kinds[i - 3]));
    return mr;
}

CASE("any driver", .setup = device_setup, .teardown = device_teardown);

TEST_RANGE(a_buffer_comes_from_its_resource_and_goes_back, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    bool pinned = kinds[_i % 3] == CUC_MEMORY_PINNED;
    cuc_buffer *b = NULL;

    ck_ok(cuc_buffer_create(&b, stream, mr, 1000));
    cuc_device_ptr ptr = cuc_buffer_ptr(b);
    ck_assert_uint_ne(ptr, 0);
    ck_assert_uint_eq(cuc_buffer_bytes(b), 1000);
    ck_assert_ptr_eq(cuc_buffer_memory_resource(b), mr);
    ck_assert_ptr_eq(cuc_buffer_stream(b), stream);
    ck_assert_ptr_eq(cuc_buffer_device(b), pinned ? NULL : device);
    ck_assert_uint_eq(cuc_buffer_access(b), cuc_memory_resource_access(mr));
    ck_assert_ptr_null(cuc_buffer_owner(b));
    ck_assert_ptr_null(cuc_buffer_parent(b));
    ck_assert_ptr_eq(cuc_buffer_retain(b), b);
    cuc_buffer_release(b);
    if (fake_available())
        ck_assert(fake_allocated(ptr));
    cuc_buffer_release(b);
    ck_ok(cuc_stream_synchronize(stream));
    if (fake_available())
        ck_assert(!fake_allocated(ptr));
    cuc_memory_resource_release(mr);
}

TEST_RANGE(a_buffer_outlives_the_handles_it_was_made_of, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    cuc_buffer *b = NULL;

    ck_ok(cuc_buffer_create(&b, stream, mr, 1000));
    cuc_memory_resource_release(mr);
    cuc_stream_release(stream);
    stream = NULL;
    if (fake_available()) {
        ck_assert_int_eq(fake_live("stream"), 1);
        ck_assert_int_eq(fake_live("allocation"), 1);
    }
    cuc_buffer_release(b); // frees, and drops the stream and the pool
}

FAKE_TEST_RANGE(the_memory_is_freed_in_the_order_of_its_stream, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    cuc_buffer *b;

    ck_ok(cuc_buffer_create(&b, stream, mr, 1000));
    fake_hold(stream->handle);
    fake_calls_reset();
    if (_i < 3) { // a pool's free is enqueued
        cuc_buffer_release(b);
        ck_assert_int_eq(fake_calls("cuMemFreeAsync"), 1);
        ck_assert_int_eq(fake_pending(stream->handle), 1);
        fake_resume(stream->handle);
        ck_ok(cuc_stream_synchronize(stream));
    } else { // the other resources wait
        fake_resume(stream->handle);
        cuc_buffer_release(b);
        ck_assert_int_eq(fake_calls("cuStreamSynchronize"), 1);
    }
    cuc_memory_resource_release(mr);
}

FAKE_TEST(another_stream_can_free_the_memory)
{
    cuc_memory_resource *mr = resource_of(0);
    cuc_stream *other, *foreign;
    cuc_device *second;
    cuc_buffer *b;

    ck_ok(cuc_device_get(&second, 1));
    ck_ok(cuc_stream_create(&other, device, NULL));
    ck_ok(cuc_stream_create(&foreign, second, NULL));
    ck_ok(cuc_buffer_create(&b, stream, mr, 1000));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_set_stream(b, NULL), "stream is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_set_stream(b, foreign), "device 0", "device 1");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_set_stream(NULL, other), "buffer is NULL");
    ck_assert_ptr_eq(cuc_buffer_stream(b), stream);
    ck_ok(cuc_buffer_set_stream(b, other));
    ck_ok(cuc_buffer_set_stream(b, other)); // moving to its own stream is harmless
    ck_assert_ptr_eq(cuc_buffer_stream(b), other);
    CUstream handle = other->handle;
    fake_hold(handle);
    cuc_stream_release(other);
    cuc_stream_release(foreign);
    cuc_buffer_release(b);
    ck_assert_int_eq(fake_pending(stream->handle), 0);
    ck_assert_int_eq(fake_pending(handle), 1); // the free is pending
    fake_resume(handle);
    ck_soon(fake_pending(handle) == 0);
    cuc_memory_resource_release(mr);
}

TEST(without_a_resource_the_streams_device_chooses)
{
    cuc_memory_resource *mr;
    cuc_buffer *b = untouched;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_create(&b, NULL, NULL, 64), "both NULL");
    ck_assert_ptr_eq(b, untouched);
    ck_ok(cuc_buffer_create(&b, stream, NULL, 64));
    ck_ok(cuc_device_get_memory_resource(&mr, device));
    ck_assert_ptr_eq(cuc_buffer_memory_resource(b), mr);
    cuc_memory_resource_release(mr);
    cuc_buffer_release(b);
}

FAKE_TEST_RANGE(an_empty_buffer_makes_no_driver_call, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    void *host = &mr;
    cuc_buffer *b;

    fake_calls_reset();
    ck_ok(cuc_buffer_create(&b, stream, mr, 0));
    ck_assert_uint_eq(cuc_buffer_ptr(b), 0);
    ck_assert_uint_eq(cuc_buffer_bytes(b), 0);
    if (cuc_buffer_access(b) & CUC_MEMORY_ACCESS_HOST) {
        ck_ok(cuc_buffer_get_host_pointer(&host, b));
        ck_assert_ptr_null(host);
    }
    cuc_buffer_release(b);
    ck_assert_int_eq(fake_calls_total(), 0);
    cuc_memory_resource_release(mr);
}

FAKE_TEST(a_stream_of_another_device_is_refused_by_name)
{
    cuc_memory_resource *mr = resource_of(0);
    cuc_buffer *b = untouched;
    cuc_stream *foreign;
    cuc_device *second;

    ck_ok(cuc_device_get(&second, 1));
    ck_ok(cuc_stream_create(&foreign, second, NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_create(&b, foreign, mr, 64),
             "resource is of device 0", "stream of device 1");
    ck_assert_ptr_eq(b, untouched);
    cuc_stream_release(foreign);
    cuc_memory_resource_release(mr);
}

FAKE_TEST_RANGE(a_driver_call_that_fails_makes_no_buffer_and_leaks_none, 0, 6)
{
    bool done = false;

    for (int n = 1; !done && n < 50; n++) {
        cuc_memory_resource *mr = resource_of(_i);
        cuc_buffer *b = untouched;

        fake_fail_any(n, 999);
        cuc_status st = cuc_buffer_create(&b, stream, mr, 64);
        if (st < 0) {
            ck_assert_ptr_eq(b, untouched);
            ck_assert_int_eq(cuc_error_library_code(), 999);
            ck_assert_str_eq(cuc_error_function(), "cuc_buffer_create");
        } else {
            done = fake_fails_armed() == 1;
        }
        fake_fail_reset();
        while (cuc__cu.cuCtxPopCurrent(&(CUcontext){ NULL }) == 0)
            ; // the failed pop left a context current
        if (st >= 0)
            cuc_buffer_release(b);
        ck_assert_int_eq(fake_live("allocation"), 0);
        cuc_memory_resource_release(mr);
        cuc__pools_destroy_released();
        ck_assert_int_eq(fake_live("pool"), 0);
    }
    ck_assert(done);
    unraisable.count = 0;
}

FAKE_TEST_RANGE(a_failure_of_a_release_goes_only_to_the_handler, 0, 6)
{
    static const char *const calls[] = { "cuMemFreeAsync", "cuMemFreeAsync", "cuMemFreeAsync",
                                         "cuMemFree",      "cuMemFreeHost",  "cuMemFree" };
    cuc_memory_resource *mr = resource_of(_i);
    cuc_buffer *b;

    ck_ok(cuc_buffer_create(&b, stream, mr, 64));
    cuc_device_ptr ptr = cuc_buffer_ptr(b);
    cuc_error_clear();
    fake_fail(calls[_i], 1, 999);
    cuc_buffer_release(b);
    ck_assert_int_eq(unraisable.count, 1);
    ck_assert_ptr_nonnull(strstr(unraisable.last, calls[_i]));
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
    ck_assert(fake_allocated(ptr)); // leaked, as the message says
    unraisable.count = 0;
    ck_ok(cuc_memory_free(stream, mr, ptr, 64));
    cuc_memory_resource_release(mr);
}

// Pretends that another thread is capturing the stream at the first try, and has ended the capture
// by the second.
FAKE_TEST_RANGE(a_free_that_meets_the_end_of_a_capture_is_retried, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i % 3);
    cuc_buffer *b;

    ck_ok(cuc_buffer_create(&b, stream, mr, 64));
    cuc_device_ptr ptr = cuc_buffer_ptr(b);
    for (int n = 1; n <= 1 + _i / 3; n++) // other captures may have begun and ended in between
        fake_fail("cuMemFreeAsync", n, CUDA_ERROR_INVALID_VALUE);
    cuc_buffer_release(b);
    ck_assert_int_eq(fake_fails_armed(), 0);
    ck_assert_int_eq(unraisable.count, 0);
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert(!fake_allocated(ptr));
    cuc_memory_resource_release(mr);
}

FAKE_TEST_RANGE(a_release_in_a_lost_context_is_silent, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    cuc_buffer *b;

    ck_ok(cuc_buffer_create(&b, stream, mr, 64));
    fake_poison(stream->handle, 700);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(stream), "");
    cuc_error_clear();
    cuc_buffer_release(b);
    cuc_memory_resource_release(mr);
    cuc_stream_release(stream);
    stream = NULL;
    ck_assert_int_eq(unraisable.count, 0);
    ck_assert_int_eq(cuc_error_status(), CUC_OK);
    fake_reset();
}

TEST_RANGE(a_synchronous_buffer_released_in_a_capture_of_its_stream_leaks_and_is_reported, 3, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    CUgraph graph = NULL;
    cuc_buffer *b;

    ck_ok(cuc_buffer_create(&b, stream, mr, 64));
    cuc_device_ptr ptr = cuc_buffer_ptr(b);
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(stream->handle, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     0);
    cuc_buffer_release(b);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream->handle, &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    ck_assert_int_eq(unraisable.count, 1);
    ck_assert_ptr_nonnull(strstr(unraisable.last, "captured"));
    unraisable.count = 0;
    ck_ok(cuc_memory_free(stream, mr, ptr, 64));
    cuc_memory_resource_release(mr);
}

// ---- Memory of other libraries

static int dropped;

static void drop(void *owner)
{
    ck_assert_ptr_eq(owner, &dropped);
    dropped++;
}

TEST(host_memory_is_borrowed_as_a_buffer)
{
    int32_t memory[4] = { 1, 2, 3, 4 };
    void *host = NULL;
    cuc_buffer *b;

    ck_ok(cuc_buffer_from_pointer(&b, (cuc_device_ptr)(uintptr_t)memory, sizeof(memory), NULL));
    ck_assert_uint_eq(cuc_buffer_access(b), CUC_MEMORY_ACCESS_HOST);
    ck_assert_ptr_null(cuc_buffer_device(b));
    ck_assert_ptr_null(cuc_buffer_memory_resource(b));
    ck_ok(cuc_buffer_get_host_pointer(&host, b));
    ck_assert_ptr_eq(host, memory);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_set_stream(b, stream), "does not free");
    cuc_buffer_release(b);
    ck_assert_int_eq(memory[3], 4);
}

TEST_RANGE(the_kind_of_driver_memory_is_detected, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    cuc_device_ptr ptr;
    cuc_buffer *b;

    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 1000));
    ck_ok(cuc_buffer_from_pointer(&b, ptr + 100, 900, NULL));
    ck_assert_uint_eq(cuc_buffer_ptr(b), ptr + 100);
    ck_assert_uint_eq(cuc_buffer_access(b), cuc_memory_resource_access(mr));
    ck_assert_ptr_eq(cuc_buffer_device(b), cuc_memory_resource_device(mr));
    cuc_buffer_release(b);
    ck_ok(cuc_memory_free(stream, mr, ptr, 1000));
    cuc_memory_resource_release(mr);
}

TEST(the_owner_is_dropped_with_the_last_reference)
{
    int memory = 0;
    cuc_buffer *b, *part;

    dropped = 0;
    ck_ok(cuc_buffer_from_pointer(&b, (cuc_device_ptr)(uintptr_t)&memory, sizeof(memory),
                                  CUC_BUFFER_OPTIONS(.owner = &dropped, .drop_owner = drop)));
    ck_assert_ptr_eq(cuc_buffer_owner(b), &dropped);
    ck_ok(cuc_buffer_slice(&part, b, 1, 2));
    cuc_buffer_release(b);
    ck_assert_int_eq(dropped, 0);
    cuc_buffer_release(part);
    ck_assert_int_eq(dropped, 1);
}

TEST_RANGE(a_resource_takes_memory_over, 0, 6)
{
    cuc_memory_resource *mr = resource_of(_i);
    cuc_device_ptr ptr;
    cuc_buffer *b;

    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 1000));
    if (fake_available())
        fake_calls_reset();
    ck_ok(cuc_buffer_from_pointer(&b, ptr, 1000,
                                  CUC_BUFFER_OPTIONS(.resource = mr, .stream = stream)));
    if (fake_available())
        ck_assert_int_eq(fake_calls_total(), 0); // the resource knows the answer
    ck_assert_ptr_eq(cuc_buffer_memory_resource(b), mr);
    ck_assert_ptr_eq(cuc_buffer_device(b), cuc_memory_resource_device(mr));
    ck_assert_uint_eq(cuc_buffer_access(b), cuc_memory_resource_access(mr));
    cuc_memory_resource_release(mr);
    cuc_buffer_release(b);
    ck_ok(cuc_stream_synchronize(stream));
    if (fake_available())
        ck_assert_int_eq(fake_live("allocation"), 0);
}

// A user-defined resource that lends one allocation of a device, with or without the device's name.
static cuc_device_ptr lent_memory;

static cuc_status lend(void *user, cuc_device_ptr *out, cuc_stream *with, size_t bytes)
{
    (void)user, (void)bytes, (void)with;
    *out = lent_memory;
    return CUC_OK;
}

static cuc_status take_back(void *user, cuc_stream *with, cuc_device_ptr ptr, size_t bytes)
{
    (void)user, (void)ptr, (void)bytes, (void)with;
    return CUC_OK;
}

TEST_RANGE(memory_of_the_users_own_resource_has_its_device, 0, 2)
{
    cuc_memory_resource *under, *mr;
    cuc_buffer *b;
    cuc_tensor t;
    const int64_t shape[] = { 64 };

    ck_ok(cuc_memory_synchronous_create(&under, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_allocate(&lent_memory, stream, under, 64));
    ck_ok(cuc_memory_resource_create(&mr,
                                     CUC_MEMORY_CALLBACKS(.allocate = lend, .deallocate = take_back,
                                                          .device = _i ? device : NULL,
                                                          .access = CUC_MEMORY_ACCESS_DEVICE)));
    for (int made = 0; made < 2; made++) {
        if (made)
            ck_ok(cuc_buffer_create(&b, stream, mr, 64));
        else
            ck_ok(cuc_buffer_from_pointer(&b, lent_memory, 64, CUC_BUFFER_OPTIONS(.resource = mr)));
        ck_assert_ptr_eq(cuc_buffer_device(b), device);
        ck_ok(cuc_tensor_from_buffer(&t, b, CUC_U8, 1, shape));
        ck_assert_int_eq(t.device, cuc_device_ordinal(device));
        cuc_buffer_release(b);
    }
    cuc_memory_resource_release(mr);
    ck_ok(cuc_memory_free(stream, under, lent_memory, 64));
    cuc_memory_resource_release(under);
}

FAKE_TEST(given_properties_are_not_queried)
{
    cuc_buffer *b;

    fake_calls_reset();
    ck_ok(cuc_buffer_from_pointer(
        &b, 4096, 64, CUC_BUFFER_OPTIONS(.device = device, .access = CUC_MEMORY_ACCESS_DEVICE)));
    ck_assert_ptr_eq(cuc_buffer_device(b), device);
    ck_assert_uint_eq(cuc_buffer_access(b), CUC_MEMORY_ACCESS_DEVICE);
    cuc_buffer_release(b);
    ck_ok(cuc_buffer_from_pointer(&b, 4096, 64,
                                  CUC_BUFFER_OPTIONS(.access = CUC_MEMORY_ACCESS_HOST)));
    ck_assert_ptr_null(cuc_buffer_device(b));
    cuc_buffer_release(b);
    ck_ok(cuc_buffer_from_pointer(&b, 0, 0, NULL));
    cuc_buffer_release(b);
    ck_assert_int_eq(fake_calls_total(), 0);
}

// Functions that read the kind of a buffer's memory; each is tested on 64 bytes of pinned memory.
static cuc_status read_access(cuc_buffer *b)
{
    return cuc_buffer_access(b) & CUC_MEMORY_ACCESS_HOST ? CUC_OK : CUC_ERROR_DRIVER;
}

static cuc_status read_host_pointer(cuc_buffer *b)
{
    void *host;

    return cuc_buffer_get_host_pointer(&host, b);
}

static cuc_status read_tensor(cuc_buffer *b)
{
    cuc_tensor t;
    cuc_status st = cuc_tensor_from_buffer(&t, b, CUC_F32, 1, (const int64_t[]){ 16 });

    ck_assert(st < 0 || t.flags & CUC_TENSOR_PINNED);
    return st;
}

static cuc_status read_copy_from(cuc_buffer *b)
{
    uint32_t bytes[16];
    cuc_buffer *to;

    ck_ok(cuc_buffer_from_pointer(&to, (cuc_device_ptr)(uintptr_t)bytes, sizeof(bytes),
                                  CUC_BUFFER_OPTIONS(.access = CUC_MEMORY_ACCESS_HOST)));
    cuc_status st = cuc_buffer_copy(stream, to, 0, b, 0, 64);
    ck_ok(cuc_stream_synchronize(stream));
    cuc_buffer_release(to);
    return st;
}

static cuc_status read_part(cuc_buffer *b)
{
    cuc_buffer *part;

    ck_ok(cuc_buffer_slice(&part, b, 0, 64));
    cuc_status st = read_access(part);
    cuc_buffer_release(part);
    return st;
}

static cuc_status (*const readers[])(cuc_buffer *) = {
    read_access, read_host_pointer, read_tensor, read_copy_from, read_part,
};

FAKE_TEST_ROWS(the_driver_is_queried_about_memory_on_demand, readers)
{
    cuc_memory_resource *pinned = resource_of(1);
    cuc_device_ptr ptr;
    cuc_buffer *b;

    ck_ok(cuc_memory_allocate(&ptr, stream, pinned, 64));
    fake_calls_reset();
    ck_ok(cuc__buffer_from_pointer(&b, ptr, 64, NULL));
    ck_assert_int_eq(fake_calls_total(), 0);
    fake_fail("cuPointerGetAttributes", 1, 999);
    ck_assert_int_eq(readers[_i](b), CUC_ERROR_DRIVER);
    for (int i = 0; i < 2; i++)
        ck_ok(readers[_i](b));
    if (readers[_i] != read_part) // each new slice asks the driver again
        ck_assert_int_eq(fake_calls("cuPointerGetAttributes"), 2);
    ck_ok(read_access(b));
    cuc_buffer_release(b);
    ck_ok(cuc_memory_free(stream, pinned, ptr, 64));
    cuc_memory_resource_release(pinned);
}

FAKE_TEST(inconsistent_arguments_are_refused_and_nothing_is_dropped)
{
    cuc_memory_resource *pool = resource_of(0);
    cuc_buffer *b = untouched;
    cuc_device *second;
    cuc_stream *foreign;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    dropped = 0;
    ck_ok(cuc_device_get(&second, 1));
    ck_ok(cuc_stream_create(&foreign, second, NULL));
    ck_fails(bad, cuc_buffer_from_pointer(NULL, 4096, 64, NULL), "out is NULL");
    ck_fails(bad, cuc_buffer_from_pointer(&b, 0, 64, NULL), "ptr is 0");
    ck_fails(bad, cuc_buffer_from_pointer(&b, UINT64_MAX - 8, 64, NULL), "address space");
    ck_fails(bad,
             cuc_buffer_from_pointer(&b, 4096, 64,
                                     CUC_BUFFER_OPTIONS(.resource = pool, .stream = stream,
                                                        .owner = &dropped, .drop_owner = drop)),
             "both set");
    ck_fails(bad,
             cuc_buffer_from_pointer(&b, 4096, 64,
                                     CUC_BUFFER_OPTIONS(.stream = stream, .drop_owner = drop)),
             "options->stream is set without");
    ck_fails(bad, cuc_buffer_from_pointer(&b, 4096, 64, CUC_BUFFER_OPTIONS(.access = 8)),
             "access is 0x8");
    ck_fails(bad, cuc_buffer_from_pointer(&b, 4096, 64, CUC_BUFFER_OPTIONS(.reserved = 1)),
             "reserved 1");
    ck_fails(bad, cuc_buffer_from_pointer(&b, 4096, 64, CUC_BUFFER_OPTIONS(.resource = pool)),
             "stream is NULL");
    ck_fails(bad,
             cuc_buffer_from_pointer(&b, 4096, 64,
                                     CUC_BUFFER_OPTIONS(.resource = pool, .stream = foreign)),
             "device 0", "device 1");
    ck_fails(
        bad,
        cuc_buffer_from_pointer(
            &b, 4096, 64, CUC_BUFFER_OPTIONS(.resource = pool, .stream = stream, .device = second)),
        "device 0", "device 1");
    fake_fail("cuPointerGetAttributes", 1, 999);
    ck_fails(CUC_ERROR_DRIVER,
             cuc_buffer_from_pointer(&b, 4096, 64,
                                     CUC_BUFFER_OPTIONS(.owner = &dropped, .drop_owner = drop)),
             "cuPointerGetAttributes");
    ck_assert_ptr_eq(b, untouched);
    ck_assert_int_eq(dropped, 0);
    cuc_stream_release(foreign);
    cuc_memory_resource_release(pool);
}

// ---- Slices

static const struct slice {
    size_t offset, bytes;
    cuc_status status;
} slices[] = {
    { 0, 1000, CUC_OK },
    { 0, 0, CUC_OK },
    { 1000, 0, CUC_OK },
    { 999, 1, CUC_OK },
    { 1, 1000, CUC_ERROR_INVALID_ARGUMENT },
    { 1001, 0, CUC_ERROR_INVALID_ARGUMENT },
    { SIZE_MAX, 2, CUC_ERROR_INVALID_ARGUMENT },
    { 2, SIZE_MAX, CUC_ERROR_INVALID_ARGUMENT },
    { SIZE_MAX, SIZE_MAX, CUC_ERROR_INVALID_ARGUMENT },
};

TEST_ROWS(a_slice_stays_within_its_parent, slices)
{
    const struct slice *row = &slices[_i];
    cuc_buffer *b, *part = untouched;

    ck_ok(cuc_buffer_create(&b, stream, NULL, 1000));
    if (row->status < 0) {
        ck_fails(row->status, cuc_buffer_slice(&part, b, row->offset, row->bytes), "1000 bytes");
        ck_assert_ptr_eq(part, untouched);
    } else {
        ck_ok(cuc_buffer_slice(&part, b, row->offset, row->bytes));
        ck_assert_uint_eq(cuc_buffer_ptr(part), row->bytes ? cuc_buffer_ptr(b) + row->offset : 0);
        ck_assert_uint_eq(cuc_buffer_bytes(part), row->bytes);
        ck_assert_ptr_eq(cuc_buffer_parent(part), b);
        ck_assert_ptr_eq(cuc_buffer_device(part), device);
        ck_assert_uint_eq(cuc_buffer_access(part), CUC_MEMORY_ACCESS_DEVICE);
        ck_assert_ptr_null(cuc_buffer_memory_resource(part));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_set_stream(part, stream), "slice");
        cuc_buffer_release(part);
    }
    cuc_buffer_release(b);
}

TEST(a_slice_of_a_slice_holds_the_memory)
{
    cuc_buffer *b, *part, *part_of_part;

    ck_ok(cuc_buffer_create(&b, stream, NULL, 1000));
    cuc_device_ptr ptr = cuc_buffer_ptr(b);
    ck_ok(cuc_buffer_slice(&part, b, 100, 800));
    ck_ok(cuc_buffer_slice(&part_of_part, part, 100, 100));
    cuc_buffer_release(b);
    cuc_buffer_release(part);
    ck_assert_uint_eq(cuc_buffer_ptr(part_of_part), ptr + 200);
    if (fake_available())
        ck_assert(fake_allocated(ptr));
    cuc_buffer_release(part_of_part);
    ck_ok(cuc_stream_synchronize(stream));
    if (fake_available())
        ck_assert(!fake_allocated(ptr));
}

TEST(device_memory_has_no_host_pointer)
{
    void *host = &host;
    cuc_buffer *b;

    ck_ok(cuc_buffer_create(&b, stream, NULL, 64));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_get_host_pointer(&host, b),
             "cuc_buffer_read_async()");
    ck_assert_ptr_eq(host, &host);
    cuc_buffer_release(b);
}

TEST(null_is_accepted_where_it_has_a_meaning)
{
    cuc_buffer *b;
    void *host;

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_create(NULL, stream, NULL, 1), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_slice(NULL, NULL, 1, 1), "out is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_slice(&b, NULL, 1, 1), "parent is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_buffer_get_host_pointer(&host, NULL),
             "buffer is NULL");
    cuc_buffer_release(NULL);
    ck_assert_ptr_null(cuc_buffer_retain(NULL));
    ck_assert_uint_eq(cuc_buffer_ptr(NULL), 0);
    ck_assert_uint_eq(cuc_buffer_bytes(NULL), 0);
    ck_assert_uint_eq(cuc_buffer_access(NULL), 0);
    ck_assert_ptr_null(cuc_buffer_device(NULL));
    ck_assert_ptr_null(cuc_buffer_memory_resource(NULL));
    ck_assert_ptr_null(cuc_buffer_stream(NULL));
    ck_assert_ptr_null(cuc_buffer_owner(NULL));
    ck_assert_ptr_null(cuc_buffer_parent(NULL));
}

// ---- Threads

static void *make_and_release(void *unused)
{
    cuc_stream *own = NULL;
    intptr_t failures = cuc_stream_create(&own, device, NULL) < 0;

    (void)unused;
    for (int i = 0; i < 200 && !failures; i++) {
        cuc_memory_resource *mr = NULL;
        cuc_buffer *b = NULL, *part = NULL;
        failures += cuc_buffer_create(&b, own, NULL, 64) < 0;
        failures += cuc_buffer_slice(&part, b, 8, 8) < 0;
        cuc_buffer_release(b);
        failures += cuc_buffer_fill(own, part, 0, 1, 1, 8) < 0;
        cuc_buffer_release(part);
        failures += cuc_device_get_memory_resource(&mr, device) < 0;
        failures += cuc_device_set_memory_resource(device, i % 2 ? mr : NULL) < 0;
        cuc_memory_resource_release(mr);
    }
    cuc_stream_release(own);
    return (void *)failures;
}

TEST(buffers_are_made_and_released_on_many_threads)
{
    pthread_t threads[4];

    for (int i = 0; i < CUC_LENGTH(threads); i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, make_and_release, NULL), 0);
    for (int i = 0; i < CUC_LENGTH(threads); i++) {
        void *failures = &failures;
        ck_assert_int_eq(pthread_join(threads[i], &failures), 0);
        ck_assert_ptr_null(failures);
    }
    ck_ok(cuc_device_set_memory_resource(device, NULL));
}

CASE("checked handles");

FAKE_TEST(use_of_a_buffer_after_its_release_is_detected)
{
    cuc_buffer *b;
    void *host;

    setenv("CUCORE_CHECK_HANDLES", "1", 1);
    device_setup();
    ck_ok(cuc_buffer_create(&b, stream, NULL, 64));
    cuc_buffer_release(b);
    ck_fails(CUC_ERROR_INVALID_HANDLE, cuc_buffer_get_host_pointer(&host, b), "released already");
    ck_assert_uint_eq(cuc__handle_count(CUC__HANDLE_BUFFER), 0);
    cuc_buffer_release(b);
    ck_assert_int_eq(unraisable.count, 1);
    unraisable.count = 0;
    device_teardown();
}

int main(void)
{
    return run_device_tests("buffer");
}
