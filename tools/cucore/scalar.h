// Numbers as text, in every element type.
#ifndef CUCORE_TOOLS_SCALAR_H
#define CUCORE_TOOLS_SCALAR_H

#include "cli.h"

#include <cucore/base.h>

enum { SCALAR_MAX_BYTES = 16 };

// The bytes of a number, little endian; the rest of `out` is zeroed. Floating-point types round to
// nearest, ties to even. A number that the type cannot hold is refused, not cut.
bool scalar_parse(uint8_t out[SCALAR_MAX_BYTES], cuc_dtype dtype, const char *text, cli_why *why);

// A finite or other double in a floating-point type of at most 32 bits; CUC_F32 too. False when it
// is finite and beyond the type's largest number, or an infinity or NaN that the type lacks.
bool scalar_round(uint32_t *out, cuc_dtype dtype, double value);

// The other way: an element of a real type as the double that it is, of 64-bit integers the one
// next to it. False for a type that is not real.
bool scalar_value(double *out, cuc_dtype dtype, const void *element);

#endif
