// Attention with one query per sequence as a tile program, compared with PyTorch's fastest method.
// Reading keys and values determines the time.
#include "base/array.h"
#include "bench_case_kernels.h"
#include "draw.h"
#include "peers.h"
#include "point.h"
#include "suites.h"

#include <cucore/device.h>
#include <cucore/error.h>
#include <cucore/system.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 256, MOST_GROUP = 16 };

typedef struct decode {
    int64_t batch, heads, group, keys, depth; // `group` queries share one of `heads` key heads
    cuc_dtype dtype;
    double scale;
} decode;

// ---- The check

// Compute a query's result in double precision; `x` holds its keys and values.
static void attend(const decode *d, const double *x, const double *query, double *out)
{
    const double *values = x + d->keys * d->depth;
    double top = -INFINITY, sum = 0;

    memset(out, 0, (size_t)d->depth * sizeof(*out));
    for (int64_t j = 0; j < d->keys; j++) {
        double s = 0;
        for (int64_t i = 0; i < d->depth; i++)
            s += query[i] * x[j * d->depth + i];
        s *= d->scale;
        double fade = s > top ? exp(top - s) : 1;
        top = fmax(top, s);
        double w = exp(s - top);
        sum = sum * fade + w;
        for (int64_t i = 0; i < d->depth; i++)
            out[i] = out[i] * fade + w * values[j * d->depth + i];
    }
    for (int64_t i = 0; i < d->depth; i++)
        out[i] /= sum;
}

// Check every query of one key head. The kernel rounds weights and result to 16 bits, as in
// attention.c.
static cuc_status check_head(bench_point *p, double *x, int64_t head, char *why, size_t why_size)
{
    const decode *d = p->data;
    int64_t size = d->keys * d->depth;
    double query[MOST_DEPTH], out[MOST_DEPTH], got[MOST_DEPTH];
    double eps = p->dtype == CUC_BF16 ? 0x1p-8 : 0x1p-11;
    cuc_status st = CUC_OK;

    for (int i = 1; i <= 2; i++)
        if (!bench_get(p, x + (i - 1) * size, &p->arrays[i], head * size, size, 1, size))
            return p->status;
    for (int64_t g = 0; g < d->group && st == CUC_OK; g++) {
        int64_t first = (head * d->group + g) * d->depth;
        if (!bench_get(p, query, &p->arrays[0], first, d->depth, 1, d->depth) ||
            !bench_get(p, got, &p->arrays[3], first, d->depth, 1, d->depth))
            return p->status;
        attend(d, x, query, out);
        st = bench_near(got, out, d->depth, eps, eps, "element", first, why, why_size);
    }
    return st;
}

static cuc_status check(bench_point *p, char *why, size_t why_size)
{
    enum { HEADS_CHECKED = 4 };
    const decode *d = p->data;
    double *x = malloc((size_t)(2 * d->keys * d->depth) * sizeof(*x));
    cuc_status st = x ? CUC_OK : bench_no_memory("keys and values");

    for (int64_t i = 0; st == CUC_OK && i < HEADS_CHECKED; i++)
        st = check_head(p, x, i * (d->batch * d->heads - 1) / (HEADS_CHECKED - 1), why, why_size);
    free(x);
    return st;
}

// ---- Points

// Parse a point written as one string: "bf16.b16.h4x8.n8192.d128" has 4 key heads with 8 queries
// each.
static cuc_status read_point(decode *d, cuc_bench_state *state)
{
    const char *text = cuc_bench_state_text(state, "point");
    long long batch, heads, group, keys, depth;
    char dtype[8], end;

    if (sscanf(text, "%7[^.].b%lld.h%lldx%lld.n%lld.d%lld%c", dtype, &batch, &heads, &group, &keys,
               &depth, &end) != 6 ||
        cuc_dtype_from_name(dtype) == CUC_DTYPE_UNKNOWN || batch < 1 || heads < 1 || group < 1 ||
        group > MOST_GROUP || keys < 1 || depth < 16 || depth > MOST_DEPTH ||
        (double)batch * (double)heads * (double)keys * (double)depth > 1 << 30)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "point is %s: expected one such as bf16.b16.h4x8.n8192.d128, of 4 key "
                          "heads with 8 queries each; at most %d queries and d = %d",
                          text, MOST_GROUP, MOST_DEPTH);
    *d = (decode){ .batch = batch,
                   .heads = heads,
                   .group = group,
                   .keys = keys,
                   .depth = depth,
                   .dtype = cuc_dtype_from_name(dtype),
                   .scale = (double)(float)(1 / sqrt((double)depth)) };
    return CUC_OK;
}

// Return the number of keys in a tile, as in decode.tile.
static int64_t tile_keys(const decode *d)
{
    return d->group > 1 || d->depth <= 64 ? 64 : d->depth <= 128 ? 32 : 16;
}

// Choose the number of blocks by the rule in decode.tile.
static cuc_status choose_blocks(int64_t *out, const bench_point *p)
{
    const decode *d = p->data;
    int64_t groups = d->batch * d->heads, keys = tile_keys(d);
    int64_t most = groups * ((d->keys + keys - 1) / keys) / 2, each = d->group > 1 ? 3 : 4;
    int32_t multiprocessors;
    cuc_status st = cuc_device_get_attribute(&multiprocessors, cuc_bench_state_device(p->state),
                                             CUC_DEVICE_MULTIPROCESSOR_COUNT);

    if (st < 0)
        return st;
    int64_t blocks = each * multiprocessors < most ? each * multiprocessors : most;
    int64_t whole = blocks / groups * groups;
    *out = whole * 4 >= blocks * 3 && whole ? whole : blocks ? blocks : 1;
    return CUC_OK;
}

