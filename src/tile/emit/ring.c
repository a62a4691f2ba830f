// The ring of stages: waits at barriers and steps from stage to stage.
#include "ring.h"

void tile_emit_wait(struct tile_emitter *e, tile_register barrier, uint32_t at,
                    tile_register parity)
{
    uint32_t top = tile_label(e);
    tile_register done = tile_new(e, TILE_PRED);

    tile_put_label(e, top);
    tile_ins(e, "mbarrier.try_wait.parity.shared::cta.b64 %R, [%R+%u], %R", done, barrier, at,
             parity);
    tile_branch(e, done, true, top);
}

tile_register tile_stage_barrier(struct tile_emitter *e)
{
    const struct tile_ring *r = e->ring;

    return tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 8, %R", r->stage, r->base);
}

void tile_ring_step(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, 1", r->stage, r->stage);
    tile_ins(e, "setp.eq.u32 %R, %R, %u", wraps, r->stage, (unsigned)r->plan->stages);
    tile_put(e->text, "\t@%s mov.u32 %s, 0;\n", tile_name(wraps), tile_name(r->stage));
    tile_put(e->text, "\t@%s xor.b32 %s, %s, 1;\n", tile_name(wraps), tile_name(r->phase),
             tile_name(r->phase));
}

void tile_skip_other_team(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    tile_register wraps = tile_new(e, TILE_PRED);

    tile_ins(e, "add.u32 %R, %R, %R", r->stage, r->stage, r->others_stages);
    tile_ins(e, "xor.b32 %R, %R, %R", r->phase, r->phase, r->others_phase);
    tile_ins(e, "setp.ge.u32 %R, %R, %u", wraps, r->stage, (unsigned)r->plan->stages);
    tile_ins(e, "@%R sub.u32 %R, %R, %u", wraps, r->stage, r->stage, (unsigned)r->plan->stages);
    tile_ins(e, "@%R xor.b32 %R, %R, 1", wraps, r->phase, r->phase);
}

struct tile_piece tile_piece_of(struct tile_emitter *e, const struct tile_stream *s)
{
    struct tile_rounds h = tile_rounds_of(s);
    struct tile_piece x;

    tile_register thread = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, 127u);
    x.warp = tile_make(e, TILE_R32, "shr.u32 %R, %R, 5", thread);
    x.line =
        tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", e->lane, (unsigned)__builtin_ctz(h.lanes));
    x.piece = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->lane, h.lanes - 1);
    x.row = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", x.warp, 32 / h.lanes, x.line);
    // TMA permutes the pieces within 128 bytes of shared memory by low bits of the row's number.
    tile_register bits = s->span == 128
                             ? tile_make(e, TILE_R32, "and.b32 %R, %R, 7", x.row)
                             : tile_make(e, TILE_R32, "bfe.u32 %R, %R, %u, %u", x.row,
                                         s->span == 64 ? 1u : 2u, s->span == 64 ? 2u : 1u);
    bits = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", bits, x.piece);
    x.place = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", bits, (unsigned)TILE_WORD_BYTES,
                        e->ring->base);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", x.place, x.row, s->span, x.place);
    tile_ins(e, "add.u32 %R, %R, %u", x.place, x.place, (unsigned)TILE_RING_AT + s->at);
    return x;
}
