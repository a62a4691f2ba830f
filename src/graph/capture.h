// A capture, between beginning and ending it (graph_capture.c) and the list of those that go on
// (capture.c).
#ifndef CUCORE_GRAPH_CAPTURE_H
#define CUCORE_GRAPH_CAPTURE_H

#include "graph.h"

#include <pthread.h>
#include <stdbool.h>

struct cuc__keep;

// A capture that goes on. Those that others began are not known here.
struct cuc__capture {
    struct cuc__capture *next;
    cuc_stream *stream;
    pthread_t thread; // that began it; a per-thread default stream is another one on each
    bool left;        // by its thread, which has ended: nobody is there who may end it
    bool abandoned;   // its stream was released, and stays while a body of it is filled
    int32_t mode;
    uint64_t id;            // 0 where the driver does not tell
    struct cuc__keep *keep; // what its graph will
    cuc_graph *into;        // retained: the graph it adds to; NULL where it makes one
    cuc_graph *bodies;      // retained: of conditional nodes of the graph that it makes
    struct cuc__conditionals conditionals; // these nodes
    // The call that the driver refused first since it began, NULL for none.
    const char *function, *call;
    int code;
};

bool cuc__capture_is_known(const cuc_stream *stream);

// Two of the hooks of device/capture_hooks.h.
bool cuc__capture_was_stuck(const cuc_stream *stream);
void cuc__capture_refused(int code, const char *function, const char *call);

// Put a capture on the list, as one that this thread has begun.
void cuc__capture_enter(struct cuc__capture *c);
// Take a stream's capture off the list; NULL where there is none.
struct cuc__capture *cuc__capture_leave(const cuc_stream *stream);

// What becomes of the bodies of a capture's conditional nodes: its graph's, or nobody's. The graph
// is gone where a capture into one of them ended badly.
void cuc__capture_settle_bodies(struct cuc__capture *c, cuc_graph *graph);
// Free a capture that is on no list, with what its graph was to keep. NULL is none.
void cuc__capture_drop(struct cuc__capture *c);

// Ended by the wrong thread a capture is dropped by the driver, and by the wrong stream spoilt:
// both are refused before the driver is asked, as far as the capture is known here. So is what
// takes away a graph that is being added to; `keep` says that a graph is to come of the capture.
cuc_status cuc__capture_check_ender(const cuc_stream *stream, bool keep, const char *function);
// A stream whose capture fills a body of another's, or NULL, and whether this thread may cancel it.
// Where the other is `spoilt`, the graph that it adds to goes: also one that adds to that as well.
cuc_stream *cuc__capture_filling(bool *may, const cuc_stream *stream, bool spoilt);
// Refuse to end a capture of which another fills a body.
cuc_status cuc__capture_refuse_filled(const cuc_stream *stream, const cuc_stream *filling,
                                      const char *function);

// What the end of a stream's capture would do to the driver.
enum cuc__capture_end {
    CUC__END_FREELY, // nothing: where it fails, the graph goes with it
    CUC__END_JOINED, // take from others, where it fails: what they capture, or add to as well
    CUC__END_WELL,   // bring the process down where it fails: the graph is not to be destroyed
    CUC__END_NEVER,  // bring it down: the graph was freed under it
};
// `*adds` says whether it is one into a graph that is there.
enum cuc__capture_end cuc__capture_how_to_end(bool *adds, const cuc_stream *stream);
// It has ended badly: what it added to is gone, and is known to be before it is off the list.
void cuc__capture_took_graph(const cuc_stream *stream);
// Of a stream that cannot be ended; takes its handle.
#define CUC__CAPTURED_FOR_GOOD                                                              \
    "stream %p stays captured for good: its capture is spoilt, and the driver would crash " \
    "over its end, since another one that ended badly has had it free a part of the same "  \
    "graph, or since others capture that. cuc_context_synchronize() of its context fails "  \
    "from now on: restart the process"
// A capture that can never be ended, of a stream that is captured for good. It takes it over.
void cuc__capture_keep_stuck(struct cuc__capture *c);
// CUC_OK, unless a stream is such a one.
cuc_status cuc__capture_check_stuck(const cuc_stream *stream, const char *function);
cuc_status cuc__capture_fail_stuck(const cuc_stream *stream, const char *function);

// A stream that is released stays while a body of it is filled; false where none is.
bool cuc__capture_set_abandoned(const cuc_stream *stream);
// A capture is over: streams go that were released while it filled a body of theirs.
void cuc__capture_end_abandoned(void);

#endif
