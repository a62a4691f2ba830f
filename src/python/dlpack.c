// Exchanges arrays with other Python libraries through DLPack, in methods that the interpreter
// calls directly. C handles the common cases; the class's Python methods handle the others.
#include <cucore/python.h>

#include <cucore/device.h>
#include <cucore/tensor.h>

#include "base/array.h"
#include "memory/buffer.h"
#include "driver/cpython.h"
#include "driver/toolkit.h"
#include "base/handle.h"
#include "device/deferred.h"
#include "exchange.h"
#include "views.h"
#include "device/stream.h"
#include "tensor/tensor.h"

#include <stdlib.h>
#include <string.h>

// All classes share these names, which live as long as the process, like CPython's own types.
// Writers hold the interpreter's lock.
#define NAMES(X) \
    X(_address)  \
    X(_memory)   \
    X(_buffer)   \
    X(_stream)   \
    X(_h) X(_stream_h) X(_export) X(_import) X(_failed) X(__dlpack_c_exchange_api__)
#define FIELD(name) void *name;
static struct {
    NAMES(FIELD)
} names; // as Python strings
#undef FIELD
static void *producers; // a dict from a type to the address of its exchange API, or 0

static const char old_name[] = "dltensor", old_used[] = "used_dltensor";
static const char new_name[] = "dltensor_versioned", new_used[] = "used_dltensor_versioned";
static const char array_name[] = "cucore.tensor";

// ---- attributes ---------------------------------------------------------------------------------

// Reads an attribute that is a number, such as an address. Returns false with an exception set.
static bool get_number(long long *out, void *object, void *name)
{
    void *value = cuc__py.PyObject_GetAttr(object, name);

    if (!value)
        return false;
    *out = cuc__py.PyLong_AsLongLong(value);
    cuc__py.Py_DecRef(value);
    return *out != -1 || !cuc__py.PyErr_Occurred();
}

// Reads the handle from an attribute's `_h`. It is NULL for None and for a closed object.
static bool get_handle(void **out, void *object, void *name)
{
    void *value = cuc__py.PyObject_GetAttr(object, name);
    long long number = 0;
    bool good = true;

    if (!value)
        return false;
    if (value != cuc__py.none)
        good = get_number(&number, value, names._h);
    cuc__py.Py_DecRef(value);
    *out = (void *)(intptr_t)number;
    return good;
}

static bool set(void *object, void *name, void *value)
{
    return value && cuc__py.PyObject_SetAttr(object, name, value) == 0;
}

// Raises the thread's last failure through a class or an instance.
static void *failed(void *object)
{
    return cuc__py_raise(object, names._failed);
}

// Checks the number of positional arguments after `self`, and reads the keyword arguments, which
// are optional. `wanted` has their names.
static bool take_arguments(void **values, const char *const *wanted, intptr_t positional,
                           void *const *arguments, intptr_t count, void *keywords)
{
    intptr_t named = keywords ? cuc__py.PyTuple_Size(keywords) : 0;

    if (count != positional) {
        cuc__py.PyErr_Format(cuc__py.TypeError, "expected %d positional arguments, got %d",
                             (int)positional, (int)count);
        return false;
    }
    for (intptr_t i = 0; i < named; i++) {
        void *name = cuc__py.PyTuple_GetItem(keywords, i);
        size_t at = 0;
        while (wanted[at] && cuc__py.PyUnicode_CompareWithASCIIString(name, wanted[at]) != 0)
            at++;
        if (!wanted[at]) {
            cuc__py.PyErr_Format(cuc__py.TypeError, "there is no argument %S", name);
            return false;
        }
        values[at] = arguments[count + i];
    }
    return true;
}

// ---- releasing ----------------------------------------------------------------------------------

static void release_versioned(void *managed)
{
    cuc_dl_managed_tensor_versioned *m = managed;

    m->deleter(m);
}

static void release_unversioned(void *managed)
{
    cuc_dl_managed_tensor *m = managed;

    m->deleter(m);
}

