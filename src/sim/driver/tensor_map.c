// Tensor maps: what the driver asks of them, and the encoding that src/sim/tensor_copy.c reads.
#include "shell.h"

#include <string.h>

#include "sim/tensor_map.h"

enum { MAX_BOX = 256, MAX_STEP = 8 };

CUresult sim_cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType dtype, uint32_t rank,
                                    void *address, const uint64_t *dims, const uint64_t *strides,
                                    const uint32_t *box, const uint32_t *element_strides,
                                    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                    CUtensorMapL2promotion l2_promotion,
                                    CUtensorMapFloatOOBfill oob_fill)
{
    static const uint8_t bytes_of[SIM_TENSOR_TYPES] = SIM_TENSOR_ELEMENT_BYTES;
    static const uint32_t spans[] = { UINT32_MAX, 32, 64, 128 };
    uint64_t align = interleave == CU_TENSOR_MAP_INTERLEAVE_32B ? 32 : 16;
    struct sim_tensor_map m = { .mark = SIM_TENSOR_MAP_MARK, .address = (uintptr_t)address };

    if (!map || (uintptr_t)map % 64 || dtype > CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B || !rank ||
        rank > SIM_TENSOR_RANK || !address || m.address % align || !dims ||
        (rank > 1 && !strides) || !box || !element_strides ||
        interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
        (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE && rank < 3) ||
        swizzle > CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B ||
        (interleave == CU_TENSOR_MAP_INTERLEAVE_32B && swizzle != CU_TENSOR_MAP_SWIZZLE_32B) ||
        l2_promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
        oob_fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
        return CUDA_ERROR_INVALID_VALUE;
    // Packed 4 and 6 bit elements, and swizzles of larger atoms, are Blackwell's.
    if (dtype >= SIM_TENSOR_TYPES || interleave != CU_TENSOR_MAP_INTERLEAVE_NONE ||
        swizzle > CU_TENSOR_MAP_SWIZZLE_128B)
        return CUDA_ERROR_NOT_SUPPORTED;
    if (oob_fill && dtype < CU_TENSOR_MAP_DATA_TYPE_FLOAT16)
        return CUDA_ERROR_INVALID_VALUE;
    m.rank = (uint8_t)rank;
    m.type = (uint8_t)dtype;
    m.element_bytes = bytes_of[dtype];
    m.swizzle = (uint8_t)swizzle;
    m.nan = oob_fill != 0;
    m.stride[0] = m.element_bytes;
    for (uint32_t i = 0; i < rank; i++) {
        if (!dims[i] || dims[i] > UINT64_C(1) << 32 || !box[i] || box[i] > MAX_BOX ||
            !element_strides[i] || element_strides[i] > MAX_STEP ||
            (i && (strides[i - 1] % align || strides[i - 1] >= UINT64_C(1) << 40)))
            return CUDA_ERROR_INVALID_VALUE;
        m.last[i] = (uint32_t)(dims[i] - 1);
        m.box[i] = (uint16_t)box[i];
        m.step[i] = (uint8_t)element_strides[i];
        if (i)
            m.stride[i] = strides[i - 1];
    }
    if (box[0] * m.element_bytes % 16 || box[0] * m.element_bytes > spans[swizzle])
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(map, &m, sizeof(m));
    return CUDA_SUCCESS;
}

CUresult sim_cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct sim_tensor_map m;

    if (!map || (uintptr_t)map % 64 || !address || (uintptr_t)address % 16)
        return CUDA_ERROR_INVALID_VALUE;
    memcpy(&m, map, sizeof(m));
    if (m.mark != SIM_TENSOR_MAP_MARK)
        return CUDA_ERROR_INVALID_VALUE;
    m.address = (uintptr_t)address;
    memcpy(map, &m, sizeof(m));
    return CUDA_SUCCESS;
}
