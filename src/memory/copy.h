// What copies and fills check before the driver is asked.
#ifndef CUCORE_MEMORY_COPY_H
#define CUCORE_MEMORY_COPY_H

#include <cucore/copy.h>

#include "buffer.h"

// Refuse two ranges that are no ranges, or that overlap. `bytes` is more than 0.
cuc_status cuc__copy_check_ranges(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                                  const char *function);

// Refuse a part that passes the end of a buffer; `name` is the argument's.
cuc_status cuc__copy_check_part(const cuc_buffer *buffer, const char *name, size_t offset,
                                size_t bytes, const char *function);

// One side of a copy of rows: where it starts, and that all of it is in the address space. A pitch
// or a slice of 0 becomes the smallest one. Every sum and product is checked.
struct cuc__copy_side {
    const char *name;
    CUdeviceptr at;
    size_t pitch, slice_rows;
    size_t x, y, z;
};

cuc_status cuc__copy_check_side(struct cuc__copy_side *side, size_t row_bytes, size_t rows,
                                size_t slices, const char *function);

#endif
