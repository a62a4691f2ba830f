// Widths of accesses to memory, as far as extents and indices determine them.
#ifndef CUCORE_TILE_PASS_ACCESS_WIDTH_H
#define CUCORE_TILE_PASS_ACCESS_WIDTH_H

#include "range_analysis.h"

// Returns the known alignment, in bytes, of an index along a tensor's last axis. The index counts
// tiles of `scale` elements, each of `bytes` bytes. A result of at least TILE_VECTOR_BYTES means
// that the index does not limit an access.
uint64_t tile_index_alignment(const struct tile_ranges *ranges, const struct tile_value *index,
                              int64_t scale, uint32_t bytes);
// True if a tensor is a slice along its last axis. Such a slice may begin anywhere.
bool tile_begins_anywhere(const struct tile_value *tensor);
// Returns log2 of the number of neighbors along the tensor's last axis that a load or store can
// move at once if the tensor is aligned. `ranges`: a struct tile_ranges.
uint32_t tile_access_width(const struct tile_op *op, const void *ranges);
// Finds the widest access to each tensor parameter, which determines how the tensor must be
// aligned. Tensors of kernels with matrix products need 16 bytes. Returns false if out of memory.
bool tile_find_vector_bytes(struct tile_kernel *kernel, const struct tile_ranges *ranges);

#endif
