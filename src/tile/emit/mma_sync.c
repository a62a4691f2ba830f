// Products of matrices by mma.sync. Operands go from registers to shared memory, and from there by
// ldmatrix to where the tensor cores want them; accumulators stay in their fragments.
//
// An operand lies in shared memory in lines: along the axis that is summed over, or, where 16-bit
// elements come that way, along the other one. Lines are padded to an odd number of 16 bytes, so
// that ldmatrix meets no bank twice; what is missing of the last step of the summed axis is zeros.
#include "../layout/fragment.h"
#include "async.h"

#include <string.h>

enum {
    USUAL_BYTES = 64 * 1024,
    MOST_PRODUCTS = 256, // in a turn of the loop
};

enum {
    MOST_FRAGMENTS = 128, // of an operand, in a thread
    STEP_BYTES = 32,      // of the summed axis
};

struct tile_operand {
    const struct tile_value *value;
    const tile_register *reg;
    uint32_t bytes;         // of an element
    uint32_t summed, other; // axes of the value
    uint32_t extent;        // of the other axis
    bool turned;            // lines go along the other axis
    bool rounds;            // f32 to tf32, once it is in fragments
    bool ring;              // it was copied ahead, and lies in a stage
    bool direct;            // registers are fragments as they are
    uint32_t pitch;         // bytes of a line
    uint32_t lines;
    uint32_t batch_bytes;
    uint32_t at; // in the scratch
    // Fragments of the warp, by the coordinates that registers of the accumulator give.
    uint32_t count;
    struct {
        uint32_t batch, own;
        tile_register word[4];
        tile_register line; // address, without the step's part
        uint32_t offset;
    } fragment[MOST_FRAGMENTS];
};

struct tile_product {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_value *acc;
    const struct tile_fragment *how;
    struct tile_operand a, b;
    uint32_t m, n, batches, depth, slice;
    // Fragments, by group of 4 registers of the accumulator; UINT32_MAX: none.
    uint32_t *row, *column;
    tile_register *sum;
    uint32_t count;
    bool first;      // no product was added yet
    uint32_t begins; // the slice, along the summed axis
    const tile_register *in;
};

static uint32_t round_up(uint32_t x, uint32_t to)
{
    return (x + to - 1) / to * to;
}

// ---- Lines in shared memory

static uint32_t line_pitch(uint32_t bytes)
{
    uint32_t pitch = round_up(bytes, 16);

    return pitch % 32 ? pitch : pitch + 16;
}

// Registers of a thread follow one another along an axis.
static bool runs_along(const struct tile_value *x, uint32_t axis)
{
    return x->layout->register_bits &&
           x->layout->basis[0] == UINT32_C(1) << tile_axis_shift(x->layout, axis);
}

static void set_lines(const struct tile_product *p, struct tile_operand *o, uint32_t length)
{
    uint32_t along = o->turned ? round_up(o->extent, 8) : round_up(length, p->how->depth);

    o->pitch = line_pitch(along * o->bytes);
    o->lines = o->turned ? round_up(length, p->how->depth) : o->extent;
    o->batch_bytes = o->direct ? 0 : o->pitch * o->lines;
}

static uint32_t bytes_of_slice(struct tile_product *p, uint32_t length)
{
    struct tile_operand *operand[] = { &p->a, &p->b };
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
        p->slice = round_up(p->slice / 2, p->how->depth);
    return bytes_of_slice(p, p->slice) <= limit ||
           tile_shared_fits(p->e, p->op, bytes_of_slice(p, p->slice));
}

