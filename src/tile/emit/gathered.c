// Gathers rows of operands into the ring. The four warps of the copying warpgroup write them in the
// layout that TMA would write.
//
// Each thread uses cp.async to copy 16-byte pieces of the same rows in each stage. It computes its
// rows' addresses from the IR (pass/gather.h) as soon as their inputs are known, before the loops
// on which they do not depend, and adds the column in each iteration. It fills rows that are masked
// or outside the tensor, and pieces past a row's end, with zeros. The copies signal the stage's
// barrier when they have arrived. TMA copies the other operands.
#include "tile/pass/gather.h"
#include "access.h"
#include "fused_ring.h"

// Threads that copy more pieces to a stage take the shorter code for whole pieces.
enum { FEW_PIECES = 16 };

// The thread's pieces of rows that have one place in the stages.
struct place {
    const struct tile_stream *how; // describes the place
    struct tile_piece piece;
    tile_register column; // column of the thread's piece in its row, 64 bits
};

// The thread's rows of one load. In each round, the thread handles one row.
struct rows {
    const struct tile_stream *stream;
    struct place *place;
    tile_register *kept[TILE_MOST_NODES];
    tile_register *address; // by round: address of the row's first element, or of the tensor's if
                            // the row lies outside
    tile_register inside;   // bit n: the row of round n exists
    // If threads copy many pieces: the tensor's rows are known to be made of whole pieces
    // (`is_whole`), or a predicate tells if they are.
    bool is_whole;
    tile_register whole;
};

struct tile_gathered {
    struct rows *rows;
    uint32_t count;
    struct place place[TILE_MOST_FEEDS];
    // The rows are rounded to tf32 once they have arrived: each thread rounds its own pieces when
    // it has requested the next stage. The last requested stage, and predicates: there is one, and
    // threads have gathered the rows of this operand of it.
    bool rounds;
    tile_register stage, pending, gathers[2];
};

// ---- The role's start

// Adds the rows of a stream that threads gather to the place that `how` describes.
static void add_rows(struct tile_emitter *e, struct tile_gathered *x,
                     const struct tile_stream *stream, const struct tile_stream *how)
{
    struct place *place = x->place;

    if (!stream->by_threads)
        return;
    while (place->how && place->how != how)
        place++;
    x->rows[x->count++] = (struct rows){ .stream = stream, .place = place };
    if (place->how)
        return;
    place->how = how;
    place->piece = tile_piece_of(e, how);
    place->column = tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", place->piece.piece,
                              TILE_WORD_BYTES / how->element);
}

// Finds out if the rows of a load's tensor are made of whole pieces.
static void find_whole(struct tile_emitter *e, struct rows *rows)
{
    const struct tile_stream *s = rows->stream;
    const struct tile_value *tensor = tile_streamed_tensor(s);
    uint32_t pieces = TILE_WORD_BYTES / s->element;
    struct tile_range range = tile_range_of_extent(e->ranges, tensor, s->last);

    rows->is_whole = tile_is_multiple(range, pieces);
    if (rows->is_whole)
        return;
    tile_register extent = tile_size_register(e, &e->view[tensor->id].extent[s->last]);
    tile_register rest = tile_make(e, TILE_R64, "and.b64 %R, %R, %u", extent, pieces - 1);
    rows->whole = tile_make(e, TILE_PRED, "setp.eq.u64 %R, %R, 0", rest);
}

