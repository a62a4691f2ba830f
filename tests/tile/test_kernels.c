// Tests the kernels in examples/tile.
#include "base/array.h"
#include "kernel_reference.h"
#include "slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Random elements are multiples of 2^-18 from -2 to 2, so sums below 64 and products with powers of
// two are exact in f32, in any order. Such cases allow 0 steps.
//
// These count as steps: 4 for exp and log, 8 for erf and tanh, and 1 for other functions and
// operations; the magnitude of an argument of exp; for a sum, log2 of the number of threads, and 1
// for each element of a thread.
#define EXACT 0, 0

// clang-format off
static const struct kernel_case rows[] = {
    // Vector addition: the sum of two elements rounds once.
    { "vadd", "vadd", "f32 f16 bf16 i32", NULL, "N=1; N=7; N=1024; N=3001",
      "rro", NULL, expect_sum_of_two, EXACT, NULL },
    { "vadd", "vadd", "f32", NULL, "N=200001",
      "rro", NULL, expect_sum_of_two, EXACT, "ao" },
    { "vadd", "vadd_2d", "f32 bf16", NULL, "M=1 N=1; M=20 N=100; M=9 N=131",
      "rro", NULL, expect_sum_of_two, EXACT, NULL },
    { "vadd", "vadd_gather", "f32 f16", "BN=192", "N=1; N=192; N=1001",
      "rro", NULL, expect_sum_of_two, EXACT, NULL },

    // Copies
    { "copy", "copy0", "f32 i64", NULL, "", "xo", NULL, expect_copy, EXACT, NULL },
    { "copy", "copy1", "i8 f16 f32 f64 bool", NULL, "N=0; N=1; N=130; N=2050",
      "xo", NULL, expect_copy, EXACT, NULL },
    { "copy", "copy2", "u8 bf16 f32 i64 e4m3", NULL, "M=0 N=5; M=1 N=130; M=33 N=31; M=70 N=65",
      "xo", NULL, expect_copy, EXACT, NULL },
    { "copy", "copy2", "f32 i16", "BM=12 BN=20", "M=33 N=31",
      "xo", NULL, expect_copy, EXACT, NULL },
    { "copy", "copy3", "f32 i8", NULL, "A=3 M=33 N=31; A=2 M=0 N=1",
      "xo", NULL, expect_copy, EXACT, NULL },
    { "copy", "copy4", "f32 e5m2", "BM=4 BN=16", "A=2 B=3 M=5 N=17",
      "xo", NULL, expect_copy, EXACT, NULL },
    { "copy", "copy5", "f32 u16", "BM=4 BN=16", "A=2 B=3 C=2 M=5 N=17; A=1 B=1 C=4 M=1 N=3",
      "xo", NULL, expect_copy, EXACT, NULL },
    { "copy", "pad", "f32 i32 f16", "PAD=7.0", "M=5 N=9 P=7 Q=11; M=40 N=31 P=41 Q=70; M=0 N=1 P=2 Q=3",
      "xo", NULL, expect_pad, EXACT, NULL },

    // Transposition
    { "transpose", "transpose", "f16 f32 i8", NULL, "M=1 N=1; M=100 N=50; M=64 N=128; M=3 N=257",
      "xo", NULL, expect_transpose, EXACT, NULL },
    { "transpose", "transpose", "f32", "BM=24 BN=40", "M=100 N=50",
      "xo", NULL, expect_transpose, EXACT, NULL },
    { "transpose", "transpose", "f16 f32", NULL, "M=500 N=250",
      "xo", NULL, expect_transpose, EXACT, "ao" },

    // Softmax. exp of at most 4 counts 4 + 4, a sum of 1024 elements by 128 threads 7 + 8, then the
    // division.
    { "softmax", "softmax", "f32 f16 bf16", NULL, "M=1 N=1; M=3 N=781; M=5 N=1024",
      "ro", NULL, expect_softmax, 24, 0, NULL },
    { "softmax", "softmax", "f32", "BN=781", "M=3 N=781; M=2 N=5",
      "ro", NULL, expect_softmax, 24, 0, NULL },
    { "softmax", "softmax", "f32 bf16", "BN=4096", "M=2 N=4096; M=1 N=4095",
      "ro", NULL, expect_softmax, 40, 0, "ao" },
    // Each thread keeps 64 elements in 16 bits and widens them again. Rows end within a vector and
    // at the end of one.
    { "softmax", "softmax", "f16 bf16", "BN=32768", "M=2 N=32768; M=1 N=32761; M=1 N=32752",
      "ro", NULL, expect_softmax, 64, 0, "a" },
    // Each of the 8 iterations over 128 columns may rescale the sum, and so may the end.
    { "softmax", "softmax_online", "f32 f16 bf16", "BN=128", "M=1 N=1; M=3 N=781; M=5 N=1024",
      "ro", NULL, expect_softmax, 24 + 9 * 9, 0, NULL },
    { "softmax", "softmax_online", "f32", "BN=128", "M=3 N=781", // scores masked by a finite number
      "ro", prepare_lowest, expect_softmax, 24 + 9 * 9, 0, NULL },

    // Layer norm. The mean has an error of 20 steps of 2, which all differences share; other errors
    // have the magnitude of the differences.
    { "layer_norm", "layer_norm", "f32 f16 bf16", "N=1000", "M=3 eps=1e-5",
      "rrrooo-", NULL, expect_layer_norm, 64, 8, NULL },
    { "layer_norm", "layer_norm", "f32 bf16", "N=512", "M=13 eps=1e-5",
      "rrrooo-", NULL, expect_layer_norm, 64, 8, "dao" },
    { "layer_norm", "layer_norm", "f16 bf16", "N=32768", "M=1 eps=1e-5",
      "rrrooo-", NULL, expect_layer_norm, 64, 8, "a" },
    { "layer_norm", "layer_norm", "f32", "N=1", "M=3 eps=1e-5",
      "rrrooo-", NULL, expect_layer_norm, 64, 8, NULL },
    { "layer_norm", "layer_norm_gradient", "f32 bf16", "N=250 ROWS=4", "M=1; M=11",
      "rrrrrozz", prepare_layer_norm_gradient, expect_layer_norm_gradient, 64, 32, NULL },
    { "layer_norm", "layer_norm_gradient_partial", "f32 bf16", "N=250", "M=1 G=3; M=11 G=3",
      "rrrrrozzz", prepare_layer_norm_gradient, expect_layer_norm_partial, 64, 32, NULL },
    { "layer_norm", "layer_norm_gradient_sum", "f32 bf16", NULL, "G=1 N=250; G=37 N=250",
      "rroo", NULL, expect_column_sums, EXACT, NULL },

    // RMS norm
    { "rms_norm", "rms_norm", "f32 f16 bf16", "N=1000", "M=5 eps=1e-5",
      "rro-", NULL, expect_rms_norm, 24, 0, NULL },
    { "rms_norm", "rms_norm", "f32 bf16", "N=2048", "M=3 eps=1e-5",
      "rro-", NULL, expect_rms_norm, 32, 0, "dao" },
    { "rms_norm", "rms_norm", "f16 bf16", "N=32768", "M=1 eps=1e-5",
      "rro-", NULL, expect_rms_norm, 64, 0, "a" },
    { "rms_norm", "rms_norm_gather", "f32 f16", NULL, "M=5 N=1000 eps=1e-5; M=2 N=1 eps=0.5",
      "rro-", NULL, expect_rms_norm, 24, 0, NULL },
    { "rms_norm", "rms_norm_persistent", "f32 bf16", "N=1000",
      "M=7 blocks=3 eps=1e-5; M=2 blocks=9 eps=1e-5",
      "rro--", NULL, expect_rms_norm, 24, 0, NULL },

    // Rotary embedding: two products and their sum, each up to 4 in magnitude.
    { "rope", "rope_half", "f16 bf16 f32", NULL, "B=2 H=3 S=1; B=1 H=2 S=45",
      "rrro", NULL, expect_rope_half, 3, 4, NULL },
    { "rope", "rope_interleaved", "f16 bf16 f32", NULL, "B=2 H=3 S=1; B=1 H=2 S=45",
      "rrro", NULL, expect_rope_interleaved, 3, 4, NULL },

    // Activations
    { "activations", "relu", "bf16 f16 f32", NULL, "N=1; N=3001",
      "xo", NULL, expect_relu, EXACT, NULL },
    { "activations", "gelu", "bf16 f16 f32", NULL, "N=1; N=3001", // 1 + erf cancels to 0
      "ro", NULL, expect_gelu, 16, 1, NULL },
    { "activations", "gelu", "bf16 f32", "TANH=true", "N=1; N=3001",
      "ro", NULL, expect_gelu_tanh, 16, 1, NULL },
    { "activations", "swiglu", "bf16 f16 f32", "BN=256", "M=1 N=1; M=3 N=700",
      "rro", NULL, expect_swiglu, 12, 0, NULL },
    { "activations", "geglu", "bf16 f16 f32", "BN=256", "M=1 N=1; M=3 N=700",
      "rro", NULL, expect_geglu, 16, 2, NULL },
    { "activations", "silu_and_mul", "bf16 f16 f32", "BN=256", "M=1 N=1; M=3 N=700",
      "ro", NULL, expect_silu_and_mul, 12, 0, NULL },
    { "activations", "dropout", "bf16 f16 f32", NULL,
      "N=1 p=0.25 seed=1; N=3001 p=0.25 seed=123456789012; N=2048 p=0.1 seed=-3",
      "ro--", NULL, expect_dropout, 2, 0, NULL },

    // Reductions
    { "reduce", "sum_along", "f32 f16 bf16", NULL, "A=3 N=1 B=5; A=2 N=130 B=33; A=1 N=0 B=2",
      "ro", NULL, expect_sum_along, EXACT, NULL },
    { "reduce", "sum_along", "f32 f16", "BN=512 BB=1", "A=5 N=1300 B=1",
      "ro", NULL, expect_sum_along, 16, 64, NULL },
    { "reduce", "sum_along", "i32 u8 i16", "ACC=i32", "A=3 N=1 B=5; A=2 N=130 B=33",
      "ro", NULL, expect_sum_along, EXACT, NULL },
    { "reduce", "sum_along", "i64 i32", "ACC=i64", "A=2 N=130 B=33",
      "ro", NULL, expect_sum_along, EXACT, NULL },
    { "reduce", "product_along", "f32 f16 bf16", NULL, "A=3 N=1 B=5; A=2 N=130 B=33",
      "ro", prepare_factors, expect_product_along, 130, 0, NULL },
    { "reduce", "product_along", "i32 u8", "ACC=i32", "A=2 N=7 B=33",
      "ro", NULL, expect_product_along, EXACT, NULL },
    { "reduce", "extremes_along", "f32 f16 bf16 f64 i32 i64 u8 i8", NULL, "A=3 N=1 B=5; A=2 N=130 B=33",
      "xoooo", NULL, expect_extremes, EXACT, NULL },
    { "reduce", "extremes_along", "f32 u16", "BN=512 BB=1", "A=5 N=1300 B=1",
      "xoooo", NULL, expect_extremes, EXACT, NULL },
    // Elements are near 100, so a difference has an error of 100 steps, and the mean one of 1200.
    // The mean square is at most 2.
    { "reduce", "variance_along", "f32", NULL, "A=3 N=1 B=5; A=2 N=130 B=33",
      "roo", prepare_far, expect_variance, 2000, 0, NULL },
    { "reduce", "variance_along", "f32", "BN=512 BB=1", "A=5 N=1300 B=1",
      "roo", prepare_far, expect_variance, 2000, 0, NULL },
    { "reduce", "largest", "f32 f16 i32 u8 i64", NULL, "M=3 N=1; M=4 N=1000; M=2 N=1024",
      "roo", NULL, expect_largest, EXACT, NULL },
    { "reduce", "largest", "f32", "BN=781", "M=4 N=700", "roo", prepare_ties, expect_largest, EXACT, NULL },
    { "reduce", "sum_all", "f32 f16", NULL, "N=1 blocks=3; N=20001 blocks=3",
      "rz-", NULL, expect_sum_all, 64, 256, "dao" },
    { "reduce", "sum_all", "i32 u8", "ACC=i32", "N=1 blocks=3; N=20001 blocks=3",
      "rz-", NULL, expect_sum_all, EXACT, NULL },

    // Scans
    { "scan", "cumulative_sum", "f32 f16 bf16", NULL, "A=3 N=1 B=5; A=2 N=130 B=33",
      "ro", NULL, expect_cumulative_sum, EXACT, NULL },
    { "scan", "cumulative_sum", "i32 u8 i16", "ACC=i32 REVERSE=true", "A=3 N=1 B=5; A=2 N=130 B=33",
      "ro", NULL, expect_cumulative_sum_back, EXACT, NULL },
    { "scan", "cumulative_sum", "f32 f16", "BN=256 BB=1 REVERSE=true", "A=3 N=1100 B=1",
      "ro", NULL, expect_cumulative_sum_back, 16, 64, NULL },
    { "scan", "cumulative_sum", "i64", "ACC=i64", "A=2 N=130 B=33",
      "ro", NULL, expect_cumulative_sum, EXACT, NULL },
    { "scan", "cumulative_product", "f32 f16", NULL, "A=3 N=1 B=5; A=2 N=130 B=33",
      "ro", prepare_factors, expect_cumulative_product, 130, 0, NULL },
    { "scan", "cumulative_product", "i32", "ACC=i32", "A=2 N=7 B=33",
      "ro", NULL, expect_cumulative_product, EXACT, NULL },
    // Gains are at most 0.9, so all rounding errors together are at most ten times the error of one
    // element. The tolerance is therefore 10 times the tolerance of 4 steps.
    { "scan", "recurrence", "f32 bf16", NULL, "M=3 N=1; M=3 N=700",
      "rro", prepare_gains, expect_recurrence, 40, 20, NULL },
    { "scan", "cumulative_sum_rows", "f32 f16 bf16", "BN=128", "M=3 N=1; M=2 N=130; M=3 N=384; M=2 N=900",
      "ro", NULL, expect_cumulative_rows, 16, 64, NULL },
    { "scan", "cumulative_sum_rows", "i32 u8", "ACC=i32 BN=128", "M=3 N=1; M=2 N=130; M=3 N=384",
      "ro", NULL, expect_cumulative_rows, EXACT, NULL },
    { "scan", "cumulative_sum_long", "i32", "SUM=i32 BN=64 W=8",
      "N=1 G=1; N=64 G=1; N=1000 G=16; N=20000 G=313",
      "rozz", NULL, expect_long_sum, EXACT, NULL },
    { "scan", "cumulative_sum_long", "f32", "BN=64 W=8", "N=64 G=1; N=1000 G=16",
      "rozz", NULL, expect_long_sum_f32, EXACT, NULL },
    // If there are several warps, one of them looks back.
    { "scan", "cumulative_sum_long", "i32", "SUM=i32 BN=4096 BB=1 W=32", "N=4096 G=1; N=30000 G=8",
      "rozz", NULL, expect_long_sum, EXACT, NULL },

    // Histograms and sorting
    { "histogram", "histogram_of", "u32 i32", "BINS=32 BN=64 PER=3", "N=1; N=1000; N=192",
      "-z", prepare_bins, expect_histogram, EXACT, NULL },
    { "histogram", "segmented_sum", "f32 i32 f64", NULL, "N=1 S=1; N=1500 S=40",
      "r-z", prepare_segments, expect_segmented_sum, EXACT, NULL },
    { "topk", "top", "f32 f16 bf16", "BN=64", "M=3 N=8; M=3 N=200; M=2 N=64",
      "roo", prepare_ties, expect_top, EXACT, NULL },
    { "topk", "top", "f32", "K=5 BN=100", "M=3 N=333",
      "roo", NULL, expect_top, EXACT, NULL },
    { "topk", "sort_rows", "f32 f16", "BN=200", "M=3 N=1; M=2 N=200; M=3 N=187",
      "xo", NULL, expect_sorted_rows, EXACT, NULL },
    { "radix_sort", "radix_count", NULL, "BN=64 BLOCKS=3", "N=1 D=4; N=1000 D=4; N=192 D=4",
      "kz", NULL, expect_radix_count, EXACT, NULL },
    { "radix_sort", "radix_pass", NULL, "BN=64 W=4",
      "N=1 D=4 M=256 row=0; N=1000 D=4 M=4096 row=3; N=640 D=4 M=2560 row=1",
      "k-zzo-", prepare_counts, expect_radix_pass, EXACT, NULL },
    { "radix_sort", "radix_pass", NULL, "BITS=4 BN=1024 W=8", "N=5000 D=8 M=80 row=7; N=1024 D=8 M=16 row=2",
      "k-zzo-", prepare_counts, expect_radix_pass, EXACT, NULL },
    { "radix_sort", "radix_pass_pairs", "i32 f64 u8", "BN=64 W=4", "N=1 D=4 M=256 row=2; N=1000 D=4 M=4096 row=3",
      "kr-zzoo-", prepare_counts_of_pairs, expect_radix_pass_pairs, EXACT, NULL },

    // Rows by ids
    { "rows", "gather_rows", "f16 f32", "BR=4 BD=48", "R=1 V=1 D=1; R=21 V=9 D=100",
      "-ro", prepare_rows, expect_gathered_rows, EXACT, NULL },
    { "rows", "gather_rows_pointers", "f16 f32", "BR=4 BD=48", "R=1 V=1 D=1; R=21 V=9 D=100",
      "-ro", prepare_rows, expect_gathered_rows, EXACT, NULL },
    { "gemm_rows", "gemm_rows", "bf16 f16", NULL, "R=1 V=1 D=1 N=1; R=150 V=40 D=72 N=136",
      "-rro", prepare_rows, expect_gemm_rows, 64, 256, "apo" },
    { "rows", "scatter_rows", "f16 f32", "BR=4 BD=48", "R=1 V=1 D=1; R=20 V=25 D=100",
      "-rr", prepare_rows_once, expect_scattered_rows, EXACT, NULL },
    { "rows", "add_rows", "f32 f64 i32", "BR=4 BD=48", "R=1 V=1 D=1; R=21 V=5 D=100",
      "-rr", prepare_rows_again, expect_added_rows, EXACT, NULL },

    // Stencils
    { "stencil", "diffuse_2d", "f32 f64", NULL, "M=1 N=1 rate=0.125; M=33 N=130 rate=0.125",
      "ro-", NULL, expect_diffused_2d, EXACT, NULL },
    { "stencil", "diffuse_2d_shift", "f32 f64", NULL, "M=1 N=1 rate=0.125; M=33 N=130 rate=0.125",
      "ro-", NULL, expect_diffused_2d, EXACT, NULL },
    { "stencil", "diffuse_3d", "f32 f64", NULL,
      "L=1 M=1 N=1 rate=0.125; L=5 M=9 N=33 rate=0.125",
      "ro-", NULL, expect_diffused_3d, EXACT, NULL },

    // Cross entropy: the sum is as in softmax_online; its logarithm has an error of 100 steps of 1.
    { "cross_entropy", "cross_entropy", "bf16 f32", "BN=128", "M=1 V=1; M=9 V=1001",
      "r-oo", prepare_targets, expect_cross_entropy, 120, 1, NULL },
    { "cross_entropy", "cross_entropy", "f32", "BN=128", "M=9 V=1001", // a row of masked scores
      "r-oo", prepare_targets_of_lowest, expect_cross_entropy, 120, 1, NULL },
    { "cross_entropy", "cross_entropy_gradient", "bf16 f32", "BN=128", "M=1 V=1; M=9 V=1001",
      "r--ro", prepare_lse, expect_cross_entropy_gradient, 20, 2, NULL },

    // Matrix products: sums of K products of up to 4. Tensor cores drop bits below 2^-23 of the
    // largest product; for 8-bit floats, below 2^-13, for 32 products at a time.
    { "gemm", "gemm_nt", "f16 bf16", NULL, "M=128 N=256 K=64; M=1 N=1 K=1; M=130 N=300 K=200",
      "rro", NULL, expect_gemm_nt, 64, 256, "ao" },
    { "gemm", "gemm_nn", "f16", NULL, "M=130 N=300 K=200", "rro", NULL, expect_gemm_nn, 64, 256, "a" },
    { "gemm", "gemm_tn", "f16", NULL, "M=130 N=300 K=200", "rro", NULL, expect_gemm_tn, 64, 256, "a" },
    { "gemm", "gemm_tt", "f16", NULL, "M=130 N=300 K=200", "rro", NULL, expect_gemm_tt, 64, 256, "a" },
    { "gemm", "gemm_nn", "f16", "D=f32 BM=64 BN=64 BK=32", "M=70 N=200 K=100; M=7 N=64 K=0",
      "rro", NULL, expect_gemm_nn, 64, 256, "da" },
    { "gemm", "gemm_tt", "bf16", "D=f32 BM=256 BN=96 BK=16", "M=300 N=200 K=100",
      "rro", NULL, expect_gemm_tt, 64, 256, "a" },
    { "gemm", "gemm_nt", "f16", "BM=64 BN=8 BK=128", "M=65 N=17 K=300",
      "rro", NULL, expect_gemm_nt, 64, 256, "a" },
    { "gemm", "gemm_nt", "tf32", "D=f32 BN=128 BK=32", "M=128 N=128 K=32; M=130 N=200 K=100",
      "rro", NULL, expect_gemm_nt, 64, 256, "da" },
    { "gemm", "gemm_nt", "e4m3 e5m2", "D=f32 BN=128 BK=128", "M=128 N=128 K=128; M=130 N=200 K=300",
      "rro", NULL, expect_gemm_nt, 1 << 17, 16, "a" },
    { "gemm", "gemm_nt", "e4m3", "D=f32 BN=256 BK=128", "M=130 N=300 K=304", "rro", NULL, expect_gemm_nt, 1 << 17, 16, "a" },
    { "gemm", "gemm_nt", "e5m2", "D=bf16 BM=256 BN=96 BK=256", "M=300 N=200 K=304", "rro", NULL, expect_gemm_nt, 1 << 17, 16, "a" },
    { "gemm", "gemm_nt", "e4m3", "D=f32 BN=208 BK=128", "M=130 N=300 K=304", "rro", NULL, expect_gemm_nt, 1 << 17, 16, "a" },
    { "gemm", "gemm_nt", "e4m3", "D=f32 BN=256 BK=128 FAST=true", "M=130 N=300 K=304", "rro", NULL, expect_gemm_nt, 1 << 17, 16, "a" },
    // Stores pieces of 64 and 32 bytes of a row.
    { "gemm", "gemm_nt", "f16 bf16", "BN=224", "M=128 N=224 K=64; M=130 N=456 K=200", "rro", NULL, expect_gemm_nt, 64, 256, "a" },
    { "gemm", "gemm_nn", "bf16", "BN=208 stages=2", "M=200 N=424 K=104", "rro", NULL, expect_gemm_nn, 64, 256, "a" },
    { "gemm", "gemm_tt", "f16", "BM=256 BN=80", "M=264 N=168 K=72", "rro", NULL, expect_gemm_tt, 64, 256, "a" },
    { "gemm", "gemm_nt", "tf32", "D=f32 BM=64 BN=72 BK=32", "M=130 N=152 K=72", "rro", NULL, expect_gemm_nt, 64, 256, "a" },
    { "gemm_grouped", "gemm_grouped_nt", "bf16", "BM=64 BN=64", "S=300 G=6 N=136 K=72; S=64 G=1 N=8 K=8; S=5 G=3 N=16 K=64; S=0 G=2 N=16 K=64", "rro-", prepare_groups, expect_gemm_grouped_nt, 64, 256, "ao" },
    { "gemm_grouped", "gemm_grouped_nn", "f16", "BM=128 BN=128", "S=700 G=8 N=136 K=200", "rro-", prepare_groups, expect_gemm_grouped_nn, 64, 256, "a" },
    { "gemm_grouped", "gemm_grouped_nn", "bf16", "BM=16 BN=64 split=2 cluster=2", "S=70 G=4 N=136 K=200", "rro-", prepare_groups, expect_gemm_grouped_nn, 64, 256, "a" },
    { "gemm_batched", "gemm_batched_nt", "bf16", "BM=64 BN=64", "B=3 M=70 N=80 K=72; B=1 M=1 N=1 K=1", "rro", NULL, expect_gemm_batched_nt, 64, 256, "ao" },
    { "gemm_batched", "gemm_batched_tn", "f16", "BM=16 BN=64 split=2", "B=2 M=24 N=80 K=72", "rro", NULL, expect_gemm_batched_tn, 64, 256, "a" },
    { "gemm", "gemm_nt", "i8 u8", "D=i32 ACC=i32 BN=128 BK=128", "M=128 N=128 K=128; M=130 N=200 K=300",
      "rro", NULL, expect_gemm_nt, EXACT, "a" },
    // Epilogues: gelu(s) adds an error of 8 roundings of s; a residual adds no larger error.
    { "gemm_epilogue", "gemm_bias_gelu", "f16 bf16", NULL, "M=130 N=300 K=72; M=1 N=1 K=1", "rrro", NULL, expect_gemm_bias_gelu, 80, 256, "ao" },
    { "gemm_epilogue", "gemm_bias_gelu", "bf16", "TANH=true BM=256 BN=128", "M=130 N=304 K=72", "rrro", NULL, expect_gemm_bias_gelu_tanh, 80, 256, "a" },
    { "gemm_epilogue", "gemm_residual", "f16 bf16", NULL, "M=300 N=520 K=72 alpha=0.5 beta=2; M=1 N=1 K=1 alpha=2 beta=1", "rrro--", NULL, expect_gemm_residual, 80, 256, "ao" },
    { "gemm_epilogue", "gemm_residual", "bf16", "BM=64 BN=64 stages=2", "M=200 N=200 K=200 alpha=1 beta=1; M=8 N=8 K=0 alpha=1 beta=2", "rrro--", NULL, expect_gemm_residual, 80, 256, "a" },
    { "gemm_epilogue", "gemm_residual", "f16", "D=f32 BM=256 BN=64", "M=300 N=200 K=104 alpha=1 beta=1", "rrro--", NULL, expect_gemm_residual, 80, 256, "a" },
    { "gemm_epilogue", "gemm_residual", "f16", "D=f16 BN=192 BK=32", "M=300 N=400 K=104 alpha=1 beta=1", "rrro--", NULL, expect_gemm_residual, 80, 256, "a" },
    { "gemm_epilogue", "gemm_residual", "f16", "BM=128 BN=64 cluster=2", "M=300 N=200 K=104 alpha=1 beta=1", "rrro--", NULL, expect_gemm_residual, 80, 256, "a" },
    { "gemm_epilogue", "gemm_residual", "f16", "BM=16 BN=64 split=2", "M=20 N=200 K=104 alpha=1 beta=1", "rrro--", NULL, expect_gemm_residual, 80, 256, "a" },
    { "gemm_epilogue", "gemm_scaled", "e4m3", NULL, "M=130 N=200 K=304", "rrrro", NULL, expect_gemm_scaled, 1 << 17, 64, "a" },
    { "gemm_epilogue", "gemm_scaled", "e4m3", "FAST=true BN=256", "M=130 N=200 K=304", "rrrro", NULL, expect_gemm_scaled, 1 << 17, 64, "a" },
    { "gemm_epilogue", "gemm_scaled", "i8", "ACC=i32 D=f32", "M=130 N=200 K=304", "rrrro", NULL, expect_gemm_scaled, 4, 1 << 16, "a" },
    { "gemm_epilogue", "gemm_silu", "bf16", NULL, "M=130 N=300 K=72", "rro", NULL, expect_gemm_silu, 80, 256, "a" },
    // Every edge, in every order. TMA loads rows that are multiples of 16 bytes; threads load
    // others.
    { "gemm", "gemm_nn", "f16", "BM=64 BN=64 BK=32", "M=1 N=7 K=63; M=63 N=64 K=65; M=64 N=65 K=127; M=127 N=129 K=1; M=129 N=1 K=64; M=7 N=127 K=129",
      "rro", NULL, expect_gemm_nn, 64, 256, "ado" },
    { "gemm", "gemm_nt", "bf16", "BM=64 BN=64 BK=32", "M=1 N=7 K=63; M=63 N=64 K=65; M=64 N=65 K=127; M=127 N=129 K=1; M=129 N=1 K=64; M=7 N=127 K=129",
      "rro", NULL, expect_gemm_nt, 64, 256, "ado" },
    { "gemm", "gemm_tn", "bf16", "BM=64 BN=64 BK=32", "M=1 N=7 K=63; M=63 N=64 K=65; M=64 N=65 K=127; M=127 N=129 K=1; M=129 N=1 K=64; M=7 N=127 K=129",
      "rro", NULL, expect_gemm_tn, 64, 256, "ado" },
    { "gemm", "gemm_tt", "f16", "BM=64 BN=64 BK=32", "M=1 N=7 K=63; M=63 N=64 K=65; M=64 N=65 K=127; M=127 N=129 K=1; M=129 N=1 K=64; M=7 N=127 K=129",
      "rro", NULL, expect_gemm_tt, 64, 256, "ado" },
    { "gemm", "gemm_nt", "tf32", "D=f32 BM=64 BN=64 BK=32", "M=63 N=64 K=65; M=129 N=127 K=7", "rro", NULL, expect_gemm_nt, 64, 256, "ad" },
    { "gemm", "gemm_nt", "e5m2", "D=f16 BM=64 BN=64 BK=64", "M=63 N=65 K=129; M=7 N=127 K=1", "rro", NULL, expect_gemm_nt, 1 << 17, 16, "ad" },
    { "gemm", "gemm_nt", "u8", "D=i32 ACC=i32 BM=64 BN=64 BK=64", "M=63 N=65 K=129; M=7 N=127 K=1", "rro", NULL, expect_gemm_nt, EXACT, "ad" },
    // Few rows: the operands are exchanged.
    { "gemm", "gemm_nt", "f16 bf16", "BM=16 BN=128", "M=16 N=128 K=64; M=1 N=200 K=104; M=33 N=65 K=136; M=1 N=1 K=1",
      "rro", NULL, expect_gemm_nt, 64, 256, "ao" },
    { "gemm", "gemm_nn", "bf16", "BM=8 BN=64 D=f32", "M=7 N=64 K=63; M=9 N=136 K=128", "rro", NULL, expect_gemm_nn, 64, 256, "a" },
    { "gemm", "gemm_tn", "f16", "BM=32 BN=256", "M=40 N=264 K=127", "rro", NULL, expect_gemm_tn, 64, 256, "a" },
    { "gemm", "gemm_tt", "f16", "BM=48 BN=128 stages=2 cluster=2", "M=128 N=392 K=128", "rro", NULL, expect_gemm_tt, 64, 256, "a" },
    { "gemm", "gemm_nt", "e4m3", "D=f32 BM=16 BN=128 BK=128", "M=17 N=129 K=304", "rro", NULL, expect_gemm_nt, 1 << 17, 16, "a" },
    { "gemm", "gemm_nt", "i8", "D=i32 ACC=i32 BM=16 BN=64 BK=128", "M=17 N=129 K=304", "rro", NULL, expect_gemm_nt, EXACT, "a" },
    // Split sums.
    { "gemm", "gemm_nt", "f16 bf16", "BM=64 BN=128 split=4 stages=3", "M=64 N=128 K=1024; M=130 N=72 K=200; M=5 N=8 K=64; M=1 N=8 K=0",
      "rro", NULL, expect_gemm_nt, 64, 256, "ao" },
    { "gemm", "gemm_nn", "f16", "BM=16 BN=64 BK=32 split=3", "M=17 N=72 K=299", "rro", NULL, expect_gemm_nn, 64, 256, "a" },
    { "gemm", "gemm_tn", "f16", "BM=128 BN=96 split=8 D=f32", "M=136 N=72 K=700", "rro", NULL, expect_gemm_tn, 64, 256, "a" },
    { "gemm", "gemm_nt", "e4m3", "D=f32 BM=64 BN=64 BK=128 split=2", "M=100 N=64 K=304", "rro", NULL, expect_gemm_nt, 1 << 17, 16, "a" },
    { "gemm", "gemm_nt", "i8", "D=i32 ACC=i32 BM=64 BN=32 BK=128 split=5", "M=100 N=64 K=1008", "rro", NULL, expect_gemm_nt, EXACT, "a" },
    { "gemm", "gemm_nn", "f16", "BN=64 BK=32 stages=2 cluster=2", "M=128 N=64 K=64; M=390 N=200 K=100; M=1 N=8 K=8",
      "rro", NULL, expect_gemm_nn, 64, 256, "a" },
    { "gemm", "gemm_tt", "bf16", "BM=64 BN=64 stages=3 cluster=2", "M=300 N=200 K=300",
      "rro", NULL, expect_gemm_tt, 64, 256, "a" },
    { "gemm", "gemm_nn", "tf32 e4m3", "D=f32 BM=32 BN=32 BK=32", "M=33 N=40 K=70",
      "rro", NULL, expect_gemm_nn, 1 << 17, 16, "ao" },

    // A computed left operand rounds each element, which may be as large as 16, to 8 bits.
    { "gemm_mixed", "gemm_mixed", "bf16", "A=i8", "M=128 N=128 K=128; M=130 N=200 K=300; M=7 N=8 K=0",
      "rrro", NULL, expect_gemm_mixed, 1 << 15, 1500, "a" },
    { "gemm_mixed", "gemm_mixed", "f16", "A=f32 BM=64 BN=64 BK=64", "M=130 N=72 K=200",
      "rrro", NULL, expect_gemm_mixed, 1 << 15, 1500, "ao" },
    { "gemm_mixed", "gemm_mixed", "bf16", "A=e4m3 BM=256 BN=64 BK=64", "M=300 N=72 K=200",
      "rrro", NULL, expect_gemm_mixed, 1 << 15, 1500, "a" },

    // Attention: the weights of each row are rounded to 8 or 11 bits before the product.
    { "attention", "attention", "f16 bf16", "CAUSAL=false D=64 BM=32 BN=32",
      "B=1 HQ=1 HK=1 SQ=32 SK=32 scale=0.125; B=2 HQ=4 HK=2 SQ=45 SK=70 scale=0.125",
      "rrroo-", NULL, expect_attention, 1 << 17, 4, "d" },
    { "attention", "attention", "bf16", "D=128 BM=64 BN=64",
      "B=1 HQ=2 HK=1 SQ=100 SK=130 scale=0.0884; B=1 HQ=1 HK=1 SQ=70 SK=30 scale=0.0884",
      "rrroo-", NULL, expect_attention_causal, 1 << 17, 4, "ao" },
    // With wgmma, products of one iteration overlap the work of the next iteration.
    { "attention", "attention", "f16 bf16", "CAUSAL=false D=64 BM=128 BN=64",
      "B=1 HQ=1 HK=1 SQ=128 SK=64 scale=0.125; B=2 HQ=4 HK=2 SQ=145 SK=270 scale=0.125",
      "rrroo-", NULL, expect_attention, 1 << 17, 4, "d" },
    { "attention", "attention", "bf16", "CAUSAL=false D=64 BM=128 BN=64",
      "B=7 HQ=20 HK=10 SQ=3 SK=70 scale=0.125", // several tiles per block
      "rrroo-", NULL, expect_attention, 1 << 17, 4, "d" },
    { "attention", "attention", "bf16", "D=128 BM=128 BN=128",
      "B=1 HQ=2 HK=1 SQ=200 SK=390 scale=0.0884; B=1 HQ=1 HK=1 SQ=300 SK=30 scale=0.0884",
      "rrroo-", NULL, expect_attention_causal, 1 << 17, 4, "a" },
    { "attention", "attention", "bf16", "D=64 BM=128 BN=64", // tiles in pairs
      "B=3 HQ=25 HK=5 SQ=257 SK=20 scale=0.125; B=2 HQ=2 HK=1 SQ=257 SK=257 scale=0.125",
      "rrroo-", NULL, expect_attention_causal, 1 << 17, 4, "a" },
    { "attention", "attention", "bf16", "D=64 BM=192 BN=96",
      "B=1 HQ=2 HK=1 SQ=200 SK=290 scale=0.125; B=1 HQ=1 HK=1 SQ=400 SK=30 scale=0.125",
      "rrroo-", NULL, expect_attention_causal, 1 << 17, 4, "a" },
    { "attention", "attention", "bf16", "D=64 BM=192 BN=128", // only some warps have masks
      "B=1 HQ=2 HK=1 SQ=400 SK=530 scale=0.125", "rrroo-", NULL, expect_attention_causal, 1 << 17, 4, "a" },
    { "attention", "attention", "f16", "D=64 BM=64 BN=160 CAUSAL=false",
      "B=1 HQ=2 HK=1 SQ=70 SK=490 scale=0.125", "rrroo-", NULL, expect_attention, 1 << 17, 4, "a" },
    { "attention", "attention", "f16", "D=256 BM=128 BN=64",
      "B=1 HQ=2 HK=2 SQ=130 SK=200 scale=-0.0625; B=1 HQ=1 HK=1 SQ=1 SK=70 scale=0.0",
      "rrroo-", NULL, expect_attention_causal, 1 << 17, 4, "a" },
    // Queries with NaN and infinities give NaN, not 0 like rows without keys.
    { "attention", "attention", "f32", "CAUSAL=false D=16 BM=32 BN=32",
      "B=1 HQ=2 HK=1 SQ=45 SK=70 scale=0.125", "xrroo-", NULL, expect_attention, 1 << 17, 4, "d" },
    { "attention", "attention", "f16 bf16", "D=64 BM=128 BN=64",
      "B=1 HQ=1 HK=1 SQ=200 SK=270 scale=0.125", "xrroo-", NULL, expect_attention_causal, 1 << 17, 4, "a" },

    // Decoding, as attention. A block has a part of a group, the end of one group and the beginning
    // of the next, or several groups; or there are more blocks than tiles.
    { "decode", "decode", "bf16 f16", "D=64 G=1 BN=32 warps=4",
      "B=1 H=1 N=1 S=2 scale=0.125; B=2 H=3 N=200 S=11 scale=0.125; B=1 H=2 N=150 S=30 scale=0.125; B=3 H=3 N=130 S=13 scale=0.125",
      "rrrorrz-", NULL, expect_decode, 1 << 17, 4, "da" },
    { "decode", "decode", "bf16", "D=128 G=1 BN=32", "B=1 H=3 N=500 S=40 scale=0.0884", "rrrorrz-", NULL, expect_decode, 1 << 17, 4, "ao" },
    { "decode", "decode", "f32", "D=24 G=1 BN=32 warps=2", "B=2 H=1 N=70 S=5 scale=0.25", "rrrorrz-", NULL, expect_decode, 1 << 17, 4, "d" },
    { "decode", "decode", "bf16", "D=128 G=8 BN=32", "B=2 H=1 N=333 S=7 scale=0.0884", "rrrorrz-", NULL, expect_decode, 1 << 17, 4, "ao" },
    { "decode", "decode", "f16", "D=128 G=4 BN=32 warps=4", "B=1 H=2 N=700 S=22 scale=0.0884; B=3 H=2 N=40 S=10 scale=0.0884", "rrrorrz-", NULL, expect_decode, 1 << 17, 4, "a" },

    // Decoding from pages that hold one tile of keys, several tiles, or a part of a tile, by page
    // or by row; also blocks without keys, and a single block.
    { "decode_paged", "decode_paged", "bf16 f16", "D=64 G=8 S=64", "B=3 H=2 P=13 R=4 X=3 scale=0.125; B=1 H=1 P=1 R=1 X=2 scale=0.125",
      "rrr--orrz-", prepare_decode_paged, expect_decode_paged, 1 << 17, 4, "da" },
    { "decode_paged", "decode_paged", "bf16", "D=128 G=1 S=128 warps=4", "B=2 H=3 P=8 R=3 X=4 scale=0.0884; B=2 H=1 P=8 R=2 X=1 scale=0.0884", "rrr--orrz-", prepare_decode_paged, expect_decode_paged, 1 << 17, 4, "ao" },
    { "decode_paged", "decode_paged", "f16", "D=64 G=4 S=32 J=2", "B=3 H=1 P=16 R=5 X=5 scale=0.125", "rrr--orrz-", prepare_decode_paged, expect_decode_paged, 1 << 17, 4, "a" },
    { "decode_paged", "decode_paged", "bf16 f16", "D=64 G=8 S=16", "B=3 H=2 P=41 R=13 X=3 scale=0.125; B=1 H=1 P=1 R=1 X=2 scale=0.125",
      "rrr--orrz-", prepare_decode_paged, expect_decode_paged, 1 << 17, 4, "da" },
    { "decode_paged", "decode_paged", "bf16", "D=128 G=1 S=32 warps=4", "B=2 H=3 P=26 R=9 X=2 scale=0.0884", "rrr--orrz-", prepare_decode_paged, expect_decode_paged, 1 << 17, 4, "ao" },
    { "decode_paged", "decode_rows", "bf16 f16", "D=64 G=8 S=16", "B=3 H=2 P=656 R=13 X=3 scale=0.125; B=1 H=1 P=16 R=1 X=2 scale=0.125",
      "rrr--orrz-", prepare_decode_paged, expect_decode_paged, 1 << 17, 4, "da" },
    { "decode_paged", "decode_rows", "bf16", "D=128 G=1 S=16 warps=4", "B=2 H=3 P=416 R=12 X=4 scale=0.0884; B=2 H=1 P=128 R=3 X=1 scale=0.0884", "rrr--orrz-", prepare_decode_paged, expect_decode_paged, 1 << 17, 4, "ao" },

    // Convolutions: sums of R S C products (dw: N P Q) of up to 4.
    { "conv", "conv", "bf16 f16", NULL, "N=1 H=1 W=1 C=1 K=1; N=2 H=9 W=17 C=72 K=40", "rro", NULL, expect_conv, 64, 256, "ao" },
    { "conv", "conv", "bf16", "R=1 S=1 PAD=0", "N=2 H=9 W=17 C=72 K=136", "rro", NULL, expect_conv, 64, 256, "a" },
    { "conv", "conv", "f16", "STRIDE=2", "N=1 H=9 W=20 C=40 K=24", "rro", NULL, expect_conv_by_2, 64, 256, "ao" },
    { "conv", "conv", "bf16", "R=5 S=5 PAD=2 BP=4 BQ=32 BK=64 BC=32 stages=2", "N=1 H=5 W=40 C=16 K=8", "rro", NULL, expect_conv, 64, 256, "a" },
    { "conv", "conv_rows", "bf16 f16", NULL, "N=1 H=1 W=1 C=1 K=1 M=1; N=2 H=9 W=17 C=72 K=40 M=306", "rro", NULL, expect_conv_rows, 64, 256, "ap" },
    { "conv", "conv_rows", "f16", "STRIDE=2 BM=64 BK=48 BC=96", "N=3 H=9 W=20 C=104 K=120 M=150", "rro", NULL, expect_conv_rows_by_2, 64, 256, "apo" },
    { "conv", "conv_dx", "bf16 f16", NULL, "N=1 P=1 Q=1 C=1 K=1; N=2 P=9 Q=17 C=40 K=72", "rro", NULL, expect_conv_dx, 64, 256, "ao" },
    { "conv", "conv_dw", "bf16 f16", "G=2", "N=1 P=1 Q=1 H=1 W=1 C=1 K=1; N=3 P=5 Q=17 H=5 W=17 C=40 K=72", "rrz", NULL, expect_conv_dw, 64, 256, "ao" },
    { "conv", "conv_dw", "bf16", "STRIDE=2", "N=1 P=5 Q=10 H=9 W=20 C=24 K=16", "rrz", NULL, expect_conv_dw_by_2, 64, 256, "a" },

    // Products with split sums, in low precision, and of experts, whose activation gemm tests too.
    { "gemm_split", "gemm_split_add", "f16 bf16", "S=4", "M=70 N=40 K=300; M=1 N=1 K=1; M=64 N=64 K=1024",
      "rrz", NULL, expect_gemm_split_add, 64, 256, "ao" },
    { "gemm_split", "gemm_split_last", "f16", "D=f32", "M=70 N=40 K=300 S=3; M=1 N=1 K=1 S=1; M=64 N=128 K=700 S=11",
      "rrozo", NULL, expect_gemm_split_last, 64, 256, "ao" },
    { "gemm_stream", "gemm_stream", "f16 bf16", "D=f32",
      "M=70 N=40 K=300 P=3; M=1 N=1 K=1 P=4; M=200 N=130 K=330 P=5; M=128 N=192 K=64 P=132; M=9 N=70 K=0 P=2",
      "rrozz", NULL, expect_gemm_stream, 64, 256, "ao" },
    { "gemm_split", "gemm_parts", "bf16", NULL, "M=70 N=40 K=300 S=3; M=8 N=8 K=0 S=2",
      "rro", NULL, expect_gemm_parts, 64, 256, "ao" },
    { "gemm_split", "gemm_parts_sum", NULL, "D=bf16", "M=7 N=300 S=3; M=1 N=1 S=1",
      "ro", NULL, expect_gemm_parts_sum, 8, 8, NULL },
    { "quantize", "quantize_rows", "bf16 f32", "BN=128", "M=3 N=1; M=5 N=300",
      "roo", NULL, expect_quantized_rows, 4, 1, NULL },
    { "quantize", "quantize_blocks", "bf16", "BM=2 BN=64", "M=1 N=1; M=5 N=300",
      "roo", NULL, expect_quantized_blocks, 4, 1, NULL },
    { "quantize", "dequantize_rows", "bf16 f32", "BN=64", "M=1 N=1; M=9 N=100",
      "rro", NULL, expect_dequantized_rows, 2, 1, NULL },
    { "quantize", "dequantize_blocks", "bf16", "BM=2 BN=64", "M=1 N=1; M=5 N=300",
      "rro", NULL, expect_dequantized_blocks, 2, 1, NULL },
    { "quantize", "gemm_weights_4", "f16 bf16", NULL, "M=70 N=40 H=64 G=2; M=1 N=1 H=1 G=1; M=8 N=130 H=100 G=4",
      "rrro", prepare_weights_4, expect_gemm_weights_4, 64, 256, "ao" },
    // 4-bit weights with scales for groups: the operands are exchanged, and weights come from
    // registers. Sums are exact.
    { "gemm_w4", "gemm_w4", "bf16 f16", NULL, "M=70 N=136 K=272 H=136 G=3; M=1 N=8 K=2 H=1 G=1; M=64 N=128 K=1024 H=512 G=8",
      "rrro", prepare_w4, expect_gemm_w4, EXACT, "po" },
    { "gemm_w4", "gemm_w4", "bf16", "BM=16", "M=17 N=264 K=400 H=200 G=4", "rrro", prepare_w4, expect_gemm_w4, EXACT, "pd" },
    { "gemm_w4", "gemm_w4", "f16", "BM=128 BK=64 stages=2", "M=140 N=136 K=1030 H=515 G=9", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "bf16", "BM=256 BN=64", "M=300 N=72 K=512 H=256 G=4", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "bf16", "split=2", "M=65 N=136 K=900 H=450 G=8", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "bf16", "BM=16 BK=64 split=3", "M=16 N=128 K=128 H=64 G=1; M=5 N=136 K=2050 H=1025 G=17", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "f16", "BM=16 split=4 stages=3", "M=16 N=128 K=1024 H=512 G=8", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "bf16", "BM=8 BN=64 stages=16", "M=8 N=128 K=4096 H=2048 G=32", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "bf16", "BM=8 BN=64 split=2", "M=5 N=72 K=1024 H=512 G=8; M=8 N=64 K=128 H=64 G=1", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "bf16", "BM=32 BN=64 BK=256 split=4 stages=5", "M=40 N=136 K=2944 H=1472 G=23", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_w4", "gemm_w4", "bf16", "BM=256 BN=128 BK=64", "M=300 N=136 K=1152 H=576 G=9", "rrro", prepare_w4, expect_gemm_w4, EXACT, "p" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3 e5m2", NULL, "M=130 N=264 K=400; M=1 N=8 K=1; M=128 N=128 K=1152",
      "rrrro", NULL, expect_gemm_fp8_blocks, 1 << 17, 64, "po" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3", "BM=64 D=f32", "M=70 N=136 K=640", "rrrro", NULL, expect_gemm_fp8_blocks, 1 << 17, 64, "p" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3", "BM=256 BN=64 stages=2", "M=300 N=200 K=400", "rrrro", NULL, expect_gemm_fp8_blocks, 1 << 17, 64, "p" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3 e5m2", "BM=256", "M=300 N=264 K=720; M=130 N=72 K=130", "rrrro", NULL, expect_gemm_fp8_blocks, 1 << 17, 64, "po" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3", "BM=256 D=f32 split=2", "M=256 N=128 K=640", "rrrro", NULL, expect_gemm_fp8_blocks, 1 << 17, 64, "p" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3", "BN=64 BK=64 split=2", "M=130 N=72 K=330", "rrrro", NULL, expect_gemm_fp8_blocks_64, 1 << 17, 64, "p" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3", "BM=64 split=3", "M=64 N=128 K=1152; M=9 N=16 K=100", "rrrro", NULL, expect_gemm_fp8_blocks, 1 << 17, 64, "p" },
    { "gemm_fp8_blocks", "gemm_fp8_blocks", "e4m3", "split=4", "M=140 N=128 K=1100", "rrrro", NULL, expect_gemm_fp8_blocks, 1 << 17, 64, "p" },
    { "fft", "fft", NULL, "N0=4 N1=4 N2=8", "B=3", "rroo", NULL, expect_fft, 64, 64, "dao" },
    { "fft", "fft", NULL, "N0=16 N1=8 N2=16", "B=2", "rroo", NULL, expect_fft, 64, 256, "a" },
    { "moe", "moe_count", NULL, "E=8 BP=64", "P=1; P=300", "-z", prepare_experts, expect_moe_count, EXACT, NULL },
    { "moe", "moe_offsets", NULL, "E=8", "", "ro", NULL, expect_moe_offsets, EXACT, NULL },
    { "moe", "moe_place", NULL, "E=8 BP=64", "P=1; P=300", "--oo", prepare_moe_place, expect_moe_place, EXACT, NULL },
    { "moe", "moe_up", "bf16 f16", "K=2 BM=32 BN=32 BK=32", "S=50 P=100 D=72 E=4 F=40; S=1 P=2 D=1 E=2 F=1",
      "r--rro", prepare_moe_up, expect_moe_up, 128, 1 << 14, "ao" },
    { "moe", "moe_down", "bf16 f16", NULL, "P=100 F=72 E=4 D=40; P=1 F=1 E=2 D=1",
      "r-ro", prepare_moe_down, expect_moe_down, 64, 256, "ao" },
    { "moe", "moe_combine", "bf16 f32", "K=2 BD=64", "P=10 S=5 D=100; P=2 S=1 D=1",
      "r-ro", prepare_moe_combine, expect_moe_combine, 8, 8, NULL },

    // Messages, with one warp and with several, which must take the same branches.
    { "messages", "produce_consume", NULL, "N=100", "G=1; G=17",
      "rozoz", NULL, expect_produced, EXACT, NULL },
    { "messages", "produce_consume", NULL, "N=2000", "G=17",
      "rozoz", NULL, expect_produced, EXACT, "da" },
    { "messages", "relay", NULL, "N=100", "G=1; G=17",
      "rzz", NULL, expect_relayed, EXACT, NULL },
    { "messages", "relay", NULL, "N=2000", "G=17",
      "rzz", NULL, expect_relayed, EXACT, "da" },
    { "messages", "add_locked", NULL, "N=100", "blocks=1; blocks=33",
      "rz-", NULL, expect_added_locked, EXACT, NULL },
    { "messages", "add_locked", NULL, "N=2000", "blocks=33",
      "rz-", NULL, expect_added_locked, EXACT, "da" },
    { "messages", "add_in_turn", NULL, "N=100", "G=1; G=33",
      "rzzo", NULL, expect_added_in_turn, EXACT, NULL },
    { "messages", "add_in_turn", NULL, "N=2000", "G=33",
      "rzzo", NULL, expect_added_in_turn, EXACT, "da" },
};
// clang-format on

