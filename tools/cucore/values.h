// Values of options that more than one command takes. Each returns an exit status: CLI_USAGE with
// its message printed, the value untouched.
#ifndef CUCORE_TOOLS_VALUES_H
#define CUCORE_TOOLS_VALUES_H

#include "cli.h"

// "X", "X,Y" or "X,Y,Z", from 1 on.
int value_extents(uint32_t out[3], const char *option, const char *text);
int value_number(uint32_t *out, const char *option, const char *text, uint32_t least,
                 uint32_t most);
int value_real(double *out, const char *option, const char *text, double least, double most);

// Which driver: --driver, and what is done without it. All of it before the first call of the
// library, which then reads CUCORE_DRIVER.
int value_driver(bool *given, const char *text);
// The tool, unlike the library, goes over to the simulated driver by itself, and says so: `what`
// runs on it, "the kernel". A user who chose is left alone.
void driver_settle(bool given, const char *what);

#endif