// Releases an array. Saves a pending exception, because Python must not be called with one.
// Releasing cucore's own memory may wait for its stream, and the stream for a Python function that
// needs the interpreter's lock, so this releases the lock meanwhile. Another library's deleter is
// called with the lock held, because the deleter may rely on that.
static void release_managed(void *managed, void (*go)(void *managed), bool own)
{
    void *type, *value, *traceback;

    cuc__py.PyErr_Fetch(&type, &value, &traceback);
    if (!own) {
        go(managed);
    } else if (cuc__python_may_release()) {
        void *state = cuc__py.PyEval_SaveThread();
        go(managed);
        cuc__py.PyEval_RestoreThread(state);
    } else {
        (void)cuc__defer_drop(managed, go); // the array leaks if this fails
    }
    cuc__py.PyErr_Restore(type, value, traceback);
}

static void delete_new(cuc_dl_managed_tensor_versioned *managed)
{
    if (managed && managed->deleter)
        release_managed(managed, release_versioned, cuc__dlpack_is_own(managed));
}

static void delete_old(cuc_dl_managed_tensor *managed)
{
    if (managed && managed->deleter)
        release_managed(managed, release_unversioned, cuc__dlpack_is_own_unversioned(managed));
}

// ---- exporting ----------------------------------------------------------------------------------

static void drop_old(void *capsule)
{
    if (!cuc__py.PyCapsule_IsValid(capsule, old_name))
        return; // a consumer has taken the array and renamed the capsule
    delete_old(cuc__py.PyCapsule_GetPointer(capsule, old_name));
}

static void drop_new(void *capsule)
{
    if (!cuc__py.PyCapsule_IsValid(capsule, new_name))
        return;
    delete_new(cuc__py.PyCapsule_GetPointer(capsule, new_name));
}

static void *give(void *self, const cuc_tensor *tensor, cuc_buffer *buffer, bool versioned)
{
    cuc_dl_managed_tensor_versioned *of_now = NULL;
    cuc_dl_managed_tensor *of_old = NULL;
    void *capsule;

    if (versioned) {
        if (cuc_tensor_to_dlpack(&of_now, tensor, buffer) < 0)
            return failed(self);
        if (!(capsule = cuc__py.PyCapsule_New(of_now, new_name, drop_new)))
            delete_new(of_now);
    } else {
        if (cuc_tensor_to_dlpack_unversioned(&of_old, tensor, buffer) < 0)
            return failed(self);
        if (!(capsule = cuc__py.PyCapsule_New(of_old, old_name, drop_old)))
            delete_old(of_old);
    }
    return capsule;
}

// Returns 1 if the consumer's stream need not wait for the memory's own stream, 0 if it must wait
// or is invalid, and -1 with an exception set.
static int is_ordered(void *self, void *stream)
{
    void *own;

    if (!get_handle(&own, self, names._stream))
        return -1;
    if (!own)
        return 1;
    if (stream == cuc__py.none)
        return 0;
    long long number = cuc__py.PyLong_AsLongLong(stream);
    if (number == -1)
        return cuc__py.PyErr_Occurred() ? -1 : 1;
    return (void *)(intptr_t)number == cuc_stream_handle(own) && number > 2;
}

// Makes a consumer's stream wait for the memory's own stream. The numbers 1 and 2 are the default
// streams.
static cuc_status let_wait(cuc_stream *own, intptr_t number)
{
    cuc_stream *consumer = NULL;
    cuc_status st;

    if (number == 1 || number == 2) {
        st = cuc_stream_get_default(&consumer, cuc_stream_device(own),
                                    number == 2 ? CUC_STREAM_PER_THREAD : CUC_STREAM_LEGACY);
        return st < 0 ? st : cuc_stream_wait_stream(consumer, own);
    }
    if ((st = cuc_stream_from_handle(&consumer, (void *)number, NULL, NULL)) < 0)
        return st;
    st = cuc_stream_wait_stream(consumer, own);
    cuc_stream_release(consumer);
    return st;
}

// Reads a number from an argument. Returns false if the argument needs the Python definition.
static bool number_of(long long *out, void *object, long long when_missing)
{
    *out = when_missing;
    if (!object)
        return true;
    if (cuc__py_type(object) != cuc__py.int_type)
        return false;
    *out = cuc__py.PyLong_AsLongLong(object);
    if (*out != -1 || !cuc__py.PyErr_Occurred())
        return true;
    cuc__py.PyErr_Clear();
    return false;
}

