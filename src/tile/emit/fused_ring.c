// Rings in shared memory for the operands of a fused loop: the copying thread fills their stages,
// and warpgroups multiply from them or read them into registers.
#include "fused_ring.h"

static uint32_t number_of(const struct tile_fused *p, const struct tile_feed *feed)
{
    return (uint32_t)(feed - p->feed);
}

// ---- Rings

void tile_next_stage(struct tile_emitter *e, const struct tile_ring_position *position)
{
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, 1", position->stage, position->stage);
    tile_ins(e, "setp.eq.u32 %R, %R, %u", wraps, position->stage, (unsigned)e->ring->plan->stages);
    tile_ins(e, "@%R mov.u32 %R, 0", wraps, position->stage);
    tile_ins(e, "@%R xor.b32 %R, %R, 1", wraps, position->phase, position->phase);
}

// Returns the barrier of a feed's stage. `position` is ignored for a held feed, which is loaded
// once per tile.
tile_register tile_feed_barrier(struct tile_emitter *e, const struct tile_feed *feed,
                                const struct tile_ring_position *position)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t first = number_of(r->plan, feed) * r->plan->base.stages * TILE_FEED_BARRIER_BYTES;
    tile_register at = r->ring.base;

    if (!feed->held)
        at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", position->stage,
                       (unsigned)TILE_FEED_BARRIER_BYTES, at);
    return first ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", at, first) : at;
}

void tile_wait_for_feed(struct tile_emitter *e, const struct tile_feed *feed,
                        const struct tile_ring_position *position)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;

    tile_emit_wait(e, tile_feed_barrier(e, feed, position), 0,
                   feed->held ? tile_fused_ring_of(e)->held_phase : position->phase);
    // wgmma reads, through the asynchronous proxy, data that threads wrote.
    if (feed->stream.by_threads && tile_is_multiplied(p, feed))
        tile_ins(e, "fence.proxy.async.shared::cta");
}

void tile_release_feed(struct tile_emitter *e, const struct tile_feed *feed,
                       const struct tile_ring_position *position)
{
    tile_register at = tile_feed_barrier(e, feed, position);

    tile_ins(e, "@!%R mbarrier.arrive.shared::cta.b64 _, [%R+%u]", e->ring->not_first, at,
             (unsigned)TILE_FEED_FREE_AT);
}

// ---- The copying thread

// Copies a slice's part of a feed's stage. The first slice waits until the stage is free.
void tile_copy_feed(struct tile_emitter *e, const struct tile_feed *feed, uint32_t slice)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_stream *s = &feed->stream;
    tile_register full = tile_feed_barrier(e, feed, &r->position);
    tile_register before =
        tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", feed->held ? r->held_phase : r->position.phase);
    uint32_t slices = feed->held ? 1 : tile_slices(&r->plan->base);

    if (!slice)
        tile_emit_wait(e, full, TILE_FEED_FREE_AT, before);
    if (s->by_threads) {
        tile_gather_rows(e, s, feed->held ? TILE_NO_REGISTER : r->position.stage, s->bytes * slices,
                         slice * s->bytes);
        if (slice + 1 == slices)
            tile_ins(e, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%R]", full);
        return;
    }
    tile_register to = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.base,
                                 (unsigned)TILE_RING_AT + s->at + slice * s->bytes);
    if (!feed->held)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", to, r->position.stage, s->bytes * slices, to);
    if (!slice)
        tile_expect(e, full, slices * s->span * s->rows * s->slabs);
    tile_emit_copy(e, s, to, full);
}

bool tile_emit_wanted(struct tile_emitter *e, const struct tile_block *block)
{
    struct tile_fused *p = tile_fused_ring_of(e)->plan;

    for (const struct tile_op *op = block->first; op; op = op->next) {
        tile_find_rows(e, op);
        if (op == p->base.loop)
            break;
        bool wanted = op->result_count == 1 && p->base.wanted[op->result[0]->id];
        if (block == &e->kernel->body && p->base.before)
            wanted |= tile_can_know(&p->base, op);
        if (wanted && !tile_feed_of(p, op) && !tile_emit_next(e, op))
            return false;
    }
    return true;
}

// ---- Tiles that are read into registers

// Returns an element's offset in its slab, which has rows of `span` bytes. The low bits of the row
// permute the row's 16-byte pieces. The map is linear: the offset of the XOR of two coordinates is
// the XOR of their offsets.
static uint32_t place_in_slab(const struct tile_stream *s, uint32_t row, uint32_t column)
{
    uint32_t bits = s->span == 128 ? row & 7 : s->span == 64 ? row >> 1 & 3 : row >> 2 & 1;

    return row * s->span ^ bits << 4 ^ column * s->element % s->span;
}