bool tile_open_gathered(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    const struct tile_fused *fused = tile_fused_of(plan);
    struct tile_gathered *x = tile_take(e->module, sizeof(*x));
    uint32_t most = fused ? fused->feeds : 2 * (plan->products ? plan->products : 1);

    if (!x || !(x->rows = tile_take(e->module, most * sizeof(*x->rows))))
        return false;
    struct tile_text *before = tile_into_prologue(e);
    for (uint32_t i = 0; fused && i < fused->feeds; i++)
        add_rows(e, x, &fused->feed[i].stream, &fused->feed[i].stream);
    for (uint32_t i = 0; i < 2 && !fused && !plan->first; i++)
        add_rows(e, x, &plan->stream[i], &plan->stream[i]);
    for (uint32_t i = 0; i < 2 * plan->products; i++)
        add_rows(e, x, &plan->product[i / 2].stream[i % 2], &plan->stream[i % 2]);
    uint32_t pieces = 0; // that a thread copies to a stage
    for (const struct place *place = x->place; place < x->place + TILE_MOST_FEEDS; place++)
        pieces += place->how ? tile_rounds_of(place->how).rounds * place->how->slabs : 0;
    for (uint32_t i = 0; i < x->count && pieces > FEW_PIECES; i++)
        find_whole(e, &x->rows[i]);
    for (uint32_t i = 0; i < x->count && !fused; i++)
        x->rounds |= tile_rounds_to_tf32(x->rows[i].stream);
    if (x->rounds) {
        x->stage = tile_number32(e, 0);
        x->pending = tile_constant_register(e, CUC_BOOL, 0);
        for (uint32_t i = 0; i < 2; i++)
            x->gathers[i] = tile_constant_register(e, CUC_BOOL, 0);
    }
    tile_register thread =
        tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, (unsigned)TILE_GROUP_THREADS - 1);
    r->elected = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, 0", thread);
    e->text = before;
    r->gathered = x;
    return !e->failed;
}

// ---- Values of one element per row

struct run {
    struct tile_emitter *e;
    const struct rows *rows; // rows with kept values; NULL to evaluate the element with all
                             // coordinates 0
    const struct tile_gather *g;
    const struct tile_type *box;
    uint32_t round;
    tile_register row; // row of the box, flattened over all axes but the last
    tile_register coordinate[TILE_MAX_RANK];
    tile_register done[TILE_MOST_NODES];
    const struct tile_op *slice; // the last slice op that was emitted
};

static tile_register by(struct tile_emitter *e, const char *shift, const char *divide,
                        tile_register x, int32_t extent, int32_t least)
{
    bool whole = extent & (extent - 1);

    return tile_make(e, TILE_R32, whole ? divide : shift, x, whole ? extent : least);
}

// Computes the row's coordinates in its box.
static void find_coordinates(struct run *x)
{
    struct tile_emitter *e = x->e;
    tile_register rest = x->row;

    for (uint32_t axis = x->box->rank - 1u; axis-- > 0;) {
        int32_t extent = x->box->extent[axis];
        x->coordinate[axis] =
            axis ? by(e, "and.b32 %R, %R, %d", "rem.u32 %R, %R, %d", rest, extent, extent - 1)
                 : rest;
        if (axis)
            rest = by(e, "shr.u32 %R, %R, %d", "div.u32 %R, %R, %d", rest, extent,
                      __builtin_ctz((unsigned)extent));
    }
}

// Returns the coordinate along an axis of the box in 64 bits, or TILE_NO_REGISTER for 0.
static tile_register wide_coordinate(struct run *x, int8_t axis)
{
    if (axis < 0 || !x->rows || axis + 1 == x->box->rank)
        return TILE_NO_REGISTER;
    return tile_make(x->e, TILE_R64, "cvt.u64.u32 %R, %R", x->coordinate[axis]);
}

static tile_register wide_scalar(struct tile_emitter *e, const struct tile_value *value,
                                 tile_register reg, int64_t scale)
{
    enum { MOST_BITS = 40 };
    int64_t most = INT64_C(1) << MOST_BITS;
    tile_register out = tile_emit_cast(e, CUC_I64, value->type.dtype, TILE_RN, reg);

    if (scale == 1)
        return out;
    out = tile_clamp64(e, out, -most, most); // clamp, so that the product does not wrap
    return tile_scale(e, out, scale);
}

static tile_register is_inside(struct tile_emitter *e, tile_register index,
                               const struct tile_size *extent)
{
    return extent->reg ? tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %R", index, extent->reg)
                       : tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %l", index, extent->value);
}

static tile_register evaluate(struct run *x, uint16_t number);

