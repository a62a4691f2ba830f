// Row normalizations: softmax, layer norm and RMS norm as tile programs, in handwritten CUDA C++
// and in Python, and softmax in cuDNN. All are compared with a copy of the same number of bytes.
#include "base/array.h"
#include "bench_case_kernels.h"
#include "cudnn_softmax.h"
#include "peers.h"
#include "point.h"
#include "reference.h"
#include "suites.h"

#include <cucore/error.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const float eps = 1e-5f;

// ---- References: compute a row in double precision, in place

typedef void norm_reference(double *x, const double *w, const double *b, int64_t count);

static void softmax(double *x, const double *w, const double *b, int64_t count)
{
    double top = -INFINITY, sum = 0;

    (void)w;
    (void)b;
    for (int64_t i = 0; i < count; i++)
        top = fmax(top, x[i]);
    for (int64_t i = 0; i < count; i++)
        sum += x[i] = exp(x[i] - top);
    for (int64_t i = 0; i < count; i++)
        x[i] /= sum;
}

static void rms_norm(double *x, const double *w, const double *b, int64_t count)
{
    double squares = 0;

    for (int64_t i = 0; i < count; i++)
        squares += x[i] * x[i];
    double r = 1 / sqrt(squares / (double)count + (double)eps);
    for (int64_t i = 0; i < count; i++)
        x[i] = x[i] * r * w[i] + (b ? b[i] : 0);
}

static void layer_norm(double *x, const double *w, const double *b, int64_t count)
{
    double sum = 0;

    for (int64_t i = 0; i < count; i++)
        sum += x[i];
    for (int64_t i = 0; i < count; i++)
        x[i] -= sum / (double)count;
    rms_norm(x, w, b, count);
}

// ---- The norms

static struct norm {
    const char *name; // name of the case and of the kernels
    const char *file, *source;
    const char *tile_of; // the constant that sets a tile's number of columns
    bool power;          // that number must be a power of two
    // Kernel parameters. x, w and b are inputs; y, m (the mean) and r (rstd) are outputs; e is eps.
    const char *parameters;
    norm_reference *reference;
    double absolute; // allowed error besides rounding
} norms[] = {
    // Not const, because the `data` of the suite's cases points to these rows.
    // clang-format off
    { "softmax",    "softmax.tile",    softmax_tile,    "BN", true,  "xy",      softmax,    0x1p-24 },
    { "layer_norm", "layer_norm.tile", layer_norm_tile, "N",  false, "xwbymre", layer_norm, 0x1p-16 },
    { "rms_norm",   "rms_norm.tile",   rms_norm_tile,   "N",  false, "xwye",    rms_norm,   0x1p-16 },
    // clang-format on
};

static const struct norm *norm_of(const bench_point *p)
{
    return p->data;
}

// Returns NULL if there is no such array.
static bench_array *array_of(bench_point *p, char name)
{
    const char *at = strchr(norm_of(p)->parameters, name);

    return at ? &p->arrays[at - norm_of(p)->parameters] : NULL;
}

// Check the statistics that the kernel stores for a row: the mean and the scale.
static cuc_status check_kept(bench_point *p, const double *x, int64_t row, char *why,
                             size_t why_size)
{
    double sum = 0, squares = 0, got[2], n = (double)p->columns;

    for (int64_t i = 0; i < p->columns; i++)
        sum += x[i];
    for (int64_t i = 0; i < p->columns; i++)
        squares += (x[i] - sum / n) * (x[i] - sum / n);
    double expected[2] = { sum / n, 1 / sqrt(squares / n + (double)eps) };
    if (!bench_get(p, got, array_of(p, 'm'), row, 1, 1, 1) ||
        !bench_get(p, got + 1, array_of(p, 'r'), row, 1, 1, 1))
        return p->status;
    return bench_near(got, expected, 2, 0x1p-16, 0x1p-16, "mean or rstd of a row", 0, why,
                      why_size);
}

static cuc_status check_row(bench_point *p, double *work, int64_t row, char *why, size_t why_size)
{
    int64_t n = p->columns;
    double *x = work, *y = work + n, *w = work + 2 * n, *b = work + 3 * n;
    bench_array *factor = array_of(p, 'w'), *more = array_of(p, 'b');
    cuc_status st = CUC_OK;
    char what[64];

    if (!bench_get(p, x, array_of(p, 'x'), row * n, n, 1, n) ||
        !bench_get(p, y, array_of(p, 'y'), row * n, n, 1, n) ||
        (factor && !bench_get(p, w, factor, 0, n, 1, n)) ||
        (more && !bench_get(p, b, more, 0, n, 1, n)))
        return p->status;
    if (array_of(p, 'm'))
        st = check_kept(p, x, row, why, why_size);
    norm_of(p)->reference(x, w, more ? b : NULL, n);
    snprintf(what, sizeof(what), "row %lld, column", (long long)row);
    // Allow for rounding to the element type and for approximate functions.
    return st ? st
              : bench_near(y, x, n, bench_epsilon(p->dtype) + 0x1p-16, norm_of(p)->absolute, what,
                           0, why, why_size);
}

