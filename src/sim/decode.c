// From statements to ops: words and operands are matched with the rows of the instruction tables,
// registers, constants and special registers get places in the frame, labels become indices.
#include "builtin.h"
#include "code.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NO_SLOT UINT32_MAX

// A constant in the frame, of which there is one for each width and value.
struct constant {
    uint32_t at, bytes;
    uint64_t value;
};

struct decoder {
    struct sim_program *program;
    const struct sim_function *source;
    struct sim_code *code;
    const struct sim_statement *statement;
    uint32_t index; // of the statement

    struct sim_op *ops;
    uint32_t op_count, op_room;
    uint32_t *op_at;  // [statement_count + 1]: the first op of a statement
    uint32_t *reg_at; // [register_count]: frame offsets
    unsigned char *image;
    uint32_t image_bytes, image_room;
    struct constant *constants;
    uint32_t constant_count, constant_room;
    uint32_t special_room, address_room;

    // The row that is tried, and why it does not fit: the reason of the last one is told.
    struct sim_op op;
    struct sim_op after; // a wide destination is filled from a narrow one; run is NULL when not
    uint32_t list[SIM_MAX_LIST * 4];
    uint32_t list_count;
    char *log;
    size_t log_bytes;
};

// Growing arrays

static bool grow(void *array, uint32_t *room, uint32_t needed, size_t item)
{
    if (needed <= *room)
        return true;
    uint32_t more = *room ? *room * 2 : 64;
    while (more < needed)
        more *= 2;
    void *old;
    memcpy(&old, array, sizeof(old));
    void *p = realloc(old, more * item);
    if (!p)
        return false;
    memcpy(array, &p, sizeof(p));
    *room = more;
    return true;
}

static bool refuse(struct decoder *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct decoder *d, const char *fmt, ...)
{
    va_list args;
    size_t n = 0;

    if (!d->log_bytes)
        return false;
    n += (size_t)snprintf(d->log, d->log_bytes, "line %u: ", d->statement ? d->statement->line : 0);
    for (uint32_t i = 0; d->statement && i < d->statement->words && n < d->log_bytes; i++)
        n += (size_t)snprintf(d->log + n, d->log_bytes - n, "%s%s", i ? "." : "",
                              d->statement->word[i]);
    if (n + 2 < d->log_bytes) {
        n += (size_t)snprintf(d->log + n, d->log_bytes - n, ": ");
        va_start(args, fmt);
        vsnprintf(d->log + n, d->log_bytes - n, fmt, args);
        va_end(args);
    }
    return false;
}

// Places in the frame

// How many bytes 32 values take: 8 and 16 bit ones take 32 bits each, a predicate is a mask.
static uint32_t slot_bytes(uint32_t bytes)
{
    return bytes == 0 ? 4 : bytes <= 4 ? 4 * SIM_WARP : bytes * SIM_WARP;
}

static uint32_t type_slot(enum sim_type type)
{
    return slot_bytes(type == SIM_PRED ? 0 : type == SIM_NONE ? 4 : sim_type_bytes(type));
}

// A new place behind the registers, zeroed; NO_SLOT when there is no memory.
static uint32_t slot_new(struct decoder *d, uint32_t bytes)
{
    uint32_t align = bytes >= 64 ? 64 : 4;
    uint32_t at = (d->image_bytes + align - 1) & ~(align - 1);

    if (!grow(&d->image, &d->image_room, at + bytes, 1))
        return NO_SLOT;
    memset(d->image + d->image_bytes, 0, at + bytes - d->image_bytes);
    d->image_bytes = at + bytes;
    return d->code->image_at + at;
}

// A constant of 0 (a predicate), 4, 8 or 16 bytes.
static uint32_t slot_constant(struct decoder *d, uint32_t bytes, uint64_t value)
{
    if (bytes == 0)
        value = value ? SIM_ALL_LANES : 0;
    else if (bytes == 4)
        value = (uint32_t)value;
    for (uint32_t i = 0; i < d->constant_count; i++)
        if (d->constants[i].value == value && d->constants[i].bytes == bytes)
            return d->constants[i].at;
    if (!grow(&d->constants, &d->constant_room, d->constant_count + 1, sizeof(*d->constants)))
        return NO_SLOT;
    uint32_t at = slot_new(d, slot_bytes(bytes));
    if (at == NO_SLOT)
        return at;
    unsigned char *p = d->image + (at - d->code->image_at);
    if (bytes == 0)
        memcpy(p, &value, 4);
    for (uint32_t lane = 0; bytes && lane < SIM_WARP; lane++)
        memcpy(p + lane * (bytes == 4 ? 4 : 8), &value, bytes == 4 ? 4 : 8);
    d->constants[d->constant_count++] = (struct constant){ at, bytes, value };
    return at;
}

static struct sim_op *emit(struct decoder *d, struct sim_op op)
{
    if (!grow(&d->ops, &d->op_room, d->op_count + 1, sizeof(*d->ops)))
        return NULL;
    op.line = d->statement ? d->statement->line : d->source->line;
    op.statement = d->index;
    d->ops[d->op_count] = op;
    return &d->ops[d->op_count++];
}

