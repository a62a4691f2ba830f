// Compares plans of <cucore/algorithm.h> with loops in double on the host. Elements are small
// integers, so that results are exact in every order. Nothing around outputs may be written.
#include "algorithm/algorithm.h"
#include "algorithm_testing.h"
#include "base/array.h"

#include <pthread.h>

// ---- The kinds of work

// Combines r, which is an element's values at first, with those of an element.
typedef void combine(double *r, const double *v);

static void sums(double *r, const double *v)
{
    r[0] += v[0];
}
static void products(double *r, const double *v)
{
    r[0] *= v[0];
}
static void least(double *r, const double *v)
{
    r[0] = fmin(r[0], v[0]);
}
static void most(double *r, const double *v)
{
    r[0] = fmax(r[0], v[0]);
}
static void first_of_largest(double *r, const double *v)
{
    bool keep = r[0] > v[0] || (r[0] == v[0] && r[1] < v[1]);

    r[0] = keep ? r[0] : v[0];
    r[1] = keep ? r[1] : v[1];
}
static void extremes(double *r, const double *v)
{
    r[0] = fmin(r[0], v[0]);
    r[1] = fmax(r[1], v[1]);
    r[2] += v[2];
}

// Composes r[0] h + r[1], modulo 7, with the following v[0] h + v[1].
static void steps(double *r, const double *v)
{
    r[1] = fmod(r[1] * v[0] + v[1], 7);
    r[0] = fmod(r[0] * v[0], 7);
}

// Decides whether an element is kept; `before` has the values of the element before, if i > 0.
typedef bool keep(const double *v, const double *before, int64_t i);

static bool positive(const double *v, const double *before, int64_t i)
{
    (void)before;
    (void)i;
    return v[0] > 0;
}
static bool flagged(const double *v, const double *before, int64_t i)
{
    (void)before;
    (void)i;
    return v[1] != 0;
}
static bool everything(const double *v, const double *before, int64_t i)
{
    (void)v;
    (void)before;
    return i >= 0;
}
static bool nothing(const double *v, const double *before, int64_t i)
{
    (void)v;
    (void)before;
    return i < 0;
}
static bool new_value(const double *v, const double *before, int64_t i)
{
    return !i || v[0] != before[0];
}
static bool new_pair(const double *v, const double *before, int64_t i)
{
    return !i || v[0] != before[0] || v[1] != before[1];
}
static bool new_sign(const double *v, const double *before, int64_t i)
{
    return !i || (v[0] > 0) != (before[0] > 0);
}

// Returns the part of an element in a partition of three.
typedef uint32_t part_of_three(const double *v);

static uint32_t by_sign(const double *v)
{
    return v[0] < 0 ? 0 : v[0] > 0 ? 2 : 1;
}
static uint32_t clamped(const double *v)
{
    return v[0] <= 0 ? 0 : v[0] < 2 ? 1 : 2;
}

// Computes the values of element i of n from those of the inputs, which are `x`, `y` and so on.
typedef void values(double *v, const struct array *in, int64_t i, int64_t n);

static void element(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = v[1] = get(&in[0], i);
    v[2] = 1;
}
static void product(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = get(&in[0], i) * get(&in[1], i);
}
static void with_index(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = get(&in[0], i);
    v[1] = (double)i;
}
static void permuted(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = get(&in[0], (int64_t)get(&in[1], i));
}
static void reversed(double *v, const struct array *in, int64_t i, int64_t n)
{
    v[0] = get(&in[0], n - 1 - i) - 2 * get(&in[0], i) + (i ? get(&in[0], i - 1) : 0);
}
static void index_alone(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)in;
    (void)n;
    v[0] = (double)(i % 3);
}
static void two_elements(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = get(&in[0], i);
    v[1] = get(&in[1], i);
}
static void with_one(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = get(&in[0], i);
    v[1] = 1;
}
static void sign_and_index(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = get(&in[0], i) > 0;
    v[1] = get(&in[0], i);
    v[2] = (double)i;
}
static void two_outputs(double *v, const struct array *in, int64_t i, int64_t n)
{
    (void)n;
    v[0] = get(&in[0], i) + get(&in[1], i);
    v[1] = get(&in[0], i) - get(&in[1], i);
}

#define LARGER                                          \
    "fn larger(x, i, y, j) {\n"                         \
    "    keep = (x > y) | ((x == y) & (i < j))\n"       \
    "    return where(keep, x, y), where(keep, i, j)\n" \
    "}"
#define EXTREMES                                                 \
    "fn low(a, b) { return minimum(a, b) } # not the operator\n" \
    "fn extremes(a, b, n, c, d, m) { return low(a, c), maximum(b, d), n + m }"

