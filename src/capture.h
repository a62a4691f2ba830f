// Captures that cuc_stream_begin_capture() began.
#ifndef CUCORE_SRC_CAPTURE_H
#define CUCORE_SRC_CAPTURE_H

#include "handle.h"

struct cuc_object;
struct cuc_stream;

// Whether any goes on; launches take the long way meanwhile.
static inline bool cuc__capturing(void)
{
    return __builtin_expect(cuc__modes_now() & CUC__MODE_CAPTURING, 0);
}

// Before a launch while captures go on: where the stream is in one, its graph keeps the kernel's
// object. NULL is the object of a foreign kernel.
cuc_status cuc__capture_keep(struct cuc_stream *stream, struct cuc_object *object,
                             const char *function);

// A captured stream is about to be destroyed: its capture ends, and the process-wide handler is
// told.
void cuc__capture_abandon(struct cuc_stream *stream);

// The driver refused a call with one of the codes of captures: the first one is what a capture that
// is spoilt was spoilt by. The names are static.
void cuc__capture_refused(int code, const char *function, const char *call);

#endif
