// The list of active captures, with the references that their graphs will hold and the threads that
// may end them.
#include "capture_registry.h"

#include "graph.h"
#include "capture.h"
#include "keep.h"
#include "device/stream.h"

#include <cucore/object.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // guards the lists below
static struct cuc__capture *captures;
static struct cuc__capture *stuck; // captures that can never be ended
static atomic_bool any_stuck;      // read without the lock

static bool is_mine(const struct cuc__capture *c)
{
    return !c->left && pthread_equal(c->thread, pthread_self());
}

static bool is_of(const struct cuc__capture *c, const cuc_stream *stream)
{
    return c->stream == stream && (!stream->is_default || is_mine(c));
}

static void thread_ends(void *unused)
{
    (void)unused;
    if (cuc__driver_forked()) // in a forked child, a thread of the parent may hold the lock forever
        return;
    pthread_mutex_lock(&lock);
    for (struct cuc__capture *c = captures; c; c = c->next)
        c->left |= is_mine(c);
    for (struct cuc__capture *c = stuck; c; c = c->next)
        c->left |= is_mine(c);
    pthread_mutex_unlock(&lock);
}

static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static pthread_key_t key;

static void make_key(void)
{
    // If there is no key, the captures of finished threads stay in the list; nothing else fails.
    (void)pthread_key_create(&key, thread_ends);
}

