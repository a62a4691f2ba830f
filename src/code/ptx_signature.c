#include "ptx_signature.h"

#include "base/array.h"
#include "ptx/lexer.h"

#include <string.h>

enum {
    // more than any device accepts (32764 bytes), yet small enough that sums cannot overflow
    MAX_PARAMETER_BYTES = 1 << 20,
};

// The PTX ISA types that a kernel parameter can have. An untyped type, such as b32, accepts
// integers and floats of its size. So do the 16-bit floats, because C passes them as structs.
static const struct type {
    const char *name;
    uint32_t bytes;
    uint32_t type;
} types[] = {
    { "u8", 1, CUC__PARAMETER_INT },     { "u16", 2, CUC__PARAMETER_INT },
    { "u32", 4, CUC__PARAMETER_INT },    { "u64", 8, CUC__PARAMETER_INT },
    { "s8", 1, CUC__PARAMETER_INT },     { "s16", 2, CUC__PARAMETER_INT },
    { "s32", 4, CUC__PARAMETER_INT },    { "s64", 8, CUC__PARAMETER_INT },
    { "f32", 4, CUC__PARAMETER_FLOAT },  { "f64", 8, CUC__PARAMETER_FLOAT },
    { "b8", 1, CUC__PARAMETER_ANY },     { "b16", 2, CUC__PARAMETER_ANY },
    { "b32", 4, CUC__PARAMETER_ANY },    { "b64", 8, CUC__PARAMETER_ANY },
    { "b128", 16, CUC__PARAMETER_ANY },  { "f16", 2, CUC__PARAMETER_ANY },
    { "f16x2", 4, CUC__PARAMETER_ANY },  { "bf16", 2, CUC__PARAMETER_ANY },
    { "bf16x2", 4, CUC__PARAMETER_ANY },
};

static const char *const spaces[] = { "global", "const", "shared", "local", "param" };

typedef struct cuc__ptx_token token;

static token next(struct cuc__ptx *s)
{
    struct cuc__ptx_lexer lexer = { .at = s->at, .end = s->end };
    token t = cuc__ptx_lexer_next(&lexer);
    const char *tail;

    // Skip the rest of an opcode, because its words are not separate tokens: the .2d of a tensor
    // copy must not be read as a number.
    if (t.kind == CUC__PTX_NAME)
        (void)cuc__ptx_lexer_opcode_tail(&lexer, &tail);
    s->at = lexer.at;
    return t;
}

// Returns true at the end of the text. A bad token also ends it, because no driver reads past one.
static bool at_end(token t)
{
    return t.kind == CUC__PTX_END || t.kind == CUC__PTX_BAD;
}

static bool has_text(token t, const char *text)
{
    return t.bytes == strlen(text) && memcmp(t.at, text, t.bytes) == 0;
}

// Compares a directive with `word`, which has no leading dot.
static bool is_directive(token t, const char *word)
{
    return t.kind == CUC__PTX_DIRECTIVE && has_text(t, word);
}

static bool is_sign(token t, int sign)
{
    return t.kind == CUC__PTX_SIGN && t.sign == sign;
}

static bool is_name(token t)
{
    return t.kind == CUC__PTX_NAME;
}

// Reads the next token at module scope. An opening brace consumes its whole block.
static token next_outside(struct cuc__ptx *s)
{
    token t = next(s);

    if (is_sign(t, '{')) {
        struct cuc__ptx_lexer lexer = { .at = s->at, .end = s->end };
        (void)cuc__ptx_lexer_skip_block(&lexer);
        s->at = lexer.at;
    }
    return t;
}

// Reads an integer token. Returns false for any other token and for a value that exceeds the limit.
static bool number(token t, uint32_t *out)
{
    if (t.kind != CUC__PTX_INTEGER || t.value > MAX_PARAMETER_BYTES)
        return false;
    *out = (uint32_t)t.value;
    return true;
}

static const struct type *type_of(token t)
{
    for (size_t i = 0; i < CUC_LENGTH(types); i++)
        if (is_directive(t, types[i].name))
            return &types[i];
    return NULL;
}

static bool is_state_space(token t)
{
    for (size_t i = 0; i < CUC_LENGTH(spaces); i++)
        if (is_directive(t, spaces[i]))
            return true;
    return false;
}

