// Tensor maps: validates them as the driver does, and encodes them as src/sim/exec/tensor_box.c
// reads them.
#include "shell.h"

#include <string.h>

#include "sim/exec/tensor_map.h"

static const struct sim_tensor_format formats[SIM_TENSOR_TYPES] = SIM_TENSOR_FORMATS;

// The swizzles of the driver API. Each limits the inner dimension of a box, in bytes.
static const struct {
    enum sim_tensor_swizzle swizzle;
    enum sim_tensor_atom atom;
    uint32_t span;
} swizzles[] = {
    [CU_TENSOR_MAP_SWIZZLE_NONE] = { SIM_SWIZZLE_NONE, SIM_ATOM_16B, UINT32_MAX },
    [CU_TENSOR_MAP_SWIZZLE_32B] = { SIM_SWIZZLE_32B, SIM_ATOM_16B, 32 },
    [CU_TENSOR_MAP_SWIZZLE_64B] = { SIM_SWIZZLE_64B, SIM_ATOM_16B, 64 },
    [CU_TENSOR_MAP_SWIZZLE_128B] = { SIM_SWIZZLE_128B, SIM_ATOM_16B, 128 },
    [CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B] = { SIM_SWIZZLE_128B, SIM_ATOM_32B, 128 },
    [CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B] = { SIM_SWIZZLE_128B, SIM_ATOM_32B_FLIP_8B, 128 },
    [CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B] = { SIM_SWIZZLE_128B, SIM_ATOM_64B, 128 },
};

// The fields that all maps have.
struct tensor {
    CUtensorMapDataType dtype;
    uint32_t rank;
    void *address;
    const uint64_t *dims, *strides;
    const uint32_t *steps;
    CUtensorMapInterleave interleave;
    CUtensorMapSwizzle swizzle;
    CUtensorMapL2promotion l2_promotion;
    CUtensorMapFloatOOBfill oob_fill;
};

static bool is_float(CUtensorMapDataType dtype)
{
    return dtype >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16 &&
           dtype <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
}

// Returns the alignment of the tensor and of its rows.
static uint64_t alignment(struct sim_tensor_format f)
{
    return f.padded ? 32 : 16;
}

