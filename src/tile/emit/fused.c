// Emits a loop with several matrix products (pass/fused.h) as a warp-specialized entry (roles.h):
// the order of tiles, and the work of each role for one tile.
#include "fused_ring.h"
#include "roles.h"

#include <string.h>

enum {
    L2_BYTES = 32 << 20, // L2 budget for the operands of all concurrent tiles
    SHARED_ALIGN = 1024,
};

bool tile_fused_skips(struct tile_emitter *e, const struct tile_op *op)
{
    struct tile_fused *p = tile_fused_of(e->ring->plan);

    if (!p || !(tile_op_infos[op->kind].traits & (TILE_PURE | TILE_READS)) || !op->result_count)
        return false;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (p->needed[op->result[i]->id])
            return false;
    return op->kind != TILE_MMA;
}

// ---- Tiles

// Sets up a tile. Tiles are visited in sections of the grid's second and third axes. Each section
// covers all tiles along the first axis, so that the operands it streams stay in L2. If the loop's
// length depends on the first axis, as in causal attention, the longest tiles come first: those at
// the axis's end, or at its start. If pairing balances the blocks better, each block takes one long
// and one short tile at a time, so that all pairs cost the same.
static void open_tile(struct tile_emitter *e, tile_register tile, uint32_t end)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    const tile_register *grid = r->ring.grid;
    tile_register over = tile_new(e, TILE_PRED), block[3];

    tile_ins(e, "setp.ge.u32 %R, %R, %R", over, tile, r->all);
    tile_branch(e, over, false, end);
    tile_register layer = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", r->along, r->section);
    tile_register first = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", tile, layer);
    tile_register rest = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", first, layer);
    rest = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", tile, rest);
    first = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", first, r->section);
    tile_register size = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", r->others, first);
    size = tile_make(e, TILE_R32, "min.u32 %R, %R, %R", size, r->section);
    block[0] = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", rest, size);
    tile_register other = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", block[0], size);
    other = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", rest, other);
    other = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", other, first);
    block[2] = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", other, grid[1]);
    block[1] = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", block[2], grid[1]);
    block[1] = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", other, block[1]);
    if (r->plan->uneven) {
        tile_register back = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", grid[0]);
        back = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", back, block[0]);
        tile_register second = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", r->second);
        tile_register same = tile_new(e, TILE_PRED);
        tile_ins(e, "setp.ge.and.u32 %R, %R, %R, %R", same, block[0], back, second);
        tile_branch(e, same, false, r->ring.next_tile);
        if (r->plan->falls)
            block[0] = tile_make(e, TILE_R32, "selp.u32 %R, %R, %R, %R", back, block[0], second);
        else
            block[0] = tile_make(e, TILE_R32, "selp.u32 %R, %R, %R, %R", block[0], back, second);
    }
    for (uint32_t i = 0; i < 3; i++)
        e->block[i] = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", block[i]);
}

static struct tile_ring_position first_position(struct tile_emitter *e)
{
    struct tile_ring_position position;

    position.stage = tile_number32(e, 0);
    position.phase = tile_number32(e, 0);
    return position;
}

static bool emit_tiles(struct tile_emitter *e, bool (*body)(struct tile_emitter *e))
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    uint32_t top = tile_label(e), end = tile_label(e);
    tile_register tile = tile_make(e, TILE_R32, "mov.u32 %R, %%ctaid.x");
    tile_register step = tile_make(e, TILE_R32, "mov.u32 %R, %%nctaid.x");

    if (r->plan->base.split > 1) { // the blocks of a cluster share one tile
        r->ring.rank = tile_make(e, TILE_R32, "mov.u32 %R, %%cluster_ctarank");
        tile_ins(e, "div.u32 %R, %R, %u", tile, tile, (unsigned)r->plan->base.split);
    }
    r->position = first_position(e);
    r->late = first_position(e);
    r->held_phase = tile_number32(e, 0);
    r->second = tile_number32(e, 0);
    r->ring.next_tile = tile_label(e);
    tile_await_start(e);
    tile_put_label(e, top);
    open_tile(e, tile, end);
    if (!body(e))
        return false;
    tile_put_label(e, r->ring.next_tile);
    if (r->plan->uneven) {
        tile_ins(e, "@%R xor.b32 %R, %R, 1", r->pairs, r->second, r->second);
        tile_register more = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, 0", r->second);
        tile_branch(e, more, false, top);
    }
    tile_ins(e, "add.u32 %R, %R, %R", tile, tile, step);
    if (r->plan->base.split <= 1)
        tile_branch(e, TILE_NO_REGISTER, false, top);
    tile_put_label(e, end);
    return !e->failed;
}

// ---- Roles

