// Writes the tile program of cuc_attention_backward(). With weights p = exp(s - lse), the sums
// e = rows of d_o o, and w = p (d_o v' - e):
//
//     d_v = p' d_o,  d_q = scale w k,  d_k = scale w' q
//
// d_q has a kernel with a block for each tile of queries, which runs over the keys. d_k and d_v
// share a kernel with a block for each tile of keys, which runs over the queries of all heads that
// share them. With a score function, or if the accumulators of both do not fit in registers, they
// have a kernel each. All kernels compute the weights again, and nothing is added up in memory.
//
// With a score function, p = exp(score_of(s) - lse), and w passes its derivative; masks apply after
// it, since it may have any value where they hide a key.
//
// The gradient of a sink is -sum exp(sink - lse) e over all rows. The gradient of a side array is a
// sum of contributions of scores. The kernel of d_q adds up those of each row, and a kernel like
// that of d_k those of each column; another kernel adds up rows or columns. For an array that both
// rows and columns index, a kernel has a block for each tile of scores.
//
// Products use a tile in two orders, for each of which the source loads it.
#include "attention.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The tiles of the kernels: rows of the block's accumulators, and of a step. A warpgroup's
// accumulators have to fit in its registers, and two steps in shared memory.
struct tiles {
    int32_t rows, step;
};

// Registers of a thread for the accumulators of both, for the two products of a step, and for
// operands.
enum { MOST_REGISTERS = 208 };

static int32_t accumulators_of_both(const struct cuc__attention_kind *k)
{
    return (cuc__attention_padded(k->width) + cuc__attention_padded(k->value_width)) / 2;
}

// Returns the most queries in a step of a kernel for both d_k and d_v, or 0 if there is none.
static int32_t step_of_both(const struct cuc__attention_kind *k)
{
    enum { LARGEST = 64, SMALLEST = 32 };

    for (int32_t step = LARGEST; step >= SMALLEST; step /= 2)
        if (accumulators_of_both(k) + step + step / 4 <= MOST_REGISTERS)
            return step;
    return 0;
}

static struct tiles choose(const struct cuc__attention_problem *q, bool pipelined)
{
    const struct cuc__attention_kind *k = &q->kind;
    int32_t widest = k->width > k->value_width ? k->width : k->value_width;

    // The kernels of keys have transposed tiles. A score function that depends on the order of a
    // tile's axes does not compile for them, since the axes differ in length.
    if (!pipelined)
        return (struct tiles){ 64, widest > 64 || k->scored ? 32 : 64 };
    return (struct tiles){ 128, widest > 192 ? 16 : widest > 128 ? 32 : 64 };
}

// Returns the tiles of the kernel of d_q. At a width of up to 64 the registers suffice for three
// warpgroups, of which one multiplies while the others work, if there are enough tiles.
static struct tiles choose_queries(const struct cuc__attention_problem *q,
                                   const struct tiles *others)
{
    enum { NARROW = 64, ROWS = 192 };
    const struct cuc__attention_shape *s = &q->shape;
    struct tiles tiles = *others;

    if (!q->pipelined || q->kind.scored || q->kind.width > NARROW || q->kind.value_width > NARROW)
        return tiles;
    double count = (double)s->batch * (double)s->heads * (double)((s->queries + ROWS - 1) / ROWS);
    if (!s->batch || !s->heads || !s->queries || count >= q->multiprocessors)
        tiles.rows = ROWS;
    return tiles;
}

static void put_constants(struct cuc__text *t, const struct cuc__attention_kind *k, int32_t queries,
                          int32_t keys)
{
    cuc__text_put(t, "    const T = %s, D = %d, DV = %d, W = %d, WV = %d, BM = %d, BN = %d",
                  cuc_dtype_name(k->dtype), k->width, k->value_width,
                  cuc__attention_padded(k->width), cuc__attention_padded(k->value_width), queries,
                  keys);
    if (k->left)
        cuc__text_put(t, ", LEFT = %" PRId64, k->left);
    if (k->right)
        cuc__text_put(t, ", RIGHT = %" PRId64, k->right);
    cuc__text_put(t, "\n");
}

static const char *batch_axis(const struct cuc__attention_kind *k)
{
    return k->variable ? "" : "B, ";
}

static const char *all(const struct cuc__attention_kind *k)
{
    return k->variable ? "ALL_" : "";
}

// Writes the arrays that kernels read; the kernel of d_v needs neither v nor the sums.
static void put_arrays(struct cuc__text *t, const struct cuc__attention_kind *k, bool values)
{
    const char *b = batch_axis(k), *of = all(k);

    cuc__text_put(t,
                  "q: T[%sHQ, %sSQ, D], k: T[%sHK, %sSK, D], d_o: T[%sHQ, %sSQ, DV],\n"
                  "                lse: f32[%sHQ, %sSQ], ",
                  b, of, b, of, b, of, b, of);
    if (!values)
        cuc__text_put(t, "v: T[%sHK, %sSK, DV], sums: f32[%sHQ, %sSQ],\n                ", b, of, b,
                      of);
    if (k->variable)
        cuc__text_put(t, "query_offsets: i32[OFFSETS], key_offsets: i32[OFFSETS], most: i64, ");
    cuc__attention_put_sides(t, k);
}