// clang-format off
static const struct work {
    const char *inputs[5], *outputs[8], *fn, *identity;
    combine *combine;
    values *values;
    double start[3];
    keep *keep;
} reductions[] = {
    { { "x: f32" }, { "y: f32" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: f16" }, { "y: f32" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: i8" }, { "y: i64" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: u8" }, { "y: f64" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: i16" }, { "y: i16" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: i32" }, { "y: i32" }, "min", NULL, least, element, { INT32_MAX }, NULL },
    { { "x: f32" }, { "y: f32" }, "min", NULL, least, element, { INFINITY }, NULL },
    { { "x: f64" }, { "y: f64" }, "max", NULL, most, element, { -INFINITY }, NULL },
    { { "x: i64" }, { "y: i64" }, "max", NULL, most, element, { -0x1p63 }, NULL },
    { { "x: u16" }, { "y: u32" }, "max", NULL, most, element, { 0 }, NULL },
    { { "x: bf16" }, { "y: bf16" }, "max", NULL, most, element, { -INFINITY }, NULL },
    { { "x: f32", "where(x > 0.0, 2.0, 1.0) ** 0.0" }, { "y: f32" }, "prod", NULL, products, NULL, {
      1 }, NULL },
    { { "x: f32", "y: f32", "x * y" }, { "dot: f32" }, "sum", NULL, sums, product, { 0 }, NULL },
    { { "x: f32", "y: f32", "d = x * y", "d" }, { "dot: f64" }, "fn add(a, b) { return a + b }",
      "0.0", sums, product, { 0 }, NULL },
    { { "x: f32[]", "p: i32", "x[p]" }, { "y: f32" }, "sum", NULL, sums, permuted, { 0 }, NULL },
    { { "x: i32", "x[n - 1 - i] - 2 * x + x [ i - 1 ]" }, { "y: i64" }, "sum", NULL, sums, reversed,
      { 0 }, NULL },
    { { "i % 3" }, { "y: i64" }, "sum", NULL, sums, index_alone, { 0 }, NULL },
    { { "x: f32", "x", "i" }, { "y: f32", "at: i64" }, LARGER, "-inf, 0x7fffffffffffffff",
      first_of_largest, with_index, { -INFINITY, 0x1p63 }, NULL },
    { { "x: i32", "x", "i" }, { "_: i32", "at: i32" }, LARGER, "-0x80000000, 0x7fffffff",
      first_of_largest, with_index, { -0x1p31, INT32_MAX }, NULL },
    { { "x: f32", "x", "x", "1" }, { "a: f32", "b: f32", "n: i64" }, EXTREMES, "inf, -inf, 0",
      extremes, element, { INFINITY, -INFINITY, 0 }, NULL },
};

static const struct work transforms[] = {
    { { "x: f32" }, { "y: f32" }, NULL, NULL, NULL, element, { 0 }, NULL },
    { { "x: f16" }, { "y: i32" }, NULL, NULL, NULL, element, { 0 }, NULL },
    { { "x: f32", "y: f32" }, { "z: f32" }, "fn times(x, y) { return x * y }", NULL, NULL, product,
      { 0 }, NULL },
    { { "x: i32", "y: i8" }, { "s: i32", "d: i64" }, "fn both(x, y) { return x + y, x - y }", NULL,
      NULL, two_outputs, { 0 }, NULL },
    { { "x: i32", "y: i32" }, { "_: i32", "d: i32" }, "fn both(x, y) { return x + y, x - y }", NULL,
      NULL, two_outputs, { 0 }, NULL },
    { { "x: f64[]", "p: i64", "x[p]" }, { "y: f64" }, NULL, NULL, NULL, permuted, { 0 }, NULL },
    { { "x: i32", "x[n - 1 - i] - 2 * x + x[i - 1]" }, { "y: i32" }, NULL, NULL, NULL, reversed, { 0
      }, NULL },
    { { "i % 3" }, { "y: u8" }, NULL, NULL, NULL, index_alone, { 0 }, NULL },
};

#define STEPS "fn steps(g, x, h, y) { return g * h % 7, (x * h + y) % 7 }"

static const struct work scans[] = {
    { { "x: f32" }, { "y: f32" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: i8" }, { "y: i64" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: f16" }, { "y: f64" }, "sum", NULL, sums, element, { 0 }, NULL },
    { { "x: u8" }, { "y: u16" }, "max", NULL, most, element, { 0 }, NULL },
    { { "x: f32" }, { "y: f32" }, "min", NULL, least, element, { INFINITY }, NULL },
    { { "x: bf16" }, { "y: f16" }, "fn larger(a, b) { return maximum(a, b) }", "-inf", most,
      element, { -INFINITY }, NULL },
    { { "x: i32[]", "p: i32", "x[p]" }, { "y: i32" }, "sum", NULL, sums, permuted, { 0 }, NULL },
    { { "i % 3" }, { "y: u32" }, "sum", NULL, sums, index_alone, { 0 }, NULL },
    { { "x: u8", "y: u8" }, { "g: i32", "h: i32" }, STEPS, "1, 0", steps, two_elements, { 1, 0 },
      NULL },
    { { "x: u8", "y: u8" }, { "_: i64", "h: i64" }, STEPS, "1, 0", steps, two_elements, { 1, 0 },
      NULL },
    { { "x: f32", "x", "i" }, { "y: f32", "at: i64" }, LARGER, "-inf, 0x7fffffffffffffff",
      first_of_largest, with_index, { -INFINITY, 0x1p63 }, NULL },
};

#define POSITIVE "fn keep(x) { return x > 0 }"

static const struct work selections[] = {
    { { "x: f32" }, { "y: f32", "c: i64" }, POSITIVE, NULL, NULL, element, { 0 }, positive },
    { { "x: f16" }, { "y: i32", "c: i32" }, POSITIVE, NULL, NULL, element, { 0 }, positive },
    { { "x: i8" }, { "_: i8", "c: u64" }, POSITIVE, NULL, NULL, element, { 0 }, positive },
    { { "x: f64" }, { "y: f64", "_: i64" }, POSITIVE, NULL, NULL, element, { 0 }, positive },
    { { "x: f32", "f: u8" }, { "y: f32", "_: u8", "c: i64" }, "fn keep(x, f) { return f != 0 }",
      NULL, NULL, two_elements, { 0 }, flagged },
    { { "x: i32", "x", "i" }, { "y: i32", "at: i64", "c: i64" }, "fn keep(x, i) { return x > 0 }",
      NULL, NULL, with_index, { 0 }, positive },
    { { "x: f32" }, { "y: f32", "c: i64" }, "fn keep(x) { return true }", NULL, NULL, element, { 0
      }, everything },
    { { "x: f32" }, { "y: f32", "c: i64" }, "fn keep(x) { return x != x }", NULL, NULL, element, { 0
      }, nothing },
    { { "i % 3" }, { "y: i64", "c: i64" }, POSITIVE, NULL, NULL, index_alone, { 0 }, positive },
    { { "x: e4m3" }, { "y: e4m3", "c: i64" }, "fn keep(x) { return cast(x, f32) > 0 }", NULL, NULL,
      element, { 0 }, positive },
    { { "x: i16", "x > 0", "x", "i" }, { "s: bool", "y: bf16", "at: u32", "c: u16" },
      "fn keep(s, x, i) { return s }", NULL, NULL, sign_and_index, { 0 }, positive },
};
static const struct work partitions[] = {
    { { "x: f32" }, { "y: f32", "z: f32", "c: i64" }, POSITIVE, NULL, NULL, element, { 0 }, positive
      },
    { { "x: i32", "x", "i" }, { "y: i32", "_: i64", "z: i16", "at: i32", "c: i64" },
      "fn keep(x, i) { return x > 0 }", NULL, NULL, with_index, { 0 }, positive },
};
static const struct work partitions_of_3[] = {
    { { "x: f32" }, { "y: f32", "z: f32", "u: f32", "c: i64" },
      "fn sign(x) { return where(x < 0.0, 0, where(x > 0.0, 2, 1)) }", NULL, NULL, element, { 0 }, NULL },
    { { "x: i8", "x", "i" }, { "y: i8", "at: i64", "_: i8", "bt: i64", "u: i16", "_: i64", "c: i32" },
      "fn number(x, i) { return x }", NULL, NULL, with_index, { 0 }, NULL },
    { { "x: f64" }, { "_: f64", "z: f64", "_: f64", "_: u64" }, "fn number(x) { return x }", NULL,
      NULL, element, { 0 }, NULL },
};
static part_of_three *const parts_of_3[] = { by_sign, clamped, clamped };
// The first values are keys, of which runs are combined.
static const struct work runs[] = {
    { { "x: u8", "y: f32" }, { "k: u8", "s: f32", "c: i64" }, "sum", NULL, sums, two_elements,
      { 0 }, new_value },
    { { "x: i32", "x", "1" }, { "k: i32", "length: i64", "c: i64" }, "sum", NULL, sums, with_one,
      { 0 }, new_value },
    { { "x: f32", "y: i8" }, { "_: f32", "m: i64", "c: i32" }, "max", NULL, most, two_elements,
      { -0x1p63 }, new_value },
    { { "x: i16", "x > 0", "x", "i" }, { "k: bool", "m: i32", "at: i64", "_: i64" }, LARGER,
      "-0x80000000, 0x7fffffffffffffff", first_of_largest, sign_and_index, { -0x1p31, 0x1p63 },
      new_value },
};
static const struct work run_scans[] = {
    { { "x: u8", "y: f32" }, { "s: f32" }, "sum", NULL, sums, two_elements, { 0 }, new_value },
    { { "x: i32", "x", "1" }, { "s: i64" }, "sum", NULL, sums, with_one, { 0 }, new_value },
    { { "x: i16", "x > 0", "x", "i" }, { "m: i32", "_: i64" }, LARGER,
      "-0x80000000, 0x7fffffffffffffff", first_of_largest, sign_and_index, { -0x1p31, 0x1p63 },
      new_value },
};
static const struct work uniques[] = {
    { { "x: i32" }, { "y: i32", "c: i64" }, NULL, NULL, NULL, element, { 0 }, new_value },
    { { "x: u8", "y: u8" }, { "y: i32", "z: u8", "c: i64" }, NULL, NULL, NULL, two_elements, { 0 },
      new_pair },
    { { "x: f32", "y: f32" }, { "y: f32", "z: f32", "c: i64" },
      "fn same(k, v, l, w) { return (k > 0) == (l > 0) }", NULL, NULL, two_elements, { 0 }, new_sign },
    { { "x: i32[]", "p: i32", "x[p]" }, { "y: i32", "c: i64" }, NULL, NULL, NULL, permuted, { 0 },
      new_value },
};
// clang-format on

// A work's arrays, and its call.
struct arrays {
    struct array in[4], out[7], count, workspace;
    cuc_tensor inputs[4], outputs[7];
    cuc_algorithm_args args;
    bool exclusive;
};

static void make_plan(cuc_algorithm **plan, const struct work *w, int32_t kind, uint32_t flags,
                      int32_t tile)
{
    ck_ok(cuc_algorithm_create(
        plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = kind, .flags = flags, .inputs = w->inputs,
                              .input_count = length_of(w->inputs), .outputs = w->outputs,
                              .output_count = length_of(w->outputs), .fn = w->fn,
                              .identity = w->identity, .tile = tile, .blocks = 1)));
}

// Makes inputs of at least n elements, and outputs of n or of one.
static void make_arrays(struct arrays *a, const cuc_algorithm *plan, int64_t n, bool strided)
{
    const struct cuc__algorithm_kind *k = &plan->kind;
    uint32_t next = 0;

    memset(a, 0, sizeof(*a));
    a->exclusive = k->exclusive;
    a->args = *CUC_ALGORITHM_ARGS(.inputs = a->inputs, .outputs = a->outputs);
    for (uint32_t i = 0; i < k->input_count; i++) {
        struct array *in = &a->in[next];
        if (k->inputs[i].form > CUC__ALGORITHM_WHOLE)
            continue;
        make(in, k->inputs[i].dtype, n, strided ? 3 : 1);
        for (int64_t j = 0; j < n; j++) {
            bool index = strcmp(k->inputs[i].name, "p") == 0;
            int64_t low = tile_is_integer(in->t.dtype) && !tile_is_signed(in->t.dtype) ? 0 : -3;
            set(in, j, (double)(index ? (int64_t)below((uint64_t)n) : (int64_t)below(7) + low));
        }
        send(in);
        a->inputs[next++] = in->t;
    }
    a->args.input_count = next;
    next = 0;
    for (uint32_t i = 0; i < k->output_count; i++) {
        if (k->outputs[i].dropped)
            continue;
        uint32_t counts = plan->family->counts;
        bool few = counts ? i + 1 == k->output_count : !plan->family->by_element;
        make(&a->out[i], k->outputs[i].dtype, !few ? n : counts ? counts : 1, strided ? 2 : 1);
        send(&a->out[i]);
        a->outputs[next++] = a->out[i].t;
    }
    a->args.output_count = next;
}

static void drop_arrays(struct arrays *a)
{
    for (int i = 0; i < CUC_LENGTH(a->in); i++)
        drop(&a->in[i]);
    for (int i = 0; i < CUC_LENGTH(a->out); i++)
        drop(&a->out[i]);
    drop(&a->count);
    drop(&a->workspace);
}

static void check_reduction(const struct work *w, const struct arrays *a, int64_t n)
{
    double r[3], v[3];

    memcpy(r, w->start, sizeof(r));
    for (int64_t i = 0; i < n && w->values; i++) {
        w->values(v, a->in, i, n);
        w->combine(r, v);
    }
    for (int i = 0; i < 4; i++)
        if (a->out[i].buffer) {
            receive(&a->out[i], 1);
            check_value(&a->out[i], 0, r[i], n);
        }
}

static void check_transform(const struct work *w, const struct arrays *a, int64_t n)
{
    double v[3];

    for (int i = 0; i < 4; i++) {
        if (!a->out[i].buffer)
            continue;
        receive(&a->out[i], n);
        for (int64_t j = 0; j < n; j++) {
            w->values(v, a->in, j, n);
            check_value(&a->out[i], j, v[i], n);
        }
    }
}

static void check_scan(const struct work *w, const struct arrays *a, int64_t n)
{
    double r[3], v[3], before[3];

    memcpy(r, w->start, sizeof(r));
    for (int i = 0; i < 4; i++)
        if (a->out[i].buffer)
            receive(&a->out[i], n);
    for (int64_t j = 0; j < n; j++) {
        memcpy(before, r, sizeof(r));
        w->values(v, a->in, j, n);
        w->combine(r, v);
        for (int i = 0; i < 4; i++)
            if (a->out[i].buffer)
                check_value(&a->out[i], j, a->exclusive ? before[i] : r[i], n);
    }
}

// Checks the outputs of elements that are kept, and of the others in a partition.
static void check_selection(const struct work *w, const struct arrays *a, int64_t n)
{
    uint32_t count = length_of(w->outputs) - 1;
    bool three = w >= partitions_of_3 && w < partitions_of_3 + CUC_LENGTH(partitions_of_3);
    bool two = w >= partitions && w < partitions + CUC_LENGTH(partitions);
    part_of_three *part_of = three ? parts_of_3[w - partitions_of_3] : NULL;
    uint32_t parts = three ? 3 : two ? 2 : 1;
    uint32_t width = count / parts;
    int64_t sizes[3] = { 0 }, stored[3] = { 0 };
    double v[3], before[3] = { 0 };

    for (int64_t j = 0; j < n; j++) {
        w->values(v, a->in, j, n);
        sizes[part_of ? part_of(v) : !w->keep(v, before, j)]++;
        memcpy(before, v, sizeof(v));
    }
    for (uint32_t i = 0; i < count; i++)
        if (a->out[i].buffer)
            receive(&a->out[i], sizes[i / width]);
    if (a->out[count].buffer) {
        receive(&a->out[count], three ? 3 : 1);
        for (int i = 0; i < (three ? 3 : 1); i++)
            check_value(&a->out[count], i, (double)sizes[i], n);
    }
    for (int64_t j = 0; j < n; j++) {
        w->values(v, a->in, j, n);
        uint32_t part = part_of ? part_of(v) : !w->keep(v, before, j);
        for (uint32_t i = 0; i < width && part < parts; i++) {
            const struct array *out = &a->out[part * width + i];
            if (out->buffer)
                check_value(out, stored[part], v[i], n);
        }
        stored[part]++;
        memcpy(before, v, sizeof(v));
    }
}

// Checks the results of runs of elements with equal keys, or of the elements in them.
static void check_runs(const struct work *w, const struct arrays *a, int64_t n)
{
    bool scans_runs = w >= run_scans && w < run_scans + CUC_LENGTH(run_scans);
    uint32_t count = length_of(w->outputs) - !scans_runs;
    double(*results)[4] = calloc((size_t)n + 1, sizeof(*results)), v[3], before[3], r[3];
    int64_t kept = 0;

    for (int64_t j = 0; j < n; j++) {
        w->values(v, a->in, j, n);
        bool head = w->keep(v, before, j);
        if (head)
            memcpy(r, w->start, sizeof(r));
        kept += head;
        if (scans_runs && a->exclusive)
            memcpy(results[j], r, sizeof(r));
        w->combine(r, v + 1);
        if (scans_runs && !a->exclusive)
            memcpy(results[j], r, sizeof(r));
        if (!scans_runs) {
            results[kept - 1][0] = v[0];
            memcpy(results[kept - 1] + 1, r, sizeof(r));
        }
        memcpy(before, v, sizeof(v));
    }
    for (uint32_t i = 0; i < count; i++)
        if (a->out[i].buffer) {
            receive(&a->out[i], scans_runs ? n : kept);
            for (int64_t j = 0; j < (scans_runs ? n : kept); j++)
                check_value(&a->out[i], j, results[j][i], n);
        }
    if (!scans_runs && a->out[count].buffer) {
        receive(&a->out[count], 1);
        check_value(&a->out[count], 0, (double)kept, n);
    }
    free(results);
}

typedef void check(const struct work *w, const struct arrays *a, int64_t n);
static check *const checks[] = {
    [CUC_ALGORITHM_TRANSFORM] = check_transform,
    [CUC_ALGORITHM_REDUCE] = check_reduction,
    [CUC_ALGORITHM_SCAN] = check_scan,
    [CUC_ALGORITHM_SELECT] = check_selection,
    [CUC_ALGORITHM_PARTITION3] = check_selection,
    [CUC_ALGORITHM_PARTITION] = check_selection,
    [CUC_ALGORITHM_UNIQUE] = check_selection,
    [CUC_ALGORITHM_REDUCE_BY_KEY] = check_runs,
    [CUC_ALGORITHM_SCAN_BY_KEY] = check_runs,
};

// Runs with n elements: on the host, or on the device in arrays of more.
static void run_work(const struct work *w, cuc_algorithm *plan, int64_t n, int64_t more,
                     bool strided, bool workspace)
{
    struct arrays a;

    make_arrays(&a, plan, n + more, strided);
    a.args.count = a.args.input_count ? 0 : n + more;
    if (plan->kind.device_count) {
        make(&a.count, CUC_I64, 1, 1);
        set(&a.count, 0, (double)n);
        send(&a.count);
        a.args.device_count = &a.count.t;
    } else if (more) {
        a.args.count = n;
    }
    if (workspace) {
        a.args.workspace_bytes = cuc_algorithm_workspace_bytes(plan, n + more);
        make(&a.workspace, CUC_U8, (int64_t)a.args.workspace_bytes + 256, 1);
        a.args.workspace = (a.workspace.t.data + 255) / 256 * 256;
    }
    ck_ok(cuc_algorithm_run(stream, plan, &a.args));
    checks[plan->kind.kind](w, &a, n);
    drop_arrays(&a);
}

static void run_lengths(const struct work *w, int32_t kind, uint32_t flags)
{
    cuc_algorithm *plan, *on_device;

    make_plan(&plan, w, kind, flags, 64);
    make_plan(&on_device, w, kind, flags | CUC_ALGORITHM_DEVICE_COUNT, 64);
    for (int i = 0; i < CUC_LENGTH(lengths); i++) {
        int64_t n = lengths[i];
        run_work(w, plan, n, n % 3, n % 5 == 1, n % 2);
        run_work(w, on_device, n, n % 7, n % 5 == 2, !(n % 2));
    }
    cuc_algorithm_release(plan);
    cuc_algorithm_release(on_device);
}

CASE("algorithms", .setup = setup, .teardown = teardown, .timeout = 300);

TEST_SLICE(reductions_agree_with_the_host, slice, CUC_LENGTH(reductions))
{
    run_lengths(&reductions[_i], CUC_ALGORITHM_REDUCE, 0);
}

TEST_SLICE(transforms_agree_with_the_host, slice, CUC_LENGTH(transforms))
{
    run_lengths(&transforms[_i], CUC_ALGORITHM_TRANSFORM, 0);
}

TEST_SLICE(scans_agree_with_the_host, slice, CUC_LENGTH(scans))
{
    run_lengths(&scans[_i], CUC_ALGORITHM_SCAN, 0);
    run_lengths(&scans[_i], CUC_ALGORITHM_SCAN, CUC_ALGORITHM_EXCLUSIVE);
}

TEST_SLICE(selections_agree_with_the_host, slice, CUC_LENGTH(selections))
{
    run_lengths(&selections[_i], CUC_ALGORITHM_SELECT, 0);
}

TEST_SLICE(partitions_agree_with_the_host, slice, CUC_LENGTH(partitions))
{
    run_lengths(&partitions[_i], CUC_ALGORITHM_PARTITION, 0);
}

TEST_SLICE(partitions_of_three_agree_with_the_host, slice, CUC_LENGTH(partitions_of_3))
{
    run_lengths(&partitions_of_3[_i], CUC_ALGORITHM_PARTITION3, 0);
}

TEST_SLICE(unique_elements_agree_with_the_host, slice, CUC_LENGTH(uniques))
{
    run_lengths(&uniques[_i], CUC_ALGORITHM_UNIQUE, 0);
}

TEST_SLICE(reductions_by_key_agree_with_the_host, slice, CUC_LENGTH(runs))
{
    run_lengths(&runs[_i], CUC_ALGORITHM_REDUCE_BY_KEY, 0);
}

TEST_SLICE(scans_by_key_agree_with_the_host, slice, CUC_LENGTH(run_scans))
{
    run_lengths(&run_scans[_i], CUC_ALGORITHM_SCAN_BY_KEY, 0);
    run_lengths(&run_scans[_i], CUC_ALGORITHM_SCAN_BY_KEY, CUC_ALGORITHM_EXCLUSIVE);
}

TEST(the_default_tiles_agree_with_the_host)
{
    cuc_algorithm *plan;

    for (int i = 0; i < CUC_LENGTH(reductions); i += 6) {
        make_plan(&plan, &reductions[i], CUC_ALGORITHM_REDUCE, 0, 0);
        run_work(&reductions[i], plan, 20011, 0, false, true);
        run_work(&reductions[i], plan, 200003, 0, false, true);
        cuc_algorithm_release(plan);
    }
    for (int i = 0; i < CUC_LENGTH(transforms); i += 3) {
        make_plan(&plan, &transforms[i], CUC_ALGORITHM_TRANSFORM, 0, 0);
        run_work(&transforms[i], plan, 20011, 0, false, false);
        cuc_algorithm_release(plan);
    }
    for (int i = 0; i < CUC_LENGTH(scans); i += 4) {
        make_plan(&plan, &scans[i], CUC_ALGORITHM_SCAN, i ? 0 : CUC_ALGORITHM_EXCLUSIVE, 0);
        run_work(&scans[i], plan, 70011, 0, false, false);
        cuc_algorithm_release(plan);
    }
    const struct {
        const struct work *work;
        int32_t kind;
    } more[] = {
        { &selections[0], CUC_ALGORITHM_SELECT },
        { &selections[5], CUC_ALGORITHM_SELECT },
        { &partitions[0], CUC_ALGORITHM_PARTITION },
        { &partitions_of_3[0], CUC_ALGORITHM_PARTITION3 },
        { &uniques[1], CUC_ALGORITHM_UNIQUE },
        { &runs[0], CUC_ALGORITHM_REDUCE_BY_KEY },
        { &run_scans[1], CUC_ALGORITHM_SCAN_BY_KEY },
    };
    for (int i = 0; i < CUC_LENGTH(more); i++) {
        make_plan(&plan, more[i].work, more[i].kind, 0, 0);
        run_work(more[i].work, plan, 70011, 0, false, false);
        cuc_algorithm_release(plan);
    }
}

static const int32_t of_floats[] = { CUC_ALGORITHM_REDUCE, CUC_ALGORITHM_SCAN };

TEST_ROWS(sums_of_floats_are_equal_in_every_run, of_floats)
{
    enum { COUNT = 20011 };
    cuc_algorithm *plan;
    struct arrays a;

    make_plan(&plan, &reductions[0], of_floats[_i], 0, 64);
    make_arrays(&a, plan, COUNT, false);
    for (int64_t i = 0; i < COUNT; i++)
        set(&a.in[0], i, (double)below(1 << 20) / 977);
    send(&a.in[0]);
    int64_t results = a.out[0].t.shape[0];
    float *first = calloc((size_t)results, sizeof(*first));
    for (int run = 0; run < 4; run++) {
        ck_ok(cuc_algorithm_run(stream, plan, &a.args));
        receive(&a.out[0], results);
        if (run)
            ck_assert_mem_eq(first, at(&a.out[0], 0), (size_t)results * sizeof(*first));
        memcpy(first, at(&a.out[0], 0), (size_t)results * sizeof(*first));
    }
    free(first);
    drop_arrays(&a);
    cuc_algorithm_release(plan);
}

TEST(a_transform_may_write_its_input)
{
    const struct work twice = { .inputs = { "x: f32" },
                                .outputs = { "y: f32" },
                                .fn = "fn twice(x) { return 2.0 * x }" };
    cuc_algorithm *plan;
    struct array x;

    make_plan(&plan, &twice, CUC_ALGORITHM_TRANSFORM, 0, 0);
    make(&x, CUC_F32, 5000, 1);
    for (int64_t i = 0; i < 5000; i++)
        set(&x, i, (double)i);
    send(&x);
    ck_ok(cuc_algorithm_run(
        stream, plan,
        CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1, .outputs = &x.t, .output_count = 1)));
    receive(&x, 5000);
    for (int64_t i = 0; i < 5000; i++)
        ck_assert(get(&x, i) == 2 * (double)i);
    drop(&x);
    cuc_algorithm_release(plan);
}

