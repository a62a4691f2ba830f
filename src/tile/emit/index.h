// The kernel's parameters and grid (index.c).
#ifndef CUCORE_TILE_EMIT_INDEX_H
#define CUCORE_TILE_EMIT_INDEX_H

#include "ptx.h"

struct tile_prefetch;

// Reads the entry's parameters: scalars, and the views of tensors.
void tile_emit_parameters(struct tile_emitter *e);
// Returns the tensors whose alignment matters, one bit per parameter: some access moves several
// elements at once if they are aligned.
uint64_t tile_wide_parameters(const struct tile_kernel *kernel,
                              const struct tile_prefetch *prefetch);
// Predicates that the launch stores in the parameter block. tile_parameter_is_aligned(): a tensor
// is aligned (tile_is_aligned()). tile_has_map(): a map exists.
tile_register tile_parameter_is_aligned(struct tile_emitter *e, uint32_t parameter);
tile_register tile_has_map(struct tile_emitter *e, uint32_t map);

#endif
