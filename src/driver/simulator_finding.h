// The private interface through which the library asks a simulated driver for the cause of a
// failure. A driver's code may say only that a kernel accessed memory out of bounds; the simulator
// knows which kernel, where, and by how much.
#ifndef CUCORE_DRIVER_SIMULATOR_FINDING_H
#define CUCORE_DRIVER_SIMULATOR_FINDING_H

#include <stddef.h>

// Writes the details of a call that returned `code` on this thread: why the call was refused, which
// setting keeps the driver from starting, or which fault destroyed the context. Returns 1, or 0 if
// there are no details. `call` is the driver function's name.
typedef int sim_finding_fn(const char *call, int code, char *text, size_t bytes);

#define SIM_FINDING "cucoreSimulatedFinding" // the exported function's name

#endif
