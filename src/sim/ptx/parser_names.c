#include "parser.h"

#include <string.h>

enum { FIRST_BUCKETS = 1024, MAX_REGISTERS = 1 << 20 };

static uint32_t hash_of(const char *text, size_t bytes)
{
    uint32_t h = 2166136261u; // FNV-1a

    for (size_t i = 0; i < bytes; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h ^ h >> 15;
}

static struct sim_name *find(const struct sim_parser *p, const char *text, size_t bytes,
                             uint32_t hash)
{
    if (!p->bucket_count)
        return NULL;
    struct sim_name *n = p->buckets[hash & (p->bucket_count - 1)];

    while (n && (n->hash != hash || n->bytes != bytes || memcmp(n->text, text, bytes) != 0))
        n = n->next;
    return n;
}

// Enlarges the table. Old tables stay in the arena; together they are smaller than the new one.
static void grow_table(struct sim_parser *p)
{
    size_t count = p->bucket_count ? p->bucket_count * 4 : FIRST_BUCKETS;
    struct sim_name **buckets = sim_parser_take(p, count * sizeof(*buckets));

    for (size_t i = 0; i < p->bucket_count; i++) {
        struct sim_name *n = p->buckets[i];

        while (n) {
            struct sim_name *next = n->next;

            n->next = buckets[n->hash & (count - 1)];
            buckets[n->hash & (count - 1)] = n;
            n = next;
        }
    }
    p->buckets = buckets;
    p->bucket_count = count;
}

struct sim_name *sim_parser_intern(struct sim_parser *p, const char *text, size_t bytes)
{
    uint32_t hash = hash_of(text, bytes);
    struct sim_name *n = find(p, text, bytes, hash);

    if (n)
        return n;
    if (bytes > UINT32_MAX)
        sim_parser_fail(p, "a name of %zu bytes", bytes);
    if (p->name_count >= p->bucket_count)
        grow_table(p);
    n = sim_parser_take(p, sizeof(*n) + bytes + 1);
    char *copy = (char *)(n + 1);
    memcpy(copy, text, bytes);
    n->text = copy;
    n->hash = hash;
    n->bytes = (uint32_t)bytes;
    n->next = p->buckets[hash & (p->bucket_count - 1)];
    p->buckets[hash & (p->bucket_count - 1)] = n;
    p->name_count++;
    return n;
}

void sim_parser_intern_known(struct sim_parser *p)
{
    static const char *const specials[] = {
#define SPECIAL(tag, name, type) [SIM_SR_##tag] = name,
#include "special.def"
#undef SPECIAL
    };

    for (int t = SIM_NONE + 1; t < SIM_TYPES; t++) {
        const char *word = sim_type_word((enum sim_type)t);

        sim_parser_intern(p, word, strlen(word))->type = (enum sim_type)t;
    }
    for (size_t s = 0; s < SIM_SPECIALS; s++) {
        size_t bytes = strlen(specials[s]);

        sim_parser_intern(p, specials[s], bytes)->special = (uint16_t)(s + 1);
        if (bytes > 2 && specials[s][bytes - 2] == '.')
            sim_parser_intern(p, specials[s], bytes - 2)->special_vector = true;
    }
}

const struct sim_opcode *sim_parser_opcode(struct sim_parser *p, const char *text, size_t bytes)
{
    struct sim_name *n = sim_parser_intern(p, text, bytes);

    if (n->opcode)
        return n->opcode;
    struct sim_opcode *o = sim_parser_take(p, sizeof(*o));
    const char *at = n->text, *end = at + bytes;

    while (at < end) {
        const char *dot = memchr(at, '.', (size_t)(end - at));
        size_t length = (size_t)((dot ? dot : end) - at);

        if (o->words == SIM_MAX_WORDS)
            sim_parser_fail(p, "found an instruction of more than %d words, %.60s", SIM_MAX_WORDS,
                            n->text);
        o->word[o->words++] = sim_parser_intern(p, at, length)->text;
        at += length + (dot != NULL);
    }
    o->is_call = strcmp(o->word[0], "call") == 0;
    n->opcode = o;
    return o;
}

void sim_parser_scope_open(struct sim_parser *p)
{
    uint32_t *parent = sim_parser_push(p, &p->scopes);

    *parent = p->scope;
    p->scope = (uint32_t)(p->scopes.count - 1);
    sim_parser_push(p, &p->open);
}

void sim_parser_scope_close(struct sim_parser *p)
{
    struct sim_binding **open = p->open.items;

    for (struct sim_binding *b = open[--p->open.count]; b; b = b->next) {
        b->name->binding = b->outer;
        b->name->checked = 0;
    }
    p->scope = ((uint32_t *)p->scopes.items)[p->scope];
}

// Adds a binding in a scope. Inner scopes have higher numbers than the scopes around them, so
// bindings need no depth.
static struct sim_binding *bind_in(struct sim_parser *p, struct sim_name *name,
                                   struct sim_binding **list, uint32_t scope)
{
    struct sim_binding *b = sim_parser_take(p, sizeof(*b));
    struct sim_binding **at = &name->binding;

    while (*at && (*at)->scope > scope)
        at = &(*at)->outer;
    b->scope = scope;
    b->name = name;
    b->outer = *at;
    b->next = *list;
    *list = b;
    *at = b;
    return b;
}

// Returns the innermost binding of a name: a range if `range` is set, otherwise any other kind. A
// name may be both the base of a range and a register: "%r<4>" beside "%r".
static struct sim_binding *own_binding(const struct sim_name *name, bool range)
{
    struct sim_binding *b = name->binding;

    while (b && (b->kind == SIM_BIND_RANGE) != range)
        b = b->outer;
    return b;
}

// Finds the innermost range that contains a name. Tries every split of the name into a base and a
// number without leading zeros.
static struct sim_binding *range_of(struct sim_parser *p, const struct sim_name *name)
{
    struct sim_binding *best = NULL;
    uint64_t number = 0, scale = 1;

    for (size_t cut = name->bytes; cut-- > 1;) {
        unsigned digit = (unsigned)(unsigned char)name->text[cut] - '0';

        if (digit > 9 || name->bytes - cut > 18)
            break;
        number += digit * scale;
        scale *= 10;
        if (digit == 0 && name->bytes - cut > 1)
            continue; // %r01 is not in %r<2>
        struct sim_name *base = find(p, name->text, cut, hash_of(name->text, cut));
        struct sim_binding *b = base ? own_binding(base, true) : NULL;
        while (b && (b->kind != SIM_BIND_RANGE || number >= b->count))
            b = b->outer;
        if (b && (!best || b->scope > best->scope))
            best = b;
    }
    return best;
}

struct sim_binding *sim_parser_bind(struct sim_parser *p, struct sim_name *name,
                                    enum sim_binding_kind kind)
{
    struct sim_binding **open = p->open.items;
    struct sim_binding *before = own_binding(name, kind == SIM_BIND_RANGE);

    if (!before && kind == SIM_BIND_REGISTER)
        before = range_of(p, name);
    if (before && before->scope == p->scope)
        sim_parser_fail(p, "found a second %.60s, expected a name that its { } does not have yet",
                        name->text);
    before = bind_in(p, name, &open[p->open.count - 1], p->scope);
    before->kind = kind;
    if (kind == SIM_BIND_RANGE)
        p->ranges++;
    return before;
}

// Returns the list of bindings of an open scope. This is fast, since few scopes are open inside
// that one.
static struct sim_binding **list_of(struct sim_parser *p, uint32_t scope)
{
    const uint32_t *parents = p->scopes.items;
    struct sim_binding **open = p->open.items;
    size_t at = p->open.count - 1;

    for (uint32_t s = p->scope; s != scope; s = parents[s])
        at--;
    return &open[at];
}

struct sim_binding *sim_parser_lookup(struct sim_parser *p, struct sim_name *name)
{
    struct sim_binding *b = own_binding(name, false);

    if (b && name->checked == p->ranges)
        return b;
    struct sim_binding *range = range_of(p, name);
    if (range && (!b || range->scope > b->scope)) {
        b = bind_in(p, name, list_of(p, range->scope), range->scope);
        b->kind = SIM_BIND_REGISTER;
        b->type = range->type;
        b->vector = range->vector;
    }
    name->checked = p->ranges;
    return b;
}

uint32_t sim_parser_register(struct sim_parser *p, struct sim_binding *b)
{
    if (!b->reg) {
        struct sim_register *r = sim_parser_push(p, &p->registers);

        if (p->registers.count > MAX_REGISTERS)
            sim_parser_fail(p, "found %.60s, expected at most %d registers in a function",
                            b->name->text, MAX_REGISTERS);
        *r = (struct sim_register){
            .name = b->name->text, .type = b->type, .vector = b->vector, .scope = b->scope
        };
        b->reg = (uint32_t)p->registers.count;
    }
    return b->reg - 1;
}
