// Split-K: each block of a cluster computes a partial matrix product over one part of the depth
// axis, and leaves its accumulators in its shared memory. The blocks share the work of finishing
// the tile: each block finishes the rows of some warps. The warp with these rows adds the other
// blocks' parts to its own, always in the same order, and continues alone. All blocks thus read at
// the same time, which matters because one block receives only about 25 bytes per nanosecond from
// others. If warps depend on each other after the loop, the first block finishes the whole tile.
#include "ring.h"

enum { WORDS = 4, AT_ONCE = 16 }; // words per vector; vectors in flight

// Computes this block's range of iterations, `*first` to `*last`. Each block gets an equal share of
// the iterations, rounded up, so only the last blocks may have fewer.
void tile_split_range(struct tile_emitter *e, const char *type, const struct tile_value *by,
                      tile_register *first, tile_register *last)
{
    bool is_known = by->op && by->op->kind == TILE_CONSTANT;
    int64_t known = is_known ? tile_int(by->op, TILE_ATTR_VALUE, 0) : 0;
    tile_register step = tile_registers(e, by)[0];
    const struct tile_ring *r = e->ring;
    enum tile_register_class class = TILE_REGISTER_CLASS(*first);
    const char *plain = class == TILE_R64 ? "u64" : "u32"; // type of distances
    uint32_t parts = r->plan->split;
    tile_register none = tile_new(e, TILE_PRED);

    tile_register length = tile_make(e, class, "sub.%s %R, %R, %R", plain, *last, *first);
    tile_ins(e, "setp.ge.%s %R, %R, %R", type, none, *first, *last);
    tile_put(e->text, "\t@%s mov.b%s %s, 0;\n", tile_name(none), plain + 1, tile_name(length));
    tile_register iterations = length;
    if (known != 1) {
        iterations = tile_make(e, class, "add.%s %R, %R, %R", plain, length, step);
        tile_ins(e, "sub.%s %R, %R, 1", plain, iterations, iterations);
        tile_ins(e, "div.%s %R, %R, %R", plain, iterations, iterations, step);
    }
    iterations = tile_make(e, class, "add.%s %R, %R, %u", plain, iterations, parts - 1);
    // A 64-bit division would be a call, and in linked code wgmma instructions next to a call do
    // not overlap (C7509).
    if (!(parts & (parts - 1)))
        iterations = tile_make(e, class, "shr.%s %R, %R, %u", plain, iterations,
                               (unsigned)__builtin_ctz(parts));
    else if (class == TILE_R64) // exact up to 2^60 iterations
        iterations = tile_make(e, class, "mul.hi.u64 %R, %R, %l", iterations,
                               (int64_t)(UINT64_MAX / parts + 1));
    else
        iterations = tile_make(e, class, "div.u32 %R, %R, %u", iterations, parts);
    if (known != 1)
        iterations = tile_make(e, class, "mul.lo.%s %R, %R, %R", plain, iterations, step);
    tile_register rank = r->rank;
    if (class == TILE_R64)
        rank = tile_make(e, TILE_R64, "cvt.u64.u32 %R, %R", r->rank);
    tile_register before = tile_make(e, class, "mul.lo.%s %R, %R, %R", plain, iterations, rank);
    before = tile_make(e, class, "min.%s %R, %R, %R", plain, before, length);
    tile_register left = tile_make(e, class, "sub.%s %R, %R, %R", plain, length, before);
    left = tile_make(e, class, "min.%s %R, %R, %R", plain, left, iterations);
    *first = tile_make(e, class, "add.%s %R, %R, %R", plain, *first, before);
    *last = tile_make(e, class, "add.%s %R, %R, %R", plain, *first, left);
}

static void leave(struct tile_emitter *e, tile_register *const *vector, uint32_t vectors,
                  tile_register own, uint32_t pitch)
{
    for (uint32_t i = 0; i < vectors; i++) {
        tile_put(e->text, "\tst.shared.v4.b32 [%s+%u], %s;\n", tile_name(own), i * pitch,
                 tile_register_list(e, vector[i], WORDS));
    }
}

