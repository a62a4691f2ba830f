#include "cublaslt.h"

#include "base/array.h"
#include "library.h"

#include <cucore/buffer.h>
#include <cucore/event.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_CHOICES = 16, TIMINGS = 5 };

static const size_t workspace_bytes = (size_t)256 << 20;

struct bench_lt {
    lt_handle handle;
    lt_product product;
    lt_matrix a, b, d;
    cuc_buffer *workspace;
    enum bench_after after;
    bool whole;         // the operands are integers
    uint32_t alignment; // of the matrices, in bytes; 0: as allocated
    lt_choice choices[MAX_CHOICES];
    int choice_count, chosen;
};

static struct lt_functions lt;

static bool load(char *why, size_t why_size)
{
    static const bench_symbol symbols[] = {
#define LT(name, params) BENCH_SYMBOL(lt, name),
#include "cublaslt.def"
#undef LT
    };

    return bench_load("cublasLt", symbols, CUC_LENGTH(symbols), why, why_size);
}

static const struct type {
    cuc_dtype dtype;
    int code, compute;
} types[] = {
    { CUC_F16, LT_F16, LT_COMPUTE_F32 },   { CUC_BF16, LT_BF16, LT_COMPUTE_F32 },
    { CUC_TF32, LT_F32, LT_COMPUTE_TF32 }, { CUC_F32, LT_F32, LT_COMPUTE_F32 },
    { CUC_E4M3, LT_E4M3, LT_COMPUTE_F32 }, { CUC_I8, LT_I8, LT_COMPUTE_I32 },
    { CUC_I32, LT_I32, LT_COMPUTE_I32 },
};

static const struct type *find_type(cuc_dtype dtype)
{
    for (size_t i = 0; i < CUC_LENGTH(types); i++)
        if (types[i].dtype == dtype)
            return &types[i];
    return NULL;
}

// Describe a stored matrix; a transposed one is row-major.
static int make_matrix(lt_matrix *out, int type, int64_t rows, int64_t columns, bool transposed,
                       int64_t batch)
{
    const int64_t stored_rows = transposed ? columns : rows, stride = rows * columns;
    const int32_t count = (int32_t)batch;
    int code = lt.cublasLtMatrixLayoutCreate(out, type, (uint64_t)stored_rows,
                                             (uint64_t)(transposed ? rows : columns), stored_rows);

    if (code || batch <= 1)
        return code;
    code = lt.cublasLtMatrixLayoutSetAttribute(*out, LT_BATCHES, &count, sizeof(count));
    return code ? code
                : lt.cublasLtMatrixLayoutSetAttribute(*out, LT_STRIDE, &stride, sizeof(stride));
}

static int set_after(bench_lt *t, const bench_product *p)
{
    const int32_t epilogue = LT_GELU_BIAS;
    const int8_t fast = 1;
    int code = 0;

    if (p->after == BENCH_BIAS_GELU)
        code =
            lt.cublasLtMatmulDescSetAttribute(t->product, LT_EPILOGUE, &epilogue, sizeof(epilogue));
    if (!code && p->fast_sums)
        code = lt.cublasLtMatmulDescSetAttribute(t->product, LT_FAST_SUMS, &fast, sizeof(fast));
    return code;
}

uint32_t bench_product_alignment(const bench_product *product)
{
    uint64_t skipped = (uint64_t)product->skipped * cuc_dtype_bits(product->dtype) / 8;

    return (uint32_t)(skipped & -skipped); // its lowest set bit
}

int64_t bench_product_extra(const bench_product *p)
{
    return p->after == BENCH_BIAS_GELU ? p->m : p->after == BENCH_RESIDUAL ? p->m * p->n : 0;
}

