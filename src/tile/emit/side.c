// Side tiles: tiles, such as an addend, that are loaded after the loop, in the layout of the stored
// tile. A side tile arrives through the ring, as if the loop had a few more iterations. Each stage
// holds as many of its slabs as are stored at a time. A thread reads the positions that it will
// write later.
#include "ring.h"

static uint32_t parts_of(const struct tile_pipeline *plan)
{
    return plan->slabs / plan->together;
}

void tile_copy_side(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;

    for (uint32_t part = 0; part < parts_of(plan); part++) {
        tile_register full = tile_stage_barrier(e);
        tile_register before = tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", r->phase);
        tile_emit_wait(e, full, TILE_FREE_AT, before);
        uint32_t lacks_map = tile_label(e), copied = tile_label(e);
        tile_branch(e, tile_has_map(e, plan->side_map), true, lacks_map);
        tile_expect(e, full, plan->groups * plan->together * TILE_SLAB_BYTES);
        tile_register to = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->stage,
                                     plan->stage_bytes, r->base);
        for (uint32_t i = 0; i < plan->groups * plan->together; i++)
            tile_copy_slab(e, plan->side, plan->side_map, i / plan->together,
                           part * plan->together + i % plan->together,
                           tile_make(e, TILE_R32, "add.u32 %R, %R, %u", to,
                                     TILE_RING_AT + i * TILE_SLAB_BYTES),
                           full);
        tile_branch(e, TILE_NO_REGISTER, false, copied);
        tile_put_label(e, lacks_map); // without a map, the warpgroups fill the stage
        tile_ins(e, "@%R mbarrier.arrive.shared::cta.b64 _, [%R]", r->elected, full);
        tile_put_label(e, copied);
        tile_ring_step(e);
    }
}

bool tile_begin_side(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_value *value = r->plan->side->result[0];

    r->side_parts = 0;
    e->deferred[value->id] = r->plan->side;
    e->value[value->id] = tile_take(e->module, tile_register_count(value) * sizeof(tile_register));
    return e->value[value->id] != NULL;
}

// If there is no map, makes each warp load its rows of a part to where TMA would place them. The
// part starts at address `at`.
static void load_rows(struct tile_emitter *e, const struct tile_staging *s, tile_register at)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    uint32_t first = r->side_parts * plan->together, end = first + plan->together, loaded;
    uint32_t element = tile_bytes_of(plan->side->result[0]->type.dtype), has_map = tile_label(e);

    tile_branch(e, tile_has_map(e, plan->side_map), false, has_map);
    struct tile_place place = tile_place_of(e, plan->side);
    tile_register warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
    tile_register row = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 4, %R", r->group, warp);
    place.at[place.other] =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 16, %R", row, place.at[place.other]);
    at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", warp, TILE_SLAB_BYTES / 4u, at);
    for (uint32_t n = first; n < end; n += loaded) {
        loaded = s->slabs - n % s->slabs < end - n ? s->slabs - n % s->slabs : end - n;
        struct tile_slab_rows rows = { .access = plan->side,
                                       .loads = true,
                                       .place = place,
                                       .slabs = loaded,
                                       .line = TILE_SLAB_LINE,
                                       .columns = loaded * TILE_SLAB_LINE / element };
        rows.place.at[0] = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", place.at[0],
                                     n % s->slabs * TILE_SLAB_LINE / element);
        rows.place.at[place.other] = tile_make(e, TILE_R32, "add.u32 %R, %R, %u",
                                               place.at[place.other],
                                               n / s->slabs * plan->groups * 64);
        rows.shared =
            tile_make(e, TILE_R32, "add.u32 %R, %R, %u", at, (n - first) * TILE_SLAB_BYTES);
        tile_move_slab_rows(e, &rows);
    }
    tile_ins(e, "fence.proxy.async.shared::cta"); // TMA will write to the stage again
    tile_ins(e, "bar.warp.sync 0xffffffff");
    tile_put_label(e, has_map);
}

// Waits for the next part, and computes the thread's address in it.
static void open_part(struct tile_emitter *e, const struct tile_staging *s)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    tile_register full = tile_stage_barrier(e);

    tile_emit_wait(e, full, 0, r->phase);
    tile_register at =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->stage, plan->stage_bytes, r->base);
    if (plan->groups > 1)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, r->group, plan->together * TILE_SLAB_BYTES,
                 at);
    tile_ins(e, "add.u32 %R, %R, %u", at, at, (unsigned)TILE_RING_AT);
    load_rows(e, s, at);
    tile_ins(e, "sub.u32 %R, %R, %R", at, at, s->at);
    for (uint32_t i = 0; i < 4; i++)
        r->side_lane[i] = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", s->lane[i], at);
    r->side_parts++;
}

