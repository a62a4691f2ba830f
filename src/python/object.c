#include "object.h"

#include "base/array.h"
#include "slots.h"

#include "driver/toolkit.h"
#include "memory/buffer.h"
#include "graph/capture_registry.h"
#include "device/deferred.h"
#include "device/stream.h"

#include <stdlib.h>
#include <string.h>

struct cuc__python cuc__python;

struct cuc__closed {
    void *handle;
    struct cuc__closed *next;
};

static void *owner; // the interpreter that owns the names and types of this folder

cuc_status cuc__python_own(const char *function)
{
    cuc_status st = cuc__python_prepare(function);

    if (st < 0)
        return st;
    // Methods read and close fields under the interpreter's lock, which free-threaded interpreters
    // lack.
    if (strstr(cuc__py.Py_GetVersion(), "free-threading"))
        return cuc__fail(
            CUC_ERROR_NOT_SUPPORTED, function,
            "the interpreter is free-threaded: there the Python definitions do everything");
    void *now = cuc__py.PyInterpreterState_Get();
    if (owner && owner != now)
        return cuc__fail(CUC_ERROR_NOT_SUPPORTED, function,
                         "another interpreter of this process owns the library's methods");
    owner = now;
    return CUC_OK;
}

cuc_status cuc__python_prepare(const char *function)
{
    cuc_status st = cuc__py_find(function);
    bool good = true;

    if (st < 0)
        return st;
#define INTERN(text)                          \
    good = good && (cuc__python.names.text || \
                    (cuc__python.names.text = cuc__py.PyUnicode_InternFromString(#text)));
    CUC__PYTHON_NAMES(INTERN)
#undef INTERN
    good = good && (cuc__python.function_name ||
                    (cuc__python.function_name = cuc__py.PyUnicode_InternFromString("__func__")));
    return good ? CUC_OK : cuc__fail(CUC_ERROR_INTERNAL, function, "CPython could not make a text");
}

void *cuc__python_failed(void *self, const char *method)
{
    void *name = cuc__py.PyUnicode_InternFromString(method);
    void *never = name ? cuc__py.PyObject_CallFunctionObjArgs(cuc__python.failed, self, name, NULL)
                       : NULL;

    cuc__py_drop(name);
    cuc__py_drop(never);
    return NULL;
}

// ---- releasing ----------------------------------------------------------------------------------

bool cuc__python_may_release(void)
{
    static _Thread_local bool for_good;
    void *type, *value, *traceback;

    if (for_good || !cuc__python.may_call)
        return true;
    cuc__py.PyErr_Fetch(&type, &value, &traceback); // an exception may be pending
    void *answer = cuc__py.PyObject_CallFunctionObjArgs(cuc__python.may_call, NULL);
    long long number = answer ? cuc__py.PyLong_AsLongLong(answer) : 0;
    if (answer)
        cuc__py.Py_DecRef(answer);
    else
        cuc__py.PyErr_Clear();
    for_good = number == 2;
    cuc__py.PyErr_Restore(type, value, traceback);
    return number > 0;
}

// Kinds of handles in Python objects, each with its release function.
#define RELEASED(X)                     \
    X(CONTEXT, context)                 \
    X(STREAM, stream)                   \
    X(EVENT, event)                     \
    X(MEMORY_RESOURCE, memory_resource) \
    X(BUFFER, buffer)                   \
    X(PROGRAM, program)                 \
    X(LINKER, linker)                   \
    X(OBJECT, object)                   \
    X(KERNEL, kernel)                   \
    X(FOUND, found)                     \
    X(GRAPH, graph)                     \
    X(GRAPH_EXEC, graph_exec)           \
    X(TILE_PROGRAM, tile_program)       \
    X(GEMM_PLAN, gemm_plan)             \
    X(GREEN_CONTEXT, green_context)

static void release(void *handle)
{
    switch (((const cuc__handle *)handle)->kind) {
#define CASE(kind, type)              \
    case CUC__HANDLE_##kind:          \
        cuc_##type##_release(handle); \
        break;
        RELEASED(CASE)
#undef CASE
    default:
        break;
    }
}

// Releases another library's object, which owns a handle in use. Any thread may call it.
void cuc__python_drop_owner(void *object)
{
    if (!cuc__py.Py_IsInitialized())
        return;
    int state = cuc__py.PyGILState_Ensure();
    cuc__py.Py_DecRef(object);
    cuc__py.PyGILState_Release(state);
}

// Returns true for another library's handle whose release makes no driver call. The owner of such a
// handle is released under the interpreter's lock, so the caller keeps the lock.
static bool is_foreign(const void *handle)
{
    const cuc_stream *stream = handle;
    const cuc_buffer *buffer = handle;

    switch (((const cuc__handle *)handle)->kind) {
    case CUC__HANDLE_STREAM:
        return stream->drop_owner == cuc__python_drop_owner &&
               !atomic_load_explicit(&stream->marker, memory_order_relaxed) && !cuc__capturing() &&
               atomic_load_explicit(&stream->context->head.refs, memory_order_relaxed) > 1;
    case CUC__HANDLE_BUFFER:
        return !buffer->resource && !buffer->parent &&
               (!buffer->drop_owner || buffer->drop_owner == cuc__python_drop_owner);
    default:
        return false;
    }
}

void cuc__python_release_last(void *handle)
{
    if (!cuc__python_may_release()) {
        (void)cuc__defer_drop(handle, release); // the handle leaks if this fails
        return;
    }
    if (is_foreign(handle)) {
        release(handle);
        return;
    }
    // Release the lock, because freeing memory may wait for its stream, and the stream for a Python
    // function.
    void *state = cuc__py.PyEval_SaveThread();
    release(handle);
    cuc__py.PyEval_RestoreThread(state);
}

// Releases a handle that belonged to an object.
static void part_with(struct cuc__object *object, void *handle)
{
    if (!handle || !object->users) {
        cuc__python_release(handle);
        return;
    }
    struct cuc__closed *later = malloc(sizeof(*later));
    if (!later) // out of memory: the handle leaks, because a call is using it
        return;
    *later = (struct cuc__closed){ handle, object->closed };
    object->closed = later;
}

void cuc__python_release_closed(struct cuc__object *object)
{
    struct cuc__closed *closed = object->closed;

    object->closed = NULL; // do this first, because a release may let other threads run
    while (closed) {
        struct cuc__closed *next = closed->next;
        cuc__python_release(closed->handle);
        free(closed);
        closed = next;
    }
}

void cuc__python_close(struct cuc__object *object)
{
    void *handle = object->handle, *reference = object->reference;

    object->handle = object->reference = NULL;
    part_with(object, handle);
    cuc__py_drop(reference);
}

// ---- the base types -----------------------------------------------------------------------------

void *cuc__python_wrap_handle(void *type, void *handle)
{
    void *made = cuc__py.PyType_GenericAlloc(type, 0);

    if (!made) {
        cuc__python_release(handle);
        return NULL;
    }
    ((struct cuc__object *)cuc__python_fields(made))->handle = handle;
    return made;
}

static void *get_number(void *self, void *closure)
{
    struct cuc__object *object = cuc__python_fields(self);

    (void)closure;
    if (!object->handle)
        return cuc__py.PyLong_FromLongLong(0);
    if (!object->reference) {
        void *handle = cuc__handle_retain(object->handle);
        void *type = cuc__py.PyObject_GetAttr(self, cuc__python.names._reference);
        void *number = cuc__py.PyLong_FromVoidPtr(handle);
        void *made = type && number ? cuc__py.PyObject_CallFunctionObjArgs(type, number, NULL)
                                    : NULL;
        cuc__py_drop(type);
        cuc__py_drop(number);
        if (!made) {
            cuc__python_release(handle);
            return NULL;
        }
        if (object->handle != handle || object->reference) // another thread has changed it
            return made;
        object->reference = made;
    }
    return cuc__py_new(object->reference);
}

static int set_number(void *self, void *value, void *closure)
{
    struct cuc__object *object = cuc__python_fields(self);

    (void)closure;
    if (!value) {
        cuc__py.PyErr_SetString(cuc__py.TypeError, "a handle is not deleted: close the object");
        return -1;
    }
    void *handle = cuc__py.PyLong_AsVoidPtr(value);
    if (!handle && cuc__py.PyErr_Occurred())
        return -1;
    void *old = object->handle, *reference = object->reference;
    object->handle = cuc__handle_retain(handle);
    object->reference = handle ? cuc__py_new(value) : NULL;
    part_with(object, old);
    cuc__py_drop(reference);
    return 0;
}

// ---- destruction --------------------------------------------------------------------------------

static void free_object(void *self)
{
    void *type = cuc__py_type(self);
    void (*let_go)(void *);
    void *slot = cuc__py.PyType_GetSlot(type, PY_TP_FREE);

    if (((struct cuc__object *)cuc__python_fields(self))->weak)
        cuc__py.PyObject_ClearWeakRefs(self);
    memcpy(&let_go, &slot, sizeof(let_go));
    let_go(self);
    cuc__py.Py_DecRef(type); // an object holds a reference to its type
}

static void end_handle(void *self)
{
    cuc__python_close(cuc__python_fields(self));
    free_object(self);
}

// Returns the `count` fields after the handle that hold Python objects. A type with such fields is
// garbage-collected.
static inline void **fields_of(void *self)
{
    return (void **)((struct cuc__object *)cuc__python_fields(self) + 1);
}

static inline int visit_fields(void *self, size_t count, cuc__py_visit visit, void *argument)
{
    void **fields = fields_of(self);

    for (size_t i = 0; i < count; i++) {
        int stop = fields[i] ? visit(fields[i], argument) : 0;
        if (stop)
            return stop;
    }
    return visit(cuc__py_type(self), argument);
}

static inline int clear_fields(void *self, size_t count)
{
    void **fields = fields_of(self);

    for (size_t i = 0; i < count; i++) {
        void *field = fields[i];
        fields[i] = NULL;
        cuc__py_drop(field);
    }
    return 0;
}

static void end_fields(void *self, size_t count, bool owns, void (*before)(void *self))
{
    struct cuc__object *object = cuc__python_fields(self);

    cuc__py.PyObject_GC_UnTrack(self);
    if (owns)
        cuc__python_close(object);
    if (before)
        before(self);
    clear_fields(self, count);
    free_object(self);
}

static void drop_managed(void *self)
{
    cuc__python_drop_managed(cuc__python_fields(self));
}

// The base types: X(name, struct of fields, count, owns, drop, fields...). `count` is the number of
// fields that hold Python objects. `owns` is true if the object owns its handle. `drop` is called
// before the fields are dropped. The rest are the fields readable from Python. A field whose name
// begins with an underscore reads as None until it is set.
#define FIELD_TYPES(X)                                                                            \
    X(Stream, cuc__stream_object, 2, true, NULL, "_cell")                                         \
    X(Event, cuc__event_object, 1, true, NULL, "_named")                                          \
    X(Buffer, cuc__buffer_object, 3, true, NULL, "_resource", "_pool", "_named")                  \
    X(MemoryResource, cuc__resource_object, 1, true, NULL, "_ipc")                                \
    X(Device, cuc__device_object, 2, false, NULL, "_resource", "_found")                          \
    X(Tensor, cuc__tensor_object, 6, false, drop_managed, "_memory", "_buffer", "_stream",        \
      "exporting_obj")                                                                            \
    X(LaunchConfig, cuc__config_object, 7, false, NULL, "grid", "cluster", "block", "shmem_size", \
      "is_cooperative", "programmatic_stream_serialization", "_kept")

#define FUNCTIONS(name, type, count, owns, before, ...)                                          \
    _Static_assert(sizeof(struct type) >= sizeof(struct cuc__object) + (count) * sizeof(void *), \
                   "the objects follow the handle");                                             \
    static int visit_##name(void *self, cuc__py_visit visit, void *argument)                     \
    {                                                                                            \
        return visit_fields(self, count, visit, argument);                                       \
    }                                                                                            \
    static int clear_##name(void *self)                                                          \
    {                                                                                            \
        return clear_fields(self, count);                                                        \
    }                                                                                            \
    static void end_##name(void *self)                                                           \
    {                                                                                            \
        end_fields(self, count, owns, before);                                                   \
    }
FIELD_TYPES(FUNCTIONS)
#undef FUNCTIONS

// ---- specifications of types --------------------------------------------------------------------

static const struct base {
    const char *name, *full_name;
    size_t bytes;
    void (*end)(void *self);
    int (*visit)(void *self, cuc__py_visit visit, void *argument);
    int (*clear)(void *self);
    const char *fields[8]; // NULL marks the end
} bases[] = { { "Handle",
                "cucore.native.Handle",
                sizeof(struct cuc__object),
                end_handle,
                NULL,
                NULL,
                { NULL } },
#define BASE(name, type, count, owns, before, ...)                            \
    { #name,        "cucore.native." #name, sizeof(struct type),  end_##name, \
      visit_##name, clear_##name,           { __VA_ARGS__, NULL } },
              FIELD_TYPES(BASE)
#undef BASE
};

static void *as_slot(void (*function)(void))
{
    void *slot;

    memcpy(&slot, &function, sizeof(slot));
    return slot;
}
#define SLOT(function) as_slot((void (*)(void))(function))

static void *get_address(void *self, void *closure)
{
    (void)closure;
    return cuc__py.PyLong_FromVoidPtr(
        &((struct cuc__tensor_object *)cuc__python_fields(self))->tensor);
}

// Copies the tensor.
static int set_address(void *self, void *value, void *closure)
{
    struct cuc__tensor_object *object = cuc__python_fields(self);
    const void *from = value ? cuc__py.PyLong_AsVoidPtr(value) : NULL;

    (void)closure;
    if (from) {
        memcpy(&object->tensor, from, sizeof(cuc_tensor));
        for (size_t i = 0; i < CUC_LENGTH(object->extents); i++)
            cuc__python_keep(&object->extents[i], NULL);
    } else if (!cuc__py.PyErr_Occurred())
        cuc__py.PyErr_SetString(cuc__py.ValueError, "expected the address of a cuc_tensor");
    return from ? 0 : -1;
}

static void *get_config(void *self, void *closure)
{
    (void)closure;
    return cuc__py.PyLong_FromVoidPtr(
        &((struct cuc__config_object *)cuc__python_fields(self))->config);
}

// Copies a config into the object's own, whose address never changes, because prepared launches
// hold it.
static int set_config(void *self, void *value, void *closure)
{
    const void *from = value ? cuc__py.PyLong_AsVoidPtr(value) : NULL;

    (void)closure;
    if (from)
        memcpy(&((struct cuc__config_object *)cuc__python_fields(self))->config, from,
               sizeof(cuc_launch_config));
    else if (!cuc__py.PyErr_Occurred())
        cuc__py.PyErr_SetString(cuc__py.ValueError, "expected the address of a cuc_launch_config");
    return from ? 0 : -1;
}

static void *tensor_type;

bool cuc__python_is_tensor(void *type)
{
    return tensor_type && cuc__py.PyType_IsSubtype(type, tensor_type);
}

static void *make_base(const struct base *base, void *root)
{
    static cuc__py_getset tensor_getsets[] = {
        { "_address", get_address, set_address, "Of its cuc_tensor, which is set by a copy.",
          NULL },
        { NULL, NULL, NULL, NULL, NULL },
    };
    static cuc__py_getset getsets[] = {
        // The type keeps a pointer to these descriptors.
        { "_h", get_number, set_number, "The handle as a number that keeps it; 0: closed.", NULL },
        { NULL, NULL, NULL, NULL, NULL },
    };
    static cuc__py_getset config_getsets[] = {
        { "_address", get_config, set_config, "Of its cuc_launch_config, which is set by a copy.",
          NULL },
        { NULL, NULL, NULL, NULL, NULL },
    };
    cuc__py_member members[9]; // the type copies these
    cuc__py_slot slots[8 + CUC__PYTHON_MAX_SLOTS];
    size_t used = cuc__python_slots_of(slots, base->name), at = 0;

    for (; base->fields[at]; at++)
        members[at] = (cuc__py_member){
            base->fields[at], *base->fields[at] == '_' ? PY_T_OBJECT : PY_T_OBJECT_EX,
            (intptr_t)(cuc__py.head_bytes + sizeof(struct cuc__object) + at * sizeof(void *)), 0,
            NULL
        };
    if (!root)
        members[at++] =
            (cuc__py_member){ "__weaklistoffset__", PY_T_SSIZE,
                              (intptr_t)(cuc__py.head_bytes + offsetof(struct cuc__object, weak)),
                              PY_READ_ONLY, NULL };
    members[at] = (cuc__py_member){ NULL, 0, 0, 0, NULL };
    slots[used++] = (cuc__py_slot){ PY_TP_DEALLOC, SLOT(base->end) };
    slots[used++] = (cuc__py_slot){ PY_TP_MEMBERS, members };
    if (root)
        slots[used++] = (cuc__py_slot){ PY_TP_BASE, root };
    else
        slots[used++] = (cuc__py_slot){ PY_TP_GETSET, getsets };
    bool is_tensor = strcmp(base->name, "Tensor") == 0;
    if (is_tensor)
        slots[used++] = (cuc__py_slot){ PY_TP_GETSET, tensor_getsets };
    if (strcmp(base->name, "LaunchConfig") == 0)
        slots[used++] = (cuc__py_slot){ PY_TP_GETSET, config_getsets };
    if (base->visit) {
        slots[used++] = (cuc__py_slot){ PY_TP_TRAVERSE, SLOT(base->visit) };
        slots[used++] = (cuc__py_slot){ PY_TP_CLEAR, SLOT(base->clear) };
    }
    slots[used] = (cuc__py_slot){ 0, NULL };
    cuc__py_spec spec = { base->full_name, (int)(cuc__py.head_bytes + base->bytes), 0,
                          PY_FLAG_BASE | PY_FLAG_VERSION | (base->visit ? PY_FLAG_GC : 0), slots };
    void *made = cuc__py.PyType_FromSpec(&spec);
    if (made && is_tensor)
        tensor_type = cuc__py_new(made);
    return made;
}

cuc_status cuc_python_get_base(void **out, const char *name)
{
    static void *root; // the base class of all others

    CUC_CHECK_NOT_NULL(out);
    CUC_CHECK_NOT_NULL(name);
    cuc_status st = cuc__python_own(__func__);
    if (st < 0)
        return st;
    for (size_t i = 0; i < CUC_LENGTH(bases); i++) {
        if (strcmp(bases[i].name, name) != 0)
            continue;
        void *made = make_base(&bases[i], i ? root : NULL);
        if (!made)
            return CUC_FAIL(CUC_ERROR_INTERNAL, "CPython could not make the type %s", name);
        if (i == 0)
            root = cuc__py_new(made);
        *out = made;
        return CUC_OK;
    }
    return CUC_FAIL(CUC_ERROR_NOT_FOUND, "there is no base type %s", name);
}
