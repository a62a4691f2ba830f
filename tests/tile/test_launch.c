// Tests launches of tile kernels: the arguments that the driver gets, refusals, and the kernels'
// effects.
#include "base/array.h"
#include "code/kernel_tile.h"
#include "code/object.h"
#include "testing.h"

#include <unistd.h>

static const char source[] =
    "kernel vadd(a: f32[N], b: f32[N], c: f32[N]) grid cdiv(N, 1024) {\n"
    "    i = block(0)\n"
    "    store(c, [i], load(a, [i], [1024]) + load(b, [i], [1024]))\n"
    "}\n"
    "kernel rows(x: f32[M, N], y: f32[M + 1, 4], on: bool, n: i32, f: f32, h: f16, big: u64)\n"
    "    where N % 4 == 0, noalias(x, y), n >= 0\n"
    "    grid M, cdiv(N, 64), n\n"
    "{\n"
    "    store(y, [0, 0], full(f32, [1, 4], f))\n"
    "    store(x, [block(0), block(1)], full(f32, [1, 64], f))\n"
    "}\n"
    "kernel fill(x: i32[N], v: i32) {\n"
    "    store(x, [block(0)], full(i32, [32], v))\n"
    "}\n"
    "kernel first(x: i32[N], n: u64) where n < N grid 1 { store(x, [n], full(i32, [1], 3)) }\n"
    "kernel turn(a: f32[128, 128], b: f32[128, 128]) grid 1 {\n"
    "    store(b, [0, 0], trans(load(a, [0, 0], [128, 128])))\n"
    "}\n"
    "kernel narrow(x: tf32[N], y: f32[N]) grid 1 { store(y, [0], cast(load(x, [0], [64]), f32)) }\n"
    "kernel pairs(x: bf16[M, 10], y: bf16[M, 10]) grid cdiv(M, 64) {\n"
    "    store(y, [block(0), 0], load(x, [block(0), 0], [64, 10]))\n"
    "}\n"
    "kernel fourths(x: f32[N], y: f32[N]) where noalias(x, y) grid cdiv(N, 1024) {\n"
    "    i = block(0) // 4 * 4 + block(0) % 4\n    store(y, [i], load(x, [i], [1024]))\n"
    "}\n"
    "kernel reversed(x: f32[N], y: f32[N]) where noalias(x, y) grid cdiv(N, 1024) {\n"
    "    i = N - 1 - block(0) * 1024 - iota(i64, 1024)\n    store(y, [block(0)], gather(x, [i]))\n"
    "}\n"
    "kernel over(x: i32[N], y: i32[N]) grid 1 {\n"
    "    store(y, [0], iota(i32, 1024) * 3)\n"
    "    store(x, [0], load(x, [0], [1024]) + 1)\n"
    "}\n";

static cuc_device *device;
static cuc_stream *stream;
static cuc_object *object;
static struct fake_launch last;

static cuc_kernel *kernel(const char *name)
{
    cuc_kernel *k = NULL;

    ck_ok(cuc_object_get_kernel(&k, object, name));
    return k;
}

static void setup(void)
{
    cuc_program *program = NULL;

    if (fake_available())
        fake_reset();
    if (fake_available())
        fake_set_attribute(0, CUC_DEVICE_PAGEABLE_MEMORY_ACCESS, 0);
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, source, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 4)));
    ck_assert_msg(cuc_program_compile(&object, program, CUC_CODE_PTX) == CUC_OK, "%s\n%s",
                  cuc_error_message(), cuc_error_log());
    cuc_program_release(program);
}

static void teardown(void)
{
    ck_ok(cuc_stream_synchronize(stream));
    cuc_object_release(object);
    cuc_stream_release(stream);
    if (fake_available())
        ck_assert_int_eq(fake_live_total(), 0);
}

// Makes a tensor without memory, for launches that are refused, or on a driver that runs nothing.
static cuc_tensor tensor(cuc_dtype dtype, int32_t rank, int64_t m, int64_t n)
{
    const int64_t shape[] = { m, n };
    cuc_tensor t;

    ck_ok(cuc_tensor_from_pointer(&t, 0x10000, dtype, rank, shape, 0));
    return t;
}

static void seen(const char *name, uint32_t x, uint32_t y, uint32_t z)
{
    ck_assert_int_eq(fake_last_launch(&last), 1);
    ck_assert_str_eq(last.kernel, name);
    ck_assert_uint_eq(last.config.gridDimX, x);
    ck_assert_uint_eq(last.config.gridDimY, y);
    ck_assert_uint_eq(last.config.gridDimZ, z);
    ck_assert_uint_eq(last.config.blockDimX, 128);
    ck_assert_uint_eq(last.param_count, 1);
}

CASE("launch", .setup = setup, .teardown = teardown, .timeout = 60);

TEST(the_driver_gets_the_entry_the_grid_and_one_block_of_parameters)
{
    NEED_FAKE();
    cuc_kernel *vadd = kernel("vadd");
    cuc_tensor a = tensor(CUC_F32, 1, 5000, 1), b = a, c = a;
    const uint64_t expected[] = { 0x10000, 5000, 1, 0x20000, 5000, 1, 0x30000, 5000, 1 };

    b.data = 0x20000;
    c.data = 0x30000;
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.flags = 0), vadd, &a, &b, &c));
    seen("vadd$idx32_aligned", 5, 1, 1);
    ck_assert_uint_eq(last.param_bytes[0], sizeof(expected));
    ck_assert_mem_eq(last.params[0], expected, sizeof(expected));
    ck_assert_uint_eq(last.config.sharedMemBytes, 0);

    c.data += 4; // not aligned for vectors
    ck_ok(CUC_LAUNCH(stream, NULL, vadd, &a, &b, &c));
    seen("vadd$idx32", 5, 1, 1);
    cuc_kernel_release(vadd);
}

