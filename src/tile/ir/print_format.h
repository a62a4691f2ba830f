// Placeholders in the format strings of print. {} chooses the format by the value's dtype, and
// {:8.3f} uses printf's format. With a comma before the format, a tile is printed as a list of
// lists: {:,} gives [[1, 2], [3, 4]], while {} gives [1 2 3 4].
#ifndef CUCORE_TILE_IR_PRINT_FORMAT_H
#define CUCORE_TILE_IR_PRINT_FORMAT_H

#include "ir.h"

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>

enum { TILE_FORMAT_BYTES = 32, TILE_BRACKET_BYTES = 2 * TILE_MAX_RANK + 4 };

struct tile_mark {
    const char *at, *end;            // bounds in the text: its { and the character after its }
    char how[TILE_FORMAT_BYTES - 8]; // flags, width and precision, such as "08.3"
    char conversion;                 // such as 'f'; '\0': chosen by the dtype
    bool lists;                      // each axis has its own brackets
    bool wrong;                      // the format is invalid
};

// Finds the first placeholder of a text; false if there is none.
bool tile_find_mark(const char *text, struct tile_mark *mark);
// True if the format is valid for values of a dtype.
bool tile_mark_fits(const struct tile_mark *mark, cuc_dtype dtype);
// Writes a placeholder's printf format. The argument must be 64 bits for integers, a double for
// floats, a string for bools.
void tile_mark_format(const struct tile_mark *mark, cuc_dtype dtype,
                      char format[TILE_FORMAT_BYTES]);
// Returns the dtype of the 64-bit integer that is passed to printf. An unsigned format shows the
// value's bits in its own width.
cuc_dtype tile_mark_dtype(const struct tile_mark *mark, cuc_dtype dtype);

// Format the text before a tile's elements, after them, and between two of them, and return `text`.
// `ends` is the number of innermost axes that end between the two elements: tile_mark_ends() of the
// later one.
uint32_t tile_mark_ends(const struct tile_mark *mark, const struct tile_type *type,
                        int64_t element);
const char *tile_mark_bracket(const struct tile_mark *mark, const struct tile_type *type,
                              char bracket, char text[TILE_BRACKET_BYTES]);
const char *tile_mark_between(const struct tile_mark *mark, uint32_t ends,
                              char text[TILE_BRACKET_BYTES]);

#endif
