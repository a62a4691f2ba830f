#include "word_search.h"

#include "base/cpu.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

// Only a blank, a comment, a comma, a parenthesis or a # can follow a part that ## joins. They all
// begin with a byte below this one.
enum { LETTERS = '@' };

// The forms of a match. Each describes the bytes of the window. A letter is the next byte of the
// name; a gap separates two letters.
enum {
    PART_4 = 1,   // four letters, and the end of the word
    PART_5 = 2,   // the last four of five letters, and the end of the word
    PART_6 = 4,   // the last four of six
    PART_7 = 8,   // the last four of seven
    GAP_34 = 16,  // two letters, and a gap that is the third or the fourth byte
    GAP_2 = 32,   // a letter, a gap and a letter
    GAPS_23 = 64, // a letter and two gaps
    END = 128,    // the name from its fourth byte on
};

// Allows `byte` as byte `k` of the window in some forms.
static void allow(struct cuc__word_search *s, int k, char byte, int forms)
{
    const unsigned char b = (unsigned char)byte, bits = (unsigned char)forms;

    s->bytes[k][b] |= bits;
    s->lower[k][b & 15] |= bits;
    s->upper[k][b >> 4] |= bits;
}

static void add_gap(struct cuc__word_search *s, char byte)
{
    allow(s, 1, byte, GAP_2 | GAPS_23);
    allow(s, 2, byte, GAP_34 | GAPS_23);
    allow(s, 3, byte, GAP_34 | GAP_2 | GAPS_23);
    allow(s, 4, byte, GAP_34 | GAP_2 | GAPS_23);
}

bool cuc__word_search_add(struct cuc__word_search *s, const char *name)
{
    static const char gaps[] = CUC__WORD_GAPS;
    const int parts = PART_4 | PART_5 | PART_6 | PART_7;

    for (int i = 0; i < CUC__WORD_FEWEST; i++)
        if (!name[i] || (unsigned char)name[i] >= 0x80) // the SIMD search compares only ASCII
            return false;
    for (int k = 0; k < CUC__WORD_PART; k++) {
        allow(s, k, name[k], PART_4);
        allow(s, k, name[k + 1], PART_5);
        allow(s, k, name[k + 2], PART_6);
        allow(s, k, name[k + 3], PART_7);
    }
    for (char byte = 0; byte < LETTERS; byte++)
        allow(s, CUC__WORD_PART, byte, parts);
    for (int k = 0; k < CUC__WORD_WINDOW; k++)
        allow(s, k, name[CUC__WORD_BEFORE + k], END);
    allow(s, 0, name[0], GAP_34 | GAP_2 | GAPS_23);
    allow(s, 1, name[1], GAP_34);
    allow(s, 2, name[2], GAP_34);
    allow(s, 2, name[1], GAP_2);
    allow(s, 3, name[2], GAP_34 | GAP_2);
    allow(s, 3, name[1], GAPS_23);
    allow(s, 4, name[3], GAP_34 | GAP_2);
    allow(s, 4, name[2], GAP_34 | GAP_2 | GAPS_23);
    allow(s, 4, name[1], GAPS_23);
    for (const char *gap = gaps; *gap; gap++)
        add_gap(s, *gap);
    return true;
}

static bool is_place(const struct cuc__word_search *s, const char *p)
{
    unsigned char forms = 0xff;

    for (int k = 0; k < CUC__WORD_WINDOW && forms; k++)
        forms &= s->bytes[k][(unsigned char)p[k]];
    return forms;
}

// Moves to the next block with a hit. Returns false at the end.
static bool find_block_in_c(struct cuc__word_search *s)
{
    for (s->hits = 0; !s->hits && s->rest < s->end; s->rest += CUC__WORD_BLOCK) {
        s->block = s->rest;
        const unsigned char *p = (const unsigned char *)s->block;
        for (int i = 0; i < CUC__WORD_BLOCK; i++)
            if (s->bytes[0][p[i]] & s->bytes[1][p[i + 1]])
                s->hits |= (uint32_t)is_place(s, s->block + i) << i;
    }
    return s->hits != 0;
}

#ifdef __x86_64__

// Returns, for each byte of a block, the forms that allow it as one byte of the window. A byte
// above 127 has no forms, because the shuffle yields zero for it.
__attribute__((target("avx2"))) static inline __m256i forms_of(const char *p, __m256i lower,
                                                               __m256i upper)
{
    const __m256i text = _mm256_loadu_si256((const void *)p);
    const __m256i half = _mm256_and_si256(_mm256_srli_epi16(text, 4), _mm256_set1_epi8(15));

    return _mm256_and_si256(_mm256_shuffle_epi8(lower, text), _mm256_shuffle_epi8(upper, half));
}

// Does the same as find_block_in_c() with SIMD instructions.
__attribute__((target("avx2"))) static bool find_block_by_avx2(struct cuc__word_search *s)
{
    __m256i lower[CUC__WORD_WINDOW], upper[CUC__WORD_WINDOW];

    for (int k = 0; k < CUC__WORD_WINDOW; k++) {
        lower[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)s->lower[k]));
        upper[k] = _mm256_broadcastsi128_si256(_mm_loadu_si128((const void *)s->upper[k]));
    }
    for (const char *p = s->rest; p < s->end; p += CUC__WORD_BLOCK) {
        __m256i forms = forms_of(p, lower[0], upper[0]);
        for (int k = 1; k < CUC__WORD_WINDOW; k++)
            forms = _mm256_and_si256(forms, forms_of(p + k, lower[k], upper[k]));
        const __m256i none = _mm256_cmpeq_epi8(forms, _mm256_setzero_si256());
        s->hits = ~(uint32_t)_mm256_movemask_epi8(none);
        // Drop hits in which the halves of a byte match two different allowed bytes.
        for (uint32_t rest = s->hits; rest; rest &= rest - 1) {
            int i = __builtin_ctz(rest);
            s->hits ^= (uint32_t)!is_place(s, p + i) << i;
        }
        if (s->hits) {
            s->block = p;
            s->rest = p + CUC__WORD_BLOCK;
            return true;
        }
    }
    s->rest = s->end;
    return false;
}

#endif

bool cuc__word_search_in_c;

void cuc__word_search_begin(struct cuc__word_search *s, const char *text, size_t bytes)
{
    s->rest = text;
    s->end = text + bytes;
    s->hits = 0;
    s->find_block = find_block_in_c;
#ifdef __x86_64__
    if (!cuc__word_search_in_c && cuc__cpu_features() & CUC__CPU_AVX2)
        s->find_block = find_block_by_avx2;
#endif
}

const char *cuc__word_search_next(struct cuc__word_search *s)
{
    for (;;) {
        while (s->hits) {
            const char *place = s->block + __builtin_ctz(s->hits);
            s->hits &= s->hits - 1;
            if (place < s->end)
                return place;
        }
        if (!s->find_block(s))
            return NULL;
    }
}
