// Decodes statements to ops: matches words and operands with the rows of the instruction tables,
// assigns frame slots to registers, constants and special registers, and resolves labels to op
// indices.
#include "decode.h"
#include "base/array.h"
#include "sim/check/check_race.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sim_decode_refuse(struct sim_decoder *d, const char *fmt, ...)
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

void *sim_decode_keep(struct sim_decoder *d, size_t bytes)
{
    void *p = sim_program_keep(d->program, bytes ? bytes : 1);
    if (!p)
        sim_decode_refuse(d, "no host memory");
    return p;
}

struct sim_op *sim_decode_emit(struct sim_decoder *d, struct sim_op op)
{
    if (!CUC_RESERVE(d->ops, d->op_room, d->op_count + 1))
        return NULL;
    op.line = d->statement ? d->statement->line : d->source->line;
    op.statement = d->index;
    d->ops[d->op_count] = op;
    return &d->ops[d->op_count++];
}

// Words

static enum sim_type type_of_word(const char *word)
{
    for (int t = SIM_NONE + 1; t < SIM_TYPES; t++) {
        const char *one = sim_type_word((enum sim_type)t);
        if (*one == *word && strcmp(one, word) == 0)
            return (enum sim_type)t;
    }
    return SIM_NONE;
}

static bool word_in(const char *set, const char *word)
{
    size_t n = strlen(word);

    for (const char *p = set ? set : ""; (p = strstr(p, word)) != NULL; p += n)
        if ((p == set || p[-1] == ' ' || p[-1] == '!') && (p[n] == ' ' || p[n] == '\0'))
            return true;
    return false;
}

// Returns a word that the row requires (after its !) but that the statement lacks; "" if there is
// none.
static const char *word_missing(const struct sim_words *words, const char *set, char *word,
                                size_t bytes)
{
    for (const char *p = set ? strchr(set, '!') : NULL; p; p = strchr(p + 1, '!')) {
        snprintf(word, bytes, "%.*s", (int)strcspn(p + 1, " "), p + 1);
        if (!sim_has(words, word))
            return word;
    }
    return "";
}

bool sim_match_words(struct sim_decoder *d, const struct sim_instruction *row,
                     struct sim_words *words)
{
    *words = (struct sim_words){ .statement = d->statement,
                                 .function = d->source,
                                 .module = d->program->module,
                                 .why = &d->why };
    d->why = NULL;
    for (uint32_t i = 1; i < d->statement->words; i++) {
        const char *word = d->statement->word[i];
        enum sim_type type = type_of_word(word);
        if (type != SIM_NONE && words->types < 4)
            words->type[words->types++] = type;
        else if (!word_in(row->words, word)) {
            d->reached = i;
            return sim_decode_refuse(d, "%s%s%s", "unknown word ", word,
                                     type == SIM_NONE ? "" : ", a fifth type");
        }
    }
    char word[32];
    const char *missing = word_missing(words, row->words, word, sizeof(word));
    d->reached = *missing ? 1 : SIM_REACHED_OPERANDS;
    return !*missing || sim_decode_refuse(d, "there is no such form without %s", missing);
}

// Groups of mutually exclusive words, for all instructions except those in `but`. Like ptxas, the
// decoder rejects two words of a group but accepts most words in any order.
static const struct {
    const char *words, *but;
} choices[] = {
    { "rn rz rm rp rna rni rzi rmi rpi rs approx full", "" },
    { "global shared shared::cta shared::cluster local const param param::entry param::func",
      "cp tensormap" },
    { "cta cluster gpu sys", "" },
    { "relaxed acquire release acq_rel sc volatile weak", "" },
    { "ca cg cs cv lu wb wt relaxed acquire release acq_rel sc volatile", "" },
    { "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan wide", "" },
    { "and or xor add min max inc dec cas exch", "" },
    { "v2 v4 v8", "" },
    { "x1 x2 x4", "" },
    { "wrap clamp", "" },
    { "any all ballot uni", "" },
    { "up down bfly idx", "" },
    { "finite infinite number notanumber normal subnormal", "" },
    { "f4e b4e rc8 ecl ecr rc16", "" },
};

