// References for the arithmetic kernels. See kernel_reference.h.
#include "kernel_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PADDED_TOP = 1, PADDED_LEFT = 1 }; // constants TOP and LEFT in copy.tile

// ---- vadd, copy, transpose

void expect_sum_of_two(struct numbers *a)
{
    for (int64_t i = 0; i < a[2].count; i++)
        a[2].at[i] = a[0].at[i] + a[1].at[i];
}

void expect_copy(struct numbers *a)
{
    memcpy(a[1].at, a[0].at, (size_t)a[1].count * sizeof(double));
}

void expect_pad(struct numbers *a)
{
    for (int64_t p = 0; p < a[1].extent[0]; p++)
        for (int64_t q = 0; q < a[1].extent[1]; q++) {
            int64_t m = p - PADDED_TOP, n = q - PADDED_LEFT;
            bool inside = m >= 0 && m < a[0].extent[0] && n >= 0 && n < a[0].extent[1];
            row_of(&a[1], p)[q] = inside ? row_of(&a[0], m)[n] : 7;
        }
}

void expect_transpose(struct numbers *a)
{
    for (int64_t m = 0; m < a[0].extent[0]; m++)
        for (int64_t n = 0; n < a[0].extent[1]; n++)
            row_of(&a[1], n)[m] = row_of(&a[0], m)[n];
}

// ---- Rows

static double most_of(const double *x, int64_t n)
{
    double most = -INFINITY;

    for (int64_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    return most;
}

static double sum_of_exp(const double *x, int64_t n, double most)
{
    double sum = 0;

    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i] - most);
    return sum;
}

void expect_softmax(struct numbers *a)
{
    int64_t n = a[0].extent[1];

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        double most = most_of(row_of(&a[0], r), n), sum = sum_of_exp(row_of(&a[0], r), n, most);
        for (int64_t i = 0; i < n; i++)
            row_of(&a[1], r)[i] = exp(row_of(&a[0], r)[i] - most) / sum;
    }
}

void prepare_lowest(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].extent[1]; i++)
        a[0].at[i] = -FLT_MAX;
}

static void moments(const double *x, int64_t n, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int64_t i = 0; i < n; i++)
        *mean += x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        *variance += (x[i] - *mean) * (x[i] - *mean) / (double)n;
}

// Arguments: x, w, b, y, mean, rstd, eps
void expect_layer_norm(struct numbers *a)
{
    int64_t n = a[0].extent[1];

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        double variance;
        moments(row_of(&a[0], r), n, &a[4].at[r], &variance);
        a[5].at[r] = 1 / sqrt(variance + a[6].at[0]);
        for (int64_t i = 0; i < n; i++)
            row_of(&a[3], r)[i] = (row_of(&a[0], r)[i] - a[4].at[r]) * a[5].at[r] * a[1].at[i] +
                                  a[2].at[i];
    }
}

void prepare_layer_norm_gradient(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        double variance;
        moments(row_of(&a[0], r), a[0].extent[1], &a[3].at[r], &variance);
        a[4].at[r] = 1 / sqrt(variance + 1e-5);
    }
}

// Arguments: x, w, dy, mean, rstd, dx. Writes the row's contributions to dw and db into two rows.
static void row_gradient(struct numbers *a, int64_t r, double *dw, double *db)
{
    const double *x = row_of(&a[0], r), *w = a[1].at, *dy = row_of(&a[2], r);
    double mean = a[3].at[r], rstd = a[4].at[r], of_g = 0, of_normal = 0;
    int64_t n = a[0].extent[1];

    for (int64_t i = 0; i < n; i++) {
        of_g += w[i] * dy[i] / (double)n;
        of_normal += w[i] * dy[i] * (x[i] - mean) * rstd / (double)n;
    }
    for (int64_t i = 0; i < n; i++) {
        double normal = (x[i] - mean) * rstd;
        row_of(&a[5], r)[i] = rstd * (w[i] * dy[i] - of_g - normal * of_normal);
        dw[i] += dy[i] * normal;
        db[i] += dy[i];
    }
}

