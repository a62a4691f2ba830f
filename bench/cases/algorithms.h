// Points of the suite algorithms, and the checks of their results.
#ifndef CUCORE_BENCH_CASES_ALGORITHMS_H
#define CUCORE_BENCH_CASES_ALGORITHMS_H

#include "support.h"

#include <cucore/algorithm.h>
#include <cucore/tensor.h>

enum { BENCH_ALGORITHM_ARRAYS = 3 };

typedef struct algorithm_point algorithm_point;

// Compare the result of a run with the inputs: 0, 1 with `why`, or a failure.
typedef cuc_status algorithm_check(algorithm_point *p, char *why, size_t why_size);

// Flags of a kind.
enum {
    HAS_SHAPE = 1,  // the case has the axis shape, ROWSxCOLUMNS, instead of n
    HAS_OF = 2,     // and the axis of
    PEERS_WAIT = 4, // for the size of the result, so they cannot be captured
};

// A kind of work, with the axes of its case.
typedef struct algorithm_kind {
    const char *name; // name of the case, also in Python
    cuc_status (*make)(algorithm_point *p);
    algorithm_check *check;
    cuc_dtype dtype; // 0: from the axis dtype
    uint32_t flags;
} algorithm_kind;

struct algorithm_point {
    cuc_bench_state *state;
    const algorithm_kind *kind;
    cuc_dtype dtype;
    int64_t rows, n; // n elements in each row; most kinds have one row
    int64_t k;       // of top-k
    int32_t bins;    // of histograms, from 0 to `high`
    double high;
    const char *of; // variant; "" for none
    cuc_bench_input *in[BENCH_ALGORITHM_ARRAYS], *out[BENCH_ALGORITHM_ARRAYS];
    cuc_tensor inputs[BENCH_ALGORITHM_ARRAYS], outputs[BENCH_ALGORITHM_ARRAYS];
    uint32_t in_count, out_count;
    cuc_status (*run)(algorithm_point *p, cuc_stream *stream);
    cuc_algorithm *plan, *first; // `first` sorts before `plan`, if there is one
    cuc_bench_input *workspace, *first_workspace, *scratch;
    double bytes; // read and written at least
};

algorithm_check bench_check_sum, bench_check_scan, bench_check_sort, bench_check_argsort,
    bench_check_select, bench_check_unique, bench_check_histogram, bench_check_topk,
    bench_check_reduce_by_key, bench_check_merge, bench_check_union, bench_check_search;

#endif
