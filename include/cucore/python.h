/**
 * @file
 * Support for CPython as the host of the process: launches and arrays without the overhead of
 * ctypes.
 *
 * A package that calls cucore through ctypes or cffi pays for every call, and one exchange through
 * DLPack takes several calls. The functions here create methods that the interpreter calls
 * directly. They use CPython's stable ABI, whose functions they find in the running process. cucore
 * is not linked with CPython and does not need it.
 */
#ifndef CUCORE_PYTHON_H
#define CUCORE_PYTHON_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * Add the DLPack protocol to a Python class of arrays: `__dlpack__`, `__dlpack_device__`, and the
 * class methods `from_dlpack(value, *, stream=None)` and `from_capsule(capsule)`.
 *
 * Objects of the class have these attributes, which the methods read and the class methods set:
 *
 *   - `_address` (int): a cuc_tensor, which the object keeps alive;
 *   - `_memory`: the object that keeps the cuc_tensor and the tensor's memory alive;
 *   - `_buffer`: None, or an object whose `_h` (int) is the cuc_buffer with the memory;
 *   - `_stream`: None, or an object whose `_h` (int) is the cuc_stream that uses the memory.
 *
 * Methods of the class, written in Python, handle the rare cases:
 *
 *   - `_export(stream, max_version, dl_device, copy)`: called if the consumer's stream has to wait,
 *     if the memory belongs to no buffer, or if a copy or another device is requested;
 *   - `_import(value, stream)`, a class method: called if the producer has no
 *     `__dlpack_c_exchange_api__`, or if the stream is not an object with `_stream_h` (int);
 *   - `_failed()`, a class method: raises the calling thread's last failure;
 *   - `_may_call()`: returns 0 if the calling thread must not call CUDA, because it may be a
 *     driver thread that runs a Python callback; 1 if it may call CUDA at present; 2 if it always
 *     may. The first class that has this method defines it for all classes. If it returns 0,
 *     memory that Python drops is kept until the next call that creates a buffer, waits for a
 *     stream or works on a graph; that call releases the memory.
 *
 * The methods look up a producer's `__dlpack_c_exchange_api__` once for each type. If a stream is
 * given, they make it wait for the producer's current stream.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param type a class, a PyTypeObject
 * @retval CUC_OK                     added
 * @retval CUC_ERROR_INVALID_ARGUMENT type is NULL
 * @retval CUC_ERROR_NOT_FOUND        the process has no CPython, or lacks a function of it
 * @retval CUC_ERROR_INTERNAL         CPython refused; its exception is set
 * @source Python/C API, "Stable Application Binary Interface"; DLPack, "Python Specification"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_add_dlpack(void *type);

/**
 * Create the base type of a class of the Python package, with the fields that C code reads.
 *
 * "Handle" holds the C handle, its attribute `_h`; "Buffer", "Event", "MemoryResource", "Device"
 * and "Stream" derive from it and have further fields. A "LaunchConfig" holds a cuc_launch_config,
 * and a "Tensor" a cuc_tensor whose address is its `_address` (int); assigning to `_address` copies
 * another tensor. All types belong to the first interpreter of the process that calls this.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param[out] out  the type, a PyTypeObject, to be released by Py_DecRef()
 * @param      name "Handle" first, then the others
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_FOUND        the process has no CPython, or lacks a function of it; or
 *                                    there is no type of that name
 * @retval CUC_ERROR_NOT_SUPPORTED    another interpreter of the process has the types
 * @retval CUC_ERROR_INTERNAL         CPython refused; its exception is set
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_get_base(void **out, const char *name);

/**
 * Replace methods and properties of a class of the Python package with the library's C versions.
 *
 * Each C version replaces a Python definition, and calls that definition if the object is closed or
 * an argument is of an unusual kind. Hashes, comparisons and the like are slots of the base type:
 * the call removes their definitions from the class, which then inherits the slots. It also adds
 * the C versions that the class inherits, because the interpreter calls a class's own methods
 * faster. Call this for "Handle" first; C code calls Python through its attributes `_failed`,
 * `_may_call`, `_held` and `_prune`.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param type a class, a PyTypeObject, derived from the type of cuc_python_get_base()
 * @param name its name in the library; nothing is added if that name has no methods
 * @retval CUC_OK added; otherwise as for cuc_python_get_base()
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_add_methods(void *type, const char *name);

/** A complete launch. A Python object holds its address. */
typedef struct cuc_python_launch {
    void *stream;       /**< address of a variable that holds the cuc_stream; the variable is NULL
                             once the stream is closed */
    const void *config; /**< a cuc_launch_config, or NULL */
    void *kernel;       /**< address of a variable that holds the cuc_kernel; the variable is NULL
                             once the kernel is closed */
    const void *args;   /**< [arg_count] cuc_arg */
    size_t arg_count;
} cuc_python_launch;

