// Quantities as text: four significant digits and the unit in which they read best.
#ifndef CUCORE_TOOLS_UNITS_H
#define CUCORE_TOOLS_UNITS_H

#include <stddef.h>

typedef enum units_kind {
    UNITS_SECONDS,
    UNITS_BYTES, // KiB, MiB, ...: what a size is counted in
    UNITS_BYTES_PER_S,
    UNITS_FLOP_PER_S,
    UNITS_COUNT, // of what the text that follows says: "12.30 M"
} units_kind;

enum { UNITS_SIZE = 32 };

// "12.34 us"; "" for NAN, which is not measured. Returns `out`.
char *units_text(char out[UNITS_SIZE], double value, units_kind kind);
// "+-0.31 %" of a fraction; "" for NAN.
char *units_plus_minus(char out[UNITS_SIZE], double fraction);
// "92.4 %" of a fraction; "" for NAN.
char *units_percent(char out[UNITS_SIZE], double fraction);
// "1.034"; "" for NAN.
char *units_ratio(char out[UNITS_SIZE], double ratio);

#endif
