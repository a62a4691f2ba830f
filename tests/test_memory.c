#include <cucore/memory.h>

#include "base/array.h"
#include "device_test.h"

#include <cucore/ipc.h>
#include <unistd.h>

static cuc_memory_resource *const untouched = (cuc_memory_resource *)&unraisable;

// ---- Every resource that allocates

static cuc_status make_pool(cuc_memory_resource **out, int32_t kind)
{
    cuc_memory_pool_options options = CUC_MEMORY_POOL_OPTIONS_INIT;

    options.kind = kind;
    options.release_threshold = 4096;
    return cuc_memory_pool_create(out, device, &options);
}

static cuc_status make_default(cuc_memory_resource **out, int32_t kind)
{
    return cuc_memory_pool_get_current(out, device, kind);
}

static cuc_status make_synchronous(cuc_memory_resource **out, int32_t kind)
{
    return cuc_memory_synchronous_create(out, device, kind);
}

static const struct source {
    const char *name;
    cuc_status (*make)(cuc_memory_resource **out, int32_t kind);
    int is_pool;
    int32_t kind;
    uint32_t access;
} sources[] = {
    { "pool of device memory", make_pool, 1, CUC_MEMORY_DEVICE, 1 },
    { "pool of pinned memory", make_pool, 1, CUC_MEMORY_PINNED, 3 },
    { "pool of managed memory", make_pool, 1, CUC_MEMORY_MANAGED, 7 },
    { "the driver's pool of device memory", make_default, 1, CUC_MEMORY_DEVICE, 1 },
    { "the driver's pool of pinned memory", make_default, 1, CUC_MEMORY_PINNED, 3 },
    { "the driver's pool of managed memory", make_default, 1, CUC_MEMORY_MANAGED, 7 },
    { "synchronous device memory", make_synchronous, 0, CUC_MEMORY_DEVICE, 1 },
    { "synchronous pinned memory", make_synchronous, 0, CUC_MEMORY_PINNED, 3 },
    { "synchronous managed memory", make_synchronous, 0, CUC_MEMORY_MANAGED, 7 },
};

enum { SOURCES = CUC_LENGTH(sources) };

CASE("any driver", .setup = device_setup, .teardown = device_teardown);

TEST_RANGE(every_resource_allocates_and_frees, 0, SOURCES)
{
    const struct source *s = &sources[_i];
    cuc_memory_resource *mr = NULL;
    cuc_pointer_info info = CUC_POINTER_INFO_INIT;
    cuc_device_ptr ptr = 0;

    ck_ok(s->make(&mr, s->kind));
    ck_assert_int_eq(cuc_memory_resource_is_pool(mr), s->is_pool);
    ck_assert_int_eq(cuc_memory_pool_handle(mr) != NULL, s->is_pool);
    ck_assert_int_eq(cuc_memory_resource_kind(mr), s->kind);
    ck_assert_uint_eq(cuc_memory_resource_access(mr), s->access);
    ck_assert_ptr_eq(cuc_memory_resource_device(mr), s->kind == CUC_MEMORY_PINNED ? NULL : device);

    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 1000));
    ck_assert_uint_ne(ptr, 0);
    ck_assert_uint_eq(ptr % 256, 0);
    ck_ok(cuc_memory_get_pointer_info(&info, ptr));
    ck_assert_int_eq(info.kind, s->kind);
    ck_assert_uint_eq(info.access, s->access);
    if (s->access & CUC_MEMORY_ACCESS_HOST) {
        ck_ok(cuc_stream_synchronize(stream));
        memset((void *)(uintptr_t)ptr, 7, 1000);
    }
    ck_ok(cuc_memory_free(stream, mr, ptr, 1000));
    ck_ok(cuc_stream_synchronize(stream));
    if (fake_available())
        ck_assert(!fake_allocated(ptr));
    cuc_memory_resource_release(mr);
}

FAKE_TEST_RANGE(an_empty_allocation_has_address_0_in_every_resource, 0, SOURCES)
{
    const struct source *s = &sources[_i];
    cuc_memory_resource *mr;
    cuc_device_ptr ptr = 99;

    ck_ok(s->make(&mr, s->kind));
    fake_calls_reset();
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 0));
    ck_assert_uint_eq(ptr, 0);
    ck_ok(cuc_memory_free(stream, mr, ptr, 0));
    ck_assert_int_eq(fake_calls_total(), 0);
    cuc_memory_resource_release(mr);
}

TEST_RANGE(only_pools_require_a_stream, 0, SOURCES)
{
    const struct source *s = &sources[_i];
    cuc_memory_resource *mr;
    cuc_device_ptr ptr = 99;

    ck_ok(s->make(&mr, s->kind));
    if (s->is_pool) {
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_allocate(&ptr, NULL, mr, 64),
                 "stream is NULL");
        ck_assert_uint_eq(ptr, 99);
    } else {
        ck_ok(cuc_memory_allocate(&ptr, NULL, mr, 64));
        ck_ok(cuc_memory_free(NULL, mr, ptr, 64));
    }
    cuc_memory_resource_release(mr);
}

FAKE_TEST_RANGE(device_memory_is_not_allocated_on_another_devices_stream, 0, SOURCES)
{
    const struct source *s = &sources[_i];
    cuc_memory_resource *mr;
    cuc_device_ptr ptr = 99;
    cuc_device *second;
    cuc_stream *other;

    ck_ok(s->make(&mr, s->kind));
    ck_ok(cuc_device_get(&second, 1));
    ck_ok(cuc_stream_create(&other, second, NULL));
    if (s->kind == CUC_MEMORY_DEVICE) {
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_allocate(&ptr, other, mr, 64), "device 0",
                 "device 1");
        ck_assert_uint_eq(ptr, 99);
    } else if (!s->is_pool) {
        ck_ok(cuc_memory_allocate(&ptr, other, mr, 64));
        ck_ok(cuc_memory_free(other, mr, ptr, 64));
    }
    cuc_stream_release(other);
    cuc_memory_resource_release(mr);
}

// Fails the n-th driver call for every n, until a run makes fewer calls.
FAKE_TEST_RANGE(a_driver_call_that_fails_leaves_nothing_behind, 0, 2 * SOURCES)
{
    const struct source *s = &sources[_i % SOURCES];
    cuc_stream *on = stream;
    bool done = false;

    if (_i >= SOURCES) // calls on a default stream push and pop its context
        ck_ok(cuc_stream_get_default(&on, device, CUC_STREAM_LEGACY));
    for (int n = 1; !done && n < 50; n++) {
        cuc_memory_resource *mr = untouched;
        cuc_device_ptr ptr = 99;
        int pools = fake_live("pool"), allocations = fake_live("allocation");

        fake_fail_any(n, 999);
        cuc_status st = s->make(&mr, s->kind);
        if (st < 0) {
            ck_assert_ptr_eq(mr, untouched);
            ck_assert_int_eq(cuc_error_library_code(), 999);
            ck_assert_int_eq(fake_live("pool"), pools);
        } else {
            st = cuc_memory_allocate(&ptr, on, mr, 64);
            if (st < 0)
                ck_assert_uint_eq(ptr, 99);
            else if ((st = cuc_memory_free(on, mr, ptr, 64)) < 0)
                (void)cuc_memory_free(stream, mr, ptr,
                                      64); // unless the pop failed
            done = fake_fails_armed() == 1;
            fake_fail_reset();
            cuc_memory_resource_release(mr);
        }
        fake_fail_reset();
        cuc__pools_destroy_released();
        while (cuc__cu.cuCtxPopCurrent(&(CUcontext){ NULL }) == 0)
            ; // the failed pop left a context current
        ck_assert_int_eq(fake_live("pool"), pools);
        ck_assert_int_eq(fake_live("allocation"), allocations);
    }
    ck_assert(done);
    unraisable.count = 0;
}

// ---- The default resource

