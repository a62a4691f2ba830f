// Sorts of segments by their first value. A block sorts one, or several short ones; a kernel for
// each width takes the segments that need it. Longer segments, whose number and lengths only the
// device knows, are listed with the number of their tiles. A few blocks sort all tiles, and merge
// them in passes, of which those that no segment needs do nothing.
//
// `state` has the numbers of long segments and of their tiles in one word, so that one atomic
// addition gives both a segment's place in the list and its first tile; and the longest length.
#include <cucore/copy.h>

#include "merge_path.h"
#include "merge_runs.h"
#include "sort_block.h"

enum { LIST = CUC__ALGORITHM_WIDTHS, TILES, SPLITS, MERGE };
enum { COLUMNS = 8, TILE = 2048, LEAST = 256, BLOCK = 256, STATE = 2, LISTED = 3, BLOCKS = 8 };

static const char *const listed[LISTED] = { "start", "size", "first" };

static void choose(struct cuc__algorithm_problem *p)
{
    int32_t tile = p->tile.elements;

    p->tile.elements = !tile || tile > TILE ? TILE : tile < LEAST ? LEAST : tile;
    p->tile.blocks = p->tile.blocks ? p->tile.blocks : BLOCKS;
    p->tile.omitted = cuc__algorithm_omitted_widths(&p->kind, p->count);
}

// ---- Short segments

static int32_t widest_of(const struct cuc__algorithm_kind *k, uint32_t omitted)
{
    return cuc__algorithm_width(k, cuc__algorithm_width_for(k, omitted, INT64_MAX));
}

// Writes the kernel that sorts the segments of one width, which are longer than the width before.
static void put_width(struct cuc__text *t, const struct cuc__algorithm_problem *p, int index)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    int32_t width = cuc__algorithm_width(k, index);
    int32_t segments = cuc__algorithm_segments_of_width(width);
    bool one = segments == 1;
    int before = index - 1;

    while (before >= 0 && p->tile.omitted >> before & 1)
        before--;
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[index]);
    cuc__algorithm_put_inputs(t, p);
    cuc__text_put(t, "offsets: %s[S], ", cuc_dtype_name(k->offsets));
    cuc__algorithm_put_buffers(t, k, "to", "N");
    cuc__text_put(t,
                  "segments: i64)\n    const W = %d, R = %d, MORE = %d\n"
                  "    where S == segments + 1\n    grid cdiv(segments, R)\n{\n    n = N\n",
                  width, segments, before >= 0 ? cuc__algorithm_width(k, before) : 0);
    cuc__text_put(t, one ? "    s = block(0)\n" : "    s = block(0) * R + iota(i64, R)\n");
    cuc__text_put(t,
                  "    start = maximum(cast(gather(offsets, [s]), i64), 0)\n"
                  "    end = minimum(cast(gather(offsets, [s + 1]), i64), n)\n"
                  "    mine = (s < segments) & (end - start > MORE) & (end - start <= W)\n"
                  "    if ~%s { return }\n",
                  one ? "mine" : "any(mine)");
    cuc__text_put(t, one ? "    i = start + iota(i64, W)\n    inside = i < end\n"
                         : "    i = start[:, None] + iota(i64, W)\n"
                           "    inside = i < where(mine, end, start)[:, None]\n");
    cuc__algorithm_put_loaded(t, p, "    ",
                              one ? ", load(slice(in_%s, 0, start, end), [0], [W])%s"
                                  : ", gather(in_%s, [i], mask=inside)%s");
    cuc__algorithm_put_block_sort(t, p, one ? "start" : NULL, "    ");
    for (uint32_t v = 0; v < k->values; v++)
        cuc__text_put(t,
                      one ? "    store(slice(to_%u, 0, start, end), [0], r%u)\n"
                          : "    scatter(to_%u, [i], r%u, mask=inside)\n",
                      v, v);
    cuc__text_put(t, "}\n");
}

// ---- Long segments