// Loads one element of a tile. Checks bounds, because this load may run where the source runs none,
// such as before a loop without iterations.
static tile_register load_element(struct run *x, const struct tile_row_node *node)
{
    struct tile_emitter *e = x->e;
    const struct tile_op *op = node->value->op, *slice = op->operand[0]->op;
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0);
    cuc_dtype dtype = node->value->type.dtype;
    tile_register out = tile_new(e, tile_class_of(dtype)), p = TILE_NO_REGISTER;
    uint32_t next = 0;

    if (slice && slice != x->slice && !e->dispatch->one(e, slice))
        return out;
    x->slice = slice;
    const struct tile_emit_view *view = &e->view[op->operand[0]->id];
    tile_register address = view->base;
    tile_move(e, out,
              node->operand[0] == TILE_NO_NODE ? tile_constant_register(e, dtype, 0)
                                               : evaluate(x, node->operand[0]));
    for (uint32_t i = 0; i < shape->count; i++) {
        const struct tile_value *index = op->operand[1 + i];
        tile_register at = wide_scalar(e, index, tile_registers(e, index)[0],
                                       op->kind == TILE_LOAD ? shape->ints[i] : 1);
        tile_register more = dropped >> i & 1 ? TILE_NO_REGISTER
                                              : wide_coordinate(x, node->axis[next]);
        next += !(dropped >> i & 1);
        if (more)
            at = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", at, more);
        p = tile_both(e, p, is_inside(e, at, &view->extent[i]));
        address = tile_move_along(e, address, at, &view->stride[i], tile_bytes_of(view->dtype));
    }
    tile_emit_load(e, "", "global", dtype, &out, 1, address, 0, p);
    return out;
}

static tile_register compute(struct run *x, const struct tile_row_node *node)
{
    struct tile_emitter *e = x->e;
    const struct tile_op *op = node->value->op;
    cuc_dtype dtype = node->value->type.dtype;
    tile_register in[TILE_NODE_OPERANDS] = { TILE_NO_REGISTER };

    if (!node->value->type.rank)
        return tile_registers(e, node->value)[0];
    if (op->kind == TILE_LOAD || op->kind == TILE_LOAD_AT)
        return load_element(x, node);
    if (op->kind == TILE_IOTA) {
        tile_register at = wide_coordinate(x, node->axis[0]);
        if (tile_class_of(dtype) == TILE_R64)
            return at ? at : tile_number64(e, 0);
        return at ? x->coordinate[node->axis[0]] : tile_number32(e, 0);
    }
    for (uint32_t i = 0; i < op->operand_count; i++)
        in[i] = evaluate(x, node->operand[i]);
    if (!(tile_op_infos[op->kind].traits & TILE_ELEMENTWISE))
        return in[0];
    tile_register out =
        tile_emit_scalar_op(e, op, op->operand[op->kind == TILE_WHERE]->type.dtype, in);
    if (!out)
        tile_cannot(e, op, "there is no PTX for it yet");
    return out;
}

static tile_register evaluate(struct run *x, uint16_t number)
{
    const struct tile_row_node *node = &x->g->node[number];

    if (x->rows && node->kept && x->rows->kept[number])
        return x->rows->kept[number][x->round];
    if (!x->done[number])
        x->done[number] = compute(x, node);
    return x->done[number];
}

// Starts the evaluation of a round.
static void begin_round(struct run *x, const struct rows *rows, uint32_t round)
{
    const struct tile_stream *s = rows->stream;
    uint32_t first = round * tile_rounds_of(s).step;

    *x = (struct run){ .e = x->e,
                       .rows = rows,
                       .g = s->gather,
                       .box = &s->load->result[0]->type,
                       .round = round,
                       .row = rows->place->piece.row,
                       .slice = x->slice };
    if (first)
        x->row = tile_make(x->e, TILE_R32, "add.u32 %R, %R, %u", x->row, first);
    find_coordinates(x);
}

// ---- Rows

