// Facts about a set of declarations, one per row, which test_cuda_abi.c compares.
#ifndef CUCORE_TESTS_CUDA_ABI_ROWS_H
#define CUCORE_TESTS_CUDA_ABI_ROWS_H

#include <stddef.h>
#include <stdint.h>

// A number that the CUDA declarations fix. `extra` is an alignment, or the size of a member.
struct cuda_abi_row {
    const char *name;
    long long value;
    long long extra;
};

// Turns a row of cuda_abi.list into such a fact.
#define SIZE(type) { "size of " #type, (long long)sizeof(type), (long long)_Alignof(type) },
#define OFFSET(type, member)                                \
    { #type "." #member, (long long)offsetof(type, member), \
      (long long)sizeof(((type *)0)->member) },
#define VALUE(constant) { #constant, (long long)(intptr_t)(constant), 0 },

// A function of a .def file, as the toolkit's headers declare it.
struct cuda_abi_call {
    const char *name;
    int version;
    int as_declared;      // the row's type is the type of the function a program would call
    int as_pinned;        // whether it is the type in cudaTypedefs.h for the row's version
    const char *exported; // the driver's symbol; NULL for the other libraries
};

// The rows of cuda_abi.list with the values of the toolkit's headers, in the order of the list.
// Sections whose header is missing are left out. Without a CUDA 13 toolkit there are no rows.
extern const struct cuda_abi_row cuda_abi_real_rows[];
extern const size_t cuda_abi_real_row_count;

extern const struct cuda_abi_call cuda_abi_real_calls[];
extern const size_t cuda_abi_real_call_count;

#endif
