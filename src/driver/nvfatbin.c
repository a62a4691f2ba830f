#include "nvfatbin.h"

#include "base/array.h"

// The codes that report errors in the inputs, with their statuses.
static const cuc__toolkit_status statuses[] = {
    { NVFATBIN_ERROR_ELF_ARCH_MISMATCH, CUC_ERROR_INVALID_ARGUMENT },
    { NVFATBIN_ERROR_ELF_SIZE_MISMATCH, CUC_ERROR_INVALID_ARGUMENT },
    { NVFATBIN_ERROR_MISSING_PTX_VERSION, CUC_ERROR_INVALID_ARGUMENT },
    { NVFATBIN_ERROR_MISSING_PTX_ARCH, CUC_ERROR_INVALID_ARGUMENT },
    { NVFATBIN_ERROR_PTX_ARCH_MISMATCH, CUC_ERROR_INVALID_ARGUMENT },
    { NVFATBIN_ERROR_INVALID_NVVM, CUC_ERROR_INVALID_ARGUMENT },
    { NVFATBIN_ERROR_INVALID_ARCH, CUC_ERROR_NOT_SUPPORTED },
};

static int library_version(void)
{
    unsigned major = 0, minor = 0;

    return cuc__nvfatbin.nvFatbinVersion(&major, &minor) ? 0 : (int)(major * 1000 + minor * 10);
}

static const cuc__toolkit_function functions[] = {
#define NVFATBIN(name, version, params, args) { #name, version },
#include "nvfatbin.def"
#undef NVFATBIN
};

const cuc__toolkit cuc__nvfatbin_toolkit = {
    .name = "nvfatbin",
    .title = "nvFatbin",
    .library = CUC_LIBRARY_NVFATBIN,
    .version = library_version,
    .functions = functions,
    .function_count = CUC_LENGTH(functions),
    .statuses = statuses,
    .status_count = CUC_LENGTH(statuses),
};

#define NVFATBIN(name, version, params, args) \
    CUC__TOOLKIT_STUB(cuc__nvfatbin_toolkit, cuc__nvfatbin, nvFatbinResult, name, params, args)
#include "nvfatbin.def"
#undef NVFATBIN

struct cuc__nvfatbin_table cuc__nvfatbin = {
#define NVFATBIN(name, version, params, args) .name = stub_##name,
#include "nvfatbin.def"
#undef NVFATBIN
};
