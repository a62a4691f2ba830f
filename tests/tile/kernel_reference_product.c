// References for kernels that are built on matrix products: split sums, low precision, transforms,
// experts.
#include "kernel_reference.h"

#include <math.h>

static int64_t cdiv(int64_t x, int64_t y)
{
    return x / y + (x % y != 0);
}

// Sums the products of a row of a and a column of b over k.
static double dot(const struct numbers *a, const struct numbers *b, int64_t i, int64_t j,
                  int64_t first, int64_t last)
{
    double sum = 0;

    for (int64_t k = first; k < last; k++)
        sum += row_of(a, i)[k] * row_of(b, k)[j];
    return sum;
}

static void multiply(const struct numbers *a, const struct numbers *b, struct numbers *c)
{
    for (int64_t i = 0; i < c->extent[0]; i++)
        for (int64_t j = 0; j < c->extent[1]; j++)
            row_of(c, i)[j] = dot(a, b, i, j, 0, a->extent[1]);
}

// ---- Split sums; each iteration takes 64 elements

static void multiply_parts(const struct numbers *a, const struct numbers *b, struct numbers *w)
{
    int64_t parts = w->extent[0], rows = w->extent[1], columns = w->extent[2];
    int64_t depth = a->extent[1], each = 64 * cdiv(cdiv(depth, 64), parts);

    for (int64_t s = 0; s < parts; s++)
        for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
                int64_t last = (s + 1) * each < depth ? (s + 1) * each : depth;
                w->at[(s * rows + i) * columns + j] = dot(a, b, i, j, s * each, last);
            }
}

// Arguments: a, b, c
void expect_gemm_split_add(struct numbers *a)
{
    multiply(&a[0], &a[1], &a[2]);
}

// Arguments: a, b, w, done, c
void expect_gemm_split_last(struct numbers *a)
{
    multiply_parts(&a[0], &a[1], &a[2]);
    multiply(&a[0], &a[1], &a[4]);
}

// Arguments: a, b, w
void expect_gemm_parts(struct numbers *a)
{
    multiply_parts(&a[0], &a[1], &a[2]);
}

// Arguments: w, c
void expect_gemm_parts_sum(struct numbers *a)
{
    for (int64_t i = 0; i < a[1].count; i++) {
        a[1].at[i] = 0;
        for (int64_t s = 0; s < a[0].extent[0]; s++)
            a[1].at[i] += a[0].at[s * a[1].count + i];
    }
}

// Arguments: a, b, c, w, told. Computes the partial sum that each range leaves for its first tile.
// Tiles are 64 x 64.
void expect_gemm_stream(struct numbers *a)
{
    int64_t rows = a[0].extent[0], columns = a[1].extent[1], depth = a[0].extent[1];
    int64_t ranges = a[3].extent[0], turns = cdiv(depth, 64), across = cdiv(columns, 64);
    int64_t total = cdiv(rows, 64) * across * turns, end = 0;

    multiply(&a[0], &a[1], &a[2]);
    for (int64_t r = 0; r < ranges && turns; r++) {
        int64_t begin = end, tile = begin / turns;
        end += total / ranges + (r < total % ranges);
        int64_t last = (end < (tile + 1) * turns ? end : (tile + 1) * turns) - tile * turns;
        if (begin % turns == 0 || begin == end)
            continue;
        for (int64_t i = 0; i < 64; i++)
            for (int64_t j = 0; j < 64; j++) {
                int64_t m = tile / across * 64 + i, n = tile % across * 64 + j;
                double *at = &a[3].at[(r * 64 + i) * 64 + j];
                int64_t to = (turns - begin % turns) * 64;
                *at = m < rows && n < columns
                          ? dot(&a[0], &a[1], m, n, (turns - last) * 64, to < depth ? to : depth)
                          : 0;
            }
    }
}

// ---- Low precision; the largest 8-bit float is 448

static double scale_of(const struct numbers *x, int64_t row, int64_t rows, int64_t column,
                       int64_t columns)
{
    double most = 0;

    for (int64_t i = row; i < row + rows && i < x->extent[0]; i++)
        for (int64_t j = column; j < column + columns && j < x->extent[1]; j++)
            most = fmax(most, fabs(row_of(x, i)[j]));
    return most > 0 ? (double)((float)most / 448.0f) : 1;
}

// Arguments: x, q, scale, where one scale covers rows x columns elements
static void quantize(struct numbers *a, int64_t rows, int64_t columns)
{
    int64_t across = cdiv(a[0].extent[1], columns);

    for (int64_t i = 0; i < a[0].extent[0]; i++)
        for (int64_t j = 0; j < a[0].extent[1]; j++) {
            double *s = &a[2].at[i / rows * across + j / columns];
            *s = scale_of(&a[0], i / rows * rows, rows, j / columns * columns, columns);
            row_of(&a[1], i)[j] = row_of(&a[0], i)[j] / *s;
        }
}

