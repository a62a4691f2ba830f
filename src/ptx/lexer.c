#include "lexer.h"

#include "base/array.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

// Character classes, one bit each.
enum {
    BLANK = 1,
    FIRST = 2, // first character of an identifier
    WORD = 4,  // later characters of an identifier
    DIGIT = 8, // decimal digit
    HEX = 16,  // hexadecimal digit
    STOP = 32, // may open or close a block, a string or a comment
};

#define LETTER (FIRST | WORD)
static const unsigned char classes[256] = {
    [' '] = BLANK,
    ['\t'] = BLANK,
    ['\n'] = BLANK,
    ['\v'] = BLANK,
    ['\f'] = BLANK,
    ['\r'] = BLANK,
    ['{'] = STOP,
    ['}'] = STOP,
    ['"'] = STOP,
    ['/'] = STOP,
    ['_'] = LETTER,
    ['$'] = LETTER,
    ['%'] = FIRST,
    ['0'] = WORD | DIGIT | HEX,
    ['1'] = WORD | DIGIT | HEX,
    ['2'] = WORD | DIGIT | HEX,
    ['3'] = WORD | DIGIT | HEX,
    ['4'] = WORD | DIGIT | HEX,
    ['5'] = WORD | DIGIT | HEX,
    ['6'] = WORD | DIGIT | HEX,
    ['7'] = WORD | DIGIT | HEX,
    ['8'] = WORD | DIGIT | HEX,
    ['9'] = WORD | DIGIT | HEX,
    ['a'] = LETTER | HEX,
    ['b'] = LETTER | HEX,
    ['c'] = LETTER | HEX,
    ['d'] = LETTER | HEX,
    ['e'] = LETTER | HEX,
    ['f'] = LETTER | HEX,
    ['g'] = LETTER,
    ['h'] = LETTER,
    ['i'] = LETTER,
    ['j'] = LETTER,
    ['k'] = LETTER,
    ['l'] = LETTER,
    ['m'] = LETTER,
    ['n'] = LETTER,
    ['o'] = LETTER,
    ['p'] = LETTER,
    ['q'] = LETTER,
    ['r'] = LETTER,
    ['s'] = LETTER,
    ['t'] = LETTER,
    ['u'] = LETTER,
    ['v'] = LETTER,
    ['w'] = LETTER,
    ['x'] = LETTER,
    ['y'] = LETTER,
    ['z'] = LETTER,
    ['A'] = LETTER | HEX,
    ['B'] = LETTER | HEX,
    ['C'] = LETTER | HEX,
    ['D'] = LETTER | HEX,
    ['E'] = LETTER | HEX,
    ['F'] = LETTER | HEX,
    ['G'] = LETTER,
    ['H'] = LETTER,
    ['I'] = LETTER,
    ['J'] = LETTER,
    ['K'] = LETTER,
    ['L'] = LETTER,
    ['M'] = LETTER,
    ['N'] = LETTER,
    ['O'] = LETTER,
    ['P'] = LETTER,
    ['Q'] = LETTER,
    ['R'] = LETTER,
    ['S'] = LETTER,
    ['T'] = LETTER,
    ['U'] = LETTER,
    ['V'] = LETTER,
    ['W'] = LETTER,
    ['X'] = LETTER,
    ['Y'] = LETTER,
    ['Z'] = LETTER,
};

static bool is(char c, int class)
{
    return (classes[(unsigned char)c] & class) != 0;
}

static struct cuc__ptx_token bad(struct cuc__ptx_lexer *l, struct cuc__ptx_token t,
                                 const char *problem)
{
    t.kind = CUC__PTX_BAD;
    t.problem = problem;
    if (t.at + t.bytes < l->at)
        t.bytes = (size_t)(l->at - t.at);
    l->at = l->end;
    return t;
}

static bool at_comment(const struct cuc__ptx_lexer *l)
{
    return l->end - l->at >= 2 && l->at[0] == '/' && (l->at[1] == '/' || l->at[1] == '*');
}

// Skips a comment. If the comment is unterminated, returns false and leaves `at` on it.
static bool skip_comment(struct cuc__ptx_lexer *l)
{
    const char *p = l->at + 2;
    uint32_t lines = 0;

    if (l->at[1] == '/') {
        const char *stop = memchr(p, '\n', (size_t)(l->end - p));
        l->at = stop ? stop : l->end;
        return true;
    }
    while (l->end - p >= 2 && !(p[0] == '*' && p[1] == '/'))
        lines += *p++ == '\n';
    if (l->end - p < 2)
        return false;
    l->at = p + 2;
    l->line += lines;
    return true;
}

