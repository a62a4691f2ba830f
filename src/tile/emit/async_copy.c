// A thread's copies of one operand's stage (async.c).
//
// Each thread copies the same 16-byte pieces in every stage. A tile that lies entirely inside its
// tensor is copied without checks. At an edge, each copy gets the number of bytes that are inside
// the tensor and fills the rest with zeros.
#include "async.h"

#include "tile/layout/fragment.h"

enum { PIECE_BYTES = 16 };

static tile_register plus64(struct tile_emitter *e, tile_register x, tile_register y)
{
    return tile_make(e, TILE_R64, "add.s64 %R, %R, %R", x, y);
}

// Converts a number of elements along an axis to bytes.
static tile_register distance(struct tile_emitter *e, const struct tile_copier *c, uint32_t axis,
                              tile_register elements)
{
    return tile_distance(e, elements, &c->view->stride[axis], c->stream->element);
}

// Converts an index to the coordinate of the tile's first element. Clamps the index so that the
// product does not wrap: an index far outside stays far outside.
static tile_register first_of(struct tile_emitter *e, const struct tile_value *index,
                              int64_t extent)
{
    const int64_t most = INT64_C(1) << 38, product = INT64_C(1) << 61;
    struct tile_range range = tile_range_of(e->ranges, index);
    bool open = index->type.dtype == CUC_U64 && range.low < 0;
    tile_register x =
        tile_emit_cast(e, CUC_I64, index->type.dtype, TILE_RN, tile_registers(e, index)[0]);

    if (open)
        x = tile_make(e, TILE_R64, "min.u64 %R, %R, %l", x, most);
    if (open || range.low < -(product / extent) || range.high > product / extent) {
        x = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", x, most);
        x = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, -most);
    }
    return tile_scale(e, x, extent);
}

// True if the index changes between iterations.
static bool is_moving(const struct tile_prefetch *plan, const struct tile_value *index)
{
    return index == plan->loop->block[0]->argument[0] || plan->wanted[index->id];
}

// True if a tile is known to lie inside along an axis.
static bool is_inside(const struct tile_emitter *e, const struct tile_copier *c, uint32_t axis)
{
    const struct tile_op *load = c->stream->load;
    const struct tile_value *index = load->operand[1 + axis];
    const struct tile_size *size = &c->view->extent[axis];
    int64_t extent = tile_prefetch_extent(c->stream, axis);
    struct tile_range range = tile_range_of(e->ranges, index);

    return (!size->reg && range.low >= 0 && range.high < size->value / extent) ||
           tile_grid_keeps_inside(e->ranges, index, extent, extent, load->operand[0], axis);
}

