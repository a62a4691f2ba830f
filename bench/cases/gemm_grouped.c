// See gemm_grouped.h. Group g consists of the rows offsets[g] to offsets[g + 1] of the row-major a
// and d, and its own matrix b[g]. In column-major BLAS terms this is d' = b[g]' a', where d' has n
// rows and one column per row of the group.
#include "gemm_grouped.h"

#include "cublaslt.h"
#include "reference.h"

#include <cucore/copy.h>
#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/gemm.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GROUPS = 64, LINES = 3, COLUMNS = 256, POISON = 0x7F, MOST_SIMULATED = 1 << 20 };

typedef struct grouped {
    int64_t groups, rows, n, k;
    cuc_dtype dtype;
    bool transposed; // whether the groups' matrices are transposed
    int32_t offset[MOST_GROUPS + 1];
    cuc_bench_input *a, *b, *d;
    cuc_buffer *offsets;
    cuc_gemm_plan *plan;
    int32_t device;
    bench_lt *lt[MOST_GROUPS]; // NULL: the group has no rows
} grouped;

static uint64_t element(const grouped *g)
{
    return cuc_dtype_bits(g->dtype) / 8;
}

// ---- cuBLASLt: one call per group

static cuc_device_ptr of_group(const cuc_bench_input *in, uint64_t set, int64_t elements,
                               const grouped *g)
{
    return cuc_bench_input_ptr(in, set) + (uint64_t)elements * element(g);
}

static cuc_status run_lt(void *data, cuc_stream *stream, uint64_t set)
{
    const grouped *g = data;
    cuc_status st = CUC_OK;

    for (int64_t i = 0; i < g->groups && st >= 0; i++)
        if (g->lt[i])
            st = bench_lt_run(g->lt[i], stream, of_group(g->b, set, i * g->n * g->k, g),
                              of_group(g->a, set, g->offset[i] * g->k, g),
                              of_group(g->d, set, g->offset[i] * g->n, g), 0);
    return st;
}

// Create one cuBLASLt object for each group that has rows.
static cuc_status make_lt(cuc_bench_state *state, grouped *g, char *why, size_t why_size)
{
    *why = 0;
    for (int64_t i = 0; i < g->groups; i++) {
        const bench_product product = { .m = g->n,
                                        .n = g->offset[i + 1] - g->offset[i],
                                        .k = g->k,
                                        .dtype = g->dtype,
                                        .out_dtype = g->dtype,
                                        .transposed_a = g->transposed };
        cuc_status st;
        if (!product.n)
            continue;
        if ((st = bench_lt_create(&g->lt[i], &product, why, why_size)) < 0 || !g->lt[i])
            return st;
        if ((st = cuc_bench_state_defer(state, bench_lt_release, g->lt[i])) < 0)
            return st;
        if ((st = bench_lt_choose(g->lt[i], cuc_bench_state_stream(state),
                                  of_group(g->b, 0, i * g->n * g->k, g),
                                  of_group(g->a, 0, g->offset[i] * g->k, g),
                                  of_group(g->d, 0, g->offset[i] * g->n, g), 0)) < 0)
            return st;
    }
    return CUC_OK;
}

// ---- cuc_gemm_grouped()

static cuc_status run_plan(void *data, cuc_stream *stream, uint64_t set)
{
    const grouped *g = data;
    cuc_tensor a = { .data = cuc_bench_input_ptr(g->a, set),
                     .dtype = g->dtype,
                     .rank = 2,
                     .device = g->device,
                     .shape = { g->rows, g->k },
                     .strides = { g->k, 1 } };
    cuc_tensor b = { .data = cuc_bench_input_ptr(g->b, set),
                     .dtype = g->dtype,
                     .rank = 3,
                     .device = g->device,
                     .shape = { g->groups, g->k, g->n },
                     .strides = { g->k * g->n, g->transposed ? 1 : g->n,
                                  g->transposed ? g->k : 1 } };
    cuc_tensor d = { .data = cuc_bench_input_ptr(g->d, set),
                     .dtype = g->dtype,
                     .rank = 2,
                     .device = g->device,
                     .shape = { g->rows, g->n },
                     .strides = { g->n, 1 } };
    cuc_tensor offsets = { .data = cuc_buffer_ptr(g->offsets),
                           .dtype = CUC_I32,
                           .rank = 1,
                           .device = g->device,
                           .shape = { g->groups + 1 },
                           .strides = { 1 } };

    return cuc_gemm_grouped(stream, g->plan, 1, 0,
                            CUC_GEMM_ARGS(.a = &a, .b = &b, .d = &d, .offsets = &offsets));
}

