#include "suites.h"

const bench_suite *const bench_suites[] = {
#define SUITE(name) &bench_##name##_suite,
    BENCH_SUITES(SUITE)
#undef SUITE
        NULL,
};
