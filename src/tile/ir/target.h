// The machine that a module is compiled for, and what its user asks of the compiler.
#ifndef CUCORE_TILE_IR_TARGET_H
#define CUCORE_TILE_IR_TARGET_H

#include "ir.h"

struct tile_target {
    int sm;           // 80, 90, 100, 120
    bool specific;    // sm_90a, sm_100a
    uint32_t warps;   // 0: the compiler chooses for each kernel
    uint32_t stages;  // of a pipeline; 0: as many as fit
    uint32_t cluster; // blocks that share their loads, if possible; 0 and 1: none
    uint32_t split;   // parts of a pipelined loop, one per block; 0 and 1: none
    uint32_t raster; // neighbouring tiles of a pipelined loop's grid; 0: chosen, 8 with loads ahead
    uint32_t blocks; // of a kernel, to fit on a multiprocessor at once; 0: any number
    uint32_t shared_limit; // bytes that a block may have
    bool orders_all;       // every entry has the barriers for tensors that overlap, outside of
                           // loops
    bool brief;            // prefer short code, for fast assembly, to the last bit of speed
    bool contract;         // a * b + c may be rounded once
    bool lineinfo;
    bool require_tma, require_tensor_core;
};

// the properties of a target by its number; false with a text if there is no such target.
bool tile_target_of(struct tile_target *target, int sm, bool specific, char *why, size_t room);

#endif
