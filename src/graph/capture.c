// Captures: how they begin and end, and the operations within them.
#include "capture.h"

#include "capture_registry.h"
#include "graph.h"
#include "keep.h"
#include "device/capture_hooks.h"
#include "device/deferred.h"
#include "base/options.h"
#include "device/stream.h"

#include <cucore/node.h>
#include <stdlib.h>

// Returns the leaf nodes of a captured graph, in memory that the caller frees, or NULL on failure.
static CUgraphNode *last_nodes(size_t *count, CUgraph graph)
{
    size_t all;
    CUresult r;

    CUgraphNode *nodes = cuc__graph_list(&r, &all, graph);
    *count = 0;
    for (size_t i = 0; nodes && i < all; i++) {
        size_t dependents = 0;
        r = cuc__cu.cuGraphNodeGetDependentNodes(nodes[i], NULL, NULL, &dependents);
        bool lossy = r == CUDA_ERROR_LOSSY_QUERY; // there are edges, and one has data
        if (r && !lossy) {
            free(nodes);
            return NULL;
        }
        if (!lossy && !dependents)
            nodes[(*count)++] = nodes[i];
    }
    return nodes;
}

// Makes a stream's next node depend on all captured work, including work of other streams, so that
// ending the capture finds no unjoined work. Returns false if the capture is invalidated, or on
// failure.
static bool join_all(const cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = NULL;
    size_t count;
    uint64_t id;

    CUresult r =
        cuc__cu.cuStreamGetCaptureInfo(stream->handle, &status, &id, &graph, NULL, NULL, NULL);
    if (r || status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return false;
    CUgraphNode *nodes = last_nodes(&count, graph);
    if (nodes && count)
        r = cuc__cu.cuStreamUpdateCaptureDependencies(stream->handle, nodes, NULL, count,
                                                      CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    const bool joined = nodes && !r;
    free(nodes);
    return joined;
}

// Returns true if an active capture has leaf nodes that its stream does not depend on.
static bool has_loose_nodes(const cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *after = NULL;
    const CUgraphEdgeData *edges = NULL; // without it, the query fails if an edge has data
    CUgraph graph = NULL;
    size_t count, behind = 0, found = 0;
    uint64_t id;

    if (cuc__cu.cuStreamGetCaptureInfo(stream->handle, &status, &id, &graph, &after, &edges,
                                       &behind) ||
        status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return false;
    CUgraphNode *nodes = last_nodes(&count, graph);
    for (size_t i = 0; nodes && i < count; i++)
        for (size_t j = 0; j < behind; j++)
            found += after[j] == nodes[i];
    free(nodes);
    return nodes && found < count;
}

// The result of ending a capture.
struct ending {
    CUgraph graph; // NULL if there is none
    bool over, stuck;
    bool unsound; // destroying the graph would crash the driver
};

// Ends a stream's capture in the driver. The stream's context must be current. `cancels` means that
// nobody needs the result; the graph that the capture adds to then survives unless the capture is
// invalidated.
static CUresult end(struct ending *ending, const cuc_stream *stream, bool cancels)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    bool adds;
    const enum cuc__capture_end how = cuc__capture_choose_end(&adds, stream);

    *ending = (struct ending){ .unsound = how >= CUC__END_WELL };
    const bool joined = ((cancels && adds) || how != CUC__END_FREELY) && how != CUC__END_NEVER &&
                        join_all(stream);
    if (how != CUC__END_FREELY && !joined) {
        ending->stuck = true;
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    CUresult r = cuc__cu.cuStreamEndCapture(stream->handle, &ending->graph);
    ending->over = !r || (!cuc__cu.cuStreamIsCapturing(stream->handle, &status) &&
                          status == CU_STREAM_CAPTURE_STATUS_NONE);
    if (r && ending->over)
        cuc__capture_mark_graph_lost(stream);
    return r;
}

// Removes an ended capture from the list. Returns NULL if the capture continues or is unknown. With
// `anyway`, also removes a capture that has not ended and that nobody will end, because its stream
// is being released or its context is lost.
static struct cuc__capture *leave(const cuc_stream *stream, const struct ending *ending,
                                  bool anyway)
{
    if (!ending->over && !ending->stuck && !anyway)
        return NULL;
    if (!ending->over && !ending->stuck && !cuc_context_is_lost(stream->context))
        cuc__capture_mark_graph_lost(stream); // releasing the stream ends this capture in the
                                              // driver
    struct cuc__capture *c = cuc__capture_leave(stream);
    if (!ending->stuck)
        return c;
    cuc__capture_keep_stuck(c);
    return NULL;
}

// Finishes a capture that has been removed from the list: drops the references that it has
// collected. Nodes added to an existing graph stay, and so do the references that they need.
static void finish(struct cuc__capture *c, const cuc_stream *stream, const struct ending *ending,
                   const char *function)
{
    if (ending->graph && !(c && c->into) && !ending->unsound)
        CUC_CLEANUP(stream->context, cuGraphDestroy, (void *)ending->graph, ending->graph);
    if (ending->graph && c && c->into && cuc_graph_handle(c->into) &&
        cuc__capture_attach_keep(c->keep, c->into, function) >= 0)
        c->keep = NULL;
    cuc__capture_drop(c);
}

// Ends a stream's capture after a failure. Returns true if the stream remains captured.
static bool drop(const cuc_stream *stream, const char *function)
{
    struct ending ending;

    (void)end(&ending, stream, true);
    finish(leave(stream, &ending, true), stream, &ending, function);
    return ending.stuck;
}

// Begins the capture in the driver. The stream's context must be current. `*begun` becomes true
// even if only a later step failed.
static cuc_status begin(bool *begun, struct cuc__capture *c, const cuc_stream *stream,
                        const CUgraphNode *after, size_t count, const char *function)
{
    CUstreamCaptureMode mode = (CUstreamCaptureMode)c->mode;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const char *call = "cuStreamIsCapturing";

    CUresult r = cuc__cu.cuStreamIsCapturing(stream->handle, &status);
    if (!r && status != CU_STREAM_CAPTURE_STATUS_NONE)
        return cuc__fail(CUC_ERROR_BUSY, function,
                         "stream %p is already being captured: end that capture first",
                         (void *)stream->handle);
    if (!r && c->into) {
        call = "cuStreamBeginCaptureToGraph";
        r = cuc__cu.cuStreamBeginCaptureToGraph(stream->handle, c->into->handle, after, NULL, count,
                                                mode);
        *begun = !r;
    } else if (!r) {
        call = "cuStreamBeginCapture";
        r = cuc__cu.cuStreamBeginCapture(stream->handle, mode);
        *begun = !r;
    }
    if (*begun) {
        call = "cuStreamGetCaptureInfo";
        r = cuc__cu.cuStreamGetCaptureInfo(stream->handle, &status, &c->id, NULL, NULL, NULL, NULL);
        if (r == CUC__CU_MISSING)
            r = 0;
    }
    if (!r)
        return CUC_OK;
    return cuc__fail_driver(stream->context, r, function, call,
                            "beginning to capture stream %p of device %d%s", (void *)stream->handle,
                            stream->ordinal,
                            count ? " after nodes, which must be nodes of the given graph" : "");
}

static bool abandon(cuc_stream *stream);

static const struct cuc__capture_hooks hooks = {
    .abandon = abandon,
    .was_stuck = cuc__capture_was_stuck,
    .refused = cuc__capture_refused,
};

static cuc_status begin_capture(cuc_stream *stream, cuc_graph *into, const CUgraphNode *after,
                                size_t count, int32_t mode, const char *function)
{
    bool pushed, begun = false;

    if (mode < CUC_CAPTURE_GLOBAL || mode > CUC_CAPTURE_RELAXED)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "mode is %d, expected CUC_CAPTURE_GLOBAL (0), _THREAD_LOCAL (1) or "
                         "_RELAXED (2)",
                         mode);
    if (stream->handle == CU_STREAM_LEGACY)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the legacy default stream cannot be captured: capture a stream of "
                         "cuc_stream_create() and put the work on it");
    cuc_status st = cuc__capture_check_stuck(stream, function);
    if (st < 0)
        return st;
    cuc__deferred_poll();
    struct cuc__capture *c = calloc(1, sizeof(*c));
    if (!c)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a capture");
    c->stream = stream;
    c->thread = pthread_self();
    c->mode = mode;
    c->into = cuc_graph_retain(into);
    st = cuc__context_enter(stream->context, &pushed, function);
    if (st >= 0) {
        st = begin(&begun, c, stream, after, count, function);
        st = cuc__context_leave(stream->context, pushed, st, function);
    }
    if (st >= 0 || begun) {
        atomic_store(&cuc__capture_hooks, &hooks);
        cuc__capture_enter(c);
    }
    if (st >= 0)
        return CUC_OK;
    if (begun)
        (void)drop(stream, function);
    else
        cuc__capture_drop(c);
    return st;
}

cuc_status cuc_stream_begin_capture(cuc_stream *stream, int32_t mode)
{
    CUC_CHECK(stream, STREAM);
    return begin_capture(stream, NULL, NULL, 0, mode, __func__);
}

cuc_status cuc_stream_begin_capture_to(cuc_stream *stream, cuc_graph *graph, cuc_node *const *after,
                                       size_t count, int32_t mode)
{
    CUC_CHECK(stream, STREAM);
    CUC_CHECK_GRAPH(graph);
    if (!after && count)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "after is NULL and count is %zu", count);
    return begin_capture(stream, graph, (const CUgraphNode *)after, count, mode, __func__);
}

