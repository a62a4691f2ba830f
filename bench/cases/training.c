// The kernel library's gradients: norms backward, cross entropy of a projection, AdamW over many
// tensors, beside PyTorch's compiler. A subject is a sequence of launches.
#include "base/array.h"
#include "peers.h"
#include "point.h"
#include "reference.h"
#include "suites.h"

#include <cucore/copy.h>
#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/library.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Sequences of launches

enum { MOST_ARGUMENTS = 14, MOST_VIEWS = 8 };

typedef struct step {
    cuc_kernel *kernel;
    struct {
        const bench_array *of;
        cuc_tensor tensor;
        uint64_t offset; // bytes from the array's beginning
    } view[MOST_VIEWS];
    cuc_arg arguments[MOST_ARGUMENTS];
    size_t views, count;
} step;

typedef struct training {
    bench_point *point;
    step *steps;
    size_t count;
    size_t first;           // of the measured steps; the ones before make inputs
    bool layer;             // of a norm
    int64_t words, tensors; // of a projection, of AdamW
    int64_t *lengths;
} training;

static training *training_of(const bench_point *p)
{
    return (training *)(uintptr_t)p->data;
}

static step *add_step(training *t, cuc_kernel *kernel)
{
    step *s = &t->steps[t->count++];

    s->kernel = kernel;
    return s;
}

// Pass some rows of an array; 0 rows: all.
static void give_rows(step *s, const bench_array *a, int64_t first, int64_t rows)
{
    if (!a) // a failure that the point keeps
        return;
    s->view[s->views].of = a;
    s->view[s->views].tensor = a->tensor;
    s->view[s->views].offset = (uint64_t)(first * a->tensor.strides[0]) *
                               cuc_dtype_bits(a->tensor.dtype) / 8;
    if (rows)
        s->view[s->views].tensor.shape[0] = rows;
    s->arguments[s->count++] = CUC_ARG(&s->view[s->views].tensor);
    s->views++;
}

static void give(step *s, const bench_array *a)
{
    give_rows(s, a, 0, 0);
}

static void give_number(step *s, cuc_arg number)
{
    s->arguments[s->count++] = number;
}

#define F64(number) ((cuc_arg){ CUC_F64, 8, { .f64 = (number) } })
#define F32(number) ((cuc_arg)BENCH_F32(number))
#define I64(number) ((cuc_arg)BENCH_I64(number))

static cuc_status run_steps(training *t, size_t first, size_t end, cuc_stream *stream, uint64_t set)
{
    cuc_status st = CUC_OK;

    for (size_t i = first; i < end && st >= 0; i++) {
        step *s = &t->steps[i];
        for (size_t v = 0; v < s->views; v++)
            s->view[v].tensor.data = cuc_bench_input_ptr(s->view[v].of->input, set) +
                                     s->view[v].offset;
        st = cuc_launch(stream, NULL, s->kernel, s->arguments, s->count);
    }
    return st;
}

static cuc_status run(void *data, cuc_stream *stream, uint64_t set)
{
    training *t = data;

    return run_steps(t, t->first, t->count, stream, set);
}

static cuc_status check(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    training *t = data;

    (void)stream;
    return bench_point_check_run(t->point, run, t, why, why_size);
}

// Compile a family with constants, at most 4, and the dtype.
static cuc_status compile(cuc_object **out, const bench_point *p, const char *family,
                          const char *const *constants, size_t count)
{
    const char *all[8];
    char dtype[16];
    cuc_program_options o = CUC_PROGRAM_OPTIONS_INIT;
    cuc_program *program;

    snprintf(dtype, sizeof(dtype), "T=%s", cuc_dtype_name(p->dtype));
    all[0] = dtype;
    for (size_t i = 0; i < count; i++)
        all[i + 1] = constants[i];
    o.constants = all;
    o.constant_count = count + 1;
    cuc_status st = cuc_program_from_library(&program, family, &o);
    if (st < 0)
        return st;
    st = cuc_program_compile(out, program, CUC_CODE_PTX); // the driver assembles pipelines best
    cuc_program_release(program);
    return st;
}

static cuc_kernel *get_kernel(bench_point *p, cuc_object *object, const char *name)
{
    cuc_kernel *kernel = NULL;

    if (p->status >= 0)
        p->status = cuc_object_get_kernel(&kernel, object, name);
    if (p->status >= 0)
        p->status = cuc_bench_state_defer(p->state, bench_drop_kernel, kernel);
    return p->status < 0 ? NULL : kernel;
}

