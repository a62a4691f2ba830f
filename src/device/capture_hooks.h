// Hooks through which streams and failures call into the captures of graph/. The first capture
// installs them.
#ifndef CUCORE_DEVICE_CAPTURE_HOOKS_H
#define CUCORE_DEVICE_CAPTURE_HOOKS_H

#include <stdatomic.h>
#include <stdbool.h>

struct cuc_stream;

struct cuc__capture_hooks {
    // Called before a captured stream is destroyed. Ends the stream's capture and reports that to
    // the process-wide handler. Returns false if another thread is filling the body of a
    // conditional node of the capture. The caller then keeps the stream, with everything it holds,
    // until that thread has finished.
    bool (*abandon)(struct cuc_stream *stream);
    // Called before a stream is destroyed. Returns true if its capture can never be ended; the
    // caller then keeps the driver's stream and its context.
    bool (*was_stuck)(const struct cuc_stream *stream);
    // Called when the driver refuses a call with a code that captures cause. Each active capture
    // records its first such call, which invalidated it. Both names must be static.
    void (*refused)(int code, const char *function, const char *call);
};

extern _Atomic(const struct cuc__capture_hooks *) cuc__capture_hooks; // NULL: no capture yet

#endif
