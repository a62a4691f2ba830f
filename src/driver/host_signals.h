// Keeps NVRTC from replacing the process's signal handlers.
//
// In a process's first compilation, NVRTC calls signal() to set its own handlers for SIGINT,
// SIGTERM and SIGXFSZ, which end the process with status 4. Afterwards it sets the default handlers
// instead of restoring the host's. Saving and restoring them around the call would leave a gap, and
// would undo changes by other threads. Instead, this file redirects NVRTC's own reference to
// signal() to a function that does nothing. The references of other libraries and of libc stay as
// they are.
#ifndef CUCORE_DRIVER_HOST_SIGNALS_H
#define CUCORE_DRIVER_HOST_SIGNALS_H

// Redirects signal() in the shared library that contains `function`. Any thread may call it, any
// number of times. It leaves the program itself unchanged, because the program's signal() is the
// host's own; a statically linked NVRTC therefore does set its handlers.
void cuc__keep_host_signals(const void *function);

#endif