TEST(a_call_is_captured_with_its_workspace)
{
    cuc_graph *graph;
    cuc_graph_exec *exec;
    cuc_algorithm *plan;
    struct arrays a;

    make_plan(&plan, &reductions[2], CUC_ALGORITHM_REDUCE, 0, 64);
    make_arrays(&a, plan, 20011, false);
    ck_assert_uint_gt(cuc_algorithm_workspace_bytes(plan, 20011), 0);
    ck_ok(cuc_stream_begin_capture(stream, CUC_CAPTURE_THREAD_LOCAL));
    ck_ok(cuc_algorithm_run(stream, plan, &a.args));
    ck_ok(cuc_stream_end_capture(&graph, stream));
    ck_ok(cuc_graph_instantiate(&exec, graph, NULL));
    for (int run = 0; run < 2; run++) {
        for (int64_t i = 0; i < 20011; i++)
            set(&a.in[0], i, (double)below(9) - 4);
        send(&a.in[0]);
        ck_ok(cuc_graph_exec_launch(stream, exec));
        check_reduction(&reductions[2], &a, 20011);
    }
    cuc_graph_exec_release(exec);
    cuc_graph_release(graph);
    drop_arrays(&a);
    cuc_algorithm_release(plan);
}

TEST(one_line_calls_select_and_find_unique_elements)
{
    struct array x, y, few, count;

    make(&x, CUC_I32, 3000, 1);
    make(&y, CUC_F32, 3000, 1);
    make(&few, CUC_F32, 5, 1);
    make(&count, CUC_I64, 1, 1);
    for (int64_t i = 0; i < 3000; i++)
        set(&x, i, (double)(i / 3 % 100));
    send(&x);
    send(&y);
    send(&few);
    send(&count);
    ck_ok(cuc_select(stream, "fn large(x) { return x >= 98 }", &x.t, &y.t, &count.t));
    receive(&count, 1);
    ck_assert(get(&count, 0) == 60);
    receive(&y, 60);
    for (int64_t i = 0; i < 60; i++)
        ck_assert(get(&y, i) == 98 + (double)(i / 3 % 2));
    ck_ok(cuc_unique(stream, &x.t, &y.t, &count.t));
    receive(&count, 1);
    ck_assert(get(&count, 0) == 1000);
    receive(&y, 1000);
    for (int64_t i = 0; i < 1000; i++)
        ck_assert(get(&y, i) == (double)(i % 100));
    ck_ok(cuc_unique(stream, &x.t, &few.t, &count.t)); // the others are dropped
    receive(&count, 1);
    ck_assert(get(&count, 0) == 1000);
    receive(&few, 5);
    ck_assert(get(&few, 4) == 4);
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_select(stream, NULL, &x.t, &y.t, &count.t),
             "fn is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_select(stream, "sum", &x.t, &y.t, &count.t),
             "fn is sum, expected a function");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_unique(stream, NULL, &y.t, &count.t), "x is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_unique(stream, &x.t, &x.t, &count.t),
             "outputs[0], y, overlaps inputs[0], x");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_unique(stream, &x.t, &y.t, &few.t),
             "count, is of f32, expected an integer");
    drop(&x);
    drop(&y);
    drop(&few);
    drop(&count);
}