TEST(the_entry_of_a_launch_can_be_asked)
{
    cuc_kernel *vadd = kernel("vadd"), *entry = kernel("vadd$idx64");
    cuc_tensor a = tensor(CUC_F32, 1, 5000, 1), b = a, c = a;
    cuc_arg args[] = { CUC_ARG(&a), CUC_ARG(&b), CUC_ARG(&c) };
    const char *variant = NULL;

    b.data = 0x20000;
    c.data = 0x30000;
    ck_ok(cuc_tile_select_entry(&variant, vadd, device, args, 3));
    ck_assert_str_eq(variant, "idx32+aligned");
    c.data = a.data + 16; // not aside
    ck_ok(cuc_tile_select_entry(&variant, vadd, device, args, 3));
    ck_assert_str_eq(variant, "idx32+overlap");
    c.data += 4;
    ck_ok(cuc_tile_select_entry(&variant, vadd, device, args, 3));
    ck_assert_str_eq(variant, "idx32");
    c.strides[0] = 2;
    ck_ok(cuc_tile_select_entry(&variant, vadd, device, args, 3));
    ck_assert_str_eq(variant, "idx64");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_select_entry(&variant, vadd, device, args, 2),
             "vadd: expected 3 arguments, got 2");
    c.shape[0] = 4999;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_select_entry(&variant, vadd, device, args, 3),
             "argument c");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_select_entry(&variant, entry, device, args, 3),
             "not a kernel of a tile program");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_select_entry(NULL, vadd, device, args, 3),
             "variant");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_select_entry(&variant, vadd, NULL, args, 3),
             "device");
    ck_assert_str_eq(variant, "idx64");
    cuc_kernel_release(entry);
    cuc_kernel_release(vadd);
}

TEST(a_tensor_is_aligned_to_its_widest_access)
{
    NEED_FAKE();
    cuc_kernel *pairs = kernel("pairs");
    cuc_tensor x = tensor(CUC_BF16, 2, 100, 10), y = x; // rows of 20 bytes, accesses of 4

    y.data = 0x20004;
    ck_ok(CUC_LAUNCH(stream, NULL, pairs, &x, &y));
    seen("pairs$idx32_aligned", 2, 1, 1);
    y.data = 0x20002;
    ck_ok(CUC_LAUNCH(stream, NULL, pairs, &x, &y));
    seen("pairs$idx32", 2, 1, 1);
    cuc_kernel_release(pairs);
}

TEST(a_tensor_of_tf32_takes_elements_of_f32)
{
    NEED_FAKE();
    cuc_kernel *narrow = kernel("narrow");
    cuc_tensor x = tensor(CUC_F32, 1, 64, 1), y = x;

    y.data = 0x20000;
    ck_ok(CUC_LAUNCH(stream, NULL, narrow, &x, &y));
    seen("narrow$idx32_aligned", 1, 1, 1);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, narrow, &x, &(cuc_tensor){ 0 }),
             "argument y: expected");
    x.dtype = CUC_TF32;
    y.dtype = CUC_TF32;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, narrow, &x, &y),
             "argument y: expected elements of f32, got tf32");
    cuc_kernel_release(narrow);
}

TEST(scalars_lie_in_eight_bytes_each)
{
    NEED_FAKE();
    cuc_kernel *rows = kernel("rows");
    cuc_tensor x = tensor(CUC_F32, 2, 3, 128), y = tensor(CUC_F32, 2, 4, 4);
    const uint16_t half = 0x3c00;
    uint64_t words[14];

    y.data = 0x40000;
    ck_ok(CUC_LAUNCH(stream, NULL, rows, &x, &y, (bool)true, 2, 1.5f, CUC_ARG_STRUCT(half),
                     UINT64_MAX));
    seen("rows$idx32_aligned", 3, 2, 2);
    ck_assert_uint_eq(last.param_bytes[0], 120);
    memcpy(words, last.params[0], sizeof(words));
    const uint64_t expected[] = { 0x10000, 3, 128, 128, 1, 0x40000, 4, 4, 4, 1, 1, 2, 0x3fc00000 };
    ck_assert_mem_eq(words, expected, sizeof(expected));
    cuc_kernel_release(rows);
}

TEST(an_empty_grid_launches_nothing)
{
    cuc_kernel *vadd = kernel("vadd"), *rows = kernel("rows");
    cuc_tensor none = tensor(CUC_F32, 1, 0, 1), x = tensor(CUC_F32, 2, 3, 128),
               y = tensor(CUC_F32, 2, 4, 4);
    const uint16_t half = 0;

    none.data = 0;
    y.data = 0x40000;
    ck_ok(CUC_LAUNCH(stream, NULL, vadd, &none, &none, &none));
    ck_ok(CUC_LAUNCH(stream, NULL, rows, &x, &y, (bool)true, 0, 1.5f, CUC_ARG_STRUCT(half),
                     UINT64_MAX));
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
    cuc_kernel_release(vadd);
    cuc_kernel_release(rows);
}

// ---- Arguments of vadd and rows with one error each, and text expected in the message

enum { A, B, C, X, Y };
enum spoiling { DTYPE, RANK, EXTENT, LAST_EXTENT, STRIDE, ADDRESS, FLAGS, DEVICE };
static const struct {
    int which;
    enum spoiling what;
    int64_t value;
    const char *says[2];
} refusals[] = {
    { A, DTYPE, CUC_F16, { "argument a: expected elements of f32, got f16", "" } },
    { B, RANK, 2, { "argument b: expected 1 axis, got 2", "" } },
    { C,
      EXTENT,
      4999,
      { "argument c: axis 0: expected 5000, which N is by argument a, got 4999", "" } },
    { B, EXTENT, -1, { "argument b: axis 0: expected an extent, got -1", "" } },
    { B,
      STRIDE,
      INT64_C(1) << 62,
      { "argument b: axis 0: expected elements within memory, got 5000 that lie "
        "4611686018427387904 apart",
        "" } },
    { X, STRIDE, INT64_MIN, { "argument x: axis 0", "3 that lie -9223372036854775808 apart" } },
    { X, STRIDE, (INT64_C(1) << 56) + 1, { "argument x: axis 0: expected elements within", "" } },
    { C,
      ADDRESS,
      0x10002,
      { "argument c: expected an address that is a multiple of 4", "0x10002" } },
    { A, ADDRESS, 0, { "argument a: expected an address", "got 0x0" } },
    { C, FLAGS, CUC_TENSOR_READ_ONLY, { "argument c: the kernel writes it", "read-only" } },
    { A, FLAGS, 0x18, { "argument a: expected CUC_TENSOR_ bits (0x7) as flags, got 0x18", "" } },
    { B, DEVICE, -1, { "argument b is a tensor of host memory", "neither pinned nor managed" } },
    { B, DEVICE, 99, { "argument b is a tensor of device 99, which does not exist", "" } },
    { Y, EXTENT, 5, { "argument y: axis 0: expected 4, got 5", "" } },
    { Y, LAST_EXTENT, 8, { "argument y: axis 1: expected 4, got 8", "" } },
    { X,
      LAST_EXTENT,
      126,
      { "where N % 4 == 0: it does not hold: N is 126; the left side is 2", "" } },
    { X,
      ADDRESS,
      0x40000 - 16,
      { "where noalias(x, y): it does not hold: x and y share bytes", "" } },
};

