// Copies by TMA: operands into the ring, and accumulators from registers through slabs in shared
// memory. A slab has 64 rows. Each warpgroup stores one or more slabs at a time
// (tile_plan_slabs()).
#include "access.h"
#include "ring.h"

#include <string.h>

// Coordinates above this lie outside every tensor that has a map (select.c).
#define OUTSIDE (INT64_C(1) << 30)

// Converts an access's index to the 32-bit coordinate of its first element.
static tile_register coordinate(struct tile_emitter *e, const struct tile_value *index,
                                int64_t extent)
{
    const tile_register *own = tile_registers(e, index);
    int64_t most = OUTSIDE / extent + 1;

    if (!own)
        return TILE_NO_REGISTER;
    struct tile_range range = tile_range_of(e->ranges, index);
    bool near = range.low >= -most && range.high <= most, word = index->type.dtype == CUC_I32;
    tile_register x = own[0], low = x;
    if (!word)
        x = tile_emit_cast(e, CUC_I64, index->type.dtype, TILE_RN, x);
    if (!near && index->type.dtype == CUC_U64)
        x = tile_make(e, TILE_R64, "min.u64 %R, %R, %l", x, most);
    if (!near && !word) {
        x = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", x, most);
        x = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, -most);
    }
    if (!word)
        low = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
    if (!near && word) {
        low = tile_make(e, TILE_R32, "min.s32 %R, %R, %l", low, most);
        low = tile_make(e, TILE_R32, "max.s32 %R, %R, %l", low, -most);
    }
    return extent == 1 ? low : tile_make(e, TILE_R32, "mul.lo.s32 %R, %R, %d", low, (int)extent);
}

struct tile_place tile_place_of(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    bool by_tiles = op->kind != TILE_LOAD_AT && op->kind != TILE_STORE_AT;
    const struct tile_op *slice = op->operand[0]->op;
    uint32_t other = tile_other_axis(op);
    struct tile_place p = { .rank = shape->count };

    p.other = other < shape->count ? shape->count - 1 - other : 0;
    for (uint32_t i = shape->count; i-- > 0;) {
        uint32_t n = shape->count - 1 - i;
        p.at[n] = coordinate(e, op->operand[1 + i], by_tiles ? shape->ints[i] : 1);
        if (slice && tile_int(slice, TILE_ATTR_AXIS, 0) == i) {
            tile_register start = coordinate(e, slice->operand[1], 1);
            start = tile_make(e, TILE_R32, "max.s32 %R, %R, 0", start);
            p.at[n] = tile_make(e, TILE_R32, "add.s32 %R, %R, %R", p.at[n], start);
        }
    }
    return p;
}

// Computes the position of a store to rows of a slice, for a tensor map that ends where the slice
// does. The coordinates are the column, the row's distance from that end plus the tensor's row
// count, and the end itself.
static struct tile_place place_in_slice(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    const struct tile_op *slice = op->operand[0]->op;
    const struct tile_size *extent = &e->view[slice->operand[0]->id].extent[0];
    struct tile_place p = { .rank = 3, .other = 1 };

    tile_register all = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", tile_size_register(e, extent));
    tile_register from = coordinate(e, slice->operand[1], 1);
    tile_register to = coordinate(e, slice->operand[2], 1);
    tile_register row = coordinate(e, op->operand[1], shape->ints[0]);
    from = tile_make(e, TILE_R32, "max.s32 %R, %R, 0", from);
    from = tile_make(e, TILE_R32, "min.s32 %R, %R, %R", from, all);
    to = tile_make(e, TILE_R32, "max.s32 %R, %R, 0", to);
    to = tile_make(e, TILE_R32, "min.s32 %R, %R, %R", to, all);
    // A negative row becomes a row past the end.
    row = tile_make(e, TILE_R32, "min.u32 %R, %R, %R", row, all);
    row = tile_make(e, TILE_R32, "add.s32 %R, %R, %R", row, from);
    row = tile_make(e, TILE_R32, "add.s32 %R, %R, %R", row, all);
    p.at[0] = coordinate(e, op->operand[2], shape->ints[1]);
    p.at[1] = tile_make(e, TILE_R32, "sub.s32 %R, %R, %R", row, to);
    p.at[2] = to;
    return p;
}

