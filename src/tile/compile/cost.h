// Cost model: predicts the time of a kernel that loops over a matrix product. The predictions serve
// only to rank choices.
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

// The properties of a machine. Rates are per clock. Rates that depend on the dtype are for 16-bit
// floats: 8-bit types count as twice as fast, 32-bit types as half as fast.
struct tile_machine {
    int sm;
    uint32_t multiprocessors;      // of the usual device; callers set the actual number
    uint32_t megahertz;            // under load
    uint32_t shared_bytes;         // limit of a block's shared memory
    uint32_t registers;            // per multiprocessor
    uint32_t flop[TILE_MMA_PATHS]; // rate per multiprocessor; 0: not available. FMA: for f32
    uint32_t fma64;                // rate per multiprocessor for f64
    uint32_t l2_bytes;             // per clock, of the whole device
    uint32_t memory_bytes;         // per clock, of the whole device
};

// Returns NULL if tile programs are not compiled for this architecture.
const struct tile_machine *tile_machine_of(int sm);

// The number of 128-byte rows of an operand that TMA copies per iteration, and the extra cost per
// row if they do not start at multiples of 128 bytes.
struct tile_lines {
    double count; // 0: the same as for a dense tile
    double lines; // of the matrix, among which blocks that share a tile divide these rows
    double torn_clocks, torn_bytes;
};

// The properties of a kernel on which the prediction depends.
struct tile_work {
    cuc_dtype operand;
    enum tile_mma_path path;
    uint32_t rows, columns, depth; // a block's product in one iteration
    int64_t blocks;                // blocks of the grid
    int64_t iterations;            // iterations of the loop in each block
    uint32_t cluster;              // blocks that share their loads; 1: none
    bool shares_rows;              // the cluster's blocks share the operand a, not b; of 8 blocks,
                                   // 4 share this operand and 2 the other
    uint32_t split;                // blocks that share the reduction of one tile
    uint32_t parts;                // partial sums per tile in memory, each by a block of its own;
                                   // 1: none
    uint32_t streamed;             // number of last waves whose iterations are distributed evenly;
                                   // 0: none
    uint32_t warps;                // warps of a block; 4 in a pipeline: warpgroups alternate
                                   // between tiles
    uint32_t accumulators;         // registers per thread that a pipeline leaves for accumulators;
                                   // 0: as many as any epilogue allows
    uint32_t stored_bytes;         // bytes stored per element of the result
    double behind;                 // clocks per element for work between the product and the store
    double outside;                // rows or columns of an edge tile outside of the result
    double filling;                // rows and columns of tiles that only fill up clusters, per tile
    double ends;                   // fraction of tiles at an edge
    struct tile_lines lines[2];    // of the operands a and b
    double unique_bytes;           // compulsory memory traffic
    double packed_bytes;           // memory traffic of a kernel that copies operands before
    bool realigned;                // threads copy the operands, which are unaligned
    bool promotes;                 // sums of 8-bit floats are promoted to f32
    bool thrice;                   // each product of f32 takes three products of tf32
};

// Adds the effect of a result axis whose extent may not be a multiple of the tile's.
void tile_work_put_end(struct tile_work *work, int64_t extent, int64_t tile);
// Describes the operand a or, if `of_columns`, b: an iteration reads `lines` rows of `bytes` bytes
// from a matrix whose rows are `pitch` bytes apart.
void tile_work_put_lines(struct tile_work *work, bool of_columns, int64_t lines, int64_t bytes,
                         int64_t pitch);
// Return the bytes of shared memory per stage, and the number of stages that fit.
uint32_t tile_work_stage_bytes(const struct tile_work *work);
uint32_t tile_work_stages(const struct tile_machine *machine, const struct tile_work *work);
// Returns true if registers, shared memory and shapes permit this kernel.
bool tile_work_fits(const struct tile_machine *machine, const struct tile_work *work);
double tile_work_seconds(const struct tile_machine *machine, const struct tile_work *work);

#endif