static void add(struct tile_emitter *e, tile_register *const *vector, uint32_t vectors,
                tile_register there, uint32_t pitch)
{
    bool whole = e->ring->plan->mma->result[0]->type.dtype == CUC_I32;
    const char *sum = whole ? "add.s32 %R, %R, %R" : "add.rn.f32 %R, %R, %R";
    tile_register word[AT_ONCE][WORDS];

    for (uint32_t first = 0; first < vectors; first += AT_ONCE) {
        uint32_t count = vectors - first < AT_ONCE ? vectors - first : AT_ONCE;
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t n = 0; n < WORDS; n++)
                word[i][n] = tile_new(e, TILE_R32);
            tile_put(e->text, "\tld.shared::cluster.v4.b32 %s, [%s+%u];\n",
                     tile_register_list(e, word[i], WORDS), tile_name(there), (first + i) * pitch);
        }
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t n = 0; n < WORDS; n++)
                tile_ins(e, sum, vector[first + i][n], vector[first + i][n], word[i][n]);
    }
}

void tile_cluster_barrier(struct tile_emitter *e, bool waits)
{
    tile_ins(e, "barrier.cluster.arrive.release");
    if (waits)
        tile_ins(e, "barrier.cluster.wait.acquire");
}

// Returns a predicate: the calling warp finishes its rows of the tile in this block.
static tile_register finishing_block(struct tile_emitter *e)
{
    const struct tile_ring *r = e->ring;
    tile_register owner = tile_number32(e, 0);

    if (r->plan->apart)
        tile_ins(e, "rem.u32 %R, %R, %u", owner, e->warp, (unsigned)r->plan->split);
    return tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %R", owner, r->rank);
}

void tile_join_parts(struct tile_emitter *e, const tile_register *sum, uint32_t count)
{
    struct tile_ring *r = e->ring;
    const struct tile_pipeline *plan = r->plan;
    uint32_t threads = plan->groups * TILE_GROUP_THREADS, vectors = 0;
    uint32_t each = count / plan->blocks, pitch = threads * WORDS * 4;
    tile_register **vector = tile_take(e->module, count / WORDS * sizeof(*vector));
    uint32_t joins = tile_label(e);

    if (!vector) {
        e->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i += WORDS) // all other registers are only padding
        if (i % each < plan->columns / 2)
            vector[vectors++] = (tile_register *)(uintptr_t)sum + i;
    // The stages can now hold partial sums: all copies have arrived, and all warpgroups have read
    // them.
    tile_ins(e, "bar.sync %u, %u", (unsigned)TILE_BARRIER_OF_GROUPS, threads);
    tile_register own =
        tile_make(e, TILE_R32, "mad.lo.u32 %R, %R, %u, %R", e->tid, WORDS * 4, r->base);
    own = tile_make(e, TILE_R32, "add.u32 %R, %R, %u", own, (unsigned)TILE_RING_AT);
    tile_register ends = finishing_block(e);
    leave(e, vector, vectors, own, pitch);
    tile_cluster_barrier(e, true);
    tile_branch(e, ends, false, joins);
    tile_cluster_barrier(e, false); // the entry's end waits until these partial sums have been read
    tile_branch(e, TILE_NO_REGISTER, false, r->next_tile);
    tile_put_label(e, joins);
    tile_register rank = r->rank;
    for (uint32_t part = 1; part < plan->split; part++) {
        tile_register last =
            tile_make(e, TILE_PRED, "setp.eq.u32 %R, %R, %u", rank, plan->split - 1);
        rank = tile_make(e, TILE_R32, "add.u32 %R, %R, 1", rank);
        rank = tile_make(e, TILE_R32, "selp.b32 %R, 0, %R, %R", rank, last);
        tile_register there =
            tile_make(e, TILE_R32, "mapa.shared::cluster.u32 %R, %R, %R", own, rank);
        add(e, vector, vectors, there, pitch);
    }
    tile_cluster_barrier(e, false);
    r->warps_apart = plan->apart;
}
