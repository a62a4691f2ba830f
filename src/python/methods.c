#include "create.h"
#include "slots.h"
#include "views.h"

#include "graph/keep.h"

#include <limits.h>
#include <string.h>

void *cuc__python_slow(void *definition, void *self, void *const *given, intptr_t count,
                       void *keywords)
{
    intptr_t named = keywords ? cuc__py.PyTuple_Size(keywords) : 0;
    void *all = cuc__py.PyTuple_New(count + 1), *dict = named ? cuc__py.PyDict_New() : NULL;
    bool good = all && (dict || !named);

    if (all)
        (void)cuc__py.PyTuple_SetItem(all, 0, cuc__py_new(self));
    for (intptr_t i = 0; all && i < count; i++)
        (void)cuc__py.PyTuple_SetItem(all, i + 1, cuc__py_new(given[i]));
    for (intptr_t i = 0; good && i < named; i++)
        good = cuc__py.PyDict_SetItem(dict, cuc__py.PyTuple_GetItem(keywords, i),
                                      given[count + i]) == 0;
    void *result = good ? cuc__py.PyObject_Call(definition, all, dict) : NULL;
    cuc__py_drop(all);
    cuc__py_drop(dict);
    return result;
}

typedef struct cuc__python_call call;
typedef const struct cuc__python_signature signature;

static void *failed(const call *c)
{
    return cuc__python_failed(c->self, c->method);
}

// ---- results ------------------------------------------------------------------------------------

// The interpreter makes those of a C long the fastest.
static inline void *integer(int64_t value)
{
    return value >= LONG_MIN && value <= LONG_MAX ? cuc__py.PyLong_FromLong((long)value)
                                                  : cuc__py.PyLong_FromLongLong(value);
}

static inline void *number(uint64_t value)
{
    return value <= LONG_MAX ? cuc__py.PyLong_FromLong((long)value)
                             : cuc__py.PyLong_FromUnsignedLongLong(value);
}

static inline void *address(const void *value)
{
    return number((uintptr_t)value);
}

static inline void *boolean(uint32_t value)
{
    return cuc__py.PyBool_FromLong(value != 0);
}

static void *extents(const int64_t *values, int32_t rank)
{
    void *made = cuc__py.PyTuple_New(rank);

    for (int32_t i = 0; made && i < rank; i++) {
        void *each = integer(values[i]);
        if (!each || cuc__py.PyTuple_SetItem(made, i, each) != 0) { // which takes the reference
            cuc__py.Py_DecRef(made);
            return NULL;
        }
    }
    return made;
}

static inline void *none(void)
{
    return cuc__py_new(cuc__py.none);
}

static inline void *nothing(const call *c, cuc_status st)
{
    return st < 0 ? failed(c) : none();
}

static inline void *is_ok(const call *c, cuc_status st)
{
    return st < 0 ? failed(c) : cuc__py.PyBool_FromLong(st == CUC_OK);
}

// After something was waited for, host memory that copies used may go.
static void *waited(const call *c, cuc_status st)
{
    if (st < 0)
        return failed(c);
    if (cuc__py.PyObject_IsTrue(cuc__python.held) <= 0)
        return none();
    return cuc__py.PyObject_CallFunctionObjArgs(cuc__python.prune, NULL);
}

// What was dropped where nothing of CUDA's may be called goes before something new is made.
static void tidy(void)
{
    if (cuc__py.PyObject_IsTrue(cuc__python.left) <= 0)
        return;
    void *done = cuc__py.PyObject_CallFunctionObjArgs(cuc__python.release_left, NULL);
    if (!done)
        cuc__py.PyErr_Clear();
    cuc__py_drop(done);
}

// ---- methods that are functions of their own ----------------------------------------------------

// The Python definition has to look at it: no object, and no exception either.
#define slowly ((void *)&cuc__python)

static void *Handle_close(call *c, signature *s)
{
    (void)s;
    cuc__python_close(cuc__python_fields(c->self));
    return none();
}

static void *Stream_wait(call *c, signature *s)
{
    const struct cuc__object *event = cuc__python_fields_of(c->objects[0], CUC__PYTHON_EVENT);
    const struct cuc__object *other =
        event ? event : cuc__python_fields_of(c->objects[0], CUC__PYTHON_STREAM);
    if (!other || !other->handle)
        return slowly;
    void *handle = cuc__handle_retain(other->handle);
    void *state = cuc__python_begin(c, s);
    cuc_status st = event ? cuc_stream_wait_event(c->self_value.stream, handle)
                          : cuc_stream_wait_stream(c->self_value.stream, handle);
    cuc__python_end(c, s, state);
    cuc__python_release(handle);
    return nothing(c, st);
}

