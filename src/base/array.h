// Arrays: number of elements, and growth by doubling.
#ifndef CUCORE_BASE_ARRAY_H
#define CUCORE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The number of elements of an array, as an int: a constant that can be compared with signed and
// unsigned numbers without a warning.
#define CUC_LENGTH(array) ((int)(sizeof(array) / sizeof(*(array))))

// Called by CUC_RESERVE(). `array` points to the pointer to the items, which can have any type.
static inline bool cuc__array_reserve(void *array, size_t *capacity, size_t count, size_t item)
{
    if (count <= *capacity)
        return true;
    size_t more = *capacity < SIZE_MAX / 2 ? 2 * *capacity : SIZE_MAX;
    void *items;
    if (more < 8)
        more = 8;
    if (more < count)
        more = count;
    if (more > SIZE_MAX / item)
        return false;
    memcpy(&items, array, sizeof(items));
    items = realloc(items, more * item);
    if (!items)
        return false;
    memcpy(array, &items, sizeof(items));
    *capacity = more;
    return true;
}

// Ensures room for `count` items in the array at the pointer `array`, whose capacity is the size_t
// `capacity`; growth at least doubles the capacity. False if out of memory; the array is then
// unchanged.
#define CUC_RESERVE(array, capacity, count) \
    cuc__array_reserve(&(array), &(capacity), (count), sizeof(*(array)))

#endif
