// Activations, positions, embeddings, losses, the optimizer. See reference.h.
#include "reference.h"

#include <math.h>
#include <string.h>

static double *row_of(const struct numbers *x, int64_t r)
{
    return x->at + r * x->extent[x->rank - 1];
}

// ---- Activations

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

void expect_swiglu(struct numbers *a) // gate up y
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[2].at[i] = a[0].at[i] * sigmoid(a[0].at[i]) * a[1].at[i];
}

// Puts numbers far from 0 at the beginning of a[1], where the terms of a derivative have no limits
// of their own.
static void put_far(struct numbers *a, const double *far, int64_t count)
{
    for (int64_t i = 0; i < count && i < a[1].count; i++)
        a[1].at[i] = far[i];
}

void prepare_swiglu_backward(struct numbers *a)
{
    put_far(a, (const double[]){ -INFINITY, -3e38, -6e4, -2e3, 2e3, -90, 90 }, 7);
}

void prepare_gelu_backward(struct numbers *a)
{
    put_far(a, (const double[]){ INFINITY, -INFINITY, 3e38, -3e38, 6e4, -6e4, 20, -20 }, 8);
}

// Moves a number far from 0 to where a derivative has reached its limit.
static double nearer(double x)
{
    return fmin(fmax(x, -1e3), 1e3);
}

void expect_swiglu_backward(struct numbers *a) // dy gate up dgate dup
{
    for (int64_t i = 0; i < a[0].count; i++) {
        double g = fmax(a[1].at[i], -1e3), s = sigmoid(g);
        a[3].at[i] = a[0].at[i] * a[2].at[i] * s * (1 + g * (1 - s));
        a[4].at[i] = a[0].at[i] * g * s;
    }
}

static double gelu(double z)
{
    return z * (1 + erf(z / sqrt(2))) / 2;
}

static double gelu_tanh(double z)
{
    return z * (1 + tanh(sqrt(2 / acos(-1)) * (z + 0.044715 * z * z * z))) / 2;
}

static double gelu_slope(double z)
{
    z = nearer(z);
    return (1 + erf(z / sqrt(2))) / 2 + z * exp(-z * z / 2) / sqrt(2 * acos(-1));
}

static double gelu_tanh_slope(double z)
{
    z = nearer(z);
    double c = sqrt(2 / acos(-1)), t = tanh(c * (z + 0.044715 * z * z * z));

    return (1 + t) / 2 + z * (1 - t * t) * c * (1 + 3 * 0.044715 * z * z) / 2;
}

static void biased(struct numbers *a, double (*f)(double)) // x b y
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[2].at[i] = f(a[0].at[i] + a[1].at[i % a[1].count]);
}

static void biased_backward(struct numbers *a, double (*slope)(double)) // dy x b dx part
{
    int64_t n = a[2].count, groups = a[4].extent[0], tiles = (a[0].extent[0] + 3) / 4;
    int64_t rows = (tiles + groups - 1) / groups * 4; // of a group: tiles of 4

    for (int64_t i = 0; i < a[4].count; i++)
        a[4].at[i] = 0;
    for (int64_t i = 0; i < a[0].count; i++) {
        a[3].at[i] = a[0].at[i] * slope(a[1].at[i] + a[2].at[i % n]);
        row_of(&a[4], i / n / rows)[i % n] += a[3].at[i];
    }
}

void expect_gelu(struct numbers *a)
{
    biased(a, gelu);
}

void expect_gelu_tanh(struct numbers *a)
{
    biased(a, gelu_tanh);
}

void expect_gelu_backward(struct numbers *a)
{
    biased_backward(a, gelu_slope);
}

void expect_gelu_tanh_backward(struct numbers *a)
{
    biased_backward(a, gelu_tanh_slope);
}

// ---- Rotary embedding

static void rotate(struct numbers *a, bool interleaved, double sign) // x cosine sine y
{
    int64_t s = a[0].extent[2], d = a[0].extent[3], half = d / 2;

    for (int64_t i = 0; i < a[0].count; i += d)
        for (int64_t j = 0; j < half; j++) {
            int64_t u = i + (interleaved ? 2 * j : j), v = interleaved ? u + 1 : u + half;
            double c = row_of(&a[1], i / d % s)[j], t = sign * row_of(&a[2], i / d % s)[j];
            a[3].at[u] = a[0].at[u] * c - a[0].at[v] * t;
            a[3].at[v] = a[0].at[v] * c + a[0].at[u] * t;
        }
}

void expect_rope(struct numbers *a)
{
    rotate(a, false, 1);
}

void expect_rope_interleaved(struct numbers *a)
{
    rotate(a, true, 1);
}

void expect_rope_backward(struct numbers *a)
{
    rotate(a, false, -1);
}

void expect_rope_interleaved_backward(struct numbers *a)
{
    rotate(a, true, -1);
}

// ---- Embedding

