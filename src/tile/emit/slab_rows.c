// Rows of slabs (ring.h) that threads move to or from a tensor without a map. Such a tensor's base,
// strides or row ends are not multiples of 16 bytes. Each warp moves its own 16 rows of a slab.
// Neighboring lanes move neighboring pieces of 4 bytes, or of fewer if the tensor turns out to be
// less aligned at run time. The code is short, because a product contains it once for each round of
// its store.
#include "ring.h"

#include <stdio.h>

enum {
    HALF = 8 * TILE_SLAB_LINE, // bytes of a half of the warp's rows
    HALVES = 2,
    MOST_SLABS = 2,
    WIDEST = 2, // log2 of 4 bytes
};

struct mover {
    struct tile_emitter *e;
    const struct tile_slab_rows *how;
    uint32_t slabs;
    uint32_t least;                     // log2 of the bytes of an element, which is the narrowest
                                        // piece
    tile_register start, pitch;         // address of the first element; bytes between rows
    tile_register column, columns;      // column of the first element; number of columns in the
                                        // tensor
    tile_register row, rows;            // row of the first element; number of rows in the tensor
    tile_register width;                // log2 of a piece's bytes; TILE_NO_REGISTER if it is always
                                        // WIDEST
    tile_register is_width[WIDEST + 1]; // predicates
    tile_register in_slab[MOST_SLABS];  // the lane's column in each slab
    tile_register inside[HALVES][MOST_SLABS][WIDEST + 1], global[HALVES], shared;
};

static tile_register low_word(struct tile_emitter *e, tile_register x)
{
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
}

// Adds an axis' contribution to the address. Collects the axis' step in `bits`, whose lowest set
// bit divides every address and length.
static void open_axis(struct mover *m, const struct tile_emit_view *view, uint32_t n,
                      tile_register *bits, tile_register *dropped)
{
    struct tile_emitter *e = m->e;
    const struct tile_place *place = &m->how->place;
    uint32_t axis = view->rank - 1 - n, element = tile_bytes_of(view->dtype);
    tile_register x = place->at[n], step = TILE_NO_REGISTER;
    tile_register size = low_word(e, tile_size_register(e, &view->extent[axis]));

    if (!n) {
        m->column = x;
        m->columns = size;
        // The last slab's rows end where the tile does. If the tile ends before the tensor begins,
        // its end and its columns are negative. As unsigned numbers, they exceed the tensor's size,
        // so the columns count as outside.
        if (m->how->columns < m->slabs * m->how->line / element) {
            tile_register end = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", x, m->how->columns);
            m->columns = tile_make(e, TILE_R32, "min.u32 %R, %R, %R", size, end);
        }
        m->start =
            tile_make(e, TILE_R64, "mad.wide.s32 %R, %R, %u, %R", x, (unsigned)element, view->base);
        if (m->width)
            step = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", size, (unsigned)element);
    } else {
        tile_register stride = tile_scale(e, tile_size_register(e, &view->stride[axis]), element);
        if (n == place->other) {
            m->pitch = stride;
            m->row = x;
            m->rows = size;
            if (m->how->end)
                m->rows = tile_make(e, TILE_R32, "min.u32 %R, %R, %R", size, m->how->end);
            if (place->rank > view->rank) { // x is the row minus the slice's end, place->at[2],
                                            // plus `size`
                x = tile_make(e, TILE_R32, "add.s32 %R, %R, %R", x, place->at[2]);
                x = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", x, size);
            }
        } else {
            *dropped = *dropped ? tile_make(e, TILE_PRED, "setp.lt.and.u32 %R, %R, %R, %R", x, size,
                                            *dropped)
                                : tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", x, size);
        }
        tile_register wide = tile_make(e, TILE_R64, "cvt.s64.s32 %R, %R", x);
        tile_ins(e, "mad.lo.s64 %R, %R, %R, %R", m->start, wide, stride, m->start);
        if (m->width)
            step = low_word(e, stride);
    }
    if (step)
        *bits = *bits ? tile_make(e, TILE_R32, "or.b32 %R, %R, %R", *bits, step) : step;
}

