// Parts of a session's JSON document.
#ifndef CUCORE_BENCH_LIB_JSON_H
#define CUCORE_BENCH_LIB_JSON_H

#include "session.h"

#include <jansson.h>

// Set a key if the value is known: skip NULL, NAN and empty strings. Return false if out of memory.
bool cuc__bench_set_text(json_t *object, const char *key, const char *text);
bool cuc__bench_set_number(json_t *object, const char *key, double number);
bool cuc__bench_set_count(json_t *object, const char *key, uint64_t count);

// Describe a point's axis values, and set, under the key "figures", the figures that a subject
// reported.
json_t *cuc__bench_axes(const struct cuc__bench_point *p);
bool cuc__bench_set_figures(json_t *object, const cuc_bench_result *r);

// distribution.c: summarize each subject of each drawn case; return an array, or NULL if out of
// memory.
json_t *cuc__bench_distributions(const cuc_bench *b);

// machine.c: describe the session's machine; return NULL if out of memory.
json_t *cuc__bench_machine(const cuc_bench *b);

#endif
