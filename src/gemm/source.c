// Writes the tile program of a plan. A kernel has only the parameters that it uses, so that a
// launch checks and passes nothing else. Sizes are constants in the text, which therefore compiles
// without settings.
#include "gemm.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SUM_MOST_PARTS = 16 };

struct text {
    struct cuc__text text;
    const struct cuc__gemm_kind *kind;  // of packed operands
    const struct cuc__gemm_kind *given; // of the operands before they are packed
    const struct cuc__gemm_tile *tile;
    int variant;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cuc__text_vput(&t->text, format, args);
    va_end(args);
}

// ---- Functions and headers

// Derivatives are 0 or 1 beyond x = +-LIMIT, where their terms would be products of 0 and infinity.
#define LIMIT(limit) "maximum(minimum(x, " limit ", nan=true), -" limit ", nan=true)"

static const struct {
    const char *name, *text;
} functions[] = {
    [CUC_GEMM_LINEAR] = { "", "" },
    [CUC_GEMM_RELU] = { "relu", "fn relu(x) { return maximum(x, 0, nan=true) }\n" },
    [CUC_GEMM_GELU] = { "gelu",
                        "fn gelu(x) { return 0.5 * x * (1.0 + erf(x * 0.7071067811865476)) }\n" },
    // The tanh form, x (1 + tanh z) / 2, equals x sigmoid 2z.
    [CUC_GEMM_GELU_TANH] = { "gelu", "fn gelu(x) { return x * "
                                     "sigmoid(x * fma(0.07135481627260025 * x, x, "
                                     "1.5957691216057308)) }\n" },
    [CUC_GEMM_SILU] = { "silu", "fn silu(x) { return x * sigmoid(x) }\n" },
    [CUC_GEMM_RELU_DERIVATIVE] = { "drelu", "fn drelu(y, x) { return where(x > 0, y, 0) }\n" },
    [CUC_GEMM_GELU_DERIVATIVE] = { "dgelu",
                                   "fn dgelu(y, x) {\n"
                                   "    x = " LIMIT(
                                       "40.0") "\n"
                                               "    return y * fma(x * 0.3989422804014327, "
                                               "exp(-0.5 * x * x), fma(0.5, "
                                               "erf(x * 0.7071067811865476), 0.5))\n}\n" },
    [CUC_GEMM_GELU_TANH_DERIVATIVE] = { "dgelu",
                                        "fn dgelu(y, x) {\n"
                                        "    x = " LIMIT(
                                            "40.0") "\n"
                                                    "    s = sigmoid(x * fma(0.07135481627260025 * "
                                                    "x, x, "
                                                    "1.5957691216057308))\n"
                                                    "    return y * s * fma(x * (1.0 - s), "
                                                    "fma(0.21406444881780074 * x, x, "
                                                    "1.5957691216057308), "
                                                    "1.0)\n}\n" },
    [CUC_GEMM_SILU_DERIVATIVE] = { "dsilu",
                                   "fn dsilu(y, x) {\n"
                                   "    x = " LIMIT(
                                       "1000.0") "\n"
                                                 "    s = sigmoid(x)\n"
                                                 "    return y * s * fma(x, 1.0 - s, 1.0)\n}\n" },
};

// Writes the extents of an operand, such as "Z, M, K".
static void put_extents(struct text *t, bool shared, bool transposed, const char *rows,
                        const char *columns)
{
    const struct cuc__gemm_kind *k = t->kind;

    put(t, "[%s%s, %s]", k->form == CUC_GEMM_BATCHED && !shared ? "Z, " : "",
        transposed ? columns : rows, transposed ? rows : columns);
}

static void put_operands(struct text *t)
{
    const struct cuc__gemm_kind *k = t->kind;

    put(t, "a: T");
    put_extents(t, k->shared_a, k->transposed_a, "M", "K");
    put(t, ", b: T");
    if (k->form == CUC_GEMM_GROUPED)
        put(t, k->transposed_b ? "[G, N, K]" : "[G, K, N]");
    else
        put_extents(t, k->shared_b, k->transposed_b, "K", "N");
    // Scales keep the order that their operand has before it is packed.
    if (k->a_scale_rows) {
        put(t, ", sa: f32");
        put_extents(t, k->shared_a, t->given->transposed_a, "SM", "SK");
    }
    if (k->b_scale_columns) {
        put(t, ", sb: f32");
        if (k->form == CUC_GEMM_GROUPED)
            put(t, t->given->transposed_b ? "[G, SN, SK]" : "[G, SK, SN]");
        else
            put_extents(t, k->shared_b, t->given->transposed_b, "SK", "SN");
    }
}

