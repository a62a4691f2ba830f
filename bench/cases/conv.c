// Channels-last convolutions and their gradients as tile programs, compared with PyTorch's cuDNN.
#include "base/array.h"
#include "bench_case_kernels.h"
#include "conv_tile.h"
#include "draw.h"
#include "gemm_plan.h"
#include "peers.h"
#include "point.h"
#include "reference.h"
#include "suites.h"

#include <cucore/error.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[ARRAYS] = { "dgrad", "wgrad", "fprop" };

// ---- The check

// The arrays as stored in host memory.
typedef struct stored {
    const conv *of;
    void *at[ARRAYS];
    cuc_dtype dtype[ARRAYS];
} stored;

static double element(const stored *s, enum array which, int64_t index)
{
    double value;

    bench_reader_of(s->dtype[which])(
        &value, (const char *)s->at[which] + index * cuc_dtype_bits(s->dtype[which]) / 8, 1, 1);
    return value;
}

// Compute the indices of the three elements of one multiply-add, given the output pixel p, q of
// image n, the filter tap r, s, and the channels k and c. Returns false if the pixel of x lies
// outside the image.
static bool index_of(int64_t at[ARRAYS], const conv *v, int64_t n, int64_t p, int64_t q, int64_t r,
                     int64_t s, int64_t k, int64_t c)
{
    int64_t row = p * v->stride + r - v->pad, column = q * v->stride + s - v->pad;

    at[X] = ((n * v->h + row) * v->w + column) * v->c + c;
    at[W] = ((k * v->r + r) * v->r + s) * v->c + c;
    at[Y] = ((n * v->p + p) * v->q + q) * v->k + k;
    return row >= 0 && row < v->h && column >= 0 && column < v->w;
}

static void add(double sums[2], const stored *s, const int64_t at[ARRAYS])
{
    double product = 1;

    for (int i = 0; i < ARRAYS; i++)
        if (i != (int)s->of->result)
            product *= element(s, (enum array)i, at[i]);
    sums[0] += product;
    sums[1] += fabs(product);
}

// Sum the products for one element of the result, and sum their absolute values.
static void expect(double sums[2], const stored *s, int64_t index)
{
    const conv *v = s->of;
    int64_t at[ARRAYS], rest = index;

    sums[0] = sums[1] = 0;
    if (v->result == W) {
        int64_t c = rest % v->c, tap = rest / v->c % (v->r * v->r), k = rest / v->c / v->r / v->r;
        for (int64_t i = 0; i < v->n * v->p * v->q; i++)
            if (index_of(at, v, i / v->q / v->p, i / v->q % v->p, i % v->q, tap / v->r, tap % v->r,
                         k, c))
                add(sums, s, at);
        return;
    }
    int64_t channels = v->result == X ? v->c : v->k, others = v->result == X ? v->k : v->c;
    int64_t width = v->result == X ? v->w : v->q, height = v->result == X ? v->h : v->p;
    int64_t channel = rest % channels, column = rest / channels % width;
    int64_t row = rest / channels / width % height, n = rest / channels / width / height;
    for (int64_t i = 0; i < v->r * v->r * others; i++) {
        int64_t other = i % others, r = i / others / v->r, t = i / others % v->r;
        if (v->result == Y) {
            if (index_of(at, v, n, row, column, r, t, channel, other))
                add(sums, s, at);
            continue;
        }
        // The pixel of y that uses this pixel of x with this tap; the stride is 1.
        int64_t p = row + v->pad - r, q = column + v->pad - t;
        if (p >= 0 && p < v->p && q >= 0 && q < v->q &&
            index_of(at, v, n, p, q, r, t, other, channel))
            add(sums, s, at);
    }
}

static cuc_status check_sampled(const stored *s, int64_t count, char *why, size_t why_size)
{
    enum { SAMPLES = 2000, MOST_PRODUCTS = 200000000 };
    const conv *v = s->of;
    int64_t terms = v->result == W ? v->n * v->p * v->q
                                   : v->r * v->r * (v->result == X ? v->k : v->c);
    int64_t samples = MOST_PRODUCTS / terms / 10 + 16;
    double eps = bench_epsilon(s->dtype[v->result]);
    cuc_status st = CUC_OK;

    samples = samples > SAMPLES ? SAMPLES : samples;
    samples = samples > count ? count : samples;
    for (int64_t i = 0; i < samples && st == CUC_OK; i++) {
        // The first element, the last, and others spread evenly between.
        int64_t index =
            samples > 1 ? (int64_t)((double)i * (double)(count - 1) / (double)(samples - 1)) : 0;
        double sums[2], got = element(s, v->result, index);
        expect(sums, s, index);
        st = bench_near(&got, sums, 1, eps, 0x1p-20 * sums[1] + 0x1p-24, "element", index, why,
                        why_size);
    }
    return st;
}

