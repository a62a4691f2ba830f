#include "nvrtc.h"

#include "base/array.h"
#include "host_signals.h"

#include <dlfcn.h>
#include <string.h>

static const cuc__toolkit_status statuses[] = {
    { NVRTC_ERROR_COMPILATION, CUC_ERROR_COMPILE },
    { NVRTC_ERROR_OUT_OF_MEMORY, CUC_ERROR_OUT_OF_MEMORY },
};

static int library_version(void)
{
    int major = 0, minor = 0;

    return cuc__nvrtc.nvrtcVersion(&major, &minor) ? 0 : major * 1000 + minor * 10;
}

// Finds a function. The first call of nvrtcCompileProgram looks it up, which is the moment to
// protect the signal handlers.
static void *find(void *handle, const char *name)
{
    void *function = dlsym(handle, name);

    if (function && strcmp(name, "nvrtcCompileProgram") == 0)
        cuc__keep_host_signals(function);
    return function;
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
    .symbol = find,
    .functions = functions,
    .function_count = CUC_LENGTH(functions),
    .statuses = statuses,
    .status_count = CUC_LENGTH(statuses),
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