static uint32_t special_bytes(uint32_t special)
{
    static const enum sim_type types[] = {
#define SPECIAL(tag, name, type) SIM_##type,
#include "special.def"
#undef SPECIAL
    };
    return types[special] == SIM_PRED ? 0 : sim_type_bytes(types[special]);
}

static bool special_changes(uint32_t special)
{
    return special == SIM_SR_CLOCK || special == SIM_SR_CLOCK_HI || special == SIM_SR_CLOCK64 ||
           special == SIM_SR_GLOBALTIMER || special == SIM_SR_GLOBALTIMER_LO ||
           special == SIM_SR_GLOBALTIMER_HI;
}

static uint32_t slot_special(struct decoder *d, uint32_t special)
{
    struct sim_code *code = d->code;

    if (special == SIM_SR_WARP_SZ)
        return slot_constant(d, 4, SIM_WARP);
    if (special_changes(special)) {
        struct sim_op read = { .run = sim_run_special, .guard = SIM_NO_GUARD, .extra = special };
        read.o[0] = slot_new(d, slot_bytes(special_bytes(special)));
        return read.o[0] != NO_SLOT && emit(d, read) ? read.o[0] : NO_SLOT;
    }
    for (uint32_t i = 0; i < code->special_count; i++)
        if (code->specials[i].special == special)
            return code->specials[i].at;
    uint32_t at = slot_new(d, slot_bytes(special_bytes(special)));
    if (at == NO_SLOT ||
        !grow(&code->specials, &d->special_room, code->special_count + 1, sizeof(*code->specials)))
        return NO_SLOT;
    code->specials[code->special_count].special = special;
    code->specials[code->special_count++].at = at;
    return at;
}

// The place of the address of a shared or local variable.
static uint32_t slot_address(struct decoder *d, enum sim_space space, uint32_t symbol,
                             uint32_t bytes, int64_t addend)
{
    struct sim_code *code = d->code;

    for (uint32_t i = 0; i < code->address_count; i++)
        if (code->addresses[i].space == space && code->addresses[i].symbol == symbol &&
            code->addresses[i].bytes == bytes && code->addresses[i].addend == addend)
            return code->addresses[i].at;
    uint32_t at = slot_new(d, slot_bytes(bytes));
    if (at == NO_SLOT || !grow(&code->addresses, &d->address_room, code->address_count + 1,
                               sizeof(*code->addresses)))
        return NO_SLOT;
    code->addresses[code->address_count].space = space;
    code->addresses[code->address_count].symbol = symbol;
    code->addresses[code->address_count].bytes = bytes;
    code->addresses[code->address_count].addend = addend;
    code->addresses[code->address_count++].at = at;
    return at;
}

// Symbols

static bool scope_within(const struct sim_function *f, uint32_t inner, uint32_t outer)
{
    for (;;) {
        if (inner == outer)
            return true;
        if (inner >= f->scope_count || f->scope_parents[inner] == inner)
            return false;
        inner = f->scope_parents[inner];
    }
}

// A scope inside another has the larger number, so that the innermost one that fits is the largest.
static size_t find_body_variable(const struct sim_function *f, const char *name, uint32_t scope)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < f->variable_count; i++)
        if (strcmp(f->variables[i].name, name) == 0 &&
            scope_within(f, scope, f->variable_scopes[i]) &&
            (found == SIZE_MAX || f->variable_scopes[i] >= f->variable_scopes[found]))
            found = i;
    return found;
}

static const struct sim_label *find_label(const struct sim_function *f, const char *name,
                                          uint32_t scope)
{
    const struct sim_label *found = NULL;

    for (size_t i = 0; i < f->label_count; i++)
        if (strcmp(f->labels[i].name, name) == 0 && scope_within(f, scope, f->labels[i].scope) &&
            (!found || f->labels[i].scope >= found->scope))
            found = &f->labels[i];
    return found;
}

static size_t find_function(const struct sim_module *m, const char *name)
{
    size_t found = SIZE_MAX;

    for (size_t i = 0; i < m->function_count; i++)
        if (strcmp(m->functions[i].name, name) == 0 &&
            (found == SIZE_MAX || m->functions[i].is_defined))
            found = i;
    return found;
}

// What a symbol stands for: a place in the frame that has its address; NO_SLOT after refuse().
struct symbol {
    enum sim_space space;
    uint32_t at;      // frame offset of its address
    bool entry_param; // the address is in the entry's parameters
    uint64_t value;   // when it is known now
    bool known;
};

