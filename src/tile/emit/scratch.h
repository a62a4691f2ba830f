// The block's scratch in shared memory, which all ops use, and its barriers (scratch.c).
#ifndef CUCORE_TILE_EMIT_SCRATCH_H
#define CUCORE_TILE_EMIT_SCRATCH_H

#include "ptx.h"

enum { TILE_SHARED_FREE, TILE_SHARED_BUSY, TILE_SHARED_PART };

enum {
    TILE_STATIC_SHARED = 48 * 1024, // a larger scratch must be dynamic shared memory
    TILE_SCRATCH_ALIGN = 128,       // for prefetched operands, because swizzles use address bits
};

// Emits a barrier of the block.
void tile_barrier(struct tile_emitter *e);
// Returns the address of the scratch, which all threads may now write. Emits a barrier first if
// needed.
tile_register tile_scratch(struct tile_emitter *e, uint32_t bytes);
// Returns a small part of the scratch, at offset *at, beside the part that some thread may still be
// reading. This usually avoids a barrier. Both parts together have at most `most` bytes, or there
// is a barrier.
enum { TILE_USUAL_BESIDE = 1024 };
tile_register tile_scratch_beside(struct tile_emitter *e, uint32_t bytes, uint32_t most,
                                  uint32_t *at);
// Ends the writes to the scratch, so that threads may read it.
void tile_scratch_written(struct tile_emitter *e);

#endif
