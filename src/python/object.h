// The package's Python objects with their handles, and methods that the interpreter calls without
// ctypes.
//
// Every fast method has a definition in Python that specifies its behavior. The C method replaces
// it in the class and handles the common case: open objects of the package's own classes.
// Everything else, from a wrong argument to another library's stream, is passed to the Python
// definition.
//
// Only the first interpreter of a process that imports the package uses these methods; other
// interpreters, and free-threaded ones, keep the Python definitions. Writers hold the interpreter's
// lock.
#ifndef CUCORE_PYTHON_OBJECT_H
#define CUCORE_PYTHON_OBJECT_H

#include <cucore/cucore.h>

#include "driver/cpython.h"
#include "base/handle.h"

// Classes that C distinguishes: X(kind, name in Python). The classes of options and configs have no
// handle.
#define CUC__PYTHON_CLASSES(X)         \
    X(STREAM, "Stream")                \
    X(EVENT, "Event")                  \
    X(BUFFER, "Buffer")                \
    X(RESOURCE, "MemoryResource")      \
    X(DEVICE, "Device")                \
    X(CONTEXT, "Context")              \
    X(KERNEL, "Kernel")                \
    X(GRAPH_EXEC, "GraphExec")         \
    X(STREAM_OPTIONS, "StreamOptions") \
    X(EVENT_OPTIONS, "EventOptions")   \
    X(LAUNCH_CONFIG, "LaunchConfig")

enum cuc__python_class {
#define ROW(kind, name) CUC__PYTHON_##kind,
    CUC__PYTHON_CLASSES(ROW)
#undef ROW
        CUC__PYTHON_CLASS_COUNT
};

// Names of attributes and arguments that C looks up.
#define CUC__PYTHON_NAMES(X)    \
    X(_failed)                  \
    X(_held)                    \
    X(_left)                    \
    X(_release_left)            \
    X(_prune)                   \
    X(_may_call)                \
    X(_dtype_number)            \
    X(_numpy_dtype)             \
    X(_typestrs)                \
    X(_reference)               \
    X(__array_interface__)      \
    X(__cuda_array_interface__) \
    X(__dlpack__)               \
    X(__dlpack_device__)        \
    X(allocate)                 \
    X(buffer)                   \
    X(copy)                     \
    X(copy_to)                  \
    X(data)                     \
    X(dl_device)                \
    X(dst)                      \
    X(dtype)                    \
    X(earlier)                  \
    X(other)                    \
    X(event)                    \
    X(event_or_stream)          \
    X(fget)                     \
    X(fset)                     \
    X(is_readonly)              \
    X(itemsize)                 \
    X(layout)                   \
    X(mask)                     \
    X(max_version)              \
    X(memory_resource)          \
    X(options)                  \
    X(shape)                    \
    X(size)                     \
    X(src)                      \
    X(stream_ptr)               \
    X(obj)                      \
    X(stream)                   \
    X(strides)                  \
    X(typestr)                  \
    X(__cuda_stream__)          \
    X(blocking_sync)            \
    X(ctx)                      \
    X(ipc_enabled)              \
    X(mr)                       \
    X(nonblocking)              \
    X(owner)                    \
    X(priority)                 \
    X(ptr)                      \
    X(timing_enabled)           \
    X(value)                    \
    X(grid)                     \
    X(cluster)                  \
    X(block)                    \
    X(shmem_size)               \
    X(is_cooperative)           \
    X(programmatic_stream_serialization)

extern struct cuc__python {
    void *classes[CUC__PYTHON_CLASS_COUNT]; // each is NULL until the methods of the class are added
    void *failed;                           // function that raises the thread's last failure
    void *may_call;                         // function: true if this thread may call CUDA
    void *held, *prune;                     // host memory of copies, and the function that frees it
    void *left, *release_left;              // releases deferred until the next constructor, and the
                                            // function that makes them
    struct {
#define FIELD(name) void *name;
        CUC__PYTHON_NAMES(FIELD)
#undef FIELD
    } names;
    void *function_name; // "__func__"
    void *dtypes[32];    // NumPy's dtypes by number, once requested
} cuc__python;

// The fields of objects, after the interpreter's own part. Fields that are Python objects may be
// NULL.
struct cuc__object {
    void *handle;    // one reference of the library; NULL: closed
    void *reference; // the int `_h`, once requested; it has a reference of its own
    void *weak;      // the interpreter's list of weak references
    // The number of calls in progress that use the handle without the interpreter's lock; and
    // handles that were closed in the meantime, which the last of these calls releases. The number
    // is written with the lock held, unlike a handle's reference count, which takes an atomic
    // operation.
    size_t users;
    struct cuc__closed *closed;
};

