// Protects the process's signal handlers from a library that would replace them.
//
// A process's first compilation by NVRTC calls signal() to set its own handlers for SIGINT, SIGTERM
// and SIGXFSZ, which end the process with status 4; afterwards it sets the default ones, not the
// host's. Restoring them around the call would leave a gap in between, and would undo changes by
// other threads. Instead, the library's own reference to signal() is redirected to a function that
// changes nothing. Other libraries and libc are not affected.
#ifndef CUCORE_DRIVER_HOST_SIGNALS_H
#define CUCORE_DRIVER_HOST_SIGNALS_H

// Redirects signal() in the shared library that contains `function`. Any thread, any number of
// times. The program itself is left alone, since its signal() is the host's own: with a statically
// linked NVRTC, NVRTC's handlers are set.
void cuc__keep_host_signals(const void *function);

#endif
