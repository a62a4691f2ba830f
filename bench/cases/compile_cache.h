// Sets up a case of the suite compile: the cache of compiled code.
#ifndef CUCORE_BENCH_CASES_COMPILE_CACHE_H
#define CUCORE_BENCH_CASES_COMPILE_CACHE_H

#include "support.h"

// Sets up three subjects that do the same work: without a cache, with a cache that is empty before
// each run, and with a cache that has the result.
cuc_status bench_set_up_cache(cuc_bench_state *state, void *data);

#endif
