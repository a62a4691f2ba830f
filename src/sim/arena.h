// Memory that is given back all at once.
#ifndef CUCORE_SIM_ARENA_H
#define CUCORE_SIM_ARENA_H

#include <stddef.h>

struct sim_arena;

// NULL when there is no memory.
struct sim_arena *sim_arena_create(void);
void sim_arena_free(struct sim_arena *arena);

// Zeroed, aligned for every type; NULL when there is no memory. Zero bytes give a valid pointer.
void *sim_arena_take(struct sim_arena *arena, size_t bytes);

#endif
