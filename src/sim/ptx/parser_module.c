#include "base/array.h"
#include "parser.h"

#include <string.h>

static void read_three(struct sim_parser *p, uint32_t out[3])
{
    int n = 0;

    out[0] = out[1] = out[2] = 1;
    do {
        if (n == 3)
            sim_parser_expected(p, "at most three numbers");
        out[n] = sim_parser_u32(p, "a number of threads or blocks");
        if (!out[n++])
            sim_parser_fail(p, "found 0, expected a number of threads or blocks");
    } while (sim_parser_accept(p, ','));
}

// Parses a directive between a function's parameters and its body. False if there is none.
bool sim_parser_function_directive(struct sim_parser *p, struct sim_function *f)
{
    enum sim_directive d = sim_parser_directive(p);
    uint32_t ignored;

    if (p->token.kind != CUC__PTX_DIRECTIVE)
        return false;
    if (d == SIM_AT_PRAGMA) {
        sim_parser_pragma(p);
        return true;
    }
    if (d < SIM_AT_MAXNTID || d > SIM_AT_ABI_PRESERVE_CONTROL)
        sim_parser_expected(p, "a directive of functions, { or ;");
    sim_parser_next(p);
    switch ((int)d) {
    case SIM_AT_MAXNTID:
        read_three(p, f->max_threads);
        break;
    case SIM_AT_REQNTID:
        read_three(p, f->required_threads);
        break;
    case SIM_AT_REQNCTAPERCLUSTER:
        read_three(p, f->required_cluster);
        break;
    case SIM_AT_MINNCTAPERSM:
        f->min_blocks = sim_parser_u32(p, "a number of blocks");
        break;
    case SIM_AT_MAXNREG:
        f->max_registers = sim_parser_u32(p, "a number of registers");
        break;
    case SIM_AT_MAXCLUSTERRANK:
        f->max_cluster = sim_parser_u32(p, "a number of blocks");
        break;
    case SIM_AT_EXPLICITCLUSTER:
        f->explicit_cluster = true;
        break;
    case SIM_AT_BLOCKSARECLUSTERS:
        f->blocks_are_clusters = true;
        break;
    case SIM_AT_NORETURN:
        f->no_return = true;
        break;
    default: // hints to the register allocator
        ignored = sim_parser_u32(p, "a number");
        (void)ignored;
        break;
    }
    return true;
}

// Combines all declarations of a name into one function. Its parameters are those of the definition
// or, if there is none, of the last declaration.
static void add_function(struct sim_parser *p, struct sim_name *name, const struct sim_function *f)
{
    struct sim_function *all = p->functions.items, *old;

    if (name->variable)
        sim_parser_fail(p, "found %.60s as a function, expected the variable that it was declared",
                        name->text);
    if (!name->function) {
        *(struct sim_function *)sim_parser_push(p, &p->functions) = *f;
        name->function = (uint32_t)p->functions.count;
        return;
    }
    old = &all[name->function - 1];
    struct sim_function merged = old->is_defined ? *old : *f;
    merged.is_visible = old->is_visible || f->is_visible;
    merged.is_weak = old->is_weak || f->is_weak;
    merged.is_extern = (old->is_extern || f->is_extern) && !merged.is_defined;
    merged.no_return = old->no_return || f->no_return;
    *old = merged;
}

static void check_new(struct sim_parser *p, const struct sim_name *name,
                      const struct sim_function *f)
{
    const struct sim_function *all = p->functions.items, *old;

    if (!name->function)
        return;
    old = &all[name->function - 1];
    if (old->is_entry != f->is_entry)
        sim_parser_fail(p, "found %.60s as %s, expected %s as on line %u", name->text,
                        f->is_entry ? ".entry" : ".func", old->is_entry ? ".entry" : ".func",
                        old->line);
    if (old->is_defined && sim_parser_is(p, '{'))
        sim_parser_fail(p, "found a second body of %.60s, expected that of line %u alone",
                        name->text, old->line);
}