// Returns the offset of the slab that holds a column.
static uint32_t slab_of(const struct tile_stream *s, uint32_t column)
{
    return column * s->element / s->span * s->span * s->rows;
}

// The thread's contribution to its elements' offsets: `in_slab` is the offset in a slab and has
// only bits of `mask`; `slab` is the offset of the slab.
struct thread_place {
    tile_register in_slab, slab;
    uint32_t mask;
};

// `apart`: bits of the thread number to ignore.
static struct thread_place thread_in_slab(struct tile_emitter *e, const struct tile_stream *s,
                                          uint32_t apart)
{
    const struct tile_layout *layout = s->load->result[0]->layout;
    struct thread_place sum = { tile_number32(e, 0), TILE_NO_REGISTER, 0 };

    for (uint32_t bit = 0; bit < TILE_LANE_BITS + (uint32_t)layout->warp_bits; bit++) {
        uint32_t one = UINT32_C(1) << (layout->register_bits + bit);
        if (apart >> bit & 1)
            continue;
        uint32_t column = tile_axis_coordinate(layout, one, 1), slab = slab_of(s, column);
        uint32_t place = place_in_slab(s, tile_axis_coordinate(layout, one, 0), column);
        tile_register mine = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", e->tid, bit);
        tile_register part = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", mine, place);
        sum.in_slab = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", sum.in_slab, part);
        sum.mask |= place;
        if (!slab)
            continue;
        if (!sum.slab)
            sum.slab = tile_number32(e, 0);
        sum.slab = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", mine, slab, sum.slab);
    }
    return sum;
}

// Start addresses in a stage. An element's offset bits that the thread's offset also uses are XORed
// into that offset, and each combination of such bits has its own start address. The other offset
// bits become an immediate.
enum { MOST_STARTS = 16 };

struct start {
    uint32_t bits;
    tile_register at;
};

static tile_register start_of(struct tile_emitter *e, const struct thread_place *mine,
                              tile_register stage, uint32_t bits, struct start *starts)
{
    uint32_t i = 0;

    while (i + 1 < MOST_STARTS && starts[i].at && starts[i].bits != bits)
        i++;
    if (starts[i].at && starts[i].bits == bits)
        return starts[i].at;
    tile_register at = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", mine->in_slab, bits);
    starts[i] = (struct start){ bits, tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, stage) };
    return starts[i].at;
}

uint32_t tile_feed_run(const struct tile_stream *s)
{
    const struct tile_layout *layout = s->load->result[0]->layout;
    uint32_t run = 1;

    for (uint32_t i = 0; i < layout->register_bits && layout->basis[i] == run; i++)
        if (2 * run * s->element <= 16)
            run *= 2;
    return run;
}

// Words that four lanes share, one byte each. Reading whole words takes a quarter of the loads, or
// a sixteenth in vectors of four words.
struct shared_words {
    uint32_t lanes;      // the two lane-number bits that select the byte; 0 if no words are shared
    uint32_t vector;     // number of words per read
    tile_register byte;  // prmt selector for the lane's byte, as a 32-bit number
    tile_register twice; // prmt selector for the lane's byte in both halves of a word
};

// Returns the lane bit that flips only the given power of two of the column, or UINT32_MAX.
static uint32_t lane_of_column(const struct tile_layout *layout, uint32_t column)
{
    for (uint32_t bit = 0; bit < TILE_LANE_BITS; bit++)
        if (layout->basis[layout->register_bits + bit] == column)
            return bit;
    return UINT32_MAX;
}

static bool has_register_of(const struct tile_layout *layout, uint32_t column)
{
    for (uint32_t bit = 0; bit < layout->register_bits; bit++)
        if (layout->basis[bit] == column)
            return true;
    return false;
}

static struct shared_words find_shared_words(struct tile_emitter *e, const struct tile_stream *s)
{
    const struct tile_value *value = s->load->result[0];
    uint32_t low = lane_of_column(value->layout, 1), high = lane_of_column(value->layout, 2);
    struct shared_words words = { .vector = 1 };

