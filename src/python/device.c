// Devices. Each has one Python object.
#include "base/array.h"
#include "functions.h"

#include "create.h"

#include "driver/toolkit.h"

// Returns the object of the device's memory resource, borrowed, or NULL if the caller must create
// it.
static void *current_resource(const struct cuc__device_object *device)
{
    const struct cuc__object *found = device->found ? cuc__python_fields(device->found) : NULL;
    cuc_memory_resource *now = NULL;

    if ((device->given && device->given != cuc__py.none) || !found ||
        device->found == cuc__py.none ||
        cuc_device_get_memory_resource(&now, device->base.handle) < 0)
        return NULL;
    cuc_memory_resource_release(now); // the device still holds a reference
    return now == found->handle ? device->found : NULL;
}

void *cuc__python_Device_memory_resource(void *self)
{
    void *resource = current_resource(cuc__python_fields(self));

    return resource ? cuc__py_new(resource) : slowly;
}

// Allocates from a resource through its allocate() method, so this also works for a Python
// subclass.
void *cuc__python_Device_allocate(struct cuc__python_call *c, const struct cuc__python_signature *s)
{
    void *resource = current_resource(cuc__python_fields(c->self));

    (void)s;
    return resource ? cuc__python_allocate_of(resource, c->objects[0], c->objects[1]) : slowly;
}

// The objects of devices, by ordinal. They live as long as the process.
static void *devices[64];

void *cuc__python_device_object(const cuc_device *device)
{
    int32_t ordinal = cuc_device_ordinal(device);

    if (!device || ordinal < 0 || (size_t)ordinal >= CUC_LENGTH(devices) || !devices[ordinal])
        return slowly;
    return cuc__py_new(devices[ordinal]);
}

static void *default_stream(void *self, int32_t which)
{
    cuc_stream *stream = NULL;

    release_deferred();
    if (cuc_stream_get_default(&stream, ((struct cuc__object *)cuc__python_fields(self))->handle,
                               which) < 0)
        return slowly; // the Python definition reports the same failure
    return cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_STREAM],
                                   cuc_stream_retain(stream));
}

void *cuc__python_Device_default_stream(void *self)
{
    return default_stream(self, CUC_STREAM_LEGACY);
}

void *cuc__python_Device_per_thread_default_stream(void *self)
{
    return default_stream(self, CUC_STREAM_PER_THREAD);
}

void *cuc__python_Device_create_stream(struct cuc__python_call *c,
                                       const struct cuc__python_signature *s)
{
    release_deferred();
    return cuc__python_create_stream(c, s);
}

void *cuc__python_Device_create_event(struct cuc__python_call *c,
                                      const struct cuc__python_signature *s)
{
    release_deferred();
    return cuc__python_create_event(c, s);
}

// set_current(ctx=None) returns the previously current context.
void *cuc__python_Device_set_current(struct cuc__python_call *c,
                                     const struct cuc__python_signature *s)
{
    cuc_context *context = c->values[0].context, *before = NULL;

    release_deferred();
    void *state = cuc__python_begin(c, s);
    cuc_status st = c->objects[0] ? cuc_context_set_current(context, &before)
                                  : cuc_device_set_current(c->self_value.device, &before);
    cuc__python_end(c, s, state);
    if (st < 0)
        return failed(c);
    return before ? cuc__python_wrap_handle(cuc__python.classes[CUC__PYTHON_CONTEXT], before)
                  : none();
}

// Device(), Device(0): called with the class and its arguments.
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
        if (ordinal >= 0 && (size_t)ordinal < CUC_LENGTH(devices))
            st = cuc_device_get(&device, (int32_t)ordinal);
        cuc__py.PyErr_Clear();
    }
    if (count >= 1 && given[0] == cuc__python.classes[CUC__PYTHON_DEVICE] && st == CUC_OK) {
        void *known = cuc__python_device_object(device);
        if (known != slowly)
            return known;
    }
    if (count < 1)
        return NULL;
    void *made =
        cuc__python_call_definition(slow_new_device, given[0], given + 1, count - 1, keywords);
    const struct cuc__object *object = made ? cuc__python_fields_of(made, CUC__PYTHON_DEVICE)
                                            : NULL;
    int32_t ordinal = object ? cuc_device_ordinal(object->handle) : -1;
    if (ordinal >= 0 && (size_t)ordinal < CUC_LENGTH(devices) && !devices[ordinal])
        devices[ordinal] = cuc__py_new(made);
    return made;
}

bool cuc__python_replace_new(void *type)
{
    static cuc__py_method method = { "__new__", (void (*)(void))new_device,
                                     PY_METH_FASTCALL | PY_METH_KEYWORDS, NULL };
    void *name = cuc__py.PyUnicode_InternFromString("__new__");
    void *definition = name ? cuc__py.PyObject_GetAttr(type, name) : NULL;
    void *made = definition ? cuc__py.PyCFunction_NewEx(&method, cuc__py.none, NULL) : NULL;
    bool good = made && cuc__py.PyObject_SetAttr(type, name, made) == 0;

    if (definition)
        cuc__python_keep(&slow_new_device, definition);
    for (size_t i = 0; i < CUC_LENGTH(devices); i++)
        cuc__python_keep(&devices[i], NULL); // an object of a class that was defined earlier
    cuc__py_drop(name);
    cuc__py_drop(made);
    return good;
}
