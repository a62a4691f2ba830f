// Matrix products of fused loops, computed by warpgroups. In a product a @ b, b is in shared
// memory, and a in shared memory or registers.
#include "fused_ring.h"

#include <stdio.h>

// Returns the tile of a product's operand, in the order in which the product uses it.
static struct tile_stream stream_of(const struct tile_fused_product *product, uint32_t which)
{
    struct tile_stream s = product->feed[which]->stream;

    s.mn_major = product->mn_major[which];
    return s;
}

// Returns the byte distance between groups of columns of b.
static uint32_t columns_step(const struct tile_stream *b, uint32_t columns)
{
    uint32_t bytes = columns * b->element;

    return b->mn_major ? bytes / b->span * b->span * b->rows + bytes % b->span : columns * b->span;
}

// Returns the descriptor of a product's operand in the first stage, or TILE_NO_REGISTER if there is
// none. Operands of one feed share a descriptor if they use the tile in the same way.
static tile_register open_descriptor(struct tile_emitter *e, uint32_t number, uint32_t which)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused_product *product = &r->plan->product[number], *other = r->plan->product;

    if (!product->feed[which])
        return TILE_NO_REGISTER;
    for (; other < product; other++)
        if (other->feed[which] == product->feed[which] &&
            other->shares_rows == product->shares_rows &&
            other->mn_major[which] == product->mn_major[which])
            return r->descriptor[other - r->plan->product][which];
    struct tile_stream s = stream_of(product, which);
    tile_register at =
        tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.base, (unsigned)TILE_RING_AT + s.at);
    if (which == product->shares_rows) // warpgroups divide this operand
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, r->ring.group,
                 which ? columns_step(&s, product->columns) : tile_block_step(&s), at);
    if (tile_slices(&r->plan->base) > 1)
        tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, r->ring.group, s.bytes, at);
    at = tile_make(e, TILE_R32, "and.b32 %R, %R, 0x3ffff", at);
    at = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", at);
    tile_register wide = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", at);
    return tile_make(e, TILE_R64, "or.b64 %R, %R, 0x%x", wide, tile_descriptor_of(&s));
}

void tile_open_fused_products(struct tile_emitter *e)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    struct tile_text *before = tile_into_prologue(e);
    if (tile_slices(&r->plan->base) > 1) { // number threads within their slice
        e->tid = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, TILE_GROUP_THREADS - 1u);
        e->warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
    }
    tile_register in_group =
        tile_make(e, TILE_R32, "and.b32 %R, %R, %u", e->tid, TILE_GROUP_THREADS - 1u);

    r->ring.not_first = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", in_group);
    r->ring.not_storing = r->ring.not_first;
    tile_register own = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_eq");
    tile_register lower = tile_make(e, TILE_R32, "mov.u32 %R, %%lanemask_lt");
    own = tile_make(e, TILE_R32, "and.b32 %R, %R, %R", own, lower);
    r->lane_zero = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", own);
    r->not_first_lane = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", e->lane);
    for (uint32_t i = 0; i < 2 * r->plan->products; i++)
        r->descriptor[i / 2][i % 2] = open_descriptor(e, i / 2, i % 2);
    e->text = before;
}

// Packs the registers of a into words for wgmma.
bool tile_pack_left(struct tile_emitter *e, const struct tile_fused_product *product)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t number = (uint32_t)(product - r->plan->product);
    const struct tile_value *a = product->mma->operand[0];
    uint32_t in_word = 4 / tile_bytes_of(a->type.dtype);
    // Registers per block of 64 rows.
    uint32_t each = UINT32_C(1) << (tile_bits_of(product->depth) - 1);
    uint32_t words = r->plan->base.blocks * each / in_word;
    const tile_register *reg = tile_registers(e, a);

    if (!r->words[number]) {
        r->words[number] = tile_take(e->module, words * sizeof(**r->words));
        for (uint32_t i = 0; r->words[number] && i < words; i++)
            r->words[number][i] = tile_new(e, TILE_R32);
    }
    if (!reg || !r->words[number])
        return false;
    for (uint32_t i = 0; i < words; i++)
        if (in_word * i % each >= product->depth / 2)
            continue;
        else if (in_word == 2)
            tile_ins(e, "mov.b32 %R, {%R, %R}", r->words[number][i], reg[2 * i], reg[2 * i + 1]);
        else
            tile_move(e, r->words[number][i], tile_join_bytes(e, reg + 4 * i));
    return true;
}

// Reads an operand a that is loaded once for each tile into registers, in the layout of wgmma: each
// ldmatrix reads 16 rows of 32 bytes.
static bool read_left(struct tile_emitter *e, uint32_t number)
{
    enum { PIECE = 16, STEP_BYTES = 32, STEP_WORDS = 4 };
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_stream *a = &r->plan->product[number].feed[0]->stream;
    uint32_t steps = r->plan->product[number].depth * a->element / STEP_BYTES;
    tile_register *words = tile_take(e->module, steps * STEP_WORDS * sizeof(*words));

    if (!words)
        return false;
    for (uint32_t i = 0; i < steps * STEP_WORDS; i++)
        words[i] = tile_new(e, TILE_R32);
    r->words[number] = words;
    tile_register row = tile_make(e, TILE_R32, "and.b32 %R, %R, 15", e->lane);
    tile_register swizzle = tile_make(e, TILE_R32, "shr.u32 %R, %R, %u", row,
                                      a->span == 128  ? 0u
                                      : a->span == 64 ? 1u
                                                      : 2u);
    swizzle = tile_make(e, TILE_R32, "and.b32 %R, %R, %u", swizzle, a->span / PIECE - 1);
    tile_register piece = tile_make(e, TILE_R32, "shr.u32 %R, %R, 4", e->lane);
    piece = tile_make(e, TILE_R32, "xor.b32 %R, %R, %R", piece, swizzle);
    piece = tile_make(e, TILE_R32, "shl.b32 %R, %R, 4", piece);
    tile_register warp = tile_make(e, TILE_R32, "and.b32 %R, %R, 3", e->warp);
    row = tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, 16, %R", warp, row);
    tile_register at =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", row, a->span, r->ring.base);
    tile_ins(e, "mad.lo.u32 %R, %R, %u, %R", at, r->ring.group, tile_block_step(a), at);
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t inside = step * STEP_BYTES % a->span, slab = step * STEP_BYTES / a->span;
        tile_register from = tile_make(e, TILE_R32, "xor.b32 %R, %R, %u", piece, inside);
        from = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", from, at);
        const tile_register *to = words + step * STEP_WORDS;
        tile_ins(e, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%R, %R, %R, %R}, [%R+%u]", to[0],
                 to[1], to[2], to[3], from,
                 (unsigned)TILE_RING_AT + a->at + slab * a->span * a->rows);
    }
    return true;
}

