// Cases of the suite compile: tile source to PTX, beside what nvJitLink then takes for that PTX.
#ifndef CUCORE_BENCH_CASES_COMPILE_TILE_H
#define CUCORE_BENCH_CASES_COMPILE_TILE_H

#include "support.h"

#include <jansson.h>

// Warm: what was compiled before in this process has made memory and code ready.
cuc_status bench_set_up_tile(cuc_bench_state *state, void *data);

// The first in a process of its own, timed there: bench_tile_first() is what that process does, and
// it answers with "seconds".
cuc_status bench_set_up_tile_first(cuc_bench_state *state, void *data);
cuc_status bench_tile_first(const json_t *request, json_t *answer);

#endif