void *cuc__python_to_dlpack(const struct cuc__python_call *call, const cuc_tensor *tensor,
                            cuc_buffer *buffer, cuc_stream *own)
{
    void *const slowly = &cuc__python, *version = call->objects[1], *copied = call->objects[3];
    cuc_dl_managed_tensor_versioned *of_now = NULL;
    cuc_dl_managed_tensor *of_old = NULL;
    cuc_tensor given = *tensor;
    long long number, major = 0;
    cuc_status st = CUC_OK;

    if (!buffer || call->objects[2] || (copied && copied != cuc__py.no) ||
        !number_of(&number, call->objects[0], 1) || number == 0 || number < -1)
        return slowly;
    if (version &&
        (cuc__py_type(version) != cuc__py.tuple_type || cuc__py.PyTuple_Size(version) != 2 ||
         !number_of(&major, cuc__py.PyTuple_GetItem(version, 0), 0)))
        return slowly;
    buffer = cuc_buffer_retain(buffer); // another thread may close the object meanwhile
    if (own && number != -1 && (void *)(intptr_t)number != cuc_stream_handle(own)) {
        own = cuc_stream_retain(own);
        void *state = cuc__py.PyEval_SaveThread();
        st = let_wait(own, (intptr_t)number);
        cuc__py.PyEval_RestoreThread(state);
        cuc__python_release(own);
    }
    if (st >= 0)
        st = major >= 1 ? cuc_tensor_to_dlpack(&of_now, &given, buffer)
                        : cuc_tensor_to_dlpack_unversioned(&of_old, &given, buffer);
    cuc__python_release(buffer);
    if (st < 0)
        return slowly;
    void *capsule = of_now ? cuc__py.PyCapsule_New(of_now, new_name, drop_new)
                           : cuc__py.PyCapsule_New(of_old, old_name, drop_old);
    if (!capsule) {
        delete_new(of_now);
        delete_old(of_old);
    }
    return capsule;
}

static void *dlpack(void *self, void *const *arguments, intptr_t count, void *keywords)
{
    static const char *const wanted[] = { "stream", "max_version", "dl_device", "copy", NULL };
    void *none = cuc__py.none;
    void *values[] = { none, none, none, none };
    long long major = 0, address;
    void *buffer;

    if (!take_arguments(values, wanted, 0, arguments, count, keywords))
        return NULL;
    if (cuc__python_is_tensor(cuc__py_type(self))) {
        struct cuc__python_call call = { .self = self };
        for (size_t i = 0; i < CUC_LENGTH(values); i++)
            call.objects[i] = values[i] == none ? NULL : values[i];
        void *given = cuc__python_StridedMemoryView___dlpack__(&call);
        if (given != &cuc__python)
            return given;
    }
    if (!get_handle(&buffer, self, names._buffer))
        return NULL;
    int ordered = is_ordered(self, values[0]);
    if (ordered < 0)
        return NULL;
    bool is_pair = values[1] == none ||
                   (cuc__py_type(values[1]) == cuc__py.tuple_type &&
                    cuc__py.PyTuple_Size(values[1]) == 2 &&
                    number_of(&major, cuc__py.PyTuple_GetItem(values[1], 0), 0));
    if (!ordered || !buffer || !is_pair || values[2] != none ||
        (values[3] != none && values[3] != cuc__py.no)) {
        void *rare = cuc__py.PyObject_GetAttr(self, names._export);
        if (!rare)
            return NULL;
        void *capsule = cuc__py.PyObject_CallFunctionObjArgs(rare, values[0], values[1], values[2],
                                                             values[3], NULL);
        cuc__py.Py_DecRef(rare);
        return capsule;
    }
    if (!get_number(&address, self, names._address))
        return NULL;
    return give(self, (const cuc_tensor *)(intptr_t)address, buffer, major >= 1);
}

static void *dlpack_device(void *self, void *nothing)
{
    long long address;

    (void)nothing;
    if (!get_number(&address, self, names._address))
        return NULL;
    const cuc_tensor *t = (const cuc_tensor *)(intptr_t)address;
    cuc_dl_device device = cuc__dlpack_device(t);
    return cuc__py.Py_BuildValue("(ii)", (int)device.device_type, (int)device.device_id);
}

// ---- importing ----------------------------------------------------------------------------------

// An imported array. An object without a tensor's fields keeps it in the capsule `_memory`, and
// `_address` points to its `tensor`.
struct taken {
    cuc_tensor tensor;
    cuc_dl_managed_tensor_versioned *of_now;
    cuc_dl_managed_tensor *of_old;
};