/**
 * Make the objects of a Python class callable. Calling an object performs the launch in its
 * attribute `_launch`, a tuple that begins with the address of a cuc_python_launch (int).
 *
 * The call releases the interpreter's lock during the launch and holds the tuple, which keeps alive
 * whatever the launch points to. On failure, the call runs the class's `_failed()`, which raises.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param type a class, a PyTypeObject
 * @retval CUC_OK added; otherwise as for cuc_python_add_dlpack()
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_add_call(void *type);

/** Conversions of a Python value to a kernel argument. */
enum {
    CUC_PYTHON_BUFFER = 1, /**< its attribute `_h` (int) is a cuc_buffer */
    CUC_PYTHON_TENSOR = 2, /**< its attribute `_address` (int) is a cuc_tensor */
    CUC_PYTHON_NUMBER = 3, /**< it is a Python or NumPy number */
    CUC_PYTHON_VALUE = 4,  /**< its attribute `value` is a number, as in ctypes */
};

/** An argument of a plan. */
typedef struct cuc_python_argument {
    void *type;    /**< the value's class, a PyTypeObject; subclasses are not accepted */
    int32_t how;   /**< a CUC_PYTHON_ constant */
    int32_t dtype; /**< for a number: bool, an integer of any size, f32 or f64 */
} cuc_python_argument;

/** A plan that turns Python values of certain classes into a kernel launch. */
typedef struct cuc_python_plan {
    void *kernel;                         /**< the cuc_kernel */
    const cuc_python_argument *arguments; /**< [count] */
    size_t count;                         /**< at most 64 */
} cuc_python_plan;

/**
 * Create a Python function `launch(stream, config, kernel, *args)`.
 *
 * The function launches by the plan whose address is the kernel's attribute `_plan` (int). It uses
 * the stream's `_stream_h` (int) and, unless config is None, the config's `_config` (int). Other
 * objects must not have these attributes. If an attribute is missing or 0, the class of a value
 * differs from the plan's, or a number does not fit, the function calls `slowly` with all its
 * arguments and returns the result. It also calls `slowly` if cuc_launch() fails; `slowly` then
 * tries again and raises.
 *
 * The call releases the interpreter's lock during the launch. It holds references to the ints that
 * it has read from attributes, because each may own a handle and release the handle when it is
 * destroyed.
 *
 * @thread any thread that holds the interpreter's lock
 * @capture makes no driver call
 * @param[out] out    the function, a PyObject, to be released by Py_DecRef()
 * @param      slowly the function for all other cases, a PyObject; retained
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_NOT_FOUND        the process has no CPython, or lacks a function of it
 * @retval CUC_ERROR_INTERNAL         CPython refused; its exception is set
 * @source Python/C API, "Stable Application Binary Interface"
 * @since 0.1
 */
CUC_API cuc_status cuc_python_get_launch(void **out, void *slowly);

CUC_END_DECLS

#endif
