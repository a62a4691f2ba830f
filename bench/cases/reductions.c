// Reductions and scans at memory speed: over all elements, rows and columns; running sums; row
// cross entropy. Compares tile programs with handwritten CUDA C++, Python, and a copy of the same
// number of bytes.
#include "base/array.h"
#include "bench_case_kernels.h"
#include "peers.h"
#include "point.h"
#include "reductions.h"
#include "reference.h"
#include "suites.h"

#include <cucore/error.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 }; // elements compared at a time

double bench_reduction_limit(const bench_point *p)
{
    return p->bytes >= 1 << 30 ? 1 / 0.8 : 0;
}

static int32_t processors(const bench_point *p)
{
    int32_t n = 0;

    return cuc_device_get_attribute(&n, cuc_bench_state_device(p->state),
                                    CUC_DEVICE_MULTIPROCESSOR_COUNT) < 0
               ? 1
               : n;
}

// ---- References

static double add_one(double a, double b)
{
    return a + b;
}

static double larger(double a, double b)
{
    return fmax(a, b);
}

static struct operation {
    const char *name, *macro;
    double (*join)(double a, double b);
    double nothing;
} operations[] = {
    // not const, because the `data` of the suite's cases points to these rows
    { "sum", "OP_sum", add_one, 0 },
    { "max", "OP_max", larger, -INFINITY },
};

static const struct operation *operation_of(const bench_point *p)
{
    return p->data;
}

// Bound the rounding error of summing elements between -1 and 1 in any order; maxima are exact.
static double slack(const bench_point *p, int64_t count)
{
    return operation_of(p)->join == add_one ? 1e-5 * sqrt((double)count) : 0;
}

static double join(const bench_point *p, const double *x, int64_t count)
{
    double r = operation_of(p)->nothing;

    for (int64_t i = 0; i < count; i++)
        r = operation_of(p)->join(r, x[i]);
    return r;
}

static cuc_status check_all(bench_point *p, char *why, size_t why_size)
{
    int64_t count = p->rows * p->columns;
    double *x = malloc(PIECE * sizeof(*x)), got;
    bool ok = x != NULL;

    if (ok && !p->expected && (p->expected = malloc(sizeof(*p->expected)))) {
        *p->expected = operation_of(p)->nothing;
        for (int64_t at = 0; at < count && ok; at += PIECE) {
            int64_t n = count - at < PIECE ? count - at : PIECE;
            if ((ok = bench_get(p, x, &p->arrays[0], at, n, 1, n)))
                *p->expected = operation_of(p)->join(*p->expected, join(p, x, n));
        }
    }
    free(x);
    if (!p->expected || !x)
        return bench_no_memory("a reference");
    if (!ok || !bench_get(p, &got, &p->arrays[1], 0, 1, 1, 1))
        return p->status;
    return bench_near(&got, p->expected, 1, 0, slack(p, count), "element", 0, why, why_size);
}

// Check rows or columns individually.
static cuc_status check_lines(bench_point *p, bool columns, char *why, size_t why_size)
{
    int64_t lines = columns ? p->columns : p->rows, length = columns ? p->rows : p->columns, line;
    double *x = malloc((size_t)length * sizeof(*x)), got;
    cuc_status st = x ? CUC_OK : bench_no_memory("a row");

    for (int64_t i = 0; st == CUC_OK && (line = bench_sampled(i, lines)) >= 0; i++) {
        bool ok = columns ? bench_get(p, x, &p->arrays[0], line, 1, length, p->columns)
                          : bench_get(p, x, &p->arrays[0], line * length, length, 1, length);
        if (!ok || !bench_get(p, &got, &p->arrays[1], line, 1, 1, 1)) {
            st = p->status;
            break;
        }
        double expected = join(p, x, length);
        st = bench_near(&got, &expected, 1, 0, slack(p, length), columns ? "column" : "row", line,
                        why, why_size);
    }
    free(x);
    return st;
}

