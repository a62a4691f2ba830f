// Memory that is given back all at once.
#ifndef CUCORE_BASE_ARENA_H
#define CUCORE_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct cuc__arena;

// The memory that arenas may hold together, and what they hold: whole chunks, as the system gives
// them. The caller keeps it alive as long as its arenas.
struct cuc__arena_account {
    size_t limit, held, peak;
    bool refused; // an arena asked for more than the limit
};

// NULL when there is no memory.
struct cuc__arena *cuc__arena_create(void);
// Charges the arena's chunks, from now on, to an account; beyond its limit there is no memory.
void cuc__arena_charge(struct cuc__arena *arena, struct cuc__arena_account *account);
void cuc__arena_free(struct cuc__arena *arena);

// Zeroed, aligned for every type; NULL when there is no memory. Zero bytes give a valid pointer.
void *cuc__arena_take(struct cuc__arena *arena, size_t bytes);
// Resizes a block that this function made, or makes one (NULL), of memory that is not zeroed; it
// goes back to the system alone (0 bytes) or with the arena. NULL when there is no memory, and the
// block stays as it is.
void *cuc__arena_resize(struct cuc__arena *arena, void *block, size_t bytes);
// Text as printf makes it; NULL when there is no memory.
char *cuc__arena_print(struct cuc__arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A copy of `bytes` bytes, closed by a zero byte.
char *cuc__arena_copy(struct cuc__arena *arena, const void *from, size_t bytes);

#endif
