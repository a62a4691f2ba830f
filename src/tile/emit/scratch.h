// Shared memory of the block, which all ops share as one scratch, and its barriers (scratch.c).
#ifndef CUCORE_TILE_EMIT_SCRATCH_H
#define CUCORE_TILE_EMIT_SCRATCH_H

#include "ptx.h"

enum { TILE_SHARED_FREE, TILE_SHARED_BUSY, TILE_SHARED_PART };

enum {
    TILE_STATIC_SHARED = 48 * 1024, // a larger scratch is dynamic
    TILE_SCRATCH_ALIGN = 128, // with operands copied ahead, since swizzles work on address bits
};

// Emits a barrier of the block.
void tile_barrier(struct tile_emitter *e);
// The scratch in shared memory, which all threads may write from here on; emits a barrier first if
// needed.
tile_register tile_scratch(struct tile_emitter *e, uint32_t bytes);
// A small part of the scratch, at *at, next to the part that some thread may still read, so that
// mostly no barrier is needed.
tile_register tile_scratch_beside(struct tile_emitter *e, uint32_t bytes, uint32_t *at);
// Ends the writes: the scratch is read from here on.
void tile_scratch_written(struct tile_emitter *e);

#endif
