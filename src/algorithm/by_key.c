// Reductions and scans by key. Runs of elements with equal keys are combined each for itself: a
// scan of the number of runs that begin, with the values of the last run, whose look-back is that
// of any other scan.
#include "algorithm.h"

// Makes the sums that tiles publish: the number of runs, and the values.
static struct cuc__algorithm_sums sums_of(const struct cuc__algorithm_kind *k)
{
    struct cuc__algorithm_sums s = { .count = 1 + k->values - k->keys,
                                     .dtypes = { CUC_I64 },
                                     .counts = 1,
                                     .combine = "joined",
                                     .identity = { "0" } };

    for (uint32_t i = k->keys; i < k->values; i++)
        s.dtypes[1 + i - k->keys] = k->accumulators[i];
    return s;
}

static void choose(struct cuc__algorithm_problem *p)
{
    enum { SUM_BYTES = 65536, FUNCTION_BYTES = 16384, LEAST = 256, RUN_BYTES = 4, WARPS = 16 };
    uint32_t bytes = RUN_BYTES;

    for (uint32_t i = p->kind.keys; i < p->kind.values; i++)
        bytes += cuc_dtype_bits(p->kind.accumulators[i]) / 8;
    if (p->kind.every_gpu && !p->tile.warps)
        p->tile.warps = WARPS;
    if (!p->tile.elements)
        p->tile.elements = cuc__algorithm_fit(p->named ? SUM_BYTES : FUNCTION_BYTES, bytes, LEAST);
}

// Writes the function that joins the runs of two ranges of elements.
static void put_joined(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    uint32_t count = p->kind.values - p->kind.keys;

    cuc__text_put(t, "\nfn joined(runs, ");
    cuc__algorithm_put_each(t, count, "x%u");
    cuc__text_put(t, ", more, ");
    cuc__algorithm_put_each(t, count, "y%u");
    cuc__text_put(t, ") {\n    ");
    cuc__algorithm_put_combined(t, count, "z%u", p->fn_name, "x%u", "y%u");
    cuc__text_put(t, "    return runs + more, ");
    cuc__algorithm_put_each(t, count, "where(more > 0, y%u, z%u)");
    cuc__text_put(t, "\n}\n");
}

// Writes a comparison of the keys with those of neighbors.
static void put_differ(struct cuc__text *t, const struct cuc__algorithm_kind *k, char neighbor)
{
    for (uint32_t i = 0; i < k->keys; i++)
        cuc__text_put(t, "%s(v%u != %c%u)", i ? " | " : "", i, neighbor, i);
}

// Writes the scan of a tile, and the look-back: r0 is the number of the run, r1 and so on are
// values.
static void put_scan(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                     const struct cuc__algorithm_sums *s)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__algorithm_put_neighbors(t, p, 'u', false);
    cuc__text_put(t, "    rest = cast(minimum(n - t * BN, BN), i32)\n"
                     "    inside = iota(i32, BN) < rest\n"
                     "    head = (iota(i32, BN) == where(t == 0, 0, -1)) | ");
    put_differ(t, k, 'u');
    cuc__text_put(t, "\n    ");
    cuc__algorithm_put_each(t, s->count, "s%u");
    cuc__text_put(t, " = scan(joined, [cast(head & inside, i32)");
    for (uint32_t i = k->keys; i < k->values; i++)
        cuc__text_put(t, ", v%u", i);
    cuc__text_put(t, "], 0, ");
    cuc__algorithm_put_sum_identities(t, s);
    cuc__text_put(t, ")\n    m0 = cast(reshape(extract(s0, [BN - 1], [1]), []), i64)\n");
    for (uint32_t i = 1; i < s->count; i++)
        cuc__text_put(t, "    m%u = reshape(extract(s%u, [BN - 1], [1]), [])\n", i, i);
    cuc__algorithm_put_publish(t, s);
    cuc__algorithm_put_look_back(t, s);
    for (uint32_t i = 0; i < s->count && k->exclusive; i++)
        cuc__text_put(t, "    s%u = shift(s%u, 1, 0, pad=%s)\n", i, i, s->identity[i]);
    cuc__text_put(t, "    ");
    cuc__algorithm_put_combined(t, s->count, "r%u", "joined", "b%u", "s%u");
}

