// Tunes matrix multiplication plans: allocates matrices and creates a plan per candidate.
#include "tune.h"

#include <cucore/copy.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COMPARED = 1 << 20 };

struct matrices {
    cuc_gemm_options options;
    cuc_bench_input *a, *b, *d;
    cuc_dtype d_dtype;
    void *expected; // d as computed by the first candidate that was checked
    cuc_buffer *workspace;
    uint64_t workspace_bytes;
};

static int64_t batch_of(const cuc_gemm_options *o)
{
    return o->batch ? o->batch : 1;
}

static cuc_bench_input *input(cuc_bench_state *state, cuc_dtype dtype, int64_t count, int32_t fill,
                              uint32_t flags)
{
    cuc_bench_input_options o = CUC_BENCH_INPUT_OPTIONS_INIT;
    cuc_bench_input *out = NULL;

    o.count = (uint64_t)count;
    o.dtype = dtype;
    o.fill = fill;
    o.flags = flags;
    return cuc_bench_state_add_input(&out, state, &o) < 0 ? NULL : out;
}

static cuc_status set_up(struct cuc__tune_race *race, cuc_bench_state *state)
{
    struct matrices *x = race->data;
    const cuc_gemm_options *o = &x->options;
    bool batched = o->form == CUC_GEMM_BATCHED, grouped = o->form == CUC_GEMM_GROUPED;
    int64_t of_a = batched && !(o->flags & CUC_GEMM_SHARED_A) ? batch_of(o) : 1;
    int64_t of_b = grouped || (batched && !(o->flags & CUC_GEMM_SHARED_B)) ? batch_of(o) : 1;
    int32_t fill = cuc_dtype_bits(o->dtype) > 8 || o->dtype == CUC_E4M3 || o->dtype == CUC_E5M2
                       ? CUC_BENCH_UNIFORM
                       : CUC_BENCH_INTEGERS;

    if (!(x->a = input(state, o->dtype, of_a * o->m * o->k, fill, 0)) ||
        !(x->b = input(state, o->dtype, of_b * o->k * o->n, fill, 0)) ||
        !(x->d = input(state, x->d_dtype, (batched ? batch_of(o) : 1) * o->m * o->n,
                       CUC_BENCH_ZEROS, CUC_BENCH_INPUT_RESULT)))
        return cuc_error_status();
    return CUC_OK;
}

static cuc_tensor matrix(const struct matrices *x, const cuc_bench_input *of, uint64_t set,
                         cuc_dtype dtype, bool has_batch, int64_t rows, int64_t columns,
                         int32_t order)
{
    cuc_tensor t = { .data = cuc_bench_input_ptr(of, set), .dtype = dtype };
    int32_t at = 0;

    if (has_batch) {
        t.shape[at] = batch_of(&x->options);
        t.strides[at++] = rows * columns;
    }
    t.rank = at + 2;
    t.shape[at] = rows;
    t.shape[at + 1] = columns;
    t.strides[at] = order == CUC_GEMM_COLUMN_MAJOR ? 1 : columns;
    t.strides[at + 1] = order == CUC_GEMM_COLUMN_MAJOR ? rows : 1;
    return t;
}

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    struct cuc__tune_candidate *c = data;
    const struct matrices *x = c->race->data;
    const cuc_gemm_options *o = &x->options;
    bool batched = o->form == CUC_GEMM_BATCHED;
    cuc_tensor a = matrix(x, x->a, set, o->dtype, batched && !(o->flags & CUC_GEMM_SHARED_A), o->m,
                          o->k, o->a_order);
    cuc_tensor b = matrix(x, x->b, set, o->dtype, batched && !(o->flags & CUC_GEMM_SHARED_B), o->k,
                          o->n, o->b_order);
    cuc_tensor d = matrix(x, x->d, set, x->d_dtype, batched, o->m, o->n, o->d_order);
    cuc_gemm_args args = CUC_GEMM_ARGS_INIT;

    a.device = b.device = d.device = cuc_device_ordinal(c->race->device);
    args.a = &a;
    args.b = &b;
    args.d = &d;
    args.workspace = x->workspace ? cuc_buffer_ptr(x->workspace) : 0;
    args.workspace_bytes = x->workspace_bytes;
    return batched ? cuc_gemm_batched(stream, c->subject, 1, 0, &args)
                   : cuc_gemm(stream, c->subject, 1, 0, &args);
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    struct cuc__tune_candidate *c = data;
    struct matrices *x = c->race->data;
    uint64_t bytes = cuc_bench_input_bytes(x->d), element = cuc_dtype_bits(x->d_dtype) / 8;
    uint64_t count = bytes / element, step = count / MOST_COMPARED + 1;
    // Tensor cores keep only 13 bits of sums of 8-bit floats.
    bool eight = x->options.dtype == CUC_E4M3 || x->options.dtype == CUC_E5M2;
    void *got = malloc(bytes);
    cuc_status st;

    (void)stream;
    if (!got)
        return BENCH_NO_MEMORY("a result");
    if ((st = cuc_bench_input_read(got, x->d, 0)) < 0 || !x->expected) {
        if (st < 0)
            free(got);
        else
            x->expected = got;
        return st;
    }
    bool same = cuc__tune_same(x->d_dtype, x->expected, got, (count + step - 1) / step, step,
                               eight ? 0.02 : 1e-3, why, why_size);
    free(got);
    return same ? CUC_OK : 1;
}

