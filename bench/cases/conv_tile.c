// See conv_tile.h. Rates tiles by the compiler's model of matrix products.
#include "conv_tile.h"

#include "base/array.h"
#include "support.h"
#include "tile/compile/cost.h"
#include "tile/layout/wgmma.h"

#include <stdint.h>
#include <stdio.h>

// Costs that the model does not include, in clocks, measured or estimated on an H200.
static const double gather_clocks = 0.039; // for an element of an operand that threads copy
static const double zero_clocks = 3500;    // for the launch that zeroes the result
static const double atomic_rate = 14;      // bytes of partial sums that a multiprocessor adds per
                                           // clock
static const double exchange_clocks = 0.1; // for an element of a tile that is transposed back

enum { MOST_SPLIT = 8, MOST_SHARES = 64, PING_PONG = 4 };

static int64_t pixels_of(const bench_conv_tile *t)
{
    return t->box[0] * t->box[1] * t->box[2];
}

static int64_t power_from(int64_t x)
{
    int64_t power = 1;

    while (power < x)
        power *= 2;
    return power;
}

// Chooses the extents of a box of `pixels` pixels. Few boxes should cover all images, and together
// they should read few pixels of x. Adjacent boxes both read some pixels at their common edge. With
// its extents rounded up to powers of two, the box has at most `padded` pixels. Returns the number
// of boxes; 0 if there is no such box.
static int64_t choose_box(int64_t box[3], const conv *v, int64_t pixels, int64_t padded)
{
    const int64_t most = 256 / v->stride; // TMA's limit along an axis
    int64_t p = v->result == X ? v->h : v->p, q = v->result == X ? v->w : v->q;
    int64_t least = 0, count = 0;

    for (int64_t columns = pixels < most ? pixels : most; columns > 0; columns--)
        for (int64_t rows = pixels / columns; rows > 0; rows--) {
            int64_t images = pixels / columns / rows;
            int64_t boxes = bench_ceil_div(v->n, images) * bench_ceil_div(p, rows) *
                            bench_ceil_div(q, columns);
            int64_t read = images * (rows + v->r - 1) * (columns + v->r - 1);
            int64_t cost = boxes * (50 * pixels + read);
            if (images * rows * columns != pixels || rows > most || (least && cost >= least) ||
                power_from(images) * power_from(rows) * power_from(columns) > padded)
                continue;
            least = cost;
            count = boxes;
            box[0] = images;
            box[1] = rows;
            box[2] = columns;
        }
    return count;
}

// Describes the matrix product of a tile. `boxes` is the number of boxes that cover all images.
static void describe_pixels(struct tile_work *w, const conv *v, const bench_conv_tile *t,
                            int64_t boxes)
{
    bool forward = v->result == Y;
    int64_t pixels = pixels_of(t), bytes = cuc_dtype_bits(v->dtype) / 8;
    int64_t all = v->n * (forward ? v->p * v->q : v->h * v->w);
    int64_t in = forward ? v->c : v->k, out = forward ? v->k : v->c;
    int64_t depth = forward ? t->c : t->k, width = forward ? t->k : t->c;
    double unused = (double)pixels * (1 - (double)all / (double)(boxes * pixels));

    w->rows = (uint32_t)pixels;
    w->columns = (uint32_t)width;
    w->depth = (uint32_t)depth;
    w->blocks = boxes * bench_ceil_div(out, width) * t->split;
    w->iterations = bench_ceil_div(bench_ceil_div(in, depth) * v->r * v->r, t->split);
    tile_work_put_end(w, out, width);
    if (!t->in_a_row && w->outside < unused) {
        w->outside = unused;
        w->ends = 1;
    }
    tile_work_put_lines(w, false, pixels, depth * bytes, in * bytes);
    tile_work_put_lines(w, true, forward ? width : depth, (forward ? depth : width) * bytes,
                        v->c * bytes);
}

static void describe_weights(struct tile_work *w, const conv *v, const bench_conv_tile *t,
                             int64_t boxes)
{
    int64_t pixels = pixels_of(t), bytes = cuc_dtype_bits(v->dtype) / 8;

    w->rows = (uint32_t)t->k;
    w->columns = (uint32_t)t->c;
    w->depth = (uint32_t)pixels;
    w->blocks = bench_ceil_div(v->k, t->k) * bench_ceil_div(v->c, t->c) * v->r * v->r * t->shares *
                t->split;
    w->iterations = bench_ceil_div(boxes, t->shares * t->split);
    tile_work_put_end(w, v->k, t->k);
    tile_work_put_end(w, v->c, t->c);
    tile_work_put_lines(w, false, pixels, t->k * bytes, v->k * bytes);
    tile_work_put_lines(w, true, pixels, t->c * bytes, v->c * bytes);
}

// Estimates the costs that the model does not include, in clocks.
static double more_clocks(const struct tile_work *w, const conv *v, const bench_conv_tile *t,
                          double waves)
{
    double sums = w->rows * (double)w->columns, clocks = 0;

    if (t->in_a_row)
        clocks = waves * (double)w->iterations * gather_clocks * w->rows * w->depth;
    if (v->result != W && !tile_has_wgmma_rows(w->rows))
        clocks += waves * sums * exchange_clocks;
    if (t->shares > 1)
        clocks += zero_clocks + waves * sums * 4 / atomic_rate;
    return clocks;
}

