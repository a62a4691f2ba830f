// Divides whole numbers.
#ifndef CUCORE_BASE_DIVIDE_H
#define CUCORE_BASE_DIVIDE_H

#include <stdint.h>

// Returns x / y, rounded up, of numbers that are not negative.
static inline int64_t cuc__ceil_div(int64_t x, int64_t y)
{
    return x / y + (x % y != 0);
}

#endif
