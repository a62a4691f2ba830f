// Text built by formatted output, in a growing allocation or in the caller's buffer.
#ifndef CUCORE_BASE_TEXT_H
#define CUCORE_BASE_TEXT_H

#include "array.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// A zero-initialized struct is an empty text that grows; free() its `at`. After text has been lost,
// appends do nothing.
struct cuc__text {
    char *at; // zero-terminated; NULL until the first append
    size_t length, capacity;
    bool fixed; // `at` is the caller's buffer of `capacity` bytes
    bool lost;  // memory ran out, or the buffer truncated the text
};

// Initializes an empty text in a char array.
#define CUC_TEXT_IN(buffer)                                       \
    {                                                             \
        .at = (buffer), .capacity = sizeof(buffer), .fixed = true \
    }

// Makes room for `bytes` more bytes and the terminator.
static inline bool cuc__text_reserve(struct cuc__text *t, size_t bytes)
{
    const size_t need = t->length + bytes + 1;

    if (t->lost || (t->fixed ? need > t->capacity : !CUC_RESERVE(t->at, t->capacity, need)))
        t->lost = true;
    return !t->lost;
}

static inline void cuc__text_append(struct cuc__text *t, const char *bytes, size_t count)
{
    if (!cuc__text_reserve(t, count))
        return;
    memcpy(t->at + t->length, bytes, count);
    t->length += count;
    t->at[t->length] = '\0';
}

__attribute__((format(printf, 2, 0))) static inline void
cuc__text_vput(struct cuc__text *t, const char *format, va_list args)
{
    va_list again;

    if (t->lost)
        return;
    va_copy(again, args);
    int n = vsnprintf(t->at ? t->at + t->length : NULL, t->capacity - t->length, format, args);
    if (n >= 0 && (size_t)n >= t->capacity - t->length) {
        if (cuc__text_reserve(t, (size_t)n))
            vsnprintf(t->at + t->length, t->capacity - t->length, format, again);
        else
            n = t->fixed && t->capacity ? (int)(t->capacity - t->length - 1) : 0;
    }
    t->length += n > 0 ? (size_t)n : 0;
    va_end(again);
}

__attribute__((format(printf, 2, 3))) static inline void cuc__text_put(struct cuc__text *t,
                                                                       const char *format, ...)
{
    va_list args;

    va_start(args, format);
    cuc__text_vput(t, format, args);
    va_end(args);
}

#endif