void expect_layer_norm_gradient(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].extent[0]; r++)
        row_gradient(a, r, a[6].at, a[7].at);
}

void expect_layer_norm_partial(struct numbers *a)
{
    int64_t groups = a[6].extent[0];

    for (int64_t r = 0; r < a[0].extent[0]; r++)
        row_gradient(a, r, row_of(&a[6], r % groups), row_of(&a[7], r % groups));
}

void expect_column_sums(struct numbers *a)
{
    for (int k = 0; k < 2; k++)
        for (int64_t n = 0; n < a[k].extent[1]; n++) {
            a[2 + k].at[n] = 0;
            for (int64_t g = 0; g < a[k].extent[0]; g++)
                a[2 + k].at[n] += row_of(&a[k], g)[n];
        }
}

// Arguments: x, w, y, eps
void expect_rms_norm(struct numbers *a)
{
    int64_t n = a[0].extent[1];

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        double squares = 0;
        for (int64_t i = 0; i < n; i++)
            squares += row_of(&a[0], r)[i] * row_of(&a[0], r)[i];
        for (int64_t i = 0; i < n; i++)
            row_of(&a[2], r)[i] = row_of(&a[0], r)[i] / sqrt(squares / (double)n + a[3].at[0]) *
                                  a[1].at[i];
    }
}

// ---- rope. Arguments: x, cosine, sine, y

static void rope(struct numbers *a, int64_t apart, int64_t step)
{
    int64_t positions = a[0].extent[2], depth = a[0].extent[3];

    for (int64_t r = 0; r < a[0].count / depth; r++)
        for (int64_t i = 0; i < depth / 2; i++) {
            double u = row_of(&a[0], r)[i * step], v = row_of(&a[0], r)[i * step + apart];
            double c = row_of(&a[1], r % positions)[i], s = row_of(&a[2], r % positions)[i];
            row_of(&a[3], r)[i * step] = u * c - v * s;
            row_of(&a[3], r)[i * step + apart] = v * c + u * s;
        }
}

void expect_rope_half(struct numbers *a)
{
    rope(a, a[0].extent[3] / 2, 1);
}

void expect_rope_interleaved(struct numbers *a)
{
    rope(a, 1, 2);
}

// ---- Activations

static double silu(double x)
{
    return x / (1 + exp(-x));
}

static double gelu(double x)
{
    return 0.5 * x * erfc(-x * sqrt(0.5));
}

void expect_relu(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[1].at[i] = a[0].at[i] < 0 ? 0 : a[0].at[i];
}

void expect_gelu(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[1].at[i] = gelu(a[0].at[i]);
}

void expect_gelu_tanh(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++) {
        double x = a[0].at[i];
        a[1].at[i] = 0.5 * x * (1 + tanh(sqrt(2 / acos(-1)) * (x + 0.044715 * x * x * x)));
    }
}

void expect_swiglu(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[2].at[i] = silu(a[0].at[i]) * a[1].at[i];
}

void expect_geglu(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[2].at[i] = gelu(a[0].at[i]) * a[1].at[i];
}

void expect_silu_and_mul(struct numbers *a)
{
    int64_t n = a[1].extent[1];

    for (int64_t r = 0; r < a[1].extent[0]; r++)
        for (int64_t i = 0; i < n; i++)
            row_of(&a[1], r)[i] = silu(row_of(&a[0], r)[i]) * row_of(&a[0], r)[n + i];
}

// Computes the high and the low half of a product.
static void wide(uint32_t x, uint32_t y, uint32_t *high, uint32_t *low)
{
    *high = (uint32_t)((uint64_t)x * y >> 32);
    *low = x * y;
}

// Philox4x32-10, from Salmon and others, "Parallel random numbers: as easy as 1, 2, 3".
static void philox(uint64_t seed, uint64_t counter, uint32_t *out)
{
    uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32), high0, low0, high1, low1;

    out[0] = (uint32_t)counter;
    out[1] = (uint32_t)(counter >> 32);
    out[2] = out[3] = 0;
    for (int i = 0; i < 10; i++) {
        wide(0xD2511F53, out[0], &high0, &low0);
        wide(0xCD9E8D57, out[2], &high1, &low1);
        out[0] = high1 ^ out[1] ^ key0;
        out[1] = low1;
        out[2] = high0 ^ out[3] ^ key1;
        out[3] = low0;
        key0 += 0x9E3779B9;
        key1 += 0xBB67AE85;
    }
}

