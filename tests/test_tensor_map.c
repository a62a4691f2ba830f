// Tests tensor maps: they are encoded as a kernel needs them, and refused with a message that names
// the wrong value.
#include <cucore/tensor_map.h>

#include "base/array.h"
#include "device/device.h"
#include "driver/cuda_abi.h"
#include "testing.h"

enum { ROWS = 8, COLUMNS = 32, BOX_ROWS = 4, BOX_COLUMNS = 8 };

// Copies one box of a map's array to `out` through shared memory; the box starts at column x and
// row y.
// clang-format off
static const char ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry take(.param .align 64 .b8 map[128], .param .u64 out, .param .u32 x, .param .u32 y)\n"
    "{\n"
    "    .shared .align 128 .b8 box[128];\n"
    "    .shared .align 8 .b64 bar;\n"
    "    .reg .pred %p<3>;\n"
    "    .reg .b32 %r<10>;\n"
    "    .reg .b64 %d<6>;\n"
    "    mov.u32 %r1, %tid.x;\n"
    "    ld.param.u64 %d1, [out];\n"
    "    ld.param.u32 %r2, [x];\n"
    "    ld.param.u32 %r3, [y];\n"
    "    mov.b64 %d2, map;\n"
    "    cvta.param.u64 %d3, %d2;\n"
    "    mov.u32 %r4, box;\n"
    "    mov.u32 %r5, bar;\n"
    "    setp.ne.u32 %p1, %r1, 0;\n"
    "    @%p1 bra ready;\n"
    "    mbarrier.init.shared.b64 [%r5], 1;\n"
    "    fence.mbarrier_init.release.cluster;\n"
    "    mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 128;\n"
    "    cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
    " [%r4], [%d3, {%r2, %r3}], [%r5];\n"
    "ready:\n"
    "    bar.sync 0;\n"
    "again:\n"
    "    mbarrier.try_wait.parity.shared.b64 %p2, [%r5], 0;\n"
    "    @!%p2 bra again;\n"
    "    shl.b32 %r6, %r1, 2;\n"
    "    add.u32 %r7, %r4, %r6;\n"
    "    ld.shared.u32 %r8, [%r7];\n"
    "    mul.wide.u32 %d4, %r1, 4;\n"
    "    add.s64 %d5, %d1, %d4;\n"
    "    st.global.u32 [%d5], %r8;\n"
    "    ret;\n"
    "}\n";
// clang-format on

static cuc_device *device;
static cuc_stream *stream;
static cuc_buffer *array, *other, *out;
static cuc_tensor tensor; // of `array`: f32[8, 32]

static void setup(void)
{
    const int64_t shape[] = { ROWS, COLUMNS };
    float host[ROWS * COLUMNS];

    if (fake_available()) {
        fake_reset();
        fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 1);
    }
    ck_ok(cuc_device_get(&device, 0));
    ck_ok(cuc_stream_create(&stream, device, NULL));
    ck_ok(cuc_buffer_create(&array, stream, NULL, sizeof(host)));
    ck_ok(cuc_buffer_create(&other, stream, NULL, sizeof(host)));
    ck_ok(cuc_buffer_create(&out, stream, NULL, 128));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        host[i] = (float)i;
    ck_ok(cuc_buffer_write_async(stream, array, 0, host, sizeof(host)));
    for (int i = 0; i < ROWS * COLUMNS; i++)
        host[i] = -host[i];
    ck_ok(cuc_buffer_write_async(stream, other, 0, host, sizeof(host)));
    ck_ok(cuc_stream_synchronize(stream));
    ck_ok(cuc_tensor_from_buffer(&tensor, array, CUC_F32, 2, shape));
}

static void teardown(void)
{
    cuc_buffer_release(array);
    cuc_buffer_release(other);
    cuc_buffer_release(out);
    cuc_stream_release(stream);
}

