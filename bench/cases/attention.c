// Attention by a plan of cuc_attention(), and as a tile program with the tile that the plan chose,
// compared with PyTorch's cuDNN and FlashAttention-2 backends. As in
// the literature, all points of `forward` have the same number of tokens (batch x sequence) and the
// same width (heads x d); `shapes` has random shapes, and grouped heads.
#include "base/array.h"
#include "bench_case_kernels.h"
#include "draw.h"
#include "peers.h"
#include "point.h"
#include "suites.h"

#include <cucore/attention.h>
#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 2048, ROWS_CHECKED = 16, MOST_DEPTH = 256 };

typedef struct attention {
    int64_t batch, heads, key_heads, sequence, depth;
    bool causal;
    double scale;
    cuc_dtype dtype;
    uint32_t modes; // of the subjects; 0: the case's modes
} attention;

// Compute a query's weights and result in double precision from the keys and values of its head.
// The weights are stored at the end of `x`.
static double attend(const attention *a, double *x, const double *query, int64_t row, double *out)
{
    const double *keys = x, *values = x + a->sequence * a->depth;
    double *weight = x + 2 * a->sequence * a->depth, top = -INFINITY, sum = 0;
    int64_t seen = a->causal ? row + 1 : a->sequence;

    for (int64_t j = 0; j < seen; j++) {
        weight[j] = 0;
        for (int64_t d = 0; d < a->depth; d++)
            weight[j] += query[d] * keys[j * a->depth + d];
        weight[j] *= a->scale;
        top = fmax(top, weight[j]);
    }
    memset(out, 0, (size_t)a->depth * sizeof(*out));
    for (int64_t j = 0; j < seen; j++) {
        double w = exp(weight[j] - top);
        sum += w;
        for (int64_t d = 0; d < a->depth; d++)
            out[d] += w * values[j * a->depth + d];
    }
    for (int64_t d = 0; d < a->depth; d++)
        out[d] /= sum;
    return top + log(sum);
}

// The kernel rounds weights to 16 bits before it multiplies them by values of up to 1, and rounds
// the result too. The result is an average, so weight errors average out.
static cuc_status check_row(bench_point *p, double *x, int64_t row, char *why, size_t why_size)
{
    const attention *a = p->data;
    int64_t head = row / a->sequence, size = a->sequence * a->depth;
    int64_t keys = head / a->heads * a->key_heads + head % a->heads * a->key_heads / a->heads;
    double query[MOST_DEPTH], out[MOST_DEPTH], got[MOST_DEPTH], lse, expected;
    double eps = p->dtype == CUC_BF16 ? 0x1p-8 : 0x1p-11;

    for (int i = 1; i <= 2; i++)
        if (!bench_get(p, x + (i - 1) * size, &p->arrays[i], keys * size, size, 1, size))
            return p->status;
    if (!bench_get(p, query, &p->arrays[0], row * a->depth, a->depth, 1, a->depth) ||
        !bench_get(p, got, &p->arrays[3], row * a->depth, a->depth, 1, a->depth) ||
        !bench_get(p, &lse, &p->arrays[4], row, 1, 1, 1))
        return p->status;
    expected = attend(a, x, query, row % a->sequence, out);
    cuc_status st =
        bench_near(got, out, a->depth, eps, eps, "element", row * a->depth, why, why_size);
    return st == CUC_OK
               ? bench_near(&lse, &expected, 1, 1e-5, 1e-4, "logarithm", row, why, why_size)
               : st;
}

static cuc_status check(bench_point *p, char *why, size_t why_size)
{
    const attention *a = p->data;
    size_t capacity = (size_t)(2 * a->sequence * a->depth + a->sequence);
    double *x = malloc(capacity * sizeof(*x));
    cuc_status st = x ? CUC_OK : bench_no_memory("keys and values");

    for (int64_t i = 0; st == CUC_OK && i < ROWS_CHECKED; i++)
        st = check_row(p, x, i * (p->rows - 1) / (ROWS_CHECKED - 1), why, why_size);
    free(x);
    return st;
}

// ---- Points

