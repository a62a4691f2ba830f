// Captures that cuc_stream_begin_capture() began.
#ifndef CUCORE_GRAPH_CAPTURE_REGISTRY_H
#define CUCORE_GRAPH_CAPTURE_REGISTRY_H

#include "base/handle.h"

struct cuc__keep;
struct cuc_graph;
struct cuc_object;
struct cuc_stream;

// Whether any goes on; launches take the long way meanwhile.
static inline bool cuc__capturing(void)
{
    return __builtin_expect(cuc__modes_now() & CUC__MODE_CAPTURING, 0);
}

// Before a launch while captures go on: where the stream is in one, as `*captured` says, its graph
// keeps the kernel's object. NULL is the object of a foreign kernel.
cuc_status cuc__capture_keep(bool *captured, struct cuc_stream *stream, struct cuc_object *object,
                             const char *function);

// The body of a conditional node that was added to what a stream captures: its graph holds it.
cuc_status cuc__capture_body(struct cuc_graph *body, const struct cuc_stream *stream,
                             const char *function);

// As cuc__keep_tie(), where the graph may be such a body: what it keeps is kept by the graph that
// it is a part of, or for that, while it is being captured.
cuc_status cuc__capture_tie(struct cuc__keep *keep, struct cuc_graph *graph, const char *function);

// A captured stream is about to be destroyed: its capture ends, and the process-wide handler is
// told. False where another thread fills the body of a conditional node of it: the stream stays
// with all that it holds until that is over, and is taken apart then.
bool cuc__capture_abandon(struct cuc_stream *stream);

// A stream is about to go, which that cannot be: its capture can never be ended, and the driver's
// stream is left as it is, with its context.
bool cuc__capture_was_stuck(const struct cuc_stream *stream);

// The driver refused a call with one of the codes of captures: the first one is what a capture that
// is spoilt was spoilt by. The names are static.
void cuc__capture_refused(int code, const char *function, const char *call);

#endif
