// Splits text into tokens. A newline ends a statement unless the next line must continue it: inside
// brackets, after a sign that needs an operand, and before a word or sign that cannot begin a
// statement.
#include "lexer.h"

#include "base/arena.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void tile_lexer_start(struct tile_lexer *lexer, struct tile_module *module)
{
    *lexer = (struct tile_lexer){ .module = module,
                                  .at = module->text,
                                  .end = module->text + module->text_bytes,
                                  .line_start = module->text,
                                  .line = 1,
                                  .joins = true };
}

bool tile_token_is(const struct tile_token *token, const char *word)
{
    return token->kind == TILE_TOKEN_NAME && strlen(word) == token->bytes &&
           memcmp(token->at, word, token->bytes) == 0;
}

// True for a continuation byte of UTF-8, which does not count as a column.
static bool is_behind(char c)
{
    return (c & 0xc0) == 0x80;
}

static struct tile_location here(const struct tile_lexer *l, const char *at)
{
    return (struct tile_location){ .file = l->module->file,
                                   .line = l->line,
                                   .column = (uint32_t)(at - l->line_start) + 1 - l->behind };
}

static bool starts_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

// Skips blanks and comments; `lines`: also newlines.
static void skip(struct tile_lexer *l, bool lines)
{
    while (l->at < l->end) {
        char c = *l->at;
        if (c == '#') {
            while (l->at < l->end && *l->at != '\n')
                l->at++;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            l->at++;
        } else if (lines && c == '\n') {
            l->at++;
            l->line++;
            l->line_start = l->at;
            l->behind = 0;
        } else {
            break;
        }
    }
}

static bool is_word(const char *at, size_t bytes, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == bytes && memcmp(at, *words, bytes) == 0)
            return true;
    return false;
}

// True if the next token, past any newlines, continues the current line.
static bool next_joins(struct tile_lexer *l)
{
    static const char *const words[] = { "const", "where", "grid", "else", NULL };
    struct tile_lexer lookahead = *l;

    skip(&lookahead, true);
    if (lookahead.at == lookahead.end || *lookahead.at == '{' || *lookahead.at == '}')
        return true;
    const char *start = lookahead.at;
    while (lookahead.at < lookahead.end && in_name(*lookahead.at))
        lookahead.at++;
    return is_word(start, (size_t)(lookahead.at - start), words);
}

// True for a token after which a statement must continue.
static bool wants_more(const struct tile_token *t)
{
    static const char *const words[] = { "and", "or", "not", "in", "step", NULL };

    if (t->kind == TILE_TOKEN_NAME)
        return is_word(t->at, t->bytes, words);
    if (t->kind == TILE_TOKEN_NEWLINE)
        return true; // skips blank lines
    return t->kind == TILE_TOKEN_SIGN && !strchr(")]}:", (int)(t->sign & 0xff));
}

static void read_number(struct tile_lexer *l, struct tile_token *t)
{
    char digits[128];
    size_t n = 0;
    bool hex = l->at + 1 < l->end && l->at[0] == '0' && (l->at[1] == 'x' || l->at[1] == 'X');
    bool real = false;

    while (l->at < l->end && n < sizeof(digits) - 1) {
        char c = *l->at;
        bool sign = (c == '+' || c == '-') && real &&
                    (digits[n - 1] == 'e' || digits[n - 1] == 'E');
        bool dots = c == '.' && l->at + 1 < l->end && l->at[1] == '.'; // a range, 0 .. n
        if (!hex && ((c == '.' && !dots) || c == 'e' || c == 'E'))
            real = true;
        else if (!sign && !in_name(c))
            break;
        if (dots)
            break;
        if (c != '_')
            digits[n++] = c;
        l->at++;
    }
    digits[n] = '\0';
    char *end;
    errno = 0;
    if (real) {
        t->kind = TILE_TOKEN_REAL;
        t->real = strtod(digits, &end);
        if (errno == ERANGE && (t->real > 1 || t->real < -1))
            end = digits;
        errno = 0;
    } else {
        t->kind = TILE_TOKEN_INT;
        t->value = strtoull(digits, &end, hex ? 16 : 10);
    }
    t->wrong = *end || end == digits || errno;
    if (t->wrong)
        tile_error(l->module, TILE_T002, t->where, "number: %s cannot be read or is too large",
                   digits);
}

