// Events.
#include "graph.h"

#include <stdlib.h>
#include <unistd.h>

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
    if (flags & CU_EVENT_INTERPROCESS && !sim_event_share(e)) {
        free(e);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }
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
    if (stream->capture)
        return sim_capture_record(event, stream);
    event->capture = 0;
    sim_ends_set(&event->ends, NULL, 0);
    if (event->shared) {
        struct work record = sim_shared_record(event);
        return sim_submit(stream, &record);
    }
    sim_mark_drop(event->mark);
    event->mark = sim_mark_new();
    return sim_submit(stream,
                      &(struct work){ .op = OP_MARK, .mark = sim_mark_retain(event->mark) });
}

// Captures an external record or wait: instead of an edge, adds a graph node that records the
// event, or waits for it, when the graph runs.
static CUresult external(const struct event *event, struct stream *stream, CUgraphNodeType type)
{
    struct node *node;
    CUresult code = sim_capture_node(stream, type, &(struct work){ .op = OP_NOTHING }, &node);

    if (!code)
        node->event = event->head.handle;
    return code;
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
    return flags & CU_EVENT_RECORD_EXTERNAL ? external(e, s, CU_GRAPH_NODE_TYPE_EVENT_RECORD)
                                            : sim_event_record(e, s);
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
        return s->capture ? external(e, s, CU_GRAPH_NODE_TYPE_WAIT_EVENT)
                          : CUDA_ERROR_INVALID_VALUE;
    if (e->capture)
        return sim_capture_wait(s, e);
    if (s->capture) { // a capture must not wait for work outside of it
        s->capture->status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
        return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    }
    if (e->shared) {
        struct work wait = sim_shared_wait(e);
        return sim_submit(s, &wait);
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
        return sim_capture_spoil_event(e);
    if (sim_capture_forbids())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    if (e->shared)
        return sim_shared_done(e) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
    return !e->mark || e->mark->done ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult sim_cuEventSynchronize(CUevent event)
{
    struct event *e;
    CUresult code = event_of(event, &e);

    if (code)
        return code;
    if (e->capture)
        return sim_capture_spoil_event(e);
    if (sim_capture_forbids())
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    while (e && e->shared && !e->head.context->lost && !sim_shared_done(e)) {
        sim_unlock(); // another process must signal it
        usleep(100);
        sim_lock();
        e = sim_object(event, KIND_EVENT);
    }
    if (!e || e->shared)
        return e ? e->head.context->lost : CUDA_ERROR_INVALID_HANDLE;
    if (!e->mark)
        return CUDA_SUCCESS;
    struct mark *mark = sim_mark_retain(e->mark);
    uintptr_t context = e->head.context->head.handle;
    const struct context *c;
    // Meanwhile, another thread may destroy the event and its context.
    while ((c = sim_object((const void *)context, KIND_CONTEXT)) && !c->lost && !mark->done)
        sim_wait_for(&mark->sleepers, 0);
    sim_mark_drop(mark);
    sim_pools_trim();
    return c ? c->lost : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

void sim_event_end(struct event *event)
{
    sim_mark_drop(event->mark);
    sim_event_unshare(event);
    sim_ends_set(&event->ends, NULL, 0);
    sim_delist(event);
    free(event);
}

CUresult sim_cuEventDestroy(CUevent event)
{
    struct event *e;
    CUresult code = event_of(event, &e);

    if (code)
        return code;
    sim_event_end(e);
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