TEST(one_line_calls_keep_their_plans)
{
    struct array x, y, sum;

    make(&sum, CUC_I32, 3000, 1);
    send(&sum);
    make(&x, CUC_I32, 3000, 1);
    make(&y, CUC_I64, 1, 1);
    for (int64_t i = 0; i < 3000; i++)
        set(&x, i, (double)(i % 100));
    send(&x);
    send(&y);
    for (int run = 0; run < 3; run++) {
        ck_ok(cuc_reduce(stream, "sum", NULL, &x.t, &y.t));
        receive(&y, 1);
        ck_assert(get(&y, 0) == 30 * 4950);
        ck_ok(cuc_reduce(stream, "max", NULL, &x.t, &y.t));
        receive(&y, 1);
        ck_assert(get(&y, 0) == 99);
        ck_ok(cuc_reduce(stream, "fn either(a, b) { return a | b }", "0", &x.t, &y.t));
        receive(&y, 1);
        ck_assert(get(&y, 0) == 127);
    }
    for (uint32_t flags = 0; flags <= CUC_ALGORITHM_EXCLUSIVE; flags += CUC_ALGORITHM_EXCLUSIVE) {
        ck_ok(cuc_scan(stream, "sum", NULL, flags, &x.t, &sum.t));
        receive(&sum, 3000);
        ck_assert(get(&sum, 0) == 0 && get(&sum, 1) == (flags ? 0 : 1));
        ck_assert(get(&sum, 2999) == 30 * 4950 - (flags ? 99 : 0));
    }
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_reduce(stream, "mean", NULL, &x.t, &y.t),
             "fn is mean, expected sum, prod, min, max, or a function");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_reduce(stream, NULL, NULL, &x.t, &y.t), "fn is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_reduce(stream, "sum", NULL, NULL, &y.t), "x is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_scan(stream, "sum", NULL, 0, &x.t, NULL), "y is NULL");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT,
             cuc_scan(stream, "sum", NULL, CUC_ALGORITHM_DEVICE_COUNT, &x.t, &sum.t),
             "flags is 0x1, expected CUC_ALGORITHM_EXCLUSIVE or 0");
    ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_scan(stream, "sum", NULL, 0, &x.t, &y.t),
             "outputs[0], y, has 1 elements, expected 3000");
    drop(&sum);
    drop(&x);
    drop(&y);
}

