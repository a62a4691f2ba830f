// References for the kernel library, in double and on one thread: plain loops, written from the
// formulas at the top of each share/kernels/*.tile. Arguments are in the order of the kernel's
// parameters; `expect` writes the results into them.
#ifndef CUCORE_TESTS_LIBRARY_REFERENCE_H
#define CUCORE_TESTS_LIBRARY_REFERENCE_H

#include "../tile/kernel_run.h"

typedef void kernel_expect(struct numbers *a);
typedef void kernel_prepare(struct numbers *a);

kernel_expect expect_rms_norm, expect_rms_norm_backward, expect_rms_norm_backward_weight;
kernel_expect expect_layer_norm, expect_layer_norm_backward, expect_layer_norm_backward_weight;
kernel_expect expect_group_norm, expect_group_norm_backward;
kernel_expect expect_softmax, expect_softmax_backward;
kernel_expect expect_swiglu, expect_swiglu_backward;
kernel_expect expect_gelu, expect_gelu_tanh, expect_gelu_backward, expect_gelu_tanh_backward;
kernel_expect expect_rope, expect_rope_interleaved, expect_rope_backward,
    expect_rope_interleaved_backward;
kernel_expect expect_embedding, expect_embedding_backward;
kernel_expect expect_cross_entropy, expect_cross_entropy_backward;
kernel_expect expect_linear_cross_entropy, expect_linear_cross_entropy_loss,
    expect_linear_cross_entropy_backward, expect_linear_cross_entropy_backward_input,
    expect_linear_cross_entropy_backward_input_added, expect_linear_cross_entropy_backward_weight;
kernel_expect expect_adamw;

// Prepare arguments that an earlier kernel computes.
kernel_prepare prepare_rms_norm_backward, prepare_layer_norm_backward, prepare_group_norm_backward;
kernel_prepare prepare_softmax_backward;
kernel_prepare prepare_ids, prepare_sorted; // some outside the table
kernel_prepare prepare_targets, prepare_cross_entropy_backward, prepare_linear_targets,
    prepare_linear_loss, prepare_linear_backward; // some targets are ignored
kernel_prepare prepare_adamw;
kernel_prepare prepare_swiglu_backward, prepare_gelu_backward; // some inputs are far from 0

#endif
