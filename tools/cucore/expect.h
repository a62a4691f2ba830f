// Compares a kernel's outputs with the results that the user expects.
#ifndef CUCORE_TOOLS_EXPECT_H
#define CUCORE_TOOLS_EXPECT_H

#include "argument.h"

// Read the file of expected results: of the output's type and number of elements.
bool expect_load(void **out, const argument *a, cli_why *why);

// Equal bit by bit, or, of real types and with a tolerance above 0, nowhere further away than
// tolerance * max(1, |expected|); NaN is equal to NaN. Otherwise the first that is not, in `why`.
bool expect_equal(const argument *a, const void *got, const void *expected, double tolerance,
                  cli_why *why);

#endif
