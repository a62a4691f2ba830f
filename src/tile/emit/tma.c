// Copies by TMA: of operands into the ring, and of accumulators out of registers, by way of slabs
// of 64 rows of 128 bytes in shared memory, two for each warpgroup in turn.
#include "ring.h"

#include <string.h>

// Coordinates past this are outside of every tensor that has a map (select.c).
#define OUTSIDE (INT64_C(1) << 30)

// An index of an access as the coordinate of its first element, 32 bits.
static tile_register coordinate(struct tile_emitter *e, const struct tile_value *index,
                                int64_t extent)
{
    const tile_register *own = tile_registers(e, index);
    int64_t most = OUTSIDE / extent + 1;

    if (!own)
        return TILE_NO_REGISTER;
    tile_register x = tile_emit_cast(e, CUC_I64, index->type.dtype, TILE_RN, own[0]);
    if (index->type.dtype == CUC_U64)
        x = tile_make(e, TILE_R64, "min.u64 %R, %R, %l", x, most);
    x = tile_make(e, TILE_R64, "min.s64 %R, %R, %l", x, most);
    x = tile_make(e, TILE_R64, "max.s64 %R, %R, %l", x, -most);
    tile_register low = tile_make(e, TILE_R32, "cvt.u32.u64 %R, %R", x);
    return extent == 1 ? low : tile_make(e, TILE_R32, "mul.lo.s32 %R, %R, %d", low, (int)extent);
}

struct place {
    tile_register at[TILE_MAP_RANK]; // of the last axis first
    uint32_t rank, other;            // which of them is the other axis of the tile
};

static struct place place_of(struct tile_emitter *e, const struct tile_op *op)
{
    const struct tile_attribute *shape = tile_attribute(op, TILE_ATTR_SHAPE);
    int64_t dropped = tile_int(op, TILE_ATTR_DROPPED, 0);
    struct place p = { .rank = shape->count };

    for (uint32_t i = shape->count; i-- > 0;) {
        uint32_t n = shape->count - 1 - i;
        p.at[n] = coordinate(e, op->operand[1 + i], shape->ints[i]);
        if (n && !p.other && !(dropped >> i & 1))
            p.other = n;
    }
    return p;
}

static void put_place(struct tile_emitter *e, tile_register map, const struct place *p)
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

void tile_emit_copies(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    uint32_t bytes = 0;
    struct place place[2];

    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_stream *s = &plan->stream[i];
        place[i] = place_of(e, s->load);
        bytes += s->span * s->rows * s->slabs;
    }
    tile_register full = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", r->stage, r->base);
    tile_register before = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", r->phase);
    tile_emit_wait(e, full, TILE_FREE_AT, before);
    tile_ins(e, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%R], %u", full, bytes);
    tile_register stage =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->stage, plan->stage_bytes, r->base);
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_stream *s = &plan->stream[i];
        uint32_t rows = s->shared ? s->rows / plan->cluster : s->rows;
        tile_register at = stage, all = TILE_NO_REGISTER;
        if (s->shared) { // this block's part of the rows, for all
            tile_register x = place[i].at[place[i].other];
            place[i].at[place[i].other] =
                tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->rank, rows, x);
            at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->rank, rows * s->span, at);
            all = tile_make(e, TILE_R16, "mov.b16 %R, %u", (1u << plan->cluster) - 1);
        }
        for (uint32_t slab = 0; slab < s->slabs; slab++) {
            struct place p = place[i];
            p.at[0] = plus(e, p.at[0], slab * s->span / s->element);
            tile_register to = plus(e, at, TILE_RING_AT + s->at + slab * s->span * s->rows);
            tile_put(e->text,
                     "\tcp.async.bulk.tensor.%ud.shared::cluster.global.tile"
                     ".mbarrier::complete_tx::bytes%s [%s], ",
                     p.rank, all ? ".multicast::cluster" : "", tile_name(to));
            put_place(e, r->map[s->map], &p);
            tile_put(e->text, ", [%s]", tile_name(full));
            if (all)
                tile_put(e->text, ", %s", tile_name(all));
            tile_put_string(e->text, ";\n");
        }
    }
}

// ---- Stores

struct staging {
    const struct tile_value *value;
    tile_register at;      // of the warpgroup's slabs
    tile_register lane[4]; // where the thread writes: of each group of 16 columns, or of 8 of f32
    tile_register barrier; // the warpgroup's own
    cuc_dtype dtype;
    uint32_t column_bits; // of the tile
};

