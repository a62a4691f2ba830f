// Matrix products as scalar multiply-adds, for all dtypes and shapes.
//
// Each thread holds its part of the accumulator. The operands go through shared memory, one slice
// of the depth axis at a time if they do not fit whole. A loop reads the elements of the thread's
// rows and columns and accumulates their products in f32, f64 or i32. An f16 accumulator is summed
// in f32 and rounded once.
#include "emit.h"

#include <string.h>

enum { USUAL_BYTES = 48 * 1024, FEW = 32, MOST_UNROLLED = 4, MOST_PRODUCTS = 512 };

// A row of a, or a column of b, shared by several registers of the accumulator.
struct line {
    uint32_t own[TILE_MAX_RANK]; // the registers' coordinates on the axes of this side
    tile_register start, at;     // addresses of its first element and of the next element that the
                                 // loop reads
    int64_t offset;
    tile_register value[MOST_UNROLLED]; // values in the current iteration
};

struct side {
    const struct tile_value *value;
    tile_register *reg;
    uint32_t bytes;              // size of an element
    uint32_t summed;             // the depth axis
    int64_t step[TILE_MAX_RANK]; // stride in bytes along each axis of the accumulator; 0 if the
                                 // axis belongs to the other side
    int64_t next;                // stride in bytes between consecutive terms of the sums
    struct line *line;
    uint32_t lines, *line_of; // number of rows or columns; the one of each accumulator register
    uint32_t vector;          // number of terms, or of columns, per read
};

struct product {
    struct tile_emitter *e;
    const struct tile_op *op;
    const struct tile_value *acc; // the result
    struct side side[2];
    cuc_dtype dtype;    // accumulator type
    tile_register *sum; // by register
    uint32_t count, m, n, depth;
    int64_t batches, rows, columns;
    uint32_t slice, unrolled;
    uint32_t length; // number of terms in this slice
    uint32_t second; // start of b's elements in shared memory
};

static uint64_t round_up(uint64_t bytes)
{
    return (bytes + 15) & ~UINT64_C(15);
}

static uint64_t slice_bytes(const struct product *p, uint64_t terms)
{
    return round_up((uint64_t)(p->batches * p->rows) * terms * p->side[0].bytes) +
           round_up((uint64_t)(p->batches * p->columns) * terms * p->side[1].bytes);
}

// Chooses the number of terms in a slice: as many as fit in USUAL_BYTES of shared memory. If fewer
// than FEW fit, as many as fit in all of shared memory.
static uint32_t choose_slice(const struct product *p)
{
    const uint64_t limits[] = { USUAL_BYTES, p->e->target->shared_limit };
    uint32_t slice = 0;

    for (uint32_t i = 0; i < 2 && slice < p->depth && slice < FEW; i++) {
        slice = p->depth;
        while (slice && slice_bytes(p, slice) > limits[i])
            slice = slice > 8 ? (slice / 2 + 7) & ~UINT32_C(7) : slice - 1;
    }
    return slice;
}

// Writing elements to shared memory

// Writes `length` elements, starting at depth coordinate `first`, in row-major order.
static void write_slice(struct product *p, struct side *s, int64_t at, uint32_t first,
                        uint32_t length, tile_register shared)
{
    struct tile_emitter *e = p->e;
    const struct tile_value *x = s->value;
    int64_t step = s->bytes, steps[TILE_MAX_RANK];
    tile_register place = shared;

    if (length == p->depth) {
        tile_write_shared(e, x, s->reg, shared, at, NULL);
        return;
    }
    for (uint32_t axis = x->type.rank; axis-- > 0;) {
        tile_register c = tile_thread_coordinate(e, x->layout, axis);
        steps[axis] = step;
        place = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", c, (unsigned)step, place);
        step *= axis == s->summed ? (int64_t)length : x->type.extent[axis];
    }
    uint32_t reach = tile_thread_mask(x->layout, s->summed);
    for (uint32_t r = 0; r < tile_register_count(x); r++) {
        uint32_t own = tile_register_coordinate(x->layout, r, s->summed);
        int64_t offset = at - steps[s->summed] * first;
        bool none;
        if (own >= first + length || own + reach < first)
            continue;
        tile_register inside = tile_inside_tile(e, x, r, &none);
        if (none)
            continue;
        if (own < first || own + reach >= first + length) {
            tile_register c = tile_element_coordinate(e, x, r, s->summed);
            c = tile_make(e, TILE_R32, "sub.u32 %R, %R, %u", c, first);
            inside =
                tile_both(e, inside, tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c, length));
        }
        for (uint32_t axis = 0; axis < x->type.rank; axis++)
            offset += steps[axis] * tile_register_coordinate(x->layout, r, axis);
        tile_emit_store(e, "", "shared", x->type.dtype, &s->reg[r], 1, place, offset, inside);
    }
}

