// A loop whose threads copy operands of its products to shared memory by themselves, some stages
// ahead of what they multiply (pass/ahead.c).
//
// Each thread copies pieces of 16 bytes, always the same of each stage. Where a tile lies inside of
// its tensor as a whole they are copied without a look; else each is told how many bytes of it
// there are, and the rest of it becomes zeros.
#include "async.h"

enum { PIECE_BYTES = 16 };

static tile_register plus64(struct tile_emitter *e, tile_register x, tile_register y)
{
    return tile_make(e, TILE_R64, "add.s64 %R, %R, %R", x, y);
}

// Some elements along an axis in bytes.
static tile_register distance(struct tile_emitter *e, const struct tile_copier *c, uint32_t axis,
                              tile_register elements)
{
    const struct tile_size *stride = &c->view->stride[axis];
    uint32_t bytes = c->stream->element;

    if (!stride->reg)
        return tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %l", elements,
                         stride->value * (int64_t)bytes);
    tile_register x = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %R", elements, stride->reg);
    return tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %u", x, bytes);
}

static void open_copier(struct tile_emitter *e, struct tile_copier *c,
                        const struct tile_ahead_stream *s, tile_register shared)
{
    const struct tile_attribute *shape = tile_attribute(s->load, TILE_ATTR_SHAPE);
    uint32_t bits = 0, threads = 32 * e->warps;

    c->stream = s;
    c->view = &e->view[s->load->operand[0]->id];
    c->pieces = (uint32_t)shape->ints[s->last] * s->element / PIECE_BYTES;
    c->lines = threads / c->pieces;
    c->turns = (s->lines + c->lines - 1) / c->lines;
    while (UINT32_C(1) << bits < c->pieces)
        bits++;
    c->piece = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, c->pieces - 1);
    c->line = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", e->tid, bits);
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c->line);
    tile_register along =
        tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", c->piece, (unsigned)PIECE_BYTES);
    c->from = plus64(e, distance(e, c, s->other, wide), along);
    c->step = distance(e, c, s->other, tile_number64(e, c->lines));
    c->to = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", c->line, s->pitch, shared);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", c->to, c->piece, (unsigned)PIECE_BYTES, c->to);
}

// An index as the coordinate of the tile's first element: far outside stays far outside.
static tile_register first_of(struct tile_emitter *e, const struct tile_value *index,
                              int64_t extent)
{
    const int64_t most = INT64_C(1) << 38;
    tile_register x =
        tile_emit_cast(e, CUC_I64, index->type.dtype, TILE_RN, tile_registers(e, index)[0]);

    if (index->type.dtype == CUC_U64)
        x = tile_make(e, TILE_R64, "min.u64 %R, %R, %l", x, most);
    x = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", x, most);
    x = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, -most);
    return extent == 1 ? x : tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %l", x, extent);
}

// 32 bits of a number of elements, no more than a tile can have of them.
static tile_register cut(struct tile_emitter *e, tile_register x)
{
    x = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", x, INT64_C(1) << 24);
    x = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, -(INT64_C(1) << 24));
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
}

static void copy_pieces(struct tile_emitter *e, const struct tile_copier *c, tile_register from,
                        tile_register to)
{
    const struct tile_ahead_stream *s = c->stream;

    for (uint32_t turn = 0; turn < c->turns; turn++) {
        if (turn)
            from = plus64(e, from, c->step);
        if ((turn + 1) * c->lines > s->lines) {
            tile_register inside = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c->line,
                                             s->lines - turn * c->lines);
            tile_put(e->text, "\t@%s", tile_name(inside));
        }
        tile_ins(e, "cp.async.cg.shared.global.L2::128B [%R+%u], [%R], 16", to,
                 s->at + turn * c->lines * s->pitch, from);
    }
}

// A piece of which only some elements are there: these are read one by one, and nothing beside
// them, which may be nobody's memory. `bytes` of it, more than 0 and less than 16.
static void copy_rest(struct tile_emitter *e, const struct tile_copier *c, tile_register from,
                      tile_register to, tile_register bytes)
{
    static const char *const types[] = { "", "u8", "u16", "", "b32" };
    uint32_t size = c->stream->element;
    tile_register word[PIECE_BYTES / 4];

    for (uint32_t i = 0; i < PIECE_BYTES / 4; i++)
        word[i] = tile_number32(e, 0);
    for (uint32_t at = 0; at < PIECE_BYTES; at += size) {
        tile_register one = tile_number32(e, 0);
        tile_register there = tile_make(e, TILE_PRED, "setp.gt.s32 %R, %R, %u", bytes, at);
        tile_put(e->text, "\t@%s", tile_name(there));
        tile_ins(e, "ld.global.%s %R, [%R+%u]", types[size], one, from, at);
        if (at % 4)
            one = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", one, at % 4 * 8);
        tile_ins(e, "or.b32 %R, %R, %R", word[at / 4], word[at / 4], one);
    }
    tile_ins(e, "st.shared.v4.b32 [%R+%u], {%R, %R, %R, %R}", to, c->stream->at, word[0], word[1],
             word[2], word[3]);
}

