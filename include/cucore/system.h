/**
 * @file
 * Versions of the driver and the toolkit libraries on this machine.
 *
 * Each function loads its library if it is not loaded yet. None needs a device. find.h reports the
 * locations of the libraries.
 */
#ifndef CUCORE_SYSTEM_H
#define CUCORE_SYSTEM_H

#include <cucore/base.h>

CUC_BEGIN_DECLS

/**
 * The newest CUDA version that the driver supports.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 *
 * @param out major * 1000 + minor * 10, such as 13000 for CUDA 13.0
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NO_DRIVER        no driver could be loaded
 * @retval CUC_ERROR_DRIVER_TOO_OLD   the driver is older than CUDA 12.0
 * @retval CUC_ERROR_FORKED           this is the child of a process that used the driver
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @source CUDA Driver API, "Version Management": cuDriverGetVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_driver_get_version(int32_t *out);

/**
 * The file from which the driver was loaded.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 *
 * @param out static storage, valid for the life of the process
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NO_DRIVER        no driver could be loaded
 * @retval CUC_ERROR_DRIVER_TOO_OLD   the driver is older than CUDA 12.0
 * @retval CUC_ERROR_FORKED           this is the child of a process that used the driver
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @since 0.1
 */
CUC_API cuc_status cuc_driver_get_path(const char **out);

/**
 * Check whether the driver is the simulated one, which CUCORE_DRIVER can select.
 *
 * @thread any thread
 * @capture safe: not restricted by the driver
 * @return 1 or 0; also 0 when no driver could be loaded
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
 * @retval CUC_OK                     both are written
 * @retval CUC_ERROR_NOT_FOUND        there is no NVRTC: cuc_error_log() lists the locations tried
 * @retval CUC_ERROR_TOOLKIT          NVRTC failed
 * @retval CUC_ERROR_INVALID_ARGUMENT major or minor is NULL
 * @source NVRTC, "General Information Query": nvrtcVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_nvrtc_get_version(int32_t *major, int32_t *minor);

/**
 * The compute capabilities for which NVRTC can compile, in ascending order.
 *
 * @shape  `out`: [capacity] numbers, of which the first min(capacity, *count) are written
 * @thread any thread
 * @capture makes no driver call
 *
 * @param count    the number of architectures, which may exceed capacity
 * @param out      major * 10 + minor of each, such as 90; may be NULL when capacity is 0
 * @param capacity length of `out`
 * @retval CUC_OK                     count is written, and as many elements of out as fit
 * @retval CUC_ERROR_NOT_FOUND        there is no NVRTC: cuc_error_log() lists the locations tried
 * @retval CUC_ERROR_TOOLKIT          NVRTC failed
 * @retval CUC_ERROR_OUT_OF_MEMORY    no host memory
 * @retval CUC_ERROR_INVALID_ARGUMENT count is NULL, or out is NULL while capacity is not 0
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
 * @retval CUC_OK                     both are written
 * @retval CUC_ERROR_NOT_FOUND        there is no nvJitLink: cuc_error_log() lists the locations
 *                                    tried
 * @retval CUC_ERROR_NOT_SUPPORTED    nvJitLink of CUDA 12.0 to 12.2 does not report its version
 * @retval CUC_ERROR_TOOLKIT          nvJitLink failed
 * @retval CUC_ERROR_INVALID_ARGUMENT major or minor is NULL
 * @source nvJitLink, "Linking": nvJitLinkVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_nvjitlink_get_version(int32_t *major, int32_t *minor);

/**
 * The version of nvFatbin, which packs code of several architectures.
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param major such as 13
 * @param minor such as 0
 * @retval CUC_OK                     both are written
 * @retval CUC_ERROR_NOT_FOUND        there is no nvFatbin: cuc_error_log() lists the locations
 *                                    tried
 * @retval CUC_ERROR_TOOLKIT          nvFatbin failed
 * @retval CUC_ERROR_INVALID_ARGUMENT major or minor is NULL
 * @source nvFatbin, "Fatbinary Creation": nvFatbinVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_nvfatbin_get_version(int32_t *major, int32_t *minor);

/**
 * The version of the CUDA runtime. This is the program's own runtime if its symbols are visible,
 * otherwise the one found on the machine.
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param out major * 1000 + minor * 10, such as 13000 for CUDA 13.0
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        there is no runtime: cuc_error_log() lists the locations tried
 * @retval CUC_ERROR_TOOLKIT          the runtime failed
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL
 * @source CUDA Runtime API, "Version Management": cudaRuntimeGetVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_runtime_get_version(int32_t *out);

/** Size in bytes, with the final zero, that always suffices for cuc_nvml_get_driver_version(). */
#define CUC_NVML_DRIVER_VERSION_BYTES 80

/**
 * The version of the kernel-mode NVIDIA driver, as NVML and nvidia-smi report it, such as
 * "580.65.06".
 *
 * @thread any thread
 * @capture makes no driver call
 *
 * @param out  receives the text and a final zero
 * @param size bytes of out; CUC_NVML_DRIVER_VERSION_BYTES always suffices
 * @retval CUC_OK                     written
 * @retval CUC_ERROR_NOT_FOUND        there is no NVML: cuc_error_log() lists the locations tried
 * @retval CUC_ERROR_NO_DRIVER        the kernel-mode driver is not loaded, or has another version
 * @retval CUC_ERROR_TOOLKIT          NVML failed
 * @retval CUC_ERROR_INVALID_ARGUMENT out is NULL, or the text does not fit
 * @source NVML API, "System Queries": nvmlSystemGetDriverVersion
 * @since 0.1
 */
CUC_API cuc_status cuc_nvml_get_driver_version(char *out, size_t size);

CUC_END_DECLS

#endif
