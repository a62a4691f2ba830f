#include "name_set.h"

#include <stdlib.h>
#include <string.h>

// Returns the slot that holds the text, or the empty slot where it belongs.
static struct cuc__name *place_of(const struct cuc__name_set *set, const char *text, size_t bytes)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15); // 2^64 divided by the golden ratio
    uint64_t hash = bytes;

    for (size_t i = 0; i < bytes; i += sizeof(uint64_t)) {
        size_t rest = bytes - i;
        uint64_t part = 0;
        memcpy(&part, text + i, rest < sizeof(part) ? rest : sizeof(part));
        hash = (hash ^ part) * factor;
        hash ^= hash >> 32;
    }
    for (size_t at = (size_t)hash;; at++) {
        struct cuc__name *slot = &set->slot[at & (set->slots - 1)];
        if (!slot->text || (slot->bytes == bytes && memcmp(slot->text, text, bytes) == 0))
            return slot;
    }
}

const struct cuc__name *cuc__name_set_find(const struct cuc__name_set *set, const char *text,
                                           size_t bytes)
{
    const struct cuc__name *slot = set->slots ? place_of(set, text, bytes) : NULL;

    return slot && slot->text ? slot : NULL;
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
        if (set->slot[i].text)
            *place_of(&larger, set->slot[i].text, set->slot[i].bytes) = set->slot[i];
    free(set->slot);
    *set = larger;
    return true;
}

struct cuc__name *cuc__name_set_get(struct cuc__name_set *set, const char *text, size_t bytes)
{
    if (2 * set->count >= set->slots && !grow(set))
        return NULL;
    struct cuc__name *slot = place_of(set, text, bytes);
    if (!slot->text) {
        *slot = (struct cuc__name){ text, bytes, 0 };
        set->count++;
    }
    return slot;
}

bool cuc__name_set_add(struct cuc__name_set *set, const char *text, size_t bytes, uintptr_t value)
{
    size_t before = set->count;
    struct cuc__name *name = cuc__name_set_get(set, text, bytes);

    if (name && set->count > before)
        name->value = value;
    return name != NULL;
}

void cuc__name_set_free(struct cuc__name_set *set)
{
    free(set->slot);
    *set = (struct cuc__name_set){ .slot = NULL };
}
