// Interface between decode*.c, program.c, schedule.c and the instruction families.
#ifndef CUCORE_SIM_EXEC_HANDLERS_H
#define CUCORE_SIM_EXEC_HANDLERS_H

#include "run.h"
#include "sim/machine/code.h"

// decode.c: decodes a function to program->codes[index]. Returns false, with a reason in the log,
// if an instruction is unknown.
bool sim_decode(struct sim_program *program, uint32_t index, char *log, size_t log_bytes);

// instructions.c: returns row `index`, from 0, among the rows with a name; NULL if there are fewer
// rows.
const struct sim_instruction *sim_instruction_at(const char *name, size_t index);
// Returns row `index` of all rows; NULL if there are fewer rows.
const struct sim_instruction *sim_instruction_row(size_t index);

// Branches, and handlers of ops that the decoder adds.
sim_handler sim_run_bra, sim_run_brx, sim_run_special, sim_run_not, sim_run_undefined,
    sim_run_offset, sim_run_narrow, sim_run_widen, sim_run_exit, sim_run_ret, sim_run_call,
    sim_run_call_indirect, sim_run_call_builtin;

// schedule.c: cancels a unit (a cluster or single block) of the worker's grid that has not begun,
// and returns the coordinates of its first block. False if there is none.
bool sim_cancel_unit(struct sim_worker *worker, uint32_t first[3]);

// control.c: if all lanes have arrived at a block's barrier, wakes those that wait. Also called
// after an exit.
void sim_barrier_settle(struct sim_block *block, uint32_t index);
void sim_cluster_settle(struct sim_cluster *cluster);
// Removes exiting lanes from their block.
void sim_lanes_exit(struct sim_warp *w, uint32_t lanes);

#endif
