// Merge sorts. A block sorts a tile: each thread a few neighbors by a network, then pairs of runs
// of doubling length are merged in shared memory. Longer runs are merged in memory, in passes
// (merge_runs.c).
#include "merge_path.h"

#include "merge_runs.h"

enum { SORT, SPLITS, TILES };
enum { COLUMNS = 8 };

static void choose(struct cuc__algorithm_problem *p)
{
    cuc__algorithm_choose_merge(p, COLUMNS);
}

// Writes the exchange of neighboring columns that are in the wrong order. Only elements before the
// end are exchanged, so those behind stay last.
static void put_exchange(struct cuc__text *t, const struct cuc__algorithm_kind *k, int32_t column)
{
    char x[16], y[16];

    snprintf(x, sizeof(x), "c%d_%%u", column);
    snprintf(y, sizeof(y), "c%d_%%u", column + 1);
    cuc__text_put(t, "    swap = (k + %d < m) & ", column + 1);
    cuc__algorithm_put_comparison(t, k, y, x);
    cuc__text_put(t, "\n    ");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "%sc%d_%u, c%d_%u", i ? ", " : "", column, i, column + 1, i);
    cuc__text_put(t, " = ");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "%swhere(swap, c%d_%u, c%d_%u), where(swap, c%d_%u, c%d_%u)",
                      i ? ", " : "", column + 1, i, column, i, column, i, column + 1, i);
    cuc__text_put(t, "\n");
}

// Writes the function that sorts each thread's columns: an odd-even network, which is stable.
static void put_sorted_columns(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc__text_put(t,
                  "\n# Sorts each COLUMNS neighbors of the first m elements. k has the indices of "
                  "the first ones.\nfn sorted_columns(k, m, ");
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, ") {\n");
    for (int32_t c = 0; c < COLUMNS; c++)
        for (uint32_t i = 0; i < k->values; i++)
            cuc__text_put(t, "    c%d_%u = take(v%u, k + %d, 0)\n", c, i, i, c);
    for (int32_t round = 0; round < COLUMNS; round++)
        for (int32_t c = round % 2; c + 1 < COLUMNS; c += 2)
            put_exchange(t, k, c);
    cuc__text_put(t, "    return ");
    cuc__algorithm_put_rows(t, k, COLUMNS);
    cuc__text_put(t, "\n}\n");
}

static void put_sort(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\nkernel sort_tiles(");
    cuc__algorithm_put_inputs(t, p);
    cuc__algorithm_put_buffers(t, k, "to", "N");
    t->length -= 2; // the last comma
    cuc__text_put(t,
                  ")\n    const BN = %d, COLUMNS = %d\n    grid cdiv(N, BN)\n{\n"
                  "    t = block(0)\n",
                  p->tile.elements, COLUMNS);
    cuc__algorithm_put_count(t, p);
    if (k->device_count)
        cuc__text_put(t, "    if t * BN >= n { return }\n");
    cuc__algorithm_put_values(t, p, "    ", "");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "    r%u = broadcast(cast(cast(v%u, %s), %s), [BN])\n", i, i,
                      cuc_dtype_name(k->outputs[i].dtype), cuc_dtype_name(k->accumulators[i]));
    cuc__text_put(t, "    k, m = iota(i32, BN // COLUMNS) * COLUMNS, cast(minimum(n - t * BN, BN), "
                     "i32)\n    ");
    cuc__algorithm_put_each(t, k->values, "r%u");
    cuc__text_put(t, " = sorted_columns(k, m, ");
    cuc__algorithm_put_each(t, k->values, "r%u");
    cuc__text_put(t, ")\n");
    cuc__text_put(t,
                  "    for round in 0 .. %d {\n"
                  "        width = COLUMNS << cast(round, i32)\n"
                  "        start = k & ~(2 * width - 1)\n        ",
                  cuc__algorithm_search_steps(p->tile.elements / COLUMNS) - 1);
    cuc__algorithm_put_each(t, k->values, "r%u");
    cuc__text_put(t,
                  " = merged(k - start, start, minimum(maximum(m - start, 0), width), "
                  "start + width, minimum(maximum(m - start - width, 0), width), round + %d, ",
                  cuc__algorithm_search_steps(COLUMNS));
    cuc__algorithm_put_each(t, k->values, "r%u");
    cuc__text_put(t, ")\n    }\n");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t,
                      k->device_count ? "    store(slice(to_%u, 0, 0, n), [t], cast(r%u, %s))\n"
                                      : "    store(to_%u, [t], cast(r%u, %s))\n",
                      i, i, cuc_dtype_name(k->outputs[i].dtype));
    cuc__text_put(t, "}\n");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__algorithm_put_order(t, p);
    cuc__algorithm_put_merged(t, &p->kind, COLUMNS);
    put_sorted_columns(t, &p->kind);
    put_sort(t, p);
    cuc__algorithm_put_passes(t, p, p->tile.elements, COLUMNS);
}

static struct cuc__algorithm_runs runs_of(const cuc_algorithm *plan, int64_t count)
{
    return (struct cuc__algorithm_runs){ .rows = 1,
                                         .length = count,
                                         .sorted = plan->tile.elements,
                                         .tile = plan->tile.elements,
                                         .kernels = SPLITS };
}

static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_runs runs = runs_of(plan, count);

    return cuc__algorithm_runs_bytes(&plan->kind, &runs);
}

static cuc_status sort(const struct cuc__algorithm_call *c, const struct cuc__algorithm_runs *runs,
                       const cuc_tensor *to)
{
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = cuc__algorithm_add_inputs(args, 0, c);

    (void)runs;
    for (uint32_t i = 0; i < c->plan->kind.values; i++)
        args[count++] = CUC_ARG(&to[i]);
    return cuc__algorithm_launch(c, SORT, args, count);
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_runs runs = runs_of(c->plan, c->count);

    return c->count ? cuc__algorithm_run_runs(c, &runs, sort) : CUC_OK;
}

const struct cuc__algorithm_family cuc__algorithm_merge_sort = {
    .kernels = { "sort_tiles", "merge_splits", "merge_tiles" },
    .ordered = true,
    .by_element = true,
    .outputs_of_value = 1,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .run = run,
};
