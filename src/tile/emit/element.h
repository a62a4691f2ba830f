// Internal interface of the files that emit ops on one element: element.c, cast.c,
// divide_integer.c.
#ifndef CUCORE_TILE_EMIT_ELEMENT_H
#define CUCORE_TILE_EMIT_ELEMENT_H

#include "emit.h"

// The PTX type for arithmetic on integers of a dtype, such as "s32", and the untyped equivalent,
// such as "b32".
const char *tile_integer_type(cuc_dtype dtype);
const char *tile_bits_type(cuc_dtype dtype);

// cast.c: truncates a small integer to its width after 32-bit arithmetic.
tile_register tile_cut(struct tile_emitter *e, cuc_dtype dtype, tile_register x);
tile_register tile_emit_bitcast(struct tile_emitter *e, cuc_dtype to, cuc_dtype from,
                                tile_register x);

// divide_integer.c: floordiv, cdiv and mod. Does not truncate the result to the dtype's width.
tile_register tile_divide_integers(struct tile_emitter *e, enum tile_op_kind kind, cuc_dtype dtype,
                                   tile_register x, tile_register y);
// Like tile_divide_integers(), but uses facts about the op's operands. Returns TILE_NO_REGISTER if
// no fact helps.
tile_register tile_divide_as_known(struct tile_emitter *e, const struct tile_op *op,
                                   cuc_dtype dtype, tile_register x, tile_register y);

// packed.c: computes elements `first` to `end` - 1 of an op on 16-bit floats, two at a time, from
// the operands' registers. False if the op has no packed form.
bool tile_emit_packed(struct tile_emitter *e, const struct tile_op *op, tile_register *out,
                      uint32_t first, uint32_t end, const tile_register *const *in);

#endif
