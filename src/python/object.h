// The package's Python objects with their handles, and native methods, which the interpreter calls
// without ctypes.
//
// Every fast method has a definition in Python that specifies its behavior. The C method replaces
// it in the class and handles the common case: open objects of the package's own classes.
// Everything else, from a wrong argument to another library's stream, goes to the Python
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

// The classes that C distinguishes: X(kind, name in Python). Options and configs have no handle.
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
    void *classes[CUC__PYTHON_CLASS_COUNT]; // each is NULL until the class has its native methods
    void *failed;                           // raises the thread's last failure
    void *may_call;                         // returns whether this thread may call CUDA
    void *held, *prune;                     // the host memory that copies use, and the function
                                            // that frees it
    void *left, *release_left;              // the releases that wait for the next constructor, and
                                            // the function that runs them
    struct {
#define FIELD(name) void *name;
        CUC__PYTHON_NAMES(FIELD)
#undef FIELD
    } names;
    void *function_name; // "__func__"
    void *dtypes[32];    // NumPy's dtypes by number; NULL before the first request
} cuc__python;

// An object's fields, after the interpreter's own part. A field that holds a Python object may be
// NULL.
struct cuc__object {
    void *handle;    // owns one reference of the library; NULL if closed
    void *reference; // the int `_h`, once requested; it owns a reference of its own
    void *weak;      // the interpreter's list of weak references
    // `users` counts the calls in progress that use the handle without the interpreter's lock.
    // `closed` lists the handles that were closed meanwhile; the last of these calls releases them.
    // Writers of `users` hold the lock, so it needs no atomic operation, unlike a handle's
    // reference count.
    size_t users;
    struct cuc__closed *closed;
};

struct cuc__stream_object {
    struct cuc__object base;
    void *cell; // for prepared launches: a ctypes cell that contains the handle until the handle is
                // closed
    void *said; // the result of __cuda_stream__()
    // Constants, once queried.
    int32_t priority;
    bool has_priority, has_flags, is_nonblocking;
};

struct cuc__event_object {
    struct cuc__object base;
    void *named; // an imported event's IPC descriptor
};

struct cuc__buffer_object {
    struct cuc__object base;
    void *resource; // the resource that allocated it
    void *pool;     // its pool, if other processes share it
    void *named;    // its IPC descriptor
};

struct cuc__resource_object {
    struct cuc__object base;
    void *ipc; // a shared pool's IPC state
};

struct cuc__device_object {
    struct cuc__object base; // the library owns its handle, which is never released
    void *given;             // the memory resource that the program set
    void *found;             // the object last created for the library's resource
};

// An array that keeps its memory alive: a Tensor, or a view of an array.
struct cuc__tensor_object {
    struct cuc__object base; // without a handle
    void *memory;            // keeps the memory
    void *buffer;            // the buffer that keeps the memory alive, if `memory` does not
    void *stream;            // the stream that uses the memory
    void *exporting;         // the viewed object
    void *extents[2];        // a view's shape and strides, once requested
    cuc_tensor tensor;
    cuc_dl_managed_tensor_versioned *managed; // the imported DLPack tensor
    cuc_dl_managed_tensor *managed_old;
};

// The configuration of a launch. Launches read `config`; `fields` holds the values given in Python.
struct cuc__config_object {
    struct cuc__object base; // without a handle
    void *fields[6];         // grid, cluster, block, shmem_size and the flags
    void *kept;              // the ctypes struct from which the config was copied
    cuc_launch_config config;
};

// Returns true if objects of the class have a tensor's fields.
bool cuc__python_is_tensor(void *type);

// Releases a tensor's DLPack source, even if an exception is pending. Defined in dlpack.c.
void cuc__python_drop_managed(struct cuc__tensor_object *tensor);

// Creates a view of an array with the producer's exchange API. A producer without one needs the
// Python definition.
void *cuc__python_view(void *type, void *value, void *stream_ptr);

// Does the same, but only for an array on a device.
void *cuc__python_view_exchanged(void *type, void *value, void *stream_ptr);

static inline void *cuc__python_fields(void *object)
{
    return (char *)object + cuc__py.head_bytes;
}

// Returns the fields of an object of a class or of its subclass. Returns NULL for any other object.
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

// Calls cuc__python_prepare() and checks that base types and native methods may be created. Fails
// in a second interpreter and in a free-threaded one.
cuc_status cuc__python_own(const char *function);

// Creates an object of a class for a handle, and takes over the caller's reference. On failure,
// returns NULL and releases the reference.
void *cuc__python_wrap_handle(void *type, void *handle);

// Releases the last reference. If that may take time, releases the interpreter's lock meanwhile.
void cuc__python_release_last(void *handle);

// Releases a reference. NULL does nothing.
static inline void cuc__python_release(void *handle)
{
    if (handle && !cuc__handle_drop_shared(handle))
        cuc__python_release_last(handle);
}

// Releases the handles that were closed while calls used them.
void cuc__python_release_closed(struct cuc__object *object);

// Begins a use of an object's handle without the interpreter's lock. The caller keeps the object
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

// Releases a Python object that owns another library's handle. Any thread may call it.
void cuc__python_drop_owner(void *object);

// Closes an object. Its handle stays until other threads have finished their calls with it.
void cuc__python_close(struct cuc__object *object);

// Returns false on the driver's threads, where the garbage collector may run but no code may call
// CUDA.
bool cuc__python_may_release(void);

// Raises the thread's last failure in a method of an object. Returns NULL.
void *cuc__python_failed(void *self, const char *method);

#endif