// Chooses the widest piece that the alignment allows.
static void choose_width(struct mover *m, tile_register bits)
{
    struct tile_emitter *e = m->e;

    tile_ins(e, "mov.u32 %R, %u", m->width, (unsigned)WIDEST);
    for (uint32_t width = WIDEST; width-- > m->least;) {
        tile_register over = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", bits, (2u << width) - 1);
        tile_register p = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", over);
        tile_ins(e, "@%R mov.u32 %R, %u", p, m->width, width);
    }
    for (uint32_t width = m->least; width <= WIDEST; width++)
        m->is_width[width] = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %u", m->width, width);
}

static void open_mover(struct mover *m)
{
    struct tile_emitter *e = m->e;
    const struct tile_value *tensor = m->how->access->operand[0];
    tile_register dropped = TILE_NO_REGISTER, bits = TILE_NO_REGISTER;

    if (tensor->op)
        tensor = tensor->op->operand[0];
    const struct tile_emit_view *view = &e->view[tensor->id];
    m->least = (uint32_t)__builtin_ctz(tile_bytes_of(view->dtype));
    if (m->least < WIDEST) {
        m->width = tile_new(e, TILE_R32);
        bits = low_word(e, view->base);
    }
    for (uint32_t n = 0; n < view->rank; n++)
        open_axis(m, view, n, &bits, &dropped);
    if (dropped)
        m->rows = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", m->rows, dropped);
    if (m->width)
        choose_width(m, bits);
}

// Finds which pieces of a half lie inside the tensor if pieces have this width. Coordinates before
// the tensor are large as unsigned numbers and so count as past its end.
static void find_inside(struct mover *m, uint32_t half, uint32_t width, tile_register row,
                        tile_register column)
{
    struct tile_emitter *e = m->e;
    tile_register in_rows = tile_new(e, TILE_PRED);

    if (m->is_width[width])
        tile_ins(e, "setp.lt.and.u32 %R, %R, %R, %R", in_rows, row, m->rows, m->is_width[width]);
    else
        tile_ins(e, "setp.lt.u32 %R, %R, %R", in_rows, row, m->rows);
    for (uint32_t slab = 0; slab < m->slabs; slab++) {
        if (!m->in_slab[slab])
            m->in_slab[slab] = slab ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", column,
                                                slab * (m->how->line >> m->least))
                                    : column;
        m->inside[half][slab][width] = tile_make(e, TILE_PRED, "setp.lt.and.u32 %R, %R, %R, %R",
                                                 m->in_slab[slab], m->columns, in_rows);
    }
}

// Places a lane's pieces: one in each half of the rows of each slab. `at` is their offset in a
// half.
static void place_pieces(struct mover *m, tile_register at)
{
    struct tile_emitter *e = m->e;
    uint32_t line = m->how->line;
    tile_register row =
        tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", at, (unsigned)__builtin_ctz(line));
    tile_register column = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", at, line - 1);
    // The swizzle is that of tile_staging_of(): an XOR with the bits of the row that select a
    // 128-byte line. Both halves share these bits.
    tile_register swizzle = tile_make(e, TILE_R32, "shr.u32 %R, %R, 3", at);

    swizzle = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", swizzle, line - 16);
    swizzle = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", swizzle, at);
    m->shared = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", swizzle, m->how->shared);
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", row);
    m->global[0] = tile_make(e, TILE_R64, "mad.lo.s64 %R, %R, %R, %R", wide, m->pitch, m->start);
    wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", column);
    tile_ins(e, "add.s64 %R, %R, %R", m->global[0], m->global[0], wide);
    m->global[1] =
        tile_make(e, TILE_R64, "mad.lo.s64 %R, %R, %u, %R", m->pitch, HALF / line, m->global[0]);
    tile_ins(e, "shr.u32 %R, %R, %u", column, column, m->least);
    tile_ins(e, "add.u32 %R, %R, %R", column, column, m->column);
    tile_ins(e, "add.u32 %R, %R, %R", row, row, m->row);
    for (uint32_t half = 0; half < HALVES; half++) {
        if (half)
            tile_ins(e, "add.u32 %R, %R, %u", row, row, HALF / line);
        for (uint32_t width = m->least; width <= WIDEST; width++)
            find_inside(m, half, width, row, column);
    }
}