// Computes the position of a box of gathered elements (pass/gather.h).
static struct tile_place place_of_box(struct tile_emitter *e, const struct tile_stream *s)
{
    struct tile_place p = { .rank = s->last + 1 };

    for (uint32_t i = 0; i <= s->last; i++) {
        tile_register x = tile_gathered_start(e, s, i);
        x = tile_clamp64(e, x, -OUTSIDE, OUTSIDE);
        p.at[s->last - i] = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
    }
    return p;
}

static void put_place(struct tile_emitter *e, tile_register map, const struct tile_place *p)
{
    tile_put(e->text, "[%s, {", tile_name(map));
    for (uint32_t i = 0; i < p->rank; i++)
        tile_put(e->text, "%s%s", i ? ", " : "", tile_name(p->at[i]));
    tile_put_string(e->text, "}]");
}

static tile_register plus(struct tile_emitter *e, tile_register x, uint32_t more)
{
    return more ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", x, more) : x;
}

void tile_expect(struct tile_emitter *e, tile_register full, uint32_t bytes)
{
    tile_ins(e, "@%R mbarrier.arrive.expect_tx.shared::cta.b64 _, [%R], %u", e->ring->elected, full,
             bytes);
}

// Copies a box to the shared memory of this block or, if `blocks` is given, of all blocks of the
// cluster that this mask selects.
static void put_copy(struct tile_emitter *e, tile_register map, const struct tile_place *p,
                     tile_register to, tile_register full, tile_register blocks)
{
    tile_put(e->text, "\t@%s ", tile_name(e->ring->elected));
    tile_put(e->text,
             "cp.async.bulk.tensor.%ud.shared::cluster.global.tile"
             ".mbarrier::complete_tx::bytes%s [%s], ",
             p->rank, blocks ? ".multicast::cluster" : "", tile_name(to));
    put_place(e, map, p);
    tile_put(e->text, ", [%s]", tile_name(full));
    if (blocks)
        tile_put(e->text, ", %s", tile_name(blocks));
    tile_put_string(e->text, ";\n");
}

void tile_emit_copies(struct tile_emitter *e, const struct tile_stream *stream)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    uint32_t bytes = 0;
    struct tile_place place[2];

    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_stream *s = &plan->stream[i];
        if (stream[i].by_threads)
            continue;
        place[i] = stream[i].gather ? place_of_box(e, &stream[i])
                                    : tile_place_of(e, stream[i].load);
        bytes += s->span * tile_shared_rows(s) * (s->sharers > 1 ? s->sharers : 1) * s->slabs;
    }
    tile_register full = tile_stage_barrier(e);
    tile_register before = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", r->phase);
    tile_emit_wait(e, full, TILE_FREE_AT, before);
    tile_expect(e, full, bytes);
    tile_register stage =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->stage, plan->stage_bytes, r->base);
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_stream *s = &plan->stream[i];
        if (stream[i].by_threads)
            continue;
        uint32_t rows = tile_shared_rows(s);
        tile_register at = stage, all = TILE_NO_REGISTER;
        if (s->sharers > 1) { // copy this block's part of the rows for all that share them
            tile_register *x = &place[i].at[place[i].rank - 1 - s->other];
            tile_register rank = plan->across > 1 ? r->rank_along[s->across] : r->rank;
            tile_register row = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", rank, rows);
            if (rows * s->sharers > s->rows)
                row = tile_make(e, TILE_R32, "min.u32 %R, %R, %u", row, s->rows - rows);
            *x = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", *x, row);
            at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", row, s->span, at);
            all = plan->across > 1
                      ? r->mask[s->across]
                      : tile_make(e, TILE_R16, "mov.b16 %R, %u", (1u << plan->cluster) - 1);
        }
        for (uint32_t slab = 0; slab < s->slabs; slab++) {
            struct tile_place p = place[i];
            p.at[0] = plus(e, p.at[0], slab * s->span / s->element);
            tile_register to = plus(e, at, TILE_RING_AT + s->at + slab * s->span * s->rows);
            put_copy(e, r->map[stream[i].map], &p, to, full, all);
        }
    }
}

