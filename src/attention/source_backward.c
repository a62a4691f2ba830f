// Writes the tile program of cuc_attention_backward(). With weights p = exp(s - lse), the sums
// e = rows of d_o o, and w = p (d_o v' - e):
//
//     d_v = p' d_o,  d_q = scale w k,  d_k = scale w' q
//
// One kernel has a block for each tile of queries and runs over the keys, another one a block for
// each tile of keys and runs over the queries of all heads that share them. Both compute the
// weights again, and nothing is added up in memory.
//
// Products use an operand in two orders, for each of which the source loads it: a pipeline then has
// a ring for each order.
#include "attention.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>

enum { WIDTH_STEP = 16 };

static int32_t rounded(int32_t width)
{
    return (width + WIDTH_STEP - 1) / WIDTH_STEP * WIDTH_STEP;
}

// The tiles of both kernels: rows of the block's accumulators, and of a step. A warpgroup's
// accumulators have to fit in its registers.
struct tiles {
    int32_t queries, step_of_keys, keys, step_of_queries;
};

static struct tiles choose(const struct cuc__attention_problem *q)
{
    const struct cuc__attention_kind *k = &q->kind;
    int32_t widest = k->width > k->value_width ? k->width : k->value_width;

    if (!q->pipelined)
        return (struct tiles){ 64, widest > 128 ? 32 : 64, 64, widest > 64 ? 32 : 64 };
    return (struct tiles){ 128, widest > 128 ? 32 : 64, 128, widest > 64 ? 32 : 64 };
}

static void put_constants(struct cuc__text *t, const struct cuc__attention_kind *k, int32_t queries,
                          int32_t keys)
{
    cuc__text_put(t, "    const T = %s, D = %d, DV = %d, W = %d, WV = %d, BM = %d, BN = %d",
                  cuc_dtype_name(k->dtype), k->width, k->value_width, rounded(k->width),
                  rounded(k->value_width), queries, keys);
    if (k->left)
        cuc__text_put(t, ", LEFT = %" PRId64, k->left);
    if (k->right)
        cuc__text_put(t, ", RIGHT = %" PRId64, k->right);
    cuc__text_put(t, "\n");
}

static void put_arrays(struct cuc__text *t)
{
    cuc__text_put(t, "q: T[B, HQ, SQ, D], k: T[B, HK, SK, D], v: T[B, HK, SK, DV],\n"
                     "                d_o: T[B, HQ, SQ, DV], lse: f32[B, HQ, SQ], sums: f32[B, HQ, "
                     "SQ],\n                ");
}

static const char *offset_of(const struct cuc__attention_kind *k)
{
    return k->align == CUC_ATTENTION_BOTTOM_RIGHT ? " + SK - SQ" : "";
}

static bool ends_at_diagonal(const struct cuc__attention_kind *k)
{
    return k->mask == CUC_ATTENTION_CAUSAL || k->right;
}

// Writes the comparisons of keys with the diagonal.
static void put_mask(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    if (ends_at_diagonal(k))
        cuc__text_put(t, "        see = see & (key <= diagonal%s)\n", k->right ? " + RIGHT" : "");
    if (k->left)
        cuc__text_put(t, "        see = see & (key >= diagonal - LEFT)\n");
}

static void put_sums(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    enum { ROWS = 64 };

    cuc__text_put(t, "kernel sums_of_rows(o: T[B, HQ, SQ, DV], d_o: T[B, HQ, SQ, DV], "
                     "sums: f32[B, HQ, SQ])\n");
    put_constants(t, k, ROWS, 1);
    cuc__text_put(t, "    grid cdiv(SQ, BM), HQ, B\n{\n"
                     "    m, h, b = block(0), block(1), block(2)\n"
                     "    x = cast(load(o, [b, h, m, 0], [_, _, BM, WV]), f32)\n"
                     "    y = cast(load(d_o, [b, h, m, 0], [_, _, BM, WV]), f32)\n"
                     "    store(sums, [b, h, m], squeeze(sum(x * y, 1), 1))\n}\n\n");
}

static void put_queries(struct cuc__text *t, const struct cuc__attention_kind *k,
                        const struct tiles *tiles)
{
    cuc__text_put(t, "kernel gradient_of_queries(");
    put_arrays(t);
    cuc__text_put(t, "d_q: T[B, HQ, SQ, D], scale: f32)\n");
    put_constants(t, k, tiles->queries, tiles->step_of_keys);
    cuc__text_put(t,
                  "    where HQ %% HK == 0\n"
                  "    grid cdiv(SQ, BM), HQ, B\n{\n"
                  "    m, h, b = block(0), block(1), block(2)\n"
                  "    g = h // (HQ // HK)\n"
                  "    c = scale * 1.4426950408889634\n"
                  "    from = m * BM%s\n",
                  offset_of(k));
    cuc__text_put(t, k->left ? "    first = maximum(from - LEFT, 0) // BN\n" : "    first = 0\n");
    cuc__text_put(t, "    last = cdiv(SK, BN)\n");
    if (ends_at_diagonal(k))
        cuc__text_put(t, "    last = minimum(last, cdiv(from + BM%s, BN))\n",
                      k->right ? " + RIGHT" : "");
    cuc__text_put(t, "    x = load(q, [b, h, m, 0], [_, _, BM, W])\n"
                     "    y = load(d_o, [b, h, m, 0], [_, _, BM, WV])\n"
                     "    l = load(lse, [b, h, m], [_, _, BM])[:, None] * 1.4426950408889634\n"
                     "    e = load(sums, [b, h, m], [_, _, BM])[:, None]\n"
                     "    diagonal = from + iota(i32, BM)[:, None]\n"
                     "    acc = zeros(f32, [BM, W])\n"
                     "    for n in first .. last {\n"
                     "        s = mma(x, trans(load(k, [b, g, n, 0], [_, _, BN, W])), "
                     "zeros(f32, [BM, BN])) * c\n"
                     "        d = mma(y, trans(load(v, [b, g, n, 0], [_, _, BN, WV])), "
                     "zeros(f32, [BM, BN]))\n"
                     "        key = n * BN + iota(i32, BN)[None, :]\n"
                     "        see = key < SK\n");
    put_mask(t, k);
    cuc__text_put(t, "        p = where(see, exp2(s - l), 0.0)\n"
                     "        w = cast(p * (d - e), T)\n"
                     "        acc = mma(w, load(k, [b, g, n, 0], [_, _, BN, W]), acc)\n"
                     "    }\n"
                     "    store(d_q, [b, h, m, 0], cast(acc * scale, T))\n}\n\n");
}

