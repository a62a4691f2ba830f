#include "base/array.h"
#include "parser.h"

#include <string.h>

enum { MAX_DIMENSIONS = 16 };
#define MAX_BYTES (UINT64_C(1) << 40)
#define MAX_INIT_BYTES (UINT64_C(1) << 28) // per variable; a module may have four times that
#define MAX_RANGE (UINT64_C(1) << 32)

// The attributes between a variable's state space and its name.
struct type {
    enum sim_type type;
    uint32_t vector;
    uint32_t align; // 0: the type's own alignment
    bool is_managed, is_pointer;
};

struct initialiser {
    struct sim_parser *p;
    struct sim_variable *v;
    uint32_t element;                       // bytes
    uint64_t dimension[MAX_DIMENSIONS + 1]; // per dimension: bytes of one element
    size_t dimensions;
    uint64_t limit;
};

static enum sim_space space_of(const char *word)
{
    static const struct {
        const char *word;
        enum sim_space space;
    } spaces[] = {
        { "reg", SIM_REG },     { "const", SIM_CONST }, { "global", SIM_GLOBAL },
        { "local", SIM_LOCAL }, { "param", SIM_PARAM }, { "shared", SIM_SHARED },
    };

    for (size_t i = 0; i < CUC_LENGTH(spaces); i++) {
        if (strcmp(spaces[i].word, word) == 0)
            return spaces[i].space;
    }
    return SIM_GENERIC;
}

static bool directive_is(const struct sim_parser *p, const char *word)
{
    return p->token.kind == CUC__PTX_DIRECTIVE && strcmp(p->name->text, word) == 0;
}

static uint32_t read_align(struct sim_parser *p)
{
    struct cuc__ptx_token at = p->token;
    uint64_t align = sim_parser_integer(p, "an alignment");

    if (align == 0 || align & (align - 1) || align > UINT32_MAX / 2) {
        p->token = at;
        sim_parser_expected(p, "a power of two");
    }
    return (uint32_t)align;
}

// Parses attributes such as .attribute(.managed, .unified(1, 2)).
static void read_attributes(struct sim_parser *p, struct type *t)
{
    sim_parser_expect(p, '(', "(");
    do {
        if (directive_is(p, "managed")) {
            t->is_managed = true;
            sim_parser_next(p);
        } else if (directive_is(p, "unified")) {
            sim_parser_next(p);
            sim_parser_expect(p, '(', "(");
            sim_parser_integer(p, "an integer");
            sim_parser_expect(p, ',', "a comma");
            sim_parser_integer(p, "an integer");
            sim_parser_expect(p, ')', ")");
        } else {
            sim_parser_expected(p, ".managed or .unified");
        }
    } while (sim_parser_accept(p, ','));
    sim_parser_expect(p, ')', ")");
}

// Parses the attributes of a pointer parameter, such as .ptr .global .align 16.
static void read_pointer(struct sim_parser *p, struct type *t)
{
    t->is_pointer = true;
    if (p->token.kind == CUC__PTX_DIRECTIVE && space_of(p->name->text) != SIM_GENERIC)
        sim_parser_next(p);
    if (directive_is(p, "align")) {
        sim_parser_next(p);
        read_align(p);
    }
}

static bool can_be_declared(enum sim_type type)
{
    switch ((int)type) {
    case SIM_B8:
    case SIM_B16:
    case SIM_B32:
    case SIM_B64:
    case SIM_B128:
    case SIM_U8:
    case SIM_U16:
    case SIM_U32:
    case SIM_U64:
    case SIM_S8:
    case SIM_S16:
    case SIM_S32:
    case SIM_S64:
    case SIM_F16:
    case SIM_F16X2:
    case SIM_BF16:
    case SIM_BF16X2:
    case SIM_F32:
    case SIM_F64:
    case SIM_PRED:
        return true;
    default:
        return false;
    }
}