// Create a point with room for `steps`; `*out` is NULL if the point is skipped.
static cuc_status make(training **out, cuc_bench_state *state, cuc_dtype dtype, int64_t rows,
                       int64_t columns, size_t steps, bench_point_check *check_point)
{
    training *t = bench_allocate(state, sizeof(*t));
    cuc_status st;

    *out = NULL;
    if (!t || !(t->steps = bench_allocate(state, steps * sizeof(*t->steps))))
        return cuc_error_status();
    if ((st = bench_point_make_of(&t->point, state, dtype, rows, columns, check_point)) < 0 ||
        !t->point)
        return st;
    t->point->data = t;
    *out = t;
    return CUC_OK;
}

static cuc_status add_subject(training *t, double flop)
{
    cuc_bench_subject s = CUC_BENCH_SUBJECT_INIT;
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    bench_point *p = t->point;

    s.name = "library";
    s.data = t;
    s.run = run;
    s.check = check;
    work.bytes = p->bytes;
    work.flop = flop;
    if (p->status >= 0)
        p->status = cuc_bench_state_add_subject(p->state, &s);
    if (p->status >= 0)
        p->status = cuc_bench_state_set_work(p->state, &work);
    return p->status;
}

static const char *const peers[] = { "torch", NULL };

// ---- Norms, backward

enum { DY, X, W, RSTD, MEAN, DX, DW, DB }; // arrays of a norm; an RMS norm has no mean and no db

typedef struct norm {
    const char *family;
    bool layer;
} norm;

static const norm norms[] = { { "rms_norm", false }, { "layer_norm", true } };

static const bench_array *norm_array(const bench_point *p, int which)
{
    static const int8_t rms[] = { 0, 1, 2, 3, -1, 4, 5, -1 }, layer[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    int at = training_of(p)->layer ? layer[which] : rms[which];

    return at < 0 ? NULL : &p->arrays[at];
}

// Compute dx of a row in double, with the statistics that the kernel got.
static cuc_status check_norm_row(bench_point *p, double *work, int64_t row, char *why, size_t size)
{
    int64_t n = p->columns;
    double *x = work, *dy = x + n, *w = dy + n, *dx = w + n;
    double rstd, mean = 0, of_g = 0, of_gn = 0;

    if (!bench_get(p, x, norm_array(p, X), row * n, n, 1, n) ||
        !bench_get(p, dy, norm_array(p, DY), row * n, n, 1, n) ||
        !bench_get(p, w, norm_array(p, W), 0, n, 1, n) ||
        !bench_get(p, dx, norm_array(p, DX), row * n, n, 1, n) ||
        !bench_get(p, &rstd, norm_array(p, RSTD), row, 1, 1, 1) ||
        (norm_array(p, MEAN) && !bench_get(p, &mean, norm_array(p, MEAN), row, 1, 1, 1)))
        return p->status;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (x[i] - mean) * rstd;
        of_g += norm_array(p, MEAN) ? dy[i] * w[i] / (double)n : 0;
        of_gn += dy[i] * w[i] * x[i] / (double)n;
    }
    for (int64_t i = 0; i < n; i++)
        x[i] = rstd * (dy[i] * w[i] - of_g - x[i] * of_gn);
    return bench_near(dx, x, n, bench_epsilon(p->dtype), 0x1p-16, "dx", row * n, why, size);
}

static cuc_status check_norm_column(bench_point *p, double *work, int64_t column, char *why,
                                    size_t size)
{
    int64_t m = p->rows, n = p->columns;
    double *x = work, *dy = x + m, *rstd = dy + m, *mean = rstd + m;
    double sum[2] = { 0, 0 }, got[2] = { 0, 0 };

    memset(mean, 0, (size_t)m * sizeof(*mean));
    if (!bench_get(p, x, norm_array(p, X), column, 1, m, n) ||
        !bench_get(p, dy, norm_array(p, DY), column, 1, m, n) ||
        !bench_get(p, rstd, norm_array(p, RSTD), 0, m, 1, m) ||
        (norm_array(p, MEAN) && !bench_get(p, mean, norm_array(p, MEAN), 0, m, 1, m)) ||
        !bench_get(p, got, norm_array(p, DW), column, 1, 1, 1) ||
        (norm_array(p, DB) && !bench_get(p, got + 1, norm_array(p, DB), column, 1, 1, 1)))
        return p->status;
    for (int64_t r = 0; r < m; r++) {
        sum[0] += dy[r] * (x[r] - mean[r]) * rstd[r];
        sum[1] += norm_array(p, DB) ? dy[r] : 0;
    }
    // Each of m additions to a sum of up to m may round.
    return bench_near(got, sum, 2, bench_epsilon(p->dtype), (double)m * 0x1p-20, "dw or db", column,
                      why, size);
}

