// 16-bit floats, two in a word, and 8-bit floats, two in 16 bits (halves.c).
#ifndef CUCORE_TILE_EMIT_HALVES_H
#define CUCORE_TILE_EMIT_HALVES_H

#include "ptx.h"

// The word from which a 16-bit register was extracted.
struct tile_half {
    tile_register word; // TILE_NO_REGISTER if unknown
    bool upper;
};

// tile_split() splits a word into two 16-bit registers. tile_join() joins two registers and reuses
// their common word if they have one. tile_word_of() returns the word of a register and sets *upper
// if the register is the upper half.
void tile_split(struct tile_emitter *e, tile_register word, tile_register low, tile_register high);
tile_register tile_join(struct tile_emitter *e, tile_register low, tile_register high);
tile_register tile_word_of(const struct tile_emitter *e, tile_register half, bool *upper);
// tile_split_pair() splits a pair of bytes, a 16-bit register, into two registers of one byte each.
// tile_join_pair() joins two registers of one byte, tile_join_bytes() four; both reuse the pairs
// from which they come.
void tile_split_pair(struct tile_emitter *e, tile_register pair, tile_register *low,
                     tile_register *high);
tile_register tile_join_pair(struct tile_emitter *e, tile_register low, tile_register high);
tile_register tile_join_bytes(struct tile_emitter *e, const tile_register *byte);
// Moves a register of any class. A moved half keeps its link to its word.
void tile_move_half(struct tile_emitter *e, tile_register to, tile_register from);

// Widens a half to f32. The instructions differ for each `time`, so that ptxas does not merge them.
tile_register tile_widen_rematerialized(struct tile_emitter *e, cuc_dtype dtype, tile_register x,
                                        uint32_t time);

#endif
