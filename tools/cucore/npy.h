// Reads and writes NumPy's .npy files with one little-endian array. Reads files in either order;
// writes them in row-major (C) order.
#ifndef CUCORE_TOOLS_NPY_H
#define CUCORE_TOOLS_NPY_H

#include "cli.h"

#include <cucore/base.h>

enum { NPY_MAX_RANK = 32 };

// The contents of an .npy file's header.
typedef struct npy_header {
    cuc_dtype dtype; // CUC_DTYPE_UNKNOWN: a NumPy void type such as '|V2'
    uint32_t item_bytes;
    int32_t rank;
    int64_t shape[NPY_MAX_RANK];
    uint64_t bytes;     // total size of the elements
    size_t data_offset; // from the start of the file
    char descr[16];     // the file's type string: "<f4"
    bool fortran;       // column-major, where that differs from row-major
} npy_header;

// Parse the header of a file in memory, and check that the data is complete and that nothing
// follows it. `name` appears in messages. Safe for any input bytes.
bool npy_parse(npy_header *out, const void *file, size_t bytes, const char *name, cli_why *why);

// Reorder the elements of a parsed file to row-major order in place.
void npy_order_by_rows(const npy_header *h, void *file);

// Compute the size of an array with that shape; return false if it overflows.
bool npy_count_bytes(uint64_t *out, const int64_t *shape, int32_t rank, uint32_t item_bytes);

// Make a version 1.0 header for a type and shape. A type that NumPy lacks becomes an unsigned
// integer of the same size. The caller frees the result.
char *npy_make_header(size_t *bytes, cuc_dtype dtype, const int64_t *shape, int32_t rank);

// Return the type that stands for `dtype` in a file: itself, or the unsigned integer for a type
// that NumPy lacks.
cuc_dtype npy_storage(cuc_dtype dtype);

#endif
