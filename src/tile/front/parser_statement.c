// Statements and blocks.
#include "parser.h"

#include "base/arena.h"

#include <string.h>

static struct tile_statement *statement_at(struct tile_parser *p, enum tile_statement_kind kind,
                                           struct tile_location where)
{
    struct tile_statement *s = tile_take(p->module, sizeof(*s));

    if (s) {
        s->kind = kind;
        s->where = where;
    } else {
        p->failed = true;
    }
    return s;
}

static void set_values(struct tile_statement *s, const struct tile_list *list)
{
    s->value = (struct tile_ast **)list->item;
    s->values = list->count;
}

static struct tile_statement *parse_for(struct tile_parser *p, struct tile_location where,
                                        bool is_static)
{
    struct tile_statement *s =
        statement_at(p, is_static ? TILE_STATEMENT_STATIC_FOR : TILE_STATEMENT_FOR, where);
    struct tile_list names = { 0 }, values = { 0 };

    if (!s)
        return NULL;
    bool dropped = tile_parser_at_word(p, "_");
    char *name = tile_parser_need_name(p, "the name of the loop's variable");
    tile_list_add(p, &names, dropped ? NULL : name);
    if (!tile_parser_take_word(p, "in"))
        tile_parser_expected(p, "in");
    struct tile_ast *first = tile_parse_expression(p);
    bool range = first && first->kind == TILE_AST_CALL && strcmp(first->text, "range") == 0;
    tile_list_add(p, &values, first);
    if (!p->failed)
        tile_parser_need(p, TILE_SIGN2('.', '.'),
                         range ? "0 .. n in place of range(n)" : ".. and where the loop ends");
    tile_list_add(p, &values, tile_parse_expression(p));
    if (tile_parser_take_word(p, "step"))
        tile_list_add(p, &values, tile_parse_expression(p));
    s->name = (const char **)(void *)names.item;
    s->names = names.count;
    set_values(s, &values);
    if (!p->failed)
        s->body = tile_parse_block(p);
    return s;
}

static struct tile_statement *parse_if(struct tile_parser *p, struct tile_location where)
{
    struct tile_statement *s = statement_at(p, TILE_STATEMENT_IF, where);
    struct tile_list values = { 0 };

    if (!s)
        return NULL;
    tile_list_add(p, &values, tile_parse_expression(p));
    set_values(s, &values);
    if (p->failed)
        return s;
    s->body = tile_parse_block(p);
    if (p->failed || !tile_parser_take_word(p, "else"))
        return s;
    s->has_otherwise = true;
    where = p->token.where;
    if (!tile_parser_take_word(p, "if")) {
        s->otherwise = tile_parse_block(p);
    } else if (tile_parser_enter(p)) {
        s->otherwise = parse_if(p, where);
        p->depth--;
    }
    return s;
}

// Parses `name... = value...`, `name op= value`, or a call.
static struct tile_statement *parse_binding(struct tile_parser *p, struct tile_location where)
{
    static const struct {
        char sign;
        enum tile_op_kind op;
    } updates[] = { { '+', TILE_ADD }, { '-', TILE_SUB }, { '*', TILE_MUL }, { '/', TILE_DIV } };
    struct tile_list names = { 0 }, values = { 0 };
    struct tile_names seen = { 0 };
    struct tile_parser before = *p;
    struct tile_token twice = { .kind = TILE_TOKEN_END };
    struct tile_statement *s;
    bool binds = true;

    // The three forms differ only in the token after the names.
    bool named = p->token.kind == TILE_TOKEN_NAME && !tile_is_keyword(&p->token);
    while (named) {
        bool dropped = tile_parser_at_word(p, "_"); // `_` binds nothing
        char *name = dropped ? NULL
                             : cuc__arena_copy(p->module->arena, p->token.at, p->token.bytes);
        struct tile_token token = p->token;
        tile_list_add(p, &names, name);
        tile_parser_next(p);
        bool more = tile_parser_take(p, ',');
        if (name && (more || names.count > 1) && !tile_names_take(&seen, p->module, name))
            twice = token;
        if (!more)
            break;
        named = p->token.kind == TILE_TOKEN_NAME && !tile_is_keyword(&p->token);
        if (!named && tile_is_keyword(&p->token))
            tile_parser_refuse_keyword(p, "a name");
    }
    if (p->failed) {
        s = statement_at(p, TILE_STATEMENT_BIND, where);
    } else if (named && tile_parser_take(p, '=')) {
        if (twice.kind != TILE_TOKEN_END)
            tile_error(p->module, TILE_T502, twice.where, "binding: %.*s is there twice",
                       (int)(twice.bytes < 40 ? twice.bytes : 40), twice.at);
        s = statement_at(p, TILE_STATEMENT_BIND, where);
        tile_parse_expressions(p, &values);
    } else {
        s = NULL;
        for (size_t i = 0; named && names.count == 1 && names.item[0] && !s && i < 4; i++)
            if (tile_parser_take(p, TILE_SIGN2(updates[i].sign, '='))) {
                s = statement_at(p, TILE_STATEMENT_UPDATE, where);
                if (s)
                    s->op = updates[i].op;
                tile_list_add(p, &values, tile_parse_expression(p));
            }
        if (!s) {
            *p = before;
            binds = false; // the names were part of the call
            s = statement_at(p, TILE_STATEMENT_CALL, where);
            struct tile_ast *call = tile_parse_expression(p);
            bool assigned = call && call->kind == TILE_AST_SUBSCRIPT && tile_parser_at(p, '=');
            bool wrong = assigned || (call && call->kind != TILE_AST_CALL);
            if (wrong && !p->failed && tile_parser_has_reported(p)) {
                p->failed = true;
            } else if (assigned && !p->failed) {
                tile_error(p->module, TILE_T004, where,
                           "syntax: elements are not assigned to: write store(t, [i], x) or "
                           "scatter, and insert(x, [i], y) for a new tile");
                p->failed = true;
            } else if (wrong && !p->failed) {
                tile_error(p->module, TILE_T004, where,
                           "syntax: expected a call or name = value: this expression does nothing");
                p->failed = true;
            }
            tile_list_add(p, &values, call);
        }
    }
    if (s) {
        s->name = binds ? (const char **)(void *)names.item : NULL;
        s->names = binds ? names.count : 0;
        set_values(s, &values);
    }
    return s;
}

