// Launches: what reaches the driver, and what is caught before it does.
#include "context.h"
#include "device.h"
#include "launch.h"
#include "launch_ptx.h"
#include "stream.h"
#include "testing.h"

#include <pthread.h>

static cuc_device *device, *other;
static cuc_context *primary;
static cuc_stream *stream;
static cuc_object *object;
static cuc_kernel *none, *three, *kinds, *many, *one;
static struct fake_launch last;
static struct testing_failures failures;

#define SHAPE CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 })

static cuc_kernel *kernel(const char *name)
{
    cuc_kernel *k = NULL;

    ck_ok(cuc_object_get_kernel(&k, object, name));
    return k;
}

static void setup_without_reset(void)
{
    int32_t count;

    memset(&failures, 0, sizeof(failures));
    cuc_set_failure_handler(testing_failed, &failures);
    ck_ok(cuc_device_get_count(&count));
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_device_get_context(&primary, device));
    other = NULL;
    if (count > 1)
        ck_ok(cuc_device_get(&other, 1));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    none = kernel("none");
    three = kernel("three");
    kinds = kernel("kinds");
    many = kernel("many");
    one = kernel("one");
}

static void setup(void)
{
    if (fake_available())
        fake_reset();
    setup_without_reset();
}

static void release_all(void)
{
    cuc_kernel_release(none);
    cuc_kernel_release(three);
    cuc_kernel_release(kinds);
    cuc_kernel_release(many);
    cuc_kernel_release(one);
    cuc_object_release(object);
    cuc_stream_release(stream);
}

static void teardown(void)
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

// The latest launch as the driver got it.
static const CUlaunchConfig *seen(const char *name)
{
    ck_assert_int_eq(fake_last_launch(&last), 1);
    ck_assert_str_eq(last.kernel, name);
    return &last.config;
}

static void ck_parameter(unsigned i, const void *bytes, size_t size)
{
    ck_assert_uint_lt(i, last.param_count);
    ck_assert_uint_eq(last.param_bytes[i], size);
    ck_assert_msg(memcmp(last.params[i], bytes, size) == 0, "parameter %u is another", i);
}

// Arguments.

struct triple {
    double a;
    int32_t b;
    float c;
    uint64_t d;
};

struct point {
    float x, y, z;
};

START_TEST(every_kind_of_argument_arrives_as_its_bytes)
{
    cuc_buffer *buffer = NULL;
    cuc_tensor tensor;
    const cuc_tensor *const_tensor = &tensor;
    const struct triple triple = { 1.5, -2, 3.5f, 1ull << 50 };
    const struct point point = { 1, 2, 3 };
    const uint16_t half = 0x3C00;
    void *pointer = (void *)(uintptr_t)0x123456780;
    signed char sc = -3;
    char c = 'c';
    unsigned char uc = 250;
    short s = -1234;
    unsigned short us = 65432;
    long l = -1;
    unsigned long ul = 1ul << 60;
    long long ll = INT64_MIN;
    unsigned long long ull = UINT64_MAX;
    _Bool yes = 1;

    ck_ok(cuc_buffer_create(&buffer, NULL, 256, stream));
    ck_ok(cuc_tensor_from_buffer(&tensor, buffer, CUC_F32, 1, (const int64_t[]){ 64 }));
    tensor.data += 16;
    cuc_device_ptr ptr = cuc_buffer_ptr(buffer);

    ck_ok(CUC_LAUNCH(stream, SHAPE, kinds, yes, c, sc, uc, s, us, -7, 7u, l, ul, ll, ull, 2.5f, 2.5,
                     pointer, buffer, const_tensor, triple, cuc_arg_bytes(&half, 2), ptr, point));
    if (fake_available()) {
        const uint64_t tensor_at = tensor.data;
        const int32_t i = -7;
        const uint32_t u = 7;
        const float f = 2.5f;
        const double d = 2.5;
        seen("kinds");
        ck_assert_uint_eq(last.param_count, 21);
        ck_parameter(0, &yes, 1);
        ck_parameter(1, &c, 1);
        ck_parameter(2, &sc, 1);
        ck_parameter(3, &uc, 1);
        ck_parameter(4, &s, 2);
        ck_parameter(5, &us, 2);
        ck_parameter(6, &i, 4);
        ck_parameter(7, &u, 4);
        ck_parameter(8, &l, 8);
        ck_parameter(9, &ul, 8);
        ck_parameter(10, &ll, 8);
        ck_parameter(11, &ull, 8);
        ck_parameter(12, &f, 4);
        ck_parameter(13, &d, 8);
        ck_parameter(14, &pointer, 8);
        ck_parameter(15, &ptr, 8);
        ck_parameter(16, &tensor_at, 8);
        ck_parameter(17, &triple, sizeof(triple));
        ck_parameter(18, &half, 2);
        ck_parameter(19, &ptr, 8);
        ck_parameter(20, &point, sizeof(point));
    }
    cuc_buffer_release(buffer);
}
END_TEST

// The same as rvalues, through const pointers, and with a struct named for strict C11.
START_TEST(arguments_may_be_values_of_expressions)
{
    const struct triple triple = { 1, 2, 3, 4 };
    struct point points[2] = { { 1, 2, 3 }, { 4, 5, 6 } };
    cuc_buffer *buffer = NULL;

    ck_ok(cuc_buffer_create(&buffer, NULL, 256, stream));
    const cuc_buffer *const_buffer = buffer;
    cuc_tensor tensor = { .data = cuc_buffer_ptr(buffer) + 8, .dtype = CUC_F32, .device = 0 };
    const void *pointer = points;

    ck_ok(CUC_LAUNCH(stream, SHAPE, kinds, (_Bool)1, (char)('a' + 1), (signed char)-1,
                     (unsigned char)1, (short)1, (unsigned short)1, 3 + 4, 7u * 2, 5L, 5UL, 5LL,
                     5ULL, 1.0f / 4, 1.0 / 3, pointer, const_buffer, &tensor,
                     CUC_ARG_STRUCT(triple), cuc_arg_bytes("ab", 2), cuc_buffer_ptr(buffer),
                     points[1]));
    if (fake_available()) {
        const int32_t i = 7;
        const uint32_t u = 14;
        const double d = 1.0 / 3;
        const uint64_t b = cuc_buffer_ptr(buffer), t = tensor.data;
        seen("kinds");
        ck_parameter(6, &i, 4);
        ck_parameter(7, &u, 4);
        ck_parameter(13, &d, 8);
        ck_parameter(15, &b, 8);
        ck_parameter(16, &t, 8);
        ck_parameter(17, &triple, sizeof(triple));
        ck_parameter(18, "ab", 2);
        ck_parameter(20, &points[1], sizeof(points[1]));
    }
    cuc_buffer_release(buffer);
}
END_TEST

