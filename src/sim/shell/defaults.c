// Defaults for functions that no other file defines: every function of cu.def and more.def, as a
// weak symbol.
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

// Defaults for optional functions of the back end.
__attribute__((weak)) void sim_print(const char *text)
{
}

__attribute__((weak)) void sim_code_context_end(struct context *context)
{
}