// Zeros where lines go beyond the operand, or are too many: all over, before elements are put
// there.
static bool clear(struct tile_product *p, struct tile_operand *o, uint32_t length,
                  tile_register shared)
{
    struct tile_emitter *e = p->e;
    uint32_t along = o->turned ? o->extent : length, lines = o->turned ? length : o->extent;
    uint32_t full = round_up(along, o->turned ? 8 : p->how->depth);
    uint32_t bytes = o->batch_bytes * p->batches, threads = 32 * e->warps;

    if (o->direct || o->ring || (along == full && lines == o->lines))
        return false;
    tile_register at = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", e->tid);
    tile_register to = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, shared);
    tile_register zero = tile_number32(e, 0), more = tile_new(e, TILE_PRED);
    uint32_t again = tile_label(e), done = tile_label(e);
    tile_put_label(e, again);
    tile_ins(e, "setp.ge.u32 %R, %R, %u", more, at, bytes);
    tile_branch(e, more, false, done);
    tile_ins(e, "st.shared.v4.b32 [%R+%u], {%R, %R, %R, %R}", to, o->at, zero, zero, zero, zero);
    tile_ins(e, "add.u32 %R, %R, %u", at, at, 16 * threads);
    tile_ins(e, "add.u32 %R, %R, %u", to, to, 16 * threads);
    tile_branch(e, TILE_NO_REGISTER, false, again);
    tile_put_label(e, done);
    return true;
}