static cuc_status check(bench_point *p, char *why, size_t why_size)
{
    stored s = { .of = p->data };
    cuc_status st = CUC_OK;

    for (int i = 0; i < ARRAYS && st == CUC_OK; i++) {
        s.dtype[i] = p->arrays[i].tensor.dtype;
        if (!(s.at[i] = bench_read_input(p->arrays[i].input)))
            st = cuc_error_status();
    }
    if (st == CUC_OK) {
        uint32_t bits = cuc_dtype_bits(s.dtype[s.of->result]);
        st = check_sampled(&s,
                           (int64_t)cuc_bench_input_bytes(p->arrays[s.of->result].input) * 8 / bits,
                           why, why_size);
    }
    for (int i = 0; i < ARRAYS; i++)
        free(s.at[i]);
    return st;
}

// ---- Points

// Parse a point written as one string: "bf16.n32.56x56.c256.k256.r3.s1" has 3 x 3 taps and a stride
// of 1. Padding makes y as large as x.
static cuc_status read_point(conv *v, cuc_bench_state *state, enum array result)
{
    const char *text = cuc_bench_state_text(state, "point");
    long long n, h, w, c, k, r, stride;
    char dtype[8], end;

    if (sscanf(text, "%7[^.].n%lld.%lldx%lld.c%lld.k%lld.r%lld.s%lld%c", dtype, &n, &h, &w, &c, &k,
               &r, &stride, &end) != 8 ||
        cuc_dtype_from_name(dtype) == CUC_DTYPE_UNKNOWN || n < 1 || h < 1 || w < 1 || c < 1 ||
        k < 1 || r < 1 || r > 15 || !(r % 2) || stride < 1 || stride > 4 ||
        (double)n * (double)h * (double)w * (double)(c + k) > 1 << 30 || c * k > 1 << 24 ||
        (result == X && stride > 1))
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "point is %s: expected one such as bf16.n32.56x56.c256.k256.r3.s1, with "
                          "an odd r and a stride of %s",
                          text, result == X ? "1" : "1 to 4");
    *v = (conv){ .n = n,
                 .h = h,
                 .w = w,
                 .c = c,
                 .k = k,
                 .r = r,
                 .stride = stride,
                 .pad = r / 2,
                 .p = (h - 1) / stride + 1,
                 .q = (w - 1) / stride + 1,
                 .dtype = cuc_dtype_from_name(dtype),
                 .result = result };
    return CUC_OK;
}

static double flop_of(const conv *v)
{
    return 2 * (double)(v->n * v->p * v->q) * (double)(v->c * v->k) * (double)(v->r * v->r);
}

// Makes x, w, and y or its gradient dy. The gradient of w is in f32.
static void make_arrays(bench_array *out[ARRAYS], bench_point *p)
{
    const conv *v = p->data;
    const int64_t *const shapes[] = { BENCH_SHAPE(v->n, v->h, v->w, v->c),
                                      BENCH_SHAPE(v->k, v->r, v->r, v->c),
                                      BENCH_SHAPE(v->n, v->p, v->q, v->k) };

    for (int i = 0; i < ARRAYS; i++)
        out[i] = i != (int)v->result ? bench_point_read(p, p->dtype, shapes[i])
                 : i == W            ? bench_point_written(p, CUC_F32, shapes[i])
                                     : bench_point_written(p, p->dtype, shapes[i]);
}

// Makes the pixels of all images one axis.
static void join_pixels(bench_array *array)
{
    cuc_tensor *t = array ? &array->tensor : NULL;

    if (!t)
        return;
    *t = (cuc_tensor){ .data = t->data,
                       .dtype = t->dtype,
                       .device = t->device,
                       .rank = 2,
                       .shape = { t->shape[0] * t->shape[1] * t->shape[2], t->shape[3] },
                       .strides = { t->shape[3], 1 } };
}

// ---- 1 x 1 at a stride of 1: a matrix product, whose rows are the pixels of all images

typedef struct plain {
    bench_point *point;
    bench_plan_gemm *gemm;
    const bench_array *a, *b, *d;
} plain;

static cuc_status run_plain(void *data, cuc_stream *stream, uint64_t set)
{
    const plain *g = data;

    return bench_plan_gemm_run(g->gemm, stream, cuc_bench_input_ptr(g->a->input, set),
                               cuc_bench_input_ptr(g->b->input, set),
                               cuc_bench_input_ptr(g->d->input, set), 0);
}