FAKE_TEST(the_default_resource_is_the_devices_pool_which_keeps_what_it_has)
{
    cuc_memory_resource *first, *second;
    uint64_t threshold = 0;

    ck_ok(cuc_device_get_memory_resource(&first, device));
    ck_ok(cuc_device_get_memory_resource(&second, device));
    ck_assert_ptr_eq(first, second);
    ck_assert_int_eq(cuc_memory_resource_is_pool(first), 1);
    ck_ok(cuc_memory_pool_get_attribute(&threshold, first, CUC_MEMORY_POOL_RELEASE_THRESHOLD));
    ck_assert_uint_eq(threshold, CUC_MEMORY_POOL_KEEP_ALL);
    cuc_memory_resource_release(first);
    cuc_memory_resource_release(second);
}

FAKE_TEST(a_threshold_set_by_other_code_is_kept)
{
    cuc_memory_resource *mr;
    uint64_t threshold = 0;

    ck_ok(cuc_memory_pool_get_current(&mr, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_pool_set_attribute(mr, CUC_MEMORY_POOL_RELEASE_THRESHOLD, 12345));
    cuc_memory_resource_release(mr);
    ck_ok(cuc_memory_pool_get_current(&mr, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_pool_get_attribute(&threshold, mr, CUC_MEMORY_POOL_RELEASE_THRESHOLD));
    ck_assert_uint_eq(threshold, 12345);
    cuc_memory_resource_release(mr);
}

CASE("other drivers");

FAKE_TEST(a_device_without_pools_has_a_synchronous_default)
{
    cuc_memory_resource *mr = NULL;
    cuc_device *bare;
    cuc_device_ptr ptr;

    fake_set_attribute(1, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 0);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get(&bare, 1));
    ck_ok(cuc_device_get_memory_resource(&mr, bare));
    ck_assert_int_eq(cuc_memory_resource_is_pool(mr), 0);
    ck_ok(cuc_memory_allocate(&ptr, NULL, mr, 64));
    ck_ok(cuc_memory_free(NULL, mr, ptr, 64));
    cuc_memory_resource_release(mr);

    mr = untouched;
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_memory_pool_create(&mr, bare, NULL), "");
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_memory_pool_get_current(&mr, bare, CUC_MEMORY_PINNED),
             "device 1");
    ck_assert_ptr_eq(mr, untouched);
}

CASE("any driver");

FAKE_TEST(the_default_resource_can_be_replaced_and_taken_back)
{
    cuc_memory_resource *mine, *now, *own;
    cuc_device *second;

    ck_ok(cuc_device_get(&second, 1));
    ck_ok(cuc_device_get_memory_resource(&own, device));
    ck_ok(cuc_memory_pool_create(&mine, device, NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_device_set_memory_resource(second, mine), "");
    ck_ok(cuc_device_set_memory_resource(device, mine));
    ck_ok(cuc_device_get_memory_resource(&now, device));
    ck_assert_ptr_eq(now, mine);
    cuc_memory_resource_release(now);
    cuc_memory_resource_release(mine);
    ck_assert_int_eq(fake_live("pool"), 1); // the device holds the pool
    ck_ok(cuc_device_set_memory_resource(device, NULL));
    ck_assert_int_eq(fake_live("pool"), 0);
    ck_ok(cuc_device_get_memory_resource(&now, device));
    ck_assert_ptr_eq(cuc_memory_pool_handle(now), cuc_memory_pool_handle(own));
    cuc_memory_resource_release(now);
    cuc_memory_resource_release(own);
}

// ---- Pools

static const struct bad_pool {
    cuc_memory_pool_options options;
    const char *said;
} bad_pools[] = {
    { { .kind = CUC_MEMORY_CUSTOM }, "kind is 3 (custom)" },
    { { .kind = -1 }, "kind is -1 (unknown)" },
    { { .flags = 6 }, "flags is 0x6" },
    { { .location = { CUC_LOCATION_DEVICE, 0 } }, "leave it CUC_LOCATION_NONE" },
    { { .kind = CUC_MEMORY_PINNED, .location = { CUC_LOCATION_DEVICE, 0 } }, "location.type is 1" },
    { { .kind = CUC_MEMORY_PINNED, .location = { CUC_LOCATION_HOST_NUMA_CURRENT, 0 } },
      "location.type is 4" },
    { { .kind = CUC_MEMORY_MANAGED, .location = { 17, 0 } }, "location.type is 17" },
    { { .kind = CUC_MEMORY_MANAGED, .location = { -1, 0 } }, "location.type is -1" },
};

TEST_ROWS(invalid_pool_options_are_refused, bad_pools)
{
    cuc_memory_pool_options options = bad_pools[_i].options;
    cuc_memory_resource *mr = untouched;

    options.struct_size = sizeof(options);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_pool_create(&mr, device, &options),
             bad_pools[_i].said);
    ck_assert_str_eq(cuc_error_function(), "cuc_memory_pool_create");
    ck_assert_ptr_eq(mr, untouched);
}

TEST(a_pool_is_made_where_its_options_say)
{
    static const cuc_memory_pool_options good[] = {
        { .kind = CUC_MEMORY_PINNED, .location = { CUC_LOCATION_HOST, 0 } },
        { .kind = CUC_MEMORY_PINNED, .location = { CUC_LOCATION_HOST_NUMA, 0 } },
        { .kind = CUC_MEMORY_MANAGED, .location = { CUC_LOCATION_DEVICE, 0 } },
        { .kind = CUC_MEMORY_MANAGED, .location = { CUC_LOCATION_HOST, 0 } },
        { .release_threshold = 4096 },
        { .release_threshold = CUC_MEMORY_POOL_KEEP_ALL },
    };

    for (size_t i = 0; i < CUC_LENGTH(good); i++) {
        cuc_memory_pool_options options = good[i];
        cuc_memory_resource *mr;
        uint64_t threshold;

        options.struct_size = sizeof(options);
        ck_ok(cuc_memory_pool_create(&mr, device, &options));
        ck_ok(cuc_memory_pool_get_attribute(&threshold, mr, CUC_MEMORY_POOL_RELEASE_THRESHOLD));
        ck_assert_uint_eq(threshold, options.release_threshold);
        cuc_memory_resource_release(mr);
    }
}

TEST(a_pool_allocates_no_more_than_its_maximum)
{
    cuc_memory_resource *mr;
    cuc_device_ptr ptr = 99;

    ck_ok(cuc_memory_pool_create(&mr, device, CUC_MEMORY_POOL_OPTIONS(.max_bytes = 64 << 20)));
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_memory_allocate(&ptr, stream, mr, (size_t)1 << 30),
             "1073741824 bytes");
    ck_assert_uint_eq(ptr, 99);
    cuc_memory_resource_release(mr);
}

CASE("other drivers");

FAKE_TEST(managed_pools_need_cuda_13)
{
    cuc_memory_resource *mr = untouched;

    fake_set_version(12080);
    ck_ok(cuc_device_get(&device, 0));
    ck_fails(CUC_ERROR_NOT_SUPPORTED, make_pool(&mr, CUC_MEMORY_MANAGED), "CUDA 13.0");
    ck_fails(CUC_ERROR_NOT_SUPPORTED, make_default(&mr, CUC_MEMORY_MANAGED), "cuMemGetMemPool");
    ck_assert_ptr_eq(mr, untouched);
}

CASE("any driver");