static struct type read_type(struct sim_parser *p, enum sim_space space)
{
    struct type t = { .vector = 1 };

    while (p->token.kind == CUC__PTX_DIRECTIVE) {
        const char *word = p->name->text;

        if (p->name->type != SIM_NONE) {
            if (t.type != SIM_NONE || !can_be_declared(p->name->type) ||
                (p->name->type == SIM_PRED && space != SIM_REG))
                sim_parser_expected(p, t.type != SIM_NONE ? "a name" : "a type of variables");
            t.type = p->name->type;
            sim_parser_next(p);
        } else if (word[0] == 'v' && (word[1] == '2' || word[1] == '4') && !word[2]) {
            t.vector = (uint32_t)(word[1] - '0');
            sim_parser_next(p);
        } else if (strcmp(word, "align") == 0) {
            sim_parser_next(p);
            t.align = read_align(p);
        } else if (strcmp(word, "attribute") == 0) {
            sim_parser_next(p);
            read_attributes(p, &t);
        } else if (strcmp(word, "ptr") == 0 && space == SIM_PARAM) {
            sim_parser_next(p);
            read_pointer(p, &t);
        } else {
            sim_parser_expected(p, "a type, .align, .v2, .v4 or .attribute");
        }
    }
    if (t.type == SIM_NONE)
        sim_parser_expected(p, "a type");
    return t;
}

// Parses dimensions such as [2][3]. An empty first dimension counts as 0. Stores the strides in
// bytes in the initializer.
static void read_dimensions(struct sim_parser *p, struct sim_variable *v, struct initialiser *in)
{
    uint64_t count[MAX_DIMENSIONS];
    size_t n = 0;

    while (sim_parser_accept(p, '[')) {
        if (n == MAX_DIMENSIONS)
            sim_parser_expected(p, "at most 16 dimensions");
        if (n == 0 && sim_parser_is(p, ']')) {
            count[n++] = 0;
        } else {
            struct cuc__ptx_token at = p->token;

            count[n] = sim_parser_integer(p, "a length");
            if (count[n] == 0 || count[n] > MAX_BYTES) {
                p->token = at;
                sim_parser_expected(p, "a length from 1 to 2^40");
            }
            n++;
        }
        sim_parser_expect(p, ']', "]");
    }
    uint64_t bytes = in->element;
    if (v->vector > 1)
        in->dimension[n] = bytes;
    bytes *= v->vector;
    for (size_t i = n; i-- > 0;) {
        in->dimension[i] = bytes;
        if (__builtin_mul_overflow(bytes, count[i], &bytes) || bytes > MAX_BYTES)
            sim_parser_fail(p, "found an array of more than 2^40 bytes, %.60s", v->name);
    }
    in->dimensions = n + (v->vector > 1);
    v->bytes = bytes;
}

// Returns the initializer's bytes [at, at + element).
static unsigned char *place(struct initialiser *in, uint64_t at)
{
    struct sim_parser *p = in->p;

    if (at + in->element > in->limit)
        sim_parser_fail(p, "found more values than %.60s has room for, expected at most %llu bytes",
                        in->v->name, (unsigned long long)in->limit);
    if (in->v->init)
        return in->v->init + at;
    if (p->bytes.count < at + in->element)
        sim_parser_extend(p, &p->bytes, at + in->element);
    return (unsigned char *)p->bytes.items + at;
}

static void store(unsigned char *to, uint64_t bits, uint64_t sign, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        to[i] = (unsigned char)(i < 8 ? bits >> 8 * i : sign);
}

