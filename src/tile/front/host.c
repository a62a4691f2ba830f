// Elaborates expressions that the host computes at launch, in exact 64-bit integers: grids, facts,
// extents.
#include "elaborate.h"

#include "tile/ir/host.h"
#include "tile/ir/print.h"
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

static struct tile_host_expression *make(struct tile_elaborator *e, enum tile_host_kind kind)
{
    struct tile_host_expression *x = tile_take(e->module, sizeof(*x));

    if (x)
        x->kind = kind;
    return x;
}

static const struct tile_host_expression *refuse(struct tile_elaborator *e,
                                                 const struct tile_ast *ast, const char *why)
{
    tile_error(e->module, TILE_T701, ast->where, "host: %s", why);
    return NULL;
}

static const struct tile_host_expression *constant(struct tile_elaborator *e, int64_t value)
{
    struct tile_host_expression *x = make(e, TILE_HOST_CONSTANT);

    if (x)
        x->value = value;
    return x;
}

// Makes an integer constant. It must fit i64, in which the host computes.
static const struct tile_host_expression *integer(struct tile_elaborator *e,
                                                  const struct tile_ast *ast, tile_wide value)
{
    char digits[TILE_WIDE_BYTES];

    if (value <= INT64_MAX)
        return constant(e, (int64_t)value);
    tile_error(e->module, TILE_T103, ast->where, "host: %s is out of the range of i64",
               tile_wide_text(digits, value));
    return NULL;
}

static enum tile_host_wish wish_of(enum tile_op_kind op, uint32_t operand)
{
    if (op == TILE_AND || op == TILE_OR || op == TILE_NOT || (op == TILE_WHERE && !operand))
        return TILE_HOST_CONDITION;
    return op == TILE_EQ || op == TILE_NE || op == TILE_WHERE ? TILE_HOST_EITHER
                                                              : TILE_HOST_INTEGER;
}

static bool is_condition(struct tile_elaborator *e, const struct tile_ast *ast);

// Functions for the column `condition` of ast.def. They return true for a condition and false for a
// number.

static bool condition_always(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    (void)ast;
    return true;
}

static bool condition_never(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    (void)ast;
    return false;
}

static bool condition_comparison(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return tile_op_infos[ast->op].traits & TILE_COMPARES;
}

static bool condition_call(struct tile_elaborator *e, const struct tile_ast *ast)
{
    if (strcmp(ast->text, "where") == 0 && ast->count == 3)
        return is_condition(e, ast->child[1]);
    return strcmp(ast->text, "noalias") == 0 || strcmp(ast->text, "align") == 0 ||
           strcmp(ast->text, "unit") == 0;
}

static bool condition_name(struct tile_elaborator *e, const struct tile_ast *ast)
{
    const struct tile_binding *binding = tile_lookup(e, ast->text);

    return binding && (binding->what.kind == TILE_TRUTH ||
                       (binding->what.kind == TILE_OPERAND && binding->what.operand.value &&
                        binding->what.operand.value->type.dtype == CUC_BOOL));
}

static bool is_condition(struct tile_elaborator *e, const struct tile_ast *ast)
{
    static bool (*const kinds[])(struct tile_elaborator *, const struct tile_ast *) = {
#define TILE_AST(id, level, elaborate, host, condition, ...) condition_##condition,
#include "ast.def"
    };

    return kinds[ast->kind](e, ast);
}

// Folds constants at compile time, so that errors in them are reported before a launch.
static const struct tile_host_expression *combine(struct tile_elaborator *e, enum tile_op_kind op,
                                                  const struct tile_ast *ast)
{
    struct tile_host_expression *x = make(e, TILE_HOST_OP);
    int64_t value[3] = { 0 }, result;
    bool ok = x != NULL, known = true;
    char why[160];

    for (uint32_t i = 0; x && i < ast->count; i++) {
        x->operand[i] = tile_elaborate_host(e, ast->child[i], wish_of(op, i));
        ok &= x->operand[i] != NULL;
        known &= ok && x->operand[i]->kind == TILE_HOST_CONSTANT;
        value[i] = known ? x->operand[i]->value : 0;
    }
    if (!ok)
        return NULL;
    x->op = op;
    bool divides = tile_is_floored_division(op);
    if (divides && x->operand[1]->kind == TILE_HOST_CONSTANT && !x->operand[1]->value) {
        tile_error(e->module, TILE_T509, ast->where, "host: a division by zero");
        return NULL;
    }
    if (!known)
        return x;
    if (tile_host_compute(op, value, &result, why, sizeof(why)))
        return constant(e, result);
    tile_error(e->module, TILE_T509, ast->where, "host: %s", why);
    return NULL;
}