START_TEST(no_argument_and_thirty_two_are_both_possible)
{
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    if (fake_available()) {
        seen("none");
        ck_assert_uint_eq(last.param_count, 0);
    }
    ck_ok(CUC_LAUNCH(stream, SHAPE, many, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31));
    if (fake_available()) {
        seen("many");
        ck_assert_uint_eq(last.param_count, 32);
        for (uint32_t i = 0; i < 32; i++)
            ck_parameter(i, &i, 4);
    }
}
END_TEST

START_TEST(the_array_form_takes_the_same_arguments)
{
    cuc_arg args[32];

    for (int32_t i = 0; i < 32; i++)
        args[i] = CUC_ARG(i * 3);
    ck_ok(cuc_launch(stream, SHAPE, many, args, 32));
    if (fake_available()) {
        seen("many");
        for (uint32_t i = 0; i < 32; i++)
            ck_parameter(i, &(uint32_t){ i * 3 }, 4);
    }
    args[0] = (cuc_arg){ CUC_DTYPE_UNKNOWN, 4, { .f32 = 1.5f } }; // checked by size alone
    args[1] = (cuc_arg){ CUC_ARG_POINTER, 8, { .u64 = 0x1000 } };
    args[2] = (cuc_arg){ CUC_U32, 4, { .u64 = 9 } };
    ck_ok(cuc_launch(stream, SHAPE, three, args, 3));
    args[0] = (cuc_arg){ CUC_TF32, 4, { .f32 = 1.5f } };
    ck_ok(cuc_launch(stream, SHAPE, three, args, 3));
    ck_ok(cuc_launch(stream, SHAPE, none, NULL, 0));
    ck_ok(cuc_launch(stream, SHAPE, none, args, 0));
}
END_TEST

START_TEST(a_wrong_number_of_arguments_is_told_with_the_right_one)
{
    static cuc_arg args[1100];

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three, 1.0f, 2ull),
             "three takes 3 arguments, 2 given");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three, 1.0f, 2ull, 3, 4),
             "three takes 3 arguments, 4 given");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three),
             "three takes 3 arguments, 0 given");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch(stream, SHAPE, none, args, 1100),
             "1100 arguments", "1024");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch(stream, SHAPE, three, NULL, 3),
             "args is NULL and count is 3");
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}
END_TEST

static const struct {
    cuc_arg args[3];
    const char *message;
} bad_arguments[] = {
    { { { CUC_F64, 8, { .f64 = 1 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 0 of three is f64 of 8 bytes, the parameter has 4 (floating point)" },
    { { { CUC_I32, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 0 of three is i32, the parameter of 4 bytes is floating point" },
    { { { CUC_F32, 4, { 0 } }, { CUC_F64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 of three is f64, the parameter of 8 bytes is an integer or pointer" },
    { { { CUC_F32, 4, { 0 } }, { CUC_I32, 4, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 of three is i32 of 4 bytes, the parameter has 8 (integer or pointer)" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } }, { CUC_I64, 8, { 0 } } },
      "argument 2 of three is i64 of 8 bytes, the parameter has 4" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } }, { CUC_F32, 4, { 0 } } },
      "argument 2 of three is f32, the parameter of 4 bytes is an integer or pointer" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_BYTES, 7, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 of three is bytes of 7 bytes, the parameter has 8" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_BYTES, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 is bytes at NULL" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_BUFFER, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 is a buffer at NULL" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_TENSOR, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 is a tensor at NULL" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } } },
      "argument 2 of three is a device address of 8 bytes, the parameter has 4" },
    { { { 999, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 0 of three has type 999, which is neither a cuc_dtype nor a CUC_ARG_ constant" },
    { { { -1, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } }, "has type -1" },
    { { { 30, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } }, "has type 30" },
};

START_TEST(an_argument_that_does_not_fit_its_parameter_is_told)
{
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_launch(stream, SHAPE, three, bad_arguments[_i].args, 3),
             bad_arguments[_i].message);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}
END_TEST

// The value of such an argument would be read from behind the cuc_arg.
START_TEST(an_argument_too_large_for_a_cuc_arg_is_refused)
{
    static const int32_t types[] = { CUC_C128, CUC_DTYPE_UNKNOWN, CUC_F64, CUC_ARG_POINTER,
                                     CUC_ARG_BUFFER };
    cuc_kernel *wide = kernel("wide");
    double z[2] = { 1, 2 };

    for (int i = 0; i < LENGTH(types); i++)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_launch(stream, SHAPE, wide, &(cuc_arg){ types[i], 16, { .u64 = 64 } }, 1),
                 "argument 0 of wide", "of 16 bytes", "CUC_ARG_BYTES");
    ck_ok(cuc_launch(stream, SHAPE, wide, &(cuc_arg){ CUC_ARG_BYTES, 16, { .pointer = z } }, 1));
    if (fake_available()) {
        seen("wide");
        ck_parameter(0, z, 16);
    }
    cuc_kernel_release(wide);
}
END_TEST

START_TEST(null_handles_are_named)
{
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(NULL, SHAPE, none),
             "stream is NULL, expected a cuc_stream");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, NULL),
             "kernel is NULL, expected a cuc_kernel");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, none), "config is NULL");
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}
END_TEST

// Asked of the driver once in a process, so this runs in one that has not asked.
START_TEST(parameters_that_nobody_knows_are_not_checked)
{
    cuc_kernel *foreign = NULL;

    NEED_FAKE();
    fake_hide("cuKernelGetParamInfo"); // as on drivers before 12.4
    setup_without_reset();
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three, 1.0f),
             "three takes 3 arguments, 1 given"); // the PTX tells
    ck_ok(cuc_kernel_from_handle(&foreign, cuc_kernel_handle(three), NULL));
    for (int i = 0; i < 2; i++)
        ck_ok(CUC_LAUNCH(stream, SHAPE, foreign, 1.0f, 2ull, 3));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_launch(stream, SHAPE, foreign, &(cuc_arg){ 999, 4, { 0 } }, 1), "has type 999");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_launch(stream, SHAPE, foreign, &(cuc_arg){ CUC_C128, 16, { 0 } }, 1),
             "does not fit");
    cuc_kernel_release(foreign);
    teardown();
}
END_TEST

