// Arrays that grow in a module's arena, as CUC_RESERVE() grows them in the heap.
#ifndef CUCORE_TILE_IR_ARRAY_H
#define CUCORE_TILE_IR_ARRAY_H

#include "ir.h"

#include <string.h>

// Use TILE_RESERVE(). `array` points to the pointer to the items, which has a type of its own.
static inline bool tile_array_reserve(struct tile_module *module, void *array, uint32_t *room,
                                      uint32_t count, uint32_t least, size_t item)
{
    uint32_t more = *room ? 2 * *room : least;
    void *items;

    if (count <= *room)
        return true;
    while (more < count)
        more *= 2;
    memcpy(&items, array, sizeof(items));
    void *grown = tile_take(module, more * item);
    if (!grown)
        return false;
    if (*room)
        memcpy(grown, items, *room * item);
    memcpy(array, &grown, sizeof(grown));
    *room = more;
    return true;
}

// Makes room for `count` items behind the pointer `array`, whose capacity in items is the uint32_t
// `room`: doubles it, or begins with `least`. New items are zero. False without memory; the array
// is then as it was.
#define TILE_RESERVE(module, array, room, count, least) \
    tile_array_reserve((module), &(array), &(room), (count), (least), sizeof(*(array)))

#endif