// Writes the facts that a result overlaps no numbers that threads read by themselves. Without them,
// all warps of a block would wait for each other before they store the result.
static void put_noalias(struct cuc__text *t, const struct cuc__attention_kind *k,
                        const char *result, bool sums)
{
    cuc__text_put(t, ", noalias(%s, lse)", result);
    if (sums)
        cuc__text_put(t, ", noalias(%s, sums)", result);
    if (k->variable)
        cuc__text_put(t, ", noalias(%s, query_offsets), noalias(%s, key_offsets)", result, result);
    for (uint32_t i = 0; i < k->side_count; i++)
        cuc__text_put(t, ", noalias(%s, side_%s)", result, k->sides[i].name);
}

// Writes the facts, the grid and the lengths of a sequence. `result` is the kernel's result, whose
// axis of the sequence is that of queries or of keys. Only the kernel of d_v alone has no sums.
static void put_start(struct cuc__text *t, const struct cuc__attention_kind *k, const char *result,
                      bool queries, bool key_heads, bool values_too)
{
    const char *step = queries ? "BM" : "BN", *heads = key_heads ? "HK" : "HQ";

    cuc__text_put(t, "    where HQ %% HK == 0");
    put_noalias(t, k, result, strcmp(result, "d_v") != 0);
    if (values_too)
        put_noalias(t, k, "d_v", true);
    if (k->variable)
        cuc__text_put(t, "\n    grid cdiv(most, %s), %s, OFFSETS - 1\n{\n", step, heads);
    else
        cuc__text_put(t, "\n    grid cdiv(%s, %s), %s, B\n{\n", queries ? "SQ" : "SK", step, heads);
    cuc__text_put(t, "    %c, %c, b = block(0), block(1), block(2)\n", queries ? 'm' : 'n',
                  key_heads ? 'g' : 'h');
    if (!key_heads)
        cuc__text_put(t, "    g = h // (HQ // HK)\n");
    if (!k->scored)
        cuc__text_put(t, "    c = scale * 1.4426950408889634\n");
    if (k->variable)
        cuc__text_put(t,
                      "    q_at, q_end = query_offsets[b], query_offsets[b + 1]\n"
                      "    k_at, k_end = key_offsets[b], key_offsets[b + 1]\n"
                      "    SQ, SK = cast(q_end - q_at, i64), cast(k_end - k_at, i64)\n"
                      "    result = slice(%s, 1, %s)\n",
                      result, queries ? "q_at, q_end" : "k_at, k_end");
}

