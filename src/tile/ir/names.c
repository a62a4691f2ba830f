// Implements a hash table of names, with open addressing. See names.h.
#include "names.h"

#include <string.h>

static uint32_t hash_of(const char *text)
{
    uint32_t hash = UINT32_C(2166136261); // FNV-1a

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT32_C(16777619);
    return hash ^ hash >> 15;
}

// Returns the slot of a name, or the free slot for it.
static uint32_t *place_of(const struct tile_names *n, const char *text, uint32_t hash)
{
    uint32_t mask = 2 * n->capacity - 1, at = hash & mask;

    for (; n->place[at]; at = (at + 1) & mask) {
        const struct tile_name *name = &n->name[n->place[at] - 1];
        if (name->hash == hash && strcmp(name->text, text) == 0)
            break;
    }
    return &n->place[at];
}

uint32_t tile_names_find(const struct tile_names *n, const char *text)
{
    return n->capacity ? *place_of(n, text, hash_of(text)) - 1 : UINT32_MAX;
}

static bool grow(struct tile_names *n, struct tile_module *module)
{
    struct tile_names larger = { .count = n->count, .capacity = n->capacity ? 2 * n->capacity : 4 };

    larger.name = tile_take(module, larger.capacity * sizeof(*larger.name));
    larger.place = tile_take(module, 2 * (size_t)larger.capacity * sizeof(*larger.place));
    if (!larger.name || !larger.place)
        return false;
    if (n->count)
        memcpy(larger.name, n->name, n->count * sizeof(*n->name));
    for (uint32_t i = 0; i < n->count; i++)
        *place_of(&larger, n->name[i].text, n->name[i].hash) = i + 1;
    *n = larger;
    return true;
}

uint32_t tile_names_add(struct tile_names *n, struct tile_module *module, const char *text)
{
    uint32_t hash = hash_of(text);

    if (n->capacity) {
        uint32_t *place = place_of(n, text, hash);
        if (*place)
            return *place - 1;
    }
    if (n->count == n->capacity && !grow(n, module))
        return UINT32_MAX;
    n->name[n->count] = (struct tile_name){ .text = text, .hash = hash };
    *place_of(n, text, hash) = ++n->count;
    return n->count - 1;
}

bool tile_names_take(struct tile_names *n, struct tile_module *module, const char *text)
{
    uint32_t before = n->count;

    return tile_names_add(n, module, text) == before && n->count > before;
}
