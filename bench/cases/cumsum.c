#include "bench_case_kernels.h"
#include "reductions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; // elements compared at a time

// Check `length` running sums from `first` on, comparing only some pieces.
static cuc_status check_run(bench_point *p, int64_t first, int64_t length, double absolute,
                            char *why, size_t why_size)
{
    int64_t pieces = (length + PIECE - 1) / PIECE, next = 0, wanted = bench_sampled(next, pieces);
    double *x = malloc(2 * PIECE * sizeof(*x)), before = 0;
    cuc_status st = x ? CUC_OK : bench_no_memory("a piece");

    for (int64_t i = 0; i < pieces && st == CUC_OK; i++) {
        int64_t at = i * PIECE, n = length - at < PIECE ? length - at : PIECE;
        if (!bench_get(p, x, &p->arrays[0], first + at, n, 1, n)) {
            st = p->status;
            break;
        }
        for (int64_t k = 0; k < n; k++)
            x[k] = before += x[k];
        if (i != wanted)
            continue;
        wanted = bench_sampled(++next, pieces);
        if (!bench_get(p, x + PIECE, &p->arrays[1], first + at, n, 1, n))
            st = p->status;
        else
            st = bench_near(x + PIECE, x, n, 0, absolute, "element", first + at, why, why_size);
    }
    free(x);
    return st;
}

// Check running sums with the tolerance for tile-by-tile summation.
static cuc_status check_long(bench_point *p, char *why, size_t why_size)
{
    int64_t count = p->rows * p->columns;

    return check_run(p, 0, count, 1e-4 * sqrt((double)count), why, why_size);
}

static cuc_status check_short(bench_point *p, char *why, size_t why_size)
{
    cuc_status st = CUC_OK;
    int64_t row;

    for (int64_t i = 0; st == CUC_OK && (row = bench_sampled(i, p->rows)) >= 0; i++)
        st = check_run(p, row * p->columns, p->columns, 2e-5 * sqrt((double)p->columns), why,
                       why_size);
    return st;
}

// Add the single-pass scan, in which each block looks back at its predecessors.
static void add_long(bench_point *p, const char *settings)
{
    const char *other = strstr(settings, "BN="); // overrides the setting below
    int64_t tile = other ? atoll(other + strlen("BN=")) : 32768;
    int64_t count = p->rows * p->columns, tiles = (count + tile - 1) / tile;
    bench_array *x = bench_point_read(p, CUC_F32, BENCH_SHAPE(count));
    bench_array *y = bench_point_written(p, CUC_F32, BENCH_SHAPE(count));
    bench_array *told = bench_point_scratch(p, CUC_U64, BENCH_SHAPE(tiles));
    bench_array *ticket = bench_point_scratch(p, CUC_I32, BENCH_SHAPE(1));

    bench_point_kernel(p, &(bench_kernel_spec){
                              .name = "tile",
                              .file = "scan.tile",
                              .source = scan_tile,
                              .kernel = "cumulative_sum_long",
                              .settings = "BB=1", // minimal for the file's other kernels
                              .arguments = { BENCH_TENSOR(x), BENCH_TENSOR(y), BENCH_TENSOR(told),
                                             BENCH_TENSOR(ticket) },
                              .zeroed = { told, ticket },
                              .limit = bench_reduction_limit(p),
                          });
}

static void add_short(bench_point *p)
{
    bench_array *x = bench_point_read(p, CUC_F32, BENCH_SHAPE(p->rows, p->columns));
    bench_array *y = bench_point_written(p, CUC_F32, BENCH_SHAPE(p->rows, p->columns));

    bench_point_kernel(p, &(bench_kernel_spec){
                              .name = "tile",
                              .file = "scan.tile",
                              .source = scan_tile,
                              .kernel = "cumulative_sum_rows",
                              .settings = "BB=1", // minimal for the file's other kernels
                              .arguments = { BENCH_TENSOR(x), BENCH_TENSOR(y) },
                              .limit = bench_reduction_limit(p),
                          });
}

cuc_status bench_set_up_cumsum(cuc_bench_state *state, void *data)
{
    const char *of = cuc_bench_state_text(state, "of");
    bool all = strcmp(of, "all") == 0;
    int64_t rows, columns;
    bench_point *p;
    cuc_status st = bench_shape(&rows, &columns, state);

    (void)data;
    if (!all && strcmp(of, "rows") != 0)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT, "of is %s: all and rows are known", of);
    if (st < 0 ||
        (st = bench_point_make(&p, state, rows, columns, all ? check_long : check_short)) < 0 || !p)
        return st;
    if (p->dtype != CUC_F32)
        return cuc_bench_state_skip(state, "running sums are of f32");
    if (all)
        add_long(p, cuc_bench_state_text(state, "tile"));
    else
        add_short(p);
    return bench_reduction_finish(p, "cumsum", of);
}
