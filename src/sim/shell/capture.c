// Stream capture: work submitted to a stream becomes nodes of a graph, in the order that streams
// and events define.
#include "graph.h"

#include <stdlib.h>
#include <string.h>

// Sets of nodes.

void sim_ends_set(struct ends *ends, struct node *const *nodes, size_t count)
{
    struct node **copy = count ? sim_alloc(count * sizeof(struct node *)) : NULL;

    for (size_t i = 0; i < count; i++)
        copy[i] = nodes[i];
    free(ends->nodes);
    *ends = (struct ends){ copy, count };
}

static void add(struct ends *ends, struct node *const *nodes, size_t count)
{
    struct node **all = sim_alloc((ends->count + count) * sizeof(struct node *));
    size_t n = 0;

    for (size_t i = 0; i < ends->count + count; i++) {
        struct node *node = i < ends->count ? ends->nodes[i] : nodes[i - ends->count];
        bool there = false;
        for (size_t j = 0; j < n; j++)
            there |= all[j] == node;
        if (!there)
            all[n++] = node;
    }
    sim_ends_set(ends, all, n);
    free(all);
}

// Calls that captures forbid

static void spoil(struct capture *capture)
{
    capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
}

bool sim_capture_forbids(void)
{
    const CUstreamCaptureMode mine = sim_thread.capture_mode;
    bool forbids = false;

    for (struct capture *c = sim.captures; c; c = c->next) {
        if (c->mode == CU_STREAM_CAPTURE_MODE_RELAXED || mine == CU_STREAM_CAPTURE_MODE_RELAXED)
            continue;
        if (c->thread == sim_thread.id ||
            (c->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && mine == CU_STREAM_CAPTURE_MODE_GLOBAL)) {
            spoil(c);
            forbids = true;
        }
    }
    return forbids;
}