static void *Stream_record(call *c, signature *s)
{
    cuc_event *event = c->values[0].event, *made = NULL;

    if (c->objects[1]) // options
        return slowly;
    tidy();
    void *state = cuc__python_begin(c, s);
    cuc_status st = event ? CUC_OK
                          : cuc_event_create(&made, cuc_stream_device(c->self_value.stream), NULL);
    if (st >= 0)
        st = cuc_event_record(event ? event : made, c->self_value.stream);
    cuc__python_end(c, s, state);
    if (st < 0) {
        failed(c); // before anything else can fail
        cuc__python_release(made);
        return NULL;
    }
    return made ? cuc__python_make(cuc__python.classes[CUC__PYTHON_EVENT], made)
                : cuc__py_new(c->objects[0]);
}

static void *Buffer_close(call *c, signature *s)
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

static cuc_status copy(call *c, signature *s, cuc_buffer *dst, cuc_buffer *src)
{
    void *state = cuc__python_begin(c, s);
    cuc_status st = cuc_buffer_copy(c->values[1].stream, dst, 0, src, 0, cuc_buffer_bytes(src));

    cuc__python_end(c, s, state);
    return st;
}

// The names of arguments that are a stream alone.
static void *stream_alone(void)
{
    static void *keywords;

    if (!keywords)
        keywords = cuc__py.Py_BuildValue("(O)", cuc__python.names.stream);
    return keywords;
}

// Memory of a resource, by its method: a subclass may have its own. The resource stays meanwhile.
static void *allocate_of(void *resource, void *size, void *stream)
{
    void *keywords = stream_alone(), *given[] = { resource, size, stream };

    if (!keywords)
        return NULL;
    cuc__py_new(resource);
    void *made = cuc__py.PyObject_VectorcallMethod(cuc__python.names.allocate, given, 2, keywords);
    cuc__py.Py_DecRef(resource);
    return made;
}

static void *call_Buffer_copy_to(void *self, void *const *given, intptr_t count, void *keywords);

// A copy in a new buffer of the same resource.
static void *copy_to_new(const call *c)
{
    const struct cuc__buffer_object *object = cuc__python_fields(c->self);
    void *resource = object->resource;

    if (!resource || resource == cuc__py.none ||
        !((struct cuc__object *)cuc__python_fields(resource))->handle)
        return slowly;
    void *size = number(cuc_buffer_bytes(object->base.handle)), *stream = c->objects[1];
    void *made = size ? allocate_of(resource, size, stream) : NULL;
    void *given[] = { made, stream };
    // From the start: objects may have been closed meanwhile.
    void *done = made ? call_Buffer_copy_to(c->self, given, 1, stream_alone()) : NULL;
    cuc__py_drop(size);
    cuc__py_drop(made);
    return done;
}

static void *Buffer_copy_to(call *c, signature *s)
{
    cuc_buffer *dst = c->values[0].buffer, *src = c->self_value.buffer;

    if (!dst)
        return copy_to_new(c);
    if (cuc_buffer_bytes(dst) != cuc_buffer_bytes(src))
        return slowly;
    return copy(c, s, dst, src) < 0 ? failed(c) : cuc__py_new(c->objects[0]);
}

static void *Buffer_copy_from(call *c, signature *s)
{
    cuc_buffer *dst = c->self_value.buffer, *src = c->values[0].buffer;

    if (cuc_buffer_bytes(dst) != cuc_buffer_bytes(src))
        return slowly;
    return nothing(c, copy(c, s, dst, src));
}

static void *Buffer_fill(call *c, signature *s)
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

static void *MemoryResource_allocate(call *c, signature *s)
{
    const struct cuc__resource_object *resource = cuc__python_fields(c->self);
    cuc_buffer *made = NULL;

    tidy();
    void *state = cuc__python_begin(c, s);
    cuc_status st =
        cuc_buffer_create(&made, c->self_value.resource, c->values[0].size, c->values[1].stream);
    cuc__python_end(c, s, state);
    if (st < 0)
        return failed(c);
    void *object = cuc__python_make(cuc__python.classes[CUC__PYTHON_BUFFER], made);
    if (!object)
        return NULL;
    struct cuc__buffer_object *buffer = cuc__python_fields(object);
    buffer->resource = cuc__py_new(c->self);
    if (resource->ipc && resource->ipc != cuc__py.none)
        buffer->pool = cuc__py_new(c->self);
    return object;
}