static cuc_status check(bench_point *p, char *why, size_t why_size)
{
    double *work = malloc(4 * (size_t)p->columns * sizeof(*work));
    cuc_status st = work ? CUC_OK : bench_no_memory("a row");
    int64_t row;

    for (int64_t i = 0; st == CUC_OK && (row = bench_sampled(i, p->rows)) >= 0; i++)
        st = check_row(p, work, row, why, why_size);
    free(work);
    return st;
}

// ---- Subjects

static void add_arrays(bench_point *p)
{
    for (const char *name = norm_of(p)->parameters; *name && *name != 'e'; name++)
        switch (*name) {
        case 'x':
            (void)bench_point_read(p, p->dtype, BENCH_SHAPE(p->rows, p->columns));
            break;
        case 'y':
            (void)bench_point_written(p, p->dtype, BENCH_SHAPE(p->rows, p->columns));
            break;
        case 'w':
        case 'b':
            (void)bench_point_read(p, p->dtype, BENCH_SHAPE(p->columns));
            break;
        default:
            (void)bench_point_written(p, CUC_F32, BENCH_SHAPE(p->rows));
        }
}

static void set_arguments(bench_kernel_spec *spec, bench_point *p)
{
    const char *name = norm_of(p)->parameters;

    for (int i = 0; name[i]; i++)
        spec->arguments[i] = name[i] == 'e' ? (cuc_arg)BENCH_F32(eps)
                                            : (cuc_arg)BENCH_TENSOR(array_of(p, name[i]));
}

static void add_tile(bench_point *p)
{
    const struct norm *norm = norm_of(p);
    bench_kernel_spec spec = { .name = "tile", .file = norm->file, .kernel = norm->name };
    int64_t columns = p->columns;
    char settings[64];

    if (norm->power)
        for (columns = 1; columns < p->columns;)
            columns *= 2;
    snprintf(settings, sizeof(settings), "%s=%lld", norm->tile_of, (long long)columns);
    spec.source = norm->source;
    spec.settings = settings;
    spec.limit = p->bytes >= 256 << 20 ? 1 / 0.85 : 0;
    set_arguments(&spec, p);
    bench_point_kernel(p, &spec);
}

// Use four vectors per thread; more for long rows.
static void add_cuda(bench_point *p)
{
    bench_kernel_spec spec = { .name = "cuda", .file = "norms.cu", .source = norms_cu };
    int64_t lanes = 128 / cuc_dtype_bits(p->dtype), threads = 32;
    char settings[64];

    if (p->columns % lanes || p->columns > 16 * 1024 * lanes) {
        bench_point_skip(p, "cuda", "it takes whole vectors of 16 bytes, 16384 of them at most");
        return;
    }
    while (threads < 1024 && threads * lanes * 4 < p->columns)
        threads *= 2;
    snprintf(settings, sizeof(settings), "COLUMNS=%lld THREADS=%lld", (long long)p->columns,
             (long long)threads);
    spec.kernel = norm_of(p)->name;
    spec.settings = settings;
    spec.grid[0] = (uint32_t)p->rows;
    spec.block[0] = (uint32_t)threads;
    set_arguments(&spec, p);
    bench_point_kernel(p, &spec);
}

static const char *const peers[] = { "torch", "triton", NULL };

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    struct norm *norm = data;
    int64_t rows, columns;
    bench_point *p;
    cuc_status st = bench_shape(&rows, &columns, state);

    if (st < 0 || (st = bench_point_make(&p, state, rows, columns, check)) < 0 || !p)
        return st;
    p->data = norm;
    add_arrays(p);
    add_tile(p);
    add_cuda(p);
    if (norm->reference == softmax)
        bench_point_cudnn_softmax(p);
    bench_point_copy(p, CUC_BENCH_PEER);
    if ((st = bench_point_done(p)) < 0)
        return st;
    return bench_peers_add(state, peers, CUC_BENCH_COLD, "norms", norm->name,
                           json_pack("{s:s, s:I, s:I}", "dtype", cuc_dtype_name(p->dtype), "rows",
                                     (json_int_t)rows, "columns", (json_int_t)columns));
}

// ---- The cases

static const cuc_bench_axis axes[] = {
    BENCH_AXIS("shape", STRING, "8192x1024,8192x4096,8192x8192,4096x32768,65536x4096", "24x512"),
    BENCH_AXIS("dtype", DTYPE, "f32,bf16", NULL),
    BENCH_TILE_AXIS,
};

#define NORM(index, name_, about_)                                                     \
    BENCH_CASE(.suite = "norms", .name = (name_), .about = (about_), BENCH_AXES(axes), \
               .setup = set_up, .data = &norms[index], .modes = CUC_BENCH_COLD)

static const cuc_bench_case cases[] = {
    NORM(0, "softmax", "softmax of each row"),
    NORM(1, "layer_norm", "layer norm of each row, with mean and rstd kept"),
    NORM(2, "rms_norm", "RMS norm of each row"),
};

const bench_suite bench_norms_suite = { "norms", cases, CUC_LENGTH(cases), NULL, NULL };
