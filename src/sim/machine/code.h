// Loaded programs and calls. Internal interface of decode*.c, program.c, schedule.c and control.c.
#ifndef CUCORE_SIM_MACHINE_CODE_H
#define CUCORE_SIM_MACHINE_CODE_H

#include "machine.h"
#include "index.h"

// The address of a function contains its index in the module, plus 1.
#define SIM_WINDOW_CODE (UINT64_C(4) << 56)

// Flag in sim_op.extra of ld and st: the address lies in the entry's parameters, which all lanes
// share, rather than in a lane's .param area of a frame.
#define SIM_ENTRY_PARAM (UINT32_C(1) << 31)

// The location of an argument or result, which is either in the .param area of a frame or in a
// register.
struct sim_passed {
    uint32_t at, bytes;
    bool in_register;
};

// The callee, arguments and results of a call.
struct sim_call {
    const char *name;
    const struct sim_code *code; // NULL: an indirect call, or a call of a device runtime function
    bool builtin;
    uint32_t target; // indirect calls: frame offset of the callee's address
    uint32_t param_at,
        result_at; // device runtime calls: offset of the arguments in the .param area
    struct sim_passed *arguments, *results; // locations in the caller
    uint32_t argument_count, result_count;
};

// The targets of an indexed branch.
struct sim_targets {
    uint32_t count;
    uint32_t at[]; // indices of ops
};

// A .shared variable of the module or of a function.
struct sim_shared {
    const struct sim_variable *variable;
    bool dynamic; // extern, with no length
};

// A .global or .const variable of a function.
struct sim_inner {
    const struct sim_variable *variable;
    uint64_t address;
};

// Handlers that the checks recognize. program.c sets them.
struct sim_handlers {
    sim_handler *branch, *branch_indexed, *exit, *ret;
    // Returns true if the instruction is st and memory already holds the value that the lane would
    // store.
    bool (*stores_same)(const struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                        const void *host);
};

struct sim_program {
    uint64_t serial; // from 1; never reused
    struct sim_module *module;
    struct sim_code *codes; // [module->function_count]
    uint64_t *addresses;    // [module->variable_count]; for a .shared variable, its index in
                            // `shared`
    bool *placed;           // [module->variable_count]: the variable lies in memory that the
                            // program owns
    struct sim_shared *shared;
    uint32_t shared_count;
    struct sim_inner *inner; // .global and .const variables of functions
    uint32_t inner_count;
    uint32_t *function_shared; // [module->function_count]: index in `shared` of a function's first
                               // variable
    uint32_t **variable_at;    // [function_count][variable_count]: for .local and .param variables,
                               // the offset; for .global and .const ones, the index in `inner`
    struct sim_kernel *kernels;
    size_t kernel_count;
    const struct sim_handlers *handlers;
    struct sim_index functions_named, variables_named; // names in the module
    uint32_t cache_count; // number of range caches that the program's loads and stores use
    void **kept;          // freed with the program
    size_t kept_count, kept_room;
};

// Allocates zeroed memory that lives as long as the program; NULL on failure.
void *sim_program_keep(struct sim_program *program, size_t bytes);

// The state of a thread that runs blocks of a grid. frame.c takes frames from it.
struct sim_worker {
    struct sim_grid *grid;
    struct job *job; // schedule.c: the grid's job
    uint32_t index;
    struct sim_range *caches;
    struct sim_frame **free_frames; // by function; constants are already in place
    struct sim_unit *suspended, **suspended_end, *free_units;
    uint64_t resident; // units that have begun but not ended
    uint64_t asleep;   // number of consecutive units that were suspended because all their lanes
                       // are in nanosleep
};

// Creates a frame whose lanes start at the function's first op. Returns NULL after a fault, if
// calls are nested too deeply or memory has run out.
struct sim_frame *sim_frame_push(struct sim_warp *w, const struct sim_op *op, uint32_t lane,
                                 const struct sim_code *code, struct sim_frame *caller,
                                 uint32_t return_pc);
void sim_frame_drop(struct sim_warp *w, struct sim_frame *frame);
// Prepares the entry's frame for the warp's current block. Creates it if w->entry is NULL.
bool sim_frame_enter(struct sim_warp *w);
void sim_frames_free(struct sim_worker *worker);
// Returns the value of a special register in a lane.
uint64_t sim_special_value(const struct sim_warp *w, uint32_t special, uint32_t lane);

// Returns the code that contains an op.
const struct sim_code *sim_code_of(const struct sim_program *program, const struct sim_op *op);

// Writes a lane's location, which is the prefix of every report: "kernel k, PTX line 7 (k.cu:3),
// block (0,0,0), thread (1,0,0): ". Returns the length, as snprintf does.
size_t sim_place_words(const struct sim_warp *w, const struct sim_op *op, uint32_t lane, char *out,
                       size_t bytes);

// Records a deadlock or a timeout, described by `what`, as a fault of all threads that have not
// ended, with their locations.
void sim_fault_standing(const struct sim_cluster *cluster, bool deadlock, const char *what);

#endif
