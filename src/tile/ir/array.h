// Growable arrays in a module's arena, like the heap arrays of CUC_RESERVE().
#ifndef CUCORE_TILE_IR_ARRAY_H
#define CUCORE_TILE_IR_ARRAY_H

#include "ir.h"

#include <string.h>

// Implements TILE_RESERVE(). `array` is the address of a pointer to items of any type.
static inline bool tile_array_reserve(struct tile_module *module, void *array, uint32_t *capacity,
                                      uint32_t count, uint32_t least, size_t item)
{
    uint32_t more = *capacity ? 2 * *capacity : least;
    void *items;

    if (count <= *capacity)
        return true;
    while (more < count)
        more *= 2;
    memcpy(&items, array, sizeof(items));
    void *grown = tile_take(module, more * item);
    if (!grown)
        return false;
    if (*capacity)
        memcpy(grown, items, *capacity * item);
    memcpy(array, &grown, sizeof(grown));
    *capacity = more;
    return true;
}

// Ensures that an array has room for `count` items. `array` is the pointer to its items, and
// `capacity` its uint32_t capacity, which doubles, starting from `least`. New items are zero. False
// if out of memory, in which case the array is unchanged.
#define TILE_RESERVE(module, array, capacity, count, least) \
    tile_array_reserve((module), &(array), &(capacity), (count), (least), sizeof(*(array)))

#endif
