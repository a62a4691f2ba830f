// The algorithms of <cucore/algorithm.h> on whole arrays, beside PyTorch and CuPy.
#include "algorithms.h"

#include "base/array.h"
#include "draw.h"
#include "peers.h"
#include "suites.h"

#include <cucore/error.h>
#include <cucore/system.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Arrays and plans

static cuc_status add_array(algorithm_point *p, cuc_bench_input **input, cuc_tensor *tensor,
                            const cuc_bench_input_options *options, bool rows)
{
    const int64_t shape[] = { p->rows, (int64_t)options->count / p->rows };
    cuc_status st = cuc_bench_state_add_input(input, p->state, options);

    return st < 0 ? st
                  : cuc_tensor_from_pointer(tensor, cuc_bench_input_ptr(*input, 0), options->dtype,
                                            rows ? 2 : 1, rows ? shape : shape + 1,
                                            cuc_device_ordinal(cuc_bench_state_device(p->state)));
}

// Add an input; low and high as for the generator.
static cuc_status add_input(algorithm_point *p, cuc_dtype dtype, int64_t count, int32_t fill,
                            double low, double high)
{
    uint32_t i = p->in_count++;

    p->bytes += (double)count * cuc_dtype_bits(dtype) / 8;
    return add_array(p, &p->in[i], &p->inputs[i],
                     CUC_BENCH_INPUT(.dtype = dtype, .count = (uint64_t)count, .fill = fill,
                                     .low = low, .high = high),
                     p->rows > 1);
}

// Add an output, of which `used` elements count as written.
static cuc_status add_output(algorithm_point *p, cuc_dtype dtype, int64_t count, int64_t used)
{
    uint32_t i = p->out_count++;

    p->bytes += (double)used * cuc_dtype_bits(dtype) / 8;
    return add_array(p, &p->out[i], &p->outputs[i],
                     CUC_BENCH_INPUT(.dtype = dtype, .count = (uint64_t)count,
                                     .fill = CUC_BENCH_ZEROS, .flags = CUC_BENCH_INPUT_RESULT),
                     p->rows > 1);
}

static cuc_status add_random(algorithm_point *p)
{
    return add_input(p, p->dtype, p->rows * p->n, CUC_BENCH_UNIFORM, 0, 0);
}

static void drop_plan(void *plan)
{
    cuc_algorithm_release(plan);
}

// Split texts at | and write the point's dtype for @.
static uint32_t split(const char **out, char *text, size_t size, const char *from, cuc_dtype dtype)
{
    uint32_t count = 0;
    size_t used = 0;

    out[count++] = text;
    for (; *from && used + 8 < size; from++)
        if (*from == '@') {
            used += (size_t)snprintf(text + used, size - used, "%s", cuc_dtype_name(dtype));
        } else if (*from == '|') {
            text[used++] = '\0';
            out[count++] = text + used;
        } else {
            text[used++] = *from;
        }
    text[used] = '\0';
    return count;
}

// Create a plan with a workspace. `inputs` and `outputs` are texts separated by |, in which @ is
// the point's dtype.
static cuc_status make_plan(algorithm_point *p, cuc_algorithm **plan, cuc_bench_input **workspace,
                            cuc_algorithm_options *o, const char *inputs, const char *outputs)
{
    const char *in[CUC_ALGORITHM_MAX_ARRAYS], *out[CUC_ALGORITHM_MAX_ARRAYS];
    char in_text[96], out_text[96];
    cuc_status st;

    o->inputs = in;
    o->outputs = out;
    o->input_count = split(in, in_text, sizeof(in_text), inputs, p->dtype);
    o->output_count = split(out, out_text, sizeof(out_text), outputs, p->dtype);
    o->count = p->n;
    if ((st = cuc_algorithm_create(plan, cuc_bench_state_device(p->state), o)) < 0 ||
        (st = cuc_bench_state_defer(p->state, drop_plan, *plan)) < 0)
        return st;
    uint64_t bytes = cuc_algorithm_workspace_bytes(*plan, p->n);
    if (bytes)
        *workspace = bench_input(p->state, CUC_U8, bytes, CUC_BENCH_NONE, 1);
    return bytes && !*workspace ? cuc_error_status() : CUC_OK;
}

