// Declarations that the files of the suite reductions share.
#ifndef CUCORE_BENCH_CASES_REDUCTIONS_H
#define CUCORE_BENCH_CASES_REDUCTIONS_H

#include "point.h"

// Return the largest passing ratio to the copy, for arrays of the size that the goal is set for.
double bench_reduction_limit(const bench_point *p);

// Add the copy as the peer, and the Python peers after the kernels.
cuc_status bench_reduction_finish(bench_point *p, const char *name, const char *of);

// Set up running sums of a long array, or of rows.
cuc_status bench_set_up_cumsum(cuc_bench_state *state, void *data);

#endif