static bool has_tensor_maps(void)
{
    int32_t maps = 0;

    ck_ok(cuc_device_get_attribute(&maps, device, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED));
    return maps != 0;
}

#define NEED_TENSOR_MAPS()                                          \
    do {                                                            \
        if (!has_tensor_maps())                                     \
            SKIP("the device is of before compute capability 9.0"); \
    } while (0)

static void take(float *result, const cuc_tensor_map *map, int32_t x, int32_t y)
{
    cuc_object *object;
    cuc_kernel *kernel;

    ck_ok(cuc_object_create(&object, CUC_CODE_PTX, ptx, sizeof(ptx) - 1, NULL));
    ck_ok(cuc_object_get_kernel(&kernel, object, "take"));
    ck_ok(CUC_LAUNCH(stream, CUC_LAUNCH_CONFIG(.grid = { 1 }, .block = { 32 }), kernel, *map, out,
                     x, y));
    ck_ok(cuc_buffer_read_async(stream, result, out, 0, 128));
    ck_ok(cuc_stream_synchronize(stream));
    cuc_kernel_release(kernel);
    cuc_object_release(object);
}

static float at(int row, int column)
{
    return row < 0 || row >= ROWS || column < 0 || column >= COLUMNS
               ? 0
               : (float)(row * COLUMNS + column);
}

CASE("tensor_map", .setup = setup, .teardown = teardown);

TEST(a_kernel_takes_boxes_by_a_map)
{
    static const int32_t places[][2] = { { 0, 0 }, { 8, 4 }, { 28, 6 }, { -4, -2 } };
    const uint32_t box[] = { BOX_ROWS, BOX_COLUMNS };
    cuc_tensor_map map;
    float got[32];

    if (fake_available())
        SKIP("the fake driver runs no PTX");
    NEED_TENSOR_MAPS();
    ck_ok(cuc_tensor_map_encode_tiled(&map, &tensor, box, NULL));
    for (int p = 0; p < 4; p++) {
        take(got, &map, places[p][0], places[p][1]);
        for (int i = 0; i < 32; i++)
            ck_assert_float_eq(got[i],
                               at(places[p][1] + i / BOX_COLUMNS, places[p][0] + i % BOX_COLUMNS));
    }
    // The same for another array.
    cuc_tensor second = tensor;
    second.data = cuc_buffer_ptr(other);
    ck_ok(cuc_tensor_map_replace_address(&map, &second));
    take(got, &map, 8, 4);
    ck_assert_float_eq(got[9], -at(5, 9));
}

TEST(steps_and_dimensions_are_in_the_tensors_order)
{
    const uint32_t box[] = { 8, 8 }; // the map takes every second row
    cuc_tensor_map map;
    float got[32];

    if (fake_available())
        SKIP("the fake driver runs no PTX");
    NEED_TENSOR_MAPS();
    ck_ok(cuc_tensor_map_encode_tiled(&map, &tensor, box, CUC_TENSOR_MAP_OPTIONS(.steps = { 2 })));
    take(got, &map, 4, 0);
    for (int i = 0; i < 32; i++)
        ck_assert_float_eq(got[i], at(2 * (i / 8), 4 + i % 8));
}

// A dimension with one element may have any stride, even one that no map allows.
TEST(strides_of_dimensions_with_one_element_are_ignored)
{
    const uint32_t box[] = { 1, 4, 8 };
    cuc_tensor_map map;
    cuc_tensor t = tensor;

    NEED_TENSOR_MAPS();
    t.rank = 3;
    t.shape[0] = 1, t.shape[1] = ROWS, t.shape[2] = COLUMNS;
    t.strides[0] = 3, t.strides[1] = COLUMNS, t.strides[2] = 1;
    ck_ok(cuc_tensor_map_encode_tiled(&map, &t, box, NULL));
    // The stride of one element stays irrelevant beside another stride near the maximum of maps.
    t.strides[1] = (INT64_C(1) << 38) - 4;
    ck_ok(cuc_tensor_map_encode_tiled(&map, &t, box, NULL));
}

