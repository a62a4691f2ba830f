// Placeholders in the texts of print: {} formats a value by its dtype, {:8.3f} as printf does. A
// comma before the format prints a tile as a list of lists: {:,} gives [[1, 2], [3, 4]], {} gives
// [1 2 3 4].
#ifndef CUCORE_TILE_IR_PRINT_FORMAT_H
#define CUCORE_TILE_IR_PRINT_FORMAT_H

#include "ir.h"

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>

enum { TILE_FORMAT_BYTES = 32, TILE_BRACKET_BYTES = 2 * TILE_MAX_RANK + 4 };

struct tile_mark {
    const char *at, *end;            // in the text, from { to just after }
    char how[TILE_FORMAT_BYTES - 8]; // flags, width, precision: "08.3"
    char conversion;                 // "f"; '\0': by the dtype
    bool lists;                      // each axis has brackets of its own
    bool wrong;                      // the format is invalid
};

// Finds the first placeholder of a text; false if there is none.
bool tile_find_mark(const char *text, struct tile_mark *mark);
// True if this format suits values of a dtype.
bool tile_mark_fits(const struct tile_mark *mark, cuc_dtype dtype);
// Writes printf's format for a placeholder. Integers are 64 bits, floats doubles, bools strings.
void tile_mark_format(const struct tile_mark *mark, cuc_dtype dtype,
                      char format[TILE_FORMAT_BYTES]);
// Returns the dtype of the 64-bit integer to print. An unsigned format prints the bits of the
// value's own width.
cuc_dtype tile_mark_dtype(const struct tile_mark *mark, cuc_dtype dtype);

// Writes the text before a tile's elements, after them, or between two of them. `ends` is the
// number of innermost axes that end between the two: tile_mark_ends() of the later one. Returns
// `text`.
uint32_t tile_mark_ends(const struct tile_mark *mark, const struct tile_type *type,
                        int64_t element);
const char *tile_mark_bracket(const struct tile_mark *mark, const struct tile_type *type,
                              char bracket, char text[TILE_BRACKET_BYTES]);
const char *tile_mark_between(const struct tile_mark *mark, uint32_t ends,
                              char text[TILE_BRACKET_BYTES]);

#endif
