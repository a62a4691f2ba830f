// Tokenizes PTX text (PTX ISA, "Source Format" and "Constants"). The text need not end in a NUL.
#ifndef CUCORE_PTX_LEXER_H
#define CUCORE_PTX_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cuc__ptx_token_kind {
    CUC__PTX_END,
    CUC__PTX_NAME,      // an identifier: add, %r1, $L__BB0_2, _
    CUC__PTX_DIRECTIVE, // .entry, .u32, .shared::cluster; `at` is after the dot
    CUC__PTX_INTEGER,   // value
    CUC__PTX_F32,       // 0f3F800000: `value` has the bits
    CUC__PTX_F64,       // 0d3FF0000000000000, 1.5, 1e9: `value` has the bits
    CUC__PTX_STRING,    // `at` and `bytes` are the text between the quotes, with escapes left as
                        // they are
    CUC__PTX_SIGN,      // sign: a character, or two of them as CUC__PTX_PAIR('<', '<')
    CUC__PTX_BAD,       // problem says why
};

#define CUC__PTX_PAIR(first, second) ((first) | (second) << 8)

struct cuc__ptx_token {
    enum cuc__ptx_token_kind kind;
    uint32_t line;
    int sign;
    bool is_unsigned; // of an integer: it has the suffix U, or is too large for a signed integer
    const char *at;
    size_t bytes;
    uint64_t value;
    const char *problem;
};

struct cuc__ptx_lexer {
    const char *at, *end;
    uint32_t line;
};

// Reads the next token. After the end or a bad token, every call returns the end.
struct cuc__ptx_token cuc__ptx_lexer_next(struct cuc__ptx_lexer *lexer);

// Returns the next character after blanks and comments without consuming it, or 0 at the end.
// `second`, if not NULL, receives the character after it.
char cuc__ptx_lexer_peek(struct cuc__ptx_lexer *lexer, char *second);

// Reads the rest of an opcode after its first name, such as ".rn.f32". Its words may contain "::".
// If the next character starts something else, sets `*at` to NULL and returns 0.
size_t cuc__ptx_lexer_opcode_tail(struct cuc__ptx_lexer *lexer, const char **at);

// Skips the rest of a block, with its nested blocks, after the caller has read its '{'. Ignores
// braces in comments and strings. If the block does not close, stops at the end of the text and
// returns false.
bool cuc__ptx_lexer_skip_block(struct cuc__ptx_lexer *lexer);

#endif
