// Captures: how they begin and end, and what is asked and done within one.
#include "graph_capture.h"

#include "capture.h"
#include "graph.h"
#include "keep.h"
#include "options.h"
#include "stream.h"

#include <cucore/node.h>
#include <stdlib.h>

// Drop what a stream has captured, in the driver, on the way out of a failure.
static void undo(const cuc_stream *stream, const struct cuc__capture *c)
{
    CUgraph graph = NULL;

    if (!cuc__cu.cuStreamEndCapture(stream->handle, &graph) && graph && !c->into)
        CUC_CLEANUP(stream->context, cuGraphDestroy, (void *)graph, graph);
}

// Begin in the driver, with the context current. `*begun` also where only what follows failed.
static cuc_status begin(bool *begun, struct cuc__capture *c, const cuc_stream *stream,
                        const CUgraphNode *after, size_t count, const char *function)
{
    CUstreamCaptureMode mode = (CUstreamCaptureMode)c->mode;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const char *call = "cuStreamIsCapturing";

    CUresult r = cuc__cu.cuStreamIsCapturing(stream->handle, &status);
    if (!r && status != CU_STREAM_CAPTURE_STATUS_NONE)
        return cuc__fail(CUC_ERROR_BUSY, function,
                         "stream %p is being captured already: end that first",
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
                            count ? " behind nodes, which have to be of the graph given" : "");
}

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
                         "the stream is the legacy default one, which cannot be captured: capture "
                         "one of cuc_stream_create(), and put the work on that");
    cuc__keep_tidy();
    struct cuc__capture *c = calloc(1, sizeof(*c));
    if (!c)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for a capture");
    c->stream = stream;
    c->thread = pthread_self();
    c->mode = mode;
    c->into = cuc_graph_retain(into);
    cuc_status st = cuc__context_enter(stream->context, &pushed, function);
    if (st >= 0) {
        st = begin(&begun, c, stream, after, count, function);
        st = cuc__context_leave(stream->context, pushed, st, function);
    }
    if (st < 0) {
        if (begun)
            undo(stream, c);
        cuc__capture_drop(c);
        return st;
    }
    cuc__capture_enter(c);
    return CUC_OK;
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

// End the capture in the driver. `*over` says whether it is; *out is NULL where nothing came of it.
// With the context current.
static CUresult end(CUgraph *out, bool *over, const cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    *out = NULL;
    CUresult r = cuc__cu.cuStreamEndCapture(stream->handle, out);
    *over = !r || (!cuc__cu.cuStreamIsCapturing(stream->handle, &status) &&
                   status == CU_STREAM_CAPTURE_STATUS_NONE);
    return r;
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

// What fills bodies of a stream's capture goes with it, as far as this thread has begun it.
static cuc_status cancel_filling(const cuc_stream *stream, const char *function)
{
    cuc_stream *filling;
    bool may;

    while ((filling = cuc__capture_filling(&may, stream))) {
        if (!may)
            return cuc__capture_refuse_filled(stream, filling, function);
        cuc_status st = cuc_stream_cancel_capture(filling);
        if (st < 0)
            return cuc__pass(st, function);
    }
    return CUC_OK;
}

cuc_status cuc_stream_end_capture(cuc_graph **out, cuc_stream *stream)
{
    bool pushed, over = false;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_graph *graph = cuc__graph_new(stream->context, __func__);
    if (!graph)
        return CUC_ERROR_OUT_OF_MEMORY;
    struct cuc__capture *c = NULL;
    cuc_status st = CUC_ENTER(stream->context, &pushed);
    if (st >= 0) {
        if ((st = check_captured(stream, __func__)) >= 0 &&
            (st = cuc__capture_check_ender(stream, true, __func__)) >= 0) {
            CUresult r = end(&graph->handle, &over, stream);
            c = over ? cuc__capture_leave(stream) : NULL;
            if (c && c->into) // that has it already
                graph->handle = NULL;
            if (r)
                st = CUC_FAIL_CU(stream->context, r, "cuStreamEndCapture",
                                 "ending the capture of stream %p of device %d",
                                 (void *)stream->handle, stream->ordinal);
        }
        if (!c && st == CUC_ERROR_CONTEXT_LOST)
            c = cuc__capture_leave(stream);
        if (st < 0 && over && c && c->call)
            cuc__error_note("the call refused first since the capture began was %s, in %s, with "
                            "code %d",
                            c->call, c->function, c->code);
        st = CUC_LEAVE(stream->context, pushed, st);
    }
    if (c && c->into) {
        cuc_graph_release(graph);
        graph = cuc_graph_retain(c->into);
    }
    if (st >= 0 && c && (st = cuc__capture_tie(c->keep, graph, __func__)) >= 0)
        c->keep = NULL;
    if (st >= 0 && c)
        cuc__capture_settle_bodies(c, graph);
    cuc__capture_drop(c);
    cuc__capture_end_abandoned();
    if (st < 0) {
        cuc_graph_release(graph);
        return st;
    }
    cuc__keep_tidy();
    *out = graph;
    return CUC_OK;
}

cuc_status cuc_stream_cancel_capture(cuc_stream *stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUgraph graph = NULL;
    bool pushed, over = true;

    CUC_CHECK(stream, STREAM);
    cuc_status st = CUC_ENTER(stream->context, &pushed);
    if (st < 0)
        return st;
    const char *call = "cuStreamIsCapturing";
    CUresult r = cuc__cu.cuStreamIsCapturing(stream->handle, &status);
    if (!r && status != CU_STREAM_CAPTURE_STATUS_NONE) {
        if ((st = cuc__capture_check_ender(stream, false, __func__)) < 0 ||
            (st = cancel_filling(stream, __func__)) < 0)
            return CUC_LEAVE(stream->context, pushed, st);
        call = "cuStreamEndCapture";
        r = end(&graph, &over, stream);
        if (over) // spoilt or not joined: just what is to go
            r = 0;
    }
    if (r)
        st = CUC_FAIL_CU(stream->context, r, call,
                         "cancelling the capture of stream %p of device %d", (void *)stream->handle,
                         stream->ordinal);
    struct cuc__capture *c = !r || st == CUC_ERROR_CONTEXT_LOST ? cuc__capture_leave(stream) : NULL;
    if (graph && !(c && c->into))
        CUC_CLEANUP(stream->context, cuGraphDestroy, (void *)graph, graph);
    cuc__capture_drop(c);
    cuc__capture_end_abandoned();
    return CUC_LEAVE(stream->context, pushed, st);
}

bool cuc__capture_abandon(cuc_stream *stream)
{
    cuc_stream *filling;
    bool may;

    if (cuc__driver_forked()) // the lock may be held for good by a thread of the parent
        return true;
    // The graph is not to be destroyed under a stream that captures into a part of it.
    while ((filling = cuc__capture_filling(&may, stream)) && may &&
           cuc_stream_cancel_capture(filling) >= 0)
        ;
    if (filling && cuc__capture_set_abandoned(stream))
        return false;
    struct cuc__capture *c = cuc__capture_leave(stream);
    if (!c)
        return true;
    undo(stream, c);
    cuc__unraisable("stream %p was released while it was captured: what it had collected is "
                    "dropped; end the capture first, or cancel it with cuc_stream_cancel_capture()",
                    (void *)stream->handle);
    cuc__capture_drop(c);
    return true;
}

// Within a capture.

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
    info.status = (int32_t)status; // CUC_CAPTURE_ has the driver's values
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
    const CUgraphEdgeData *edges = NULL; // not asked for, some of them could not be told
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
