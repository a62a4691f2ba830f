// Writes the tile program of a plan. The kernel has only the parameters that it uses. Sizes are
// constants in the text, which therefore compiles without settings.
//
// The loop covers only the steps in which the mask shows a key. The compiler makes two versions of
// its work, and only steps at an edge of the mask compare indices (tile/pass/loop_versioning.c).
#include "attention.h"

#include "base/array.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Returns true if the text has the word `return` outside of comments.
static bool has_return(const char *text)
{
    static const char word[] = "return", letters[] = "abcdefghijklmnopqrstuvwxyz"
                                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    while (*text) {
        size_t length = strspn(text, letters);
        if (length == strlen(word) && strncmp(text, word, length) == 0)
            return true;
        text += *text == '#' ? strcspn(text, "\n") : length ? length : 1;
    }
    return false;
}

// An expression is put into a return statement. Messages of the compiler refer to line 2.
void cuc__attention_put_score(struct cuc__text *t, const struct cuc__attention_problem *q)
{
    const struct cuc__attention_kind *k = &q->kind;

    if (!q->score)
        return;
    bool statements = has_return(q->score);
    cuc__text_put(t, "fn score_of(score, batch, head, row, column");
    for (uint32_t i = 0; i < k->side_count; i++)
        cuc__text_put(t, ", %s", k->sides[i].name);
    cuc__text_put(t, statements ? ") {\n%s\n}\n\n" : ") { return (\n%s\n) }\n\n", q->score);
}

void cuc__attention_put_sides(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    for (uint32_t i = 0; i < k->side_count; i++) {
        cuc__text_put(t, "side_%s: %s[", k->sides[i].name, cuc_dtype_name(k->sides[i].dtype));
        for (int32_t axis = 0; axis < k->sides[i].rank; axis++)
            cuc__text_put(t, "%sX%u_%d", axis ? ", " : "", i, axis);
        cuc__text_put(t, "],\n                 ");
    }
    if (k->scored)
        cuc__text_put(t, "first_batch: i64, first_head: i64, ");
}

// Writes the extents of k or v, the type of whose axes is [batch, key heads, keys, width].
void cuc__attention_put_keys(struct cuc__text *t, const struct cuc__attention_kind *k, char array)
{
    const char *width = array == 'k' ? "D" : "DV";

    if (k->page_size)
        cuc__text_put(t, "%c: T[PAGES, HK, PAGE, %s], ", array, width);
    else if (k->cached)
        cuc__text_put(t, "%c: T[%s, HK, ROOM, %s], ", array, k->variable ? "CACHES" : "B", width);
    else if (k->variable)
        cuc__text_put(t, "%c: T[HK, ALL_SK, %s], ", array, width);
    else
        cuc__text_put(t, "%c: T[B, HK, SK, %s], ", array, width);
}

// Writes the parameters: arrays in the order in which launch() passes them.
static void put_parameters(struct cuc__text *t, const struct cuc__attention_kind *k, bool parts)
{
    // The axes of q, o and lse before the width, and of the scale of q.
    const char *axes = k->variable ? "HQ, ALL_SQ" : k->few ? "B, HK, G, SQ" : "B, HQ, SQ";

    cuc__text_put(t, "q: T[%s, D], ", axes);
    cuc__attention_put_keys(t, k, 'k');
    if (k->packs)
        cuc__text_put(t, k->variable ? "v: T[HK, DV, COLUMNS], " : "v: T[B, HK, DV, COLUMNS], ");
    else
        cuc__attention_put_keys(t, k, 'v');
    if (k->scaled)
        cuc__text_put(t,
                      "q_scale: f32[SCALES, %s], k_scale: f32[SCALES, HK], "
                      "v_scale: f32[SCALES, HK], ",
                      k->few ? "HK, G" : "HQ");
    cuc__text_put(t, "\n                 ");
    if (parts) {
        cuc__text_put(t, "part: f32[PARTS, %s, DV], part_lse: f32[PARTS, %s], ", axes, axes);
    } else {
        cuc__text_put(t, "o: O[%s, DV], ", axes);
        if (k->lse)
            cuc__text_put(t, "lse: f32[%s], ", axes);
        if (k->sinks)
            cuc__text_put(t, "sinks: f32[%s], ", k->few ? "HK, G" : "HQ");
    }
    if (k->variable)
        cuc__text_put(t, "query_offsets: i32[OFFSETS], ");
    if (k->variable && !k->cached)
        cuc__text_put(t, "key_offsets: i32[OFFSETS], ");
    if (k->page_size)
        cuc__text_put(t, "page_table: i32[TABLES, TABLE], ");
    if (k->cached)
        cuc__text_put(t, "key_lengths: i32[TABLES], ");
    if (k->variable)
        cuc__text_put(t, "most: i64, ");
    cuc__attention_put_sides(t, k);
    cuc__text_put(t, "scale: f32)\n");
}

