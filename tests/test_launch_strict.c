// Tests CUC_LAUNCH with a compiler in strict C mode, without GNU extensions: arguments are
// variables, and struct types are named. Only the header is read in that mode.
#include <cucore/buffer.h>
#include <cucore/event.h>
#include <cucore/kernel.h>
#include <cucore/stream.h>
#include <cucore/tensor.h>

#include <string.h>

#pragma push_macro("__GNUC__")
#undef __GNUC__
#include <cucore/launch.h>
#pragma pop_macro("__GNUC__")

#include "launch_ptx.h"
#include "testing.h"

static cuc_device *device;
static cuc_stream *stream;
static cuc_object *object;
static cuc_kernel *kinds, *none;
static struct fake_launch last;

static void setup(void)
{
    if (fake_available())
        fake_reset();
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&kinds, object, "kinds"));
    ck_ok(cuc_object_get_kernel(&none, object, "none"));
}

static void teardown(void)
{
    ck_ok(cuc_stream_synchronize(stream));
    cuc_kernel_release(kinds);
    cuc_kernel_release(none);
    cuc_object_release(object);
    cuc_stream_release(stream);
}

struct triple {
    double a;
    int32_t b;
    float c;
    uint64_t d;
};

struct point {
    float x, y, z;
};

CASE("launch_strict", .setup = setup, .teardown = teardown);

TEST(variables_of_every_kind_arrive)
{
    const cuc_launch_config *shape = CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 });
    cuc_buffer *buffer = NULL;
    _Bool yes = 1;
    char c = 'c';
    signed char sc = -3;
    unsigned char uc = 250;
    short s = -1234;
    unsigned short us = 65432;
    int i = -7;
    unsigned u = 7;
    long l = -1;
    unsigned long ul = 1ul << 60;
    long long ll = INT64_MIN;
    unsigned long long ull = UINT64_MAX;
    float f = 2.5f;
    double d = 0.1;
    void *pointer = (void *)(uintptr_t)0x123456780;
    struct triple triple = { 1.5, -2, 3.5f, 1ull << 50 };
    struct point point = { 1, 2, 3 };
    uint16_t half = 0x3C00;

    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 256));
    cuc_device_ptr ptr = cuc_buffer_ptr(buffer);
    cuc_tensor tensor_value = { .data = ptr + 16, .dtype = CUC_F32, .device = 0 };
    const cuc_tensor *tensor = &tensor_value;
    cuc_arg triple_arg = CUC_ARG_STRUCT(triple);
    cuc_arg half_arg = CUC_ARG_STRUCT(half);
    cuc_arg point_arg = CUC_ARG_STRUCT(point);

    ck_ok(CUC_LAUNCH(stream, shape, kinds, yes, c, sc, uc, s, us, i, u, l, ul, ll, ull, f, d,
                     pointer, buffer, tensor, triple_arg, half_arg, ptr, point_arg));
    ck_ok(CUC_LAUNCH(stream, shape, none));
    ck_ok(CUC_LAUNCH(stream, shape, kinds, yes, c, sc, uc, s, us, i, u, l, ul, ll, ull, f, d,
                     pointer, buffer, tensor, triple_arg, half_arg, ptr, point_arg));
    if (fake_available()) {
        ck_assert_int_eq(fake_last_launch(&last), 1);
        ck_assert_str_eq(last.kernel, "kinds");
        ck_assert_mem_eq(last.params[0], &yes, 1);
        ck_assert_mem_eq(last.params[5], &us, 2);
        ck_assert_mem_eq(last.params[6], &i, 4);
        ck_assert_mem_eq(last.params[11], &ull, 8);
        ck_assert_mem_eq(last.params[12], &f, 4);
        ck_assert_mem_eq(last.params[13], &d, 8);
        ck_assert_mem_eq(last.params[14], &pointer, 8);
        ck_assert_mem_eq(last.params[15], &ptr, 8);
        ck_assert_mem_eq(last.params[16], &tensor_value.data, 8);
        ck_assert_mem_eq(last.params[17], &triple, sizeof(triple));
        ck_assert_mem_eq(last.params[18], &half, 2);
        ck_assert_mem_eq(last.params[19], &ptr, 8);
        ck_assert_mem_eq(last.params[20], &point, sizeof(point));
    }
    cuc_buffer_release(buffer);
}

int main(void)
{
    return run_device_tests("launch_strict");
}
