// Assigns frame slots to constants, special registers and addresses of variables, and resolves
// symbols.
#include "decode.h"

#include "base/array.h"

#include <string.h>

// Frame slots

// Allocates a zeroed slot after the registers. SIM_NO_SLOT if out of memory.
uint32_t sim_slot_new(struct sim_decoder *d, uint32_t bytes)
{
    uint32_t align = bytes >= 64 ? 64 : 4;
    uint32_t at = (d->image_bytes + align - 1) & ~(align - 1);

    if (!CUC_RESERVE(d->image, d->image_room, at + bytes))
        return SIM_NO_SLOT;
    memset(d->image + d->image_bytes, 0, at + bytes - d->image_bytes);
    d->image_bytes = at + bytes;
    return d->code->image_at + at;
}

// Returns the slot of a constant of 0 (a predicate), 4, 8 or 16 bytes.
uint32_t sim_slot_constant(struct sim_decoder *d, uint32_t bytes, uint64_t value)
{
    if (bytes == 0)
        value = value ? SIM_ALL_LANES : 0;
    else if (bytes == 4)
        value = (uint32_t)value;
    uint32_t key = sim_index_number(value, bytes);
    SIM_INDEX_EACH(i, &d->constants_known, key)
    if (d->constants[i].value == value && d->constants[i].bytes == bytes)
        return d->constants[i].at;
    if (!CUC_RESERVE(d->constants, d->constant_room, d->constant_count + 1))
        return SIM_NO_SLOT;
    uint32_t at = sim_slot_new(d, sim_slot_bytes(bytes));
    if (at == SIM_NO_SLOT || !sim_index_add(&d->constants_known, key))
        return SIM_NO_SLOT;
    unsigned char *p = d->image + (at - d->code->image_at);
    if (bytes == 0)
        memcpy(p, &value, 4);
    for (uint32_t lane = 0; bytes && lane < SIM_WARP; lane++)
        memcpy(p + lane * (bytes == 4 ? 4 : 8), &value, bytes == 4 ? 4 : 8);
    d->constants[d->constant_count++] = (struct sim_constant){ at, bytes, value };
    return at;
}

enum sim_type sim_special_type(uint32_t special)
{
    static const enum sim_type types[] = {
#define SPECIAL(tag, name, type) SIM_##type,
#include "sim/ptx/special.def"
#undef SPECIAL
    };
    return types[special];
}

uint32_t sim_special_bytes(uint32_t special)
{
    return sim_type_bytes(sim_special_type(special));
}

static bool special_changes(uint32_t special)
{
    return special == SIM_SR_CLOCK || special == SIM_SR_CLOCK_HI || special == SIM_SR_CLOCK64 ||
           special == SIM_SR_GLOBALTIMER || special == SIM_SR_GLOBALTIMER_LO ||
           special == SIM_SR_GLOBALTIMER_HI;
}

uint32_t sim_slot_special(struct sim_decoder *d, uint32_t special)
{
    struct sim_code *code = d->code;

    if (special == SIM_SR_WARP_SZ)
        return sim_slot_constant(d, 4, SIM_WARP);
    if (special_changes(special)) {
        struct sim_op read = { .run = sim_run_special, .guard = SIM_NO_GUARD, .extra = special };
        read.o[0] = sim_slot_new(d, sim_slot_bytes(sim_special_bytes(special)));
        return read.o[0] != SIM_NO_SLOT && sim_decode_emit(d, read) ? read.o[0] : SIM_NO_SLOT;
    }
    for (uint32_t i = 0; i < code->special_count; i++)
        if (code->specials[i].special == special)
            return code->specials[i].at;
    uint32_t at = sim_slot_new(d, sim_slot_bytes(sim_special_bytes(special)));
    if (at == SIM_NO_SLOT || !CUC_RESERVE(code->specials, d->special_room, code->special_count + 1))
        return SIM_NO_SLOT;
    code->specials[code->special_count].special = special;
    code->specials[code->special_count++].at = at;
    return at;
}

