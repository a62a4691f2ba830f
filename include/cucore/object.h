/**
 * @file
 * Object code: the output of a compiler or linker. It is loaded when one of its kernels is first
 * needed.
 *
 * Object code belongs to no device and no context. Creating it, reading it from a file, saving it
 * and passing it on need no driver. The driver loads it once for all devices, at the first call of
 * cuc_object_get_kernel() or of another function that is documented to load it.
 */
#ifndef CUCORE_OBJECT_H
#define CUCORE_OBJECT_H

#include <cucore/base.h>
#include <cucore/device.h>

CUC_BEGIN_DECLS

/**
 * Object code and, once loaded, the driver's library made from it.
 *
 * Ownership: kernels retain their object, so the library stays loaded while one of them lives. The
 * last release unloads it, except during process exit or in a forked child, because drivers have
 * crashed when unloading then. A graph captured with cuc_stream_begin_capture() keeps the code it
 * launches loaded. Any other user that outlives the kernels, such as another graph or an extracted
 * CUfunction, needs its own reference, because cucore does not know about it.
 *
 * Threads: any thread; the contents never change. While an object is being loaded, threads that
 * need it wait; others do not.
 */
typedef struct cuc_object cuc_object;

/** A kernel of an object: kernel.h. */
typedef struct cuc_kernel cuc_kernel;

/** Every kind of object code: X(constant, value, name, description). 0 is not a kind. */
// clang-format off
#define CUC_CODE_LIST(X) \
    X(CUC_CODE_PTX,     1, "ptx",     "PTX text: loadable, compiled by the driver") \
    X(CUC_CODE_CUBIN,   2, "cubin",   "machine code of one architecture: loadable") \
    X(CUC_CODE_LTOIR,   3, "ltoir",   "link-time optimisation code: to be linked") \
    X(CUC_CODE_FATBIN,  4, "fatbin",  "PTX and cubins of several architectures: loadable") \
    X(CUC_CODE_OBJECT,  5, "object",  "host object file with device code in it: to be linked") \
    X(CUC_CODE_LIBRARY, 6, "library", "archive of object files: to be linked")
// clang-format on

enum {
#define CUC__CODE_ENUM(name, value, text, what) name = value,
    CUC_CODE_LIST(CUC__CODE_ENUM)
#undef CUC__CODE_ENUM
};

/**
 * The name of a kind of object code, such as "cubin".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param kind any value
 * @return static storage; "unknown" for an unknown kind; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_code_name(int32_t kind);

/**
 * The kind of object code with a given name.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param name as cuc_code_name() returns it; NULL matches no kind
 * @return a CUC_CODE_ value, or 0
 * @since 0.1
 */
CUC_API int32_t cuc_code_from_name(const char *name);

/** A name as written in the source, and the symbol that the compiler generated for it. */
typedef struct cuc_object_mapping {
    const char *expression; /**< such as "saxpy<float>" */
    const char *symbol;     /**< such as "_Z5saxpyIfEvT_PKS0_PS0_i" */
} cuc_object_mapping;

/** Options of cuc_object_create(). Zero selects the default of every field. */
typedef struct cuc_object_options {
    size_t struct_size; /**< sizeof(cuc_object_options); the initializers set it */
    const char *name;   /**< name in messages; copied; NULL: none, or the path */
    const void *ptx;    /**< PTX of the same code, for a cubin or fatbin; a simulated driver loads
                             it, and it has the parameter types; copied; NULL: none */
    size_t ptx_bytes;   /**< its length, with or without a final NUL */
    const cuc_object_mapping *names; /**< name expressions that cuc_object_get_kernel() accepts in
                                          place of symbols; copied; NULL: none */
    size_t name_count;               /**< number of names */
} cuc_object_options;

#define CUC_OBJECT_OPTIONS_INIT                   \
    {                                             \
        sizeof(cuc_object_options), 0, 0, 0, 0, 0 \
    }

#ifndef __cplusplus
/** Options written at the call site, in C: CUC_OBJECT_OPTIONS(.name = "fft"). */
#define CUC_OBJECT_OPTIONS(...) \
    (&(cuc_object_options){ .struct_size = sizeof(cuc_object_options), __VA_ARGS__ })
#endif

/**
 * Set options to their defaults.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param options     zeroed, and its size set; NULL does nothing
 * @param caller_size sizeof(cuc_object_options) in the calling code
 * @since 0.1
 */
CUC_API void cuc_object_options_init(cuc_object_options *options, size_t caller_size);

/**
 * Create an object from code in memory. This makes no driver call.
 *
 * The call refuses data that is truncated or clearly of another kind, because the driver's loader
 * takes no length and cannot check this.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out     a new reference; release it with cuc_object_release()
 * @param kind    a CUC_CODE_ value
 * @param data    the code; copied
 * @param bytes   its length, for PTX with or without the final NUL
 * @param options NULL for defaults
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_INVALID_ARGUMENT out or data is NULL, bytes is 0, kind is unknown, the data is
 *                                    not of that kind, or an option is wrong
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory for the copy
 * @since 0.1
 */
