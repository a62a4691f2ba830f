// Reads and writes unaligned little-endian numbers, as file formats use them.
#ifndef CUCORE_BASE_BYTES_H
#define CUCORE_BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t cuc__read_le(const void *data, size_t at, size_t bytes)
{
    const unsigned char *p = (const unsigned char *)data + at;
    uint64_t value = 0;

    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | p[i];
    return value;
}

static inline void cuc__write_le(void *data, size_t at, size_t bytes, uint64_t value)
{
    unsigned char *p = (unsigned char *)data + at;

    for (size_t i = 0; i < bytes; i++)
        p[i] = (unsigned char)(value >> 8 * i);
}

#endif
