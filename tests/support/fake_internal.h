// Internal interface of the fake driver's files, in addition to the shell's.
#ifndef CUCORE_TESTS_SUPPORT_FAKE_INTERNAL_H
#define CUCORE_TESTS_SUPPORT_FAKE_INTERNAL_H

#include "fake_control.h"
#include "sim/shell/shell.h"

#define CONTROL(result, name, params, args) result ctl_##name params;
#define CONTROL_VOID(name, params, args) void ctl_##name params;
#include "fake_control.def"
#undef CONTROL
#undef CONTROL_VOID

// fake_code.c
fake_kernel_fn *fake_kernel_slot(const char *name); // where the host function for a name is stored
bool fake_any_kernel_defined(void);
void fake_kernels_forget(void);

// fake_code.c: a variable of a library, allocated when it is first used.
struct variable {
    struct variable *next;
    char *name;
    size_t bytes;
    unsigned char *initial; // [bytes]
    bool managed, hidden;
    CUdeviceptr address[SIM_DEVICES];
};

// Reads the kernels and variables of a PTX text. On failure, returns the driver's code, with the
// reason in `log`.
CUresult fake_ptx_scan(struct library *library, const char *text, char *log, size_t log_bytes);

#endif
