// The target architecture of a plan's tile programs.
#ifndef CUCORE_PROGRAM_PLAN_ARCH_H
#define CUCORE_PROGRAM_PLAN_ARCH_H

#include <cucore/base.h>

struct cuc_device;

enum { CUC__PLAN_ARCH = 16 };

// Writes the architecture, such as "sm_90a", and its number, such as 90: `asked`, or that of the
// device with all its features if `asked` is NULL. Refuses text that is no architecture, and one
// that tile programs cannot be compiled for, under the name in `function`.
cuc_status cuc__plan_arch(char arch[CUC__PLAN_ARCH], int *sm, const char *asked,
                          const struct cuc_device *device, const char *function);

#endif