START_TEST(a_kernel_that_was_loaded_by_somebody_else_is_launched_and_checked)
{
    cuc_kernel *foreign = NULL;

    ck_ok(cuc_kernel_from_handle(&foreign, cuc_kernel_handle(three), NULL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, foreign, 1.0f, 2ull, 3));
    cuc_kernel *unknown_name = foreign;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, unknown_name, 1.0f),
             "takes 3 arguments, 1 given");
    cuc_kernel_release(foreign);
}
END_TEST

// Shapes.

static const struct {
    uint32_t grid[3], block[3];
    const char *message;
} bad_shapes[] = {
    { { 0, 1, 1 }, { 32, 1, 1 }, "grid.x is 0, expected 1 to 2147483647" },
    { { 0, 0, 0 }, { 0, 0, 0 }, "grid.x is 0" },
    { { 1, 0, 0 }, { 0, 1, 1 }, "block.x is 0, expected 1 to 1024" },
    { { 0x80000000u, 1, 1 }, { 1, 1, 1 }, "grid.x is 2147483648, device 0 (" },
    { { 1, 65536, 1 }, { 1, 1, 1 }, "grid.y is 65536, device 0 (" },
    { { 1, 1, 65536 }, { 1, 1, 1 }, ") allows 65535" },
    { { 1, 1, 1 }, { 1025, 1, 1 }, "block.x is 1025, device 0 (" },
    { { 1, 1, 1 }, { 1, 1025, 1 }, "block.y is 1025, device 0 (" },
    { { 1, 1, 1 }, { 1, 1, 65 }, ") allows 64" },
    { { 1, 1, 1 }, { 1024, 2, 0 }, "block is 1024,2,1, that is 2048 threads for none: the device" },
    { { 1, 1, 1 }, { 32, 32, 2 }, "that is 2048 threads for none: the device allows 1024" },
    { { UINT32_MAX, 1, 1 }, { 1, 1, 1 }, "grid.x is 4294967295" },
    { { 1, 1, 1 }, { UINT32_MAX, UINT32_MAX, UINT32_MAX }, "block.x is 4294967295" },
};

START_TEST(a_grid_or_block_beyond_the_device_is_told_with_the_limit)
{
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;

    memcpy(c.grid, bad_shapes[_i].grid, sizeof(c.grid));
    memcpy(c.block, bad_shapes[_i].block, sizeof(c.block));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), bad_shapes[_i].message);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}
END_TEST

START_TEST(a_block_beyond_the_kernels_own_bound_is_told)
{
    cuc_kernel *small = kernel("small");

    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 64 }), small));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 65 }), small),
             "block is 65,1,1, that is 65 threads for small: the kernel's registers or launch "
             "bounds allow 64");
    cuc_kernel_release(small);
}
END_TEST

START_TEST(dimensions_left_out_are_one)
{
    NEED_FAKE();
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 3 }, .block = { 5 }), none));
    const CUlaunchConfig *c = seen("none");
    ck_assert_uint_eq(c->gridDimX, 3);
    ck_assert_uint_eq(c->gridDimY, 1);
    ck_assert_uint_eq(c->gridDimZ, 1);
    ck_assert_uint_eq(c->blockDimX, 5);
    ck_assert_uint_eq(c->blockDimY, 1);
    ck_assert_uint_eq(c->blockDimZ, 1);
    ck_assert_uint_eq(c->sharedMemBytes, 0);
    ck_assert_uint_eq(c->numAttrs, 0);
    ck_assert_ptr_eq(c->hStream, cuc_stream_handle(stream));
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 2, 3, 4 }, .block = { 5, 6, 7 },
                                       .shared_bytes = 100),
                     none));
    c = seen("none");
    ck_assert_uint_eq(c->gridDimX, 2);
    ck_assert_uint_eq(c->gridDimY, 3);
    ck_assert_uint_eq(c->gridDimZ, 4);
    ck_assert_uint_eq(c->blockDimX, 5);
    ck_assert_uint_eq(c->blockDimY, 6);
    ck_assert_uint_eq(c->blockDimZ, 7);
    ck_assert_uint_eq(c->sharedMemBytes, 100);
    // And the same through the way that attributes take.
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 5 }, .shared_bytes = 8,
                                       .flags = CUC_LAUNCH_COOPERATIVE),
                     none));
    c = seen("none");
    ck_assert_uint_eq(c->gridDimX, 2);
    ck_assert_uint_eq(c->gridDimY, 1);
    ck_assert_uint_eq(c->gridDimZ, 1);
    ck_assert_uint_eq(c->blockDimY, 1);
    ck_assert_uint_eq(c->sharedMemBytes, 8);
    ck_assert_ptr_eq(c->hStream, cuc_stream_handle(stream));
}
END_TEST

START_TEST(a_config_of_another_size_is_read_as_far_as_it_goes)
{
    struct {
        cuc_launch_config known;
        uint64_t more;
    } newer = { CUC_LAUNCH_CONFIG_INIT, 0 };
    cuc_launch_config older = CUC_LAUNCH_CONFIG_INIT;

    newer.known.struct_size = sizeof(newer);
    newer.known.grid[0] = newer.known.block[0] = 2;
    ck_ok(CUC_LAUNCH(stream, &newer.known, none));
    newer.more = 1;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &newer.known, none),
             "cuc_launch_config sets a field at byte");
    older.struct_size = offsetof(cuc_launch_config, shared_bytes);
    older.grid[0] = older.block[0] = 2;
    older.shared_bytes = UINT32_MAX; // behind what the caller has
    ck_ok(CUC_LAUNCH(stream, &older, none));
    older.struct_size = 0;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &older, none), "struct_size is 0",
             "sizeof(cuc_launch_config)");
}
END_TEST

// Shared memory.

