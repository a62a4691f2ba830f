// Libraries that are measured as they are: loaded when they are there, function by function.
#ifndef CUCORE_BENCH_CASES_LIBRARY_H
#define CUCORE_BENCH_CASES_LIBRARY_H

#include "support.h"

// A function and where its address goes.
typedef struct bench_symbol {
    const char *name;
    void *slot; // of a pointer to a function
} bench_symbol;

// A row for each function of a .def file: BENCH_SYMBOL(table, name).
#define BENCH_SYMBOL(table, name) \
    {                             \
#name, &(table).name      \
    }

// Load a library that cuc_find_library() knows by this name, and look its functions up. When this
// fails, the reason is in `why`, and no slot may be called; that is no failure of the benchmarks.
bool bench_load(const char *library, const bench_symbol *symbols, size_t count, char *why,
                size_t why_size);

#endif