static bool find_symbol(struct decoder *d, const struct sim_operand *o, uint32_t bytes,
                        int64_t offset, struct symbol *out)
{
    const struct sim_function *f = d->source;
    const struct sim_module *m = d->program->module;
    struct symbol s = { .space = SIM_GENERIC, .at = NO_SLOT };
    size_t i = find_body_variable(f, o->symbol, o->scope);

    if (i != SIZE_MAX) {
        const struct sim_variable *v = &f->variables[i];
        s.space = v->space;
        if (v->space == SIM_SHARED) {
            s.at = slot_address(d, SIM_SHARED,
                                d->program->function_shared[d->code->index] +
                                    d->program->variable_at[d->code->index][i],
                                bytes, offset);
        } else if (v->space == SIM_LOCAL) {
            s.at = slot_address(d, SIM_LOCAL, d->program->variable_at[d->code->index][i], bytes,
                                offset);
        } else if (v->space == SIM_PARAM) {
            s.value = d->program->variable_at[d->code->index][i];
            s.known = true;
        } else {
            return refuse(d, "%s is a variable of a function in a space that is not known here",
                          o->symbol);
        }
        goto found;
    }
    for (i = 0; i < f->parameter_count; i++) {
        if (strcmp(f->parameters[i].name, o->symbol) == 0) {
            s.space = SIM_PARAM;
            s.entry_param = f->is_entry;
            s.value = d->code->arguments[i].at;
            s.known = true;
            goto found;
        }
    }
    for (i = 0; i < f->result_count; i++) {
        if (strcmp(f->results[i].name, o->symbol) == 0) {
            s.space = SIM_PARAM;
            s.value = d->code->results[i].at;
            s.known = true;
            goto found;
        }
    }
    for (i = 0; i < m->variable_count; i++) {
        if (strcmp(m->variables[i].name, o->symbol) == 0) {
            s.space = m->variables[i].space;
            if (s.space == SIM_SHARED) {
                s.at =
                    slot_address(d, SIM_SHARED, (uint32_t)d->program->addresses[i], bytes, offset);
            } else if (!d->program->placed[i]) {
                return refuse(d, "%s is extern, and nothing defines it", o->symbol);
            } else {
                s.value = d->program->addresses[i];
                s.known = true;
            }
            goto found;
        }
    }
    i = find_function(m, o->symbol);
    if (i == SIZE_MAX)
        return refuse(d, "%s is not declared", o->symbol);
    s.value = SIM_WINDOW_CODE | (i + 1);
    s.known = true;
found:
    if (s.known)
        s.at = slot_constant(d, bytes, s.value + (uint64_t)offset);
    if (s.at == NO_SLOT)
        return refuse(d, "no host memory");
    *out = s;
    return true;
}

// Operands

static uint32_t register_slot(const struct decoder *d, uint32_t reg, uint32_t component)
{
    return d->reg_at[reg] + component * type_slot(d->source->registers[reg].type);
}

static bool is_predicate(const struct decoder *d, uint32_t reg)
{
    return d->source->registers[reg].type == SIM_PRED;
}

static double as_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

// The bits of a written number as a type has them.
static bool constant_bits(struct decoder *d, const struct sim_operand *o, enum sim_type type,
                          uint64_t *bits)
{
    float f;
    double v;
    uint32_t word;

    switch (o->kind) {
    case SIM_OP_INTEGER:
        if (type == SIM_F32 || type == SIM_F64)
            return refuse(d, "an integer stands where a .%s is expected", sim_type_word(type));
        *bits = o->negated ? 0 - o->value.u : o->value.u;
        return true;
    case SIM_OP_F32:
        *bits = o->value.u;
        if (type == SIM_F64) {
            word = (uint32_t)o->value.u;
            memcpy(&f, &word, sizeof(f));
            v = (double)f;
            memcpy(bits, &v, sizeof(v));
        }
        return true;
    case SIM_OP_F64:
        *bits = o->value.u;
        if (sim_type_bytes(type) == 4) {
            f = (float)as_double(o->value.u);
            memcpy(&word, &f, sizeof(word));
            *bits = word;
        } else if (sim_type_bytes(type) != 8) {
            return refuse(d, "a floating-point number stands where a .%s is expected",
                          sim_type_word(type));
        }
        return true;
    default:
        return refuse(d, "a number was expected");
    }
}

