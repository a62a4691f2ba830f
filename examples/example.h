// Exit handling that the examples share. Status 77 tells a test runner that no device was
// available.
#ifndef EXAMPLE_H
#define EXAMPLE_H

#include <cucore/check.h>

static inline void skip_unless(int condition, const char *why)
{
    if (condition)
        return;
    fflush(stdout);
    fprintf(stderr, "skipped: %s\n", why);
    exit(77);
}

// Return the first device; without a device, exit.
static inline cuc_device *example_device(void)
{
    cuc_device *device = NULL;
    cuc_status status = cuc_device_get(&device, 0);

    skip_unless(status != CUC_ERROR_NO_DRIVER && status != CUC_ERROR_NO_DEVICE,
                cuc_error_message());
    CUC_MUST(status);
    return device;
}

#endif