START_TEST(large_dynamic_shared_memory_is_opted_into_once)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;

    ck_ok(cuc_device_get_properties(&p, device));
    uint32_t most = (uint32_t)p.max_shared_memory_per_block_optin;
    for (int i = 0; i < 3; i++)
        ck_ok(CUC_LAUNCH(stream,
                         CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 49152),
                         none));
    if (fake_available())
        ck_assert_int_eq(fake_calls("cuKernelSetAttribute"), 0);
    for (int i = 0; i < 3; i++)
        ck_ok(CUC_LAUNCH(stream,
                         CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 65536),
                         none));
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most), none));
    if (fake_available()) {
        ck_assert_int_eq(fake_calls("cuKernelSetAttribute"), 1);
        ck_assert_uint_eq(seen("none")->sharedMemBytes, most);
    }
}
END_TEST

START_TEST(shared_memory_beyond_the_opt_in_limit_is_told_with_the_limit)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    cuc_kernel *fixed = kernel("fixed");
    char asked[64], limit[96];

    ck_ok(cuc_device_get_properties(&p, device));
    uint32_t most = (uint32_t)p.max_shared_memory_per_block_optin;
    snprintf(asked, sizeof(asked), "shared_bytes is %u, the kernel none may have %u", most + 1,
             most);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(
                 stream,
                 CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most + 1), none),
             asked);
    snprintf(asked, sizeof(asked), "the kernel fixed may have %u", most - 1024);
    snprintf(limit, sizeof(limit), "%u bytes a block, less 1024", most);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most),
                        fixed),
             asked, limit);
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = most - 1024),
                     fixed));
    cuc_kernel_release(fixed);
}
END_TEST

// Attributes. `fill` sets what a caller gives; `seen` looks at what the driver gets.

static cuc_event *event;

static void give_window(cuc_launch_attribute *a)
{
    a->value.window.base = 0x7000;
    a->value.window.bytes = 4096;
    a->value.window.hit_ratio = 0.5f;
    a->value.window.hit = CUC_CACHE_PERSISTING;
    a->value.window.miss = CUC_CACHE_STREAMING;
}

static void got_window(const CUlaunchAttributeValue *v)
{
    ck_assert_ptr_eq(v->accessPolicyWindow.base_ptr, (void *)0x7000);
    ck_assert_uint_eq(v->accessPolicyWindow.num_bytes, 4096);
    ck_assert(v->accessPolicyWindow.hitRatio == 0.5f);
    ck_assert_int_eq((int)v->accessPolicyWindow.hitProp, CU_ACCESS_PROPERTY_PERSISTING);
    ck_assert_int_eq((int)v->accessPolicyWindow.missProp, CU_ACCESS_PROPERTY_STREAMING);
}

static void give_one(cuc_launch_attribute *a)
{
    a->value.value = 1;
}

static void give_priority(cuc_launch_attribute *a)
{
    a->value.value = -3;
}

static void give_cluster(cuc_launch_attribute *a)
{
    a->value.cluster[0] = 2;
    a->value.cluster[1] = 0; // 1
    a->value.cluster[2] = 4;
}

static void got_cluster(const CUlaunchAttributeValue *v)
{
    ck_assert_uint_eq(v->clusterDim.x, 2);
    ck_assert_uint_eq(v->clusterDim.y, 1);
    ck_assert_uint_eq(v->clusterDim.z, 4);
}

static void got_preferred_cluster(const CUlaunchAttributeValue *v)
{
    ck_assert_uint_eq(v->preferredClusterDim.x, 2);
    ck_assert_uint_eq(v->preferredClusterDim.y, 1);
    ck_assert_uint_eq(v->preferredClusterDim.z, 4);
}

static void give_event(cuc_launch_attribute *a)
{
    a->value.event.event = event;
    a->value.event.trigger_at_start = 1;
}

static void got_programmatic_event(const CUlaunchAttributeValue *v)
{
    ck_assert_ptr_eq(v->programmaticEvent.event, cuc_event_handle(event));
    ck_assert_int_eq(v->programmaticEvent.flags, 0);
    ck_assert_int_eq(v->programmaticEvent.triggerAtBlockStart, 1);
}

static void got_completion_event(const CUlaunchAttributeValue *v)
{
    ck_assert_ptr_eq(v->launchCompletionEvent.event, cuc_event_handle(event));
    ck_assert_int_eq(v->launchCompletionEvent.flags, 0);
}

static void give_map(cuc_launch_attribute *a)
{
    a->value.domain_map.default_domain = 1;
    a->value.domain_map.remote_domain = 2;
}

static void got_map(const CUlaunchAttributeValue *v)
{
    ck_assert_int_eq(v->memSyncDomainMap.default_, 1);
    ck_assert_int_eq(v->memSyncDomainMap.remote, 2);
}

static void give_carveout(cuc_launch_attribute *a)
{
    a->value.value = 75;
}

static void give_node(cuc_launch_attribute *a)
{
    a->value.device_node.updatable = 1;
}

static void give_policy(cuc_launch_attribute *a)
{
    a->value.value = CUC_CLUSTER_SCHEDULING_LOAD_BALANCING;
}

#define GOT(name, condition)                                                                       \
    static void name(const CUlaunchAttributeValue *v)                                              \
    {                                                                                              \
        ck_assert(condition);                                                                      \
    }
GOT(got_cooperative, v->cooperative == 1)
GOT(got_policy, v->clusterSchedulingPolicyPreference == CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING)
GOT(got_serialization, v->programmaticStreamSerializationAllowed == 1)
GOT(got_priority, v->priority == -3)
GOT(got_domain, v->memSyncDomain == CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE)
GOT(got_node, v->deviceUpdatableKernelNode.deviceUpdatable == 1)
GOT(got_carveout, v->sharedMemCarveout == 75)
GOT(got_nvlink, v->nvlinkUtilCentricScheduling == 1)
GOT(got_anything, v != NULL)

static const struct {
    int32_t id;
    CUlaunchAttributeID driver;
    void (*give)(cuc_launch_attribute *attribute);
    void (*got)(const CUlaunchAttributeValue *value);
} attributes[] = {
    { CUC_LAUNCH_ATTRIBUTE_IGNORE, CU_LAUNCH_ATTRIBUTE_IGNORE, give_one, got_anything },
    { CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
      give_window, got_window },
    { CUC_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, give_one,
      got_cooperative },
    { CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, give_cluster,
      got_cluster },
    { CUC_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY,
      CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, give_policy, got_policy },
    { CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
      CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, give_one, got_serialization },
    { CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, give_event,
      got_programmatic_event },
    { CUC_LAUNCH_ATTRIBUTE_PRIORITY, CU_LAUNCH_ATTRIBUTE_PRIORITY, give_priority, got_priority },
    { CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, give_map,
      got_map },
    { CUC_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, give_one,
      got_domain },
    { CUC_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
      CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, give_cluster, got_preferred_cluster },
    { CUC_LAUNCH_ATTRIBUTE_COMPLETION_EVENT, CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT,
      give_event, got_completion_event },
    { CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
      CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, give_node, got_node },
    { CUC_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
      CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, give_carveout, got_carveout },
    { CUC_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING,
      CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING, give_one, got_nvlink },
};

