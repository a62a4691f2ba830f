// Copies operands of any address and pitch into the ring. The four warps of the copying warpgroup
// write them in the layout that TMA would write.
//
// Each thread copies 16-byte pieces, from the same rows in every stage. In global memory a piece
// straddles two 16-byte words. First, cp.async copies all words of a row to the warp's buffer. Then
// the warp reads both words of a piece, shifts them, and writes the piece to the stage. The buffer
// holds one stage. As soon as some of its words are shifted, the copies of the next stage's words
// start, so that one stage is always in flight without using registers.
//
// No byte past a row's end is read: cp.async fills the rest of the word with zeros. The word in
// which a row begins is read from its start. It lies in the same allocation as the row, because
// allocations begin at multiples of 16 bytes.
#include "ring.h"
#include "word_shift.h"

enum { WORD = TILE_WORD_BYTES };

// Returns the number of rounds in a group, whose words are copied and awaited together. A group has
// at most as many rounds as a row has pieces, so that one instruction can copy the last words of
// all its rows. The code loops over groups to stay short.
static uint32_t group_of(const struct tile_rounds *h)
{
    uint32_t each = 4;

    while (each > h->lanes || h->rounds % each)
        each--;
    return each == 1 && h->rounds <= h->lanes ? h->rounds : each;
}

// Returns the number of groups in a stage of a stream.
static uint32_t groups_of(const struct tile_stream *s)
{
    struct tile_rounds h = tile_rounds_of(s);

    return s->slabs * h.rounds / group_of(&h);
}

// A stream's registers that stay constant in this role.
struct line {
    tile_register row;         // the thread's row of the tile in the first round
    tile_register piece;       // the thread's piece of its row
    tile_register words, last; // addresses in the buffer of a round's first word and of a row's
                               // last word
    tile_register place;       // address of the piece in stage 0
    tile_register pitch;       // bytes between rows, 64 bits
    tile_register step;        // bytes between rounds, 64 bits
    tile_register row_at;      // bytes from the tile's first row to the thread's row, 64 bits
    tile_register last_at;     // bytes from the thread's first row to the row whose last word it
                               // copies
    tile_register shift;       // misalignment of the words in the buffer
};

struct tile_realign {
    struct line line[2];
    tile_register lane;         // predicate: this is a warp's first thread
    tile_register pending;      // predicate: the buffer holds the words of a stage
    tile_register stage, phase; // stage whose words are in the buffer, and its phase
};

// ---- The role's start

static const struct tile_emit_view *view_of(struct tile_emitter *e, const struct tile_stream *s)
{
    return &e->view[tile_streamed_tensor(s)->id];
}

static struct line open_line(struct tile_emitter *e, const struct tile_stream *s, uint32_t at)
{
    const struct tile_ring *r = e->ring;
    const struct tile_emit_view *view = view_of(e, s);
    struct tile_rounds h = tile_rounds_of(s);
    uint32_t line_bytes = (h.lanes + 1) * WORD;
    uint32_t buffer = TILE_RING_AT + r->plan->stages * r->plan->stage_bytes;
    struct line x;

    struct tile_piece own = tile_piece_of(e, s);
    x.piece = own.piece;
    x.row = own.row;
    x.place = own.place;
    x.words = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", own.warp,
                        h.bytes * h.rounds * s->slabs, r->base);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", x.words, own.line, line_bytes, x.words);
    x.last = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", x.piece, h.bytes, x.words);
    tile_ins(e, "add.u32 %R, %R, %u", x.last, x.last, buffer + at + h.lanes * WORD);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", x.words, x.piece, (unsigned)WORD, x.words);
    tile_ins(e, "add.u32 %R, %R, %u", x.words, x.words, buffer + at);

    tile_register stride = tile_size_register(e, &view->stride[s->other]);
    x.pitch = tile_scale(e, stride, s->element);
    x.step = tile_scale(e, x.pitch, h.step);
    tile_register row = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", x.row);
    x.row_at = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", x.pitch, row);
    tile_register piece = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", x.piece);
    x.last_at = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", x.step, piece);
    x.shift = tile_number32(e, 0);
    return x;
}

