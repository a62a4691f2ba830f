// Selections, partitions and unique elements: a block counts the elements of its tile that are
// kept, finds the number before by look-back, and scatters them to their places.
#include "algorithm.h"

static const struct cuc__algorithm_sums sums = {
    .count = 1, .dtypes = { CUC_I64 }, .counts = true, .combine = "plus_before", .identity = { "0" }
};

static void choose(struct cuc__algorithm_problem *p)
{
    enum { TILE_BYTES = 65536, LEAST = 1024, WARPS = 16 };
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < p->kind.values; i++)
        bytes += cuc_dtype_bits(p->kind.outputs[i].dtype) / 8;
    if (p->tile.elements)
        return;
    p->tile.elements = cuc__algorithm_fit(TILE_BYTES, bytes < 4 ? 4 : bytes, LEAST);
    if (!p->tile.warps)
        p->tile.warps = WARPS;
}

// Writes `keep`: the elements that the predicate accepts, or those that differ from the element
// before.
static void put_keep(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    uint32_t values = p->kind.values;

    if (p->kind.kind != CUC_ALGORITHM_UNIQUE) {
        cuc__text_put(t, "    keep = (i < n) & %s(", p->fn_name);
        cuc__algorithm_put_each(t, values, "v%u");
        cuc__text_put(t, ")\n");
        return;
    }
    cuc__algorithm_put_neighbors(t, p, 'u', -1);
    cuc__text_put(t, "    keep = (i < n) & ((i == 0) | ~(");
    if (p->fn)
        cuc__text_put(t, "%s(", p->fn_name);
    for (uint32_t i = 0; i < values && p->fn; i++)
        cuc__text_put(t, "u%u, ", i);
    for (uint32_t i = 0; i < values; i++)
        cuc__text_put(t, p->fn ? "%sv%u" : "%s(u%u == v%u)", !i ? "" : p->fn ? ", " : " & ", i, i);
    cuc__text_put(t, "))%s\n", p->fn ? ")" : "");
}

static void put_scatters(struct cuc__text *t, const struct cuc__algorithm_kind *k, uint32_t first,
                         const char *places, const char *mask)
{
    for (uint32_t i = 0; i < k->values; i++) {
        const struct cuc__algorithm_output *out = &k->outputs[first + i];
        if (!out->dropped)
            cuc__text_put(t, "    scatter(out_%s, [%s], broadcast(cast(v%u, %s), [BN]), mask=%s)\n",
                          out->name, places, i, cuc_dtype_name(out->dtype), mask);
    }
}

static void put_parameters(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[0]);
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_outputs_of_kept(t, p);
    cuc__algorithm_put_look_back_head(t, p, &sums);
    cuc__text_put(t, "    grid maximum(cdiv(N, BN), 1)\n{\n    t = block(0)\n");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\nfn %s(a, b) { return a + b }\n", sums.combine);
    cuc__algorithm_put_look_back_functions(t, &sums);
    put_parameters(t, p);
    cuc__algorithm_put_count(t, p);
    cuc__text_put(t, "    last = maximum(cdiv(n, BN) - 1, 0)\n");
    if (k->device_count)
        cuc__text_put(t, "    if t > last { return }\n");
    cuc__algorithm_put_values(t, p, "    ", "");
    put_keep(t, p);
    cuc__text_put(t, "    m0 = cast(sum(cast(keep, i32)), i64)\n");
    cuc__algorithm_put_publish(t, &sums);
    cuc__text_put(t, "    up_to = cumsum(cast(keep, i32), 0)\n");
    cuc__algorithm_put_look_back(t, &sums);
    cuc__text_put(t, "    places = b0 + up_to\n");
    put_scatters(t, k, 0, "places - 1", "keep");
    if (k->kind == CUC_ALGORITHM_PARTITION)
        put_scatters(t, k, k->values, "i - places", "~keep & (i < n)");
    cuc__algorithm_put_kept(t, k);
    cuc__text_put(t, "}\n");
}

static int64_t tiles_of(const cuc_algorithm *plan, int64_t count)
{
    return count ? cuc__ceil_div(count, plan->tile.elements) : 1;
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    return cuc__algorithm_look_back_bytes(&sums, tiles_of(plan, count));
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    return cuc__algorithm_run_look_back(c, &sums, tiles_of(c->plan, c->count));
}

#define FAMILY(name, predicate, each)                            \
    const struct cuc__algorithm_family cuc__algorithm_##name = { \
        .kernels = { #name "_all" },                             \
        .needs_fn = (predicate),                                 \
        .outputs_of_value = (each),                              \
        .counts = true,                                          \
        .choose = choose,                                        \
        .put = put,                                              \
        .workspace = workspace,                                  \
        .run = run,                                              \
    }
FAMILY(select, true, 1);
FAMILY(partition, true, 2);
FAMILY(unique, false, 1);
