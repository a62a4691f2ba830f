// Runs a kernel of examples/tile in three ways on the same data: as a host reference in double, on
// the interpreter, and on the driver that CUCORE_DRIVER names.
#ifndef CUCORE_TESTS_TILE_KERNEL_RUN_H
#define CUCORE_TESTS_TILE_KERNEL_RUN_H

#include <stdbool.h>
#include <stdint.h>

// An argument's numbers in the order of its indices; a scalar is one number.
struct numbers {
    double *at;
    int64_t count, extent[8];
    int32_t rank;
};

struct kernel_case {
    const char *file, *kernel;
    const char *dtypes; // values of the constant T, one after another; NULL: unset
    // Other constants, such as "BN=64 REVERSE=true", and options, such as "stages=2 cluster=2".
    const char *set;
    // Extents of dimensions and values of scalars: "M=3 N=5 eps=1e-5". Semicolons separate cases.
    const char *sizes;
    // The initial contents of the parameters, one letter each:
    //   r  -2 to 2; integers -8 to 8, unsigned ones 0 to 15
    //   x  the same, with NaN and infinities
    //   o  poison, for a result               z  zeros
    //   k  whole numbers from 0 to 2^32 - 1   -  a scalar, or made by `prepare`
    const char *fill;
    void (*prepare)(struct numbers *a); // changes the arguments after the fill; NULL: none
    // Computes the results from the other arguments, as they are in memory. The results are rounded
    // to their dtype afterwards.
    void (*expect)(struct numbers *a);
    // The tolerance for floats: `steps` roundings to f32 (to f64 if T=f64) of a value of `scale`,
    // or of the result itself if that is larger, plus the final rounding to the result's dtype.
    // With 0 steps the result must be exact.
    double steps, scale;
    // Strides of tensors, one letter per layout: d no gaps; a rows that are multiples of 16 bytes
    // long; p as a, but a launch on Hopper must choose the entry with roles; o off by one element,
    // with odd strides; s other elements in between; t the first axis varies fastest; r the last
    // axis but one varies fastest; n all strides are negative.
    const char *layouts; // NULL: all of them
};

// Rows with all layouts run only d, a, o and s, which select all entries, and only the first layout
// is interpreted. For a second run on another architecture or with checks.
extern bool kernel_few;
void kernel_start(void); // makes device and stream in the checking process
void kernel_stop(void);
// Fails the running test if anything differs.
void kernel_check(const struct kernel_case *row);
// Assembles the kernel's file for an architecture; returns false if there is no assembler.
// `spills`: only the kernel's entry for tensors without gaps is assembled, and `*spills` is the
// number of bytes of registers that it spills; NULL means all entries of the file.
bool kernel_assemble(const struct kernel_case *row, const char *arch, long *spills);
// Assembles the first entry of each kernel of the file.
bool kernel_assemble_first(const struct kernel_case *row, const char *arch);
// Does the same with the toolkit's assembler, which moves registers between roles, as the driver
// does. The kernel must have an entry with roles, and the assembler must not warn about slow code.
bool kernel_assemble_whole(const struct kernel_case *row, const char *arch, long *spills);
// Returns a random number below n, the same in every run.
uint64_t kernel_random(uint64_t n);

#endif
