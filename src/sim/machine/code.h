// What decode*.c, program.c, schedule.c and control.c share: a loaded program and calls.
#ifndef CUCORE_SIM_MACHINE_CODE_H
#define CUCORE_SIM_MACHINE_CODE_H

#include "machine.h"
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

// Handlers that the checks have to tell apart.
struct sim_handlers {
    sim_handler *branch, *branch_indexed, *exit, *ret;
    // True when an instruction is st, and what a lane stores lies there already.
    bool (*stores_same)(const struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                        const void *host);
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
    const struct sim_handlers *handlers;
    struct sim_index functions_named, variables_named; // of the module
    uint32_t cache_count;                              // range caches that its loads and stores use
    void **kept;                                       // freed with the program
    size_t kept_count, kept_room;
};

// Memory that lives as long as the program: zeroed; NULL when there is none.
void *sim_program_keep(struct sim_program *program, size_t bytes);

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

// The code that an op stands in.
const struct sim_code *sim_code_of(const struct sim_program *program, const struct sim_op *op);

// Where a lane is, as every report begins: "kernel k, PTX line 7 (k.cu:3), block (0,0,0), thread
// (1,0,0): ". The length, as of snprintf.
size_t sim_place_words(const struct sim_warp *w, const struct sim_op *op, uint32_t lane, char *out,
                       size_t bytes);

// A fault of all who have not ended, and where they are: nobody can go on, or time is up. `what` is
// what it is called.
void sim_fault_standing(const struct sim_cluster *cluster, bool deadlock, const char *what);

#endif
