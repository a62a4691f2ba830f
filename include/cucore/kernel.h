/**
 * @file
 * Kernels: what they take, what they use, and how they may be launched.
 */
#ifndef CUCORE_KERNEL_H
#define CUCORE_KERNEL_H

#include <cucore/base.h>
#include <cucore/device.h>
#include <cucore/object.h>

CUC_BEGIN_DECLS

/**
 * A kernel, launchable on every device that its code runs on.
 *
 * cuc_object_get_kernel() makes one; it retains its object, and so keeps its code loaded.
 * Threads: any thread. Setting an attribute while another thread launches the same kernel is not
 * ordered with that launch.
 */
typedef struct cuc_kernel cuc_kernel;

/**
 * What is known of a parameter's type: X(constant, value, name).
 *
 * Sizes come from the driver, types from the kernel's PTX where there is one.
 */
// clang-format off
#define CUC_PARAMETER_LIST(X) \
    X(CUC_PARAMETER_ANY,   0, "any")   /* a struct, or not known: only the size counts */ \
    X(CUC_PARAMETER_INT,   1, "int")   /* an integer or a pointer */ \
    X(CUC_PARAMETER_FLOAT, 2, "float") /* a float or a double */
// clang-format on

enum {
#define CUC__PARAMETER_ENUM(name, value, text) name = value,
    CUC_PARAMETER_LIST(CUC__PARAMETER_ENUM)
#undef CUC__PARAMETER_ENUM
};

/** One parameter of a kernel. */
typedef struct cuc_kernel_parameter {
    size_t struct_size; /**< sizeof(cuc_kernel_parameter), set by the caller */
    uint32_t offset;    /**< in bytes from the start of the parameters, as the driver has it; with
                             a driver older than CUDA 12.4, as their alignments have it */
    uint32_t bytes;     /**< its size */
    int32_t type;       /**< a CUC_PARAMETER_ value */
    int32_t reserved;   /**< 0 */
} cuc_kernel_parameter;

#define CUC_KERNEL_PARAMETER_INIT                \
    {                                            \
        sizeof(cuc_kernel_parameter), 0, 0, 0, 0 \
    }

/**
 * What a kernel uses or is allowed on one device: X(constant, value, name, settable).
 *
 * Values are those of the driver's CUfunction_attribute.
 */
// clang-format off
#define CUC_KERNEL_ATTRIBUTE_LIST(X) \
    X(CUC_KERNEL_MAX_THREADS_PER_BLOCK,                0, "max_threads_per_block",                0) \
    X(CUC_KERNEL_SHARED_SIZE_BYTES,                    1, "shared_size_bytes",                    0) \
    X(CUC_KERNEL_CONST_SIZE_BYTES,                     2, "const_size_bytes",                     0) \
    X(CUC_KERNEL_LOCAL_SIZE_BYTES,                     3, "local_size_bytes",                     0) \
    X(CUC_KERNEL_NUM_REGS,                             4, "num_regs",                             0) \
    X(CUC_KERNEL_PTX_VERSION,                          5, "ptx_version",                          0) \
    X(CUC_KERNEL_BINARY_VERSION,                       6, "binary_version",                       0) \
    X(CUC_KERNEL_CACHE_MODE_CA,                        7, "cache_mode_ca",                        0) \
    X(CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES,        8, "max_dynamic_shared_size_bytes",        1) \
    X(CUC_KERNEL_PREFERRED_SHARED_MEMORY_CARVEOUT,     9, "preferred_shared_memory_carveout",     1) \
    X(CUC_KERNEL_CLUSTER_SIZE_MUST_BE_SET,            10, "cluster_size_must_be_set",             0) \
    X(CUC_KERNEL_REQUIRED_CLUSTER_WIDTH,              11, "required_cluster_width",               1) \
    X(CUC_KERNEL_REQUIRED_CLUSTER_HEIGHT,             12, "required_cluster_height",              1) \
    X(CUC_KERNEL_REQUIRED_CLUSTER_DEPTH,              13, "required_cluster_depth",               1) \
    X(CUC_KERNEL_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,   14, "non_portable_cluster_size_allowed",    1) \
    X(CUC_KERNEL_CLUSTER_SCHEDULING_POLICY,           15, "cluster_scheduling_policy_preference", 1)
// clang-format on

enum {
#define CUC__KERNEL_ATTRIBUTE_ENUM(name, value, text, settable) name = value,
    CUC_KERNEL_ATTRIBUTE_LIST(CUC__KERNEL_ATTRIBUTE_ENUM)
#undef CUC__KERNEL_ATTRIBUTE_ENUM
        CUC_KERNEL_ATTRIBUTE_COUNT = 16
};

/** How a kernel would have the memory that L1 cache and shared memory divide. */
enum {
    CUC_KERNEL_CACHE_DEFAULT = 0, /**< no preference */
    CUC_KERNEL_CACHE_SHARED = 1,  /**< more shared memory */
    CUC_KERNEL_CACHE_L1 = 2,      /**< more cache */
    CUC_KERNEL_CACHE_EQUAL = 3    /**< half and half */
};

/**
 * Wrap a CUkernel that something else loaded; it is borrowed, never unloaded.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    the caller's reference: cuc_kernel_release()
 * @param handle a CUkernel; it must stay loaded while the wrapper lives
 * @param object the object whose library the kernel is of, retained; NULL: a library that cucore
 *               does not know
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out or handle is NULL, or the kernel is not of that object
 * @retval CUC_ERROR_DRIVER           the driver does not know the handle
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_NO_DRIVER        no CUDA driver could be loaded
 * @source CUDA Driver API, "Library Management": cuKernelGetName, cuKernelGetLibrary,
 *         cuKernelGetParamInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_from_handle(cuc_kernel **out, void *handle, cuc_object *object);

/**
 * Share a kernel.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param kernel NULL is passed through
 * @return kernel
 * @since 0.1
 */
