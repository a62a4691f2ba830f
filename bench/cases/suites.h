// The suites that cases.c lists.
#ifndef CUCORE_BENCH_CASES_SUITES_H
#define CUCORE_BENCH_CASES_SUITES_H

#include "cases.h"

#define BENCH_SUITES(X)                                                                            \
    X(runtime)                                                                                     \
    X(compile)                                                                                     \
    X(memory)                                                                                      \
    X(gemm)                                                                                        \
    X(attention) X(decode) X(conv) X(elementwise) X(norms) X(reductions) X(algorithms) X(training) \
        X(sim)

#define BENCH_SUITE_DECLARED(name) extern const bench_suite bench_##name##_suite;
BENCH_SUITES(BENCH_SUITE_DECLARED)
#undef BENCH_SUITE_DECLARED

#endif