static void *UnorderedMemoryResource_allocate(call *c, signature *s)
{
    return MemoryResource_allocate(c, s);
}

// The object of the device's memory resource, borrowed; NULL where one has to be made.
static void *current_resource(const struct cuc__device_object *device)
{
    const struct cuc__object *found = device->found ? cuc__python_fields(device->found) : NULL;
    cuc_memory_resource *now = NULL;

    if ((device->given && device->given != cuc__py.none) || !found ||
        device->found == cuc__py.none ||
        cuc_device_get_memory_resource(&now, device->base.handle) < 0)
        return NULL;
    cuc_memory_resource_release(now); // the device has it
    return now == found->handle ? device->found : NULL;
}

static void *Device_memory_resource(void *self)
{
    void *resource = current_resource(cuc__python_fields(self));

    return resource ? cuc__py_new(resource) : slowly;
}

// What a subclass of Python's has for allocate() is called too.
static void *Device_allocate(call *c, signature *s)
{
    void *resource = current_resource(cuc__python_fields(c->self));

    (void)s;
    return resource ? allocate_of(resource, c->objects[0], c->objects[1]) : slowly;
}

static void *StridedMemoryView_from_dlpack(call *c, signature *s)
{
    (void)s;
    return c->objects[1] ? cuc__python_view(c->self, c->objects[0], c->objects[1]) : slowly;
}

// A buffer's view is one of its bytes.
static void *StridedMemoryView_from_any_interface(call *c, signature *s)
{
    return cuc__python_fields_of(c->objects[0], CUC__PYTHON_BUFFER)
               ? slowly
               : StridedMemoryView_from_dlpack(c, s);
}

static void *StridedMemoryView_from_buffer(call *c, signature *s)
{
    (void)s;
    return cuc__python_view_buffer(c);
}

static void *StridedMemoryView_from_array_interface(call *c, signature *s)
{
    (void)s;
    return cuc__python_view_interface(c, false);
}

static void *StridedMemoryView_from_cuda_array_interface(call *c, signature *s)
{
    (void)s;
    return cuc__python_view_interface(c, true);
}

// A view's extents stay as they are, and are read again and again.
static void *extents_of(void *self, size_t which)
{
    struct cuc__tensor_object *view = cuc__python_fields(self);
    const cuc_tensor *t = &view->tensor;

    if (!view->extents[which])
        view->extents[which] = extents(which ? t->strides : t->shape, t->rank);
    return view->extents[which] ? cuc__py_new(view->extents[which]) : NULL;
}

static void *StridedMemoryView_shape(void *self)
{
    return extents_of(self, 0);
}

static void *StridedMemoryView_strides(void *self)
{
    return extents_of(self, 1);
}

static void *StridedMemoryView_dtype(void *self)
{
    return cuc__python_view_dtype(self);
}

// Devices by their ordinals, each of which has one object for good.
static void *devices[64];

static void *device_object(const cuc_device *device)
{
    int32_t ordinal = cuc_device_ordinal(device);

    if (!device || ordinal < 0 || (size_t)ordinal >= CUC__LENGTH(devices) || !devices[ordinal])
        return slowly;
    return cuc__py_new(devices[ordinal]);
}

static void *Stream_device(void *self)
{
    return device_object(
        cuc_stream_device(((struct cuc__object *)cuc__python_fields(self))->handle));
}

static void *Event_device(void *self)
{
    return device_object(
        cuc_event_device(((struct cuc__object *)cuc__python_fields(self))->handle));
}

static void *Stream_priority(void *self)
{
    struct cuc__stream_object *stream = cuc__python_fields(self);

    if (!stream->has_priority)
        stream->has_priority = cuc_stream_get_priority(&stream->priority, stream->base.handle) >= 0;
    return stream->has_priority ? integer(stream->priority) : slowly;
}

