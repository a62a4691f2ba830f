// The box of a tensor copy, with its map, its start, and its rows.
#ifndef CUCORE_SIM_EXEC_TENSOR_BOX_H
#define CUCORE_SIM_EXEC_TENSOR_BOX_H

#include "run.h"
#include "tensor_map.h"

// Fields of sim_op.extra in tensor copies.
enum {
    SIM_BOX_RANK = 0x7, // number of dimensions in the instruction
    SIM_BOX_MULTICAST = 1 << 3,
    SIM_BOX_IN = 1 << 4, // into shared memory
    SIM_BOX_PREFETCH = 1 << 5,
    SIM_BOX_GATHER = 1 << 6, // gathers or scatters four rows
    SIM_BOX_IM2COL = 1 << 7,
    SIM_BOX_SPACE = 8,      // state space of the shared memory, 4 bits
    SIM_BOX_PAIR = 1 << 12, // the mbarrier may be in the other block of a pair
};

enum {
    SIM_BOX_PIECE = 16,   // size of a swizzle unit in bytes
    SIM_BOX_GATHERED = 4, // rows of gather4 and scatter4
};

struct sim_box {
    struct sim_warp *w;
    const struct sim_op *op;
    uint32_t lane;

    struct sim_tensor_map map;
    uint32_t bits;                          // width of an element in global memory
    uint32_t piece_bytes;                   // size of a swizzle unit in global memory
    uint32_t row_bytes, memory_bytes, rows; // size of a row in shared and in global memory; number
                                            // of rows
    uint32_t pitch;                         // bytes between rows in shared memory
    int32_t at[SIM_TENSOR_RANK];            // start of the box
    uint32_t count[SIM_TENSOR_RANK];        // elements in the box
    int32_t gathered[SIM_BOX_GATHERED];     // coordinates of the rows that are gathered or
                                            // scattered
    uint32_t offset[SIM_TENSOR_RANK];       // added by im2col

    // The current row.
    int64_t row_at[SIM_TENSOR_RANK];
    uint32_t index[SIM_TENSOR_RANK];
};

// Initializes a box; `w`, `op` and `lane` must be set. For copies into shared memory, the map and
// the coordinates are operand o[1], otherwise o[0]. Offsets for im2col are two operands later, or
// one operand later for a prefetch. False after sim_fault().
bool sim_box_read(struct sim_box *b);

// Iterate over the rows, in their order in shared memory.
void sim_box_first_row(struct sim_box *b);
void sim_box_next_row(struct sim_box *b);
// Clips the row to the tensor. Returns the address of the remaining part in memory, the offset of
// that part in the row, and its size. False if nothing remains.
bool sim_box_clip(const struct sim_box *b, uint64_t *address, uint32_t *from, uint32_t *bytes);

#endif