// At the edge of a tensor, which few tiles are at, in a loop: of the first `rows` lines `bytes` of
// the thread's piece, which may be negative, are there.
static void copy_edge(struct tile_emitter *e, const struct tile_copier *c, tile_register from,
                      tile_register to, tile_register rows, tile_register bytes)
{
    const struct tile_ahead_stream *s = c->stream;
    uint32_t again = tile_label(e), whole = tile_label(e), next = tile_label(e);
    tile_register line = tile_make(e, TILE_R32, "mov.b32 %R, %R", c->line);
    tile_register at = tile_make(e, TILE_R64, "mov.b64 %R, %R", from);
    tile_register place = tile_make(e, TILE_R32, "mov.b32 %R, %R", to);
    tile_register p = tile_new(e, TILE_PRED), some = tile_new(e, TILE_PRED);

    tile_put_label(e, again);
    tile_ins(e, "setp.ge.u32 %R, %R, %u", p, line, s->lines);
    tile_branch(e, p, false, next);
    tile_ins(e, "setp.lt.s32 %R, %R, %R", p, line, rows);
    tile_register size = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, p);
    tile_ins(e, "setp.gt.s32 %R, %R, 0", p, size);
    tile_ins(e, "setp.lt.and.s32 %R, %R, %u, %R", some, size, (unsigned)PIECE_BYTES, p);
    tile_branch(e, some, true, whole);
    copy_rest(e, c, at, place, size);
    // With the rest of a piece done, an empty one would write over it.
    uint32_t done = tile_label(e);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, whole);
    // Nothing is read from anywhere where there is nothing, but the address must be a multiple
    // of 16.
    tile_register valid = tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", at, c->view->base, p);
    tile_ins(e, "cp.async.cg.shared.global [%R+%u], [%R], 16, %R", place, s->at, valid, size);
    tile_put_label(e, done);
    tile_ins(e, "add.u32 %R, %R, %u", line, line, c->lines);
    tile_ins(e, "add.s64 %R, %R, %R", at, at, c->step);
    tile_ins(e, "add.u32 %R, %R, %u", place, place, c->lines * s->pitch);
    tile_branch(e, TILE_NO_REGISTER, false, again);
    tile_put_label(e, next);
}

static void copy(struct tile_emitter *e, const struct tile_copier *c, tile_register stage)
{
    const struct tile_op *load = c->stream->load;
    const struct tile_attribute *shape = tile_attribute(load, TILE_ATTR_SHAPE);
    tile_register origin = c->view->base, whole = TILE_NO_REGISTER, first[TILE_MAX_RANK];
    uint32_t edge = tile_label(e), done = tile_label(e);

    for (uint32_t axis = 0; axis < shape->count; axis++) {
        int64_t extent = shape->ints[axis];
        first[axis] = first_of(e, load->operand[1 + axis], extent);
        origin = plus64(e, origin, distance(e, c, axis, first[axis]));
        tile_register size = tile_size_register(e, &c->view->extent[axis]);
        tile_register end = tile_make(e, TILE_R64, "add.s64 %R, %R, %l", first[axis], extent);
        tile_register p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", first[axis]);
        tile_register q = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.le.and.s64 %R, %R, %R, %R", q, end, size, p);
        whole = tile_both(e, whole, q);
    }
    tile_register from = plus64(e, origin, c->from);
    tile_register to = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", c->to, stage);
    tile_branch(e, whole, true, edge);
    copy_pieces(e, c, from, to);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, edge);

    // Lines that there are, and bytes of the thread's piece of each: none where an index is below
    // 0, or one of an axis that the tile does not have is outside.
    const struct tile_ahead_stream *s = c->stream;
    tile_register left[2];
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t axis = i ? s->last : s->other;
        tile_register size = tile_size_register(e, &c->view->extent[axis]);
        left[i] = cut(e, tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", size, first[axis]));
    }
    tile_register bytes = tile_make(e, TILE_R32, "mul.lo.s32 %R, %R, %u", left[1], s->element);
    tile_register before =
        tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", c->piece, (unsigned)PIECE_BYTES);
    bytes = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", bytes, before);
    bytes = tile_make(e, TILE_R32, "min.s32 %R, %R, %u", bytes, (unsigned)PIECE_BYTES);
    bytes = tile_make(e, TILE_R32, "max.s32 %R, %R, 0", bytes);
    for (uint32_t axis = 0; axis < shape->count; axis++) {
        tile_register p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", first[axis]);
        if (axis != s->last && axis != s->other) {
            tile_register q = tile_new(e, TILE_PRED);
            tile_ins(e, "setp.lt.and.s64 %R, %R, %R, %R", q, first[axis],
                     tile_size_register(e, &c->view->extent[axis]), p);
            p = q;
        }
        bytes = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, p);
    }
    copy_edge(e, c, from, to, left[0], bytes);
    tile_put_label(e, done);
}

// ---- The loop

