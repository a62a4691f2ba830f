// Parses files, functions and kernel headers.
#include "parser.h"
#include "tile/ir/array.h"

#include "base/arena.h"

#include <string.h>

void tile_list_add(struct tile_parser *p, struct tile_list *list, void *item)
{
    if (!TILE_RESERVE(p->module, list->item, list->capacity, list->count + 1, 4))
        return;
    list->item[list->count++] = item;
}

void tile_parser_next(struct tile_parser *p)
{
    p->token = tile_lexer_next(&p->lexer);
}

bool tile_parser_at(const struct tile_parser *p, uint32_t sign)
{
    return p->token.kind == TILE_TOKEN_SIGN && p->token.sign == sign;
}

bool tile_parser_at_word(const struct tile_parser *p, const char *word)
{
    return tile_token_is(&p->token, word);
}

bool tile_parser_take(struct tile_parser *p, uint32_t sign)
{
    bool there = tile_parser_at(p, sign);

    if (there)
        tile_parser_next(p);
    return there;
}

bool tile_parser_take_word(struct tile_parser *p, const char *word)
{
    bool there = tile_parser_at_word(p, word);

    if (there)
        tile_parser_next(p);
    return there;
}

bool tile_parser_has_reported(const struct tile_parser *p)
{
    const struct tile_diagnostic *last = p->module->diagnostics->last;

    return last && last->severity == TILE_ERROR && last->code <= TILE_T003 &&
           last->where.line + 1 >= p->token.where.line;
}

// Reports that `what` was expected. `hint` follows the token that stands there instead.
static void expected(struct tile_parser *p, const char *what, const char *hint)
{
    const struct tile_token *t = &p->token;

    if (!p->failed && !tile_parser_has_reported(p)) {
        if (t->kind == TILE_TOKEN_END)
            tile_error(p->module, TILE_T004, t->where,
                       "syntax: expected %s, got the end of the text", what);
        else if (t->kind == TILE_TOKEN_NEWLINE)
            tile_error(p->module, TILE_T004, t->where,
                       "syntax: expected %s, got the end of the line", what);
        else
            tile_error(p->module, TILE_T004, t->where, "syntax: expected %s, got %.*s%s", what,
                       (int)(t->bytes < 40 ? t->bytes : 40), t->at, hint);
    }
    p->failed = true;
}

void tile_parser_expected(struct tile_parser *p, const char *what)
{
    expected(p, what, "");
}

void tile_parser_expected_end(struct tile_parser *p, const char *what)
{
    expected(p, what,
             tile_parser_at_word(p, "if") ? ": where(c, x, y) chooses by c"
             : tile_parser_at(p, '=')     ? ": only += -= *= /= update a variable"
                                          : "");
}

void tile_parser_refuse_keyword(struct tile_parser *p, const char *what)
{
    expected(p, what, ", which is a keyword and cannot be a name");
}

bool tile_parser_need(struct tile_parser *p, uint32_t sign, const char *what)
{
    if (tile_parser_take(p, sign))
        return true;
    tile_parser_expected_end(p, what);
    return false;
}

bool tile_is_keyword(const struct tile_token *token)
{
    // `where` is a clause of a kernel's head and also a built-in call, so it is not in the list.
    static const char *const words[] = { "tile",     "fn",     "kernel", "const", "grid", "for",
                                         "while",    "if",     "else",   "break", "in",   "step",
                                         "continue", "return", "static", "and",   "or",   "not",
                                         "true",     "false",  "inf",    "nan",   "None", "auto" };

    if (token->kind != TILE_TOKEN_NAME)
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (tile_token_is(token, words[i]))
            return true;
    return false;
}

char *tile_parser_need_name(struct tile_parser *p, const char *what)
{
    char *name = NULL;

    if (p->token.kind == TILE_TOKEN_NAME && !tile_is_keyword(&p->token)) {
        name = cuc__arena_copy(p->module->arena, p->token.at, p->token.bytes);
        tile_parser_next(p);
    } else if (tile_is_keyword(&p->token)) {
        tile_parser_refuse_keyword(p, what);
    } else {
        tile_parser_expected(p, what);
    }
    return name;
}

