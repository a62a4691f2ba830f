#include "ptx_signature.h"

#include "base/array.h"

#include <string.h>

enum {
    // More than any device accepts (32764 bytes); keeps sums far from overflow.
    MAX_PARAMETER_BYTES = 1 << 20,
};

// An empty token is the end of the text, or of its readable part.
struct token {
    const char *at;
    size_t bytes;
};

// Types of the PTX ISA that a kernel parameter can have. An untyped bit size can hold any number,
// and so can the short floats, which C passes as structs.
static const struct type {
    const char *name;
    uint32_t bytes;
    uint32_t type;
} types[] = {
    { ".u8", 1, CUC__PARAMETER_INT },     { ".u16", 2, CUC__PARAMETER_INT },
    { ".u32", 4, CUC__PARAMETER_INT },    { ".u64", 8, CUC__PARAMETER_INT },
    { ".s8", 1, CUC__PARAMETER_INT },     { ".s16", 2, CUC__PARAMETER_INT },
    { ".s32", 4, CUC__PARAMETER_INT },    { ".s64", 8, CUC__PARAMETER_INT },
    { ".f32", 4, CUC__PARAMETER_FLOAT },  { ".f64", 8, CUC__PARAMETER_FLOAT },
    { ".b8", 1, CUC__PARAMETER_ANY },     { ".b16", 2, CUC__PARAMETER_ANY },
    { ".b32", 4, CUC__PARAMETER_ANY },    { ".b64", 8, CUC__PARAMETER_ANY },
    { ".b128", 16, CUC__PARAMETER_ANY },  { ".f16", 2, CUC__PARAMETER_ANY },
    { ".f16x2", 4, CUC__PARAMETER_ANY },  { ".bf16", 2, CUC__PARAMETER_ANY },
    { ".bf16x2", 4, CUC__PARAMETER_ANY },
};

static const char *const spaces[] = { ".global", ".const", ".shared", ".local", ".param" };

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_blanks(struct cuc__ptx *s)
{
    while (s->at < s->end) {
        size_t left = (size_t)(s->end - s->at);

        if (is_space(*s->at)) {
            s->at++;
        } else if (left >= 2 && s->at[0] == '/' && s->at[1] == '/') {
            const char *line = memchr(s->at, '\n', left);
            s->at = line ? line + 1 : s->end;
        } else if (left >= 2 && s->at[0] == '/' && s->at[1] == '*') {
            // A comment has the delimiters of C and does not nest.
            const char *p = s->at + 2;
            while (p + 1 < s->end && !(p[0] == '*' && p[1] == '/'))
                p++;
            s->at = p + 1 < s->end ? p + 2 : s->end;
        } else {
            return;
        }
    }
}

// Returns a word with its leading dot, a string with its quotes, or one other character. Dots
// inside a word separate tokens: `ld.param.u64` is three tokens, `.param.u64` is two.
static struct token next(struct cuc__ptx *s)
{
    skip_blanks(s);
    struct token t = { s->at, 0 };

    if (s->at == s->end)
        return t;
    if (*s->at == '"') {
        do {
            s->at += *s->at == '\\' && s->end - s->at > 1 ? 2 : 1;
        } while (s->at < s->end && *s->at != '"');
        if (s->at < s->end)
            s->at++;
    } else {
        bool word = is_word(*s->at) || *s->at == '.';
        s->at++;
        while (word && s->at < s->end && is_word(*s->at))
            s->at++;
    }
    t.bytes = (size_t)(s->at - t.at);
    return t;
}

static bool is(struct token t, const char *text)
{
    return t.bytes == strlen(text) && memcmp(t.at, text, t.bytes) == 0;
}

static bool is_identifier(struct token t)
{
    return t.bytes && is_word(*t.at) && !(*t.at >= '0' && *t.at <= '9');
}

// Parses an integer as C writes it, with an optional U; false past the limit.
static bool number(struct token t, uint32_t *out)
{
    uint32_t base = 10, value = 0;
    size_t i = 0, digits = 0;

    if (t.bytes > 1 && t.at[0] == '0') {
        char c = t.at[1];
        base = c == 'x' || c == 'X' ? 16 : c == 'b' || c == 'B' ? 2 : 8;
        i = base == 8 ? 1 : 2;
        digits = base == 8;
    }
    for (; i < t.bytes; i++, digits++) {
        char c = t.at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit >= base) {
            if (digits && i + 1 == t.bytes && (c == 'U' || c == 'u'))
                break;
            return false;
        }
        value = value * base + digit;
        if (value > MAX_PARAMETER_BYTES)
            return false;
    }
    *out = value;
    return digits > 0;
}