TEST(attributes_are_read_and_set)
{
    static const struct {
        int32_t attribute;
        uint64_t value;
        cuc_status status;
    } rows[] = {
        { CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 0, CUC_OK },
        { CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 1, CUC_OK },
        { CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, 2, CUC_ERROR_INVALID_ARGUMENT },
        { CUC_MEMORY_POOL_REUSE_ALLOW_OPPORTUNISTIC, 0, CUC_OK },
        { CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, 0, CUC_OK },
        { CUC_MEMORY_POOL_RELEASE_THRESHOLD, (uint64_t)5 << 40, CUC_OK },
        { CUC_MEMORY_POOL_RESERVED_CURRENT, 0, CUC_ERROR_INVALID_ARGUMENT },
        { CUC_MEMORY_POOL_RESERVED_HIGH, 1, CUC_ERROR_INVALID_ARGUMENT },
        { CUC_MEMORY_POOL_USED_CURRENT, 0, CUC_ERROR_INVALID_ARGUMENT },
        { CUC_MEMORY_POOL_USED_HIGH, 0, CUC_OK },
        { 0, 0, CUC_ERROR_INVALID_ARGUMENT },
        { 9, 0, CUC_ERROR_INVALID_ARGUMENT },
        { -3, 0, CUC_ERROR_INVALID_ARGUMENT },
    };
    cuc_memory_resource *mr;

    ck_ok(make_pool(&mr, CUC_MEMORY_DEVICE));
    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        uint64_t value = 77;
        cuc_status set = cuc_memory_pool_set_attribute(mr, rows[i].attribute, rows[i].value);
        cuc_status got = cuc_memory_pool_get_attribute(&value, mr, rows[i].attribute);
        bool known = rows[i].attribute >= 1 && rows[i].attribute <= 8;
        ck_assert_int_eq(set, rows[i].status);
        ck_assert_int_eq(got, known ? CUC_OK : CUC_ERROR_INVALID_ARGUMENT);
        if (set == CUC_OK)
            ck_assert_uint_eq(value, rows[i].value);
        if (!known)
            ck_assert_uint_eq(value, 77);
    }
    cuc_memory_resource_release(mr);
}

TEST(statistics_follow_what_is_allocated)
{
    cuc_memory_pool_statistics s = CUC_MEMORY_POOL_STATISTICS_INIT;
    cuc_memory_resource *mr;
    cuc_device_ptr ptr;

    ck_ok(cuc_memory_pool_create(
        &mr, device, CUC_MEMORY_POOL_OPTIONS(.release_threshold = CUC_MEMORY_POOL_KEEP_ALL)));
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 1 << 20));
    ck_ok(cuc_memory_pool_get_statistics(&s, mr));
    ck_assert_uint_ge(s.used_bytes, 1 << 20);
    ck_assert_uint_ge(s.reserved_bytes, s.used_bytes);
    ck_ok(cuc_memory_free(stream, mr, ptr, 1 << 20));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_memory_pool_get_statistics(&s, mr));
    ck_assert_uint_eq(s.used_bytes, 0);
    ck_assert_uint_ge(s.used_high, 1 << 20);
    ck_assert_uint_ge(s.reserved_bytes, 1 << 20); // the pool keeps the memory
    ck_ok(cuc_memory_pool_trim(mr, 0));
    ck_ok(cuc_memory_pool_reset_high_watermarks(mr));
    ck_ok(cuc_memory_pool_get_statistics(&s, mr));
    ck_assert_uint_eq(s.reserved_bytes, 0);
    ck_assert_uint_eq(s.used_high, 0);
    ck_assert_uint_eq(s.reserved_high, 0);
    cuc_memory_resource_release(mr);
}

TEST(statistics_are_written_up_to_the_callers_size)
{
    struct {
        cuc_memory_pool_statistics s;
        uint64_t newer;
    } larger = { { .struct_size = sizeof(larger) }, 9 };
    cuc_memory_pool_statistics s;
    cuc_memory_resource *mr;

    ck_ok(make_pool(&mr, CUC_MEMORY_DEVICE));
    memset(&s, 0xff, sizeof(s));
    s.struct_size = sizeof(size_t) + sizeof(uint64_t);
    ck_ok(cuc_memory_pool_get_statistics(&s, mr));
    ck_assert_uint_eq(s.reserved_bytes, 0);
    ck_assert_uint_eq(s.reserved_high, UINT64_MAX);
    ck_ok(cuc_memory_pool_get_statistics(&larger.s, mr));
    ck_assert_uint_eq(larger.s.struct_size, sizeof(larger));
    ck_assert_uint_eq(larger.newer, 0);
    s.struct_size = 3;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_pool_get_statistics(&s, mr), "");
    cuc_memory_resource_release(mr);
}

FAKE_TEST(access_to_a_pool_is_granted_and_revoked)
{
    cuc_memory_resource *mr;
    cuc_device *second;
    int32_t access = 77;

    ck_ok(cuc_device_get(&second, 1));
    ck_ok(make_pool(&mr, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_pool_get_access(&access, mr, second));
    ck_assert_int_eq(access, CUC_ACCESS_NONE);
    ck_ok(cuc_memory_pool_set_access(mr, second, CUC_ACCESS_READ_WRITE));
    ck_ok(cuc_memory_pool_get_access(&access, mr, second));
    ck_assert_int_eq(access, CUC_ACCESS_READ_WRITE);
    ck_ok(cuc_memory_pool_set_access(mr, second, CUC_ACCESS_NONE));
    ck_ok(cuc_memory_pool_get_access(&access, mr, second));
    ck_assert_int_eq(access, CUC_ACCESS_NONE);

    ck_ok(cuc_memory_pool_get_access(&access, mr, device));
    ck_assert_int_eq(access, CUC_ACCESS_READ_WRITE);
    ck_ok(cuc_memory_pool_set_access(mr, device, CUC_ACCESS_READ_WRITE));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_pool_set_access(mr, device, CUC_ACCESS_NONE),
             "");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_pool_set_access(mr, second, CUC_ACCESS_READ),
             "");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_pool_set_access(mr, NULL, CUC_ACCESS_NONE), "");

    // A new pool gives other devices no access, whatever an earlier pool did.
    ck_ok(cuc_memory_pool_set_access(mr, second, CUC_ACCESS_READ_WRITE));
    cuc_memory_resource_release(mr);
    ck_ok(make_pool(&mr, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_pool_get_access(&access, mr, second));
    ck_assert_int_eq(access, CUC_ACCESS_NONE);
    cuc_memory_resource_release(mr);
}

FAKE_TEST(a_reused_pinned_pool_is_accessible_again)
{
    cuc_memory_resource *mr;
    int32_t access = 77;

    ck_ok(make_default(&mr, CUC_MEMORY_PINNED));
    ck_ok(cuc_memory_pool_set_access(mr, device, CUC_ACCESS_NONE));
    cuc_memory_resource_release(mr);
    ck_ok(make_default(&mr, CUC_MEMORY_PINNED));
    ck_ok(cuc_memory_pool_get_access(&access, mr, device));
    ck_assert_int_eq(access, CUC_ACCESS_READ_WRITE);
    cuc_memory_resource_release(mr);
}

static int dropped;

static void drop(void *owner)
{
    ck_assert_ptr_eq(owner, &dropped);
    dropped++;
}