static void put_results(struct text *t)
{
    const struct cuc__gemm_kind *k = t->kind;
    const char *extents = k->form == CUC_GEMM_BATCHED ? "[Z, M, N]" : "[M, N]";

    put(t, ", d: D%s", extents);
    if (t->variant == CUC__GEMM_ADDED)
        put(t, ", c: %s%s", cuc_dtype_name(k->c), extents);
    if (k->bias)
        put(t, ", bias: %s[%s]", cuc_dtype_name(k->bias),
            k->form == CUC_GEMM_GROUPED ? "G, N"
            : k->bias_of_rows           ? "M"
                                        : "N");
    if (k->residual)
        put(t, ", residual: %s%s", cuc_dtype_name(k->residual), extents);
    if (k->aux)
        put(t, ", aux: %s%s", cuc_dtype_name(k->aux), extents);
    if (k->gradient && !cuc__gemm_sums_operand(k))
        put(t, ", sums: %s[%sL, W]", cuc_dtype_name(cuc__gemm_sum_type(k)),
            k->form == CUC_GEMM_BATCHED ? "Z, " : "");
    if (k->amax)
        put(t, ", amax: i32[1]");
    if (k->scaled_rows)
        put(t, ", row_scale: f32[M]");
    if (k->scaled_columns)
        put(t, ", column_scale: f32[N]");
    if (k->form == CUC_GEMM_GROUPED)
        put(t, ", offsets: i32[G + 1]");
    if (t->variant >= CUC__GEMM_SCALED)
        put(t, ", alpha: %s", cuc_dtype_name(k->compute));
    if (t->variant == CUC__GEMM_ADDED)
        put(t, ", beta: %s", cuc_dtype_name(k->compute));
}

static void put_constants(struct text *t)
{
    const struct cuc__gemm_kind *k = t->kind;

    put(t, "    const T = %s, D = %s, ACC = %s, BM = %d, BN = %d, BK = %d",
        cuc_dtype_name(k->dtype), cuc_dtype_name(k->d), cuc_dtype_name(k->accumulator),
        t->tile->rows, t->tile->columns, t->tile->depth);
    if (t->tile->stream_k || k->form == CUC_GEMM_GROUPED)
        put(t, ", R = %d", cuc__gemm_band(t->tile));
    if (t->tile->stream_k)
        put(t, ", P = %d, OVER_P = %" PRIu64 ", OVER_R = %" PRIu64 ", READY = 7046029254386353131",
            t->tile->programs, cuc__gemm_inverse(t->tile->programs),
            cuc__gemm_inverse(cuc__gemm_band(t->tile)));
    put(t, "\n");
}

// ---- Products

static void put_load(struct text *t, const char *name, const char *batch, const char *row,
                     const char *column, const char *rows, const char *columns, bool transposed)
{
    const char *shape = *batch ? "_, " : "";

    if (transposed)
        put(t, "trans(load(%s, [%s%s, %s], [%s%s, %s]))", name, batch, column, row, shape, columns,
            rows);
    else
        put(t, "load(%s, [%s%s, %s], [%s%s, %s])", name, batch, row, column, shape, rows, columns);
}

// Writes the scales of an operand for a tile: one, or one for each line of the tile. The operand's
// lines are rows of the result, unless `across` is set.
static void put_scales(struct text *t, const char *name, const char *batch, bool across,
                       bool depth_last, int32_t lines)
{
    const char *line = across ? "n" : "m", *extent = across ? "BN" : "BM";
    char at[32];

    if (lines == 1) {
        put_load(t, name, batch, across ? "k" : line, across ? line : "k", across ? "1" : extent,
                 across ? extent : "1", depth_last == across);
        return;
    }
    snprintf(at, sizeof(at), "%s * %s // %d", line, extent, lines);
    put(t, "%s[%s%s, %s]", name, batch, depth_last ? at : "k", depth_last ? "k" : at);
}