static void drop_plan(void *plan)
{
    cuc_gemm_plan_release(plan);
}

static cuc_status make_plan(cuc_bench_state *state, grouped *g, char *why, size_t why_size)
{
    cuc_stream *stream = cuc_bench_state_stream(state);
    uint64_t bytes = (uint64_t)(g->groups + 1) * sizeof(*g->offset);
    cuc_status st;

    if ((st = cuc_buffer_create(&g->offsets, stream, NULL, bytes)) < 0 ||
        (st = cuc_bench_state_defer(state, bench_drop_buffer, g->offsets)) < 0 ||
        (st = cuc_buffer_write_async(stream, g->offsets, 0, g->offset, bytes)) < 0 ||
        (st = cuc_stream_synchronize(stream)) < 0)
        return st;
    *why = 0;
    if (cuc_gemm_plan_create(
            &g->plan, cuc_bench_state_device(state),
            CUC_GEMM_OPTIONS(.form = CUC_GEMM_GROUPED, .dtype = g->dtype, .d_dtype = g->dtype,
                             .b_order = g->transposed ? CUC_GEMM_COLUMN_MAJOR : CUC_GEMM_ROW_MAJOR,
                             .m = g->rows, .n = g->n, .k = g->k, .batch = g->groups)) < 0) {
        snprintf(why, why_size, "%s", cuc_error_message());
        return CUC_OK;
    }
    return cuc_bench_state_defer(state, drop_plan, g->plan);
}

// ---- The check: the first, the last and a middle row of each group, in some columns.

static double sum_of(const grouped *g, const double *row, const void *b, int64_t group,
                     int64_t column, double *line, double *size)
{
    int64_t at = group * g->n * g->k + (g->transposed ? column * g->k : column);
    double sum = 0;

    bench_reader_of(g->dtype)(line, (const char *)b + (uint64_t)at * element(g), (size_t)g->k,
                              g->transposed ? 1 : (size_t)g->n);
    *size = 0;
    for (int64_t i = 0; i < g->k; i++) {
        sum += row[i] * line[i];
        *size += fabs(row[i] * line[i]);
    }
    return sum;
}

static bool row_is_right(const grouped *g, const void *const host[3], int64_t group, int64_t at,
                         double *lines, char *why, size_t why_size)
{
    bench_reader *read = bench_reader_of(g->dtype);
    int64_t step = g->n / COLUMNS + 1;

    read(lines, (const char *)host[0] + (uint64_t)(at * g->k) * element(g), (size_t)g->k, 1);
    for (int64_t column = at % step; column < g->n; column += step) {
        double got, size;
        double sum = sum_of(g, lines, host[1], group, column, lines + g->k, &size);
        read(&got, (const char *)host[2] + (uint64_t)(at * g->n + column) * element(g), 1, 1);
        if (fabs(got - sum) <=
            bench_epsilon(g->dtype) * (fabs(sum) + sqrt((double)g->k) / 2) + 0x1p-16 * size)
            continue;
        snprintf(why, why_size, "group %lld, row %lld, column %lld is %g, expected %g",
                 (long long)group, (long long)at, (long long)column, got, sum);
        return false;
    }
    return true;
}

static cuc_status compare(const grouped *g, char *why, size_t why_size)
{
    void *host[3] = { bench_read_input(g->a), bench_read_input(g->b), bench_read_input(g->d) };
    double *lines = malloc(2 * (size_t)g->k * sizeof(*lines));
    cuc_status st = !lines                          ? bench_no_memory("a reference")
                    : host[0] && host[1] && host[2] ? CUC_OK
                                                    : cuc_error_status();

    for (int64_t i = 0; i < g->groups && st == CUC_OK; i++) {
        int64_t rows = g->offset[i + 1] - g->offset[i];
        for (int64_t line = 0; line < LINES && rows && st == CUC_OK; line++)
            st = !row_is_right(g, (const void *const *)host, i,
                               g->offset[i] + line * (rows - 1) / (LINES - 1), lines, why,
                               why_size);
    }
    free(lines);
    for (int i = 0; i < 3; i++)
        free(host[i]);
    return st;
}

static cuc_status check(grouped *g, cuc_stream *stream, bool plan, char *why, size_t why_size)
{
    cuc_status st =
        cuc_fill(stream, cuc_bench_input_ptr(g->d, 0), POISON, 1, cuc_bench_input_bytes(g->d));

    if (st >= 0 && (st = (plan ? run_plan : run_lt)(g, stream, 0)) >= 0)
        st = cuc_stream_synchronize(stream);
    return st < 0 ? st : compare(g, why, why_size);
}

static cuc_status check_plan(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    return check(data, stream, true, why, why_size);
}