static cuc_status read_point(attention *a, cuc_bench_state *state)
{
    int64_t tokens = cuc_bench_state_int(state, "tokens");

    a->sequence = cuc_bench_state_int(state, "sequence");
    a->depth = cuc_bench_state_int(state, "d");
    a->causal = strcmp(cuc_bench_state_text(state, "causal"), "yes") == 0;
    if (a->depth < 8 || a->depth > MOST_DEPTH || WIDTH % a->depth)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "d is %lld: 8 to 256 are expected, of which 2048 is a multiple",
                          (long long)a->depth);
    if (a->sequence < 1 || a->sequence > 1 << 20 || tokens < 1 || tokens > 1 << 20)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "sequence and tokens are %lld and %lld: 1 to 2^20 are expected",
                          (long long)a->sequence, (long long)tokens);
    a->dtype = cuc_bench_state_dtype(state, "dtype");
    a->heads = a->key_heads = WIDTH / a->depth;
    a->batch = tokens > a->sequence ? tokens / a->sequence : 1;
    a->scale = (double)(float)(1 / sqrt((double)a->depth));
    return CUC_OK;
}

// Parse a point written as one string: "bf16.b2.h32x8.s777.d128.causal" has 32 heads that share 8
// key heads.
static cuc_status read_drawn(attention *a, cuc_bench_state *state)
{
    const char *text = cuc_bench_state_text(state, "point");
    long long batch, heads, key_heads, sequence, depth;
    char dtype[8], mask[8];

    if (sscanf(text, "%7[^.].b%lld.h%lldx%lld.s%lld.d%lld.%7s", dtype, &batch, &heads, &key_heads,
               &sequence, &depth, mask) != 7 ||
        cuc_dtype_from_name(dtype) == CUC_DTYPE_UNKNOWN || batch < 1 || key_heads < 1 ||
        heads < key_heads || heads % key_heads || sequence < 1 || sequence > 1 << 20 || depth < 8 ||
        depth > MOST_DEPTH || batch * heads > 1 << 20)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "point is %s: expected one such as bf16.b2.h32x8.s777.d128.causal, where "
                          "8 key heads divide 32 heads and d is 8 to %d",
                          text, MOST_DEPTH);
    *a = (attention){ .batch = batch,
                      .heads = heads,
                      .key_heads = key_heads,
                      .sequence = sequence,
                      .depth = depth,
                      .causal = strcmp(mask, "causal") == 0,
                      .scale = (double)(float)(1 / sqrt((double)depth)),
                      .dtype = cuc_dtype_from_name(dtype) };
    return CUC_OK;
}

// A causal mask halves the number of operations, as in the literature.
static double flop_of(const attention *a)
{
    return 4 * (double)(a->batch * a->heads) * (double)a->sequence * (double)a->sequence *
           (double)a->depth / (a->causal ? 2 : 1);
}

static cuc_status set_work(const bench_point *p)
{
    cuc_bench_work work = CUC_BENCH_WORK_INIT;

    work.flop = flop_of(p->data);
    work.bytes = p->bytes;
    work.peak = cuc_dtype_name(p->dtype);
    return cuc_bench_state_set_work(p->state, &work);
}

// ---- The plan

// A plan as a subject. Arrays are those of the point: q, k, v, o, lse.
typedef struct planned {
    bench_point *point;
    cuc_attention_plan *plan;
} planned;

static void drop_plan(void *plan)
{
    cuc_attention_plan_release(plan);
}

static cuc_status run_plan(void *data, cuc_stream *stream, uint64_t set)
{
    const planned *it = data;
    const attention *a = it->point->data;
    cuc_attention_args args = CUC_ATTENTION_ARGS_INIT;
    const cuc_tensor **const given[] = { &args.q, &args.k, &args.v, &args.o, &args.lse };
    cuc_tensor tensors[5];

    for (int i = 0; i < CUC_LENGTH(given); i++) {
        tensors[i] = it->point->arrays[i].tensor;
        tensors[i].data = cuc_bench_input_ptr(it->point->arrays[i].input, set);
        *given[i] = &tensors[i];
    }
    args.scale = a->scale;
    return cuc_attention(stream, it->plan, &args);
}

static cuc_status check_plan(void *data, cuc_stream *stream, char *why, size_t why_size)
{
    planned *it = data;

    (void)stream;
    return bench_point_check_run(it->point, run_plan, it, why, why_size);
}

