// Ranks of up to 4 digits, by votes: a ballot for each bit of the digit tells each lane which lanes
// have its digit.
//
// Each thread first packs the bits of its digits, register r in bit r, and counts its digits. The
// warps exchange their counts, and every warp finds the place of its first element of each digit.
// Then the ballots give the places of all elements. They follow the exchange, although they do not
// depend on it for the most part, because the ranks would take registers meanwhile: so a place op
// can use each rank at once. The packed bits, unlike the digits, take few registers.
#include "rank.h"
#include "tile/layout/assign.h"

enum { WORD = 32, MOST_BITS = 2 };

// The digits of up to 32 registers, or of the lanes' elements in one register.
struct planes {
    tile_register bit[MOST_BITS];
    tile_register there; // the elements that count; TILE_NO_REGISTER if all do
};

struct votes {
    struct tile_emitter *e;
    struct tile_ranks *k;
    struct planes *word;                    // of the thread's registers
    tile_register total[TILE_VOTED_DIGITS]; // elements of the block with each digit
    tile_register next[TILE_VOTED_DIGITS];  // place of the warp's next one
};

static tile_register both(struct tile_emitter *e, tile_register x, tile_register y)
{
    return x ? tile_make(e, TILE_R32, "and.b32 %R, %R, %R", x, y) : y;
}

// Returns the mask of the elements with a digit.
static tile_register with_digit(const struct votes *v, const struct planes *p, uint32_t digit)
{
    tile_register mask = p->there;

    for (uint32_t b = 0; b < v->k->bits; b++)
        mask = both(v->e, mask,
                    digit >> b & 1 ? p->bit[b]
                                   : tile_make(v->e, TILE_R32, "not.b32 %R, %R", p->bit[b]));
    return mask ? mask : tile_number32(v->e, -1);
}

static void set_bit(struct tile_emitter *e, tile_register word, uint32_t r, tile_register if_true)
{
    tile_put(e->text, "@%s", tile_name(if_true));
    tile_ins(e, "or.b32 %R, %R, 0x%x", word, word, UINT32_C(1) << r % WORD);
}

static void pack_digits(struct votes *v)
{
    struct tile_emitter *e = v->e;
    const struct tile_ranks *k = v->k;

    for (uint32_t first = 0; first < k->count; first += WORD) {
        struct planes *word = &v->word[first / WORD];
        uint32_t there = 0; // the registers that count in every thread
        for (uint32_t r = first; r < k->count && r < first + WORD; r++)
            there |= (uint32_t)(!k->none[r] && !k->valid[r]) << (r - first);
        word->there = tile_number32(e, (int32_t)there);
        for (uint32_t b = 0; b < k->bits; b++)
            word->bit[b] = tile_number32(e, 0);
        for (uint32_t r = first; r < k->count && r < first + WORD; r++) {
            for (uint32_t b = 0; b < k->bits && !k->none[r]; b++) {
                tile_register bit = k->digit[r];
                if (k->bits > 1)
                    bit = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", bit, UINT32_C(1) << b);
                set_bit(e, word->bit[b], r, tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", bit));
            }
            if (!k->none[r] && k->valid[r])
                set_bit(e, word->there, r, k->valid[r]);
        }
    }
}

static tile_register add(struct tile_emitter *e, tile_register x, tile_register y)
{
    return x ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", x, y) : y;
}

static tile_register add_up_warp(struct tile_emitter *e, tile_register x)
{
    return tile_make(e, TILE_R32, "redux.sync.add.u32 %R, %R, 0xffffffff", x);
}

// Counts the warp's elements with each digit.
static void count_digits(struct votes *v)
{
    for (uint32_t d = 0; d < v->k->digits; d++) {
        tile_register count = TILE_NO_REGISTER;
        for (uint32_t w = 0; w * WORD < v->k->count; w++)
            count =
                add(v->e, count,
                    tile_make(v->e, TILE_R32, "popc.b32 %R, %R", with_digit(v, &v->word[w], d)));
        v->total[d] = add_up_warp(v->e, count);
        v->next[d] = tile_number32(v->e, 0);
    }
}

// Exchanges the counts of the warps: a lane reads those of one warp.
static void add_warps(struct votes *v, uint32_t bytes)
{
    struct tile_emitter *e = v->e;
    uint32_t digits = v->k->digits, at;
    tile_register shared = tile_scratch_beside(e, bytes, TILE_STATIC_SHARED, &at);
    tile_register count[TILE_VOTED_DIGITS];
    tile_register first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", e->lane);
    tile_register own =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->warp, 4 * digits, shared);

    tile_emit_store(e, "", "shared", CUC_U32, v->total, digits, own, at, first);
    tile_barrier(e);
    tile_register there = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", e->lane, e->warps);
    tile_register before = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", e->lane, e->warp);
    tile_register other =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->lane, 4 * digits, shared);
    for (uint32_t d = 0; d < digits; d++)
        count[d] = tile_number32(e, 0);
    tile_emit_load(e, "", "shared", CUC_U32, count, digits, other, at, there);
    for (uint32_t d = 0; d < digits; d++) {
        v->total[d] = add_up_warp(e, count[d]);
        v->next[d] =
            add_up_warp(e, tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", count[d], before));
    }
}

