// Takes the facts that test_cuda_abi.c compares from the toolkit's own headers. No other source of
// the project includes these headers; without them this file compiles to empty tables.
#if defined __has_include
#if __has_include(<cuda.h>) && __has_include(<cudaTypedefs.h>)
#include <cuda.h>

#include "base/array.h"
#if CUDA_VERSION >= 13000 && CUDA_VERSION < 14000
#define CUDA_ABI_DRIVER 1
#include <cudaTypedefs.h>
#if __has_include(<nvrtc.h>) && __has_include(<nvJitLink.h>)
#define CUDA_ABI_NVRTC 1
#include <nvrtc.h>
#include <nvJitLink.h>
#endif
#if __has_include(<nvFatbin.h>)
#define CUDA_ABI_NVFATBIN 1
#include <nvFatbin.h>
#endif
#if __has_include(<cuda_runtime_api.h>)
#define CUDA_ABI_CUDART 1
#include <cuda_runtime_api.h>
#endif
#if __has_include(<nvml.h>)
#define CUDA_ABI_NVML 1
#include <nvml.h>
#endif
#endif
#endif
#endif

#include "cuda_abi_rows.h"

const struct cuda_abi_row cuda_abi_real_rows[] = {
#include "cuda_abi.list"
    { NULL, 0, 0 },
};
const size_t cuda_abi_real_row_count = CUC_LENGTH(cuda_abi_real_rows) - 1;

// True if two types are exactly the same. The .def rows spell parameters with CUDA's names, which
// here mean the toolkit's types.
#define SAME(type, result, params) __builtin_types_compatible_p(__typeof__(type), result(*) params)
#define TEXT(x) #x
#define EXPORTED(x) TEXT(x)

// cuda.h maps a function's plain name to the variant that programs get (#define cuMemAlloc
// cuMemAlloc_v2). cudaTypedefs.h declares the type of each variant, named after the release that
// introduced it (PFN_cuMemAlloc_v3020). The plain name may mean another variant in another toolkit;
// the rows follow 13.0.
#if CUDA_ABI_DRIVER && CUDA_VERSION < 13010
#define CU(name, version, params, args)              \
    { #name, version, SAME(&name, CUresult, params), \
      SAME(PFN_##name##_v##version, CUresult, params), EXPORTED(name) },
#else
#define CU(name, version, params, args) \
    { #name, version, 1, SAME(PFN_##name##_v##version, CUresult, params), NULL },
#endif

#define LIBRARY(name, version, function, result, params) \
    { name, version, SAME(&function, result, params), 1, NULL },
#define NVRTC(name, version, params, args) LIBRARY(#name, version, name, nvrtcResult, params)
#define NVFATBIN(name, version, params, args) LIBRARY(#name, version, name, nvFatbinResult, params)
#define NVML(name, version, params, args) LIBRARY(#name, version, name, nvmlReturn_t, params)
#define CUDART(name, version, params, args) LIBRARY(#name, version, name, cudaError_t, params)

// nvJitLink's plain names are inline functions. They lack the const of the exported functions,
// whose names change with each release.
#if CUDA_VERSION < 13010
#define NVJITLINK(name, version, params, args) \
    LIBRARY(#name, version, __##name##_13_0, nvJitLinkResult, params)
#define __nvJitLinkVersion_13_0 nvJitLinkVersion
#else
#define NVJITLINK(name, version, params, args)
#endif

const struct cuda_abi_call cuda_abi_real_calls[] = {
#if CUDA_ABI_DRIVER
#include "driver/cu.def"
#endif
#if CUDA_ABI_NVRTC
#include "driver/nvrtc.def"
#include "driver/nvjitlink.def"
#endif
#ifdef CUDA_ABI_NVFATBIN
#include "driver/nvfatbin.def"
#endif
#ifdef CUDA_ABI_NVML
#include "driver/nvml.def"
#endif
#if CUDA_ABI_CUDART
#include "driver/cudart.def"
#endif
    { NULL, 0, 0, 0, NULL },
};
const size_t cuda_abi_real_call_count = CUC_LENGTH(cuda_abi_real_calls) - 1;
