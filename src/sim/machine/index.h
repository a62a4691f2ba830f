// A hash index of table rows by name or value, which makes scans of the table unnecessary. Rows are
// added in the order of the table, and lookups return the latest row first. Keys are hashes, so
// callers must compare the rows they find.
#ifndef CUCORE_SIM_MACHINE_INDEX_H
#define CUCORE_SIM_MACHINE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_INDEX_END UINT32_MAX

struct sim_index {
    uint32_t *heads; // [mask + 1]: the latest row in each bucket
    struct sim_index_row {
        uint64_t key;
        uint32_t next;
    } * rows;
    uint32_t mask, count, capacity;
};

// Adds the next row. Returns false if out of memory.
bool sim_index_add(struct sim_index *index, uint64_t key);
void sim_index_free(struct sim_index *index);

// Hashes a name to a key.
static inline uint64_t sim_index_name(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a

    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

uint64_t sim_index_number(uint64_t a, uint64_t b);

// Returns the latest row before `before` that may have the key, or SIM_INDEX_END. For the first
// call, `before` is SIM_INDEX_END.
static inline uint32_t sim_index_next(const struct sim_index *index, uint64_t key, uint32_t before)
{
    uint32_t at = before != SIM_INDEX_END ? index->rows[before].next
                  : index->heads          ? index->heads[key & index->mask]
                                          : SIM_INDEX_END;

    while (at != SIM_INDEX_END && index->rows[at].key != key)
        at = index->rows[at].next;
    return at;
}

// Iterates over all rows that may have a key, latest first.
#define SIM_INDEX_EACH(i, index, key)                                                    \
    for (uint32_t i = sim_index_next((index), (key), SIM_INDEX_END); i != SIM_INDEX_END; \
         i = sim_index_next((index), (key), i))

#endif