#define PLAN(p, inputs, outputs, ...)                                                         \
    make_plan((p), &(p)->plan, &(p)->workspace, CUC_ALGORITHM_OPTIONS(__VA_ARGS__), (inputs), \
              (outputs))

static cuc_status run_one(cuc_stream *stream, cuc_algorithm *plan, const cuc_bench_input *workspace,
                          const cuc_tensor *inputs, uint32_t in_count, const cuc_tensor *outputs,
                          uint32_t out_count)
{
    return cuc_algorithm_run(
        stream, plan,
        CUC_ALGORITHM_ARGS(.inputs = inputs, .input_count = in_count, .outputs = outputs,
                           .output_count = out_count,
                           .workspace = cuc_bench_input_ptr(workspace, 0),
                           .workspace_bytes = workspace ? cuc_bench_input_bytes(workspace) : 0));
}

static cuc_status run_plan(algorithm_point *p, cuc_stream *stream)
{
    return run_one(stream, p->plan, p->workspace, p->inputs, p->in_count, p->outputs, p->out_count);
}

// Sort an input in place, in each set.
static cuc_status sort_input(algorithm_point *p, uint32_t which)
{
    cuc_stream *stream = cuc_bench_state_stream(p->state);
    cuc_tensor x = p->inputs[which];
    cuc_status st = CUC_OK;

    for (uint64_t set = 0; set < cuc_bench_input_sets(p->in[which]) && st >= 0; set++) {
        x.data = cuc_bench_input_ptr(p->in[which], set);
        st = cuc_sort(stream, 0, &x, &x, NULL, NULL);
    }
    return st < 0 ? st : cuc_stream_synchronize(stream);
}

// ---- The kinds

static cuc_status make_sum(algorithm_point *p)
{
    bool whole = p->dtype == CUC_I32 || p->dtype == CUC_I64;
    cuc_status st = add_random(p);

    if (st < 0 || (st = add_output(p, whole ? CUC_I64 : p->dtype, 1, 1)) < 0)
        return st;
    return PLAN(p, "x: @", whole ? "y: i64" : "y: @", .kind = CUC_ALGORITHM_REDUCE, .fn = "sum");
}

static cuc_status make_scan(algorithm_point *p)
{
    bool any = strcmp(p->of, "any_order") == 0;
    cuc_status st = add_random(p);

    if (!any && *p->of && strcmp(p->of, "run_to_run") != 0)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "of is %s: run_to_run and any_order are known", p->of);
    if (st < 0 || (st = add_output(p, p->dtype, p->n, p->n)) < 0)
        return st;
    return PLAN(p, "x: @", "y: @", .kind = CUC_ALGORITHM_SCAN, .fn = "sum",
                .determinism = any ? CUC_ALGORITHM_ANY_ORDER : CUC_ALGORITHM_RUN_TO_RUN);
}

static cuc_status make_sort(algorithm_point *p)
{
    cuc_status st = add_random(p);

    if (st < 0 || (st = add_output(p, p->dtype, p->rows * p->n, p->rows * p->n)) < 0)
        return st;
    return PLAN(p, "x: @", "y: @",
                .kind = (p->kind->flags & HAS_SHAPE) ? CUC_ALGORITHM_SORT_SEGMENTS
                                                     : CUC_ALGORITHM_SORT);
}

static cuc_status make_argsort(algorithm_point *p)
{
    cuc_status st = add_random(p);

    if (st < 0 || (st = add_output(p, p->dtype, p->n, p->n)) < 0 ||
        (st = add_output(p, CUC_I64, p->n, p->n)) < 0)
        return st;
    return PLAN(p, "x: @|x|i", "y: @|at: i64", .kind = CUC_ALGORITHM_SORT);
}

