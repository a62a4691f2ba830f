// The marks of print's texts: {} for a value as its dtype is written, {:8.3f} as printf writes it.
// A comma ahead of the format writes a tile as a list of lists: {:,} is [[1, 2], [3, 4]], {} is [1
// 2 3 4].
#ifndef CUCORE_TILE_IR_PRINT_FORMAT_H
#define CUCORE_TILE_IR_PRINT_FORMAT_H

#include "ir.h"

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>

enum { TILE_FORMAT_BYTES = 32, TILE_BRACKET_BYTES = 2 * TILE_MAX_RANK + 4 };

struct tile_mark {
    const char *at, *end;            // in the text: from { to behind }
    char how[TILE_FORMAT_BYTES - 8]; // flags, width, precision: "08.3"
    char conversion;                 // "f"; '\0': as its dtype is
    bool lists;                      // each axis in brackets of its own
    bool wrong;                      // it is no format
};

// The first mark of a text; false: there is none.
bool tile_find_mark(const char *text, struct tile_mark *mark);
// Whether values of a dtype can be written so.
bool tile_mark_fits(const struct tile_mark *mark, cuc_dtype dtype);
// printf's format for it. Integers are 64 bits, floats doubles, bools strings.
void tile_mark_format(const struct tile_mark *mark, cuc_dtype dtype,
                      char format[TILE_FORMAT_BYTES]);
// The dtype of an integer whose 64 bits are printed: what has no sign is written by its own bits.
cuc_dtype tile_mark_dtype(const struct tile_mark *mark, cuc_dtype dtype);

// What precedes the elements of a tile and follows them, and what separates two of them. `ends`
// counts the innermost axes that end between the two: tile_mark_ends() of the later one. Returns
// `text`.
uint32_t tile_mark_ends(const struct tile_mark *mark, const struct tile_type *type,
                        int64_t element);
const char *tile_mark_bracket(const struct tile_mark *mark, const struct tile_type *type,
                              char bracket, char text[TILE_BRACKET_BYTES]);
const char *tile_mark_between(const struct tile_mark *mark, uint32_t ends,
                              char text[TILE_BRACKET_BYTES]);

#endif
