// The package's objects as C sees them: a handle in each, and methods that the interpreter calls
// without ctypes.
//
// Every fast method has a definition in Python, which says what it means. The C one takes its place
// in the class and does the common case: open objects of the package's own classes. Everything
// else, from a wrong argument to another library's stream, it hands to the Python definition.
//
// All of this belongs to the first interpreter of a process that imports the package; in others,
// and in a free-threaded one, the Python definitions stay. Whoever changes it holds that
// interpreter's lock.
#ifndef CUCORE_PYTHON_OBJECT_H
#define CUCORE_PYTHON_OBJECT_H

#include <cucore/cucore.h>

#include "driver/cpython.h"
#include "base/handle.h"

// Classes whose objects C tells apart: X(kind, name in Python). Those of options and configs have
// no handle.
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

// Names that C looks for: of attributes and of arguments.
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
    void *classes[CUC__PYTHON_CLASS_COUNT]; // NULL until its methods were added
    void *failed;                           // raises the thread's last failure
    void *may_call;                         // whether CUDA may be called on this thread
    void *held, *prune;                     // host memory that copies use, and what looks after it
    void *left, *release_left;              // what waits for a call that makes something
    struct {
#define FIELD(name) void *name;
        CUC__PYTHON_NAMES(FIELD)
#undef FIELD
    } names;
    void *function_name; // "__func__"
} cuc__python;

// Objects, behind the interpreter's own part. Fields that are Python objects may be NULL.
struct cuc__object {
    void *handle;    // one reference of the library; NULL: closed
    void *reference; // the number that is `_h`, once asked for: it has a reference of its own
    void *weak;      // the interpreter's list of weak references
};

struct cuc__stream_object {
    struct cuc__object base;
    void *cell; // of ctypes, with the handle until it is closed, for prepared launches
    void *said; // what the stream protocol gives
    // What never changes, once asked for.
    int32_t priority;
    bool has_priority, has_flags, is_nonblocking;
};

struct cuc__event_object {
    struct cuc__object base;
    void *named; // its descriptor, of one that has come from another process
};

struct cuc__buffer_object {
    struct cuc__object base;
    void *resource; // that it was allocated by
    void *pool;     // that it is of, where that is for, or of, other processes
    void *named;    // its descriptor for other processes
};

struct cuc__resource_object {
    struct cuc__object base;
    void *ipc; // of a pool for, or of, other processes
};

struct cuc__device_object {
    struct cuc__object base; // the handle is the library's, and never released
    void *given;             // the memory resource that a program has set
    void *found;             // the object that was last made for the library's one
};

// An array over memory that it keeps: a Tensor, or a view of one.
struct cuc__tensor_object {
    struct cuc__object base; // without a handle
    void *memory;            // what keeps the memory
    void *buffer;            // or a buffer that does
    void *stream;            // that the memory is used on
    void *exporting;         // the object that it is a view of
    void *extents[2];        // of a view: its shape and strides, once asked for
    cuc_tensor tensor;
    cuc_dl_managed_tensor_versioned *managed; // that it came as
    cuc_dl_managed_tensor *managed_old;
};

// The shape of a launch: the config is what launches read, the fields are what Python gave.
struct cuc__config_object {
    struct cuc__object base; // without a handle
    void *fields[6];         // grid, cluster, block, shmem_size and the flags
    void *kept;              // a struct of ctypes that the config was copied from
    cuc_launch_config config;
};

// An object of a class over that layout, or NULL.
bool cuc__python_is_tensor(void *type);

// Let go of what a tensor came as, also with an exception on its way. python_dlpack.c.
void cuc__python_drop_managed(struct cuc__tensor_object *tensor);

// A view of an array by the producer's exchange API: the Python definition has to look at others.
void *cuc__python_view(void *type, void *value, void *stream_ptr);

// The same by that API alone, of an array on a device.
void *cuc__python_view_exchanged(void *type, void *value, void *stream_ptr);

static inline void *cuc__python_fields(void *object)
{
    return (char *)object + cuc__py.head_bytes;
}

// The fields of an object of a class or of a subclass; NULL for others.
static inline void *cuc__python_fields_of(void *object, enum cuc__python_class which)
{
    void *type = cuc__py_type(object), *wanted = cuc__python.classes[which];

    if (type != wanted && (!wanted || !cuc__py.PyType_IsSubtype(type, wanted)))
        return NULL;
    return cuc__python_fields(object);
}

// Put an object in the place of another, whose reference goes.
static inline void cuc__python_keep(void **where, void *object)
{
    void *old = *where;

    *where = object;
    cuc__py_drop(old);
}

// Find CPython and the names, once.
cuc_status cuc__python_prepare(const char *function);

// The same, where base types and methods may be made: not for a second interpreter, nor for one
// whose threads run at once.
cuc_status cuc__python_own(const char *function);

// An object of a class for a handle, whose reference it takes; NULL, with the reference released.
void *cuc__python_make(void *type, void *handle);

// Give a reference back, without the interpreter's lock where that may take time.
void cuc__python_release(void *handle);

// Lets a Python object go, on any thread: the owner of another library's handle.
void cuc__python_drop_owner(void *object);

// Close an object: what uses its handle on other threads has references of its own.
void cuc__python_close(struct cuc__object *object);

// Whether the thread is none of the driver's, where the collector may run and nothing of CUDA's may
// be called.
bool cuc__python_may_release(void);

// Raise the thread's last failure, of a method of an object; NULL.
void *cuc__python_failed(void *self, const char *method);

#endif