// Returns the number of tiles along the other axes for which the tiles in flight stream the fewest
// different bytes, or 1 if that does not depend on it.
static tile_register square_section(struct tile_emitter *e)
{
    const struct tile_fused *p = tile_fused_ring_of(e)->plan;
    float each = p->bytes_by_others
                     ? (float)p->bytes_by_first / (float)(p->bytes_by_others * p->base.split)
                     : 0;
    uint32_t bits;

    if (each == 0)
        return tile_number32(e, 1);
    memcpy(&bits, &each, sizeof(bits));
    tile_register blocks = tile_make(e, TILE_R32, "mov.u32 %R, %%nctaid.x");
    tile_register x = tile_make(e, TILE_R32, "cvt.rn.f32.u32 %R, %R", blocks);
    x = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, 0f%x", x, (uint64_t)bits);
    x = tile_make(e, TILE_R32, "sqrt.approx.f32 %R, %R", x);
    x = tile_make(e, TILE_R32, "cvt.rni.u32.f32 %R, %R", x);
    return tile_make(e, TILE_R32, "max.u32 %R, %R, 1", x);
}

// Computes the number of tiles along the other axes in a section, limited so that their streamed
// operands fit in L2 together, unless the tiles in flight stream less data from a wider section.
// For uneven loops, also decides if blocks take tiles in pairs.
static void open_sections(struct tile_emitter *e)
{
    struct tile_fused_ring *r = tile_fused_ring_of(e);
    tile_register sum = TILE_NO_REGISTER;

    for (uint32_t i = 0; i < r->plan->feeds; i++) {
        const struct tile_op *load = r->plan->feed[i].stream.load;
        tile_register bytes = TILE_NO_REGISTER;
        if (r->plan->feed[i].held || r->plan->feed[i].small || r->plan->feed[i].computed)
            continue;
        const struct tile_emit_view *view = &e->view[load->operand[0]->id];
        int64_t dropped = load->kind == TILE_LOAD_ROWS ? tile_int(load, TILE_ATTR_DROPPED, 0) << 1
                                                       : tile_int(load, TILE_ATTR_DROPPED, 0);
        bytes = tile_make(e, TILE_R32, "mov.b32 %R, 0f%x", UINT64_C(0x3F800000));
        for (uint32_t axis = 0; axis < view->rank; axis++) {
            if (dropped >> axis & 1)
                continue;
            tile_register extent = tile_make(e, TILE_R32, "cvt.rn.f32.s64 %R, %R",
                                             tile_size_register(e, &view->extent[axis]));
            bytes = tile_make(e, TILE_R32, "mul.rn.f32 %R, %R, %R", bytes, extent);
        }
        for (uint32_t n = 1; n < r->plan->feed[i].stream.element; n *= 2)
            bytes = tile_make(e, TILE_R32, "add.rn.f32 %R, %R, %R", bytes, bytes);
        sum = sum ? tile_make(e, TILE_R32, "add.rn.f32 %R, %R, %R", sum, bytes) : bytes;
    }
    r->others = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", r->ring.grid[1], r->ring.grid[2]);
    r->section = r->others;
    if (sum) { // otherwise the loop streams nothing
        tile_register most = tile_make(e, TILE_R32, "cvt.rn.f32.u32 %R, %u", (unsigned)L2_BYTES);
        tile_register count = tile_make(e, TILE_R32, "div.approx.f32 %R, %R, %R", most, sum);
        r->section = tile_make(e, TILE_R32, "cvt.rzi.u32.f32 %R, %R", count);
        r->section = tile_make(e, TILE_R32, "max.u32 %R, %R, %R", r->section, square_section(e));
        r->section = tile_make(e, TILE_R32, "min.u32 %R, %R, %R", r->section, r->others);
    }
    r->along = r->ring.grid[0];
    r->all = r->ring.tiles;
    if (!r->plan->uneven)
        return;
    // Pair tiles if blocks then idle for at most an eighth of the time.
    tile_register blocks = tile_make(e, TILE_R32, "mov.u32 %R, %%nctaid.x");
    tile_register half = tile_make(e, TILE_R32, "add.u32 %R, %R, 1", r->along);
    half = tile_make(e, TILE_R32, "shr.u32 %R, %R, 1", half);
    tile_register pairs = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", half, r->others);
    tile_register waves = tile_make(e, TILE_R32, "add.u32 %R, %R, %R", pairs, blocks);
    waves = tile_make(e, TILE_R32, "sub.u32 %R, %R, 1", waves);
    waves = tile_make(e, TILE_R32, "div.u32 %R, %R, %R", waves, blocks);
    tile_register slots = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", waves, blocks);
    tile_register eighth = tile_make(e, TILE_R32, "shr.u32 %R, %R, 3", slots);
    slots = tile_make(e, TILE_R32, "sub.u32 %R, %R, %R", slots, eighth);
    r->pairs = tile_make(e, TILE_PRED, "setp.ge.u32 %R, %R, %R", pairs, slots);
    r->along = tile_make(e, TILE_R32, "selp.u32 %R, %R, %R, %R", half, r->along, r->pairs);
    r->all = tile_make(e, TILE_R32, "mul.lo.u32 %R, %R, %R", r->along, r->others);
}

