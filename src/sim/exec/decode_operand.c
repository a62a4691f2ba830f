// Maps the operands of a statement to frame offsets, as the letters of a row specify.
#include "base/array.h"
#include "decode.h"

#include <string.h>

static double as_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

// Returns true if a type accepts a floating-point literal. A .b type accepts literals of its own
// size.
static bool takes_number(enum sim_type type, enum sim_operand_kind kind)
{
    return type == SIM_F32 || type == SIM_F64 || type == (kind == SIM_OP_F32 ? SIM_B32 : SIM_B64);
}

// Converts a literal to its bits in a type.
static bool constant_bits(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                          bool loose, uint64_t *bits)
{
    float f;
    double v;
    uint32_t word;

    switch (o->kind) {
    case SIM_OP_INTEGER:
        if (type == SIM_F32 || type == SIM_F64)
            return sim_decode_refuse(d, "an integer stands where a .%s is expected",
                                     sim_type_word(type));
        *bits = o->negated ? 0 - o->value.u : o->value.u;
        return true;
    case SIM_OP_F32:
        if (!loose && !takes_number(type, o->kind))
            return sim_decode_refuse(d, "a floating-point number stands where a .%s is expected",
                                     sim_type_word(type));
        *bits = o->value.u;
        if (type == SIM_F64) {
            word = (uint32_t)o->value.u;
            memcpy(&f, &word, sizeof(f));
            v = (double)f;
            memcpy(bits, &v, sizeof(v));
        }
        return true;
    case SIM_OP_F64:
        if (!loose && !takes_number(type, o->kind))
            return sim_decode_refuse(d, "a floating-point number stands where a .%s is expected",
                                     sim_type_word(type));
        *bits = o->value.u;
        if (sim_type_bytes(type) == 4) {
            f = (float)as_double(o->value.u);
            memcpy(&word, &f, sizeof(word));
            *bits = word;
        } else if (sim_type_bytes(type) != 8 && loose) {
            return sim_decode_refuse(d, "a floating-point number stands where a .%s is expected",
                                     sim_type_word(type));
        }
        return true;
    default:
        return sim_decode_refuse(d, "a number was expected");
    }
}

// Returns true if an operand of type `wanted` accepts a register of type `have` (PTX ISA, "Operand
// Type Checking"). .b types match all types of their size, and integers may differ in sign. Loads,
// stores and conversions accept wider registers.
static bool agrees(enum sim_type have, enum sim_type wanted, bool wider)
{
    char a = sim_type_class(have), b = sim_type_class(wanted);

    if (have == SIM_PRED || wanted == SIM_PRED)
        return have == wanted;
    if (sim_type_bytes(have) < sim_type_bytes(wanted) ||
        (sim_type_bytes(have) > sim_type_bytes(wanted) && !wider))
        return false;
    return have == wanted || a == 'b' || b == 'b' || have == SIM_F16X2 || (a != 'f' && b != 'f');
}

static bool check_register(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                           uint32_t marks)
{
    const struct sim_register *r = &d->source->registers[o->reg];

    if (o->negated && r->type != SIM_PRED && !(marks & SIM_MARK_NEGATIVE))
        return sim_decode_refuse(d, "%s is negated, which only a predicate may be", r->name);
    if (o->parts && !(marks & SIM_MARK_PARTS))
        return sim_decode_refuse(d, "a part of %s, which only video instructions take", r->name);
    if (type != SIM_NONE && !agrees(r->type, type, marks & SIM_MARK_WIDER))
        return sim_decode_refuse(d, "%s is a .%s register where a .%s is expected", r->name,
                                 sim_type_word(r->type), sim_type_word(type));
    return true;
}

