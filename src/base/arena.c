#include "arena.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 * 1024, LARGEST_CHUNK = 1024 * 1024 };

struct chunk {
    struct chunk *next, *previous;
    size_t size;    // bytes of data
    size_t written; // the bytes from here on are still zero
    _Alignas(ALIGNMENT) unsigned char bytes[];
};

struct cuc__arena {
    struct chunk *chunks;
    unsigned char *at;
    size_t left;
    size_t next_chunk;
    struct cuc__arena_account *account; // NULL: not counted
};

// Freed chunks for reuse, at most SPARES of each common size. Each compilation fills an arena and
// frees it. Without spares, the C library returns the memory to the system between compilations,
// and each new page costs a fault. AddressSanitizer finds accesses after a free, so it gets every
// chunk back.
enum { SMALLEST_SPARE = 8 * 1024, SPARE_SIZES = 6, SPARES = 4 };
static _Atomic(struct chunk *) spares[SPARE_SIZES][SPARES];

#if defined(__SANITIZE_ADDRESS__)
#define KEEPS_SPARES 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KEEPS_SPARES 0
#endif
#endif
#ifndef KEEPS_SPARES
#define KEEPS_SPARES 1
#endif

// Returns the spare chunks of a size, or NULL if chunks of this size are not kept.
static _Atomic(struct chunk *) *spares_of(size_t bytes)
{
    for (size_t i = 0; KEEPS_SPARES && i < SPARE_SIZES; i++)
        if (bytes == (size_t)SMALLEST_SPARE << i)
            return spares[i];
    return NULL;
}

// Returns a spare chunk, which is not cleared, or NULL if there is none.
static struct chunk *take_spare(size_t bytes)
{
    _Atomic(struct chunk *) *spare = spares_of(bytes);

    for (size_t i = 0; spare && i < SPARES; i++) {
        struct chunk *c = atomic_exchange_explicit(&spare[i], NULL, memory_order_acquire);
        if (c)
            return c;
    }
    return NULL;
}

// Keeps a chunk as a spare, or frees it.
static void drop_chunk(struct chunk *c)
{
    _Atomic(struct chunk *) *spare = spares_of(c->size);

    for (size_t i = 0; spare && i < SPARES; i++) {
        struct chunk *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&spare[i], &none, c, memory_order_release,
                                                    memory_order_relaxed))
            return;
    }
    free(c);
}

// Also runs when the library is unloaded.
__attribute__((destructor)) void cuc__arena_free_spares(void)
{
    for (size_t i = 0; i < SPARE_SIZES; i++)
        for (size_t n = 0; n < SPARES; n++)
            free(atomic_exchange_explicit(&spares[i][n], NULL, memory_order_acquire));
}

struct cuc__arena *cuc__arena_create(void)
{
    struct cuc__arena *arena = calloc(1, sizeof(*arena));

    if (arena)
        arena->next_chunk = FIRST_CHUNK;
    return arena;
}

void cuc__arena_charge(struct cuc__arena *arena, struct cuc__arena_account *account)
{
    arena->account = account;
}

// Charges the bytes of a new chunk to the account. Returns false if they exceed its limit.
static bool charge(struct cuc__arena *arena, size_t bytes)
{
    struct cuc__arena_account *a = arena->account;

    if (!a)
        return true;
    if (a->held > a->limit || bytes > a->limit - a->held) {
        a->refused = true;
        return false;
    }
    a->held += bytes;
    a->peak = a->held > a->peak ? a->held : a->peak;
    return true;
}

static void uncharge(struct cuc__arena *arena, size_t bytes)
{
    if (arena->account)
        arena->account->held -= bytes < arena->account->held ? bytes : arena->account->held;
}

void cuc__arena_free(struct cuc__arena *arena)
{
    if (!arena)
        return;
    while (arena->chunks) {
        struct chunk *c = arena->chunks;

        arena->chunks = c->next;
        uncharge(arena, c->size);
        if (arena->at >= c->bytes && arena->at <= c->bytes + c->size)
            c->written = (size_t)(arena->at - c->bytes);
        drop_chunk(c);
    }
    free(arena);
}

static void link_chunk(struct cuc__arena *arena, struct chunk *c)
{
    c->previous = NULL;
    c->next = arena->chunks;
    if (c->next)
        c->next->previous = c;
    arena->chunks = c;
}

static void unlink_chunk(struct cuc__arena *arena, struct chunk *c)
{
    if (c->previous)
        c->previous->next = c->next;
    else
        arena->chunks = c->next;
    if (c->next)
        c->next->previous = c->previous;
}

// Allocates a zeroed chunk. The system provides a large new one as zero pages and commits each page
// on first use.
static struct chunk *add_chunk(struct cuc__arena *arena, size_t bytes)
{
    if (!charge(arena, bytes))
        return NULL;
    struct chunk *c = take_spare(bytes);
    if (c)
        memset(c->bytes, 0, c->written);
    else
        c = calloc(1, sizeof(*c) + bytes);
    if (c) {
        c->size = c->written = bytes;
        link_chunk(arena, c);
    } else {
        uncharge(arena, bytes);
    }
    return c;
}

void *cuc__arena_allocate(struct cuc__arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (bytes > arena->left) {
        struct chunk *c;

        if (bytes > arena->next_chunk / 4) { // a large block gets its own chunk, which leaves the
                                             // rest of the current chunk usable
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

// Works like realloc().
static struct chunk *resize_chunk(struct chunk *c, size_t bytes)
{
    struct chunk *spare = take_spare(bytes);

    if (!spare)
        return realloc(c, sizeof(*c) + bytes);
    if (c) {
        memcpy(spare->bytes, c->bytes, c->size < bytes ? c->size : bytes);
        drop_chunk(c);
    }
    return spare;
}

void *cuc__arena_resize(struct cuc__arena *arena, void *block, size_t bytes)
{
    struct chunk *c = NULL;
    size_t size = 0;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    if (block) {
        c = (struct chunk *)(void *)((unsigned char *)block - offsetof(struct chunk, bytes));
        size = c->size;
    }
    if (bytes > size && !charge(arena, bytes - size))
        return NULL;
    if (c)
        unlink_chunk(arena, c);
    struct chunk *resized = bytes ? resize_chunk(c, bytes) : NULL;
    if (c && !bytes)
        drop_chunk(c);
    else if (c && !resized)
        link_chunk(arena, c);
    if (bytes && !resized) {
        uncharge(arena, bytes > size ? bytes - size : 0);
        return NULL;
    }
    if (bytes < size)
        uncharge(arena, size - bytes);
    if (!resized)
        return NULL;
    resized->size = resized->written = bytes;
    link_chunk(arena, resized);
    return resized->bytes;
}

char *cuc__arena_print(struct cuc__arena *arena, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : cuc__arena_allocate(arena, (size_t)n + 1);
    if (text) {
        va_start(args, format);
        vsnprintf(text, (size_t)n + 1, format, args);
        va_end(args);
    }
    return text;
}

char *cuc__arena_copy(struct cuc__arena *arena, const void *from, size_t bytes)
{
    char *copy = cuc__arena_allocate(arena, bytes + 1);

    if (copy && bytes)
        memcpy(copy, from, bytes);
    return copy;
}
