// Functions that the device runtime has and PTX calls as `.extern .func`: vprintf, __assertfail,
// malloc and free. decode_call.c asks sim_builtin() when a call names a function without a body.
#ifndef CUCORE_SIM_BUILTIN_H
#define CUCORE_SIM_BUILTIN_H

#include "exec.h"

// True when the runtime has a function of this name.
bool sim_builtin(const char *name);

// Call it for the lanes of the mask, one after another. `params` is lane 0's argument area, a
// lane's lies `param_stride` bytes after the one before; arguments lie in it as the callee declares
// its parameters, each at its natural alignment, the first at 0. `results` is laid out the same way
// and receives the return value at 0; NULL when there is none. Gives SIM_NEXT or SIM_FAULT.
enum sim_next sim_builtin_call(const char *name, struct sim_warp *w, const struct sim_op *op,
                               uint32_t mask, const unsigned char *params, size_t param_stride,
                               unsigned char *results, size_t result_stride);

// How many bytes malloc() may have given at a time; 8 MiB unless told (CU_LIMIT_MALLOC_HEAP_SIZE).
void sim_builtin_heap_limit(uint64_t bytes);

// Give back what kernels took with malloc() and did not free; the driver calls it when it ends.
void sim_builtin_heap_clear(void);

#endif