// Writes the addition of a product p whose operands have scales by block.
static void put_scaled_sum(struct text *t, const char *batch_a, const char *batch_b)
{
    const struct cuc__gemm_kind *k = t->kind;

    put(t, "        acc += p * (");
    if (k->a_scale_rows)
        put_scales(t, k->form == CUC_GEMM_GROUPED ? "my_sa" : "sa", batch_a, false,
                   !t->given->transposed_a, k->a_scale_rows);
    if (k->a_scale_rows && k->b_scale_columns)
        put(t, " * ");
    if (k->b_scale_columns)
        put_scales(t, "sb", batch_b, true, t->given->transposed_b, k->b_scale_columns);
    put(t, ")\n");
}

static void put_product(struct text *t, const char *row)
{
    static const char *const precisions[] = { "", ", precision=tf32", ", precision=tf32x3" };
    const struct cuc__gemm_kind *k = t->kind;
    bool batched = k->form == CUC_GEMM_BATCHED, grouped = k->form == CUC_GEMM_GROUPED;

    const char *batch_a = batched && !k->shared_a ? "z, " : "";
    const char *batch_b = grouped ? "g, " : batched && !k->shared_b ? "z, " : "";
    bool blocks = cuc__gemm_scales_blocks(k);

    put(t, "        %s = mma(", blocks ? "p" : "acc");
    put_load(t, grouped ? "rows" : "a", batch_a, row, "k", "BM", "BK", k->transposed_a);
    put(t, ", ");
    put_load(t, "b", batch_b, "k", "n", "BK", "BN", k->transposed_b);
    put(t, ", %s%s%s)\n", blocks ? "zeros(ACC, [BM, BN])" : "acc", precisions[k->precision],
        k->fast_acc ? ", fast_acc=true" : "");
    if (blocks)
        put_scaled_sum(t, batch_a, batch_b);
}

// ---- The epilogue, in which y has the compute type

static void put_cast(struct text *t, cuc_dtype from, const char *format, const char *what)
{
    bool same = from == t->kind->compute;

    put(t, same ? "" : "cast(");
    put(t, format, what);
    if (!same)
        put(t, ", %s)", cuc_dtype_name(t->kind->compute));
}

// Writes the store of y to d. Integers of 8 bits saturate.
static void put_store(struct text *t, const char *name, const char *at)
{
    const struct cuc__gemm_kind *k = t->kind;
    bool whole = k->d == CUC_I8 || k->d == CUC_U8;

    if (whole && k->compute != k->d)
        put(t, "    y = minimum(maximum(y, %s), %s)\n", k->d == CUC_I8 ? "-128" : "0",
            k->d == CUC_I8 ? "127" : "255");
    put(t, "    store(%s, [%s], ", name, at);
    if (k->d == k->compute)
        put(t, "y");
    else
        put(t, "cast(y, D%s)", whole && k->compute == CUC_F32 ? ", round=rn" : "");
    put(t, ")\n");
}

// Writes a name for the number of the tile's rows or columns that are inside the result.
static void put_inside(struct text *t, const char *name, const char *extent, const char *index,
                       const char *tile)
{
    bool narrow = t->tile->stream_k || t->kind->form == CUC_GEMM_GROUPED; // the index is 32-bit

    put(t, "    %s = cast(minimum(%s - %s%s%s * %s, %s), i32)\n", name, extent,
        narrow ? "cast(" : "", index, narrow ? ", i64)" : "", tile, tile);
}