// The place of a source whose instruction reads it as `type` (SIM_NONE: as it is).
static bool source_slot(struct decoder *d, const struct sim_operand *o, enum sim_type type,
                        bool exact, uint32_t *at)
{
    uint32_t wanted = type_slot(type);
    struct symbol symbol;
    uint64_t bits = 0;
    uint32_t have;

    switch (o->kind) {
    case SIM_OP_REGISTER: {
        const struct sim_register *r = &d->source->registers[o->reg];
        *at = register_slot(d, o->reg, o->component);
        if (o->negated && r->type != SIM_PRED)
            return refuse(d, "%s is negated, which only a predicate may be", r->name);
        if ((r->type == SIM_PRED) != (type == SIM_PRED) && type != SIM_NONE)
            return refuse(d, "%s is a .%s register where a .%s is expected", r->name,
                          sim_type_word(r->type), sim_type_word(type));
        if (o->negated) {
            struct sim_op not = { .run = sim_run_not, .guard = SIM_NO_GUARD };
            not .o[1] = *at;
            *at = not .o[0] = slot_new(d, 4);
            return (*at != NO_SLOT && emit(d, not )) || refuse(d, "no host memory");
        }
        have = type_slot(r->type);
        if (type == SIM_NONE || type == SIM_PRED || have == wanted)
            return true;
        if (have < wanted || !exact)
            return refuse(d, "%s is a .%s register where a .%s is expected", r->name,
                          sim_type_word(r->type), sim_type_word(type));
        // An instruction may read the low part of a wider register.
        struct sim_op narrow = { .run = sim_run_narrow, .guard = SIM_NO_GUARD };
        narrow.o[1] = *at;
        *at = narrow.o[0] = slot_new(d, wanted);
        return (*at != NO_SLOT && emit(d, narrow)) || refuse(d, "no host memory");
    }
    case SIM_OP_INTEGER:
    case SIM_OP_F32:
    case SIM_OP_F64:
        if (!constant_bits(d, o, type, &bits))
            return false;
        *at = slot_constant(d, wanted == 4 ? 0 : wanted / SIM_WARP, bits);
        return *at != NO_SLOT || refuse(d, "no host memory");
    case SIM_OP_SPECIAL:
        have = special_bytes((uint32_t)o->value.u);
        if (type != SIM_NONE && slot_bytes(have) < wanted)
            return refuse(d, "a special register of %u bytes stands where a .%s is expected", have,
                          sim_type_word(type));
        *at = slot_special(d, (uint32_t)o->value.u);
        if (*at != NO_SLOT && type != SIM_NONE && slot_bytes(have) > wanted) {
            struct sim_op narrow = { .run = sim_run_narrow, .guard = SIM_NO_GUARD };
            narrow.o[1] = *at;
            *at = narrow.o[0] = slot_new(d, wanted);
            if (*at != NO_SLOT && !emit(d, narrow))
                *at = NO_SLOT;
        }
        return *at != NO_SLOT || refuse(d, "no host memory");
    case SIM_OP_SYMBOL:
        if (wanted != slot_bytes(4) && wanted != slot_bytes(8))
            return refuse(d, "an address stands where a .%s is expected", sim_type_word(type));
        if (!find_symbol(d, o, wanted / SIM_WARP, o->offset, &symbol))
            return false;
        *at = symbol.at;
        return true;
    default:
        return refuse(d, "an operand is not of a kind that is known here");
    }
}

static bool destination_slot(struct decoder *d, const struct sim_operand *o, uint32_t *at)
{
    if (o->kind == SIM_OP_SINK) {
        *at = SIM_NO_OPERAND;
        return true;
    }
    if (o->kind != SIM_OP_REGISTER || o->negated)
        return refuse(d, "the destination is not a register");
    *at = register_slot(d, o->reg, o->component);
    return true;
}

static bool pair_slot(struct decoder *d, const struct sim_operand *o)
{
    d->op.o[5] = SIM_NO_OPERAND;
    if (o->pair != SIM_NO_PAIR)
        d->op.o[5] = d->reg_at[o->pair];
    return true;
}

// [base + offset]
static bool address_operand(struct decoder *d, const struct sim_operand *o, uint32_t slot,
                            bool apart)
{
    const struct sim_operand *base = o->kind == SIM_OP_ADDRESS && o->count ? &o->list[0] : o;
    struct symbol symbol = { .space = SIM_GENERIC };
    bool wide = true;
    bool entry_param = d->source->is_entry && (strcmp(d->statement->word[0], "ld") == 0 ||
                                               strcmp(d->statement->word[0], "st") == 0);

    d->op.offset = o->offset;
    switch (base->kind) {
    case SIM_OP_REGISTER: {
        uint32_t bytes = sim_type_bytes(d->source->registers[base->reg].type);
        if (is_predicate(d, base->reg) || (bytes != 4 && bytes != 8))
            return refuse(d, "%s is no address: it is neither 32 nor 64 bits wide",
                          d->source->registers[base->reg].name);
        d->op.o[slot] = register_slot(d, base->reg, base->component);
        wide = bytes == 8;
        if (entry_param)
            d->op.extra |= SIM_ENTRY_PARAM;
        break;
    }
    case SIM_OP_SYMBOL:
        if (!find_symbol(d, base, 8, 0, &symbol))
            return false;
        d->op.o[slot] = symbol.at;
        if (base != o)
            d->op.offset += base->offset;
        if (entry_param && symbol.entry_param)
            d->op.extra |= SIM_ENTRY_PARAM;
        break;
    case SIM_OP_INTEGER:
        d->op.o[slot] = slot_constant(d, 8, base->value.u);
        if (d->op.o[slot] == NO_SLOT)
            return refuse(d, "no host memory");
        break;
    default:
        return refuse(d, "an address is not of a kind that is known here");
    }
    // An op has room for one offset: with two addresses each is summed up before.
    if (apart && d->op.offset) {
        struct sim_op add = { .run = sim_run_offset, .guard = SIM_NO_GUARD };
        add.o[1] = d->op.o[slot];
        add.wide = wide ? 2 : 0;
        add.offset = d->op.offset;
        d->op.o[slot] = add.o[0] = slot_new(d, slot_bytes(wide ? 8 : 4));
        if (add.o[0] == NO_SLOT || !emit(d, add))
            return refuse(d, "no host memory");
        d->op.offset = 0;
    }
    if (wide)
        d->op.wide |= UINT32_C(1) << slot;
    return true;
}

