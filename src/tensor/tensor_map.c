#include <cucore/tensor_map.h>

#include "base/array.h"
#include "device/context.h"
#include "device/device.h"
#include "base/options.h"
#include "tensor.h"

#include <string.h>

#define RANK CUC_TENSOR_MAP_MAX_RANK
#define STRIDE_END (UINT64_C(1) << 40)
#define REFUSE(...) return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function, __VA_ARGS__)

void cuc_tensor_map_options_init(cuc_tensor_map_options *options, size_t caller_size)
{
    cuc__init_options(options, caller_size);
}

// The data type that a map uses to copy each element type. An element type that the driver lacks is
// copied as bits.
static const struct {
    int8_t type, ftz; // with CUC_TENSOR_MAP_FTZ; -1: none
    bool known, is_float;
} types[] = {
    [CUC_BOOL] = { CU_TENSOR_MAP_DATA_TYPE_UINT8, -1, true, false },
    [CUC_I8] = { CU_TENSOR_MAP_DATA_TYPE_UINT8, -1, true, false },
    [CUC_U8] = { CU_TENSOR_MAP_DATA_TYPE_UINT8, -1, true, false },
    [CUC_E4M3] = { CU_TENSOR_MAP_DATA_TYPE_UINT8, -1, true, false },
    [CUC_E5M2] = { CU_TENSOR_MAP_DATA_TYPE_UINT8, -1, true, false },
    [CUC_E8M0] = { CU_TENSOR_MAP_DATA_TYPE_UINT8, -1, true, false },
    [CUC_I16] = { CU_TENSOR_MAP_DATA_TYPE_UINT16, -1, true, false },
    [CUC_U16] = { CU_TENSOR_MAP_DATA_TYPE_UINT16, -1, true, false },
    [CUC_I32] = { CU_TENSOR_MAP_DATA_TYPE_INT32, -1, true, false },
    [CUC_U32] = { CU_TENSOR_MAP_DATA_TYPE_UINT32, -1, true, false },
    [CUC_I64] = { CU_TENSOR_MAP_DATA_TYPE_INT64, -1, true, false },
    [CUC_U64] = { CU_TENSOR_MAP_DATA_TYPE_UINT64, -1, true, false },
    [CUC_C64] = { CU_TENSOR_MAP_DATA_TYPE_UINT64, -1, true, false },
    [CUC_F16] = { CU_TENSOR_MAP_DATA_TYPE_FLOAT16, -1, true, true },
    [CUC_BF16] = { CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, -1, true, true },
    [CUC_F32] = { CU_TENSOR_MAP_DATA_TYPE_FLOAT32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ, true,
                  true },
    [CUC_TF32] = { CU_TENSOR_MAP_DATA_TYPE_TFLOAT32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ, true,
                   true },
    [CUC_F64] = { CU_TENSOR_MAP_DATA_TYPE_FLOAT64, -1, true, true },
};

// The maximum number of bytes in a box's innermost dimension, by swizzle.
static const uint32_t spans[] = { UINT32_MAX, 32, 64, 128, 128, 128, 128 };

// The arguments of the driver's call, with the innermost dimension first.
struct encoding {
    CUtensorMapDataType type;
    uint32_t rank, item; // `item` is the size of an element in bytes
    void *address;
    uint64_t dims[RANK], strides[RANK - 1]; // strides[i] belongs to dimension i + 1
    uint32_t box[RANK], steps[RANK];
    cuc_tensor_map_options options;
    cuc_context *context;
};

// Checks the options that are enumerations with values from 0 on.
static cuc_status check_choices(const cuc_tensor_map_options *o, uint32_t known,
                                const char *function)
{
    const struct cuc__range choices[] = {
        { "options->interleave", o->interleave, 0, 2, "CUC_TENSOR_MAP_INTERLEAVE_" },
        { "options->swizzle", o->swizzle, 0, 6, "CUC_TENSOR_MAP_SWIZZLE_" },
        { "options->l2_promotion", o->l2_promotion, 0, 3, "CUC_TENSOR_MAP_L2_" },
        { "options->fill", o->fill, 0, 1, "CUC_TENSOR_MAP_FILL_" },
    };
    cuc_status st = cuc__check_ranges(choices, CUC_LENGTH(choices), function);

    if (st < 0 || (st = cuc__check_bits("options->flags", o->flags, known, o->reserved,
                                        known & CUC_TENSOR_MAP_W128 ? "CUC_TENSOR_MAP_ bits (0x3)"
                                                                    : "CUC_TENSOR_MAP_FTZ (0x1)",
                                        function)) < 0)
        return st;
    if (o->interleave == CUC_TENSOR_MAP_INTERLEAVE_32B && o->swizzle != CUC_TENSOR_MAP_SWIZZLE_32B)
        REFUSE("options->swizzle is %d: CUC_TENSOR_MAP_INTERLEAVE_32B takes "
               "CUC_TENSOR_MAP_SWIZZLE_32B (1)",
               o->swizzle);
    return CUC_OK;
}

