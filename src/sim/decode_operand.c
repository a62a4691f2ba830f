// From the operands of a statement to offsets in the frame, as the letters of a row say.
#include "decode.h"

#include <string.h>

static double as_double(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof(v));
    return v;
}

// The bits of a written number as a type has them.
static bool constant_bits(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                          uint64_t *bits)
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
            return sim_decode_refuse(d, "a floating-point number stands where a .%s is expected",
                                     sim_type_word(type));
        }
        return true;
    default:
        return sim_decode_refuse(d, "a number was expected");
    }
}

// The place of a source whose instruction reads it as `type` (SIM_NONE: as it is).
bool sim_source_slot(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                     bool exact, uint32_t *at)
{
    uint32_t wanted = sim_type_slot(type);
    struct sim_symbol symbol;
    uint64_t bits = 0;
    uint32_t have;

    switch (o->kind) {
    case SIM_OP_REGISTER: {
        const struct sim_register *r = &d->source->registers[o->reg];
        *at = sim_register_slot(d, o->reg, o->component);
        if (o->negated && r->type != SIM_PRED)
            return sim_decode_refuse(d, "%s is negated, which only a predicate may be", r->name);
        if ((r->type == SIM_PRED) != (type == SIM_PRED) && type != SIM_NONE)
            return sim_decode_refuse(d, "%s is a .%s register where a .%s is expected", r->name,
                                     sim_type_word(r->type), sim_type_word(type));
        if (o->negated) {
            struct sim_op not = { .run = sim_run_not, .guard = SIM_NO_GUARD };
            not .o[1] = *at;
            *at = not .o[0] = sim_slot_new(d, 4);
            return (*at != SIM_NO_SLOT && sim_decode_emit(d, not )) ||
                   sim_decode_refuse(d, "no host memory");
        }
        have = sim_type_slot(r->type);
        if (type == SIM_NONE || type == SIM_PRED || have == wanted)
            return true;
        if (have < wanted || !exact)
            return sim_decode_refuse(d, "%s is a .%s register where a .%s is expected", r->name,
                                     sim_type_word(r->type), sim_type_word(type));
        // An instruction may read the low part of a wider register.
        struct sim_op narrow = { .run = sim_run_narrow, .guard = SIM_NO_GUARD };
        narrow.o[1] = *at;
        *at = narrow.o[0] = sim_slot_new(d, wanted);
        return (*at != SIM_NO_SLOT && sim_decode_emit(d, narrow)) ||
               sim_decode_refuse(d, "no host memory");
    }
    case SIM_OP_INTEGER:
    case SIM_OP_F32:
    case SIM_OP_F64:
        if (!constant_bits(d, o, type, &bits))
            return false;
        *at = sim_slot_constant(d, wanted == 4 ? 0 : wanted / SIM_WARP, bits);
        return *at != SIM_NO_SLOT || sim_decode_refuse(d, "no host memory");
    case SIM_OP_SPECIAL:
        have = sim_special_bytes((uint32_t)o->value.u);
        if (type != SIM_NONE && sim_slot_bytes(have) < wanted)
            return sim_decode_refuse(
                d, "a special register of %u bytes stands where a .%s is expected", have,
                sim_type_word(type));
        *at = sim_slot_special(d, (uint32_t)o->value.u);
        if (*at != SIM_NO_SLOT && type != SIM_NONE && sim_slot_bytes(have) > wanted) {
            struct sim_op narrow = { .run = sim_run_narrow, .guard = SIM_NO_GUARD };
            narrow.o[1] = *at;
            *at = narrow.o[0] = sim_slot_new(d, wanted);
            if (*at != SIM_NO_SLOT && !sim_decode_emit(d, narrow))
                *at = SIM_NO_SLOT;
        }
        return *at != SIM_NO_SLOT || sim_decode_refuse(d, "no host memory");
    case SIM_OP_SYMBOL:
        if (wanted != sim_slot_bytes(4) && wanted != sim_slot_bytes(8))
            return sim_decode_refuse(d, "an address stands where a .%s is expected",
                                     sim_type_word(type));
        if (!sim_find_symbol(d, o, wanted / SIM_WARP, o->offset, &symbol))
            return false;
        *at = symbol.at;
        return true;
    default:
        return sim_decode_refuse(d, "an operand is not of a kind that is known here");
    }
}

static bool destination_slot(struct sim_decoder *d, const struct sim_operand *o, uint32_t *at)
{
    if (o->kind == SIM_OP_SINK) {
        *at = SIM_NO_OPERAND;
        return true;
    }
    if (o->kind != SIM_OP_REGISTER || o->negated)
        return sim_decode_refuse(d, "the destination is not a register");
    *at = sim_register_slot(d, o->reg, o->component);
    return true;
}

static bool pair_slot(struct sim_decoder *d, const struct sim_operand *o)
{
    d->op.o[5] = SIM_NO_OPERAND;
    if (o->pair != SIM_NO_PAIR)
        d->op.o[5] = d->reg_at[o->pair];
    return true;
}

