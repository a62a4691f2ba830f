/**
 * @file
 * CPython as the host of the process: launches and arrays without the price of ctypes.
 *
 * A package that calls cucore by ctypes or cffi pays for every call, and the protocol of DLPack
 * takes several. What is here is called by the interpreter itself: it makes methods, of CPython's
 * stable interface, which is found in the process that has it. cucore neither is linked with
 * CPython nor needs it.
 */
#ifndef CUCORE_PYTHON_H
#define CUCORE_PYTHON_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * Give a Python class of arrays the DLPack protocol: `__dlpack__`, `__dlpack_device__`, and the
 * class methods `from_dlpack(value, *, stream=None)` and `from_capsule(capsule)`.
 *
 * An object of the class has these attributes, which are read and, by the class methods, set:
 *
 *   - `_address` (int): a cuc_tensor, which the object keeps;
 *   - `_memory`: what keeps that, and what the tensor's memory is of;
 *   - `_buffer`: None, or an object whose `_h` (int) is a cuc_buffer that has the memory;
 *   - `_stream`: None, or an object whose `_h` (int) is the cuc_stream that the memory is used on.
 *
 * What is rare is left to Python, to methods that the class has:
 *
 *   - `_export(stream, max_version, dl_device, copy)`: where the consumer's stream has to wait, or
 *     the memory is of no buffer, or a copy or another device is asked for;
 *   - `_import(value, stream)`, of the class: where the producer has no
 * `__dlpack_c_exchange_api__`, or the stream is no object with `_stream_h` (int);
 *   - `_failed()`, of the class: raises the calling thread's last failure;
 *   - `_may_call()`, of the class that has it first: 0 on a thread of the driver's, which calls a
 *     function of Python's and where the collector may run, 2 on one that never is, or else 1.
 *     Memory that goes where it is 0 is released by the next call that makes a buffer, waits for a
 *     stream or has to do with a graph.
 *
 * A producer's `__dlpack_c_exchange_api__` is looked for once a type. With a stream, that is made
 * to wait for the producer's current one.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param type a class, a PyTypeObject
 * @retval CUC_OK                     it has them
 * @retval CUC_ERROR_INVALID_ARGUMENT type is NULL
 * @retval CUC_ERROR_NOT_FOUND        the process has no CPython, or lacks a function of it
 * @retval CUC_ERROR_INTERNAL         CPython refused, and has the exception
 * @source Python/C API, "Stable Application Binary Interface"; DLPack, "Python Specification"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_add_dlpack(void *type);

/**
 * Make the type that a class of the package derives from, with the fields that C reads.
 *
 * "Handle" has the handle, which is its `_h`; "Buffer", "Event", "MemoryResource", "Device" and
 * "Stream" derive from it and have further fields. A "LaunchConfig" has a cuc_launch_config, and a
 * "Tensor" a cuc_tensor, whose address is its `_address` (int); assigning to that copies another.
 * The first interpreter of a process that asks has them all.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param[out] out  the type, a PyTypeObject, to be released by Py_DecRef()
 * @param      name "Handle" first, then the others
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_FOUND        the process has no CPython, or lacks a function of it; or there
 *                                    is no type of that name
 * @retval CUC_ERROR_NOT_SUPPORTED    another interpreter of the process has them
 * @retval CUC_ERROR_INTERNAL         CPython refused, and has the exception
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_get_base(void **out, const char *name);

/**
 * Replace methods and properties of a class of the package by those that the library has for it.
 *
 * Each stands in for a definition in Python, which it calls wherever the object is closed or an
 * argument is not of the usual kind. Hashes, comparisons and the like are slots of the base type:
 * there the definition is taken out of the class, which then inherits the slot. "Handle" comes first, and has the attributes `_failed`,
 * `_may_call`, `_held` and `_prune`, by which C reaches Python.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param type a class, a PyTypeObject, derived from the type of cuc_python_get_base()
 * @param name by which the library knows it; one without methods has none
 * @retval CUC_OK it has them; else as for cuc_python_get_base()
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_add_methods(void *type, const char *name);

/** A launch with everything given, of which a Python object has the address. */
typedef struct cuc_python_launch {
    void *stream;       /**< of a variable that has the cuc_stream, NULL once it is closed */
    const void *config; /**< a cuc_launch_config, or NULL */
    void *kernel;       /**< of a variable that has the cuc_kernel, NULL once it is closed */
    const void *args;   /**< [arg_count] cuc_arg */
    size_t arg_count;
} cuc_python_launch;

/**
 * Let the objects of a Python class be called: each launches what its attribute `_launch` says, a
 * tuple that begins with the address of a cuc_python_launch (int).
 *
 * The interpreter's lock is let go of meanwhile, and the tuple held: it keeps what the launch
 * points to. A failure is raised by the class's `_failed()`.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param type a class, a PyTypeObject
 * @retval CUC_OK they can be called; else as for cuc_python_add_dlpack()
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_add_call(void *type);

/** What a Python value becomes as an argument of a kernel. */
enum {
    CUC_PYTHON_BUFFER = 1, /**< its attribute `_h` (int) is a cuc_buffer */
    CUC_PYTHON_TENSOR = 2, /**< its attribute `_address` (int) is a cuc_tensor */
    CUC_PYTHON_NUMBER = 3, /**< it is a number, of Python or of NumPy */
    CUC_PYTHON_VALUE = 4,  /**< its attribute `value` is a number, as those of ctypes have it */
};

/** An argument that a plan takes. */
typedef struct cuc_python_argument {
    void *type;    /**< the value's class, a PyTypeObject: no other is taken */
    int32_t how;   /**< CUC_PYTHON_BUFFER, ... */
    int32_t dtype; /**< of a number: bool, an integer of any size, f32 or f64 */
} cuc_python_argument;

/** How Python values of certain classes become a launch of a kernel. */
typedef struct cuc_python_plan {
    void *kernel;                         /**< the cuc_kernel */
    const cuc_python_argument *arguments; /**< [count] */
    size_t count;                         /**< at most 64 */
} cuc_python_plan;

/**
 * A function of Python's, `launch(stream, config, kernel, *args)`.
 *
 * It launches by the plan whose address is the kernel's attribute `_plan` (int), with the stream's
 * `_stream_h` (int) and the config's `_config` (int), if that is not None; objects that are no
 * streams or configs are not to have these. Where an attribute is missing or 0, a value is of
 * another class than the plan says or a number does not fit, it calls `slowly` with all that it was
 * given, and gives what that returns. A failure of cuc_launch() is handed to `slowly` too, which
 * tries again and raises.
 *
 * The interpreter's lock is let go of meanwhile. The numbers that it has read are held: they may be
 * of a class that releases what they stand for when they go.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param[out] out    the function, a PyObject, to be released by Py_DecRef()
 * @param      slowly what is called where there is no plan, a PyObject; retained
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_FOUND        the process has no CPython, or lacks a function of it
 * @retval CUC_ERROR_INTERNAL         CPython refused, and has the exception
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_get_launch(void **out, void *slowly);

CUC_END_DECLS

#endif