static cuc_status find_type(struct encoding *e, const cuc_tensor *t, const char *function)
{
    const cuc_tensor_map_options *o = &e->options;
    cuc_dtype dtype = o->dtype ? o->dtype : t->dtype;
    const char *name = cuc_dtype_name(dtype);

    if (dtype < 0 || (size_t)dtype >= CUC_LENGTH(types) || !types[dtype].known)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "elements are %s (dtype %d), which tensor maps do not support", name,
                         dtype);
    if (cuc_dtype_bits(dtype) != cuc_dtype_bits(t->dtype))
        REFUSE("options->dtype is %s, of %u bits, and the tensor's elements are %s, of %u", name,
               cuc_dtype_bits(dtype), cuc_dtype_name(t->dtype), cuc_dtype_bits(t->dtype));
    if (o->flags & CUC_TENSOR_MAP_FTZ && types[dtype].ftz < 0)
        REFUSE("options->flags has CUC_TENSOR_MAP_FTZ, which needs elements of f32 or tf32, and "
               "they are %s",
               name);
    if (o->fill == CUC_TENSOR_MAP_FILL_NAN && !types[dtype].is_float)
        REFUSE("options->fill is CUC_TENSOR_MAP_FILL_NAN, which needs elements of f16, bf16, f32, "
               "tf32 or f64, and they are %s",
               name);
    e->type =
        (CUtensorMapDataType)(o->flags & CUC_TENSOR_MAP_FTZ ? types[dtype].ftz : types[dtype].type);
    e->item = cuc_dtype_bits(dtype) / 8;
    return CUC_OK;
}

// Finds the context. The map's device must have the hardware for such copies.
static cuc_status find_context(struct encoding *e, const cuc_tensor *t, const char *function)
{
    const uint32_t everywhere = CUC_TENSOR_PINNED | CUC_TENSOR_MANAGED;
    cuc_device *device;
    int32_t maps = 0;

    if (t->device < 0 && !(t->flags & everywhere))
        REFUSE("the tensor is in host memory that is neither pinned nor managed, which tensor maps "
               "cannot access");
    cuc_status st = cuc_device_get(&device, t->device < 0 ? 0 : t->device);
    if (st >= 0)
        st = cuc_device_get_attribute(&maps, device,
                                      CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED);
    if (st >= 0 && !maps)
        return cuc__fail(
            CUC_ERROR_NOT_SUPPORTED, function,
            "device %d has no tensor memory accelerator, which needs compute capability 9.0",
            cuc_device_ordinal(device));
    if (st < 0)
        return cuc__pass(st, function);
    if (e->options.swizzle > CUC_TENSOR_MAP_SWIZZLE_128B && device->major < 10)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "options->swizzle is %d, which needs compute capability 10.0, and device "
                         "%d (%s) has %d.%d",
                         e->options.swizzle, device->ordinal, device->name, device->major,
                         device->minor);
    return cuc__device_primary(&e->context, device, function);
}

static cuc_status check_address(const cuc_tensor *t, uint32_t align, const char *function)
{
    if (t->data % align)
        REFUSE("the tensor is at 0x%llx, expected a multiple of %u bytes",
               (unsigned long long)t->data, align);
    return CUC_OK;
}

// Returns the size of `count` inner elements, rounded up to a valid stride, or the largest valid
// stride if that is smaller.
static uint64_t whole(uint64_t inner, uint64_t count, uint32_t align)
{
    uint64_t bytes;

    if (__builtin_mul_overflow(inner, count, &bytes) || bytes > STRIDE_END - align)
        return STRIDE_END - align;
    return (bytes + align - 1) / align * align;
}