static void spoil(cuc_tensor *t, enum spoiling what, int64_t value)
{
    switch (what) {
    case DTYPE:
        t->dtype = (cuc_dtype)value;
        break;
    case RANK:
        t->rank = (int32_t)value;
        break;
    case EXTENT:
        t->shape[0] = value;
        break;
    case LAST_EXTENT:
        t->shape[t->rank - 1] = value;
        break;
    case STRIDE:
        t->strides[0] = value;
        break;
    case ADDRESS:
        t->data = (cuc_device_ptr)value;
        break;
    case FLAGS:
        t->flags = (uint32_t)value;
        break;
    case DEVICE:
        t->device = (int32_t)value;
        break;
    }
}

TEST_ROWS(arguments_that_do_not_fit_are_refused_by_name, refusals)
{
    cuc_kernel *vadd = kernel("vadd"), *rows = kernel("rows");
    cuc_tensor t[] = { tensor(CUC_F32, 1, 5000, 1), tensor(CUC_F32, 1, 5000, 1),
                       tensor(CUC_F32, 1, 5000, 1), tensor(CUC_F32, 2, 3, 128),
                       tensor(CUC_F32, 2, 4, 4) };
    int which = refusals[_i].which;
    const uint16_t half = 0;

    t[Y].data = 0x40000;
    spoil(&t[which], refusals[_i].what, refusals[_i].value);
    if (which < X)
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &t[A], &t[B], &t[C]),
                 "vadd: ", refusals[_i].says[0], refusals[_i].says[1]);
    else
        ck_fails(CUC_ERROR_INVALID_ARGUMENT,
                 CUC_LAUNCH(stream, NULL, rows, &t[X], &t[Y], (bool)true, 1, 1.5f,
                            CUC_ARG_STRUCT(half), UINT64_MAX),
                 "rows: ", refusals[_i].says[0], refusals[_i].says[1]);
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
    cuc_kernel_release(vadd);
    cuc_kernel_release(rows);
}

TEST(arguments_of_another_kind_are_refused)
{
    cuc_kernel *vadd = kernel("vadd"), *fill = kernel("fill");
    cuc_tensor t = tensor(CUC_F32, 1, 5000, 1), x = tensor(CUC_I32, 1, 5000, 1);
    const cuc_launch_config *grid = CUC_LAUNCH_CONFIG(.grid = { 1 });
    cuc_buffer *buffer = NULL;
    const cuc_tensor *nothing = NULL;

    ck_ok(cuc_buffer_create(&buffer, stream, NULL, 20000));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &t, &t),
             "vadd: expected 3 arguments, got 2");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_launch(stream, NULL, vadd, NULL, 3),
             "expected 3 arguments, got NULL for 3");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &t, buffer, &t),
             "argument b: expected a tensor of f32, got a buffer", "cuc_tensor_from_buffer()");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &t, t, &t),
             "argument b: expected a tensor of f32", "pass its address");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &t, 1.0f, &t), "argument b",
             "got f32");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &t, nothing, &t),
             "argument b", "at NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream, NULL, vadd, &t, (cuc_arg){ .type = CUC_ARG_NONE }, &t),
             "argument b", "a handle");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, grid, fill, &x, &x),
             "argument v: expected i32 of 4 bytes, got a "
             "tensor");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, grid, fill, &x, 1.0f),
             "argument v: expected i32 of 4 bytes, got "
             "f32 of 4");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, grid, fill, &x, 1LL), "argument v",
             "got i64 of 8");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, grid, fill, &x, 1u), "argument v",
             "got u32 of 4");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, grid, fill, &x, CUC_ARG_STRUCT(buffer)),
             "argument v", "got bytes of 8");
    if (fake_available())
        ck_assert_int_eq(fake_launch_count(), 0);
    cuc_buffer_release(buffer);
    cuc_kernel_release(vadd);
    cuc_kernel_release(fill);
}

TEST(a_config_must_not_set_what_the_kernel_determines)
{
    cuc_kernel *vadd = kernel("vadd"), *fill = kernel("fill");
    cuc_tensor t = tensor(CUC_F32, 1, 5000, 1), x = tensor(CUC_I32, 1, 64, 1);
    cuc_launch_attribute cluster = { .id = CUC_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
                                     .value.cluster = { 1, 1, 1 } };
    cuc_launch_attribute priority = { .id = CUC_LAUNCH_ATTRIBUTE_PRIORITY, .value.value = 0 };

#define WITH(...) CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(__VA_ARGS__), vadd, &t, &t, &t)
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, WITH(.grid = { 5 }),
             "config.grid is given, but the tile kernel vadd has its own");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, WITH(.block = { 128 }), "config.block");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, WITH(.cluster = { 1 }), "config.cluster");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, WITH(.shared_bytes = 16), "config.shared_bytes");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, WITH(.attribute_count = 1, .attributes = &cluster),
             "attributes[0] is a cluster");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, fill, &x, 1),
             "fill declares no grid");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.flags = 0), fill, &x, 1),
             "fill declares no grid");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2 }, .block = { 32 }), fill, &x, 1),
             "config.block");
    if (fake_available()) {
        ck_assert_int_eq(fake_launch_count(), 0);
        ck_ok(WITH(.attribute_count = 1, .attributes = &priority));
        seen("vadd$idx32_overlap", 5, 1, 1);
        ck_assert_uint_eq(last.config.numAttrs, 1);
        ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 2 }), fill, &x, 1));
        ck_assert_int_eq(fake_last_launch(&last), 1);
        ck_assert_str_eq(last.kernel, "fill$idx32_aligned");
        ck_assert_uint_eq(last.config.gridDimX, 2);
    }
    cuc_kernel_release(vadd);
    cuc_kernel_release(fill);
}

TEST(a_grid_beyond_the_hardware_names_the_axis)
{
    cuc_kernel *vadd = kernel("vadd"), *rows = kernel("rows");
    cuc_tensor t = tensor(CUC_F32, 1, INT64_C(1) << 42, 1), x = tensor(CUC_F32, 2, 3, 128),
               y = tensor(CUC_F32, 2, 4, 4);
    const uint16_t half = 0;

    y.data = 0x40000;
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, vadd, &t, &t, &t),
             "vadd: grid axis 0: expected 0 to 2147483647, got 4294967296");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             CUC_LAUNCH(stream, NULL, rows, &x, &y, (bool)true, 65536, 1.5f, CUC_ARG_STRUCT(half),
                        UINT64_MAX),
             "rows: grid axis 2: expected 0 to 65535, got 65536");
    cuc_kernel_release(vadd);
    cuc_kernel_release(rows);
}

