// Events, and stream capture as far as it refuses and collects work.
#include "shell.h"

#include <stdlib.h>

// Captures.

// Captures that go on in the process, and in this thread: the modes ask for the one or the other.
struct search {
    bool unsafe;
};

static void forbids(struct object *o, void *data)
{
    struct search *search = data;
    struct stream *s = (struct stream *)o;

    if (o->kind != KIND_STREAM || !s->capture || s->capture->origin != s)
        return;
    struct capture *c = s->capture;
    bool mine = c->thread == sim_thread.id;
    if (c->mode == CU_STREAM_CAPTURE_MODE_RELAXED ||
        sim_thread.capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
        return;
    if (mine || (c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                 sim_thread.capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL)) {
        c->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        search->unsafe = true;
    }
}

bool sim_capture_forbids(void)
{
    struct search search = { false };

    if (sim.captures)
        sim_look(forbids, &search);
    return search.unsafe;
}

CUresult sim_capture_spoil(struct stream *stream)
{
    stream->capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

static void join(struct stream *stream, struct capture *capture)
{
    stream->capture = capture;
    stream->unjoined = stream != capture->origin;
    capture->streams++;
}

// Let a stream out of its capture; the last one ends it.
void sim_capture_leave(struct stream *stream)
{
    struct capture *c = stream->capture;

    stream->capture = NULL;
    stream->unjoined = false;
    if (--c->streams)
        return;
    if (c->own_graph)
        sim_graph_end(c->graph);
    sim.captures--;
    free(c);
}

struct ending {
    struct capture *capture;
    bool unjoined;
};

static void look_unjoined(struct object *o, void *data)
{
    struct ending *ending = data;
    struct stream *s = (struct stream *)o;

    if (o->kind == KIND_STREAM && s->capture == ending->capture)
        ending->unjoined |= s->unjoined;
}

static void leave(struct object *o, void *data)
{
    struct ending *ending = data;
    struct stream *s = (struct stream *)o;

    if (o->kind == KIND_STREAM && s->capture == ending->capture && s != ending->capture->origin)
        sim_capture_leave(s);
}

struct legacy {
    struct context *context;
    bool implicit;
};

static void blocking_capture(struct object *o, void *data)
{
    struct legacy *legacy = data;
    struct stream *s = (struct stream *)o;

    if (o->kind == KIND_STREAM && o->context == legacy->context && s->capture &&
        !(s->flags & CU_STREAM_NON_BLOCKING)) {
        s->capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        legacy->implicit = true;
    }
}

// The legacy stream would wait for streams that are being captured.
CUresult sim_capture_implicit(struct stream *stream)
{
    struct legacy legacy = { .context = stream->head.context };

    if (sim.captures && stream == stream->head.context->legacy)
        sim_look(blocking_capture, &legacy);
    return legacy.implicit ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

static struct graph *graph_new(void)
{
    struct graph *g = sim_alloc(sizeof(*g));

    sim_enlist(g, KIND_GRAPH, NULL);
    return g;
}

void sim_graph_end(struct graph *graph)
{
    size_t i = sim.allocation_count;

    while (i--)
        if (sim.allocations[i]->graph == graph)
            sim_free(sim.allocations[i]);
    sim_delist(graph);
    free(graph);
}

static CUresult begin(CUstream stream, struct graph *graph, CUstreamCaptureMode mode)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (code)
        return code;
    if (mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    if (s == s->head.context->legacy)
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (s->capture)
        return CUDA_ERROR_ILLEGAL_STATE;

    struct capture *c = sim_alloc(sizeof(*c));
    c->id = ++sim.serial;
    c->mode = mode;
    c->status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    c->origin = s;
    c->graph = graph;
    c->own_graph = !graph;
    if (!graph) {
        c->graph = graph_new();
        c->graph->head.builtin = true; // nobody's until the capture ends
    }
    c->thread = sim_thread.id;
    sim.captures++;
    join(s, c);
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    return begin(stream, NULL, mode);
}

CUresult sim_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                         const CUgraphNode *dependencies,
                                         const CUgraphEdgeData *edges, size_t dependency_count,
                                         CUstreamCaptureMode mode)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);

    (void)edges;
    if (!g)
        return CUDA_ERROR_INVALID_HANDLE;
    if (dependency_count && !dependencies)
        return CUDA_ERROR_INVALID_VALUE;
    return begin(stream, g, mode);
}

