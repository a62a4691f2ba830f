// What a kernel with a loop over a product of matrices takes on a machine: a model that is good
// enough to order choices by, and for nothing else.
#ifndef CUCORE_TILE_COMPILE_COST_H
#define CUCORE_TILE_COMPILE_COST_H

#include <cucore/base.h>

#include <stdbool.h>

// How products are made; src/tile/README.md has the roads.
enum tile_road { TILE_ROAD_PIPELINE, TILE_ROAD_MMA_SYNC, TILE_ROAD_FMA, TILE_ROADS };

// Rates are per clock; those of dtypes for 16-bit floats, and taken as 8-bit ones twice as fast and
// 32-bit ones half as fast.
struct tile_machine {
    int sm;
    uint32_t multiprocessors;  // of the usual device; callers put in their own
    uint32_t megahertz;        // under load
    uint32_t shared_bytes;     // that a block may have
    uint32_t registers;        // of a multiprocessor
    uint32_t flop[TILE_ROADS]; // of a multiprocessor; 0: it has no such road. FMA: of f32
    uint32_t fma64;            // of a multiprocessor, f64
    uint32_t l2_bytes;         // a clock, of all of them
    uint32_t memory_bytes;     // a clock, of all of them
};

// NULL for what tile programs are not compiled for.
const struct tile_machine *tile_machine_of(int sm);

// A kernel, as far as the model looks at it.
struct tile_work {
    cuc_dtype operand;
    enum tile_road road;
    uint32_t rows, columns, depth; // of a block's product in one turn of the loop
    int64_t blocks;                // of the grid
    int64_t turns;                 // of the loop, in each block
    uint32_t cluster;              // blocks that share what they load; 1: none
    uint32_t split;                // blocks that do a sum together, which are among the blocks
    uint32_t parts;                // of sums in memory, which are among the blocks; 1: none
    uint32_t streamed;             // last waves whose turns are dealt evenly; 0: none
    uint32_t warps;                // of a block; 4 of a pipeline: warpgroups take tiles in turns
    uint32_t stored_bytes;         // of an element of the result
    double behind;                 // clocks of what is done with an element before it is stored
    double outside;                // rows or columns of a tile at an end that lie past it
    double ends;                   // such tiles, of all
    double torn;                   // lines of a turn that begin within one of memory's
    double unique_bytes;           // that must come from or go to memory at least once
    bool promotes;                 // sums of 8-bit floats are added up outside
    bool thrice;                   // f32 by three products of tf32
};

// An axis of the result has that extent, and tiles of it that one.
void tile_work_put_end(struct tile_work *work, int64_t extent, int64_t tile);
// An operand's turn is `rows` of so many bytes, of a matrix whose rows have those.
void tile_work_put_rows(struct tile_work *work, int64_t rows, int64_t bytes, int64_t row_bytes);
// Bytes of shared memory that a stage takes, and how many stages fit.
uint32_t tile_work_stage_bytes(const struct tile_work *work);
uint32_t tile_work_stages(const struct tile_machine *machine, const struct tile_work *work);
// Registers, shared memory and shapes allow it.
bool tile_work_fits(const struct tile_machine *machine, const struct tile_work *work);
double tile_work_seconds(const struct tile_machine *machine, const struct tile_work *work);

#endif
