// Checks selected complete rows and columns of a matrix product in double precision.
#ifndef CUCORE_BENCH_CASES_GEMM_CHECK_H
#define CUCORE_BENCH_CASES_GEMM_CHECK_H

#include "cublaslt.h"

// Expected values of a matrix product, computed at the first check and reused for all later checks.
typedef struct bench_product_reference bench_product_reference;

// Create a reference from the first sets of a, b and `extra`, the epilogue operand, which may be
// NULL. In a batch, the reference is for the last product. The reference lives as long as the
// point. Returns NULL with the failure recorded.
bench_product_reference *bench_product_reference_create(cuc_bench_state *state,
                                                        const bench_product *product,
                                                        const cuc_bench_input *a,
                                                        const cuc_bench_input *b,
                                                        const cuc_bench_input *extra);

// Fill the first set of d with values no product yields, to detect elements that are not written.
cuc_status bench_product_poison(const cuc_bench_input *d, cuc_stream *stream);

// Compare the first set of d with the reference: return 0, 1 with `why`, or a failure.
cuc_status bench_product_check(bench_product_reference *reference, const cuc_bench_input *d,
                               char *why, size_t why_size);

#endif
