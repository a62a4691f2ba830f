// 16-bit floats, two in a word (halves.c).
#ifndef CUCORE_TILE_EMIT_HALVES_H
#define CUCORE_TILE_EMIT_HALVES_H

#include "ptx.h"

// The word that a 16-bit register was extracted from.
struct tile_half {
    tile_register word; // TILE_NO_REGISTER: no known word
    bool upper;
};

// Splits a word into two 16-bit registers; joins two registers, reusing their common word if they
// have one; finds the word of a register, and tells if the register is its upper half.
void tile_split(struct tile_emitter *e, tile_register word, tile_register low, tile_register high);
tile_register tile_join(struct tile_emitter *e, tile_register low, tile_register high);
tile_register tile_word_of(const struct tile_emitter *e, tile_register half, bool *upper);
// Moves a register of any class. A half stays associated with its word.
void tile_move_half(struct tile_emitter *e, tile_register to, tile_register from);

// Widens a half to f32 with instructions that differ for each `time`.
tile_register tile_widen_rematerialized(struct tile_emitter *e, cuc_dtype dtype, tile_register x,
                                        uint32_t time);

#endif
