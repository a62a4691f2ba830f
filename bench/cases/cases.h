// Registry of built-in cases. A suite is a file here and a row in cases.c; a case is a row of its
// suite.
#ifndef CUCORE_BENCH_CASES_H
#define CUCORE_BENCH_CASES_H

#include <cucore/bench.h>

typedef struct bench_suite {
    const char *name; // the cases' `suite`
    const cuc_bench_case *cases;
    size_t case_count;
    // Entry point of the suite's child processes, `cucore bench --serve NAME`: answer requests from
    // standard input on standard output (child.h); returns an exit status. NULL if the suite has
    // none.
    int (*serve)(void);
    const struct bench_draw *draws; // draw.h; NULL if no case of the suite is drawn
} bench_suite;

extern const bench_suite *const bench_suites[]; // NULL-terminated

#endif
