// Writes the tile program of a plan. The kernel has only the parameters that it uses. Sizes are
// constants in the text, which therefore compiles without settings.
//
// The loop covers only the steps in which the mask shows a key. The compiler makes two versions of
// its work, and only steps at an edge of the mask compare indices (tile/pass/loop_versioning.c).
#include "attention.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_STEP = 16 }; // of a tile's width: zeros fill it up

static int32_t rounded(int32_t width)
{
    return (width + WIDTH_STEP - 1) / WIDTH_STEP * WIDTH_STEP;
}

// Writes the score function. An expression is put into a return statement. The caller's text begins
// on line 2, to which messages of the compiler refer.
static void put_score(struct cuc__text *t, const struct cuc__attention_kind *k, const char *score)
{
    bool statements = strstr(score, "return");

    cuc__text_put(t, "fn score_of(score, batch, head, row, column");
    for (uint32_t i = 0; i < k->side_count; i++)
        cuc__text_put(t, ", %s", k->sides[i].name);
    cuc__text_put(t, statements ? ") {\n%s\n}\n\n" : ") { return (\n%s\n) }\n\n", score);
}

// Writes the score function's parameters of the kernel.
static void put_sides(struct cuc__text *t, const struct cuc__attention_kind *k)
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

static void put_head(struct cuc__text *t, const struct cuc__attention_kind *k,
                     const struct cuc__attention_tile *tile)
{
    const char *b = k->variable ? "" : "B, ", *of = k->variable ? "ALL_" : "";

    cuc__text_put(t,
                  "kernel attention(q: T[%sHQ, %sSQ, D], k: T[%sHK, %sSK, D], v: T[%sHK, %sSK, "
                  "DV],\n                 o: T[%sHQ, %sSQ, DV], ",
                  b, of, b, of, b, of, b, of);
    if (k->lse)
        cuc__text_put(t, "lse: f32[%sHQ, %sSQ], ", b, of);
    if (k->sinks)
        cuc__text_put(t, "sinks: f32[HQ], ");
    if (k->variable)
        cuc__text_put(t, "query_offsets: i32[OFFSETS], key_offsets: i32[OFFSETS], most: i64,\n"
                         "                 ");
    put_sides(t, k);
    cuc__text_put(
        t, "scale: f32)\n    const T = %s, D = %d, DV = %d, W = %d, WV = %d, BM = %d, BN = %d",
        cuc_dtype_name(k->dtype), k->width, k->value_width, rounded(k->width),
        rounded(k->value_width), tile->queries, tile->keys);
    if (k->left)
        cuc__text_put(t, ", LEFT = %" PRId64, k->left);
    if (k->right)
        cuc__text_put(t, ", RIGHT = %" PRId64, k->right);
    cuc__text_put(t, "\n    where HQ %% HK == 0");
    if (k->variable)
        cuc__text_put(t, ", noalias(o, query_offsets), noalias(o, key_offsets)%s",
                      k->lse ? ", noalias(lse, query_offsets), noalias(lse, key_offsets)" : "");
    cuc__text_put(t, k->variable ? "\n    grid cdiv(most, BM), HQ, OFFSETS - 1\n{\n"
                                 : "\n    grid cdiv(SQ, BM), HQ, B\n{\n");
}

// Writes the lengths of a sequence. Its arrays are slices, whose loads are zero past the end. A
// pipeline cannot copy from slices, and loads at the sequence's offset.
static void put_sequence(struct cuc__text *t, const struct cuc__attention_kind *k, bool pipelined)
{
    cuc__text_put(t, "    q_at, q_end = query_offsets[b], query_offsets[b + 1]\n"
                     "    k_at, k_end = key_offsets[b], key_offsets[b + 1]\n"
                     "    SQ, SK = cast(q_end - q_at, i64), cast(k_end - k_at, i64)\n"
                     "    my_o = slice(o, 1, q_at, q_end)\n");
    if (k->lse)
        cuc__text_put(t, "    my_lse = slice(lse, 1, q_at, q_end)\n");
    if (!pipelined)
        cuc__text_put(t, "    my_q = slice(q, 1, q_at, q_end)\n"
                         "    my_k, my_v = slice(k, 1, k_at, k_end), slice(v, 1, k_at, k_end)\n");
}

// Writes "NAME = load(...)" for a tile of q, k or v.
static void put_load(struct cuc__text *t, const struct cuc__attention_kind *k, bool pipelined,
                     const char *name, char array)
{
    bool query = array == 'q';
    const char *head = query ? "h" : "g", *at = query ? "m" : "n", *rows = query ? "BM" : "BN";
    const char *width = array == 'v' ? "WV" : "W";

    if (!k->variable)
        cuc__text_put(t, "%s = load(%c, [b, %s, %s, 0], [_, _, %s, %s])\n", name, array, head, at,
                      rows, width);
    else if (!pipelined)
        cuc__text_put(t, "%s = load(my_%c, [%s, %s, 0], [_, %s, %s])\n", name, array, head, at,
                      rows, width);
    else
        cuc__text_put(t, "%s = load_at(%c, [%s, %s + %s * %s, 0], [_, %s, %s])\n", name, array,
                      head, query ? "q_at" : "k_at", at, rows, rows, width);
}