static void put_constants(struct cuc__text *t, const struct cuc__attention_kind *k,
                          const struct cuc__attention_tile *tile)
{
    cuc__text_put(t, "    const T = %s, O = %s, D = %d, DV = %d, W = %d, WV = %d, BM = %d, BN = %d",
                  cuc_dtype_name(k->dtype), cuc_dtype_name(k->o_dtype), k->width, k->value_width,
                  cuc__attention_depth(k), cuc__attention_padded(k->value_width),
                  tile->queries * tile->heads, tile->keys);
    if (k->few)
        cuc__text_put(t, ", HEADS = %d, ROWS = %d, PARTS = %d", tile->heads, tile->queries,
                      tile->parts);
    if (k->page_size)
        cuc__text_put(t, ", PAGE = %d", k->page_size);
    if (k->left)
        cuc__text_put(t, ", LEFT = %" PRId64, k->left);
    if (k->right)
        cuc__text_put(t, ", RIGHT = %" PRId64, k->right);
    cuc__text_put(t, "\n");
}

// Writes the fact that no result overlaps an array.
static void put_noalias(struct cuc__text *t, const struct cuc__attention_kind *k, bool parts,
                        const char *before, const char *prefix, const char *name)
{
    cuc__text_put(t, "%snoalias(%s, %s%s)", before, parts ? "part" : "o", prefix, name);
    if (parts || k->lse)
        cuc__text_put(t, ", noalias(%s, %s%s)", parts ? "part_lse" : "lse", prefix, name);
}

// Writes the facts: a launch refuses results that overlap numbers that threads read by themselves,
// such as those that the kernel's control flow depends on. Without these facts, all warps of a
// block would wait for each other before they store the result, which three warpgroups cannot.
static void put_facts(struct cuc__text *t, const struct cuc__attention_kind *k, bool parts)
{
    const struct {
        bool has;
        const char *name;
    } read[] = { { k->variable, "query_offsets" }, { k->variable && !k->cached, "key_offsets" },
                 { k->page_size, "page_table" },   { k->cached, "key_lengths" },
                 { k->scaled, "q_scale" },         { k->scaled, "k_scale" },
                 { k->scaled, "v_scale" },         { k->sinks && !parts, "sinks" } };
    const char *before = "    where ";

    if (!k->few) {
        cuc__text_put(t, "    where HQ %% HK == 0");
        before = ", ";
    }
    for (int i = 0; i < CUC_LENGTH(read); i++) {
        if (!read[i].has)
            continue;
        put_noalias(t, k, parts, before, "", read[i].name);
        before = ", ";
    }
    for (uint32_t i = 0; i < k->side_count; i++) {
        put_noalias(t, k, parts, before, "side_", k->sides[i].name);
        before = ", ";
    }
    cuc__text_put(t, "\n");
}

