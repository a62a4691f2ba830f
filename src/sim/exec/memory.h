// Memory access by instructions: one check of space, bounds and alignment for all of them.
#ifndef CUCORE_SIM_EXEC_MEMORY_H
#define CUCORE_SIM_EXEC_MEMORY_H

#include "run.h"
#include "sim/check/check.h"

// Resolves `bytes` bytes at `address` in a space, as a lane sees it, to a host address. `address`
// includes the instruction's offset. False after sim_fault() if it is out of bounds, not a multiple
// of `bytes` or read-only: the handler then returns SIM_FAULT.
bool sim_reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, enum sim_space space,
               uint64_t address, uint32_t bytes, enum sim_access access, void **host);
// Resolves any number of bytes, at a multiple of `align`, in the same way.
bool sim_reach_range(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                     enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                     enum sim_access access, void **host);

// Returns true if the instruction is st and memory already holds the value that the lane stores.
bool sim_store_is_same(const struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                       const void *host);

#endif