static void put_list(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t,
                  "\nkernel list_long(offsets: %s[S], state: i64[2], start: i64[L], "
                  "size: i64[L], first: i64[L], n: i64, segments: i64)\n"
                  "    const BN = %d, BS = %d, MORE = %d\n    where S == segments + 1\n"
                  "    grid cdiv(segments, BS)\n{\n"
                  "    s = block(0) * BS + iota(i64, BS)\n"
                  "    begin = maximum(cast(gather(offsets, [s]), i64), 0)\n"
                  "    length = minimum(cast(gather(offsets, [s + 1]), i64), n) - begin\n"
                  "    long = (s < segments) & (length > MORE)\n"
                  "    if ~any(long) { return }\n"
                  "    atomic_max(state, [1], max(where(long, length, 0)), order=relaxed)\n"
                  "    old = atomic_add(state, [where(long, 0, -1)], (1 << 40) + cdiv(length, BN), "
                  "order=relaxed)\n"
                  "    at = where(long, old >> 40, -1)\n"
                  "    scatter(start, [at], begin, mask=long)\n"
                  "    scatter(size, [at], length, mask=long)\n"
                  "    scatter(first, [at], old & (1 << 40) - 1, mask=long)\n}\n",
                  cuc_dtype_name(k->offsets), p->tile.elements, BLOCK,
                  widest_of(k, p->tile.omitted));
}

// Writes functions: the place of a tile among the listed segments, the number of passes from a
// width on, and the elements of one of two arrays.
static void put_functions(struct cuc__text *t)
{
    cuc__text_put(t,
                  "\n# Returns the start and the length of the segment of tile t, and the number "
                  "of its elements before the tile.\n"
                  "fn place_of(t, state, start, size, first, bn) {\n"
                  "    count, width, at = state[0] >> 40, cast(1, i64), t * 0\n"
                  "    while width * 2 < count { width = width * 2 }\n"
                  "    while width > 0 {\n"
                  "        next = at + width\n"
                  "        there = next < count\n"
                  "        at = where(there & (gather(first, [next], mask=there) <= t), next, "
                  "at)\n"
                  "        width = width // 2\n"
                  "    }\n"
                  "    return gather(start, [at]), gather(size, [at]), (t - gather(first, [at])) "
                  "* bn\n}\n"
                  "\nfn passes_from(width, longest) {\n"
                  "    passes, w = 0, width\n"
                  "    while w < longest { passes, w = passes + 1, w * 2 }\n"
                  "    return passes\n}\n"
                  "\nfn read(to, spare, from_spare, at, mask) {\n"
                  "    return where(from_spare, gather(spare, [at], mask=mask & from_spare), "
                  "gather(to, [at], mask=mask & ~from_spare))\n}\n");
}

// Writes the parameters of all kernels of long segments, with a comma behind each.
static void put_parameters(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "to_%u: %s[N], spare_%u: %s[N], ", i, cuc_dtype_name(k->outputs[i].dtype),
                      i, cuc_dtype_name(k->outputs[i].dtype));
    cuc__text_put(t, "state: i64[2], ");
    for (int i = 0; i < LISTED; i++)
        cuc__text_put(t, "%s: i64[L], ", listed[i]);
}

// Writes the stores of a tile's results, to the outputs or to the workspace.
static void put_stores(struct cuc__text *t, const struct cuc__algorithm_kind *k, const char *format,
                       const char *to_spare)
{
    cuc__text_put(t, "        if %s {\n", to_spare);
    for (uint32_t v = 0; v < k->values; v++)
        cuc__text_put(t, format, "spare", v, v);
    cuc__text_put(t, "        } else {\n");
    for (uint32_t v = 0; v < k->values; v++)
        cuc__text_put(t, format, "to", v, v);
    cuc__text_put(t, "        }\n    }\n}\n");
}

static void put_tiles(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\nkernel sort_tiles(");
    cuc__algorithm_put_inputs(t, p);
    put_parameters(t, k);
    cuc__text_put(t,
                  "blocks: i64)\n    const W = %d\n    grid blocks\n{\n"
                  "    n, tiles = N, state[0] & (1 << 40) - 1\n"
                  "    spare = passes_from(W, state[1]) %% 2 == 1\n"
                  "    for turn in 0 .. cdiv(tiles - block(0), blocks) {\n"
                  "        base, length, inner = place_of(block(0) + turn * blocks, state, start, "
                  "size, first, W)\n"
                  "        from, end = base + inner, base + length\n"
                  "        i = from + iota(i64, W)\n"
                  "        inside = i < end\n",
                  p->tile.elements);
    cuc__algorithm_put_loaded(t, p, "        ", ", load(slice(in_%s, 0, from, end), [0], [W])%s");
    cuc__algorithm_put_block_sort(t, p, "from", "        ");
    put_stores(t, k, "            store(slice(%s_%u, 0, from, end), [0], r%u)\n", "spare");
}

// Writes the place of tiles `t` of a pass: that of merge_runs.c.
static void put_place(struct cuc__text *t)
{
    cuc__text_put(t, "        base, length, inner = place_of(t, state, start, size, first, BN)\n"
                     "        from = inner & ~(2 * width - 1)\n"
                     "        na = minimum(maximum(length - from, 0), width)\n"
                     "        nb = minimum(maximum(length - from - width, 0), width)\n"
                     "        k = minimum(inner - from, na + nb)\n");
}

// Writes the start of a pass's kernel, up to its loop over tiles.
static void put_pass(struct cuc__text *t, const struct cuc__algorithm_problem *p, int kernel,
                     const char *each)
{
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[kernel]);
    put_parameters(t, &p->kind);
    cuc__text_put(t,
                  "splits: i64[T], width: i64, blocks: i64)\n"
                  "    const BN = %d, COLUMNS = %d, BS = %d\n    grid blocks\n{\n"
                  "    if width >= state[1] { return }\n"
                  "    tiles = state[0] & (1 << 40) - 1\n"
                  "    from_spare = passes_from(width, state[1]) %% 2 == 1\n"
                  "    for turn in 0 .. cdiv(cdiv(tiles, %s) - block(0), blocks) {\n",
                  p->tile.elements, COLUMNS, BLOCK, each);
}