CUC_API cuc_kernel *cuc_kernel_retain(cuc_kernel *kernel);

/**
 * Give a reference back; the last one gives back the object.
 *
 * @order  where it was the object's last user, unloading may wait for running work
 * @thread any thread, also at process exit
 * @capture safe: asks the driver in relaxed mode
 * @param kernel NULL does nothing
 * @since 0.1
 */
CUC_API void cuc_kernel_release(cuc_kernel *kernel);

/**
 * The name a kernel was asked for by: its symbol, or a name expression.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed: valid while the kernel lives; "" for NULL; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_kernel_name(const cuc_kernel *kernel);

/**
 * The symbol of a kernel in its object code, mangled where its source is C++.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed: valid while the kernel lives; "" for NULL, and for a foreign kernel where the
 *         driver is older than CUDA 12.3; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_kernel_symbol(const cuc_kernel *kernel);

/**
 * The driver's CUkernel.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed: valid while the kernel lives; NULL for NULL
 * @since 0.1
 */
CUC_API void *cuc_kernel_handle(const cuc_kernel *kernel);

/**
 * The object that a kernel is of.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed: valid while the kernel lives; NULL for NULL and for a foreign kernel
 * @since 0.1
 */
CUC_API cuc_object *cuc_kernel_object(const cuc_kernel *kernel);

/**
 * The driver's CUfunction of a kernel on one device, for calls that know no CUkernel.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    borrowed: valid while the kernel lives
 * @param kernel any kernel
 * @param device the function is of its primary context; NULL: of the calling thread's current
 *               context
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out or kernel is NULL
 * @retval CUC_ERROR_DRIVER           refused, such as with no current context
 * @source CUDA Driver API, "Library Management": cuKernelGetFunction
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_get_function(void **out, cuc_kernel *kernel, cuc_device *device);

/**
 * How many parameters a kernel has.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    the number
 * @param kernel any kernel
 * @retval CUC_OK                     counted
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.4, and there is no PTX to
 * tell
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL
 * @source CUDA Driver API, "Library Management": cuKernelGetParamInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_get_parameter_count(size_t *out, const cuc_kernel *kernel);

/**
 * One parameter of a kernel.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    filled up to its struct_size; fields unknown to this library are 0
 * @param kernel any kernel
 * @param index  below cuc_kernel_get_parameter_count()
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is no size of it, or index is
 *                                    past the end
 * @retval CUC_ERROR_NOT_SUPPORTED    as for cuc_kernel_get_parameter_count()
 * @source CUDA Driver API, "Library Management": cuKernelGetParamInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_get_parameter(cuc_kernel_parameter *out, const cuc_kernel *kernel,
                                            size_t index);

/**
 * The name of what is known of a parameter's type, such as "float".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param type any value
 * @return static storage; "any" for a value of no type; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_parameter_type_name(int32_t type);

/**
 * Ask the driver for an attribute of a kernel on one device.
 *
 * The first question about a kernel on a device may load its code there.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out       bytes, threads, registers, versions as major * 10 + minor, or 0 and 1
 * @param kernel    any kernel
 * @param device    attributes differ between devices
 * @param attribute a CUC_KERNEL_ attribute
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or there is no such attribute
 * @retval CUC_ERROR_DRIVER           refused, such as for code that does not run on the device
 * @source CUDA Driver API, "Library Management": cuKernelGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_get_attribute(int32_t *out, cuc_kernel *kernel, cuc_device *device,
                                            int32_t attribute);

/**
 * Set an attribute of a kernel on one device, for every handle and context there.
 *
 * CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES needs no setting for cuc_launch(), which raises it when
 * a launch asks for more; a lower value set here is therefore no limit to cuc_launch().
 *
 * @thread any thread; not ordered with launches by other threads
 * @capture safe: asks the driver in relaxed mode
 * @param kernel    any kernel
 * @param device    the device it is set on
 * @param attribute a CUC_KERNEL_ attribute that is settable
 * @param value     in the attribute's unit
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, there is no such attribute, or it can
 * only be read
 * @retval CUC_ERROR_DRIVER           the driver refused the value
 * @source CUDA Driver API, "Library Management": cuKernelSetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_set_attribute(cuc_kernel *kernel, cuc_device *device,
                                            int32_t attribute, int32_t value);

/**
 * The name of an attribute, such as "num_regs".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param attribute any value
 * @return static storage; "unknown" for a value of no attribute; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_kernel_attribute_name(int32_t attribute);

/**
 * The attribute of a name.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param name as cuc_kernel_attribute_name() gives it; NULL is no attribute
 * @return a CUC_KERNEL_ attribute, or -1
 * @since 0.1
 */
CUC_API int32_t cuc_kernel_attribute_from_name(const char *name);

/**
 * Say whether a kernel would rather have shared memory or cache on one device; a hint.
 *
 * @thread any thread; not ordered with launches by other threads
 * @capture safe: asks the driver in relaxed mode
 * @param kernel any kernel
 * @param device the device it is set on
 * @param config a CUC_KERNEL_CACHE_ value
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT kernel or device is NULL, or config is no such value
 * @retval CUC_ERROR_DRIVER           refused
 * @source CUDA Driver API, "Library Management": cuKernelSetCacheConfig
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_set_cache_config(cuc_kernel *kernel, cuc_device *device,
                                               int32_t config);

CUC_END_DECLS

#endif
