// Expressions, by precedence.
#include "parser.h"

#include "base/arena.h"

#include <cucore/base.h>

#include <math.h>
#include <string.h>

static struct tile_ast *node(struct tile_parser *p, enum tile_ast_kind kind,
                             struct tile_location where, uint32_t children)
{
    struct tile_ast *ast = tile_take(p->module, sizeof(*ast));

    if (!ast)
        return NULL;
    ast->kind = kind;
    ast->where = where;
    ast->count = children;
    ast->child = tile_take(p->module, (children + 1) * sizeof(struct tile_ast *));
    return ast->child ? ast : NULL;
}

// Limits a tree's height, since functions that walk an expression recurse into each child and must
// not overflow the stack.
static struct tile_ast *rooted(struct tile_parser *p, struct tile_ast *ast)
{
    for (uint32_t i = 0; i < ast->count; i++)
        if (ast->child[i] && ast->child[i]->height >= ast->height)
            ast->height = ast->child[i]->height + 1;
    if (ast->height <= TILE_MAX_HEIGHT)
        return ast;
    if (!p->failed)
        tile_error(p->module, TILE_T006, ast->where,
                   "syntax: more than %d operators one above another: give parts of the expression "
                   "a name",
                   TILE_MAX_HEIGHT);
    p->failed = true;
    return NULL;
}

static struct tile_ast *two(struct tile_parser *p, enum tile_ast_kind kind, enum tile_op_kind op,
                            struct tile_location where, struct tile_ast *x, struct tile_ast *y)
{
    struct tile_ast *ast = x && y ? node(p, kind, where, 2) : NULL;

    if (ast) {
        ast->op = op;
        ast->child[0] = x;
        ast->child[1] = y;
    }
    return ast ? rooted(p, ast) : NULL;
}

static struct tile_ast *one(struct tile_parser *p, enum tile_ast_kind kind, enum tile_op_kind op,
                            struct tile_location where, struct tile_ast *x)
{
    struct tile_ast *ast = x ? node(p, kind, where, 1) : NULL;

    if (ast) {
        ast->op = op;
        ast->child[0] = x;
    }
    return ast ? rooted(p, ast) : NULL;
}

// Parses items separated by commas up to and including a closing sign.
static bool items(struct tile_parser *p, uint32_t close, const char *what, struct tile_list *list,
                  struct tile_ast *(*item)(struct tile_parser *p))
{
    while (!p->failed && !tile_parser_at(p, close)) {
        tile_list_add(p, list, item(p));
        if (!tile_parser_take(p, ','))
            break;
    }
    return !p->failed && tile_parser_need(p, close, what);
}

static struct tile_ast *with_children(struct tile_parser *p, enum tile_ast_kind kind,
                                      struct tile_location where, const struct tile_list *list)
{
    struct tile_ast *ast = node(p, kind, where, 0);

    if (ast && list->count) {
        ast->child = (struct tile_ast **)list->item;
        ast->count = list->count;
    }
    return ast ? rooted(p, ast) : NULL;
}

static struct tile_ast *list_item(struct tile_parser *p)
{
    if (tile_parser_at_word(p, "_")) {
        struct tile_ast *blank = node(p, TILE_AST_BLANK, p->token.where, 0);
        tile_parser_next(p);
        return blank;
    }
    return tile_parse_expression(p);
}

static struct tile_ast *argument(struct tile_parser *p)
{
    struct tile_token name = p->token;
    struct tile_parser before = *p;

    // Look one token further to recognize `NAME =`. `nan` may also be a name here.
    if (name.kind == TILE_TOKEN_NAME) {
        tile_parser_next(p);
        if (tile_parser_take(p, '=')) {
            struct tile_ast *ast =
                one(p, TILE_AST_NAMED, TILE_OP_COUNT, name.where, tile_parse_expression(p));
            if (ast)
                ast->text = cuc__arena_copy(p->module->arena, name.at, name.bytes);
            return ast;
        }
        *p = before;
    }
    return tile_parse_expression(p);
}

static struct tile_ast *subscript(struct tile_parser *p)
{
    struct tile_location where = p->token.where;

    if (tile_parser_take(p, ':'))
        return node(p, TILE_AST_COLON, where, 0);
    if (tile_parser_take_word(p, "None"))
        return node(p, TILE_AST_NONE, where, 0);
    struct tile_ast *ast = tile_parse_expression(p);
    if (ast && tile_parser_at(p, ':') && !p->failed) {
        tile_error(p->module, TILE_T004, p->token.where,
                   "syntax: a part of a tensor is slice(t, axis, start, stop) or a load, of a tile "
                   "extract");
        p->failed = true;
    }
    return ast;
}