static cuc_status lay_out(struct encoding *e, const cuc_tensor *t, const char *function)
{
    const uint32_t align = e->options.interleave == CUC_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    const int32_t last = t->rank - 1;

    cuc_status st = check_address(t, align, function);
    if (st < 0)
        return st;
    e->rank = (uint32_t)t->rank;
    e->address = (void *)(uintptr_t)t->data;
    if (t->shape[last] > 1 && t->strides[last] != 1)
        REFUSE("strides[%d] is %lld elements, and the innermost dimension of a tensor map has 1",
               last, (long long)t->strides[last]);
    for (int32_t i = last; i >= 0; i--) {
        const int32_t at = last - i;
        if (t->shape[i] < 1 || t->shape[i] > INT64_C(1) << 32)
            REFUSE("shape[%d] is %lld, expected 1 to 2^32", i, (long long)t->shape[i]);
        e->dims[at] = (uint64_t)t->shape[i];
        e->steps[at] = e->options.steps[i] ? e->options.steps[i] : 1;
        if (e->steps[at] > 8)
            REFUSE("options->steps[%d] is %u, expected 1 to 8", i, e->steps[at]);
        if (i == last)
            continue;
        if (t->shape[i] == 1) { // its stride is arbitrary, so choose a valid one
            const uint64_t inner = at > 1 ? e->strides[at - 2] : e->item;
            e->strides[at - 1] = whole(inner, e->dims[at - 1], align);
            continue;
        }
        int64_t bytes;
        if (__builtin_mul_overflow(t->strides[i], (int64_t)e->item, &bytes) || bytes < 0 ||
            bytes % align || (uint64_t)bytes >= STRIDE_END)
            REFUSE("strides[%d] is %lld elements of %u bytes, expected a multiple of %u bytes "
                   "below 2^40",
                   i, (long long)t->strides[i], e->item, align);
        e->strides[at - 1] = (uint64_t)bytes;
    }
    for (int32_t i = t->rank; i < RANK; i++)
        if (e->options.steps[i])
            REFUSE("options->steps[%d] is %u, and the tensor has %d dimensions", i,
                   e->options.steps[i], t->rank);
    return CUC_OK;
}

// Checks the size in bytes of one row of a copy.
static cuc_status check_inner(const struct encoding *e, const char *what, uint32_t elements,
                              const char *function)
{
    const uint32_t bytes = elements * e->item, span = spans[e->options.swizzle];

    if (bytes % 16)
        REFUSE("%s is %u elements of %u bytes, expected a multiple of 16 bytes", what, elements,
               e->item);
    if (e->options.interleave == CUC_TENSOR_MAP_INTERLEAVE_NONE && bytes > span)
        REFUSE("%s is %u elements of %u bytes, and the swizzle allows %u bytes", what, elements,
               e->item, span);
    return CUC_OK;
}

static cuc_status begin(struct encoding *e, const cuc_tensor *tensor, int32_t least_rank,
                        const cuc_tensor_map_options *options, uint32_t flags, const char *function)
{
    memset(e, 0, sizeof(*e));
    cuc_status st = cuc__read_options(&e->options, sizeof(e->options), options,
                                      "cuc_tensor_map_options", function);
    if (st < 0 || (st = cuc__tensor_check(tensor, function)) < 0)
        return st;
    if ((st = check_choices(&e->options, flags, function)) < 0)
        return st;
    if (e->options.interleave && least_rank < 3)
        least_rank = 3;
    if (tensor->rank < least_rank || tensor->rank > RANK)
        REFUSE("the tensor has %d dimensions, expected %d to %d", tensor->rank, least_rank, RANK);
    if ((st = find_type(e, tensor, function)) < 0 || (st = lay_out(e, tensor, function)) < 0)
        return st;
    return find_context(e, tensor, function);
}