TEST(a_wrapped_pool_is_borrowed_and_its_owner_dropped_once)
{
    cuc_memory_resource *made, *wrapped;
    cuc_device_ptr ptr;

    dropped = 0;
    ck_ok(make_pool(&made, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_pool_from_handle(&wrapped, device, CUC_MEMORY_DEVICE,
                                      cuc_memory_pool_handle(made), &dropped, drop));
    ck_assert_ptr_eq(cuc_memory_pool_handle(wrapped), cuc_memory_pool_handle(made));
    ck_ok(cuc_memory_allocate(&ptr, stream, wrapped, 64));
    ck_ok(cuc_memory_free(stream, wrapped, ptr, 64));
    ck_assert_ptr_eq(cuc_memory_resource_retain(wrapped), wrapped);
    cuc_memory_resource_release(wrapped);
    ck_assert_int_eq(dropped, 0);
    cuc_memory_resource_release(wrapped);
    ck_assert_int_eq(dropped, 1);
    if (fake_available())
        ck_assert_int_eq(fake_live("pool"), 1);
    cuc_memory_resource_release(made);
}

// ---- Released pools

// Creates a pool, optionally fills it, releases it, and returns its handle.
static void *release_pool(const cuc_memory_pool_options *options, int fill,
                          void (*change)(cuc_memory_resource *pool))
{
    cuc_memory_resource *pool;
    cuc_device_ptr ptr;

    ck_ok(cuc_memory_pool_create(&pool, device, options));
    void *handle = cuc_memory_pool_handle(pool);
    if (fill) {
        ck_ok(cuc_memory_allocate(&ptr, stream, pool, 64));
        ck_ok(cuc_memory_free(stream, pool, ptr, 64));
        ck_ok(cuc_stream_synchronize(stream));
    }
    if (change)
        change(pool);
    cuc_memory_resource_release(pool);
    return handle;
}

static void export(cuc_memory_resource *pool)
{
    int32_t fd;

    ck_ok(cuc_memory_pool_export(&fd, pool));
    close(fd);
}

static void open_to_all(cuc_memory_resource *pool)
{
    ck_ok(cuc_memory_pool_set_access(pool, device, CUC_ACCESS_READ_WRITE));
}

static void make_current(cuc_memory_resource *pool)
{
    ck_ok(cuc_memory_pool_make_current(pool));
}

static void change_attributes(cuc_memory_resource *pool)
{
    for (int32_t a = CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES;
         a <= CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES; a++)
        ck_ok(cuc_memory_pool_set_attribute(pool, a, 0));
    ck_ok(cuc_memory_pool_set_attribute(pool, CUC_MEMORY_POOL_RELEASE_THRESHOLD, 12345));
}

static const struct {
    const char *name;
    cuc_memory_pool_options first, second;
    int fill;
    void (*change)(cuc_memory_resource *pool);
    int again; // whether the second pool reuses the first one
} released[] = {
#define OPTIONS(...)                                                \
    {                                                               \
        .struct_size = sizeof(cuc_memory_pool_options), __VA_ARGS__ \
    }
    { "filled", OPTIONS(.kind = CUC_MEMORY_DEVICE), OPTIONS(.kind = CUC_MEMORY_DEVICE), 1, NULL,
      1 },
    { "filled, of pinned memory", OPTIONS(.kind = CUC_MEMORY_PINNED),
      OPTIONS(.kind = CUC_MEMORY_PINNED), 1, NULL, 1 },
    { "with other attributes", OPTIONS(.kind = CUC_MEMORY_DEVICE),
      OPTIONS(.kind = CUC_MEMORY_DEVICE), 1, change_attributes, 1 },
    { "with another threshold", OPTIONS(.release_threshold = 9999),
      OPTIONS(.kind = CUC_MEMORY_DEVICE), 1, NULL, 1 },
    { "current", OPTIONS(.kind = CUC_MEMORY_DEVICE), OPTIONS(.kind = CUC_MEMORY_DEVICE), 1,
      make_current, 1 },
    { "never filled", OPTIONS(.kind = CUC_MEMORY_DEVICE), OPTIONS(.kind = CUC_MEMORY_DEVICE), 0,
      NULL, 0 },
    { "of another size", OPTIONS(.max_bytes = 1 << 26), OPTIONS(.kind = CUC_MEMORY_DEVICE), 1, NULL,
      0 },
    { "of another kind", OPTIONS(.kind = CUC_MEMORY_PINNED), OPTIONS(.kind = CUC_MEMORY_DEVICE), 1,
      NULL, 0 },
    { "open to others", OPTIONS(.kind = CUC_MEMORY_PINNED), OPTIONS(.kind = CUC_MEMORY_PINNED), 1,
      open_to_all, 0 },
    { "exported", OPTIONS(.flags = CUC_MEMORY_POOL_IPC), OPTIONS(.flags = CUC_MEMORY_POOL_IPC), 1,
      export, 0 },
#undef OPTIONS
};

TEST_ROWS(a_released_pool_is_reused_like_a_new_one, released)
{
    uint64_t value;
    cuc_memory_resource *next, *now;
    cuc_memory_pool_statistics s = CUC_MEMORY_POOL_STATISTICS_INIT;

    cuc__pools_destroy_released();
    void *first = release_pool(&released[_i].first, released[_i].fill, released[_i].change);
    ck_ok(cuc_memory_pool_get_current(&now, device, CUC_MEMORY_DEVICE));
    ck_assert_ptr_ne(cuc_memory_pool_handle(now), first);
    cuc_memory_resource_release(now);
    if (fake_available())
        ck_assert_int_eq(fake_live("pool"), released[_i].fill);
    ck_ok(cuc_memory_pool_create(&next, device, &released[_i].second));
    if (released[_i].again)
        ck_assert_ptr_eq(cuc_memory_pool_handle(next), first);
    else if (fake_available()) // a real driver may reuse the handle of a destroyed pool
        ck_assert_ptr_ne(cuc_memory_pool_handle(next), first);
    for (int32_t a = CUC_MEMORY_POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES;
         a <= CUC_MEMORY_POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES; a++) {
        ck_ok(cuc_memory_pool_get_attribute(&value, next, a));
        ck_assert_uint_eq(value, 1);
    }
    ck_ok(cuc_memory_pool_get_attribute(&value, next, CUC_MEMORY_POOL_RELEASE_THRESHOLD));
    ck_assert_uint_eq(value, released[_i].second.release_threshold);
    ck_ok(cuc_memory_pool_get_statistics(&s, next));
    ck_assert_uint_eq(s.reserved_bytes + s.reserved_high + s.used_bytes + s.used_high, 0);
    cuc_memory_resource_release(next);
    cuc__pools_destroy_released();
    if (fake_available())
        ck_assert_int_eq(fake_live("pool"), 0);
}

FAKE_TEST(too_many_released_pools_are_destroyed_in_time)
{
    enum { POOLS = 40, KEPT = 32 };
    cuc_memory_resource *pools[POOLS];
    cuc_device_ptr ptr;

    cuc__pools_destroy_released();
    for (int i = 0; i < POOLS; i++) {
        ck_ok(cuc_memory_pool_create(&pools[i], device, NULL));
        ck_ok(cuc_memory_allocate(&ptr, stream, pools[i], 64));
        ck_ok(cuc_memory_free(stream, pools[i], ptr, 64));
    }
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < POOLS; i++)
        cuc_memory_resource_release(pools[i]);
    // No pool is destroyed yet, because another thread may be in a call that uses one.
    ck_assert_int_eq(fake_live("pool"), POOLS);
    usleep(1100000);
    ck_ok(cuc_memory_pool_create(&pools[0], device, NULL));
    ck_assert_int_eq(fake_live("pool"), KEPT + 1);
    cuc_memory_resource_release(pools[0]);
    cuc__pools_destroy_released();
    ck_assert_int_eq(fake_live("pool"), 0);
}

static void make_a_pool(const char *message, void *user)
{
    cuc_memory_resource *pool;

    testing_failed(message, user);
    ck_ok(cuc_memory_pool_create(&pool, device, NULL));
    cuc_memory_resource_release(pool);
}

FAKE_TEST(a_failure_handler_may_create_pools)
{
    cuc_memory_pool_options options = CUC_MEMORY_POOL_OPTIONS_INIT;

    cuc__pools_destroy_released();
    CUmemoryPool pool = release_pool(&options, 1, NULL);
    cuc_set_failure_handler(make_a_pool, &unraisable);
    fake_fail("cuMemPoolDestroy", 1, 999);
    cuc__pools_destroy_released();
    ck_assert_int_eq(unraisable.count, 1);
    ck_assert_ptr_nonnull(strstr(unraisable.last, "cuMemPoolDestroy"));
    unraisable.count = 0;
    ck_assert_int_eq(cuc__cu.cuMemPoolDestroy(pool), 0); // the failed call did not destroy the pool
}

FAKE_TEST(a_released_pool_that_holds_memory_is_not_destroyed)
{
    cuc_memory_resource *pool;
    cuc_device_ptr ptr;

    cuc__pools_destroy_released();
    ck_ok(cuc_memory_pool_create(&pool, device, NULL));
    ck_ok(cuc_memory_allocate(&ptr, stream, pool, 64));
    fake_hold(stream->handle);
    ck_ok(cuc_memory_free(stream, pool, ptr, 64));
    cuc_memory_resource_release(pool);
    cuc__pools_destroy_released();
    ck_assert_int_eq(fake_live("pool"), 1);
    fake_resume(stream->handle);
    ck_ok(cuc_stream_synchronize(stream));
    cuc__pools_destroy_released();
    ck_assert_int_eq(fake_live("pool"), 0);
}