static void open_staging(struct tile_emitter *e, struct staging *s)
{
    struct tile_ring *r = e->ring;
    bool wide = cuc_dtype_bits(s->dtype) == 32;

    s->barrier =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->group, (unsigned)TILE_BARRIER_OF_GROUP);
    s->at = plus(e, r->base, r->staging);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", s->at, r->group, (unsigned)TILE_STAGING_BYTES, s->at);
    tile_register warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
    // Rows of 128 bytes, whose 16-byte pieces are exchanged by the row's lowest bits.
    tile_register row = wide ? tile_make(e, TILE_R32, "shr.u32 %R, %R, 2", e->lane)
                             : tile_make(e, TILE_R32, "and.b32 %R, %R, 15", e->lane);
    tile_register piece = wide ? tile_make(e, TILE_R32, "bfe.u32 %R, %R, 1, 1", e->lane)
                               : tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane);
    tile_register turn = tile_make(e, TILE_R32, "and.b32 %R, %R, 7", row);
    piece = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", piece, turn);
    piece = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", piece);
    row = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 16, %R", warp, row);
    tile_register line = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 128, %R", row, s->at);
    if (wide) {
        tile_register half = tile_make(e, TILE_R32, "and.b32 %R, %R, 1", e->lane);
        tile_ins(e, "mad.lo.u32 %R, %R, 8, %R", line, half, line);
    }
    for (uint32_t i = 0; i < 4; i++) {
        tile_register x = i ? tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", piece, 32 * i) : piece;
        s->lane[i] = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", x, line);
    }
}

// Two elements side by side in a word.
static tile_register pair(struct tile_emitter *e, const tile_register *reg)
{
    return tile_make(e, TILE_R32, "mov.b32 %R, {%R, %R}", reg[0], reg[1]);
}

// The slab's columns of a block of 64 rows.
static void fill_slab(struct tile_emitter *e, const struct staging *s, uint32_t block,
                      uint32_t slab, uint32_t at)
{
    bool wide = cuc_dtype_bits(s->dtype) == 32;
    uint32_t eights = wide ? 4 : 8; // groups of 8 columns

    for (uint32_t i = 0; i < eights; i += wide ? 1 : 2) {
        uint32_t first = (block << (s->column_bits - 3) | (slab * eights + i)) << 2;
        if (!tile_hurry(e, s->value, first, first + (wide ? 4 : 8)))
            return;
        const tile_register *reg = e->value[s->value->id] + first;
        if (wide) {
            tile_ins(e, "st.shared.v2.b32 [%R+%u], {%R, %R}", s->lane[i], at, reg[0], reg[1]);
            tile_ins(e, "st.shared.v2.b32 [%R+%u], {%R, %R}", s->lane[i], at + 1024, reg[2],
                     reg[3]);
            continue;
        }
        tile_register word[4];
        for (uint32_t n = 0; n < 4; n++)
            word[n] = pair(e, reg + 2 * n);
        tile_ins(e, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%R+%u], {%R, %R, %R, %R}",
                 s->lane[i / 2], at, word[0], word[1], word[2], word[3]);
    }
}

bool tile_emit_store_tma(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    const struct tile_value *x = op->operand[op->operand_count - 1];
    struct staging s = { .value = x, .dtype = x->type.dtype };
    uint32_t element = cuc_dtype_bits(x->type.dtype) / 8;
    uint32_t slabs = (uint32_t)x->type.extent[1] * element / 128, all = slabs * plan->blocks;
    char one[16];

    if (e->read | e->written) // by loads and stores of threads
        tile_ins(e, "fence.proxy.async");
    tile_order_access(e, op);
    while (1 << s.column_bits < x->type.extent[1])
        s.column_bits++;
    struct place place = place_of(e, op);
    place.at[place.other] =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 64, %R", r->group, place.at[place.other]);
    open_staging(e, &s);
    strcpy(one, tile_name(r->not_first));
    for (uint32_t n = 0; n < all; n++) {
        uint32_t block = n / slabs, slab = n % slabs, at = n % 2 * (TILE_STAGING_BYTES / 2);
        // The store before the last has been read out of its slab; the last too, where a tile's
        // first goes where the tile before had its last.
        tile_put(e->text, "\t@!%s cp.async.bulk.wait_group.read %d;\n", one, n || all % 2 == 0);
        tile_ins(e, "bar.sync %R, %u", s.barrier, (unsigned)TILE_GROUP_THREADS);
        fill_slab(e, &s, block, slab, at);
        tile_ins(e, "fence.proxy.async.shared::cta");
        tile_ins(e, "bar.sync %R, %u", s.barrier, (unsigned)TILE_GROUP_THREADS);
        struct place p = place;
        p.at[0] = plus(e, p.at[0], slab * 128 / element);
        p.at[p.other] = plus(e, p.at[p.other], block * plan->groups * 64);
        tile_put(e->text, "\t@!%s cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group ",
                 one, p.rank);
        put_place(e, r->map[plan->store_map], &p);
        tile_put(e->text, ", [%s+%u];\n", tile_name(s.at), at);
        tile_put(e->text, "\t@!%s cp.async.bulk.commit_group;\n", one);
    }
    return !e->failed;
}
