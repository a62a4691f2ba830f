// The largest elements of an array or of each row of a tensor, in one pass over the data.
//
// A block takes a row, or a part of one, of whole tiles. It combines them to one tile of maxima: a
// lane's maximum is that of all elements at its place in their tiles. At least k elements are not
// less than the k-th largest maximum, so all elements to find are in the lanes whose maxima are not
// less: these lanes alone are read again. If very many maxima equal the k-th, their elements are
// found in order instead, from the first tile on.
//
// Elements are compared as unsigned keys. Lists of keys are in the order of their elements, and
// equal keys keep their order, so that of equal elements the first ones are found.
//
// If there are fewer rows than blocks, a row has several parts, and a second kernel finds the
// largest elements of the lists that the first one wrote for the parts.
#include "algorithm.h"

#include "tile/ir/scalar.h"

enum { PARTS, FINISH };

// Sizes of tiles that depend on k: the results, the lanes that are read again, the elements of them
// that are sorted at once, and the tiles whose lanes are read at once.
struct sizes {
    uint32_t results, lanes, sorted, tiles;
};

static struct sizes sizes_of(int64_t k)
{
    enum { LEAST = 32, AT_ONCE = 2048 };
    struct sizes s = { .results = 1 };

    while (s.results < k)
        s.results *= 2;
    s.lanes = 2 * s.results < LEAST ? LEAST : 2 * s.results;
    s.sorted = 2 * s.lanes - s.results;
    s.tiles = s.lanes < AT_ONCE ? AT_ONCE / s.lanes : 1;
    return s;
}

static void choose(struct cuc__algorithm_problem *p)
{
    // Each thread sorts 4 elements or fewer, since more would take several times as long to
    // compile.
    enum { TILE = 8192, LEAST = 256, WARPS = 16, MOST_WARPS = 32, MANY = 512, BLOCKS = 2 };
    int32_t lanes = (int32_t)sizes_of(p->kind.k).lanes, least = LEAST > lanes ? LEAST : lanes;

    if (!p->tile.elements) {
        p->tile.elements = TILE;
        while (p->count && p->tile.elements > least && p->tile.elements / 2 >= p->count)
            p->tile.elements /= 2;
    }
    if (p->tile.elements < lanes)
        p->tile.elements = lanes;
    if (!p->tile.warps && p->tile.elements == TILE)
        p->tile.warps = p->kind.k > MANY ? MOST_WARPS : WARPS;
    if (!p->tile.blocks)
        p->tile.blocks = BLOCKS;
}

cuc_dtype cuc__algorithm_key_type(const struct cuc__algorithm_kind *k)
{
    return cuc_dtype_bits(k->outputs[0].dtype) == 64 ? CUC_U64 : CUC_U32;
}

void cuc__algorithm_put_key(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc_dtype dtype = k->outputs[0].dtype;
    bool wide = cuc__algorithm_key_type(k) == CUC_U64,
         real = !tile_is_integer(dtype) && dtype != CUC_BOOL;
    const char *bits = wide ? "64" : "32", *ones = wide ? "0xffffffffffffffff" : "0xffffffff";
    const char *sign = wide ? "0x8000000000000000" : "0x80000000", *not = k->smallest ? "~" : "";

    cuc__text_put(t, "\nfn key_of(x) {\n    x = cast(x, %s)\n", cuc_dtype_name(dtype));
    if (real)
        cuc__text_put(t,
                      "    bits = bitcast(cast(x, f%s), u%s)\n"
                      "    key = where(x != x, %s, where(bits >= %s, ~bits, bits | %s))\n"
                      "    return %skey\n}\n",
                      bits, bits, ones, sign, sign, not );
    else if (tile_is_signed(dtype))
        cuc__text_put(t, "    return %s(bitcast(cast(x, i%s), u%s) ^ %s)\n}\n", not, bits, bits,
                      sign);
    else
        cuc__text_put(t, "    return %scast(x, u%s)\n}\n", not, bits);
}

