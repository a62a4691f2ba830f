// The built-in calls: their table, and the functions that elaborate them.
#include "elaborate.h"

#include "base/arena.h"
#include "calls.h"

#include <string.h>

// Arguments

static bool is_rest(const char *name, size_t length)
{
    return length > 3 && strncmp(name + length - 3, "...", 3) == 0;
}

// Returns the index of a parameter in a specification such as "x axes... | nan"; -1 if it has no
// such parameter.
static int parameter_number(const char *spec, const char *name, size_t length)
{
    int number = 0;

    for (const char *at = spec; *at; number++) {
        size_t n = strcspn(at, " ");
        size_t shown = is_rest(at, n) ? n - 3 : n;
        if (n == 1 && *at == '|') {
            number--;
        } else if (shown == length && strncmp(at, name, length) == 0) {
            return number;
        }
        at += n;
        at += strspn(at, " ");
    }
    return -1;
}

// Returns the items of a list. Treats an argument that is not a list as a list of one item.
static uint32_t list_items(const struct tile_ast *ast, const struct tile_ast *const **items,
                           const struct tile_ast *const *self)
{
    if (ast->kind != TILE_AST_LIST) {
        *items = self;
        return 1;
    }
    *items = (const struct tile_ast *const *)ast->child;
    return ast->count;
}

// Adds an argument to the parameter that takes any number of arguments. If the argument is a list,
// adds each item.
static bool add_rest(struct tile_elaborator *e, const struct tile_ast *ast,
                     const struct tile_ast *argument, struct tile_call *call)
{
    const struct tile_ast *const *item;
    uint32_t items = list_items(argument, &item, &argument);

    for (uint32_t i = 0; i < items; i++) {
        if (call->rests == TILE_MAX_RANK) {
            tile_error(e->module, TILE_T504, argument->where, "%s: too many arguments", ast->text);
            return false;
        }
        call->rest[call->rests++] = item[i];
    }
    return true;
}

// Matches the arguments of a call to the parameters in `spec`. The parameters before `|` are
// required.
static bool match(struct tile_elaborator *e, const struct tile_ast *ast, const char *spec,
                  struct tile_call *call)
{
    int number = 0, required = 0, rest = -1, positional = 0;
    bool optional = false;

    for (const char *at = spec; *at;) {
        size_t n = strcspn(at, " ");
        if (n == 1 && *at == '|') {
            optional = true;
        } else {
            if (is_rest(at, n))
                rest = number;
            else if (!optional)
                required = number + 1;
            number++;
        }
        at += n;
        at += strspn(at, " ");
    }
    for (uint32_t i = 0; i < ast->count; i++) {
        const struct tile_ast *argument = ast->child[i];
        int at;
        if (argument->kind == TILE_AST_NAMED) {
            at = parameter_number(spec, argument->text, strlen(argument->text));
            if (at < 0) {
                tile_error(e->module, TILE_T504, argument->where,
                           "%s: there is no argument %s (%s)", ast->text, argument->text, spec);
                return false;
            }
            argument = argument->child[0];
            if (at == rest) { // such as axes=0 or axes=[0, 1]
                if (!add_rest(e, ast, argument, call))
                    return false;
                continue;
            }
        } else if (rest >= 0 && positional >= rest) {
            if (!add_rest(e, ast, argument, call))
                return false;
            continue;
        } else {
            at = positional++;
        }
        if (at >= number || at >= TILE_MAX_ARGUMENTS) {
            tile_error(e->module, TILE_T504, argument->where,
                       "%s: expected at most %d arguments, got %u", ast->text, number, ast->count);
            return false;
        }
        if (call->argument[at]) {
            tile_error(e->module, TILE_T504, argument->where, "%s: an argument is given twice (%s)",
                       ast->text, spec);
            return false;
        }
        call->argument[at] = argument;
    }
    for (int i = 0; i < required; i++)
        if (!call->argument[i]) {
            tile_error(e->module, TILE_T504, ast->where, "%s: expected %d arguments, got %u (%s)",
                       ast->text, required, ast->count, spec);
            return false;
        }
    return true;
}

bool tile_call_operand(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                       struct tile_operand *out)
{
    return tile_elaborate_operand(e, c->argument[i], out);
}

struct tile_value *tile_call_value(struct tile_elaborator *e, const struct tile_call *c, uint32_t i)
{
    return c->argument[i] ? tile_elaborate_value(e, c->argument[i]) : NULL;
}

bool tile_call_int(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                   int64_t otherwise, int64_t *out)
{
    *out = otherwise;
    return !c->argument[i] || tile_elaborate_int(e, c->argument[i], c->ast->text, out);
}