TEST(maps_of_images_are_made)
{
    cuc_tensor_map map;
    cuc_tensor t = tensor; // 2 images of 2 x 2 pixels with 32 channels

    NEED_TENSOR_MAPS();
    t.rank = 4;
    memcpy(t.shape, (int64_t[]){ 2, 2, 2, COLUMNS }, 4 * sizeof(int64_t));
    memcpy(t.strides, (int64_t[]){ 128, 64, 32, 1 }, 4 * sizeof(int64_t));
    ck_ok(cuc_tensor_map_encode_im2col(
        &map, &t, CUC_TENSOR_MAP_IMAGE(.lower = { -1, -1 }, .channels = 32, .pixels = 8), NULL));
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_tensor_map_encode_im2col(&map, &tensor,
                                          CUC_TENSOR_MAP_IMAGE(.channels = 32, .pixels = 8), NULL),
             "2 dimensions, expected 3 to 5");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_tensor_map_encode_im2col(&map, &t,
                                          CUC_TENSOR_MAP_IMAGE(.channels = 257, .pixels = 8), NULL),
             "image->channels is 257");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_tensor_map_encode_im2col(&map, &t, CUC_TENSOR_MAP_IMAGE(.channels = 32), NULL),
             "image->pixels is 0");
    ck_fails(
        CUC_ERROR_INVALID_ARGUMENT,
        cuc_tensor_map_encode_im2col(
            &map, &t, CUC_TENSOR_MAP_IMAGE(.lower = { 200 }, .channels = 32, .pixels = 1), NULL),
        "image->lower[0] is 200", "-128 to 127");
    ck_fails(
        CUC_ERROR_INVALID_ARGUMENT,
        cuc_tensor_map_encode_im2col(
            &map, &t, CUC_TENSOR_MAP_IMAGE(.lower = { 0, 3 }, .channels = 32, .pixels = 1), NULL),
        "leaves nothing of the 2 elements of shape[2]");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_tensor_map_encode_im2col(&map, &t, NULL, NULL),
             "image is NULL");
}

TEST(im2col_wide_maps_need_later_devices)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    const cuc_tensor_map_options *by128 =
        CUC_TENSOR_MAP_OPTIONS(.swizzle = CUC_TENSOR_MAP_SWIZZLE_128B);
    const cuc_tensor_map_options *lines =
        CUC_TENSOR_MAP_OPTIONS(.swizzle = CUC_TENSOR_MAP_SWIZZLE_64B, .flags = CUC_TENSOR_MAP_W128);
    cuc_tensor t = tensor; // 2 images of 2 x 2 pixels with 32 channels
    cuc_tensor_map map;

    NEED_TENSOR_MAPS();
    t.rank = 4;
    memcpy(t.shape, (int64_t[]){ 2, 2, 2, COLUMNS }, 4 * sizeof(int64_t));
    memcpy(t.strides, (int64_t[]){ 128, 64, 32, 1 }, 4 * sizeof(int64_t));
