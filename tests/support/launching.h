// Kernels for tests of launches: created before each test, released and checked after it.
#ifndef CUCORE_TESTS_SUPPORT_LAUNCHING_H
#define CUCORE_TESTS_SUPPORT_LAUNCHING_H

#include "launch_ptx.h"
#include "testing.h"

// Some programs do not use all of these.
#define SHARED __attribute__((unused)) static

SHARED cuc_device *device, *other; // other: NULL if there is only one device
SHARED cuc_context *primary;
SHARED cuc_stream *stream;
SHARED cuc_object *object;
SHARED cuc_kernel *none, *three, *kinds, *many, *one;
SHARED struct fake_launch last;
SHARED struct testing_failures failures;

#define SHAPE CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 })

SHARED cuc_kernel *kernel(const char *name)
{
    cuc_kernel *k = NULL;

    ck_ok(cuc_object_get_kernel(&k, object, name));
    return k;
}

SHARED void setup_without_reset(void)
{
    memset(&failures, 0, sizeof(failures));
    cuc_set_failure_handler(testing_failed, &failures);
    testing_devices(&device, &primary, &other);
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    none = kernel("none");
    three = kernel("three");
    kinds = kernel("kinds");
    many = kernel("many");
    one = kernel("one");
}

SHARED void setup(void)
{
    if (fake_available())
        fake_reset();
    setup_without_reset();
}

SHARED void release_all(void)
{
    cuc_kernel_release(none);
    cuc_kernel_release(three);
    cuc_kernel_release(kinds);
    cuc_kernel_release(many);
    cuc_kernel_release(one);
    cuc_object_release(object);
    cuc_stream_release(stream);
}

SHARED void teardown(void)
{
    if (stream)
        ck_ok(cuc_stream_synchronize(stream));
    release_all();
    ck_assert_ptr_null(testing_current());
    ck_assert_int_eq(failures.count, 0);
    cuc_set_failure_handler(NULL, NULL);
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

// Returns the latest launch, as the driver received it.
SHARED const CUlaunchConfig *seen(const char *name)
{
    ck_assert_int_eq(fake_last_launch(&last), 1);
    ck_assert_str_eq(last.kernel, name);
    return &last.config;
}

SHARED void ck_parameter(unsigned i, const void *bytes, size_t size)
{
    ck_assert_uint_lt(i, last.param_count);
    ck_assert_uint_eq(last.param_bytes[i], size);
    ck_assert_msg(memcmp(last.params[i], bytes, size) == 0, "parameter %u is another", i);
}

#endif
