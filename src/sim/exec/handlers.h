// Interface between decode*.c, program.c, schedule.c and the instruction families.
#ifndef CUCORE_SIM_EXEC_HANDLERS_H
#define CUCORE_SIM_EXEC_HANDLERS_H

#include "run.h"
#include "sim/machine/code.h"

// decode.c: fill program->codes[index]. False, with the log, when an instruction is not known.
bool sim_decode(struct sim_program *program, uint32_t index, char *log, size_t log_bytes);

// instructions.c: the index-th row of a name, from 0; NULL: there are no more.
const struct sim_instruction *sim_instruction_at(const char *name, size_t index);
// All rows, by name; NULL past the last.
const struct sim_instruction *sim_instruction_row(size_t index);

// Handlers that decode.c itself uses, and branches.
sim_handler sim_run_bra, sim_run_brx, sim_run_special, sim_run_not, sim_run_offset, sim_run_narrow,
    sim_run_widen, sim_run_exit, sim_run_ret, sim_run_call, sim_run_call_indirect,
    sim_run_call_builtin;

// Take a cluster, or a block alone, out of those of the worker's grid that have not begun, and say
// which its first block was; false when there is none. schedule.c
bool sim_cancel_unit(struct sim_worker *worker, uint32_t first[3]);

// Wake the lanes that wait at a barrier of a block when all have come; control.c. Also after an
// exit.
void sim_barrier_settle(struct sim_block *block, uint32_t index);
void sim_cluster_settle(struct sim_cluster *cluster);
// Take lanes that exit out of their block.
void sim_lanes_exit(struct sim_warp *w, uint32_t lanes);

#endif