static cuc_status make_select(algorithm_point *p)
{
    cuc_status st = add_random(p);

    if (st < 0 || (st = add_output(p, p->dtype, p->n, p->n / 2)) < 0 ||
        (st = add_output(p, CUC_I64, 1, 1)) < 0)
        return st;
    return PLAN(p, "x: @", "y: @|count: i64", .kind = CUC_ALGORITHM_SELECT,
                .fn = "fn positive(x) { return x > 0 }");
}

// Some 64 elements are equal to each other.
static int64_t values_of(const algorithm_point *p)
{
    return p->n / 64 ? p->n / 64 : 1;
}

static cuc_status run_sort_unique(algorithm_point *p, cuc_stream *stream)
{
    cuc_tensor sorted = p->inputs[0];

    sorted.data = cuc_bench_input_ptr(p->scratch, 0);
    cuc_status st = run_one(stream, p->first, p->first_workspace, p->inputs, 1, &sorted, 1);
    return st < 0 ? st : run_one(stream, p->plan, p->workspace, &sorted, 1, p->outputs, 2);
}

static cuc_status make_unique(algorithm_point *p)
{
    bool unsorted = strcmp(p->of, "unsorted") == 0;
    cuc_status st;

    if (!unsorted && *p->of && strcmp(p->of, "sorted") != 0)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "of is %s: sorted and unsorted are known",
                          p->of);
    if ((st = add_input(p, p->dtype, p->n, CUC_BENCH_INTEGERS, 0, (double)values_of(p) - 1)) < 0 ||
        (st = add_output(p, p->dtype, p->n, values_of(p))) < 0 ||
        (st = add_output(p, CUC_I64, 1, 1)) < 0 ||
        (st = PLAN(p, "x: @", "y: @|count: i64", .kind = CUC_ALGORITHM_UNIQUE)) < 0)
        return st;
    if (!unsorted)
        return sort_input(p, 0);
    p->run = run_sort_unique;
    if (!(p->scratch = bench_input(p->state, p->dtype, (uint64_t)p->n, CUC_BENCH_NONE, 1)))
        return cuc_error_status();
    return make_plan(p, &p->first, &p->first_workspace,
                     CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_SORT), "x: @", "y: @");
}

static cuc_status make_topk(algorithm_point *p)
{
    cuc_status st = add_random(p);

    p->k = 64;
    if (st < 0 || (st = add_output(p, p->dtype, p->rows * p->k, p->rows * p->k)) < 0 ||
        (st = add_output(p, CUC_I64, p->rows * p->k, p->rows * p->k)) < 0)
        return st;
    return PLAN(p, "x: @|x|i", "y: @|at: i64",
                .kind = (p->kind->flags & HAS_SHAPE) ? CUC_ALGORITHM_TOPK_ROWS : CUC_ALGORITHM_TOPK,
                .k = p->k);
}

static cuc_status run_histogram(algorithm_point *p, cuc_stream *stream)
{
    return cuc_histogram(stream, 0, p->high, &p->inputs[0], &p->outputs[0]);
}

// Put 15/16 of random bytes into one bin.
static cuc_status skew(algorithm_point *p)
{
    static const char *const in[] = { "x: u8" }, *const out[] = { "y: u8" };
    cuc_stream *stream = cuc_bench_state_stream(p->state);
    cuc_algorithm *plan;
    cuc_tensor x = p->inputs[0];
    cuc_status st = cuc_algorithm_create(
        &plan, cuc_bench_state_device(p->state),
        CUC_ALGORITHM_OPTIONS(.kind = CUC_ALGORITHM_TRANSFORM, .inputs = in, .input_count = 1,
                              .outputs = out, .output_count = 1,
                              .fn = "fn skew(x) { return where(x < 240, 7, x) }"));

    if (st < 0)
        return st;
    for (uint64_t set = 0; set < cuc_bench_input_sets(p->in[0]) && st >= 0; set++) {
        x.data = cuc_bench_input_ptr(p->in[0], set);
        st = run_one(stream, plan, NULL, &x, 1, &x, 1);
    }
    cuc_algorithm_release(plan);
    return st < 0 ? st : cuc_stream_synchronize(stream);
}

