#include "directives.h"

#include "base/array.h"
#include "word_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 16, MOST_STEPS = 4096, NAME_BYTES = 1024 };

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

const char *cuc__skip_blanks(const char *p, const char *end)
{
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        if (end - p < 2 || p[0] != '/' || p[1] != '*')
            return p;
        const char *close = p + 2;
        while (close + 1 < end && (close[0] != '*' || close[1] != '/'))
            close++;
        if (close + 1 >= end)
            return p;
        p = close + 2;
    }
}

static bool is_open_comment(const char *p, const char *end)
{
    return end - p >= 2 && p[0] == '/' && p[1] == '*';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *cuc__word_end(const char *p, const char *end)
{
    while (p < end && ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || is_digit(*p) ||
                       *p == '_' || *p == '$' || (unsigned char)*p >= 0x80))
        p++;
    return p;
}

static inline bool is_word(const char *p, const char *end, const char *word)
{
    return (size_t)(end - p) == strlen(word) && memcmp(p, word, strlen(word)) == 0;
}

// Returns true for a system name that some compilers define as a macro.
static bool is_of_system(const char *word, size_t bytes)
{
    static const char *const others[] = { "linux", "unix", "i386" };
    bool is = false;

    for (size_t i = 0; i < CUC_LENGTH(others); i++)
        is |= is_word(word, word + bytes, others[i]);
    return is;
}

bool cuc__is_reserved(const char *word, size_t bytes)
{
    bool reserved = bytes > 1 && word[0] == '_' &&
                    (word[1] == '_' || (word[1] >= 'A' && word[1] <= 'Z'));

    return reserved || is_of_system(word, bytes);
}

// Returns true if the compiler may define a macro itself, even if a text defines it for other
// compilers.
static bool is_predefined(const char *word, size_t bytes)
{
    static const char *const starts[] = {
        "__CUDA", "__NV",    "__GNU",  "__EDG",   "__STDC",  "__c",    "__FILE",  "__BASE_FILE",
        "__LINE", "__COUNT", "__SIZE", "__INT",   "__UINT",  "__CHAR", "__WCHAR", "__VERSION",
        "__li",   "__un",    "__x86",  "__aarch", "__amd64", "__LP64", "__BYTE",  "__ORDER",
        "__FLT",  "__DBL",   "__LDBL", "__OPT",   "_GNU",    "_LP64",
    };

    for (size_t i = 0; i < CUC_LENGTH(starts); i++)
        if (bytes >= strlen(starts[i]) && memcmp(word, starts[i], strlen(starts[i])) == 0)
            return true;
    return is_of_system(word, bytes);
}

const char *cuc__directive_of(const char *line, const char *end)
{
    const char *p = cuc__skip_blanks(line, end);

    if (p < end && *p == '#')
        p++;
    else if (end - p >= 2 && p[0] == '%' && p[1] == ':')
        p += 2;
    else
        return NULL;
    return cuc__skip_blanks(p, end);
}

const char *cuc__directives_name(const struct cuc__directives *d, const char *from)
{
    return from ? from : d->name;
}

// ---- Texts

// Joins continued lines and drops the byte order mark. Returns the new length, or SIZE_MAX if it
// refuses the text.
static size_t join_lines(struct cuc__directives *d, const char *name, char *text, size_t bytes)
{
    const char *p = text, *last = text + bytes;
    bool returns = memchr(text, '\r', bytes);
    char *to = text;

    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0)
        p += 3;
    for (;; p++) {
        const char *next = returns ? p + strcspn(p, "\\\r") : memchr(p, '\\', (size_t)(last - p));
        size_t plain = (size_t)((next ? next : last) - p);
        if (to != p)
            memmove(to, p, plain);
        to += plain;
        p += plain;
        if (!*p)
            break;
        const char *end = p + 1;
        while (*p == '\\' && is_blank(*end) && *end != '\r')
            end++;
        if (*p == '\\' && *end == '\r' && end[1] == '\n')
            end++;
        // Compilers treat these cases differently, so refuse them.
        if ((*p == '\r' && p[1] != '\n') ||
            (*p == '\\' && *end == '\n' && is_blank(p[1]) && p[1] != '\r')) {
            cuc__key_refuse(d->key, "%s has a %s", name,
                            *p == '\r' ? "carriage return within a line"
                                       : "line that ends with a backslash and blanks");
            return SIZE_MAX;
        }
        if (*p == '\\' && *end == '\n')
            p = end;
        else
            *to++ = *p;
    }
    return (size_t)(to - text);
}

