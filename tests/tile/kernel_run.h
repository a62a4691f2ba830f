// A kernel of examples/tile, done three times on the same data: by a host reference in double, by
// the interpreter, and by the driver that CUCORE_DRIVER names.
#ifndef CUCORE_TESTS_TILE_KERNEL_RUN_H
#define CUCORE_TESTS_TILE_KERNEL_RUN_H

#include <stdbool.h>
#include <stdint.h>

// An argument as numbers, in the order of its indices; of a scalar one.
struct numbers {
    double *at;
    int64_t count, extent[8];
    int32_t rank;
};

struct kernel_case {
    const char *file, *kernel;
    const char *dtypes; // what the constant T is, one after the other; NULL: it is left as it is
    // The other constants: "BN=64 REVERSE=true"; and options: "stages=2 cluster=2".
    const char *set;
    // Extents of dimensions and values of scalars: "M=3 N=5 eps=1e-5", cases apart by semicolons.
    const char *sizes;
    // What is in each parameter before, a letter each:
    //   r  -2 to 2; of integers -8 to 8, of unsigned ones 0 to 15
    //   x  the same, with NaN and infinities
    //   o  poison: it is a result             z  zeros
    //   k  whole numbers from 0 to 2^32 - 1   -  a scalar, or what `prepare` makes
    const char *fill;
    void (*prepare)(struct numbers *a); // on top of that; NULL
    // The results, from the other arguments as they are in memory. They are rounded to their dtype
    // afterwards.
    void (*expect)(struct numbers *a);
    // How far floats may be off: `steps` roundings to f32 (of T=f64, to f64) of a value of `scale`,
    // or of the result itself when that is larger; and the last one, to the result's dtype. With 0
    // steps the result is exact.
    double steps, scale;
    // How tensors lie: d without gaps, a rows of whole 16 bytes, o off by an element with odd
    // strides, s with other elements between, t first axis fastest, r last but one,
    // n all strides negative.
    const char *layouts; // NULL: all of them
};

void kernel_start(void); // device and stream: in the process that checks
void kernel_stop(void);
// Fails the test that runs when anything differs.
void kernel_check(const struct kernel_case *row);
// Its file assembled for an architecture; false when there is nothing to assemble with. Bytes of
// registers that the kernel puts aside in memory, with tensors without gaps; -1: nobody told.
bool kernel_assemble(const struct kernel_case *row, const char *arch, long *spills);
// The same by the toolkit's assembler, which gives registers from role to role, as the driver does.
// An entry with roles must be there, and nothing that the assembler does slowly.
bool kernel_assemble_whole(const struct kernel_case *row, const char *arch, long *spills);
// A random number below n, the same in every run.
uint64_t kernel_random(uint64_t n);

#endif
