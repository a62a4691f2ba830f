// Ordering operations that instructions report to the race and async checks (check_race.c), in
// addition to their accesses. Called if sim_race_on(). Functions that return no bool cannot fail.
#ifndef CUCORE_SIM_CHECK_CHECK_RACE_H
#define CUCORE_SIM_CHECK_CHECK_RACE_H

#include "check.h"

static inline bool sim_race_on(void)
{
    return sim_checks & (SIM_CHECK_RACE | SIM_CHECK_ASYNC);
}

// check_agents.c

// Lanes of a warp converge, so their earlier accesses are complete.
void sim_race_warp_sync(const struct sim_warp *w);
// A barrier of the block, or SIM_BARRIER_CLUSTER: a warp arrives (`relaxed`: without ordering its
// memory accesses); all warps have arrived; a warp continues.
void sim_race_arrive(struct sim_warp *w, uint32_t barrier, bool relaxed);
void sim_race_complete(struct sim_block *block, uint32_t barrier);
void sim_race_pass(struct sim_warp *w, uint32_t barrier);
// An atomic, volatile, relaxed, acquire or release access to shared or global memory.
void sim_race_strong(struct sim_warp *w, const struct sim_op *op, const void *place, bool writes,
                     bool reads);
// fence.proxy.async
void sim_race_fence(struct sim_warp *w);

// check_async.c

// Groups of a warp's asynchronous operations: cp.async, bulk copies out of shared memory, wgmma.
enum sim_groups { SIM_GROUPS_COPIES, SIM_GROUPS_BULK, SIM_GROUPS_PRODUCTS, SIM_GROUPS };
void sim_race_commit(struct sim_warp *w, enum sim_groups which);
// Waits until all but the last `but` groups are complete.
void sim_race_wait(struct sim_warp *w, enum sim_groups which, uint64_t but);

// The mbarrier at an address of shared memory: an arrival, the deferred arrival of the warp's
// cp.async copies, the end of a phase, and a wait that observed one.
void sim_race_mbarrier_arrive(struct sim_warp *w, uint64_t address, bool relaxed);
void sim_race_mbarrier_copies(struct sim_warp *w, uint64_t address);
void sim_race_mbarrier_phase(struct sim_warp *w, uint64_t address);
void sim_race_mbarrier_wait(struct sim_warp *w, uint64_t address, bool relaxed);

// wgmma.fence, and wgmma.mma_async before it reads. The latter returns false if a finding is a
// fault.
void sim_race_product_fence(struct sim_warp *w);
bool sim_race_product(struct sim_warp *w, const struct sim_op *op);

// Lanes of a warp are about to exit. Returns false if a finding is a fault.
bool sim_race_exit(struct sim_warp *w, const struct sim_op *op, uint32_t lanes);

// Returns, for each statement of a function, its agent (enum sim_actor), and one more for ops that
// decode.c adds: [statement_count + 1], owned by the program; NULL if out of memory.
unsigned char *sim_race_actors(struct sim_program *program, const struct sim_function *f);

#endif