void expect_quantized_rows(struct numbers *a)
{
    quantize(a, 1, a[0].extent[1]);
}

void expect_quantized_blocks(struct numbers *a)
{
    quantize(a, 2, 64);
}

// Arguments: q, scale, x
static void dequantize(struct numbers *a, int64_t rows, int64_t columns)
{
    int64_t across = cdiv(a[0].extent[1], columns);

    for (int64_t i = 0; i < a[0].extent[0]; i++)
        for (int64_t j = 0; j < a[0].extent[1]; j++)
            row_of(&a[2], i)[j] = row_of(&a[0], i)[j] * a[1].at[i / rows * across + j / columns];
}

void expect_dequantized_rows(struct numbers *a)
{
    dequantize(a, 1, a[0].extent[1]);
}

void expect_dequantized_blocks(struct numbers *a)
{
    dequantize(a, 2, 64);
}

// Makes scales powers of two, so that weights are exact.
void prepare_weights_4(struct numbers *a)
{
    for (int64_t i = 0; i < a[1].count; i++)
        a[1].at[i] = (double)kernel_random(256);
    for (int64_t i = 0; i < a[2].count; i++)
        a[2].at[i] = ldexp(1, (int)kernel_random(4) - 4);
}

// Arguments: a, w, scale, c. A scale applies to 64 weights.
void expect_gemm_weights_4(struct numbers *a)
{
    for (int64_t i = 0; i < a[3].extent[0]; i++)
        for (int64_t j = 0; j < a[3].extent[1]; j++) {
            double sum = 0;
            for (int64_t k = 0; k < a[0].extent[1]; k++) {
                int byte = (int)row_of(&a[1], j)[k / 2];
                int weight = (k % 2 ? byte >> 4 : byte & 15) - 8;
                sum += row_of(&a[0], i)[k] * weight * row_of(&a[2], j)[k / 64];
            }
            row_of(&a[3], i)[j] = sum;
        }
}

void prepare_w4(struct numbers *a)
{
    prepare_weights_4(a);
    for (int64_t i = 0; i < a[0].count; i++) // few bits, so that sums are exact
        a[0].at[i] = (double)kernel_random(9) - 4;
}

// Arguments: x, w, s, y. A scale applies to 128 weights.
void expect_gemm_w4(struct numbers *a)
{
    for (int64_t i = 0; i < a[3].extent[0]; i++)
        for (int64_t j = 0; j < a[3].extent[1]; j++) {
            double sum = 0;
            for (int64_t k = 0; k < a[0].extent[1]; k++) {
                int byte = (int)row_of(&a[1], j)[k / 2];
                int weight = (k % 2 ? byte >> 4 : byte & 15) - 8;
                sum += row_of(&a[0], i)[k] * weight * row_of(&a[2], j)[k / 128];
            }
            row_of(&a[3], i)[j] = sum;
        }
}

// Arguments: a, b, sa, sb, c. A scale applies to `block` elements along each axis.
static void multiply_scaled(struct numbers *a, int64_t block)
{
    for (int64_t i = 0; i < a[4].extent[0]; i++)
        for (int64_t j = 0; j < a[4].extent[1]; j++) {
            double sum = 0;
            for (int64_t k = 0; k < a[0].extent[1]; k++)
                sum += row_of(&a[0], i)[k] * row_of(&a[1], j)[k] * row_of(&a[2], i)[k / block] *
                       row_of(&a[3], j / block)[k / block];
            row_of(&a[4], i)[j] = sum;
        }
}

void expect_gemm_fp8_blocks(struct numbers *a)
{
    multiply_scaled(a, 128);
}

void expect_gemm_fp8_blocks_64(struct numbers *a)
{
    multiply_scaled(a, 64);
}

// ---- Fourier transforms. Arguments: xr, xi, yr, yi

void expect_fft(struct numbers *a)
{
    int64_t n = a[0].extent[1];

    for (int64_t b = 0; b < a[0].extent[0]; b++)
        for (int64_t k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (int64_t i = 0; i < n; i++) {
                double angle = -6.283185307179586 * (double)(i * k % n) / (double)n;
                double x = row_of(&a[0], b)[i], y = row_of(&a[1], b)[i];
                re += x * cos(angle) - y * sin(angle);
                im += x * sin(angle) + y * cos(angle);
            }
            row_of(&a[2], b)[k] = re;
            row_of(&a[3], b)[k] = im;
        }
}

