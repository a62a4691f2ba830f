// Tests the kernels of the library (share/kernels) against their references.
#include "base/array.h"
#include "reference.h"
#include "tests.h"

#include <string.h>

// As in tests/tile/test_kernels.c, these count as steps: 4 for exp and log, 8 for erf and tanh, and
// 1 for other functions and operations; the magnitude of an argument of exp; for a sum, 1 for each
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

    // Activations
    { "swiglu", "swiglu", "f32 f16 bf16", "BN=256", "M=1 N=1; M=5 N=700; M=0 N=8", "rro", NULL, expect_swiglu, 16, 0, NULL },
    { "swiglu", "swiglu", "bf16", NULL, "M=9 N=2048", "rro", NULL, expect_swiglu, 16, 0, "da" },
    { "swiglu", "swiglu_backward", "f32 f16 bf16", "BN=256", "M=1 N=1; M=5 N=700", "rrroo", prepare_swiglu_backward, expect_swiglu_backward, 24, 4, NULL },
    { "gelu", "gelu", "f32 f16 bf16", "BN=256", "M=1 N=1; M=5 N=700; M=0 N=8", "rro", NULL, expect_gelu, 20, 4, NULL }, // 1 + erf cancels to 0
    { "gelu", "gelu", "bf16 f32", "BN=256 W=f32 TANH=true", "M=1 N=1; M=5 N=700", "rro", NULL, expect_gelu_tanh, 20, 4, NULL },
    // A partial sum adds up to 16 gradients of at most 2.3.
    { "gelu", "gelu_backward", "f32 f16 bf16", "BN=256", "M=1 N=1 G=2; M=21 N=300 G=3", "rrroo", prepare_gelu_backward, expect_gelu_backward, 40, 8, NULL },
    { "gelu", "gelu_backward", "bf16 f32", "BN=256 W=f32 TANH=true", "M=21 N=300 G=2", "rrroo", prepare_gelu_backward, expect_gelu_tanh_backward, 40, 8, NULL },
    { "gelu", "gelu_backward_bias", "f32 bf16", NULL, "G=1 N=250; G=37 N=70", "ro", NULL, expect_rms_norm_backward_weight, EXACT, NULL },

    // Rotary embedding: two products and their sum, each up to 4 in magnitude.
    { "rope", "rope", "f32 f16 bf16", "D=64", "B=2 H=3 S=1; B=1 H=2 S=45", "rrro", NULL, expect_rope, 3, 4, NULL },
    { "rope", "rope", "bf16 f32", "D=64 INTERLEAVED=true", "B=1 H=2 S=45", "rrro", NULL, expect_rope_interleaved, 3, 4, NULL },
    { "rope", "rope_backward", "f32 bf16", "D=96", "B=1 H=2 S=45", "rrro", NULL, expect_rope_backward, 3, 4, NULL },
    { "rope", "rope_backward", "bf16 f32", "D=64 INTERLEAVED=true", "B=1 H=2 S=45", "rrro", NULL, expect_rope_interleaved_backward, 3, 4, NULL },

    // Embedding: sums of multiples of 2^-18 are exact in f32.
    { "embedding", "embedding", "f32 f16 bf16", NULL, "R=1 V=1 D=1; R=21 V=30 D=700", "rro", prepare_ids, expect_embedding, EXACT, NULL },
    { "embedding", "embedding", "bf16", "I=i32", "R=21 V=30 D=520", "rro", prepare_ids, expect_embedding, EXACT, "da" },
    { "embedding", "embedding_backward", "f32 bf16", "BD=256", "R=1 V=1 D=1; R=40 V=12 D=300", "rrrz", prepare_sorted, expect_embedding_backward, EXACT, NULL },
    { "embedding", "embedding_backward", "bf16", "I=i32 G=f32", "R=40 V=12 D=520", "rrrz", prepare_sorted, expect_embedding_backward, EXACT, "da" },

    // Cross entropy: as softmax, and the logarithm.
    { "cross_entropy", "cross_entropy", "f32 f16 bf16", "BN=128", "M=1 V=1; M=8 V=781; M=3 V=4", "rroo", prepare_targets, expect_cross_entropy, 24 + 9 * 9, 4, NULL },
    { "cross_entropy", "cross_entropy", "bf16", NULL, "M=3 V=5000", "rroo", prepare_targets, expect_cross_entropy, 64, 8, "da" },
    { "cross_entropy", "cross_entropy_backward", "f32 f16 bf16", "BN=128", "M=1 V=1; M=8 V=781", "rrrro", prepare_cross_entropy_backward, expect_cross_entropy_backward, 24, 2, NULL },

    // A logit is a sum of D products, of at most 4 each, so it has an error of D steps of 4 D; that is
    // also the relative error of its exponential.
    { "linear_cross_entropy", "linear_cross_entropy", "bf16 f16", NULL, "M=5 D=24 V=7 P=1; M=130 D=24 V=300 P=2", "rrrooz", prepare_linear_targets, expect_linear_cross_entropy, 24 * 96, 8, "daos" },
    { "linear_cross_entropy", "linear_cross_entropy", "f32", NULL, "M=5 D=17 V=300 P=2", "rrrooz", prepare_linear_targets, expect_linear_cross_entropy, 17 * 68, 8, NULL },
    { "linear_cross_entropy", "linear_cross_entropy_loss", NULL, NULL, "M=1 P=1 words=5; M=40 P=70 words=9", "rrrroo-", prepare_linear_loss, expect_linear_cross_entropy_loss, 64, 16, NULL },
    { "linear_cross_entropy", "linear_cross_entropy_backward", "bf16 f16", NULL, "M=5 D=24 C=7 first=3 words=12; M=130 D=24 C=300 first=0 words=300", "rrrrro--", prepare_linear_backward, expect_linear_cross_entropy_backward, 24 * 96, 2, "daos" },
    { "linear_cross_entropy", "linear_cross_entropy_backward", "f32", NULL, "M=5 D=17 C=40 first=8 words=48", "rrrrro--", prepare_linear_backward, expect_linear_cross_entropy_backward, 17 * 68, 2, NULL },
    { "linear_cross_entropy", "linear_cross_entropy_backward_input", "bf16 f16", NULL, "M=5 C=24 D=72; M=130 C=70 D=300", "rro", NULL, expect_linear_cross_entropy_backward_input, 70, 280, "daos" },
    { "linear_cross_entropy", "linear_cross_entropy_backward_input", "bf16", "ADD=true", "M=130 C=72 D=304", "rrr", NULL, expect_linear_cross_entropy_backward_input_added, 70, 280, "daos" },
    { "linear_cross_entropy", "linear_cross_entropy_backward_weight", "bf16 f16 f32", NULL, "M=5 C=24 D=72; M=70 C=130 D=300", "rro", NULL, expect_linear_cross_entropy_backward_weight, 70, 280, "daos" },

    // AdamW: the division and the root count 1 each; m / correction1 is below 20 and sqrt(v / correction2) above eps.
    { "adamw", "adamw", "f32 bf16", "BN=64", "P=952 Q=952 R=952 S=952 K=7 chunks=11 lr=0.01 beta1=0.9 beta2=0.999 eps=0.1 decay=0.1 correction1=0.1 correction2=0.001",
      "rrrrrr--------", prepare_adamw, expect_adamw, 32, 4, NULL },
    { "adamw", "adamw", "f32", "BN=64 G=bf16 ALIGN=1", "P=136 Q=136 R=136 S=136 K=1 chunks=2 lr=0.5 beta1=0.5 beta2=0.75 eps=0.125 decay=0 correction1=0.75 correction2=0.875",
      "rrrrrr--------", prepare_adamw, expect_adamw, 32, 4, NULL },
};
// clang-format on

