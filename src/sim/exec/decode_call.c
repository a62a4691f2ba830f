// Decodes calls and indexed branches, whose operands are not described by a table row.
#include "builtin.h"
#include "decode.h"

#include <string.h>

// Finds the locations of a call's arguments or results. `declared`: the callee's declaration; NULL:
// unknown.
static bool place_passed(struct sim_decoder *d, const struct sim_operand *list, bool results,
                         const struct sim_variable *declared, size_t declared_count,
                         struct sim_passed **out, uint32_t *count)
{
    *count = list->count;
    *out = sim_decode_keep(d, list->count * sizeof(**out));
    if (!*out)
        return false;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct sim_operand *o = &list->list[i];
        struct sim_passed *p = &(*out)[i];
        if (o->kind == SIM_OP_SYMBOL) {
            size_t v = sim_find_body_variable(d, o->symbol, o->scope);
            if (v == SIZE_MAX || d->source->variables[v].space != SIM_PARAM)
                return sim_decode_refuse(d, "%s is no .param variable of the caller", o->symbol);
            p->at = d->program->variable_at[d->code->index][v];
            p->bytes = (uint32_t)d->source->variables[v].bytes;
        } else if (o->kind == SIM_OP_REGISTER) {
            p->in_register = true;
            sim_note_use(d, o->reg, results ? SIM_USE_WRITE : SIM_USE_READ);
            p->at = sim_register_slot(d, o->reg, o->component);
            p->bytes = sim_type_bytes(d->source->registers[o->reg].type);
        } else if (o->kind == SIM_OP_SINK) {
            p->at = SIM_NO_OPERAND;
        } else if ((o->kind == SIM_OP_INTEGER || o->kind == SIM_OP_F32 || o->kind == SIM_OP_F64) &&
                   i < declared_count && sim_type_bytes(declared[i].type) <= 8) {
            // A constant lies in the frame, like a register.
            p->in_register = true;
            p->bytes = sim_type_bytes(declared[i].type);
            if (!sim_source_slot(d, o, declared[i].type, 0, &p->at))
                return false;
        } else {
            return sim_decode_refuse(
                d, "argument %u is no .param variable, register or number that goes there", i + 1);
        }
    }
    return true;
}

// Returns the function type of an indirect call: its prototype, or the first function of its table.
static const struct sim_function *declared_callee(const struct sim_decoder *d,
                                                  const struct sim_operand *o)
{
    const struct sim_label *label =
        o && o->kind == SIM_OP_SYMBOL ? sim_find_label(d, o->symbol, o->scope) : NULL;
    if (!label || label->prototype)
        return label ? label->prototype : NULL;
    size_t f = label->target_count ? sim_find_function(d->program, label->targets[0]) : SIZE_MAX;
    return f == SIZE_MAX ? NULL : &d->program->module->functions[f];
}

bool sim_decode_call(struct sim_decoder *d)
{
    const struct sim_statement *s = d->statement;
    const struct sim_operand *results = NULL, *arguments = NULL, *target = NULL, *table = NULL;
    const struct sim_function *callee;
    struct sim_call *call = sim_decode_keep(d, sizeof(*call));
    size_t f = SIZE_MAX;

    if (!call)
        return false;
    for (uint32_t i = 1; i < s->words; i++)
        if (strcmp(s->word[i], "uni") != 0)
            return sim_decode_refuse(d, "unknown word %s", s->word[i]);
    for (uint32_t i = 0; i < s->operands; i++) {
        const struct sim_operand *o = &s->operand[i];
        if (o->kind == SIM_OP_LIST && !target)
            results = o;
        else if (o->kind == SIM_OP_LIST)
            arguments = o;
        else if (!target)
            target = o;
        else
            table = o;
    }
    if (!target)
        return sim_decode_refuse(d, "it names no function");
    callee = declared_callee(d, table);
    if (target->kind == SIM_OP_SYMBOL) {
        f = sim_find_function(d->program, target->symbol);
        if (f == SIZE_MAX)
            return sim_decode_refuse(d, "%s is not declared", target->symbol);
        callee = &d->program->module->functions[f];
    }
    if ((results &&
         !place_passed(d, results, true, NULL, 0, &call->results, &call->result_count)) ||
        (arguments && !place_passed(d, arguments, false, callee ? callee->parameters : NULL,
                                    callee ? callee->parameter_count : 0, &call->arguments,
                                    &call->argument_count)))
        return false;
    if (target->kind == SIM_OP_REGISTER) {
        call->name = d->source->registers[target->reg].name;
        if (!sim_source_slot(d, target, SIM_U64, 0, &call->target))
            return false;
        d->op.run = sim_run_call_indirect;
    } else if (target->kind == SIM_OP_SYMBOL) {
        call->name = target->symbol;
        call->code = &d->program->codes[f];
        d->op.run = sim_run_call;
        if (!d->program->module->functions[f].is_defined) {
            if (!sim_builtin(target->symbol))
                return sim_decode_refuse(
                    d, "%s is not defined, and the device runtime has no such function",
                    target->symbol);
            call->builtin = true;
            d->op.run = sim_run_call_builtin;
        } else if (call->code->argument_count != call->argument_count ||
                   (call->code->result_count != call->result_count && call->result_count)) {
            return sim_decode_refuse(
                d, "%s takes %u arguments and gives %u, the call has %u and %u", target->symbol,
                call->code->argument_count, call->code->result_count, call->argument_count,
                call->result_count);
        }
    } else {
        return sim_decode_refuse(d, "what it calls is neither a function nor a register");
    }
    d->op.data = call;
    return sim_place_guard(d) &&
           (sim_decode_emit(d, d->op) || sim_decode_refuse(d, "no host memory"));
}

bool sim_decode_brx(struct sim_decoder *d, struct sim_words *words)
{
    const struct sim_statement *s = d->statement;
    const struct sim_label *table;
    struct sim_targets *targets;
    const struct sim_instruction *row = sim_instruction_find("brx");

    if (!row || s->operands != 2 || s->operand[1].kind != SIM_OP_SYMBOL)
        return sim_decode_refuse(d, "it needs an index and a .branchtargets table");
    if (!sim_match_words(d, row, words))
        return false;
    table = sim_find_label(d, s->operand[1].symbol, s->operand[1].scope);
    if (!table || !table->targets)
        return sim_decode_refuse(d, "%s is no .branchtargets table", s->operand[1].symbol);
    targets = sim_decode_keep(d, sizeof(*targets) + table->target_count * sizeof(targets->at[0]));
    if (!targets || !sim_source_slot(d, &s->operand[0], SIM_U32, 0, &d->op.o[0]))
        return false;
    targets->count = table->target_count;
    for (uint32_t i = 0; i < table->target_count; i++) {
        const struct sim_label *label = sim_find_label(d, table->targets[i], table->scope);
        if (!label || label->targets)
            return sim_decode_refuse(d, "%s is not a label", table->targets[i]);
        targets->at[i] = label->at;
    }
    d->op.data = targets;
    d->op.run = row->pick(words, &d->op);
    return d->op.run ? sim_place_guard(d) &&
                           (sim_decode_emit(d, d->op) || sim_decode_refuse(d, "no host memory"))
                     : sim_decode_refuse(d, "there is no such form");
}