// Skips blanks and comments. If a comment is unterminated, returns false and leaves `at` on it.
static bool skip_blanks(struct cuc__ptx_lexer *l)
{
    for (;;) {
        const char *p = l->at;
        uint32_t lines = 0;
        for (; p < l->end && is(*p, BLANK); p++)
            lines += *p == '\n';
        l->at = p;
        l->line += lines;
        if (!at_comment(l))
            return true;
        if (!skip_comment(l))
            return false;
    }
}

static const char *word_end(const struct cuc__ptx_lexer *l, const char *p)
{
    while (p < l->end && is(*p, WORD))
        p++;
    return p;
}

// Returns the end of a directive or opcode word. The word includes "::" if another word follows.
static const char *scoped_end(const struct cuc__ptx_lexer *l, const char *p)
{
    p = word_end(l, p);
    while (l->end - p >= 3 && p[0] == ':' && p[1] == ':' && is(p[2], WORD))
        p = word_end(l, p + 2);
    return p;
}

static unsigned digit_value(char c)
{
    return c <= '9' ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
}

// Reads digits of a base up to `end`. Returns false for any other character and for a value that
// exceeds 64 bits.
static bool read_digits(const char *p, const char *end, unsigned base, uint64_t *value)
{
    uint64_t v = 0;

    if (p == end)
        return false;
    for (; p < end; p++) {
        if (!is(*p, HEX) || digit_value(*p) >= base ||
            __builtin_mul_overflow(v, (uint64_t)base, &v) ||
            __builtin_add_overflow(v, (uint64_t)digit_value(*p), &v))
            return false;
    }
    *value = v;
    return true;
}

// Reads a decimal number. The decimal point is "." in every locale.
static bool read_decimal(const char *at, size_t bytes, uint64_t *bits)
{
    char text[512];
    char *end;
    double d = 0;

    if (bytes >= sizeof(text))
        return false;
    memcpy(text, at, bytes);
    text[bytes] = '\0';
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!c)
        return false;
    d = strtod_l(text, &end, c);
    freelocale(c);
    memcpy(bits, &d, sizeof(d));
    return end == text + bytes;
}

static struct cuc__ptx_token number(struct cuc__ptx_lexer *l, struct cuc__ptx_token t)
{
    const char *p = t.at;
    const char *end = word_end(l, p);
    const char second = end - p >= 2 ? (char)(p[1] | 0x20) : '\0';
    const char *q = p;

    // Test for 0f and 0d first, because their digits would also read as a decimal number with an
    // exponent.
    if (*p == '0' && (second == 'f' || second == 'd')) {
        bool single = second == 'f';

        l->at = end;
        t.bytes = (size_t)(end - p);
        t.kind = single ? CUC__PTX_F32 : CUC__PTX_F64;
        if (t.bytes != (single ? 10 : 18) || !read_digits(p + 2, end, 16, &t.value))
            return bad(l, t,
                       single ? "0f and 8 hexadecimal digits" : "0d and 16 hexadecimal digits");
        return t;
    }
    while (q < l->end && is(*q, DIGIT))
        q++;
    bool point = q < l->end && *q == '.' &&
                 !(l->end - q >= 2 && is(q[1], FIRST) && (q[1] | 0x20) != 'e');
    bool exponent = q < l->end && (*q | 0x20) == 'e' && !(second == 'x' && *p == '0');
    if (point || exponent) {
        if (point) {
            q++;
            while (q < l->end && is(*q, DIGIT))
                q++;
        }
        if (q < l->end && (*q | 0x20) == 'e') {
            q++;
            if (q < l->end && (*q == '+' || *q == '-'))
                q++;
        }
        end = word_end(l, q);
        l->at = end;
        t.bytes = (size_t)(end - p);
        t.kind = CUC__PTX_F64;
        if (!read_decimal(p, t.bytes, &t.value))
            return bad(l, t, "a decimal number");
        return t;
    }

    unsigned base = *p != '0' || end - p < 2 ? 10 : second == 'x' ? 16 : second == 'b' ? 2 : 8;
    t.kind = CUC__PTX_INTEGER;
    t.bytes = (size_t)(end - p);
    l->at = end;
    q = end;
    if (q[-1] == 'U') {
        t.is_unsigned = true;
        q--;
        if (q - p == 1)
            base = 10; // 0U
    }
    if (!read_digits(base == 10 ? p : p + (base == 8 ? 1 : 2), q, base, &t.value))
        return bad(l, t, "an integer of 64 bits");
    t.is_unsigned |= t.value > INT64_MAX;
    return t;
}