static cuc_status check_captured(const cuc_stream *stream, const char *function)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult r = cuc__cu.cuStreamIsCapturing(stream->handle, &status);

    if (r)
        return cuc__fail_driver(stream->context, r, function, "cuStreamIsCapturing",
                                "asking whether stream %p is captured", (void *)stream->handle);
    if (status == CU_STREAM_CAPTURE_STATUS_NONE)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "stream %p is not being captured: call cuc_stream_begin_capture() first",
                         (void *)stream->handle);
    return CUC_OK;
}

// Cancels the captures that fill bodies of a stream's capture. Fails if another thread began one of
// them.
static cuc_status cancel_filling(const cuc_stream *stream, bool spoilt, const char *function)
{
    cuc_stream *filling;
    bool may;

    while ((filling = cuc__capture_filling(&may, stream, spoilt))) {
        if (!may)
            return cuc__capture_refuse_filled(stream, filling, function);
        cuc_status st = cuc_stream_cancel_capture(filling);
        if (st < 0 && cuc__capture_filling(&may, stream, spoilt) == filling)
            return cuc__pass(st, function);
    }
    return CUC_OK;
}

// Refuses to end a capture with unjoined work while another capture fills one of its bodies: the
// end would fail and destroy the graph.
static cuc_status check_loose(const cuc_stream *stream, const char *function)
{
    bool may;

    const cuc_stream *filling = cuc__capture_filling(&may, stream, false);
    return filling && has_loose_nodes(stream)
               ? cuc__capture_refuse_filled(stream, filling, function)
               : CUC_OK;
}

