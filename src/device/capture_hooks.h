// Calls from streams and failures up to the captures of graph/, which installs them with the first
// capture.
#ifndef CUCORE_DEVICE_CAPTURE_HOOKS_H
#define CUCORE_DEVICE_CAPTURE_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>

struct cuc_stream;

struct cuc__capture_hooks {
    // Called before a captured stream is destroyed: ends its capture, and reports that to the
    // process-wide handler. False if another thread fills the body of a conditional node of the
    // capture: the stream, with all that it holds, is then destroyed when that is over.
    bool (*abandon)(struct cuc_stream *stream);
    // Called before a stream is destroyed: true if its capture can never be ended. The driver's
    // stream and its context then stay.
    bool (*was_stuck)(const struct cuc_stream *stream);
    // Called when the driver refused a call with a code that captures give: the first such call is
    // what invalidated an invalid capture. The names are static.
    void (*refused)(int code, const char *function, const char *call);
};

extern _Atomic(const struct cuc__capture_hooks *) cuc__capture_hooks; // NULL: no capture yet

#endif