#define WIDE(options, ...) \
    cuc_tensor_map_encode_im2col_wide(&map, &t, CUC_TENSOR_MAP_IMAGE(__VA_ARGS__), options)
    ck_fails(bad, WIDE(NULL, .channels = 32, .pixels = 8), "swizzle is 0, expected");
    ck_fails(bad, WIDE(by128, .lower = { -1 }, .channels = 32, .pixels = 8), "lower[0] is -1",
             "expected 0");
    ck_fails(bad, WIDE(by128, .upper = { 0, 32768 }, .channels = 32, .pixels = 8), "upper[1] 32768",
             "-32768 to 32767");
    ck_fails(bad, WIDE(by128, .lower = { 0, 2 }, .channels = 32, .pixels = 8),
             "leaves nothing of the 2 elements of shape[2]");
    ck_fails(bad, WIDE(by128, .channels = 64, .pixels = 8), "the swizzle allows 128");
    ck_fails(bad, WIDE(by128, .channels = 32), "image->pixels is 0");
    ck_fails(bad,
             cuc_tensor_map_encode_im2col(&map, &t, CUC_TENSOR_MAP_IMAGE(.channels = 16), lines),
             "flags is 0x2");
    ck_fails(bad, cuc_tensor_map_encode_im2col_wide(&map, &t, NULL, by128), "image is NULL");
    if (!fake_available()) {
        int32_t major = 0;
        ck_ok(
            cuc_device_get_attribute(&major, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
        if (major < 10)
            ck_fails(CUC_ERROR_NOT_SUPPORTED, WIDE(by128, .channels = 32, .pixels = 8),
                     "such maps need 10.0");
        return;
    }
    ck_fails(CUC_ERROR_NOT_SUPPORTED, WIDE(lines, .channels = 16), "such maps need 10.0");
    device->major = 10;
    fake_do_nothing("cuTensorMapEncodeIm2colWide", 1);
    ck_ok(WIDE(by128, .lower = { 0, -1 }, .upper = { 0, 1 }, .channels = 32, .pixels = 8));
    ck_ok(WIDE(lines, .channels = 16));
#undef WIDE
}

// Errors in a tensor of 8 x 32 f32, in a box of 4 x 8, or in the options.
static const struct refusal {
    const char *says;
    cuc_status status; // 0: CUC_ERROR_INVALID_ARGUMENT
    cuc_dtype dtype;
    int64_t offset, stride[2], extent; // bytes, elements, elements; 0: unchanged
    uint32_t box[2];
    cuc_tensor_map_options options;
} refusals[] = {
    { .says = "box[1] is 0", .box = { 4, 0 } },
    { .says = "box[0] is 257, expected 1 to 256", .box = { 257, 8 } },
    { .says = "3 elements of 4 bytes, expected a multiple of 16", .box = { 4, 3 } },
    { .says = "64 elements of 4 bytes, and the swizzle allows 128",
      .box = { 4, 64 },
      .options = { .swizzle = CUC_TENSOR_MAP_SWIZZLE_128B } },
    { .says = "expected a multiple of 16 bytes", .offset = 4 },
    { .says = "strides[1] is 2 elements, and the innermost", .stride = { 0, 2 } },
    { .says = "strides[0] is 33 elements of 4 bytes", .stride = { 33, 0 } },
    { .says = "strides[0] is 2305843009213693952 elements",
      .stride = { INT64_C(1) << 61, 0 },
      .extent = 2 },
    { .says = "strides[0] is 274877906944 elements", .stride = { INT64_C(1) << 38, 0 } },
    { .says = "strides[0] is -32 elements", .stride = { -32, 0 } },
    { .says = "swizzle is 7, expected a CUC_TENSOR_MAP_SWIZZLE_", .options = { .swizzle = 7 } },
    { .says = "interleave is 3, expected", .options = { .interleave = 3 } },
    { .says = "l2_promotion is 4", .options = { .l2_promotion = 4 } },
    { .says = "fill is 2", .options = { .fill = 2 } },
    { .says = "flags is 0x2", .options = { .flags = 2 } },
    { .says = "expected 3 to 5", .options = { .interleave = CUC_TENSOR_MAP_INTERLEAVE_16B } },
    { .says = "steps[0] is 9, expected 1 to 8", .options = { .steps = { 9 } } },
    { .says = "steps[2] is 2, and the tensor has 2", .options = { .steps = { 1, 1, 2 } } },
    { .says = "options->dtype is f16, of 16 bits", .options = { .dtype = CUC_F16 } },
    { .says = "CUC_TENSOR_MAP_FTZ, which needs elements of f32",
      .dtype = CUC_I32,
      .options = { .flags = 1 } },
    { .says = "CUC_TENSOR_MAP_FILL_NAN, which", .dtype = CUC_U32, .options = { .fill = 1 } },
    { .says = "c128", .status = CUC_ERROR_NOT_SUPPORTED, .dtype = CUC_C128, .extent = 1 },
    { .says = "dtype 99", .status = CUC_ERROR_NOT_SUPPORTED, .options = { .dtype = 99 } },
};

TEST_ROWS(impossible_maps_are_refused, refusals)
{
    const struct refusal *r = &refusals[_i];
    uint32_t box[2] = { BOX_ROWS, BOX_COLUMNS };
    cuc_tensor_map_options options = r->options;
    cuc_tensor_map map = { { 1 } };
    cuc_tensor t = tensor;

    NEED_TENSOR_MAPS();
    options.struct_size = sizeof(options);
    t.dtype = r->dtype ? r->dtype : t.dtype;
    t.data += (uint64_t)r->offset;
    for (int i = 0; i < 2; i++) {
        t.strides[i] = r->stride[i] ? r->stride[i] : t.strides[i];
        box[i] = r->box[0] ? r->box[i] : box[i];
    }
    if (r->extent)
        t.shape[0] = r->extent;
    ck_fails(r->status ? r->status : CUC_ERROR_INVALID_ARGUMENT,
             cuc_tensor_map_encode_tiled(&map, &t, box, &options), r->says);
    ck_assert_uint_eq(map.words[0], 1);
}

TEST(swizzles_of_later_devices_are_reported)
{
    const uint32_t box[] = { BOX_ROWS, BOX_COLUMNS };
    cuc_tensor_map map;
    int32_t major = 0;

    NEED_TENSOR_MAPS();
    ck_ok(cuc_device_get_attribute(&major, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
    for (int32_t s = CUC_TENSOR_MAP_SWIZZLE_NONE; s <= CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_64B; s++) {
        const cuc_tensor_map_options options = { .struct_size = sizeof(options), .swizzle = s };
        if (s <= CUC_TENSOR_MAP_SWIZZLE_128B || major >= 10)
            ck_ok(cuc_tensor_map_encode_tiled(&map, &tensor, box, &options));
        else
            ck_fails(CUC_ERROR_NOT_SUPPORTED,
                     cuc_tensor_map_encode_tiled(&map, &tensor, box, &options),
                     "compute capability 10.0");
    }
}

TEST(missing_arguments_are_refused)
{
    const cuc_status bad = CUC_ERROR_INVALID_ARGUMENT;
    const uint32_t box[] = { BOX_ROWS, BOX_COLUMNS };
    cuc_tensor_map map;
    cuc_tensor t = tensor;

    ck_fails(bad, cuc_tensor_map_encode_tiled(NULL, &tensor, box, NULL), "out is NULL");
    ck_fails(bad, cuc_tensor_map_encode_tiled(&map, NULL, box, NULL), "tensor is NULL");
    ck_fails(bad, cuc_tensor_map_encode_tiled(&map, &tensor, NULL, NULL), "box is NULL");
    ck_fails(bad, cuc_tensor_map_replace_address(NULL, &tensor), "map is NULL");
    t.device = -1;
    ck_fails(bad, cuc_tensor_map_encode_tiled(&map, &t, box, NULL), "host memory");
    t = tensor;
    t.rank = 0;
    ck_fails(bad, cuc_tensor_map_encode_tiled(&map, &t, box, NULL),
             "0 dimensions, expected 1 to 5");
    if (!fake_available())
        return;
    fake_set_attribute(0, CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 0);
    ck_fails(CUC_ERROR_NOT_SUPPORTED, cuc_tensor_map_encode_tiled(&map, &tensor, box, NULL),
             "compute capability 9.0");
}

int main(void)
{
    return run_device_tests("tensor_map");
}
