// Merges: a first kernel finds how many elements of the first sequence are in the result before
// each tile of it, by binary search, and a second one merges the tiles.
#include "merge_path.h"

enum { SPLITS, TILES };
enum { COLUMNS = 8, BLOCK = 256 };

static void choose(struct cuc__algorithm_problem *p)
{
    cuc__algorithm_choose_merge(p, COLUMNS);
}

static struct cuc__algorithm_arrays inputs_of(const struct cuc__algorithm_kind *k)
{
    struct cuc__algorithm_arrays arrays = { .count = 0 };

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form <= CUC__ALGORITHM_WHOLE)
            snprintf(arrays.names[arrays.count++], sizeof(arrays.names[i]), "in_%s",
                     k->inputs[i].name);
    return arrays;
}

static struct cuc__algorithm_arrays outputs_of(const struct cuc__algorithm_kind *k)
{
    struct cuc__algorithm_arrays arrays = { .count = 0 };

    for (uint32_t i = 0; i < k->output_count; i++)
        if (!k->outputs[i].dropped)
            snprintf(arrays.names[arrays.count++], sizeof(arrays.names[i]), "out_%s",
                     k->outputs[i].name);
    return arrays;
}

static void put_parameters(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc__algorithm_put_sequences(t, k);
    if (k->device_count)
        cuc__text_put(t, "count: i64[2], ");
}

// Writes the numbers of elements: of both sequences, and of the result.
static void put_counts(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc__text_put(t, k->device_count ? "    na_all = minimum(maximum(count[0], 0), A)\n"
                                       "    nb_all = minimum(maximum(count[1], 0), B)\n"
                                     : "    na_all, nb_all = A, B\n");
    cuc__text_put(t, "    n = na_all + nb_all\n");
}

static void put_splits(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    const struct cuc__algorithm_arrays inputs = inputs_of(k);

    cuc__text_put(t, "\nkernel merge_splits(");
    put_parameters(t, k);
    cuc__text_put(t, "splits: i64[S])\n    const BN = %d, BS = %d\n", p->tile.elements, BLOCK);
    cuc__algorithm_put_facts(t, &inputs, NULL);
    cuc__text_put(t, "    grid cdiv(S, BS)\n{\n");
    put_counts(t, k);
    cuc__text_put(t, "    k = minimum((block(0) * BS + iota(i64, BS)) * BN, n)\n");
    cuc__algorithm_put_search(t, "    ", "na_all", "nb_all");
    cuc__algorithm_put_sequence_values(t, p, true, "        ", "k - 1 - middle", "open");
    cuc__algorithm_put_sequence_values(t, p, false, "        ", "middle", "open");
    cuc__text_put(t, "        second = comes_before(");
    cuc__algorithm_put_each(t, k->values, "b%u");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, k->values, "a%u");
    cuc__algorithm_put_search_end(t, "    ");
    cuc__text_put(t, "    store(splits, [block(0)], low)\n}\n");
}

static void put_tiles(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    const struct cuc__algorithm_arrays inputs = inputs_of(k), outputs = outputs_of(k);

    cuc__text_put(t, "\nkernel merge_tiles(");
    put_parameters(t, k);
    cuc__algorithm_put_outputs(t, p, "N");
    cuc__text_put(t, "splits: i64[S])\n    const BN = %d, COLUMNS = %d\n", p->tile.elements,
                  COLUMNS);
    cuc__algorithm_put_facts(t, &outputs, &inputs);
    cuc__text_put(t, "    grid S - 1\n{\n    t = block(0)\n");
    put_counts(t, k);
    if (k->device_count)
        cuc__text_put(t, "    if t * BN >= n { return }\n");
    cuc__text_put(t, "    from, to = splits[t], splits[t + 1]\n"
                     "    na = cast(to - from, i32)\n"
                     "    nb = cast(minimum(t * BN + BN, n) - to - (t * BN - from), i32)\n"
                     "    j = iota(i32, BN)\n"
                     "    first, second = j < na, (j >= na) & (j < na + nb)\n");
    cuc__algorithm_put_sequence_values(t, p, false, "    ", "from + j", "first");
    cuc__algorithm_put_sequence_values(t, p, true, "    ", "t * BN - from + j - na", "second");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "    v%u = where(first, a%u, b%u)\n", i, i, i);
    cuc__algorithm_put_merge(t, k, "    ", "na", "nb", p->tile.elements);
    cuc__algorithm_put_stores(t, p);
    cuc__text_put(t, "}\n");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__algorithm_put_order(t, p);
    cuc__algorithm_put_merged(t, &p->kind, COLUMNS);
    put_splits(t, p);
    put_tiles(t, p);
}

// Returns the number of splits: one more than tiles.
static int64_t splits_of(const cuc_algorithm *plan, int64_t count)
{
    return count ? cuc__ceil_div(count, plan->tile.elements) + 1 : 0;
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    return cuc__algorithm_bytes(CUC_I64, splits_of(plan, count));
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    cuc_tensor splits;
    size_t count = cuc__algorithm_add_inputs(args, 0, c);

    if (!c->count)
        return CUC_OK;
    cuc__algorithm_scratch(&splits, c, c->workspace, CUC_I64, splits_of(c->plan, c->count));
    args[count] = CUC_ARG(&splits);
    cuc_status st = cuc__algorithm_launch(c, SPLITS, args, count + 1);
    if (st < 0)
        return st;
    count = cuc__algorithm_add_outputs(args, count, c);
    args[count] = CUC_ARG(&splits);
    return cuc__algorithm_launch(c, TILES, args, count + 1);
}

const struct cuc__algorithm_family cuc__algorithm_merge = {
    .kernels = { "merge_splits", "merge_tiles" },
    .ordered = true,
    .pairs = true,
    .by_element = true,
    .outputs_of_value = 1,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