// Refuses a text that contains the trigraph of a # or a backslash.
static void check_trigraphs(struct cuc__directives *d, const char *name, const char *text,
                            size_t bytes)
{
    const char *end = text + bytes;

    for (const char *p = text; (p = memchr(p, '?', (size_t)(end - p))) != NULL; p++)
        if (p[1] == '?' && (p[2] == '=' || p[2] == '/'))
            cuc__key_refuse(d->key, "%s has %.3s", name, p);
}

size_t cuc__directives_join(struct cuc__directives *d, const char *from, char *text, size_t bytes)
{
    const char *name = cuc__directives_name(d, from);

    memset(text + bytes, 0, CUC__WORD_PADDING);
    size_t joined = join_lines(d, name, text, bytes);
    if (joined == SIZE_MAX)
        return SIZE_MAX;
    memset(text + joined, 0, CUC__WORD_PADDING);
    check_trigraphs(d, name, text, joined);
    return d->key->refused ? SIZE_MAX : joined;
}

static struct cuc__directive_text *add_text(struct cuc__directives *d, const char *from)
{
    if (!CUC_RESERVE(d->texts, d->text_room, d->text_count + 1)) {
        cuc__key_refuse(d->key, "there is no memory");
        return NULL;
    }
    struct cuc__directive_text *added = &d->texts[d->text_count++];
    *added = (struct cuc__directive_text){ .from = from };
    return added;
}

void cuc__directives_add(struct cuc__directives *d, const char *from, const char *text)
{
    size_t bytes = strlen(text);
    char *copy = malloc(bytes + CUC__WORD_PADDING);
    struct cuc__directive_text *added = copy ? add_text(d, from) : NULL;

    if (!added) {
        cuc__key_refuse(d->key, "there is no memory");
        free(copy);
        return;
    }
    memcpy(copy, text, bytes);
    added->text = copy;
    bytes = cuc__directives_join(d, from, copy, bytes);
    added->bytes = bytes == SIZE_MAX ? 0 : bytes;
}

// ---- Definitions

bool cuc__definition_read(struct cuc__definition *out, const char *p, const char *end)
{
    struct cuc__definition made = { .name = cuc__skip_blanks(p, end) };

    p = cuc__word_end(made.name, end);
    made.name_bytes = (size_t)(p - made.name);
    if (!made.name_bytes || is_digit(*made.name))
        return false;
    if (p < end && *p == '(') {
        const char *close = memchr(p, ')', (size_t)(end - p));
        made.has_parameters = true;
        made.parameters = p + 1;
        made.parameter_bytes = (size_t)((close ? close : end) - made.parameters);
        p = close ? close + 1 : end;
    }
    while (p < end && is_blank(*p))
        p++;
    while (end > p && is_blank(end[-1]))
        end--;
    made.body = p;
    made.body_bytes = (size_t)(end - p);
    *out = made;
    return true;
}

// Enters in `defined` the definitions added since the last call.
static void index_definitions(struct cuc__directives *d)
{
    for (; d->indexed_count < d->definition_count; d->indexed_count++) {
        struct cuc__macro *made = &d->definitions[d->indexed_count];
        struct cuc__name *name = cuc__name_set_get(&d->defined, made->name, made->name_bytes);
        if (!name) {
            cuc__key_refuse(d->key, "there is no memory");
            return;
        }
        made->next = (uint32_t)name->value;
        name->value = d->indexed_count + 1;
    }
}

