// A loop over a product of matrices whose threads copy operands to shared memory by themselves,
// some stages ahead of what they multiply (pass/ahead.c).
//
// Each thread copies pieces of 16 bytes, always the same of each stage. Where a tile lies inside of
// its tensor as a whole they are copied without a look; else each is told how many bytes of it
// there are, and the rest of it becomes zeros.
#include "../pass/pipeline.h"
#include "product.h"

enum { PIECE_BYTES = 16 };

struct copier {
    const struct tile_stream *stream;
    const struct tile_emit_view *view;
    uint32_t pieces, lines; // of a line; that all threads copy at a time
    uint32_t turns;
    tile_register piece, line; // the thread's first
    tile_register from;        // its distance from the tile's first byte, 64 bits
    tile_register step;        // from turn to turn, 64 bits
    tile_register to;          // its place in stage 0
};

static tile_register plus64(struct tile_emitter *e, tile_register x, tile_register y)
{
    return tile_make(e, TILE_R64, "add.s64 %R, %R, %R", x, y);
}

// Some elements along an axis in bytes.
static tile_register distance(struct tile_emitter *e, const struct copier *c, uint32_t axis,
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

static void open_copier(struct tile_emitter *e, struct copier *c, const struct tile_stream *s,
                        tile_register shared)
{
    const struct tile_attribute *shape = tile_attribute(s->load, TILE_ATTR_SHAPE);
    uint32_t bits = 0, threads = 32 * e->warps;

    c->stream = s;
    c->view = &e->view[s->load->operand[0]->id];
    c->pieces = (uint32_t)shape->ints[s->last] * s->element / PIECE_BYTES;
    c->lines = threads / c->pieces;
    c->turns = (s->rows + c->lines - 1) / c->lines;
    while (UINT32_C(1) << bits < c->pieces)
        bits++;
    c->piece = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, c->pieces - 1);
    c->line = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", e->tid, bits);
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c->line);
    tile_register along =
        tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", c->piece, (unsigned)PIECE_BYTES);
    c->from = plus64(e, distance(e, c, s->other, wide), along);
    c->step = distance(e, c, s->other, tile_number64(e, c->lines));
    c->to = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", c->line, s->span, shared);
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

static void copy_pieces(struct tile_emitter *e, const struct copier *c, tile_register from,
                        tile_register to, tile_register rows, tile_register bytes)
{
    const struct tile_stream *s = c->stream;

    for (uint32_t turn = 0; turn < c->turns; turn++) {
        uint32_t offset = s->at + turn * c->lines * s->span;
        tile_register inside = TILE_NO_REGISTER, size = bytes;
        if (turn)
            from = plus64(e, from, c->step);
        tile_register at = from;
        if ((turn + 1) * c->lines > s->rows)
            inside = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c->line,
                               s->rows - turn * c->lines);
        if (rows) { // of this line, when there is such
            tile_register p = tile_new(e, TILE_PRED);
            tile_register line =
                turn ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", c->line, turn * c->lines)
                     : c->line;
            tile_ins(e, "setp.lt.s32 %R, %R, %R", p, line, rows);
            size = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, p);
            // Nothing is read from anywhere then, but the address must be a multiple of 16.
            tile_ins(e, "setp.gt.s32 %R, %R, 0", p, size);
            at = tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", from, c->view->base, p);
        }
        if (inside)
            tile_put(e->text, "\t@%s", tile_name(inside));
        if (rows)
            tile_ins(e, "cp.async.cg.shared.global.L2::128B [%R+%u], [%R], 16, %R", to, offset, at,
                     size);
        else
            tile_ins(e, "cp.async.cg.shared.global.L2::128B [%R+%u], [%R], 16", to, offset, from);
    }
}

static void copy(struct tile_emitter *e, const struct copier *c, tile_register stage)
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
    copy_pieces(e, c, from, to, TILE_NO_REGISTER, TILE_NO_REGISTER);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, edge);

    // Lines that there are, and bytes of the thread's piece of each: none where an index is below
    // 0, or one of an axis that the tile does not have is outside.
    const struct tile_stream *s = c->stream;
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
    copy_pieces(e, c, from, to, left[0], bytes);
    tile_put_label(e, done);
}

// ---- The loop

struct ahead {
    struct tile_emitter *e;
    const struct tile_op *loop;
    const struct tile_pipeline *plan;
    struct copier copier[2];
    struct tile_product *product;
    const char *type; // of the loop's variable
    bool wide;
    tile_register variable, last, step; // of the copies
    tile_register loads;                // there is something left to be copied
};

// What a stage holds, when there is one more; to the next one.
static void copy_stage(struct ahead *a, tile_register stage)
{
    struct tile_emitter *e = a->e;
    uint32_t none = tile_label(e);
    tile_register left = tile_new(e, a->wide ? TILE_R64 : TILE_R32);
    tile_register more = tile_new(e, TILE_PRED);

    tile_branch(e, a->loads, true, none);
    for (const struct tile_op *op = a->loop->block[0]->first; op; op = op->next)
        if (op->result_count == 1 && a->plan->wanted[op->result[0]->id] && op->kind != TILE_LOAD &&
            !tile_emit_one(e, op))
            e->failed = true;
    for (uint32_t i = 0; i < 2 && !e->failed; i++)
        copy(e, &a->copier[i], stage);
    tile_ins(e, "sub.%s %R, %R, %R", a->type, left, a->last, a->variable);
    tile_ins(e, "setp.gt.u%s %R, %R, %R", a->type + 1, more, left, a->step);
    tile_move(e, a->loads, more);
    tile_ins(e, "add.%s %R, %R, %R", a->type, a->variable, a->variable, a->step);
    tile_put_label(e, none);
    tile_ins(e, "cp.async.commit_group");
}