static int describe(bench_lt *t, const bench_product *p, const struct type *type,
                    const struct type *out)
{
    const int32_t a = p->transposed_a, b = p->transposed_b;
    int code;

    if ((code = lt.cublasLtCreate(&t->handle)) != 0 ||
        (code = lt.cublasLtMatmulDescCreate(&t->product, type->compute,
                                            t->whole ? LT_I32 : LT_F32)) != 0 ||
        (code = lt.cublasLtMatmulDescSetAttribute(t->product, LT_TRANSPOSE_A, &a, sizeof(a))) !=
            0 ||
        (code = lt.cublasLtMatmulDescSetAttribute(t->product, LT_TRANSPOSE_B, &b, sizeof(b))) !=
            0 ||
        (code = set_after(t, p)) != 0 ||
        (code = make_matrix(&t->a, type->code, p->m, p->k, p->transposed_a, p->batch)) != 0 ||
        (code = make_matrix(&t->b, type->code, p->k, p->n, p->transposed_b, p->batch)) != 0)
        return code;
    return make_matrix(&t->d, out->code, p->m, p->n, false, p->batch);
}

static int set_alignment(lt_preference preference, uint32_t bytes)
{
    static const int attributes[] = { LT_ALIGNMENT_A, LT_ALIGNMENT_B, LT_ALIGNMENT_C,
                                      LT_ALIGNMENT_D };
    int code = 0;

    for (size_t i = 0; bytes && i < CUC_LENGTH(attributes) && !code; i++)
        code = lt.cublasLtMatmulPreferenceSetAttribute(preference, attributes[i], &bytes,
                                                       sizeof(bytes));
    return code;
}

static int propose(bench_lt *t)
{
    lt_preference preference;
    int code = lt.cublasLtMatmulPreferenceCreate(&preference);

    if (code)
        return code;
    code = lt.cublasLtMatmulPreferenceSetAttribute(preference, LT_MAX_WORKSPACE_BYTES,
                                                   &workspace_bytes, sizeof(workspace_bytes));
    if (!code)
        code = set_alignment(preference, t->alignment);
    if (!code)
        code = lt.cublasLtMatmulAlgoGetHeuristic(t->handle, t->product, t->a, t->b, t->d, t->d,
                                                 preference, MAX_CHOICES, t->choices,
                                                 &t->choice_count);
    (void)lt.cublasLtMatmulPreferenceDestroy(preference);
    return code;
}

cuc_status bench_lt_create(bench_lt **out, const bench_product *product, char *why, size_t why_size)
{
    const struct type *type = find_type(product->dtype), *to = find_type(product->out_dtype);

    *out = NULL;
    if (!load(why, why_size))
        return CUC_OK;
    if (product->after == BENCH_SILU) {
        snprintf(why, why_size, "cuBLASLt has no epilogue with silu");
        return CUC_OK;
    }
    if (!type || !to) {
        snprintf(why, why_size, "cuBLASLt is not asked for products of %s here",
                 cuc_dtype_name(product->dtype));
        return CUC_OK;
    }
    bench_lt *t = calloc(1, sizeof(*t));
    if (!t)
        return bench_no_memory("a product");
    t->after = product->after;
    t->whole = product->dtype == CUC_I8;
    t->alignment = bench_product_alignment(product); // results are at least as wide as operands
    int code = describe(t, product, type, to);
    if (!code)
        code = propose(t);
    if (code || !t->choice_count) {
        snprintf(why, why_size, "cuBLASLt has no algorithm for it (status %d)", code);
        bench_lt_release(t);
        return CUC_OK;
    }
    *out = t;
    return CUC_OK;
}

void bench_lt_release(void *data)
{
    bench_lt *t = data;

    if (!t)
        return;
    cuc_buffer_release(t->workspace);
    if (t->d)
        (void)lt.cublasLtMatrixLayoutDestroy(t->d);
    if (t->b)
        (void)lt.cublasLtMatrixLayoutDestroy(t->b);
    if (t->a)
        (void)lt.cublasLtMatrixLayoutDestroy(t->a);
    if (t->product)
        (void)lt.cublasLtMatmulDescDestroy(t->product);
    if (t->handle)
        (void)lt.cublasLtDestroy(t->handle);
    free(t);
}

// Convert a device address to cuBLASLt's type.
static void *address(cuc_device_ptr ptr)
{
    return (void *)(uintptr_t)ptr;
}