TEST(a_pool_made_current_is_the_default_one)
{
    cuc_memory_resource *mine, *now;

    ck_ok(make_pool(&mine, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_pool_make_current(mine));
    ck_ok(make_default(&now, CUC_MEMORY_DEVICE));
    ck_assert_ptr_eq(cuc_memory_pool_handle(now), cuc_memory_pool_handle(mine));
    cuc_memory_resource_release(now);
    CUmemoryPool first = NULL;
    ck_assert_int_eq(cuc__cu.cuDeviceGetDefaultMemPool(&first, 0), 0);
    ck_assert_int_eq(cuc__cu.cuDeviceSetMemPool(0, first), 0);
    cuc_memory_resource_release(mine);
}

TEST(resources_that_are_not_pools_are_refused_by_pool_calls)
{
    cuc_memory_pool_statistics s = CUC_MEMORY_POOL_STATISTICS_INIT;
    cuc_memory_resource *mr;
    uint64_t value;
    int32_t access;

    ck_ok(cuc_memory_synchronous_create(&mr, device, CUC_MEMORY_DEVICE));
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    ck_fails(bad, cuc_memory_pool_get_attribute(&value, mr, 1), "synchronous");
    ck_fails(bad, cuc_memory_pool_set_attribute(mr, 1, 0), "");
    ck_fails(bad, cuc_memory_pool_get_statistics(&s, mr), "");
    ck_fails(bad, cuc_memory_pool_reset_high_watermarks(mr), "");
    ck_fails(bad, cuc_memory_pool_trim(mr, 0), "");
    ck_fails(bad, cuc_memory_pool_set_access(mr, device, 3), "");
    ck_fails(bad, cuc_memory_pool_get_access(&access, mr, device), "");
    ck_fails(bad, cuc_memory_pool_make_current(mr), "");
    ck_fails(bad, cuc_memory_pool_trim(NULL, 0), "");
    ck_assert_ptr_null(cuc_memory_pool_handle(mr));
    cuc_memory_resource_release(mr);
}

// ---- Synchronous resources and captures

static void capture(void)
{
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(stream->handle, CU_STREAM_CAPTURE_MODE_GLOBAL),
                     0);
}

static void end_capture(void)
{
    CUgraph graph = NULL;

    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(stream->handle, &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
}

TEST_RANGE(synchronous_memory_works_during_a_capture_of_another_stream, 6, SOURCES)
{
    cuc_memory_resource *mr;
    cuc_device_ptr ptr;
    cuc_stream *other;

    ck_ok(cuc_memory_synchronous_create(&mr, device, sources[_i].kind));
    ck_ok(cuc_stream_create(&other, device, NULL));
    capture();
    ck_ok(cuc_memory_allocate(&ptr, other, mr, 64));
    ck_ok(cuc_memory_free(other, mr, ptr, 64));
    end_capture();
    cuc_stream_release(other);
    cuc_memory_resource_release(mr);
}

TEST(pools_work_during_a_capture_of_another_stream)
{
    cuc_memory_pool_statistics s = CUC_MEMORY_POOL_STATISTICS_INIT;
    cuc_memory_resource *mr, *of_driver;
    uint64_t value;
    int32_t access;

    capture();
    ck_ok(cuc_memory_pool_create(&mr, device, CUC_MEMORY_POOL_OPTIONS(.release_threshold = 64)));
    ck_ok(cuc_memory_pool_get_current(&of_driver, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_pool_get_attribute(&value, mr, CUC_MEMORY_POOL_RELEASE_THRESHOLD));
    ck_ok(cuc_memory_pool_set_attribute(mr, CUC_MEMORY_POOL_RELEASE_THRESHOLD, 0));
    ck_ok(cuc_memory_pool_get_statistics(&s, mr));
    ck_ok(cuc_memory_pool_reset_high_watermarks(mr));
    ck_ok(cuc_memory_pool_get_access(&access, mr, device));
    ck_ok(cuc_memory_pool_trim(mr, 0));
    cuc_memory_resource_release(of_driver);
    cuc_memory_resource_release(mr);
    end_capture();
}

TEST_RANGE(synchronous_memory_is_not_freed_while_its_stream_is_captured, 6, SOURCES)
{
    cuc_memory_resource *mr;
    cuc_device_ptr ptr;

    ck_ok(cuc_memory_synchronous_create(&mr, device, sources[_i].kind));
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 64));
    capture();
    ck_fails(CUC_ERROR_BUSY, cuc_memory_free(stream, mr, ptr, 64), "captured");
    end_capture();
    ck_ok(cuc_memory_free(stream, mr, ptr, 64));
    cuc_memory_resource_release(mr);
}

FAKE_TEST_RANGE(synchronous_memory_is_freed_after_a_wait_for_its_stream, 6, SOURCES)
{
    cuc_memory_resource *mr;
    cuc_device_ptr ptr;

    ck_ok(cuc_memory_synchronous_create(&mr, device, sources[_i].kind));
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 64));
    fake_calls_reset();
    ck_ok(cuc_memory_free(stream, mr, ptr, 64));
    ck_assert_int_eq(fake_calls("cuStreamSynchronize"), 1);
    ck_ok(cuc_memory_allocate(&ptr, NULL, mr, 64));
    fake_calls_reset();
    ck_ok(cuc_memory_free(NULL, mr, ptr, 64));
    ck_assert_int_eq(fake_calls("cuStreamSynchronize"), 0);

    // After a failed wait, nothing is freed.
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 64));
    fake_fail("cuStreamSynchronize", 1, 999);
    ck_fails(CUC_ERROR_DRIVER, cuc_memory_free(stream, mr, ptr, 64), "");
    ck_assert(fake_allocated(ptr));
    ck_ok(cuc_memory_free(stream, mr, ptr, 64));
    cuc_memory_resource_release(mr);
}

FAKE_TEST_RANGE(running_out_of_memory_is_reported_with_the_requested_size, 0, SOURCES)
{
    const struct source *s = &sources[_i];
    cuc_memory_resource *mr;
    cuc_device_ptr ptr = 99;

    fake_set_total_memory((size_t)1 << 20);
    ck_ok(s->make(&mr, s->kind));
    if (s->kind == CUC_MEMORY_DEVICE) {
        ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY,
                 cuc_memory_allocate(&ptr, stream, mr, (size_t)5 << 20),
                 "5242880 bytes of device memory");
        ck_assert_int_eq(cuc_error_library_code(), 2);
        ck_assert_uint_eq(ptr, 99);
    }
    cuc_memory_resource_release(mr);
}

FAKE_TEST_RANGE(a_lost_context_is_reported_and_frees_nothing, 0, SOURCES)
{
    const struct source *s = &sources[_i];
    cuc_memory_resource *mr;
    cuc_device_ptr ptr;

    ck_ok(s->make(&mr, s->kind));
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 64));
    fake_poison(stream->handle, 700);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_memory_allocate(&ptr, stream, mr, 64), "");
    ck_assert_int_eq(cuc_error_library_code(), 700);
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_memory_free(stream, mr, ptr, 64), "");
    cuc_memory_resource_release(mr);
    cuc_stream_release(stream);
    ck_assert_int_eq(unraisable.count, 0);
    fake_reset();
    stream = NULL;
}

