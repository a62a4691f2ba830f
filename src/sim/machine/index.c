#include "index.h"

#include <stdlib.h>

uint32_t sim_index_number(uint64_t a, uint64_t b)
{
    uint64_t hash = (a ^ b << 56 ^ b >> 8) * UINT64_C(0x9e3779b97f4a7c15);

    return (uint32_t)(hash ^ hash >> 32);
}

static void put(struct sim_index *x, uint32_t row)
{
    uint32_t *head = &x->heads[x->rows[row].key & x->mask];

    x->rows[row].next = *head;
    *head = row + 1;
}

static bool grow(struct sim_index *x)
{
    uint32_t capacity = x->capacity ? 2 * x->capacity : 16;
    struct sim_index_row *rows = realloc(x->rows, capacity * sizeof(*rows));

    if (!rows)
        return false;
    x->rows = rows;
    uint32_t *heads = calloc(capacity, sizeof(*heads));
    if (!heads)
        return false;
    free(x->heads);
    x->heads = heads;
    x->mask = capacity - 1;
    x->capacity = capacity;
    for (uint32_t i = 0; i < x->count; i++)
        put(x, i);
    return true;
}

bool sim_index_add(struct sim_index *x, uint32_t key)
{
    if (x->count == x->capacity && !grow(x))
        return false;
    x->rows[x->count].key = key;
    put(x, x->count++);
    return true;
}

void sim_index_free(struct sim_index *x)
{
    free(x->heads);
    free(x->rows);
    *x = (struct sim_index){ .heads = NULL };
}
