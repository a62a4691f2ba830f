// Third-party libraries under measurement, loaded function by function if present.
#ifndef CUCORE_BENCH_CASES_LIBRARY_H
#define CUCORE_BENCH_CASES_LIBRARY_H

#include "support.h"

// A function and the destination of its address.
typedef struct bench_symbol {
    const char *name;
    void *slot; // a function pointer's address
} bench_symbol;

// Row for each function of a .def file: BENCH_SYMBOL(table, name).
#define BENCH_SYMBOL(table, name) \
    {                             \
#name, &(table).name      \
    }

// Load a library by its cuc_find_library() name and look up its functions. On failure the reason is
// in `why` and no slot may be called; the benchmarks treat this as a skip.
bool bench_load(const char *library, const bench_symbol *symbols, size_t count, char *why,
                size_t why_size);

#endif
