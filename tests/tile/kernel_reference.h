// References for the kernels of examples/tile, in double and on one thread: plain loops, written
// from the kernels' comments. Arguments are in the order of the kernel's parameters; `expect`
// writes the results into them.
#ifndef CUCORE_TESTS_TILE_KERNEL_REFERENCE_H
#define CUCORE_TESTS_TILE_KERNEL_REFERENCE_H

#include "kernel_run.h"

// Returns a row of a tensor without gaps.
static inline double *row_of(const struct numbers *x, int64_t r)
{
    return x->at + r * x->extent[x->rank - 1];
}

typedef void kernel_expect(struct numbers *a);
typedef void kernel_prepare(struct numbers *a);

kernel_expect expect_sum_of_two, expect_copy, expect_pad, expect_transpose;
kernel_expect expect_softmax, expect_layer_norm, expect_layer_norm_gradient,
    expect_layer_norm_partial, expect_column_sums, expect_rms_norm;
kernel_expect expect_rope_half, expect_rope_interleaved;
kernel_expect expect_relu, expect_gelu, expect_gelu_tanh, expect_swiglu, expect_geglu,
    expect_silu_and_mul, expect_dropout;
kernel_expect expect_sum_along, expect_product_along, expect_extremes, expect_variance,
    expect_largest, expect_sum_all;
kernel_expect expect_cumulative_sum, expect_cumulative_sum_back, expect_cumulative_product,
    expect_recurrence, expect_long_sum, expect_long_sum_f32, expect_cumulative_rows;
kernel_expect expect_histogram, expect_segmented_sum, expect_top, expect_sorted_rows,
    expect_radix_count, expect_radix_pass, expect_radix_pass_pairs;
kernel_expect expect_gathered_rows, expect_gemm_rows, expect_scattered_rows, expect_added_rows;
kernel_expect expect_diffused_2d, expect_diffused_3d;
kernel_expect expect_cross_entropy, expect_cross_entropy_gradient;
kernel_expect expect_gemm_mixed;
kernel_expect expect_gemm_nn, expect_gemm_nt, expect_gemm_tn, expect_gemm_tt,
    expect_gemm_grouped_nn, expect_gemm_grouped_nt, expect_gemm_batched_nt, expect_gemm_batched_tn;
kernel_expect expect_gemm_bias_gelu, expect_gemm_bias_gelu_tanh, expect_gemm_residual,
    expect_gemm_scaled, expect_gemm_silu;
kernel_expect expect_gemm_split_add, expect_gemm_split_last, expect_gemm_stream, expect_gemm_parts,
    expect_gemm_parts_sum;
kernel_expect expect_quantized_rows, expect_quantized_blocks, expect_dequantized_rows,
    expect_dequantized_blocks, expect_gemm_weights_4, expect_gemm_w4, expect_gemm_fp8_blocks,
    expect_gemm_fp8_blocks_64, expect_fft;
kernel_expect expect_moe_count, expect_moe_offsets, expect_moe_place, expect_moe_up,
    expect_moe_down, expect_moe_combine;
kernel_expect expect_attention, expect_attention_causal, expect_decode, expect_decode_paged;
kernel_expect expect_conv, expect_conv_by_2, expect_conv_rows, expect_conv_rows_by_2,
    expect_conv_dx, expect_conv_dw, expect_conv_dw_by_2;
kernel_expect expect_produced, expect_relayed, expect_added_locked, expect_added_in_turn;

// Prepare arguments that need particular values.
kernel_prepare prepare_layer_norm_gradient; // with the mean and rstd of x
kernel_prepare prepare_factors;             // near 1, so that products stay near 1
kernel_prepare prepare_far;                 // far from 0, where differences of squares would cancel
kernel_prepare prepare_lowest;              // the first row holds only the lowest finite number
kernel_prepare prepare_gains, prepare_segments, prepare_ties, prepare_rows, prepare_rows_once,
    prepare_rows_again;
kernel_prepare prepare_targets, prepare_targets_of_lowest, prepare_lse, prepare_bins,
    prepare_counts, prepare_counts_of_pairs,
    prepare_groups; // groups of rows, some of which are empty
kernel_prepare prepare_weights_4, prepare_w4, prepare_experts, prepare_moe_place, prepare_moe_up,
    prepare_moe_down, prepare_moe_combine, prepare_decode_paged;

#endif
