// NumPy's .npy files: one array, little endian. Files of either order are read, and written rows
// first (C order).
#ifndef CUCORE_TOOLS_NPY_H
#define CUCORE_TOOLS_NPY_H

#include "cli.h"

#include <cucore/base.h>

enum { NPY_MAX_RANK = 32 };

// What the header of a file says, or is to say.
typedef struct npy_header {
    cuc_dtype dtype; // CUC_DTYPE_UNKNOWN: bytes that NumPy has no type for, such as '|V2'
    uint32_t item_bytes;
    int32_t rank;
    int64_t shape[NPY_MAX_RANK];
    uint64_t bytes;     // of all elements
    size_t data_offset; // from the start of the file
    char descr[16];     // the type as the file writes it: "<f4"
    bool fortran;       // columns first, and that is another order than rows first
} npy_header;

// Read the header of a file that is in memory, and check that its data is all there and nothing
// behind it. `name` is what messages call it. Any bytes are safe to give.
bool npy_parse(npy_header *out, const void *file, size_t bytes, const char *name, cli_why *why);

// Put the elements of a file that was parsed into rows-first order, where they lie.
void npy_order_by_rows(const npy_header *h, void *file);

// Bytes of all elements of a shape; false when they are more than a size can tell.
bool npy_count_bytes(uint64_t *out, const int64_t *shape, int32_t rank, uint32_t item_bytes);

// The header of a file of version 1.0, for elements of a type and shape. A type that NumPy lacks
// is written as unsigned integers of its size. The result is freed by the caller.
char *npy_make_header(size_t *bytes, cuc_dtype dtype, const int64_t *shape, int32_t rank);

// The type that a file has that holds elements of `dtype`: itself, or the unsigned integer that
// stands for one that NumPy lacks.
cuc_dtype npy_storage(cuc_dtype dtype);

#endif