// Writes the functions that do not depend on the inputs.
static void put_functions(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const char *key = cuc_dtype_name(cuc__algorithm_key_type(&p->kind));

    const char *ones = key[1] == '6' ? "0xffffffffffffffff" : "0xffffffff";

    cuc__text_put(
        t,
        "\nfn count_of(flag) { return sum(cast(flag, i32)) }\n"
        "fn range_of(a, b, c, d, e, f) { return minimum(a, d), maximum(b, e), c + f }\n"
        "fn split_of(a, b, c, d, e, f) { return a + d, minimum(b, e), maximum(c, f) }\n"
        "\n# Returns a number for which at least k keys are not less, or all except zeros,\n"
        "# and at most `most` or, if too many keys are equal, as few as possible; the\n"
        "# number of keys except zeros, and of those that are not less.\n"
        "fn cut(key, k, most) {\n"
        "    low, high, total = reduce(range_of, [where(key > 0, key, %s), key, cast(key > 0, "
        "i32)], 0, [%s, 0, 0])\n"
        "    low, high, total = reshape(low, []), reshape(high, []), reshape(total, [])\n"
        "    shift = cast(0, %s)\n"
        "    while ((high - low) >> shift) > 255 { shift += 1 }\n"
        "    need, number, more = cast(k, i32), total, total > most\n"
        "    while more {\n"
        "        at = cast((key - low) >> shift, i32)\n"
        "        count = histogram(where((key >= low) & (key <= high), at, -1), 256)\n"
        "        up = cumsum(count, 0, reverse=true)\n"
        "        enough = up >= need\n"
        "        digits, here, above = reduce(split_of, [cast(enough, i32), where(enough, up, "
        "0x7fffffff), where(enough, 0, up)], 0, [0, 0x7fffffff, 0])\n"
        "        low += cast(reshape(digits, []) - 1, %s) << shift\n"
        "        high = minimum(high - low, (cast(1, %s) << shift) - 1) + low\n"
        "        number = k - need + reshape(here, [])\n"
        "        need -= reshape(above, [])\n"
        "        more = shift > 0 and number > most\n"
        "        shift = where(shift > 8, shift - 8, 0)\n"
        "    }\n"
        "    return low, total, number\n"
        "}\n",
        ones, ones, key, key, key);
    cuc__text_put(t, "\n# The places of elements with a flag in a list, behind `count` others.\n"
                     "fn places_of(flag, count) {\n"
                     "    return where(flag, cumsum(cast(flag, i32), 0) + (count - 1), -1)\n"
                     "}\n");
}

// Writes the keys of the elements of tile `t`, of the inputs or of the lists.
static void put_keys(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool finish,
                     const char *indent, const char *hint)
{
    bool rows = p->family->by_row;

    if (finish) {
        cuc__text_put(t, "%skey = load(slice(part_key, %d, 0, n), [%st], [%sBN]%s)\n", indent, rows,
                      rows ? "row, " : "", rows ? "_, " : "", hint);
        return;
    }
    cuc__algorithm_put_values(t, p, indent, hint);
    cuc__text_put(t, "%skey = broadcast(key_of(v0), [BN])\n", indent);
}

// Writes the maxima `m` of the tiles from `first` on.
static void put_maxima(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool finish)
{
    cuc__text_put(t,
                  "    whole = minimum(tiles, n // BN - first)\n"
                  "    m = zeros(%s, [BN])\n"
                  "    for turn in 0 .. whole {\n"
                  "        t = first + turn\n",
                  cuc_dtype_name(cuc__algorithm_key_type(&p->kind)));
    put_keys(t, p, finish, "        ", ", inside=true");
    cuc__text_put(t, "        m = maximum(m, key)\n"
                     "    }\n"
                     "    if whole < tiles {\n"
                     "        t = first + whole\n");
    put_keys(t, p, finish, "        ", "");
    cuc__text_put(t, "        m = maximum(m, where(t * BN + iota(i64, BN) < n, key, 0))\n"
                     "    }\n");
}