static void put_splits(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    put_pass(t, p, SPLITS, "BS");
    cuc__text_put(t, "        t = minimum((block(0) + turn * blocks) * BS + iota(i64, BS), tiles - "
                     "1)\n");
    put_place(t);
    cuc__algorithm_put_search(t, "        ", "na", "nb");
    cuc__text_put(t, "            second = comes_before(");
    cuc__algorithm_put_compared(
        t, &p->kind,
        "read(to_%u, spare_%u, from_spare, base + from + width + k - 1 - middle, open)");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_compared(t, &p->kind,
                                "read(to_%u, spare_%u, from_spare, base + from + middle, open)");
    cuc__algorithm_put_search_end(t, "        ");
    cuc__text_put(t, "        store(splits, [block(0) + turn * blocks], low)\n    }\n}\n");
}

static void put_merge(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    put_pass(t, p, MERGE, "1");
    cuc__text_put(t, "        t = block(0) + turn * blocks\n");
    put_place(t);
    cuc__text_put(t, "        end = minimum(k + BN, na + nb)\n"
                     "        a, b = splits[t], k - splits[t]\n"
                     "        ma = cast(where(end == na + nb, na, splits[t + 1]) - a, i32)\n"
                     "        mb = cast(end - k, i32) - ma\n"
                     "        j = iota(i32, BN)\n"
                     "        at = base + from + where(j < ma, a + j, width + b + j - ma)\n"
                     "        ");
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, " = ");
    cuc__algorithm_put_compared(t, k, "read(to_%u, spare_%u, from_spare, at, (j < ma + mb))");
    cuc__text_put(t, "\n");
    cuc__algorithm_put_merge(t, k, "        ", "ma", "mb", p->tile.elements);
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "        r%u = cast(r%u, %s)\n", i, i,
                      cuc_dtype_name(k->outputs[i].dtype));
    put_stores(t, k, "            store_at(slice(%s_%u, 0, base, base + length), [inner], r%u)\n",
               "~from_spare");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__algorithm_put_key_functions(t, &p->kind);
    for (int index = 0; index < CUC__ALGORITHM_WIDTHS; index++)
        if (!(p->tile.omitted >> index & 1))
            put_width(t, p, index);
    cuc__algorithm_put_merged(t, &p->kind, COLUMNS);
    put_functions(t);
    put_list(t, p);
    put_tiles(t, p);
    put_splits(t, p);
    put_merge(t, p);
}

// ---- Calls

// Returns the most segments that are longer than a block sorts.
static int64_t most_listed(const cuc_algorithm *plan, int64_t count)
{
    return count / widest_of(&plan->kind, plan->tile.omitted);
}

// Returns the most tiles of these: the last one of each may have few elements.
static int64_t most_tiles(const cuc_algorithm *plan, int64_t count)
{
    return count / plan->tile.elements + most_listed(plan, count);
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_kind *k = &plan->kind;
    int64_t most = most_listed(plan, count);
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < k->values; i++)
        bytes += cuc__algorithm_bytes(k->outputs[i].dtype, count) *
                 (uint64_t)(k->outputs[i].dropped + !!most);
    if (most)
        bytes += cuc__algorithm_bytes(CUC_I64, STATE) +
                 LISTED * cuc__algorithm_bytes(CUC_I64, most) +
                 cuc__algorithm_bytes(CUC_I64, most_tiles(plan, count));
    return bytes;
}

