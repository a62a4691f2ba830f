// Shared by copies that complete asynchronously in the ISA.
#ifndef CUCORE_SIM_EXEC_ASYNC_H
#define CUCORE_SIM_EXEC_ASYNC_H

#include "exec.h"

// A reduction of elements of 2, 4 or 8 bytes.
struct sim_reduction {
    const char *operation;
    enum sim_type type;
    bool shared; // also in shared memory
    uint64_t (*combine)(uint64_t old, uint64_t x);
};
// Finds a reduction; NULL if there is none. `noftz` is as written: f16 and bf16 add, min and max
// have it.
const struct sim_reduction *sim_reduction_find(const char *operation, enum sim_type type);
// Returns the operation that the words name, or NULL.
const char *sim_reduction_word(const struct sim_words *words);
// Atomically combines each element at `to` with the one at `from`.
void sim_reduce(const struct sim_reduction *r, void *to, const void *from, size_t bytes);

// Returns true if the module's target is at least `least` (90 or 100); if not, it has recorded why.
bool sim_async_target(const struct sim_words *words, int least);

// Returns true if a destination and its mbarrier are in one block; false after sim_fault().
bool sim_same_block(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint64_t a,
                    uint64_t b);

// Returns the rank, from 0, of the block that a shared address refers to.
static inline uint32_t sim_rank_of(const struct sim_warp *w, uint64_t address)
{
    uint32_t rank = (uint32_t)((address & ((UINT64_C(1) << 56) - 1)) >> SIM_RANK_SHIFT);
    return rank ? rank - 1 : w->block->cluster_rank;
}
// Maps a shared address to the same offset in another block; a generic address stays generic.
static inline uint64_t sim_in_rank(uint64_t address, uint32_t rank)
{
    return (address & ~(UINT64_C(0xff) << SIM_RANK_SHIFT)) | (uint64_t)(rank + 1) << SIM_RANK_SHIFT;
}

#endif
