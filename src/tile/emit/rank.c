// Ranks: the places of a tile's elements in the stable order of their digits.
//
// The tile's layout (tile_layout_for_rank()) gives each half of a warp consecutive elements, and
// the order of elements is that of halves, registers and lanes. Each half has a row of words in
// shared memory, one per digit: a mask of its 16 lanes, and above it a counter. It takes one
// register after another. Each lane sets its bit in the word of its digit, and reads the word: the
// mask has its peers, which are the lanes with the same digit, and the counter the number of
// earlier elements. The last peer clears the mask and advances the counter. Then the block turns
// the counters into places: the first element of a digit in a half comes after all smaller digits
// and after those of the halves before. A mask for a whole warp would need words of 64 bits, which
// take twice as long to read and write, and bits that are set in every second bank only.
//
// For up to 4 digits, votes find the ranks (rank_votes.c). Lanes that set bits of one word take
// turns, and with so few digits there are many of them. If masks do not fit in shared memory, each
// warp holds consecutive elements, and a vote per bit of the digit finds the peers. On an H200, a
// vote takes a multiprocessor 3.3 cycles per bit for the digits of 32 elements, and match.any 2
// cycles per different digit.
#include "rank.h"
#include "tile/layout/assign.h"

enum {
    MOST_IN_VECTOR = 4,
    MASK_BITS = 16, // of a word, below the counter
    WORD_BYTES = 4,
    TOTALS_BYTES = 4 << TILE_MAX_WARP_BITS,
};

static void sync_warp(struct tile_emitter *e)
{
    tile_ins(e, "bar.warp.sync 0xffffffff");
}

static void guard(struct tile_emitter *e, tile_register predicate)
{
    if (predicate)
        tile_put(e->text, "@%s", tile_name(predicate));
}

// Finds the digits, and which of them count: those of elements of the tile, in one copy of each,
// that are in range.
static bool find_digits(struct tile_ranks *k)
{
    struct tile_emitter *e = k->e;
    const tile_register *in = tile_registers(e, k->x);
    struct tile_range range = tile_range_of(e->ranges, k->x);
    bool known = range.low >= 0 && range.high < k->digits;
    bool wide = tile_class_of(k->x->type.dtype) == TILE_R64;
    tile_register single = tile_one_copy(e, k->x->layout);

    for (uint32_t r = 0; in && r < k->count; r++) {
        tile_register inside = tile_inside_tile(e, k->x, r, &k->none[r]);
        if (k->none[r])
            continue;
        k->valid[r] = tile_both(e, inside, single);
        if (!known) // as an unsigned number, a negative digit is large
            k->valid[r] = tile_both(
                e, k->valid[r],
                tile_make(e, TILE_PRED, wide ? "setp.lt.u64 %R, %R, %u" : "setp.lt.u32 %R, %R, %u",
                          in[r], k->digits));
        k->digit[r] = wide ? tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", in[r]) : in[r];
    }
    return in != NULL;
}

// Finds the thread's row.
static void find_row(struct tile_ranks *k)
{
    struct tile_emitter *e = k->e;
    tile_register row = e->warp;

    k->lane = e->lane;
    if (k->halves) {
        row = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane);
        row = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 2, %R", e->warp, row);
        k->lane = tile_make(e, TILE_R32, "and.b32 %R, %R, 15", e->lane);
    }
    k->row =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", row, WORD_BYTES * k->digits, k->shared);
}