// Returns the text about side effects that ends the message about a capture that ended badly.
static const char *side_effects(const struct cuc__capture *c)
{
    if (!c || !c->into)
        return "";
    return c->into->body ? "; the driver frees the body that it filled, so the graph with that "
                           "node is lost: make it again"
                         : "; the driver frees the graph that it added to: make it again";
}

// Ends a capture. The stream's context must be current. Sets *c if the capture is over.
static cuc_status end_capture(struct ending *ending, struct cuc__capture **c,
                              const cuc_stream *stream, const char *function)
{
    cuc_status st = cuc__capture_check_stuck(stream, function);

    if (st < 0 || (st = check_captured(stream, function)) < 0 ||
        (st = cuc__capture_check_ender(stream, true, function)) < 0 ||
        (st = check_loose(stream, function)) < 0)
        return st;
    CUresult r = end(ending, stream, false);
    *c = leave(stream, ending, false);
    if (ending->stuck)
        return cuc__capture_fail_stuck(stream, function);
    if (r)
        st = cuc__fail_driver(stream->context, r, function, "cuStreamEndCapture",
                              "ending the capture of stream %p of device %d%s",
                              (void *)stream->handle, stream->ordinal, side_effects(*c));
    if (r && *c && (*c)->call)
        cuc__error_note("the first call refused during this capture was %s, in %s, with code %d",
                        (*c)->call, (*c)->function, (*c)->code);
    return st;
}