bool tile_open_realign(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    struct tile_realign *x = tile_take(e->module, sizeof(*x));
    struct tile_text *before = tile_into_prologue(e);
    uint32_t at = 0;

    r->realign = x;
    for (uint32_t i = 0; i < 2 && x; i++) {
        x->line[i] = open_line(e, &r->plan->stream[i], at);
        at += tile_rounds_of(&r->plan->stream[i]).buffer;
    }
    if (x) {
        x->lane = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", e->lane);
        x->pending = tile_make(e, TILE_PRED, "setp.ne.s32 %R, 0, 0");
        x->stage = tile_number32(e, 0);
        x->phase = tile_number32(e, 0);
    }
    e->text = before;
    return x;
}

// ---- From global memory to the buffer

// The position of a group in a stream.
struct cursor {
    // For the stage whose words are copied: addresses in global memory of the thread's first word
    // and of the last word of one of its rows, 64 bits. For each address, the number of rows from
    // there on, and the number of bytes from there to the row's end.
    tile_register at, last, rows, last_rows, bytes, last_bytes;
    tile_register shift; // misalignment of the stage's rows
    // Addresses of the same words in the buffer.
    tile_register words, last_words;
    // For the previous stage, whose pieces are written: the address of the first piece, and its
    // row.
    tile_register to, row;
};

static tile_register extent_of(struct tile_emitter *e, const struct tile_size *size)
{
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", tile_size_register(e, size));
}

// Returns the number of elements from `at` to the extent, at most `most`, or 0 if `at` is negative.
// Extents are at most 2^30.
static tile_register remaining(struct tile_emitter *e, tile_register at, tile_register extent,
                               uint32_t most)
{
    tile_register rest = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", extent, at);
    tile_register in = tile_make(e, TILE_PRED, "setp.ge.s32 %R, %R, 0", at);

    tile_ins(e, "min.s32 %R, %R, %u", rest, rest, most);
    tile_ins(e, "max.s32 %R, %R, 0", rest, rest);
    return tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", rest, in);
}

// Finds the words to copy for a stage.
static void find_words(struct tile_emitter *e, const struct tile_stream *s, const struct line *line,
                       struct cursor *c)
{
    const struct tile_emit_view *view = view_of(e, s);
    struct tile_place place = tile_place_of(e, s->load);
    uint32_t other = place.rank - 1 - s->other; // axes of extent 1 may follow the rows' axis
    tile_register row = place.at[other], column = place.at[0];
    struct tile_rounds h = tile_rounds_of(s);

