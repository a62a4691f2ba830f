// Tokenizes PTX text (PTX ISA, "Source Format" and "Constants"). The text needs no closing NUL.
#ifndef CUCORE_SIM_PTX_LEXER_H
#define CUCORE_SIM_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_token_kind {
    SIM_TOKEN_END,
    SIM_TOKEN_NAME,      // an identifier: add, %r1, $L__BB0_2, _
    SIM_TOKEN_DIRECTIVE, // .entry, .u32, .shared::cluster: `at` is after the dot
    SIM_TOKEN_INTEGER,   // value
    SIM_TOKEN_F32,       // 0f3F800000: value has the bits
    SIM_TOKEN_F64,       // 0d3FF0000000000000, 1.5, 1e9: value has the bits
    SIM_TOKEN_STRING,    // `at` and `bytes` are the text between the quotes, escapes unprocessed
    SIM_TOKEN_SIGN,      // sign: a character, or two of them as SIM_SIGN('<', '<')
    SIM_TOKEN_BAD,       // problem says why
};

#define SIM_SIGN(first, second) ((first) | (second) << 8)

struct sim_token {
    enum sim_token_kind kind;
    uint32_t line;
    int sign;
    bool is_unsigned; // integers: has the suffix U, or is too large for a signed one
    const char *at;
    size_t bytes;
    uint64_t value;
    const char *problem;
};

struct sim_lexer {
    const char *at, *end;
    uint32_t line;
};

// Reads the next token. After the end or a bad token, every call returns the end.
struct sim_token sim_lexer_next(struct sim_lexer *lexer);

// Peeks at the character after blanks and comments; 0 at the end. `second`, if not NULL, receives
// the character after it.
char sim_lexer_peek(struct sim_lexer *lexer, char *second);

// Reads the rest of an opcode after its first name: ".rn.f32", with "::" inside its words. Sets
// NULL and returns 0 when the next character starts something else.
size_t sim_lexer_opcode_tail(struct sim_lexer *lexer, const char **at);

#endif