// Writes the partial sums of a bias's gradient and the largest magnitude. Elements outside the
// result may have any value, because a bias, for instance, is added to them too.
static void put_reductions(struct text *t, const char *rows, const char *columns)
{
    const struct cuc__gemm_kind *k = t->kind;
    bool by_columns = k->gradient == CUC_GEMM_GRADIENT_COLUMNS;
    bool by_rows = k->gradient == CUC_GEMM_GRADIENT_ROWS, batched = k->form == CUC_GEMM_BATCHED;
    const char *height = k->form == CUC_GEMM_GROUPED ? "cast(to - from, i64)" : "M";

    if (by_columns || k->amax)
        put_inside(t, "down", height, "m", rows);
    if (by_rows || k->amax)
        put_inside(t, "right", "N", "n", columns);
    if (by_columns || by_rows) {
        const char *kept = by_rows ? rows : columns;
        put(t,
            "    store(sums, [%s%s], reshape(sum(where(iota(i32, %s)%s < %s, y, 0), %d), [%s]), "
            "shape=[%s_, %s])\n",
            batched ? "z, " : "", by_rows ? "n, m" : "m, n", by_rows ? columns : rows,
            by_rows ? "" : "[:, None]", by_rows ? "right" : "down", by_rows, kept,
            batched ? "_, " : "", kept);
    }
    // The bits of floats from 0 up have the order of the floats, and NaN follows all of them.
    if (k->amax)
        put(t,
            "    inside = (iota(i32, %s)[:, None] < down) & (iota(i32, %s) < right)\n"
            "    store_max(amax, [0], reshape(max(bitcast(abs(where(inside, y, 0)), i32)), [1]))\n",
            rows, columns);
}

// Writes the epilogue. `at` is the tile's index, "m, n", and `shape` its extents, "BM, BN". If
// `slices` is set, arrays with the result's shape have other names, which begin with "my_".
static void put_end(struct text *t, const char *at, const char *shape, const char *row,
                    const char *rows, const char *columns, bool slices)
{
    const struct cuc__gemm_kind *k = t->kind;
    const char *my = slices ? "my_" : "";
    char what[96];

    put(t, "    y = ");
    put_cast(t, k->accumulator, "%s", "acc");
    put(t, "\n");
    if (t->variant >= CUC__GEMM_SCALED)
        put(t, "    y = y * alpha\n");
    if (k->scaled_rows)
        put(t, "    y = y * load(%srow_scale, [%s], [%s])[:, None]\n", my, row, rows);
    if (k->scaled_columns)
        put(t, "    y = y * load(column_scale, [n], [%s])\n", columns);
    if (t->variant == CUC__GEMM_ADDED) {
        put(t, "    y = y + beta * ");
        snprintf(what, sizeof(what), "load(%sc, [%s], [%s])", my, at, shape);
        put_cast(t, k->c, "%s", what);
        put(t, "\n");
    }
    if (k->bias) {
        put(t, "    y = y + ");
        if (k->form == CUC_GEMM_GROUPED)
            snprintf(what, sizeof(what), "load(bias, [g, n], [_, %s])", columns);
        else
            snprintf(what, sizeof(what), "load(bias, [%s], [%s])", k->bias_of_rows ? row : "n",
                     k->bias_of_rows ? rows : columns);
        put_cast(t, k->bias, "%s", what);
        put(t, "%s\n", k->bias_of_rows ? "[:, None]" : "");
    }
    if (cuc__gemm_reads_aux(k)) {
        put(t, "    y = %s(y, ", functions[k->activation].name);
        snprintf(what, sizeof(what), "load(%saux, [%s], [%s])", my, at, shape);
        put_cast(t, k->aux, "%s", what);
        put(t, ")\n");
    } else {
        if (k->aux)
            put(t, "    x = y\n");
        if (k->activation)
            put(t, "    y = %s(y)\n", functions[k->activation].name);
    }
    if (k->residual) {
        put(t, "    y = y + ");
        snprintf(what, sizeof(what), "load(%sresidual, [%s], [%s])", my, at, shape);
        put_cast(t, k->residual, "%s", what);
        put(t, "\n");
    }
    // The stores follow all loads, and d is last, so that TMA can load and store.
    if (k->aux && !cuc__gemm_reads_aux(k)) {
        put(t, "    store(%saux, [%s], ", my, at);
        put(t, k->aux == k->compute ? "x)\n" : "cast(x, %s))\n", cuc_dtype_name(k->aux));
    }
    put_reductions(t, rows, columns);
    put_store(t, slices ? "my_d" : "d", at);
    put(t, "}\n");
}

