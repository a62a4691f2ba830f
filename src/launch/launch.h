#ifndef CUCORE_LAUNCH_LAUNCH_H
#define CUCORE_LAUNCH_LAUNCH_H

#include <cucore/launch.h>

#include "device/launch_blocking.h"
#include "driver/driver.h"
#include "code/kernel.h"

enum {
    CUC__MAX_LAUNCH_ATTRIBUTES = 32,
    CUC__MAX_PARAMETERS = 1024, // at 4 bytes each, they fill the 4 KiB that every driver accepts
};

// Converts a config to the driver's form. Dimensions of 0 become 1; fields and attributes become
// entries of `attributes`, which has room for CUC__MAX_LAUNCH_ATTRIBUTES. Checks the device's
// capabilities, but not the kernel's. Records a failure under the name in `function`.
cuc_status cuc__launch_config_fill(CUlaunchConfig *out, CUlaunchAttribute *attributes,
                                   const cuc_launch_config *config, const cuc_device *device,
                                   const char *function);

// Finishes a checked launch: adds its references to the graph being captured, records the launch,
// and passes it to the driver with everything that the config requests.
cuc_status cuc__launch_checked(cuc_stream *stream, const cuc_launch_config *config,
                               const cuc_kernel *kernel, void **parameters);

// Launches a tile kernel of a plan with the default config, programmatically unless `plain` is set:
// a kernel whose code waits for the stream's preceding kernel begins before that kernel has ended.
// Defined in tile.c.
cuc_status cuc__launch_plan_kernel(cuc_stream *stream, cuc_kernel *kernel, const cuc_arg *args,
                                   size_t count, bool plain);

// Refuse an argument that the stream's device cannot access. Call them only for an argument that
// does not declare itself as memory of that device. The message begins with the argument's number,
// or with `argument`. Defined in peer_access.c.
cuc_status cuc__launch_check_buffer(const cuc_buffer *buffer, const cuc_stream *stream, size_t i)
    __attribute__((cold));
cuc_status cuc__launch_check_tensor(const cuc_tensor *tensor, const cuc_stream *stream, size_t i)
    __attribute__((cold));
// Refuses, if CUCORE_CHECK_HANDLES is set, a pointer that the driver does not know.
cuc_status cuc__launch_check_address(const cuc_kernel *kernel, cuc_device_ptr address,
                                     const cuc_stream *stream, size_t i) __attribute__((cold));
cuc_status cuc__launch_check_device(const cuc_tensor *tensor, const cuc_stream *stream,
                                    const char *argument) __attribute__((cold));

#endif