static void release_taken(struct taken *taken)
{
    delete_new(taken->of_now);
    delete_old(taken->of_old);
    free(taken);
}

static void drop_taken(void *capsule)
{
    release_taken(cuc__py.PyCapsule_GetPointer(capsule, array_name));
}

void cuc__python_drop_managed(struct cuc__tensor_object *tensor)
{
    delete_new(tensor->managed);
    delete_old(tensor->managed_old);
}

// Creates an object for an imported array. On failure, releases the array.
static void *make(void *type, struct taken *taken)
{
    if (cuc__python_is_tensor(type)) {
        void *made = cuc__py.PyType_GenericAlloc(type, 0);
        if (!made) {
            release_taken(taken);
            return NULL;
        }
        struct cuc__tensor_object *tensor = cuc__python_fields(made);
        tensor->tensor = taken->tensor;
        tensor->managed = taken->of_now;
        tensor->managed_old = taken->of_old;
        free(taken);
        return made;
    }
    void *capsule = cuc__py.PyCapsule_New(taken, array_name, drop_taken);

    if (!capsule) {
        release_taken(taken);
        return NULL;
    }
    void *object = cuc__py.PyType_GenericAlloc(type, 0);
    void *address = cuc__py.PyLong_FromVoidPtr(&taken->tensor);
    void *none = cuc__py.none;
    bool good = object && set(object, names._address, address) &&
                set(object, names._memory, capsule) && set(object, names._buffer, none) &&
                set(object, names._stream, none);
    if (address)
        cuc__py.Py_DecRef(address);
    cuc__py.Py_DecRef(capsule);
    if (good)
        return object;
    if (object)
        cuc__py.Py_DecRef(object);
    return NULL;
}

void *cuc__python_import(void *type, cuc_dl_managed_tensor_versioned *managed)
{
    struct taken *taken = calloc(1, sizeof(*taken));

    cuc_status st = taken ? cuc_tensor_from_dlpack(&taken->tensor, managed)
                          : CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a tensor");
    if (st < 0) {
        delete_new(managed);
        free(taken);
        return failed(type);
    }
    taken->of_now = managed;
    return make(type, taken);
}

cuc_dl_managed_tensor_versioned *cuc__python_unwrap(void *capsule)
{
    if (!cuc__py.PyCapsule_IsValid(capsule, new_name)) {
        cuc__py.PyErr_SetString(cuc__py.TypeError,
                                "__dlpack__() gave no capsule of DLPack 1.0 or later");
        return NULL;
    }
    cuc_dl_managed_tensor_versioned *managed = cuc__py.PyCapsule_GetPointer(capsule, new_name);
    return cuc__py.PyCapsule_SetName(capsule, new_used) == 0 ? managed : NULL;
}

static void *from_capsule(void *type, void *capsule)
{
    bool is_new = cuc__py.PyCapsule_IsValid(capsule, new_name);

    if (!is_new && !cuc__py.PyCapsule_IsValid(capsule, old_name)) {
        cuc__py.PyErr_SetString(cuc__py.ValueError,
                                "expected a DLPack capsule that is not consumed yet");
        return NULL;
    }
    struct taken *taken = calloc(1, sizeof(*taken));
    if (!taken) {
        (void)CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for a tensor");
        return failed(type);
    }
    void *managed = cuc__py.PyCapsule_GetPointer(capsule, is_new ? new_name : old_name);
    cuc_status st = is_new ? cuc_tensor_from_dlpack(&taken->tensor, managed)
                           : cuc_tensor_from_dlpack_unversioned(&taken->tensor, managed);
    if (st < 0) {
        free(taken); // the capsule still owns the array
        return failed(type);
    }
    if (cuc__py.PyCapsule_SetName(capsule, is_new ? new_used : old_used) != 0) {
        free(taken);
        return NULL;
    }
    if (is_new)
        taken->of_now = managed;
    else
        taken->of_old = managed;
    return make(type, taken);
}