// Returns the address of a register's digit in the thread's row.
static tile_register digit_in(struct tile_ranks *k, uint32_t r)
{
    return tile_make(k->e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", k->digit[r], WORD_BYTES, k->row);
}

// Clears the thread's row.
static void clear_row(struct tile_ranks *k)
{
    struct tile_emitter *e = k->e;
    uint32_t lanes = k->halves ? 16 : 32;
    uint32_t vector = k->digits >= lanes * MOST_IN_VECTOR ? MOST_IN_VECTOR : 1;
    tile_register zero[MOST_IN_VECTOR], some = TILE_NO_REGISTER;
    tile_register at =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", k->lane, WORD_BYTES * vector, k->row);

    for (uint32_t i = 0; i < vector; i++)
        zero[i] = tile_number32(e, 0);
    if (k->digits < lanes)
        some = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", k->lane, k->digits);
    for (uint32_t first = 0; first < k->digits; first += lanes * vector)
        tile_emit_store(e, "", "shared", CUC_U32, zero, vector, at, WORD_BYTES * first, some);
    sync_warp(e);
}

// Returns the mask of the lanes that count and whose digits have the same bits.
static tile_register vote(struct tile_ranks *k, uint32_t r)
{
    enum { AND_XOR = 0x60 }; // a & (b ^ c)
    struct tile_emitter *e = k->e;
    tile_register peers = TILE_NO_REGISTER;

    if (k->valid[r])
        peers = tile_make(e, TILE_R32, "vote.sync.ballot.b32 %R, %R, 0xffffffff", k->valid[r]);
    for (uint32_t bit = 0; bit < k->bits; bit++) {
        tile_register one =
            tile_make(e, TILE_R32, "and.b32 %R, %R, %u", k->digit[r], UINT32_C(1) << bit);
        tile_register set = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", one);
        tile_register votes =
            tile_make(e, TILE_R32, "vote.sync.ballot.b32 %R, %R, 0xffffffff", set);
        tile_register other = tile_make(e, TILE_R32, "selp.b32 %R, 0, -1, %R", set);
        peers = peers ? tile_make(e, TILE_R32, "lop3.b32 %R, %R, %R, %R, %u", peers, votes, other,
                                  (unsigned)AND_XOR)
                      : tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", votes, other);
    }
    return peers ? peers : tile_number32(e, -1);
}

// True if every element of every thread counts.
static bool counts_all(const struct tile_ranks *k)
{
    for (uint32_t r = 0; r < k->count; r++)
        if (k->none[r] || k->valid[r])
            return false;
    return true;
}

// Keeps a register's rank and digit in one register.
static void pack(struct tile_ranks *k, uint32_t r, tile_register rank)
{
    tile_ins(k->e, "mad.lo.u32 %R, %R, 65536, %R", k->rank[r], rank, k->digit[r]);
}

// Ranks a warp's elements without masks if they all have one digit, as the upper digits of small
// numbers and of sorted numbers do. Such elements would take turns for all bits of a mask.
// Continues at the label `done`.
static void rank_equal(struct tile_ranks *k, uint32_t done)
{
    struct tile_emitter *e = k->e;
    uint32_t general = tile_label(e);
    tile_register digit = tile_shuffle_from(e, k->digit[0], tile_number32(e, 0));
    tile_register same = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %R", k->digit[0], digit);

    for (uint32_t r = 1; r < k->count; r++)
        same = tile_make(e, TILE_PRED, "setp.eq.and.u32 %R, %R, %R, %R", k->digit[r], digit, same);
    same = tile_make(e, TILE_PRED, "vote.sync.all.pred %R, %R, 0xffffffff", same);
    tile_branch(e, same, true, general);
    for (uint32_t r = 0; r < k->count; r++) {
        tile_register rank = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", k->lane, 16 * r);
        pack(k, r, rank);
    }
    tile_register first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", k->lane);
    tile_register all = tile_number32(e, (int32_t)(16 * k->count << MASK_BITS));
    tile_emit_store(e, "", "shared", CUC_U32, &all, 1, digit_in(k, 0), 0, first);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, general);
}

// Ranks the elements of half a warp among those with the same digit, and counts them.
static void rank_by_masks(struct tile_ranks *k)
{
    struct tile_emitter *e = k->e;
    uint32_t done = tile_label(e);
    tile_register own = tile_make(e, TILE_R32, "shl.b32 %R, 1, %R", k->lane);
    tile_register below = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", own);
    tile_register above = tile_make(e, TILE_R32, "sub.u32 %R, %u, %R", (1u << MASK_BITS) - 1, own);

    above = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", above, below);
    if (k->count > 1 && counts_all(k))
        rank_equal(k, done);
    for (uint32_t r = 0; r < k->count; r++) {
        tile_register at, word = tile_new(e, TILE_R32);
        if (k->none[r])
            continue;
        at = digit_in(k, r);
        guard(e, k->valid[r]);
        tile_ins(e, "red.relaxed.cta.shared.or.b32 [%R], %R", at, own);
        sync_warp(e);
        tile_emit_load(e, "", "shared", CUC_U32, &word, 1, at, 0, k->valid[r]);
        tile_register before = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", word, below);
        tile_register later = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", word, above);
        tile_register last = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", later);
        before = tile_make(e, TILE_R32, "popc.b32 %R, %R", before);
        tile_register counter = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", word, MASK_BITS);
        tile_register rank = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", counter, before);
        pack(k, r, rank);
        word = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %u", rank, 1u << MASK_BITS,
                         1u << MASK_BITS);
        sync_warp(e); // all lanes have read
        tile_emit_store(e, "", "shared", CUC_U32, &word, 1, at, 0, tile_both(e, last, k->valid[r]));
        sync_warp(e);
    }
    tile_put_label(e, done);
}

