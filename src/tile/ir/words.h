// Words for attribute values.
#ifndef CUCORE_TILE_IR_WORDS_H
#define CUCORE_TILE_IR_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum tile_combine {
#define TILE_COMBINE(id, ...) TILE_WITH_##id,
#include "combine.def"
    TILE_COMBINES
};
// The state of a sum over lanes that share a row. First each lane keeps a partial sum; later the
// partial sums are joined.
enum tile_partial { TILE_PARTIAL_NONE, TILE_PARTIAL_KEPT, TILE_PARTIAL_JOINED };
// APPROX is the hardware's fastest approximation. FULL is accurate to 2 ulp.
enum tile_round { TILE_RN, TILE_RZ, TILE_RM, TILE_RP, TILE_APPROX, TILE_FULL };
enum tile_precision { TILE_IEEE, TILE_TF32, TILE_TF32X3 };
enum tile_order { TILE_WEAK, TILE_RELAXED, TILE_ACQUIRE, TILE_RELEASE, TILE_ACQ_REL };
enum tile_scope { TILE_SCOPE_DEVICE, TILE_SCOPE_BLOCK, TILE_SCOPE_SYSTEM };
enum tile_cache { TILE_CACHE_ANY, TILE_CACHE_FIRST, TILE_CACHE_LAST, TILE_CACHE_STREAM };

// words.c: return the word for an attribute's number (NULL: none), and the number for a word (-1:
// none). `key` is an enum tile_attribute_key.
const char *tile_word_text(int key, int64_t number);
int64_t tile_attribute_word_find(int key, const char *word, size_t bytes);

#endif