cuc_status bench_lt_run(bench_lt *t, cuc_stream *stream, cuc_device_ptr a, cuc_device_ptr b,
                        cuc_device_ptr d, cuc_device_ptr extra)
{
    static const float one = 1, zero = 0;
    static const int32_t whole_one = 1, whole_zero = 0;
    const lt_choice *choice = &t->choices[t->chosen];
    const void *alpha = t->whole ? (const void *)&whole_one : &one;
    const void *beta = t->after == BENCH_RESIDUAL ? &one
                       : t->whole                 ? (const void *)&whole_zero
                                                  : &zero;
    void *const bias = address(extra), *c = t->after == BENCH_RESIDUAL ? bias : address(d);
    int code = t->after == BENCH_BIAS_GELU
                   ? lt.cublasLtMatmulDescSetAttribute(t->product, LT_BIAS, &bias, sizeof(bias))
                   : 0;

    if (!code)
        code = lt.cublasLtMatmul(t->handle, t->product, alpha, address(a), t->a, address(b), t->b,
                                 beta, c, t->d, address(d), t->d, &choice->algorithm,
                                 address(cuc_buffer_ptr(t->workspace)), workspace_bytes,
                                 cuc_stream_handle(stream));

    return code ? bench_fail(CUC_ERROR_NOT_SUPPORTED, "cublasLtMatmul gave status %d", code)
                : CUC_OK;
}

// Return the median of some runs after a warm-up.
static cuc_status time_choice(double *out, bench_lt *t, cuc_stream *stream, cuc_event *events[2],
                              cuc_device_ptr a, cuc_device_ptr b, cuc_device_ptr d,
                              cuc_device_ptr extra)
{
    double times[TIMINGS];
    cuc_bench_summary summary = CUC_BENCH_SUMMARY_INIT;
    cuc_status st = bench_lt_run(t, stream, a, b, d, extra);

    for (int i = 0; i < TIMINGS && st >= 0; i++) {
        float ms = 0;
        if ((st = cuc_event_record(stream, events[0])) >= 0 &&
            (st = bench_lt_run(t, stream, a, b, d, extra)) >= 0 &&
            (st = cuc_event_record(stream, events[1])) >= 0 &&
            (st = cuc_event_synchronize(events[1])) >= 0)
            st = cuc_event_get_elapsed(&ms, events[0], events[1]);
        times[i] = (double)ms;
    }
    if (st >= 0 && (st = cuc_bench_summarise(&summary, times, TIMINGS)) >= 0)
        *out = summary.median;
    return st;
}

cuc_status bench_lt_choose(bench_lt *t, cuc_stream *stream, cuc_device_ptr a, cuc_device_ptr b,
                           cuc_device_ptr d, cuc_device_ptr extra)
{
    cuc_device *device = cuc_stream_device(stream);
    cuc_event_options timing = CUC_EVENT_OPTIONS_INIT;
    cuc_event *events[2] = { NULL, NULL };
    double best = INFINITY;
    int fastest = -1;
    cuc_status st = cuc_buffer_create(&t->workspace, stream, NULL, workspace_bytes);

    timing.flags = CUC_EVENT_TIMING;
    for (int i = 0; i < 2 && st >= 0; i++)
        st = cuc_event_create(&events[i], device, &timing);
    for (int i = 0; i < t->choice_count && st >= 0; i++) {
        double took = INFINITY;
        if (t->choices[i].status != 0)
            continue;
        t->chosen = i;
        st = time_choice(&took, t, stream, events, a, b, d, extra);
        if (st == CUC_ERROR_NOT_SUPPORTED)
            st = CUC_OK; // skip a proposed algorithm that fails
        if (st >= 0 && took < best) {
            best = took;
            fastest = i;
        }
    }
    t->chosen = fastest;
    cuc_event_release(events[1]);
    cuc_event_release(events[0]);
    return st >= 0 && fastest < 0
               ? bench_fail(CUC_ERROR_NOT_SUPPORTED,
                            "none of %d algorithms of cuBLASLt can be used", t->choice_count)
               : st;
}

void bench_lt_figures(const bench_lt *t, cuc_bench_figure out[3])
{
    out[0] = (cuc_bench_figure){ "algorithm", t->chosen };
    out[1] = (cuc_bench_figure){ "algorithms", t->choice_count };
    out[2] = (cuc_bench_figure){ "workspace_bytes", (double)t->choices[t->chosen].workspace_bytes };
}