// Emits an op that extracts the low `bytes` of 32 values.
static uint32_t narrow_slot(struct sim_decoder *d, uint32_t from, uint32_t bytes)
{
    struct sim_op narrow = { .run = sim_run_narrow, .guard = SIM_NO_GUARD, .wide = bytes == 8 };

    narrow.o[1] = from;
    narrow.o[0] = sim_slot_new(d, sim_slot_bytes(bytes));
    if (narrow.o[0] != SIM_NO_SLOT && !sim_decode_emit(d, narrow))
        narrow.o[0] = SIM_NO_SLOT;
    return narrow.o[0];
}

bool sim_source_slot(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                     uint32_t marks, uint32_t *at)
{
    uint32_t wanted = sim_type_slot(type);
    struct sim_symbol symbol;
    uint64_t bits = 0;
    uint32_t have;

    switch (o->kind) {
    case SIM_OP_REGISTER: {
        const struct sim_register *r = &d->source->registers[o->reg];
        if (!check_register(d, o, type, marks))
            return false;
        sim_note_use(d, o->reg, SIM_USE_READ);
        *at = sim_register_slot(d, o->reg, o->component);
        if (o->negated && r->type == SIM_PRED) {
            struct sim_op not = { .run = sim_run_not, .guard = SIM_NO_GUARD };
            not .o[1] = *at;
            *at = not .o[0] = sim_slot_new(d, 4);
            return (*at != SIM_NO_SLOT && sim_decode_emit(d, not )) ||
                   sim_decode_refuse(d, "no host memory");
        }
        if (type != SIM_NONE && type != SIM_PRED && sim_type_slot(r->type) > wanted)
            *at = narrow_slot(d, *at, wanted / SIM_WARP);
        return *at != SIM_NO_SLOT || sim_decode_refuse(d, "no host memory");
    }
    case SIM_OP_INTEGER:
    case SIM_OP_F32:
    case SIM_OP_F64:
        if (!constant_bits(d, o, type, marks & SIM_MARK_LOOSE, &bits))
            return false;
        *at = sim_slot_constant(d, wanted == 4 ? 0 : wanted / SIM_WARP, bits);
        return *at != SIM_NO_SLOT || sim_decode_refuse(d, "no host memory");
    case SIM_OP_SPECIAL:
        have = sim_special_bytes((uint32_t)o->value.u);
        if (o->value.u == SIM_SR_WARP_SZ && type != SIM_PRED) {
            *at = sim_slot_constant(d, wanted / SIM_WARP, SIM_WARP);
            return *at != SIM_NO_SLOT || sim_decode_refuse(d, "no host memory");
        }
        if (type != SIM_NONE && !agrees(sim_special_type((uint32_t)o->value.u), type, true))
            return sim_decode_refuse(
                d, "a special register of type .%s stands where a .%s is expected",
                sim_type_word(sim_special_type((uint32_t)o->value.u)), sim_type_word(type));
        *at = sim_slot_special(d, (uint32_t)o->value.u);
        if (*at != SIM_NO_SLOT && type != SIM_NONE && sim_slot_bytes(have) > wanted)
            *at = narrow_slot(d, *at, wanted / SIM_WARP);
        return *at != SIM_NO_SLOT || sim_decode_refuse(d, "no host memory");
    case SIM_OP_SYMBOL:
        if (type == SIM_PRED || (wanted != sim_slot_bytes(4) && wanted != sim_slot_bytes(8)))
            return sim_decode_refuse(d, "an address stands where a .%s is expected",
                                     sim_type_word(type));
        if (!sim_find_symbol(d, o, wanted / SIM_WARP, o->offset, &symbol))
            return false;
        *at = symbol.at;
        d->named = symbol.space;
        return true;
    default:
        return sim_decode_refuse(d, "an operand is not of a kind that is known here");
    }
}