const struct cuc__macro *cuc__macro_of(struct cuc__directives *d, const char *name, size_t bytes)
{
    index_definitions(d);
    const struct cuc__name *found = cuc__name_set_find(&d->defined, name, bytes);

    return found ? &d->definitions[found->value - 1] : NULL;
}

static void add_definition(struct cuc__directives *d, const char *p, const char *end)
{
    struct cuc__definition made;

    if (!cuc__definition_read(&made, p, end))
        return; // part of a literal or a comment, not a directive
    // The body of a macro with parameters is not needed, because an #include that uses the macro is
    // refused.
    size_t at = (size_t)(made.body - made.name);
    size_t bytes = made.has_parameters ? made.name_bytes : at + made.body_bytes;
    const char *copy = cuc__arena_copy(d->arena, made.name, bytes);
    if (!copy || !CUC_RESERVE(d->definitions, d->definition_room, d->definition_count + 1)) {
        cuc__key_refuse(d->key, "there is no memory");
        return;
    }
    d->definitions[d->definition_count++] = (struct cuc__macro){
        .name = copy,
        .body = made.has_parameters ? NULL : copy + at,
        .name_bytes = (uint32_t)made.name_bytes,
        .body_bytes = made.has_parameters ? 0 : (uint32_t)made.body_bytes,
    };
}

// ---- Includes

static void refuse_operand(struct cuc__directives *d, const char *at, size_t bytes)
{
    cuc__key_refuse(d->key, "an #include does not name its file: %.*s",
                    bytes < 60 ? (int)bytes : 60, at);
}

// Calls `include` with the name in quotes or angle brackets at `p`. Returns false if there is none.
static bool include(struct cuc__directives *d, const char *from, const char *p, const char *end)
{
    bool quoted = p < end && *p == '"';
    const char *close = quoted || (p < end && *p == '<')
                            ? memchr(p + 1, quoted ? '"' : '>', (size_t)(end - p - 1))
                            : NULL;
    char name[NAME_BYTES];

    if (!close || (size_t)(close - p) >= sizeof(name))
        return false;
    memcpy(name, p + 1, (size_t)(close - p - 1));
    name[close - p - 1] = '\0';
    d->include(d->user, from, name, quoted);
    return true;
}

static void add_include(struct cuc__directives *d, const char *from, const char *p, const char *end)
{
    if (include(d, from, p, end))
        return;
    if (p == end || cuc__word_end(p, end) == p || is_digit(*p)) {
        refuse_operand(d, p, (size_t)(end - p));
        return;
    }
    if (!CUC_RESERVE(d->macros, d->macro_room, d->macro_count + 1)) {
        cuc__key_refuse(d->key, "there is no memory");
        return;
    }
    const char *comment = memmem(p, (size_t)(end - p), "//", 2);
    end = comment ? comment : end;
    comment = memmem(p, (size_t)(end - p), "/*", 2);
    end = comment && cuc__skip_blanks(comment, end) == end ? comment : end;
    while (is_blank(end[-1]))
        end--;
    const char *copy = cuc__arena_copy(d->arena, p, (size_t)(end - p));
    if (copy)
        d->macros[d->macro_count++] = (struct cuc__part){ from, copy, (size_t)(end - p) };
    else
        cuc__key_refuse(d->key, "there is no memory");
}

// Handles the operand of an #include after replacing its macros. Ignores an operand that names no
// file, because the compiler will fail.
static void include_replaced(struct cuc__directives *d, const char *from, const char *text)
{
    size_t bytes = strlen(text);

    if (*text != '<' && *text != '"')
        return;
    if (strpbrk(text, " \t") || strcspn(text + 1, *text == '<' ? ">" : "\"") + 2 != bytes ||
        !include(d, from, text, text + bytes))
        refuse_operand(d, text, bytes);
}

