// Histograms: each block counts every G-th tile in shared memory, and adds its counts to the result
// once. Many bins are counted in the result itself.
//
// Each bin has several counters, side by side, for threads that hold elements side by side: equal
// elements then do not wait for the same counter. A thread loads VECTOR elements at once.
#include "algorithm.h"

#include <cucore/copy.h>

#include "tile/ir/scalar.h"

#include <string.h>

enum { MOST_COUNTERS = 8192, MOST_COPIES = 32 };

static bool is_shared(const struct cuc__algorithm_kind *k)
{
    return k->bins <= MOST_COUNTERS;
}

static void choose(struct cuc__algorithm_problem *p)
{
    enum {
        TILE = 32768,
        LEAST = 8192,
        BLOCKS = 1,
        WARPS = 32,
        TILE_OF_MANY = 4096,
        BLOCKS_OF_MANY = 8
    };
    bool chosen = !p->tile.elements && !p->tile.warps && !p->tile.blocks && is_shared(&p->kind);

    if (!p->tile.elements && !p->tile.warps && is_shared(&p->kind))
        p->tile.warps = WARPS;
    if (!p->tile.elements)
        p->tile.elements = is_shared(&p->kind) ? TILE : TILE_OF_MANY;
    if (!p->tile.blocks)
        p->tile.blocks = is_shared(&p->kind) ? BLOCKS : BLOCKS_OF_MANY;
    // Smaller tiles let few elements reach all multiprocessors.
    while (chosen && p->count && p->tile.elements > LEAST &&
           cuc__ceil_div(p->count, p->tile.elements) < p->multiprocessors) {
        p->tile.elements /= 2;
        p->tile.warps /= 2;
        p->tile.blocks *= 2;
    }
}

// Returns true if an expression is a call of cast() to i32.
static bool is_cast(const char *expression)
{
    static const char start[] = "cast(", end[] = ", i32)";
    size_t length = strlen(expression);
    int depth = 1;

    if (length < sizeof(start) + sizeof(end) ||
        strncmp(expression, start, sizeof(start) - 1) != 0 ||
        strcmp(expression + length - (sizeof(end) - 1), end) != 0)
        return false;
    for (const char *at = expression + sizeof(start) - 1; at[1] && depth; at++)
        depth += (*at == '(') - (*at == ')');
    return depth == 1; // the first bracket is closed by the last one
}

// The values that are known: elements of arrays, or casts. The types of other values are known to
// the compiler only.
enum width {
    SHORT,  // at most 16 bits
    NARROW, // i32 holds them
    WIDE,
};

static enum width width_of(const struct cuc__algorithm_problem *p)
{
    enum width width = SHORT;

    for (uint32_t i = 0; i < p->kind.input_count; i++) {
        const struct cuc__algorithm_input *in = &p->kind.inputs[i];
        if (p->fn || in->form == CUC__ALGORITHM_NAMED)
            width = WIDE;
        if (in->form == CUC__ALGORITHM_VALUE)
            return !p->fn && is_cast(in->expression) ? NARROW : WIDE;
        if (in->form != CUC__ALGORITHM_ELEMENTS || in->dtype == CUC_BOOL ||
            (tile_is_integer(in->dtype) && cuc_dtype_bits(in->dtype) <= 16))
            continue;
        if (in->dtype != CUC_I32)
            width = WIDE;
        else if (width == SHORT)
            width = NARROW;
    }
    return width;
}

