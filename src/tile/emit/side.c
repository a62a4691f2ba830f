// A tile that is loaded behind the loop and lies as the one that is stored: what is added to a
// product, say. It comes by TMA into the slabs that the result leaves by, while the loop is still
// on, and threads take from there what lies where they will put their own.
//
// The slabs are free when the stores of the tile before have been read out of them, which
// warpgroups wait for as they begin with a tile, and tell the thread that copies.
#include "ring.h"

enum { FULL_AT = 512, FREE_AT = 528 }; // barriers: of each warpgroup's slabs, and of all

void tile_make_side_barriers(struct tile_emitter *e)
{
    const struct tile_ring *r = e->ring;

    for (uint32_t i = 0; i < r->plan->groups; i++)
        tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], 1", r->base, FULL_AT + 8 * i);
    tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], %u", r->base, (unsigned)FREE_AT,
             r->plan->groups * (r->plan->by_warp ? 4u : 1u));
}

bool tile_begin_side(struct tile_emitter *e)
{
    const struct tile_ring *r = e->ring;
    const struct tile_value *value = r->plan->side->result[0];
    const char *one = tile_name(r->not_storing);

    tile_put(e->text, "\t@!%s cp.async.bulk.wait_group.read 0;\n", one);
    tile_put(e->text, "\t@!%s mbarrier.arrive.shared::cta.b64 _, [%s+%u];\n", one,
             tile_name(r->base), (unsigned)FREE_AT);
    e->waiting[value->id] = r->plan->side;
    e->value[value->id] = tile_take(e->module, tile_register_count(value) * sizeof(tile_register));
    return e->value[value->id] != NULL;
}

void tile_copy_side(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    uint32_t bytes = tile_staging_bytes(plan);

    tile_emit_wait(e, r->base, FREE_AT, r->side_phase);
    for (uint32_t group = 0; group < plan->groups; group++) {
        tile_register full =
            tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->base, FULL_AT + 8 * group);
        tile_ins(e, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%R], %u", full, bytes);
        tile_copy_slabs(e, plan->side, plan->side_map, group, full);
    }
}

void tile_wait_for_side(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;

    if (r->side_there)
        return;
    tile_register full = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", r->group, r->base);
    tile_emit_wait(e, full, FULL_AT, r->side_phase);
    r->side_there = true;
}

// The registers of two groups of 8 columns, or of one of 32-bit elements, of 16 rows each.
static void read_slab(struct tile_emitter *e, const struct tile_staging *s, tile_register *out,
                      uint32_t index, enum tile_register_class class)
{
    uint32_t columns = 1u << (s->column_bits - 3), block = index >> 2 >> (s->column_bits - 3);
    uint32_t column = (index >> 2) & (columns - 1), slab = column / s->eights;
    uint32_t at = (block * s->slabs + slab) * TILE_SLAB_BYTES, i = column % s->eights;
    tile_register word[4];

    if (slab >= s->slabs) { // padding
        for (uint32_t n = 0; n < (s->wide ? 4 : 8); n++)
            out[index + n] = tile_new(e, class);
        return;
    }
    for (uint32_t n = 0; n < 4; n++)
        word[n] = tile_new(e, TILE_R32);
    if (s->wide) {
        tile_ins(e, "ld.shared.v2.b32 {%R, %R}, [%R+%u]", word[0], word[1], s->lane[i], at);
        tile_ins(e, "ld.shared.v2.b32 {%R, %R}, [%R+%u]", word[2], word[3], s->lane[i], at + 1024);
        for (uint32_t n = 0; n < 4; n++)
            out[index + n] = word[n];
        return;
    }
    tile_ins(e, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%R, %R, %R, %R}, [%R+%u]", word[0],
             word[1], word[2], word[3], s->lane[i / 2], at);
    for (uint32_t n = 0; n < 8; n += 2) {
        out[index + n] = tile_new(e, class);
        out[index + n + 1] = tile_new(e, class);
        tile_ins(e, "mov.b32 {%R, %R}, %R", out[index + n], out[index + n + 1], word[n / 2]);
    }
}

bool tile_emit_side(struct tile_emitter *e, const struct tile_op *op, uint32_t first, uint32_t end)
{
    const struct tile_value *value = op->result[0];
    const struct tile_staging *s = tile_staging_of(e, value);
    uint32_t size = s->wide ? 4 : 8;
    tile_register *out = e->value[value->id];

    tile_wait_for_side(e);
    for (uint32_t at = first / size * size; at < end; at += size)
        if (!out[at])
            read_slab(e, s, out, at, tile_class_of(value->type.dtype));
    return !e->failed;
}