// Adds offsets to an address: along the axes whose index changes in the loop (`moving`), or along
// the other axes. Returns a predicate: the tile lies inside along these axes (TILE_NO_REGISTER:
// always).
static tile_register add_axes(struct tile_emitter *e, const struct tile_copier *c, bool moving,
                              tile_register at, tile_register *inside)
{
    const struct tile_op *load = c->stream->load;

    for (uint32_t axis = c->stream->rows; axis <= c->stream->last; axis++) {
        const struct tile_value *index = load->operand[1 + axis];
        int64_t extent = tile_prefetch_extent(c->stream, axis);
        if (is_moving(e->prefetch_ring->plan, index) != moving)
            continue;
        tile_register first = first_of(e, index, extent);
        at = plus64(e, at, distance(e, c, axis, first));
        if (is_inside(e, c, axis))
            continue;
        tile_register size = tile_size_register(e, &c->view->extent[axis]);
        tile_register end = tile_make(e, TILE_R64, "add.s64 %R, %R, %l", first, extent);
        *inside =
            tile_both(e, *inside, tile_make(e, TILE_PRED, "setp.le.s64 %R, %R, %R", end, size));
        if (tile_range_of(e->ranges, index).low < 0)
            *inside =
                tile_both(e, *inside, tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", first));
    }
    return at;
}

// True if the loop variable is the only changing value on which a tile's position depends.
static bool is_linear(const struct tile_emitter *e, const struct tile_copier *c)
{
    const struct tile_op *load = c->stream->load, *loop = e->prefetch_ring->plan->loop;
    const struct tile_value *variable = loop->block[0]->argument[0];

    if (c->stream->rows)
        return false;
    for (uint32_t axis = 0; axis <= c->stream->last; axis++)
        if (load->operand[1 + axis] != variable &&
            is_moving(e->prefetch_ring->plan, load->operand[1 + axis]))
            return false;
    return tile_range_of(e->ranges, variable).low >= 0;
}

static tile_register wide_of(struct tile_emitter *e, const struct tile_value *value)
{
    return tile_emit_cast(e, CUC_I64, value->type.dtype, TILE_RN, tile_registers(e, value)[0]);
}

// Returns the number of whole tiles along an axis. Avoids a 64-bit division, which would be a call.
static tile_register whole_tiles(struct tile_emitter *e, tile_register size, int64_t extent)
{
    if (extent & (extent - 1))
        return tile_divide_by_constant(e, TILE_FLOORDIV, size, (uint64_t)extent);
    return tile_make(e, TILE_R64, "shr.s64 %R, %R, %u", size, tile_bits_of(extent));
}

// Sets up the first tile's address and the step to the next tile.
static void make_linear(struct tile_emitter *e, struct tile_copier *c)
{
    const struct tile_op *load = c->stream->load, *loop = e->prefetch_ring->plan->loop;
    const struct tile_attribute *shape = tile_attribute(load, TILE_ATTR_SHAPE);
    const struct tile_value *variable = loop->block[0]->argument[0];
    tile_register step = wide_of(e, loop->operand[2]);

    c->until = wide_of(e, loop->operand[1]);
    c->advance = tile_number64(e, 0);
    for (uint32_t axis = 0; axis < shape->count; axis++) {
        int64_t extent = shape->ints[axis];
        if (load->operand[1 + axis] != variable)
            continue;
        tile_register first = first_of(e, variable, extent);
        tile_register elements = tile_scale(e, step, extent);
        tile_register size = tile_size_register(e, &c->view->extent[axis]);
        tile_register whole = whole_tiles(e, size, extent);
        c->origin = plus64(e, c->origin, distance(e, c, axis, first));
        c->advance = plus64(e, c->advance, distance(e, c, axis, elements));
        c->until = tile_make(e, TILE_R64, "min.s64 %R, %R, %R", c->until, whole);
    }
}

// Applies the swizzle of a row to a position.
static tile_register flipped(struct tile_emitter *e, const struct tile_prefetch_stream *s,
                             tile_register place, tile_register line)
{
    tile_register flip = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", line, s->span / 8);

    flip = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", flip, s->span - PIECE_BYTES);
    return tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", place, flip);
}

void tile_open_copier(struct tile_emitter *e, struct tile_copier *c,
                      const struct tile_prefetch_stream *s, tile_register shared)
{
    uint32_t threads = 32 * e->warps;

    c->stream = s;
    c->view = &e->view[s->load->operand[0]->id];
    c->pieces = (uint32_t)tile_prefetch_extent(s, s->last) * s->element / PIECE_BYTES;
    c->lines = threads / c->pieces;
    c->iterations = (s->lines + c->lines - 1) / c->lines;
    c->piece = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, c->pieces - 1);
    c->line = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", e->tid, tile_bits_of(c->pieces));
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", c->line);
    tile_register along =
        tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", c->piece, (unsigned)PIECE_BYTES);
    bool alone = s->rows && s->each == 1; // each line has an id of its own
    tile_register own = alone ? along : plus64(e, distance(e, c, s->other, wide), along);
    c->origin = add_axes(e, c, false, plus64(e, c->view->base, own), &c->inside);
    if (is_linear(e, c))
        make_linear(e, c);
    if (s->rows)
        c->pitch = distance(e, c, 0, tile_number64(e, 1));
    if (!alone)
        c->step = distance(e, c, s->other, tile_number64(e, c->lines));
    tile_register in_line = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", c->piece);
    if (s->span)
        in_line = flipped(e, s, in_line, c->line);
    c->to = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", c->line, s->pitch, shared);
    tile_ins(e, "add.u32 %R, %R, %R", c->to, c->to, in_line);
}

