// Table of the memory that kernels may access: allocations, registered host memory and variables,
// sorted by address. Executing threads consult it whenever no cached range matches, so the table
// has its own lock.
//
// The pieces of memory are stored in blocks, so that changes to a large table are fast. Recently
// freed pieces are remembered for reports.
#include "base/array.h"
#include "machine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 256, // maximum number of pieces in a block
    PAST = 8192, // number of freed pieces that are remembered
};

// Attribute an invalid address to a piece if it is at most this far away.
static const uint64_t near = UINT64_C(1) << 20;

struct piece {
    uint64_t base, end;
    int device;
};

struct block {
    size_t count; // never 0
    struct piece pieces[BLOCK];
};

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct block **blocks;
static size_t count, capacity;

static struct past {
    uint64_t base, end;
    const char *by;
} past[PAST];
static size_t past_count; // number of pieces ever freed, including forgotten ones

_Atomic uint64_t sim_memory_generation = 1; // 0: never valid

// Keep a spare block, and room in the table for it, so that an insertion fails only if memory was
// unavailable twice in a row.
static struct block first_block, *spare = &first_block;
static struct block *first_table[64];

static void grow_table(void)
{
    size_t more = capacity ? 2 * capacity : CUC_LENGTH(first_table);
    struct block **table = capacity ? malloc(more * sizeof(struct block *)) : first_table;

    if (!table)
        return;
    if (count)
        memcpy(table, blocks, count * sizeof(struct block *));
    if (blocks != first_table)
        free(blocks);
    blocks = table;
    capacity = more;
}

static void prepare(void)
{
    if (!spare)
        spare = malloc(sizeof(*spare));
    if (count + 1 >= capacity)
        grow_table();
}