CUresult sim_cuStreamEndCapture(CUstream stream, CUgraph *graph)
{
    struct stream *s;
    CUresult code = graph ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (code)
        return code;
    struct capture *c = s->capture;
    if (!c)
        return CUDA_ERROR_ILLEGAL_STATE;
    if (c->origin != s)
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != sim_thread.id)
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;

    // Whatever comes out, the capture is over.
    struct ending ending = { .capture = c };
    sim_look(look_unjoined, &ending);
    if (c->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    else if (ending.unjoined)
        code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    if (!code) {
        c->own_graph = false;
        c->graph->head.builtin = false;
    }
    *graph = code ? NULL : SIM_HANDLE(CUgraph, c->graph);
    sim_look(leave, &ending);
    sim_capture_leave(s);
    return code;
}

CUresult sim_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    struct stream *s;
    CUresult code = status ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        code = sim_capture_implicit(s);
    if (!code)
        *status = s->capture ? s->capture->status : CU_STREAM_CAPTURE_STATUS_NONE;
    return code;
}

CUresult sim_cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, uint64_t *id,
                                    CUgraph *graph, const CUgraphNode **dependencies,
                                    const CUgraphEdgeData **edges, size_t *dependency_count)
{
    struct stream *s;
    CUresult code = status ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        code = sim_capture_implicit(s);
    if (code)
        return code;
    *status = s->capture ? s->capture->status : CU_STREAM_CAPTURE_STATUS_NONE;
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS; // the rest is written for an active capture only
    if (id)
        *id = s->capture->id;
    if (graph)
        *graph = SIM_HANDLE(CUgraph, s->capture->graph);
    if (dependencies)
        *dependencies = NULL;
    if (edges)
        *edges = NULL;
    if (dependency_count)
        *dependency_count = 0;
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *dependencies,
                                               const CUgraphEdgeData *edges,
                                               size_t dependency_count, unsigned flags)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    (void)edges;
    if (code)
        return code;
    if (flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES || (dependency_count && !dependencies))
        return CUDA_ERROR_INVALID_VALUE;
    return s->capture ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_STATE;
}

CUresult sim_cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
        return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode old = sim_thread.capture_mode;
    sim_thread.capture_mode = *mode;
    *mode = old;
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphCreate(CUgraph *graph, unsigned flags)
{
    if (!graph || flags)
        return CUDA_ERROR_INVALID_VALUE;
    *graph = SIM_HANDLE(CUgraph, graph_new());
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphDestroy(CUgraph graph)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);

    if (!g || g->head.builtin)
        return CUDA_ERROR_INVALID_HANDLE;
    sim_graph_end(g);
    return CUDA_SUCCESS;
}

CUresult sim_cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
    const struct graph *g = sim_object(graph, KIND_GRAPH);

    if (!g)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; nodes && i < *count; i++) // numbers, good for nothing but counting
        nodes[i] = i < g->nodes ? (CUgraphNode)(g->head.handle + 1 + i) : NULL;
    if (!nodes || *count > g->nodes)
        *count = g->nodes;
    return CUDA_SUCCESS;
}

// Events.

static CUresult event_of(CUevent handle, struct event **out)
{
    *out = sim_object(handle, KIND_EVENT);
    return *out ? (*out)->head.context->lost : CUDA_ERROR_INVALID_HANDLE;
}

CUresult sim_cuEventCreate(CUevent *event, unsigned flags)
{
    const unsigned known = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;

    if (!event || flags & ~known)
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_INTERPROCESS && !(flags & CU_EVENT_DISABLE_TIMING))
        return CUDA_ERROR_INVALID_VALUE;
    struct event *e = sim_alloc(sizeof(*e));
    e->flags = flags;
    sim_enlist(e, KIND_EVENT, sim_current());
    *event = SIM_HANDLE(CUevent, e);
    return CUDA_SUCCESS;
}

