// Rows of slabs (ring.h) that threads move to or from a tensor without a map: its base, its strides
// or the end of its rows are not multiples of 16 bytes. Each warp moves the 16 rows of a slab that
// are its own. Neighbouring lanes move neighbouring pieces, as wide as the tensor's alignment
// allows, which is found at run time.
#include "ring.h"

#include <stdio.h>

enum { WARP_ROWS = 16, WIDEST = 3, AT_A_TIME = 4 }; // WIDEST: pieces of 2^3 bytes

struct mover {
    struct tile_emitter *e;
    const struct tile_slab_rows *how;
    uint32_t least;                     // log2 of an element's bytes, the narrowest piece
    tile_register start, pitch;         // address of the first element; bytes between rows
    tile_register rows, bytes;          // of the tensor, from there on
    tile_register width;                // log2 of a piece's bytes
    tile_register is_width[WIDEST + 1]; // predicates
};

// A piece that a lane moves.
struct piece {
    tile_register shared, global;    // addresses
    tile_register inside;            // a predicate
    tile_register low, high, narrow; // its words; 16 bits
};

static tile_register low_word(struct tile_emitter *e, tile_register x)
{
    return tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
}

// The elements of an axis from x on; 0 if x is negative.
static tile_register rest_of(struct tile_emitter *e, tile_register size, tile_register x)
{
    tile_register rest = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", size, x);
    tile_register before = tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, 0", x);

    return tile_make(e, TILE_R32, "selp.b32 %R, 0, %R, %R", rest, before);
}

// Adds an axis to the address and the limits. `bits`: every address and length is a multiple of its
// lowest set bit.
static void open_axis(struct mover *m, const struct tile_value *tensor, uint32_t n,
                      tile_register bits, tile_register *dropped)
{
    struct tile_emitter *e = m->e;
    const struct tile_place *place = &m->how->place;
    const struct tile_emit_view *view = &e->view[tensor->id];
    uint32_t axis = view->rank - 1 - n, element = tile_bytes_of(view->dtype);
    tile_register x = place->at[n];
    tile_register size = low_word(e, tile_size_register(e, &view->extent[axis]));

    if (!n) {
        tile_register row = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", size, element);
        tile_ins(e, "or.b32 %R, %R, %R", bits, bits, row);
        m->bytes = tile_make(e, TILE_R32, "min.s32 %R, %R, %u", rest_of(e, size, x),
                             m->how->slabs * m->how->span / element);
        m->bytes = tile_make(e, TILE_R32, "mul.lo.s32 %R, %R, %u", m->bytes, element);
        tile_ins(e, "mad.wide.s32 %R, %R, %u, %R", m->start, x, element, m->start);
        return;
    }
    tile_register stride = tile_make(e, TILE_R64, "mul.lo.s64 %R, %R, %u",
                                     tile_size_register(e, &view->stride[axis]), element);
    tile_ins(e, "or.b32 %R, %R, %R", bits, bits, low_word(e, stride));
    if (n == place->other) {
        m->pitch = stride;
        m->rows = rest_of(e, size, x);
        if (place->rank > view->rank) { // x counts from the end, which has the number `size`
            x = tile_make(e, TILE_R32, "add.s32 %R, %R, %R", x, place->at[2]);
            x = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", x, size);
        }
    } else {
        tile_register p = tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %R", x, size);
        *dropped = tile_both(e, *dropped, p);
    }
    tile_register wide = tile_make(e, TILE_R64, "cvt.s64.s32 %R, %R", x);
    tile_ins(e, "mad.lo.s64 %R, %R, %R, %R", m->start, wide, stride, m->start);
}

static void open_mover(struct mover *m)
{
    struct tile_emitter *e = m->e;
    const struct tile_value *tensor = m->how->access->operand[0];
    tile_register dropped = TILE_NO_REGISTER;

    if (tensor->op)
        tensor = tensor->op->operand[0];
    const struct tile_emit_view *view = &e->view[tensor->id];
    m->least = (uint32_t)__builtin_ctz(tile_bytes_of(view->dtype));
    m->start = tile_make(e, TILE_R64, "mov.b64 %R, %R", view->base);
    tile_register bits =
        tile_make(e, TILE_R32, "or.b32 %R, %R, %u", low_word(e, view->base), 1u << WIDEST);
    for (uint32_t n = 0; n < view->rank; n++)
        open_axis(m, tensor, n, bits, &dropped);
    if (dropped)
        m->rows = tile_make(e, TILE_R32, "selp.b32 %R, %R, 0, %R", m->rows, dropped);
    tile_register lowest = tile_make(e, TILE_R32, "neg.s32 %R, %R", bits);
    lowest = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", lowest, bits);
    m->width = tile_make(e, TILE_R32, "bfind.u32 %R, %R", lowest);
    for (uint32_t width = m->least; width <= WIDEST; width++)
        m->is_width[width] = tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %u", m->width, width);
}