cuc_status cuc_stream_end_capture(cuc_graph **out, cuc_stream *stream)
{
    struct ending ending = { 0 };
    struct cuc__capture *c = NULL;
    char why[256];
    bool pushed;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_graph *graph = cuc__graph_new(stream->context, __func__);
    if (!graph)
        return CUC_ERROR_OUT_OF_MEMORY;
    cuc_status st = CUC_ENTER(stream->context, &pushed);
    if (st >= 0) {
        st = end_capture(&ending, &c, stream, __func__);
        if (!c && st == CUC_ERROR_CONTEXT_LOST)
            c = leave(stream, &ending, true);
        st = CUC_LEAVE(stream->context, pushed, st);
    }
    if (c && c->into) { // `into` is already the graph's object
        cuc_graph_release(graph);
        graph = cuc_graph_retain(c->into);
    } else {
        graph->handle = ending.graph;
    }
    // The graph counts as gone if one of its bodies was freed. That is known only after the bodies
    // are assigned.
    if (st >= 0 && c && !ending.unsound && cuc_graph_handle(graph) &&
        (st = cuc__capture_attach_keep(c->keep, graph, __func__)) >= 0)
        c->keep = NULL;
    if (st >= 0 && c)
        cuc__capture_assign_bodies(c, graph);
    if (st >= 0 && cuc__graph_destroyed_reason(why, sizeof(why), graph)) {
        st = CUC_FAIL_CU(stream->context, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                         "cuStreamEndCapture", "the capture of stream %p has ended, but %s",
                         (void *)stream->handle, why);
        cuc__error_set_explanation(""); // no remedy for this capture exists
    }
    cuc__capture_drop(c);
    cuc__capture_end_abandoned();
    if (st < 0) {
        cuc_graph_release(graph);
        return st;
    }
    cuc__deferred_poll();
    *out = graph;
    return CUC_OK;
}

cuc_status cuc_stream_cancel_capture(cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    struct ending ending = { 0 };
    bool pushed;

    CUC_CHECK(stream, STREAM);
    cuc_status st = CUC_ENTER(stream->context, &pushed);
    if (st < 0)
        return st;
    const char *call = "cuStreamIsCapturing";
    CUresult r = cuc__cu.cuStreamIsCapturing(stream->handle, &status);
    if (!r && status != CU_STREAM_CAPTURE_STATUS_NONE) {
        const bool spoilt = status != CU_STREAM_CAPTURE_STATUS_ACTIVE;
        if ((st = cuc__capture_check_stuck(stream, __func__)) < 0 ||
            (st = cuc__capture_check_ender(stream, false, __func__)) < 0 ||
            (st = cancel_filling(stream, spoilt, __func__)) < 0)
            return CUC_LEAVE(stream->context, pushed, st);
        call = "cuStreamEndCapture";
        r = end(&ending, stream, true);
        if (ending.over) // invalidated or unjoined; nobody needs the result
            r = 0;
    } else {
        ending.over = !r; // over in the driver
    }
    if (r && !ending.stuck)
        st = CUC_FAIL_CU(stream->context, r, call,
                         "cancelling the capture of stream %p of device %d", (void *)stream->handle,
                         stream->ordinal);
    else if (ending.stuck)
        st = cuc__capture_fail_stuck(stream, __func__);
    finish(leave(stream, &ending, st == CUC_ERROR_CONTEXT_LOST), stream, &ending, __func__);
    cuc__capture_end_abandoned();
    return CUC_LEAVE(stream->context, pushed, st);
}