static const struct type *type_of(struct token t)
{
    for (size_t i = 0; i < CUC_LENGTH(types); i++)
        if (is(t, types[i].name))
            return &types[i];
    return NULL;
}

static bool is_state_space(struct token t)
{
    for (size_t i = 0; i < CUC_LENGTH(spaces); i++)
        if (is(t, spaces[i]))
            return true;
    return false;
}

// Parses one parameter, from after `.param` to the comma or parenthesis, which goes into `after`.
// `offset` is the end of the previous parameter and is advanced.
static bool parameter(struct cuc__ptx *s, struct cuc__parameter *out, uint32_t *offset,
                      struct token *after)
{
    const struct type *type = NULL;
    uint32_t align = 0, elements = 1;
    bool pointer = false, array = false;
    struct token t = next(s);

    for (; t.bytes && *t.at == '.'; t = next(s)) {
        const struct type *found = type_of(t);

        if (found && !type) {
            type = found;
        } else if (is(t, ".align")) {
            uint32_t n;
            if (!number(next(s), &n) || !n || (n & (n - 1)))
                return false;
            if (!pointer) // after .ptr it is the alignment of the pointee
                align = n;
        } else if (is(t, ".ptr") && type) {
            pointer = true;
        } else if (!array && (is(t, ".v2") || is(t, ".v4"))) {
            elements = t.at[2] == '2' ? 2 : 4;
            array = true;
        } else if (!pointer || !is_state_space(t)) {
            return false;
        }
    }
    if (!type || !is_identifier(t))
        return false;

    uint32_t natural = type->bytes * elements;
    for (t = next(s); is(t, "["); t = next(s)) {
        uint32_t n;
        if (!number(next(s), &n) || !n || elements > MAX_PARAMETER_BYTES / n || !is(next(s), "]"))
            return false;
        elements *= n;
        array = true;
    }
    if (elements > MAX_PARAMETER_BYTES / type->bytes)
        return false;

    if (!align)
        align = natural;
    uint32_t start = (*offset + align - 1) & ~(align - 1);
    uint32_t bytes = type->bytes * elements;
    if (start + bytes > MAX_PARAMETER_BYTES)
        return false;
    *offset = start + bytes;
    *out = (struct cuc__parameter){
        .offset = start,
        .bytes = bytes,
        .type = array     ? CUC__PARAMETER_ANY
                : pointer ? CUC__PARAMETER_INT
                          : type->type,
    };
    *after = t;
    return true;
}

static bool parameters(struct cuc__ptx *s, struct cuc__parameter *out, size_t capacity,
                       size_t *count)
{
    struct token t = next(s);
    uint32_t offset = 0;
    size_t n = 0;

    // No list means no parameters: the body follows, or a directive for it.
    if (!is(t, "(")) {
        *count = 0;
        return t.bytes > 0;
    }
    t = next(s);
    if (is(t, ")")) {
        *count = 0;
        return true;
    }
    for (;; t = next(s)) {
        struct cuc__parameter p;
        if (!is(t, ".param") || !parameter(s, &p, &offset, &t))
            return false;
        if (n < capacity)
            out[n] = p;
        n++;
        if (is(t, ")"))
            break;
        if (!is(t, ","))
            return false;
    }
    *count = n;
    return true;
}

bool cuc__ptx_is_text(const char *text, size_t bytes)
{
    struct cuc__ptx s = { text, text + bytes };

    return is(next(&s), ".version");
}

bool cuc__ptx_next_entry(struct cuc__ptx *ptx, const char **name, size_t *bytes)
{
    for (struct token t = next(ptx); t.bytes; t = next(ptx)) {
        if (!is(t, ".entry"))
            continue;
        struct token found = next(ptx);
        if (!is_identifier(found))
            continue;
        *name = found.at;
        *bytes = found.bytes;
        return true;
    }
    return false;
}

bool cuc__ptx_signature(const char *text, size_t bytes, const char *kernel,
                        struct cuc__parameter *out, size_t capacity, size_t *count)
{
    struct cuc__ptx s = { text, text + bytes };
    struct token name;