// Gets the kept plan of a scan that adds a number to its sums.
static cuc_algorithm *kept_plan(int number)
{
    const cuc_tensor x = { .dtype = CUC_F32 }, y = { .dtype = CUC_I64 };
    const char *inputs[] = { "x: %s" }, *outputs[] = { "y: %s" };
    cuc_algorithm *plan = NULL;
    char fn[64];

    snprintf(fn, sizeof(fn), "fn f(a, b) { return a + b + %d }", number);
    ck_ok(cuc__algorithm_get_kept(
        &plan, device,
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SCAN, .inputs = inputs, .input_count = 1,
                              .outputs = outputs, .output_count = 1, .fn = fn, .identity = "0"),
        CUC_ALGORITHM_ARGS(.inputs = &x, .input_count = 1, .outputs = &y, .output_count = 1)));
    return plan;
}

TEST(the_plans_used_most_recently_are_kept)
{
    cuc_algorithm *plans[CUC__ALGORITHM_KEPT + 1], *again;

    for (int i = 0; i < CUC__ALGORITHM_KEPT; i++)
        plans[i] = kept_plan(i);
    ck_assert_int_eq(cuc__algorithm_kept_count(), CUC__ALGORITHM_KEPT);
    again = kept_plan(0);
    ck_assert_ptr_eq(again, plans[0]);
    cuc_algorithm_release(again);
    plans[CUC__ALGORITHM_KEPT] = kept_plan(CUC__ALGORITHM_KEPT); // in place of plan 1
    ck_assert_int_eq(cuc__algorithm_kept_count(), CUC__ALGORITHM_KEPT);
    for (int i = CUC__ALGORITHM_KEPT; i >= 0; i--) {
        int plan = i > 1 ? i : !i; // plan 1 comes last, because it replaces another
        again = kept_plan(plan);
        ck_assert_msg((again == plans[plan]) == (plan != 1), "plan %d", plan);
        cuc_algorithm_release(again);
        cuc_algorithm_release(plans[plan]);
    }
}