    tile_register bytes = remaining(e, column, extent_of(e, &view->extent[place.rank - 1]),
                                    s->slabs * s->span / s->element);
    tile_register rows = remaining(e, row, extent_of(e, &view->extent[s->other]), s->rows);
    c->at = tile_make(e, TILE_R64, "mul.wide.s32 %R, %R, %u", column, s->element);
    c->at = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", c->at, view->base);
    c->at = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", c->at, line->row_at);
    for (uint32_t n = 1; n < place.rank; n++) {
        uint32_t axis = place.rank - 1 - n;
        tile_register index = tile_make(e, TILE_R64, "cvt.s64.s32 %R, %R", place.at[n]);
        if (n == other) {
            tile_ins(e, "mad.lo.s64 %R, %R, %R, %R", c->at, index, line->pitch, c->at);
            continue;
        }
        tile_register stride = tile_size_register(e, &view->stride[axis]);
        stride = tile_scale(e, stride, s->element);
        tile_ins(e, "mad.lo.s64 %R, %R, %R, %R", c->at, index, stride, c->at);
        tile_register in = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", place.at[n],
                                     extent_of(e, &view->extent[axis]));
        rows = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", rows, in);
    }
    c->shift = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", c->at);
    tile_ins(e, "and.b32 %R, %R, %u", c->shift, c->shift, WORD - 1u);
    tile_ins(e, "and.b64 %R, %R, %d", c->at, c->at, -WORD);
    c->last = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", c->at, line->last_at);
    c->rows = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", rows, line->row);
    // Count the misaligned bytes before a row's start too, unless the row has no bytes.
    tile_register some = tile_make(e, TILE_PRED, "setp.ne.s32 %R, %R, 0", bytes);
    bytes = tile_make(e, TILE_R32, "mad.lo.s32 %R, %R, %u, %R", bytes, s->element, c->shift);
    bytes = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, some);
    tile_register shifted = tile_make(e, TILE_PRED, "setp.ne.s32 %R, %R, 0", c->shift);
    c->last_bytes = tile_make(e, TILE_R32, "add.s32 %R, %R, %d", bytes, -(int)s->span);
    tile_ins(e, "selp.b32 %R, %R, 0, %R", c->last_bytes, c->last_bytes, shifted);
    c->bytes = tile_make(e, TILE_R32, "mad.lo.s32 %R, %R, %d, %R", line->piece, -WORD, bytes);
    c->last_rows =
        tile_make(e, TILE_R32, "mad.lo.s32 %R, %R, %d, %R", line->piece, -(int)h.step, c->rows);
    tile_ins(e, "add.s64 %R, %R, %u", c->last, c->last, s->span);
    tile_register piece =
        tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", line->piece, (unsigned)WORD);
    tile_ins(e, "add.s64 %R, %R, %R", c->at, c->at, piece);
}

// Returns how many bytes of a word exist, given the bytes left in the row.
static tile_register bytes_of_word(struct tile_emitter *e, tile_register bytes)
{
    tile_register size = tile_make(e, TILE_R32, "max.s32 %R, %R, 0", bytes);

    return tile_make(e, TILE_R32, "min.s32 %R, %R, %u", size, (unsigned)WORD);
}

// Starts the copies of a group's words.
static void copy_words(struct tile_emitter *e, const struct tile_rounds *h, const struct line *line,
                       const struct cursor *c)
{
    tile_register size = bytes_of_word(e, c->bytes), at = c->at;
    uint32_t rounds = group_of(h);

    for (uint32_t round = 0; round < rounds; round++) {
        if (round)
            at = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", at, line->step);
        tile_register in =
            tile_make(e, TILE_PRED, "setp.gt.s32 %R, %R, %u", c->rows, round * h->step);
        tile_register own = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", size, in);
        tile_ins(e, "cp.async.cg.shared.global [%R+%u], [%R], 16, %R", c->words, round * h->bytes,
                 at, own);
    }
    tile_register in = tile_make(e, TILE_PRED, "setp.gt.s32 %R, %R, 0", c->last_rows);
    size = bytes_of_word(e, c->last_bytes);
    size = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", size, in);
    if (rounds < h->lanes) {
        in = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", line->piece, rounds);
        tile_put(e->text, "\t@%s", tile_name(in));
    }
    tile_ins(e, "cp.async.cg.shared.global [%R], [%R], 16, %R", c->last_words, c->last, size);
    tile_ins(e, "cp.async.commit_group");
}

// ---- From the buffer to the stage

// Reads the two words of a piece, shifts them and writes the piece.
static void shift_piece(struct tile_emitter *e, const struct tile_stream *s,
                        const struct tile_word_shift *by, tile_register from, uint32_t from_at,
                        tile_register to, uint32_t to_at, tile_register in)
{
    bool rounds = tile_rounds_to_tf32(s);
    tile_register w[8];

    for (uint32_t i = 0; i < 8; i++)
        w[i] = tile_new(e, TILE_R32);
    for (uint32_t i = 0; i < 8; i += 4)
        tile_ins(e, "ld.shared.v4.b32 {%R, %R, %R, %R}, [%R+%u]", w[i], w[i + 1], w[i + 2],
                 w[i + 3], from, from_at + 4 * i);
    tile_shift_words(e, w, by);
    for (uint32_t i = 0; i < 4 && rounds; i++)
        w[i] = tile_make(e, TILE_R32, "cvt.rn.tf32.f32 %R, %R", w[i]);
    if (in)
        tile_put(e->text, "\t@%s", tile_name(in));
    tile_ins(e, "st.shared.v4.b32 [%R+%u], {%R, %R, %R, %R}", to, to_at, w[0], w[1], w[2], w[3]);
}