// Ranks a warp's elements among those with the same digit, and counts them.
static void rank_without_masks(struct tile_ranks *k)
{
    struct tile_emitter *e = k->e;
    tile_register below = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_lt");
    tile_register above = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_gt");

    for (uint32_t r = 0; r < k->count; r++) {
        tile_register peers, at, counter = tile_new(e, TILE_R32);
        if (k->none[r])
            continue;
        at = digit_in(k, r);
        peers = vote(k, r);
        tile_emit_load(e, "", "shared", CUC_U32, &counter, 1, at, 0, k->valid[r]);
        tile_register before = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", peers, below);
        before = tile_make(e, TILE_R32, "popc.b32 %R, %R", before);
        tile_register later = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", peers, above);
        tile_register last = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", later);
        tile_ins(e, "add.u32 %R, %R, %R", k->rank[r], counter, before);
        counter = tile_make(e, TILE_R32, "add.u32 %R, %R, 1", k->rank[r]);
        sync_warp(e); // all lanes have read
        tile_emit_store(e, "", "shared", CUC_U32, &counter, 1, at, 0,
                        tile_both(e, last, k->valid[r]));
        sync_warp(e);
    }
}

// Returns the sum of `x` over all earlier threads. Only the first `threads` threads count.
static tile_register sum_before(struct tile_ranks *k, tile_register x, uint32_t threads,
                                tile_register counts)
{
    struct tile_emitter *e = k->e;
    tile_register sum = x, total;

    for (uint32_t step = 1; step < 32 && step < threads; step *= 2) {
        tile_register there = tile_new(e, TILE_PRED), other = tile_new(e, TILE_R32);
        tile_register next = tile_make(e, TILE_R32, "mov.b32 %R, %R", sum);
        tile_ins(e, "shfl.sync.up.b32 %R|%R, %R, %u, 0, 0xffffffff", other, there, sum, step);
        guard(e, there);
        tile_ins(e, "add.u32 %R, %R, %R", next, sum, other);
        sum = next;
    }
    tile_register before = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", sum, x);
    if (threads <= 32) {
        sync_warp(e); // all lanes have read the words
        return before;
    }
    tile_register last = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 31", e->lane);
    tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", e->warp, k->shared);
    tile_emit_store(e, "", "shared", CUC_U32, &sum, 1, at, k->totals_at,
                    tile_both(e, last, counts));
    tile_barrier(e);
    // A lane reads the total of one of the earlier warps.
    tile_register limit = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", e->warp, threads / 32);
    tile_register earlier = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", e->lane, limit);
    at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", e->lane, k->shared);
    total = tile_number32(e, 0);
    tile_emit_load(e, "", "shared", CUC_U32, &total, 1, at, k->totals_at, earlier);
    total = tile_make(e, TILE_R32, "redux.sync.add.u32 %R, %R, 0xffffffff", total);
    return tile_make(e, TILE_R32, "add.u32 %R, %R, %R", before, total);
}

