// Sorts of rows by their first value. A block sorts one, or several short ones. Longer rows are cut
// into runs, which are merged in memory (merge_runs.c).
#include "merge_path.h"
#include "merge_runs.h"
#include "sort_block.h"

enum { COLUMNS = 8, MERGED = 2048, LEAST = 256, SPLITS = CUC__ALGORITHM_WIDTHS };

static void choose(struct cuc__algorithm_problem *p)
{
    int32_t tile = p->tile.elements;

    p->tile.elements = !tile || tile > MERGED ? MERGED : tile < LEAST ? LEAST : tile;
    p->tile.omitted = cuc__algorithm_omitted_widths(&p->kind, p->count);
}

// Writes the kernel that sorts rows, or parts of rows, of one width.
static void put_width(struct cuc__text *t, const struct cuc__algorithm_problem *p, int index)
{
    const struct cuc__algorithm_kind *k = &p->kind;
    int32_t width = cuc__algorithm_width(k, index);
    int32_t rows = cuc__algorithm_segments_of_width(width);
    bool one = rows == 1;

    cuc__text_put(t, "\nkernel %s(", p->family->kernels[index]);
    cuc__algorithm_put_inputs(t, p);
    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form == CUC__ALGORITHM_ELEMENTS)
            cuc__text_put(t, "row_%s: %s[ROWS, LENGTH], ", k->inputs[i].name,
                          cuc_dtype_name(k->inputs[i].dtype));
    cuc__algorithm_put_buffers(t, k, "to", "ROWS, LENGTH");
    t->length -= 2; // the last comma
    cuc__text_put(t,
                  ")\n    const W = %d, R = %d\n"
                  "    grid cdiv(ROWS, R) * cdiv(LENGTH, W)\n{\n"
                  "    n, parts = ROWS * LENGTH, cdiv(LENGTH, W)\n"
                  "    row = block(0) // parts\n"
                  "    part = block(0) - row * parts\n"
                  "    inside = iota(i32, W) < cast(minimum(LENGTH - part * W, W), i32)\n"
                  "    i = %s * LENGTH + part * W + iota(i64, W)\n",
                  width, rows, one ? "row" : "(row * R + iota(i64, R))[:, None]");
    cuc__algorithm_put_loaded(t, p, "    ",
                              one ? ", reshape(load(row_%s, [row, part], [1, W]), [-1])%s"
                                  : ", load(row_%s, [row, part], [R, W])%s");
    cuc__algorithm_put_block_sort(t, p, one ? "row * LENGTH + part * W" : NULL, "    ");
    for (uint32_t v = 0; v < k->values; v++)
        cuc__text_put(t, "    store(to_%u, [row, part], r%u%s)\n", v, v, one ? "[None, :]" : "");
    cuc__text_put(t, "}\n");
}

static void put(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    cuc__algorithm_put_key_functions(t, &p->kind);
    for (int index = 0; index < CUC__ALGORITHM_WIDTHS; index++)
        if (!(p->tile.omitted >> index & 1))
            put_width(t, p, index);
    cuc__algorithm_put_merged(t, &p->kind, COLUMNS);
    cuc__algorithm_put_passes(t, p, p->tile.elements, COLUMNS);
}

static struct cuc__algorithm_runs runs_of(const cuc_algorithm *plan, int64_t rows, int64_t length)
{
    int widest = cuc__algorithm_width_for(&plan->kind, plan->tile.omitted, INT64_MAX);

    return (struct cuc__algorithm_runs){ .rows = rows,
                                         .length = length,
                                         .sorted = cuc__algorithm_width(&plan->kind, widest),
                                         .tile = plan->tile.elements,
                                         .kernels = SPLITS };
}

// A row may be as long as all elements.
static uint64_t workspace(const cuc_algorithm *plan, int64_t count)
{
    const struct cuc__algorithm_runs runs = runs_of(plan, count > 0, count);

    return cuc__algorithm_runs_bytes(&plan->kind, &runs);
}

static uint64_t needs(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_runs runs = runs_of(c->plan, c->rows, c->length);

    return cuc__algorithm_runs_bytes(&c->plan->kind, &runs);
}

// Makes a view of an array that has an axis of rows.
static cuc_tensor rows_of(const cuc_tensor *x, const struct cuc__algorithm_runs *runs)
{
    cuc_tensor rows = *x;

    rows.rank = 2;
    rows.shape[0] = runs->rows;
    rows.shape[1] = runs->length;
    rows.strides[0] = runs->length * x->strides[0];
    rows.strides[1] = x->strides[0];
    return rows;
}

static cuc_status sort(const struct cuc__algorithm_call *c, const struct cuc__algorithm_runs *runs,
                       const cuc_tensor *to)
{
    const struct cuc__algorithm_kind *k = &c->plan->kind;
    cuc_arg args[CUC__ALGORITHM_ARGUMENTS];
    cuc_tensor rows[2 * CUC__ALGORITHM_MAX];
    size_t count = cuc__algorithm_add_inputs(args, 0, c), made = 0;
    int index = cuc__algorithm_width_for(k, c->plan->tile.omitted, runs->length);

    for (uint32_t i = 0; i < k->input_count; i++)
        if (k->inputs[i].form == CUC__ALGORITHM_ELEMENTS)
            rows[made++] = rows_of(&c->inputs[i], runs);
    for (uint32_t i = 0; i < k->values; i++)
        rows[made++] = rows_of(&to[i], runs);
    for (size_t i = 0; i < made; i++)
        args[count++] = CUC_ARG(&rows[i]);
    return cuc__algorithm_launch(c, index, args, count);
}

static cuc_status run(const struct cuc__algorithm_call *c)
{
    const struct cuc__algorithm_runs runs = runs_of(c->plan, c->rows, c->length);

    return c->count ? cuc__algorithm_run_runs(c, &runs, sort) : CUC_OK;
}

const struct cuc__algorithm_family cuc__algorithm_sort_rows = {
    .kernels = { "sort_32", "sort_512", "sort_2048", "sort_wide", "merge_splits", "merge_tiles" },
    .ordered = true,
    .by_element = true,
    .outputs_of_value = 1,
    .choose = choose,
    .put = put,
    .workspace = workspace,
    .needs = needs,
    .run = run,
};