void cuc__capture_enter(struct cuc__capture *c)
{
    pthread_once(&key_once, make_key);
    (void)pthread_setspecific(key, &captures);
    pthread_mutex_lock(&lock);
    c->next = captures;
    captures = c;
    __atomic_fetch_or(&cuc__modes, CUC__MODE_CAPTURING, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

struct cuc__capture *cuc__capture_leave(const cuc_stream *stream)
{
    pthread_mutex_lock(&lock);
    struct cuc__capture **at = &captures;
    while (*at && !is_of(*at, stream))
        at = &(*at)->next;
    struct cuc__capture *c = *at;
    if (c)
        *at = c->next;
    if (!captures)
        __atomic_fetch_and(&cuc__modes, ~(uint32_t)CUC__MODE_CAPTURING, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    return c;
}

// Marks a graph with a freed body, and every graph that encloses it, so that they are never
// destroyed. The caller holds the lock.
static void make_unsound(cuc_graph *graph, CUstream by)
{
    for (; graph; graph = graph->parent) {
        if (graph->handle) {
            graph->gone = CUC__GONE_UNSOUND;
            graph->gone_by = by;
        }
        graph->handle = NULL; // prevents its destruction
    }
}

static cuc_graph *root_of(cuc_graph *graph)
{
    while (graph->parent)
        graph = graph->parent;
    return graph;
}

// Appends the nodes of one list to another. The caller holds the lock.
static void append(struct cuc__conditionals *to, struct cuc__conditionals *from)
{
    if (!from->first)
        return;
    if (to->last)
        to->last->next = from->first;
    else
        to->first = from->first;
    to->last = from->last;
    *from = (struct cuc__conditionals){ NULL, NULL };
}

void cuc__conditionals_free(struct cuc__conditionals *list)
{
    struct cuc__conditional *next;

    for (struct cuc__conditional *n = list->first; n; n = next) {
        next = n->next;
        free(n);
    }
    *list = (struct cuc__conditionals){ NULL, NULL };
}

// Returns true if a body of the capture was freed, or encloses one that was.
static bool has_unsound(const struct cuc__capture *c)
{
    for (const cuc_graph *b = c->bodies; b; b = b->next_body)
        if (b->gone)
            return true;
    return false;
}

void cuc__capture_assign_bodies(struct cuc__capture *c, cuc_graph *graph)
{
    pthread_mutex_lock(&lock);
    const bool unsound = has_unsound(c);
    if (graph)
        append(&root_of(graph)->conditionals, &c->conditionals);
    pthread_mutex_unlock(&lock);
    while (c->bodies) {
        cuc_graph *body = c->bodies;
        pthread_mutex_lock(&lock);
        c->bodies = body->next_body;
        body->next_body = NULL;
        if (graph) {
            body->parent = cuc_graph_retain(graph);
            append(&root_of(graph)->conditionals, &body->conditionals);
            if (body->gone) // the body was freed while this loop did not hold the lock
                make_unsound(graph, body->gone_by);
        } else {
            if (unsound && body->handle) // the body stays, because its graph cannot be destroyed
                body->gone = CUC__GONE_UNSOUND;
            body->handle = NULL;
        }
        pthread_mutex_unlock(&lock);
        cuc_graph_release(body);
    }
}

void cuc__capture_drop(struct cuc__capture *c)
{
    if (!c)
        return;
    cuc__capture_assign_bodies(c, NULL);
    cuc__conditionals_free(&c->conditionals);
    cuc__keep_free(c->keep);
    cuc_graph_release(c->into);
    free(c);
}

void cuc__capture_refused(int code, const char *function, const char *call)
{
    pthread_mutex_lock(&lock);
    for (struct cuc__capture *c = captures; c; c = c->next) {
        if (c->call)
            continue;
        c->function = function;
        c->call = call;
        c->code = code;
    }
    pthread_mutex_unlock(&lock);
}

// The objects that captured launches use

static void drop_object(void *object)
{
    cuc_object_release(object);
}

// Queries a stream's capture. *active becomes false if there is none or if it is invalidated.
static cuc_status query_capture(bool *active, uint64_t *id, const cuc_stream *stream,
                                const char *function)
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

cuc_status cuc__capture_keep(bool *captured, cuc_stream *stream, cuc_object *object,
                             const char *function)
{
    bool taken, kept = true;
    uint64_t id;

    cuc_status st = query_capture(captured, &id, stream, function);
    if (st < 0 || !*captured || !object)
        return st;
    pthread_mutex_lock(&lock);
    for (struct cuc__capture *c = captures; c && kept; c = c->next) {
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

// Nested graphs

cuc_status cuc__capture_bodies(cuc_graph *const *bodies, struct cuc__conditional *node,
                               const cuc_stream *stream, const char *function)
{
    bool active;
    uint64_t id;

    cuc_status st = query_capture(&active, &id, stream, function);
    if (st < 0) {
        free(node);
        return st;
    }
    pthread_mutex_lock(&lock);
    struct cuc__capture *c = captures;
    while (c && !(c->id == id && id))
        c = c->next;
    for (uint32_t i = 0; c && i < node->count; i++) {
        if (c->into) {
            bodies[i]->parent = cuc_graph_retain(c->into);
        } else {
            bodies[i]->next_body = c->bodies;
            c->bodies = cuc_graph_retain(bodies[i]);
        }
    }
    if (c) {
        struct cuc__conditionals one = { node, node };
        append(c->into ? &root_of(c->into)->conditionals : &c->conditionals, &one);
    } else {
        free(node); // other code captures this graph, and so will also instantiate it
    }
    pthread_mutex_unlock(&lock);
    return CUC_OK;
}

const struct cuc__conditional *cuc__capture_find_conditional(const struct cuc__conditional **at,
                                                             const cuc_graph *graph,
                                                             const void *node)
{
    const struct cuc__conditional *const from = *at, *found = NULL;

    pthread_mutex_lock(&lock);
    const struct cuc__conditional *const first = graph->conditionals.first;
    for (const struct cuc__conditional *n = from ? from->next : first; n && !found; n = n->next)
        found = n->node == node ? n : NULL;
    for (const struct cuc__conditional *n = from ? first : NULL; n && !found; n = n->next)
        found = n->node == node ? n : NULL;
    pthread_mutex_unlock(&lock);
    *at = found ? found : from;
    return found;
}

static bool has_body(const struct cuc__capture *c, const cuc_graph *graph)
{
    for (const cuc_graph *b = c->bodies; b; b = b->next_body)
        if (b == graph)
            return true;
    return false;
}

cuc_status cuc__capture_attach_keep(struct cuc__keep *keep, cuc_graph *graph, const char *function)
{
    bool taken = false, merged = true;

    if (!keep)
        return CUC_OK;
    while (graph->parent)
        graph = graph->parent;
    if (!graph->body)
        return cuc__keep_attach(keep, graph, function);
    // The graph that encloses this body is still being captured.
    pthread_mutex_lock(&lock);
    for (struct cuc__capture *c = captures; c && !taken; c = c->next)
        if ((taken = has_body(c, graph)))
            merged = cuc__keep_merge(&c->keep, keep);
    pthread_mutex_unlock(&lock);
    if (!merged)
        return cuc__fail(CUC_ERROR_OUT_OF_MEMORY, function, "no host memory for what a graph uses");
    return taken ? CUC_OK : cuc__keep_attach(keep, graph, function);
}

// Ending a capture

// Returns a stream's capture in the list, or NULL if there is none. The caller holds the lock.
static struct cuc__capture *find(const cuc_stream *stream)
{
    struct cuc__capture *c = captures;

    while (c && !is_of(c, stream))
        c = c->next;
    return c;
}

// Returns true unless a capture is invalidated or over. The caller holds the lock, so the stream
// exists. If another thread captures its default stream, this thread cannot query that stream,
// because the handle means a different stream here.
static bool is_active(const struct cuc__capture *c)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;

    return (c->stream->is_default && !is_mine(c)) ||
           (!cuc__cu.cuStreamIsCapturing(c->stream->handle, &status) &&
            status == CU_STREAM_CAPTURE_STATUS_ACTIVE);
}

// Finds a capture that fills a body of a conditional node of `stream`'s capture, or returns NULL if
// there is none. If `stream`'s capture is invalidated (`spoilt`), the search includes captures that
// add to the same graph or to a body in it. The caller holds the lock.
static const struct cuc__capture *find_filling(const cuc_stream *stream, bool spoilt)
{
    const struct cuc__capture *of = find(stream);

    for (const struct cuc__capture *c = of ? captures : NULL; c; c = c->next) {
        const cuc_graph *g = c->into;
        if (spoilt && g && c != of && g == of->into && is_active(c))
            return c;
        while (g && g->parent) {
            g = g->parent;
            if (spoilt && g == of->into)
                return c;
        }
        if (g && has_body(of, g))
            return c;
    }
    return NULL;
}

bool cuc__capture_is_known(const cuc_stream *stream)
{
    pthread_mutex_lock(&lock);
    const bool known = find(stream) != NULL;
    pthread_mutex_unlock(&lock);
    return known;
}

cuc_status cuc__capture_refuse_filled(const cuc_stream *stream, const cuc_stream *filling,
                                      const char *function)
{
    return cuc__fail(CUC_ERROR_BUSY, function,
                     "what stream %p has captured would go while stream %p adds to it, or fills "
                     "the body of a conditional node of it: end or cancel that capture first",
                     (void *)stream->handle, (void *)filling->handle);
}

cuc_status cuc__capture_check_ender(const cuc_stream *stream, bool keep, const char *function)
{
    bool own = false, other_thread = false, active = false;
    const cuc_stream *origin = NULL, *filling = NULL;
    const struct cuc__capture *f;
    uint64_t id = 0;

    cuc_status st = query_capture(&active, &id, stream, function);
    if (st < 0)
        return st;
    pthread_mutex_lock(&lock);
    for (const struct cuc__capture *c = captures; c && !own; c = c->next) {
        own = is_of(c, stream);
        if (own) {
            // A capture whose thread has ended may still be canceled: the driver refuses to end it
            // but drops it.
            other_thread = c->mode != CUC_CAPTURE_RELAXED && !is_mine(c) && (keep || !c->left);
            filling = keep && !active && (f = find_filling(stream, true)) ? f->stream : NULL;
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
    return filling ? cuc__capture_refuse_filled(stream, filling, function) : CUC_OK;
}

cuc_stream *cuc__capture_filling(bool *may, const cuc_stream *stream, bool spoilt)
{
    pthread_mutex_lock(&lock);
    const struct cuc__capture *f = find_filling(stream, spoilt);
    cuc_stream *filling = f ? f->stream : NULL;
    *may = f && (f->left || is_mine(f));
    pthread_mutex_unlock(&lock);
    return filling;
}

bool cuc__capture_set_abandoned(const cuc_stream *stream)
{
    pthread_mutex_lock(&lock);
    struct cuc__capture *c = find(stream);
    if (c)
        c->abandoned = find_filling(stream, true) != NULL; // the other capture may have ended
                                                           // meanwhile
    const bool is = c && c->abandoned;
    pthread_mutex_unlock(&lock);
    return is;
}

void cuc__capture_end_abandoned(void)
{
    cuc_stream *stream;

    do {
        stream = NULL;
        pthread_mutex_lock(&lock);
        for (struct cuc__capture *c = captures; c && !stream; c = c->next)
            if (c->abandoned && !find_filling(c->stream, true)) {
                c->abandoned = false;
                stream = c->stream;
            }
        pthread_mutex_unlock(&lock);
        if (stream)
            cuc__stream_end(stream);
    } while (stream);
}

// Captures that end badly

// Returns true for a graph that must never be destroyed.
static bool is_unsound(const cuc_graph *graph)
{
    return !graph->handle && graph->gone == CUC__GONE_UNSOUND;
}

// Returns true for a body of a graph that other code captures. The caller holds the lock.
static bool is_foreign(const cuc_graph *graph)
{
    bool ours = false;

    while (graph->parent)
        graph = graph->parent;
    for (const struct cuc__capture *c = captures; c && !ours; c = c->next)
        ours = has_body(c, graph);
    return graph->body && graph->handle && !ours;
}

enum cuc__capture_end cuc__capture_choose_end(bool *adds, const cuc_stream *stream)
{
    enum cuc__capture_end how = CUC__END_FREELY;

    pthread_mutex_lock(&lock);
    const struct cuc__capture *c = find(stream);
    *adds = c && c->into;
    if (c && (has_unsound(c) || (c->into && is_unsound(c->into))))
        how = CUC__END_WELL;
    else if (c && c->into && (is_foreign(c->into) || find_filling(stream, true)))
        how = CUC__END_JOINED;
    for (const cuc_graph *g = c ? c->into : NULL; g; g = g->parent)
        if (!g->handle && g->gone != CUC__GONE_UNSOUND)
            how = CUC__END_NEVER;
    pthread_mutex_unlock(&lock);
    return how;
}

void cuc__capture_mark_graph_lost(const cuc_stream *stream)
{
    pthread_mutex_lock(&lock);
    const struct cuc__capture *c = find(stream);
    if (c && c->into) {
        make_unsound(c->into, stream->handle);
        c->into->gone = CUC__GONE_FREED;
        c->into->gone_by = stream->handle;
    }
    pthread_mutex_unlock(&lock);
}

void cuc__capture_keep_stuck(struct cuc__capture *c)
{
    if (!c)
        return;
    cuc__capture_assign_bodies(c, NULL);
    cuc__conditionals_free(&c->conditionals);
    cuc__keep_free(c->keep);
    cuc_graph_release(c->into);
    c->keep = NULL;
    c->into = NULL;
    pthread_mutex_lock(&lock);
    c->next = stuck;
    stuck = c;
    atomic_store(&any_stuck, true);
    pthread_mutex_unlock(&lock);
}

// Returns true if a stream stays captured forever. `forget` also removes its capture from the list.
static bool is_stuck(const cuc_stream *stream, bool forget)
{
    if (!atomic_load_explicit(&any_stuck, memory_order_relaxed) || cuc__driver_forked())
        return false;
    pthread_mutex_lock(&lock);
    struct cuc__capture **at = &stuck;
    while (*at && !is_of(*at, stream))
        at = &(*at)->next;
    struct cuc__capture *c = *at;
    if (c && forget)
        *at = c->next;
    pthread_mutex_unlock(&lock);
    if (forget)
        free(c);
    return c != NULL;
}

bool cuc__capture_was_stuck(const cuc_stream *stream)
{
    return is_stuck(stream, true);
}

cuc_status cuc__capture_check_stuck(const cuc_stream *stream, const char *function)
{
    return is_stuck(stream, false) ? cuc__capture_fail_stuck(stream, function) : CUC_OK;
}

cuc_status cuc__capture_fail_stuck(const cuc_stream *stream, const char *function)
{
    cuc_status st = cuc__fail_driver(stream->context, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                                     function, "cuStreamEndCapture", CUC__CAPTURED_FOR_GOOD,
                                     (void *)stream->handle);
    cuc__error_set_explanation("The captures of bodies have to end, well or cancelled, before "
                               "anything spoils the capture around them as well.");
    return st;
}