static struct tile_ast *word(struct tile_parser *p)
{
    static const struct {
        const char *word;
        enum tile_ast_kind kind;
        int64_t i;
        double f;
    } words[] = {
        { "true", TILE_AST_BOOL, 1, 0 },
        { "false", TILE_AST_BOOL, 0, 0 },
        { "inf", TILE_AST_REAL, 0, INFINITY },
        { "nan", TILE_AST_REAL, 0, NAN },
    };
    struct tile_token name = p->token;
    struct tile_list list = { 0 };
    struct tile_ast *ast;

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (tile_parser_take_word(p, words[i].word)) {
            ast = node(p, words[i].kind, name.where, 0);
            if (ast) {
                ast->i = words[i].i;
                ast->f = words[i].f;
            }
            return ast;
        }
    if (tile_is_keyword(&name)) {
        if (tile_parser_at_word(p, "if"))
            tile_parser_expected_end(p, "an expression");
        else
            tile_parser_refuse_keyword(p, "an expression");
        return NULL;
    }
    tile_parser_next(p);
    const char *text = cuc__arena_copy(p->module->arena, name.at, name.bytes);
    cuc_dtype dtype = text ? cuc_dtype_from_name(text) : CUC_DTYPE_UNKNOWN;
    if (dtype != CUC_DTYPE_UNKNOWN && dtype <= CUC_E5M2) {
        if (tile_parser_at(p, '(')) {
            if (!p->failed)
                tile_error(p->module, TILE_T503, name.where,
                           "syntax: %s is a dtype, not a function: write cast(x, %s)", text, text);
            p->failed = true;
            return NULL;
        }
        ast = node(p, TILE_AST_DTYPE, name.where, 0);
        if (ast)
            ast->i = dtype;
        return ast;
    }
    if (!tile_parser_take(p, '(')) {
        ast = node(p, TILE_AST_NAME, name.where, 0);
    } else {
        if (!items(p, ')', ", or )", &list, argument))
            return NULL;
        ast = with_children(p, TILE_AST_CALL, name.where, &list);
    }
    if (ast)
        ast->text = text;
    return ast;
}

static struct tile_ast *primary(struct tile_parser *p)
{
    struct tile_token t = p->token;
    struct tile_list list = { 0 };
    struct tile_ast *ast = NULL;

    switch (t.kind) {
    case TILE_TOKEN_INT:
    case TILE_TOKEN_REAL:
    case TILE_TOKEN_TEXT:
        tile_parser_next(p);
        ast = node(p,
                   t.kind == TILE_TOKEN_INT    ? TILE_AST_INT
                   : t.kind == TILE_TOKEN_REAL ? TILE_AST_REAL
                                               : TILE_AST_TEXT,
                   t.where, 0);
        if (ast) {
            ast->i = (tile_wide)t.value;
            ast->f = t.real;
            ast->text = t.text;
        }
        p->failed |= t.wrong; // already reported
        return ast;
    case TILE_TOKEN_NAME:
        return word(p);
    default:
        break;
    }
    if (tile_parser_take(p, '(')) {
        ast = tile_parse_expression(p);
        return ast && tile_parser_need(p, ')', ")") ? ast : NULL;
    }
    if (tile_parser_take(p, '['))
        return items(p, ']', ", or ]", &list, list_item)
                   ? with_children(p, TILE_AST_LIST, t.where, &list)
                   : NULL;
    tile_parser_expected_end(p, "an expression");
    return NULL;
}

static struct tile_ast *postfix(struct tile_parser *p)
{
    struct tile_ast *ast = primary(p);

    while (ast && !p->failed && tile_parser_at(p, '[')) {
        struct tile_list list = { 0 };
        struct tile_location where = p->token.where;
        tile_parser_next(p);
        tile_list_add(p, &list, ast);
        if (!items(p, ']', ", or ]", &list, subscript))
            return NULL;
        ast = with_children(p, TILE_AST_SUBSCRIPT, where, &list);
    }
    return ast;
}

static struct tile_ast *unary(struct tile_parser *p);

// Parses **, which binds more tightly than a preceding sign and is right-associative.
static struct tile_ast *power(struct tile_parser *p)
{
    struct tile_ast *base = postfix(p);
    struct tile_location where = p->token.where;

