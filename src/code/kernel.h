#ifndef CUCORE_CODE_KERNEL_H
#define CUCORE_CODE_KERNEL_H

#include <cucore/kernel.h>

#include "device/device.h"

// A parameter in the driver's layout. Its type is known only if there is PTX.
struct cuc__parameter {
    uint32_t offset;
    uint32_t bytes;
    uint32_t type; // a CUC__PARAMETER_ value
};

enum {
    CUC__COMMON_PARAMETERS = 32, // a launch with more parameters takes the slow path
};

#define CUC__NOTHING_ACCEPTED UINT64_MAX

enum {
    CUC__PARAMETER_ANY = 0,   // unknown, or a struct; launches check only the size
    CUC__PARAMETER_INT = 1,   // integer or pointer
    CUC__PARAMETER_FLOAT = 2, // floating point
};

// Limits of launches on one device, read at the first launch on that device.
struct cuc__kernel_limits {
    _Atomic bool known;
    _Atomic uint32_t block_threads; // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK; 0 if not yet known
    uint32_t static_shared_bytes;   // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
    _Atomic uint32_t shared_bytes;  // bytes of dynamic shared memory allowed so far
    _Atomic bool large_clusters;    // clusters of more than 8 blocks are allowed
};

struct cuc_kernel {
    cuc__handle head;
    CUkernel handle;
    const char *name;      // the name that the user requested; interned, owned
    const char *symbol;    // the name in the object code; interned; owned by `facts`, or equal to
                           // `name`
    bool parameters_known; // false for drivers before 12.4 if there is no PTX
    uint32_t parameter_count;
    size_t common_count; // parameter_count, or SIZE_MAX to send every launch to the slow path
    // For each parameter, the type and size of the last valid cuc_arg, or CUC__NOTHING_ACCEPTED. A
    // launch whose argument has the same type and size skips the checks.
    _Atomic uint64_t *accepted;
    struct cuc__parameter *parameters; // [parameter_count]
    struct cuc__kernel_limits *limits; // [device count], by ordinal
    struct cuc_object *object;         // retained; NULL for a foreign kernel
    struct cuc__kernel_facts *facts;   // the properties that all handles share; owns the arrays
                                       // above; belongs to the object if there is one
    struct cuc__tile_kernel *tile;     // data of a tile kernel, which has its own launch path;
                                       // otherwise NULL
};

// cuc__kernel_prepare() reads one device's limits once. cuc__kernel_allow_shared() raises the limit
// of dynamic shared memory if necessary. Both record failures under the name in `function`.
cuc_status cuc__kernel_prepare(cuc_kernel *kernel, cuc_device *device, const char *function);
cuc_status cuc__kernel_allow_shared(cuc_kernel *kernel, cuc_device *device, uint32_t bytes,
                                    const char *function);
// Allows clusters of more than 8 blocks, which some devices may not have room for.
cuc_status cuc__kernel_allow_large_clusters(cuc_kernel *kernel, cuc_device *device,
                                            const char *function);

// Returns the maximum dynamic shared memory on a device. The device's limits must be known.
uint32_t cuc__kernel_shared_limit(const cuc_kernel *kernel, const cuc_device *device);

#endif