static void add_tile(bench_point *p, int64_t blocks, uint32_t modes)
{
    const decode *d = p->data;
    const int64_t *queries = BENCH_SHAPE(d->batch, d->heads, d->group, d->depth);
    const int64_t *keys = BENCH_SHAPE(d->batch, d->heads, d->keys, d->depth);
    const cuc_bench_figure figures[] = { { "blocks", (double)blocks } };
    bench_array *array[7];
    char settings[96];

    array[0] = bench_point_read(p, p->dtype, queries);
    array[1] = bench_point_read(p, p->dtype, keys);
    array[2] = bench_point_read(p, p->dtype, keys);
    array[3] = bench_point_written(p, p->dtype, queries);
    int64_t parts = blocks + d->batch * d->heads;
    array[4] = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(parts, d->group, d->depth));
    array[5] = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(parts, d->group));
    array[6] = bench_point_scratch(p, CUC_I32, BENCH_SHAPE(d->batch, d->heads));
    snprintf(settings, sizeof(settings), "D=%d G=%d BN=%d warps=4", (int)d->depth, (int)d->group,
             (int)tile_keys(d));
    bench_point_kernel(p, &(bench_kernel_spec){
                              .name = "tile",
                              .file = "decode.tile",
                              .source = decode_tile,
                              .kernel = "decode",
                              .settings = settings,
                              .arguments = { BENCH_TENSOR(array[0]), BENCH_TENSOR(array[1]),
                                             BENCH_TENSOR(array[2]), BENCH_TENSOR(array[3]),
                                             BENCH_TENSOR(array[4]), BENCH_TENSOR(array[5]),
                                             BENCH_TENSOR(array[6]), BENCH_F32((float)d->scale) },
                              .modes = modes,
                              .figures = figures,
                              .figure_count = CUC_LENGTH(figures),
                          });
}

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    decode *d = bench_allocate(state, sizeof(*d));
    bench_point *p;
    int64_t blocks;
    cuc_status st;

    (void)data;
    if (!d)
        return cuc_error_status();
    if ((st = read_point(d, state)) < 0 ||
        (st = bench_point_make_of(&p, state, d->dtype, d->batch * d->heads * d->keys, d->depth,
                                  check)) < 0 ||
        !p)
        return st;
    p->data = d;
    if ((st = choose_blocks(&blocks, p)) < 0)
        return st;
    double bytes = (double)(2 * d->batch * d->heads * d->keys * d->depth) *
                   cuc_dtype_bits(d->dtype) / 8;
    uint32_t modes = bench_draw_mode(0, bytes);
    add_tile(p, blocks, modes);
    if ((st = bench_point_done(p)) < 0)
        return st;
    return bench_peer_add(state, "torch_fastest", CUC_BENCH_PEER, modes, "decode", "step",
                          json_pack("{s:I, s:I, s:I, s:I, s:I, s:s}", "batch", (json_int_t)d->batch,
                                    "heads", (json_int_t)d->heads, "group", (json_int_t)d->group,
                                    "keys", (json_int_t)d->keys, "d", (json_int_t)d->depth, "dtype",
                                    cuc_dtype_name(d->dtype)));
}

static const cuc_bench_axis axes[] = {
    BENCH_AXIS("point", STRING,
               "bf16.b16.h4x8.n8192.d128,bf16.b1.h8x8.n32768.d128,bf16.b16.h16x1.n8192.d128",
               "bf16.b2.h1x8.n300.d64,f16.b1.h2x1.n70.d64"),
    BENCH_TILE_AXIS,
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "decode", .name = "step",
               .about = "attention of one query a sequence; at random by --random",
               BENCH_AXES(axes), .setup = set_up),
};

// ---- Random points: half of them with less than 256 MB of keys and values, half with more

static void draw(char *out, size_t size, bench_random *r)
{
    static const char *const dtypes[] = { "bf16", "f16" };
    static const int64_t depths[] = { 64, 128 }, groups[] = { 1, 8 };
    const int64_t middle = 256000000;
    bool small = cuc_driver_is_simulated(), low = bench_random_unit(r) < 0.5;
    int64_t bytes = low ? bench_random_log(r, middle / 64, middle)
                        : bench_random_log(r, middle, 8 * middle);
    int64_t depth = BENCH_RANDOM_OF(r, depths), group = BENCH_RANDOM_OF(r, groups);
    int64_t heads = bench_random_log(r, 1, small ? 2 : 32);
    int64_t keys = bench_random_log(r, small ? 16 : 256, small ? 300 : 65536);
    int64_t batch = bytes / (4 * heads * keys * depth);

    batch = small || batch < 1 ? 1 : batch > 256 ? 256 : batch;
    if (!small && batch == 256) // longer sequences make up for the limited batch
        keys = bytes / (4 * heads * batch * depth);
    snprintf(out, size, "%s.b%lld.h%lldx%lld.n%lld.d%lld", BENCH_RANDOM_OF(r, dtypes),
             (long long)batch, (long long)heads, (long long)group, (long long)keys,
             (long long)depth);
}

static const bench_draw draws[] = { { "step", draw }, { NULL, NULL } };

const bench_suite bench_decode_suite = { "decode", cases, CUC_LENGTH(cases), NULL, draws };
