// What no other file of the fake driver defines: every function of cu.def, as a weak symbol.
#include "fake_internal.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CU(name, version, params, args)               \
    __attribute__((weak)) CUresult fake_##name params \
    {                                                 \
        return CUDA_ERROR_NOT_SUPPORTED;              \
    }
#include "driver/cu.def"
#undef CU