// Parses one parameter, from the token after `.param` up to the comma or parenthesis, which it
// stores in `after`. Advances `offset` from the end of the previous parameter to the end of this
// one.
static bool parameter(struct cuc__ptx *s, struct cuc__parameter *out, uint32_t *offset,
                      token *after)
{
    const struct type *type = NULL;
    uint32_t align = 0, elements = 1;
    bool pointer = false, array = false;
    token t = next(s);

    for (; t.kind == CUC__PTX_DIRECTIVE; t = next(s)) {
        const struct type *found = type_of(t);

        if (found && !type) {
            type = found;
        } else if (is_directive(t, "align")) {
            uint32_t n;
            if (!number(next(s), &n) || !n || (n & (n - 1)))
                return false;
            if (!pointer) // after .ptr, the number is the pointee's alignment
                align = n;
        } else if (is_directive(t, "ptr") && type) {
            pointer = true;
        } else if (!array && (is_directive(t, "v2") || is_directive(t, "v4"))) {
            elements = t.at[1] == '2' ? 2 : 4;
            array = true;
        } else if (!pointer || !is_state_space(t)) {
            return false;
        }
    }
    if (!type || !is_name(t))
        return false;

    uint32_t natural = type->bytes * elements;
    for (t = next(s); is_sign(t, '['); t = next(s)) {
        uint32_t n;
        if (!number(next(s), &n) || !n || elements > MAX_PARAMETER_BYTES / n ||
            !is_sign(next(s), ']'))
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
    token t = next(s);
    uint32_t offset = 0;
    size_t n = 0;

    // Without a parameter list, the kernel has no parameters, and the body or a directive follows.
    if (!is_sign(t, '(')) {
        *count = 0;
        return !at_end(t);
    }
    t = next(s);
    if (is_sign(t, ')')) {
        *count = 0;
        return true;
    }
    for (;; t = next(s)) {
        struct cuc__parameter p;
        if (!is_directive(t, "param") || !parameter(s, &p, &offset, &t))
            return false;
        if (n < capacity)
            out[n] = p;
        n++;
        if (is_sign(t, ')'))
            break;
        if (!is_sign(t, ','))
            return false;
    }
    *count = n;
    return true;
}

bool cuc__ptx_is_text(const char *text, size_t bytes)
{
    struct cuc__ptx s = { text, text + bytes };

    return is_directive(next(&s), "version");
}

bool cuc__ptx_target(char *out, size_t capacity, const char *text, size_t bytes)
{
    struct cuc__ptx s = { text, text + bytes };
    token t = next_outside(&s);

    while (!at_end(t) && !is_directive(t, "target"))
        t = next_outside(&s);
    if (!at_end(t))
        t = next(&s);
    if (!is_name(t) || t.bytes >= capacity)
        return false;
    memcpy(out, t.at, t.bytes);
    out[t.bytes] = '\0';
    return true;
}

bool cuc__ptx_next_entry(struct cuc__ptx *ptx, const char **name, size_t *bytes)
{
    for (token t = next_outside(ptx); !at_end(t); t = next_outside(ptx)) {
        if (!is_directive(t, "entry"))
            continue;
        token found = next(ptx);
        if (!is_name(found))
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
    token name;

    while (cuc__ptx_next_entry(&s, &name.at, &name.bytes))
        if (has_text(name, kernel))
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
        if (!is_sign(next(s), ',')) {
            *s = behind;
            break;
        }
    }
    return true;
}

bool cuc__ptx_required_block(const char *text, size_t bytes, const char *kernel, uint32_t block[3])
{
    struct cuc__ptx s = { text, text + bytes };
    token name;

    while (cuc__ptx_next_entry(&s, &name.at, &name.bytes)) {
        if (!has_text(name, kernel))
            continue;
        for (token t = next(&s); !at_end(t) && !is_sign(t, '{') && !is_sign(t, ';'); t = next(&s))
            if (is_directive(t, "reqntid"))
                return up_to_three(&s, block);
        return false;
    }
    return false;
}

// Reads an array's initializer, starting after the array's name.
static bool initialised_bytes(struct cuc__ptx *s, unsigned char *out, size_t capacity,
                              size_t *count)
{
    uint32_t declared, byte;
    size_t n = 0;

    if (!is_sign(next(s), '[') || !number(next(s), &declared) || !is_sign(next(s), ']') ||
        !is_sign(next(s), '=') || !is_sign(next(s), '{'))
        return false;
    for (token t = { 0 }; !is_sign(t, '}'); n++) {
        if (n == declared || !number(next(s), &byte) || byte > UINT8_MAX)
            return false;
        if (n < capacity)
            out[n] = (unsigned char)byte;
        t = next(s);
        if (!is_sign(t, ',') && !is_sign(t, '}'))
            return false;
    }
    *count = n;
    return n == declared; // PTX allows fewer and sets the rest to zero, but no tool does that
}

bool cuc__ptx_next_bytes(struct cuc__ptx *ptx, const char **name, size_t *bytes)
{
    bool array = false;

    for (token t = next_outside(ptx); !at_end(t); t = next_outside(ptx)) {
        if (array && is_name(t)) {
            *name = t.at;
            *bytes = t.bytes;
            return true;
        }
        array = is_directive(t, "b8");
    }
    return false;
}

bool cuc__ptx_bytes(const char *text, size_t bytes, const char *name, unsigned char *out,
                    size_t capacity, size_t *count)
{
    struct cuc__ptx s = { text, text + bytes };
    token found;

    while (cuc__ptx_next_bytes(&s, &found.at, &found.bytes))
        if (has_text(found, name))
            return initialised_bytes(&s, out, capacity, count);
    return false;
}

// Looks for the name in the set, and reads on in the text until the set contains it.
static enum cuc__ptx_found find(struct cuc__ptx_index *index, const struct cuc__name_set *set,
                                const char *name, struct cuc__ptx *at)
{
    const struct cuc__name *found = cuc__name_set_find(set, name, strlen(name));
    struct cuc__ptx s = index->rest;
    const char *directive = NULL;
    bool entry = false, array = false;

    for (token t = { .kind = CUC__PTX_SIGN }; !found && !at_end(t);) {
        t = next_outside(&s);
        if ((entry || array) && is_name(t)) {
            struct cuc__name_set *to = entry ? &index->entries : &index->arrays;
            if (!cuc__name_set_add(to, t.at, t.bytes, (uintptr_t)directive))
                return CUC__PTX_NO_MEMORY;
            if (to == set && has_text(t, name))
                found = cuc__name_set_find(set, name, t.bytes);
            index->rest = s;
        }
        entry = is_directive(t, "entry");
        array = is_directive(t, "b8");
        if (entry || array)
            directive = t.at - 1; // starts at the dot of the directive
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