static bool vector_operand(struct decoder *d, const struct sim_operand *o, enum sim_type type,
                           bool source, uint32_t slot)
{
    bool whole = o->kind == SIM_OP_REGISTER && d->source->registers[o->reg].vector > 1 &&
                 o->component == 0;
    uint32_t count = o->kind == SIM_OP_VECTOR ? o->count : 1;

    if (whole)
        count = d->source->registers[o->reg].vector;
    d->op.o[slot] = d->list_count;
    if (d->list_count + count > sizeof(d->list) / sizeof(*d->list))
        return refuse(d, "too many vector elements");
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_operand *e = o->kind == SIM_OP_VECTOR ? &o->list[i] : o;
        uint32_t at;
        if (whole)
            at = register_slot(d, o->reg, i);
        else if (source
                     ? !source_slot(d, e, e->kind == SIM_OP_REGISTER ? SIM_NONE : type, true, &at)
                     : !destination_slot(d, e, &at))
            return false;
        bool wide = source && e->kind != SIM_OP_REGISTER
                        ? type_slot(type) == slot_bytes(8)
                        : e->kind == SIM_OP_REGISTER &&
                              type_slot(d->source->registers[e->reg].type) == slot_bytes(8);
        if (wide && d->list_count < 24)
            d->op.wide |= UINT32_C(1) << (8 + d->list_count);
        d->list[d->list_count++] = at;
    }
    return true;
}

// Match the operands with a row's letters.
static bool match_operands(struct decoder *d, const struct sim_instruction *row,
                           const struct sim_words *words)
{
    const struct sim_statement *s = d->statement;
    const char *p = row->operands ? row->operands : "";
    uint32_t given = 0, slot = 0, addresses = 0;

    for (const char *letter = p; *letter; letter++)
        addresses += *letter == 'm' || *letter == 't';

    for (uint32_t i = 0; i < 6; i++)
        d->op.o[i] = SIM_NO_OPERAND;
    while (*p) {
        char letter = *p++;
        enum sim_type type = words->types ? words->type[0] : SIM_B32;
        bool optional = false;
        for (; *p && (strchr("w+?", *p) || (*p >= '0' && *p <= '9')); p++) {
            if (*p == '?') {
                optional = true;
            } else if (*p == 'w') {
                type = SIM_B32;
            } else if (*p == '+') {
                type = sim_type_bytes(type) == 2   ? SIM_B32
                       : sim_type_bytes(type) == 4 ? SIM_B64
                                                   : SIM_B128;
            } else {
                uint32_t n = (uint32_t)(*p - '0');
                if (n >= words->types)
                    return refuse(d, "it has %u types, and needs %u", words->types, n + 1);
                type = words->type[n];
            }
        }
        if (given >= s->operands) {
            if (optional) {
                slot += letter != 'i' && letter != 'x';
                continue;
            }
            return refuse(d, "it has %u operands, and needs more", s->operands);
        }
        const struct sim_operand *o = &s->operand[given++];
        if (letter == 'x')
            continue;
        if (letter == 'i') {
            if (o->kind != SIM_OP_INTEGER)
                return refuse(d, "operand %u is not an integer", given);
            continue;
        }
        if (slot >= 6)
            return refuse(d, "it has more operands than are known here");
        bool ok = true;
        switch (letter) {
        case 'd':
            ok = o->kind != SIM_OP_VECTOR ? destination_slot(d, o, &d->op.o[slot])
                                          : refuse(d, "operand %u is a vector", given);
            if (ok && o->pair != SIM_NO_PAIR)
                pair_slot(d, o);
            break;
        case 'P':
            if (o->kind == SIM_OP_REGISTER && !is_predicate(d, o->reg))
                return refuse(d, "%s is not a predicate", d->source->registers[o->reg].name);
            ok = destination_slot(d, o, &d->op.o[slot]) && pair_slot(d, o);
            break;
        case 'a':
            ok = source_slot(d, o, type, true, &d->op.o[slot]);
            break;
        case 'p':
            ok = source_slot(d, o, SIM_PRED, true, &d->op.o[slot]);
            break;
        case 'm':
            ok = address_operand(d, o, slot, addresses > 1);
            break;
        case 't':
            ok = o->kind == SIM_OP_TUPLE && o->count == 2
                     ? address_operand(d, &o->list[0], slot, true) &&
                           vector_operand(d, &o->list[1], SIM_S32, true, 5)
                     : refuse(d, "operand %u is no tensor map with coordinates", given);
            break;
        case 'v':
            ok = vector_operand(d, o, type, false, slot);
            break;
        case 'V':
            ok = vector_operand(d, o, type, true, slot);
            break;
        case 'l': {
            const struct sim_label *label =
                find_label(d->source, o->symbol ? o->symbol : "", o->scope);
            if (!label || label->targets)
                return refuse(d, "%s is no label", o->symbol ? o->symbol : "its operand");
            d->op.extra = label->at; // a statement for now; an op once all are there
            break;
        }
        default:
            return refuse(d, "its row of the table has an operand letter '%c' that is not known",
                          letter);
        }
        if (!ok)
            return false;
        slot++;
    }
    if (given < s->operands)
        return refuse(d, "it has %u operands, and needs %u", s->operands, given);
    return true;
}