// Functions for the column `host` of ast.def.

static const struct tile_host_expression *host_int(struct tile_elaborator *e,
                                                   const struct tile_ast *ast)
{
    return integer(e, ast, ast->i);
}

static bool mentions(const struct tile_ast *ast, const char *name)
{
    bool found = ast && ast->kind == TILE_AST_NAME && strcmp(ast->text, name) == 0;

    for (uint32_t i = 0; ast && i < ast->count && !found; i++)
        found = mentions(ast->child[i], name);
    return found;
}

// Returns the name of a tensor with an extent that is an expression with `name`; NULL if none has.
static const char *extent_with(const struct tile_elaborator *e, const char *name)
{
    for (uint32_t i = 0; i < e->kernel->parameters; i++) {
        const struct tile_parameter_ast *p = &e->kernel->parameter[i];
        for (uint32_t axis = 0; axis < p->extents; axis++)
            if (p->extent[axis] && p->extent[axis]->kind != TILE_AST_NAME &&
                mentions(p->extent[axis], name))
                return p->name;
    }
    return NULL;
}

// Finds a name in the kernel's header.
static const struct tile_host_expression *host_name(struct tile_elaborator *e,
                                                    const struct tile_ast *ast)
{
    const struct tile_binding *binding = tile_lookup(e, ast->text);

    if (!binding) {
        const char *tensor = extent_with(e, ast->text);
        if (!tensor) {
            tile_report_unbound(e, ast);
            return NULL;
        }
        tile_error(e->module, TILE_T501, ast->where,
                   "name: nothing binds %s: an extent that is an expression binds no name: write a "
                   "name as the extent of %s, and compute %s from it",
                   ast->text, tensor, ast->text);
        tile_bind(e, ast->text, (struct tile_meaning){ 0 }, ast->where); // no further reports
        return NULL;
    }
    const struct tile_meaning *m = &binding->what;
    if (tile_meaning_is_constant(m)) {
        if (m->operand.real)
            return refuse(e, ast, "expected integers, got a float constant");
        return integer(e, ast, m->operand.i);
    }
    if (m->kind != TILE_OPERAND || !m->operand.value)
        return m->kind == TILE_NOTHING ? NULL : refuse(e, ast, "expected an integer");
    const struct tile_value *value = m->operand.value;
    if (value->op && value->op->kind == TILE_DIMENSION) {
        struct tile_host_expression *x = make(e, TILE_HOST_DIMENSION);
        if (x)
            x->index = (uint32_t)tile_int(value->op, TILE_ATTR_INDEX, 0);
        return x;
    }
    if (!value->op && !value->block && !value->type.tensor && value->type.dtype >= CUC_BOOL &&
        value->type.dtype <= CUC_U64) {
        struct tile_host_expression *x = make(e, TILE_HOST_SCALAR);
        if (x)
            x->index = value->index;
        return x;
    }
    return refuse(e, ast, "expected a dimension, a constant or an integer argument");
}

// Finds the tensor parameter to which an argument refers.
static bool parameter(struct tile_elaborator *e, const struct tile_ast *ast, uint32_t *index)
{
    const struct tile_binding *binding = ast->kind == TILE_AST_NAME ? tile_lookup(e, ast->text)
                                                                    : NULL;

    if (!binding || binding->what.kind != TILE_OPERAND || !binding->what.operand.value ||
        !binding->what.operand.value->type.tensor) {
        refuse(e, ast, "expected a tensor parameter");
        return false;
    }
    *index = binding->what.operand.value->index;
    return true;
}