static void read_text(struct tile_lexer *l, struct tile_token *t)
{
    static const char escapes[] = "n\nt\tr\r\"\"\\\\";
    const char *start = ++l->at;
    char *text = NULL;
    size_t n = 0;

    while (l->at < l->end && *l->at != '"' && *l->at != '\n')
        l->at += *l->at == '\\' && l->at + 1 < l->end && l->at[1] != '\n' ? 2 : 1;
    if (l->at >= l->end || *l->at != '"') {
        tile_error(l->module, TILE_T003, t->where,
                   "string: expected a \" before the end of the line");
        l->at = l->at > l->end ? l->end : l->at;
        // Assume that the enclosing expression ends on the line of the string.
        while (l->at > start && strchr(" \t\r)]}", l->at[-1]))
            l->at--;
        l->torn = true;
    }
    t->kind = TILE_TOKEN_TEXT;
    text = cuc__arena_allocate(l->module->arena, (size_t)(l->at - start) + 1);
    for (const char *c = start; text && c < l->at; c++) {
        const char *escape = NULL;
        if (*c == '\\' && c + 1 < l->at) {
            for (size_t i = 0; i + 1 < sizeof(escapes); i += 2)
                if (escapes[i] == c[1])
                    escape = &escapes[i + 1];
        }
        if (escape)
            c++;
        text[n++] = escape ? *escape : *c;
    }
    t->text = text ? text : "";
    t->wrong = l->torn;
    for (const char *c = start; c < l->at; c++)
        l->behind += is_behind(*c);
    if (l->at < l->end && *l->at == '"')
        l->at++;
}

// Skips all bytes of a character that cannot start a token.
static void wrong_character(struct tile_lexer *l, struct tile_location where)
{
    unsigned char first = (unsigned char)*l->at++;
    uint32_t behind = 0, code = first >= 0xf0 ? first & 7 : first >= 0xe0 ? first & 15 : first & 31;

    for (; first & 0x80 && l->at < l->end && is_behind(*l->at); l->at++, behind++)
        code = code << 6 | ((unsigned char)*l->at & 63);
    l->behind += behind;
    bool whole = first >= 0xc2 && first < 0xf5 && behind == 1u + (first >= 0xe0) + (first >= 0xf0);
    if (first == '.' && l->at < l->end && starts_name(*l->at))
        tile_error(
            l->module, TILE_T001, where,
            "text: no token starts with '.': functions are called as in sum(x), not x.sum()");
    else if (first >= ' ' && first < 127)
        tile_error(l->module, TILE_T001, where, "text: no token starts with '%c'", first);
    else if (first < 128)
        tile_error(l->module, TILE_T001, where, "text: a control character (%#x)", first);
    else if (whole)
        tile_error(l->module, TILE_T001, where, "text: a character that is not ASCII (U+%04X)",
                   code);
    else
        tile_error(l->module, TILE_T001, where, "text: a byte that is not ASCII (%#x)", first);
}

static bool read_sign(struct tile_lexer *l, struct tile_token *t)
{
    static const char *const doubles[] = { "**", "//", "==", "!=", "<=", ">=", "<<",
                                           ">>", "+=", "-=", "*=", "/=", "..", NULL };
    char c = *l->at;

    t->kind = TILE_TOKEN_SIGN;
    for (const char *const *d = doubles; l->at + 1 < l->end && *d; d++)
        if ((*d)[0] == c && (*d)[1] == l->at[1]) {
            t->sign = TILE_SIGN2((*d)[0], (*d)[1]);
            l->at += 2;
            return true;
        }
    if (!strchr("+-*/%@|^&~<>=()[]{},:", c))
        return false;
    t->sign = TILE_SIGN1(c);
    l->at++;
    if (c == '(' || c == '[')
        l->depth++;
    if ((c == ')' || c == ']') && l->depth)
        l->depth--;
    return true;
}

struct tile_token tile_lexer_next(struct tile_lexer *l)
{
    struct tile_token t = { 0 };

    for (;;) {
        skip(l, (l->depth || l->joins) && !l->torn);
        t = (struct tile_token){ .where = here(l, l->at), .at = l->at };
        if (l->at >= l->end)
            return t;
        char c = *l->at;
        if (c == '\n' || c == ';') {
            bool joined = next_joins(&(struct tile_lexer){
                .module = l->module, .at = l->at + 1, .end = l->end, .line_start = l->line_start });
            l->at++;
            if (c == '\n') {
                l->line++;
                l->line_start = l->at;
                l->behind = 0;
                l->depth = l->torn ? 0 : l->depth;
                l->torn = false;
            }
            if (joined || l->depth || l->joins)
                continue;
            t.kind = TILE_TOKEN_NEWLINE;
        } else if (isdigit((unsigned char)c)) {
            read_number(l, &t);
        } else if (c == '"') {
            read_text(l, &t);
        } else if (starts_name(c)) {
            t.kind = TILE_TOKEN_NAME;
            while (l->at < l->end && in_name(*l->at))
                l->at++;
        } else if (!read_sign(l, &t)) {
            wrong_character(l, t.where);
            t.kind = TILE_TOKEN_SIGN; // a sign that the parser never accepts, so the statement ends
                                      // here
            t.wrong = true;
        }
        t.bytes = (size_t)(l->at - t.at);
        l->joins = wants_more(&t);
        return t;
    }
}
