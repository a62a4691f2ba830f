// Internal interface of sort.c and sort_shared.c.
#ifndef CUCORE_TILE_EMIT_SORT_H
#define CUCORE_TILE_EMIT_SORT_H

#include "emit.h"

// Integer keys in sort order. If there are indices, the smaller index comes first among equal keys.
struct tile_sort_keys {
    const struct tile_value *tile; // has the layout and shape of the keys
    uint32_t axis, count;          // `count`: number of registers
    const char *type;              // of the keys, such as "s32"
    enum tile_register_class class;
    tile_register *key, *index; // index: NULL if all keys differ or no indices are requested
};

// Returns a predicate: (k, i) comes before (l, j). Only for keys with indices.
tile_register tile_stands_before(struct tile_emitter *e, const struct tile_sort_keys *s,
                                 tile_register k, tile_register i, tile_register l,
                                 tile_register j);

// sort_shared.c: sorts with loops over keys in shared memory. tile_sort_shared_bytes() returns the
// bytes that this needs. tile_sort_in_shared() emits the loops and assigns new registers to keys
// and indices.
uint64_t tile_sort_shared_bytes(const struct tile_sort_keys *s);
void tile_sort_in_shared(struct tile_emitter *e, struct tile_sort_keys *s);

#endif
