// Compares the references of gradients with finite differences of the references of the forward
// passes, so that a wrong formula shows even if kernel and reference agree.
#include "reference.h"

#include "base/array.h"
#include "testing.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 10 };

// Compositions of kernels, as training runs them.
static void project(struct numbers *a) // x w target loss
{
    double most[6], den[6], picked[6] = { 0 }, lse[6], words = (double)a[1].extent[0];
    struct numbers forward[] = { a[0],
                                 a[1],
                                 a[2],
                                 { .at = most, .count = 3, .extent = { 1, 3 }, .rank = 2 },
                                 { .at = den, .count = 3, .extent = { 1, 3 }, .rank = 2 },
                                 { .at = picked, .count = 3, .extent = { 3 }, .rank = 1 } };
    struct numbers combine[] = { a[2],
                                 forward[3],
                                 forward[4],
                                 forward[5],
                                 a[3],
                                 { .at = lse, .count = 3, .extent = { 3 }, .rank = 1 },
                                 { .at = &words, .count = 1 } };

    expect_linear_cross_entropy(forward);
    expect_linear_cross_entropy_loss(combine);
}

static void project_backward(struct numbers *a) // dloss x w target dx dw
{
    double lse[6], dz[64], first = 0, words = (double)a[2].extent[0];
    int64_t m = a[1].extent[0], v = a[2].extent[0];
    struct numbers z = { .at = dz, .count = m * v, .extent = { m, v }, .rank = 2 };
    struct numbers backward[] = { a[1],
                                  a[2],
                                  a[3],
                                  { .at = lse, .count = m, .extent = { m }, .rank = 1 },
                                  a[0],
                                  z,
                                  { .at = &first, .count = 1 },
                                  { .at = &words, .count = 1 } };
    struct numbers input[] = { z, a[2], a[4] }, weight[] = { z, a[1], a[5] };

    struct numbers copy = a[3];
    double targets[6];
    copy.at = targets;
    backward[2] = copy; // prepare_linear_backward() changes the targets
    prepare_linear_backward(backward);
    backward[2] = a[3];
    expect_linear_cross_entropy_backward(backward);
    expect_linear_cross_entropy_backward_input(input);
    expect_linear_cross_entropy_backward_weight(weight);
}

static void cross_entropy_backward(struct numbers *a) // dloss x target lse dx
{
    struct numbers backward[] = { a[1], a[2], a[3], a[0], a[4] };

    expect_cross_entropy_backward(backward);
}

static void give_targets(struct numbers *a)
{
    for (int i = 1; i < 3; i++)
        for (int64_t j = 0; j < a[i].count && a[i].rank == 1; j++)
            a[i].at[j] = j == 1 ? -100 : (double)j;
}

// A family's forward pass, and its gradient. Extents are one digit per axis: "34" is a tensor of
// 3 x 4, "" a scalar.
// clang-format off
static const struct gradient {
    const char *name;
    kernel_expect *forward, *backward;
    kernel_prepare *prepare; // changes the forward pass's arguments; NULL: none
    const char *extents[MOST], *backward_extents[MOST];
    int output;                  // the forward pass's result, of which parameter 0 of `backward` is the gradient
    int copied[MOST];            // for each parameter of `backward`: the forward pass's, or -1
    int inputs[3], gradients[3]; // differentiated arguments and their gradients; -1: none
    int summed[3];               // 1: the gradient is the sum along the first axis
    double scalar;               // the value of scalars, such as eps
} rows[] = {
    { "rms_norm", expect_rms_norm, expect_rms_norm_backward, NULL,
      { "35", "5", "35", "3", "" }, { "35", "35", "5", "3", "35", "25" },
      2, { -1, 0, 1, 3, -1, -1 }, { 0, 1, -1 }, { 4, 5, -1 }, { 0, 1, 0 }, 1e-5 },
    { "layer_norm", expect_layer_norm, expect_layer_norm_backward, NULL,
      { "35", "5", "5", "35", "3", "3", "" }, { "35", "35", "5", "3", "3", "35", "25", "25" },
      3, { -1, 0, 1, 4, 5, -1, -1, -1 }, { 0, 1, 2 }, { 5, 6, 7 }, { 0, 1, 1 }, 1e-5 },
    { "group_norm", expect_group_norm, expect_group_norm_backward, NULL,
      { "2324", "32", "32", "2324", "23", "23", "" }, { "2324", "2324", "32", "23", "23", "2324", "232", "232" },
      3, { -1, 0, 1, 4, 5, -1, -1, -1 }, { 0, 1, 2 }, { 5, 6, 7 }, { 0, 1, 1 }, 1e-5 },
    { "softmax", expect_softmax, expect_softmax_backward, NULL,
      { "35", "35" }, { "35", "35", "35" },
      1, { -1, 1, -1 }, { 0, -1, -1 }, { 2, -1, -1 }, { 0 }, 0 },
    { "swiglu", expect_swiglu, expect_swiglu_backward, NULL,
      { "35", "35", "35" }, { "35", "35", "35", "35", "35" },
      2, { -1, 0, 1, -1, -1 }, { 0, 1, -1 }, { 3, 4, -1 }, { 0 }, 0 },
    { "gelu", expect_gelu, expect_gelu_backward, NULL,
      { "75", "5", "75" }, { "75", "75", "5", "75", "25" },
      2, { -1, 0, 1, -1, -1 }, { 0, 1, -1 }, { 3, 4, -1 }, { 0, 1, 0 }, 0 },
    { "gelu tanh", expect_gelu_tanh, expect_gelu_tanh_backward, NULL,
      { "75", "5", "75" }, { "75", "75", "5", "75", "25" },
      2, { -1, 0, 1, -1, -1 }, { 0, 1, -1 }, { 3, 4, -1 }, { 0, 1, 0 }, 0 },
    { "rope", expect_rope, expect_rope_backward, NULL,
      { "1234", "32", "32", "1234" }, { "1234", "32", "32", "1234" },
      3, { -1, 1, 2, -1 }, { 0, -1, -1 }, { 3, -1, -1 }, { 0 }, 0 },
    { "rope interleaved", expect_rope_interleaved, expect_rope_interleaved_backward, NULL,
      { "1234", "32", "32", "1234" }, { "1234", "32", "32", "1234" },
      3, { -1, 1, 2, -1 }, { 0, -1, -1 }, { 3, -1, -1 }, { 0 }, 0 },
    { "cross_entropy", expect_cross_entropy, cross_entropy_backward, give_targets,
      { "35", "3", "3", "3" }, { "3", "35", "3", "3", "35" },
      2, { -1, 0, 1, 3, -1 }, { 0, -1, -1 }, { 4, -1, -1 }, { 0 }, 0 },
    { "linear_cross_entropy", project, project_backward, give_targets,
      { "34", "54", "3", "3" }, { "3", "34", "54", "3", "34", "54" },
      3, { -1, 0, 1, 2, -1, -1 }, { 0, 1, -1 }, { 4, 5, -1 }, { 0 }, 0 },
};
// clang-format on

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
    if (row->prepare)
        row->prepare(a);
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
            double high = product(&a[row->output], &b[0]);
            x->at[i] = kept - h;
            row->forward(a);
            double low = product(&a[row->output], &b[0]);
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
