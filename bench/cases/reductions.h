// Shared by the files of the suite reductions.
#ifndef CUCORE_BENCH_CASES_REDUCTIONS_H
#define CUCORE_BENCH_CASES_REDUCTIONS_H

#include "point.h"

// Largest passing ratio to the copy, for arrays of the size for which the goal is set.
double bench_reduction_limit(const bench_point *p);

// Add the copy, which is the peer, and the Python peers after the kernels.
cuc_status bench_reduction_finish(bench_point *p, const char *name, const char *of);

// Running sums of a long array, and of rows.
cuc_status bench_set_up_cumsum(cuc_bench_state *state, void *data);

#endif