// Elements whose coordinate along the summed axis is from `first` on, `length` of them.
static void write_slice(struct tile_product *p, struct tile_operand *o, uint32_t first,
                        uint32_t length, tile_register shared)
{
    struct tile_emitter *e = p->e;
    const struct tile_value *x = o->value;
    uint32_t rank = x->type.rank, along = o->turned ? o->other : o->summed;
    uint32_t across = o->turned ? o->summed : o->other, vector = 1;
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
    uint32_t reach = tile_thread_reach(x->layout, o->summed);
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

// ---- Fragments

static uint32_t find_fragment(struct tile_operand *o, uint32_t batch, uint32_t own)
{
    uint32_t i = 0;

    while (i < o->count && (o->fragment[i].batch != batch || o->fragment[i].own != own))
        i++;
    if (i == MOST_FRAGMENTS)
        return UINT32_MAX;
    if (i == o->count) {
        o->fragment[i].batch = batch;
        o->fragment[i].own = own;
        o->count++;
    }
    return i;
}

static uint32_t batch_of(const struct tile_product *p, uint32_t r)
{
    uint32_t batch = 0;

    for (uint32_t axis = 0; axis < p->m; axis++)
        batch = batch * (uint32_t)p->acc->type.extent[axis] +
                tile_register_coordinate(p->acc->layout, r, axis);
    return batch;
}

static bool find_fragments(struct tile_product *p)
{
    for (uint32_t group = 0; group < p->count / 4; group++) {
        bool none;
        uint32_t batch = batch_of(p, 4 * group);
        (void)tile_inside_tile(p->e, p->acc, 4 * group, &none);
        p->row[group] = p->column[group] = UINT32_MAX;
        if (none)
            continue;
        p->row[group] =
            find_fragment(&p->a, batch, tile_register_coordinate(p->acc->layout, 4 * group, p->m));
        p->column[group] =
            find_fragment(&p->b, batch, tile_register_coordinate(p->acc->layout, 4 * group, p->n));
        if (p->row[group] == UINT32_MAX || p->column[group] == UINT32_MAX)
            return false;
    }
    return true;
}

// The warp's own part of a coordinate of the accumulator: without the lane's, which has `bits`.
static tile_register warp_part(struct tile_product *p, uint32_t axis, tile_register lane)
{
    tile_register all = tile_thread_coordinate(p->e, p->acc->layout, axis);
    uint32_t mask = (UINT32_C(1) << p->acc->layout->axis_bits[axis]) - 1;
    tile_register part = tile_make(p->e, TILE_R32, "and.b32 %R, %R, %u", lane, mask);

    return tile_make(p->e, TILE_R32, "sub.u32 %R, %R, %R", all, part);
}

// The batch that warps and lanes give, in bytes.
static tile_register with_batches(struct tile_product *p, const struct tile_operand *o,
                                  tile_register at)
{
    uint32_t step = o->batch_bytes;

    for (uint32_t axis = p->m; axis-- > 0;) {
        if (p->acc->layout->axis_bits[axis] && tile_thread_reach(p->acc->layout, axis))
            at = tile_make(p->e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R",
                           tile_thread_coordinate(p->e, p->acc->layout, axis), step, at);
        step *= (uint32_t)p->acc->type.extent[axis];
    }
    return at;
}

// Where each lane's line of each fragment begins. `across`: the lane's own coordinate along the
// other axis in the fragment, `steps`: its 16 bytes along the summed axis, or its line.
static void open_lines(struct tile_product *p, struct tile_operand *o, tile_register shared,
                       uint32_t axis, tile_register warp, tile_register across, tile_register steps,
                       uint32_t size)
{
    struct tile_emitter *e = p->e;
    uint32_t physical = UINT32_C(1) << p->acc->layout->axis_bits[axis], reach;
    tile_register at = with_batches(p, o, shared), common = TILE_NO_REGISTER;

    // Along lines: 16 bytes to a step of 8 lanes, or a line each.
    at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", steps, o->turned ? o->pitch : 16, at);
    if (physical < size)
        across = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", across, physical - 1);
    tile_register own = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", warp, across);
    reach = tile_thread_reach(p->acc->layout, axis) | (size - 1);
    uint32_t step = o->turned ? o->bytes : o->pitch;
    for (uint32_t i = 0; i < o->count; i++) {
        uint32_t first = o->fragment[i].own;
        uint32_t offset = o->at + o->fragment[i].batch * o->batch_bytes;
        uint32_t most = o->turned ? round_up(o->extent, 8) - 8 : o->extent - 1;
        if (first + (o->turned ? reach & ~7u : reach) <= most) {
            if (!common)
                common = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", own, step, at);
            o->fragment[i].line = common;
            o->fragment[i].offset = offset + first * step;
            continue;
        }
        // Beyond the edge the last line is read again: what becomes of it is nobody's.
        tile_register x = first ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", own, first) : own;
        x = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", x, most);
        o->fragment[i].line = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", x, step, at);
        o->fragment[i].offset = offset;
    }
}

// Lines of what was copied ahead lie where they lie in stage 0, and so much further.
static void open_operand(struct tile_product *p, struct tile_operand *o, tile_register shared,
                         uint32_t axis, tile_register warp, tile_register across,
                         tile_register steps, uint32_t size)
{
    const struct tile_ring_ahead *ring = p->e->ring_ahead;
    tile_register known = TILE_NO_REGISTER, there = TILE_NO_REGISTER;

    open_lines(p, o, o->ring ? ring->base : shared, axis, warp, across, steps, size);
    for (uint32_t i = 0; i < o->count && o->ring; i++) {
        if (o->fragment[i].line != known) {
            known = o->fragment[i].line;
            there = tile_make(p->e, TILE_R32, "add.u32 %R, %R, %R", known, ring->stage);
        }
        o->fragment[i].line = there;
    }
}

static void open_fragments(struct tile_product *p, tile_register shared)
{
    struct tile_emitter *e = p->e;
    tile_register eight = tile_make(e, TILE_R32, "and.b32 %R, %R, 7", e->lane);
    tile_register second = tile_make(e, TILE_R32, "bfe.u32 %R, %R, 3, 1", e->lane);
    tile_register third = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane);
    tile_register row = warp_part(p, p->m, tile_make(e, TILE_R32, "shr.u32 %R, %R, 2", e->lane));
    tile_register pairs = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->lane);
    tile_register column = warp_part(p, p->n, tile_make(e, TILE_R32, "shl.b32 %R, %R, 1", pairs));
    tile_register x, y;

    // a: four 8x8 matrices, rows and the 8 below, then the same with what follows along the sum.
    if (p->a.turned) {
        x = tile_make(e, TILE_R32, "shl.b32 %R, %R, 3", second);
        y = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", third, eight);
    } else {
        x = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", second, eight);
        y = third;
    }
    if (!p->a.direct)
        open_operand(p, &p->a, shared, p->m, row, x, y, 16);
    // b: two for 8 columns, and two for the next 8, which are read with them where lines allow.
    if (p->b.turned) {
        x = tile_make(e, TILE_R32, "shl.b32 %R, %R, 3", third);
        y = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", second, eight);
    } else {
        x = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", third, eight);
        y = second;
    }
    open_operand(p, &p->b, shared, p->n, column, x, y, 8);
}

