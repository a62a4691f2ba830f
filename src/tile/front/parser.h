// What the parser's files share.
#ifndef CUCORE_TILE_FRONT_PARSER_H
#define CUCORE_TILE_FRONT_PARSER_H

#include "ast.h"
#include "lexer.h"

enum {
    TILE_MAX_NESTING = 200,
    TILE_MAX_HEIGHT = 500, // of an expression: a chain of operators is as high as it is long
};

struct tile_parser {
    struct tile_module *module;
    struct tile_lexer lexer;
    struct tile_token token; // the one that is looked at
    uint32_t depth;
    bool failed; // in this statement: nothing more is said about it
};

// A list in the making.
struct tile_list {
    void **item;
    uint32_t count, room;
};
void tile_list_add(struct tile_parser *p, struct tile_list *list, void *item);

void tile_parser_next(struct tile_parser *p);
bool tile_parser_at(const struct tile_parser *p, uint32_t sign);
bool tile_parser_at_word(const struct tile_parser *p, const char *word);
// Take the token when it is that; false, without a word, when it is not.
bool tile_parser_take(struct tile_parser *p, uint32_t sign);
bool tile_parser_take_word(struct tile_parser *p, const char *word);
// The same, and say what was expected when it is not.
bool tile_parser_need(struct tile_parser *p, uint32_t sign, const char *what);
char *tile_parser_need_name(struct tile_parser *p, const char *what);
void tile_parser_expected(struct tile_parser *p, const char *what);
// What the lexer left out is missed here: that is said already.
bool tile_parser_said(const struct tile_parser *p);
bool tile_is_keyword(const struct tile_token *token);
// No deeper than a stack can take; false after T006, and then there is nothing to give back.
bool tile_parser_enter(struct tile_parser *p);

// parser_expression.c: NULL after an error.
struct tile_ast *tile_parse_expression(struct tile_parser *p);
// Expressions apart by commas.
void tile_parse_expressions(struct tile_parser *p, struct tile_list *list);
// parser_statement.c: what stands between braces.
struct tile_statement *tile_parse_block(struct tile_parser *p);

#endif