static void constant(struct initialiser *in, uint64_t at, struct sim_constant c)
{
    struct sim_parser *p = in->p;
    unsigned char *to = place(in, at);
    char class = sim_type_class(in->v->type);
    bool is_integer = c.kind == SIM_CONSTANT_S64 || c.kind == SIM_CONSTANT_U64;
    uint32_t literal = c.kind == SIM_CONSTANT_F32 ? 4 : 8;
    double d;
    float f;

    if (class == 'f' && in->element < 4)
        sim_parser_fail(p, "found an initialiser of .%s, expected one of another type",
                        sim_type_word(in->v->type));
    if (class != 'f') {
        if (!is_integer && literal != in->element)
            sim_parser_fail(p, "found a floating-point constant, expected an integer for .%s",
                            sim_type_word(in->v->type));
        store(to, c.bits, c.kind == SIM_CONSTANT_S64 && c.bits >> 63 ? 0xff : 0, in->element);
        return;
    }
    if (in->v->type != SIM_F32 && in->v->type != SIM_F64)
        sim_parser_fail(p, "found an initialiser of .%s, expected one of another type",
                        sim_type_word(in->v->type));
    if (!is_integer && literal == in->element) {
        store(to, c.bits, 0, in->element);
        return;
    }
    if (c.kind == SIM_CONSTANT_F32) {
        uint32_t bits = (uint32_t)c.bits;

        memcpy(&f, &bits, sizeof(f));
        d = (double)f;
    } else if (c.kind == SIM_CONSTANT_F64) {
        memcpy(&d, &c.bits, sizeof(d));
    } else {
        d = c.kind == SIM_CONSTANT_S64 ? (double)(int64_t)c.bits : (double)c.bits;
    }
    f = (float)d;
    if (in->element == 4)
        memcpy(to, &f, 4);
    else
        memcpy(to, &d, 8);
}

// Parses symbol, symbol+4, generic(symbol) or generic(symbol+4)+8. Returns false if a constant
// follows instead.
static bool read_symbol(struct sim_parser *p, struct sim_relocation *r)
{
    if (p->token.kind != CUC__PTX_NAME || p->name->special == SIM_SR_WARP_SZ + 1)
        return false;
    const struct sim_name *name = p->name;
    sim_parser_next(p);
    if (strcmp(name->text, "generic") == 0 && sim_parser_accept(p, '(')) {
        if (p->token.kind != CUC__PTX_NAME)
            sim_parser_expected(p, "a symbol");
        r->generic = true;
        name = p->name;
        sim_parser_next(p);
        r->addend = sim_parser_offset(p);
        sim_parser_expect(p, ')', ")");
    }
    r->symbol = name->text;
    r->addend += sim_parser_offset(p);
    return true;
}

static void add_relocation(struct initialiser *in, uint64_t at, struct sim_relocation r)
{
    if (at > UINT32_MAX)
        sim_parser_fail(in->p, "found an address past 4 GiB of an initialiser");
    place(in, at);
    r.at = (uint32_t)at;
    *(struct sim_relocation *)sim_parser_push(in->p, &in->p->relocations) = r;
}

// Parses the rest of 0xFF00(value) or mask(0xFF00, value), which select one byte of an address or a
// constant.
static void masked(struct initialiser *in, uint64_t at, uint64_t mask)
{
    struct sim_parser *p = in->p;
    struct sim_relocation r = { .bytes = 1 };

    if (mask)
        r.shift = (uint32_t)__builtin_ctzll(mask);
    if (mask >> r.shift != 0xff || r.shift % 8)
        sim_parser_fail(p, "found the mask 0x%llx, expected one of a whole byte",
                        (unsigned long long)mask);
    if (in->element != 1)
        sim_parser_fail(p, "found a mask in an initialiser of .%s, expected .b8, .u8 or .s8",
                        sim_type_word(in->v->type));
    if (read_symbol(p, &r)) {
        add_relocation(in, at, r);
    } else {
        uint64_t value = sim_parser_integer(p, "a symbol or an integer");

        *place(in, at) = (unsigned char)(value >> r.shift);
    }
    sim_parser_expect(p, ')', ")");
}

