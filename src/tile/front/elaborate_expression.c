// Elaborates expressions: folds constants and builds ops for everything else.
#include "elaborate.h"

#include "tile/ir/budget.h"

#include <string.h>

struct tile_meaning tile_meaning_of(struct tile_value *value)
{
    return (struct tile_meaning){ .kind = value ? TILE_OPERAND : TILE_NOTHING,
                                  .operand = tile_of(value) };
}

struct tile_meaning tile_meaning_of_int(tile_wide i)
{
    return (struct tile_meaning){ .kind = TILE_OPERAND, .operand = tile_of_int(i) };
}

struct tile_meaning tile_meaning_of_real(double f)
{
    return (struct tile_meaning){ .kind = TILE_OPERAND, .operand = tile_of_real(f) };
}

struct tile_meaning tile_meaning_of_truth(bool truth)
{
    return (struct tile_meaning){ .kind = TILE_TRUTH, .operand = tile_of_int(truth) };
}

bool tile_meaning_is_constant(const struct tile_meaning *m)
{
    return m->kind == TILE_TRUTH || (m->kind == TILE_OPERAND && m->operand.loose);
}

bool tile_meaning_operand(struct tile_elaborator *e, const struct tile_meaning *m,
                          struct tile_operand *out)
{
    switch (m->kind) {
    case TILE_OPERAND:
        *out = m->operand;
        return true;
    case TILE_TRUTH:
        *out = tile_of(tile_build_constant(&e->b, CUC_BOOL, m->operand));
        return out->value != NULL;
    case TILE_NOTHING:
        return false;
    default:
        tile_error(e->module, TILE_T505, e->b.where, "value: expected a value, got %s",
                   m->kind == TILE_DTYPE ? "a dtype" : "a string");
        return false;
    }
}

bool tile_elaborate_operand(struct tile_elaborator *e, const struct tile_ast *ast,
                            struct tile_operand *out)
{
    struct tile_meaning meaning = tile_elaborate_expression(e, ast);

    if (ast)
        e->b.where = ast->where;
    return tile_meaning_operand(e, &meaning, out);
}

struct tile_value *tile_elaborate_value(struct tile_elaborator *e, const struct tile_ast *ast)
{
    struct tile_operand operand;

    return tile_elaborate_operand(e, ast, &operand) ? tile_build_value(&e->b, operand) : NULL;
}

bool tile_elaborate_int(struct tile_elaborator *e, const struct tile_ast *ast, const char *what,
                        int64_t *out)
{
    struct tile_meaning meaning = tile_elaborate_expression(e, ast);

    if (meaning.kind == TILE_NOTHING)
        return false;
    if (meaning.kind != TILE_OPERAND || !meaning.operand.loose || meaning.operand.real) {
        tile_error(e->module, TILE_T505, ast->where, "%s: expected a constant integer, got %s",
                   what,
                   meaning.kind == TILE_OPERAND && !meaning.operand.loose
                       ? "a value that is known when the kernel runs: use a constant and a loop"
                       : "another constant");
        return false;
    }
    char digits[TILE_WIDE_BYTES];
    if (meaning.operand.i > INT64_MAX) {
        tile_error(e->module, TILE_T103, ast->where, "%s: %s is out of the range of i64", what,
                   tile_wide_text(digits, meaning.operand.i));
        return false;
    }
    *out = (int64_t)meaning.operand.i;
    return true;
}

static struct tile_meaning elaborate_name(struct tile_elaborator *e, const struct tile_ast *ast)
{
    const struct tile_binding *binding = tile_lookup(e, ast->text);

    if (binding)
        return binding->what;
    tile_report_unbound(e, ast);
    return (struct tile_meaning){ 0 };
}

