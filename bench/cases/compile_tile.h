// Cases of the suite `compile` that time the compilation of tile source to PTX, and compare it with
// nvJitLink's time for that PTX.
#ifndef CUCORE_BENCH_CASES_COMPILE_TILE_H
#define CUCORE_BENCH_CASES_COMPILE_TILE_H

#include "support.h"

#include <jansson.h>

// Sets up a warm case: earlier compilations in this process have prepared memory and code.
cuc_status bench_set_up_tile(cuc_bench_state *state, void *data);

// Sets up a case that times the first compilation in a new process. That process runs
// bench_tile_first() and answers with "seconds".
cuc_status bench_set_up_tile_first(cuc_bench_state *state, void *data);
cuc_status bench_tile_first(const json_t *request, json_t *answer);

#endif
