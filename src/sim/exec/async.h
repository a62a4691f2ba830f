// What copies of memory that complete later, by the ISA, have in common.
#ifndef CUCORE_SIM_EXEC_ASYNC_H
#define CUCORE_SIM_EXEC_ASYNC_H

#include "run.h"

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

#endif
