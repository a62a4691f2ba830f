// Normalizations and softmax. See reference.h.
#include "reference.h"

#include <math.h>

static const double eps = 1e-5; // in the cases of gradients, whose kernels take no eps

static double *row_of(const struct numbers *x, int64_t r)
{
    return x->at + r * x->extent[x->rank - 1];
}

// ---- RMS norm

static double rms_scale(const double *x, int64_t n, double e)
{
    double squares = 0;

    for (int64_t i = 0; i < n; i++)
        squares += x[i] * x[i];
    return 1 / sqrt(squares / (double)n + e);
}

void expect_rms_norm(struct numbers *a) // x w y rstd eps
{
    int64_t n = a[0].extent[1];

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        a[3].at[r] = rms_scale(row_of(&a[0], r), n, a[4].at[0]);
        for (int64_t i = 0; i < n; i++)
            row_of(&a[2], r)[i] = row_of(&a[0], r)[i] * a[3].at[r] * a[1].at[i];
    }
}

void prepare_rms_norm_backward(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].extent[0]; r++)
        a[3].at[r] = rms_scale(row_of(&a[1], r), a[1].extent[1], eps);
}

// The rows of a block: `rows` adjacent ones.
static int64_t block_of(int64_t row, int64_t rows, int64_t blocks)
{
    return row / ((rows + blocks - 1) / blocks);
}

void expect_rms_norm_backward(struct numbers *a) // dy x w rstd dx part
{
    int64_t m = a[0].extent[0], n = a[0].extent[1], blocks = a[5].extent[0];

    for (int64_t i = 0; i < a[5].count; i++)
        a[5].at[i] = 0;
    for (int64_t r = 0; r < m; r++) {
        const double *dy = row_of(&a[0], r), *x = row_of(&a[1], r), *w = a[2].at;
        double s = a[3].at[r], mean = 0, *part = row_of(&a[5], block_of(r, m, blocks));
        for (int64_t i = 0; i < n; i++)
            mean += dy[i] * w[i] * x[i] * s / (double)n;
        for (int64_t i = 0; i < n; i++) {
            part[i] += dy[i] * x[i] * s;
            row_of(&a[4], r)[i] = s * (dy[i] * w[i] - x[i] * s * mean);
        }
    }
}

static void sum_rows(struct numbers *to, const struct numbers *from)
{
    for (int64_t i = 0; i < to->count; i++) {
        to->at[i] = 0;
        for (int64_t r = 0; r < from->extent[0]; r++)
            to->at[i] += row_of(from, r)[i];
    }
}

void expect_rms_norm_backward_weight(struct numbers *a) // part dw
{
    sum_rows(&a[1], &a[0]);
}

// ---- Layer norm

static void moments(const double *x, int64_t n, double *mean, double *variance)
{
    *mean = *variance = 0;
    for (int64_t i = 0; i < n; i++)
        *mean += x[i] / (double)n;
    for (int64_t i = 0; i < n; i++)
        *variance += (x[i] - *mean) * (x[i] - *mean) / (double)n;
}

void expect_layer_norm(struct numbers *a) // x w b y mean rstd eps
{
    int64_t n = a[0].extent[1];
    double variance;

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        moments(row_of(&a[0], r), n, &a[4].at[r], &variance);
        a[5].at[r] = 1 / sqrt(variance + a[6].at[0]);
        for (int64_t i = 0; i < n; i++)
            row_of(&a[3], r)[i] = (row_of(&a[0], r)[i] - a[4].at[r]) * a[5].at[r] * a[1].at[i] +
                                  a[2].at[i];
    }
}

void prepare_layer_norm_backward(struct numbers *a)
{
    double variance;

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        moments(row_of(&a[1], r), a[1].extent[1], &a[3].at[r], &variance);
        a[4].at[r] = 1 / sqrt(variance + eps);
    }
}

