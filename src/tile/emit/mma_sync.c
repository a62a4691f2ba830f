// Matrix products with mma.sync. Operands go from registers to shared memory, from which ldmatrix
// reads them as fragments. Accumulators stay in fragments.
//
// An operand lies in shared memory in rows, which run along the depth axis: rows of a, columns of
// b. The rows of an operand run along its other axis instead if its elements have 16 bits and are
// contiguous along that axis (`transposed`). Rows are padded to an odd multiple of 16 bytes, so
// that ldmatrix has no bank conflicts. The last step of the depth axis is padded with zeros.
#include "mma_sync.h"

enum { USUAL_BYTES = 64 * 1024, LEAST_LINES = 16, BRIEF_PRODUCTS = 16 };

// ---- Lines in shared memory

// True if a thread's consecutive registers hold neighbors along an axis.
static bool runs_along(const struct tile_value *x, uint32_t axis)
{
    return x->layout->register_bits &&
           x->layout->basis[0] == UINT32_C(1) << tile_axis_shift(x->layout, axis);
}

static void set_lines(const struct tile_product *p, struct tile_mma_operand *o, uint32_t length)
{
    uint32_t along = o->transposed ? tile_round_up(o->extent, 8)
                                   : tile_round_up(length, p->how->depth);

    o->pitch = tile_fragment_pitch(along * o->bytes, o->single);
    o->lines = o->transposed ? tile_round_up(length, p->how->depth) : o->extent;
    if (o->single) // lanes also read rows for the padding of the accumulator's layout
        o->lines = UINT32_C(1) << p->acc->layout->axis_bits[o->other];
    if (o->single && o->lines < LEAST_LINES)
        o->lines = LEAST_LINES;
    o->batch_bytes = o->direct ? 0 : o->pitch * o->lines;
}

static uint32_t bytes_of_slice(struct tile_product *p, uint32_t length)
{
    struct tile_mma_operand *operand[] = { &p->a, &p->b };
    uint32_t at = 0;

    for (uint32_t i = 0; i < 2; i++) {
        if (operand[i]->ring)
            continue;
        set_lines(p, operand[i], length);
        operand[i]->at = at;
        at += operand[i]->batch_bytes * p->batches;
    }
    return at;
}

static bool choose_slice(struct tile_product *p)
{
    uint32_t limit = p->e->target->shared_limit;
    bool whole = p->a.ring || p->b.ring;

    p->slice = p->depth;
    if (!whole && bytes_of_slice(p, p->slice) > USUAL_BYTES && p->slice > 64)
        p->slice = 64;
    while (!whole && p->slice > p->how->depth && bytes_of_slice(p, p->slice) > limit)
        p->slice = tile_round_up(p->slice / 2, p->how->depth);
    return bytes_of_slice(p, p->slice) <= limit ||
           tile_shared_fits(p->e, p->op, bytes_of_slice(p, p->slice));
}

// Zeroes the rows before elements are written, if rows are longer than the operand's or if there
// are more of them than the operand has. Returns true if it emitted code.
static bool clear(struct tile_product *p, struct tile_mma_operand *o, uint32_t length,
                  tile_register shared)
{
    struct tile_emitter *e = p->e;
    uint32_t along = o->transposed ? o->extent : length, lines = o->transposed ? length : o->extent;
    uint32_t full = tile_round_up(along, o->transposed ? 8 : p->how->depth);
    uint32_t bytes = o->batch_bytes * p->batches, threads = 32 * e->warps;

    if (o->direct || o->ring || (along == full && lines == o->lines))
        return false;
    tile_register at = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", e->tid);
    tile_register to = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, shared);
    tile_register zero = tile_number32(e, 0), more = tile_new(e, TILE_PRED);
    uint32_t top = tile_label(e), done = tile_label(e);
    tile_put_label(e, top);
    tile_ins(e, "setp.ge.u32 %R, %R, %u", more, at, bytes);
    tile_branch(e, more, false, done);
    tile_ins(e, "st.shared.v4.b32 [%R+%u], {%R, %R, %R, %R}", to, o->at, zero, zero, zero, zero);
    tile_ins(e, "add.u32 %R, %R, %u", at, at, 16 * threads);
    tile_ins(e, "add.u32 %R, %R, %u", to, to, 16 * threads);
    tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, done);
    return true;
}