static void *Stream_is_nonblocking(void *self)
{
    struct cuc__stream_object *stream = cuc__python_fields(self);
    uint32_t flags = 0;

    if (!stream->has_flags) {
        stream->has_flags = cuc_stream_get_flags(&flags, stream->base.handle) >= 0;
        stream->is_nonblocking = !(flags & CUC_STREAM_SYNC_LEGACY);
    }
    return stream->has_flags ? boolean(stream->is_nonblocking) : slowly;
}

static void *default_stream(void *self, int32_t which)
{
    cuc_stream *stream = NULL;

    tidy();
    if (cuc_stream_get_default(&stream, ((struct cuc__object *)cuc__python_fields(self))->handle,
                               which) < 0)
        return slowly; // which fails the same
    return cuc__python_make(cuc__python.classes[CUC__PYTHON_STREAM], cuc_stream_retain(stream));
}

static void *Device_default_stream(void *self)
{
    return default_stream(self, CUC_STREAM_LEGACY);
}

static void *Device_per_thread_default_stream(void *self)
{
    return default_stream(self, CUC_STREAM_PER_THREAD);
}

static void *Device_create_stream(call *c, signature *s)
{
    tidy();
    return cuc__python_create_stream(c, s);
}

static void *Device_create_event(call *c, signature *s)
{
    tidy();
    return cuc__python_create_event(c, s);
}

static void *Buffer_from_handle(call *c, signature *s)
{
    tidy();
    return cuc__python_buffer_from_handle(c, s);
}

static void *Buffer_owner(void *self)
{
    return cuc__python_owner(((struct cuc__object *)cuc__python_fields(self))->handle);
}

static void *Buffer_memory_resource(void *self)
{
    void *resource = ((struct cuc__buffer_object *)cuc__python_fields(self))->resource;

    return resource && resource != cuc__py.none ? cuc__py_new(resource) : slowly;
}

static void *context_object(cuc_context *context)
{
    return context ? cuc__python_make(cuc__python.classes[CUC__PYTHON_CONTEXT],
                                      cuc_context_retain(context))
                   : slowly;
}

static void *Stream_context(void *self)
{
    return context_object(
        cuc_stream_context(((struct cuc__object *)cuc__python_fields(self))->handle));
}

static void *Event_context(void *self)
{
    return context_object(
        cuc_event_context(((struct cuc__object *)cuc__python_fields(self))->handle));
}

// set_current(ctx=None) gives the context that was current.
static void *Device_set_current(call *c, signature *s)
{
    cuc_context *context = c->values[0].context, *before = NULL;

    tidy();
    void *state = cuc__python_begin(c, s);
    cuc_status st = c->objects[0] ? cuc_context_set_current(context, &before)
                                  : cuc_device_set_current(c->self_value.device, &before);
    cuc__python_end(c, s, state);
    if (st < 0)
        return failed(c);
    return before ? cuc__python_make(cuc__python.classes[CUC__PYTHON_CONTEXT], before) : none();
}

static void *Stream_close(call *c, signature *s)
{
    const struct cuc__stream_object *stream = cuc__python_fields(c->self);

    return stream->cell && stream->cell != cuc__py.none ? slowly : Handle_close(c, s);
}

static void *Stream___cuda_stream__(call *c, signature *s)
{
    struct cuc__stream_object *stream = cuc__python_fields(c->self);

    (void)s;
    if (!stream->said)
        stream->said = cuc__py.Py_BuildValue(
            "(iK)", 0, (unsigned long long)(uintptr_t)cuc_stream_handle(c->self_value.stream));
    return stream->said ? cuc__py_new(stream->said) : NULL;
}

// Device(), Device(0): called with the class and what that was called with.
static void *slow_new_device;

static void *new_device(void *nothing_, void *const *given, intptr_t count, void *keywords)
{
    cuc_device *device = NULL;
    cuc_status st = CUC_NOT_READY;

    (void)nothing_;
    if (!keywords && count == 1) {
        st = cuc_device_get_current(&device);
    } else if (!keywords && count == 2 && cuc__py_type(given[1]) == cuc__py.int_type) {
        long long ordinal = cuc__py.PyLong_AsLongLong(given[1]);
        if (ordinal >= 0 && (size_t)ordinal < CUC__LENGTH(devices))
            st = cuc_device_get(&device, (int32_t)ordinal);
        cuc__py.PyErr_Clear();
    }
    if (count >= 1 && given[0] == cuc__python.classes[CUC__PYTHON_DEVICE] && st == CUC_OK) {
        void *known = device_object(device);
        if (known != slowly)
            return known;
    }
    if (count < 1)
        return NULL;
    void *made = cuc__python_slow(slow_new_device, given[0], given + 1, count - 1, keywords);
    const struct cuc__object *object = made ? cuc__python_fields_of(made, CUC__PYTHON_DEVICE)
                                            : NULL;
    int32_t ordinal = object ? cuc_device_ordinal(object->handle) : -1;
    if (ordinal >= 0 && (size_t)ordinal < CUC__LENGTH(devices) && !devices[ordinal])
        devices[ordinal] = cuc__py_new(made);
    return made;
}

