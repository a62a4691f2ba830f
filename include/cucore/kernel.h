/**
 * @file
 * Kernels: their parameters, resource use and launch attributes.
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
 * cuc_object_get_kernel() creates it. It retains its object and so keeps the code loaded.
 *
 * Threads: any thread. An attribute set while another thread launches the same kernel is not
 * ordered with that launch.
 */
typedef struct cuc_kernel cuc_kernel;

/**
 * Types of a parameter: X(constant, value, name).
 *
 * Sizes come from the driver, types from the kernel's PTX where available.
 */
// clang-format off
#define CUC_PARAMETER_LIST(X) \
    X(CUC_PARAMETER_ANY,   0, "any")   /* a struct, or not known; only the size is checked */ \
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
    uint32_t offset;    /**< in bytes from the start of the parameters, as the driver reports it;
                             computed from the alignments if the driver is older than CUDA 12.4 */
    uint32_t bytes;     /**< its size */
    int32_t type;       /**< a CUC_PARAMETER_ value */
    int32_t reserved;   /**< 0 */
} cuc_kernel_parameter;

#define CUC_KERNEL_PARAMETER_INIT                \
    {                                            \
        sizeof(cuc_kernel_parameter), 0, 0, 0, 0 \
    }

/**
 * Resource use and limits of a kernel on one device: X(constant, value, name, settable).
 *
 * The values equal the driver's CUfunction_attribute.
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

/** Preferred split between L1 cache and shared memory. */
enum {
    CUC_KERNEL_CACHE_DEFAULT = 0, /**< no preference */
    CUC_KERNEL_CACHE_SHARED = 1,  /**< more shared memory */
    CUC_KERNEL_CACHE_L1 = 2,      /**< more cache */
    CUC_KERNEL_CACHE_EQUAL = 3    /**< half and half */
};

/**
 * Wrap a CUkernel that was loaded elsewhere. The kernel is borrowed: cucore never unloads it.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    a new reference; release it with cuc_kernel_release()
 * @param handle a CUkernel; it must stay loaded while the wrapper lives
 * @param object the object that the kernel belongs to, retained; NULL: a library unknown to cucore
 * @retval CUC_OK                     wrapped
 * @retval CUC_ERROR_INVALID_ARGUMENT out or handle is NULL, or the kernel does not belong to the
 *                                    object
 * @retval CUC_ERROR_DRIVER           the driver does not know the handle
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_NO_DRIVER        no CUDA driver could be loaded
 * @source CUDA Driver API, "Library Management": cuKernelGetName, cuKernelGetLibrary,
 *         cuKernelGetParamInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_from_handle(cuc_kernel **out, void *handle, cuc_object *object);

/**
 * Add a reference to a kernel.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param kernel NULL is returned as it is
 * @return kernel
 * @since 0.1
 */
CUC_API cuc_kernel *cuc_kernel_retain(cuc_kernel *kernel);

/**
 * Release a reference to a kernel; the last one releases its object.
 *
 * @order  releasing the last user of the object may wait for running work
 * @thread any thread, also at process exit
 * @capture safe: asks the driver in relaxed mode
 * @param kernel NULL does nothing
 * @since 0.1
 */
CUC_API void cuc_kernel_release(cuc_kernel *kernel);

/**
 * The name under which a kernel was requested: its symbol, or a name expression.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed: valid while the kernel lives; "" for NULL; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_kernel_name(const cuc_kernel *kernel);

/**
 * The symbol of a kernel in its object code; mangled for C++.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed: valid while the kernel lives; "" for NULL, and for a foreign kernel when the
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
 * The object that a kernel belongs to.
 *
 * @thread any thread
 * @capture makes no driver call
 * @return borrowed: valid while the kernel lives; NULL for NULL and for a foreign kernel
 * @since 0.1
 */
CUC_API cuc_object *cuc_kernel_object(const cuc_kernel *kernel);

