// Compares a kernel's outputs with the user's expected results.
#ifndef CUCORE_TOOLS_EXPECT_H
#define CUCORE_TOOLS_EXPECT_H

#include "argument.h"

// Read the file of expected results; type and element count must match the output.
bool expect_load(void **out, const argument *a, cli_why *why);

// Return whether all elements are equal bit by bit or, for real types with a tolerance above 0,
// within tolerance * max(1, |expected|); NaN equals NaN. On failure `why` describes the first
// mismatch.
bool expect_equal(const argument *a, const void *got, const void *expected, double tolerance,
                  cli_why *why);

#endif