    while (cuc__ptx_next_entry(&s, &name.at, &name.bytes))
        if (is(name, kernel))
            return parameters(&s, out, capacity, count);
    return false;
}

static bool up_to_three(struct cuc__ptx *s, uint32_t out[3])
{
    out[0] = out[1] = out[2] = 1;
    for (int i = 0; i < 3; i++) {
        if (!number(next(s), &out[i]) || !out[i])
            return false;
        struct cuc__ptx behind = *s;
        if (!is(next(s), ",")) {
            *s = behind;
            break;
        }
    }
    return true;
}

bool cuc__ptx_required_block(const char *text, size_t bytes, const char *kernel, uint32_t block[3])
{
    struct cuc__ptx s = { text, text + bytes };
    struct token name;

    while (cuc__ptx_next_entry(&s, &name.at, &name.bytes)) {
        if (!is(name, kernel))
            continue;
        for (struct token t = next(&s); t.bytes && !is(t, "{") && !is(t, ";"); t = next(&s))
            if (is(t, ".reqntid"))
                return up_to_three(&s, block);
        return false;
    }
    return false;
}

// Starts after the array's name.
static bool initialised_bytes(struct cuc__ptx *s, unsigned char *out, size_t capacity,
                              size_t *count)
{
    uint32_t declared, byte;
    size_t n = 0;

    if (!is(next(s), "[") || !number(next(s), &declared) || !is(next(s), "]") ||
        !is(next(s), "=") || !is(next(s), "{"))
        return false;
    for (struct token t = { NULL, 0 }; !is(t, "}"); n++) {
        if (n == declared || !number(next(s), &byte) || byte > UINT8_MAX)
            return false;
        if (n < capacity)
            out[n] = (unsigned char)byte;
        t = next(s);
        if (!is(t, ",") && !is(t, "}"))
            return false;
    }
    *count = n;
    return n == declared; // omitted elements are zeros, which no tool writes this way
}

bool cuc__ptx_next_bytes(struct cuc__ptx *ptx, const char **name, size_t *bytes)
{
    bool array = false;

    for (struct token t = next(ptx); t.bytes; t = next(ptx)) {
        if (array && is_identifier(t)) {
            *name = t.at;
            *bytes = t.bytes;
            return true;
        }
        array = is(t, ".b8");
    }
    return false;
}

bool cuc__ptx_bytes(const char *text, size_t bytes, const char *name, unsigned char *out,
                    size_t capacity, size_t *count)
{
    struct cuc__ptx s = { text, text + bytes };
    struct token found;

    while (cuc__ptx_next_bytes(&s, &found.at, &found.bytes))
        if (is(found, name))
            return initialised_bytes(&s, out, capacity, count);
    return false;
}

// Reads on until the set has the name.
static enum cuc__ptx_found find(struct cuc__ptx_index *index, const struct cuc__name_set *set,
                                const char *name, struct cuc__ptx *at)
{
    const struct cuc__name *found = cuc__name_set_find(set, name, strlen(name));
    struct cuc__ptx s = index->rest;
    const char *directive = NULL;
    bool entry = false, array = false;

    for (struct token t = { "", 1 }; !found && t.bytes;) {
        t = next(&s);
        if ((entry || array) && is_identifier(t)) {
            struct cuc__name_set *to = entry ? &index->entries : &index->arrays;
            if (!cuc__name_set_add(to, t.at, t.bytes, (uintptr_t)directive))
                return CUC__PTX_NO_MEMORY;
            if (to == set && is(t, name))
                found = cuc__name_set_find(set, name, t.bytes);
            index->rest = s;
        }
        entry = is(t, ".entry");
        array = is(t, ".b8");
        directive = t.at;
    }
    if (!found) {
        index->rest = s;
        return CUC__PTX_NONE;
    }
    *at = (struct cuc__ptx){ (const char *)found->value, s.end };
    return CUC__PTX_FOUND;
}

enum cuc__ptx_found cuc__ptx_index_entry(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at)
{
    return find(index, &index->entries, name, at);
}

enum cuc__ptx_found cuc__ptx_index_array(struct cuc__ptx_index *index, const char *name,
                                         struct cuc__ptx *at)
{
    return find(index, &index->arrays, name, at);
}

void cuc__ptx_index_free(struct cuc__ptx_index *index)
{
    cuc__name_set_free(&index->entries);
    cuc__name_set_free(&index->arrays);
}