// Computes a per-row value that several iterations of a loop use.
static void keep_node(struct tile_emitter *e, struct rows *rows, uint16_t number)
{
    uint32_t rounds = tile_rounds_of(rows->stream).rounds;
    tile_register *kept = tile_take(e->module, rounds * sizeof(*kept));
    struct run run = { .e = e };

    rows->kept[number] = NULL;
    for (uint32_t i = 0; i < rounds && kept; i++) {
        begin_round(&run, rows, i);
        kept[i] = evaluate(&run, number);
    }
    rows->kept[number] = kept;
}

// Returns the index along an axis of the tensor other than the last.
static tile_register index_along(struct run *x, const struct tile_stream *s, uint32_t axis)
{
    const struct tile_gather *g = s->gather;
    uint16_t number = g->index[axis];
    tile_register index =
        wide_scalar(x->e, g->node[number].value, evaluate(x, number), g->scale[axis]);
    tile_register more = wide_coordinate(x, g->plus[axis]);

    return more ? tile_make(x->e, TILE_R64, "add.s64 %R, %R, %R", index, more) : index;
}

static void find_addresses(struct tile_emitter *e, struct rows *rows)
{
    const struct tile_stream *s = rows->stream;
    const struct tile_emit_view *view = &e->view[s->load->operand[0]->id];
    uint32_t rounds = tile_rounds_of(s).rounds;
    bool checks = !tile_int(s->load, TILE_ATTR_INSIDE, 0);
    struct run run = { .e = e };

    if (s->slice && !e->dispatch->one(e, s->slice))
        return;
    rows->address = tile_take(e->module, rounds * sizeof(*rows->address));
    rows->inside = tile_number32(e, 0);
    for (uint32_t i = 0; i < rounds && rows->address; i++) {
        tile_register address = view->base, in = TILE_NO_REGISTER;
        begin_round(&run, rows, i);
        for (uint32_t axis = 0; axis < s->last; axis++) {
            tile_register index = index_along(&run, s, axis);
            if (checks)
                in = tile_both(e, in, is_inside(e, index, &view->extent[axis]));
            address = tile_move_along(e, address, index, &view->stride[axis], s->element);
        }
        if (s->gather->mask != TILE_NO_NODE)
            in = tile_both(e, in, evaluate(&run, s->gather->mask));
        rows->address[i] =
            in ? tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", address, view->base, in)
               : address;
        if (in)
            tile_ins(e, "@%R or.b32 %R, %R, %u", in, rows->inside, rows->inside, UINT32_C(1) << i);
        else
            tile_ins(e, "or.b32 %R, %R, %u", rows->inside, rows->inside, UINT32_C(1) << i);
    }
}

void tile_find_rows(struct tile_emitter *e, const struct tile_op *before)
{
    struct tile_gathered *x = e->ring->gathered;

    for (uint32_t i = 0; x && e->ring->copies && i < x->count; i++) {
        struct rows *rows = &x->rows[i];
        const struct tile_gather *g = rows->stream->gather;
        for (uint32_t n = 0; n < g->nodes; n++)
            if (g->node[n].kept && g->node[n].at == before)
                keep_node(e, rows, (uint16_t)n);
        if (g->at == before)
            find_addresses(e, rows);
    }
}

bool tile_gathered_skips(const struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_ring *r = e->ring;

    return !r->copies && r->plan->only_streamed && op->result_count == 1 &&
           op->result[0]->type.rank && r->plan->only_streamed[op->result[0]->id];
}

// ---- Stages

tile_register tile_gathered_start(struct tile_emitter *e, const struct tile_stream *s,
                                  uint32_t axis)
{
    struct run run = { .e = e, .g = s->gather, .box = &s->load->result[0]->type };
    uint16_t number = s->gather->index[axis];

    return wide_scalar(e, s->gather->node[number].value, evaluate(&run, number),
                       s->gather->scale[axis]);
}