// ---- Kernels

static void put_single(struct text *t)
{
    bool batched = t->kind->form == CUC_GEMM_BATCHED, across = t->tile->cluster_n > 1;

    put(t, "kernel gemm(");
    put_operands(t);
    put_results(t);
    put(t, ")\n");
    put_constants(t);
    // Blocks can share loads if they are neighbors along the grid's first axis.
    put(t, "    grid %s%s\n{\n", across ? "cdiv(N, BN), cdiv(M, BM)" : "cdiv(M, BM), cdiv(N, BN)",
        batched ? ", Z" : "");
    put(t, "    %s%s = block(0), block(1)%s\n", across ? "n, m" : "m, n", batched ? ", z" : "",
        batched ? ", block(2)" : "");
    put(t, "    acc = zeros(ACC, [BM, BN])\n    for k in 0 .. cdiv(K, BK) {\n");
    put_product(t, "m");
    put(t, "    }\n");
    // Blocks of the next product take a whole multiprocessor each. Many small blocks of another
    // kernel would crowd on the multiprocessors that are free first.
    if (t->tile->path == TILE_MMA_PATH_PIPELINE && !(t->tile->pack & ~CUC_GEMM_PACK_NONE) &&
        !t->kind->gradient)
        put(t, "    grid_dependency_launch()\n");
    put_end(t, batched ? "z, m, n" : "m, n", batched ? "_, BM, BN" : "BM, BN", "m", "BM", "BN",
            false);
}

// Writes split-K: one kernel stores each part of a sum, and a second kernel adds the parts in a
// fixed order. The rows of the parts end at a vector boundary, at column P.
static void put_split(struct text *t)
{
    bool across = t->tile->cluster_n > 1;
    int32_t parts = 2;

    put(t, "kernel gemm_parts(");
    put_operands(t);
    put(t, ", w: ACC[S, M, P], parts: i32)\n");
    put_constants(t);
    put(t,
        "    grid %s, parts\n{\n"
        "    %s, s = block(0), block(1), block(2)\n",
        across ? "cdiv(N, BN), cdiv(M, BM)" : "cdiv(M, BM), cdiv(N, BN)", across ? "n, m" : "m, n");
    put(t, "    each = cdiv(cdiv(K, BK), parts)\n"
           "    acc = zeros(ACC, [BM, BN])\n"
           "    for k in s * each .. minimum((s + 1) * each, cdiv(K, BK)) {\n");
    put_product(t, "m");
    put(t, "    }\n    store(w, [s, m, n], acc, shape=[_, BM, BN])\n}\n\n"
           "kernel gemm(w: ACC[S, M, P]");
    put_results(t);
    // All loads of a thread are in flight at the same time. The last ones may lie past the parts.
    while (parts < t->tile->parts && parts < SUM_MOST_PARTS)
        parts *= 2;
    put(t,
        ")\n    const D = %s, ACC = %s, RS = %d, RM = %d, RN = %d\n"
        "    grid %s\n{\n"
        "    %s = block(0), block(1)\n"
        "    grid_dependency_launch()\n"
        "    parts = load(w, [0, m, n], [RS, RM, RN])\n",
        cuc_dtype_name(t->kind->d), cuc_dtype_name(t->kind->accumulator), parts, CUC__GEMM_SUM_ROWS,
        CUC__GEMM_SUM_COLUMNS, across ? "cdiv(N, RN), cdiv(M, RM)" : "cdiv(M, RM), cdiv(N, RN)",
        across ? "n, m" : "m, n");
    if (t->tile->parts > parts)
        put(t,
            "    for s in 1 .. cdiv(S, RS) { parts = parts + load(w, [s, m, n], [RS, RM, RN]) }\n");
    put(t, "    acc = reshape(sum(parts, 0), [RM, RN])\n");
    put_end(t, "m, n", "RM, RN", "m", "RM", "RN", false);
}

