// Parses byte counts such as 500M.
#ifndef CUCORE_BASE_BYTE_SIZE_H
#define CUCORE_BASE_BYTE_SIZE_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Parses a whole number with an optional suffix K, M, G or T for a power of 1024. Returns false for
// any other text and for 2^64 or more, and then leaves `*bytes` unchanged.
static inline bool cuc__read_byte_size(uint64_t *bytes, const char *text)
{
    static const char suffixes[] = "KMGT";
    char *end;

    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    const char *suffix = *end ? strchr(suffixes, *end) : NULL;
    int shift = suffix ? 10 * (int)(suffix - suffixes + 1) : 0;
    if (*text < '0' || *text > '9' || errno || (*end && (!suffix || end[1])) ||
        value > UINT64_MAX >> shift)
        return false;
    *bytes = value << shift;
    return true;
}

#endif