struct worker {
    pthread_t thread;
    cuc_stream *stream;
    struct array x, y;
};

static void *reduce_in_many_ways(void *argument)
{
    struct worker *w = argument;

    for (int i = 0; i < 40; i++) {
        char fn[64];
        snprintf(fn, sizeof(fn), "fn f(a, b) { return (a + b) ^ %d }", 1000 + i);
        ck_ok(cuc_reduce(w->stream, fn, "0", &w->x.t, &w->y.t));
    }
    ck_ok(cuc_stream_synchronize(w->stream));
    return NULL;
}

TEST(threads_share_kept_plans)
{
    struct worker workers[4] = { 0 };

    for (int i = 0; i < CUC_LENGTH(workers); i++) {
        ck_ok(cuc_stream_create(&workers[i].stream, device, NULL));
        make(&workers[i].x, CUC_I32, 100, 1);
        workers[i].x.t.data += 4; // without alignment: an entry that a launch opens
        workers[i].x.t.shape[0] = 99;
        make(&workers[i].y, CUC_I32, 1, 1);
        send(&workers[i].x);
    }
    ck_ok(cuc_stream_synchronize(stream));
    for (int i = 0; i < CUC_LENGTH(workers); i++)
        ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, reduce_in_many_ways, &workers[i]),
                         0);
    for (int i = 0; i < CUC_LENGTH(workers); i++) {
        pthread_join(workers[i].thread, NULL);
        cuc_stream_release(workers[i].stream);
        drop(&workers[i].x);
        drop(&workers[i].y);
    }
    ck_assert_int_ge(cuc__algorithm_kept_count(), 40);
    ck_assert_int_le(cuc__algorithm_kept_count(), CUC__ALGORITHM_KEPT);
}