static bool destination_slot(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                             uint32_t marks, uint32_t *at)
{
    if (o->pair != SIM_NO_PAIR && !(marks & SIM_MARK_PAIR))
        return sim_decode_refuse(d, "it has one destination, and no second after a |");
    if (o->pair != SIM_NO_PAIR && !sim_is_predicate(d, o->pair))
        return sim_decode_refuse(d, "%s is not a predicate", d->source->registers[o->pair].name);
    if (o->pair != SIM_NO_PAIR) {
        sim_note_use(d, o->pair, SIM_USE_WRITE);
        d->op.o[5] = d->reg_at[o->pair];
    }
    if (o->kind == SIM_OP_SINK && marks & SIM_MARK_SINK) {
        *at = SIM_NO_OPERAND;
        return true;
    }
    if (o->kind == SIM_OP_SINK)
        return sim_decode_refuse(d, "_ stands where it needs a register");
    if (o->kind != SIM_OP_REGISTER || o->negated)
        return sim_decode_refuse(d, "the destination is not a register");
    sim_note_use(d, o->reg, SIM_USE_WRITE);
    *at = sim_register_slot(d, o->reg, o->component);
    return check_register(d, o, type, marks);
}

// Handles a destination register that is wider than the type of a cvt or load, and receives the
// extended value: the instruction writes to a temporary slot, and another op fills the register
// from it.
static bool widen_destination(struct sim_decoder *d, const struct sim_operand *o,
                              enum sim_type type, uint32_t made, uint32_t *at)
{
    uint32_t have = sim_type_slot(d->source->registers[o->reg].type);

    if (have <= made)
        return true;
    d->after = (struct sim_op){ .run = sim_run_widen,
                                .extra = sim_type_class(type) == 's',
                                .wide = (made > sim_slot_bytes(4) ? 1u : 0u) |
                                        (have > sim_slot_bytes(8) ? 2u : 0u) };
    d->after.o[0] = *at;
    d->after.o[1] = *at = sim_slot_new(d, made);
    return *at != SIM_NO_SLOT || sim_decode_refuse(d, "no host memory");
}

// Returns true if the instruction addresses global or generic memory, which requires a 64-bit
// address register.
static bool is_far(const struct sim_decoder *d, const struct sim_words *words)
{
    static const char *const names[] = {
        "ld", "ldu", "st", "atom", "red", "prefetch", "prefetchu"
    };
    enum sim_space space = sim_space_of(words);

    for (size_t i = 0; i < CUC_LENGTH(names); i++)
        if (strcmp(d->statement->word[0], names[i]) == 0)
            return (space == SIM_GENERIC || space == SIM_GLOBAL) && !sim_has(words, "async");
    return false;
}

// Checks that a variable in an address is in the state space of the instruction. An instruction
// without a space uses the variable's generic address.
static bool in_space(struct sim_decoder *d, const struct sim_operand *base, enum sim_space space,
                     const struct sim_words *words, uint32_t slot)
{
    static const char *const names[SIM_SPACES] = {
        [SIM_CONST] = "const", [SIM_GLOBAL] = "global", [SIM_LOCAL] = "local",
        [SIM_PARAM] = "param", [SIM_SHARED] = "shared",
    };
    enum sim_space named = sim_space_of(words);

    if (named == SIM_SHARED_CLUSTER)
        named = SIM_SHARED;
    bool wrong = named != SIM_GENERIC
                     ? named != space && space != SIM_GENERIC
                     : is_far(d, words) && (space == SIM_CONST || space == SIM_PARAM);
    if (wrong)
        return sim_decode_refuse(d, "%s is a .%s variable, and not of its space", base->symbol,
                                 names[space]);
    if (named != SIM_GENERIC || (space != SIM_SHARED && space != SIM_LOCAL))
        return true;
    struct sim_op add = { .run = sim_run_offset, .guard = SIM_NO_GUARD, .wide = 2 };
    add.offset = (int64_t)(space == SIM_SHARED ? SIM_WINDOW_SHARED : SIM_WINDOW_LOCAL);
    add.o[1] = d->op.o[slot];
    d->op.o[slot] = add.o[0] = sim_slot_new(d, sim_slot_bytes(8));
    return (add.o[0] != SIM_NO_SLOT && sim_decode_emit(d, add)) ||
           sim_decode_refuse(d, "no host memory");
}

