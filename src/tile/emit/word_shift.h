// Extracts 16 bytes at any byte offset from two neighboring 16-byte words in registers.
#ifndef CUCORE_TILE_EMIT_WORD_SHIFT_H
#define CUCORE_TILE_EMIT_WORD_SHIFT_H

#include "emit.h"

// A byte offset below 16: its bits 8 and 4 as predicates, and the remaining bits to shift by.
struct tile_word_shift {
    tile_register eight, four, bits; // `bits` is TILE_NO_REGISTER for elements of whole words
};

// Returns the shift by an offset in bytes that is a multiple of `element` bytes.
struct tile_word_shift tile_find_word_shift(struct tile_emitter *e, tile_register offset,
                                            uint32_t element);
// Replaces w[0] to w[3] by four 32-bit words of w[0] to w[7], from the offset on. Overwrites w[4]
// and w[5].
void tile_shift_words(struct tile_emitter *e, tile_register w[8],
                      const struct tile_word_shift *shift);

#endif
