// Hash table of names. Each name occurs once, and has a number and a pointer for the caller's use.
#ifndef CUCORE_TILE_IR_NAMES_H
#define CUCORE_TILE_IR_NAMES_H

#include "ir.h"

struct tile_name {
    const char *text;
    uint32_t hash;
    uint32_t number; // for the caller; initially 0
    void *value;     // for the caller; initially NULL
};

struct tile_names {
    struct tile_name *name;
    uint32_t *place; // by hash: index of a name, from 1; 0: free
    uint32_t count, capacity;
};

// Returns the index of a name in names->name; UINT32_MAX if the table does not contain it.
uint32_t tile_names_find(const struct tile_names *names, const char *text);
// Returns the index of a name in names->name, or UINT32_MAX if out of memory. If the name is new,
// adds it, and keeps the pointer `text`.
uint32_t tile_names_add(struct tile_names *names, struct tile_module *module, const char *text);
// Adds a new name. Returns false if the table contains it or if out of memory.
bool tile_names_take(struct tile_names *names, struct tile_module *module, const char *text);

#endif