static void next_stage(struct tile_emitter *e, const struct tile_pipeline *plan,
                       tile_register stage)
{
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, %u", stage, stage, plan->stage_bytes);
    tile_ins(e, "setp.eq.u32 %R, %R, %u", wraps, stage, plan->stages * plan->stage_bytes);
    tile_put(e->text, "\t@%s mov.u32 %s, 0;\n", tile_name(wraps), tile_name(stage));
}

static bool open_product(struct ahead *a, tile_register *sum)
{
    struct tile_emitter *e = a->e;
    const struct tile_op *mma = a->plan->mma;
    struct tile_product *p = a->product;

    if (!tile_shape_product(p, e, mma))
        return false;
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_stream *s = &a->plan->stream[i];
        struct tile_operand *o = i ? &p->b : &p->a;
        const struct tile_type *type = &mma->operand[i]->type;
        o->bytes = s->element;
        o->summed = i ? 0 : 1;
        o->other = i ? 1 : 0;
        o->extent = (uint32_t)type->extent[o->other];
        o->turned = s->mn_major;
        o->rounds = type->dtype == CUC_F32;
        o->pitch = s->span;
        o->lines = s->rows;
        o->batch_bytes = s->bytes;
        o->at = s->at;
    }
    p->sum = sum;
    p->in = sum;
    return tile_find_fragments(p) ||
           tile_cannot(e, mma, "a warp has more than 128 fragments of an operand");
}

// The products of a stage: lines lie where they lie in stage 0, and so much further.
static void multiply_stage(struct ahead *a, tile_register stage)
{
    struct tile_emitter *e = a->e;
    struct tile_operand *operand[] = { &a->product->a, &a->product->b };

    for (uint32_t i = 0; i < 2; i++) {
        struct tile_operand *o = operand[i];
        tile_register known = TILE_NO_REGISTER, moved = TILE_NO_REGISTER;
        for (uint32_t n = 0; n < o->count; n++) {
            if (o->fragment[n].line != known) {
                known = o->fragment[n].line;
                moved = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", known, stage);
            }
            o->fragment[n].line = moved;
        }
    }
    tile_add_slice(a->product, a->plan->depth);
}

bool tile_emit_loop_ahead(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_pipeline *plan = e->ahead;
    const struct tile_value *value = op->block[0]->argument[0];
    bool wide = tile_class_of(value->type.dtype) == TILE_R64;
    bool is_signed = tile_is_signed(value->type.dtype);
    struct ahead a = { .e = e,
                       .loop = op,
                       .plan = plan,
                       .wide = wide,
                       .type = is_signed ? wide ? "s64" : "s32"
                               : wide    ? "u64"
                                         : "u32",
                       .product = tile_take(e->module, sizeof(*a.product)) };
    const tile_register *own = tile_registers(e, value), *init = tile_registers(e, op->operand[3]);
    tile_register *sum = tile_registers(e, op->result[0]);
    uint32_t start = tile_label(e), none = tile_label(e);

    if (!a.product || !own || !init || !sum || !open_product(&a, sum))
        return false;
    for (uint32_t i = 0; i < tile_register_count(op->result[0]); i++)
        tile_move(e, sum[i], init[i]);
    a.variable = own[0];
    a.last = tile_registers(e, op->operand[1])[0];
    a.step = tile_registers(e, op->operand[2])[0];
    tile_register turn = tile_new(e, wide ? TILE_R64 : TILE_R32);
    tile_move(e, turn, tile_registers(e, op->operand[0])[0]);
    tile_move(e, a.variable, turn);
    for (uint32_t i = 0; i < 2; i++)
        tile_order_access(e, plan->stream[i].load);
    tile_register shared = tile_scratch(e, plan->stages * plan->stage_bytes);
    for (uint32_t i = 0; i < 2; i++)
        open_copier(e, &a.copier[i], &plan->stream[i], shared);
    tile_open_fragments(a.product, shared);
    tile_register over = tile_new(e, TILE_PRED), more = tile_new(e, TILE_PRED);
    tile_ins(e, "setp.ge.%s %R, %R, %R", a.type, over, turn, a.last);
    tile_branch(e, over, false, none);
    a.loads = tile_make(e, TILE_PRED, "setp.eq.s32 %R, 0, 0");
    tile_register ahead = tile_number32(e, 0), stage = tile_number32(e, 0);
    for (uint32_t i = 0; i + 1 < plan->stages; i++) {
        copy_stage(&a, ahead);
        next_stage(e, plan, ahead);
    }
    tile_put_label(e, start);
    tile_ins(e, "cp.async.wait_group %u", plan->stages - 2);
    tile_barrier(e); // what others copied is there, and they have read the stage before
    copy_stage(&a, ahead);
    next_stage(e, plan, ahead);
    struct tile_product kept = *a.product;
    multiply_stage(&a, stage);
    *a.product = kept;
    next_stage(e, plan, stage);
    tile_register left = tile_new(e, wide ? TILE_R64 : TILE_R32);
    tile_ins(e, "sub.%s %R, %R, %R", a.type, left, a.last, turn);
    tile_ins(e, "setp.gt.u%s %R, %R, %R", a.type + 1, more, left, a.step);
    tile_ins(e, "add.%s %R, %R, %R", a.type, turn, turn, a.step);
    tile_branch(e, more, false, start);
    tile_ins(e, "cp.async.wait_group 0");
    tile_put_label(e, none);
    e->shared_busy = true;
    return !e->failed;
}