// Returns the last block that begins at or below an address. If there is none, returns the first
// block.
static size_t block_of(uint64_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (blocks[middle]->pieces[0].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

// Returns the index in a block of the first piece above an address.
static size_t above(const struct block *b, uint64_t address)
{
    size_t low = 0, high = b->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->pieces[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Finds the last piece that begins at or below an address, and the first piece above the address.
// NULL if there is none.
static void around(uint64_t address, struct piece **below, struct piece **after)
{
    *below = *after = NULL;
    if (!count)
        return;
    size_t n = block_of(address);
    struct block *b = blocks[n];
    size_t at = above(b, address);
    if (at)
        *below = &b->pieces[at - 1];
    if (at < b->count)
        *after = &b->pieces[at];
    else if (n + 1 < count)
        *after = &blocks[n + 1]->pieces[0];
}

bool sim_memory_find(uint64_t address, struct sim_range *out)
{
    struct piece *p, *after;

    pthread_rwlock_rdlock(&lock);
    // Read the generation under the lock. Later removals increment it, which makes the returned
    // copy stale.
    uint64_t generation = atomic_load(&sim_memory_generation);
    around(address, &p, &after);
    bool found = p && address < p->end;
    if (found)
        *out = (struct sim_range){
            .base = p->base, .end = p->end, .generation = generation, .device = p->device
        };
    pthread_rwlock_unlock(&lock);
    return found;
}

// Inserts a block at an index of the table.
static struct block *insert_block(size_t index)
{
    prepare();
    if (!spare || count == capacity) {
        fprintf(stderr, "simulated driver: no memory for the table of memory\n");
        abort();
    }
    memmove(blocks + index + 1, blocks + index, (count - index) * sizeof(struct block *));
    blocks[index] = spare;
    blocks[index]->count = 0;
    spare = NULL;
    count++;
    return blocks[index];
}

void sim_memory_add(uint64_t base, uint64_t bytes, int device)
{
    pthread_rwlock_wrlock(&lock);
    prepare();
    size_t n = block_of(base);
    struct block *b = count ? blocks[n] : insert_block(0);
    size_t at = above(b, base);
    if (b->count == BLOCK) {
        // Usually the new piece is the last one. Then start a new block, and leave this one full.
        size_t keep = at == BLOCK ? BLOCK : BLOCK / 2;
        struct block *next = insert_block(n + 1);
        next->count = BLOCK - keep;
        memcpy(next->pieces, b->pieces + keep, next->count * sizeof(*next->pieces));
        b->count = keep;
        if (at > keep || keep == BLOCK) {
            b = next;
            at -= keep;
        }
    }
    memmove(b->pieces + at + 1, b->pieces + at, (b->count - at) * sizeof(*b->pieces));
    b->pieces[at] = (struct piece){ .base = base, .end = base + bytes, .device = device };
    b->count++;
    pthread_rwlock_unlock(&lock);
}

void sim_memory_remove(uint64_t base, const char *by)
{
    struct piece *p, *after;

    pthread_rwlock_wrlock(&lock);
    around(base, &p, &after);
    if (p && p->base == base) {
        size_t n = block_of(base);
        struct block *b = blocks[n];
        if (by)
            past[past_count++ % PAST] = (struct past){ p->base, p->end, by };
        memmove(p, p + 1, (size_t)(b->pieces + b->count - (p + 1)) * sizeof(*p));
        if (--b->count == 0) {
            if (!spare)
                spare = b;
            else if (b != &first_block)
                free(b);
            memmove(blocks + n, blocks + n + 1, (count - n - 1) * sizeof(struct block *));
            count--;
        }
        atomic_fetch_add(&sim_memory_generation, 1);
    }
    pthread_rwlock_unlock(&lock);
}

void sim_memory_own(uint64_t base, int device)
{
    struct piece *p, *after;

    pthread_rwlock_wrlock(&lock);
    around(base, &p, &after);
    if (p && p->base == base)
        p->device = device;
    pthread_rwlock_unlock(&lock);
}

// Reports

// Returns the piece that was freed last among those that contained an address.
static const struct past *freed(uint64_t address)
{
    size_t most = past_count < PAST ? past_count : PAST;

    for (size_t i = 1; i <= most; i++) {
        const struct past *p = &past[(past_count - i) % PAST];
        if (address >= p->base && address < p->end)
            return p;
    }
    return NULL;
}

#define U(value) ((unsigned long long)(value))

void sim_memory_words(uint64_t address, uint64_t bytes, char *out, size_t out_bytes)
{
    struct piece *below, *after;
    uint64_t last = address + bytes, over;

    pthread_rwlock_rdlock(&lock);
    around(address, &below, &after);
    const struct past *old = freed(address);
    if (below && address < below->end) {
        over = last - below->end;
        snprintf(out, out_bytes,
                 "the last %llu byte%s of it past the end of an allocation of %llu byte%s", U(over),
                 SIM_S(over), U(below->end - below->base), SIM_S(below->end - below->base));
    } else if (old) {
        snprintf(out, out_bytes, "in %llu byte%s at 0x%llx that were freed by %s",
                 U(old->end - old->base), SIM_S(old->end - old->base), U(old->base), old->by);
    } else if (below && address == below->end) {
        snprintf(out, out_bytes, "right past the end of an allocation of %llu byte%s",
                 U(below->end - below->base), SIM_S(below->end - below->base));
    } else if (below && address - below->end <= near &&
               !(after && after->base - address < address - below->end)) {
        over = address - below->end;
        snprintf(out, out_bytes, "%llu byte%s past the end of an allocation of %llu byte%s",
                 U(over), SIM_S(over), U(below->end - below->base),
                 SIM_S(below->end - below->base));
    } else if (after && after->base - address <= near) {
        over = after->base - address;
        snprintf(out, out_bytes, "%llu byte%s before an allocation of %llu byte%s", U(over),
                 SIM_S(over), U(after->end - after->base), SIM_S(after->end - after->base));
    } else {
        snprintf(out, out_bytes, "which is in no allocation");
    }
    pthread_rwlock_unlock(&lock);
}
