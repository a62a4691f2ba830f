// Plans the loop over a product of matrices whose threads copy operands to shared memory by
// themselves, some stages ahead (cp.async): what becomes of it where there is no TMA or wgmma.
#include "pipeline.h"

#include "../layout/fragment.h"

enum { USUAL_STAGES = 4, PIECE_BYTES = 16, STEP_BYTES = 32 };

static uint32_t line_pitch(uint32_t bytes)
{
    return bytes % 32 ? bytes : bytes + 16; // an odd number of pieces: no bank is met twice
}

static const char *plan_stream(struct tile_pipeline *p, uint32_t which, uint32_t threads)
{
    struct tile_stream *s = &p->stream[which];
    const struct tile_attribute *shape = tile_attribute(s->load, TILE_ATTR_SHAPE);
    uint32_t line = (uint32_t)shape->ints[s->last] * s->element, pieces = line / PIECE_BYTES;

    if (s->load->operand[0]->op)
        return "an operand is of a slice";
    if (line % PIECE_BYTES || pieces & (pieces - 1) || pieces > threads)
        return "an operand's lines are not 1, 2, 4 ... times 16 bytes";
    if (s->mn_major && (s->element != 2 || shape->ints[s->last] < (which ? 8 : 16)))
        return "operands of this dtype must have the summed axis last in memory";
    s->rows = (uint32_t)shape->ints[s->other];
    s->span = line_pitch(line);
    s->bytes = s->span * s->rows;
    return NULL;
}

struct tile_pipeline *tile_plan_ahead(struct tile_kernel *kernel, const struct tile_target *target,
                                      uint32_t warps, const char **why)
{
    struct tile_pipeline *p = tile_take(kernel->module, sizeof(*p));

    *why = "";
    if (!p)
        return NULL;
    *why = tile_find_loop(kernel, p);
    if (!*why && (!tile_fragment_of(p->mma, target) || p->mma->result[0]->type.dtype == CUC_F16))
        *why = "mma.sync has nothing for its dtypes";
    for (uint32_t i = 0; i < 2 && !*why; i++)
        *why = plan_stream(p, i, 32 * warps);
    if (*why)
        return NULL;
    p->depth = (uint32_t)p->mma->operand[0]->type.extent[1];
    if (p->depth * p->stream[0].element % STEP_BYTES)
        *why = "a stage of it is no multiple of 32 bytes deep";
    p->stream[1].at = p->stream[0].bytes;
    p->stage_bytes = p->stream[0].bytes + p->stream[1].bytes;
    p->stages = target->shared_limit / p->stage_bytes;
    if (p->stages > (target->stages ? target->stages : USUAL_STAGES))
        p->stages = target->stages ? target->stages : USUAL_STAGES;
    if (p->stages < 2)
        *why = "two stages of it do not fit in shared memory";
    return *why ? NULL : p;
}