// Converts a number of elements to 32 bits, clamped to the largest number in a tile.
static tile_register cut(struct tile_emitter *e, tile_register x)
{
    x = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", x, INT64_C(1) << 24);
    x = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, -(INT64_C(1) << 24));
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
}

// The number of the id of a thread's lines in an iteration. Threads have ids for their lines alone,
// or for all pages.
static uint32_t id_of(const struct tile_copier *c, uint32_t iteration)
{
    return c->stream->each > 1 ? iteration * c->lines / c->stream->each : iteration;
}

// True if an id's row and its distance from the tensor's base fit in 32 bits.
static bool is_narrow(const struct tile_emitter *e, const struct tile_copier *c)
{
    return e->narrow && cuc_dtype_bits(c->stream->load->operand[1]->type.dtype) == 32;
}

static tile_register row_of(struct tile_emitter *e, const struct tile_copier *c, uint32_t number)
{
    const struct tile_value *ids = c->stream->load->operand[1];

    if (is_narrow(e, c))
        return c->ids[number];
    return tile_emit_cast(e, CUC_I64, ids->type.dtype, TILE_RN, c->ids[number]);
}

// Returns a predicate: the row lies inside the tensor (TILE_NO_REGISTER: always).
static tile_register row_inside(struct tile_emitter *e, const struct tile_copier *c,
                                tile_register row)
{
    if (tile_int(c->stream->load, TILE_ATTR_INSIDE, 0))
        return TILE_NO_REGISTER;
    tile_register size = tile_size_register(e, &c->view->extent[0]);
    if (is_narrow(e, c))
        return tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", row,
                         tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", size));
    return tile_make(e, TILE_PRED, "setp.lt.u64 %R, %R, %R", row, size);
}

// Advances to the thread's piece of the next line. Returns true if the line has another id than the
// line before; `row` is then the id.
static bool next_line(struct tile_emitter *e, struct tile_copier *c, uint32_t iteration,
                      tile_register *row)
{
    if (c->stream->each > 1 && iteration * c->lines % c->stream->each) {
        c->next = plus64(e, c->next, c->step);
        return false;
    }
    *row = row_of(e, c, id_of(c, iteration));
    c->next = is_narrow(e, c)
                  ? tile_make(e, TILE_R64, "mad.wide.s32 %R, %R, %R, %R", *row,
                              tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", c->pitch), c->from)
                  : tile_make(e, TILE_R64, "mad.lo.s64 %R, %R, %R, %R", *row, c->pitch, c->from);
    return true;
}

// Finds the thread's piece of a row, of which `size` bytes exist.
static void find_row(struct tile_emitter *e, struct tile_copier *c, uint32_t iteration)
{
    tile_register row;

    if (!next_line(e, c, iteration, &row))
        return;
    tile_register inside = row_inside(e, c, row);
    c->size = c->bytes;
    if (!inside)
        return;
    c->next = tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", c->next, c->view->base, inside);
    c->size = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", c->size, inside);
}

// Copies a piece of a row, or zeros if the row lies outside the tensor.
static void copy_row(struct tile_emitter *e, struct tile_copier *c, uint32_t iteration,
                     tile_register there, tile_register place, uint32_t at)
{
    uint32_t line = c->stream->each > 1 ? iteration * c->lines % c->stream->each : 0;

    find_row(e, c, iteration);
    tile_register size = c->size;
    if (c->left) {
        tile_register p = tile_make(e, TILE_PRED, "setp.gt.s32 %R, %R, %u", c->left, line);
        size = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", size, p);
    }
    if (there)
        tile_put(e->text, "\t@%s", tile_name(there));
    tile_ins(e, "cp.async.cg.shared.global.L2::128B [%R+%u], [%R], 16, %R", place, at, c->next,
             size);
}

// True if rows are copied without sizes if all of a thread's rows lie inside the tensor.
static bool has_whole_rows(const struct tile_emitter *e, const struct tile_copier *c)
{
    return c->stream->rows && e->prefetch_ring->plan->waits;
}

// Copies pieces `first` to `end` - 1. With `sized`, each copy has the number of bytes that exist.
static void copy_pieces(struct tile_emitter *e, struct tile_copier *c, uint32_t first, uint32_t end,
                        tile_register there, bool sized)
{
    const struct tile_prefetch_stream *s = c->stream;
    tile_register row;

    for (uint32_t iteration = first; iteration < end; iteration++) {
        tile_register inside = there, place = c->place;
        uint32_t flip = tile_fragment_flip(s->span, iteration * c->lines);
        if (flip)
            place = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", place, flip);
        if (iteration && !s->rows)
            c->next = plus64(e, c->next, c->step);
        if ((iteration + 1) * c->lines > s->lines)
            inside = tile_both(e, inside,
                               tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c->line,
                                         s->lines - iteration * c->lines));
        uint32_t at = s->at + iteration * c->lines * s->pitch;
        if (sized) {
            copy_row(e, c, iteration, inside, place, at);
            continue;
        }
        if (s->rows)
            (void)next_line(e, c, iteration, &row);
        tile_put(e->text, "\t@%s", tile_name(inside));
        tile_ins(e, "cp.async.cg.shared.global.L2::128B [%R+%u], [%R], 16", place, at, c->next);
    }
}