TEST(a_scalar_too_large_for_the_host_is_not_a_negative_number)
{
    cuc_kernel *first = kernel("first");
    cuc_tensor t = tensor(CUC_I32, 1, 5000, 1);

    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, first, &t, UINT64_C(1) << 63),
             "where n < N: n is 9223372036854775808, and the host computes up to "
             "9223372036854775807");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, CUC_LAUNCH(stream, NULL, first, &t, UINT64_C(5000)),
             "where n < N: it does not hold");
    if (fake_available())
        ck_ok(CUC_LAUNCH(stream, NULL, first, &t, UINT64_C(4999)));
    cuc_kernel_release(first);
}

TEST(large_tensors_keep_their_vectors)
{
    NEED_FAKE();
    cuc_kernel *vadd = kernel("vadd");
    cuc_tensor t = tensor(CUC_F32, 1, INT64_C(1) << 33, 1);

    ck_ok(CUC_LAUNCH(stream, NULL, vadd, &t, &t, &t));
    seen("vadd$idx32_overlap", 1 << 23, 1, 1);
    cuc_kernel_release(vadd);
}

// A constant divisor needs no bound. The code of gathers does.
TEST(only_some_kernels_bound_their_tensors)
{
    NEED_FAKE();
    cuc_kernel *fourths = kernel("fourths"), *reversed = kernel("reversed");
    cuc_tensor x = tensor(CUC_F32, 1, INT64_C(1) << 33, 1), y = x;

    y.data += (uint64_t)1 << 40;
    ck_ok(CUC_LAUNCH(stream, NULL, fourths, &x, &y));
    seen("fourths$idx32_aligned", 1 << 23, 1, 1);
    ck_ok(CUC_LAUNCH(stream, NULL, reversed, &x, &y));
    seen("reversed$idx64", 1 << 23, 1, 1);
    cuc_kernel_release(reversed);
    cuc_kernel_release(fourths);
}

TEST(blocks_of_long_rows_start_in_pairs_if_the_grid_is_even)
{
    NEED_FAKE();
    static const char rows[] = "kernel share(x: f32[M, 4096], y: f32[M, 4096]) grid M {\n"
                               "    v = load(x, [block(0), 0], [_, 4096])\n"
                               "    store(y, [block(0), 0], v / sum(v))\n"
                               "}\n";
    cuc_program *program = NULL;
    cuc_object *of_rows = NULL;
    cuc_kernel *share = NULL;

    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, rows, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90a", .warps = 16)));
    ck_ok(cuc_program_compile(&of_rows, program, CUC_CODE_PTX));
    ck_ok(cuc_object_get_kernel(&share, of_rows, "share"));
    for (int64_t m = 6; m <= 7; m++) {
        cuc_tensor x = tensor(CUC_F32, 2, m, 4096), y = x;
        y.data = 0x100000;
        ck_ok(CUC_LAUNCH(stream, NULL, share, &x, &y));
        ck_assert_int_eq(fake_last_launch(&last), 1);
        ck_assert_uint_eq(last.config.gridDimX, (unsigned)m);
        ck_assert_uint_eq(last.config.numAttrs, m == 6);
    }
    cuc_kernel_release(share);
    cuc_object_release(of_rows);
    cuc_program_release(program);
}

// Launches of loops over rows, where `blocks` blocks of the source become `blocks` clusters of
// `parts` blocks.
static const struct {
    const char *name;
    int32_t split;
    uint32_t blocks, parts;
    const char *body; // body of the loop, with y: f32[16], x: i32[16], and the row number i
    uint32_t flags;   // flags of the launch
} shared_loops[] = {
    { "an exact loop on an idle machine", 0, 1, 8, "x = maximum(x, load(b, [i, j], [_, 16]))", 0 },
    { "an exact loop whose blocks are resident together", 0, 1, 1,
      "x = maximum(x, load(b, [i, j], [_, 16]))", CUC_LAUNCH_COOPERATIVE },
    { "an exact loop of half as many blocks", 0, 66, 2, "x += load(b, [i, j], [_, 16])", 0 },
    { "an exact loop of a third as many blocks", 0, 34, 4, "x += load(b, [i, j], [_, 16])", 0 },
    { "an exact loop with a block for each multiprocessor", 0, 132, 1,
      "x += load(b, [i, j], [_, 16])", 0 },
    { "an exact loop, not shared", 1, 4, 1, "x += load(b, [i, j], [_, 16])", 0 },
    { "a sum of floats", 0, 4, 1, "y += load(a, [i, j], [_, 16])", 0 },
    { "a sum of floats, shared", 4, 4, 4, "y += load(a, [i, j], [_, 16])", 0 },
    { "a sum of floats, shared by 3 on a busy machine", 3, 200, 3, "y += load(a, [i, j], [_, 16])",
      0 },
    { "a sum of floats, shared by 16", 16, 4, 16, "y += load(a, [i, j], [_, 16])", 0 },
    { "a decaying sum", 4, 4, 1, "y = y * 0.5 + load(a, [i, j], [_, 16])", 0 },
    { "a loop with a store", 4, 4, 1, "x += load(b, [i, j], [_, 16]); store(c, [j], x)", 0 },
};

TEST_ROWS(the_blocks_of_a_cluster_share_a_loop, shared_loops)
{
    NEED_FAKE();
    char text[600];
    cuc_program *program = NULL;
    cuc_object *code = NULL;
    cuc_kernel *k = NULL;
    int64_t columns = 16 * (int64_t)shared_loops[_i].blocks;
    cuc_tensor a = tensor(CUC_F32, 2, 4096, columns), b = tensor(CUC_I32, 2, 4096, columns);
    cuc_tensor c = tensor(CUC_I32, 1, columns, 1), d = tensor(CUC_F32, 1, columns, 1);
    uint32_t parts = shared_loops[_i].parts, flags = shared_loops[_i].flags;
    const cuc_launch_config config = { .struct_size = sizeof(config), .flags = flags };

    snprintf(text, sizeof(text),
             "kernel k(a: f32[M, N], b: i32[M, N], c: i32[N], d: f32[N]) grid cdiv(N, 16) {\n"
             "    j, x, y = block(0), zeros(i32, [16]), zeros(f32, [16])\n"
             "    for i in 0 .. M { %s }\n"
             "    store(c, [j], x); store(d, [j], y)\n}\n",
             shared_loops[_i].body);
    ck_ok(
        cuc_program_create(&program, CUC_SOURCE_TILE, text, 0,
                           CUC_PROGRAM_OPTIONS(.arch = "sm_90", .split = shared_loops[_i].split)));
    ck_assert_msg(cuc_program_compile(&code, program, CUC_CODE_PTX) == CUC_OK, "%s",
                  cuc_error_log());
    ck_ok(cuc_object_get_kernel(&k, code, "k"));
    b.data = 0x10000000;
    c.data = 0x20000000;
    d.data = 0x30000000;
    for (int i = 0; i < 2; i++) { // a kernel is asked once to allow more than 8 blocks
        fake_calls_reset();
        ck_ok(CUC_LAUNCH(stream, flags ? &config : NULL, k, &a, &b, &c, &d));
        ck_assert_int_eq(fake_calls("cuKernelSetAttribute"), parts > 8 && !i);
    }
    ck_assert_int_eq(fake_last_launch(&last), 1);
    ck_assert_msg(last.config.gridDimX == shared_loops[_i].blocks * parts &&
                      last.config.numAttrs == (parts > 1 || flags),
                  "%s: %u blocks", shared_loops[_i].name, last.config.gridDimX);
    cuc_kernel_release(k);
    cuc_object_release(code);
    cuc_program_release(program);
}