void tile_report_unbound(struct tile_elaborator *e, const struct tile_ast *ast)
{
    const struct tile_lost *lost = e->lost;
    const char *near = NULL;
    while (lost && strcmp(lost->name, ast->text) != 0)
        lost = lost->next;
    if (lost) {
        if (lost->in_loop)
            tile_error(e->module, TILE_T501, ast->where,
                       "name: nothing binds %s here, only a loop's body: bind it before the loop",
                       ast->text);
        else
            tile_error(e->module, TILE_T405, ast->where, "name: only one arm of an if binds %s",
                       ast->text);
        tile_note(e->module, lost->where, "it is bound here");
        tile_bind(e, ast->text, (struct tile_meaning){ 0 }, ast->where);
        return;
    }
    for (uint32_t i = e->frame; i < e->count && tile_error_is_kept(e->module); i++)
        if (e->binding[i].what.kind != TILE_NOTHING)
            near = tile_nearer(ast->text, near, e->binding[i].name);
    bool call = tile_is_builtin(ast->text);
    tile_error(e->module, TILE_T501, ast->where, "name: nothing binds %s%s%s%s", ast->text,
               call   ? ", which is a call: write its arguments"
               : near ? ": did you mean "
                      : "",
               near && !call ? near : "", near && !call ? "?" : "");
    // Binding the name to an erroneous meaning prevents further reports.
    if (!call)
        tile_bind(e, ast->text, (struct tile_meaning){ 0 }, ast->where);
}

static struct tile_meaning elaborate_unary(struct tile_elaborator *e, const struct tile_ast *ast)
{
    struct tile_meaning x = tile_elaborate_expression(e, ast->child[0]);
    struct tile_operand operand;

    e->b.where = ast->where;
    if (tile_meaning_is_constant(&x))
        return tile_fold_unary(e, ast->op, &x);
    if (!tile_meaning_operand(e, &x, &operand))
        return (struct tile_meaning){ 0 };
    return tile_meaning_of(tile_build_unary(&e->b, ast->op, operand));
}

static struct tile_meaning elaborate_binary(struct tile_elaborator *e, const struct tile_ast *ast)
{
    struct tile_meaning x = tile_elaborate_expression(e, ast->child[0]);
    struct tile_meaning y = tile_elaborate_expression(e, ast->child[1]);
    struct tile_operand a, b;

    e->b.where = ast->where;
    // Dtypes can be compared, as in `if T == f32`.
    if (x.kind == TILE_DTYPE && y.kind == TILE_DTYPE && (ast->op == TILE_EQ || ast->op == TILE_NE))
        return tile_meaning_of_truth((x.dtype == y.dtype) == (ast->op == TILE_EQ));
    if (tile_meaning_is_constant(&x) && tile_meaning_is_constant(&y))
        return tile_fold_binary(e, ast->op, &x, &y);
    bool ok = tile_meaning_operand(e, &x, &a);
    ok &= tile_meaning_operand(e, &y, &b);
    if (!ok)
        return (struct tile_meaning){ 0 };
    return tile_meaning_of(tile_build_binary(&e->b, ast->op, a, b, false));
}

// `and`, `or` and `not` take scalar bools and always evaluate both sides.
static struct tile_value *truth_value(struct tile_elaborator *e, const struct tile_meaning *m,
                                      const struct tile_ast *ast)
{
    struct tile_operand operand;

    e->b.where = ast->where;
    if (!tile_meaning_operand(e, m, &operand))
        return NULL;
    struct tile_value *value = tile_build_value(&e->b, operand);
    if (value && (value->type.tensor || value->type.rank || value->type.dtype != CUC_BOOL)) {
        const char *text = tile_type_text(e->module->arena, &value->type);
        tile_error(e->module, TILE_T106, ast->where,
                   "and, or, not: expected a bool scalar, got %s%s", text ? text : "?",
                   value->type.rank ? ": & | ~ are for tiles" : "");
        return NULL;
    }
    return value;
}