    if (s->element != 1 || low == UINT32_MAX || high == UINT32_MAX ||
        !tile_is_integer(value->type.dtype))
        return words;
    words.lanes = UINT32_C(1) << low | UINT32_C(1) << high;
    while (words.vector < 4 && has_register_of(value->layout, 4 * words.vector))
        words.vector *= 2;
    tile_register own = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", e->lane, low);
    tile_register more = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", e->lane, high);
    own = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 2, %R", more, own);
    // Zero-extend the byte, or sign-extend it.
    bool negative = tile_is_signed(value->type.dtype);
    words.byte = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 0x%x, 0x%x", own,
                           UINT64_C(0) + (negative ? 0x1111 : 1),
                           UINT64_C(0) + (negative ? 0x8880 : 0x4440));
    words.twice = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 0x101, 0x4040", own);
    return words;
}

// Words already read from a stage.
struct read_words {
    uint32_t row, column;
    tile_register word[4];
};

// Returns a predicate: the thread's element with these coordinates of a register is no padding.
// TILE_NO_REGISTER if that holds for all threads. Padding lies past the tile, or in the next one.
static tile_register is_inside(struct tile_emitter *e, const struct tile_stream *s, uint32_t row,
                               uint32_t column)
{
    const struct tile_layout *layout = s->load->result[0]->layout;
    const uint32_t at[] = { row, column }, end[] = { s->rows, s->slabs * s->span / s->element };
    tile_register inside = TILE_NO_REGISTER;

    for (uint32_t axis = 0; axis < 2; axis++) {
        if (at[axis] + tile_thread_mask(layout, axis) < end[axis])
            continue;
        tile_register own = tile_thread_coordinate(e, layout, axis);
        tile_register is_before =
            tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", own, end[axis] - at[axis]);
        inside = inside ? tile_make(e, TILE_PRED, "and.pred %R, %R, %R", inside, is_before)
                        : is_before;
    }
    return inside;
}

// Extracts a register's byte from the word that holds it. Reads the word and its neighbors first,
// unless they have been read.
static void read_byte(struct tile_emitter *e, const struct tile_stream *s,
                      const struct shared_words *shared, struct read_words *read,
                      const struct thread_place *mine, tile_register stage, struct start *starts,
                      uint32_t row, uint32_t column, tile_register to, tile_register *twice)
{
    uint32_t first = column & ~(4 * shared->vector - 1), place = place_in_slab(s, row, first);

    while (read->word[0] && (read->row != row || read->column != first))
        read++;
    if (!read->word[0]) {
        *read = (struct read_words){ .row = row, .column = first };
        for (uint32_t i = 0; i < shared->vector; i++)
            read->word[i] = tile_new(e, TILE_R32);
        tile_emit_load(e, "", "shared", CUC_U32, read->word, shared->vector,
                       start_of(e, mine, stage, place & mine->mask, starts),
                       (int64_t)TILE_RING_AT + s->at + slab_of(s, first) + (place & ~mine->mask),
                       is_inside(e, s, row, first));
    }
    tile_register word = read->word[(column - first) / 4];
    tile_ins(e, "prmt.b32 %R, %R, 0, %R", to, word, shared->byte);
    if (twice) // without a use, the assembler drops it
        *twice = tile_make(e, TILE_R32, "prmt.b32 %R, %R, 0, %R", word, shared->twice);
}

// Returns a place for registers with each byte of a tile twice, or NULL if it has no use.
static tile_register *open_twice(struct tile_emitter *e, const struct tile_value *value)
{
    if (value->type.dtype != CUC_U8)
        return NULL;
    if (!e->twice)
        e->twice = tile_take(e->module, (e->kernel->value_count + 1) * sizeof(*e->twice));
    if (!e->twice)
        return NULL;
    return e->twice[value->id] =
               tile_take(e->module, tile_register_count(value) * sizeof(**e->twice));
}