static struct cuc__ptx_token string(struct cuc__ptx_lexer *l, struct cuc__ptx_token t)
{
    const char *p = l->at + 1;

    while (p < l->end && *p != '"' && *p != '\n')
        p += *p == '\\' && l->end - p >= 2 && p[1] != '\n' ? 2 : 1;
    t.bytes = (size_t)(p - t.at);
    if (p >= l->end || *p != '"')
        return bad(l, t, "a string that ends in its line");
    t.kind = CUC__PTX_STRING;
    t.at = l->at + 1;
    t.bytes = (size_t)(p - t.at);
    l->at = p + 1;
    return t;
}

// Makes a token on the lexer's line. Sets all fields of a common token here, because copying a
// token right after a change of one field would stall on the store buffer.
static struct cuc__ptx_token token(const struct cuc__ptx_lexer *l, enum cuc__ptx_token_kind kind,
                                   const char *at, size_t bytes)
{
    return (struct cuc__ptx_token){ .kind = kind, .line = l->line, .at = at, .bytes = bytes };
}

struct cuc__ptx_token cuc__ptx_lexer_next(struct cuc__ptx_lexer *l)
{
    static const char pairs[][3] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||" };
    static const char signs[] = "()[]{}<>,;:=+-*/%!~&|^?@";
    bool closed = skip_blanks(l);
    const char *at = l->at;

    if (at == l->end)
        return token(l, CUC__PTX_END, at, 0);
    if (!closed)
        return bad(l, token(l, CUC__PTX_BAD, at, 2), "a comment that ends");
    char c = *l->at;
    char d = l->end - l->at >= 2 ? l->at[1] : '\0';
    // A % without a name after it is the remainder operator.
    if (is(c, FIRST) && !(c == '%' && !is(d, WORD))) {
        l->at = word_end(l, at + 1);
        return token(l, CUC__PTX_NAME, at, (size_t)(l->at - at));
    }
    if (is(c, DIGIT) || (c == '.' && is(d, DIGIT)))
        return number(l, token(l, CUC__PTX_INTEGER, at, 0));
    if (c == '.' && is(d, WORD)) {
        l->at = scoped_end(l, at + 1);
        return token(l, CUC__PTX_DIRECTIVE, at + 1, (size_t)(l->at - at) - 1);
    }
    if (c == '"')
        return string(l, token(l, CUC__PTX_STRING, at, 0));
    if (!c || !strchr(signs, c))
        return bad(l, token(l, CUC__PTX_SIGN, at, 1), "PTX");
    bool pair = false;
    for (size_t i = 0; i < CUC_LENGTH(pairs); i++)
        pair |= c == pairs[i][0] && d == pairs[i][1];
    l->at += pair ? 2 : 1;
    return (struct cuc__ptx_token){ .kind = CUC__PTX_SIGN,
                                    .line = l->line,
                                    .sign = pair ? CUC__PTX_PAIR(c, d) : c,
                                    .at = at,
                                    .bytes = pair ? 2 : 1 };
}

char cuc__ptx_lexer_peek(struct cuc__ptx_lexer *l, char *second)
{
    skip_blanks(l);
    if (second)
        *second = l->end - l->at >= 2 ? l->at[1] : '\0';
    return l->at < l->end ? *l->at : '\0';
}

size_t cuc__ptx_lexer_opcode_tail(struct cuc__ptx_lexer *l, const char **at)
{
    const char *p = l->at;

    *at = p;
    while (l->end - p >= 2 && *p == '.' && is(p[1], WORD))
        p = scoped_end(l, p + 1);
    l->at = p;
    return (size_t)(p - *at);
}

// Skips a block. This loop reads characters without making tokens, because kernel bodies are most
// of a text.
bool cuc__ptx_lexer_skip_block(struct cuc__ptx_lexer *l)
{
    for (size_t depth = 1; depth;) {
        const char *p = l->at;
        uint32_t lines = 0;

        while (p < l->end && !is(*p, STOP))
            lines += *p++ == '\n';
        l->at = p;
        l->line += lines;
        if (p == l->end)
            return false;
        if (*p == '"') {
            if (string(l, (struct cuc__ptx_token){ .line = l->line, .at = p }).kind == CUC__PTX_BAD)
                return false;
        } else if (at_comment(l)) {
            if (!skip_comment(l)) {
                l->at = l->end;
                return false;
            }
        } else {
            depth += *p == '{';
            depth -= *p == '}';
            l->at++;
        }
    }
    return true;
}
