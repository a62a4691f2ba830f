// Array length, and array growth by doubling.
#ifndef CUCORE_BASE_ARRAY_H
#define CUCORE_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The number of elements of an array, as a constant int, so that comparisons with signed and
// unsigned numbers compile without warnings.
#define CUC_LENGTH(array) ((int)(sizeof(array) / sizeof(*(array))))

// Implements CUC_RESERVE(). `array` is the address of the pointer to the items, which can have any
// type.
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

// Makes room for `count` items in the array that the pointer `array` points to. The size_t
// `capacity` is its current capacity; growth at least doubles it. Evaluates to false if out of
// memory, and then leaves the array unchanged.
#define CUC_RESERVE(array, capacity, count) \
    cuc__array_reserve(&(array), &(capacity), (count), sizeof(*(array)))

#endif
