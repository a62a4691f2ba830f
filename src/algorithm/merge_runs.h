// Merges sorted runs of rows in memory, pass by pass, until each row is sorted.
#ifndef CUCORE_ALGORITHM_MERGE_RUNS_H
#define CUCORE_ALGORITHM_MERGE_RUNS_H

#include "algorithm.h"

// Rows that consist of sorted runs. A merge sort of a whole array has one row.
struct cuc__algorithm_runs {
    int64_t rows, length;
    int64_t sorted; // elements of a run
    int32_t tile;   // elements that a block merges; a run has a multiple
    int kernels;    // index of the first of two kernels
};

// Writes the parameters NAME_0, NAME_1 and so on, one for each value, with a comma behind each.
// They have the types of the outputs.
void cuc__algorithm_put_buffers(struct cuc__text *text, const struct cuc__algorithm_kind *kind,
                                const char *name, const char *extent);
// Writes the kernels merge_splits and merge_tiles, behind comes_before() and merged().
void cuc__algorithm_put_passes(struct cuc__text *text, const struct cuc__algorithm_problem *p,
                               int32_t tile, int32_t columns);
uint64_t cuc__algorithm_runs_bytes(const struct cuc__algorithm_kind *kind,
                                   const struct cuc__algorithm_runs *runs);
// Launches `sort`, which writes sorted runs to arrays, one for each value, and then the passes.
cuc_status cuc__algorithm_run_runs(const struct cuc__algorithm_call *call,
                                   const struct cuc__algorithm_runs *runs,
                                   cuc_status (*sort)(const struct cuc__algorithm_call *call,
                                                      const struct cuc__algorithm_runs *runs,
                                                      const cuc_tensor *to));

#endif
