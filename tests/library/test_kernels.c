// Tests the kernels of the library (share/kernels) against their references.
#include "base/array.h"
#include "reference.h"
#include "tests.h"

#include <string.h>

// As in tests/tile/test_kernels.c, these count as steps: 4 for exp and log, 8 for erf and tanh, and 1
// for other functions and operations; the magnitude of an argument of exp; for a sum, 1 for each
// element of a thread and log2 of the number of threads. Elements are random, from -2 to 2.
#define EXACT 0, 0

// clang-format off
static const struct kernel_case rows[] = {
    // RMS norm. The sum of squares has relative errors only. Rows of a constant length in registers,
    // and longer ones (BN below N), which are read twice; also fewer rows than blocks.
    { "rms_norm", "rms_norm", "f32 f16 bf16", "N=1000", "M=5 eps=1e-5", "rroo-", NULL, expect_rms_norm, 24, 0, NULL },
    { "rms_norm", "rms_norm", "f32", "N=1", "M=3 eps=0.5; M=0 eps=1", "rroo-", NULL, expect_rms_norm, 24, 0, NULL },
    { "rms_norm", "rms_norm", "bf16", "N=520 W=f32 BN=128", "M=3 eps=1e-5", "rroo-", NULL, expect_rms_norm, 24, 0, NULL },
    // dx is a difference of numbers below rstd * |dy w| + ... < 8, and a partial sum adds up to 4 rows of 4.
    { "rms_norm", "rms_norm_backward", "f32 f16 bf16", "N=250", "M=7 G=3; M=1 G=2; M=2 G=1",
      "rrrroo", prepare_rms_norm_backward, expect_rms_norm_backward, 32, 32, NULL },
    { "rms_norm", "rms_norm_backward", "bf16", "N=1024 W=f32", "M=5 G=2", "rrrroo", prepare_rms_norm_backward, expect_rms_norm_backward, 32, 32, "da" },
    { "rms_norm", "rms_norm_backward", "f32 bf16", "N=300 BN=128", "M=5 G=2; M=1 G=2", "rrrroo", prepare_rms_norm_backward, expect_rms_norm_backward, 32, 32, NULL },
    // Sums of 37 multiples of 2^-18 below 2 are exact.
    { "rms_norm", "rms_norm_backward_weight", "f32 bf16", NULL, "G=1 N=250; G=37 N=70", "ro", NULL, expect_rms_norm_backward_weight, EXACT, NULL },

    // Layer norm. The mean has an error of 20 steps of 2, which all differences share; rstd is below 8 in
    // these cases.
    { "layer_norm", "layer_norm", "f32 f16 bf16", "N=1000", "M=3 eps=1e-5", "rrrooo-", NULL, expect_layer_norm, 64, 8, NULL },
    { "layer_norm", "layer_norm", "f32 bf16", "N=1", "M=3 eps=0.5; M=0 eps=1", "rrrooo-", NULL, expect_layer_norm, 64, 8, NULL },
    { "layer_norm", "layer_norm", "f32 bf16", "N=520 W=f32 BN=128", "M=3 eps=1e-5", "rrrooo-", NULL, expect_layer_norm, 64, 8, NULL },
    { "layer_norm", "layer_norm_backward", "f32 f16 bf16", "N=250", "M=7 G=3; M=1 G=2",
      "rrrrrooo", prepare_layer_norm_backward, expect_layer_norm_backward, 64, 32, NULL },
    { "layer_norm", "layer_norm_backward", "bf16", "N=1024 W=f32", "M=5 G=2", "rrrrrooo", prepare_layer_norm_backward, expect_layer_norm_backward, 64, 32, "da" },
    { "layer_norm", "layer_norm_backward", "f32 bf16", "N=300 BN=128", "M=5 G=2", "rrrrrooo", prepare_layer_norm_backward, expect_layer_norm_backward, 64, 32, NULL },
    { "layer_norm", "layer_norm_backward_weight", "f32 bf16", NULL, "G=1 N=250; G=37 N=70", "rroo", NULL, expect_layer_norm_backward_weight, EXACT, NULL },

    // Group norm: groups of one element, of one channel, ragged in both axes.
    { "group_norm", "group_norm", "f32 f16 bf16", "BS=64", "B=2 G=3 K=6 S=100 eps=1e-5; B=1 G=2 K=1 S=1 eps=0.5; B=3 G=1 K=4 S=64 eps=1e-5",
      "rrrooo-", NULL, expect_group_norm, 64, 8, NULL },
    { "group_norm", "group_norm", "bf16", "W=f32", "B=1 G=2 K=3 S=1100 eps=1e-5", "rrrooo-", NULL, expect_group_norm, 64, 8, "da" },
    { "group_norm", "group_norm_backward", "f32 f16 bf16", "BS=64", "B=2 G=3 K=6 S=100; B=1 G=2 K=5 S=3",
      "rrrrrooo", prepare_group_norm_backward, expect_group_norm_backward, 64, 64, NULL },
    { "group_norm", "group_norm_backward", "bf16", "W=f32", "B=1 G=2 K=3 S=1100",
      "rrrrrooo", prepare_group_norm_backward, expect_group_norm_backward, 64, 128, "da" },
    { "group_norm", "group_norm_backward_weight", "f32 bf16", NULL, "B=1 C=250; B=37 C=70", "rroo", NULL, expect_layer_norm_backward_weight, EXACT, NULL },

    // Softmax: exp of at most 4 counts 4 + 4, a sum of 1000 elements by 128 threads 7 + 8, then the division;
    // in a longer row each of 8 steps may rescale the sum.
    { "softmax", "softmax", "f32 f16 bf16", "N=781", "M=3; M=0", "ro", NULL, expect_softmax, 32, 0, NULL },
    { "softmax", "softmax", "f32", "N=1", "M=3", "ro", NULL, expect_softmax, 32, 0, NULL },
    { "softmax", "softmax", "f32 bf16", "N=781 BN=128", "M=3", "ro", NULL, expect_softmax, 24 + 9 * 9, 0, NULL },
    { "softmax", "softmax_backward", "f32 f16 bf16", "N=781", "M=3; M=0", "rro", prepare_softmax_backward, expect_softmax_backward, 24, 1, NULL },
    { "softmax", "softmax_backward", "f32 bf16", "N=781 BN=128", "M=3", "rro", prepare_softmax_backward, expect_softmax_backward, 24, 1, NULL },
};
// clang-format on