// x[j] and lower_bound() end at the number of elements, whichever argument has it.
TEST(expressions_read_only_counted_elements)
{
    const struct work work = { .inputs = { "x: i32", "x[i + 1]", "lower_bound(x, x * 0 + 1000)" },
                               .outputs = { "next: i32", "size: i32" } };

    for (uint32_t flags = 0; flags <= CUC_ALGORITHM_DEVICE_COUNT; flags++) {
        cuc_algorithm *plan;
        struct array x, next, size, count;
        make_plan(&plan, &work, CUC_ALGORITHM_TRANSFORM, flags, 64);
        make(&x, CUC_I32, 200, 1);
        make(&next, CUC_I32, 200, 1);
        make(&size, CUC_I32, 200, 1);
        make(&count, CUC_I64, 1, 1);
        for (int64_t i = 0; i < 200; i++)
            set(&x, i, (double)i + 1);
        set(&count, 0, 100);
        send(&x);
        send(&next);
        send(&size);
        send(&count);
        const cuc_tensor outputs[] = { next.t, size.t };
        ck_ok(cuc_algorithm_run(stream, plan,
                                CUC_ALGORITHM_ARGS(.inputs = &x.t, .input_count = 1,
                                                   .outputs = outputs, .output_count = 2,
                                                   .count = flags ? 0 : 100,
                                                   .device_count = flags ? &count.t : NULL)));
        receive(&next, 100);
        receive(&size, 100);
        for (int64_t i = 0; i < 100; i++) {
            ck_assert_double_eq(get(&next, i), i < 99 ? (double)i + 2 : 0);
            ck_assert_double_eq(get(&size, i), 100);
        }
        drop(&x);
        drop(&next);
        drop(&size);
        drop(&count);
        cuc_algorithm_release(plan);
    }
}

