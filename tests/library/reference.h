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

// Prepare arguments that an earlier kernel computes.
kernel_prepare prepare_rms_norm_backward, prepare_layer_norm_backward, prepare_group_norm_backward;
kernel_prepare prepare_softmax_backward;

#endif