// Ids from -1 to the table's rows, both of which are outside.
void prepare_ids(struct numbers *a)
{
    for (int64_t i = 0; i < a[0].count; i++)
        a[0].at[i] = (double)kernel_random((uint64_t)a[1].extent[0] + 2) - 1;
}

void prepare_sorted(struct numbers *a) // sorted order dy dtable
{
    int64_t words = a[3].extent[0], n = a[0].count, at = 0;
    double id[4096];

    for (int64_t i = 0; i < n; i++)
        id[i] = (double)kernel_random((uint64_t)words + 2) - 1;
    for (int64_t v = -1; v <= words; v++)
        for (int64_t i = 0; i < n; i++)
            if (id[i] == (double)v) {
                a[0].at[at] = (double)v;
                a[1].at[at++] = (double)i;
            }
}

void expect_embedding(struct numbers *a) // id table y
{
    for (int64_t i = 0; i < a[2].count; i++) {
        double v = a[0].at[i / a[2].extent[1]];
        a[2].at[i] = v >= 0 && v < (double)a[1].extent[0]
                         ? row_of(&a[1], (int64_t)v)[i % a[2].extent[1]]
                         : 0;
    }
}

void expect_embedding_backward(struct numbers *a) // sorted order dy dtable
{
    for (int64_t r = 0; r < a[0].count; r++)
        for (int64_t i = 0; i < a[2].extent[1]; i++)
            if (a[0].at[r] >= 0 && a[0].at[r] < (double)a[3].extent[0])
                row_of(&a[3], (int64_t)a[0].at[r])[i] += row_of(&a[2], (int64_t)a[1].at[r])[i];
}

// ---- Cross entropy

static double log_sum_exp(const double *x, int64_t n)
{
    double top = -INFINITY, sum = 0;

    for (int64_t i = 0; i < n; i++)
        top = fmax(top, x[i]);
    for (int64_t i = 0; i < n; i++)
        sum += exp(x[i] - top);
    return top + log(sum);
}

// Targets of -100 and of a word behind the last, and others.
static void make_targets(struct numbers *target, int64_t words)
{
    for (int64_t i = 0; i < target->count; i++)
        target->at[i] = i % 5 == 3   ? -100
                        : i % 7 == 6 ? (double)words
                                     : (double)kernel_random((uint64_t)words);
}

void prepare_targets(struct numbers *a)
{
    make_targets(&a[1], a[0].extent[1]);
}

void expect_cross_entropy(struct numbers *a) // x target loss lse
{
    int64_t n = a[0].extent[1];

    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        double t = a[1].at[r];
        a[3].at[r] = log_sum_exp(row_of(&a[0], r), n);
        a[2].at[r] = t >= 0 && t < (double)n ? a[3].at[r] - row_of(&a[0], r)[(int64_t)t] : 0;
    }
}

void prepare_cross_entropy_backward(struct numbers *a)
{
    prepare_targets(a);
    for (int64_t r = 0; r < a[0].extent[0]; r++)
        a[2].at[r] = log_sum_exp(row_of(&a[0], r), a[0].extent[1]);
}

void expect_cross_entropy_backward(struct numbers *a) // x target lse dloss dx
{
    int64_t n = a[0].extent[1];

    for (int64_t i = 0; i < a[0].count; i++) {
        int64_t r = i / n;
        double t = a[1].at[r], p = exp(a[0].at[i] - a[2].at[r]);
        a[4].at[i] = t >= 0 && t < (double)n ? (p - ((double)(i % n) == t)) * a[3].at[r] : 0;
    }
}

// ---- Cross entropy of a projection

static double logit(const struct numbers *x, const struct numbers *w, int64_t r, int64_t v)
{
    double sum = 0;

    for (int64_t i = 0; i < x->extent[1]; i++)
        sum += row_of(x, r)[i] * row_of(w, v)[i];
    return sum;
}

void prepare_linear_targets(struct numbers *a) // x w target most den picked
{
    make_targets(&a[2], a[1].extent[0]);
}

void expect_linear_cross_entropy(struct numbers *a)
{
    int64_t words = a[1].extent[0], tiles = a[3].extent[0];
    int64_t width = 256;

    for (int64_t r = 0; r < a[0].extent[0]; r++)
        for (int64_t p = 0; p < tiles; p++) {
            double z[256], top = -INFINITY, sum = 0;
            int64_t n = words - p * width < width ? words - p * width : width;
            for (int64_t i = 0; i < n; i++) {
                z[i] = logit(&a[0], &a[1], r, p * width + i);
                top = fmax(top, z[i]);
                if (a[2].at[r] == (double)(p * width + i))
                    a[5].at[r] = z[i];
            }
            for (int64_t i = 0; i < n; i++)
                sum += exp(z[i] - top);
            row_of(&a[3], p)[r] = top;
            row_of(&a[4], p)[r] = sum;
        }
}

// Sums are positive, and one tile holds no word with a probability.
void prepare_linear_loss(struct numbers *a) // target most den picked loss lse words
{
    make_targets(&a[0], (int64_t)a[6].at[0]);
    for (int64_t i = 0; i < a[2].count; i++)
        a[2].at[i] = 1 + fabs(a[2].at[i]);
    for (int64_t r = 0; r < a[0].count && a[1].extent[0] > 1; r++)
        a[1].at[r] = -200;
}

