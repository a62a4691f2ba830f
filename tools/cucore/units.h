// Formats quantities with four significant digits and the most readable unit.
#ifndef CUCORE_TOOLS_UNITS_H
#define CUCORE_TOOLS_UNITS_H

#include <stddef.h>

typedef enum units_kind {
    UNITS_SECONDS,
    UNITS_BYTES, // KiB, MiB, ...: for sizes
    UNITS_BYTES_PER_S,
    UNITS_FLOP_PER_S,
    UNITS_COUNT, // for counts: "12.30 M"
} units_kind;

enum { UNITS_SIZE = 32 };

// Format a quantity as "12.34 us"; "" for NAN (not measured). Returns `out`.
char *units_text(char out[UNITS_SIZE], double value, units_kind kind);
// Format a fraction as "+-0.31 %"; "" for NAN.
char *units_plus_minus(char out[UNITS_SIZE], double fraction);
// Format a fraction as "92.4 %"; "" for NAN.
char *units_percent(char out[UNITS_SIZE], double fraction);
// Format "1.034"; "" for NAN.
char *units_ratio(char out[UNITS_SIZE], double ratio);

#endif
