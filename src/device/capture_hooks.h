// Calls from streams and failures up to the captures of graph/, which installs them with the first
// capture.
#ifndef CUCORE_DEVICE_CAPTURE_HOOKS_H
#define CUCORE_DEVICE_CAPTURE_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>

struct cuc_stream;

struct cuc__capture_hooks {
    // A captured stream is about to be destroyed: ends its capture, and tells the process-wide
    // handler. False if another thread fills the body of a conditional node of the capture: the
    // stream then stays with all that it holds until that is over, and is destroyed then.
    bool (*abandon)(struct cuc_stream *stream);
    // A stream is about to be destroyed: true if its capture can never be ended. The driver's
    // stream is then left as it is, with its context.
    bool (*was_stuck)(const struct cuc_stream *stream);
    // The driver refused a call with one of the codes of captures: the first such call is what
    // invalidated an invalid capture. The names are static.
    void (*refused)(int code, const char *function, const char *call);
};

extern _Atomic(const struct cuc__capture_hooks *) cuc__capture_hooks; // NULL: never a capture

#endif
