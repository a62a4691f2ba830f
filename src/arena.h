// Memory that is given back all at once.
#ifndef CUCORE_SRC_ARENA_H
#define CUCORE_SRC_ARENA_H

#include <stddef.h>

struct cuc__arena;

// NULL when there is no memory.
struct cuc__arena *cuc__arena_create(void);
void cuc__arena_free(struct cuc__arena *arena);

// Zeroed, aligned for every type; NULL when there is no memory. Zero bytes give a valid pointer.
void *cuc__arena_take(struct cuc__arena *arena, size_t bytes);
// Text as printf makes it; NULL when there is no memory.
char *cuc__arena_print(struct cuc__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A copy of `bytes` bytes, closed by a zero byte.
char *cuc__arena_copy(struct cuc__arena *arena, const void *from, size_t bytes);

#endif