// Returns the bits of the rows whose pieces, which begin at a column, exist. Pieces are whole.
static tile_register pieces_from(struct tile_emitter *e, const struct rows *rows,
                                 tile_register column)
{
    const struct tile_stream *s = rows->stream;
    const struct tile_size *extent = &e->view[tile_streamed_tensor(s)->id].extent[s->last];
    tile_register in = is_inside(e, column, extent);
    tile_register pieces = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", rows->inside, in);

    if (e->ring->outside)
        pieces = tile_make(e, TILE_R32, "selp.b32 %R, 0, %R, %R", pieces, e->ring->outside);
    return pieces;
}

// Returns how many bytes of a thread's piece, which begins at a column, lie inside the tensor.
static tile_register bytes_from(struct tile_emitter *e, const struct tile_stream *s,
                                tile_register column)
{
    const struct tile_emit_view *view = &e->view[tile_streamed_tensor(s)->id];
    tile_register extent = tile_size_register(e, &view->extent[s->last]);
    tile_register left = tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", extent, column);

    left = tile_clamp64(e, left, 0, TILE_WORD_BYTES / s->element);
    tile_register forward = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", column);
    tile_register bytes = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", left);
    bytes = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", bytes, s->element);
    bytes = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, forward);
    if (e->ring->outside)
        bytes = tile_make(e, TILE_R32, "selp.b32 %R, 0, %R, %R", bytes, e->ring->outside);
    return bytes;
}

// Starts the copies of the rows' pieces in one slab. `column` is the column of the thread's piece
// in the first slab, `at` the distance in bytes from there to this slab, and `to` plus `to_at` the
// piece's place in this slab. If all pieces are `whole`, a copy's length is one of two constants,
// for which ptxas needs fewer instructions.
static void copy_slab(struct tile_emitter *e, const struct rows *rows, bool whole,
                      tile_register column, uint32_t at, tile_register to, uint32_t to_at)
{
    const struct tile_stream *s = rows->stream, *how = rows->place->how;
    const struct tile_piece *piece = &rows->place->piece;
    struct tile_rounds h = tile_rounds_of(how);
    tile_register own_column = column;

    if (at)
        own_column = tile_make(e, TILE_R64, "add.s64 %R, %R, %u", column, at / s->element);
    tile_register bytes = whole ? TILE_NO_REGISTER : bytes_from(e, s, own_column);
    tile_register pieces = whole ? pieces_from(e, rows, own_column) : rows->inside;
    tile_register offset = tile_scale(e, column, s->element);
    for (uint32_t i = 0; i < h.rounds; i++) {
        tile_register from = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", rows->address[i], offset);
        tile_register bit = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", pieces, UINT32_C(1) << i);
        tile_register in = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", bit);
        tile_register size = whole ? tile_make(e, TILE_R32, "selp.b32 %R, 16, 0, %R", in)
                                   : tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, in);
        if ((i + 1) * h.step > how->rows) {
            tile_register own = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", piece->row,
                                          how->rows - i * h.step);
            tile_put(e->text, "\t@%s", tile_name(own));
        }
        tile_ins(e, "cp.async.cg.shared.global [%R+%u], [%R+%u], 16, %R", to,
                 to_at + i * h.step * how->span, from, at, size);
    }
}

void tile_gather_rows(struct tile_emitter *e, const struct tile_stream *s, tile_register stage,
                      uint32_t bytes, uint32_t more)
{
    const struct rows *rows = e->ring->gathered->rows;

    while (rows->stream != s)
        rows++;
    const struct tile_stream *how = rows->place->how;
    tile_register column = tile_gathered_start(e, s, s->last), to = rows->place->piece.place;
    column = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", column, rows->place->column);
    if (stage)
        to = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", stage, bytes, to);
    uint32_t fast = tile_label(e), done = tile_label(e);
    if (rows->whole)
        tile_branch(e, rows->whole, false, fast);
    for (uint32_t slab = 0; slab < how->slabs && !rows->is_whole; slab++)
        copy_slab(e, rows, false, column, slab * how->span, to,
                  more + slab * how->span * how->rows);
    if (!rows->whole && !rows->is_whole)
        return;
    if (rows->whole)
        tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, fast);
    for (uint32_t slab = 0; slab < how->slabs; slab++)
        copy_slab(e, rows, true, column, slab * how->span, to, more + slab * how->span * how->rows);
    tile_put_label(e, done);
}

