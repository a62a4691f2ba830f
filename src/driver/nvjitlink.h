// nvJitLink, which links device code: `cuc__nvjitlink.nvJitLinkCreate(...)`.
#ifndef CUCORE_DRIVER_NVJITLINK_H
#define CUCORE_DRIVER_NVJITLINK_H

#include "compiler_abi.h"
#include "toolkit.h"

#define NVJITLINK(name, version, params, args) CUC__TOOLKIT_TYPE(nvJitLinkResult, name, params)
#include "nvjitlink.def"
#undef NVJITLINK

struct cuc__nvjitlink_table {
#define NVJITLINK(name, version, params, args) CUC__TOOLKIT_SLOT(name)
#include "nvjitlink.def"
#undef NVJITLINK
};

extern struct cuc__nvjitlink_table cuc__nvjitlink;
extern const cuc__toolkit cuc__nvjitlink_toolkit;

// Calls cuc__fail_toolkit() for this library. The format and its values follow `log`.
#define cuc__fail_nvjitlink(code, function, call, log, ...) \
    cuc__fail_toolkit(&cuc__nvjitlink_toolkit, (code), (function), (call), (log), __VA_ARGS__)

#endif