// The accumulator of one product as it is held is the left operand of the next: two fragments side
// by side are a step.
static void take_fragment(struct tile_product *p, struct tile_operand *o, uint32_t i, uint32_t step)
{
    const struct tile_value *x = o->value;
    uint32_t column = p->begins + step * p->how->depth, count = tile_register_count(x);

    for (uint32_t r = 0; r < count; r += 4) {
        uint32_t c = tile_register_coordinate(x->layout, r, 1);
        if (tile_register_coordinate(x->layout, r, 0) != o->fragment[i].own ||
            (c != column && c != column + 8))
            continue;
        for (uint32_t n = 0; n < 2; n++)
            o->fragment[i].word[(c == column ? 0 : 2) + n] = tile_make(
                p->e, TILE_R32, "mov.b32 %R, {%R, %R}", o->reg[r + 2 * n], o->reg[r + 2 * n + 1]);
    }
}

static void read_fragment(struct tile_product *p, struct tile_operand *o, uint32_t i, uint32_t step,
                          uint32_t words)
{
    struct tile_emitter *e = p->e;
    tile_register *w = o->fragment[i].word;
    uint32_t offset = o->fragment[i].offset +
                      step * (o->turned ? p->how->depth * o->pitch : (unsigned)STEP_BYTES);
    const char *turned = o->turned ? ".trans" : "";

    for (uint32_t n = 0; n < words; n++)
        w[n] = tile_new(e, TILE_R32);
    if (words == 4)
        tile_ins(e, "ldmatrix.sync.aligned.m8n8.x4%s.shared.b16 {%R, %R, %R, %R}, [%R+%u]", turned,
                 w[0], w[1], w[2], w[3], o->fragment[i].line, offset);
    else
        tile_ins(e, "ldmatrix.sync.aligned.m8n8.x2%s.shared.b16 {%R, %R}, [%R+%u]", turned, w[0],
                 w[1], o->fragment[i].line, offset);
    for (uint32_t n = 0; n < words && o->rounds; n++)
        w[n] = tile_emit_cast(e, CUC_TF32, CUC_F32, TILE_RN, w[n]);
}

// Two fragments of b side by side: what lanes from 16 on name is the second.
static bool is_pair(const struct tile_operand *o, uint32_t i)
{
    uint32_t step = o->turned ? o->bytes : o->pitch;

    return i + 1 < o->count && o->fragment[i + 1].batch == o->fragment[i].batch &&
           o->fragment[i + 1].own == o->fragment[i].own + 8 &&
           o->fragment[i + 1].line == o->fragment[i].line &&
           o->fragment[i + 1].offset == o->fragment[i].offset + 8 * step;
}

static void read_pair(struct tile_product *p, struct tile_operand *o, uint32_t i, uint32_t step)
{
    read_fragment(p, o, i, step, 4);
    for (uint32_t n = 0; n < 2; n++)
        o->fragment[i + 1].word[n] = o->fragment[i].word[2 + n];
}

// ---- Products

static void add_step(struct tile_product *p, uint32_t step)
{
    struct tile_emitter *e = p->e;
    const char *second = tile_fragment_name(p->op->operand[1]->type.dtype);
    const tile_register *from = p->first ? p->in : p->sum;

    for (uint32_t i = 0; i < p->a.count; i++)
        if (p->a.direct)
            take_fragment(p, &p->a, i, step);
        else
            read_fragment(p, &p->a, i, step, 4);
    for (uint32_t i = 0; i < p->b.count; i++)
        if (is_pair(&p->b, i))
            read_pair(p, &p->b, i++, step);
        else
            read_fragment(p, &p->b, i, step, 2);
    for (uint32_t group = 0; group < p->count / 4; group++) {
        if (p->row[group] == UINT32_MAX)
            continue;
        const tile_register *a = p->a.fragment[p->row[group]].word;
        const tile_register *b = p->b.fragment[p->column[group]].word;
        const tile_register *d = p->sum + 4 * group, *c = from + 4 * group;
        tile_ins(e,
                 "mma.sync.aligned.m16n8k%u.row.col.%s.%s.%s.%s {%R, %R, %R, %R}, "
                 "{%R, %R, %R, %R}, {%R, %R}, {%R, %R, %R, %R}",
                 p->how->depth, p->how->accumulator, p->how->name, second, p->how->accumulator,
                 d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1], c[0], c[1], c[2],
                 c[3]);
    }
    p->first = false;
}

