// Products of ragged groups of rows by cuc_gemm_grouped(), against a call of cuBLASLt for each.
#ifndef CUCORE_BENCH_CASES_GEMM_GROUPED_H
#define CUCORE_BENCH_CASES_GEMM_GROUPED_H

#include "support.h"

// Sets a point up, of axes groups, shape (the rows of all groups, n and k), dtype and layout: nn,
// or tn where the matrices of the groups are transposed.
cuc_status bench_grouped_set_up(cuc_bench_state *state, void *data);

#endif
