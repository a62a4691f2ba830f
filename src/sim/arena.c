#include "arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 1024 * 1024 };

struct chunk {
    struct chunk *next;
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct sim_arena {
    struct chunk *chunks;
    unsigned char *at;
    size_t left;
    size_t next_chunk;
};

struct sim_arena *sim_arena_create(void)
{
    struct sim_arena *arena = calloc(1, sizeof(*arena));

    if (arena)
        arena->next_chunk = FIRST_CHUNK;
    return arena;
}

void sim_arena_free(struct sim_arena *arena)
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
static struct chunk *add_chunk(struct sim_arena *arena, size_t bytes)
{
    struct chunk *c = calloc(1, sizeof(*c) + bytes);

    if (c) {
        c->next = arena->chunks;
        arena->chunks = c;
    }
    return c;
}

void *sim_arena_take(struct sim_arena *arena, size_t bytes)
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