// Returns the next word from `p` on that may be a macro: one that is not in quotes and is not a
// number.
static const char *next_word(const char *p)
{
    while (*p) {
        const char *end = p + strlen(p), *word_end = cuc__word_end(p, end);
        if (*p == '"') {
            const char *close = strchr(p + 1, '"');
            p = close ? close + 1 : end;
        } else if (word_end == p) {
            p++;
        } else if (is_digit(*p)) {
            p = word_end;
        } else {
            break;
        }
    }
    return p;
}

// Replaces the macros in an operand, from byte `at` on, by each of their definitions. Also tries
// the operand with a macro left as it is, because the macro may be undefined at the #include.
// Limits the number of steps.
static void replace(struct cuc__directives *d, const char *from, const char *text, size_t at,
                    int depth, int *steps)
{
    const char *word = next_word(text + at), *end = cuc__word_end(word, word + strlen(word));
    const struct cuc__macro *m = cuc__macro_of(d, word, (size_t)(end - word));
    char next[NAME_BYTES];

    while (*word && !m && !cuc__is_reserved(word, (size_t)(end - word))) {
        word = next_word(end);
        end = cuc__word_end(word, word + strlen(word));
        m = cuc__macro_of(d, word, (size_t)(end - word));
    }
    if (!*word) {
        include_replaced(d, from, text);
        return;
    }
    if (!m || is_predefined(word, (size_t)(end - word)) || depth >= MOST_DEPTH || --*steps < 0) {
        refuse_operand(d, text, strlen(text));
        return;
    }
    replace(d, from, text, (size_t)(end - text), depth + 1, steps);
    for (; m && !d->key->refused; m = m->next ? &d->definitions[m->next - 1] : NULL) {
        const char *more = end + strspn(end, " \t");
        if (!m->body && *more != '(')
            continue;
        bool fits = snprintf(next, sizeof(next), "%.*s%.*s%s", (int)(word - text), text,
                             (int)m->body_bytes, m->body ? m->body : "", end) < (int)sizeof(next);
        if (!m->body || !fits || memchr(m->body, '#', m->body_bytes) || strstr(next, "/*") ||
            strstr(next, "//"))
            refuse_operand(d, text, strlen(text));
        else
            replace(d, from, next, (size_t)(word - text), depth + 1, steps);
    }
}

// Reads a directive, starting after its #.
static void read_directive(struct cuc__directives *d, const char *from, const char *p,
                           const char *end)
{
    static const char *const starts[] = { "in", "im", "em", "de", "/*" };
    bool other = true;

    p = cuc__skip_blanks(p, end);
    for (int i = 0; i < CUC_LENGTH(starts); i++)
        other &= p[0] != starts[i][0] || p[1] != starts[i][1];
    if (other) // most directives are others: #if, #endif
        return;
    const char *word_end = cuc__word_end(p, end), *operand = cuc__skip_blanks(word_end, end);
    bool includes = is_word(p, word_end, "include") || is_word(p, word_end, "include_next");
    bool defines = is_word(p, word_end, "define");

    if (is_open_comment(p, end) || ((includes || defines) && is_open_comment(operand, end)))
        cuc__key_refuse(d->key, "a directive goes on after a comment of several lines");
    else if (is_word(p, word_end, "import") || is_word(p, word_end, "embed"))
        cuc__key_refuse(d->key, "it uses #%.*s", (int)(word_end - p), p);
    else if (includes)
        add_include(d, from, operand, end);
    else if (defines)
        add_definition(d, operand, end);
}

// A walk over a text's directives. A directive begins a line, after blanks and comments. A
// directive in a comment or literal counts too, which does no harm.
struct walk {
    const char *line, *end;     // the line of the directive
    const char *rest;           // what follows the #
    const char *start;          // after the last comment before `at`
    const char *at;             // the place to look at next
    const char *hash, *percent; // the next # and the next %: at or after `at`; NULL if none
};

// Returns the next # or %: from `p` on, or NULL.
static const char *next_mark(struct walk *w, const char *p)
{
    if (w->hash && (w->hash < p || *w->hash != '#'))
        w->hash = strchr(p, '#');
    while (w->percent && (w->percent < p || strncmp(w->percent, "%:", 2) != 0))
        w->percent = strchr(w->percent < p ? p : w->percent + 1, '%');
    return !w->hash || (w->percent && w->percent < w->hash) ? w->percent : w->hash;
}

