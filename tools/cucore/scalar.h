// Converts text to numbers of every element type.
#ifndef CUCORE_TOOLS_SCALAR_H
#define CUCORE_TOOLS_SCALAR_H

#include "cli.h"

#include <cucore/base.h>

enum { SCALAR_MAX_BYTES = 16 };

// Store the number in little-endian order and zero the rest of `out`. Floating-point types round to
// nearest, ties to even. A number that the type cannot hold is rejected, not truncated.
bool scalar_parse(uint8_t out[SCALAR_MAX_BYTES], cuc_dtype dtype, const char *text, cli_why *why);

// Round a double to a floating-point type of at most 32 bits, including CUC_F32. Returns false for
// a finite value beyond the type's largest number, or an infinity or NaN that the type lacks.
bool scalar_round(uint32_t *out, cuc_dtype dtype, double value);

// Convert an element of a real type to a double, rounding 64-bit integers to nearest. Returns false
// if the type is not real.
bool scalar_value(double *out, cuc_dtype dtype, const void *element);

#endif
