// Lanes of a warp that execute a .sync instruction together.
#ifndef CUCORE_SIM_EXEC_WARP_H
#define CUCORE_SIM_EXEC_WARP_H

#include "run.h"

// The participating lanes. If a branch separated them, each has its own instruction with the same
// words, and its own frame for the operands; else all use the running group's.
struct sim_party {
    uint32_t lanes;
    uint32_t members; // common membermask
    bool parted;
    const struct sim_op *own;          // instruction of the running group
    unsigned char *frame[SIM_WARP];    // if separated
    const struct sim_op *op[SIM_WARP]; // if separated
};

// Calls `what` for every complete set of lanes with the same membermask: all live lanes that it
// names are at an instruction of the same words with the same mask. `operand` is the membermask
// operand. Lanes of incomplete sets stay and retry. A handler returns this function's result.
enum sim_next sim_sync(struct sim_warp *w, const struct sim_op *op, uint32_t mask, uint32_t operand,
                       void (*what)(struct sim_warp *w, const struct sim_party *party));

#endif