// Shifts the words of `each` rounds and writes their pieces.
static void shift_words(struct tile_emitter *e, const struct tile_stream *s,
                        const struct tile_rounds *h, const struct tile_word_shift *by,
                        const struct cursor *c, uint32_t each)
{
    for (uint32_t round = 0; round < each; round++) {
        tile_register in = TILE_NO_REGISTER;
        if (h->partial && s->rows > round * h->step)
            in = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c->row,
                           s->rows - round * h->step);
        shift_piece(e, s, by, c->words, round * h->bytes, c->to, round * h->step * s->span, in);
    }
}

// Returns the barrier of the stage whose words are in the buffer.
static tile_register pending_barrier(struct tile_emitter *e)
{
    const struct tile_ring *r = e->ring;

    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", r->realign->stage, r->base);
}

static void wait_for_stage(struct tile_emitter *e)
{
    tile_register before = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", e->ring->realign->phase);

    tile_emit_wait(e, pending_barrier(e), TILE_FREE_AT, before);
}

// Signals that the warp's part of a stage is written. The fence makes it visible to wgmma, which
// reads through the asynchronous proxy.
static void signal_stage(struct tile_emitter *e)
{
    tile_ins(e, "fence.proxy.async.shared::cta");
    tile_ins(e, "bar.warp.sync 0xffffffff");
    tile_register full = pending_barrier(e);
    tile_ins(e, "@%R mbarrier.arrive.shared::cta.b64 _, [%R]", e->ring->realign->lane, full);
}

// ---- Groups

static void add(struct tile_emitter *e, tile_register x, int bytes)
{
    const char *type = TILE_REGISTER_CLASS(x) == TILE_R64 ? "s64" : "s32";

    if (bytes)
        tile_ins(e, "add.%s %R, %R, %d", type, x, x, bytes);
}

// Moves a cursor past `each` rounds of a slab. `copies`: words are also copied.
static void pass_rounds(struct tile_emitter *e, const struct tile_stream *s,
                        const struct line *line, const struct cursor *c, uint32_t each, bool copies)
{
    struct tile_rounds h = tile_rounds_of(s);
    int lines = (int)(each * h.step);

    add(e, c->words, (int)(each * h.bytes));
    add(e, c->last_words, (int)(each * h.bytes));
    add(e, c->to, lines * (int)s->span);
    add(e, c->row, lines);
    if (!copies || each == h.rounds)
        return;
    add(e, c->rows, -lines);
    add(e, c->last_rows, -lines);
    tile_register step = tile_scale(e, line->step, each);
    tile_ins(e, "add.s64 %R, %R, %R", c->at, c->at, step);
    tile_ins(e, "add.s64 %R, %R, %R", c->last, c->last, step);
}

// Moves a cursor from the end of a slab to the next slab.
static void pass_slab(struct tile_emitter *e, const struct tile_stream *s, const struct line *line,
                      const struct cursor *c, bool copies)
{
    struct tile_rounds h = tile_rounds_of(s);
    int lines = (int)(h.rounds * h.step);

    add(e, c->to, (int)(s->span * s->rows) - lines * (int)s->span);
    add(e, c->row, -lines);
    if (!copies)
        return;
    add(e, c->bytes, -(int)s->span);
    add(e, c->last_bytes, -(int)s->span);
    add(e, c->at, (int)s->span);
    add(e, c->last, (int)s->span);
    if (group_of(&h) == h.rounds)
        return;
    add(e, c->rows, lines);
    add(e, c->last_rows, lines);
    tile_register all = tile_scale(e, line->step, h.rounds);
    tile_ins(e, "sub.s64 %R, %R, %R", c->at, c->at, all);
    tile_ins(e, "sub.s64 %R, %R, %R", c->last, c->last, all);
}