CUresult sim_capture_spoil(struct stream *stream)
{
    spoil(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult sim_capture_spoil_all(const struct context *context)
{
    CUresult code = CUDA_SUCCESS;

    for (struct capture *c = sim.captures; c; c = c->next)
        if (c->origin->head.context == context)
            code = sim_capture_spoil(c->origin);
    return code;
}

CUresult sim_capture_spoil_event(const struct event *event)
{
    for (struct capture *c = sim.captures; c; c = c->next)
        if (c->id == event->capture)
            spoil(c);
    return CUDA_ERROR_CAPTURED_EVENT;
}

// Reports that a graph was destroyed while a capture added to it. Such a capture can be neither
// queried nor extended.
static void check_graph(const struct capture *c)
{
    if (!c->graph)
        sim_crash("the graph was freed while a capture added to it", "a captured stream");
}

void sim_capture_forget(const struct graph *graph)
{
    for (struct capture *c = sim.captures; c; c = c->next)
        if (c->graph == graph)
            c->graph = NULL;
}

CUresult sim_capture_state(const struct stream *stream)
{
    if (stream->capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    check_graph(stream->capture);
    return CUDA_SUCCESS;
}

// A search for captured streams of a context that are blocking: the legacy stream would have to
// wait for them.
struct legacy {
    const struct context *context;
    bool spoil, implicit;
};

static void look_blocking(struct object *o, void *data)
{
    struct legacy *legacy = data;
    struct stream *s = (struct stream *)o;

    if (o->kind != KIND_STREAM || o->context != legacy->context || !s->capture ||
        s->flags & CU_STREAM_NON_BLOCKING)
        return;
    if (legacy->spoil)
        spoil(s->capture);
    legacy->implicit = true;
}

static CUresult implicit(const struct stream *stream, bool spoils)
{
    struct legacy legacy = { .context = stream->head.context, .spoil = spoils };

    if (sim.captures && stream == stream->head.context->legacy)
        sim_visit_objects(look_blocking, &legacy);
    return legacy.implicit ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
}

CUresult sim_capture_implicit(const struct stream *stream)
{
    return implicit(stream, true);
}

// The streams that participate in a capture

// The dependencies that the last query of a stream returned.
struct capture_info {
    CUgraphNode *nodes;
    CUgraphEdgeData *edges;
};

static void forget_info(struct stream *stream)
{
    if (!stream->info)
        return;
    free(stream->info->nodes);
    free(stream->info->edges);
    free(stream->info);
    stream->info = NULL;
}

static void join(struct stream *stream, struct capture *capture)
{
    stream->capture = capture;
    capture->streams++;
}

// Removes a stream from its capture. When the last one leaves, the capture ends.
static void leave(struct stream *stream)
{
    struct capture *c = stream->capture, **at = &sim.captures;

    stream->capture = NULL;
    sim_ends_set(&stream->ends, NULL, 0);
    forget_info(stream);
    if (--c->streams)
        return;
    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    check_graph(c);
    if (c->graph)
        c->graph->captures--;
    if (c->graph && c->takes_graph)
        sim_graph_take(c->graph);
    sim_ends_set(&c->left, NULL, 0);
    free(c);
}

static void leave_with(struct object *o, void *data)
{
    const struct capture *c = data;
    struct stream *s = (struct stream *)o;

    if (o->kind == KIND_STREAM && s->capture == c && s != c->origin)
        leave(s);
}

static void end(struct capture *capture)
{
    struct stream *origin = capture->origin;

    sim_visit_objects(leave_with, capture);
    leave(origin);
}

void sim_capture_abandon(struct stream *stream)
{
    struct capture *c = stream->capture;

    if (!c)
        return;
    if (c->origin == stream) {
        end(c);
    } else {
        add(&c->left, stream->ends.nodes, stream->ends.count);
        leave(stream);
    }
}

// Begin and end.

static CUresult begin(struct stream *s, struct graph *graph, CUstreamCaptureMode mode)
{
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
    c->takes_graph = true;
    if (!graph) {
        c->graph = sim_graph_new();
        c->graph->head.builtin = true; // nobody owns it until the capture ends
    }
    c->graph->captures++;
    c->thread = sim_thread.id;
    c->next = sim.captures;
    sim.captures = c;
    join(s, c);
    return CUDA_SUCCESS;
}

CUresult sim_cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode)
{
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    return code ? code : begin(s, NULL, mode);
}

CUresult sim_cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                         const CUgraphNode *dependencies,
                                         const CUgraphEdgeData *edges, size_t dependency_count,
                                         CUstreamCaptureMode mode)
{
    struct graph *g = sim_object(graph, KIND_GRAPH);
    struct stream *s;
    CUresult code = sim_stream_of(stream, &s);

    (void)edges;
    if (code)
        return code;
    if (!g || g->child)
        return CUDA_ERROR_INVALID_HANDLE;
    if (dependency_count && !dependencies)
        return CUDA_ERROR_INVALID_VALUE;
    struct node **nodes = sim_alloc(dependency_count * sizeof(*nodes));
    code = sim_nodes_of(g, dependencies, dependency_count, nodes) ? begin(s, g, mode)
                                                                  : CUDA_ERROR_INVALID_VALUE;
    if (!code)
        sim_ends_set(&s->ends, nodes, dependency_count);
    free(nodes);
    return code;
}

// State of the check that the first stream's position depends on the last nodes of all other
// streams.
struct ending {
    const struct capture *capture;
    bool *reached; // by node number
    bool unjoined;
};

static void check_joined(struct ending *ending, const struct ends *ends)
{
    for (size_t i = 0; i < ends->count; i++)
        ending->unjoined |= !ending->reached[ends->nodes[i]->number];
}

static void look_unjoined(struct object *o, void *data)
{
    struct ending *ending = data;
    const struct stream *s = (const struct stream *)o;

    if (o->kind == KIND_STREAM && s->capture == ending->capture)
        check_joined(ending, &s->ends);
}

static bool all_joined(const struct capture *c)
{
    size_t count = c->graph->count;
    struct node **nodes = sim_alloc(count * sizeof(*nodes));
    struct ending ending = { .capture = c, .reached = sim_alloc(count) };

    for (struct node *n = c->graph->first; n; n = n->next)
        nodes[n->number] = n;
    for (size_t i = 0; i < c->origin->ends.count; i++)
        ending.reached[c->origin->ends.nodes[i]->number] = true;
    for (size_t i = count; i-- > 0;) // dependencies of a node have lower numbers than the node
        for (size_t j = 0; ending.reached[i] && j < nodes[i]->from_count; j++)
            ending.reached[nodes[i]->from[j]->number] = true;
    check_joined(&ending, &c->left);
    sim_visit_objects(look_unjoined, &ending);
    free(nodes);
    free(ending.reached);
    return !ending.unjoined;
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
    if (c->origin != s) {
        spoil(c);
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    // The capture ends whatever the result is.
    code = sim_capture_state(s);
    if (c->mode != CU_STREAM_CAPTURE_MODE_RELAXED && c->thread != sim_thread.id)
        code = CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    if (!code && !all_joined(c))
        code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    if (!code) {
        c->takes_graph = false;
        if (!c->graph->body)
            c->graph->head.builtin = false;
    }
    *graph = code ? NULL : SIM_HANDLE(CUgraph, c->graph);
    end(c);
    return code;
}

// Recording work as nodes.

CUresult sim_capture_node(struct stream *stream, CUgraphNodeType type, const struct work *work,
                          struct node **out)
{
    CUresult code = sim_capture_state(stream);

    if (code) {
        struct work dropped = *work;
        sim_work_drop(&dropped);
        return code;
    }
    struct node *n =
        sim_node_new(stream->capture->graph, type, stream->ends.nodes, stream->ends.count, work);
    n->context = stream->head.context->head.handle;
    n->priority = stream->priority;
    sim_ends_set(&stream->ends, &n, 1);
    stream->captured++;
    if (out)
        *out = n;
    return CUDA_SUCCESS;
}

CUresult sim_capture_work(struct stream *stream, const struct work *work)
{
    static const CUgraphNodeType types[] = {
        [OP_NOTHING] = CU_GRAPH_NODE_TYPE_EMPTY,
        [OP_WAIT_VALUE] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
        [OP_WRITE_VALUE] = CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
        [OP_COPY] = CU_GRAPH_NODE_TYPE_MEMCPY,
        [OP_FILL] = CU_GRAPH_NODE_TYPE_MEMSET,
        [OP_HOST] = CU_GRAPH_NODE_TYPE_HOST,
        [OP_WAKE] = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
        [OP_SLEEP] = CU_GRAPH_NODE_TYPE_MEM_FREE,
    };

    return sim_capture_node(stream, types[work->op], work, NULL);
}

CUresult sim_capture_record(struct event *event, struct stream *stream)
{
    CUresult code = sim_capture_state(stream);

    if (code)
        return code;
    event->capture = stream->capture->id;
    sim_ends_set(&event->ends, stream->ends.nodes, stream->ends.count);
    stream->captured++;
    return CUDA_SUCCESS;
}

// Waits for an event that was recorded in a capture. If the stream is not being captured, it joins
// the event's capture.
CUresult sim_capture_wait(struct stream *stream, const struct event *event)
{
    struct capture *c = sim.captures;

    while (c && c->id != event->capture)
        c = c->next;
    if (!c)
        return CUDA_ERROR_CAPTURED_EVENT; // the capture that recorded the event has ended
    if (stream->capture && stream->capture != c) {
        spoil(stream->capture);
        spoil(c);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    if (stream == stream->head.context->legacy)
        return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    if (c->status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (!stream->capture)
        join(stream, c);
    add(&stream->ends, event->ends.nodes, event->ends.count);
    return CUDA_SUCCESS;
}

// Queries.

CUresult sim_cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status)
{
    struct stream *s;
    CUresult code = status ? sim_stream_of(stream, &s) : CUDA_ERROR_INVALID_VALUE;

    if (!code)
        code = implicit(s, false);
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

    if (!code && edges && !dependencies)
        code = CUDA_ERROR_INVALID_VALUE;
    if (!code)
        code = implicit(s, false);
    if (code)
        return code;
    *status = s->capture ? s->capture->status : CU_STREAM_CAPTURE_STATUS_NONE;
    if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
        return CUDA_SUCCESS; // the other results are defined only during a capture
    check_graph(s->capture);
    forget_info(s);
    s->info = sim_alloc(sizeof(*s->info));
    s->info->nodes = sim_alloc(s->ends.count * sizeof(*s->info->nodes));
    s->info->edges = sim_alloc(s->ends.count * sizeof(*s->info->edges));
    for (size_t i = 0; i < s->ends.count; i++)
        s->info->nodes[i] = SIM_HANDLE(CUgraphNode, s->ends.nodes[i]);
    if (id)
        *id = s->capture->id;
    if (graph)
        *graph = SIM_HANDLE(CUgraph, s->capture->graph);
    if (dependencies)
        *dependencies = s->info->nodes;
    if (edges)
        *edges = s->info->edges;
    if (dependency_count)
        *dependency_count = s->ends.count;
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
    if (!s->capture)
        return CUDA_ERROR_ILLEGAL_STATE;
    if ((code = sim_capture_state(s)))
        return code;
    struct node **nodes = sim_alloc(dependency_count * sizeof(*nodes));
    if (!sim_nodes_of(s->capture->graph, dependencies, dependency_count, nodes))
        code = CUDA_ERROR_INVALID_VALUE;
    else if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
        sim_ends_set(&s->ends, nodes, dependency_count);
    else
        add(&s->ends, nodes, dependency_count);
    free(nodes);
    return code;
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
