// Whether a product of matrices is right: some of its rows and of its columns, from one end to the
// other, in double precision.
#ifndef CUCORE_BENCH_CASES_GEMM_CHECK_H
#define CUCORE_BENCH_CASES_GEMM_CHECK_H

#include "cublaslt.h"

// What is expected of one product. It is computed at the first check, and serves for all of a
// point.
typedef struct bench_product_reference bench_product_reference;

// Of the first sets of a and b, and of what is worked with after the product, or NULL; of a batch
// it is the last product. It lives as long as the point; NULL with the failure recorded.
bench_product_reference *bench_product_reference_create(cuc_bench_state *state,
                                                        const bench_product *product,
                                                        const cuc_bench_input *a,
                                                        const cuc_bench_input *b,
                                                        const cuc_bench_input *extra);

// Fill the first set of d with what no product gives: what is not written is found then.
cuc_status bench_product_poison(const cuc_bench_input *d, cuc_stream *stream);

// Hold the first set of d against it: 0, 1 with `why`, or a failure.
cuc_status bench_product_check(bench_product_reference *reference, const cuc_bench_input *d,
                               char *why, size_t why_size);

#endif
