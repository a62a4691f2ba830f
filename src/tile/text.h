// Text that grows in an arena: dumps and PTX.
#ifndef CUCORE_TILE_TEXT_H
#define CUCORE_TILE_TEXT_H

#include "ir/ir.h"

struct tile_text {
    struct tile_module *module;
    char *at; // closed by a zero byte; NULL while it is empty
    size_t length, room;
};

// Nothing is added after memory ran out, which the module's diagnostics say.
void tile_put(struct tile_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tile_put_string(struct tile_text *text, const char *string);
void tile_put_indent(struct tile_text *text, uint32_t depth);

#endif
