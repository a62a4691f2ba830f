// Runs the kernels whose comments allow a result in place of an argument, in place and not, and
// expects equal bits.
#include <cucore/cucore.h>
#include <cucore/library.h>

#include "base/array.h"
#include "testing.h"

enum { M = 5, N = 300, G = 2, MOST = 10, BYTES = 64 << 10 };

static cuc_device *device;
static cuc_stream *stream;

static void setup(void)
{
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
}

static void teardown(void)
{
    cuc_stream_release(stream);
}

// Parameters, one letter each: x a matrix of T, w a row of T, r a column of f32, p partial sums, h
// heads of T, a angles, t targets, g a tensor of groups, c the channels of a group, s the
// statistics of a group, q partial sums of channels.
static const struct in_place {
    const char *family, *kernel, *constants, *parameters;
    int result, argument; // the result takes the place of the argument
} rows[] = {
    { "rms_norm", "rms_norm_backward", "N=300", "xxwrxp", 4, 0 },
    { "rms_norm", "rms_norm_backward", "N=300", "xxwrxp", 4, 1 },
    { "rms_norm", "rms_norm_backward", "N=300 BN=128", "xxwrxp", 4, 0 },
    { "rms_norm", "rms_norm_backward", "N=300 BN=128", "xxwrxp", 4, 1 },
    { "layer_norm", "layer_norm_backward", "N=300", "xxwrrxpp", 5, 0 },
    { "layer_norm", "layer_norm_backward", "N=300", "xxwrrxpp", 5, 1 },
    { "layer_norm", "layer_norm_backward", "N=300 BN=128", "xxwrrxpp", 5, 0 },
    { "group_norm", "group_norm_backward", "BS=64", "ggcssgqq", 5, 0 },
    { "group_norm", "group_norm_backward", "BS=64", "ggcssgqq", 5, 1 },
    { "softmax", "softmax", "N=300", "xx", 1, 0 },
    { "softmax", "softmax", "N=300 BN=128", "xx", 1, 0 },
    { "softmax", "softmax_backward", "N=300", "xxx", 2, 0 },
    { "softmax", "softmax_backward", "N=300 BN=128", "xxx", 2, 1 },
    { "swiglu", "swiglu", "BN=256", "xxx", 2, 0 },
    { "swiglu", "swiglu", "BN=256", "xxx", 2, 1 },
    { "swiglu", "swiglu_backward", "BN=256", "xxxxx", 3, 0 },
    { "swiglu", "swiglu_backward", "BN=256", "xxxxx", 3, 2 },
    { "swiglu", "swiglu_backward", "BN=256", "xxxxx", 4, 1 },
    { "gelu", "gelu", "BN=256", "xwx", 2, 0 },
    { "gelu", "gelu_backward", "BN=256", "xxwxp", 3, 0 },
    { "gelu", "gelu_backward", "BN=256", "xxwxp", 3, 1 },
    { "rope", "rope", "D=8", "haah", 3, 0 },
    { "rope", "rope", "D=8 INTERLEAVED=true", "haah", 3, 0 },
    { "rope", "rope_backward", "D=8", "haah", 3, 0 },
    { "cross_entropy", "cross_entropy_backward", "BN=128", "xtrrx", 4, 0 },
};

// Returns an array's shape and dtype.
static cuc_tensor shape_of(char letter)
{
    switch (letter) {
    case 'w':
        return (cuc_tensor){ .dtype = CUC_F16, .rank = 1, .shape = { N } };
    case 'r':
        return (cuc_tensor){ .dtype = CUC_F32, .rank = 1, .shape = { M } };
    case 'p':
        return (cuc_tensor){ .dtype = CUC_F32, .rank = 2, .shape = { G, N } };
    case 'h':
        return (cuc_tensor){ .dtype = CUC_F16, .rank = 4, .shape = { 2, 3, M, 8 } };
    case 'a':
        return (cuc_tensor){ .dtype = CUC_F32, .rank = 2, .shape = { M, 4 } };
    case 't':
        return (cuc_tensor){ .dtype = CUC_I64, .rank = 1, .shape = { M } };
    case 'g':
        return (cuc_tensor){ .dtype = CUC_F16, .rank = 4, .shape = { 2, 2, 3, 100 } };
    case 'c':
        return (cuc_tensor){ .dtype = CUC_F16, .rank = 2, .shape = { 2, 3 } };
    case 's':
        return (cuc_tensor){ .dtype = CUC_F32, .rank = 2, .shape = { 2, 2 } };
    case 'q':
        return (cuc_tensor){ .dtype = CUC_F32, .rank = 3, .shape = { 2, 2, 3 } };
    default:
        return (cuc_tensor){ .dtype = CUC_F16, .rank = 2, .shape = { M, N } };
    }
}