// A loop with a constant trip count. A count of one emits no loop.
struct turns {
    tile_register left;
    uint32_t top, count;
};

static struct turns begin_turns(struct tile_emitter *e, uint32_t count)
{
    struct turns x = { .count = count };

    if (count > 1) {
        x.left = tile_number32(e, (int32_t)count);
        x.top = tile_label(e);
        tile_put_label(e, x.top);
    }
    return x;
}

static void end_turns(struct tile_emitter *e, const struct turns *x)
{
    if (x->count < 2)
        return;
    tile_ins(e, "sub.u32 %R, %R, 1", x->left, x->left);
    tile_register more = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", x->left);
    tile_branch(e, more, false, x->top);
}

// Shifts the words of a stream's stage. With `copies`, also replaces them with the next stage's
// words, whose position is in `c`. `waits`: number of groups that may stay in flight while one is
// shifted.
static void emit_stream(struct tile_emitter *e, const struct tile_stream *s,
                        const struct line *line, struct cursor *c, uint32_t waits, bool copies)
{
    struct tile_realign *x = e->ring->realign;
    struct tile_rounds h = tile_rounds_of(s);
    struct tile_word_shift by = tile_find_word_shift(e, line->shift, s->element);

    c->words = tile_make(e, TILE_R32, "mov.b32 %R, %R", line->words);
    c->last_words = tile_make(e, TILE_R32, "mov.b32 %R, %R", line->last);
    c->to = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", x->stage,
                      e->ring->plan->stage_bytes, line->place);
    c->row = tile_make(e, TILE_R32, "mov.b32 %R, %R", line->row);
    uint32_t each = copies ? group_of(&h) : 1; // the tile loop's last stage need not be fast, so
                                               // keep its code short
    struct turns slabs = begin_turns(e, s->slabs);
    struct turns groups = begin_turns(e, h.rounds / each);
    uint32_t none = tile_label(e);
    if (copies)
        tile_branch(e, x->pending, true, none);
    tile_ins(e, "cp.async.wait_group %u", waits);
    tile_ins(e, "bar.warp.sync 0xffffffff");
    shift_words(e, s, &h, &by, c, each);
    if (copies) {
        tile_ins(e, "bar.warp.sync 0xffffffff");
        tile_put_label(e, none);
        copy_words(e, &h, line, c);
    }
    pass_rounds(e, s, line, c, each, copies);
    end_turns(e, &groups);
    pass_slab(e, s, line, c, copies);
    end_turns(e, &slabs);
}

// ---- Stages

void tile_emit_realigned(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    struct tile_realign *x = r->realign;
    const struct tile_stream *s = r->plan->stream;
    uint32_t waits = groups_of(&s[0]) + groups_of(&s[1]) - 1;
    uint32_t first = tile_label(e), none = tile_label(e);
    struct cursor c[2];

    for (uint32_t i = 0; i < 2; i++)
        find_words(e, &s[i], &x->line[i], &c[i]);
    tile_branch(e, x->pending, true, first);
    wait_for_stage(e);
    tile_put_label(e, first);
    for (uint32_t i = 0; i < 2; i++)
        emit_stream(e, &s[i], &x->line[i], &c[i], waits, true);
    tile_branch(e, x->pending, true, none);
    signal_stage(e);
    tile_put_label(e, none);
    tile_ins(e, "setp.eq.s32 %R, 0, 0", x->pending);
    tile_move(e, x->stage, r->stage);
    tile_move(e, x->phase, r->phase);
    for (uint32_t i = 0; i < 2; i++)
        tile_move(e, x->line[i].shift, c[i].shift);
}

void tile_close_realign(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    struct tile_realign *x = r->realign;
    uint32_t none = tile_label(e);
    struct cursor c;

    tile_branch(e, x->pending, true, none);
    wait_for_stage(e);
    for (uint32_t i = 0; i < 2; i++)
        emit_stream(e, &r->plan->stream[i], &x->line[i], &c, 0, false);
    signal_stage(e);
    tile_put_label(e, none);
}
