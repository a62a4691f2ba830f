// Driver calls that encode tensor maps, by means of tensor_map.c.
#include "shell.h"

// Requires a current context, as a GPU's driver does.
CUresult sim_cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType dtype, uint32_t rank,
                                    void *address, const uint64_t *dims, const uint64_t *strides,
                                    const uint32_t *box, const uint32_t *element_strides,
                                    CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                    CUtensorMapL2promotion l2_promotion,
                                    CUtensorMapFloatOOBfill oob_fill)
{
    CUresult state = sim_current_state();

    return state ? state
                 : sim_encode_tiled(map, dtype, rank, address, dims, strides, box, element_strides,
                                    interleave, swizzle, l2_promotion, oob_fill);
}