// Places a piece, given its offset in the warp's rows of all slabs.
static void place_piece(struct mover *m, struct piece *p, tile_register at)
{
    struct tile_emitter *e = m->e;
    uint32_t span = m->how->span, own = WARP_ROWS * span;
    tile_register row =
        tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 4", at, (unsigned)__builtin_ctz(span));
    tile_register column = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", at, span - 1);
    // Rows are swizzled by the row bits that select the 128 bytes, as in tile_staging_of().
    tile_register swizzle = tile_make(e, TILE_R32, "bfe.u32 %R, %R, 7, %u", at,
                                      span == 128  ? 3u
                                      : span == 64 ? 2u
                                                   : 1u);
    tile_register shared = at;

    swizzle = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", swizzle);
    if (m->how->slabs > 1) {
        tile_register slab =
            tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", at, (unsigned)__builtin_ctz(own));
        column = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", slab, span, column);
        shared = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", slab, m->how->slab_bytes - own,
                           shared);
    }
    shared = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", shared, swizzle);
    p->shared = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", shared, m->how->shared);
    p->inside = tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, %R", column, m->bytes);
    tile_ins(e, "setp.lt.and.s32 %R, %R, %R, %R", p->inside, row, m->rows, p->inside);
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", column);
    p->global = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", m->start, wide);
    wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", row);
    tile_ins(e, "mad.lo.s64 %R, %R, %R, %R", p->global, wide, m->pitch, p->global);
    p->low = tile_number32(e, 0);
    p->high = tile_number32(e, 0);
    p->narrow = tile_make(e, TILE_R16, "mov.b16 %R, 0");
}

// Reads a piece from the one side, or writes it to the other.
static void move_piece(struct mover *m, const struct piece *p, bool reads)
{
    struct tile_emitter *e = m->e;
    bool global = reads == m->how->loads;
    const char *what = reads ? "ld" : "st", *space = global ? "global" : "shared";

    for (uint32_t width = m->least; width <= WIDEST; width++) {
        static const char *const type[] = { "u8", "b16", "b32", "v2.b32" };
        tile_register if_so = m->is_width[width];
        const tile_register both[] = { p->low, p->high };
        char address[32], value[48];
        if (global)
            if_so = tile_make(e, TILE_PRED, "and.pred %R, %R, %R", if_so, p->inside);
        snprintf(address, sizeof(address), "[%s]", tile_name(global ? p->global : p->shared));
        snprintf(value, sizeof(value), "%s",
                 width == WIDEST ? tile_register_list(e, both, 2)
                                 : tile_name(width == 1 ? p->narrow : p->low));
        tile_put(e->text, "\t@%s %s.%s.%s %s, %s;\n", tile_name(if_so), what, space, type[width],
                 reads ? value : address, reads ? address : value);
    }
}

void tile_move_slab_rows(struct tile_emitter *e, const struct tile_slab_rows *how)
{
    struct mover m = { .e = e, .how = how };
    struct piece piece[AT_A_TIME];
    uint32_t all = WARP_ROWS * how->span * how->slabs, top = tile_label(e);
    uint32_t pieces = all / (32u << WIDEST) < AT_A_TIME ? all / (32u << WIDEST) : AT_A_TIME;

    open_mover(&m);
    tile_register at = tile_make(e, TILE_R32, "shl.b32 %R, %R, %R", e->lane, m.width);
    tile_register step = tile_make(e, TILE_R32, "mov.u32 %R, 32");
    step = tile_make(e, TILE_R32, "shl.b32 %R, %R, %R", step, m.width);
    tile_put_label(e, top);
    tile_put_string(e->text, "\t.pragma \"nounroll\";\n");
    for (uint32_t i = 0; i < pieces; i++) {
        place_piece(&m, &piece[i], at);
        move_piece(&m, &piece[i], true);
        tile_ins(e, "add.u32 %R, %R, %R", at, at, step);
    }
    for (uint32_t i = 0; i < pieces; i++)
        move_piece(&m, &piece[i], false);
    tile_branch(e, tile_make(e, TILE_PRED, "setp.lt.u32 %R, %R, %u", at, all), false, top);
}