// Writes the lengths of a sequence. Its arrays are slices, whose loads are zero past the end. A
// pipeline cannot copy from slices, and loads at the sequence's offset.
static void put_sequence(struct cuc__text *t, const struct cuc__attention_kind *k, bool pipelined)
{
    if (k->variable) {
        cuc__text_put(t, "    q_at, q_end = query_offsets[b], query_offsets[b + 1]\n"
                         "    SQ = cast(q_end - q_at, i64)\n"
                         "    my_o = slice(o, 1, q_at, q_end)\n");
        if (k->lse)
            cuc__text_put(t, "    my_lse = slice(lse, 1, q_at, q_end)\n");
        if (!pipelined)
            cuc__text_put(t, "    my_q = slice(q, 1, q_at, q_end)\n");
    }
    if (k->cached)
        cuc__text_put(t, "    SK = minimum(cast(key_lengths[b], i64), %s)\n",
                      k->page_size ? "TABLE * PAGE" : "ROOM");
    else if (k->variable)
        cuc__text_put(t, "    k_at, k_end = key_offsets[b], key_offsets[b + 1]\n"
                         "    SK = cast(k_end - k_at, i64)\n");
    if (k->packs && k->variable)
        cuc__text_put(t, "    v_at = cdiv(cast(k_at, i64), 16) * 16 + b * 16\n");
    if (k->packs && k->variable && !pipelined)
        cuc__text_put(t, "    my_k = slice(k, 1, k_at, k_end)\n");
    else if (k->variable && !k->cached && !pipelined)
        cuc__text_put(t, "    my_k, my_v = slice(k, 1, k_at, k_end), slice(v, 1, k_at, k_end)\n");
}

static void put_query_load(struct cuc__text *t, const struct cuc__attention_kind *k, bool pipelined)
{
    cuc__text_put(t, "    qt = %s\n",
                  k->few ? "reshape(load(q, [b, g, u, m, 0], [_, _, HEADS, ROWS, W]), [BM, W])"
                  : !k->variable ? "load(q, [b, h, m, 0], [_, _, BM, W])"
                  : pipelined    ? "load_at(q, [h, q_at + m * BM, 0], [_, BM, W])"
                                 : "load(my_q, [h, m, 0], [_, BM, W])");
}

// Writes the factor of the scores, and of the values' sums. Those of several heads are tiles.
static void put_scales(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    const char *by = "scale";

    if (k->scaled && k->few) {
        cuc__text_put(t, "    by = load(q_scale, [b, g, u], [_, _, HEADS])[:, None]\n"
                         "    by = reshape(broadcast(by, [HEADS, ROWS]), [BM, 1]) * "
                         "(scale * k_scale[b, g])\n");
        by = "by";
    } else if (k->scaled) {
        cuc__text_put(t, "    by = scale * q_scale[b, h] * k_scale[b, g]\n");
        by = "by";
    }
    if (k->scored)
        cuc__text_put(t, "    c = 1.4426950408889634  # weights are powers of two\n");
    else
        cuc__text_put(t, "    c = %s * 1.4426950408889634  # weights are powers of two\n", by);
}

static void put_key_load(struct cuc__text *t, const struct cuc__attention_problem *q,
                         const struct cuc__attention_tile *tile, const char *name, char array)
{
    const struct cuc__attention_kind *k = &q->kind;
    const char *width = array == 'v' ? "WV" : "W";

    cuc__text_put(t, "        %s = ", name);
    if (k->packs && array == 'v')
        cuc__text_put(t, k->variable ? "load_at(v, [g, 0, v_at + n * BN], [_, WV, BN])\n"
                                     : "load(v, [b, g, 0, n], [_, _, WV, BN])\n");
    else if (k->page_size && k->page_size < tile->keys)
        cuc__text_put(t, "reshape(load_rows(%c, pages, [g, 0, 0], [_, PAGE, %s]), [BN, %s])\n",
                      array, width, width);
    else if (k->page_size)
        cuc__text_put(t, "load(%c, [page, g, n %% (PAGE // BN), 0], [_, _, BN, %s])\n", array,
                      width);
    else if (!k->variable || k->cached)
        cuc__text_put(t, "load(%c, [b, g, n, 0], [_, _, BN, %s])\n", array, width);
    else if (q->pipelined)
        cuc__text_put(t, "load_at(%c, [g, k_at + n * BN, 0], [_, BN, %s])\n", array, width);
    else
        cuc__text_put(t, "load(my_%c, [g, n, 0], [_, BN, %s])\n", array, width);
}