static void read_function(struct sim_parser *p, const struct sim_variable *linking)
{
    struct sim_function f = {
        .is_entry = sim_parser_directive(p) == SIM_AT_ENTRY,
        .is_extern = linking->is_extern,
        .is_visible = linking->is_visible,
        .is_weak = linking->is_weak,
        .line = p->token.line,
    };

    if (linking->is_common)
        sim_parser_expected(p, "a variable after .common");
    p->loc = (struct sim_loc){ 0, 0, 0 };
    p->scope = 0;
    p->registers.count = p->locals.count = p->local_scopes.count = p->labels.count = 0;
    p->scopes.count = p->statements.count = 0;
    sim_parser_scope_open(p); // also for .reg parameters
    sim_parser_next(p);
    while (sim_parser_directive(p) == SIM_AT_ATTRIBUTE) { // .attribute(.unified(1, 2))
        sim_parser_next(p);
        sim_parser_expect(p, '(', "(");
        for (size_t depth = 1; depth; sim_parser_next(p)) {
            depth += sim_parser_is(p, '(');
            depth -= sim_parser_is(p, ')');
            if (p->token.kind == CUC__PTX_END)
                sim_parser_expected(p, ")");
        }
    }
    if (!f.is_entry && sim_parser_is(p, '('))
        f.results = sim_parser_parameters(p, &f.result_count, true);
    struct sim_name *name = sim_parser_name(p, "the name of a function");
    f.name = name->text;
    if (sim_parser_is(p, '('))
        f.parameters = sim_parser_parameters(p, &f.parameter_count, true);
    while (sim_parser_function_directive(p, &f))
        ;
    check_new(p, name, &f);
    if (sim_parser_is(p, ';')) {
        sim_parser_scope_close(p);
        sim_parser_next(p);
    } else {
        if (f.is_extern)
            sim_parser_expected(p, "; after an .extern function");
        sim_parser_body(p, &f);
    }
    add_function(p, name, &f);
}

// Skips debugging information, which does not affect execution.
static void skip_section(struct sim_parser *p)
{
    sim_parser_next(p);
    if (p->token.kind != CUC__PTX_DIRECTIVE && p->token.kind != CUC__PTX_NAME)
        sim_parser_expected(p, "the name of a section");
    sim_parser_next(p);
    sim_parser_expect(p, '{', "{");
    for (size_t depth = 1; depth; sim_parser_next(p)) {
        if (p->token.kind == CUC__PTX_END)
            sim_parser_expected(p, "the } of a .section");
        if (sim_parser_is(p, '{'))
            depth++;
        else if (sim_parser_is(p, '}'))
            depth--;
    }
}

static void add_variable(struct sim_parser *p, struct sim_name *name, const struct sim_variable *v)
{
    struct sim_variable *all = p->variables.items, *old;

    if (name->function)
        sim_parser_fail(p, "found %.60s as a variable, expected the function that it was declared",
                        name->text);
    if (!name->variable) {
        *(struct sim_variable *)sim_parser_push(p, &p->variables) = *v;
        name->variable = (uint32_t)p->variables.count;
        return;
    }
    // A definition replaces an .extern declaration. An .extern that follows the definition has no
    // effect.
    old = &all[name->variable - 1];
    if (old->space != v->space)
        sim_parser_fail(p, "found %.60s in another state space, expected that of line %u",
                        name->text, old->line);
    if (old->is_extern)
        *old = *v;
    else if (!v->is_extern && !(old->is_common && v->is_common))
        sim_parser_fail(p, "found a second %.60s, expected that of line %u alone", name->text,
                        old->line);
}

static void read_version(struct sim_parser *p)
{
    sim_parser_next(p);
    // The lexer treats the version as a decimal number.
    const char *at = p->token.at;
    bool good = p->token.kind == CUC__PTX_F64 && p->token.bytes == 3 && at[0] >= '0' &&
                at[0] <= '9' && at[1] == '.' && at[2] >= '0' && at[2] <= '9';

    if (!good)
        sim_parser_expected(p, "a version such as 9.0");
    p->module->version = (at[0] - '0') * 10 + (at[2] - '0');
    sim_parser_next(p);
}

// Reads a target such as sm_90a, sm_100f or compute_80, which sets the architecture. Other words
// set the modes of textures and floats.
static void read_target_word(struct sim_parser *p)
{
    static const char *const options[] = { "texmode_unified", "texmode_independent", "debug",
                                           "map_f64_to_f32" };
    const char *word = p->name->text;
    int arch = 0;

    if (p->token.kind != CUC__PTX_NAME)
        sim_parser_expected(p, "a target such as sm_90");
    for (size_t i = 0; i < CUC_LENGTH(options); i++) {
        if (strcmp(word, options[i]) == 0) {
            sim_parser_next(p);
            return;
        }
    }
    if (strncmp(word, "sm_", 3) != 0 && strncmp(word, "compute_", 8) != 0)
        sim_parser_expected(p, "a target such as sm_90");
    word = strchr(word, '_') + 1;
    while (*word >= '0' && *word <= '9' && arch < 100000)
        arch = arch * 10 + (*word++ - '0');
    if (arch == 0 || (*word && ((*word != 'a' && *word != 'f') || word[1])))
        sim_parser_expected(p, "a target such as sm_90");
    if (arch > p->module->target) {
        p->module->target = arch;
        p->module->target_suffix = *word;
    }
    sim_parser_next(p);
}