TEST(null_arguments_are_refused)
{
    cuc_memory_pool_statistics s = CUC_MEMORY_POOL_STATISTICS_INIT;
    cuc_memory_callbacks callbacks = CUC_MEMORY_CALLBACKS_INIT;
    cuc_memory_resource *mr = untouched;
    cuc_device_ptr ptr;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    ck_fails(bad, cuc_memory_pool_create(NULL, device, NULL), "");
    ck_fails(bad, cuc_memory_pool_create(&mr, NULL, NULL), "");
    ck_fails(bad, cuc_memory_pool_get_current(NULL, device, 0), "");
    ck_fails(bad, cuc_memory_pool_get_current(&mr, NULL, 0), "");
    ck_fails(bad, cuc_memory_pool_get_current(&mr, device, 3), "");
    ck_fails(bad, cuc_memory_pool_from_handle(&mr, device, 0, NULL, NULL, NULL), "");
    ck_fails(bad, cuc_memory_pool_from_handle(&mr, device, 9, &mr, NULL, NULL), "");
    ck_fails(bad, cuc_memory_synchronous_create(NULL, device, 0), "");
    ck_fails(bad, cuc_memory_synchronous_create(&mr, NULL, 0), "");
    ck_fails(bad, cuc_memory_synchronous_create(&mr, device, 4), "");
    ck_fails(bad, cuc_memory_resource_create(NULL, &callbacks), "");
    ck_fails(bad, cuc_memory_resource_create(&mr, NULL), "");
    ck_fails(bad, cuc_memory_allocate(NULL, stream, mr, 1), "");
    ck_fails(bad, cuc_memory_allocate(&ptr, stream, NULL, 1), "");
    ck_fails(bad, cuc_memory_free(stream, NULL, 1, 1), "");
    ck_fails(bad, cuc_device_get_memory_resource(NULL, device), "");
    ck_fails(bad, cuc_device_get_memory_resource(&mr, NULL), "");
    ck_fails(bad, cuc_device_set_memory_resource(NULL, NULL), "");
    ck_fails(bad, cuc_memory_pool_get_statistics(&s, NULL), "");
    ck_assert_ptr_eq(mr, untouched);
    ck_assert_ptr_null(cuc_memory_resource_retain(NULL));
    cuc_memory_resource_release(NULL);
    ck_assert_int_eq(cuc_memory_resource_kind(NULL), -1);
    ck_assert_uint_eq(cuc_memory_resource_access(NULL), 0);
    ck_assert_ptr_null(cuc_memory_resource_device(NULL));
    ck_assert_int_eq(cuc_memory_resource_is_pool(NULL), 0);
    ck_assert_ptr_null(cuc_memory_pool_handle(NULL));
    ck_assert_str_eq(cuc_memory_kind_name(CUC_MEMORY_MANAGED), "managed");
    ck_assert_str_eq(cuc_memory_kind_name(77), "unknown");
}

// ---- User-defined resources

static struct user {
    int allocated, freed, destroyed;
    size_t bytes;
    cuc_stream *stream;
    cuc_status status;
    bool forget;
} user;

static cuc_status user_allocate(void *u, cuc_device_ptr *out, cuc_stream *s, size_t bytes)
{
    ck_assert_ptr_eq(u, &user);
    user.bytes = bytes;
    user.stream = s;
    if (user.status < 0)
        return user.status;
    user.allocated++;
    if (!user.forget)
        *out = (cuc_device_ptr)(uintptr_t)malloc(bytes);
    return CUC_OK;
}

static cuc_status user_deallocate(void *u, cuc_stream *s, cuc_device_ptr ptr, size_t bytes)
{
    ck_assert_ptr_eq(u, &user);
    ck_assert_uint_eq(bytes, user.bytes);
    user.stream = s;
    if (user.status < 0)
        return user.status;
    user.freed++;
    free((void *)(uintptr_t)ptr);
    return CUC_OK;
}

static void user_destroy(void *u)
{
    ck_assert_ptr_eq(u, &user);
    ck_assert_int_eq(user.freed, user.allocated);
    user.destroyed++;
}

static cuc_memory_resource *user_resource(cuc_device *of)
{
    cuc_memory_resource *mr = NULL;

    memset(&user, 0, sizeof(user));
    ck_ok(cuc_memory_resource_create(
        &mr, CUC_MEMORY_CALLBACKS(.user = &user, .allocate = user_allocate,
                                  .deallocate = user_deallocate, .destroy = user_destroy,
                                  .device = of, .access = CUC_MEMORY_ACCESS_HOST)));
    return mr;
}

TEST(a_custom_resource_receives_the_callers_arguments)
{
    cuc_memory_resource *mr = user_resource(NULL);
    cuc_device_ptr ptr = 0;

    ck_assert_int_eq(cuc_memory_resource_kind(mr), CUC_MEMORY_CUSTOM);
    ck_assert_uint_eq(cuc_memory_resource_access(mr), CUC_MEMORY_ACCESS_HOST);
    ck_assert_ptr_null(cuc_memory_resource_device(mr));
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 123));
    ck_assert_uint_eq(user.bytes, 123);
    ck_assert_ptr_eq(user.stream, stream);
    ck_ok(cuc_memory_free(NULL, mr, ptr, 123));
    ck_assert_ptr_null(user.stream);
    ck_assert_int_eq(user.freed, 1);
    ck_assert_int_eq(user.destroyed, 0);
    cuc_memory_resource_release(mr);
    ck_assert_int_eq(user.destroyed, 1);
}

TEST(a_custom_resources_failure_is_reported_with_the_request)
{
    cuc_memory_resource *mr = user_resource(NULL);
    cuc_device_ptr ptr = 99;

    user.status = CUC_ERROR_OUT_OF_MEMORY;
    ck_fails(CUC_ERROR_OUT_OF_MEMORY, cuc_memory_allocate(&ptr, stream, mr, 123),
             "allocate returned CUC_ERROR_OUT_OF_MEMORY for 123 bytes");
    ck_assert_uint_eq(ptr, 99);
    user.status = CUC_OK;
    user.forget = true;
    ck_fails(CUC_ERROR_OUT_OF_DEVICE_MEMORY, cuc_memory_allocate(&ptr, stream, mr, 123),
             "wrote no address");
    ck_assert_uint_eq(ptr, 99);
    user.allocated = 0;
    user.forget = false;
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 123));
    user.status = CUC_ERROR_BUSY;
    ck_fails(CUC_ERROR_BUSY, cuc_memory_free(stream, mr, ptr, 123),
             "deallocate returned CUC_ERROR_BUSY");
    user.status = CUC_OK;
    ck_ok(cuc_memory_free(stream, mr, ptr, 123));
    cuc_memory_resource_release(mr);
}

FAKE_TEST(a_custom_resource_of_a_device_requires_its_streams)
{
    cuc_memory_resource *mr;
    cuc_device *second;
    cuc_device_ptr ptr = 99;

    ck_ok(cuc_device_get(&second, 1));
    mr = user_resource(second);
    ck_assert_ptr_eq(cuc_memory_resource_device(mr), second);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_allocate(&ptr, stream, mr, 64), "device 1");
    ck_assert_int_eq(user.allocated, 0);
    cuc_memory_resource_release(mr);
}

TEST(incomplete_callbacks_are_refused)
{
    static const struct {
        cuc_memory_callbacks callbacks;
        const char *said;
    } rows[] = {
        { { .deallocate = user_deallocate, .access = 1 }, "allocate is NULL" },
        { { .allocate = user_allocate, .access = 1 }, "deallocate is NULL" },
        { { .allocate = user_allocate, .deallocate = user_deallocate }, "access is 0x0" },
        { { .allocate = user_allocate, .deallocate = user_deallocate, .access = 8 },
          "access is 0x8" },
        { { .allocate = user_allocate, .deallocate = user_deallocate, .access = 1, .reserved = 1 },
          "reserved is 1" },
    };

    for (size_t i = 0; i < CUC_LENGTH(rows); i++) {
        cuc_memory_callbacks callbacks = rows[i].callbacks;
        cuc_memory_resource *mr = untouched;

        callbacks.struct_size = sizeof(callbacks);
        callbacks.destroy = user_destroy;
        user.destroyed = 0;
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_resource_create(&mr, &callbacks),
                 rows[i].said);
        ck_assert_ptr_eq(mr, untouched);
        ck_assert_int_eq(user.destroyed, 0);
    }
}

// ---- Managed memory

static cuc_memory_resource *managed;
static cuc_device_ptr range;
static const size_t range_bytes = 1 << 20;