// Create the plan and read its choice, which the other subject uses too.
static planned *make_plan(cuc_attention_choice *choice, bench_point *p)
{
    const attention *a = p->data;
    planned *it = bench_allocate(p->state, sizeof(*it));

    if (!it) {
        p->status = cuc_error_status();
        return NULL;
    }
    it->point = p;
    p->status = cuc_attention_plan_create(
        &it->plan, cuc_bench_state_device(p->state),
        CUC_ATTENTION_OPTIONS(.flags = CUC_ATTENTION_LSE, .dtype = p->dtype,
                              .width = (int32_t)a->depth,
                              .mask = a->causal ? CUC_ATTENTION_CAUSAL : CUC_ATTENTION_FULL,
                              .batch = a->batch, .heads = a->heads, .key_heads = a->key_heads,
                              .queries = a->sequence));
    if (p->status < 0 || (p->status = cuc_bench_state_defer(p->state, drop_plan, it->plan)) < 0 ||
        (p->status = cuc_attention_plan_get_choice(choice, it->plan)) < 0)
        return NULL;
    return it;
}

static void add_plan(bench_point *p, planned *it, const cuc_attention_choice *choice)
{
    const attention *a = p->data;
    cuc_bench_subject subject = CUC_BENCH_SUBJECT_INIT;
    const cuc_bench_figure figures[] = { { "tile_rows", choice->tile_q },
                                         { "tile_keys", choice->tile_k },
                                         { "pipeline", choice->pipeline } };

    if (p->status < 0)
        return;
    subject.name = "cuc_attention";
    subject.data = it;
    subject.run = run_plan;
    subject.check = check_plan;
    subject.modes = a->modes;
    subject.figures = figures;
    subject.figure_count = CUC_LENGTH(figures);
    p->status = cuc_bench_state_add_subject(p->state, &subject);
}

// ---- The tile program

static void add_subjects(bench_point *p)
{
    cuc_attention_choice choice = CUC_ATTENTION_CHOICE_INIT;
    const attention *a = p->data;
    const int64_t *shape = BENCH_SHAPE(a->batch, a->heads, a->sequence, a->depth);
    const int64_t *key_shape = BENCH_SHAPE(a->batch, a->key_heads, a->sequence, a->depth);
    char settings[96];
    bench_array *array[5];

    for (int i = 0; i < 4; i++)
        array[i] = i < 3 ? bench_point_read(p, p->dtype, i ? key_shape : shape)
                         : bench_point_written(p, p->dtype, shape);
    array[4] = bench_point_written(p, CUC_F32, BENCH_SHAPE(a->batch, a->heads, a->sequence));
    planned *it = p->status < 0 ? NULL : make_plan(&choice, p);
    if (!it)
        return;
    add_plan(p, it, &choice);
    const cuc_bench_figure figures[] = { { "tile_rows", choice.tile_q },
                                         { "tile_keys", choice.tile_k } };
    snprintf(settings, sizeof(settings), "D=%d CAUSAL=%s BM=%d BN=%d", (int)a->depth,
             a->causal ? "true" : "false", choice.tile_q, choice.tile_k);
    bench_point_kernel(p, &(bench_kernel_spec){
                              .name = "tile",
                              .file = "attention.tile",
                              .source = attention_tile,
                              .kernel = "attention",
                              .settings = settings,
                              .arguments = { BENCH_TENSOR(array[0]), BENCH_TENSOR(array[1]),
                                             BENCH_TENSOR(array[2]), BENCH_TENSOR(array[3]),
                                             BENCH_TENSOR(array[4]), BENCH_F32((float)a->scale) },
                              .by_driver = true,
                              .modes = a->modes,
                              .figures = figures,
                              .figure_count = CUC_LENGTH(figures),
                          });
}