START_TEST(each_attribute_reaches_the_drivers_config)
{
    cuc_launch_attribute a = { .id = attributes[_i].id };
    CUlaunchAttribute room[CUC__MAX_LAUNCH_ATTRIBUTES];
    CUlaunchConfig c;

    ck_ok(cuc_event_create(&event, device, NULL));
    attributes[_i].give(&a);
    cuc_launch_config config = { .struct_size = sizeof(config),
                                 .grid = { 8, 8, 8 },
                                 .block = { 32 },
                                 .attribute_count = 1,
                                 .attributes = &a };
    ck_ok(cuc__launch_config_fill(&c, room, &config, device, "cuc_launch"));
    ck_assert_uint_eq(c.numAttrs, 1);
    ck_assert_ptr_eq(c.attrs, room);
    ck_assert_uint_eq(room[0].id, attributes[_i].driver);
    attributes[_i].got(&room[0].value);
    // A device node is of graphs alone; all others are taken by a launch.
    if (fake_available() && a.id != CUC_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
        ck_ok(CUC_LAUNCH(stream, &config, none));
        ck_assert_uint_eq(seen("none")->numAttrs, 1);
        ck_assert_uint_eq(last.attributes[0].id, attributes[_i].driver);
        attributes[_i].got(&last.attributes[0].value);
    }
    cuc_event_release(event);
}
END_TEST

static const struct {
    int32_t id;
    const char *message;
} refused[] = {
    { 3, "CUC_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY (3) cannot be given to a launch: it is an "
         "attribute of streams alone" },
    { 15, "15 is no attribute of a launch in CUDA 13.0" },
    { 17, "17 is no attribute of a launch in CUDA 13.0" },
    { -1, "-1 is no attribute of a launch" },
    { INT32_MAX, "2147483647 is no attribute of a launch" },
};

START_TEST(what_is_no_attribute_of_a_launch_is_refused)
{
    const cuc_launch_attribute a = { .id = refused[_i].id };

    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .attribute_count = 1,
                                          .attributes = &a),
                        none),
             refused[_i].message);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}
END_TEST

START_TEST(attributes_with_bad_values_are_told)
{
    cuc_launch_attribute a = { .id = CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION };
    cuc_launch_config c = { .struct_size = sizeof(c),
                            .grid = { 6, 4 },
                            .block = { 1 },
                            .attribute_count = 1,
                            .attributes = &a };

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none),
             "attribute 4 has a cluster of 0,0,0");
    a = (cuc_launch_attribute){ .id = CUC_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW };
    a.value.window.hit_ratio = 1.5f;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), "hit_ratio", "1.5",
             "0 to 1");
    a = (cuc_launch_attribute){ .id = CUC_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT };
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none),
             "the attribute's event is NULL");
    c.attributes = NULL;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none),
             "attribute_count is 1 and attributes is NULL");
    c.attribute_count = 0;
    c.flags = 12;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), "flags is 0xc",
             "CUC_LAUNCH_COOPERATIVE (0x1)");
    static cuc_launch_attribute lots[33];
    c.flags = 0;
    c.attribute_count = 33;
    c.attributes = lots;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), "more than 32 attributes");
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}
END_TEST

START_TEST(a_cluster_must_divide_the_grid)
{
    static const struct {
        uint32_t grid[3], cluster[3];
        const char *message;
    } rows[] = {
        { { 6, 1, 1 }, { 4, 1, 1 },
          "grid.x is 6 blocks, which is not a multiple of cluster.x, 4" },
        { { 4, 3, 1 }, { 2, 2, 1 }, "grid.y is 3 blocks, which is not a multiple of cluster.y, 2" },
        { { 4, 4, 5 }, { 1, 1, 2 }, "grid.z is 5 blocks, which is not a multiple of cluster.z, 2" },
        { { 3, 0, 0 }, { 2, 0, 0 }, "grid.x is 3 blocks" },
    };
    cuc_launch_config c = CUC_LAUNCH_CONFIG_INIT;
    int32_t clusters;

    ck_ok(cuc_device_get_attribute(&clusters, device, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH));
    if (!clusters)
        SKIP("the device has no clusters");
    c.block[0] = 32;
    for (int i = 0; i < LENGTH(rows); i++) {
        memcpy(c.grid, rows[i].grid, sizeof(c.grid));
        memcpy(c.cluster, rows[i].cluster, sizeof(c.cluster));
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, &c, none), rows[i].message);
    }
    c.grid[0] = 4;
    c.grid[1] = c.grid[2] = 0;
    memcpy(c.cluster, (uint32_t[3]){ 2, 0, 0 }, sizeof(c.cluster));
    ck_ok(CUC_LAUNCH(stream, &c, none));
    if (fake_available()) {
        seen("none");
        ck_assert_uint_eq(last.attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
        ck_assert_uint_eq(last.attributes[0].value.clusterDim.x, 2);
        ck_assert_uint_eq(last.attributes[0].value.clusterDim.y, 1);
    }
    c.grid[0] = 64;
    c.cluster[0] = 32; // beyond what the hardware has: the driver says so
    ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(stream, &c, none), "launching none, grid 64,1,1",
             "cuLaunchKernelEx returned");
}
END_TEST