static void scalar(struct initialiser *in, uint64_t at)
{
    struct sim_parser *p = in->p;
    struct sim_relocation r = { .bytes = in->element };

    if (p->token.kind == CUC__PTX_NAME && strcmp(p->name->text, "mask") == 0 &&
        cuc__ptx_lexer_peek(&p->lexer, NULL) == '(') {
        sim_parser_next(p);
        sim_parser_next(p);
        uint64_t mask = sim_parser_integer(p, "a mask");
        sim_parser_expect(p, ',', "a comma");
        masked(in, at, mask);
    } else if (p->token.kind == CUC__PTX_INTEGER && cuc__ptx_lexer_peek(&p->lexer, NULL) == '(') {
        uint64_t mask = p->token.value;

        sim_parser_next(p);
        sim_parser_next(p);
        masked(in, at, mask);
    } else if (read_symbol(p, &r)) {
        if (in->element != 4 && in->element != 8)
            sim_parser_fail(p, "found the address of %.60s in .%s, expected 4 or 8 bytes for it",
                            r.symbol, sim_type_word(in->v->type));
        add_relocation(in, at, r);
    } else {
        constant(in, at, sim_parser_constant(p));
    }
}

// Parses the { ... } of a dimension into bytes [at, end), and returns the end of the values.
static uint64_t braces(struct initialiser *in, size_t dimension, uint64_t at, uint64_t end)
{
    struct sim_parser *p = in->p;

    if (dimension >= in->dimensions)
        sim_parser_expected(p, "a value");
    sim_parser_next(p);
    while (!sim_parser_is(p, '}')) {
        if (sim_parser_is(p, '{')) {
            uint64_t bytes = in->dimension[dimension];

            if (at + bytes > end)
                sim_parser_expected(p, "no more values");
            braces(in, dimension + 1, at, at + bytes);
            at += bytes;
        } else {
            if (at + in->element > end)
                sim_parser_expected(p, "no more values");
            scalar(in, at);
            at += in->element;
        }
        if (!sim_parser_accept(p, ','))
            break;
    }
    sim_parser_expect(p, '}', "a comma or }");
    return at;
}

static void read_initialiser(struct initialiser *in)
{
    struct sim_parser *p = in->p;
    struct sim_variable *v = in->v;
    uint64_t used;

    if ((v->space != SIM_GLOBAL && v->space != SIM_CONST) || v->is_extern)
        sim_parser_fail(p, "found an initialiser of %.60s, expected one of .global or .const alone",
                        v->name);
    p->bytes.count = 0;
    p->relocations.count = 0;
    in->limit = v->bytes ? v->bytes : MAX_INIT_BYTES;
    if (in->limit > MAX_INIT_BYTES)
        sim_parser_fail(p,
                        "found an initialiser of %.60s, which has %llu bytes, expected at most "
                        "2^28",
                        v->name, (unsigned long long)v->bytes);
    p->init_bytes += v->bytes;
    if (p->init_bytes > 4 * MAX_INIT_BYTES)
        sim_parser_fail(p, "found initialisers of more than 2^30 bytes in all");
    if (v->bytes)
        v->init = sim_parser_take(p, v->bytes);
    if (sim_parser_is(p, '{')) {
        used = braces(in, 0, 0, in->limit);
    } else {
        if (in->dimensions)
            sim_parser_expected(p, "{");
        scalar(in, 0);
        used = in->element;
    }
    if (!v->bytes) { // the initializer determines the length
        uint64_t row = in->dimension[0];

        v->bytes = (used + row - 1) / row * row;
        p->init_bytes += v->bytes;
        v->init = sim_parser_take(p, v->bytes);
        if (p->bytes.count)
            memcpy(v->init, p->bytes.items, p->bytes.count);
    }
    v->relocation_count = p->relocations.count;
    v->relocations = sim_parser_keep(p, &p->relocations, 0);
}

static void set_type(struct sim_variable *v, const struct type *t)
{
    uint32_t natural = sim_type_bytes(t->type) * t->vector;

    v->type = t->type;
    v->vector = t->vector;
    v->align = t->align ? t->align : natural ? natural : 1;
    v->is_managed = t->is_managed;
    v->is_pointer = t->is_pointer;
}