// The rows to run or assemble; by default all run.
static struct slice slice = { 0, 1 };
static const char *only; // run the rows of this file or kernel
static bool assembles, every_arch;

static bool is_chosen(int i)
{
    return (!only || strcmp(only, rows[i].file) == 0 || strcmp(only, rows[i].kernel) == 0) &&
           i % slice.step == slice.first;
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

// ---- Assembly

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
    { .file = "gemm",       .kernel = "gemm_nn",    .dtypes = "f16 bf16", .fill = "rro" },
    { .file = "gemm",       .kernel = "gemm_tt",    .dtypes = "bf16", .set = "BM=256 BN=128 cluster=2", .fill = "rro" },
    { .file = "gemm",       .kernel = "gemm_nt",    .dtypes = "tf32", .set = "D=f32 BK=32", .fill = "rro" },
    { .file = "gemm",       .kernel = "gemm_nt",    .dtypes = "e4m3 e5m2", .set = "BN=128 BK=128", .fill = "rro" },
    { .file = "gemm",       .kernel = "gemm_nt",    .dtypes = "i8 u8", .set = "D=i32 ACC=i32 BK=128", .fill = "rro" },
    { .file = "gemm",       .kernel = "gemm_nt",    .dtypes = "bf16", .set = "BM=64 BN=128 split=2", .fill = "rro" },
    // A longer epilogue than this needs registers that linked code does not have (C7504).
    { .file = "gemm_epilogue", .kernel = "gemm_residual", .dtypes = "f16 bf16", .fill = "rrro--" },
    { .file = "attention",  .kernel = "attention",  .dtypes = "f16 bf16", .set = "D=64 BN=128", .fill = "rrroo-" },
    { .file = "attention",  .kernel = "attention",  .dtypes = "bf16", .set = "D=64 BN=128 CAUSAL=false", .fill = "rrroo-" },
    { .file = "softmax",    .kernel = "softmax",    .dtypes = "f32 bf16", .set = "BN=32768", .fill = "ro" },
    { .file = "layer_norm", .kernel = "layer_norm", .dtypes = "f32 bf16", .set = "N=32768",  .fill = "rrrooo-" },
    { .file = "rms_norm",   .kernel = "rms_norm",   .dtypes = "f32 bf16", .set = "N=32768",  .fill = "rro-" },
    { .file = "scan",       .kernel = "cumulative_sum_long", .set = "BB=1", .fill = "rozz" },
};
// clang-format on