// Words that may be repeated. ptxas rejects repetitions of all others.
static const char repeatable[] =
    "NaN approx cc relu sat satfinite shiftamt sync uni L2::evict_first";
// mma has a layout for A and one for B.
static const char layouts[] = "row col";
// These words are part of the name and must follow it directly, except in comparisons.
static const char comparisons[] = "set setp";
static const char behind[] = "lo hi wide full pack init inval pending_count test_wait try_wait";

static bool check_words(struct sim_decoder *d)
{
    const struct sim_statement *s = d->statement;
    uint32_t in_layout = 0;

    for (uint32_t i = 1; i < s->words; i++) {
        const char *word = s->word[i];
        if (type_of_word(word) != SIM_NONE)
            continue;
        if (i > 1 && word_in(behind, word) && !word_in(comparisons, s->word[0]))
            return sim_decode_refuse(d, ".%s belongs right after %s", word, s->word[0]);
        in_layout += word_in(layouts, word);
        if (in_layout > 2)
            return sim_decode_refuse(d, ".%s is one layout more than the two of A and B", word);
        for (uint32_t j = 1; j < i; j++)
            if (strcmp(s->word[j], word) == 0 && !word_in(repeatable, word) &&
                !word_in(layouts, word))
                return sim_decode_refuse(d, ".%s stands twice", word);
        for (size_t c = 0; c < CUC_LENGTH(choices); c++) {
            if (!word_in(choices[c].words, word) || word_in(choices[c].but, s->word[0]))
                continue;
            for (uint32_t j = 1; j < i; j++)
                if (strcmp(s->word[j], word) != 0 && word_in(choices[c].words, s->word[j]))
                    return sim_decode_refuse(d, ".%s and .%s exclude each other", s->word[j], word);
        }
    }
    return true;
}

// Checks the words without regard to the row. The result depends only on the words and the number
// of operands. Few forms make up most of a function, so it is kept for the latest statements.
static bool check_form(struct sim_decoder *d)
{
    const struct sim_statement *s = d->statement, **known;
    uint64_t hash = s->operands;

    // The parser keeps each word once, so equal words have equal addresses.
    for (uint32_t i = 0; i < s->words; i++)
        hash = (hash ^ (uintptr_t)s->word[i]) * UINT64_C(0x9e3779b97f4a7c15);
    known = &d->accepted[hash >> 56];
    if (*known && (*known)->words == s->words && (*known)->operands == s->operands &&
        memcmp((*known)->word, s->word, s->words * sizeof(*s->word)) == 0)
        return true;
    if (!check_words(d) || !sim_check_target(d))
        return false;
    *known = s;
    return true;
}

bool sim_place_guard(struct sim_decoder *d)
{
    const struct sim_statement *s = d->statement;

    d->op.guard = SIM_NO_GUARD;
    d->op.guard_flip = 0;
    if (s->guard != SIM_NO_GUARD) {
        if (!sim_is_predicate(d, s->guard))
            return sim_decode_refuse(d, "its guard %s is not a predicate",
                                     d->source->registers[s->guard].name);
        sim_note_use(d, s->guard, SIM_USE_PLACE);
        d->op.guard = d->reg_at[s->guard];
        d->op.guard_flip = s->guard_negated ? SIM_ALL_LANES : 0;
    }
    return true;
}

// Emits an op that reports the statement's read of an undefined register.
static bool emit_undefined(struct sim_decoder *d)
{
    struct sim_op op = { .run = sim_run_undefined, .extra = d->undefined_at[d->index] - 1 };
    bool own = d->statement->guard == op.extra; // the guard itself is undefined

    if (!own && !sim_place_guard(d))
        return false;
    op.guard = own ? SIM_NO_GUARD : d->op.guard;
    op.guard_flip = d->op.guard_flip;
    return sim_decode_emit(d, op) || sim_decode_refuse(d, "no host memory");
}

