// Internal interface of sort.c and sort_shared.c.
#ifndef CUCORE_TILE_EMIT_SORT_H
#define CUCORE_TILE_EMIT_SORT_H

#include "emit.h"

// Integer keys in sort order. Among equal keys the smaller index comes first, if there are indices.
struct tile_sort_keys {
    const struct tile_value *tile; // its layout and shape are those of the keys
    uint32_t axis, count;          // registers
    const char *type;              // "s32"
    enum tile_register_class class;
    tile_register *key, *index; // index: NULL if no two keys are equal, or if none is requested
};

// Returns the predicate "(k, i) comes before (l, j)", for keys with indices.
tile_register tile_stands_before(struct tile_emitter *e, const struct tile_sort_keys *s,
                                 tile_register k, tile_register i, tile_register l,
                                 tile_register j);

// sort_shared.c: the bytes of shared memory for a network that is emitted as loops over keys there;
// and that sort itself, which gives keys and indices new registers.
uint64_t tile_sort_shared_bytes(const struct tile_sort_keys *s);
void tile_sort_in_shared(struct tile_emitter *e, struct tile_sort_keys *s);

#endif
