// nvFatbin, which packs code for several architectures: `cuc__nvfatbin.nvFatbinCreate(...)`.
#ifndef CUCORE_DRIVER_NVFATBIN_H
#define CUCORE_DRIVER_NVFATBIN_H

#include "compiler_abi.h"
#include "toolkit.h"

#define NVFATBIN(name, version, params, args) CUC__TOOLKIT_TYPE(nvFatbinResult, name, params)
#include "nvfatbin.def"
#undef NVFATBIN

struct cuc__nvfatbin_table {
#define NVFATBIN(name, version, params, args) CUC__TOOLKIT_SLOT(name)
#include "nvfatbin.def"
#undef NVFATBIN
};

extern struct cuc__nvfatbin_table cuc__nvfatbin;
extern const cuc__toolkit cuc__nvfatbin_toolkit;

// Calls cuc__fail_toolkit() for this library. The format and its values follow `log`.
#define cuc__fail_nvfatbin(code, function, call, log, ...) \
    cuc__fail_toolkit(&cuc__nvfatbin_toolkit, (code), (function), (call), (log), __VA_ARGS__)

#endif
