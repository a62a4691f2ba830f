// Functions on mbarriers, for operations that complete on them.
#ifndef CUCORE_SIM_EXEC_MBARRIER_H
#define CUCORE_SIM_EXEC_MBARRIER_H

#include "run.h"
#include "sim/check/check.h"

// Resolves an object in the shared memory of a block. Its address may be generic. False after
// sim_fault() if it is not in shared memory, out of bounds or misaligned.
bool sim_reach_shared(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                      enum sim_space space, uint64_t address, uint32_t bytes, uint32_t align,
                      enum sim_access access, void **host);

// Performs complete_tx with `bytes` on the barrier at an address. False after sim_fault().
bool sim_mbarrier_complete(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                           enum sim_space space, uint64_t address, uint32_t bytes);

#endif