static cuc_status check_rows(bench_point *p, char *why, size_t why_size)
{
    return check_lines(p, false, why, why_size);
}

static cuc_status check_columns(bench_point *p, char *why, size_t why_size)
{
    return check_lines(p, true, why, why_size);
}

// ---- Sums and maxima

// Adds a case's kernels with their arguments and launches.
typedef void add_kernels(bench_point *p, const struct operation *o);

static bench_kernel_spec tile_spec(const bench_point *p, const struct operation *o, bool all)
{
    bool sum = o->join == add_one;

    return (bench_kernel_spec){
        .name = "tile",
        .file = sum ? "reduce.tile" : "max.tile",
        .source = sum ? reduce_tile : max_tile,
        .kernel = sum   ? all ? "sum_all" : "sum_along"
                  : all ? "max_all"
                        : "max_along",
        .limit = bench_reduction_limit(p),
    };
}

static bench_kernel_spec cuda_spec(const struct operation *o, const char *kernel)
{
    return (bench_kernel_spec){
        .name = "cuda",
        .file = "reductions.cu",
        .source = reductions_cu,
        .kernel = kernel,
        .settings = o->macro,
        .block = { 256 },
    };
}

static void add_of_all(bench_point *p, const struct operation *o)
{
    int64_t count = p->rows * p->columns;
    bench_array *x = bench_point_read(p, CUC_F32, BENCH_SHAPE(count));
    bench_array *y = bench_point_written(p, CUC_F32, BENCH_SHAPE(1));
    bench_array *bits = bench_point_alias(p, y, CUC_I32); // max.tile explains why
    bench_kernel_spec tile = tile_spec(p, o, true), cuda = cuda_spec(o, "all");
    int32_t blocks = 8 * processors(p);

    tile.arguments[0] = (cuc_arg)BENCH_TENSOR(x);
    tile.arguments[1] = (cuc_arg)BENCH_TENSOR(o->join == larger ? bits : y);
    tile.arguments[2] = (cuc_arg)BENCH_I32(blocks);
    tile.zeroed[0] = y;
    bench_point_kernel(p, &tile);
    cuda.arguments[0] = tile.arguments[0];
    cuda.arguments[1] = (cuc_arg)BENCH_TENSOR(y);
    cuda.arguments[2] = (cuc_arg)BENCH_I64(count / 4);
    cuda.zeroed[0] = y;
    cuda.grid[0] = (uint32_t)blocks;
    bench_point_kernel(p, &cuda);
}

static void add_of_rows(bench_point *p, const struct operation *o)
{
    bench_array *x = bench_point_read(p, CUC_F32, BENCH_SHAPE(p->rows, p->columns, 1));
    bench_array *y = bench_point_written(p, CUC_F32, BENCH_SHAPE(p->rows, 1));
    bench_kernel_spec tile = tile_spec(p, o, false), cuda = cuda_spec(o, "rows");

    tile.settings = "BN=4096 BB=1"; // BN is smaller by default
    tile.arguments[0] = (cuc_arg)BENCH_TENSOR(x);
    tile.arguments[1] = (cuc_arg)BENCH_TENSOR(y);
    bench_point_kernel(p, &tile);
    cuda.arguments[0] = tile.arguments[0];
    cuda.arguments[1] = tile.arguments[1];
    cuda.arguments[2] = (cuc_arg)BENCH_I64(p->columns / 4);
    cuda.grid[0] = (uint32_t)p->rows;
    bench_point_kernel(p, &cuda);
}

