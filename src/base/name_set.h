// A set of names, looked up by their characters. The caller owns the strings.
#ifndef CUCORE_BASE_NAME_SET_H
#define CUCORE_BASE_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cuc__name {
    const char *text; // NULL means an empty slot
    size_t bytes;
    uintptr_t value; // data associated with the name
};

// Zeroed is empty.
struct cuc__name_set {
    struct cuc__name *slot;
    size_t slots, count; // `slots` is 0 or a power of two, and at least twice `count`
};

// Returns the name equal to the text, or NULL.
const struct cuc__name *cuc__name_set_find(const struct cuc__name_set *set, const char *text,
                                           size_t bytes);

// Returns the name equal to the text, after adding it with the value 0 if there is none. Returns
// NULL if out of memory. The next addition may move the name.
struct cuc__name *cuc__name_set_get(struct cuc__name_set *set, const char *text, size_t bytes);

// Returns false if out of memory. Adding an existing name changes nothing.
bool cuc__name_set_add(struct cuc__name_set *set, const char *text, size_t bytes, uintptr_t value);

void cuc__name_set_free(struct cuc__name_set *set);

#endif
