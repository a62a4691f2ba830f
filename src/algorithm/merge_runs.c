// Passes that merge pairs of sorted runs in memory. Each pass has two kernels: one finds, for each
// tile of the result, how many elements of its pair's first run lie before it; the other one merges
// the tiles. Values move between the outputs and the workspace, and end in the outputs.
#include "merge_runs.h"

#include "merge_path.h"

enum { BLOCK = 256 }; // splits that a block finds

void cuc__algorithm_put_buffers(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                                const char *name, const char *extent)
{
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "%s_%u: %s[%s], ", name, i, cuc_dtype_name(k->outputs[i].dtype), extent);
}

// Writes the place of tile `t`: its row from `base` on, and the first element of its pair of runs
// in the row, `start`; the lengths of both runs; and the elements of the pair before the tile, `k`.
static void put_place(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__algorithm_put_count(t, p);
    cuc__text_put(t, "    row = t // cdiv(length, BN)\n"
                     "    base, inner = row * length, (t - row * cdiv(length, BN)) * BN\n"
                     "    size = minimum(n - base, length)\n"
                     "    start = inner & ~(2 * width - 1)\n"
                     "    na = minimum(maximum(size - start, 0), width)\n"
                     "    nb = minimum(maximum(size - start - width, 0), width)\n"
                     "    k = minimum(inner - start, na + nb)\n");
}

static void put_parameters(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    if (p->kind.device_count)
        cuc__text_put(t, "count: i64[1], ");
    cuc__algorithm_put_buffers(t, &p->kind, "from", "N");
}

static struct cuc__algorithm_arrays arrays_of(const struct cuc__algorithm_kind *k, const char *name)
{
    struct cuc__algorithm_arrays arrays = { .count = k->values };

    for (uint32_t i = 0; i < k->values; i++)
        snprintf(arrays.names[i], sizeof(arrays.names[i]), "%s_%u", name, i);
    return arrays;
}

static void put_splits(struct cuc__text *t, const struct cuc__algorithm_problem *p, int32_t tile)
{
    const struct cuc__algorithm_arrays from = arrays_of(&p->kind, "from");

    cuc__text_put(t, "\nkernel merge_splits(");
    put_parameters(t, p);
    cuc__text_put(t,
                  "splits: i64[TILES], length: i64, width: i64)\n"
                  "    const BN = %d, BS = %d\n",
                  tile, BLOCK);
    cuc__algorithm_put_facts(t, &from, NULL);
    cuc__text_put(t, "    grid cdiv(TILES, BS)\n{\n    t = block(0) * BS + iota(i64, BS)\n");
    put_place(t, p);
    cuc__algorithm_put_search(t, "    ", "na", "nb");
    cuc__text_put(t, "        second = comes_before(");
    cuc__algorithm_put_compared(
        t, &p->kind, "gather(from_%u, [base + start + width + k - 1 - middle], mask=open)");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_compared(t, &p->kind, "gather(from_%u, [base + start + middle], mask=open)");
    cuc__algorithm_put_search_end(t, "    ");
    cuc__text_put(t, "    store(splits, [block(0)], low)\n}\n");
}

static void put_tiles(struct cuc__text *t, const struct cuc__algorithm_problem *p, int32_t tile,
                      int32_t columns)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    const struct cuc__algorithm_arrays from = arrays_of(k, "from"), to = arrays_of(k, "to");

    cuc__text_put(t, "\nkernel merge_tiles(");
    put_parameters(t, p);
    cuc__algorithm_put_buffers(t, k, "to", "N");
    cuc__text_put(t,
                  "splits: i64[TILES], length: i64, width: i64)\n"
                  "    const BN = %d, COLUMNS = %d\n",
                  tile, columns);
    cuc__algorithm_put_facts(t, &to, &from);
    cuc__text_put(t, "    grid TILES\n{\n    t = block(0)\n");
    put_place(t, p);
    cuc__text_put(t, "    end = minimum(k + BN, na + nb)\n"
                     "    a, b = splits[t], k - splits[t]\n"
                     "    ma = cast(where(end == na + nb, na, splits[t + 1]) - a, i32)\n"
                     "    mb = cast(end - k, i32) - ma\n"
                     "    j = iota(i32, BN)\n"
                     "    first, second = j < ma, (j >= ma) & (j < ma + mb)\n"
                     "    at = base + start + where(first, a + j, width + b + j - ma)\n    ");
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, " = ");
    cuc__algorithm_put_compared(t, k, "gather(from_%u, [at], mask=first | second)");
    cuc__text_put(t, "\n");
    cuc__algorithm_put_merge(t, k, "    ", "ma", "mb", tile);
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t,
                      "    store_at(slice(to_%u, 0, base, base + size), [inner], cast(r%u, %s))\n",
                      i, i, cuc_dtype_name(k->outputs[i].dtype));
    cuc__text_put(t, "}\n");
}

