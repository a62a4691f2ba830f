// Streams and events, and the methods that all objects have.
#include "functions.h"

static void *context_object(cuc_context *context)
{
    return context ? cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_CONTEXT],
                                             cuc_context_retain(context))
                   : slowly;
}

void *cuc__python_Handle_close(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    (void)s;
    cuc__python_close(cuc__python_fields(c->self));
    return none();
}

void *cuc__python_Stream_wait(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    struct cuc__object *event = cuc__python_fields_of(c->objects[0], CUC__PYTHON_EVENT);
    struct cuc__object *other = event ? event
                                      : cuc__python_fields_of(c->objects[0], CUC__PYTHON_STREAM);
    if (!other || !other->handle)
        return slowly;
    void *handle = other->handle;
    cuc__python_use(other);
    void *state = cuc__python_begin(c, s);
    cuc_status st = event ? cuc_stream_wait_event(c->self_value.stream, handle)
                          : cuc_stream_wait_stream(c->self_value.stream, handle);
    cuc__python_end(c, s, state);
    cuc__python_leave(other);
    return nothing(c, st);
}

void *cuc__python_Stream_record(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    cuc_event *event = c->values[0].event, *made = NULL;

    if (c->objects[1]) // options
        return slowly;
    release_deferred();
    void *state = cuc__python_begin(c, s);
    cuc_status st = event ? CUC_OK
                          : cuc_event_create(&made, cuc_stream_device(c->self_value.stream), NULL);
    if (st >= 0)
        st = cuc_event_record(c->self_value.stream, event ? event : made);
    cuc__python_end(c, s, state);
    if (st < 0) {
        failed(c); // before another call can overwrite the failure
        cuc__python_release(made);
        return NULL;
    }
    return made ? cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_EVENT], made)
                : cuc__py_new(c->objects[0]);
}

void *cuc__python_Stream_device(void *self)
{
    return cuc__python_device_object(
        cuc_stream_device(((struct cuc__object *)cuc__python_fields(self))->handle));
}

void *cuc__python_Event_device(void *self)
{
    return cuc__python_device_object(
        cuc_event_device(((struct cuc__object *)cuc__python_fields(self))->handle));
}

void *cuc__python_Stream_priority(void *self)
{
    struct cuc__stream_object *stream = cuc__python_fields(self);

    if (!stream->has_priority)
        stream->has_priority = cuc_stream_get_priority(&stream->priority, stream->base.handle) >= 0;
    return stream->has_priority ? integer(stream->priority) : slowly;
}

void *cuc__python_Stream_is_nonblocking(void *self)
{
    struct cuc__stream_object *stream = cuc__python_fields(self);
    uint32_t flags = 0;

    if (!stream->has_flags) {
        stream->has_flags = cuc_stream_get_flags(&flags, stream->base.handle) >= 0;
        stream->is_nonblocking = !(flags & CUC_STREAM_SYNC_LEGACY);
    }
    return stream->has_flags ? boolean(stream->is_nonblocking) : slowly;
}

void *cuc__python_Stream_context(void *self)
{
    return context_object(
        cuc_stream_context(((struct cuc__object *)cuc__python_fields(self))->handle));
}

void *cuc__python_Event_context(void *self)
{
    return context_object(
        cuc_event_context(((struct cuc__object *)cuc__python_fields(self))->handle));
}

void *cuc__python_Stream_close(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    const struct cuc__stream_object *stream = cuc__python_fields(c->self);

    return stream->cell && stream->cell != cuc__py.none ? slowly : cuc__python_Handle_close(c, s);
}

void *cuc__python_Stream___cuda_stream__(struct cuc__python_call *c,
                                         const struct cuc__python_signature *s)
{
    struct cuc__stream_object *stream = cuc__python_fields(c->self);

    (void)s;
    if (!stream->said)
        stream->said = cuc__py.Py_BuildValue(
            "(iK)", 0, (unsigned long long)(uintptr_t)cuc_stream_handle(c->self_value.stream));
    return stream->said ? cuc__py_new(stream->said) : NULL;
}