// Finds a type's exchange API, once. Returns NULL if the type has none, or with an exception set.
static const struct cuc__exchange_api *api_of(void *type)
{
    void *known = cuc__py.PyDict_GetItem(producers, type); // borrowed
    if (known)
        return (const struct cuc__exchange_api *)(intptr_t)cuc__py.PyLong_AsLongLong(known);

    struct cuc__exchange_api *api = NULL;
    // Skip a view's own API: it orders nothing, while the view's __dlpack__() waits for the
    // memory's stream.
    void *capsule = cuc__python_is_tensor(type)
                        ? cuc__py_new(cuc__py.none)
                        : cuc__py.PyObject_GetAttr(type, names.__dlpack_c_exchange_api__);
    if (!capsule)
        cuc__py.PyErr_Clear();
    else if (cuc__py.PyCapsule_IsValid(capsule, CUC__EXCHANGE_API))
        api = cuc__py.PyCapsule_GetPointer(capsule, CUC__EXCHANGE_API);
    if (capsule)
        cuc__py.Py_DecRef(capsule);
    while (api && api->version.major > CUC_DL_VERSION_MAJOR)
        api = api->previous;
    if (api && (api->version.major != CUC_DL_VERSION_MAJOR || !api->give || !api->current_stream))
        api = NULL;
    void *address = cuc__py.PyLong_FromVoidPtr(api);
    if (!address || cuc__py.PyDict_SetItem(producers, type, address) != 0)
        api = NULL;
    if (address)
        cuc__py.Py_DecRef(address);
    return api;
}

// Makes a stream wait for another library's stream. The numbers 0 and 1 are the legacy default
// stream, and 2 is the per-thread one.
static cuc_status wait_for(cuc_stream *stream, void *handle)
{
    intptr_t number = (intptr_t)handle;
    cuc_stream *other = NULL;
    cuc_status st;

    if (number >= 0 && number <= 2) {
        st = cuc_stream_get_default(&other, cuc_stream_device(stream),
                                    number == 2 ? CUC_STREAM_PER_THREAD : CUC_STREAM_LEGACY);
        return st < 0 ? st : cuc_stream_wait_stream(stream, other);
    }
    if ((st = cuc_stream_from_handle(&other, handle, NULL, NULL)) < 0)
        return st;
    st = cuc_stream_wait_stream(stream, other);
    cuc_stream_release(other);
    return st;
}

static void *take(void *type, const struct cuc__exchange_api *api, void *value, cuc_stream *stream)
{
    cuc_dl_managed_tensor_versioned *managed = NULL;
    void *current = NULL;

    if (api->give(value, &managed) != 0)
        return NULL;
    cuc_dl_device device = managed->dl_tensor.device;
    if (!stream || device.device_type == CUC_DL_CPU)
        return cuc__python_import(type, managed);
    if (api->current_stream(device.device_type, device.device_id, &current) != 0) {
        delete_new(managed);
        return NULL;
    }
    cuc_status st = CUC_OK;
    if (current != cuc_stream_handle(stream)) {
        void *state = cuc__py.PyEval_SaveThread();
        st = wait_for(stream, current);
        cuc__py.PyEval_RestoreThread(state);
    }
    if (st < 0) {
        delete_new(managed);
        return failed(type);
    }
    return cuc__python_import(type, managed);
}

static void *from_dlpack(void *type, void *const *arguments, intptr_t count, void *keywords)
{
    static const char *const wanted[] = { "stream", NULL };
    void *stream = cuc__py.none;
    long long queue = 0;

    if (!take_arguments(&stream, wanted, 1, arguments, count, keywords))
        return NULL;
    void *kind = cuc__py.PyObject_Type(arguments[0]);
    if (!kind)
        return NULL;
    const struct cuc__exchange_api *api = api_of(kind);
    cuc__py.Py_DecRef(kind);
    if (api && stream != cuc__py.none && !get_number(&queue, stream, names._stream_h)) {
        cuc__py.PyErr_Clear(); // a stream of another library
        queue = 0;
    }
    if (api && (stream == cuc__py.none || queue))
        return take(type, api, arguments[0], (cuc_stream *)(intptr_t)queue);
    if (cuc__py.PyErr_Occurred())
        return NULL;
    void *rare = cuc__py.PyObject_GetAttr(type, names._import);
    if (!rare)
        return NULL;
    void *made = cuc__py.PyObject_CallFunctionObjArgs(rare, arguments[0], stream, NULL);
    cuc__py.Py_DecRef(rare);
    return made;
}

