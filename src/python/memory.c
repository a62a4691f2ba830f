// Buffers, and the resources that allocate them.
#include "functions.h"

#include "create.h"

#include "memory/buffer.h"

#include <string.h>

void *cuc__python_Buffer_close(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    cuc_status st = CUC_OK;

    (void)s;
    if (c->objects[0])
        st = cuc_buffer_set_stream(c->self_value.buffer, c->values[0].stream);
    if (st < 0)
        return failed(c);
    cuc__python_close(cuc__python_fields(c->self));
    return none();
}

static cuc_status copy(struct cuc__python_call *c, const struct cuc__python_signature *s,
                       cuc_buffer *dst, cuc_buffer *src)
{
    void *state = cuc__python_begin(c, s);
    cuc_status st = cuc_buffer_copy(c->values[1].stream, dst, 0, src, 0, cuc_buffer_bytes(src));

    cuc__python_end(c, s, state);
    return st;
}

// Returns the names of the keyword arguments: only a stream.
static void *stream_alone(void)
{
    static void *keywords;

    if (!keywords)
        keywords = cuc__py.Py_BuildValue("(O)", cuc__python.names.stream);
    return keywords;
}

// Allocates from a resource, and holds a reference to it during the call.
void *cuc__python_allocate_of(void *resource, void *size, void *stream)
{
    void *keywords = stream_alone(), *given[] = { resource, size, stream };

    if (!keywords)
        return NULL;
    cuc__py_new(resource);
    void *made = cuc__py.PyObject_VectorcallMethod(cuc__python.names.allocate, given, 2, keywords);
    cuc__py.Py_DecRef(resource);
    return made;
}

// Allocates a buffer from the resource of another buffer.
static void *allocate_same(const struct cuc__python_call *c)
{
    const struct cuc__buffer_object *object = cuc__python_fields(c->self);
    void *resource = object->resource;

    if (!resource || resource == cuc__py.none ||
        !((struct cuc__object *)cuc__python_fields(resource))->handle)
        return slowly;
    void *size = number(cuc_buffer_bytes(object->base.handle));
    void *made = size ? cuc__python_allocate_of(resource, size, c->objects[1]) : NULL;
    cuc__py_drop(size);
    return made;
}

void *cuc__python_Buffer_copy_to(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    cuc_buffer *dst = c->values[0].buffer, *src = c->self_value.buffer;

    if (!dst) {
        void *made = allocate_same(c);
        if (!made || made == slowly)
            return made;
        // Start again through Python: a resource defined there may return any object, and another
        // thread may have closed the objects meanwhile.
        void *given[] = { c->self, made, c->objects[1] };
        void *done =
            cuc__py.PyObject_VectorcallMethod(cuc__python.names.copy_to, given, 2, stream_alone());
        cuc__py.Py_DecRef(made);
        return done;
    }
    if (cuc_buffer_bytes(dst) != cuc_buffer_bytes(src))
        return slowly;
    return copy(c, s, dst, src) < 0 ? failed(c) : cuc__py_new(c->objects[0]);
}

void *cuc__python_Buffer_copy_from(struct cuc__python_call *c,
                                   const struct cuc__python_signature *s)
{
    cuc_buffer *dst = c->self_value.buffer, *src = c->values[0].buffer;

    if (cuc_buffer_bytes(dst) != cuc_buffer_bytes(src))
        return slowly;
    return nothing(c, copy(c, s, dst, src));
}

void *cuc__python_Buffer_fill(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    uint32_t pattern = 0;
    intptr_t bytes = 1;
    char *data;

    if (cuc__py_type(c->objects[0]) == cuc__py.int_type) {
        long long value = cuc__py.PyLong_AsLongLong(c->objects[0]);
        if (value < 0 || value > 255) {
            cuc__py.PyErr_Clear();
            return slowly;
        }
        pattern = (uint32_t)value;
    } else if (cuc__py_type(c->objects[0]) == cuc__py.bytes_type) {
        if (cuc__py.PyBytes_AsStringAndSize(c->objects[0], &data, &bytes) < 0)
            return NULL;
        if (bytes != 1 && bytes != 2 && bytes != 4)
            return slowly;
        memcpy(&pattern, data, (size_t)bytes);
    } else {
        return slowly;
    }
    void *state = cuc__python_begin(c, s);
    cuc_status st = cuc_buffer_fill(c->values[1].stream, c->self_value.buffer, 0, pattern,
                                    (uint32_t)bytes, cuc_buffer_bytes(c->self_value.buffer));
    cuc__python_end(c, s, state);
    return nothing(c, st);
}

void *cuc__python_MemoryResource_allocate(struct cuc__python_call *c,
                                          const struct cuc__python_signature *s)
{
    const struct cuc__resource_object *resource = cuc__python_fields(c->self);
    cuc_buffer *made = NULL;

    release_deferred();
    void *state = cuc__python_begin(c, s);
    cuc_status st =
        cuc_buffer_create(&made, c->values[1].stream, c->self_value.resource, c->values[0].size);
    cuc__python_end(c, s, state);
    if (st < 0)
        return failed(c);
    void *object = cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_BUFFER], made);
    if (!object)
        return NULL;
    struct cuc__buffer_object *buffer = cuc__python_fields(object);
    buffer->resource = cuc__py_new(c->self);
    if (resource->ipc && resource->ipc != cuc__py.none)
        buffer->pool = cuc__py_new(c->self);
    return object;
}

void *cuc__python_UnorderedMemoryResource_allocate(struct cuc__python_call *c,
                                                   const struct cuc__python_signature *s)
{
    return cuc__python_MemoryResource_allocate(c, s);
}

void *cuc__python_Buffer_from_handle(struct cuc__python_call *c,
                                     const struct cuc__python_signature *s)
{
    (void)s;
    release_deferred();
    return cuc__python_buffer_from_handle(c);
}

bool cuc__python_describe(void *self, const char *name)
{
    struct cuc__object *object = cuc__python_fields(self);
    const cuc_buffer *buffer = object->handle;

    cuc__python_use(object);
    void *state = cuc__py.PyEval_SaveThread();
    cuc_status st = cuc__buffer_describe(buffer, "cuc_buffer_from_pointer");
    cuc__py.PyEval_RestoreThread(state);
    if (st < 0)
        (void)cuc__python_failed(self, name); // before another call can overwrite the failure
    cuc__python_leave(object);
    return st >= 0;
}

void *cuc__python_Buffer_owner(void *self)
{
    return cuc__python_owner(((struct cuc__object *)cuc__python_fields(self))->handle);
}

void *cuc__python_Buffer_memory_resource(void *self)
{
    void *resource = ((struct cuc__buffer_object *)cuc__python_fields(self))->resource;

    return resource && resource != cuc__py.none ? cuc__py_new(resource) : slowly;
}