static void *slow_get(void *const *definition, void *self)
{
    return cuc__py.PyObject_CallFunctionObjArgs(definition[0], self, NULL);
}

// ---- the rows -----------------------------------------------------------------------------------

#define me (c.self_value)
#define a0 (c.values[0])
#define NAME(name) offsetof(struct cuc__python, names.name) - offsetof(struct cuc__python, names)
#define NEEDS(name, kind)                            \
    {                                                \
        NAME(name), CUC__PYTHON_##kind, false, false \
    }
#define MAY(name, kind)                             \
    {                                               \
        NAME(name), CUC__PYTHON_##kind, true, false \
    }
#define KEYWORD(name, kind)                         \
    {                                               \
        NAME(name), CUC__PYTHON_##kind, false, true \
    }
#define OPTION(name, kind)                         \
    {                                              \
        NAME(name), CUC__PYTHON_##kind, true, true \
    }
#define UNWRAP(...) __VA_ARGS__
#define SIGNATURE(class, name, ...)                                                            \
    static const struct cuc__python_parameter parameters_##class##_##name[] = { __VA_ARGS__ }; \
    static const struct cuc__python_signature signature_##class##_##name = {                   \
        parameters_##class##_##name,                                                           \
        sizeof(parameters_##class##_##name) / sizeof(struct cuc__python_parameter)             \
    };
#define NO_SIGNATURE(class, name) \
    static const struct cuc__python_signature signature_##class##_##name = { NULL, 0 };

