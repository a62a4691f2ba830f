// Sets up a case of the suite compile: the cache of compiled code.
#ifndef CUCORE_BENCH_CASES_COMPILE_CACHE_H
#define CUCORE_BENCH_CASES_COMPILE_CACHE_H

#include "support.h"

// Sets up subjects that do the same work: without a cache, with a cache that misses in each run,
// and with a cache that has the result. CUDA C++ that includes headers has a fourth subject: the
// cache misses, but it has the list of included files.
cuc_status bench_set_up_cache(cuc_bench_state *state, void *data);

#endif
