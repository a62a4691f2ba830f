// Calls and branches by index, whose operands no row describes.
#include "builtin.h"
#include "decode.h"

#include <string.h>

static bool place_passed(struct sim_decoder *d, const struct sim_operand *list,
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
            size_t v = sim_find_body_variable(d->source, o->symbol, o->scope);
            if (v == SIZE_MAX || d->source->variables[v].space != SIM_PARAM)
                return sim_decode_refuse(d, "%s is no .param variable of the caller", o->symbol);
            p->at = d->program->variable_at[d->code->index][v];
            p->bytes = (uint32_t)d->source->variables[v].bytes;
        } else if (o->kind == SIM_OP_REGISTER) {
            p->in_register = true;
            p->at = sim_register_slot(d, o->reg, o->component);
            p->bytes = sim_type_bytes(d->source->registers[o->reg].type);
        } else if (o->kind == SIM_OP_SINK) {
            p->at = SIM_NO_OPERAND;
        } else {
            return sim_decode_refuse(d, "argument %u is neither a .param variable nor a register",
                                     i + 1);
        }
    }
    return true;
}

bool sim_decode_call(struct sim_decoder *d)
{
    const struct sim_statement *s = d->statement;
    const struct sim_operand *results = NULL, *arguments = NULL, *target = NULL;
    struct sim_call *call = sim_decode_keep(d, sizeof(*call));

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
    }
    if (!target)
        return sim_decode_refuse(d, "it names no function");
    if ((results && !place_passed(d, results, &call->results, &call->result_count)) ||
        (arguments && !place_passed(d, arguments, &call->arguments, &call->argument_count)))
        return false;
    if (target->kind == SIM_OP_REGISTER) {
        call->name = d->source->registers[target->reg].name;
        if (!sim_source_slot(d, target, SIM_U64, true, &call->target))
            return false;
        d->op.run = sim_run_call_indirect;
    } else if (target->kind == SIM_OP_SYMBOL) {
        size_t f = sim_find_function(d->program->module, target->symbol);
        if (f == SIZE_MAX)
            return sim_decode_refuse(d, "%s is not declared", target->symbol);
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
    table = sim_find_label(d->source, s->operand[1].symbol, s->operand[1].scope);
    if (!table || !table->targets)
        return sim_decode_refuse(d, "%s is no .branchtargets table", s->operand[1].symbol);
    targets = sim_decode_keep(d, sizeof(*targets) + table->target_count * sizeof(targets->at[0]));
    if (!targets || !sim_source_slot(d, &s->operand[0], SIM_U32, true, &d->op.o[0]))
        return false;
    targets->count = table->target_count;
    for (uint32_t i = 0; i < table->target_count; i++) {
        const struct sim_label *label = sim_find_label(d->source, table->targets[i], table->scope);
        if (!label || label->targets)
            return sim_decode_refuse(d, "%s is no label", table->targets[i]);
        targets->at[i] = label->at;
    }
    d->op.data = targets;
    d->op.run = row->pick(words, &d->op);
    return d->op.run ? sim_place_guard(d) &&
                           (sim_decode_emit(d, d->op) || sim_decode_refuse(d, "no host memory"))
                     : sim_decode_refuse(d, "there is no such form");
}