bool tile_read_kept(struct tile_emitter *e)
{
    const struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_fused *p = r->plan;
    bool keeps = false;

    for (uint32_t i = 0; i < p->products; i++) {
        if (p->product[i].keeps_left && !read_left(e, i))
            return false;
        keeps |= p->product[i].keeps_left;
    }
    if (keeps) // one thread releases the buffers for all warps of the warpgroup
        tile_ins(e, "bar.sync %R, %u",
                 tile_make(e, TILE_R32, "add.u32 %R, %R, %u", r->ring.group,
                           (unsigned)TILE_BARRIER_OF_GROUP),
                 (unsigned)TILE_GROUP_THREADS);
    return true;
}

static tile_register descriptor_in(struct tile_emitter *e, const struct tile_fused_product *product,
                                   uint32_t which, const struct tile_ring_position *position)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_feed *feed = product->feed[which];
    tile_register first = r->descriptor[product - r->plan->product][which];

    if (feed->held)
        return first;
    tile_register stage = tile_make(e, TILE_R64, "mul.wide.u32 %R, %R, %u", position->stage,
                                    feed->stream.bytes * tile_slices(&r->plan->base) / 16);
    return tile_make(e, TILE_R64, "add.s64 %R, %R, %R", first, stage);
}

void tile_start_blocks(struct tile_emitter *e, const struct tile_fused_product *product,
                       const tile_register *sum, const struct tile_ring_position *position,
                       bool keeps, uint32_t first, uint32_t end)
{
    enum { STEP_BYTES = 32 };
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const struct tile_value *a = product->mma->operand[0], *b = product->mma->operand[1];
    const struct tile_wgmma *x = tile_wgmma_of(a->type.dtype), *y = tile_wgmma_of(b->type.dtype);
    const struct tile_feed *left = product->keeps_left ? NULL : product->feed[0];
    struct tile_stream right = stream_of(product, 1), own = left ? stream_of(product, 0) : right;
    uint32_t per_step = STEP_BYTES / right.element, steps = product->depth / per_step;
    uint32_t each = UINT32_C(1) << (tile_bits_of(product->columns) - 1);
    const tile_register *words = r->words[product - r->plan->product];
    uint32_t words_each = (tile_bytes_of(a->type.dtype) << tile_bits_of(product->depth)) / 8;
    tile_register at[2] = { TILE_NO_REGISTER, descriptor_in(e, product, 1, position) };
    char suffix[16] = "";

    if (!sum || (!left && !words)) { // out of memory
        e->failed = true;
        return;
    }
    if (left)
        at[0] = descriptor_in(e, product, 0, position);
    if (x->either_major && left)
        snprintf(suffix, sizeof(suffix), ", 1, 1, %d, %d", own.mn_major, right.mn_major);
    else if (x->either_major)
        snprintf(suffix, sizeof(suffix), ", 1, 1, %d", right.mn_major);
    else if (x->signs)
        snprintf(suffix, sizeof(suffix), ", 1, 1");
    tile_ins(e, "wgmma.fence.sync.aligned");
    for (uint32_t step = 0; step < steps; step++) {
        tile_register to = tile_descriptor_at(e, at[1], tile_step_of(&right, step));
        for (uint32_t block = first; block < end; block++) {
            tile_register from = TILE_NO_REGISTER;
            if (left)
                from = tile_descriptor_at(e, at[0],
                                          tile_step_of(&own, step) +
                                              block * r->plan->base.groups * tile_block_step(&own));
            tile_put(e->text, "\twgmma.mma_async.sync.aligned.m64n%uk%u.%s.%s.%s ",
                     product->columns, per_step, x->signs ? "f32" : "s32", x->name, y->name);
            tile_put_string(e->text,
                            tile_register_list(e, sum + block * each, product->columns / 2));
            tile_put_string(e->text, ", ");
            tile_put_string(e->text,
                            left ? tile_name(from)
                                 : tile_register_list(e, words + block * words_each + 4 * step, 4));
            tile_put(e->text, ", %s, %s%s;\n", tile_name(to), step || keeps ? "1" : "0", suffix);
        }
    }
    tile_ins(e, "wgmma.commit_group.sync.aligned");
}

void tile_start_product(struct tile_emitter *e, const struct tile_fused_product *product,
                        const tile_register *sum, const struct tile_ring_position *position,
                        bool keeps)
{
    tile_start_blocks(e, product, sum, position, keeps, 0,
                      tile_fused_ring_of(e)->plan->base.blocks);
}

void tile_wait_products(struct tile_emitter *e, uint32_t running)
{
    tile_ins(e, "wgmma.wait_group.sync.aligned %u", running);
}