void tile_copy_pieces(struct tile_emitter *e, struct tile_copier *c, uint32_t first, uint32_t end)
{
    copy_pieces(e, c, first, end, c->whole, c->stream->rows && !has_whole_rows(e, c));
}

// Copies a partial piece of 1 to 15 bytes with reads of 8, 4, 2 and 1 bytes. Does not read past the
// piece's end, where other memory may begin.
static void copy_rest(struct tile_emitter *e, const struct tile_copier *c, tile_register from,
                      tile_register to, tile_register bytes)
{
    enum { PARTS = 4 };
    tile_register word[PARTS], there[PARTS], place[PARTS], piece = to, zero = tile_number32(e, 0);
    uint32_t parts = 0;

    for (uint32_t size = PIECE_BYTES / 2; size >= c->stream->element; size /= 2) {
        tile_register part = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", bytes, size);
        word[parts] = tile_new(e, size == 8 ? TILE_R64 : TILE_R32);
        place[parts] = to;
        there[parts] = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", part);
        tile_put(e->text, "\t@%s", tile_name(there[parts]));
        tile_ins(e, "ld.global.b%u %R, [%R]", 8 * size, word[parts++], from);
        if (size == c->stream->element)
            break;
        from = plus64(e, from, tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", part));
        to = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", to, part);
    }
    tile_ins(e, "st.shared.v4.b32 [%R+%u], {%R, %R, %R, %R}", piece, c->stream->at, zero, zero,
             zero, zero);
    for (uint32_t i = 0; i < parts; i++) {
        tile_put(e->text, "\t@%s", tile_name(there[i]));
        tile_ins(e, "st.shared.b%u [%R+%u], %R", 8 * (PIECE_BYTES / 2 >> i), place[i],
                 c->stream->at, word[i]);
    }
}

// Copies pieces at the edge of a tensor. `bytes` is the number of bytes of the thread's piece that
// exist in each of the first `rows` rows, where `rows` may be negative. The code is a loop, because
// few tiles are at an edge.
static void copy_edge(struct tile_emitter *e, const struct tile_copier *c, tile_register from,
                      tile_register to, tile_register rows, tile_register bytes)
{
    const struct tile_prefetch_stream *s = c->stream;
    uint32_t top = tile_label(e), whole = tile_label(e), next = tile_label(e);
    tile_register line = tile_make(e, TILE_R32, "mov.b32 %R, %R", c->line);
    tile_register at = tile_make(e, TILE_R64, "mov.b64 %R, %R", from);
    tile_register place = tile_make(e, TILE_R32, "mov.b32 %R, %R", to);
    tile_register p = tile_new(e, TILE_PRED), some = tile_new(e, TILE_PRED), own = place;

    tile_put_label(e, top);
    tile_ins(e, "setp.ge.u32 %R, %R, %u", p, line, s->lines);
    tile_branch(e, p, false, next);
    // Otherwise a thread's rows share one swizzle.
    if (s->span && c->lines < 8 && c->iterations > 1)
        own = flipped(e, s, place, tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", line, c->line));
    tile_ins(e, "setp.lt.s32 %R, %R, %R", p, line, rows);
    tile_register size = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, p);
    tile_ins(e, "setp.gt.s32 %R, %R, 0", p, size);
    tile_ins(e, "setp.lt.and.s32 %R, %R, %u, %R", some, size, (unsigned)PIECE_BYTES, p);
    tile_branch(e, some, true, whole);
    copy_rest(e, c, at, own, size);
    // Skip the 0-byte copy after a partial one, because it would overwrite the piece.
    uint32_t done = tile_label(e);
    tile_branch(e, TILE_NO_REGISTER, false, done);
    tile_put_label(e, whole);
    // A copy of 0 bytes reads nothing, but its address must still be a multiple of 16.
    tile_register valid = tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", at, c->view->base, p);
    tile_ins(e, "cp.async.cg.shared.global [%R+%u], [%R], 16, %R", own, s->at, valid, size);
    tile_put_label(e, done);
    tile_ins(e, "add.u32 %R, %R, %u", line, line, c->lines);
    tile_ins(e, "add.s64 %R, %R, %R", at, at, c->step);
    tile_ins(e, "add.u32 %R, %R, %u", place, place, c->lines * s->pitch);
    tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, next);
}