static cuc_status check_norm(bench_point *p, char *why, size_t size)
{
    int64_t most = p->rows > p->columns ? p->rows : p->columns, at;
    double *work = malloc(4 * (size_t)most * sizeof(*work));
    cuc_status st = work ? CUC_OK : bench_no_memory("rows and columns");

    for (int64_t i = 0; st == CUC_OK && (at = bench_sampled(i, p->rows)) >= 0; i++)
        st = check_norm_row(p, work, at, why, size);
    for (int64_t i = 0; st == CUC_OK && (at = bench_sampled(i, p->columns)) >= 0; i += 8)
        st = check_norm_column(p, work, at, why, size);
    free(work);
    return st;
}

static cuc_status set_up_norm(cuc_bench_state *state, void *data)
{
    const norm *how = data;
    int64_t rows, columns;
    int32_t blocks;
    bench_array *array[8], *part[2] = { NULL, NULL };
    cuc_object *object;
    training *t;
    char length[32];
    const char *constants[] = { length };
    cuc_status st = bench_shape(&rows, &columns, state);

    if (st < 0 ||
        (st = make(&t, state, cuc_bench_state_dtype(state, "dtype"), rows, columns, 2,
                   check_norm)) < 0 ||
        !t ||
        (st = cuc_device_get_attribute(&blocks, cuc_bench_state_device(state),
                                       CUC_DEVICE_MULTIPROCESSOR_COUNT)) < 0)
        return st;
    blocks *= columns < 8192 ? (int32_t)(8192 / columns) : 1; // the rule in rms_norm.tile
    bench_point *p = t->point;
    t->layer = how->layer;
    snprintf(length, sizeof(length), "N=%lld", (long long)columns);
    for (int i = DY; i <= DB; i++) {
        bool vector = i == W || i == DW || i == DB, kept = i == RSTD || i == MEAN;
        if (!how->layer && (i == MEAN || i == DB))
            continue;
        cuc_dtype dtype = kept ? CUC_F32 : p->dtype;
        const int64_t *shape = vector ? BENCH_SHAPE(columns)
                               : kept ? BENCH_SHAPE(rows)
                                      : BENCH_SHAPE(rows, columns);
        array[i] = i >= DX ? bench_point_written(p, dtype, shape)
                           : bench_point_read(p, dtype, shape);
    }
    for (int i = 0; i <= how->layer; i++)
        part[i] = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(blocks, columns));
    if (p->status < 0)
        return p->status;
    if (compile(&object, p, how->family, constants, 1) < 0)
        return bench_failed_subject(state, "library", 0);
    char backward[32], finish[48];
    snprintf(backward, sizeof(backward), "%s_backward", how->family);
    snprintf(finish, sizeof(finish), "%s_backward_weight", how->family);
    step *one = add_step(t, get_kernel(p, object, backward));
    step *two = add_step(t, get_kernel(p, object, finish));
    cuc_object_release(object);
    for (int i = DY; i <= W; i++)
        give(one, array[i]);
    if (how->layer)
        give(one, array[MEAN]);
    give(one, array[RSTD]);
    give(one, array[DX]);
    for (int i = 0; i <= how->layer; i++) {
        give(one, part[i]);
        give(two, part[i]);
    }
    give(two, array[DW]);
    if (how->layer)
        give(two, array[DB]);
    if ((st = add_subject(t, 0)) < 0)
        return st;
    bench_point_copy(p, CUC_BENCH_PEER);
    if (p->status < 0)
        return p->status;
    return bench_peers_add(state, peers, CUC_BENCH_COLD, "training", how->family,
                           json_pack("{s:s, s:I, s:I}", "dtype", cuc_dtype_name(p->dtype), "rows",
                                     (json_int_t)rows, "columns", (json_int_t)columns));
}

