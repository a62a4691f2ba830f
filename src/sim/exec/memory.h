// Memory accesses by instructions, all of which share one check of state space, bounds and
// alignment.
#ifndef CUCORE_SIM_EXEC_MEMORY_H
#define CUCORE_SIM_EXEC_MEMORY_H

#include "run.h"
#include "sim/check/check.h"

// Resolves a lane's access to a host address. `address` is in the state space `space` and includes
// the instruction's offset. If the access is out of bounds, not aligned to `bytes`, or writes to
// read-only memory, calls sim_fault() and returns false; the handler must then return SIM_FAULT.
bool sim_reach(struct sim_warp *w, const struct sim_op *op, uint32_t lane, enum sim_space space,
               uint64_t address, uint32_t bytes, enum sim_access access, void **host);
// Does the same for any number of bytes, at a multiple of `align`.
bool sim_reach_range(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                     enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                     enum sim_access access, void **host);

// Returns true if the instruction is st and memory already holds the value that the lane would
// store.
bool sim_store_is_same(const struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                       const void *host);

#endif
