// What cuTensorMapEncodeTiled of the simulated driver writes and tensor copies read: 128 bytes in
// an encoding of our own. The driver checks it, so whoever finds the mark need not.
#ifndef CUCORE_SIM_TENSOR_MAP_H
#define CUCORE_SIM_TENSOR_MAP_H

#include <assert.h>
#include <stdint.h>

#define SIM_TENSOR_MAP_MARK UINT64_C(0x70616d2d6d6973) // "sim-map"

enum { SIM_TENSOR_RANK = 5 };

struct sim_tensor_map {
    uint64_t mark;
    uint64_t address;
    uint64_t stride[SIM_TENSOR_RANK]; // bytes from one element to the next; [0]: of an element
    uint32_t last[SIM_TENSOR_RANK];   // elements of the tensor, less one
    uint16_t box[SIM_TENSOR_RANK];    // elements from the first to the last of a box
    uint8_t step[SIM_TENSOR_RANK];    // of which it takes each step-th; [0] is not looked at
    uint8_t rank;
    uint8_t type; // CUtensorMapDataType
    uint8_t element_bytes;
    uint8_t swizzle; // CUtensorMapSwizzle
    uint8_t nan;     // what is outside of the tensor is NaN and not zero
    uint8_t unused[31];
};
static_assert(sizeof(struct sim_tensor_map) == 128, "as long as a CUtensorMap");

// Bytes of an element of a CUtensorMapDataType: UINT8 to TFLOAT32_FTZ.
#define SIM_TENSOR_ELEMENT_BYTES              \
    {                                         \
        1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4 \
    }
enum { SIM_TENSOR_TYPES = 13 };

#endif