// ---- Cross entropy of a projection

enum { FEATURES, WORDS, TARGET, LSE, LOSS, DLOSS = LOSS, INPUT, WEIGHT }; // the first arrays

static const int64_t chunk = 8192; // words of a backward step

// Compute the logits of a row and some words. `x` is the row; `w` has room for PIECE words.
enum { PIECE = 256 };

static bool get_logits(bench_point *p, double *z, const double *x, double *w, int64_t first,
                       int64_t count)
{
    int64_t d = p->columns;

    if (!bench_get(p, w, &p->arrays[WORDS], first * d, count * d, 1, count * d))
        return false;
    for (int64_t v = 0; v < count; v++) {
        z[v] = 0;
        for (int64_t i = 0; i < d; i++)
            z[v] += x[i] * w[v * d + i];
    }
    return true;
}

static int64_t piece_of(int64_t first, int64_t all)
{
    return all - first < PIECE ? all - first : PIECE;
}

// Check the loss of the first and the last row. A logit has an error of a few roundings of its
// products' sum.
static cuc_status check_loss(bench_point *p, char *why, size_t size)
{
    const training *t = training_of(p);
    int64_t d = p->columns;
    double *x = malloc((size_t)(d + PIECE * (d + 1)) * sizeof(*x)), *z = x + d, *w = z + PIECE;
    cuc_status st = x ? CUC_OK : bench_no_memory("a row");

    for (int64_t r = 0; st == CUC_OK && r<p->rows; r += p->rows> 1 ? p->rows - 1 : 1) {
        double top = -INFINITY, sum = 0, picked = 0, target, got;
        if (!bench_get(p, x, &p->arrays[FEATURES], r * d, d, 1, d) ||
            !bench_get(p, &target, &p->arrays[TARGET], r, 1, 1, 1) ||
            !bench_get(p, &got, &p->arrays[LOSS], r, 1, 1, 1))
            st = p->status;
        for (int64_t v = 0; st == CUC_OK && v < t->words; v += PIECE) {
            int64_t n = piece_of(v, t->words);
            if (!get_logits(p, z, x, w, v, n))
                st = p->status;
            for (int64_t i = 0; st == CUC_OK && i < n; i++) {
                double high = fmax(top, z[i]);
                sum = sum * exp(top - high) + exp(z[i] - high);
                top = high;
                picked = v + i == (int64_t)target ? z[i] : picked;
            }
        }
        double want = top + log(sum) - picked;
        if (st == CUC_OK)
            st = bench_near(&got, &want, 1, 0x1p-12, 0x1p-8, "loss", r, why, size);
    }
    free(x);
    return st;
}