// Lines

static uint32_t find_line(struct product *p, struct side *s, uint32_t r)
{
    uint32_t own[TILE_MAX_RANK] = { 0 }, i;

    for (uint32_t axis = 0; axis < p->acc->type.rank; axis++)
        if (s->step[axis])
            own[axis] = tile_register_coordinate(p->acc->layout, r, axis);
    for (i = 0; i < s->lines; i++)
        if (memcmp(s->line[i].own, own, sizeof(own)) == 0)
            return i;
    memcpy(s->line[s->lines].own, own, sizeof(own));
    return s->lines++;
}

// Computes the start of each row or column, as a register of the thread plus an offset. If it may
// lie past the tile's edge, it gets a separate register, clamped to the last row or column. The
// sums of a clamped row or column are unused.
static void open_lines(struct product *p, struct side *s, tile_register shared, int64_t at)
{
    struct tile_emitter *e = p->e;
    const struct tile_value *acc = p->acc;
    tile_register all = shared;

    for (uint32_t axis = 0; axis < acc->type.rank; axis++)
        if (s->step[axis] && acc->layout->axis_bits[axis])
            all = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R",
                            tile_thread_coordinate(e, acc->layout, axis), (unsigned)s->step[axis],
                            all);
    for (uint32_t i = 0; i < s->lines; i++) {
        struct line *line = &s->line[i];
        bool ragged = false;
        line->start = all;
        line->offset = at;
        for (uint32_t axis = 0; axis < acc->type.rank; axis++) {
            line->offset += s->step[axis] * line->own[axis];
            ragged |= s->step[axis] && line->own[axis] + tile_thread_mask(acc->layout, axis) >=
                                           (uint32_t)acc->type.extent[axis];
        }
        if (!ragged)
            continue;
        line->start = shared;
        line->offset = at;
        for (uint32_t axis = 0; axis < acc->type.rank; axis++) {
            if (!s->step[axis])
                continue;
            tile_register c = tile_thread_coordinate(e, acc->layout, axis);
            if (line->own[axis])
                c = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", c, line->own[axis]);
            c = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", c,
                          (unsigned)acc->type.extent[axis] - 1);
            line->start = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", c,
                                    (unsigned)s->step[axis], line->start);
        }
    }
}

// Creates one advancing register for each distinct start of a row or column.
static void start_lines(struct product *p, struct side *s)
{
    for (uint32_t i = 0; i < s->lines; i++) {
        uint32_t same = 0;
        while (same < i && s->line[same].start != s->line[i].start)
            same++;
        if (same < i)
            s->line[i].at = s->line[same].at;
        else
            s->line[i].at = tile_make(p->e, TILE_R32, "mov.b32 %R, %R", s->line[i].start);
    }
}

static void move_lines(struct product *p, struct side *s, uint32_t terms)
{
    for (uint32_t i = 0; i < s->lines; i++) {
        bool first = true;
        for (uint32_t n = 0; n < i; n++)
            first &= s->line[n].at != s->line[i].at;
        if (first)
            tile_ins(p->e, "add.u32 %R, %R, %u", s->line[i].at, s->line[i].at,
                     (unsigned)(s->next * terms));
    }
}

// The loop

static tile_register as_accumulator(struct product *p, cuc_dtype dtype, tile_register x)
{
    return p->dtype == CUC_I32 || p->dtype == dtype || dtype == CUC_TF32
               ? x
               : tile_emit_cast(p->e, p->dtype, dtype, TILE_RN, x);
}

