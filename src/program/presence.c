#include "directives.h"

#include "base/array.h"
#include "word_search.h"

#include <stdio.h>
#include <string.h>

// For a name longer than PART bytes, only a beginning of at least PART bytes counts as a part.
enum { PART = CUC__WORD_PART, NAME_BYTES = 1024 };

// ---- Words

static bool is_word_byte(const char *p)
{
    return cuc__word_end(p, p + 1) != p;
}

static bool is_operator(const struct cuc__directives *d, const char *name, size_t bytes)
{
    for (size_t i = 0; i < d->operator_count; i++)
        if (d->operators[i].bytes == bytes && memcmp(d->operators[i].name, name, bytes) == 0)
            return true;
    return false;
}

// Returns true if the name is at `p` with gaps between its parts, as in the arguments of a macro
// that joins them.
static bool is_spread(const char *p, const char *name)
{
    static const char gaps[] = CUC__WORD_GAPS;
    const char *next = name;
    bool spread = false;

    while (*next && *p == *next) {
        next++;
        p++;
        size_t gap = *next && (unsigned char)*p <= ',' ? strspn(p, gaps) : 0;
        spread |= gap > 0;
        p += gap;
    }
    return !*next && spread;
}

// Returns true if the word at `p` is the beginning of a name. A word that is itself an operator
// does not count, because an operator whose operand is not a file name is refused anyway, even
// before ##.
static bool is_beginning(const struct cuc__directives *d, const char *text, const char *p,
                         const char *name, size_t bytes)
{
    size_t least = bytes > PART ? PART : bytes - 1;

    if (strncmp(p, name, least) != 0 || (p > text && is_word_byte(p - 1)))
        return false;
    size_t length = (size_t)(cuc__word_end(p, p + bytes) - p);
    return length < bytes && memcmp(p, name, length) == 0 && !is_operator(d, p, length);
}

// Returns how many first bytes of a name a word may lack and still count as the end of the name.
static size_t cut_of(size_t bytes)
{
    return bytes > PART ? PART - 1 : bytes - 1;
}

// Returns true if the word around `p` is the end of the name. `p` points to the part of the name
// after its first cut_of() bytes.
static bool is_end(const char *text, const char *p, const char *name, size_t bytes)
{
    size_t cut = cut_of(bytes);
    const char *word = p;

    if (cuc__same_bytes(p, name + cut) != bytes - cut || is_word_byte(p + bytes - cut))
        return false;
    while (word > text && is_word_byte(word - 1) && p - word < (ptrdiff_t)cut)
        word--;
    size_t before = (size_t)(p - word);
    return before < cut && memcmp(word, name + cut - before, before) == 0;
}

// Returns true if the text at `p` has a part of the name that ## may join with the rest.
static bool may_be_joined(const struct cuc__directives *d, const char *text, const char *p,
                          const char *name, size_t bytes)
{
    size_t same = cuc__same_bytes(p, name);

    if (bytes < 2)
        return false;
    // A part must end where its word ends.
    if (same && same < bytes && !is_word_byte(p + same) &&
        (is_spread(p, name) || is_beginning(d, text, p, name, bytes)))
        return true;
    return is_end(text, p, name, bytes);
}

static bool is_one_of(const char *p, size_t bytes, const char *const *words, int count)
{
    for (int i = 0; i < count; i++)
        if (strlen(words[i]) == bytes && memcmp(p, words[i], bytes) == 0)
            return true;
    return false;
}

// ---- Occurrences of an operator

// An occurrence of an operator's name in a text.
struct place {
    const struct cuc__presence_operator *of;
    const char *from, *line, *at, *end; // `end` is the end of the line
    const char *directive;              // NULL if no directive begins on this line
    size_t directive_bytes;
    struct cuc__definition definition; // if the directive is a #define
    bool defines;
};