static void managed_setup(void)
{
    device_setup();
    ck_ok(cuc_memory_synchronous_create(&managed, device, CUC_MEMORY_MANAGED));
    ck_ok(cuc_memory_allocate(&range, stream, managed, range_bytes));
}

static void managed_teardown(void)
{
    ck_ok(cuc_memory_free(stream, managed, range, range_bytes));
    cuc_memory_resource_release(managed);
    device_teardown();
}

CASE("managed memory", .setup = managed_setup, .teardown = managed_teardown);

TEST(advice_is_given_and_read_back)
{
    cuc_memory_location at = { 77, 77 };
    int32_t on = 77, devices[4] = { 77, 77, 77, 77 };
    size_t count = 77;

    ck_ok(cuc_memory_get_read_mostly(&on, range, range_bytes));
    ck_assert_int_eq(on, 0);
    ck_ok(cuc_memory_advise(range, range_bytes, CUC_ADVISE_SET_READ_MOSTLY, NULL));
    ck_ok(cuc_memory_get_read_mostly(&on, range, range_bytes));
    ck_assert_int_eq(on, 1);
    ck_ok(cuc_memory_advise(range, range_bytes, CUC_ADVISE_UNSET_READ_MOSTLY, NULL));

    ck_ok(cuc_memory_get_preferred_location(&at, range, range_bytes));
    ck_assert_int_eq(at.type, CUC_LOCATION_NONE);
    ck_assert_int_eq(at.id, 0);
    ck_ok(cuc_memory_advise(range, range_bytes, CUC_ADVISE_SET_PREFERRED_LOCATION,
                            CUC_MEMORY_LOCATION(CUC_LOCATION_DEVICE, 0)));
    ck_ok(cuc_memory_get_preferred_location(&at, range, range_bytes));
    ck_assert_int_eq(at.type, CUC_LOCATION_DEVICE);
    ck_assert_int_eq(at.id, 0);
    ck_ok(cuc_memory_advise(range, range_bytes, CUC_ADVISE_UNSET_PREFERRED_LOCATION, NULL));
    ck_ok(cuc_memory_get_preferred_location(&at, range, range_bytes));
    ck_assert_int_eq(at.type, CUC_LOCATION_NONE);

    ck_ok(cuc_memory_get_accessed_by(&count, NULL, 0, range, range_bytes));
    ck_assert_uint_eq(count, 0);
    ck_ok(cuc_memory_advise(range, range_bytes, CUC_ADVISE_SET_ACCESSED_BY,
                            CUC_MEMORY_LOCATION(CUC_LOCATION_DEVICE, 0)));
    ck_ok(cuc_memory_get_accessed_by(&count, devices, 4, range, range_bytes));
    ck_assert_uint_eq(count, 1);
    ck_assert_int_eq(devices[0], 0);
    ck_assert_int_eq(devices[1], 77);
    ck_ok(cuc_memory_get_accessed_by(&count, NULL, 0, range, range_bytes));
    ck_assert_uint_eq(count, 1);
}

TEST(a_prefetch_is_remembered)
{
    cuc_memory_location at = { 77, 77 };

    ck_ok(cuc_memory_prefetch(stream, range, range_bytes,
                              CUC_MEMORY_LOCATION(CUC_LOCATION_DEVICE, 0)));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_memory_get_last_prefetch(&at, range, range_bytes));
    ck_assert_int_eq(at.type, CUC_LOCATION_DEVICE);
    ck_assert_int_eq(at.id, 0);
    ck_ok(
        cuc_memory_prefetch(stream, range, range_bytes, CUC_MEMORY_LOCATION(CUC_LOCATION_HOST, 0)));
    ck_ok(cuc_memory_get_last_prefetch(&at, range, range_bytes));
    ck_assert_int_eq(at.type, CUC_LOCATION_HOST);
    ck_ok(cuc_memory_discard(stream, range, range_bytes));
    ck_ok(cuc_stream_synchronize(stream));
}

FAKE_TEST(batches_go_to_the_driver_in_one_call)
{
    enum { MANY = 200 };
    static cuc_device_ptr ptrs[MANY];
    static size_t bytes[MANY];
    static cuc_memory_location places[MANY];
    cuc_memory_batch batch = CUC_MEMORY_BATCH_INIT;

    for (size_t i = 0; i < MANY; i++) {
        ptrs[i] = range + 4096 * i;
        bytes[i] = 4096;
        places[i] = (cuc_memory_location){ CUC_LOCATION_DEVICE, 0 };
    }
    batch.ptrs = ptrs;
    batch.bytes = bytes;
    batch.count = MANY;
    batch.locations = places;
    batch.location_count = 1;
    fake_calls_reset();
    ck_ok(cuc_memory_prefetch_batch(stream, &batch));
    ck_assert_int_eq(fake_calls("cuMemPrefetchBatchAsync"), 1);
    batch.location_count = MANY; // all locations are equal, so this is one run
    ck_ok(cuc_memory_prefetch_batch(stream, &batch));
    ck_assert_int_eq(fake_calls("cuMemPrefetchBatchAsync"), 2);
    for (size_t i = 0; i < MANY; i += 2)
        places[i].type = CUC_LOCATION_HOST; // neighbors differ: pieces of 64
    ck_ok(cuc_memory_prefetch_batch(stream, &batch));
    ck_assert_int_eq(fake_calls("cuMemPrefetchBatchAsync"), 2 + 4);
    ck_ok(cuc_memory_discard_and_prefetch_batch(stream, &batch));
    ck_assert_int_eq(fake_calls("cuMemDiscardAndPrefetchBatchAsync"), 4);
    ck_ok(cuc_memory_discard_batch(stream, &batch));
    ck_assert_int_eq(fake_calls("cuMemDiscardBatchAsync"), 1);

    // The legacy stream does not support batches, so it gets single calls.
    cuc_stream *legacy;
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    fake_calls_reset();
    ck_ok(cuc_memory_prefetch_batch(legacy, &batch));
    ck_assert_int_eq(fake_calls("cuMemPrefetchAsync"), MANY);

    batch.count = 0;
    fake_calls_reset();
    ck_ok(cuc_memory_prefetch_batch(stream, &batch));
    ck_ok(cuc_memory_discard_batch(stream, &batch));
    ck_assert_int_eq(fake_calls_total(), 0);
}

FAKE_TEST(a_batch_with_one_bad_entry_enqueues_nothing)
{
    cuc_device_ptr ptrs[3] = { range, range + 4096, range + 8192 };
    size_t bytes[3] = { 4096, 4096, 4096 };
    cuc_memory_location places[3] = { { 1, 0 }, { 1, 0 }, { 1, 0 } };
    cuc_memory_batch batch = CUC_MEMORY_BATCH_INIT;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    batch.ptrs = ptrs;
    batch.bytes = bytes;
    batch.count = 3;
    batch.locations = places;
    batch.location_count = 3;
    fake_calls_reset();
    bytes[2] = 0;
    ck_fails(bad, cuc_memory_discard_batch(stream, &batch), "range 2 of 3");
    bytes[2] = SIZE_MAX;
    ck_fails(bad, cuc_memory_prefetch_batch(stream, &batch), "");
    bytes[2] = 4096;
    ptrs[1] = 0;
    ck_fails(bad, cuc_memory_discard_and_prefetch_batch(stream, &batch), "range 1 of 3");
    ptrs[1] = range + 4096;
    places[1].type = 0;
    ck_fails(bad, cuc_memory_prefetch_batch(stream, &batch), "location 1 of 3");
    places[1].type = 1;
    batch.location_count = 2;
    ck_fails(bad, cuc_memory_prefetch_batch(stream, &batch), "2 locations for 3 ranges");
    batch.location_count = 3;
    batch.bytes = NULL;
    ck_fails(bad, cuc_memory_prefetch_batch(stream, &batch), "batch->bytes is NULL");
    ck_fails(bad, cuc_memory_prefetch_batch(stream, NULL), "");
    ck_assert_int_eq(fake_calls_total(), 0);
}