static struct walk begin_walk(const char *text)
{
    return (struct walk){ .rest = text, .at = text, .hash = text, .percent = text };
}

// Finds the next directive. Starts at the beginning of the marked line, because earlier lines do
// not affect that line's directives.
static bool next_directive(struct walk *w)
{
    for (;; w->at++) {
        w->at = next_mark(w, w->at);
        if (!w->at)
            return false;
        if (!w->end || w->at > w->end) { // on another line
            for (w->line = w->at; w->line > w->rest && w->line[-1] != '\n'; w->line--)
                ;
            w->end = strchrnul(w->at, '\n');
            w->start = w->line;
        }
        for (const char *p = w->at; p - 1 > w->start; p--)
            if (p[-2] == '*' && p[-1] == '/') {
                w->start = p;
                break;
            }
        if (cuc__skip_blanks(w->start, w->at) != w->at)
            continue;
        w->rest = w->at + (*w->at == '#' ? 1 : 2);
        w->at = w->rest;
        return true;
    }
}

static void read_text(struct cuc__directives *d, const char *from, const char *text)
{
    struct walk w = begin_walk(text);

    while (!d->key->refused && next_directive(&w))
        read_directive(d, from, w.rest, w.end);
}

size_t cuc__directives_skeleton(cuc__key_maker *key, const struct cuc__directive_text *text)
{
    static const char *const words[] = { "include", "include_next", "import", "embed",
                                         "define",  "if",           "elif" };
    struct walk w = begin_walk(text->text);
    const char *last = NULL;
    size_t lines = 0;

    while (next_directive(&w)) {
        const char *word = cuc__skip_blanks(w.rest, w.end), *end = cuc__word_end(word, w.end);
        bool names = is_open_comment(word, w.end);
        for (int i = 0; i < CUC_LENGTH(words); i++)
            names |= is_word(word, end, words[i]);
        if (!names || w.line == last)
            continue;
        cuc__key_add(key, w.line, (size_t)(w.end - w.line));
        last = w.line;
        lines++;
    }
    return lines;
}

static void replace_macros(struct cuc__directives *d)
{
    for (size_t i = 0; i < d->macro_count && !d->key->refused; i++) {
        const struct cuc__part m = d->macros[i];
        char text[NAME_BYTES];
        int steps = MOST_STEPS;
        if (snprintf(text, sizeof(text), "%.*s", (int)m.bytes, m.at) < (int)sizeof(text))
            replace(d, m.from, text, 0, 0, &steps);
        else
            refuse_operand(d, m.at, m.bytes);
    }
}

void cuc__directives_read_file(struct cuc__directives *d, const char *from, char *text,
                               size_t bytes)
{
    struct cuc__directive_text *added = add_text(d, from);

    bytes = cuc__directives_join(d, from, text, bytes);
    if (!added || bytes == SIZE_MAX)
        return;
    added->checked = cuc__presence_check(d, from, text, bytes, 0);
    read_text(d, from, text);
    d->read_count++;
}

void cuc__directives_read(struct cuc__directives *d)
{
    for (; d->read_count < d->text_count && !d->key->refused; d->read_count++) {
        struct cuc__directive_text *t = &d->texts[d->read_count];
        t->checked = cuc__presence_check(d, t->from, t->text, t->bytes, 0);
        read_text(d, t->from, t->text);
    }
    // Do this after reading all texts, because each may define a macro that an #include in another
    // one uses.
    cuc__presence_read(d);
    replace_macros(d);
}

void cuc__directives_free(struct cuc__directives *d)
{
    for (size_t i = 0; i < d->text_count; i++)
        free(d->texts[i].text);
    free(d->texts);
    free(d->definitions);
    free(d->macros);
    free(d->words);
    cuc__name_set_free(&d->defined);
}