uint32_t tile_call_with_int(struct tile_elaborator *e, const struct tile_call *c,
                            const struct tile_call_row *row, enum tile_attribute_key key,
                            struct tile_meaning *out)
{
    struct tile_value *x = tile_call_value(e, c, 0);
    struct tile_attribute attribute = { .key = key };
    bool ok = tile_call_int(e, c, 1, 0, &attribute.i);
    enum tile_op_kind kind = (enum tile_op_kind)row->which;

    tile_at_call(e, c);
    return ok ? tile_call_gives(out, tile_build(&e->b, kind, &x, 1, &attribute, 1, NULL)) : 0;
}

bool tile_call_truth(struct tile_elaborator *e, const struct tile_call *c, uint32_t i, bool *out)
{
    *out = false;
    if (!c->argument[i])
        return true;
    struct tile_meaning m = tile_elaborate_expression(e, c->argument[i]);
    if (m.kind != TILE_TRUTH && m.kind != TILE_NOTHING)
        tile_error(e->module, TILE_T505, c->argument[i]->where, "%s: expected true or false",
                   c->ast->text);
    *out = m.operand.i != 0;
    return m.kind == TILE_TRUTH;
}

bool tile_call_dtype(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                     cuc_dtype *out)
{
    struct tile_meaning m = tile_elaborate_expression(e, c->argument[i]);

    if (m.kind != TILE_DTYPE && m.kind != TILE_NOTHING)
        tile_error(e->module, TILE_T505, c->argument[i]->where, "%s: expected a dtype",
                   c->ast->text);
    *out = m.dtype;
    return m.kind == TILE_DTYPE;
}

bool tile_call_text(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                    const char **out)
{
    *out = "";
    if (!c->argument[i])
        return true;
    struct tile_meaning m = tile_elaborate_expression(e, c->argument[i]);
    if (m.kind != TILE_STRING && m.kind != TILE_NOTHING)
        tile_error(e->module, TILE_T505, c->argument[i]->where, "%s: expected a string",
                   c->ast->text);
    *out = m.text;
    return m.kind == TILE_STRING;
}

bool tile_call_word(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                    const char *const *words, int otherwise, int *out)
{
    char list[160] = "";
    size_t at = 0;

    *out = otherwise;
    if (!c->argument[i])
        return true;
    const struct tile_ast *word = c->argument[i];
    const char *name = word->kind == TILE_AST_NAME    ? word->text
                       : word->kind == TILE_AST_DTYPE ? cuc_dtype_name((cuc_dtype)word->i)
                                                      : NULL;
    for (int n = 0; words[n]; n++) {
        if (name && strcmp(name, words[n]) == 0) { // tf32 is both a precision and a dtype
            *out = n;
            return true;
        }
        size_t length = strlen(words[n]);
        if (at + length + 3 < sizeof(list)) {
            memcpy(list + at, words[n], length);
            memcpy(list + at + length, words[n + 1] ? ", " : "", words[n + 1] ? 3 : 1);
            at += length + (words[n + 1] ? 2 : 0);
        }
    }
    bool variable = word->kind == TILE_AST_NAME && tile_lookup(e, name);
    tile_error(e->module, TILE_T505, c->argument[i]->where, "%s: expected one of %s%s%s%s",
               c->ast->text, list, name ? ", got " : "", name ? name : "",
               variable ? ", a variable: write the word in the call" : "");
    return false;
}

bool tile_call_rounding(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                        struct tile_rounding *out)
{
    static const char *const rounds[] = { "rn", "rz", "rm", "rp", "approx", "full", NULL };
    int round = TILE_RN;
    bool ok = tile_call_word(e, c, i, rounds, TILE_RN, &round);

    ok &= tile_call_truth(e, c, i + 1, &out->ftz) || !c->argument[i + 1];
    out->round = (enum tile_round)round;
    return ok;
}

void tile_at_call(struct tile_elaborator *e, const struct tile_call *c)
{
    e->b.where = c->ast->where;
    e->b.op = c->ast->text;
}

bool tile_call_extents(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                       bool blanks, int64_t *out, uint32_t *count)
{
    const struct tile_ast *const *item;

    *count = 0;
    if (!c->argument[i])
        return true;
    uint32_t items =
        list_items(c->argument[i], &item, (const struct tile_ast *const *)&c->argument[i]);
    if (items > TILE_MAX_RANK) {
        tile_error(e->module, TILE_T207, c->argument[i]->where, "%s: at most %d axes, got %u",
                   c->ast->text, TILE_MAX_RANK, items);
        return false;
    }
    for (uint32_t n = 0; n < items; n++) {
        if (item[n] && item[n]->kind == TILE_AST_BLANK && blanks) {
            out[n] = -1;
            continue;
        }
        if (!item[n] || !tile_elaborate_int(e, item[n], c->ast->text, &out[n]))
            return false;
        if (out[n] < 1 && blanks) {
            tile_error(e->module, TILE_T206, item[n]->where,
                       "%s: extent %u: expected 1 to 2^24, got %lld", c->ast->text, n,
                       (long long)out[n]);
            return false;
        }
    }
    *count = items;
    return true;
}