// ---- Experts: there are 8, and each token uses 2

enum { EXPERTS = 8, EACH = 2 };

void prepare_experts(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] = (double)kernel_random(EXPERTS - 1); // the last expert gets none
}

// Arguments: expert, count
void expect_moe_count(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[1].at[(int64_t)a[0].at[i]] += 1;
}

// Arguments: count, offsets
void expect_moe_offsets(struct numbers *a)
{
    a[1].at[0] = 0;
    for (int64_t e = 0; e < a[0].count; e++)
        a[1].at[e + 1] = a[1].at[e] + a[0].at[e];
}

void prepare_moe_place(struct numbers *a)
{
    prepare_experts(a);
    a[1].at[0] = 0;
    for (int64_t e = 0; e < EXPERTS; e++) {
        a[1].at[e + 1] = a[1].at[e];
        for (int64_t i = 0; i < a[0].count; i++)
            a[1].at[e + 1] += a[0].at[i] == (double)e;
    }
}

// Arguments: expert, offsets, order, row_of
void expect_moe_place(struct numbers *a)
{
    int64_t next[EXPERTS];

    for (int64_t e = 0; e < EXPERTS; e++)
        next[e] = (int64_t)a[1].at[e];
    for (int64_t i = 0; i < a[0].count; i++) {
        int64_t row = next[(int64_t)a[0].at[i]]++;
        a[2].at[row] = (double)i;
        a[3].at[i] = (double)row;
    }
}

static void split_rows(struct numbers *offsets, int64_t rows)
{
    int64_t experts = offsets->count - 1;

    for (int64_t e = 0; e <= experts; e++)
        offsets->at[e] =
            (double)(e < experts / 2 ? rows * e / experts : rows); // the last experts are empty
}

// Arguments: x, order, offsets, gate, up, h. Puts the pairs in any order.
void prepare_moe_up(struct numbers *a)
{
    for (int64_t i = 0; i < a[1].count; i++)
        a[1].at[i] = (double)i;
    for (int64_t i = a[1].count - 1; i > 0; i--) {
        int64_t j = (int64_t)kernel_random((uint64_t)i + 1);
        double one = a[1].at[i];
        a[1].at[i] = a[1].at[j];
        a[1].at[j] = one;
    }
    split_rows(&a[2], a[1].count);
}

void expect_moe_up(struct numbers *a)
{
    int64_t depth = a[0].extent[1], columns = a[5].extent[1];

    for (int64_t e = 0; e + 1 < a[2].count; e++)
        for (int64_t r = (int64_t)a[2].at[e]; r < (int64_t)a[2].at[e + 1]; r++)
            for (int64_t f = 0; f < columns; f++) {
                const double *x = row_of(&a[0], (int64_t)a[1].at[r] / EACH);
                double g = 0, u = 0;
                for (int64_t k = 0; k < depth; k++) {
                    g += x[k] * a[3].at[(e * columns + f) * depth + k];
                    u += x[k] * a[4].at[(e * columns + f) * depth + k];
                }
                row_of(&a[5], r)[f] = g / (1 + exp(-g)) * u;
            }
}

// Arguments: h, offsets, down, y
void prepare_moe_down(struct numbers *a)
{
    split_rows(&a[1], a[0].extent[0]);
}

void expect_moe_down(struct numbers *a)
{
    int64_t depth = a[0].extent[1], columns = a[3].extent[1];

    for (int64_t e = 0; e + 1 < a[1].count; e++)
        for (int64_t r = (int64_t)a[1].at[e]; r < (int64_t)a[1].at[e + 1]; r++)
            for (int64_t d = 0; d < columns; d++) {
                double sum = 0;
                for (int64_t k = 0; k < depth; k++)
                    sum += row_of(&a[0], r)[k] * a[2].at[(e * columns + d) * depth + k];
                row_of(&a[3], r)[d] = sum;
            }
}

// Arguments: y, row_of, weight, out
void prepare_moe_combine(struct numbers *a)
{
    for (int64_t i = 0; i < a[1].count; i++)
        a[1].at[i] = (double)(a[1].count - 1 - i);
}

void expect_moe_combine(struct numbers *a)
{
    for (int64_t s = 0; s < a[3].extent[0]; s++)
        for (int64_t d = 0; d < a[3].extent[1]; d++) {
            double sum = 0;
            for (int64_t k = 0; k < EACH; k++)
                sum += row_of(&a[2], s)[k] * row_of(&a[0], (int64_t)a[1].at[s * EACH + k])[d];
            row_of(&a[3], s)[d] = sum;
        }
}
