// Lanes of a warp that come to a .sync instruction together.
#ifndef CUCORE_SIM_EXEC_WARP_H
#define CUCORE_SIM_EXEC_WARP_H

#include "run.h"

// Those that take part. When a branch parted them each has its own instruction, another one of the
// same words, and its own frame in which the operands lie; else all have the running group's.
struct sim_party {
    uint32_t lanes;
    uint32_t members; // the membermask that all of them gave
    bool parted;
    const struct sim_op *own;          // the running group's
    unsigned char *frame[SIM_WARP];    // when parted
    const struct sim_op *op[SIM_WARP]; // when parted
};

// Do `what` for every set of lanes that gave the same membermask and are complete: all lanes that
// it names and that have not exited stand at an instruction of the same words with the same mask.
// `operand` is that of the membermask. Lanes of incomplete sets stay and try again. A handler
// returns what this returns.
enum sim_next sim_sync(struct sim_warp *w, const struct sim_op *op, uint32_t mask, uint32_t operand,
                       void (*what)(struct sim_warp *w, const struct sim_party *party));

#endif
