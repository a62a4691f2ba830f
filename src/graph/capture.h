// Captures: the interface between their operations (capture.c) and the list of active captures
// (capture_registry.c).
#ifndef CUCORE_GRAPH_CAPTURE_H
#define CUCORE_GRAPH_CAPTURE_H

#include "graph.h"

#include <pthread.h>
#include <stdbool.h>

struct cuc__keep;

// An active capture. Captures that other code began are not in the list.
struct cuc__capture {
    struct cuc__capture *next;
    cuc_stream *stream;
    pthread_t thread; // the thread that began the capture; identifies a per-thread default stream
    bool left;        // its thread has ended, so no thread may end the capture
    bool abandoned; // the stream was released; the capture stays while another capture fills one of
                    // its bodies
    int32_t mode;
    uint64_t id;            // 0 if the driver does not report one
    struct cuc__keep *keep; // references for the captured graph
    cuc_graph *into;        // the graph that the capture adds to, retained; NULL if it makes a new
                            // graph
    cuc_graph *bodies;      // bodies of the new graph's conditional nodes, retained
    struct cuc__conditionals conditionals; // the new graph's conditional nodes
    // The first call that the driver refused after the capture began; NULL if none.
    const char *function, *call;
    int code;
};

bool cuc__capture_is_known(const cuc_stream *stream);

// Two of the hooks in device/capture_hooks.h.
bool cuc__capture_was_stuck(const cuc_stream *stream);
void cuc__capture_refused(int code, const char *function, const char *call);

// Adds a capture that this thread has begun to the list.
void cuc__capture_enter(struct cuc__capture *c);
// Removes a stream's capture from the list and returns it, or NULL if there is none.
struct cuc__capture *cuc__capture_leave(const cuc_stream *stream);

// Assigns the bodies of a capture's conditional nodes to its graph, or to NULL if it has none. If a
// capture into one of the bodies ended badly, marks the graph as gone.
void cuc__capture_assign_bodies(struct cuc__capture *c, cuc_graph *graph);
// Frees a capture that is on no list and drops the references for its graph. NULL does nothing.
void cuc__capture_drop(struct cuc__capture *c);

// Refuses to end a known capture if the driver would drop or invalidate it: it drops a capture that
// the wrong thread ends, and invalidates one that the wrong stream ends. Also refuses an end that
// would destroy a graph while another capture adds to it. `keep` means that the capture should
// yield a graph.
cuc_status cuc__capture_check_ender(const cuc_stream *stream, bool keep, const char *function);
// Returns a stream whose capture fills a body of `stream`'s capture, or NULL if there is none.
// `*may` tells whether this thread may cancel that capture. If `stream`'s capture is invalidated
// (`spoilt`), ending it will destroy the graph that it adds to, so the search includes streams that
// add to the same graph.
cuc_stream *cuc__capture_filling(bool *may, const cuc_stream *stream, bool spoilt);
// Refuses to end a capture while another capture fills one of its bodies.
cuc_status cuc__capture_refuse_filled(const cuc_stream *stream, const cuc_stream *filling,
                                      const char *function);

// The driver's reaction if a stream's capture ends.
enum cuc__capture_end {
    CUC__END_FREELY, // a failure destroys only the capture's own graph
    CUC__END_JOINED, // a failure destroys graphs that other streams capture or add to
    CUC__END_WELL,   // a failure crashes the process: the graph must not be destroyed
    CUC__END_NEVER,  // ending the capture crashes, because its graph has already been freed
};
// Predicts the driver's reaction. `*adds` tells whether the capture adds to an existing graph.
enum cuc__capture_end cuc__capture_choose_end(bool *adds, const cuc_stream *stream);
// Records that a capture ended badly and that the graph it added to is gone. Call it before the
// capture leaves the list.
void cuc__capture_mark_graph_lost(const cuc_stream *stream);
// The format of the message about a stream whose capture cannot be ended. Takes the stream's
// handle.
#define CUC__CAPTURED_FOR_GOOD                                                             \
    "stream %p stays captured for good: its capture is invalidated, and ending it would "  \
    "crash the driver, because a capture that failed has freed a part of the same graph, " \
    "or because other streams capture into it. cuc_context_synchronize() of its context "  \
    "fails from now on: restart the process"
// Takes over a capture that can never be ended. Its stream stays captured forever.
void cuc__capture_keep_stuck(struct cuc__capture *c);
// Fails if a stream's capture can never be ended.
cuc_status cuc__capture_check_stuck(const cuc_stream *stream, const char *function);
cuc_status cuc__capture_fail_stuck(const cuc_stream *stream, const char *function);

// Keeps a released stream alive while another capture fills a body of its capture. Returns false if
// no capture does.
bool cuc__capture_set_abandoned(const cuc_stream *stream);
// Called after a capture has ended. Releases the streams that were kept because this capture filled
// one of their bodies.
void cuc__capture_end_abandoned(void);

#endif