void cuc__algorithm_put_passes(struct cuc__text *t, const struct cuc__algorithm_problem *p,
                               int32_t tile, int32_t columns)
{
    put_splits(t, p, tile);
    put_tiles(t, p, tile, columns);
}

// ---- Calls

static int passes_of(const struct cuc__algorithm_runs *runs)
{
    int passes = 0;

    for (int64_t width = runs->sorted; width < runs->length; width *= 2)
        passes++;
    return passes;
}

static int64_t tiles_of(const struct cuc__algorithm_runs *runs)
{
    return runs->rows * cuc__ceil_div(runs->length, runs->tile);
}

// Returns true if a value needs two arrays of the workspace instead of one: none is its output.
static bool is_dropped(const struct cuc__algorithm_kind *k, uint32_t value)
{
    return k->outputs[value].dropped;
}

uint64_t cuc__algorithm_runs_bytes(const struct cuc__algorithm_kind *k,
                                   const struct cuc__algorithm_runs *runs)
{
    uint64_t bytes = 0;
    bool passes = passes_of(runs) > 0;

    for (uint32_t i = 0; i < k->values; i++)
        bytes += cuc__algorithm_bytes(k->outputs[i].dtype, runs->rows * runs->length) *
                 (uint64_t)(passes + is_dropped(k, i));
    return bytes + passes * cuc__algorithm_bytes(CUC_I64, tiles_of(runs));
}

static cuc_status run_pass(const struct cuc__algorithm_call *c,
                           const struct cuc__algorithm_runs *runs, const cuc_tensor *from,
                           const cuc_tensor *to, const cuc_tensor *splits, int64_t width)
{
    uint32_t values = c->plan->kind.values;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    size_t count = 0;

    if (c->plan->kind.device_count)
        args[count++] = CUC_ARG(&c->device_count);
    for (uint32_t i = 0; i < values; i++)
        args[count++] = CUC_ARG(&from[i]);
    size_t inputs = count;
    args[count++] = CUC_ARG(splits);
    args[count++] = CUC_ARG(runs->length);
    args[count++] = CUC_ARG(width);
    cuc_status st = cuc__algorithm_launch(c, runs->kernels, args, count);
    if (st < 0)
        return st;
    count = inputs;
    for (uint32_t i = 0; i < values; i++)
        args[count++] = CUC_ARG(&to[i]);
    args[count++] = CUC_ARG(splits);
    args[count++] = CUC_ARG(runs->length);
    args[count++] = CUC_ARG(width);
    return cuc__algorithm_launch(c, runs->kernels + 1, args, count);
}

cuc_status cuc__algorithm_run_runs(const struct cuc__algorithm_call *c,
                                   const struct cuc__algorithm_runs *runs,
                                   cuc_status (*sort)(const struct cuc__algorithm_call *call,
                                                      const struct cuc__algorithm_runs *runs,
                                                      const cuc_tensor *to))
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    cuc_tensor arrays[2][CUC__ALGORITHM_MAX], splits; // the first ones are the outputs
    cuc_device_ptr at = c->workspace;
    int passes = passes_of(runs);
    int64_t elements = runs->rows * runs->length, width = runs->sorted;

    for (uint32_t i = 0; i < k->values; i++) {
        if (is_dropped(k, i))
            at = cuc__algorithm_scratch(&arrays[0][i], c, at, k->outputs[i].dtype, elements);
        else
            arrays[0][i] = c->outputs[i];
        if (passes)
            at = cuc__algorithm_scratch(&arrays[1][i], c, at, k->outputs[i].dtype, elements);
    }
    if (passes)
        cuc__algorithm_scratch(&splits, c, at, CUC_I64, tiles_of(runs));
    cuc_status st = sort(c, runs, arrays[passes & 1]);
    for (int left = passes; left > 0 && st >= 0; left--, width *= 2)
        st = run_pass(c, runs, arrays[left & 1], arrays[(left - 1) & 1], &splits, width);
    return st;
}
