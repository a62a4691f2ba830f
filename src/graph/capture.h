// Captures: the interface between their operations (capture.c) and the list of active captures
// (capture_registry.c).
#ifndef CUCORE_GRAPH_CAPTURE_H
#define CUCORE_GRAPH_CAPTURE_H

#include "graph.h"

#include <pthread.h>
#include <stdbool.h>

struct cuc__keep;

// An active capture. Captures begun by other code are not known here.
struct cuc__capture {
    struct cuc__capture *next;
    cuc_stream *stream;
    pthread_t thread; // the thread that began it; identifies a per-thread default stream
    bool left;        // its thread has ended, so no thread may end it
    bool abandoned; // the stream was released; the capture stays while another capture fills one of
                    // its bodies
                    // one
    int32_t mode;
    uint64_t id;            // 0 if the driver does not tell
    struct cuc__keep *keep; // references for its graph
    cuc_graph *into;        // the graph that it adds to, retained; NULL if it makes a new graph
    cuc_graph *bodies;      // bodies of the new graph's conditional nodes, retained
    struct cuc__conditionals conditionals; // the new graph's conditional nodes
    // The first call that the driver has refused since the capture began; NULL for none.
    const char *function, *call;
    int code;
};

bool cuc__capture_is_known(const cuc_stream *stream);

// Two of the hooks of device/capture_hooks.h.
bool cuc__capture_was_stuck(const cuc_stream *stream);
void cuc__capture_refused(int code, const char *function, const char *call);

// Adds a capture, begun by this thread, to the list.
void cuc__capture_enter(struct cuc__capture *c);
// Removes a stream's capture from the list and returns it; NULL if there is none.
struct cuc__capture *cuc__capture_leave(const cuc_stream *stream);

// Assigns the bodies of a capture's conditional nodes to its graph; NULL if there is no graph. If a
// capture into one of the bodies ended badly, the graph is marked as gone.
void cuc__capture_assign_bodies(struct cuc__capture *c, cuc_graph *graph);
// Frees a capture that is on no list, and drops the references for its graph. NULL is ignored.
void cuc__capture_drop(struct cuc__capture *c);

// Refuses to end a known capture if the driver's reaction would be harmful: the driver drops a
// capture that the wrong thread ends, and invalidates one that the wrong stream ends. Also refuses
// an end that would destroy a graph while another capture adds to it. `keep` says that the capture
// should yield a graph.
cuc_status cuc__capture_check_ender(const cuc_stream *stream, bool keep, const char *function);
// Returns a stream whose capture fills a body of `stream`'s capture; NULL if there is none. `*may`:
// this thread may cancel that capture. If `stream`'s capture is invalidated (`spoilt`), the graph
// that it adds to will be destroyed, so a stream that adds to the same graph counts too.
cuc_stream *cuc__capture_filling(bool *may, const cuc_stream *stream, bool spoilt);
// Refuses to end a capture while another capture fills one of its bodies.
cuc_status cuc__capture_refuse_filled(const cuc_stream *stream, const cuc_stream *filling,
                                      const char *function);

// The driver's reaction to the end of a stream's capture.
enum cuc__capture_end {
    CUC__END_FREELY, // harmless: a failure destroys only its own graph
    CUC__END_JOINED, // a failure destroys graphs that other streams capture or add to
    CUC__END_WELL,   // a failure crashes the process: the graph must not be destroyed
    CUC__END_NEVER,  // a crash, because the graph has already been freed
};
// Predicts that reaction. `*adds` says if the capture adds to an existing graph.
enum cuc__capture_end cuc__capture_choose_end(bool *adds, const cuc_stream *stream);
// Records, before a capture leaves the list, that it ended badly and that the graph it added to is
// gone.
void cuc__capture_mark_graph_lost(const cuc_stream *stream);
// The message about a stream whose capture cannot be ended. Takes the stream's handle.
#define CUC__CAPTURED_FOR_GOOD                                                             \
    "stream %p stays captured for good: its capture is invalidated, and ending it would "  \
    "crash the driver, because a capture that failed has freed a part of the same graph, " \
    "or because other streams capture into it. cuc_context_synchronize() of its context "  \
    "fails from now on: restart the process"
// Takes over a capture that can never be ended, so its stream stays captured forever.
void cuc__capture_keep_stuck(struct cuc__capture *c);
// Returns CUC_OK unless a stream's capture can never be ended.
cuc_status cuc__capture_check_stuck(const cuc_stream *stream, const char *function);
cuc_status cuc__capture_fail_stuck(const cuc_stream *stream, const char *function);

// Keeps a released stream alive while another capture fills a body of its capture; false if none
// does.
bool cuc__capture_set_abandoned(const cuc_stream *stream);
// Called after a capture: releases the streams that were kept because this capture filled one of
// their bodies.
void cuc__capture_end_abandoned(void);

#endif