// Arguments: x, y, p, seed
void expect_dropout(struct numbers *a)
{
    uint32_t bits[4];

    for (int64_t i = 0; i < a[0].count; i++) {
        philox((uint64_t)a[3].at[0], (uint64_t)i / 4, bits);
        bool gone = (bits[i % 4] >> 8) * 0x1p-24 < a[2].at[0];
        a[1].at[i] = gone ? 0 : a[0].at[i] / (1 - a[2].at[0]);
    }
}

// ---- Kernels along the middle axis of [A, N, B]

static double *line_of(const struct numbers *x, int64_t i, int64_t *step)
{
    int64_t n = x->extent[1], b = x->extent[2];

    *step = b;
    return x->at + i / b * n * b + i % b;
}

static int64_t lines(const struct numbers *x)
{
    return x->extent[0] * x->extent[2];
}

void expect_sum_along(struct numbers *a)
{
    int64_t step;

    for (int64_t i = 0; i < lines(&a[0]); i++) {
        const double *x = line_of(&a[0], i, &step);
        a[1].at[i] = 0;
        for (int64_t n = 0; n < a[0].extent[1]; n++)
            a[1].at[i] += x[n * step];
    }
}

void expect_product_along(struct numbers *a)
{
    int64_t step;

    for (int64_t i = 0; i < lines(&a[0]); i++) {
        const double *x = line_of(&a[0], i, &step);
        a[1].at[i] = 1;
        for (int64_t n = 0; n < a[0].extent[1]; n++)
            a[1].at[i] *= x[n * step];
    }
}

void prepare_factors(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] = 1 + a[0].at[i] / 64;
}

// Arguments: x, low, low_at, high, high_at. A NaN counts only if there is nothing else.
void expect_extremes(struct numbers *a)
{
    int64_t step;

    for (int64_t i = 0; i < lines(&a[0]); i++) {
        const double *x = line_of(&a[0], i, &step);
        a[1].at[i] = a[3].at[i] = NAN;
        a[2].at[i] = a[4].at[i] = 0;
        for (int64_t n = 0; n < a[0].extent[1]; n++) {
            if (x[n * step] < a[1].at[i] || (isnan(a[1].at[i]) && !isnan(x[n * step]))) {
                a[1].at[i] = x[n * step];
                a[2].at[i] = (double)n;
            }
            if (x[n * step] > a[3].at[i] || (isnan(a[3].at[i]) && !isnan(x[n * step]))) {
                a[3].at[i] = x[n * step];
                a[4].at[i] = (double)n;
            }
        }
    }
}

void prepare_far(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] += 100;
}

// Arguments: x, mean, variance
void expect_variance(struct numbers *a)
{
    int64_t step, count = a[0].extent[1];
    double *x = calloc((size_t)count + 1, sizeof(*x));

    for (int64_t i = 0; x && i < lines(&a[0]); i++) {
        const double *from = line_of(&a[0], i, &step);
        for (int64_t n = 0; n < count; n++)
            x[n] = from[n * step];
        moments(x, count, &a[1].at[i], &a[2].at[i]);
    }
    free(x);
}

// Arguments: x, value, at
void expect_largest(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        a[1].at[r] = most_of(row_of(&a[0], r), a[0].extent[1]);
        a[2].at[r] = 0;
        while (row_of(&a[0], r)[(int64_t)a[2].at[r]] != a[1].at[r])
            a[2].at[r]++;
    }
}

void expect_sum_all(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[1].at[0] += a[0].at[i];
}

// ---- Scans

static void running(struct numbers *a, bool product, bool back)
{
    int64_t step, count = a[0].extent[1];

    for (int64_t i = 0; i < lines(&a[0]); i++) {
        const double *x = line_of(&a[0], i, &step);
        double *y = line_of(&a[1], i, &step), so_far = product;
        for (int64_t k = 0; k < count; k++) {
            int64_t n = back ? count - 1 - k : k;
            so_far = product ? so_far * x[n * step] : so_far + x[n * step];
            y[n * step] = so_far;
        }
    }
}