// Addresses that move with the loop: one for each that fragments start at.
static void move_lines(struct tile_emitter *e, struct tile_operand *o, bool copies, uint32_t bytes)
{
    tile_register known[MOST_FRAGMENTS], moving[MOST_FRAGMENTS];
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

static uint32_t bytes_of_steps(const struct tile_product *p, const struct tile_operand *o,
                               uint32_t steps)
{
    return steps * (o->turned ? p->how->depth * o->pitch : (unsigned)STEP_BYTES);
}

static void add_slice(struct tile_product *p, uint32_t length)
{
    struct tile_emitter *e = p->e;
    uint32_t steps = round_up(length, p->how->depth) / p->how->depth, unrolled = steps;

    while (!p->a.direct && unrolled > 1 && unrolled * p->count / 4 > MOST_PRODUCTS)
        unrolled = (unrolled + 1) / 2;
    if (unrolled == steps) {
        for (uint32_t step = 0; step < steps; step++)
            add_step(p, step);
        return;
    }
    for (uint32_t r = 0; p->first && p->in != p->sum && r < p->count; r++)
        tile_move(e, p->sum[r], p->in[r]);
    p->first = false;
    uint32_t turns = steps / unrolled, rest = steps % unrolled, again = tile_label(e);
    tile_register left = tile_number32(e, (int32_t)turns), more = tile_new(e, TILE_PRED);
    move_lines(e, &p->a, true, 0);
    move_lines(e, &p->b, true, 0);
    tile_put_label(e, again);
    for (uint32_t step = 0; step < unrolled; step++)
        add_step(p, step);
    move_lines(e, &p->a, false, bytes_of_steps(p, &p->a, unrolled));
    move_lines(e, &p->b, false, bytes_of_steps(p, &p->b, unrolled));
    tile_ins(e, "sub.u32 %R, %R, 1", left, left);
    tile_ins(e, "setp.ne.u32 %R, %R, 0", more, left);
    tile_branch(e, more, false, again);
    for (uint32_t step = 0; step < rest; step++)
        add_step(p, step);
}

// ---- Set up

// A warp's registers of the left operand are the fragments that it multiplies.
static bool is_direct(const struct tile_product *p, const struct tile_value *x)
{
    uint32_t warp_bits = p->acc->layout->warp_bits;

    if (x->type.rank != 2 || cuc_dtype_bits(x->type.dtype) != 16 ||
        x->type.extent[1] % (int32_t)p->how->depth)
        return false;
    struct tile_layout left = tile_layout_fragment(&x->type, warp_bits, true);
    struct tile_layout own = tile_layout_fragment(&p->acc->type, warp_bits, true);
    uint32_t columns = (UINT32_C(1) << left.axis_bits[1]) - 1;
    for (uint32_t i = 0; i < warp_bits; i++)
        if (left.basis[left.register_bits + TILE_LANE_BITS + i] & columns ||
            own.basis[own.register_bits + TILE_LANE_BITS + i] >> own.axis_bits[1] !=
                left.basis[left.register_bits + TILE_LANE_BITS + i] >> left.axis_bits[1])
            return false;
    return left.axis_bits[0] >= 4 && left.axis_bits[1] >= 4 && tile_layout_same(x->layout, &left) &&
           tile_layout_same(p->acc->layout, &own);
}

static bool set_operand(struct tile_product *p, struct tile_operand *o, uint32_t which)
{
    const struct tile_value *x = p->op->operand[which];
    const struct tile_ahead_stream *stream = NULL;
    bool turns;

    o->value = x;
    o->bytes = cuc_dtype_bits(x->type.dtype) / 8;
    o->summed = which ? p->m : p->n;
    o->other = which ? p->n : p->m;
    o->extent = (uint32_t)x->type.extent[o->other];
    if (p->e->ahead && p->op->parent == p->e->ahead->loop->block[0])
        stream = tile_ahead_stream_of(p->e->ahead, x, &turns);
    if (stream) {
        o->ring = true;
        o->rounds = x->type.dtype == CUC_F32;
        o->turned = stream->turned;
        o->pitch = stream->pitch;
        o->lines = stream->lines;
        o->batch_bytes = stream->bytes;
        o->at = stream->at;
        return true;
    }
    const tile_register *reg = tile_registers(p->e, x);
    uint32_t count = tile_register_count(x);
    o->reg = reg;
    // A small side is held several times, which takes whole lines.
    o->direct = !which && is_direct(p, x);
    o->turned = o->bytes == 2 && !runs_along(x, o->summed) && o->extent >= 8 &&
                p->acc->layout->axis_bits[o->other] >= (which ? 3 : 4);
    if (!reg)
        return false;
    if (x->type.dtype != CUC_F32)
        return true;
    tile_register *rounded = tile_take(p->e->module, count * sizeof(*rounded));
    for (uint32_t r = 0; rounded && r < count; r++)
        rounded[r] = tile_emit_cast(p->e, CUC_TF32, CUC_F32, TILE_RN, reg[r]);
    o->reg = rounded;
    return rounded != NULL;
}

static bool shape_product(struct tile_product *p, struct tile_emitter *e, const struct tile_op *op)
{
    *p = (struct tile_product){ .e = e, .op = op, .acc = op->result[0] };
    p->how = tile_fragment_of(op, e->target);
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

// What is added to is nobody else's, and has registers of its own: it becomes the sum. What a loop
// carries stays in its registers then.
static bool adds_in_place(const struct tile_product *p)
{
    const struct tile_value *in = p->op->operand[2];
    bool own = in->op ? in->op->kind == TILE_MUL || in->op->kind == TILE_ADD ||
                            in->op->kind == TILE_FMA
                      : in->block && in->block == p->op->parent;

    return own && tile_uses(p->e->kernel, in) == 1 && p->acc->type.dtype != CUC_F16 &&
           (!in->op || in->op->parent == p->op->parent) && !p->e->value[p->acc->id];
}

static bool set_up(struct tile_product *p)
{
    struct tile_emitter *e = p->e;
    bool narrows = p->acc->type.dtype == CUC_F16;
    tile_register *in = tile_registers(e, p->op->operand[2]);
    if (in && adds_in_place(p))
        e->value[p->acc->id] = in;
    tile_register *out = tile_registers(e, p->acc), *wide = NULL;

    if (narrows)
        wide = tile_take(e->module, p->count * sizeof(*wide));
    if (!in || !out || (narrows && !wide) || !set_operand(p, &p->a, 0) || !set_operand(p, &p->b, 1))
        return false;
    for (uint32_t r = 0; r < p->count && narrows; r++)
        wide[r] = tile_widen(e, CUC_F16, in[r]);
    p->sum = narrows ? wide : out;
    p->in = narrows ? wide : in;
    p->first = true;
    return choose_slice(p);
}

bool tile_emit_mma_sync(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_product *p = tile_take(e->module, sizeof(*p));

    if (!p || !shape_product(p, e, op) || !set_up(p))
        return false;
    if (!find_fragments(p))
        return tile_cannot(e, op, "a warp has more than 128 fragments of an operand");
    for (uint32_t first = 0; first < p->depth; first += p->slice) {
        uint32_t length = p->depth - first < p->slice ? p->depth - first : p->slice;
        uint32_t bytes = bytes_of_slice(p, length);
        p->begins = first;
        tile_register shared = bytes ? tile_scratch(e, bytes) : e->shared;
        bool cleared = clear(p, &p->a, length, shared);
        cleared |= clear(p, &p->b, length, shared);
        if (cleared)
            tile_barrier(e);
        write_slice(p, &p->a, first, length, shared);
        write_slice(p, &p->b, first, length, shared);
        if (bytes)
            tile_scratch_written(e);
        open_fragments(p, shared);
        add_slice(p, length);
    }
    tile_register *out = tile_registers(e, op->result[0]);
    for (uint32_t r = 0; r < p->count; r++)
        if (op->result[0]->type.dtype == CUC_F16)
            tile_move(e, out[r], tile_narrow(e, CUC_F16, p->sum[r]));
        else if (p->row[r / 4] == UINT32_MAX) // padding is something
            tile_move(e, out[r], p->in[r]);
    return !e->failed;
}