CUC_API cuc_status cuc_object_create(cuc_object **out, int32_t kind, const void *data, size_t bytes,
                                     const cuc_object_options *options);

/**
 * Create an object from a file. This makes no driver call.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out     a new reference; release it with cuc_object_release()
 * @param path    the file; read before the call returns
 * @param kind    a CUC_CODE_ value; 0 detects it from the contents
 * @param options NULL for defaults; the name defaults to the path
 * @retval CUC_OK                     created
 * @retval CUC_ERROR_NOT_FOUND        no such file
 * @retval CUC_ERROR_IO               the file cannot be read
 * @retval CUC_ERROR_INVALID_ARGUMENT out or path is NULL, the file is empty or not of that kind,
 *                                    its kind cannot be detected, or an option is wrong
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory for the contents
 * @since 0.1
 */
CUC_API cuc_status cuc_object_from_file(cuc_object **out, const char *path, int32_t kind,
                                        const cuc_object_options *options);

/**
 * Write the code to a file, completely or not at all.
 *
 * The call writes and syncs a new file beside the old one and then renames it over the old one.
 * Readers see either the old contents or the new, and a failure or signal leaves no file behind.
 * The file keeps its permissions. If path is a symbolic link, the call replaces its target, not the
 * link. Devices, pipes and everything below /dev and /proc are written in place.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param object only its code is written, not its names and logs
 * @param path   created or replaced
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_IO               the file cannot be written; no partial file is left
 * @retval CUC_ERROR_INVALID_ARGUMENT object or path is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_object_save(const cuc_object *object, const char *path);

/**
 * Add a reference to an object.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param object NULL is returned as it is
 * @return object
 * @since 0.1
 */
CUC_API cuc_object *cuc_object_retain(cuc_object *object);

/**
 * Release a reference to an object; the last one unloads the library.
 *
 * @order  unloading may wait for the device's running work
 * @thread any thread, also at process exit
 * @capture safe: asks the driver in relaxed mode
 * @param object NULL does nothing
 * @source CUDA Driver API, "Library Management": cuLibraryUnload
 * @since 0.1
 */
CUC_API void cuc_object_release(cuc_object *object);

/**
 * The kind of code in an object.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return a CUC_CODE_ value; 0 for NULL
 * @since 0.1
 */
CUC_API int32_t cuc_object_kind(const cuc_object *object);

/**
 * The name of an object in messages.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return as given at creation, "" for none; valid while the object lives; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_object_name(const cuc_object *object);

/**
 * The log of the compiler or linker that made the object, which may contain warnings.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return "" for none; valid while the object lives; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_object_log(const cuc_object *object);

/**
 * The log that the driver's compiler wrote while loading the object.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return "" for an empty log, and before the object is loaded; valid while the object lives; never
 *         NULL. The log of a failed load is part of the failure: cuc_error_log().
 * @since 0.1
 */
CUC_API const char *cuc_object_load_log(const cuc_object *object);

/**
 * The code itself.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param data   the first byte; borrowed: valid while the object lives
 * @param bytes  its length; PTX is followed by a NUL that is not counted
 * @param object of any kind
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_code(const void **data, size_t *bytes, const cuc_object *object);

/**
 * The PTX of the code: the object's own text if it is PTX, otherwise the PTX that accompanies it.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param text   NUL-terminated; borrowed: valid while the object lives
 * @param bytes  its length without the NUL; NULL: not wanted
 * @param object of any kind
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        the object has none
 * @retval CUC_ERROR_INVALID_ARGUMENT text or object is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_ptx(const char **text, size_t *bytes, const cuc_object *object);

/**
 * The number of name expressions whose symbols the object knows.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return 0 for NULL
 * @since 0.1
 */
CUC_API size_t cuc_object_mapping_count(const cuc_object *object);