static json_t *axes_of(const bench_point *p)
{
    const attention *a = p->data;

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:b, s:s}", "batch", (json_int_t)a->batch, "heads",
                     (json_int_t)a->heads, "key_heads", (json_int_t)a->key_heads, "sequence",
                     (json_int_t)a->sequence, "d", (json_int_t)a->depth, "causal", a->causal,
                     "dtype", cuc_dtype_name(p->dtype));
}

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    static const char *const flash[] = { "torch_flash", NULL };
    attention *a = bench_allocate(state, sizeof(*a));
    bool drawn = data != NULL;
    bench_point *p;
    cuc_status st;

    if (!a)
        return cuc_error_status();
    if ((st = (drawn ? read_drawn : read_point)(a, state)) < 0 ||
        (st = bench_point_make_of(&p, state, a->dtype, a->batch * a->heads * a->sequence, a->depth,
                                  check)) < 0 ||
        !p)
        return st;
    p->data = a;
    if (drawn)
        a->modes = bench_draw_mode(flop_of(a), 0);
    add_subjects(p);
    if ((st = p->status) < 0 || (st = set_work(p)) < 0)
        return st;
    if (drawn)
        return bench_peer_add(state, "torch_fastest", CUC_BENCH_PEER, a->modes, "attention",
                              "shapes", axes_of(p));
    if ((st = bench_peer_add(state, "torch_cudnn", CUC_BENCH_PEER, CUC_BENCH_COLD, "attention",
                             "forward", axes_of(p))) < 0)
        return st;
    return bench_peers_add(state, flash, CUC_BENCH_COLD, "attention", "forward", axes_of(p));
}

static const cuc_bench_axis axes[] = {
    BENCH_AXIS("dtype", DTYPE, "bf16,f16", "bf16"),
    BENCH_AXIS("d", INT, "64,128", "128"),
    BENCH_AXIS("sequence", INT, "4096,8192,16384", "4096"),
    BENCH_AXIS("causal", STRING, "no,yes", NULL),
    BENCH_AXIS("tokens", INT, "16384", NULL),
    BENCH_TILE_AXIS,
};

static const cuc_bench_axis shapes_axes[] = {
    BENCH_AXIS("point", STRING,
               "bf16.b1.h16x16.s3333.d128.full,bf16.b2.h16x16.s777.d128.full,"
               "bf16.b8.h32x32.s2048.d64.causal",
               "bf16.b1.h4x2.s77.d64.causal"),
    BENCH_TILE_AXIS,
};

static bool is_drawn = true;

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "attention", .name = "forward",
               .about = "softmax(q k') v by heads, 2048 / d of them, with a causal mask or none",
               BENCH_AXES(axes), .setup = set_up, .modes = CUC_BENCH_COLD | CUC_BENCH_HOT),
    BENCH_CASE(.suite = "attention", .name = "shapes",
               .about = "the same of any shape, with grouped heads; at random by --random",
               BENCH_AXES(shapes_axes), .setup = set_up, .data = &is_drawn),
};

// ---- Random points: half of the sequences have any length, half a multiple of 64

static void draw(char *out, size_t size, bench_random *r)
{
    static const char *const dtypes[] = { "bf16", "f16" }, *const masks[] = { "causal", "full" };
    static const int64_t depths[] = { 64, 80, 96, 128, 192, 256 }, groups[] = { 1, 1, 2, 4, 8 };
    const double most_elements = 1 << 28, most_flop = 2e13;
    bool small = cuc_driver_is_simulated();
    attention a;

    do {
        a.depth = small ? 64 : BENCH_RANDOM_OF(r, depths);
        a.key_heads = bench_random_log(r, 1, small ? 2 : 32);
        a.heads = a.key_heads * BENCH_RANDOM_OF(r, groups);
        a.batch = bench_random_log(r, 1, small ? 2 : 64);
        a.sequence = bench_random_unit(r) < 0.5
                         ? bench_random_multiple(r, 64, small ? 128 : 32768, 64)
                         : bench_random_log(r, 64, small ? 128 : 32768);
        a.causal = false;
    } while (flop_of(&a) > most_flop ||
             (double)(a.batch * a.heads * a.sequence * a.depth) > most_elements ||
             (small && a.batch * a.heads > 8));
    snprintf(out, size, "%s.b%lld.h%lldx%lld.s%lld.d%lld.%s", BENCH_RANDOM_OF(r, dtypes),
             (long long)a.batch, (long long)a.heads, (long long)a.key_heads, (long long)a.sequence,
             (long long)a.depth, BENCH_RANDOM_OF(r, masks));
}

static const bench_draw draws[] = { { "shapes", draw }, { NULL, NULL } };

const bench_suite bench_attention_suite = { "attention", cases, CUC_LENGTH(cases), NULL, draws };