// Matches [base + offset].
static bool address_operand(struct sim_decoder *d, const struct sim_operand *o, uint32_t slot,
                            bool apart, const struct sim_words *words)
{
    const struct sim_operand *base = o->kind == SIM_OP_ADDRESS && o->count ? &o->list[0] : o;
    struct sim_symbol symbol = { .space = SIM_GENERIC };
    bool wide = true;
    bool entry_param = d->source->is_entry && (strcmp(d->statement->word[0], "ld") == 0 ||
                                               strcmp(d->statement->word[0], "st") == 0);

    d->op.offset = o->offset;
    switch (base->kind) {
    case SIM_OP_REGISTER: {
        const struct sim_register *r = &d->source->registers[base->reg];
        uint32_t bytes = sim_type_bytes(r->type);
        if (sim_type_class(r->type) == 'f' || (bytes != 4 && bytes != 8))
            return sim_decode_refuse(
                d, "%s is not an address: it is not an integer of 32 or 64 bits", r->name);
        if (bytes == 4 && is_far(d, words))
            return sim_decode_refuse(d, "%s has 32 bits, and an address of global memory 64",
                                     r->name);
        sim_note_use(d, base->reg, SIM_USE_PLACE);
        d->op.o[slot] = sim_register_slot(d, base->reg, base->component);
        wide = bytes == 8;
        if (entry_param)
            d->op.extra |= SIM_ENTRY_PARAM;
        break;
    }
    case SIM_OP_SYMBOL:
        if (!sim_find_symbol(d, base, 8, 0, &symbol))
            return false;
        d->op.o[slot] = symbol.at;
        if (base != o)
            d->op.offset += base->offset;
        if (entry_param && symbol.entry_param)
            d->op.extra |= SIM_ENTRY_PARAM;
        if (!apart && !in_space(d, base, symbol.space, words, slot))
            return false;
        break;
    case SIM_OP_INTEGER:
        d->op.o[slot] = sim_slot_constant(d, 8, base->value.u);
        if (d->op.o[slot] == SIM_NO_SLOT)
            return sim_decode_refuse(d, "no host memory");
        break;
    default:
        return sim_decode_refuse(d, "an address is not of a kind that is known here");
    }
    // An op has room for only one offset. If there are two addresses, add each offset beforehand.
    if (apart && d->op.offset) {
        struct sim_op add = { .run = sim_run_offset, .guard = SIM_NO_GUARD };
        add.o[1] = d->op.o[slot];
        add.wide = wide ? 2 : 0;
        add.offset = d->op.offset;
        d->op.o[slot] = add.o[0] = sim_slot_new(d, sim_slot_bytes(wide ? 8 : 4));
        if (add.o[0] == SIM_NO_SLOT || !sim_decode_emit(d, add))
            return sim_decode_refuse(d, "no host memory");
        d->op.offset = 0;
    }
    if (wide)
        d->op.wide |= UINT32_C(1) << slot;
    return true;
}