// Writes the range of steps: `from` is the diagonal key of the tile's first query.
static void put_range(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    const char *right = k->right ? " + RIGHT" : "";

    cuc__text_put(t, "    from = m * BM%s\n",
                  k->align == CUC_ATTENTION_BOTTOM_RIGHT ? " + SK - SQ" : "");
    cuc__text_put(t, k->left ? "    first = maximum(from - LEFT, 0) // BN\n" : "    first = 0\n");
    if (k->mask == CUC_ATTENTION_CAUSAL || k->right)
        cuc__text_put(t, "    last = minimum(cdiv(SK, BN), cdiv(from + BM%s, BN))\n", right);
    else
        cuc__text_put(t, "    last = cdiv(SK, BN)\n");
    if (k->variable)
        cuc__text_put(t, "    last = where(m * BM < SQ, last, 0)\n");
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

static void put_call(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    cuc__text_put(t,
                  "        column = cast(n * BN, i32) + iota(i32, BN)[None, :]\n"
                  "        s = score_of(s * scale, b + first_batch, h + first_head, row, column");
    for (uint32_t i = 0; i < k->side_count; i++)
        cuc__text_put(t, ", side_%s", k->sides[i].name);
    cuc__text_put(t, ")\n        s = cast(s, f32)\n");
}

char *cuc__attention_source(const struct cuc__attention_problem *q,
                            const struct cuc__attention_tile *tile)
{
    const struct cuc__attention_kind *k = &q->kind;
    struct cuc__text text = { .at = NULL }, *t = &text;
    bool masked = k->mask == CUC_ATTENTION_CAUSAL || k->left || k->right;

    if (q->score)
        put_score(t, k, q->score);
    put_head(t, k, tile);
    cuc__text_put(t,
                  "    m, h, b = block(0), block(1), block(2)\n"
                  "    g = h // (HQ // HK)\n"
                  "    c = %s1.4426950408889634  # weights are powers of two\n",
                  k->scored ? "" : "scale * ");
    if (k->variable)
        put_sequence(t, k, q->pipelined);
    put_range(t, k);
    put_load(t, k, q->pipelined, "    qt", 'q');
    if (masked)
        cuc__text_put(t, "    diagonal = from + iota(i32, BM)[:, None]\n");
    if (k->scored)
        cuc__text_put(t, "    row = cast(m * BM, i32) + iota(i32, BM)[:, None]\n");
    cuc__text_put(t, "    acc = zeros(f32, [BM, WV])\n");
    cuc__text_put(t, k->sinks ? "    sink = sinks[h] * 1.4426950408889634\n"
                                "    top = full(f32, [BM, 1], maximum(sink, -1e30))\n"
                                "    den = exp2(sink - top)\n"
                              : "    top = full(f32, [BM, 1], -1e30)\n"
                                "    den = zeros(f32, [BM, 1])\n");
    cuc__text_put(t, "    for n in first .. last {\n");
    put_load(t, k, q->pipelined, "        keys", 'k');
    cuc__text_put(t, "        s = mma(qt, trans(keys), zeros(f32, [BM, BN]))\n");
    if (k->scored)
        put_call(t, k);
    cuc__text_put(t, "        s = s * c\n"
                     "        col = n * BN + iota(i32, BN)[None, :]\n");
    put_mask(t, k);
    cuc__text_put(t, "        high = maximum(top, max(s, 1))\n"
                     "        p = exp2(s - high)\n"
                     "        fade = exp2(top - high)\n"
                     "        den = den * fade + sum(p, 1)\n");
    put_load(t, k, q->pipelined, "        values", 'v');
    cuc__text_put(t, "        acc = mma(cast(p, T), values, acc * fade)\n"
                     "        top = high\n"
                     "    }\n"
                     "    out = where(den == 0.0, 0.0, acc / den)  # NaN stays NaN\n");
    cuc__text_put(t, k->variable ? "    store(my_o, [h, m, 0], cast(out, T))\n"
                                 : "    store(o, [b, h, m, 0], cast(out, T))\n");
    if (k->lse)
        cuc__text_put(t,
                      "    sums = where(den == 0.0, -inf, (top + log2(den)) * "
                      "0.6931471805599453)\n"
                      "    store(%s, squeeze(sums, 1))\n",
                      k->variable ? "my_lse, [h, m]" : "lse, [b, h, m]");
    cuc__text_put(t, "}\n");
    if (!t->lost)
        return t->at;
    free(t->at);
    return NULL;
}