static void add_of_columns(bench_point *p, const struct operation *o)
{
    bench_array *x = bench_point_read(p, CUC_F32, BENCH_SHAPE(1, p->rows, p->columns));
    bench_array *y = bench_point_written(p, CUC_F32, BENCH_SHAPE(1, p->columns));
    bench_kernel_spec tile = tile_spec(p, o, false), cuda = cuda_spec(o, "columns");
    int64_t each = p->rows < 512 ? p->rows : 512;

    tile.settings = "BN=64 BB=64";
    tile.arguments[0] = (cuc_arg)BENCH_TENSOR(x);
    tile.arguments[1] = (cuc_arg)BENCH_TENSOR(y);
    bench_point_kernel(p, &tile);
    cuda.arguments[0] = tile.arguments[0];
    cuda.arguments[1] = tile.arguments[1];
    cuda.arguments[2] = (cuc_arg)BENCH_I32(p->rows);
    cuda.arguments[3] = (cuc_arg)BENCH_I32(p->columns / 4);
    cuda.arguments[4] = (cuc_arg)BENCH_I32(each);
    cuda.zeroed[0] = y;
    cuda.grid[0] = (uint32_t)((p->columns / 4 + 31) / 32);
    cuda.grid[1] = (uint32_t)((p->rows + each - 1) / each);
    bench_point_kernel(p, &cuda);
}

static const struct direction {
    const char *name;
    add_kernels *add;
    bench_point_check *check;
} directions[] = {
    { "all", add_of_all, check_all },
    { "rows", add_of_rows, check_rows },
    { "columns", add_of_columns, check_columns },
};

static const struct direction *find_direction(const char *name)
{
    for (size_t i = 0; i < CUC_LENGTH(directions); i++)
        if (strcmp(directions[i].name, name) == 0)
            return &directions[i];
    bench_fail(CUC_ERROR_INVALID_ARGUMENT, "of is %s: all, rows and columns are known", name);
    return NULL;
}

static const char *const peers[] = { "torch", "triton", "cupy", NULL };

cuc_status bench_reduction_finish(bench_point *p, const char *name, const char *of)
{
    bench_point_copy(p, CUC_BENCH_PEER);
    cuc_status st = bench_point_done(p);

    return st < 0 ? st
                  : bench_peers_add(p->state, peers, CUC_BENCH_COLD, "reductions", name,
                                    json_pack("{s:s, s:I, s:I, s:s}", "dtype",
                                              cuc_dtype_name(p->dtype), "rows", (json_int_t)p->rows,
                                              "columns", (json_int_t)p->columns, "of", of));
}

static cuc_status set_up_reduction(cuc_bench_state *state, void *data)
{
    struct operation *o = data;
    const char *of = cuc_bench_state_text(state, "of");
    const struct direction *d = find_direction(of);
    int64_t rows, columns;
    bench_point *p;
    cuc_status st = d ? bench_shape(&rows, &columns, state) : cuc_error_status();

    if (st < 0 || (st = bench_point_make(&p, state, rows, columns, d->check)) < 0 || !p)
        return st;
    p->data = o;
    if (p->dtype != CUC_F32 || columns % 4)
        return cuc_bench_state_skip(state, "sums and maxima are of f32, rows of whole vectors");
    d->add(p, o);
    return bench_reduction_finish(p, o->name, of);
}

// ---- Cross entropy

// Array indices.
enum { X, TARGET, LOSS, LSE };

static cuc_status check_entropy(bench_point *p, char *why, size_t why_size)
{
    double *x = malloc((size_t)p->columns * sizeof(*x)), target, got[2];
    cuc_status st = x ? CUC_OK : bench_no_memory("a row");
    int64_t n = p->columns, row;

    for (int64_t i = 0; st == CUC_OK && (row = bench_sampled(i, p->rows)) >= 0; i++) {
        double sum = 0; // elements are below 1, so no exponential overflows
        if (!bench_get(p, x, &p->arrays[X], row * n, n, 1, n) ||
            !bench_get(p, &target, &p->arrays[TARGET], row, 1, 1, 1) ||
            !bench_get(p, got, &p->arrays[LOSS], row, 1, 1, 1) ||
            !bench_get(p, got + 1, &p->arrays[LSE], row, 1, 1, 1)) {
            st = p->status;
            break;
        }
        for (int64_t k = 0; k < n; k++)
            sum += exp(x[k]);
        double expected[2] = { log(sum) - x[(int64_t)target], log(sum) };
        st = bench_near(got, expected, 2, 0x1p-16, 0x1p-18, "of a row, loss or its logarithm", 0,
                        why, why_size);
    }
    free(x);
    return st;
}