START_TEST(flags_become_attributes)
{
    NEED_FAKE();
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { 4 }, .block = { 32 }, .cluster = { 4 },
                                       .flags = CUC_LAUNCH_PROGRAMMATIC | CUC_LAUNCH_COOPERATIVE),
                     none));
    ck_assert_uint_eq(seen("none")->numAttrs, 3);
    ck_assert_uint_eq(last.attributes[0].id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
    ck_assert_uint_eq(last.attributes[1].id, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
    ck_assert_int_eq(last.attributes[1].value.cooperative, 1);
    ck_assert_uint_eq(last.attributes[2].id, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);
    ck_assert_int_eq(last.attributes[2].value.programmaticStreamSerializationAllowed, 1);
}
END_TEST

// A device that lacks something; its limits are read with the first device asked for, so this runs
// in a process that has asked for none.
START_TEST(what_the_device_lacks_is_not_supported)
{
    NEED_FAKE();
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 0);
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 0);
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 8);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, launch_ptx, sizeof(launch_ptx) - 1, NULL));
    none = kernel("none");
    ck_fails(CUC_ERROR_NOT_SUPPORTED,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .cluster = { 2 }), none),
             "CLUSTER_DIMENSION: device 0 (", "sm_80", "has no thread block clusters",
             "compute capability 9.0");
    ck_fails(CUC_ERROR_NOT_SUPPORTED,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 },
                                          .flags = CUC_LAUNCH_COOPERATIVE),
                        none),
             "has no cooperative launch");
    ck_fails(CUC_ERROR_NOT_SUPPORTED,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 },
                                          .flags = CUC_LAUNCH_PROGRAMMATIC),
                        none),
             "has no programmatic dependent launch");
    ck_assert_int_eq(fake_launch_count(), 0);
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    three = kinds = many = one = NULL;
    release_all();
}
END_TEST

START_TEST(a_cooperative_grid_that_is_too_large_is_told_with_what_fits)
{
    cuc_device_properties p = CUC_DEVICE_PROPERTIES_INIT;
    char processors[64];

    ck_ok(cuc_device_get_properties(&p, device));
    snprintf(processors, sizeof(processors), "each of the %d multiprocessors of device 0, so at",
             p.multiprocessor_count);
    ck_fails(CUC_ERROR_DRIVER,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 1000000 }, .block = { 1024 },
                                          .flags = CUC_LAUNCH_COOPERATIVE),
                        none),
             "launching none cooperatively on 1000000 blocks: ", "run at once on", processors,
             "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    uint32_t fits = 2u * (uint32_t)p.multiprocessor_count;
    ck_ok(CUC_LAUNCH(stream,
                     CUC_LAUNCH_CONFIG(.grid = { fits }, .block = { 1024 },
                                       .flags = CUC_LAUNCH_COOPERATIVE),
                     none));
}
END_TEST

START_TEST(a_launch_that_the_driver_refuses_names_the_kernel_and_its_shape)
{
    NEED_FAKE();
    fake_fail("cuLaunchKernelEx", 1, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    ck_fails(CUC_ERROR_DRIVER,
             CUC_LAUNCH(stream,
                        CUC_LAUNCH_CONFIG(.grid = { 7, 2 }, .block = { 64 }, .shared_bytes = 128),
                        none),
             "launching none, grid 7,2,1 block 64,1,1 with 128 bytes of dynamic shared memory on "
             "device 0",
             "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES");
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    static const char *const calls[] = { "cuKernelGetAttribute", "cuKernelSetAttribute" };
    cuc_kernel *fresh = kernel("fixed");
    for (int i = 0; i < LENGTH(calls); i++) { // the first launch on a device; the opt-in
        fake_fail(calls[i], 1, CUDA_ERROR_UNKNOWN);
        ck_fails(
            CUC_ERROR_DRIVER,
            CUC_LAUNCH(stream,
                       CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 100000),
                       fresh),
            calls[i], "the kernel fixed");
    }
    ck_ok(CUC_LAUNCH(
        stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 1 }, .shared_bytes = 100000), fresh));
    cuc_kernel_release(fresh);
}
END_TEST

// Memory of other devices.

START_TEST(memory_that_the_device_cannot_reach_is_refused)
{
    cuc_stream *far = NULL;
    cuc_buffer *buffer = NULL, *pinned = NULL;
    cuc_memory_resource *resource = NULL;
    cuc_tensor tensor;

    if (!other)
        SKIP("it needs two devices");
    ck_ok(cuc_stream_create(&far, other, NULL));
    ck_ok(cuc_buffer_create(&buffer, NULL, 64, far));
    ck_ok(cuc_tensor_from_buffer(&tensor, buffer, CUC_F32, 1, (const int64_t[]){ 16 }));
    ck_assert_int_eq(tensor.device, 1);
    ck_ok(cuc_memory_synchronous(&resource, other, CUC_MEMORY_PINNED));
    ck_ok(cuc_buffer_create(&pinned, resource, 64, NULL));
    if (fake_available()) {
        ck_ok(CUC_LAUNCH(stream, SHAPE, one, buffer)); // devices that reach each other
        ck_ok(CUC_LAUNCH(stream, SHAPE, one, &tensor));
        fake_do_nothing("cuDeviceCanAccessPeer", 1); // and that do not
    }
    int32_t can = 0;
    ck_ok(cuc_device_can_access_peer(&can, device, other));
    if (!can) {
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, buffer),
                 "argument 0 is a buffer of device 1 (", "the stream's device 0 (", "cannot reach");
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, &tensor),
                 "argument 0 is a tensor of device 1 (", "cannot reach");
    }
    ck_ok(CUC_LAUNCH(stream, SHAPE, one, pinned)); // which every device reaches
    tensor.flags = CUC_TENSOR_MANAGED;
    ck_ok(CUC_LAUNCH(stream, SHAPE, one, &tensor));
    tensor.flags = 0;
    tensor.device = 99;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, one, &tensor),
             "tensor of device 99, which there is not");
    if (fake_available()) {
        fake_do_nothing("cuDeviceCanAccessPeer", 0);
        fake_fail("cuDeviceCanAccessPeer", 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(stream, SHAPE, one, buffer), "cuDeviceCanAccessPeer");
    }
    ck_ok(cuc_stream_synchronize(stream));
    cuc_buffer_release(pinned);
    cuc_memory_resource_release(resource);
    cuc_buffer_release(buffer);
    cuc_stream_release(far);
}
END_TEST

