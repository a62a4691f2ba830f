// The process's signal handlers, kept from a library that would replace them.
//
// The first compilation of a process by NVRTC sets handlers of its own for SIGINT, SIGTERM and
// SIGXFSZ by signal(), which end the process with status 4, and afterwards sets the default
// ones, not the host's. Restoring them around the call would leave the time in between, and would
// undo what other threads set meanwhile. So the library's own reference to signal() is pointed to
// a function that changes nothing. No other library is affected, nor is anything in libc.
#ifndef CUCORE_DRIVER_HOST_SIGNALS_H
#define CUCORE_DRIVER_HOST_SIGNALS_H

// Do so for the shared library that `function` is in. Any thread, any number of times. Nothing is
// done to the program itself, whose signal() is the host's own: an NVRTC that is linked into it
// statically keeps its handlers.
void cuc__keep_host_signals(const void *function);

#endif
