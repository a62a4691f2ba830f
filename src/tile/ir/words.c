// Words for attribute values in the machine form.
#include "words.h"

#include "ir.h"

#include <string.h>

static const char *const combines[] = {
#define TILE_COMBINE(id, word, ...) word,
#include "combine.def"
};
static const char *const rounds[] = { "rn", "rz", "rm", "rp", "approx", "full" };
static const char *const precisions[] = { "ieee", "tf32", "tf32x3" };
static const char *const orders[] = { "weak", "relaxed", "acquire", "release", "acq_rel" };
static const char *const scopes[] = { "device", "block", "system" };
static const char *const caches[] = { "any", "first", "last", "stream" };

static const struct {
    const char *const *word;
    int64_t count;
} words[TILE_ATTRIBUTE_KEYS] = {
    [TILE_ATTR_WITH] = { combines, sizeof(combines) / sizeof(combines[0]) },
    [TILE_ATTR_ROUND] = { rounds, sizeof(rounds) / sizeof(rounds[0]) },
    [TILE_ATTR_PRECISION] = { precisions, sizeof(precisions) / sizeof(precisions[0]) },
    [TILE_ATTR_ORDER] = { orders, sizeof(orders) / sizeof(orders[0]) },
    [TILE_ATTR_SCOPE] = { scopes, sizeof(scopes) / sizeof(scopes[0]) },
    [TILE_ATTR_CACHE] = { caches, sizeof(caches) / sizeof(caches[0]) },
};

const char *tile_word_text(int key, int64_t number)
{
    return number >= 0 && number < words[key].count ? words[key].word[number] : NULL;
}

int64_t tile_attribute_word_find(int key, const char *word, size_t bytes)
{
    for (int64_t i = 0; i < words[key].count; i++)
        if (strlen(words[key].word[i]) == bytes && memcmp(words[key].word[i], word, bytes) == 0)
            return i;
    return -1;
}
