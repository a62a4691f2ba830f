#include "arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 1024 * 1024 };

struct chunk {
    struct chunk *next;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct cuc__arena {
    struct chunk *chunks;
    unsigned char *at;
    size_t left;
    size_t next_chunk;
};

struct cuc__arena *cuc__arena_create(void)
{
    struct cuc__arena *arena = calloc(1, sizeof(*arena));

    if (arena)
        arena->next_chunk = FIRST_CHUNK;
    return arena;
}

void cuc__arena_free(struct cuc__arena *arena)
{
    if (!arena)
        return;
    while (arena->chunks) {
        struct chunk *c = arena->chunks;

        arena->chunks = c->next;
        free(c);
    }
    free(arena);
}

// Chunks come from calloc: a large one is zero pages of the system's, not written before use.
static struct chunk *add_chunk(struct cuc__arena *arena, size_t bytes)
{
    struct chunk *c = calloc(1, sizeof(*c) + bytes);

    if (c) {
        c->next = arena->chunks;
        arena->chunks = c;
    }
    return c;
}

void *cuc__arena_take(struct cuc__arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > arena->left) {
        struct chunk *c;

        if (bytes > arena->next_chunk / 4) { // on its own, so that what is left is not lost
            c = add_chunk(arena, bytes);
            return c ? c->bytes : NULL;
        }
        c = add_chunk(arena, arena->next_chunk);
        if (!c)
            return NULL;
        arena->at = c->bytes;
        arena->left = arena->next_chunk;
        if (arena->next_chunk < LARGEST_CHUNK)
            arena->next_chunk *= 2;
    }
    void *taken = arena->at;
    arena->at += bytes;
    arena->left -= bytes;
    return taken;
}

char *cuc__arena_print(struct cuc__arena *arena, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : cuc__arena_take(arena, (size_t)n + 1);
    if (text) {
        va_start(args, format);
        vsnprintf(text, (size_t)n + 1, format, args);
        va_end(args);
    }
    return text;
}

char *cuc__arena_copy(struct cuc__arena *arena, const void *from, size_t bytes)
{
    char *copy = cuc__arena_take(arena, bytes + 1);

    if (copy && bytes)
        memcpy(copy, from, bytes);
    return copy;
}
