// Parts of a session's JSON document.
#ifndef CUCORE_BENCH_LIB_JSON_H
#define CUCORE_BENCH_LIB_JSON_H

#include "session.h"

#include <jansson.h>

// Set a key if the value is known: skip NULL, NAN and empty strings. False if out of memory.
bool cuc__bench_set_text(json_t *object, const char *key, const char *text);
bool cuc__bench_set_number(json_t *object, const char *key, double number);
bool cuc__bench_set_count(json_t *object, const char *key, uint64_t count);

// machine.c: describe the session's machine; NULL if out of memory.
json_t *cuc__bench_machine(const cuc_bench *b);

#endif