void expect_cumulative_sum(struct numbers *a)
{
    running(a, false, false);
}

void expect_cumulative_sum_back(struct numbers *a)
{
    running(a, false, true);
}

void expect_cumulative_product(struct numbers *a)
{
    running(a, true, false);
}

void prepare_gains(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] *= 0.45; // below 1, so that earlier elements fade
}

// Arguments: gain, x, h
void expect_recurrence(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        double h = 0;
        for (int64_t n = 0; n < a[0].extent[1]; n++)
            row_of(&a[2], r)[n] = h = row_of(&a[0], r)[n] * h + row_of(&a[1], r)[n];
    }
}

// Arguments: x, y
void expect_cumulative_rows(struct numbers *a)
{
    double so_far = 0;

    for (int64_t i = 0; i < a[0].count; i++) {
        if (i % a[0].extent[1] == 0)
            so_far = 0;
        a[1].at[i] = so_far += a[0].at[i];
    }
}

// Arguments: x, y, told, ticket. The last message of each tile holds 2 and the bits of the sum up
// to the tile's end.
static void long_sum(struct numbers *a, bool floats)
{
    int64_t tiles = a[2].count, length = 64; // the smallest BN in the table that suffices
    double so_far = 0;

    while (length * tiles < a[0].count)
        length *= 2;
    for (int64_t i = 0; i < a[0].count; i++) {
        a[1].at[i] = so_far += a[0].at[i];
        float number = (float)so_far;
        uint32_t bits = (uint32_t)(int32_t)so_far;
        if (floats)
            memcpy(&bits, &number, sizeof(bits));
        a[2].at[i / length] = 0x2p32 + bits;
    }
    a[3].at[0] = (double)tiles;
}

void expect_long_sum(struct numbers *a)
{
    long_sum(a, false);
}

void expect_long_sum_f32(struct numbers *a)
{
    long_sum(a, true);
}

// ---- Cross entropy

// Arguments: x, target, ... One row in four is ignored.
void prepare_targets(struct numbers *a)
{
    for (int64_t r = 0; r < a[1].count; r++) {
        int64_t columns = a[0].extent[1], t = (int64_t)kernel_random((uint64_t)columns);
        a[1].at[r] = (double)(r % 8 == 3 ? -100 : r % 8 == 6 ? columns : t);
    }
}

void prepare_targets_of_lowest(struct numbers *a)
{
    prepare_targets(a);
    prepare_lowest(a);
}

static bool counts(const struct numbers *a, int64_t r)
{
    return a[1].at[r] >= 0 && a[1].at[r] < (double)a[0].extent[1];
}

void prepare_lse(struct numbers *a)
{
    prepare_targets(a);
    for (int64_t r = 0; r < a[1].count; r++) {
        double most = most_of(row_of(&a[0], r), a[0].extent[1]);
        a[2].at[r] = most + log(sum_of_exp(row_of(&a[0], r), a[0].extent[1], most));
    }
}

// Arguments: x, target, loss, lse
void expect_cross_entropy(struct numbers *a)
{
    for (int64_t r = 0; r < a[1].count; r++) {
        double most = most_of(row_of(&a[0], r), a[0].extent[1]);
        a[3].at[r] = most + log(sum_of_exp(row_of(&a[0], r), a[0].extent[1], most));
        a[2].at[r] = counts(a, r) ? a[3].at[r] - row_of(&a[0], r)[(int64_t)a[1].at[r]] : 0;
    }
}

// Arguments: x, target, lse, dloss, dx
void expect_cross_entropy_gradient(struct numbers *a)
{
    for (int64_t r = 0; r < a[1].count; r++)
        for (int64_t i = 0; i < a[0].extent[1]; i++)
            row_of(&a[4], r)[i] =
                counts(a, r) ? (exp(row_of(&a[0], r)[i] - a[2].at[r]) - (a[1].at[r] == (double)i)) *
                                   a[3].at[r]
                             : 0;
}

