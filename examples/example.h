// What the examples share: how they end. 77 says to a test runner that there was nothing to run on.
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <stdio.h>
#include <stdlib.h>

#include <cucore/cucore.h>

static inline void check(cuc_status status)
{
    if (status >= 0)
        return;
    fflush(stdout);
    fprintf(stderr, "%s\n", cuc_error_message());
    exit(status == CUC_ERROR_NO_DRIVER || status == CUC_ERROR_NO_DEVICE ? 77 : 1);
}

// The first device; on a machine without one the example ends here.
static inline cuc_device *example_device(void)
{
    cuc_device *device = NULL;

    check(cuc_device_get(&device, 0));
    return device;
}

// A kernel of CUDA C++ source. It holds the object that it is in, and the object needs no program.
static inline cuc_kernel *example_kernel(cuc_device *device, const char *source, const char *name)
{
    cuc_program *program;
    cuc_object *object;
    cuc_kernel *kernel;

    check(cuc_program_create(&program, CUC_SOURCE_CUDA, source, 0,
                             CUC_PROGRAM_OPTIONS(.arch = cuc_device_arch(device))));
    check(cuc_program_compile(&object, program, CUC_CODE_CUBIN));
    check(cuc_object_get_kernel(&kernel, object, name));
    cuc_object_release(object);
    cuc_program_release(program);
    return kernel;
}

static inline void skip_unless(int condition, const char *why)
{
    if (condition)
        return;
    fflush(stdout);
    fprintf(stderr, "skipped: %s\n", why);
    exit(77);
}

#endif