static const struct tile_host_expression *
about_tensor(struct tile_elaborator *e, const struct tile_ast *call, enum tile_host_kind kind)
{
    struct tile_host_expression *x = make(e, kind);
    uint32_t other;
    int64_t i;

    if (!x || !parameter(e, call->child[0], &x->index))
        return NULL;
    if (kind == TILE_HOST_NOALIAS) {
        if (!parameter(e, call->child[1], &other))
            return NULL;
        x->value = other;
        return x;
    }
    if (!tile_elaborate_int(e, call->child[1], call->text, &i))
        return NULL;
    if (kind == TILE_HOST_ALIGNED) {
        if (i < 1 || i > 4096 || (i & (i - 1)))
            return refuse(e, call, "align: expected a power of two from 1 to 4096");
        x->value = i;
        return x;
    }
    if (i < 0 || i >= e->b.kernel->parameter[x->index].value->type.rank) {
        tile_error(e->module, TILE_T204, call->where, "%s: expected an axis from 0 to %d, got %lld",
                   call->text, e->b.kernel->parameter[x->index].value->type.rank - 1, (long long)i);
        return NULL;
    }
    x->axis = (uint32_t)i;
    return x;
}

static const struct tile_host_expression *host_call(struct tile_elaborator *e,
                                                    const struct tile_ast *ast)
{
    static const struct {
        const char *name;
        uint32_t arguments;
        enum tile_host_kind kind;
        enum tile_op_kind op;
    } calls[] = {
        { "cdiv", 2, TILE_HOST_OP, TILE_CDIV },
        { "minimum", 2, TILE_HOST_OP, TILE_MINIMUM },
        { "maximum", 2, TILE_HOST_OP, TILE_MAXIMUM },
        { "where", 3, TILE_HOST_OP, TILE_WHERE },
#define TILE_HOST(id, word, ...) { word, 2, TILE_HOST_##id, TILE_OP_COUNT },
#include "tile/ir/host.def"
    };

    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        if (!calls[i].name || strcmp(calls[i].name, ast->text) != 0)
            continue;
        if (ast->count != calls[i].arguments) {
            tile_error(e->module, TILE_T504, ast->where, "%s: expected %u argument%s, got %u",
                       ast->text, calls[i].arguments, TILE_S(calls[i].arguments), ast->count);
            return NULL;
        }
        return calls[i].kind == TILE_HOST_OP ? combine(e, calls[i].op, ast)
                                             : about_tensor(e, ast, calls[i].kind);
    }
    return refuse(e, ast,
                  "the host has cdiv, minimum, maximum, where, dim, stride; facts also "
                  "noalias, align, unit");
}

// Host expressions use the words `and` and `or`. The signs & and | would be bitwise operators,
// which the host does not have.
static bool is_host_sign(enum tile_op_kind op)
{
    return tile_op_infos[op].traits & TILE_ON_HOST && op != TILE_AND && op != TILE_OR;
}

static const struct tile_host_expression *host_unary(struct tile_elaborator *e,
                                                     const struct tile_ast *ast)
{
    return ast->op == TILE_NEG ? combine(e, TILE_NEG, ast)
                               : refuse(e, ast, "~ is not for the host");
}

static const struct tile_host_expression *host_logical(struct tile_elaborator *e,
                                                       const struct tile_ast *ast)
{
    return combine(e, tile_logical_op(ast), ast);
}

static const struct tile_host_expression *host_binary(struct tile_elaborator *e,
                                                      const struct tile_ast *ast)
{
    if (ast->op == TILE_DIV)
        return refuse(e, ast, "/ gives floats: write // or cdiv");
    return is_host_sign(ast->op) ? combine(e, ast->op, ast)
                                 : refuse(e, ast, "the host has + - * // % and comparisons");
}

static const struct tile_host_expression *host_refused(struct tile_elaborator *e,
                                                       const struct tile_ast *ast)
{
    return refuse(e, ast,
                  "expected integers that a launch knows: dimensions, scalar arguments, constants");
}

static const struct tile_host_expression *elaborate(struct tile_elaborator *e,
                                                    const struct tile_ast *ast)
{
    static const struct tile_host_expression *(*const kinds[])(struct tile_elaborator *,
                                                               const struct tile_ast *) = {
#define TILE_AST(id, level, elaborate, host, ...) host_##host,
#include "ast.def"
    };

    return kinds[ast->kind](e, ast);
}

const struct tile_host_expression *
tile_elaborate_host(struct tile_elaborator *e, const struct tile_ast *ast, enum tile_host_wish wish)
{
    const struct tile_host_expression *x = ast ? elaborate(e, ast) : NULL;

    if (!x || wish == TILE_HOST_EITHER || is_condition(e, ast) == (wish == TILE_HOST_CONDITION))
        return x;
    return refuse(e, ast,
                  wish == TILE_HOST_INTEGER ? "expected an integer, got a condition"
                                            : "expected a condition such as N > 0, got an integer");
}