// Returns the warpgroup's slab for the column group of a register. For padding, returns one past
// the last slab.
static uint32_t slab_of(const struct tile_emitter *e, const struct tile_staging *s, uint32_t index,
                        uint32_t *column)
{
    uint32_t columns = 1u << (s->column_bits - 3), block = index >> 2 >> (s->column_bits - 3);

    *column = (index >> 2) & (columns - 1);
    return *column / s->eights < s->slabs ? block * s->slabs + *column / s->eights
                                          : e->ring->plan->slabs;
}

// Reads the registers of two groups of 8 columns and 16 rows, or of one group if elements have 32
// bits.
static void read_slab(struct tile_emitter *e, const struct tile_staging *s, tile_register *out,
                      uint32_t index, enum tile_register_class class)
{
    const struct tile_ring *r = e->ring;
    uint32_t column, slab = slab_of(e, s, index, &column), i = column % s->eights;
    uint32_t at = slab % r->plan->together * TILE_SLAB_BYTES;
    tile_register word[4];

    for (uint32_t n = 0; n < 4; n++)
        word[n] = tile_new(e, TILE_R32);
    if (s->wide) {
        tile_ins(e, "ld.shared.v2.b32 {%R, %R}, [%R+%u]", word[0], word[1], r->side_lane[i], at);
        tile_ins(e, "ld.shared.v2.b32 {%R, %R}, [%R+%u]", word[2], word[3], r->side_lane[i],
                 at + 1024);
        for (uint32_t n = 0; n < 4; n++)
            out[index + n] = word[n];
        return;
    }
    tile_ins(e, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%R, %R, %R, %R}, [%R+%u]", word[0],
             word[1], word[2], word[3], r->side_lane[i / 2], at);
    for (uint32_t n = 0; n < 8; n += 2) {
        out[index + n] = tile_new(e, class);
        out[index + n + 1] = tile_new(e, class);
        tile_ins(e, "mov.b32 {%R, %R}, %R", out[index + n], out[index + n + 1], word[n / 2]);
    }
}

// Ends a part: reads its remaining elements and frees its stage. `together`: the warpgroup's
// threads have synchronized since the last read.
static void close_part(struct tile_emitter *e, const struct tile_staging *s, bool together)
{
    struct tile_ring *r = e->ring;
    const struct tile_value *value = r->plan->side->result[0];
    uint32_t size = s->wide ? 4 : 8, column;
    tile_register *out = e->value[value->id];

    for (uint32_t at = 0; at < tile_register_count(value); at += size)
        if (!out[at] && slab_of(e, s, at, &column) / r->plan->together + 1 == r->side_parts) {
            read_slab(e, s, out, at, tile_class_of(value->type.dtype));
            together = false;
        }
    if (!together)
        tile_ins(e, "bar.sync %R, %u", s->barrier, (unsigned)TILE_GROUP_THREADS);
    tile_register full = tile_stage_barrier(e);
    tile_put(e->text, "\t@!%s mbarrier.arrive.shared::cta.b64 _, [%s+%u];\n",
             tile_name(r->not_first), tile_name(full), (unsigned)TILE_FREE_AT);
    tile_ring_step(e);
}

bool tile_emit_side(struct tile_emitter *e, const struct tile_op *op, uint32_t first, uint32_t end)
{
    const struct tile_value *value = op->result[0];
    const struct tile_staging *s = tile_staging_of(e, value);
    struct tile_ring *r = e->ring;
    uint32_t size = s->wide ? 4 : 8, column;
    tile_register *out = e->value[value->id];

    for (uint32_t at = first / size * size; at < end; at += size) {
        uint32_t slab = slab_of(e, s, at, &column);
        if (out[at])
            continue;
        if (slab == r->plan->slabs) { // padding
            for (uint32_t n = 0; n < size; n++)
                out[at + n] = tile_new(e, tile_class_of(value->type.dtype));
            continue;
        }
        while (r->side_parts <= slab / r->plan->together) {
            if (r->side_parts)
                close_part(e, s, false);
            open_part(e, s);
        }
        read_slab(e, s, out, at, tile_class_of(value->type.dtype));
    }
    return !e->failed;
}

void tile_end_side(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_staging *s = tile_staging_of(e, r->plan->side->result[0]);
    bool together = true;

    for (; r->side_parts < parts_of(r->plan); open_part(e, s), together = false)
        if (r->side_parts)
            close_part(e, s, false);
    close_part(e, s, together);
}