static tile_register test_bit(struct tile_emitter *e, tile_register word, uint32_t r)
{
    return tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0",
                     tile_make(e, TILE_R32, "and.b32 %R, %R, 0x%x", word, UINT32_C(1) << r % WORD));
}

static tile_register ballot(struct tile_emitter *e, tile_register p)
{
    return tile_make(e, TILE_R32, "vote.sync.ballot.b32 %R, %R, 0xffffffff", p);
}

// Advances the places behind the elements of register r, whose digits the warp has voted on.
static void advance(struct votes *v, const struct planes *voted)
{
    struct tile_emitter *e = v->e;
    uint32_t digits = v->k->digits;
    tile_register others = tile_number32(e, WORD);

    for (uint32_t d = digits; d-- > 0;) {
        tile_register count = others;
        if (voted->there || d) {
            count = tile_make(e, TILE_R32, "popc.b32 %R, %R", with_digit(v, voted, d));
            others = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", others, count);
        }
        v->next[d] = add(e, v->next[d], count);
    }
}

// Writes the places of the elements in register r.
static void find_places(struct votes *v, tile_register below, uint32_t r, tile_register out)
{
    enum { AND_XOR = 0x60 }; // a & (b ^ c)
    struct tile_emitter *e = v->e;
    const struct tile_ranks *k = v->k;
    const struct planes *word = &v->word[r / WORD];
    tile_register is[MOST_BITS], next[TILE_VOTED_DIGITS], there = TILE_NO_REGISTER;
    struct planes voted = { .there = TILE_NO_REGISTER };

    for (uint32_t d = 0; d < k->digits; d++)
        next[d] = v->next[d];
    if (k->valid[r]) {
        there = test_bit(e, word->there, r);
        voted.there = ballot(e, there);
        below = both(e, below, voted.there);
    }
    for (uint32_t b = 0; b < k->bits; b++) {
        is[b] = test_bit(e, word->bit[b], r);
        voted.bit[b] = ballot(e, is[b]);
        below = tile_make(e, TILE_R32, "lop3.b32 %R, %R, %R, %R, %u", below, voted.bit[b],
                          tile_make(e, TILE_R32, "selp.b32 %R, 0, -1, %R", is[b]),
                          (unsigned)AND_XOR);
        for (uint32_t d = 0; d < k->digits >> (b + 1); d++)
            next[d] = tile_make(e, TILE_R32, "selp.b32 %R, %R, %R, %R", next[2 * d + 1],
                                next[2 * d], is[b]);
    }
    tile_register place = add(e, next[0], tile_make(e, TILE_R32, "popc.b32 %R, %R", below));
    if (there)
        place = tile_make(e, TILE_R32, "selp.b32 %R, %R, -1, %R", place, there);
    tile_move(e, out, place);
    advance(v, &voted);
}

bool tile_rank_by_votes(struct tile_ranks *k, const struct tile_op *op)
{
    struct tile_emitter *e = k->e;
    struct votes v = { .e = e,
                       .k = k,
                       .word = tile_take(e->module, (k->count / WORD + 1) * sizeof(*v.word)) };
    const struct tile_value *counts = op->result[1];
    uint32_t bytes = 4 * k->digits * e->warps;

    if (!v.word || !tile_shared_fits(e, op, bytes))
        return false;
    if (tile_thread_mask(counts->layout, 0))
        return tile_cannot(e, op, "its counts are not in the registers of each thread");
    pack_digits(&v);
    count_digits(&v);
    if (e->warps > 1)
        add_warps(&v, bytes);
    tile_register all = TILE_NO_REGISTER;
    for (uint32_t d = 0; d < k->digits; d++) {
        v.next[d] = add(e, all, v.next[d]);
        all = add(e, all, v.total[d]);
    }
    const tile_register *number = tile_registers(e, counts);
    const tile_register *out = tile_registers(e, op->result[0]);
    if (!number || !out)
        return false;
    for (uint32_t r = 0; r < tile_register_count(counts); r++)
        tile_move(e, number[r], v.total[tile_register_coordinate(counts->layout, r, 0)]);
    tile_register below = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_lt");
    for (uint32_t r = 0; r < k->count; r++)
        if (k->none[r])
            tile_move(e, out[r], tile_number32(e, -1));
        else
            find_places(&v, below, r, out[r]);
    tile_spread_copies(e, op->result[0], out);
    return !e->failed;
}