// Writes the range of steps: `from` is the diagonal key of the tile's first query.
static void put_range(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    const char *right = k->right ? " + RIGHT" : "";

    cuc__text_put(t, "    from = m * %s%s\n", k->few ? "ROWS" : "BM",
                  k->align == CUC_ATTENTION_BOTTOM_RIGHT ? " + SK - SQ" : "");
    cuc__text_put(t, k->left ? "    first = maximum(from - LEFT, 0) // BN\n" : "    first = 0\n");
    if (k->mask == CUC_ATTENTION_CAUSAL || k->right)
        cuc__text_put(t, "    last = minimum(cdiv(SK, BN), cdiv(from + %s%s, BN))\n",
                      k->few ? "ROWS" : "BM", right);
    else
        cuc__text_put(t, "    last = cdiv(SK, BN)\n");
    if (k->variable)
        cuc__text_put(t, "    last = where(m * BM < SQ, last, 0)\n");
    if (k->few)
        cuc__text_put(t, "    each = cdiv(maximum(last - first, 0), PARTS)\n"
                         "    first = first + z * each\n"
                         "    last = minimum(first + each, last)\n");
}

static void put_mask(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    cuc__text_put(t, "        see = col < SK\n");
    if (k->mask == CUC_ATTENTION_CAUSAL || k->right)
        cuc__text_put(t, "        see = see & (col <= diagonal%s)\n", k->right ? " + RIGHT" : "");
    if (k->left)
        cuc__text_put(t, "        see = see & (col >= diagonal - LEFT)\n");
    cuc__text_put(t, "        s = where(see, s, -inf)\n");
}

void cuc__attention_put_call(struct cuc__text *t, const struct cuc__attention_kind *k,
                             const char *score)
{
    cuc__text_put(t, "score_of(%s, b + first_batch, h + first_head, row, column", score);
    for (uint32_t i = 0; i < k->side_count; i++)
        cuc__text_put(t, ", side_%s", k->sides[i].name);
    cuc__text_put(t, ")");
}

// Writes the loop over the keys. Sums of few queries are joined behind the loop, because their
// warps share rows.
static void put_loop(struct cuc__text *t, const struct cuc__attention_problem *q,
                     const struct cuc__attention_tile *tile, bool sinks)
{
    const struct cuc__attention_kind *k = &q->kind;
    bool masked = k->mask == CUC_ATTENTION_CAUSAL || k->left || k->right;
    const char *row = k->few ? "(iota(i32, BM) % ROWS)[:, None]" : "iota(i32, BM)[:, None]";

    if (masked)
        cuc__text_put(t, "    diagonal = from + %s\n", row);
    if (k->scored)
        cuc__text_put(t, "    row = cast(m * %s, i32) + %s\n", k->few ? "ROWS" : "BM", row);
    cuc__text_put(t, "    acc = zeros(f32, [BM, WV])\n");
    if (!sinks)
        cuc__text_put(t,
                      "    top = full(f32, [BM, 1], -1e30)\n"
                      "    den = zeros(f32, [BM, %s])\n",
                      k->few ? "BN" : "1");
    else if (!k->few)
        cuc__text_put(t, "    sink = sinks[h] * 1.4426950408889634\n"
                         "    top = full(f32, [BM, 1], maximum(sink, -1e30))\n"
                         "    den = exp2(sink - top)\n");
    else
        cuc__text_put(t,
                      "    sink = load(sinks, [g, u], [_, HEADS])[:, None] * 1.4426950408889634\n"
                      "    sink = reshape(broadcast(sink, [HEADS, ROWS]), [BM, 1])\n"
                      "    top = maximum(sink, -1e30)\n"
                      "    den = where(iota(i32, BN)[None, :] == 0, exp2(sink - top), 0.0)\n");
    cuc__text_put(t, "    for n in first .. last {\n");
    if (k->page_size && k->page_size < tile->keys)
        cuc__text_put(t, "        at = n * BN + iota(i32, BN // PAGE) * PAGE\n"
                         "        pages = gather(page_table, [b, at // PAGE], mask=at < SK, "
                         "pad=-1)\n");
    else if (k->page_size)
        cuc__text_put(t, "        page = cast(page_table[b, n // (PAGE // BN)], i64)\n");
    put_key_load(t, q, tile, "keys", 'k');
    // Without fast_acc, tensor cores add up at most 128 products of 8-bit elements.
    cuc__text_put(t, "        s = mma(qt, trans(keys), zeros(f32, [BM, BN])%s)\n",
                  k->scaled && k->width > 128 ? ", fast_acc=true" : "");
    if (k->scored) {
        cuc__text_put(t, "        column = cast(n * BN, i32) + iota(i32, BN)[None, :]\n"
                         "        s = cast(");
        cuc__attention_put_call(t, k, k->scaled ? "s * by" : "s * scale");
        cuc__text_put(t, ", f32)\n");
    }
    cuc__text_put(t, "        s = s * c\n"
                     "        col = n * BN + iota(i32, BN)[None, :]\n");
    put_mask(t, k);
    // Weights of up to 2^8 keep more small ones in 8 bits.
    cuc__text_put(t,
                  "        high = maximum(top, max(s, 1)%s)\n"
                  "        p = exp2(s - high)\n"
                  "        fade = exp2(top - high)\n"
                  "        den = den * fade + %s\n",
                  k->packs ? " - 8.0" : "", k->few ? "p" : "sum(p, 1)");
    put_key_load(t, q, tile, "values", 'v');
    if (k->packs)
        cuc__text_put(t,
                      "        places = reshape(cast(p, T), [BM, BN // 16, 2, 4, 2])\n"
                      "        places = reshape(permute(places, [0, 1, 3, 2, 4]), [BM, BN])\n"
                      "        acc = mma(places, trans(values), acc * fade%s)\n",
                      k->fast_acc ? ", fast_acc=true" : "");
    else if (k->scaled) // f16 holds e4m3 exactly, and tensor cores take it in any order
        cuc__text_put(t, "        acc = mma(cast(p, f16), cast(values, f16), acc * fade)\n");
    else
        cuc__text_put(t, "        acc = mma(cast(p, T), values, acc * fade)\n");
    cuc__text_put(t, "        top = high\n"
                     "    }\n");
    if (k->few)
        cuc__text_put(t, "    den = sum(den, 1)\n");
    cuc__text_put(t, "    out = where(den == 0.0, 0.0, acc / %s)  # NaN stays NaN\n",
                  k->scaled ? "(den / v_scale[b, g])" : "den");
}