static cuc_status make_histogram(algorithm_point *p)
{
    bool bytes = p->dtype == CUC_U8;
    cuc_status st;

    p->bins = bytes ? 256 : (int32_t)cuc_bench_state_int(p->state, "bins");
    p->high = bytes ? 256 : 1;
    p->run = run_histogram;
    if (p->bins < 1 || p->bins > 1 << 20 || (p->bins & (p->bins - 1)))
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "bins is %d, expected a power of two up to 2^20", p->bins);
    if (bytes && strcmp(p->of, "random") != 0 && strcmp(p->of, "skewed") != 0)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "of is %s: random and skewed are known",
                          p->of);
    if ((st = add_input(p, p->dtype, p->n, bytes ? CUC_BENCH_INTEGERS : CUC_BENCH_UNIFORM, 0,
                        bytes ? 255 : 1)) < 0 ||
        (st = add_output(p, CUC_I32, p->bins, p->bins)) < 0)
        return st;
    return strcmp(p->of, "skewed") == 0 ? skew(p) : CUC_OK;
}

static cuc_status make_reduce_by_key(algorithm_point *p)
{
    cuc_status st;

    if ((st = add_input(p, CUC_I32, p->n, CUC_BENCH_INTEGERS, 0, (double)values_of(p) - 1)) < 0 ||
        (st = add_input(p, p->dtype, p->n, CUC_BENCH_INTEGERS, -4, 4)) < 0 ||
        (st = add_output(p, CUC_I32, p->n, values_of(p))) < 0 ||
        (st = add_output(p, p->dtype, p->n, values_of(p))) < 0 ||
        (st = add_output(p, CUC_I64, 1, 1)) < 0 || (st = sort_input(p, 0)) < 0)
        return st;
    return PLAN(p, "key: i32|x: @", "runs: i32|sum: @|count: i64",
                .kind = CUC_ALGORITHM_REDUCE_BY_KEY, .fn = "sum");
}

static cuc_status make_merge(algorithm_point *p)
{
    int64_t half = p->n / 2;
    cuc_status st;

    if ((st = add_input(p, p->dtype, half, CUC_BENCH_UNIFORM, 0, 0)) < 0 ||
        (st = add_input(p, p->dtype, p->n - half, CUC_BENCH_UNIFORM, 0, 0)) < 0 ||
        (st = add_output(p, p->dtype, p->n, p->n)) < 0 || (st = sort_input(p, 0)) < 0 ||
        (st = sort_input(p, 1)) < 0)
        return st;
    return PLAN(p, "x: @|y: @", "z: @", .kind = CUC_ALGORITHM_MERGE);
}

// Each value is in a half once on average, and in the union some 1.5 times.
static cuc_status make_union(algorithm_point *p)
{
    int64_t half = p->n / 2;
    cuc_status st;

    if ((st = add_input(p, p->dtype, half, CUC_BENCH_INTEGERS, 0, (double)half - 1)) < 0 ||
        (st = add_input(p, p->dtype, p->n - half, CUC_BENCH_INTEGERS, 0, (double)half - 1)) < 0 ||
        (st = add_output(p, p->dtype, p->n, half)) < 0 || (st = add_output(p, CUC_I64, 1, 1)) < 0 ||
        (st = sort_input(p, 0)) < 0 || (st = sort_input(p, 1)) < 0)
        return st;
    return PLAN(p, "x: @|y: @", "z: @|count: i64", .kind = CUC_ALGORITHM_UNION);
}

static cuc_status run_search(algorithm_point *p, cuc_stream *stream)
{
    return cuc_search(stream, 0, &p->inputs[0], &p->inputs[1], &p->outputs[0]);
}

static cuc_status make_search(algorithm_point *p)
{
    cuc_status st = add_random(p);

    p->run = run_search;
    if (st < 0 || (st = add_random(p)) < 0 || (st = add_output(p, CUC_I64, p->n, p->n)) < 0)
        return st;
    return sort_input(p, 0);
}

