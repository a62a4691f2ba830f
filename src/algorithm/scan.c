// Scans: a block scans one tile, and combines it with the prefix of the tiles before it.
#include "algorithm.h"

static struct cuc__algorithm_sums sums_of(const struct cuc__algorithm_kind *k)
{
    struct cuc__algorithm_sums s = { .count = k->values, .reduce = k->reduce };

    for (uint32_t i = 0; i < k->values; i++)
        s.dtypes[i] = k->accumulators[i];
    return s;
}

static void choose(struct cuc__algorithm_problem *p)
{
    // A function of the caller's may be long, and is inlined many times.
    enum { SUM_BYTES = 65536, FUNCTION_BYTES = 16384, LEAST = 1024, BLOCKS = 2, WARPS = 16 };
    uint32_t sums = 0;

    for (uint32_t i = 0; i < p->kind.values; i++)
        sums += cuc_dtype_bits(p->kind.accumulators[i]) / 8;
    if (p->kind.every_gpu && !p->tile.warps)
        p->tile.warps = WARPS;
    if (p->tile.elements)
        return;
    p->tile.elements = cuc__algorithm_fit(p->named ? SUM_BYTES : FUNCTION_BYTES, sums, LEAST);
    while (p->count && !p->kind.every_gpu && p->tile.elements > LEAST &&
           cuc__ceil_div(p->count, p->tile.elements) < (int64_t)BLOCKS * p->multiprocessors)
        p->tile.elements /= 2;
}

// Writes the sums of a tile, m0 and so on: of the operators that may be reordered before the scan,
// which takes longer.
static void put_sums(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    uint32_t values = p->kind.values;

    if (p->named)
        cuc__text_put(t, "    m0 = reshape(reduce(%s, [v0], 0, [%s]), [])\n", p->fn_name,
                      p->identity[0]);
    for (uint32_t i = 0; i < values && !p->named; i++)
        cuc__text_put(t, "    m%u = reshape(extract(s%u, [BN - 1], [1]), [])\n", i, i);
}

static void put_scan(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__text_put(t, "    ");
    cuc__algorithm_put_each(t, p->kind.values, "s%u");
    cuc__text_put(t, " = scan(%s, [", p->fn_name);
    cuc__algorithm_put_each(t, p->kind.values, "v%u");
    cuc__text_put(t, "], 0, ");
    cuc__algorithm_put_identities(t, p);
    cuc__text_put(t, ")\n");
}

static void put_stores(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->values && k->exclusive; i++)
        cuc__text_put(t, "    s%u = shift(s%u, 1, 0, pad=%s)\n", i, i, p->identity[i]);
    cuc__text_put(t, "    ");
    cuc__algorithm_put_combined(t, k->values, "r%u", p->fn_name, "b%u", "s%u");
    cuc__algorithm_put_stores(t, p);
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    struct cuc__algorithm_sums s = sums_of(k);

    s.combine = p->fn_name;
    for (uint32_t i = 0; i < k->values; i++)
        s.identity[i] = p->identity[i];
    cuc__algorithm_put_look_back_functions(t, &s);
    cuc__text_put(t, "\nkernel scan_all(");
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_outputs(t, p, "N");
    cuc__algorithm_put_look_back_head(t, p, &s);
    cuc__text_put(t, "    grid cdiv(N, BN)\n{\n    t = block(0)\n");
    cuc__algorithm_put_count(t, p);
    if (k->device_count)
        cuc__text_put(t, "    if t * BN >= n { return }\n");
    cuc__algorithm_put_values(t, p, "    ", "");
    if (p->named) {
        put_sums(t, p);
        cuc__algorithm_put_publish(t, &s);
        put_scan(t, p);
    } else {
        put_scan(t, p);
        put_sums(t, p);
        cuc__algorithm_put_publish(t, &s);
    }
    cuc__algorithm_put_look_back(t, &s);
    put_stores(t, p);
    cuc__text_put(t, "}\n");
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_sums s = sums_of(&plan->kind);

    return count ? cuc__algorithm_look_back_bytes(&s, cuc__ceil_div(count, plan->tile.elements))
                 : 0;
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_sums s = sums_of(&c->plan->kind);

    return c->count ? cuc__algorithm_run_look_back(c, &s,
                                                   cuc__ceil_div(c->count, c->plan->tile.elements))
                    : CUC_OK;
}

const struct cuc__algorithm_family cuc__algorithm_scan = {
    .kernels = { "scan_all" },
    .has_identity = true,
    .outputs_of_value = 1,
    .by_element = true,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