static double largest(const double *x, int64_t n)
{
    double most = 0;

    for (int64_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

// Check the gradient of the first row of features, and that of its target's words. The kernels
// round the gradient of logits to the element type.
static cuc_status check_gradients(bench_point *p, char *why, size_t size)
{
    const training *t = training_of(p);
    int64_t d = p->columns, m = p->rows;
    double *x = calloc((size_t)(4 * d + PIECE * (d + 1) + 3 * m), sizeof(*x)), *got = x + d;
    double *dx = got + d, *dw = dx + d, *z = dw + d, *w = z + PIECE;
    double *target = w + PIECE * d, *lse = target + m, *dloss = lse + m;
    double eps = bench_epsilon(p->dtype);
    cuc_status st = x ? CUC_OK : bench_no_memory("gradients");

    if (st == CUC_OK && (!bench_get(p, x, &p->arrays[FEATURES], 0, d, 1, d) ||
                         !bench_get(p, target, &p->arrays[TARGET], 0, m, 1, m) ||
                         !bench_get(p, lse, &p->arrays[LSE], 0, m, 1, m) ||
                         !bench_get(p, dloss, &p->arrays[DLOSS], 0, m, 1, m)))
        st = p->status;
    for (int64_t v = 0; st == CUC_OK && v < t->words; v += PIECE) {
        int64_t n = piece_of(v, t->words);
        if (!get_logits(p, z, x, w, v, n))
            st = p->status;
        for (int64_t i = 0; st == CUC_OK && i < n; i++) {
            double dz = (exp(z[i] - lse[0]) - (v + i == (int64_t)target[0])) * dloss[0];
            for (int64_t j = 0; j < d; j++)
                dx[j] += dz * w[i * d + j];
        }
    }
    if (st == CUC_OK && !bench_get(p, got, &p->arrays[INPUT], 0, d, 1, d))
        st = p->status;
    if (st == CUC_OK)
        st = bench_near(got, dx, d, 4 * eps, 4 * eps * largest(dx, d), "dx", 0, why, size);

    // The word's features replace those of the row in `x`.
    int64_t word = x ? (int64_t)target[0] : 0;
    if (st == CUC_OK && !bench_get(p, x, &p->arrays[WORDS], word * d, d, 1, d))
        st = p->status;
    for (int64_t r = 0; st == CUC_OK && r < m; r += PIECE) {
        int64_t n = piece_of(r, m);
        if (!bench_get(p, w, &p->arrays[FEATURES], r * d, n * d, 1, n * d))
            st = p->status;
        for (int64_t i = 0; st == CUC_OK && i < n; i++) {
            double sum = 0;
            for (int64_t j = 0; j < d; j++)
                sum += x[j] * w[i * d + j];
            double dz = (exp(sum - lse[r + i]) - ((int64_t)target[r + i] == word)) * dloss[r + i];
            for (int64_t j = 0; j < d; j++)
                dw[j] += dz * w[i * d + j];
        }
    }
    if (st == CUC_OK && !bench_get(p, got, &p->arrays[WEIGHT], word * d, d, 1, d))
        st = p->status;
    if (st == CUC_OK)
        st = bench_near(got, dw, d, 4 * eps, 4 * eps * largest(dw, d), "dw", word * d, why, size);
    free(x);
    return st;
}

static cuc_status read_shape(int64_t *rows, int64_t *depth, int64_t *words, cuc_bench_state *state)
{
    const char *text = cuc_bench_state_text(state, "shape");
    long long m, d, v;
    char more;

    if (sscanf(text, "%lldx%lldx%lld%c", &m, &d, &v, &more) != 3 || m < 1 || d < 1 || v < 1 ||
        m > 1 << 24 || d > 1 << 24 || v > 1 << 24)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "shape is %s, expected ROWSxFEATURESxWORDS, 1 to 2^24 each", text);
    *rows = m;
    *depth = d;
    *words = v;
    return CUC_OK;
}

static void add_forward(training *t, cuc_object *object, bench_array *loss)
{
    enum { BN = 256 }; // of linear_cross_entropy.tile
    bench_point *p = t->point;
    int64_t tiles = bench_ceil_div(t->words, BN);
    bench_array *most = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(tiles, p->rows));
    bench_array *den = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(tiles, p->rows));
    bench_array *picked = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(p->rows));
    step *one = add_step(t, get_kernel(p, object, "linear_cross_entropy"));
    step *two = add_step(t, get_kernel(p, object, "linear_cross_entropy_loss"));

    for (int i = FEATURES; i <= TARGET; i++)
        give(one, &p->arrays[i]);
    give(two, &p->arrays[TARGET]);
    for (int i = 0; i < 3; i++) {
        bench_array *a = i == 0 ? most : i == 1 ? den : picked;
        give(one, a);
        give(two, a);
    }
    give(two, loss);
    give(two, &p->arrays[LSE]);
    give_number(two, I64(t->words));
}