bool tile_call_operands(struct tile_elaborator *e, const struct tile_call *c, uint32_t i,
                        struct tile_operand *out, uint32_t *count)
{
    const struct tile_ast *const *item;

    *count = 0;
    if (!c->argument[i])
        return true;
    uint32_t items =
        list_items(c->argument[i], &item, (const struct tile_ast *const *)&c->argument[i]);
    bool ok = true;
    if (items > TILE_MAX_RANK) {
        tile_error(e->module, TILE_T504, c->argument[i]->where, "%s: at most %d in a list, got %u",
                   c->ast->text, TILE_MAX_RANK, items);
        return false;
    }
    for (uint32_t n = 0; n < items; n++)
        ok &= tile_elaborate_operand(e, item[n], &out[n]);
    *count = items;
    return ok;
}

// Returns the row of a call; NULL for elementwise ops, which are called by the op's name.
static const struct tile_call_row *find_row(const char *name)
{
    for (size_t i = 0; tile_call_tables[i]; i++)
        for (const struct tile_call_row *row = tile_call_tables[i]; row->name; row++)
            if (strcmp(row->name, name) == 0)
                return row;
    return NULL;
}

static enum tile_op_kind elementwise(const char *name)
{
    // Ops that cannot be called by name. They have an operator and no options, or a row of their
    // own.
    static const enum tile_op_kind not_calls[] = {
        TILE_NEG, TILE_NOT,  TILE_FLOORDIV, TILE_MOD,    TILE_AND,    TILE_OR, TILE_XOR,
        TILE_SHL, TILE_SHR,  TILE_EQ,       TILE_NE,     TILE_LT,     TILE_LE, TILE_GT,
        TILE_GE,  TILE_CAST, TILE_BITCAST,  TILE_ASSUME, TILE_PHILOX,
    };
    enum tile_op_kind kind = tile_op_find(name, strlen(name));

    if (kind == TILE_OP_COUNT || !(tile_op_infos[kind].traits & TILE_ELEMENTWISE))
        return TILE_OP_COUNT;
    for (size_t i = 0; i < sizeof(not_calls) / sizeof(not_calls[0]); i++)
        if (not_calls[i] == kind)
            return TILE_OP_COUNT;
    return kind;
}

// True for calls that do the same as an operator, but with a rounding mode. Programs may define
// functions with these names.
static bool is_operator(enum tile_op_kind kind)
{
    return kind >= TILE_ADD && kind <= TILE_DIV;
}

// Returns the parameters of an elementwise call: the operands of the op, then its rounding options.
static const char *arguments_of(enum tile_op_kind kind)
{
    static const struct {
        enum tile_op_kind kind;
        const char *arguments;
    } rows[] = {
        { TILE_ADD, "x y | round ftz" },   { TILE_SUB, "x y | round ftz" },
        { TILE_MUL, "x y | round ftz" },   { TILE_DIV, "x y | round ftz" },
        { TILE_FMA, "x y z | round ftz" }, { TILE_SQRT, "x | round ftz" },
        { TILE_RSQRT, "x | round ftz" },   { TILE_EXP, "x | round ftz" },
        { TILE_EXP2, "x | round ftz" },    { TILE_TANH, "x | round ftz" },
        { TILE_MINIMUM, "x y | nan ftz" }, { TILE_MAXIMUM, "x y | nan ftz" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].kind == kind)
            return rows[i].arguments;
    return tile_op_infos[kind].operands;
}

bool tile_is_builtin(const char *name)
{
    enum tile_op_kind kind = elementwise(name);

    return find_row(name) || (kind != TILE_OP_COUNT && !is_operator(kind));
}

const char *tile_nearest_call(const char *written, const char *best)
{
    for (size_t i = 0; tile_call_tables[i]; i++)
        for (const struct tile_call_row *row = tile_call_tables[i]; row->name; row++)
            best = tile_nearer(written, best, row->name);
    for (uint32_t kind = 0; kind < TILE_OP_COUNT; kind++)
        if (elementwise(tile_op_infos[kind].name) != TILE_OP_COUNT)
            best = tile_nearer(written, best, tile_op_infos[kind].name);
    return best;
}