static const char *only; // run the rows of this file or kernel
static bool assembles, every_arch;

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

// By default a file is assembled for sm_90a, which has code of its own, and for one of the others:
// their code differs in a few instructions, which test_emit assembles for both.
static const char *const archs[] = { "sm_90a", "sm_80", "sm_100a" };

static bool is_first_of_file(int row)
{
    for (int i = 0; i < row; i++)
        if (strcmp(rows[i].file, rows[row].file) == 0)
            return false;
    return true;
}

// Adds one test for each file.
static void add_files(TCase *tcase, const TTest *ttest)
{
    for (int i = 0; i < CUC_LENGTH(rows); i++)
        if (assembles && is_chosen(i) && is_first_of_file(i))
            tcase_add_loop_test(tcase, ttest, i, i + 1);
}

TEST_ADDED(every_kernel_assembles, add_files(tcase, ttest))
{
    const struct kernel_case *row = &rows[_i];
    struct kernel_case as_it_is = { .file = row->file, .kernel = row->kernel, .fill = row->fill };

    for (size_t i = 0; i < CUC_LENGTH(archs); i++)
        if (every_arch || i == 0)
            kernel_assemble(&as_it_is, archs[i], NULL);
        else if (i == 1 + strlen(row->file) % 2)
            kernel_assemble_first(&as_it_is, archs[i]);
}

