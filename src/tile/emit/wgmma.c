// Matrix products a @ b by warpgroups, with operands in swizzled shared memory.
//
// A descriptor holds the address of an operand's first bytes in units of 16 bytes, and the
// distances between groups of 8 rows and between slabs. The steps of a stage along the depth axis
// differ only in the address.
#include "ring.h"

#include <stdio.h>

enum { STEP_BYTES = 32 }; // bytes along the depth axis per instruction

// Returns a descriptor without the address.
uint64_t tile_descriptor_of(const struct tile_stream *s)
{
    uint64_t swizzle = s->span == 128  ? 1
                       : s->span == 64 ? 2
                                       : 3; // tensor maps number swizzles differently
    uint64_t slabs = s->mn_major ? s->span * s->rows / 16 : 1;

    return swizzle << 62 | (uint64_t)(8 * s->span / 16) << 32 | slabs << 16;
}

// Returns the byte distance between blocks of 64 rows of a.
uint32_t tile_block_step(const struct tile_stream *a)
{
    return a->mn_major ? a->span * a->rows * (64 * a->element / a->span) : 64 * a->span;
}

void tile_open_products(struct tile_emitter *e)
{
    struct tile_ring *r = e->ring;
    struct tile_text *before = tile_into_prologue(e);
    tile_register in_group =
        tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, TILE_GROUP_THREADS - 1u);

    r->not_first = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", in_group);
    r->not_storing = r->plan->apart ? tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", e->lane)
                                    : r->not_first;
    for (uint32_t i = 0; i < 2; i++) {
        const struct tile_stream *s = &r->plan->stream[i];
        tile_register at =
            tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->base, (unsigned)TILE_RING_AT + s->at);
        if (!i && r->plan->groups > 1)
            tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, r->group, tile_block_step(s), at);
        at = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x3ffff", at);
        at = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", at);
        tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", at);
        r->descriptor[i] =
            tile_make(e, TILE_R64, "or.b64 %R, %R, 0x%x", wide, tile_descriptor_of(s));
    }
    e->text = before;
}

// Returns the byte offset of a step along the depth axis.
uint32_t tile_step_of(const struct tile_stream *s, uint32_t step)
{
    uint32_t bytes = step * STEP_BYTES;

    return s->mn_major ? bytes / s->element * s->span
                       : bytes / s->span * s->span * s->rows + bytes % s->span;
}

tile_register tile_descriptor_at(struct tile_emitter *e, tile_register descriptor, uint32_t bytes)
{
    return bytes ? tile_make(e, TILE_R64, "add.s64 %R, %R, %u", descriptor, bytes / 16)
                 : descriptor;
}

// The part of the accumulator that one instruction computes: all or some columns of a block of 64
// rows.
struct piece {
    uint32_t block, column, columns;
    const char *accumulators; // register list such as "{%r1, ...}"
};

struct product {
    struct tile_emitter *e;
    tile_register at[2];    // descriptors of the stage's operands
    const char *form, *end; // instruction text before the accumulators, and after scale-d
};

static void multiply(const struct product *p, const struct piece *piece, uint32_t step,
                     const char *scale)
{
    struct tile_emitter *e = p->e;
    const struct tile_pipeline *plan = e->ring->plan;
    const struct tile_stream *a = &plan->stream[0], *b = &plan->stream[1];
    uint32_t rows = piece->block * plan->groups * tile_block_step(a);
    tile_register x = tile_descriptor_at(e, p->at[0], tile_step_of(a, step) + rows);
    tile_register y =
        tile_descriptor_at(e, p->at[1], tile_step_of(b, step) + piece->column * b->span);

    tile_put(e->text, "\twgmma.mma_async.sync.aligned.m64n%u%s ", piece->columns, p->form);
    tile_put_string(e->text, piece->accumulators);
    tile_put(e->text, ", %s, %s, %s%s;\n", tile_name(x), tile_name(y), scale, p->end);
}

// Sums a stage's steps separately, at most 128 numbers at a time, because wgmma's sums keep only 13
// bits below the largest number. Computes one piece of the accumulator at a time to limit
// registers. Meanwhile the other warpgroup multiplies.
static void multiply_promoted(const struct product *p, uint32_t steps, const tile_register *sum,
                              uint32_t each)
{
    enum { STEPS = 4 };
    struct tile_emitter *e = p->e;
    const struct tile_pipeline *plan = e->ring->plan;
    uint32_t columns = plan->columns > TILE_PART_COLUMNS ? plan->columns / 2 : plan->columns;
    tile_register part[TILE_PART_COLUMNS / 2];

    for (uint32_t i = 0; i < columns / 2; i++)
        part[i] = tile_new(e, TILE_R32);
    for (uint32_t n = 0; n < plan->blocks * plan->columns; n += columns) {
        uint32_t block = n / plan->columns, column = n % plan->columns;
        const tile_register *own = sum + block * each + column / 2;
        struct piece piece = { block, column, columns, tile_register_list(e, part, columns / 2) };
        for (uint32_t first = 0; first < steps; first += STEPS) {
            tile_ins(e, "wgmma.fence.sync.aligned");
            for (uint32_t step = first; step < steps && step < first + STEPS; step++)
                multiply(p, &piece, step, step == first ? "0" : "1");
            tile_ins(e, "wgmma.commit_group.sync.aligned");
            tile_ins(e, "wgmma.wait_group.sync.aligned 0");
            for (uint32_t i = 0; i < columns / 2; i++)
                tile_ins(e, "add.rn.f32 %R, %R, %R", own[i], own[i], part[i]);
        }
    }
}

void tile_emit_products(struct tile_emitter *e, const tile_register *sum, uint32_t count,
                        tile_register accumulates)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    const struct tile_stream *a = &plan->stream[0], *b = &plan->stream[1];
    const struct tile_wgmma *x = tile_wgmma_of(plan->mma->operand[0]->type.dtype),
                            *y = tile_wgmma_of(plan->mma->operand[1]->type.dtype);
    uint32_t steps = plan->depth * a->element / STEP_BYTES, each = count / plan->blocks;
    struct product p = { .e = e };
    struct piece piece[4];
    char form[32], end[24] = "", scale[16] = "1";

    snprintf(form, sizeof(form), "k%u.%s.%s.%s", STEP_BYTES / a->element, x->signs ? "f32" : "s32",
             x->name, y->name);
    if (x->either_major)
        snprintf(end, sizeof(end), ", 1, 1, %d, %d", a->mn_major, b->mn_major);
    else if (x->signs)
        snprintf(end, sizeof(end), ", 1, 1");
    p.form = form;
    p.end = end;
    for (uint32_t i = 0; i < 2; i++) {
        tile_register stage =
            tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", r->stage, plan->stage_bytes / 16);
        p.at[i] = tile_make(e, TILE_R64, "add.s64 %R, %R, %R", r->descriptor[i], stage);
    }
    if (plan->promotes) {
        multiply_promoted(&p, steps, sum, each);
        return;
    }
    for (uint32_t block = 0; block < plan->blocks; block++)
        piece[block] =
            (struct piece){ block, 0, plan->columns,
                            tile_register_list(e, sum + block * each, plan->columns / 2) };
    if (accumulates)
        snprintf(scale, sizeof(scale), "%s", tile_name(accumulates));
    tile_ins(e, "wgmma.fence.sync.aligned");
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t block = 0; block < plan->blocks; block++)
            multiply(&p, &piece[block], step, step ? "1" : scale);
    tile_ins(e, "wgmma.commit_group.sync.aligned");
}