static void add_backward(training *t, cuc_object *object, cuc_object *adding)
{
    bench_point *p = t->point;
    int64_t width = t->words < chunk ? t->words : chunk;
    bench_array *dz = bench_point_scratch(p, p->dtype, BENCH_SHAPE(p->rows * width));
    cuc_kernel *of_z = get_kernel(p, object, "linear_cross_entropy_backward");
    cuc_kernel *of_x = get_kernel(p, object, "linear_cross_entropy_backward_input");
    cuc_kernel *more = get_kernel(p, adding, "linear_cross_entropy_backward_input");
    cuc_kernel *of_w = get_kernel(p, object, "linear_cross_entropy_backward_weight");

    for (int64_t first = 0; first < t->words && p->status >= 0; first += chunk) { // dz exists
        int64_t words = t->words - first < chunk ? t->words - first : chunk;
        step *s[] = { add_step(t, of_z), add_step(t, first ? more : of_x), add_step(t, of_w) };
        bench_array view = *dz;
        int64_t shape[] = { p->rows, words };
        p->status = cuc_tensor_from_pointer(&view.tensor, dz->tensor.data, p->dtype, 2, shape,
                                            dz->tensor.device);
        give(s[0], &p->arrays[FEATURES]);
        give_rows(s[0], &p->arrays[WORDS], first, words);
        for (int i = TARGET; i <= DLOSS; i++)
            give(s[0], &p->arrays[i]);
        for (int i = 0; i < 3; i++) {
            give(s[i], &view);
            s[i]->view[s[i]->views - 1].of = dz;
        }
        give_number(s[0], I64(first));
        give_number(s[0], I64(t->words));
        give_rows(s[1], &p->arrays[WORDS], first, words);
        give(s[1], &p->arrays[INPUT]);
        give(s[2], &p->arrays[FEATURES]);
        give_rows(s[2], &p->arrays[WEIGHT], first, words);
    }
}

static bool is_backward = true;

static cuc_status set_up_projection(cuc_bench_state *state, void *data)
{
    bool backward = data != NULL;
    int64_t rows = 0, depth = 0, words = 0;
    cuc_object *object, *adding = NULL;
    training *t;
    const char *constants[] = { "ADD=true" };
    cuc_status st = read_shape(&rows, &depth, &words, state);

    if (st < 0)
        return st;
    if (cuc_driver_is_simulated() && rows * depth * words > 1 << 24)
        return cuc_bench_state_skip(state,
                                    "simulated: 2^24 products are the most that is measured");
    size_t steps = 2 + 3 * (size_t)bench_ceil_div(words, chunk);
    if ((st = make(&t, state, cuc_bench_state_dtype(state, "dtype"), rows, depth, steps,
                   backward ? check_gradients : check_loss)) < 0 ||
        !t)
        return st;
    bench_point *p = t->point;
    t->words = words;
    (void)bench_point_read(p, p->dtype, BENCH_SHAPE(rows, depth));
    (void)bench_point_read(p, p->dtype, BENCH_SHAPE(words, depth));
    (void)bench_point_indices(p, rows, words);
    bench_array *loss = NULL;
    if (backward) {
        (void)bench_point_scratch(p, CUC_F32, BENCH_SHAPE(rows)); // lse, which the first steps make
        loss = bench_point_read(p, CUC_F32, BENCH_SHAPE(rows));
        (void)bench_point_written(p, CUC_F32, BENCH_SHAPE(rows, depth));
        (void)bench_point_written(p, p->dtype, BENCH_SHAPE(words, depth));
        loss = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(rows));
    } else {
        (void)bench_point_written(p, CUC_F32, BENCH_SHAPE(rows));
        loss = bench_point_written(p, CUC_F32, BENCH_SHAPE(rows));
    }
    if (p->status < 0)
        return p->status;
    if (compile(&object, p, "linear_cross_entropy", NULL, 0) < 0)
        return bench_failed_subject(state, "library", 0);
    add_forward(t, object, loss);
    if (backward) {
        t->first = t->count;
        if (p->status >= 0)
            p->status = compile(&adding, p, "linear_cross_entropy", constants, 1);
        if (p->status >= 0)
            add_backward(t, object, adding);
        uint64_t sets = p->status < 0 ? 0 : cuc_bench_input_sets(p->arrays[LSE].input);
        for (uint64_t set = 0; set < sets && p->status >= 0; set++)
            p->status = run_steps(t, 0, t->first, p->stream, set);
    }
    cuc_object_release(object);
    cuc_object_release(adding);
    double flop = 2 * (double)rows * (double)depth * (double)words;
    // The work is that of both gradients. The library computes the logits again, which a peer that
    // keeps them in memory does not.
    if ((st = add_subject(t, backward ? 2 * flop : flop)) < 0)
        return st;
    return bench_peers_add(
        state, peers, CUC_BENCH_COLD, "training", backward ? "projection_backward" : "projection",
        json_pack("{s:s, s:I, s:I, s:I}", "dtype", cuc_dtype_name(p->dtype), "rows",
                  (json_int_t)rows, "columns", (json_int_t)depth, "words", (json_int_t)words));
}

// ---- AdamW

enum { P, G, M, V, TABLE, FIRST };