// Returns the slot that holds the address of a shared or local variable.
static uint32_t slot_address(struct sim_decoder *d, enum sim_space space, uint32_t symbol,
                             uint32_t bytes, int64_t addend)
{
    struct sim_code *code = d->code;

    uint32_t key = sim_index_number((uint64_t)space << 32 | symbol, (uint64_t)addend);
    SIM_INDEX_EACH(i, &d->addresses_known, key)
    if (code->addresses[i].space == space && code->addresses[i].symbol == symbol &&
        code->addresses[i].bytes == bytes && code->addresses[i].addend == addend)
        return code->addresses[i].at;
    uint32_t at = sim_slot_new(d, sim_slot_bytes(bytes));
    if (at == SIM_NO_SLOT ||
        !CUC_RESERVE(code->addresses, d->address_room, code->address_count + 1) ||
        !sim_index_add(&d->addresses_known, key))
        return SIM_NO_SLOT;
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

// Inner scopes have larger numbers than the scopes around them, so the largest matching scope is
// the innermost.
size_t sim_find_body_variable(const struct sim_decoder *d, const char *name, uint32_t scope)
{
    const struct sim_function *f = d->source;
    size_t found = SIZE_MAX;

    SIM_INDEX_EACH(i, &d->variables_named, sim_index_name(name))
    if (strcmp(f->variables[i].name, name) == 0 && scope_within(f, scope, f->variable_scopes[i]) &&
        (found == SIZE_MAX || f->variable_scopes[i] > f->variable_scopes[found]))
        found = i;
    return found;
}

const struct sim_label *sim_find_label(const struct sim_decoder *d, const char *name,
                                       uint32_t scope)
{
    const struct sim_function *f = d->source;
    const struct sim_label *found = NULL;

    SIM_INDEX_EACH(i, &d->labels_named, sim_index_name(name))
    if (strcmp(f->labels[i].name, name) == 0 && scope_within(f, scope, f->labels[i].scope) &&
        (!found || f->labels[i].scope > found->scope))
        found = &f->labels[i];
    return found;
}

// Prefers the last definition. If there is none, returns the first declaration.
size_t sim_find_function(const struct sim_program *program, const char *name)
{
    const struct sim_function *functions = program->module->functions;
    size_t found = SIZE_MAX;

    SIM_INDEX_EACH(i, &program->functions_named, sim_index_name(name))
    if (strcmp(functions[i].name, name) == 0 && (found == SIZE_MAX || !functions[found].is_defined))
        found = i;
    return found;
}

// Returns the first variable with a name.
static size_t find_module_variable(const struct sim_program *program, const char *name)
{
    size_t found = SIZE_MAX;

    SIM_INDEX_EACH(i, &program->variables_named, sim_index_name(name))
    if (strcmp(program->module->variables[i].name, name) == 0)
        found = i;
    return found;
}

bool sim_find_symbol(struct sim_decoder *d, const struct sim_operand *o, uint32_t bytes,
                     int64_t offset, struct sim_symbol *out)
{
    const struct sim_function *f = d->source;
    const struct sim_module *m = d->program->module;
    struct sim_symbol s = { .space = SIM_GENERIC, .at = SIM_NO_SLOT };
    size_t i = sim_find_body_variable(d, o->symbol, o->scope);

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
        } else if (v->space == SIM_GLOBAL || v->space == SIM_CONST) {
            s.value = d->program->inner[d->program->variable_at[d->code->index][i]].address;
            s.known = true;
        } else {
            return sim_decode_refuse(
                d, "%s is a variable of a function in a space that is not known here", o->symbol);
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
    i = find_module_variable(d->program, o->symbol);
    if (i != SIZE_MAX) {
        s.space = m->variables[i].space;
        if (s.space == SIM_SHARED) {
            s.at = slot_address(d, SIM_SHARED, (uint32_t)d->program->addresses[i], bytes, offset);
        } else if (!d->program->placed[i]) {
            return sim_decode_refuse(d, "%s is extern, and nothing defines it", o->symbol);
        } else {
            s.value = d->program->addresses[i];
            s.known = true;
        }
        goto found;
    }
    i = sim_find_function(d->program, o->symbol);
    if (i == SIZE_MAX)
        return sim_decode_refuse(d, "%s is not declared", o->symbol);
    s.value = SIM_WINDOW_CODE | (i + 1);
    s.known = true;
found:
    if (s.known)
        s.at = sim_slot_constant(d, bytes, s.value + (uint64_t)offset);
    if (s.at == SIM_NO_SLOT)
        return sim_decode_refuse(d, "no host memory");
    *out = s;
    return true;
}