TEST(shared_memory_beyond_48_KiB_is_allowed_once)
{
    NEED_FAKE();
    cuc_kernel *turn = kernel("turn");
    cuc_tensor a = tensor(CUC_F32, 2, 128, 128);
    cuc_tile_entry entry = CUC_TILE_ENTRY_INIT;

    ck_ok(cuc_tile_get_entry(&entry, object, "turn", 0));
    ck_assert_uint_ge(entry.dynamic_shared_bytes, 49152);
    ck_ok(CUC_LAUNCH(stream, NULL, turn, &a, &a));
    seen("turn$idx32_aligned", 1, 1, 1);
    ck_assert_uint_eq(last.config.sharedMemBytes, entry.dynamic_shared_bytes);
    fake_calls_reset();
    ck_ok(CUC_LAUNCH(stream, NULL, turn, &a, &a));
    ck_assert_int_eq(fake_calls("cuKernelSetAttribute"), 0);
    ck_assert_int_eq(fake_calls_total(), 1); // only the launch itself
    cuc_kernel_release(turn);
}

TEST(attributes_set_on_a_kernel_apply_to_all_its_entries)
{
    NEED_FAKE();
    cuc_kernel *vadd = kernel("vadd"), *entry = kernel("vadd$idx64");
    int32_t value = -1;

    ck_ok(cuc_kernel_set_attribute(vadd, device, CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
    ck_ok(cuc_kernel_get_attribute(&value, entry, device,
                                   CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT));
    ck_assert_int_eq(value, 50);
    fake_calls_reset();
    ck_ok(cuc_kernel_set_cache_config(vadd, device, CUC_KERNEL_CACHE_L1));
    ck_assert_int_eq(fake_calls("cuKernelSetCacheConfig"), 4);
    cuc_kernel_release(vadd);
    cuc_kernel_release(entry);
}

TEST(a_tile_kernel_reports_its_parameters)
{
    static const struct {
        const char *name;
        cuc_dtype dtype;
        int32_t rank;
        uint32_t written, offset, bytes;
        int32_t type;
    } expected[] = {
        { "x", CUC_F32, 2, 1, 0, 40, CUC_PARAMETER_ANY },
        { "y", CUC_F32, 2, 1, 40, 40, CUC_PARAMETER_ANY },
        { "on", CUC_BOOL, -1, 0, 80, 1, CUC_PARAMETER_INT },
        { "n", CUC_I32, -1, 0, 88, 4, CUC_PARAMETER_INT },
        { "f", CUC_F32, -1, 0, 96, 4, CUC_PARAMETER_FLOAT },
        { "h", CUC_F16, -1, 0, 104, 2, CUC_PARAMETER_ANY },
        { "big", CUC_U64, -1, 0, 112, 8, CUC_PARAMETER_INT },
    };
    cuc_kernel *rows = kernel("rows"), *entry = kernel("rows$idx64");
    cuc_tile_parameter p = CUC_TILE_PARAMETER_INIT;
    cuc_kernel_parameter q = CUC_KERNEL_PARAMETER_INIT;
    size_t count;

    ck_ok(cuc_kernel_get_parameter_count(&count, rows));
    ck_assert_uint_eq(count, CUC_LENGTH(expected));
    for (size_t i = 0; i < count; i++) {
        ck_ok(cuc_tile_get_parameter(&p, rows, i));
        ck_assert_str_eq(p.name, expected[i].name);
        ck_assert_int_eq(p.dtype, expected[i].dtype);
        ck_assert_int_eq(p.rank, expected[i].rank);
        ck_assert_uint_eq(p.written, expected[i].written);
        ck_ok(cuc_kernel_get_parameter(&q, rows, i));
        ck_assert_uint_eq(q.offset, expected[i].offset);
        ck_assert_uint_eq(q.bytes, expected[i].bytes);
        ck_assert_int_eq(q.type, expected[i].type);
    }
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tile_get_parameter(&p, rows, 7), "7");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_tile_get_parameter(&p, entry, 0),
             "not a kernel of a tile program");
    ck_assert_str_eq(cuc_kernel_name(rows), "rows");
    ck_assert_str_eq(cuc_kernel_symbol(rows), "rows");
    cuc_kernel_release(rows);
    cuc_kernel_release(entry);
}

TEST(an_object_lists_tile_kernels_once_and_not_their_entries)
{
    static const char *const expected[] = { "vadd",   "rows",  "fill",    "first",    "turn",
                                            "narrow", "pairs", "fourths", "reversed", "over" };
    cuc_kernel *k = NULL;
    const char *name;
    size_t count;

    ck_ok(cuc_object_get_kernel_count(&count, object));
    ck_assert_uint_eq(count, CUC_LENGTH(expected));
    for (size_t i = 0; i < count; i++) {
        ck_ok(cuc_object_get_kernel_name(&name, object, i));
        ck_assert_str_eq(name, expected[i]);
    }
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&k, object, "vaddd"), "no kernel \"vaddd\"",
             "vadd, rows, fill, first");
    ck_fails(CUC_ERROR_NOT_FOUND, cuc_object_get_kernel(&k, object, ""), "no kernel");
}

