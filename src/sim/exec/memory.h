// How an instruction reaches memory: one check of space, bounds and alignment for all of them.
#ifndef CUCORE_SIM_EXEC_MEMORY_H
#define CUCORE_SIM_EXEC_MEMORY_H

#include "run.h"
#include "sim/check/check.h"

// The host address of `bytes` bytes at `address` of a space, as a lane sees it; `address` has the
// instruction's offset in it already. False after sim_fault() when it is out of bounds, not a
// multiple of `bytes` or may not be written: the handler then returns SIM_FAULT.
bool sim_reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, enum sim_space space,
               uint64_t address, uint32_t bytes, enum sim_access access, void **host);
// The same of any number of bytes, at a multiple of `align`.
bool sim_reach_range(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                     enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                     enum sim_access access, void **host);

// True when an instruction is st, and what a lane stores lies there already.
bool sim_store_is_same(const struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                       const void *host);

#endif