void expect_layer_norm_backward(struct numbers *a) // dy x w mean rstd dx part_w part_b
{
    int64_t m = a[0].extent[0], n = a[0].extent[1], blocks = a[6].extent[0];

    for (int64_t i = 0; i < a[6].count; i++)
        a[6].at[i] = a[7].at[i] = 0;
    for (int64_t r = 0; r < m; r++) {
        const double *dy = row_of(&a[0], r), *x = row_of(&a[1], r), *w = a[2].at;
        double mean = a[3].at[r], s = a[4].at[r], of_g = 0, of_gn = 0;
        int64_t block = block_of(r, m, blocks);
        for (int64_t i = 0; i < n; i++) {
            of_g += dy[i] * w[i] / (double)n;
            of_gn += dy[i] * w[i] * (x[i] - mean) * s / (double)n;
        }
        for (int64_t i = 0; i < n; i++) {
            double normal = (x[i] - mean) * s;
            row_of(&a[6], block)[i] += dy[i] * normal;
            row_of(&a[7], block)[i] += dy[i];
            row_of(&a[5], r)[i] = s * (dy[i] * w[i] - of_g - normal * of_gn);
        }
    }
}

void expect_layer_norm_backward_weight(struct numbers *a) // part_w part_b dw db
{
    sum_rows(&a[2], &a[0]);
    sum_rows(&a[3], &a[1]);
}

// ---- Group norm

void expect_group_norm(struct numbers *a) // x w b y mean rstd eps
{
    int64_t groups = a[0].extent[1], k = a[0].extent[2], s = a[0].extent[3];
    double variance;

    for (int64_t i = 0; i < a[0].extent[0] * groups; i++) {
        const double *x = a[0].at + i * k * s;
        moments(x, k * s, &a[4].at[i], &variance);
        a[5].at[i] = 1 / sqrt(variance + a[6].at[0]);
        for (int64_t j = 0; j < k * s; j++) {
            int64_t channel = i % groups * k + j / s;
            a[3].at[i * k * s + j] = (x[j] - a[4].at[i]) * a[5].at[i] * a[1].at[channel] +
                                     a[2].at[channel];
        }
    }
}

void prepare_group_norm_backward(struct numbers *a)
{
    int64_t n = a[1].extent[2] * a[1].extent[3];
    double variance;

    for (int64_t i = 0; i < a[3].count; i++) {
        moments(a[1].at + i * n, n, &a[3].at[i], &variance);
        a[4].at[i] = 1 / sqrt(variance + eps);
    }
}

void expect_group_norm_backward(struct numbers *a) // dy x w mean rstd dx part_w part_b
{
    int64_t groups = a[0].extent[1], k = a[0].extent[2], s = a[0].extent[3];

    for (int64_t i = 0; i < a[6].count; i++)
        a[6].at[i] = a[7].at[i] = 0;
    for (int64_t i = 0; i < a[0].extent[0] * groups; i++) {
        const double *dy = a[0].at + i * k * s, *x = a[1].at + i * k * s;
        const double *w = a[2].at + i % groups * k;
        double mean = a[3].at[i], r = a[4].at[i], of_g = 0, of_gn = 0;
        for (int64_t j = 0; j < k * s; j++) {
            double g = dy[j] * w[j / s], normal = (x[j] - mean) * r;
            of_g += g / (double)(k * s);
            of_gn += g * normal / (double)(k * s);
            a[6].at[i * k + j / s] += dy[j] * normal;
            a[7].at[i * k + j / s] += dy[j];
        }
        for (int64_t j = 0; j < k * s; j++)
            a[5].at[i * k * s + j] = r * (dy[j] * w[j / s] - of_g - (x[j] - mean) * r * of_gn);
    }
}

// ---- Softmax

static void softmax_row(double *y, const double *x, int64_t n)
{
    double top = -INFINITY, sum = 0;

    for (int64_t i = 0; i < n; i++)
        top = fmax(top, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i] - top);
    for (int64_t i = 0; i < n; i++)
        y[i] = exp(x[i] - top) / sum;
}

void expect_softmax(struct numbers *a) // x y
{
    for (int64_t r = 0; r < a[0].extent[0]; r++)
        softmax_row(row_of(&a[1], r), row_of(&a[0], r), a[0].extent[1]);
}

// y as softmax computes it, of the numbers that y holds.
void prepare_softmax_backward(struct numbers *a)
{
    for (int64_t r = 0; r < a[1].extent[0]; r++)
        softmax_row(row_of(&a[1], r), row_of(&a[1], r), a[1].extent[1]);
}

void expect_softmax_backward(struct numbers *a) // dy y dx
{
    int64_t n = a[0].extent[1];

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        const double *dy = row_of(&a[0], r), *y = row_of(&a[1], r);
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += dy[i] * y[i];
        for (int64_t i = 0; i < n; i++)
            row_of(&a[2], r)[i] = y[i] * (dy[i] - sum);
    }
}