static algorithm_kind kinds[] = {
    // Not const, because the `data` of the suite's cases points to these rows.
    // clang-format off
    { "sum",             make_sum,           bench_check_sum,           CUC_F32, 0 },
    { "scan",            make_scan,          bench_check_scan,          CUC_F32, HAS_OF },
    { "sort",            make_sort,          bench_check_sort,          0,       0 },
    { "argsort",         make_argsort,       bench_check_argsort,       0,       0 },
    { "sort_rows",       make_sort,          bench_check_sort,          CUC_F32, HAS_SHAPE },
    { "select",          make_select,        bench_check_select,        CUC_F32, PEERS_WAIT },
    { "unique",          make_unique,        bench_check_unique,        CUC_I32, HAS_OF | PEERS_WAIT },
    { "topk",            make_topk,          bench_check_topk,          CUC_F32, 0 },
    { "topk_rows",       make_topk,          bench_check_topk,          CUC_F32, HAS_SHAPE },
    { "histogram_bytes", make_histogram,     bench_check_histogram,     CUC_U8,  HAS_OF },
    { "histogram",       make_histogram,     bench_check_histogram,     CUC_F32, 0 },
    { "reduce_by_key",   make_reduce_by_key, bench_check_reduce_by_key, CUC_F32, 0 },
    { "merge",           make_merge,         bench_check_merge,         CUC_F32, 0 },
    { "union",           make_union,         bench_check_union,         CUC_I32, 0 },
    { "search",          make_search,        bench_check_search,        CUC_F32, 0 },
    // clang-format on
};

enum {
    SUM,
    SCAN,
    SORT,
    ARGSORT,
    SORT_ROWS,
    SELECT,
    UNIQUE,
    TOPK,
    TOPK_ROWS,
    HISTOGRAM_BYTES,
    HISTOGRAM,
    REDUCE_BY_KEY,
    MERGE,
    UNION,
    SEARCH
};

// ---- The subject

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    algorithm_point *p = data;

    for (uint32_t i = 0; i < p->in_count; i++)
        p->inputs[i].data = cuc_bench_input_ptr(p->in[i], set);
    for (uint32_t i = 0; i < p->out_count; i++)
        p->outputs[i].data = cuc_bench_input_ptr(p->out[i], set);
    return p->run(p, stream);
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    algorithm_point *p = data;
    cuc_status st;

    if ((st = run(p, stream, 0)) < 0 || (st = cuc_stream_synchronize(stream)) < 0)
        return st;
    return p->kind->check(p, why, why_size);
}

static cuc_status add_peers(algorithm_point *p, uint32_t mode)
{
    static const char *const others[] = { "cupy", NULL };
    const char *name = p->kind->name;
    json_t *axes = json_pack("{s:s, s:I, s:I, s:I, s:i, s:s}", "dtype", cuc_dtype_name(p->dtype),
                             "rows", (json_int_t)p->rows, "n", (json_int_t)p->n, "k",
                             (json_int_t)p->k, "bins", (int)p->bins, "of", p->of);
    cuc_status st = bench_peer_add(p->state, "torch", CUC_BENCH_PEER, mode, "algorithms", name,
                                   json_incref(axes));

    if (st < 0) {
        json_decref(axes);
        return st;
    }
    return bench_peers_add(p->state, others, mode, "algorithms", name, axes);
}

static cuc_status finish(algorithm_point *p, bool drawn)
{
    cuc_bench_subject s = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    cuc_status st;

    if (cuc_driver_is_simulated() && p->rows * p->n > 1 << 20)
        return cuc_bench_state_skip(p->state,
                                    "simulated: 2^20 elements are the most that is measured");
    p->run = run_plan;
    if ((st = cuc_device_set_current(cuc_bench_state_device(p->state), NULL)) < 0)
        return st;
    if ((st = p->kind->make(p)) < 0)
        return st;
    s.name = "cucore";
    s.data = p;
    s.run = run;
    s.check = check;
    s.modes = drawn && !(p->kind->flags & PEERS_WAIT) ? bench_draw_mode(0, p->bytes)
                                                      : CUC_BENCH_COLD;
    work.bytes = p->bytes;
    work.items = (double)(p->rows * p->n);
    work.item = "elements";
    if ((st = cuc_bench_state_add_subject(p->state, &s)) < 0 ||
        (st = cuc_bench_state_set_work(p->state, &work)) < 0)
        return st;
    return add_peers(p, s.modes);
}