// Words

static enum sim_type type_of_word(const char *word)
{
    for (int t = SIM_NONE + 1; t < SIM_TYPES; t++)
        if (strcmp(sim_type_word((enum sim_type)t), word) == 0)
            return (enum sim_type)t;
    return SIM_NONE;
}

static bool word_in(const char *set, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = set ? set : ""; (p = strstr(p, word)) != NULL; p += n)
        if ((p == set || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    return false;
}

static bool match_words(struct decoder *d, const struct sim_instruction *row,
                        struct sim_words *words)
{
    *words = (struct sim_words){ .statement = d->statement };
    for (uint32_t i = 1; i < d->statement->words; i++) {
        const char *word = d->statement->word[i];
        enum sim_type type = type_of_word(word);
        if (type != SIM_NONE && words->types < 4)
            words->type[words->types++] = type;
        else if (!word_in(row->words, word))
            return refuse(d, "%s%s%s", "unknown word ", word,
                          type == SIM_NONE ? "" : ", a fifth type");
    }
    return true;
}

// Registers wider than the type of a cvt or a load take the value extended.
static bool widen_destination(struct decoder *d, const struct sim_words *words)
{
    const struct sim_statement *s = d->statement;

    d->after.run = NULL;
    if (strcmp(s->word[0], "cvt") != 0 || !s->operands || s->operand[0].kind != SIM_OP_REGISTER ||
        !words->types)
        return true;
    const struct sim_operand *o = &s->operand[0];
    uint32_t have = type_slot(d->source->registers[o->reg].type);
    uint32_t made = type_slot(words->type[0]);
    if (is_predicate(d, o->reg) || have == made)
        return true;
    if (have < made)
        return refuse(
            d, "%s is a .%s register where a .%s is expected", d->source->registers[o->reg].name,
            sim_type_word(d->source->registers[o->reg].type), sim_type_word(words->type[0]));
    d->after =
        (struct sim_op){ .run = sim_run_widen, .extra = sim_type_class(words->type[0]) == 's' };
    d->after.o[0] = d->op.o[0];
    d->after.o[1] = d->op.o[0] = slot_new(d, made);
    return d->op.o[0] != NO_SLOT || refuse(d, "no host memory");
}

static bool place_guard(struct decoder *d)
{
    const struct sim_statement *s = d->statement;

    d->op.guard = SIM_NO_GUARD;
    d->op.guard_flip = 0;
    if (s->guard != SIM_NO_GUARD) {
        if (!is_predicate(d, s->guard))
            return refuse(d, "its guard %s is not a predicate",
                          d->source->registers[s->guard].name);
        d->op.guard = d->reg_at[s->guard];
        d->op.guard_flip = s->guard_negated ? SIM_ALL_LANES : 0;
    }
    return true;
}

static void *keep(struct decoder *d, size_t bytes)
{
    void *p = sim_program_keep(d->program, bytes ? bytes : 1);
    if (!p)
        refuse(d, "no host memory");
    return p;
}

// Calls and branches by index

static bool place_passed(struct decoder *d, const struct sim_operand *list, struct sim_passed **out,
                         uint32_t *count)
{
    *count = list->count;
    *out = keep(d, list->count * sizeof(**out));
    if (!*out)
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct sim_operand *o = &list->list[i];
        struct sim_passed *p = &(*out)[i];
        if (o->kind == SIM_OP_SYMBOL) {
            size_t v = find_body_variable(d->source, o->symbol, o->scope);
            if (v == SIZE_MAX || d->source->variables[v].space != SIM_PARAM)
                return refuse(d, "%s is no .param variable of the caller", o->symbol);
            p->at = d->program->variable_at[d->code->index][v];
            p->bytes = (uint32_t)d->source->variables[v].bytes;
        } else if (o->kind == SIM_OP_REGISTER) {
            p->in_register = true;
            p->at = register_slot(d, o->reg, o->component);
            p->bytes = sim_type_bytes(d->source->registers[o->reg].type);
        } else if (o->kind == SIM_OP_SINK) {
            p->at = SIM_NO_OPERAND;
        } else {
            return refuse(d, "argument %u is neither a .param variable nor a register", i + 1);
        }
    }
    return true;
}

