// Ranks: the places of a tile's elements in the stable order of their digits.
//
// The tile's layout (tile_layout_in_order()) gives each warp consecutive elements, and the order of
// elements is that of warps, registers and lanes. Each warp has a row of words in shared memory,
// one per digit: a mask of lanes and a counter. It takes one register after another. Each lane sets
// its bit in the word of its digit, and reads the word: the mask has its peers, which are the lanes
// with the same digit, and the counter the number of earlier elements. The last peer clears the
// mask and advances the counter. Then the block turns the counters into places: the first element
// of a digit in a warp comes after all smaller digits and after those of the warps before.
//
// For up to 4 digits, votes find the ranks (rank_votes.c). Lanes that set bits of one word take
// turns, and with so few digits there are many of them. If masks do not fit in shared memory, a
// vote per bit of the digit finds the peers. On an H200, a multiprocessor takes
// 8 cycles to find the peers of 32 elements by masks if their digits differ and rarely share a bank
// (more for random digits), 12 with 4 digits and 34 if all digits are equal; a vote takes 3.3
// cycles per bit, and match.any 2 cycles per different digit.
#include "rank.h"
#include "tile/layout/assign.h"

enum {
    MOST_IN_VECTOR = 4,
    MASK_BYTES = 4,
    COUNTER_BYTES = 4,
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

// Returns the address of row `warp` of a table in shared memory with `bytes` bytes per digit.
static tile_register row_of(struct tile_ranks *k, uint32_t bytes)
{
    return tile_make(k->e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", k->e->warp, bytes * k->digits,
                     k->shared);
}

// Returns the address of a register's digit in such a row.
static tile_register digit_in(struct tile_ranks *k, uint32_t r, tile_register row, uint32_t bytes)
{
    return tile_make(k->e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", k->digit[r], bytes, row);
}

// Clears the warp's words.
static void clear_row(struct tile_ranks *k, tile_register row)
{
    struct tile_emitter *e = k->e;
    uint32_t words = k->digits * k->word_bytes / 4;
    uint32_t vector = words >= 32 * MOST_IN_VECTOR ? MOST_IN_VECTOR : 1;
    tile_register zero[MOST_IN_VECTOR], some = TILE_NO_REGISTER;
    tile_register at =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->lane, 4 * vector, row);

    for (uint32_t i = 0; i < vector; i++)
        zero[i] = tile_number32(e, 0);
    if (words < 32)
        some = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", e->lane, words);
    for (uint32_t first = 0; first < words; first += 32 * vector)
        tile_emit_store(e, "", "shared", CUC_U32, zero, vector, at, 4 * first, some);
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

// Finds the mask of a register's peers, and the counter of their digit.
static void find_peers(struct tile_ranks *k, uint32_t r, tile_register own, tile_register word,
                       tile_register *peers, tile_register *counter)
{
    struct tile_emitter *e = k->e;
    tile_register both[] = { tile_new(e, TILE_R32), tile_new(e, TILE_R32) };

    if (!k->mask_bytes) {
        *peers = vote(k, r);
        *counter = both[1];
        tile_emit_load(e, "", "shared", CUC_U32, counter, 1, word, 0, k->valid[r]);
        return;
    }
    guard(e, k->valid[r]);
    tile_ins(e, "red.relaxed.cta.shared.or.b32 [%R], %R", word, own);
    sync_warp(e);
    tile_emit_load(e, "", "shared", CUC_U32, both, 2, word, 0, k->valid[r]);
    *peers = both[0];
    *counter = both[1];
}

// True if every element of every thread counts.
static bool counts_all(const struct tile_ranks *k)
{
    for (uint32_t r = 0; r < k->count; r++)
        if (k->none[r] || k->valid[r])
            return false;
    return true;
}

// Ranks a warp's elements without masks if they all have one digit, as the upper digits of small
// numbers and of sorted numbers do. Such elements would take turns for all bits of a mask.
// Continues at the label `done`.
static void rank_equal(struct tile_ranks *k, tile_register row, uint32_t done)
{
    struct tile_emitter *e = k->e;
    uint32_t general = tile_label(e);
    tile_register digit = tile_shuffle_from(e, k->digit[0], tile_number32(e, 0));
    tile_register same = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %R", k->digit[0], digit);

    for (uint32_t r = 1; r < k->count; r++)
        same = tile_make(e, TILE_PRED, "setp.eq.and.u32 %R, %R, %R, %R", k->digit[r], digit, same);
    same = tile_make(e, TILE_PRED, "vote.sync.all.pred %R, %R, 0xffffffff", same);
    tile_branch(e, same, true, general);
    for (uint32_t r = 0; r < k->count; r++)
        tile_ins(e, "add.u32 %R, %R, %u", k->rank[r], e->lane, 32 * r);
    tile_register first = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", e->lane);
    tile_register all = tile_number32(e, (int32_t)(32 * k->count));
    tile_register word =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", digit, k->word_bytes, row);
    tile_emit_store(e, "", "shared", CUC_U32, &all, 1, word, k->mask_bytes, first);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, general);
}

// Ranks a warp's elements among those with the same digit, and counts them.
static void rank_warp(struct tile_ranks *k, tile_register row)
{
    struct tile_emitter *e = k->e;
    uint32_t done = tile_label(e);
    tile_register below = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_lt");
    tile_register above = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_gt");
    tile_register own = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_eq");

    for (uint32_t r = 0; r < k->count; r++)
        k->rank[r] = tile_new(e, TILE_R32);
    if (k->mask_bytes && k->count > 1 && counts_all(k))
        rank_equal(k, row, done);
    for (uint32_t r = 0; r < k->count; r++) {
        tile_register peers, counter, word;
        if (k->none[r])
            continue;
        word = digit_in(k, r, row, k->word_bytes);
        find_peers(k, r, own, word, &peers, &counter);
        tile_register before = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", peers, below);
        before = tile_make(e, TILE_R32, "popc.b32 %R, %R", before);
        tile_register later = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", peers, above);
        tile_register last = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", later);
        tile_ins(e, "add.u32 %R, %R, %R", k->rank[r], counter, before);
        tile_register next[] = { tile_number32(e, 0),
                                 tile_make(e, TILE_R32, "add.u32 %R, %R, 1", k->rank[r]) };
        sync_warp(e); // all lanes have read
        tile_emit_store(e, "", "shared", CUC_U32, next + !k->mask_bytes, k->word_bytes / 4, word, 0,
                        tile_both(e, last, k->valid[r]));
        sync_warp(e);
    }
    tile_put_label(e, done);
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

// Replaces the words of all warps by the places of the warps' first elements, 4 bytes each, and
// writes the number of elements of each digit behind them. A thread takes `each` digits that are
// neighbors.
static bool place_warps(struct tile_ranks *k)
{
    struct tile_emitter *e = k->e;
    uint32_t threads = 32 * e->warps, each = k->digits > threads ? k->digits / threads : 1;
    uint32_t vector = each < MOST_IN_VECTOR ? each : MOST_IN_VECTOR, used = k->digits / each;
    uint32_t count = e->warps * each;
    tile_register counts = TILE_NO_REGISTER, all = TILE_NO_REGISTER;
    tile_register *first = tile_take(e->module, (size_t)count * sizeof(*first));
    tile_register *total = tile_take(e->module, each * sizeof(*total));
    tile_register own = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->tid,
                                  k->word_bytes * each, k->shared);

    if (!first || !total)
        return false;
    if (used < threads)
        counts = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", e->tid, used);
    for (uint32_t i = 0; i < count; i++) {
        first[i] = counts ? tile_number32(e, 0) : tile_new(e, TILE_R32);
        tile_emit_load(e, "", "shared", CUC_U32, &first[i], 1, own,
                       (int64_t)k->word_bytes * (i / each * k->digits + i % each) + k->mask_bytes,
                       counts);
    }
    for (uint32_t j = 0; j < each; j++) {
        total[j] = first[j];
        first[j] = all; // the thread's smaller digits
        for (uint32_t w = 1; w < e->warps; w++) {
            tile_register counter = first[w * each + j];
            first[w * each + j] = all ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", total[j], all)
                                      : total[j];
            total[j] = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", total[j], counter);
        }
        all = all ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", all, total[j]) : total[j];
    }
    tile_register before = sum_before(k, all, used, counts);
    own = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->tid, 4 * each, k->shared);
    for (uint32_t i = 0; i < count; i++)
        first[i] = first[i] ? tile_make(e, TILE_R32, "add.u32 %R, %R, %R", first[i], before)
                            : before;
    for (uint32_t i = 0; i < count; i += vector)
        tile_emit_store(e, "", "shared", CUC_U32, first + i, vector, own,
                        4 * ((int64_t)(i / each) * k->digits + i % each), counts);
    for (uint32_t j = 0; j < each; j += vector)
        tile_emit_store(e, "", "shared", CUC_U32, total + j, vector, own,
                        (int64_t)k->counts_at + 4 * j, counts);
    return true;
}

