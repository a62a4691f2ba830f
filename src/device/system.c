#include "failure.h"

#include "driver/cudart.h"
#include "driver/driver.h"
#include "driver/nvfatbin.h"
#include "driver/nvjitlink.h"
#include "driver/nvml.h"
#include "driver/nvrtc.h"
#include "base/handle.h"

#include <cucore/system.h>

#include <stdlib.h>
#include <string.h>

_Static_assert((int)CUC_NVML_DRIVER_VERSION_BYTES == (int)NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE,
               "the public size is NVML's");

cuc_status cuc_driver_get_version(int32_t *out)
{
    int version = 0;

    CUC_CHECK_NOT_NULL(out);
    int code = cuc__cu.cuDriverGetVersion(&version);
    if (code)
        return CUC_FAIL_CU(NULL, code, "cuDriverGetVersion", "asking the driver for its version");
    *out = version;
    return CUC_OK;
}

cuc_status cuc_driver_get_path(const char **out)
{
    int32_t version;

    CUC_CHECK_NOT_NULL(out);
    cuc_status st = cuc_driver_get_version(&version);
    if (st < 0)
        return CUC_PASS(st);
    *out = cuc__driver_path();
    return CUC_OK;
}

int32_t cuc_driver_is_simulated(void)
{
    return cuc__driver_version() && cuc__driver_simulated();
}

cuc_status cuc_nvrtc_get_version(int32_t *major, int32_t *minor)
{
    int found_major = 0, found_minor = 0;

    CUC_CHECK_NOT_NULL(major);
    CUC_CHECK_NOT_NULL(minor);
    int code = cuc__nvrtc.nvrtcVersion(&found_major, &found_minor);
    if (code)
        return cuc__fail_nvrtc(code, __func__, "nvrtcVersion", NULL,
                               "asking NVRTC for its version");
    *major = found_major;
    *minor = found_minor;
    return CUC_OK;
}

cuc_status cuc_nvrtc_get_archs(size_t *count, int32_t *out, size_t capacity)
{
    static const char what[] = "asking NVRTC for the architectures it knows";
    int known = 0;

    if (!out && capacity)
        return CUC_FAIL_NULL("out");
    CUC_CHECK_NOT_NULL(count);
    int code = cuc__nvrtc.nvrtcGetNumSupportedArchs(&known);
    if (code)
        return cuc__fail_nvrtc(code, __func__, "nvrtcGetNumSupportedArchs", NULL, "%s", what);
    if (known <= 0) {
        *count = 0;
        return CUC_OK;
    }
    int *archs = calloc((size_t)known, sizeof(*archs));
    if (!archs)
        return CUC_FAIL(CUC_ERROR_OUT_OF_MEMORY, "no host memory for %d architectures", known);
    code = cuc__nvrtc.nvrtcGetSupportedArchs(archs);
    if (!code) {
        for (size_t i = 0; i < (size_t)known && i < capacity; i++)
            out[i] = archs[i];
        *count = (size_t)known;
    }
    free(archs);
    return code ? cuc__fail_nvrtc(code, __func__, "nvrtcGetSupportedArchs", NULL, "%s", what)
                : CUC_OK;
}

cuc_status cuc_nvjitlink_get_version(int32_t *major, int32_t *minor)
{
    unsigned found_major = 0, found_minor = 0;

    CUC_CHECK_NOT_NULL(major);
    CUC_CHECK_NOT_NULL(minor);
    int code = cuc__nvjitlink.nvJitLinkVersion(&found_major, &found_minor);
    if (code)
        return cuc__fail_nvjitlink(code, __func__, "nvJitLinkVersion", NULL,
                                   "asking nvJitLink for its version");
    *major = (int32_t)found_major;
    *minor = (int32_t)found_minor;
    return CUC_OK;
}

cuc_status cuc_nvfatbin_get_version(int32_t *major, int32_t *minor)
{
    unsigned found_major = 0, found_minor = 0;

    CUC_CHECK_NOT_NULL(major);
    CUC_CHECK_NOT_NULL(minor);
    int code = cuc__nvfatbin.nvFatbinVersion(&found_major, &found_minor);
    if (code)
        return cuc__fail_nvfatbin(code, __func__, "nvFatbinVersion", NULL,
                                  "asking nvFatbin for its version");
    *major = (int32_t)found_major;
    *minor = (int32_t)found_minor;
    return CUC_OK;
}

cuc_status cuc_runtime_get_version(int32_t *out)
{
    int version = 0;

    CUC_CHECK_NOT_NULL(out);
    int code = cuc__cudart.cudaRuntimeGetVersion(&version);
    if (code)
        return cuc__fail_runtime(code, __func__, "cudaRuntimeGetVersion", NULL,
                                 "asking the CUDA runtime for its version");
    *out = version;
    return CUC_OK;
}

cuc_status cuc_nvml_get_driver_version(char *out, size_t size)
{
    static const char what[] = "asking NVML for the version of the kernel's driver";
    char version[NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE] = "";

    CUC_CHECK_NOT_NULL(out);
    int code = cuc__nvml.nvmlInit_v2();
    if (code)
        return cuc__fail_nvml(code, __func__, "nvmlInit_v2", NULL, "%s", what);
    code = cuc__nvml.nvmlSystemGetDriverVersion(version, sizeof(version));
    // NVML counts initializations, so this call leaves NVML usable for its other users and for a
    // forked child.
    (void)cuc__nvml.nvmlShutdown();
    if (code)
        return cuc__fail_nvml(code, __func__, "nvmlSystemGetDriverVersion", NULL, "%s", what);
    size_t length = strlen(version);
    if (length >= size)
        return CUC_FAIL(CUC_ERROR_INVALID_ARGUMENT, "size is %zu, \"%s\" takes %zu bytes", size,
                        version, length + 1);
    memcpy(out, version, length + 1);
    return CUC_OK;
}