void tile_emit_copy(struct tile_emitter *e, const struct tile_stream *s, tile_register to,
                    tile_register full)
{
    struct tile_place place = s->gather ? place_of_box(e, s) : tile_place_of(e, s->load);

    if (e->ring->outside)
        place.at[0] = tile_make(e, TILE_R32, "selp.b32 %R, %d, %R, %R", (int)OUTSIDE, place.at[0],
                                e->ring->outside);
    for (uint32_t slab = 0; slab < s->slabs; slab++) {
        struct tile_place p = place;
        p.at[0] = plus(e, p.at[0], slab * s->span / s->element);
        tile_register at = plus(e, to, slab * s->span * s->rows);
        put_copy(e, e->ring->map[s->map], &p, at, full, TILE_NO_REGISTER);
    }
}

// ---- Stores

enum { ROWS_OF_WARP = 16 };

// Adds `each` times this warp's number in its warpgroup.
static tile_register past_warps(struct tile_emitter *e, tile_register x, uint32_t each)
{
    tile_register warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);

    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", warp, each, x);
}

// Returns the address of the warp's quarter of a slab.
static tile_register part_of_warp(struct tile_emitter *e, tile_register slab)
{
    return past_warps(e, slab, TILE_SLAB_BYTES / 4);
}

const struct tile_staging *tile_staging_of(struct tile_emitter *e, const struct tile_value *value)
{
    struct tile_ring *r = e->ring;
    struct tile_staging *s = &r->out;
    uint32_t element = tile_bytes_of(value->type.dtype);
    int32_t columns = value->type.extent[value->type.rank - 1];

    if (s->open && r->plan->side)
        return s;
    *s = (struct tile_staging){ .open = true, .wide = element == 4, .narrow = element == 1 };
    if (r->plan->turned)
        columns = value->type.extent[0];
    s->eights = TILE_SLAB_LINE / (8 * element);
    s->slabs = ((uint32_t)columns * element + TILE_SLAB_LINE - 1) / TILE_SLAB_LINE;
    s->column_bits = tile_bits_of(columns);
    s->barrier =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->group, (unsigned)TILE_BARRIER_OF_GROUP);
    s->at = plus(e, r->base, r->staging);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", s->at, r->group, tile_staging_bytes(r->plan), s->at);
    if (r->plan->turned) {
        s->slabs = tile_turned_slabs(r->plan);
        s->lane[0] = tile_turned_lane(e, r->warps_apart ? part_of_warp(e, s->at) : s->at);
        return s;
    }
    tile_register warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
    // The row bits that select a line of 128 bytes swizzle the row's 16-byte pieces.
    tile_register row = s->wide || s->narrow
                            ? tile_make(e, TILE_R32, "shr.u32 %R, %R, 2", e->lane)
                            : tile_make(e, TILE_R32, "and.b32 %R, %R, 15", e->lane);
    tile_register piece = s->wide     ? tile_make(e, TILE_R32, "bfe.u32 %R, %R, 1, 1", e->lane)
                          : s->narrow ? tile_number32(e, 0)
                                      : tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane);
    tile_register chunk = tile_make(e, TILE_R32, "and.b32 %R, %R, 7", row);
    piece = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", piece, chunk);
    piece = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", piece);
    row = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 16, %R", warp, row);
    tile_register line =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", row, (unsigned)TILE_SLAB_LINE, s->at);
    if (s->wide) {
        tile_register half = tile_make(e, TILE_R32, "and.b32 %R, %R, 1", e->lane);
        tile_ins(e, "mad.lo.u32 %R, %R, 8, %R", line, half, line);
    }
    if (s->narrow) {
        tile_register pair = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->lane);
        tile_ins(e, "mad.lo.u32 %R, %R, 2, %R", line, pair, line);
    }
    uint32_t step = s->narrow ? 16 : 32;
    for (uint32_t i = 0; i < TILE_SLAB_LINE / step; i++) {
        tile_register x = i ? tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", piece, step * i) : piece;
        s->lane[i] = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", x, line);
    }
    return s;
}

