// Writes the merge of two sorted runs, and the order of values.
//
// The k-th thread of a block finds by binary search how many of the first k * COLUMNS elements of
// the result come from the first run (the merge path), and then merges COLUMNS elements one by one.
// Runs are read from shared memory, where a tile is copied once for all takes.
#include "merge_path.h"

#include "tile/ir/scalar.h"

// ---- The order

// Writes the natural order of two names, for floats with NaN last.
static void put_before(struct cuc__text *t, cuc_dtype dtype, uint32_t i, const char *x,
                       const char *y)
{
    if (tile_is_integer(dtype))
        cuc__text_put(t, "(%s%u < %s%u)", x, i, y, i);
    else
        cuc__text_put(t, "((%s%u < %s%u) | ((%s%u == %s%u) & (%s%u != %s%u)))", x, i, y, i, x, i, x,
                      i, y, i, y, i);
}

void cuc__algorithm_put_order(struct cuc__text *t, const struct cuc__algorithm_problem *p)
{
    const struct cuc__algorithm_kind *k = &p->kind;

    cuc__text_put(t, "\n# True if the values x come before the values y.\nfn comes_before(");
    cuc__algorithm_put_each(t, k->values, "x%u");
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, k->values, "y%u");
    cuc__text_put(t, ") {\n    return ");
    if (p->fn) {
        cuc__text_put(t, "%s(", p->fn_name);
        cuc__algorithm_put_each(t, k->values, "x%u");
        cuc__text_put(t, ", ");
        cuc__algorithm_put_each(t, k->values, "y%u");
        cuc__text_put(t, ")");
    }
    for (uint32_t i = 0; i < k->keys && !p->fn; i++) {
        put_before(t, k->accumulators[i], i, "x", "y");
        if (i + 1 == k->keys)
            break;
        cuc__text_put(t, " | (~");
        put_before(t, k->accumulators[i], i, "y", "x");
        cuc__text_put(t, " & (");
    }
    for (uint32_t i = 1; i < k->keys && !p->fn; i++)
        cuc__text_put(t, "))");
    cuc__text_put(t, "\n}\n");
}

// ---- Arrays

void cuc__algorithm_put_search(struct cuc__text *t, const char *indent, const char *na,
                               const char *nb)
{
    cuc__text_put(t, "%slow, high = maximum(k - %s, 0), minimum(k, %s)\n", indent, nb, na);
    cuc__text_put(t,
                  "%swhile any(low < high) {\n"
                  "%s    middle, open = (low + high) >> 1, low < high\n",
                  indent, indent);
}

void cuc__algorithm_put_search_end(struct cuc__text *t, const char *indent)
{
    cuc__text_put(t,
                  ")\n"
                  "%s    high = where(open & second, middle, high)\n"
                  "%s    low = where(open & ~second, middle + 1, low)\n"
                  "%s}\n",
                  indent, indent, indent);
}

void cuc__algorithm_put_facts(struct cuc__text *t, const struct cuc__algorithm_arrays *arrays,
                              const struct cuc__algorithm_arrays *read)
{
    for (uint32_t i = 0; i < arrays->count; i++) {
        const char *name = arrays->names[i];
        cuc__text_put(t, "%snoalias(%s, splits)", i ? ", " : "    where ", name);
        for (uint32_t j = 0; read && j < read->count; j++)
            cuc__text_put(t, ", noalias(%s, %s)", name, read->names[j]);
        for (uint32_t j = 0; read && j < i; j++)
            cuc__text_put(t, ", noalias(%s, %s)", name, arrays->names[j]);
    }
    cuc__text_put(t, "\n");
}

void cuc__algorithm_put_compared(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                                 const char *element)
{
    for (uint32_t i = 0; i < k->values; i++) {
        cuc__text_put(t, "%scast(", i ? ", " : "");
        cuc__algorithm_put_numbered(t, i, element);
        cuc__text_put(t, ", %s)", cuc_dtype_name(k->accumulators[i]));
    }
}

// ---- Two sequences

void cuc__algorithm_put_sequences(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    for (uint32_t i = 0; i < k->input_count; i++) {
        const struct cuc__algorithm_input *in = &k->inputs[i];
        if (in->form == CUC__ALGORITHM_ELEMENTS)
            cuc__text_put(t, "in_%s: %s[%s], ", in->name, cuc_dtype_name(in->dtype),
                          i < k->second ? "A" : "B");
        if (in->form == CUC__ALGORITHM_WHOLE)
            cuc__text_put(t, "in_%s: %s[L%u], ", in->name, cuc_dtype_name(in->dtype), i);
    }
}

void cuc__algorithm_put_value(struct cuc__text *t, const struct cuc__algorithm_kind *k, bool second,
                              uint32_t value, const char *at, const char *mask)
{
    cuc__text_put(t, "cast(gather(in_%s, [%s], mask=%s), %s)",
                  k->inputs[second ? k->values + value : value].name, at, mask,
                  cuc_dtype_name(k->accumulators[value]));
}

// ---- A tile

void cuc__algorithm_put_comparison(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                                   const char *x, const char *y)
{
    cuc__text_put(t, "comes_before(");
    cuc__algorithm_put_each(t, k->values, x);
    cuc__text_put(t, ", ");
    cuc__algorithm_put_each(t, k->values, y);
    cuc__text_put(t, ")");
}

