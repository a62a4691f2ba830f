#ifndef CUCORE_CODE_KERNEL_H
#define CUCORE_CODE_KERNEL_H

#include <cucore/kernel.h>

#include "device/device.h"

// One parameter as the driver laid it out, with its type where the PTX tells it.
struct cuc__parameter {
    uint32_t offset;
    uint32_t bytes;
    uint32_t type; // a CUC__PARAMETER_ value
};

enum {
    CUC__COMMON_PARAMETERS = 32, // a launch of more takes the long way
};

#define CUC__NOTHING_ACCEPTED UINT64_MAX

enum {
    CUC__PARAMETER_ANY = 0,   // not known, or a struct: size alone is checked
    CUC__PARAMETER_INT = 1,   // integer or pointer
    CUC__PARAMETER_FLOAT = 2, // floating point
};

// What a launch on one device is checked against; filled at the first launch there.
struct cuc__kernel_limits {
    _Atomic bool known;
    _Atomic uint32_t block_threads; // CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK; 0: not known yet
    uint32_t static_shared_bytes;   // CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
    _Atomic uint32_t shared_bytes;  // dynamic bytes that are allowed so far
};

struct cuc_kernel {
    cuc__handle head;
    CUkernel handle;
    const char *name;      // as it was asked for; interned, owned
    const char *symbol;    // in the object code; interned, owned by the facts, or `name` itself
    bool parameters_known; // false on drivers before 12.4 when no PTX is there either
    uint32_t parameter_count;
    size_t common_count; // parameter_count, or SIZE_MAX where every launch is the long way
    // By parameter: type and size of the last cuc_arg that was checked for it and found good, or
    // CUC__NOTHING_ACCEPTED. Another launch with the same ones need not look again.
    _Atomic uint64_t *accepted;
    struct cuc__parameter *parameters; // [parameter_count]
    struct cuc__kernel_limits *limits; // [device count], by ordinal
    struct cuc_object *object;         // retained; NULL for a foreign kernel
    struct cuc__kernel_facts *facts;   // what the pointers above point into; the object's, if any
    struct cuc__tile_kernel *tile;     // of a tile kernel, which is launched its own way; else NULL
};

// Fill limits of one device, once; and raise the dynamic shared memory limit when it is asked for.
// Both record failures under `function`'s name.
cuc_status cuc__kernel_prepare(cuc_kernel *kernel, cuc_device *device, const char *function);
cuc_status cuc__kernel_allow_shared(cuc_kernel *kernel, cuc_device *device, uint32_t bytes,
                                    const char *function);

// How much dynamic shared memory can be allowed on a device where limits are known.
uint32_t cuc__kernel_shared_limit(const cuc_kernel *kernel, const cuc_device *device);

#endif
