// Internal interface of the parser's files.
#ifndef CUCORE_TILE_FRONT_PARSER_H
#define CUCORE_TILE_FRONT_PARSER_H

#include "ast.h"
#include "lexer.h"

enum {
    TILE_MAX_NESTING = 200,
    TILE_MAX_HEIGHT = 500, // height of an expression's tree; a chain of n operators has height n
};

struct tile_parser {
    struct tile_module *module;
    struct tile_lexer lexer;
    struct tile_token token; // the current token
    uint32_t depth;
    bool failed; // the current statement has an error: report no more errors in it
};

// A list under construction.
struct tile_list {
    void **item;
    uint32_t count, capacity;
};
void tile_list_add(struct tile_parser *p, struct tile_list *list, void *item);

void tile_parser_next(struct tile_parser *p);
bool tile_parser_at(const struct tile_parser *p, uint32_t sign);
bool tile_parser_at_word(const struct tile_parser *p, const char *word);
// Takes the token if it matches; otherwise returns false without an error.
bool tile_parser_take(struct tile_parser *p, uint32_t sign);
bool tile_parser_take_word(struct tile_parser *p, const char *word);
// Takes the token if it matches; otherwise reports what was expected.
bool tile_parser_need(struct tile_parser *p, uint32_t sign, const char *what);
char *tile_parser_need_name(struct tile_parser *p, const char *what);
void tile_parser_expected(struct tile_parser *p, const char *what);
// Reports that an expression goes on where `what` was expected.
void tile_parser_expected_end(struct tile_parser *p, const char *what);
// Reports that the current token, where a name may stand, is a keyword.
void tile_parser_refuse_keyword(struct tile_parser *p, const char *what);
// True if the lexer has already reported the missing token and skipped it.
bool tile_parser_has_reported(const struct tile_parser *p);
bool tile_is_keyword(const struct tile_token *token);
// Enters a nested construct. Returns false after T006 if the nesting is too deep for the stack; the
// caller then has nothing to undo.
bool tile_parser_enter(struct tile_parser *p);

// parser_expression.c: returns NULL after an error.
struct tile_ast *tile_parse_expression(struct tile_parser *p);
// Parses a list of expressions separated by commas.
void tile_parse_expressions(struct tile_parser *p, struct tile_list *list);
// parser_statement.c: parses the statements between braces.
struct tile_statement *tile_parse_block(struct tile_parser *p);

#endif
