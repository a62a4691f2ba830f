// Runs kernels on the CPU, one block at a time, as a reference for the simulator and for GPUs.
//
// Integer and IEEE ops are exact to the bit. Sums and products along axes and in mma are computed
// in double and rounded once. All other functions come from libm and are rounded once.
#ifndef CUCORE_TILE_INTERPRET_INTERPRET_H
#define CUCORE_TILE_INTERPRET_INTERPRET_H

#include "tile/ir/host.h"

struct tile_interpretation {
    const struct tile_kernel *kernel;
    const struct tile_argument *argument; // tensors in host memory
    uint32_t arguments;
    int64_t grid[3];                             // used by kernels that declare no grid; otherwise
                                                 // 0
    void (*print)(void *data, const char *text); // receives the text of print(); NULL: discard it
    int32_t (*stop)(void *data); // called from time to time; returns nonzero to end the run; may be
                                 // NULL
    void *user_data;             // passed to `print` and `stop`
    bool *no_memory;             // set if the run failed because memory ran out; may be NULL
    bool *stopped;               // set if `stop` ended the run; required with `stop`
};

// Runs a kernel. On failure, returns false and a text that says which argument is wrong, which
// assertion failed, or which op cannot be interpreted.
bool tile_interpret(const struct tile_interpretation *run, char *text, size_t bytes);

#endif
