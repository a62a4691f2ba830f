// Rings in shared memory for the operands of a fused loop: the copying thread fills their stages,
// and warpgroups multiply from them or read them.
#include "fused_ring.h"

static uint32_t number_of(const struct tile_fused *p, const struct tile_feed *feed)
{
    return (uint32_t)(feed - p->feed);
}

// ---- Rings

void tile_next_stage(struct tile_emitter *e, const struct tile_ring_position *position)
{
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, 1", position->stage, position->stage);
    tile_ins(e, "setp.eq.u32 %R, %R, %u", wraps, position->stage, (unsigned)e->ring->plan->stages);
    tile_ins(e, "@%R mov.u32 %R, 0", wraps, position->stage);
    tile_ins(e, "@%R xor.b32 %R, %R, 1", wraps, position->phase, position->phase);
}

// Returns the barrier of a feed's stage; `position` is ignored if the feed is held.
static tile_register barrier_of(struct tile_emitter *e, const struct tile_feed *feed,
                                const struct tile_ring_position *position)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t first = number_of(r->plan, feed) * TILE_FEED_STAGES * TILE_FEED_BARRIER_BYTES;
    tile_register at = r->ring.base;

    if (!feed->held)
        at = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", position->stage,
                       (unsigned)TILE_FEED_BARRIER_BYTES, at);
    return first ? tile_make(e, TILE_R32, "add.u32 %R, %R, %u", at, first) : at;
}

void tile_wait_for_feed(struct tile_emitter *e, const struct tile_feed *feed,
                        const struct tile_ring_position *position)
{
    tile_emit_wait(e, barrier_of(e, feed, position), 0,
                   feed->held ? tile_fused_ring_of(e)->held_phase : position->phase);
}

void tile_release_feed(struct tile_emitter *e, const struct tile_feed *feed,
                       const struct tile_ring_position *position)
{
    tile_register at = barrier_of(e, feed, position);

    tile_ins(e, "@!%R mbarrier.arrive.shared::cta.b64 _, [%R+%u]", e->ring->not_first, at,
             (unsigned)TILE_FEED_FREE_AT);
}

// ---- The copying thread

void tile_copy_feed(struct tile_emitter *e, const struct tile_feed *feed)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_stream *s = &feed->stream;
    tile_register full = barrier_of(e, feed, &r->position);
    tile_register before =
        tile_make(e, TILE_R32, "xor.b32 %R, %R, 1", feed->held ? r->held_phase : r->position.phase);
    tile_register to =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.base, (unsigned)TILE_RING_AT + s->at);

    if (!feed->held)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", to, r->position.stage, s->bytes, to);
    tile_emit_wait(e, full, TILE_FEED_FREE_AT, before);
    tile_expect(e, full, s->span * s->rows * s->slabs);
    tile_emit_copy(e, s, to, full);
}

const struct tile_feed *tile_feed_of(const struct tile_fused *p, const struct tile_op *load)
{
    for (uint32_t i = 0; i < p->feeds; i++)
        if (p->feed[i].stream.load == load)
            return &p->feed[i];
    return NULL;
}

bool tile_emit_wanted(struct tile_emitter *e, const struct tile_block *block)
{
    struct tile_fused *p = tile_fused_ring_of(e)->plan;

    for (const struct tile_op *op = block->first; op && op != p->base.loop; op = op->next)
        if (op->result_count == 1 && p->base.wanted[op->result[0]->id] && !tile_feed_of(p, op) &&
            !tile_emit_one(e, op))
            return false;
    return true;
}

// ---- Tiles that are read into registers

// Returns the offset of an element in its slab, which has rows of `span` bytes. The low bits of the
// row permute the row's 16-byte pieces. The map is linear: the offset for two coordinates is the
// XOR of the offsets for each.
static uint32_t place_in_slab(const struct tile_stream *s, uint32_t row, uint32_t column)
{
    uint32_t bits = s->span == 128 ? row & 7 : s->span == 64 ? row >> 1 & 3 : row >> 2 & 1;

    return row * s->span ^ bits << 4 ^ column * s->element % s->span;
}

static tile_register thread_in_slab(struct tile_emitter *e, const struct tile_stream *s)
{
    const struct tile_layout *layout = s->load->result[0]->layout;
    tile_register sum = tile_number32(e, 0);

    for (uint32_t bit = 0; bit < TILE_LANE_BITS + (uint32_t)layout->warp_bits; bit++) {
        uint32_t one = UINT32_C(1) << (layout->register_bits + bit);
        uint32_t place = place_in_slab(s, tile_axis_coordinate(layout, one, 0),
                                       tile_axis_coordinate(layout, one, 1));
        tile_register part = tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, 1", e->tid, bit);
        part = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %u", part, place);
        sum = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", sum, part);
    }
    return sum;
}

// Release the stage only after all threads of the warpgroup have read it.
bool tile_read_feed(struct tile_emitter *e, const struct tile_feed *feed)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_stream *s = &feed->stream;
    const struct tile_value *value = s->load->result[0];
    tile_register *reg = tile_registers(e, value);
    struct tile_text *before = tile_into_prologue(e);
    tile_register mine = thread_in_slab(e, s);
    e->text = before;

    if (!reg)
        return false;
    tile_wait_for_feed(e, feed, &r->position);
    tile_register stage = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", r->position.stage,
                                    s->bytes, r->ring.base);
    for (uint32_t i = 0; i < tile_register_count(value); i += 2) {
        uint32_t row = tile_register_coordinate(value->layout, i, 0);
        uint32_t column = tile_register_coordinate(value->layout, i, 1);
        if (row >= s->rows || column >= s->slabs * s->span / s->element)
            continue; // padding
        tile_register at =
            tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", mine, place_in_slab(s, row, column));
        at = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", at, stage);
        tile_emit_load(e, "", "shared", value->type.dtype, reg + i, 2, at,
                       TILE_RING_AT + s->at +
                           column * s->element / s->span * (int64_t)(s->span * s->rows),
                       TILE_NO_REGISTER);
    }
    tile_register barrier = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.group,
                                      (unsigned)TILE_BARRIER_OF_GROUP);
    tile_ins(e, "bar.sync %R, %u", barrier, (unsigned)TILE_GROUP_THREADS);
    tile_release_feed(e, feed, &r->position);
    return !e->failed;
}
