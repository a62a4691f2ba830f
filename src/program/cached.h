// Compilation through the cache.
#ifndef CUCORE_PROGRAM_CACHED_H
#define CUCORE_PROGRAM_CACHED_H

#include "program.h"

typedef cuc_status (*cuc__program_run)(cuc_object **out, cuc_program *program, int32_t target,
                                       const char *function);

// Finds the result of `run` in the program's cache, or else runs it and stores the result. A hit
// loads no compiler.
cuc_status cuc__program_run_cached(cuc_object **out, cuc_program *program, int32_t target,
                                   cuc__program_run run, const char *function);

#endif
