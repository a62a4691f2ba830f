// NVRTC, which compiles CUDA C++: `cuc__nvrtc.nvrtcCompileProgram(...)`.
#ifndef CUCORE_DRIVER_NVRTC_H
#define CUCORE_DRIVER_NVRTC_H

#include "compiler_abi.h"
#include "toolkit.h"

#define NVRTC(name, version, params, args) CUC__TOOLKIT_TYPE(nvrtcResult, name, params)
#include "nvrtc.def"
#undef NVRTC

struct cuc__nvrtc_table {
#define NVRTC(name, version, params, args) CUC__TOOLKIT_SLOT(name)
#include "nvrtc.def"
#undef NVRTC
};

extern struct cuc__nvrtc_table cuc__nvrtc;
extern const cuc__toolkit cuc__nvrtc_toolkit;

// Calls cuc__fail_toolkit() for this library. The format and its values follow `log`.
#define cuc__fail_nvrtc(code, function, call, log, ...) \
    cuc__fail_toolkit(&cuc__nvrtc_toolkit, (code), (function), (call), (log), __VA_ARGS__)

#endif
