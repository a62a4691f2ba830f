// A tensor map in a private encoding of 128 bytes. The simulated driver's cuTensorMapEncode*()
// functions write it, and tensor copies read it. The driver validates what it writes, but
// tensormap.replace can set any value, so copies validate maps too.
#ifndef CUCORE_SIM_EXEC_TENSOR_MAP_H
#define CUCORE_SIM_EXEC_TENSOR_MAP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define SIM_TENSOR_MAP_MARK UINT64_C(0x70616d2d6d6973) // "sim-map"

enum {
    SIM_TENSOR_RANK = 5,
    SIM_TENSOR_SPACE = 3, // dimensions of an image: W, H and D
    SIM_TENSOR_MAX_BOX = 256,
    SIM_TENSOR_MAX_STEP = 8,
    SIM_TENSOR_MAX_PIXELS = 1024,
};

enum sim_tensor_mode { SIM_TENSOR_TILED, SIM_TENSOR_IM2COL };
enum sim_tensor_swizzle { SIM_SWIZZLE_NONE, SIM_SWIZZLE_32B, SIM_SWIZZLE_64B, SIM_SWIZZLE_128B };
// The unit that a 128-byte swizzle permutes.
enum sim_tensor_atom { SIM_ATOM_16B, SIM_ATOM_32B, SIM_ATOM_32B_FLIP_8B, SIM_ATOM_64B };

struct sim_tensor_map {
    uint64_t mark;
    uint64_t address;
    uint64_t stride[SIM_TENSOR_RANK - 1]; // distance in bytes between elements along dimension i +
                                          // 1
    uint32_t last[SIM_TENSOR_RANK];       // extents of the tensor minus one
    uint16_t box[SIM_TENSOR_RANK];        // tiled: extent of a box in elements of the tensor
    uint8_t step[SIM_TENSOR_RANK];        // traversal stride within a box; [0] is unused
    uint8_t rank;
    uint8_t type;       // CUtensorMapDataType
    uint8_t interleave; // CUtensorMapInterleave
    uint8_t swizzle;    // enum sim_tensor_swizzle
    uint8_t atom;       // enum sim_tensor_atom
    uint8_t nan;        // out-of-bounds elements are NaN rather than zero
    uint8_t mode;       // enum sim_tensor_mode
    // im2col: box[0] is the number of channels per pixel, box[1] the number of pixels per column.
    int16_t lower[SIM_TENSOR_SPACE], upper[SIM_TENSOR_SPACE]; // corners of the bounding box: W, H,
                                                              // D
    uint8_t unused[26];
};
static_assert(sizeof(struct sim_tensor_map) == 128, "as long as a CUtensorMap");

// Storage of an element of a CUtensorMapDataType: its bits in global memory. If `padded`, 16
// elements occupy 16 bytes of shared memory, whatever `bits` is.
struct sim_tensor_format {
    uint8_t bits;
    bool padded;
};
#define SIM_TENSOR_FORMATS                                                                       \
    {                                                                                            \
        { 8, 0 }, { 16, 0 }, { 32, 0 }, { 32, 0 }, { 64, 0 }, { 64, 0 }, { 16, 0 }, { 32, 0 },   \
            { 64, 0 }, { 16, 0 }, { 32, 0 }, { 32, 0 }, { 32, 0 }, { 4, 0 }, { 4, 1 }, { 6, 1 }, \
    }
enum { SIM_TENSOR_TYPES = 16 };

#endif