START_TEST(a_kernel_runs_on_every_device)
{
    cuc_stream *far = NULL;

    if (!other)
        SKIP("it needs two devices");
    ck_ok(cuc_stream_create(&far, other, NULL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(CUC_LAUNCH(far, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(cuc_stream_synchronize(far));
    cuc_stream_release(far);
}
END_TEST

// Streams.

START_TEST(default_streams_take_launches_from_any_thread)
{
    cuc_stream *s;
    CUcontext foreign, popped;
    CUctxCreateParams params = { 0 };
    int32_t which = _i;

    ck_ok(cuc_stream_get_default(&s, device, which));
    ck_assert_ptr_null(testing_current());
    ck_ok(CUC_LAUNCH(s, SHAPE, none));
    ck_assert_ptr_null(testing_current());
    if (fake_available())
        ck_assert_ptr_eq(seen("none")->hStream, cuc_stream_handle(s));
    // With another context current, in which the same handle is another stream.
    ck_assert_int_eq(cuc__cu.cuCtxCreate(&foreign, &params, 0, 0), 0);
    ck_ok(CUC_LAUNCH(s, SHAPE, none));
    ck_ok(CUC_LAUNCH(s, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .cluster = { 2 }), none));
    ck_ok(cuc_stream_synchronize(s));
    ck_assert_ptr_eq(testing_current(), foreign);
    if (fake_available()) {
        fake_fail("cuLaunchKernelEx", 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(s, SHAPE, none), "cuLaunchKernelEx");
        ck_assert_ptr_eq(testing_current(), foreign);
        fake_fail("cuCtxPushCurrent", 1, CUDA_ERROR_UNKNOWN);
        ck_fails(CUC_ERROR_DRIVER, CUC_LAUNCH(s, SHAPE, none), "cuCtxPushCurrent");
    }
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(foreign), 0);
}
END_TEST

START_TEST(a_launch_on_a_stream_asks_for_no_context)
{
    NEED_FAKE();
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1)); // reads the kernel's limits
    fake_calls_reset();
    ck_ok(CUC_LAUNCH(stream, SHAPE, three, 1.0f, 0ull, 1));
    ck_assert_int_eq(fake_calls_total(), 1);
    ck_assert_int_eq(fake_calls("cuLaunchKernelEx"), 1);
}
END_TEST

START_TEST(a_foreign_stream_takes_launches)
{
    CUcontext context, popped;
    CUstream foreign;
    cuc_stream *wrapped = NULL;
    CUctxCreateParams params = { 0 };

    ck_assert_int_eq(cuc__cu.cuCtxCreate(&context, &params, 0, 0), 0);
    ck_assert_int_eq(cuc__cu.cuStreamCreate(&foreign, CU_STREAM_NON_BLOCKING), 0);
    ck_assert_int_eq(cuc__cu.cuCtxPopCurrent(&popped), 0);
    ck_ok(cuc_stream_from_handle(&wrapped, foreign, NULL, NULL));
    ck_ok(CUC_LAUNCH(wrapped, SHAPE, three, 1.0f, 0ull, 1));
    ck_ok(cuc_stream_synchronize(wrapped));
    cuc_stream_release(wrapped);
    ck_assert_int_eq(cuc__cu.cuStreamDestroy(foreign), 0);
    ck_assert_int_eq(cuc__cu.cuCtxDestroy(context), 0);
}
END_TEST

START_TEST(launches_are_captured)
{
    CUgraph graph = NULL;

    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(cuc_stream_handle(stream),
                                                  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                     0);
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(CUC_LAUNCH(stream, SHAPE, many, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
                     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)); // its first
    if (fake_available())
        ck_assert_int_eq(fake_captured(cuc_stream_handle(stream)), 2);
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(cuc_stream_handle(stream), &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
}
END_TEST

// Kernels that fail. On the fake a function of the host stands for the kernel.

static _Atomic int ran;

static void fault(void **params, const CUlaunchConfig *config)
{
    (void)params;
    (void)config;
    ran++;
    fake_poison(cuc_context_handle(primary), CUDA_ERROR_ILLEGAL_ADDRESS);
}

static void run(void **params, const CUlaunchConfig *config)
{
    (void)params;
    (void)config;
    testing_sleep_ms(2);
    ran++;
}

static void lose(void)
{
    release_all();
    none = three = kinds = many = one = NULL;
    object = NULL;
    stream = NULL;
    ck_assert_int_eq(failures.count, 0); // releases in a lost context are silent
    fake_reset();
}

START_TEST(a_fault_is_told_with_the_latest_launches)
{
    cuc_kernel *faulty;
    cuc_buffer *buffer = NULL;

    NEED_FAKE();
    faulty = kernel("faulty");
    ran = 0;
    fake_define_kernel("faulty", fault);
    ck_ok(cuc_buffer_create(&buffer, NULL, 64, stream));
    for (int i = 0; i < 20; i++)
        ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 3, 4, 5 }, .block = { 6, 7, 8 }), three,
                     1.0f, 0ull, 1));
    fake_hold(cuc_stream_handle(stream));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 9 }, .block = { 128 }), faulty));
    fake_resume(cuc_stream_handle(stream));
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_stream_synchronize(stream), "CUDA_ERROR_ILLEGAL_ADDRESS",
             "destroyed by an asynchronous failure, first seen by cuc_stream_synchronize",
             "launched lately, the latest first",
             "faulty grid 9,1,1 block 128,1,1 on stream 0x");
    ck_assert_int_eq(ran, 1);
    ck_assert_int_eq(cuc_error_library_code(), 700);
    ck_assert_uint_ge(cuc_error_note_count(), 1);
    const char *log = cuc_error_log();
    ck_assert_int_eq(strncmp(log, "faulty grid 9,1,1 block 128,1,1 on stream ", 42), 0);
    ck_assert_ptr_nonnull(strstr(log, "; three grid 3,4,5 block 6,7,8 on stream "));
    int launches = 1;
    for (const char *p = log; (p = strstr(p, "; ")); p++)
        launches++;
    ck_assert_int_ge(launches, 10);
    ck_assert_int_le(launches, 16);
    // Every later call, of whatever object, tells the same.
    ck_fails(CUC_ERROR_CONTEXT_LOST, CUC_LAUNCH(stream, SHAPE, none), "faulty grid 9,1,1",
             "first seen by cuc_stream_synchronize", "launching none");
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_buffer_fill(stream, buffer, 0, 0, 4, 64),
             "faulty grid 9,1,1", "first seen by cuc_stream_synchronize");
    cuc_buffer *more = NULL;
    ck_fails(CUC_ERROR_CONTEXT_LOST, cuc_buffer_create(&more, NULL, 64, stream),
             "faulty grid 9,1,1");
    ck_assert_ptr_null(more);
    ck_assert_int_eq(cuc_context_lost(primary), 700);
    cuc_buffer_release(buffer);
    cuc_kernel_release(faulty);
    lose();
}
END_TEST

