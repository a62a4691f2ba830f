// A capture, between beginning and ending it (graph_capture.c) and the list of those that go on
// (capture.c).
#ifndef CUCORE_SRC_GRAPH_CAPTURE_H
#define CUCORE_SRC_GRAPH_CAPTURE_H

#include <cucore/graph.h>

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
    // The call that the driver refused first since it began, NULL for none.
    const char *function, *call;
    int code;
};

// Put a capture on the list, as one that this thread has begun.
void cuc__capture_enter(struct cuc__capture *c);
// Take a stream's capture off the list; NULL where there is none.
struct cuc__capture *cuc__capture_leave(const cuc_stream *stream);

// What becomes of the bodies of a capture's conditional nodes: its graph's, or nobody's.
void cuc__capture_settle_bodies(struct cuc__capture *c, cuc_graph *graph);
// Free a capture that is on no list, with what its graph was to keep. NULL is none.
void cuc__capture_drop(struct cuc__capture *c);

// Ended by the wrong thread a capture is dropped by the driver, and by the wrong stream spoilt:
// both are refused before the driver is asked, as far as the capture is known here. So is what
// takes away a graph that is being added to; `keep` says that a graph is to come of the capture.
cuc_status cuc__capture_check_ender(const cuc_stream *stream, bool keep, const char *function);
// A stream whose capture fills a body of another's, or NULL, and whether this thread may cancel it.
cuc_stream *cuc__capture_filling(bool *may, const cuc_stream *stream);
// Refuse to end a capture of which another fills a body.
cuc_status cuc__capture_refuse_filled(const cuc_stream *stream, const cuc_stream *filling,
                                      const char *function);

// A stream that is released stays while a body of it is filled; false where none is.
bool cuc__capture_set_abandoned(const cuc_stream *stream);
// A capture is over: streams go that were released while it filled a body of theirs.
void cuc__capture_end_abandoned(void);

#endif
