// Arenas: memory that is freed all at once.
#ifndef CUCORE_BASE_ARENA_H
#define CUCORE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct cuc__arena;

// A limit on the memory that several arenas hold together. The total counts the chunks that the
// arenas allocate from the system. The caller must keep the account alive longer than its arenas.
struct cuc__arena_account {
    size_t limit, held, peak;
    bool refused; // an arena has asked for more than the limit allows
};

// Returns NULL if out of memory.
struct cuc__arena *cuc__arena_create(void);
// Charges the arena's chunks to an account from now on. An allocation that would exceed the
// account's limit fails.
void cuc__arena_charge(struct cuc__arena *arena, struct cuc__arena_account *account);
// Frees the arena. Chunks of common sizes, at most 2 MiB in all, are kept for later arenas.
void cuc__arena_free(struct cuc__arena *arena);
// Frees the kept chunks, for tests that count what is not freed.
void cuc__arena_free_spares(void);

// Returns zeroed memory, aligned for every type, or NULL if out of memory. Zero bytes yield a valid
// pointer.
void *cuc__arena_allocate(struct cuc__arena *arena, size_t bytes);
// Resizes a block from cuc__arena_allocate(), or allocates one if `block` is NULL. New memory is
// not zeroed. Zero bytes free the block; otherwise the arena frees it at its own end. If out of
// memory, returns NULL and leaves the block unchanged.
void *cuc__arena_resize(struct cuc__arena *arena, void *block, size_t bytes);
// Formats text like printf(). Returns NULL if out of memory.
char *cuc__arena_print(struct cuc__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Copies `bytes` bytes and appends a zero byte.
char *cuc__arena_copy(struct cuc__arena *arena, const void *from, size_t bytes);

#endif