static cuc_status read_extents(algorithm_point *p)
{
    const int64_t most = 1ll << 32;
    const char *text = (p->kind->flags & HAS_SHAPE) ? cuc_bench_state_text(p->state, "shape") : "";
    long long rows = 1, n;
    char more;

    if (!(p->kind->flags & HAS_SHAPE))
        n = cuc_bench_state_int(p->state, "n");
    else if (sscanf(text, "%lldx%lld%c", &rows, &n, &more) != 2)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "shape is %s, expected ROWSxCOLUMNS", text);
    if (n < 2 || n > most || rows < 1 || rows > most / n)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "there are %lld elements, expected 2 to 2^32 in all", n);
    p->rows = rows;
    p->n = n;
    return CUC_OK;
}

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    algorithm_point *p = bench_allocate(state, sizeof(*p));
    cuc_status st;

    if (!p)
        return cuc_error_status();
    p->state = state;
    p->kind = data;
    p->of = (p->kind->flags & HAS_OF) ? cuc_bench_state_text(state, "of") : "";
    p->dtype = p->kind->dtype ? p->kind->dtype : cuc_bench_state_dtype(state, "dtype");
    if ((st = read_extents(p)) < 0)
        return st;
    return finish(p, false);
}

// ---- Random points, such as sort.f32.n123456

static algorithm_kind *const drawn_kinds[] = { &kinds[SUM],     &kinds[SCAN],   &kinds[SORT],
                                               &kinds[ARGSORT], &kinds[SELECT], &kinds[UNIQUE],
                                               &kinds[TOPK],    &kinds[SEARCH] };
static const char *const drawn_dtypes[] = { "f32", "f64", "i32", "i64" };

static cuc_status set_up_drawn(cuc_bench_state *state, void *data)
{
    static const cuc_dtype dtypes[] = { CUC_F32, CUC_F64, CUC_I32, CUC_I64 };
    const char *text = cuc_bench_state_text(state, "point");
    algorithm_point *p = bench_allocate(state, sizeof(*p));
    char name[32], dtype[8], more;
    long long n;

    (void)data;
    if (!p)
        return cuc_error_status();
    p->state = state;
    p->of = "";
    if (sscanf(text, "%31[^.].%7[^.].n%lld%c", name, dtype, &n, &more) == 3)
        for (size_t i = 0; i < CUC_LENGTH(drawn_kinds); i++)
            if (strcmp(drawn_kinds[i]->name, name) == 0)
                p->kind = drawn_kinds[i];
    for (size_t i = 0; i < CUC_LENGTH(dtypes) && p->kind; i++)
        if (strcmp(drawn_dtypes[i], dtype) == 0)
            p->dtype = dtypes[i];
    if (!p->dtype || n < 2 || n > 1ll << 32)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "point is %s, expected one like sort.f32.n1000", text);
    p->rows = 1;
    p->n = n;
    return finish(p, true);
}

static void draw(char *out, size_t size, bench_random *r)
{
    bool small = cuc_driver_is_simulated();
    const char *name = BENCH_RANDOM_OF(r, drawn_kinds)->name;
    const char *dtype = BENCH_RANDOM_OF(r, drawn_dtypes);

    snprintf(out, size, "%s.%s.n%lld", name, dtype,
             (long long)bench_random_log(r, small ? 64 : 1 << 10, small ? 1 << 12 : 1 << 28));
}

static const bench_draw draws[] = { { "any", draw }, { NULL, NULL } };

// ---- The cases

#define N_AXIS(values) BENCH_AXIS("n", POW2, values, "12")

