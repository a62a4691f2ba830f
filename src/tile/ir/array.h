// Arrays that grow in a module's arena, as CUC_RESERVE() grows them in the heap.
#ifndef CUCORE_TILE_IR_ARRAY_H
#define CUCORE_TILE_IR_ARRAY_H

#include "ir.h"

#include <string.h>

// Called by TILE_RESERVE(). `array` points to the pointer to the items, which can have any type.
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

// Ensures room for `count` items in the array at the pointer `array`, whose capacity is the
// uint32_t `capacity`. The capacity doubles, starting from `least`. New items are zero. False if
// out of memory; the array is then unchanged.
#define TILE_RESERVE(module, array, capacity, count, least) \
    tile_array_reserve((module), &(array), &(capacity), (count), (least), sizeof(*(array)))

#endif