    if (!base || !tile_parser_take(p, TILE_SIGN2('*', '*')))
        return base;
    if (!tile_parser_enter(p))
        return NULL;
    struct tile_ast *exponent = unary(p);
    p->depth--;
    return two(p, TILE_AST_BINARY, TILE_POW, where, base, exponent);
}

static struct tile_ast *unary(struct tile_parser *p)
{
    struct tile_location where = p->token.where;
    struct tile_ast *ast;

    if (!tile_parser_at(p, '-') && !tile_parser_at(p, '~'))
        return power(p);
    if (!tile_parser_enter(p))
        return NULL;
    enum tile_op_kind op = tile_parser_at(p, '-') ? TILE_NEG : TILE_NOT;
    tile_parser_next(p);
    ast = one(p, TILE_AST_UNARY, op, where, unary(p));
    p->depth--;
    return ast;
}

// Binary operators, lowest precedence first.
static const struct {
    uint32_t sign;
    int level;
    enum tile_op_kind op; // TILE_OP_COUNT stands for @
} operators[] = {
    { TILE_SIGN2('=', '='), 1, TILE_EQ },
    { TILE_SIGN2('!', '='), 1, TILE_NE },
    { '<', 1, TILE_LT },
    { TILE_SIGN2('<', '='), 1, TILE_LE },
    { '>', 1, TILE_GT },
    { TILE_SIGN2('>', '='), 1, TILE_GE },
    { '|', 2, TILE_OR },
    { '^', 3, TILE_XOR },
    { '&', 4, TILE_AND },
    { TILE_SIGN2('<', '<'), 5, TILE_SHL },
    { TILE_SIGN2('>', '>'), 5, TILE_SHR },
    { '+', 6, TILE_ADD },
    { '-', 6, TILE_SUB },
    { '*', 7, TILE_MUL },
    { '/', 7, TILE_DIV },
    { TILE_SIGN2('/', '/'), 7, TILE_FLOORDIV },
    { '%', 7, TILE_MOD },
    { '@', 7, TILE_OP_COUNT },
};
enum { COMPARISON = 1, TIGHTEST = 7 };

static int operator_at(const struct tile_parser *p, int level)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
        if (operators[i].level == level && tile_parser_at(p, operators[i].sign))
            return (int)i;
    return -1;
}

static struct tile_ast *binary(struct tile_parser *p, int level)
{
    struct tile_ast *x = level > TIGHTEST ? unary(p) : binary(p, level + 1);
    int row;

    if (level > TIGHTEST)
        return x;
    for (bool again = false; x && (row = operator_at(p, level)) >= 0; again = true) {
        struct tile_location where = p->token.where;
        if (again && level == COMPARISON) {
            tile_error(
                p->module, TILE_T004, where,
                "syntax: comparisons do not chain, and & binds tighter: write (a < b) & (b < c)");
            p->failed = true;
            return NULL;
        }
        tile_parser_next(p);
        struct tile_ast *y = binary(p, level + 1);
        x = operators[row].op == TILE_OP_COUNT
                ? two(p, TILE_AST_PRODUCT, TILE_OP_COUNT, where, x, y)
                : two(p, TILE_AST_BINARY, operators[row].op, where, x, y);
    }
    return x;
}

static struct tile_ast *negation(struct tile_parser *p)
{
    struct tile_location where = p->token.where;

    if (!tile_parser_take_word(p, "not"))
        return binary(p, COMPARISON);
    if (!tile_parser_enter(p))
        return NULL;
    struct tile_ast *ast = one(p, TILE_AST_NOT_WORD, TILE_OP_COUNT, where, negation(p));
    p->depth--;
    return ast;
}

static struct tile_ast *logical(struct tile_parser *p, bool is_or)
{
    struct tile_ast *x = is_or ? logical(p, false) : negation(p);
    struct tile_location where = p->token.where;

    while (x && tile_parser_take_word(p, is_or ? "or" : "and")) {
        struct tile_ast *y = is_or ? logical(p, false) : negation(p);
        x = two(p, is_or ? TILE_AST_OR : TILE_AST_AND, TILE_OP_COUNT, where, x, y);
        where = p->token.where;
    }
    return x;
}

struct tile_ast *tile_parse_expression(struct tile_parser *p)
{
    struct tile_ast *ast = NULL;

    if (p->failed)
        return NULL;
    if (tile_parser_enter(p)) {
        ast = logical(p, true);
        p->depth--;
    }
    return ast;
}

void tile_parse_expressions(struct tile_parser *p, struct tile_list *list)
{
    do
        tile_list_add(p, list, tile_parse_expression(p));
    while (!p->failed && tile_parser_take(p, ','));
}