enum tile_op_kind tile_logical_op(const struct tile_ast *ast)
{
    return ast->kind == TILE_AST_AND ? TILE_AND : ast->kind == TILE_AST_OR ? TILE_OR : TILE_NOT;
}

static struct tile_meaning elaborate_logical(struct tile_elaborator *e, const struct tile_ast *ast)
{
    struct tile_meaning x = tile_elaborate_expression(e, ast->child[0]);
    struct tile_meaning y = { 0 };
    enum tile_op_kind op = tile_logical_op(ast);
    bool unary = op == TILE_NOT;

    if (!unary)
        y = tile_elaborate_expression(e, ast->child[1]);
    if (x.kind == TILE_TRUTH && (unary || y.kind == TILE_TRUTH))
        return unary ? tile_fold_unary(e, op, &x) : tile_fold_binary(e, op, &x, &y);
    struct tile_value *a = truth_value(e, &x, ast->child[0]);
    struct tile_value *b = unary ? NULL : truth_value(e, &y, ast->child[1]);
    e->b.where = ast->where;
    if (!a || (!unary && !b))
        return (struct tile_meaning){ 0 };
    return tile_meaning_of(unary ? tile_build_unary(&e->b, op, tile_of(a))
                                 : tile_build_binary(&e->b, op, tile_of(a), tile_of(b), false));
}

// Elaborates t[i, ..], which loads an element, and x[:, None], which inserts axes of extent 1.
static struct tile_meaning elaborate_subscript(struct tile_elaborator *e,
                                               const struct tile_ast *ast)
{
    struct tile_value *value = tile_elaborate_value(e, ast->child[0]);
    uint32_t count = ast->count - 1;
    struct tile_operand index[TILE_MAX_RANK];
    int64_t extent[TILE_MAX_RANK + 1];
    uint32_t rank = 0, used = 0;

    e->b.where = ast->where;
    if (!value)
        return (struct tile_meaning){ 0 };
    if (value->type.tensor) {
        int64_t shape[TILE_MAX_RANK];
        if (count > TILE_MAX_RANK)
            count = TILE_MAX_RANK;
        for (uint32_t i = 0; i < count; i++) {
            shape[i] = -1;
            if (ast->child[1 + i]->kind == TILE_AST_COLON ||
                ast->child[1 + i]->kind == TILE_AST_NONE) {
                tile_error(e->module, TILE_T302, ast->child[1 + i]->where,
                           "subscript: a tensor is read by element: use load for tiles");
                return (struct tile_meaning){ 0 };
            }
            if (!tile_elaborate_operand(e, ast->child[1 + i], &index[i]))
                return (struct tile_meaning){ 0 };
        }
        e->b.where = ast->where;
        struct tile_access_args access = {
            .tensor = value, .index = index, .count = count, .shape = shape, .axes = count
        };
        return tile_meaning_of(tile_build_load(&e->b, TILE_LOAD_AT, &access));
    }
    for (uint32_t i = 0; i < count; i++) {
        bool none = ast->child[1 + i]->kind == TILE_AST_NONE;
        if (!none && ast->child[1 + i]->kind != TILE_AST_COLON) {
            tile_error(e->module, TILE_T302, ast->child[1 + i]->where,
                       "subscript: tiles take : and None only: use extract or take for elements");
            return (struct tile_meaning){ 0 };
        }
        if (rank == TILE_MAX_RANK || (!none && used == value->type.rank)) {
            tile_error(e->module, TILE_T204, ast->where,
                       "subscript: expected at most one : for each of the %d axes",
                       value->type.rank);
            return (struct tile_meaning){ 0 };
        }
        extent[rank++] = none ? 1 : value->type.extent[used++];
    }
    if (value->type.rank - used > TILE_MAX_RANK - rank) {
        tile_error(e->module, TILE_T207, ast->where, "subscript: at most %d axes, got %u",
                   TILE_MAX_RANK, rank + value->type.rank - used);
        return (struct tile_meaning){ 0 };
    }
    while (used < value->type.rank)
        extent[rank++] = value->type.extent[used++];
    return tile_meaning_of(tile_build_reshape(&e->b, value, rank, extent));
}

