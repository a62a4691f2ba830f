// The marks of print's texts: {} for a value as its dtype is written, {:8.3f} as printf writes it.
#ifndef CUCORE_TILE_MARK_H
#define CUCORE_TILE_MARK_H

#include <cucore/base.h>

#include <stdbool.h>
#include <stdint.h>

enum { TILE_FORMAT_BYTES = 32 };

struct tile_mark {
    const char *at, *end;            // in the text: from { to behind }
    char how[TILE_FORMAT_BYTES - 8]; // flags, width, precision: "08.3"
    char conversion;                 // "f"; '\0': as its dtype is
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

#endif