// Keeps a tile if it is faster than the best so far.
static void rate(bench_conv_tile *best, const conv *v, bench_conv_tile t, int64_t boxes)
{
    const struct tile_machine *m = tile_machine_of(90);
    int64_t bytes = cuc_dtype_bits(v->dtype) / 8;
    struct tile_work w = {
        .operand = v->dtype,
        .path = TILE_MMA_PATH_PIPELINE,
        .cluster = 1,
        .split = (uint32_t)t.split,
        .parts = 1,
        .warps = (uint32_t)t.warps,
        .stored_bytes = v->result == W ? 4 : (uint32_t)bytes,
        .unique_bytes = (double)((v->n * v->h * v->w * v->c + v->n * v->p * v->q * v->k) * bytes),
    };

    (v->result == W ? describe_weights : describe_pixels)(&w, v, &t, boxes);
    // With fewer stages, the next stage arrives late. If the rows are pixels, three stages suffice,
    // because a depth of 96 channels gains more than a fourth stage.
    if (!boxes || !tile_work_fits(m, &w) || tile_work_stages(m, &w) < (v->result == W ? 4 : 3))
        return;
    double waves = (double)bench_ceil_div(w.blocks, m->multiprocessors);
    t.seconds = tile_work_seconds(m, &w) + more_clocks(&w, v, &t, waves) / (1e6 * m->megahertz);
    if (!best->kernel || t.seconds < best->seconds)
        *best = t;
}

static void choose_for_pixels(bench_conv_tile *best, const conv *v)
{
    static const int64_t depths[] = { 64, 32, 96 };
    bool forward = v->result == Y;
    int64_t p = forward ? v->p : v->h, q = forward ? v->q : v->w;
    bench_conv_tile t = { .kernel = forward ? "conv" : "conv_dx", .shares = 1 };

    for (int64_t pixels = 64; pixels <= 256; pixels += 8) {
        // ptxas spills a transposed tile of more than 128 pixels, padding included.
        int64_t padded = pixels == 256 ? 256 : 128;
        int64_t boxes = choose_box(t.box, v, pixels, padded);
        for (int64_t width = 64; width <= 256; width += 16)
            for (size_t d = 0; d < CUC_LENGTH(depths); d++) {
                t.k = forward ? width : depths[d];
                t.c = forward ? depths[d] : width;
                t.split = 1;
                for (t.warps = 0; t.warps <= PING_PONG; t.warps += PING_PONG)
                    rate(best, v, t, boxes);
                t.warps = 0;
                for (t.split = 2; t.split <= MOST_SPLIT; t.split *= 2)
                    rate(best, v, t, boxes);
            }
    }
    t = (bench_conv_tile){ .kernel = forward ? "conv_rows" : "conv_dx_rows",
                           .in_a_row = true,
                           .box = { 1, 1, 64 },
                           .shares = 1,
                           .split = 1 };
    for (; t.box[2] <= 128; t.box[2] *= 2)
        for (int64_t width = 64; width <= 256; width += 16)
            for (size_t d = 0; d < CUC_LENGTH(depths); d++) {
                t.k = forward ? width : depths[d];
                t.c = forward ? depths[d] : width;
                rate(best, v, t, bench_ceil_div(v->n * p * q, t.box[2]));
            }
}

static void choose_for_weights(bench_conv_tile *best, const conv *v)
{
    static const int64_t heights[] = { 128, 256, 64 };

    for (int64_t pixels = 32; pixels <= 128; pixels += 16) {
        bench_conv_tile t = { .kernel = "conv_dw" };
        int64_t boxes = choose_box(t.box, v, pixels, INT64_MAX);
        for (size_t h = 0; h < CUC_LENGTH(heights); h++)
            for (t.c = 64; t.c <= 256; t.c += 32) {
                t.k = heights[h];
                t.shares = 1;
                for (t.split = 1; t.split <= MOST_SPLIT; t.split *= 2)
                    rate(best, v, t, boxes);
                t.split = 1;
                for (t.shares = 2; t.shares <= MOST_SHARES && t.shares <= boxes; t.shares++)
                    rate(best, v, t, boxes);
            }
    }
}

void bench_conv_choose(bench_conv_tile *out, const conv *v)
{
    *out = (bench_conv_tile){ .kernel = NULL };
    (v->result == W ? choose_for_weights : choose_for_pixels)(out, v);
}

void bench_conv_settings(char *out, size_t size, const conv *v, const bench_conv_tile *t)
{
    int r = (int)v->r;
    int used = snprintf(out, size, "R=%d S=%d PAD=%d BK=%d BC=%d", r, r, (int)v->pad, (int)t->k,
                        (int)t->c);

    if (t->in_a_row)
        used += snprintf(out + used, size - (size_t)used, " BM=%d", (int)t->box[2]);
    else
        used += snprintf(out + used, size - (size_t)used, " BN=%d BP=%d BQ=%d", (int)t->box[0],
                         (int)t->box[1], (int)t->box[2]);
    if (v->result != X)
        used += snprintf(out + used, size - (size_t)used, " STRIDE=%d", (int)v->stride);
    if (v->result == W)
        snprintf(out + used, size - (size_t)used, " G=%d split=%d", (int)t->shares, (int)t->split);
}