// Writes the choice of lanes: those whose maxima are not less than `low` or, if these are not
// `few`, those whose maxima are greater, which are less than K. A maximum of 0 may be that of no
// elements.
static void put_lanes(struct cuc__text *t)
{
    cuc__text_put(t, "    low, total, number = cut(m, K, LANES)\n"
                     "    if total < K { low = 0 * low }\n"
                     "    few = low > 0 and number <= LANES\n"
                     "    to = places_of((m > low) | (few & (m == low)), 0)\n"
                     "    lanes = place(iota(i32, BN), to, extent=LANES, pad=-1)\n");
}

// Writes the search in the chosen lanes, of TILES tiles at once. Few elements of them are not less
// than `low`, and are sorted with the best ones of the tiles before.
static void put_search(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool finish)
{
    const char *key = cuc_dtype_name(cuc__algorithm_key_type(&p->kind));

    cuc__text_put(t,
                  "    best, best_at = zeros(%s, [RESULTS]), zeros(i64, [RESULTS])\n"
                  "    found = 0\n"
                  "    end = minimum(n, (first + tiles) * BN)\n"
                  "    for round in 0 .. cdiv(tiles, TILES) {\n"
                  "        t = first + round * TILES + iota(i64, TILES)[:, None]\n"
                  "        i = reshape(t * BN + lanes[None, :], [TILES * LANES])\n"
                  "        there = broadcast(lanes[None, :] >= 0, [TILES, LANES])\n"
                  "        there = reshape(there, [TILES * LANES]) & (i < end)\n",
                  key);
    if (finish) {
        cuc__text_put(t, "        key = gather(part_key, [%si], mask=there)\n",
                      p->family->by_row ? "row, " : "");
    } else {
        cuc__algorithm_put_gathered_values(t, p, "        ");
        cuc__text_put(t, "        key = broadcast(key_of(v0), [TILES * LANES])\n");
    }
    cuc__text_put(t,
                  "        key = where(there & ((key > low) | (few & (key == low))), key, 0)\n"
                  "        least, _, number = cut(key, K, SORTED)\n"
                  "        kept = key >= least\n"
                  "        if number > SORTED {\n"
                  "            left = SORTED - count_of(key > least)\n"
                  "            first_ones = cumsum(cast(key == least, i32), 0) <= left\n"
                  "            kept = (key > least) | ((key == least) & first_ones)\n"
                  "            number = SORTED\n"
                  "        }\n"
                  "        into = places_of(kept, found)\n"
                  "        old = iota(i32, RESULTS + SORTED) < found\n"
                  "        keys = place(key, into, extent=RESULTS + SORTED)\n"
                  "        keys = where(old, cat(best, zeros(%s, [SORTED]), 0), keys)\n"
                  "        ats = place(i, into, extent=RESULTS + SORTED)\n"
                  "        ats = where(old, cat(best_at, zeros(i64, [SORTED]), 0), ats)\n"
                  "        best, from = topk(keys, RESULTS, 0)\n"
                  "        best_at = take(ats, from, 0)\n"
                  "        found = minimum(found + number, K)\n"
                  "    }\n",
                  key);
}

// Writes the search for elements that equal `low`, if their lanes were too many.
static void put_equal(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool finish)
{
    cuc__text_put(t, "    turn = 0 * tiles\n"
                     "    while not few and found < K and turn < tiles {\n"
                     "        t = first + turn\n");
    put_keys(t, p, finish, "        ", "");
    cuc__text_put(t, "        equal = (key == low) & (iota(i64, BN) < n - t * BN)\n"
                     "        lane = place(iota(i32, BN), places_of(equal, found), "
                     "extent=RESULTS)\n"
                     "        old = iota(i32, RESULTS) < found\n"
                     "        best_at = where(old, best_at, t * BN + lane)\n"
                     "        best = where(old, best, low)\n"
                     "        found = minimum(found + count_of(equal), K)\n"
                     "        turn += 1\n"
                     "    }\n");
}

void cuc__algorithm_put_found(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                              const char *indent)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__algorithm_put_gathered_values(t, p, indent);
    for (uint32_t j = 0; j < k->output_count; j++)
        if (!k->outputs[j].dropped)
            cuc__text_put(t, "%sscatter(out_%s, [%sj], cast(v%u, %s), mask=there)\n", indent,
                          k->outputs[j].name, p->family->by_row ? "row, " : "", j,
                          cuc_dtype_name(k->outputs[j].dtype));
}

