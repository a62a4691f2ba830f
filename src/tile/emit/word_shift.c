// See word_shift.h.
#include "word_shift.h"

enum { WORDS = TILE_VECTOR_BYTES / 4 };

struct tile_word_shift tile_find_word_shift(struct tile_emitter *e, tile_register offset,
                                            uint32_t element)
{
    tile_register bit = tile_make(e, TILE_R32, "and.b32 %R, %R, 8", offset);
    struct tile_word_shift x = { .bits = TILE_NO_REGISTER };

    x.eight = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", bit);
    bit = tile_make(e, TILE_R32, "and.b32 %R, %R, 4", offset);
    x.four = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", bit);
    if (element % 4)
        x.bits = tile_make(e, TILE_R32, "shl.b32 %R, %R, 3", offset); // shf takes it modulo 32
    return x;
}

void tile_shift_words(struct tile_emitter *e, tile_register w[8],
                      const struct tile_word_shift *shift)
{
    uint32_t count = shift->bits ? WORDS + 1 : WORDS;

    for (uint32_t i = 0; i <= count; i++)
        w[i] = tile_select(e, shift->eight, w[i + 2], w[i]);
    for (uint32_t i = 0; i < count; i++)
        w[i] = tile_select(e, shift->four, w[i + 1], w[i]);
    for (uint32_t i = 0; i < WORDS && shift->bits; i++)
        w[i] = tile_make(e, TILE_R32, "shf.r.wrap.b32 %R, %R, %R, %R", w[i], w[i + 1], shift->bits);
}
