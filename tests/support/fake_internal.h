// The inside of the fake driver: what its files share beside the shell's.
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
fake_kernel_fn *fake_kernel_slot(const char *name); // where the host function of a name is kept
bool fake_any_kernel_defined(void);
void fake_kernels_forget(void);

// fake_ptx.c
// A variable of a library, in memory when it is first asked for.
struct variable {
    struct variable *next;
    char *name;
    size_t bytes;
    unsigned char *initial; // [bytes]
    bool managed, hidden;
    CUdeviceptr address[SIM_DEVICES];
};

// The kernels and variables of a PTX text, or why it is none: the driver's code, and words in
// `log`.
CUresult fake_ptx_scan(struct library *library, const char *text, char *log, size_t log_bytes);

#endif
