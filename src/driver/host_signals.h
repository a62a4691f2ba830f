// Protects the process's signal handlers from a library that would replace them.
//
// In a process's first compilation, NVRTC calls signal() to set its own handlers for SIGINT,
// SIGTERM and SIGXFSZ, which end the process with status 4. Afterwards it sets the default handlers
// instead of restoring the host's. Saving and restoring them around the call would leave a gap, and
// would undo changes by other threads. Instead, the library's own reference to signal() is
// redirected to a function that does nothing. Other libraries and libc are not affected.
#ifndef CUCORE_DRIVER_HOST_SIGNALS_H
#define CUCORE_DRIVER_HOST_SIGNALS_H

// Redirects signal() in the shared library that contains `function`. May be called on any thread,
// any number of times. The program itself is left unchanged, since its signal() is the host's own;
// so a statically linked NVRTC does set its handlers.
void cuc__keep_host_signals(const void *function);

#endif