CUresult sim_event_record(struct event *event, struct stream *stream)
{
    if (event->head.context != stream->head.context)
        return CUDA_ERROR_INVALID_HANDLE;
    CUresult code = sim_capture_implicit(stream);
    if (code)
        return code;
    if (stream->capture) {
        if (stream->capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
            return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
        event->capture = stream->capture->id;
        event->recorder = stream->head.handle;
        stream->captured++;
        return CUDA_SUCCESS;
    }
    event->capture = 0;
    sim_mark_drop(event->mark);
    event->mark = sim_mark_new();
    return sim_submit(stream,
                      &(struct work){ .op = OP_MARK, .mark = sim_mark_retain(event->mark) });
}

CUresult sim_cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags)
{
    struct event *e;
    struct stream *s;
    CUresult code = event_of(event, &e);

    if (!code)
        code = sim_stream_of(stream, &s);
    if (code)
        return code;
    if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL ||
        (flags & CU_EVENT_RECORD_EXTERNAL && !s->capture))
        return CUDA_ERROR_INVALID_VALUE;
    if (flags & CU_EVENT_RECORD_EXTERNAL) // a node that records for real when the graph runs
        return sim_submit(s, &(struct work){ .op = OP_NOTHING });
    return sim_event_record(e, s);
}

CUresult sim_cuEventRecord(CUevent event, CUstream stream)
{
    return sim_cuEventRecordWithFlags(event, stream, 0);
}

CUresult sim_cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    struct event *e = sim_object(event, KIND_EVENT);
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    if (code)
        return code;
    if (!e)
        return CUDA_ERROR_INVALID_HANDLE;
    if (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL)
        return CUDA_ERROR_INVALID_VALUE;
    if ((code = sim_capture_implicit(s)))
        return code;
    if (flags & CU_EVENT_WAIT_EXTERNAL)
        return s->capture ? sim_submit(s, &(struct work){ .op = OP_NOTHING })
                          : CUDA_ERROR_INVALID_VALUE;
    if (e->capture) {
        struct stream *recorder = sim_object((const void *)e->recorder, KIND_STREAM);
        if (!recorder || !recorder->capture || recorder->capture->id != e->capture)
            return CUDA_ERROR_CAPTURED_EVENT; // of a capture that is over
        if (s->capture && s->capture != recorder->capture)
            return CUDA_ERROR_STREAM_CAPTURE_MERGE;
        if (s == s->head.context->legacy)
            return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
        if (!s->capture)
            join(s, recorder->capture);
        recorder->unjoined = false;
        return CUDA_SUCCESS;
    }
    if (s->capture) { // work outside may not be waited for inside
        s->capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (!e->mark)
        return CUDA_SUCCESS; // never recorded: nothing to wait for
    return sim_submit(s, &(struct work){ .op = OP_WAIT_MARK, .mark = sim_mark_retain(e->mark) });
}

CUresult sim_cuEventQuery(CUevent event)
{
    struct event *e;
    CUresult code = event_of(event, &e);

    if (code)
        return code;
    if (e->capture)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (sim_capture_forbids())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    return !e->mark || e->mark->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult sim_cuEventSynchronize(CUevent event)
{
    struct event *e;
    CUresult code = event_of(event, &e);

    if (code)
        return code;
    if (e->capture)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (sim_capture_forbids())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (!e->mark)
        return CUDA_SUCCESS;
    struct mark *mark = sim_mark_retain(e->mark);
    uintptr_t context = e->head.context->head.handle;
    const struct context *c;
    // The event and its context may be destroyed by another thread meanwhile.
    while ((c = sim_object((const void *)context, KIND_CONTEXT)) && !c->lost && !mark->done)
        sim_wait();
    sim_mark_drop(mark);
    sim_pools_trim();
    return c ? c->lost : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult sim_cuEventDestroy(CUevent event)
{
    struct event *e;
    CUresult code = event_of(event, &e);

    if (code)
        return code;
    sim_mark_drop(e->mark);
    sim_delist(e);
    free(e);
    return CUDA_SUCCESS;
}

CUresult sim_cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
    struct event *a, *b;
    CUresult code = ms ? event_of(start, &a) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        code = event_of(end, &b);
    if (code)
        return code;
    if (a->capture || b->capture)
        return CUDA_ERROR_CAPTURED_EVENT;
    if (a->head.context->device != b->head.context->device || !a->mark || !b->mark ||
        (a->flags | b->flags) & CU_EVENT_DISABLE_TIMING)
        return CUDA_ERROR_INVALID_HANDLE;
    if (!a->mark->done || !b->mark->done)
        return CUDA_ERROR_NOT_READY;
    *ms = (float)((double)(b->mark->when.tv_sec - a->mark->when.tv_sec) * 1e3 +
                  (double)(b->mark->when.tv_nsec - a->mark->when.tv_nsec) / 1e6);
    return CUDA_SUCCESS;
}
