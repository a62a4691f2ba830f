// What decode*.c, program.c, schedule.c and control.c share: a loaded program and calls.
#ifndef CUCORE_SIM_EXEC_CODE_H
#define CUCORE_SIM_EXEC_CODE_H

#include "exec.h"
#include "index.h"

// The address of a function: its index in the module plus one.
#define SIM_WINDOW_CODE (UINT64_C(4) << 56)

// Set in sim_op.extra of ld and st: the address is in the entry's parameters, which all lanes
// share, and not in the .param area that each lane has in a frame.
#define SIM_ENTRY_PARAM (UINT32_C(1) << 31)

// An argument or result, in the .param area of a frame or in a register.
struct sim_passed {
    uint32_t at, bytes;
    bool in_register;
};

// What a call passes.
struct sim_call {
    const char *name;
    const struct sim_code *code; // NULL: indirect, or a function of the device runtime
    bool builtin;
    uint32_t target; // of an indirect call: frame offset of the function's address
    uint32_t param_at,
        result_at; // of a built-in one: first byte of its arguments in the .param area
    struct sim_passed *arguments, *results; // in the caller
    uint32_t argument_count, result_count;
};

// Where a branch by index goes.
struct sim_targets {
    uint32_t count;
    uint32_t at[]; // indices of ops
};

// A .shared variable: of the module, or of a function.
struct sim_shared {
    const struct sim_variable *variable;
    bool dynamic; // extern, of no stated length
};

// A .global or .const variable of a function.
struct sim_inner {
    const struct sim_variable *variable;
    uint64_t address;
};

struct sim_program {
    uint64_t serial; // from 1, never given twice
    struct sim_module *module;
    struct sim_code *codes; // [module->function_count]
    uint64_t *addresses;    // [module->variable_count]; of .shared ones the index in `shared`
    bool *placed;           // [module->variable_count]: lies in memory that is ours
    struct sim_shared *shared;
    uint32_t shared_count;
    struct sim_inner *inner; // .global and .const variables of functions
    uint32_t inner_count;
    uint32_t *function_shared; // [module->function_count]: the first of a function's in `shared`
    uint32_t **variable_at;    // [function_count][variable_count]: offset of a .local or .param
                               // one, index in `inner` of a .global or .const one
    struct sim_kernel *kernels;
    size_t kernel_count;
    struct sim_index functions_named, variables_named; // of the module
    uint32_t cache_count; // range caches that its loads and stores use
    void **kept;          // freed with the program
    size_t kept_count, kept_room;
};

// Memory that lives as long as the program: zeroed; NULL when there is none.
void *sim_program_keep(struct sim_program *program, size_t bytes);

// decode.c: fill program->codes[index]. False, with the log, when an instruction is not known.
bool sim_decode(struct sim_program *program, uint32_t index, char *log, size_t log_bytes);

// instructions.c: the index-th row of a name, from 0; NULL: there are no more.
const struct sim_instruction *sim_instruction_at(const char *name, size_t index);
// All rows, by name; NULL past the last.
const struct sim_instruction *sim_instruction_row(size_t index);

// What a thread that runs blocks of a grid has of its own; frame.c makes frames from it.
struct sim_worker {
    struct sim_grid *grid;
    struct job *job; // schedule.c: the grid's
    uint32_t index;
    struct sim_range *caches;
    struct sim_frame **free_frames; // by function: their constants are in place
    struct sim_unit *suspended, **suspended_end, *free_units;
    uint64_t resident; // units that it has begun and not ended
    uint64_t asleep;   // units set aside in a row with all their lanes in nanosleep
};

// A frame whose lanes start at the function's first op: NULL after a fault, too deep or no memory.
struct sim_frame *sim_frame_push(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                                 const struct sim_code *code, struct sim_frame *caller,
                                 uint32_t return_pc);
void sim_frame_drop(struct sim_warp *w, struct sim_frame *frame);
// The entry's frame for the block that w->block now is; made when w->entry is NULL.
bool sim_frame_enter(struct sim_warp *w);
void sim_frames_free(struct sim_worker *worker);
// What a special register holds in a lane.
uint64_t sim_special_value(const struct sim_warp *w, uint32_t special, uint32_t lane);

// Handlers that decode.c itself uses, and branches.
sim_handler sim_run_bra, sim_run_brx, sim_run_special, sim_run_not, sim_run_offset, sim_run_narrow,
    sim_run_widen, sim_run_exit, sim_run_ret, sim_run_call, sim_run_call_indirect,
    sim_run_call_builtin;

// Take a cluster, or a block alone, out of those of the worker's grid that have not begun, and say
// which its first block was; false when there is none. schedule.c
bool sim_cancel_unit(struct sim_worker *worker, uint32_t first[3]);

// The code that an op stands in.
const struct sim_code *sim_code_of(const struct sim_program *program, const struct sim_op *op);

// Where a lane is, as every report begins: "kernel k, PTX line 7 (k.cu:3), block (0,0,0), thread
// (1,0,0): ". The length, as of snprintf.
size_t sim_place_words(const struct sim_warp *w, const struct sim_op *op, uint32_t lane, char *out,
                       size_t bytes);

// A fault of all who have not ended, and where they are: nobody can go on, or time is up. `what` is
// what it is called.
void sim_fault_standing(const struct sim_cluster *cluster, bool deadlock, const char *what);

// Wake the lanes that wait at a barrier of a block when all have come; control.c. Also after an
// exit.
void sim_barrier_settle(struct sim_block *block, uint32_t index);
void sim_cluster_settle(struct sim_cluster *cluster);
// Take lanes that exit out of their block.
void sim_lanes_exit(struct sim_warp *w, uint32_t lanes);

#endif
