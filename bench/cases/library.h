// Loads third-party libraries to measure, if present, and looks up each function.
#ifndef CUCORE_BENCH_CASES_LIBRARY_H
#define CUCORE_BENCH_CASES_LIBRARY_H

#include "support.h"

// The name of a function, and where to store its address.
typedef struct bench_symbol {
    const char *name;
    void *slot; // address of a function pointer
} bench_symbol;

// Makes a row for a function in a .def file: BENCH_SYMBOL(table, name).
#define BENCH_SYMBOL(table, name) \
    {                             \
#name, &(table).name      \
    }

// Load a library by its cuc_find_library() name and look up its functions. On failure the reason is
// in `why`, and the pointers in the slots must not be called; the benchmarks then skip the
// library's subjects.
bool bench_load(const char *library, const bench_symbol *symbols, size_t count, char *why,
                size_t why_size);

#endif