struct arrays {
    cuc_tensor to[CUC__ALGORITHM_MAX], spare[CUC__ALGORITHM_MAX];
    cuc_tensor state, list[LISTED], splits;
};

static void make_arrays(struct arrays *a, const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    int64_t most = most_listed(c->plan, c->count);
    cuc_device_ptr at = c->workspace;

    if (most) {
        at = cuc__algorithm_scratch(&a->state, c, at, CUC_I64, STATE);
        for (int i = 0; i < LISTED; i++)
            at = cuc__algorithm_scratch(&a->list[i], c, at, CUC_I64, most);
        at = cuc__algorithm_scratch(&a->splits, c, at, CUC_I64, most_tiles(c->plan, c->count));
    }
    for (uint32_t i = 0; i < k->values; i++) {
        cuc_dtype dtype = k->outputs[i].dtype;
        if (most)
            at = cuc__algorithm_scratch(&a->spare[i], c, at, dtype, c->count);
        if (k->outputs[i].dropped)
            at = cuc__algorithm_scratch(&a->to[i], c, at, dtype, c->count);
        else
            a->to[i] = c->outputs[i];
    }
}

static size_t add_long(cuc_arg *args, size_t count, const struct cuc__algorithm_call *c,
                       const struct arrays *a)
{
    for (uint32_t i = 0; i < c->plan->kind.values; i++) {
        args[count++] = CUC_ARG(&a->to[i]);
        args[count++] = CUC_ARG(&a->spare[i]);
    }
    args[count++] = CUC_ARG(&a->state);
    for (int i = 0; i < LISTED; i++)
        args[count++] = CUC_ARG(&a->list[i]);
    return count;
}

static cuc_status run_short(const struct cuc__algorithm_call *c, const struct arrays *a)
{
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, c);
    cuc_status st = CUC_OK;

    args[count++] = CUC_ARG(&c->offsets);
    for (uint32_t i = 0; i < c->plan->kind.values; i++)
        args[count++] = CUC_ARG(&a->to[i]);
    args[count++] = CUC_ARG(c->segments);
    for (int index = 0; index < CUC__ALGORITHM_WIDTHS && st >= 0; index++)
        if (c->plan->kernels[index])
            st = cuc__algorithm_launch(c, index, args, count);
    return st;
}

static cuc_status run_long(const struct cuc__algorithm_call *c, const struct arrays *a)
{
    const cuc_algorithm *plan = c->plan;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS] = { CUC_ARG(&c->offsets), CUC_ARG(&a->state) };
    int64_t blocks = (int64_t)plan->tile.blocks * plan->multiprocessors;
    size_t count = 2;
    cuc_status st = cuc_fill(c->stream, a->state.data, 0, sizeof(uint32_t), 2 * STATE);

    for (int i = 0; i < LISTED; i++)
        args[count++] = CUC_ARG(&a->list[i]);
    args[count++] = CUC_ARG(c->count);
    args[count++] = CUC_ARG(c->segments);
    if (st >= 0)
        st = cuc__algorithm_launch(c, LIST, args, count);
    count = add_long(args, cuc__algorithm_add_inputs(args, 0, c), c, a);
    args[count++] = CUC_ARG(blocks);
    if (st >= 0)
        st = cuc__algorithm_launch(c, TILES, args, count);
    for (int64_t width = plan->tile.elements; width < c->count && st >= 0; width *= 2) {
        count = add_long(args, 0, c, a);
        args[count++] = CUC_ARG(&a->splits);
        args[count++] = CUC_ARG(width);
        args[count++] = CUC_ARG(blocks);
        if ((st = cuc__algorithm_launch(c, SPLITS, args, count)) >= 0)
            st = cuc__algorithm_launch(c, MERGE, args, count);
    }
    return st;
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    struct arrays a;

    if (!c->count || !c->segments)
        return CUC_OK;
    make_arrays(&a, c);
    cuc_status st = run_short(c, &a);
    return st < 0 || !most_listed(c->plan, c->count) ? st : run_long(c, &a);
}

const struct cuc__algorithm_family cuc__algorithm_sort_segments = {
    .kernels = { "sort_32", "sort_512", "sort_2048", "sort_wide", "list_long", "sort_tiles",
                 "merge_splits", "merge_tiles" },
    .ordered = true,
    .by_element = true,
    .outputs_of_value = 1,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