// Writes `length` elements, starting at depth coordinate `first`.
static void write_slice(struct tile_product *p, struct tile_mma_operand *o, uint32_t first,
                        uint32_t length, tile_register shared)
{
    struct tile_emitter *e = p->e;
    const struct tile_value *x = o->value;
    uint32_t rank = x->type.rank, along = o->transposed ? o->other : o->summed;
    uint32_t across = o->transposed ? o->summed : o->other, vector = 1;
    int64_t steps[TILE_MAX_RANK], step = o->batch_bytes;
    tile_register place = shared;

    if (o->direct || o->ring)
        return;
    for (uint32_t axis = rank - 2u; axis-- > 0;) {
        steps[axis] = step;
        step *= x->type.extent[axis];
    }
    steps[along] = o->bytes;
    steps[across] = o->pitch;
    for (uint32_t axis = 0; axis < rank; axis++)
        if (x->layout->axis_bits[axis])
            place = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R",
                              tile_thread_coordinate(e, x->layout, axis), (unsigned)steps[axis],
                              place);
    while (2 * vector * o->bytes <= 16 && vector < tile_register_count(x) &&
           x->layout->basis[__builtin_ctz(vector)] == vector << tile_axis_shift(x->layout, along) &&
           vector < UINT32_C(1) << x->layout->axis_bits[along] &&
           x->type.extent[along] % (int32_t)(2 * vector) == 0 &&
           (along != o->summed || (first % (2 * vector) == 0 && length % (2 * vector) == 0)))
        vector *= 2;
    uint32_t reach = tile_thread_mask(x->layout, o->summed);
    for (uint32_t r = 0; r < tile_register_count(x); r += vector) {
        uint32_t own = tile_register_coordinate(x->layout, r, o->summed);
        int64_t offset = (int64_t)o->at - steps[o->summed] * (int64_t)first;
        bool none;
        if (own >= first + length || own + reach < first || tile_repeats(x->layout, r))
            continue;
        tile_register inside = tile_inside_tile(e, x, r, &none);
        if (none)
            continue;
        if (own < first || own + reach >= first + length) {
            tile_register c = tile_element_coordinate(e, x, r, o->summed);
            c = tile_make(e, TILE_R32, "sub.u32 %R, %R, %u", c, first);
            inside =
                tile_both(e, inside, tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c, length));
        }
        for (uint32_t axis = 0; axis < rank; axis++)
            offset += steps[axis] * tile_register_coordinate(x->layout, r, axis);
        tile_emit_store(e, "", "shared", x->type.dtype, &o->reg[r], vector, place, offset, inside);
    }
}

static void add_step(struct tile_product *p, uint32_t step)
{
    tile_read_step(p, step, p->now, false);
    tile_multiply_step(p);
}

// Creates the addresses that advance with the loop, one for each distinct row address.
static void move_lines(struct tile_emitter *e, struct tile_mma_operand *o, bool copies,
                       uint32_t bytes)
{
    tile_register known[TILE_MOST_FRAGMENTS], moving[TILE_MOST_FRAGMENTS];
    uint32_t count = 0;

    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t n = 0;
        while (n < count && known[n] != o->fragment[i].line)
            n++;
        if (n == count) {
            known[count++] = o->fragment[i].line;
            moving[n] = known[n];
            if (copies)
                moving[n] = tile_make(e, TILE_R32, "mov.b32 %R, %R", known[n]);
            else
                tile_ins(e, "add.u32 %R, %R, %u", known[n], known[n], bytes);
        }
        o->fragment[i].line = moving[n];
    }
}

static uint32_t bytes_of_steps(const struct tile_product *p, const struct tile_mma_operand *o,
                               uint32_t steps)
{
    return steps * (o->transposed ? p->how->depth * o->pitch : (unsigned)TILE_STEP_BYTES);
}

static void add_slice(struct tile_product *p, uint32_t length)
{
    struct tile_emitter *e = p->e;
    uint32_t steps = tile_round_up(length, p->how->depth) / p->how->depth, unrolled = steps;
    // In one iteration, emit all steps that share a swizzle span.
    uint32_t span = (p->a.transposed ? 0 : p->a.span) | (p->b.transposed ? 0 : p->b.span);
    uint32_t least = span ? span / TILE_STEP_BYTES : 1;
    uint32_t most = e->target->brief ? BRIEF_PRODUCTS : TILE_MOST_PRODUCTS;

    while (!p->a.direct && unrolled > least && unrolled * p->count / 4 > most)
        unrolled = (unrolled + 1) / 2;
    if (unrolled == steps) {
        for (uint32_t step = 0; step < steps; step++)
            add_step(p, step);
        return;
    }
    for (uint32_t r = 0; p->first && p->in != p->sum && r < p->count; r++)
        tile_move(e, p->sum[r], p->in[r]);
    p->first = false;
    uint32_t iterations = steps / unrolled, rest = steps % unrolled, top = tile_label(e);
    tile_register left = tile_number32(e, (int32_t)iterations), more = tile_new(e, TILE_PRED);
    move_lines(e, &p->a, true, 0);
    move_lines(e, &p->b, true, 0);
    tile_put_label(e, top);
    for (uint32_t step = 0; step < unrolled; step++)
        add_step(p, step);
    move_lines(e, &p->a, false, bytes_of_steps(p, &p->a, unrolled));
    move_lines(e, &p->b, false, bytes_of_steps(p, &p->b, unrolled));
    tile_ins(e, "sub.u32 %R, %R, 1", left, left);
    tile_ins(e, "setp.ne.u32 %R, %R, 0", more, left);
    tile_branch(e, more, false, top);
    for (uint32_t step = 0; step < rest; step++)
        add_step(p, step);
}

