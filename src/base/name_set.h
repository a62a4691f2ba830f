// A set of kernel names, found by their text. The names are borrowed: cuc__intern() keeps them.
#ifndef CUCORE_BASE_NAME_SET_H
#define CUCORE_BASE_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>

// Zeroed: empty.
struct cuc__name_set {
    const char **slot;
    size_t slots, count; // slots: 0 or a power of two, at least twice the count
};

// The name in the set that equals the text, or NULL.
const char *cuc__name_set_find(const struct cuc__name_set *set, const char *text, size_t bytes);

// False without memory. Adding a name again changes nothing.
bool cuc__name_set_add(struct cuc__name_set *set, const char *name);

void cuc__name_set_free(struct cuc__name_set *set);

#endif