// Tries to decode the statement with a row: its words, its operands and its types must fit.
static bool decode_with(struct sim_decoder *d, const struct sim_instruction *row)
{
    struct sim_words words;

    d->op = (struct sim_op){ .guard = SIM_NO_GUARD };
    d->list_count = 0;
    if (!sim_match_words(d, row, &words) || !sim_match_operands(d, row, &words) ||
        !sim_place_guard(d))
        return false;
    if (d->list_count) {
        uint32_t *list = sim_decode_keep(d, d->list_count * sizeof(*list));
        if (!list)
            return false;
        memcpy(list, d->list, d->list_count * sizeof(*list));
        d->op.list = list;
        d->op.list_count = d->list_count;
    }
    words.named = d->named;
    d->op.run = row->pick(&words, &d->op);
    d->reached = !d->why ? SIM_REACHED_PICK : *d->why ? SIM_REACHED_WHY : 1;
    return d->op.run || sim_decode_refuse(d, "%s", d->why ? d->why : "there is no such form");
}

// Emits the ops of the statement, which was decoded with a row.
static bool emit_decoded(struct sim_decoder *d, const struct sim_instruction *row)
{
    if (!check_form(d))
        return false;
    d->op.cache = d->program->cache_count;
    d->program->cache_count += strpbrk(row->operands ? row->operands : "", "mt") != NULL;
    d->after.guard = d->op.guard;
    d->after.guard_flip = d->op.guard_flip;
    return (sim_decode_emit(d, d->op) && (!d->after.run || sim_decode_emit(d, d->after))) ||
           sim_decode_refuse(d, "no host memory");
}

// Decodes one statement with the first row of its name that accepts its words and operands and
// whose `pick` accepts the types.
static bool decode_statement(struct sim_decoder *d)
{
    const char *name = d->statement->word[0];
    const struct sim_instruction *row;
    char *log = d->log;
    size_t log_bytes = d->log_bytes, uses = d->use_count;
    uint32_t furthest = 0;

    d->op = (struct sim_op){ .guard = SIM_NO_GUARD };
    if (d->undefined_at && d->undefined_at[d->index] && !emit_undefined(d))
        return false;
    uint32_t start = d->op_count;
    if (strcmp(name, "call") == 0)
        return sim_decode_call(d);
    if (strcmp(name, "brx") == 0)
        return sim_decode_brx(d, &(struct sim_words){ 0 });
    // If no row accepts the statement, all are tried again for the reasons, each in its own log.
    // Only the reason of the row that matched furthest is reported.
    for (int explain = 0; explain < 2; explain++)
        for (size_t i = 0; (row = sim_instruction_at(name, i)) != NULL; i++) {
            char reason[256];
            reason[0] = '\0';
            d->log = reason;
            d->log_bytes = explain ? sizeof(reason) : 0;
            d->op_count = start;
            d->use_count = uses;
            bool ok = decode_with(d, row);
            d->log = log;
            d->log_bytes = log_bytes;
            if (ok)
                return emit_decoded(d, row);
            if (explain && d->reached >= furthest && log_bytes)
                snprintf(log, log_bytes, "%s", reason);
            furthest = d->reached > furthest ? d->reached : furthest;
        }
    return furthest ? false : sim_decode_refuse(d, "unknown instruction %s", name);
}

// Replaces branch targets, which have been statement indices so far, with op indices.
static void place_targets(struct sim_decoder *d)
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

static bool place_registers(struct sim_decoder *d)
{
    uint32_t at = 0;

    d->reg_at = calloc(d->source->register_count + 1, sizeof(*d->reg_at));
    if (!d->reg_at)
        return sim_decode_refuse(d, "no host memory");
    // Predicates come last, since they are small and need no alignment.
    for (int predicates = 0; predicates < 2; predicates++) {
        for (size_t i = 0; i < d->source->register_count; i++) {
            const struct sim_register *r = &d->source->registers[i];
            if ((r->type == SIM_PRED) != (predicates == 1))
                continue;
            d->reg_at[i] = at;
            at += sim_type_slot(r->type) * (r->vector ? r->vector : 1);
            if (at > UINT32_C(1) << 30)
                return sim_decode_refuse(d, "%s has more registers than fit a frame",
                                         d->source->name);
        }
    }
    d->code->image_at = (at + 63) & ~UINT32_C(63);
    return true;
}