START_TEST(with_blocking_launches_a_fault_is_the_kernels_own)
{
    cuc_kernel *faulty;
    cuc_stream *legacy;
    CUgraph graph = NULL;

    NEED_FAKE();
    setenv("CUCORE_LAUNCH_BLOCKING", "1", 1); // read with the first launch of the process
    fake_define_kernel("none", run);
    fake_define_kernel("faulty", fault);
    fake_set_async(1);
    faulty = kernel("faulty");
    ran = 0;
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_assert_int_eq(ran, 1); // when the call returned
    ck_assert_int_eq(cuc_launch_is_blocking(), 1);
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 1 }, .cluster = { 2 }),
                     none));
    ck_assert_int_eq(ran, 2);
    ck_ok(cuc_stream_get_default(&legacy, device, CUC_STREAM_LEGACY));
    ck_ok(CUC_LAUNCH(legacy, SHAPE, none));
    ck_assert_int_eq(ran, 3);
    // What is captured does not run, and is not waited for.
    ck_assert_int_eq(cuc__cu.cuStreamBeginCapture(cuc_stream_handle(stream),
                                                  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                     0);
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_assert_int_eq(cuc__cu.cuStreamEndCapture(cuc_stream_handle(stream), &graph), 0);
    ck_assert_int_eq(cuc__cu.cuGraphDestroy(graph), 0);
    ck_assert_int_eq(ran, 3);
    ck_assert_ptr_null(testing_current());
    ck_fails(CUC_ERROR_CONTEXT_LOST, CUC_LAUNCH(stream, SHAPE, faulty), "running faulty",
             "first seen by cuc_launch", "CUCORE_LAUNCH_BLOCKING", "CUDA_ERROR_ILLEGAL_ADDRESS",
             " returned 700");
    ck_assert_ptr_null(testing_current());
    cuc_kernel_release(faulty);
    lose();
}
END_TEST

START_TEST(without_the_variable_launches_do_not_wait)
{
    _Atomic int *seen_running = &ran;

    NEED_FAKE();
    fake_define_kernel("none", run);
    fake_hold(cuc_stream_handle(stream));
    ran = 0;
    ck_ok(CUC_LAUNCH(stream, SHAPE, none));
    ck_assert_int_eq(*seen_running, 0);
    ck_assert_int_eq(cuc_launch_is_blocking(), 0);
    fake_resume(cuc_stream_handle(stream));
    ck_ok(cuc_stream_synchronize(stream));
    ck_assert_int_eq(*seen_running, 1);
}
END_TEST

START_TEST(arguments_are_read_before_the_call_returns)
{
    uint32_t value = 5;
    cuc_arg args[32];

    NEED_FAKE();
    for (int i = 0; i < 32; i++)
        args[i] = cuc_arg_bytes(&value, 4);
    fake_hold(cuc_stream_handle(stream));
    ck_ok(cuc_launch(stream, SHAPE, many, args, 32));
    value = 6;
    memset(args, 0, sizeof(args));
    fake_resume(cuc_stream_handle(stream));
    ck_ok(cuc_stream_synchronize(stream));
    seen("many");
    ck_parameter(31, &(uint32_t){ 5 }, 4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("launch");
    TCase *tests = tcase_create("launch"), *bare = tcase_create("bare");

    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, every_kind_of_argument_arrives_as_its_bytes);
    tcase_add_test(tests, arguments_may_be_values_of_expressions);
    tcase_add_test(tests, no_argument_and_thirty_two_are_both_possible);
    tcase_add_test(tests, the_array_form_takes_the_same_arguments);
    tcase_add_test(tests, a_wrong_number_of_arguments_is_told_with_the_right_one);
    tcase_add_loop_test(tests, an_argument_that_does_not_fit_its_parameter_is_told, 0,
                        LENGTH(bad_arguments));
    tcase_add_test(tests, an_argument_too_large_for_a_cuc_arg_is_refused);
    tcase_add_test(tests, null_handles_are_named);
    tcase_add_test(tests, a_kernel_that_was_loaded_by_somebody_else_is_launched_and_checked);
    tcase_add_loop_test(tests, a_grid_or_block_beyond_the_device_is_told_with_the_limit, 0,
                        LENGTH(bad_shapes));
    tcase_add_test(tests, a_block_beyond_the_kernels_own_bound_is_told);
    tcase_add_test(tests, dimensions_left_out_are_one);
    tcase_add_test(tests, a_config_of_another_size_is_read_as_far_as_it_goes);
    tcase_add_test(tests, large_dynamic_shared_memory_is_opted_into_once);
    tcase_add_test(tests, shared_memory_beyond_the_opt_in_limit_is_told_with_the_limit);
    tcase_add_loop_test(tests, each_attribute_reaches_the_drivers_config, 0, LENGTH(attributes));
    tcase_add_loop_test(tests, what_is_no_attribute_of_a_launch_is_refused, 0, LENGTH(refused));
    tcase_add_test(tests, attributes_with_bad_values_are_told);
    tcase_add_test(tests, a_cluster_must_divide_the_grid);
    tcase_add_test(tests, flags_become_attributes);
    tcase_add_test(tests, a_cooperative_grid_that_is_too_large_is_told_with_what_fits);
    tcase_add_test(tests, a_launch_that_the_driver_refuses_names_the_kernel_and_its_shape);
    tcase_add_test(tests, memory_that_the_device_cannot_reach_is_refused);
    tcase_add_test(tests, a_kernel_runs_on_every_device);
    tcase_add_loop_test(tests, default_streams_take_launches_from_any_thread, 0, 2);
    tcase_add_test(tests, a_launch_on_a_stream_asks_for_no_context);
    tcase_add_test(tests, a_foreign_stream_takes_launches);
    tcase_add_test(tests, launches_are_captured);
    tcase_add_test(tests, a_fault_is_told_with_the_latest_launches);
    tcase_add_test(tests, with_blocking_launches_a_fault_is_the_kernels_own);
    tcase_add_test(tests, without_the_variable_launches_do_not_wait);
    tcase_add_test(tests, arguments_are_read_before_the_call_returns);
    suite_add_tcase(suite, tests);
    tcase_add_test(bare, parameters_that_nobody_knows_are_not_checked);
    tcase_add_test(bare, what_the_device_lacks_is_not_supported);
    suite_add_tcase(suite, bare);
    return testing_main(suite, 1);
}