void tile_copy_slab(struct tile_emitter *e, const struct tile_op *load, uint32_t map,
                    uint32_t group, uint32_t slab, tile_register to, tile_register full)
{
    const struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    const struct tile_type *type = &load->result[0]->type;
    uint32_t element = tile_bytes_of(type->dtype);
    uint32_t slabs = (uint32_t)type->extent[1] * element / TILE_SLAB_LINE;
    struct tile_place p = tile_place_of(e, load);
    tile_register *row = &p.at[p.other];

    p.at[0] = plus(e, p.at[0], slab % slabs * TILE_SLAB_LINE / element);
    *row = plus(e, *row, (slab / slabs * plan->groups + group) * 64);
    put_copy(e, r->map[map], &p, to, full, TILE_NO_REGISTER);
}

void tile_store_matrices(struct tile_emitter *e, const tile_register *reg, uint32_t eights,
                         const char *trans, tile_register at, uint32_t offset)
{
    tile_register word[4];

    for (uint32_t n = 0; n < 2 * eights; n++)
        word[n] = tile_join(e, reg[2 * n], reg[2 * n + 1]);
    if (eights == 1)
        tile_ins(e, "stmatrix.sync.aligned.m8n8.x2%s.shared.b16 [%R+%u], {%R, %R}", trans, at,
                 offset, word[0], word[1]);
    else
        tile_ins(e, "stmatrix.sync.aligned.m8n8.x4%s.shared.b16 [%R+%u], {%R, %R, %R, %R}", trans,
                 at, offset, word[0], word[1], word[2], word[3]);
}

// Writes pairs of neighboring elements as words to a slab, for the slab's columns in a block of 64
// rows.
static void fill_slab(struct tile_emitter *e, const struct tile_staging *s,
                      const struct tile_value *x, uint32_t block, uint32_t slab, uint32_t at)
{
    enum { BELOW = 8 * TILE_SLAB_LINE }; // offset of 8 rows
    uint32_t tail = slab + 1 == s->slabs ? e->ring->plan->tail : 0;
    uint32_t eights = tail ? tail / (8 * tile_bytes_of(x->type.dtype)) : s->eights;

    for (uint32_t i = 0, taken; i < eights; i += taken) {
        uint32_t first = (block << (s->column_bits - 3) | (slab * s->eights + i)) << 2;
        taken = s->wide || s->narrow || i + 1 == eights ? 1 : 2;
        if (!tile_compute_registers(e, x, first, first + 4 * taken))
            return;
        const tile_register *reg = e->value[x->id] + first;
        if (s->wide) {
            tile_ins(e, "st.shared.v2.b32 [%R+%u], {%R, %R}", s->lane[i], at, reg[0], reg[1]);
            tile_ins(e, "st.shared.v2.b32 [%R+%u], {%R, %R}", s->lane[i], at + BELOW, reg[2],
                     reg[3]);
            continue;
        }
        // Each store covers 8 rows, two bytes per row.
        for (uint32_t n = 0; n < 2 && s->narrow; n++) {
            tile_register two =
                tile_make(e, TILE_R32, "prmt.b32 %R, %R, %R, 0x3340", reg[2 * n], reg[2 * n + 1]);
            tile_ins(e, "st.shared.b16 [%R+%u], %R", s->lane[i / 2], at + i % 2 * 8 + n * BELOW,
                     two);
        }
        if (s->narrow)
            continue;
        tile_store_matrices(e, reg, taken, "", s->lane[i / 2], at);
    }
}

