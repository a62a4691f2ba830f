// See conv_tile.h. Rates tiles by the compiler's model of products.
#include "conv_tile.h"

#include "base/array.h"
#include "tile/compile/cost.h"

#include <stdint.h>
#include <stdio.h>

// Measured or estimated on an H200, in clocks, besides what the model knows.
static const double gather_clocks = 0.039; // for an element of an operand that threads copy
static const double number_clocks = 200;   // for the pixels' numbers of an iteration
static const double zero_clocks = 3500;    // for the launch that zeroes the result
static const double atomic_rate = 14;      // bytes of sums a multiprocessor adds in memory
static const double least_gain = 0.97;     // of pixels in a row over boxes

static int64_t cdiv(int64_t x, int64_t y)
{
    return (x + y - 1) / y;
}

static int64_t pixels_of(const bench_conv_tile *t)
{
    return t->box[0] * t->box[1] * t->box[2];
}

// The box of that many pixels that covers all images with the fewest boxes. Returns their number.
static int64_t choose_box(int64_t box[3], int64_t pixels, int64_t n, int64_t p, int64_t q)
{
    int64_t least = INT64_MAX;

    for (int64_t columns = pixels; columns > 0; columns--)
        for (int64_t rows = pixels / columns; rows > 0 && pixels % columns == 0; rows--) {
            int64_t images = pixels / columns / rows;
            int64_t boxes = cdiv(n, images) * cdiv(p, rows) * cdiv(q, columns);
            if (images * rows * columns != pixels || boxes >= least)
                continue;
            least = boxes;
            box[0] = images;
            box[1] = rows;
            box[2] = columns;
        }
    return least;
}

// Keeps a tile with its work if it is faster than the best so far; `boxes`: of pixels.
static void rate(bench_conv_tile *best, const conv *v, bench_conv_tile t, int64_t boxes)
{
    const struct tile_machine *m = tile_machine_of(90);
    bool gathers = t.in_a_row || v->stride > 1;
    int64_t pixels = pixels_of(&t), bytes = cuc_dtype_bits(v->dtype) / 8;
    int64_t k_tiles = cdiv(v->k, t.k), c_tiles = cdiv(v->c, t.c), taps = v->r * v->r;
    struct tile_work w = { .operand = v->dtype,
                           .path = TILE_MMA_PATH_PIPELINE,
                           .cluster = 1,
                           .split = (uint32_t)t.split,
                           .parts = 1,
                           .stored_bytes = v->result == W ? 4 : (uint32_t)bytes };

    w.unique_bytes = (double)((v->n * v->h * v->w * v->c + v->n * v->p * v->q * v->k) * bytes);
    if (v->result == W) {
        w.rows = (uint32_t)t.k;
        w.columns = (uint32_t)t.c;
        w.depth = (uint32_t)pixels;
        w.blocks = k_tiles * c_tiles * taps * t.shares * t.split;
        w.iterations = cdiv(boxes, t.shares * t.split);
        tile_work_put_end(&w, v->k, t.k);
        tile_work_put_end(&w, v->c, t.c);
        tile_work_put_lines(&w, false, pixels, t.k * bytes, v->k * bytes);
        tile_work_put_lines(&w, true, pixels, t.c * bytes, v->c * bytes);
    } else {
        bool forward = v->result == Y;
        int64_t out = forward ? t.k : t.c, in = forward ? t.c : t.k;
        double useful = (double)(v->n * (forward ? v->p * v->q : v->h * v->w)) /
                        (double)(boxes * pixels);
        w.rows = (uint32_t)pixels;
        w.columns = (uint32_t)out;
        w.depth = (uint32_t)in;
        w.blocks = boxes * (forward ? k_tiles : c_tiles);
        w.iterations = (forward ? c_tiles : k_tiles) * taps;
        tile_work_put_end(&w, forward ? v->k : v->c, out);
        if (!t.in_a_row && w.outside < (double)pixels * (1 - useful)) {
            w.outside = (double)pixels * (1 - useful);
            w.ends = 1;
        }
        tile_work_put_lines(&w, false, pixels, in * bytes, (forward ? v->c : v->k) * bytes);
        tile_work_put_lines(&w, true, forward ? out : in, (forward ? in : out) * bytes,
                            v->c * bytes);
    }
    if (!tile_work_fits(m, &w))
        return;
    double waves = (double)cdiv(w.blocks, m->multiprocessors), more = 0;
    if (gathers)
        more += waves * (double)w.iterations *
                (gather_clocks * (double)(pixels * (v->result == Y   ? t.c
                                                    : v->result == X ? t.k
                                                                     : t.c)) +
                 (v->result == W ? number_clocks : 0));
    if (t.shares > 1)
        more += zero_clocks + waves * w.rows * w.columns * 4 / atomic_rate;
    t.seconds = tile_work_seconds(m, &w) + more / (1e6 * m->megahertz);
    if (!best->kernel || t.seconds < best->seconds * (t.in_a_row ? least_gain : 1))
        *best = t;
}

static void choose_for_pixels(bench_conv_tile *best, const conv *v)
{
    static const int64_t pixels[] = { 128, 256, 64 }, depths[] = { 64, 32, 96 };
    bool forward = v->result == Y;
    int64_t p = forward ? v->p : v->h, q = forward ? v->q : v->w;

    for (int in_a_row = v->stride > 1; in_a_row < 2; in_a_row++)
        for (size_t i = 0; i < CUC_LENGTH(pixels); i++) {
            bench_conv_tile t = { .in_a_row = in_a_row, .shares = 1, .split = 1 };
            int64_t boxes = cdiv(v->n * p * q, pixels[i]);
            t.kernel = forward    ? in_a_row ? "conv_rows" : "conv"
                       : in_a_row ? "conv_dx_rows"
                                  : "conv_dx";
            if (in_a_row)
                t.box[0] = t.box[1] = 1, t.box[2] = pixels[i];
            else
                boxes = choose_box(t.box, pixels[i], v->n, p, q);
            for (int64_t width = 256; width >= 64; width -= 16)
                for (size_t d = 0; d < CUC_LENGTH(depths); d++) {
                    t.k = forward ? width : depths[d];
                    t.c = forward ? depths[d] : width;
                    rate(best, v, t, boxes);
                }
        }
}

static void choose_for_weights(bench_conv_tile *best, const conv *v)
{
    static const int64_t heights[] = { 128, 256, 64 };
    static const int64_t depths[] = { 64, 128, 112, 96, 80, 48, 32 };
    enum { MOST_SPLIT = 8, MOST_SHARES = 64 };

    for (size_t d = 0; d < CUC_LENGTH(depths); d++) {
        bench_conv_tile t = { .kernel = "conv_dw" };
        int64_t boxes = choose_box(t.box, depths[d], v->n, v->p, v->q);
        for (size_t h = 0; h < CUC_LENGTH(heights); h++)
            for (t.c = 256; t.c >= 64; t.c -= 32) {
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
    if (v->result == W || (v->result == Y && t->in_a_row))
        used += snprintf(out + used, size - (size_t)used, " STRIDE=%d", (int)v->stride);
    if (v->result == W)
        snprintf(out + used, size - (size_t)used, " G=%d split=%d", (int)t->shares, (int)t->split);
}