FAKE_TEST(invalid_calls_on_managed_memory_are_refused)
{
    const cuc_memory_location host = { CUC_LOCATION_HOST, 0 }, nowhere = { 0, 0 },
                              numa = { CUC_LOCATION_HOST_NUMA, 0 },
                              negative = { CUC_LOCATION_DEVICE, -1 };
    cuc_memory_location at;
    int32_t on;
    size_t count;
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;

    fake_calls_reset();
    ck_fails(bad, cuc_memory_prefetch(NULL, range, 1, &host), "");
    ck_fails(bad, cuc_memory_prefetch(stream, range, 1, NULL), "");
    ck_fails(bad, cuc_memory_prefetch(stream, range, 1, &nowhere), "");
    ck_fails(bad, cuc_memory_prefetch(stream, range, 1, &negative), "");
    ck_fails(bad, cuc_memory_prefetch(stream, 0, 1, &host), "");
    ck_fails(bad, cuc_memory_prefetch(stream, range, SIZE_MAX, &host), "");
    ck_ok(cuc_memory_prefetch(stream, range, 0, &host));
    ck_fails(bad, cuc_memory_discard(stream, 0, 1), "");
    ck_ok(cuc_memory_discard(stream, 0, 0));
    ck_fails(bad, cuc_memory_advise(range, 1, 0, NULL), "");
    ck_fails(bad, cuc_memory_advise(range, 1, 7, NULL), "");
    ck_fails(bad, cuc_memory_advise(range, 1, CUC_ADVISE_SET_PREFERRED_LOCATION, NULL), "");
    ck_fails(bad, cuc_memory_advise(range, 1, CUC_ADVISE_SET_ACCESSED_BY, &numa), "");
    ck_fails(bad, cuc_memory_advise(0, 1, CUC_ADVISE_SET_READ_MOSTLY, NULL), "");
    ck_ok(cuc_memory_advise(range, 0, CUC_ADVISE_SET_READ_MOSTLY, NULL));
    ck_fails(bad, cuc_memory_get_read_mostly(NULL, range, 1), "");
    ck_fails(bad, cuc_memory_get_read_mostly(&on, range, 0), "");
    ck_fails(bad, cuc_memory_get_preferred_location(&at, 0, 1), "");
    ck_fails(bad, cuc_memory_get_accessed_by(&count, NULL, 1, range, 1), "");
    ck_assert_int_eq(fake_calls_total(), 0);
}

TEST(unmanaged_memory_is_reported)
{
    cuc_memory_resource *mr;
    cuc_device_ptr ptr;
    int32_t on = 77;

    ck_ok(cuc_memory_synchronous_create(&mr, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_allocate(&ptr, stream, mr, 64));
    ck_fails(CUC_ERROR_DRIVER, cuc_memory_get_read_mostly(&on, ptr, 64), "managed");
    ck_assert_int_eq(on, 77);
    ck_fails(CUC_ERROR_DRIVER, cuc_memory_prefetch(stream, ptr, 64, CUC_MEMORY_LOCATION(2, 0)), "");
    ck_fails(CUC_ERROR_DRIVER, cuc_memory_advise(ptr, 64, CUC_ADVISE_SET_READ_MOSTLY, NULL), "");
    ck_ok(cuc_memory_free(stream, mr, ptr, 64));
    cuc_memory_resource_release(mr);
}

// ---- Pointers and host memory

CASE("any driver");

TEST(plain_host_memory_belongs_to_no_device)
{
    cuc_pointer_info info = CUC_POINTER_INFO_INIT;
    int on_the_stack = 0;

    ck_ok(cuc_memory_get_pointer_info(&info, (cuc_device_ptr)(uintptr_t)&on_the_stack));
    ck_assert_int_eq(info.kind, CUC_MEMORY_UNREGISTERED);
    ck_assert_int_eq(info.device, -1);
    ck_assert_uint_eq(info.access, CUC_MEMORY_ACCESS_HOST);
    ck_assert_ptr_eq(info.host_pointer, &on_the_stack);
    ck_assert_int_eq(info.mapped, 0);
    info.kind = 77;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_get_pointer_info(&info, 0), "");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_get_pointer_info(NULL, 1), "");
    ck_assert_int_eq(info.kind, 77);
}

TEST(an_address_inside_an_allocation_gives_the_whole_range)
{
    cuc_pointer_info info = CUC_POINTER_INFO_INIT;
    cuc_memory_resource *mr;
    cuc_device_ptr ptr;

    ck_ok(cuc_memory_synchronous_create(&mr, device, CUC_MEMORY_DEVICE));
    ck_ok(cuc_memory_allocate(&ptr, NULL, mr, 1 << 20));
    ck_ok(cuc_memory_get_pointer_info(&info, ptr + 1000));
    ck_assert_uint_eq(info.base, ptr);
    ck_assert_uint_ge(info.bytes, 1 << 20);
    ck_assert_uint_eq(info.device_pointer, ptr + 1000);
    ck_assert_ptr_null(info.host_pointer);
    ck_assert_ptr_null(info.pool);
    ck_assert_int_eq(info.device, 0);
    ck_assert_int_eq(info.mapped, 1);
    ck_assert_uint_ne(info.buffer_id, 0);
    ck_ok(cuc_memory_free(NULL, mr, ptr, 1 << 20));
    cuc_memory_resource_release(mr);
}

TEST(host_memory_is_registered_and_unregistered)
{
    cuc_pointer_info info = CUC_POINTER_INFO_INIT;
    void *host = aligned_alloc(4096, 8192);
    cuc_device_ptr ptr = 0;

    ck_ok(cuc_host_register(device, host, 8192, CUC_HOST_PORTABLE));
    ck_ok(cuc_host_get_device_pointer(&ptr, device, host));
    ck_assert_uint_ne(ptr, 0);
    ck_ok(cuc_memory_get_pointer_info(&info, (cuc_device_ptr)(uintptr_t)host));
    ck_assert_int_eq(info.kind, CUC_MEMORY_PINNED);
    ck_assert_uint_eq(info.access, 3);
    ck_fails(CUC_ERROR_DRIVER, cuc_host_register(device, host, 8192, 0), "");
    ck_assert_int_eq(cuc_error_library_code(), CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
    ck_ok(cuc_host_unregister(device, host));
    ck_fails(CUC_ERROR_DRIVER, cuc_host_unregister(device, host), "");
    ptr = 99;
    ck_fails(CUC_ERROR_DRIVER, cuc_host_get_device_pointer(&ptr, device, host), "");
    ck_assert_uint_eq(ptr, 99);

    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    ck_fails(bad, cuc_host_register(NULL, host, 1, 0), "");
    ck_fails(bad, cuc_host_register(device, NULL, 1, 0), "");
    ck_fails(bad, cuc_host_register(device, host, 0, 0), "");
    ck_fails(bad, cuc_host_register(device, host, SIZE_MAX, 0), "");
    ck_fails(bad, cuc_host_register(device, host, 1, 16), "flags is 0x10");
    ck_fails(bad, cuc_host_unregister(device, NULL), "");
    ck_fails(bad, cuc_host_get_device_pointer(NULL, device, host), "");
    free(host);
}

TEST(option_structs_of_another_size_are_read_safely)
{
    struct {
        cuc_memory_pool_options options;
        uint64_t newer;
    } larger;
    cuc_memory_resource *mr = untouched;

    cuc_memory_pool_options_init(&larger.options, sizeof(larger));
    ck_assert_uint_eq(larger.options.struct_size, sizeof(larger));
    ck_assert_uint_eq(larger.newer, 0);
    ck_ok(cuc_memory_pool_create(&mr, device, &larger.options));
    cuc_memory_resource_release(mr);
    mr = untouched;
    larger.newer = 1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_pool_create(&mr, device, &larger.options),
             "update cucore");
    larger.options.struct_size = 1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_memory_pool_create(&mr, device, &larger.options), "");
    ck_assert_ptr_eq(mr, untouched);
}

int main(void)
{
    return run_device_tests("memory");
}