// Reports a keyword in the place of the name that a statement binds.
static bool binds_keyword(struct tile_parser *p)
{
    static const uint32_t signs[] = { '=',
                                      ',',
                                      TILE_SIGN2('+', '='),
                                      TILE_SIGN2('-', '='),
                                      TILE_SIGN2('*', '='),
                                      TILE_SIGN2('/', '=') };
    struct tile_parser next = *p;
    bool binds = false;

    if (!tile_is_keyword(&p->token))
        return false;
    tile_parser_next(&next);
    for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
        binds |= tile_parser_at(&next, signs[i]);
    if (binds)
        tile_parser_refuse_keyword(p, "a name");
    return binds;
}

static struct tile_statement *parse_statement(struct tile_parser *p)
{
    struct tile_location where = p->token.where;
    struct tile_list values = { 0 };
    struct tile_statement *s;

    if (binds_keyword(p))
        return NULL;
    if (tile_parser_take_word(p, "static")) {
        if (tile_parser_take_word(p, "for"))
            return parse_for(p, where, true);
        tile_parser_expected(p, "for");
        return NULL;
    }
    if (tile_parser_take_word(p, "for"))
        return parse_for(p, where, false);
    if (tile_parser_take_word(p, "if"))
        return parse_if(p, where);
    if (tile_parser_take_word(p, "while")) {
        s = statement_at(p, TILE_STATEMENT_WHILE, where);
        tile_list_add(p, &values, tile_parse_expression(p));
        if (s) {
            set_values(s, &values);
            if (!p->failed)
                s->body = tile_parse_block(p);
        }
        return s;
    }
    if (tile_parser_take_word(p, "break"))
        return statement_at(p, TILE_STATEMENT_BREAK, where);
    if (tile_parser_take_word(p, "continue"))
        return statement_at(p, TILE_STATEMENT_CONTINUE, where);
    if (tile_parser_take_word(p, "return")) {
        s = statement_at(p, TILE_STATEMENT_RETURN, where);
        if (s && p->token.kind != TILE_TOKEN_NEWLINE && p->token.kind != TILE_TOKEN_END &&
            !tile_parser_at(p, '}')) {
            tile_parse_expressions(p, &values);
            set_values(s, &values);
        }
        return s;
    }
    return parse_binding(p, where);
}

// After an error, skips to the end of the statement.
static void recover(struct tile_parser *p)
{
    uint32_t braces = 0;

    while (p->token.kind != TILE_TOKEN_END) {
        if (tile_parser_at(p, '{'))
            braces++;
        if (tile_parser_at(p, '}') && !braces--)
            break;
        if (p->token.kind == TILE_TOKEN_NEWLINE && !braces)
            break;
        // If a bracket was never closed, a brace shows that a new statement has begun.
        if (p->lexer.depth && p->token.kind == TILE_TOKEN_SIGN &&
            (tile_parser_at(p, '{') || tile_parser_at(p, '}')))
            p->lexer.depth = 0;
        tile_parser_next(p);
    }
    p->failed = false;
}

struct tile_statement *tile_parse_block(struct tile_parser *p)
{
    struct tile_statement *first = NULL, **end = &first;
    struct tile_location open = p->token.where;

    if (!tile_parser_need(p, '{', "{") || !tile_parser_enter(p))
        return NULL;
    while (p->token.kind == TILE_TOKEN_NEWLINE)
        tile_parser_next(p);
    while (p->token.kind != TILE_TOKEN_END && !tile_parser_at(p, '}')) {
        struct tile_statement *s = parse_statement(p);
        if (!p->failed && p->token.kind != TILE_TOKEN_NEWLINE && !tile_parser_at(p, '}') &&
            p->token.kind != TILE_TOKEN_END && !binds_keyword(p))
            tile_parser_expected_end(p, "the end of the statement");
        if (p->failed) {
            recover(p);
            // Bind the statement's names to an erroneous meaning.
            if (s && s->kind == TILE_STATEMENT_BIND)
                s->kind = TILE_STATEMENT_UNREADABLE;
            else
                s = NULL;
        }
        if (s) {
            *end = s;
            end = &s->next;
        }
        while (p->token.kind == TILE_TOKEN_NEWLINE)
            tile_parser_next(p);
    }
    p->depth--;
    if (!tile_parser_take(p, '}')) {
        tile_error(p->module, TILE_T004, open, "syntax: this { is never closed");
        p->failed = true;
    }
    return first;
}
