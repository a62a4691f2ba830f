// Selections, partitions and unique elements. A block publishes the sizes of the parts of its tile:
// the elements that are kept, and the others. It ranks the elements by part, moves them through
// shared memory, so that each part is contiguous, finds the sizes before it by look-back, and
// stores each part at its place.
//
// The sizes are counted once more, and not taken from the ranks: nothing comes between the ranks
// and the move then, so no thread has to hold many ranks at once, and two thirds more blocks fit on
// a multiprocessor.
#include "algorithm.h"

enum { MOST_PARTS = 3 };

// Returns the number of parts of elements.
static uint32_t parts_of(const struct cuc__algorithm_family *family)
{
    return family->outputs_of_value;
}

static struct cuc__algorithm_sums sums_of(const struct cuc__algorithm_family *family)
{
    struct cuc__algorithm_sums s = { .reduce = "sum", .combine = "plus_before" };

    // The size of the last part follows from those of the others.
    s.count = s.counts = parts_of(family) == MOST_PARTS ? 2 : 1;
    for (uint32_t i = 0; i < s.count; i++) {
        s.dtypes[i] = CUC_I64;
        s.identity[i] = "0";
    }
    return s;
}

static void choose(struct cuc__algorithm_problem *p)
{
    enum { TILE_BYTES = 65536, LEAST = 1024, WARPS = 8 };
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < p->kind.values; i++)
        bytes += cuc_dtype_bits(p->kind.outputs[i].dtype) / 8;
    if (p->kind.kind == CUC_ALGORITHM_UNIQUE || p->kind.kind == CUC_ALGORITHM_PARTITION3)
        bytes = 2 * (bytes < 4 ? 4 : bytes); // neighbors or parts wait in registers, too
    if (p->tile.elements)
        return;
    p->tile.elements = cuc__algorithm_fit(TILE_BYTES, bytes < 4 ? 4 : bytes, LEAST);
    while (p->count && p->tile.elements > LEAST &&
           cuc__ceil_div(p->count, p->tile.elements) < p->multiprocessors)
        p->tile.elements /= 2;
    if (!p->tile.warps)
        p->tile.warps = WARPS;
}

static void put_call(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, "%s(", p->fn_name);
    cuc__algorithm_put_each(t, p->kind.values, "v%u");
    cuc__text_put(t, ")");
}

// Writes `part`: 0 for elements that the predicate accepts, or that differ from the element before.
// Elements outside of the array are in the last part.
static void put_part(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    uint32_t values = p->kind.values;

    cuc__text_put(t, "    rest = cast(minimum(n - t * BN, BN), i32)\n"
                     "    inside = iota(i32, BN) < rest\n");
    if (p->kind.kind == CUC_ALGORITHM_PARTITION3) {
        cuc__text_put(t, "    part = where(inside, minimum(maximum(cast(");
        put_call(t, p);
        cuc__text_put(t, ", i32), 0), 2), 2)\n");
        return;
    }
    if (p->kind.kind != CUC_ALGORITHM_UNIQUE) {
        cuc__text_put(t, "    part = where(inside & ");
        put_call(t, p);
        cuc__text_put(t, ", 0, 1)\n");
        return;
    }
    cuc__algorithm_put_neighbors(t, p, 'u', false);
    cuc__text_put(t, "    first = iota(i32, BN) == where(t == 0, 0, -1)\n"
                     "    part = where(inside & (first | ~(");
    if (p->fn)
        cuc__text_put(t, "%s(", p->fn_name);
    for (uint32_t i = 0; i < values && p->fn; i++)
        cuc__text_put(t, "u%u, ", i);
    for (uint32_t i = 0; i < values; i++)
        cuc__text_put(t, p->fn ? "%sv%u" : "%s(u%u == v%u)", !i ? "" : p->fn ? ", " : " & ", i, i);
    cuc__text_put(t, "))%s, 0, 1)\n", p->fn ? ")" : "");
}

static const struct cuc__algorithm_output *output_of(const struct cuc__algorithm_kind *k,
                                                     uint32_t part, uint32_t value)
{
    return &k->outputs[part * k->values + value];
}

// Writes `d0` and so on: the values in the order of the parts, in the type of their outputs if that
// is the same in all parts.
static void put_placed(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->values; i++) {
        cuc_dtype dtype = CUC_DTYPE_UNKNOWN;
        bool same = true;
        for (uint32_t part = 0; part < parts_of(p->family); part++) {
            const struct cuc__algorithm_output *out = output_of(k, part, i);
            if (out->dropped)
                continue;
            same &= dtype == CUC_DTYPE_UNKNOWN || dtype == out->dtype;
            dtype = out->dtype;
        }
        if (dtype == CUC_DTYPE_UNKNOWN)
            continue;
        cuc__text_put(t, "    d%u = place(broadcast(", i);
        cuc__text_put(t, same ? "cast(v%u, %s)" : "v%u", i, cuc_dtype_name(dtype));
        cuc__text_put(t, ", [BN]), to)\n");
    }
}