static const cuc_bench_axis sum_axes[] = {
    BENCH_AXIS("n", POW2, "10,14,18,20,22,24,26,28,30", "10,14"),
};
static const cuc_bench_axis scan_axes[] = {
    BENCH_AXIS("n", POW2, "20,24,28", "12"),
    BENCH_AXIS("of", STRING, "run_to_run,any_order", NULL),
};
static const cuc_bench_axis sort_axes[] = {
    BENCH_AXIS("n", POW2, "20,27", "12"),
    BENCH_AXIS("dtype", DTYPE, "u32,f32,u64", NULL),
};
static const cuc_bench_axis argsort_axes[] = {
    N_AXIS("27"),
    BENCH_AXIS("dtype", DTYPE, "i32,i64", NULL),
};
static const cuc_bench_axis sort_rows_axes[] = {
    BENCH_AXIS("shape", STRING, "4096x16384", "4x512"),
};
static const cuc_bench_axis topk_rows_axes[] = {
    BENCH_AXIS("shape", STRING, "4096x128256", "4x1000"),
};
static const cuc_bench_axis unique_axes[] = {
    N_AXIS("26"),
    BENCH_AXIS("of", STRING, "sorted,unsorted", NULL),
};
static const cuc_bench_axis bytes_axes[] = {
    N_AXIS("28"),
    BENCH_AXIS("of", STRING, "random,skewed", NULL),
};
static const cuc_bench_axis histogram_axes[] = {
    N_AXIS("28"),
    BENCH_AXIS("bins", INT, "32,256", NULL),
};
static const cuc_bench_axis n24_axes[] = { N_AXIS("24") };
static const cuc_bench_axis n26_axes[] = { N_AXIS("26") };
static const cuc_bench_axis n28_axes[] = { N_AXIS("28") };
static const cuc_bench_axis any_axes[] = {
    BENCH_AXIS("point", STRING, "sort.f32.n1000003,sum.i32.n70000001,topk.f64.n12345678",
               "sort.f32.n1003,scan.i64.n701"),
};

#define CASE(which, name_, about_, axes_)                                                    \
    BENCH_CASE(.suite = "algorithms", .name = (name_), .about = (about_), BENCH_AXES(axes_), \
               .setup = set_up, .data = &kinds[which], .modes = CUC_BENCH_COLD)

static const cuc_bench_case cases[] = {
    CASE(SUM, "sum", "sum of f32", sum_axes),
    CASE(SCAN, "scan", "running sums of f32", scan_axes),
    CASE(SORT, "sort", "sort of keys alone", sort_axes),
    CASE(ARGSORT, "argsort", "sort of keys with their indices, i64", argsort_axes),
    CASE(SORT_ROWS, "sort_rows", "sort of each row, f32", sort_rows_axes),
    CASE(SELECT, "select", "the positive half of f32", n28_axes),
    CASE(UNIQUE, "unique", "n / 64 different values of i32; unsorted ones are sorted first",
         unique_axes),
    CASE(TOPK, "topk", "the 64 largest of f32, with indices", n28_axes),
    CASE(TOPK_ROWS, "topk_rows", "the 64 largest of each row of f32, with indices", topk_rows_axes),
    CASE(HISTOGRAM_BYTES, "histogram_bytes", "counts of bytes; skewed: 15/16 are equal",
         bytes_axes),
    CASE(HISTOGRAM, "histogram", "counts of f32 in even bins", histogram_axes),
    CASE(REDUCE_BY_KEY, "reduce_by_key", "sums of f32 by sorted i32 keys, 64 elements each",
         n26_axes),
    CASE(MERGE, "merge", "merge of two sorted halves, f32", n28_axes),
    CASE(UNION, "union", "union of two sorted halves, i32", n28_axes),
    CASE(SEARCH, "search", "lower bounds of n values in n sorted f32", n24_axes),
    BENCH_CASE(.suite = "algorithms", .name = "any",
               .about = "an algorithm and dtype on any number of elements; at random by --random",
               BENCH_AXES(any_axes), .setup = set_up_drawn),
};

const bench_suite bench_algorithms_suite = { "algorithms", cases, CUC_LENGTH(cases), NULL, draws };
