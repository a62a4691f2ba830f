// Moves, comparisons and selections. compare.c implements them, and the instruction table of
// convert.c lists them.
#ifndef CUCORE_SIM_EXEC_COMPARE_H
#define CUCORE_SIM_EXEC_COMPARE_H

#include "run.h"

#define SIM_COMPARE_WORDS \
    "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"
#define SIM_TESTP_WORDS "finite infinite number notanumber normal subnormal"

sim_pick sim_pick_mov, sim_pick_mov_vector, sim_pick_pack, sim_pick_unpack, sim_pick_setp,
    sim_pick_set, sim_pick_selp, sim_pick_slct, sim_pick_testp;

#endif
