// Shared by copies that complete asynchronously in the ISA.
#ifndef CUCORE_SIM_EXEC_ASYNC_H
#define CUCORE_SIM_EXEC_ASYNC_H

#include "run.h"

// A reduction of elements of 2, 4 or 8 bytes.
struct sim_reduction {
    const char *operation;
    enum sim_type type;
    bool shared; // also in shared memory
    uint64_t (*combine)(uint64_t old, uint64_t x);
};
// Finds a reduction; NULL if there is none. `noftz` says if .noftz is written, as it is for add,
// min and max of f16 and bf16.
const struct sim_reduction *sim_reduction_find(const char *operation, enum sim_type type);
// Returns the operation that the words name, or NULL.
const char *sim_reduction_word(const struct sim_words *words);
// Atomically combines each element at `to` with the one at `from`.
void sim_reduce(const struct sim_reduction *r, void *to, const void *from, size_t bytes);

// Returns true if the module's target is at least `least` (90 or 100); otherwise records why.
bool sim_async_target(const struct sim_words *words, int least);

// Returns true if a destination and its mbarrier are in one block; false after sim_fault().
bool sim_same_block(struct sim_warp *w, const struct sim_op *op, uint32_t lane, uint64_t a,
                    uint64_t b);

#endif
