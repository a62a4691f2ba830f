// mbarrier functions for instructions that complete on an mbarrier.
#ifndef CUCORE_SIM_EXEC_MBARRIER_H
#define CUCORE_SIM_EXEC_MBARRIER_H

#include "run.h"
#include "sim/check/check.h"

// Resolves the address of an object in a block's shared memory to a host address. `address` may be
// generic. False after sim_fault() if the object is not in shared memory, out of bounds or
// misaligned.
bool sim_reach_shared(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                      enum sim_access access, void **host);

// Performs complete_tx with `bytes` on the barrier at an address. False after sim_fault().
bool sim_mbarrier_complete(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           enum sim_space space, uint64_t address, uint32_t bytes);

#endif
