// Device runtime functions that PTX declares as `.extern .func`: vprintf, __assertfail, malloc,
// free and cudaGraphSetConditional. decode_call.c asks sim_builtin() when a call names a function
// without a body.
#ifndef CUCORE_SIM_EXEC_BUILTIN_H
#define CUCORE_SIM_EXEC_BUILTIN_H

#include "run.h"

// Returns true if the runtime has a function of this name.
bool sim_builtin(const char *name);

// Calls a function of the runtime for the lanes of the mask, one after another. `params` is lane
// 0's argument area; each lane's area follows the previous one by `param_stride` bytes. Arguments
// lie in an area as the callee declares its parameters, each at its natural alignment, the first at
// 0. `results` has the same layout and receives the return value at 0; NULL if there is none.
// Returns SIM_NEXT or SIM_FAULT.
enum sim_next sim_builtin_call(const char *name, struct sim_warp *w, const struct sim_op *op,
                               uint32_t mask, const unsigned char *params, size_t param_stride,
                               unsigned char *results, size_t result_stride);

// Creates the heap of a kernel's malloc(): at most `limit` bytes in use at a time, owned by a
// device. NULL if out of host memory.
struct sim_heap *sim_heap_new(uint64_t limit, int device);
// Frees the heap and everything that kernels allocated and did not free.
void sim_heap_free(struct sim_heap *heap);

// Sets the value of a graph's conditional node; returns false for an invalid handle. The driver
// provides it; NULL without a driver.
extern bool (*sim_set_conditional)(uint64_t handle, uint32_t value);

#endif