// Writes the end: the outputs, or the lists of a part.
static void put_results(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool finish)
{
    const char *row = p->family->by_row ? "row, " : "";

    cuc__text_put(t, "    j = iota(i64, RESULTS)\n"
                     "    there = (j < K) & (j < found)\n");
    if (finish) {
        cuc__text_put(t, "    i = gather(part_at, [%sbest_at], mask=there)\n    n = size\n", row);
        cuc__algorithm_put_found(t, p, "    ");
        cuc__text_put(t, "}\n");
        return;
    }
    cuc__text_put(t, "    i = best_at\n    if parts == 1 {\n");
    cuc__algorithm_put_found(t, p, "        ");
    cuc__text_put(t,
                  "    } else {\n"
                  "        scatter(part_key, [%spart * K + j], best, mask=there)\n"
                  "        scatter(part_at, [%spart * K + j], i, mask=there)\n"
                  "    }\n"
                  "}\n",
                  row, row);
}

// Writes the facts that no array overlaps one that is written. Without them the compiler would add
// a slower entry for arrays that overlap, and a call with such arrays would use it.
static void put_facts(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc__text_put(t, "    where noalias(part_key, part_at)");
    for (uint32_t i = 0; i < k->input_count; i++) {
        if (k->inputs[i].form > CUC__ALGORITHM_WHOLE)
            continue;
        cuc__text_put(t, ", noalias(in_%s, part_key), noalias(in_%s, part_at)", k->inputs[i].name,
                      k->inputs[i].name);
        for (uint32_t j = 0; j < k->output_count; j++)
            if (!k->outputs[j].dropped)
                cuc__text_put(t, ", noalias(in_%s, out_%s)", k->inputs[i].name, k->outputs[j].name);
    }
    for (uint32_t i = 0; i < k->output_count; i++) {
        if (k->outputs[i].dropped)
            continue;
        cuc__text_put(t, ", noalias(out_%s, part_key), noalias(out_%s, part_at)",
                      k->outputs[i].name, k->outputs[i].name);
        for (uint32_t j = 0; j < i; j++)
            if (!k->outputs[j].dropped)
                cuc__text_put(t, ", noalias(out_%s, out_%s)", k->outputs[j].name,
                              k->outputs[i].name);
    }
    cuc__text_put(t, "\n");
}

static void put_kernel(struct cuc__text *t, const struct cuc__algorithm_problem *p, bool finish)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    enum { LIST_TILE = 2048 }; // lists are short, so a large tile would only take longer to compile
    const struct sizes s = sizes_of(k->k);
    const int32_t list = s.lanes > LIST_TILE ? (int32_t)s.lanes : LIST_TILE;
    bool rows = p->family->by_row;
    const char *extent = rows ? "ROWS, " : "";
    char of_output[64];

    snprintf(of_output, sizeof(of_output), "%s%lld", extent, (long long)k->k);
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[finish ? FINISH : PARTS]);
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_outputs(t, p, of_output);
    cuc__text_put(
        t,
        "part_key: %s[%sLIST], part_at: i64[%sLIST], each: i64, parts: i64%s)\n"
        "    const BN = %d, K = %lld, RESULTS = %u, LANES = %u, SORTED = %u, TILES = %u\n",
        cuc_dtype_name(cuc__algorithm_key_type(k)), extent, extent, rows ? ", rows: i64" : "",
        finish && p->tile.elements > list ? list : p->tile.elements, (long long)k->k, s.results,
        s.lanes, s.sorted, s.tiles);
    put_facts(t, k);
    cuc__text_put(t, "    grid %s\n{\n",
                  rows && finish ? "rows"
                  : rows         ? "rows * parts"
                  : finish       ? "1"
                                 : "parts");
    cuc__algorithm_put_count(t, p);
    if (finish)
        cuc__text_put(
            t,
            "%s    size, used = n, cdiv(n, each)\n"
            "    n = where(n > 0, (used - 1) * K + minimum(K, n - (used - 1) * each), 0)\n"
            "    first, tiles = 0 * n, cdiv(n, BN)\n",
            rows ? "    row = block(0)\n" : "");
    else
        cuc__text_put(t,
                      "    %s = %s\n"
                      "    first = part * (each // BN)\n"
                      "    tiles = minimum(each // BN, cdiv(n, BN) - first)\n"
                      "    if tiles <= 0 { return }\n",
                      rows ? "row, part" : "part",
                      rows ? "block(0) // parts, block(0) % parts" : "block(0)");
    put_maxima(t, p, finish);
    put_lanes(t);
    put_search(t, p, finish);
    put_equal(t, p, finish);
    put_results(t, p, finish);
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__algorithm_put_key(t, &p->kind);
    put_functions(t, p);
    put_kernel(t, p, false);
    put_kernel(t, p, true);
}

