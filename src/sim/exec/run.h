// Interface of the executor: loading programs, running grids, and the instruction tables.
#ifndef CUCORE_SIM_EXEC_RUN_H
#define CUCORE_SIM_EXEC_RUN_H

#include "sim/machine/machine.h"

// Finds a row by name. NULL if there is none.
const struct sim_instruction *sim_instruction_find(const char *name);

// The tables of the instruction families, one per file. Each ends with a row without a name.
// clang-format off
extern const struct sim_instruction
    sim_integer_instructions[],     // integer.c: add sub mul mad ... bfe prmt dp4a
    sim_float_instructions[],       // float.c: f32, f64, and approximate functions
    sim_half_instructions[],        // half.c: f16, bf16, packed forms
    sim_convert_instructions[],     // convert.c: cvt, mov, selp, setp, set, slct, testp
    sim_packed_instructions[],      // convert_packed.c: cvt of pairs and fours
    sim_video_instructions[],       // video.c: vadd ... vset4
    sim_memory_instructions[],      // load_store.c: ld st cp.async
    sim_address_instructions[],     // address.c: cvta isspacep mapa prefetch alloca ...
    sim_atomic_instructions[],      // atomic.c: atom red fence membar
    sim_control_instructions[],     // control.c: bra brx call ret exit bar trap ...
    sim_warp_instructions[],        // warp_ops.c: shfl vote match redux activemask elect
    sim_matrix_instructions[],      // matrix.c: ldmatrix stmatrix mma wmma
    sim_wgmma_instructions[],       // wgmma.c
    sim_mbarrier_instructions[],    // mbarrier.c
    sim_async_instructions[],       // async.c: cp.async.bulk griddepcontrol setmaxnreg
    sim_async_store_instructions[], // async_store.c: st.async red.async
    sim_launch_instructions[],      // launch_control.c: clusterlaunchcontrol
    sim_tensor_instructions[],      // tensor_copy.c: cp.async.bulk.tensor
    sim_tensor_map_instructions[];  // tensor_replace.c: tensormap
// clang-format on

// Several rows may have the same name: add, mul, min ... are in integer.c, float.c and half.c, for
// different types. If `pick` returns NULL, the decoder tries the next row with the name.

// Loads a module. On failure returns NULL, with "line N: ..." in `log`.
struct sim_program *sim_program_load(const char *ptx, size_t bytes, int device_arch, char *log,
                                     size_t log_bytes);
void sim_program_free(struct sim_program *program);
size_t sim_program_kernel_count(const struct sim_program *program);
const struct sim_kernel *sim_program_kernel(const struct sim_program *program, size_t index);
// Finds a variable's address and size. False if there is no variable with the name.
bool sim_program_variable(const struct sim_program *program, const char *name, uint64_t *address,
                          uint64_t *bytes);

// Time limit of a grid in ns. Initially 0, which means no limit. Exceeding it is a fault, which
// reports where threads are.
extern uint64_t sim_timeout;

// Runs a grid to its end, on the calling thread and the pool of worker threads. Returns 0, or the
// CUresult of a fault that grid->report describes.
int sim_grid_run(struct sim_grid *grid);

#endif
