#include "nvjitlink.h"

#include "base/array.h"

#include <dlfcn.h>
#include <stdio.h>

// The codes that report errors in the inputs or an nvJitLink that is too old, with their statuses.
static const cuc__toolkit_status statuses[] = {
    { NVJITLINK_ERROR_INVALID_INPUT, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_PTX_COMPILE, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_NVVM_COMPILE, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_UNRECOGNIZED_INPUT, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_FINALIZE, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_NULL_INPUT, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_INCORRECT_INPUT_TYPE, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_ARCH_MISMATCH, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_MISSING_FATBIN, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_LTO_NOT_ENABLED, CUC_ERROR_LINK },
    { NVJITLINK_ERROR_OUTDATED_LIBRARY, CUC_ERROR_NOT_SUPPORTED },
    { NVJITLINK_ERROR_UNRECOGNIZED_ARCH, CUC_ERROR_NOT_SUPPORTED },
    { NVJITLINK_ERROR_UNSUPPORTED_ARCH, CUC_ERROR_NOT_SUPPORTED },
};

// Returns the library's version. Libraries before 12.3 have no version function.
static int library_version(void)
{
    unsigned major = 0, minor = 0;

    return cuc__nvjitlink.nvJitLinkVersion(&major, &minor) ? 0 : (int)(major * 1000 + minor * 10);
}

// Finds a function. CUDA 12.0 to 12.2 export only names that end in a version, such as
// __nvJitLinkCreate_12_1, and keep the names of earlier releases. This function takes the newest
// available version.
static void *symbol(void *handle, const char *name)
{
    char versioned[64];

    if (dlsym(handle, "nvJitLinkCreate"))
        return dlsym(handle, name);
    for (int minor = 2; minor >= 0; minor--) {
        snprintf(versioned, sizeof(versioned), "__nvJitLinkCreate_12_%d", minor);
        if (dlsym(handle, versioned)) {
            snprintf(versioned, sizeof(versioned), "__%s_12_%d", name, minor);
            return dlsym(handle, versioned);
        }
    }
    return NULL;
}

static const cuc__toolkit_function functions[] = {
#define NVJITLINK(name, version, params, args) { #name, version },
#include "nvjitlink.def"
#undef NVJITLINK
};

const cuc__toolkit cuc__nvjitlink_toolkit = {
    .name = "nvjitlink",
    .title = "nvJitLink",
    .library = CUC_LIBRARY_NVJITLINK,
    .version = library_version,
    .symbol = symbol,
    .functions = functions,
    .function_count = CUC_LENGTH(functions),
    .statuses = statuses,
    .status_count = CUC_LENGTH(statuses),
};

#define NVJITLINK(name, version, params, args) \
    CUC__TOOLKIT_STUB(cuc__nvjitlink_toolkit, cuc__nvjitlink, nvJitLinkResult, name, params, args)
#include "nvjitlink.def"
#undef NVJITLINK

struct cuc__nvjitlink_table cuc__nvjitlink = {
#define NVJITLINK(name, version, params, args) .name = stub_##name,
#include "nvjitlink.def"
#undef NVJITLINK
};