cuc_status cuc_tensor_map_encode_tiled(cuc_tensor_map *out, const cuc_tensor *tensor,
                                       const uint32_t *box, const cuc_tensor_map_options *options)
{
    const char *const function = __func__;
    struct encoding e;
    CUtensorMap map;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(tensor);
    CUC_CHECK_NOT_NULL(box);
    cuc_status st = begin(&e, tensor, 1, options, CUC_TENSOR_MAP_FTZ, __func__);
    if (st < 0)
        return st;
    for (uint32_t i = 0; i < e.rank; i++) {
        const uint32_t from = e.rank - 1 - i;
        if (box[from] < 1 || box[from] > 256)
            REFUSE("box[%u] is %u, expected 1 to 256 elements", from, box[from]);
        e.box[i] = box[from];
    }
    if ((st = check_inner(&e, "the innermost dimension of the box", e.box[0], __func__)) < 0)
        return st;
    CUC_CALL_IN(st, e.context, cuTensorMapEncodeTiled,
                (&map, e.type, e.rank, e.address, e.dims, e.strides, e.box, e.steps,
                 (CUtensorMapInterleave)e.options.interleave, (CUtensorMapSwizzle)e.options.swizzle,
                 (CUtensorMapL2promotion)e.options.l2_promotion,
                 (CUtensorMapFloatOOBfill)e.options.fill),
                "making a tensor map of a tensor of %u dimensions at %p", e.rank, e.address);
    if (st >= 0)
        memcpy(out, &map, sizeof(*out));
    return st;
}

static cuc_status check_image(const struct encoding *e, const cuc_tensor_map_image *image,
                              const char *function)
{
    if (image->channels < 1 || image->channels > 256)
        REFUSE("image->channels is %u, expected 1 to 256", image->channels);
    if (!(e->options.flags & CUC_TENSOR_MAP_W128) && (image->pixels < 1 || image->pixels > 1024))
        REFUSE("image->pixels is %u, expected 1 to 1024", image->pixels);
    return check_inner(e, "image->channels", image->channels, function);
}

cuc_status cuc_tensor_map_encode_im2col(cuc_tensor_map *out, const cuc_tensor *tensor,
                                        const cuc_tensor_map_image *image,
                                        const cuc_tensor_map_options *options)
{
    static const int32_t limits[] = { [3] = 32768, [4] = 128, [5] = 16 };
    const char *const function = __func__;
    int lower[3] = { 0 }, upper[3] = { 0 };
    cuc_tensor_map_image given;
    struct encoding e;
    CUtensorMap map;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(tensor);
    CUC_CHECK_NOT_NULL(image);
    cuc_status st = CUC_READ_OPTIONS(&given, image, cuc_tensor_map_image);
    if (st < 0 || (st = begin(&e, tensor, 3, options, CUC_TENSOR_MAP_FTZ, __func__)) < 0)
        return st;
    const uint32_t space = e.rank - 2;
    for (uint32_t i = 0; i < space; i++) {
        const int32_t limit = limits[e.rank];
        const uint32_t from = space - 1 - i;
        lower[i] = given.lower[from];
        upper[i] = given.upper[from];
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit)
            REFUSE("image->lower[%u] is %d and upper[%u] %d, expected %d to %d for a tensor of %u "
                   "dimensions",
                   from, lower[i], from, upper[i], -limit, limit - 1, e.rank);
        if ((int64_t)e.dims[i + 1] - 1 + upper[i] < lower[i])
            REFUSE("image->lower[%u] is %d and upper[%u] %d, which leaves nothing of the %llu "
                   "elements of shape[%u]",
                   from, lower[i], from, upper[i], (unsigned long long)e.dims[i + 1], from + 1);
    }
    if ((st = check_image(&e, &given, __func__)) < 0)
        return st;
    CUC_CALL_IN(st, e.context, cuTensorMapEncodeIm2col,
                (&map, e.type, e.rank, e.address, e.dims, e.strides, lower, upper, given.channels,
                 given.pixels, e.steps, (CUtensorMapInterleave)e.options.interleave,
                 (CUtensorMapSwizzle)e.options.swizzle,
                 (CUtensorMapL2promotion)e.options.l2_promotion,
                 (CUtensorMapFloatOOBfill)e.options.fill),
                "making a tensor map of images of %u dimensions at %p", e.rank, e.address);
    if (st >= 0)
        memcpy(out, &map, sizeof(*out));
    return st;
}

