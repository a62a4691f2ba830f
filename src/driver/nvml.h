// NVML, the driver's management library: `cuc__nvml.nvmlInit_v2()`.
#ifndef CUCORE_DRIVER_NVML_H
#define CUCORE_DRIVER_NVML_H

#include "nvml_abi.h"
#include "toolkit.h"

#define NVML(name, version, params, args) CUC__TOOLKIT_TYPE(nvmlReturn_t, name, params)
#include "nvml.def"
#undef NVML

struct cuc__nvml_table {
#define NVML(name, version, params, args) CUC__TOOLKIT_SLOT(name)
#include "nvml.def"
#undef NVML
};

extern struct cuc__nvml_table cuc__nvml;
extern const cuc__toolkit cuc__nvml_toolkit;

// Calls cuc__fail_toolkit() for this library. The format and its values follow `log`.
#define cuc__fail_nvml(code, function, call, log, ...) \
    cuc__fail_toolkit(&cuc__nvml_toolkit, (code), (function), (call), (log), __VA_ARGS__)

#endif