bool tile_parser_enter(struct tile_parser *p)
{
    if (p->depth < TILE_MAX_NESTING) {
        p->depth++;
        return true;
    }
    if (!p->failed)
        tile_error(p->module, TILE_T006, p->token.where, "syntax: nested deeper than %d",
                   TILE_MAX_NESTING);
    p->failed = true;
    return false;
}

// After an error, skips to the next `fn` or `kernel` at the start of a line.
static void recover(struct tile_parser *p)
{
    while (p->token.kind != TILE_TOKEN_END &&
           !((tile_parser_at_word(p, "kernel") || tile_parser_at_word(p, "fn")) &&
             p->token.where.column == 1))
        tile_parser_next(p);
    p->lexer.depth = 0;
    p->failed = false;
}

static void parse_function(struct tile_parser *p, struct tile_file_ast *file)
{
    struct tile_function_ast *fn = tile_take(p->module, sizeof(*fn));
    struct tile_list parameters = { 0 };

    if (!fn)
        return;
    fn->where = p->token.where;
    fn->name = tile_parser_need_name(p, "the name of a function");
    if (!tile_parser_need(p, '(', "("))
        return;
    while (!p->failed && !tile_parser_at(p, ')')) {
        tile_list_add(p, &parameters, tile_parser_need_name(p, "the name of a parameter"));
        if (!tile_parser_take(p, ','))
            break;
    }
    if (!tile_parser_need(p, ')', ", or )"))
        return;
    fn->parameter = (const char **)(void *)parameters.item;
    fn->parameters = parameters.count;
    fn->body = tile_parse_block(p);
    if (file->last_function)
        file->last_function->next = fn;
    else
        file->function = fn;
    file->last_function = fn;
    uint32_t known = fn->name ? tile_names_add(&file->functions, p->module, fn->name) : UINT32_MAX;
    if (known != UINT32_MAX && !file->functions.name[known].value)
        file->functions.name[known].value = fn;
}

static void parse_parameter(struct tile_parser *p, struct tile_parameter_ast *parameter)
{
    struct tile_list extents = { 0 };

    parameter->where = p->token.where;
    parameter->name = tile_parser_need_name(p, "the name of a parameter");
    if (!tile_parser_need(p, ':', ": and a dtype"))
        return;
    // A dtype, or a constant that holds a dtype. Don't parse it as an expression: the brackets
    // belong to the tensor.
    struct tile_ast *dtype = tile_take(p->module, sizeof(*dtype));
    if (!dtype)
        return;
    dtype->where = p->token.where;
    dtype->kind = TILE_AST_NAME;
    dtype->text = tile_parser_need_name(p, "a dtype");
    parameter->dtype = dtype;
    if (p->failed || !tile_parser_take(p, '['))
        return;
    parameter->tensor = true;
    while (!p->failed && !tile_parser_at(p, ']')) {
        tile_list_add(p, &extents, tile_parse_expression(p));
        if (!tile_parser_take(p, ','))
            break;
    }
    tile_parser_need(p, ']', ", or ]");
    parameter->extent = (struct tile_ast **)extents.item;
    parameter->extents = extents.count;
}

static void parse_constant(struct tile_parser *p, struct tile_constant_ast *constant)
{
    struct tile_list values = { 0 };

    constant->where = p->token.where;
    constant->name = tile_parser_need_name(p, "the name of a constant");
    if (!tile_parser_need(p, '=', "= and a value"))
        return;
    if (tile_parser_take_word(p, "auto")) {
        constant->is_auto = true;
        if (!tile_parser_need(p, '(', "("))
            return;
        tile_parse_expressions(p, &values);
        tile_parser_need(p, ')', ", or )");
    } else {
        tile_list_add(p, &values, tile_parse_expression(p));
    }
    constant->value = (struct tile_ast **)values.item;
    constant->values = values.count;
}

static void twice(struct tile_parser *p, const char *clause, bool before)
{
    if (!before || p->failed)
        return;
    tile_error(p->module, TILE_T502, p->token.where, "kernel: a second %s clause", clause);
    p->failed = true;
}