struct tile_function_ast *tile_find_function(struct tile_elaborator *e, const char *name)
{
    uint32_t known = e->file ? tile_names_find(&e->file->functions, name) : UINT32_MAX;

    return known == UINT32_MAX ? NULL : e->file->functions.name[known].value;
}

void tile_report_no_function(struct tile_elaborator *e, const struct tile_ast *ast)
{
    const char *near = NULL;

    if (tile_lookup(e, ast->text)) {
        tile_error(e->module, TILE_T503, ast->where, "call: %s is not a function", ast->text);
        return;
    }
    for (struct tile_function_ast *fn = e->file ? e->file->function : NULL;
         fn && tile_error_is_kept(e->module); fn = fn->next)
        near = tile_nearer(ast->text, near, fn->name);
    near = tile_nearest_call(ast->text, near);
    const char *instead = tile_written_instead(ast->text);
    if (instead)
        tile_error(e->module, TILE_T503, ast->where, "call: there is no function %s: write %s",
                   ast->text, instead);
    else
        tile_error(e->module, TILE_T503, ast->where, "call: there is no function %s%s%s%s",
                   ast->text, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
}

bool tile_match_function(struct tile_elaborator *e, const struct tile_function_ast *fn,
                         const struct tile_ast *ast, const struct tile_ast **argument)
{
    if (ast->count != fn->parameters || ast->count > TILE_MAX_FN_PARAMETERS) {
        tile_error(e->module, TILE_T504, ast->where, "%s: expected %u argument%s, got %u", fn->name,
                   fn->parameters, TILE_S(fn->parameters), ast->count);
        return false;
    }
    memset(argument, 0, fn->parameters * sizeof(*argument));
    for (uint32_t i = 0; i < ast->count; i++) {
        const struct tile_ast *value = ast->child[i];
        uint32_t at = i;
        if (value->kind == TILE_AST_NAMED) {
            for (at = 0; at < fn->parameters &&
                         (!fn->parameter[at] || strcmp(fn->parameter[at], value->text) != 0);
                 at++)
                ;
            if (at == fn->parameters) {
                tile_error(e->module, TILE_T504, value->where, "%s: there is no parameter %s",
                           fn->name, value->text);
                return false;
            }
            value = value->child[0];
        }
        if (argument[at]) {
            tile_error(e->module, TILE_T504, value->where, "%s: %s is given twice", fn->name,
                       fn->parameter[at] ? fn->parameter[at] : "an argument");
            return false;
        }
        argument[at] = value;
    }
    return true;
}

static uint32_t call_values(struct tile_elaborator *e, const struct tile_ast *ast,
                            struct tile_meaning *out)
{
    struct tile_function_ast *fn = tile_find_function(e, ast->text);
    const struct tile_ast *given[TILE_MAX_FN_PARAMETERS];
    struct tile_meaning argument[TILE_MAX_FN_PARAMETERS];
    bool known = false, ok = true;

    if (!fn) {
        uint32_t count = tile_elaborate_call(e, ast, out, &known);
        if (!known)
            tile_report_no_function(e, ast);
        return count;
    }
    if (!tile_match_function(e, fn, ast, given))
        return 0;
    for (uint32_t i = 0; i < fn->parameters; i++) {
        argument[i] = tile_elaborate_expression(e, given[i]);
        ok &= argument[i].kind != TILE_NOTHING;
    }
    return ok ? tile_elaborate_function(e, fn, argument, ast->where, out) : 0;
}

uint32_t tile_elaborate_values(struct tile_elaborator *e, const struct tile_ast *ast,
                               struct tile_meaning *out)
{
    if (ast && ast->kind == TILE_AST_CALL) {
        e->b.where = ast->where;
        return call_values(e, ast, out);
    }
    out[0] = tile_elaborate_expression(e, ast);
    return out[0].kind != TILE_NOTHING;
}

// noinline keeps the large array out of the frames of the recursion over nested expressions.
__attribute__((noinline)) static struct tile_meaning elaborate_call(struct tile_elaborator *e,
                                                                    const struct tile_ast *ast)
{
    struct tile_meaning values[TILE_MAX_VALUES];
    uint32_t errors = e->module->diagnostics->errors;
    uint32_t count = tile_elaborate_values(e, ast, values);

    if (count == 1)
        return values[0];
    // A built-in call has no value if it is made for its effect, or after an error.
    bool none = tile_is_builtin(ast->text) ? tile_only_acts(ast) : !errors;
    if (e->module->diagnostics->errors == errors && (count || none))
        tile_error(e->module, TILE_T508, ast->where, "%s: gives %u value%s, expected one",
                   ast->text, count, TILE_S(count));
    return (struct tile_meaning){ 0 };
}

static struct tile_meaning elaborate_int(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return tile_meaning_of_int(ast->i);
}

static struct tile_meaning elaborate_real(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return tile_meaning_of_real(ast->f);
}

static struct tile_meaning elaborate_bool(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return tile_meaning_of_truth(ast->i);
}

static struct tile_meaning elaborate_text(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return (struct tile_meaning){ .kind = TILE_STRING, .text = ast->text };
}

static struct tile_meaning elaborate_dtype(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return (struct tile_meaning){ .kind = TILE_DTYPE, .dtype = (cuc_dtype)ast->i };
}

static struct tile_meaning elaborate_product(struct tile_elaborator *e, const struct tile_ast *ast)
{
    struct tile_value *x = tile_elaborate_value(e, ast->child[0]);
    struct tile_value *y = tile_elaborate_value(e, ast->child[1]);

    e->b.where = ast->where;
    return tile_meaning_of(tile_build_product(&e->b, x, y));
}

static struct tile_meaning elaborate_misplaced(struct tile_elaborator *e,
                                               const struct tile_ast *ast)
{
    tile_error(e->module, TILE_T504, ast->where, "expression: a %s cannot stand here",
               ast->kind == TILE_AST_LIST    ? "list"
               : ast->kind == TILE_AST_NAMED ? "named argument"
                                             : "blank");
    return (struct tile_meaning){ 0 };
}

static struct tile_meaning elaborate_one(struct tile_elaborator *e, const struct tile_ast *ast)
{
    static struct tile_meaning (*const kinds[])(struct tile_elaborator *,
                                                const struct tile_ast *) = {
#define TILE_AST(id, level, elaborate, ...) elaborate_##elaborate,
#include "ast.def"
    };

    e->b.where = ast->where;
    return kinds[ast->kind](e, ast);
}

bool tile_elaborate_enter(struct tile_elaborator *e, struct tile_location where)
{
    tile_set_location(e->module, where);
    bool deep = e->depth >= TILE_MAX_DEPTH;

    if (e->exhausted)
        return false;
    if (deep || e->work >= TILE_MAX_WORK) {
        tile_error(e->module, deep ? TILE_T006 : TILE_T007, where,
                   deep ? "expression: nested deeper than %d, with the functions that are called"
                        : "program: more than %d expressions and blocks, with every iteration of a "
                          "static for and every call: make it with loops",
                   deep ? TILE_MAX_DEPTH : TILE_MAX_WORK);
        e->exhausted = true;
        return false;
    }
    e->depth++;
    e->work++;
    return true;
}

struct tile_meaning tile_elaborate_expression(struct tile_elaborator *e, const struct tile_ast *ast)
{
    struct tile_meaning meaning = { 0 };

    if (ast && tile_elaborate_enter(e, ast->where)) {
        meaning = elaborate_one(e, ast);
        e->depth--;
    }
    return meaning;
}