// Parses the name, its dimensions and its initializer.
static struct sim_name *read_declarator(struct sim_parser *p, struct sim_variable *v,
                                        const struct type *t)
{
    struct initialiser in = { .p = p, .v = v, .element = sim_type_bytes(t->type) };
    struct sim_name *name = p->name;

    if (p->token.kind != CUC__PTX_NAME)
        sim_parser_expected(p, "a name");
    set_type(v, t);
    v->name = name->text;
    v->line = p->token.line;
    sim_parser_next(p);
    read_dimensions(p, v, &in);
    if (sim_parser_accept(p, '='))
        read_initialiser(&in);
    return name;
}

void sim_parser_variables(struct sim_parser *p, const struct sim_variable *linking,
                          void (*add)(struct sim_parser *p, struct sim_name *name,
                                      const struct sim_variable *v))
{
    enum sim_space space = space_of(p->name->text);

    sim_parser_next(p);
    struct type t = read_type(p, space);
    do {
        struct sim_variable v = *linking;

        v.space = space;
        struct sim_name *name = read_declarator(p, &v, &t);
        add(p, name, &v);
    } while (sim_parser_accept(p, ','));
    sim_parser_expect(p, ';', "a comma, = or ;");
}

static void bind_register(struct sim_parser *p, struct sim_name *name, const struct type *t,
                          uint64_t range)
{
    struct sim_binding *b = sim_parser_bind(p, name, range ? SIM_BIND_RANGE : SIM_BIND_REGISTER);

    b->type = t->type;
    b->vector = t->vector;
    b->count = range;
}

struct sim_variable *sim_parser_parameters(struct sim_parser *p, size_t *count, bool bind)
{
    size_t mark = p->parameters.count;

    sim_parser_expect(p, '(', "(");
    while (!sim_parser_is(p, ')')) {
        struct sim_variable v = { .space = SIM_GENERIC };

        if (p->token.kind == CUC__PTX_DIRECTIVE)
            v.space = space_of(p->name->text);
        if (v.space != SIM_PARAM && v.space != SIM_REG)
            sim_parser_expected(p, ".param, .reg or )");
        sim_parser_next(p);
        struct type t = read_type(p, v.space);
        struct sim_name *name = read_declarator(p, &v, &t);
        if (v.space == SIM_REG && bind)
            bind_register(p, name, &t, 0);
        else if (bind)
            sim_parser_bind(p, name, SIM_BIND_SYMBOL);
        *(struct sim_variable *)sim_parser_push(p, &p->parameters) = v;
        if (!sim_parser_accept(p, ','))
            break;
    }
    sim_parser_expect(p, ')', "a comma or )");
    *count = p->parameters.count - mark;
    return sim_parser_keep(p, &p->parameters, mark);
}

void sim_parser_registers(struct sim_parser *p)
{
    sim_parser_next(p);
    struct type t = read_type(p, SIM_REG);
    do {
        struct sim_name *name = p->name;
        uint64_t range = 0;

        if (p->token.kind != CUC__PTX_NAME)
            sim_parser_expected(p, "the name of a register");
        if (name->bytes == 1 && name->text[0] == '_')
            sim_parser_expected(p, "a name other than that of the sink");
        sim_parser_next(p);
        if (sim_parser_accept(p, '<')) {
            struct cuc__ptx_token at = p->token;

            // Parse the count as a token: in an expression, > would be an operator.
            range = at.value;
            if (at.kind != CUC__PTX_INTEGER || range == 0 || range > MAX_RANGE)
                sim_parser_expected(p, "a count of registers");
            sim_parser_next(p);
            sim_parser_expect(p, '>', ">");
        }
        bind_register(p, name, &t, range);
    } while (sim_parser_accept(p, ','));
    sim_parser_expect(p, ';', "a comma or ;");
}