// Encodes the tensor, and the layout that its boxes have in shared memory. `inner` is the number of
// elements in a box along dimension 0.
static CUresult encode(struct sim_tensor_map *m, const CUtensorMap *to, const struct tensor *t,
                       uint32_t least_rank, uint32_t inner)
{
    if (!to || (uintptr_t)to % 64 || t->dtype >= SIM_TENSOR_TYPES || t->rank < least_rank ||
        t->rank > SIM_TENSOR_RANK || !t->address || !t->dims || (t->rank > 1 && !t->strides) ||
        !t->steps || t->interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        (t->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && t->rank < 3) ||
        t->swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
        (t->interleave == CU_TENSOR_MAP_INTERLEAVE_32B &&
         t->swizzle != CU_TENSOR_MAP_SWIZZLE_32B) ||
        t->l2_promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        t->oob_fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return CUDA_ERROR_INVALID_VALUE;
    // The layout of channel slices (interleave) is undocumented.
    if (t->interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (t->oob_fill && !is_float(t->dtype))
        return CUDA_ERROR_INVALID_VALUE;

    const struct sim_tensor_format f = formats[t->dtype];
    uint64_t align = alignment(f);
    *m = (struct sim_tensor_map){
        .mark = SIM_TENSOR_MAP_MARK,
        .address = (uintptr_t)t->address,
        .rank = (uint8_t)t->rank,
        .type = (uint8_t)t->dtype,
        .swizzle = (uint8_t)swizzles[t->swizzle].swizzle,
        .atom = (uint8_t)swizzles[t->swizzle].atom,
        .nan = t->oob_fill != 0,
    };
    if (m->address % align || (f.bits == 4 && t->dims[0] % 2))
        return CUDA_ERROR_INVALID_VALUE;
    for (uint32_t i = 0; i < t->rank; i++) {
        if (!t->dims[i] || t->dims[i] > UINT64_C(1) << 32 || !t->steps[i] ||
            t->steps[i] > SIM_TENSOR_MAX_STEP ||
            (i && (t->strides[i - 1] % align || t->strides[i - 1] >= UINT64_C(1) << 40)))
            return CUDA_ERROR_INVALID_VALUE;
        m->last[i] = (uint32_t)(t->dims[i] - 1);
        m->step[i] = (uint8_t)t->steps[i];
        if (i)
            m->stride[i - 1] = t->strides[i - 1];
    }
    // Formats that are padded in shared memory need boxes of 128 elements and extents that are
    // multiples of 128, and do not permit all swizzles.
    if (f.padded && (inner != 128 || t->dims[0] % 128 ||
                     (m->swizzle != SIM_SWIZZLE_NONE && m->swizzle != SIM_SWIZZLE_128B) ||
                     m->atom == SIM_ATOM_32B_FLIP_8B || (m->atom == SIM_ATOM_64B && f.bits == 4)))
        return CUDA_ERROR_INVALID_VALUE;
    uint32_t bytes = f.padded ? inner : inner * f.bits / 8;
    return inner * f.bits % 8 || bytes % 16 || bytes > swizzles[t->swizzle].span
               ? CUDA_ERROR_INVALID_VALUE
               : CUDA_SUCCESS;
}

CUresult sim_encode_tiled(CUtensorMap *map, CUtensorMapDataType dtype, uint32_t rank, void *address,
                          const uint64_t *dims, const uint64_t *strides, const uint32_t *box,
                          const uint32_t *element_strides, CUtensorMapInterleave interleave,
                          CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2_promotion,
                          CUtensorMapFloatOOBfill oob_fill)
{
    const struct tensor t = { dtype,           rank,       address, dims,         strides,
                              element_strides, interleave, swizzle, l2_promotion, oob_fill };
    struct sim_tensor_map m;
    CUresult code = box ? encode(&m, map, &t, 1, box[0]) : CUDA_ERROR_INVALID_VALUE;

    for (uint32_t i = 0; code == CUDA_SUCCESS && i < rank; i++) {
        if (!box[i] || box[i] > SIM_TENSOR_MAX_BOX)
            code = CUDA_ERROR_INVALID_VALUE;
        m.box[i] = (uint16_t)box[i];
    }
    if (code == CUDA_SUCCESS)
        memcpy(map, &m, sizeof(m));
    return code;
}

CUresult sim_cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType dtype, uint32_t rank,
                                     void *address, const uint64_t *dims, const uint64_t *strides,
                                     const int *lower, const int *upper, uint32_t channels,
                                     uint32_t pixels, const uint32_t *element_strides,
                                     CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                     CUtensorMapL2promotion l2_promotion,
                                     CUtensorMapFloatOOBfill oob_fill)
{
    static const int32_t limits[] = { [3] = 32768, [4] = 128, [5] = 16 };
    const struct tensor t = { dtype,           rank,       address, dims,         strides,
                              element_strides, interleave, swizzle, l2_promotion, oob_fill };
    struct sim_tensor_map m;
    CUresult code = lower && upper && channels && channels <= SIM_TENSOR_MAX_BOX && pixels &&
                            pixels <= SIM_TENSOR_MAX_PIXELS
                        ? encode(&m, map, &t, 3, channels)
                        : CUDA_ERROR_INVALID_VALUE;

    for (uint32_t i = 0; code == CUDA_SUCCESS && i + 2 < rank; i++) {
        const int32_t limit = limits[rank];
        // The corners are offsets from those of the image. The box between them must contain a
        // pixel.
        if (lower[i] < -limit || lower[i] >= limit || upper[i] < -limit || upper[i] >= limit ||
            (int64_t)m.last[i + 1] + upper[i] < lower[i])
            code = CUDA_ERROR_INVALID_VALUE;
        m.lower[i] = (int16_t)lower[i];
        m.upper[i] = (int16_t)upper[i];
    }
    if (code == CUDA_SUCCESS) {
        m.mode = SIM_TENSOR_IM2COL;
        m.box[0] = (uint16_t)channels;
        m.box[1] = (uint16_t)pixels;
        memcpy(map, &m, sizeof(m));
    }
    return code;
}

CUresult sim_cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct sim_tensor_map m;

    if (!map || (uintptr_t)map % 64 || !address)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof(m));
    if (m.mark != SIM_TENSOR_MAP_MARK || m.type >= SIM_TENSOR_TYPES ||
        (uintptr_t)address % alignment(formats[m.type]))
        return CUDA_ERROR_INVALID_VALUE;
    m.address = (uintptr_t)address;
    memcpy(map, &m, sizeof(m));
    return CUDA_SUCCESS;
}
