// Runs each kind of work of <cucore/algorithm.h> in each situation that users bring about:
// addresses without alignment, strides, several axes, too long arrays, counts on the device, in
// place, and data that is all equal, all different, or changes at the edges of tiles.
#include "algorithm_testing.h"
#include "base/array.h"

CASE("situations", .setup = setup, .teardown = teardown, .timeout = 300);

enum { TILE = 256, BINS = 9, MOST_OUTPUTS = 4 };

// ---- The kinds of work

// The results for n elements: values[i][0 .. lengths[i] - 1] of output i.
struct results {
    double *values[MOST_OUTPUTS];
    int64_t lengths[MOST_OUTPUTS];
};

static void put(struct results *r, int output, double value)
{
    r->values[output][r->lengths[output]++] = value;
}

static void twice(struct results *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        put(r, 0, 2 * x[i]);
}

static void reversed(struct results *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        put(r, 0, x[n - 1 - i]);
}

static void differences(struct results *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        put(r, 0, i ? x[i] - x[i - 1] : x[i]);
}

static void total(struct results *r, const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += x[i];
    put(r, 0, sum);
}

static void place_of_largest(struct results *r, const double *x, int64_t n)
{
    int64_t best = -1;

    for (int64_t i = 0; i < n; i++)
        best = best < 0 || x[i] > x[best] ? i : best;
    put(r, 0, (double)best);
}

static void running(struct results *r, const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        put(r, 0, sum += x[i]);
}

static void running_before(struct results *r, const double *x, int64_t n)
{
    double sum = 0;

    for (int64_t i = 0; i < n; sum += x[i++])
        put(r, 0, sum);
}

// The last element so far that is not 0: an operator that does not commute.
static void last_of_all(struct results *r, const double *x, int64_t n)
{
    double last = 0;

    for (int64_t i = 0; i < n; i++)
        put(r, 0, last = x[i] != 0 ? x[i] : last);
}

static void positive(struct results *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (x[i] > 0) {
            put(r, 0, x[i]);
            put(r, 1, (double)i);
        }
    put(r, 2, (double)r->lengths[0]);
}

static void both_parts(struct results *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        put(r, x[i] > 0 ? 0 : 1, x[i]);
    put(r, 2, (double)r->lengths[0]);
}

static void firsts(struct results *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!i || x[i] != x[i - 1]) {
            put(r, 0, x[i]);
            put(r, 1, (double)i);
        }
    put(r, 2, (double)r->lengths[0]);
}

static void counts(struct results *r, const double *x, int64_t n)
{
    r->lengths[0] = BINS;
    for (int64_t i = 0; i < n; i++)
        if (x[i] + 4 >= 0 && x[i] + 4 < BINS)
            r->values[0][(int)x[i] + 4]++;
}

static void counts_by_channel(struct results *r, const double *x, int64_t n)
{
    r->lengths[0] = BINS;
    for (int64_t i = 0; i < n; i++)
        if (x[i] >= 0 && x[i] < 3)
            r->values[0][(int)x[i] + 3 * (i % 3)]++;
}

static void run_lengths(struct results *r, const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (!i || x[i] != x[i - 1]) {
            put(r, 0, x[i]);
            put(r, 1, 0);
        }
        r->values[1][r->lengths[1] - 1]++;
    }
    put(r, 2, (double)r->lengths[0]);
}

static void places_in_runs(struct results *r, const double *x, int64_t n)
{
    int64_t at = 0;

    for (int64_t i = 0; i < n; i++) {
        at = i && x[i] == x[i - 1] ? at + 1 : 0;
        put(r, 0, (double)at);
    }
}