// Writes the stores of the results, or of a part's results, whose lse is to base 2.
static void put_stores(struct cuc__text *t, const struct cuc__attention_kind *k, bool parts)
{
    const char *at = k->few ? "b, g, u, m" : k->variable ? "h, m" : "b, h, m";
    const char *my = k->variable ? "my_" : "";

    if (parts)
        cuc__text_put(t,
                      "    out = reshape(out, [HEADS, ROWS, WV])\n"
                      "    store(part, [z, %s, 0], out, shape=[_, _, _, HEADS, ROWS, WV])\n"
                      "    sums = where(den == 0.0, -inf, top + log2(den))\n"
                      "    store(part_lse, [z, %s], reshape(sums, [HEADS, ROWS]), "
                      "shape=[_, _, _, HEADS, ROWS])\n",
                      at, at);
    else if (k->few)
        cuc__text_put(t,
                      "    out = reshape(cast(out, O), [HEADS, ROWS, WV])\n"
                      "    store(o, [%s, 0], out, shape=[_, _, HEADS, ROWS, WV])\n",
                      at);
    else
        cuc__text_put(t, "    store(%so, [%s, 0], cast(out, O))\n", my, at);
    if (k->lse && !parts)
        cuc__text_put(t, "    sums = where(den == 0.0, -inf, (top + log2(den)) * "
                         "0.6931471805599453)\n");
    if (k->lse && !parts && k->few)
        cuc__text_put(t,
                      "    store(lse, [%s], reshape(sums, [HEADS, ROWS]), "
                      "shape=[_, _, HEADS, ROWS])\n",
                      at);
    else if (k->lse && !parts)
        cuc__text_put(t, "    store(%slse, [%s], squeeze(sums, 1))\n", my, at);
    cuc__text_put(t, "}\n");
}