static const double lr = 1e-3, beta1 = 0.9, beta2 = 0.999, tiny = 1e-2, decay = 0.01;

// The length of tensor k: between half and one and a half times the mean.
static int64_t length_of(int64_t k, int64_t mean)
{
    return mean / 2 + (k * 7919 + 13) % (mean > 1 ? mean : 1) + (mean < 2);
}

static int64_t padded(int64_t length)
{
    return bench_ceil_div(length, 8) * 8; // ALIGN of adamw.tile
}

// Check some parameters after a step from parameters and moments of 0; corrections are 1.
static cuc_status check_adamw(bench_point *p, char *why, size_t size)
{
    const training *t = training_of(p);
    int64_t most = 0, from = 0, next = 0, sampled = 0;
    cuc_status st = CUC_OK;

    for (int64_t k = 0; k < t->tensors; k++)
        most = t->lengths[k] > most ? t->lengths[k] : most;
    double *got = malloc((size_t)(2 * most) * sizeof(*got)), *g = got + most;
    if (!got)
        return bench_no_memory("a tensor");
    next = bench_sampled(sampled, t->tensors);
    for (int64_t k = 0; k < t->tensors && st == CUC_OK && next >= 0; k++) {
        int64_t n = t->lengths[k];
        if (k == next) {
            if (!bench_get(p, g, &p->arrays[G], from, n, 1, n) ||
                !bench_get(p, got, &p->arrays[P], from, n, 1, n))
                st = p->status;
            for (int64_t i = 0; i < n && st == CUC_OK; i++)
                g[i] = -lr * (1 - beta1) * g[i] / (sqrt((1 - beta2) * g[i] * g[i]) + tiny);
            if (st == CUC_OK)
                st = bench_near(got, g, n, 0x1p-18, 0, "parameter", from, why, size);
            next = bench_sampled(++sampled, t->tensors);
        }
        from += padded(n);
    }
    free(got);
    return st;
}

static cuc_status check_adamw_run(void *data, cuc_stream *stream, char *why, size_t size)
{
    training *t = data;
    bench_point *p = t->point;
    cuc_status st = CUC_OK;

    for (int i = P; i <= V && st >= 0; i++)
        if (i != G)
            st = cuc_fill(stream, cuc_bench_input_ptr(p->arrays[i].input, 0), 0, 1,
                          cuc_bench_input_bytes(p->arrays[i].input));
    if (st < 0 || (st = run(t, stream, 0)) < 0 || (st = cuc_stream_synchronize(stream)) < 0)
        return st;
    return check_adamw(p, why, size);
}

// Fill the tables; returns the number of chunks.
static int64_t fill_tables(training *t, int64_t *table, int32_t *first)
{
    enum { BN = 2048 }; // of adamw.tile
    int64_t at = 0, chunks = 0;

    for (int64_t k = 0; k < t->tensors; k++) {
        for (int j = 0; j < 4; j++)
            table[5 * k + j] = at;
        table[5 * k + 4] = t->lengths[k];
        first[k] = (int32_t)chunks;
        chunks += bench_ceil_div(t->lengths[k], BN);
        at += padded(t->lengths[k]);
    }
    return chunks;
}

static cuc_status copy_tables(training *t, int64_t *chunks)
{
    bench_point *p = t->point;
    int64_t *table = malloc((size_t)t->tensors * 5 * sizeof(*table));
    int32_t *first = malloc((size_t)t->tensors * sizeof(*first));
    cuc_status st = table && first ? CUC_OK : bench_no_memory("tables");

    if (st >= 0)
        *chunks = fill_tables(t, table, first);
    for (int i = TABLE; i <= FIRST && st >= 0; i++) {
        const cuc_bench_input *input = p->arrays[i].input;
        for (uint64_t set = 0; set < cuc_bench_input_sets(input) && st >= 0; set++)
            st = cuc_copy_to_device(p->stream, cuc_bench_input_ptr(input, set),
                                    i == TABLE ? (const void *)table : first,
                                    cuc_bench_input_bytes(input));
    }
    if (st >= 0)
        st = cuc_stream_synchronize(p->stream);
    free(table);
    free(first);
    return st;
}