// ---- Rounding

// Rounds the thread's pieces of an operand in the pending stage.
static void round_pieces(struct tile_emitter *e, const struct place *place)
{
    const struct tile_ring *r = e->ring;
    const struct tile_stream *how = place->how;
    struct tile_rounds h = tile_rounds_of(how);
    tile_register w[4], at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->gathered->stage,
                                       r->plan->stage_bytes, place->piece.place);

    for (uint32_t i = 0; i < 4; i++)
        w[i] = tile_new(e, TILE_R32);
    for (uint32_t n = 0; n < how->slabs * h.rounds; n++) {
        uint32_t round = n % h.rounds;
        uint32_t more = n / h.rounds * how->span * how->rows + round * h.step * how->span;
        uint32_t past = tile_label(e);
        if ((round + 1) * h.step > how->rows) {
            tile_register none = tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %u", place->piece.row,
                                           how->rows - round * h.step);
            tile_branch(e, none, false, past);
        }
        tile_ins(e, "ld.shared.v4.b32 {%R, %R, %R, %R}, [%R+%u]", w[0], w[1], w[2], w[3], at, more);
        for (uint32_t i = 0; i < 4; i++)
            tile_ins(e, "cvt.rn.tf32.f32 %R, %R", w[i], w[i]);
        tile_ins(e, "st.shared.v4.b32 [%R+%u], {%R, %R, %R, %R}", at, more, w[0], w[1], w[2], w[3]);
        tile_put_label(e, past);
    }
}

static void set(struct tile_emitter *e, tile_register predicate, bool value)
{
    tile_ins(e, value ? "setp.eq.u32 %R, 0, 0" : "setp.ne.u32 %R, 0, 0", predicate);
}

// Completes the pending stage, if there is one. `newer`: the groups of copies requested since.
static void complete_stage(struct tile_emitter *e, uint32_t newer)
{
    const struct tile_ring *r = e->ring;
    const struct tile_gathered *x = r->gathered;
    uint32_t done = tile_label(e);

    tile_branch(e, x->pending, true, done);
    tile_ins(e, "cp.async.wait_group %u", newer);
    for (uint32_t i = 0; i < 2; i++)
        for (const struct place *place = x->place; place < x->place + TILE_MOST_FEEDS; place++) {
            uint32_t past = tile_label(e);
            if (place->how != &r->plan->stream[i])
                continue;
            tile_branch(e, x->gathers[i], true, past);
            round_pieces(e, place);
            tile_put_label(e, past);
        }
    tile_register full = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", x->stage, r->base);
    tile_ins(e, "mbarrier.arrive.shared::cta.b64 _, [%R]", full);
    set(e, x->pending, false);
    tile_put_label(e, done);
}

void tile_close_gathered(struct tile_emitter *e)
{
    if (e->ring->gathered->rounds)
        complete_stage(e, 0);
    tile_ins(e, "cp.async.wait_all");
}

void tile_emit_gathered(struct tile_emitter *e, const struct tile_stream *stream)
{
    const struct tile_gathered *x = e->ring->gathered;

    tile_emit_copies(e, stream); // this waits until the stage is free
    for (uint32_t i = 0; i < 2; i++)
        if (stream[i].by_threads)
            tile_gather_rows(e, &stream[i], e->ring->stage, e->ring->plan->stage_bytes, 0);
    if (x->rounds) {
        // Warpgroups free a stage when they have the next one. With two stages, the one before must
        // thus be complete before a thread waits for a free stage.
        bool waits = e->ring->plan->stages < 3;
        tile_ins(e, "cp.async.commit_group");
        if (!waits)
            complete_stage(e, 1);
        tile_move(e, x->stage, e->ring->stage);
        set(e, x->pending, true);
        for (uint32_t i = 0; i < 2; i++)
            set(e, x->gathers[i], stream[i].by_threads);
        if (waits)
            complete_stage(e, 0);
        return;
    }
    tile_ins(e, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%R]", tile_stage_barrier(e));
}