static size_t bytes_of(const cuc_tensor *t)
{
    size_t count = cuc_dtype_bits(t->dtype) / 8;

    for (int32_t i = 0; i < t->rank; i++)
        count *= (size_t)t->shape[i];
    return count;
}

// Small numbers of either sign, in any of the dtypes.
static void fill(unsigned char *to, const cuc_tensor *t, uint32_t seed)
{
    size_t size = cuc_dtype_bits(t->dtype) / 8, count = bytes_of(t) / size;

    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        float number = (float)(seed >> 16) / 32768 - 1;
        uint16_t half = (uint16_t)(0x3800 | (seed >> 16 & 0x83ff)); // 0.5 to 1
        int64_t target = seed >> 16 & 255;
        memcpy(to + i * size,
               size == 2   ? (const void *)&half
               : size == 4 ? (const void *)&number
                           : &target,
               size);
    }
}

// Runs the kernel and copies the result; in place if `shared`.
static void run(unsigned char *result, cuc_kernel *kernel, const struct in_place *row, bool shared)
{
    static unsigned char data[BYTES];
    size_t count = strlen(row->parameters);
    cuc_buffer *buffer[MOST] = { NULL };
    cuc_tensor tensor[MOST];
    cuc_arg args[MOST];

    for (size_t i = 0; i < count; i++) {
        cuc_tensor t = shape_of(row->parameters[i]);
        size_t bytes = bytes_of(&t);
        ck_assert_uint_le(bytes, BYTES);
        fill(data, &t, (uint32_t)i + 1);
        ck_ok(cuc_buffer_create(&buffer[i], stream, NULL, bytes));
        ck_ok(cuc_buffer_write_async(stream, buffer[i], 0, data, bytes));
        ck_ok(cuc_stream_synchronize(stream));
    }
    for (size_t i = 0; i < count; i++) {
        cuc_tensor t = shape_of(row->parameters[i]);
        size_t at = shared && (int)i == row->result ? (size_t)row->argument : i;
        ck_ok(cuc_tensor_from_pointer(&tensor[i], cuc_buffer_ptr(buffer[at]), t.dtype, t.rank,
                                      t.shape, 0));
        args[i] = CUC_ARG(&tensor[i]);
    }
    ck_ok(cuc_launch(stream, NULL, kernel, args, count));
    ck_ok(cuc_buffer_read_async(stream, result, buffer[shared ? row->argument : row->result], 0,
                                bytes_of(&tensor[row->result])));
    ck_ok(cuc_stream_synchronize(stream));
    for (size_t i = 0; i < count; i++)
        cuc_buffer_release(buffer[i]);
}

CASE("in place", .setup = setup, .teardown = teardown, .timeout = 60);

TEST_ROWS(a_result_may_take_the_place_of_its_argument, rows)
{
    static unsigned char apart[BYTES], shared[BYTES];
    const struct in_place *row = &rows[_i];
    char words[64];
    const char *set[4] = { "T=f16" };
    size_t count = 1;
    cuc_program *program;
    cuc_object *object;
    cuc_kernel *kernel;

    snprintf(words, sizeof(words), "%s", row->constants);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        set[count++] = word;
    ck_ok(cuc_program_from_library(&program, row->family,
                                   CUC_PROGRAM_OPTIONS(.constants = set, .constant_count = count)));
    ck_ok(cuc_program_compile(&object, program, CUC_CODE_PTX));
    ck_ok(cuc_object_get_kernel(&kernel, object, row->kernel));
    run(apart, kernel, row, false);
    run(shared, kernel, row, true);
    ck_assert_msg(apart[0] || apart[1], "%s: the first number is 0", row->kernel);
    cuc_tensor result = shape_of(row->parameters[row->result]);
    ck_assert_msg(memcmp(apart, shared, bytes_of(&result)) == 0, "%s: %s in place of argument %d",
                  row->kernel, row->constants, row->argument);
    cuc_kernel_release(kernel);
    cuc_object_release(object);
    cuc_program_release(program);
}

int main(void)
{
    return run_device_tests("library in place");
}