// Returns the distance from a tile's first element to the tensor's end along an axis.
static tile_register left_along(struct tile_emitter *e, const struct tile_copier *c,
                                const tile_register *first, uint32_t axis)
{
    tile_register size = tile_size_register(e, &c->view->extent[axis]);

    return cut(e, tile_make(e, TILE_R64, "sub.s64 %R, %R, %R", size, first[axis]));
}

// Returns how many bytes of the thread's piece exist in each row of a tile whose first element is
// `first`. The number is 0 if an index is negative, or if the index along a dropped axis is out of
// range.
static tile_register bytes_of_piece(struct tile_emitter *e, const struct tile_copier *c,
                                    const tile_register *first)
{
    const struct tile_prefetch_stream *s = c->stream;
    tile_register left = left_along(e, c, first, s->last);
    tile_register bytes = tile_make(e, TILE_R32, "mul.lo.s32 %R, %R, %u", left, s->element);
    tile_register before =
        tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", c->piece, (unsigned)PIECE_BYTES);

    bytes = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", bytes, before);
    bytes = tile_make(e, TILE_R32, "min.s32 %R, %R, %u", bytes, (unsigned)PIECE_BYTES);
    bytes = tile_make(e, TILE_R32, "max.s32 %R, %R, 0", bytes);
    for (uint32_t axis = s->rows; axis <= s->last; axis++) {
        tile_register p = tile_make(e, TILE_PRED, "setp.ge.s64 %R, %R, 0", first[axis]);
        if (axis != s->last && axis != s->other) {
            tile_register q = tile_new(e, TILE_PRED);
            tile_ins(e, "setp.lt.and.s64 %R, %R, %R, %R", q, first[axis],
                     tile_size_register(e, &c->view->extent[axis]), p);
            p = q;
        }
        bytes = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", bytes, p);
    }
    return bytes;
}

static void find_first(struct tile_emitter *e, const struct tile_copier *c, tile_register *first)
{
    const struct tile_prefetch_stream *s = c->stream;

    for (uint32_t axis = s->rows; axis <= s->last; axis++)
        first[axis] = first_of(e, s->load->operand[1 + axis], tile_prefetch_extent(s, axis));
}