// ---- Matrix products

// Multiplies row m of a by column n of b, each in either storage order.
static void multiply(struct numbers *a, bool turned_a, bool turned_b)
{
    int64_t rows = a[2].extent[0], columns = a[2].extent[1], depth = a[0].extent[!turned_a];

    for (int64_t m = 0; m < rows; m++)
        for (int64_t n = 0; n < columns; n++) {
            double sum = 0;
            for (int64_t k = 0; k < depth; k++)
                sum += a[0].at[turned_a ? k * rows + m : m * depth + k] *
                       a[1].at[turned_b ? n * depth + k : k * columns + n];
            a[2].at[m * columns + n] = sum;
        }
}

void expect_gemm_nn(struct numbers *a)
{
    multiply(a, false, false);
}

void expect_gemm_nt(struct numbers *a)
{
    multiply(a, false, true);
}

void expect_gemm_tn(struct numbers *a)
{
    multiply(a, true, false);
}

void expect_gemm_tt(struct numbers *a)
{
    multiply(a, true, true);
}

static void multiply_many(struct numbers *a, bool turned_a, bool turned_b)
{
    for (int64_t i = 0; i < a[2].extent[0]; i++) {
        struct numbers one[3];
        for (int n = 0; n < 3; n++) {
            int64_t each = a[n].extent[1] * a[n].extent[2];
            one[n] = (struct numbers){ .at = a[n].at + i * each,
                                       .count = each,
                                       .rank = 2,
                                       .extent = { a[n].extent[1], a[n].extent[2] } };
        }
        multiply(one, turned_a, turned_b);
    }
}

void expect_gemm_batched_nt(struct numbers *a)
{
    multiply_many(a, false, true);
}

void expect_gemm_batched_tn(struct numbers *a)
{
    multiply_many(a, true, false);
}

// Arguments: a, b, c, offs
static void multiply_groups(struct numbers *a, bool turned_b)
{
    int64_t depth = a[0].extent[1], columns = a[2].extent[1];

    for (int64_t g = 0; g + 1 < a[3].count; g++) {
        int64_t first = (int64_t)a[3].at[g], rows = (int64_t)a[3].at[g + 1] - first;
        struct numbers one[3] = {
            { .at = a[0].at + first * depth, .rank = 2, .extent = { rows, depth } },
            { .at = a[1].at + g * depth * columns, .rank = 2 },
            { .at = a[2].at + first * columns, .rank = 2, .extent = { rows, columns } },
        };
        multiply(one, false, turned_b);
    }
}

void expect_gemm_grouped_nn(struct numbers *a)
{
    multiply_groups(a, false);
}

void expect_gemm_grouped_nt(struct numbers *a)
{
    multiply_groups(a, true);
}

void prepare_groups(struct numbers *a)
{
    int64_t count = a[3].count - 1, rows = a[0].extent[0];

    // The middle group is empty, and the last group takes the remaining rows.
    a[3].at[0] = 0;
    for (int64_t g = 1; g < count; g++) {
        int64_t left = rows - (int64_t)a[3].at[g - 1];
        int64_t own = g == count / 2 ? 0 : (int64_t)kernel_random((uint64_t)left + 1);
        a[3].at[g] = a[3].at[g - 1] + (double)own;
    }
    a[3].at[count] = (double)rows;
}

// Arguments: a, b, bias, c
static void multiply_and(struct numbers *a, double (*what)(double))
{
    struct numbers plain[3] = { a[0], a[1], a[3] };
    int64_t columns = a[3].extent[1];

    multiply(plain, false, true);
    for (int64_t i = 0; i < a[3].count; i++)
        a[3].at[i] = what(a[3].at[i] + a[2].at[i % columns]);
}

static double gelu_tanh(double x)
{
    return x * (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))) / 2;
}

void expect_gemm_bias_gelu(struct numbers *a)
{
    multiply_and(a, gelu);
}

void expect_gemm_bias_gelu_tanh(struct numbers *a)
{
    multiply_and(a, gelu_tanh);
}

