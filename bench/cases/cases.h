// The registry of cases: what cucore bench knows by itself. A suite is a file here and a row in
// cases.c; a case is a row of its suite.
#ifndef CUCORE_BENCH_CASES_H
#define CUCORE_BENCH_CASES_H

#include <cucore/bench.h>

typedef struct bench_suite {
    const char *name; // the cases' `suite`
    const cuc_bench_case *cases;
    size_t case_count;
    // What the suite's own processes do, `cucore bench --serve NAME`: answer on standard output
    // what they are asked on standard input (child.h); an exit status. NULL for a suite that has
    // none.
    int (*serve)(void);
} bench_suite;

extern const bench_suite *const bench_suites[]; // NULL at the end

#endif