static cuc_status check_plain(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    (void)stream;
    return bench_point_check_run(((plain *)data)->point, run_plain, data, why, why_size);
}

static void add_plain(bench_point *p, bench_array *array[ARRAYS], uint32_t modes)
{
    // In BLAS's terms: x is c x pixels, w is c x k, and y is k x pixels.
    static const struct {
        enum array a, b;
        bool transposed_a, transposed_b;
    } operands[] = {
        [X] = { W, Y, false, false }, [W] = { X, Y, false, true }, [Y] = { W, X, true, false }
    };
    const conv *v = p->data;
    int64_t pixels = v->n * v->p * v->q;
    bench_product product = { .m = v->result == Y ? v->k : v->c,
                              .n = v->result == W ? v->k : pixels,
                              .k = v->result == X   ? v->k
                                   : v->result == W ? pixels
                                                    : v->c,
                              .dtype = v->dtype,
                              .out_dtype = v->result == W ? CUC_F32 : v->dtype,
                              .transposed_a = operands[v->result].transposed_a,
                              .transposed_b = operands[v->result].transposed_b };
    plain *g = p->status < 0 ? NULL : bench_allocate(p->state, sizeof(*g));
    cuc_bench_figure figures[BENCH_PLAN_FIGURES];
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    char why[256];

    if (p->status < 0 || !g) {
        p->status = g ? p->status : cuc_error_status();
        return;
    }
    *g = (plain){ .point = p,
                  .a = array[operands[v->result].a],
                  .b = array[operands[v->result].b],
                  .d = array[v->result] };
    if (bench_plan_gemm_create(&g->gemm, p->state, &product, why, sizeof(why)) < 0 || !g->gemm) {
        p->status = bench_failed_subject(p->state, "tile", 0);
        return;
    }
    subject.name = "tile";
    subject.data = g;
    subject.run = run_plain;
    subject.check = check_plain;
    subject.modes = modes;
    subject.figures = figures;
    subject.figure_count = bench_plan_gemm_figures(g->gemm, figures);
    p->status = cuc_bench_state_add_subject(p->state, &subject);
}

// ---- Kernels of conv.tile

static void add_tile(bench_point *p, bench_array *array[ARRAYS], uint32_t modes)
{
    const conv *v = p->data;
    bench_conv_tile t;
    char settings[128];

    bench_conv_choose(&t, v);
    bench_conv_settings(settings, sizeof(settings), v, &t);
    const cuc_bench_figure figures[] = {
        { "in_a_row", t.in_a_row },
        { "images", (double)t.box[0] },
        { "pixel_rows", (double)t.box[1] },
        { "pixel_columns", (double)t.box[2] },
        { "k", (double)t.k },
        { "c", (double)t.c },
        { "shares", (double)t.shares },
        { "split", (double)t.split },
        { "warps", (double)t.warps },
    };
    if (t.in_a_row)
        join_pixels(array[v->result]);
    bench_point_kernel(p, &(bench_kernel_spec){
                              .name = "tile",
                              .file = "conv.tile",
                              .source = conv_tile,
                              .kernel = t.kernel,
                              .settings = settings,
                              .arguments = { BENCH_TENSOR(array[v->result == Y ? X : Y]),
                                             BENCH_TENSOR(array[v->result == W ? X : W]),
                                             BENCH_TENSOR(array[v->result]) },
                              .zeroed = { t.shares > 1 ? array[W] : NULL },
                              .by_driver = true,
                              .modes = modes,
                              .figures = figures,
                              .figure_count = CUC_LENGTH(figures),
                          });
}

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    conv *v = bench_allocate(state, sizeof(*v));
    cuc_bench_work work = CUC_BENCH_WORK_INIT;
    bench_array *arrays[ARRAYS];
    bench_point *p;
    cuc_status st;

    if (!v)
        return cuc_error_status();
    if ((st = read_point(v, state, *(const enum array *)data)) < 0 ||
        (st = bench_point_make_of(&p, state, v->dtype, v->n * v->h * v->w, v->c + v->k, check)) <
            0 ||
        !p)
        return st;
    p->data = v;
    uint32_t modes = bench_draw_mode(flop_of(v), 0);
    make_arrays(arrays, p);
    if (v->r == 1 && v->stride == 1 && !strcmp(cuc_bench_state_text(state, "tile"), "default"))
        add_plain(p, arrays, modes);
    else
        add_tile(p, arrays, modes);
    work.flop = flop_of(v);
    work.bytes = p->bytes;
    work.peak = cuc_dtype_name(v->dtype);
    if ((st = p->status) < 0 || (st = cuc_bench_state_set_work(state, &work)) < 0)
        return st;
    return bench_peer_add(state, "torch_fastest", CUC_BENCH_PEER, modes, "conv", names[v->result],
                          json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:s}", "n",
                                    (json_int_t)v->n, "h", (json_int_t)v->h, "w", (json_int_t)v->w,
                                    "c", (json_int_t)v->c, "k", (json_int_t)v->k, "r",
                                    (json_int_t)v->r, "stride", (json_int_t)v->stride, "dtype",
                                    cuc_dtype_name(v->dtype)));
}

