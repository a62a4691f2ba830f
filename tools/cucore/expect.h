// Compares a kernel's outputs with the results that the user expects.
#ifndef CUCORE_TOOLS_EXPECT_H
#define CUCORE_TOOLS_EXPECT_H

#include "argument.h"

// Read the file of expected results; type and element count must match the output.
bool expect_load(void **out, const argument *a, cli_why *why);

// Return whether all elements match. An element matches if its bits are equal or, for real types
// with a tolerance above 0, if it is within tolerance * max(1, |expected|); NaN matches NaN. If
// not, `why` describes the first mismatch.
bool expect_equal(const argument *a, const void *got, const void *expected, double tolerance,
                  cli_why *why);

#endif