// Synchronizes the threads that store together.
static void put_together(struct tile_emitter *e, const struct tile_staging *s)
{
    if (e->ring->warps_apart)
        tile_ins(e, "bar.warp.sync 0xffffffff");
    else
        tile_ins(e, "bar.sync %R, %u", s->barrier, (unsigned)TILE_GROUP_THREADS);
}

// Returns the place of the warpgroup's n-th slab, given that of its first slab.
static struct tile_place place_of_slab(struct tile_emitter *e, const struct tile_place *first,
                                       uint32_t n, uint32_t element)
{
    const struct tile_pipeline *plan = e->ring->plan;
    uint32_t slabs = e->ring->out.slabs, blocks = n / slabs * plan->groups;
    struct tile_place p = *first;

    if (plan->turned) {
        p.at[0] = plus(e, p.at[0], blocks * TILE_SLAB_LINE / element);
        p.at[p.other] = plus(e, p.at[p.other], n % slabs * plan->store_step);
    } else {
        p.at[0] = plus(e, p.at[0], n % slabs * TILE_SLAB_LINE / element);
        p.at[p.other] = plus(e, p.at[p.other], blocks * plan->store_step);
    }
    return p;
}

// Stores a round's slabs, `first` to `end` - 1, with ordinary stores. `from` is the address of the
// first row in the first buffer of the unit that stores together.
static void store_rows(struct tile_emitter *e, const struct tile_op *op,
                       const struct tile_place *place, tile_register from, uint32_t first,
                       uint32_t end)
{
    const struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    const struct tile_type *type = &op->operand[op->operand_count - 1]->type;
    uint32_t per_row = r->out.slabs, element = tile_bytes_of(type->dtype);
    struct tile_place own = *place;

    if (!r->warps_apart) {
        own.at[own.other] = past_warps(e, own.at[own.other], ROWS_OF_WARP);
        from = part_of_warp(e, from);
    }
    for (uint32_t n = first, run; n < end; n += run) {
        uint32_t column = n % per_row * TILE_SLAB_LINE / element;
        struct tile_slab_rows rows = { .access = op, .line = TILE_SLAB_LINE };
        run = per_row - n % per_row < end - n ? per_row - n % per_row : end - n;
        rows.columns = (uint32_t)type->extent[type->rank - 1] - column;
        if (plan->turned) { // the slabs of a block hold successive groups of the tensor's rows
            run = 1;
            rows.line = tile_turned_line(r);
            rows.columns = rows.line / element;
            rows.end = plus(e, place->at[place->other], (uint32_t)type->extent[0]);
        }
        rows.slabs = run;
        rows.place = place_of_slab(e, &own, n, element);
        rows.shared = plus(e, from, n % plan->buffers * TILE_SLAB_BYTES);
        tile_move_slab_rows(e, &rows);
    }
}

// Returns a predicate: the store begins at a negative coordinate. TMA treats this as an illegal
// instruction, unlike a coordinate past the end. Returns TILE_NO_REGISTER if it never happens.
// `first` is the first axis to check.
static tile_register begins_below_zero(struct tile_emitter *e, const struct tile_op *op,
                                       const struct tile_place *place, uint32_t first)
{
    uint32_t axes = tile_attribute(op, TILE_ATTR_SHAPE)->count;
    tile_register all = TILE_NO_REGISTER;

    for (uint32_t i = first; i < axes; i++) {
        tile_register at = place->at[axes - 1 - i];
        if (tile_range_of(e->ranges, op->operand[1 + i]).low >= 0)
            continue;
        all = all ? tile_make(e, TILE_R32, "or.b32 %R, %R, %R", all, at) : at;
    }
    return all ? tile_make(e, TILE_PRED, "setp.lt.s32 %R, %R, 0", all) : all;
}