// "%s" is the type of the elements. Outputs of positions and counts are i64.
static const struct kind {
    const char *name;
    int32_t kind;
    uint32_t flags;
    const char *inputs[4], *outputs[5], *fn, *identity;
    void (*results)(struct results *r, const double *x, int64_t n);
    bool in_place; // the output may be the input
    int32_t bins;
} kinds[] = {
    { "transform",
      CUC_ALGORITHM_TRANSFORM,
      0,
      { "x: %s" },
      { "y: %s" },
      "fn twice(x) { return x + x }",
      NULL,
      twice,
      true,
      0 },
    { "gather",
      CUC_ALGORITHM_TRANSFORM,
      0,
      { "x: %s", "x[n - 1 - i]" },
      { "y: %s" },
      NULL,
      NULL,
      reversed,
      false,
      0 },
    { "adjacent difference",
      CUC_ALGORITHM_TRANSFORM,
      0,
      { "x: %s", "where(i > 0, x - x[i - 1], x)" },
      { "y: %s" },
      NULL,
      NULL,
      differences,
      false,
      0 },
    { "reduction",
      CUC_ALGORITHM_REDUCE,
      0,
      { "x: %s" },
      { "y: i64" },
      "sum",
      NULL,
      total,
      false,
      0 },
    { "argmax",
      CUC_ALGORITHM_REDUCE,
      0,
      { "x: %s", "cast(x, f64)", "i" },
      { "_: f64", "y: i64" },
      "fn larger(x, i, y, j) {\n"
      "    keep = (x > y) | ((x == y) & (j < 0)) | ((x == y) & (i >= 0) & (i < j))\n"
      "    return where(keep, x, y), where(keep, i, j)\n"
      "}",
      "-inf, -1",
      place_of_largest,
      false,
      0 },
    { "scan", CUC_ALGORITHM_SCAN, 0, { "x: %s" }, { "y: %s" }, "sum", NULL, running, true, 0 },
    { "exclusive scan",
      CUC_ALGORITHM_SCAN,
      CUC_ALGORITHM_EXCLUSIVE,
      { "x: %s" },
      { "y: %s" },
      "sum",
      NULL,
      running_before,
      true,
      0 },
    { "scan that does not commute",
      CUC_ALGORITHM_SCAN,
      0,
      { "x: %s" },
      { "y: %s" },
      "fn last(a, b) { return where(b != 0, b, a) }",
      "0",
      last_of_all,
      true,
      0 },
    { "selection",
      CUC_ALGORITHM_SELECT,
      0,
      { "x: %s", "x", "i" },
      { "y: %s", "at: i64", "c: i64" },
      "fn keep(x, i) { return x > 0 }",
      NULL,
      positive,
      false,
      0 },
    { "partition",
      CUC_ALGORITHM_PARTITION,
      0,
      { "x: %s" },
      { "y: %s", "z: %s", "c: i64" },
      "fn keep(x) { return x > 0 }",
      NULL,
      both_parts,
      false,
      0 },
    { "unique by key",
      CUC_ALGORITHM_UNIQUE,
      0,
      { "x: %s", "x", "i" },
      { "y: %s", "at: i64", "c: i64" },
      "fn same(x, i, y, j) { return x == y }",
      NULL,
      firsts,
      false,
      0 },
    { "histogram",
      CUC_ALGORITHM_HISTOGRAM,
      0,
      { "x: %s", "x + 4" },
      { "y: i64" },
      NULL,
      NULL,
      counts,
      false,
      BINS },
    { "histogram of channels",
      CUC_ALGORITHM_HISTOGRAM,
      0,
      { "x: %s", "where((x >= 0) & (x < 3), cast(x, i64) + 3 * (i % 3), -1)" },
      { "y: i64" },
      NULL,
      NULL,
      counts_by_channel,
      false,
      BINS },
    { "run lengths",
      CUC_ALGORITHM_REDUCE_BY_KEY,
      0,
      { "x: %s", "x", "1" },
      { "k: %s", "l: i64", "c: i64" },
      "sum",
      NULL,
      run_lengths,
      false,
      0 },
    { "scan by key",
      CUC_ALGORITHM_SCAN_BY_KEY,
      CUC_ALGORITHM_EXCLUSIVE,
      { "x: %s", "x", "1" },
      { "y: i64" },
      "sum",
      NULL,
      places_in_runs,
      false,
      0 },
};

// ---- The situations

enum data { RANDOM, EQUAL, ASCENDING, ALTERNATING, TILES };
enum device_count { ON_THE_HOST, EXACT, NEGATIVE, TOO_LARGE };