TEST(a_damaged_signature_is_refused)
{
    const char *text;
    size_t bytes;
    cuc_object *other = NULL;
    cuc_kernel *k = NULL;

    ck_ok(cuc_object_get_ptx(&text, &bytes, object));
    char *copy = strdup(text);
    char *at = strstr(strstr(copy, "__cucore_tile_vadd["), "= {") + 60;
    while (*at < '1' || *at > '8')
        at++;
    *at ^= 1;
    ck_ok(cuc_object_create(&other, CUC_CODE_PTX, copy, bytes, NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_object_get_kernel(&k, other, "vadd"),
             "the signature of the tile kernel vadd", "checksum");
    cuc_object_release(other);
    free(copy);
}

TEST(no_failing_driver_call_leaves_anything_behind)
{
    NEED_FAKE();
    cuc_kernel *k = NULL;
    cuc_status st = CUC_ERROR_DRIVER;
    cuc_tensor t = tensor(CUC_F32, 1, 5000, 1);

    for (int n = 1; n < 200 && st < 0; n++) {
        fake_fail_any(n, 2);
        st = cuc_object_get_kernel(&k, object, "vadd");
        if (st == CUC_OK)
            st = CUC_LAUNCH(stream, NULL, k, &t, &t, &t);
        cuc_kernel_release(k);
        k = NULL;
    }
    ck_assert_int_eq(st, CUC_OK);
    fake_fail_reset();
}

// ---- Effects of kernels, on a driver that runs them

static cuc_tensor on_device(cuc_buffer **buffer, const float *data, int64_t n)
{
    cuc_tensor t;

    ck_ok(cuc_buffer_create(buffer, stream, NULL, (size_t)n * sizeof(*data)));
    ck_ok(cuc_buffer_write_async(stream, *buffer, 0, data, (size_t)n * sizeof(*data)));
    ck_ok(cuc_tensor_from_buffer(&t, *buffer, CUC_F32, 1, &n));
    return t;
}

#define NEED_REAL()                               \
    do {                                          \
        if (fake_available())                     \
            SKIP("the fake driver runs nothing"); \
    } while (0)

enum { ROOM = 8192 };

// Adds n elements of arrays, `step` apart, from `first` on; the others must not change.
static void check_vadd(cuc_kernel *vadd, int64_t n, int64_t first, int64_t step)
{
    static float a[ROOM], b[ROOM], c[ROOM], poison[ROOM];
    cuc_buffer *buffers[3];

    for (int i = 0; i < ROOM; i++) {
        a[i] = (float)i;
        b[i] = 0.5f * (float)i;
        poison[i] = -1;
    }
    cuc_tensor t[] = { on_device(&buffers[0], a, ROOM), on_device(&buffers[1], b, ROOM),
                       on_device(&buffers[2], poison, ROOM) };
    for (int i = 0; i < 3; i++) {
        t[i].data += (uint64_t)first * sizeof(float);
        t[i].shape[0] = n;
        t[i].strides[0] = step;
    }
    ck_ok(CUC_LAUNCH(stream, NULL, vadd, &t[0], &t[1], &t[2]));
    ck_ok(cuc_buffer_read_async(stream, c, buffers[2], 0, sizeof(c)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int64_t i = 0; i < n; i++) {
        int64_t at = first + i * step;
        ck_assert_msg(c[at] == a[at] + b[at], "n %d, first %d, step %d: element %d", (int)n,
                      (int)first, (int)step, (int)i);
        c[at] = -1;
    }
    ck_assert_mem_eq(c, poison, sizeof(c));
    for (int i = 0; i < 3; i++)
        cuc_buffer_release(buffers[i]);
}

TEST(a_launch_changes_nothing_else)
{
    NEED_REAL();
    static const int64_t cases[][3] = {
        { 0, 0, 1 },    { 1, 0, 1 },    { 1023, 0, 1 }, { 1024, 0, 1 }, { 1025, 0, 1 },
        { 5000, 0, 1 }, { 5000, 4, 1 }, { 5000, 1, 1 }, { 2000, 3, 4 }, { 700, 8000, -11 },
    };
    cuc_kernel *vadd = kernel("vadd");

    for (int i = 0; i < CUC_LENGTH(cases); i++)
        check_vadd(vadd, cases[i][0], cases[i][1], cases[i][2]);
    cuc_kernel_release(vadd);
}

TEST(code_from_a_file_launches_like_fresh_code)
{
    NEED_REAL();
    char path[] = "/tmp/cucore-test-tile-XXXXXX";
    cuc_kernel *vadd = NULL;

    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_ok(cuc_object_save(object, path));
    cuc_object_release(object);
    object = NULL;
    ck_ok(cuc_object_from_file(&object, path, 0, NULL));
    unlink(path);
    vadd = kernel("vadd");
    check_vadd(vadd, 5000, 0, 1);
    cuc_kernel_release(vadd);
}

TEST(a_kernel_keeps_its_object)
{
    NEED_REAL();
    cuc_kernel *vadd = kernel("vadd");

    cuc_object_release(object);
    object = NULL;
    check_vadd(vadd, 100, 0, 1);
    cuc_kernel_retain(vadd);
    cuc_kernel_release(vadd);
    check_vadd(vadd, 100, 0, 1);
    cuc_kernel_release(vadd);
}

TEST(a_launch_becomes_a_node_of_a_graph)
{
    NEED_REAL();
    float a[100], b[100], c[100];
    cuc_kernel *vadd = kernel("vadd");
    cuc_buffer *buffers[3];
    cuc_graph *graph = NULL;
    cuc_graph_exec *exec = NULL;

    for (int i = 0; i < 100; i++)
        a[i] = b[i] = (float)i;
    memset(c, 0, sizeof(c));
    cuc_tensor t[] = { on_device(&buffers[0], a, 100), on_device(&buffers[1], b, 100),
                       on_device(&buffers[2], c, 100) };
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(CUC_LAUNCH(stream, NULL, vadd, &t[0], &t[1], &t[2]));
    ck_ok(CUC_LAUNCH(stream, NULL, vadd, &t[2], &t[1], &t[2]));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    cuc_kernel_release(vadd);
    cuc_object_release(object);
    object = NULL;
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    ck_ok(cuc_graph_exec_launch(stream, exec));
    ck_ok(cuc_buffer_read_async(stream, c, buffers[2], 0, sizeof(c)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < 100; i++)
        ck_assert_msg(c[i] == 3 * (float)i, "%d is %g", i, (double)c[i]);
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    for (int i = 0; i < 3; i++)
        cuc_buffer_release(buffers[i]);
}

TEST(a_kernel_without_a_grid_takes_the_grid_of_the_launch)
{
    NEED_REAL();
    int32_t data[64] = { 0 };
    cuc_kernel *fill = kernel("fill");
    cuc_buffer *buffer;
    cuc_tensor t;

    ck_ok(cuc_buffer_create(&buffer, stream, NULL, sizeof(data)));
    ck_ok(cuc_buffer_fill(stream, buffer, 0, 0, 4, sizeof(data)));
    ck_ok(cuc_tensor_from_buffer(&t, buffer, CUC_I32, 1, (const int64_t[]){ 64 }));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }), fill, &t, 7));
    ck_ok(cuc_buffer_read_async(stream, data, buffer, 0, sizeof(data)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(data[i], i < 32 ? 7 : 0);
    cuc_buffer_release(buffer);
    cuc_kernel_release(fill);
}

// y begins 4 elements after x, so other threads write, as elements of y, some elements that are
// read as x.
TEST(a_block_sees_what_it_wrote_where_tensors_overlap)
{
    NEED_REAL();
    enum { N = 1020, BEHIND = 4 };
    static float none[N + BEHIND];
    int32_t result[N + BEHIND];
    cuc_kernel *over = kernel("over");
    cuc_buffer *buffer;
    cuc_tensor x = on_device(&buffer, none, N + BEHIND), y;

    ck_ok(cuc_tensor_from_pointer(&y, x.data + 4 * BEHIND, CUC_I32, 1, (const int64_t[]){ N }, 0));
    ck_ok(cuc_tensor_from_pointer(&x, x.data, CUC_I32, 1, (const int64_t[]){ N }, 0));
    ck_ok(CUC_LAUNCH(stream, NULL, over, &x, &y));
    ck_ok(cuc_buffer_read_async(stream, result, buffer, 0, sizeof(result)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < N + BEHIND; i++)
        ck_assert_int_eq(result[i], (i < BEHIND ? 0 : 3 * (i - BEHIND)) + (i < N));
    cuc_buffer_release(buffer);
    cuc_kernel_release(over);
}

// Each row of y begins 4 elements after the one before, so it overwrites most of it.
TEST(the_rows_of_a_tensor_that_overlaps_itself_are_written_in_order)
{
    NEED_REAL();
    enum { M = 9, N = 512, STEP = 4, ALL = (M - 1) * STEP + N };
    static const char text[] =
        "kernel rows(x: f32[M, N], y: f32[M, N]) grid 1 {\n    for m in 0 .. M {\n"
        "        store(y, [m, 0], load(x, [m, 0], [_, 512]), shape=[_, 512])\n    }\n}";
    static float x[M * N], y[ALL];
    cuc_kernel *rows = NULL;
    cuc_buffer *buffers[2];
    const char *variant = NULL;

    for (int i = 0; i < M * N; i++)
        x[i] = (float)i;
    cuc_tensor a = on_device(&buffers[0], x, M * N), b = on_device(&buffers[1], y, ALL), c = b;
    ck_ok(cuc_tensor_from_pointer(&a, a.data, CUC_F32, 2, (const int64_t[]){ M, N }, 0));
    ck_ok(cuc_tensor_from_pointer(&b, b.data, CUC_F32, 2, (const int64_t[]){ M, N }, 0));
    c = b;
    b.strides[0] = STEP;
    ck_ok(cuc_kernel_from_source(&rows, CUC_SOURCE_TILE, text, 0, "rows", NULL));
    cuc_arg args[] = { CUC_ARG(&a), CUC_ARG(&b) };
    ck_ok(cuc_tile_select_entry(&variant, rows, device, args, 2));
    ck_assert_str_eq(variant, "idx32+overlap");
    ck_ok(cuc_launch(stream, NULL, rows, args, 2));
    ck_ok(cuc_buffer_read_async(stream, y, buffers[1], 0, sizeof(y)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < ALL; i++) {
        int m = i / STEP < M ? i / STEP : M - 1;
        ck_assert_msg(y[i] == x[m * N + i - m * STEP], "%d is %g", i, (double)y[i]);
    }
    args[1] = CUC_ARG(&c);
    ck_ok(cuc_tile_select_entry(&variant, rows, device, args, 2));
    ck_assert_str_eq(variant, "idx32+aligned");
    for (int i = 0; i < 2; i++)
        cuc_buffer_release(buffers[i]);
    cuc_kernel_release(rows);
}

TEST(a_transpose_through_shared_memory_is_right)
{
    NEED_REAL();
    static float a[128 * 128], b[128 * 128];
    cuc_kernel *turn = kernel("turn");
    cuc_buffer *buffers[2];

    for (int i = 0; i < 128 * 128; i++)
        a[i] = (float)i;
    cuc_tensor t[] = { on_device(&buffers[0], a, 128 * 128), on_device(&buffers[1], b, 128 * 128) };
    for (int i = 0; i < 2; i++)
        ck_ok(cuc_tensor_from_pointer(&t[i], t[i].data, CUC_F32, 2, (const int64_t[]){ 128, 128 },
                                      0));
    ck_ok(CUC_LAUNCH(stream, NULL, turn, &t[0], &t[1]));
    ck_ok(cuc_buffer_read_async(stream, b, buffers[1], 0, sizeof(b)));
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < 128 * 128; i++)
        ck_assert(b[i] == a[i % 128 * 128 + i / 128]);
    for (int i = 0; i < 2; i++)
        cuc_buffer_release(buffers[i]);
    cuc_kernel_release(turn);
}

// Code for sm_90 and later waits for preceding grids before it reads memory, even if the source
// does not say so. Other code does not, so a launch that may begin early is refused.
TEST(every_kernel_waits_for_preceding_grids)
{
    static const struct {
        const char *arch, *kernel;
        bool waits;
    } cases[] = {
        { "sm_90", "vadd", true },  { "sm_90a", "product", true }, { "sm_80", "vadd", false },
        { "sm_100", "vadd", true }, { "sm_90", "guarded", true },
    };
    static const char text[] =
        "kernel vadd(x: f32[N], y: f32[N]) grid cdiv(N, 64) {\n"
        "    i = block(0)\n"
        "    store(y, [i], load(x, [i], [64]) + 1.0)\n"
        "}\n"
        "kernel guarded(x: f32[N], y: f32[N], n: i32) grid cdiv(N, 64) {\n"
        "    if n > 0 { grid_dependency_wait() }\n" // not reached by every block
        "    store(y, [block(0)], load(x, [block(0)], [64]))\n"
        "}\n"
        "kernel product(a: bf16[M, K], b: bf16[K, N], c: f32[M, N]) grid "
        "cdiv(M, 64), cdiv(N, 64) {\n"
        "    acc = zeros(f32, [64, 64])\n"
        "    for k in 0 .. cdiv(K, 64) {\n"
        "        acc = mma(load(a, [block(0), k], [64, 64]), load(b, [k, "
        "block(1)], [64, 64]), acc)\n"
        "    }\n"
        "    store(c, [block(0), block(1)], acc)\n"
        "}\n";

    for (size_t i = 0; i < CUC_LENGTH(cases); i++) {
        cuc_program *program = NULL;
        cuc_object *code = NULL;
        const char *ptx, *end;
        char entry[64];
        ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, text, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = cases[i].arch)));
        ck_ok(cuc_program_compile(&code, program, CUC_CODE_PTX));
        ck_ok(cuc_object_get_ptx(&ptx, NULL, code));
        snprintf(entry, sizeof(entry), ".entry %s$", cases[i].kernel);
        for (ptx = strstr(ptx, entry); ptx; ptx = strstr(end, entry)) {
            const char *wait = strstr(ptx, "griddepcontrol.wait;"), *access;
            ck_assert_ptr_nonnull(end = strstr(ptx, "\n}\n"));
            ck_assert_int_eq(wait && wait < end, cases[i].waits);
            for (const char *const *word =
                     (const char *const[]){ "ld.global", "cp.async", "st.global", NULL };
                 *word; word++)
                ck_assert(!cases[i].waits || !(access = strstr(ptx, *word)) || access > wait);
            const char *branch = strstr(ptx, "bra ");
            ck_assert(strcmp(cases[i].kernel, "guarded") != 0 || (branch && branch > wait));
        }
        cuc_object_release(code);
        cuc_program_release(program);
    }
    if (!fake_available())
        return;
    for (size_t i = 0; i < CUC_LENGTH(cases); i++) {
        cuc_program *program = NULL;
        cuc_object *code = NULL;
        cuc_kernel *vadd = NULL;
        cuc_tensor t = tensor(CUC_F32, 1, 5000, 1);
        if (strcmp(cases[i].kernel, "vadd") != 0 || strcmp(cases[i].arch, "sm_100") == 0)
            continue;
        ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, text, 0,
                                 CUC_PROGRAM_OPTIONS(.arch = cases[i].arch)));
        ck_ok(cuc_program_compile(&code, program, CUC_CODE_PTX));
        ck_ok(cuc_object_get_kernel(&vadd, code, "vadd"));
        cuc_status st =
            CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.flags = CUC_LAUNCH_PROGRAMMATIC), vadd, &t, &t);
        ck_assert_int_eq(st, cases[i].waits ? CUC_OK : CUC_ERROR_INVALID_ARGUMENT);
        if (!cases[i].waits)
            ck_assert_ptr_nonnull(strstr(cuc_error_message(), "compile for sm_90 or later"));
        cuc_kernel_release(vadd);
        cuc_object_release(code);
        cuc_program_release(program);
    }
}

