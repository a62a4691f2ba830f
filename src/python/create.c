// Creates objects with options, and wraps objects of other libraries.
#include "create.h"

#include "result.h"

#include "memory/buffer.h"

static void *slowly_after_error(void)
{
    cuc__py.PyErr_Clear();
    return slowly;
}

// ---- owners -------------------------------------------------------------------------------------

void *cuc__python_owner(const cuc_buffer *buffer)
{
    if (!buffer->owner)
        return cuc__py_new(cuc__py.none);
    return buffer->drop_owner == cuc__python_drop_owner ? cuc__py_new(buffer->owner) : slowly;
}

// from_handle(ptr, size, mr=None, owner=None, stream=None). Uses the Python definition if a
// resource or a stream frees the memory.
void *cuc__python_buffer_from_handle(const struct cuc__python_call *call)
{
    cuc_buffer_options options = CUC_BUFFER_OPTIONS_INIT;
    cuc_buffer *made = NULL;
    void *owner = call->objects[3];

    if (call->objects[2] || call->objects[4])
        return slowly;
    options.owner = owner;
    options.drop_owner = owner ? cuc__python_drop_owner : NULL;
    // Keep the interpreter's lock, because this makes no driver call.
    if (cuc__buffer_from_pointer(&made, call->values[0].size, call->values[1].size, &options) < 0)
        return slowly;
    if (owner)
        cuc__py_new(owner);
    return cuc__python_wrap_handle(call->self, made);
}

// ---- options ------------------------------------------------------------------------------------

// Adds a bit if an attribute is true. Returns false with an exception set.
static bool add_flag(uint32_t *flags, void *options, void *name, bool when, uint32_t bit)
{
    void *value = cuc__py.PyObject_GetAttr(options, name);
    int is_true = value ? cuc__py.PyObject_IsTrue(value) : -1;

    cuc__py_drop(value);
    if (is_true >= 0 && (is_true > 0) == when)
        *flags |= bit;
    return is_true >= 0;
}

// Reads the priority from options; None means the lowest. Returns false for anything but a small
// int.
static bool read_priority(int32_t *out, void *options)
{
    void *value = cuc__py.PyObject_GetAttr(options, cuc__python.names.priority);
    long long number = 0;
    bool good = value && (value == cuc__py.none || cuc__py_type(value) == cuc__py.int_type);

    if (good && value != cuc__py.none)
        number = cuc__py.PyLong_AsLongLong(value);
    cuc__py_drop(value);
    *out = (int32_t)number;
    return good && *out == number && !cuc__py.PyErr_Occurred();
}

static bool is_of(void *options, enum cuc__python_class which)
{
    return cuc__py_type(options) == cuc__python.classes[which];
}

void *cuc__python_create_event(struct cuc__python_call *call,
                               const struct cuc__python_signature *signature)
{
    cuc_event_options options = CUC_EVENT_OPTIONS_INIT;
    void *given = call->objects[0];
    cuc_event *made = NULL;

    if (given &&
        (!is_of(given, CUC__PYTHON_EVENT_OPTIONS) ||
         !add_flag(&options.flags, given, cuc__python.names.timing_enabled, true,
                   CUC_EVENT_TIMING) ||
         !add_flag(&options.flags, given, cuc__python.names.blocking_sync, true,
                   CUC_EVENT_BLOCKING_SYNC) ||
         !add_flag(&options.flags, given, cuc__python.names.ipc_enabled, true, CUC_EVENT_IPC)))
        return slowly_after_error();
    void *state = cuc__python_begin(call, signature);
    cuc_status st = cuc_event_create(&made, call->self_value.device, given ? &options : NULL);
    cuc__python_end(call, signature, state);
    return st < 0 ? cuc__python_failed(call->self, call->method)
                  : cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_EVENT], made);
}

// ---- streams ------------------------------------------------------------------------------------

// Reads the handle from __cuda_stream__(), which returns (0, handle).
static bool ask_stream(void **out, void *object)
{
    void *given[] = { object };
    void *said =
        cuc__py.PyObject_VectorcallMethod(cuc__python.names.__cuda_stream__, given, 1, NULL);
    bool good = said && cuc__py_type(said) == cuc__py.tuple_type && cuc__py.PyTuple_Size(said) == 2;

    for (intptr_t i = 0; good && i < 2; i++)
        good = cuc__py_type(cuc__py.PyTuple_GetItem(said, i)) == cuc__py.int_type;
    if (good && cuc__py.PyLong_AsLongLong(cuc__py.PyTuple_GetItem(said, 0)) == 0)
        *out = cuc__py.PyLong_AsVoidPtr(cuc__py.PyTuple_GetItem(said, 1));
    else
        good = false;
    cuc__py_drop(said);
    return good && !cuc__py.PyErr_Occurred();
}

static void *wrap_stream(struct cuc__python_call *call,
                         const struct cuc__python_signature *signature)
{
    void *object = call->objects[0], *handle = NULL;
    cuc_stream *made = NULL;

    if (is_of(object, CUC__PYTHON_STREAM))
        return cuc__py_new(object);
    if (cuc__python_fields_of(object, CUC__PYTHON_STREAM) || !ask_stream(&handle, object))
        return slowly_after_error();
    cuc__py_new(object);
    void *state = cuc__python_begin(call, signature);
    cuc_status st = cuc_stream_from_handle(&made, handle, object, cuc__python_drop_owner);
    cuc__python_end(call, signature, state);
    if (st >= 0)
        return cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_STREAM], made);
    cuc__py.Py_DecRef(object);
    return slowly;
}

void *cuc__python_create_stream(struct cuc__python_call *call,
                                const struct cuc__python_signature *signature)
{
    cuc_stream_options options = CUC_STREAM_OPTIONS_INIT;
    void *given = call->objects[1];
    cuc_stream *made = NULL;

    if (call->objects[0])
        return given ? slowly : wrap_stream(call, signature);
    // The Python definition checks the range of a priority; C would clamp it.
    if (given && (!is_of(given, CUC__PYTHON_STREAM_OPTIONS) ||
                  !add_flag(&options.flags, given, cuc__python.names.nonblocking, false,
                            CUC_STREAM_SYNC_LEGACY) ||
                  !read_priority(&options.priority, given) || options.priority))
        return slowly_after_error();
    void *state = cuc__python_begin(call, signature);
    cuc_status st = cuc_stream_create(&made, call->self_value.device, given ? &options : NULL);
    cuc__python_end(call, signature, state);
    return st < 0 ? cuc__python_failed(call->self, call->method)
                  : cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_STREAM], made);
}
