// Kernels on the CPU, block after block: the oracle that the simulator and GPUs are compared with.
//
// Integer and IEEE ops are exact to the bit; sums and products along axes and of mma are made in
// double and rounded once; the other functions are those of libm, rounded once.
#ifndef CUCORE_TILE_INTERPRET_INTERPRET_H
#define CUCORE_TILE_INTERPRET_INTERPRET_H

#include "tile/ir/host.h"

struct tile_interpretation {
    const struct tile_kernel *kernel;
    const struct tile_argument *argument; // tensors in host memory
    uint32_t arguments;
    int64_t grid[3];                             // for kernels that declare none; else 0
    void (*print)(void *data, const char *text); // of print(); NULL: nothing is printed
    int32_t (*stop)(void *data); // whether to end now, asked now and then; NULL: it goes on
    void *user_data;             // of both
    bool *no_memory;             // set when that is what it fails of; NULL: nobody asks
    bool *stopped;               // set when that is why it ends; not NULL where `stop` is not
};

// False, and the text says what was wrong with the arguments, which assertion failed or which op
// cannot be interpreted.
bool tile_interpret(const struct tile_interpretation *run, char *text, size_t bytes);

#endif
