// The CUDA runtime, called as `cuc__cudart.cudaGetKernel(...)`. It is the program's own copy if the
// program exports its symbols.
#ifndef CUCORE_DRIVER_CUDART_H
#define CUCORE_DRIVER_CUDART_H

#include "cudart_abi.h"
#include "toolkit.h"

#define CUDART(name, version, params, args) CUC__TOOLKIT_TYPE(cudaError_t, name, params)
#include "cudart.def"
#undef CUDART

struct cuc__cudart_table {
#define CUDART(name, version, params, args) CUC__TOOLKIT_SLOT(name)
#include "cudart.def"
#undef CUDART
};

extern struct cuc__cudart_table cuc__cudart;
extern const cuc__toolkit cuc__cudart_toolkit;

// Calls cuc__fail_toolkit() for this library. The format and its values follow `log`.
#define cuc__fail_runtime(code, function, call, log, ...) \
    cuc__fail_toolkit(&cuc__cudart_toolkit, (code), (function), (call), (log), __VA_ARGS__)

#endif