// The division of rows: each has `parts` parts of `each` elements, whole tiles.
struct division {
    int64_t parts, each;
};

static struct division divide(const cuc_algorithm *plan, int64_t rows, int64_t count)
{
    enum { LEAST = 4 }; // tiles of a part, of several
    int64_t blocks = (int64_t)plan->tile.blocks * plan->multiprocessors;
    int64_t tiles = cuc__ceil_div(count, plan->tile.elements), parts = rows ? blocks / rows : 1;

    if (parts > tiles / LEAST)
        parts = tiles / LEAST;
    if (parts <= 1)
        return (struct division){ 1, tiles * plan->tile.elements };
    int64_t turns = cuc__ceil_div(tiles, parts);
    return (struct division){ cuc__ceil_div(tiles, turns), turns * plan->tile.elements };
}

// The parts of several rows are never more than the blocks that fit on the device.
static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_kind *k = &plan->kind;
    int64_t parts = divide(plan, 1, count).parts;

    if (parts <= 1)
        return 0;
    if (plan->family->by_row)
        parts = (int64_t)plan->tile.blocks * plan->multiprocessors;
    uint64_t keys = (uint64_t)parts * (uint64_t)k->k;
    return cuc__algorithm_aligned(keys * (cuc_dtype_bits(cuc__algorithm_key_type(k)) / 8)) +
           cuc__algorithm_aligned(keys * sizeof(int64_t));
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    bool by_row = c->plan->family->by_row;
    int64_t rows = by_row ? c->rows : 1;
    struct division d = divide(c->plan, rows, c->count);
    int64_t list = d.parts > 1 ? d.parts * k->k : 0;
    cuc_tensor keys, places;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_outputs(args, cuc__algorithm_add_inputs(args, 0, c), c);
    cuc_device_ptr at =
        cuc__algorithm_scratch(&keys, c, c->workspace, cuc__algorithm_key_type(k), rows * list);

    if (!c->count || !rows)
        return CUC_OK;
    cuc__algorithm_scratch(&places, c, at, CUC_I64, rows * list);
    if (by_row) {
        keys.rank = places.rank = 2;
        keys.shape[0] = places.shape[0] = rows;
        keys.shape[1] = places.shape[1] = list;
        keys.strides[0] = places.strides[0] = list;
        keys.strides[1] = places.strides[1] = 1;
    }
    args[count++] = CUC_ARG(&keys);
    args[count++] = CUC_ARG(&places);
    args[count++] = CUC_ARG(d.each);
    args[count++] = CUC_ARG(d.parts);
    if (by_row)
        args[count++] = CUC_ARG(rows);
    cuc_status st = cuc__algorithm_launch(c, PARTS, args, count);
    return st < 0 || d.parts == 1 ? st : cuc__algorithm_launch(c, FINISH, args, count);
}

#define FAMILY(name, rows)                                       \
    const struct cuc__algorithm_family cuc__algorithm_##name = { \
        .kernels = { #name "_parts", #name "_finish" },          \
        .outputs_of_value = 1,                                   \
        .by_row = (rows),                                        \
        .choose = choose,                                        \
        .put = put,                                              \
        .workspace = workspace,                                  \
        .run = run,                                              \
    }
FAMILY(topk, false);
FAMILY(topk_rows, true);
