#ifndef CUCORE_LAUNCH_LAUNCH_H
#define CUCORE_LAUNCH_LAUNCH_H

#include <cucore/launch.h>

#include "device/launch_blocking.h"
#include "driver/driver.h"
#include "code/kernel.h"

enum {
    CUC__MAX_LAUNCH_ATTRIBUTES = 32,
    CUC__MAX_PARAMETERS = 1024, // 4 bytes each fill the 4 KiB that every driver takes
};

// Turn a config into the driver's: dims that are 0 become 1, fields and attributes become
// `attributes` [CUC__MAX_LAUNCH_ATTRIBUTES]. Checks what the device can do, not what the kernel
// can. Records a failure under `function`'s name.
cuc_status cuc__launch_config_fill(CUlaunchConfig *out, CUlaunchAttribute *attributes,
                                   const cuc_launch_config *config, const cuc_device *device,
                                   const char *function);

// What is left of a launch that was checked: it is kept by a graph under capture, recorded, and
// given to the driver, with whatever the config asks for.
cuc_status cuc__launch_finish(cuc_stream *stream, const cuc_launch_config *config,
                              const cuc_kernel *kernel, void **parameters);

// Refuse an argument that the stream's device cannot reach: one that does not say to be memory of
// that device. The number of the argument, or `argument`, begins the message. launch_reach.c.
cuc_status cuc__launch_check_buffer(const cuc_buffer *buffer, const cuc_stream *stream, size_t i)
    __attribute__((cold));
cuc_status cuc__launch_check_tensor(const cuc_tensor *tensor, const cuc_stream *stream, size_t i)
    __attribute__((cold));
// With CUCORE_CHECK_HANDLES: refuse a pointer that the driver does not know.
cuc_status cuc__launch_check_address(const cuc_kernel *kernel, cuc_device_ptr address,
                                     const cuc_stream *stream, size_t i) __attribute__((cold));
cuc_status cuc__launch_check_device(const cuc_tensor *tensor, const cuc_stream *stream,
                                    const char *argument) __attribute__((cold));

#endif