// Finds the parameters that are registers in the body. An unused one has no location.
static bool place_passed_registers(struct sim_decoder *d, const struct sim_variable *variables,
                                   uint32_t count, const struct sim_passed **passed)
{
    const struct sim_function *f = d->source;
    bool any = false;

    for (uint32_t i = 0; i < count; i++)
        any = any || variables[i].space == SIM_REG;
    if (!any)
        return true;
    struct sim_passed *p = sim_decode_keep(d, count * sizeof(*p));
    if (!p)
        return false;
    memcpy(p, *passed, count * sizeof(*p));
    for (uint32_t i = 0; i < count; i++)
        for (size_t r = 0; variables[i].space == SIM_REG && r < f->register_count; r++)
            if (f->registers[r].scope == 0 &&
                strcmp(f->registers[r].name, variables[i].name) == 0) {
                p[i].at = d->reg_at[r];
                sim_note_use(d, (uint32_t)r, SIM_USE_WRITE);
            }
    *passed = p;
    return true;
}

static bool index_names(struct sim_decoder *d)
{
    const struct sim_function *f = d->source;
    bool good = true;

    for (size_t i = 0; i < f->label_count && good; i++)
        good = sim_index_add(&d->labels_named, sim_index_name(f->labels[i].name));
    for (size_t i = 0; i < f->variable_count && good; i++)
        good = sim_index_add(&d->variables_named, sim_index_name(f->variables[i].name));
    return good;
}

static bool decode_statements(struct sim_decoder *d)
{
    d->op_count = 0;
    for (size_t i = 0; i < d->source->statement_count; i++) {
        d->statement = &d->source->statements[i];
        d->index = (uint32_t)i;
        d->op_at[i] = d->op_count;
        d->after.run = NULL;
        uint32_t first = d->op_count;
        if (!decode_statement(d))
            return false;
        // Mark ops whose `extra` is a statement index. place_targets() clears the mark.
        if (strcmp(d->statement->word[0], "bra") == 0 && d->op_count > first)
            d->ops[d->op_count - 1].data = d;
    }
    return true;
}

bool sim_decode(struct sim_program *program, uint32_t index, char *log, size_t log_bytes)
{
    struct sim_decoder d = { .program = program,
                             .source = &program->module->functions[index],
                             .code = &program->codes[index],
                             .log = log,
                             .log_bytes = log_bytes };
    bool ok = false;

    d.op_at = calloc(d.source->statement_count + 1, sizeof(*d.op_at));
    if (!d.op_at || !index_names(&d) || !place_registers(&d) ||
        !place_passed_registers(&d, d.source->parameters, d.code->argument_count,
                                &d.code->arguments) ||
        !place_passed_registers(&d, d.source->results, d.code->result_count, &d.code->results))
        goto out;
    if (!decode_statements(&d) || !sim_find_undefined(&d) ||
        (d.undefined_at && !decode_statements(&d)))
        goto out;
    d.op_at[d.source->statement_count] = d.op_count;
    d.statement = NULL;
    d.index = (uint32_t)d.source->statement_count;
    if (!sim_decode_emit(&d,
                         (struct sim_op){ .run = d.source->is_entry ? sim_run_exit : sim_run_ret,
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

    if (sim_race_on() && !(d.code->actors = sim_race_actors(program, d.source)))
        goto out;

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
    free(d.uses);
    free(d.undefined_at);
    sim_index_free(&d.constants_known);
    sim_index_free(&d.addresses_known);
    sim_index_free(&d.labels_named);
    sim_index_free(&d.variables_named);
    return ok;
}