// Writes the results of runs, which the last element of each has: these are moved to the start of
// the tile, and stored contiguously.
static void put_runs(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__algorithm_put_neighbors(t, p, 'w', true);
    cuc__text_put(t, "    ends = inside & ((iota(i32, BN) == rest - 1) & (t == last) | ");
    put_differ(t, k, 'w');
    cuc__text_put(t, ")\n"
                     "    to, size = rank(where(ends, 0, 1), 2)\n"
                     "    first = b0 + cast(reshape(extract(s0, [0], [1]), []), i64) - 1\n"
                     "    behind = first + cast(reshape(extract(size, [0], [1]), []), i64)\n");
    for (uint32_t i = 0; i < k->values; i++) {
        const struct cuc__algorithm_output *out = &k->outputs[i];
        bool key = i < k->keys;
        if (!out->dropped)
            cuc__text_put(t,
                          "    store(slice(out_%s, 0, first, behind), [0], "
                          "place(broadcast(cast(%c%u, %s), [BN]), to))\n",
                          out->name, key ? 'v' : 'r', key ? i : 1 + i - k->keys,
                          cuc_dtype_name(out->dtype));
    }
    cuc__algorithm_put_kept(t, k);
}

static void put_scanned(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    for (uint32_t i = 0; i < k->output_count; i++)
        if (k->exclusive)
            cuc__text_put(t, "    r%u = where(head, %s, r%u)\n", i, p->identity[k->keys + i],
                          i + 1);
        else
            cuc__text_put(t, "    r%u = r%u\n", i, i + 1);
    cuc__algorithm_put_stores(t, p);
}

// Returns true if keys may be computed from an array: its elements are keys, or the expression of a
// key or any expression with a name has its name.
static bool has_keys(const struct cuc__algorithm_kind *k, const struct cuc__algorithm_input *array)
{
    bool expressions = false;
    uint32_t values = 0;

    for (uint32_t i = 0; i < k->input_count; i++)
        expressions |= k->inputs[i].form == CUC__ALGORITHM_VALUE;
    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct cuc__algorithm_input *in = &k->inputs[i];
        bool value = expressions ? in->form == CUC__ALGORITHM_VALUE
                                 : in->form != CUC__ALGORITHM_WHOLE;
        bool key = value && values++ < k->keys;
        if ((in == array && key) || (in->expression && (key || in->form == CUC__ALGORITHM_NAMED) &&
                                     cuc__algorithm_mentions(in->expression, array->name)))
            return true;
    }
    return false;
}

// Adds facts to those that end the text: that no output of a scan overlaps an array from which keys
// may be computed. A block reads the last key of the tile before, whose outputs may be stored by
// then.
static void put_facts_of_keys(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    for (uint32_t i = 0; i < k->input_count; i++)
        for (uint32_t j = 0; j < k->output_count; j++)
            if (k->inputs[i].form <= CUC__ALGORITHM_WHOLE && !k->outputs[j].dropped &&
                has_keys(k, &k->inputs[i])) {
                t->length--; // the end of the line
                cuc__text_put(t, ", noalias(in_%s, out_%s)\n", k->inputs[i].name,
                              k->outputs[j].name);
            }
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    struct cuc__algorithm_sums s = sums_of(k);

    for (uint32_t i = 1; i < s.count; i++)
        s.identity[i] = p->identity[k->keys + i - 1];
    put_joined(t, p);
    cuc__algorithm_put_look_back_functions(t, &s);
    cuc__text_put(t, "\nkernel %s(", p->family->kernels[0]);
    cuc__algorithm_put_inputs(t, p);
    if (p->family->by_element)
        cuc__algorithm_put_outputs(t, p, "N");
    else
        cuc__algorithm_put_outputs_of_kept(t, p);
    cuc__algorithm_put_look_back_head(t, p, &s);
    if (p->family->by_element)
        put_facts_of_keys(t, k);
    else
        cuc__algorithm_put_kept_apart(t, k);
    cuc__text_put(t, "    grid maximum(cdiv(N, BN), 1)\n{\n    t = block(0)\n");
    cuc__algorithm_put_count(t, p);
    cuc__text_put(t, "    last = maximum(cdiv(n, BN) - 1, 0)\n");
    if (k->device_count)
        cuc__text_put(t, "    if t > last { return }\n");
    cuc__algorithm_put_values(t, p, "    ", "");
    put_scan(t, p, &s);
    (p->family->by_element ? put_scanned : put_runs)(t, p);
    cuc__text_put(t, "}\n");
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_sums s = sums_of(&plan->kind);

    return cuc__algorithm_look_back_bytes(&s, cuc__algorithm_tiles(plan, count));
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_sums s = sums_of(&c->plan->kind);

    return cuc__algorithm_run_look_back(c, &s, cuc__algorithm_tiles(c->plan, c->count));
}

const struct cuc__algorithm_family cuc__algorithm_reduce_by_key = {
    .kernels = { "reduce_runs" },
    .has_identity = true,
    .by_key = true,
    .outputs_of_value = 1,
    .counts = true,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};

const struct cuc__algorithm_family cuc__algorithm_scan_by_key = {
    .kernels = { "scan_runs" },
    .has_identity = true,
    .by_key = true,
    .by_element = true,
    .outputs_of_value = 1,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