// Writes the stores of a part, which begins at element `at` of the tile. It has `size` elements,
// and `before` in the tiles before this one.
static void put_stores(struct cuc__text *t, const struct cuc__algorithm_kind *k, uint32_t part,
                       const char *at, const char *size, const char *before)
{
    for (uint32_t i = 0; i < k->values; i++) {
        const struct cuc__algorithm_output *out = output_of(k, part, i);
        if (!out->dropped)
            cuc__text_put(t,
                          "    store_at(slice(out_%s, 0, %s, %s + %s), [%s], cast(d%u, %s), "
                          "shape=[BN])\n",
                          out->name, before, before, size, at, i, cuc_dtype_name(out->dtype));
    }
}

static void put_parameters(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                           const struct cuc__algorithm_sums *s)
{
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[0]);
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_outputs_of_kept(t, p);
    cuc__algorithm_put_look_back_head(t, p, s);
    cuc__algorithm_put_kept_apart(t, &p->kind);
    cuc__text_put(t, "    grid maximum(cdiv(N, BN), 1)\n{\n    t = block(0)\n");
}

static void put_sizes(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    const struct cuc__algorithm_output *sizes = &k->outputs[k->output_count - 1];

    if (sizes->dropped)
        return;
    cuc__text_put(t, "    if t == last {\n");
    for (uint32_t part = 0; part < MOST_PARTS; part++) {
        cuc__text_put(t, "        store(out_%s, [%u], cast(", sizes->name, part);
        cuc__text_put(t, part == 2 ? "n - b0 - m0 - b1 - m1" : "b%u + m%u", part, part);
        cuc__text_put(t, ", %s), shape=[_])\n", cuc_dtype_name(sizes->dtype));
    }
    cuc__text_put(t, "    }\n");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    const struct cuc__algorithm_sums s = sums_of(p->family);
    uint32_t parts = parts_of(p->family);

    cuc__text_put(t, "\nfn %s(a, b) { return a + b }\n", s.combine);
    cuc__algorithm_put_look_back_functions(t, &s);
    put_parameters(t, p, &s);
    cuc__algorithm_put_count(t, p);
    cuc__text_put(t, "    last = maximum(cdiv(n, BN) - 1, 0)\n");
    if (k->device_count)
        cuc__text_put(t, "    if t > last { return }\n");
    cuc__algorithm_put_values(t, p, "    ", "");
    put_part(t, p);
    if (k->kind == CUC_ALGORITHM_UNIQUE) // a thread cannot find the parts again without neighbors
        cuc__text_put(t, "    to, sizes = rank(part, 2)\n"
                         "    m0 = cast(reshape(extract(sizes, [0], [1]), []), i64)\n");
    for (uint32_t i = 0; i < s.count && k->kind != CUC_ALGORITHM_UNIQUE; i++)
        cuc__text_put(t, "    m%u = cast(sum(cast(part == %u, i32)), i64)\n", i, i);
    cuc__algorithm_put_publish(t, &s);
    if (k->kind != CUC_ALGORITHM_UNIQUE)
        cuc__text_put(t, "    to, sizes = rank(part, %d)\n", parts == MOST_PARTS ? 4 : 2);
    put_placed(t, p);
    cuc__algorithm_put_look_back(t, &s);
    put_stores(t, k, 0, "0", "m0", "b0");
    if (parts == 2)
        put_stores(t, k, 1, "-m0", "(rest - m0)", "(t * BN - b0)");
    if (parts == MOST_PARTS) {
        put_stores(t, k, 1, "-m0", "m1", "b1");
        put_stores(t, k, 2, "-m0 - m1", "(rest - m0 - m1)", "(t * BN - b0 - b1)");
        put_sizes(t, k);
    } else {
        cuc__algorithm_put_kept(t, k);
    }
    cuc__text_put(t, "}\n");
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_sums s = sums_of(plan->family);

    return cuc__algorithm_look_back_bytes(&s, cuc__algorithm_tiles(plan, count));
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_sums s = sums_of(c->plan->family);

    return cuc__algorithm_run_look_back(c, &s, cuc__algorithm_tiles(c->plan, c->count));
}

// `sizes`: the number of elements of the last output
#define FAMILY(name, predicate, each, sizes)                     \
    const struct cuc__algorithm_family cuc__algorithm_##name = { \
        .kernels = { #name "_all" },                             \
        .needs_fn = (predicate),                                 \
        .outputs_of_value = (each),                              \
        .counts = (sizes),                                       \
        .choose = choose,                                        \
        .put = put,                                              \
        .workspace = workspace,                                  \
        .run = run,                                              \
    }
FAMILY(select, true, 1, 1);
FAMILY(partition, true, 2, 1);
FAMILY(partition3, true, 3, 3);
FAMILY(unique, false, 1, 1);