static void parse_clauses(struct tile_parser *p, struct tile_kernel_ast *kernel)
{
    struct tile_list constants = { 0 }, facts = { 0 }, grid = { 0 };

    while (!p->failed) {
        if (tile_parser_at_word(p, "const")) {
            twice(p, "const", constants.count);
            tile_parser_next(p);
            do {
                struct tile_constant_ast *one = tile_take(p->module, sizeof(*one));
                if (!one)
                    return;
                parse_constant(p, one);
                tile_list_add(p, &constants, one);
            } while (!p->failed && tile_parser_take(p, ','));
        } else if (tile_parser_at_word(p, "where")) {
            twice(p, "where", facts.count);
            tile_parser_next(p);
            tile_parse_expressions(p, &facts);
        } else if (tile_parser_at_word(p, "grid")) {
            twice(p, "grid", grid.count);
            tile_parser_next(p);
            tile_parse_expressions(p, &grid);
        } else {
            break;
        }
    }
    kernel->constant = tile_take(p->module, constants.count * sizeof(*kernel->constant));
    for (uint32_t i = 0; kernel->constant && i < constants.count; i++)
        kernel->constant[kernel->constants++] = *(struct tile_constant_ast *)constants.item[i];
    kernel->fact = (struct tile_ast **)facts.item;
    kernel->facts = facts.count;
    kernel->grid = (struct tile_ast **)grid.item;
    kernel->grids = grid.count;
}

static void parse_kernel(struct tile_parser *p, struct tile_file_ast *file)
{
    struct tile_kernel_ast *kernel = tile_take(p->module, sizeof(*kernel));
    struct tile_list parameters = { 0 };

    if (!kernel)
        return;
    kernel->where = p->token.where;
    kernel->name = tile_parser_need_name(p, "the name of a kernel");
    if (!tile_parser_need(p, '(', "("))
        return;
    while (!p->failed && !tile_parser_at(p, ')')) {
        struct tile_parameter_ast *parameter = tile_take(p->module, sizeof(*parameter));
        if (!parameter)
            return;
        parse_parameter(p, parameter);
        tile_list_add(p, &parameters, parameter);
        if (!tile_parser_take(p, ','))
            break;
    }
    if (!tile_parser_need(p, ')', ", or )"))
        return;
    kernel->parameter = tile_take(p->module, parameters.count * sizeof(*kernel->parameter));
    for (uint32_t i = 0; kernel->parameter && i < parameters.count; i++)
        kernel->parameter[kernel->parameters++] = *(struct tile_parameter_ast *)parameters.item[i];
    parse_clauses(p, kernel);
    if (p->failed)
        return;
    kernel->body = tile_parse_block(p);
    if (file->last_kernel)
        file->last_kernel->next = kernel;
    else
        file->kernel = kernel;
    file->last_kernel = kernel;
}

static void skip_newlines(struct tile_parser *p)
{
    while (p->token.kind == TILE_TOKEN_NEWLINE)
        tile_parser_next(p);
}

struct tile_file_ast *tile_parse_text(struct tile_module *module)
{
    struct tile_file_ast *file = tile_take(module, sizeof(*file));
    struct tile_parser p = { .module = module };

    if (!file || !module->text)
        return file;
    tile_lexer_start(&p.lexer, module);
    tile_parser_next(&p);
    skip_newlines(&p);
    if (tile_parser_take_word(&p, "tile")) {
        if (p.token.kind != TILE_TOKEN_INT || p.token.value != 1)
            tile_error(module, TILE_T005, p.token.where,
                       "tile: expected version 1, the only one that there is");
        tile_parser_next(&p);
    }
    for (skip_newlines(&p); p.token.kind != TILE_TOKEN_END; skip_newlines(&p)) {
        if (tile_parser_take_word(&p, "kernel"))
            parse_kernel(&p, file);
        else if (tile_parser_take_word(&p, "fn"))
            parse_function(&p, file);
        else
            tile_parser_expected(&p, "kernel or fn");
        p.depth = 0;
        if (p.failed)
            recover(&p);
    }
    return file;
}
