// Products of ragged row groups with cuc_gemm_grouped(), compared with one cuBLASLt call per group.
#ifndef CUCORE_BENCH_CASES_GEMM_GROUPED_H
#define CUCORE_BENCH_CASES_GEMM_GROUPED_H

#include "support.h"

// Set up a point. Its axes are `groups`, `shape` (total rows, n and k), `dtype` and `layout`: nn,
// or tn if each group's matrix b is transposed.
cuc_status bench_grouped_set_up(cuc_bench_state *state, void *data);

#endif