TEST(a_scan_by_key_may_write_its_values_but_not_its_keys)
{
    const struct work works[] = {
        { .inputs = { "k: i32", "x: i32" }, .outputs = { "y: i32" }, .fn = "sum" },
        { .inputs = { "k: i32", "x: i32", "k + 1", "x" }, .outputs = { "y: i32" }, .fn = "sum" },
    };
    struct array k, x;

    make(&k, CUC_I32, 5000, 1);
    make(&x, CUC_I32, 5000, 1);
    for (int row = 0; row < CUC_LENGTH(works); row++) {
        cuc_algorithm *plan;
        make_plan(&plan, &works[row], CUC_ALGORITHM_SCAN_BY_KEY, 0, 64);
        for (int64_t i = 0; i < 5000; i++) {
            set(&k, i, (double)(i / 50 * 2));
            set(&x, i, 1);
        }
        send(&k);
        send(&x);
        const cuc_tensor in[] = { k.t, x.t };
        cuc_algorithm_args args =
            *CUC_ALGORITHM_ARGS(.inputs = in, .input_count = 2, .outputs = &k.t, .output_count = 1);
        ck_fails(CUC_ERROR_INVALID_ARGUMENT, cuc_algorithm_run(stream, plan, &args),
                 "in_k and out_y share bytes");
        args.outputs = &x.t;
        ck_ok(cuc_algorithm_run(stream, plan, &args));
        receive(&x, 5000);
        for (int64_t i = 0; i < 5000; i++)
            ck_assert_double_eq(get(&x, i), (double)(i % 50 + 1));
        cuc_algorithm_release(plan);
    }
    drop(&k);
    drop(&x);
}

// The identity of `min` and `max` is of the output's type, not of the wider one that combines.
TEST(extremes_of_no_elements_are_of_the_output)
{
    const struct {
        cuc_dtype dtype;
        double least, largest;
    } rows[] = { { CUC_I8, -128, 127 },
                 { CUC_U8, 0, 255 },
                 { CUC_I16, -32768, 32767 },
                 { CUC_U16, 0, 65535 },
                 { CUC_I32, INT32_MIN, INT32_MAX } };

    for (int i = 0; i < CUC_LENGTH(rows); i++) {
        struct array x, y, first;
        make(&x, rows[i].dtype, 0, 1);
        make(&y, rows[i].dtype, 1, 1);
        make(&first, rows[i].dtype, 1, 1);
        send(&y);
        send(&first);
        ck_ok(cuc_reduce(stream, "min", NULL, &x.t, &y.t));
        ck_ok(cuc_scan(stream, "max", NULL, CUC_ALGORITHM_EXCLUSIVE, &y.t, &first.t));
        receive(&y, 1);
        receive(&first, 1);
        ck_assert_double_eq(get(&y, 0), rows[i].largest);
        ck_assert_double_eq(get(&first, 0), rows[i].least);
        drop(&x);
        drop(&y);
        drop(&first);
    }
}

TEST(a_plan_shows_its_program)
{
    cuc_algorithm *plan;

    make_plan(&plan, &reductions[14], CUC_ALGORITHM_REDUCE, 0, 0);
    ck_assert_ptr_nonnull(strstr(cuc_algorithm_source(plan), "gather(in_x, [p])"));
    ck_assert_ptr_nonnull(strstr(cuc_algorithm_source(plan), "kernel reduce_parts(in_x: f32[L0]"));
    ck_assert_ptr_null(cuc_algorithm_source(NULL));
    ck_assert_uint_eq(cuc_algorithm_workspace_bytes(plan, 100), 0);
    ck_assert_uint_eq(cuc_algorithm_workspace_bytes(NULL, 1 << 20), 0);
    ck_assert_ptr_eq(cuc_algorithm_retain(plan), plan);
    cuc_algorithm_release(plan);
    cuc_algorithm_release(plan);
}

int main(int argc, char **argv)
{
    if (argc > 1 && (!slice_asked(argc, argv) || !slice_read(&slice, argv)))
        return 2;
    return run_device_tests("algorithms");
}