// Writes the kernel that joins the results of parts, JOINED at a time.
static void put_join(struct cuc__text *t, const struct cuc__attention_kind *k,
                     const struct cuc__attention_tile *tile)
{
    enum { MOST_JOINED = 8192 };
    int32_t joined = 1, most = MOST_JOINED / cuc__attention_padded(k->value_width);

    while (joined < tile->parts && joined * 2 <= most)
        joined *= 2;
    cuc__text_put(
        t,
        "\nkernel attention(part: f32[P, B, HK, G, SQ, DV], part_lse: f32[P, B, HK, G, SQ], "
        "o: O[B, HK, G, SQ, DV]%s%s)\n"
        "    const O = %s, DV = %d, WV = %d, JOINED = %d\n"
        "    grid SQ * G, HK, B\n{\n"
        "    grid_dependency_launch()\n"
        "    i, u, g, b = block(0) %% SQ, block(0) // SQ, block(1), block(2)\n",
        k->lse ? ", lse: f32[B, HK, G, SQ]" : "", k->sinks ? ", sinks: f32[HK, G]" : "",
        cuc_dtype_name(k->o_dtype), k->value_width, cuc__attention_padded(k->value_width), joined);
    cuc__text_put(t, k->sinks ? "    sink = sinks[g, u] * 1.4426950408889634\n"
                                "    top = full(f32, [1, 1], maximum(sink, -1e30))\n"
                                "    den = exp2(sink - top)\n"
                              : "    top, den = full(f32, [1, 1], -1e30), zeros(f32, [1, 1])\n");
    cuc__text_put(t, "    acc = zeros(f32, [1, WV])\n"
                     "    for n in 0 .. cdiv(P, JOINED) {\n"
                     "        w = load(part_lse, [n, b, g, u, i], [JOINED, _, _, _, _], "
                     "pad=-inf)[:, None]\n"
                     "        y = load(part, [n, b, g, u, i, 0], [JOINED, _, _, _, _, WV])\n"
                     "        high = maximum(top, max(w, 0))\n"
                     "        w, fade = exp2(w - high), exp2(top - high)\n"
                     "        den = den * fade + sum(w, 0)\n"
                     "        acc = acc * fade + sum(w * y, 0)\n"
                     "        top = high\n"
                     "    }\n"
                     "    out = where(den == 0.0, 0.0, acc / den)\n"
                     "    store(o, [b, g, u, i, 0], cast(out, O), shape=[_, _, _, 1, WV])\n");
    if (k->lse)
        cuc__text_put(t, "    sums = where(den == 0.0, -inf, (top + log2(den)) * "
                         "0.6931471805599453)\n"
                         "    store(lse, [b, g, u, i], sums, shape=[_, _, 1, 1])\n");
    cuc__text_put(t, "}\n");
}

char *cuc__attention_source(const struct cuc__attention_problem *q,
                            const struct cuc__attention_tile *tile)
{
    const struct cuc__attention_kind *k = &q->kind;
    struct cuc__text text = { .at = NULL }, *t = &text;
    bool parts = tile->parts > 1;

    cuc__attention_put_score(t, q);
    cuc__text_put(t, "kernel attention%s(", parts ? "_parts" : "");
    put_parameters(t, k, parts);
    put_constants(t, k, tile);
    put_facts(t, k, parts);
    if (k->few)
        cuc__text_put(t,
                      "    grid cdiv(G, HEADS) * cdiv(SQ, ROWS) * PARTS, HK, B\n{\n"
                      "    grid_dependency_launch()  # the blocks leave room for the successor's\n"
                      "    x, g, b, tiles = block(0), block(1), block(2), cdiv(SQ, ROWS)\n"
                      "    z, x = x %% PARTS, x // PARTS\n"
                      "    u, m = x // tiles, x %% tiles\n");
    else
        cuc__text_put(t,
                      "    grid cdiv(%s, BM), HQ, %s\n{\n"
                      "    m, h, b = block(0), block(1), block(2)\n"
                      "    g = h // (HQ // HK)\n",
                      k->variable ? "most" : "SQ", k->variable ? "OFFSETS - 1" : "B");
    if (k->few && k->scored)
        cuc__text_put(t, "    h = g * G + u\n");
    put_scales(t, k);
    put_sequence(t, k, q->pipelined);
    put_range(t, k);
    put_query_load(t, k, q->pipelined);
    put_loop(t, q, tile, k->sinks && !parts);
    put_stores(t, k, parts);
    if (parts)
        put_join(t, k, tile);
    if (k->cached)
        cuc__attention_put_append(t, q);
    if (k->packs)
        cuc__attention_put_pack(t, q);
    if (!t->lost)
        return t->at;
    free(t->at);
    return NULL;
}