// Reads contiguous elements with one load: for a, terms of one row; for b, the same term of
// neighboring columns.
static void read_lines(struct product *p, struct side *s, uint32_t terms)
{
    struct tile_emitter *e = p->e;
    cuc_dtype dtype = s->value->type.dtype;
    bool along = s == &p->side[0];
    tile_register read[16];

    for (uint32_t i = 0; i < s->lines; i++)
        for (uint32_t k = 0; k < terms; k++)
            s->line[i].value[k] = TILE_NO_REGISTER;
    for (uint32_t i = 0; i < s->lines; i++) {
        struct line *line = &s->line[i];
        uint32_t vector = 1, columns = 1;
        if (along)
            while (vector < terms && 2 * vector * s->bytes <= 16 && p->length % (2 * vector) == 0)
                vector *= 2;
        // Double the number of columns as long as they are at consecutive addresses.
        while (!along && i + 2 * columns <= s->lines && 2 * columns * s->bytes <= 16 &&
               p->columns % (2 * columns) == 0 && line->own[p->n] % (2 * columns) == 0) {
            bool follow = true;
            for (uint32_t c = columns; c < 2 * columns; c++)
                follow &= s->line[i + c].at == line->at &&
                          s->line[i + c].offset == line->offset + c * s->bytes;
            // The thread's part of the coordinate must be a multiple of 2 * columns, too.
            uint32_t shift = tile_axis_shift(p->acc->layout, p->n);
            for (uint32_t bit = 0; UINT32_C(1) << bit < 2 * columns; bit++)
                follow &= tile_hardware_bit(p->acc->layout, shift + bit) <
                          p->acc->layout->register_bits;
            if (!follow)
                break;
            columns *= 2;
        }
        if (line->value[0])
            continue;
        for (uint32_t k = 0; k < terms; k += vector) {
            uint32_t read_at_once = vector * columns;
            for (uint32_t v = 0; v < read_at_once; v++)
                read[v] = tile_new(e, tile_class_of(dtype));
            tile_emit_load(e, "", "shared", dtype, read, read_at_once, line->at,
                           line->offset + (int64_t)k * s->next, TILE_NO_REGISTER);
            for (uint32_t v = 0; v < read_at_once; v++)
                s->line[i + v % columns].value[k + v / columns] = as_accumulator(p, dtype, read[v]);
        }
    }
}

static void add_products(struct product *p, uint32_t terms)
{
    const char *fma = p->dtype == CUC_F64   ? "fma.rn.f64 %R, %R, %R, %R"
                      : p->dtype == CUC_I32 ? "mad.lo.s32 %R, %R, %R, %R"
                                            : "fma.rn.f32 %R, %R, %R, %R";

    for (uint32_t k = 0; k < terms; k++)
        for (uint32_t r = 0; r < p->count; r++) {
            if (p->side[0].line_of[r] == UINT32_MAX) // only padding
                continue;
            tile_ins(p->e, fma, p->sum[r], p->side[0].line[p->side[0].line_of[r]].value[k],
                     p->side[1].line[p->side[1].line_of[r]].value[k], p->sum[r]);
        }
}

static void iteration(struct product *p, uint32_t terms)
{
    for (uint32_t i = 0; i < 2; i++)
        read_lines(p, &p->side[i], terms);
    add_products(p, terms);
}

static void add_slice(struct product *p, uint32_t length)
{
    struct tile_emitter *e = p->e;
    uint32_t iterations = length / p->unrolled, rest = length % p->unrolled;

    for (uint32_t i = 0; i < 2; i++)
        start_lines(p, &p->side[i]);
    if (iterations > 1) {
        uint32_t top = tile_label(e);
        tile_register left = tile_number32(e, (int32_t)iterations), more = tile_new(e, TILE_PRED);
        tile_put_label(e, top);
        iteration(p, p->unrolled);
        for (uint32_t i = 0; i < 2; i++)
            move_lines(p, &p->side[i], p->unrolled);
        tile_ins(e, "sub.u32 %R, %R, 1", left, left);
        tile_ins(e, "setp.ne.u32 %R, %R, 0", more, left);
        tile_branch(e, more, false, top);
    } else if (iterations) {
        iteration(p, p->unrolled);
        for (uint32_t i = 0; i < 2 && rest; i++)
            move_lines(p, &p->side[i], p->unrolled);
    }
    for (uint32_t k = 0; k < rest; k++) {
        iteration(p, 1);
        for (uint32_t i = 0; i < 2 && k + 1 < rest; i++)
            move_lines(p, &p->side[i], 1);
    }
}

// Setup