// Reads a piece from the source, or writes it to the destination.
static void move_piece(struct mover *m, uint32_t half, uint32_t slab, const tile_register *piece,
                       bool reads)
{
    static const char *const types[] = { "u8", "b16", "b32" };
    struct tile_emitter *e = m->e;
    bool global = reads == m->how->loads;
    uint32_t shared_at = half * HALF + slab * TILE_SLAB_BYTES;
    uint32_t at = global ? slab * m->how->line : shared_at;
    tile_register address = global ? m->global[half] : m->shared;

    for (uint32_t width = m->least; width <= WIDEST; width++) {
        // Stores read nothing outside the tile, where nobody has written the slab.
        tile_register p = global || !m->how->loads ? m->inside[half][slab][width]
                                                   : m->is_width[width];
        tile_register value = piece[width == 1];
        tile_put_string(e->text, "\t");
        if (p)
            tile_put(e->text, "@%s ", tile_name(p));
        tile_put(e->text, "%s.%s.%s ", reads ? "ld" : "st", global ? "global" : "shared",
                 types[width]);
        if (reads)
            tile_put(e->text, "%s, [%s+%u];\n", tile_name(value), tile_name(address), at);
        else
            tile_put(e->text, "[%s+%u], %s;\n", tile_name(address), at, tile_name(value));
    }
}

static void move_slabs(struct tile_emitter *e, const struct tile_slab_rows *how, uint32_t slabs)
{
    struct mover m = { .e = e, .how = how, .slabs = slabs };
    tile_register piece[HALVES][MOST_SLABS][2]; // 32-bit and 16-bit registers
    tile_register at, step = TILE_NO_REGISTER;
    uint32_t top = tile_label(e), lanes = 32u << WIDEST;

    open_mover(&m);
    if (m.width) {
        at = tile_make(e, TILE_R32, "shl.b32 %R, %R, %R", e->lane, m.width);
        step = tile_number32(e, 32);
        tile_ins(e, "shl.b32 %R, %R, %R", step, step, m.width);
    } else {
        at = tile_make(e, TILE_R32, "shl.b32 %R, %R, %u", e->lane, (unsigned)WIDEST);
    }
    tile_put_label(e, top);
    tile_put_string(e->text, "\t.pragma \"nounroll\";\n");
    place_pieces(&m, at);
    for (uint32_t half = 0; half < HALVES; half++)
        for (uint32_t slab = 0; slab < slabs; slab++) {
            tile_register *x = piece[half][slab];
            x[0] = how->loads ? tile_number32(e, 0) : tile_new(e, TILE_R32);
            x[1] = how->loads ? tile_make(e, TILE_R16, "mov.b16 %R, 0") : tile_new(e, TILE_R16);
            move_piece(&m, half, slab, x, true);
        }
    for (uint32_t half = 0; half < HALVES; half++)
        for (uint32_t slab = 0; slab < slabs; slab++)
            move_piece(&m, half, slab, piece[half][slab], false);
    if (m.width)
        tile_ins(e, "add.u32 %R, %R, %R", at, at, step);
    else
        tile_ins(e, "add.u32 %R, %R, %u", at, at, lanes);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", at, (unsigned)HALF), false,
                top);
}

void tile_move_slab_rows(struct tile_emitter *e, const struct tile_slab_rows *how)
{
    uint32_t element = tile_bytes_of(e->view[how->access->operand[0]->id].dtype);

    for (uint32_t slab = 0; slab < how->slabs; slab += MOST_SLABS) {
        struct tile_slab_rows part = *how;
        if (slab) {
            part.place.at[0] = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", part.place.at[0],
                                         slab * how->line / element);
            part.columns -= slab * how->line / element;
            part.shared =
                tile_make(e, TILE_R32, "add.u32 %R, %R, %u", part.shared, slab * TILE_SLAB_BYTES);
        }
        move_slabs(e, &part, how->slabs - slab < MOST_SLABS ? how->slabs - slab : MOST_SLABS);
    }
}