// What the places of loads are made of is computed apart for the copies, from a variable of their
// own.
static bool compute_places(struct tile_emitter *e)
{
    struct tile_ring_ahead *r = e->ring_ahead;
    const struct tile_block *body = r->plan->loop->block[0];
    uint32_t variable = body->argument[0]->id, count = e->kernel->value_count + 1, copied = 0;
    tile_register **kept = tile_take(e->module, count * sizeof(*kept));
    tile_register *own = tile_take(e->module, sizeof(*own));

    if (!kept || !own)
        return false;
    for (uint32_t i = 0; i < count; i++)
        kept[i] = e->value[i];
    *own = r->variable;
    e->value[variable] = own;
    for (const struct tile_op *op = body->first; op; op = op->next)
        if (op->result_count == 1 && r->plan->wanted[op->result[0]->id]) {
            e->value[op->result[0]->id] = NULL;
            if (!tile_emit_one(e, op))
                return false;
        }
    for (; copied < r->plan->streams && !e->failed; copied++)
        copy(e, &r->copier[copied], r->ahead);
    e->value[variable] = kept[variable];
    for (const struct tile_op *op = body->first; op; op = op->next)
        if (op->result_count == 1 && r->plan->wanted[op->result[0]->id])
            e->value[op->result[0]->id] = kept[op->result[0]->id];
    return !e->failed;
}

static void next_stage(struct tile_emitter *e, tile_register stage)
{
    const struct tile_ahead *plan = e->ring_ahead->plan;
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, %u", stage, stage, plan->stage_bytes);
    tile_ins(e, "setp.eq.u32 %R, %R, %u", wraps, stage, plan->stages * plan->stage_bytes);
    tile_put(e->text, "\t@%s mov.u32 %s, 0;\n", tile_name(wraps), tile_name(stage));
}

// What a stage holds, when there is one more; to the next one.
static void copy_stage(struct tile_emitter *e)
{
    struct tile_ring_ahead *r = e->ring_ahead;
    uint32_t none = tile_label(e);
    tile_register left = tile_new(e, TILE_REGISTER_CLASS(r->variable));
    tile_register more = tile_new(e, TILE_PRED);

    tile_branch(e, r->loads, true, none);
    if (!compute_places(e))
        e->failed = true;
    tile_ins(e, "sub.%s %R, %R, %R", r->type, left, r->last, r->variable);
    tile_ins(e, "setp.gt.u%s %R, %R, %R", r->type + 1, more, left, r->step);
    tile_move(e, r->loads, more);
    tile_ins(e, "add.%s %R, %R, %R", r->type, r->variable, r->variable, r->step);
    tile_put_label(e, none);
    tile_ins(e, "cp.async.commit_group");
    next_stage(e, r->ahead);
}

bool tile_begin_ahead(struct tile_emitter *e, const struct tile_op *loop)
{
    const struct tile_ahead *plan = e->ahead;
    const struct tile_value *value = loop->block[0]->argument[0];
    struct tile_ring_ahead *r = tile_take(e->module, sizeof(*r));
    bool wide = tile_class_of(value->type.dtype) == TILE_R64;

    if (!r)
        return false;
    e->ring_ahead = r;
    r->plan = plan;
    r->type = tile_is_signed(value->type.dtype) ? wide ? "s64" : "s32" : wide ? "u64" : "u32";
    r->base = tile_new(e, TILE_R32); // set when it is known where it lies
    e->ahead_bytes = plan->stages * plan->stage_bytes;
    for (uint32_t i = 0; i < plan->streams; i++)
        tile_order_access(e, plan->stream[i].load);
    for (uint32_t i = 0; i < plan->streams; i++)
        open_copier(e, &r->copier[i], &plan->stream[i], r->base);
    r->variable = tile_new(e, wide ? TILE_R64 : TILE_R32);
    tile_move(e, r->variable, tile_registers(e, value)[0]);
    r->last = tile_registers(e, loop->operand[1])[0];
    r->step = tile_registers(e, loop->operand[2])[0];
    r->loads = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.lt.%s %R, %R, %R", r->type, r->loads, r->variable, r->last);
    r->ahead = tile_number32(e, 0);
    r->stage = tile_number32(e, 0);
    tile_barrier(e); // what the stages held was read
    for (uint32_t i = 0; i + 1 < plan->stages; i++)
        copy_stage(e);
    return !e->failed;
}

void tile_turn_ahead(struct tile_emitter *e)
{
    tile_ins(e, "cp.async.wait_group %u", e->ring_ahead->plan->stages - 2);
    tile_barrier(e); // what others copied is there, and they have read the stage before
    e->shared_busy = false;
    copy_stage(e);
}

void tile_end_turn_ahead(struct tile_emitter *e)
{
    next_stage(e, e->ring_ahead->stage);
}

void tile_end_ahead(struct tile_emitter *e)
{
    tile_ins(e, "cp.async.wait_group 0");
}

bool tile_is_ahead(const struct tile_emitter *e, const struct tile_op *op)
{
    bool turns;

    return e->ahead && op->parent == e->ahead->loop->block[0] &&
           (op->kind == TILE_LOAD || op->kind == TILE_PERMUTE) &&
           tile_ahead_stream_of(e->ahead, op->result[0], &turns);
}
