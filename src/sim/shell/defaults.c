// Weak default definitions of all functions of cu.def and more.def. They take effect for the
// functions that no other file defines.
#include "shell.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define CU(name, version, params, args)              \
    __attribute__((weak)) CUresult sim_##name params \
    {                                                \
        return CUDA_ERROR_NOT_SUPPORTED;             \
    }
#include "driver/cu.def"
#include "more.def"
#undef CU

// Default definitions of the back end's optional functions.
__attribute__((weak)) void sim_print(const char *text)
{
}

__attribute__((weak)) void sim_code_context_end(struct context *context)
{
}