static bool decode_call(struct decoder *d)
{
    const struct sim_statement *s = d->statement;
    const struct sim_operand *results = NULL, *arguments = NULL, *target = NULL;
    struct sim_call *call = keep(d, sizeof(*call));

    if (!call)
        return false;
    for (uint32_t i = 1; i < s->words; i++)
        if (strcmp(s->word[i], "uni") != 0)
            return refuse(d, "unknown word %s", s->word[i]);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct sim_operand *o = &s->operand[i];
        if (o->kind == SIM_OP_LIST && !target)
            results = o;
        else if (o->kind == SIM_OP_LIST)
            arguments = o;
        else if (!target)
            target = o;
    }
    if (!target)
        return refuse(d, "it names no function");
    if ((results && !place_passed(d, results, &call->results, &call->result_count)) ||
        (arguments && !place_passed(d, arguments, &call->arguments, &call->argument_count)))
        return false;
    if (target->kind == SIM_OP_REGISTER) {
        call->name = d->source->registers[target->reg].name;
        if (!source_slot(d, target, SIM_U64, true, &call->target))
            return false;
        d->op.run = sim_run_call_indirect;
    } else if (target->kind == SIM_OP_SYMBOL) {
        size_t f = find_function(d->program->module, target->symbol);
        if (f == SIZE_MAX)
            return refuse(d, "%s is not declared", target->symbol);
        call->name = target->symbol;
        call->code = &d->program->codes[f];
        d->op.run = sim_run_call;
        if (!d->program->module->functions[f].is_defined) {
            if (!sim_builtin(target->symbol))
                return refuse(d, "%s is not defined, and the device runtime has no such function",
                              target->symbol);
            call->builtin = true;
            d->op.run = sim_run_call_builtin;
        } else if (call->code->argument_count != call->argument_count ||
                   (call->code->result_count != call->result_count && call->result_count)) {
            return refuse(d, "%s takes %u arguments and gives %u, the call has %u and %u",
                          target->symbol, call->code->argument_count, call->code->result_count,
                          call->argument_count, call->result_count);
        }
    } else {
        return refuse(d, "what it calls is neither a function nor a register");
    }
    d->op.data = call;
    return place_guard(d) && (emit(d, d->op) || refuse(d, "no host memory"));
}

static bool decode_brx(struct decoder *d, struct sim_words *words)
{
    const struct sim_statement *s = d->statement;
    const struct sim_label *table;
    struct sim_targets *targets;
    const struct sim_instruction *row = sim_instruction_find("brx");

    if (!row || s->operands != 2 || s->operand[1].kind != SIM_OP_SYMBOL)
        return refuse(d, "it needs an index and a .branchtargets table");
    if (!match_words(d, row, words))
        return false;
    table = find_label(d->source, s->operand[1].symbol, s->operand[1].scope);
    if (!table || !table->targets)
        return refuse(d, "%s is no .branchtargets table", s->operand[1].symbol);
    targets = keep(d, sizeof(*targets) + table->target_count * sizeof(targets->at[0]));
    if (!targets || !source_slot(d, &s->operand[0], SIM_U32, true, &d->op.o[0]))
        return false;
    targets->count = table->target_count;
    for (uint32_t i = 0; i < table->target_count; i++) {
        const struct sim_label *label = find_label(d->source, table->targets[i], table->scope);
        if (!label || label->targets)
            return refuse(d, "%s is no label", table->targets[i]);
        targets->at[i] = label->at;
    }
    d->op.data = targets;
    d->op.run = row->pick(words, &d->op);
    return d->op.run ? place_guard(d) && (emit(d, d->op) || refuse(d, "no host memory"))
                     : refuse(d, "there is no such form");
}

// One statement. Among the rows of its name the first takes it that knows its words, fits its
// operands and whose pick knows the types.
static bool decode_statement(struct decoder *d)
{
    const char *name = d->statement->word[0];
    const struct sim_instruction *row;
    struct sim_words words = { .statement = d->statement };
    uint32_t start = d->op_count;
    bool known = false, fits = false;

    d->op = (struct sim_op){ .guard = SIM_NO_GUARD };
    if (strcmp(name, "call") == 0)
        return decode_call(d);
    if (strcmp(name, "brx") == 0)
        return decode_brx(d, &words);
    for (size_t i = 0; (row = sim_instruction_at(name, i)) != NULL; i++) {
        char log[256] = "";
        char *told = d->log;
        size_t told_bytes = d->log_bytes;
        // The reason that a row with the right words gives is worth more than another's.
        d->log = log;
        d->log_bytes = sizeof(log);
        d->op_count = start;
        d->op = (struct sim_op){ .guard = SIM_NO_GUARD };
        d->list_count = 0;
        bool words_fit = match_words(d, row, &words);
        bool ok = words_fit && match_operands(d, row, &words) && widen_destination(d, &words) &&
                  place_guard(d);
        if (ok && d->list_count) {
            uint32_t *list = keep(d, d->list_count * sizeof(*list));
            ok = list != NULL;
            if (ok) {
                memcpy(list, d->list, d->list_count * sizeof(*list));
                d->op.list = list;
                d->op.list_count = d->list_count;
            }
        }
        if (ok) {
            d->op.run = row->pick(&words, &d->op);
            if (!d->op.run)
                ok = refuse(d, "there is no such form");
        }
        d->log = told;
        d->log_bytes = told_bytes;
        if (ok) {
            d->op.cache = d->program->cache_count;
            d->program->cache_count += strpbrk(row->operands ? row->operands : "", "mt") != NULL;
            d->after.guard = d->op.guard;
            d->after.guard_flip = d->op.guard_flip;
            return (emit(d, d->op) && (!d->after.run || emit(d, d->after))) ||
                   refuse(d, "no host memory");
        }
        if ((words_fit || !fits) && d->log_bytes)
            snprintf(d->log, d->log_bytes, "%s", log);
        known = true;
        fits = fits || words_fit;
    }
    return known ? false : refuse(d, "unknown instruction %s", name);
}