// Returns the number of threads of a warpgroup that release a feed's stage: one thread after the
// last product that uses it, and one thread of each warp that reads it into registers.
static uint32_t releases_of(const struct tile_fused *p, const struct tile_feed *feed)
{
    return tile_is_multiplied(p, feed) +
           (feed->reader || feed->small ? TILE_GROUP_THREADS / 32 : 0u);
}

static void make_barriers(struct tile_emitter *e)
{
    const struct tile_fused_ring *r = tile_fused_ring_of(e);

    for (uint32_t i = 0; i < r->plan->feeds; i++) {
        const struct tile_feed *feed = &r->plan->feed[i];
        for (uint32_t s = 0; s < (feed->held ? 1 : r->plan->base.stages); s++) {
            uint32_t at = (i * r->plan->base.stages + s) * TILE_FEED_BARRIER_BYTES;
            tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], %u", r->ring.base, at,
                     feed->small               ? 32u
                     : feed->stream.by_threads ? TILE_GROUP_THREADS
                     : feed->computed ? tile_all_groups(&r->plan->base) * TILE_GROUP_THREADS / 32
                                      : 1u);
            tile_ins(e, "mbarrier.init.shared::cta.b64 [%R+%u], %u", r->ring.base,
                     at + (unsigned)TILE_FEED_FREE_AT,
                     tile_all_groups(&r->plan->base) * releases_of(r->plan, feed));
        }
    }
}

static void open_products(struct tile_emitter *e)
{
    const struct tile_fused_ring *r = tile_fused_ring_of(e);

    tile_open_fused_products(e);
    if (r->plan->alternates) { // let the first warpgroup begin
        uint32_t begins = tile_label(e);
        tile_register other = tile_make(e, TILE_PRED, "setp.ne.u32 %R, %R, %u", r->ring.group,
                                        r->plan->base.groups - 1);
        tile_branch(e, other, false, begins);
        tile_signal_next_group(e);
        tile_put_label(e, begins);
    }
}

static bool copy_body(struct tile_emitter *e)
{
    const struct tile_op *loop = e->ring->plan->loop;

    return tile_emit_wanted(e, &e->kernel->body) && tile_emit_fused_loop(e, loop);
}

// All warpgroups that take the loop's iterations in turn run the code before the loop, each at its
// own time, so it can have no barriers and no scratch either.
static bool product_body(struct tile_emitter *e)
{
    e->ring->sliced = tile_slices(&tile_fused_ring_of(e)->plan->base) > 1;
    tile_begin_tile(e);
    return tile_emit_block(e, &e->kernel->body);
}

bool tile_emit_fused(struct tile_module *module, const struct tile_kernel *kernel,
                     struct tile_fused *plan, const struct tile_target *target,
                     struct tile_text *out, struct tile_entry *entry)
{
    // Registers per thread of each role, indexed by the number of multiplying warpgroups.
    static const struct {
        uint32_t copying, multiplying;
    } registers_of[] = { [1] = { 40, 232 }, [2] = { 40, 232 }, [3] = { 32, 160 } };
    uint32_t groups = tile_all_groups(&plan->base), lent = tile_lent_registers(plan);

    const struct tile_roles roles = {
        .dispatch = &tile_dispatch,
        .warps = tile_fused_warps(plan),
        .copy_registers = registers_of[groups].copying + lent * (groups > 2 ? 24 : 16),
        .product_registers = registers_of[groups].multiplying - (groups > 1 ? 8 * lent : 0),
        .open = open_sections,
        .make_barriers = make_barriers,
        .open_products = open_products,
        .for_each_tile = emit_tiles,
        .copy = copy_body,
        .multiply = product_body,
    };
    struct tile_fused_ring ring = {
        .ring = { .plan = &plan->base, .staging = TILE_RING_AT },
        .plan = plan,
    };

    // Place small feeds last, because their stage sizes are not multiples of 1024 bytes.
    for (uint32_t i = 0; i < plan->feeds; i++) {
        struct tile_feed *feed = &plan->feed[i];
        feed->stream.at = ring.ring.staging - TILE_RING_AT;
        ring.ring.staging += feed->stream.bytes *
                             (feed->held ? 1 : plan->base.stages * tile_slices(&plan->base));
    }
    ring.ring.staging = (ring.ring.staging + SHARED_ALIGN - 1) & ~(uint32_t)(SHARED_ALIGN - 1);
    ring.slices_at = ring.ring.staging;
    ring.ring.staging += tile_slice_bytes(&plan->base);
    ring.ring.shares_at = ring.ring.staging;
    for (const struct tile_op *op = kernel->body.first; op != plan->base.loop; op = op->next) {
        ring.ring.meets += op->kind == TILE_MEET;
        ring.ring.staging += tile_shared_bytes_of(plan, op);
    }
    ring.ring.staging = (ring.ring.staging + SHARED_ALIGN - 1) & ~(uint32_t)(SHARED_ALIGN - 1);
    return tile_emit_roles(module, kernel, target, &roles, &ring.ring, out, entry);
}
