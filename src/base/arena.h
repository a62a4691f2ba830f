// Arenas: memory that is freed all at once.
#ifndef CUCORE_BASE_ARENA_H
#define CUCORE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct cuc__arena;

// A limit on the memory that several arenas hold together, counted in whole chunks as allocated
// from the system. The caller keeps the account alive as long as its arenas.
struct cuc__arena_account {
    size_t limit, held, peak;
    bool refused; // an arena requested more than the limit allows
};

// Returns NULL if out of memory.
struct cuc__arena *cuc__arena_create(void);
// Charges the arena's chunks to an account from now on; beyond the account's limit, allocations
// fail.
void cuc__arena_charge(struct cuc__arena *arena, struct cuc__arena_account *account);
void cuc__arena_free(struct cuc__arena *arena);

// Returns zeroed memory, aligned for every type, or NULL if out of memory. Zero bytes give a valid
// pointer.
void *cuc__arena_allocate(struct cuc__arena *arena, size_t bytes);
// Resizes a block of cuc__arena_allocate(), or allocates one for NULL. The memory is not zeroed.
// For zero bytes the block is freed; otherwise the arena frees it in the end. If out of memory,
// returns NULL and leaves the block unchanged.
void *cuc__arena_resize(struct cuc__arena *arena, void *block, size_t bytes);
// Formats text as printf() does; NULL if out of memory.
char *cuc__arena_print(struct cuc__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// Copies `bytes` bytes and appends a zero byte.
char *cuc__arena_copy(struct cuc__arena *arena, const void *from, size_t bytes);

#endif
