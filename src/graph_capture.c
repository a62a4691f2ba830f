#include "capture.h"

#include "graph.h"
#include "keep.h"
#include "options.h"
#include "relaxed.h"
#include "stream.h"

#include <cucore/node.h>
#include <cucore/object.h>
#include <stdlib.h>

// A capture that goes on. Those that others began are not known here.
struct capture {
    struct capture *next;
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards what follows
static struct capture *captures;

static bool is_mine(const struct capture *c)
{
    return !c->left && pthread_equal(c->thread, pthread_self());
}

static bool is_of(const struct capture *c, const cuc_stream *stream)
{
    return c->stream == stream && (!stream->is_default || is_mine(c));
}

static void thread_ends(void *unused)
{
    (void)unused;
    if (cuc__driver_forked()) // the lock may be held for good by a thread of the parent
        return;
    pthread_mutex_lock(&lock);
    for (struct capture *c = captures; c; c = c->next)
        c->left |= is_mine(c);
    pthread_mutex_unlock(&lock);
}

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void make_key(void)
{
    // Without a key the captures of ended threads stay, no more.
    (void)pthread_key_create(&key, thread_ends);
}

static void enter(struct capture *c)
{
    pthread_once(&key_once, make_key);
    (void)pthread_setspecific(key, &captures);
    pthread_mutex_lock(&lock);
    c->next = captures;
    captures = c;
    __atomic_fetch_or(&cuc__modes, CUC__MODE_CAPTURING, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

// Take a stream's capture off the list; NULL where there is none.
static struct capture *leave(const cuc_stream *stream)
{
    pthread_mutex_lock(&lock);
    struct capture **at = &captures;
    while (*at && !is_of(*at, stream))
        at = &(*at)->next;
    struct capture *c = *at;
    if (c)
        *at = c->next;
    if (!captures)
        __atomic_fetch_and(&cuc__modes, ~(uint32_t)CUC__MODE_CAPTURING, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return c;
}

// What becomes of the bodies of a capture's conditional nodes: its graph's, or nobody's.
static void settle_bodies(struct capture *c, cuc_graph *graph)
{
    while (c->bodies) {
        cuc_graph *body = c->bodies;
        c->bodies = body->next_body;
        body->next_body = NULL;
        if (graph)
            body->parent = cuc_graph_retain(graph);
        else
            body->handle = NULL;
        cuc_graph_release(body);
    }
}

static void drop(struct capture *c)
{
    if (!c)
        return;
    settle_bodies(c, NULL);
    cuc__keep_free(c->keep);
    cuc_graph_release(c->into);
    free(c);
}

void cuc__capture_refused(int code, const char *function, const char *call)
{
    pthread_mutex_lock(&lock);
    for (struct capture *c = captures; c; c = c->next) {
        if (c->call)
            continue;
        c->function = function;
        c->call = call;
        c->code = code;
    }
    pthread_mutex_unlock(&lock);
}

// What launches leave behind.

static void drop_object(void *object)
{
    cuc_object_release(object);
}

// The capture that a stream is in; *active is false where it is in none, or in a spoilt one.
static cuc_status ask(bool *active, uint64_t *id, const cuc_stream *stream, const char *function)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const char *call = "cuStreamGetCaptureInfo";
    bool pushed;

    *id = 0;
    cuc_status st = cuc__context_enter(stream->context, &pushed, function);
    if (st < 0)
        return st;
    CUresult r =
        cuc__cu.cuStreamGetCaptureInfo(stream->handle, &status, id, NULL, NULL, NULL, NULL);
    if (r == CUC__CU_MISSING) {
        call = "cuStreamIsCapturing";
        r = cuc__cu.cuStreamIsCapturing(stream->handle, &status);
    }
    if (r)
        st = cuc__fail_driver(stream->context, r, function, call, "asking what captures stream %p",
                              (void *)stream->handle);
    *active = status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
    return cuc__context_leave(stream->context, pushed, st, function);
}

cuc_status cuc__capture_keep(cuc_stream *stream, cuc_object *object, const char *function)
{
    bool active, taken, kept = true;
    uint64_t id;

    if (!object)
        return CUC_OK;
    cuc_status st = ask(&active, &id, stream, function);
    if (st < 0 || !active)
        return st;
    pthread_mutex_lock(&lock);
    for (struct capture *c = captures; c && kept; c = c->next) {
        if (c->id != id && c->id && id)
            continue;
        kept = cuc__keep_add(&c->keep, object, drop_object, &taken);
        if (taken)
            cuc_object_retain(object);
    }
    pthread_mutex_unlock(&lock);
    return kept ? CUC_OK
                : cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function,
                            "no host memory for what a graph uses");
}

// Graphs within graphs.

cuc_status cuc__capture_body(cuc_graph *body, const cuc_stream *stream, const char *function)
{
    bool active;
    uint64_t id;

    cuc_status st = ask(&active, &id, stream, function);
    if (st < 0)
        return st;
    pthread_mutex_lock(&lock);
    struct capture *c = captures;
    while (c && !(c->id == id && id))
        c = c->next;
    if (c && c->into) {
        body->parent = cuc_graph_retain(c->into);
    } else if (c) {
        body->next_body = c->bodies;
        c->bodies = cuc_graph_retain(body);
    }
    pthread_mutex_unlock(&lock);
    return CUC_OK;
}

static bool has_body(const struct capture *c, const cuc_graph *graph)
{
    for (const cuc_graph *b = c->bodies; b; b = b->next_body)
        if (b == graph)
            return true;
    return false;
}

cuc_status cuc__capture_tie(struct cuc__keep *keep, cuc_graph *graph, const char *function)
{
    bool taken = false, merged = true;

    if (!keep)
        return CUC_OK;
    while (graph->parent)
        graph = graph->parent;
    if (!graph->body)
        return cuc__keep_tie(keep, graph, function);
    // The graph that it will be a part of is being captured.
    pthread_mutex_lock(&lock);
    for (struct capture *c = captures; c && !taken; c = c->next)
        if ((taken = has_body(c, graph)))
            merged = cuc__keep_merge(&c->keep, keep);
    pthread_mutex_unlock(&lock);
    if (!merged)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for what a graph uses");
    return taken ? CUC_OK : cuc__keep_tie(keep, graph, function);
}

// Begin and end.

// Drop what a stream has captured, in the driver, on the way out of a failure.
static void undo(const cuc_stream *stream, const struct capture *c)
{
    CUgraph graph = NULL;

    if (!cuc__cu.cuStreamEndCapture(stream->handle, &graph) && graph && !c->into)
        CUC_CLEANUP(stream->context, cuGraphDestroy, (void *)graph, graph);
}

// Begin in the driver, with the context current. `*begun` also where only what follows failed.
static cuc_status begin(bool *begun, struct capture *c, const cuc_stream *stream,
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
    return r ? cuc__fail_driver(stream->context, r, function, call,
                                "beginning to capture stream %p of device %d",
                                (void *)stream->handle, stream->ordinal)
             : CUC_OK;
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
    struct capture *c = calloc(1, sizeof(*c));
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
        drop(c);
        return st;
    }
    enter(c);
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

// A capture that fills a body of a conditional node of a stream's capture, or NULL; with the lock.
static const struct capture *find_filling(const cuc_stream *stream)
{
    const struct capture *of = captures;

    while (of && !is_of(of, stream))
        of = of->next;
    for (const struct capture *c = of ? captures : NULL; c; c = c->next) {
        const cuc_graph *g = c->into;
        while (g && g->parent)
            g = g->parent;
        if (g && has_body(of, g))
            return c;
    }
    return NULL;
}

static cuc_status refuse_filled(const cuc_stream *stream, const cuc_stream *filling,
                                const char *function)
{
    return cuc__fail(CUC_ERROR_BUSY, function,
                     "what stream %p has captured would go while stream %p fills the body of a "
                     "conditional node of it: end or cancel that capture first",
                     (void *)stream->handle, (void *)filling->handle);
}

// Ended by the wrong thread a capture is dropped by the driver, and by the wrong stream spoilt:
// both are refused before the driver is asked, as far as the capture is known here. So is what
// takes away a graph that is being added to; `keep` says that a graph is to come of the capture.
static cuc_status check_ender(const cuc_stream *stream, bool keep, const char *function)
{
    bool own = false, other_thread = false, active = false;
    const cuc_stream *origin = NULL, *filling = NULL;
    const struct capture *f;
    uint64_t id = 0;

    cuc_status st = ask(&active, &id, stream, function);
    if (st < 0)
        return st;
    pthread_mutex_lock(&lock);
    for (const struct capture *c = captures; c && !own; c = c->next) {
        own = is_of(c, stream);
        if (own) {
            // One that was left goes all the same: the driver refuses to end it, and drops it.
            other_thread = c->mode != CUC_CAPTURE_RELAXED && !is_mine(c) && (keep || !c->left);
            filling = keep && !active && (f = find_filling(stream)) ? f->stream : NULL;
        } else if (active && id && c->id == id)
            origin = c->stream;
    }
    pthread_mutex_unlock(&lock);
    if (other_thread)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "the capture of stream %p was begun by another thread, which is the one "
                         "to end it: begin it with CUC_CAPTURE_RELAXED to end it on any",
                         (void *)stream->handle);
    if (!own && origin)
        return cuc__fail(CUC_ERROR_INVALID_ARGUMENT, function,
                         "stream %p has joined a capture that was begun on stream %p: end it there",
                         (void *)stream->handle, (void *)origin->handle);
    return filling ? refuse_filled(stream, filling, function) : CUC_OK;
}

// A stream whose capture fills a body of another's, or NULL, and whether this thread may cancel it.
static cuc_stream *filling_of(bool *may, const cuc_stream *stream)
{
    pthread_mutex_lock(&lock);
    const struct capture *f = find_filling(stream);
    cuc_stream *filling = f ? f->stream : NULL;
    *may = f && (f->left || is_mine(f));
    pthread_mutex_unlock(&lock);
    return filling;
}

// What fills bodies of a stream's capture goes with it, as far as this thread has begun it.
static cuc_status cancel_filling(const cuc_stream *stream, const char *function)
{
    cuc_stream *filling;
    bool may;

    while ((filling = filling_of(&may, stream))) {
        if (!may)
            return refuse_filled(stream, filling, function);
        cuc_status st = cuc_stream_cancel_capture(filling);
        if (st < 0)
            return cuc__pass(st, function);
    }
    return CUC_OK;
}

// A capture is over: streams go that were released while it filled a body of theirs.
static void end_abandoned(void)
{
    cuc_stream *stream;

    do {
        stream = NULL;
        pthread_mutex_lock(&lock);
        for (struct capture *c = captures; c && !stream; c = c->next)
            if (c->abandoned && !find_filling(c->stream)) {
                c->abandoned = false;
                stream = c->stream;
            }
        pthread_mutex_unlock(&lock);
        if (stream)
            cuc__stream_end(stream);
    } while (stream);
}

cuc_status cuc_stream_end_capture(cuc_graph **out, cuc_stream *stream)
{
    bool pushed, over = false;

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK(stream, STREAM);
    cuc_graph *graph = cuc__graph_new(stream->context, __func__);
    if (!graph)
        return CUC_ERROR_OUT_OF_MEMORY;
    struct capture *c = NULL;
    cuc_status st = CUC_ENTER(stream->context, &pushed);
    if (st >= 0) {
        if ((st = check_captured(stream, __func__)) >= 0 &&
            (st = check_ender(stream, true, __func__)) >= 0) {
            CUresult r = end(&graph->handle, &over, stream);
            c = over ? leave(stream) : NULL;
            if (c && c->into) // that has it already
                graph->handle = NULL;
            if (r)
                st = CUC_FAIL_CU(stream->context, r, "cuStreamEndCapture",
                                 "ending the capture of stream %p of device %d",
                                 (void *)stream->handle, stream->ordinal);
        }
        if (!c && st == CUC_ERROR_CONTEXT_LOST)
            c = leave(stream);
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
        settle_bodies(c, graph);
    drop(c);
    end_abandoned();
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
        if ((st = check_ender(stream, false, __func__)) < 0 ||
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
    struct capture *c = !r || st == CUC_ERROR_CONTEXT_LOST ? leave(stream) : NULL;
    if (graph && !(c && c->into))
        CUC_CLEANUP(stream->context, cuGraphDestroy, (void *)graph, graph);
    drop(c);
    end_abandoned();
    return CUC_LEAVE(stream->context, pushed, st);
}

static bool set_abandoned(const cuc_stream *stream)
{
    pthread_mutex_lock(&lock);
    struct capture *c = captures;
    while (c && !is_of(c, stream))
        c = c->next;
    if (c)
        c->abandoned = find_filling(stream) != NULL; // it may have ended by now
    const bool is = c && c->abandoned;
    pthread_mutex_unlock(&lock);
    return is;
}

bool cuc__capture_abandon(cuc_stream *stream)
{
    cuc_stream *filling;
    bool may;

    if (cuc__driver_forked()) // the lock may be held for good by a thread of the parent
        return true;
    // The graph is not to be destroyed under a stream that captures into a part of it.
    while ((filling = filling_of(&may, stream)) && may && cuc_stream_cancel_capture(filling) >= 0)
        ;
    if (filling && set_abandoned(stream))
        return false;
    struct capture *c = leave(stream);
    if (!c)
        return true;
    undo(stream, c);
    cuc__unraisable("stream %p was released while it was captured: what it had collected is "
                    "dropped; end the capture first, or cancel it with cuc_stream_cancel_capture()",
                    (void *)stream->handle);
    drop(c);
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
