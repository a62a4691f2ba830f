// The tokens of a tile program's text.
#ifndef CUCORE_TILE_FRONT_LEXER_H
#define CUCORE_TILE_FRONT_LEXER_H

#include "tile/ir/diagnostic.h"

enum tile_token_kind {
    TILE_TOKEN_END,
    TILE_TOKEN_NEWLINE, // a newline that ends a statement, or `;`
    TILE_TOKEN_NAME,    // also keywords and dtypes
    TILE_TOKEN_INT,     // its number is in `value`
    TILE_TOKEN_REAL,    // its number is in `real`
    TILE_TOKEN_TEXT,    // `text` holds the string with escapes resolved
    TILE_TOKEN_SIGN,    // an operator or punctuation mark, encoded in `sign`
};

// Encode a sign of up to three characters as a number: TILE_SIGN2('*', '*').
#define TILE_SIGN1(a) ((uint32_t)(a))
#define TILE_SIGN2(a, b) ((uint32_t)(a) | (uint32_t)(b) << 8)

struct tile_token {
    enum tile_token_kind kind;
    struct tile_location where;
    const char *at;
    size_t bytes;
    uint32_t sign;
    uint64_t value;
    double real;
    const char *text;
    bool wrong; // an invalid number, an unterminated string, or a character that starts no token;
                // already reported
};

struct tile_lexer {
    struct tile_module *module;
    const char *at, *end, *line_start;
    uint32_t line;
    uint32_t behind; // UTF-8 continuation bytes so far in this line
    uint32_t depth;  // number of open ( and [, in which newlines do not end a statement
    bool torn;       // an unterminated string was found: the next newline closes all open brackets
    bool joins;      // the last token requires a continuation, possibly on the next line
};

void tile_lexer_start(struct tile_lexer *lexer, struct tile_module *module);
// Returns the next token. Reports text that is not a token, and returns a sign with number 0 for
// it.
struct tile_token tile_lexer_next(struct tile_lexer *lexer);
bool tile_token_is(const struct tile_token *token, const char *word);

#endif
