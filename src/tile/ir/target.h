// The GPU for which a module is compiled, and the user's compiler options.
#ifndef CUCORE_TILE_IR_TARGET_H
#define CUCORE_TILE_IR_TARGET_H

#include "ir.h"

// Instructions and choices that differ between GPUs.
enum tile_feature {
    TILE_HAS_CVT_FP8 = 1 << 0,      // conversions of 8-bit floats
    TILE_HAS_ATOMIC_BF16 = 1 << 1,  // atomic additions of bf16
    TILE_HAS_GRID_CONTROL = 1 << 2, // griddepcontrol
    TILE_HAS_MMA_F64_M16 = 1 << 3,  // mma.sync of f64 with 16 rows; otherwise 8
    TILE_HAS_MMA_FP8 = 1 << 4,      // mma.sync of 8-bit floats
    TILE_HAS_WGMMA = 1 << 5,        // pipelines of TMA and wgmma, on targets such as sm_90a
    TILE_PAIRS_ROWS = 1 << 6,       // pairs of blocks start together in some row kernels; chosen by
                                    // measurements
    TILE_HAS_SPECIFIC = 1 << 7,     // a target with suffix `a` exists
    TILE_HAS_CLUSTERS = 1 << 8,     // blocks of a cluster can read each other's shared memory
    TILE_HAS_VECTOR_RED = 1 << 9,   // `red` of up to 16 bytes, for f32 and pairs of 16-bit floats
};

struct tile_target {
    int sm;              // 80, 90, 100 or 120; `features` lists its features
    bool specific;       // the target has the suffix `a`, such as sm_90a
    uint32_t warps;      // 0: the compiler chooses for each kernel
    uint32_t stages;     // stages of a pipeline; 0: as many as fit
    uint32_t cluster;    // blocks that share their loads, if possible; 0 and 1: no sharing
    uint32_t split;      // blocks that share an accumulating loop, one part each; 1: none; 0:
                         // chosen at launch if the result does not depend on it
    uint32_t loop_split; // maximum number of blocks that share the work of one block of the source,
                         // in entries without roles; set by a pass; 0: no sharing
    uint32_t raster;     // width of the strips in which tiles of a pipelined loop are numbered; 0:
                         // chosen, or 8 with prefetch
    uint32_t blocks;     // minimum number of resident blocks per multiprocessor; 0: no minimum
    bool defers;         // registers are scarce, so elementwise ops on rows are deferred
    uint32_t shared_limit; // maximum shared memory of a block, in bytes
    uint32_t shared_align; // alignment of dynamic shared memory
    uint32_t most_blocks;  // maximum number of resident blocks per multiprocessor
    uint32_t features;     // enum tile_feature
    bool orders_all;       // outside of loops, all entries have the barriers for overlapping
                           // tensors, not only TILE_OVERLAP_32
    bool brief;            // prefer short code, which assembles fast, to the fastest code
    bool rare;             // few launches take the entry
    bool joint;            // warpgroups run each iteration of a loop together, not in turn
    bool contract;         // a * b + c may be rounded once
    bool lineinfo;
    bool require_tma, require_tensor_core;
};

static inline bool tile_has(const struct tile_target *target, uint32_t feature)
{
    return target->features & feature;
}
// True if loops over matrix products may use TMA and wgmma pipelines.
static inline bool tile_has_pipelines(const struct tile_target *target)
{
    return target->specific && tile_has(target, TILE_HAS_WGMMA);
}

// Returns the properties of a target, given its number. Returns false with a text if there is no
// such target.
bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t capacity);

#endif