// Appends the elements of a vector to d->list, or a lone register or constant as one element.
static bool vector_operand(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                           bool source, uint32_t marks, uint32_t slot)
{
    bool alone = o->kind != SIM_OP_VECTOR;
    // Only in loads and stores do all elements have the instruction's type. Their registers may be
    // wider, but must all have the same width.
    enum sim_type checked = marks & SIM_MARK_WIDER ? type : SIM_NONE;
    uint32_t count = alone ? 1 : o->count, sinks = 0, width = 0;

    d->op.o[slot] = d->list_count;
    if (alone && !source && o->kind == SIM_OP_SINK && marks & SIM_MARK_SINK) {
        d->op.o[slot] = SIM_NO_OPERAND;
        return true;
    }
    if (d->list_count + count > CUC_LENGTH(d->list))
        return sim_decode_refuse(d, "too many vector elements");
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_operand *e = alone ? o : &o->list[i];
        bool reg = e->kind == SIM_OP_REGISTER;
        uint32_t at, bytes = sim_type_bytes(reg ? d->source->registers[e->reg].type : type);
        if (reg && checked && !check_register(d, e, type, marks))
            return false;
        if (reg && checked && width && bytes != width)
            return sim_decode_refuse(d,
                                     "%s is a .%s register, those before it in the vector are not",
                                     d->source->registers[e->reg].name,
                                     sim_type_word(d->source->registers[e->reg].type));
        if (reg)
            width = bytes;
        if (!alone && e->kind == SIM_OP_SINK) {
            // In a packed value, _ stands for an arbitrary value. Use zeros.
            if (source && !(marks & SIM_MARK_SINK))
                return sim_decode_refuse(d, "_ stands where it needs a source");
            at = source ? sim_slot_constant(d, sim_type_bytes(type), 0) : SIM_NO_OPERAND;
            sinks++;
        } else if (source ? !sim_source_slot(d, e, reg ? SIM_NONE : type,
                                             alone && checked ? 0 : SIM_MARK_LOOSE, &at)
                          : !destination_slot(d, e, SIM_NONE, marks, &at)) {
            return false;
        }
        // Loads and stores handle only registers of 32 and 64 bits.
        if (reg && checked && bytes == 16 && sim_type_bytes(type) < 16) {
            bytes = 8;
            if (source ? (at = narrow_slot(d, at, 8)) == SIM_NO_SLOT
                       : !widen_destination(d, e, type, sim_slot_bytes(8), &at))
                return false;
        }
        if (sim_slot_bytes(bytes) == sim_slot_bytes(8) && e->kind != SIM_OP_SINK &&
            d->list_count < 24)
            d->op.wide |= UINT32_C(1) << (8 + d->list_count);
        d->list[d->list_count++] = at;
    }
    if (sinks == count)
        return sim_decode_refuse(d, "every element is _");
    return true;
}

static bool is_number(const struct sim_operand *o)
{
    return o->kind == SIM_OP_INTEGER || o->kind == SIM_OP_F32 || o->kind == SIM_OP_F64;
}

// A letter of a row that describes an operand, with the operand's type and the marks.
struct letter {
    char letter;
    enum sim_type type;
    uint32_t marks; // SIM_MARK_*
};

// Reads a letter and its suffixes, and advances *at past them.
static bool read_letter(struct sim_decoder *d, const char **at, const struct sim_words *words,
                        struct letter *out)
{
    static const char letters[] = "?>_|-.";
    const char *p = *at;

    *out = (struct letter){ .letter = *p++, .type = words->types ? words->type[0] : SIM_B32 };
    for (;; p++) {
        const char *mark = *p ? strchr(letters, *p) : NULL;
        if (mark) {
            out->marks |= UINT32_C(1) << (mark - letters);
        } else if (*p == 'w') {
            out->type = SIM_U32;
        } else if (*p == 'h') {
            out->type = SIM_U16;
        } else if (*p == 'q') {
            out->type = SIM_B64;
        } else if (*p == '+') {
            out->type = sim_type_bytes(out->type) == 2   ? SIM_U32
                        : sim_type_bytes(out->type) == 4 ? SIM_U64
                                                         : SIM_B128;
        } else if (*p >= '0' && *p <= '9') {
            uint32_t n = (uint32_t)(*p - '0');
            if (n >= words->types)
                return sim_decode_refuse(d, "it has %u types, and needs %u", words->types, n + 1);
            out->type = words->type[n];
        } else {
            break;
        }
    }
    *at = p;
    return true;
}

static bool label_operand(struct sim_decoder *d, const struct sim_operand *o)
{
    const struct sim_label *label = sim_find_label(d, o->symbol ? o->symbol : "", o->scope);

    if (!label || label->targets)
        return sim_decode_refuse(d, "%s is not a label", o->symbol ? o->symbol : "its operand");
    d->op.extra = label->at; // a statement index for now, replaced by an op index later
    return true;
}