/**
 * One name expression and its symbol.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    borrowed: valid while the object lives
 * @param object of any kind
 * @param index  below cuc_object_mapping_count()
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out or object is NULL, or index is past the end
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_mapping(cuc_object_mapping *out, const cuc_object *object,
                                          size_t index);

/**
 * The number of kernels in the code.
 *
 * The number comes from the PTX, without a driver, if there is PTX. Otherwise the call loads the
 * object.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    the number
 * @param object of a loadable kind
 * @retval CUC_OK                  counted
 * @retval CUC_ERROR_NOT_SUPPORTED the kind must be linked first, or there is no PTX and the driver
 *                                 is older than CUDA 12.4
 * @retval CUC_ERROR_DRIVER        the code cannot be loaded; for other load failures see
 *                                 cuc_object_get_kernel()
 * @source CUDA Driver API, "Library Management": cuLibraryGetKernelCount, cuLibraryEnumerateKernels
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_kernel_count(size_t *out, cuc_object *object);

/**
 * The symbol of one of the kernels, to pass to cuc_object_get_kernel().
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    borrowed: valid while the object lives
 * @param object of a loadable kind
 * @param index  below cuc_object_get_kernel_count()
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or index is past the end
 * @retval CUC_ERROR_NOT_SUPPORTED    as for cuc_object_get_kernel_count()
 * @source CUDA Driver API, "Library Management": cuLibraryEnumerateKernels, cuKernelGetName
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_kernel_name(const char **out, cuc_object *object, size_t index);

/**
 * A kernel of the object, by its symbol or by a name expression that the object knows.
 *
 * The first call loads the code, which for PTX runs the driver's compiler. A second call for the
 * same kernel is cheap and returns another handle. The name of a tile program's kernel is its name
 * in the source.
 *
 * @thread any thread; threads that need the object while it is being loaded wait
 * @capture safe: asks the driver in relaxed mode
 * @param out    a new reference; release it with cuc_kernel_release(); it retains the object
 * @param object PTX, cubin or fatbin; a simulated driver needs PTX, alone or beside a cubin
 * @param name   such as "saxpy" for a kernel that is `extern "C"`
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        no such kernel: the message lists the existing ones
 * @retval CUC_ERROR_NOT_SUPPORTED    the kind must be linked first; the driver is simulated and the
 *                                    object has no PTX; or a part of a fat binary that may have
 *                                    this tile kernel is packed with Zstandard, and there is no
 *                                    libzstd.so.1
 * @retval CUC_ERROR_DRIVER           the driver refused the code: cuc_error_log() has its
 *                                    compiler's log
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_NO_DRIVER        no CUDA driver could be loaded
 * @source CUDA Driver API, "Library Management": cuLibraryLoadData, cuLibraryGetKernel,
 *         cuKernelGetParamInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_kernel(cuc_kernel **out, cuc_object *object, const char *name);

/**
 * The driver's CUlibrary. The call loads the code if necessary.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    borrowed: valid while the object lives; not to be unloaded
 * @param object of a loadable kind
 * @retval CUC_OK written; for load failures see cuc_object_get_kernel()
 * @source CUDA Driver API, "Library Management": cuLibraryLoadData
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_library(void **out, cuc_object *object);

/**
 * The driver's CUmodule of the object on one device, for calls that do not take a library.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    borrowed: valid while the object lives; not to be unloaded
 * @param object of a loadable kind
 * @param device selects its primary context; NULL: the calling thread's current context
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out or object is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as without a current context; for
 *                                    load failures see cuc_object_get_kernel()
 * @source CUDA Driver API, "Library Management": cuLibraryGetModule
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_module(void **out, cuc_object *object, cuc_device *device);

/**
 * The address of a `__device__` or `__constant__` variable on one device.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    its address; valid while the object lives
 * @param bytes  its size; NULL: not wanted
 * @param object of a loadable kind
 * @param device selects its primary context; NULL: the calling thread's current context
 * @param name   the symbol, or a name expression the object knows
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        no such variable
 * @retval CUC_ERROR_INVALID_ARGUMENT out, object or name is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; for load failures see
 *                                    cuc_object_get_kernel()
 * @source CUDA Driver API, "Library Management": cuLibraryGetGlobal
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_global(cuc_device_ptr *out, size_t *bytes, cuc_object *object,
                                         cuc_device *device, const char *name);

/**
 * The address of a `__managed__` variable, which is the same on the host and on every device.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    its address; valid while the object lives
 * @param bytes  its size; NULL: not wanted
 * @param object of a loadable kind
 * @param device its primary context loads the code, which creates the variable; NULL: the calling
 *               thread's current context does
 * @param name   the symbol, or a name expression the object knows
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        no such variable
 * @retval CUC_ERROR_INVALID_ARGUMENT out, object or name is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; for load failures see
 *                                    cuc_object_get_kernel()
 * @source CUDA Driver API, "Library Management": cuLibraryGetManaged, cuLibraryGetModule
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_managed(cuc_device_ptr *out, size_t *bytes, cuc_object *object,
                                          cuc_device *device, const char *name);

/**
 * The unified address of a device function, which is valid on every device.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    the function's address; valid while the object lives
 * @param object of a loadable kind
 * @param name   the symbol, or a name expression the object knows
 * @retval CUC_OK                     found
 * @retval CUC_ERROR_NOT_FOUND        no such function
 * @retval CUC_ERROR_NOT_SUPPORTED    no device here has unified functions
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused; for load failures see
 *                                    cuc_object_get_kernel()
 * @source CUDA Driver API, "Library Management": cuLibraryGetUnifiedFunction
 * @since 0.1
 */
CUC_API cuc_status cuc_object_get_unified_function(void **out, cuc_object *object,
                                                   const char *name);

CUC_END_DECLS

#endif
