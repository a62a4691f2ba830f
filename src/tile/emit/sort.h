// What sort.c and sort_shared.c share.
#ifndef CUCORE_TILE_EMIT_SORT_H
#define CUCORE_TILE_EMIT_SORT_H

#include "emit.h"

// Integers in the order of what is sorted. Of equal keys the smaller index stands before, where
// there are indices.
struct tile_sort_keys {
    const struct tile_value *tile; // whose layout and shape they have
    uint32_t axis, count;          // registers
    const char *type;              // "s32"
    enum tile_register_class class;
    tile_register *key, *index; // index: NULL where no two keys are equal, or none is asked for
};

// p: (k, i) stands before (l, j); of keys that have indices.
tile_register tile_stands_before(struct tile_emitter *e, const struct tile_sort_keys *s,
                                 tile_register k, tile_register i, tile_register l,
                                 tile_register j);

// sort_shared.c: the network as loops over keys in shared memory. What it needs of that; the sort
// itself, which gives keys and indices new registers.
uint64_t tile_sort_shared_bytes(const struct tile_sort_keys *s);
void tile_sort_in_shared(struct tile_emitter *e, struct tile_sort_keys *s);

#endif