static cuc_status check_lt(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    return check(data, stream, false, why, why_size);
}

// ---- The point

// Leave the second group empty; the others range from an eighth to nearly twice the average.
static void make_offsets(grouped *g, uint64_t seed)
{
    double weight[MOST_GROUPS], all = 0, before = 0;

    for (int64_t i = 0; i < g->groups; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        weight[i] = i == 1 ? 0 : 0.125 + (double)(seed >> 40) / (1 << 24) * 1.75;
        all += weight[i];
    }
    for (int64_t i = 0; i < g->groups; i++) {
        before += weight[i];
        g->offset[i + 1] = (int32_t)((double)g->rows * before / all);
    }
    g->offset[g->groups] = (int32_t)g->rows;
}

static cuc_status read_point(grouped *g, cuc_bench_state *state)
{
    const char *shape = cuc_bench_state_text(state, "shape");
    const char *layout = cuc_bench_state_text(state, "layout");
    long long rows, n, k;
    char end;

    g->groups = cuc_bench_state_int(state, "groups");
    g->dtype = cuc_bench_state_dtype(state, "dtype");
    if (g->groups < 2 || g->groups > MOST_GROUPS)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "groups is %lld: 2 to %d are expected",
                          (long long)g->groups, MOST_GROUPS);
    if (sscanf(shape, "%lldx%lldx%lld%c", &rows, &n, &k, &end) != 3 || rows < 1 || n < 1 || k < 1 ||
        rows >= 1 << 20 || n >= 1 << 20 || k >= 1 << 20)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "shape is %s: ROWSxNxK is expected, each below 2^20", shape);
    if (strcmp(layout, "nn") != 0 && strcmp(layout, "tn") != 0)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "layout is %s: nn and tn are known", layout);
    if (g->dtype != CUC_F16 && g->dtype != CUC_BF16)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "dtype is %s: f16 and bf16 are known",
                          cuc_dtype_name(g->dtype));
    g->rows = rows;
    g->n = n;
    g->k = k;
    g->transposed = layout[0] == 't';
    make_offsets(g, cuc_bench_state_seed(state));
    return CUC_OK;
}

static cuc_status set_work(cuc_bench_state *state, const grouped *g)
{
    double rows = (double)g->rows, n = (double)g->n, k = (double)g->k;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;

    work.flop = 2 * rows * n * k;
    work.bytes = (rows * k + (double)g->groups * n * k + rows * n) * (double)element(g);
    work.peak = cuc_dtype_name(g->dtype);
    return cuc_bench_state_set_work(state, &work);
}

static cuc_status add_subject(cuc_bench_state *state, grouped *g, bool plan)
{
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    const char *name = plan ? "cuc_gemm" : "cublaslt";
    char why[512];
    cuc_status st = (plan ? make_plan : make_lt)(state, g, why, sizeof(why));

    if (st < 0)
        return bench_failed_subject(state, name, 0);
    if (*why)
        return cuc_bench_state_skip_subject(state, name, why);
    subject.name = name;
    subject.data = g;
    subject.run = plan ? run_plan : run_lt;
    subject.check = plan ? check_plan : check_lt;
    subject.flags = plan ? 0 : CUC_BENCH_PEER;
    return cuc_bench_state_add_subject(state, &subject);
}

cuc_status bench_grouped_set_up(cuc_bench_state *state, void *data)
{
    grouped *g = bench_allocate(state, sizeof(*g));
    cuc_status st;

    (void)data;
    if (!g)
        return cuc_error_status();
    if ((st = read_point(g, state)) < 0)
        return st;
    if (cuc_driver_is_simulated() && g->rows * g->n * g->k > MOST_SIMULATED)
        return cuc_bench_state_skip(state,
                                    "simulated: 2^20 products are the most that is measured");
    g->device = cuc_device_ordinal(cuc_bench_state_device(state));
    // cuBLASLt uses the thread's current context.
    if ((st = cuc_device_set_current(cuc_bench_state_device(state), NULL)) < 0 ||
        !(g->a = bench_input(state, g->dtype, (uint64_t)(g->rows * g->k), CUC_BENCH_UNIFORM, 0)) ||
        !(g->b = bench_input(state, g->dtype, (uint64_t)(g->groups * g->k * g->n),
                             CUC_BENCH_UNIFORM, 0)) ||
        !(g->d = bench_input(state, g->dtype, (uint64_t)(g->rows * g->n), CUC_BENCH_ZEROS, 0)))
        return st < 0 ? st : cuc_error_status();
    if ((st = set_work(state, g)) < 0 || (st = add_subject(state, g, false)) < 0)
        return st;
    return add_subject(state, g, true);
}