static const char *only; // run the rows of this file or kernel
static bool assembles;

static bool is_chosen(int i)
{
    return !only || strcmp(only, rows[i].file) == 0 || strcmp(only, rows[i].kernel) == 0;
}

static void add_kernels(TCase *tcase, const TTest *ttest)
{
    for (int i = 0; i < CUC_LENGTH(rows); i++)
        if (!assembles && is_chosen(i))
            tcase_add_loop_test(tcase, ttest, i, i + 1);
}

CASE("kernels", .timeout = 120);

TEST_ADDED(the_kernel_does_what_its_reference_does_in_every_layout, add_kernels(tcase, ttest))
{
    kernel_start();
    kernel_check(&rows[_i]);
    kernel_stop();
}

static const char *const archs[] = { "sm_80", "sm_90a", "sm_100a" };

// Adds one test for each file.
static void add_files(TCase *tcase, const TTest *ttest)
{
    for (int i = 0; i < CUC_LENGTH(rows); i++)
        if (assembles && is_chosen(i) && (i == 0 || strcmp(rows[i - 1].file, rows[i].file) != 0))
            tcase_add_loop_test(tcase, ttest, i, i + 1);
}

TEST_ADDED(every_kernel_assembles_for_every_architecture, add_files(tcase, ttest))
{
    const struct kernel_case *row = &rows[_i];
    struct kernel_case as_it_is = { .file = row->file, .kernel = row->kernel, .fill = row->fill };
    long spills;

    for (size_t i = 0; i < CUC_LENGTH(archs); i++)
        kernel_assemble(&as_it_is, archs[i], &spills);
}

// Arguments: --assemble, and the name of a file or kernel.
int main(int argc, char **argv)
{
    assembles = argc > 1 && strcmp(argv[1], "--assemble") == 0;
    if (argc > 1 + assembles)
        only = argv[1 + assembles];
    return run_tests("library kernels");
}
