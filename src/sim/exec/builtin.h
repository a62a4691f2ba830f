// Functions that the device runtime has and PTX calls as `.extern .func`: vprintf, __assertfail,
// malloc, free and cudaGraphSetConditional. decode_call.c asks sim_builtin() when a call names a
// function without a body.
#ifndef CUCORE_SIM_EXEC_BUILTIN_H
#define CUCORE_SIM_EXEC_BUILTIN_H

#include "run.h"

// True when the runtime has a function of this name.
bool sim_builtin(const char *name);

// Call it for the lanes of the mask, one after another. `params` is lane 0's argument area, a
// lane's lies `param_stride` bytes after the one before; arguments lie in it as the callee declares
// its parameters, each at its natural alignment, the first at 0. `results` is laid out the same way
// and receives the return value at 0; NULL when there is none. Gives SIM_NEXT or SIM_FAULT.
enum sim_next sim_builtin_call(const char *name, struct sim_warp *w, const struct sim_op *op,
                               uint32_t mask, const unsigned char *params, size_t param_stride,
                               unsigned char *results, size_t result_stride);

// What malloc() of kernels gives from: so many bytes at a time, of a device's memory. NULL without
// host memory.
struct sim_heap *sim_heap_new(uint64_t limit, int device);
// It goes with what kernels took and did not free.
void sim_heap_free(struct sim_heap *heap);

// What sets the value of a conditional node of a graph; false for a handle that is none. The
// driver's; NULL without one.
extern bool (*sim_set_conditional)(uint64_t handle, uint32_t value);

#endif