static void read_address_size(struct sim_parser *p)
{
    sim_parser_next(p);
    if (p->token.kind != CUC__PTX_INTEGER || p->token.value != 64)
        sim_parser_expected(p, "64");
    sim_parser_next(p);
}

static void read_alias(struct sim_parser *p)
{
    struct sim_alias *a = sim_parser_push(p, &p->aliases);

    a->line = p->token.line;
    sim_parser_next(p);
    a->name = sim_parser_name(p, "a name");
    sim_parser_expect(p, ',', "a comma");
    a->of = sim_parser_name(p, "the name of a function");
    sim_parser_expect(p, ';', ";");
}

static void read_linked(struct sim_parser *p)
{
    struct sim_variable linking = { .name = NULL };

    for (;; sim_parser_next(p)) {
        switch ((int)sim_parser_directive(p)) {
        case SIM_AT_EXTERN:
            linking.is_extern = true;
            continue;
        case SIM_AT_VISIBLE:
            linking.is_visible = true;
            continue;
        case SIM_AT_WEAK:
            linking.is_weak = true;
            continue;
        case SIM_AT_COMMON:
            linking.is_common = true;
            continue;
        case SIM_AT_ENTRY:
        case SIM_AT_FUNC:
            read_function(p, &linking);
            return;
        case SIM_AT_CONST:
        case SIM_AT_GLOBAL:
        case SIM_AT_SHARED:
        case SIM_AT_LOCAL:
        case SIM_AT_PARAM:
            sim_parser_variables(p, &linking, add_variable);
            return;
        default:
            sim_parser_expected(p, "a function, a variable, or another directive of modules");
        }
    }
}

// Makes each alias refer to its function.
static void resolve_aliases(struct sim_parser *p)
{
    for (size_t i = 0; i < p->aliases.count; i++) {
        const struct sim_alias *a = (const struct sim_alias *)p->aliases.items + i;
        struct sim_function *all = p->functions.items;

        p->token.line = a->line;
        if (!a->of->function || !all[a->of->function - 1].is_defined)
            sim_parser_fail(p, "found .alias of %.60s, expected a function that has a body",
                            a->of->text);
        struct sim_function f = all[a->of->function - 1];
        if (a->name->function && all[a->name->function - 1].is_defined)
            sim_parser_fail(p, "found .alias %.60s, expected a function without a body",
                            a->name->text);
        f.name = a->name->text;
        f.line = a->line;
        if (a->name->function) // an earlier declaration of the alias now has a body
            all[a->name->function - 1].is_extern = false;
        add_function(p, a->name, &f);
    }
}

static void finish(struct sim_parser *p)
{
    struct sim_module *m = p->module;

    resolve_aliases(p);
    m->file_count = p->files.count;
    m->files = sim_parser_keep(p, &p->files, 0);
    m->variable_count = p->variables.count;
    m->variables = sim_parser_keep(p, &p->variables, 0);
    m->function_count = p->functions.count;
    m->functions = sim_parser_keep(p, &p->functions, 0);
}

void sim_parser_module(struct sim_parser *p)
{
    sim_parser_next(p);
    if (sim_parser_directive(p) != SIM_AT_VERSION)
        sim_parser_expected(p, ".version");
    read_version(p);
    if (sim_parser_directive(p) != SIM_AT_TARGET)
        sim_parser_expected(p, ".target");
    while (p->token.kind != CUC__PTX_END) {
        switch ((int)sim_parser_directive(p)) {
        case SIM_AT_TARGET:
            do {
                sim_parser_next(p);
                read_target_word(p);
            } while (sim_parser_is(p, ','));
            break;
        case SIM_AT_ADDRESS_SIZE:
            read_address_size(p);
            break;
        case SIM_AT_FILE:
            sim_parser_file(p);
            break;
        case SIM_AT_SECTION:
            skip_section(p);
            break;
        case SIM_AT_LOC:
            sim_parser_loc(p);
            break;
        case SIM_AT_PRAGMA:
            sim_parser_pragma(p);
            break;
        case SIM_AT_ALIAS:
            read_alias(p);
            break;
        default:
            if (!sim_parser_accept(p, ';'))
                read_linked(p);
        }
    }
    finish(p);
}