// clang-format off
static const struct kernel_case fast[] = {
    { .file = "rms_norm", .kernel = "rms_norm", .dtypes = "f32 bf16", .set = "N=16384", .fill = "rroo-" },
    { .file = "rms_norm", .kernel = "rms_norm_backward", .dtypes = "bf16", .set = "N=8192", .fill = "rrrroo" },
    { .file = "layer_norm", .kernel = "layer_norm_backward", .dtypes = "bf16", .set = "N=8192", .fill = "rrrrrooo" },
    { .file = "group_norm", .kernel = "group_norm_backward", .dtypes = "f32 bf16", .fill = "rrrrrooo" },
    { .file = "softmax", .kernel = "softmax_backward", .dtypes = "f32 bf16", .set = "N=16384", .fill = "rro" },
    { .file = "gelu", .kernel = "gelu_backward", .dtypes = "f32 bf16", .fill = "rrroo" },
    { .file = "adamw", .kernel = "adamw", .dtypes = "f32 bf16", .fill = "rrrrrr--------" },
};

static const struct kernel_case with_roles[] = {
    { .file = "linear_cross_entropy", .kernel = "linear_cross_entropy", .dtypes = "f16 bf16", .fill = "rrrooz" },
    { .file = "linear_cross_entropy", .kernel = "linear_cross_entropy_backward", .dtypes = "f16 bf16", .fill = "rrrrro--" },
    { .file = "linear_cross_entropy", .kernel = "linear_cross_entropy_backward_input", .dtypes = "bf16", .set = "ADD=true", .fill = "rrr" },
    { .file = "linear_cross_entropy", .kernel = "linear_cross_entropy_backward_weight", .dtypes = "bf16", .fill = "rro" },
};
// clang-format on

static bool assembles_all(void)
{
    return assembles && !only;
}

CASE("registers", .timeout = 120, .only_if = assembles_all);

// layer_norm_backward uses all of a thread's 128 registers; an assembler may spill a few addresses.
TEST_ROWS(rows_and_sums_stay_in_registers, fast)
{
    long spills, most = strcmp(fast[_i].file, "layer_norm") == 0 ? 32 : 0;

    if (kernel_assemble(&fast[_i], "sm_90a", &spills))
        ck_assert_int_le(spills, most);
}

TEST_ROWS(epilogues_of_pipelines_spill_nothing, with_roles)
{
    long spills;

    if (kernel_assemble_whole(&with_roles[_i], "sm_90a", &spills))
        ck_assert_int_eq(spills, 0);
}

// Arguments: --few, --assemble or --assemble-for-all architectures, and the name of a file or
// kernel.
int main(int argc, char **argv)
{
    kernel_few = argc > 1 && strcmp(argv[1], "--few") == 0;
    every_arch = argc > 1 && strcmp(argv[1], "--assemble-for-all") == 0;
    assembles = every_arch || (argc > 1 && strcmp(argv[1], "--assemble") == 0);
    if (argc > 1 + (assembles || kernel_few))
        only = argv[1 + (assembles || kernel_few)];
    return run_tests("library kernels");
}
