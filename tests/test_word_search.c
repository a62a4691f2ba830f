// Compares the search for names and their parts with a byte-by-byte search, with and without the
// processor's wider vectors.
#include "base/array.h"
#include "base/cpu.h"
#include "program/word_search.h"
#include "testing.h"

static const char *const names[] = { "__TIME__", "__has_include", "_CCCL_HAS_INCLUDE" };

// Returns whether a name, its beginning, its first bytes with gaps between them, or the name
// without its first three bytes is at `p`.
static bool begins(const char *p, const char *name)
{
    const char *q = p;
    size_t bytes = strlen(name), same = 0;
    int found = 0;

    while (same < bytes && p[same] == name[same])
        same++;
    if (same == bytes || strncmp(p, name + CUC__WORD_BEFORE, bytes - CUC__WORD_BEFORE) == 0 ||
        (same >= CUC__WORD_PART && (!p[same] || strchr(CUC__WORD_GAPS "/", p[same]))))
        return true;
    for (; found < CUC__WORD_PART && *q == name[found]; found++)
        for (q++; *q && strchr(CUC__WORD_GAPS, *q);)
            q++;
    return found == CUC__WORD_PART && same < CUC__WORD_PART;
}

static void expect_places(const char *text)
{
    size_t bytes = strlen(text);
    char *padded = calloc(1, bytes + CUC__WORD_PADDING), *found[2];

    memcpy(padded, text, bytes);
    for (int way = 0; way < 2; way++) {
        struct cuc__word_search s = { .rest = NULL };
        const char *last = padded - 1, *at;
        found[way] = calloc(1, bytes + CUC__WORD_PART);
        cuc__word_search_in_c = way;
        for (int i = 0; i < CUC_LENGTH(names); i++)
            ck_assert(cuc__word_search_add(&s, names[i]));
        cuc__word_search_begin(&s, padded, bytes);
        while ((at = cuc__word_search_next(&s)) != NULL) {
            ck_assert(at > last && at < padded + bytes);
            found[way][at - padded] = 1;
            last = at;
        }
        for (size_t p = 0; p < bytes; p++)
            for (int i = 0; i < CUC_LENGTH(names); i++)
                ck_assert_msg(!begins(padded + p, names[i]) ||
                                  memchr(found[way] + p, 1, CUC__WORD_PART),
                              "%s at %zu of %s", names[i], p, text);
    }
    ck_assert(memcmp(found[0], found[1], bytes) == 0);
    cuc__word_search_in_c = false;
    free(found[0]);
    free(found[1]);
    free(padded);
}

CASE("words");

static const char *const texts[] = {
    "__TIME__",
    "__TI",
    "__TIM",
    "__TIME",
    "__TIME_",
    "J(__TI, ME__)",
    "J(__has, _include)",
    "J(__has_, include)",
    "J(__has_i, nclude)",
    "J(_,_,T,I,M,E,_,_)",
    "J(_,\n_,\nTI,\nME__)",
    "_ \t( ) #_T",
    "IME__",
    "x_TIME__",
    "J(_, _has_include)",
    "s_include",
    "_CCCL_HAS_INC ## LUDE",
    "_CCCL/* */##_HAS_INCLUDE",
    "\xC3\xA4__TIME__\xC3\xA4\xC3\xA4",
    "",
    "_",
};

// Tests each text at each place in a block, and across the end of the block.
TEST_ROWS(names_are_found_anywhere, texts)
{
    char text[4 * CUC__WORD_BLOCK];

    for (int before = 0; before < 2 * CUC__WORD_BLOCK; before++) {
        snprintf(text, sizeof(text), "%*s%s", before, "", texts[_i]);
        expect_places(text);
        memset(text, 'x', (size_t)before);
        expect_places(text);
    }
}

TEST(random_texts)
{
    static const char letters[] = "___TIMEhas_include_CCL (,)#\nx\xA4";
    unsigned state = 18;
    char text[200];

    for (int i = 0; i < 2000; i++) {
        int bytes = i % (CUC_LENGTH(text) - 1);
        for (int k = 0; k < bytes; k++) {
            state = state * 1103515245 + 12345;
            text[k] = letters[(state >> 16) % (sizeof(letters) - 1)];
        }
        text[bytes] = '\0';
        expect_places(text);
    }
}

TEST(other_names_are_not_searched_for)
{
    static const char text[CUC__WORD_PADDING + 11] = "HAS_INC(HAS";
    static const char *const others[] = { "HAS", "HAS_INC", "HAS_IN\xC3\xA4" };
    struct cuc__word_search s = { .rest = NULL };

    for (int i = 0; i < CUC_LENGTH(others); i++)
        ck_assert(!cuc__word_search_add(&s, others[i]));
    cuc__word_search_begin(&s, text, 11);
    ck_assert_ptr_null(cuc__word_search_next(&s));
}

#ifdef __x86_64__
TEST(the_processor_has_what_the_compiler_says)
{
    const unsigned features = cuc__cpu_features();

    ck_assert_int_eq(!!(features & CUC__CPU_AVX2), !!__builtin_cpu_supports("avx2"));
    ck_assert_int_eq(!!(features & CUC__CPU_FMA), !!__builtin_cpu_supports("fma"));
    ck_assert_uint_eq(cuc__cpu_features(), features);
}
#endif

int main(void)
{
    return run_tests("word_search");
}
