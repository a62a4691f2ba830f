// Compares the search for names and their parts with a byte-by-byte search, with and without the
// processor's wider vectors.
#include "base/array.h"
#include "program/word_search.h"
#include "testing.h"

static const char *const names[] = { "__TIME__", "__has_include", "_CCCL_HAS_INCLUDE" };

// Returns whether a name's first bytes are at `p`, possibly with other bytes in between that the
// search skips, or the name without its first three bytes.
static bool is_place(const char *p, const char *name)
{
    const char *q = p;
    int found = 0;

    if (strncmp(p, name + CUC__WORD_PART - 1, strlen(name) - CUC__WORD_PART + 1) == 0)
        return true;
    for (; found < CUC__WORD_PART && *q == name[found]; found++)
        for (q++; *q && strchr(" \t,()#", *q);)
            q++;
    return found == CUC__WORD_PART;
}

static void expect_places(const char *text)
{
    size_t bytes = strlen(text);
    char *padded = calloc(1, bytes + CUC__WORD_PADDING);

    memcpy(padded, text, bytes);
    for (int way = 0; way < 2; way++) {
        struct cuc__word_search s = { .every = false };
        cuc__word_search_in_c = way;
        for (int i = 0; i < CUC_LENGTH(names); i++)
            cuc__word_search_add(&s, names[i]);
        cuc__word_search_begin(&s, padded, bytes);
        const char *last = padded - 1, *at;
        do {
            at = cuc__word_search_next(&s);
            ck_assert(!at || (at > last && at < padded + bytes));
            for (const char *p = last + 1; p < (at ? at : padded + bytes); p++)
                for (int i = 0; i < CUC_LENGTH(names); i++)
                    ck_assert_msg(!is_place(p, names[i]), "%s at %td of %s", names[i], p - padded,
                                  text);
            last = at;
        } while (at);
    }
    cuc__word_search_in_c = false;
    free(padded);
}

CASE("words");

static const char *const texts[] = {
    "__TIME__", "__TI",     "J(__TI, ME__)",      "J(_,_,T,I,M,E,_,_)", "_ \t( ) #_T",
    "IME__",    "x_TIME__", "J(_, _has_include)", "s_include",          "_CCCL_HAS_INC ## LUDE",
    "",         "_",
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
    static const char letters[] = "___TIMEhas_include_CCL (,)#\nx";
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

// A name with fewer bytes than both parts matches everywhere.
TEST(short_names_are_everywhere)
{
    static const char text[CUC__WORD_PADDING + 3] = "abc";
    struct cuc__word_search s = { .every = false };

    cuc__word_search_add(&s, "HAS");
    cuc__word_search_begin(&s, text, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_ptr_eq(cuc__word_search_next(&s), text + i);
    ck_assert_ptr_null(cuc__word_search_next(&s));
}

int main(void)
{
    return run_tests("word_search");
}
