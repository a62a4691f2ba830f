// The block's scratch in shared memory, which all ops use, and its barriers (scratch.c).
#ifndef CUCORE_TILE_EMIT_SCRATCH_H
#define CUCORE_TILE_EMIT_SCRATCH_H

#include "ptx.h"

struct tile_block;
struct tile_op;

enum { TILE_SHARED_FREE, TILE_SHARED_BUSY, TILE_SHARED_PART };

enum {
    TILE_STATIC_SHARED = 48 * 1024, // a larger scratch must be dynamic shared memory
    TILE_SCRATCH_ALIGN = 128,       // for prefetched operands, because swizzles use address bits
};

// Emits a barrier of the block.
void tile_barrier(struct tile_emitter *e);
// Forgets which tiles the scratch has copies of.
void tile_forget_copies(struct tile_emitter *e);
// Returns the address of the scratch, which all threads may now write. Emits a barrier first if
// needed.
tile_register tile_scratch(struct tile_emitter *e, uint32_t bytes);
// Returns a small part of the scratch, at offset *at, beside the part that some thread may still be
// reading. This usually avoids a barrier. Both parts together have at most `most` bytes, or there
// is a barrier.
enum { TILE_USUAL_BESIDE = 1024 };
tile_register tile_scratch_beside(struct tile_emitter *e, uint32_t bytes, uint32_t most,
                                  uint32_t *at);
// Returns the scratch with a place for the tile of which `op` takes elements, at offset *at. The
// tile stays there for later takes of the block, until another op uses the scratch. *there: it is
// there already, because an earlier take wrote it.
enum { TILE_MOST_KEPT = 16 };
tile_register tile_scratch_for(struct tile_emitter *e, const struct tile_op *op, uint32_t bytes,
                               uint32_t *at, bool *there);
// Returns true if a block of code, such as a loop's, uses the scratch only for takes of tiles that
// are there.
bool tile_keeps_copies(const struct tile_emitter *e, const struct tile_block *block);
// Ends the writes to the scratch, so that threads may read it.
void tile_scratch_written(struct tile_emitter *e);

#endif