void expect_linear_cross_entropy_loss(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].count; r++) {
        double top = -INFINITY, sum = 0, t = a[0].at[r];
        for (int64_t p = 0; p < a[1].extent[0]; p++)
            top = fmax(top, row_of(&a[1], p)[r]);
        for (int64_t p = 0; p < a[1].extent[0]; p++)
            sum += row_of(&a[2], p)[r] * exp(row_of(&a[1], p)[r] - top);
        a[5].at[r] = top + log(sum);
        a[4].at[r] = t >= 0 && t < a[6].at[0] ? a[5].at[r] - a[3].at[r] : 0;
    }
}

void prepare_linear_backward(struct numbers *a) // x w target lse dloss dz first words
{
    double z[4096];

    make_targets(&a[2], (int64_t)a[7].at[0]);
    for (int64_t r = 0; r < a[0].extent[0]; r++) {
        for (int64_t v = 0; v < a[1].extent[0]; v++)
            z[v] = logit(&a[0], &a[1], r, v);
        a[3].at[r] = log_sum_exp(z, a[1].extent[0]);
    }
}

void expect_linear_cross_entropy_backward(struct numbers *a)
{
    for (int64_t r = 0; r < a[0].extent[0]; r++)
        for (int64_t v = 0; v < a[1].extent[0]; v++) {
            double t = a[2].at[r], p = exp(logit(&a[0], &a[1], r, v) - a[3].at[r]);
            bool counts = t >= 0 && t < a[7].at[0];
            row_of(&a[5], r)[v] = counts ? (p - (t == a[6].at[0] + (double)v)) * a[4].at[r] : 0;
        }
}

static void multiply(struct numbers *a, bool adds) // dz w dx
{
    for (int64_t i = 0; i < a[2].count; i++) {
        int64_t r = i / a[2].extent[1], d = i % a[2].extent[1];
        double sum = adds ? a[2].at[i] : 0;
        for (int64_t c = 0; c < a[0].extent[1]; c++)
            sum += row_of(&a[0], r)[c] * row_of(&a[1], c)[d];
        a[2].at[i] = sum;
    }
}

void expect_linear_cross_entropy_backward_input(struct numbers *a)
{
    multiply(a, false);
}

void expect_linear_cross_entropy_backward_input_added(struct numbers *a)
{
    multiply(a, true);
}

void expect_linear_cross_entropy_backward_weight(struct numbers *a) // dz x dw
{
    for (int64_t i = 0; i < a[2].count; i++) {
        int64_t c = i / a[2].extent[1], d = i % a[2].extent[1];
        double sum = 0;
        for (int64_t r = 0; r < a[0].extent[0]; r++)
            sum += row_of(&a[0], r)[c] * row_of(&a[1], r)[d];
        a[2].at[i] = sum;
    }
}

// ---- AdamW

enum { CHUNK = 64 }; // the constant BN of the cases

// Parameters of 1, 7, 64, 65, ... elements with gaps between them, in another order for each array.
void prepare_adamw(struct numbers *a)
{
    // p g m v table first chunks lr beta1 beta2 eps decay correction1 correction2
    static const int64_t lengths[] = { 65, 1, 64, 7, 129, 128, 3 };
    int64_t count = a[5].count, chunk = 0;

    for (int64_t k = 0; k < count; k++) {
        double *row = row_of(&a[4], k);
        int64_t length = lengths[k % 7];
        for (int64_t j = 0; j < 4; j++)
            row[j] = (double)(136 * ((k * (j == 1 ? 3 : 1) + j) % count)); // a multiple of ALIGN
        row[4] = (double)length;
        a[5].at[k] = (double)chunk;
        chunk += (length + CHUNK - 1) / CHUNK;
    }
    a[6].at[0] = (double)chunk;
    for (int64_t i = 0; i < a[3].count; i++)
        a[3].at[i] = fabs(a[3].at[i]);
}

void expect_adamw(struct numbers *a)
{
    double lr = a[7].at[0], beta1 = a[8].at[0], beta2 = a[9].at[0], eps = a[10].at[0];

    for (int64_t k = 0; k < a[5].count; k++) {
        const double *row = row_of(&a[4], k);
        for (int64_t i = 0; i < (int64_t)row[4]; i++) {
            double *p = &a[0].at[(int64_t)row[0] + i], g = a[1].at[(int64_t)row[1] + i];
            double *m = &a[2].at[(int64_t)row[2] + i], *v = &a[3].at[(int64_t)row[3] + i];
            *m = beta1 * *m + (1 - beta1) * g;
            *v = beta2 * *v + (1 - beta2) * g * g;
            *p = *p * (1 - lr * a[11].at[0]) -
                 lr * (*m / a[12].at[0]) / (sqrt(*v / a[13].at[0]) + eps);
        }
    }
}
