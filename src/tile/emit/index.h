// The kernel's parameters and grid (index.c).
#ifndef CUCORE_TILE_EMIT_INDEX_H
#define CUCORE_TILE_EMIT_INDEX_H

#include "ptx.h"

// Reads the entry's parameters: scalars, and the views of tensors.
void tile_emit_parameters(struct tile_emitter *e);
// Predicates from the entry's parameter block, where the launch leaves them: a tensor is aligned
// (tile_is_aligned()); a map exists.
tile_register tile_parameter_is_aligned(struct tile_emitter *e, uint32_t parameter);
tile_register tile_has_map(struct tile_emitter *e, uint32_t map);

#endif