// Matches an operand with its letter. `given` is the operand's number in the statement, from 1.
static bool match_operand(struct sim_decoder *d, const struct sim_operand *o,
                          const struct letter *l, uint32_t given, uint32_t slot, bool addresses,
                          const struct sim_words *words)
{
    enum sim_type type = l->type;

    switch (l->letter) {
    case 'd':
        if (o->kind == SIM_OP_VECTOR)
            return sim_decode_refuse(d, "operand %u is a vector", given);
        if (!destination_slot(d, o, type, l->marks, &d->op.o[slot]))
            return false;
        return !(l->marks & SIM_MARK_WIDER) || o->kind != SIM_OP_REGISTER ||
               widen_destination(d, o, type, sim_type_slot(type), &d->op.o[slot]);
    case 'P':
        return destination_slot(d, o, SIM_PRED, l->marks, &d->op.o[slot]);
    case 'a':
        if (is_number(o) && sim_type_class(type) == 'f' && type != SIM_F32 && type != SIM_F64)
            return sim_decode_refuse(d, "a number stands where a .%s register is expected",
                                     sim_type_word(type));
        return sim_source_slot(d, o, type, l->marks, &d->op.o[slot]);
    case 'p':
        return sim_source_slot(d, o, SIM_PRED, l->marks, &d->op.o[slot]);
    case 'm':
        return address_operand(d, o, slot, addresses, words);
    case 't':
        return o->kind == SIM_OP_TUPLE && o->count == 2
                   ? address_operand(d, &o->list[0], slot, true, words) &&
                         vector_operand(d, &o->list[1], SIM_S32, true, 0, 5)
                   : sim_decode_refuse(d, "operand %u is not a tensor map with coordinates", given);
    case 'v':
        return vector_operand(d, o, type, false, l->marks, slot);
    case 'V':
        return vector_operand(d, o, type, true, l->marks, slot);
    case 'l':
        return label_operand(d, o);
    default:
        return sim_decode_refuse(
            d, "its row of the table has an operand letter '%c' that is not known", l->letter);
    }
}

// Matches the statement's operands with a row's letters.
bool sim_match_operands(struct sim_decoder *d, const struct sim_instruction *row,
                        const struct sim_words *words)
{
    const struct sim_statement *s = d->statement;
    const char *p = row->operands ? row->operands : "";
    uint32_t given = 0, slot = 0, addresses = 0, most = 0, least = 0;

    for (const char *letter = p; *letter; letter++) {
        addresses += *letter == 'm' || *letter == 't';
        most += strchr("daptpPmvVlfcxi", *letter) != NULL;
        least += strchr("daptpPmvVlfcxi", *letter) != NULL;
        least -= *letter == '?';
    }
    if (s->operands < least)
        return sim_decode_refuse(d, "it has %u operands, and needs more", s->operands);
    if (s->operands > most)
        return sim_decode_refuse(d, "it has %u operands, and needs %u", s->operands, most);

    for (uint32_t i = 0; i < 6; i++)
        d->op.o[i] = SIM_NO_OPERAND;
    d->after.run = NULL;
    d->named = SIM_GENERIC;
    while (*p) {
        struct letter l;
        if (!read_letter(d, &p, words, &l))
            return false;
        if (given >= s->operands) { // optional operands come last
            slot += l.letter != 'i' && l.letter != 'x';
            continue;
        }
        const struct sim_operand *o = &s->operand[given++];
        d->reached = SIM_REACHED_OPERANDS + given;
        if (l.letter == 'x')
            continue;
        if (l.letter == 'i') {
            if (o->kind != SIM_OP_INTEGER)
                return sim_decode_refuse(d, "operand %u is not an integer", given);
            continue;
        }
        if (slot >= 6)
            return sim_decode_refuse(d, "it has more operands than are known here");
        if (!match_operand(d, o, &l, given, slot, addresses > 1, words))
            return false;
        slot++;
    }
    return true;
}
