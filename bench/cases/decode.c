// Attention with one query per sequence as a tile program, compared with PyTorch's fastest method.
// Reading keys and values determines the time. At some points the keys and values lie in pages;
// PyTorch always gets them contiguous.
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

enum { MOST_DEPTH = 256, MOST_GROUP = 16, MOST_PAGE = 1024 };
enum { LEAST_PAGE = 16 }; // minimum number of keys in a page of decode_paged

typedef struct decode {
    int64_t batch, heads, group, keys, depth; // `group` queries share one of `heads` key heads
    int64_t page;                             // keys of a page; 0: keys are contiguous
    int64_t tile;                             // keys of a tile
    int32_t *table;                           // [batch, pages]
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

// Return the number of pages of a sequence.
static int64_t pages_of(const decode *d)
{
    return bench_ceil_div(d->keys, d->page);
}

// Read the keys (array 1) or values (array 2) of a head.
static bool get_head(double *out, bench_point *p, int array, int64_t head)
{
    const decode *d = p->data;
    int64_t size = d->keys * d->depth, b = head / d->heads, pitch = d->heads * d->depth;

    if (!d->page)
        return bench_get(p, out, &p->arrays[array], head * size, size, 1, size);
    for (int64_t i = 0; i < pages_of(d); i++) {
        int64_t keys = d->keys - i * d->page < d->page ? d->keys - i * d->page : d->page;
        int64_t first = d->table[b * pages_of(d) + i] * d->page * pitch;
        if (!bench_get(p, out + i * d->page * d->depth, &p->arrays[array],
                       first + head % d->heads * d->depth, d->depth, keys, pitch))
            return false;
    }
    return true;
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
        if (!get_head(x + (i - 1) * size, p, i, head))
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
// each. With ".p64" at its end, keys and values lie in pages of 64.
static cuc_status read_point(decode *d, cuc_bench_state *state)
{
    const char *text = cuc_bench_state_text(state, "point");
    long long batch, heads, group, keys, depth, page = 0;
    char dtype[8], more;
    int used = 0;

    if (sscanf(text, "%7[^.].b%lld.h%lldx%lld.n%lld.d%lld%n", dtype, &batch, &heads, &group, &keys,
               &depth, &used) != 6 ||
        (text[used] && sscanf(text + used, ".p%lld%c", &page, &more) != 1) || page < 0 ||
        page > MOST_PAGE || cuc_dtype_from_name(dtype) == CUC_DTYPE_UNKNOWN || batch < 1 ||
        heads < 1 || group < 1 || group > MOST_GROUP || keys < 1 || depth < 16 ||
        depth > MOST_DEPTH ||
        (double)batch * (double)heads * (double)keys * (double)depth > 1 << 30)
        return bench_fail(CUC_ERROR_INVALID_ARGUMENT,
                          "point is %s: expected one such as bf16.b16.h4x8.n8192.d128, of 4 key "
                          "heads with 8 queries each, perhaps with .p64 for pages of 64 keys; at "
                          "most %d queries, d = %d and pages of %d",
                          text, MOST_GROUP, MOST_DEPTH, MOST_PAGE);
    *d = (decode){ .batch = batch,
                   .heads = heads,
                   .group = group,
                   .keys = keys,
                   .depth = depth,
                   .page = page,
                   .dtype = cuc_dtype_from_name(dtype),
                   .scale = (double)(float)(1 / sqrt((double)depth)) };
    return CUC_OK;
}

// Return true if the kernel reads the rows of pages individually, because a tile is neither part of
// a page nor several pages.
static bool reads_rows(const decode *d)
{
    return d->page < LEAST_PAGE || (d->page % d->tile != 0 && d->tile % d->page != 0);
}

enum { MOST_BESIDE = 3 }; // blocks that a multiprocessor runs at once

// Return how many blocks of decode.tile a multiprocessor takes at once.
static int64_t blocks_beside(const decode *d, int64_t multiprocessors)
{
    enum { BLOCK_BYTES = 256 * 1024 };
    double bytes = (double)(2 * d->batch * d->heads * d->keys * d->depth) *
                   cuc_dtype_bits(d->dtype) / 8;
    int64_t blocks = (int64_t)(bytes / (double)(multiprocessors * BLOCK_BYTES) + 0.5);

    return blocks < 1 ? 1 : blocks > MOST_BESIDE ? MOST_BESIDE : blocks;
}

// Return the number of keys in a tile, as in decode.tile and decode_paged.tile.
static int64_t tile_keys(const decode *d, int64_t multiprocessors)
{
    enum { MOST = 128 };
    bool whole = d->page ? d->page >= LEAST_PAGE && (d->page % MOST == 0 || MOST % d->page == 0)
                         : blocks_beside(d, multiprocessors) > 1;

    return d->depth <= 64 && whole ? MOST : d->depth <= 128 ? 64 : 32;
}

// Estimate the time, in eighths of a tile, if `x` blocks share a group and a multiprocessor runs up
// to `most` blocks at once. Blocks that run beside each other share the multiprocessor's bandwidth;
// a lone one does not quite use it, nor do the blocks that remain after full rounds.
static int64_t estimate(const decode *d, int64_t x, int64_t multiprocessors, int64_t most)
{
    enum { TILE = 8, LONE = 9, MISSING = 2, START = 2 * TILE, COMBINE = 2 * TILE, RESULTS = 8192 };
    int64_t blocks = d->batch * d->heads * x, full = blocks / (most * multiprocessors);
    int64_t rest = blocks - full * most * multiprocessors;
    int64_t last = bench_ceil_div(rest, multiprocessors), beside = full * most + last;
    int64_t tiles = bench_ceil_div(bench_ceil_div(d->keys, d->tile), x);
    int64_t tile = beside == 1 ? LONE : TILE * beside;

    if (full && rest)
        tile += MISSING * (most - last);
    int64_t time = tile * tiles + (full + (rest > 0)) * START;

    return x == 1 ? time : time + COMBINE + TILE * bench_ceil_div(x * d->group * d->depth, RESULTS);
}

// Choose how many blocks share a sequence and key head, by the rule in decode_paged.tile.
static int64_t choose_sharers(const decode *d, int64_t multiprocessors, int64_t most)
{
    enum { MOST_SHARERS = 128 };
    int64_t turns = bench_ceil_div(d->keys, d->tile), best = 1;

    for (int64_t x = 2; x <= MOST_SHARERS && x <= turns; x++) // blocks of one tile if few are left
        if ((x * 2 <= turns || d->batch * d->heads * x <= multiprocessors) &&
            estimate(d, x, multiprocessors, most) < estimate(d, best, multiprocessors, most))
            best = x;
    return best;
}

// Choose the number of blocks by the rule in decode.tile.
static int64_t choose_blocks(const decode *d, int64_t multiprocessors)
{
    enum { FEW_TILES = 16 };
    int64_t groups = d->batch * d->heads, turns = bench_ceil_div(d->keys, d->tile);
    int64_t beside = blocks_beside(d, multiprocessors), blocks = beside * multiprocessors;
    int64_t whole = blocks / groups * groups;

    if (beside == 1)
        return groups * choose_sharers(d, multiprocessors, 1);
    if (whole * 5 >= blocks * 3)
        return whole;
    return !whole && turns <= FEW_TILES ? groups : blocks;
}

// Add the kernel; `arguments` begin with the queries.
static void add_kernel(bench_point *p, const bench_kernel_spec *spec, int64_t blocks,
                       uint32_t modes)
{
    const cuc_bench_figure figures[] = { { "blocks", (double)blocks } };
    bench_kernel_spec own = *spec;

    own.name = "tile";
    own.modes = modes;
    own.figures = figures;
    own.figure_count = CUC_LENGTH(figures);
    bench_point_kernel(p, &own);
}

// Return the stages to compile for: a lone block needs more of 32 KB than the compiler's choice,
// which is for three blocks.
static const char *stages_of(const decode *d, int64_t beside)
{
    enum { STAGE_ELEMENTS = 8192 };

    return beside == 1 && d->tile * d->depth >= STAGE_ELEMENTS ? " stages=3" : "";
}

static void add_contiguous(bench_point *p, int64_t blocks, int64_t beside, uint32_t modes)
{
    const decode *d = p->data;
    const int64_t *queries = BENCH_SHAPE(d->batch, d->heads, d->group, d->depth);
    const int64_t *keys = BENCH_SHAPE(d->batch, d->heads, d->keys, d->depth);
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
    snprintf(settings, sizeof(settings), "D=%d G=%d BN=%d warps=4%s", (int)d->depth, (int)d->group,
             (int)d->tile, stages_of(d, beside));
    add_kernel(
        p,
        &(bench_kernel_spec){
            .file = "decode.tile",
            .source = decode_tile,
            .kernel = "decode",
            .settings = settings,
            .arguments = { BENCH_TENSOR(array[0]), BENCH_TENSOR(array[1]), BENCH_TENSOR(array[2]),
                           BENCH_TENSOR(array[3]), BENCH_TENSOR(array[4]), BENCH_TENSOR(array[5]),
                           BENCH_TENSOR(array[6]), BENCH_F32((float)d->scale) },
        },
        blocks, modes);
}

// Add the tables of a point with pages: each sequence's pages, in random order, and its length.
static cuc_status add_tables(bench_array **out, bench_point *p, decode *d)
{
    int64_t pages = d->batch * pages_of(d);
    bench_random random = { .seed = 1 };
    int32_t *lengths = malloc((size_t)d->batch * sizeof(*lengths));

    d->table = bench_allocate(p->state, (size_t)pages * sizeof(*d->table));
    if (!d->table || !lengths) {
        free(lengths);
        return d->table ? bench_no_memory("lengths") : cuc_error_status();
    }
    for (int64_t i = 0; i < pages; i++) {
        int64_t other = bench_random_uniform(&random, 0, i);
        d->table[i] = d->table[other];
        d->table[other] = (int32_t)i;
    }
    for (int64_t i = 0; i < d->batch; i++)
        lengths[i] = (int32_t)d->keys;
    out[0] = bench_point_numbers(p, d->table, BENCH_SHAPE(d->batch, pages_of(d)));
    out[1] = bench_point_numbers(p, lengths, BENCH_SHAPE(d->batch));
    free(lengths);
    return p->status;
}

static void add_paged(bench_point *p, decode *d, int64_t blocks, int64_t beside, uint32_t modes)
{
    const int64_t *queries = BENCH_SHAPE(d->batch, d->heads, d->group, d->depth);
    int64_t pages = d->batch * pages_of(d);
    bool rows = reads_rows(d);
    const int64_t *keys = rows ? BENCH_SHAPE(pages * d->page, d->heads, d->depth)
                               : BENCH_SHAPE(pages, d->page, d->heads, d->depth);
    int64_t unused = d->batch * (pages_of(d) * d->page - d->keys) * d->heads * d->depth;
    bench_array *array[9] = { NULL };
    char settings[96];

    array[0] = bench_point_read(p, p->dtype, queries);
    array[1] = bench_point_read(p, p->dtype, keys);
    array[2] = bench_point_read(p, p->dtype, keys);
    p->bytes -= 2 * (double)unused * cuc_dtype_bits(p->dtype) / 8;
    array[3] = bench_point_written(p, p->dtype, queries);
    if (p->status < 0 || add_tables(array + 4, p, d) < 0)
        return;
    array[6] = bench_point_scratch(p, CUC_F32,
                                   BENCH_SHAPE(d->batch, d->heads, blocks, d->group, d->depth));
    array[7] = bench_point_scratch(p, CUC_F32, BENCH_SHAPE(d->batch, d->heads, blocks, d->group));
    array[8] = bench_point_scratch(p, CUC_I32, BENCH_SHAPE(d->batch, d->heads));
    snprintf(settings, sizeof(settings), "D=%d G=%d S=%d warps=4%s", (int)d->depth, (int)d->group,
             (int)d->page, stages_of(d, beside));
    add_kernel(
        p,
        &(bench_kernel_spec){
            .file = "decode_paged.tile",
            .source = decode_paged_tile,
            .kernel = rows ? "decode_rows" : "decode_paged",
            .settings = settings,
            .arguments = { BENCH_TENSOR(array[0]), BENCH_TENSOR(array[1]), BENCH_TENSOR(array[2]),
                           BENCH_TENSOR(array[4]), BENCH_TENSOR(array[5]), BENCH_TENSOR(array[3]),
                           BENCH_TENSOR(array[6]), BENCH_TENSOR(array[7]), BENCH_TENSOR(array[8]),
                           BENCH_F32((float)d->scale) },
        },
        blocks, modes);
}

static cuc_status set_up(cuc_bench_state *state, void *data)
{
    decode *d = bench_allocate(state, sizeof(*d));
    bench_point *p;
    int32_t multiprocessors;
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
    if ((st = cuc_device_get_attribute(&multiprocessors, cuc_bench_state_device(state),
                                       CUC_DEVICE_MULTIPROCESSOR_COUNT)) < 0)
        return st;
    double bytes = (double)(2 * d->batch * d->heads * d->keys * d->depth) *
                   cuc_dtype_bits(d->dtype) / 8;
    uint32_t modes = bench_draw_mode(0, bytes);
    d->tile = tile_keys(d, multiprocessors);
    if (d->page) {
        int64_t x = choose_sharers(d, multiprocessors, MOST_BESIDE);
        add_paged(p, d, x, bench_ceil_div(d->batch * d->heads * x, multiprocessors), modes);
    } else {
        add_contiguous(p, choose_blocks(d, multiprocessors), blocks_beside(d, multiprocessors),
                       modes);
    }
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
               "bf16.b16.h4x8.n8192.d128,bf16.b16.h4x8.n8192.d128.p16,bf16.b16.h4x8.n8192.d128.p64,"
               "bf16.b1.h8x8.n32768.d128,bf16.b16.h16x1.n8192.d128,bf16.b16.h16x1.n8192.d128.p256",
               "bf16.b2.h1x8.n300.d64,f16.b1.h2x1.n70.d64,bf16.b2.h2x8.n100.d64.p16"),
    BENCH_TILE_AXIS,
};

static const cuc_bench_case cases[] = {
    BENCH_CASE(.suite = "decode", .name = "step",
               .about = "attention of one query a sequence; at random by --random",
               BENCH_AXES(axes), .setup = set_up),
};

// ---- Random points: half with less than 256 MB of keys and values, half with more; of both, half
// in pages

static void draw(char *out, size_t size, bench_random *r)
{
    static const char *const dtypes[] = { "bf16", "f16" };
    static const int64_t depths[] = { 64, 128 }, groups[] = { 1, 8 };
    static const int64_t pages[] = { 16, 32, 64, 128, 256 };
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
    int n = snprintf(out, size, "%s.b%lld.h%lldx%lld.n%lld.d%lld", BENCH_RANDOM_OF(r, dtypes),
                     (long long)batch, (long long)heads, (long long)group, (long long)keys,
                     (long long)depth);
    int64_t page = bench_random_unit(r) < 0.5 ? 0 : BENCH_RANDOM_OF(r, pages);
    if (page)
        snprintf(out + n, size - (size_t)n, ".p%lld", (long long)page);
}

static const bench_draw draws[] = { { "step", draw }, { NULL, NULL } };

const bench_suite bench_decode_suite = { "decode", cases, CUC_LENGTH(cases), NULL, draws };