// Writes the kernel over the keys. Its tiles are transposed: rows are keys. Rows of queries past
// the end are 0 in q and d_o, and so in the sums. The steps of all heads that share the keys are
// one loop.
static void put_keys(struct cuc__text *t, const struct cuc__attention_kind *k,
                     const struct tiles *tiles)
{
    bool masked = ends_at_diagonal(k) || k->left;
    const char *back = k->align == CUC_ATTENTION_BOTTOM_RIGHT ? " - SK + SQ" : "";

    cuc__text_put(t, "kernel gradients_of_keys(");
    put_arrays(t);
    cuc__text_put(t, "d_k: T[B, HK, SK, D], d_v: T[B, HK, SK, DV], scale: f32)\n");
    put_constants(t, k, tiles->step_of_queries, tiles->keys);
    cuc__text_put(t, "    where HQ %% HK == 0\n"
                     "    grid cdiv(SK, BN), HK, B\n{\n"
                     "    n, g, b = block(0), block(1), block(2)\n"
                     "    c = scale * 1.4426950408889634\n");
    // Query i has the diagonal key i + offset.
    if (ends_at_diagonal(k))
        cuc__text_put(t, "    first = maximum(n * BN%s%s, 0) // BM\n", back,
                      k->right ? " - RIGHT" : "");
    else
        cuc__text_put(t, "    first = 0\n");
    cuc__text_put(t, "    last = cdiv(SQ, BM)\n");
    if (k->left)
        cuc__text_put(t, "    last = minimum(last, cdiv(n * BN + BN + LEFT%s, BM))\n", back);
    cuc__text_put(t, "    steps = maximum(last - first, 0)\n"
                     "    x = load(k, [b, g, n, 0], [_, _, BN, W])\n"
                     "    y = load(v, [b, g, n, 0], [_, _, BN, WV])\n"
                     "    acc_k, acc_v = zeros(f32, [BN, W]), zeros(f32, [BN, WV])\n");
    if (masked)
        cuc__text_put(t, "    key = n * BN + iota(i32, BN)[:, None]\n");
    cuc__text_put(t, "    for i in 0 .. steps * (HQ // HK) {\n"
                     "        h = g * (HQ // HK) + i // maximum(steps, 1)\n"
                     "        m = first + i %% maximum(steps, 1)\n"
                     "        l = load(lse, [b, h, m], [_, _, BM]) * 1.4426950408889634\n"
                     "        e = load(sums, [b, h, m], [_, _, BM])\n"
                     "        s = mma(x, trans(load(q, [b, h, m, 0], [_, _, BM, W])), "
                     "zeros(f32, [BN, BM])) * c\n"
                     "        p = exp2(s - l)\n");
    if (masked) {
        cuc__text_put(t,
                      "        diagonal = m * BM%s + iota(i32, BM)[None, :]\n"
                      "        see = true\n",
                      offset_of(k));
        put_mask(t, k);
        cuc__text_put(t, "        p = where(see, p, 0.0)\n");
    }
    cuc__text_put(t, "        acc_v = mma(cast(p, T), load(d_o, [b, h, m, 0], [_, _, BM, WV]), "
                     "acc_v)\n"
                     "        d = mma(y, trans(load(d_o, [b, h, m, 0], [_, _, BM, WV])), "
                     "zeros(f32, [BN, BM]))\n"
                     "        w = cast(p * (d - e), T)\n"
                     "        acc_k = mma(w, load(q, [b, h, m, 0], [_, _, BM, W]), acc_k)\n"
                     "    }\n"
                     "    store(d_k, [b, g, n, 0], cast(acc_k * scale, T))\n"
                     "    store(d_v, [b, g, n, 0], cast(acc_v, T))\n}\n");
}

char *cuc__attention_backward_source(const struct cuc__attention_problem *q)
{
    struct cuc__text text = { .at = NULL }, *t = &text;
    struct tiles tiles = choose(q);

    put_sums(t, &q->kind);
    put_queries(t, &q->kind, &tiles);
    put_keys(t, &q->kind, &tiles);
    if (!t->lost)
        return t->at;
    free(t->at);
    return NULL;
}