// Replaces the words of all rows by the places of the rows' first elements, and writes the number
// of elements of each digit behind them. A thread takes `each` digits that are neighbors.
static bool place_rows(struct tile_ranks *k)
{
    struct tile_emitter *e = k->e;
    uint32_t threads = 32 * e->warps, each = k->digits > threads ? k->digits / threads : 1;
    uint32_t vector = each < MOST_IN_VECTOR ? each : MOST_IN_VECTOR, used = k->digits / each;
    uint32_t count = k->rows * each;
    tile_register counts = TILE_NO_REGISTER, all = TILE_NO_REGISTER;
    tile_register *first = tile_take(e->module, (size_t)count * sizeof(*first));
    tile_register *total = tile_take(e->module, each * sizeof(*total));
    tile_register own =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->tid, WORD_BYTES * each, k->shared);

    if (!first || !total)
        return false;
    if (used < threads)
        counts = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", e->tid, used);
    for (uint32_t i = 0; i < count; i++)
        first[i] = counts ? tile_number32(e, 0) : tile_new(e, TILE_R32);
    for (uint32_t i = 0; i < count; i += vector)
        tile_emit_load(e, "", "shared", CUC_U32, first + i, vector, own,
                       WORD_BYTES * ((int64_t)(i / each) * k->digits + i % each), counts);
    for (uint32_t i = 0; i < count && k->halves; i++)
        first[i] = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", first[i], MASK_BITS);
    for (uint32_t j = 0; j < each; j++) {
        total[j] = first[j];
        first[j] = all; // the thread's smaller digits
        for (uint32_t row = 1; row < k->rows; row++) {
            tile_register counter = first[row * each + j];
            first[row * each + j] =
                all ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", total[j], all) : total[j];
            total[j] = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", total[j], counter);
        }
        all = all ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", all, total[j]) : total[j];
    }
    tile_register before = sum_before(k, all, used, counts);
    for (uint32_t i = 0; i < count; i++)
        first[i] = first[i] ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", first[i], before)
                            : before;
    for (uint32_t i = 0; i < count; i += vector)
        tile_emit_store(e, "", "shared", CUC_U32, first + i, vector, own,
                        WORD_BYTES * ((int64_t)(i / each) * k->digits + i % each), counts);
    for (uint32_t j = 0; j < each; j += vector)
        tile_emit_store(e, "", "shared", CUC_U32, total + j, vector, own,
                        (int64_t)k->counts_at + WORD_BYTES * j, counts);
    return true;
}

// Adds the place of the row's first element with the digit.
static void find_places(struct tile_ranks *k, const struct tile_value *result)
{
    struct tile_emitter *e = k->e;
    const tile_register *out = tile_registers(e, result);
    tile_register none = tile_number32(e, -1);

    for (uint32_t r = 0; out && r < k->count; r++) {
        tile_register first = tile_new(e, TILE_R32);
        if (k->none[r] || k->valid[r])
            tile_move(e, out[r], none);
        if (k->none[r])
            continue;
        tile_register rank = k->rank[r];
        if (k->halves) {
            k->digit[r] = tile_make(e, TILE_R32, "and.b32 %R, %R, 65535", rank);
            rank = tile_make(e, TILE_R32, "shr.u32 %R, %R, 16", rank);
        }
        tile_emit_load(e, "", "shared", CUC_U32, &first, 1, digit_in(k, r), 0, k->valid[r]);
        guard(e, k->valid[r]);
        tile_ins(e, "add.u32 %R, %R, %R", out[r], rank, first);
    }
    if (out)
        tile_spread_copies(e, result, out);
}

bool tile_emit_rank(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_ranks k = { .e = e,
                            .x = op->operand[0],
                            .digits = (uint32_t)tile_int(op, TILE_ATTR_COUNT, 0),
                            .count = tile_register_count(op->operand[0]) };
    const struct tile_value *counts = op->result[1];
    uint32_t at;

    k.bits = tile_bits_of(k.digits);
    k.digit = tile_take(e->module, k.count * sizeof(*k.digit));
    k.valid = tile_take(e->module, k.count * sizeof(*k.valid));
    k.rank = tile_take(e->module, k.count * sizeof(*k.rank));
    k.none = tile_take(e->module, k.count * sizeof(*k.none));
    if (!k.digit || !k.valid || !k.rank || !k.none || !find_digits(&k))
        return false;
    if (k.digits <= TILE_VOTED_DIGITS)
        return tile_rank_by_votes(&k, op);
    k.halves = tile_ranks_in_halves(k.digits, tile_bits_of(e->warps));
    k.rows = e->warps << k.halves;
    k.totals_at = WORD_BYTES * k.digits * k.rows;
    k.counts_at = k.totals_at + TOTALS_BYTES;
    uint32_t bytes = k.counts_at + tile_shared_bytes(counts);
    if (!tile_shared_fits(e, op, bytes))
        return false;
    k.shared = tile_scratch_beside(e, bytes, bytes, &at);
    find_row(&k);
    clear_row(&k);
    for (uint32_t r = 0; r < k.count; r++)
        k.rank[r] = tile_new(e, TILE_R32);
    (k.halves ? rank_by_masks : rank_without_masks)(&k);
    tile_barrier(e);
    if (!place_rows(&k))
        return false;
    tile_barrier(e);
    const tile_register *number = tile_registers(e, counts);
    if (number)
        tile_read_shared(e, counts, number, k.shared, k.counts_at);
    find_places(&k, op->result[0]);
    return number && !e->failed;
}
