// Reductions: each block combines every G-th tile, and a second kernel combines the results of the
// G blocks. It starts while they work, and waits for them. Few elements take one block, which
// writes the result. The order of all operations depends only on the number of elements and on the
// device.
//
// A block loads several tiles at once, so small tiles, which spread few elements over many blocks,
// are as fast as large ones. The last tiles of a block, which may be missing or end the array, are
// loaded together too.
#include "algorithm.h"

#include <stdio.h>

enum { PARTS, FINISH, SMALL };
enum {
    SMALL_ELEMENTS = 16384, // most elements of one block
    EVERY_GPU_BLOCKS = 256, // if the number must not depend on the device
    AHEAD_BYTES = 65536,    // most bytes that a block loads at once, if that is more than a tile
    MOST_AHEAD = 4,         // tiles
};

// Returns the largest number of blocks.
static int64_t most_blocks(const struct cuc__algorithm_kind *k,
                           const struct cuc__algorithm_tile *tile, uint32_t multiprocessors)
{
    return k->every_gpu ? EVERY_GPU_BLOCKS : (int64_t)tile->blocks * multiprocessors;
}

static void choose(struct cuc__algorithm_problem *p)
{
    enum { TILE_BYTES = 16384, SUM_BYTES = 16384, LEAST = 256, BLOCKS = 2, WARPS = 16 };
    const struct cuc__algorithm_kind *k = &p->kind;
    uint32_t widest = 1, sums = 0;

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form == CUC__ALGORITHM_ELEMENTS &&
            cuc_dtype_bits(k->inputs[i].dtype) / 8 > widest)
            widest = cuc_dtype_bits(k->inputs[i].dtype) / 8;
    for (uint32_t i = 0; i < k->values; i++)
        sums += cuc_dtype_bits(k->accumulators[i]) / 8;
    if (!p->tile.elements) {
        int32_t most = cuc__algorithm_fit(SUM_BYTES, sums, LEAST);
        p->tile.elements = cuc__algorithm_fit(TILE_BYTES, widest, LEAST);
        if (p->tile.elements > most)
            p->tile.elements = most;
        if (!p->tile.warps)
            p->tile.warps = WARPS;
    }
    if (k->every_gpu && !p->tile.warps)
        p->tile.warps = WARPS;
    if (!p->tile.blocks)
        p->tile.blocks = BLOCKS;
}

// Writes the parameters of partial results, with a comma behind each.
static void put_parts(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "part_%u: %s[G], ", i, cuc_dtype_name(k->accumulators[i]));
}

// Writes the combination of r0, r1 and so on with values, in the format `value` of the number of a
// value and its identity.
static void put_combine(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                        const char *value)
{
    cuc__text_put(t, "        ");
    cuc__algorithm_put_each(t, p->kind.values, "r%u");
    cuc__text_put(t, " = %s(", p->fn_name);
    cuc__algorithm_put_each(t, p->kind.values, "r%u");
    cuc__text_put(t, ", ");
    for (uint32_t i = 0; i < p->kind.values; i++) {
        cuc__text_put(t, "%s", i ? ", " : "");
        cuc__text_put(t, value, i, p->identity[i]);
    }
    cuc__text_put(t, ")\n");
}

// Writes the last reduction of r0, r1 and so on, and its stores at index `at`, of partial results
// or of the outputs.
static void put_result(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool parts,
                       const char *at)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "    ");
    cuc__algorithm_put_each(t, k->values, "r%u");
    cuc__text_put(t, " = reduce(%s, [", p->fn_name);
    cuc__algorithm_put_each(t, k->values, "r%u");
    cuc__text_put(t, "], 0, ");
    cuc__algorithm_put_identities(t, p);
    cuc__text_put(t, ")\n");
    for (uint32_t i = 0; i < k->values; i++)
        if (parts)
            cuc__text_put(t, "    store(part_%u, [%s], r%u)\n", i, at, i);
        else if (!k->outputs[i].dropped)
            cuc__text_put(t, "    store(out_%s, [%s], cast(r%u, %s))\n", k->outputs[i].name, at, i,
                          cuc_dtype_name(k->outputs[i].dtype));
    cuc__text_put(t, "}\n");
}