// Products begin while the preceding kernel ends, unless the caller asks for a plain launch.
TEST(a_product_is_launched_programmatically)
{
    static const uint32_t flags[] = { 0, CUC_GEMM_PLAIN_LAUNCH };

    NEED_FAKE();
    for (size_t i = 0; i < CUC_LENGTH(flags); i++) {
        cuc_tensor a = tensor(CUC_F16, 2, 64, 64), b = a, d = a;
        cuc_gemm_plan *plan = NULL;
        bool programmatic = false;
        ck_ok(cuc_gemm_plan_create(&plan, device,
                                   CUC_GEMM_OPTIONS(.dtype = CUC_F16, .flags = flags[i], .m = 64,
                                                    .n = 64, .k = 64, .tuned = "")));
        ck_ok(cuc_gemm(stream, plan, 1, 0, CUC_GEMM_ARGS(.a = &a, .b = &b, .d = &d)));
        ck_assert(fake_last_launch(&last));
        for (unsigned n = 0; n < last.config.numAttrs; n++)
            programmatic |= last.attributes[n].id ==
                            CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        ck_assert_int_eq(programmatic, !flags[i]);
        cuc_gemm_plan_release(plan);
    }
}

// The second kernel may start while the first one still runs, and then waits for it.
TEST(a_kernel_that_waits_for_other_grids_may_be_launched_as_their_dependent)
{
    static const char both[] = "kernel first(x: i32[N], turns: i32) grid cdiv(N, 64) {\n"
                               "    grid_dependency_launch()\n"
                               "    v = iota(i32, 64)\n"
                               "    for k in 0 .. turns { v = v * 3 + k }\n"
                               "    store(x, [block(0)], v)\n"
                               "}\n"
                               "kernel second(x: i32[N], y: i32[N]) grid cdiv(N, 64) {\n"
                               "    i = block(0)\n"
                               "    grid_dependency_wait()\n"
                               "    store(y, [i], load(x, [i], [64]) + 1)\n"
                               "}\n";
    NEED_REAL();
    enum { N = 4096 };
    static float none[N];
    static int32_t result[N];
    int32_t major, minor;
    cuc_program *program = NULL;
    cuc_object *code = NULL;
    cuc_kernel *first = NULL, *second = NULL;
    cuc_buffer *buffers[2];

    ck_ok(cuc_device_get_compute_capability(&major, &minor, device));
    if (major < 9)
        return;
    ck_ok(cuc_program_create(&program, CUC_SOURCE_TILE, both, 0,
                             CUC_PROGRAM_OPTIONS(.arch = "sm_90", .warps = 2)));
    ck_ok(cuc_program_compile(&code, program, CUC_CODE_PTX));
    // A device may start the second kernel late, so also check that the text contains the wait.
    const char *text, *waits;
    ck_ok(cuc_object_get_ptx(&text, NULL, code));
    ck_assert_ptr_nonnull(text = strstr(text, ".entry second"));
    ck_assert_ptr_nonnull(waits = strstr(text, "griddepcontrol.wait;"));
    ck_assert(waits < strstr(text, "ld.global"));
    ck_ok(cuc_object_get_kernel(&first, code, "first"));
    ck_ok(cuc_object_get_kernel(&second, code, "second"));
    cuc_tensor t[] = { on_device(&buffers[0], none, N), on_device(&buffers[1], none, N) };
    for (int i = 0; i < 2; i++)
        ck_ok(cuc_tensor_from_pointer(&t[i], t[i].data, CUC_I32, 1, (const int64_t[]){ N }, 0));
    for (int32_t turns = 0; turns < 200; turns += 60) {
        ck_ok(CUC_LAUNCH(stream, NULL, first, &t[0], turns));
        ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.flags = CUC_LAUNCH_PROGRAMMATIC), second, &t[0],
                         &t[1]));
        ck_ok(cuc_buffer_read_async(stream, result, buffers[1], 0, sizeof(result)));
        ck_ok(cuc_stream_synchronize(stream));
        for (int i = 0; i < N; i++) {
            uint32_t v = (uint32_t)i % 64;
            for (int32_t k = 0; k < turns; k++)
                v = v * 3 + (uint32_t)k;
            ck_assert_int_eq(result[i], (int32_t)(v + 1));
        }
    }
    for (int i = 0; i < 2; i++)
        cuc_buffer_release(buffers[i]);
    cuc_kernel_release(first);
    cuc_kernel_release(second);
    cuc_object_release(code);
    cuc_program_release(program);
}

int main(void)
{
    return run_device_tests("tile launch");
}
