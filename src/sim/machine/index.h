// A hash index of table rows by name or value, which makes scans of the table unnecessary. Rows are
// added in the order of the table, and lookups return the latest row first. Keys are hashes, so
// callers must compare the rows they find.
#ifndef CUCORE_SIM_MACHINE_INDEX_H
#define CUCORE_SIM_MACHINE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SIM_INDEX_END UINT32_MAX

// Rows are stored as their numbers plus 1, so that zeroed memory has none.
struct sim_index {
    uint32_t *heads; // [mask + 1]: the latest row in each bucket
    struct sim_index_row {
        uint32_t key;
        uint32_t next;
    } * rows;
    uint32_t mask, count, capacity;
};

// Defines an index of at most `most` rows in static memory; `most` is a power of two. Adding rows
// cannot fail.
#define SIM_INDEX_STATIC(name, most)               \
    static uint32_t name##_heads[most];            \
    static struct sim_index_row name##_rows[most]; \
    static struct sim_index name = { name##_heads, name##_rows, (most)-1, 0, (most) }

// Adds the next row. Returns false if out of memory.
bool sim_index_add(struct sim_index *index, uint32_t key);
void sim_index_free(struct sim_index *index);

// Hashes a name, which need not end in a null byte, to a key.
static inline uint32_t sim_index_text(const char *name, size_t bytes)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15); // 2^64 divided by the golden ratio
    uint64_t hash = bytes;

    for (; bytes >= 8; name += 8, bytes -= 8) {
        uint64_t part;
        memcpy(&part, name, 8);
        hash = (hash ^ part) * factor;
        hash ^= hash >> 32;
    }
    for (; bytes; name++, bytes--)
        hash = (hash ^ (unsigned char)*name) * factor;
    return (uint32_t)((hash ^ hash >> 32) * factor >> 32);
}

static inline uint32_t sim_index_name(const char *name)
{
    return sim_index_text(name, strlen(name));
}

uint32_t sim_index_number(uint64_t a, uint64_t b);

// Returns the latest row before `before` that may have the key, or SIM_INDEX_END. For the first
// call, `before` is SIM_INDEX_END.
static inline uint32_t sim_index_next(const struct sim_index *index, uint32_t key, uint32_t before)
{
    uint32_t at = before != SIM_INDEX_END ? index->rows[before].next
                  : index->heads          ? index->heads[key & index->mask]
                                          : 0;

    while (at && index->rows[at - 1].key != key)
        at = index->rows[at - 1].next;
    return at - 1; // SIM_INDEX_END if there is none
}

// Iterates over all rows that may have a key, latest first.
#define SIM_INDEX_EACH(i, index, key)                                                    \
    for (uint32_t i = sim_index_next((index), (key), SIM_INDEX_END); i != SIM_INDEX_END; \
         i = sim_index_next((index), (key), i))

#endif
