// The suite reductions: what its files share.
#ifndef CUCORE_BENCH_CASES_REDUCTIONS_H
#define CUCORE_BENCH_CASES_REDUCTIONS_H

#include "point.h"

// The largest ratio to the copy that passes, for arrays that are as large as a goal is set for.
double bench_reduction_limit(const bench_point *p);

// The copy, which is the peer, and Python, after the kernels.
cuc_status bench_reduction_finish(bench_point *p, const char *name, const char *of);

// Running sums of a long array, and of rows.
cuc_status bench_set_up_cumsum(cuc_bench_state *state, void *data);

#endif