// clang-format off
static const struct kernel_case with_roles[] = {
    { .file = "gemm",       .kernel = "gemm_nt",    .dtypes = "e4m3", .set = "BN=256 BK=128", .fill = "rro" },
    { .file = "attention",  .kernel = "attention",  .dtypes = "bf16", .set = "D=128", .fill = "rrroo-" },
    { .file = "attention",  .kernel = "attention",  .dtypes = "f16",  .set = "D=128 CAUSAL=false", .fill = "rrroo-" },
    { .file = "attention",  .kernel = "attention",  .dtypes = "bf16", .set = "D=256", .fill = "rrroo-" },
    { .file = "attention",  .kernel = "attention",  .dtypes = "bf16", .set = "D=64 BM=192 BN=128", .fill = "rrroo-" },
    { .file = "attention",  .kernel = "attention",  .dtypes = "f16",  .set = "D=64 BM=192 BN=112 CAUSAL=false", .fill = "rrroo-" },
    { .file = "gemm_mixed", .kernel = "gemm_mixed", .dtypes = "bf16", .fill = "rrro" },
    { .file = "gemm_w4", .kernel = "gemm_w4", .dtypes = "bf16 f16", .fill = "rrro" },
    { .file = "gemm_w4", .kernel = "gemm_w4", .dtypes = "bf16", .set = "BM=16 split=4", .fill = "rrro" },
    { .file = "gemm_w4", .kernel = "gemm_w4", .dtypes = "bf16", .set = "BM=128", .fill = "rrro" },
    { .file = "gemm_fp8_blocks", .kernel = "gemm_fp8_blocks", .dtypes = "e4m3", .fill = "rrrro" },
    { .file = "conv", .kernel = "conv", .dtypes = "bf16", .fill = "rro" },
    { .file = "gemm_epilogue", .kernel = "gemm_bias_gelu", .dtypes = "bf16", .set = "TANH=true", .fill = "rrro" },
    { .file = "gemm_epilogue", .kernel = "gemm_bias_gelu", .dtypes = "f16", .set = "BM=256 BN=128", .fill = "rrro" },
    { .file = "gemm_epilogue", .kernel = "gemm_scaled", .dtypes = "e4m3", .set = "BN=256", .fill = "rrrro" },
    { .file = "gemm_grouped", .kernel = "gemm_grouped_nt", .dtypes = "bf16", .fill = "rro-" },
    { .file = "gemm_stream", .kernel = "gemm_stream", .dtypes = "bf16", .set = "BM=128 BN=256 D=bf16", .fill = "rrozz" },
    { .file = "gemm_stream", .kernel = "gemm_stream", .dtypes = "f16", .set = "BM=256 BN=128 D=f32", .fill = "rrozz" },
};
// clang-format on