static uint32_t call_elementwise(struct tile_elaborator *e, const struct tile_call *c,
                                 enum tile_op_kind kind, struct tile_meaning *out)
{
    struct tile_meaning m[3];
    struct tile_operand x[3];
    uint32_t operands = kind == TILE_FMA || kind == TILE_WHERE      ? 3
                        : strchr(tile_op_infos[kind].operands, ' ') ? 2
                                                                    : 1;
    bool extreme = kind == TILE_MINIMUM || kind == TILE_MAXIMUM, nan = false, constant = true, ok;
    struct tile_rounding how = { TILE_RN, false };

    if (extreme) {
        ok = tile_call_truth(e, c, operands, &nan);
        ok &= tile_call_truth(e, c, operands + 1, &how.ftz) || !c->argument[operands + 1];
    } else {
        ok = tile_call_rounding(e, c, operands, &how);
    }

    for (uint32_t i = 0; i < operands; i++) {
        m[i] = tile_elaborate_expression(e, c->argument[i]);
        constant &= tile_meaning_is_constant(&m[i]);
        ok &= m[i].kind != TILE_NOTHING;
    }
    e->b.where = c->ast->where;
    if (!ok)
        return 0;
    if (kind == TILE_WHERE && m[0].kind == TILE_TRUTH && constant) {
        out[0] = m[m[0].operand.i ? 1 : 2];
        return 1;
    }
    bool asks = how.round != TILE_RN || how.ftz;
    if (constant && operands == 2 && !asks && tile_folds_binary(kind)) {
        out[0] = tile_fold_binary(e, kind, &m[0], &m[1]);
        return out[0].kind != TILE_NOTHING;
    }
    for (uint32_t i = 0; i < operands; i++)
        if (!tile_meaning_operand(e, &m[i], &x[i]))
            return 0;
    struct tile_value *value =
        kind == TILE_WHERE ? tile_build_where(&e->b, tile_build_value(&e->b, x[0]), x[1], x[2])
        : asks             ? tile_build_rounded(&e->b, kind, x, operands, how, nan)
        : kind == TILE_FMA ? tile_build_fma(&e->b, x[0], x[1], x[2])
        : operands == 2    ? tile_build_binary(&e->b, kind, x[0], x[1], nan)
                           : tile_build_unary(&e->b, kind, x[0]);
    out[0] = tile_meaning_of(value);
    return value != NULL;
}

// True if the argument is a word of the language or the name of a function, not an expression.
static bool is_word(const char *spec, int number)
{
    static const char *const words[] = {
        "function", "round", "order", "scope", "cache", "precision"
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (parameter_number(spec, words[i], strlen(words[i])) == number)
            return true;
    return false;
}

bool tile_match_call(struct tile_elaborator *e, const struct tile_ast *ast,
                     const struct tile_ast **argument, uint32_t *count)
{
    const struct tile_call_row *row = find_row(ast->text);
    enum tile_op_kind kind = row ? TILE_OP_COUNT : elementwise(ast->text);
    struct tile_call call = { .ast = ast };

    *count = 0;
    if (!row && kind == TILE_OP_COUNT) {
        tile_report_no_function(e, ast);
        return false;
    }
    const char *spec = row ? row->arguments : arguments_of(kind);
    if (!match(e, ast, spec, &call))
        return false;
    for (int i = 0; i < TILE_MAX_ARGUMENTS; i++) {
        const struct tile_ast *x = call.argument[i];
        if (!x)
            continue;
        if (!is_word(spec, i))
            argument[(*count)++] = x;
        else if (parameter_number(spec, "function", 8) == i &&
                 (x->kind != TILE_AST_NAME || !tile_find_function(e, x->text)))
            tile_error(e->module, TILE_T503, x->where, "function: expected the name of a fn");
    }
    for (uint32_t i = 0; i < call.rests; i++)
        argument[(*count)++] = call.rest[i];
    return true;
}

uint32_t tile_elaborate_call(struct tile_elaborator *e, const struct tile_ast *ast,
                             struct tile_meaning *out, bool *known)
{
    const struct tile_call_row *row = find_row(ast->text);
    enum tile_op_kind kind = row ? TILE_OP_COUNT : elementwise(ast->text);
    struct tile_call call = { .ast = ast };

    *known = row || kind != TILE_OP_COUNT;
    if (!*known)
        return 0;
    if (row) {
        uint32_t count = match(e, ast, row->arguments, &call) ? row->make(e, &call, row, out) : 0;
        e->b.op = NULL;
        return count;
    }
    return match(e, ast, arguments_of(kind), &call) ? call_elementwise(e, &call, kind, out) : 0;
}