// Create a plan for each candidate, and the largest workspace that any of them needs.
static void make_plans(struct cuc__tune_race *race)
{
    struct matrices *x = race->data;

    for (size_t i = 0; i < race->count; i++) {
        struct cuc__tune_candidate *c = &race->all[i];
        cuc_gemm_options o = x->options;
        cuc_gemm_plan *plan = NULL;
        cuc__tune_step(race, CUC_TUNE_COMPILING, c, 0);
        if (cuc_gemm_options_set_choice(&o, c->choice) < 0 ||
            cuc_gemm_plan_create(&plan, race->device, &o) < 0) {
            cuc__tune_drop(c);
            continue;
        }
        uint64_t bytes = cuc_gemm_plan_workspace_bytes(plan, o.m, o.n, o.k);
        if (bytes > x->workspace_bytes)
            x->workspace_bytes = bytes;
        c->subject = plan;
    }
}

// Read the options; the baseline is a plan without tuning records.
static cuc_status read_plan(struct matrices *x, const cuc_gemm_options *plan, const char *function)
{
    cuc_gemm_options *o = &x->options;
    cuc_status st = cuc__bench_read(o, sizeof(*o), plan, "cuc_gemm_options", function);

    if (st < 0)
        return st;
    if (o->m < 1 || o->n < 1 || o->k < 1 || o->form == CUC_GEMM_GROUPED)
        return cuc__bench_fail(CUC_ERROR_INVALID_ARGUMENT, function,
                               "m, n and k are %lld, %lld, %lld and form is %d: expected 1 and "
                               "more, and CUC_GEMM_SINGLE or _BATCHED",
                               (long long)o->m, (long long)o->n, (long long)o->k, o->form);
    o->bias = 0;
    o->bias_dtype = o->residual_dtype = o->c_dtype = 0;
    o->flags &= CUC_GEMM_SHARED_A | CUC_GEMM_SHARED_B | CUC_GEMM_FAST_ACC;
    o->tuned = "";
    return CUC_OK;
}

cuc_status cuc_gemm_tune(char *choice, size_t capacity, cuc_device *device,
                         const cuc_gemm_options *plan, const cuc_tune_options *options)
{
    struct matrices x = { .expected = NULL };
    struct cuc__tune_race race = { .set_up = set_up, .run = run, .check = check, .data = &x };
    cuc_tuned_record key = CUC_TUNED_RECORD_INIT;
    cuc_gemm_choice made = CUC_GEMM_CHOICE_INIT;
    cuc_gemm_plan *first = NULL;
    cuc_stream *stream = NULL;
    cuc_status st;

    BENCH_CHECK_NOT_NULL(device);
    BENCH_CHECK_NOT_NULL(plan);
    if ((st = cuc__tune_begin(&race, device, options, __func__)) < 0 ||
        (st = read_plan(&x, plan, __func__)) < 0)
        return st;
    race.choice = choice;
    race.choice_capacity = capacity;
    // The default plan determines the types and the record's key.
    if ((st = cuc_gemm_plan_create(&first, device, &x.options)) < 0 ||
        (st = cuc_gemm_plan_get_record(&key, first)) < 0 ||
        (st = cuc_gemm_plan_get_choice(&made, first)) < 0 ||
        (st = cuc_gemm_visit_candidates(device, &x.options, cuc__tune_add, &race)) < 0)
        goto end;
    x.d_dtype = made.d_dtype;
    cuc__tune_select(&race);
    make_plans(&race);
    if (x.workspace_bytes &&
        ((st = cuc_stream_create(&stream, device, NULL)) < 0 ||
         (st = cuc_buffer_create(&x.workspace, stream, NULL, x.workspace_bytes)) < 0 ||
         (st = cuc_stream_synchronize(stream)) < 0))
        goto end;
    if ((st = cuc__tune_run(&race)) >= 0)
        st = cuc__tune_keep(&race, &key);

end:
    for (size_t i = 0; i < race.count; i++)
        cuc_gemm_plan_release(race.all[i].subject);
    cuc_buffer_release(x.workspace);
    cuc_stream_release(stream);
    cuc_gemm_plan_release(first);
    free(x.expected);
    cuc__tune_end(&race);
    return st;
}
