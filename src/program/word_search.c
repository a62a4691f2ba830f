#include "word_search.h"

#include "base/array.h"

#include <stdint.h>
#include <string.h>

enum { FEWEST = 2 * CUC__WORD_PART - 1 }; // a name this long contains both parts

typedef signed char mask __attribute__((vector_size(CUC__WORD_BLOCK)));

static void add_part(struct cuc__word_search *s, struct cuc__word_part *parts, int *count,
                     const char *bytes)
{
    struct cuc__word_part made;

    for (int i = 0; i < CUC__WORD_PART; i++)
        memset(&made.at[i], bytes[i], sizeof(made.at[i]));
    for (int i = 0; i < *count; i++)
        if (memcmp(&parts[i], &made, sizeof(made)) == 0)
            return;
    if (*count < CUC__WORD_NAMES)
        parts[(*count)++] = made;
    else
        s->every = true;
}

void cuc__word_search_add(struct cuc__word_search *s, const char *name)
{
    if (strlen(name) < FEWEST) {
        s->every = true;
        return;
    }
    add_part(s, s->starts, &s->start_count, name);
    add_part(s, s->ends, &s->end_count, name + CUC__WORD_PART - 1);
}

// Compares the parts at each byte of the block. Returns false if no part can be there. It is always
// inlined, because processors differ in how they pass vectors to functions.
static inline __attribute__((always_inline)) bool compare(struct cuc__word_search *s)
{
    cuc__word_bytes a, b, c, d, last;
    mask found = { 0 };
    uint64_t any[CUC__WORD_BLOCK / 8], sum = 0;

    memcpy(&a, s->block, sizeof(a));
    memcpy(&b, s->block + 1, sizeof(b));
    memcpy(&c, s->block + 2, sizeof(c));
    memcpy(&d, s->block + 3, sizeof(d));
    memset(&last, ',', sizeof(last)); // blanks and punctuation that may separate the parts: all
                                      // characters up to the comma
    const mask gap_b = (mask)(b <= last), gap_c = (mask)(c <= last), gap_d = (mask)(d <= last);
    for (int i = 0; i < s->start_count; i++) {
        const cuc__word_bytes *at = s->starts[i].at;
        // Each byte of the block either is the next byte of the name or separates two of its bytes.
        const mask d_1 = (mask)(d == at[1]) | gap_d, d_2 = (mask)(d == at[2]) | gap_d;
        const mask d_3 = (mask)(d == at[3]) | gap_d;
        const mask after_b = ((mask)(c == at[2]) & d_3) | (gap_c & d_2);
        const mask after_gap = ((mask)(c == at[1]) & d_2) | (gap_c & d_1);
        found |= (mask)(a == at[0]) & (((mask)(b == at[1]) & after_b) | (gap_b & after_gap));
    }
    for (int i = 0; i < s->end_count; i++) {
        const cuc__word_bytes *at = s->ends[i].at;
        found |= (mask)(a == at[0]) & (mask)(b == at[1]) & (mask)(c == at[2]) & (mask)(d == at[3]);
    }
    memcpy(any, &found, sizeof(any));
    memcpy(s->hits, &found, sizeof(s->hits));
    for (int i = 0; i < CUC_LENGTH(any); i++)
        sum |= any[i];
    return sum != 0;
}

// Moves to the next block with a hit. Returns false at the end.
static inline __attribute__((always_inline)) bool find_block(struct cuc__word_search *s)
{
    while (s->rest < s->end) {
        s->block = s->rest;
        s->rest += CUC__WORD_BLOCK;
        if (s->every || compare(s))
            return true;
    }
    return false;
}

static bool find_block_anywhere(struct cuc__word_search *s)
{
    return find_block(s);
}

#ifdef __x86_64__
__attribute__((target("avx2"))) static bool find_block_by_avx2(struct cuc__word_search *s)
{
    return find_block(s);
}
#endif

bool cuc__word_search_in_c;

void cuc__word_search_begin(struct cuc__word_search *s, const char *text, size_t bytes)
{
    s->rest = text;
    s->end = text + bytes;
    s->lane = CUC__WORD_BLOCK;
    s->find_block = find_block_anywhere;
#ifdef __x86_64__
    if (!cuc__word_search_in_c && __builtin_cpu_supports("avx2"))
        s->find_block = find_block_by_avx2;
#endif
}

const char *cuc__word_search_next(struct cuc__word_search *s)
{
    for (;;) {
        for (; s->lane < CUC__WORD_BLOCK; s->lane++)
            if ((s->every || s->hits[s->lane]) && s->block + s->lane < s->end)
                return s->block + s->lane++;
        if (!s->find_block(s))
            return NULL;
        s->lane = 0;
    }
}
