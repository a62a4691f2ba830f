// Cost model: predicts the time that a kernel with a loop over a matrix product takes on a machine.
// The predictions serve only to rank choices.
#ifndef CUCORE_TILE_COMPILE_COST_H
#define CUCORE_TILE_COMPILE_COST_H

#include <cucore/base.h>

#include <stdbool.h>

// The implementations of a product; src/tile/products.md describes them.
enum tile_mma_path {
    TILE_MMA_PATH_PIPELINE,
    TILE_MMA_PATH_SYNC,
    TILE_MMA_PATH_FMA,
    TILE_MMA_PATHS
};

// The properties of a machine. Rates are per clock, and those for dtypes are for 16-bit floats;
// 8-bit types count as twice as fast and 32-bit types as half as fast.
struct tile_machine {
    int sm;
    uint32_t multiprocessors;      // the usual device's number; callers set their own
    uint32_t megahertz;            // under load
    uint32_t shared_bytes;         // shared memory limit of a block
    uint32_t registers;            // per multiprocessor
    uint32_t flop[TILE_MMA_PATHS]; // rate of a multiprocessor; 0: not available. FMA: f32
    uint32_t fma64;                // rate of a multiprocessor, f64
    uint32_t l2_bytes;             // per clock, of the whole device
    uint32_t memory_bytes;         // per clock, of the whole device
};

// Returns NULL if tile programs are not compiled for this architecture.
const struct tile_machine *tile_machine_of(int sm);

// The lines of 128 bytes that TMA copies of an operand in an iteration, and what each costs in
// addition if lines of the matrix start in the middle of lines of memory.
struct tile_lines {
    double count; // 0: as many as a dense tile has
    double torn_clocks, torn_bytes;
};

// The properties of a kernel that the model uses.
struct tile_work {
    cuc_dtype operand;
    enum tile_mma_path path;
    uint32_t rows, columns, depth; // a block's product in one iteration
    int64_t blocks;                // blocks of the grid
    int64_t iterations;            // iterations of the loop in each block
    uint32_t cluster;              // blocks that share their loads; 1: none
    bool shares_rows;              // they share the rows' operand, not the columns'
    uint32_t split;                // blocks of the grid that share one tile's reduction
    uint32_t parts;                // partial sums in memory, which count as blocks of the grid; 1:
                                   // none
    uint32_t streamed;             // number of last waves whose iterations are distributed evenly;
                                   // 0: none
    uint32_t warps;                // warps of a block; 4 in a pipeline: warpgroups alternate
                                   // between tiles
    uint32_t stored_bytes;         // stored bytes per element of the result
    double behind;                 // clocks of work on an element between the product and the store
    double outside;                // rows or columns of an edge tile that lie outside
    double ends;                   // fraction of tiles at an edge
    struct tile_lines lines[2];    // of the rows' and the columns' operand
    double unique_bytes;           // compulsory memory traffic
    bool realigned;                // threads copy the operands, which are not aligned
    bool promotes;                 // sums of 8-bit floats are promoted
    bool thrice;                   // f32 by three products of tf32
};

// Adds an axis of the result with its extent and its tile's extent.
void tile_work_put_end(struct tile_work *work, int64_t extent, int64_t tile);
// Adds the rows' operand or the columns': an iteration reads `lines` lines of `bytes` bytes from a
// matrix whose lines are `pitch` bytes apart.
void tile_work_put_lines(struct tile_work *work, bool of_columns, int64_t lines, int64_t bytes,
                         int64_t pitch);
// Returns the bytes of shared memory per stage; the next function returns the number of stages that
// fit.
uint32_t tile_work_stage_bytes(const struct tile_work *work);
uint32_t tile_work_stages(const struct tile_machine *machine, const struct tile_work *work);
// True if registers, shared memory and shapes allow this work.
bool tile_work_fits(const struct tile_machine *machine, const struct tile_work *work);
double tile_work_seconds(const struct tile_machine *machine, const struct tile_work *work);

#endif
