// A driver that has one function, in two forms. FORMS_VERSION is the driver's version, FORMS_NEWEST
// the version of the newest form it has. cuGetProcAddress() follows the driver's rule: it returns
// the newest form that is not newer than the requested version, and none for a version newer than
// the driver.
#include "driver/cuda_abi.h"

#include <stdlib.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED CUresult cuDriverGetVersion(int *version);
EXPORTED CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                                      CUdriverProcAddressQueryResult *found);

static CUresult form_2000(float *ms, CUevent start, CUevent end)
{
    (void)start, (void)end;
    *ms = 2000;
    return CUDA_SUCCESS;
}

static CUresult form_12080(float *ms, CUevent start, CUevent end)
{
    (void)start, (void)end;
    *ms = 12080;
    return CUDA_SUCCESS;
}

static int setting(const char *name)
{
    const char *value = getenv(name);

    return value ? atoi(value) : 0;
}

CUresult cuDriverGetVersion(int *version)
{
    *version = setting("FORMS_VERSION");
    return CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **out, int version, uint64_t flags,
                             CUdriverProcAddressQueryResult *found)
{
    CUresult (*form)(float *, CUevent, CUevent) = form_2000;

    (void)flags, (void)found;
    *out = NULL;
    if (version > setting("FORMS_VERSION"))
        return CUDA_ERROR_INVALID_VALUE;
    if (strcmp(symbol, "cuEventElapsedTime") != 0)
        return CUDA_ERROR_NOT_FOUND;
    if (version >= 12080 && setting("FORMS_NEWEST") >= 12080)
        form = form_12080;
    memcpy(out, &form, sizeof(*out));
    return CUDA_SUCCESS;
}
