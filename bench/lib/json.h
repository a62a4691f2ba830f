// The parts of a session's document.
#ifndef CUCORE_BENCH_LIB_JSON_H
#define CUCORE_BENCH_LIB_JSON_H

#include "session.h"

#include <jansson.h>

// Set a key to what is known: nothing for NULL, for what is not a number, and for no text. False
// without memory.
bool cuc__bench_set_text(json_t *object, const char *key, const char *text);
bool cuc__bench_set_number(json_t *object, const char *key, double number);
bool cuc__bench_set_count(json_t *object, const char *key, uint64_t count);

// machine.c: what the session ran on; NULL without memory.
json_t *cuc__bench_machine(const cuc_bench *b);

#endif
