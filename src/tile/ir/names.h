// Names found by hashing: each once, with a number and a pointer for whoever keeps them.
#ifndef CUCORE_TILE_IR_NAMES_H
#define CUCORE_TILE_IR_NAMES_H

#include "ir.h"

struct tile_name {
    const char *text;
    uint32_t hash;
    uint32_t number; // the caller's, 0 at first
    void *value;     // the caller's, NULL at first
};

struct tile_names {
    struct tile_name *name;
    uint32_t *place; // by hash: of a name, from 1; 0: free
    uint32_t count, room;
};

// UINT32_MAX: there is none of that text.
uint32_t tile_names_find(const struct tile_names *names, const char *text);
// The place of a name in names->name, which it keeps; added where it is new. UINT32_MAX: there is no
// memory.
uint32_t tile_names_add(struct tile_names *names, struct tile_module *module, const char *text);
// Takes a name for the first time; false: it was there already, or there is no memory.
bool tile_names_take(struct tile_names *names, struct tile_module *module, const char *text);

#endif