/**
 * The driver's CUfunction of a kernel on one device, for calls that do not take a CUkernel.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out    borrowed: valid while the kernel lives
 * @param kernel any kernel
 * @param device selects its primary context; NULL: the calling thread's current context
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT out or kernel is NULL
 * @retval CUC_ERROR_DRIVER           the driver refused, such as without a current context
 * @source CUDA Driver API, "Library Management": cuKernelGetFunction
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_get_function(void **out, cuc_kernel *kernel, cuc_device *device);

/**
 * The number of parameters of a kernel.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param out    the number
 * @param kernel any kernel
 * @retval CUC_OK                     counted
 * @retval CUC_ERROR_NOT_SUPPORTED    the driver is older than CUDA 12.4, and there is no PTX
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
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, struct_size is unknown, or index is past
 *                                    the end
 * @retval CUC_ERROR_NOT_SUPPORTED    as for cuc_kernel_get_parameter_count()
 * @source CUDA Driver API, "Library Management": cuKernelGetParamInfo
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_get_parameter(cuc_kernel_parameter *out, const cuc_kernel *kernel,
                                            size_t index);

/**
 * The name of a parameter type, such as "float".
 *
 * @thread any thread
 * @capture makes no driver call
 * @param type any value
 * @return static storage; "any" for an unknown type; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_parameter_type_name(int32_t type);

/**
 * Read an attribute of a kernel on one device.
 *
 * The first query about a kernel on a device may load its code there.
 *
 * @thread any thread
 * @capture safe: asks the driver in relaxed mode
 * @param out       bytes, threads, registers, versions as major * 10 + minor, or 0 or 1
 * @param kernel    any kernel
 * @param device    attributes differ between devices
 * @param attribute a CUC_KERNEL_ attribute
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, or there is no such attribute
 * @retval CUC_ERROR_DRIVER           the driver refused, such as for code that does not run on the
 *                                    device
 * @source CUDA Driver API, "Library Management": cuKernelGetAttribute
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_get_attribute(int32_t *out, cuc_kernel *kernel, cuc_device *device,
                                            int32_t attribute);

/**
 * Set an attribute of a kernel on one device, for every handle of the kernel and every context of
 * the device.
 *
 * cuc_launch() raises CUC_KERNEL_MAX_DYNAMIC_SHARED_SIZE_BYTES itself when a launch needs more. A
 * lower value set here therefore does not limit cuc_launch().
 *
 * @thread any thread; not ordered with launches by other threads
 * @capture safe: asks the driver in relaxed mode
 * @param kernel    any kernel
 * @param device    the device it is set on
 * @param attribute a CUC_KERNEL_ attribute that is settable
 * @param value     in the attribute's unit
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT an argument is NULL, there is no such attribute, or it is
 *                                    read-only
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
 * @return static storage; "unknown" for an unknown attribute; never NULL
 * @since 0.1
 */
CUC_API const char *cuc_kernel_attribute_name(int32_t attribute);

/**
 * The attribute with a given name.
 *
 * @thread any thread
 * @capture makes no driver call
 * @param name as cuc_kernel_attribute_name() returns it; NULL matches no attribute
 * @return a CUC_KERNEL_ attribute, or -1
 * @since 0.1
 */
CUC_API int32_t cuc_kernel_attribute_from_name(const char *name);

/**
 * Set a kernel's preference between shared memory and L1 cache on one device. This is a hint.
 *
 * @thread any thread; not ordered with launches by other threads
 * @capture safe: asks the driver in relaxed mode
 * @param kernel any kernel
 * @param device the device it is set on
 * @param config a CUC_KERNEL_CACHE_ value
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_INVALID_ARGUMENT kernel or device is NULL, or config is not such a value
 * @retval CUC_ERROR_DRIVER           the driver refused
 * @source CUDA Driver API, "Library Management": cuKernelSetCacheConfig
 * @since 0.1
 */
CUC_API cuc_status cuc_kernel_set_cache_config(cuc_kernel *kernel, cuc_device *device,
                                               int32_t config);

CUC_END_DECLS

#endif
