// Device runtime functions that PTX declares as `.extern .func`: vprintf, __assertfail, malloc,
// free and cudaGraphSetConditional. decode_call.c consults sim_builtin() for calls of functions
// without a body.
#ifndef CUCORE_SIM_EXEC_BUILTIN_H
#define CUCORE_SIM_EXEC_BUILTIN_H

#include "run.h"

// Returns true if the runtime has a function with this name.
bool sim_builtin(const char *name);

// Calls a runtime function for the lanes of the mask, one after another. `params` is lane 0's
// argument area; the areas of other lanes follow at intervals of `param_stride` bytes. In an area,
// each argument has its natural alignment, and the first one is at offset 0, as in the callee's
// declaration. `results` has the same layout and receives the return value at offset 0; NULL if
// there is none. Returns SIM_NEXT or SIM_FAULT.
enum sim_next sim_builtin_call(const char *name, struct sim_warp *w, const struct sim_op *op,
                               uint32_t mask, const unsigned char *params, size_t param_stride,
                               unsigned char *results, size_t result_stride);

// Creates the heap for malloc() in kernels, with at most `limit` bytes in use at a time. `device`
// owns it. NULL if out of host memory.
struct sim_heap *sim_heap_new(uint64_t limit, int device);
// Frees a heap, including everything that kernels allocated and did not free.
void sim_heap_free(struct sim_heap *heap);

// Sets the value of a graph's conditional node. Returns false for an invalid handle. The driver
// sets this pointer; it is NULL without a driver.
extern bool (*sim_set_conditional)(uint64_t handle, uint32_t value);

#endif