static bool is_directive(const struct place *p, const char *const *words, int count)
{
    return p->directive && is_one_of(p->directive, p->directive_bytes, words, count);
}

static void find_place(struct place *p, const char *text)
{
    static const char *const define[] = { "define" };

    p->line = p->at;
    while (p->line > text && p->line[-1] != '\n')
        p->line--;
    p->end = strchrnul(p->at, '\n');
    p->directive = cuc__directive_of(p->line, p->at);
    if (!p->directive)
        return;
    const char *end = cuc__word_end(p->directive, p->end);
    p->directive_bytes = (size_t)(end - p->directive);
    p->defines = is_directive(p, define, 1) && cuc__definition_read(&p->definition, end, p->end);
}

// Returns true if the operator cannot have an operand here, because its name is being defined or
// tested, or because the preprocessor replaces no macros here.
static bool is_inert(const struct place *p)
{
    static const char *const inert[] = { "endif", "else",   "error",   "warning", "undef",
                                         "ifdef", "ifndef", "elifdef", "elifndef" };
    const char *before = p->at, *line = p->line + strspn(p->line, " \t");

    if (is_directive(p, inert, CUC_LENGTH(inert)) || (p->defines && p->definition.name == p->at))
        return true;
    if (strncmp(line, "//", 2) == 0 && !memmem(line, (size_t)(p->end - line), "*/", 2))
        return true;
    while (before > p->line && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    before -= before > p->line && before[-1] == '(';
    while (before > p->line && (before[-1] == ' ' || before[-1] == '\t'))
        before--;
    return before - p->line >= 7 && memcmp(before - 7, "defined", 7) == 0 &&
           (before - p->line == 7 || !is_word_byte(before - 8));
}

static void refuse(struct cuc__directives *d, const struct place *p)
{
    cuc__key_refuse(d->key, "%s does not name the file of %.*s", cuc__directives_name(d, p->from),
                    (int)p->of->bytes, p->of->name);
}

// Returns true if a definition has a parameter of this name.
static bool has_parameter(const struct cuc__definition *m, const char *word, size_t bytes)
{
    const char *p = m->parameters, *end = p + m->parameter_bytes;

    while (m->has_parameters && p < end) {
        const char *word_end = cuc__word_end(p, end);
        if ((size_t)(word_end - p) == bytes && memcmp(p, word, bytes) == 0)
            return true;
        p = word_end + (word_end == p);
    }
    return false;
}

// Notes the words of a name in angle brackets, because a macro could replace them.
static void add_words(struct cuc__directives *d, const struct place *p, const char *name,
                      const char *end)
{
    bool direct = !p->defines && p->of < d->operators + CUC__PRESENCE_BUILT_IN;

    for (const char *word = name; word < end; word++) {
        const char *word_end = cuc__word_end(word, end);
        size_t bytes = (size_t)(word_end - word);
        if (!bytes)
            continue;
        if ((p->defines && has_parameter(&p->definition, word, bytes)) ||
            (!direct && cuc__is_reserved(word, bytes)))
            refuse(d, p);
        const char *copy = cuc__arena_copy(d->arena, word, bytes);
        if (copy && CUC_RESERVE(d->words, d->word_room, d->word_count + 1))
            d->words[d->word_count++] = (struct cuc__part){ p->from, copy, bytes };
        else
            cuc__key_refuse(d->key, "there is no memory");
        word = word_end - 1;
    }
}

// Reads an operand that names a file: "name" or <name>, and a parenthesis. Returns false for any
// other operand. A name in quotes depends on the file in which a macro is used, so no macro may
// contain one.
static bool read_name(struct cuc__directives *d, const struct place *p, const char *operand)
{
    static const char *const conditions[] = { "if", "elif" };
    bool quoted = *operand == '"', condition = is_directive(p, conditions, CUC_LENGTH(conditions));
    const char *start = operand + 1;
    const char *close = memchr(start, quoted ? '"' : '>', (size_t)(p->end - start));
    char name[NAME_BYTES];

    if (!close || (size_t)(close - start) >= sizeof(name) ||
        !(condition || (p->defines && !quoted)))
        return false;
    const char *after = cuc__skip_blanks(close + 1, p->end);
    if (after == p->end || *after != ')')
        return false;
    if (!quoted)
        add_words(d, p, start, close);
    memcpy(name, start, (size_t)(close - start));
    name[close - start] = '\0';
    d->include(d->user, p->from, name, quoted);
    return true;
}

bool cuc__presence_add(struct cuc__directives *d, const char *name, size_t bytes)
{
    if (is_operator(d, name, bytes))
        return true;
    struct cuc__presence_operator *made = &d->operators[d->operator_count];

    if (d->operator_count == CUC__PRESENCE_OPERATORS || bytes >= sizeof(made->name))
        return false;
    *made = (struct cuc__presence_operator){ .bytes = bytes };
    memcpy(made->name, name, bytes);
    d->operator_count++;
    return true;
}

// Adds a macro that merely stands for the operator: #define NAME(X) OPERATOR(X).
static bool add_operator(struct cuc__directives *d, const struct place *p, const char *operand)
{
    const struct cuc__definition *m = &p->definition;
    const char *end = cuc__word_end(operand, p->end);
    const char *after = cuc__skip_blanks(end, p->end);
    const char *parameter = m->parameters;
    size_t bytes = (size_t)(end - operand);

    if (!p->defines || !m->has_parameters || m->body != p->at || after == p->end || *after != ')' ||
        cuc__skip_blanks(after + 1, p->end) != p->end)
        return false;
    while (*parameter == ' ')
        parameter++;
    size_t rest = m->parameter_bytes - (size_t)(parameter - m->parameters);
    while (rest && parameter[rest - 1] == ' ')
        rest--;
    if (!bytes || rest != bytes || memcmp(parameter, operand, bytes) != 0)
        return false;
    return cuc__presence_add(d, m->name, m->name_bytes);
}

static void check_place(struct cuc__directives *d, struct place *p, const char *text)
{
    find_place(p, text);
    if (is_inert(p))
        return;
    const char *operand = cuc__skip_blanks(p->at + p->of->bytes, p->end);
    bool open = operand < p->end && *operand == '(';
    operand = open ? cuc__skip_blanks(operand + 1, p->end) : p->end;
    bool named = operand < p->end && (*operand == '"' || *operand == '<');
    if (!(named ? read_name(d, p, operand) : open && add_operator(d, p, operand)))
        refuse(d, p);
}

void cuc__presence_begin(struct cuc__directives *d)
{
    d->operator_count = d->search.last = 0;
    (void)cuc__presence_add(d, "__has_include", 13);
    (void)cuc__presence_add(d, "__has_include_next", 18);
}

// ---- Checks

// Words that make a text depend on the time or on #embed.
static const struct {
    const char *name;
    size_t bytes;
} refused[] = {
    { "__has_embed", 11 }, { "__TIME__", 8 }, { "__DATE__", 8 }, { "__TIMESTAMP__", 13 }
};

// Prepares the search for the operators from `first` on and, if `first` is 0, for the refused
// words.
static void prepare_search(struct cuc__directives *d, size_t first)
{
    if (d->search.last == d->operator_count && d->search.first == first)
        return;
    d->search.words = (struct cuc__word_search){ .rest = NULL };
    d->search.first = first;
    d->search.last = d->operator_count;
    for (size_t i = first; i < d->operator_count; i++)
        d->operators[i].is_everywhere =
            !cuc__word_search_add(&d->search.words, d->operators[i].name);
    for (int i = 0; !first && i < CUC_LENGTH(refused); i++)
        (void)cuc__word_search_add(&d->search.words, refused[i].name);
}

// Returns true if neither a name nor a part of it can begin with the byte at `p`.
static bool is_other(const char *p, const char *name, size_t bytes)
{
    return *p != name[0] && *p != name[cut_of(bytes)];
}

static void check_refused(struct cuc__directives *d, const char *from, const char *text,
                          const char *p)
{
    for (int i = 0; i < CUC_LENGTH(refused); i++) {
        const char *name = refused[i].name;
        size_t bytes = refused[i].bytes;
        if (is_other(p, name, bytes))
            continue;
        bool whole = cuc__same_bytes(p, name) == bytes;
        if (whole || may_be_joined(d, text, p, name, bytes))
            cuc__key_refuse(d->key, whole ? "%s has %s" : "%s has a part of %s",
                            cuc__directives_name(d, from), name);
    }
}

static void check_operator(struct cuc__directives *d, const char *from, const char *text,
                           const struct cuc__presence_operator *of, const char *at)
{
    if (is_other(at, of->name, of->bytes))
        return;
    if (cuc__same_bytes(at, of->name) == of->bytes && !is_word_byte(at + of->bytes) &&
        (at == text || !is_word_byte(at - 1)))
        check_place(d, &(struct place){ .of = of, .from = from, .at = at }, text);
    else if (may_be_joined(d, text, at, of->name, of->bytes))
        cuc__key_refuse(d->key, "%s has a part of %s", cuc__directives_name(d, from), of->name);
}

size_t cuc__presence_check(struct cuc__directives *d, const char *from, const char *text,
                           size_t bytes, size_t first)
{
    struct cuc__word_search *search = &d->search.words;
    const size_t last = d->operator_count;
    const char *next = text, *at;

    prepare_search(d, first);
    for (size_t i = first; i < last; i++)
        for (const char *p = text; d->operators[i].is_everywhere && p < text + bytes; p++)
            check_operator(d, from, text, &d->operators[i], p);
    cuc__word_search_begin(search, text, bytes);
    while (!d->key->refused && (at = cuc__word_search_next(search)) != NULL) {
        const char *p = at - next > CUC__WORD_BEFORE ? at - CUC__WORD_BEFORE : next;
        for (next = at + 1; p < next && !d->key->refused; p++) {
            if (!first)
                check_refused(d, from, text, p);
            for (size_t i = first; i < last; i++)
                if (!d->operators[i].is_everywhere)
                    check_operator(d, from, text, &d->operators[i], p);
        }
    }
    return last;
}

// Checks a text again, for operators found since its last check.
static void check_again(struct cuc__directives *d, struct cuc__directive_text *t)
{
    char *text = t->text;
    size_t bytes = t->bytes;

    if (!text) {
        text = d->reload(d->user, t->from, &bytes);
        bytes = text ? cuc__directives_join(d, t->from, text, bytes) : SIZE_MAX;
    }
    if (bytes != SIZE_MAX)
        t->checked = cuc__presence_check(d, t->from, text, bytes, t->checked);
}

void cuc__presence_read(struct cuc__directives *d)
{
    bool more = true;

    // One text may define a macro that stands for an operator, and another text may use it with an
    // operand.
    while (more && !d->key->refused) {
        size_t before = d->operator_count;
        for (size_t i = 0; i < d->text_count && !d->key->refused; i++)
            if (d->texts[i].checked < d->operator_count)
                check_again(d, &d->texts[i]);
        more = d->operator_count != before;
    }
}

void cuc__presence_finish(struct cuc__directives *d)
{
    for (size_t i = 0; i < d->word_count; i++) {
        const struct cuc__part *word = &d->words[i];
        const struct cuc__macro *m = cuc__macro_of(d, word->at, word->bytes);
        for (; m; m = m->next ? &d->definitions[m->next - 1] : NULL)
            if (m->body)
                cuc__key_refuse(d->key, "%s asks for a file by a name with a macro, %.*s",
                                cuc__directives_name(d, word->from), (int)word->bytes, word->at);
    }
}