static bool assembles_all(void)
{
    return assembles && !only;
}

CASE("kernels", .only_if = assembles_all);

TEST_ROWS(products_overlap_the_work_between_them_without_spills, with_roles)
{
    long spills;

    if (kernel_assemble_whole(&with_roles[_i], "sm_90a", &spills))
        ck_assert_int_eq(spills, 0);
}

// The row of layer_norm is rematerialized, so that two blocks can be resident; because it is loaded
// together with other rows, less than a 16th of it spills. The epilogue of gemm_residual spills two
// addresses, once per tile and outside the loop, because its path for unaligned tensors takes their
// registers. gemm_tt in a cluster keeps one register in local memory while a loop runs.
TEST_ROWS(rows_of_up_to_32768_and_accumulators_stay_in_registers, fast)
{
    long spills, most = strcmp(fast[_i].file, "layer_norm") == 0        ? 64
                        : strcmp(fast[_i].kernel, "gemm_residual") == 0 ? 8
                        : strcmp(fast[_i].kernel, "gemm_tt") == 0       ? 4
                                                                        : 0;

    if (kernel_assemble(&fast[_i], "sm_90a", &spills))
        ck_assert_int_le(spills, most);
}

// clang-format off
static const struct kernel_case copied[] = {
    { .file = "gemm", .kernel = "gemm_nn", .dtypes = "bf16", .fill = "rro" },
    { .file = "gemm", .kernel = "gemm_tt", .dtypes = "f16", .fill = "rro" },
    { .file = "gemm", .kernel = "gemm_nt", .dtypes = "tf32", .set = "D=f32 BK=32", .fill = "rro" },
    { .file = "gemm", .kernel = "gemm_nt", .dtypes = "i8", .set = "D=i32 ACC=i32 BK=128", .fill = "rro" },
    { .file = "gemm", .kernel = "gemm_nn", .dtypes = "f64", .set = "D=f64 ACC=f64 BN=128 BK=16", .fill = "rro" },
};
// clang-format on

// Warps with 64 x 64 accumulators have few free registers.
TEST_ROWS(sums_of_mma_sync_stay_in_registers, copied)
{
    long spills;

    if (kernel_assemble(&copied[_i], "sm_80", &spills))
        ck_assert_int_eq(spills, 0);
}

// Arguments: --few, --assemble or --assemble-for-all architectures, and the name of a file or
// kernel.
int main(int argc, char **argv)
{
    kernel_few = argc > 1 && strcmp(argv[1], "--few") == 0;
    every_arch = argc > 1 && strcmp(argv[1], "--assemble-for-all") == 0;
    assembles = every_arch || (argc > 1 && strcmp(argv[1], "--assemble") == 0);
    if (slice_asked(argc, argv)) {
        if (!slice_read(&slice, argv))
            return 2;
    } else if (argc > 1 + (assembles || kernel_few)) {
        only = argv[1 + (assembles || kernel_few)];
    }
    return run_tests("tile kernels");
}