// Writes stream-K (stream_k.c). Each of the first units computes the part of a tile that lies in a
// range of iterations.
//
// If another block has begun the first tile of a range, the range contains the end of that tile,
// and its partial sums are stored for that block. If the last tile of a range goes on in other
// ranges, the range contains the beginning of that tile; its block waits for those ranges and adds
// their partial sums in order. The last block has the first range, so a block waits only for blocks
// that started earlier. A flag is a number that memory does not contain by chance; the waiting
// block clears it.
//
// The iterations of a tile are numbered from the end of the sum. All blocks thus begin at the start
// of the sum and load the same data at the same time. The kernel multiplies by inverses instead of
// dividing, because a division would delay the next tile.
static void put_stream(struct text *t)
{
    bool fragments = cuc__gemm_partials_are_fragments(t->tile);
    const char *partials = fragments ? "partials" : "acc",
               *at = fragments ? "r, 0, 0, 0" : "r, 0, 0";
    bool turned = !fragments &&
                  cuc__gemm_is_exchanged(t->tile); // transposed, like the accumulators
    const char *shape = fragments ? "BM // 16, BN // 8, 128" : turned ? "BN, BM" : "BM, BN";
    const char *open = turned ? "trans(" : "", *close = turned ? ")" : "";

    put(t, "fn over(x, inverse) { return cast(cast(x, u64) * inverse >> 40, u32) }\n"
           "kernel gemm(");
    put_operands(t);
    put_results(t);
    put(t,
        ", w: ACC[P, %s], flags: i64[P], each: u32, more: u32, shared: u32, spread: u32, "
        "units: u32,\n    over_iterations: u64, over_band: u64, over_last: u64)\n",
        shape);
    put_constants(t);
    put(t, "    grid units\n{\n"
           "    u, iterations = cast(block(0), u32), cast(cdiv(K, BK), u32)\n"
           "    i = over(u, OVER_P)\n"
           "    of, r = u < shared, P - 1 + i * P - u\n"
           "    begin = r * each + minimum(r, more)\n"
           "    end = begin + each + cast(r < more, u32)\n"
           "    t = where(of, over(begin, over_iterations) + i, u - shared + spread)\n"
           "    low = t * iterations\n"
           "    from = where(of, maximum(begin, low) - low, 0)\n"
           "    to = where(of, minimum(maximum(end, low), low + iterations) - low, iterations)\n"
           "    up, across = cast(cdiv(M, BM), u32), cast(cdiv(N, BN), u32)\n"
           "    band = over(t, over_band)\n"
           "    top, at = band * R, t - band * R * across\n"
           "    high = minimum(up - top, R)\n"
           "    n = over(at, where(up - top < R, over_last, OVER_R))\n"
           "    m = top + at - n * high\n"
           "    acc = zeros(ACC, [BM, BN])\n"
           "    for k in iterations - to .. iterations - from {\n");
    put_product(t, "m");
    put(t, "    }\n    if of and from == to { return }\n");
    if (fragments) // order: the four accumulators of a thread, then those of the next lane
        put(t,
            "    partials = reshape(permute(reshape(acc, [BM // 16, 2, 8, BN // 8, 4, 2]), "
            "[0, 3, 2, 4, 1, 5]), [%s])\n",
            shape);
    put(t,
        "    if from > 0 {\n"
        "        store(w, [%s], %s%s%s, shape=[_, %s], inside=true)\n"
        "        store(flags, [r], READY, shape=[1], order=release)\n"
        "        return\n"
        "    }\n"
        "    while to < iterations {\n"
        "        r += 1\n"
        "        while load(flags, [r], [_], order=acquire) != READY { }\n"
        "        %s = %s + %sload(w, [%s], [_, %s], inside=true)%s\n"
        "        store(flags, [r], 0, shape=[1])\n"
        "        to = minimum(to + each + cast(r < more, u32), iterations)\n"
        "    }\n",
        at, open, partials, close, shape, partials, partials, open, at, shape, close);
    if (fragments)
        put(t, "    acc = reshape(permute(reshape(partials, [BM // 16, BN // 8, 8, 4, 2, 2]), "
               "[0, 4, 2, 1, 3, 5]), [BM, BN])\n");
    put_end(t, "m, n", "BM, BN", "m", "BM", "BN", false);
}

