// Lets the lanes of a warp execute a .sync instruction together.
#ifndef CUCORE_SIM_EXEC_WARP_H
#define CUCORE_SIM_EXEC_WARP_H

#include "run.h"

// The participating lanes. If a branch has separated them, each has its own instruction, with the
// same words, and its own frame for the operands. Otherwise all use those of the running group.
struct sim_party {
    uint32_t lanes;
    uint32_t members; // common membermask
    bool parted;
    const struct sim_op *own;          // instruction of the running group
    unsigned char *frame[SIM_WARP];    // if separated
    const struct sim_op *op[SIM_WARP]; // if separated
};

// Calls `what` for every complete set of lanes with the same membermask. A set is complete if all
// live lanes in the mask are at an instruction with the same words and the same mask. `operand` is
// the number of the membermask operand. Lanes of incomplete sets stay and retry. The handler must
// return this function's result.
enum sim_next sim_sync(struct sim_warp *w, const struct sim_op *op, uint32_t mask, uint32_t operand,
                       void (*what)(struct sim_warp *w, const struct sim_party *party));

#endif