struct cuc__stream_object {
    struct cuc__object base;
    void *cell; // for prepared launches: a ctypes cell that has the handle until the handle is
                // closed
    void *said; // the result of __cuda_stream__()
    // Constants, once queried.
    int32_t priority;
    bool has_priority, has_flags, is_nonblocking;
};

struct cuc__event_object {
    struct cuc__object base;
    void *named; // the IPC descriptor of an imported event
};

struct cuc__buffer_object {
    struct cuc__object base;
    void *resource; // the resource that allocated it
    void *pool;     // its pool, if shared with other processes
    void *named;    // its IPC descriptor
};

struct cuc__resource_object {
    struct cuc__object base;
    void *ipc; // the IPC state of a shared pool
};

struct cuc__device_object {
    struct cuc__object base; // its handle belongs to the library and is never released
    void *given;             // the memory resource that the program set
    void *found;             // the object last made for the library's resource
};

// An array that keeps its memory alive: a Tensor, or a view of an array.
struct cuc__tensor_object {
    struct cuc__object base; // without a handle
    void *memory;            // keeps the memory
    void *buffer;            // or else the buffer that keeps the memory alive
    void *stream;            // the stream that uses the memory
    void *exporting;         // the viewed object
    void *extents[2];        // a view's shape and strides, once requested
    cuc_tensor tensor;
    cuc_dl_managed_tensor_versioned *managed; // the DLPack tensor that was imported
    cuc_dl_managed_tensor *managed_old;
};

// The shape of a launch. Launches read the config; the fields are the values given in Python.
struct cuc__config_object {
    struct cuc__object base; // without a handle
    void *fields[6];         // grid, cluster, block, shmem_size and the flags
    void *kept;              // the ctypes struct that the config was copied from
    cuc_launch_config config;
};

// True if objects of the class have the fields of a tensor.
bool cuc__python_is_tensor(void *type);

// Releases a tensor's DLPack source, even with a pending exception. dlpack.c.
void cuc__python_drop_managed(struct cuc__tensor_object *tensor);

// Makes a view of an array with the producer's exchange API. Other producers need the Python
// definition.
void *cuc__python_view(void *type, void *value, void *stream_ptr);

// Makes a view only with that API, and only of an array on a device.
void *cuc__python_view_exchanged(void *type, void *value, void *stream_ptr);

static inline void *cuc__python_fields(void *object)
{
    return (char *)object + cuc__py.head_bytes;
}

// Returns the fields of an object of a class or a subclass; NULL for other objects.
static inline void *cuc__python_fields_of(void *object, enum cuc__python_class which)
{
    void *type = cuc__py_type(object), *wanted = cuc__python.classes[which];

    if (type != wanted && (!wanted || !cuc__py.PyType_IsSubtype(type, wanted)))
        return NULL;
    return cuc__python_fields(object);
}

// Stores an object and releases the previous one.
static inline void cuc__python_keep(void **where, void *object)
{
    void *old = *where;

    *where = object;
    cuc__py_drop(old);
}

// Finds CPython's functions and creates the names, once.
cuc_status cuc__python_prepare(const char *function);

// Calls cuc__python_prepare(), and checks that base types and methods may be created; fails in a
// second interpreter and in a free-threaded one.
cuc_status cuc__python_own(const char *function);

// Makes an object of a class for a handle, and takes over the caller's reference. On failure
// returns NULL and releases the reference.
void *cuc__python_wrap_handle(void *type, void *handle);

// Releases the last reference. If that may take time, the interpreter's lock is released meanwhile.
void cuc__python_release_last(void *handle);

// Releases a reference; NULL does nothing.
static inline void cuc__python_release(void *handle)
{
    if (handle && !cuc__handle_drop_shared(handle))
        cuc__python_release_last(handle);
}

// Ends the use of an object whose handle was closed in the meantime.
void cuc__python_release_closed(struct cuc__object *object);

// Begins to use the handle of an object without the interpreter's lock. The caller keeps the object
// alive.
static inline void cuc__python_use(struct cuc__object *object)
{
    object->users++;
}

static inline void cuc__python_leave(struct cuc__object *object)
{
    if (!--object->users && __builtin_expect(object->closed != NULL, 0))
        cuc__python_release_closed(object);
}

// Releases a Python object that owns another library's handle. May be called on any thread.
void cuc__python_drop_owner(void *object);

// Closes an object. Its handle stays until other threads have finished their calls with it.
void cuc__python_close(struct cuc__object *object);

// False on the driver's threads, where the garbage collector may run but CUDA must not be called.
bool cuc__python_may_release(void);

// Raises the thread's last failure in a method of an object. Returns NULL.
void *cuc__python_failed(void *self, const char *method);

#endif
