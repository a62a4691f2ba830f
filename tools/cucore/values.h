// Option values used by several commands. Each function returns an exit status: CLI_USAGE with its
// message printed and the value untouched.
#ifndef CUCORE_TOOLS_VALUES_H
#define CUCORE_TOOLS_VALUES_H

#include "cli.h"

// "X", "X,Y" or "X,Y,Z", each at least 1.
int value_extents(uint32_t out[3], const char *option, const char *text);
int value_number(uint32_t *out, const char *option, const char *text, uint32_t least,
                 uint32_t most);
int value_real(double *out, const char *option, const char *text, double least, double most);

// Select the driver: --driver and its default. Call these before any library function: the first
// one reads CUCORE_DRIVER.
int value_driver(bool *given, const char *text);
// Unlike the library, the tool falls back to the simulated driver and says so: `what`, such as "the
// kernel", runs on it. An explicit choice is respected.
void driver_settle(bool given, const char *what);

#endif