// Writes the load of a tile: of queries (q, d_o), of keys (k, v) or of numbers of queries.
static void put_load(struct cuc__text *t, const struct cuc__attention_kind *k, const char *array,
                     const char *width)
{
    bool keys = strcmp(array, "k") == 0 || strcmp(array, "v") == 0;
    const char *head = keys ? "g" : "h", *at = keys ? "n" : "m", *rows = keys ? "BN" : "BM";
    const char *last = width ? ", 0" : "", *comma = width ? ", " : "";

    if (!width)
        width = "";
    if (k->variable)
        cuc__text_put(t, "load_at(%s, [%s, %c_at + %s * %s%s], [_, %s%s%s])", array, head,
                      keys ? 'k' : 'q', at, rows, last, rows, comma, width);
    else
        cuc__text_put(t, "load(%s, [b, %s, %s%s], [_, _, %s%s%s])", array, head, at, last, rows,
                      comma, width);
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

// Writes the end of the statement that computes the products s of a tile of the given shape, and
// their scores r.
static void put_scores(struct cuc__text *t, const struct cuc__attention_kind *k, const char *shape)
{
    if (!k->scored) {
        cuc__text_put(t, " * c\n");
        return;
    }
    cuc__text_put(t, " * scale\n        r = broadcast(cast(");
    cuc__attention_put_call(t, k, "s");
    cuc__text_put(t, ", f32), %s)\n", shape);
}

// Ends the statement that computes l. A row that sees no key has an lse of -inf, which would give
// its weights exp2(-inf - -inf).
static void put_end_of_lse(struct cuc__text *t, const struct cuc__attention_kind *k,
                           const char *indent)
{
    cuc__text_put(t, " * 1.4426950408889634\n");
    if (k->scored)
        cuc__text_put(t, "%sl = where(l == -inf, inf, l)\n", indent);
}

static void put_sums(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    enum { ROWS = 64 };
    const char *b = batch_axis(k), *at = k->variable ? "" : "b, ", *one = k->variable ? "" : "_, ";

    cuc__text_put(t,
                  "kernel sums_of_rows(o: T[%sHQ, SQ, DV], d_o: T[%sHQ, SQ, DV], "
                  "sums: f32[%sHQ, SQ])\n",
                  b, b, b);
    put_constants(t, k, ROWS, 1);
    cuc__text_put(t, "    grid cdiv(SQ, BM), HQ%s\n{\n    m, h%s = block(0), block(1)%s\n",
                  k->variable ? "" : ", B", k->variable ? "" : ", b",
                  k->variable ? "" : ", block(2)");
    cuc__text_put(t,
                  "    x = cast(load(o, [%sh, m, 0], [%s_, BM, WV]), f32)\n"
                  "    y = cast(load(d_o, [%sh, m, 0], [%s_, BM, WV]), f32)\n"
                  "    store(sums, [%sh, m], squeeze(sum(x * y, 1), 1))\n}\n\n",
                  at, one, at, one, at);
}

// ---- Side arrays that train

// The indices of a side array.
struct indexed {
    const struct cuc__attention_side *side;
    uint32_t number;
    bool batch, head, row, column;
};

static struct indexed indices_of(const struct cuc__attention_kind *k, uint32_t number)
{
    const struct cuc__attention_side *s = &k->sides[number];

    return (struct indexed){ s,
                             number,
                             cuc__attention_axis(s, CUC__ATTENTION_BATCH) >= 0,
                             cuc__attention_axis(s, CUC__ATTENTION_HEAD) >= 0,
                             cuc__attention_axis(s, CUC__ATTENTION_ROW) >= 0,
                             cuc__attention_axis(s, CUC__ATTENTION_COLUMN) >= 0 };
}

// Writes a list with a text for each axis of a side array, by the axis's index.
static void put_by_index(struct cuc__text *t, const struct indexed *x,
                         const char *const of[CUC__ATTENTION_INDICES])
{
    cuc__text_put(t, "[");
    for (int32_t i = 0; i < x->side->rank; i++)
        cuc__text_put(t, "%s%s", i ? ", " : "", of[x->side->index[i]]);
    cuc__text_put(t, "]");
}

static void put_gradient_at(struct cuc__text *t, const struct indexed *x, const char *of_score)
{
    static const char *const at[] = { "b + first_batch", "h + first_head", "row", "column" };

    cuc__text_put(t, "gradient_at(r, side_%s, ", x->side->name);
    put_by_index(t, x, at);
    cuc__text_put(t, ", %s, each=true)", of_score);
}

static void put_result(struct cuc__text *t, const struct indexed *x)
{
    cuc__text_put(t, "d_side: %s[", cuc_dtype_name(x->side->dtype));
    for (int32_t i = 0; i < x->side->rank; i++)
        cuc__text_put(t, "%sY%d", i ? ", " : "", i);
    cuc__text_put(t, "], ");
}

// Writes the store of a total. If batches or heads are launched in pieces, later ones add to it.
static void put_total(struct cuc__text *t, const struct indexed *x,
                      const char *const at[CUC__ATTENTION_INDICES])
{
    static const char *const extents[] = { "_", "_", "BM", "BN" };

    cuc__text_put(t, "    if again != 0 { total += cast(load(d_side, ");
    put_by_index(t, x, at);
    cuc__text_put(t, ", ");
    put_by_index(t, x, extents);
    cuc__text_put(t, "), f32) }\n    store(d_side, ");
    put_by_index(t, x, at);
    cuc__text_put(t, ", cast(total, %s), shape=", cuc_dtype_name(x->side->dtype));
    put_by_index(t, x, extents);
    cuc__text_put(t, ")\n}\n\n");
}

// Write the numbers that gradients of side arrays add up, in kernels of d_q and of columns: their
// parameters, their beginnings, their summands of a step and their stores.
static void put_parts(struct cuc__text *t, const struct cuc__attention_kind *k,
                      enum cuc__attention_summands summands)
{
    for (uint32_t i = 0; i < k->side_count; i++)
        if (cuc__attention_summands(&k->sides[i]) == summands)
            cuc__text_put(t, "part_%u: f32[%sHQ, %s%s], ", i, batch_axis(k), all(k),
                          summands == CUC__ATTENTION_OF_ROWS ? "SQ" : "SK");
}

static void put_part_zeros(struct cuc__text *t, const struct cuc__attention_kind *k,
                           enum cuc__attention_summands summands)
{
    for (uint32_t i = 0; i < k->side_count; i++)
        if (cuc__attention_summands(&k->sides[i]) == summands)
            cuc__text_put(t, "    acc_%u = zeros(f32, [%s, 1])\n", i,
                          summands == CUC__ATTENTION_OF_ROWS ? "BM" : "BN");
}

static void put_part_steps(struct cuc__text *t, const struct cuc__attention_kind *k,
                           enum cuc__attention_summands summands)
{
    for (uint32_t i = 0; i < k->side_count; i++) {
        struct indexed x = indices_of(k, i);
        if (cuc__attention_summands(x.side) != summands)
            continue;
        cuc__text_put(t, "        acc_%u += sum(where(see, ", i);
        put_gradient_at(t, &x, "w");
        cuc__text_put(t, ", 0.0), 1)\n");
    }
}

static void put_part_stores(struct cuc__text *t, const struct cuc__attention_kind *k,
                            enum cuc__attention_summands summands)
{
    bool rows = summands == CUC__ATTENTION_OF_ROWS;

    for (uint32_t i = 0; i < k->side_count; i++) {
        if (cuc__attention_summands(&k->sides[i]) != summands)
            continue;
        if (k->variable)
            cuc__text_put(t, "    store(slice(part_%u, 1, %s), [h, %c], squeeze(acc_%u, 1))\n", i,
                          rows ? "q_at, q_end" : "k_at, k_end", rows ? 'm' : 'n', i);
        else
            cuc__text_put(t, "    store(part_%u, [b, h, %c], squeeze(acc_%u, 1))\n", i,
                          rows ? 'm' : 'n', i);
    }
}

// ---- The kernels

// Writes the range of steps of a tile of queries, its loads, and its indices.
static void put_query_tile(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    cuc__text_put(t, "    from = m * BM%s\n", offset_of(k));
    cuc__text_put(t, k->left ? "    first = maximum(from - LEFT, 0) // BN\n" : "    first = 0\n");
    cuc__text_put(t, "    last = cdiv(SK, BN)\n");
    if (ends_at_diagonal(k))
        cuc__text_put(t, "    last = minimum(last, cdiv(from + BM%s, BN))\n",
                      k->right ? " + RIGHT" : "");
    if (k->variable)
        cuc__text_put(t, "    last = where(m * BM < SQ, last, 0)\n");
    cuc__text_put(t, "    x = ");
    put_load(t, k, "q", "W");
    cuc__text_put(t, "\n    y = ");
    put_load(t, k, "d_o", "WV");
    cuc__text_put(t, "\n    l = ");
    put_load(t, k, "lse", NULL);
    cuc__text_put(t, "[:, None]");
    put_end_of_lse(t, k, "    ");
    cuc__text_put(t, "    e = ");
    put_load(t, k, "sums", NULL);
    cuc__text_put(t, "[:, None]\n"
                     "    diagonal = from + iota(i32, BM)[:, None]\n");
    if (k->scored)
        cuc__text_put(t, "    row = cast(m * BM, i32) + iota(i32, BM)[:, None]\n");
}

// Writes the scores of a step, the gradient d of its weights, and the keys that are seen.
static void put_query_step(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    if (k->scored)
        cuc__text_put(t, "        column = cast(n * BN, i32) + iota(i32, BN)[None, :]\n");
    cuc__text_put(t, "        s = mma(x, trans(");
    put_load(t, k, "k", "W");
    cuc__text_put(t, "), zeros(f32, [BM, BN]))");
    put_scores(t, k, "[BM, BN]");
    cuc__text_put(t, "        d = mma(y, trans(");
    put_load(t, k, "v", "WV");
    cuc__text_put(t, "), zeros(f32, [BM, BN]))\n"
                     "        key = n * BN + iota(i32, BN)[None, :]\n"
                     "        see = key < SK\n");
    put_mask(t, k);
}

// Writes the kernel of d_q, which also adds up contributions to the gradients of side arrays.
static void put_queries(struct cuc__text *t, const struct cuc__attention_kind *k,
                        const struct tiles *tiles)
{
    cuc__text_put(t, "kernel gradient_of_queries(");
    put_arrays(t, k, false);
    cuc__text_put(t, "d_q: T[%sHQ, %sSQ, D], ", batch_axis(k), all(k));
    put_parts(t, k, CUC__ATTENTION_OF_ROWS);
    cuc__text_put(t, "scale: f32)\n");
    put_constants(t, k, tiles->rows, tiles->step);
    put_start(t, k, "d_q", true, false, false);
    put_query_tile(t, k);
    cuc__text_put(t, "    acc = zeros(f32, [BM, W])\n");
    put_part_zeros(t, k, CUC__ATTENTION_OF_ROWS);
    cuc__text_put(t, "    for n in first .. last {\n");
    put_query_step(t, k);
    if (k->scored) {
        cuc__text_put(t, "        w = exp2(r * 1.4426950408889634 - l) * (d - e)\n");
        put_part_steps(t, k, CUC__ATTENTION_OF_ROWS);
        cuc__text_put(t, "        w = cast(where(see, gradient(r, s, w), 0.0), T)\n");
    } else {
        cuc__text_put(t, "        p = where(see, exp2(s - l), 0.0)\n"
                         "        w = cast(p * (d - e), T)\n");
    }
    cuc__text_put(t, "        acc = mma(w, ");
    put_load(t, k, "k", "W");
    cuc__text_put(t, ", acc)\n    }\n    store(%s, 0], cast(acc * scale, T))\n",
                  k->variable ? "result, [h, m" : "d_q, [b, h, m");
    put_part_stores(t, k, CUC__ATTENTION_OF_ROWS);
    cuc__text_put(t, "}\n\n");
}

// The kernels of transposed tiles, whose rows are keys.
enum of_keys { KEYS, VALUES, COLUMNS };

// Writes the range of steps of a tile of keys, its loads, and its indices.
static void put_key_tile(struct cuc__text *t, const struct cuc__attention_kind *k,
                         enum of_keys what)
{
    const char *back = k->align == CUC_ATTENTION_BOTTOM_RIGHT ? " - SK + SQ" : "";

    // Query i has the diagonal key i + offset.
    if (ends_at_diagonal(k))
        cuc__text_put(t, "    first = maximum(n * BN%s%s, 0) // BM\n", back,
                      k->right ? " - RIGHT" : "");
    else
        cuc__text_put(t, "    first = 0\n");
    cuc__text_put(t, "    last = cdiv(SQ, BM)\n");
    if (k->left)
        cuc__text_put(t, "    last = minimum(last, cdiv(n * BN + BN + LEFT%s, BM))\n", back);
    if (k->variable)
        cuc__text_put(t, "    last = where(n * BN < SK, last, 0)\n");
    cuc__text_put(t, "    x = ");
    put_load(t, k, "k", "W");
    if (what != VALUES) {
        cuc__text_put(t, "\n    y = ");
        put_load(t, k, "v", "WV");
    }
    cuc__text_put(t, "\n");
    if (ends_at_diagonal(k) || k->left)
        cuc__text_put(t, "    key = n * BN + iota(i32, BN)[:, None]\n");
    if (k->scored)
        cuc__text_put(t, "    column = cast(n * BN, i32) + iota(i32, BN)[:, None]\n");
}

// Writes the scores of a step of queries, the gradient d of its weights, and the keys that are
// seen. Queries past the arrays' end are 0 in q and d_o, and so in the sums, but may have any
// score.
static void put_key_step(struct cuc__text *t, const struct cuc__attention_kind *k,
                         enum of_keys what)
{
    bool masked = ends_at_diagonal(k) || k->left;

    if (k->scored)
        cuc__text_put(t, "        row = cast(m * BM, i32) + iota(i32, BM)[None, :]\n");
    cuc__text_put(t, "        l = ");
    put_load(t, k, "lse", NULL);
    put_end_of_lse(t, k, "        ");
    cuc__text_put(t, "        s = mma(x, trans(");
    put_load(t, k, "q", "W");
    cuc__text_put(t, "), zeros(f32, [BN, BM]))");
    put_scores(t, k, "[BN, BM]");
    if (what != VALUES) {
        cuc__text_put(t, "        d = mma(y, trans(");
        put_load(t, k, "d_o", "WV");
        cuc__text_put(t, "), zeros(f32, [BN, BM]))\n        e = ");
        put_load(t, k, "sums", NULL);
        cuc__text_put(t, "\n");
    }
    cuc__text_put(t, k->scored ? "        p = exp2(r * 1.4426950408889634 - l)\n"
                               : "        p = exp2(s - l)\n");
    if (masked || k->variable || k->scored)
        cuc__text_put(t, "        query = m * BM + iota(i32, BM)[None, :]\n        see = %s\n",
                      k->variable || k->scored ? "query < SQ" : "true");
    if (masked) {
        cuc__text_put(t, "        diagonal = query%s\n", offset_of(k));
        put_mask(t, k);
    }
}

// Writes the load of a number for each query of a step; no name: writes nothing.
static void put_numbers(struct cuc__text *t, const struct cuc__attention_kind *k, const char *name,
                        const char *array)
{
    if (!name)
        return;
    cuc__text_put(t, "        %s = ", name);
    put_load(t, k, array, NULL);
    cuc__text_put(t, "\n");
}

// Writes the mask of a step, for steps in which it hides something.
static void put_mask_of_step(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    const char *offset = offset_of(k), * or = "";

    cuc__text_put(t, "        if ");
    if (k->variable) {
        cuc__text_put(t, "m * BM + BM > SQ");
        or = " or ";
    }
    if (ends_at_diagonal(k)) {
        cuc__text_put(t, "%sn * BN + BN - 1 > m * BM%s%s", or, offset, k->right ? " + RIGHT" : "");
        or = " or ";
    }
    if (k->left)
        cuc__text_put(t, "%sn * BN < m * BM + BM - 1%s - LEFT", or, offset);
    cuc__text_put(t, " {\n        query = m * BM + iota(i32, BM)[None, :]\n        see = %s\n",
                  k->variable ? "query < SQ" : "true");
    if (ends_at_diagonal(k) || k->left) {
        cuc__text_put(t, "        diagonal = query%s\n", offset);
        put_mask(t, k);
    }
    cuc__text_put(t, "        p = where(see, p, 0.0)\n        }\n");
}

// Writes the beginning of the loop over the steps of all heads that share the keys. The division by
// `steps` is a multiplication, exact up to 2^46 steps times steps of all heads: ptxas calls a
// function for a division of 64 bits. Versions of the work are selected by bounds of 64 bits.
static void put_steps_of_heads(struct cuc__text *t, bool versions)
{
    cuc__text_put(t, "    steps = maximum(last - first, 0)\n"
                     "    part, start, each = cdiv(1 << 46, maximum(steps, 1)), cast(first, i32), "
                     "cast(steps, i32)\n"
                     "    for i in 0 .. cast(steps * (HQ // HK), i32) {\n"
                     "        head = cast((cast(i, i64) * part) >> 46, i32)\n");
    cuc__text_put(t, versions ? "        h = g * (HQ // HK) + cast(head, i64)\n"
                                "        m = cast(start + i - head * each, i64)\n"
                              : "        h = cast(g * (HQ // HK), i32) + head\n"
                                "        m = start + i - head * each\n");
}

// Writes the kernel of d_k and d_v. The steps of all heads that
// share the keys are one loop. Both operands a of the last products are computed before these
// products: pipelines compute them while no product runs.
static void put_joint(struct cuc__text *t, const struct cuc__attention_kind *k,
                      const struct tiles *tiles)
{
    const char *b = batch_axis(k), *of = all(k), *at = k->variable ? "" : "b, ";

    cuc__text_put(t, "kernel gradients_of_keys_and_values(");
    put_arrays(t, k, false);
    cuc__text_put(t, "d_k: T[%sHK, %sSK, D], d_v: T[%sHK, %sSK, DV], scale: f32)\n", b, of, b, of);
    put_constants(t, k, tiles->step, tiles->rows);
    put_start(t, k, "d_k", false, true, true);
    put_key_tile(t, k, KEYS);
    cuc__text_put(t, "    acc_k, acc_v = zeros(f32, [BN, W]), zeros(f32, [BN, WV])\n");
    put_steps_of_heads(t, false);
    put_numbers(t, k, "l", "lse");
    cuc__text_put(t, "        s = mma(x, trans(");
    put_load(t, k, "q", "W");
    cuc__text_put(t, "), zeros(f32, [BN, BM])) * c\n        d = mma(y, trans(");
    put_load(t, k, "d_o", "WV");
    cuc__text_put(t, "), zeros(f32, [BN, BM]))\n");
    put_numbers(t, k, "e", "sums");
    cuc__text_put(t, "        p = exp2(s - l * 1.4426950408889634)\n");
    if (ends_at_diagonal(k) || k->left || k->variable)
        put_mask_of_step(t, k);
    cuc__text_put(t, "        w = p * (d - e)\n");
    // Numbers of queries of no sequence may be NaN.
    if (k->variable)
        cuc__text_put(t, "        if m * BM + BM > SQ or n * BN + BN > SK {\n"
                         "            see = m * BM + iota(i32, BM)[None, :] < SQ\n"
                         "            see = see & (n * BN + iota(i32, BN)[:, None] < SK)\n"
                         "            w = where(see, w, 0.0)\n"
                         "        }\n");
    cuc__text_put(t, "        u = cast(w, T)\n        acc_v = mma(cast(p, T), ");
    put_load(t, k, "d_o", "WV");
    cuc__text_put(t, ", acc_v)\n        acc_k = mma(u, ");
    put_load(t, k, "q", "W");
    cuc__text_put(t, ", acc_k)\n    }\n    store(%s, [%sg, n, 0], cast(acc_k * scale, T))\n",
                  k->variable ? "result" : "d_k", at);
    cuc__text_put(t, "    store(%s, [%sg, n, 0], cast(acc_v, T))\n}\n\n",
                  k->variable ? "slice(d_v, 1, k_at, k_end)" : "d_v", at);
}

// Writes the kernel of d_v, or of d_k. Queries of the next sequence are masked. The steps of all
// heads that share the keys are one loop.
static void put_keys(struct cuc__text *t, const struct cuc__attention_kind *k,
                     const struct tiles *tiles, enum of_keys what)
{
    bool values = what == VALUES;
    bool see = ends_at_diagonal(k) || k->left || k->variable || k->scored;

    cuc__text_put(t, "kernel gradient_of_%s(", values ? "values" : "keys");
    put_arrays(t, k, values);
    cuc__text_put(t, "%s: T[%sHK, %sSK, %s], scale: f32)\n", values ? "d_v" : "d_k", batch_axis(k),
                  all(k), values ? "DV" : "D");
    put_constants(t, k, tiles->step, tiles->rows);
    put_start(t, k, values ? "d_v" : "d_k", false, true, false);
    put_key_tile(t, k, what);
    cuc__text_put(t, "    acc = zeros(f32, [BN, %s])\n", values ? "WV" : "W");
    put_steps_of_heads(t, true);
    put_key_step(t, k, what);
    if (see && (values || !k->scored))
        cuc__text_put(t, "        p = where(see, p, 0.0)\n");
    // Numbers of queries of no sequence may be NaN.
    if (!values && k->scored)
        cuc__text_put(t, "        w = cast(where(see, gradient(r, s, p * (d - e)), 0.0), T)\n");
    else if (!values)
        cuc__text_put(t, k->variable ? "        w = cast(where(see, p * (d - e), 0.0), T)\n"
                                     : "        w = cast(p * (d - e), T)\n");
    cuc__text_put(t, values ? "        acc = mma(cast(p, T), " : "        acc = mma(w, ");
    put_load(t, k, values ? "d_o" : "q", values ? "WV" : "W");
    cuc__text_put(t, ", acc)\n    }\n    store(%s%s, 0], cast(acc%s, T))\n}\n\n",
                  k->variable ? "result"
                  : values    ? "d_v"
                              : "d_k",
                  k->variable ? ", [g, n" : ", [b, g, n", values ? "" : " * scale");
}

// Writes the kernel that adds up contributions of columns to the gradients of side arrays, for each
// head.
static void put_columns(struct cuc__text *t, const struct cuc__attention_kind *k,
                        const struct tiles *tiles)
{
    char result[16];
    uint32_t first = 0;

    while (cuc__attention_summands(&k->sides[first]) != CUC__ATTENTION_OF_COLUMNS)
        first++;
    snprintf(result, sizeof(result), "part_%u", first);
    cuc__text_put(t, "kernel sums_of_columns(");
    put_arrays(t, k, false);
    put_parts(t, k, CUC__ATTENTION_OF_COLUMNS);
    cuc__text_put(t, "scale: f32)\n");
    put_constants(t, k, tiles->step, tiles->rows);
    put_start(t, k, result, false, false, false);
    put_key_tile(t, k, COLUMNS);
    put_part_zeros(t, k, CUC__ATTENTION_OF_COLUMNS);
    cuc__text_put(t, "    for m in first .. last {\n");
    put_key_step(t, k, COLUMNS);
    cuc__text_put(t, "        w = p * (d - e)\n");
    put_part_steps(t, k, CUC__ATTENTION_OF_COLUMNS);
    cuc__text_put(t, "    }\n");
    put_part_stores(t, k, CUC__ATTENTION_OF_COLUMNS);
    cuc__text_put(t, "}\n\n");
}

static void put_sinks(struct cuc__text *t, const struct cuc__attention_kind *k)
{
    enum { ROWS = 1024 };
    const char *b = batch_axis(k), *of = all(k);

    cuc__text_put(t,
                  "kernel gradient_of_sinks(lse: f32[%sHQ, %sSQ], sums: f32[%sHQ, %sSQ], "
                  "sinks: f32[HQ],\n                ",
                  b, of, b, of);
    if (k->variable)
        cuc__text_put(t, "query_offsets: i32[OFFSETS], ");
    cuc__text_put(t,
                  "d_sinks: f32[HQ], again: i32)\n    const BM = %d\n%s    grid HQ\n{\n"
                  "    h = block(0)\n    acc = zeros(f32, [BM])\n    for b in 0 .. %s {\n",
                  ROWS, k->variable ? "    where noalias(d_sinks, query_offsets)\n" : "",
                  k->variable ? "OFFSETS - 1" : "B");
    if (k->variable)
        cuc__text_put(t,
                      "        my_lse = slice(lse, 1, query_offsets[b], query_offsets[b + 1])\n"
                      "        my_sums = slice(sums, 1, query_offsets[b], query_offsets[b + 1])\n"
                      "        for m in 0 .. cdiv(dim(my_lse, 1), BM) {\n"
                      "            l = load(my_lse, [h, m], [_, BM], pad=inf)\n"
                      "            e = load(my_sums, [h, m], [_, BM])\n");
    else
        cuc__text_put(t, "        for m in 0 .. cdiv(SQ, BM) {\n"
                         "            l = load(lse, [b, h, m], [_, _, BM], pad=inf)\n"
                         "            e = load(sums, [b, h, m], [_, _, BM])\n");
    cuc__text_put(t, "            l = where(l == -inf, inf, l)  # a sink of -inf\n"
                     "            acc += exp(sinks[h] - l) * e\n        }\n    }\n"
                     "    total = -sum(acc)\n"
                     "    if again != 0 { total += d_sinks[h] }\n"
                     "    store(d_sinks, [h], total, shape=[_])\n}\n\n");
}

// Writes the beginnings of the loops over batches and heads.
static void put_outer_loops(struct cuc__text *t, const struct indexed *x, const char *batches)
{
    if (x->batch)
        cuc__text_put(t, "    for b in block(2) .. block(2) + 1 {\n");
    else
        cuc__text_put(t, "    for b in 0 .. %s {\n", batches);
    cuc__text_put(t, x->head ? "    for h in block(1) .. block(1) + 1 {\n"
                             : "    for h in 0 .. HQ {\n");
}

// Writes the kernel of an array that rows and columns index.
static void put_tiles(struct cuc__text *t, const struct cuc__attention_kind *k,
                      const struct tiles *tiles, const struct indexed *x)
{
    static const char *const to[] = { "block(2) + first_batch", "block(1) + first_head", "mine",
                                      "own" };
    const char *rows = k->variable ? "most" : "SQ", *columns = k->variable ? "most_keys" : "SK";
    const char *batches = k->variable ? "OFFSETS - 1" : "B";
    bool turned = cuc__attention_axis(x->side, CUC__ATTENTION_ROW) >
                  cuc__attention_axis(x->side, CUC__ATTENTION_COLUMN);

    cuc__text_put(t, "kernel gradient_of_side_%u(", x->number);
    put_arrays(t, k, false);
    if (k->variable)
        cuc__text_put(t, "most_keys: i64, ");
    put_result(t, x);
    cuc__text_put(t, "again: i32, scale: f32)\n");
    put_constants(t, k, tiles->rows, tiles->step);
    if (k->variable)
        cuc__text_put(t,
                      "    where noalias(d_side, query_offsets), noalias(d_side, key_offsets)\n");
    cuc__text_put(t,
                  "    grid cdiv(%s, BM) * cdiv(%s, BN), %s, %s\n{\n"
                  "    mine, own = block(0) // cdiv(%s, BN), block(0) %% cdiv(%s, BN)\n"
                  "    acc = zeros(f32, [BM, BN])\n",
                  rows, columns, x->head ? "HQ" : "1", x->batch ? batches : "1", columns, columns);
    put_outer_loops(t, x, batches);
    if (k->variable)
        cuc__text_put(t, "    q_at, q_end = query_offsets[b], query_offsets[b + 1]\n"
                         "    k_at, k_end = key_offsets[b], key_offsets[b + 1]\n"
                         "    SQ, SK = cast(q_end - q_at, i64), cast(k_end - k_at, i64)\n");
    cuc__text_put(t, "    g = h // (HQ // HK)\n"
                     "    for m in mine .. minimum(mine + 1, cdiv(SQ, BM)) {\n");
    put_query_tile(t, k);
    cuc__text_put(t, "    for n in maximum(first, own) .. minimum(last, own + 1) {\n");
    put_query_step(t, k);
    cuc__text_put(t, "        see = see & (m * BM + iota(i32, BM)[:, None] < SQ)\n"
                     "        w = exp2(r * 1.4426950408889634 - l) * (d - e)\n"
                     "        acc += where(see, ");
    put_gradient_at(t, x, "w");
    cuc__text_put(t, ", 0.0)\n    } } } }\n    total = %s\n", turned ? "trans(acc)" : "acc");
    put_total(t, x, to);
}

// Writes the kernel that adds up the rows, or columns, of an array that the others do not index.
static void put_join(struct cuc__text *t, const struct cuc__attention_kind *k,
                     const struct indexed *x)
{
    static const char *const to[] = { "block(2) + first_batch", "block(1) + first_head", "block(0)",
                                      "block(0)" };
    const char *batches = k->variable ? "OFFSETS - 1" : "B", *step = x->column ? "BN" : "BM";
    const char *length = x->column ? "SK" : "SQ";
    const char *offsets = x->column ? "key_offsets" : "query_offsets";
    bool indexed = x->row || x->column;

    cuc__text_put(t, "kernel gradient_of_side_%u(part: f32[%sHQ, %s%s], ", x->number, batch_axis(k),
                  all(k), length);
    if (k->variable)
        cuc__text_put(t, "%s: i32[OFFSETS], most: i64, ", offsets);
    put_result(t, x);
    cuc__text_put(t, "first_batch: i64, first_head: i64, again: i32)\n    const %s = %d\n", step,
                  indexed ? 128 : 1024);
    if (k->variable)
        cuc__text_put(t, "    where noalias(d_side, %s)\n", offsets);
    if (indexed)
        cuc__text_put(t, "    grid cdiv(%s, %s)", k->variable ? "most" : length, step);
    else
        cuc__text_put(t, "    grid 1");
    cuc__text_put(t, ", %s, %s\n{\n    acc = zeros(f32, [%s])\n", x->head ? "HQ" : "1",
                  x->batch ? batches : "1", step);
    put_outer_loops(t, x, batches);
    if (k->variable)
        cuc__text_put(t, "    mine = slice(part, 1, %s[b], %s[b + 1])\n", offsets, offsets);
    if (indexed)
        cuc__text_put(t, "    for i in block(0) .. block(0) + 1 {\n");
    else
        cuc__text_put(t, "    for i in 0 .. cdiv(%s, %s) {\n",
                      k->variable ? "dim(mine, 1)" : length, step);
    if (k->variable)
        cuc__text_put(t, "        acc += load(mine, [h, i], [_, %s])\n", step);
    else
        cuc__text_put(t, "        acc += load(part, [b, h, i], [_, _, %s])\n", step);
    cuc__text_put(t, "    } } }\n    total = %s\n", indexed ? "acc" : "sum(acc)");
    put_total(t, x, to);
}

bool cuc__attention_backward_has(const struct cuc__attention_problem *q, int step)
{
    bool both = !q->kind.scored && (!q->pipelined || step_of_both(&q->kind));

    switch (step) {
    case CUC__ATTENTION_D_KV:
        return both;
    case CUC__ATTENTION_D_K:
    case CUC__ATTENTION_D_V:
        return !both;
    case CUC__ATTENTION_COLUMNS:
        return cuc__attention_adds(&q->kind, CUC__ATTENTION_OF_COLUMNS);
    case CUC__ATTENTION_D_SINKS:
        return q->kind.sinks;
    default:
        return true;
    }
}

char *cuc__attention_backward_source(const struct cuc__attention_problem *q)
{
    struct cuc__text text = { .at = NULL }, *t = &text;
    struct tiles tiles = choose(q, q->pipelined), small = choose(q, false);

    cuc__attention_put_score(t, q);
    struct tiles rows = choose_queries(q, &tiles);
    struct tiles joint = { tiles.rows, q->pipelined ? step_of_both(&q->kind) : tiles.step };

    put_sums(t, &q->kind);
    put_queries(t, &q->kind, &rows);
    if (cuc__attention_backward_has(q, CUC__ATTENTION_D_KV)) {
        put_joint(t, &q->kind, &joint);
    } else {
        put_keys(t, &q->kind, &tiles, KEYS);
        put_keys(t, &q->kind, &tiles, VALUES);
    }
    if (cuc__attention_backward_has(q, CUC__ATTENTION_COLUMNS))
        put_columns(t, &q->kind, &tiles);
    if (q->kind.sinks)
        put_sinks(t, &q->kind);
    for (uint32_t i = 0; i < q->kind.side_count; i++) {
        struct indexed x = indices_of(&q->kind, i);
        if (cuc__attention_summands(x.side) == CUC__ATTENTION_OF_SCORES)
            put_tiles(t, &q->kind, &small, &x);
        else if (x.side->trains)
            put_join(t, &q->kind, &x);
    }
    if (!t->lost)
        return t->at;
    free(t->at);
    return NULL;
}