// A property whose definition in Python is kept as its getter.
#define GETTER(class, name, result, value)                                              \
    static void *slow_##class##_##name[2];                                              \
    static void *get_##class##_##name(void *self, void *closure)                        \
    {                                                                                   \
        struct cuc__python_call c;                                                      \
        (void)closure;                                                                  \
        c.self_value.handle = ((struct cuc__object *)cuc__python_fields(self))->handle; \
        if (__builtin_expect(!me.handle, 0))                                            \
            return slow_get(slow_##class##_##name, self);                               \
        return result(value);                                                           \
    }
#define ASK(class, name, result, ask)                                                \
    NO_SIGNATURE(class, name)                                                        \
    static void *slow_##class##_##name[2];                                           \
    static void *get_##class##_##name(void *self, void *closure)                     \
    {                                                                                \
        struct cuc__python_call c;                                                   \
        (void)closure;                                                               \
        c.method = #name;                                                            \
        if (!cuc__python_sort(&c, self, &signature_##class##_##name, NULL, 0, NULL)) \
            return slow_get(slow_##class##_##name, self);                            \
        void *state = cuc__python_begin(&c, &signature_##class##_##name);            \
        cuc_status st = ask;                                                         \
        cuc__python_end(&c, &signature_##class##_##name, state);                     \
        return result(&c, st);                                                       \
    }
#define OWN_WHERE(class, name, is_open)                                       \
    static void *slow_##class##_##name[2];                                    \
    static void *get_##class##_##name(void *self, void *closure)              \
    {                                                                         \
        (void)closure;                                                        \
        const struct cuc__object *object = cuc__python_fields(self);          \
        void *made = is_open ? class##_##name(self) : slowly;                 \
        return made == slowly ? slow_get(slow_##class##_##name, self) : made; \
    }
#define OWN(class, name) OWN_WHERE(class, name, object->handle)
#define OWN_TENSOR(class, name) OWN_WHERE(class, name, object)
#define CALL(class, name, body)                                                               \
    static void *slow_##class##_##name[2];                                                    \
    static void *call_##class##_##name(void *self, void *const *given, intptr_t count,        \
                                       void *keywords)                                        \
    {                                                                                         \
        static const struct cuc__python_signature *const s = &signature_##class##_##name;     \
        struct cuc__python_call c;                                                            \
        c.method = #name;                                                                     \
        void *made = slowly;                                                                  \
        if (cuc__python_sort(&c, self, s, given, count, keywords)) {                          \
            body                                                                              \
        }                                                                                     \
        return made == slowly                                                                 \
                   ? cuc__python_slow(slow_##class##_##name[0], self, given, count, keywords) \
                   : made;                                                                    \
    }
#define CALL0(class, name, body)                                                          \
    static void *slow_##class##_##name[2];                                                \
    static void *call0_##class##_##name(void *self, void *unused)                         \
    {                                                                                     \
        static const struct cuc__python_signature *const s = &signature_##class##_##name; \
        struct cuc__python_call c;                                                        \
        (void)unused;                                                                     \
        c.method = #name;                                                                 \
        void *made = slowly;                                                              \
        if (cuc__python_sort(&c, self, s, NULL, 0, NULL)) {                               \
            body                                                                          \
        }                                                                                 \
        return made == slowly ? slow_get(slow_##class##_##name, self) : made;             \
    }
#define SIMPLE(result, ask)                 \
    void *state = cuc__python_begin(&c, s); \
    cuc_status st = ask;                    \
    cuc__python_end(&c, s, state);          \
    made = result(&c, st);
#define METHOD0(class, name, result, ask) \
    NO_SIGNATURE(class, name) CALL0(class, name, SIMPLE(result, ask))
#define METHOD(class, name, parameters, result, ask) \
    SIGNATURE(class, name, UNWRAP parameters) CALL(class, name, SIMPLE(result, ask))
#define CUSTOM0(class, name) \
    NO_SIGNATURE(class, name) CALL0(class, name, made = class##_##name(&c, s);)
#define CUSTOM(class, name, parameters) \
    SIGNATURE(class, name, UNWRAP parameters) CALL(class, name, made = class##_##name(&c, s);)

#define TENSOR(class, name, result, ...)                                                        \
    static void *slow_##class##_##name[2];                                                      \
    static void *get_##class##_##name(void *self, void *closure)                                \
    {                                                                                           \
        const cuc_tensor *t = &((struct cuc__tensor_object *)cuc__python_fields(self))->tensor; \
        (void)closure;                                                                          \
        return result(__VA_ARGS__);                                                             \
    }
#define CLASS(class, name, parameters)                                                        \
    SIGNATURE(class, name, UNWRAP parameters)                                                 \
    static void *slow_##class##_##name[2];                                                    \
    static void *class_##class##_##name(void *type, void *const *given, intptr_t count,       \
                                        void *keywords)                                       \
    {                                                                                         \
        static const struct cuc__python_signature *const s = &signature_##class##_##name;     \
        struct cuc__python_call c;                                                            \
        void *made = slowly;                                                                  \
        c.self = type;                                                                        \
        c.method = #name;                                                                     \
        if (cuc__python_sort_arguments(&c, s, given, count, keywords))                        \
            made = class##_##name(&c, s);                                                     \
        return made == slowly                                                                 \
                   ? cuc__python_slow(slow_##class##_##name[0], type, given, count, keywords) \
                   : made;                                                                    \
    }

#define ONCE(class, name)                                        \
    static void *slow_##class##_##name[2];                       \
    static void *get_##class##_##name(void *self, void *closure) \
    {                                                            \
        static struct once once;                                 \
        (void)closure;                                           \
        return get_once(&once, slow_##class##_##name, self);     \
    }
#define ARRAY(class, name, parameters) SIGNATURE(class, name, UNWRAP parameters) SEEN(class, name)
#define ARRAY0(class, name)                                                   \
    static void *slow_##class##_##name[2];                                    \
    static void *call0_##class##_##name(void *self, void *unused)             \
    {                                                                         \
        struct cuc__python_call c = { .self = self };                         \
        (void)unused;                                                         \
        void *made = cuc__python_##class##_##name(&c);                        \
        return made == slowly ? slow_get(slow_##class##_##name, self) : made; \
    }
#define SEEN(class, name)                                                                     \
    static void *slow_##class##_##name[2];                                                    \
    static void *call_##class##_##name(void *self, void *const *given, intptr_t count,        \
                                       void *keywords)                                        \
    {                                                                                         \
        static const struct cuc__python_signature *const s = &signature_##class##_##name;     \
        struct cuc__python_call c;                                                            \
        void *made = slowly;                                                                  \
        c.self = self;                                                                        \
        c.method = #name;                                                                     \
        if (cuc__python_sort_arguments(&c, s, given, count, keywords))                        \
            made = cuc__python_##class##_##name(&c);                                          \
        return made == slowly                                                                 \
                   ? cuc__python_slow(slow_##class##_##name[0], self, given, count, keywords) \
                   : made;                                                                    \
    }

// What stays the same for a device, by its ordinal, as the Python definition has once made it.
struct once {
    void *made[64], *definition;
};

static void *get_once(struct once *once, void *const *slow, void *self)
{
    int32_t ordinal = cuc_device_ordinal(((struct cuc__object *)cuc__python_fields(self))->handle);

    if (ordinal < 0 || (size_t)ordinal >= CUC__LENGTH(once->made))
        return slow_get(slow, self);
    if (once->definition != slow[0]) { // of a class of before
        for (size_t i = 0; i < CUC__LENGTH(once->made); i++)
            cuc__python_keep(&once->made[i], NULL);
        cuc__python_keep(&once->definition, cuc__py_new(slow[0]));
    }
    if (once->made[ordinal])
        return cuc__py_new(once->made[ordinal]);
    void *made = slow_get(slow, self);
    if (made && !once->made[ordinal])
        once->made[ordinal] = cuc__py_new(made);
    return made;
}

// Properties that are set, are so in Python.
static int slow_set(void *self, void *value, void *closure)
{
    void *const *definition = closure;
    void *done = cuc__py.PyObject_CallFunctionObjArgs(definition[1], self, value, NULL);

    cuc__py_drop(done);
    return done ? 0 : -1;
}

#include "methods.def"
#undef GETTER
#undef ASK
#undef OWN
#undef OWN_TENSOR
#undef ONCE
#undef ARRAY
#undef ARRAY0
#undef METHOD0
#undef METHOD
#undef CUSTOM0
#undef CUSTOM
#undef TENSOR
#undef CLASS

#define GETTER(class, name, ...) PROPERTY(class, name)
#define ASK(class, name, ...) PROPERTY(class, name)
#define OWN(class, name) PROPERTY(class, name)
#define OWN_TENSOR(class, name) PROPERTY(class, name)
#define ONCE(class, name) PROPERTY(class, name)
#define ARRAY(class, name, ...) FUNCTION(class, name)
#define ARRAY0(class, name) FUNCTION0(class, name)
#define TENSOR(class, name, ...) PROPERTY(class, name)
#define METHOD0(class, name, ...) FUNCTION0(class, name)
#define METHOD(class, name, ...) FUNCTION(class, name)
#define CUSTOM0(class, name) FUNCTION0(class, name)
#define CUSTOM(class, name, ...) FUNCTION(class, name)
#define ROW(class, name, ...) { #class, #name, slow_##class##_##name, __VA_ARGS__ },
#define PROPERTY(class, name) ROW(class, name, .get = get_##class##_##name)
#define FUNCTION(class, name) ROW(class, name, .call = call_##class##_##name)
#define FUNCTION0(class, name) ROW(class, name, .call0 = call0_##class##_##name)
#define CLASS(class, name, ...) ROW(class, name, .call_class = class_##class##_##name)

static struct row {
    const char *class_name, *name;
    void **slow; // the Python definitions: a function, or a property's getter and setter
    void *(*call)(void *self, void *const *given, intptr_t count, void *keywords);
    void *(*call0)(void *self, void *unused);
    void *(*call_class)(void *type, void *const *given, intptr_t count, void *keywords);
    void *(*get)(void *self, void *closure);
    cuc__py_method method;
    cuc__py_getset getset;
} rows[] = {
#include "methods.def"
};
#undef ROW

// ---- adding them --------------------------------------------------------------------------------

// A class is called by its __new__.
static bool replace_new(void *type)
{
    static cuc__py_method method = { "__new__", (void (*)(void))new_device,
                                     PY_METH_FASTCALL | PY_METH_KEYWORDS, NULL };
    void *name = cuc__py.PyUnicode_InternFromString("__new__");
    void *definition = name ? cuc__py.PyObject_GetAttr(type, name) : NULL;
    void *made = definition ? cuc__py.PyCFunction_NewEx(&method, cuc__py.none, NULL) : NULL;
    bool good = made && cuc__py.PyObject_SetAttr(type, name, made) == 0;

    if (definition)
        cuc__python_keep(&slow_new_device, definition);
    for (size_t i = 0; i < CUC__LENGTH(devices); i++)
        cuc__python_keep(&devices[i], NULL); // of a class of before
    cuc__py_drop(name);
    cuc__py_drop(made);
    return good;
}

// Take the Python definition of a row out of a class, and put the row in its place.
static bool replace(struct row *row, void *type)
{
    void *name = cuc__py.PyUnicode_InternFromString(row->name);
    void *definition = name ? cuc__py.PyObject_GetAttr(type, name) : NULL;
    void *made = NULL;

    if (definition && (row->call || row->call0)) {
        cuc__python_keep(&row->slow[0], cuc__py_new(definition));
        row->method = row->call0 ? (cuc__py_method){ row->name, (void (*)(void))row->call0,
                                                     PY_METH_NOARGS, NULL }
                                 : (cuc__py_method){ row->name, (void (*)(void))row->call,
                                                     PY_METH_FASTCALL | PY_METH_KEYWORDS, NULL };
        made = cuc__py.PyDescr_NewMethod(type, &row->method);
    } else if (definition && row->call_class) {
        void *function = cuc__py.PyObject_GetAttr(definition, cuc__python.function_name);
        if (function) {
            cuc__python_keep(&row->slow[0], function);
            row->method = (cuc__py_method){ row->name, (void (*)(void))row->call_class,
                                            PY_METH_FASTCALL | PY_METH_KEYWORDS, NULL };
            made = cuc__py.PyDescr_NewClassMethod(type, &row->method);
        }
    } else if (definition) {
        void *get = cuc__py.PyObject_GetAttr(definition, cuc__python.names.fget);
        void *set = get ? cuc__py.PyObject_GetAttr(definition, cuc__python.names.fset) : NULL;
        if (set) {
            row->getset = (cuc__py_getset){ row->name, row->get,
                                            set == cuc__py.none ? NULL : slow_set, NULL,
                                            row->slow };
            cuc__python_keep(&row->slow[0], get);
            cuc__python_keep(&row->slow[1], set);
            made = cuc__py.PyDescr_NewGetSet(type, &row->getset);
        } else {
            cuc__py_drop(get);
        }
    }
    bool good = made && cuc__py.PyObject_SetAttr(type, name, made) == 0;
    cuc__py_drop(name);
    cuc__py_drop(definition);
    cuc__py_drop(made);
    return good;
}

// Attributes of the class that all others derive from, by which C reaches Python.
static bool find_functions(void *type)
{
    static const struct {
        size_t name, where;
    } wanted[] = {
#define WANTED(attribute, field) \
    { offsetof(struct cuc__python, names.attribute), offsetof(struct cuc__python, field) }
        WANTED(_failed, failed), WANTED(_may_call, may_call), WANTED(_held, held),
        WANTED(_prune, prune),   WANTED(_left, left),         WANTED(_release_left, release_left),
    };
    for (size_t i = 0; i < CUC__LENGTH(wanted); i++) {
        void *found =
            cuc__py.PyObject_GetAttr(type, *(void **)((char *)&cuc__python + wanted[i].name));
        if (!found)
            return false;
        cuc__python_keep((void **)((char *)&cuc__python + wanted[i].where), found);
    }
    return true;
}

cuc_status cuc_python_add_methods(void *type, const char *name)
{
    static const char *const names[] = {
#define ROW(kind, text) text,
        CUC__PYTHON_CLASSES(ROW)
#undef ROW
    };

    CUC_CHECK_NOT_NULL(type);
    CUC_CHECK_NOT_NULL(name);
    cuc_status st = cuc__python_own(__func__);
    if (st < 0)
        return st;
    bool good = strcmp(name, "Handle") != 0 || find_functions(type);
    for (size_t i = 0; i < CUC__LENGTH(rows); i++)
        if (strcmp(rows[i].class_name, name) == 0)
            good = good && replace(&rows[i], type);
    if (strcmp(name, "Device") == 0)
        good = good && replace_new(type);
    good = good && cuc__python_inherit_slots(type, name);
    for (size_t i = 0; good && i < CUC__LENGTH(names); i++)
        if (strcmp(names[i], name) == 0)
            cuc__python_keep(&cuc__python.classes[i], cuc__py_new(type));
    return good ? CUC_OK
                : CUC_FAIL(CUC_ERROR_INTERNAL, "CPython could not add the methods of %s", name);
}
