// Cache keys: a hash of everything that can change the result of a compilation.
#ifndef CUCORE_CACHE_KEY_H
#define CUCORE_CACHE_KEY_H

#include "entry.h"

// A key under construction. The hash includes each field's length, so that different lists of
// fields give different hash inputs.
typedef struct cuc__key_maker {
    cuc__sha256 hash;
    bool refused;  // an input of the compilation is unknown, so no key exists
    char why[320]; // the reason, as readable text
} cuc__key_maker;

// Begins a key for one kind of work. Change `kind` whenever the format of its entries changes.
void cuc__key_begin(cuc__key_maker *key, const char *kind);
void cuc__key_add(cuc__key_maker *key, const void *data, size_t bytes);
void cuc__key_add_text(cuc__key_maker *key, const char *text); // NULL differs from ""
void cuc__key_add_number(cuc__key_maker *key, uint64_t number);
// Adds a file's path, size, time and build ID, for example of a compiler's library. Refuses the key
// if the file is missing.
void cuc__key_add_identity(cuc__key_maker *key, const char *path);
// Refuses the key, with a reason. Only the first reason is kept.
void cuc__key_refuse(cuc__key_maker *key, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
// Writes the key. Returns false if the key was refused.
bool cuc__key_finish(cuc__key *out, cuc__key_maker *key);

#endif
