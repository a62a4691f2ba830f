// The private interface by which the library asks a simulated driver what is behind a failure. A
// driver's code says that a kernel went out of bounds; the simulator knows which one, where and by
// how much.
#ifndef CUCORE_DRIVER_SIMULATOR_FINDING_H
#define CUCORE_DRIVER_SIMULATOR_FINDING_H

#include <stddef.h>

// Writes what the simulator found out about a call that returned `code` to this thread: why that
// call was refused, which setting keeps the driver from starting, or the fault that destroyed a
// context. Returns 1, or 0 when there is nothing to say. `call` is the driver function's name.
typedef int sim_finding_fn(const char *call, int code, char *text, size_t bytes);

#define SIM_FINDING "cucoreSimulatedFinding" // the exported function's name

#endif