static const struct situation {
    const char *name;
    cuc_dtype dtype;
    enum data data;
    int64_t n, offset, stride, more; // `more` elements than are counted
    enum device_count count;
    bool in_place, rows, workspace;
} situations[] = {
    { "no elements", CUC_I32, RANDOM, 0, 0, 1, 0, ON_THE_HOST, false, false, false },
    { "one element", CUC_I32, RANDOM, 1, 0, 1, 0, ON_THE_HOST, false, false, false },
    { "a tile", CUC_F32, RANDOM, TILE, 0, 1, 0, ON_THE_HOST, false, false, false },
    { "one less than a tile", CUC_F32, RANDOM, TILE - 1, 0, 1, 0, ON_THE_HOST, false, false,
      false },
    { "one more than a tile", CUC_F32, RANDOM, TILE + 1, 0, 1, 0, ON_THE_HOST, false, false,
      false },
    { "more tiles than are looked at once", CUC_F64, RANDOM, 130 * TILE + 7, 0, 1, 0, ON_THE_HOST,
      false, false, false },
    { "bytes without alignment", CUC_I8, ALTERNATING, 3000, 1, 1, 0, ON_THE_HOST, false, false,
      false },
    { "shorts without alignment", CUC_I16, RANDOM, 3001, 3, 1, 0, ON_THE_HOST, false, false,
      false },
    { "words without alignment", CUC_F32, RANDOM, 3002, 1, 1, 0, ON_THE_HOST, false, false, false },
    { "long words without alignment", CUC_I64, RANDOM, 3003, 1, 1, 0, ON_THE_HOST, false, false,
      false },
    { "a stride", CUC_F64, RANDOM, 2000, 0, 3, 0, ON_THE_HOST, false, false, false },
    { "several axes", CUC_I32, RANDOM, 3000, 0, 1, 0, ON_THE_HOST, false, true, false },
    { "fewer elements than the arrays have", CUC_I32, RANDOM, 1000, 0, 1, 777, ON_THE_HOST, false,
      false, true },
    { "a count on the device", CUC_I32, RANDOM, 1000, 0, 1, 777, EXACT, false, false, false },
    { "a count on the device of a whole tile", CUC_F32, RANDOM, 2 * TILE, 0, 1, 5, EXACT, false,
      false, false },
    { "a negative count on the device", CUC_I32, RANDOM, 0, 0, 1, 700, NEGATIVE, false, false,
      false },
    { "a count on the device above the arrays'", CUC_I32, RANDOM, 900, 0, 1, 0, TOO_LARGE, false,
      false, false },
    { "equal elements", CUC_F32, EQUAL, 5000, 0, 1, 0, ON_THE_HOST, false, false, false },
    { "no equal neighbors", CUC_F64, ASCENDING, 5000, 0, 1, 0, ON_THE_HOST, false, false, false },
    { "alternating elements", CUC_I32, ALTERNATING, 5001, 0, 1, 0, ON_THE_HOST, false, false,
      false },
    { "changes at the edges of tiles", CUC_I32, TILES, 20 * TILE, 0, 1, 0, ON_THE_HOST, false,
      false, false },
    { "changes behind the edges of tiles", CUC_I32, TILES, 20 * TILE + 1, 1, 1, 0, ON_THE_HOST,
      false, false, true },
    { "in place", CUC_F64, RANDOM, 3000, 0, 1, 0, ON_THE_HOST, true, false, false },
    { "in place without alignment", CUC_I64, RANDOM, 3001, 1, 1, 0, ON_THE_HOST, true, false,
      false },
    { "in place with a count on the device", CUC_F32, RANDOM, 1000, 0, 1, 50, EXACT, true, false,
      false },
};

static double value_of(enum data data, int64_t i, int64_t n)
{
    switch (data) {
    case EQUAL:
        return 2;
    case ASCENDING:
        return n <= 100 || i < 100 ? (double)i : 100 + (double)(i % 2);
    case ALTERNATING:
        return i % 2 ? -1 : 1;
    case TILES:
        return (double)((i + 1) / TILE % 7) - 3;
    default:
        return (double)below(9) - 4;
    }
}

// Makes an array whose first element is `offset` elements behind an aligned address.
static cuc_tensor make_at(struct array *a, cuc_dtype dtype, int64_t count,
                          const struct situation *s)
{
    make(a, dtype, count + s->offset, s->stride);
    cuc_tensor t = a->t;
    t.data += (cuc_device_ptr)(s->offset * s->stride) * (cuc_dtype_bits(dtype) / 8);
    t.shape[0] = count;
    if (s->rows) {
        t.rank = 2;
        t.shape[0] = count / 10;
        t.shape[1] = 10;
        t.strides[0] = 10;
        t.strides[1] = 1;
    }
    return t;
}