// Writes a grouped product. The tiles of one group follow those of the previous one, so that
// concurrent tiles share b. Within a group, the tiles are ordered by bands of rows. Within a band,
// they run down each column in turn. Each block computes its own tile index. The grid is an upper
// bound, because each group may have a partial last row of tiles.
static void put_grouped(struct text *t)
{
    const struct cuc__gemm_kind *k = t->kind;

    put(t, "kernel gemm(");
    put_operands(t);
    put_results(t);
    put(t, ")\n    where noalias(d, offsets)%s%s\n",
        k->aux && !cuc__gemm_reads_aux(k) ? ", noalias(aux, offsets)" : "",
        k->amax ? ", noalias(amax, offsets)" : "");
    put_constants(t);
    put(t, "    grid (M // BM + G) * cdiv(N, BN)\n{\n"
           "    at, across = cast(block(0), u32), cast(cdiv(N, BN), u32)\n"
           "    g, from, to, next = 0, offsets[0], offsets[1], offsets[2]\n"
           "    up = cast(cdiv(to - from, BM), u32)\n"
           "    while g < G and at >= up * across {\n"
           "        at = at - up * across\n"
           "        g += 1\n"
           "        from, to, next = to, next, offsets[g + 2]\n"
           "        up = cast(cdiv(to - from, BM), u32)\n"
           "    }\n"
           "    if g == G { return }\n"
           "    band = at // (R * across)\n"
           "    at = at - band * R * across\n"
           "    high = minimum(up - band * R, R)\n"
           "    m, n = band * R + at %% high, at // high\n"
           "    rows = slice(a, 0, from, to)\n"
           "    my_d = slice(d, 0, from, to)\n");
    if (t->variant == CUC__GEMM_ADDED)
        put(t, "    my_c = slice(c, 0, from, to)\n");
    if (k->residual)
        put(t, "    my_residual = slice(residual, 0, from, to)\n");
    if (k->aux)
        put(t, "    my_aux = slice(aux, 0, from, to)\n");
    if (k->scaled_rows)
        put(t, "    my_row_scale = slice(row_scale, 0, from, to)\n");
    if (k->a_scale_rows)
        put(t, "    my_sa = slice(sa, 0, from, to)\n");
    put(t, "    acc = zeros(ACC, [BM, BN])\n    for k in 0 .. cdiv(K, BK) {\n");
    put_product(t, "m");
    put(t, "    }\n");
    put_end(t, "m, n", "BM, BN", "m", "BM", "BN", true);
}

// Writes the copy of a matrix, whose blocks count from `block`. It fills each row to its pitch with
// zeros.
static void put_copy(struct text *t, const char *name, bool transposed, const char *block)
{
    put(t,
        "        across, i = cast(cdiv(P%s, %s), u32), %s\n"
        "        store(p%s, [i // across, i %% across], ",
        name[0] == 'a' ? "A" : "B", transposed ? "S" : "C", block, name);
    if (transposed)
        put(t, "trans(load(%s, [i %% across, i // across], [S, S])))\n", name);
    else
        put(t, "load(%s, [i // across, i %% across], [R, C]))\n", name);
}

// Writes the kernel that packs up to two matrices. The first blocks pack the first one.
static void put_pack(struct text *t)
{
    const char *type = cuc_dtype_name(t->kind->dtype);

    put(t,
        "kernel gemm_pack(a: %s[AM, AN], pa: %s[AP, PA], b: %s[BM, BN], pb: %s[BP, PB], "
        "first: u32, blocks: u32)\n"
        "    where noalias(pa, a), noalias(pb, b)\n"
        "    const R = %d, C = %d, S = %d\n"
        "    grid blocks\n{\n"
        "    t = cast(block(0), u32)\n"
        "    grid_dependency_launch()\n"
        "    if t < first {\n",
        type, type, type, type, CUC__GEMM_PACK_ROWS, CUC__GEMM_PACK_COLUMNS, CUC__GEMM_PACK_SIDE);
    put_copy(t, "a", t->tile->pack & CUC_GEMM_PACK_TRANSPOSED_A, "t");
    put(t, "    } else {\n");
    put_copy(t, "b", t->tile->pack & CUC_GEMM_PACK_TRANSPOSED_B, "t - first");
    put(t, "    }\n}\n\n");
}