// ---- Setup

// True if the registers of a in each warp already are the fragments that the warp multiplies.
static bool is_direct(const struct tile_product *p, const struct tile_value *x)
{
    uint32_t warp_bits = p->acc->layout->warp_bits;

    if (x->type.rank != 2 || cuc_dtype_bits(x->type.dtype) != 16 ||
        x->type.extent[1] % (int32_t)p->how->depth)
        return false;
    struct tile_layout left = tile_layout_left(&x->type, warp_bits);
    struct tile_layout own = tile_layout_fragment(&p->acc->type, warp_bits, true);
    for (uint32_t i = 0; i < warp_bits; i++)
        if (own.basis[own.register_bits + TILE_LANE_BITS + i] >> own.axis_bits[1] !=
            left.basis[left.register_bits + TILE_LANE_BITS + i] >> left.axis_bits[1])
            return false;
    return left.axis_bits[0] >= 4 && left.axis_bits[1] >= 4 && tile_layout_same(x->layout, &left) &&
           tile_layout_same(p->acc->layout, &own);
}

bool tile_set_mma_operand(struct tile_product *p, struct tile_mma_operand *o, uint32_t which)
{
    const struct tile_value *x = p->op->operand[which];
    const struct tile_prefetch_stream *stream = NULL;
    bool transposed;

    o->value = x;
    o->rounds = x->type.dtype == CUC_F32;
    o->bytes = tile_bytes_of(x->type.dtype);
    o->summed = which ? p->m : p->n;
    o->other = which ? p->n : p->m;
    o->extent = (uint32_t)x->type.extent[o->other];
    if (p->e->prefetch && p->op->parent == p->e->prefetch->loop->block[0])
        stream = tile_prefetch_stream_of(p->e->prefetch, x, &transposed);
    if (stream) {
        o->ring = true;
        o->transposed = stream->transposed;
        o->single = stream->single;
        o->pitch = stream->pitch;
        o->span = stream->span;
        o->lines = stream->lines;
        o->batch_bytes = stream->bytes;
        o->at = stream->at;
        return true;
    }
    o->single = tile_fragment_single(x->type.dtype, false);
    const tile_register *reg = tile_registers(p->e, x);
    uint32_t count = tile_register_count(x);
    o->reg = reg;
    // An operand smaller than a fragment is replicated, which requires rows along the depth axis.
    o->direct = !which && is_direct(p, x);
    o->transposed = o->bytes == 2 && !runs_along(x, o->summed) && o->extent >= 8 &&
                    p->acc->layout->axis_bits[o->other] >= (which ? 3 : 4);
    if (!reg)
        return false;
    if (x->type.dtype != CUC_F32 || p->thrice)
        return true;
    o->rounds = false; // the operand is rounded here, before it goes to shared memory
    tile_register *rounded = tile_take(p->e->module, count * sizeof(*rounded));
    for (uint32_t r = 0; rounded && r < count; r++)
        rounded[r] = tile_emit_cast(p->e, CUC_TF32, CUC_F32, TILE_RN, reg[r]);
    o->reg = rounded;
    return rounded != NULL;
}