// ---- views
// ---------------------------------------------------------------------------------------

// Makes a consumer's stream, which belongs to another library, wait for a producer's stream.
static cuc_status order(void *consumer, void *producer)
{
    cuc_stream *stream = NULL;

    cuc_status st = cuc_stream_from_handle(&stream, consumer, NULL, NULL);
    if (st >= 0)
        st = wait_for(stream, producer);
    cuc_stream_release(stream);
    return st;
}

// Calls a producer's __dlpack__(). Producers older than DLPack 1.0 have no max_version.
void *cuc__python_export(void *value, bool on_host)
{
    static void *version, *no_order, *new_on_host, *new_on_device, *old_on_device;

    if (!version)
        version = cuc__py.Py_BuildValue("(ii)", CUC_DL_VERSION_MAJOR, CUC_DL_VERSION_MINOR);
    if (!no_order)
        no_order = cuc__py.PyLong_FromLongLong(-1);
    if (!new_on_host)
        new_on_host = cuc__py.Py_BuildValue("(O)", cuc__python.names.max_version);
    if (!new_on_device)
        new_on_device =
            cuc__py.Py_BuildValue("(OO)", cuc__python.names.max_version, cuc__python.names.stream);
    if (!old_on_device)
        old_on_device = cuc__py.Py_BuildValue("(O)", cuc__python.names.stream);
    if (!version || !no_order || !new_on_host || !new_on_device || !old_on_device)
        return NULL;
    void *given[] = { value, version, no_order };
    void *given_old[] = { value, no_order };
    void *capsule = cuc__py.PyObject_VectorcallMethod(cuc__python.names.__dlpack__, given, 1,
                                                      on_host ? new_on_host : new_on_device);
    if (capsule || !cuc__py.PyErr_ExceptionMatches(cuc__py.TypeError))
        return capsule;
    cuc__py.PyErr_Clear();
    return cuc__py.PyObject_VectorcallMethod(cuc__python.names.__dlpack__, given_old, 1,
                                             on_host ? NULL : old_on_device);
}

// Creates a view with a producer's __dlpack_device__() and __dlpack__().
static void *view_by_protocol(void *type, void *value)
{
    void *const slowly = &cuc__python;
    long long kind;
    void *given[] = { value };
    void *device =
        cuc__py.PyObject_VectorcallMethod(cuc__python.names.__dlpack_device__, given, 1, NULL);
    bool good = device && cuc__py_type(device) == cuc__py.tuple_type &&
                cuc__py.PyTuple_Size(device) == 2 &&
                number_of(&kind, cuc__py.PyTuple_GetItem(device, 0), 0) &&
                (kind == CUC_DL_CPU || kind == CUC_DL_CUDA || kind == CUC_DL_CUDA_HOST ||
                 kind == CUC_DL_CUDA_MANAGED);
    cuc__py_drop(device);
    void *capsule = good ? cuc__python_export(value, kind == CUC_DL_CPU) : NULL;
    void *made = slowly;
    bool is_new = capsule && cuc__py.PyCapsule_IsValid(capsule, new_name);
    if (is_new || (capsule && cuc__py.PyCapsule_IsValid(capsule, old_name))) {
        void *managed = cuc__py.PyCapsule_GetPointer(capsule, is_new ? new_name : old_name);
        cuc_tensor tensor;
        cuc_status st = is_new ? cuc_tensor_from_dlpack(&tensor, managed)
                               : cuc_tensor_from_dlpack_unversioned(&tensor, managed);
        if (st >= 0 && (made = cuc__py.PyType_GenericAlloc(type, 0)) != NULL) {
            struct cuc__tensor_object *view = cuc__python_fields(made);
            view->tensor = tensor;
            view->exporting = cuc__py_new(value);
            if (cuc__py.PyCapsule_SetName(capsule, is_new ? new_used : old_used) == 0) {
                view->managed = is_new ? managed : NULL;
                view->managed_old = is_new ? NULL : managed;
            }
        }
    }
    cuc__py_drop(capsule); // deletes the array unless it was taken
    if (made == slowly)
        cuc__py.PyErr_Clear();
    return made;
}