// Checks the corners of the box, which may differ only along W.
static cuc_status check_width(const struct encoding *e, const cuc_tensor_map_image *image,
                              const char *function)
{
    const uint32_t w = e->rank - 3;

    for (uint32_t i = 0; i < w; i++)
        if (image->lower[i] || image->upper[i])
            REFUSE("image->lower[%u] is %d and upper[%u] %d, expected 0: the box is one pixel wide "
                   "except in the image's last dimension",
                   i, image->lower[i], i, image->upper[i]);
    if (image->lower[w] < INT16_MIN || image->lower[w] > INT16_MAX || image->upper[w] < INT16_MIN ||
        image->upper[w] > INT16_MAX)
        REFUSE("image->lower[%u] is %d and upper[%u] %d, expected %d to %d", w, image->lower[w], w,
               image->upper[w], INT16_MIN, INT16_MAX);
    if ((int64_t)e->dims[1] - 1 + image->upper[w] < image->lower[w])
        REFUSE("image->lower[%u] is %d and upper[%u] %d, which leaves nothing of the %llu elements "
               "of shape[%u]",
               w, image->lower[w], w, image->upper[w], (unsigned long long)e->dims[1], w + 1);
    return CUC_OK;
}

cuc_status cuc_tensor_map_encode_im2col_wide(cuc_tensor_map *out, const cuc_tensor *tensor,
                                             const cuc_tensor_map_image *image,
                                             const cuc_tensor_map_options *options)
{
    const char *const function = __func__;
    cuc_tensor_map_image given;
    struct encoding e;
    CUtensorMap map = { 0 };

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(tensor);
    CUC_CHECK_NOT_NULL(image);
    cuc_status st = CUC_READ_OPTIONS(&given, image, cuc_tensor_map_image);
    if (st < 0 || (st = begin(&e, tensor, 3, options, CUC_TENSOR_MAP_FTZ | CUC_TENSOR_MAP_W128,
                              __func__)) < 0)
        return st;
    if (e.options.swizzle < CUC_TENSOR_MAP_SWIZZLE_64B ||
        e.options.swizzle > CUC_TENSOR_MAP_SWIZZLE_128B_ATOM_32B)
        REFUSE("options->swizzle is %d, expected CUC_TENSOR_MAP_SWIZZLE_64B (2), _128B (3) or "
               "_128B_ATOM_32B (4)",
               e.options.swizzle);
    if ((st = check_width(&e, &given, __func__)) < 0 ||
        (st = check_image(&e, &given, __func__)) < 0)
        return st;
    if (e.context->device->major < 10)
        return CUC_FAIL(CUC_ERROR_NOT_SUPPORTED,
                        "device %d (%s) has compute capability %d.%d, and such maps need 10.0",
                        e.context->device->ordinal, e.context->device->name,
                        e.context->device->major, e.context->device->minor);
    const bool whole_lines = e.options.flags & CUC_TENSOR_MAP_W128;
    const uint32_t w = e.rank - 3;
    CUC_CALL_IN(
        st, e.context, cuTensorMapEncodeIm2colWide,
        (&map, e.type, e.rank, e.address, e.dims, e.strides, given.lower[w], given.upper[w],
         given.channels, whole_lines ? 128 : given.pixels, e.steps,
         (CUtensorMapInterleave)e.options.interleave,
         whole_lines ? CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 : CU_TENSOR_MAP_IM2COL_WIDE_MODE_W,
         (CUtensorMapSwizzle)e.options.swizzle, (CUtensorMapL2promotion)e.options.l2_promotion,
         (CUtensorMapFloatOOBfill)e.options.fill),
        "making a tensor map of the width of images of %u dimensions at %p", e.rank, e.address);
    if (st >= 0)
        memcpy(out, &map, sizeof(*out));
    return st;
}

cuc_status cuc_tensor_map_replace_address(cuc_tensor_map *map, const cuc_tensor *tensor)
{
    struct encoding e = { 0 };
    CUtensorMap changed;

    CUC_CHECK_NOT_NULL(map);
    CUC_CHECK_NOT_NULL(tensor);
    cuc_status st = cuc__tensor_check(tensor, __func__);
    if (st < 0 || (st = check_address(tensor, 16, __func__)) < 0 ||
        (st = find_context(&e, tensor, __func__)) < 0)
        return st;
    memcpy(&changed, map, sizeof(changed));
    CUC_CALL_IN(st, e.context, cuTensorMapReplaceAddress,
                (&changed, (void *)(uintptr_t)tensor->data),
                "replacing a tensor map's address by 0x%llx", (unsigned long long)tensor->data);
    if (st >= 0)
        memcpy(map, &changed, sizeof(*map));
    return st;
}