// Writes the counting of tile `t`. A number that is no bin becomes one of the two next to the bins,
// which have no counter, before upper bits are lost. Products of short values lose none. NaN
// becomes the least integer.
static void put_counting(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                         const char *hint, bool all)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__algorithm_put_values(t, p, "        ", hint);
    cuc__text_put(t, "        bin = broadcast(cast(%s", p->fn ? p->fn_name : "");
    cuc__text_put(t, p->fn ? "(" : "");
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, "%s, %s), [BN])\n", p->fn ? ")" : "", width_of(p) == WIDE ? "i64" : "i32");
    if (width_of(p) != SHORT)
        cuc__text_put(t, "        bin = cast(minimum(maximum(bin, -1), BINS), i32)\n");
    if (!all)
        cuc__text_put(t, "        bin = where(iota(i64, BN) < n - t * BN, bin, -1)\n");
    if (is_shared(k))
        cuc__text_put(t, "        bin = reshape(bin, [BN // VECTOR, VECTOR])\n"
                         "        counted += histogram(bin * COPIES + copy, BINS * COPIES)\n");
    else
        cuc__text_put(t,
                      "        here = (bin >= 0) & (bin < BINS)\n"
                      "        atomic_add(out_%s, [bin], 1, mask=here, order=relaxed)\n",
                      k->outputs[0].name);
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    int32_t copies = 1, vector = 16;

    while (copies < MOST_COPIES && 2 * copies * k->bins <= MOST_COUNTERS)
        copies *= 2;
    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form == CUC__ALGORITHM_ELEMENTS &&
            vector > 16 / (int32_t)(cuc_dtype_bits(k->inputs[i].dtype) / 8))
            vector = 16 / (int32_t)(cuc_dtype_bits(k->inputs[i].dtype) / 8);
    while (vector > p->tile.elements)
        vector /= 2;
    cuc__text_put(t, "\nkernel histogram_all(");
    cuc__algorithm_put_inputs(t, p);
    cuc__text_put(t, "out_%s: %s[BINS], blocks: i64)\n    const BN = %d, BINS = %d",
                  k->outputs[0].name, cuc_dtype_name(k->outputs[0].dtype), p->tile.elements,
                  k->bins);
    if (is_shared(k))
        cuc__text_put(t, ", COPIES = %d, VECTOR = %d", copies, vector);
    cuc__text_put(t, "\n    grid blocks\n{\n    b = block(0)\n");
    cuc__algorithm_put_count(t, p);
    if (is_shared(k))
        cuc__text_put(t, "    copy = (iota(i32, BN // VECTOR) %% COPIES)[:, None]\n"
                         "    counted = zeros(i32, [BINS * COPIES])\n");
    cuc__text_put(t, "    whole = n // BN\n"
                     "    for turn in 0 .. cdiv(whole - b, blocks) {\n"
                     "        t = b + turn * blocks\n");
    put_counting(t, p, ", inside=true", true);
    cuc__text_put(t, "    }\n"
                     "    if n %% BN > 0 and whole %% blocks == b {\n"
                     "        t = whole\n");
    put_counting(t, p, "", false);
    cuc__text_put(t, "    }\n");
    if (is_shared(k))
        cuc__text_put(t,
                      "    total = squeeze(sum(reshape(counted, [BINS, COPIES]), 1), 1)\n"
                      "    store_add(out_%s, [0], cast(total, %s))\n",
                      k->outputs[0].name, cuc_dtype_name(k->outputs[0].dtype));
    cuc__text_put(t, "}\n");
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const cuc_tensor *out = &c->outputs[0];
    int64_t tiles = cuc__ceil_div(c->count, c->plan->tile.elements);
    int64_t blocks = (int64_t)c->plan->tile.blocks * c->plan->multiprocessors;
    size_t words = (size_t)c->plan->kind.bins * (cuc_dtype_bits(out->dtype) / 32);
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, c);
    cuc_status st = cuc_fill(c->stream, out->data, 0, sizeof(uint32_t), words);

    blocks = tiles < blocks ? tiles : blocks;
    if (st < 0 || !blocks)
        return st;
    count = cuc__algorithm_add_outputs(args, count, c);
    args[count++] = CUC_ARG(blocks);
    return cuc__algorithm_launch(c, 0, args, count);
}

const struct cuc__algorithm_family cuc__algorithm_histogram = {
    .kernels = { "histogram_all" },
    .outputs = 1,
    .choose = choose,
    .put = put,
    .run = run,
};