static void put_start(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    for (uint32_t i = 0; i < p->kind.values; i++)
        cuc__text_put(t, "    r%u = full(%s, [BN], %s)\n", i,
                      cuc_dtype_name(p->kind.accumulators[i]), p->identity[i]);
}

// Returns the number of tiles that a block loads at once.
static uint32_t ahead_of(const struct cuc__algorithm_problem *p)
{
    uint32_t bytes = 0, ahead = MOST_AHEAD;

    for (uint32_t i = 0; i < p->kind.input_count; i++)
        if (p->kind.inputs[i].form == CUC__ALGORITHM_ELEMENTS)
            bytes += cuc_dtype_bits(p->kind.inputs[i].dtype) / 8 * (uint32_t)p->tile.elements;
    while (ahead > 1 && ahead * bytes > AHEAD_BYTES)
        ahead /= 2;
    return ahead;
}

// Writes the loads of a block's next tiles, from `t` on, and then the combination of their values.
static void put_turn(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool inside)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    char load[32];

    for (uint32_t a = 0; a < ahead_of(p); a++)
        for (uint32_t i = 0; i < k->input_count; i++)
            if (k->inputs[i].form == CUC__ALGORITHM_ELEMENTS)
                cuc__text_put(t, "        of_%u_%s = load(in_%s, [t + %u * blocks], [BN]%s)\n", a,
                              k->inputs[i].name, k->inputs[i].name, a,
                              inside ? ", inside=true" : "");
    for (uint32_t a = 0; a < ahead_of(p); a++) {
        snprintf(load, sizeof(load), ", of_%u_%%s%%s", a);
        cuc__text_put(t, "        i = t * BN + iota(i64, BN)\n");
        cuc__algorithm_put_loaded(t, p, "        ", load);
        for (uint32_t i = 0; i < k->values; i++)
            cuc__text_put(t, "        v%u = broadcast(cast(v%u, %s), [BN])\n", i, i,
                          cuc_dtype_name(k->accumulators[i]));
        if (!inside)
            cuc__text_put(t,
                          "        there = iota(i32, BN) < cast(minimum(n - t * BN, BN), i32)\n");
        put_combine(t, p, inside ? "v%u" : "where(there, v%u, %s)");
        cuc__text_put(t, "        t += blocks\n");
    }
}

// Writes a kernel that reads the inputs: of G blocks, or of one.
static void put_reading(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool parts)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\nkernel %s(", p->family->kernels[parts ? PARTS : SMALL]);
    cuc__algorithm_put_inputs(t, p);
    if (parts)
        put_parts(t, k);
    else
        cuc__algorithm_put_outputs(t, p, "1");
    t->length -= 2; // the last comma
    cuc__text_put(t, ")\n    const BN = %d\n", p->tile.elements);
    if (parts)
        cuc__algorithm_put_apart(t, k, "part_%u", k->values, false);
    cuc__text_put(t, "    grid %s\n{\n    grid_dependency_launch()\n    t, blocks = %s\n",
                  parts ? "G" : "1", parts ? "block(0), G" : "cast(0, i64), 1");
    cuc__algorithm_put_count(t, p);
    put_start(t, p);
    cuc__text_put(t, "    while t + %u * blocks < n // BN {\n", ahead_of(p) - 1);
    put_turn(t, p, true);
    cuc__text_put(t, "    }\n"
                     "    if t * BN < n {\n");
    put_turn(t, p, false);
    cuc__text_put(t, "    }\n");
    put_result(t, p, parts, parts ? "block(0)" : "0");
}

// Writes the facts that no output overlaps partial results.
static void put_parts_apart(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    struct cuc__algorithm_kind outputs = *k;

    outputs.input_count = 0;
    cuc__algorithm_put_apart(t, &outputs, "part_%u", k->values, true);
}

static void put_finish(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    int64_t most = most_blocks(&p->kind, &p->tile, p->multiprocessors), places = 1;

    while (places < most)
        places *= 2;
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[FINISH]);
    put_parts(t, &p->kind);
    cuc__algorithm_put_outputs(t, p, "1");
    t->length -= 2; // the last comma
    cuc__text_put(t, ")\n    const BG = %u\n", (unsigned)places);
    put_parts_apart(t, &p->kind);
    cuc__text_put(t, "    grid 1\n{\n    grid_dependency_launch()\n    b = iota(i64, BG)\n");
    for (uint32_t i = 0; i < p->kind.values; i++)
        cuc__text_put(t, "    r%u = where(b < G, load(part_%u, [0], [BG]), %s)\n", i, i,
                      p->identity[i]);
    put_result(t, p, false, "0");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    put_reading(t, p, true);
    put_finish(t, p);
    put_reading(t, p, false);
}