static void *view(void *type, void *value, void *stream_ptr, bool on_device_alone)
{
    void *const slowly = &cuc__python;
    cuc_dl_managed_tensor_versioned seen = { { CUC_DL_VERSION_MAJOR, 0 },
                                             NULL,
                                             NULL,
                                             0,
                                             { NULL, { 0, 0 }, 0, { 0, 0, 0 }, NULL, NULL, 0 } };
    void *current = NULL;
    long long consumer;
    cuc_tensor tensor;

    const struct cuc__exchange_api *api = api_of(cuc__py_type(value));
    if (!cuc__python_is_tensor(type) || !number_of(&consumer, stream_ptr, 0)) {
        cuc__py.PyErr_Clear();
        return slowly;
    }
    if (!api || !api->borrow)
        return consumer == -1 && !on_device_alone ? view_by_protocol(type, value) : slowly;
    // The API only lends the array, so the view keeps the producer's object alive.
    if (api->borrow(value, &seen.dl_tensor) != 0) {
        cuc__py.PyErr_Clear();
        return slowly;
    }
    cuc_dl_device device = seen.dl_tensor.device;
    if ((on_device_alone && device.device_type != CUC_DL_CUDA) ||
        cuc_tensor_from_dlpack(&tensor, &seen) < 0 || (consumer >= 0 && consumer <= 2) ||
        consumer < -1)
        return slowly; // its message may differ
    if (consumer != -1 && device.device_type != CUC_DL_CPU) {
        if (api->current_stream(device.device_type, device.device_id, &current) != 0)
            return NULL;
        if (current != (void *)(intptr_t)consumer) {
            void *state = cuc__py.PyEval_SaveThread();
            cuc_status st = order((void *)(intptr_t)consumer, current);
            cuc__py.PyEval_RestoreThread(state);
            if (st < 0)
                return failed(type);
        }
    }
    void *made = cuc__py.PyType_GenericAlloc(type, 0);
    if (!made)
        return NULL;
    struct cuc__tensor_object *view = cuc__python_fields(made);
    view->tensor = tensor;
    view->exporting = cuc__py_new(value);
    return made;
}

void *cuc__python_view(void *type, void *value, void *stream_ptr)
{
    return view(type, value, stream_ptr, false);
}

void *cuc__python_view_exchanged(void *type, void *value, void *stream_ptr)
{
    return view(type, value, stream_ptr, true);
}

// ---- the class ----------------------------------------------------------------------------------

#define FUNCTION(f) ((void (*)(void))(f))
enum { KEYWORDS = PY_METH_FASTCALL | PY_METH_KEYWORDS };

static struct {
    cuc__py_method method;
    bool of_class;
} methods[] = {
    { { "__dlpack__", FUNCTION(dlpack), KEYWORDS,
        "Give the array to another library, which keeps the memory as long as it needs it." },
      false },
    { { "__dlpack_device__", FUNCTION(dlpack_device), PY_METH_NOARGS,
        "DLPack's type of the device, and its number." },
      false },
    { { "from_dlpack", FUNCTION(from_dlpack), KEYWORDS,
        "Another library's array, without a copy. Work put on `stream` afterwards may use it; "
        "without a stream nothing is ordered, as with an address." },
      true },
    { { "from_capsule", FUNCTION(from_capsule), PY_METH_O,
        "The array of a DLPack capsule, which is consumed." },
      true },
};

static bool prepare(void)
{
    bool good = true;

#define INTERN(text) \
    good = good && (names.text || (names.text = cuc__py.PyUnicode_InternFromString(#text)));
    NAMES(INTERN)
#undef INTERN
    return good && (producers || (producers = cuc__py.PyDict_New()));
}

cuc_status cuc_python_add_dlpack(void *type)
{
    CUC_CHECK_NOT_NULL(type);
    cuc_status st = cuc__python_prepare(__func__);
    if (st < 0)
        return st;
    bool good = prepare();
    if (good && !cuc__python.may_call &&
        !(cuc__python.may_call = cuc__py.PyObject_GetAttr(type, cuc__python.names._may_call)))
        cuc__py.PyErr_Clear();
    for (size_t i = 0; i < CUC_LENGTH(methods); i++)
        good = good && cuc__py_add_method(type, &methods[i].method, methods[i].of_class);
    if (!good)
        return CUC_FAIL(CUC_ERROR_INTERNAL,
                        "CPython could not add the methods of DLPack to a class");
    return CUC_OK;
}