static cuc_status set_up_entropy(cuc_bench_state *state, void *data)
{
    int64_t rows, columns;
    bench_point *p;
    cuc_status st = bench_shape(&rows, &columns, state);

    (void)data;
    if (st < 0 || (st = bench_point_make(&p, state, rows, columns, check_entropy)) < 0 || !p)
        return st;
    int64_t lanes = 128 / cuc_dtype_bits(p->dtype);
    bench_array *x = bench_point_read(p, p->dtype, BENCH_SHAPE(rows, columns));
    bench_array *target = bench_point_indices(p, rows, columns);
    bench_array *loss = bench_point_written(p, CUC_F32, BENCH_SHAPE(rows));
    bench_array *lse = bench_point_written(p, CUC_F32, BENCH_SHAPE(rows));
    bench_kernel_spec spec = {
        .name = "tile",
        .file = "cross_entropy.tile",
        .source = cross_entropy_tile,
        .kernel = "cross_entropy",
        .arguments = { BENCH_TENSOR(x), BENCH_TENSOR(target), BENCH_TENSOR(loss),
                       BENCH_TENSOR(lse) },
        .limit = bench_reduction_limit(p),
    };
    bench_point_kernel(p, &spec);
    spec.name = "cuda";
    spec.file = "reductions.cu";
    spec.source = reductions_cu;
    spec.arguments[4] = (cuc_arg)BENCH_I32(columns / lanes);
    spec.grid[0] = (uint32_t)rows;
    spec.block[0] = 256;
    spec.limit = 0;
    if (columns % lanes)
        bench_point_skip(p, "cuda", "it takes whole vectors of 16 bytes");
    else
        bench_point_kernel(p, &spec);
    return bench_reduction_finish(p, "cross_entropy", "rows");
}

// ---- The cases

#define SHAPES(all) BENCH_AXIS("shape", STRING, all, "40x512")

static const cuc_bench_axis reduction_axes[] = {
    BENCH_AXIS("of", STRING, "all,rows,columns", NULL),
    SHAPES("4096x4096,16384x16384"),
    BENCH_AXIS("dtype", DTYPE, "f32", NULL),
    BENCH_TILE_AXIS,
};
static const cuc_bench_axis scan_axes[] = {
    BENCH_AXIS("of", STRING, "all,rows", NULL),
    SHAPES("4096x4096,16384x16384"),
    BENCH_AXIS("dtype", DTYPE, "f32", NULL),
    BENCH_TILE_AXIS,
};
static const cuc_bench_axis entropy_axes[] = {
    SHAPES("2048x8192,8192x32768,16384x32768"),
    BENCH_AXIS("dtype", DTYPE, "f32,bf16", NULL),
    BENCH_TILE_AXIS,
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "reductions", .name = "sum",
               .about = "sums of all elements, of rows and of columns", BENCH_AXES(reduction_axes),
               .setup = set_up_reduction, .data = &operations[0], .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "reductions", .name = "max",
               .about = "the largest of all elements, of rows and of columns",
               BENCH_AXES(reduction_axes), .setup = set_up_reduction, .data = &operations[1],
               .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "reductions", .name = "cumsum",
               .about = "running sums of a long array, and of rows", BENCH_AXES(scan_axes),
               .setup = bench_set_up_cumsum, .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "reductions", .name = "cross_entropy",
               .about = "log(sum of exp(x)) - x[target] of each row", BENCH_AXES(entropy_axes),
               .setup = set_up_entropy, .modes = CUC_BENCH_COLD),
};

const bench_suite bench_reductions_suite = { "reductions", cases, CUC_LENGTH(cases), NULL, NULL };