// Branch targets were statements while ops were made.
static void place_targets(struct decoder *d)
{
    for (uint32_t i = 0; i < d->op_count; i++) {
        struct sim_op *op = &d->ops[i];
        const char *name = op->statement < d->source->statement_count
                               ? d->source->statements[op->statement].word[0]
                               : "";
        if (strcmp(name, "bra") == 0 && op->data == d) {
            op->extra = d->op_at[op->extra];
            op->data = NULL;
        }
    }
}

static bool place_registers(struct decoder *d)
{
    uint32_t at = 0;

    d->reg_at = calloc(d->source->register_count + 1, sizeof(*d->reg_at));
    if (!d->reg_at)
        return refuse(d, "no host memory");
    // Predicates last: they are small and need no alignment.
    for (int predicates = 0; predicates < 2; predicates++) {
        for (size_t i = 0; i < d->source->register_count; i++) {
            const struct sim_register *r = &d->source->registers[i];
            if ((r->type == SIM_PRED) != (predicates == 1))
                continue;
            d->reg_at[i] = at;
            at += type_slot(r->type) * (r->vector ? r->vector : 1);
            if (at > UINT32_C(1) << 30)
                return refuse(d, "%s has more registers than fit a frame", d->source->name);
        }
    }
    d->code->image_at = (at + 63) & ~UINT32_C(63);
    return true;
}

bool sim_decode(struct sim_program *program, uint32_t index, char *log, size_t log_bytes)
{
    struct decoder d = { .program = program,
                         .source = &program->module->functions[index],
                         .code = &program->codes[index],
                         .log = log,
                         .log_bytes = log_bytes };
    bool ok = false;

    d.op_at = calloc(d.source->statement_count + 1, sizeof(*d.op_at));
    if (!d.op_at || !place_registers(&d))
        goto out;
    for (size_t i = 0; i < d.source->statement_count; i++) {
        d.statement = &d.source->statements[i];
        d.index = (uint32_t)i;
        d.op_at[i] = d.op_count;
        d.after.run = NULL;
        uint32_t first = d.op_count;
        if (!decode_statement(&d))
            goto out;
        // Marks the ops whose `extra` is a statement: place_targets() takes the mark away.
        if (strcmp(d.statement->word[0], "bra") == 0 && d.op_count > first)
            d.ops[d.op_count - 1].data = &d;
    }
    d.op_at[d.source->statement_count] = d.op_count;
    d.statement = NULL;
    d.index = (uint32_t)d.source->statement_count;
    if (!emit(&d, (struct sim_op){ .run = d.source->is_entry ? sim_run_exit : sim_run_ret,
                                   .guard = SIM_NO_GUARD }))
        goto out;
    place_targets(&d);
    for (uint32_t i = 0; i < d.op_count; i++) {
        if (d.ops[i].data && d.ops[i].run != sim_run_call &&
            d.ops[i].statement < d.source->statement_count &&
            strcmp(d.source->statements[d.ops[i].statement].word[0], "brx") == 0) {
            struct sim_targets *targets = NULL;
            const void *data = d.ops[i].data;
            memcpy(&targets, &data, sizeof(targets));
            for (uint32_t t = 0; t < targets->count; t++)
                targets->at[t] = d.op_at[targets->at[t]];
        }
    }

    d.code->ops = d.ops;
    d.code->op_count = d.op_count;
    d.code->image = d.image;
    d.code->image_bytes = d.image_bytes;
    d.code->frame_bytes = (d.code->image_at + d.image_bytes + 63) & ~UINT32_C(63);
    d.ops = NULL;
    d.image = NULL;
    ok = true;
out:
    if (!ok && log_bytes && !log[0])
        snprintf(log, log_bytes, "%s: no host memory", d.source->name);
    free(d.ops);
    free(d.image);
    free(d.op_at);
    free(d.reg_at);
    free(d.constants);
    return ok;
}