static cuc_algorithm *make_plan(const struct kind *k, const struct situation *s, int32_t tile)
{
    char texts[8][128];
    const char *inputs[4], *outputs[5];
    cuc_algorithm *plan = NULL;
    uint32_t in = length_of(k->inputs), out = length_of(k->outputs);

    for (uint32_t i = 0; i < in + out; i++) {
        const char *from = i < in ? k->inputs[i] : k->outputs[i - in];
        const char *place = strstr(from, "%s");
        snprintf(texts[i], sizeof(texts[i]), "%.*s%s", place ? (int)(place - from) : 127, from,
                 place ? cuc_dtype_name(s->dtype) : "");
        *(i < in ? &inputs[i] : &outputs[i - in]) = texts[i];
    }
    ck_ok(cuc_algorithm_create(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = k->kind,
                              .flags = k->flags | (s->count ? CUC_ALGORITHM_DEVICE_COUNT : 0),
                              .inputs = inputs, .input_count = in, .outputs = outputs,
                              .output_count = out, .fn = k->fn, .identity = k->identity,
                              .bins = k->bins, .tile = tile, .blocks = 1)));
    return plan;
}

// Returns the host's copy of element i, in the situation.
static double element(const struct array *a, const struct situation *s, int64_t i)
{
    return get(a, i + s->offset);
}

static void run_in(const struct kind *k, const struct situation *s, int32_t tile)
{
    cuc_algorithm *plan = make_plan(k, s, tile);
    int64_t all = s->n + s->more;
    uint32_t out = length_of(k->outputs), dropped = strncmp(k->outputs[0], "_", 1) == 0;
    double *values = calloc((size_t)all + 1, sizeof(*values));
    struct results r = { .lengths = { 0 } };
    struct array x, count, y[MOST_OUTPUTS] = { 0 }, workspace = { 0 };
    cuc_tensor outputs[MOST_OUTPUTS];

    const cuc_tensor input = make_at(&x, s->dtype, all, s);
    for (int64_t i = 0; i < all; i++) {
        set(&x, i + s->offset, value_of(s->data, i, s->n));
        values[i] = element(&x, s, i);
    }
    send(&x);
    for (uint32_t i = 0; i < MOST_OUTPUTS; i++)
        r.values[i] = calloc((size_t)all + BINS, sizeof(double));
    k->results(&r, values, s->n);
    out -= dropped;
    for (uint32_t i = 0; i < out; i++) {
        bool typed = strstr(k->outputs[i + dropped], "%s");
        bool one = k->kind == CUC_ALGORITHM_REDUCE || (out > 1 && i + 1 == out);
        struct situation plain = *s;
        plain.rows &= !one && !k->bins;
        plain.stride = k->bins ? 1 : s->stride;
        plain.offset = k->bins ? 0 : s->offset;
        outputs[i] = s->in_place ? input
                                 : make_at(&y[i], typed ? s->dtype : CUC_I64,
                                           one       ? 1
                                           : k->bins ? k->bins
                                                     : all,
                                           &plain);
        if (!s->in_place)
            send(&y[i]);
    }
    make(&count, CUC_I64, 1, 1);
    set(&count, 0, s->count == NEGATIVE ? -5 : s->count == TOO_LARGE ? 1e9 : (double)s->n);
    send(&count);
    cuc_algorithm_args args = *CUC_ALGORITHM_ARGS(.inputs = &input, .input_count = 1,
                                                  .outputs = outputs, .output_count = out,
                                                  .count = s->more && !s->count ? s->n : 0,
                                                  .device_count = s->count ? &count.t : NULL);
    if (s->workspace) {
        args.workspace_bytes = cuc_algorithm_workspace_bytes(plan, all);
        make(&workspace, CUC_U8, (int64_t)args.workspace_bytes + 256, 1);
        args.workspace = (workspace.t.data + 255) / 256 * 256;
    }
    ck_ok(cuc_algorithm_run(stream, plan, &args));
    for (uint32_t i = 0; i < out; i++) {
        struct array *result = s->in_place ? &x : &y[i];
        int64_t skipped = k->bins ? 0 : s->offset;
        receive(result, r.lengths[i] + skipped);
        for (int64_t j = 0; j < r.lengths[i]; j++) {
            double got = get(result, j + skipped);
            ck_assert_msg(got == r.values[i][j],
                          "%s, %s: output %u, element %lld of %lld: got %g, expected %g", k->name,
                          s->name, i, (long long)j, (long long)r.lengths[i], got, r.values[i][j]);
        }
    }
    for (uint32_t i = 0; i < MOST_OUTPUTS; i++) {
        free(r.values[i]);
        drop(&y[i]);
    }
    free(values);
    drop(&x);
    drop(&count);
    drop(&workspace);
    cuc_algorithm_release(plan);
}

TEST_SLICE(each_kind_works_in_each_situation, slice, CUC_LENGTH(situations))
{
    const struct situation *s = &situations[_i];

    for (int i = 0; i < CUC_LENGTH(kinds); i++) {
        if (s->in_place && !kinds[i].in_place)
            continue;
        run_in(&kinds[i], s, TILE);
        if (kinds[i].kind == CUC_ALGORITHM_SCAN) // by other kernels, which plans with a tile lack
            run_in(&kinds[i], s, 0);
    }
}

