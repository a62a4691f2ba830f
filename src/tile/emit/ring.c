// The ring of stages: waits for a barrier, and steps from stage to stage.
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