static const cuc_bench_axis fprop_axes[] = {
    BENCH_AXIS("point", STRING,
               "bf16.n32.56x56.c256.k256.r3.s1,bf16.n32.56x56.c256.k1024.r1.s1,"
               "bf16.n32.56x56.c256.k512.r3.s2",
               "bf16.n1.6x9.c24.k16.r3.s1,f16.n2.5x5.c8.k24.r1.s1,bf16.n1.9x7.c16.k8.r3.s2"),
    BENCH_TILE_AXIS,
};
static const cuc_bench_axis dgrad_axes[] = {
    BENCH_AXIS("point", STRING, "bf16.n32.56x56.c256.k256.r3.s1", "bf16.n1.6x9.c24.k16.r3.s1"),
    BENCH_TILE_AXIS,
};
static const cuc_bench_axis wgrad_axes[] = {
    BENCH_AXIS("point", STRING, "bf16.n32.56x56.c256.k256.r3.s1",
               "bf16.n2.6x9.c24.k16.r3.s1,bf16.n1.9x7.c16.k8.r3.s2"),
    BENCH_TILE_AXIS,
};

static enum array of_x = X, of_w = W, of_y = Y;

#define CONV_CASE(of, text, which)                                                   \
    BENCH_CASE(.suite = "conv", .name = #of, .about = (text), BENCH_AXES(of##_axes), \
               .setup = set_up, .data = &(which))

static const cuc_bench_case cases[] = {
    CONV_CASE(fprop, "convolution, channels last; at random by --random", of_y),
    CONV_CASE(dgrad, "gradient of its input, at a stride of 1", of_x),
    CONV_CASE(wgrad, "gradient of its weights, in f32", of_w),
};

// ---- Random points: 3 x 3, 1 x 1, and both with a stride of 2

static void draw(char *out, size_t size, bench_random *r, bool strided)
{
    static const char *const dtypes[] = { "bf16", "f16" };
    static const int64_t taps[] = { 3, 3, 1 }, strides[] = { 1, 1, 2 };
    const double most_elements = 1 << 28, most_flop = 2e13;
    bool small = cuc_driver_is_simulated();
    int64_t least = small ? 8 : 64, most = small ? 32 : 1024, step = small ? 8 : 32;
    conv v;

    do {
        v.r = BENCH_RANDOM_OF(r, taps);
        v.stride = strided ? BENCH_RANDOM_OF(r, strides) : 1;
        v.n = bench_random_log(r, 1, small ? 2 : 128);
        v.h = bench_random_log(r, small ? 4 : 7, small ? 9 : 128);
        v.w = bench_random_unit(r) < 0.75 ? v.h : bench_random_log(r, 7, small ? 9 : 128);
        v.c = bench_random_multiple(r, least, most, step);
        v.k = bench_random_multiple(r, least, most, step);
        v.p = (v.h - 1) / v.stride + 1;
        v.q = (v.w - 1) / v.stride + 1;
    } while (flop_of(&v) > most_flop ||
             (double)(v.n * v.h * v.w) * (double)(v.c + v.k) > most_elements);
    snprintf(out, size, "%s.n%lld.%lldx%lld.c%lld.k%lld.r%lld.s%lld", BENCH_RANDOM_OF(r, dtypes),
             (long long)v.n, (long long)v.h, (long long)v.w, (long long)v.c, (long long)v.k,
             (long long)v.r, (long long)v.stride);
}

static void draw_any(char *out, size_t size, bench_random *r)
{
    draw(out, size, r, true);
}

static void draw_unit_stride(char *out, size_t size, bench_random *r)
{
    draw(out, size, r, false);
}

static const bench_draw draws[] = {
    { "fprop", draw_any },
    { "dgrad", draw_unit_stride },
    { "wgrad", draw_any },
    { NULL, NULL },
};

const bench_suite bench_conv_suite = { "conv", cases, CUC_LENGTH(cases), NULL, draws };