bool tile_emit_store_tma(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    const struct tile_value *x = op->operand[op->operand_count - 1];
    uint32_t element = tile_bytes_of(x->type.dtype);
    char one[16], stores[16];

    if (tile_is_after_stores(e, op)) // order earlier stores by threads before TMA; earlier loads
                                     // are complete
        tile_ins(e, "fence.proxy.async");
    tile_order_access(e, op);
    bool sliced = op->operand[0]->op != NULL;
    struct tile_place place = sliced ? place_in_slice(e, op) : tile_place_of(e, op);
    bool optional = plan->map[plan->store_map].optional;
    uint32_t other = sliced ? 1 : place.rank - 1 - plan->store_axis;
    // A slice's rows never begin below zero.
    tile_register below = begins_below_zero(e, op, &place, sliced ? 1 : 0);
    place.other = other;
    if (plan->groups > 1) {
        tile_register *along = &place.at[plan->turned ? 0 : other];
        *along =
            tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->group, plan->store_step, *along);
    }
    const struct tile_staging *s = tile_staging_of(e, x);
    tile_register from = s->at;
    if (r->warps_apart) {
        tile_register *along = &place.at[plan->turned ? 0 : other];
        *along = past_warps(e, *along, ROWS_OF_WARP);
        from = part_of_warp(e, from);
    }
    strcpy(one, tile_name(r->not_storing));
    strcpy(stores, one);
    if (below && !optional) // a store by tile index: the whole tile lies outside
        strcpy(stores,
               tile_name(tile_make(e, TILE_PRED, "or.pred %R, %R, %R", r->not_storing, below)));
    uint32_t ways = plan->buffers / plan->together, left = plan->slabs % plan->together;
    uint32_t rounds = plan->slabs / plan->together + (left != 0);
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t first = round * plan->together;
        uint32_t end = first + (left && round + 1 == rounds ? left : plan->together);
        // Wait until earlier stores have read these slabs. This includes the latest store if the
        // tile begins with the slab that the previous tile used last.
        tile_put(e->text, "\t@!%s cp.async.bulk.wait_group.read %u;\n", one,
                 !round && rounds % ways ? 0 : ways - 1);
        put_together(e, s);
        for (uint32_t n = first; n < end; n++)
            (plan->turned ? tile_fill_turned_slab : fill_slab)(e, s, x, n / s->slabs, n % s->slabs,
                                                               n % plan->buffers * TILE_SLAB_BYTES);
        tile_ins(e, "fence.proxy.async.shared::cta");
        put_together(e, s);
        uint32_t lacks_map = tile_label(e), stored = tile_label(e);
        if (optional)
            tile_branch(e, tile_has_map(e, plan->store_map), true, lacks_map);
        if (optional && below)
            tile_branch(e, below, false, lacks_map);
        for (uint32_t n = first; n < end; n++) {
            struct tile_place p = place_of_slab(e, &place, n, element);
            bool tail = plan->tail && n % s->slabs + 1 == s->slabs;
            tile_put(e->text, "\t@!%s cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group ",
                     stores, p.rank);
            put_place(e, r->map[tail ? plan->tail_map : plan->store_map], &p);
            tile_put(e->text, ", [%s+%u];\n", tile_name(from), n % plan->buffers * TILE_SLAB_BYTES);
        }
        tile_put(e->text, "\t@!%s cp.async.bulk.commit_group;\n", one);
        if (!optional)
            continue;
        tile_branch(e, TILE_NO_REGISTER, false, stored);
        tile_put_label(e, lacks_map);
        store_rows(e, op, &place, from, first, end);
        tile_put_label(e, stored);
    }
    if (plan->side)
        tile_end_side(e);
    return !e->failed;
}