// Returns the number of blocks; 1: the kernel for few elements.
static int64_t blocks_of(const cuc_algorithm *plan, int64_t count)
{
    int64_t most = most_blocks(&plan->kind, &plan->tile, plan->multiprocessors);
    int64_t tiles = cuc__ceil_div(count, plan->tile.elements);

    return count <= SMALL_ELEMENTS ? 1 : tiles < most ? tiles : most;
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    int64_t blocks = blocks_of(plan, count);
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < plan->kind.values && blocks > 1; i++)
        bytes += cuc__algorithm_bytes(plan->kind.accumulators[i], blocks);
    return bytes;
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    int64_t blocks = blocks_of(c->plan, c->count);
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS], finish[CUC__ALGORITHM_ARGUMENTS];
    cuc_tensor parts[CUC__ALGORITHM_MAX];
    size_t count = cuc__algorithm_add_inputs(args, 0, c), more = 0;
    cuc_device_ptr at = c->workspace;

    if (blocks == 1)
        return cuc__algorithm_launch(c, SMALL, args, cuc__algorithm_add_outputs(args, count, c));
    for (uint32_t i = 0; i < k->values; i++) {
        at = cuc__algorithm_scratch(&parts[i], c, at, k->accumulators[i], blocks);
        args[count++] = finish[more++] = CUC_ARG(&parts[i]);
    }
    cuc_status st = cuc__algorithm_launch(c, PARTS, args, count);
    return st < 0 ? st
                  : cuc__algorithm_launch(c, FINISH, finish,
                                          cuc__algorithm_add_outputs(finish, more, c));
}

const struct cuc__algorithm_family cuc__algorithm_reduce = {
    .kernels = { "reduce_parts", "reduce_finish", "reduce_small" },
    .has_identity = true,
    .outputs_of_value = 1,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};

// ---- Segments: a block reduces one

static void choose_for_segments(struct cuc__algorithm_problem *p)
{
    enum { TILE = 1024, WARPS = 4 };

    if (!p->tile.elements)
        p->tile.elements = TILE;
    if (p->kind.every_gpu && !p->tile.warps)
        p->tile.warps = WARPS;
}

static void put_segments(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[0]);
    cuc__algorithm_put_inputs(t, p);
    cuc__text_put(t, "offsets: %s[SEGMENTS + 1], ", cuc_dtype_name(p->kind.offsets));
    cuc__algorithm_put_outputs(t, p, "SEGMENTS");
    cuc__text_put(t,
                  "segments: i64)\n    const BN = %d\n    where segments == SEGMENTS\n"
                  "    grid segments\n{\n    b = block(0)\n",
                  p->tile.elements);
    cuc__algorithm_put_count(t, p);
    put_start(t, p);
    cuc__text_put(t, "    start = maximum(cast(offsets[b], i64), 0)\n"
                     "    end = minimum(cast(offsets[b + 1], i64), n)\n"
                     "    first = start // BN\n"
                     "    for turn in 0 .. cdiv(end - first * BN, BN) {\n"
                     "        t = first + turn\n");
    cuc__algorithm_put_values(t, p, "        ", "");
    put_combine(t, p, "where((i >= start) & (i < end), v%u, %s)");
    cuc__text_put(t, "    }\n");
    put_result(t, p, false, "b");
}

static cuc_status run_segments(const struct cuc__algorithm_call *c)
{
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, c);

    args[count++] = CUC_ARG(&c->offsets);
    count = cuc__algorithm_add_outputs(args, count, c);
    args[count++] = CUC_ARG(c->segments);
    return cuc__algorithm_launch(c, 0, args, count);
}

const struct cuc__algorithm_family cuc__algorithm_reduce_segments = {
    .kernels = { "reduce_segments" },
    .has_identity = true,
    .by_segment = true,
    .outputs_of_value = 1,
    .choose = choose_for_segments,
    .put = put_segments,
    .run = run_segments,
};