// The precedence of binary operators.
static const uint8_t levels[TILE_OP_COUNT] = {
    [TILE_EQ] = 4,   [TILE_NE] = 4,   [TILE_LT] = 4,        [TILE_LE] = 4,   [TILE_GT] = 4,
    [TILE_GE] = 4,   [TILE_OR] = 5,   [TILE_XOR] = 6,       [TILE_AND] = 7,  [TILE_SHL] = 8,
    [TILE_SHR] = 8,  [TILE_ADD] = 9,  [TILE_SUB] = 9,       [TILE_MUL] = 10, [TILE_DIV] = 10,
    [TILE_MOD] = 10, [TILE_POW] = 12, [TILE_FLOORDIV] = 10,
};

static int level_of(const struct tile_ast *ast)
{
    static const uint8_t kinds[] = {
#define TILE_AST(id, level, ...) level,
#include "ast.def"
    };

    return ast->kind == TILE_AST_BINARY ? levels[ast->op] : kinds[ast->kind];
}

// Returns the text of a child, in parentheses if its precedence is lower than `least`.
static const char *child_text(struct tile_elaborator *e, const struct tile_ast *ast, uint32_t child,
                              int least)
{
    const struct tile_ast *x = child < ast->count ? ast->child[child] : NULL;
    const char *text = tile_ast_text(e, x);

    if (!x || level_of(x) >= least)
        return text;
    text = cuc__arena_print(e->module->arena, "(%s)", text);
    return text ? text : "?";
}

// Functions for the column `text` of ast.def. They return NULL if out of memory.

static const char *text_int(struct tile_elaborator *e, const struct tile_ast *ast)
{
    char digits[TILE_WIDE_BYTES];

    return cuc__arena_print(e->module->arena, "%s", tile_wide_text(digits, ast->i));
}

static const char *text_real(struct tile_elaborator *e, const struct tile_ast *ast)
{
    return cuc__arena_print(e->module->arena, "%g", ast->f);
}

static const char *text_bool(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return ast->i ? "true" : "false";
}

static const char *text_name(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    return ast->text;
}

static const char *text_prefix(struct tile_elaborator *e, const struct tile_ast *ast)
{
    return cuc__arena_print(e->module->arena, "%s%s",
                            ast->kind == TILE_AST_NOT_WORD ? "not "
                            : ast->op == TILE_NEG          ? "-"
                                                           : "~",
                            child_text(e, ast, 0, level_of(ast)));
}

// Puts the second operand in parentheses if its precedence is equal. Comparisons do not chain, so
// the same holds for their first operand.
static const char *text_infix(struct tile_elaborator *e, const struct tile_ast *ast)
{
    int level = level_of(ast);

    return cuc__arena_print(e->module->arena, "%s %s %s",
                            child_text(e, ast, 0, level == levels[TILE_EQ] ? level + 1 : level),
                            ast->kind == TILE_AST_AND  ? "and"
                            : ast->kind == TILE_AST_OR ? "or"
                                                       : tile_op_sign(ast->op),
                            child_text(e, ast, 1, level + 1));
}

static const char *text_call(struct tile_elaborator *e, const struct tile_ast *ast)
{
    struct cuc__arena *arena = e->module->arena;
    const char *text = "";

    for (uint32_t i = 0; i < ast->count && text; i++)
        text = cuc__arena_print(arena, "%s%s%s", text, i ? ", " : "", child_text(e, ast, i, 0));
    return text ? cuc__arena_print(arena, "%s(%s)", ast->text, text) : NULL;
}

static const char *text_unknown(struct tile_elaborator *e, const struct tile_ast *ast)
{
    (void)e;
    (void)ast;
    return NULL;
}

// Returns an expression as it was written, without redundant spaces and parentheses.
const char *tile_ast_text(struct tile_elaborator *e, const struct tile_ast *ast)
{
    static const char *(*const kinds[])(struct tile_elaborator *, const struct tile_ast *) = {
#define TILE_AST(id, level, elaborate, host, condition, text) text_##text,
#include "ast.def"
    };
    const char *text = ast ? kinds[ast->kind](e, ast) : NULL;

    return text ? text : "?";
}
