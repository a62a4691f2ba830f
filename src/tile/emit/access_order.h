// Ordering of a block's own accesses to global memory (access_order.c).
#ifndef CUCORE_TILE_EMIT_ACCESS_ORDER_H
#define CUCORE_TILE_EMIT_ACCESS_ORDER_H

#include "ptx.h"

// Returns the memory order and scope of an access as PTX, such as ".acquire.gpu"; "" if weak.
const char *tile_order_words(const struct tile_op *op);
// True if an op reads or writes its first operand, a tensor.
bool tile_touches_tensor(const struct tile_op *op);
// Finds the tensors each of whose elements only one thread accesses.
void tile_find_owned(struct tile_emitter *e);
// Emits a barrier before an op that reads or writes a tensor, if an earlier access by another
// thread may overlap it.
void tile_order_access(struct tile_emitter *e, const struct tile_op *op);
// True if the tensor that an op accesses may have been written since the last barrier.
bool tile_is_after_stores(struct tile_emitter *e, const struct tile_op *op);

#endif