// Reads a feed's tile into registers. All threads of a warp must have read their elements before
// the warp releases the stage.
bool tile_read_feed(struct tile_emitter *e, const struct tile_feed *feed)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    struct tile_stream own = feed->stream, *s = &own;
    const struct tile_value *value = feed->reader->result[0];
    tile_register *reg = tile_registers(e, value);
    struct tile_text *before = tile_into_prologue(e);
    own.load = feed->reader;
    struct shared_words shared = find_shared_words(e, s);
    struct thread_place mine = thread_in_slab(e, s, shared.lanes);
    uint32_t run = tile_feed_run(s);
    struct read_words *read =
        tile_take(e->module, (tile_register_count(value) + 1) * sizeof(*read));
    e->text = before;

    tile_register *twice = shared.lanes ? open_twice(e, value) : NULL;
    if (!reg || !read)
        return false;
    tile_wait_for_feed(e, feed, &r->position);
    uint32_t slices = tile_slices(&r->plan->base);
    tile_register stage = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->position.stage,
                                    s->bytes * slices, r->ring.base);
    if (slices > 1)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", stage, r->ring.group, s->bytes, stage);
    struct start starts[MOST_STARTS] = { { 0 } };
    if (mine.slab)
        stage = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", stage, mine.slab);
    for (uint32_t i = 0; i < tile_register_count(value); i += run) {
        uint32_t row = tile_register_coordinate(value->layout, i, 0);
        uint32_t column = tile_register_coordinate(value->layout, i, 1);
        if (row >= s->rows || column >= s->slabs * s->span / s->element)
            continue; // padding
        if (shared.lanes) {
            read_byte(e, s, &shared, read, &mine, stage, starts, row, column, reg[i],
                      twice ? twice + i : NULL);
            continue;
        }
        uint32_t place = place_in_slab(s, row, column);
        tile_emit_load(e, "", "shared", value->type.dtype, reg + i, run,
                       start_of(e, &mine, stage, place & mine.mask, starts),
                       (int64_t)TILE_RING_AT + s->at + slab_of(s, column) + (place & ~mine.mask),
                       is_inside(e, s, row, column));
    }
    tile_ins(e, "bar.warp.sync 0xffffffff");
    tile_register free = tile_feed_barrier(e, feed, &r->position);
    tile_ins(e, "@!%R mbarrier.arrive.shared::cta.b64 _, [%R+%u]", r->not_first_lane, free,
             (unsigned)TILE_FEED_FREE_AT);
    return !e->failed;
}

// ---- Tiles that warpgroups compute

// Returns the address in stage 0 at which this lane's part of a warp's first two 8 x 8 matrices
// begins. If warpgroups divide the tile's columns, each has `own` bytes of a row.
static tile_register matrices_in_stage(struct tile_emitter *e, const struct tile_feed *feed,
                                       uint32_t own)
{
    const struct tile_stream *s = &feed->stream;
    struct tile_text *before = tile_into_prologue(e);
    tile_register line = tile_make(e, TILE_R32, "and.b32 %R, %R, 15", e->lane);
    tile_register piece = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane), warp = e->warp;

    if (feed->by_columns)
        warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", warp);
    line = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 16, %R", warp, line);
    tile_register bits = s->span == 128
                             ? tile_make(e, TILE_R32, "and.b32 %R, %R, 7", line)
                             : tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, %u", line,
                                         s->span == 64 ? 1u : 2u, s->span == 64 ? 2u : 1u);
    piece = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", piece, bits);
    piece = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", piece);
    tile_register at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", line, s->span, piece);
    if (feed->by_columns && own < s->span) // a power of two
        at = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", at,
                       tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", e->ring->group, own));
    else if (feed->by_columns)
        at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->ring->group, own * s->rows, at);
    at = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, e->ring->base);
    e->text = before;
    return at;
}

bool tile_write_feed(struct tile_emitter *e, const struct tile_feed *feed,
                     const struct tile_ring_position *position)
{
    const struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_stream *s = &feed->stream;
    const struct tile_value *value = feed->computed;
    const tile_register *reg = tile_registers(e, value);
    uint32_t groups = r->plan->base.groups, columns = (uint32_t)value->type.extent[1];
    uint32_t blocks = feed->by_columns ? 1 : s->rows / (64 * groups);
    columns /= feed->by_columns ? groups : 1;
    uint32_t each = 1u << (tile_bits_of((int32_t)columns) - 1); // registers of 64 rows
    tile_register at = matrices_in_stage(e, feed, columns * s->element);
    tile_register full = tile_feed_barrier(e, feed, position);

    if (!reg)
        return false;
    tile_emit_wait(e, full, TILE_FEED_FREE_AT,
                   tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", position->phase));
    tile_register stage =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", position->stage, s->bytes, at);
    for (uint32_t column = 0; column < columns; column += 16) {
        tile_register to = stage;
        uint32_t place = column * s->element % s->span;
        if (place)
            to = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", stage, place);
        for (uint32_t block = 0; block < blocks; block++)
            tile_store_matrices(e, reg + block * each + column / 2, 2, "", to,
                                (unsigned)TILE_RING_AT + s->at +
                                    column * s->element / s->span * s->span * s->rows +
                                    block * groups * 64 * s->span);
    }
    tile_ins(e, "fence.proxy.async.shared::cta");
    tile_ins(e, "bar.warp.sync 0xffffffff");
    tile_ins(e, "@!%R mbarrier.arrive.shared::cta.b64 _, [%R]", r->not_first_lane, full);
    return !e->failed;
}
