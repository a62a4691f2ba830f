// Functions through which instructions report their ordering operations to the race and async
// checks (check_race.c). Called only if sim_race_on(). Functions that do not return bool cannot
// fail.
#ifndef CUCORE_SIM_CHECK_CHECK_RACE_H
#define CUCORE_SIM_CHECK_CHECK_RACE_H

#include "check.h"

static inline bool sim_race_on(void)
{
    return sim_checks & (SIM_CHECK_RACE | SIM_CHECK_ASYNC);
}

// check_agents.c

// Reports that lanes of a warp converge, so that their earlier accesses are complete.
void sim_race_warp_sync(const struct sim_warp *w);
// Report that a warp arrives at a barrier (`relaxed`: without ordering its memory accesses), that
// all warps have arrived, and that a warp continues. `barrier` is a barrier of the block, or
// SIM_BARRIER_CLUSTER.
void sim_race_arrive(struct sim_warp *w, uint32_t barrier, bool relaxed);
void sim_race_complete(struct sim_block *block, uint32_t barrier);
void sim_race_pass(struct sim_warp *w, uint32_t barrier);
// Reports an atomic, volatile, relaxed, acquire or release access to shared or global memory.
void sim_race_strong(struct sim_warp *w, const struct sim_op *op, const void *place, bool writes,
                     bool reads);
// fence.proxy.async
void sim_race_fence(struct sim_warp *w);

// check_async.c

// Groups of a warp's asynchronous operations: cp.async, bulk copies out of shared memory, wgmma.
enum sim_groups { SIM_GROUPS_COPIES, SIM_GROUPS_BULK, SIM_GROUPS_PRODUCTS, SIM_GROUPS };
void sim_race_commit(struct sim_warp *w, enum sim_groups which);
// Reports a wait until all but the last `but` groups are complete.
void sim_race_wait(struct sim_warp *w, enum sim_groups which, uint64_t but);

// Report an operation on the mbarrier at an address in shared memory: an arrival, the deferred
// arrival of the warp's cp.async copies, the end of a phase, or a wait that has observed the end of
// a phase.
void sim_race_mbarrier_arrive(struct sim_warp *w, uint64_t address, bool relaxed);
void sim_race_mbarrier_copies(struct sim_warp *w, uint64_t address);
void sim_race_mbarrier_phase(struct sim_warp *w, uint64_t address);
void sim_race_mbarrier_wait(struct sim_warp *w, uint64_t address, bool relaxed);

// Report a wgmma.fence, and a wgmma.mma_async before it reads. The latter returns false if a
// finding is a fault.
void sim_race_product_fence(struct sim_warp *w);
bool sim_race_product(struct sim_warp *w, const struct sim_op *op);

// Reports that lanes of a warp are about to exit. Returns false if a finding is a fault.
bool sim_race_exit(struct sim_warp *w, const struct sim_op *op, uint32_t lanes);

// Returns an array [statement_count + 1], owned by the program: the agent (enum sim_actor) of each
// statement of a function, then one agent for all ops that decode.c adds. NULL if out of memory.
unsigned char *sim_race_actors(struct sim_program *program, const struct sim_function *f);

#endif