// [base + offset]
static bool address_operand(struct sim_decoder *d, const struct sim_operand *o, uint32_t slot,
                            bool apart)
{
    const struct sim_operand *base = o->kind == SIM_OP_ADDRESS && o->count ? &o->list[0] : o;
    struct sim_symbol symbol = { .space = SIM_GENERIC };
    bool wide = true;
    bool entry_param = d->source->is_entry && (strcmp(d->statement->word[0], "ld") == 0 ||
                                               strcmp(d->statement->word[0], "st") == 0);

    d->op.offset = o->offset;
    switch (base->kind) {
    case SIM_OP_REGISTER: {
        uint32_t bytes = sim_type_bytes(d->source->registers[base->reg].type);
        if (sim_is_predicate(d, base->reg) || (bytes != 4 && bytes != 8))
            return sim_decode_refuse(d, "%s is no address: it is neither 32 nor 64 bits wide",
                                     d->source->registers[base->reg].name);
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
        break;
    case SIM_OP_INTEGER:
        d->op.o[slot] = sim_slot_constant(d, 8, base->value.u);
        if (d->op.o[slot] == SIM_NO_SLOT)
            return sim_decode_refuse(d, "no host memory");
        break;
    default:
        return sim_decode_refuse(d, "an address is not of a kind that is known here");
    }
    // An op has room for one offset: with two addresses each is summed up before.
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

static bool vector_operand(struct sim_decoder *d, const struct sim_operand *o, enum sim_type type,
                           bool source, uint32_t slot)
{
    bool whole = o->kind == SIM_OP_REGISTER && d->source->registers[o->reg].vector > 1 &&
                 o->component == 0;
    uint32_t count = o->kind == SIM_OP_VECTOR ? o->count : 1;

    if (whole)
        count = d->source->registers[o->reg].vector;
    d->op.o[slot] = d->list_count;
    if (d->list_count + count > sizeof(d->list) / sizeof(*d->list))
        return sim_decode_refuse(d, "too many vector elements");
    for (uint32_t i = 0; i < count; i++) {
        const struct sim_operand *e = o->kind == SIM_OP_VECTOR ? &o->list[i] : o;
        uint32_t at;
        if (whole)
            at = sim_register_slot(d, o->reg, i);
        else if (source ? !sim_source_slot(d, e, e->kind == SIM_OP_REGISTER ? SIM_NONE : type, true,
                                           &at)
                        : !destination_slot(d, e, &at))
            return false;
        bool wide = source && e->kind != SIM_OP_REGISTER
                        ? sim_type_slot(type) == sim_slot_bytes(8)
                        : e->kind == SIM_OP_REGISTER &&
                              sim_type_slot(d->source->registers[e->reg].type) == sim_slot_bytes(8);
        if (wide && d->list_count < 24)
            d->op.wide |= UINT32_C(1) << (8 + d->list_count);
        d->list[d->list_count++] = at;
    }
    return true;
}

// Match the operands with a row's letters.
bool sim_match_operands(struct sim_decoder *d, const struct sim_instruction *row,
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
        for (; *p && (strchr("wq+?", *p) || (*p >= '0' && *p <= '9')); p++) {
            if (*p == '?') {
                optional = true;
            } else if (*p == 'w') {
                type = SIM_B32;
            } else if (*p == 'q') {
                type = SIM_B64;
            } else if (*p == '+') {
                type = sim_type_bytes(type) == 2   ? SIM_B32
                       : sim_type_bytes(type) == 4 ? SIM_B64
                                                   : SIM_B128;
            } else {
                uint32_t n = (uint32_t)(*p - '0');
                if (n >= words->types)
                    return sim_decode_refuse(d, "it has %u types, and needs %u", words->types,
                                             n + 1);
                type = words->type[n];
            }
        }
        if (given >= s->operands) {
            if (optional) {
                slot += letter != 'i' && letter != 'x';
                continue;
            }
            return sim_decode_refuse(d, "it has %u operands, and needs more", s->operands);
        }
        const struct sim_operand *o = &s->operand[given++];
        if (letter == 'x')
            continue;
        if (letter == 'i') {
            if (o->kind != SIM_OP_INTEGER)
                return sim_decode_refuse(d, "operand %u is not an integer", given);
            continue;
        }
        if (slot >= 6)
            return sim_decode_refuse(d, "it has more operands than are known here");
        bool ok = true;
        switch (letter) {
        case 'd':
            ok = o->kind != SIM_OP_VECTOR ? destination_slot(d, o, &d->op.o[slot])
                                          : sim_decode_refuse(d, "operand %u is a vector", given);
            if (ok && o->pair != SIM_NO_PAIR)
                pair_slot(d, o);
            break;
        case 'P':
            if (o->kind == SIM_OP_REGISTER && !sim_is_predicate(d, o->reg))
                return sim_decode_refuse(d, "%s is not a predicate",
                                         d->source->registers[o->reg].name);
            ok = destination_slot(d, o, &d->op.o[slot]) && pair_slot(d, o);
            break;
        case 'a':
            ok = sim_source_slot(d, o, type, true, &d->op.o[slot]);
            break;
        case 'p':
            ok = sim_source_slot(d, o, SIM_PRED, true, &d->op.o[slot]);
            break;
        case 'm':
            ok = address_operand(d, o, slot, addresses > 1);
            break;
        case 't':
            ok = o->kind == SIM_OP_TUPLE && o->count == 2
                     ? address_operand(d, &o->list[0], slot, true) &&
                           vector_operand(d, &o->list[1], SIM_S32, true, 5)
                     : sim_decode_refuse(d, "operand %u is no tensor map with coordinates", given);
            break;
        case 'v':
            ok = vector_operand(d, o, type, false, slot);
            break;
        case 'V':
            ok = vector_operand(d, o, type, true, slot);
            break;
        case 'l': {
            const struct sim_label *label =
                sim_find_label(d->source, o->symbol ? o->symbol : "", o->scope);
            if (!label || label->targets)
                return sim_decode_refuse(d, "%s is no label",
                                         o->symbol ? o->symbol : "its operand");
            d->op.extra = label->at; // a statement for now; an op once all are there
            break;
        }
        default:
            return sim_decode_refuse(
                d, "its row of the table has an operand letter '%c' that is not known", letter);
        }
        if (!ok)
            return false;
        slot++;
    }
    if (given < s->operands)
        return sim_decode_refuse(d, "it has %u operands, and needs %u", s->operands, given);
    return true;
}