static cuc_status set_up_adamw(cuc_bench_state *state, void *data)
{
    int64_t tensors, mean, elements = 0, count = 0, chunks = 0;
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    cuc_object *object;
    training *t;
    cuc_status st = bench_shape(&tensors, &mean, state);

    (void)data;
    if (st < 0 || (st = make(&t, state, CUC_F32, tensors, 2 * mean, 1, check_adamw)) < 0 || !t)
        return st;
    bench_point *p = t->point;
    t->tensors = tensors;
    if (!(t->lengths = bench_allocate(state, (size_t)tensors * sizeof(*t->lengths))))
        return cuc_error_status();
    for (int64_t k = 0; k < tensors; k++) {
        t->lengths[k] = length_of(k, mean);
        count += t->lengths[k];
        elements += padded(t->lengths[k]);
    }
    for (int i = P; i <= V; i++)
        (void)(i == G ? bench_point_read(p, CUC_F32, BENCH_SHAPE(elements))
                      : bench_point_scratch(p, CUC_F32, BENCH_SHAPE(elements)));
    (void)bench_point_scratch(p, CUC_I64, BENCH_SHAPE(tensors, 5));
    (void)bench_point_scratch(p, CUC_I32, BENCH_SHAPE(tensors));
    p->bytes = 28 * (double)count; // p, m and v are read and written
    if (p->status < 0 || (st = copy_tables(t, &chunks)) < 0)
        return p->status < 0 ? p->status : st;
    if (compile(&object, p, "adamw", NULL, 0) < 0)
        return bench_failed_subject(state, "library", 0);
    step *s = add_step(t, get_kernel(p, object, "adamw"));
    cuc_object_release(object);
    for (int i = P; i <= FIRST; i++)
        give(s, &p->arrays[i]);
    give_number(s, I64(chunks));
    give_number(s, F32((float)lr));
    give_number(s, F64(beta1));
    give_number(s, F64(beta2));
    give_number(s, F32((float)tiny));
    give_number(s, F32((float)decay));
    give_number(s, F32(1.0f));
    give_number(s, F32(1.0f));
    subject.name = "library";
    subject.data = t;
    subject.run = run;
    subject.check = check_adamw_run;
    if (p->status >= 0)
        p->status = cuc_bench_state_add_subject(state, &subject);
    bench_point_copy(p, CUC_BENCH_PEER);
    if ((st = bench_point_done(p)) < 0)
        return st;
    return bench_peers_add(state, peers, CUC_BENCH_COLD, "training", "adamw",
                           json_pack("{s:s, s:I, s:I}", "dtype", "f32", "rows", (json_int_t)tensors,
                                     "columns", (json_int_t)mean));
}

// ---- The cases

static const cuc_bench_axis norm_axes[] = {
    BENCH_AXIS("shape", STRING, "8192x8192,8192x4096,65536x1024", "24x512"),
    BENCH_AXIS("dtype", DTYPE, "bf16,f32", "bf16"),
};

static const cuc_bench_axis projection_axes[] = {
    BENCH_AXIS("shape", STRING, "8192x4096x128256", "70x64x300"),
    BENCH_AXIS("dtype", DTYPE, "bf16", NULL),
};

static const cuc_bench_axis adamw_axes[] = {
    BENCH_AXIS("shape", STRING, "1000x1000000", "5x700"),
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "training", .name = "rms_norm", BENCH_AXES(norm_axes),
               .about = "RMS norm backward, with the gradient of the weight", .setup = set_up_norm,
               .data = (void *)(uintptr_t)&norms[0], .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "training", .name = "layer_norm", BENCH_AXES(norm_axes),
               .about = "layer norm backward, with the gradients of weight and bias",
               .setup = set_up_norm, .data = (void *)(uintptr_t)&norms[1], .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "training", .name = "projection", BENCH_AXES(projection_axes),
               .about = "last projection with cross entropy, forward", .setup = set_up_projection,
               .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "training", .name = "projection_backward", BENCH_AXES(projection_axes),
               .about =
                   "last projection with cross entropy, backward; flop without the logits again",
               .setup = set_up_projection, .data = &is_backward, .modes = CUC_BENCH_COLD),
    BENCH_CASE(.suite = "training", .name = "adamw", BENCH_AXES(adamw_axes),
               .about = "a step of AdamW on many tensors", .setup = set_up_adamw,
               .modes = CUC_BENCH_COLD),
};

const bench_suite bench_training_suite = { "training", cases, CUC_LENGTH(cases), NULL, NULL };