// Arguments: a, b, r, c, alpha, beta
void expect_gemm_residual(struct numbers *a)
{
    struct numbers plain[3] = { a[0], a[1], a[3] };

    multiply(plain, false, true);
    for (int64_t i = 0; i < a[3].count; i++)
        a[3].at[i] = a[3].at[i] * a[4].at[0] + a[2].at[i] * a[5].at[0];
}

// Arguments: a, b, rows, columns, c
void expect_gemm_scaled(struct numbers *a)
{
    struct numbers plain[3] = { a[0], a[1], a[4] };
    int64_t columns = a[4].extent[1];

    multiply(plain, false, true);
    for (int64_t i = 0; i < a[4].count; i++)
        a[4].at[i] *= a[2].at[i / columns] * a[3].at[i % columns];
}

void expect_gemm_silu(struct numbers *a)
{
    multiply(a, false, true);
    for (int64_t i = 0; i < a[2].count; i++)
        a[2].at[i] /= 1 + exp(-a[2].at[i]);
}

// Arguments: a, a factor for each row of a, b transposed, c
void expect_gemm_mixed(struct numbers *a)
{
    struct numbers one[] = { a[0], a[2], a[3] };
    int64_t depth = a[0].extent[1];
    double *scaled = malloc((size_t)(a[0].count + 1) * sizeof(*scaled));

    for (int64_t i = 0; scaled && i < a[0].count; i++)
        scaled[i] = a[0].at[i] * a[1].at[i / depth];
    one[0].at = scaled;
    if (scaled)
        multiply(one, false, true);
    free(scaled);
}

// ---- Attention. Arguments: q, k, v, o [.., S, D], lse, scale

static void attend(struct numbers *a, bool causal)
{
    int64_t heads = a[0].extent[1], queries = a[0].extent[2], depth = a[0].extent[3];
    int64_t shared = a[1].extent[1], keys = a[1].extent[2];
    double *p = calloc((size_t)keys + 1, sizeof(*p));

    for (int64_t row = 0; p && row < a[0].extent[0] * heads * queries; row++) {
        int64_t i = row % queries, head = row / queries % heads, batch = row / queries / heads;
        int64_t other = (batch * shared + head / (heads / shared)) * keys;
        int64_t seen = causal && i + keys - queries + 1 < keys ? i + keys - queries + 1 : keys;
        double top = -INFINITY, sum = 0;
        for (int64_t j = 0; j < seen; j++) {
            p[j] = 0;
            for (int64_t d = 0; d < depth; d++)
                p[j] += row_of(&a[0], row)[d] * row_of(&a[1], other + j)[d] * a[5].at[0];
            top = fmax(top, p[j]);
        }
        for (int64_t j = 0; j < seen; j++)
            sum += p[j] = exp(p[j] - top);
        for (int64_t d = 0; d < depth; d++) {
            double all = 0;
            for (int64_t j = 0; j < seen; j++)
                all += p[j] / sum * row_of(&a[2], other + j)[d];
            row_of(&a[3], row)[d] = all;
        }
        a[4].at[row] = seen > 0 ? top + log(sum) : -INFINITY;
    }
    free(p);
}

void expect_attention(struct numbers *a)
{
    attend(a, false);
}

void expect_attention_causal(struct numbers *a)
{
    attend(a, true);
}

// ---- Decoding. Arguments: q, k, v, o [B, H, .., D], part [S, G, D], lse [S, G], done, scale

enum { DECODE_BN = 32 }; // BN in the cases

// Attends from a query to keys and values, of which `row` has the rows. Returns the base-2
// logarithm of the sum of exponentials.
static double attend_to(double *out, const double *query, const struct numbers *keys,
                        const struct numbers *values, const int64_t *row, int64_t count,
                        double scale)
{
    int64_t depth = keys->extent[keys->rank - 1];
    double top = -INFINITY, sum = 0;

    memset(out, 0, (size_t)depth * sizeof(*out));
    for (int64_t j = 0; j < count; j++) {
        double p = 0;
        for (int64_t d = 0; d < depth; d++)
            p += query[d] * row_of(keys, row[j])[d] * scale;
        double fade = p > top ? exp(top - p) : 1;
        top = fmax(top, p);
        sum = sum * fade + exp(p - top);
        for (int64_t d = 0; d < depth; d++)
            out[d] = out[d] * fade + exp(p - top) * row_of(values, row[j])[d];
    }
    for (int64_t d = 0; d < depth && count; d++)
        out[d] /= sum;
    return (top + log(sum)) / log(2);
}