// Computes the stride in bytes along each axis of the accumulator, for slices of this length.
static void set_steps(struct product *p, uint32_t length)
{
    for (uint32_t i = 0; i < 2; i++) {
        struct side *s = &p->side[i];
        int64_t step = s->bytes * (int64_t)length * (i ? p->columns : p->rows);
        memset(s->step, 0, sizeof(s->step));
        for (uint32_t axis = p->m; axis-- > 0;) {
            s->step[axis] = step;
            step *= p->acc->type.extent[axis];
        }
        if (i)
            s->step[p->n] = s->bytes;
        else
            s->step[p->m] = (int64_t)length * s->bytes;
        s->next = i ? p->columns * s->bytes : s->bytes;
    }
    p->length = length;
    p->second = (uint32_t)round_up((uint64_t)(p->batches * p->rows) * length * p->side[0].bytes);
}

static bool set_up(struct product *p)
{
    const struct tile_op *op = p->op;
    struct tile_emitter *e = p->e;
    bool tf32 = tile_int(op, TILE_ATTR_PRECISION, TILE_IEEE) == TILE_TF32;

    for (uint32_t i = 0; i < 2; i++) {
        struct side *s = &p->side[i];
        s->value = op->operand[i];
        s->bytes = tile_bytes_of(s->value->type.dtype);
        s->summed = i ? p->m : p->n;
        s->line = tile_take(e->module, p->count * sizeof(*s->line));
        s->line_of = tile_take(e->module, p->count * sizeof(*s->line_of));
        s->reg = tile_registers(e, s->value);
        if (!s->line || !s->line_of || !s->reg)
            return false;
        if (tf32 && s->value->type.dtype == CUC_F32) {
            uint32_t count = tile_register_count(s->value);
            tile_register *rounded = tile_take(e->module, count * sizeof(*rounded));
            for (uint32_t r = 0; rounded && r < count; r++)
                rounded[r] = tile_emit_cast(e, CUC_TF32, CUC_F32, TILE_RN, s->reg[r]);
            s->reg = rounded;
            if (!rounded)
                return false;
        }
    }
    p->slice = choose_slice(p);
    if (!p->slice)
        return tile_shared_fits(e, op, slice_bytes(p, 1)) && false;
    p->unrolled = MOST_UNROLLED;
    while (p->unrolled > 1 && p->unrolled * p->count > MOST_PRODUCTS)
        p->unrolled /= 2;
    set_steps(p, p->slice);
    for (uint32_t r = 0; r < p->count; r++) {
        bool none;
        (void)tile_inside_tile(e, p->acc, r, &none);
        for (uint32_t i = 0; i < 2; i++)
            p->side[i].line_of[r] = none ? UINT32_MAX : find_line(p, &p->side[i], r);
    }
    return true;
}

bool tile_emit_mma(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_value *acc = op->result[0];
    const struct tile_type *a = &op->operand[0]->type;
    bool narrows = acc->type.dtype == CUC_F16;
    struct product p = { .e = e,
                         .op = op,
                         .acc = acc,
                         .dtype = narrows ? CUC_F32 : acc->type.dtype,
                         .count = tile_register_count(acc),
                         .m = acc->type.rank - 2u,
                         .n = acc->type.rank - 1u };
    const tile_register *in = tile_registers(e, op->operand[2]);
    tile_register *out = tile_registers(e, acc);

    p.rows = acc->type.extent[p.m];
    p.columns = acc->type.extent[p.n];
    p.batches = tile_elements(&acc->type) / (p.rows * p.columns);
    p.depth = (uint32_t)a->extent[p.n];
    p.sum = narrows ? tile_take(e->module, p.count * sizeof(*p.sum)) : out;
    if (!in || !out || !p.sum || !set_up(&p))
        return false;
    for (uint32_t r = 0; r < p.count; r++) {
        if (narrows)
            p.sum[r] = tile_widen(e, CUC_F16, in[r]);
        else
            tile_move(e, out[r], in[r]);
    }
    for (uint32_t first = 0; first < p.depth; first += p.slice) {
        uint32_t length = p.depth - first < p.slice ? p.depth - first : p.slice;
        set_steps(&p, length);
        tile_register shared = tile_scratch(e, (uint32_t)slice_bytes(&p, length));
        write_slice(&p, &p.side[0], 0, first, length, shared);
        write_slice(&p, &p.side[1], p.second, first, length, shared);
        tile_scratch_written(e);
        for (uint32_t i = 0; i < 2; i++)
            open_lines(&p, &p.side[i], shared, i ? p.second : 0);
        add_slice(&p, length);
    }
    for (uint32_t r = 0; r < p.count && narrows; r++)
        tile_move(e, out[r], tile_narrow(e, CUC_F16, p.sum[r]));
    return !e->failed;
}
