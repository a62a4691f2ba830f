// The model of a block's work, by its number of warps (block_model.c), with which choose_warps.c
// compares numbers of warps. block_dimensions.c estimates the dimensions that the model needs.
#ifndef CUCORE_TILE_COMPILE_BLOCK_MODEL_H
#define CUCORE_TILE_COMPILE_BLOCK_MODEL_H

#include "tile/ir/ir.h"

// The work of a block with some number of warps.
struct tile_block_costs {
    // Sums over the block's ops.
    double work;   // instructions of a warp
    double chain;  // clocks of exchanges between threads
    double waits;  // waits for memory, in loops
    double bytes;  // bytes that the block moves
    double shared; // bytes of shared memory
    // Outside of loops: how many loads wait for one another.
    uint32_t deepest;
    uint32_t most;    // most elements of a tile that a thread holds
    double registers; // of a thread
    bool sorts, scans;
};

// The model of one kernel, whose state block_model.c describes. tile_create_block_model() returns
// NULL if out of memory; the model lives in the kernel's arena.
struct tile_block_model;
struct tile_block_model *tile_create_block_model(const struct tile_kernel *kernel);
struct tile_block_costs tile_costs_of_block(struct tile_block_model *m, uint32_t warps);

// block_dimensions.c. Dimensions are unknown at compile time and count as USUAL_EXTENT. Return how
// often a loop runs, and the number of blocks of a launch for each multiprocessor.
double tile_usual_iterations(const struct tile_kernel *kernel, const struct tile_op *loop);
double tile_usual_blocks(const struct tile_kernel *kernel);

#endif
