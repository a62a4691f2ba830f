// The kernel's parameters and grid (index.c).
#ifndef CUCORE_TILE_EMIT_INDEX_H
#define CUCORE_TILE_EMIT_INDEX_H

#include "ptx.h"

// Reads the entry's parameters: scalars, and the views of tensors.
void tile_emit_parameters(struct tile_emitter *e);

#endif
