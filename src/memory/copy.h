// Checks that copies and fills make before they call the driver.
#ifndef CUCORE_MEMORY_COPY_H
#define CUCORE_MEMORY_COPY_H

#include <cucore/copy.h>

#include "buffer.h"

// Refuses invalid ranges and overlapping ranges. `bytes` must not be 0.
cuc_status cuc__copy_check_ranges(CUdeviceptr dst, CUdeviceptr src, size_t bytes,
                                  const char *function);

// Refuses a range past the end of a buffer. `name` is the argument's name.
cuc_status cuc__copy_check_part(const cuc_buffer *buffer, const char *name, size_t offset,
                                size_t bytes, const char *function);

// One side of a copy of rows. The functions compute its start and check that it lies in the address
// space. They replace a zero `pitch` or `slice_rows` by the smallest valid value, and check every
// sum and product for overflow.
struct cuc__copy_side {
    const char *name;
    CUdeviceptr at;
    size_t pitch, slice_rows;
    size_t x, y, z;
};

cuc_status cuc__copy_check_side(struct cuc__copy_side *side, size_t row_bytes, size_t rows,
                                size_t slices, const char *function);

#endif