TEST(a_scan_by_key_scans_segments)
{
    enum { N = 3000, OFFSETS = 60 };
    const char *in[] = { "offsets: i64[]", "x: i32", "upper_bound(offsets, i)", "x" };
    const char *out[] = { "y: i32" };
    struct array offsets, x, y;

    make(&offsets, CUC_I64, OFFSETS, 1);
    make(&x, CUC_I32, N, 1);
    make(&y, CUC_I32, N, 1);
    for (int64_t i = 0, at = 0; i < OFFSETS; i++) {
        set(&offsets, i, (double)at);
        at += i % 3 ? (int64_t)below(100) : 0; // a third of the segments are empty
        at = at < N ? at : N;
    }
    set(&offsets, OFFSETS - 1, N);
    for (int64_t i = 0; i < N; i++)
        set(&x, i, (double)below(100));
    send(&offsets);
    send(&x);
    send(&y);
    const cuc_tensor inputs[] = { offsets.t, x.t };
    for (uint32_t flags = 0; flags <= CUC_ALGORITHM_EXCLUSIVE; flags += CUC_ALGORITHM_EXCLUSIVE) {
        cuc_algorithm *plan;
        ck_ok(cuc_algorithm_create(
            &plan, device,
            CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SCAN_BY_KEY, .flags = flags, .inputs = in,
                                  .input_count = 4, .outputs = out, .output_count = 1, .fn = "sum",
                                  .tile = TILE)));
        ck_ok(cuc_algorithm_run(stream, plan,
                                CUC_ALGORITHM_ARGS(.inputs = inputs, .input_count = 2,
                                                   .outputs = &y.t, .output_count = 1)));
        receive(&y, N);
        for (int64_t segment = 0; segment + 1 < OFFSETS; segment++) {
            double sum = 0;
            for (int64_t i = (int64_t)get(&offsets, segment);
                 i < (int64_t)get(&offsets, segment + 1); i++) {
                double before = sum;
                sum += get(&x, i);
                check_value(&y, i, flags ? before : sum, N);
            }
        }
        cuc_algorithm_release(plan);
    }
    drop(&offsets);
    drop(&x);
    drop(&y);
}

// Two calls on one stream follow each other: the second one reads the first one's results and
// count, which only the device knows.
TEST(a_reduction_counts_what_a_selection_kept)
{
    enum { N = 5000 };
    const char *in[] = { "x: i32" }, *kept[] = { "y: i32", "c: i64" }, *sum[] = { "s: i64" };
    cuc_algorithm *select, *reduce;
    struct array x, y, c, s;
    double expected = 0;

    ck_ok(cuc_algorithm_create(&select, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SELECT, .inputs = in,
                                                     .input_count = 1, .outputs = kept,
                                                     .output_count = 2,
                                                     .fn = "fn odd(x) { return x % 2 == 1 }")));
    ck_ok(cuc_algorithm_create(&reduce, device,
                               CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_REDUCE,
                                                     .flags = CUC_ALGORITHM_DEVICE_COUNT,
                                                     .inputs = in, .input_count = 1, .outputs = sum,
                                                     .output_count = 1, .fn = "sum")));
    make(&x, CUC_I32, N, 1);
    make(&y, CUC_I32, N, 1);
    make(&c, CUC_I64, 1, 1);
    make(&s, CUC_I64, 1, 1);
    for (int64_t i = 0; i < N; i++) {
        int64_t value = (int64_t)below(1000);
        set(&x, i, (double)value);
        expected += value % 2 ? (double)value : 0;
    }
    send(&x);
    send(&y);
    send(&c);
    send(&s);
    const cuc_tensor outputs[] = { y.t, c.t };
    ck_ok(cuc_algorithm_run(stream, select,
                            CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1, .outputs = outputs,
                                               .output_count = 2)));
    ck_ok(cuc_algorithm_run(stream, reduce,
                            CUC_ALGORITHM_ARGS(.inputs = &y.t, .input_count = 1, .outputs = &s.t,
                                               .output_count = 1, .device_count = &c.t)));
    receive(&s, 1);
    ck_assert_double_eq(get(&s, 0), expected);
    drop(&x);
    drop(&y);
    drop(&c);
    drop(&s);
    cuc_algorithm_release(select);
    cuc_algorithm_release(reduce);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("situations");
}
