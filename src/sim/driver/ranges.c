// What kernels may reach: allocations, registered host memory and variables, sorted by address.
// Executors look here when a range that they remember does not fit, from any thread, so the table
// has a lock of its own.
#include "sim/exec.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct piece {
    uint64_t base, end;
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct piece *pieces;
static size_t count, room;

_Atomic uint64_t sim_memory_generation = 1; // 0 is that of nothing

// The index of the first piece above an address.
static size_t above(uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pieces[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool sim_memory_find(uint64_t address, struct sim_range *out)
{
    bool found = false;

    pthread_rwlock_rdlock(&lock);
    // Under the lock: a range that is removed after this has a later generation.
    uint64_t generation = atomic_load(&sim_memory_generation);
    size_t at = above(address);
    if (at && address < pieces[at - 1].end) {
        *out = (struct sim_range){ .base = pieces[at - 1].base,
                                   .end = pieces[at - 1].end,
                                   .generation = generation };
        found = true;
    }
    pthread_rwlock_unlock(&lock);
    return found;
}

void sim_memory_add(uint64_t base, uint64_t bytes)
{
    pthread_rwlock_wrlock(&lock);
    if (count == room) {
        room = room ? 2 * room : 256;
        struct piece *grown = realloc(pieces, room * sizeof(*pieces));
        if (!grown) {
            fprintf(stderr, "simulated driver: no memory for the table of memory\n");
            abort();
        }
        pieces = grown;
    }
    size_t at = above(base);
    if (at < count)
        memmove(pieces + at + 1, pieces + at, (count - at) * sizeof(*pieces));
    pieces[at] = (struct piece){ .base = base, .end = base + bytes };
    count++;
    pthread_rwlock_unlock(&lock);
}

void sim_memory_remove(uint64_t base)
{
    pthread_rwlock_wrlock(&lock);
    size_t at = above(base);
    if (at && pieces[at - 1].base == base) {
        memmove(pieces + at - 1, pieces + at, (count - at) * sizeof(*pieces));
        count--;
        atomic_fetch_add(&sim_memory_generation, 1);
    }
    pthread_rwlock_unlock(&lock);
}
