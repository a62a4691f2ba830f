// What copies of memory that complete later, by the ISA, have in common.
#ifndef CUCORE_SIM_EXEC_ASYNC_H
#define CUCORE_SIM_EXEC_ASYNC_H

#include "exec.h"

// A reduction of elements of 2, 4 or 8 bytes.
struct sim_reduction {
    const char *operation;
    enum sim_type type;
    bool shared; // in shared memory too
    uint64_t (*combine)(uint64_t old, uint64_t x);
};
// NULL when there is none. `noftz` as it is written: f16 and bf16 add, min and max have it.
const struct sim_reduction *sim_reduction_find(const char *operation, enum sim_type type);
// The operation that the words name, or NULL.
const char *sim_reduction_word(const struct sim_words *words);
// Combine each element at `to`, atomically, with that at `from`.
void sim_reduce(const struct sim_reduction *r, void *to, const void *from, size_t bytes);

// Whether the module's target is 90 (or 100) or above; if not, it has said why.
bool sim_async_target(const struct sim_words *words, int least);

// Whether a destination and its mbarrier are in one block; false after sim_fault().
bool sim_same_block(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint64_t a,
                    uint64_t b);

// The block of the cluster, from 0, that a shared address means.
static inline uint32_t sim_rank_of(const struct sim_warp *w, uint64_t address)
{
    uint32_t rank = (uint32_t)((address & ((UINT64_C(1) << 56) - 1)) >> SIM_RANK_SHIFT);
    return rank ? rank - 1 : w->block->cluster_rank;
}
// The same place in the shared memory of another block; a generic address stays one.
static inline uint64_t sim_in_rank(uint64_t address, uint32_t rank)
{
    return (address & ~(UINT64_C(0xff) << SIM_RANK_SHIFT)) | (uint64_t)(rank + 1) << SIM_RANK_SHIFT;
}

#endif