// Writes the kernel that adds the numbers of an operand along the reduction, in `parts` parts. Row
// p of the sums is of part p % parts of product p // parts.
static void put_operand_sums(struct text *t, const struct cuc__gemm_kind *k)
{
    bool of_a = k->gradient == CUC_GEMM_GRADIENT_A;
    bool depth_first = of_a ? k->transposed_a : !k->transposed_b;
    bool batched = k->form == CUC_GEMM_BATCHED && !(of_a ? k->shared_a : k->shared_b);

    put(t,
        "\nkernel gemm_operand_sums(a: T[%s%s], sums: ACC[L, W], parts: i32)\n"
        "    const T = %s, ACC = %s, RX = %d, RK = %d\n"
        "    grid cdiv(X, RX) * L\n{\n"
        "    x, p = block(0) %% cdiv(X, RX), block(0) // cdiv(X, RX)\n"
        "    s, each = p %% parts, cdiv(cdiv(K, RK), parts)\n"
        "    acc = zeros(ACC, [%s])\n"
        "    for k in s * each .. minimum((s + 1) * each, cdiv(K, RK)) {\n"
        "        acc = acc + ",
        batched ? "Z, " : "", depth_first ? "K, X" : "X, K", cuc_dtype_name(k->dtype),
        cuc_dtype_name(k->accumulator), depth_first ? 64 : 8, depth_first ? 32 : 256,
        depth_first ? "RK, RX" : "RX, RK");
    put(t, k->dtype == k->accumulator ? "" : "cast(");
    put(t, "load(a, [%s%s], [%s%s])", batched ? "p // parts, " : "", depth_first ? "k, x" : "x, k",
        batched ? "_, " : "", depth_first ? "RK, RX" : "RX, RK");
    put(t, k->dtype == k->accumulator ? "\n" : ", ACC)\n");
    put(t, "    }\n    store(sums, [p, x], reshape(sum(acc, %d), [RX]), shape=[_, RX])\n}\n",
        !depth_first);
}

// Writes the kernel that adds up the partial sums of a bias's gradient.
static void put_gradient(struct text *t)
{
    cuc_dtype from = cuc__gemm_sum_type(t->kind), to = t->kind->gradient_dtype;

    put(t,
        "\nkernel gemm_gradient(sums: %s[L, W], bias_gradient: %s[X])\n"
        "    const RL = 32, RX = 64\n"
        "    grid cdiv(X, RX)\n{\n"
        "    x = block(0)\n"
        "    acc = zeros(%s, [RL, RX])\n"
        "    for p in 0 .. cdiv(L, RL) { acc = acc + load(sums, [p, x], [RL, RX]) }\n"
        "    y = reshape(sum(acc, 0), [RX])\n"
        "    store(bias_gradient, [x], ",
        cuc_dtype_name(from), cuc_dtype_name(to), cuc_dtype_name(from));
    if (from == to)
        put(t, "y)\n}\n");
    else
        put(t, "cast(y, %s))\n}\n", cuc_dtype_name(to));
}

char *cuc__gemm_source(const struct cuc__gemm_kind *kind, const struct cuc__gemm_tile *tile,
                       int variant)
{
    const struct cuc__gemm_kind packed = cuc__gemm_packed_kind(kind, tile);
    struct text source = { .kind = &packed, .given = kind, .tile = tile, .variant = variant };
    struct text *t = &source;

    if (tile->pack & (CUC_GEMM_PACK_A | CUC_GEMM_PACK_B))
        put_pack(t);
    put(t, "%s", functions[kind->activation].text);
    if (kind->form == CUC_GEMM_GROUPED)
        put_grouped(t);
    else if (tile->parts > 1)
        put_split(t);
    else if (tile->stream_k)
        put_stream(t);
    else
        put_single(t);
    if (cuc__gemm_sums_operand(kind))
        put_operand_sums(t, kind);
    if (kind->gradient)
        put_gradient(t);
    if (!t->text.lost)
        return t->text.at;
    free(t->text.at);
    return NULL;
}