// Attends from query `row` of the group `of` to the keys from `begin` to `end`.
static double decode_keys(double *out, const struct numbers *a, int64_t row, int64_t of,
                          int64_t begin, int64_t end)
{
    int64_t keys = a[1].extent[2], count = (end < keys ? end : keys) - begin;
    int64_t *key = calloc((size_t)count + 1, sizeof(*key));

    for (int64_t j = 0; key && j < count; j++)
        key[j] = of * keys + begin + j;
    double log_sum = key ? attend_to(out, row_of(&a[0], row), &a[1], &a[2], key, count, a[7].at[0])
                         : NAN;
    free(key);
    return log_sum;
}

// The blocks share the tiles of all groups.
void expect_decode(struct numbers *a)
{
    int64_t queries = a[0].extent[2], keys = a[1].extent[2];
    int64_t groups = a[0].extent[0] * a[0].extent[1];
    int64_t turns = (keys + DECODE_BN - 1) / DECODE_BN, total = groups * turns;
    int64_t blocks = a[4].extent[0] - groups < total ? a[4].extent[0] - groups : total;

    for (int64_t row = 0; row < groups * queries; row++)
        decode_keys(row_of(&a[3], row), a, row, row / queries, 0, keys);
    for (int64_t p = 0; p < blocks; p++) {
        int64_t first = p * total / blocks, last = (p + 1) * total / blocks, next;
        for (int64_t tile = first; tile < last; tile = next) {
            int64_t of = tile / turns, begin = tile % turns;
            next = (of + 1) * turns < last ? (of + 1) * turns : last;
            for (int64_t g = 0; g < queries && next - tile < turns; g++) {
                int64_t at = (p + of) * queries + g;
                a[5].at[at] = decode_keys(row_of(&a[4], at), a, of * queries + g, of,
                                          begin * DECODE_BN, (begin + next - tile) * DECODE_BN);
            }
        }
    }
}

// Arguments: q, k, v, table [B, R], length [B], o, part [B, H, X, G, D], lse [B, H, X, G], done,
// scale. Keys and values are [P, S, H, D], or [P S, H, D] with S = PAGED_ROWS.

enum { PAGED_ROWS = 16 };

// Every page belongs to one sequence; sequences have different lengths, one of them none.
void prepare_decode_paged(struct numbers *a)
{
    int64_t size = a[1].rank == 4 ? a[1].extent[1] : PAGED_ROWS;
    int64_t pages = a[1].count / size / a[1].extent[a[1].rank - 2] / a[1].extent[a[1].rank - 1];

    for (int64_t i = 0; i < a[3].count; i++)
        a[3].at[i] = (double)((i * 7 + 3) % pages); // 7 divides no number of pages
    for (int64_t b = 0; b < a[4].count; b++)
        a[4].at[b] = b == 1 ? 0 : (double)(a[3].extent[1] * size - 3 * b);
}

