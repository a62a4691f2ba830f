#include "nvrtc.h"

static const cuc__toolkit_status statuses[] = {
    { NVRTC_ERROR_COMPILATION, CUC_ERROR_COMPILE },
    { NVRTC_ERROR_OUT_OF_MEMORY, CUC_ERROR_OUT_OF_MEMORY },
};

static int library_version(void)
{
    int major = 0, minor = 0;

    return cuc__nvrtc.nvrtcVersion(&major, &minor) ? 0 : major * 1000 + minor * 10;
}

static const cuc__toolkit_function functions[] = {
#define NVRTC(name, version, params, args) { #name, version },
#include "nvrtc.def"
#undef NVRTC
};

const cuc__toolkit cuc__nvrtc_toolkit = {
    .name = "nvrtc",
    .title = "NVRTC",
    .library = CUC_LIBRARY_NVRTC,
    .version = library_version,
    .functions = functions,
    .function_count = CUC__LENGTH(functions),
    .statuses = statuses,
    .status_count = CUC__LENGTH(statuses),
};

#define NVRTC(name, version, params, args) \
    CUC__TOOLKIT_STUB(cuc__nvrtc_toolkit, cuc__nvrtc, nvrtcResult, name, params, args)
#include "nvrtc.def"
#undef NVRTC

struct cuc__nvrtc_table cuc__nvrtc = {
#define NVRTC(name, version, params, args) .name = stub_##name,
#include "nvrtc.def"
#undef NVRTC
};
