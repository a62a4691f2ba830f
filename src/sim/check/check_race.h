// What instructions tell the race and async checks (check_race.c) beside their accesses: what
// orders these. Called when sim_race_on(); nothing here fails.
#ifndef CUCORE_SIM_CHECK_CHECK_RACE_H
#define CUCORE_SIM_CHECK_CHECK_RACE_H

#include "check.h"

static inline bool sim_race_on(void)
{
    return sim_checks & (SIM_CHECK_RACE | SIM_CHECK_ASYNC);
}

// check_agents.c

// Lanes of a warp have come together: what they did before is done.
void sim_race_warp_sync(const struct sim_warp *w);
// A barrier of the block, or SIM_BARRIER_CLUSTER: a warp arrives (`relaxed`: says nothing of its
// memory by that), all have arrived, and a warp goes on.
void sim_race_arrive(struct sim_warp *w, uint32_t barrier, bool relaxed);
void sim_race_complete(struct sim_block *block, uint32_t barrier);
void sim_race_pass(struct sim_warp *w, uint32_t barrier);
// An atomic, volatile, relaxed, acquire or release access, of shared or global memory.
void sim_race_strong(struct sim_warp *w, const struct sim_op *op, const void *place, bool writes,
                     bool reads);
// fence.proxy.async
void sim_race_fence(struct sim_warp *w);

// check_async.c

// Groups of what a warp has started: cp.async, bulk copies out of shared memory, wgmma.
enum sim_groups { SIM_GROUPS_COPIES, SIM_GROUPS_BULK, SIM_GROUPS_PRODUCTS, SIM_GROUPS };
void sim_race_commit(struct sim_warp *w, enum sim_groups which);
// All but the last few groups are done.
void sim_race_wait(struct sim_warp *w, enum sim_groups which, uint64_t but);

// The mbarrier at an address of shared memory: an arrival, that of the copies that the warp has
// started by cp.async, the end of a phase, and a wait that saw one end.
void sim_race_mbarrier_arrive(struct sim_warp *w, uint64_t address, bool relaxed);
void sim_race_mbarrier_copies(struct sim_warp *w, uint64_t address);
void sim_race_mbarrier_phase(struct sim_warp *w, uint64_t address);
void sim_race_mbarrier_wait(struct sim_warp *w, uint64_t address, bool relaxed);

// wgmma.fence, and wgmma.mma_async before it reads: false when there is a finding and it is a
// fault.
void sim_race_product_fence(struct sim_warp *w);
bool sim_race_product(struct sim_warp *w, const struct sim_op *op);

// Lanes of a warp exit, before they do. False when there is a finding and it is a fault.
bool sim_race_exit(struct sim_warp *w, const struct sim_op *op, uint32_t lanes);

// Who accesses memory for each statement of a function (enum sim_actor), and once more for what
// decode.c adds: [statement_count + 1], kept by the program; NULL: no memory.
unsigned char *sim_race_actors(struct sim_program *program, const struct sim_function *f);

#endif