void expect_decode_paged(struct numbers *a)
{
    int64_t heads = a[0].extent[1], queries = a[0].extent[2], blocks = a[6].extent[2];
    int64_t size = a[1].rank == 4 ? a[1].extent[1] : PAGED_ROWS, most = a[3].extent[1] * size;
    bool small = a[1].rank == 4 && a[1].extent[3] <= 64 && (size % 128 == 0 || 128 % size == 0);
    int64_t tile = small ? 128 : 64;
    int64_t *row = calloc((size_t)most + 1, sizeof(*row));

    for (int64_t i = 0; row && i < a[0].extent[0] * heads; i++) {
        int64_t b = i / heads, h = i % heads, keys = (int64_t)a[4].at[b];
        int64_t each = ((keys + tile - 1) / tile + blocks - 1) / blocks * tile;
        for (int64_t j = 0; j < keys; j++)
            row[j] = ((int64_t)row_of(&a[3], b)[j / size] * size + j % size) * heads + h;
        for (int64_t g = 0; g < queries; g++) {
            const double *query = row_of(&a[0], i * queries + g);
            (void)attend_to(row_of(&a[5], i * queries + g), query, &a[1], &a[2], row, keys,
                            a[9].at[0]);
            for (int64_t x = 0; x < blocks && blocks > 1; x++) {
                int64_t first = x * each < keys ? x * each : keys;
                int64_t end = first + each < keys ? first + each : keys;
                int64_t at = (i * blocks + x) * queries + g;
                a[7].at[at] = attend_to(row_of(&a[6], at), query, &a[1], &a[2], row + first,
                                        end - first, a[9].at[0]);
            }
        }
    }
    free(row);
}

// ---- Convolutions. Arguments: x [N, H, W, C], w [K, R, S, C], y [N, P, Q, K]
//
// Padded by half of R and S.

// Visits each product that contributes to y and its gradients.
static void convolve(const struct numbers *x, const struct numbers *w, const struct numbers *y,
                     int64_t stride, double *to, const double *left, const double *right, int which)
{
    const int64_t *xs = x->extent, *ws = w->extent, *ys = y->extent;

    for (int64_t i = 0; i < y->count * ws[1] * ws[2] * ws[3]; i++) {
        int64_t c = i % ws[3], s = i / ws[3] % ws[2], r = i / ws[3] / ws[2] % ws[1];
        int64_t out = i / ws[3] / ws[2] / ws[1], k = out % ys[3], q = out / ys[3] % ys[2];
        int64_t p = out / ys[3] / ys[2] % ys[1], n = out / ys[3] / ys[2] / ys[1];
        int64_t row = p * stride + r - ws[1] / 2, column = q * stride + s - ws[2] / 2;
        if (row < 0 || row >= xs[1] || column < 0 || column >= xs[2])
            continue;
        const int64_t at[] = { ((n * xs[1] + row) * xs[2] + column) * xs[3] + c,
                               ((k * ws[1] + r) * ws[2] + s) * ws[3] + c, out };
        to[at[which]] += left[at[which == 0]] * right[at[which == 2 ? 1 : 2]];
    }
}

static void convolve_forward(struct numbers *a, int64_t stride)
{
    memset(a[2].at, 0, (size_t)a[2].count * sizeof(double));
    convolve(&a[0], &a[1], &a[2], stride, a[2].at, a[0].at, a[1].at, 2);
}

void expect_conv(struct numbers *a)
{
    convolve_forward(a, 1);
}

void expect_conv_by_2(struct numbers *a)
{
    convolve_forward(a, 2);
}

// Computes y as [N P Q, K].
static void convolve_rows(struct numbers *a, int64_t stride)
{
    int64_t *y = a[2].extent, channels = y[1];

    y[0] = a[0].extent[0];
    y[1] = (a[0].extent[1] - 1) / stride + 1;
    y[2] = (a[0].extent[2] - 1) / stride + 1;
    y[3] = channels;
    convolve_forward(a, stride);
}

void expect_conv_rows(struct numbers *a)
{
    convolve_rows(a, 1);
}

void expect_conv_rows_by_2(struct numbers *a)
{
    convolve_rows(a, 2);
}

// dy, w, dx
void expect_conv_dx(struct numbers *a)
{
    memset(a[2].at, 0, (size_t)a[2].count * sizeof(double));
    convolve(&a[2], &a[1], &a[0], 1, a[2].at, a[1].at, a[0].at, 0);
}

// Arguments: dy, x, dw, which holds zeros
void expect_conv_dw(struct numbers *a)
{
    convolve(&a[1], &a[2], &a[0], 1, a[2].at, a[1].at, a[0].at, 1);
}

void expect_conv_dw_by_2(struct numbers *a)
{
    convolve(&a[1], &a[2], &a[0], 2, a[2].at, a[1].at, a[0].at, 1);
}
