/**
 * @file
 * What the machine has: the driver, and the toolkit libraries, by version.
 *
 * Each function loads its library when it is the first to need it. None needs a device. Where
 * the libraries are is in find.h.
 */
#ifndef CUCORE_SYSTEM_H
#define CUCORE_SYSTEM_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * The newest CUDA that the driver serves.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 *
 * @param out major * 1000 + minor * 10, such as 13000 for CUDA 13.0
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_NO_DRIVER        no driver could be loaded
 * @retval CUC_ERROR_DRIVER_TOO_OLD   it is older than CUDA 12.0
 * @retval CUC_ERROR_FORKED           this is the child of a process that used the driver
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @source CUDA Driver API, "Version Management": cuDriverGetVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_driver_get_version(int32_t *out);

/**
 * The file that the driver was loaded from.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 *
 * @param out set to static storage, valid for the life of the process
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_NO_DRIVER        no driver could be loaded
 * @retval CUC_ERROR_DRIVER_TOO_OLD   it is older than CUDA 12.0
 * @retval CUC_ERROR_FORKED           this is the child of a process that used the driver
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_driver_get_path(const char **out);

/**
 * Whether the driver simulates a device instead of driving one, as CUCORE_DRIVER can ask for.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @return 1 or 0; 0 also when no driver could be loaded
 * @since 0.1
 */
CUC_API int32_t cuc_driver_is_simulated(void);

/**
 * The version of NVRTC, the compiler of CUDA C++.
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param major such as 13
 * @param minor such as 0
 * @retval CUC_OK                     both are set
 * @retval CUC_ERROR_NOT_FOUND        there is no NVRTC: cuc_error_log() has the places tried
 * @retval CUC_ERROR_TOOLKIT          NVRTC failed
 * @retval CUC_ERROR_INVALID_ARGUMENT major or minor is NULL
 * @source NVRTC, "General Information Query": nvrtcVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_nvrtc_get_version(int32_t *major, int32_t *minor);

/**
 * The compute capabilities that NVRTC compiles for, in ascending order.
 *
 * @shape  `out`: [capacity] numbers, of which the first min(capacity, *count) are set
 * @thread any thread
 * @capture makes no driver call
 *
 * @param count    set to how many there are, which may be more than capacity
 * @param out      major * 10 + minor of each, such as 90; may be NULL when capacity is 0
 * @param capacity how many `out` has room for
 * @retval CUC_OK                     count is set, and what fits of out
 * @retval CUC_ERROR_NOT_FOUND        there is no NVRTC: cuc_error_log() has the places tried
 * @retval CUC_ERROR_TOOLKIT          NVRTC failed
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_INVALID_ARGUMENT count is NULL, or out is NULL and capacity is not 0
 * @source NVRTC, "General Information Query": nvrtcGetNumSupportedArchs, nvrtcGetSupportedArchs
 * @since 0.1
 */
CUC_API cuc_status cuc_nvrtc_get_archs(size_t *count, int32_t *out, size_t capacity);

/**
 * The version of nvJitLink, the linker of device code.
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param major such as 13
 * @param minor such as 0
 * @retval CUC_OK                     both are set
 * @retval CUC_ERROR_NOT_FOUND        there is no nvJitLink: cuc_error_log() has the places tried
 * @retval CUC_ERROR_NOT_SUPPORTED    it is of CUDA 12.0 to 12.2, and cannot tell
 * @retval CUC_ERROR_TOOLKIT          nvJitLink failed
 * @retval CUC_ERROR_INVALID_ARGUMENT major or minor is NULL
 * @source nvJitLink, "Linking": nvJitLinkVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_nvjitlink_get_version(int32_t *major, int32_t *minor);

/**
 * The version of the CUDA runtime: the program's own where its symbols can be seen, else the one
 * that is found on the machine.
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param out major * 1000 + minor * 10, such as 13000 for CUDA 13.0
 * @retval CUC_OK                     set
 * @retval CUC_ERROR_NOT_FOUND        there is no runtime: cuc_error_log() has the places tried
 * @retval CUC_ERROR_TOOLKIT          the runtime failed
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @source CUDA Runtime API, "Version Management": cudaRuntimeGetVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_runtime_get_version(int32_t *out);

/** Room that is enough for cuc_nvml_get_driver_version(), the final zero included, in bytes. */
#define CUC_NVML_DRIVER_VERSION_BYTES 80

/**
 * The version of the kernel's NVIDIA driver, as NVML and nvidia-smi tell it, such as
 * "580.65.06".
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param out  filled with the text and a final zero
 * @param size bytes of out; CUC_NVML_DRIVER_VERSION_BYTES is always enough
 * @retval CUC_OK                     filled
 * @retval CUC_ERROR_NOT_FOUND        there is no NVML: cuc_error_log() has the places tried
 * @retval CUC_ERROR_NO_DRIVER        the kernel's driver is not loaded, or of another version
 * @retval CUC_ERROR_TOOLKIT          NVML failed
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or the text does not fit
 * @source NVML API, "System Queries": nvmlSystemGetDriverVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_nvml_get_driver_version(char *out, size_t size);

CUC_END_DECLS

#endif