// Returns true if the capture of a stream that is being released is invalidated.
static bool is_spoilt(const cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    return !cuc__cu.cuStreamIsCapturing(stream->handle, &status) &&
           status == CU_STREAM_CAPTURE_STATUS_INVALIDATED;
}

static bool abandon(cuc_stream *stream)
{
    cuc_stream *filling;
    bool may;

    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return true;
    if (!cuc__capture_is_known(stream))
        return true;
    // Do not destroy the graph while another stream captures into a part of it.
    const bool spoilt = is_spoilt(stream);
    while ((filling = cuc__capture_filling(&may, stream, spoilt)) && may)
        if (cuc_stream_cancel_capture(filling) < 0 &&
            cuc__capture_filling(&may, stream, spoilt) == filling)
            break;
    if (filling && cuc__capture_set_abandoned(stream))
        return false;
    if (drop(stream, "cuc_stream_release"))
        cuc__unraisable("released while it was captured, " CUC__CAPTURED_FOR_GOOD,
                        (void *)stream->handle);
    else
        cuc__unraisable(
            "stream %p was released while it was captured: the captured work is dropped; end the "
            "capture first, or cancel it with cuc_stream_cancel_capture()",
            (void *)stream->handle);
    cuc__capture_end_abandoned();
    return true;
}

// Operations within a capture

cuc_status cuc_stream_get_capture_info(cuc_capture_info *out, cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    cuc_capture_info info = CUC_CAPTURE_INFO_INIT;
    CUgraph graph = NULL;
    uint64_t id = 0;
    cuc_status st;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    CUC_CALL_IN(st, stream->context, cuStreamGetCaptureInfo,
                (stream->handle, &status, &id, &graph, NULL, NULL, NULL),
                "asking what captures stream %p", (void *)stream->handle);
    if (st < 0)
        return st;
    info.status = (int32_t)status; // CUC_CAPTURE_ constants have the driver's values
    if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        info.id = id;
        info.graph = graph;
    }
    return CUC_WRITE_STRUCT(out, &info, cuc_capture_info);
}

static cuc_status embed(const cuc_stream *stream, const cuc_graph *graph, const char *function)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode *dependencies = NULL;
    const CUgraphEdgeData *edges = NULL; // without it, the query fails if an edge has data
    CUgraphNode node = NULL;
    CUgraph into = NULL;
    size_t count = 0;
    uint64_t id;

    const char *call = "cuStreamGetCaptureInfo";
    CUresult r = cuc__cu.cuStreamGetCaptureInfo(stream->handle, &status, &id, &into, &dependencies,
                                                &edges, &count);
    if (!r && status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
        call = "cuGraphAddChildGraphNode";
        if (status == CU_STREAM_CAPTURE_STATUS_NONE)
            return check_captured(stream, function);
        r = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    }
    if (!r) {
        call = "cuGraphAddChildGraphNode";
        r = cuc__cu.cuGraphAddChildGraphNode(&node, into, dependencies, count, graph->handle);
    }
    if (!r) {
        call = "cuStreamUpdateCaptureDependencies";
        r = cuc__cu.cuStreamUpdateCaptureDependencies(stream->handle, &node, NULL, 1,
                                                      CU_STREAM_SET_CAPTURE_DEPENDENCIES);
    }
    return r ? cuc__fail_driver(stream->context, r, function, call,
                                "embedding a graph in the one that stream %p is captured into",
                                (void *)stream->handle)
             : CUC_OK;
}

cuc_status cuc_stream_embed_graph(cuc_stream *stream, cuc_graph *graph)
{
    bool pushed;

    CUC_CHECK(stream, STREAM);
    CUC_CHECK(graph, GRAPH);
    cuc_status st = cuc__graph_check_own(graph, "embedded", __func__);
    if (st < 0 || (st = CUC_ENTER(stream->context, &pushed)) < 0)
        return st;
    st = embed(stream, graph, __func__);
    return CUC_LEAVE(stream->context, pushed, st);
}