// Copies the first `rows` lines of a tile whose lines are whole, and fills the others with zeros.
// In a loop that mostly waits for memory, every sequence may end in such a tile, so the code has no
// loop.
static void copy_lines(struct tile_emitter *e, const struct tile_copier *c, tile_register rows,
                       tile_register bytes)
{
    const struct tile_prefetch_stream *s = c->stream;
    tile_register some = tile_make(e, TILE_PRED, "setp.gt.s32 %R, %R, 0", bytes);
    tile_register left = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", rows, c->line);
    tile_register at = c->from;

    left = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", left, some);
    for (uint32_t iteration = 0; iteration < c->iterations; iteration++) {
        uint32_t first = iteration * c->lines, flip = tile_fragment_flip(s->span, first);
        tile_register place = c->place;
        if (flip)
            place = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", place, flip);
        if (iteration)
            at = plus64(e, at, c->step);
        tile_register there = tile_make(e, TILE_PRED, "setp.gt.s32 %R, %R, %u", left, first);
        tile_register size =
            tile_make(e, TILE_R32, "selp.b32 %R, %u, 0, %R", (unsigned)PIECE_BYTES, there);
        // A copy of 0 bytes reads nothing, but its address must be valid.
        tile_register from =
            tile_make(e, TILE_R64, "selp.b64 %R, %R, %R, %R", at, c->view->base, there);
        if (first + c->lines > s->lines) {
            tile_register own =
                tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", c->line, s->lines - first);
            tile_put(e->text, "\t@%s", tile_name(own));
        }
        tile_ins(e, "cp.async.cg.shared.global [%R+%u], [%R], 16, %R", place,
                 s->at + first * s->pitch, from, size);
    }
}

// Copies a tile at an edge.
static void copy_at_edge(struct tile_emitter *e, const struct tile_copier *c)
{
    tile_register first[TILE_MAX_RANK];

    find_first(e, c, first);
    tile_register lines = left_along(e, c, first, c->stream->other);
    tile_register bytes = bytes_of_piece(e, c, first);
    if (e->prefetch_ring->plan->waits && is_inside(e, c, c->stream->last))
        copy_lines(e, c, lines, bytes);
    else
        copy_edge(e, c, c->from, c->place, lines, bytes);
}

// Finds which parts of the rows of load_rows() exist.
static void measure_rows(struct tile_emitter *e, struct tile_copier *c, bool whole)
{
    tile_register first[TILE_MAX_RANK];

    c->ids = tile_registers(e, c->stream->load->operand[1]);
    c->left = TILE_NO_REGISTER;
    if (whole) {
        c->bytes = tile_number32(e, PIECE_BYTES);
        return;
    }
    find_first(e, c, first);
    c->bytes = bytes_of_piece(e, c, first);
    if (c->stream->each > 1)
        c->left = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R",
                            left_along(e, c, first, c->stream->other), c->line);
}

// Sets up the next stage of load_rows(). Tiles inside the tensor and at its edge share one path,
// except in loops that mostly wait for memory.
static void open_rows(struct tile_emitter *e, struct tile_copier *c, tile_register inside)
{
    c->whole = e->prefetch_ring->loads;
    c->always = !inside;
    if (!has_whole_rows(e, c)) {
        measure_rows(e, c, c->always);
        return;
    }
    c->ids = tile_registers(e, c->stream->load->operand[1]);
    c->whole = tile_both(e, c->whole, inside);
    for (uint32_t iteration = 0; iteration < c->iterations; iteration++)
        if (!iteration || id_of(c, iteration) != id_of(c, iteration - 1))
            c->whole = tile_both(e, c->whole, row_inside(e, c, row_of(e, c, id_of(c, iteration))));
}

void tile_open_copier_stage(struct tile_emitter *e, struct tile_copier *c)
{
    const struct tile_value *variable = e->prefetch_ring->plan->loop->block[0]->argument[0];
    tile_register inside = c->inside;

    if (c->until) {
        tile_register before =
            tile_make(e, TILE_PRED, "setp.lt.s64 %R, %R, %R", wide_of(e, variable), c->until);
        inside = tile_both(e, inside, before);
        c->from = c->next = c->origin;
    } else {
        c->from = c->next = add_axes(e, c, true, c->origin, &inside);
    }
    if (c->stream->rows)
        open_rows(e, c, inside);
    else
        c->whole = tile_both(e, inside, e->prefetch_ring->loads);
    c->place = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", c->to, e->prefetch_ring->copied);
}

void tile_copy_edges(struct tile_emitter *e, struct tile_copier *c)
{
    uint32_t next = tile_label(e);

    if (c->stream->rows && !has_whole_rows(e, c))
        return;
    tile_branch(e, c->whole, false, next);
    if (c->stream->rows) {
        measure_rows(e, c, c->always);
        copy_pieces(e, c, 0, c->iterations, TILE_NO_REGISTER, true);
    } else {
        copy_at_edge(e, c);
    }
    tile_put_label(e, next);
}