bool tile_shape_product(struct tile_product *p, struct tile_emitter *e, const struct tile_op *op)
{
    *p = (struct tile_product){ .e = e, .op = op, .acc = op->result[0] };
    p->how = tile_fragment_of(op, e->target);
    p->thrice = op->operand[0]->type.dtype == CUC_F32 &&
                tile_int(op, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_TF32X3;
    p->m = p->acc->type.rank - 2u;
    p->n = p->acc->type.rank - 1u;
    p->count = tile_register_count(p->acc);
    p->depth = (uint32_t)op->operand[0]->type.extent[p->n];
    p->batches = 1;
    for (uint32_t axis = 0; axis < p->m; axis++)
        p->batches *= (uint32_t)p->acc->type.extent[axis];
    p->row = tile_take(e->module, p->count * sizeof(*p->row));
    p->column = tile_take(e->module, p->count * sizeof(*p->column));
    return p->row && p->column;
}

// True if the product can accumulate in the addend's registers: the addend has no other use and
// does not share its registers. A loop-carried value then stays in place.
static bool adds_in_place(const struct tile_product *p)
{
    const struct tile_value *in = p->op->operand[2];
    bool own = in->op ? in->op->kind == TILE_MUL || in->op->kind == TILE_ADD ||
                            in->op->kind == TILE_FMA
                      : in->block && in->block == p->op->parent;

    return own && in->uses == 1 && p->acc->type.dtype != CUC_F16 &&
           (!in->op || in->op->parent == p->op->parent) && !p->e->value[p->acc->id];
}

static bool set_accumulators(struct tile_product *p)
{
    struct tile_emitter *e = p->e;
    bool narrows = p->acc->type.dtype == CUC_F16;
    tile_register *in = tile_registers(e, p->op->operand[2]);
    if (in && adds_in_place(p))
        e->value[p->acc->id] = in;
    tile_register *out = tile_registers(e, p->acc), *wide = NULL;

    if (narrows)
        wide = tile_take(e->module, p->count * sizeof(*wide));
    if (!in || !out || (narrows && !wide))
        return false;
    for (uint32_t r = 0; r < p->count && narrows; r++)
        wide[r] = tile_widen(e, CUC_F16, in[r]);
    p->sum = narrows ? wide : out;
    p->in = narrows ? wide : in;
    p->first = true;
    return true;
}

static void return_accumulators(struct tile_product *p)
{
    tile_register *out = tile_registers(p->e, p->acc);

    for (uint32_t r = 0; r < p->count; r++)
        if (p->acc->type.dtype == CUC_F16)
            tile_move(p->e, out[r], tile_narrow(p->e, CUC_F16, p->sum[r]));
        else if (p->row[r / 4] == UINT32_MAX) // padding registers need a value
            tile_move(p->e, out[r], p->in[r]);
}

// True if every other step should have sums of its own: there are so few sums that each step waits
// for the one before.
static bool has_halves(const struct tile_product *p)
{
    enum { FEW_SUMS = 8, LEAST_STEPS = 4, MOST_STEPS = 8 };
    uint32_t steps = p->depth / p->how->depth;

    return tile_counts_waits(p->e, p->op) && p->acc->type.dtype == CUC_F32 && !p->thrice &&
           p->count <= FEW_SUMS && steps >= LEAST_STEPS && steps <= MOST_STEPS;
}

// Returns the scratch for the lines of a slice, beside what threads may still be reading if it is
// the only slice and small.
static tile_register take_scratch(struct tile_product *p, uint32_t bytes)
{
    uint32_t at;

    if (!bytes)
        return p->e->shared;
    if (p->slice < p->depth || !tile_counts_waits(p->e, p->op))
        return tile_scratch(p->e, bytes);
    tile_register shared = tile_scratch_beside(p->e, bytes, TILE_WAITS_BESIDE, &at);
    p->a.at += p->a.ring ? 0 : at;
    p->b.at += p->b.ring ? 0 : at;
    return shared;
}

static bool multiply_slices(struct tile_product *p)
{
    struct tile_emitter *e = p->e;

    for (uint32_t first = 0; first < p->depth; first += p->slice) {
        uint32_t length = p->depth - first < p->slice ? p->depth - first : p->slice;
        uint32_t bytes = bytes_of_slice(p, length);
        p->begins = first;
        tile_register shared = take_scratch(p, bytes);
        bool cleared = clear(p, &p->a, length, shared);
        cleared |= clear(p, &p->b, length, shared);
        if (cleared)
            tile_barrier(e);
        write_slice(p, &p->a, first, length, shared);
        write_slice(p, &p->b, first, length, shared);
        if (bytes)
            tile_scratch_written(e);
        tile_open_fragments(p, shared);
        if (!tile_open_parts(p))
            return false;
        add_slice(p, length);
        tile_close_parts(p);
    }
    return !e->failed;
}

bool tile_emit_mma_sync(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_product *p = e->prefetch_ring ? e->prefetch_ring->carried : NULL;

    if (p && p->op == op) {
        if (!set_accumulators(p) || !tile_multiply_carried(p))
            return false;
        return_accumulators(p);
        return !e->failed;
    }
    p = tile_take(e->module, sizeof(*p));
    if (!p || !tile_shape_product(p, e, op) || !set_accumulators(p) ||
        !tile_set_mma_operand(p, &p->a, 0) || !tile_set_mma_operand(p, &p->b, 1) ||
        !choose_slice(p))
        return false;
    if (!tile_find_fragments(p))
        return tile_cannot(e, op, "a warp has more than 128 fragments of an operand");
    p->halves = has_halves(p);
    if (!multiply_slices(p))
        return false;
    return_accumulators(p);
    return !e->failed;
}
