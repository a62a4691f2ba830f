#include "name_set.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The slot that has the text, or the empty one where it would go.
static const char **place_of(const struct cuc__name_set *set, const char *text, size_t bytes)
{
    uint64_t hash = UINT64_C(14695981039346656037); // FNV-1a

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    for (size_t at = (size_t)(hash ^ hash >> 32);; at++) {
        const char **slot = &set->slot[at & (set->slots - 1)];
        if (!*slot || (strncmp(*slot, text, bytes) == 0 && !(*slot)[bytes]))
            return slot;
    }
}

const char *cuc__name_set_find(const struct cuc__name_set *set, const char *text, size_t bytes)
{
    return set->slots ? *place_of(set, text, bytes) : NULL;
}

static bool grow(struct cuc__name_set *set)
{
    enum { FEWEST = 64 };
    struct cuc__name_set larger = { .slots = set->slots ? 2 * set->slots : FEWEST };

    larger.slot = calloc(larger.slots, sizeof(*larger.slot));
    if (!larger.slot)
        return false;
    larger.count = set->count;
    for (size_t i = 0; i < set->slots; i++)
        if (set->slot[i])
            *place_of(&larger, set->slot[i], strlen(set->slot[i])) = set->slot[i];
    free(set->slot);
    *set = larger;
    return true;
}

bool cuc__name_set_add(struct cuc__name_set *set, const char *name)
{
    if (2 * set->count >= set->slots && !grow(set))
        return false;
    const char **slot = place_of(set, name, strlen(name));
    set->count += !*slot;
    *slot = *slot ? *slot : name;
    return true;
}

void cuc__name_set_free(struct cuc__name_set *set)
{
    free(set->slot);
    *set = (struct cuc__name_set){ .slot = NULL };
}
