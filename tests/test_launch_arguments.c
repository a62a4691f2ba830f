// Tests the arguments of launches: the bytes that reach the driver, and the mistakes that are
// caught first.
#include "base/array.h"
#include "launching.h"

struct triple {
    double a;
    int32_t b;
    float c;
    uint64_t d;
};

struct point {
    float x, y, z;
};

CASE("launch_arguments", .setup = setup, .teardown = teardown);

TEST(every_kind_of_argument_arrives_as_its_bytes)
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

    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 256));
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

// Passes the same arguments as rvalues, through const pointers, and in a struct whose type is named
// for strict C11.
TEST(arguments_may_be_values_of_expressions)
{
    const struct triple triple = { 1, 2, 3, 4 };
    struct point points[2] = { { 1, 2, 3 }, { 4, 5, 6 } };
    cuc_buffer *buffer = NULL;

    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 256));
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

TEST(a_pointer_to_anything_is_a_device_address)
{
    static struct triple {
        int a, b, c;
    } triple;
    static const double constant = 1;
    float number = 0, *to_number = &number;
    const cuc_arg args[] = { CUC_ARG(to_number), CUC_ARG(&to_number), CUC_ARG(&triple),
                             CUC_ARG(&constant), CUC_ARG((volatile char *)&number) };
    const void *points_to[] = { to_number, &to_number, &triple, &constant, &number };

    for (size_t i = 0; i < CUC_LENGTH(args); i++) {
        ck_assert_int_eq(args[i].type, CUC_ARG_POINTER);
        ck_assert_uint_eq(args[i].bytes, 8);
        ck_assert_uint_eq(args[i].value.u64, (uintptr_t)points_to[i]);
    }
    cuc_kernel *takes_double = kernel("number");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, takes_double, to_number),
             "number: argument 0: expected a floating-point value of 8 bytes, got a device address "
             "of 8");
    cuc_kernel_release(takes_double);
}

TEST(no_argument_and_thirty_two_are_both_possible)
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

TEST(the_array_form_takes_the_same_arguments)
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
    args[0] = (cuc_arg){ CUC_DTYPE_UNKNOWN, 4, { .f32 = 1.5f } }; // only the size is checked
    args[1] = (cuc_arg){ CUC_ARG_POINTER, 8, { .u64 = 0x1000 } };
    args[2] = (cuc_arg){ CUC_U32, 4, { .u64 = 9 } };
    ck_ok(cuc_launch(stream, SHAPE, three, args, 3));
    args[0] = (cuc_arg){ CUC_TF32, 4, { .f32 = 1.5f } };
    ck_ok(cuc_launch(stream, SHAPE, three, args, 3));
    ck_ok(cuc_launch(stream, SHAPE, none, NULL, 0));
    ck_ok(cuc_launch(stream, SHAPE, none, args, 0));
}

TEST(a_wrong_number_of_arguments_is_reported_with_the_right_one)
{
    static cuc_arg args[1100];

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three, 1.0f, 2ull),
             "three: expected 3 arguments, got 2");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three, 1.0f, 2ull, 3, 4),
             "three: expected 3 arguments, got 4");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three),
             "three: expected 3 arguments, got 0");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch(stream, SHAPE, none, args, 1100),
             "1100 arguments", "1024");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch(stream, SHAPE, three, NULL, 3),
             "args is NULL and count is 3");
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}

