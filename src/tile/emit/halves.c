// Pairs of 16-bit floats in a word, and of 8-bit floats in 16 bits.
//
// Memory holds them in this format, and a register costs the same with one element or two. The
// emitter remembers the word from which it extracted each half. Code that needs both halves reuses
// the word, so ptxas sees no 16-bit registers.
#include "emit.h"
#include "tile/ir/array.h"

#include <string.h>

static struct tile_half *half_of(const struct tile_emitter *e, tile_register half)
{
    uint32_t number = half & 0xfffffff;

    return number < e->half_capacity ? &e->half[number] : NULL;
}

static void remember(struct tile_emitter *e, tile_register half, tile_register word, bool upper)
{
    uint32_t number = half & 0xfffffff;

    if (!TILE_RESERVE(e->module, e->half, e->half_capacity, number + 1, 64)) {
        e->failed = true;
        return;
    }
    e->half[number] = (struct tile_half){ word, upper };
}

void tile_split(struct tile_emitter *e, tile_register word, tile_register low, tile_register high)
{
    tile_ins(e, "mov.b32 {%R, %R}, %R", low, high, word);
    remember(e, low, word, false);
    remember(e, high, word, true);
}

tile_register tile_join(struct tile_emitter *e, tile_register low, tile_register high)
{
    const struct tile_half *a = half_of(e, low), *b = half_of(e, high);

    if (a && b && a->word && a->word == b->word && !a->upper && b->upper)
        return a->word;
    return tile_make(e, TILE_R32, "mov.b32 %R, {%R, %R}", low, high);
}

tile_register tile_word_of(const struct tile_emitter *e, tile_register half, bool *upper)
{
    const struct tile_half *h = half_of(e, half);

    *upper = h && h->upper;
    return h ? h->word : TILE_NO_REGISTER;
}

void tile_split_pair(struct tile_emitter *e, tile_register pair, tile_register *low,
                     tile_register *high)
{
    tile_register both = tile_make(e, TILE_R32, "cvt.u32.u16 %R, %R", pair);

    *low = tile_make(e, TILE_R32, "and.b32 %R, %R, 255", both);
    *high = tile_make(e, TILE_R32, "shr.u32 %R, %R, 8", both);
    uint32_t number = *high & 0xfffffff;
    if (!TILE_RESERVE(e->module, e->byte, e->byte_capacity, number + 1, 64)) {
        e->failed = true;
        return;
    }
    e->byte[*low & 0xfffffff] = (struct tile_half){ pair, false };
    e->byte[number] = (struct tile_half){ pair, true };
}

// Returns the 16-bit register from which two bytes come, or TILE_NO_REGISTER.
static tile_register pair_of(const struct tile_emitter *e, const tile_register *byte)
{
    uint32_t low = byte[0] & 0xfffffff, high = byte[1] & 0xfffffff;

    if (low >= e->byte_capacity || high >= e->byte_capacity || e->byte[low].upper ||
        !e->byte[high].upper || e->byte[low].word != e->byte[high].word)
        return TILE_NO_REGISTER;
    return e->byte[low].word;
}

tile_register tile_join_pair(struct tile_emitter *e, tile_register low, tile_register high)
{
    tile_register pair = pair_of(e, (const tile_register[]){ low, high });

    if (pair)
        return pair;
    tile_register both = tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x0040", low, high);
    return tile_make(e, TILE_R16, "cvt.u16.u32 %R, %R", both);
}

tile_register tile_join_bytes(struct tile_emitter *e, const tile_register *byte)
{
    tile_register pair[2] = { pair_of(e, byte), pair_of(e, byte + 2) };

    if (pair[0] && pair[1])
        return tile_make(e, TILE_R32, "mov.b32 %R, {%R, %R}", pair[0], pair[1]);
    tile_register low = tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x0040", byte[0], byte[1]);
    tile_register high = tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x0040", byte[2], byte[3]);
    return tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x5410", low, high);
}

void tile_move_half(struct tile_emitter *e, tile_register to, tile_register from)
{
    bool upper, other;

    tile_move(e, to, from);
    if (TILE_REGISTER_CLASS(to) != TILE_R16)
        return;
    tile_register word = tile_word_of(e, to, &upper), next = tile_word_of(e, from, &other);
    if (word && next && upper == other)
        tile_move(e, word, next);
    else if (word) // the register no longer holds a half of that word
        remember(e, to, TILE_NO_REGISTER, false);
}

// Returns a zero that ptxas cannot recognize and that depends on the last reduction, so that ptxas
// cannot hoist rematerialized code above that reduction.
static tile_register zero_of(struct tile_emitter *e, uint32_t time)
{
    tile_register *zero = &e->zero[time % 3];

    if (*zero)
        return *zero;
    struct tile_text *before = tile_into_prologue(e);
    tile_register own = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_eq");
    tile_register lower = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_lt");
    *zero = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", own, lower);
    e->text = before;
    if (e->reduced)
        *zero = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", *zero, e->reduced);
    return *zero;
}

tile_register tile_widen_rematerialized(struct tile_emitter *e, cuc_dtype dtype, tile_register x,
                                        uint32_t time)
{
    bool upper;
    tile_register word = tile_word_of(e, x, &upper);

    if (!word)
        return tile_widen(e, dtype, x);
    tile_register zero = zero_of(e, time);
    if (dtype == CUC_BF16)
        return upper ? tile_make(e, TILE_R32, "lop3.b32 %R, %R, 0xffff0000, %R, 0xea", word, zero)
                     : tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x1044", word, zero);
    tile_register low = tile_new(e, TILE_R16), high = tile_new(e, TILE_R16);
    tile_ins(e, "mov.b32 {%R, %R}, %R", low, high,
             tile_make(e, TILE_R32, "or.b32 %R, %R, %R", word, zero));
    return tile_widen(e, dtype, upper ? high : low);
}
