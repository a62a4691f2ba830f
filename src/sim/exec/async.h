// Declarations for the copies that the ISA completes asynchronously.
#ifndef CUCORE_SIM_EXEC_ASYNC_H
#define CUCORE_SIM_EXEC_ASYNC_H

#include "run.h"

// A reduction with elements of 2, 4 or 8 bytes.
struct sim_reduction {
    const char *operation;
    enum sim_type type;
    bool shared; // exists in shared memory too
    uint64_t (*combine)(uint64_t old, uint64_t x);
};
// Finds a reduction of elements of a type; NULL if there is none.
const struct sim_reduction *sim_reduction_find(const char *operation, enum sim_type type);
// Returns the reduction that the words name; NULL if none.
const char *sim_reduction_word(const struct sim_words *words);
// Atomically combines each element at `to` with the one at `from`.
void sim_reduce(const struct sim_reduction *r, void *to, const void *from, size_t bytes);

// Returns true if the module's target is at least `least`, which is 90 or 100. Otherwise records
// why the instruction is refused.
bool sim_async_target(const struct sim_words *words, int least);

// Checks that a destination and its mbarrier are in the same block. False after sim_fault().
bool sim_same_block(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint64_t a,
                    uint64_t b);

#endif
