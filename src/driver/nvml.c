#include "nvml.h"

#include "base/array.h"
#include "driver.h"

static const cuc__toolkit_status statuses[] = {
    { NVML_ERROR_DRIVER_NOT_LOADED, CUC_ERROR_NO_DRIVER },
    { NVML_ERROR_LIB_RM_VERSION_MISMATCH, CUC_ERROR_NO_DRIVER },
    { NVML_ERROR_NOT_SUPPORTED, CUC_ERROR_NOT_SUPPORTED },
    { NVML_ERROR_FUNCTION_NOT_FOUND, CUC_ERROR_NOT_SUPPORTED },
    { NVML_ERROR_MEMORY, CUC_ERROR_OUT_OF_MEMORY },
};

// Returns the driver's version: NVML comes with the driver, and the versions in nvml.def are the
// driver's.
static int library_version(void)
{
    return cuc__driver_version();
}

static const cuc__toolkit_function functions[] = {
#define NVML(name, version, params, args) { #name, version },
#include "nvml.def"
#undef NVML
};

const cuc__toolkit cuc__nvml_toolkit = {
    .name = "nvml",
    .title = "NVML",
    .library = CUC_LIBRARY_NVML,
    .version = library_version,
    .functions = functions,
    .function_count = CUC_LENGTH(functions),
    .statuses = statuses,
    .status_count = CUC_LENGTH(statuses),
};

#define NVML(name, version, params, args) \
    CUC__TOOLKIT_STUB(cuc__nvml_toolkit, cuc__nvml, nvmlReturn_t, name, params, args)
#include "nvml.def"
#undef NVML

struct cuc__nvml_table cuc__nvml = {
#define NVML(name, version, params, args) .name = stub_##name,
#include "nvml.def"
#undef NVML
};
