// Text that grows in an arena, for dumps and PTX.
#ifndef CUCORE_TILE_IR_TEXT_H
#define CUCORE_TILE_IR_TEXT_H

#include "ir.h"

struct tile_text {
    struct tile_module *module;
    char *at; // zero-terminated; NULL while the text is empty
    size_t length, capacity;
};

// Appends formatted text. Adds nothing once memory has run out, which the module's diagnostics
// record.
void tile_put(struct tile_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tile_put_string(struct tile_text *text, const char *string);
void tile_put_number(struct tile_text *text, uint64_t value);
// Writes `value` in base 10 or 16, without a terminator; returns the end.
char *tile_write_number(char *to, uint64_t value, unsigned base);
// For callers that format by themselves: tile_text_room() returns where to write up to `bytes`, or
// NULL once memory has run out; tile_text_wrote() then appends what was written.
char *tile_text_room(struct tile_text *text, size_t bytes);
void tile_text_wrote(struct tile_text *text, size_t bytes);
// Appends `from` to `text` and empties `from`, so that its memory can be reused.
void tile_put_text(struct tile_text *text, struct tile_text *from);
void tile_put_indent(struct tile_text *text, uint32_t depth);
// Append a string in quotes, and a float in a form that parses to the same value.
void tile_put_quoted(struct tile_text *text, const char *string);
void tile_put_real(struct tile_text *text, double value);
// ir/print_head.c: appends a kernel's head, up to its opening brace.
void tile_put_header(struct tile_text *text, const struct tile_kernel *kernel);

#endif