// Writes the columns `first` to `first` + `count` - 1 of value `i` side by side.
static void put_columns(struct cuc__text *t, uint32_t i, int32_t first, int32_t count)
{
    if (count == 1) {
        cuc__text_put(t, "c%d_%u[:, None]", first, i);
        return;
    }
    cuc__text_put(t, "cat(");
    put_columns(t, i, first, count / 2);
    cuc__text_put(t, ", ");
    put_columns(t, i, first + count / 2, count / 2);
    cuc__text_put(t, ", 1)");
}

void cuc__algorithm_put_rows(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                             int32_t columns)
{
    for (uint32_t i = 0; i < k->values; i++) {
        cuc__text_put(t, "%sreshape(", i ? ", " : "");
        put_columns(t, i, 0, columns);
        cuc__text_put(t, ", [-1])");
    }
}

// Writes the steps that take one element each.
static void put_steps(struct cuc__text *t, const struct cuc__algorithm_kind *k, int32_t columns)
{
    for (int32_t c = 0; c < columns; c++) {
        cuc__text_put(t, "    second = (b < b_end) & ((a >= a_end) | ");
        cuc__algorithm_put_comparison(t, k, "q%u", "p%u");
        cuc__text_put(t, ")\n");
        for (uint32_t i = 0; i < k->values; i++)
            cuc__text_put(t, "    c%d_%u = where(second, q%u, p%u)\n", c, i, i, i);
        if (c + 1 == columns)
            break;
        cuc__text_put(t, "    a, b = where(second, a, a + 1), where(second, b + 1, b)\n"
                         "    at = where(second, b, a)\n");
        for (uint32_t i = 0; i < k->values; i++)
            cuc__text_put(t,
                          "    next = take(v%u, at, 0)\n"
                          "    p%u, q%u = where(second, p%u, next), where(second, next, q%u)\n",
                          i, i, i, i, i);
    }
}

// Writes a step of the search for the merge path, in which a thread's k elements of the result end
// between `low` and `high` elements of the first run.
static void put_step(struct cuc__text *t, const struct cuc__algorithm_kind *k)
{
    cuc__text_put(t, "\nfn narrowed(low, high, k, a, b, ");
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, ") {\n    middle, open = (low + high) >> 1, low < high\n    second = ");
    cuc__algorithm_put_comparison(t, k, "take(v%u, b + k - 1 - middle, 0)",
                                  "take(v%u, a + middle, 0)");
    cuc__text_put(t, "\n    return where(open & ~second, middle + 1, low), where(open & second, "
                     "middle, high)\n}\n");
}

static void put_call_of_step(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                             const char *low, const char *high)
{
    cuc__text_put(t, "low, high = narrowed(%s, %s, k, a, b, ", low, high);
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, ")");
}

// The first step is outside of the loop, so that tiles are in shared memory before it.
void cuc__algorithm_put_merged(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                               int32_t columns)
{
    put_step(t, k);
    cuc__text_put(t,
                  "\n# Merges two runs of tiles, of na elements from a on and nb from b on. k is "
                  "the number of elements\n# of the result before those of each thread; steps "
                  "are those of the search.\n"
                  "fn merged(k, a, na, b, nb, steps, ");
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, ") {\n    ");
    put_call_of_step(t, k, "maximum(k - nb, 0)", "minimum(k, na)");
    cuc__text_put(t, "\n    for s in 1 .. steps { ");
    put_call_of_step(t, k, "low", "high");
    cuc__text_put(t, " }\n"
                     "    a_end, b_end = a + na, b + nb\n"
                     "    a, b = a + low, b + k - low\n");
    for (uint32_t i = 0; i < k->values; i++)
        cuc__text_put(t, "    p%u, q%u = take(v%u, a, 0), take(v%u, b, 0)\n", i, i, i, i);
    put_steps(t, k, columns);
    cuc__text_put(t, "    return ");
    cuc__algorithm_put_rows(t, k, columns);
    cuc__text_put(t, "\n}\n");
}

void cuc__algorithm_put_merge(struct cuc__text *t, const struct cuc__algorithm_kind *k,
                              const char *indent, const char *na, const char *nb, int32_t elements)
{
    cuc__text_put(t, "%s", indent);
    cuc__algorithm_put_each(t, k->values, "r%u");
    cuc__text_put(t, " = merged(iota(i32, BN // COLUMNS) * COLUMNS, 0, %s, %s, %s, %d, ", na, na,
                  nb, cuc__algorithm_search_steps(elements));
    cuc__algorithm_put_each(t, k->values, "v%u");
    cuc__text_put(t, ")\n");
}

int32_t cuc__algorithm_search_steps(int32_t elements)
{
    int32_t steps = 1; // a search among n elements has n + 1 results

    while (elements >>= 1)
        steps++;
    return steps;
}

void cuc__algorithm_choose_merge(struct cuc__algorithm_problem *p, int32_t columns)
{
    enum { TILE_BYTES = 16384, MOST = 2048, LEAST = 256, LANES = 32 };
    uint32_t bytes = 0;

    for (uint32_t i = 0; i < p->kind.values; i++)
        bytes += cuc_dtype_bits(p->kind.accumulators[i]) / 8;
    if (!p->tile.elements)
        p->tile.elements = cuc__algorithm_fit(TILE_BYTES, bytes, LEAST);
    p->tile.elements = p->tile.elements > MOST    ? MOST
                       : p->tile.elements < LEAST ? LEAST
                                                  : p->tile.elements;
    if (!p->tile.warps)
        p->tile.warps = p->tile.elements / columns / LANES;
}
