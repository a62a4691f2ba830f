// Runs kernels on the CPU, block after block, as the reference for the simulator and for GPUs.
//
// Integer and IEEE ops are exact to the bit. Sums and products along axes and in mma are computed
// in double and rounded once. All other functions are those of libm, rounded once.
#ifndef CUCORE_TILE_INTERPRET_INTERPRET_H
#define CUCORE_TILE_INTERPRET_INTERPRET_H

#include "tile/ir/host.h"

struct tile_interpretation {
    const struct tile_kernel *kernel;
    const struct tile_argument *argument; // tensors in host memory
    uint32_t arguments;
    int64_t grid[3];                             // for kernels that declare no grid; otherwise 0
    void (*print)(void *data, const char *text); // receives print()'s text; NULL: nothing is
                                                 // printed
    int32_t (*stop)(void *data); // called from time to time; nonzero ends the run; NULL: never
    void *user_data;             // passed to `print` and `stop`
    bool *no_memory;             // set if out of memory is the reason for failure; may be NULL
    bool *stopped;               // set if `stop` ended the run; required with `stop`
};

// If this returns false, the text says which argument was wrong, which assertion failed, or which
// op cannot be interpreted.
bool tile_interpret(const struct tile_interpretation *run, char *text, size_t bytes);

#endif
