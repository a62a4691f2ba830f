// Axes of a case: lists of values as strings, and their parsed form.
#ifndef CUCORE_BENCH_LIB_AXIS_H
#define CUCORE_BENCH_LIB_AXIS_H

#include "fail.h"

struct cuc__bench_value {
    int64_t number;   // for INT and POW2
    cuc_dtype dtype;  // DTYPE
    int32_t reserved; // 0
    const char *text; // readable form: "1048576", "bf16"
};

struct cuc__bench_values {
    struct cuc__bench_value *at;
    size_t count, capacity;
    struct cuc__bench_text *texts;
};

// Parse a list for an axis of this kind. Messages call it `axis`. On failure nothing remains
// allocated.
cuc_status cuc__bench_read_values(struct cuc__bench_values *out, int32_t kind, const char *axis,
                                  const char *list, const char *function);
void cuc__bench_values_release(struct cuc__bench_values *v);

#endif