static const struct {
    cuc_arg args[3];
    const char *message;
} bad_arguments[] = {
    { { { CUC_F64, 8, { .f64 = 1 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "three: argument 0: expected a floating-point value of 4 bytes, got f64 of 8" },
    { { { CUC_I32, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "three: argument 0: expected a floating-point value of 4 bytes, got i32 of 4" },
    { { { CUC_F32, 4, { 0 } }, { CUC_F64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "three: argument 1: expected an integer or pointer of 8 bytes, got f64 of 8" },
    { { { CUC_F32, 4, { 0 } }, { CUC_I32, 4, { 0 } }, { CUC_I32, 4, { 0 } } },
      "three: argument 1: expected an integer or pointer of 8 bytes, got i32 of 4" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } }, { CUC_I64, 8, { 0 } } },
      "three: argument 2: expected an integer or pointer of 4 bytes, got i64 of 8" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } }, { CUC_F32, 4, { 0 } } },
      "three: argument 2: expected an integer or pointer of 4 bytes, got f32 of 4" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_BYTES, 7, { 0 } }, { CUC_I32, 4, { 0 } } },
      "three: argument 1: expected an integer or pointer of 8 bytes, got bytes of 7" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_BYTES, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 is bytes at NULL" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_BUFFER, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 is a buffer at NULL" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_TENSOR, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "argument 1 is a tensor at NULL" },
    { { { CUC_F32, 4, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } }, { CUC_ARG_POINTER, 8, { 0 } } },
      "three: argument 2: expected an integer or pointer of 4 bytes, got a device address of 8" },
    { { { 999, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } },
      "three: argument 0: expected a cuc_dtype or a CUC_ARG_ constant as its type, got 999" },
    { { { -1, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } }, "got -1" },
    { { { 30, 4, { 0 } }, { CUC_U64, 8, { 0 } }, { CUC_I32, 4, { 0 } } }, "got 30" },
};

TEST_ROWS(an_argument_that_does_not_fit_its_parameter_is_reported, bad_arguments)
{
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_launch(stream, SHAPE, three, bad_arguments[_i].args, 3),
             bad_arguments[_i].message);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}

// Reading a value larger than the cuc_arg's union would read beyond the cuc_arg.
TEST(an_argument_too_large_for_a_cuc_arg_is_refused)
{
    static const int32_t types[] = { CUC_C128, CUC_DTYPE_UNKNOWN, CUC_F64, CUC_ARG_POINTER,
                                     CUC_ARG_BUFFER };
    cuc_kernel *wide = kernel("wide");
    double z[2] = { 1, 2 };

    for (int i = 0; i < CUC_LENGTH(types); i++)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 cuc_launch(stream, SHAPE, wide, &(cuc_arg){ types[i], 16, { .u64 = 64 } }, 1),
                 "wide: argument 0: ", "of 16 bytes", "CUC_ARG_BYTES");
    ck_ok(cuc_launch(stream, SHAPE, wide, &(cuc_arg){ CUC_ARG_BYTES, 16, { .pointer = z } }, 1));
    if (fake_available()) {
        seen("wide");
        ck_parameter(0, z, 16);
    }
    cuc_kernel_release(wide);
}

TEST(null_handles_are_named)
{
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(NULL, SHAPE, none),
             "stream is NULL, expected a cuc_stream");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, NULL),
             "kernel is NULL, expected a cuc_kernel");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, none), "config is NULL",
             "give none a grid and a block");
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
}

CASE("bare");

// A process queries the driver only once, so this runs in a process that has not queried it.
TEST(unknown_parameters_are_not_checked)
{
    cuc_kernel *foreign = NULL;

    NEED_FAKE();
    fake_hide("cuKernelGetParamInfo"); // as with drivers before 12.4
    setup_without_reset();
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, three, 1.0f),
             "three: expected 3 arguments, got 1"); // the PTX has the count
    ck_ok(cuc_kernel_from_handle(&foreign, cuc_kernel_handle(three), NULL));
    for (int i = 0; i < 2; i++)
        ck_ok(CUC_LAUNCH(stream, SHAPE, foreign, 1.0f, 2ull, 3));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_launch(stream, SHAPE, foreign, &(cuc_arg){ 999, 4, { 0 } }, 1), "got 999");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_launch(stream, SHAPE, foreign, &(cuc_arg){ CUC_C128, 16, { 0 } }, 1),
             "does not fit");
    cuc_kernel_release(foreign);
    teardown();
}

CASE("launch_arguments");

TEST(a_kernel_loaded_by_other_code_is_launched_and_checked)
{
    cuc_kernel *foreign = NULL;

    ck_ok(cuc_kernel_from_handle(&foreign, cuc_kernel_handle(three), NULL));
    ck_ok(CUC_LAUNCH(stream, SHAPE, foreign, 1.0f, 2ull, 3));
    cuc_kernel *unknown_name = foreign;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, SHAPE, unknown_name, 1.0f),
             "expected 3 arguments, got 1");
    cuc_kernel_release(foreign);
}

TEST(arguments_are_read_before_the_call_returns)
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

int main(void)
{
    return run_device_tests("launch_arguments");
}
