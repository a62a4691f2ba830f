// Compares the references of gradients with finite differences of the references of the forward
// passes, so that a wrong formula shows even if kernel and reference agree.
#include "reference.h"

#include "base/array.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 10 };

// A family's forward pass, and its gradient. Both take the extents as digits per axis: "34" is a
// tensor of 3 x 4; "" a scalar.
static const struct gradient {
    const char *name;
    kernel_expect *forward, *backward, *finish;
    const char *extents[MOST], *backward_extents[MOST];
    int output;                  // the forward pass's result, whose gradient is given
    int given;                   // the gradient's parameter with dy
    int copied[MOST];            // for each parameter of `backward`: the forward pass's, or -1
    int inputs[3], gradients[3]; // differentiated inputs and their gradients; -1: none
    int summed[3];               // 1: the gradient is the sum along the first axis
    double scalar;               // the value of scalars, such as eps
} rows[] = {
    { "rms_norm",
      expect_rms_norm,
      expect_rms_norm_backward,
      NULL,
      { "35", "5", "35", "3", "" },
      { "35", "35", "5", "3", "35", "25" },
      2,
      0,
      { -1, 0, 1, 3, -1, -1 },
      { 0, 1, -1 },
      { 4, 5, -1 },
      { 0, 1, 0 },
      1e-5 },
    { "layer_norm",
      expect_layer_norm,
      expect_layer_norm_backward,
      NULL,
      { "35", "5", "5", "35", "3", "3", "" },
      { "35", "35", "5", "3", "3", "35", "25", "25" },
      3,
      0,
      { -1, 0, 1, 4, 5, -1, -1, -1 },
      { 0, 1, 2 },
      { 5, 6, 7 },
      { 0, 1, 1 },
      1e-5 },
    { "group_norm",
      expect_group_norm,
      expect_group_norm_backward,
      NULL,
      { "2324", "32", "32", "2324", "23", "23", "" },
      { "2324", "2324", "32", "23", "23", "2324", "232", "232" },
      3,
      0,
      { -1, 0, 1, 4, 5, -1, -1, -1 },
      { 0, 1, 2 },
      { 5, 6, 7 },
      { 0, 1, 1 },
      1e-5 },
    { "softmax",
      expect_softmax,
      expect_softmax_backward,
      NULL,
      { "35", "35" },
      { "35", "35", "35" },
      1,
      0,
      { -1, 1, -1 },
      { 0, -1, -1 },
      { 2, -1, -1 },
      { 0 },
      0 },
};

static void make(struct numbers *a, const char *const *extents, double scalar)
{
    for (int i = 0; i < MOST && extents[i]; i++) {
        a[i] = (struct numbers){ .count = 1 };
        for (const char *at = extents[i]; *at; at++) {
            a[i].extent[a[i].rank++] = *at - '0';
            a[i].count *= *at - '0';
        }
        a[i].at = calloc((size_t)a[i].count, sizeof(double));
        ck_assert_ptr_nonnull(a[i].at);
        for (int64_t j = 0; j < a[i].count; j++)
            a[i].at[j] = a[i].rank ? (double)kernel_random(1 << 20) * 0x1p-18 - 2 : scalar;
    }
}

static void drop(struct numbers *a)
{
    for (int i = 0; i < MOST; i++)
        free(a[i].at);
}

static double product(const struct numbers *x, const struct numbers *y)
{
    double sum = 0;

    for (int64_t i = 0; i < x->count; i++)
        sum += x->at[i] * y->at[i];
    return sum;
}

CASE("gradients");

TEST_ROWS(gradients_are_those_of_the_forward_pass, rows)
{
    const struct gradient *row = &rows[_i];
    struct numbers a[MOST] = { 0 }, b[MOST] = { 0 };
    const double h = 0x1p-16; // the error of a central difference is near h^2 and 2^-53 / h

    make(a, row->extents, row->scalar);
    make(b, row->backward_extents, row->scalar);
    row->forward(a);
    for (int i = 0; i < MOST && row->backward_extents[i]; i++)
        for (int64_t j = 0; row->copied[i] >= 0 && j < b[i].count; j++)
            b[i].at[j] = a[row->copied[i]].at[j];
    row->backward(b);
    for (int k = 0; k < 3 && row->inputs[k] >= 0; k++) {
        const struct numbers *x = &a[row->inputs[k]], *gradient = &b[row->gradients[k]];
        for (int64_t i = 0; i < x->count; i++) {
            double kept = x->at[i], got = 0;
            x->at[i] = kept + h;
            row->forward(a);
            double high = product(&a[row->output], &b[row->given]);
            x->at[i] = kept - h;
            row->forward(a);
            double low = product(&a[row->output], &b[row->given]);
            x->at[i] = kept;
            for (int64_t j = i; j < gradient->count;
                 j += row->summed[k] ? x->count : gradient->count)
                got += gradient->at[j];
            double want = (high - low) / (2 * h);
            ck_assert_msg(fabs(got - want) <= 1e-5 * (1 + fabs(want)),
                          "%s: gradient %d, element %d: got %.12g, expected %.12g", row->name, k,
                          (int)i, got, want);
        }
    }
    drop(a);
    drop(b);
}

int main(void)
{
    return run_tests("gradients");
}
