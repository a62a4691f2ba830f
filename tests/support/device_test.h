// Gives each test a device and a stream, and checks that the test leaves nothing behind.
#ifndef CUCORE_TESTS_SUPPORT_DEVICE_TEST_H
#define CUCORE_TESTS_SUPPORT_DEVICE_TEST_H

#include "memory/pool.h"
#include "testing.h"

static cuc_device *device;
static cuc_stream *stream;
static struct testing_failures unraisable; // failures that no call returned; none are expected

static inline void device_setup(void)
{
    if (fake_available())
        fake_reset();
    unraisable.count = 0;
    cuc_set_failure_handler(testing_failed, &unraisable);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

static inline void device_teardown(void)
{
    ck_assert_ptr_null(testing_current());
    if (fake_available())
        fake_fail_reset();
    cuc_stream_release(stream);
    ck_assert_msg(unraisable.count == 0, "%s", unraisable.last);
    cuc__pools_destroy_released();
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

#endif