// Adds the place of the warp's first element with the digit.
static void find_places(struct tile_ranks *k, const struct tile_value *result)
{
    struct tile_emitter *e = k->e;
    const tile_register *out = tile_registers(e, result);
    tile_register none = tile_number32(e, -1), row = row_of(k, 4);

    for (uint32_t r = 0; out && r < k->count; r++) {
        tile_register first = tile_new(e, TILE_R32);
        if (k->none[r] || k->valid[r])
            tile_move(e, out[r], none);
        if (k->none[r])
            continue;
        tile_emit_load(e, "", "shared", CUC_U32, &first, 1, digit_in(k, r, row, 4), 0, k->valid[r]);
        guard(e, k->valid[r]);
        tile_ins(e, "add.u32 %R, %R, %R", out[r], k->rank[r], first);
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
    k.mask_bytes = (uint64_t)k.digits * e->warps * (MASK_BYTES + COUNTER_BYTES) + TOTALS_BYTES +
                               tile_shared_bytes(counts) <=
                           e->target->shared_limit
                       ? MASK_BYTES
                       : 0;
    k.word_bytes = k.mask_bytes + COUNTER_BYTES;
    k.totals_at = k.word_bytes * k.digits * e->warps;
    k.counts_at = k.totals_at + TOTALS_BYTES;
    uint32_t bytes = k.counts_at + tile_shared_bytes(counts);
    if (!tile_shared_fits(e, op, bytes))
        return false;
    k.shared = tile_scratch_beside(e, bytes, bytes, &at);
    tile_register row = row_of(&k, k.word_bytes);
    clear_row(&k, row);
    rank_warp(&k, row);
    tile_barrier(e);
    if (!place_warps(&k))
        return false;
    tile_barrier(e);
    const tile_register *number = tile_registers(e, counts);
    if (number)
        tile_read_shared(e, counts, number, k.shared, k.counts_at);
    find_places(&k, op->result[0]);
    return number && !e->failed;
}
